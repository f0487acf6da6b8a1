"""The door: columns that belong together are read here, and compared with each other.

Every function that takes several columns with an entry per row (grades, scores, ids, weights,
features, initial scores) reads them by `read_columns`, which refuses what would pair wrong rows.
`query_target`, `query_series` and `query_ids` make columns that carry the sizes of queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import (
    warn_if_grades_are_ids,
    warn_if_words_are_in_alphabetical_order,
)
from skgraded._support.arguments import ArgumentError, first_true
from skgraded._support.array_types import IntArray
from skgraded._support.column_names import QUERY_IDS
from skgraded._support.frames import is_pandas_object, without_columns
from skgraded._support.keywords import suggests_keywords
from skgraded._support.lazy import import_pandas
from skgraded.rankings._numbers import read_grades
from skgraded.rankings._queries import as_ids, count_rows, number_rows

if TYPE_CHECKING:
    import pandas


QID = "qid"
GRADE = "grade"
N_ROWS = "n_rows"
FIELDS = (GRADE, QID, N_ROWS)


class QueryIds(NamedTuple):
    """Query of each row, and the size that the query has in the whole data set.

    Rows of a query are missing, or occur twice, where their number is not its size.

    Attributes
    ----------
    name : str
        What messages call the place that the ids are read from.
    ids : array-like of shape (n_documents,)
        Query id of each row, in the type in which they were given.
    sizes : ndarray of shape (n_documents,), int64, or None
        Number of rows of each row's query in the data set that the rows come from; None where
        only the ids are known.
    """

    name: str
    ids: Any
    sizes: IntArray | None = None


def split_target(y: Any, name: str = "y") -> tuple[Any, QueryIds | None]:
    """Take a target apart into grades and queries.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades, or the array that `query_target` makes.
    name : str, default="y"
        What the user calls it, for messages.

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
    fields = _field_names(y)
    if not fields:
        return y, None

    if set(fields) != set(FIELDS):
        raise ArgumentError(
            name,
            "must hold grades, or be made by query_target(y, qid), "
            f"got an array with the fields {', '.join(fields)}.",
        )
    query_ids_in_y = QueryIds(f"the ids in {name}", y[QID], y[N_ROWS])
    return y[GRADE], query_ids_in_y


def _field_names(column: Any) -> tuple[str, ...] | None:
    """Return the names of the fields of a structured array; None for anything else."""
    return getattr(getattr(column, "dtype", None), "names", None)


def replace_words(name: str, labels: Any, grades: Mapping[str, float] | None) -> Any:
    """Put the grades of words in their places, and keep row labels.

    Parameters
    ----------
    name : str
        What the user calls the labels, for messages.
    labels : array-like of shape (n_documents,)
        Words, or numbers, which stay, as does what `query_target` makes.
    grades : mapping of str to float, or None
        The grade of each word; None leaves everything as it is.

    Returns
    -------
    array-like of shape (n_documents,)
        The grades.

    Examples
    --------
    >>> from skgraded.rankings import replace_words
    >>> replace_words("y_true", ["E", "I"], {"E": 3, "I": 0})
    array([3., 0.])
    """
    if grades is None or split_target(labels, name)[1]:
        return labels
    numbers = read_grades(name, labels, grades)
    if is_pandas_object(labels):
        return type(labels)(numbers, index=labels.index)
    return numbers


def without_query_ids(X: Any) -> Any:
    """Drop columns of query ids, which are no features, where X is a DataFrame that has them.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    array-like
        X itself, or a DataFrame without the columns.

    Examples
    --------
    >>> from skgraded.rankings import without_query_ids
    >>> without_query_ids([[0.5], [0.25]])
    [[0.5], [0.25]]
    """
    names = id_columns(X)
    return without_columns(X, names) if names else X


def features_for(estimator: Any, X: Any) -> Any:
    """Return X without columns of query ids that a fitted estimator was not fitted on.

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

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded.rankings import features_for
    >>> features_for(Ridge().fit([[0.5], [0.25]], [1, 0]), [[0.5]])
    [[0.5]]
    """
    ids = id_columns(X)
    if not ids:
        return X

    names = getattr(estimator, "feature_names_in_", None)
    if names is None:  # fitted on arrays
        n_features = getattr(estimator, "n_features_in_", None)
        was_left_out = n_features == X.shape[1] - len(ids)
    else:
        was_left_out = not set(ids) & set(names)
    return without_query_ids(X) if was_left_out else X


