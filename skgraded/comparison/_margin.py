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
    "needed_by_own_effects",
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
    enough &= effect != 0.0  # which no number of queries shows
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


def needed_by_own_effects(found: Comparison) -> tuple[FloatArray, QueriesNeeded]:
    """Return the distances of differences from the margin, or without one their sizes.

    And how many queries show them. P-values are corrected for their number, margins are not.
    """
    if found.margin is not None:
        effect, confidence = effects_of(found, None), found.confidence
    else:
        n_tests = 1 if found.correction == "none" else found.n_tests
        effect, confidence = np.abs(found.difference), 1.0 - found.level / n_tests
    return effect, needed_for(found, effect, 0.8, confidence)


def notes_on_undecided(found: Comparison) -> list[str]:
    """Say how many queries would decide what is undecided, of the first pairs by name.

    Of all pairs of several systems, those of the best one come first.
    """
    if found.margin is None:
        undecided = ~found.significant & (found.n_differing > 0)  # of none a note tells anyway
    else:
        undecided = decisions_of(found) == "undecided"
    effect, needed = needed_by_own_effects(found)
    is_told = undecided & (effect != 0.0) & _has_the_best(found)
    notes = [_note(found, effect, needed, *place) for place in np.argwhere(is_told)[:_NOTES]]
    n_others = int(undecided.sum()) - len(notes)
    if n_others > 0:
        more = count(n_others, "other difference" if notes else "difference")
        too = ", too" if notes else ""
        notes.append(
            f"{more} undecided{too}: the column queries_needed of to_frame() tells how many "
            "queries decide."
        )
    return notes


def _has_the_best(found: Comparison) -> NDArray[np.bool_]:
    """Whether pairs are with the best system by the measure; all are if there is a baseline."""
    if found.baseline is not None:
        return np.ones(found.difference.shape, dtype=bool)
    best = (np.array(found.directions) * found.means).argmax(axis=0)
    return np.asarray((found.pairs[:, :, None] == best).any(axis=1))


def _note(
    found: Comparison, effect: FloatArray, needed: QueriesNeeded, pair: int, column: int
) -> str:
    one, other = (shorten(found.systems[each]) for each in found.pairs[pair])
    told = f"{one} - {other} is undecided by {found.measures[column]}"
    if np.isnan(needed.n_queries[pair, column]):
        units = "queries" if found.n_clusters is None else "clusters"
        return (
            f"{told}: how many queries would decide cannot be told, as they differ in "
            f"{found.n_differing[pair, column]} {units}, fewer than {FEWEST_DIFFERENCES}."
        )
    wanted, low, high = (f"{each[pair, column]:,.0f}" for each in needed)
    size = f"a difference as large as the one seen, {effect[pair, column]:.4f}, would take"
    if found.margin is not None:
        size = f"if that is the difference, a decision at a margin of {found.margin:g} takes"
    labelled = "" if found.judge is None else " with human labels"
    return f"{told}: {size} about {wanted} queries{labelled} ({low} to {high})."
