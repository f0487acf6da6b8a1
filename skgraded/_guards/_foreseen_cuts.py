"""Tools of scikit-learn that take rows out of the splits of a splitter, told apart by the stack.

They do so after the split, where neither an estimator nor a scorer can see that rows are missing if
it knows the ids alone. The splitter still has all rows, and warns in their place.
"""

from __future__ import annotations

from types import FrameType

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._issue import warn_once
from skgraded._guards._row_counts import n_shared
from skgraded._guards._stack import LearningCurve, fraction_drawn_by, learning_curve_of
from skgraded.exceptions import CutQueriesWarning, ThinnedQueriesWarning

__all__ = ["warn_if_queries_will_be_cut"]

IntArray = NDArray[np.int64]


def warn_if_queries_will_be_cut(caller: FrameType | None, queries: IntArray) -> bool:
    """Warn if the caller of a splitter goes on to take rows that do not make whole queries.

    Parameters
    ----------
    caller : frame or None
        The frame that asked the splitter for its next split.
    queries : ndarray of shape (n_training_rows,)
        Query number of each training row.

    Returns
    -------
    bool
        Whether there was a warning.
    """
    fraction = fraction_drawn_by(caller)
    if fraction is not None and fraction < 1:
        warn_once(
            "A halving search with resource='n_samples' draws rows from every fold, test folds "
            "included, so that queries lose documents and scores rise. Let it grow something else, "
            "such as resource='estimator__n_estimators'.",
            ThinnedQueriesWarning,
        )
        return True
    curve = learning_curve_of(caller)
    if curve is not None and _cuts(curve, queries):
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
