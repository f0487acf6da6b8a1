"""How estimators, by library, are fitted on whole queries, watched, asked and exported."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Collection, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.pipeline import Pipeline

from skgraded._boosting import NamedMeasures, named_means, refuse_taken_names
from skgraded._guards import LIBRARIES
from skgraded._support.array_types import FloatArray
from skgraded.measures import Measure
from skgraded.model_selection._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

Params = dict[str, Any]


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    while isinstance(estimator, Pipeline):
        _, estimator = estimator.steps[-1]
    return estimator


# All of LightGBM's names; XGBoost's and CatBoost's common ones are among them.
STOPPING = {
    "early_stopping_round",
    "early_stopping_rounds",
    "early_stopping",
    "n_iter_no_change",
}


def params_that_are_set(estimator: Any) -> Params:
    """Return the parameters of an estimator that are not None."""
    return {
        name: value
        for name, value in estimator.get_params().items()
        if value is not None
    }


def refuse_params_that_stop(params: Params, names: Collection[str] = STOPPING) -> None:
    """Raise where an estimator has a parameter by which it would stop on another metric."""
    for name in sorted(params.keys() & names):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {params[name]!r}."
        )


@dataclasses.dataclass(frozen=True)
class Booster:
    """What `QueryRanker` asks of a library, with the answers of the plain case, scikit-learn.

    Attributes
    ----------
    needs_queries : bool
        Whether the library's own fit asks where the queries are.
    is_watched : bool
        Whether a measure can watch and stop the training.
    package : str
        The package of the library, by which `LIBRARIES` knows it; "" where it has no file format.
    start : str
        What the library calls initial scores; "" where it takes none.
    continues : str
        What the library calls a model to continue training from; "" where it takes none.
    per_row : frozenset of str or None
        The fit parameters with an entry per row; None takes every array that has so many entries.
    by_number : frozenset of str
        The fit parameters that hold numbers of rows, which would not follow the rows.
    names_of_queries : frozenset of str
        The fit parameters that say where the queries are, beside ``qid``.
    names_of_evaluation_sets : frozenset of str
        The fit parameters that hold rows to evaluate, beside those of `QueryRanker.fit`.
    names_of_evaluation_starts : frozenset of str
        What the library, and its users, call the initial scores of rows to evaluate.
    """

    needs_queries: bool = False
    is_watched: bool = False

    package: ClassVar[str] = ""
    start: ClassVar[str] = ""
    continues: ClassVar[str] = ""
    per_row: ClassVar[frozenset[str] | None] = None
    by_number: ClassVar[frozenset[str]] = frozenset()
    names_of_queries: ClassVar[frozenset[str]] = frozenset()
    names_of_evaluation_sets: ClassVar[frozenset[str]] = frozenset()
    names_of_evaluation_starts: ClassVar[frozenset[str]] = frozenset()

    @property
    def name(self) -> str:
        """The name of the library; "" where it has no file format."""
        if not self.package:
            return ""
        return LIBRARIES[self.package].name

    def clone(self, estimator: Any) -> Any:
        """Copy an estimator, or a Pipeline that ends in it, which is about to be fitted."""
        return clone(estimator, safe=False)

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit an estimator; return what was recorded on the validation rows, here nothing."""
        estimator.fit(rows.X, rows.y, **params)
        return None

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Score documents from their initial scores."""
        raise NotImplementedError  # `check_initial_scores` has refused

    def importances(self, estimator: Any) -> NDArray[Any]:
        """Return the importances of the features."""
        return np.asarray(estimator.feature_importances_)

    def trained_model(self, estimator: Any) -> Any:
        """Return the model as the library's own functions take it, which LightGBM names so."""
        return estimator.booster_

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the model that predicts, and the measure by which it was chosen."""
        raise NotImplementedError  # `export_model` has refused


class LightGBM(Booster):
    """LGBMRanker and LGBMRegressor: sizes of the queries, and stopping by the measure alone."""

    package = "lightgbm"
    start = "init_score"
    continues = "init_model"
    per_row = frozenset({"init_score"})
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
        if self.needs_queries:
            params = {**params, "group": rows.sizes}
        if validation is None:
            estimator.fit(rows.X, rows.y, **params)
            return None

        params = self._params_that_watch(estimator, validation, params)
        estimator.fit(rows.X, rows.y, **params)
        # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
        best = estimator.best_iteration_ or None
        return Watched(estimator.evals_result_, best, validation.predicts_with(best))

    def _params_that_watch(
        self, estimator: Any, validation: Validation, params: Params
    ) -> Params:
        """Return fit parameters that evaluate the measures too, and stop by the first."""
        named_measures = validation.named
        set_params = params_that_are_set(estimator)
        refuse_params_that_stop(set_params)

        own_metrics = []
        names_of_metrics = set_params.keys() & {"metric", "metrics", "metric_types"}
        for name in names_of_metrics:
            own_metrics += _as_list(set_params[name])
        refuse_taken_names(named_measures, own_metrics, self.name)
        if not names_of_metrics:
            estimator.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5

        recorder = _Recorder(named_measures, validation.rows.judgments)
        metrics = [recorder, *_as_list(params.get("eval_metric"))]
        params = {**params, "eval_metric": metrics}
        if validation.rounds is not None:
            params["callbacks"] = _with_stopping(
                _as_list(params.get("callbacks")), named_measures[0], validation.rounds
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

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict and add the initial scores, as LightGBM's training does."""
        return np.asarray(estimator.predict(X, raw_score=True) + start)

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the text that LightGBM reads, which names an objective in any case.

        LightGBM writes none for a callable one, and programs that read the text refuse it. The
        name says which function of the sum of leaves is the score: for these two, the sum itself.
        """
        if path.suffix == ".json":
            raise ValueError(
                f"path must not end in .json for LightGBM, which reads text, got {str(path)!r}: "
                "name it .txt. ranker.booster_.dump_model() describes the trees for JSON."
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
    callbacks: Sequence[Any], named_measure: tuple[str, Measure], rounds: int
) -> list[Any]:
    """Return LightGBM's callbacks with one that stops by the measure."""
    from lightgbm import early_stopping

    from skgraded.lightgbm import _StopBy

    _refuse_second_stopping(callbacks, _StopBy, type(early_stopping(1)))
    return [*callbacks, _StopBy(named_measure, rounds)]


