"""Ranking measures inside LightGBM's training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._params import threads
from skgraded._warnings import warn_if_grades_are_inferred
from skgraded.boosting._lambdamart import (
    IterationCounter,
    JudgedSets,
    LambdaMART,
    require_finite_scores,
    require_means,
    trainable,
)
from skgraded.measures import Measure, evaluate
from skgraded.measures import measure as measure_of
from skgraded.rankings import Judgments

__all__ = ["EvalMetric", "Objective", "eval_metric", "objective"]

_NO_GROUP = (
    "The query sizes are missing (group=None). LightGBM passes them on only\n"
    "- from a data set that has them: LGBMRanker.fit(..., group=..., eval_group=[...]) or "
    "lightgbm.Dataset(..., group=...);\n"
    "- to a callable of exactly four parameters: pass eval_metric(...) itself, not a "
    "function that calls it."
)


def objective(
    measure: str | Measure,
    *,
    sigmoid: float = 1.0,
    truncation_level: int | None = 30,
    norm: bool = True,
    n_threads: int | None = None,
) -> Objective:
    r"""Make a training objective for LightGBM from a measure: LambdaMART.

    One object serves ``LGBMRanker(objective=...)`` and ``lightgbm.train({"objective": ...})``.
    With ``nDCG(gain="exp2", ties="row_order")`` it is LightGBM's own ``"lambdarank"``; every other
    measure of the prefix form takes nDCG's place in the same formula. The cost of a query is

    .. math:: C = \sum_{(i, j):\, r_i > r_j} w_{ij} \log\bigl(1 + e^{-\sigma (s_i - s_j)}\bigr)

    over the pairs of documents of unequal grade, of which at least one is among the first
    `truncation_level` ranks; r are grades, s scores, and :math:`\sigma` is `sigmoid`. The weight
    w_ij is the size of the change in the measure if the two documents swapped their ranks; the
    gradient treats it as a constant. With `norm` it is divided by 0.01 + |s_i - s_j|, and
    all derivatives of a query are multiplied by log2(1 + S) / S, where S is the sum of the
    absolute lambdas, so that queries of many documents do not outweigh the others.

    Parameters
    ----------
    measure : str or Measure
        What to train for. Its cut-off k takes all weight from pairs below rank k. A measure with
        ``normalize`` and no cut-off is normalized by the ideal value at `truncation_level`, as in
        LightGBM.
    sigmoid : float, default=1.0
        Steepness of the logistic loss.
    truncation_level : int or None, default=30
        Pairs count that have a document among so many first ranks; None counts all pairs.
    norm : bool, default=True
        Whether to normalize as told above. Without it, derivatives have the size of the measure's
        changes: lower LightGBM's ``min_sum_hessian_in_leaf`` accordingly.
    n_threads : int, optional
        Threads for sorting and derivatives, which do not depend on it. None is one.

    Returns
    -------
    callable
        Called by LightGBM with four arguments (labels, scores, weights, query sizes) or two
        (scores, data set); returns gradient and Hessian.

    Raises
    ------
    ValueError
        If the measure is not of the prefix form, or an argument out of its range. In training: if
        the query sizes are missing or do not add up, labels do not fit the measure, or scores are
        no longer finite.

    Warns
    -----
    InferredGradesWarning
        If the measure has g by name but no ``max_grade``: g would change with the grades of the
        data set.

    See Also
    --------
    eval_metric : The measure as evaluation function, to stop early by.

    Notes
    -----
    *Ties.* In the first iteration all scores tie, later those of documents that fall into the same
    leaves. LightGBM ranks them in the order of their rows, which leaks that order into the model.
    Here the measure's ``ties`` decides. ``"expected"``, the default: the grades of a tied block
    take its ranks in an order drawn from these grades alone, and documents of the same grade share
    the mean of their derivatives, so that the derivatives do not depend on the order of the rows.
    ``"pessimistic"`` and ``"optimistic"``: the same with the worst or the best grade first.
    ``"row_order"``: as LightGBM does.

    *Prices.* For some measures, swapping a better document up can lower the value. The better
    document is pushed up all the same, with the size of the change, as is usual in LambdaMART.

    *What to train for.* Not always the measure that one judges by: where its g rests on grades that
    few documents have, few pairs have a price. Judged by xGAP with most of g on the top grades,
    models trained for xGAP with its default, uniform g and all pairs,
    ``objective("xGAP(max_grade=4)", truncation_level=None)``, did best in
    ``benchmarks/training_measures.py``: 0.003 to 0.007 above ``"lambdarank"`` in four synthetic
    shapes of label shares (38 of 40 runs), and 0.002 +- 0.001 above it on LightGBM's example data.
    Training for the judging measure itself ranged from 0.005 below ``"lambdarank"``, with the
    fewest top grades, to 0.004 above. GAP and QMeasure with all pairs came next. Let
    cross-validation choose, as in ``examples/train_for_a_measure.py``.

    *Limits.* There is none on the number of grades or the documents of a query; measures of the
    linear part alone, such as nDCG, also take fractional labels. LightGBM's own metrics keep their
    limits: switch them off with ``metric="None"``.

    ``lightgbm.cv`` with a callable objective cuts queries apart unless ``folds`` is given;
    `skgraded.QueryKFold` gives whole queries.

    References
    ----------
    .. [1] C. J. C. Burges (2010), "From RankNet to LambdaRank to LambdaMART: An Overview",
       Microsoft Research MSR-TR-2010-82.
    .. [2] P. Donmez, K. M. Svore, C. J. C. Burges (2009), "On the Local Optimality of LambdaRank",
       SIGIR.

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
    chosen = measure_of(measure)
    warn_if_grades_are_inferred([chosen], "objective")
    cost = LambdaMART(trainable(chosen), sigmoid, truncation_level, norm)
    return Objective(cost, threads(n_threads))


