"""How estimators of CatBoost are fitted on whole queries, watched, asked and exported."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._boosting import NamedMeasures, refuse_taken_names
from skgraded._support.array_types import FloatArray
from skgraded.model_selection._booster import (
    STOPPING,
    Booster,
    Params,
    as_list,
    params_that_are_set,
    refuse_other_formats,
    refuse_params_that_stop,
)
from skgraded.model_selection._rows import QueryRows, Validation, Watched

_ALIASES_OF_ITERATIONS = {"iterations", "n_estimators", "num_boost_round", "num_trees"}
# What CatBoost calls the formats that it writes, by suffix.
_FORMATS = {
    ".cbm": "cbm",
    ".json": "json",
    ".onnx": "onnx",
    ".pmml": "pmml",
    ".mlmodel": "coreml",
    ".cpp": "cpp",
    ".py": "python",
}
_LISTS_OF_FEATURES = ("cat_features", "text_features", "embedding_features")


class PlainCatBoost(Booster):
    """The other estimators of CatBoost, which are fitted as scikit-learn's are."""

    def clone(self, estimator: Any) -> Any:
        """Copy an estimator, or a Pipeline that ends in it, with the lists that it was given.

        CatBoost copies lists such as ``custom_metric`` and ``cat_features``. scikit-learn takes
        that for a change of the parameters, and raises an error.
        """
        return deepcopy(estimator)


