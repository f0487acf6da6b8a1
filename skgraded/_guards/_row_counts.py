"""Numbers of rows of queries: those that are there, compared with those that should be."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Queries(Protocol):
    """Rows by query, as `Judgments` lays them out, and how many of them there should be."""

    @property
    def qid(self) -> NDArray[Any]:
        """Query ids, shape (n_queries,)."""

    @property
    def indptr(self) -> IntArray:
        """The rows that are there of query q number ``indptr[q + 1] - indptr[q]``."""

    @property
    def sizes(self) -> IntArray | None:
        """Number of rows of each query in its data set, where the target or the ids say so."""


class JudgedQueries(Queries, Protocol):
    """Rows by query with what tells their grades from others."""

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """A number that stands for the grades of each query."""


def n_rows_of(queries: Queries) -> IntArray:
    """Return the number of rows that are there of each query."""
    return np.diff(queries.indptr)


def n_missing(queries: Queries) -> IntArray:
    """Return how many rows each query lacks; a negative number of those that it has too many."""
    n_rows = n_rows_of(queries)
    return (n_rows if queries.sizes is None else queries.sizes) - n_rows


def example(queries: Queries, marked: BoolArray) -> str:
    """Say how many queries are marked, and of one of them the numbers of rows."""
    first = int(np.flatnonzero(marked)[0])
    (name,) = queries.qid[first : first + 1].tolist()
    of = "" if queries.sizes is None else f" of {queries.sizes[first]}"
    n_rows = n_rows_of(queries)[first]
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
