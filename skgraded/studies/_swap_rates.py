"""Swap rates: how often two systems are in the opposite order on other topics."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._optional import axes_or_new
from skgraded._params import integer, number
from skgraded._pictures import draw_dots, headline
from skgraded._progress import ProgressBar
from skgraded._text import count
from skgraded._writers import Result, Table
from skgraded.studies._scored_systems import complete_topics, scored_systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SwapRates", "swap_rates", "two_sets"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Differences up to this share of the largest value are rounding errors of equal means. A difference
# that is this close below the edge of a bin counts as on the edge.
_ROUNDING = 1e-12


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class SwapRates(Result):
    """Numbers of comparisons and swaps of pairs of systems, by the size of their difference.

    `to_frame` has one row per measure and bin, with the columns measure, difference (lower edge),
    n_compared, n_swapped and swap_rate.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    n_systems : int
        Number of systems.
    n_topics : int
        Number of topics in each of the two sets.
    n_trials : int
        Number of times that two sets were drawn.
    edges : ndarray of shape (n_bins,)
        Lower edge of each bin of differences; the last bin has no upper edge.
    n_compared : ndarray of shape (n_measures, n_bins), int64
        Comparisons whose difference on the first set is in the bin. Systems that are equal on it
        are in no bin, since they have no order that could be swapped.
    n_swapped : ndarray of shape (n_measures, n_bins), int64
        Comparisons for which the second set gives the opposite order.
    """

    measures: tuple[str, ...]
    n_systems: int
    n_topics: int
    n_trials: int
    edges: FloatArray
    n_compared: IntArray
    n_swapped: IntArray

    @property
    def rates(self) -> FloatArray:
        """Swap rates, shape (n_measures, n_bins); nan if no difference is in the bin."""
        rates: FloatArray = np.full(self.n_compared.shape, np.nan)
        np.divide(self.n_swapped, self.n_compared, out=rates, where=self.n_compared > 0)
        return rates

    def sensitivity(self, largest_rate: float = 0.05) -> tuple[FloatArray, FloatArray]:
        """Find the difference above which swaps are rare.

        Parameters
        ----------
        largest_rate : float, default=0.05
            Highest swap rate that is accepted.

        Returns
        -------
        difference : ndarray of shape (n_measures,)
            Lower edge of the first bin from which on no rate is higher than `largest_rate`; nan if
            there is none.
        share : ndarray of shape (n_measures,)
            Share of all comparisons with such a difference.
        """
        too_high = np.nan_to_num(self.rates) > largest_rate
        n_bins = len(self.edges)
        first = n_bins - np.argmax(too_high[:, ::-1], axis=1)
        first[~too_high.any(axis=1)] = 0
        counted = np.arange(n_bins) >= first[:, None]
        n_pairs = self.n_systems * (self.n_systems - 1) // 2
        share = (self.n_compared * counted).sum(axis=1) / (self.n_trials * n_pairs)
        difference = np.append(self.edges, np.nan)[first]
        return np.where(share > 0, difference, np.nan), share

    def _columns(self) -> dict[str, Any]:
        row, place = (each.ravel() for each in np.indices(self.n_compared.shape))
        return {
            "measure": np.array(self.measures, dtype=object)[row],
            "difference": self.edges[place],
            "n_compared": self.n_compared.ravel(),
            "n_swapped": self.n_swapped.ravel(),
            "swap_rate": self.rates.ravel(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of the comparisons that seldom swap, with a dot for each measure.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; beside each dot stands the difference from which on swaps are rare.
        """
        ax = axes_or_new(ax, self, (7.2, 1.5 + 0.24 * len(self.measures)))
        difference, share = self.sensitivity()
        order = np.argsort(-share, kind="stable")
        notes = [
            "none" if np.isnan(difference[each]) else f"{difference[each]:.2f}" for each in order
        ]
        notes[0] = f"differences from {notes[0]} on" if share.max() > 0 else notes[0]
        draw_dots(ax, [self.measures[each] for each in order], 100.0 * share[order], notes)
        ax.set(xlabel="% of the comparisons of two systems whose difference swaps in at most 5 %")
        ax.set_xlim(0.0, 118.0 * float(share.max()) or 1.0)
        headline(ax, "Whose results do other topics seldom reverse?", self._answer(share))
        return ax

    def _answer(self, share: FloatArray) -> str:
        """Say for how many comparisons swaps are rare, by the best and by the worst measure."""
        said = [f"{self.measures[each]} {share[each]:.0%}" for each in (share.argmax(),)]
        if len(share) > 1:
            said.append(f"{self.measures[share.argmin()]} {share.min():.0%}")
        return (
            f"{', '.join(said)} of the comparisons ({count(self.n_trials, 'trial')} of two sets of "
            f"{count(self.n_topics, 'topic')})."
        )

    def _table(self) -> Table:
        difference, share = self.sensitivity()
        order = np.argsort(-share, kind="stable")
        columns = [
            ("diff. required", [f"{difference[each]:.2f}" for each in order]),
            ("share of comparisons", [f"{share[each]:.1%}" for each in order]),
        ]
        labels = ["measure", *(self.measures[each] for each in order)]
        told = (
            f"swap rate at most 5%; {self.n_systems} systems; {count(self.n_trials, 'trial')} of "
            f"two disjoint sets of {count(self.n_topics, 'topic')}."
        )
        return Table(labels, columns, [told], widest_label=44)


