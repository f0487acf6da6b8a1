"""What is compared: values of systems by query, laid out to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.arguments import choice
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.text import count, told_in_clusters, told_queries
from skgraded.measures import Measure, Measures
from skgraded.results import Scores, by_name, clusters_of, column_of, side_by_side

_FEWEST = 2  # systems, queries, or clusters


class ComparisonInput(NamedTuple):
    """Values of systems by query, laid out to compare.

    Attributes
    ----------
    scores : Scores
        The scores that the values come from.
    values : ndarray of shape (n_measures, n_systems, n_repeats, n_queries)
        The values; nan where there is none, and in queries that are not compared.
    is_compared : ndarray of shape (n_measures, n_queries), bool
        Whether all systems have a value of a query in some repeat, and the query has a weight.
    clusters : ndarray of shape (n_queries,), int64, or None
        The cluster of each query.
    weights : ndarray of shape (n_queries,) or None
        The weight of each query, if they vary.
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
    judged_share : ndarray of shape (n_systems, n_measures) or None
        Share of judged documents among the first ones of each system's lists, over these queries.
        None where all documents are judged, or it is unknown.
    """

    scores: Scores
    values: FloatArray
    is_compared: BoolArray
    clusters: IntArray | None
    weights: FloatArray | None
    pairs: IntArray
    baseline: str | None
    n_queries: tuple[int, ...]
    n_units: tuple[int, ...]
    means: FloatArray
    judged_share: FloatArray | None

    @property
    def in_words(self) -> str:
        """The number of pairs, and of measures if there are several."""
        pairs = count(len(self.pairs), "pair")
        if len(self.values) == 1:
            return pairs
        return f"{pairs} by {len(self.values)} measures"

    @property
    def over(self) -> str:
        """Over what systems are compared, in words."""
        queries = told_queries(self.n_queries)
        if self.clusters is not None:
            queries = told_in_clusters(queries, self.n_units)
        if self.weights is not None:
            queries = f"{queries} with weights"
        n_repeats = self.values.shape[2]
        return queries if n_repeats == 1 else f"{queries} and {n_repeats} repeats"

    @property
    def more_varies(self) -> bool:
        """Whether more than independent queries, each of which counts once, makes values vary."""
        has_repeats = self.values.shape[2] > 1
        return has_repeats or self.clusters is not None or self.weights is not None

    @property
    def has_values_of_0_and_1_only(self) -> BoolArray:
        """Whether a measure has no other values, shape (n_measures,)."""
        is_0_or_1 = (self.values == 0.0) | (self.values == 1.0)
        is_other = ~is_0_or_1 & ~np.isnan(self.values)
        return ~is_other.any(axis=(1, 2, 3))


def scores_of_rankers(
    rankers: Any, X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> Scores:
    """Return the scores of all rankers, by the same measures and on the same queries."""
    systems = rankers
    if not isinstance(rankers, Mapping):
        systems = getattr(rankers, "systems", None)
    if systems is None:
        kind = type(rankers).__name__
        if isinstance(rankers, Scores):
            kind = "Scores of one system"
        raise TypeError(
            "rankers must be Scores of several systems, or map names to fitted models, results of "
            f"cross_validate_queries or Scores, got {kind}."
        )

    if len(systems) < _FEWEST:
        raise ValueError(
            f"rankers must hold at least 2 systems to compare, got {len(systems)}."
        )

    if systems is rankers:
        return side_by_side(_scored(by_name(rankers), X, y, qid, measures))
    scores: Scores = rankers
    if measures is not None:
        scores = rankers[_names(measures)]
    return scores


def _names(measures: Measures) -> list[str]:
    """Return the names by which results hold measures."""
    if isinstance(measures, str | Measure):
        measures = [measures]
    names = list(map(str, measures))
    if not names:
        raise ValueError("measures must name at least one measure, got none.")
    return names


def _scored(
    rankers: dict[str, Any],
    X: Any,
    y: Any,
    qid: ArrayLike | None,
    measures: Measures | None,
) -> dict[str, Scores]:
    """Return the scores of each ranker; fitted models rank the documents first."""
    scores = {}
    models = {}
    for name, ranker in rankers.items():
        if not isinstance(ranker, Scores):
            models[name] = ranker
        elif measures is None:
            scores[name] = ranker
        else:
            scores[name] = ranker[_names(measures)]

    if models:
        # Importing scikit-learn takes a second.
        from skgraded.model_selection._validation import scores_of_models

        if scores and measures is None:
            measures = list(next(iter(scores.values())))
        scores |= scores_of_models(models, X, y, qid, measures)
    return {name: scores[name] for name in rankers}


def comparison_input(
    scores: Scores, cluster: Any, baseline: str | None
) -> ComparisonInput:
    """Lay out the values of several systems, and find the queries that all of them have."""
    values = by_measure(scores)
    weights = varying_weights(scores)
    has_all_systems = np.all(~np.isnan(values), axis=1)
    is_compared = np.any(has_all_systems, axis=1)
    if weights is not None:
        is_compared = is_compared & (weights > 0.0)
    values = np.where(is_compared[:, None, None], values, np.nan)
    n_queries = tuple(is_compared.sum(axis=1).tolist())

    clusters = clusters_of(cluster, scores)
    n_units = n_queries
    if clusters is not None:
        n_units = tuple(len(np.unique(clusters[row])) for row in is_compared)

    for name, n in zip(scores.measures, n_units, strict=True):
        if n < _FEWEST:
            raise ValueError(
                f"Paired tests need at least {_FEWEST} queries, or clusters of them, on which "
                f"every system has a value of {name}, got {n}."
            )

    means = []
    for values_of_measure, row in zip(values, is_compared, strict=True):
        by_query = np.nanmean(values_of_measure[..., row], axis=1)
        row_weights = None if weights is None else weights[row]
        means.append(np.average(by_query, axis=1, weights=row_weights))

    return ComparisonInput(
        scores=scores,
        values=values,
        is_compared=is_compared,
        clusters=clusters,
        weights=weights,
        pairs=_pairs(scores.systems or (), baseline),
        baseline=baseline,
        n_queries=n_queries,
        n_units=n_units,
        means=np.stack(means, axis=1),
        judged_share=_judged_share(scores, is_compared, weights),
    )


def _judged_share(
    scores: Scores, is_compared: BoolArray, weights: FloatArray | None
) -> FloatArray | None:
    """Return the mean shares of judged documents over the queries that are compared."""
    shares = scores.judged_share
    if not isinstance(shares, np.ndarray):
        return None
    means = []
    for place, row in enumerate(is_compared):
        row_weights = None if weights is None else weights[row]
        means.append(np.average(shares[:, row, place], axis=1, weights=row_weights))
    return np.stack(means, axis=1)


def by_measure(scores: Scores) -> FloatArray:
    """Return values of shape (n_measures, n_systems, n_repeats, n_queries)."""
    return np.ascontiguousarray(np.moveaxis(scores.cube, 3, 0))


def varying_weights(scores: Scores) -> FloatArray | None:
    """Return the weights of the queries, or None where they are all alike."""
    weights = scores.weights
    if weights is None or np.ptp(weights) == 0.0:
        return None
    return np.asarray(weights, dtype=np.float64)


def by_measure_name(
    argument: str, value: Any, measures: Sequence[str]
) -> dict[str, Any]:
    """Return a value for each measure: the only one, or those of a mapping, None for others."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(measures, value)

    values: dict[str, Any] = dict.fromkeys(measures)
    for name, value_of_measure in value.items():
        try:
            measure = measures[column_of(measures, name)]
        except KeyError as error:
            raise ValueError(f"{argument}: {error.args[0]}") from None
        values[measure] = value_of_measure
    return values


def _pairs(systems: tuple[str, ...], baseline: str | None) -> IntArray:
    if baseline is None:
        pairs = combinations(range(len(systems)), 2)
        return np.array([(later, earlier) for earlier, later in pairs])
    place = systems.index(choice("baseline", baseline, systems))
    candidates = np.delete(np.arange(len(systems)), place)
    return np.column_stack([candidates, np.full_like(candidates, place)])


def ranges(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each measure, by the first axis.

    They are 0 and 1, unless values are beyond, and then theirs: a measure does not say how far its
    values reach, and 0 is within reach of all.
    """
    axes = tuple(range(1, values.ndim))
    low = np.nanmin(values, axis=axes)
    high = np.nanmax(values, axis=axes)
    is_share = (low >= 0.0) & (high <= 1.0)
    high = np.where(is_share, 1.0, np.maximum(high, 0.0))
    return np.minimum(low, 0.0), high
