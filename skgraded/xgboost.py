"""Ranking measures inside XGBoost's training."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
import xgboost
from numpy.typing import ArrayLike, NDArray
from xgboost.callback import EarlyStopping, TrainingCallback

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

__all__ = ["Evaluation", "custom_metric", "evaluation", "objective"]

FloatArray = NDArray[np.float64]

_NO_QUERIES = (
    "The data set does not say which rows make up a query: give the DMatrix qid=... (ascending) "
    "or group=... (sizes)."
)


def objective(
    measure: str | Measure,
    *,
    sigmoid: float = 1.0,
    truncation_level: int | None = 30,
    norm: bool = True,
    n_threads: int | None = None,
) -> Callable[[ArrayLike, xgboost.DMatrix], tuple[FloatArray, FloatArray]]:
    """Make a training objective for ``xgboost.train`` from a measure: LambdaMART.

    The formula, ties and limits are those of `skgraded.lightgbm.objective`. XGBRanker takes no
    objective from outside; train with ``xgboost.train(params, dtrain, obj=...)``.

    Parameters
    ----------
    measure : str or Measure
        What to train for.
    sigmoid : float, default=1.0
        Steepness of the logistic loss.
    truncation_level : int or None, default=30
        Pairs count that have a document among so many first ranks; None counts all pairs.
    norm : bool, default=True
        Whether to normalize the derivatives of each query.
    n_threads : int, optional
        Threads for sorting and derivatives, which do not depend on it. None is one.

    Returns
    -------
    callable
        Called by XGBoost with (scores, data set); returns gradient and Hessian.

    Raises
    ------
    ValueError
        If the measure is not of the prefix form, or an argument out of its range. In training: if
        the data set has no query ids, labels do not fit the measure, or scores are no longer
        finite.

    Warns
    -----
    InferredGradesWarning
        If the measure has g by name but no ``max_grade``.

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
    chosen = measure_of(measure)
    warn_if_grades_are_inferred([chosen], "objective")
    return _Objective(
        LambdaMART(trainable(chosen), sigmoid, truncation_level, norm), threads(n_threads)
    )


def custom_metric(
    *measures: str | Measure, n_threads: int = 1
) -> Callable[[ArrayLike, xgboost.DMatrix], list[tuple[str, float]]]:
    """Make a metric for ``xgboost.train(custom_metric=...)`` from one measure or several.

    XGBoost passes its values on with six decimals, and its early stopping takes smaller ones for
    better: give it ``xgboost.callback.EarlyStopping(..., maximize=True)``. `evaluation` has neither
    limit. It is no metric for XGBRanker, which would average queries by their size.

    Parameters
    ----------
    *measures : str or Measure
        The measures.
    n_threads : int, default=1
        Threads for sorting and scoring; values do not depend on it.

    Returns
    -------
    callable
        Called by XGBoost with (scores, data set); returns a list of (name, mean).

    Raises
    ------
    ValueError
        If no measure is given, or one is unknown. In training: if the data set has no query ids,
        or no query is left to take the mean over.

    Warns
    -----
    InferredGradesWarning
        If a measure has g by name but no ``max_grade``.

    See Also
    --------
    evaluation : Exact, maximised, and for XGBRanker too.

    Examples
    --------
    >>> import numpy as np
    >>> import xgboost
    >>> from skgraded.xgboost import custom_metric
    >>> data = xgboost.DMatrix(np.zeros((3, 1)), [0, 2, 1], group=[3])
    >>> custom_metric("AP", "nDCG@1")(np.array([0.1, 0.3, 0.2]), data)
    [('AP', 1.0), ('nDCG@1', 1.0)]
    """
    return _CustomMetric(_parse(measures, "custom_metric"), threads(n_threads))


