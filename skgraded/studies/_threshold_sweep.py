"""Correlations of GAP, xGAP and eGAP with other measures, for many distributions g."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.arguments import choice, integer
from skgraded._support.array_types import FloatArray
from skgraded._support.pictures import (
    COLOURS,
    Curve,
    axes_or_new,
    draw_curves,
    headline,
    plain,
)
from skgraded._support.results_base import Field, Result, Table
from skgraded.measures import GAP, Measure, eGAP, measure_or_none, xGAP
from skgraded.studies._measure_correlation import (
    TITLES,
    cell,
    kendall_tau,
    ordering_means,
    tau_ap,
)
from skgraded.studies._scored_systems import legend, scored_systems, select_systems
from skgraded.studies._topic_facts import n_topics_of, topic_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SweepStatistic = Literal["kendall", "tau_ap"]

_FAMILIES = (GAP, xGAP, eGAP)
_STATISTICS = {"kendall": kendall_tau, "tau_ap": tau_ap}
_DASHES = ("-", "--", ":", "-.")


def threshold_grid(n_grades: int, n_steps: int = 10) -> list[tuple[float, ...]]:
    """List the distributions g whose entries are multiples of ``1 / n_steps``.

    Parameters
    ----------
    n_grades : int
        Number c of grades above 0.
    n_steps : int, default=10
        Number of steps from 0 to 1. The paper's Table 2 takes 10 with two grades, its Table 3 takes
        5 with three.

    Returns
    -------
    list of tuple of float
        The distributions, in ascending order of g_1.

    Examples
    --------
    >>> from skgraded.studies import threshold_grid
    >>> threshold_grid(2, 2)
    [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]
    >>> len(threshold_grid(3, 5))
    21
    """
    integer("n_grades", n_grades, 1)
    integer("n_steps", n_steps, 1)
    return [
        tuple(steps / n_steps for steps in composition)
        for composition in _compositions(n_steps, n_grades)
    ]


def _compositions(total: int, length: int) -> list[tuple[int, ...]]:
    """List the tuples of integers >= 0 with this sum, in ascending order."""
    if length == 1:
        return [(total,)]
    return [
        (first, *others)
        for first in range(total + 1)
        for others in _compositions(total - first, length - 1)
    ]


def threshold_measures(grid: Sequence[Sequence[float]], **fields: Any) -> list[Measure]:
    """Make GAP, xGAP and eGAP for every g, to score runs by before `sweep_thresholds`.

    Parameters
    ----------
    grid : sequence of sequence of float
        The distributions g, such as those of `threshold_grid`.
    **fields : object
        Other fields of the measures, such as ``k``.

    Returns
    -------
    list of Measure
        Three measures for each g.

    Examples
    --------
    >>> from skgraded.studies import threshold_measures
    >>> [str(each) for each in threshold_measures([(0.1, 0.9)])]
    ['GAP(g=[0.1,0.9])', 'xGAP(g=[0.1,0.9])', 'eGAP(g=[0.1,0.9])']
    """
    measures: list[Measure] = []
    for g in grid:
        probabilities = tuple(g)
        measures += [family(g=probabilities, **fields) for family in _FAMILIES]
    return measures


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ThresholdSweep(Result):
    """Correlations of GAP, xGAP and eGAP with other measures, for every g of a grid.

    `to_frame` has one row per g, row, column and set of topics, with the columns g, measure,
    against, topics, kendall and tau_ap.

    Attributes
    ----------
    grid : tuple of tuple of float
        The distributions g.
    rows : tuple of str
        ``("GAP", "xGAP", "eGAP")``, the measures with the g of their block.
    columns : tuple of str
        Names of GAP, with the g of the block, and of the other measures.
    topic_sets : tuple of str
        Names of the sets of topics.
    n_topics : tuple of int
        Number of topics in each set.
    systems : tuple of str
        The systems that were ordered.
    kendall, tau_ap : ndarray of shape (n_grid, n_rows, n_columns, n_sets)
        The correlations; the column is the reference of tau_AP.
    """

    grid: tuple[tuple[float, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    topic_sets: tuple[str, ...]
    n_topics: tuple[int, ...]
    systems: tuple[str, ...]
    kendall: FloatArray
    tau_ap: FloatArray

    def _fields(self) -> list[Field]:
        cells = product(self.grid, self.rows, self.columns, self.topic_sets)
        grid, measures, against, topics = zip(*cells, strict=True)
        return [
            Field("g", grid),
            Field("measure", measures),
            Field("against", against),
            Field("topics", topics),
            Field("kendall", self.kendall.ravel()),
            Field("tau_ap", self.tau_ap.ravel()),
        ]

    def to_text(self, statistic: SweepStatistic = "kendall") -> str:
        """Draw the table in the form of the paper's Tables 2 and 3.

        Parameters
        ----------
        statistic : {"kendall", "tau_ap"}, default="kendall"
            The statistic.

        Returns
        -------
        str
            The lines: a block for each g, with ``/`` between sets of topics.
        """
        return self.table(statistic).to_text()

    def table(self, statistic: SweepStatistic = "kendall") -> Table:
        """Make the table that `to_text` draws.

        Parameters
        ----------
        statistic : {"kendall", "tau_ap"}, default="kendall"
            The statistic.

        Returns
        -------
        Table
            The table, whose ``to_text`` draws it.
        """
        choice("statistic", statistic, get_args(SweepStatistic))
        values = getattr(self, statistic)

        # The rows of every g stand below a line with g and the names of the columns.
        labels = []
        for g in self.grid:
            labels += [_tuple(g), *self.rows]
        fields = [Field("g", labels, TITLES[statistic])]
        for column, name in enumerate(self.columns):
            cells = []
            for values_of_g in values[:, :, column]:
                cells += [name, *map(cell, values_of_g)]
            fields.append(Field(name, cells, ""))
        return Table(fields, [legend(self)])

    def _table(self) -> Table:
        return self.table()

    def plot(self, ax: Axes | None = None, against: str | None = None) -> Axes:
        """Draw Kendall's tau with one measure over g_1, with a line style for each set of topics.

        With three grades or more, several g share one g_1; the lines then connect their means.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.
        against : str, optional
            The column; the second by default, which is the first measure other than GAP.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        if against is None:
            against = self.columns[1]
        else:
            choice("against", against, self.columns)
        column = self.columns.index(against)
        ax = axes_or_new(ax, self)

        # Several g may have one g_1; a curve connects the means of their points.
        first_shares = [g[0] for g in self.grid]
        x, place_on_x = np.unique(first_shares, return_inverse=True)
        n_points = np.bincount(place_on_x)
        has_several_sets = len(self.topic_sets) > 1
        curves = []
        for group, topics in enumerate(self.topic_sets):
            of_topics = f", {topics}" if has_several_sets else ""
            dashes = _DASHES[group % len(_DASHES)]
            for row, family in enumerate(self.rows):
                taus = self.kendall[:, row, column, group]
                means = np.bincount(place_on_x, taus) / n_points
                name = f"{family}{of_topics}"
                curves.append(Curve(name, x, means, row, dashes))
                if len(x) < len(self.grid):
                    colour = COLOURS[row]
                    ax.scatter(first_shares, taus, s=8, color=colour)

        draw_curves(ax, curves)
        ax.set_xlabel("share of the users who accept grade 1")
        ax.set_ylabel(f"Kendall's tau with {against}")
        plain(ax)
        headline(ax, self._verdict(column))
        return ax

    def _verdict(self, column: int) -> str:
        """Say where the orders agree least, and which of the measures it is."""
        taus = self.kendall[:, :, column]
        if np.isnan(taus).all():
            return ""
        least = np.unravel_index(np.nanargmin(taus), taus.shape)
        block, row, group = least

        topics = ""
        if len(self.topic_sets) > 1:
            topics = f" on the topics {self.topic_sets[group]!r}"
        return (
            f"{self.rows[row]} with g = {_tuple(self.grid[block])}{topics} orders "
            f"{len(self.systems)} systems least like {self.columns[column]} "
            f"(Kendall's tau {taus[least]:.2f})."
        )


