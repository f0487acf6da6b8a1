"""Ends of intervals of mean differences that few units show, or none.

A test that goes by the spread of differences takes those that the data lack for impossible: without
any difference the interval has no width. Counts of the units that differ tell what else there may
be.

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
    """Return ends that an interval must reach where few units differ, else no bounds.

    Few are fewer than 10, and fewer than half of all. The shares of units with a difference above
    and below 0 each have an interval of Clopper and Pearson, and the distances of the four ends
    from what was seen make those of the mean (Newcombe 1998, method 10), times the root mean square
    of the differences. Where no unit differs, any may differ by as much as the largest value.

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
    n_units = sums.shape[1]
    above, below = (sums > 0.0).sum(axis=1), (sums < 0.0).sum(axis=1)
    n_differing = above + below
    few = (n_differing < FEWEST_DIFFERENCES) & (n_differing < max(_HALF * n_units, 1.0))
    low, high = np.full(len(sums), np.inf), np.full(len(sums), -np.inf)
    if not few.any():
        return low, high
    some, total = sums[few], sizes.sum()
    counts, means = np.stack([above[few], below[few]]), some.sum(axis=1) / total
    shares = counts / n_units
    fewer = shares - _fewest_differing(counts, n_units, level)
    more = most_differing(counts, n_units, level) - shares
    differing = np.maximum(counts.sum(axis=0), 1)
    typical = np.sqrt((some**2).sum(axis=1) / differing)
    typical = np.where(counts.any(axis=0), typical, largest * sizes.max()) * n_units / total
    low[few] = means - typical * np.hypot(fewer[0], more[1])
    high[few] = means + typical * np.hypot(fewer[1], more[0])
    return low, high
