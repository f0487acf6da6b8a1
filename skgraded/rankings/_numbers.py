"""Checks of the columns that users pass; errors name the argument, the rule and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._support.arguments import ArgumentError, first_true, is_missing, is_number
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.frames import (
    category_numbers,
    floats_of_nullable,
    is_short_float,
    library_of,
    without_gradient,
    words_of_grades,
)

_AS_THEY_ARE = frozenset(
    map(np.dtype, ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
)
FLOATS = frozenset(map(np.dtype, ["f8", "f4"]))
_MOST_ROWS = 2**31 - 1  # which 32-bit integers number
_SMALLEST = float(np.finfo(np.float64).tiny)
LARGEST_EXACT = 2**53  # beyond it, different integers can be the same float
_LONGEST_QUOTE = 60
_MOST_WORDS = 10  # that stand for grades

_WAY_TO_GRADES = (
    " y_true comes first, and then y_score. Use 0 for documents judged not relevant (or junk), "
    "and NaN for unjudged documents; leave rows out that pad a batch."
)
_WAY_TO_SCORES = (
    " Scores without a value have no rank: "
    "drop these rows, or give them the lowest score."
)


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Return values as an array.

    Tensors are read without their gradients, and numbers of 8 or 16 bits that NumPy does not know,
    such as bfloat16, as the single-precision numbers that they are exactly.
    """
    if type(values) is list:
        floats = _core.read_floats(values=values, or_integers=False)
        if floats is not None:
            return floats

    if library_of(values) == "polars" and str(values.dtype).endswith("128"):
        return np.array(values.to_list(), dtype=object)  # NumPy has no such integers

    is_list = isinstance(values, list | tuple)
    try:
        array = np.asarray(without_gradient(values))
    except ValueError as error:
        if is_list:
            raise _not_a_column(name, "lists of different lengths") from error
        raise
    except (TypeError, RuntimeError):
        if not is_list:
            raise
        # A list of tensors that have gradients, or numbers that NumPy does not know.
        array = np.asarray([without_gradient(value) for value in values])

    is_short = array.dtype.kind == "V" and is_short_float(array.dtype)
    return array.astype(np.float32) if is_short else array


def one_dimensional(name: str, values: ArrayLike) -> NDArray[Any]:
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind != "V":
        return values
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = first_true(np.ma.getmaskarray(values).ravel())
        raise ArgumentError(
            name, f"must have a value in every row, got a masked entry in row {row}."
        )

    array = as_array(name, values)
    if array.ndim == 0:
        raise _not_a_column(name, f"type {type(values).__name__}")
    if array.ndim > 1:
        raise _not_a_column(name, f"shape {array.shape}")
    return array


def _not_a_column(name: str, form: str) -> ArgumentError:
    return ArgumentError(
        name,
        f"must be one-dimensional, with one entry per row, got {form}. Pass columns "
        "themselves, with the queries one after the other and qid=, one id per row; "
        "skgraded.trec.evaluate scores dicts of dicts.",
    )


