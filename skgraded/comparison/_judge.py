"""Comparisons from human labels of few queries and a judge's labels of many."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import choice, fraction
from skgraded._stats.bootstrap_t import Tested
from skgraded._stats.corrections import level_of
from skgraded._stats.judged import (
    WITH_JUDGE,
    Regression,
    judged_test,
    note_on_unlike,
    regression_of,
)
from skgraded._stats.paired import paired_differences
from skgraded._stats.rare import largest_difference, rare_ends
from skgraded._stats.sample_size import errors_of_log_variances
from skgraded._text import first_few
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._plan import Plan
from skgraded.exceptions import (
    FewDifferencesWarning,
    UnhelpfulJudgeWarning,
    UnlikeQueriesWarning,
)
from skgraded.results import Judged, Scores, judged_scores

__all__ = ["Judged", "compared_with_judge", "estimate_means", "judged_or_none"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LEVEL_OF_HELP = 0.05


class _Line(NamedTuple):
    """One measure: the regressions of all rows, the judge's values, and the intervals."""

    found: Regression
    by_judge: FloatArray
    tested: Tested


def judged_or_none(
    judge: Any, human: Scores, tests: str | Iterable[str] | None, cluster: Any
) -> Judged | None:
    """Read a judge if there is one; refuse what a comparison with a judge does not offer."""
    if judge is None:
        return None
    if cluster is not None:
        raise ValueError(
            "cluster cannot be given with judge=: the regression takes queries to vary "
            "independently."
        )
    for name in [tests] if isinstance(tests, str) else tests or ():
        choice("tests", name, WITH_JUDGE, alternative=" with judge=")
    return judged_scores(judge, human)