class Objective:
    """What `objective` makes: the callable that LightGBM sees.

    LightGBM counts the parameters of ``__call__``: with exactly four it hands over the query sizes.

    Attributes
    ----------
    cost : LambdaMART
        The cost whose derivatives it returns.
    n_threads : int
        Threads for sorting and derivatives.
    """

    def __init__(self, cost: LambdaMART, n_threads: int) -> None:
        self.cost = cost
        self.n_threads = n_threads
        self._judged = JudgedSets()
        self._iteration = IterationCounter()

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Differentiate the cost at the scores.

        Parameters
        ----------
        y_true : ndarray of shape (n_documents,)
            Labels; the scores where ``lightgbm.train`` calls with (scores, data set).
        y_pred : ndarray of shape (n_documents,) or lightgbm.Dataset
            Scores, or the data set.
        weight : ndarray of shape (n_documents,), optional
            Weights of the rows, with which their derivatives are multiplied.
        group : ndarray of shape (n_queries,), optional
            Number of rows of each query.

        Returns
        -------
        gradient : ndarray of shape (n_documents,)
            First derivatives by score.
        hessian : ndarray of shape (n_documents,)
            Second derivatives by score.
        """
        y_true, y_pred, weight, group = _unpack(y_true, y_pred, weight, group)
        judgments = self._judged.find(y_true, weight, group)
        require_finite_scores(y_pred, self._iteration.next(judgments))
        gradient, hessian = self.cost.derivatives(judgments, y_pred, self.n_threads)
        if weight is None:
            return gradient, hessian
        return gradient * weight, hessian * weight

    def __reduce__(self) -> Any:
        # LightGBM deep-copies its parameters; copies start without the data sets.
        return Objective, (self.cost, self.n_threads)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Objective):
            return NotImplemented
        return (self.cost, self.n_threads) == (other.cost, other.n_threads)

    def __hash__(self) -> int:
        return hash((self.cost, self.n_threads))

    def __repr__(self) -> str:
        return f"objective({self.cost})"


def eval_metric(*measures: str | Measure, n_threads: int = 1) -> EvalMetric:
    """Make an evaluation function for LightGBM from one measure or several.

    One object serves ``LGBMRanker.fit(eval_metric=...)``, ``lightgbm.train(feval=...)`` and
    ``lightgbm.cv(feval=...)``. All measures share one sort, and what depends on the labels alone is
    computed in the first iteration. Ties count by each measure's rule, by default with their
    expected value, so that the order of the rows inside a query does not matter.

    To stop early by the first measure, switch off LightGBM's own metrics, which come first
    otherwise: ``metric="None"`` and ``early_stopping(rounds, first_metric_only=True)``.

    Parameters
    ----------
    *measures : str or Measure
        The measures, in the order in which LightGBM shall see them.
    n_threads : int, default=1
        Threads for sorting and scoring; values do not depend on it.

    Returns
    -------
    callable
        Called by LightGBM with four arguments (labels, predictions, weights, query sizes) or two
        (predictions, data set); returns a list of (name, value, greater is better), where the name
        is the measure's string.

    Raises
    ------
    ValueError
        If no measure is given, or one is unknown. In training: if the query sizes are missing or
        do not add up, a prediction is not finite, or no query is left to take the mean over.

    Warns
    -----
    InferredGradesWarning
        If a measure has g by name but no ``max_grade``: g would change with the grades of the data
        set.

    See Also
    --------
    skgraded.QueryRanker : Does all of this by itself, on validation queries that it holds out.

    Notes
    -----
    ``lightgbm.cv`` with a callable objective cuts queries apart unless ``folds`` is given;
    `skgraded.QueryKFold` gives whole queries.

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
    if not measures:
        raise ValueError("eval_metric needs at least one measure, got none.")
    parsed = tuple(measure_of(each) for each in measures)
    warn_if_grades_are_inferred(parsed, "eval_metric")
    return EvalMetric(parsed, threads(n_threads))


