"""The estimator inside a ranker, or its Pipeline: how it is copied, fitted, asked and exported."""

from __future__ import annotations

import dataclasses
import os
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline

from skgraded._guards import (
    estimators_in,
    n_shared,
    warn_if_rows_are_held_out,
    warn_once,
)
from skgraded._support.arguments import closest
from skgraded._support.array_types import FloatArray
from skgraded.exceptions import QueryLeakWarning
from skgraded.measures import Measure
from skgraded.model_selection._booster import Booster, Params
from skgraded.model_selection._boosters import BOOSTERS, booster_of, final_step
from skgraded.model_selection._rows import (
    QueryRows,
    Validation,
    Watched,
    recorded_value,
)
from skgraded.rankings import query_series
from skgraded.scoring import scores_of


def train_for(estimator: Any, measure: Measure) -> None:
    """Give the measure to an objective that was made without one, such as ``objective()``."""
    last = final_step(estimator)
    objective: Any = getattr(last, "objective", None)
    if hasattr(objective, "for_measure"):
        last.set_params(objective=objective.for_measure(measure))


def fit_estimator(
    booster: Booster,
    estimator: Any,
    rows: QueryRows,
    validation: Validation | None,
    params: Params,
) -> tuple[Watched, float] | None:
    """Fit an estimator on whole queries, in the way of its library.

    Returns
    -------
    tuple of (Watched, float), or None
        What was watched, and the value of the measure that predictions have.

    Raises
    ------
    ValueError
        If predictions for the validation rows have another value than the measure recorded.
    """
    last = final_step(estimator)
    warn_if_rows_are_held_out(estimator, len(rows.y))
    _warn_of_inner_splits(estimator, _cross_validator_in(last), rows)
    params = _with_model_to_continue(booster, params) | dict(rows.per_row)
    if rows.weight is not None:
        params["sample_weight"] = rows.weight

    rows, transformed = _transformed(estimator, rows, validation)
    try:
        watched = _fit_on_queries(booster, last, rows, transformed, params)
    except TypeError as error:
        raise _with_suggestion(error, estimator) from error
    if watched is None or validation is None:
        return None

    # The transformers of a fitted Pipeline make the features anew.
    held_out = validation.rows
    start = held_out.per_row.get(booster.start)
    scores = predict_from(estimator, held_out.X, start)
    return watched, recorded_value(watched, validation, scores, type(last).__name__)


_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")
_NAMES_OF_FIT = (
    "X",
    "y",
    "qid",
    "sample_weight",
    "eval_X",
    "eval_y",
    "eval_qid",
    "eval_sample_weight",
    "eval_metric",
    "callbacks",
)


def _with_suggestion(error: TypeError, estimator: Any) -> TypeError:
    """Return an error of the library's fit, or one that says how a parameter is written."""
    unexpected = _UNEXPECTED.search(str(error))
    if unexpected is None:
        return error
    name = unexpected.group(1)
    last = final_step(estimator)
    advice = closest(name, _NAMES_OF_FIT)

    # Names of steps stand before parameters in a Pipeline's own fit.
    step, _, param = name.partition("__")
    if param and isinstance(estimator, Pipeline):
        advice = f" Parameters of {step!r} are written without its name: {param}=..."
    elif name == "position":
        advice = " Pass positions to lightgbm.train, as lightgbm.Dataset(position=...)."
    return TypeError(
        f"fit has no parameter {name!r}, nor has that of {type(last).__name__}, to which others "
        f"are handed.{advice}"
    )


def _fit_on_queries(
    booster: Booster,
    estimator: Any,
    rows: QueryRows,
    validation: Validation | None,
    params: Params,
) -> Watched | None:
    """Fit an estimator; one that cross-validates inside is told of the queries.

    The target carries the queries, for scorers and for what is further inside. A splitter that
    takes groups is replaced by its splits, because many estimators make a plain array of y.
    """
    cross_validator = _cross_validator_in(estimator)
    if cross_validator is None:
        return booster.fit(estimator, rows, validation, params)

    with_ids = rows
    # Without pandas, a splitter or scorer further inside says that ids are missing.
    with suppress(ImportError):
        target: Any = query_series(rows.y, rows.ids_of_rows)
        with_ids = dataclasses.replace(rows, y=target)

    cv = cross_validator.cv
    if not _takes_groups(cv):
        _warn_if_queries_are_cut(cross_validator, cv, rows)
        return booster.fit(estimator, with_ids, validation, params)

    features = np.zeros((len(rows.y), 1))
    if getattr(cv, "times", None) is not None:  # which names a column
        features = rows.X
    splits = list(cv.split(features, rows.y, rows.ids_of_rows))
    cross_validator.set_params(cv=splits)
    try:
        return booster.fit(estimator, with_ids, validation, params)
    finally:
        cross_validator.set_params(cv=cv)


# Without cv these compute the errors of leaving out single rows, and make no folds.
_MAKE_NO_FOLDS_BY_DEFAULT = {"RidgeCV", "RidgeClassifierCV"}


