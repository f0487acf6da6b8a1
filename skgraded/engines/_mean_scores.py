"""Means of measures without the values of the queries."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import ItemsView, Iterator

from skgraded.engines._totals import Totals
from skgraded.measures import Measure, column_of
from skgraded.measures._query_scores import MeansTable, warn_of_no_mean

__all__ = ["MeanScores"]


@dataclasses.dataclass(frozen=True, repr=False)
class MeanScores:
    """Means of several measures over queries whose values were not kept.

    `skgraded.chunks.evaluate`, `skgraded.dask.evaluate` and `skgraded.spark.evaluate` return it;
    with ``per_query=True`` they return `skgraded.measures.Scores`, which also holds the values.
    The means of both are the same to the last bit. Two of these are equal if their measures and
    all sums are.

    Attributes
    ----------
    measures : tuple of Measure
        The measures.
    totals : Totals
        The numbers of queries and rows, and the exact sums that the means are made of.

    Examples
    --------
    >>> from skgraded import chunks
    >>> means = chunks.evaluate(["AP", "nDCG@2"], [([2, 0, 1], [.9, .5, .7], [1, 1, 2])])
    >>> means.n_queries, means.n_documents
    (2, 3)
    >>> means["AP"], "xGAP" in means
    (1.0, False)
    >>> means.mean()
    {'AP': 1.0, 'nDCG@2': 1.0}
    """

    measures: tuple[Measure, ...]
    totals: Totals

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.totals.n_queries

    @property
    def n_documents(self) -> int:
        """Number of rows."""
        return self.totals.n_documents

    @property
    def n_empty(self) -> tuple[int, ...]:
        """For each measure, the number of queries with nothing relevant."""
        return self.totals.n_empty

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
        return self._mean_of(column_of(self.measures, name))

    def __contains__(self, name: object) -> bool:
        """Whether a measure, by itself or its name, is among those scored."""
        if not isinstance(name, str | Measure):
            return False
        try:
            column_of(self.measures, name)
        except KeyError:
            return False
        return True

    def to_dict(self) -> dict[str, float]:
        """Return the means, as `mean` does.

        Returns
        -------
        dict of str to float
            The mean of each measure, by its name.
        """
        return self.mean()

    def items(self) -> ItemsView[str, float]:
        """Return pairs of the name of a measure and its mean.

        Returns
        -------
        ItemsView
            The pairs, as of a dict.
        """
        return self.mean().items()

    def __iter__(self) -> Iterator[str]:
        return iter([str(each) for each in self.measures])

    def __len__(self) -> int:
        return len(self.measures)

    def _table(self) -> MeansTable:
        means = [each.mean for each in self.totals.sums]
        unknown = [None] * len(means)
        return MeansTable(self.measures, means, self.n_queries, self.n_empty, unknown)

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    def _mean_of(self, column: int) -> float:
        totals = self.totals
        mean = totals.sums[column].mean
        if math.isnan(mean):
            left_out = totals.n_left_out[column]
            warn_of_no_mean(self.measures[column], totals.n_queries, left_out)
        return mean
