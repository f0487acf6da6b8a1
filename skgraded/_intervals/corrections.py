"""Corrections of p-values for their number, and the table of them.

A new correction is a function and its entry in `CORRECTIONS`: comparisons, studies and the command
line read the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Correction(NamedTuple):
    """A correction of p-values for their number.

    Attributes
    ----------
    title : str
        Its name in sentences.
    function : callable
        Takes p-values of shape (n,) and returns the corrected ones.
    """

    title: str
    function: Callable[[FloatArray], FloatArray]


def holm(p_values: FloatArray) -> FloatArray:
    """Correct by Holm's step-down procedure, which bounds the chance of any false discovery."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    corrected = np.empty(n)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Correct by Benjamini and Hochberg's procedure, which bounds the false discovery rate."""
    from scipy.stats import false_discovery_control

    corrected: FloatArray = false_discovery_control(p_values, method="bh")
    return corrected


CORRECTIONS = {
    "holm": Correction("Holm's correction", holm),
    "bh": Correction("Benjamini and Hochberg's correction", benjamini_hochberg),
    "none": Correction("without correction", np.asarray),
}


def level_of(confidence: float) -> float:
    """Return the level of significance, 1 - confidence, without the subtraction's rounding error.

    1 - .95 is larger than .05, so that a p-value of .05 would be significant at 95 %.
    """
    return round(1.0 - confidence, 12)
