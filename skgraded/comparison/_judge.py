"""Comparisons from human labels of few queries and a judge's labels of many."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from skgraded._guards import stacklevel_of_the_user
from skgraded._intervals.corrections import holm
from skgraded._intervals.estimate import Estimate
from skgraded._intervals.paired import paired_differences
from skgraded._intervals.regression import Regression, regression
from skgraded._params import choice, fraction
from skgraded._text import count, first_few
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._plan import range_of
from skgraded.comparison._sources import Judged, judged_scores
from skgraded.exceptions import UnhelpfulJudgeWarning, UnlikeQueriesWarning
from skgraded.results import Scores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

POPULATIONS = ("like_these", "these")
_LEVEL_OF_UNLIKE = 0.01


def judged_or_none(judge: Any, human: Scores, cluster: Any, population: str) -> Judged | None:
    """Read a judge if there is one; refuse what a comparison with a judge does not offer."""
    choice("population", population, POPULATIONS)
    if judge is None:
        if population != POPULATIONS[0]:
            raise ValueError(
                f"population must be {POPULATIONS[0]!r} without judge=, got {population!r}."
            )
        return None
    if cluster is not None:
        raise ValueError(
            "cluster cannot be given with judge=: the regression takes queries to vary "
            "independently."
        )
    return judged_scores(judge, human)


def compared_with_judge(
    judged: Judged, pairs: IntArray, confidence: float, population: str
) -> tuple[FloatArray, JudgedEstimates, Estimate]:
    """Return the means of systems, their differences, and these as one estimate.

    A column of the estimate is a pair by a measure, of which the last varies fastest. It warns of a
    judge that helps by no measure, and of labelled queries that are unlike the others.
    """
    human, (first, second) = judged.human_values, pairs.T
    labels = paired_differences(human[first], human[second])
    by_judge = paired_differences(judged.values[first], judged.values[second])
    systems = judged.human.systems or ()
    names = tuple(f"{systems[one]} - {systems[other]}" for one, other in pairs.tolist())
    low, high = _ranges(judged)
    bounds = low - high, high - low
    differences, estimate = _estimates(
        names, judged, (labels, by_judge), bounds, confidence=confidence, population=population
    )
    differences = _with_notes(differences, by_judge, judged.places)
    return _of_means(judged, confidence, population).estimate, differences, estimate


def _of_means(judged: Judged, confidence: float, population: str) -> JudgedEstimates:
    names, values = judged.human.systems or ("mean",), (judged.human_values, judged.values)
    found, _ = _estimates(
        names, judged, values, _ranges(judged), confidence=confidence, population=population
    )
    return found


def _ranges(judged: Judged) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value that a query can have, by each measure."""
    low, high = np.transpose([range_of(each) for each in np.moveaxis(judged.human_values, 2, 0)])
    return low, high


def _estimates(
    names: tuple[str, ...],
    judged: Judged,
    values: tuple[FloatArray, FloatArray],
    bounds: tuple[FloatArray, FloatArray],
    *,
    confidence: float,
    population: str,
) -> tuple[JudgedEstimates, Estimate]:
    """Return estimates from values by both labels, of shape (n_rows, n_queries, n_measures)."""
    labels, by_judge = (np.moveaxis(each, 0, 1).reshape(each.shape[1], -1) for each in values)
    fitted = partial(regression, places=judged.places, of_these=population == POPULATIONS[1])
    low, high = (np.tile(each, len(names)) for each in bounds)
    both = fitted(labels, by_judge, bounds=(low, high))
    # What a judge adds to the labels is estimated along the same line.
    bias = fitted(by_judge[judged.places] - labels, by_judge).estimate
    alone = fitted(labels, np.zeros_like(by_judge)).estimate

    def shaped(each: FloatArray) -> FloatArray:
        return each.reshape(len(names), -1, *each.shape[1:])

    told = JudgedEstimates(
        names=names,
        measures=judged.human.measures,
        human=shaped(labels.mean(axis=0)),
        judge=shaped(by_judge.mean(axis=0)),
        estimate=shaped(both.estimate.value),
        interval=shaped(both.estimate.interval(confidence)),
        standard_error=shaped(both.estimate.error),
        bias=shaped(bias.value),
        bias_interval=shaped(bias.interval(confidence)),
        slope=shaped(both.slope),
        n_alone=shaped(_n_alone(both, len(labels), len(by_judge), population)),
        relative_width=shaped(_ratio(both.estimate.reach(confidence), alone.reach(confidence))),
        n_human=len(labels),
        n_judged=len(by_judge),
        n_judges=judged.n_judges,
        population=population,
        confidence=confidence,
    )
    return told, both.estimate


