"""Differences of pairs of systems by measures, and what is read off them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from skgraded._intervals.paired import effect_size, paired_differences
from skgraded._intervals.repeats import over_repeats
from skgraded._intervals.tail import Tail
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.comparison._input import ComparisonInput
from skgraded.comparison._worst import LossBounds, WorstLosses, bounds_by_worst

# Differences of pairs, repeats and queries that are in memory at the same time: 32 MB.
_CELLS_AT_A_TIME = 4_000_000


class Differences(NamedTuple):
    """Differences of pairs; arrays have shape (n_measures, n_pairs), or of one measure (n_pairs,).

    Attributes
    ----------
    tail : Tail
        Their tails, without a correction.
    bounds : LossBounds
        Bounds of the differences of queries.
    effect_size : ndarray
        Mean difference in standard deviations.
    wins, ties, losses : ndarray of int64
        Number of queries in which the first system is better, equal, and worse.
    """

    tail: Tail
    bounds: LossBounds
    effect_size: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray


def differences_of_pairs(data: ComparisonInput, losses: WorstLosses) -> Differences:
    """Compute all differences, by one measure and of some pairs at a time."""
    by_measure = []
    for place, is_compared in enumerate(data.is_compared):
        values = data.values[place][..., is_compared]
        folds = _picked(data.scores.folds, is_compared)
        clusters = _picked(data.clusters, is_compared)
        weights = _picked(data.weights, is_compared)

        pairs_at_a_time = max(1, _CELLS_AT_A_TIME // values[0].size)
        parts = []
        for first in range(0, len(data.pairs), pairs_at_a_time):
            firsts, seconds = data.pairs[first : first + pairs_at_a_time].T
            cells = paired_differences(values[firsts], values[seconds])
            rows, estimate = over_repeats(cells, folds, clusters, weights)

            direction = data.scores.directions[place]
            bounds = bounds_by_worst(rows.T, direction, losses.of_measures(place))
            estimate.bounds = (bounds.lowest, bounds.highest)
            tail = estimate.tail()
            parts.append(read_off(tail, rows.T, direction, bounds, weights))
        by_measure.append(joined(parts, np.concatenate))
    differences: Differences = joined(by_measure, np.stack)
    return differences


def read_off(
    tail: Tail,
    rows: FloatArray,
    direction: Any,
    bounds: LossBounds,
    weights: FloatArray | None,
) -> Differences:
    """Read everything off differences, which vary over queries along the last axis of rows."""
    gains = rows * np.asarray(direction)[..., None]

    return Differences(
        tail=tail,
        bounds=bounds,
        effect_size=effect_size(rows, weights),
        wins=(gains > 0.0).sum(axis=-1),
        ties=(gains == 0.0).sum(axis=-1),
        losses=(gains < 0.0).sum(axis=-1),
    )


def _picked(array: Any, is_compared: BoolArray) -> Any:
    """Pick queries, along the last axis, of an array that may be missing."""
    if array is None:
        return None
    return array[..., is_compared]


def joined(parts: Sequence[Any], join: Callable[..., FloatArray]) -> Any:
    """Join arrays, or tuples of them field by field."""
    if isinstance(parts[0], np.ndarray):
        return join(parts)
    if isinstance(parts[0], tuple):
        fields = zip(*parts, strict=True)
        return type(parts[0])(*(joined(arrays, join) for arrays in fields))
    return parts[0]
