"""Measures with a given distribution g of thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._params import integer
from skgraded._stats.shares import rounded_shares
from skgraded.measures import GAP, eGAP, xGAP

__all__ = ["measure_with"]

_KINDS: dict[type, str] = {GAP: "GAP", xGAP: "xGAP", eGAP: "eGAP"}


def measure_with(g: ArrayLike, kind: Any, digits: int | None, fields: dict[str, Any]) -> Any:
    """Return the measure of a class with this g, which is rounded where digits are given."""
    if kind not in _KINDS:
        names = ", ".join(_KINDS.values())
        raise ValueError(f"kind must be one of the classes {names}, got {kind!r}.")
    probabilities = np.asarray(g, dtype=np.float64)
    if digits is not None:
        probabilities = rounded_shares(probabilities, integer("digits", digits, 1))
    return kind(g=tuple(probabilities.tolist()), **fields)
