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


def has_pandas_rows(value: Any) -> bool:
    """Whether a value is read by ``iloc``, as objects of pandas are."""
    return hasattr(value, "iloc")


def is_polars_series(value: Any) -> bool:
    """Whether a value is a Series of polars."""
    return hasattr(value, "to_physical")


def is_table(value: Any) -> bool:
    """Whether a value is a table of pandas, polars or Arrow, which names its columns."""
    return has_pandas_rows(value) or names_of_columns(value) is not None


def by_position(column: Any) -> Any:
    """Return what reads the entries of a column by their positions."""
    return getattr(column, "iloc", column)


def names_of_columns(table: Any) -> Any:
    """Return the names of the columns, or None where a value has none."""
    return getattr(table, "column_names", getattr(table, "columns", None))


def without_columns(table: Any, names: list[str]) -> Any:
    """Return a table without some of its columns."""
    if has_pandas_rows(table):
        return table.drop(columns=names)
    return table.drop(names)


def reorder_column(table: Any, place: int, order: IntArray) -> Any:
    """Return a table with the entries of a column in another order."""
    if has_pandas_rows(table):
        table = table.copy()
        table.isetitem(place, table.iloc[:, place].array.take(order))
        return table

    name = names_of_columns(table)[place]
    if hasattr(table, "column_names"):  # of Arrow
        return table.set_column(place, name, table.column(place).take(order))
    return table.with_columns(table[name].gather(order))


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
    if not getattr(dtype, "ordered", type(dtype).__name__ == "Enum"):
        return ()
    words = tuple(dtype.categories)
    return () if all(isinstance(word, Number) for word in words) else words


def category_numbers(column: Any) -> FloatArray:
    """Return the number of each entry's category, NaN where an entry is missing."""
    if is_polars_series(column):
        numbers: FloatArray = column.to_physical().cast(float).to_numpy()
        return numbers
    codes = _pandas_codes(column)
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def category_codes(column: Any) -> NDArray[Any] | None:
    """Return the code of each entry's category, -1 for missing ones; None without categories."""
    if _is_column_of_pandas(column):
        if isinstance(column.dtype, imported("pandas").CategoricalDtype):
            return _pandas_codes(column)
    elif _is_column_of_polars(column):
        polars = imported("polars")
        if column.dtype in (polars.Categorical, polars.Enum):
            codes = column.to_physical().cast(polars.Int64).fill_null(-1)
            return np.asarray(codes.to_numpy())
    return None


def _is_column_of_pandas(value: Any) -> bool:
    return library_of(value) == "pandas" and getattr(value, "ndim", 0) == 1


def _is_column_of_polars(value: Any) -> bool:
    return library_of(value) == "polars" and is_polars_series(value)


def _pandas_codes(column: Any) -> NDArray[Any]:
    return np.asarray(getattr(column, "cat", column).codes)


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
    if not isinstance(text, pyarrow.Array) or text.null_count or not len(text):
        return None

    text = text.cast(pyarrow.large_string())
    _, offsets, characters = text.buffers()
    rows = slice(text.offset, text.offset + len(text) + 1)
    ends = np.frombuffer(offsets, dtype=np.int64)[rows]
    return ends, np.frombuffer(characters or b"", dtype=np.uint8)


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
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def without_gradient(values: Any) -> Any:
    """Return a tensor of torch as one that NumPy reads, and anything else as it is."""
    if not hasattr(values, "detach") or not hasattr(values, "cpu"):
        return values
    tensor = values.detach().cpu()
    return tensor.float() if is_short_float(tensor.dtype) else tensor


def is_short_float(dtype: Any) -> bool:
    """Whether a type of torch, or of those that jax adds to NumPy's, is a short float."""
    return str(dtype).removeprefix("torch.").startswith(_SHORT_FLOATS)
