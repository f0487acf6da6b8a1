"""Scores of many parts as one: exact sums, and values query by query when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded.engines._rows import join_ids
from skgraded.measures import Measure, Scores, column_of
from skgraded.measures._exact_mean import MeanSums
from skgraded.measures._query_scores import mean_of, table_of_means

__all__ = ["PartedScores", "Totals", "concatenate"]


class Totals(NamedTuple):
    """What the means of some whole queries are made of; parts add up to the same bits in any order.

    Attributes
    ----------
    n_queries : int
        Number of queries.
    n_documents : int
        Number of rows.
    n_empty : tuple of int
        For each measure, the number of queries with nothing relevant.
    n_left_out : tuple of int
        For each measure, the number of queries without a value.
    sums : tuple of MeanSums
        For each measure, the sums over queries.
    """

    n_queries: int
    n_documents: int
    n_empty: tuple[int, ...]
    n_left_out: tuple[int, ...]
    sums: tuple[MeanSums, ...]

    @classmethod
    def nothing(cls, n_measures: int) -> Totals:
        """Totals of no query."""
        none = (0,) * n_measures
        return cls(0, 0, none, none, (MeanSums(),) * n_measures)

    @classmethod
    def of(cls, scores: Scores, n_documents: int) -> Totals:
        """Add up scores.

        Parameters
        ----------
        scores : Scores
            Values query by query.
        n_documents : int
            Number of rows that they stand for.

        Returns
        -------
        Totals
            Their totals.
        """
        return cls(
            len(scores.values),
            n_documents,
            scores.n_empty,
            tuple(np.isnan(scores.values).sum(axis=0).tolist()),
            tuple(MeanSums.of(column, scores.weights) for column in scores.values.T),
        )

    def joined(self, other: Totals) -> Totals:
        """Totals over both.

        Parameters
        ----------
        other : Totals
            Those of other queries.

        Returns
        -------
        Totals
            The sum.
        """
        return Totals(
            self.n_queries + other.n_queries,
            self.n_documents + other.n_documents,
            _added(self.n_empty, other.n_empty),
            _added(self.n_left_out, other.n_left_out),
            tuple(one.joined(two) for one, two in zip(self.sums, other.sums, strict=True)),
        )

    @classmethod
    def joined_all(cls, parts: Iterable[Totals], n_measures: int) -> Totals:
        """Totals over all parts.

        Parameters
        ----------
        parts : iterable of Totals
            The parts.
        n_measures : int
            Number of measures, in case that there is no part.

        Returns
        -------
        Totals
            The sum.
        """
        return reduce(cls.joined, parts, cls.nothing(n_measures))


def _added(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, two, strict=True))


class PartedScores(Scores):
    """`Scores` of data in parts: means at once, values query by query when they are asked for.

    Parameters
    ----------
    measures : tuple of Measure
        The measures.
    totals : Totals
        What the means are made of.
    collect : callable
        Brings the values of all queries together, as a Scores.
    collected : Scores, optional
        These values, where they are at hand.
    """

    def __init__(
        self,
        measures: tuple[Measure, ...],
        totals: Totals,
        collect: Callable[[], Scores],
        collected: Scores | None = None,
    ) -> None:
        vars(self).update(measures=measures, totals=totals, n_empty=totals.n_empty)
        vars(self).update(_collect=collect)
        if collected is not None:
            vars(self).update(_values=collected)

    @property
    def _collected(self) -> Scores:
        kept = vars(self)
        collect = kept["_collect"]  # first, for another thread may be done with it
        if "_values" not in kept:
            kept["_values"] = collect()
            kept["_collect"] = _have_not_travelled  # it held on to the data
        values: Scores = kept["_values"]
        return values

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> Any:
        collected = vars(self).get("_values")
        return PartedScores, (self.measures, self._totals, _have_not_travelled, collected)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self)

    @property
    def n_documents(self) -> int:
        """Number of rows."""
        return self._totals.n_documents

    @property
    def _totals(self) -> Totals:
        totals: Totals = vars(self)["totals"]
        return totals

    @property
    def qid(self) -> NDArray[Any]:
        """Query ids, in the order of the data."""
        return self._collected.qid

    @property
    def values(self) -> NDArray[np.float64]:
        """Value of each query, shape (n_queries, n_measures)."""
        return self._collected.values

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Weight of each query."""
        return self._collected.weights

    def mean(self) -> dict[str, float]:
        """Weighted means over the queries that have a value.

        Returns
        -------
        dict of str to float
            The mean of each measure, by its name; nan, with an `UndefinedMeanWarning`, where no
            query is left.
        """
        return {str(each): self._mean_of(column) for column, each in enumerate(self.measures)}

    def __getitem__(self, name: str | Measure) -> float:
        """Mean of one measure, by its name."""
        return self._mean_of(column_of(name, self.measures))

    def _mean_of(self, column: int) -> float:
        totals = self._totals
        left_out = totals.n_left_out[column]
        return mean_of(totals.sums[column], self.measures[column], totals.n_queries, left_out)

    def __len__(self) -> int:
        return self._totals.n_queries

    def __repr__(self) -> str:
        means = [each.mean for each in self._totals.sums]
        return table_of_means(self.measures, means, len(self), self.n_empty)


def _have_not_travelled() -> Scores:
    raise ValueError(
        "Values query by query do not travel with pickled scores unless they were asked for: read "
        ".values before."
    )


def concatenate(parts: list[Scores]) -> Scores:
    """Put scores of different queries one below the other."""
    first = parts[0]
    weighted = first.weights is not None
    return Scores(
        first.measures,
        join_ids([each.qid for each in parts]),
        np.concatenate([each.values for each in parts]),
        np.concatenate([each.weights for each in parts]) if weighted else None,
        tuple(np.sum([each.n_empty for each in parts], axis=0).tolist()),
    )
