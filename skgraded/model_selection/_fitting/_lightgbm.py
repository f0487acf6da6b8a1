"""LGBMRanker and LGBMRegressor: sizes of the queries, and early stopping on the measure alone."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.lightgbm import _EvalMetric, _StopBy
from skgraded.model_selection._fitting._own_stopping import given_params, reject_own_stopping
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

__all__ = ["fit", "fit_regressor", "staged"]

# Trees whose leaves are in memory at a time, for all rows.
_TREES_AT_A_TIME = 32
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
    """Fit an LGBMRegressor, which knows of no queries; the measure is told which there are."""
    return _fit(regressor, rows, validation, fit_params)


def _fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    if validation is None:
        ranker.fit(rows.X, rows.y, **fit_params)
        return None
    reject_own_stopping(ranker)
    if not _METRIC.intersection(given_params(ranker)):
        ranker.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5
    watching = _watching(ranker, validation, fit_params)
    ranker.fit(rows.X, rows.y, **{**fit_params, **watching})
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
    if "group" in fit_params:
        params["eval_group"] = [rows.sizes]
    if rows.weight is not None:
        params["eval_sample_weight"] = [rows.weight]
    if "init_score" in rows.per_row:
        params["eval_init_score"] = [rows.per_row["init_score"]]
    params["eval_metric"] = _metrics(validation, _listed(fit_params, "eval_metric"))
    if validation.rounds is not None:
        stop = _StopBy(_EvalMetric((validation.measure,), 1), validation.rounds)
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


def staged(ranker: Any, X: Any) -> Iterator[NDArray[np.float64]]:
    """Yield the raw scores after each iteration, to the last bit those of LightGBM.

    They are sums of the values of the leaves: a prediction of its own for each tree would take many
    times as long where there are many features.
    """
    booster = ranker.booster_
    n_trees = booster.current_iteration()
    scores: Any = 0.0
    for first in range(0, n_trees, _TREES_AT_A_TIME):
        for values in _tree_values(booster, X, first, min(_TREES_AT_A_TIME, n_trees - first)):
            scores = scores + values
            yield scores


def _tree_values(booster: Any, X: Any, first: int, n_trees: int) -> Iterator[NDArray[np.float64]]:
    """Yield what each of some trees adds to the scores."""
    trees = range(first, first + n_trees)
    if booster.params.get("linear_tree"):  # its leaves have no single value
        for tree in trees:
            one = {"start_iteration": tree, "num_iteration": 1}
            yield booster.predict(X, raw_score=True, num_threads=1, **one)
        return
    block = {"start_iteration": first, "num_iteration": n_trees}
    leaves = booster.predict(X, pred_leaf=True, num_threads=1, **block).reshape(-1, n_trees)
    for tree, leaf in zip(trees, leaves.T.astype(np.int64), strict=True):
        values = [booster.get_leaf_output(tree, number) for number in range(leaf.max() + 1)]
        yield np.array(values)[leaf]
