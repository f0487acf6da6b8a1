"""Shares that sum to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["rounded_shares"]


def rounded_shares(g: np.ndarray[Any, Any], digits: int) -> np.ndarray[Any, Any]:
    """Round so that the sum stays 1: the largest remainders are rounded up."""
    units = 10**digits
    scaled = g * units
    whole = np.floor(scaled)
    missing = round(units - whole.sum())
    largest = np.argsort(-(scaled - whole), kind="stable")[:missing]
    whole[largest] += 1
    rounded: np.ndarray[Any, Any] = whole / units
    return rounded
