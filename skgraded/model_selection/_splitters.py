"""Splits that leave queries whole."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _num_samples

from skgraded._guards import warn_about_queries
from skgraded._support.arguments import (
    ArgumentError,
    first_true,
    flag,
    integer,
    is_integer,
    is_missing,
    is_number,
)
from skgraded._support.array_types import BoolArray, IntArray
from skgraded._support.keywords import suggests_keywords
from skgraded.rankings import CheckedColumns, Judgments, read_columns

_T = TypeVar("_T", bound=np.generic)


class QuerySplitter(BaseCrossValidator):  # type: ignore[misc]
    """A splitter that chooses queries; their rows follow."""

    # The keyword qid feeds the estimator, the scorer and the splitter alike.
    __metadata_request__split = {"groups": "qid"}  # noqa: RUF012

    n_splits: int
    _fewest_splits = 1

    def split(
        self, X: Any, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows of each training and test set.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_features)
            Features; a DataFrame may hold the query ids.
        y : array-like of shape (n_documents,), optional
            Target; may hold the query ids.
        groups : array-like of shape (n_documents,), optional
            Query id of each row, or what `query_ids` makes of them.

        Yields
        ------
        train, test : ndarray of int
            Row numbers, ascending.

        Raises
        ------
        ValueError
            If there are no query ids, as in ``xgboost.cv``, or fewer queries than the splits need,
            or pandas objects hold the same row labels in different orders.

        Warns
        -----
        QueryIdsWarning
            If the query ids are the sizes of the queries, row by row.
        CutQueriesWarning
            If queries lack rows or have rows twice, as `query_target`, `query_series` or
            `query_ids` has counted them.
        """
        columns = read_columns(y, groups, named=("y", "groups"), X=X)
        yield from self._rows(self._lay_out(X, columns), X)

    def _rows(self, layout: Judgments, X: Any) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows of each training and test set."""
        for is_train, is_test in self._choose(layout, X):
            train = np.flatnonzero(_entries_by_row(layout, is_train))
            test = np.flatnonzero(_entries_by_row(layout, is_test))
            yield train, test

    def _lay_out(self, X: Any, columns: CheckedColumns) -> Judgments:
        """Check the parameters and the ids, and lay out the rows by query."""
        integer("n_splits", self.n_splits, self._fewest_splits)
        labels = self._labels(X, columns.labels)
        layout = Judgments(columns.require_ids()._replace(labels=labels))
        warn_about_queries(layout, "rows to split")
        return layout

    def _labels(self, X: Any, labels: Any) -> Any:
        # Only the layout of the rows matters here; the labels do not.
        return np.zeros(_num_samples(X), dtype=np.uint8)

    @abstractmethod
    def _choose(
        self, layout: Judgments, X: Any
    ) -> Iterator[tuple[BoolArray, BoolArray]]:
        """Yield which queries are in each training and test set."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object, optional
            Not used; present because scikit-learn passes them.

        Returns
        -------
        int
            ``n_splits``.
        """
        return self.n_splits


class _QueryFolds(QuerySplitter):
    """A splitter whose folds are tested in turn."""

    _fewest_splits = 2

    def _choose(
        self, layout: Judgments, X: Any
    ) -> Iterator[tuple[BoolArray, BoolArray]]:
        if layout.n_queries < self.n_splits:
            raise ValueError(
                f"n_splits must not exceed the number of queries ({layout.n_queries}), "
                f"got {self.n_splits}."
            )
        fold_of_query = self._fold_of_query(layout)
        for fold in range(self.n_splits):
            yield fold_of_query != fold, fold_of_query == fold

    @abstractmethod
    def _fold_of_query(self, layout: Judgments) -> IntArray:
        """Return the fold in which each query is tested."""


class QueryKFold(_QueryFolds):
    """K folds of whole queries.

    The folds depend on the set of query ids and `random_state` alone: not on the order of the rows,
    nor on the version of scikit-learn. Their numbers of queries differ by one at most.

    With metadata routing on, the ids arrive as ``qid``, the keyword that `QueryRanker` and
    `make_ranking_scorer` ask for too, so that ``search.fit(X, y, qid=qid)`` is enough. With routing
    off they are read from `query_target` or `query_series`, or from a column or index level
    ``"qid"``.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=True
        Deal the queries in random order; False deals them in the order of their ids, in blocks.
    random_state : int, RandomState instance or None, default=0
        Seed of the shuffle; None draws new folds in every call.

    See Also
    --------
    StratifiedQueryKFold : Folds that are alike in top grades and numbers of documents.
    sklearn.model_selection.GroupKFold : Balances the number of rows; its folds have changed from
        version to version.

    Examples
    --------
    >>> from skgraded import QueryKFold, query_target
    >>> y = query_target([1, 0, 2, 0, 1, 0], ["a", "b", "a", "c", "c", "b"])
    >>> for train, test in QueryKFold(n_splits=3).split(y, y):
    ...     print(train, test)
    [0 1 2 5] [3 4]
    [0 2 3 4] [1 5]
    [1 3 4 5] [0 2]
    """

    @suggests_keywords
    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _fold_of_query(self, layout: Judgments) -> IntArray:
        queries = (
            draw_queries(layout, self.random_state)
            if self.shuffle
            else queries_by_id(layout)
        )

        fold_of_query = np.empty(layout.n_queries, dtype=np.int64)
        for fold, members in enumerate(np.array_split(queries, self.n_splits)):
            fold_of_query[members] = fold
        return fold_of_query


class StratifiedQueryKFold(_QueryFolds):
    """K folds of whole queries that are alike in the queries' top grades and numbers of documents.

    Queries whose best document has the scale's top grade are often rare, and a fold without them
    says little about a measure that rewards such documents, such as `xGAP`. Between any two folds
    the number of queries with a given top grade differs by one at most, and so does the number of
    all queries. Among queries of one top grade, those with many judged documents are spread evenly.

    The folds depend on the ids, grades and `random_state` alone, not on the order of the rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    random_state : int, RandomState instance or None, default=0
        Seed of the order of queries that are alike; None draws new folds in every call.

    See Also
    --------
    QueryKFold : Folds of queries drawn without regard to their grades.

    Notes
    -----
    scikit-learn's StratifiedGroupKFold balances the grades of rows, not the top grades of queries.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import StratifiedQueryKFold, query_target
    >>> qid = np.repeat(np.arange(6), 2)
    >>> y = query_target([4, 0, 1, 0, 1, 0, 4, 0, 1, 1, 1, 0], qid)
    >>> for train, test in StratifiedQueryKFold(n_splits=2).split(y, y):
    ...     print(y["grade"][test])
    [1. 0. 4. 0. 1. 0.]
    [4. 0. 1. 0. 1. 1.]
    """

    @suggests_keywords
    def __init__(
        self, n_splits: int = 5, *, random_state: int | RandomState | None = 0
    ) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def _labels(self, X: Any, labels: Any) -> Any:
        if labels is None:
            raise ValueError(
                "y must hold the grades, by which the queries are dealt, got None."
            )
        return labels

    def _fold_of_query(self, layout: Judgments) -> IntArray:
        queries = draw_queries(layout, self.random_state)
        return deal_alike(layout, queries, self.n_splits)


class QueryShuffleSplit(QuerySplitter):
    """Training and test sets of whole queries, drawn at random several times.

    The draws depend on the set of query ids and `random_state` alone, not on the order of the rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of draws.
    test_size : float or int, optional
        Share of the queries, between 0 and 1, or number of queries to test on. By default all that
        ``train_size`` leaves, or 0.2 if that is not given either.
    train_size : float or int, optional
        Share or number of the queries to train on. By default all that are not tested.
    random_state : int, RandomState instance or None, default=0
        Seed of the draws; None draws other sets in every call.

    See Also
    --------
    QueryKFold : Tests every query once.

    Examples
    --------
    >>> from skgraded import QueryShuffleSplit, query_target
    >>> y = query_target([1, 0, 2, 0, 1, 0], ["a", "b", "a", "c", "c", "b"])
    >>> splitter = QueryShuffleSplit(n_splits=2, test_size=1, random_state=3)
    >>> for train, test in splitter.split(y, y):
    ...     print(train, test)
    [0 2 3 4] [1 5]
    [1 3 4 5] [0 2]
    """

    @suggests_keywords
    def __init__(
        self,
        n_splits: int = 5,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def _choose(
        self, layout: Judgments, X: Any
    ) -> Iterator[tuple[BoolArray, BoolArray]]:
        n_train, n_test = _numbers_to_train_and_test(
            self.train_size, self.test_size, layout.n_queries
        )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            queries = draw_queries(layout, rng)
            is_train, is_test = np.zeros((2, layout.n_queries), dtype=bool)
            is_test[queries[:n_test]] = True
            is_train[queries[n_test : n_test + n_train]] = True
            yield is_train, is_test


@suggests_keywords
def query_train_test_split(
    *arrays: Any,
    qid: ArrayLike | None = None,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: int | RandomState | None = 0,
    shuffle: bool = True,
    times: ArrayLike | None = None,
) -> list[Any]:
    """Split arrays into rows to train on and rows to test on, and leave every query whole.

    The split depends on the set of query ids and ``random_state`` alone, not on the order of rows,
    unless ``shuffle=False`` takes the latest queries to test on.

    Parameters
    ----------
    *arrays : array-like with n_documents rows
        X, or X and y, followed by any other arrays with an entry per row.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them; it is split too, and comes last.
        Without it the ids are read from X and y, where `query_target`, a column or an index level
        ``"qid"`` holds them.
    test_size : float or int, optional
        Share of the queries, between 0 and 1, or number of queries to test on. By default all that
        ``train_size`` leaves, or 0.25 if that is not given either.
    train_size : float or int, optional
        Share or number of the queries to train on. By default all that are not tested.
    random_state : int, RandomState instance or None, default=0
        Draws the queries.
    shuffle : bool, default=True
        Whether to draw the queries to test on. With False they are the latest ones, and those to
        train on the queries before them: rows stand in the order of time, and the time of a query
        is that of its last row.
    times : array-like of shape (n_documents,), optional
        Time of each row, with ``shuffle=False``, where rows stand in another order: numbers, dates
        or times. The time of a query is then the latest of its rows.

    Returns
    -------
    list
        For each array its training rows and its test rows, as in scikit-learn's
        ``train_test_split``; rows stay in order.

    Raises
    ------
    ValueError
        If there are no query ids, or too few queries, or pandas objects hold the same row labels in
        different orders.

    Warns
    -----
    QueryIdsWarning
        If the query ids are the sizes of the queries, row by row.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them.

    See Also
    --------
    QueryShuffleSplit : Many such splits, for cross-validation.
    StratifiedQueryKFold : Folds that are alike in top grades; the first one is such a test set.
    QueryTimeSeriesSplit : Several splits by time.

    Examples
    --------
    >>> from skgraded import query_train_test_split
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, docs_per_query=10, random_state=0)
    >>> X_train, X_test, y_train, y_test, qid_train, qid_test = query_train_test_split(
    ...     X, y, qid=qid, test_size=0.25
    ... )
    >>> len(y_train), len(y_test)
    (150, 50)
    """
    if not arrays:
        raise ValueError("query_train_test_split needs at least one array, got none.")
    X = arrays[0]
    y = arrays[1] if len(arrays) > 1 else None
    arrays_beside_y = {
        f"array {position}": array
        for position, array in enumerate(arrays)
        if position != 1
    }
    arrays_beside_y["times"] = times
    columns = read_columns(y, qid, named=("array 1", "qid"), **arrays_beside_y)

    if columns.ids is None and len(arrays) > 2:  # noqa: PLR2004
        raise ValueError(
            f"qid must be given by name, got {len(arrays)} arrays and no query ids: "
            "query_train_test_split(X, y, qid=qid). It is split too, and comes last."
        )

    if test_size is None and train_size is None:
        test_size = 0.25
    splitter = QueryShuffleSplit(
        1, test_size=test_size, train_size=train_size, random_state=random_state
    )
    layout = splitter._lay_out(X, columns)
    if flag("shuffle", shuffle):
        if times is not None:
            raise ValueError("times needs shuffle=False, which splits by them.")
        ((train, test),) = splitter._rows(layout, X)
    else:
        train, test = _before_and_latest(layout, train_size, test_size, times)

    arrays_to_split = list(arrays)
    if qid is not None:
        arrays_to_split.append(np.asarray(qid))
    return [
        _safe_indexing(array, rows)
        for array in indexable(*arrays_to_split)
        for rows in (train, test)
    ]


def _before_and_latest(
    layout: Judgments,
    train_size: float | None,
    test_size: float | None,
    times: ArrayLike | None,
) -> tuple[IntArray, IntArray]:
    """Return the rows of the latest queries to test on, after those of the queries before."""
    queries = queries_by_time(layout, times)
    n_train, n_test = _numbers_to_train_and_test(train_size, test_size, len(queries))
    start_of_test = len(queries) - n_test

    is_train, is_test = np.zeros((2, len(queries)), dtype=bool)
    is_train[queries[start_of_test - n_train : start_of_test]] = True
    is_test[queries[start_of_test:]] = True
    train = np.flatnonzero(_entries_by_row(layout, is_train))
    test = np.flatnonzero(_entries_by_row(layout, is_test))
    return train, test


def _numbers_to_train_and_test(
    train_size: float | None, test_size: float | None, n_queries: int
) -> tuple[int, int]:
    """Return the number of queries to train on and to test on, from shares or numbers."""
    n_train = None
    if train_size is not None:
        n_train = number_of_queries("train_size", train_size, n_queries)

    if test_size is not None:
        n_test = number_of_queries("test_size", test_size, n_queries)
    elif n_train is not None:
        n_test = n_queries - n_train
    else:
        n_test = number_of_queries("test_size", 0.2, n_queries)

    if n_train is None:
        n_train = n_queries - n_test
    if n_train + n_test > n_queries or min(n_train, n_test) < 1:
        raise ValueError(
            f"train_size and test_size must leave at least one query each of {n_queries}, "
            f"got train_size={train_size!r} and test_size={test_size!r}: "
            f"{n_train} to train on and {n_test} to test on."
        )
    return n_train, n_test


def number_of_queries(name: str, size: float, n_queries: int) -> int:
    """Return the number of queries that a share of them, or a number, stands for."""
    if is_integer(size) and size >= 1:
        return int(size)
    if is_number(size) and not is_integer(size) and 0 < size < 1:
        return min(max(1, round(float(size) * n_queries)), n_queries - 1)
    raise ValueError(
        f"{name} must be a share of the queries strictly between 0 and 1, or a number of queries "
        f">= 1, got {size!r}."
    )


def query_of_row(layout: Judgments) -> IntArray:
    """Return the number of the query of each row."""
    return _entries_by_row(layout, np.arange(layout.n_queries))


def _entries_by_row(layout: Judgments, entries: NDArray[_T]) -> NDArray[_T]:
    """Return for each row the entry of its query."""
    entries_in_layout = np.repeat(entries, np.diff(layout.indptr))
    if layout.row_order is None:
        return entries_in_layout

    entries_by_row = np.empty_like(entries_in_layout)
    entries_by_row[layout.row_order] = entries_in_layout
    return entries_by_row


def draw_queries(
    judgments: Judgments, random_state: int | RandomState | None
) -> IntArray:
    """Shuffle query numbers so that the order depends on the ids alone, not on the rows' order."""
    queries = queries_by_id(judgments)
    # RandomState's stream is frozen for good; that of a Generator may change with NumPy's version.
    return check_random_state(random_state).permutation(queries)


