"""Means of labels that few queries have, along their line on values that all queries have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded._intervals.estimate import Bounds, Estimate, Part
from skgraded._support.array_types import FloatArray, IntArray

_ROUNDING = 1e-12


class Regression(NamedTuple):
    """Estimates of means, and what they are made of; arrays have shape (k,).

    Attributes
    ----------
    estimate : Estimate
        The means: that of the labels + slope * (mean of all judged values - mean of those of the
        labelled queries).
    slope : ndarray
        Slope of the labels on the judged values; 0 where these do not vary.
    variance : ndarray
        Variance of a label by the line: that of the residuals, and that of all judged values times
        the squared slope.
    """

    estimate: Estimate
    slope: FloatArray
    variance: FloatArray


def regression(
    labels: FloatArray,
    judged: FloatArray,
    places: IntArray,
    *,
    of_these: bool = False,
    bounds: Bounds | None = None,
) -> Regression:
    r"""Estimate means over all queries, or over more like them.

    With labels y of n queries, judged values x of N, and b the slope of least squares, the mean is
    y_n + b (x_N - x_n). Its variance for these N queries is

        s^2 (1/n - 1/N + (x_N - x_n)^2 / S_xx),

    and for more like them s^2 (1/n + (x_N - x_n)^2 / S_xx) + b^2 s_x^2 / N, where s^2 is that of
    the residuals with n - 2 degrees of freedom, S_xx the sum of squares of x around x_n, and s_x^2
    the variance of x over the N queries (Cochran 1977, Sections 7.3 and 12.6).

    Parameters
    ----------
    labels : ndarray of shape (n, k)
        Values by the labels, n >= 3.
    judged : ndarray of shape (N, k)
        Judged values of all queries.
    places : ndarray of shape (n,), int64
        The place of each labelled query among all of them.
    of_these : bool
        Whether the means are those of these N queries.
    bounds : (float, float), optional
        The least and the largest value that a label can have. The mean of these N queries has at
        its ends those that are not labelled.
    """
    n = len(labels)
    n_all = len(judged)
    y = centred(labels)
    x = centred(judged[places])
    s_xx = (x**2).sum(axis=0)
    per_xx = np.divide(1.0, s_xx, out=np.zeros_like(s_xx), where=s_xx > 0.0)
    slope = (x * y).sum(axis=0) * per_xx
    residuals = without_rounding(y - slope * x, labels)
    freedom = n - 1.0 - (s_xx > 0.0)
    unexplained = (residuals**2).sum(axis=0) / freedom
    away = judged.mean(axis=0) - judged[places].mean(axis=0)
    share = 1.0 / n + away * per_xx * x
    left = (share**2).sum(axis=0) - of_these / n_all
    variance = unexplained * np.where(
        left > _ROUNDING / n, left, 0.0
    )  # none if all are labelled
    of_judge = slope**2 * judged.var(axis=0, ddof=1) / n_all
    if of_these and bounds is not None:
        low, high = ((labels.sum(axis=0) + (n_all - n) * end) / n_all for end in bounds)
        bounds = (low, high)
    estimate = Estimate(
        labels.mean(axis=0) + slope * away,
        _moves_with(residuals * share, variance),
        part=None if of_these else Part(of_judge, n_all - 1.0),
        bounds=bounds,
        freedom=freedom,
    )
    return Regression(estimate, slope, unexplained + n_all * of_judge)


def _moves_with(moves: FloatArray, variance: FloatArray) -> FloatArray:
    """Return moves around 0 in these proportions, whose variance is that."""
    moves, n = moves - moves.mean(axis=0), len(moves)
    squares = (moves**2).sum(axis=0) * n / (n - 1)
    factor = np.divide(variance, squares, out=np.zeros_like(squares), where=squares > 0)
    found: FloatArray = moves * np.sqrt(factor)
    return found


def centred(values: FloatArray) -> FloatArray:
    """Subtract the mean of each column."""
    return without_rounding(values - values.mean(axis=0), values)


def without_rounding(small: FloatArray, values: FloatArray) -> FloatArray:
    """Set numbers to 0 that only rounding of the values leaves."""
    bound = _ROUNDING * np.abs(values).max(axis=0)
    return np.where(np.abs(small) <= bound, 0.0, small)
