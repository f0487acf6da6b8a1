"""Ranking measures inside XGBoost's training.

`objective` and `eval_metric` make functions that ``xgboost.train`` calls on its data sets.
XGBRanker accepts no such objective, and would average the values of such a metric by the sizes of
the queries. `evaluation` makes a callback, which both accept: it evaluates rows of its own, without
rounding, and stops early.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import xgboost
from numpy.typing import ArrayLike, NDArray
from xgboost.callback import CallbackContainer, EarlyStopping, TrainingCallback

from skgraded import _core
from skgraded._boosting._evaluator import (
    ChosenMeasure,
    DataSet,
    Evaluator,
    NamedMeasures,
    named_means,
    named_measures,
    parse_measure,
    refuse_taken_names,
)
from skgraded._boosting._lambdamart import LambdaMART, noise_or_none
from skgraded._guards import running, warn_about_queries
from skgraded._support.arguments import integer_or_none, number
from skgraded._support.array_types import FloatArray
from skgraded._support.keywords import suggests_keywords
from skgraded.measures import Measure
from skgraded.rankings import Judgments, read_columns, without_query_ids

__all__ = ["eval_metric", "evaluation", "objective"]


_CALLED_BY_QUERY = (
    "XGBRanker(eval_metric=eval_metric({0})) is not possible: XGBRanker calls a metric query by "
    "query and averages queries by their size. Use XGBRanker(callbacks=[skgraded.xgboost."
    "evaluation({0}, X=..., y=..., qid=...)]), or skgraded.QueryRanker."
)


@suggests_keywords
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
    not accept a callable objective; train with ``xgboost.train(params, dtrain, obj=...)``. A data
    set is read once in each training.

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
    averaged_noise = noise_or_none(noise, noise_scale, n_draws, random_state)
    cost = LambdaMART(
        parse_measure(measure, "objective"),
        sigmoid=sigmoid,
        truncation_level=truncation_level,
        norm=norm,
        noise=averaged_noise,
        n_threads=n_threads,
    )
    return _Objective(cost)


@suggests_keywords
def eval_metric(
    *measures: ChosenMeasure, n_threads: int | None = None
) -> Callable[[ArrayLike, xgboost.DMatrix], list[tuple[str, float]]]:
    """Make an evaluation function for XGBoost from one measure or several.

    It is for ``xgboost.train(custom_metric=...)`` and ``xgboost.cv(custom_metric=...)``. XGBRanker
    cannot call it, because it would average queries by their size: give it the callback that
    `evaluation` makes, or a `skgraded.QueryRanker` around it ``eval_metric={"ap": "AP"}`` in `fit`.

    XGBoost rounds the values to six decimals, and its early stopping takes smaller values for
    better unless ``maximize=True`` is passed to ``xgboost.train``; without it, stopping by a
    measure of which greater is better is an error. `evaluation` has neither limit.

    Without ``folds``, ``xgboost.cv`` keeps queries whole by itself. A data set is read once in each
    training.

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
        If no measure is given, one is unknown, a name holds white space or a colon or is that of a
        metric of boosters, such as ``"ndcg@10"``, or two measures have the same name. In training:
        if the data set has no query ids, no query is left to take the mean over, early stopping
        would take a lower value of the measure for better, or XGBRanker calls the metric.

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
    by_name = named_measures(measures, "eval_metric")
    for name, measure in by_name:
        # The string of a Blend has colons.
        if ":" in name:
            raise ValueError(
                "The name of a measure must be a string without white space and colons, got "
                f"{name!r}: choose one, eval_metric({{'name': {str(measure)!r}}})."
            )
    return _EvalMetric(Evaluator(by_name, n_threads))


