"""Results of several systems put side by side, and aligned by query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.other_names import LESS_IS_BETTER
from skgraded._support.text import first_few
from skgraded.results._names import parts_of

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

FloatArray = NDArray[np.float64]

# The mean of an ideal ranking, or what computes it when it is asked for first.
Ideal = float | None | Callable[[], float | None]


def by_name(systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping with the names of systems as text.

    Parameters
    ----------
    systems : mapping
        Names of systems to anything.

    Returns
    -------
    dict of str to object
        The same by text.

    Raises
    ------
    ValueError
        If there is no system, or two have the same text as their name.

    Examples
    --------
    >>> from skgraded.results import by_name
    >>> by_name({"a": 0, 1: 2})
    {'a': 0, '1': 2}
    """
    named = {str(name): each for name, each in systems.items()}
    if not named or len(named) < len(systems):
        names = ", ".join(map(repr, systems)) or "none"
        raise ValueError(f"Systems must have names that differ, got {names}.")
    return named


def fields_of_systems(parts: Mapping[str, Scores]) -> dict[str, Any]:
    """Return the fields of the `Scores` that puts results, each of one system, side by side."""
    first_name, first = next(iter(parts.items()))
    n_repeats, rows = _n_repeats(parts), {}
    for name, each in parts.items():
        _check_measures(name, each, first_name, first)
        rows[name] = _rows(name, each, first_name, first)
        _check_queries(name, each, rows[name], first_name, first)
    names = first.measures
    ordered = [each if each.measures == names else each[list(names)] for each in parts.values()]
    n_empty, ideals = (
        zip(*(getattr(each, field) for each in ordered), strict=True)
        for field in ("n_empty", "ideals")
    )
    cubes = [each._cube[0][:, at] for each, at in zip(ordered, rows.values(), strict=True)]
    values = np.array([np.broadcast_to(each, (n_repeats, *each.shape[1:])) for each in cubes])
    if all(each.folds is None for each in parts.values()):
        values = values[:, 0]
    if not any(each._has_measure_axis for each in parts.values()):
        values = values[..., 0]
    return {
        "measures": first.measures,
        "qid": first.qid,
        "values": values,
        "directions": first.directions,
        "systems": tuple(parts),
        "weights": first.weights,
        "clusters": _of_any("clusters", parts, rows),
        "folds": _of_any("folds", parts, rows),
        "n_empty": tuple(map(_agreed, n_empty)),
        "empty": first.empty,
        "ideals": tuple(partial(_agreed, each) for each in ideals),
        "judged": first.judged,
        "notes": tuple(dict.fromkeys(note for each in parts.values() for note in each.notes)),
    }


def _agreed(numbers: Iterable[Ideal]) -> Any:
    """Return a number if it is the same in all parts, and None if it is not."""
    found = {each() if callable(each) else each for each in numbers}
    return found.pop() if len(found) == 1 else None


def _of_any(field: str, parts: Mapping[str, Scores], rows: dict[str, Any]) -> Any:
    """Return a field of the first part that has it, in the order of the first part's queries."""
    for name, each in parts.items():
        found = getattr(each, field)
        if found is not None:
            return found[..., rows[name]]
    return None


def _check_measures(name: str, part: Scores, first_name: str, first: Scores) -> None:
    if part.systems is not None:
        raise ValueError(
            f"Results that are put side by side must be of one system, but {name!r} has "
            f"{first_few(part.systems)}: choose one by select(system=...)."
        )
    if set(part.measures) != set(first.measures):
        raise ValueError(
            f"Systems must be scored by the same measures: {name!r} has "
            f"{', '.join(part.measures)}, and {first_name!r} has {', '.join(first.measures)}."
        )


def _rows(name: str, part: Scores, first_name: str, first: Scores) -> Any:
    """Return the places of a part's queries in the order of the first part's."""
    if part.qid is first.qid:
        return slice(None)
    place = {query: row for row, query in enumerate(part.qid.tolist())}
    wanted = first.qid.tolist()
    n_same = len(place.keys() & set(wanted))
    if not len(place) == len(wanted) == n_same:
        raise ValueError(
            f"Systems must be scored on the same queries: {name!r} has {len(place)}, "
            f"{first_name!r} has {len(wanted)}, and {n_same} of them are the same."
        )
    return [place[query] for query in wanted]


