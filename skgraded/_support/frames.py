"""What pandas, polars, Arrow and torch have beyond NumPy, read without importing any of them.

A library that nobody has imported made none of the values. Other libraries that have the methods of
pandas are read as pandas is.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import FloatArray, IntArray

# Numbers of 8 or 16 bits that NumPy does not know; each is exact in single precision.
_SHORT_FLOATS = ("bfloat16", "float8", "float6", "float4")


def imported(library: str) -> Any:
    """Return a library that something has imported, or None."""
    return sys.modules.get(library)


def library_of(value: Any) -> str:
    """Return the name of the library that the type of a value is from."""
    return type(value).__module__.partition(".")[0]


def is_pandas_object(value: Any) -> bool:
    """Whether a value is a Series or a DataFrame of pandas."""
    pandas = imported("pandas")
    if pandas is None:
        return False
    return isinstance(value, (pandas.Series, pandas.DataFrame))


def by_position(column: Any) -> Any:
    """Return what reads the entries of a column by their positions."""
    return getattr(column, "iloc", column)


def names_of_columns(table: Any) -> Any:
    """Return the names of the columns, or None where a value has none."""
    return getattr(table, "column_names", getattr(table, "columns", None))


def without_columns(table: Any, names: list[str]) -> Any:
    """Return a table without some of its columns."""
    if hasattr(table, "iloc"):  # of pandas
        return table.drop(columns=names)
    return table.drop(names)


def reorder_column(table: Any, place: int, order: IntArray) -> Any:
    """Return a table with the entries of a column in another order."""
    if hasattr(table, "iloc"):  # of pandas
        entries = table.iloc[:, place].array
        table = table.copy()
        table.isetitem(place, entries.take(order))
        return table

    name = names_of_columns(table)[place]
    if hasattr(table, "column_names"):  # of Arrow
        entries = table.column(place)
        return table.set_column(place, name, entries.take(order))

    reordered = table[name].gather(order)
    return table.with_columns(reordered)


def words_of_grades(column: Any) -> tuple[Any, ...]:
    """Return the ordered categories of words that stand for the grades 0, 1, ....

    Parameters
    ----------
    column : array-like
        Any column. Ordered categories are those of pandas that are made so, and polars' Enum.

    Returns
    -------
    tuple
        The categories, lowest first; empty where the values are grades themselves.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded._support.frames import words_of_grades
    >>> words_of_grades(pd.Categorical(["good"], categories=["bad", "good"], ordered=True))
    ('bad', 'good')
    """
    dtype: Any = getattr(column, "dtype", None)
    is_enum = type(dtype).__name__ == "Enum"
    if not getattr(dtype, "ordered", is_enum):
        return ()

    words = tuple(dtype.categories)
    if all(isinstance(word, Number) for word in words):
        return ()
    return words


def category_numbers(column: Any) -> FloatArray:
    """Return the number of each entry's category, NaN where an entry is missing."""
    codes = _codes(column)
    is_missing = codes < 0
    return np.where(is_missing, np.nan, codes.astype(np.float64))


def category_codes(column: Any) -> NDArray[Any] | None:
    """Return the code of each entry's category, -1 for missing ones; None without categories."""
    has_categories = False
    if _is_column_of_pandas(column):
        categorical = imported("pandas").CategoricalDtype
        has_categories = isinstance(column.dtype, categorical)

    elif _is_column_of_polars(column):
        polars = imported("polars")
        has_categories = column.dtype in (polars.Categorical, polars.Enum)
    return _codes(column) if has_categories else None


def _codes(column: Any) -> NDArray[Any]:
    """Return the codes of a column with categories."""
    if hasattr(column, "to_physical"):  # of polars
        numbers = column.to_physical().cast(int)
        numbers = numbers.fill_null(-1)
        codes = numbers.to_numpy()
    else:
        codes = getattr(column, "cat", column).codes
    return np.asarray(codes)


def _is_column_of_pandas(value: Any) -> bool:
    return library_of(value) == "pandas" and getattr(value, "ndim", 0) == 1


def has_long_integers(column: Any) -> bool:
    """Whether a column of polars has integers of 128 bits."""
    return _is_column_of_polars(column) and str(column.dtype).endswith("Int128")


def _is_column_of_polars(value: Any) -> bool:
    return library_of(value) == "polars" and hasattr(value, "to_physical")


def arrow_text(column: Any) -> tuple[IntArray, NDArray[np.uint8]] | None:
    """Read a column of text that a data frame keeps as Arrow does.

    Parameters
    ----------
    column : array-like
        Any column.

    Returns
    -------
    (ends, characters) or None
        Each row's text goes from one of the ends to the next. None where the column is another, is
        empty or lacks an entry.
    """
    text = _arrow_array(column)
    if text is None:
        return None

    pyarrow = imported("pyarrow")
    if isinstance(text, pyarrow.ChunkedArray):
        text = text.combine_chunks()
    if not isinstance(text, pyarrow.Array):
        return None
    if text.null_count or not len(text):
        return None

    text = text.cast(pyarrow.large_string())
    _, offsets, characters = text.buffers()
    last = text.offset + len(text)
    ends = np.frombuffer(offsets, dtype=np.int64)
    bytes_of_all = np.frombuffer(characters or b"", dtype=np.uint8)
    return ends[text.offset : last + 1], bytes_of_all


def _arrow_array(column: Any) -> Any:
    """Return text as an array of Arrow; None for other types, and without pyarrow."""
    if _is_column_of_pandas(column):
        is_text = isinstance(column.dtype, imported("pandas").StringDtype)
        if is_text and column.dtype.storage == "pyarrow":
            return imported("pyarrow").array(column)

    elif _is_column_of_polars(column) and column.dtype == imported("polars").String:
        with suppress(ImportError):  # pyarrow is not installed
            return column.to_arrow()
    return None


def floats_of_nullable(column: Any) -> FloatArray | None:
    """Return numbers of a column of pandas, NaN for pandas.NA; None for other types."""
    if not hasattr(column, "to_numpy") or not hasattr(column, "isna"):
        return None

    floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(floats)


def without_gradient(values: Any) -> Any:
    """Return a tensor of torch as one that NumPy reads, and anything else as it is."""
    if not hasattr(values, "detach") or not hasattr(values, "cpu"):
        return values

    tensor = values.detach().cpu()
    if is_short_float(tensor.dtype):
        tensor = tensor.float()
    return tensor


def is_short_float(dtype: Any) -> bool:
    """Whether a type of torch, or of those that jax adds to NumPy's, is a short float."""
    return str(dtype).removeprefix("torch.").startswith(_SHORT_FLOATS)
