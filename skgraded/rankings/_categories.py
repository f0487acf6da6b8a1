"""Columns of categories as grades: the order of ordered categories is that of the grades."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["grades_of_categories"]

_EXAMPLES = 4


def grades_of_categories(name: str, values: Any) -> Any:
    """Return the grades of ordered categories of words, and all other values as they are.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    values : array-like of shape (n_documents,)
        Any column. Ordered categories are those of pandas and polars' Enum.

    Returns
    -------
    ndarray of shape (n_documents,), float64, or array-like
        The place of each category among all categories: 0 is the first, NaN (unjudged) a missing
        one. Categories that are numbers are grades already.

    Raises
    ------
    ValueError
        If the categories have no order.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.rankings import grades_of_categories
    >>> words = pd.Categorical(["good", None, "bad"], categories=["bad", "good"], ordered=True)
    >>> grades_of_categories("y_true", words)
    array([ 1., nan,  0.])
    """
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "CategoricalDtype":
        return _of_pandas(name, values, dtype)
    if type(dtype).__module__.startswith("polars"):
        return _of_polars(name, values, dtype)
    return values


def _of_pandas(name: str, values: Any, dtype: Any) -> Any:
    categories = dtype.categories.to_numpy()
    if categories.dtype.kind in "iufb":
        return values
    if not dtype.ordered:
        words = list(map(str, categories))
        raise ValueError(
            f"{_refusal(name, words)}, lowest first: pd.Categorical({name}, categories="
            f"[{_first_few(words)}], ordered=True)."
        )
    codes = np.asarray(getattr(values, "cat", values).codes)
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def _of_polars(name: str, values: Any, dtype: Any) -> Any:
    kind = type(dtype).__name__
    if kind == "Categorical":
        words = values.unique().drop_nulls().to_list()
        raise ValueError(
            f"{_refusal(name, words)}, lowest first: {name}.cast(pl.Enum([{_first_few(words)}]))."
        )
    if kind != "Enum":
        return values
    codes = values.to_physical()
    grades: Any = codes.cast(float).to_numpy()
    return grades


def _refusal(name: str, words: list[str]) -> str:
    shown = ", ".join(words[:_EXAMPLES])
    more = ", ..." if len(words) > _EXAMPLES else ""
    return f"{name} must hold grades, got categories without an order ({shown}{more}). Order them"


def _first_few(words: list[str]) -> str:
    return ", ".join(map(repr, words[:_EXAMPLES])) + (", ..." if len(words) > _EXAMPLES else "")