def _check_queries(name: str, part: Scores, rows: Any, first_name: str, first: Scores) -> None:
    """Raise if two parts have other weights of queries, or were scored by other judgments."""
    both = f"{name!r} and {first_name!r}"
    weights: Any = None if part.weights is None else part.weights[rows]
    if not np.array_equal(first.weights, weights):  # type: ignore[arg-type]
        raise ValueError(f"Systems must weight queries alike, but {both} do not.")
    if part.qid is first.qid:  # of the same Judgments
        return
    ours, theirs = first.fingerprints, part.fingerprints
    if ours is None or theirs is None or np.array_equal(ours, theirs[rows]):
        return
    row = int(np.argmax(ours != theirs[rows]))
    raise ValueError(
        f"Systems must be scored by the same judgments, but {both} were scored by other grades in "
        f"{np.count_nonzero(ours != theirs[rows])} of {len(ours)} queries, such as "
        f"{first.qid.tolist()[row]!r}. Score all systems by the labels of the same documents; runs "
        "with documents of their own by skgraded.trec.evaluate(measures, qrels, runs)."
    )


def _n_repeats(parts: Mapping[str, Scores]) -> int:
    """Return the number of repeats; a part without repeats has the same values in each."""
    numbers = {name: len(each.folds) for name, each in parts.items() if each.folds is not None}
    if len(set(numbers.values())) > 1:
        listed = ", ".join(f"{name!r} has {number}" for name, number in numbers.items())
        raise ValueError(f"Systems must be tested in the same number of repeats: {listed}.")
    return max(numbers.values(), default=1)


def fields_of_arrays(arrays: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the fields of the `Scores` of a mapping of measures to values by system and query."""
    first = next((each for each in arrays.values() if hasattr(each, "loc")), None)
    values = [
        np.asarray(_in_order(str(name), each, first), dtype=np.float64)
        for name, each in arrays.items()
    ]
    shape = values[0].shape
    for name, each in zip(arrays, values, strict=True):
        if each.ndim != 2 or each.shape != shape:  # noqa: PLR2004 - systems by queries
            raise ValueError(
                "The values of all measures must be arrays of one shape (n_systems, n_queries), "
                f"got {each.shape} for {str(name)!r} and {shape} for {str(next(iter(arrays)))!r}."
            )
    systems: Any = [f"system {number}" for number in range(1, shape[0] + 1)]
    return {
        "measures": tuple(map(str, arrays)),
        "qid": np.arange(shape[1]) if first is None else first.columns,
        "values": np.stack(values, axis=2),
        "directions": tuple(map(direction_of, arrays)),
        "systems": tuple(map(str, systems if first is None else first.index)),
    }


def _in_order(name: str, values: Any, first: Any) -> Any:
    """Bring a data frame into the order of the first one; an array tells no labels."""
    if not hasattr(values, "loc"):
        return values
    for ours, theirs in ((first.index, values.index), (first.columns, values.columns)):
        if not ours.is_unique or len(ours) != len(theirs) or set(ours) != set(theirs):
            raise ValueError(
                "The values of all measures must have the same systems as rows, and queries as "
                f"columns, each of them once, got others for {name!r}."
            )
    return values.loc[first.index, first.columns]


def direction_of(measure: object) -> int:
    """Return whether more of a measure is better, or less.

    Parameters
    ----------
    measure : Measure or object
        The measure, or its name. A name of the user's own counts as one of which more is better.

    Returns
    -------
    int
        1 if more is better, -1 if less is.

    Examples
    --------
    >>> from skgraded.measures import FDR
    >>> from skgraded.results import direction_of
    >>> direction_of(FDR()), direction_of("FDR@5"), direction_of("clicks")
    (-1, -1, 1)
    """
    if not isinstance(measure, str):
        return 1 if getattr(measure, "greater_is_better", True) else -1
    name, fields = parts_of(measure)
    if "parts" in fields:  # of a blend, which agree
        return direction_of(fields["parts"][0][0])
    return -1 if name in LESS_IS_BETTER else 1
