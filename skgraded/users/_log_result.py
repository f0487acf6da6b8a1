"""`LogThresholds`, g estimated from a log of clicks, with the reader that explains the log."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new
from skgraded._params import number
from skgraded._pictures import COLOURS, MARKERS, SMALL, headline, plain
from skgraded._text import count
from skgraded._writers import Table
from skgraded.users._estimate import ThresholdEstimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NAMES = {
    "position": "examines by position",
    "cascade": "reads from the top",
    "one": "chooses one, the best seen",
    "first_rank": "first rank alone",
}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LogThresholds(ThresholdEstimate):
    """A distribution g of the users' thresholds, estimated from a log of clicks or purchases.

    `to_frame` has one row per threshold, with the columns threshold, g, lower and upper; with
    segments it has a column segment before them, which is None for the whole log.

    Attributes
    ----------
    g : ndarray of shape (max_grade,)
        Probabilities of the thresholds 1..max_grade, which sum to 1.
    interval : ndarray of shape (max_grade, 2)
        Lower and upper end of the interval of each probability.
    confidence : float
        Confidence of each interval by itself.
    covariance : ndarray of shape (max_grade, max_grade)
        Covariance of the estimated probabilities.
    reader : str
        The model of reading that g comes from.
    parameters : mapping of str to (float, float)
        The reader's other parameters, each with its standard error: nan at a bound.
    rank : ndarray of shape (n_ranks,), int64
        The positions of the log.
    propensity : ndarray of shape (n_ranks,)
        Probability that a position is examined, relative to the first one.
    log_likelihood : mapping of str to float
        Mean log likelihood of a held-out session by each reader that was compared.
    behind : mapping of str to (float, float)
        By how much the other readers are behind this one, each with its standard error; below 0
        where another is ahead by little and the test of fit refutes it.
    rivals : mapping of str to LogThresholds
        The estimates by other readers that the log does not tell from this one. `interval` spans
        their intervals, and `covariance` includes how far their g is from this one.
    excluded : mapping of str to str
        Why other readers cannot explain the log.
    p_value : float
        p-value of the test of fit; nan if there are too few clicks, or the reader has no test.
    shown : ndarray of shape (max_grade + 1, n_ranks), int64
        Number of the rows that the reader explains, by grade from 0 and by position.
    observed : ndarray of shape (max_grade + 1, n_ranks)
        Share of them that was clicked.
    fitted : ndarray of shape (max_grade + 1, n_ranks)
        The same as the reader expects it; nan without a reader.
    n_rows : int
        Number of rows.
    n_unjudged : int
        Number of rows without a grade.
    n_left_out : int
        Number of other rows that the reader cannot explain, because they are in a session with a
        row without a grade ("one") or below such a row ("cascade").
    n_clicks : int
        Number of clicks that the estimate is based on.
    n_sessions : int
        Number of sessions.
    clusters : mapping of str to int
        Number of clusters, by what makes them: "session", or "user" and "query".
    segments : mapping of str to LogThresholds
        The same of each segment.
    segments_p_value : float
        p-value of Wald's test that all segments have the same g; nan without segments.
    notes : tuple of str
        What the estimate does not show.
    """

    reader: str
    parameters: Mapping[str, tuple[float, float]]
    rank: IntArray
    propensity: FloatArray
    log_likelihood: Mapping[str, float]
    behind: Mapping[str, tuple[float, float]]
    rivals: Mapping[str, LogThresholds]
    excluded: Mapping[str, str]
    p_value: float
    shown: IntArray
    observed: FloatArray
    fitted: FloatArray
    n_rows: int
    n_unjudged: int
    n_left_out: int
    n_clicks: int
    n_sessions: int
    clusters: Mapping[str, int]
    segments: Mapping[str, LogThresholds]
    segments_p_value: float
    notes: tuple[str, ...]

    def clicks_needed(self, width: float) -> int:
        """Tell how many clicks make every interval at most so wide, if all else stays the same.

        Widths shrink with the square root of the number of clicks, and so of sessions, users and
        queries in proportion. An interval that ends at 0 or 1 is wider than it looks, so that the
        number is then a lower bound; where intervals span those by several readers, which more
        clicks may tell apart, it may be too high.

        Parameters
        ----------
        width : float
            Upper end less lower end of the widest interval, in (0, 1).

        Returns
        -------
        int
            Number of clicks.

        Raises
        ------
        ValueError
            If `width` is not a number above 0.
        """
        width = number("width", width, above=0.0)
        widest = float(np.ptp(self.interval, axis=1).max())
        return math.ceil(self.n_clicks * (widest / width) ** 2)

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        if not self.segments:
            return columns
        parts = [columns, *(each._columns() for each in self.segments.values())]
        names = [None, *self.segments]
        joined = {name: np.concatenate([each[name] for each in parts]) for name in columns}
        return {"segment": [name for name in names for _ in range(self.max_grade)], **joined}

    def _facts(self) -> dict[str, Any]:
        names = ("parameters", "log_likelihood", "behind", "excluded", "clusters", "propensity")
        facts = {**super()._facts(), **{name: getattr(self, name) for name in names}}
        return {**facts, "rivals": {name: each.g for name, each in self.rivals.items()}}

    def _table(self) -> Table:
        columns = [("g", [f"{each:.3f}" for each in self.g]), self._interval_column()]
        for name, each in self.segments.items():
            columns += [(name, [f"{one:.3f}" for one in each.g]), each._interval_column()]
        labels = ["threshold", *map(str, range(1, self.max_grade + 1))]
        return Table(labels, columns, [*self._sentences(), *self.notes])

    def _interval_column(self) -> tuple[str, list[str]]:
        cells = [f"{low:.3f} to {high:.3f}" for low, high in self.interval]
        return f"{100 * self.confidence:g} % interval", cells

    def _sentences(self) -> list[str]:
        units = " and ".join(count(n, name, _plural(name)) for name, n in self.clusters.items())
        told = [
            f"g from {count(self.n_clicks, 'click')} in {count(self.n_sessions, 'session')}, by "
            f'the reader "{self.reader}"; the intervals are over {units}.',
            self._parameters_in_words(),
            self._comparison_in_words(),
            self._fit_in_words(),
            self._left_out_in_words(),
            self._indistinct_in_words(),
        ]
        if self.segments:
            told.append(f"p-value of the same g in all segments: {self.segments_p_value:.3g}.")
        return told

    def _parameters_in_words(self) -> str:
        shown = {
            name: value
            for name, value in self.parameters.items()
            if not name.startswith("examined_")
        }
        told = [
            f"{name} {value:.3f}" + ("" if math.isnan(error) else f" +- {error:.3f}")
            for name, (value, error) in shown.items()
        ]
        return f"Parameters, with standard errors: {', '.join(told)}." if told else ""

    def _comparison_in_words(self) -> str:
        told = [
            f'{abs(lost):.4f} +- {error:.4f} {"lower" if lost >= 0 else "higher"} for "{name}"'
            for name, (lost, error) in self.behind.items()
        ]
        told_not = [
            f'"{name}" cannot explain the log: {why}.' for name, why in self.excluded.items()
        ]
        lead = ["Held-out log likelihood of a session is " + " and ".join(told) + "."]
        return " ".join([*(lead if told else []), *told_not])

    def _fit_in_words(self) -> str:
        if math.isnan(self.p_value):
            return "The fit was not tested."
        return f"Test of fit: p = {self.p_value:.3g}."

    def _left_out_in_words(self) -> str:
        if not self.n_unjudged:
            return ""
        more = f", and with them {count(self.n_left_out, 'other row')}" if self.n_left_out else ""
        return f"Left out: {count(self.n_unjudged, 'row')} without a grade{more}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of clicked documents by position and grade, observed and fitted.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes_or_new(ax, self)
        for grade in range(self.max_grade, -1, -1):
            if not self.shown[grade].any():
                continue
            colour, marker = COLOURS[grade % len(COLOURS)], MARKERS[grade % len(MARKERS)]
            seen, name = self.shown[grade] > 0, f"grade {grade}"
            if grade:
                low, high = self.interval[grade - 1]
                name += f": g = {self.g[grade - 1]:.2f} ({low:.2f} to {high:.2f})"
            rate, n = self.observed[grade][seen], self.shown[grade][seen]
            error = np.sqrt(np.maximum(rate * (1 - rate), 0.0) / n)
            ax.errorbar(
                self.rank[seen], rate, error, fmt=marker, color=colour, markersize=4, label=name
            )
            ax.plot(self.rank, self.fitted[grade], color=colour, linewidth=1.2)
        ax.set(xlabel="position", ylabel="share that was clicked")
        ax.set_ylim(bottom=0)
        ax.locator_params(axis="x", integer=True)
        ax.legend(fontsize=SMALL, frameon=False)
        plain(ax)
        fits = "" if math.isnan(self.p_value) else f"; test of fit p = {self.p_value:.2g}"
        answer = f"Lines: the reader that {_NAMES[self.reader]}{fits}. Bars: standard errors."
        if self.reader == "first_rank":
            answer = "No line: the first rank alone assumes no reader. Bars: standard errors."
        headline(ax, "Does the reader explain the clicks?", answer)
        return ax


def _plural(name: str) -> str:
    return "queries" if name == "query" else f"{name}s"
