"""Labels of training that say nothing of which document is better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._stack import warn_once
from skgraded._support.array_types import IntArray
from skgraded.exceptions import ConstantValueWarning, GradeScaleWarning

_FEWEST_ROWS = 20


def has_two_grades(grades: NDArray[Any], indptr: IntArray) -> bool:
    """Whether documents of some query differ in grade.

    Parameters
    ----------
    grades : ndarray of shape (n_documents,)
        Grade of each document, query by query.
    indptr : ndarray of shape (n_queries + 1,), int64
        The documents of query q are ``indptr[q]:indptr[q + 1]``.

    Returns
    -------
    bool
        Whether there is such a query.
    """
    starts = indptr[:-1]
    highest = np.maximum.reduceat(grades, starts)
    lowest = np.minimum.reduceat(grades, starts)
    return bool((highest > lowest).any())


def warn_if_labels_are_equal(grades: NDArray[Any], indptr: IntArray) -> None:
    """Warn where no training query has documents of different grades.

    Parameters
    ----------
    grades : ndarray of shape (n_documents,)
        Grade of each document, query by query.
    indptr : ndarray of shape (n_queries + 1,), int64
        The documents of query q are ``indptr[q]:indptr[q + 1]``.
    """
    # Few documents may be alike by chance, and single ones are the business of other warnings.
    n_queries = len(indptr) - 1
    if len(grades) < _FEWEST_ROWS or len(grades) == n_queries:
        return
    if has_two_grades(grades, indptr):
        return

    values = np.unique(grades)
    label = f"{values[0]:g} everywhere" if len(values) == 1 else "one in each query"
    warn_once(
        f"y holds no two grades in any of the {n_queries} training queries, but {label}: "
        "nothing says which document is better. Look at how the grades were read or joined, and "
        "give documents without a label grade 0.",
        ConstantValueWarning,
    )


# How the lowest of words begins that stand in order of relevance, and of the alphabet as well.
_LOWEST_WORDS = ("bad", "fail", "irr", "low", "no", "off", "poor", "unrel", "worst")
_FEWEST_WORDS = 3


def warn_if_words_are_in_alphabetical_order(labels: Any) -> None:
    """Warn where ordered categories are words in the order of the alphabet.

    pandas orders them so where nobody has said their order.

    Parameters
    ----------
    labels : array-like of shape (n_documents,)
        Grades, perhaps ordered categories of pandas.
    """
    dtype = getattr(labels, "dtype", None)
    words = getattr(dtype, "categories", None)
    if words is None or not getattr(dtype, "ordered", False):
        return
    names = list(words)
    if len(names) < _FEWEST_WORDS or not all(isinstance(name, str) for name in names):
        return
    are_numbers = all(name.replace(".", "", 1).isdigit() for name in names)
    starts_low = names[0].lower().startswith(_LOWEST_WORDS)
    if are_numbers or starts_low or names != sorted(names):
        return

    order = ", ".join(f"{name!r} = {grade}" for grade, name in enumerate(names))
    grades = ", ".join(f"{name!r}: ..." for name in names)
    warn_once(
        f"y holds ordered categories in the order of the alphabet, which pandas takes by itself: "
        f"{order}. If grades rise in another order, write grades={{{grades}}}, or "
        "pandas.Categorical(y, categories=[...], ordered=True).",
        GradeScaleWarning,
    )
