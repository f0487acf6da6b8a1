"""Subsets of LightGBM's data sets that hold parts of queries."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from skgraded._guards._row_counts import n_parts

# The versions that were looked at: once each, because the rows of a subset are a list.
_whole: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


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


def _require_whole(sizes: np.ndarray[Any, Any], rows: np.ndarray[Any, Any]) -> None:
    n_cut = n_parts(np.repeat(np.arange(len(sizes)), sizes)[rows], sizes)
    if n_cut:
        raise ValueError(
            f"The data set is a subset that cuts queries: it holds parts of {n_cut} queries of "
            f"{len(sizes)}. lightgbm.cv cuts them where the objective is callable: pass it "
            "folds=skgraded.QueryKFold(5)."
        )
