"""Pictures of comparisons: intervals of few pairs, and the means of the systems of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skgraded._optional import axes_or_new
from skgraded._pictures import BETTER, GREY, SMALL, headline, plain
from skgraded._text import count, shorten
from skgraded.comparison._tables import (
    are_listed,
    beats,
    best_first,
    pair_names,
)

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

# Inches of a plot.
_WIDTH_OF_AXES, _WIDTH_OF_CHARACTER = 4.5, 0.085
_LEAST_HEIGHT, _HEIGHT_OF_REST, _HEIGHT_OF_PAIR = 2.4, 0.9, 0.3


def draw_comparison(found: Comparison, axes: Any) -> Any:
    """Draw a comparison, one picture for each measure, side by side."""
    names = pair_names(found)
    if are_listed(found):
        draw, width = _draw_intervals, _WIDTH_OF_AXES + _WIDTH_OF_CHARACTER * max(map(len, names))
        height = max(_LEAST_HEIGHT, _HEIGHT_OF_REST + _HEIGHT_OF_PAIR * len(names))
    else:
        draw, width, height = _draw_means, 7.2, 5.0
    axes = axes_or_new(axes, found, (len(found) * width, height), len(found))
    for name, ax in zip(found, np.ravel(axes), strict=True):
        draw(found[name], ax)
    return axes


def _draw_intervals(found: Comparison, ax: Any) -> None:
    """Draw the difference of every pair with its interval."""
    names = pair_names(found)
    place, difference = np.arange(len(names)), found.difference[:, 0]
    reach = np.abs(found.interval[:, 0] - difference[:, None]).T
    ax.errorbar(difference, place, xerr=reach, fmt="o", capsize=3, color=BETTER)
    ax.axvline(0, color=GREY, linewidth=1)
    ax.set_yticks(place, names)
    ax.set_ylim(len(place) - 0.5, -0.5)
    ax.set_xlabel(f"difference in {found.measures[0]},\n{100.0 * found.confidence:g}% interval")
    plain(ax, grid="x")
    low, high = found.interval[:, 0].T
    n, n_significant = int(((low > 0) | (high < 0)).sum()), int(found.significant.sum())
    answer = "No difference is established: all intervals include 0."
    if n or n_significant:
        answer = (
            f"{n} of {count(len(names), 'interval')} exclude 0; "
            f"{count(n_significant, 'difference')} significant ({found.tested})."
        )
    headline(ax, f"Do systems differ in {found.measures[0]}?", answer)


def _draw_means(found: Comparison, ax: Any) -> None:
    """Draw the means in their order, with a line to the last system that is not worse."""
    order, n = best_first(found), len(found.systems)
    means, numbers = found.means[order, 0], np.arange(1, n + 1)
    significant = beats(found)[np.ix_(order, order)]
    alike = ~(significant | significant.T)
    last = n - np.argmax(alike[:, ::-1], axis=1)
    ax.hlines(means, numbers, last, color="#D8D8D8", linewidth=0.9, zorder=1)
    colours = [BETTER if each else GREY for each in alike[0]]
    ax.scatter(numbers, means, color=colours, s=12, zorder=2)
    legend = [
        "blue: not significantly worse than the best",
        "line: to the last system that is not worse",
        "",
        *(f"{number} {shorten(found.systems[order[number - 1]])}" for number in range(1, 6)),
    ]
    look: dict[str, Any] = {"va": "bottom", "fontsize": SMALL, "color": "#404040"}
    ax.text(0.03, 0.05, "\n".join(legend), transform=ax.transAxes, **look)
    ax.set(xlabel="system, best first", ylabel=f"mean {found.measures[0]}")
    plain(ax)
    _headline(found, ax)


def _headline(found: Comparison, ax: Any) -> None:
    """Say how many systems may be as good as the best one."""
    best, *others = best_first(found)
    n_alike = len(others) - int(beats(found)[best].sum())
    rest = count(len(others), "other")
    answer = f"{shorten(found.systems[best])} has the best mean"
    if np.isnan(next(iter(found.p_value.values()))).all():
        answer = f"{answer}; pairs are too many to be decided"
    elif n_alike:
        verb = "is" if n_alike == 1 else "are"
        answer = f"{answer}; {n_alike} of {rest} {verb} not significantly worse"
    else:
        answer = f"{answer} and is significantly better than {rest}"
    question = f"Which systems are better than others in {found.measures[0]}?"
    headline(ax, question, f"{answer} ({found.tested}).")
