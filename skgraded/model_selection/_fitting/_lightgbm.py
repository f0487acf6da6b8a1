"""LGBMRanker: sizes of the queries, and early stopping on the measure alone."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.lightgbm import _EvalMetric
from skgraded.model_selection._fitting._own_stopping import given_params, reject_own_stopping
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

__all__ = ["fit", "staged"]

# LightGBM's names of one parameter.
_METRIC = {"metric", "metrics", "metric_types"}


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an LGBMRanker."""
    if validation is None:
        ranker.fit(rows.X, rows.y, group=rows.sizes, **fit_params)
        return None
    reject_own_stopping(ranker)
    if not _METRIC.intersection(given_params(ranker)):
        ranker.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5
    watching = _watching(ranker, validation, fit_params)
    ranker.fit(rows.X, rows.y, group=rows.sizes, **{**fit_params, **watching})
    # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
    return Watched(ranker.evals_result_, ranker.best_iteration_ or None)


def _watching(ranker: Any, validation: Validation, fit_params: dict[str, Any]) -> dict[str, Any]:
    """Fit parameters by which LightGBM evaluates the validation rows and stops on the measure."""
    rows = validation.rows
    # LightGBM turns lists into an array for X only. The labels are a copy: if LightGBM gets the
    # very arrays that it trains on, it reports a training score, on which it does not stop.
    features = rows.X if hasattr(rows.X, "shape") else np.asarray(rows.X)
    if "eval_X" in inspect.signature(ranker.fit).parameters:  # LightGBM >= 4.7 deprecates eval_set
        params: dict[str, Any] = {"eval_X": features, "eval_y": rows.labels}
    else:
        params = {"eval_set": [(features, rows.labels)]}
    params["eval_group"] = [rows.sizes]
    if rows.weight is not None:
        params["eval_sample_weight"] = [rows.weight]
    if "init_score" in rows.per_row:
        params["eval_init_score"] = [rows.per_row["init_score"]]
    params["eval_metric"] = _metrics(validation, _listed(fit_params, "eval_metric"))
    if validation.rounds is not None:
        stop = _StopOn(str(validation.measure), validation.rounds)
        params["callbacks"] = [*_listed(fit_params, "callbacks"), stop]
    return params


def _metrics(validation: Validation, given: list[Any]) -> list[Any]:
    """Put the measure to watch first; measures of ours share its sort, and none comes twice."""
    known, others = [], []
    for each in given:
        if isinstance(each, _EvalMetric) and not each.as_loss:
            known.append(each.measures)
        else:
            others.append(each)
    measures = tuple(dict.fromkeys([validation.measure, *chain.from_iterable(known)]))
    ours = _MetricOfValidation(_EvalMetric(measures, 1), validation.rows.judgments)
    return [ours, *others]


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


class _StopOn:
    """LightGBM's early stopping, which sees a single metric.

    LightGBM puts its own metrics first, and ``first_metric_only`` would watch those.
    """

    def __init__(self, metric: str, rounds: int) -> None:
        import lightgbm

        self._metric = metric
        self._stop = lightgbm.early_stopping(rounds, first_metric_only=True, verbose=False)
        # LightGBM calls it after the callback that records values, by this attribute.
        self.order = self._stop.order

    def __call__(self, env: Any) -> None:
        watched = [each for each in env.evaluation_result_list if each[1] == self._metric]
        replace = getattr(env, "_replace", None) or partial(dataclasses.replace, env)
        self._stop(replace(evaluation_result_list=watched))


def staged(ranker: Any, X: Any) -> Iterator[NDArray[np.float64]]:
    """Yield the scores after each iteration, which are those of ``predict(num_iteration=...)``."""
    booster = ranker.booster_
    scores = 0.0
    for iteration in range(booster.current_iteration()):
        of_tree = booster.predict(
            X, start_iteration=iteration, num_iteration=1, raw_score=True, num_threads=1
        )
        scores = scores + of_tree
        yield scores
