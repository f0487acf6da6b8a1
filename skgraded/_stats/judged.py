"""Means over all topics from labels of a few of them: the regression estimator of double sampling.

Every topic has an auxiliary value, by a judge; the n labelled ones, drawn from the N topics, have a
value by the labels, too. The mean of the labels is moved along the regression line of labels on
auxiliary values, from their mean over the labelled topics to that over all of them. The judge may
be wrong in any way: what it misses stays in the residuals, and makes the interval wider.

Values are arrays of shape (n_rows, n_topics); a row is a pair of systems, or a system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.bootstrap_t import (
    Tested,
    by_the_largest,
    counts_of_units,
    some_pairs,
    tail_rank,
    with_finite_ends,
)
from skgraded._stats.corrections import holm

__all__ = [
    "WITH_JUDGE",
    "Regression",
    "judged_test",
    "note_on_unlike",
    "regression_of",
    "unlike_topics",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# The tests that take a judge; all are of the mean.
WITH_JUDGE = ("bootstrap_t", "max_t", "t")
# Differences by rounding alone, as a share of the largest value.
_ROUNDING = 1e-12
# Values of pairs and topics that are in memory at the same time: 32 MB.
_CELLS_AT_A_TIME = 4_000_000
_LEVEL_OF_UNLIKE = 0.01
# Arrays of resamples by rows that a regression takes beside its result.
_ARRAYS = 8


class Regression(NamedTuple):
    """Estimates of means over all topics, and what they are made of.

    Attributes
    ----------
    mean : ndarray of shape (n_rows,)
        The estimates: mean of the labels + slope * (mean of all auxiliary values - mean of those of
        the labelled topics).
    standard_error : ndarray of shape (n_rows,)
        Their standard errors.
    freedom : ndarray of shape (n_rows,)
        Degrees of freedom of the variance of the residuals: n - 2, or n - 1 without a slope.
    slope : ndarray of shape (n_rows,)
        Slope of the labels on the auxiliary values; 0 where these do not vary.
    labels, auxiliary : ndarray of shape (n_rows, n)
        Both values of the labelled topics.
    labels_mean, judge_mean : ndarray of shape (n_rows,)
        Mean of the labels, and of all auxiliary values.
    error_of_judge : ndarray of shape (n_rows,)
        Standard error of the mean of all auxiliary values.
    error_of_labels : ndarray of shape (n_rows,)
        Standard error of the mean of the labels.
    variance_of_labels : ndarray of shape (n_rows,)
        Variance of the labels of all topics by the line: that of the residuals, and that of all
        auxiliary values times the squared slope.
    """

    mean: FloatArray
    standard_error: FloatArray
    freedom: FloatArray
    slope: FloatArray
    labels: FloatArray
    auxiliary: FloatArray
    labels_mean: FloatArray
    judge_mean: FloatArray
    error_of_judge: FloatArray
    error_of_labels: FloatArray
    variance_of_labels: FloatArray

    @property
    def residuals(self) -> FloatArray:
        """What the regression leaves of the labels, shape (n_rows, n)."""
        line = self.slope[:, None] * _centred(self.auxiliary)
        return _without_rounding(_centred(self.labels) - line, self.labels)

    @property
    def ratio(self) -> FloatArray:
        """The estimates in standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.mean == 0.0, 0.0, self.mean / self.standard_error)

    @property
    def n_alone(self) -> FloatArray:
        """Number of labelled topics that alone would have the same standard errors.

        By the line, labels vary as the residuals and the auxiliary values of all topics say; a
        judge like the labels is so worth N topics, however much the n labelled ones vary.
        """
        variance = self.standard_error**2
        alone: FloatArray = np.full(len(variance), float(self.labels.shape[1]))
        np.divide(self.variance_of_labels, variance, out=alone, where=variance > 0.0)
        return alone

    def relative_width(self, level: float) -> FloatArray:
        """Return the widths of t intervals over those of the labels alone; 1 where none varies."""
        from scipy.stats import t as students_t

        alone = students_t.isf(level / 2.0, self.labels.shape[1] - 1) * self.error_of_labels
        reach = students_t.isf(level / 2.0, self.freedom) * self.standard_error
        widths: FloatArray = np.ones(len(reach))
        np.divide(reach, alone, out=widths, where=alone > 0.0)
        return widths

    def student(self, level: float) -> Tested:
        """Return p-values and intervals by Student's t."""
        from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

        reach = students_t.isf(level / 2.0, self.freedom) * self.standard_error
        p_value = np.multiply(2.0, students_t.sf(np.abs(self.ratio), self.freedom))
        return Tested(p_value, self.mean - reach, self.mean + reach)

    @classmethod
    def concatenated(cls, parts: list[Self]) -> Self:
        """Put the rows of several parts below each other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


def regression_of(labels: FloatArray, judged: FloatArray, places: IntArray) -> Regression:
    r"""Estimate the means over all topics.

    With labels y, auxiliary values x, n labelled topics and N in all,

        mean = y_n + b (x_N - x_n),
        variance = s^2 (1/n + (x_N - x_n)^2 / S_xx) + b^2 s_x^2 / N,

    where y_n, x_n and x_N are means over n and N topics, b is the slope of least squares, s^2 the
    variance of the residuals with n - 2 degrees of freedom, S_xx the sum of squares of x around
    x_n, and s_x^2 the variance of x over the N topics (Cochran 1977, Section 12.6).

    Parameters
    ----------
    labels : ndarray of shape (n_rows, n)
        Values by the labels, n >= 3.
    judged : ndarray of shape (n_rows, N)
        Auxiliary values of all topics.
    places : ndarray of shape (n,), int64
        The place of each labelled topic among all of them.

    Returns
    -------
    Regression
        The estimates.
    """
    at_a_time = max(1, _CELLS_AT_A_TIME // judged.shape[1])
    parts = [
        _regression_of(labels[first : first + at_a_time], judged[first : first + at_a_time], places)
        for first in range(0, len(labels), at_a_time)
    ]
    return Regression.concatenated(parts)


def _regression_of(labels: FloatArray, judged: FloatArray, places: IntArray) -> Regression:
    n, n_all = labels.shape[1], judged.shape[1]
    auxiliary = judged[:, places]
    y, x = _centred(labels), _centred(auxiliary)
    s_xx = (x**2).sum(axis=1)
    varies = s_xx > 0.0
    slope = np.divide((x * y).sum(axis=1), s_xx, out=np.zeros(len(x)), where=varies)
    residuals = _without_rounding(y - slope[:, None] * x, labels)
    freedom = np.where(varies, n - 2.0, n - 1.0)
    labels_mean, judge_mean = labels.mean(axis=1), judged.mean(axis=1)
    away = judge_mean - auxiliary.mean(axis=1)
    leverage = np.divide(away**2, s_xx, out=np.zeros(len(x)), where=varies)
    error_of_judge = judged.std(axis=1, ddof=1) / np.sqrt(n_all)
    unexplained = (residuals**2).sum(axis=1) / freedom
    of_judge = (slope * error_of_judge) ** 2
    return Regression(
        mean=labels_mean + slope * away,
        standard_error=np.sqrt(unexplained * (1.0 / n + leverage) + of_judge),
        freedom=freedom,
        slope=slope,
        labels=labels,
        auxiliary=auxiliary,
        labels_mean=labels_mean,
        judge_mean=judge_mean,
        error_of_judge=error_of_judge,
        error_of_labels=np.sqrt((y**2).sum(axis=1) / (n - 1.0) / n),
        variance_of_labels=unexplained + n_all * of_judge,
    )


def _centred(values: FloatArray) -> FloatArray:
    return _without_rounding(values - values.mean(axis=1, keepdims=True), values)


def _without_rounding(small: FloatArray, values: FloatArray) -> FloatArray:
    """Set numbers to 0 that only rounding of the values leaves."""
    bound = _ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    return np.where(np.abs(small) <= bound, 0.0, small)


def judged_test(
    test: str, found: Regression, level: float, n_resamples: int, rng: np.random.Generator
) -> Tested:
    """Test estimated mean differences by one of the tests that take a judge.

    Bootstrap-t and max-t draw labelled topics with both of their values, and compare the estimate
    in standard errors with those of resamples; the mean of all auxiliary values stays as it is.
    Neither is narrower than Student's t.
    """
    student = found.student(level)
    if test == "t":
        return student
    differs = (found.labels != 0.0).any(axis=1) | (found.mean != 0.0)
    by_resamples = (_max_t if test == "max_t" else _bootstrap_t)(found, level, n_resamples, rng)
    p_value = np.maximum(student.p_value, by_resamples.p_value)
    return Tested(
        np.where(differs, np.minimum(p_value, 1.0), 1.0),
        np.minimum(student.low, by_resamples.low),
        np.maximum(student.high, by_resamples.high),
    )


def _bootstrap_t(
    found: Regression, level: float, n_resamples: int, rng: np.random.Generator
) -> Tested:
    """Return equal-tailed p-values and intervals by the bootstrap-t of each row."""
    seed, rank = int(rng.integers(2**63)), tail_rank(level / 2.0, n_resamples)
    p_value, low, high = (np.zeros(len(found.mean)) for _ in range(3))
    for rows in some_pairs(len(found.mean), _ARRAYS * n_resamples):
        some = Regression(*(each[rows] for each in found))
        drawn = np.concatenate(_drawn(some, n_resamples, seed)).T
        p_value[rows] = _equal_tailed(drawn, some.ratio)
        least, most = _tails_of(drawn, rank)
        with np.errstate(invalid="ignore"):  # 0 times an endless statistic
            low[rows] = some.mean - most * some.standard_error
            high[rows] = some.mean - least * some.standard_error
    low, high = (np.where(np.isnan(each), found.mean, each) for each in (low, high))
    sizes = np.ones(found.labels.shape[1])
    return with_finite_ends(Tested(p_value, low, high), found.labels, sizes, level)


def _tails_of(drawn: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """Return the rank-th smallest and largest statistic of each pair."""
    n_pairs, n_resamples = drawn.shape
    if not rank:
        endless = np.full(n_pairs, math.inf)
        return -endless, endless
    # NumPy finds one rank at a time several times faster than both at once.
    least = np.partition(drawn, rank - 1, axis=1)[:, rank - 1]
    return least, np.partition(drawn, n_resamples - rank, axis=1)[:, n_resamples - rank]


def _equal_tailed(drawn: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return two-sided p-values of ratios by resamples of them, shape (n_pairs, n_resamples)."""
    rounding = _ROUNDING * np.sign(ratio)
    below = (drawn <= (ratio * (1.0 + rounding))[:, None]).sum(axis=1)
    above = (drawn >= (ratio * (1.0 - rounding))[:, None]).sum(axis=1)
    p_values: FloatArray = 2.0 * (np.minimum(below, above) + 1) / (drawn.shape[1] + 1)
    return p_values


