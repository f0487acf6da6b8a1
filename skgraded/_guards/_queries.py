"""Queries and their rows: how many are there, how many should be, and which a ranker has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]
HashArray = NDArray[np.uint64]

_LOWEST_64_BITS = 2**64 - 1


class Queries(Protocol):
    """Rows by query, as `Judgments` lays them out, and how many of them there should be.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    indptr : ndarray of shape (n_queries + 1,), int64
        The rows that are there of query q number ``indptr[q + 1] - indptr[q]``.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows of each query in its data set, where the target or the ids say so.
    """

    qid: NDArray[Any]
    indptr: IntArray
    sizes: IntArray | None


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
    """

    hashes: HashArray
    n_rows: NDArray[np.unsignedinteger[Any]]

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
        hashes, n_rows = hash_ids(queries.qid), n_rows_of(queries)
        order = np.argsort(hashes)
        return cls(hashes[order], n_rows[order].astype(np.min_scalar_type(n_rows.max())))

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
        return QueryRecord(self.hashes[places], self.n_rows[places])

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


def n_shared(one: IntArray, other: IntArray) -> int:
    """Count the queries that have rows in both of two sets, given the query of each row."""
    return len(np.intersect1d(one, other))


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
    if ids.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = ids.astype(np.int64)
        ids = whole if np.array_equal(whole, ids) else ids
    if ids.dtype.kind in "biu":
        return _mixed(ids.astype(np.uint64))
    listed = ids.tolist()
    codes = {each: _code(each) for each in set(listed)}
    return _mixed(np.array([codes[each] for each in listed], dtype=np.uint64))


def _code(each: Any) -> int:
    """Return 64 bits that stand for one id; an integer of 64 bits stands for itself."""
    from hashlib import blake2b  # importing skgraded must stay quick

    if isinstance(each, int | float | np.integer | np.floating) and each % 1 == 0:
        each = int(each)
        if -(2**63) <= each <= _LOWEST_64_BITS:
            return each & _LOWEST_64_BITS
    shown = f"str {each}" if isinstance(each, str) else repr(each)
    digest = blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mixed(codes: HashArray) -> HashArray:
    """Spread the bits by the finalizer of SplitMix64, which maps no two numbers to one."""
    mixed = codes + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: HashArray = mixed ^ (mixed >> np.uint64(31))
    return spread
