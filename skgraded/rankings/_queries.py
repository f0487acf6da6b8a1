"""Functions that check query ids, number them by first appearance and group the rows by query."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._support.arguments import ArgumentError, first_true, is_missing
from skgraded._support.array_types import BoolArray, IntArray
from skgraded._support.frames import arrow_text, by_position, category_codes, imported
from skgraded._support.sealed import sealed
from skgraded.rankings._numbers import LARGEST_EXACT, one_dimensional

# The hash has a random seed, so that nobody can choose ids that collide. No result depends on it.
_SEED = int.from_bytes(os.urandom(8), "little")
_WORD = 8  # bytes
_INTEGERS = frozenset(map(np.dtype, ["i8", "i4", "u8", "u4"]))


# The query number of every row; the first row of every query and, behind them, the number of rows;
# the borders of the queries; and the position of every row, or None if the rows are grouped.
_Numbered = tuple[NDArray[np.int32], IntArray, IntArray, IntArray | None]

# Query ids, the borders of the queries, and the position of every row or None.
Grouping = tuple[NDArray[Any], IntArray, IntArray | None]


def place_rows(qid: ArrayLike | None, n_rows: int) -> Grouping:
    """Find the queries, and a position for every row such that those of a query are consecutive.

    To move each entry to its position is faster than to fetch the entries in sorted order.

    Parameters
    ----------
    qid : array-like of shape (n_rows,) or None
        Query id of each row; with None all rows form one query.
    n_rows : int
        Number of rows.

    Returns
    -------
    ids : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the rows of query q.
    places : ndarray of shape (n_rows,), int64, or None
        The position of every row; None if the rows of each query are already consecutive.

    Raises
    ------
    ValueError
        If an id is missing, or the number of ids differs from the number of rows.

    Examples
    --------
    >>> from skgraded.rankings import place_rows
    >>> ids, indptr, places = place_rows(["b", "a", "b"], 3)
    >>> ids.tolist(), indptr.tolist(), places.tolist()
    (['b', 'a'], [0, 2, 3], [0, 2, 1])
    """
    if qid is None:
        qid_of_all = np.zeros(1, np.int64)
        indptr = np.array([0, n_rows])
        return sealed(qid_of_all), sealed(indptr), None
    names, (_, _, indptr, places) = _numbered(qid, n_rows)
    return sealed(names), indptr, places


def number_rows(qid: ArrayLike, n_rows: int) -> NDArray[np.int32]:
    """Give every row the number of its query, in order of first appearance.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        Query id of each row.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray of shape (n_rows,), int32
        The number of each row's query.

    Raises
    ------
    ValueError
        If an id is missing, or the number of ids differs from the number of rows.

    Examples
    --------
    >>> from skgraded.rankings import number_rows
    >>> number_rows(["b", "a", "b"], 3)
    array([0, 1, 0], dtype=int32)
    """
    _, (query_of_row, *_) = _numbered(qid, n_rows)
    return query_of_row


def count_rows(qid: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Return the id of every row as an array, and the number of rows of its query.

    Rows of one query share one object, so that numbering these ids again takes less time.
    """
    if getattr(getattr(qid, "dtype", None), "names", None):
        raise ArgumentError(
            "qid", "must hold ids alone, got an array made by query_ids."
        )

    names, (query_of_row, _, indptr, _) = _numbered(qid, None)
    ids = names[query_of_row] if names.dtype.kind == "O" else as_ids(qid)
    return ids, np.diff(indptr)[query_of_row]


def _numbered(qid: Any, n_rows: int | None) -> tuple[NDArray[Any], _Numbered]:
    """Return the ids of the queries, none of them missing, and their numbers."""
    column = qid
    numbered = None if type(qid) is np.ndarray else _number_column(qid)
    if numbered is None:
        column = as_ids(qid)
        numbered = _number(column)
    if n_rows is not None and len(column) != n_rows:
        _raise_other_length(column, n_rows)

    first_rows = numbered[1][:-1]
    names = np.asarray(by_position(column)[first_rows])
    if names.dtype.kind not in "iubUSV":  # in which no id can be missing
        _require_ids(names, first_rows)
        _require_distinct_ids(names, first_rows)
    return names, numbered


