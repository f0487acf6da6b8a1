"""Subsets of LightGBM's data sets that hold parts of queries."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

import numpy as np

from skgraded._guards._row_counts import n_parts

__all__ = ["refuse_cut_queries"]

# Data sets are looked at once, because the rows of a subset are a list.
_whole: WeakSet[Any] = WeakSet()


def refuse_cut_queries(data_set: Any) -> None:
    """Raise where a subset of a data set holds some rows of a query and lacks others.

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
    if data_set in _whole:
        return
    subset = data_set
    while getattr(subset, "used_indices", None) is not None and subset.reference is not None:
        sizes = subset.reference.get_group()
        if sizes is not None:
            _require_whole(np.asarray(sizes, dtype=np.int64), np.asarray(subset.used_indices))
        subset = subset.reference
    _whole.add(data_set)


def _require_whole(sizes: np.ndarray[Any, Any], rows: np.ndarray[Any, Any]) -> None:
    n_cut = n_parts(np.repeat(np.arange(len(sizes)), sizes)[rows], sizes)
    if n_cut:
        raise ValueError(
            f"The data set is a subset that cuts queries: it holds parts of {n_cut} queries of "
            f"{len(sizes)}. lightgbm.cv cuts them where the objective is callable: pass it "
            "folds=skgraded.QueryKFold(5)."
        )
