"""Pictures of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import IntArray
from skgraded._support.pictures import (
    BETTER,
    GREY,
    axes_or_new,
    headline,
    plain,
    size_beside,
)
from skgraded.comparison._tables import are_listed, best_first, gains, pair_names

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison


def draw_comparison(comparison: Comparison, axes: Any) -> Any:
    """Draw a comparison, one picture for each measure, side by side."""
    of_first = comparison[comparison.measures[0]]
    width, height = size_beside(pair_names(comparison), len(_drawn_pairs(of_first)))
    size = (len(comparison) * width, height)
    axes = axes_or_new(axes, comparison, size, len(comparison))
    for name, ax in zip(comparison, np.ravel(axes), strict=True):
        _draw(comparison[name], ax)
    return axes


def _drawn_pairs(comparison: Comparison) -> IntArray:
    """Return the places of the pairs that are drawn, in the order of their differences.

    Of many these are the pairs of the best system.
    """
    best = best_first(comparison)[0]
    is_of_best = (comparison.pairs == best).any(axis=1)
    places = np.flatnonzero(is_of_best | are_listed(comparison))
    better = gains(comparison)[places]
    return places[np.argsort(-better, kind="stable")]


def _draw(comparison: Comparison, ax: Any) -> None:
    """Draw differences with their intervals; marks of what is decided are filled."""
    pairs = _drawn_pairs(comparison)
    names = pair_names(comparison)
    is_decided = comparison._is_decided[pairs, 0]
    places = np.arange(len(pairs))
    differences = comparison.difference[pairs, 0]

    low, high = comparison.interval[pairs, 0].T
    reach = np.stack([differences - low, high - differences])
    for filling, rows in {BETTER: is_decided, "white": ~is_decided}.items():
        if rows.any():
            ax.errorbar(
                differences[rows],
                places[rows],
                xerr=reach[:, rows],
                fmt="o",
                capsize=3,
                color=BETTER,
                markerfacecolor=filling,
            )

    ax.axvline(0, color=GREY, linewidth=1)
    if comparison.margins and comparison.margins[0] > 0.0:
        bound = -comparison.directions[0] * comparison.margins[0]
        ax.axvline(bound, color=GREY, linewidth=1, linestyle="--")

    ax.set_yticks(places, [names[pair] for pair in pairs])
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlabel(
        f"difference in {comparison.measures[0]},\n{comparison._interval_heading}"
    )
    plain(ax, grid="x")
    headline(ax, _verdict(comparison, pairs))


def _verdict(comparison: Comparison, pairs: NDArray[np.int64]) -> str:
    """Say what is decided of the pairs that are drawn."""
    by = f"in {comparison.measures[0]}"
    decisions = comparison.decisions
    if decisions is not None and comparison.margins is not None:
        words, numbers = np.unique(decisions[:, 0], return_counts=True)
        counts = zip(words, numbers, strict=True)
        counted = ", ".join(f"{word} for {n}" for word, n in counts)

        margin = comparison.margins[0]
        question = "Better than"
        if margin > 0.0:
            question = f"No worse by more than {margin:g} than"
        return f"{question} {comparison.baseline} {by}: {counted}."

    is_significant = comparison.significant[pairs, 0]
    if len(pairs) > 1:
        n = is_significant.sum() or "None"
        return f"{n} of {len(pairs)} differences {by} are significant."

    places = comparison.pairs[pairs[0]]
    winner, loser = (comparison.systems[place] for place in places)
    if gains(comparison)[pairs[0]] <= 0.0:
        winner, loser = loser, winner
    if is_significant[0]:
        return f"{winner} is better than {loser} {by}."
    return f"No difference between {winner} and {loser} {by} is established."
