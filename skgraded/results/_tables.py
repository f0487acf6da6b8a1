"""Tables of means: a row for each measure, or a row for each system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skgraded._params import is_nan
from skgraded._text import Table, count, first_few

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

__all__ = ["means_table", "notes_on_empty", "table_of_measures", "table_of_systems"]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the mean of values that are 1
_WIDEST_MEASURE = 44


def means_table(
    measures: Sequence[str],
    columns: Mapping[str, Iterable[float | None]],
    ideals: Sequence[float | None],
    notes: Sequence[str],
) -> Table:
    """Make a table with a row for each measure; ideal means are shown where one is not 1."""
    if any(ideal is not None and abs(ideal - 1.0) > _ROUNDING for ideal in ideals):
        columns = {**columns, "ideal": ideals}
    cells = [(name, list(map(_number, values))) for name, values in columns.items()]
    return Table(["measure", *measures], cells, notes, widest_label=_WIDEST_MEASURE)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def table_of_measures(scores: Scores) -> Table:
    """Make the table of the scores of one system."""
    columns = {"mean": scores.means.ravel()}
    size = f"Means over {count(scores.n_queries, 'query', 'queries')}."
    if scores.folds is not None:
        by_fold = scores.fold_means().reshape(-1, len(scores))
        columns |= {"fold mean": by_fold.mean(axis=0), "fold std": by_fold.std(axis=0)}
        size = (
            f"mean: over {count(scores.n_queries, 'query', 'queries')}{_in_repeats(scores)}; fold "
            f"mean, fold std: mean and standard deviation of the means of {len(by_fold)} folds."
        )
    ideals = list(scores.ideal().values())
    return means_table(scores.measures, columns, ideals, _notes(scores, size))


def _in_repeats(scores: Scores) -> str:
    n_repeats = 1 if scores.folds is None else len(scores.folds)
    return f", by the mean of each over {n_repeats} repeats" if n_repeats > 1 else ""


def table_of_systems(scores: Scores, n_rows: int | None) -> Table:
    """Make the table of several systems, ordered by the first measure, the best system first."""
    systems = scores.systems or ()
    means = scores.means.reshape(len(systems), len(scores))
    better = means[:, 0] * scores.directions[0]
    rows = np.argsort(np.where(np.isnan(better), np.inf, -better), kind="stable")[:n_rows]
    shown = f", the first {n_rows} shown" if len(rows) < len(systems) else ""
    size = (
        f"{count(len(systems), 'system')}{shown}; means over "
        f"{count(scores.n_queries, 'query', 'queries')}{_in_repeats(scores)}."
    )
    columns = [
        (name, list(map(_number, column)))
        for name, column in zip(scores.measures, means[rows].T, strict=True)
    ]
    return Table(["system", *(systems[row] for row in rows)], columns, _notes(scores, size))


def _notes(scores: Scores, size: str) -> list[str]:
    return [size, *scores.notes, *notes_on_empty(scores.measures, scores.n_empty, scores.empty)]


def notes_on_empty(
    measures: Sequence[str], n_empty: Sequence[int | None], empty: Sequence[float]
) -> list[str]:
    """Say how many queries have nothing relevant, and what they count as.

    Parameters
    ----------
    measures : sequence of str
        Names of the measures.
    n_empty : sequence of int or None
        For each measure, the number of these queries, if it is known.
    empty : sequence of float
        For each measure, their value; nan leaves them out.

    Returns
    -------
    list of str
        A sentence for each number and value.

    Examples
    --------
    >>> from skgraded.results import notes_on_empty
    >>> notes_on_empty(["AP", "nDCG"], [2, 2], [0.0, 0.0])
    ['2 queries with nothing relevant, counted as 0 (AP, nDCG).']
    """
    by_fate: dict[str, list[str]] = {}
    for name, number, value in zip(measures, n_empty, empty, strict=True):
        if number:
            queries = f"{count(number, 'query', 'queries')} with nothing relevant"
            fate = "left out" if is_nan(value) else f"counted as {value:g}"
            by_fate.setdefault(f"{queries}, {fate}", []).append(name)
    return [f"{fate} ({first_few(names)})." for fate, names in by_fate.items()]
