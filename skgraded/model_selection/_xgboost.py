"""How estimators of XGBoost are fitted on whole queries, watched, asked and exported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._boosting import refuse_taken_names
from skgraded._support.array_types import FloatArray
from skgraded.model_selection._booster import (
    Booster,
    Params,
    as_list,
    params_that_are_set,
    refuse_other_formats,
    refuse_params_that_stop,
    refuse_second_stopping,
)
from skgraded.model_selection._rows import QueryRows, Validation, Watched


class PlainXGBoost(Booster):
    """The other estimators of XGBoost, which are fitted as scikit-learn's are."""

    def trained_model(self, estimator: Any) -> Any:
        """Return the model as XGBoost's functions take it."""
        return estimator.get_booster()


class XGBoost(PlainXGBoost):
    """XGBRanker and XGBRegressor: ascending ids, weights of queries, and a callback that stops."""

    package = "xgboost"
    start = "base_margin"
    continues = "xgb_model"
    per_row = frozenset({"base_margin"})
    names_of_queries = frozenset({"group"})
    names_of_evaluation_sets = frozenset(
        {"eval_set", "eval_group", "sample_weight_eval_set"}
    )
    names_of_evaluation_starts = frozenset({"base_margin_eval_set", "eval_base_margin"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by ids and weights of queries; a callback evaluates the measure."""
        if self.needs_queries:
            params = {**params, "qid": rows.query_of_row}
            if rows.weight is not None:
                params["sample_weight"] = rows.query_weight
        if validation is None:
            estimator.fit(rows.X, rows.y, **params)
            return None
        return self._fit_watched(estimator, rows, validation, params)

    def _fit_watched(
        self, estimator: Any, rows: QueryRows, validation: Validation, params: Params
    ) -> Watched:
        """Fit with a callback that evaluates the measures and stops by the first."""
        refuse_params_that_stop(params_that_are_set(estimator))
        params = {"verbose": False, **params}
        metrics = as_list(estimator.eval_metric)
        refuse_taken_names(validation.named, metrics, self.name)
        if metrics:
            params |= self._evaluation_params(validation.rows)

        callbacks = estimator.callbacks
        evaluation = self._evaluation(estimator, validation, callbacks or [])
        # First, so that the ranker's own callbacks find the measures recorded.
        estimator.callbacks = [evaluation, *(callbacks or [])]
        try:
            estimator.fit(rows.X, rows.y, **params)
        finally:
            # Else the model would keep the validation rows.
            estimator.callbacks = callbacks

        # What XGBoost evaluates itself has another name, though the rows are the same.
        recorded = dict(estimator.evals_result())
        of_metrics = recorded.pop("validation_0", {})
        recorded["valid_0"] = {**recorded["valid_0"], **of_metrics}

        # A callback of the user's may have found a best iteration, too.
        best = getattr(estimator, "best_iteration", None)
        if best is None or validation.rounds is None:
            return Watched(recorded, None, validation.predicts_with(best))

        # XGBoost takes min_delta from the new value, which may be rounded otherwise.
        best_entry = None
        if validation.min_delta:
            n_recorded = len(recorded["valid_0"][validation.named[0][0]])
            n_iterations = estimator.get_booster().num_boosted_rounds()
            best_entry = best - (n_iterations - n_recorded)
        predicts_with = validation.predicts_with(best)
        return Watched(recorded, best + 1, predicts_with, best_entry)

    def _evaluation_params(self, rows: QueryRows) -> Params:
        """Return fit parameters by which XGBoost evaluates its own metrics on validation rows."""
        params: Params = {"eval_set": [(rows.X, rows.labels)]}
        weight = rows.weight
        if self.needs_queries:
            params["eval_qid"] = [rows.query_of_row]
            weight = rows.query_weight
        if weight is not None:
            params["sample_weight_eval_set"] = [weight]
        if self.start in rows.per_row:
            params["base_margin_eval_set"] = [rows.per_row[self.start]]
        return params

    def _evaluation(
        self, estimator: Any, validation: Validation, callbacks: Sequence[Any]
    ) -> Any:
        """Make a callback that evaluates the validation rows, read as the ranker reads features."""
        import xgboost
        from xgboost.callback import EarlyStopping

        from skgraded.xgboost import _Evaluation

        if validation.rounds is not None:
            refuse_second_stopping(callbacks, EarlyStopping, _Evaluation)

        rows = validation.rows
        params = estimator.get_params()
        features = partial(
            xgboost.DMatrix,
            rows.X,
            missing=params["missing"],
            feature_types=params.get("feature_types"),
            enable_categorical=params.get("enable_categorical", False),
            base_margin=rows.per_row.get(self.start),
        )
        return _Evaluation(
            validation.named,
            features,
            rows.judgments,
            rounds=validation.rounds,
            min_delta=validation.min_delta,
            name="valid_0",
            save_best=False,  # predict takes the best iteration; others may be looked at
        )

    def set_iterations(
        self, estimator: Any, n_best: int, watched_estimator: Any
    ) -> int:
        """Set the number of iterations."""
        estimator.set_params(n_estimators=n_best)
        return n_best

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict from given initial scores."""
        return np.asarray(estimator.predict(X, base_margin=start))

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the iterations that predictions use, as JSON or binary JSON."""
        refuse_other_formats(
            path,
            [".json", ".ubj"],
            self.name,
            "which writes JSON, or binary JSON as .ubj; for ONNX, convert an "
            "XGBRegressor that has loaded the JSON by load_model",
        )
        booster = estimator.get_booster()
        best = getattr(estimator, "best_iteration", None)
        # Only XGBRanker would look for the best iteration in the file.
        exported = booster.copy() if best is None else booster[: best + 1]
        exported.set_attr(measure=measure)
        exported.save_model(path)
