"""The paired bootstrap test of mean differences in standard errors (Sakai 2006).

Sums of differences are arrays of shape (n_pairs, n_units), sizes of shape (n_units,).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.clustered import (
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
# More units are drawn in this many groups, formed at random. The distribution of the mean of a
# thousand groups is that of the mean of their units but for terms far below the resamples' noise.
_MOST_UNITS = 1000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def bootstrapped(
    sums: FloatArray,
    sizes: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    level: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return p-values, and with a level the mean difference that each pair requires.

    The latter is the size of the mean of the resample whose studentised mean is the
    ``level * n_resamples``-th largest. A pair without any difference has 1 and 0.
    """
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
