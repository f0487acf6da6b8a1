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
from skgraded._support.text import count, first_few, shorten

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
    fields = [Field("measure", measures, "measure")]
    fields += [
        Field(name, list(values), name, ROUNDED) for name, values in columns.items()
    ]
    if any(ideal is not None and abs(ideal - 1.0) > _ROUNDING for ideal in ideals):
        fields.append(Field("ideal", ideals, "ideal", or_blank(ROUNDED)))
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
        Field(name, column, name, ROUNDED, best) for name, column, best in by_measure
    ]
    return [Field("system", systems, "system"), *columns]


def best_first(means: FloatArray) -> NDArray[np.intp]:
    """Return the places of means in descending order, with nan at the end."""
    return np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")


def fields_of_values(
    cube: FloatArray,
    systems: Sequence[str] | None,
    folds: IntArray | None,
    qid: NDArray[Any],
    measures: Sequence[str],
) -> list[Field]:
    """State the values, with a row for each system, repeat and query."""
    system, repeat, query = (place.ravel() for place in np.indices(cube.shape[:3]))
    tested = slice(None) if folds is None else folds[repeat, query] >= 0
    system, repeat, query = (each[tested] for each in (system, repeat, query))
    fields = (
        []
        if systems is None
        else [Field("system", np.array(systems, dtype=object)[system])]
    )
    if folds is not None:
        fields += [Field("repeat", repeat), Field("fold", folds[repeat, query])]
    heading = "qid"
    form: str | Callable[..., str] = "{}"
    if systems is not None and len(set(systems)) > 1:
        width = max(len(shorten(each)) for each in systems)
        heading = f"{'system':<{width}}  qid"
        form = partial(_labelled, width)
    values = cube.reshape(-1, len(measures))[tested].T
    fields.append(Field("qid", qid[query], heading, form))
    columns = zip(measures, values, strict=True)
    return [
        *fields,
        *(Field(name, each, name, or_blank(ROUNDED, "-")) for name, each in columns),
    ]


def _labelled(width: int, query: object, /, *, system: str, **_: Any) -> str:
    return f"{shorten(system):<{width}}  {query}"


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