def swap_rates(
    scores: Any,
    *,
    n_topics: int | None = None,
    n_trials: int = 1000,
    bin_width: float = 0.01,
    n_bins: int = 21,
    random_state: int | np.random.Generator | None = 0,
) -> SwapRates:
    """Estimate how often two sets of topics put two systems in opposite orders.

    Parameters
    ----------
    scores : Scores or mapping
        As for `correlate`.
    n_topics : int, optional
        Number of topics in each of the two disjoint sets; half of all by default.
    n_trials : int, default=1000
        Number of times that the two sets are drawn.
    bin_width : float, default=0.01
        Width of the bins of differences.
    n_bins : int, default=21
        Number of bins; the last one holds all larger differences.
    random_state : int or Generator or None, default=0
        Seed of the sets; with None they differ from call to call.

    Returns
    -------
    SwapRates
        Numbers of comparisons and swaps by the size of the difference.

    Raises
    ------
    ValueError
        If there are fewer than two systems, or a number is not as described.

    References
    ----------
    .. [1] E. M. Voorhees, C. Buckley (2002), "The Effect of Topic Set Size on Retrieval Experiment
       Error".

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import swap_rates
    >>> noise = np.random.default_rng(0).random((2, 40))
    >>> found = swap_rates({"AP": noise + np.array([[0.0], [0.3]])})
    >>> found
    measure  diff. required  share of comparisons
    AP                 0.00                100.0%
    swap rate at most 5%; 2 systems; 1000 trials of two disjoint sets of 20 topics.
    """
    taken = scored_systems(scores, n_topics=2)
    columns = [complete_topics(taken, name) for name in taken]
    fewest = min(values.shape[1] for values in columns)
    size = fewest // 2 if n_topics is None else integer("n_topics", n_topics, 1)
    if size > fewest // 2:
        raise ValueError(f"n_topics must be at most half of {fewest} topics, got {n_topics!r}.")
    integer("n_trials", n_trials, 1)
    integer("n_bins", n_bins, 1)
    number("bin_width", bin_width, above=0.0)
    seed = np.random.default_rng(random_state).integers(2**63)
    edges: FloatArray = (np.arange(n_bins) * bin_width).astype(np.float64)
    counted = []
    with ProgressBar(len(columns), "measures") as bar:
        for values in columns:
            sets = two_sets(values.shape[1], size, n_trials, np.random.default_rng(seed))
            counted.append(_count_swaps(values, sets / size, edges, float(bin_width)))
            bar.step()
    return SwapRates(
        measures=taken.measures,
        n_systems=len(taken.systems or ()),
        n_topics=size,
        n_trials=n_trials,
        edges=edges,
        n_compared=np.stack([compared for compared, _ in counted]),
        n_swapped=np.stack([swapped for _, swapped in counted]),
    )


def two_sets(
    n_topics: int, size: int, n_trials: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw two disjoint sets of topics in every trial: masks of shape (2, n_trials, n_topics)."""
    place = rng.permuted(np.tile(np.arange(n_topics), (n_trials, 1)), axis=1)
    return np.stack([place < size, (place >= size) & (place < 2 * size)])


def _count_swaps(
    values: FloatArray, shares: FloatArray, edges: FloatArray, bin_width: float
) -> tuple[IntArray, IntArray]:
    rounding = _ROUNDING * float(np.abs(values).max())
    one, other = ((each @ values.T).ravel() for each in shares)
    return _core.count_swaps(one, other, len(values), edges, bin_width, rounding)
