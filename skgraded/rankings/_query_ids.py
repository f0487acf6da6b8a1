"""Which query each row belongs to, how many rows the query has, and where both may stand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import fitted_inside, warn_once
from skgraded.exceptions import IdColumnWarning

IntArray = NDArray[np.int64]

QID = "qid"
GRADE, N_ROWS = "grade", "n_rows"
FIELDS = (GRADE, QID, N_ROWS)


class QueryIds(NamedTuple):
    """Query of each row, and the size that the query has in the whole data set.

    Rows of a query are missing, or occur twice, where their number is not its size.

    Attributes
    ----------
    ids : array-like of shape (n_documents,)
        Query id of each row, in the type in which they were given.
    sizes : ndarray of shape (n_documents,), int64, or None
        Number of rows of each row's query in the data set that the rows come from; None where
        only the ids are known.
    """

    ids: Any
    sizes: IntArray | None


def split_target(y: Any) -> tuple[Any, QueryIds | None]:
    """Take a target apart into grades and queries.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades, or the array that `query_target` makes.

    Returns
    -------
    grades : array-like of shape (n_documents,)
        The grades.
    queries : QueryIds or None
        The queries, where y is made by `query_target`.

    Raises
    ------
    ValueError
        If y is a structured array of another kind.

    Examples
    --------
    >>> from skgraded.rankings import query_target, split_target
    >>> grades, queries = split_target(query_target([2, 0], ["a", "b"]))
    >>> grades, queries.ids
    (array([2., 0.]), array(['a', 'b'], dtype='<U1'))
    """
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if not fields:
        return y, None
    if set(fields) != set(FIELDS):
        raise ValueError(
            "y must hold grades, or be made by query_target(y, qid), "
            f"got an array with the fields {', '.join(fields)}."
        )
    return y[GRADE], QueryIds(y[QID], y[N_ROWS])


def ids_in_keyword(qid: Any) -> QueryIds:
    """Read ids that a keyword holds as they are, or as `query_ids` makes them, with sizes."""
    names = getattr(getattr(qid, "dtype", None), "names", None)
    return QueryIds(qid[QID], qid[N_ROWS]) if names == (QID, N_ROWS) else QueryIds(qid, None)


def ids_in_index(index: Any) -> QueryIds:
    """Read the levels of a pandas index that hold the query ids and, if there is one, the sizes."""
    sizes = np.asarray(index.get_level_values(N_ROWS)) if N_ROWS in index.names else None
    return QueryIds(index.get_level_values(QID), sizes)


def without_query_ids(X: Any) -> Any:
    """Drop the column ``"qid"``, which is not a feature, where X is a DataFrame that has it.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    array-like
        X itself, or a DataFrame without the column.

    Examples
    --------
    >>> from skgraded.rankings import without_query_ids
    >>> without_query_ids([[0.5], [0.25]])
    [[0.5], [0.25]]
    """
    if not has_id_column(X):
        return X
    is_pandas = hasattr(X, "iloc")
    return X.drop(columns=QID) if is_pandas else X.drop(QID)


def features_for(estimator: Any, X: Any) -> Any:
    """Return X without a column ``"qid"`` that a fitted estimator was not fitted on.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    array-like
        X as the estimator knows it.

    Warns
    -----
    IdColumnWarning
        If the column is a feature of the estimator.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded.rankings import features_for
    >>> features_for(Ridge().fit([[0.5], [0.25]], [1, 0]), [[0.5]])
    [[0.5]]
    """
    if not has_id_column(X):
        return X
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:  # fitted on arrays
        was_left_out = getattr(estimator, "n_features_in_", None) == X.shape[1] - 1
    else:
        was_left_out = QID not in names
    *_, last = fitted_inside(estimator)
    if QID in getattr(last, "feature_names_in_", ()):
        warn_once(
            f"{type(last).__name__} was fitted on the column {QID!r} of X, and learned from the "
            "query ids as from a feature. Put it into QueryRanker(...), which leaves the column "
            "out, or fit it on X without the column and give the ids by query_target(y, qid).",
            IdColumnWarning,
        )
    return without_query_ids(X) if was_left_out else X


def has_id_column(X: Any) -> bool:
    """Whether X is a DataFrame with a column ``"qid"``.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> from skgraded.rankings import has_id_column
    >>> has_id_column([[0.5], [0.25]])
    False
    """
    return QID in getattr(X, "columns", ())