def _cross_validator_in(estimator: Any) -> Any:
    """Return the estimator that makes folds of its training rows, or None without one."""
    if not hasattr(estimator, "cv"):  # such as a TransformedTargetRegressor
        estimator = getattr(estimator, "regressor", estimator)
    if not hasattr(estimator, "cv") or isinstance(estimator.cv, str):  # "prefit"
        return None
    if estimator.cv is None and type(estimator).__name__ in _MAKE_NO_FOLDS_BY_DEFAULT:
        return None
    return estimator


def _warn_of_inner_splits(estimator: Any, handled: Any, rows: QueryRows) -> None:
    """Warn where an estimator inside, or a transformer, makes folds that cut queries.

    The one at the end of a Pipeline is told of the queries.
    """
    for inner_estimator in estimators_in(estimator):
        cross_validator = _cross_validator_in(inner_estimator)
        if cross_validator is not inner_estimator or cross_validator is handled:
            continue
        # A TargetEncoder makes folds so that no row is encoded by its own label.
        is_encoder = hasattr(inner_estimator, "transform") and not (
            hasattr(inner_estimator, "estimator")
            or hasattr(inner_estimator, "estimators")
        )
        if is_encoder:
            continue
        if not _takes_groups(cross_validator.cv):
            _warn_if_queries_are_cut(cross_validator, cross_validator.cv, rows)


def _takes_groups(cv: Any) -> bool:
    """Whether a splitter reads groups, as QueryKFold and GroupKFold do."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return bool(cv.get_metadata_routing().split.requests.get("groups"))


def _warn_if_queries_are_cut(estimator: Any, cv: Any, rows: QueryRows) -> None:
    query = rows.query_of_row
    try:
        folds = check_cv(deepcopy(cv), rows.y, classifier=is_classifier(estimator))
        numbers_of_cut_queries = (
            n_shared(query[train], query[test])
            for train, test in folds.split(query, rows.y)
        )
        # Leaving one row out makes as many splits as rows: the first one that cuts is enough.
        n_cut = next(filter(None, numbers_of_cut_queries), 0)
    except (TypeError, ValueError, IndexError):
        # The fit itself tells of a cv that does not work.
        return

    if n_cut:
        name = type(estimator).__name__
        warn_once(
            f"{name} cuts queries by its cv inside the ranker: {n_cut} of {len(rows.sizes)} have "
            "documents in both the training and the test rows of an inner split, so that models "
            "are chosen or combined by scores that are too high. Split by whole queries, for "
            f"example by {name}(..., cv=QueryKFold(5)).",
            QueryLeakWarning,
        )


def _transformed(
    estimator: Any, rows: QueryRows, validation: Validation | None
) -> tuple[QueryRows, Validation | None]:
    """Fit the transformers of a Pipeline; return the rows that they make, validation too."""
    if not isinstance(estimator, Pipeline):
        return rows, validation
    *steps, last_step = estimator.steps
    for name, step in steps:
        if hasattr(step, "fit_resample"):  # of imbalanced-learn
            raise ValueError(
                f"A Pipeline in QueryRanker must leave rows as they are, got the step {name!r}, "
                f"{type(step).__name__}, which draws others: queries would lack rows or have them "
                "twice. Draw whole queries before the fit."
            )

    if steps:
        transformers = estimator[:-1]
        rows = dataclasses.replace(rows, X=transformers.fit_transform(rows.X, rows.y))
        if validation is not None:
            features = transformers.transform(validation.rows.X)
            held_out = dataclasses.replace(validation.rows, X=features)
            validation = dataclasses.replace(validation, rows=held_out)
        # With a cache, the fitted transformers are copies of those in the pipeline.
        estimator.steps = [*transformers.steps, last_step]
    return _transformed(last_step[1], rows, validation)


def _with_model_to_continue(booster: Booster, params: Params) -> Params:
    """Put the model itself where a fitted QueryRanker holds it; raise where it is of another kind.

    LightGBM starts anew without a message where it does not know the type.
    """
    name = booster.continues
    start = params.get(name)
    if start is None:
        return dict(params)
    if isinstance(start, str | os.PathLike):
        # LightGBM knows no paths but pathlib's.
        return {**params, name: os.fspath(start)}

    model = final_step(start.estimator_) if hasattr(start, "estimator_") else start
    packages = {base.__module__.partition(".")[0] for base in type(model).__mro__}
    if booster.package not in packages:
        raise TypeError(
            f"{name} must be a model of {booster.name}, a file's path, or a fitted QueryRanker "
            f"that holds such a model, got {type(start).__name__}. Pass the "
            "ranker inside a search or Pipeline: search.best_estimator_, pipeline[-1]."
        )
    return {**params, name: model}


def predict_from(estimator: Any, X: Any, start: Any) -> FloatArray:
    """Score documents, from initial scores where these are given."""
    if start is None:
        return scores_of(estimator, X)

    if isinstance(estimator, Pipeline):
        *steps, (_, last) = estimator.steps
        if steps:
            X = estimator[:-1].transform(X)
        return predict_from(last, X, start)
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

    booster = booster_of(estimator)
    last = final_step(estimator)
    if not booster.name:
        names = ", ".join(name for (_, name), row in BOOSTERS.items() if row.name)
        raise TypeError(
            f"export is supported for {names}, whose libraries have file formats, got "
            f"{type(last).__name__}: save the fitted QueryRanker with joblib."
        )
    booster.export(last, target, measure)
