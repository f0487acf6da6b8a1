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

from skgraded import _core
from skgraded._stats.clustered import (
    means_without_rounding,
    sizes_of,
    sums_by_cluster,
    unit_errors,
    unit_residuals,
)
from skgraded._stats.rare import most_differing

__all__ = [
    "Tested",
    "bootstrap_t",
    "bootstrap_test",
    "by_the_largest",
    "counts_of_units",
    "max_t",
    "some_pairs",
    "tail_rank",
    "with_finite_ends",
]

FloatArray = NDArray[np.float64]

# Statistics of pairs that are in memory at the same time: 64 MB.
_CELLS_AT_A_TIME = 8_000_000
# The same where the resamples are kept: 4 MB, so that memory is used again.
_CELLS_KEPT = 500_000
# Units of all resamples that are kept for the next pairs: 64 MB, since two of three are different.
_DRAWS_KEPT = 25_000_000
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
    resamples = _Resamples(observed.residuals, sizes, n_resamples, rng)
    rank = tail_rank(level / 2.0, n_resamples)
    reach = float(students_t.isf(level / 2.0, freedom))
    in_tail, below, above = resamples.tails(observed.ratio, reach, rank)
    by_resamples = 2.0 * (in_tail + 1) / (n_resamples + 1)
    p_value = np.minimum(np.maximum(p_value, by_resamples), 1.0)
    least, most = -np.maximum(reach, below), np.maximum(reach, above)
    return with_finite_ends(observed.inverted(p_value, least, most), sums, sizes, level)


def with_finite_ends(tested: Tested, sums: FloatArray, sizes: FloatArray, level: float) -> Tested:
    """Give ends to intervals without one: so few units differ that many resamples hold none.

    At most so many units differ as Clopper and Pearson's bound says, and none by more than the
    largest difference seen.
    """
    n_units, n_differing = len(sizes), (sums != 0.0).sum(axis=1)
    rate = most_differing(n_differing, n_units, level)
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
    resamples = _Resamples(observed.residuals, sizes, n_resamples, rng)
    largest = resamples.largest(observed.error)
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
    beyond = resamples.beyond(np.abs(observed.ratio) * (1.0 - _ROUNDING))
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
    """Resamples of units, the same for all pairs; what is read off the ratios of all of them.

    A ratio is the mean of a resample in its standard error. It is endless where the resample does
    not vary, unless its mean is 0.
    """

    def __init__(
        self, residuals: FloatArray, sizes: FloatArray, n_resamples: int, rng: np.random.Generator
    ) -> None:
        self._rng, self._n_resamples = np.random.default_rng(rng.integers(2**63)), n_resamples
        self._residuals, self._sizes = residuals, sizes
        if len(sizes) > _MOST_UNITS:
            groups = self._rng.permutation(len(sizes)) % _MOST_UNITS
            self._residuals, _ = sums_by_cluster(residuals, groups)
            self._sizes = sums_by_cluster(sizes, groups)[0]
        self._residuals = np.ascontiguousarray(self._residuals)

    def beyond(self, ratios: FloatArray) -> NDArray[np.int64]:
        """Return how many resamples of each pair have a ratio as far from 0 as that of the pair."""
        return _core.count_beyond(self._drawn(), self._residuals, ratios)

    def largest(self, errors: FloatArray) -> FloatArray:
        """Return the largest ratio of any pair, on either side, of each resample.

        Where a resample does not vary, the error of the data takes the place of its own.
        """
        return _core.largest_ratios(self._drawn(), self._residuals, errors)

    def tails(
        self, ratios: FloatArray, reach: float, rank: int
    ) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Return what lies in the tails of each pair.

        How many resamples are in the smaller of the tails that begin at the ratio of the pair, and
        the sizes of the rank-th smallest and largest ratio, which are 0 if less than the reach.
        """
        if not rank:
            endless = np.full(len(ratios), math.inf)
            in_tail, _, _ = _core.ratio_tails(self._drawn(), self._residuals, ratios, reach, rank)
            return in_tail, endless, endless
        is_kept = len(self._sizes) * self._n_resamples <= _DRAWS_KEPT
        kept = list(self._drawn()) if is_kept else None
        cells = _CELLS_KEPT if is_kept else _CELLS_AT_A_TIME
        parts = [
            _core.ratio_tails(
                kept or self._drawn(), self._residuals[pairs], ratios[pairs], reach, rank
            )
            for pairs in some_pairs(len(ratios), 4 * rank, cells)
        ]
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        in_tail, below, above = map(np.concatenate, zip(*parts, strict=True))
        return in_tail, below, above

    def _drawn(self) -> Iterator[_core.Resamples]:
        generator = copy.deepcopy(self._rng)
        for units in _drawn_units(len(self._sizes), self._n_resamples, generator):
            yield _core.Resamples(units, self._sizes)


def counts_of_units(
    n_units: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Draw how often each unit is in each resample, some rows (n_resamples, n_units) at a time."""
    for units in _drawn_units(n_units, n_resamples, rng):
        size = len(units)
        cells = units + (np.arange(size, dtype=np.int32) * n_units)[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * n_units)
        yield counts.reshape(size, n_units).astype(np.float64)


def _drawn_units(
    n_units: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int32]]:
    at_a_time = max(1, _COUNTS_AT_A_TIME // n_units)
    for first in range(0, n_resamples, at_a_time):
        size = min(at_a_time, n_resamples - first)
        yield rng.integers(n_units, size=(size, n_units), dtype=np.int32)
