"""Tests and intervals of mean differences by the studentised bootstrap: by pair, and of all pairs.

Units (queries, or clusters of them) are drawn with replacement. The mean of a resample less that of
the data, in standard errors of the resample, takes the place of Student's t. Few, skewed or rare
differences make its distribution lopsided, which Student's t does not see.

Sums of differences are arrays of shape (n_pairs, n_units), sizes of shape (n_units,).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.clustered import (
    means_without_rounding,
    sizes_of,
    sums_by_cluster,
    unit_errors,
    unit_residuals,
)

__all__ = [
    "Tested",
    "bootstrap_t",
    "bootstrap_test",
    "by_the_largest",
    "counts_of_units",
    "equal_tailed",
    "max_t",
    "some_pairs",
    "tail_rank",
    "tails_of",
    "with_finite_ends",
]

FloatArray = NDArray[np.float64]

# Statistics of pairs that are in memory at the same time: 64 MB.
_CELLS_AT_A_TIME = 8_000_000
# Counts of units in resamples at a time: 4 MB.
_COUNTS_AT_A_TIME = 500_000
# More units are drawn in this many groups, formed at random. The distribution of the mean of a
# thousand groups is that of the mean of their units but for terms far below the resamples' noise.
_MOST_UNITS = 1000
_ROUNDING = 1e-12


class Tested(NamedTuple):
    """Two-sided p-values and the ends of the intervals that invert the test, each (n_pairs,)."""

    p_value: FloatArray
    low: FloatArray
    high: FloatArray


def bootstrap_t(
    sums: FloatArray,
    sizes: FloatArray,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> Tested:
    """Test mean differences by the equal-tailed bootstrap-t, no narrower than Student's t.

    Of the two p-values the larger is taken, and of the two intervals each outer end. Bootstrap-t
    alone is too narrow for symmetric differences of which few are large, and Student's t alone for
    skewed ones. Where only one to three units differ, a binomial bound takes the place of an end
    that resamples cannot give.
    """
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    observed = _observed(sums, sizes)
    freedom = max(len(sizes) - 1, 1)
    p_value = np.multiply(2.0, students_t.sf(np.abs(observed.ratio), freedom))
    least = np.full(len(sums), float(students_t.ppf(level / 2.0, freedom)))
    most = -least
    seed, rank = int(rng.integers(2**63)), tail_rank(level / 2.0, n_resamples)
    for pairs in some_pairs(len(sums), n_resamples):
        some, ratio = observed.residuals[pairs], observed.ratio[pairs]
        drawn = np.concatenate(list(_drawn(some, sizes, n_resamples, seed)))
        by_resamples = equal_tailed(drawn, ratio)
        p_value[pairs] = np.minimum(np.maximum(p_value[pairs], by_resamples), 1.0)
        tails = tails_of(drawn, rank)
        least[pairs] = np.minimum(least[pairs], tails[0])
        most[pairs] = np.maximum(most[pairs], tails[1])
    return with_finite_ends(observed.inverted(p_value, least, most), sums, sizes, level)


def with_finite_ends(tested: Tested, sums: FloatArray, sizes: FloatArray, level: float) -> Tested:
    """Give ends to intervals without one: so few units differ that many resamples hold none.

    At most so many units differ as Clopper and Pearson's bound says, and none by more than the
    largest difference seen.
    """
    from scipy.stats import beta

    n_units, n_differing = len(sizes), (sums != 0.0).sum(axis=1)
    n_alike = np.maximum(n_units - n_differing, 1)  # 0 has no such bound, and needs none
    rate = np.where(n_differing < n_units, beta.isf(level / 2.0, n_differing + 1, n_alike), 1.0)
    bound = rate * np.abs(sums).max(axis=1) * n_units / sizes.sum()
    low = np.where(np.isneginf(tested.low), -bound, tested.low)
    high = np.where(np.isposinf(tested.high), bound, tested.high)
    return Tested(tested.p_value, low, high)


def max_t(
    sums: FloatArray,
    sizes: FloatArray,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> Tested:
    """Test all pairs at once by the largest absolute bootstrap-t of any pair.

    Each pair has a standard error of its own, so that systems may vary unequally. A resample in
    which a pair does not vary is measured by the standard error of the data.
    """
    observed = _observed(sums, sizes)
    largest = np.zeros(n_resamples)
    seed = int(rng.integers(2**63))
    for pairs in some_pairs(len(sums), n_resamples):
        some, errors = observed.residuals[pairs], observed.error[pairs]
        drawn = np.concatenate(list(_drawn(some, sizes, n_resamples, seed, errors)))
        np.maximum(largest, np.abs(drawn).max(axis=1), out=largest)
    p_value, critical = by_the_largest(largest, observed.ratio, level)
    reach = np.full(len(sums), critical)
    return observed.inverted(p_value, -reach, reach)


def bootstrap_test(
    sums: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    sizes: FloatArray | None = None,
) -> FloatArray:
    """Paired bootstrap test of the studentised mean difference (Sakai 2006, Efron 1993)."""
    given = sizes_of(sums, sizes)
    observed = _observed(sums, given)
    beyond, seed = np.zeros(len(sums), dtype=np.int64), int(rng.integers(2**63))
    for pairs in some_pairs(len(sums), n_resamples):
        reached = np.abs(observed.ratio[pairs]) * (1.0 - _ROUNDING)
        for drawn in _drawn(observed.residuals[pairs], given, n_resamples, seed):
            beyond[pairs] += (np.abs(drawn) >= reached).sum(axis=0)
    p_values: FloatArray = (beyond + 1) / (n_resamples + 1)
    return p_values


class _Observed(NamedTuple):
    """Means of pairs, their standard errors and ratios to these, and the residuals of units."""

    mean: FloatArray
    error: FloatArray
    ratio: FloatArray
    residuals: FloatArray

    def inverted(self, p_value: FloatArray, least: FloatArray, most: FloatArray) -> Tested:
        """Return p-values and the differences whose t lies between least and most."""
        varies = self.error > 0.0
        differs = varies | (self.mean != 0.0)
        with np.errstate(invalid="ignore"):  # 0 times an endless statistic
            low = np.where(varies, self.mean - most * self.error, self.mean)
            high = np.where(varies, self.mean - least * self.error, self.mean)
        return Tested(np.where(differs, p_value, 1.0), low, high)


def _observed(sums: FloatArray, sizes: FloatArray) -> _Observed:
    mean = means_without_rounding(sums, sizes)
    residuals = unit_residuals(sums, sizes, mean)
    error = unit_errors(residuals, sizes)
    with np.errstate(divide="ignore", invalid="ignore"):  # the same difference in every query
        ratio = np.where(mean == 0.0, 0.0, mean / error)
    return _Observed(mean, error, ratio, residuals)


def tail_rank(level: float, n_resamples: int) -> int:
    """Return how many of the outermost resamples are significant at a level of one tail."""
    return max(0, math.ceil(level * (n_resamples + 1) * (1.0 - _ROUNDING)) - 1)


def tails_of(drawn: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """Return the rank-th smallest and largest statistic of each pair."""
    if not rank:
        endless = np.full(drawn.shape[1], math.inf)
        return -endless, endless
    ordered = np.partition(drawn, [rank - 1, len(drawn) - rank], axis=0)
    return ordered[rank - 1], ordered[len(drawn) - rank]


def equal_tailed(drawn: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return two-sided p-values of ratios by resamples of them, shape (n_resamples, n_pairs)."""
    below = (drawn <= ratio * (1.0 + _ROUNDING * np.sign(ratio))).sum(axis=0)
    above = (drawn >= ratio * (1.0 - _ROUNDING * np.sign(ratio))).sum(axis=0)
    p_values: FloatArray = 2.0 * (np.minimum(below, above) + 1) / (len(drawn) + 1)
    return p_values