def sweep_thresholds(
    scores: Any,
    *,
    topics: Mapping[str, ArrayLike] | None = None,
    systems: ArrayLike | None = None,
) -> ThresholdSweep:
    """Correlate GAP, xGAP and eGAP with each other and with other measures, for every g.

    Parameters
    ----------
    scores : Scores or mapping
        Scores by `threshold_measures` and by the measures to correlate them with. The columns of
        the table have their order.
    topics : mapping of str to array-like of bool, optional
        Sets of topics by name, as masks; all topics by default.
    systems : array-like of bool, optional
        The systems to compare, as a mask; all by default.

    Returns
    -------
    ThresholdSweep
        The table.

    Raises
    ------
    ValueError
        If there is no g for which runs were scored by GAP, xGAP and eGAP.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision to
       Graded Relevance", Tables 2 and 3.

    Examples
    --------
    >>> from skgraded import trec
    >>> from skgraded.studies import sweep_thresholds, threshold_grid, threshold_measures
    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 0, "b": 1, "c": 2}}
    >>> runs = {
    ...     "up": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"c": 3.0, "b": 2.0}},
    ...     "down": {"q1": {"c": 3.0, "b": 2.0, "a": 1.0}, "q2": {"a": 3.0, "b": 2.0}},
    ... }
    >>> measures = [*threshold_measures(threshold_grid(2, 1)), "AP"]
    >>> sweep_thresholds(trec.evaluate(measures, qrels, runs))
    Kendall's tau
    (0.0, 1.0)      GAP    AP
    GAP            1.00  1.00
    xGAP           1.00  1.00
    eGAP           1.00  1.00
    (1.0, 0.0)      GAP    AP
    GAP            1.00  1.00
    xGAP           1.00  1.00
    eGAP           1.00  1.00
    2 systems; all: 2 topics.
    """
    study_scores = select_systems(scored_systems(scores), systems)
    blocks, other_measures = _blocks(study_scores.measures)
    masks = topic_sets(study_scores.n_queries, topics)

    means = ordering_means(study_scores, masks)
    directions = np.array(study_scores.directions)
    signed_means = means * directions

    correlations = {}
    for name, statistic in _STATISTICS.items():
        cells = []
        for block in blocks.values():
            column_measures = [block[0], *other_measures]
            correlations_of_g = _correlations(
                statistic, signed_means, block, column_measures
            )
            cells.append(correlations_of_g)
        correlations[name] = np.array(cells)

    rows = [family.__name__ for family in _FAMILIES]
    names = study_scores.measures
    other_names = [names[number] for number in other_measures]
    return ThresholdSweep(
        grid=tuple(blocks),
        rows=tuple(rows),
        columns=("GAP", *other_names),
        topic_sets=tuple(masks),
        n_topics=n_topics_of(masks),
        systems=study_scores.systems or (),
        **correlations,
    )


