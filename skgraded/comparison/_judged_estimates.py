"""`JudgedEstimates`: means, or differences of them, from few human labels and a judge's many."""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np

from skgraded._intervals.paired import paired_differences
from skgraded._support.array_types import FloatArray
from skgraded._support.results_base import Field, LongResult, Table
from skgraded._support.text import count
from skgraded.results import MeasureCollection, column_of


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgedEstimates(MeasureCollection, LongResult):
    """Estimates from human labels of few queries and a judge's labels of many.

    A row is a system, or a difference of two systems. `to_frame` has one row per measure and
    system, with the columns measure, name, human, judge, estimate, low, high, bias, slope,
    n_alone and relative_width.

    Attributes
    ----------
    names : tuple of str
        What each row is: a system, or ``"a - b"``.
    measures : tuple of str
        Names of the measures.
    human : ndarray of shape (n_rows, n_measures)
        Means by the human labels alone.
    judge : ndarray of shape (n_rows, n_measures)
        Means by the judge's labels of all queries.
    estimate : ndarray of shape (n_rows, n_measures)
        Means over all queries as humans would label them, by both.
    interval : ndarray of shape (n_rows, n_measures, 2)
        Ends of their confidence intervals.
    standard_error : ndarray of shape (n_rows, n_measures)
        Standard errors of the estimates.
    slope : ndarray of shape (n_rows, n_measures)
        By how much the human value rises with the judge's, from query to query.
    n_alone : ndarray of shape (n_rows, n_measures)
        Number of queries with human labels that without the judge would give an estimate as
        precise as this one, at most ``n_judged``. What is above ``n_human`` is saved.
    relative_width : ndarray of shape (n_rows, n_measures)
        Width of the interval over that of the human labels alone, both by Student's t.
    n_human, n_judged : int
        Number of queries with human labels, and with the judge's.
    population : {"like_these", "these"}
        Whether the means are those over more queries like these, or over these queries alone.
    confidence : float
        Confidence of the intervals.
    notes : tuple of str
        What the numbers do not show, in sentences.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    human: FloatArray
    judge: FloatArray
    estimate: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    slope: FloatArray
    n_alone: FloatArray
    relative_width: FloatArray
    n_human: int
    n_judged: int
    population: str
    confidence: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: Any) -> JudgedEstimates:
        """Pick one measure by its name, or several by a list."""
        names = name if isinstance(name, list | tuple) else [name]
        columns = [column_of(self.measures, each) for each in names]
        picked: dict[str, Any] = {
            field: each[:, columns]
            for field, each in vars(self).items()
            if np.ndim(each) > 1
        }
        picked["measures"] = tuple(self.measures[column] for column in columns)
        return dataclasses.replace(self, **picked)

    @property
    def bias(self) -> FloatArray:
        """By how much the judge's means are too high: ``judge`` less ``estimate``."""
        return paired_differences(self.judge, self.estimate)

    @property
    def n_saved(self) -> FloatArray:
        """Number of queries that humans need not label, ``n_alone - n_human``."""
        return self.n_alone - self.n_human

    def _fields(self) -> list[Field]:
        measures, names = zip(*product(self.measures, self.names), strict=True)
        low, high = self.interval.T.reshape(2, -1)

        interval = f"{100.0 * self.confidence:g}% interval"
        return [
            Field("measure", measures),
            Field("name", names, self.measures[0]),
            Field("human", self.human.T.ravel(), "human", "{:.4f}"),
            Field("judge", self.judge.T.ravel(), "judge", "{:.4f}"),
            Field("estimate", self.estimate.T.ravel(), "estimate", "{:.4f}"),
            Field("low", low, interval, "[{low:.4f}, {high:.4f}]"),
            Field("high", high),
            Field("bias", self.bias.T.ravel(), "judge's bias", "{:+.4f}"),
            Field("slope", self.slope.T.ravel()),
            Field("n_alone", self.n_alone.T.ravel(), "worth", "{:.0f}"),
            Field("relative_width", self.relative_width.T.ravel()),
        ]

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        tables = [Table(self[name]._fields()).first(n_rows) for name in self]
        worth = "worth: as many queries with human labels alone are as precise"
        sentence = f"{self._over}; {worth}"
        if n_rows is not None and n_rows < len(self.names):
            n_names = len(self.names)
            sentence = f"{sentence}; the first {n_rows} of {n_names} rows are shown"

        tables[-1] = tables[-1]._replace(notes=[f"{sentence}.", *self.notes])
        return tables

    @property
    def _over(self) -> str:
        """Over what the estimates are, in words."""
        human = count(self.n_human, "query", "queries")
        both = f"{human} with human labels and {self.n_judged:,} with a judge's"
        if self.population == "these":
            return f"{both} as all there are"
        return both
