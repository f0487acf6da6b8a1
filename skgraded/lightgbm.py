"""Ranking measures inside LightGBM's training."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from skgraded._boosting._evaluator import (
    ChosenMeasure,
    DataSet,
    Evaluator,
    JudgedSets,
    NamedMeasures,
    as_argument,
    named_measures,
    parse_measure,
    refuse_bagging_by_query,
    refuse_taken_names,
)
from skgraded._boosting._lambdamart import LambdaMART, noise_or_none
from skgraded._guards import refuse_cut_queries, running
from skgraded._support.arguments import flag, integer, number, threads
from skgraded._support.array_types import FloatArray
from skgraded._support.keywords import suggests_keywords
from skgraded._support.lazy import cached_property
from skgraded.measures import Measure
from skgraded.rankings import Judgments

__all__ = ["early_stopping", "eval_metric", "objective"]


_NO_GROUP = (
    "The query sizes are missing (group=None). LightGBM passes them only\n"
    "- if the data set has them: LGBMRanker.fit(..., group=..., eval_group=[...]) or "
    "lightgbm.Dataset(..., group=...);\n"
    "- to a callable with exactly four parameters: pass eval_metric(...) itself, not a "
    "function that calls it."
)


@suggests_keywords
def objective(
    measure: str | Measure | None = None,
    *,
    sigmoid: float = 1.0,
    truncation_level: int | None = 30,
    norm: bool = True,
    noise: Literal["gumbel", "logistic"] | None = None,
    noise_scale: float = 0.5,
    n_draws: int = 3,
    random_state: int = 0,
    n_threads: int | None = None,
) -> Callable[..., tuple[FloatArray, FloatArray]]:
    r"""Make a training objective for LightGBM from a measure: LambdaMART.

    One object serves ``LGBMRanker(objective=...)`` and ``lightgbm.train({"objective": ...})``.
    With ``nDCG(gain="exp2", ties="row_order")`` it is LightGBM's own ``"lambdarank"`` [1]_; every
    other measure of the prefix form takes nDCG's place. The cost of a query is

    .. math:: C = \sum_{(i, j):\, r_i > r_j} w_{ij} \log\bigl(1 + e^{-\sigma (s_i - s_j)}\bigr)

    over the pairs of documents of unequal grade with at least one document among the first
    `truncation_level` ranks; r are grades, s scores, and :math:`\sigma` is `sigmoid`. The weight
    w_ij is the absolute change in the measure if the two documents swapped their ranks; the
    gradient treats it as a constant. With `norm` it is divided by 0.01 + ``|s_i - s_j|``, unless
    all scores of the query are tied, as in the first iteration. All derivatives of a query are then
    multiplied by log2(1 + S) / S, where S is the sum of the absolute lambdas.

    Parameters
    ----------
    measure : str or Measure, optional
        The measure to train for; None takes that of the QueryRanker around the model. One with
        ``normalize`` and no cut-off is normalized by the ideal value at `truncation_level`.
    sigmoid : float, default=1.0
        Steepness of the logistic loss.
    truncation_level : int or None, default=30
        Only pairs with a document among this many first ranks count; None counts all pairs.
    norm : bool, default=True
        Whether to normalize as described above. Without it, derivatives are as large as the changes
        of the measure: lower LightGBM's ``min_sum_hessian_in_leaf``.
    noise : {"gumbel", "logistic"} or None, default=None
        Distribution of random numbers e that are added to the scores: each becomes
        s + `noise_scale` d e, where d is the standard deviation of the scores of its query. The
        derivatives are the means over `n_draws` draws. CatBoost's YetiRank [2]_ does likewise.
    noise_scale : float, default=0.5
        Factor of the numbers.
    n_draws : int, default=3
        Number of draws in each iteration.
    random_state : int, default=0
        Seed of the draws, which also depend on grades and scores in the order of their rows.
    n_threads : int, optional
        Threads for sorting and derivatives: None is one, -1 all processors. The derivatives do not
        depend on it.

    Returns
    -------
    callable
        Called by LightGBM; returns gradient and Hessian.

    Raises
    ------
    ValueError
        If the measure does not have the prefix form, or an argument is out of its range. In
        training: if query sizes are missing or wrong, the data set cuts queries or has positions,
        labels do not fit the measure, or scores are not finite.

    Warns
    -----
    GradeScaleWarning
        If the measure names g but no ``max_grade``: g would change with the grades of the data set.
    LongQueryWarning
        In training, if ``truncation_level=None`` counts all pairs of a query of more than 10,000
        documents. LightGBM's own ndcg refuses such queries; ``metric="None"`` leaves it out.

    Notes
    -----
    Under ties the field ``ties`` of the measure decides. With ``"expected"``, the default, the
    grades of a tied block are put into an order that is drawn from these grades alone, and
    documents of the same grade share the mean of their derivatives.

    References
    ----------
    .. [1] C. J. C. Burges (2010), "From RankNet to LambdaRank to LambdaMART: An Overview",
       Microsoft Research MSR-TR-2010-82.
    .. [2] A. Gulin, I. Kuralenok, D. Pavlov (2011), "Winning the Transfer Learning Track of Yahoo's
       Learning to Rank Challenge with YetiRank", JMLR Workshop and Conference Proceedings 14.

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.lightgbm import objective
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> ranker = LGBMRanker(
    ...     objective=objective("xGAP(g=[0.1,0.2,0.3,0.4])"), n_estimators=5, n_jobs=1, verbose=-1
    ... )
    >>> ranker.fit(X, y, group=[20] * 40).n_estimators_
    5
    """
    averaged_noise = noise_or_none(noise, noise_scale, n_draws, random_state)
    cost = LambdaMART(
        parse_measure(_ANY if measure is None else measure, "objective"),
        sigmoid=sigmoid,
        truncation_level=truncation_level,
        norm=norm,
        noise=averaged_noise,
        n_threads=n_threads,
    )
    return _ObjectiveOfRanker(cost) if measure is None else _Objective(cost)


# The measure by which options are checked where the ranker's measure is not known yet.
_ANY = "nDCG"


@dataclass(frozen=True, repr=False)
class _Objective:
    """The objective as LightGBM calls it.

    LightGBM counts the parameters of ``__call__``: only with exactly four does it pass query sizes.
    """

    _cost: LambdaMART
    _judged_sets: JudgedSets = field(
        default_factory=JudgedSets, init=False, compare=False
    )

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        _refuse_positions(y_pred)
        scores, data = _scores_and_data(y_true, y_pred, weight, group)
        judgments = self._judged_sets.find(data, _refuse_params_of_training)
        return self._cost.derivatives(judgments, scores, data.weight)

    def __repr__(self) -> str:
        return str(self._cost)


@dataclass(frozen=True, repr=False)
class _ObjectiveOfRanker:
    """An objective whose measure is that of the QueryRanker around it."""

    _cost_of_any: LambdaMART

    def for_measure(
        self, measure: Measure
    ) -> Callable[..., tuple[FloatArray, FloatArray]]:
        """Return the objective of a measure, with the same options."""
        return _Objective(dataclasses.replace(self._cost_of_any, measure=measure))

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> Any:
        raise ValueError(
            'measure must be given outside a QueryRanker, as in objective("xGAP@10"), got none.'
        )

    def __repr__(self) -> str:
        return re.sub(rf"'{_ANY}'(, )?", "", str(self._cost_of_any))


def _refuse_params_of_training(judgments: Judgments) -> None:
    """Raise where the training that has new judgments cannot have a callable objective."""
    from lightgbm import Booster

    booster = next(running(Booster), None)
    if booster is not None:
        refuse_bagging_by_query(booster.params)


def _refuse_positions(data: Any) -> None:
    """Raise where a data set has the positions at which documents were shown."""
    if hasattr(data, "get_position") and data.get_position() is not None:
        raise ValueError(
            "position must be left out of lightgbm.Dataset with this objective, which does not "
            'model the bias of positions, as LightGBM\'s "lambdarank" does: train with that, and '
            "stop early by the measure."
        )


@suggests_keywords
def eval_metric(
    *measures: ChosenMeasure, as_loss: bool = False, n_threads: int | None = None
) -> Callable[..., list[tuple[str, float, bool]]]:
    """Make an evaluation function for LightGBM from one measure or several.

    One object serves ``LGBMRanker.fit(eval_metric=...)``, ``lightgbm.train(feval=...)`` and
    ``lightgbm.cv(feval=...)``. All measures share one sort, and everything that depends only on the
    labels is computed in the first iteration. Tied scores count by each measure's rule, by default
    with their expected value, so that the order of the rows inside a query does not matter.

    To stop early by one of the measures, use :func:`skgraded.lightgbm.early_stopping`, which
    watches nothing else. LightGBM's own ``early_stopping`` also watches LightGBM's metrics, unless
    they are switched off with ``metric="None"``.

    Parameters
    ----------
    *measures : str, Measure or mapping of str to str or Measure
        The measures, in the order in which LightGBM is to report them. A measure is reported under
        its string, such as ``"xGAP(g=[0.1,0.9])@10"``; a mapping chooses other names, as in
        ``eval_metric({"xgap": "xGAP(g=[0.1,0.9])@10"})``.
    as_loss : bool, default=False
        Whether to report measures of which greater is better with the opposite sign, under the name
        ``neg_...``, for tools that can only minimise.
    n_threads : int, optional
        Threads for sorting and scoring: None is one, -1 all processors. Values do not depend on it.

    Returns
    -------
    callable
        Called by LightGBM with four arguments (labels, predictions, weights, query sizes) or two
        (predictions, data set); returns a list of (name, value, greater is better).

    Raises
    ------
    ValueError
        If no measure is given, one is unknown, a name holds white space or a colon or is that of a
        metric of boosters, such as ``"ndcg@10"``, or two measures have the same name. In training:
        if the query sizes are missing or do not add up, the data set is a subset that cuts queries,
        a prediction is not finite, or no query is left to take the mean over.

    Warns
    -----
    GradeScaleWarning
        If a measure names g but no ``max_grade``: g would change with the grades of the data set.

    See Also
    --------
    early_stopping : Stop training by a measure.
    skgraded.xgboost.eval_metric : The same for XGBoost.
    skgraded.catboost.eval_metric : The same for CatBoost.
    skgraded.QueryRanker : Holds out validation queries and stops early on them by itself.

    Notes
    -----
    ``lightgbm.cv`` with a callable objective would split queries, which is an error here: pass
    ``folds=skgraded.QueryKFold(5)``.

    Optuna's ``LightGBMTuner`` and ``LightGBMTunerCV`` minimise every metric but a few that they
    know by name. Give them ``feval=eval_metric("nDCG@10", as_loss=True)`` and
    ``{"metric": "neg_nDCG@10"}``.

    MLflow refuses metrics whose names hold any of ``( ) = [ ] , @``, as the strings of measures do:
    ``mlflow.lightgbm.autolog`` logs nothing then. Choose names, as in
    ``eval_metric({"ndcg_10": "nDCG@10"})``.

    Examples
    --------
    >>> import lightgbm
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.lightgbm import eval_metric
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> train = lightgbm.Dataset(X[:600], y[:600], group=[20] * 30)
    >>> valid = lightgbm.Dataset(X[600:], y[600:], group=[20] * 10, reference=train)
    >>> booster = lightgbm.train(
    ...     {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1},
    ...     train,
    ...     num_boost_round=3,
    ...     valid_sets=[valid],
    ...     feval=eval_metric("xGAP(max_grade=4)@10", "nDCG@10"),
    ...     callbacks=[lightgbm.record_evaluation(history := {})],
    ... )
    >>> list(history["valid_0"])
    ['xGAP(max_grade=4)@10', 'nDCG@10']
    """
    return _EvalMetric(
        named_measures(measures, "eval_metric"),
        n_threads,
        as_loss=flag("as_loss", as_loss),
    )


class _EvalMetric:
    """The evaluation function as LightGBM calls it.

    LightGBM counts the parameters of ``__call__``: only with exactly four does it pass query sizes.
    """

    def __init__(
        self, measures: NamedMeasures, n_threads: int | None, *, as_loss: bool = False
    ) -> None:
        self.named = measures
        self.as_loss = as_loss
        self._evaluator = Evaluator(measures, n_threads)
        self._judged_sets = JudgedSets()

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        scores, data = _scores_and_data(y_true, y_pred, weight, group)
        judgments = self._judged_sets.find(data, self._evaluator.warn_if_constant)
        means = self._evaluator.means_on(judgments, scores)

        results = []
        for (name, mean), (_, measure) in zip(means, self.named, strict=True):
            if self.as_loss and measure.greater_is_better:
                results.append((f"neg_{name}", -mean, False))
            else:
                results.append((name, mean, measure.greater_is_better))
        return results

    def __repr__(self) -> str:
        option = ", as_loss=True" if self.as_loss else ""
        return f"eval_metric({self._evaluator}{option})"


@suggests_keywords
def early_stopping(
    measure: ChosenMeasure,
    rounds: int,
    *,
    min_delta: float = 0.0,
    verbose: bool = False,
    n_threads: int | None = None,
) -> Callable[[Any], None]:
    """Make a LightGBM callback that stops training by one measure alone.

    Training ends when the measure's mean over the queries of a validation set has not improved for
    `rounds` iterations, and the model predicts with its best iteration. The metrics that LightGBM
    reports besides, such as its default ndcg@1 to ndcg@5, have no influence.

    One object serves ``LGBMRanker.fit(callbacks=[...])``, ``lightgbm.train(callbacks=[...])`` and,
    beside ``feval=eval_metric(measure)``, ``lightgbm.cv(callbacks=[...])``.

    Parameters
    ----------
    measure : str, Measure or mapping of str to str or Measure
        The measure to watch. If ``eval_metric`` reports it, its value is taken from there, else
        it is evaluated here. Only ``eval_metric`` writes it into LightGBM's training history.
        Where ``eval_metric`` reports it under another name, give the same mapping of one measure
        here, as in ``early_stopping({"ndcg_10": "nDCG@10"}, 10)``.
    rounds : int
        The number of iterations without improvement after which training ends.
    min_delta : float, default=0.0
        A value counts as an improvement if it is better than the best one by more than this.
    verbose : bool, default=False
        Whether LightGBM logs where training stopped.
    n_threads : int, optional
        Threads for sorting and scoring: None is one, -1 all processors. Values do not depend on it.

    Returns
    -------
    callable
        The callback.

    Raises
    ------
    ValueError
        If an argument is out of its range or the measure is unknown. In training: if there is no
        validation set; in ``lightgbm.cv`` and in distributed training, if nothing reports the
        measure; and as in :func:`eval_metric`.

    Warns
    -----
    GradeScaleWarning
        If the measure names g but no ``max_grade``: g would change with the grades of the data set.

    See Also
    --------
    eval_metric : Measures as an evaluation function, for training histories.
    skgraded.QueryRanker : Holds out validation queries and stops early on them by itself.
    skgraded.dask.global_evaluation : Evaluates over all workers of a distributed training.

    Notes
    -----
    With several validation sets, training ends as soon as one of them has stopped improving, as
    LightGBM does it. The training set never stops a training.

    Examples
    --------
    >>> import lightgbm
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.lightgbm import early_stopping
    >>> X, y, qid = make_ranking(n_queries=80, docs_per_query=20, random_state=0)
    >>> train = lightgbm.Dataset(X[:1200], y[:1200], group=[20] * 60)
    >>> valid = lightgbm.Dataset(X[1200:], y[1200:], group=[20] * 20, reference=train)
    >>> booster = lightgbm.train(
    ...     {"objective": "lambdarank", "verbose": -1, "num_threads": 1},
    ...     train,
    ...     num_boost_round=200,
    ...     valid_sets=[valid],
    ...     callbacks=[early_stopping("xGAP(g=[0.1,0.2,0.3,0.4])@10", 10)],
    ... )
    >>> booster.best_iteration < 200
    True
    """
    measures = named_measures([measure], "early_stopping")
    if len(measures) != 1:
        names = ", ".join(name for name, _ in measures)
        raise ValueError(f"early_stopping must be given one measure, got {names}.")

    rounds = integer("rounds", rounds, 1)
    threads(n_threads)
    return _StoppingRule(
        measures[0],
        rounds,
        min_delta=number("min_delta", min_delta, at_least=0.0),
        verbose=flag("verbose", verbose),
        n_threads=n_threads,
    )


class _StoppingRule:
    """LightGBM's early stopping, which is shown a single metric.

    LightGBM puts its own metrics first, and ``first_metric_only`` would watch those.
    """

    def __init__(
        self,
        named_measure: tuple[str, Measure],
        rounds: int,
        *,
        min_delta: float = 0.0,
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        from lightgbm import early_stopping

        name, _ = named_measure
        self._measures = (named_measure,)
        self._n_threads = n_threads

        # The first argument of `early_stopping`, as messages show it.
        self._argument = as_argument(*named_measure)

        # Under these names the measure is reported; lightgbm.cv of older versions takes the second.
        self._names = {name, f"valid {name}"}

        self._stop = early_stopping(
            rounds, first_metric_only=True, min_delta=min_delta, verbose=verbose
        )
        # LightGBM calls it after the callback that records values, by this attribute.
        self.order = self._stop.order

    def __call__(self, env: Any) -> None:
        """Show LightGBM's callback the results of the measure, which may not be reported yet."""
        results = self._results_of_measure(env.evaluation_result_list or ())
        if not results:
            results = self._results_of_measure(self._evaluate(env))

        # Twice for a data set: LightGBM has a metric of that name.
        data_sets = {result[0] for result in results}
        if len(data_sets) < len(results):
            refuse_taken_names(self._measures, self._names, "LightGBM")

        replace = getattr(env, "_replace", None) or partial(dataclasses.replace, env)
        self._stop(replace(evaluation_result_list=results))

    def _results_of_measure(self, results: Iterable[Any]) -> list[Any]:
        """Return those results, (data set, name, value ...), that are values of the measure."""
        return [result for result in results if result[1] in self._names]

    @cached_property
    def _metric(self) -> _EvalMetric:
        """The measure as an evaluation function, which keeps what it has read of the data sets."""
        return _EvalMetric(self._measures, self._n_threads)

    def _evaluate(self, env: Any) -> list[Any]:
        """Return the results on all validation sets, which no ``eval_metric`` has reported.

        The values must be those of the whole sets: a model of ``lightgbm.cv`` is many models, and
        one machine of several has only rows of its own.
        """
        from lightgbm import Booster

        is_one_model = isinstance(env.model, Booster)
        if not is_one_model or int(env.params.get("num_machines", 1)) > 1:
            raise ValueError(
                f"early_stopping({self._argument}) needs the measure's values: pass "
                f"feval=eval_metric({self._argument}) to lightgbm.cv, and the callback "
                f"skgraded.dask.global_evaluation({self._argument}) where several workers train."
            )

        results: list[Any] = env.model.eval_valid(self._metric)
        if not results:
            raise ValueError(
                f"early_stopping({self._argument}) needs a validation set: pass eval_set and "
                "eval_group to LGBMRanker.fit, or valid_sets to lightgbm.train."
            )
        return results

    def __repr__(self) -> str:
        return f"early_stopping({self._argument}, {self._stop.stopping_rounds})"


def _scores_and_data(
    y_true: Any, y_pred: Any, weight: Any, group: Any
) -> tuple[Any, DataSet]:
    """Return the scores, and the data set from either set of arguments that LightGBM passes."""
    # lightgbm.train passes (scores, data set).
    if hasattr(y_pred, "get_label"):
        data_set = y_pred
        y_pred = y_true
        refuse_cut_queries(data_set)
        y_true = data_set.get_label()
        weight = data_set.get_weight()
        group = data_set.get_group()
    if group is None:
        raise ValueError(_NO_GROUP)

    if weight is not None:
        weight = np.asarray(weight)
    data = DataSet(labels=np.asarray(y_true), weight=weight, sizes=np.asarray(group))
    return y_pred, data
