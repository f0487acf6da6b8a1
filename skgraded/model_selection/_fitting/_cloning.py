"""Copies of estimators, including CatBoost's, which scikit-learn cannot copy."""

from __future__ import annotations

import copy
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from skgraded.model_selection._fitting._final_step import final_step

__all__ = ["clone_around", "clone_estimator"]


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
