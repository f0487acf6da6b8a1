"""Helpers to present the results of studies: data frames, styles of curves, cells of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skgraded._optional import import_pandas

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame", "style_of", "two_decimals"]

# Colours that colour-blind people can distinguish (Okabe and Ito), and shapes in addition.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A900")
_MARKERS = "os^Dv<>Pp*hX"
_DASHES = ("-", "--", ":", "-.")


def style_of(number: int) -> dict[str, Any]:
    """Return the colour, marker and dashes of a curve, by its number."""
    return {
        "color": _COLOURS[number % len(_COLOURS)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _DASHES[number // len(_COLOURS) % len(_DASHES)],
        "markersize": 4,
    }


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    """Return a DataFrame of these columns."""
    frame_: pd.DataFrame = import_pandas().DataFrame(columns)
    return frame_


def two_decimals(value: float) -> str:
    """Write a correlation with two decimals, as the papers do."""
    return f"{value:.2f}"
