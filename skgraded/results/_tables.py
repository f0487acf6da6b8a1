"""Fields of means and of values, and notes on them.

All is made from names and arrays, so that results can describe themselves by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_nan
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.results_base import Field, or_blank
from skgraded._support.text import count, first_few, shorten_apart

_ROUNDING = 1e-12  # of the mean of values that are 1
WIDEST_MEASURE = 44
WIDEST_QUERY = 60
ROUNDED = "{:.4f}"


def fields_of_measures(
    measures: Sequence[str],
    columns: Mapping[str, Iterable[float]],
    ideals: Sequence[float | None],
) -> list[Field]:
    """State means, with a row for each measure; ideal means are shown where one is not 1."""
    fields = [Field("measure", measures, heading="measure")]

    for name, values in columns.items():
        means = list(values)
        fields.append(Field(name, means, heading=name, form=ROUNDED))

    known_ideals = [ideal for ideal in ideals if ideal is not None]
    if any(abs(ideal - 1.0) > _ROUNDING for ideal in known_ideals):
        form = or_blank(ROUNDED)
        field = Field("ideal", ideals, heading="ideal", form=form)
        fields.append(field)
    return fields


def fields_of_systems(
    systems: Sequence[str],
    measures: Sequence[str],
    directions: Sequence[int],
    means: FloatArray,
) -> list[Field]:
    """State means, with a row for each system and a column for each measure."""
    fields = [Field("system", systems, heading="system")]
    columns = np.array(means).T
    by_measure = zip(measures, columns, directions, strict=True)
    for name, column, direction in by_measure:
        field = Field(name, column, heading=name, form=ROUNDED, best=direction)
        fields.append(field)
    return fields


def best_first(means: FloatArray) -> NDArray[np.intp]:
    """Return the places of means in descending order, with nan at the end."""
    has_no_mean = np.isnan(means)
    sort_keys = np.where(has_no_mean, np.inf, -means)
    return np.argsort(sort_keys, kind="stable")


def fields_of_values(
    cube: FloatArray,
    systems: Sequence[str] | None,
    folds: IntArray | None,
    qid: NDArray[Any],
    measures: Sequence[str],
) -> list[Field]:
    """State the values, with a row for each system, repeat and query."""
    indices = np.indices(cube.shape[:3])
    rows = indices.reshape(3, -1)
    values = cube.reshape(-1, len(measures))
    if folds is not None:
        _, repeat, query = rows
        fold = folds[repeat, query]
        was_tested = fold >= 0
        rows = rows[:, was_tested]
        values = values[was_tested]
    system, repeat, query = rows

    # What a row is about.
    fields = []
    if systems is not None:
        system_names = np.array(systems, dtype=object)
        fields.append(Field("system", system_names[system]))
    if folds is not None:
        fields.append(Field("repeat", repeat))
        fold = folds[repeat, query]
        fields.append(Field("fold", fold))

    # Several systems stand before the query, in one column of tables.
    heading = "qid"
    form: str | Callable[..., str] = "{}"
    if systems is not None and len(set(systems)) > 1:
        short_names = dict(zip(systems, shorten_apart(systems), strict=True))
        width = max(map(len, short_names.values()))
        heading = f"{'system':<{width}}  qid"
        form = partial(_system_and_query, short_names, width)
    fields.append(Field("qid", qid[query], heading, form))

    form = or_blank(ROUNDED, "-")
    columns = zip(measures, values.T, strict=True)
    for name, column in columns:
        field = Field(name, column, heading=name, form=form)
        fields.append(field)
    return fields


def _system_and_query(
    short_names: Mapping[str, str],
    width: int,
    query: object,
    /,
    *,
    system: str,
    **_: Any,
) -> str:
    return f"{short_names[system]:<{width}}  {query}"


def notes_on_empty(
    measures: Sequence[str], n_empty: Sequence[int | None], empty: Sequence[float]
) -> list[str]:
    """Say how many queries have nothing relevant, and what they count as.

    Examples
    --------
    >>> from skgraded.results._tables import notes_on_empty
    >>> notes_on_empty(["AP", "nDCG"], [2, 2], [0.0, 0.0])
    ['2 queries with nothing relevant, counted as 0 (AP, nDCG).']
    """
    names_by_statement: dict[str, list[str]] = {}
    for name, n_queries, value in zip(measures, n_empty, empty, strict=True):
        if not n_queries:
            continue
        queries = f"{count(n_queries, 'query', 'queries')} with nothing relevant"
        fate = f"counted as {value:g}"
        if is_nan(value):
            fate = "left out"
        names = names_by_statement.setdefault(f"{queries}, {fate}", [])
        names.append(name)

    return [
        f"{statement} ({first_few(names)})."
        for statement, names in names_by_statement.items()
    ]
