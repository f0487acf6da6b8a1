"""The result of an evaluation: values by system, topic and measure."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import import_pandas
from skgraded._text import WIDTH, Table, count, first_few
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.measures import Measure, column_of
from skgraded.results import LEAST, average_of
from skgraded.trec._files import Coverage, notes_on_coverage

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunScores"]

FloatArray = NDArray[np.float64]

_ROWS_SHOWN = 20

_KINDS = {"arithmetic": "", "geometric": "geometric "}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RunScores:
    """Values of several measures for several systems, topic by topic.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    topics : ndarray of shape (n_topics,)
        Topic ids, in the order of the qrels.
    measures : tuple of Measure
        The measures.
    values : ndarray of shape (n_systems, n_topics, n_measures)
        The values; nan = left out of the mean.
    coverage : tuple of Coverage
        What was left out of each system's run.
    n_empty : tuple of int
        Number of topics with nothing relevant, for each measure.
    complete : bool
        Whether a topic that a system lacks counts as an empty list.
    remarks : tuple of str
        Other facts about the input, in sentences.
    """

    systems: tuple[str, ...]
    topics: NDArray[Any]
    measures: tuple[Measure, ...]
    values: FloatArray
    coverage: tuple[Coverage, ...]
    n_empty: tuple[int, ...]
    complete: bool = True
    remarks: tuple[str, ...] = ()

    def means(self, average: str = "arithmetic", *, floor: float = LEAST) -> FloatArray:
        """Mean over the topics that have a value.

        Parameters
        ----------
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean. The geometric mean of AP is trec_eval's gm_map, that of Bpref its
            gm_bpref; it depends more on the topics with the smallest values.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        ndarray of shape (n_systems, n_measures)
            The means; nan, with an `UndefinedMeanWarning`, where no topic is left.
        """
        means = self._means(average, floor)
        undefined = np.flatnonzero(np.isnan(means).any(axis=0))
        if len(undefined):
            warnings.warn(
                f"The mean of {', '.join(str(self.measures[each]) for each in undefined)} is "
                "undefined for a system: no topic has a value.",
                UndefinedMeanWarning,
                stacklevel=2,
            )
        return means

    def _means(self, average: str = "arithmetic", floor: float = LEAST) -> FloatArray:
        chosen = average_of(average, floor)
        counted = (~np.isnan(self.values)).sum(axis=1)
        totals = np.nansum(chosen.onto(self.values), axis=1)
        means: FloatArray = np.full_like(totals, np.nan)
        np.divide(totals, counted, out=means, where=counted > 0)
        averages: FloatArray = chosen.back(means)
        return averages

    def mean(
        self, average: str = "arithmetic", *, floor: float = LEAST
    ) -> dict[str, dict[str, float]]:
        """Mean over the topics that have a value, by name.

        Parameters
        ----------
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean. The geometric mean of AP is trec_eval's gm_map, that of Bpref its
            gm_bpref; it depends more on the topics with the smallest values.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        dict of str to dict of str to float
            The mean of every measure by name, for every system by name.
        """
        names = [str(each) for each in self.measures]
        rows = zip(self.systems, self.means(average, floor=floor).tolist(), strict=True)
        return {system: dict(zip(names, row, strict=True)) for system, row in rows}

    def best(
        self,
        name: str | Measure | None = None,
        average: str = "arithmetic",
        *,
        floor: float = LEAST,
    ) -> str:
        """Find the system with the best mean.

        Parameters
        ----------
        name : str or Measure, optional
            The measure; the first one by default.
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean, as in `means`.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        str
            Name of the system; the first one of several that are equally good.

        Raises
        ------
        KeyError
            If the measure is not among those scored.
        ValueError
            If no system has a mean.
        """
        column = 0 if name is None else column_of(self.measures, name)
        means = self.means(average, floor=floor)[:, column]
        if np.isnan(means).all():
            raise ValueError(f"No system has a mean of {self.measures[column]}.")
        better = means if self.measures[column].greater_is_better else -means
        return self.systems[int(np.nanargmax(better))]

    def __getitem__(self, name: str | Measure) -> FloatArray:
        """Values of one measure, shape (n_systems, n_topics)."""
        return self.values[:, :, column_of(self.measures, name)]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per system and topic, and one column per measure.

        Returns
        -------
        DataFrame
            Columns are named by the measures; the index holds system and topic.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas(".systems, .topics and .values")
        index = pandas.MultiIndex.from_product(
            [list(self.systems), self.topics.tolist()], names=["system", "topic"]
        )
        names = [str(each) for each in self.measures]
        frame: pd.DataFrame = pandas.DataFrame(
            self.values.reshape(len(index), -1), index=index, columns=names
        )
        return frame

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the values by system, topic and name of the measure.

        Returns
        -------
        dict of str to dict of str to dict of str to float
            For each system what pytrec_eval returns for one run.
        """
        names = [str(each) for each in self.measures]
        topics = self.topics.tolist()
        by_system = {}
        for system, rows in zip(self.systems, self.values.tolist(), strict=True):
            values = [dict(zip(names, row, strict=True)) for row in rows]
            by_system[system] = dict(zip(topics, values, strict=True))
        return by_system

    def notes(self) -> list[str]:
        """Describe in sentences what the values do not show, such as topics that were left out.

        Returns
        -------
        list of str
            The sentences; none if there is nothing to say.
        """
        on_runs = notes_on_coverage(self.systems, self.coverage, self.complete)
        return [*self.remarks, *on_runs, *self._notes_on_empty()]

    def _notes_on_empty(self) -> list[str]:
        by_fate: dict[tuple[int, str], list[str]] = {}
        for n_empty, each in zip(self.n_empty, self.measures, strict=True):
            fate = "left out" if np.isnan(each.empty) else f"counted as {each.empty:g}"
            by_fate.setdefault((n_empty, fate), []).append(str(each))
        return [
            f"{count(n_empty, 'topic')} with nothing relevant, {fate} ({first_few(names)})."
            for (n_empty, fate), names in by_fate.items()
            if n_empty
        ]

    def _best_first(self, means: FloatArray) -> NDArray[np.intp]:
        means = means[:, 0]
        better = means if self.measures[0].greater_is_better else -means
        return np.argsort(np.where(np.isnan(better), np.inf, -better), kind="stable")

    def to_text(
        self, n_rows: int | None = None, width: int = WIDTH, average: str = "arithmetic"
    ) -> str:
        """Draw a table of means, ordered by the first measure, the best system first, with notes.

        Parameters
        ----------
        n_rows : int, optional
            Number of systems that are shown; all by default.
        width : int, default=80
            Characters in a line.
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean, as in `means`.

        Returns
        -------
        str
            The lines.
        """
        return self._table(n_rows, average).to_text(width)

    def _table(self, n_rows: int | None, average: str = "arithmetic") -> Table:
        means = self._means(average)
        rows = self._best_first(means)[:n_rows]
        columns = [
            (str(each), [f"{value:.4f}" for value in column])
            for each, column in zip(self.measures, means[rows].T, strict=True)
        ]
        labels = ["system", *(self.systems[row] for row in rows)]
        return Table(labels, columns, [self._size(len(rows), average), *self.notes()])

    def _size(self, n_rows: int, average: str) -> str:
        shown = f", the first {n_rows} shown" if n_rows < len(self.systems) else ""
        return (
            f"{count(len(self.systems), 'system')}{shown}; "
            f"{_KINDS[average]}means over {count(len(self.topics), 'topic')}."
        )

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return self.to_text(_ROWS_SHOWN)

    def _repr_html_(self) -> str:
        return self._table(_ROWS_SHOWN).to_html()
