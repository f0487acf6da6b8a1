"""Warnings where queries lack rows, or where a ranker has been trained on other rows of them.

The rows of a query are counted, and their number is compared with the size of the query that
`query_target`, `query_series` or `query_ids` has put beside its id. Where only the ids are known,
the numbers of training rows and scored rows of each query are compared instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._arguments import warn_if_ids_are_of_another_kind
from skgraded._guards._queries import (
    BoolArray,
    IntArray,
    Queries,
    QueryRecord,
    example,
    hash_ids,
    n_missing,
    n_parts,
    n_rows_of,
    n_shared,
)
from skgraded._guards._stack import warn_once
from skgraded.exceptions import CutQueriesWarning, QueryLeakWarning

# Two data sets of one kind have lists of about the same lengths; the parts of a data set do not.
_ABOUT_AS_MANY = (0.8, 1.25)
_MOST = 0.8

# The versions of LightGBM's data sets that were looked at: once each, because the rows of a subset
# are a list.
_whole: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def warn_about_given_queries(
    queries: Queries, *, rows: str = "training rows", is_training: bool = False
) -> None:
    """Warn of doubtful ids, and of queries that lack rows or repeat them, in training or splitting.

    Parameters
    ----------
    queries : Queries
        The rows by query.
    rows : str, default="training rows"
        What to call the rows in the message.
    is_training : bool, default=False
        Whether a model is to be trained on all of the rows.
    """
    warn_if_ids_are_of_another_kind(queries, is_training=is_training)
    _warn_of_sizes(queries, rows)


def warn_about_scored_queries(queries: Queries, estimator: Any = None) -> None:
    """Warn of doubtful ids, and of queries that lack rows, repeat them or were trained on.

    Parameters
    ----------
    queries : Queries
        The scored rows by query.
    estimator : estimator, optional
        What scores them: a fitted `QueryRanker`, an estimator that wraps one, or any other, which
        tells nothing of the queries that it has seen.
    """
    warn_if_ids_are_of_another_kind(queries)
    trained = None if estimator is None else _training_record(estimator)
    if trained is not None:
        overlap = _Overlap(trained, queries)
        if overlap.has_other_rows:
            _warn_of_a_leak()
            return
        if overlap.has_training_rows:
            _warn_of_training_rows(int(overlap.are_same.sum()), len(queries.qid))
            return
    _warn_of_sizes(queries, "scored rows")


def warn_if_splits_take_parts(
    splits: Sequence[tuple[IntArray, IntArray]], query: IntArray, sizes: IntArray
) -> None:
    """Warn if a split trains and tests on rows of one query, or tests on some of its rows.

    Parameters
    ----------
    splits : sequence of (train, test)
        Row numbers of each split.
    query : ndarray of shape (n_rows,)
        Query number of each row.
    sizes : ndarray of shape (n_queries,)
        Number of rows of each query.
    """
    n_cut = max((n_shared(query[train], query[test]) for train, test in splits), default=0)
    if n_cut:
        warn_once(
            f"cv cuts queries: up to {n_cut} of {len(sizes)} have documents in both the training "
            "and the test rows of a split, so that values are too high. Split by whole queries, "
            "for example by cv=QueryKFold(5).",
            QueryLeakWarning,
        )
        return
    n_thinned = max((n_parts(query[test], sizes) for _, test in splits), default=0)
    if n_thinned:
        warn_once(
            f"cv leaves rows of queries out: up to {n_thinned} of {len(sizes)} are tested on some "
            "of their documents, and short lists are easier to rank. Split by whole queries, for "
            "example by cv=QueryKFold(5).",
            CutQueriesWarning,
        )


class _Overlap:
    """What scored queries share with those that a ranker was trained on.

    Attributes
    ----------
    are_same : ndarray of shape (n_shared,), bool
        Whether a query has as many scored rows as training rows, which are then taken for the same.
    """

    def __init__(self, trained: QueryRecord, queries: Queries) -> None:
        _, before, scored = np.intersect1d(
            trained.hashes, hash_ids(queries.qid), assume_unique=True, return_indices=True
        )
        self._n_trained = trained.n_rows[before].astype(np.int64)
        self._n_scored = n_rows_of(queries)[scored]
        self.are_same: BoolArray = self._n_trained == self._n_scored
        # Equal sizes mean one data set; without them, or with others, it may be another one.
        self._is_one = self._was_cut = np.zeros(len(before), dtype=bool)
        if queries.sizes is not None and trained.sizes is not None:
            self._is_one = trained.sizes[before] == queries.sizes[scored]
            self._was_cut = self._n_trained < trained.sizes[before]
        # Files without ids are numbered from the start, so that their ids say nothing.
        self._is_numbered = _is_numbering(queries.qid)
        self._n_most = max(len(trained), len(queries.qid))

    @property
    def has_other_rows(self) -> bool:
        """Whether the ranker knows some scored query by other rows.

        One that was trained on a whole query knows all of its rows, however few are scored. Of
        queries that are numbered from the start, it knows others if nearly all numbers are the
        same, and lists are shorter or longer as those of the parts of one data set are.
        """
        if (self._is_one & self._was_cut & ~self.are_same).any():
            return True
        if not (~self._is_one & ~self.are_same).any():
            return False
        shortest, longest = _ABOUT_AS_MANY
        ratio = self._n_scored.sum() / self._n_trained.sum()
        is_most = len(self.are_same) >= _MOST * self._n_most
        return not self._is_numbered or (is_most and not shortest <= ratio <= longest)

    @property
    def has_training_rows(self) -> bool:
        """Whether most of these queries have their training rows.

        Of queries that are numbered from the start, all must be the same, with as many rows.
        """
        if self._is_numbered:
            return len(self.are_same) == self._n_most and bool(self.are_same.all())
        return bool(2 * self.are_same.sum() > len(self.are_same))


def _is_numbering(qid: NDArray[Any]) -> bool:
    """Whether ids are 0..n-1 or 1..n."""
    if qid.dtype.kind not in "iu":
        return False
    return bool(qid.min() in {0, 1} and qid.max() - qid.min() == len(qid) - 1)


def _training_record(estimator: Any) -> QueryRecord | None:
    """Find what a ranker remembers, also at the end of a Pipeline or inside a fitted search."""
    while estimator is not None:
        record = getattr(estimator, "training_queries_", None)
        if isinstance(record, QueryRecord):
            return record
        steps = getattr(estimator, "steps", None)
        estimator = getattr(estimator, "best_estimator_", steps[-1][1] if steps else None)
    return None


def _warn_of_a_leak() -> None:
    warn_once(
        "The ranker was trained on other documents of the queries that it is scored on, so that "
        "the score is too high. Split by whole queries: cv=QueryKFold(5), or "
        "query_train_test_split. If these are other queries, give them ids of their own.",
        QueryLeakWarning,
    )


def _warn_of_training_rows(n_same: int, n_scored: int) -> None:
    """Warn outside of searches alone, which score training rows only where they are asked to."""
    warn_once(
        f"The ranker is judged on rows that it was trained on, in {n_same} of {n_scored} queries: "
        "it ranks them better than new queries. Hold queries out, by query_train_test_split or "
        "cross_validate_queries. If these are other queries, give them ids of their own.",
        QueryLeakWarning,
        in_searches=False,
    )


def _warn_of_sizes(queries: Queries, rows: str) -> None:
    """Warn where queries have fewer or more rows than they should."""
    if queries.sizes is None:
        return
    missing = n_missing(queries)
    if (missing > 0).any():
        warn_once(
            f"The {rows} hold parts of queries: {example(queries, missing > 0)}. Short lists are "
            "easier to rank, so that scores are too high. Folds of rows, a learning curve, "
            "permutation_importance with max_samples and a halving search cut queries, unless this "
            "has a resource such as 'estimator__n_estimators'. Split by whole queries, for example "
            "by cv=QueryKFold(5). If rows were left out on purpose, make the target or the ids "
            "from the rows that are left.",
            CutQueriesWarning,
        )
    elif (missing < 0).any():
        warn_once(
            f"The {rows} hold more rows of queries than these have: "
            f"{example(queries, missing < 0)}. Either rows occur twice, as in a bootstrap "
            "sample, or two queries share an id. Give every query, and every copy of one, an id "
            "of its own, and make the target or the ids from all rows.",
            CutQueriesWarning,
        )


def refuse_cut_queries(data_set: Any) -> None:
    """Raise where a subset of a data set holds some rows of a query and lacks others.

    Where it does not, the getters of the data set return what was set last: ``set_field`` counts a
    new version, and leaves their copies as they were.

    LightGBM takes the fragments for queries. ``lightgbm.cv`` makes such subsets where the objective
    is callable, of which it does not know that it ranks.

    Parameters
    ----------
    data_set : lightgbm.Dataset
        The data set that is trained on or evaluated.

    Raises
    ------
    ValueError
        If a query is cut.
    """
    if _whole.get(data_set) == data_set.version:
        return
    subset = data_set
    while getattr(subset, "used_indices", None) is not None and subset.reference is not None:
        sizes = subset.reference.get_group()
        if sizes is not None:
            _require_whole(np.asarray(sizes, dtype=np.int64), np.asarray(subset.used_indices))
        subset = subset.reference
    data_set.label = data_set.weight = data_set.group = None  # the getters read them anew
    _whole[data_set] = data_set.version


def _require_whole(sizes: IntArray, rows: IntArray) -> None:
    n_cut = n_parts(np.repeat(np.arange(len(sizes)), sizes)[rows], sizes)
    if n_cut:
        raise ValueError(
            f"The data set is a subset that cuts queries: it holds parts of {n_cut} queries of "
            f"{len(sizes)}. lightgbm.cv cuts them where the objective is callable: pass it "
            "folds=skgraded.QueryKFold(5)."
        )
