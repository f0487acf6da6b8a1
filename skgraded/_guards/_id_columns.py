"""Features that hold query ids or labels, found by predicting some rows twice.

The second time a column has the entries of other rows.

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
from skgraded._support.frames import names_of_columns, reorder_column
from skgraded.exceptions import IdColumnWarning

_PREDICTED = 300  # rows
# With fewer queries, a feature such as 0 and 1 may equal the ids by chance.
_FEWEST_QUERIES = 3
_DIGITS_OF_FLOAT32 = 1e-6
# With fewer labels, or so few orders of them, a feature may equal them by chance.
_FEWEST_LABELS = 30
_LOG_ORDERS = 30.0

Predict = Callable[[Any], NDArray[Any]]


def warn_if_a_feature_holds_the_ids(predict: Predict, X: Any, queries: Queries) -> None:
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

    n_rows = queries.indptr.item(-1)
    rows = _sample_rows(n_rows)
    next_query_of_row = np.searchsorted(queries.indptr, rows, side="right")
    ids = queries.qid[next_query_of_row - 1]

    sample = _select_rows(X, rows)
    for place in _places_of_ids(ids, sample).tolist():
        if _changes_predictions(predict, sample, place):
            names = names_of_columns(X)
            _warn_of_ids(place if names is None else names[place])
            return


def warn_if_a_feature_holds_the_labels(
    predict: Predict, X: Any, labels: NDArray[Any]
) -> None:
    """Warn where a column of X is the labels but for scale, and predictions change with it.

    Parameters
    ----------
    predict : callable
        Scores rows of X.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features.
    labels : ndarray of shape (n_documents,)
        Grades.
    """
    rows = _sample_rows(len(labels))
    if len(labels) < _FEWEST_LABELS or not _is_rich(labels):
        return
    sample = _select_rows(X, rows)
    for place in _places_of_copies(labels[rows].astype(np.float64), sample):
        column = _column(X, int(place))
        if column is None or not _is_copy(labels.astype(np.float64), column):
            continue
        if _changes_predictions(predict, sample, int(place)):
            names = getattr(X, "column_names", getattr(X, "columns", None))
            name = int(place) if names is None else names[place]
            warn_once(
                f"X holds the grades of y in column {name!r}, but for scale, and predictions "
                "change with them: new documents have no grades. Leave the column out of X.",
                IdColumnWarning,
            )
            return


def _is_rich(labels: NDArray[Any]) -> bool:
    """Whether no other column equals the labels by chance: their shares say how many orders."""
    _, counts = np.unique(labels, return_counts=True)
    shares = counts / len(labels)
    log_orders = -len(labels) * (shares * np.log(shares)).sum()
    return bool(log_orders > _LOG_ORDERS)


def _places_of_copies(labels: NDArray[np.float64], X: Any) -> NDArray[np.intp]:
    """Return the columns that are the labels but for place and scale."""
    table = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if table.dtype.kind not in "biuf":
        columns = [_as_numbers(column) for column in table.T]
    else:
        columns = list(table.T.astype(np.float64))
    is_copy = [column is not None and _is_copy(labels, column) for column in columns]
    return np.flatnonzero(is_copy)


def _as_numbers(column: NDArray[Any]) -> NDArray[np.float64] | None:
    with suppress(TypeError, ValueError):
        return column.astype(np.float64)
    return None


def _column(X: Any, place: int) -> NDArray[np.float64] | None:
    """Return a column of features as numbers."""
    from sklearn.utils import _safe_indexing

    if not hasattr(X, "shape"):
        X = np.asarray(X)
    column = _safe_indexing(X, place, axis=1)
    if hasattr(column, "toarray"):
        column = column.toarray()
    return _as_numbers(np.asarray(column).ravel())


def _is_copy(labels: NDArray[np.float64], column: NDArray[np.float64]) -> bool:
    """Whether a column is the labels times a number plus another, the number not 0."""
    spread = np.ptp(labels)
    if not spread or not np.isfinite(column).all():
        return False
    top = labels.argmax()
    bottom = labels.argmin()
    factor = (column[top] - column[bottom]) / spread
    line = column[bottom] + factor * (labels - labels[bottom])
    difference = np.abs(column - line).max()
    return bool(factor != 0 and difference <= _DIGITS_OF_FLOAT32 * np.abs(column).max())


def warn_if_a_column_is_learned(predict: Predict, X: Any, name: str) -> None:
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
    rows = _sample_rows(len(X))
    sample = _select_rows(X, rows)
    place = list(X.columns).index(name)
    if _changes_predictions(predict, sample, place):
        _warn_of_ids(name)


def _warn_of_ids(name: object) -> None:
    warn_once(
        f"X holds the query ids in column {name!r}, and predictions change with them: the model "
        "uses them as a feature. Leave the column out of X, or name it 'qid' in a DataFrame and "
        "put the model into QueryRanker(...), which reads the ids there and does not train on "
        "them.",
        IdColumnWarning,
    )


def _sample_rows(n_rows: int) -> IntArray:
    evenly_spaced = np.linspace(0, n_rows - 1, _PREDICTED)
    return np.unique(evenly_spaced.astype(np.int64))


def _select_rows(X: Any, rows: IntArray) -> Any:
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    if type(X) is np.ndarray:
        return X[rows]

    from sklearn.utils import _safe_indexing

    sample = _safe_indexing(X, rows)
    return np.asarray(sample) if isinstance(sample, list) else sample


def _places_of_ids(ids: NDArray[Any], X: Any) -> NDArray[np.intp]:
    """Return the columns that equal ids, but for digits that a type of numbers loses."""
    if hasattr(X, "tocsc"):  # a column of ids is full
        n_entries = np.diff(X.tocsc().indptr)
        is_full = 2 * n_entries > len(ids)
        full_columns = np.flatnonzero(is_full)
        dense_columns = X[:, full_columns].toarray()
        return full_columns[_places_of_ids(ids, dense_columns)]

    table = np.asarray(X)
    if table.dtype == object and table.shape[1] > 1:  # columns of different types
        n_equal = []
        for column in np.hsplit(table, table.shape[1]):
            places = _places_of_ids(ids, column)
            n_equal.append(len(places))
        return np.flatnonzero(n_equal)

    are_equal = None
    ids = ids[:, None]
    with suppress(TypeError, ValueError), np.errstate(invalid="ignore"):
        numbers = ids.astype(np.float64)
        difference = table.astype(np.float64) - numbers
        tolerance = _DIGITS_OF_FLOAT32 * np.abs(numbers)
        are_equal = np.abs(difference) <= tolerance

    if are_equal is None:  # not all are numbers; NumPy writes no tuples into text
        texts = np.array([str(query) for query in ids[:, 0].tolist()])[:, None]
        are_equal = table.astype(str) == texts
    is_equal_column = are_equal.all(axis=0)
    return np.flatnonzero(is_equal_column)


def _changes_predictions(predict: Predict, X: Any, place: int) -> bool:
    """Whether predictions change where rows get the entries of others in a column."""
    rng = np.random.default_rng(0)
    order = rng.permutation(X.shape[0])
    predictions = predict(X)

    reordered = _reorder_column(X, place, order)
    return not np.array_equal(predictions, predict(reordered))


def _reorder_column(X: Any, place: int, order: IntArray) -> Any:
    """Return rows with the entries of a column in another order, in the type that X has."""
    if names_of_columns(X) is not None:
        return reorder_column(X, place, order)

    is_sparse = hasattr(X, "tolil")
    reordered = X.tolil() if is_sparse else X.copy()
    reordered_rows = reordered[order]
    reordered[:, place] = reordered_rows[:, place]
    if is_sparse:
        reordered = reordered.tocsr()
    return reordered
