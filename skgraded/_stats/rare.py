"""Ends of intervals of mean differences where few units differ, or differ from the others.

A test that goes by the spread of differences takes those that the data lack for impossible: where
all are alike the interval has no width. Counts of the units that differ from what most have, which
is 0 as a rule, tell what else there may be.

Sums of differences are arrays of shape (n_pairs, n_units), sizes of shape (n_units,).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST_DIFFERENCES", "largest_difference", "most_differing", "rare_ends"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Fewer units that differ do not tell how rare and how large differences are.
FEWEST_DIFFERENCES = 10
_HALF = 0.5
_ROUNDING = 1e-12
# Of so many units most have what is common, if fewer than 10 of all have something else.
_ENOUGH = 2 * FEWEST_DIFFERENCES + 1


def largest_difference(values: FloatArray) -> float:
    """Return the largest difference that a query can have: the range of all values, with 0.

    Where no value differs from 0 it is 1, the range of most measures.
    """
    known = values[~np.isnan(values)]
    return float(max(known.max(initial=0.0) - known.min(initial=0.0), 0.0)) or 1.0


def most_differing(n_differing: IntArray, n_units: int, level: float) -> FloatArray:
    """Return the upper end of the share of units that differ (Clopper and Pearson 1934)."""
    from scipy.stats import beta  # scipy.stats takes most of a second to import

    n_alike = np.maximum(n_units - n_differing, 1)
    most = beta.isf(level / 2.0, n_differing + 1, n_alike)
    return np.where(n_differing < n_units, most, 1.0)


def _fewest_differing(n_differing: IntArray, n_units: int, level: float) -> FloatArray:
    return 1.0 - most_differing(n_units - n_differing, n_units, level)


def rare_ends(
    sums: FloatArray, sizes: FloatArray, level: float, largest: float
) -> tuple[FloatArray, FloatArray]:
    """Return ends that an interval must reach where few units are not alike, else no bounds.

    Few are fewer than 10, and fewer than half of all. The shares of units with a difference above
    and below the common one, which is 0 as a rule, each have an interval of Clopper and Pearson,
    and the distances of the four ends from what was seen make those of the mean (Newcombe 1998,
    method 10), times the root mean square of the distances from the common difference. Where all
    units are alike, any may differ by as much as the largest value.

    Parameters
    ----------
    sums : ndarray of shape (n_pairs, n_units)
        Sums of the differences over each unit.
    sizes : ndarray of shape (n_units,)
        Number of queries of each unit.
    level : float
        Of significance, in both tails.
    largest : float
        Largest difference that a query can have.

    Returns
    -------
    low, high : ndarray of shape (n_pairs,)
        The ends; infinity as low and minus infinity as high where more units differ.
    """
    n_units, common = sums.shape[1], _common(sums, sizes)
    apart = sums - common[:, None]
    apart[np.abs(apart) <= _ROUNDING * np.abs(common)[:, None]] = 0.0
    above, below = (apart > 0.0).sum(axis=1), (apart < 0.0).sum(axis=1)
    n_differing = above + below
    few = (n_differing < FEWEST_DIFFERENCES) & (n_differing < max(_HALF * n_units, 1.0))
    low, high = np.full(len(sums), np.inf), np.full(len(sums), -np.inf)
    if not few.any():
        return low, high
    some, total, of_most = apart[few], sizes.sum(), common[few]
    counts = np.stack([above[few], below[few]])
    means = (some.sum(axis=1) + of_most * n_units) / total
    shares = counts / n_units
    fewer = shares - _fewest_differing(counts, n_units, level)
    more = most_differing(counts, n_units, level) - shares
    differing = np.maximum(counts.sum(axis=0), 1)
    typical = np.sqrt((some**2).sum(axis=1) / differing)
    farthest = largest * sizes.max() + np.abs(of_most)
    typical = np.where(counts.any(axis=0), typical, farthest) * n_units / total
    low[few] = np.maximum(means - typical * np.hypot(fewer[0], more[1]), -largest)
    high[few] = np.minimum(means + typical * np.hypot(fewer[1], more[0]), largest)
    return low, high


def _common(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return what most units have, if few have something else; 0 for units of unequal size."""
    if (sizes != sizes[0]).any():
        return np.zeros(len(sums))
    some = np.sort(sums[:, :_ENOUGH], axis=1)
    return some[:, some.shape[1] // 2]
