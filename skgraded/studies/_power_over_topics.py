"""Discriminative power on halves of the topics, with intervals that hold for other topics."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._params import fraction, integer
from skgraded._progress import ProgressBar
from skgraded._stats.corrections import level_of
from skgraded._stats.paired import N_RESAMPLES, TESTS
from skgraded._text import count
from skgraded.studies._discriminative_power import check_options
from skgraded.studies._repeated_power import PowerIntervals
from skgraded.studies._scored_systems import scored_systems
from skgraded.studies._swap_rates import two_sets

__all__ = ["PowerOverTopics", "power_over_topics"]

FloatArray = NDArray[np.float64]

_FEWEST = 20  # topics; the coverage of intervals was simulated from here on
_ROUNDING = 1e-12
_NO_SPREAD = (
    "Where an interval has no width, halves of the topics do not vary, so that they show no "
    "uncertainty; there may be some."
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PowerOverTopics(PowerIntervals):
    """Discriminative power on halves of the topics, and how it varies between them.

    `to_frame` has one row per measure, with the columns measure, power, low, high, difference,
    difference_low and difference_high; differences are from the first measure.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    powers : ndarray of shape (2, n_trials, n_measures)
        Share of the pairs with a significant difference, on the two halves of each trial.
    n_topics : int
        Number of topics in each half.
    n_pairs : int
        Number of pairs of systems.
    confidence : float
        Confidence of the intervals.
    """

    measures: tuple[str, ...]
    powers: FloatArray
    n_topics: int
    n_pairs: int
    confidence: float

    @property
    def power(self) -> FloatArray:
        """Mean over the halves, for each measure."""
        mean: FloatArray = self.powers.mean(axis=(0, 1))
        return mean

    @property
    def interval(self) -> FloatArray:
        """Confidence interval of the power expected on as many topics, (n_measures, 2)."""
        mean = self.power
        slope = mean * (1.0 - mean)  # of a share in its log odds
        varies = slope > _ROUNDING  # a mean of 0 or 1 has infinite odds, and no spread
        odds = np.log(mean[varies] / (1.0 - mean[varies]))
        reach = self._reach(self.powers)[varies] / slope[varies]
        ends = np.stack([mean, mean], axis=1)
        ends[varies] = 1.0 / (1.0 + np.exp(-np.stack([odds - reach, odds + reach], axis=1)))
        return ends

    @property
    def difference(self) -> FloatArray:
        """Mean of each measure's power minus that of the first one, half by half."""
        mean: FloatArray = self._differences.mean(axis=(0, 1))
        return mean

    @property
    def difference_interval(self) -> FloatArray:
        """Confidence interval of the difference expected on as many topics, (n_measures, 2)."""
        reach = self._reach(self._differences)
        ends = np.stack([self.difference - reach, self.difference + reach], axis=1)
        cut: FloatArray = np.clip(ends, -1.0, 1.0)
        return cut

    @property
    def _differences(self) -> FloatArray:
        return self.powers - self.powers[..., :1]

    def _reach(self, values: FloatArray) -> FloatArray:
        """Return half the width of an interval of the mean, from how the halves of a trial differ.

        The halves of a trial share no topic, so that the square of half their difference has the
        expected value of the variance of their mean. The mean over trials varies less.
        """
        variance = (((values[0] - values[1]) / 2.0) ** 2).mean(axis=0)
        reach: FloatArray = self._critical(2 * self.n_topics - 1) * np.sqrt(variance)
        return reach

    def _told(self) -> list[str]:
        told = (
            f"Means over {count(self.powers.shape[1], 'trial')} of two halves with "
            f"{count(self.n_topics, 'topic')} each; {self._pairs()}. Differences are from "
            f"{self.measures[0]}, in percentage points. Intervals hold for {self.n_topics} other "
            "topics of the same kind, not for other systems."
        )
        shown = np.concatenate([self.powers, self._differences[..., 1:]], axis=-1)
        is_same = np.abs(shown[0] - shown[1]).max(axis=0) < _ROUNDING
        return [told, _NO_SPREAD] if is_same.any() else [told]


