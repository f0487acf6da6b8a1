"""How `Scores` are written: tables and reports of means and of values, and trec_eval's lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skgraded._support.results_base import Field, Report, Table
from skgraded._support.text import count, visible
from skgraded.results._tables import (
    WIDEST_MEASURE,
    WIDEST_QUERY,
    best_first,
    fields_of_measures,
    fields_of_systems,
    fields_of_values,
    notes_on_empty,
)

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

KINDS_OF_MEANS = {"arithmetic": "", "geometric": "geometric "}


def notes_on_scores(scores: Scores) -> list[str]:
    """Say what the values do not show, in sentences."""
    notes = [
        *scores.notes,
        *notes_on_empty(scores.measures, scores.n_empty, scores.empty),
    ]
    if scores.weights is not None and not np.any(scores.weights):
        notes.append("No query has a weight above 0, so that there are no means.")
    return notes


# --- means ----------------------------------------------------------------------------------------


def table_of_means(
    scores: Scores, average: str = "arithmetic", n_rows: int | None = None
) -> Table:
    """Make a table of means: a row for each system, or for each measure of a single one."""
    if scores.systems is None:
        return _table_of_one_system(scores, average)

    means = np.array(scores._means(average))
    rows = np.arange(len(means))
    if not scores.is_sorted:
        rows = best_first(means[:, 0] * scores.directions[0])
    rows = rows[:n_rows]

    fields = fields_of_systems(
        systems=[scores.systems[row] for row in rows],
        measures=scores.measures,
        directions=scores.directions,
        means=means[rows],
    )
    size = count(len(means), "system")
    if len(rows) < len(means):
        size += f", the first {n_rows} shown"
    size += f"; {KINDS_OF_MEANS[average]}means over {_extent(scores)}."
    return Table(fields, [size, *notes_on_scores(scores)])


def _table_of_one_system(scores: Scores, average: str) -> Table:
    """Make the table of one system; the means of folds and the ideal ones are arithmetic."""
    [means] = scores._means(average)
    columns = {"mean": means}
    ideals: Sequence[float | None] = ()
    extent = _extent(scores)
    size = f"{KINDS_OF_MEANS[average]}means over {extent}.".capitalize()
    if average == "arithmetic":
        ideals = scores.ideals
        if scores.folds is not None:
            by_fold = scores.fold_means().reshape(-1, len(scores))
            columns["fold mean"] = by_fold.mean(axis=0)
            columns["fold std"] = by_fold.std(axis=0)
            size = (
                f"mean: over {extent}; fold mean, fold std: mean and standard deviation "
                f"of the means of {len(by_fold)} folds."
            )

    fields = fields_of_measures(scores.measures, columns, ideals)
    notes = [size, *notes_on_scores(scores)]
    return Table(fields, notes, widest_label=WIDEST_MEASURE)


def _extent(scores: Scores) -> str:
    """Say what means are taken over."""
    queries = count(scores.n_queries, "query", "queries")
    n_repeats = scores.cube.shape[1]
    if n_repeats == 1:
        return queries
    return f"{queries}, by the mean of each over {n_repeats} repeats"


def report_of_means(scores: Scores, average: str) -> Report:
    """Describe the means for writers, with a row for each system."""
    fields = fields_of_systems(
        systems=scores.systems or ("",),
        measures=scores.measures,
        directions=scores.directions,
        means=np.array(scores._means(average)),
    )
    columns: dict[str, Any] = {field.name: field.values for field in fields}

    return Report(
        tables=[table_of_means(scores, average)],
        columns=columns,
        facts={"average": average, "n_queries": scores.n_queries},
        notes=notes_on_scores(scores),
    )


# --- values ---------------------------------------------------------------------------------------


def fields_of_scores(scores: Scores) -> list[Field]:
    """State the values, with a row for each system, repeat and query."""
    return fields_of_values(
        cube=scores.cube,
        systems=scores.systems,
        folds=scores.folds,
        qid=scores.qid,
        measures=scores.measures,
    )


def _table_of_values(scores: Scores) -> Table:
    size = f"{count(scores.n_queries, 'query', 'queries')}."
    if scores.systems is not None:
        size = f"{count(len(scores.systems), 'system')}, {size}"
    notes = [size, *notes_on_scores(scores)]
    return Table(fields_of_scores(scores), notes, widest_label=WIDEST_QUERY)


def report_of_values(scores: Scores, average: str) -> Report:
    """Describe the values for writers, with a row for each system, repeat and query."""
    means = scores._by_name(scores._means(average))
    return Report(
        tables=[_table_of_values(scores)],
        columns=scores._columns(),
        facts={"average": average, "n_queries": scores.n_queries, "means": means},
        notes=notes_on_scores(scores),
    )


# --- trec_eval ------------------------------------------------------------------------------------


def trec_eval_lines(scores: Scores, per_query: bool, average: str) -> Iterator[str]:
    """Yield trec_eval's lines of every system: of its queries, if asked for, and of its means."""
    measures = scores.measures
    systems = scores.systems or ("",)
    queries: list[str] = []
    if per_query:
        queries = list(map(str, scores.qid.tolist()))
    for name in (*systems, *measures, *queries):
        _refuse_control_characters(name)

    sign = "gm_" if average == "geometric" else ""
    names_of_means = [f"{sign}{name}" for name in measures]
    means = scores._means(average)
    for system, cube, means_of_system in zip(systems, scores.cube, means, strict=True):
        yield f"{'runid':<22}\tall\t{system}"
        rows = zip(queries, cube[0, : len(queries)].tolist(), strict=True)
        for query, row in rows:
            yield from _lines_of_row(measures, query, row)
        yield from _lines_of_row(names_of_means, "all", means_of_system)


def _lines_of_row(
    names: Sequence[str], query: str, values: Sequence[float]
) -> Iterator[str]:
    for name, value in zip(names, values, strict=True):
        if not math.isnan(value):
            yield f"{name:<22}\t{query}\t{value:6.4f}"


def _refuse_control_characters(name: str) -> None:
    # Bytes that are not UTF-8 may stay.
    encodable = name.encode(errors="replace").decode()
    if visible(encodable) != encodable:
        raise ValueError(
            "The lines of trec_eval have no place for control characters, got "
            f"{visible(name)!r} as a name."
        )