def _with_notes(found: JudgedEstimates, by_judge: FloatArray, places: IntArray) -> JudgedEstimates:
    """Add what the numbers do not show, and warn of it."""
    on_help, on_unlike = _note_on_help(found), _note_on_unlike(found, by_judge, places)
    if on_help and not any(_helps(found)):
        warnings.warn(on_help, UnhelpfulJudgeWarning, stacklevel=stacklevel_of_the_user())
    if on_unlike:
        warnings.warn(on_unlike, UnlikeQueriesWarning, stacklevel=stacklevel_of_the_user())
    return dataclasses.replace(found, notes=tuple(filter(None, (on_help, on_unlike))))


def _ratio(width: FloatArray, of_labels: FloatArray) -> FloatArray:
    return np.divide(width, of_labels, out=np.ones_like(width), where=of_labels > 0.0)


def _n_alone(found: Regression, n_human: int, n_judged: int, population: str) -> FloatArray:
    """Return how many labelled queries alone would have the same errors.

    By the line, labels vary as the residuals and the judged values of all queries say; a judge like
    the labels is so worth as many queries as it labelled.
    """
    variance = found.estimate.error**2
    if population == POPULATIONS[1]:
        variance = variance + found.variance / n_judged
    n_alone: FloatArray = np.full(len(variance), float(n_human))
    return np.divide(found.variance, variance, out=n_alone, where=variance > 0.0)


def _widths(found: JudgedEstimates) -> list[float]:
    """Return the median of the relative widths by each measure; rows that do not vary tell none."""
    varies = found.standard_error > 0.0
    return [
        float(np.median(widths[some])) if some.any() else 1.0
        for widths, some in zip(found.relative_width.T, varies.T, strict=True)
    ]


def _helps(found: JudgedEstimates) -> list[bool]:
    """Return for each measure whether intervals are mostly narrower than by human labels alone."""
    has_others = found.n_judged > found.n_human
    return [
        has_others and (width < 1.0 or not errors.any())
        for width, errors in zip(_widths(found), found.standard_error.T, strict=True)
    ]


def _note_on_help(found: JudgedEstimates) -> str:
    """Say by how many measures the judge helps, if not by all."""
    if found.n_judged == found.n_human:
        return "The judge labelled no other queries than humans did, and cannot help."
    helps = _helps(found)
    useless = [name for name, is_helped in zip(found.measures, helps, strict=True) if not is_helped]
    if not useless:
        return ""
    return (
        f"The judge helps by {sum(helps)} of {count(len(helps), 'measure')}: by "
        f"{first_few(useless)} intervals are no narrower than those of the {found.n_human} queries "
        "with human labels."
    )


def notes_on_judge(found: JudgedEstimates | None) -> list[str]:
    """Say of a comparison what the judge was worth, measure by measure."""
    if found is None:
        return []
    notes = []
    for column, (name, width) in enumerate(zip(found.measures, _widths(found), strict=True)):
        saved = max(round(float(np.median(found.n_saved[:, column]))), 0)
        most = float(np.abs(found.bias[:, column]).max())
        notes.append(
            f"By {name} the judge is off by at most {most:.4f} in a difference. It saves "
            f"{count(saved, 'query', 'queries') if width < 1.0 else 'no queries'} with human "
            f"labels: intervals are {width:.2f} times as wide as without it."
        )
    return [*notes, *found.notes]


def _note_on_unlike(found: JudgedEstimates, by_judge: FloatArray, places: IntArray) -> str:
    """Say if the judge's values of labelled queries differ from those of the others.

    Values have shape (n_rows, n_queries, n_measures).
    """
    of_queries = np.moveaxis(by_judge, 0, 1).reshape(found.n_judged, -1)
    some, others = of_queries[places], np.delete(of_queries, places, axis=0)
    if len(others) <= 1:
        return ""
    corrected = holm(_p_values_of_welch(some, others))
    worst = int(corrected.argmin())
    if corrected[worst] >= _LEVEL_OF_UNLIKE:
        return ""
    row, column = divmod(worst, len(found.measures))
    return (
        "The queries with human labels look unlike the others: by the judge, "
        f"{found.measures[column]} of {found.names[row]} has a mean of "
        f"{some[:, worst].mean():.4f} on them and of {others[:, worst].mean():.4f} on the others "
        f"(p = {corrected[worst]:.1g} after Holm's correction). Estimates hold for queries that "
        "were drawn at random."
    )


