"""`Shares`, an estimate of g with intervals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skgraded._support.arguments import integer
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.results_base import Field, Result, or_blank
from skgraded._support.text import count
from skgraded.measures import GAP, eGAP, xGAP

_KINDS: dict[Any, str] = {GAP: "GAP", xGAP: "xGAP", eGAP: "eGAP"}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Shares(Result):
    """A distribution g of the users' thresholds, estimated from data, with intervals.

    `to_frame` has one row per grade, from 0, with the columns grade, n_shown, n_examined,
    n_satisfied, rate, g, lower and upper; the last three are nan for grade 0.

    Attributes
    ----------
    g : ndarray of shape (max_grade,)
        Shares of the users with the thresholds 1..max_grade, which sum to 1.
    interval : ndarray of shape (max_grade, 2)
        Lower and upper end of the interval of each share.
    confidence : float
        Confidence of each interval by itself.
    covariance : ndarray of shape (max_grade, max_grade)
        Covariance of the estimated shares.
    n_shown : ndarray of shape (max_grade + 1,), int64
        Number of shown documents by grade, from grade 0.
    n_examined : ndarray of shape (max_grade + 1,)
        Sum of their propensities; without propensities their number.
    n_satisfied : ndarray of shape (max_grade + 1,), int64
        Number of documents that satisfied their user or, in a log, were clicked.
    n_unjudged : int
        Number of rows without a grade.
    clusters : mapping of str to int
        Number of independent units, by the argument that names them: such as "user" and "qid".
    reader : str
        How users of a log are taken to read; empty for feedback.
    parameters : mapping of str to (float, float)
        The reader's parameters, each with its standard error: nan at a bound. None for feedback.
    departures : mapping of str to float
        What the reader leaves out, in standard errors: above 0 if there is more of it than none.
    p_value : float
        Probability of a departure so large by chance; nan if none was tested.
    """

    g: FloatArray
    interval: FloatArray
    confidence: float
    covariance: FloatArray
    n_shown: IntArray
    n_examined: FloatArray
    n_satisfied: IntArray
    n_unjudged: int
    clusters: Mapping[str, int]
    reader: str = ""
    parameters: Mapping[str, tuple[float, float]] = dataclasses.field(
        default_factory=dict
    )
    departures: Mapping[str, float] = dataclasses.field(default_factory=dict)
    p_value: float = math.nan

    @property
    def max_grade(self) -> int:
        """Top grade of the scale."""
        return len(self.g)

    @property
    def rate(self) -> FloatArray:
        """Satisfied documents over examined ones, by grade from 0; nan where none was shown."""
        n_examined = self.n_examined
        n_examined = np.where(n_examined > 0, n_examined, np.nan)
        return self.n_satisfied / n_examined

    @property
    def indistinct(self) -> tuple[tuple[int, int], ...]:
        """Pairs of neighbouring grades that the data do not tell apart.

        Returns
        -------
        tuple of tuple of int
            The grades k - 1 and k, for every k where the interval of g_k includes 0.
        """
        lower_ends = self.interval[:, 0]
        lower_grades = np.flatnonzero(lower_ends <= 0).tolist()
        return tuple((grade, grade + 1) for grade in lower_grades)

    def measure(self, kind: type, *, digits: int | None = None, **fields: Any) -> Any:
        """Make a measure with this g.

        Parameters
        ----------
        kind : type
            The class `GAP`, `xGAP` or `eGAP`.
        digits : int, optional
            Decimals to which g is rounded, such that it sums to 1. None does not round.
        **fields : objects
            Other fields of the measure, such as ``k=10``.

        Returns
        -------
        Measure
            The measure.

        Raises
        ------
        ValueError
            If `kind` is another class, or a field is invalid.
        """
        if kind not in _KINDS:
            names = ", ".join(_KINDS.values())
            raise ValueError(f"kind must be one of the classes {names}, got {kind!r}.")
        g = self.g
        if digits is not None:
            g = _rounded(g, integer("digits", digits, 1))
        return kind(g=tuple(g.tolist()), **fields)

    def _fields(self) -> list[Field]:
        # Grade 0 has no g and no interval.
        no_values = np.full(3, np.nan)
        values = [self.g, *self.interval.T]
        grades = np.arange(self.max_grade + 1)
        g, lower, upper = np.column_stack([no_values, values])

        examined_heading: str | None = "examined"
        if np.array_equal(self.n_shown, self.n_examined):
            examined_heading = None
        satisfied_heading = "clicked" if self.reader else "satisfied"
        interval_heading = f"{100 * self.confidence:g} % interval"
        interval_form = or_blank("{lower:.3f} to {upper:.3f}")
        return [
            Field("grade", grades, "grade"),
            Field("n_shown", self.n_shown, "shown"),
            Field("n_examined", self.n_examined, examined_heading, "{:.1f}"),
            Field("n_satisfied", self.n_satisfied, satisfied_heading),
            Field("rate", self.rate, "rate", "{:.3f}"),
            Field("g", g, "g", or_blank("{:.3f}")),
            Field("lower", lower, interval_heading, interval_form),
            Field("upper", upper),
        ]

    def _sentences(self) -> list[str]:
        notes = [self._sentence_of_intervals()]
        if self.reader:
            notes.append(self._sentence_of_reader())
        elif np.array_equal(self.n_shown, self.n_examined):
            notes.append(
                "Without propensities, every shown document counts as examined."
            )

        pairs = " and ".join(f"{low} from {high}" for low, high in self.indistinct)
        if pairs:
            notes.append(
                f"The data do not tell grade {pairs}: the interval includes g = 0."
            )
        return notes

    def _sentence_of_intervals(self) -> str:
        units = [_units(name, n) for name, n in self.clusters.items()]
        without_grade = ""
        if self.n_unjudged:
            without_grade = f"; {count(self.n_unjudged, 'row')} had no grade"
        return f"The intervals are over {' and '.join(units)}{without_grade}."

    def _sentence_of_reader(self) -> str:
        parameters = []
        for name, (value, error) in self.parameters.items():
            error_in_words = "" if math.isnan(error) else f" +- {error:.2f}"
            parameters.append(f"{name} {value:.2f}{error_in_words}")

        largest_departure = ""
        if self.departures:
            largest_departure = (
                f"; largest departure of {len(self.departures)}: "
                f"{departures_in_words(self.departures, 1)}, p = {self.p_value:.2g}"
            )
        return f'Reader "{self.reader}": {", ".join(parameters)}{largest_departure}.'


def spread(
    shares: FloatArray, interval: FloatArray, covariance: FloatArray, lengths: IntArray
) -> dict[str, Any]:
    """Return g, its intervals and its covariance.

    The share of several thresholds together is split evenly among these. Of each, the data only say
    that it is at most the sum.
    """
    # A row for each share, in which its thresholds have 1 / length.
    share_of_each = np.eye(len(shares)) / lengths
    even_split = np.repeat(share_of_each, lengths, axis=1)

    interval_within = np.clip(interval, 0.0, 1.0)
    interval_of_each = np.repeat(interval_within, lengths, axis=0)
    is_of_several = np.repeat(lengths, lengths) > 1
    interval_of_each[is_of_several, 0] = 0.0
    return {
        "g": shares @ even_split,
        "interval": interval_of_each,
        "covariance": even_split.T @ covariance @ even_split,
    }


def departures_in_words(departures: Mapping[str, float], n: int) -> str:
    """Name the largest departures, with how many standard errors they are off."""
    by_size = sorted(departures, key=lambda name: -abs(departures[name]))
    words = [f"{name} ({departures[name]:+.1f} standard errors)" for name in by_size]
    return "; ".join(words[:n])


def _rounded(g: FloatArray, digits: int) -> FloatArray:
    """Round so that the sum stays 1: the largest remainders are rounded up."""
    units = 10**digits
    n_units = np.floor(g * units)
    n_missing = round(units - n_units.sum())

    overshoot = n_units - g * units
    by_remainder = np.argsort(overshoot, kind="stable")
    n_units[by_remainder[:n_missing]] += 1
    return n_units / units


def _units(name: str, n: int) -> str:
    if name == "qid":
        return count(n, "query", "queries")
    return count(n, name)
