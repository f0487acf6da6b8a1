"""Users with a name: distributions g of their thresholds that are known without data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

UserName = Literal[
    "uniform",
    "linear",
    "browser",
    "easygoing",
    "even",
    "demanding",
    "exponential",
    "perfectionist",
]

FloatArray = NDArray[np.float64]

# What g is proportional to, from the grades 1..c and c.
_MASSES: dict[str, Callable[[FloatArray, int], NDArray[np.generic]]] = {
    "uniform": lambda grade, top: np.ones(top),
    "linear": lambda grade, top: grade,
    "browser": lambda grade, top: grade == 1,
    "easygoing": lambda grade, top: top + 1 - grade,
    "even": lambda grade, top: np.ones(top),
    "demanding": lambda grade, top: grade,
    "exponential": lambda grade, top: 2.0 ** (grade - top),
    "perfectionist": lambda grade, top: grade == top,
}


def g_of(name: str, top_grade: int) -> FloatArray:
    """Return the probabilities of the thresholds 1..top_grade of users with a name."""
    mass: FloatArray = _MASSES[name](np.arange(1.0, top_grade + 1), top_grade).astype(np.float64)
    g: FloatArray = mass / mass.sum()
    return g
