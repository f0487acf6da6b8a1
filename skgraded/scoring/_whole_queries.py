"""Warnings where queries lack rows, or where a ranker has been trained on other rows of them.

The rows of a query are counted, and their number is compared with the size of the query that
`query_target`, `query_series` or `query_ids` has put beside its id. Where only the ids are known,
the numbers of training rows and scored rows of each query are compared instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import is_cross_validating, warn_once
from skgraded.exceptions import CutQueriesWarning, QueryLeakWarning, ThinnedQueriesWarning
from skgraded.rankings import Judgments
from skgraded.scoring._query_record import QueryRecord, hash_ids, sizes_by_query

__all__ = ["warn_if_queries_are_cut", "warn_if_scored_queries_are_parts"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Two data sets of one kind have lists of about the same lengths; the parts of a data set do not.
_ABOUT_AS_MANY = (0.8, 1.25)

_ON_PURPOSE = (
    "If rows were left out on purpose, make the target or the ids from the rows that are left."
)


def warn_if_queries_are_cut(
    judgments: Judgments, row_sizes: IntArray | None, *, rows: str = "training rows"
) -> None:
    """Warn if queries lack rows, or have rows twice, where a ranker is trained or rows are split.

    Parameters
    ----------
    judgments : Judgments
        The rows by query.
    row_sizes : ndarray of shape (n_documents,) or None
        Size of each row's query, where it is known.
    rows : str, default="training rows"
        What to call the rows in the message.
    """
    sizes = sizes_by_query(judgments, row_sizes)
    if sizes is None:
        return
    lacking = np.diff(judgments.indptr) < sizes
    if not lacking.any():
        _warn_if_rows_repeat(judgments, sizes, rows)
        return
    warn_once(
        f"The {rows} hold parts of queries: {_example(judgments, sizes, lacking)}. Folds of rows, "
        "a learning curve or a halving search with resource='n_samples' cut queries. Split by "
        "whole queries, for example by cv=QueryKFold(5) or QueryShuffleSplit(train_size=n). "
        f"{_ON_PURPOSE}",
        CutQueriesWarning,
    )


def warn_if_scored_queries_are_parts(
    estimator: Any, judgments: Judgments, row_sizes: IntArray | None, *, given_apart: bool = False
) -> None:
    """Warn if scored queries lack rows, or if a ranker has been trained on other rows of them.

    Parameters
    ----------
    estimator : estimator
        A fitted `QueryRanker`, an estimator that wraps one, or any other, which tells nothing of
        the queries that it has seen.
    judgments : Judgments
        The scored rows by query.
    row_sizes : ndarray of shape (n_documents,) or None
        Size of each row's query, where it is known.
    given_apart : bool, default=False
        Whether the rows are another data set than that of a cross-validation in progress.
    """
    sizes, trained = sizes_by_query(judgments, row_sizes), _training_record(estimator)
    overlap = None if trained is None else _Overlap(trained, judgments, sizes)
    if overlap is not None and overlap.is_leak(given_apart=given_apart):
        _warn_of_a_leak()
        return
    if sizes is None:
        return
    lacking = np.diff(judgments.indptr) < sizes
    if overlap is not None:
        lacking[overlap.scored[overlap.are_training_rows]] = False  # fit has warned of these
    if lacking.any():
        _warn_of_thin_queries(_example(judgments, sizes, lacking))
    else:
        _warn_if_rows_repeat(judgments, sizes, "scored rows")


class _Overlap:
    """The scored queries that a ranker has been trained on.

    Rows are taken for the training rows themselves where a query has as many of both; of a query
    that is cut into equal halves, this misses that it is scored on the other half. The warning that
    the training rows are cut remains.
    """

    def __init__(self, trained: QueryRecord, judgments: Judgments, sizes: IntArray | None) -> None:
        hashes = hash_ids(judgments.qid)
        _, before, self.scored = np.intersect1d(
            trained.hashes, hashes, assume_unique=True, return_indices=True
        )
        n_trained, n_scored = trained.n_rows[before], np.diff(judgments.indptr)[self.scored]
        # Equal sizes mean one data set; without them, or with others, it may be another one.
        self.is_one_data_set = np.zeros(len(before), dtype=bool)
        self.was_cut = np.zeros(len(before), dtype=bool)
        if sizes is not None and trained.sizes is not None:
            self.is_one_data_set = trained.sizes[before] == sizes[self.scored]
            self.was_cut = n_trained < trained.sizes[before]
        self.have_other_rows = n_trained != n_scored
        self.are_training_rows = self.is_one_data_set & ~self.have_other_rows
        self._may_be_of_other_data = _may_be_of_other_data(trained, hashes, judgments)

    def is_leak(self, *, given_apart: bool) -> bool:
        """Whether the ranker knows some scored query by other rows.

        One that was trained on a whole query knows all of its rows, however few are scored.
        """
        if (self.have_other_rows & self.is_one_data_set & self.was_cut).any():
            return True
        if not (self.have_other_rows & ~self.is_one_data_set).any():
            return False
        is_one = not given_apart and is_cross_validating()
        return is_one or not self._may_be_of_other_data


def _may_be_of_other_data(
    trained: QueryRecord, hashes: NDArray[np.uint64], judgments: Judgments
) -> bool:
    """Whether equal ids may be a coincidence, because the scored queries are numbered 0, 1, ...

    Files without ids are numbered from the start. Two parts of one data set have the same numbers,
    and lists of other lengths.
    """
    if not _is_numbering(judgments.qid):
        return False
    if not np.array_equal(trained.hashes, np.sort(hashes)):
        return True
    shortest, longest = _ABOUT_AS_MANY
    return bool(shortest <= judgments.n_documents / trained.n_rows.sum() <= longest)


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


def _warn_of_thin_queries(example: str) -> None:
    warn_once(
        f"The scored rows hold parts of queries: {example}. Short lists are easier to rank, so "
        "that the score is too high. Split by whole queries, for example by cv=QueryKFold(5); let "
        "a halving search grow a parameter, such as resource='estimator__n_estimators'; leave "
        f"max_samples of permutation_importance at 1.0. {_ON_PURPOSE}",
        ThinnedQueriesWarning,
    )


def _warn_if_rows_repeat(judgments: Judgments, sizes: IntArray, rows: str) -> None:
    repeated = np.diff(judgments.indptr) > sizes
    if repeated.any():
        warn_once(
            f"The {rows} hold more rows of queries than these have: "
            f"{_example(judgments, sizes, repeated)}. Either rows occur twice, as in a bootstrap "
            "sample, or two queries share an id. Give every query, and every copy of one, an id "
            "of its own, and make the target or the ids from all rows.",
            CutQueriesWarning,
        )


def _example(judgments: Judgments, sizes: IntArray, marked: BoolArray) -> str:
    """Say how many queries are meant, and of one of them the numbers of rows."""
    first = int(np.flatnonzero(marked)[0])
    n_rows = judgments.indptr[first + 1] - judgments.indptr[first]
    (name,) = judgments.qid[first : first + 1].tolist()
    return f"{marked.sum()} of {len(marked)}, such as {name!r} with {n_rows} rows of {sizes[first]}"


def _training_record(estimator: Any) -> QueryRecord | None:
    """Find what a ranker remembers, also at the end of a Pipeline or inside a fitted search."""
    while not isinstance(found := getattr(estimator, "training_queries_", None), QueryRecord):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif getattr(estimator, "steps", None):
            estimator = estimator.steps[-1][1]
        else:
            return None
    return found
