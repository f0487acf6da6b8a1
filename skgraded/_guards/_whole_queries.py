"""Warnings where queries lack rows, or where a ranker has been trained on other rows of them.

The rows of a query are counted, and their number is compared with the size of the query that
`query_target`, `query_series` or `query_ids` has put beside its id. Where only the ids are known,
the numbers of training rows and scored rows of each query are compared instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._arguments import warn_if_ids_are_of_another_kind
from skgraded._guards._issue import warn_once
from skgraded._guards._nested import fitted_inside
from skgraded._guards._query_record import QueryRecord, hash_ids, short_hashes
from skgraded._guards._row_counts import (
    JudgedQueries,
    Queries,
    example,
    n_missing,
    n_parts,
    n_rows_of,
    n_shared,
)
from skgraded._guards._stack import is_cross_validating, is_training_score_asked_for
from skgraded.exceptions import (
    CutQueriesWarning,
    QueryLeakWarning,
)

IntArray = NDArray[np.int64]

# Two data sets of one kind have lists of about the same lengths; the parts of a data set do not.
_ABOUT_AS_MANY = (0.8, 1.25)

_ON_PURPOSE = (
    "If rows were left out on purpose, make the target or the ids from the rows that are left."
)


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
    missing = n_missing(queries)
    if not (missing > 0).any():
        _warn_if_rows_repeat(queries, missing, rows)
        return
    warn_once(
        f"The {rows} hold parts of queries: {example(queries, missing > 0)}. Folds of rows, "
        "a learning curve or a halving search with resource='n_samples' cut queries. Split by "
        "whole queries, for example by cv=QueryKFold(5) or QueryShuffleSplit(train_size=n). "
        f"{_ON_PURPOSE}",
        CutQueriesWarning,
    )


def warn_about_scored_queries(
    queries: JudgedQueries, estimator: Any = None, *, given_apart: bool = False
) -> None:
    """Warn of doubtful ids, and of queries that lack rows, repeat them or were trained on.

    Parameters
    ----------
    queries : JudgedQueries
        The scored rows by query.
    estimator : estimator, optional
        What scores them: a fitted `QueryRanker`, an estimator that wraps one, or any other, which
        tells nothing of the queries that it has seen.
    given_apart : bool, default=False
        Whether the rows are another data set than that of a cross-validation in progress.
    """
    warn_if_ids_are_of_another_kind(queries)
    trained = None if estimator is None else _training_record(estimator)
    if trained is not None:
        overlap = _Overlap(trained, queries)
        if overlap.is_leak(given_apart=given_apart):
            _warn_of_a_leak()
        elif overlap.n_same_rows and not is_training_score_asked_for():
            _warn_of_training_queries(overlap.n_same_rows, len(queries.qid))
        else:  # of training rows, fit has warned
            _warn_of_parts(queries, overlap.scored[overlap.are_training_rows])
    elif queries.sizes is not None:
        _warn_of_parts(queries)


def _warn_of_parts(queries: Queries, apart_from: IntArray | None = None) -> None:
    missing = n_missing(queries)
    if apart_from is not None:
        missing[apart_from] = np.minimum(missing[apart_from], 0)
    if (missing > 0).any():
        _warn_of_thin_queries(example(queries, missing > 0))
    else:
        _warn_if_rows_repeat(queries, missing, "scored rows")


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
    """The scored queries that a ranker has been trained on.

    Rows are taken for the training rows themselves where a query has as many of both; of a query
    that is cut into equal halves, this misses that it is scored on the other half. The warning that
    the training rows are cut remains.
    """

    def __init__(self, trained: QueryRecord, queries: JudgedQueries) -> None:
        self._trained, self._queries = trained, queries
        self._hashes = hash_ids(queries.qid)
        _, self._before, self.scored = np.intersect1d(
            trained.hashes, self._hashes, assume_unique=True, return_indices=True
        )
        before = self._before
        n_trained, n_scored = trained.n_rows[before], n_rows_of(queries)[self.scored]
        # Equal sizes mean one data set; without them, or with others, it may be another one.
        self.is_one_data_set = np.zeros(len(before), dtype=bool)
        self.was_cut = np.zeros(len(before), dtype=bool)
        if queries.sizes is not None and trained.sizes is not None:
            self.is_one_data_set = trained.sizes[before] == queries.sizes[self.scored]
            self.was_cut = n_trained < trained.sizes[before]
        self.have_other_rows = n_trained != n_scored
        self.are_training_rows = self.is_one_data_set & ~self.have_other_rows

    @property
    def n_same_rows(self) -> int:
        """Number of queries whose rows are training rows by their grades; 0 where few are.

        Two data sets whose queries are numbered from 0 share ids, and few grades.
        """
        if not len(self.scored):  # the common case, in which the grades need not be read
            return 0
        are_same = self._trained.grades[self._before] == short_hashes(self._queries)[self.scored]
        n_same = int(np.count_nonzero(are_same & ~self.have_other_rows))
        return n_same if 2 * n_same > len(self.scored) else 0

    def is_leak(self, *, given_apart: bool) -> bool:
        """Whether the ranker knows some scored query by other rows.

        One that was trained on a whole query knows all of its rows, however few are scored.
        """
        if (self.have_other_rows & self.is_one_data_set & self.was_cut).any():
            return True
        if not (self.have_other_rows & ~self.is_one_data_set).any():
            return False
        is_one = not given_apart and is_cross_validating()
        return is_one or not _may_be_of_other_data(self._trained, self._hashes, self._queries)


def _may_be_of_other_data(
    trained: QueryRecord, hashes: NDArray[np.uint64], queries: Queries
) -> bool:
    """Whether equal ids may be a coincidence, because the scored queries are numbered 0, 1, ...

    Files without ids are numbered from the start. Two parts of one data set have the same numbers,
    and lists of other lengths.
    """
    if not _is_numbering(queries.qid):
        return False
    if not np.array_equal(trained.hashes, np.sort(hashes)):
        return True
    shortest, longest = _ABOUT_AS_MANY
    return bool(shortest <= n_rows_of(queries).sum() / trained.n_rows.sum() <= longest)


def _is_numbering(qid: NDArray[Any]) -> bool:
    """Whether ids are 0..n-1 or 1..n."""
    if qid.dtype.kind not in "iu":
        return False
    return bool(qid.min() in {0, 1} and qid.max() - qid.min() == len(qid) - 1)


def _warn_of_a_leak() -> None:
    warn_once(
        "The ranker was trained on other documents of the queries that it is scored on, so that "
        "the score is too high. Split by whole queries: cv=QueryKFold(5), or "
        "query_train_test_split. If these are other queries, give them ids of their own.",
        QueryLeakWarning,
    )


def _warn_of_training_queries(n_same: int, n_scored: int) -> None:
    warn_once(
        f"The ranker is judged on rows that it was trained on, in {n_same} of {n_scored} queries: "
        "it ranks them better than new queries. Hold queries out, by query_train_test_split or "
        "cross_validate_queries.",
        QueryLeakWarning,
    )


def _warn_of_thin_queries(example: str) -> None:
    warn_once(
        f"The scored rows hold parts of queries: {example}. Short lists are easier to rank, so "
        "that the score is too high. Split by whole queries, for example by cv=QueryKFold(5); let "
        "a halving search grow a parameter, such as resource='estimator__n_estimators'; leave "
        f"max_samples of permutation_importance at 1.0. {_ON_PURPOSE}",
        CutQueriesWarning,
    )


def _warn_if_rows_repeat(queries: Queries, missing: IntArray, rows: str) -> None:
    if (missing < 0).any():
        warn_once(
            f"The {rows} hold more rows of queries than these have: "
            f"{example(queries, missing < 0)}. Either rows occur twice, as in a bootstrap "
            "sample, or two queries share an id. Give every query, and every copy of one, an id "
            "of its own, and make the target or the ids from all rows.",
            CutQueriesWarning,
        )


def _training_record(estimator: Any) -> QueryRecord | None:
    """Find what a ranker remembers, also at the end of a Pipeline or inside a fitted search."""
    records = (getattr(each, "training_queries_", None) for each in fitted_inside(estimator))
    return next((each for each in records if isinstance(each, QueryRecord)), None)
