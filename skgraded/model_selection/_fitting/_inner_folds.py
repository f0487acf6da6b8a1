"""Cross-validation inside an estimator of `QueryRanker`, on folds of whole queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv

from skgraded._guards import n_shared, warn_once
from skgraded.exceptions import QueryLeakWarning
from skgraded.model_selection._fitting._rows import QueryRows
from skgraded.rankings import query_series

# Without cv these compute the errors of leaving out single rows, and make no folds.
_MAKE_NO_FOLDS_BY_DEFAULT = {"RidgeCV", "RidgeClassifierCV"}


@contextmanager
def target_for_inner_folds(estimator: Any, rows: QueryRows) -> Iterator[Any]:
    """Tell the queries to an estimator that cross-validates inside, while it is fitted.

    A splitter that takes groups is replaced by its splits, because many estimators make a plain
    array of y. The target also carries the queries, for scorers and for what is further inside.

    Parameters
    ----------
    estimator : estimator
        About to be fitted.
    rows : QueryRows
        Its training rows.

    Yields
    ------
    array-like of shape (n_documents,)
        The target to fit it on: grades, with the queries in the index where folds are made.
    """
    found = _cvs_in(estimator)
    if not found:
        yield rows.y
        return
    for owner, cv in found:
        _warn_if_queries_are_cut(owner, cv, rows)
    ids = rows.ids_of_rows
    own: Any = getattr(estimator, "cv", None)
    try:
        target: Any = query_series(rows.y, ids)
    except ImportError:  # a splitter or scorer further inside says that ids are missing
        target = rows.y
    if not _takes_groups(own):
        yield target
        return
    estimator.set_params(cv=list(own.split(np.zeros((len(ids), 1)), rows.y, ids)))
    try:
        yield target
    finally:
        estimator.set_params(cv=own)


def _cvs_in(estimator: Any) -> list[tuple[Any, Any]]:
    """Return the estimators that make folds, with the cv that says how, the outermost included."""
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    found = []
    for name, cv in params.items():
        prefix, _, last = name.rpartition("__")
        owner = params.get(prefix) if prefix else estimator
        if last != "cv" or isinstance(cv, str) or not hasattr(type(owner), "predict"):
            continue  # "prefit"; a TargetEncoder, which leaves rows out of means alone
        if cv is not None or type(owner).__name__ not in _MAKE_NO_FOLDS_BY_DEFAULT:
            found.append((owner, cv))
    return found


def _takes_groups(cv: Any) -> bool:
    """Whether a splitter reads groups, as QueryKFold and GroupKFold do."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return bool(cv.get_metadata_routing().split.requests.get("groups"))


def _warn_if_queries_are_cut(owner: Any, cv: Any, rows: QueryRows) -> None:
    if _takes_groups(cv):
        return
    query = rows.query_of_row
    try:
        splitter = check_cv(deepcopy(cv), rows.y, classifier=is_classifier(owner))
        splits = splitter.split(np.zeros((len(query), 1)), rows.y)
        # Leaving one row out makes as many splits as rows: the first one that cuts is enough.
        numbers = (n_shared(query[train], query[test]) for train, test in splits)
        n_cut = next(filter(None, numbers), 0)
    except (TypeError, ValueError, IndexError):  # the fit itself tells of a cv that does not work
        return
    if n_cut:
        name = type(owner).__name__
        warn_once(
            f"{name} cuts queries by its cv inside the ranker: {n_cut} of {len(rows.sizes)} have "
            "documents in both the training and the test rows of an inner split, so that models "
            "are chosen or combined by scores that are too high. Split by whole queries, for "
            f"example by {name}(..., cv=QueryKFold(5)).",
            QueryLeakWarning,
        )
