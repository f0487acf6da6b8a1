"""The one door to matplotlib, which is optional."""

from __future__ import annotations

from typing import Any

__all__ = ["axes_or_new"]


def axes_or_new(ax: Any, owner: str) -> Any:
    """Return the axes given, or those of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{owner}.plot needs matplotlib: pip install matplotlib, or skgraded[plot]."
        ) from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax
