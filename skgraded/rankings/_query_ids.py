"""Which query each row belongs to, and the four ways of saying so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "QID",
    "features_for",
    "find_query_ids",
    "has_id_column",
    "query_target",
    "resolve_query_ids",
    "split_target",
    "without_query_ids",
]

QID = "qid"
_FIELDS = ("grade", QID)

_WAYS = (
    "Query ids are missing. Give one id per row in any of these ways:\n"
    "- the keyword qid=..., inside scikit-learn's tools only where "
    "sklearn.set_config(enable_metadata_routing=True) is set;\n"
    "- y=query_target(y, qid), which every tool of scikit-learn passes on;\n"
    "- a column 'qid' of X, a pandas or polars DataFrame; it is not used as a feature;\n"
    "- an index level named 'qid' of y or X, a pandas Series or DataFrame."
)


def query_target(y: ArrayLike, qid: ArrayLike) -> NDArray[Any]:
    """Put grades and query ids into one target array.

    Scikit-learn slices y in step with X everywhere, so the ids reach every estimator, scorer and
    splitter of skgraded without metadata routing.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"grade"`` (float64) and ``"qid"``.

    Raises
    ------
    ValueError
        If y or qid is not one-dimensional, or their lengths differ.

    Examples
    --------
    >>> from skgraded import query_target
    >>> y = query_target([2, 0, 1], ["a", "a", "b"])
    >>> y["grade"], y["qid"]
    (array([2., 0., 1.]), array(['a', 'a', 'b'], dtype='<U1'))
    """
    grades, ids = np.asarray(y), np.asarray(qid)
    if grades.dtype.names:
        raise ValueError("y must hold grades alone, got an array made by query_target.")
    for name, array in (("y", grades), (QID, ids)):
        if array.ndim != 1:
            raise ValueError(
                f"{name} must be one-dimensional, one entry per row, got shape {array.shape}."
            )
    if len(grades) != len(ids):
        raise ValueError(
            f"qid must hold one query id per row of y ({len(grades)}), got {len(ids)}. "
            "Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes)."
        )
    target = np.empty(len(grades), dtype=list(zip(_FIELDS, (np.float64, ids.dtype), strict=True)))
    target["grade"], target[QID] = grades, ids
    return target


def split_target(y: Any) -> tuple[Any, NDArray[Any] | None]:
    """Take a target apart.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades, or the array that `query_target` makes.

    Returns
    -------
    grades : array-like of shape (n_documents,)
        The grades.
    qid : ndarray of shape (n_documents,) or None
        The query ids, where y holds them.

    Raises
    ------
    ValueError
        If y has other fields than those of `query_target`.

    Examples
    --------
    >>> from skgraded import query_target
    >>> from skgraded.rankings import split_target
    >>> split_target(query_target([2, 0], ["a", "b"]))
    (array([2., 0.]), array(['a', 'b'], dtype='<U1'))
    """
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if not fields:
        return y, None
    if set(fields) != set(_FIELDS):
        raise ValueError(
            "y must hold grades, or be made by query_target(y, qid), "
            f"got an array with the fields {', '.join(fields)}."
        )
    return y["grade"], y[QID]


def resolve_query_ids(X: Any, y: Any = None, qid: Any = None) -> NDArray[Any]:
    """Find the query id of each row.

    The first that is there counts: the keyword, `query_target`, a column ``"qid"`` of X, an index
    level ``"qid"`` of y, one of X.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with the ids among them or in the index.
    y : array-like of shape (n_documents,), optional
        Target, perhaps with the ids in it or in its index.
    qid : array-like of shape (n_documents,), optional
        The ids themselves.

    Returns
    -------
    ndarray of shape (n_documents,)
        The ids, not yet checked.

    Raises
    ------
    ValueError
        If none is there; the message names all the ways.

    Examples
    --------
    >>> from skgraded import query_target
    >>> from skgraded.rankings import resolve_query_ids
    >>> resolve_query_ids([[0.5], [0.1]], query_target([2, 0], ["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    ids = find_query_ids(X, y, qid)
    if ids is None:
        raise ValueError(_WAYS)
    return ids


def find_query_ids(X: Any, y: Any = None, qid: Any = None) -> NDArray[Any] | None:
    """Find the query id of each row as `resolve_query_ids` does; None where there is none."""
    if qid is not None:
        return np.asarray(qid)
    ids = split_target(y)[1]
    if ids is not None:
        return ids
    if has_id_column(X):
        return np.asarray(X[QID])
    for labelled in (y, X):
        index = getattr(labelled, "index", None)
        if QID in getattr(index, "names", ()):
            return np.asarray(index.get_level_values(QID))  # type: ignore[union-attr]
    return None


def without_query_ids(X: Any) -> Any:
    """Drop the column ``"qid"``, which is no feature, where X is a DataFrame that has it."""
    if not has_id_column(X):
        return X
    is_pandas = hasattr(X, "iloc")
    return X.drop(columns=QID) if is_pandas else X.drop(QID)


def features_for(estimator: Any, X: Any) -> Any:
    """Drop a column ``"qid"`` of X that a fitted estimator was not fitted on.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with the ids among them.

    Returns
    -------
    array-like of shape (n_documents, n_features)
        The features that the estimator knows.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded.rankings import features_for
    >>> X = pd.DataFrame({"qid": [1, 1, 2], "length": [3.0, 1.0, 2.0]})
    >>> ridge = Ridge().fit(X[["length"]], [1, 0, 1])
    >>> list(features_for(ridge, X))
    ['length']
    """
    if not has_id_column(X):
        return X
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:  # fitted on arrays
        was_left_out = getattr(estimator, "n_features_in_", None) == X.shape[1] - 1
    else:
        was_left_out = QID not in names
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
        Whether the query ids are a column of it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.rankings import has_id_column
    >>> has_id_column(pd.DataFrame({"qid": [1, 2]})), has_id_column([[1.0], [2.0]])
    (True, False)
    """
    return QID in getattr(X, "columns", ())