def queries_by_id(judgments: Judgments) -> IntArray:
    """Sort query numbers by query id."""
    try:
        return np.argsort(judgments.qid, kind="stable")
    except TypeError:  # ids of several types: their types and texts give an order
        keys = [(type(qid).__name__, repr(qid)) for qid in judgments.qid.tolist()]
        queries = sorted(range(len(keys)), key=keys.__getitem__)
        return np.array(queries, dtype=np.int64)


def queries_by_time(judgments: Judgments, times: Any = None) -> IntArray:
    """Sort query numbers by the time of their last rows, or by the latest time of their rows.

    Parameters
    ----------
    judgments : Judgments
        The rows by query.
    times : array-like of shape (n_documents,), optional
        Time of each row; None takes the order of the rows.

    Returns
    -------
    ndarray of int
        The numbers of the queries, the earliest first.
    """
    rows = judgments.row_order
    if rows is None:
        rows = np.arange(judgments.n_documents)
    last_row = np.maximum.reduceat(rows, judgments.indptr[:-1])
    if times is None:
        return np.argsort(last_row)

    number_of_time = _numbers_of_times(times, judgments.n_documents)
    latest_time = np.maximum.reduceat(number_of_time[rows], judgments.indptr[:-1])
    return np.lexsort((last_row, latest_time))