def id_columns(X: Any) -> list[str]:
    """Return the names of those columns of X, a DataFrame, that hold query ids.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.

    Returns
    -------
    list of str
        The names; none if X is no DataFrame.

    Examples
    --------
    >>> from skgraded.rankings import id_columns
    >>> id_columns([[0.5], [0.25]])
    []
    """
    if type(X).__name__ == "LazyFrame":
        raise ArgumentError(
            "X",
            "must hold its rows, got a LazyFrame, which is a query: pass X.collect().",
        )
    # The columns of pyarrow are arrays.
    names: Any = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", ())
    return [name for name in QUERY_IDS if name in names]


_WAYS = (
    "Query ids are missing. Give one id per row in any of these ways:\n"
    "- the keyword qid=..., inside scikit-learn's tools only where "
    "sklearn.set_config(enable_metadata_routing=True) is set;\n"
    "- y=query_target(y, qid), which every tool of scikit-learn passes on;\n"
    "- y=query_series(y, qid), for estimators that need a y of numbers;\n"
    "- a column 'qid' or 'query_id' of X, a pandas or polars DataFrame; it is no feature;\n"
    "- an index level named 'qid' of y or X, a pandas Series or DataFrame.\n"
    "Ensembles such as StackingRegressor hand on a plain array of y: give them the column of X.\n"
    "scikit-learn passes groups=... to the splitter alone, and not to fit and score. xgboost.cv "
    "passes none to its folds: give the DMatrix qid=..., and the number of folds, nfold=3."
)


class CheckedColumns(NamedTuple):
    """Columns of the same rows, which the gate has let through.

    Attributes
    ----------
    labels : array-like of shape (n_documents,) or None
        Grades in the form in which they were given, which `read_grades` reads, without the ids that
        came with them.
    ids : array-like of shape (n_documents,) or None
        Query id of each row, in the type in which they were given and not yet checked.
    sizes : ndarray of shape (n_documents,), int64, or None
        Number of rows of each row's query in the data set that the rows come from, where the target
        or the ids say so.
    row_labels : mapping of str to Index
        Row labels of those arguments that are pandas objects.
    sample_weight : array-like of shape (n_documents,) or None
        Weight of each row, not yet checked.
    """

    labels: Any
    ids: Any
    sizes: IntArray | None
    row_labels: Mapping[str, Any]
    sample_weight: Any

    def require_ids(self) -> Self:
        """Return the columns themselves, or raise where they hold no query ids.

        Returns
        -------
        CheckedColumns
            The same.

        Raises
        ------
        ValueError
            If there are no ids; the message names all the ways of giving them.
        """
        if self.ids is None:
            raise ValueError(_WAYS)
        return self


def read_columns(
    labels: Any,
    ids: Any = None,
    /,
    *,
    named: tuple[str, str] = ("y_true", "qid"),
    **further_columns: Any,
) -> CheckedColumns:
    """Read columns that belong together, and find the query of each row in them.

    Ids may stand in the keyword, in what `query_target` makes, in a column ``"qid"`` of a DataFrame
    and in an index level ``"qid"`` of a pandas object. Where they stand in several places, all must
    put the same rows into one query, and the first of these places names the queries. The keyword
    and the index may hold sizes too, as made by `query_ids` and `query_series`.

    Parameters
    ----------
    labels : array-like of shape (n_documents,) or None
        Grades, or what `query_target` or `query_series` makes of them.
    ids : array-like of shape (n_documents,), optional
        The ids themselves, or what `query_ids` makes of them.
    named : (str, str), default=("y_true", "qid")
        What the user calls these two, for messages.
    **further_columns : array-like with n_documents rows, or any other object
        The other columns by name. What has no rows is left alone.

    Returns
    -------
    CheckedColumns
        Grades and queries.

    Raises
    ------
    ValueError
        If pandas objects hold the same row labels in different orders, or ids in two places
        contradict each other.

    Examples
    --------
    >>> from skgraded import query_ids
    >>> from skgraded.rankings import read_columns
    >>> columns = read_columns([1, 0, 2], query_ids(["a", "a", "b"]), y_score=[0.5, 0.2, 0.1])
    >>> columns.labels, columns.sizes
    ([1, 0, 2], array([2, 2, 1]))
    """
    for column in (labels, ids, *further_columns.values()):
        # Plain lists and arrays tell nothing of their rows.
        if column is None or type(column) is list:
            continue
        if type(column) is np.ndarray and column.dtype.names is None:
            continue
        return _read_telling_columns(labels, ids, named, further_columns)
    sample_weight = further_columns.get("sample_weight")
    return CheckedColumns(labels, ids, None, {}, sample_weight)


