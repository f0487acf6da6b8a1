"""Pictures of threshold profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skgraded._support.pictures import (
    BETTER,
    GREY,
    WORSE,
    Curve,
    draw_curves,
    headline,
    looks_of,
    plain,
)
from skgraded._support.text import shorten
from skgraded.users._pair_profile import PairProfile

_STEPS = 200  # between two thresholds


def draw_pairs(pairs: Sequence[PairProfile], ax: Any, verdict: str) -> None:
    """Draw differences and bands for users from the least to the most demanding ones."""
    n_grades, baseline = len(pairs[0].differences), pairs[0].baseline
    corners = np.arange(1, n_grades + 1)
    places = np.linspace(1.0, n_grades, (n_grades - 1) * _STEPS + 1)
    points = np.maximum(0.0, 1.0 - np.abs(places[:, None] - corners))
    looks = looks_of([each.differences.mean() for each in pairs])
    curves = [
        Curve(pair.ranker, places, points @ pair.differences, look)
        for pair, look in zip(pairs, looks, strict=True)
    ]
    ax.axhline(0, color="black", linewidth=1)
    lines = draw_curves(ax, curves, markers=False)
    drawn = zip(pairs, lines, looks, strict=True)
    for pair, line in ((pair, line) for pair, line, look in drawn if look is not None):
        low, high = pair.band(points).T
        if len(pairs) == 1:
            line.set_color("black")
            ax.fill_between(places, low, high, color=GREY, alpha=0.2)
            ax.fill_between(places, low, high, where=low > 0, color=BETTER, alpha=0.4)
            ax.fill_between(places, low, high, where=high < 0, color=WORSE, alpha=0.4)
        else:
            ax.fill_between(places, low, high, color=line.get_color(), alpha=0.2)
        colour = line.get_color()
        reach = np.abs(pair.intervals.T - pair.differences)
        ax.errorbar(corners, pair.differences, yerr=reach, fmt="o", color=colour, capsize=4)
    ticks = [f"grade {each}" + (" or better" if each < n_grades else "") for each in corners]
    ax.set_xticks(corners, ticks)
    ax.set_xlabel("what users accept (between two grades: mixtures of such users)")
    ax.set_ylabel(f"eGAP less that of {shorten(baseline)}")
    plain(ax)
    headline(ax, verdict)