def compared_with_judge(
    judged: Judged, pairs: IntArray, plan: Plan, confidence: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the fields of a comparison that a judge's scores change."""
    values, (first, second) = judged.human_values, pairs.T
    lines, p_values = [], []
    for each in range(values.shape[2]):
        labels = paired_differences(values[first, :, each], values[second, :, each])
        by_judge = paired_differences(judged.values[first, :, each], judged.values[second, :, each])
        found = regression_of(labels, by_judge, judged.places)
        tested = [
            judged_test(test.name, found, plan.level, plan.n_resamples, rng) for test in plan.tests
        ]
        largest = largest_difference(values[..., each])
        tested[0] = _with_rare_differences(tested[0], found, plan.level, largest)
        lines.append(_Line(found, by_judge, tested[0]))
        p_values.append([one.p_value for one in tested])
    systems = judged.human.systems or ()
    names = tuple(f"{systems[one]} - {systems[other]}" for one, other in pairs.tolist())
    remarks = _warn(judged, names, lines, stacklevel=5)
    judge = _estimates(names, judged, lines, confidence, remarks)
    means = _estimates(*_lines_of_means(judged, confidence), confidence)
    regressions = [line.found for line in lines]
    return {
        "means": means.estimate,
        "difference": judge.estimate,
        "interval": judge.interval,
        "standard_error": judge.standard_error,
        "effect_size": _by_column(map(_effect_size, regressions)),
        "n_differing": _by_column((each.labels != 0.0).sum(axis=1) for each in regressions),
        "log_variance_error": _by_column(map(_errors_of_log_variances, regressions)),
        "p_value": {
            test.name: plan.corrected(test, _by_column(each))
            for test, each in zip(plan.tests, zip(*p_values, strict=True), strict=True)
        },
        "judge": judge,
        "judged_means": means,
    }


def _with_rare_differences(
    tested: Tested, found: Regression, level: float, largest: float
) -> Tested:
    """Widen intervals where few labels differ, by what the judge leaves of their error."""
    labels, error = found.labels, found.error_of_labels
    low, high = rare_ends(labels, np.ones(labels.shape[1]), level, largest)
    left = np.ones(len(error))
    np.divide(found.standard_error, error, out=left, where=error > 0.0)
    low, high = (found.mean + left * (end - found.labels_mean) for end in (low, high))
    return tested._replace(low=np.minimum(tested.low, low), high=np.maximum(tested.high, high))


def _by_column(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.stack(list(arrays), axis=1)


def _effect_size(found: Regression) -> FloatArray:
    """Return the estimates in standard deviations of the labels' differences."""
    spread, sizes = found.labels.std(axis=1, ddof=1), np.zeros(len(found.mean))
    with np.errstate(divide="ignore"):  # the same difference in every query
        np.divide(found.mean, spread, out=sizes, where=found.mean != 0.0)
    return sizes


def _errors_of_log_variances(found: Regression) -> FloatArray:
    """Return the errors by the residuals, or where a judge leaves none by the labels."""
    residuals = found.residuals
    varies = residuals.any(axis=1, keepdims=True)
    return errors_of_log_variances(np.where(varies, residuals, found.labels))


def _estimates(
    names: tuple[str, ...],
    judged: Judged,
    lines: list[_Line],
    confidence: float,
    remarks: tuple[str, ...] = (),
) -> JudgedEstimates:
    level, found = level_of(confidence), [line.found for line in lines]
    # What a judge adds to the labels is estimated along the same line.
    bias = [
        regression_of(line.found.auxiliary - line.found.labels, line.by_judge, judged.places)
        for line in lines
    ]
    return JudgedEstimates(
        names=names,
        measures=judged.human.measures,
        human=_by_column(each.labels_mean for each in found),
        judge=_by_column(each.judge_mean for each in found),
        estimate=_by_column(each.mean for each in found),
        interval=_by_column(_ends(line.tested) for line in lines),
        standard_error=_by_column(each.standard_error for each in found),
        bias=_by_column(each.mean for each in bias),
        bias_interval=_by_column(_ends(each.student(level)) for each in bias),
        slope=_by_column(each.slope for each in found),
        n_alone=_by_column(each.n_alone for each in found),
        relative_width=_by_column(each.relative_width(level) for each in found),
        n_human=judged.human.n_queries,
        n_judged=judged.values.shape[1],
        n_judges=judged.n_judges,
        confidence=confidence,
        remarks=remarks,
    )


def _ends(tested: Tested) -> FloatArray:
    return np.column_stack((tested.low, tested.high))


def _warn(
    judged: Judged, names: tuple[str, ...], lines: list[_Line], stacklevel: int
) -> tuple[str, ...]:
    """Warn of a judge that does not help, and of labelled queries unlike the others."""
    by_judge = np.stack([line.by_judge for line in lines], axis=2)
    told = (
        _note_on_help(judged, lines),
        note_on_unlike(names, judged.human.measures, by_judge, judged.places),
    )
    for note, kind in zip(told, (UnhelpfulJudgeWarning, UnlikeQueriesWarning), strict=True):
        if note:
            warnings.warn(note, kind, stacklevel=stacklevel)
    return tuple(note for note in told if note)


def _note_on_help(judged: Judged, lines: list[_Line]) -> str:
    n_human = judged.human.n_queries
    if judged.values.shape[1] == n_human:
        return "The judge labelled no other queries than humans did, and cannot help."
    varying = [line.found.error_of_labels > 0.0 for line in lines]
    widths = {
        name: float(np.median(line.found.relative_width(_LEVEL_OF_HELP)[some]))
        for name, line, some in zip(judged.human.measures, lines, varying, strict=True)
        if some.any()
    }
    useless = {name: width for name, width in widths.items() if width >= 1.0}
    if not useless:
        return ""
    times = " to ".join(dict.fromkeys(f"{end(useless.values()):.2f}" for end in (min, max)))
    return (
        f"The judge does not help by {first_few(list(useless))}: intervals are {times} times as "
        f"wide as those of the {n_human} queries with human labels alone."
    )


def _warn_of_constant(
    judged: Judged, names: tuple[str, ...], lines: list[_Line]
) -> tuple[str, ...]:
    """Warn of means whose intervals have no width, since no human value differs from another."""
    alike = [
        f"{measure} of {name}"
        for measure, line in zip(judged.human.measures, lines, strict=True)
        for name, error in zip(names, line.found.error_of_labels, strict=True)
        if error == 0.0
    ]
    if not alike:
        return ()
    note = (
        f"By human labels all {judged.human.n_queries} queries have the same value by "
        f"{first_few(alike)}, which does not tell how values vary: these intervals have no width, "
        "and mean nothing."
    )
    warnings.warn(note, FewDifferencesWarning, stacklevel=3)
    return (note,)


def _lines_of_means(
    judged: Judged, confidence: float
) -> tuple[tuple[str, ...], Judged, list[_Line]]:
    """Return the names of the systems and their regressions, with Student's intervals."""
    human, lines = judged.human_values, []
    for each in range(human.shape[2]):
        found = regression_of(human[..., each], judged.values[..., each], judged.places)
        tested = found.student(level_of(confidence))
        lines.append(_Line(found, judged.values[..., each], tested))
    return judged.human.systems or ("mean",), judged, lines


def estimate_means(human: Any, judge: Any, *, confidence: float = 0.95) -> JudgedEstimates:
    r"""Estimate the means of systems from human labels of few queries and a judge's of many.

    Parameters
    ----------
    human : Scores, or mapping of str to Scores
        Values by human labels, of one system or of several by name.
    judge : Scores, mapping of str to Scores, or list of either
        Values of the same systems by the same measures, by the labels of a judge, such as a
        language model, for all these queries and more. Of a list, the judges' mean is taken.
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
        If intervals are no narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If the judge's values of the queries with human labels differ from those of the others.
    FewDifferencesWarning
        If the human values of a system by a measure are all the same.

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
    squares of x over the n queries, and s_x^2 the variance of x over the N queries [1]_. Whatever
    the judge's bias, the estimate is that of human labels, if the n queries are drawn at random;
    for a mean it is prediction-powered inference with a tuned slope [2]_. Intervals are Student's.

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
    judged = judged_scores(judge, scores)
    judged.refuse_weights()
    names, judged, lines = _lines_of_means(judged, confidence)
    remarks = _warn(judged, names, lines, stacklevel=3) + _warn_of_constant(judged, names, lines)
    return _estimates(names, judged, lines, confidence, remarks)
