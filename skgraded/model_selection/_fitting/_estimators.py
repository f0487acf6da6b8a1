"""The estimator inside a ranker: its last step, its copies, and what would stop it early."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from skgraded.measures import Measure

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


def may_stop(estimator: Any) -> bool:
    """Whether an estimator may have one of these parameters, told without ``get_params``.

    The boosters keep parameters as attributes, or in dictionaries that are attributes. Their
    ``get_params`` reads the signature of the class, which takes a tenth of a millisecond.
    """
    held = vars(estimator)
    return any(
        each.get(name) is not None
        for each in (held, *held.values())
        if isinstance(each, dict)
        for name in STOPPING
    )


def given_params(ranker: Any) -> set[str]:
    """Names of the parameters that are set."""
    return {name for name, value in ranker.get_params().items() if value is not None}


def reject_own_stopping(ranker: Any, names: Collection[str] = STOPPING) -> None:
    """Raise where a parameter would stop the training on another metric."""
    for name in sorted(given_params(ranker).intersection(names)):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {ranker.get_params()[name]!r}."
        )
