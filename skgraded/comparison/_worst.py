"""The largest loss of one query that is allowed for, and the bounds of differences by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from skgraded._support.arguments import number
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded.comparison._input import ComparisonInput, by_measure_name

Worst = float | Mapping[Any, float] | None

_HALF = 0.5
_ROUNDING = 1e-12


class WorstLosses(NamedTuple):
    """Largest losses that are allowed for, by measure, in shares of its range.

    Attributes
    ----------
    shares : ndarray of shape (n_measures,)
        The shares.
    are_stated : ndarray of shape (n_measures,), bool
        Whether the user stated them.
    ranges : ndarray of shape (n_measures,)
        The largest difference that there can be.
    """

    shares: FloatArray
    are_stated: BoolArray
    ranges: FloatArray

    def of_measures(self, place: Any) -> WorstLosses:
        """Pick a measure by its place, or shape all of them."""
        return WorstLosses(*(field[place] for field in self))


class LossBounds(NamedTuple):
    """Bounds of differences; arrays have shape (n_measures, n_pairs).

    Attributes
    ----------
    worst : ndarray
        Largest losses that are allowed for, in shares of the range.
    largest_loss, largest_gain : ndarray
        Those that were seen, as values of the measure.
    lowest, highest : ndarray
        Bounds of the differences of queries.
    """

    worst: FloatArray
    largest_loss: FloatArray
    largest_gain: FloatArray
    lowest: FloatArray
    highest: FloatArray


def worst_losses(
    worst: Worst,
    data: ComparisonInput,
    ranges: FloatArray,
    margins: tuple[float, ...] | None,
) -> WorstLosses:
    """Return the losses that a user states, or half of the range, or all of it.

    It is all of it for a margin, and where values are only 0 and 1.
    """
    measures = data.scores.measures
    stated = by_measure_name("worst", worst, measures)
    shares = np.full(len(measures), _HALF)
    shares[data.has_values_of_0_and_1_only] = 1.0
    if margins is not None:
        shares[np.array(margins) > 0.0] = 1.0

    are_stated = np.array([stated[name] is not None for name in measures])
    for place in np.flatnonzero(are_stated):
        share = stated[measures[place]]
        shares[place] = number("worst", share, above=0.0)
        if shares[place] > 1.0:
            raise ValueError(
                f"worst must be at most 1, the range of the measure, got {share!r}."
            )
    return WorstLosses(shares, are_stated, ranges)


def bounds_by_worst(
    rows: FloatArray, direction: Any, losses: WorstLosses
) -> LossBounds:
    """Return the bounds of differences, which vary over queries along the last axis of rows.

    A difference beyond what is allowed for by default extends it to the whole range, and gains are
    allowed for up to the same size, or the largest one that was seen.
    """
    gains = rows * np.asarray(direction)[..., None]
    largest_loss = np.maximum(-gains.min(axis=-1), 0.0)
    largest_gain = np.maximum(gains.max(axis=-1), 0.0)

    largest = np.maximum(largest_loss, largest_gain)
    is_beyond = ~losses.are_stated & (largest > losses.shares * losses.ranges)
    worst = np.where(is_beyond, 1.0, losses.shares)

    loss = worst * losses.ranges
    gain = np.maximum(loss, largest_gain)
    return LossBounds(
        worst=worst,
        largest_loss=largest_loss,
        largest_gain=largest_gain,
        lowest=-np.where(direction > 0, loss, gain),
        highest=np.where(direction > 0, gain, loss),
    )


def check_losses(
    data: ComparisonInput, losses: WorstLosses, bounds: LossBounds
) -> None:
    """Refuse a worst loss that some query exceeds; without a baseline, either system may lose."""
    largest = bounds.largest_loss
    if data.baseline is None:
        largest = np.maximum(largest, bounds.largest_gain)
    allowed = bounds.worst * losses.ranges[:, None] * (1.0 + _ROUNDING)
    is_beyond = losses.are_stated[:, None] & (largest > allowed)
    if not is_beyond.any():
        return

    measure, pair = np.argwhere(is_beyond)[0]
    loser, winner = data.pairs[pair]
    if bounds.largest_loss[measure, pair] < largest[measure, pair]:
        loser, winner = winner, loser

    is_compared = data.is_compared[measure]
    values = data.values[measure][..., is_compared]
    by_query = np.nanmean(values[winner] - values[loser], axis=0)
    by_query = by_query * data.scores.directions[measure]
    queries = data.scores.qid[is_compared].tolist()
    query = queries[by_query.argmax()]

    systems = data.scores.systems or ()
    of_range = ""
    if losses.ranges[measure] != 1.0:
        of_range = f" of {losses.ranges[measure]:.4g}, the range of values"
    raise ValueError(
        f"worst is {losses.shares[measure]:g}{of_range}, but {systems[loser]} loses "
        f"{by_query.max():.4g} to {systems[winner]} by {data.scores.measures[measure]} on query "
        f"{query!r}."
    )
