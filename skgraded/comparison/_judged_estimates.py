"""`JudgedEstimates`: means, or differences of them, from few human labels and a judge's many."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._text import count
from skgraded._writers import LongResult, Table
from skgraded.results import OfMeasures, column_of

__all__ = ["JudgedEstimates", "notes_on_judge"]

FloatArray = NDArray[np.float64]

_PICKED = (
    "human",
    "judge",
    "estimate",
    "interval",
    "standard_error",
    "bias",
    "bias_interval",
    "slope",
    "n_alone",
    "relative_width",
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgedEstimates(OfMeasures, LongResult):
    """Estimates from human labels of few queries and a judge's labels of many.

    A row is a system, or a difference of two systems. `to_frame` has one row per measure and
    system, with the columns measure, name, human, judge, estimate, low, high, bias, bias_low,
    bias_high, slope, n_alone and relative_width.

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
    bias : ndarray of shape (n_rows, n_measures)
        By how much the judge's means are too high: ``judge`` less ``estimate``.
    bias_interval : ndarray of shape (n_rows, n_measures, 2)
        Ends of the confidence intervals of the bias, by Student's t.
    slope : ndarray of shape (n_rows, n_measures)
        By how much the human value rises with the judge's, from query to query.
    n_alone : ndarray of shape (n_rows, n_measures)
        Number of queries with human labels that without the judge would give an estimate as
        precise as this one, at most ``n_judged``. What is above ``n_human`` is saved.
    relative_width : ndarray of shape (n_rows, n_measures)
        Width of the interval over that of the human labels alone, both by Student's t.
    n_human, n_judged : int
        Number of queries with human labels, and with the judge's.
    n_judges : int
        Number of judges, whose mean is taken.
    confidence : float
        Confidence of the intervals.
    remarks : tuple of str
        What was warned of, in sentences.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    human: FloatArray
    judge: FloatArray
    estimate: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    bias: FloatArray
    bias_interval: FloatArray
    slope: FloatArray
    n_alone: FloatArray
    relative_width: FloatArray
    n_human: int
    n_judged: int
    n_judges: int
    confidence: float
    remarks: tuple[str, ...] = ()

    def __getitem__(self, name: Any) -> JudgedEstimates:
        """Pick one measure by its name, or several by a list."""
        names = name if isinstance(name, list | tuple) else [name]
        columns = [column_of(self.measures, each) for each in names]
        picked: dict[str, Any] = {field: getattr(self, field)[:, columns] for field in _PICKED}
        picked["measures"] = tuple(self.measures[column] for column in columns)
        return dataclasses.replace(self, **picked)

    @property
    def n_saved(self) -> FloatArray:
        """Number of queries that humans need not label, ``n_alone - n_human``."""
        return self.n_alone - self.n_human

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not show, in sentences."""
        return self.remarks

    def _columns(self) -> dict[str, Any]:
        column, row = (each.ravel() for each in np.indices(self.estimate.T.shape))
        ends = {"": self.interval, "bias_": self.bias_interval}
        low, bias_low = (each[row, column, 0] for each in ends.values())
        high, bias_high = (each[row, column, 1] for each in ends.values())
        return {
            "measure": np.array(self.measures, dtype=object)[column],
            "name": np.array(self.names, dtype=object)[row],
            "human": self.human[row, column],
            "judge": self.judge[row, column],
            "estimate": self.estimate[row, column],
            "low": low,
            "high": high,
            "bias": self.bias[row, column],
            "bias_low": bias_low,
            "bias_high": bias_high,
            "slope": self.slope[row, column],
            "n_alone": self.n_alone[row, column],
            "relative_width": self.relative_width[row, column],
        }

    def _facts(self) -> dict[str, Any]:
        return {name: value for name, value in super()._facts().items() if name != "remarks"}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        tables = [self._table_of(column, n_rows) for column in range(len(self.measures))]
        return [*tables[:-1], tables[-1]._replace(notes=[*self._told(n_rows), *self.notes])]

    def _table_of(self, column: int, n_rows: int | None) -> Table:
        of_column = slice(None, n_rows), column
        percent = f"{100.0 * self.confidence:g}% interval"
        columns = [
            ("human", _decimals(self.human[of_column])),
            ("judge", _decimals(self.judge[of_column])),
            ("estimate", _decimals(self.estimate[of_column])),
            (percent, [f"[{low:.4f}, {high:.4f}]" for low, high in self.interval[of_column]]),
            ("judge's bias", [f"{each:+.4f}" for each in self.bias[of_column]]),
            (
                percent,
                [f"[{low:+.4f}, {high:+.4f}]" for low, high in self.bias_interval[of_column]],
            ),
            ("worth", [f"{each:.0f}" for each in self.n_alone[of_column]]),
        ]
        return Table([self.measures[column], *self.names[:n_rows]], columns)

    def _told(self, n_rows: int | None) -> list[str]:
        judges = "a judge" if self.n_judges == 1 else f"the mean of {self.n_judges} judges"
        told = (
            f"{count(self.n_human, 'query', 'queries')} with human labels, and {self.n_judged:,} "
            f"with those of {judges}. Worth: as many queries with human labels alone would be as "
            "precise."
        )
        hidden = n_rows is not None and n_rows < len(self.names)
        return [told, f"{len(self.names)} rows, the first {n_rows} shown." if hidden else ""]


def _decimals(values: FloatArray) -> list[str]:
    return [f"{each:.4f}" for each in values]


def notes_on_judge(differences: JudgedEstimates | None, means: JudgedEstimates | None) -> list[str]:
    """Say of a comparison what the judge was worth and how far off it was, measure by measure."""
    if differences is None or means is None:
        return []
    notes = []
    for column, name in enumerate(differences.measures):
        bias, worth = means.bias[:, column], float(np.median(differences.n_saved[:, column]))
        varies = differences.standard_error[:, column] > 0.0
        widths = differences.relative_width[:, column]
        width = float(np.median(widths[varies] if varies.any() else widths))
        most = np.abs(differences.bias[:, column]).max()
        helps = worth >= 1.0 and width < 1.0
        saved = count(round(worth), "query", "queries") if helps else "no queries"
        notes.append(
            f"By {name} the judge is off by {bias.mean():+.4f} on average ({bias.min():+.4f} to "
            f"{bias.max():+.4f} by system), and by at most {most:.4f} "
            f"in a difference. It saves {saved} with human labels: intervals are {width:.2f} "
            "times as wide as without it."
        )
    return [*notes, *differences.remarks]
