"""Helpers to present the results of studies: cells of tables."""

from __future__ import annotations

__all__ = ["two_decimals"]


def two_decimals(value: float) -> str:
    """Write a correlation with two decimals, as the papers do."""
    return f"{value:.2f}"
