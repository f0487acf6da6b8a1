"""The estimator inside a ranker: its last step, its copies, its folds, the model it continues."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline

from skgraded._guards import n_shared, warn_once
from skgraded.exceptions import QueryLeakWarning
from skgraded.measures import Measure
from skgraded.model_selection._rows import QueryRows
from skgraded.rankings import query_series

# What takes any labels, by library and estimator.
_OTHER_OBJECTIVES = {
    ("lightgbm", "LGBMRanker"): "Train by the gradients of a measure, which take any labels, "
    "and without LightGBM's own metric, which does not: "
    'LGBMRanker(objective=skgraded.lightgbm.objective("nDCG"), metric="None").',
    ("xgboost", "XGBRanker"): "XGBRanker(ndcg_exp_gain=False) takes any labels, with linear gains; "
    "so do the gradients of a measure, skgraded.xgboost.objective, in xgboost.train.",
}


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    return final_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


@contextmanager
def hinting_at_objectives(estimator: Any, labels: Any) -> Iterator[None]:
    """Add to the error of a ranker that takes whole grades alone how it takes others."""
    try:
        yield
    except Exception as error:
        kind = type(estimator).__name__
        way = _OTHER_OBJECTIVES.get((type(estimator).__module__.partition(".")[0], kind))
        given = np.asarray(labels, dtype=np.float64)
        if way is not None and "label" in str(error) and (given != np.floor(given)).any():
            error.add_note(f"{kind} takes whole grades alone, and these labels are not. {way}")
        raise


def train_for(estimator: Any, measure: Measure) -> None:
    """Give the measure to an objective that was made without one, such as ``objective()``."""
    last = final_step(estimator)
    chosen: Any = getattr(last, "objective", None)
    if hasattr(chosen, "for_measure"):
        last.set_params(objective=chosen.for_measure(measure))


def clone_estimator(estimator: Any) -> Any:
    """Make an unfitted copy of an estimator.

    CatBoost copies the lists that it is given, such as ``custom_metric`` and ``cat_features``.
    scikit-learn takes that for a change of the parameters, and raises an error.
    """
    if not _is_of_catboost(final_step(estimator)):
        return clone(estimator)
    if not isinstance(estimator, Pipeline):
        return type(estimator)(**estimator.get_params())
    *before, (name, last) = estimator.steps
    others = copy.copy(estimator)
    others.steps = [*before, (name, "passthrough")]
    cloned = clone(others)
    cloned.steps[-1] = (name, clone_estimator(last))
    return cloned


def clone_around(ranker: Any) -> Any:
    """Make an unfitted copy of a QueryRanker, whatever estimator it wraps."""
    without = copy.copy(ranker)
    without.estimator = None
    cloned = BaseEstimator.__sklearn_clone__(without)
    is_estimator = hasattr(ranker.estimator, "get_params")
    cloned.estimator = (
        clone_estimator(ranker.estimator) if is_estimator else clone(ranker.estimator, safe=False)
    )
    return cloned


def _is_of_catboost(estimator: Any) -> bool:
    return any(each.__module__.partition(".")[0] == "catboost" for each in type(estimator).__mro__)


# All of LightGBM's names; XGBoost's and CatBoost's common ones are among them.
STOPPING = {"early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"}


def reject_own_stopping(ranker: Any, names: Collection[str] = STOPPING) -> dict[str, Any]:
    """Return the parameters that are set; raise where one would stop on another metric."""
    given = {name: value for name, value in ranker.get_params().items() if value is not None}
    for name in sorted(given.keys() & names):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {given[name]!r}."
        )
    return given


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
