"""Helpers to present the results of studies: data frames, cells of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skgraded._optional import import_pandas

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame", "two_decimals"]


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    """Return a DataFrame of these columns."""
    frame_: pd.DataFrame = import_pandas().DataFrame(columns)
    return frame_


def two_decimals(value: float) -> str:
    """Write a correlation with two decimals, as the papers do."""
    return f"{value:.2f}"
