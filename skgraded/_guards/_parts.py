"""Queries of which the folds of a cross-validation score other parts, as their ids tell."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from skgraded._guards._queries import Queries, hash_ids
from skgraded._guards._stack import outermost_run, warn_once
from skgraded.exceptions import CutQueriesWarning

# The number of rows of each query by the hash of its id, by run of joblib.Parallel.
_rows_by_run: WeakKeyDictionary[Any, dict[int, int]] = WeakKeyDictionary()


def warn_if_other_parts_were_scored(queries: Queries) -> None:
    """Warn where a cross-validation or search has scored a query with another number of rows.

    It is for ids without sizes, such as those of a column. Whole queries have as many rows wherever
    they are scored.

    Parameters
    ----------
    queries : Queries
        The scored rows by query.
    """
    run = None if queries.sizes is not None else outermost_run()
    if run is None:
        return

    rows_of_query = _rows_by_run.setdefault(run, {})
    hashes = hash_ids(queries.qid).tolist()
    sizes = np.diff(queries.indptr).tolist()
    n_cut = 0
    for query, size in zip(hashes, sizes, strict=True):
        n_cut += rows_of_query.setdefault(query, size) != size
    if n_cut:
        warn_once(
            f"{n_cut} of {len(sizes)} scored queries have other numbers of rows than in another "
            "fold: the folds cut queries. Short lists are easier to rank, so that scores are too "
            "high. Split by whole queries, for example by cv=QueryKFold(5).",
            CutQueriesWarning,
        )
