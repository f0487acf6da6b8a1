"""What `Scores` and `Means` say to writers: tables, columns, and lines as trec_eval prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_nan
from skgraded._support.text import count, first_few, shorten
from skgraded._support.writers import Report, Table, visible

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the mean of values that are 1
_WIDEST_MEASURE = 44
_KINDS = {"arithmetic": "", "geometric": "geometric "}


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


def table_of_means(
    scores: Scores, means: FloatArray, n_rows: int | None = None, average: str = "arithmetic"
) -> Table:
    """Make the table of means, which has a row for each system, or for each measure of one."""
    if scores.systems is None:
        return _table_of_measures(scores, means, average)
    return _table_of_systems(scores, means, n_rows, average)


def report_of(
    scores: Scores,
    per_query: bool = False,
    average: str = "arithmetic",
    tables: Sequence[Table] | None = None,
) -> Report:
    """Describe scores for writers.

    Parameters
    ----------
    scores : Scores
        The scores.
    per_query : bool, default=False
        Whether rows are the values of queries, and not means.
    average : {"arithmetic", "geometric"}, default="arithmetic"
        The kind of mean.
    tables : sequence of Table, optional
        The tables; by default they show the rows.

    Returns
    -------
    Report
        Tables, columns, facts and notes.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import report_of
    >>> scores = evaluate(["AP"], [1, 0], {"a": [2, 1]})
    >>> report_of(scores).columns
    {'system': ('a',), 'AP': array([1.])}
    """
    if not per_query:
        return _report_of_means(scores, average)
    return _report_of_values(scores, average, tables or [_table_of_values(scores)])


def _report_of_means(scores: Scores, average: str) -> Report:
    means = scores._means(average)
    columns: dict[str, Any] = {"system": scores.systems or ("",)}
    columns |= dict(zip(scores, means.T, strict=True))
    facts = {"average": average, "n_queries": scores.n_queries}
    table = table_of_means(scores, means, average=average)
    return Report([table], columns, facts, notes_of(scores))


def _report_of_values(scores: Scores, average: str, tables: Sequence[Table]) -> Report:
    means = scores._means(average).tolist()
    rows = [dict(zip(scores, row, strict=True)) for row in means]
    facts = {
        "average": average,
        "n_queries": scores.n_queries,
        "means": rows[0]
        if scores.systems is None
        else dict(zip(scores.systems, rows, strict=True)),
    }
    return Report(tables, columns_of_values(scores), facts, notes_of(scores))


def columns_of_values(scores: Scores) -> dict[str, Any]:
    """Return the values column by column, with a row per system, repeat and query."""
    cube = scores.cube
    system, repeat, query = (place.ravel() for place in np.indices(cube.shape[:3]))
    tested = slice(None) if scores.folds is None else scores.folds[repeat, query] >= 0
    axes: dict[str, Any] = {}
    if scores.systems is not None:
        axes["system"] = np.array(scores.systems, dtype=object)[system]
    if scores.folds is not None:
        axes |= {"repeat": repeat, "fold": scores.folds[repeat, query]}
    columns = dict(zip(scores, cube.reshape(-1, len(scores)).T, strict=True))
    everything = {**axes, "qid": scores.qid[query], **columns}
    return {name: column[tested] for name, column in everything.items()}


def _table_of_values(scores: Scores) -> Table:
    columns = columns_of_values(scores)
    systems = scores.systems or ()
    labels = [str(each) for each in columns["qid"].tolist()]
    heading = "qid"
    if len(systems) > 1:
        width = max(len(shorten(each)) for each in systems)
        named = zip(columns["system"], labels, strict=True)
        labels = [f"{shorten(system):<{width}}  {query}" for system, query in named]
        heading = f"{'system':<{width}}  {heading}"
    cells = [
        (name, ["-" if math.isnan(value) else f"{value:.4f}" for value in columns[name].tolist()])
        for name in scores
    ]
    counted = f"{count(len(systems), 'system')}, " if systems else ""
    size = f"{counted}{count(scores.n_queries, 'query', 'queries')}."
    return Table([heading, *labels], cells, [size, *notes_of(scores)], widest_label=60)


def _table_of_measures(scores: Scores, means: FloatArray, average: str) -> Table:
    """Make the table of the scores of one system; means of folds and ideal ones are arithmetic."""
    columns = {"mean": means[0]}
    queries = f"{count(scores.n_queries, 'query', 'queries')}{_in_repeats(scores)}"
    size = f"{_KINDS[average]}means over {queries}.".capitalize()
    ideals: list[float | None] = []
    if average == "arithmetic":
        ideals = list(scores.ideal().values())
        if scores.folds is not None:
            by_fold = scores.fold_means().reshape(-1, len(scores))
            columns |= {"fold mean": by_fold.mean(axis=0), "fold std": by_fold.std(axis=0)}
            size = (
                f"mean: over {queries}; fold mean, fold std: mean and standard deviation of the "
                f"means of {len(by_fold)} folds."
            )
    return means_table(scores.measures, columns, ideals, [size, *notes_of(scores)])


def _in_repeats(scores: Scores) -> str:
    n_repeats = 1 if scores.folds is None else len(scores.folds)
    return f", by the mean of each over {n_repeats} repeats" if n_repeats > 1 else ""


def best_first(means: FloatArray) -> NDArray[np.intp]:
    """Return the places of means in descending order, with nan at the end."""
    return np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")


def _table_of_systems(scores: Scores, means: FloatArray, n_rows: int | None, average: str) -> Table:
    """Make the table of several systems, ordered by the first measure, the best system first."""
    systems = scores.systems or ()
    by_first = best_first(means[:, 0] * scores.directions[0])
    rows = (np.arange(len(systems)) if scores.is_sorted else by_first)[:n_rows]
    shown = f", the first {n_rows} shown" if len(rows) < len(systems) else ""
    size = (
        f"{count(len(systems), 'system')}{shown}; {_KINDS[average]}means over "
        f"{count(scores.n_queries, 'query', 'queries')}{_in_repeats(scores)}."
    )
    columns = [
        (name, list(map(_number, column)))
        for name, column in zip(scores.measures, means[rows].T, strict=True)
    ]
    return Table(["system", *(systems[row] for row in rows)], columns, [size, *notes_of(scores)])


def notes_of(scores: Scores) -> list[str]:
    """Say what the values of scores do not show, in sentences.

    Parameters
    ----------
    scores : Scores
        The scores.

    Returns
    -------
    list of str
        The sentences.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import notes_of
    >>> notes_of(evaluate(["AP"], [0, 0], [2, 1]))
    ['1 query with nothing relevant, counted as 0 (AP).']
    """
    return [*scores.notes, *notes_on_empty(scores.measures, scores.n_empty, scores.empty)]


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
    >>> from skgraded.results._tables import notes_on_empty
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


def as_trec_eval_lines(scores: Scores, per_query: bool = False, average: str = "arithmetic") -> str:
    """Write the means, and if asked for the values of all queries, as trec_eval does.

    Parameters
    ----------
    scores : Scores
        Values of systems, without repeats.
    per_query : bool, default=False
        Whether to write a line for each query, too.
    average : {"arithmetic", "geometric"}, default="arithmetic"
        The kind of mean.

    Returns
    -------
    str
        Lines of a measure, a query or ``all``, and a value with four decimals; nan has no line.

    Raises
    ------
    ValueError
        If a name holds control characters, such as ends of lines, which would make other lines.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import as_trec_eval_lines
    >>> print(as_trec_eval_lines(evaluate(["AP"], [1, 0], {"a": [2, 1]})).expandtabs(2), end="")
    runid                   all a
    AP                      all 1.0000
    """
    names = list(scores)
    queries = [str(each) for each in scores.qid.tolist()]
    systems = scores.systems or ("",)
    for name in (*systems, *queries, *names):
        if visible(name) != name:
            raise ValueError(
                "The lines of trec_eval have no place for control characters, got "
                f"{visible(name)!r} as a name."
            )
    averaged = [f"gm_{name}" for name in names] if average == "geometric" else names
    lines = []
    means = scores._means(average).tolist()
    for system, of_system, by_query in zip(systems, means, scores.cube[:, 0], strict=True):
        lines.append(f"{'runid':<22}\tall\t{system}")
        if per_query:
            for query, values in zip(queries, by_query.tolist(), strict=True):
                lines += _lines_of(query, names, values)
        lines += _lines_of("all", averaged, of_system)
    return "\n".join(lines) + "\n"


def _lines_of(query: str, names: list[str], values: list[float]) -> list[str]:
    return [
        f"{name:<22}\t{query}\t{value:6.4f}"
        for name, value in zip(names, values, strict=True)
        if not math.isnan(value)
    ]
