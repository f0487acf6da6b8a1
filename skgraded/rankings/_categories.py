"""Columns of categories as grades: the order of ordered categories is that of the grades."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

_LOWEST_FIRST = "'bad', ..., 'good'"


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
    kind = type(getattr(values, "dtype", None)).__name__
    if kind == "CategoricalDtype" and words_of_grades(values):
        codes = np.asarray(getattr(values, "cat", values).codes)
        return np.where(codes < 0, np.nan, codes.astype(np.float64))
    if kind == "Enum":
        return values.to_physical().cast(float).to_numpy()
    return values


def words_of_grades(values: Any) -> tuple[Any, ...]:
    """Return the ordered categories of words that stand for the grades 0, 1, ....

    Parameters
    ----------
    values : array-like
        Any column.

    Returns
    -------
    tuple
        The categories, lowest first; empty where the values are grades themselves.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.rankings import words_of_grades
    >>> words_of_grades(pd.Categorical(["good"], categories=["bad", "good"], ordered=True))
    ('bad', 'good')
    """
    dtype: Any = getattr(values, "dtype", None)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype" and dtype.ordered and not _are_numbers(dtype):
        return tuple(dtype.categories)
    return tuple(dtype.categories) if kind == "Enum" else ()


def require_same_words(
    words: tuple[Any, ...], of: str, others: tuple[Any, ...], of_others: str
) -> None:
    """Raise unless labels in two parts of the data mean the same grades.

    Parameters
    ----------
    words : tuple
        The categories of one part, as `words_of_grades` returns them.
    of : str
        What the message calls this part.
    others : tuple
        The categories of the other part.
    of_others : str
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
    if words == others:
        return
    raise ValueError(
        "Labels must have the same ordered categories in all parts of the data, since their order "
        f"is that of the grades, got {_reading(words)} in {of} and {_reading(others)} in "
        f"{of_others}. Give all parts one type: pd.CategoricalDtype([{_LOWEST_FIRST}], "
        "ordered=True) or pl.Enum."
    )


def _reading(words: tuple[Any, ...]) -> str:
    if not words:
        return "grades without categories"
    return ", ".join(f"{word} = {grade}" for grade, word in enumerate(words))


def way_to_order(name: str, values: Any) -> str:
    """Say how to order categories that have no order; nothing for other values."""
    dtype: Any = getattr(values, "dtype", None)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype" and not dtype.ordered:
        return f" Order them: pd.Categorical({name}, categories=[{_LOWEST_FIRST}], ordered=True)."
    if kind == "Categorical":  # of polars
        return f" Order them: {name}.cast(pl.Enum([{_LOWEST_FIRST}]))."
    return ""


def _are_numbers(dtype: Any) -> bool:
    categories = np.asarray(dtype.categories)
    if categories.dtype.kind == "O" and len(categories):
        return all(isinstance(each, Number) for each in categories.tolist())
    return categories.dtype.kind in "iufb"
