"""Rows that stand query by query, to train on and to watch the training on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from skgraded.boosting import NamedMeasures
from skgraded.measures import Measure
from skgraded.model_selection._fitting._pairs import Pairs
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
    pairs : Pairs or None
        CatBoost's pairs of these rows.
    """

    X: Any
    y: NDArray[Any]
    sizes: NDArray[np.int64]
    weight: NDArray[Any] | None
    per_row: Mapping[str, Any]
    ranks: NDArray[np.int64]
    pairs: Pairs | None = None

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
            self.at(rows, self.sizes[taken]),
            ranks=self.ranks[taken],
        )

    def at(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> QueryRows:
        """Take some rows in a given order, in which they form queries of the given sizes."""
        return QueryRows(
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            sizes=sizes,
            weight=None if self.weight is None else self.weight[rows],
            per_row={name: _safe_indexing(each, rows) for name, each in self.per_row.items()},
            ranks=self.ranks,
            pairs=None if self.pairs is None else self.pairs.at(rows, len(self.y)),
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

    def with_others(self, others: Iterable[tuple[str, Measure]]) -> NamedMeasures:
        """Add measures that are to be recorded, too.

        A name that was chosen for a measure takes the place of its string.
        """
        others = tuple(others)
        (own_name, own), *rest = self.named
        chosen = [name for name, each in others if each == own]
        if own_name == str(own) and chosen:
            own_name = chosen[0]
        everything: dict[str, Measure] = {own_name: own}
        for name, each in [*rest, *others]:
            if each == own:
                continue
            if everything.setdefault(name, each) != each:
                raise ValueError(
                    f"The names of measures must differ, got {name!r} for {everything[name]} and "
                    f"for {each}."
                )
        return tuple(everything.items())


class Watched(NamedTuple):
    """What a training has recorded on the validation queries.

    Attributes
    ----------
    evals_result : dict
        The values by name of the rows and name of the metric.
    best_iteration : int or None
        The number of iterations that predictions use.
    named : tuple of (str, Measure)
        The measures among the metrics, by the names that they have there; the first was watched.
    predicts_with : {"best", "last", "any"}
        Which of the recorded iterations predictions use; "any" where another rule chose it.
    """

    evals_result: dict[str, dict[str, list[float]]]
    best_iteration: int | None
    named: NamedMeasures
    predicts_with: PredictsWith
