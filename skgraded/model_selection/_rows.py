"""Rows that stand query by query, to train on and to watch the training on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from skgraded._boosting import NamedMeasures, named_means, parse_named
from skgraded._support.frames import library_of
from skgraded._support.lazy import cached_property
from skgraded.measures import Measure
from skgraded.rankings import Judgments

PredictsWith = Literal["best", "last", "any"]


@dataclasses.dataclass(frozen=True)
class QueryRows:
    """Rows that stand query by query.

    Attributes
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.
    y : ndarray of shape (n_documents,)
        Grades; NaN = unjudged, which only validation rows may be.
    sizes : ndarray of shape (n_queries,), int64
        Number of rows of each query.
    weight : ndarray of shape (n_documents,) or None
        Weight of each row.
    per_row : mapping of str to array-like of shape (n_documents,)
        Fit parameters with an entry per row, such as LightGBM's ``init_score``.
    ranks : ndarray of shape (n_queries,), int64
        Rank of each query by its id, from 0.
    """

    X: Any
    y: NDArray[Any]
    sizes: NDArray[np.int64]
    weight: NDArray[Any] | None
    per_row: Mapping[str, Any]
    ranks: NDArray[np.int64]

    @property
    def query_of_row(self) -> NDArray[np.int64]:
        """0, 1, ... for each row: ids in ascending order, which XGBoost requires."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def ids_of_rows(self) -> NDArray[np.int64]:
        """Rank of the id of each row's query: ids by which splitters make the same folds."""
        return np.repeat(self.ranks, self.sizes)

    @property
    def labels(self) -> NDArray[np.float64]:
        """A copy of the grades for a booster, which accepts no NaN: 0 where a row is unjudged."""
        return np.nan_to_num(self.y.astype(np.float64))

    @cached_property
    def judgments(self) -> Judgments:
        """Grades and weights by query, NaN included."""
        return Judgments.from_groups(self.y, self.sizes, self.weight)

    @property
    def query_weight(self) -> NDArray[np.float64] | None:
        """Mean weight of the rows of each query."""
        if self.weight is None:
            return None
        return self.judgments.weights

    @property
    def query_weight_of_row(self) -> NDArray[np.float64] | None:
        """Weight of the query of each row."""
        query_weight = self.query_weight
        if query_weight is None:
            return None
        return np.repeat(query_weight, self.sizes)

    def take(self, queries: NDArray[np.int64]) -> QueryRows:
        """Take the rows of some queries, in the order in which they stand."""
        is_selected = np.zeros(len(self.sizes), dtype=bool)
        is_selected[queries] = True

        rows = np.flatnonzero(np.repeat(is_selected, self.sizes))
        selection = self.at(rows, self.sizes[is_selected])
        return dataclasses.replace(selection, ranks=self.ranks[is_selected])

    def at(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> QueryRows:
        """Take some rows in a given order, in which they form queries of the given sizes."""
        weight = None
        if self.weight is not None:
            weight = self.weight[rows]

        return QueryRows(
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            sizes=sizes,
            weight=weight,
            per_row={
                name: _safe_indexing(values, rows)
                for name, values in self.per_row.items()
            },
            ranks=self.ranks,
        )


@dataclasses.dataclass(frozen=True)
class Validation:
    """Rows of whole queries to watch the training on.

    Attributes
    ----------
    rows : QueryRows
        The rows.
    named : tuple of (str, Measure)
        The measures to record with their names; the first is watched.
    rounds : int or None
        The number of rounds without improvement after which training stops.
    min_delta : float
        By more than how much a value must be better to count as an improvement.
    """

    rows: QueryRows
    named: NamedMeasures
    rounds: int | None
    min_delta: float = 0.0

    def predicts_with(self, best_iteration: int | None) -> PredictsWith:
        """Which of the recorded iterations predictions use, where a library has found a best one.

        Where `rounds` is None, a callback of the user's has found it by a rule of its own.
        """
        if best_iteration is None:
            return "last"
        if self.rounds is None:
            return "any"
        return "best"


class Watched(NamedTuple):
    """What a training has recorded on the validation queries.

    Attributes
    ----------
    evals_result : dict
        The values by name of the rows and name of the metric.
    best_iteration : int or None
        The number of iterations that predictions use.
    predicts_with : {"best", "last", "any"}
        Which of the recorded iterations predictions use; "any" where another rule chose it.
    best_entry : int or None
        The number of the best entry of the history, where the library's rule is not LightGBM's.
    """

    evals_result: dict[str, dict[str, list[float]]]
    best_iteration: int | None
    predicts_with: PredictsWith
    best_entry: int | None = None


def split_eval_metric(
    fit_params: Mapping[str, Any], *, watches: bool
) -> tuple[NamedMeasures, dict[str, Any]]:
    """Separate our measures in ``eval_metric`` from the fit parameters for the estimator.

    Ours are mappings of names and, where a measure is watched, functions of ours. What else
    ``eval_metric`` holds stays among the fit parameters.
    """
    eval_metric = fit_params.get("eval_metric")
    metrics: list[Any] = [eval_metric]
    if isinstance(eval_metric, list | tuple):
        metrics = list(eval_metric)

    mappings = [metric for metric in metrics if isinstance(metric, Mapping)]
    if mappings and not watches:
        raise ValueError(
            "eval_metric needs validation queries to evaluate measures on: set "
            "validation_fraction, or pass eval_X."
        )

    functions = []
    if watches:
        functions = [
            metric
            for metric in metrics
            if hasattr(metric, "named") and not metric.as_loss
        ]
    our_metrics = [*mappings, *functions]
    if not our_metrics:
        return (), dict(fit_params)

    names = [*mappings, *(dict(function.named) for function in functions)]
    named_measures = parse_named(names, "eval_metric")

    remaining_params = dict(fit_params)
    del remaining_params["eval_metric"]
    foreign_metrics = [metric for metric in metrics if metric not in our_metrics]
    if foreign_metrics:
        remaining_params["eval_metric"] = foreign_metrics
    return named_measures, remaining_params


def measures_to_record(
    ranker_measure: Measure, measures: Mapping[str, Measure]
) -> NamedMeasures:
    """Return the measures to record with their names, a ranker's own one first.

    A name that was chosen for it takes the place of its string.
    """
    chosen_names = [name for name in measures if measures[name] == ranker_measure]
    ranker_name = chosen_names[0] if chosen_names else str(ranker_measure)

    different_measures = {
        name: measure for name, measure in measures.items() if measure != ranker_measure
    }
    if ranker_name in different_measures:
        raise ValueError(
            f"The names of measures must differ, got {ranker_name!r} for {ranker_measure} "
            f"and for {different_measures[ranker_name]}."
        )
    return ((ranker_name, ranker_measure), *different_measures.items())


def params_per_row(
    names: frozenset[str] | None, fit_params: Mapping[str, Any], n_rows: int
) -> dict[str, Any]:
    """Pick the fit parameters that go along with the rows.

    Parameters
    ----------
    names : frozenset of str or None
        The names of these parameters, where they are known; None takes the arrays and lists with
        an entry per row.
    fit_params : mapping of str to object
        All fit parameters.
    n_rows : int
        Number of rows.

    Returns
    -------
    dict of str to array-like
        Those that go along, in the order in which the rows were given.

    Raises
    ------
    ValueError
        If a parameter of one of the names has no entry for some row.
    """
    if names is not None:
        return {
            name: entry_per_row(name, fit_params[name], n_rows)
            for name in names & fit_params.keys()
            if fit_params[name] is not None
        }

    per_row = {}
    for name, value in fit_params.items():
        if _n_entries(value) != n_rows:
            continue
        # An older scikit-learn takes rows of Arrow arrays as lists of Arrow's scalars.
        is_of_arrow = library_of(value) == "pyarrow"
        per_row[name] = np.asarray(value) if is_of_arrow else value
    return per_row


def entry_per_row(name: str, value: Any, n_rows: int) -> NDArray[Any]:
    """Return values as an array; raise where they are not one for each row."""
    values = np.asarray(value)
    n_entries = len(values) if values.ndim else 1
    if n_entries != n_rows:
        raise ValueError(
            f"{name} must have an entry per row, got {n_entries} for {n_rows} rows; with several "
            "values for each row, their shape is (n_rows, n_values)."
        )
    return values


def _n_entries(value: Any) -> int | None:
    is_sized = (
        isinstance(value, list | tuple)
        or hasattr(value, "shape")
        or hasattr(value, "__array__")  # such as Arrow's, which have no shape
    )
    if not is_sized:
        return None
    try:
        return int(_num_samples(value))
    except TypeError:  # a single value
        return None


def best_entry(watched: Watched, validation: Validation) -> int:
    """Return the number of the entry of the history that early stopping takes for the best."""
    if watched.best_entry is not None:
        return watched.best_entry
    name, measure = validation.named[0]
    recorded = np.asarray(watched.evals_result["valid_0"][name])
    gains = recorded if measure.greater_is_better else -recorded

    best = 0
    for entry in range(1, len(gains)):
        if gains[entry] > gains[best] + validation.min_delta:
            best = entry
    return best


# Of the largest score or of a value. The last digits of scores may depend on how they are summed.
_ROUNDING = 1e-6


def recorded_value(
    watched: Watched, validation: Validation, scores: NDArray[Any], predictor: str
) -> float:
    """Return the value recorded while training that predictions have; raise where they differ.

    Parameters
    ----------
    watched : Watched
        The recorded values.
    validation : Validation
        The validation rows and the measures.
    scores : ndarray of shape (n_documents,)
        The predictions for these rows.
    predictor : str
        Name of the estimator, for the message.

    Returns
    -------
    float
        The value of the watched measure.
    """
    rows = validation.rows
    name, _ = validation.named[0]
    recorded = np.asarray(watched.evals_result["valid_0"][name])

    # The value of the iteration that predictions use, or the nearest one where it is not known.
    rankings = rows.judgments.rank(scores)
    ((_, predicted),) = named_means(validation.named[:1], rankings)
    if watched.predicts_with == "last":
        expected = recorded[-1]
    elif watched.predicts_with == "best":
        expected = recorded[best_entry(watched, validation)]
    else:
        nearest_iteration = np.abs(recorded - predicted).argmin()
        expected = recorded[nearest_iteration]

    # Where scores are close, rounding may change all of the value of a query.
    scale = max(1.0, abs(expected))
    difference = abs(predicted - expected)
    exceeds_rounding = difference > _ROUNDING * scale
    if exceeds_rounding and difference > _share_of_close_scores(rows, scores) * scale:
        raise ValueError(
            f"{name} on the validation rows was {expected:.6g} in training, in the "
            f"iteration that predictions use, but is {predicted:.6g} by predict of "
            f"{predictor}: another model was watched than the one that predicts. Look for "
            "what changes predict alone, such as a number or range of iterations, a rounding "
            "of its scores, or a transformer that gives other features for the same rows."
        )
    return float(expected)


def _share_of_close_scores(rows: QueryRows, scores: NDArray[Any]) -> float:
    """Share of the queries with documents whose order by score may depend on rounding."""
    query = rows.query_of_row
    by_query_and_score = np.lexsort((scores, query))
    sorted_scores = scores[by_query_and_score].astype(np.float64)

    # Neighbours by score of one query, whose scores differ by little.
    gaps = np.diff(sorted_scores)
    largest_rounding = _ROUNDING * np.abs(scores).max()
    is_within_query = np.diff(query) == 0
    is_close = is_within_query & (gaps > 0) & (gaps < largest_rounding)

    queries_of_close_scores = np.unique(query[1:][is_close])
    return len(queries_of_close_scores) / len(rows.sizes)
