"""Results of several systems side by side, aligned by query, and the clusters of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from skgraded._support.arguments import is_missing
from skgraded._support.array_types import IntArray
from skgraded._support.text import count, first_few
from skgraded.results._names import by_name, direction_of
from skgraded.results._scores import Ideal, Scores


def side_by_side(scores: Scores | Mapping[Any, Any]) -> Scores:
    """Put the results of several systems side by side.

    Parameters
    ----------
    scores : mapping
        Names of systems to `Scores` of one system, on the same queries in any order and by the
        same measures. Or measures to arrays of shape (n_systems, n_queries), or to data frames,
        which are aligned by their labels. A `Scores` with an axis of systems is returned as it
        is.

    Returns
    -------
    Scores
        The values of all systems, with an axis of repeats if a result has one. A result
        without repeats has the same values in each repeat.

    Raises
    ------
    ValueError
        If measures, queries, their judged grades, numbers of repeats, weights or shapes differ,
        or a result is of several systems.
    TypeError
        If the argument has none of these forms.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import side_by_side
    >>> y, a, b = [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 3, 4]
    >>> both = side_by_side({"a": evaluate("AP", y, a), "b": evaluate("AP", y, b)})
    >>> both.mean()
    {'a': {'AP': 0.8333333333333333}, 'b': {'AP': 0.5}}
    """
    if isinstance(scores, Scores) and scores.systems is not None:
        return scores
    if not isinstance(scores, Mapping) or not scores:
        raise TypeError(
            "scores must be a Scores of several systems, a mapping of systems to Scores, or a "
            "mapping of measures to arrays of shape (n_systems, n_queries), got "
            f"{type(scores).__name__}."
        )
    are_scores = {isinstance(each, Scores) for each in scores.values()}
    if are_scores == {True, False}:
        raise TypeError("scores must hold either Scores or arrays, got both.")
    return _of_parts(by_name(scores)) if are_scores == {True} else _of_arrays(scores)


def _of_parts(parts: dict[str, Scores]) -> Scores:
    """Put results, each of one system, side by side."""
    first_name, first = next(iter(parts.items()))
    n_repeats = _n_repeats(parts)
    aligned = [_like(first, part, name, first_name) for name, part in parts.items()]
    cubes = [
        np.broadcast_to(each.cube[0], (n_repeats, *each.cube.shape[2:]))
        for each in aligned
    ]
    n_empty, ideals = (
        zip(*(getattr(each, field) for each in aligned), strict=True)
        for field in ("n_empty", "ideals")
    )
    return first._with(
        np.array(cubes),
        0 if all(each._measure == 0 for each in aligned) else slice(None),
        systems=tuple(parts),
        clusters=next(
            (each.clusters for each in aligned if each.clusters is not None), None
        ),
        folds=next((each.folds for each in aligned if each.folds is not None), None),
        n_empty=tuple(map(_agreed, n_empty)),
        ideals=tuple(partial(_agreed, each) for each in ideals),
        notes=tuple(dict.fromkeys(note for each in aligned for note in each.notes)),
        is_sorted=False,
    )


def _agreed(numbers: Iterable[Ideal]) -> Any:
    """Return a number if it is the same in all parts, and None if it is not."""
    found = {each() if callable(each) else each for each in numbers}
    return found.pop() if len(found) == 1 else None


def _n_repeats(parts: Mapping[str, Scores]) -> int:
    """Return the number of repeats; a part without repeats has the same values in each."""
    numbers = {
        name: len(each.folds) for name, each in parts.items() if each.folds is not None
    }
    if len(set(numbers.values())) > 1:
        listed = ", ".join(f"{name!r} has {number}" for name, number in numbers.items())
        raise ValueError(
            f"Systems must be tested in the same number of repeats: {listed}."
        )
    return max(numbers.values(), default=1)


def _like(first: Scores, part: Scores, name: str, first_name: str) -> Scores:
    """Return a part with measures and queries in the first one's order; raise if it has others."""
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
    if part.measures != first.measures:
        part = part[list(first.measures)]
    both = f"{name!r} and {first_name!r}"
    if part.qid is not first.qid:  # else they are of the same judgments
        places = align(first.qid.tolist(), part.qid.tolist())
        n_same = np.count_nonzero(places >= 0)
        if not part.n_queries == first.n_queries == n_same:
            raise ValueError(
                f"Systems must be scored on the same queries: {name!r} has {part.n_queries}, "
                f"{first_name!r} has {first.n_queries}, and {n_same} of them are the same."
            )
        part = part._of_queries(places)
        _require_same_judgments(first, part, both)
    if not np.array_equal(first.weights, part.weights):  # type: ignore[arg-type]
        raise ValueError(f"Systems must weight queries alike, but {both} do not.")
    return part


def _require_same_judgments(first: Scores, part: Scores, both: str) -> None:
    """Raise if two results were scored by other judgments, where these are known."""
    ours = first.fingerprints
    theirs = part.fingerprints
    if ours is None or theirs is None or np.array_equal(ours, theirs):
        return
    raise ValueError(
        f"Systems must be scored by the same judgments, but {both} were scored by other grades in "
        f"{np.count_nonzero(ours != theirs)} of {len(ours)} queries, such as "
        f"{first.qid.tolist()[int(np.argmax(ours != theirs))]!r}. Score all systems by the labels "
        "of the same documents; runs with documents of their own by "
        "skgraded.trec.evaluate(measures, qrels, runs)."
    )


def _of_arrays(arrays: Mapping[Any, Any]) -> Scores:
    """Return the scores of a mapping of measures to values by system and query."""
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
    return Scores(
        measures=tuple(map(str, arrays)),
        qid=np.arange(shape[1]) if first is None else first.columns,
        values=np.stack(values, axis=2),
        directions=tuple(map(direction_of, arrays)),
        systems=tuple(map(str, systems if first is None else first.index)),
    )


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


def align(queries: Sequence[Any], others: Sequence[Any]) -> IntArray:
    """Find the place of each query of a result in another one.

    Parameters
    ----------
    queries : sequence
        Query ids.
    others : sequence
        The query ids of the other result.

    Returns
    -------
    ndarray of shape (n_queries,), int64
        The places; -1 for a query that the other result lacks.

    Examples
    --------
    >>> from skgraded.results import align
    >>> align(["a", "b", "c"], ["c", "a"])
    array([ 1, -1,  0])
    """
    place = {query: row for row, query in enumerate(others)}
    return np.array([place.get(query, -1) for query in queries], dtype=np.int64)


def clusters_of(cluster: Any, scores: Scores) -> IntArray | None:
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
    found = [
        number.setdefault(named[each], len(number)) for each in scores.qid.tolist()
    ]
    return np.array(found, dtype=np.int64)
