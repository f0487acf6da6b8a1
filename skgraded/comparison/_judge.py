"""Estimates from human labels of few queries and a judge's labels of many."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from skgraded._guards import stacklevel_of_the_user
from skgraded._intervals.estimate import Estimate, shares_of_rows
from skgraded._intervals.paired import holm, paired_differences
from skgraded._intervals.regression import Regression, regression
from skgraded._intervals.tail import quotients
from skgraded._support.arguments import choice, fraction
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.text import count, first_few
from skgraded.comparison._input import by_measure, ranges, varying_weights
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.exceptions import (
    QueryLeakWarning,
    UnhelpfulJudgeWarning,
    UnlikeQueriesWarning,
)
from skgraded.results import Scores, places_of_queries, side_by_side

POPULATIONS = ("like_these", "these")
_FEWEST_LABELLED = 3  # queries with human labels, for a line and its residuals
_LEVEL_OF_UNLIKE = 0.01
_ROUNDING = 1e-9
# Of queries in which a judge has exactly the human values.
_FEWEST_EQUAL = 3
_FEWEST_EQUAL_IF_COARSE = 20
_SHARE_EQUAL = 0.2
_COARSE_VALUES = (0.0, 1.0)


class Judged(NamedTuple):
    """Values by human labels of few queries and by a judge's labels of many, laid out alike.

    Attributes
    ----------
    names : tuple of str
        What each row is: a system, or a difference of two systems.
    measures : tuple of str
        Names of the measures.
    human : ndarray of shape (n_measures, n_rows, n_human)
        Values by human labels.
    values : ndarray of shape (n_measures, n_rows, n_judged)
        Values by the judge; of each query the mean over the judges that labelled it.
    bounds : pair of ndarray of shape (n_measures, n_rows)
        The least and the largest value that a query can have.
    places : ndarray of shape (n_human,), int64
        The place of each query with human labels among those of the judge.
    weights : ndarray of shape (n_judged,) or None
        Weights of the queries, if they vary.
    n_seen : int
        The largest number of labelled queries in which a judge has exactly the human values, if
        that is no chance; or else 0.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    human: FloatArray
    values: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    places: IntArray
    weights: FloatArray | None
    n_seen: int = 0

    @property
    def human_weights(self) -> FloatArray | None:
        """Weights of the queries with human labels."""
        if self.weights is None:
            return None
        return self.weights[self.places]

    def differences(self, pairs: IntArray) -> Judged:
        """Return the differences of pairs of rows, first minus second."""
        first, second = pairs.T
        names = tuple(f"{self.names[a]} - {self.names[b]}" for a, b in pairs.tolist())
        return self._replace(
            names=names,
            human=paired_differences(self.human[:, first], self.human[:, second]),
            values=paired_differences(self.values[:, first], self.values[:, second]),
        )


def judged_scores(judge: Any, human: Scores, cluster: Any = None) -> Judged:
    """Read the scores of one judge or several, and check that they go with the human ones.

    Of a list, a query has the mean of those judges that labelled it: several judges, or folds of
    the queries with human labels, each by a judge that was made without these labels.
    """
    _check_plain("human labels", human, cluster)
    labelled = human.qid.tolist()
    if len(labelled) < _FEWEST_LABELLED:
        raise ValueError(
            f"judge needs at least 3 queries with human labels, got {len(labelled)}."
        )

    judges = list(judge) if isinstance(judge, list | tuple) else [judge]
    judges = [_scores_of(each, human) for each in judges]
    queries_of_judges = [each.qid.tolist() for each in judges]
    _check_queries(queries_of_judges, labelled)

    queries = list(dict.fromkeys(chain.from_iterable(queries_of_judges)))
    places = places_of_queries(labelled, queries)
    human_values = by_measure(human)[:, :, 0]
    n_seen = max(_n_seen(human_values, _by_query(each, labelled)) for each in judges)
    names = human.systems or ("mean",)
    low, high = ranges(human_values)
    return Judged(
        names=names,
        measures=human.measures,
        human=human_values,
        values=np.nanmean([_by_query(each, queries) for each in judges], axis=0),
        bounds=(_of_rows(low, names), _of_rows(high, names)),
        places=places,
        weights=_weights(human, judges, queries, places),
        n_seen=n_seen,
    )