@suggests_keywords
def evaluation(
    *measures: ChosenMeasure,
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    base_margin: ArrayLike | None = None,
    missing: float | None = None,
    rounds: int | None = None,
    min_delta: float = 0.0,
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
        Features to evaluate on.
    y : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant; NaN = unjudged. Or what `query_target` makes of them.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order, where neither X nor y holds them.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.
    base_margin : array-like of shape (n_documents,), optional
        Score from which the model starts in each row, where the rows to train on have one.
    missing : float, optional
        The value of a feature that is taken for missing. By default it is that of the estimator
        that trains, and NaN for ``xgboost.train``.
    rounds : int, optional
        Stop when the first measure has not improved for this many iterations; the model then keeps
        the iterations up to the best one. With None, values are only recorded.
    min_delta : float, default=0.0
        A value counts as an improvement if it is better than the best one by more than this. Only
        with `rounds`.
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
    TypeError
        In training, if ``xgboost.cv`` calls it, which trains a model in each fold.
    ValueError
        If no measure is given, one is unknown, a name is not as in `eval_metric`, two measures
        have the same name, an argument is out of its range, there are no query ids, or columns
        contradict each other. In training: if no query is left to take the mean over; if a value of
        that name is recorded on rows of that name already; or if early stopping of XGBoost's own
        would take a lower value of the measure for better.

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

    Notes
    -----
    A booster ``"dart"`` that drops trees (``rate_drop``, ``one_drop``) changes earlier trees in
    later iterations, so that its best iteration is not the model that was evaluated: leave `rounds`
    None for it.

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
        y,
        qid,
        named=("y", "qid"),
        X=X,
        sample_weight=sample_weight,
        base_margin=base_margin,
    )
    judgments = Judgments(columns.require_ids())
    warn_about_queries(judgments)

    make_data: Any = partial(
        xgboost.DMatrix,
        without_query_ids(X),
        base_margin=base_margin,
        enable_categorical=True,
    )
    if missing is not None:
        make_data = partial(make_data, missing=missing)
    rounds = integer_or_none("rounds", rounds, 1, "recording without stopping")
    by_name = named_measures(measures, "evaluation")
    Evaluator(by_name, n_threads).warn_if_constant(judgments)
    min_delta = number("min_delta", min_delta, at_least=0.0)
    if min_delta and rounds is None:
        raise ValueError(
            "min_delta needs rounds, which counts improvements by more than it."
        )
    return _Evaluation(
        by_name, make_data, judgments, rounds, name, n_threads, min_delta=min_delta
    )


@dataclass(eq=False, repr=False)  # all rows would be shown
class _Evaluation(TrainingCallback):
    """The callback of `evaluation`."""

    named: NamedMeasures
    features: Callable[[], xgboost.DMatrix]
    judgments: Judgments
    rounds: int | None
    name: str
    n_threads: int | None = None
    save_best: bool = True
    min_delta: float = 0.0

    def before_training(self, model: Any) -> Any:
        """Start anew, since one callback may serve several trainings, one after the other."""
        if not isinstance(model, xgboost.Booster):
            raise TypeError(
                "evaluation evaluates one model, and xgboost.cv trains one in each fold: pass "
                "xgboost.cv(custom_metric=eval_metric(...), maximize=True)."
            )
        self._refuse_other_starts()
        features: Any = self.features
        estimator = next(running(xgboost.XGBModel), None)
        # Rows that an estimator trains on and these have one mark of missing values.
        if estimator is not None and "missing" not in _keywords_of(features):
            features = partial(features, missing=estimator.missing)
        self._data: xgboost.DMatrix | None = features()
        self._record: dict[str, list[float]] | None = None
        self._stop: EarlyStopping | None = None
        if self.rounds is None:
            _refuse_wrong_direction(self.named, self.name)
            return model

        argument = "rounds" if self.save_best else "early_stopping_rounds"
        _refuse_unmeasured_models(model, argument)
        name, measure = self.named[0]
        self._stop = EarlyStopping(
            rounds=self.rounds,
            metric_name=name,
            data_name=self.name,
            maximize=measure.greater_is_better,
            save_best=self.save_best,
            min_delta=self.min_delta,
        )
        return self._stop.before_training(model)

    def _refuse_other_starts(self) -> None:
        """Raise where the training starts from initial scores, and these rows do not."""
        data = next(running(xgboost.DMatrix), None)
        starts_from_scores = data is not None and data.get_base_margin().size > 0
        keywords = _keywords_of(self.features)
        if starts_from_scores and keywords.get("base_margin") is None:
            raise ValueError(
                "base_margin must be given to evaluation for its rows, got None: the training "
                "starts from initial scores, which the values would lack."
            )

    def after_iteration(
        self, model: Any, epoch: int, evals_log: dict[str, Any]
    ) -> bool:
        """Evaluate and record; return whether to stop."""
        scores = model.predict(self._data)
        rankings = self.judgments.rank(scores, self.n_threads)

        # Only after an iteration is it known what XGBoost itself records of these rows.
        if self._record is None:
            refuse_taken_names(self.named, evals_log.get(self.name, {}), "XGBoost")
            self._record = evals_log.setdefault(self.name, {})
        for name, mean in named_means(self.named, rankings):
            self._record.setdefault(name, []).append(mean)

        if self._stop is None:
            return False
        return self._stop.after_iteration(model, epoch, evals_log)

    def after_training(self, model: Any) -> Any:
        """Drop the data set that was made of the features."""
        stop = self._stop
        self._data = None
        self._stop = None
        self._record = None
        return model if stop is None else stop.after_training(model)