def _p_values_of_welch(some: FloatArray, others: FloatArray) -> FloatArray:
    """Return p-values of Welch's t test of each column; 1 where it does not vary."""
    parts = [each.var(axis=0, ddof=1) / len(each) for each in (some, others)]
    variance = np.maximum(parts[0] + parts[1], np.finfo(float).tiny)
    weights = sum(part**2 / (len(e) - 1) for part, e in zip(parts, (some, others), strict=True))
    freedom = variance**2 / np.maximum(weights, np.finfo(float).tiny)
    apart = np.abs(some.mean(axis=0) - others.mean(axis=0))
    varies = np.ptp(np.concatenate([some, others]), axis=0) > 0.0
    p_values: FloatArray = np.where(varies, 2.0 * stdtr(freedom, -apart / np.sqrt(variance)), 1.0)
    return p_values


def estimate_means(
    human: Any, judge: Any, *, population: str = "like_these", confidence: float = 0.95
) -> JudgedEstimates:
    r"""Estimate the means of systems from human labels of few queries and a judge's of many.

    Parameters
    ----------
    human : Scores, or mapping of str to Scores
        Values by human labels, of one system or of several by name.
    judge : Scores, mapping of str to Scores, or list of either
        Values of the same systems by the same measures, by the labels of a judge, such as a
        language model, for all these queries and more. The judge must never have seen the human
        labels of these queries. Of a list, a query has the mean of those judges that labelled it:
        several judges, or folds, each by a judge that was made without the human labels in it.
    population : {"like_these", "these"}, default="like_these"
        Whether the means are those over more queries like these, or over these queries alone.
    confidence : float, default=0.95
        Confidence of the intervals.

    Returns
    -------
    JudgedEstimates
        Mean of each system by each measure, its interval, and the bias of the judge.

    Raises
    ------
    TypeError
        If an argument is neither a `Scores` nor a mapping of them.
    ValueError
        If the judge lacks systems, measures, or queries with human labels; if there are fewer than
        three of these; or if a query has no value, or queries have weights that vary.

    Warns
    -----
    UnhelpfulJudgeWarning
        If by no measure intervals are narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If the judge's values of the queries with human labels differ from those of the others.

    See Also
    --------
    skgraded.compare : Differences of systems, by the same estimator, with ``judge=``.

    Notes
    -----
    With human values y of n queries and the judge's values x of N queries, the n among them, a mean
    is estimated by

    .. math:: \bar y_n + \lambda (\bar x_N - \bar x_n),

    where :math:`\bar y_n, \bar x_n` are means over the n queries, :math:`\bar x_N` that over all N,
    and :math:`\lambda` the slope of least squares of y on x. Its variance is

    .. math::

        s^2 \left(\frac{1}{n} + \frac{(\bar x_N - \bar x_n)^2}{S_{xx}}\right)
        + \lambda^2 \frac{s_x^2}{N},

    where s^2 is the variance of the residuals with n - 2 degrees of freedom, S_xx the sum of
    squares of x over the n queries, and s_x^2 the variance of x over the N queries [1]_. For these
    N queries alone it is :math:`s^2 (1/n - 1/N + (\bar x_N - \bar x_n)^2 / S_{xx})`. Whatever the
    judge's bias, the estimate is that of human labels, if the n queries are drawn at random and
    the judge never saw their labels; for a mean it is prediction-powered inference with a tuned
    slope [2]_, and with folds its cross-fitting. Intervals are those of `skgraded.compare`.

    References
    ----------
    .. [1] W. Cochran (1977), "Sampling Techniques", Section 12.6.
    .. [2] A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered
       Inference", arXiv 2311.01453.

    Examples
    --------
    A judge that finds one document in five a grade too good:

    >>> import numpy as np
    >>> from skgraded import evaluate
    >>> from skgraded.comparison import estimate_means
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=600, docs_per_query=20, random_state=0)
    >>> lenient = np.minimum(y + (np.random.default_rng(0).random(len(y)) < 0.2), 4)
    >>> judge = evaluate("AP", lenient, {"first": X[:, 0], "second": X[:, 1]}, qid=qid)
    >>> few = qid < 60
    >>> human = evaluate("AP", y[few], {"first": X[few, 0], "second": X[few, 1]}, qid=qid[few])
    >>> found = estimate_means(human, judge)
    >>> found.estimate[:, 0].round(3), found.bias[:, 0].round(3)
    (array([0.627, 0.596]), array([0.064, 0.072]))
    """
    scores = Scores.of_systems(human) if isinstance(human, Mapping) else human
    if not isinstance(scores, Scores):
        raise TypeError(
            f"human must be Scores, or a mapping of systems to Scores, got {type(human).__name__}."
        )
    fraction("confidence", confidence)
    choice("population", population, POPULATIONS)
    judged = judged_scores(judge, scores)
    if judged.has_weights:
        raise ValueError(
            "Queries must have no weights with a judge: all would count alike. Score human and "
            "judge without sample_weight."
        )
    return _with_notes(_of_means(judged, confidence, population), judged.values, judged.places)
