"""Imports of pandas and matplotlib, which are optional, with helpful errors."""

from __future__ import annotations

from typing import Any


def import_pandas(
    otherwise: str = "the arrays of the result", *, needed_by: str = "to_frame"
) -> Any:
    """Import pandas; the error says how to install it and what to use instead."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"{needed_by} needs pandas: pip install pandas, or use {otherwise} instead."
        ) from error
    return pd


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
