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
        fields.append(Field(name, list(values), heading=name, form=ROUNDED))

    if any(ideal is not None and abs(ideal - 1.0) > _ROUNDING for ideal in ideals):
        fields.append(Field("ideal", ideals, heading="ideal", form=or_blank(ROUNDED)))
    return fields


def fields_of_systems(
    systems: Sequence[str],
    measures: Sequence[str],
    directions: Sequence[int],
    means: FloatArray,
) -> list[Field]:
    """State means, with a row for each system and a column for each measure."""
    by_measure = zip(measures, np.array(means).T, directions, strict=True)
    columns = [
        Field(name, column, heading=name, form=ROUNDED, best=direction)
        for name, column, direction in by_measure
    ]
    return [Field("system", systems, heading="system"), *columns]


def best_first(means: FloatArray) -> NDArray[np.intp]:
    """Return the places of means in descending order, with nan at the end."""
    sort_keys = np.where(np.isnan(means), np.inf, -means)
    return np.argsort(sort_keys, kind="stable")


def fields_of_values(
    cube: FloatArray,
    systems: Sequence[str] | None,
    folds: IntArray | None,
    qid: NDArray[Any],
    measures: Sequence[str],
) -> list[Field]:
    """State the values, with a row for each system, repeat and query."""
    rows = np.indices(cube.shape[:3]).reshape(3, -1)
    values = cube.reshape(-1, len(measures))
    if folds is not None:
        _, repeat, query = rows
        was_tested = folds[repeat, query] >= 0
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
        fields.append(Field("fold", folds[repeat, query]))

    # Several systems stand before the query, in one column of tables.
    heading = "qid"
    form: str | Callable[..., str] = "{}"
    if systems is not None and len(set(systems)) > 1:
        short_names = dict(zip(systems, shorten_apart(systems), strict=True))
        width = max(map(len, short_names.values()))
        heading = f"{'system':<{width}}  qid"
        form = partial(_system_and_query, short_names, width)
    fields.append(Field("qid", qid[query], heading, form))

    for name, column in zip(measures, values.T, strict=True):
        fields.append(Field(name, column, heading=name, form=or_blank(ROUNDED, "-")))
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
        fate = "left out" if is_nan(value) else f"counted as {value:g}"
        names_by_statement.setdefault(f"{queries}, {fate}", []).append(name)

    return [
        f"{statement} ({first_few(names)})."
        for statement, names in names_by_statement.items()
    ]
