"""The style of all pictures: axes, colours, titles that ask and answer, names of curves."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# Colours that colour-blind people can distinguish (Okabe and Ito), without the pale yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BETTER, WORSE = COLOURS[:2]
GREY, _PALE = "#767676", "#B8B8B8"
MARKERS = "os^Dv<>P"
SMALL = 8.0  # points, of labels
_QUESTION, _ANSWER = 10.5, 9.0
_CHARACTERS_AN_INCH = {_QUESTION: 11.0, _ANSWER: 14.5, SMALL: 15.5}
_LINE_HEIGHT = 1.3
_MOST_COLOURED = 5


class Curve(NamedTuple):
    """A line of a picture, and whether it stands out from the others."""

    name: str
    x: FloatArray
    y: FloatArray
    stands_out: bool = True
    dashes: str = "-"


def axes_or_new(
    ax: Any, owner: object, figsize: tuple[float, float] | None = None, n_columns: int = 1
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
    return plt.subplots(1, n_columns, layout="constrained", figsize=figsize)[1]


def plain(ax: Any, grid: str = "both") -> None:
    """Leave out the frame's upper and right sides, and draw a pale grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#E4E4E4", linewidth=0.8)
    ax.tick_params(labelsize=SMALL)


def _take_names_literally(ax: Any) -> None:
    """Draw dollar signs in names of systems as such, which Matplotlib reads as mathematics."""
    from matplotlib.text import Text

    powers = ax.get_xticklabels(which="both") if ax.get_xscale() == "log" else []
    for text in ax.findobj(Text):
        if text not in powers:
            text.set_parse_math(False)


def headline(ax: Any, question: str, answer: str = "", lift: float = 0.0) -> None:
    """Write the question of a picture above the axes, in bold, and the answer below it.

    Call it when all names are drawn: dollar signs in them and in the texts are none of mathematics.

    Parameters
    ----------
    ax : Axes
        The axes, with their ticks.
    question, answer : str
        The texts; long ones take several lines.
    lift : float, default=0.0
        Points to leave free above the axes.
    """
    question = textwrap.fill(question, _room(ax, _QUESTION))
    answer = textwrap.fill(answer, _room(ax, _ANSWER))
    n_lines = answer.count("\n") + 1 if answer else 0
    ax.set_title(
        question,
        loc="left",
        fontsize=_QUESTION,
        fontweight="bold",
        pad=7 + lift + n_lines * _LINE_HEIGHT * _ANSWER,
    )
    if answer:
        # The title keeps the room above the axes free; the layout need not know the answer's size.
        ax.annotate(
            answer,
            (0.0, 1.0),
            xycoords="axes fraction",
            xytext=(0, 5 + lift),
            textcoords="offset points",
            va="bottom",
            fontsize=_ANSWER,
            color="#404040",
            linespacing=_LINE_HEIGHT - 0.1,
            annotation_clip=False,
        ).set_in_layout(False)
    _take_names_literally(ax)


def _room(ax: Any, size: float) -> int:
    """Return how many characters fit above the axes, beside the names left of them."""
    names = [each.get_text() for each in ax.get_yticklabels()]
    names = [line for name in names for line in name.split("\n")]
    width: float = ax.figure.get_figwidth() * ax.get_position().width / 0.775
    beside = max(map(len, names), default=0) / _CHARACTERS_AN_INCH[SMALL] + 0.5
    return max(24, int((width - beside) * _CHARACTERS_AN_INCH[size]))


def standing_out(values: ArrayLike) -> NDArray[np.bool_]:
    """Tell which of many values stand out: the two largest and the two smallest; all of a few.

    Parameters
    ----------
    values : array-like of shape (n,)
        The values; those that are nan do not stand out among many.

    Returns
    -------
    ndarray of shape (n,), bool
        Whether each value stands out.
    """
    values = np.asarray(values, dtype=float)
    if len(values) <= _MOST_COLOURED:
        return np.ones(len(values), dtype=bool)
    order = np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    chosen = np.zeros(len(values), dtype=bool)
    chosen[order[[*range(2), *range(-2, 0)]] if len(order) > _MOST_COLOURED else order] = True
    return chosen


def draw_curves(ax: Any, curves: Sequence[Curve], markers: bool = True) -> list[Any]:
    """Draw curves: those that stand out in colour, the others pale and behind them.

    Parameters
    ----------
    ax : Axes
        The axes.
    curves : sequence of Curve
        The curves.
    markers : bool, default=True
        Whether to mark the points, by another shape for each colour.

    Returns
    -------
    list of Line2D
        The lines, in the order of the curves.
    """
    lines, number = [], 0
    for curve in curves:
        look: dict[str, Any] = {"color": _PALE, "linewidth": 1.0, "zorder": 1.5}
        if curve.stands_out:
            look = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.7, "zorder": 2.5}
            if markers:
                look |= {"marker": MARKERS[number % len(MARKERS)], "markersize": 4}
            number += 1
        lines += ax.plot(curve.x, curve.y, label=curve.name, linestyle=curve.dashes, **look)
    return lines


def name_curves(ax: Any, lines: Sequence[Any], curves: Sequence[Curve]) -> None:
    """Name the curves that stand out beside the axes, and the others together."""
    drawn = sorted(zip(curves, lines, strict=True), key=lambda each: not each[0].stands_out)
    named = {curve.name if curve.stands_out else "others": line for curve, line in drawn}
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False}
    ax.legend(named.values(), named.keys(), fontsize=SMALL, **beside)
