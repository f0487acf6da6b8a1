"""Differences of pairs of systems by measures, and what is read off them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from skgraded._intervals.estimate import Estimate
from skgraded._intervals.paired import effect_size, paired_differences
from skgraded._intervals.repeats import over_repeats
from skgraded._intervals.tail import Tail
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.comparison._input import ComparisonInput
from skgraded.comparison._worst import LossBounds, WorstLosses, bounds_by_worst

# Differences of pairs, repeats and queries that are in memory at the same time: 32 MB.
_CELLS_AT_A_TIME = 4_000_000


class Differences(NamedTuple):
    """Differences of pairs by measures; arrays have shape (n_measures, n_pairs).

    Attributes
    ----------
    tail : Tail
        Their tails, without a correction.
    bounds : LossBounds
        Bounds of the differences of queries.
    effect_size : ndarray
        Mean difference in standard deviations.
    n_higher, n_equal, n_lower : ndarray of int64
        Number of queries in which the first system has the higher value, the same, or the lower.
    students_p_value : ndarray
        P-values of Student's t test.
    """

    tail: Tail
    bounds: LossBounds
    effect_size: FloatArray
    n_higher: IntArray
    n_equal: IntArray
    n_lower: IntArray
    students_p_value: FloatArray


def differences_of_pairs(data: ComparisonInput, losses: WorstLosses) -> Differences:
    """Compute all differences; those by measures that have the same queries are one estimate."""
    _, group = np.unique(data.is_compared, axis=0, return_inverse=True)
    group = group.ravel()
    places_of_groups = [
        np.flatnonzero(group == number) for number in range(group.max() + 1)
    ]
    parts = [_of_measures(data, places, losses) for places in places_of_groups]
    order = np.argsort(np.concatenate(places_of_groups))
    joined: Differences = _joined(parts, axis=0)
    return _mapped(joined, lambda array: array[order])


def _of_measures(
    data: ComparisonInput, places: IntArray, losses: WorstLosses
) -> Differences:
    """Compute the differences by measures that have the same queries, of some pairs at a time."""
    is_compared = data.is_compared[places[0]]
    values = data.values[places][..., is_compared]
    directions = np.array(data.scores.directions, dtype=float)[places]
    losses = losses.of_measures(places)
    folds = _picked(data.scores.folds, is_compared)
    clusters = _picked(data.clusters, is_compared)
    weights = _picked(data.weights, is_compared)

    pairs_at_a_time = max(1, _CELLS_AT_A_TIME // values[:, 0].size)
    parts = []
    for first in range(0, len(data.pairs), pairs_at_a_time):
        pairs = data.pairs[first : first + pairs_at_a_time]
        cells = paired_differences(values[:, pairs[:, 0]], values[:, pairs[:, 1]])
        rows, estimate = over_repeats(
            cells.reshape(-1, *values.shape[2:]), folds, clusters, weights
        )
        by_query = rows.T.reshape(len(places), len(pairs), -1)
        bounds = bounds_by_worst(by_query, directions, losses)
        estimate.bounds = (bounds.lowest.ravel(), bounds.highest.ravel())
        parts.append(read_off(estimate, by_query, bounds, weights))
    joined: Differences = _joined(parts, axis=1)
    return joined


def read_off(
    estimate: Estimate,
    by_query: FloatArray,
    bounds: LossBounds,
    weights: FloatArray | None,
) -> Differences:
    """Read everything off an estimate of pairs by measures, of which the pairs vary fastest."""
    shape = by_query.shape[:2]
    rows = by_query.reshape(-1, by_query.shape[2])
    return Differences(
        tail=estimate.tail().each(lambda array: array.reshape(shape)),
        bounds=bounds,
        effect_size=effect_size(rows, weights).reshape(shape),
        n_higher=(by_query > 0.0).sum(axis=2),
        n_equal=(by_query == 0.0).sum(axis=2),
        n_lower=(by_query < 0.0).sum(axis=2),
        students_p_value=estimate.students_p_value().reshape(shape),
    )


def _picked(array: Any, is_compared: Any) -> Any:
    """Pick queries along the last axis, of an array that may be missing."""
    return None if array is None else array[..., is_compared]


def _joined(parts: Iterable[Any], axis: int) -> Any:
    """Join arrays, or tuples of them, field by field."""
    first, *others = parts
    if isinstance(first, np.ndarray):
        return np.concatenate([first, *others], axis=axis)
    if isinstance(first, tuple):
        fields = zip(first, *others, strict=True)
        return type(first)(*(_joined(arrays, axis) for arrays in fields))
    return first


def _mapped(value: Any, function: Any) -> Any:
    """Apply a function to arrays, or to those in tuples."""
    if isinstance(value, np.ndarray):
        return function(value)
    if isinstance(value, tuple):
        return type(value)(*(_mapped(field, function) for field in value))
    return value
