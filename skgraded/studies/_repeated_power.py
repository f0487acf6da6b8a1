"""Discriminative power over repeated samples of the judgments, with intervals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._params import fraction
from skgraded._text import count
from skgraded._writers import Result, Table
from skgraded.studies._discriminative_power import DiscriminativePower

__all__ = ["PowerIntervals", "RepeatedPower", "power_over_samples"]

FloatArray = NDArray[np.float64]

_FEWEST = 3  # samples; fewer tell too little of their spread
_ROUNDING = 1e-12
_NO_SPREAD = (
    "Where an interval has no width, the samples do not vary, so that they show no uncertainty; "
    "there may be some."
)


class PowerIntervals(Result):
    """What results with intervals of power and of its differences share: columns and table.

    A result has `measures`, `n_pairs`, `confidence` and the four properties below, and tells in
    `_told` what its intervals hold for.
    """

    measures: tuple[str, ...]
    n_pairs: int
    confidence: float

    @property
    def power(self) -> FloatArray:
        """Mean share of the pairs with a significant difference, for each measure."""
        raise NotImplementedError

    @property
    def interval(self) -> FloatArray:
        """Confidence interval of the expected power, shape (n_measures, 2)."""
        raise NotImplementedError

    @property
    def difference(self) -> FloatArray:
        """Mean of each measure's power minus that of the first one."""
        raise NotImplementedError

    @property
    def difference_interval(self) -> FloatArray:
        """Confidence interval of the expected difference, shape (n_measures, 2)."""
        raise NotImplementedError

    def _told(self) -> list[str]:
        raise NotImplementedError

    def _critical(self, freedom: int) -> float:
        """Return the number of standard errors to both ends of an interval."""
        from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

        return float(students_t.ppf((1.0 + self.confidence) / 2.0, freedom))

    def _pairs(self) -> str:
        return count(self.n_pairs, "pair of systems", "pairs of systems")

    def _columns(self) -> dict[str, Any]:
        low, high = self.interval.T
        difference_low, difference_high = self.difference_interval.T
        return {
            "measure": list(self.measures),
            "power": self.power,
            "low": low,
            "high": high,
            "difference": self.difference,
            "difference_low": difference_low,
            "difference_high": difference_high,
        }

    def _table(self) -> Table:
        interval = f"{100.0 * self.confidence:g}% interval"
        columns = [
            ("power", [f"{each:.1%}" for each in self.power]),
            (interval, _written(self.interval, ".1f")),
            ("difference", ["", *(f"{100.0 * each:+.1f}" for each in self.difference[1:])]),
            (interval, ["", *_written(self.difference_interval[1:], "+.1f")]),
        ]
        return Table(["measure", *self.measures], columns, self._told(), widest_label=44)


