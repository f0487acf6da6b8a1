"""Exact means, which are rounded once and do not depend on the order or grouping of the values.

A double is an integer multiple of 2^-1074, so sums of doubles are sums of integers. Partial sums
from any number of machines add up to the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from skgraded import _core
from skgraded._support.array_types import FloatArray

_NO_WEIGHTS = np.zeros(0)


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
        sums = _core.sum_exactly(values=_doubles(values), weights=_doubles(weights))
        return cls(*sums)

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
        return MeanSums(
            values=self.values + other.values,
            weights=self.weights + other.weights,
            infinite=self.infinite + other.infinite,
        )

    @property
    def mean(self) -> float:
        """The mean, rounded once; nan if the weights add up to 0."""
        if not self.weights:
            return math.nan
        if self.infinite:
            return math.inf
        return self.values / self.weights


def exact_means(
    values: FloatArray, weights: FloatArray | None, n_before: int = 1, n_after: int = 1
) -> list[list[float]]:
    """Return the means over queries, each of which is the mean of its `MeanSums`.

    Parameters
    ----------
    values : ndarray of shape ([...,] n_queries[, ...])
        The values; nan is left out.
    weights : ndarray of shape (n_queries,) or None
        Their weights.
    n_before, n_after : int, default=1
        Numbers of values before and behind the axis of queries.

    Returns
    -------
    list of list of float
        The means by what is before this axis, and what is behind it; nan where the weights add
        up to 0.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded._support.exact_mean import exact_means
    >>> exact_means(np.array([[0.5, 0.0], [1.0, 0.5]]), None, n_after=2)
    [[0.75, 0.25]]
    """
    return _core.exact_means(
        values=_doubles(values),
        weights=_doubles(weights),
        n_before=n_before,
        n_after=n_after,
    )


def _doubles(values: FloatArray | None) -> FloatArray:
    if values is None:
        return _NO_WEIGHTS
    return np.ascontiguousarray(values, dtype=np.float64)
