"""Which query each row belongs to, how many rows the query has, and the ways of saying so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import caller_is_permuting_features, warn_once
from skgraded._optional import import_pandas
from skgraded.exceptions import CutQueriesWarning
from skgraded.rankings._checks import one_dimensional
from skgraded.rankings._grouping import as_ids, place_rows

if TYPE_CHECKING:
    import pandas

__all__ = [
    "QID",
    "QueryIds",
    "features_for",
    "find_queries",
    "has_id_column",
    "query_ids",
    "query_series",
    "query_target",
    "resolve_queries",
    "resolve_query_ids",
    "resolve_rows",
    "split_target",
    "without_query_ids",
]

IntArray = NDArray[np.int64]

QID = "qid"
_GRADE, _N_ROWS = "grade", "n_rows"
_FIELDS = (_GRADE, QID, _N_ROWS)

_WAYS = (
    "Query ids are missing. Give one id per row in any of these ways:\n"
    "- the keyword qid=..., inside scikit-learn's tools only where "
    "sklearn.set_config(enable_metadata_routing=True) is set;\n"
    "- y=query_target(y, qid), which every tool of scikit-learn passes on;\n"
    "- y=query_series(y, qid), for estimators that need a y of numbers;\n"
    "- a column 'qid' of X, a pandas or polars DataFrame; it is not used as a feature;\n"
    "- an index level named 'qid' of y or X, a pandas Series or DataFrame.\n"
    "scikit-learn passes groups=... to the splitter alone, and not to fit and score."
)


class QueryIds(NamedTuple):
    """Query of each row, and the size that the query has in the whole data set.

    Rows of a query are missing, or occur twice, where their number is not its size.

    Attributes
    ----------
    ids : ndarray of shape (n_documents,)
        Query id of each row.
    sizes : ndarray of shape (n_documents,), int64, or None
        Number of rows of each row's query in the data set that the rows come from; None where
        only the ids are known.
    """

    ids: NDArray[Any]
    sizes: IntArray | None


def query_target(y: ArrayLike, qid: ArrayLike) -> NDArray[Any]:
    """Put grades, query ids and the queries' numbers of rows into one target array.

    Scikit-learn slices y in step with X everywhere, so the ids reach every estimator, scorer and
    splitter of skgraded without metadata routing. The numbers of rows let them warn wherever a
    tool has taken rows out of a query. Make the target from the whole data set, before it is
    split; where you leave rows out on purpose, make it from the rows that are left.

    Estimators that know nothing of skgraded cannot read such a target, for instance a supervised
    step like ``SelectKBest`` before a `QueryRanker` in a Pipeline, or the final estimator of a
    StackingRegressor: pass `query_series` instead, or put them inside a `QueryRanker`.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"grade"`` (float64), ``"qid"`` and ``"n_rows"`` (int64),
        the number of rows of the query.

    Raises
    ------
    ValueError
        If y or qid is not one-dimensional, their lengths differ, or an id is missing.

    See Also
    --------
    query_series : The same for estimators that need a y of numbers.
    query_ids : The same for metadata routing.

    Examples
    --------
    >>> from skgraded import query_target
    >>> y = query_target([2, 0, 1], ["a", "a", "b"])
    >>> y["grade"], y["qid"], y["n_rows"]
    (array([2., 0., 1.]), array(['a', 'a', 'b'], dtype='<U1'), array([2, 2, 1]))
    """
    grades, (ids, sizes) = _checked(y, qid)
    kinds = (np.float64, ids.dtype, np.int64)
    target = np.empty(len(grades), dtype=list(zip(_FIELDS, kinds, strict=True)))
    target[_GRADE], target[QID], target[_N_ROWS] = grades, ids, sizes
    return target


def query_series(y: ArrayLike, qid: ArrayLike) -> pandas.Series:
    """Make a pandas Series of grades whose index holds query ids and numbers of rows.

    It does what `query_target` does for estimators that need a y of numbers, such as ``Ridge``
    with ``scoring=make_ranking_scorer(...)``.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    Series
        The grades; the levels ``"qid"`` and ``"n_rows"`` of its index hold the id and the number of
        rows of the query.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If y or qid is not one-dimensional, their lengths differ, or an id is missing.

    See Also
    --------
    query_target : The same without pandas, for estimators of skgraded.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> from skgraded import QueryKFold, make_ranking_scorer, query_series
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, random_state=0)
    >>> scoring = make_ranking_scorer("nDCG@10")
    >>> scores = cross_val_score(
    ...     Ridge(), X, query_series(y, qid), cv=QueryKFold(4), scoring=scoring
    ... )
    >>> scores.shape
    (4,)
    """
    pd = import_pandas("query_target", needed_by="query_series")
    grades, (ids, sizes) = _checked(y, qid)
    index = pd.MultiIndex.from_arrays([ids, sizes], names=[QID, _N_ROWS])
    series: pandas.Series = pd.Series(grades, index=index)
    return series


def query_ids(qid: ArrayLike) -> NDArray[Any]:
    """Put query ids and the queries' numbers of rows into one array, for metadata routing.

    Give it as ``qid=``, or to a splitter as ``groups=``: scikit-learn slices it in step with X, and
    skgraded warns wherever a tool has taken rows out of a query.

    Parameters
    ----------
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"qid"`` and ``"n_rows"`` (int64).

    Raises
    ------
    ValueError
        If qid is not one-dimensional, or an id is missing.

    See Also
    --------
    query_target : The same with the grades, for when metadata routing is off.

    Examples
    --------
    >>> from skgraded import query_ids
    >>> query_ids(["a", "b", "a"])["n_rows"]
    array([2, 1, 2])
    """
    ids, sizes = _counted(as_ids(qid))
    column = np.empty(len(ids), dtype=[(QID, ids.dtype), (_N_ROWS, np.int64)])
    column[QID], column[_N_ROWS] = ids, sizes
    return column


def _checked(y: ArrayLike, qid: ArrayLike) -> tuple[NDArray[Any], tuple[NDArray[Any], IntArray]]:
    """Return grades, ids and sizes, one per row."""
    if np.ma.is_masked(y):  # a masked grade is unjudged
        y = np.ma.filled(np.ma.asarray(y, dtype=np.float64), np.nan)
    grades = one_dimensional("y", y)
    if grades.dtype.names:
        raise ValueError("y must hold grades alone, got an array made by query_target.")
    ids = as_ids(qid)
    if len(grades) != len(ids):
        raise ValueError(
            f"qid must hold one query id per row of y ({len(grades)}), got {len(ids)}. "
            "Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes)."
        )
    return grades, _counted(ids)


def _counted(ids: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return ids and, for each row, the number of rows with its id."""
    if ids.dtype.names:
        raise ValueError("qid must hold ids alone, got an array made by query_ids.")
    if not len(ids):
        return ids, np.zeros(0, dtype=np.int64)
    _, indptr, places = place_rows(ids, len(ids))
    by_query = np.diff(indptr)
    sizes = np.repeat(by_query, by_query)
    return ids, sizes if places is None else sizes[places]


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
    if set(fields) != set(_FIELDS):
        raise ValueError(
            "y must hold grades, or be made by query_target(y, qid), "
            f"got an array with the fields {', '.join(fields)}."
        )
    return y[_GRADE], QueryIds(y[QID], y[_N_ROWS])


