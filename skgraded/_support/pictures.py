"""The style of all pictures: axes, colours, verdicts as titles, names of curves."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.array_types import FloatArray
from skgraded._support.text import shorten_apart

# Colours that colour-blind people can distinguish (Okabe and Ito), without the pale yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BETTER, WORSE = COLOURS[:2]
GREY = "#767676"
_PALE = "#B8B8B8"
MARKERS = "os^Dv<>P"
SMALL = 8.0  # points, of labels
_TITLE = 10.5
_SMALL_CHARACTER = 1 / 15.5
_TITLE_CHARACTER = 1 / 11  # inches
_MOST_COLOURED = 5
_SIZE = (7.2, 4.6)  # inches


class Curve(NamedTuple):
    """A line of a picture, and the number of its colour and marker; without one it is pale."""

    name: str
    x: FloatArray
    y: FloatArray
    look: int | None
    dashes: str = "-"


def axes_or_new(
    ax: Any, owner: object, size: tuple[float, float] = _SIZE, n_columns: int = 1
) -> Any:
    """Return the given axes, or those of a new figure, an array if there are several columns."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(owner).__name__}.plot needs matplotlib: pip install matplotlib, or "
            "pip install skgraded[plot]."
        ) from error

    if ax is not None:
        return ax
    _, new_axes = plt.subplots(1, n_columns, layout="constrained", figsize=size)
    return new_axes


def size_beside(names: Sequence[str], n_rows: int) -> tuple[float, float]:
    """Return the inches of rows of marks that have these names on their left."""
    width = 4.5 + 0.085 * max(map(len, names))
    height = max(2.4, 0.9 + 0.3 * n_rows)
    return width, height


def plain(ax: Any, grid: str = "both") -> None:
    """Leave out the frame's upper and right sides, and draw a pale grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#E4E4E4", linewidth=0.8)
    ax.tick_params(labelsize=SMALL)


def _take_names_literally(ax: Any) -> None:
    """Draw dollar signs in names of systems as such, which Matplotlib reads as mathematics."""
    from matplotlib.text import Text

    powers = []
    if ax.get_xscale() == "log":
        powers = ax.get_xticklabels(which="both")
    for text in ax.findobj(Text):
        if text not in powers:
            text.set_parse_math(False)


def headline(ax: Any, verdict: str) -> None:
    """Write what a picture says above its axes, in bold; a long verdict takes several lines.

    Call it when all names are drawn: dollar signs in them and in the verdict are none of
    mathematics.
    """
    n_characters = _n_characters_above(ax)
    lines = textwrap.fill(verdict, n_characters)
    ax.set_title(lines, loc="left", fontsize=_TITLE, fontweight="bold", pad=7)
    _take_names_literally(ax)


def _n_characters_above(ax: Any) -> int:
    """Return how many characters fit above the axes, beside the names left of them."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    lines = "\n".join(names).split("\n")
    longest = max(map(len, lines))
    name_width = longest * _SMALL_CHARACTER + 0.5

    figure_width = ax.figure.get_figwidth()
    width = figure_width * ax.get_position().width / 0.775
    n_characters = int((width - name_width) / _TITLE_CHARACTER)
    return max(24, n_characters)


def looks_of(values: ArrayLike) -> list[int | None]:
    """Return the numbers of values that stand out: the two largest and smallest; all of a few.

    Parameters
    ----------
    values : array-like of shape (n,)
        The values; those that are nan do not stand out among many.

    Returns
    -------
    list of int or None
        The numbers; None for a value that does not stand out.
    """
    values = np.asarray(values, float)
    n_values = len(values)
    if n_values <= _MOST_COLOURED:
        return list(range(n_values))

    # nan comes last.
    is_number = ~np.isnan(values)
    n_numbers = np.count_nonzero(is_number)
    ascending = np.argsort(values, kind="stable")[:n_numbers]
    if n_numbers > _MOST_COLOURED:
        ascending = ascending[[0, 1, -2, -1]]

    looks: list[int | None] = [None] * n_values
    for look, place in enumerate(sorted(ascending)):
        looks[place] = look
    return looks


def draw_curves(ax: Any, curves: Sequence[Curve], markers: bool = True) -> list[Any]:
    """Draw curves: those with a look in colour, the others pale, behind them and named together.

    Parameters
    ----------
    ax : Axes
        The axes, beside which several curves are named.
    curves : sequence of Curve
        The curves.
    markers : bool, default=True
        Whether to mark the points, by another shape for each colour.

    Returns
    -------
    list of Line2D
        The lines, in the order of the curves.
    """
    lines = []
    line_by_name = {}
    for curve in curves:
        name = "others"
        colour = _PALE
        style: dict[str, Any] = {"linewidth": 1.0, "zorder": 1.5}

        if curve.look is not None:
            name = curve.name
            colour = COLOURS[curve.look % len(COLOURS)]
            style = {"linewidth": 1.7, "zorder": 2.5}
            if markers:
                style["marker"] = MARKERS[curve.look % len(MARKERS)]
                style["markersize"] = 4

        style["linestyle"] = curve.dashes
        (line,) = ax.plot(curve.x, curve.y, color=colour, **style)
        lines.append(line)
        line_by_name[name] = line

    if len(curves) > 1:
        # Pale lines come last.
        legend = sorted(
            line_by_name.items(), key=lambda entry: entry[1].get_color() == _PALE
        )
        ax.legend(
            [line for _, line in legend],
            shorten_apart([name for name, _ in legend], 36),
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
            fontsize=SMALL,
        )
    return lines
