"""Tools of scikit-learn that go on to cut what a splitter yields, told apart by who asks for it.

They take rows away after the split, where neither an estimator nor a scorer can see that any are
missing; the splitter is the last of ours to hold them all.
"""

from __future__ import annotations

from types import FrameType

import numpy as np
from numpy.typing import NDArray

from skgraded._warnings import CutQueriesWarning, ThinnedQueriesWarning, warn_once

__all__ = ["warn_if_queries_will_be_cut"]

IntArray = NDArray[np.int64]


def warn_if_queries_will_be_cut(caller: FrameType | None, queries: IntArray) -> bool:
    """Warn where the caller of a splitter takes rows of it that do not make whole queries.

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
    if caller is None or not caller.f_globals.get("__name__", "").startswith("sklearn."):
        return False
    match caller.f_code.co_qualname:
        case "_SubsampleMetaSplitter.split":
            return _warn_if_rows_are_drawn(caller)
        case "learning_curve":
            return _warn_if_prefixes_cut(caller, queries)
    return False


def _warn_if_rows_are_drawn(caller: FrameType) -> bool:
    if getattr(caller.f_locals.get("self"), "fraction", 1) >= 1:
        return False
    warn_once(
        "A halving search with resource='n_samples' draws rows from every fold, test folds "
        "included, so that queries lose documents and scores rise. Let it grow something else, "
        "such as resource='estimator__n_estimators'.",
        ThinnedQueriesWarning,
    )
    return True


def _warn_if_prefixes_cut(caller: FrameType, queries: IntArray) -> bool:
    """Warn where a learning curve's training sets, prefixes of the rows, cut a query."""
    sizes = _absolute(np.asarray(caller.f_locals.get("train_sizes")), len(queries))
    sizes = sizes[sizes < len(queries)]
    if caller.f_locals.get("shuffle"):
        cuts = len(sizes) > 0 and len(np.unique(queries)) < len(queries)
    else:
        cuts = any(np.isin(queries[:size], queries[size:]).any() for size in sizes)
    if not cuts:
        return False
    warn_once(
        "learning_curve takes the first rows of every training set, or any rows with shuffle=True, "
        "and so parts of queries. Take numbers of rows that end with a query, or call "
        "cross_validate with cv=QueryShuffleSplit(train_size=n) for each number n of queries.",
        CutQueriesWarning,
    )
    return True


def _absolute(train_sizes: NDArray[np.generic], n_rows: int) -> IntArray:
    """Numbers of rows, as `learning_curve` reads its train_sizes."""
    if train_sizes.dtype.kind != "f":
        return train_sizes.astype(np.int64)
    return np.clip((train_sizes * n_rows).astype(np.int64), 1, n_rows)
