"""Checks of the arrays that users pass, and their layout by query.

Each error names the argument, the rule and the value.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_ids",
    "check_group_sizes",
    "check_labels",
    "check_scores",
    "check_threads",
    "check_weights",
    "group_rows",
    "is_missing",
    "levels_of",
    "mean_by_query",
    "one_dimensional",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LARGEST_TABULATED_GRADE = 1_000_000
_LARGEST_BYTE = np.iinfo(np.uint8).max  # less room for the levels that mark unjudged documents
_EXACT_INTEGER_BYTES = 4
_LARGEST_EXACT = 2**53  # from here on, different integers are the same float


def one_dimensional(name: str, values: ArrayLike) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
        raise ValueError(f"{name} must have a value in every row, got a masked one in row {row}.")
    array = np.asarray(values)
    if array.ndim != 1:
        shape = f"the shape {array.shape}" if array.ndim else f"a {type(values).__name__}"
        raise ValueError(f"{name} must be one-dimensional, one entry per row, got {shape}.")
    return array


def numeric(name: str, values: ArrayLike) -> NDArray[Any]:
    array = one_dimensional(name, values)
    if array.dtype == np.float16:  # which has no room for the numbers that values are compared with
        return array.astype(np.float32)
    if array.dtype.kind in "iuf":
        return array
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "O":  # numbers of several types, such as nullable columns of a frame
        return _floats(name, values, array)
    raise ValueError(f"{name} must be numeric, got {_said_of(array)}.")


def _said_of(array: NDArray[Any]) -> str:
    if array.dtype.names == ("grade", "qid", "n_rows"):
        return 'what query_target makes: pass its field "grade", and its field "qid" as qid'
    return f"an array of dtype {array.dtype}"


def _floats(name: str, values: Any, array: NDArray[Any]) -> FloatArray:
    try:
        if any(issubclass(kind, str | bytes) for kind in set(map(type, array.tolist()))):
            raise TypeError("text")
        if hasattr(values, "to_numpy") and hasattr(values, "isna"):  # pandas.NA is no float
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numeric, got an array of dtype object.") from error


def check_length(name: str, array: NDArray[Any], n_rows: int) -> None:
    if len(array) != n_rows:
        raise ValueError(
            f"{name} must have one entry per row of y_true ({n_rows}), got {len(array)}."
        )


def check_labels(y_true: ArrayLike) -> NDArray[Any]:
    if np.ma.is_masked(y_true):  # what is masked is unjudged
        y_true = np.ma.filled(np.ma.asarray(y_true, dtype=np.float64), np.nan)
    labels = numeric("y_true", y_true)
    if len(labels) == 0:
        raise ValueError("y_true must hold at least one document, got an empty array.")
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        row = int(np.flatnonzero(np.isinf(labels))[0])
        raise ValueError(
            f"y_true must be finite or NaN (unjudged), got {labels[row]} in row {row}."
        )
    if labels.dtype.kind != "u" and (labels < 0).any():
        row = int(np.flatnonzero(labels < 0)[0])
        raise ValueError(
            f"y_true must hold grades >= 0, got {labels[row]} in row {row}: use 0 for a document "
            "that was judged worthless (junk), NaN for one that was not judged."
        )
    beyond = labels > _LARGEST_EXACT
    if beyond.any():
        row = int(np.flatnonzero(beyond)[0])
        raise ValueError(f"y_true must hold grades up to 2**53, got {labels[row]} in row {row}.")
    return labels


def check_scores(y_score: ArrayLike, n_rows: int) -> FloatArray:
    given = numeric("y_score", y_score)
    check_length("y_score", given, n_rows)
    _require_exact_integers(given)
    scores = np.ascontiguousarray(given, dtype=np.float64)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise ValueError(f"y_score must be finite, got {scores[row]} in row {row}.")
    return scores


def _require_exact_integers(scores: NDArray[Any]) -> None:
    """Raise where integers, such as times in nanoseconds, would be tied as floats."""
    if scores.dtype.kind not in "iu" or scores.dtype.itemsize <= _EXACT_INTEGER_BYTES:
        return
    if not ((scores > _LARGEST_EXACT) | (scores < -_LARGEST_EXACT)).any():
        return
    rounded = np.flatnonzero(scores.astype(np.longdouble) != scores.astype(np.float64))
    if len(rounded):
        raise ValueError(
            f"y_score must hold numbers that floats tell apart, got {scores[rounded[0]]} in row "
            f"{rounded[0]}: subtract what the scores have in common."
        )


def check_weights(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    weights = numeric("sample_weight", sample_weight).astype(np.float64)
    check_length("sample_weight", weights, n_rows)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight must be finite and >= 0, got {weights[row]} in row {row}.")
    return weights


def mean_by_query(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Weights of queries, from those of their rows."""
    with np.errstate(over="ignore"):
        means = np.add.reduceat(weights, indptr[:-1]) / np.diff(indptr)
    if not np.isfinite(means).all():
        raise ValueError("sample_weight must be small enough to be added up, got a sum of inf.")
    return means


def check_threads(n_threads: object) -> int:
    """Return a number of threads, None being one."""
    if n_threads is None:
        return 1
    if not isinstance(n_threads, Integral) or n_threads < 1:
        raise ValueError(f"n_threads must be an integer >= 1, got {n_threads!r}.")
    return int(n_threads)


def check_group_sizes(group: ArrayLike, n_rows: int) -> IntArray:
    given = numeric("group", group)
    bad = ~(given >= 0) | (given != np.floor(given))
    if bad.any():
        raise ValueError(f"group must hold query sizes, integers >= 0, got {given[bad][0]}.")
    sizes = given.astype(np.int64)
    if sizes.sum() != n_rows:
        raise ValueError(
            f"group must hold the number of rows of each query: its {len(sizes)} sizes add up to "
            f"{sizes.sum()}, but there are {n_rows} rows."
        )
    return sizes[sizes > 0]


def levels_of(labels: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    """Distinct grades (0 first) and each label's index among them; unjudged = their number."""
    unjudged = np.isnan(labels) if labels.dtype.kind == "f" else None
    if unjudged is not None and not unjudged.any():
        unjudged = None
    judged = labels if unjudged is None else np.where(unjudged, 0, labels)
    grades, levels = _distinct(judged)
    levels = levels.astype(np.uint8 if len(grades) < _LARGEST_BYTE else np.int32)
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
    dtype = np.uint8 if level_of_grade[-1] + 1 < _LARGEST_BYTE else np.int32
    return np.flatnonzero(occurs).astype(np.float64), level_of_grade.astype(dtype)[grades]


def group_rows(
    qid: ArrayLike | None, n_rows: int
) -> tuple[NDArray[Any], IntArray, IntArray | None]:
    """Return query ids as they first appear, their extents, and the order of rows if it changes."""
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
    """Give ids numbers as they first appear; return the first places and all numbers."""
    try:
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    except TypeError:  # ids of several types have no order; equality is enough
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
                "up to the number of rows: these look like group sizes. "
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
    """Return query ids as an array in which different ids stay different."""
    ids = one_dimensional("qid", qid)
    if isinstance(qid, list | tuple) and ids.dtype.kind in "Uf":
        kinds = set(map(type, qid))
        # NumPy made text of ids of several types and of nan, or floats of large integers.
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
    """Whether there is None, nan, NaT or pandas.NA where a value should be."""
    try:
        return each is None or bool(each != each)  # noqa: PLR0124 - nan and NaT differ from themselves
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True