def _read_telling_columns(
    labels: Any, ids: Any, names: tuple[str, str], further_columns: Mapping[str, Any]
) -> CheckedColumns:
    """Read columns of which some may tell the labels or the queries of their rows."""
    name_of_labels, name_of_ids = names
    columns = {name_of_labels: labels, **further_columns}
    row_labels = _row_labels({**columns, name_of_ids: ids})
    refuse_other_order(row_labels)

    # All places that hold ids, of which the first names the queries.
    grades, ids_in_target = split_target(labels, name_of_labels)
    sources = []
    if ids is not None:
        sources.append(_ids_in_keyword(name_of_ids, ids))
    if ids_in_target is not None:
        sources.append(ids_in_target)
    sources += _ids_in_columns(columns)
    sources += _ids_in_row_labels(row_labels)

    for source in sources[1:]:
        require_same_queries(sources[0], source)
    ids = sources[0].ids if sources else None
    sizes = [source.sizes for source in sources if source.sizes is not None]

    return CheckedColumns(
        labels=grades,
        ids=ids,
        sizes=sizes[0] if sizes else None,
        row_labels=row_labels,
        sample_weight=further_columns.get("sample_weight"),
    )


def _ids_in_keyword(name: str, qid: Any) -> QueryIds:
    """Read ids that a keyword holds as they are, or as `query_ids` makes them, with sizes."""
    if _field_names(qid) == (QID, N_ROWS):
        return QueryIds(name, qid[QID], qid[N_ROWS])
    return QueryIds(name, qid)


def _ids_in_columns(columns: Mapping[str, Any]) -> list[QueryIds]:
    """Return the ids in columns of data frames."""
    sources = []
    for name, frame in columns.items():
        if getattr(frame, "ndim", 0) == 1:
            continue

        for column in id_columns(frame):
            place = f"the column {column!r} of {name}"
            sources.append(QueryIds(place, frame[column]))
    return sources


def _ids_in_row_labels(row_labels: Mapping[str, Any]) -> list[QueryIds]:
    """Return the ids in indices, with the sizes that stand beside them."""
    sources = []
    for name, index in row_labels.items():
        if QID not in index.names:
            continue

        sizes = None
        if N_ROWS in index.names:
            sizes = np.asarray(index.get_level_values(N_ROWS))
        place = f"the index level {QID!r} of {name}"
        sources.append(QueryIds(place, index.get_level_values(QID), sizes))
    return sources


def require_same_queries(ours: QueryIds, theirs: QueryIds) -> None:
    """Raise if the two divide the rows into queries differently; the ids may differ."""
    n_rows = len(ours.ids)
    if n_rows != len(theirs.ids):
        raise ValueError(
            f"{ours.name} and {theirs.name} must have one entry per row, got {n_rows} and "
            f"{len(theirs.ids)}. Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes)."
        )

    our_queries = number_rows(ours.ids, n_rows)
    their_queries = number_rows(theirs.ids, n_rows)
    row = first_true(our_queries != their_queries)
    if row is not None:
        our_id = _id_in_row(ours.ids, row)
        their_id = _id_in_row(theirs.ids, row)
        raise ValueError(
            f"{ours.name} and {theirs.name} contradict each other: they put row {row} ({our_id!r} "
            f"and {their_id!r}) together with other rows. Bring the rows into one order, or give "
            "the ids in one place."
        )


def _id_in_row(ids: Any, row: int) -> Any:
    """Return one id in a type of Python's, where it has one."""
    (query_id,) = as_ids(ids)[row : row + 1].tolist()
    return query_id


