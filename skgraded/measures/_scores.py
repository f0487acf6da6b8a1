"""Results: one measure or several, query by query."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import import_pandas
from skgraded._warnings import UndefinedMeanWarning, stacklevel_of_the_user
from skgraded.measures._exact_mean import MeanSums

if TYPE_CHECKING:
    import pandas as pd

    from skgraded.measures._base import Measure

__all__ = ["QueryScores", "Scores"]

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
        Value of each query; nan = left out of the mean.
    weights : ndarray of shape (n_queries,) or None
        Weight of each query in the mean.
    n_empty : int
        Number of queries with nothing relevant, whose value is ``measure.empty``.
    """

    measure: Measure
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: int

    def mean(self) -> float:
        """Weighted mean over the queries that have a value.

        Returns
        -------
        float
            The mean; nan, with an `UndefinedMeanWarning`, where no query is left.
        """
        return _mean(self.values, self.weights, self.measure)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per query.

        Returns
        -------
        DataFrame
            One column, named by the measure; the index holds the query ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame(self.values[:, None], self.qid, [self.measure])

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return _table([self.measure], self.values[:, None], self.weights, [self.n_empty])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Values of several measures, query by query.

    Attributes
    ----------
    measures : tuple of Measure
        The measures, one per column of ``values``.
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    values : ndarray of shape (n_queries, n_measures)
        Value of each query; nan = left out of the mean.
    weights : ndarray of shape (n_queries,) or None
        Weight of each query in the mean.
    n_empty : tuple of int
        For each measure, the number of queries with nothing relevant.
    """

    measures: tuple[Measure, ...]
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: tuple[int, ...]

    def mean(self) -> dict[str, float]:
        """Weighted means over the queries that have a value.

        Returns
        -------
        dict of str to float
            The mean of each measure, by its name; nan, with an `UndefinedMeanWarning`, where no
            query is left.
        """
        columns = zip(self.measures, self.values.T, strict=True)
        return {str(each): _mean(column, self.weights, each) for each, column in columns}

    def __getitem__(self, name: str | Measure) -> float:
        """Mean of one measure, by its name."""
        column = self._column(name)
        return _mean(self.values[:, column], self.weights, self.measures[column])

    def per_query(self, name: str | Measure) -> QueryScores:
        """Values of one measure.

        Parameters
        ----------
        name : str or Measure
            The measure.

        Returns
        -------
        QueryScores
            Its values, query by query.

        Raises
        ------
        KeyError
            If the measure is not among those scored.
        """
        column = self._column(name)
        return QueryScores(
            self.measures[column],
            self.qid,
            self.values[:, column],
            self.weights,
            self.n_empty[column],
        )

    def __contains__(self, name: object) -> bool:
        """Whether a measure, by itself or its name, is among those scored."""
        from skgraded.measures._base import Measure

        if not isinstance(name, str | Measure):
            return False
        try:
            self._column(name)
        except KeyError:
            return False
        return True

    # Measures or queries? Python would try the measures number 0, 1, ...
    __iter__: ClassVar[None] = None

    def _column(self, name: str | Measure) -> int:
        from skgraded.measures._parse import measure

        try:
            return self.measures.index(measure(name))
        except ValueError as error:
            scored = ", ".join(map(str, self.measures))
            raise KeyError(f"{name} is not among the measures scored: {scored}.") from error

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per query and one column per measure.

        Returns
        -------
        DataFrame
            Columns are named by the measures; the index holds the query ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame(self.values, self.qid, self.measures)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return _table(self.measures, self.values, self.weights, self.n_empty)


def _mean(values: FloatArray, weights: FloatArray | None, measure: Measure) -> float:
    return mean_of(MeanSums.of(values, weights), measure, len(values), np.isnan(values).sum())


def mean_of(sums: MeanSums, measure: Measure, n_queries: int, n_left_out: int) -> float:
    """Mean of a measure from its sums; nan, with a warning, where there is none."""
    if sums.weights == 0:
        warnings.warn(
            f"The mean of {measure} is undefined: no query has a value and a positive weight "
            f"({n_left_out} of {n_queries} have nothing relevant).",
            UndefinedMeanWarning,
            stacklevel=stacklevel_of_the_user(),
        )
    return sums.mean


def _frame(values: FloatArray, qid: NDArray[Any], measures: Any) -> pd.DataFrame:
    pandas = import_pandas(".qid and .values")
    names = [str(each) for each in measures]
    frame: pd.DataFrame = pandas.DataFrame(
        values, index=pandas.Index(qid, name="qid"), columns=names
    )
    return frame


def _table(measures: Any, values: FloatArray, weights: FloatArray | None, n_empty: Any) -> str:
    means = [MeanSums.of(column, weights).mean for column in values.T]
    return table_of_means(measures, means, len(values), n_empty)


def table_of_means(measures: Any, means: Any, n_queries: int, n_empty: Any) -> str:
    """Means in a table, with what was counted as empty or left out."""
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
