"""Ranking measures inside LightGBM's training."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._exceptions import warn_if_grades_are_inferred
from skgraded.measures import Measure, Scores, evaluate, measure
from skgraded.rankings import Judgments

__all__ = ["EvalMetric", "eval_metric"]

_NO_GROUP = (
    "The query sizes are missing (group=None). LightGBM passes them on only\n"
    "- from a data set that has them: LGBMRanker.fit(..., group=..., eval_group=[...]) or "
    "lightgbm.Dataset(..., group=...);\n"
    "- to a callable of exactly four parameters: pass eval_metric(...) itself, not a "
    "function that calls it."
)


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
    if not isinstance(n_threads, Integral) or n_threads < 1:
        raise ValueError(f"n_threads must be an integer >= 1, got {n_threads!r}.")
    parsed = tuple(measure(each) for each in measures)
    warn_if_grades_are_inferred(parsed, "eval_metric")
    return EvalMetric(parsed, int(n_threads))


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
        self._judged = _JudgedSets()

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
        if hasattr(y_pred, "get_label"):
            data_set, y_pred = y_pred, y_true
            y_true, weight = data_set.get_label(), data_set.get_weight()
            group = data_set.get_group()
        if group is None:
            raise ValueError(_NO_GROUP)
        judgments = self._judged.find(np.asarray(y_true), weight, group)
        scores = evaluate(self.measures, judgments.rank(y_pred, self.n_threads))
        _require_means(scores)
        means = scores.mean()
        return [(str(each), means[str(each)], each.greater_is_better) for each in self.measures]

    def __reduce__(self) -> Any:
        # LightGBM deep-copies the metric in every fit; copies start without the data sets.
        return EvalMetric, (self.measures, self.n_threads)

    def __repr__(self) -> str:
        return f"eval_metric({', '.join(repr(str(each)) for each in self.measures)})"


@dataclass(frozen=True)
class _JudgedSet:
    """Judgments of one data set, with copies of what they were made from."""

    owner: weakref.ref[NDArray[Any]]
    source: tuple[NDArray[Any] | None, ...]
    judgments: Judgments

    def is_made_from(self, source: tuple[NDArray[Any] | None, ...]) -> bool:
        pairs = zip(self.source, source, strict=True)
        return all(
            old is new if old is None or new is None else np.array_equal(old, new)
            for old, new in pairs
        )


class _JudgedSets:
    """Judgments of the data sets under evaluation, found by content.

    Labels are compared, not trusted to be the same because the array is: a caller may reuse a
    buffer. A set is forgotten when its label array is gone.
    """

    def __init__(self) -> None:
        self._sets: tuple[_JudgedSet, ...] = ()

    def find(self, y_true: NDArray[Any], weight: Any, group: Any) -> Judgments:
        source = (np.asarray(group), y_true, None if weight is None else np.asarray(weight))
        for known in self._sets:
            if known.is_made_from(source):
                return known.judgments
        copies = tuple(None if each is None else each.copy() for each in source)
        judgments = Judgments.from_groups(y_true, group, weight)
        owned = [(each, each.owner()) for each in self._sets]
        alive = [each for each, owner in owned if owner is not None and owner is not y_true]
        self._sets = (_JudgedSet(weakref.ref(y_true), copies, judgments), *alive)
        return judgments


def _require_means(scores: Scores) -> None:
    """Raise where a mean is undefined: NaN would stop LightGBM's training early, without a word."""
    counted = ~np.isnan(scores.values)
    weights = np.ones(len(counted)) if scores.weights is None else scores.weights
    for each, total in zip(scores.measures, weights @ counted, strict=True):
        if total == 0:
            raise ValueError(
                f"{each} has no value on this data set: none of its {len(counted)} queries has "
                "anything relevant and a positive weight. Evaluate on queries with relevant "
                "documents, or set empty=0.0 in the measure."
            )
