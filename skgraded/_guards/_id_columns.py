"""Features that hold query ids, found by predicting some rows twice, the second time with others.

Ids of other queries say nothing about a document, so that predictions must not change with them.
This asks neither how a column is called nor what a Pipeline makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._queries import Queries
from skgraded._guards._stack import warn_once
from skgraded._support.array_types import IntArray
from skgraded.exceptions import IdColumnWarning

_PREDICTED = 300  # rows
# With fewer queries, a feature such as 0 and 1 may equal the ids by chance.
_FEWEST_QUERIES = 3
_DIGITS_OF_FLOAT32 = 1e-6


def warn_if_a_feature_holds_the_ids(
    predict: Callable[[Any], NDArray[Any]], X: Any, queries: Queries
) -> None:
    """Warn where a column of X equals the query ids, and predictions change with it.

    Parameters
    ----------
    predict : callable
        Scores rows of X.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features; the rows stand query by query.
    queries : Queries
        The rows by query.
    """
    if len(queries.qid) < _FEWEST_QUERIES:
        return
    rows = _sampled(int(queries.indptr[-1]))
    ids = queries.qid[np.searchsorted(queries.indptr, rows, side="right") - 1]
    some = _rows_of(X, rows)
    for place in _places_of(ids, some):
        if _changes(predict, some, int(place)):
            names = getattr(X, "column_names", getattr(X, "columns", None))
            _warn_of_ids(int(place) if names is None else names[place])
            return


def warn_if_a_column_is_learned(
    predict: Callable[[Any], NDArray[Any]], X: Any, name: str
) -> None:
    """Warn where predictions change with a column of a data frame that holds query ids.

    Parameters
    ----------
    predict : callable
        Scores rows of X.
    X : data frame
        The features, and the column.
    name : str
        Name of the column.
    """
    if _changes(predict, _rows_of(X, _sampled(len(X))), list(X.columns).index(name)):
        _warn_of_ids(name)


def _warn_of_ids(name: object) -> None:
    warn_once(
        f"X holds the query ids in column {name!r}, and predictions change with them: the model "
        "uses them as a feature. Leave the column out of X, or name it 'qid' in a DataFrame and "
        "put the model into QueryRanker(...), which reads the ids there and does not train on "
        "them.",
        IdColumnWarning,
    )


def _sampled(n_rows: int) -> IntArray:
    return np.unique(np.linspace(0, n_rows - 1, _PREDICTED).astype(np.int64))


def _rows_of(X: Any, rows: IntArray) -> Any:
    from sklearn.utils import _safe_indexing

    some = X[rows] if type(X) is np.ndarray else _safe_indexing(X, rows)
    return np.asarray(some) if isinstance(some, list) else some


def _places_of(ids: NDArray[Any], X: Any) -> NDArray[np.intp]:
    """Return the columns that equal ids, but for digits that a type of numbers loses."""
    if hasattr(X, "tocsc"):  # a column of ids is full
        full = np.flatnonzero(2 * np.diff(X.tocsc().indptr) > len(ids))
        return full[_places_of(ids, X[:, full].toarray())]
    table = np.asarray(X)
    if table.dtype == object and table.shape[1] > 1:  # columns of different types
        return np.flatnonzero([len(_places_of(ids, each[:, None])) for each in table.T])
    with suppress(TypeError, ValueError), np.errstate(invalid="ignore"):
        numbers = ids.astype(np.float64)[:, None]
        difference = np.abs(table.astype(np.float64) - numbers)
        return np.flatnonzero(
            (difference <= _DIGITS_OF_FLOAT32 * np.abs(numbers)).all(axis=0)
        )
    return np.flatnonzero((table.astype(str) == ids.astype(str)[:, None]).all(axis=0))


def _changes(predict: Callable[[Any], NDArray[Any]], X: Any, place: int) -> bool:
    """Whether predictions change where rows get the entries of others in a column."""
    order = np.random.default_rng(0).permutation(X.shape[0])
    return not np.array_equal(predict(X), predict(_with_others(X, place, order)))


def _with_others(X: Any, place: int, order: IntArray) -> Any:
    """Return rows with the entries of a column in another order, in the type that X has."""
    if hasattr(X, "iloc"):  # pandas
        X = X.copy()
        X.isetitem(place, X.iloc[:, place].array.take(order))
        return X
    if hasattr(X, "column_names"):  # pyarrow
        return X.set_column(place, X.column_names[place], X.column(place).take(order))
    if hasattr(X, "columns"):  # polars
        return X.with_columns(X[X.columns[place]].gather(order))
    moved = X.tolil() if hasattr(X, "tolil") else X.copy()
    moved[:, place] = moved[order][:, place]
    return moved.tocsr() if hasattr(X, "tolil") else moved
