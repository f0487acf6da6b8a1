"""Numbers of rows of queries: those that are there, compared with those that should be."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowCounts", "n_parts", "n_shared"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class RowCounts(NamedTuple):
    """How many rows there are of each query, and how many the query has in its data set.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    indptr : ndarray of shape (n_queries + 1,), int64
        The number of rows that are there of query q is ``indptr[q + 1] - indptr[q]``.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows in the data set, where the target or the ids say so.
    """

    qid: NDArray[Any]
    indptr: IntArray
    sizes: IntArray | None

    @property
    def n_rows(self) -> IntArray:
        """Number of rows that are there of each query."""
        return np.diff(self.indptr)

    @property
    def lacking(self) -> BoolArray:
        """Whether a query has fewer rows than in its data set."""
        return self._unknown if self.sizes is None else self.n_rows < self.sizes

    @property
    def repeated(self) -> BoolArray:
        """Whether a query has more rows than in its data set."""
        return self._unknown if self.sizes is None else self.n_rows > self.sizes

    @property
    def _unknown(self) -> BoolArray:
        return np.zeros(len(self.qid), dtype=bool)

    def example(self, marked: BoolArray) -> str:
        """Say how many queries are marked, and of one of them the numbers of rows."""
        first = int(np.flatnonzero(marked)[0])
        (name,) = self.qid[first : first + 1].tolist()
        of = "" if self.sizes is None else f" of {self.sizes[first]}"
        n_rows = self.n_rows[first]
        return f"{marked.sum()} of {len(marked)}, such as {name!r} with {n_rows} rows{of}"


def n_shared(one: IntArray, other: IntArray) -> int:
    """Count the queries that have rows in both of two sets, given the query of each row."""
    return len(np.intersect1d(one, other))


def n_parts(queries: IntArray, sizes: IntArray) -> int:
    """Count the queries that have some of their rows in a set, but not all.

    Parameters
    ----------
    queries : ndarray of shape (n_rows,)
        Query number of each row in the set.
    sizes : ndarray of shape (n_queries,)
        Number of rows of each query.

    Returns
    -------
    int
        The number of queries.
    """
    n_rows = np.bincount(queries, minlength=len(sizes))
    return int(((n_rows > 0) & (n_rows < sizes)).sum())
