"""How many of the first documents of each list are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.measures._measure import Measure

_K = 10  # of measures of the whole list


def shares_of_judged(
    measures: Iterable[Measure],
    order: NDArray[np.int32],
    tied: NDArray[np.uint8],
    indptr: IntArray,
    are_judged: Callable[[IntArray], BoolArray],
) -> FloatArray:
    """Return the shares of judged documents among the first k of each list, by measure.

    They are those of `Judged`, but an empty list has no document that is not judged.

    Parameters
    ----------
    measures : iterable of Measure
        The measures, whose cut-offs are k; it is 10 where there is none.
    order, tied, indptr : ndarray
        The ranking, as in `Rankings`.
    are_judged : callable
        Tells which documents at some positions are judged.

    Returns
    -------
    ndarray of shape (n_queries, n_measures)
        The shares.
    """
    cutoffs = [getattr(measure, "k", None) or _K for measure in measures]
    share_by_cutoff: dict[int, FloatArray] = {}
    for k in cutoffs:
        if k not in share_by_cutoff:
            share_by_cutoff[k] = _shares(k, order, tied, indptr, are_judged)
    return np.stack([share_by_cutoff[k] for k in cutoffs], axis=1)


def _shares(
    k: int,
    order: NDArray[np.int32],
    tied: NDArray[np.uint8],
    indptr: IntArray,
    are_judged: Callable[[IntArray], BoolArray],
) -> FloatArray:
    starts = indptr[:-1]
    lengths = np.diff(indptr)
    n_first = np.minimum(lengths, k)

    # The documents at the first ranks, query by query.
    ends = np.cumsum(n_first)
    query = np.repeat(np.arange(len(starts)), n_first)
    rank = np.arange(len(query)) - np.repeat(ends - n_first, n_first)
    start_of_each = starts[query]
    positions = start_of_each + order[start_of_each + rank]
    n_judged = np.bincount(query, are_judged(positions), minlength=len(starts))

    is_longer = lengths > k
    is_cut = np.zeros(len(starts), dtype=bool)
    is_cut[is_longer] = tied[starts[is_longer] + k] == 1
    if is_cut.any():
        # Of documents that are tied across the cut-off, each is as likely to be above it.
        judged = are_judged(np.repeat(starts, lengths) + order)
        n_before = np.concatenate(([0.0], np.cumsum(judged)))
        block_starts = np.flatnonzero(tied == 0)
        block_ends = np.append(block_starts[1:], len(tied))
        cutoff = starts[is_cut] + k
        block = np.searchsorted(block_starts, cutoff, side="right") - 1
        first = block_starts[block]
        end = block_ends[block]
        share_of_block = (n_before[end] - n_before[first]) / (end - first)
        n_above = n_before[first] - n_before[starts[is_cut]]
        n_judged[is_cut] = n_above + (cutoff - first) * share_of_block

    return np.divide(n_judged, n_first, out=np.ones(len(starts)), where=n_first > 0)