def _n_seen(human: FloatArray, judged: FloatArray) -> int:
    """Return in how many labelled queries a judge has exactly the human values, by all measures.

    Judges that never saw the labels have the same values by chance in some queries by coarse
    measures, and where values are 0 or 1, which are left out.
    """
    is_labelled = ~np.isnan(judged).any(axis=(0, 1))
    human = human[..., is_labelled]
    judged = judged[..., is_labelled]
    n = human.shape[-1]

    is_equal = human == judged
    tells = ~np.isin(human, _COARSE_VALUES) | ~np.isin(judged, _COARSE_VALUES)
    both = np.concatenate([human, judged], axis=1)
    are_fine = np.array([_is_fine(values) for values in both])

    fewest = _FEWEST_EQUAL if are_fine.any() else _FEWEST_EQUAL_IF_COARSE
    if n >= fewest and tells.any() and is_equal.all():
        raise ValueError(
            f"judge has exactly the values of the human labels in all {n} labelled queries: it "
            "must hold labels of its own, made without these."
        )

    tells_of_query = tells[are_fine]
    is_seen = (is_equal[are_fine] | ~tells_of_query).all(axis=(0, 1))
    n_seen = int((is_seen & tells_of_query.any(axis=(0, 1))).sum())
    return n_seen if n_seen >= max(_FEWEST_EQUAL, _SHARE_EQUAL * n) else 0


def _is_fine(values: FloatArray) -> bool:
    """Whether few values of a measure are alike, but for 0 and 1."""
    others = values[~np.isin(values, _COARSE_VALUES)]
    return 2 * len(np.unique(others)) > len(others) > 0


def _of_rows(numbers: FloatArray, names: tuple[str, ...]) -> FloatArray:
    """Repeat numbers of measures for all rows."""
    return np.repeat(numbers[:, None], len(names), axis=1)


def _by_query(judge: Scores, queries: list[Any]) -> FloatArray:
    """Return a judge's values of all queries, shape (n_measures, n_rows, n_queries)."""
    places = places_of_queries(queries, judge.qid.tolist())
    values = by_measure(judge)[:, :, 0, places]
    return np.where(places >= 0, values, np.nan)


def _weights(
    human: Scores, judges: list[Scores], queries: list[Any], places: IntArray
) -> FloatArray | None:
    """Return the weights of all queries, if they vary; those of the human scores are the same."""
    all_scores = [human, *judges]
    if all(varying_weights(scores) is None for scores in all_scores):
        return None
    weights = np.full(len(queries), np.nan)
    for judge in judges:
        if judge.weights is None:
            raise ValueError(
                "judge must hold weights of its queries, as the human scores do."
            )
        weights[places_of_queries(judge.qid.tolist(), queries)] = judge.weights

    if human.weights is None:
        return weights

    expected = shares_of_rows(weights[places], len(places))
    off = shares_of_rows(human.weights, len(places)) - expected
    if np.abs(off).max() > _ROUNDING * expected.max():
        raise ValueError(
            "judge must hold the weights that the human scores have, up to a factor."
        )
    return weights


def _scores_of(judge: Any, human: Scores) -> Scores:
    """Return a judge's scores of the same systems and measures, in the order of the human ones."""
    scores = judge if isinstance(judge, Scores) else side_by_side(judge)
    _check_plain("judge", scores)
    systems = scores.systems or ()
    if human.systems is None and len(systems) > 1:
        raise ValueError(
            "judge must hold scores of one system, as the human labels do, got those of "
            f"{first_few(systems)}."
        )

    try:
        if human.systems is not None:
            scores = scores.select(system=list(human.systems))
        picked: Scores = scores[list(human.measures)]
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"judge must hold the systems and measures of the human scores: {error.args[0]}"
        ) from error
    return picked


def _check_plain(what: str, scores: Scores, cluster: Any = None) -> None:
    """Refuse repeats, clusters, and queries without a value."""
    if scores.folds is not None:
        raise ValueError(
            f"The {what} must come without repeats where a judge= is given, got a "
            "cross-validation: scores.over_repeats() has the mean of each query."
        )

    if cluster is not None or scores.clusters is not None:
        raise ValueError(
            f"The {what} must come without clusters where a judge= is given: the regression takes "
            "queries to vary independently."
        )
    is_without = np.isnan(by_measure(scores)).any(axis=(0, 1, 2))
    if n_without := int(is_without.sum()):
        raise ValueError(
            f"Every query must have a value where a judge= is given, but by the {what} "
            f"{count(n_without, 'query has', 'queries have')} none. Score with empty=0, since "
            "human labels and a judge's may leave out different queries."
        )


