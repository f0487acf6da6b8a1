"""Forest plots: differences with their intervals, by row and, within a row, by series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new
from skgraded._pictures import plain, style_of
from skgraded._text import wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Series", "draw_forest", "wrapped"]

FloatArray = NDArray[np.float64]

# Inches, and characters in an inch of a title.
_AXES, _OF_CHARACTER, _OF_SERIES, _BETWEEN_ROWS, _OF_REST = 4.5, 0.085, 0.15, 0.2, 1.7
_LEAST_HEIGHT = 3.0
_CHARACTERS = 10.5
_BAND = 0.8  # of the room of a row
_POOLED: dict[str, Any] = {"color": "black", "marker": "D", "markersize": 6, "linewidth": 2.5}


class Series(NamedTuple):
    """Differences of all rows by one judge or on one data set.

    Attributes
    ----------
    label : str
        Its name in the legend.
    differences : ndarray of shape (n_rows,)
        The differences; nan leaves a row out.
    intervals : ndarray of shape (n_rows, 2)
        Ends of the intervals.
    is_pooled : bool
        Whether it summarises the others.
    """

    label: str
    differences: FloatArray
    intervals: FloatArray
    is_pooled: bool = False


def draw_forest(
    ax: Axes | None,
    owner: object,
    rows: Sequence[str],
    series: Sequence[Series],
    *,
    title: str,
    xlabel: str,
) -> Axes:
    """Draw a row for each name, with one mark and interval below the other for each series."""
    room = _AXES + _OF_CHARACTER * (4 + max(len(each.label) for each in series))
    width = room + _OF_CHARACTER * max(map(len, rows))
    height = _OF_REST + len(rows) * (_OF_SERIES * len(series) + _BETWEEN_ROWS)
    ax = axes_or_new(ax, owner, (width, max(_LEAST_HEIGHT, height)))
    place = np.arange(len(rows))
    for row in place[1:]:
        ax.axhline(row - 0.5, color="0.9", linewidth=0.8, zorder=0)
    ax.axvline(0.0, color="0.4", linewidth=1)
    for number, each in enumerate(series):
        offset = _BAND * ((number + 0.5) / len(series) - 0.5)
        reach = np.abs(each.intervals - each.differences[:, None]).T
        ax.errorbar(
            each.differences,
            place + offset,
            xerr=reach,
            label=each.label,
            **{"linestyle": "none", "capsize": 2, **_look(number, each)},
        )
    ax.set_yticks(place, rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(xlabel)
    ax.locator_params(axis="x", nbins=7)
    plain(ax, grid="x")
    ax.set_title(wrapped(title, room), loc="left", fontsize=11)
    if len(series) > 1:
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax


def wrapped(title: str, inches: float) -> str:
    """Break the lines of a title so that they are no wider than so many inches."""
    width = int(_CHARACTERS * inches)
    return "\n".join(wrap(line, width, indent=0) for line in title.split("\n"))


def _look(number: int, series: Series) -> dict[str, Any]:
    if series.is_pooled:
        return {**_POOLED, "elinewidth": _POOLED["linewidth"], "linewidth": 0}
    style = style_of(number)
    return {"color": style["color"], "marker": style["marker"], "markersize": 5, "elinewidth": 1.3}
