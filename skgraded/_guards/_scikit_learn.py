"""Warnings of what tools of scikit-learn do without a trace in the data, told by their frames."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._issue import warn_once
from skgraded._guards._row_counts import n_shared
from skgraded._guards._stack import (
    LearningCurve,
    fraction_drawn_by,
    is_argument_of,
    is_permuting_features,
    learning_curve_of,
    metric_of_recursive_elimination,
)
from skgraded.exceptions import (
    CutQueriesWarning,
    OtherMetricWarning,
    RowNumbersWarning,
    ThinnedQueriesWarning,
)

__all__ = [
    "is_permuting_features",
    "warn_if_features_are_selected_by_r2",
    "warn_if_id_column_is_shuffled",
    "warn_if_queries_will_be_cut",
    "warn_if_rows_are_those_of_a_fold",
]

IntArray = NDArray[np.int64]

_FOLDS = {"_fit_and_score", "_fit_and_predict"}  # where scikit-learn fits on some of the rows


def warn_if_queries_will_be_cut(
    caller: FrameType | None, find_queries: Callable[[], IntArray]
) -> bool:
    """Warn if the caller of a splitter goes on to take rows that do not make whole queries.

    Neither an estimator nor a scorer can see that rows are missing if it knows the ids alone. The
    splitter still has all rows, and warns in their place.

    Parameters
    ----------
    caller : frame or None
        The frame that asked the splitter for its next split.
    find_queries : callable
        Returns the query number of each training row, shape ``(n_training_rows,)``; it is called
        where the caller is a learning curve.

    Returns
    -------
    bool
        Whether there was a warning.
    """
    if fraction_drawn_by(caller) < 1:
        warn_once(
            "A halving search with resource='n_samples' draws rows from every fold, test folds "
            "included, so that queries lose documents and scores rise. Let it grow something else, "
            "such as resource='estimator__n_estimators'.",
            ThinnedQueriesWarning,
        )
        return True
    curve = learning_curve_of(caller)
    if curve is not None and _cuts(curve, find_queries()):
        warn_once(
            "learning_curve takes the first rows of every training set, or any rows with "
            "shuffle=True, and so parts of queries. Take numbers of rows that end with a query, or "
            "call cross_validate with cv=QueryShuffleSplit(train_size=n) for each number n of "
            "queries.",
            CutQueriesWarning,
        )
        return True
    return False


def _cuts(curve: LearningCurve, queries: IntArray) -> bool:
    """Whether some training set of a learning curve holds a part of a query."""
    sizes = _absolute(np.asarray(curve.train_sizes), len(queries))
    sizes = sizes[sizes < len(queries)]
    if curve.shuffle:
        return len(sizes) > 0 and len(np.unique(queries)) < len(queries)
    return any(n_shared(queries[:size], queries[size:]) for size in sizes)


def _absolute(train_sizes: NDArray[np.generic], n_rows: int) -> IntArray:
    """Return numbers of rows, as `learning_curve` reads its train_sizes."""
    if train_sizes.dtype.kind != "f":
        return train_sizes.astype(np.int64)
    return np.clip((train_sizes * n_rows).astype(np.int64), 1, n_rows)


def warn_if_id_column_is_shuffled() -> None:
    """Warn where ids are read from a column of features that permutation_importance shuffles."""
    if is_permuting_features():
        warn_once(
            "permutation_importance shuffles the column 'qid' of X as if it were a feature, and "
            "with it the queries, so that its importance means nothing. Give the ids by "
            "query_target(y, qid) instead.",
            CutQueriesWarning,
        )


def warn_if_features_are_selected_by_r2() -> None:
    """Warn where RFECV selects features by R2, which it takes where no scoring is given."""
    if metric_of_recursive_elimination() == "r2_score":
        warn_once(
            "scoring should be a ranking measure in RFECV, such as make_ranking_scorer('nDCG@10'), "
            "got r2, which RFECV takes by default and which compares the ranker's scores with the "
            "grades.",
            OtherMetricWarning,
        )


def warn_if_rows_are_those_of_a_fold(numbers: Any) -> None:
    """Warn where row numbers are given to a fold, which holds other rows than were numbered.

    Parameters
    ----------
    numbers : object
        The row numbers, as they were given to the fit: CatBoost's ``pairs``.
    """
    if is_argument_of(_FOLDS, "fit_params", numbers):
        warn_once(
            "pairs should be left out in cross-validation: they are row numbers of all rows, and "
            "a fold has other rows. Fit on each fold yourself, with pairs of its rows.",
            RowNumbersWarning,
        )