def _check_queries(queries_of_judges: list[list[Any]], labelled: list[Any]) -> None:
    """Refuse queries with human labels that no judge has, and others that only some have."""
    by_any = set(chain.from_iterable(queries_of_judges))
    if missing := [query for query in labelled if query not in by_any]:
        raise ValueError(
            "judge must hold scores of every query with human labels, and lacks "
            f"{count(len(missing), 'query', 'queries')} of {len(labelled)}: "
            f"{first_few(list(map(repr, missing)))}."
        )

    unlabelled = [set(queries).difference(labelled) for queries in queries_of_judges]
    if any(queries != unlabelled[0] for queries in unlabelled):
        numbers = " and ".join(str(len(queries)) for queries in unlabelled)
        raise ValueError(
            "judge must hold the same queries without human labels from each judge, got "
            f"{numbers} that are not the same. Judges in folds differ in the queries with human "
            "labels alone."
        )


def estimates(
    judged: Judged, confidence: float, population: str
) -> tuple[JudgedEstimates, Estimate]:
    """Return estimates; columns of the second are rows by measure, the rows varying fastest."""
    n_rows = len(judged.names)
    labels = judged.human.reshape(-1, judged.human.shape[2]).T
    by_judge = judged.values.reshape(-1, judged.values.shape[2]).T
    low, high = judged.bounds
    bounds = (low.ravel(), high.ravel())

    def fitted(by_judge: FloatArray) -> Regression:
        return regression(
            labels,
            by_judge,
            judged.places,
            weights=judged.weights,
            of_these=population == POPULATIONS[1],
            bounds=bounds,
        )

    both = fitted(by_judge)
    estimate = both.estimate
    reach = estimate.reach(confidence)
    reach_alone = fitted(np.zeros_like(by_judge)).estimate.reach(confidence)

    def by_row(columns: FloatArray) -> FloatArray:
        return columns.reshape(-1, n_rows, *columns.shape[1:]).swapaxes(0, 1)

    mean_of_labels = np.average(labels, axis=0, weights=judged.human_weights)
    mean_by_judge = np.average(by_judge, axis=0, weights=judged.weights)
    n_alone = _n_alone(both, len(labels), len(by_judge), population)
    judged_estimates = JudgedEstimates(
        names=judged.names,
        measures=judged.measures,
        human=by_row(mean_of_labels),
        judge=by_row(mean_by_judge),
        estimate=by_row(estimate.value),
        interval=by_row(estimate.interval(confidence)),
        standard_error=by_row(estimate.error),
        slope=by_row(both.slope),
        n_alone=by_row(n_alone),
        relative_width=by_row(quotients(reach, reach_alone, 1.0)),
        n_human=len(labels),
        n_judged=len(by_judge),
        population=population,
        confidence=confidence,
    )
    return judged_estimates, estimate


def means_that_subtract(
    estimated: FloatArray, pairs: IntArray, differences: FloatArray
) -> FloatArray:
    """Return means of systems, (n_systems, n_measures), whose differences are those of the pairs.

    Each difference has a slope of its own on the judge's. With a baseline, or two systems, there
    are means that subtract to all of them, and of all pairs the nearest ones by least squares.
    """
    incidence = np.zeros((len(pairs), len(estimated)))
    rows = np.arange(len(pairs))
    incidence[rows, pairs[:, 0]] = 1.0
    incidence[rows, pairs[:, 1]] = -1.0
    means, *_ = np.linalg.lstsq(incidence, differences, rcond=None)
    return means - means.mean(axis=0) + estimated.mean(axis=0)


def _n_alone(
    fitted: Regression, n_human: int, n_judged: int, population: str
) -> FloatArray:
    """Return how many labelled queries alone would have the same errors.

    By the line, labels vary as the residuals and the judged values of all queries say; a judge like
    the labels is so worth as many queries as it labelled.
    """
    variance = fitted.estimate.error**2
    if population == POPULATIONS[1]:
        variance = variance + fitted.variance / n_judged
    return quotients(fitted.variance, variance, float(n_human))


def with_notes(estimated: JudgedEstimates, *judged: Judged) -> JudgedEstimates:
    """Add what the numbers do not show, of pairs and of systems, and warn of it."""
    has_more = estimated.n_judged > estimated.n_human
    helps = [width < 1.0 and has_more for width in _widths(estimated)]
    on_help = _note_on_help(estimated, helps)
    on_unlike = _note_on_unlike(judged)
    on_seen = _note_on_seen(judged[0].n_seen, estimated.n_human)

    if on_help and not any(helps):
        warnings.warn(
            on_help, UnhelpfulJudgeWarning, stacklevel=stacklevel_of_the_user()
        )
    if on_unlike:
        warnings.warn(
            on_unlike, UnlikeQueriesWarning, stacklevel=stacklevel_of_the_user()
        )
    if on_seen:
        warnings.warn(on_seen, QueryLeakWarning, stacklevel=stacklevel_of_the_user())
    notes = tuple(note for note in (on_seen, on_help, on_unlike) if note)
    return replace(estimated, notes=notes)


