"""`QueryScores`, the result of one measure, and the means and tables of all result classes."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import import_pandas
from skgraded._stack import stacklevel_of_the_user
from skgraded._warnings import UndefinedMeanWarning
from skgraded.measures._averages import LEAST, average_of
from skgraded.measures._exact_mean import MeanSums

if TYPE_CHECKING:
    import pandas as pd

    from skgraded.measures._measure import Measure

__all__ = ["QueryScores", "frame_of", "mean_of", "mean_of_values", "table_of", "table_of_means"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class QueryScores:
    """Values of one measure, query by query.

    Attributes
    ----------
    measure : Measure
        The measure.
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    values : ndarray of shape (n_queries,)
        Value of each query; queries with the value nan are left out of the mean.
    weights : ndarray of shape (n_queries,) or None
        Weight of each query in the mean.
    n_empty : int
        Number of queries without relevant documents, whose value is ``measure.empty``.
    """

    measure: Measure
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: int

    def mean(self, average: str = "arithmetic", *, floor: float = LEAST) -> float:
        """Return the weighted mean over the queries whose value is not nan.

        Parameters
        ----------
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean. The geometric mean of AP is trec_eval's gm_map, that of Bpref its
            gm_bpref; it depends more on the queries with the smallest values.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        float
            The mean; nan, with an `UndefinedMeanWarning`, if no query is left.

        Examples
        --------
        >>> from skgraded import RR
        >>> found = RR().per_query([1, 0, 0, 0, 0, 1], [2, 1, 4, 3, 2, 1], qid=[1, 1, 2, 2, 2, 2])
        >>> found.mean(), found.mean("geometric")
        (0.625, 0.5)
        """
        return mean_of_values(self.values, self.weights, self.measure, average, floor)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per query.

        Returns
        -------
        DataFrame
            One column, whose name is the measure; the index holds the query ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of(self.values[:, None], self.qid, [self.measure])

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return table_of([self.measure], self.values[:, None], self.weights, [self.n_empty])


def mean_of_values(
    values: FloatArray,
    weights: FloatArray | None,
    measure: Measure,
    average: str = "arithmetic",
    floor: float = LEAST,
) -> float:
    chosen = average_of(average, floor)
    sums = MeanSums.of(chosen.onto(values), weights)
    n_left_out = 0 if sums.weights else int(np.isnan(values).sum())
    return float(chosen.back(mean_of(sums, measure, len(values), n_left_out)))


def mean_of(sums: MeanSums, measure: Measure, n_queries: int, n_left_out: int) -> float:
    """Return the mean from its sums; warn and return nan if the weights add up to 0."""
    if sums.weights == 0:
        warnings.warn(
            f"The mean of {measure} is undefined because no query has a value and a positive "
            f"weight ({n_left_out} of {n_queries} have nothing relevant).",
            UndefinedMeanWarning,
            stacklevel=stacklevel_of_the_user(),
        )
    return sums.mean


def frame_of(values: FloatArray, qid: NDArray[Any], measures: Any) -> pd.DataFrame:
    pandas = import_pandas(".qid and .values")
    names = [str(each) for each in measures]
    frame: pd.DataFrame = pandas.DataFrame(
        values, index=pandas.Index(qid, name="qid"), columns=names
    )
    return frame


def table_of(measures: Any, values: FloatArray, weights: FloatArray | None, n_empty: Any) -> str:
    means = [MeanSums.of(column, weights).mean for column in values.T]
    return table_of_means(measures, means, len(values), n_empty)


def table_of_means(measures: Any, means: Any, n_queries: int, n_empty: Any) -> str:
    """Write a table of means, with notes on the queries without relevant documents."""
    names = [str(each) for each in measures]
    width = max(map(len, [*names, "measure"]))
    queries = "1 query" if n_queries == 1 else f"{n_queries} queries"
    lines = [f"{'measure':<{width}}  {'mean':>8}  over {queries}"]
    for name, each, mean, empties in zip(names, measures, means, n_empty, strict=True):
        lines.append(f"{name:<{width}}  {mean:>8.4f}{_note_on_empty(each, empties)}")
    return "\n".join(lines)


def _note_on_empty(measure: Measure, n_empty: int) -> str:
    if n_empty == 0:
        return ""
    fate = "left out" if np.isnan(measure.empty) else f"counted as {measure.empty:g}"
    return f"  ({n_empty} with nothing relevant, {fate})"
