"""Mean differences and their errors over units that are drawn: queries, or clusters of them.

A cluster is a set of queries that do not vary independently, such as those of one person. Every
query counts once, so that a mean is the sum of the clusters' sums over that of their sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def sums_by_cluster(
    values: FloatArray, clusters: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the sums over each cluster along the last axis, and the sizes of the clusters."""
    if clusters is None:
        return values, np.ones(values.shape[-1])
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return np.add.reduceat(values[..., order], starts, axis=-1), sizes.astype(np.float64)


def means_without_rounding(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the mean difference of each pair; 0 where differences cancel but for rounding."""
    means: FloatArray = sums.sum(axis=1) / sizes.sum()
    means[np.abs(means) <= _ROUNDING * np.abs(sums).sum(axis=1) / sizes.sum()] = 0.0
    return means


def unit_residuals(sums: FloatArray, sizes: FloatArray, means: FloatArray) -> FloatArray:
    """Return what each unit adds to its share of the mean; they add up to 0."""
    residuals: FloatArray = sums - means[:, None] * sizes
    residuals[np.abs(residuals) <= _ROUNDING * np.abs(means)[:, None] * sizes] = 0.0
    return residuals


def unit_errors(residuals: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the standard errors of the means."""
    n_units = len(sizes)
    squares = (residuals**2).sum(axis=1) * n_units / max(n_units - 1, 1)
    errors: FloatArray = np.sqrt(squares) / sizes.sum()
    return errors
