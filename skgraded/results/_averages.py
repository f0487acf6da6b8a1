"""Averages of values over queries: the arithmetic and the geometric mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _params

__all__ = ["AVERAGES", "LEAST", "Average", "average_of"]

FloatArray = NDArray[np.float64]

AVERAGES = ("arithmetic", "geometric")

# What smaller values count as in a geometric mean of trec_eval, which a 0 would make 0.
LEAST = 1e-5


class Average(NamedTuple):
    """A mean as the arithmetic mean on another scale.

    Attributes
    ----------
    onto : callable
        From values to the scale on which they are averaged.
    back : callable
        From a mean on that scale to one of values.
    """

    onto: Callable[[FloatArray], FloatArray]
    back: Callable[[Any], Any]


_ARITHMETIC = Average(lambda values: values, lambda mean: mean)


def average_of(average: Any, floor: Any) -> Average:
    """Return the average of a name; raise a ValueError that names the argument."""
    _params.choice("average", average, AVERAGES)
    least = _params.number("floor", floor, above=0)
    if average == "arithmetic":
        return _ARITHMETIC
    # maximum() leaves nan as it is, which means no value.
    return Average(lambda values: np.log(np.maximum(values, least)), np.exp)