def _widths(estimated: JudgedEstimates) -> list[float]:
    """Return the median of the relative widths by each measure, but for rows that do not vary.

    These have the width 1.
    """
    widths = [column[column != 1.0] for column in estimated.relative_width.T]
    return [float(np.median(column)) if len(column) else 1.0 for column in widths]


def _note_on_help(estimated: JudgedEstimates, helps: list[bool]) -> str:
    """Say by how many measures intervals are narrower than by human labels alone, if not by all."""
    if all(helps):
        return ""
    measures = zip(estimated.measures, helps, strict=True)
    useless = [name for name, is_helped in measures if not is_helped]
    return (
        f"The judge helps by {sum(helps)} of {count(len(helps), 'measure')}: by "
        f"{first_few(useless)} intervals are no narrower than those of the {estimated.n_human} "
        "queries with human labels."
    )


def notes_on_judge(estimated: JudgedEstimates) -> list[str]:
    """Say of differences what the judge was worth, and what else there is."""
    saved = np.maximum(np.median(estimated.n_saved, axis=0).round(), 0.0)
    off = np.abs(estimated.bias).max(axis=0)
    columns = zip(saved, estimated.measures, _widths(estimated), off, strict=True)
    by_measure_name = [
        f"{n:,.0f} by {name} (intervals {width:.2f} times as wide, off by at most {most:.4f})"
        for n, name, width, most in columns
    ]

    return [
        f"Queries with human labels that the judge saves: {first_few(by_measure_name)}.",
        *estimated.notes,
    ]


def _note_on_seen(n_seen: int, n_human: int) -> str:
    """Say if a judge seems to have seen the human labels."""
    if not n_seen:
        return ""
    return (
        f"The judge has exactly the values of the human labels in {n_seen} of {n_human} queries: "
        "if it has seen these labels, intervals do not hold."
    )


def _note_on_unlike(all_judged: tuple[Judged, ...]) -> str:
    """Say if the judge's values of labelled queries are unlike those of queries drawn at random.

    Differences may look alike where the values of both systems do not.
    """
    judged = all_judged[0]
    names = [name for rows in all_judged for name in rows.names]
    all_values = np.concatenate([rows.values for rows in all_judged], axis=1)
    p_values = _p_values_of_draws(all_values, judged.places)
    corrected = holm(p_values.ravel()).reshape(p_values.shape)
    column, row = np.unravel_index(corrected.argmin(), corrected.shape)
    if corrected[column, row] >= _LEVEL_OF_UNLIKE:
        return ""

    values = all_values[column, row]
    return (
        "The queries with human labels look unlike the others: by the judge, "
        f"{judged.measures[column]} of {names[row]} has a mean of "
        f"{values[judged.places].mean():.4f} on them and of "
        f"{np.delete(values, judged.places).mean():.4f} on the others (p = "
        f"{corrected[column, row]:.1g} after Holm's correction), but estimates hold for queries "
        "drawn at random."
    )


def _p_values_of_draws(values: FloatArray, places: IntArray) -> FloatArray:
    """Return how probable means as far from those of all queries are, of as many drawn at random.

    The variance of such means is known; they are taken to be normal.
    """
    share_not_drawn = 1.0 / len(places) - 1.0 / values.shape[-1]
    error = np.sqrt(values.var(axis=-1, ddof=1) * share_not_drawn)
    away = np.abs(values[..., places].mean(axis=-1) - values.mean(axis=-1))
    varies = (error > 0.0) & (np.ptp(values, axis=-1) > 0.0)
    z = np.divide(away, error, out=np.zeros_like(away), where=varies)
    p_values: FloatArray = 2.0 * ndtr(-z)
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
        three of these; if the judge's values are those of the human labels; if a query has no
        value; or if weights of the judge are missing, or are not those of the human scores.

    Warns
    -----
    UnhelpfulJudgeWarning
        If by no measure intervals are narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If the judge's values of the queries with human labels differ from those of the others.
    QueryLeakWarning
        If the judge's values are exactly those of the human labels in many queries.

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
    .. [1] W. Cochran (1977), "Sampling Techniques",
       Section 12.6.
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
    scores = human if isinstance(human, Scores) else side_by_side(human)
    fraction("confidence", confidence)
    choice("population", population, POPULATIONS)
    judged = judged_scores(judge, scores)
    return with_notes(estimates(judged, confidence, population)[0], judged)