def _max_t(found: Regression, level: float, n_resamples: int, rng: np.random.Generator) -> Tested:
    """Return p-values and intervals of all rows at once, by the largest statistic of any row."""
    largest = np.zeros(n_resamples)
    seed = int(rng.integers(2**63))
    errors = found.standard_error
    for rows in some_pairs(len(found.mean), _ARRAYS * n_resamples):
        some = Regression(*(each[rows] for each in found))
        drawn = np.concatenate(_drawn(some, n_resamples, seed, errors[rows]))
        np.maximum(largest, np.abs(drawn).max(axis=1), out=largest)
    p_value, critical = by_the_largest(largest, found.ratio, level)
    reach = np.where(errors > 0.0, critical * errors, 0.0)
    return Tested(p_value, found.mean - reach, found.mean + reach)


def _drawn(
    found: Regression, n_resamples: int, seed: int, errors: FloatArray | None = None
) -> list[FloatArray]:
    """Draw estimates less the estimate, in standard errors of their resample's regression.

    Without errors, a resample without any residual has an endless statistic; with them it is
    measured by these.
    """
    y, x = _centred(found.labels), _centred(found.auxiliary)
    n, n_rows = y.shape[1], len(y)
    x_all = found.judge_mean - found.auxiliary.mean(axis=1)
    estimate = found.slope * x_all
    moments = np.concatenate([y, x, y**2, x**2, x * y]).T / n
    parts = []
    for counts in counts_of_units(n, n_resamples, np.random.default_rng(seed)):
        mean_y, mean_x, yy, xx, xy = np.split(counts @ moments, 5, axis=1)
        s_xx, s_yy, s_xy = xx - mean_x**2, yy - mean_y**2, xy - mean_x * mean_y
        varies = s_xx > _ROUNDING * xx
        slope = np.divide(s_xy, s_xx, out=np.zeros((len(counts), n_rows)), where=varies)
        squares = s_yy - slope * s_xy
        squares[squares <= _ROUNDING * yy] = 0.0
        away = x_all - mean_x
        leverage = np.divide(away**2, s_xx, out=np.zeros_like(slope), where=varies)
        freedom = np.where(varies, n - 2.0, n - 1.0)
        error = np.sqrt(squares / freedom * (1.0 + leverage))
        if errors is not None:
            error = np.where(error > 0.0, error, errors)
        off = mean_y + slope * away - estimate
        off[np.abs(off) <= _ROUNDING * np.sqrt(yy)] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(np.where(off == 0.0, 0.0, off / error))
    return parts


