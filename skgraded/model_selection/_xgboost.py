"""XGBRanker and XGBRegressor: ascending ids, weights of queries, and early stopping."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.boosting import NamedMeasures
from skgraded.measures import Measure
from skgraded.model_selection._estimators import reject_own_stopping
from skgraded.model_selection._rows import QueryRows, Validation, Watched

# Names of the validation rows: ours, and XGBoost's where it evaluates them itself.
_NAME, _OWN_NAME = "valid_0", "validation_0"


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an XGBRanker."""
    given = {**fit_params, "qid": rows.query_of_row}
    if rows.weight is not None:
        given["sample_weight"] = rows.query_weight
    return _fit(ranker, rows, validation, given)


def fit_regressor(
    regressor: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an XGBRegressor; the metric gets the queries, because XGBoost does not pass them."""
    return _fit(regressor, rows, validation, fit_params)


def _fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    if validation is None:
        ranker.fit(rows.X, rows.y, **fit_params)
        return None
    reject_own_stopping(ranker)
    _check_validation(rows, validation)
    own = {"callbacks": ranker.callbacks, "eval_metric": ranker.eval_metric}
    measures, others = _own_metrics(own["eval_metric"])
    named = validation.with_others(measures)
    # First, so that the ranker's own callbacks find the measures recorded.
    watch = _watch(ranker, validation, named)
    ranker.set_params(callbacks=[watch, *(own["callbacks"] or [])], eval_metric=others)
    evaluated = {} if others is None else _evaluation_set(validation, by_query="qid" in fit_params)
    try:
        ranker.fit(rows.X, rows.y, **{"verbose": False, **fit_params, **evaluated})
    finally:
        # Else the model would keep the validation rows. `set_params` would hand metrics on to the
        # fitted booster, which knows no lists.
        ranker.callbacks, ranker.eval_metric = own["callbacks"], own["eval_metric"]
    best = getattr(ranker, "best_iteration", None)  # by a callback of the user's, too
    return Watched(
        _recorded(ranker.evals_result()),
        None if best is None or validation.rounds is None else best + 1,
        named,
        validation.predicts_with(best),
    )


def _own_metrics(given: Any) -> tuple[list[tuple[str, Measure]], Any]:
    """Split the ranker's own metrics into measures of ours, and what XGBoost is to evaluate.

    XGBoost would call ours query by query, and average the queries by their size.
    """
    from skgraded.xgboost import _EvalMetric

    listed = given if isinstance(given, list | tuple) else [given]
    ours = [each for each in listed if isinstance(each, _EvalMetric)]
    if not ours:
        return [], given
    others = [each for each in listed if not isinstance(each, _EvalMetric)]
    return [pair for each in ours for pair in each.named], others or None


def _evaluation_set(validation: Validation, *, by_query: bool) -> dict[str, Any]:
    """Fit parameters by which XGBoost evaluates its own metrics on the validation rows."""
    rows = validation.rows
    params: dict[str, Any] = {"eval_set": [(rows.X, rows.labels)]}
    if by_query:
        params["eval_qid"] = [rows.query_of_row]
    if rows.weight is not None:
        params["sample_weight_eval_set"] = [rows.query_weight if by_query else rows.weight]
    if "base_margin" in rows.per_row:
        params["base_margin_eval_set"] = [rows.per_row["base_margin"]]
    return params


def _recorded(results: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, list[float]]]:
    """Put the values of XGBoost's own metrics beside those of the measures."""
    results = dict(results)
    own = results.pop(_OWN_NAME, {})
    return {**results, _NAME: {**results[_NAME], **own}}


def _check_validation(rows: QueryRows, validation: Validation) -> None:
    given = validation.rows.X
    if hasattr(rows.X, "columns") and not hasattr(given, "columns"):
        raise ValueError(
            f"eval_X must be a DataFrame as X is, got {type(given).__name__}: XGBRanker compares "
            "the names of the features."
        )


def _watch(ranker: Any, validation: Validation, named: NamedMeasures) -> Any:
    """Make a callback that evaluates the validation rows, read as the ranker reads features."""
    import xgboost

    from skgraded.xgboost import evaluation

    rows, params = validation.rows, ranker.get_params()
    features = xgboost.DMatrix(
        rows.X,
        missing=params["missing"],
        feature_types=params.get("feature_types"),
        enable_categorical=params.get("enable_categorical", False),
        base_margin=rows.per_row.get("base_margin"),
    )
    watch: Any = evaluation(
        dict(named),
        X=features,
        y=rows.y,
        qid=rows.query_of_row,
        sample_weight=rows.weight,
        rounds=validation.rounds,
        name=_NAME,
    )
    watch.save_best = False  # predict takes the best iteration, and the others may be looked at
    return watch


def predict_from(ranker: Any, X: Any, start: NDArray[Any]) -> NDArray[Any]:
    """Predict from given initial scores."""
    return np.asarray(ranker.predict(X, base_margin=start))


def export(ranker: Any, path: str) -> None:
    """Write the iterations that predictions use, as JSON or binary JSON."""
    booster = ranker.get_booster()
    best = getattr(ranker, "best_iteration", None)
    if best is not None:  # which only XGBRanker would look for
        booster = booster[: best + 1]
    booster.save_model(path)
