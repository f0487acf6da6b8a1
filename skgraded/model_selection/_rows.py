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
        return None if self.weight is None else self.judgments.weights

    @property
    def query_weight_of_row(self) -> NDArray[np.float64] | None:
        """Weight of the query of each row."""
        weight = self.query_weight
        return None if weight is None else np.repeat(weight, self.sizes)

    def take(self, queries: NDArray[np.int64]) -> QueryRows:
        """Take the rows of some queries, in the order in which they stand."""
        taken = np.zeros(len(self.sizes), dtype=bool)
        taken[queries] = True
        rows = np.flatnonzero(np.repeat(taken, self.sizes))
        return dataclasses.replace(
            self.at(rows, self.sizes[taken]), ranks=self.ranks[taken]
        )

    def at(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> QueryRows:
        """Take some rows in a given order, in which they form queries of the given sizes."""
        return QueryRows(
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            sizes=sizes,
            weight=None if self.weight is None else self.weight[rows],
            per_row={
                name: _safe_indexing(each, rows) for name, each in self.per_row.items()
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
    """

    rows: QueryRows
    named: NamedMeasures
    rounds: int | None

    def predicts_with(self, best_iteration: int | None) -> PredictsWith:
        """Which of the recorded iterations predictions use, where a library has found a best one.

        Where `rounds` is None, a callback of the user's has found it by a rule of its own.
        """
        if best_iteration is None:
            return "last"
        return "any" if self.rounds is None else "best"


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
    """

    evals_result: dict[str, dict[str, list[float]]]
    best_iteration: int | None
    predicts_with: PredictsWith


def take_named(fit_params: dict[str, Any], *, watches: bool) -> NamedMeasures:
    """Take measures out of ``eval_metric``: mappings of names, and functions of ours."""
    given = fit_params.get("eval_metric")
    metrics: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    ours: list[Any] = [each for each in metrics if isinstance(each, Mapping)]
    if ours and not watches:
        raise ValueError(
            "eval_metric needs validation queries to evaluate measures on: set "
            "validation_fraction, or pass eval_X."
        )
    if watches:
        ours += [
            each for each in metrics if hasattr(each, "named") and not each.as_loss
        ]
    if not ours:
        return ()
    others = [each for each in metrics if each not in ours]
    del fit_params["eval_metric"]
    if others:
        fit_params["eval_metric"] = others
    named = [each if isinstance(each, Mapping) else dict(each.named) for each in ours]
    return parse_named(named, "eval_metric")


def with_own(own: Measure, others: Mapping[str, Measure]) -> NamedMeasures:
    """Return the measures to record with their names, a ranker's own one first.

    A name that was chosen for it takes the place of its string.
    """
    chosen = [name for name, each in others.items() if each == own]
    rest = {name: each for name, each in others.items() if each != own}
    own_name = chosen[0] if chosen else str(own)
    if own_name in rest:
        raise ValueError(
            f"The names of measures must differ, got {own_name!r} for {own} and for "
            f"{rest[own_name]}."
        )
    return ((own_name, own), *rest.items())


def take_along(
    known: frozenset[str] | None, fit_params: Mapping[str, Any], n_rows: int
) -> dict[str, Any]:
    """Pick the fit parameters that go along with the rows.

    Parameters
    ----------
    known : frozenset of str or None
        The names of these parameters; None takes the arrays and lists with an entry per row.
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
        If a parameter of a known name has no entry for some row.
    """
    if known is not None:
        given = {name: fit_params[name] for name in known & fit_params.keys()}
        return {
            name: entry_per_row(name, value, n_rows)
            for name, value in given.items()
            if value is not None
        }
    return {
        # An older scikit-learn takes rows of Arrow arrays as lists of Arrow's scalars.
        name: np.asarray(value)
        if type(value).__module__.startswith("pyarrow")
        else value
        for name, value in fit_params.items()
        if _n_entries(value) == n_rows
    }


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
    is_sized = isinstance(value, list | tuple) or hasattr(value, "shape")
    is_sized = is_sized or hasattr(
        value, "__array__"
    )  # such as Arrow's, which have no shape
    try:
        return int(_num_samples(value)) if is_sized else None
    except TypeError:  # a single value
        return None


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
    (name, chosen) = validation.named[0]
    recorded = np.asarray(watched.evals_result["valid_0"][name])
    if watched.predicts_with != "any":
        best = recorded.max() if chosen.greater_is_better else recorded.min()
        recorded = np.array([best if watched.predicts_with == "best" else recorded[-1]])
    ((_, shown),) = named_means(((name, chosen),), rows.judgments.rank(scores))
    nearest = recorded[np.abs(recorded - shown).argmin()]
    scale = max(1.0, abs(nearest))
    difference = abs(shown - nearest)
    if (
        difference > _ROUNDING * scale
        and difference > _share_of_close_scores(rows, scores) * scale
    ):
        raise ValueError(
            f"{name} on the validation rows was {nearest:.6g} in training, in the iteration that "
            f"predictions use, but is {shown:.6g} by predict of {predictor}: another model was "
            "watched than the one that predicts. Look for what changes predict alone, such as a "
            "number or range of iterations, a rounding of its scores, or a transformer that gives "
            "other features for the same rows."
        )
    return float(nearest)


def _share_of_close_scores(rows: QueryRows, scores: NDArray[Any]) -> float:
    """Share of the queries with documents whose order by score may depend on rounding."""
    query = rows.query_of_row
    by_score = np.lexsort((scores, query))
    gaps = np.diff(scores[by_score].astype(np.float64))
    close = (
        (gaps > 0) & (gaps < _ROUNDING * np.abs(scores).max()) & (np.diff(query) == 0)
    )
    return len(np.unique(query[1:][close])) / len(rows.sizes)
