"""Warnings where queries lack rows, or where a ranker has been trained on them.

The rows of a query are counted, and their number is compared with the size of the query that
`query_target`, `query_series` or `query_ids` has put beside its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._arguments import warn_if_ids_are_of_another_kind
from skgraded._guards._queries import (
    IntArray,
    Queries,
    QueryRecord,
    hash_ids,
    n_rows_of,
    n_shared,
)
from skgraded._guards._stack import warn_once
from skgraded.exceptions import CutQueriesWarning, QueryLeakWarning

# Two data sets of one kind have lists of about the same lengths; the parts of a data set do not.
_ABOUT_AS_MANY = (0.8, 1.25)

# What is wrong with rows of queries, and what to do.
_PARTS = (
    "parts of queries",
    "Short lists are easier to rank, so that scores are too high. Folds of rows, a learning curve, "
    "permutation_importance with max_samples and a halving search cut queries, unless this has a "
    "resource such as 'estimator__n_estimators'. Split by whole queries, for example by "
    "cv=QueryKFold(5). If rows were left out on purpose, make the target or the ids from the rows "
    "that are left.",
)
_COPIES = (
    "more rows of queries than these have",
    "Either rows occur twice, as in a bootstrap sample, or two queries share an id. Give every "
    "query, and every copy of one, an id of its own, and make the target or the ids from all rows.",
)

# The versions of LightGBM's data sets that were looked at: once each, because the rows of a subset
# are a list.
_whole: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def warn_about_given_queries(queries: Queries, *, rows: str = "training rows") -> None:
    """Warn of doubtful ids, and of queries that lack rows or repeat them, in training or splitting.

    Parameters
    ----------
    queries : Queries
        The rows by query.
    rows : str, default="training rows"
        What to call the rows in the message.
    """
    warn_if_ids_are_of_another_kind(queries)
    if queries.sizes is not None:
        _warn_of_sizes(queries.sizes, queries, rows)


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
    is_known = trained is not None and _warn_if_trained_on(trained, queries)
    if queries.sizes is not None and not is_known:
        _warn_of_sizes(queries.sizes, queries, "scored rows")


def warn_if_splits_cut_queries(
    splits: Sequence[tuple[IntArray, IntArray]], query: IntArray, n_queries: int
) -> None:
    """Warn if a split trains and tests on rows of one query.

    Parameters
    ----------
    splits : sequence of (train, test)
        Row numbers of each split.
    query : ndarray of shape (n_rows,)
        Query number of each row.
    n_queries : int
        Number of queries.
    """
    n_cut = max((n_shared(query[train], query[test]) for train, test in splits), default=0)
    if n_cut:
        warn_once(
            f"cv cuts queries: up to {n_cut} of {n_queries} have documents in both the training "
            "and the test rows of a split, so that values are too high. Split by whole queries, "
            "for example by cv=QueryKFold(5).",
            QueryLeakWarning,
        )


def _warn_if_trained_on(trained: QueryRecord, queries: Queries) -> bool:
    """Warn if a ranker was trained on scored queries, and tell whether it was.

    Files without ids are numbered from the start, so that their ids say nothing. They are taken for
    one data set if they have the same numbers, and all lists are as long, or lists are shorter or
    longer as those of the parts of one data set are.
    """
    _, before, scored = np.intersect1d(
        trained.hashes, hash_ids(queries.qid), assume_unique=True, return_indices=True
    )
    n_known, n_queries = len(before), len(queries.qid)
    n_trained = trained.n_rows[before].astype(np.int64)
    n_scored = n_rows_of(queries)[scored]
    are_same = np.array_equal(n_trained, n_scored)
    is_known = n_known > 0
    if is_known and _is_numbering(queries.qid):
        shortest, longest = _ABOUT_AS_MANY
        are_parts = not shortest <= n_scored.sum() / n_trained.sum() <= longest
        is_known = n_known == n_queries == len(trained) and (are_same or are_parts)
    if is_known:
        warn_once(
            f"The ranker was trained on {n_known} of the {n_queries} queries that it is judged on, "
            "and ranks them better than new ones. Hold whole queries out, by cv=QueryKFold(5), "
            "query_train_test_split or cross_validate_queries. If these are other queries, give "
            "them ids of their own.",
            QueryLeakWarning,
            in_searches=not are_same,  # which score training rows only where they are asked to
        )
    return is_known


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


def _warn_of_sizes(sizes: IntArray, queries: Queries, rows: str) -> None:
    """Warn where queries have fewer or more rows than they should."""
    n_rows = n_rows_of(queries)
    is_cut = bool((n_rows < sizes).any())
    marked = n_rows < sizes if is_cut else n_rows > sizes
    if marked.any():
        first = np.flatnonzero(marked)[0]
        (name,) = queries.qid[first : first + 1].tolist()
        found = f"{marked.sum()} of {len(marked)}, such as {name!r} with {n_rows[first]} rows of"
        what, advice = _PARTS if is_cut else _COPIES
        message = f"The {rows} hold {what}: {found} {sizes[first]}. {advice}"
        warn_once(message, CutQueriesWarning)


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
    while subset.used_indices is not None and subset.reference is not None:
        subset, rows = subset.reference, subset.used_indices
        _require_whole(subset.get_group(), rows)
    data_set.label = data_set.weight = data_set.group = None  # the getters read them anew
    _whole[data_set] = data_set.version


def _require_whole(sizes: IntArray | None, rows: Sequence[int]) -> None:
    if sizes is None:
        return
    n_rows = np.bincount(np.repeat(np.arange(len(sizes)), sizes)[rows], minlength=len(sizes))
    n_cut = ((n_rows > 0) & (n_rows < sizes)).sum()
    if n_cut:
        raise ValueError(
            f"The data set is a subset that cuts queries: it holds parts of {n_cut} queries of "
            f"{len(sizes)}. lightgbm.cv cuts them where the objective is callable: pass it "
            "folds=skgraded.QueryKFold(5)."
        )
