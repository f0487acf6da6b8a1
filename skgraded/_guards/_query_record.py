"""Queries that a ranker has seen, as hashes of their ids and grades, and numbers of rows."""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards._row_counts import JudgedQueries, n_rows_of

IntArray = NDArray[np.int64]
HashArray = NDArray[np.uint64]

_LOWEST_64_BITS = 2**64 - 1
_LARGEST_EXACT = 2**53  # the integers up to here are floats, too


@dataclasses.dataclass(frozen=True, eq=False)
class QueryRecord:
    """Queries by the hashes of their ids, with their numbers of rows.

    A fitted model carries this instead of the ids. The hashes are the same in every process, and
    the same for equal ids of different types, such as 7, 7.0 and a nullable 7. They are not secret:
    anyone who guesses an id can check whether it is in the record.

    Attributes
    ----------
    hashes : ndarray of shape (n_queries,), uint64
        Hash of each query's id, ascending.
    grades : ndarray of shape (n_queries,), uint8
        Short hash of the grades of each query's rows, in whatever order these stand.
    n_rows : ndarray of shape (n_queries,), unsigned int
        Number of rows of each query that were seen.
    sizes : ndarray of shape (n_queries,), unsigned int, or None
        Number of rows that each query has in its data set, where the target or the ids said so.
    """

    hashes: HashArray
    grades: NDArray[np.uint8]
    n_rows: NDArray[np.unsignedinteger[Any]]
    sizes: NDArray[np.unsignedinteger[Any]] | None

    @classmethod
    def of(cls, queries: JudgedQueries) -> QueryRecord:
        """Record the queries of some rows.

        Parameters
        ----------
        queries : JudgedQueries
            The rows by query.

        Returns
        -------
        QueryRecord
            The record.
        """
        hashes, n_rows, sizes = hash_ids(queries.qid), n_rows_of(queries), queries.sizes
        order = np.argsort(hashes)
        grades, seen = short_hashes(queries)[order], _small(n_rows[order])
        if sizes is None:
            return cls(hashes[order], grades, seen, None)
        # One array for both is saved once.
        is_whole = np.array_equal(n_rows, sizes)
        return cls(hashes[order], grades, seen, seen if is_whole else _small(sizes[order]))

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
        return QueryRecord(self.hashes[places], self.grades[places], self.n_rows[places], sizes)

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


def short_hashes(queries: JudgedQueries) -> NDArray[np.uint8]:
    """Return 8 bits of the fingerprints.

    So few tell whether most of many queries have the same grades, and make models hardly larger.
    """
    return queries.fingerprints.astype(np.uint8)


def _are_exact_integers(ids: NDArray[Any]) -> bool:
    return bool((ids == np.floor(ids)).all() and (np.abs(ids) <= _LARGEST_EXACT).all())


def _code(each: Any) -> int:
    """Return 64 bits that stand for one id; an integer of 64 bits stands for itself."""
    if isinstance(each, str):
        return _digest(b"str", each.encode("utf-8", "surrogatepass"))
    if isinstance(each, numbers.Real) and math.isfinite(each) and each == math.floor(each):
        value = operator.index(math.floor(each))
        if -(2**63) <= value <= _LOWEST_64_BITS:
            return value & _LOWEST_64_BITS
        return _digest(b"int", str(value).encode())
    match each:
        case bytes():
            return _digest(b"bytes", each)
        case tuple():
            return _digest(b"tuple", *(_code(part).to_bytes(8, "little") for part in each))
    return _digest(type(each).__qualname__.encode(), repr(each).encode("utf-8", "surrogatepass"))


def _digest(kind: bytes, *parts: bytes) -> int:
    from hashlib import blake2b  # importing skgraded must stay quick

    digest = blake2b(b"\0".join([kind, *parts]), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mixed(codes: HashArray) -> HashArray:
    """Spread the bits by the finalizer of SplitMix64, which maps no two numbers to one."""
    mixed = codes + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: HashArray = mixed ^ (mixed >> np.uint64(31))
    return spread
