"""Correlations of GAP, xGAP and eGAP with other measures, for many distributions g."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
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
    STATISTICS,
    TITLES,
    cell,
    ordering_means,
)
from skgraded.studies._scored_systems import kept_systems, legend, scored_systems
from skgraded.studies._topic_facts import topic_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SweepStatistic = Literal["kendall", "tau_ap"]

_FAMILIES = (GAP, xGAP, eGAP)
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
        tuple(part / n_steps for part in parts)
        for parts in _compositions(n_steps, n_grades)
    ]


def _compositions(total: int, n_parts: int) -> list[tuple[int, ...]]:
    if n_parts == 1:
        return [(total,)]
    return [
        (first, *rest)
        for first in range(total + 1)
        for rest in _compositions(total - first, n_parts - 1)
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
    return [family(g=tuple(g), **fields) for g in grid for family in _FAMILIES]


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
        return self._table(statistic).to_text()

    def _table(self, statistic: SweepStatistic = "kendall") -> Table:
        values: FloatArray = getattr(
            self, choice("statistic", statistic, get_args(SweepStatistic))
        )
        labels = [label for g in self.grid for label in (_tuple(g), *self.rows)]
        fields = [Field("g", labels, TITLES[statistic])]
        for column, name in enumerate(self.columns):
            blocks = ([name, *map(cell, block[:, column])] for block in values)
            fields.append(Field(name, [each for block in blocks for each in block], ""))
        return Table(fields, [legend(self)])

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
        name = (
            self.columns[1]
            if against is None
            else choice("against", against, self.columns)
        )
        column = self.columns.index(name)
        ax = axes_or_new(ax, self)
        first, place = np.unique([g[0] for g in self.grid], return_inverse=True)
        curves = []
        for group, topics in enumerate(self.topic_sets):
            of_topics = f", {topics}" if len(self.topic_sets) > 1 else ""
            for row, family in enumerate(self.rows):
                points = self.kendall[:, row, column, group]
                means = np.bincount(place, points) / np.bincount(place)
                dashes = _DASHES[group % len(_DASHES)]
                curves.append(Curve(f"{family}{of_topics}", first, means, row, dashes))
                if len(first) < len(self.grid):
                    ax.scatter(
                        [g[0] for g in self.grid], points, s=8, color=COLOURS[row]
                    )
        draw_curves(ax, curves)
        ax.set_xlabel("share of the users who accept grade 1")
        ax.set_ylabel(f"Kendall's tau with {name}")
        plain(ax)
        headline(ax, self._verdict(column))
        return ax

    def _verdict(self, column: int) -> str:
        """Say where the orders agree least, and which of the measures it is."""
        taus = self.kendall[:, :, column]
        if np.isnan(taus).all():
            return ""
        block, row, group = np.unravel_index(np.nanargmin(taus), taus.shape)
        topics = (
            f" on the topics {self.topic_sets[group]!r}"
            if len(self.topic_sets) > 1
            else ""
        )
        least = f"{self.rows[row]} with g = {_tuple(self.grid[block])}{topics}"
        return (
            f"{least} orders {len(self.systems)} systems least like {self.columns[column]} "
            f"(Kendall's tau {taus[block, row, group]:.2f})."
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
    taken = kept_systems(scored_systems(scores), systems)
    blocks, others = _blocks(taken.measures)
    chosen = topic_sets(taken.n_queries, topics)
    signed = np.stack([ordering_means(taken, mask) for mask in chosen.values()])
    signed = signed * np.array(taken.directions)
    columns = {g: [block[0], *others] for g, block in blocks.items()}
    tables = {
        name: np.array(
            [_table(name, signed, block, columns[g]) for g, block in blocks.items()]
        )
        for name in ("kendall", "tau_ap")
    }
    return ThresholdSweep(
        grid=tuple(blocks),
        rows=tuple(family.__name__ for family in _FAMILIES),
        columns=("GAP", *(taken.measures[each] for each in others)),
        topic_sets=tuple(chosen),
        n_topics=tuple(int(mask.sum()) for mask in chosen.values()),
        systems=taken.systems or (),
        **tables,
    )


def _table(name: str, signed: FloatArray, rows: list[int], columns: list[int]) -> Any:
    """Return the cells of one g: rows by columns by sets of topics."""
    statistic = STATISTICS[name]
    return [
        [
            [statistic(each[:, column], each[:, row]) for each in signed]
            for column in columns
        ]
        for row in rows
    ]


def _blocks(
    measures: Sequence[str],
) -> tuple[dict[tuple[float, ...], list[int]], list[int]]:
    """Return the numbers of the measures of each g, and those of the other measures."""
    found: dict[tuple[float, ...], dict[type[Measure], int]] = {}
    others = []
    for number, each in enumerate(map(measure_or_none, measures)):
        g = getattr(each, "g", None)
        if each is not None and isinstance(g, tuple):
            found.setdefault(g, {})[type(each)] = number
        else:
            others.append(number)
    blocks = {
        g: [of_family[family] for family in _FAMILIES]
        for g, of_family in found.items()
        if set(_FAMILIES) <= of_family.keys()
    }
    if not blocks:
        raise ValueError(
            "scores must hold GAP, xGAP and eGAP with the same g, got "
            f"{', '.join(measures)}. threshold_measures makes these measures."
        )
    return blocks, others


def _tuple(g: Sequence[float]) -> str:
    return "(" + ", ".join(str(round(each, 4)) for each in g) + ")"
