"""The estimator inside a ranker, or its Pipeline: how it is copied, fitted, asked and exported."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline

from skgraded._guards import n_shared, warn_once
from skgraded._support.array_types import FloatArray
from skgraded.exceptions import QueryLeakWarning
from skgraded.measures import Measure
from skgraded.model_selection._boosters import (
    BOOSTERS,
    Booster,
    Params,
    booster_of,
    final_step,
)
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
    chosen: Any = getattr(last, "objective", None)
    if hasattr(chosen, "for_measure"):
        last.set_params(objective=chosen.for_measure(measure))


def clone_estimator(estimator: Any) -> Any:
    """Make a copy of an estimator that is about to be fitted.

    CatBoost copies the lists that it is given, such as ``custom_metric`` and ``cat_features``.
    scikit-learn takes that for a change of the parameters, and raises an error.
    """
    is_of_catboost = any(
        each.__module__.startswith("catboost.")
        for each in type(final_step(estimator)).__mro__
    )
    return deepcopy(estimator) if is_of_catboost else clone(estimator, safe=False)


# Without cv these compute the errors of leaving out single rows, and make no folds.
_MAKE_NO_FOLDS_BY_DEFAULT = {"RidgeCV", "RidgeClassifierCV"}


@contextmanager
def _rows_for_inner_folds(estimator: Any, rows: QueryRows) -> Iterator[QueryRows]:
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
    QueryRows
        The rows to fit it on, with the queries in the index of y where folds are made.
    """
    if not hasattr(estimator, "cv"):  # such as a TransformedTargetRegressor
        estimator = getattr(estimator, "regressor", estimator)
    cv = getattr(estimator, "cv", "prefit")
    makes_no_folds = (
        cv is None and type(estimator).__name__ in _MAKE_NO_FOLDS_BY_DEFAULT
    )
    if makes_no_folds or isinstance(cv, str):
        yield rows
        return
    ids = rows.ids_of_rows
    with_ids = rows
    with suppress(
        ImportError
    ):  # a splitter or scorer further inside says that ids are missing
        target: Any = query_series(rows.y, ids)
        with_ids = dataclasses.replace(rows, y=target)
    if not _takes_groups(cv):
        _warn_if_queries_are_cut(estimator, cv, rows)
        yield with_ids
        return
    estimator.set_params(cv=list(cv.split(np.zeros((len(ids), 1)), rows.y, ids)))
    try:
        yield with_ids
    finally:
        estimator.set_params(cv=cv)


def _takes_groups(cv: Any) -> bool:
    """Whether a splitter reads groups, as QueryKFold and GroupKFold do."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return bool(cv.get_metadata_routing().split.requests.get("groups"))


def _warn_if_queries_are_cut(owner: Any, cv: Any, rows: QueryRows) -> None:
    query = rows.query_of_row
    try:
        folds = check_cv(deepcopy(cv), rows.y, classifier=is_classifier(owner))
        # Leaving one row out makes as many splits as rows: the first one that cuts is enough.
        cuts = (
            n_shared(query[train], query[test])
            for train, test in folds.split(query, rows.y)
        )
        n_cut = next(filter(None, cuts), 0)
    except (
        TypeError,
        ValueError,
        IndexError,
    ):  # the fit itself tells of a cv that does not work
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
    given = _continuing(booster, params) | dict(rows.per_row)
    if rows.weight is not None:
        given["sample_weight"] = rows.weight
    rows, transformed = _transformed(estimator, rows, validation)
    with _rows_for_inner_folds(last, rows) as fitted_on:
        watched = booster.fit(last, fitted_on, transformed, given)
    if watched is None or validation is None:
        return None
    held_out = validation.rows
    scores = predict_from(estimator, held_out.X, held_out.per_row.get(booster.start))
    return watched, recorded_value(watched, validation, scores, type(last).__name__)


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
            transformed = dataclasses.replace(
                held_out, X=transformers.transform(held_out.X)
            )
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
        return {
            **params,
            name: os.fspath(model),
        }  # LightGBM knows no paths but pathlib's
    packages = {each.__module__.partition(".")[0] for each in type(model).__mro__}
    if booster.name.lower() not in packages:
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
    booster = booster_of(estimator)
    last = final_step(estimator)
    if not booster.name:
        names = ", ".join(name for _, name in BOOSTERS)
        raise TypeError(
            f"export is supported for {names}, whose libraries have file formats, got "
            f"{type(last).__name__}: save the fitted QueryRanker with joblib."
        )
    booster.export(last, target, measure)
