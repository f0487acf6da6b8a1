"""Results of several systems side by side, aligned by query, and the clusters of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from skgraded._support.arguments import is_missing
from skgraded._support.array_types import IntArray
from skgraded._support.text import count, first_few
from skgraded.results._judged_share import joined_shares
from skgraded.results._names import by_name, direction_of
from skgraded.results._scores import IdealSource, Scores, value_of
from skgraded.results._selection import take_queries


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

    are_scores = {isinstance(value, Scores) for value in scores.values()}
    if are_scores == {True, False}:
        raise TypeError("scores must hold either Scores or arrays, got both.")
    if are_scores == {True}:
        return _scores_from_parts(by_name(scores))
    return _scores_from_arrays(scores)


def _scores_from_parts(results: dict[str, Scores]) -> Scores:
    """Put results, each of one system, side by side."""
    first_name, first = next(iter(results.items()))
    n_repeats = _n_repeats(results)
    aligned = []
    for name, result in results.items():
        aligned.append(_aligned(result, name, first, first_name))

    # A result without repeats has the same values in each.
    shape = (n_repeats, first.n_queries, len(first))
    cubes = []
    for result in aligned:
        [cube] = result.cube
        cubes.append(np.broadcast_to(cube, shape))

    # What is known of each measure.
    n_empty = []
    ideals = []
    for column in range(len(first)):
        numbers = [result.n_empty[column] for result in aligned]
        n_empty.append(_common_number(numbers))

        sources = [vars(result)["ideals"][column] for result in aligned]
        ideal = partial(_common_ideal, sources)
        ideals.append(ideal)

    clusters = [result.clusters for result in aligned if result.clusters is not None]
    folds = [result.folds for result in aligned if result.folds is not None]
    notes = [note for result in aligned for note in result.notes]
    judged_share = joined_shares(
        [result.judged_share for result in aligned],
        [(1, first.n_queries, len(first))] * len(aligned),
        "system",
    )
    return first._with_cube(
        np.array(cubes),
        has_measure_axis=any(result.has_measure_axis for result in aligned),
        systems=tuple(results),
        clusters=next(iter(clusters), None),
        folds=next(iter(folds), None),
        n_empty=tuple(n_empty),
        ideals=tuple(ideals),
        judged_share=judged_share,
        notes=tuple(dict.fromkeys(notes)),
        is_sorted=False,
    )


def _common_number(numbers: Iterable[Any]) -> Any:
    """Return a number if it is the same in all parts, and None if it is not."""
    distinct_numbers = set(numbers)
    if len(distinct_numbers) == 1:
        return distinct_numbers.pop()
    return None


def _common_ideal(sources: Iterable[IdealSource]) -> float | None:
    ideal: float | None = _common_number(map(value_of, sources))
    return ideal


def _n_repeats(results: Mapping[str, Scores]) -> int:
    """Return the number of repeats; a result without repeats has the same values in each."""
    numbers = {}
    for name, result in results.items():
        if result.folds is not None:
            numbers[name] = len(result.folds)

    if len(set(numbers.values())) > 1:
        statements = [f"{name!r} has {number}" for name, number in numbers.items()]
        raise ValueError(
            "Systems must be tested in the same number of repeats: "
            f"{', '.join(statements)}."
        )
    return max(numbers.values(), default=1)


def _aligned(result: Scores, name: str, first: Scores, first_name: str) -> Scores:
    """Return a result in the first one's order; raise if it has other measures or queries."""
    if result.systems is not None:
        raise ValueError(
            f"Results that are put side by side must be of one system, but {name!r} has "
            f"{first_few(result.systems)}: choose one by select(system=...)."
        )
    if set(result.measures) != set(first.measures):
        raise ValueError(
            f"Systems must be scored by the same measures: {name!r} has "
            f"{', '.join(result.measures)}, and {first_name!r} has {', '.join(first.measures)}."
        )
    if result.measures != first.measures:
        result = result[list(first.measures)]

    pair = f"{name!r} and {first_name!r}"
    if result.qid is not first.qid:  # else they are of the same judgments
        places = places_of_queries(first.qid.tolist(), result.qid.tolist())
        n_same = np.count_nonzero(places >= 0)
        if not result.n_queries == first.n_queries == n_same:
            raise ValueError(
                f"Systems must be scored on the same queries: {name!r} has {result.n_queries}, "
                f"{first_name!r} has {first.n_queries}, and {n_same} of them are the same."
            )
        result = take_queries(result, places)
        _require_same_judgments(first, result, pair)

    if not np.array_equal(first.weights, result.weights):  # type: ignore[arg-type]
        raise ValueError(f"Systems must weight queries alike, but {pair} do not.")
    return result