def by_the_largest(
    largest: FloatArray, ratio: FloatArray, level: float
) -> tuple[FloatArray, float]:
    """Return p-values and the critical value by the largest absolute ratio of each resample."""
    ordered, n_resamples = np.sort(largest), len(largest)
    reached = np.abs(ratio) * (1.0 - _ROUNDING)
    beyond = n_resamples - np.searchsorted(ordered, reached, side="left")
    rank = tail_rank(level, n_resamples)
    critical = float(ordered[n_resamples - rank]) if rank else math.inf
    return (beyond + 1) / (n_resamples + 1), critical


def some_pairs(n_pairs: int, n_resamples: int) -> Iterator[slice]:
    at_a_time = max(1, _CELLS_AT_A_TIME // n_resamples)
    for first in range(0, n_pairs, at_a_time):
        yield slice(first, first + at_a_time)


def _drawn(
    residuals: FloatArray,
    sizes: FloatArray,
    n_resamples: int,
    seed: int,
    errors: FloatArray | None = None,
) -> Iterator[FloatArray]:
    """Draw studentised means of resamples, some rows (n_resamples, n_pairs) at a time.

    The seed decides the resamples, so that they are the same for all pairs. Without errors, a
    resample that does not vary has an endless statistic.
    """
    rng = np.random.default_rng(seed)
    if len(sizes) > _MOST_UNITS:
        groups = rng.permutation(len(sizes)) % _MOST_UNITS
        residuals, _ = sums_by_cluster(residuals, groups)
        sizes = sums_by_cluster(sizes, groups)[0]
    n_units, n_pairs = len(sizes), len(residuals)
    alike = bool((sizes == sizes[0]).all())
    columns = [residuals, residuals**2] if alike else [residuals, residuals**2, residuals * sizes]
    moments = np.concatenate(columns).T
    with_unit_freedom = n_units / max(n_units - 1, 1)
    for counts in counts_of_units(n_units, n_resamples, rng):
        n_queries = (counts @ sizes)[:, None]
        found = counts @ moments
        drawn, squares = found[:, :n_pairs] / n_queries, found[:, n_pairs : 2 * n_pairs]
        if alike:
            variances = squares - drawn**2 * (n_queries * sizes[0])
        else:
            spread = (counts @ sizes**2)[:, None]
            variances = squares - 2.0 * drawn * found[:, 2 * n_pairs :] + drawn**2 * spread
        variances[variances <= _ROUNDING * squares] = 0.0
        ends = np.sqrt(variances * with_unit_freedom) / n_queries
        if errors is not None:
            ends = np.where(ends > 0.0, ends, errors)
        with np.errstate(divide="ignore", invalid="ignore"):
            yield np.where(drawn == 0.0, 0.0, drawn / ends)


def counts_of_units(
    n_units: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Draw how often each unit is in each resample, some rows (n_resamples, n_units) at a time."""
    at_a_time = max(1, _COUNTS_AT_A_TIME // n_units)
    for first in range(0, n_resamples, at_a_time):
        size = min(at_a_time, n_resamples - first)
        cells = rng.integers(n_units, size=(size, n_units), dtype=np.int32)
        cells += (np.arange(size, dtype=np.int32) * n_units)[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * n_units)
        yield counts.reshape(size, n_units).astype(np.float64)
