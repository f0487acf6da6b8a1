"""Exact means, which are rounded once and do not depend on the order or grouping of the values.

A double is an integer multiple of 2^-1074, so sums of doubles are sums of integers. Partial sums
from any number of machines add up to the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeanSums"]

FloatArray = NDArray[np.float64]

_POINT = 1074  # number of binary places
_AT_A_TIME = 2**13  # the sum of this many digits of 39 bits stays below 2^53
_LARGEST_EXPONENT = 1000  # intermediate results of larger values could overflow


class MeanSums(NamedTuple):
    """The sums of a weighted mean, as integer multiples of 2^-1074.

    Attributes
    ----------
    values : int
        Sum of the products of values and weights.
    weights : int
        Sum of the weights.
    infinite : int
        Number of infinite values with a positive weight; the sum does not contain them.
    """

    values: int = 0
    weights: int = 0
    infinite: int = 0

    @classmethod
    def of(cls, values: FloatArray, weights: FloatArray | None) -> Self:
        """Sum values; nan is left out.

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
        counted = ~np.isnan(values)
        if not counted.all():
            values, weights = values[counted], None if weights is None else weights[counted]
        if weights is None:
            weights = np.ones(len(values))
        infinite = np.isinf(values)
        finite = np.where(infinite, 0.0, values)
        return cls(
            _exact_sum(finite * weights), _exact_sum(weights), int((infinite & (weights > 0)).sum())
        )

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
        """The mean, rounded once; nan if the weights add up to 0."""
        if not self.weights:
            return math.nan
        return math.inf if self.infinite else self.values / self.weights


def _exact_sum(values: FloatArray) -> int:
    slices = range(0, len(values), _AT_A_TIME)
    return sum(_sum_of_few(values[start : start + _AT_A_TIME]) for start in slices)


def _sum_of_few(values: FloatArray) -> int:
    """Split the values into digits of 39 bits, whose sums are exact in double precision."""
    total = 0
    while len(values) and (largest := float(max(values.max(), -values.min()))) > 0:
        _, exponent = math.frexp(largest)
        if exponent > _LARGEST_EXPONENT:
            return total + sum(map(_whole, values.tolist()))
        # Adding a number of this size rounds to a multiple of 2^(exponent - 39).
        size = math.ldexp(1.5, exponent + 13)
        digits = values + size
        digits -= size
        total += _whole(float(digits.sum()))
        values = values - digits
    return total


def _whole(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << _POINT) // denominator
