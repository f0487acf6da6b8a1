"""Results of several systems put side by side and aligned by query, and the clusters of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_missing
from skgraded._support.text import count, first_few
from skgraded.results._names import direction_of

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

FloatArray = NDArray[np.float64]

# The mean of an ideal ranking, or what computes it when it is asked for first.
Ideal = float | None | Callable[[], float | None]


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
    cubes = [each.cube[0][:, at] for each, at in zip(ordered, rows.values(), strict=True)]
    values = np.array([np.broadcast_to(each, (n_repeats, *each.shape[1:])) for each in cubes])
    if all(each.folds is None for each in parts.values()):
        values = values[:, 0]
    if all(each._measure == 0 for each in parts.values()):
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


def clusters_of(cluster: Any, scores: Scores) -> NDArray[np.int64] | None:
    """Return the number of the cluster of every query.

    Parameters
    ----------
    cluster : mapping or None
        The cluster of each query by its id, a dict or a pandas Series.
    scores : Scores
        The queries; without `cluster`, their own clusters count.

    Returns
    -------
    ndarray of shape (n_queries,), int64, or None
        The numbers; None where queries are by themselves.

    Raises
    ------
    TypeError
        If `cluster` is no mapping.
    ValueError
        If it has no entry for a query, or a missing one.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import clusters_of
    >>> scores = evaluate("AP", [1, 0, 1], [3, 2, 1], qid=["a", "b", "c"])
    >>> clusters_of({"a": "ann", "b": "ben", "c": "ann"}, scores)
    array([0, 1, 0])
    """
    if cluster is None:
        if scores.clusters is None:
            return None
        cluster = dict(zip(scores.qid.tolist(), scores.clusters.tolist(), strict=True))
    if not hasattr(cluster, "keys"):
        raise TypeError(
            "cluster must map query ids to clusters, as a dict or a pandas Series does, got "
            f"{type(cluster).__name__}."
        )
    named = {query: each for query, each in cluster.items() if not is_missing(each)}
    missing = [query for query in scores.qid.tolist() if query not in named]
    if missing:
        queries = count(len(missing), "query", "queries")
        raise ValueError(
            f"cluster must have an entry for every query, and has none for {queries}: "
            f"{first_few(list(map(repr, missing)))}."
        )
    number: dict[Any, int] = {}
    found = [number.setdefault(named[each], len(number)) for each in scores.qid.tolist()]
    return np.array(found, dtype=np.int64)