def _number_column(qid: Any) -> _Numbered | None:
    """Assign numbers to the categories or Arrow's text of data frames; None for other types."""
    codes = category_codes(qid)
    if codes is not None:
        return _number(codes)

    text = arrow_text(qid)
    if text is None:
        return None
    ends, characters = text
    return _core.number_text(offsets=ends, text=characters, seed=_SEED)


def _raise_other_length(ids: Any, n_rows: int) -> NoReturn:
    are_integers = isinstance(ids, np.ndarray) and ids.dtype.kind in "iu"
    if are_integers and ids.sum() == n_rows:
        raise ArgumentError(
            "qid",
            f"must hold one query id per row ({n_rows}), got {len(ids)} numbers that add "
            "up to the number of rows and look like group sizes. "
            "Use qid=np.repeat(np.arange(len(sizes)), sizes).",
        )

    raise ArgumentError(
        "qid", f"must have one entry per row of y_true ({n_rows}), got {len(ids)}."
    )


class _MissingIdError(ArgumentError):
    """A row names no query; a column of another name has no id there."""

    def renamed(self, name: str) -> ArgumentError:
        return ArgumentError(name, self.rule.replace("name a query", "have an id", 1))


def _require_ids(names: NDArray[Any], first_rows: IntArray) -> None:
    query = first_true(_missing(names))
    if query is not None:
        raise _MissingIdError(
            "qid",
            f"must name a query in every row, got {names[query]} in row {first_rows[query]}.",
        )


def _require_distinct_ids(names: NDArray[Any], first_rows: IntArray) -> None:
    """Raise where ids are floats so large that the type does not tell whole numbers apart."""
    kind = names.dtype
    if kind.kind == "O":
        sizes = [
            abs(name) if isinstance(name, float) else 0.0 for name in names.tolist()
        ]
        kind = np.dtype(np.float64)
    elif kind.kind == "f":
        sizes = np.abs(names)
    else:
        return

    # An endless one is a score, of which another check warns.
    are_merged = np.isfinite(sizes) & np.greater_equal(sizes, _first_merged(kind))
    query = first_true(are_merged)
    if query is not None:
        raise _merged_ids(kind, names[query], first_rows[query])


def _first_merged(kind: np.dtype[Any]) -> float:
    """Return the whole number from which on a type of floats does not tell all of them apart."""
    return 2.0 ** (np.finfo(kind).nmant + 1)


def _merged_ids(kind: np.dtype[Any], query_id: Any, row: int) -> ArgumentError:
    return ArgumentError(
        "qid",
        f"must hold ids that their type tells apart, which {kind} does for whole numbers below "
        f"2**{np.finfo(kind).nmant + 1}, got {query_id:.17g} in row {row}: several queries would "
        "be one. Read the column as text or integers, as in pd.read_csv(..., dtype={'qid': str}).",
    )


def _number(ids: NDArray[Any]) -> _Numbered:
    """Assign numbers to ids by first appearance."""
    kind = ids.dtype.kind
    size = ids.dtype.itemsize
    if kind in "US" and size:
        id_bytes = np.ascontiguousarray(ids).view(np.uint8)
        return _core.number_bytes(ids=id_bytes, width=size, seed=_SEED)

    by_address = _number_addresses(ids) if kind == "O" else None
    if by_address is not None:
        query_of_row, starts, *_ = by_address
        codes = _as_codes(ids[starts[:-1]])
        if len(np.unique(codes)) == len(codes):  # no two objects are equal
            return by_address
        words = codes[query_of_row]
    elif kind in "iubmM" and size == _WORD:
        words = np.ascontiguousarray(ids).view(np.int64)
    elif kind in "iubmM":
        words = np.ascontiguousarray(ids).astype(np.int32, copy=False)
    elif kind == "f":
        words = (ids.astype(np.float64) + 0.0).view(np.int64)  # -0.0 becomes 0.0
    else:
        words = _as_codes(ids)
    return _core.number_words(ids=words, seed=_SEED, most=len(words))