def _keywords_of(features: Callable[[], xgboost.DMatrix]) -> dict[str, Any]:
    """Return the keywords by which a data set is made."""
    return features.keywords if isinstance(features, partial) else {}


def _refuse_unmeasured_models(model: xgboost.Booster, argument: str) -> None:
    """Raise where the model of the best iteration is not the one that was measured then.

    DART weighs earlier trees anew in later iterations, and a linear model has no earlier one.
    """
    booster = json.loads(model.save_config())["learner"]["gradient_booster"]
    drops = booster.get("dart_train_param", {})
    is_linear = booster["name"] == "gblinear"
    if is_linear or float(drops.get("rate_drop", 0)) or int(drops.get("one_drop", 0)):
        raise ValueError(
            f"{argument} must be None with booster={booster['name']!r}, whose model of an earlier "
            "iteration is not kept, so that the best one could not be used: train a number of "
            "iterations, and record the measure."
        )


class _KnownRows(NamedTuple):
    """A data set that was read.

    Attributes
    ----------
    rows : (Judgments, ndarray or None)
        Its judgments and the weights of its rows.
    content : int or None
        Digest of what was read.
    training : weakref or None
        The callbacks of the training that read it, in which it does not change.
    """

    rows: _JudgedRows
    content: int | None
    training: weakref.ref[Any] | None

    def is_of(self, training: Any) -> bool:
        """Whether it was read in a training."""
        return self.training is not None and self.training() is training