def _written(intervals: FloatArray, form: str) -> list[str]:
    return [f"[{100.0 * low:{form}}, {100.0 * high:{form}}]" for low, high in intervals]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RepeatedPower(PowerIntervals):
    """Discriminative power under several samples of the judgments.

    `to_frame` has one row per measure, with the columns measure, power, low, high, difference,
    difference_low and difference_high; differences are from the first measure.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    powers : ndarray of shape (n_samples, n_measures)
        Share of the pairs with a significant difference, in each sample.
    n_pairs : int
        Number of pairs of systems.
    confidence : float
        Confidence of the intervals.
    """

    measures: tuple[str, ...]
    powers: FloatArray
    n_pairs: int
    confidence: float

    @property
    def power(self) -> FloatArray:
        """Mean over the samples, for each measure."""
        mean: FloatArray = self.powers.mean(axis=0)
        return mean

    @property
    def interval(self) -> FloatArray:
        """Confidence interval of the expected power, shape (n_measures, 2)."""
        return self._intervals(self.powers, lowest=0.0)

    @property
    def difference(self) -> FloatArray:
        """Mean of each measure's power minus that of the first one, sample by sample."""
        mean: FloatArray = self._differences.mean(axis=0)
        return mean

    @property
    def difference_interval(self) -> FloatArray:
        """Confidence interval of the expected difference, shape (n_measures, 2)."""
        return self._intervals(self._differences, lowest=-1.0)

    @property
    def _differences(self) -> FloatArray:
        return self.powers - self.powers[:, :1]

    def _intervals(self, values: FloatArray, lowest: float) -> FloatArray:
        n = len(values)
        reach = self._critical(n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
        ends = np.stack([values.mean(axis=0) - reach, values.mean(axis=0) + reach], axis=1)
        cut: FloatArray = np.clip(ends, lowest, 1.0)
        return cut

    def _told(self) -> list[str]:
        told = (
            f"Means over {len(self.powers)} samples of the judgments; {self._pairs()}. Differences "
            f"are from {self.measures[0]}, in percentage points. Intervals hold for other "
            "samples of these judgments, not for other topics or systems."
        )
        return [told, _NO_SPREAD] if self._some_do_not_vary() else [told]

    def _some_do_not_vary(self) -> bool:
        """Whether the samples of an interval in the table are all the same."""
        shown = np.hstack([self.powers, self._differences[:, 1:]])
        return bool((np.ptp(shown, axis=0) < _ROUNDING).any())


def power_over_samples(
    found: Sequence[DiscriminativePower], *, confidence: float = 0.95
) -> RepeatedPower:
    """Average discriminative power over samples of the judgments, and compare measures.

    One sample of the judgments cannot tell whether a measure separates more systems than another
    one: the next sample may say the opposite. Over several samples it can.

    Parameters
    ----------
    found : sequence of DiscriminativePower
        The result of `discriminative_power` for each sample, at least three, of the same systems by
        the same measures. Samples are drawn by `reduce_pool`, each with a seed of its own.
    confidence : float, default=0.95
        Confidence of the intervals.

    Returns
    -------
    RepeatedPower
        Mean power of each measure, its difference from that of the first measure, and intervals.

    Raises
    ------
    ValueError
        If there are fewer than three samples, or systems or measures differ.

    See Also
    --------
    discriminative_power : The power under one sample.
    power_over_topics : Intervals that hold for other topics.

    Notes
    -----
    Intervals are those of Student's t for the mean over independent samples. A difference is that
    of two measures on the same sample. Intervals are cut at 0 and 100 %, those of differences at
    -100 and 100 percentage points. Topics and systems are taken as given. Samples that do not vary
    give intervals without width, and a note tells that they show no uncertainty.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import discriminative_power, power_over_samples
    >>> rng = np.random.default_rng(0)
    >>> level = np.linspace(0.0, 0.5, 6)[:, None]
    >>> def sample():
    ...     noise = rng.normal(size=(2, 6, 30))
    ...     scores = {"steady": level + 0.3 * noise[0], "noisy": level + 0.6 * noise[1]}
    ...     return discriminative_power(scores, test="t")
    >>> power_over_samples([sample() for _ in range(10)])
    measure  power  95% interval  difference    95% interval
    steady   61.3%  [52.4, 70.3]
    noisy    34.7%  [26.0, 43.3]       -26.7  [-37.9, -15.4]
    Means over 10 samples of the judgments; 15 pairs of systems. Differences are
      from steady, in percentage points. Intervals hold for other samples of these
      judgments, not for other topics or systems.
    """
    samples = list(found)
    if len(samples) < _FEWEST:
        raise ValueError(f"found must hold at least {_FEWEST} samples, got {len(samples)}.")
    for field in ("measures", "systems"):
        if len({getattr(each, field) for each in samples}) > 1:
            raise ValueError(f"found must hold samples of the same {field}.")
    first = samples[0]
    return RepeatedPower(
        measures=first.measures,
        powers=np.stack([each.power for each in samples]),
        n_pairs=len(first.pairs),
        confidence=fraction("confidence", confidence),
    )
