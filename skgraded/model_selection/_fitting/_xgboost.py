"""XGBRanker: ascending ids, weights of queries, and early stopping by a callback."""

from __future__ import annotations

from typing import Any

from skgraded.model_selection._fitting._own_stopping import reject_own_stopping
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched

__all__ = ["fit"]


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an XGBRanker."""
    if rows.weight is not None:
        fit_params["sample_weight"] = rows.query_weight
    ids = rows.query_of_row
    if validation is None:
        ranker.fit(rows.X, rows.y, qid=ids, **fit_params)
        return None
    reject_own_stopping(ranker)
    _check_validation(ranker, rows, validation)
    own = ranker.callbacks
    # First, so that the ranker's own callbacks find the measure recorded.
    ranker.set_params(callbacks=[_watch(ranker, validation), *(own or [])])
    try:
        ranker.fit(rows.X, rows.y, qid=ids, **{"verbose": False, **fit_params})
    finally:
        ranker.set_params(callbacks=own)  # else the model would keep the validation rows
    best = None if validation.rounds is None else ranker.best_iteration + 1
    return Watched(ranker.evals_result(), best)


def _check_validation(ranker: Any, rows: QueryRows, validation: Validation) -> None:
    if validation.rounds is not None and ranker.get_params().get("booster") == "gblinear":
        raise ValueError(
            "early_stopping_rounds is not supported for booster='gblinear', which predicts with "
            f"all iterations instead of the best: leave it None, got {validation.rounds}."
        )
    given = validation.rows.X
    if hasattr(rows.X, "columns") and not hasattr(given, "columns"):
        raise ValueError(
            f"eval_X must be a DataFrame as X is, got {type(given).__name__}: XGBRanker compares "
            "the names of the features."
        )


def _watch(ranker: Any, validation: Validation) -> Any:
    """Make a callback that evaluates the validation rows, read as the ranker reads features."""
    import xgboost

    from skgraded.xgboost import evaluation

    rows, params = validation.rows, ranker.get_params()
    features = xgboost.DMatrix(
        rows.X,
        base_margin=rows.per_row.get("base_margin"),
        missing=params["missing"],
        feature_types=params.get("feature_types"),
        enable_categorical=params.get("enable_categorical", False),
    )
    return evaluation(
        validation.measure,
        X=features,
        y=rows.y,
        qid=rows.query_of_row,
        sample_weight=rows.weight,
        rounds=validation.rounds,
        name="valid_0",
    )
