"""Which booster handles an estimator, and how it is fitted, asked and exported in a Pipeline."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from skgraded.model_selection._boosters import Booster, CatBoost, LightGBM, Params, XGBoost
from skgraded.model_selection._estimators import final_step, hinting_at_objectives
from skgraded.model_selection._rows import QueryRows, Validation, Watched, require_the_model_watched
from skgraded.scoring import scores_of

FloatArray = NDArray[np.float64]

# By the name of the package and that of the class, so that no library has to be imported.
_BOOSTERS: dict[tuple[str, str], Booster] = {
    ("lightgbm", "LGBMRanker"): LightGBM(needs_queries=True, is_watched=True),
    ("lightgbm", "LGBMRegressor"): LightGBM(is_watched=True),
    ("xgboost", "XGBRanker"): XGBoost(needs_queries=True, is_watched=True),
    ("xgboost", "XGBRFRegressor"): XGBoost(),  # of a single iteration
    ("xgboost", "XGBRegressor"): XGBoost(is_watched=True),
    ("catboost", "CatBoostRanker"): CatBoost(needs_queries=True, is_watched=True),
}
_PLAIN = Booster()


def booster_of(estimator: Any) -> Booster:
    """Return how an estimator, or the last step of a Pipeline, is handled."""
    for each in type(final_step(estimator)).__mro__:
        found = _BOOSTERS.get((each.__module__.partition(".")[0], each.__name__))
        if found is not None:
            return found
    return _PLAIN


def names_of_watched() -> str:
    """Names of the estimators whose training can be watched."""
    return ", ".join(name for (_, name), booster in _BOOSTERS.items() if booster.is_watched)


def fit_estimator(
    estimator: Any, rows: QueryRows, validation: Validation | None, params: Params
) -> Watched | None:
    """Fit an estimator on whole queries, in the way of its library.

    Raises
    ------
    ValueError
        If predictions for the validation rows have another value than the measure recorded.
    """
    last = final_step(estimator)
    booster = booster_of(last)
    given = _continuing(booster, params) | dict(rows.per_row)
    if rows.weight is not None:
        given["sample_weight"] = rows.weight
    with hinting_at_objectives(last, rows.y):
        watched = booster.fit(last, *_transformed(estimator, rows, validation), given)
    if watched is not None and validation is not None:
        held_out = validation.rows
        scores = predict_from(estimator, held_out.X, held_out.per_row.get(booster.start))
        require_the_model_watched(watched, held_out, scores, type(last).__name__)
    return watched


def _transformed(
    estimator: Any, rows: QueryRows, validation: Validation | None
) -> tuple[QueryRows, Validation | None]:
    """Fit the transformers of a Pipeline; return the rows that they make, validation too."""
    if not isinstance(estimator, Pipeline):
        return rows, validation
    *before, last = estimator.steps
    for name, step in before:
        if hasattr(step, "fit_resample"):  # of imbalanced-learn
            raise ValueError(
                f"A Pipeline in QueryRanker must leave rows as they are, got the step {name!r}, "
                f"{type(step).__name__}, which draws others: queries would lack rows or have them "
                "twice. Draw whole queries before the fit."
            )
    if before:
        transformers = estimator[:-1]
        rows = dataclasses.replace(rows, X=transformers.fit_transform(rows.X, rows.y))
        if validation is not None:
            held_out = validation.rows
            transformed = dataclasses.replace(held_out, X=transformers.transform(held_out.X))
            validation = dataclasses.replace(validation, rows=transformed)
        # With a cache, the fitted transformers are copies of those in the pipeline.
        estimator.steps = [*transformers.steps, last]
    return _transformed(last[1], rows, validation)


def _continuing(booster: Booster, params: Params) -> Params:
    """Put the model itself where a fitted QueryRanker holds it; raise where it is of another kind.

    LightGBM starts anew without a message where it does not know the type.
    """
    name = booster.continues
    given = params.get(name)
    if given is None:
        return dict(params)
    model = final_step(given.estimator_) if hasattr(given, "estimator_") else given
    if isinstance(model, str | os.PathLike):
        return {**params, name: os.fspath(model)}  # LightGBM knows no paths but pathlib's
    if not isinstance(model, booster.models()):
        raise TypeError(
            f"{name} must be a model of {booster.name}, a file's path, or a fitted QueryRanker "
            f"that holds such a model, got {type(given).__name__}. Pass the "
            "ranker inside a search or Pipeline: search.best_estimator_, pipeline[-1]."
        )
    return {**params, name: model}


def predict_from(estimator: Any, X: Any, start: Any) -> FloatArray:
    """Score documents, from initial scores where these are given."""
    if start is None:
        return scores_of(estimator, X)
    if isinstance(estimator, Pipeline):
        *before, (_, last) = estimator.steps
        return predict_from(last, estimator[:-1].transform(X) if before else X, start)
    return booster_of(estimator).predict(estimator, X, np.asarray(start))


def export_model(estimator: Any, path: str | os.PathLike[str], measure: str) -> None:
    """Write a fitted model in the format of its library."""
    target = Path(path)
    if isinstance(estimator, Pipeline) and any(
        step not in (None, "passthrough") for _, step in estimator.steps[:-1]
    ):
        raise ValueError(
            "export writes the model alone, got a Pipeline whose transformers the file would lack: "
            "save the fitted QueryRanker with joblib, or convert its Pipeline with skl2onnx."
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path must lie in a folder that exists, got {str(target)!r}: make the folder "
            f"{str(target.parent)!r} first."
        )
    booster, last = booster_of(estimator), final_step(estimator)
    if not booster.name:
        names = ", ".join(name for _, name in _BOOSTERS)
        raise TypeError(
            f"export is supported for {names}, whose libraries have file formats, got "
            f"{type(last).__name__}: save the fitted QueryRanker with joblib."
        )
    booster.export(last, target, measure)