def _numbers_of_times(times: Any, n_rows: int) -> IntArray:
    """Return the rank of each row's time among the different times."""
    values = np.asarray(times)
    if values.shape != (n_rows,):
        raise ArgumentError(
            "times", f"must hold a time for each of {n_rows} rows, got {values.shape}."
        )

    is_absent = np.array([is_missing(time) for time in values.tolist()])
    if (
        values.dtype.kind == "M"
    ):  # whose missing ones tolist() turns into None or numbers
        is_absent = np.isnat(values)
    row = first_true(is_absent)
    if row is not None:
        raise ArgumentError(
            "times", f"must hold a time in every row, lacks it in row {row}."
        )

    if any(isinstance(time, str | bytes) for time in values[:1].tolist()):
        raise ArgumentError(
            "times",
            f"must be numbers, dates or times, got the text {values[0]!r}: use pandas.to_datetime.",
        )
    return np.unique(values, return_inverse=True)[1]


def _strata(judgments: Judgments) -> tuple[IntArray, IntArray]:
    """Return the top grade, rounded down, and the number of judged documents of each query."""
    pool = judgments.pool
    is_judged = pool.lengths > 0

    # The levels of a query's pool descend.
    first_places = pool.indptr[:-1][is_judged]
    top_grades = np.full(judgments.n_queries, -1, dtype=np.int64)
    top_grades[is_judged] = judgments.grades[pool.levels[first_places]].astype(np.int64)
    return top_grades, pool.lengths


def deal_alike(judgments: Judgments, queries: IntArray, n_folds: int) -> IntArray:
    """Deal queries to folds that are alike in top grades and pool sizes; return their folds."""
    top_grade, pool_size = _strata(judgments)

    # By top grade, then by pool size, both descending; the sort is stable.
    order = np.lexsort((-pool_size[queries], -top_grade[queries]))
    queries = queries[order]
    borders = np.flatnonzero(np.diff(top_grade[queries])) + 1

    fold_of_query = np.empty(judgments.n_queries, dtype=np.int64)
    n_queries, n_documents = np.zeros((2, n_folds), dtype=np.int64)
    for stratum in np.split(queries, borders):
        for first in range(0, len(stratum), n_folds):
            members = stratum[first : first + n_folds]
            # The largest query to the fold with the fewest documents, among those short of queries.
            folds = np.lexsort((n_documents, n_queries))[: len(members)]
            folds = folds[np.argsort(n_documents[folds], kind="stable")]
            fold_of_query[members] = folds
            n_queries[folds] += 1
            n_documents[folds] += pool_size[members]
    return fold_of_query