class _DataSets:
    """Data sets with their judgments, read once in each training: getters take long.

    Labels, weights and queries may be set anew between trainings. A copy starts without data sets.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[xgboost.DMatrix, _KnownRows] = (
            WeakKeyDictionary()
        )

    def __reduce__(self) -> Any:
        return _DataSets, ()

    def find(
        self,
        data: xgboost.DMatrix,
        on_first_use: Callable[[Judgments], None] | None = None,
    ) -> _JudgedRows:
        """Return the judgments and the weights of rows, which the first call reads."""
        training = next(running(CallbackContainer), None)
        known = self._known.get(data)
        if known is not None and training is not None and known.is_of(training):
            return known.rows

        read = _read(data)
        content = _core.digest(read)
        is_same = known is not None and content is not None and known.content == content
        if is_same and known is not None:
            rows = known.rows
        else:
            judgments = Judgments.from_groups(read.labels, read.sizes, read.weight)
            rows = (judgments, read.weight)
            if on_first_use is not None:
                on_first_use(judgments)

        token = None if training is None else weakref.ref(training)
        self._known[data] = _KnownRows(rows, content, token)
        return rows


_JudgedRows = tuple[Judgments, NDArray[Any] | None]


def _read(data: xgboost.DMatrix) -> DataSet:
    """Read what a measure needs; raise where the data set has no queries."""
    starts = data.get_uint_info("group_ptr")
    labels = data.get_label()
    weight = data.get_weight()
    if len(starts) == 0:
        raise ValueError(
            "The data set does not say which rows make up a query: make the DMatrix with qid=... "
            "(ascending) or group=... (sizes)."
        )
    if labels.size > starts[-1]:
        raise ValueError(
            "The label of a DMatrix must have one column for a measure of rankings, got "
            f"{labels.size // starts[-1]}. Give one grade to each row."
        )

    sizes = np.diff(starts.astype(np.int64))
    if len(weight) == len(sizes):
        weight = np.repeat(weight, sizes)
    weight_of_rows = weight if len(weight) else None
    return DataSet(labels, weight_of_rows, sizes)


@dataclass(frozen=True, repr=False)
class _Objective:
    """The objective as XGBoost calls it."""

    _cost: LambdaMART
    _data_sets: _DataSets = field(default_factory=_DataSets, init=False, compare=False)

    def __call__(
        self, y_score: Any, data: xgboost.DMatrix
    ) -> tuple[FloatArray, FloatArray]:
        judgments, weight = self._data_sets.find(data)
        return self._cost.derivatives(judgments, y_score, weight)

    def __repr__(self) -> str:
        return str(self._cost)


@dataclass(frozen=True, repr=False)
class _EvalMetric:
    """The metric as XGBoost calls it."""

    _evaluator: Evaluator
    _data_sets: _DataSets = field(default_factory=_DataSets, init=False, compare=False)

    def __call__(self, y_score: Any, data: xgboost.DMatrix) -> list[tuple[str, float]]:
        if not isinstance(data, xgboost.DMatrix):
            raise ValueError(_CALLED_BY_QUERY.format(self._evaluator))
        _refuse_wrong_direction(self._evaluator.named)
        judgments, _ = self._data_sets.find(data, self._evaluator.warn_if_constant)
        return self._evaluator.means_on(judgments, y_score)

    def __repr__(self) -> str:
        return f"eval_metric({self._evaluator})"


def _refuse_wrong_direction(
    measures: NamedMeasures, data_name: str | None = None
) -> None:
    """Raise where XGBoost's early stopping takes the worse values of a measure for the better ones.

    It minimises whatever it does not know by name, and would keep the first tree. A metric gets no
    other sight of the callbacks than the stack.

    Parameters
    ----------
    measures : tuple of (str, Measure)
        The measures with their names.
    data_name : str, optional
        The data set that alone has these names.
    """
    container = next(running(CallbackContainer), None)
    if container is None:
        return

    by_name = dict(measures)
    for stop in container.callbacks:
        if not isinstance(stop, EarlyStopping):
            continue
        if stop.data not in (None, data_name or stop.data):
            continue

        # Without names, XGBoost watches the last metric of the last data set, and ours come last.
        name = stop.metric_name or measures[-1][0]
        maximises = _maximises(stop, name)
        if name in by_name and maximises != by_name[name].greater_is_better:
            direction = "minimise" if maximises else "maximise"
            raise ValueError(
                f"Early stopping must {direction} {name}: pass maximize={not maximises} to "
                "xgboost.train or xgboost.callback.EarlyStopping, or stop early by "
                "skgraded.xgboost.evaluation(..., rounds=...)."
            )


def _maximises(stop: EarlyStopping, name: str) -> bool:
    """Whether XGBoost's early stopping takes greater values of a metric for the better ones."""
    if stop.maximize is not None:
        return bool(stop.maximize)
    return name != "mape" and name.startswith(("auc", "pre", "map", "ndcg"))
