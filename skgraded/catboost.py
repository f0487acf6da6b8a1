"""Ranking measures inside CatBoost's training."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._params import threads
from skgraded._warnings import warn_if_grades_are_inferred
from skgraded.boosting._lambdamart import require_means
from skgraded.measures import Measure, evaluate
from skgraded.measures import measure as measure_of
from skgraded.rankings import Judgments

__all__ = ["EvalMetric", "eval_metric", "objective"]

_LABELS_AND_IDS = 2


def eval_metric(
    measure: str | Measure, *data_sets: tuple[ArrayLike, ...], n_threads: int = 1
) -> EvalMetric:
    """Make an evaluation metric for CatBoost from a measure.

    CatBoost shows its metrics labels and predictions of a whole data set, but not the queries. So
    this object is told the query ids of every data set beforehand, and knows a data set again by
    its labels. CatBoost also evaluates the training rows: give both.

    Parameters
    ----------
    measure : str or Measure
        The measure; CatBoost takes one such object.
    *data_sets : tuple of array-like
        (labels, query ids) or (labels, query ids, row weights) of the training and the validation
        rows, in this order, each in the order of its rows. NaN = unjudged; CatBoost takes no such
        label, so give it 0 in these rows.
    n_threads : int, default=1
        Threads for sorting and scoring; values do not depend on it.

    Returns
    -------
    EvalMetric
        For ``CatBoostRanker(eval_metric=...)``, which then also stops early by it.

    Raises
    ------
    ValueError
        If no data set is given, one is no such tuple, or two look the same to CatBoost, which shows
        labels alone, but differ in queries, weights or unjudged rows. In training, as the reason
        of a CatBoostError: if a data set is unknown, or no query is left to take the mean over.

    Warns
    -----
    InferredGradesWarning
        If the measure has g by name but no ``max_grade``.

    See Also
    --------
    skgraded.QueryRanker : Does all of this by itself, on validation queries that it holds out.

    Notes
    -----
    With categorical features, CatBoost shows the training rows in an order of its own, in which
    queries cannot be found; their value is then reported as 0, for CatBoost takes no nan. The
    validation rows keep their order.

    scikit-learn cannot clone a CatBoostRanker that holds such an object; a `skgraded.QueryRanker`
    around a CatBoostRanker can be cloned.

    Examples
    --------
    >>> from skgraded.catboost import eval_metric
    >>> metric = eval_metric("AP", ([0, 1, 1], ["a", "a", "b"]))
    >>> metric.evaluate([[0.2, 0.1, 0.7]], [0, 1, 1], None)  # the mean of 1/2 and 1, and its weight
    (0.75, 1.0)
    """
    chosen = measure_of(measure)
    warn_if_grades_are_inferred([chosen], "eval_metric")
    if not data_sets:
        raise ValueError(
            "eval_metric needs the labels and query ids of the data sets that CatBoost will "
            "evaluate, such as eval_metric(measure, (y, qid), (y_valid, qid_valid)); got none."
        )
    known = tuple(_KnownSet(each) for each in data_sets)
    _require_distinct(known)
    # CatBoost calls a metric by the name of its class.
    kind = type(str(chosen), (EvalMetric,), {})
    metric: EvalMetric = kind(chosen, known, threads(n_threads))
    return metric


def objective(*_: Any, **__: Any) -> NoReturn:
    """Tell why there is no training objective for CatBoost.

    Parameters
    ----------
    *_ : object
        Ignored.
    **__ : object
        Ignored.

    Raises
    ------
    NotImplementedError
        Always: CatBoost asks an objective from outside for the derivatives of blocks of rows that
        cut queries apart, and CatBoostRanker refuses one.

    See Also
    --------
    eval_metric : Stop early by a measure.
    skgraded.lightgbm.objective : Train LightGBM for a measure.

    Examples
    --------
    >>> from skgraded.catboost import objective
    >>> objective("nDCG")
    Traceback (most recent call last):
        ...
    NotImplementedError: CatBoost cannot train for a ranking measure from outside: ...
    """
    raise NotImplementedError(
        "CatBoost cannot train for a ranking measure from outside: it asks for the derivatives of "
        "blocks of rows that cut queries apart, and CatBoostRanker refuses such objectives. Train "
        "with one of its own, such as loss_function='YetiRank', and stop early by the measure "
        "(skgraded.catboost.eval_metric), or train with skgraded.lightgbm.objective or "
        "skgraded.xgboost.objective."
    )


class _KnownSet:
    """Labels as CatBoost shows them, and their judgments."""

    def __init__(self, data_set: Any) -> None:
        if not isinstance(data_set, tuple) or len(data_set) not in (
            _LABELS_AND_IDS,
            _LABELS_AND_IDS + 1,
        ):
            raise ValueError(
                "data_sets must be tuples (labels, query ids) or (labels, query ids, row weights), "
                f"got {type(data_set).__name__} of {np.size(np.asarray(data_set, dtype=object))}."
            )
        self.judgments = Judgments.from_arrays(*data_set)
        self.given: NDArray[np.float32] = np.asarray(data_set[0]).astype(np.float32)
        self.labels = self.given  # as CatBoost is given them
        if self.judgments.has_unjudged:
            self.labels = np.nan_to_num(self.given)

    def has(self, labels: NDArray[Any]) -> bool:
        return np.array_equal(self.labels, labels)

    def has_in_another_order(self, labels: NDArray[Any]) -> bool:
        return np.array_equal(np.sort(self.labels), np.sort(labels))

    def means_the_same(self, other: _KnownSet) -> bool:
        """Whether all measures have the same means on a set of the same labels."""
        ours, theirs = self.judgments, other.judgments
        return (
            np.array_equal(self.given, other.given, equal_nan=True)
            and np.array_equal(ours.indptr, theirs.indptr)
            and np.array_equal(_order(ours), _order(theirs))
            and np.array_equal(_weights(ours), _weights(theirs))
        )


def _order(judgments: Judgments) -> NDArray[np.int64]:
    if judgments.row_order is None:
        return np.arange(judgments.n_documents)
    return judgments.row_order


def _weights(judgments: Judgments) -> NDArray[np.float64]:
    return np.ones(judgments.n_queries) if judgments.weights is None else judgments.weights


def _require_distinct(known: tuple[_KnownSet, ...]) -> None:
    for i, each in enumerate(known):
        for other in known[:i]:
            if each.has(other.labels) and not each.means_the_same(other):
                raise ValueError(
                    "data_sets must differ in their labels to be told apart, got two with the same "
                    f"{len(each.labels)} labels and different queries, weights or unjudged rows."
                )


class EvalMetric:
    """What `eval_metric` makes: the object that CatBoost sees.

    Attributes
    ----------
    measure : Measure
        The measure.
    known : tuple
        The data sets whose queries it knows.
    n_threads : int
        Threads for sorting and scoring.
    """

    def __init__(self, measure: Measure, known: tuple[_KnownSet, ...], n_threads: int) -> None:
        self.measure = measure
        self.known = known
        self.n_threads = n_threads

    def is_max_optimal(self) -> bool:
        """Tell CatBoost whether greater is better.

        Returns
        -------
        bool
            Whether it is.
        """
        return self.measure.greater_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Score predictions.

        Parameters
        ----------
        approxes : sequence of one array-like of shape (n_documents,)
            Predictions.
        target : array-like of shape (n_documents,)
            Labels, by which the data set is recognised.
        weight : array-like of shape (n_documents,) or None
            Ignored: weights are told beforehand, with the query ids.

        Returns
        -------
        value : float
            Mean of the measure over the queries.
        weight : float
            Weight of that mean, 1.
        """
        judgments = self._judgments(np.asarray(target))
        if judgments is None:
            return 0.0, 1.0  # CatBoost cannot write nan
        scores = evaluate([self.measure], judgments.rank(approxes[0], self.n_threads))
        require_means(scores)
        return scores.mean()[str(self.measure)], 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Divide a sum by its weight, as CatBoost asks for.

        Parameters
        ----------
        error : float
            The value that `evaluate` returned.
        weight : float
            The weight that it returned.

        Returns
        -------
        float
            The value.
        """
        return error / weight

    def _judgments(self, labels: NDArray[Any]) -> Judgments | None:
        """Judgments of a data set; None for training rows in CatBoost's own order."""
        for each in self.known:
            if each.has(labels):
                return each.judgments
        if self.known[0].has_in_another_order(labels):
            return None
        sizes = ", ".join(str(len(each.labels)) for each in self.known)
        raise ValueError(
            f"CatBoost evaluates {len(labels)} rows whose labels are those of no data set that "
            f"eval_metric was told about (of {sizes} rows): give it (labels, query ids) of the "
            "training and of the validation rows."
        )

    def __reduce__(self) -> Any:
        # The class is made for its name, and pickle could not find it.
        return _remake, (self.measure, self.known, self.n_threads)

    def __repr__(self) -> str:
        return f"eval_metric({str(self.measure)!r}, ...)"


def _remake(measure: Measure, known: tuple[_KnownSet, ...], n_threads: int) -> EvalMetric:
    metric: EvalMetric = type(str(measure), (EvalMetric,), {})(measure, known, n_threads)
    return metric
