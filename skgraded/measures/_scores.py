"""`Scores`, the result of several measures for every query."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._averages import LEAST
from skgraded.measures._columns import column_of
from skgraded.measures._measure import Measure
from skgraded.measures._query_scores import QueryScores, frame_of, mean_of_values, table_of

if TYPE_CHECKING:
    import pandas as pd

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
    """

    measures: tuple[Measure, ...]
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: tuple[int, ...]

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

    # Iteration over measures or over queries would be ambiguous. Without this line, Python would
    # iterate by calling __getitem__ with 0, 1, ...
    __iter__: ClassVar[None] = None

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
        return len(self.values)

    def __repr__(self) -> str:
        return table_of(self.measures, self.values, self.weights, self.n_empty)
