"""Coefficients of correlation, and how far all pairs of measures put systems in the same order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.arguments import choice, flag
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded._support.pictures import SMALL, axes_or_new, headline
from skgraded._support.results_base import Field, Result, Table
from skgraded._support.text import count
from skgraded.results import Scores, column_of
from skgraded.studies._scored_systems import (
    blocks_of,
    legend,
    scored_systems,
    select_systems,
)
from skgraded.studies._topic_facts import n_topics_of, topic_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_FEWEST_SYSTEMS = 2


def kendall_tau(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Kendall's rank correlation tau-b of two lists of values of the same systems.

    It is the number of pairs of systems in the same order, minus that of pairs in the opposite
    order, divided by the geometric mean of the numbers of untied pairs in the two lists.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        From -1 to 1; nan if all systems are tied in a list.

    References
    ----------
    .. [1] M. G. Kendall (1948),
       "Rank Correlation Methods".

    Examples
    --------
    >>> from skgraded.studies import kendall_tau
    >>> round(kendall_tau([0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.1, 0.2]), 4)
    0.6667
    """
    from scipy.stats import kendalltau  # scipy.stats takes most of a second to import

    first, second = _check_pair(reference, estimate)
    if _all_equal(first) or _all_equal(second):
        return float("nan")
    return float(kendalltau(first, second).statistic)


def tau_ap(
    reference: ArrayLike, estimate: ArrayLike, *, symmetric: bool = False
) -> float:
    r"""AP correlation: a rank correlation that puts more weight on the top of the list.

    .. math::

        \tau_{ap} = \frac{2}{N - 1} \sum_{i=2}^{N} \frac{C(i)}{i - 1} - 1

    where N is the number of systems, and C(i) the number of systems above rank i of the estimated
    order that the reference also puts above the system at rank i. If values of the estimate are
    tied, the mean over all orders of the tied systems is taken. A pair that is tied in the
    reference counts one half, so that a list with ties does not reach 1 even against itself.

    Parameters
    ----------
    reference : array-like of shape (n_systems,)
        Values of the systems that define the true order.
    estimate : array-like of shape (n_systems,)
        Values of the systems that define the estimated order.
    symmetric : bool, default=False
        Whether to return the mean of both directions, since the coefficient is not symmetric.

    Returns
    -------
    float
        From -1 to 1.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson (2008), "A New Rank Correlation Coefficient for
       Information Retrieval", Equation 4.

    Examples
    --------
    >>> from skgraded.studies import tau_ap
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4)  # wrong at the top
    0.3333
    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)  # wrong at the bottom
    0.7778
    """
    flag("symmetric", symmetric)
    first, second = _check_pair(reference, estimate)
    if np.isnan(first).any() or np.isnan(second).any():
        return float("nan")

    one_way = _tau_ap(first, second)
    if not symmetric:
        return one_way
    other_way = _tau_ap(second, first)
    return 0.5 * (one_way + other_way)


def _tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    n_systems = len(reference)
    best_first = np.argsort(-estimate, kind="stable")
    reference = reference[best_first]
    estimate = estimate[best_first]

    # For each system i, sum how far the reference agrees that those above it are better.
    is_above = estimate[:, None] < estimate  # [i, j]: j is above i as estimated
    difference = reference - reference[:, None]
    sign = np.sign(difference)
    agreement = 0.5 * (1.0 + sign)  # 1/2 where tied
    agreement_with_above = np.where(is_above, agreement, 0.0)
    n_correct = agreement_with_above.sum(axis=1)

    block_starts, block_sizes = blocks_of(estimate)
    starts = np.repeat(block_starts, block_sizes)

    # Over all orders of a tied block, each of its systems takes each place equally often, and any
    # two of its systems stand in either order equally often.
    block_sums = np.add.reduceat(n_correct, block_starts)
    block_means = block_sums / block_sizes
    n_correct_above_block = np.repeat(block_means, block_sizes)
    n_above_in_block = np.arange(n_systems) - starts
    n_correct_in_block = 0.5 * n_above_in_block
    n_expected = n_correct_above_block + n_correct_in_block

    n_above = np.arange(1, n_systems)
    shares = n_expected[1:] / n_above
    mean_share = shares.sum() / (n_systems - 1)
    return float(2.0 * mean_share - 1.0)


