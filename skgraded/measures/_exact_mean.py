"""Means that are exact: rounded once, whatever the order or the grouping of the values.

A double is a whole number of 2^-1074, so sums of doubles are sums of whole numbers. They can be
taken in parts, on any number of machines, and come to the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

__all__ = ["MeanSums"]

FloatArray = NDArray[np.float64]

_NO_WEIGHTS = np.zeros(0)


class MeanSums(NamedTuple):
    """What a weighted mean is made of, in whole numbers of 2^-1074.

    Attributes
    ----------
    values : int
        Sum of the values, each times its weight.
    weights : int
        Sum of the weights.
    infinite : int
        How many values with a weight are infinite; they are not in the sum.
    """

    values: int = 0
    weights: int = 0
    infinite: int = 0

    @classmethod
    def of(cls, values: FloatArray, weights: FloatArray | None) -> Self:
        """Sum up values; nan is left out.

        Parameters
        ----------
        values : ndarray of shape (n_queries,)
            The values.
        weights : ndarray of shape (n_queries,) or None
            Their weights.

        Returns
        -------
        MeanSums
            The sums.
        """
        total, of_weights, infinite = _core.sum_exactly(
            np.ascontiguousarray(values, dtype=np.float64),
            _NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        )
        return cls(_whole(total), _whole(of_weights), infinite)

    def joined(self, other: MeanSums) -> MeanSums:
        """Add other sums.

        Parameters
        ----------
        other : MeanSums
            Sums over other values.

        Returns
        -------
        MeanSums
            The sums over all.
        """
        return MeanSums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def mean(self) -> float:
        """The mean, rounded once; nan where nothing has a weight."""
        if not self.weights:
            return math.nan
        return math.inf if self.infinite else self.values / self.weights


def _whole(number: bytes) -> int:
    return int.from_bytes(number, "little", signed=True)
