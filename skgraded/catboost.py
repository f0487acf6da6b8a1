"""Ranking measures inside CatBoost's training.

CatBoost cannot be trained for a measure of ours. It asks a callable objective for the derivatives
of blocks of rows that split queries, and CatBoostRanker refuses such objectives. Train it by one of
its own, such as ``loss_function="YetiRank"``, and stop early by the measure with `eval_metric`; or
train for the measure with `skgraded.lightgbm.objective` or `skgraded.xgboost.objective`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._boosting._evaluator import (
    ChosenMeasure,
    Evaluator,
    NamedMeasures,
    named_measures,
)
from skgraded._support.keywords import suggests_keywords
from skgraded.rankings import Judgments, split_target

__all__ = ["eval_metric"]


@suggests_keywords
def eval_metric(
    measure: ChosenMeasure,
    *data_sets: tuple[ArrayLike, ...],
    n_threads: int | None = None,
) -> _EvalMetric:
    """Make an evaluation function for CatBoost from a measure.

    CatBoost passes the labels and predictions of a whole data set to a metric, but not the queries.
    This object therefore gets the query ids of every data set beforehand, and recognises a data set
    by its labels. CatBoost also evaluates the training rows: give both data sets.

    Parameters
    ----------
    measure : str, Measure or mapping of str to str or Measure
        The measure; CatBoost accepts one such object. A mapping of one measure chooses the name
        under which CatBoost reports it, as in ``{"ndcg_10": "nDCG@10"}``.
    *data_sets : tuple of array-like
        (labels, query ids) or (labels, query ids, row weights) of the training and the validation
        rows, in this order. Without weights here, queries weigh as CatBoost says, which hands on
        those of its Pool. Rows stand in the order in which CatBoost gets them. NaN = unjudged;
        CatBoost accepts no such label, so give CatBoost 0 in these rows.
    n_threads : int, optional
        Threads for sorting and scoring: None is one, -1 all processors. Values do not depend on it.

    Returns
    -------
    object
        For ``CatBoostRanker(eval_metric=...)``, which then also stops early by it.

    Raises
    ------
    ValueError
        If no data set is given, one is not such a tuple, or `measure` maps several names. In
        training, as the reason of a CatBoostError: if a data set is unknown, or no query is left to
        take the mean over.

    Warns
    -----
    GradeScaleWarning
        If the measure names g but no ``max_grade``.

    See Also
    --------
    skgraded.lightgbm.eval_metric : The same for LightGBM.
    skgraded.xgboost.eval_metric : The same for XGBoost.
    skgraded.QueryRanker : Holds out validation queries and stops early on them by itself.

    Notes
    -----
    With categorical features, CatBoost passes the training rows in an order of its own, in which
    the queries cannot be found. Their value is then reported as 0, because CatBoost accepts no NaN.
    The validation rows keep their order.

    The object knows the data sets that it was given, and refuses others: for a cross-validation or
    a search, wrap the CatBoostRanker in a `skgraded.QueryRanker`.

    Examples
    --------
    >>> from skgraded.catboost import eval_metric
    >>> metric = eval_metric("AP", ([0, 1, 1], ["a", "a", "b"]))
    >>> metric.evaluate([[0.2, 0.1, 0.7]], [0, 1, 1], None)  # the mean of 1/2 and 1, and its weight
    (0.75, 1.0)
    """
    if not data_sets:
        raise ValueError(
            "eval_metric needs the labels and query ids of the data sets that CatBoost will "
            "evaluate, such as eval_metric(measure, (y, qid), (y_valid, qid_valid)); got none."
        )
    measures = named_measures([measure], "eval_metric")
    if len(measures) != 1:
        names = ", ".join(name for name, _ in measures)
        raise ValueError(
            f"eval_metric must be given one measure for CatBoost, got {names}."
        )

    known_sets = tuple(_KnownSet(data_set) for data_set in data_sets)
    evaluator = Evaluator(measures, n_threads)
    evaluator.warn_if_constant(known_sets[-1].judgments)
    return _make_metric(evaluator, known_sets)


def metric_of_sets(named: NamedMeasures, *data_sets: tuple[ArrayLike, ...]) -> Any:
    """Make the metric of a `skgraded.QueryRanker`, which has looked at the data sets."""
    known_sets = tuple(_KnownSet(data_set) for data_set in data_sets)
    for known_set in known_sets:
        known_set.has_own_weights = True  # those of the rows, or none
    return _make_metric(Evaluator(named, None), known_sets)


class _KnownSet:
    """Labels as CatBoost passes them, and their judgments."""

    def __init__(self, data_set: Any) -> None:
        if not isinstance(data_set, tuple) or len(data_set) not in (2, 3):
            raise ValueError(
                "data_sets must be tuples (labels, query ids) or (labels, query ids, row weights), "
                f"got a {type(data_set).__name__}."
            )

        y_true, qid, *weights = data_set
        sample_weight = weights[0] if weights else None
        self.judgments = Judgments(y_true, qid=qid, sample_weight=sample_weight)

        # What judgments with other weights are made of.
        self.has_own_weights = sample_weight is not None
        self._y_true = y_true
        self._qid = qid
        self._weighted: tuple[NDArray[Any], Judgments] | None = None

        # The labels as CatBoost gets them.
        labels, _ = split_target(y_true)
        self.labels: NDArray[np.float32] = np.nan_to_num(
            np.asarray(labels).astype(np.float32)
        )

    def judgments_by(self, weight: Any) -> Judgments:
        """Return the judgments, weighted as CatBoost says where no weights were given here."""
        if (
            not isinstance(weight, np.ndarray)
            or not len(weight)
            or self.has_own_weights
        ):
            return self.judgments
        if self._weighted is None or not np.array_equal(self._weighted[0], weight):
            judgments = self.judgments
            if weight.min() < weight.max():
                judgments = Judgments(self._y_true, qid=self._qid, sample_weight=weight)
            self._weighted = (weight.copy(), judgments)
        return self._weighted[1]

    def has(self, labels: NDArray[Any]) -> bool:
        """Whether the labels are those of this set."""
        return np.array_equal(self.labels, labels)

    def has_in_another_order(self, labels: NDArray[Any]) -> bool:
        """Whether the labels are those of this set, in any order."""
        return np.array_equal(np.sort(self.labels), np.sort(labels))


class _EvalMetric:
    """The metric as CatBoost calls it."""

    # CatBoost would compile the methods with numba, and warn because it cannot: the kernels that
    # they call are compiled already.
    no_jit = True

    def __init__(self, evaluator: Evaluator, known_sets: tuple[_KnownSet, ...]) -> None:
        self.evaluator = evaluator
        self.known_sets = known_sets

    def is_max_optimal(self) -> bool:
        """Return whether greater is better."""
        ((_, measure),) = self.evaluator.named
        return measure.greater_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return the mean of the measure and its weight, 1.

        Queries weigh as the rows that were given together with their ids, or else as CatBoost says.
        """
        judgments = self._find_judgments(np.asarray(target), weight)
        if judgments is None:
            # CatBoost cannot write nan.
            return 0.0, 1.0
        ((_, mean),) = self.evaluator.means_on(judgments, approxes[0])
        return mean, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the value of a sum and its weight."""
        return error / weight

    def _find_judgments(self, labels: NDArray[Any], weight: Any) -> Judgments | None:
        """Return the judgments of a data set; None for training rows in an order of CatBoost's."""
        for known_set in self.known_sets:
            if known_set.has(labels):
                return known_set.judgments_by(weight)

        training_set = self.known_sets[0]
        if training_set.has_in_another_order(labels):
            return None
        sizes = ", ".join(str(len(known_set.labels)) for known_set in self.known_sets)
        raise ValueError(
            f"CatBoost evaluates {len(labels)} rows whose labels are those of no data set that "
            f"eval_metric got (of {sizes} rows): give it (labels, query ids) of the training and "
            "of the validation rows."
        )

    def __deepcopy__(self, memo: Any) -> Self:
        # CatBoost copies its parameters in every fit; nothing in here changes.
        return self

    def __reduce__(self) -> Any:
        # The class is made at run time, so that pickle cannot find it by its name.
        return _make_metric, (self.evaluator, self.known_sets)

    def __repr__(self) -> str:
        return f"eval_metric({self.evaluator}, ...)"


def _make_metric(
    evaluator: Evaluator, known_sets: tuple[_KnownSet, ...]
) -> _EvalMetric:
    """Make a metric whose class has the measure's name, which CatBoost reports."""
    ((name, _),) = evaluator.named
    metric_class = type(name, (_EvalMetric,), {})
    return metric_class(evaluator, known_sets)
