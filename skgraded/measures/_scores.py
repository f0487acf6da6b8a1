"""`Scores`, the result of several measures for every query."""

from __future__ import annotations

import dataclasses
from collections.abc import ItemsView, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._columns import column_of
from skgraded.measures._measure import Measure
from skgraded.measures._query_scores import (
    MeansTable,
    QueryScores,
    frame_of,
    mean_of_ideal,
    mean_of_values,
)
from skgraded.results import exact_means
from skgraded.results._averages import LEAST

if TYPE_CHECKING:
    import pandas as pd

    from skgraded.rankings import Judgments

__all__ = ["Scores"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Values of several measures for every query.

    Attributes
    ----------
    measures : tuple of Measure
        The measures, one per column of ``values``.
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    values : ndarray of shape (n_queries, n_measures)
        Value of each query; queries with the value nan are left out of the mean.
    weights : ndarray of shape (n_queries,) or None
        Weight of each query in the mean.
    n_empty : tuple of int
        For each measure, the number of queries without relevant documents.
    judgments : Judgments or None
        The judgments, of which `ideal` is computed; a copy made by pickle does not hold them.

    Notes
    -----
    A result is a mapping of the measures' names to their means, too: ``scores["nDCG@10"]``,
    ``for name in scores``, ``dict(scores.items())``.
    """

    measures: tuple[Measure, ...]
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: tuple[int, ...]
    judgments: Judgments | None = None

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.values)

    def mean(self, average: str = "arithmetic", *, floor: float = LEAST) -> dict[str, float]:
        """Return the weighted means over the queries whose value is not nan.

        Parameters
        ----------
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean. The geometric mean of AP is trec_eval's gm_map, that of Bpref its
            gm_bpref; it depends more on the queries with the smallest values.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        dict of str to float
            The mean of each measure, by its name; nan, with an `UndefinedMeanWarning`, if no
            query is left.
        """
        columns = zip(self.measures, self.values.T, strict=True)
        return {
            str(each): mean_of_values(column, self.weights, each, average, floor)
            for each, column in columns
        }

    def ideal(self) -> dict[str, float | None]:
        """Return the means that the ideal ranking has, in which a better grade is always above.

        They may be below 1: xGAP and eGAP, for instance, count the users whom only a top grade
        satisfies, also in queries that have no such document.

        Returns
        -------
        dict of str to float or None
            The mean of each measure, by its name; None if the judgments are unknown, or the
            measure has no ideal ranking.
        """
        return {str(each): mean_of_ideal(each, self.judgments) for each in self.measures}

    def __getitem__(self, name: str | Measure) -> float:
        """Return the mean of one measure."""
        column = column_of(self.measures, name)
        return mean_of_values(self.values[:, column], self.weights, self.measures[column])

    def per_query(self, name: str | Measure) -> QueryScores:
        """Return the values of one measure.

        Parameters
        ----------
        name : str or Measure
            The measure.

        Returns
        -------
        QueryScores
            Its value for every query.

        Raises
        ------
        KeyError
            If the measure was not scored.
        """
        column = column_of(self.measures, name)
        return QueryScores(
            self.measures[column],
            self.qid,
            self.values[:, column],
            self.weights,
            self.n_empty[column],
            self.judgments,
        )

    def __contains__(self, name: object) -> bool:
        """Whether a measure, given as an object or a string, was scored."""
        if not isinstance(name, str | Measure):
            return False
        try:
            column_of(self.measures, name)
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter([str(each) for each in self.measures])

    def items(self) -> ItemsView[str, float]:
        """Return pairs of the name of a measure and its mean.

        Returns
        -------
        ItemsView
            The pairs, as of a dict.
        """
        return self.mean().items()

    def to_dict(self) -> dict[Any, dict[str, float]]:
        """Return the values by query id and name of the measure, as pytrec_eval does.

        Returns
        -------
        dict of query id to dict of str to float
            Query ids and values as Python objects.
        """
        rows = zip(self.qid.tolist(), self.values.tolist(), strict=True)
        return {query: dict(zip(self, row, strict=True)) for query, row in rows}

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per query and one column per measure.

        Returns
        -------
        DataFrame
            The names of the columns are the measures; the index holds the query ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of(self.values, self.qid, self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "judgments": None}

    def _table(self) -> MeansTable:
        means = exact_means([[column] for column in self.values.T], self.weights)
        ideals = list(self.ideal().values())
        return MeansTable(self.measures, means, self.n_queries, self.n_empty, ideals)

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()