def _correlations(
    statistic: Callable[[FloatArray, FloatArray], float],
    signed_means: FloatArray,
    rows: list[int],
    columns: list[int],
) -> list[list[list[float]]]:
    """Return the cells of one g: rows by columns by sets of topics."""
    cells = []
    for row in rows:
        cells_of_row = [
            [statistic(means[:, column], means[:, row]) for means in signed_means]
            for column in columns
        ]
        cells.append(cells_of_row)
    return cells


def _blocks(
    measures: Sequence[str],
) -> tuple[dict[tuple[float, ...], list[int]], list[int]]:
    """Return the numbers of the measures of each g, and those of the other measures."""
    families_by_g: dict[tuple[float, ...], dict[type[Measure], int]] = {}
    other_measures = []
    for number, name in enumerate(measures):
        measure = measure_or_none(name)
        g = getattr(measure, "g", None)
        if measure is not None and isinstance(g, tuple):
            families_by_g.setdefault(g, {})[type(measure)] = number
        else:
            other_measures.append(number)

    blocks = {}
    for g, numbers in families_by_g.items():
        if all(family in numbers for family in _FAMILIES):
            blocks[g] = [numbers[family] for family in _FAMILIES]
    if not blocks:
        raise ValueError(
            "scores must hold GAP, xGAP and eGAP with the same g, got "
            f"{', '.join(measures)}. threshold_measures makes these measures."
        )
    return blocks, other_measures


def _tuple(g: Sequence[float]) -> str:
    return f"({', '.join(str(round(probability, 4)) for probability in g)})"