def _refuse_second_stopping(callbacks: Sequence[Any], *kinds: type) -> None:
    """Raise where a callback would stop the training too, by whichever metric."""
    for callback in callbacks:
        if isinstance(callback, kinds) and getattr(callback, "rounds", 1) is not None:
            raise ValueError(
                "Only one callback may stop the training early: leave early_stopping out of the "
                "callbacks, or early_stopping_rounds of QueryRanker None."
            )


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
        metrics = _as_list(estimator.eval_metric)
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
        n_best = None
        if best is not None and validation.rounds is not None:
            n_best = best + 1
        return Watched(recorded, n_best, validation.predicts_with(best))

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
            _refuse_second_stopping(callbacks, EarlyStopping, _Evaluation)

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
            name="valid_0",
            save_best=False,  # predict takes the best iteration; others may be looked at
        )

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict from given initial scores."""
        return np.asarray(estimator.predict(X, base_margin=start))

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the iterations that predictions use, as JSON or binary JSON."""
        booster = estimator.get_booster()
        best = getattr(estimator, "best_iteration", None)
        # Only XGBRanker would look for the best iteration in the file.
        exported = booster.copy() if best is None else booster[: best + 1]
        exported.set_attr(measure=measure)
        exported.save_model(path)


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
        metrics += _as_list(set_params.get("custom_metric"))
        refuse_taken_names(named_measures, metrics, self.name)

    def _set_metric(
        self, estimator: Any, rows: QueryRows, validation: Validation
    ) -> None:
        """Set the metric that evaluates the measure, which CatBoost asks of both data sets."""
        from skgraded.catboost import eval_metric

        data_sets = []
        for data_set in (rows, validation.rows):
            columns = [data_set.y, data_set.query_of_row]
            if data_set.weight is not None:
                columns.append(data_set.weight)
            data_sets.append(tuple(columns))
        metric = eval_metric(dict(validation.named), *data_sets)
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
        """Write CatBoost's binary format, or its JSON."""
        exported = estimator.copy()
        exported.get_metadata()["measure"] = measure
        file_format = "json" if path.suffix == ".json" else "cbm"
        exported.save_model(str(path), format=file_format)


_LISTS_OF_FEATURES = ("cat_features", "text_features", "embedding_features")


def _as_list(value: Any) -> list[Any]:
    """Return the entries of a list, one value as a list, and None as an empty one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


# By the name of the package and that of the class, so that no library has to be imported.
BOOSTERS: dict[tuple[str, str], Booster] = {
    ("lightgbm", "LGBMRanker"): LightGBM(needs_queries=True, is_watched=True),
    ("lightgbm", "LGBMRegressor"): LightGBM(is_watched=True),
    ("xgboost", "XGBRanker"): XGBoost(needs_queries=True, is_watched=True),
    ("xgboost", "XGBRFRegressor"): XGBoost(),  # of a single iteration
    ("xgboost", "XGBRegressor"): XGBoost(is_watched=True),
    ("xgboost", "XGBModel"): PlainXGBoost(),  # the base of all
    ("catboost", "CatBoostRanker"): CatBoost(needs_queries=True, is_watched=True),
    ("catboost", "CatBoost"): PlainCatBoost(),  # the base of all
}


def booster_of(estimator: Any) -> Booster:
    """Return how an estimator, or the last step of a Pipeline, is handled."""
    for base in type(final_step(estimator)).__mro__:
        package = base.__module__.partition(".")[0]
        booster = BOOSTERS.get((package, base.__name__))
        if booster is not None:
            return booster
    return Booster()
