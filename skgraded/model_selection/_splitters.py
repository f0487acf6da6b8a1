"""Splits that leave queries whole."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from skgraded._query_ids import resolve_query_ids
from skgraded.rankings import Judgments

__all__ = ["QueryKFold", "draw_queries"]

IntArray = NDArray[np.int64]


class QueryKFold(BaseCrossValidator):  # type: ignore[misc]
    """K folds of whole queries.

    The folds depend on the set of query ids and `random_state` alone: not on the order of the rows,
    nor on the version of scikit-learn. Their numbers of queries differ by one at most.

    With metadata routing on, the ids arrive as ``qid``, the keyword that `QueryRanker` and
    `make_ranking_scorer` ask for too: ``search.fit(X, y, qid=qid)`` is all there is to write. With
    routing off they are read from `query_target`, or from a column or index level ``"qid"``.

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

    # One keyword, qid, feeds the estimator, the scorer and the splitter.
    __metadata_request__split = {"groups": "qid"}  # noqa: RUF012

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
            Query id of each row.

        Yields
        ------
        train, test : ndarray of int
            Row numbers, ascending.

        Raises
        ------
        ValueError
            If there are no query ids, or fewer queries than folds.
        """
        self._check_parameters()
        ids = resolve_query_ids(X, y, groups)
        # Only the layout of the rows matters here, so any labels will do.
        layout = Judgments.from_arrays(np.zeros(_num_samples(X)), ids)
        fold_of_row = self._fold_of_row(layout)
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)

    def _fold_of_row(self, layout: Judgments) -> IntArray:
        if layout.n_queries < self.n_splits:
            raise ValueError(
                f"n_splits must not exceed the number of queries ({layout.n_queries}), "
                f"got {self.n_splits}."
            )
        queries = draw_queries(layout, self.random_state) if self.shuffle else by_id(layout)
        fold_of_query = np.empty(layout.n_queries, dtype=np.int64)
        for fold, members in enumerate(np.array_split(queries, self.n_splits)):
            fold_of_query[members] = fold
        by_layout = np.repeat(fold_of_query, np.diff(layout.indptr))
        if layout.row_order is None:
            return by_layout
        by_row = np.empty_like(by_layout)
        by_row[layout.row_order] = by_layout
        return by_row

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

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

    def _check_parameters(self) -> None:
        if not isinstance(self.n_splits, Integral) or self.n_splits < 2:  # noqa: PLR2004
            raise ValueError(f"n_splits must be an integer >= 2, got {self.n_splits!r}.")


def draw_queries(judgments: Judgments, random_state: int | RandomState | None) -> IntArray:
    """Shuffle query numbers so that the order depends on the ids alone, not on the rows' order."""
    queries = by_id(judgments)
    # RandomState's stream is frozen for good; that of a Generator may change with NumPy's version.
    shuffled: IntArray = check_random_state(random_state).permutation(queries)
    return shuffled


def by_id(judgments: Judgments) -> IntArray:
    """Sort query numbers by query id."""
    try:
        return np.argsort(judgments.qid, kind="stable")
    except TypeError:  # ids of several types: any order will do that they alone determine
        keys = [(type(each).__name__, repr(each)) for each in judgments.qid.tolist()]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
