"""`Means`, the means of measures over queries whose values were not kept."""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import Any

import numpy as np

from skgraded._support.exact_mean import MeanSums
from skgraded._support.results_base import Field, Result
from skgraded._support.text import count
from skgraded.results._names import MeasureCollection, columns_of, entries_at
from skgraded.results._scores import Scores, warn_of_no_mean
from skgraded.results._tables import WIDEST_MEASURE, fields_of_measures, notes_on_empty


@dataclasses.dataclass(frozen=True, repr=False)
class Means(MeasureCollection, Result):
    """Means of measures over queries whose values were not kept.

    `skgraded.chunks.evaluate`, `skgraded.dask.evaluate` and `skgraded.spark.evaluate` return it;
    with ``per_query=True`` they return `Scores`, which also holds the values. The means of both are
    the same to the last bit. The means of parts of the queries add up by `joined`, to the same bits
    in any order. Two of these are equal if their measures and all sums are.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    n_queries : int
        Number of queries.
    n_documents : int
        Number of rows.
    n_empty : tuple of int
        For each measure, the number of queries with nothing relevant.
    n_left_out : tuple of int
        For each measure, the number of queries without a value.
    sums : tuple of MeanSums
        For each measure, the exact sums over queries.
    empty : tuple of float
        For each measure, the value of queries with nothing relevant; nan leaves them out.

    Examples
    --------
    >>> from skgraded import chunks
    >>> means = chunks.evaluate(["AP", "nDCG@2"], [([2, 0, 1], [.9, .5, .7], [1, 1, 2])])
    >>> means.n_queries, means.n_documents
    (2, 3)
    >>> float(means["AP"]), "xGAP" in means
    (1.0, False)
    >>> means.mean()
    {'AP': 1.0, 'nDCG@2': 1.0}
    """

    measures: tuple[str, ...]
    n_queries: int
    n_documents: int
    n_empty: tuple[int, ...]
    n_left_out: tuple[int, ...]
    sums: tuple[MeanSums, ...]
    empty: tuple[float, ...] = dataclasses.field(
        compare=False
    )  # nan differs from itself

    @classmethod
    def of(cls, scores: Scores, n_documents: int) -> Means:
        """Take the means of scores.

        Parameters
        ----------
        scores : Scores
            The values of the queries, of one system.
        n_documents : int
            Number of rows of these queries.

        Returns
        -------
        Means
            Their means.
        """
        return cls(
            measures=scores.measures,
            n_queries=scores.n_queries,
            n_documents=n_documents,
            n_empty=tuple(number or 0 for number in scores.n_empty),
            n_left_out=tuple(np.isnan(scores.values).sum(axis=0).tolist()),
            sums=tuple(
                MeanSums.of(column, scores.weights) for column in scores.values.T
            ),
            empty=scores.empty,
        )

    def joined(self, other: Means) -> Means:
        """Add the means over other queries.

        Parameters
        ----------
        other : Means
            Means of the same measures.

        Returns
        -------
        Means
            The means over all.
        """
        n_empty = map(operator.add, self.n_empty, other.n_empty)
        n_left_out = map(operator.add, self.n_left_out, other.n_left_out)
        pairs = zip(self.sums, other.sums, strict=True)
        sums = [ours.joined(theirs) for ours, theirs in pairs]

        return dataclasses.replace(
            self,
            n_queries=self.n_queries + other.n_queries,
            n_documents=self.n_documents + other.n_documents,
            n_empty=tuple(n_empty),
            n_left_out=tuple(n_left_out),
            sums=tuple(sums),
        )

    def __getitem__(self, name: Any) -> Means:
        """Pick one measure by its name, or several by a list of names."""
        columns = columns_of(self.measures, name)
        fields = ("measures", "n_empty", "n_left_out", "sums", "empty")
        picked = entries_at(columns, vars(self), fields)
        return dataclasses.replace(self, **picked)

    def mean(self) -> dict[str, float]:
        """Return the weighted means over the queries that have a value.

        Returns
        -------
        dict of str to float
            The mean of each measure by its name; nan, with an `UndefinedMeanWarning`, where no
            query is left.
        """
        means = [sums.mean for sums in self.sums]
        mean_by_measure = dict(zip(self.measures, means, strict=True))

        n_left_out_by_measure = zip(self.measures, self.n_left_out, strict=True)
        for name, n_left_out in n_left_out_by_measure:
            if math.isnan(mean_by_measure[name]):
                warn_of_no_mean(name, self.n_queries, n_left_out)
        return mean_by_measure

    def __float__(self) -> float:
        """Return the only mean."""
        if len(self) != 1:
            raise TypeError(
                f"float() needs a result with one mean, got {len(self)}: choose by "
                f"means[{self.measures[0]!r}]."
            )
        return self.mean()[self.measures[0]]

    def to_dict(self) -> dict[str, float]:
        """Return the means, as `mean` does.

        Returns
        -------
        dict of str to float
            The mean of each measure by its name.
        """
        return self.mean()

    _widest_label = WIDEST_MEASURE

    def _fields(self) -> list[Field]:
        means = [sums.mean for sums in self.sums]
        columns = {"mean": means}
        return fields_of_measures(self.measures, columns, ideals=[])

    def _sentences(self) -> list[str]:
        size = f"Means over {count(self.n_queries, 'query', 'queries')}."
        notes = notes_on_empty(self.measures, self.n_empty, self.empty)
        return [size, *notes]