def resolve_rows(X: Any, y: Any, qid: Any = None) -> tuple[Any, QueryIds]:
    """Take a target apart, and find the queries wherever they are.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with the ids among them or in the index.
    y : array-like of shape (n_documents,)
        Grades, or the array that `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        The ids themselves, or what `query_ids` makes of them.

    Returns
    -------
    grades : array-like of shape (n_documents,)
        The grades.
    queries : QueryIds
        Ids and sizes, not yet checked.

    Raises
    ------
    ValueError
        If there are no ids; the message names all the ways of giving them.

    See Also
    --------
    resolve_queries : The queries alone.

    Examples
    --------
    >>> from skgraded.rankings import resolve_rows
    >>> grades, queries = resolve_rows([[0.5], [0.25]], [1, 0], ["a", "b"])
    >>> grades, queries.ids
    ([1, 0], array(['a', 'b'], dtype='<U1'))
    """
    grades, queries = split_target(y)
    if queries is None or qid is not None:
        queries = resolve_queries(X, y, qid)
    return grades, queries


def resolve_query_ids(X: Any, y: Any = None, qid: Any = None) -> NDArray[Any]:
    """Find the query id of each row, as `resolve_queries` does.

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
    >>> from skgraded.rankings import query_target, resolve_query_ids
    >>> resolve_query_ids([[0.5], [0.25]], query_target([1, 0], ["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    return resolve_queries(X, y, qid).ids


def resolve_queries(X: Any, y: Any = None, qid: Any = None) -> QueryIds:
    """Find the query of each row, and its size where that is known.

    The first of these that is there counts: the keyword, `query_target`, a column ``"qid"`` of X,
    an index level ``"qid"`` of y, one of X. The keyword and the index may hold sizes too, as made
    by `query_ids` and `query_series`.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with the ids among them or in the index.
    y : array-like of shape (n_documents,), optional
        Target, perhaps with the ids in it or in its index.
    qid : array-like of shape (n_documents,), optional
        The ids themselves, or what `query_ids` makes of them.

    Returns
    -------
    QueryIds
        Ids and sizes, not yet checked.

    Raises
    ------
    ValueError
        If there are no ids; the message names all the ways of giving them.

    Warns
    -----
    CutQueriesWarning
        If the ids are a column of X that permutation_importance is shuffling.

    Examples
    --------
    >>> from skgraded.rankings import query_ids, resolve_queries
    >>> resolve_queries(None, qid=query_ids(["a", "a", "b"])).sizes
    array([2, 2, 1])
    """
    queries = find_queries(X, y, qid)
    if queries is None:
        raise ValueError(_WAYS)
    return queries


def find_queries(X: Any, y: Any = None, qid: Any = None) -> QueryIds | None:
    """Find the query of each row as `resolve_queries` does, or return None.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with the ids among them or in the index.
    y : array-like of shape (n_documents,), optional
        Target, perhaps with the ids in it or in its index.
    qid : array-like of shape (n_documents,), optional
        The ids themselves, or what `query_ids` makes of them.

    Returns
    -------
    QueryIds or None
        Ids and sizes, not yet checked; None where there are no ids.

    Examples
    --------
    >>> from skgraded.rankings import find_queries
    >>> find_queries([[0.5], [0.25]], [1, 0]) is None
    True
    """
    if qid is not None:
        return _read_keyword(qid, y)
    queries = split_target(y)[1]
    if queries is not None:
        return queries
    if has_id_column(X):
        _warn_if_column_is_shuffled()
        return QueryIds(np.asarray(X[QID]), None)
    in_y = _read_index(y)
    return in_y if in_y is not None else _read_index(X)


def _read_keyword(qid: Any, y: Any) -> QueryIds:
    ids = np.asarray(qid)
    if ids.dtype.names == (QID, _N_ROWS):
        return QueryIds(ids[QID], ids[_N_ROWS])
    if ids.ndim == 1:
        ids = as_ids(qid)
    # Where y holds the same ids, it may know the sizes.
    is_target = getattr(getattr(y, "dtype", None), "names", None) == _FIELDS
    in_y = split_target(y)[1] if is_target else _read_index(y)
    is_same = in_y is not None and np.array_equal(in_y.ids, ids)
    return QueryIds(ids, in_y.sizes if in_y is not None and is_same else None)


def _read_index(labelled: Any) -> QueryIds | None:
    """Return the queries in the index of a DataFrame or Series, if it has a level for them."""
    index = getattr(labelled, "index", None)
    names = getattr(index, "names", ())
    if QID not in names:
        return None
    levels = [
        np.asarray(index.get_level_values(name)) if name in names else None  # type: ignore[union-attr]
        for name in (QID, _N_ROWS)
    ]
    return QueryIds(*levels)  # type: ignore[arg-type]


def _warn_if_column_is_shuffled() -> None:
    if caller_is_permuting_features():
        warn_once(
            "permutation_importance shuffles the column 'qid' of X as if it were a feature, and "
            "with it the queries, so that its importance means nothing. Give the ids by "
            "query_target(y, qid) instead.",
            CutQueriesWarning,
        )


def without_query_ids(X: Any) -> Any:
    """Drop the column ``"qid"``, which is no feature, where X is a DataFrame that has it.

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
        Fitted.
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    array-like
        X as the estimator knows it.

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
