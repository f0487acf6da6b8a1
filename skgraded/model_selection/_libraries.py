"""One table of libraries, and how any estimator is fitted on whole queries."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from skgraded.model_selection import _catboost, _lightgbm, _xgboost
from skgraded.model_selection._estimators import (
    final_step,
    hinting_at_objectives,
    target_for_inner_folds,
    unwrap_init_model,
)
from skgraded.model_selection._rows import (
    Pairs,
    QueryRows,
    Validation,
    Watched,
    require_the_model_watched,
)
from skgraded.scoring import scores_of


def _fit_plain(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> None:
    with target_for_inner_folds(estimator, rows) as target:
        estimator.fit(rows.X, target, **fit_params)


def _plain_importances(estimator: Any) -> NDArray[Any]:
    return np.asarray(estimator.feature_importances_)


def _predict_alone(estimator: Any, X: Any, start: NDArray[Any]) -> NDArray[Any]:
    raise TypeError(f"{type(estimator).__name__} predicts without initial scores: leave them out.")


class _Library(NamedTuple):
    """How the estimators of a library are handled; `start` is its name of initial scores."""

    fit: Callable[[Any, QueryRows, Validation | None, dict[str, Any]], Watched | None] = _fit_plain
    needs_queries: bool = False
    stops_early: bool = False
    importances: Callable[[Any], NDArray[Any]] = _plain_importances
    start: str = ""
    predict_from: Callable[[Any, Any, NDArray[Any]], NDArray[Any]] = _predict_alone
    export: Callable[[Any, str], None] | None = None


_LIGHTGBM = _Library(
    _lightgbm.fit,
    needs_queries=True,
    stops_early=True,
    start="init_score",
    predict_from=_lightgbm.predict_from,
    export=_lightgbm.export,
)
_XGBOOST = _Library(
    _xgboost.fit,
    needs_queries=True,
    stops_early=True,
    start="base_margin",
    predict_from=_xgboost.predict_from,
    export=_xgboost.export,
)

# By the name of the package and that of the class, so that no library has to be imported.
_LIBRARIES = {
    ("lightgbm", "LGBMRanker"): _LIGHTGBM,
    ("lightgbm", "LGBMRegressor"): _LIGHTGBM._replace(
        fit=_lightgbm.fit_regressor, needs_queries=False
    ),
    ("xgboost", "XGBRanker"): _XGBOOST,
    ("xgboost", "XGBRFRegressor"): _Library(export=_xgboost.export),  # of a single iteration
    ("xgboost", "XGBRegressor"): _XGBOOST._replace(fit=_xgboost.fit_regressor, needs_queries=False),
    ("catboost", "CatBoostRanker"): _Library(
        _catboost.fit,
        needs_queries=True,
        stops_early=True,
        importances=_catboost.importances,
        start="baseline",
        predict_from=_catboost.predict_from,
        export=_catboost.export,
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
    """Fit an estimator on whole queries, in the way of its library.

    Raises
    ------
    ValueError
        If predictions for the validation rows have another value than the measure recorded.
    """
    with hinting_at_objectives(final_step(estimator), rows.y):
        watched = _fit(estimator, rows, validation, fit_params)
    if watched is not None and validation is not None:
        held_out, last = validation.rows, final_step(estimator)
        scores = predict_from(
            estimator, held_out.X, held_out.per_row.get(name_of_initial_scores(last))
        )
        require_the_model_watched(watched, held_out, scores, type(last).__name__)
    return watched


def _fit(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
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
    return _fit(last[1], rows, validation, fit_params)


def predict_from(estimator: Any, X: Any, start: Any) -> NDArray[Any]:
    """Score documents, from initial scores where these are given."""
    if start is None:
        return scores_of(estimator, X)
    if isinstance(estimator, Pipeline):
        *before, (_, last) = estimator.steps
        return predict_from(last, estimator[:-1].transform(X) if before else X, start)
    return _library_of(estimator).predict_from(estimator, X, np.asarray(start))


def name_of_initial_scores(estimator: Any) -> str:
    """Return the parameter by which a library takes initial scores, "" where it takes none."""
    return _library_of(final_step(estimator)).start


def can_stop_early(estimator: Any) -> bool:
    """Whether the estimator's training can be watched and stopped by a measure."""
    return _library_of(final_step(estimator)).stops_early


def needs_queries(estimator: Any) -> bool:
    """Whether the estimator is a ranker of a library, whose own fit asks where the queries are."""
    return _library_of(final_step(estimator)).needs_queries


def stoppable() -> str:
    """Names of the estimators whose training can be watched."""
    return ", ".join(name for (_, name), library in _LIBRARIES.items() if library.stops_early)


def importances_of(estimator: Any) -> NDArray[Any]:
    """Return the importances of the features of a fitted estimator."""
    return _library_of(estimator).importances(estimator)


def export_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model in the format of its library."""
    if isinstance(estimator, Pipeline):
        *before, (_, last) = estimator.steps
        if all(step in (None, "passthrough") for _, step in before):
            return export_model(last, path)
        raise ValueError(
            "export writes the model alone, got a Pipeline whose transformers the file would lack: "
            "save the fitted QueryRanker with joblib, or convert its Pipeline with skl2onnx."
        )
    export = _library_of(estimator).export
    if export is None:
        names = ", ".join(name for (_, name), library in _LIBRARIES.items() if library.export)
        raise TypeError(
            f"export is supported for {names}, whose libraries have file formats, got "
            f"{type(estimator).__name__}: save the fitted QueryRanker with joblib."
        )
    return export(estimator, os.fspath(path))


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
