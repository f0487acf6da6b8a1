"""Splits of queries that stand in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from skgraded._support.arguments import integer, integer_or_none
from skgraded._support.array_types import BoolArray
from skgraded.model_selection._splitters import QuerySplitter, queries_by_time
from skgraded.rankings import Judgments


class QueryTimeSeriesSplit(QuerySplitter):
    """Training sets of the queries before a time, and test sets of the queries after it.

    Each split trains on early queries and tests on the next ones, as a ranker does that is trained
    today and used tomorrow. The training sets grow from split to split, unless `max_train_size`
    lets them slide. It is scikit-learn's TimeSeriesSplit for whole queries.

    The rows stand in the order of time, and the time of a query is that of its last row, when all
    that is learned of it is known; or `times` names the column of X that holds the times. Queries
    of the same time stand in the order of their last rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits.
    max_train_size : int, optional
        Largest number of queries to train on, the latest ones; None trains on all.
    test_size : int, optional
        Number of queries in each test set; by default the number of queries, divided by
        ``n_splits + 1``.
    gap : int, default=0
        Number of queries between training and test set that are in neither.
    times : str, optional
        Name of the column of a pandas or polars X with the time of each row: numbers, dates or
        times. The time of a query is then the latest of its rows. The column stays in X, so that a
        model which is not to use it must drop it.

    See Also
    --------
    query_train_test_split : The latest queries as a test set, with ``shuffle=False``.
    QueryRanker : Stops on the latest training queries, with ``shuffle=False``.
    QueryKFold : Folds for queries whose order is of no account.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import QueryTimeSeriesSplit, query_target
    >>> y = query_target(np.zeros(8), ["a", "a", "b", "c", "c", "b", "d", "d"])
    >>> for train, test in QueryTimeSeriesSplit(n_splits=3).split(y, y):
    ...     print(train, test)
    [0 1] [3 4]
    [0 1 3 4] [2 5]
    [0 1 2 3 4 5] [6 7]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        max_train_size: int | None = None,
        test_size: int | None = None,
        gap: int = 0,
        times: str | None = None,
    ) -> None:
        self.n_splits = n_splits
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.gap = gap
        self.times = times

    def _choose(
        self, layout: Judgments, X: Any
    ) -> Iterator[tuple[BoolArray, BoolArray]]:
        queries = queries_by_time(layout, self._times_of(X))
        n_queries = len(queries)
        test_size = self._check_sizes(n_queries)

        first_test = n_queries - self.n_splits * test_size
        for start_of_test in range(first_test, n_queries, test_size):
            end_of_training = start_of_test - self.gap
            start_of_training = 0
            if self.max_train_size is not None:
                start_of_training = max(0, end_of_training - self.max_train_size)

            is_train, is_test = np.zeros((2, n_queries), dtype=bool)
            is_train[queries[start_of_training:end_of_training]] = True
            is_test[queries[start_of_test : start_of_test + test_size]] = True
            yield is_train, is_test

    def _times_of(self, X: Any) -> Any:
        """Return the column of times, or None without one."""
        if self.times is None:
            return None
        if self.times not in getattr(X, "columns", ()):
            raise ValueError(
                f"times must name a column of X, got {self.times!r}, which X, of type "
                f"{type(X).__name__}, lacks."
            )
        return X[self.times]

    def _check_sizes(self, n_queries: int) -> int:
        """Check the numbers of queries; return that of each test set."""
        integer("gap", self.gap, 0)
        integer_or_none("max_train_size", self.max_train_size, 1, "all earlier queries")
        test_size = self.test_size
        if test_size is None:
            test_size = max(1, n_queries // (self.n_splits + 1))
        integer("test_size", test_size, 1)

        n_to_train_first = n_queries - self.n_splits * test_size - self.gap
        if n_to_train_first < 1:
            raise ValueError(
                f"n_splits={self.n_splits} test sets of {test_size} queries and gap={self.gap} "
                f"leave none of {n_queries} queries to train on: use fewer or smaller test sets."
            )
        return test_size
