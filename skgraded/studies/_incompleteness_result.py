"""The result of incomplete judgments: tables and pictures of every statistic by rate."""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from skgraded._support import pictures
from skgraded._support.arguments import choice
from skgraded._support.text import count
from skgraded._support.writers import Field, Result, Table
from skgraded.studies._scored_systems import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
IncompletenessStatistic = Literal[
    "kendall", "tau_ap", "score", "target_kendall", "target_pearson", "target_rmse"
]

_TITLES: dict[IncompletenessStatistic, str] = {
    "kendall": "Kendall's tau with the full pool",
    "tau_ap": "tau_AP with the full pool",
    "score": "mean score over systems and topics",
    "target_kendall": "Kendall's tau with the {target} of the full pool",
    "target_pearson": "linear correlation with the {target} of the full pool",
    "target_rmse": "RMS error against the {target} of the full pool",
}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Incompleteness(Result):
    """Means of systems under reduced pools, compared with those under the full pool.

    The statistics have shape (n_sets, n_rates, n_repeats, n_measures).

    `to_frame` has one row per set of topics, rate, repeat and measure, with the columns topics,
    rate, repeat, n_judged, measure and the statistics.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    systems : tuple of str
        Names of the systems.
    topic_sets : tuple of str
        Names of the sets of topics.
    n_topics : tuple of int
        Number of topics in each set.
    method : str
        How the pools were reduced.
    rates : ndarray of shape (n_rates,)
        Percentages of the judgments, or depths of the pool.
    n_judged : ndarray of shape (n_rates, n_repeats)
        Number of judgments that are left, over all topics.
    target : str
        The measure that the others are compared with as its estimates.
    full : ndarray of shape (n_sets, n_systems, n_measures)
        Means under the full pool; nan if no topic has a value.
    target_full : ndarray of shape (n_sets, n_systems)
        Means of the target under the full pool.
    means : ndarray of shape (n_sets, n_rates, n_repeats, n_systems, n_measures)
        Means under the reduced pools.
    kendall, tau_ap : ndarray
        Agreement with the same measure's order under the full pool.
    score : ndarray
        Mean score over systems and topics.
    target_kendall, target_pearson, target_rmse : ndarray
        Agreement with the target's means under the full pool.
    notes : tuple of str
        Facts about the qrels and the runs, such as topics that were left out, in sentences.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topic_sets: tuple[str, ...]
    n_topics: tuple[int, ...]
    method: str
    rates: FloatArray
    n_judged: NDArray[np.int64]
    target: str
    full: FloatArray
    target_full: FloatArray
    means: FloatArray
    kendall: FloatArray
    tau_ap: FloatArray
    score: FloatArray
    target_kendall: FloatArray
    target_pearson: FloatArray
    target_rmse: FloatArray
    notes: tuple[str, ...] = ()

    def _fields(self) -> list[Field]:
        n_sets, _, n_repeats, n_measures = self.kendall.shape
        rows = product(self.topic_sets, self.rates, range(n_repeats), self.measures)
        topics, rates, repeats, measures = zip(*rows, strict=True)
        return [
            Field("topics", topics),
            Field("rate", rates),
            Field("repeat", repeats),
            Field("n_judged", np.tile(np.repeat(self.n_judged, n_measures), n_sets)),
            Field("measure", measures),
            *(Field(name, getattr(self, name).ravel()) for name in _TITLES),
        ]

    def to_text(
        self, statistic: IncompletenessStatistic = "kendall", topics: str | None = None
    ) -> str:
        """Draw a table of means over the repeats, with a row per measure and a column per rate.

        Parameters
        ----------
        statistic : str, default="kendall"
            ``"kendall"``, ``"tau_ap"``, ``"score"``, ``"target_kendall"``, ``"target_pearson"`` or
            ``"target_rmse"``.
        topics : str, optional
            The set of topics; the first by default.

        Returns
        -------
        str
            The lines.
        """
        return self._table(statistic, topics).to_text()

    def _table(
        self, statistic: IncompletenessStatistic = "kendall", topics: str | None = None
    ) -> Table:
        means = self._curves(statistic, topics)
        form = "{:.2f}" if statistic in ("kendall", "tau_ap") else "{:.3f}"
        rates = [f"{rate:g}" for rate in self.rates]
        unit = "depth of the pool" if self.method == "depth" else "% of the judgments"
        fields = [Field("measure", self.measures, unit)]
        fields += [Field(rate, row, rate, form) for rate, row in zip(rates, means, strict=True)]
        return Table(fields, [self._legend()], self._title(statistic), widest_label=44)

    def plot(
        self,
        ax: Axes | None = None,
        statistic: IncompletenessStatistic = "kendall",
        topics: str | None = None,
    ) -> Axes:
        """Draw a statistic over the rates, with a curve for each measure.

        The flatter a curve, the less the measure depends on complete judgments.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.
        statistic : str, default="kendall"
            As in `to_text`.
        topics : str, optional
            The set of topics; the first by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes. Of many measures, the two largest and the two smallest at the end are in
            colour.
        """
        means = self._curves(statistic, topics)
        ax = pictures.axes_or_new(ax, self)
        by_measure = zip(self.measures, means.T, pictures.looks_of(means[-1]), strict=True)
        curves = [pictures.Curve(name, self.rates, each, look) for name, each, look in by_measure]
        pictures.draw_curves(ax, curves)
        if self.method == "depth":
            ax.set_xscale("log")
            ax.set_xticks(self.rates, [f"{rate:g}" for rate in self.rates])
            ax.minorticks_off()
        ax.invert_xaxis()
        unit = "depth of the pool" if self.method == "depth" else "% of the judgments kept"
        ax.set(xlabel=unit, ylabel=self._title(statistic))
        pictures.plain(ax)
        pictures.headline(ax, self._verdict(means, self._set(topics)))
        return ax

    def _verdict(self, means: FloatArray, number: int) -> str:
        """Say which measures have the largest and the smallest value at the smallest pool."""
        last = means[-1]
        known = np.flatnonzero(~np.isnan(last))
        if not len(known):
            return ""
        ends = dict.fromkeys([known[last[known].argmax()], known[last[known].argmin()]])
        said = ", ".join(
            f"{word} for {self.measures[at]} ({last[at]:.2f})"
            for word, at in zip(("highest", "lowest"), ends, strict=False)
        )
        rate = f"{self.rates[-1]:g}"
        pool = f"At depth {rate}" if self.method == "depth" else f"With {rate} % of the judgments"
        chosen = f" ({self.topic_sets[number]})" if len(self.topic_sets) > 1 else ""
        systems = f"{len(self.systems)} systems, {count(self.n_topics[number], 'topic')}{chosen}"
        return f"{pool}: {said}; {systems}."

    def _set(self, topics: str | None) -> int:
        if topics is None:
            return 0
        return self.topic_sets.index(choice("topics", topics, self.topic_sets))

    def _curves(self, statistic: IncompletenessStatistic, topics: str | None) -> FloatArray:
        choice("statistic", statistic, _TITLES)
        curves: FloatArray = getattr(self, statistic)[self._set(topics)].mean(axis=1)
        return curves

    def _title(self, statistic: IncompletenessStatistic) -> str:
        return _TITLES[statistic].format(target=self.target)

    def _legend(self) -> str:
        repeats = count(self.n_judged.shape[1], "sample")
        return f"{self.method} samples; {legend(self)[:-1]}; {repeats} per rate."