class EvalMetric:
    """What `eval_metric` makes: the callable that LightGBM sees.

    LightGBM counts the parameters of ``__call__``: with exactly four it hands over the query sizes.

    Parameters
    ----------
    measures : tuple of Measure
        The measures.
    n_threads : int
        Threads for sorting and scoring.

    Examples
    --------
    >>> from skgraded.lightgbm import eval_metric
    >>> eval_metric("AP")([1, 0], [.3, .9], None, [2])
    [('AP', 0.5, True)]
    """

    def __init__(self, measures: tuple[Measure, ...], n_threads: int) -> None:
        self.measures = measures
        self.n_threads = n_threads
        self._judged = JudgedSets()

    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        """Score predictions.

        Parameters
        ----------
        y_true : ndarray of shape (n_documents,)
            Labels; the predictions where ``lightgbm.train`` calls with (predictions, data set).
        y_pred : ndarray of shape (n_documents,) or lightgbm.Dataset
            Predictions, or the data set.
        weight : ndarray of shape (n_documents,), optional
            Weights of the rows.
        group : ndarray of shape (n_queries,), optional
            Number of rows of each query.

        Returns
        -------
        list of (str, float, bool)
            Name, mean and whether greater is better, for each measure.
        """
        y_true, y_pred, weight, group = _unpack(y_true, y_pred, weight, group)
        return self.means(self._judged.find(y_true, weight, group), y_pred)

    def means(self, judgments: Judgments, y_pred: Any) -> list[tuple[str, float, bool]]:
        """Score predictions for known labels.

        Parameters
        ----------
        judgments : Judgments
            The labels by query.
        y_pred : ndarray of shape (n_documents,)
            Predictions.

        Returns
        -------
        list of (str, float, bool)
            Name, mean and whether greater is better, for each measure.
        """
        scores = evaluate(self.measures, judgments.rank(y_pred, self.n_threads))
        require_means(scores)
        means = scores.mean()
        return [(str(each), means[str(each)], each.greater_is_better) for each in self.measures]

    def __reduce__(self) -> Any:
        # LightGBM deep-copies the metric in every fit; copies start without the data sets.
        return EvalMetric, (self.measures, self.n_threads)

    def __repr__(self) -> str:
        return f"eval_metric({', '.join(repr(str(each)) for each in self.measures)})"


def _unpack(
    y_true: Any, y_pred: Any, weight: Any, group: Any
) -> tuple[NDArray[Any], Any, Any, Any]:
    """Bring the arguments of ``lightgbm.train``, predictions and data set, to those of the rest."""
    if hasattr(y_pred, "get_label"):
        data_set, y_pred = y_pred, y_true
        y_true, weight = data_set.get_label(), data_set.get_weight()
        group = data_set.get_group()
    if group is None:
        raise ValueError(_NO_GROUP)
    return np.asarray(y_true), y_pred, weight, group
