"""What n units cannot show: the tail of a mean to which a unit at the end of the range is added.

Weights of the units that were seen are exponential, and that of the unseen one is gamma(h). The
tail at mu is the probability that the weighted mean is below mu (Gaffke 2005; Learned-Miller and
Thomas 2019, with h = 1). Of units that are all alike it is that of Clopper and Pearson (1934). The
probability that a sum of c_i E_i is below 0 is that of the saddlepoint (Lugannani and Rice 1980),
in Barndorff-Nielsen's form (1986): the normal tail at r + log(u / r) / r.

Arrays of units are of shape (n_units, k).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from skgraded._support.array_types import FloatArray

_ROUNDING = 1e-12
_TINY = 1e-300
_ENOUGH = (
    1e-6  # of the distance from the mean: the last step of a secant errs by far less
)
_HALF_OF_THE_DIGITS = 1e-6
_CELLS_IN_CACHE = 30_000  # of a few arrays, of units and means
_MIDDLE = 1e-4  # of r, where u and r agree in so many digits that their ratio has few
_STEPS = 60  # of secants and Newton's; halvings take as many as doubles have digits


class Unseen:
    """The lower tails of k means; for the upper ones all signs are swapped.

    Parameters
    ----------
    values : ndarray of shape (n_units, k)
        Mean of each unit.
    sizes : ndarray of shape (n_units,)
        Their weights, 1 on the average.
    end : float or ndarray of shape (k,)
        The least value that a unit can have.
    least_weight : float
        Least weight h of the unseen unit. It is 1 / (1 + m) where m units are below the median:
        who has seen m low ones knows how low they are.
    """

    def __init__(
        self,
        values: FloatArray,
        sizes: FloatArray,
        end: FloatArray | float,
        least_weight: float,
    ) -> None:
        # A mean of values at the end is there but for rounding.
        values = np.where(np.abs(values - end) <= _ROUNDING * np.abs(end), end, values)
        middle = np.median(values, axis=0)
        n_below = (values < middle - _ROUNDING * np.abs(middle)).sum(axis=0)
        weight = np.maximum(1.0 / (1.0 + n_below), least_weight)
        self.end: FloatArray = np.minimum(values.min(axis=0), end)
        self._mean = sizes @ values / sizes.sum()
        self._values = np.vstack([values, self.end])
        self._sizes = np.append(sizes, 1.0)[:, None]
        self._shapes = np.vstack([np.ones_like(values), weight])

    def lower(self, tail: float, most: FloatArray | float = np.inf) -> FloatArray:
        """Return the mu of which the tail is so large, shape (k,), or the most where that is less.

        It is sought by secants below the most.
        """
        found = np.minimum(most, self._mean)
        columns = np.flatnonzero(found > self.end)
        at_a_time = max(1, _CELLS_IN_CACHE // len(self._values))
        for first in range(0, len(columns), at_a_time):
            some = columns[first : first + at_a_time]
            found[some] = self._lower(ndtri(tail), some, found[some])
        return found

    def _lower(
        self, target: float, columns: NDArray[np.intp], most: FloatArray
    ) -> FloatArray:
        end = self.end[columns]
        mean = self._mean[columns]
        found = most.copy()
        left = np.arange(len(columns))
        low = end
        high = most
        mu = np.where(most < mean, most, mean - (mean - end) / len(self._values))
        # The quantile of the mean is about 0.
        before = mean
        last = np.zeros(len(left))
        theta = np.zeros(len(left))
        for _ in range(_STEPS):
            quantile, theta = self._quantile(mu, columns[left], theta)
            is_found = (quantile <= target) & (mu == most[left])
            low = np.where(quantile < target, mu, low)
            high = np.where(quantile < target, high, mu)
            slope = (quantile - last) / (mu - before)
            step = mu + (target - quantile) / np.maximum(slope, _TINY)
            step = np.where((step > low) & (step < high), step, (low + high) / 2.0)
            step = np.where(is_found, mu, step)
            found[left] = step
            moves = np.abs(step - mu) > _ENOUGH * (mean[left] - step)
            if not moves.any():
                break
            before = mu[moves]
            last = quantile[moves]
            left, low, high, mu, theta = (
                each[moves] for each in (left, low, high, step, theta)
            )
        return found

    def _quantile(
        self, mu: FloatArray, columns: NDArray[np.intp], theta: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the normal quantile of the tails, and the saddlepoint."""
        sizes = self._sizes
        shapes = self._shapes[:, columns]
        c = sizes * (self._values[:, columns] - mu)
        theta = _saddlepoints(c, shapes, theta)
        left = 1.0 / (1.0 - theta * c)
        exponent = np.maximum(-(shapes * np.log(left)).sum(axis=0), 0.0)
        r = np.sign(theta) * np.sqrt(2.0 * exponent)
        spread = np.sqrt((shapes * (c * left) ** 2).sum(axis=0))
        is_middle = np.abs(r) < _MIDDLE
        r_or_1 = np.where(is_middle, 1.0, r)
        ratio = np.where(is_middle, 1.0, theta * spread / r_or_1)
        limit = (shapes * (c * left) ** 3).sum(axis=0) / (3.0 * spread**3)
        correction = np.where(is_middle, limit, np.log(ratio) / r_or_1)
        return r + correction, theta


def _saddlepoints(c: FloatArray, shapes: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the theta of each column at which sum(shapes * c / (1 - theta c)) is 0, from near it.

    The exponent is flat there, so that half of the digits are enough. Beside a pole Newton's steps
    are as short as the way to the pole, and tell nothing.
    """
    low = 1.0 / np.minimum(c.min(axis=0), -_TINY)
    high = 1.0 / np.maximum(c.max(axis=0), _TINY)
    poles = np.stack([low, high])
    theta = np.where((theta > low) & (theta < high), theta, 0.0)
    for _ in range(_STEPS):
        terms = c / (1.0 - theta * c)
        weighted = shapes * terms
        slope = weighted.sum(axis=0)
        low = np.where(slope <= 0.0, theta, low)
        high = np.where(slope > 0.0, theta, high)
        step = theta - slope / (weighted * terms).sum(axis=0)
        step = np.where((step > low) & (step < high), step, (low + high) / 2.0)
        near = np.minimum(np.abs(step), np.abs(poles - step).min(axis=0))
        is_found = np.abs(step - theta) <= _HALF_OF_THE_DIGITS * near
        theta = step
        if is_found.all():
            break
    return theta