def _number_addresses(objects: NDArray[Any]) -> _Numbered | None:
    """Assign numbers to objects by address; None if more than a quarter of them are distinct.

    A column of text mostly holds each object many times, and the addresses are numbered without
    reading the text. Equal texts in different objects get different numbers.
    """
    most = len(objects) // 4
    if not most:
        return None
    addresses = np.frombuffer(np.ascontiguousarray(objects), dtype=np.intp)
    addresses = addresses.astype(np.int64, copy=False)
    numbered = _core.number_words(ids=addresses, seed=_SEED, most=most)
    return numbered if len(numbered[1]) - 1 <= most else None


def _as_codes(ids: NDArray[Any]) -> IntArray:
    """Assign equal numbers to equal objects."""
    objects = ids.tolist()
    numbers = _core.read_floats(values=objects, or_integers=True)
    if numbers is not None and np.abs(numbers).max(initial=0.0) < LARGEST_EXACT:
        return (numbers + 0.0).view(np.int64)

    pandas = imported("pandas")
    if pandas is not None:  # which is several times faster
        return np.asarray(pandas.factorize(ids)[0], np.int64)

    try:
        distinct = dict.fromkeys(objects)
    except TypeError as error:
        raise ArgumentError(
            "qid", f"must hold ids that can be hashed: {error}."
        ) from error
    code_of_id = dict(zip(distinct, range(len(distinct)), strict=True))
    codes = map(code_of_id.__getitem__, objects)
    return np.fromiter(codes, dtype=np.int64, count=len(objects))


def as_ids(qid: ArrayLike) -> NDArray[Any]:
    """Return query ids as an array in which different ids stay different.

    Parameters
    ----------
    qid : array-like of shape (n_documents,)
        Ids of any type, or of several types in one list.

    Returns
    -------
    ndarray of shape (n_documents,)
        The ids.

    Raises
    ------
    ValueError
        If `qid` is not one-dimensional.

    Examples
    --------
    >>> from skgraded.rankings import as_ids
    >>> as_ids([1, "1"])  # NumPy would convert both to text
    array([1, '1'], dtype=object)
    """
    if type(qid) is np.ndarray and qid.ndim == 1 and qid.dtype in _INTEGERS:
        return qid
    if isinstance(qid, list | tuple) and any(type(entry) is tuple for entry in qid[:1]):
        return _as_objects(qid)  # an id of several parts, which NumPy takes for columns
    shape = getattr(qid, "shape", ())
    if len(shape) > 1:
        raise ArgumentError(
            "qid",
            f"must hold one id per row, got shape {shape}. An id of several columns is one "
            "by qid=list(zip(first, second)); a single column by its name or by .ravel().",
        )
    ids = one_dimensional("qid", qid)
    dtype = ids.dtype
    if dtype == np.float16:  # which indices of pandas lack
        row = first_true(np.abs(ids) >= _first_merged(dtype))
        if row is not None:
            raise _merged_ids(dtype, ids[row], row)
        return ids.astype(np.float32)

    # NumPy converts ids of several types and nan to text, and large integers to floats.
    if isinstance(qid, list | tuple) and dtype.kind in "Uf":
        types = set(map(type, qid))
        if dtype.kind == "f":
            is_converted = types == {int}
        else:
            is_converted = not all(issubclass(kind, str) for kind in types)
        if is_converted:
            return _as_objects(qid)

    if dtype.kind == "T" or (dtype.kind == "f" and dtype.itemsize > _WORD):
        return ids.astype(object)  # which kernels and pandas lack
    return ids if dtype.isnative else ids.astype(dtype.newbyteorder("="))


def _as_objects(ids: Sequence[Any]) -> NDArray[Any]:
    return np.fromiter(ids, dtype=object, count=len(ids))


def _missing(names: NDArray[Any]) -> BoolArray:
    """Mark the missing ids."""
    if names.dtype.kind == "O":
        ids = names.tolist()
        if set(map(type, ids)) == {str}:  # as mostly
            return np.zeros(len(ids), bool)
        return np.array([is_missing(query_id) for query_id in ids], bool)
    return np.asarray(np.isnan(names))  # or NaT
