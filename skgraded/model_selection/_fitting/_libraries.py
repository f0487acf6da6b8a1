"""How each library's ranker is told where the queries are, and stopped early by a measure."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from skgraded.lightgbm import EvalMetric
from skgraded.measures import Measure
from skgraded.rankings import Judgments

__all__ = [
    "QueryRows",
    "Validation",
    "Watched",
    "can_stop_early",
    "final_step",
    "fit_estimator",
    "importances_of",
    "reject_cluster_rankers",
    "stoppable",
]


@dataclasses.dataclass(frozen=True)
class QueryRows:
    """Rows that stand query by query.

    Attributes
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.
    y : ndarray of shape (n_documents,)
        Grades; NaN = unjudged, in rows to watch alone.
    sizes : ndarray of shape (n_queries,), int64
        Number of rows of each query.
    weight : ndarray of shape (n_documents,) or None
        Weight of each row.
    per_row : mapping of str to array-like of shape (n_documents,)
        Fit parameters with an entry per row, such as LightGBM's ``init_score``.
    """

    X: Any
    y: NDArray[Any]
    sizes: NDArray[np.int64]
    weight: NDArray[Any] | None
    per_row: Mapping[str, Any]

    @property
    def query_of_row(self) -> NDArray[np.int64]:
        """0, 1, ... for each row: ids in the ascending order that XGBoost insists on."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def starts(self) -> NDArray[np.int64]:
        """First row of each query."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def labels(self) -> NDArray[np.float64]:
        """A copy of the grades for a booster, which takes no NaN: 0 where a row is unjudged."""
        labels: NDArray[np.float64] = np.nan_to_num(self.y.astype(np.float64))
        return labels

    @property
    def judgments(self) -> Judgments:
        """Grades and weights by query, NaN included."""
        return Judgments.from_groups(self.y, self.sizes, self.weight)

    @property
    def query_weight(self) -> NDArray[np.float64] | None:
        """Mean weight of each query's rows."""
        if self.weight is None:
            return None
        return np.add.reduceat(self.weight, self.starts) / self.sizes

    def take(self, queries: NDArray[np.int64]) -> QueryRows:
        """Take the rows of some queries, in the order in which they stand."""
        taken = np.zeros(len(self.sizes), dtype=bool)
        taken[queries] = True
        rows = np.flatnonzero(np.repeat(taken, self.sizes))
        return self.at(rows, self.sizes[taken])

    def at(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> QueryRows:
        """Take some rows in a given order, which hold queries of the given sizes."""
        return QueryRows(
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            sizes=sizes,
            weight=None if self.weight is None else self.weight[rows],
            per_row={name: _safe_indexing(each, rows) for name, each in self.per_row.items()},
        )


@dataclasses.dataclass(frozen=True)
class Validation:
    """Whole queries held out, the measure to watch on them, and its patience."""

    rows: QueryRows
    measure: Measure
    rounds: int | None


class Watched(NamedTuple):
    """What was seen on the validation queries."""

    evals_result: dict[str, dict[str, list[float]]]
    best_iteration: int | None


Fit = Callable[[Any, QueryRows, Validation | None, dict[str, Any]], Watched | None]


def fit_estimator(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit an estimator on whole queries, each library in its own words."""
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, rows, validation, fit_params)
    weighted = {} if rows.weight is None else {"sample_weight": rows.weight}
    fit = _library_of(estimator).fit
    return fit(estimator, rows, validation, {**weighted, **rows.per_row, **fit_params})


def final_step(estimator: Any) -> Any:
    """Return what ranks: the last step of a Pipeline, or the estimator itself."""
    return final_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


def can_stop_early(estimator: Any) -> bool:
    """Whether the estimator's training can be watched and stopped by a measure."""
    return _library_of(final_step(estimator)).stops_early


def importances_of(estimator: Any) -> NDArray[Any]:
    """Return the importances of the features of a fitted estimator."""
    importances = np.asarray(estimator.feature_importances_)
    if importances.ndim:
        return importances
    # CatBoost's for a ranking loss would need the training rows; it has None without them.
    importances = estimator.get_feature_importance(type="PredictionValuesChange")
    return np.asarray(importances)


def reject_cluster_rankers(estimator: Any) -> None:
    """Raise where the estimator trains on a cluster, which has tools of its own."""
    name = type(final_step(estimator)).__name__
    if name.startswith("Dask"):
        raise TypeError(
            f"estimator must train on rows in memory, got {name}: fit it on Dask collections "
            "itself, and stop early with skgraded.dask.global_evaluation."
        )


def _fit_pipeline(
    pipeline: Pipeline,
    rows: QueryRows,
    validation: Validation | None,
    fit_params: dict[str, Any],
) -> Watched | None:
    """Fit the transformers, then the last step on what they return, validation queries included."""
    *before, last = pipeline.steps
    if before:
        transformers = pipeline[:-1]
        rows = dataclasses.replace(rows, X=transformers.fit_transform(rows.X, rows.y))
        if validation is not None:
            held_out = validation.rows
            transformed = dataclasses.replace(held_out, X=transformers.transform(held_out.X))
            validation = dataclasses.replace(validation, rows=transformed)
        # With a cache, the fitted transformers are copies of those in the pipeline.
        pipeline.steps = [*transformers.steps, last]
    return fit_estimator(last[1], rows, validation, fit_params)


def _fit_plain(
    estimator: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> None:
    estimator.fit(rows.X, rows.y, **fit_params)


def _fit_xgboost(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    if rows.weight is not None:
        fit_params["sample_weight"] = rows.query_weight
    ids = rows.query_of_row
    if validation is None:
        ranker.fit(rows.X, rows.y, qid=ids, **fit_params)
        return None
    _check_stopping(ranker)
    _check_stopping_of_xgboost(ranker, rows, validation)
    own = ranker.callbacks
    # First, so that the ranker's own callbacks find the measure recorded.
    ranker.set_params(callbacks=[_watch_in_xgboost(ranker, validation), *(own or [])])
    try:
        ranker.fit(rows.X, rows.y, qid=ids, **{"verbose": False, **fit_params})
    finally:
        ranker.set_params(callbacks=own)  # else the model would keep the held-out rows
    best = None if validation.rounds is None else ranker.best_iteration + 1
    return Watched(ranker.evals_result(), best)


def _check_stopping_of_xgboost(ranker: Any, rows: QueryRows, validation: Validation) -> None:
    if validation.rounds is not None and ranker.get_params().get("booster") == "gblinear":
        raise ValueError(
            "early_stopping_rounds is not supported for booster='gblinear', whose predictions take "
            f"all iterations and not the best: leave it None, got {validation.rounds}."
        )
    given = validation.rows.X
    if hasattr(rows.X, "columns") and not hasattr(given, "columns"):
        raise ValueError(
            f"eval_X must be a DataFrame as X is, got {type(given).__name__}: XGBRanker holds it "
            "against the names of the features."
        )


def _watch_in_xgboost(ranker: Any, validation: Validation) -> Any:
    """Make a callback that evaluates the held-out queries as the ranker reads features."""
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


def _fit_catboost(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    # Its pairwise losses, the default among them, know weights of groups alone.
    weight = _weight_by_row(rows)
    if weight is not None:
        fit_params["group_weight"] = weight
        del fit_params["sample_weight"]
    ids, params = rows.query_of_row, ranker.get_params()
    # scikit-learn can clone tuples alone, and CatBoost trains on lists alone.
    tuples = [name for name in _FEATURES_OF_CATBOOST if isinstance(params.get(name), tuple)]
    ranker.set_params(**{name: list(params[name]) for name in tuples})
    if validation is None:
        ranker.fit(rows.X, rows.y, group_id=ids, **fit_params)
        return None
    _check_stopping(ranker, _STOPPING_OF_CATBOOST)
    watching = _watch_in_catboost(ranker, rows, validation, fit_params)
    with warnings.catch_warnings():
        # It would compile the metric, which is compiled already.
        warnings.filterwarnings("ignore", "Failed to import numba", UserWarning)
        ranker.fit(rows.X, rows.y, group_id=ids, **{**fit_params, **watching})
    # Its best_iteration_ does not count the trees that init_model brings along.
    best = None if validation.rounds is None else ranker.tree_count_
    return Watched({"valid_0": ranker.get_evals_result()["validation"]}, best)


def _watch_in_catboost(
    ranker: Any, rows: QueryRows, validation: Validation, fit_params: dict[str, Any]
) -> dict[str, Any]:
    """Set the metric; return fit parameters by which CatBoost evaluates the held-out queries."""
    import catboost

    from skgraded.catboost import eval_metric

    held_out, params = validation.rows, ranker.get_params()
    sets = [
        (each.y, each.query_of_row, *([] if each.weight is None else [each.weight]))
        for each in (rows, held_out)
    ]
    ranker.set_params(eval_metric=eval_metric(validation.measure, *sets))
    named = {name: fit_params.get(name, params.get(name)) for name in _FEATURES_OF_CATBOOST}
    pool = catboost.Pool(
        held_out.X,
        held_out.labels,
        group_id=held_out.query_of_row,
        group_weight=_weight_by_row(held_out),
        **named,
    )
    stops = validation.rounds is not None
    return {
        "eval_set": pool,
        "use_best_model": stops,
        **({"early_stopping_rounds": validation.rounds} if stops else {}),
    }


def _weight_by_row(rows: QueryRows) -> NDArray[np.float64] | None:
    """Weight of each row's query."""
    return None if rows.query_weight is None else np.repeat(rows.query_weight, rows.sizes)


def _fit_lightgbm(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    if validation is None:
        ranker.fit(rows.X, rows.y, group=rows.sizes, **fit_params)
        return None
    _check_stopping(ranker)
    if not _METRIC.intersection(_given_params(ranker)):
        ranker.set_params(metric="None")  # else LightGBM adds its own ndcg@1..5
    watching = _watching(ranker, validation, fit_params)
    ranker.fit(rows.X, rows.y, group=rows.sizes, **{**fit_params, **watching})
    # 0 without stopping, also where LightGBM warns that it cannot stop (boosting_type="dart").
    return Watched(ranker.evals_result_, ranker.best_iteration_ or None)


def _watching(ranker: Any, validation: Validation, fit_params: dict[str, Any]) -> dict[str, Any]:
    """Fit parameters by which LightGBM evaluates the held-out queries and stops on the measure."""
    rows = validation.rows
    # LightGBM makes an array of lists for X alone. Its labels are a copy: it takes the very arrays
    # that it trains on for a training score, which has another name and stops nothing.
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
    ours = [each.measures for each in given if isinstance(each, EvalMetric)]
    others = [each for each in given if not isinstance(each, EvalMetric)]
    measures = tuple(dict.fromkeys([validation.measure, *chain.from_iterable(ours)]))
    return [_HeldOutMetric(measures, validation.rows.judgments), *others]


class _HeldOutMetric(EvalMetric):
    """Knows which rows are unjudged; LightGBM, which shows its labels, has 0 there."""

    def __init__(self, measures: tuple[Measure, ...], judgments: Judgments) -> None:
        super().__init__(measures, n_threads=1)
        self._judgments = judgments

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        return self.means(self._judgments, y_pred)

    def __reduce__(self) -> Any:
        return _HeldOutMetric, (self.measures, self._judgments)


def _listed(fit_params: dict[str, Any], name: str) -> list[Any]:
    given = fit_params.get(name)
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


# LightGBM's names of one parameter.
_METRIC = {"metric", "metrics", "metric_types"}
_STOPPING = {"early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"}

# CatBoost's, and the one metric that it stops on.
_STOPPING_OF_CATBOOST = _STOPPING | {
    "od_type",
    "od_wait",
    "od_pval",
    "use_best_model",
    "eval_metric",
}
_FEATURES_OF_CATBOOST = ("cat_features", "text_features", "embedding_features")


def _given_params(ranker: Any) -> set[str]:
    return {name for name, value in ranker.get_params().items() if value is not None}


def _check_stopping(ranker: Any, names: Collection[str] = _STOPPING) -> None:
    for name in sorted(_given_params(ranker).intersection(names)):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {ranker.get_params()[name]!r}."
        )


class _StopOn:
    """LightGBM's early stopping, shown one metric alone.

    LightGBM puts its own metrics first, and ``first_metric_only`` would watch those.
    """

    def __init__(self, metric: str, rounds: int) -> None:
        import lightgbm

        self._metric = metric
        self._stop = lightgbm.early_stopping(rounds, first_metric_only=True, verbose=False)
        # After the callback that records the values; LightGBM reads it from the instance alone.
        self.order = self._stop.order

    def __call__(self, env: Any) -> None:
        watched = [each for each in env.evaluation_result_list if each[1] == self._metric]
        replace = getattr(env, "_replace", None) or partial(dataclasses.replace, env)
        self._stop(replace(evaluation_result_list=watched))


class _Library(NamedTuple):
    fit: Fit
    stops_early: bool = False


_LIBRARIES = {
    ("lightgbm", "LGBMRanker"): _Library(_fit_lightgbm, stops_early=True),
    ("xgboost", "XGBRanker"): _Library(_fit_xgboost, stops_early=True),
    ("catboost", "CatBoostRanker"): _Library(_fit_catboost, stops_early=True),
}
_ANY_OTHER = _Library(_fit_plain)


def stoppable() -> str:
    """Names of the rankers whose training can be watched."""
    return ", ".join(name for (_, name), library in _LIBRARIES.items() if library.stops_early)


def _library_of(estimator: Any) -> _Library:
    """Found by name, so that no library is imported that the user has not."""
    for each in type(estimator).__mro__:
        found = _LIBRARIES.get((each.__module__.partition(".")[0], each.__name__))
        if found:
            return found
    return _ANY_OTHER