def pearson(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Linear correlation of two lists of values of the same systems.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        From -1 to 1; nan if all systems are equal in a list.

    Examples
    --------
    >>> from skgraded.studies import pearson
    >>> pearson([0.1, 0.2, 0.3], [0.2, 0.4, 0.6])
    1.0
    """
    first, second = _check_pair(reference, estimate)
    if _all_equal(first) or _all_equal(second):
        return float("nan")
    first = first - first.mean()
    second = second - second.mean()

    sum_of_products = (first * second).sum()
    first_squares = (first**2).sum()
    second_squares = (second**2).sum()
    scale = np.sqrt(first_squares * second_squares)
    correlation = sum_of_products / scale
    return float(np.clip(correlation, -1.0, 1.0))


def rms_error(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Root mean squared difference of two lists of values of the same systems.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> from skgraded.studies import rms_error
    >>> round(rms_error([0.1, 0.2], [0.2, 0.3]), 4)
    0.1
    """
    first, second = _check_pair(reference, estimate)
    squares = (first - second) ** 2
    mean_square = squares.mean()
    return float(np.sqrt(mean_square))


def _check_pair(
    reference: ArrayLike, estimate: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    first = np.asarray(reference, dtype=np.float64)
    second = np.asarray(estimate, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            "reference and estimate must each hold one value per system, got shapes "
            f"{first.shape} and {second.shape}."
        )
    if len(first) < _FEWEST_SYSTEMS:
        raise ValueError(f"reference must hold at least 2 systems, got {len(first)}.")
    return first, second


def _all_equal(values: FloatArray) -> bool:
    return bool((values == values[0]).all())


Statistic = Literal["kendall", "tau_ap", "pearson", "rmse"]

STATISTICS = {
    "kendall": kendall_tau,
    "tau_ap": tau_ap,
    "pearson": pearson,
    "rmse": rms_error,
}
TITLES = {
    "kendall": "Kendall's tau",
    "tau_ap": "tau_AP",
    "pearson": "Pearson's correlation",
    "rmse": "RMS error",
}
# Means that differ by rounding alone count as equal.
_DECIMALS = 12


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Agreement of the system orders of all pairs of measures, on one or more sets of topics.

    `to_frame` has one row per set of topics and ordered pair of measures, with the columns topics,
    reference, estimate, kendall, tau_ap, pearson and rmse.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    systems : tuple of str
        The systems that were ordered.
    topic_sets : tuple of str
        Names of the sets of topics.
    n_topics : tuple of int
        Number of topics in each set.
    means : ndarray of shape (n_sets, n_systems, n_measures)
        Mean of each system.
    kendall, tau_ap, pearson, rmse : ndarray of shape (n_sets, n_measures, n_measures)
        The statistics. The row is the reference and the column the estimate, which makes a
        difference for tau_AP only. A measure of which lower values are better is negated first.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topic_sets: tuple[str, ...]
    n_topics: tuple[int, ...]
    means: FloatArray
    kendall: FloatArray
    tau_ap: FloatArray
    pearson: FloatArray
    rmse: FloatArray

    def get(
        self, first: str, second: str, statistic: Statistic = "kendall"
    ) -> FloatArray:
        """Return a statistic of one pair of measures.

        Parameters
        ----------
        first, second : str
            The measures: reference and estimate.
        statistic : {"kendall", "tau_ap", "pearson", "rmse"}, default="kendall"
            The statistic.

        Returns
        -------
        ndarray of shape (n_sets,)
            Its value on each set of topics.

        Raises
        ------
        KeyError
            If a measure is not among those scored.
        """
        values = self._values(statistic)
        row = column_of(self.measures, first)
        column = column_of(self.measures, second)
        return values[:, row, column]

    def _fields(self) -> list[Field]:
        pairs = product(self.topic_sets, self.measures, self.measures)
        topics, references, estimates = zip(*pairs, strict=True)
        fields = [
            Field("topics", topics),
            Field("reference", references),
            Field("estimate", estimates),
        ]

        for name in STATISTICS:
            values = getattr(self, name)
            fields.append(Field(name, values.ravel()))
        return fields

    def to_text(self, statistic: Statistic = "kendall") -> str:
        """Draw a table as in the papers: a cell per pair, with ``/`` between sets of topics.

        Parameters
        ----------
        statistic : {"kendall", "tau_ap", "pearson", "rmse"}, default="kendall"
            The statistic.

        Returns
        -------
        str
            The lines.
        """
        return self.table(statistic).to_text()

    def table(self, statistic: Statistic = "kendall") -> Table:
        """Make the table that `to_text` draws.

        Parameters
        ----------
        statistic : {"kendall", "tau_ap", "pearson", "rmse"}, default="kendall"
            The statistic.

        Returns
        -------
        Table
            The table, whose ``to_text`` draws it.
        """
        values = self._values(statistic)
        fields = [Field("measure", self.measures, TITLES[statistic])]
        for column, name in enumerate(self.measures):
            values_by_reference = values[:, :, column].T
            cells_of_column = [
                cell(values_of_sets) for values_of_sets in values_by_reference
            ]
            fields.append(Field(name, cells_of_column, name))
        return Table(fields, [legend(self)])

    def _table(self) -> Table:
        return self.table()

    def _values(self, statistic: str) -> FloatArray:
        """Return the values of a statistic, or raise an error."""
        choice("statistic", statistic, get_args(Statistic))
        return getattr(self, statistic)

    def plot(self, ax: Axes | None = None, statistic: Statistic = "kendall") -> Axes:
        """Draw the first set of topics as a heat map, with the value in every cell.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.
        statistic : {"kendall", "tau_ap", "pearson", "rmse"}, default="kendall"
            The statistic.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        values = self._values(statistic)[0]
        n_measures = len(self.measures)
        side = max(4.0, 1.6 + 0.52 * n_measures)
        size = (side + 0.6, side)
        ax = axes_or_new(ax, self, size)

        low = 0.0
        high = 1.0
        if not np.isnan(values).all():
            low = float(np.nanmin(values))
            high = float(np.nanmax(values))

        # The darker the cell, the larger the value, which is white on the darkest.
        palest = low - 0.1 * (high - low)
        darkest_with_black = low + 0.6 * (high - low)
        ax.imshow(values, cmap="Blues", vmin=palest, vmax=high)
        for (row, column), value in np.ndenumerate(values):
            colour = "black"
            if value > darkest_with_black:
                colour = "white"
            ax.text(
                column,
                row,
                f"{value:.2f}",
                color=colour,
                ha="center",
                va="center",
                fontsize=SMALL,
            )

        places = range(n_measures)
        ax.set_xticks(places, self.measures, rotation=45, ha="right")
        ax.set_yticks(places, self.measures)
        ax.tick_params(labelsize=SMALL, length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(
            f"{TITLES[statistic]}; {len(self.systems)} systems, {self._topics()}"
        )
        headline(ax, self._verdict(values))
        return ax

    def _topics(self) -> str:
        name = f" ({self.topic_sets[0]})" if len(self.topic_sets) > 1 else ""
        return f"{count(self.n_topics[0], 'topic')}{name}"

    def _verdict(self, values: FloatArray) -> str:
        """Say which two measures order systems most alike on the first topics, and which least."""
        n_measures = len(self.measures)
        rows, columns = np.triu_indices(n_measures, 1)
        values_of_pairs = values[rows, columns]
        has_value = ~np.isnan(values_of_pairs)
        if not has_value.any():
            return ""

        def clause(pair: np.intp, words: str) -> str:
            first = self.measures[rows[pair]]
            second = self.measures[columns[pair]]
            return f"{first} and {second} {words} ({values_of_pairs[pair]:.2f})"

        most_alike = np.nanargmax(values_of_pairs)
        verdict = clause(most_alike, "order systems most alike")
        if has_value.sum() > 1:
            least_alike = np.nanargmin(values_of_pairs)
            least = clause(least_alike, "least")
            verdict = f"{verdict}, {least}"
        return f"{verdict}."


def correlate(
    scores: Any,
    *,
    topics: Mapping[str, ArrayLike] | None = None,
    systems: ArrayLike | None = None,
) -> Correlation:
    """Compare the orders in which measures put the same systems.

    Parameters
    ----------
    scores : Scores or mapping
        Scored runs, from `skgraded.trec.evaluate`; or what `skgraded.results.side_by_side` takes: a
        mapping of systems to `Scores` of the same queries, or of measures to arrays of shape
        (n_systems, n_topics).
    topics : mapping of str to array-like of bool, optional
        Sets of topics by name, as masks such as that of `TopicFacts.few`; all topics by default.
    systems : array-like of bool, optional
        The systems to compare, as a mask such as that of `above_first_quartile`; all by default.

    Returns
    -------
    Correlation
        Kendall's tau, tau_AP, Pearson's correlation and the RMS error of all pairs of measures.

    Raises
    ------
    ValueError
        If there are fewer than two systems, or a set of topics is empty.

    Notes
    -----
    As in the papers, every document above grade 0 is relevant to binary measures, unless their
    field ``rel`` says otherwise.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision to
       Graded Relevance", Section 6.
    .. [2] T. Sakai (2007), "Alternatives to Bpref",
       Section 6.

    Examples
    --------
    >>> from skgraded.studies import correlate
    >>> ap = [[0.5, 0.7], [0.3, 0.4], [0.2, 0.1]]
    >>> rr = [[1.0, 1.0], [0.5, 0.3], [0.5, 0.5]]
    >>> correlate({"AP": ap, "RR": rr})
    Kendall's tau    AP    RR
    AP             1.00  0.33
    RR             0.33  1.00
    3 systems; all: 2 topics.
    """
    study_scores = select_systems(scored_systems(scores), systems)
    masks = topic_sets(study_scores.n_queries, topics)
    means = ordering_means(study_scores, masks)
    directions = np.array(study_scores.directions)

    statistics = {}
    for name, statistic in STATISTICS.items():
        # The RMS error compares values, not orders.
        compared_means = means
        if statistic is not rms_error:
            compared_means = means * directions
        values = [_pairwise(statistic, means_of_set) for means_of_set in compared_means]
        statistics[name] = np.stack(values)
    return Correlation(
        measures=study_scores.measures,
        systems=study_scores.systems or (),
        topic_sets=tuple(masks),
        n_topics=n_topics_of(masks),
        means=means,
        **statistics,
    )


def ordering_means(scores: Scores, masks: Mapping[str, BoolArray]) -> FloatArray:
    """Return the means over each set of topics, shape (n_sets, n_systems, n_measures).

    They are rounded, so that rounding errors cannot rank systems.
    """
    means = []
    for mask in masks.values():
        topics = scores.qid[mask].tolist()
        scores_of_set = scores.select(qid=topics)
        means.append(scores_of_set.means)
    stacked = np.stack(means)
    return np.round(stacked, _DECIMALS)


def _pairwise(statistic: Any, means: FloatArray) -> FloatArray:
    """Return a statistic of all pairs of measures; the row is the reference."""
    columns = means.T
    values = [
        [statistic(reference, estimate) for estimate in columns]
        for reference in columns
    ]
    return np.array(values)


def cell(values: FloatArray) -> str:
    """Write the correlations on all sets of topics into one cell."""
    return "/".join(f"{value:.2f}" for value in values)
