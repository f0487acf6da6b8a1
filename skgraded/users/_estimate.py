"""`ThresholdEstimate`, an estimate of g with intervals."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new
from skgraded._pictures import COLOURS, headline, plain
from skgraded._writers import Result
from skgraded.users._distribution import measure_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ThresholdEstimate(Result):
    """A distribution g of the users' thresholds, estimated from data, with intervals.

    `to_frame` has one row per threshold, with the columns threshold, g, lower and upper.

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
    """

    g: FloatArray
    interval: FloatArray
    confidence: float
    covariance: FloatArray

    @property
    def max_grade(self) -> int:
        """Top grade of the scale."""
        return len(self.g)

    @property
    def indistinct(self) -> tuple[tuple[int, int], ...]:
        """Pairs of neighbouring grades that the data do not tell apart.

        Returns
        -------
        tuple of tuple of int
            The grades k - 1 and k, for every k where the interval of g_k includes 0.
        """
        included = np.flatnonzero(self.interval[:, 0] <= 0)
        return tuple((int(at), int(at) + 1) for at in included)

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
        return measure_with(self.g, kind, digits, fields)

    def _columns(self) -> dict[str, Any]:
        return {
            "threshold": np.arange(1, self.max_grade + 1),
            "g": self.g,
            "lower": self.interval[:, 0],
            "upper": self.interval[:, 1],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the probability of each threshold, with its interval.

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
        thresholds = np.arange(1, self.max_grade + 1)
        reach = np.abs(self.interval.T - self.g)
        ax.bar(thresholds, self.g, color=COLOURS[5], width=0.6)
        ax.errorbar(thresholds, self.g, yerr=reach, fmt="none", ecolor="black", capsize=4)
        ax.set_xticks(thresholds)
        ax.set(
            xlabel="lowest grade that satisfies the user",
            ylabel=f"share of users, {self.confidence:.0%} intervals",
            ylim=(0, 1.02),
        )
        plain(ax, grid="y")
        top = int(self.g.argmax())
        low, high = self.interval[top]
        answer = f"Most often grade {top + 1}: {self.g[top]:.0%} ({low:.0%} to {high:.0%})."
        headline(ax, "From which grade on does a document satisfy?", answer)
        return ax

    def _indistinct_in_words(self) -> str:
        pairs = " and ".join(f"{low} from {high}" for low, high in self.indistinct)
        return f"The data do not tell grade {pairs}: the interval includes g = 0." if pairs else ""
