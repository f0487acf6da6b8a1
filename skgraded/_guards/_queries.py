"""Queries and their rows: how many are there, how many should be, and which a ranker has seen."""

from __future__ import annotations

import math
import numbers
import operator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
HashArray = NDArray[np.uint64]

_LOWEST_64_BITS = 2**64 - 1
_LARGEST_EXACT = 2**53  # the integers up to here are floats, too


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


@dataclass(frozen=True, eq=False)
class QueryRecord:
    """Queries by the hashes of their ids, with their numbers of rows.

    A fitted model carries this instead of the ids. The hashes are the same in every process, and
    the same for equal ids of different types, such as 7, 7.0 and a nullable 7. They are not secret:
    anyone who guesses an id can check whether it is in the record.

    Attributes
    ----------
    hashes : ndarray of shape (n_queries,), uint64
        Hash of each query's id, ascending.
    n_rows : ndarray of shape (n_queries,), unsigned int
        Number of rows of each query that were seen.
    sizes : ndarray of shape (n_queries,), unsigned int, or None
        Number of rows that each query has in its data set, where the target or the ids said so.
    """

    hashes: HashArray
    n_rows: NDArray[np.unsignedinteger[Any]]
    sizes: NDArray[np.unsignedinteger[Any]] | None

    @classmethod
    def of(cls, queries: Queries) -> QueryRecord:
        """Record the queries of some rows.

        Parameters
        ----------
        queries : Queries
            The rows by query.

        Returns
        -------
        QueryRecord
            The record.
        """
        hashes, n_rows, sizes = hash_ids(queries.qid), n_rows_of(queries), queries.sizes
        order = np.argsort(hashes)
        seen = _small(n_rows[order])
        if sizes is None or np.array_equal(n_rows, sizes):  # one array for both is saved once
            return cls(hashes[order], seen, None if sizes is None else seen)
        return cls(hashes[order], seen, _small(sizes[order]))

    def of_ids(self, qid: NDArray[Any]) -> QueryRecord:
        """Take some of the queries.

        Parameters
        ----------
        qid : ndarray of shape (n_queries,)
            Their ids, each of which is in the record.

        Returns
        -------
        QueryRecord
            Their record.
        """
        places = np.sort(np.searchsorted(self.hashes, hash_ids(qid)))
        sizes = None if self.sizes is None else self.sizes[places]
        return QueryRecord(self.hashes[places], self.n_rows[places], sizes)

    def __len__(self) -> int:
        return len(self.hashes)

    def contains(self, qid: ArrayLike) -> NDArray[np.bool_]:
        """Tell for each id whether its query is in the record.

        Parameters
        ----------
        qid : array-like of shape (n,)
            Query ids, such as those of the rows; or what `query_ids` makes of them.

        Returns
        -------
        ndarray of shape (n,), bool
            Whether the query is there.
        """
        # NumPy would turn a list of ids of several types into text.
        ids = np.asarray(qid, dtype=object if isinstance(qid, list | tuple) else None)
        return np.isin(hash_ids(ids["qid"] if ids.dtype.names else ids), self.hashes)


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


def _small(counts: IntArray) -> NDArray[np.unsignedinteger[Any]]:
    small: NDArray[np.unsignedinteger[Any]] = counts.astype(np.min_scalar_type(counts.max()))
    return small


def hash_ids(ids: NDArray[Any]) -> HashArray:
    """Hash ids to 64 bits, the same in every process; integers never share a hash.

    Parameters
    ----------
    ids : ndarray of shape (n,)
        Ids of any type.

    Returns
    -------
    ndarray of shape (n,), uint64
        The hashes.
    """
    if ids.dtype.kind in "biu":
        codes = ids.astype(np.uint64)
    elif ids.dtype.kind == "f" and _are_exact_integers(ids):
        codes = ids.astype(np.int64).astype(np.uint64)
    elif ids.dtype.kind in "mM":
        codes = ids.astype(f"{ids.dtype.kind}8[ns]").view(np.int64).astype(np.uint64)
    else:
        known: dict[Any, int] = {}
        codes = np.array(
            [known.get(each) or known.setdefault(each, _code(each)) for each in ids.tolist()],
            dtype=np.uint64,
        )
    return _mixed(codes)


def _are_exact_integers(ids: NDArray[Any]) -> bool:
    return bool((ids == np.floor(ids)).all() and (np.abs(ids) <= _LARGEST_EXACT).all())


def _code(each: Any) -> int:
    """Return 64 bits that stand for one id; an integer of 64 bits stands for itself."""
    from hashlib import blake2b  # importing skgraded must stay quick

    if isinstance(each, numbers.Real) and math.isfinite(each) and each == math.floor(each):
        each = operator.index(math.floor(each))
        if -(2**63) <= each <= _LOWEST_64_BITS:
            return each & _LOWEST_64_BITS
    if isinstance(each, tuple):
        each = tuple(map(_code, each))
    shown = f"str {each}" if isinstance(each, str) else f"{type(each).__qualname__} {each!r}"
    digest = blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mixed(codes: HashArray) -> HashArray:
    """Spread the bits by the finalizer of SplitMix64, which maps no two numbers to one."""
    mixed = codes + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: HashArray = mixed ^ (mixed >> np.uint64(31))
    return spread
