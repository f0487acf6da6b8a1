"""Wilcoxon's signed-rank test of many rows of differences at once.

Differences are of shape (n_rows, n_units), and those of 0 are left out. Ranks of tied sizes are
their mean rank, so that twice a rank is whole.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Differences, or cells of distributions, that are in memory at the same time: 8 MB.
_CELLS_AT_A_TIME = 1_000_000
# Sums of the same numbers in another order differ by rounding, such as 0.3 - 0.2 and 0.1.
_ROUNDING = 1e-12
# The most differences whose distribution of ranks is exact: without ties, and with them.
_MOST_WITHOUT_TIES, _MOST_WITH_TIES = 50, 13


def signed_rank_p_values(differences: FloatArray) -> FloatArray:
    """Return the two-sided p-value of each row, 1 without any difference and nan with a nan.

    It is exact for at most 50 differences of different sizes and for at most 13 of any, and that of
    the normal approximation for others.
    """
    n_rows, n_units = differences.shape
    if differences.size == 0:
        return np.ones(n_rows)
    found = [_p_values(differences[some]) for some in _batches(n_rows, n_units)]
    return np.where(np.isnan(differences).any(axis=1), np.nan, np.concatenate(found))


def _p_values(differences: FloatArray) -> FloatArray:
    doubled, tied = _doubled_ranks(np.abs(differences))
    n_ranked, won = (doubled > 0).sum(axis=1), (doubled * (differences > 0.0)).sum(axis=1)
    lost = n_ranked * (n_ranked + 1) - won
    less = np.minimum(won, lost)
    has_ties = tied.any(axis=1)
    p_values = np.ones(len(differences))
    by_table = ~has_ties & (n_ranked <= _MOST_WITHOUT_TIES) & (n_ranked > 0)
    for n in np.unique(n_ranked[by_table]):
        rows = by_table & (n_ranked == n)
        p_values[rows] = 2.0 * _cumulated(int(n))[less[rows] // 2]
    by_sums = has_ties & (n_ranked <= _MOST_WITH_TIES)
    p_values[by_sums] = 2.0 * _shares_of_sums(doubled[by_sums], less[by_sums])
    by_normal = (n_ranked > 0) & ~by_table & ~by_sums
    p_values[by_normal] = _by_normal(less[by_normal], n_ranked[by_normal], tied[by_normal])
    return np.minimum(p_values, 1.0)


def _doubled_ranks(sizes: FloatArray) -> tuple[IntArray, IntArray]:
    """Return twice the rank of each size, 0 for one of 0, and for a tie of t sizes t^2 - 1 in each.

    The sum of the latter is that of t^3 - t over the ties.
    """
    order = np.argsort(sizes, axis=1)
    ascending = np.take_along_axis(sizes, order, axis=1)
    place, n_zero = np.arange(sizes.shape[1]), (sizes == 0.0).sum(axis=1)[:, None]
    begins = np.diff(ascending, axis=1, prepend=-1.0) > _ROUNDING * ascending[:, -1:]
    begins[:, 0] = True
    begins |= place == n_zero
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    ends = np.roll(begins, -1, axis=1)  # the last one ends where the first begins
    last = np.minimum.accumulate(np.where(ends, place, len(place))[:, ::-1], axis=1)[:, ::-1]
    is_ranked = place >= n_zero
    doubled, tied = np.zeros_like(order), np.zeros_like(order)
    np.put_along_axis(doubled, order, (first + last + 2 - 2 * n_zero) * is_ranked, axis=1)
    np.put_along_axis(tied, order, ((last - first + 1) ** 2 - 1) * is_ranked, axis=1)
    return doubled, tied


def _cumulated(n_ranked: int) -> FloatArray:
    """Return the probability that the ranks 1 to n of one sign add up to at most 0, 1, 2 ..."""
    ways = np.zeros(n_ranked * (n_ranked + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, n_ranked + 1):
        ways[rank:] += ways[:-rank].copy()
    shares: FloatArray = ways.cumsum() * 0.5**n_ranked  # whole numbers below 2^53 until here
    return shares


def _shares_of_sums(doubled: IntArray, sums: IntArray) -> FloatArray:
    """Return the share of all choices of signs whose sum of doubled ranks is at most the sum."""
    places = np.arange(_MOST_WITH_TIES * (_MOST_WITH_TIES + 1) // 2 + 1)  # half: sums are the less
    shares = np.empty(len(doubled))
    for some in _batches(len(doubled), len(places)):
        ranks = -np.sort(-doubled[some], axis=1)[:, :_MOST_WITH_TIES]
        ways = np.zeros((len(ranks), len(places)))
        ways[:, 0] = 1.0
        for rank in ranks.T:
            before = places - rank[:, None]
            more = np.take_along_axis(ways, np.maximum(before, 0), axis=1)
            ways += np.where((before >= 0) & (rank[:, None] > 0), more, 0.0)
        reached = np.take_along_axis(ways.cumsum(axis=1), sums[some, None], axis=1)[:, 0]
        shares[some] = reached * 0.5 ** (ranks > 0).sum(axis=1)
    return shares


def _by_normal(less: IntArray, n_ranked: IntArray, tied: IntArray) -> FloatArray:
    """Return p-values by the normal distribution, whose variance allows for ties."""
    from scipy.special import ndtr

    n = n_ranked.astype(np.float64)
    variance = (n * (n + 1.0) * (2.0 * n + 1.0) - tied.sum(axis=1) / 2.0) / 24.0
    p_values: FloatArray = 2.0 * ndtr((less / 2.0 - n * (n + 1.0) / 4.0) / np.sqrt(variance))
    return p_values


def _batches(n_rows: int, n_cells: int) -> Iterator[slice]:
    at_a_time = max(1, _CELLS_AT_A_TIME // n_cells)
    for first in range(0, n_rows, at_a_time):
        yield slice(first, first + at_a_time)
