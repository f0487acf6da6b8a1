"""Measures with a given distribution g of thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._params import integer
from skgraded.measures import GAP, eGAP, xGAP

_KINDS: dict[type, str] = {GAP: "GAP", xGAP: "xGAP", eGAP: "eGAP"}


def measure_with(g: ArrayLike, kind: Any, digits: int | None, fields: dict[str, Any]) -> Any:
    """Return the measure of a class with this g, which is rounded where digits are given."""
    if kind not in _KINDS:
        names = ", ".join(_KINDS.values())
        raise ValueError(f"kind must be one of the classes {names}, got {kind!r}.")
    probabilities = np.asarray(g, dtype=np.float64)
    if digits is not None:
        probabilities = _rounded(probabilities, integer("digits", digits, 1))
    return kind(g=tuple(probabilities.tolist()), **fields)


def _rounded(g: np.ndarray[Any, Any], digits: int) -> np.ndarray[Any, Any]:
    """Round so that the sum stays 1: the largest remainders are rounded up."""
    units = 10**digits
    scaled = g * units
    whole = np.floor(scaled)
    missing = round(units - whole.sum())
    largest = np.argsort(-(scaled - whole), kind="stable")[:missing]
    whole[largest] += 1
    rounded: np.ndarray[Any, Any] = whole / units
    return rounded