def _require_same_judgments(first: Scores, result: Scores, pair: str) -> None:
    """Raise if two results were scored by other judgments, where these are known."""
    ours = first.fingerprints
    theirs = result.fingerprints
    if ours is None or theirs is None or np.array_equal(ours, theirs):
        return

    differs = ours != theirs
    example = first.qid.tolist()[int(np.argmax(differs))]
    raise ValueError(
        f"Systems must be scored by the same judgments, but {pair} were scored by other grades in "
        f"{np.count_nonzero(differs)} of {len(ours)} queries, such as {example!r}. "
        "Score all systems by the labels of the same documents; runs with documents of their own "
        "by skgraded.trec.evaluate(measures, qrels, runs)."
    )


def _scores_from_arrays(arrays: Mapping[Any, Any]) -> Scores:
    """Return the scores of a mapping of measures to values by system and query."""
    names = list(map(str, arrays))
    frames = [array for array in arrays.values() if hasattr(array, "loc")]
    first_frame = next(iter(frames), None)

    values = []
    for name, array in zip(names, arrays.values(), strict=True):
        ordered_array = _in_order(name, array, first_frame)
        values.append(np.asarray(ordered_array, dtype=np.float64))

    shape = values[0].shape
    for name, array in zip(names, values, strict=True):
        if array.ndim != 2 or array.shape != shape:  # noqa: PLR2004 - systems by queries
            raise ValueError(
                "The values of all measures must be arrays of one shape (n_systems, n_queries), "
                f"got {array.shape} for {name!r} and {shape} for {names[0]!r}."
            )

    n_systems, n_queries = shape
    if first_frame is None:
        queries = np.arange(n_queries)
        systems = [f"system {number + 1}" for number in range(n_systems)]
    else:
        queries = first_frame.columns
        systems = [str(system) for system in first_frame.index]
    return Scores(
        measures=tuple(names),
        qid=queries,
        values=np.stack(values, axis=2),
        directions=tuple(map(direction_of, arrays)),
        systems=tuple(systems),
    )


def _in_order(name: str, values: Any, first: Any) -> Any:
    """Bring a data frame into the order of the first one; an array tells no labels."""
    if not hasattr(values, "loc"):
        return values

    axes = (first.index, values.index), (first.columns, values.columns)
    for ours, theirs in axes:
        are_as_many = ours.is_unique and len(ours) == len(theirs)
        if not are_as_many or set(ours) != set(theirs):
            raise ValueError(
                "The values of all measures must have the same systems as rows, and queries as "
                f"columns, each of them once, got others for {name!r}."
            )
    return values.loc[first.index, first.columns]


def places_of_queries(queries: Sequence[Any], other_queries: Sequence[Any]) -> IntArray:
    """Find the place of each query of a result in another one; -1 for a query that it lacks."""
    place_by_query = {}
    for place, query in enumerate(other_queries):
        place_by_query[query] = place
    places = [place_by_query.get(query, -1) for query in queries]
    return np.array(places, dtype=np.int64)


def clusters_of(cluster: Any, scores: Scores) -> IntArray | None:
    """Return the number of the cluster of every query; None where queries are by themselves.

    Without a mapping of query ids to clusters, those of the scores count.
    """
    queries = scores.qid.tolist()
    if cluster is None:
        if scores.clusters is None:
            return None
        cluster = dict(zip(queries, scores.clusters.tolist(), strict=True))
    if not hasattr(cluster, "keys"):
        raise TypeError(
            "cluster must map query ids to clusters, as a dict or a pandas Series does, got "
            f"{type(cluster).__name__}."
        )
    cluster_by_query = {
        query: name for query, name in cluster.items() if not is_missing(name)
    }
    missing = [query for query in queries if query not in cluster_by_query]
    if missing:
        n_missing = count(len(missing), "query", "queries")
        raise ValueError(
            f"cluster must have an entry for every query, and has none for {n_missing}: "
            f"{first_few(list(map(repr, missing)))}."
        )

    number_by_cluster: dict[Any, int] = {}
    numbers = []
    for query in queries:
        next_number = len(number_by_cluster)
        name = cluster_by_query[query]
        numbers.append(number_by_cluster.setdefault(name, next_number))
    return np.array(numbers, dtype=np.int64)