def unlike_topics(judged: FloatArray, places: IntArray) -> FloatArray:
    """Return p-values that labelled topics are drawn from all, by the judge's values of each row.

    Welch's t test of the values of labelled topics and of the others; 1 where there are fewer than
    two others, or all values are the same.
    """
    from scipy.stats import ttest_ind_from_stats

    is_labelled = np.zeros(judged.shape[1], dtype=bool)
    is_labelled[places] = True
    labelled, others = judged[:, is_labelled], judged[:, ~is_labelled]
    p_values = np.ones(len(judged))
    varies = (_centred(judged) != 0.0).any(axis=1)
    if others.shape[1] > 1 and varies.any():
        one, other = (
            (each[varies].mean(axis=1), each[varies].std(axis=1, ddof=1), each.shape[1])
            for each in (labelled, others)
        )
        # It does not warn where one side does not vary, as `ttest_ind` does.
        with np.errstate(divide="ignore", invalid="ignore"):
            found = ttest_ind_from_stats(*one, *other, False)
        p_values[varies] = np.nan_to_num(found.pvalue, nan=1.0)
    return p_values


def note_on_unlike(
    names: Sequence[str], measures: Sequence[str], by_judge: FloatArray, places: IntArray
) -> str:
    """Say if the judge's values of labelled topics differ from those of the others.

    The values have shape (n_rows, n_topics, n_measures); rows and measures have names.
    """
    columns = np.moveaxis(by_judge, 2, 0)
    p_values = np.array([unlike_topics(each, places) for each in columns])
    corrected = holm(p_values.ravel()).reshape(p_values.shape)
    if corrected.min() >= _LEVEL_OF_UNLIKE:
        return ""
    column, row = (int(each) for each in np.unravel_index(corrected.argmin(), corrected.shape))
    values = columns[column, row]
    others = np.delete(values, places)
    return (
        "The queries with human labels look unlike the others: by the judge, "
        f"{measures[column]} of {names[row]} has a mean of {values[places].mean():.4f} on them "
        f"and of {others.mean():.4f} on the others (p = {corrected.min():.1g} after Holm's "
        "correction). Estimates hold for queries that were drawn at random."
    )
