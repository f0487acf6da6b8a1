"""How estimators, by library, are fitted on whole queries, watched, asked and exported."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline

from skgraded._boosting import NamedMeasures, named_means, refuse_taken_names
from skgraded._support.array_types import FloatArray
from skgraded.model_selection._rows import QueryRows, Validation, Watched
from skgraded.rankings import Judgments

Params = dict[str, Any]


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    return (
        final_step(estimator.steps[-1][1])
        if isinstance(estimator, Pipeline)
        else estimator
    )


# All of LightGBM's names; XGBoost's and CatBoost's common ones are among them.
STOPPING = {
    "early_stopping_round",
    "early_stopping_rounds",
    "early_stopping",
    "n_iter_no_change",
}


def reject_own_stopping(
    ranker: Any, names: Collection[str] = STOPPING
) -> dict[str, Any]:
    """Return the parameters that are set; raise where one would stop on another metric."""
    given = {
        name: value for name, value in ranker.get_params().items() if value is not None
    }
    for name in sorted(given.keys() & names):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {given[name]!r}."
        )
    return given


@dataclasses.dataclass(frozen=True)
class Booster:
    """What `QueryRanker` asks of a library, with the answers of the plain case, scikit-learn.

    Attributes
    ----------
    needs_queries : bool
        Whether the library's own fit asks where the queries are.
    is_watched : bool
        Whether a measure can watch and stop the training.
    name : str
        The name of the library; "" where it has no file format.
    start : str
        What the library calls initial scores; "" where it takes none.
    continues : str
        What the library calls a model to continue training from; "" where it takes none.
    per_row : frozenset of str or None
        The fit parameters with an entry per row; None takes every array that has so many entries.
    by_number : frozenset of str
        The fit parameters that hold numbers of rows, which would not follow the rows.
    """

    needs_queries: bool = False
    is_watched: bool = False

    name: ClassVar[str] = ""
    start: ClassVar[str] = ""
    continues: ClassVar[str] = ""
    per_row: ClassVar[frozenset[str] | None] = None
    by_number: ClassVar[frozenset[str]] = frozenset()

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

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write the model that predicts, and the measure by which it was chosen."""
        raise NotImplementedError  # `export_model` has refused


