"""What XGBoost's running training says of itself, and what is refused because of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
import xgboost
from numpy.typing import ArrayLike
from xgboost.callback import CallbackContainer, EarlyStopping

from skgraded._guards import argument_of, caller_with
from skgraded.boosting._evaluator import NamedMeasures, refuse_taken_names, reported_names


@dataclass(frozen=True)
class Features:
    """Rows to evaluate, and how their features are read.

    Attributes
    ----------
    X : array-like of shape (n_documents, n_features) or DMatrix
        The features.
    missing : float
        The value that is taken for missing.
    base_margin : array-like of shape (n_documents,) or None
        The scores from which the model starts.
    """

    X: Any
    missing: float
    base_margin: ArrayLike | None

    def __post_init__(self) -> None:
        if isinstance(self.X, xgboost.DMatrix) and self.base_margin is not None:
            raise ValueError(
                "base_margin must be left out where X is a DMatrix: give it to xgboost.DMatrix."
            )

    def read(self) -> xgboost.DMatrix:
        """Make a data set; raise where the model in training reads its features otherwise."""
        if isinstance(self.X, xgboost.DMatrix):
            _refuse_other_start(self.X)
            return self.X
        _refuse_other_missing(self.missing)
        data = xgboost.DMatrix(
            self.X, base_margin=self.base_margin, missing=self.missing, enable_categorical=True
        )
        _refuse_other_start(data)
        return data


def _refuse_other_missing(missing: float) -> None:
    """Raise where the model takes another value for missing than the rows to evaluate do."""
    model = caller_with("xgboost.sklearn", "missing", "get_params")
    if model is None or np.array_equal(model.missing, missing, equal_nan=True):
        return
    raise ValueError(
        "missing must be the value that the model takes for missing, so that the measure watches "
        f"what predict returns: pass missing={model.missing!r} to evaluation, got {missing!r}."
    )


def _refuse_other_start(data: xgboost.DMatrix) -> None:
    """Raise where either the rows to train on or those to evaluate have scores to start from."""
    trained_on = argument_of("xgboost.training", "train", "dtrain")
    if trained_on is None or _starts(trained_on) == _starts(data):
        return
    if _starts(data):
        raise ValueError(
            "base_margin of the rows to evaluate is given, but the rows to train on have none: "
            "pass it to fit, too, or to the DMatrix of xgboost.train."
        )
    raise ValueError(
        "base_margin of the rows to evaluate is missing: the rows to train on have one, and the "
        "model would score X without it, so that the measure would watch another model. Pass "
        "base_margin to evaluation, or to its DMatrix."
    )


def _starts(data: xgboost.DMatrix) -> bool:
    """Whether rows have scores to start from."""
    return bool(data.get_base_margin().size)


def refuse_several_models(model: Any) -> None:
    """Raise in ``xgboost.cv``, which trains several models side by side."""
    if not isinstance(model, xgboost.Booster):
        raise TypeError(
            "evaluation evaluates one model on rows of its own, and xgboost.cv trains one model in "
            "each fold: pass xgboost.cv(custom_metric=skgraded.xgboost.eval_metric(...)), and "
            "maximize=True beside early_stopping_rounds."
        )


def refuse_unstoppable(model: xgboost.Booster, rounds: int) -> None:
    """Raise where predictions would not be those that the best iteration was evaluated by."""
    booster = json.loads(model.save_config())["learner"]["gradient_booster"]
    # Since 3.4 every booster of trees has these parameters, before it dart alone.
    dropout = booster.get("dart_train_param", {"rate_drop": "0", "one_drop": "0"})
    reason = ""
    if booster["name"] == "gblinear":
        reason = "for booster='gblinear', which predicts with all iterations instead of the best"
    elif float(dropout["rate_drop"]) > 0 or int(dropout["one_drop"]):
        reason = "with rate_drop or one_drop, by which later iterations change the best one"
    if reason:
        raise ValueError(
            f"Early stopping is not supported {reason}: leave rounds (early_stopping_rounds of "
            f"QueryRanker) None, got {rounds}."
        )


def refuse_second_stopping(ours: Any) -> None:
    """Raise where two callbacks would stop the training, since the model has one best iteration."""
    container = caller_with(CallbackContainer.__module__, "callbacks", "history")
    callbacks = [] if container is None else container.callbacks
    rounds = [each.rounds for each in callbacks if isinstance(each, (EarlyStopping, ours))]
    if len(rounds) - rounds.count(None) > 1:
        raise ValueError(
            "Only one callback may stop the training early, since predict takes the best iteration "
            "of whichever improved last: leave out early_stopping_rounds of XGBoost and its "
            "EarlyStopping, or rounds (early_stopping_rounds of QueryRanker)."
        )


def refuse_wrong_direction(named: NamedMeasures, data_name: str | None = None) -> None:
    """Raise where early stopping takes the worse values of a measure for the better ones.

    Parameters
    ----------
    named : tuple of (str, Measure)
        The measures with their names.
    data_name : str, optional
        The data set that alone has these names.
    """
    container = caller_with(CallbackContainer.__module__, "callbacks", "history")
    known = dict(named)
    for stop in [] if container is None else container.callbacks:
        if not isinstance(stop, EarlyStopping) or stop.data not in (None, data_name or stop.data):
            continue
        # Without names, XGBoost watches the last metric of the last data set, and ours come last.
        watched = stop.metric_name or named[-1][0]
        maximises = _maximises_by_name(watched) if stop.maximize is None else stop.maximize
        if watched in known and bool(maximises) != known[watched].greater_is_better:
            raise ValueError(
                f"Early stopping must {'minimise' if maximises else 'maximise'} {watched}: pass "
                f"maximize={not maximises} to xgboost.train or xgboost.callback.EarlyStopping, or "
                "stop early by skgraded.xgboost.evaluation(..., rounds=...)."
            )


class RunChecks:
    """Checks of a metric against the training that calls it, once for every model.

    The call stack, by which they find the callbacks and the metrics of XGBoost's own, takes longer
    to read than a few short lists to score.
    """

    def __init__(self) -> None:
        self._passed: WeakSet[xgboost.Booster] = WeakSet()

    def run(self, named: NamedMeasures, data: xgboost.DMatrix) -> None:
        """Raise where early stopping or a metric of XGBoost's own contradicts the measures."""
        model = caller_with("xgboost.core", "eval_set", "num_boosted_rounds")
        if model is not None and model in self._passed:
            return
        refuse_wrong_direction(named)
        if model is not None:
            _refuse_names_of_own_metrics(named, model, data)
            self._passed.add(model)


def _refuse_names_of_own_metrics(
    named: NamedMeasures, model: xgboost.Booster, data: xgboost.DMatrix
) -> None:
    """Raise where XGBoost reports a metric of its own on a data set under a name of ours."""

    def report() -> list[str]:
        found = model.eval(data, "data").split("\t")[1:]  # such as "data-ndcg@10:0.93"
        return [each.rpartition(":")[0].removeprefix("data-") for each in found]

    refuse_taken_names(named, reported_names(model, report), "XGBoost")


def refuse_recorded_names(
    named: NamedMeasures, model: xgboost.Booster, evals_log: dict[str, dict[str, Any]]
) -> None:
    """Raise where XGBoost has recorded a metric of its own under a name of ours."""
    container = caller_with(CallbackContainer.__module__, "callbacks", "history")
    ours = dict(getattr(getattr(container, "metric", None), "named", ()))
    recorded = [name for metrics in evals_log.values() for name in metrics if name not in ours]
    refuse_taken_names(named, reported_names(model, lambda: recorded), "XGBoost")


def _maximises_by_name(metric: str) -> bool:
    """Whether XGBoost takes greater values for better where it is not told."""
    return metric != "mape" and metric.startswith(("auc", "pre", "map", "ndcg"))
