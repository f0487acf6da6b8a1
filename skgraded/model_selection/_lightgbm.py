"""How estimators of LightGBM are fitted on whole queries, watched, asked and exported."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from skgraded._boosting import (
    NamedMeasures,
    named_means,
    refuse_bagging_by_query,
    refuse_taken_names,
)
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
from skgraded.model_selection._position_bias import fit_with_positions
from skgraded.model_selection._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

_NAMES_OF_METRICS = {"metric", "metrics", "metric_types"}
_NAMES_OF_BOOSTING = {"boosting_type", "boosting", "boost"}

# Any of these in an estimator takes precedence over n_estimators.
_ALIASES_OF_N_ESTIMATORS = {
    "max_iter",
    "n_iter",
    "nrounds",
    "num_boost_round",
    "num_iteration",
    "num_iterations",
    "num_round",
    "num_rounds",
    "num_tree",
    "num_trees",
}


class LightGBM(Booster):
    """LGBMRanker and LGBMRegressor: sizes of the queries, and stopping by the measure alone."""

    package = "lightgbm"
    start = "init_score"
    continues = "init_model"
    per_row = frozenset({"init_score", "position"})
    names_of_queries = frozenset({"group"})
    names_of_evaluation_sets = frozenset({"eval_set", "eval_group", "eval_names"})
    names_of_evaluation_starts = frozenset({"eval_init_score"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by the sizes of the queries; the metric gets them even where LightGBM does not."""
        params = dict(params)
        if self.needs_queries:
            params["group"] = rows.sizes
        self._refuse_params(params_that_are_set(estimator), validation)
        if validation is None:
            self._leave_out_own_metrics(estimator)
            self._call_fit(estimator, rows, params)
            return None

        params = self._params_that_watch(estimator, validation, params)
        self._call_fit(estimator, rows, params)
        # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
        best = estimator.best_iteration_ or None
        return Watched(estimator.evals_result_, best, validation.predicts_with(best))

    def _call_fit(self, estimator: Any, rows: QueryRows, params: Params) -> None:
        """Call LightGBM's fit, or what stands for it where positions are given."""
        position = params.pop("position", None)
        if position is None:
            estimator.fit(rows.X, rows.y, **params)
        else:
            fit_with_positions(estimator, position, rows.X, rows.y, params)

    def _refuse_params(self, set_params: Params, validation: Validation | None) -> None:
        """Raise where LightGBM would grow no tree, or could not stop."""
        if callable(set_params.get("objective")):
            refuse_bagging_by_query(set_params)

        stops = validation is not None and validation.rounds is not None
        for name in sorted(set_params.keys() & _NAMES_OF_BOOSTING):
            if stops and set_params[name] == "dart":
                raise ValueError(
                    "early_stopping_rounds must be None where trees are weighed anew in later "
                    f"iterations, got {name}='dart': LightGBM does not stop it early."
                )

    def _leave_out_own_metrics(self, estimator: Any) -> None:
        """Switch LightGBM's metrics off where a callable objective trains.

        They would refuse labels between whole grades or above 30, and queries of more than 10,000
        rows, which such an objective takes.
        """
        set_params = params_that_are_set(estimator)
        is_callable = callable(set_params.get("objective"))
        if is_callable and not set_params.keys() & _NAMES_OF_METRICS:
            estimator.set_params(metric="None")

    def _params_that_watch(
        self, estimator: Any, validation: Validation, params: Params
    ) -> Params:
        """Return fit parameters that evaluate the measures too, and stop by the first."""
        named_measures = validation.named
        set_params = params_that_are_set(estimator)
        refuse_params_that_stop(set_params)

        own_metrics = []
        names_of_metrics = set_params.keys() & _NAMES_OF_METRICS
        for name in names_of_metrics:
            own_metrics += as_list(set_params[name])
        refuse_taken_names(named_measures, own_metrics, self.name)
        if not names_of_metrics:
            estimator.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5

        recorder = _Recorder(named_measures, validation.rows.judgments)
        metrics = [recorder, *as_list(params.get("eval_metric"))]
        params = {**params, "eval_metric": metrics}
        if validation.rounds is not None:
            params["callbacks"] = _with_stopping(
                as_list(params.get("callbacks")), validation, validation.rounds
            )
        return params | self._evaluation_params(estimator, validation.rows)

    def _evaluation_params(self, estimator: Any, rows: QueryRows) -> Params:
        """Return fit parameters by which LightGBM evaluates the validation rows."""
        # LightGBM turns lists into an array for X only. The labels are a copy: if LightGBM gets
        # the very arrays that it trains on, it reports a training score, and does not stop on it.
        features = rows.X if hasattr(rows.X, "shape") else np.asarray(rows.X)
        if "eval_X" in inspect.signature(estimator.fit).parameters:  # LightGBM >= 4.7
            params: Params = {"eval_X": features, "eval_y": rows.labels}
        else:
            params = {"eval_set": [(features, rows.labels)]}

        if self.needs_queries:
            params["eval_group"] = [rows.sizes]
        if rows.weight is not None:
            params["eval_sample_weight"] = [rows.weight]
        if self.start in rows.per_row:
            params["eval_init_score"] = [rows.per_row[self.start]]
        return params

    def set_iterations(
        self, estimator: Any, n_best: int, watched_estimator: Any
    ) -> int:
        """Set the number of iterations, under all names by which the estimator has it."""
        set_params = params_that_are_set(estimator)
        names = {"n_estimators", *_ALIASES_OF_N_ESTIMATORS & set_params.keys()}
        estimator.set_params(**dict.fromkeys(names, n_best))
        return n_best

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict and add the initial scores, as LightGBM's training does."""
        return np.asarray(estimator.predict(X, raw_score=True) + start)

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the text that LightGBM reads, which names an objective in any case.

        LightGBM writes none for a callable one, and programs that read the text refuse it. The
        name says which function of the sum of leaves is the score: for these two, the sum itself.
        """
        refuse_other_formats(
            path,
            [".txt"],
            self.name,
            "which writes text: name it .txt; ranker.booster_.dump_model() describes the trees, "
            "and onnxmltools converts them",
        )
        text: str = estimator.booster_.model_to_string()

        # The objective stands in the header, and among the parameters.
        if "\nobjective=" not in text:
            objective = "regression" if is_regressor(estimator) else "lambdarank"
            header = f"\nobjective={objective}\nfeature_names="
            text = text.replace("\nfeature_names=", header, 1)
            text = re.sub(r"(?<=\n\[objective: ).*(?=\])", objective, text, count=1)

        # LightGBM reads no line between its parameters and the last one.
        end = "\nend of parameters\n"
        text = text.replace(end, f"{end}\nmeasure: {measure}\n")
        path.write_text(text, encoding="utf-8", newline="\n")


class _Recorder:
    """A metric that knows which rows are unjudged; the labels that LightGBM has are 0 there."""

    def __init__(self, named_measures: NamedMeasures, judgments: Judgments) -> None:
        self._named = named_measures
        self._judgments = judgments

    def __call__(self, y_true: Any, y_pred: Any) -> list[tuple[str, float, bool]]:
        means = named_means(self._named, self._judgments.rank(y_pred))
        return [
            (name, mean, measure.greater_is_better)
            for (name, mean), (_, measure) in zip(means, self._named, strict=True)
        ]

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # LightGBM copies its metrics in every fit; nothing in here changes


def _with_stopping(
    callbacks: Sequence[Any], validation: Validation, rounds: int
) -> list[Any]:
    """Return LightGBM's callbacks with one that stops by the measure."""
    from lightgbm import early_stopping

    from skgraded.lightgbm import _StoppingRule

    refuse_second_stopping(callbacks, _StoppingRule, type(early_stopping(1)))
    stop = _StoppingRule(validation.named[0], rounds, min_delta=validation.min_delta)
    return [*callbacks, stop]