def numeric(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return values as a one-dimensional array of numbers.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    values : array-like of shape (n_rows,)
        The values.

    Returns
    -------
    ndarray of shape (n_rows,)
        Integers or floats.

    Raises
    ------
    ValueError
        If the values are not one-dimensional, contain a masked entry or are not numbers.

    Examples
    --------
    >>> from skgraded.rankings import numeric
    >>> numeric("y_score", [True, False])
    array([1, 0], dtype=uint8)
    """
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype in _AS_THEY_ARE:
        return values

    array = one_dimensional(name, values)
    kind = array.dtype.kind
    # Comparisons of half precision with limits such as 2**53 would overflow.
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if kind in "iuf":
        return array
    if kind == "b":
        return array.astype(np.uint8)
    if kind == "O":  # numbers of several types, such as nullable pandas columns
        return _floats(name, values, array)
    raise _not_numeric(name, array)


def _floats(name: str, values: Any, array: NDArray[Any]) -> FloatArray:
    entries = array.tolist()
    floats = _core.read_floats(values=entries, or_integers=True)
    if floats is not None:
        return floats

    types = set(map(type, entries))
    try:
        if any(issubclass(kind, str | bytes) for kind in types):
            raise TypeError("text")
        floats = floats_of_nullable(values)  # where astype fails on pandas.NA
        return array.astype(np.float64) if floats is None else floats
    except (TypeError, ValueError, OverflowError) as error:
        raise _not_numeric(name, array) from error


def _not_numeric(name: str, array: NDArray[Any]) -> ArgumentError:
    return ArgumentError(name, f"must be numeric, got an array of dtype {array.dtype}.")


def check_length(name: str, array: NDArray[Any], n_rows: int) -> None:
    if len(array) != n_rows:
        raise ArgumentError(
            name, f"must have one entry per row of y_true ({n_rows}), got {len(array)}."
        )


def numeric_labels(y_true: ArrayLike) -> NDArray[Any]:
    """Return labels as numbers, at least one."""
    labels = read_grades("y_true", y_true)

    if len(labels) > _MOST_ROWS:
        raise ArgumentError(
            "y_true",
            f"must hold at most 2**31 - 1 = {_MOST_ROWS} documents, got {len(labels)}. "
            "skgraded.chunks scores more of them in parts.",
        )
    if len(labels) == 0:
        raise ArgumentError(
            "y_true", "must hold at least one document, got an empty array."
        )
    return labels


def check_labels(labels: NDArray[Any]) -> None:
    """Raise if a label is not a grade."""
    _refuse("y_true", "hold grades >= 0", labels, labels < 0, _WAY_TO_GRADES)

    # The reciprocals of numbers above 0 that are smaller are infinite, and they have few digits.
    is_tiny = (labels > 0) & (labels < _SMALLEST)
    is_beyond = (labels > LARGEST_EXACT) | is_tiny
    rule = f"hold grades that are 0, or {_SMALLEST:.1e} to 2**53"
    _refuse("y_true", rule, labels, is_beyond)


def _refuse(
    name: str, rule: str, values: NDArray[Any], is_bad: BoolArray, way: str = ""
) -> None:
    """Raise with the first bad entry, if there is one."""
    row = first_true(is_bad)
    if row is not None:
        raise ArgumentError(name, f"must {rule}, got {values[row]} in row {row}.{way}")


def own_scores(y_score: Any, places: IntArray | None, n_rows: int) -> FloatArray:
    """Copy scores into the layout, so that the caller's array may change later."""
    if (
        type(y_score) is not np.ndarray
        or y_score.dtype not in FLOATS
        or y_score.ndim != 1
    ):
        y_score = distinct_numbers("y_score", y_score)
    check_length("y_score", y_score, n_rows)

    doubles = np.ascontiguousarray(y_score, np.float64)
    scores, row = _core.copy_scores(scores=doubles, places=places)
    if row >= 0:  # in the copy, because another thread may change the caller's array
        score = scores[row if places is None else places[row]]
        raise ArgumentError(
            "y_score", f"must be finite, got {score} in row {row}.{_WAY_TO_SCORES}"
        )
    return scores


def distinct_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return numbers of any type as doubles, which tell integers apart.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    values : array-like of shape (n_rows,)
        The numbers.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        The doubles.

    Raises
    ------
    ValueError
        If the values are no numbers, or integers from 2**53 on, such as times in nanoseconds, of
        which several are the same double.

    Examples
    --------
    >>> from skgraded.rankings import distinct_numbers
    >>> distinct_numbers("y_score", [3, 1])
    array([3., 1.])
    """
    array = one_dimensional(name, values)
    is_numeric = array.dtype.kind in "iuf"
    doubles = numeric(name, array if is_numeric else values).astype(np.float64)

    if array.dtype.kind != "f":
        row = first_true(np.abs(doubles) >= LARGEST_EXACT)
        if row is not None:
            raise ArgumentError(
                name,
                "must hold integers below 2**53, from which on doubles do not tell all "
                f"apart, got {array[row]} in row {row}. Subtract a constant from all of them.",
            )
    return doubles


def check_weights(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    weights = numeric("sample_weight", sample_weight).astype(np.float64)
    check_length("sample_weight", weights, n_rows)

    is_bad = ~np.isfinite(weights) | (weights < 0)
    _refuse("sample_weight", "be finite and >= 0", weights, is_bad)
    return weights


def borders_of_groups(group: ArrayLike, n_rows: int) -> IntArray:
    """Return the borders of queries whose rows follow one another, from their sizes.

    Parameters
    ----------
    group : array-like of shape (n_queries,)
        Number of rows of each query; 0 is a query without rows.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray of int64
        The borders of the queries that have rows.

    Raises
    ------
    ValueError
        If a size is not an integer >= 0, or the sizes do not add up to `n_rows`.
    """
    sizes = numeric("group", group)
    borders = _core.borders_of_groups(sizes.astype(np.float64))

    if borders[-1] != n_rows:
        is_bad = ~(sizes >= 0) | (sizes != np.floor(sizes))
        query = first_true(is_bad)
        if query is not None:
            raise ArgumentError(
                "group", f"must hold query sizes, integers >= 0, got {sizes[query]}."
            )
        raise ArgumentError(
            "group",
            f"must hold the number of rows of each query: its {len(sizes)} sizes add up to "
            f"{sizes.sum(dtype=np.float64):.16g}, but there are {n_rows} rows.",
        )
    return borders


def read_grades(
    name: str,
    values: ArrayLike,
    grades: Mapping[str, float] | None = None,
    place: Callable[[int], str] | None = None,
    *,
    may_be_words: bool = True,
) -> NDArray[Any]:
    """Return grades of any form as numbers.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    values : array-like of shape (n_documents,)
        Numbers, their digits as text, ordered categories of words, or words for which `grades` has
        numbers.
    grades : mapping of str to float, optional
        The grade of each word.
    place : callable, optional
        Returns the place of a row, for messages.
    may_be_words : bool, default=True
        Whether a message says what to do with words; those of a run have no scores.

    Returns
    -------
    ndarray of shape (n_documents,)
        The grades; NaN where one is missing.

    Raises
    ------
    ValueError
        If an entry is no grade; the message shows a mapping of the words that are there. If
        `grades` does not map words to numbers.

    Examples
    --------
    >>> from skgraded.rankings import read_grades
    >>> read_grades("y", ["2", "0"]), read_grades("y", ["E", "I"], {"E": 3, "I": 0})
    (array([2., 0.]), array([3., 0.]))
    """
    grade_of_word: Mapping[str, float] = {}
    if grades is not None:
        _check_grades_of_words(grades)
        grade_of_word = grades

    if type(values) is not np.ndarray:
        if not grade_of_word:
            values = grades_of_categories(values)
        if np.ma.is_masked(values):  # a masked document is unjudged
            masked = np.ma.asarray(values, dtype=np.float64)
            values = np.ma.filled(masked, np.nan)
    try:
        return numeric(name, values)
    except ValueError:
        entries = one_dimensional(name, values).tolist()

    numbers = [_number_of(entry, grade_of_word) for entry in entries]
    if None not in numbers:
        return np.array(numbers, np.float64)

    row = numbers.index(None)
    way = ""
    if may_be_words:
        pairs = zip(entries, numbers, strict=True)
        way = way_of_words(entry for entry, number in pairs if number is None)
    if place is not None:
        raise ValueError(
            f"{place(row)}: the {name} must be a number, got {_quoted(entries[row])}.{way}"
        )
    raise ArgumentError(
        name, f"must be numeric, got {_quoted(entries[row])} in row {row}.{way}"
    )


def _check_grades_of_words(grades: Any) -> None:
    is_mapping = isinstance(grades, Mapping)
    if not is_mapping or not all(
        isinstance(word, str) and is_number(grade) for word, grade in grades.items()
    ):
        raise ArgumentError(
            "grades",
            f"must map words to numbers, such as {{'no': 0, 'good': 1}}, got {grades!r}.",
        )


def _quoted(entry: Any) -> str:
    try:
        return repr(entry)[:_LONGEST_QUOTE]
    except ValueError:  # an integer of more digits than Python writes
        return "an integer of thousands of digits"


def _number_of(entry: Any, grades: Mapping[str, float]) -> float | None:
    """Return the grade that a word or a number is; None if it is none."""
    # Python allows "_" in numbers.
    if isinstance(entry, str) and (entry in grades or "_" in entry):
        return grades.get(entry)
    try:
        return np.nan if is_missing(entry) else float(entry)
    except (TypeError, ValueError, OverflowError):
        return None


def way_of_words(words: Iterable[Any]) -> str:
    """Return the sentence on what to write where words stand for grades.

    Parameters
    ----------
    words : iterable of object
        The user's words.

    Returns
    -------
    str
        The sentence, with a mapping of these words; empty if there are no words. Many are ids.

    Examples
    --------
    >>> from skgraded.rankings import way_of_words
    >>> way_of_words(["no", "good"])  # doctest: +ELLIPSIS
    " Say which grade each word is, with your numbers: grades={'good': ?, 'no': ?}, as evaluate..."
    """
    unknown = set()
    for word in words:
        if isinstance(word, str) and _number_of(word, {}) is None:
            unknown.add(word)
    if not unknown:
        return ""
    if len(unknown) > _MOST_WORDS:
        return " So many words look like ids. Grades are y in query_target(y, qid), last in qrels."
    grades = ", ".join(f"{word!r}: ?" for word in sorted(unknown))
    options = ",".join(f"{word}=?" for word in sorted(unknown))
    return (
        f" Say which grade each word is, with your numbers: grades={{{grades}}}, as evaluate, "
        "query_target, QueryRanker, log_columns and the readers of skgraded.trec take them, or "
        f"--grades {options} on the command line. Or give ordered categories, "
        "pd.Categorical(..., ordered=True) or pl.Enum."
    )


def grades_of_categories(values: Any) -> Any:
    """Return the grades of ordered categories of words, and all other values as they are.

    Parameters
    ----------
    values : array-like of shape (n_documents,)
        Any column. Ordered categories are those of pandas that are made so, and polars' Enum.

    Returns
    -------
    ndarray of shape (n_documents,), float64, or array-like
        The place of each category among all categories: 0 is the first, NaN (unjudged) a missing
        one. Categories that are numbers are grades already.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.rankings import grades_of_categories
    >>> words = pd.Categorical(["good", None, "bad"], categories=["bad", "good"], ordered=True)
    >>> grades_of_categories(words)
    array([ 1., nan,  0.])
    """
    return category_numbers(values) if words_of_grades(values) else values


def require_same_words(
    words: tuple[Any, ...], of: str, other_words: tuple[Any, ...], of_other: str
) -> None:
    """Raise unless labels in two parts of the data mean the same grades.

    Parameters
    ----------
    words : tuple
        The categories of one part, as `words_of_grades` returns them.
    of : str
        What the message calls this part.
    other_words : tuple
        The categories of the other part.
    of_other : str
        What the message calls the other part.

    Raises
    ------
    ValueError
        If they differ.

    Examples
    --------
    >>> from skgraded.rankings import require_same_words
    >>> require_same_words(("bad", "good"), "chunk 0", ("bad", "good"), "chunk 1")
    """
    if words != other_words:
        raise ValueError(
            "Labels must have the same ordered categories in all parts of the data, since their "
            f"order is that of the grades, got {list(words) or 'none'} in {of} and "
            f"{list(other_words) or 'none'} in {of_other}. Give all parts one type: "
            "pd.CategoricalDtype(['bad', ..., 'good'], ordered=True) or pl.Enum."
        )


def read_as(grades: Mapping[Any, float]) -> str:
    """Return the sentence on what was read, lowest grade first: ``Grades: 0 = I, 3 = E.``."""
    pairs = sorted(grades.items(), key=lambda pair: pair[1])
    return f"Grades: {', '.join(f'{grade:g} = {word}' for word, grade in pairs)}."
