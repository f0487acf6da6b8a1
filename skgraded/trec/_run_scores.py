"""Results: systems by topics by measures."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import import_pandas
from skgraded._text import WIDTH, count, text_table, wrap
from skgraded._warnings import UndefinedMeanWarning
from skgraded.measures import Measure, measure
from skgraded.trec._files import JoinedRun, Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Coverage", "RunScores", "notes_on_coverage"]

FloatArray = NDArray[np.float64]

_ROWS_SHOWN = 20
_EXAMPLES = 3


class Coverage(NamedTuple):
    """What a run's scores do not show: topics and documents that were left out.

    Attributes
    ----------
    n_documents : int
        Retrieved documents of the topics that were scored.
    missing : tuple of str
        Topics of the qrels that the run lacks.
    extra : tuple of str
        Topics of the run that the qrels lack; they were left out.
    n_duplicates : int
        Lines left out because they repeated a document of their topic.
    """

    n_documents: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    n_duplicates: int

    @classmethod
    def of(cls, run: Run, joined: JoinedRun) -> Coverage:
        """Tell what was left out of a run.

        Parameters
        ----------
        run : Run
            The run.
        joined : JoinedRun
            What its join with the qrels gave.

        Returns
        -------
        Coverage
            Topics and documents.
        """
        return cls(
            n_documents=len(joined.levels),
            missing=tuple(joined.missing.tolist()),
            extra=tuple(joined.extra.tolist()),
            n_duplicates=run.n_duplicates,
        )


def notes_on_coverage(
    systems: Sequence[str], coverage: Sequence[Coverage], complete: bool = True
) -> list[str]:
    """Say in sentences what was left out of runs."""
    fate = "counts as an empty list" if complete else "is left out of the run's mean"
    told = {
        f"without all topics of the qrels; a missing topic {fate}": [
            len(each.missing) for each in coverage
        ],
        "with topics outside the qrels, left out": [len(each.extra) for each in coverage],
        "with repeated documents, of which the first counts": [
            each.n_duplicates for each in coverage
        ],
    }
    notes = []
    for what, counts in told.items():
        those = [f"{name} ({n})" for name, n in zip(systems, counts, strict=True) if n]
        if those:
            notes.append(f"{count(len(those), 'system')} {what}: {_some(those)}.")
    return notes


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
        For each system, what was left out.
    n_empty : tuple of int
        For each measure, the number of topics with nothing relevant.
    complete : bool
        Whether a topic that a system lacks counts as an empty list.
    remarks : tuple of str
        What else there is to know about the input, in sentences.
    """

    systems: tuple[str, ...]
    topics: NDArray[Any]
    measures: tuple[Measure, ...]
    values: FloatArray
    coverage: tuple[Coverage, ...]
    n_empty: tuple[int, ...]
    complete: bool = True
    remarks: tuple[str, ...] = ()

    def means(self) -> FloatArray:
        """Mean over the topics that have a value.

        Returns
        -------
        ndarray of shape (n_systems, n_measures)
            The means; nan, with an `UndefinedMeanWarning`, where no topic is left.
        """
        means = self._means()
        undefined = np.flatnonzero(np.isnan(means).any(axis=0))
        if len(undefined):
            warnings.warn(
                f"The mean of {', '.join(str(self.measures[each]) for each in undefined)} is "
                "undefined for a system: no topic has a value.",
                UndefinedMeanWarning,
                stacklevel=2,
            )
        return means

    def _means(self) -> FloatArray:
        counted = (~np.isnan(self.values)).sum(axis=1)
        totals = np.nansum(self.values, axis=1)
        means: FloatArray = np.full_like(totals, np.nan)
        np.divide(totals, counted, out=means, where=counted > 0)
        return means

    def mean(self) -> dict[str, dict[str, float]]:
        """Mean over the topics that have a value, by name.

        Returns
        -------
        dict of str to dict of str to float
            For each system, the mean of each measure.
        """
        names = [str(each) for each in self.measures]
        rows = zip(self.systems, self.means().tolist(), strict=True)
        return {system: dict(zip(names, row, strict=True)) for system, row in rows}

    def best(self, name: str | Measure | None = None) -> str:
        """Name of the system with the best mean.

        Parameters
        ----------
        name : str or Measure, optional
            The measure; the first one by default.

        Returns
        -------
        str
            The system; the first one of several that are equally good.

        Raises
        ------
        KeyError
            If the measure is not among those scored.
        """
        column = 0 if name is None else self.column(name)
        means = self.means()[:, column]
        if np.isnan(means).all():
            raise ValueError(f"No system has a mean of {self.measures[column]}.")
        better = means if self.measures[column].greater_is_better else -means
        return self.systems[int(np.nanargmax(better))]

    def __getitem__(self, name: str | Measure) -> FloatArray:
        """Values of one measure, shape (n_systems, n_topics)."""
        return self.values[:, :, self.column(name)]

    def column(self, name: str | Measure) -> int:
        """Find a measure among those scored.

        Parameters
        ----------
        name : str or Measure
            The measure.

        Returns
        -------
        int
            Its number in ``measures``.

        Raises
        ------
        KeyError
            If the measure is not among those scored.
        """
        try:
            return self.measures.index(measure(name))
        except ValueError as error:
            scored = ", ".join(map(str, self.measures))
            raise KeyError(f"{name} is not among the measures scored: {scored}.") from error

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

    def notes(self) -> list[str]:
        """Say what the values do not show: what was left out, and what counts as what.

        Returns
        -------
        list of str
            Sentences; none where there is nothing to say.
        """
        on_runs = notes_on_coverage(self.systems, self.coverage, self.complete)
        return [*self.remarks, *on_runs, *self._notes_on_empty()]

    def _notes_on_empty(self) -> list[str]:
        by_fate: dict[tuple[int, str], list[str]] = {}
        for n_empty, each in zip(self.n_empty, self.measures, strict=True):
            fate = "left out" if np.isnan(each.empty) else f"counted as {each.empty:g}"
            by_fate.setdefault((n_empty, fate), []).append(str(each))
        return [
            f"{count(n_empty, 'topic')} with nothing relevant, {fate} ({_some(names)})."
            for (n_empty, fate), names in by_fate.items()
            if n_empty
        ]

    def _best_first(self) -> NDArray[np.intp]:
        means = self._means()[:, 0]
        better = means if self.measures[0].greater_is_better else -means
        return np.argsort(np.where(np.isnan(better), np.inf, -better), kind="stable")

    def to_text(self, n_rows: int | None = None, width: int = WIDTH) -> str:
        """Draw a table of means, the best system by the first measure first, with the notes.

        Parameters
        ----------
        n_rows : int, optional
            Most systems to show; all by default.
        width : int, default=80
            Characters in a line.

        Returns
        -------
        str
            The lines.
        """
        rows = self._best_first()[:n_rows]
        means = self._means()[rows]
        columns = [
            (str(each), [f"{value:.4f}" for value in column])
            for each, column in zip(self.measures, means.T, strict=True)
        ]
        table = text_table(["system", *(self.systems[row] for row in rows)], columns, width)
        shown = f", the first {len(rows)} shown" if len(rows) < len(self.systems) else ""
        size = (
            f"{count(len(self.systems), 'system')}{shown}; "
            f"means over {count(len(self.topics), 'topic')}."
        )
        return "\n".join([table, *(wrap(each, width) for each in (size, *self.notes()))])

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return self.to_text(_ROWS_SHOWN)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_EXAMPLES])
    return shown + (f" and {len(names) - _EXAMPLES} more" if len(names) > _EXAMPLES else "")