class CatBoost(PlainCatBoost):
    """CatBoostRanker: group ids, weights of groups, and stopping by its evaluation metric."""

    package = "catboost"
    start = "baseline"
    continues = "init_model"
    per_row = frozenset({"baseline", "subgroup_id", "group_weight"})
    by_number = frozenset({"pairs", "pairs_weight", "graph"})
    names_of_queries = frozenset({"group_id"})
    names_of_evaluation_sets = frozenset({"eval_set"})
    names_of_evaluation_starts = frozenset({"eval_baseline"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by ids and weights of groups; the metric knows the data sets beforehand."""
        params = {**params, "group_id": rows.query_of_row}
        # Pairwise losses, the default among them, use only the weights of groups.
        weight = rows.query_weight_of_row
        if weight is not None:
            if "group_weight" in params:
                raise ValueError(
                    "group_weight must be left out where sample_weight is given, which weighs "
                    "queries by the mean of their rows."
                )
            params["group_weight"] = weight
            del params["sample_weight"]

        # scikit-learn can only clone tuples, and CatBoost can only train with lists.
        lists = {
            name: list(value)
            for name, value in estimator.get_params().items()
            if isinstance(value, tuple)
        }
        estimator.set_params(**lists)

        if validation is not None:
            return self._fit_watched(estimator, rows, validation, params)
        # CatBoost would train to the end without an evaluation set, and not say so.
        if "eval_set" not in params:
            names = {"early_stopping_rounds", "od_wait"}
            refuse_params_that_stop(params_that_are_set(estimator), names)
        estimator.fit(rows.X, rows.y, **params)
        return None

    def _fit_watched(
        self, estimator: Any, rows: QueryRows, validation: Validation, params: Params
    ) -> Watched:
        """Fit with a metric that evaluates the measure, and stop by it."""
        set_params = params_that_are_set(estimator)
        self._refuse_params(set_params, validation.named)

        self._set_metric(estimator, rows, validation)
        params = {
            **params,
            "eval_set": self._pool(validation.rows, set_params | params),
            "use_best_model": validation.rounds is not None,
        }
        if validation.rounds is not None:
            params["early_stopping_rounds"] = validation.rounds
        estimator.fit(rows.X, rows.y, **params)

        recorded = {"valid_0": estimator.get_evals_result()["validation"]}
        # CatBoost's best_iteration_ does not count the trees of init_model.
        best = None if validation.rounds is None else estimator.tree_count_
        predicts_with = validation.predicts_with(best)
        # best_model_min_trees may keep more iterations than the best ones.
        if best and estimator.get_params().get("best_model_min_trees") is not None:
            predicts_with = "any"
        return Watched(recorded, best, predicts_with)

    def _refuse_params(self, set_params: Params, named_measures: NamedMeasures) -> None:
        """Raise where CatBoost stops on a metric, or cannot report the measures."""
        names = {"od_type", "od_wait", "od_pval", "use_best_model", "eval_metric"}
        refuse_params_that_stop(set_params, STOPPING | names)
        if len(named_measures) > 1:
            raise ValueError(
                "eval_metric must name the measure of the QueryRanker alone for CatBoostRanker, "
                f"which evaluates one measure, got {', '.join(name for name, _ in named_measures)}."
            )
        loss = str(set_params.get("loss_function"))
        metrics = [loss, loss.removesuffix("Pairwise")]
        metrics += as_list(set_params.get("custom_metric"))
        refuse_taken_names(named_measures, metrics, self.name)

    def _set_metric(
        self, estimator: Any, rows: QueryRows, validation: Validation
    ) -> None:
        """Set the metric that evaluates the measure, which CatBoost asks of both data sets."""
        from skgraded.catboost import metric_of_sets

        data_sets = []
        for data_set in (rows, validation.rows):
            columns = [data_set.y, data_set.query_of_row]
            if data_set.weight is not None:
                columns.append(data_set.weight)
            data_sets.append(tuple(columns))
        metric = metric_of_sets(validation.named, *data_sets)
        estimator.set_params(eval_metric=metric)

    def _pool(self, rows: QueryRows, params: Params) -> Any:
        """Make a data set of the validation rows, whose columns are of the given kinds."""
        import catboost

        weight = rows.query_weight_of_row
        if weight is None:
            weight = rows.per_row.get("group_weight")
        return catboost.Pool(
            rows.X,
            rows.labels,
            group_id=rows.query_of_row,
            group_weight=weight,
            baseline=rows.per_row.get("baseline"),
            subgroup_id=rows.per_row.get("subgroup_id"),
            **{name: params.get(name) for name in _LISTS_OF_FEATURES},
        )

    def set_iterations(
        self, estimator: Any, n_best: int, watched_estimator: Any
    ) -> int:
        """Set the number of iterations, and the learning rate that CatBoost has chosen.

        It chooses the rate by the numbers of iterations and rows, so that the iterations found
        would be too few or too many with another one.
        """
        set_params = params_that_are_set(estimator)
        fewest_trees = set_params.get("best_model_min_trees", 1)
        n_iterations = max(n_best, min(fewest_trees, watched_estimator.tree_count_))

        names = _ALIASES_OF_ITERATIONS & set_params.keys() or {"iterations"}
        estimator.set_params(**dict.fromkeys(names, n_iterations))
        if not set_params.keys() & {"learning_rate", "eta"}:
            estimator.set_params(learning_rate=watched_estimator.learning_rate_)
        return n_iterations

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict and add the initial scores, as CatBoost's training does."""
        return np.asarray(estimator.predict(X) + start)

    def importances(self, estimator: Any) -> NDArray[Any]:
        """Return the importances of the features, for a ranking loss those of another type."""
        importances = np.asarray(estimator.feature_importances_)
        # CatBoost has None where the default type would need the training rows.
        if importances.ndim == 0:
            importances = np.asarray(
                estimator.get_feature_importance(type="PredictionValuesChange")
            )
        return importances

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write CatBoost's binary format, or another one that it writes, by the suffix."""
        refuse_other_formats(
            path, _FORMATS, self.name, f"which writes {', '.join(_FORMATS)}"
        )
        exported = estimator.copy()
        exported.get_metadata()["measure"] = measure
        file_format = _FORMATS.get(path.suffix.lower(), "cbm")
        exported.save_model(str(path), format=file_format)
