"""Tests that draw: the bootstrap over topics, and shuffles of systems within every topic.

Differences, or their sums over clusters of queries, are of shape (n_pairs, n_units), values of
shape (n_systems, n_units), and sizes of clusters of shape (n_units,). A unit is a topic or a
cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._intervals.estimate import (
    means_without_rounding,
    sums_by_cluster,
    unit_errors,
    unit_residuals,
)

FloatArray = NDArray[np.float64]

# Cells of (pair, resample) at a time: 2 MB, which stay in the cache of a core until they are read.
_CELLS_IN_CACHE = 250_000
# Counts of units in resamples at a time: 4 MB.
_COUNTS_AT_A_TIME = 500_000
# Signs that are in memory at the same time: 32 MB.
_SIGNS_AT_A_TIME = 4_000_000
# More units are drawn in this many groups, formed at random. The distribution of the mean of a
# thousand groups is that of the mean of their units but for terms far below the resamples' noise.
_MOST_UNITS = 1000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def bootstrapped(
    sums: FloatArray,
    sizes: FloatArray | None,
    n_resamples: int,
    rng: np.random.Generator,
    level: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return p-values of the paired bootstrap test of means in standard errors (Sakai 2006).

    With a level also return the mean difference that each pair requires. This is the size of the
    mean of the resample whose studentised mean is the ``level * n_resamples``-th largest. A pair
    without any difference has 1 and 0. Without sizes each unit is one query.
    """
    sizes = np.ones(sums.shape[1]) if sizes is None else sizes
    mean = means_without_rounding(sums, sizes)
    residuals = unit_residuals(sums, sizes, mean)  # as if there were no difference
    error = unit_errors(residuals, sizes)
    ratio = np.divide(np.abs(mean), error, out=np.full_like(mean, np.inf), where=error > 0.0)
    ratio[mean == 0.0] = 0.0
    generator = np.random.default_rng(rng.integers(2**63))
    if len(sizes) > _MOST_UNITS:
        groups = generator.permutation(len(sizes)) % _MOST_UNITS
        residuals, _ = sums_by_cluster(residuals, groups)
        sizes, _ = sums_by_cluster(sizes, groups)
    counts = np.concatenate(list(_counts(len(sizes), n_resamples, generator))).T
    beyond, required = np.zeros(len(sums)), np.zeros(len(sums))
    at_a_time = max(1, _CELLS_IN_CACHE // n_resamples)
    for first in range(0, len(sums), at_a_time):
        some = slice(first, first + at_a_time)
        drawn, ratios = _drawn(residuals[some], sizes, counts)
        beyond[some] = (ratios >= (ratio[some] * (1.0 - _ROUNDING))[:, None]).sum(axis=1)
        if level is None:
            continue
        wanted = max(1, round(level * n_resamples))
        place = np.argpartition(-ratios, wanted - 1, axis=1)[:, wanted - 1, None]
        required[some] = np.abs(np.take_along_axis(drawn, place, axis=1)[:, 0])
    differ = (sums != 0.0).any(axis=1)
    p_value = np.where(differ, (beyond + 1) / (n_resamples + 1), 1.0)
    return p_value, np.where(differ, required, 0.0)


def _drawn(
    residuals: FloatArray, sizes: FloatArray, counts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return means of resamples, and their sizes in standard errors; those are endless of none."""
    n_units, total = len(sizes), sizes @ counts
    drawn = residuals @ counts / total
    squares = residuals**2 @ counts
    spread = squares - 2.0 * drawn * ((residuals * sizes) @ counts) + drawn**2 * (sizes**2 @ counts)
    spread[spread <= _ROUNDING * squares] = 0.0
    error = np.sqrt(spread * n_units / max(n_units - 1, 1)) / total
    ratios = np.divide(np.abs(drawn), error, out=np.full_like(drawn, np.inf), where=error > 0.0)
    ratios[np.abs(drawn) <= _ROUNDING * np.abs(residuals).max(axis=1, keepdims=True)] = 0.0
    return drawn, ratios


def _counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw how often each unit is in each resample, some rows (n_resamples, n_units) at a time."""
    at_a_time = max(1, _COUNTS_AT_A_TIME // n_units)
    for first in range(0, n_resamples, at_a_time):
        size = min(at_a_time, n_resamples - first)
        units = rng.integers(n_units, size=(size, n_units), dtype=np.int32)
        cells = units + (np.arange(size, dtype=np.int32) * n_units)[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * n_units)
        yield counts.reshape(size, n_units).astype(np.float64)


def all_swaps_fit(n_topics: int, n_resamples: int) -> bool:
    """Tell whether the ways to swap two systems by topics are at most as many as the resamples."""
    return n_topics < int(n_resamples).bit_length()  # 2**n_topics may be too large for a float


def randomization_test(
    differences: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    sizes: FloatArray | None = None,
) -> FloatArray:
    """Fisher's randomisation test: swap the two systems in each topic with probability 1/2.

    All swaps are tried if there are at most as many of them as resamples. Clusters are swapped as a
    whole; the sum that is tested does not need their sizes.
    """
    n_pairs, n_topics = differences.shape
    rounding = _ROUNDING * np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - rounding
    exact = all_swaps_fit(n_topics, n_resamples)
    n_resamples = 2**n_topics if exact else n_resamples
    beyond = np.zeros(n_pairs, dtype=np.int64)
    for first, size in _batches(n_resamples, _SIGNS_AT_A_TIME // n_topics):
        if exact:
            bits = np.arange(first, first + size)[:, None] >> np.arange(n_topics)
            signs = 1.0 - 2.0 * (bits & 1)
        else:
            signs = rng.choice([-1.0, 1.0], size=(size, n_topics))
        for start, n in _batches(n_pairs, _CELLS_IN_CACHE // size):
            some = slice(start, start + n)
            sums = differences[some] @ signs.T
            beyond[some] += (np.abs(sums, out=sums) >= observed[some, None]).sum(axis=1)
    return beyond / n_resamples if exact else (beyond + 1) / (n_resamples + 1)


def tukey_test(values: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Randomised Tukey HSD test (Carterette 2012): p-values of all pairs, (n_systems, n_systems).

    The systems' values are shuffled within each topic. A pair's difference is compared with the
    largest difference of any two shuffled systems, which corrects for the number of comparisons.
    """
    n_systems = len(values)
    sums = values.sum(axis=1)
    rounding = _ROUNDING * np.abs(values).sum(axis=1).max()
    observed = np.abs(sums[:, None] - sums) - rounding
    by_topic = np.ascontiguousarray(values.T, dtype=np.float64).ravel()
    seed = int(rng.integers(2**63))
    ordered = np.sort(_core.shuffled_ranges(by_topic, n_systems, seed, n_resamples))
    beyond = n_resamples - np.searchsorted(ordered, observed, side="left")
    p_values: FloatArray = (beyond + 1) / (n_resamples + 1)
    return p_values


def _batches(total: int, at_a_time: int) -> Iterator[tuple[int, int]]:
    for first in range(0, total, max(1, at_a_time)):
        yield first, min(max(1, at_a_time), total - first)
