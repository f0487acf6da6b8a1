"""Lists of documents in rank order, query after query."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

__all__ = ["RankedList"]

IntArray = NDArray[np.int64]


class RankedList(NamedTuple):
    """Every query's documents in rank order, one query after the other.

    Attributes
    ----------
    levels : ndarray of shape (n_documents,)
        Grade level of the document at each rank.
    tied : ndarray of shape (n_documents,), uint8
        1 where the document's score equals that of the document one rank above it.
    indptr : ndarray of shape (n_queries + 1,), int64
        Query q occupies ``indptr[q]:indptr[q + 1]``.
    """

    levels: NDArray[Any]
    tied: NDArray[np.uint8]
    indptr: IntArray

    @classmethod
    def without_ties(cls, levels: NDArray[Any], indptr: IntArray) -> RankedList:
        """Make lists in which no two documents are tied.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Grade level of the document at each rank.
        indptr : ndarray of shape (n_queries + 1,), int64
            Extents of the queries.

        Returns
        -------
        RankedList
            The lists.
        """
        return cls(levels, np.zeros(len(levels), dtype=np.uint8), indptr)

    @classmethod
    def best_first(cls, counts: IntArray, dtype: Any) -> RankedList:
        """Make lists of so many documents of each level, the best level first.

        Parameters
        ----------
        counts : ndarray of shape (n_queries, n_levels)
            Number of documents of each level.
        dtype : dtype
            Type of the levels.

        Returns
        -------
        RankedList
            The lists.
        """
        n_queries, n_levels = counts.shape
        indptr = np.zeros(n_queries + 1, dtype=np.int64)
        counts.sum(axis=1).cumsum(out=indptr[1:])
        if dtype == np.uint8 and n_levels > 0:
            flat = np.ascontiguousarray(counts, dtype=np.int64).ravel()
            levels: NDArray[Any] = _core.fill_best_first(flat, n_levels, int(indptr[-1]))
        else:
            falling = np.tile(np.arange(n_levels, dtype=dtype)[::-1], n_queries)
            levels = np.repeat(falling, counts[:, ::-1].ravel())
        return cls.without_ties(levels, indptr)

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each query."""
        return np.diff(self.indptr)

    @property
    def longest(self) -> int:
        """Number of documents of the longest query."""
        return int(self.lengths.max(initial=0))

    def below_level(self, level: int) -> RankedList:
        """Keep the documents below a level; ranks close up, ties stay ties.

        Parameters
        ----------
        level : int
            The first level to drop.

        Returns
        -------
        RankedList
            The condensed lists.
        """
        kept = self.levels < level
        before = np.concatenate(([0], np.cumsum(kept)))
        block = np.cumsum(self.tied == 0)[kept]
        tied = np.zeros(len(block), dtype=np.uint8)
        tied[1:] = block[1:] == block[:-1]
        return RankedList(self.levels[kept], tied, before[self.indptr])
