"""Functions that group rows by query, check query ids and number the grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded.rankings._checks import one_dimensional

__all__ = [
    "as_ids",
    "group_rows",
    "in_layout",
    "is_missing",
    "level_type",
    "levels_of",
    "mean_by_query",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LARGEST_TABULATED_GRADE = 1_000_000
_LARGEST_BYTE = np.iinfo(np.uint8).max


def in_layout(rows: NDArray[Any], row_order: IntArray | None) -> NDArray[Any]:
    """Reorder an array with one entry per row, so that the rows of a query are consecutive."""
    return rows if row_order is None else rows[row_order]


def level_type(n_levels: int) -> type[np.uint8] | type[np.int32]:
    """Return a type for the levels, including the two that mark unjudged documents."""
    return np.uint8 if n_levels < _LARGEST_BYTE else np.int32


def mean_by_query(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Return the mean of the row weights of each query."""
    with np.errstate(over="ignore"):
        means = np.add.reduceat(weights, indptr[:-1]) / np.diff(indptr)
    if not np.isfinite(means).all():
        raise ValueError("sample_weight must have a finite sum in every query, got inf.")
    return means


def levels_of(labels: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    """Find the distinct grades, and the index of each label among them.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        Grades >= 0; NaN is unjudged.

    Returns
    -------
    grades : ndarray of shape (n_levels,), float64
        The distinct grades, ascending, starting with 0.
    levels : ndarray of shape (n_documents,), uint8 or int32
        Index of each label in `grades`; ``n_levels`` if a document is unjudged.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.rankings import levels_of
    >>> levels_of(np.array([4.0, 0.0, np.nan]))
    (array([0., 4.]), array([1, 0, 2], dtype=uint8))
    """
    unjudged = np.isnan(labels) if labels.dtype.kind == "f" else None
    if unjudged is not None and not unjudged.any():
        unjudged = None
    judged = labels if unjudged is None else np.where(unjudged, 0, labels)
    grades, levels = _distinct(judged)
    levels = levels.astype(level_type(len(grades)))
    if unjudged is not None:
        levels[unjudged] = len(grades)
    return grades, levels


def _distinct(judged: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    top = float(judged.max())
    if top <= _LARGEST_TABULATED_GRADE:
        grades = judged.astype(np.int64)
        if judged.dtype.kind != "f" or np.array_equal(grades, judged):
            return _distinct_integers(grades)
    distinct, inverse = np.unique(judged, return_inverse=True)
    if distinct[0] == 0:
        return distinct.astype(np.float64), inverse
    return np.concatenate(([0.0], distinct.astype(np.float64))), inverse + 1


def _distinct_integers(grades: IntArray) -> tuple[FloatArray, NDArray[Any]]:
    occurs = np.bincount(grades) > 0
    occurs[0] = True
    level_of_grade = np.cumsum(occurs) - 1
    dtype = level_type(int(level_of_grade[-1]) + 1)
    return np.flatnonzero(occurs).astype(np.float64), level_of_grade.astype(dtype)[grades]


def group_rows(
    qid: ArrayLike | None, n_rows: int
) -> tuple[NDArray[Any], IntArray, IntArray | None]:
    """Find the queries, and an order in which the rows of each query are consecutive.

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
    row_order : ndarray of shape (n_rows,), int64, or None
        The row at every position; None if the rows of each query are already consecutive.

    Raises
    ------
    ValueError
        If an id is missing, or the number of ids differs from the number of rows.

    Examples
    --------
    >>> from skgraded.rankings import group_rows
    >>> group_rows(["b", "a", "b"], 3)
    (array(['b', 'a'], dtype='<U1'), array([0, 2, 3]), array([0, 2, 1]))
    """
    if qid is None:
        return np.zeros(1, dtype=np.int64), np.array([0, n_rows]), None
    ids = _check_query_ids(qid, n_rows)
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    first_run, query_of_run = _number_by_appearance(ids[starts])
    if len(first_run) == len(starts):
        return ids[starts], np.append(starts, n_rows), None
    query_of_row = np.repeat(query_of_run, np.diff(np.append(starts, n_rows)))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(query_of_row))))
    return ids[starts[first_run]], indptr, np.argsort(query_of_row, kind="stable")


def _number_by_appearance(ids: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Assign numbers by first appearance; return the first positions and the number of every id."""
    try:
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    except TypeError:  # ids of several types cannot be sorted, but can be hashed
        number: dict[Any, int] = {}
        inverse = np.array([number.setdefault(each, len(number)) for each in ids.tolist()])
        first = np.unique(inverse, return_index=True)[1]
    by_appearance = np.argsort(first)
    number_of = np.empty(len(first), dtype=np.int64)
    number_of[by_appearance] = np.arange(len(first))
    return first[by_appearance], number_of[inverse]


def _check_query_ids(qid: ArrayLike, n_rows: int) -> NDArray[Any]:
    ids = as_ids(qid)
    if len(ids) != n_rows:
        if ids.dtype.kind in "iu" and ids.sum() == n_rows:
            raise ValueError(
                f"qid must hold one query id per row ({n_rows}), got {len(ids)} numbers that add "
                "up to the number of rows and look like group sizes. "
                "Use qid=np.repeat(np.arange(len(sizes)), sizes)."
            )
        raise ValueError(f"qid must have one entry per row of y_true ({n_rows}), got {len(ids)}.")
    missing = _missing(ids)
    if missing.any():
        raise ValueError(
            f"qid must name a query in every row, got {ids[missing][0]} in row "
            f"{int(np.flatnonzero(missing)[0])}."
        )
    return ids


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
    ids = one_dimensional("qid", qid)
    if isinstance(qid, list | tuple) and ids.dtype.kind in "Uf":
        kinds = set(map(type, qid))
        # NumPy converts ids of several types and nan to text, and large integers to floats.
        is_text = all(issubclass(kind, str) for kind in kinds)
        if kinds == {int} if ids.dtype.kind == "f" else not is_text:
            return np.fromiter(qid, dtype=object, count=len(qid))
    return ids.astype(object) if ids.dtype.kind == "T" else ids


def _missing(ids: NDArray[Any]) -> NDArray[np.bool_]:
    if ids.dtype.kind in "fc":
        return np.asarray(np.isnan(ids))
    if ids.dtype.kind in "mM":
        return np.asarray(np.isnat(ids))
    if ids.dtype.kind == "O":
        return np.array([is_missing(each) for each in ids.tolist()], dtype=bool)
    return np.zeros(len(ids), dtype=bool)


def is_missing(each: Any) -> bool:
    """Tell whether a value is None, nan, NaT or pandas.NA.

    Parameters
    ----------
    each : object
        The value.

    Returns
    -------
    bool
        Whether it is missing.

    Examples
    --------
    >>> from skgraded.rankings import is_missing
    >>> is_missing(float("nan")), is_missing(0)
    (True, False)
    """
    try:
        return each is None or bool(each != each)  # noqa: PLR0124 - nan and NaT differ from themselves
    except TypeError:  # comparisons with pandas.NA have no truth value
        return True