def power_over_topics(
    scores: Any,
    *,
    n_trials: int = 50,
    test: str = "bootstrap",
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_state: int | np.random.Generator | None = 0,
) -> PowerOverTopics:
    """Tell whether one measure separates more systems than another, on other topics, too.

    `discriminative_power` counts the significant pairs on one set of topics. On another one the
    count is different, and so may be the order of two measures. This study draws two halves of the
    topics many times, and from how much the power differs between them it computes intervals of
    the power, and of the difference from the first measure, that are expected on other topics.

    Parameters
    ----------
    scores : Scores or mapping
        As for `discriminative_power`. Topics on which a system has no value by a measure are left
        out for all measures. At least 20 must remain.
    n_trials : int, default=50
        Number of times that the topics are split into halves; one of an odd number is left out.
    test : str, default="bootstrap"
        As for `discriminative_power`. It runs on both halves of all trials, so that ``"t"`` saves
        minutes.
    confidence : float, default=0.95
        Confidence of the intervals; pairs are significant at 1 less it.
    n_resamples : int, default=10000
        Number of resamples of tests that resample.
    random_state : int or Generator or None, default=0
        Seed of the halves and of the resamples; with None they differ from call to call.

    Returns
    -------
    PowerOverTopics
        Mean power of each measure, its difference from that of the first measure, and intervals.

    Raises
    ------
    ValueError
        If there are fewer than two systems or 20 topics, or an argument is not as described.

    See Also
    --------
    discriminative_power : The power on all topics.
    power_over_samples : Intervals that hold for other samples of the judgments.

    Notes
    -----
    The power is that on half of the topics, because power depends on their number: two halves share
    no topic, and so show how much two such sets differ. Nothing in the data shows this for all
    topics. A bootstrap over topics does not either, since a resample repeats topics, which makes
    small p-values too frequent.

    An interval reaches t standard errors to both sides, where t is Student's quantile for the
    number of topics less 1, and the squared standard error is the mean, over trials, of the square
    of half the difference between the two halves. This is the expected variance of the mean of one
    trial. The mean over all trials varies less, so that intervals are wider than they have to be.
    [1]_ gives the variance of the latter without a bias, but intervals that use it hold too seldom.
    The interval of a power is computed for its log odds. The section "The power of measures" of the
    page on calibration tells how often intervals hold, and how wide they are.

    References
    ----------
    .. [1] Q. Wang, B. Lindsay (2014), "Variance Estimation of a General U-statistic with
       Application to Cross-validation", Statistica Sinica 24.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import power_over_topics
    >>> rng = np.random.default_rng(0)
    >>> level = np.linspace(0.0, 0.5, 6)[:, None]
    >>> noise = rng.normal(size=(2, 6, 60))
    >>> scores = {"steady": level + 0.3 * noise[0], "noisy": level + 0.6 * noise[1]}
    >>> power_over_topics(scores, test="t")
    measure  power  95% interval  difference   95% interval
    steady   61.1%  [48.7, 72.2]
    noisy    29.9%  [14.7, 51.3]       -31.3  [-52.6, -9.9]
    Means over 50 trials of two halves with 30 topics each; 15 pairs of systems.
      Differences are from steady, in percentage points. Intervals hold for 30 other
      topics of the same kind, not for other systems.
    """
    taken = scored_systems(scores, n_topics=2)
    systems = taken.systems or ()
    check_options(test, confidence, n_resamples)
    integer("n_trials", n_trials, 2)
    values = np.stack([taken[name].values for name in taken])
    values = values[..., ~np.isnan(values).any(axis=(0, 1))]
    if values.shape[-1] < _FEWEST:
        raise ValueError(
            f"scores must hold at least {_FEWEST} topics on which all systems have a value of "
            f"every measure, got {values.shape[-1]}."
        )
    size = values.shape[-1] // 2
    rng = np.random.default_rng(random_state)
    halves = two_sets(values.shape[-1], size, n_trials, rng)
    seed = rng.integers(2**63)
    pairs = np.column_stack(np.triu_indices(len(systems), 1))
    level, powers = level_of(confidence), np.empty((2, n_trials, len(values)))
    with ProgressBar(powers.size, "tests") as bar:
        for half, trial, measure in np.ndindex(*powers.shape):
            chosen = values[measure][:, halves[half, trial]]
            resamples = np.random.default_rng(seed)
            p_values = TESTS[test].p_values(chosen, pairs, n_resamples, resamples)
            powers[half, trial, measure] = (p_values < level).mean()
            bar.step()
    return PowerOverTopics(
        measures=taken.measures,
        powers=powers,
        n_topics=size,
        n_pairs=len(pairs),
        confidence=fraction("confidence", confidence),
    )
