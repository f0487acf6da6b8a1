"""Pictures of threshold profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skgraded._support.pictures import BETTER, COLOURS, GREY, WORSE, headline, plain
from skgraded.users._pair_profile import PairProfile

_STEPS = 200  # between two thresholds
_MOST_NAMED = 12
SIZE = (7.0, 4.6)


def draw_pairs(pairs: Sequence[PairProfile], ax: Any) -> None:
    """Draw differences and bands for users from the least to the most demanding ones."""
    n_grades = len(pairs[0].differences)
    corners = np.arange(1, n_grades + 1)
    places = np.linspace(1.0, n_grades, (n_grades - 1) * _STEPS + 1)
    points = np.maximum(0.0, 1.0 - np.abs(places[:, None] - corners))
    ax.axhline(0, color="black", linewidth=1)
    for number, pair in enumerate(pairs):
        colour = "black" if len(pairs) == 1 else COLOURS[number % len(COLOURS)]
        ax.plot(places, points @ pair.differences, color=colour, label=pair.ranker)
        low, high = pair.band(points).T
        ax.fill_between(places, low, high, color=GREY if len(pairs) == 1 else colour, alpha=0.2)
        if len(pairs) == 1:
            ax.fill_between(places, low, high, where=low > 0, color=BETTER, alpha=0.4)
            ax.fill_between(places, low, high, where=high < 0, color=WORSE, alpha=0.4)
        reach = np.abs(pair.intervals.T - pair.differences)
        ax.errorbar(corners, pair.differences, yerr=reach, fmt="o", color=colour, capsize=4)
    ticks = [f"grade {each}" + (" or better" if each < n_grades else "") for each in corners]
    ax.set_xticks(corners, ticks)
    ax.set_xlabel("what users accept (between two grades: mixtures of such users)")
    ax.set_ylabel(f"eGAP less that of {pairs[0].baseline}")
    if 1 < len(pairs) <= _MOST_NAMED:
        ax.legend(fontsize=8, frameon=False)
    if len(pairs) == 1:
        headline(ax, pairs[0].sentence)
    else:
        headline(ax, f"For which users is another ranker better than {pairs[0].baseline}?")
    plain(ax)
