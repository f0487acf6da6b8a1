"""What is compared: values of systems by measure, repeat and query, and which of them count."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.arguments import choice
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.text import count, told_in_clusters, told_queries
from skgraded.measures import Measure, Measures
from skgraded.results import Scores, by_name, clusters_of, side_by_side

_FEWEST = 2  # systems, queries, or clusters


class Given(NamedTuple):
    """What is compared.

    Attributes
    ----------
    scores : Scores
        The values as they were given.
    values : ndarray of shape (n_measures, n_systems, n_repeats, n_queries)
        The values; nan where there is none, and in queries that are not compared.
    is_compared : ndarray of shape (n_measures, n_queries), bool
        Whether all systems have a value of a query in some repeat.
    clusters : ndarray of shape (n_queries,), int64, or None
        The cluster of each query.
    pairs : ndarray of shape (n_pairs, 2), int64
        Places of the two systems of each pair; differences are first minus second.
    baseline : str or None
        The system that all others are compared with.
    n_queries : tuple of int
        Number of queries that are compared, by each measure.
    n_units : tuple of int
        Number of these, or of their clusters.
    means : ndarray of shape (n_systems, n_measures)
        Mean of each system over the queries that are compared, each by its mean over the repeats.
    """

    scores: Scores
    values: FloatArray
    is_compared: BoolArray
    clusters: IntArray | None
    pairs: IntArray
    baseline: str | None
    n_queries: tuple[int, ...]
    n_units: tuple[int, ...]
    means: FloatArray

    @property
    def in_words(self) -> str:
        """The number of pairs, and of measures if there are several."""
        by = f" by {len(self.values)} measures" if len(self.values) > 1 else ""
        return f"{count(len(self.pairs), 'pair')}{by}"

    @property
    def over(self) -> str:
        """Over what systems are compared, in words."""
        clusters = None if self.clusters is None else self.n_units
        told = told_in_clusters(told_queries(self.n_queries), clusters)
        n_repeats = self.values.shape[2]
        return told if n_repeats == 1 else f"{told} and {n_repeats} repeats"


def scores_of_rankers(
    rankers: Any, X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> Scores:
    """Return the scores of all rankers, by the same measures and on the same queries."""
    systems = (
        rankers if isinstance(rankers, Mapping) else getattr(rankers, "systems", None)
    )
    if systems is None:
        what = (
            "Scores of one system"
            if isinstance(rankers, Scores)
            else type(rankers).__name__
        )
        raise TypeError(
            "rankers must be Scores of several systems, or map names to fitted models, results of "
            f"cross_validate_queries or Scores, got {what}."
        )
    if len(systems) < _FEWEST:
        raise ValueError(
            f"rankers must hold at least 2 systems to compare, got {len(systems)}."
        )
    if systems is rankers:
        return side_by_side(_scored(by_name(rankers), X, y, qid, measures))
    scores: Scores = rankers if measures is None else rankers[_names(measures)]
    return scores


def _names(measures: Measures) -> list[str]:
    """Return the names by which results hold measures."""
    names = list(
        map(str, [measures] if isinstance(measures, str | Measure) else measures)
    )
    if not names:
        raise ValueError("measures must name at least one measure, got none.")
    return names


def _scored(
    named: dict[str, Any],
    X: Any,
    y: Any,
    qid: ArrayLike | None,
    measures: Measures | None,
) -> dict[str, Scores]:
    """Return the scores of each ranker; fitted models rank the documents first."""
    scored = {name: each for name, each in named.items() if isinstance(each, Scores)}
    models = {name: each for name, each in named.items() if name not in scored}
    if measures is not None:
        scored = {name: each[_names(measures)] for name, each in scored.items()}
    if models:
        # Importing scikit-learn takes a second.
        from skgraded.model_selection._validation import scores_of_models

        given = (
            list(next(iter(scored.values())))
            if scored and measures is None
            else measures
        )
        scored |= scores_of_models(models, X, y, qid, given)
    return {name: scored[name] for name in named}


def given_of(scores: Scores, cluster: Any, baseline: str | None) -> Given:
    """Lay out the values of several systems, and find the queries that all of them have."""
    values = by_measure(scores)
    is_compared = np.any(np.all(~np.isnan(values), axis=1), axis=1)
    values = np.where(is_compared[:, None, None], values, np.nan)
    n_queries = tuple(is_compared.sum(axis=1).tolist())
    clusters = clusters_of(cluster, scores)
    n_units = n_queries
    if clusters is not None:
        n_units = tuple(len(np.unique(clusters[kept])) for kept in is_compared)
    for name, n in zip(scores.measures, n_units, strict=True):
        if n < _FEWEST:
            raise ValueError(
                f"Paired tests need at least {_FEWEST} queries, or clusters of them, on which "
                f"every system has a value of {name}, got {n}."
            )
    means = [
        np.nanmean(each[..., kept], axis=1).mean(axis=1)
        for each, kept in zip(values, is_compared, strict=True)
    ]
    return Given(
        scores,
        values,
        is_compared,
        clusters,
        _pairs(scores.systems or (), baseline),
        baseline,
        n_queries,
        n_units,
        np.stack(means, axis=1),
    )


def by_measure(scores: Scores) -> FloatArray:
    """Return values of shape (n_measures, n_systems, n_repeats, n_queries)."""
    return np.ascontiguousarray(np.moveaxis(scores.cube, 3, 0))


def _pairs(systems: tuple[str, ...], baseline: str | None) -> IntArray:
    if baseline is None:
        given = combinations(range(len(systems)), 2)
        return np.array([(later, earlier) for earlier, later in given])
    place = systems.index(choice("baseline", baseline, systems))
    return np.array([(each, place) for each in range(len(systems)) if each != place])


def ranges(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each measure, by the first axis.

    They are 0 and 1, unless values are beyond, and then theirs: a measure does not say how far its
    values reach, and 0 is within reach of all.
    """
    axes = tuple(range(1, values.ndim))
    low = np.nanmin(values, axis=axes)
    high = np.nanmax(values, axis=axes)
    is_share = (low >= 0.0) & (high <= 1.0)
    return (
        np.where(is_share, 0.0, np.minimum(low, 0.0)),
        np.where(is_share, 1.0, np.maximum(high, 0.0)),
    )
