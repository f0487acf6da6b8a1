"""One table of libraries, and how any estimator is fitted on whole queries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from skgraded.model_selection._fitting import _catboost, _lightgbm, _xgboost
from skgraded.model_selection._fitting._final_step import final_step
from skgraded.model_selection._fitting._init_model import unwrap_init_model
from skgraded.model_selection._fitting._inner_folds import target_for_inner_folds
from skgraded.model_selection._fitting._pairs import Pairs
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched

__all__ = [
    "can_stop_early",
    "fit_estimator",
    "importances_of",
    "reject_cluster_rankers",
    "stoppable",
]


def _fit_plain(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> None:
    with target_for_inner_folds(estimator, rows) as target:
        estimator.fit(rows.X, target, **fit_params)


def _plain_importances(estimator: Any) -> NDArray[Any]:
    return np.asarray(estimator.feature_importances_)


class _Library(NamedTuple):
    """How the estimators of a library are handled."""

    fit: Callable[[Any, QueryRows, Validation | None, dict[str, Any]], Watched | None] = _fit_plain
    stops_early: bool = False
    importances: Callable[[Any], NDArray[Any]] = _plain_importances


# By the name of the package and that of the class, so that no library has to be imported.
_LIBRARIES = {
    ("lightgbm", "LGBMRanker"): _Library(_lightgbm.fit, stops_early=True),
    ("lightgbm", "LGBMRegressor"): _Library(_lightgbm.fit_regressor, stops_early=True),
    ("xgboost", "XGBRanker"): _Library(_xgboost.fit, stops_early=True),
    ("xgboost", "XGBRFRegressor"): _Library(),  # an XGBRegressor of a single iteration
    ("xgboost", "XGBRegressor"): _Library(_xgboost.fit_regressor, stops_early=True),
    ("catboost", "CatBoostRanker"): _Library(
        _catboost.fit, stops_early=True, importances=_catboost.importances
    ),
}
_ANY_OTHER = _Library()


def _library_of(estimator: Any) -> _Library:
    for each in type(estimator).__mro__:
        found = _LIBRARIES.get((each.__module__.partition(".")[0], each.__name__))
        if found:
            return found
    return _ANY_OTHER


def fit_estimator(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an estimator on whole queries, in the way of its library."""
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, rows, validation, fit_params)
    weighted = {} if rows.weight is None else {"sample_weight": rows.weight}
    fit = _library_of(estimator).fit
    given = {**weighted, **unwrap_init_model(estimator, fit_params), **rows.per_row}
    if rows.pairs is not None:
        given.update(pairs=None, pairs_weight=None)
        given.update(_pairs_to_train_on(rows.pairs))
    return fit(estimator, rows, validation, given)


def _pairs_to_train_on(pairs: Pairs) -> dict[str, Any]:
    if not len(pairs.rows):
        raise ValueError(
            "pairs must hold some of the queries to train on, got pairs of queries alone that "
            "validation_fraction holds out."
        )
    return pairs.as_params()


def _fit_pipeline(
    pipeline: Pipeline,
    rows: QueryRows,
    validation: Validation | None,
    fit_params: dict[str, Any],
) -> Watched | None:
    """Fit the transformers, then the last step on the rows that they return, validation too."""
    *before, last = pipeline.steps
    if before:
        transformers = pipeline[:-1]
        rows = dataclasses.replace(rows, X=transformers.fit_transform(rows.X, rows.y))
        if validation is not None:
            held_out = validation.rows
            transformed = dataclasses.replace(held_out, X=transformers.transform(held_out.X))
            validation = dataclasses.replace(validation, rows=transformed)
        # With a cache, the fitted transformers are copies of those in the pipeline.
        pipeline.steps = [*transformers.steps, last]
    return fit_estimator(last[1], rows, validation, fit_params)


def can_stop_early(estimator: Any) -> bool:
    """Whether the estimator's training can be watched and stopped by a measure."""
    return _library_of(final_step(estimator)).stops_early


def stoppable() -> str:
    """Names of the estimators whose training can be watched."""
    return ", ".join(name for (_, name), library in _LIBRARIES.items() if library.stops_early)


def importances_of(estimator: Any) -> NDArray[Any]:
    """Return the importances of the features of a fitted estimator."""
    return _library_of(estimator).importances(estimator)


def reject_cluster_rankers(estimator: Any) -> None:
    """Raise where the estimator trains on a cluster, for which QueryRanker is not made."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            "estimator must be a ranker, regressor, classifier or Pipeline, such as LGBMRanker(), "
            f"got {estimator!r}."
        )
    name = type(final_step(estimator)).__name__
    if name.startswith("Dask"):
        raise TypeError(
            f"estimator must train on rows in memory, got {name}: fit it on Dask collections "
            "itself, and stop early with skgraded.dask.global_evaluation."
        )
