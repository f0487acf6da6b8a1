"""Tests and intervals of mean differences by the studentised bootstrap: by pair, and of all pairs.

Units (queries, or clusters of them) are drawn with replacement. The mean of a resample less that of
the data, in standard errors of the resample, takes the place of Student's t. Few, skewed or rare
differences make its distribution lopsided, which Student's t does not see.

Sums of differences are arrays of shape (n_pairs, n_units), sizes of shape (n_units,).
"""

from __future__ import annotations

import copy
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
# The same where the resamples are kept: 1 MB, which stay in the cache until they are read.
_CELLS_IN_CACHE = 125_000
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
    resamples = _Resamples(observed.residuals, sizes, n_resamples, rng)
    rank = tail_rank(level / 2.0, n_resamples)
    for pairs in resamples.some_pairs():
        drawn = resamples.ratios(pairs)
        by_resamples = equal_tailed(drawn, observed.ratio[pairs])
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
    resamples = _Resamples(observed.residuals, sizes, n_resamples, rng)
    for pairs in resamples.some_pairs():
        drawn = resamples.ratios(pairs, observed.error[pairs])
        np.maximum(largest, np.abs(drawn, out=drawn).max(axis=0), out=largest)
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
    resamples = _Resamples(observed.residuals, given, n_resamples, rng)
    beyond = np.zeros(len(sums), dtype=np.int64)
    for pairs in resamples.some_pairs():
        drawn, reached = resamples.ratios(pairs), np.abs(observed.ratio[pairs]) * (1.0 - _ROUNDING)
        beyond[pairs] = (np.abs(drawn, out=drawn) >= reached[:, None]).sum(axis=1)
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
    n_pairs, n_resamples = drawn.shape
    if not rank:
        endless = np.full(n_pairs, math.inf)
        return -endless, endless
    # NumPy finds one rank at a time several times faster than both at once.
    least = np.partition(drawn, rank - 1, axis=1)[:, rank - 1]
    return least, np.partition(drawn, n_resamples - rank, axis=1)[:, n_resamples - rank]


def equal_tailed(drawn: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return two-sided p-values of ratios by resamples of them, shape (n_pairs, n_resamples)."""
    rounding = _ROUNDING * np.sign(ratio)
    below = (drawn <= (ratio * (1.0 + rounding))[:, None]).sum(axis=1)
    above = (drawn >= (ratio * (1.0 - rounding))[:, None]).sum(axis=1)
    p_values: FloatArray = 2.0 * (np.minimum(below, above) + 1) / (drawn.shape[1] + 1)
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


def some_pairs(n_pairs: int, n_resamples: int, n_cells: int = _CELLS_AT_A_TIME) -> Iterator[slice]:
    at_a_time = max(1, n_cells // n_resamples)
    for first in range(0, n_pairs, at_a_time):
        yield slice(first, first + at_a_time)


class _Resamples:
    """Resamples of units, the same for all pairs."""

    def __init__(
        self, residuals: FloatArray, sizes: FloatArray, n_resamples: int, rng: np.random.Generator
    ) -> None:
        self._rng, self._n_resamples = np.random.default_rng(rng.integers(2**63)), n_resamples
        self._residuals, self._sizes = residuals, sizes
        if len(sizes) > _MOST_UNITS:
            groups = self._rng.permutation(len(sizes)) % _MOST_UNITS
            self._residuals, _ = sums_by_cluster(residuals, groups)
            self._sizes = sums_by_cluster(sizes, groups)[0]
        self._is_kept = len(self._sizes) * n_resamples <= _CELLS_AT_A_TIME
        self._kept = list(self._drawn()) if self._is_kept else []

    def _drawn(self) -> Iterator[FloatArray]:
        return counts_of_units(len(self._sizes), self._n_resamples, copy.deepcopy(self._rng))

    def some_pairs(self) -> Iterator[slice]:
        cells = _CELLS_IN_CACHE if self._is_kept else _CELLS_AT_A_TIME
        return some_pairs(len(self._residuals), self._n_resamples, cells)

    def ratios(self, pairs: slice, errors: FloatArray | None = None) -> FloatArray:
        """Return studentised means of all resamples, shape (n_pairs, n_resamples).

        Without errors, a resample that does not vary has an endless ratio.
        """
        residuals = self._residuals[pairs]
        ratios, first = np.empty((len(residuals), self._n_resamples)), 0
        for counts in self._kept or self._drawn():
            last = first + len(counts)
            for some in some_pairs(len(residuals), len(counts), _CELLS_IN_CACHE):
                given = None if errors is None else errors[some]
                ratios[some, first:last] = _ratios(residuals[some], self._sizes, counts, given)
            first = last
        return ratios


def _ratios(
    residuals: FloatArray, sizes: FloatArray, counts: FloatArray, errors: FloatArray | None
) -> FloatArray:
    """Return sums of resamples in their standard errors, shape (n_pairs, n_resamples)."""
    n_units, n_queries = len(sizes), counts @ sizes
    totals, squares = residuals @ counts.T, residuals**2 @ counts.T
    variances = totals * totals
    if (sizes == sizes[0]).all():
        variances *= -1.0 / n_units
    else:
        variances *= (counts @ sizes**2) / n_queries**2
        variances -= totals * ((residuals * (2.0 * sizes)) @ counts.T) / n_queries
    variances += squares
    varies = variances > np.multiply(squares, _ROUNDING, out=squares)
    variances *= n_units / max(n_units - 1, 1)
    if varies.all():
        return np.divide(totals, np.sqrt(variances, out=variances), out=totals)
    ends = np.sqrt(variances, out=np.zeros_like(variances), where=varies)
    if errors is not None:
        ends = np.where(varies, ends, errors[:, None] * n_queries)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals == 0.0, 0.0, totals / ends)


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