class LightGBM(Booster):
    """LGBMRanker and LGBMRegressor: sizes of the queries, and stopping by the measure alone."""

    name = "LightGBM"
    start = "init_score"
    continues = "init_model"
    per_row = frozenset({"init_score"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by the sizes of the queries; the metric gets them even where LightGBM does not."""
        if self.needs_queries:
            params["group"] = rows.sizes
        if validation is not None:
            self._watch(estimator, validation, params)
        estimator.fit(rows.X, rows.y, **params)
        if validation is None:
            return None
        # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
        best = estimator.best_iteration_ or None
        return Watched(estimator.evals_result_, best, validation.predicts_with(best))

    def _watch(self, estimator: Any, validation: Validation, params: Params) -> None:
        """Add what evaluates the measures and stops by the first."""
        from lightgbm import early_stopping

        from skgraded.lightgbm import _StopBy

        own = reject_own_stopping(estimator)
        reported = [
            own[each] for each in ("metric", "metrics", "metric_types") if each in own
        ]
        if not reported:
            estimator.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5
        named = validation.named
        refuse_taken_names(
            named, list(chain.from_iterable(map(_listed, reported))), self.name
        )
        recorder = _Recorder(named, validation.rows.judgments)
        params["eval_metric"] = [recorder, *_listed(params.get("eval_metric"))]
        if validation.rounds is not None:
            callbacks = _listed(params.get("callbacks"))
            _refuse_second_stopping(callbacks, _StopBy, type(early_stopping(1)))
            params["callbacks"] = [*callbacks, _StopBy(named[0], validation.rounds)]
        params.update(self._evaluated(estimator, validation.rows))

    def _evaluated(self, estimator: Any, rows: QueryRows) -> Params:
        """Fit parameters by which LightGBM evaluates the validation rows."""
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
        if "\nobjective=" not in text:
            name = "regression" if is_regressor(estimator) else "lambdarank"
            text = text.replace(
                "\nfeature_names=", f"\nobjective={name}\nfeature_names=", 1
            )
            text = re.sub(r"(?<=\n\[objective: ).*(?=\])", name, text, count=1)
        # LightGBM reads no line between its parameters and the last one.
        text = text.replace(
            "\nend of parameters\n", f"\nend of parameters\n\nmeasure: {measure}\n"
        )
        path.write_text(text, encoding="utf-8", newline="\n")


class _Recorder:
    """A metric that knows which rows are unjudged; the labels that LightGBM has are 0 there."""

    def __init__(self, named: NamedMeasures, judgments: Judgments) -> None:
        self._named = named
        self._judgments = judgments

    def __call__(self, y_true: Any, y_pred: Any) -> list[tuple[str, float, bool]]:
        means = named_means(self._named, self._judgments.rank(y_pred))
        return [
            (name, mean, each.greater_is_better)
            for (name, mean), (_, each) in zip(means, self._named, strict=True)
        ]

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # LightGBM copies its metrics in every fit; nothing in here changes


def _refuse_second_stopping(callbacks: Sequence[Any], *kinds: type) -> None:
    """Raise where a callback would stop the training too, by whichever metric."""
    for each in callbacks:
        if isinstance(each, kinds) and getattr(each, "rounds", 1) is not None:
            raise ValueError(
                "Only one callback may stop the training early: leave early_stopping out of the "
                "callbacks, or early_stopping_rounds of QueryRanker None."
            )


class XGBoost(Booster):
    """XGBRanker and XGBRegressor: ascending ids, weights of queries, and a callback that stops."""

    name = "XGBoost"
    start = "base_margin"
    continues = "xgb_model"
    per_row = frozenset({"base_margin"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by ids and weights of queries; a callback evaluates the measure."""
        from xgboost.callback import EarlyStopping

        from skgraded.xgboost import _Evaluation

        if self.needs_queries:
            params["qid"] = rows.query_of_row
            if rows.weight is not None:
                params["sample_weight"] = rows.query_weight
        if validation is None:
            estimator.fit(rows.X, rows.y, **params)
            return None
        reject_own_stopping(estimator)
        callbacks = estimator.callbacks
        metrics = _listed(estimator.eval_metric)
        refuse_taken_names(validation.named, metrics, self.name)
        evaluated = self._evaluated(validation.rows) if metrics else {}
        if validation.rounds is not None:
            _refuse_second_stopping(callbacks or (), EarlyStopping, _Evaluation)
        # First, so that the ranker's own callbacks find the measures recorded.
        estimator.callbacks = [self._watch(estimator, validation), *(callbacks or [])]
        try:
            estimator.fit(rows.X, rows.y, **{"verbose": False, **params, **evaluated})
        finally:
            estimator.callbacks = (
                callbacks  # else the model would keep the validation rows
            )
        recorded = dict(estimator.evals_result())
        # The other name is XGBoost's, of the rows that it evaluates itself.
        recorded["valid_0"] = {
            **recorded["valid_0"],
            **recorded.pop("validation_0", {}),
        }
        best = getattr(
            estimator, "best_iteration", None
        )  # by a callback of the user's, too
        n_best = None if best is None or validation.rounds is None else best + 1
        return Watched(recorded, n_best, validation.predicts_with(best))

    def _evaluated(self, rows: QueryRows) -> Params:
        """Fit parameters by which XGBoost evaluates its own metrics on the validation rows."""
        params: Params = {"eval_set": [(rows.X, rows.labels)]}
        if self.needs_queries:
            params["eval_qid"] = [rows.query_of_row]
        if rows.weight is not None:
            weight = rows.query_weight if self.needs_queries else rows.weight
            params["sample_weight_eval_set"] = [weight]
        if self.start in rows.per_row:
            params["base_margin_eval_set"] = [rows.per_row[self.start]]
        return params

    def _watch(self, estimator: Any, validation: Validation) -> Any:
        """Make a callback that evaluates the validation rows, read as the ranker reads features."""
        import xgboost

        from skgraded.xgboost import _Evaluation

        rows = validation.rows
        own = estimator.get_params()
        features = partial(
            xgboost.DMatrix,
            rows.X,
            missing=own["missing"],
            feature_types=own.get("feature_types"),
            enable_categorical=own.get("enable_categorical", False),
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


class CatBoost(Booster):
    """CatBoostRanker: group ids, weights of groups, and stopping by its evaluation metric."""

    name = "CatBoost"
    start = "baseline"
    continues = "init_model"
    per_row = frozenset({"baseline", "subgroup_id", "group_weight"})
    by_number = frozenset({"pairs", "pairs_weight", "graph"})

    def fit(
        self,
        estimator: Any,
        rows: QueryRows,
        validation: Validation | None,
        params: Params,
    ) -> Watched | None:
        """Fit by ids and weights of groups; the metric knows the data sets beforehand."""
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
        tuples = {
            k: v for k, v in estimator.get_params().items() if isinstance(v, tuple)
        }
        estimator.set_params(**{name: list(each) for name, each in tuples.items()})
        if validation is not None:
            self._watch(estimator, rows, validation, params)
        elif (
            "eval_set" not in params
        ):  # CatBoost would train to the end, and not say so
            reject_own_stopping(estimator, {"early_stopping_rounds", "od_wait"})
        estimator.fit(rows.X, rows.y, group_id=rows.query_of_row, **params)
        if validation is None:
            return None
        # CatBoost's best_iteration_ does not count the trees of init_model.
        best = None if validation.rounds is None else estimator.tree_count_
        recorded = {"valid_0": estimator.get_evals_result()["validation"]}
        # best_model_min_trees may keep more iterations than the best ones.
        by_others = estimator.get_params().get("best_model_min_trees") is not None
        predicts_with = "any" if by_others and best else validation.predicts_with(best)
        return Watched(recorded, best, predicts_with)

    def _watch(
        self, estimator: Any, rows: QueryRows, validation: Validation, params: Params
    ) -> None:
        """Set the metric, and the parameters by which CatBoost evaluates the validation rows."""
        from skgraded.catboost import eval_metric

        own = reject_own_stopping(
            estimator,
            STOPPING
            | {"od_type", "od_wait", "od_pval", "use_best_model", "eval_metric"},
        )
        named = validation.named
        held_out = validation.rows
        if len(named) > 1:
            raise ValueError(
                "eval_metric must name the measure of the QueryRanker alone for CatBoostRanker, "
                f"which evaluates one measure, got {', '.join(name for name, _ in named)}."
            )
        loss = str(own.get("loss_function"))
        reported = [
            loss,
            loss.removesuffix("Pairwise"),
            *_listed(own.get("custom_metric")),
        ]
        refuse_taken_names(named, reported, self.name)
        sets = [
            (each.y, each.query_of_row, *([] if each.weight is None else [each.weight]))
            for each in (rows, held_out)
        ]
        estimator.set_params(eval_metric=eval_metric(dict(named), *sets))
        params["eval_set"] = self._pool(held_out, own | params)
        params["use_best_model"] = validation.rounds is not None
        if validation.rounds is not None:
            params["early_stopping_rounds"] = validation.rounds

    def _pool(self, rows: QueryRows, params: Params) -> Any:
        """Make a data set of the validation rows, whose columns are of the given kinds."""
        import catboost

        weight = rows.query_weight_of_row
        return catboost.Pool(
            rows.X,
            rows.labels,
            group_id=rows.query_of_row,
            group_weight=rows.per_row.get("group_weight") if weight is None else weight,
            baseline=rows.per_row.get("baseline"),
            subgroup_id=rows.per_row.get("subgroup_id"),
            **{name: params.get(name) for name in _LISTS_OF_FEATURES},
        )

    def predict(self, estimator: Any, X: Any, start: NDArray[Any]) -> FloatArray:
        """Predict and add the initial scores, as CatBoost's training does."""
        return np.asarray(estimator.predict(X) + start)

    def importances(self, estimator: Any) -> NDArray[Any]:
        """Return the importances of the features, for a ranking loss those of another type."""
        found = np.asarray(estimator.feature_importances_)
        if found.ndim:
            return found
        # CatBoost has None: the default type would need the training rows.
        return np.asarray(
            estimator.get_feature_importance(type="PredictionValuesChange")
        )

    def export(self, estimator: Any, path: Path, measure: str) -> None:
        """Write CatBoost's binary format, or its JSON."""
        exported = estimator.copy()
        exported.get_metadata()["measure"] = measure
        exported.save_model(
            str(path), format="json" if path.suffix == ".json" else "cbm"
        )


_LISTS_OF_FEATURES = ("cat_features", "text_features", "embedding_features")


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, list | tuple) else [given]


# By the name of the package and that of the class, so that no library has to be imported.
BOOSTERS: dict[tuple[str, str], Booster] = {
    ("lightgbm", "LGBMRanker"): LightGBM(needs_queries=True, is_watched=True),
    ("lightgbm", "LGBMRegressor"): LightGBM(is_watched=True),
    ("xgboost", "XGBRanker"): XGBoost(needs_queries=True, is_watched=True),
    ("xgboost", "XGBRFRegressor"): XGBoost(),  # of a single iteration
    ("xgboost", "XGBRegressor"): XGBoost(is_watched=True),
    ("catboost", "CatBoostRanker"): CatBoost(needs_queries=True, is_watched=True),
}


def booster_of(estimator: Any) -> Booster:
    """Return how an estimator, or the last step of a Pipeline, is handled."""
    for each in type(final_step(estimator)).__mro__:
        found = BOOSTERS.get((each.__module__.partition(".")[0], each.__name__))
        if found is not None:
            return found
    return Booster()