def evaluation(
    *measures: str | Measure,
    X: Any,
    y: ArrayLike,
    qid: ArrayLike,
    sample_weight: ArrayLike | None = None,
    rounds: int | None = None,
    name: str = "validation",
    n_threads: int = 1,
) -> Evaluation:
    """Make a callback that evaluates measures in each iteration and stops early by the first.

    For ``XGBRanker(callbacks=[...])`` and ``xgboost.train(callbacks=[...])``. Values are exact
    means over queries in double precision, and greater is better, where XGBRanker's own
    ``eval_metric`` averages queries by their size, rounds to six decimals and minimises.

    Parameters
    ----------
    *measures : str or Measure
        The measures; `rounds` watches the first.
    X : array-like of shape (n_documents, n_features)
        Features to evaluate on, or anything else that ``xgboost.DMatrix`` takes.
    y : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant; NaN = unjudged.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type, in any order.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.
    rounds : int, optional
        Stop when the first measure has not improved for so many iterations; predictions of
        XGBRanker then use the best one. None only records.
    name : str, default="validation"
        Name of the rows among the recorded results.
    n_threads : int, default=1
        Threads for sorting and scoring; values do not depend on it.

    Returns
    -------
    Evaluation
        The callback. Its values are in ``evals_result()`` of XGBRanker and in the ``evals_result``
        of ``xgboost.train``.

    Raises
    ------
    ValueError
        If no measure is given, one is unknown, or the labels do not fit. In training: if no query
        is left to take the mean over.

    Warns
    -----
    InferredGradesWarning
        If a measure has g by name but no ``max_grade``.

    See Also
    --------
    skgraded.QueryRanker : Does all of this by itself, on validation queries that it holds out.

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
    if rounds is not None and (not isinstance(rounds, Integral) or rounds < 1):
        raise ValueError(f"rounds must be an integer >= 1 or None, got {rounds!r}.")
    judgments = Judgments.from_arrays(y, qid, sample_weight)
    return Evaluation(
        _parse(measures, "evaluation"),
        X,
        judgments,
        rounds=rounds,
        name=name,
        n_threads=threads(n_threads),
    )


class Evaluation(TrainingCallback):
    """What `evaluation` makes: the callback that XGBoost sees.

    Attributes
    ----------
    measures : tuple of Measure
        The measures.
    X : object
        Features to evaluate on.
    judgments : Judgments
        Their labels by query.
    rounds : int or None
        Patience.
    name : str
        Name of the rows among the recorded results.
    n_threads : int
        Threads for sorting and scoring.
    """

    def __init__(
        self,
        measures: tuple[Measure, ...],
        X: Any,
        judgments: Judgments,
        *,
        rounds: int | None,
        name: str,
        n_threads: int,
    ) -> None:
        super().__init__()
        self.measures = measures
        self.X = X
        self.judgments = judgments
        self.rounds = rounds
        self.name = name
        self.n_threads = n_threads
        self._data: xgboost.DMatrix | None = None
        self._stop: EarlyStopping | None = None

    def before_training(self, model: Any) -> Any:
        """Start anew; one callback may serve one training after the other.

        Parameters
        ----------
        model : xgboost.Booster
            The booster.

        Returns
        -------
        xgboost.Booster
            The booster as it was.
        """
        self._data = self.X if isinstance(self.X, xgboost.DMatrix) else xgboost.DMatrix(self.X)
        if self.rounds is None:
            return model
        self._stop = EarlyStopping(
            rounds=int(self.rounds),
            metric_name=str(self.measures[0]),
            data_name=self.name,
            maximize=self.measures[0].greater_is_better,
        )
        return self._stop.before_training(model)

    def after_iteration(self, model: Any, epoch: int, evals_log: dict[str, Any]) -> bool:
        """Evaluate, record, and tell whether to stop.

        Parameters
        ----------
        model : xgboost.Booster
            The booster.
        epoch : int
            Number of the iteration, from 0.
        evals_log : dict
            Values of all metrics so far.

        Returns
        -------
        bool
            Whether to stop.
        """
        scores = model.predict(self._data, output_margin=True)
        require_finite_scores(scores, epoch + 1)
        means = _means(self.measures, self.judgments, scores, self.n_threads)
        record = evals_log.setdefault(self.name, {})
        for label, mean in means:
            record.setdefault(label, []).append(mean)
        return self._stop is not None and self._stop.after_iteration(model, epoch, evals_log)

    def after_training(self, model: Any) -> Any:
        """Let go of the data set that XGBoost made of the features.

        Parameters
        ----------
        model : xgboost.Booster
            The booster.

        Returns
        -------
        xgboost.Booster
            The booster as it was.
        """
        self._data = self._stop = None
        return model


class _Prepared:
    """What objective and metric share: the judgments of the data sets that XGBoost shows them."""

    def __init__(self) -> None:
        self._judged = JudgedSets()

    def _judgments(self, data: xgboost.DMatrix) -> tuple[Judgments, NDArray[Any] | None]:
        """Judgments and row weights of a data set."""
        sizes = np.diff(data.get_uint_info("group_ptr").astype(np.int64))
        if len(sizes) == 0:
            raise ValueError(_NO_QUERIES)
        of_queries = data.get_weight()
        weights = np.repeat(of_queries, sizes) if len(of_queries) else None
        # XGBoost hands over new arrays in every call, so that the data set is the owner.
        return self._judged.find(data.get_label(), weights, sizes, owner=data), weights


class _Objective(_Prepared):
    """LambdaMART's derivatives, as XGBoost calls for them."""

    def __init__(self, cost: LambdaMART, n_threads: int) -> None:
        super().__init__()
        self._cost = cost
        self._n_threads = n_threads
        self._iteration = IterationCounter()

    def __call__(self, y_score: Any, data: xgboost.DMatrix) -> tuple[FloatArray, FloatArray]:
        judgments, weights = self._judgments(data)
        require_finite_scores(y_score, self._iteration.next(judgments))
        gradient, hessian = self._cost.derivatives(judgments, y_score, self._n_threads)
        if weights is None:
            return gradient, hessian
        return gradient * weights, hessian * weights

    def __reduce__(self) -> Any:
        return _Objective, (self._cost, self._n_threads)

    def __repr__(self) -> str:
        return f"objective({self._cost})"


class _CustomMetric(_Prepared):
    """Means of measures, as XGBoost calls for them."""

    def __init__(self, measures: tuple[Measure, ...], n_threads: int) -> None:
        super().__init__()
        self._measures = measures
        self._n_threads = n_threads

    def __call__(self, y_score: Any, data: xgboost.DMatrix) -> list[tuple[str, float]]:
        judgments, _ = self._judgments(data)
        return _means(self._measures, judgments, y_score, self._n_threads)

    def __reduce__(self) -> Any:
        return _CustomMetric, (self._measures, self._n_threads)

    def __repr__(self) -> str:
        return f"custom_metric({', '.join(repr(str(each)) for each in self._measures)})"


def _parse(measures: tuple[str | Measure, ...], taker: str) -> tuple[Measure, ...]:
    if not measures:
        raise ValueError(f"{taker} needs at least one measure, got none.")
    parsed = tuple(measure_of(each) for each in measures)
    warn_if_grades_are_inferred(parsed, taker)
    return parsed


def _means(
    measures: tuple[Measure, ...], judgments: Judgments, y_score: Any, n_threads: int
) -> list[tuple[str, float]]:
    scores = evaluate(measures, judgments.rank(y_score, n_threads))
    require_means(scores)
    means = scores.mean()
    return [(str(each), means[str(each)]) for each in measures]
