"""LGBMRanker and LGBMRegressor: sizes of the queries, and early stopping on the measure alone."""

from __future__ import annotations

import inspect
import re
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from skgraded.boosting import NamedMeasures
from skgraded.lightgbm import _EvalMetric, _StopBy
from skgraded.model_selection._estimators import given_params, reject_own_stopping
from skgraded.model_selection._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

# LightGBM's names of one parameter.
_METRIC = {"metric", "metrics", "metric_types"}


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an LGBMRanker."""
    return _fit(ranker, rows, validation, {**fit_params, "group": rows.sizes})


def fit_regressor(
    regressor: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an LGBMRegressor; the metric gets the queries, because LightGBM does not pass them."""
    return _fit(regressor, rows, validation, fit_params)


def _fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    if validation is None:
        ranker.fit(rows.X, rows.y, **fit_params)
        return None
    reject_own_stopping(ranker)
    _refuse_partial_sums(ranker)
    if not _METRIC.intersection(given_params(ranker)):
        ranker.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5
    others = _listed(fit_params, "eval_metric")
    ours = [each for each in others if isinstance(each, _EvalMetric) and not each.as_loss]
    named = validation.with_others(chain.from_iterable(each.named for each in ours))
    fit_params = {**fit_params, "eval_metric": [each for each in others if each not in ours]}
    watching = _watching(ranker, validation, named, fit_params)
    ranker.fit(rows.X, rows.y, **{**fit_params, **watching})
    # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
    best = ranker.best_iteration_ or None
    return Watched(ranker.evals_result_, best, named, validation.predicts_with(best))


def _watching(
    ranker: Any, validation: Validation, named: NamedMeasures, fit_params: dict[str, Any]
) -> dict[str, Any]:
    """Fit parameters by which LightGBM evaluates the validation rows and stops on the measure."""
    rows = validation.rows
    # LightGBM turns lists into an array for X only. The labels are a copy: if LightGBM gets the
    # very arrays that it trains on, it reports a training score, on which it does not stop.
    features = rows.X if hasattr(rows.X, "shape") else np.asarray(rows.X)
    if "eval_X" in inspect.signature(ranker.fit).parameters:  # LightGBM >= 4.7 deprecates eval_set
        params: dict[str, Any] = {"eval_X": features, "eval_y": rows.labels}
    else:
        params = {"eval_set": [(features, rows.labels)]}
    if "group" in fit_params:
        params["eval_group"] = [rows.sizes]
    if rows.weight is not None:
        params["eval_sample_weight"] = [rows.weight]
    if "init_score" in rows.per_row:
        params["eval_init_score"] = [rows.per_row["init_score"]]
    # Measures of ours share one sort.
    ours = _MetricOfValidation(_EvalMetric(named, 1), rows.judgments)
    params["eval_metric"] = [ours, *fit_params["eval_metric"]]
    if validation.rounds is not None:
        others = _listed(fit_params, "callbacks")
        _refuse_second_stopping(others)
        stop = _StopBy(_EvalMetric(named[:1], 1), validation.rounds)
        params["callbacks"] = [*others, stop]
    return params


def _refuse_partial_sums(ranker: Any) -> None:
    """Raise where predictions leave out trees of rows whose scores are large already."""
    if ranker.get_params().get("pred_early_stop"):
        raise ValueError(
            "pred_early_stop must be left unset in the estimator where validation queries are "
            "watched, got True: predictions would leave out trees that the measure has seen."
        )


def _refuse_second_stopping(callbacks: list[Any]) -> None:
    """Raise where a callback would stop the training too, by whichever metric."""
    from lightgbm import early_stopping

    if any(isinstance(each, (_StopBy, type(early_stopping(1)))) for each in callbacks):
        raise ValueError(
            "Only one callback may stop the training early: leave early_stopping out of the "
            "callbacks, or early_stopping_rounds of QueryRanker None."
        )


class _MetricOfValidation:
    """A metric that knows which rows are unjudged; the labels that LightGBM has are 0 there."""

    def __init__(self, metric: _EvalMetric, judgments: Judgments) -> None:
        self._metric = metric
        self._judgments = judgments

    def __call__(self, y_true: Any, y_pred: Any) -> list[tuple[str, float, bool]]:
        return self._metric.on(self._judgments, y_pred)


def _listed(fit_params: dict[str, Any], name: str) -> list[Any]:
    given = fit_params.get(name)
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def predict_from(ranker: Any, X: Any, start: NDArray[Any]) -> NDArray[Any]:
    """Predict and add the initial scores, as LightGBM's training does."""
    return ranker.predict(X, raw_score=True) + start


def export(ranker: Any, path: str) -> None:
    """Write the text that LightGBM reads, which names an objective in any case.

    LightGBM writes none for a callable one, and programs that read the text refuse it. The name
    says which function of the sum of leaves is the score: for these two, the sum itself.
    """
    text: str = ranker.booster_.model_to_string()
    if "\nobjective=" not in text:
        name = "regression" if is_regressor(ranker) else "lambdarank"
        text = text.replace("\nfeature_names=", f"\nobjective={name}\nfeature_names=", 1)
        text = re.sub(r"(?<=\n\[objective: ).*(?=\])", name, text, count=1)
    Path(path).write_text(text, encoding="utf-8", newline="\n")
