"""`QueryScores`, the result of one measure, and the means and tables of all result classes."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import ItemsView, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import stacklevel_of_the_user
from skgraded._optional import import_pandas
from skgraded._text import WIDTH, count, html_table, shorten, wrap
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.measures._averages import LEAST, average_of
from skgraded.measures._exact_mean import exact_means

if TYPE_CHECKING:
    import pandas as pd

    from skgraded.measures._measure import Measure
    from skgraded.rankings import Judgments

__all__ = [
    "MeansTable",
    "QueryScores",
    "frame_of",
    "mean_of_ideal",
    "mean_of_values",
    "warn_of_no_mean",
]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the mean of values that are 1


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
    judgments : Judgments or None
        The judgments, of which `ideal` is computed; a copy made by pickle does not hold them.

    Notes
    -----
    A result is a mapping of query ids to values, too: ``scores["q1"]``, ``dict(scores.items())``.
    """

    measure: Measure
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_empty: int
    judgments: Judgments | None = None

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

    def ideal(self) -> float | None:
        """Return the mean that the ideal ranking has, in which a better grade is always above.

        It may be below 1: xGAP and eGAP, for instance, count the users whom only a top grade
        satisfies, also in queries that have no such document.

        Returns
        -------
        float or None
            The mean; None if the judgments are unknown, or the measure has no ideal ranking.
        """
        return mean_of_ideal(self.measure, self.judgments)

    def to_dict(self) -> dict[Any, float]:
        """Return the values by query id.

        Returns
        -------
        dict of query id to float
            Query ids and values as Python objects.
        """
        return dict(zip(self.qid.tolist(), self.values.tolist(), strict=True))

    def items(self) -> ItemsView[Any, float]:
        """Return pairs of query id and value.

        Returns
        -------
        ItemsView
            The pairs, as of a dict.
        """
        return self.to_dict().items()

    def __getitem__(self, query: Any) -> float:
        """Return the value of one query."""
        return self.to_dict()[query]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.qid.tolist())

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

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "judgments": None}

    def _table(self) -> MeansTable:
        means = exact_means([[self.values]], self.weights)
        return MeansTable([self.measure], means, len(self), [self.n_empty], [self.ideal()])

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()


def mean_of_ideal(measure: Measure, judgments: Judgments | None) -> float | None:
    """Return the mean of the ideal ranking, if it is known."""
    values = None if judgments is None else measure._score_of_ideal_ranking(judgments)
    if judgments is None or values is None:
        return None
    (mean,) = exact_means([[values]], judgments.weights)
    return mean


def mean_of_values(
    values: FloatArray,
    weights: FloatArray | None,
    measure: Measure,
    average: str = "arithmetic",
    floor: float = LEAST,
) -> float:
    chosen = average_of(average, floor)
    (mean,) = exact_means([[chosen.onto(values)]], weights)
    if math.isnan(mean):
        warn_of_no_mean(measure, len(values), int(np.isnan(values).sum()))
    return float(chosen.back(mean))


def warn_of_no_mean(measure: Measure, n_queries: int, n_left_out: int) -> None:
    """Warn where a mean is nan, because its weights add up to 0."""
    warnings.warn(
        f"The mean of {measure} is undefined because no query has a value and a positive "
        f"weight ({n_left_out} of {n_queries} have nothing relevant).",
        UndefinedMeanWarning,
        stacklevel=stacklevel_of_the_user(),
    )


def frame_of(values: FloatArray, qid: NDArray[Any], measures: Any) -> pd.DataFrame:
    pandas = import_pandas(".qid and .values")
    names = [str(each) for each in measures]
    frame: pd.DataFrame = pandas.DataFrame(
        values, index=pandas.Index(qid, name="qid"), columns=names
    )
    return frame


@dataclasses.dataclass(frozen=True)
class MeansTable:
    """A table of means, with notes on the queries without relevant documents.

    The means of the ideal ranking are shown where a measure has another one than 1.
    """

    measures: Sequence[Measure]
    means: Sequence[float]
    n_queries: int
    n_empty: Sequence[int]
    ideals: Sequence[float | None]

    def to_text(self) -> str:
        """Draw it with characters."""
        lines = self._lines()
        lines[0] += f"  over {self._size()}"
        notes = [f"  ({note})" if note else "" for note in self._notes()]
        beside = list(map("".join, zip(lines, ["", *notes], strict=True)))
        if max(map(len, beside)) <= WIDTH:
            return "\n".join(beside)
        return "\n".join([*self._lines(), *map(wrap, self._sentences())])

    def _lines(self) -> list[str]:
        """Return the lines of the table alone."""
        header, *rows = self._cells()
        room = WIDTH - len(header[1:]) * len("  01234567")
        labels = [shorten(label, room) for label, *_ in [header, *rows]]
        width = max(map(len, labels))
        return [
            f"{label:<{width}}" + "".join(f"  {cell:>8}" for cell in cells)
            for label, (_, *cells) in zip(labels, [header, *rows], strict=True)
        ]

    def to_html(self) -> str:
        """Draw it for a notebook."""
        header, *rows = self._cells()
        return html_table(header, rows, self._sentences())

    def _sentences(self) -> list[str]:
        pairs = zip(self.measures, self._notes(), strict=True)
        notes = [f"{each}: {note}." for each, note in pairs if note]
        return [f"Means over {self._size()}.", *notes]

    def _cells(self) -> list[list[str]]:
        columns: list[tuple[str, Sequence[float | None]]] = [("mean", self.means)]
        if any(ideal is not None and abs(ideal - 1.0) > _ROUNDING for ideal in self.ideals):
            columns.append(("ideal", self.ideals))
        names = [str(each) for each in self.measures]
        shown = [
            ["" if each is None else f"{each:.4f}" for each in column] for _, column in columns
        ]
        header = ["measure", *(name for name, _ in columns)]
        return [header, *(list(row) for row in zip(names, *shown, strict=True))]

    def _size(self) -> str:
        return count(self.n_queries, "query", "queries")

    def _notes(self) -> list[str]:
        return [
            _note_on_empty(each, n_empty)
            for each, n_empty in zip(self.measures, self.n_empty, strict=True)
        ]


def _note_on_empty(measure: Measure, n_empty: int) -> str:
    if n_empty == 0:
        return ""
    fate = "left out" if np.isnan(measure.empty) else f"counted as {measure.empty:g}"
    return f"{n_empty} with nothing relevant, {fate}"
