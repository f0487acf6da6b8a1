"""Ranking measures inside XGBoost's training.

`objective` and `eval_metric` make functions that ``xgboost.train`` calls on its data sets.
XGBRanker accepts no such objective, and would average the values of such a metric by the sizes of
the queries. `evaluation` makes a callback, which both accept: it evaluates rows of its own, without
rounding, and stops early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import xgboost
from numpy.typing import ArrayLike, NDArray
from xgboost.callback import EarlyStopping, TrainingCallback

from skgraded._guards import warn_about_scored_queries
from skgraded._support.arguments import integer_or_none
from skgraded.boosting._evaluator import (
    ChosenMeasure,
    Evaluator,
    NamedMeasures,
    named_means,
    named_measures,
)
from skgraded.boosting._judged_sets import rank_in_training
from skgraded.boosting._objective import Objective, make_objective
from skgraded.boosting._xgboost_data import read_data_set
from skgraded.boosting._xgboost_runs import (
    Features,
    RunChecks,
    refuse_recorded_names,
    refuse_second_stopping,
    refuse_several_models,
    refuse_unstoppable,
    refuse_wrong_direction,
)
from skgraded.measures import Measure
from skgraded.rankings import Judgments, read_columns, without_query_ids

__all__ = ["eval_metric", "evaluation", "objective"]

FloatArray = NDArray[np.float64]

_CALLED_BY_QUERY = (
    "XGBRanker(eval_metric=eval_metric({0})) is not possible: XGBRanker calls a metric query by "
    "query and averages queries by their size. Use XGBRanker(callbacks=[skgraded.xgboost."
    "evaluation({0}, X=..., y=..., qid=...)]), or skgraded.QueryRanker."
)


def objective(
    measure: str | Measure,
    *,
    sigmoid: float = 1.0,
    truncation_level: int | None = 30,
    norm: bool = True,
    noise: Literal["gumbel", "logistic"] | None = None,
    noise_scale: float = 0.5,
    n_draws: int = 3,
    random_state: int = 0,
    n_threads: int | None = None,
) -> Callable[[ArrayLike, xgboost.DMatrix], tuple[FloatArray, FloatArray]]:
    """Make a training objective for ``xgboost.train`` from a measure: LambdaMART.

    The formula, ties, noise and limits are those of `skgraded.lightgbm.objective`. XGBRanker does
    not accept a callable objective; train with ``xgboost.train(params, dtrain, obj=...)``.

    Parameters
    ----------
    measure : str or Measure
        The measure to train for.
    sigmoid : float, default=1.0
        Steepness of the logistic loss.
    truncation_level : int or None, default=30
        Only pairs with a document among this many first ranks count; None counts all pairs.
    norm : bool, default=True
        Whether to normalize the derivatives of each query.
    noise : {"gumbel", "logistic"} or None, default=None
        Distribution of random numbers that are added to the scores; the derivatives are then means
        over several draws.
    noise_scale : float, default=0.5
        Factor of the numbers, in standard deviations of the scores of each query. Only with
        `noise`.
    n_draws : int, default=3
        Number of draws in each iteration. Only with `noise`.
    random_state : int, default=0
        Seed of the draws. Only with `noise`.
    n_threads : int, optional
        Threads for sorting and derivatives: None is one, -1 all processors. The derivatives do not
        depend on it.

    Returns
    -------
    callable
        Called by XGBoost with (scores, data set); returns gradient and Hessian.

    Raises
    ------
    ValueError
        If the measure does not have the prefix form, or an argument is out of its range. In
        training: if the data set has no query ids, the labels do not fit the measure, or scores are
        no longer finite.

    Warns
    -----
    GradeScaleWarning
        If the measure names g but no ``max_grade``.
    LongQueryWarning
        In training, if ``truncation_level=None`` counts all pairs of a query of more than 10,000
        documents.

    See Also
    --------
    evaluation : Stop early by a measure.
    skgraded.lightgbm.objective : The same for LightGBM, with the formula.

    Examples
    --------
    >>> import xgboost
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.xgboost import objective
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> booster = xgboost.train(
    ...     {"eta": 0.1, "nthread": 1},
    ...     xgboost.DMatrix(X, y, qid=qid),
    ...     num_boost_round=5,
    ...     obj=objective("xGAP(g=[0.1,0.2,0.3,0.4])"),
    ... )
    >>> booster.num_boosted_rounds()
    5
    """
    return _Objective(
        make_objective(
            measure,
            sigmoid=sigmoid,
            truncation_level=truncation_level,
            norm=norm,
            noise=noise,
            noise_scale=noise_scale,
            n_draws=n_draws,
            random_state=random_state,
            n_threads=n_threads,
        )
    )


def eval_metric(
    *measures: ChosenMeasure, n_threads: int | None = None
) -> Callable[[ArrayLike, xgboost.DMatrix], list[tuple[str, float]]]:
    """Make an evaluation function for XGBoost from one measure or several.

    It is for ``xgboost.train(custom_metric=...)`` and ``xgboost.cv(custom_metric=...)``, and for
    ``XGBRanker(eval_metric=...)`` inside a `skgraded.QueryRanker`, which records its measures on
    the validation queries. XGBRanker alone cannot call it, because it would average queries by
    their size; give it the callback that `evaluation` makes.

    XGBoost rounds the values to six decimals, and its early stopping takes smaller values for
    better unless ``maximize=True`` is passed to ``xgboost.train``; without it, stopping by a
    measure of which greater is better is an error. `evaluation` has neither limit.

    Without ``folds``, ``xgboost.cv`` keeps queries whole by itself.

    Parameters
    ----------
    *measures : str, Measure or mapping of str to str or Measure
        The measures; the keys of a mapping are the names under which XGBoost reports its measures,
        as in ``eval_metric({"ndcg_10": "nDCG@10"})``.
    n_threads : int, optional
        Threads for sorting and scoring: None is one, -1 all processors. Values do not depend on it.

    Returns
    -------
    callable
        Called by XGBoost with (scores, data set); returns a list of (name, mean).

    Raises
    ------
    ValueError
        If no measure is given, one is unknown, a name holds white space or a colon, or two measures
        have the same name. In training: if the data set has no query ids,
        no query is left to take the mean over, early stopping would take a lower value of the
        measure for better, XGBoost reports a metric of its own under one of the names, or XGBRanker
        calls the metric.

    Warns
    -----
    GradeScaleWarning
        If a measure names g but no ``max_grade``.

    See Also
    --------
    evaluation : A callback with exact values, which also stops early, for XGBRanker too.
    skgraded.lightgbm.eval_metric : The same for LightGBM.
    skgraded.catboost.eval_metric : The same for CatBoost.

    Examples
    --------
    >>> import numpy as np
    >>> import xgboost
    >>> from skgraded.xgboost import eval_metric
    >>> data = xgboost.DMatrix(np.zeros((3, 1)), [0, 2, 1], group=[3])
    >>> eval_metric("AP", "nDCG@1")(np.array([0.1, 0.3, 0.2]), data)
    [('AP', 1.0), ('nDCG@1', 1.0)]
    """
    named = named_measures(measures, "eval_metric")
    for name, each in named:
        if ":" in name:
            raise ValueError(
                "The name of a measure must be a string without white space and colons, got "
                f"{name!r}: choose one, eval_metric({{'name': {str(each)!r}}})."
            )
    return _EvalMetric(Evaluator(named, n_threads))


def evaluation(
    *measures: ChosenMeasure,
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    base_margin: ArrayLike | None = None,
    missing: float = np.nan,
    rounds: int | None = None,
    name: str = "validation",
    n_threads: int | None = None,
) -> TrainingCallback:
    """Make a callback that evaluates measures in each iteration and stops early by the first.

    For ``XGBRanker(callbacks=[...])`` and ``xgboost.train(callbacks=[...])``. Unlike the function
    that `eval_metric` makes, which XGBoost calls on its own data sets, the callback evaluates rows
    of its own. Values are means over queries in double precision, and early stopping knows for each
    measure whether greater is better. XGBRanker's own ``eval_metric``, in contrast, averages
    queries by their size, rounds to six decimals and minimises.

    Parameters
    ----------
    *measures : str, Measure or mapping of str to str or Measure
        The measures; `rounds` watches the first. The keys of a mapping are the names under which
        its measures are recorded.
    X : array-like of shape (n_documents, n_features)
        Features to evaluate on, or anything else that ``xgboost.DMatrix`` takes.
    y : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant; NaN = unjudged. Or what `query_target` makes of them.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order, where neither X nor y holds them.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.
    base_margin : array-like of shape (n_documents,), optional
        Score from which the model starts in each row, where the rows to train on have one.
    missing : float, default=nan
        The value of a feature that is taken for missing, as in the model's parameter `missing`.
    rounds : int, optional
        Stop when the first measure has not improved for this many iterations; the model then keeps
        the iterations up to the best one. With None, values are only recorded.
    name : str, default="validation"
        Name of the rows among the recorded results.
    n_threads : int, optional
        Threads for sorting and scoring: None is one, -1 all processors. Values do not depend on it.

    Returns
    -------
    xgboost.callback.TrainingCallback
        The callback. Its values are in ``evals_result()`` of XGBRanker and in the ``evals_result``
        of ``xgboost.train``.

    Raises
    ------
    ValueError
        If no measure is given, one is unknown, a name holds white space or a colon, two measures
        have the same name, an argument is out of its range, there are no query ids, or columns
        contradict each other. In training: if no query is left to take the mean over; if XGBoost
        reports a metric of its own under one of the names; or if the
        measure would watch another model than the one that predicts, because `missing` is not that
        of the model, `base_margin` is given for some rows and not for others, `rounds` are given
        and the booster is ``"gblinear"`` or drops trees (``rate_drop``, ``one_drop``), or another
        callback stops the training too.

    Warns
    -----
    GradeScaleWarning
        If a measure names g but no ``max_grade``.
    QueryIdsWarning
        If the query ids look like group sizes.
    CutQueriesWarning
        If queries lack rows, as `query_target`, `query_series` or `query_ids` has counted them.

    See Also
    --------
    eval_metric : Measures on the data sets of ``xgboost.train`` and ``xgboost.cv``.
    skgraded.QueryRanker : Holds out validation queries and stops early on them by itself.

    Examples
    --------
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.xgboost import evaluation
    >>> from xgboost import XGBRanker
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> watch = evaluation("xGAP(max_grade=4)", X=X[600:], y=y[600:], qid=qid[600:], rounds=3)
    >>> ranker = XGBRanker(n_estimators=40, callbacks=[watch], n_jobs=1)
    >>> ranker = ranker.fit(X[:600], y[:600], qid=qid[:600], verbose=False)
    >>> values = ranker.evals_result()["validation"]["xGAP(max_grade=4)"]
    >>> ranker.best_iteration == values.index(max(values))
    True
    """
    columns = read_columns(
        y, qid, named=("y", "qid"), X=X, sample_weight=sample_weight, base_margin=base_margin
    )
    judgments = Judgments(columns.require_ids())
    warn_about_scored_queries(judgments)
    return _Evaluation(
        Evaluator(named_measures(measures, "evaluation"), n_threads),
        Features(without_query_ids(X), missing, base_margin),
        judgments,
        rounds=integer_or_none("rounds", rounds, 1, "recording without stopping"),
        name=name,
    )


class _Evaluation(TrainingCallback):
    """The callback of `evaluation`."""

    def __init__(
        self,
        evaluator: Evaluator,
        features: Features,
        judgments: Judgments,
        *,
        rounds: int | None,
        name: str,
        save_best: bool = True,
    ) -> None:
        super().__init__()
        self.evaluator = evaluator
        self.features = features
        self.judgments = judgments
        self.rounds = rounds
        self.name = name
        self.save_best = save_best
        self._data: xgboost.DMatrix | None = None
        self._stop: EarlyStopping | None = None

    def before_training(self, model: Any) -> Any:
        """Start anew, since one callback may serve several trainings, one after the other."""
        refuse_several_models(model)
        self._data = self.features.read()
        if self.rounds is None:
            refuse_wrong_direction(self.evaluator.named, self.name)
            return model
        refuse_unstoppable(model, self.rounds)
        refuse_second_stopping(type(self))
        name, first = self.evaluator.named[0]
        self._stop = EarlyStopping(
            rounds=self.rounds,
            metric_name=name,
            data_name=self.name,
            maximize=first.greater_is_better,
            save_best=self.save_best,
        )
        return self._stop.before_training(model)

    def after_iteration(self, model: Any, epoch: int, evals_log: dict[str, Any]) -> bool:
        """Evaluate and record; return whether to stop."""
        scores = model.predict(self._data)
        rankings = rank_in_training(self.judgments, scores, self.evaluator.n_threads, epoch + 1)
        refuse_recorded_names(self.evaluator.named, model, evals_log)
        record = evals_log.setdefault(self.name, {})
        for name, mean in named_means(self.evaluator.named, rankings):
            record.setdefault(name, []).append(mean)
        return self._stop is not None and self._stop.after_iteration(model, epoch, evals_log)

    def after_training(self, model: Any) -> Any:
        """Drop the data set that was made of the features."""
        stop, self._data, self._stop = self._stop, None, None
        return model if stop is None else stop.after_training(model)


@dataclass(frozen=True, repr=False)
class _Objective:
    """The objective as XGBoost calls it."""

    _objective: Objective

    def __call__(self, y_score: Any, data: xgboost.DMatrix) -> tuple[FloatArray, FloatArray]:
        return self._objective.derivatives(y_score, read_data_set(data))

    def __repr__(self) -> str:
        return str(self._objective)


@dataclass(frozen=True, repr=False)
class _EvalMetric:
    """The metric as XGBoost calls it."""

    _evaluator: Evaluator
    _checks: RunChecks = field(default_factory=RunChecks, init=False, compare=False)

    @property
    def named(self) -> NamedMeasures:
        return self._evaluator.named

    def __call__(self, y_score: Any, data: xgboost.DMatrix) -> list[tuple[str, float]]:
        if not hasattr(data, "get_uint_info"):
            raise ValueError(_CALLED_BY_QUERY.format(self._evaluator))
        self._checks.run(self.named, data)
        return self._evaluator.means(y_score, read_data_set(data))

    def __reduce__(self) -> Any:
        return _EvalMetric, (self._evaluator,)  # without the models of this process

    def __repr__(self) -> str:
        return f"eval_metric({self._evaluator})"
