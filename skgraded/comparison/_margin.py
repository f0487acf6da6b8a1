"""Whether systems fall behind a baseline by more than a margin, and what would decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import fraction, number
from skgraded._stats.rare import FEWEST_DIFFERENCES
from skgraded._stats.sample_size import queries_to_show
from skgraded._text import count, shorten

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

__all__ = [
    "QueriesNeeded",
    "decisions_of",
    "effects_of",
    "needed_for",
    "notes_on_undecided",
    "status_of",
]

FloatArray = NDArray[np.float64]

_STATUS = {"holds": 0, "fails": 1, "undecided": 3}
_NOTES = 3  # of pairs, by name


class QueriesNeeded(NamedTuple):
    """Numbers of queries, each of shape (n_pairs, n_measures); nan where a pair hardly differs.

    Attributes
    ----------
    n_queries : ndarray
        The number of queries.
    low, high : ndarray
        Ends of its interval, for what the data leave open about how much differences vary.
    """

    n_queries: FloatArray
    low: FloatArray
    high: FloatArray


def decisions_of(found: Comparison) -> NDArray[np.str_]:
    """Say of each difference whether the margin holds, fails or is undecided."""
    direction = np.array(found.directions)
    low, high = np.moveaxis(found.interval, 2, 0)
    low, high = np.where(direction > 0, low, -high), np.where(direction > 0, high, -low)
    margin = -float(found.margin or 0.0)
    return np.where(low > margin, "holds", np.where(high < margin, "fails", "undecided"))


def status_of(found: Comparison) -> int:
    """Return 1 if any difference fails, else 3 if any is undecided, else 0."""
    decisions = decisions_of(found)
    return next((_STATUS[each] for each in ("fails", "undecided") if (decisions == each).any()), 0)


def needed_for(
    found: Comparison, effect: FloatArray, power: float, confidence: float | None
) -> QueriesNeeded:
    """Return the queries that show differences of the sizes given, with intervals."""
    chosen = found.confidence if confidence is None else fraction("confidence", confidence)
    n_queries = np.broadcast_to(np.array(found.n_queries), effect.shape)
    units = found.n_queries if found.n_clusters is None else found.n_clusters
    n_units = np.broadcast_to(np.array(units), effect.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = queries_to_show(
            np.abs(effect),
            found.standard_error**2 * n_queries,
            found.log_variance_error,
            n_units,
            confidence=chosen,
            power=fraction("power", power),
        )
    enough = found.n_differing >= FEWEST_DIFFERENCES
    return QueriesNeeded(*(np.where(enough, each, np.nan) for each in needed))


def effects_of(found: Comparison, effect: float | None) -> FloatArray:
    """Return the size that is named, or the distance of each difference from the margin."""
    if effect is not None:
        return np.full(found.difference.shape, number("effect", effect, above=0.0))
    if found.margin is None:
        raise ValueError("effect must be given for a comparison without a margin, got None.")
    return _better(found) + found.margin


def _better(found: Comparison) -> FloatArray:
    better: FloatArray = found.difference * np.array(found.directions)
    return better


def notes_on_undecided(found: Comparison) -> list[str]:
    """Say how many queries would decide what is undecided, of the first pairs by name."""
    if found.margin is None:
        undecided, effect = ~found.significant, np.abs(found.difference)
    else:
        undecided, effect = decisions_of(found) == "undecided", effects_of(found, None)
    if len(found.systems) > 2 and found.baseline is None:  # noqa: PLR2004 - pairs to look at
        return []
    needed, notes = needed_for(found, effect, 0.8, None), []
    undecided &= (found.n_differing >= FEWEST_DIFFERENCES) & np.isfinite(needed.n_queries)
    places = np.argwhere(undecided)
    for pair, column in places[:_NOTES]:
        one, other = (shorten(found.systems[each]) for each in found.pairs[pair])
        numbers = (each[pair, column] for each in needed)
        wanted, low, high = (f"{each:,.0f}" for each in numbers)
        size = f"a difference as large as the one seen, {effect[pair, column]:.4f}, would take"
        if found.margin is not None:
            size = f"if that is the difference, a decision at a margin of {found.margin:g} takes"
        notes.append(
            f"{one} - {other} is undecided by {found.measures[column]}: {size} about {wanted} "
            f"queries ({low} to {high})."
        )
    if len(places) > _NOTES:
        more = count(len(places) - _NOTES, "other difference")
        notes.append(f"{more} undecided, too: queries_needed(effect) tells how many queries.")
    return notes
