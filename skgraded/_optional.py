"""The doors to pandas and matplotlib, which are optional."""

from __future__ import annotations

from typing import Any

__all__ = ["axes_or_new", "import_pandas"]


def import_pandas(
    otherwise: str = "the arrays of the result", *, needed_by: str = "to_frame"
) -> Any:
    """Import pandas, or say how to get it and what to use without it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"{needed_by} needs pandas: pip install pandas, or use {otherwise}."
        ) from error
    return pd


def axes_or_new(ax: Any, owner: object, figsize: tuple[float, float] | None = None) -> Any:
    """Return the axes given, or those of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(owner).__name__}.plot needs matplotlib: pip install matplotlib, or "
            "skgraded[plot]."
        ) from error
    return plt.subplots(layout="constrained", figsize=figsize)[1] if ax is None else ax