def _row_labels(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the indices of those columns that are pandas objects."""
    return {
        name: column.index
        for name, column in columns.items()
        if is_pandas_object(column)
    }


def refuse_other_order(row_labels: Mapping[str, Any]) -> None:
    """Raise where two pandas objects hold the same rows in different orders.

    Parameters
    ----------
    row_labels : mapping of str to Index
        Row labels by the name of the argument.

    Raises
    ------
    ValueError
        If two of them are equal but for the order.
    """
    for first, name in combinations(row_labels, 2):
        if _differ_only_in_order(row_labels[first], row_labels[name]):
            raise ValueError(
                f"{name} must have its rows in the order of {first}: both have the same index, in "
                f"different orders. Bring them into one order, for example by "
                f"{name}.loc[{first}.index], or pass arrays."
            )


def _differ_only_in_order(index: Any, second_index: Any) -> bool:
    if len(index) != len(second_index) or index.nlevels != second_index.nlevels:
        return False
    if index.equals(second_index):
        return False
    # One may have query ids, and the other row labels.
    if (QID in index.names) != (QID in second_index.names):
        return False

    counts = index.value_counts(sort=False)
    second_counts = second_index.value_counts(sort=False)
    return bool(counts.equals(second_counts.reindex(counts.index)))


@suggests_keywords
def query_target(
    y: ArrayLike, qid: ArrayLike, *, grades: Mapping[str, float] | None = None
) -> NDArray[Any]:
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
        Grades; NaN = unjudged. Ordered categories of words are grades: the first is 0;
        categories that are numbers keep their values.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.
    grades : mapping of str to float, optional
        The grade of each word, such as ``{"E": 3, "S": 2, "C": 1, "I": 0}``, where y holds words.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"grade"`` (float64), ``"qid"`` and ``"n_rows"`` (int64),
        the number of rows of the query.

    Raises
    ------
    ValueError
        If y or qid is not one-dimensional, their lengths differ, an id is missing, or both are
        pandas objects with the same row labels in different orders.

    Warns
    -----
    SwappedArgumentsWarning
        If y looks like query ids and qid like grades.

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
    if grades is None:
        warn_if_words_are_in_alphabetical_order(y)
    labels, ids, sizes = _read_target(replace_words("y", y, grades), qid)
    types = (np.float64, ids.dtype, np.int64)

    # NumPy fills empty records that hold objects one by one, which takes ten times as long. Of the
    # 20 to 27 ns a row that text in objects or categories takes, zeros take 7, filling 3, an object
    # for each row 4 and its query's number of rows 2, all of them NumPy's.
    fields = list(zip(FIELDS, types, strict=True))
    target = np.zeros(len(labels), dtype=fields)
    target[GRADE] = labels
    target[QID] = ids
    target[N_ROWS] = sizes
    return target


@suggests_keywords
def query_series(y: ArrayLike, qid: ArrayLike) -> pandas.Series:
    """Make a pandas Series of grades whose index holds query ids and numbers of rows.

    It does what `query_target` does for estimators that need a y of numbers, such as ``Ridge``
    with ``scoring=make_ranking_scorer(...)``.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged. Ordered categories of words are grades: the first is 0;
        categories that are numbers keep their values.
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
        If y or qid is not one-dimensional, their lengths differ, an id is missing, or both are
        pandas objects with the same row labels in different orders.

    Warns
    -----
    SwappedArgumentsWarning
        If y looks like query ids and qid like grades.

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
    grades, ids, sizes = _read_target(y, qid)
    index = pd.MultiIndex.from_arrays([ids, sizes], names=[QID, N_ROWS])
    series: pandas.Series = pd.Series(grades, index=index)
    return series


@suggests_keywords
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
    ids, sizes = count_rows(qid)
    fields = [(QID, ids.dtype), (N_ROWS, np.int64)]
    column = np.zeros(len(ids), dtype=fields)
    column[QID] = ids
    column[N_ROWS] = sizes
    return column


def _read_target(
    y: ArrayLike, qid: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], IntArray]:
    """Return grades, ids and sizes, one per row."""
    read_columns(y, qid, named=("y", "qid"))
    grades = read_grades("y", y)
    ids, sizes = count_rows(qid)

    if len(grades) != len(ids):
        raise ArgumentError(
            "qid",
            f"must hold one query id per row of y ({len(grades)}), got {len(ids)}. "
            "Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes).",
        )
    warn_if_grades_are_ids(grades, ids)
    return grades, ids, sizes
