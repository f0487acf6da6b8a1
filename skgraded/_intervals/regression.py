"""Means of labels that few queries have, along their line on values that all queries have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded._intervals.estimate import Bounds, Estimate, Part, shares_of_rows
from skgraded._intervals.tail import quotients
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
    weights: FloatArray | None = None,
    of_these: bool = False,
    bounds: Bounds | None = None,
) -> Regression:
    r"""Estimate means over all queries, or over more like them.

    With labels y of n queries, judged values x of N, and b the slope of least squares, the mean is
    y_n + b (x_N - x_n). Its variance for these N queries is

        s^2 (1/n - 1/N + (x_N - x_n)^2 / S_xx),

    and for more like them s^2 (1/n + (x_N - x_n)^2 / S_xx) + b^2 s_x^2 / N, where s^2 is that of
    the residuals with n - 2 degrees of freedom, S_xx the sum of squares of x around x_n, and s_x^2
    the variance of x over the N queries (Cochran 1977, Sections 7.3 and 12.6). With weights, all
    means and sums are weighted, n and N in 1/n and 1/N are Kish's, and residuals count by the
    squares of their shares in the mean.

    Parameters
    ----------
    labels : ndarray of shape (n, k)
        Values by the labels, n >= 3.
    judged : ndarray of shape (N, k)
        Judged values of all queries.
    places : ndarray of shape (n,), int64
        The place of each labelled query among all of them.
    weights : ndarray of shape (N,), optional
        Weights of all queries.
    of_these : bool
        Whether the means are those of these N queries.
    bounds : (float, float), optional
        The least and the largest value that a label can have. The mean of these N queries has at
        its ends those that are not labelled.
    """
    n = len(labels)
    n_all = len(judged)
    all_shares = shares_of_rows(weights, n_all)[:, None]
    weights_of_labels = None if weights is None else weights[places]
    shares = shares_of_rows(weights_of_labels, n)[:, None]

    x = centred(judged[places], shares)
    s_xx = (shares * x**2).sum(axis=0)
    per_xx = quotients(np.ones_like(s_xx), s_xx)
    y = centred(labels, shares)
    slope = (shares * x * y).sum(axis=0) * per_xx
    residuals = without_rounding(y - slope * x, labels)

    mean_of_judge = (all_shares * judged).sum(axis=0)
    mean_of_labelled = (shares * judged[places]).sum(axis=0)
    away = mean_of_judge - mean_of_labelled

    # What each label puts into the mean; the line is far from sure where the mean is far away.
    share_in_mean = shares * (1.0 + away * per_xx * x)
    n_by_weight = 1.0 / float((shares**2).sum())
    freedom = np.maximum(n_by_weight - 1.0 - (s_xx > 0.0), 1.0)
    mean_square = _mean_square(residuals, share_in_mean, weights)
    unexplained = mean_square * n_by_weight / freedom

    # Of these queries, only those that are not labelled are unknown.
    squares_of_all = float((all_shares**2).sum())
    remaining = (share_in_mean**2).sum(axis=0) - of_these * squares_of_all
    remaining[remaining <= _ROUNDING / n] = 0.0  # nothing is left if all are labelled
    influence = _with_variance(residuals * share_in_mean, unexplained * remaining)

    of_judge = slope**2 * _variance_of_mean(judged - mean_of_judge, all_shares)
    if of_these and bounds is not None:
        bounds = _with_labels(bounds, labels, all_shares[places])
    estimate = Estimate(
        (shares * labels).sum(axis=0) + slope * away,
        influence,
        weights=weights_of_labels,
        part=None if of_these else Part(of_judge, n_all - 1.0, shrinks=True),
        bounds=bounds,
        freedom=freedom,
    )
    variance_of_judge = of_judge / squares_of_all
    return Regression(estimate, slope, unexplained + variance_of_judge)


def _mean_square(
    residuals: FloatArray, share_in_mean: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Return mean squares of residuals; with weights, they count as they move the mean."""
    squared_share = share_in_mean**2
    relative = squared_share / squared_share.sum(axis=0)
    if weights is None:
        relative = np.full_like(residuals, 1.0 / len(residuals))
    mean_square: FloatArray = (residuals**2 * relative).sum(axis=0)
    return mean_square


def _variance_of_mean(deviations: FloatArray, shares: FloatArray) -> FloatArray:
    n = len(deviations)
    moves = shares * deviations
    sum_of_squares: FloatArray = (moves**2).sum(axis=0)
    return sum_of_squares * n / (n - 1)


def _with_labels(bounds: Bounds, labels: FloatArray, shares: FloatArray) -> Bounds:
    """Return the bounds of means of which labelled queries have these shares."""
    labelled_sum = (shares * labels).sum(axis=0)
    unlabelled = 1.0 - float(shares.sum())
    low, high = bounds
    return labelled_sum + unlabelled * low, labelled_sum + unlabelled * high


def _with_variance(influence: FloatArray, variance: FloatArray) -> FloatArray:
    """Return influences around 0 in these proportions, whose variance is that."""
    influence = influence - influence.mean(axis=0)
    n = len(influence)
    squares = (influence**2).sum(axis=0)
    ratio = quotients(variance, squares * n / (n - 1))
    factor = np.sqrt(ratio)
    scaled: FloatArray = influence * factor
    return scaled


def centred(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Subtract the weighted mean of each column."""
    mean = (shares * values).sum(axis=0)
    return without_rounding(values - mean, values)


def without_rounding(small: FloatArray, values: FloatArray) -> FloatArray:
    """Set numbers to 0 that only rounding of the values leaves."""
    bound = _ROUNDING * np.abs(values).max(axis=0)
    return np.where(np.abs(small) <= bound, 0.0, small)
