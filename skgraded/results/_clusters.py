"""Which queries vary together, such as those of one person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_missing
from skgraded._support.text import count, first_few
from skgraded.results._scores import Scores


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


def told_queries(n_queries: Sequence[int]) -> str:
    """Say how many queries there are, where parts of a result may have other numbers of them.

    Parameters
    ----------
    n_queries : sequence of int
        Number of queries of each part.

    Returns
    -------
    str
        The number, or the least and the most.

    Examples
    --------
    >>> from skgraded.results import told_queries
    >>> told_queries([40, 40]), told_queries([35, 40])
    ('40 queries', '35 to 40 queries')
    """
    return _least_to_most(n_queries, "query", "queries")


def told_in_clusters(queries: str, n_clusters: int | Sequence[int] | None) -> str:
    """Add to a number of queries in words that of their clusters, if there are any.

    Parameters
    ----------
    queries : str
        The number of queries in words.
    n_clusters : int, sequence of int or None
        Number of clusters, in all or of each part of a result.

    Returns
    -------
    str
        Both numbers.

    Examples
    --------
    >>> from skgraded.results import told_in_clusters
    >>> told_in_clusters("40 queries", 10)
    '40 queries in 10 clusters'
    """
    if n_clusters is None:
        return queries
    numbers = [n_clusters] if isinstance(n_clusters, int) else n_clusters
    return f"{queries} in {_least_to_most(numbers, 'cluster', 'clusters')}"


def _least_to_most(numbers: Sequence[int], noun: str, nouns: str) -> str:
    least, most = min(numbers), max(numbers)
    return count(most, noun, nouns) if least == most else f"{least} to {most} {nouns}"


def unit_in_words(are_clusters: bool) -> tuple[str, str]:
    """Return what is resampled, one and many of it.

    Parameters
    ----------
    are_clusters : bool
        Whether queries are in clusters.

    Returns
    -------
    (str, str)
        Singular and plural.

    Examples
    --------
    >>> from skgraded.results import unit_in_words
    >>> unit_in_words(True)
    ('cluster', 'clusters')
    """
    return ("cluster", "clusters") if are_clusters else ("query", "queries")
