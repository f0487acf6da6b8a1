"""`RankedList`, the levels of the documents of all queries in rank order."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._sealed import all_sealed, require, require_column

IntArray = NDArray[np.int64]

Ties = Literal["expected", "row_order", "pessimistic", "optimistic"]
Unjudged = Literal["nonrelevant", "condense"]


class RankedList(NamedTuple):
    """The levels of the documents in rank order, one query after the other.

    Attributes
    ----------
    levels : ndarray of shape (n_documents,)
        Grade level of the document at each rank.
    tied : ndarray of shape (n_documents,), uint8
        1 where the document's score equals that of the document one rank above it.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
    """

    levels: NDArray[Any]
    tied: NDArray[np.uint8]
    indptr: IntArray

    @classmethod
    def without_ties(cls, levels: NDArray[Any], indptr: IntArray) -> Self:
        """Make lists without tied documents.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Grade level of the document at each rank.
        indptr : ndarray of shape (n_queries + 1,), int64
            ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.

        Returns
        -------
        RankedList
            The lists.
        """
        return cls(levels, np.zeros(len(levels), dtype=np.uint8), indptr)

    @classmethod
    def best_first(cls, counts: IntArray, dtype: Any) -> Self:
        """Make lists with given numbers of documents by level, best level first.

        Parameters
        ----------
        counts : ndarray of shape (n_queries, n_levels)
            Number of documents by query and level.
        dtype : dtype
            Type of the levels.

        Returns
        -------
        RankedList
            The lists, in arrays that cannot be made writeable.
        """
        n_queries, n_levels = counts.shape
        if dtype == np.uint8 and n_levels > 0:
            counts = np.ascontiguousarray(counts, dtype=np.int64)
            return cls(*_core.list_best_first(counts, n_levels))
        indptr = np.zeros(n_queries + 1, dtype=np.int64)
        counts.sum(axis=1).cumsum(out=indptr[1:])
        falling = np.tile(np.arange(n_levels, dtype=dtype)[::-1], n_queries)
        levels = np.repeat(falling, counts[:, ::-1].ravel())
        return cls.without_ties(levels, indptr).sealed()

    def sealed(self) -> Self:
        """Return the same lists in arrays that cannot be made writeable.

        Returns
        -------
        RankedList
            The lists.
        """
        return type(self)(*all_sealed(*self))

    def require_ties(self) -> None:
        """Raise UnpicklingError unless ties are marks within the queries."""
        require_column("tied", self.tied, (np.uint8,), len(self.levels), below=2)
        first = self.indptr[:-1][self.lengths > 0]
        require(not self.tied[first].any(), "the first document of a query must not be tied")

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each query."""
        lengths: IntArray = self.indptr[1:] - self.indptr[:-1]
        return lengths

    @property
    def longest(self) -> int:
        """Number of documents of the longest query."""
        return _core.longest_query(self.indptr)

    def below_level(self, level: int) -> RankedList:
        """Keep only the documents below a level; tied documents remain tied.

        Parameters
        ----------
        level : int
            The lowest level to remove.

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
