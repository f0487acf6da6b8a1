"""Queries that a model was trained on, and whether scored rows are other documents of them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._warnings import QueryLeakWarning, warn_once
from skgraded.rankings import Judgments

__all__ = ["QueryRecord", "warn_if_queries_leak"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_COLUMNS_READ = 3
_ROUNDING = 1e-9

# Data sets of one kind have lists of about the same lengths; the parts of a query seldom do.
_ABOUT_AS_MANY = (0.8, 1.25)

# Where scikit-learn fits and scores parts of one data set.
_CROSS_VALIDATION = {"sklearn.model_selection._validation", "sklearn.feature_selection._rfe"}


@dataclasses.dataclass(frozen=True, eq=False)
class QueryRecord:
    """What tells one set of a query's documents from another, for every query.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        The queries.
    sizes : ndarray of shape (n_queries,)
        Their numbers of rows.
    grade_sums : ndarray of shape (n_queries,)
        Their sums of grades.
    feature_sums : ndarray of shape (n_queries,)
        Their sums of a few features.
    """

    qid: NDArray[Any]
    sizes: IntArray
    grade_sums: FloatArray
    feature_sums: FloatArray

    @classmethod
    def of(cls, X: Any, judgments: Judgments) -> QueryRecord:
        """Record the queries of some rows.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_features)
            Features.
        judgments : Judgments
            Their labels and layout.

        Returns
        -------
        QueryRecord
            The record.
        """
        order = slice(None) if judgments.row_order is None else judgments.row_order
        grade_of_level = np.append(judgments.grades, [0.0, 0.0])  # unjudged documents last
        starts = judgments.indptr[:-1]
        return cls(
            qid=judgments.qid,
            sizes=np.diff(judgments.indptr),
            grade_sums=np.add.reduceat(grade_of_level[judgments.levels], starts),
            feature_sums=np.add.reduceat(_sums_of_some_features(X)[order], starts),
        )

    def is_cut_by(self, scored: QueryRecord) -> bool:
        """Whether any of these queries is scored on documents other than those recorded here.

        Scoring the very documents is no leak that anybody overlooks: that is a training score. They
        are taken for the same where there are as many and either the grades or the features are the
        same, so that neither other labels nor a permuted feature is mistaken for a cut.
        """
        here, there = _shared(self.qid, scored.qid)
        as_many = self.sizes[here] == scored.sizes[there]
        alike = np.zeros(len(here), dtype=bool)
        for name in ("grade_sums", "feature_sums"):
            alike |= np.isclose(
                getattr(self, name)[here], getattr(scored, name)[there], _ROUNDING, _ROUNDING
            )
        return bool((~as_many | ~alike).any())

    def may_be_of_other_data(self, scored: QueryRecord) -> bool:
        """Whether equal ids may be a coincidence: the scored queries are merely numbered 0, 1, ...

        Files without ids are numbered each from the start. Parts of one data set tell themselves by
        having the very same numbers, and lists of other lengths; the same rows under permuted ids
        by their sums.
        """
        if not _is_numbering(scored.qid) or self._is_in_sum(scored):
            return False
        if set(self.qid.tolist()) != set(scored.qid.tolist()):
            return True
        shortest, longest = _ABOUT_AS_MANY
        return bool(shortest <= scored.sizes.sum() / self.sizes.sum() <= longest)

    def _is_in_sum(self, scored: QueryRecord) -> bool:
        """Whether both are the same rows, whatever the ids."""
        names = ("sizes", "grade_sums", "feature_sums")
        return all(
            np.isclose(getattr(self, each).sum(), getattr(scored, each).sum(), _ROUNDING, 0)
            for each in names
        )


def _is_numbering(qid: NDArray[Any]) -> bool:
    """Whether ids are 0..n-1 or 1..n."""
    if qid.dtype.kind not in "iu":
        return False
    return bool(qid.min() in {0, 1} and qid.max() - qid.min() == len(qid) - 1)


def _shared(one: NDArray[Any], other: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Places of the ids that both have."""
    try:
        _, here, there = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    except TypeError:  # ids of several types have no order
        place = {each: number for number, each in enumerate(other.tolist())}
        here = np.array([n for n, each in enumerate(one.tolist()) if each in place], dtype=np.int64)
        there = np.array([place[each] for each in one[here].tolist()], dtype=np.int64)
    return here, there


def _sums_of_some_features(X: Any) -> FloatArray:
    """Sum of a few features of each row; 0 where they are no numbers."""
    rows = X.tocsr() if hasattr(X, "tocsr") else X if hasattr(X, "shape") else np.asarray(X)
    if len(rows.shape) != 2 or not rows.shape[1]:  # noqa: PLR2004
        return np.zeros(rows.shape[0])
    columns = sorted({*np.linspace(0, rows.shape[1] - 1, _COLUMNS_READ).astype(int).tolist()})
    some = rows.iloc[:, columns] if hasattr(rows, "iloc") else rows[:, columns]
    array = np.asarray(some.toarray() if hasattr(some, "toarray") else some)
    if array.dtype.kind not in "biuf":
        return np.zeros(len(array))
    sums: FloatArray = np.nan_to_num(array.astype(np.float64)).sum(axis=1)
    return sums


def warn_if_queries_leak(
    estimator: Any, X: Any, judgments: Judgments, *, given_apart: bool = False
) -> None:
    """Warn where scored rows are other documents of queries that a ranker was trained on.

    Parameters
    ----------
    estimator : estimator
        A fitted `QueryRanker`, what wraps one, or anything else, of which nothing is known.
    X : array-like of shape (n_documents, n_features)
        Features of the scored rows.
    judgments : Judgments
        Their labels.
    given_apart : bool, default=False
        Whether the rows come beside the data set, also where that is cross-validated.
    """
    trained = _training_record(estimator)
    if trained is None:
        return
    scored = QueryRecord.of(X, judgments)
    if not trained.is_cut_by(scored):
        return
    if (given_apart or not _is_cross_validation()) and trained.may_be_of_other_data(scored):
        return
    warn_once(
        "The ranker was trained on other documents of the queries that it is scored on, so that "
        "the score is too high. Split by whole queries: cv=QueryKFold(5), or "
        "query_train_test_split. If these are other queries, give them ids of their own.",
        QueryLeakWarning,
    )


def _is_cross_validation() -> bool:
    """Whether scikit-learn trains and scores on parts of one data set, where equal ids are one."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") in _CROSS_VALIDATION:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


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
