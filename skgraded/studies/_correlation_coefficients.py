"""Coefficients of the agreement of two lists of values: Kendall's tau, tau_AP, Pearson, RMSE."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.arguments import flag

FloatArray = NDArray[np.float64]

_FEWEST_SYSTEMS = 2


def kendall_tau(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Kendall's rank correlation tau-b of two lists of values of the same systems.

    It is the number of pairs of systems in the same order, minus that of pairs in the opposite
    order, divided by the geometric mean of the numbers of untied pairs in the two lists.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        From -1 to 1; nan if all systems are tied in a list.

    References
    ----------
    .. [1] M. G. Kendall (1948), "Rank Correlation Methods".

    Examples
    --------
    >>> from skgraded.studies import kendall_tau
    >>> round(kendall_tau([0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.1, 0.2]), 4)
    0.6667
    """
    from scipy.stats import kendalltau  # scipy.stats takes most of a second to import

    first, second = _check_pair(reference, estimate)
    if _all_equal(first) or _all_equal(second):
        return float("nan")
    return float(kendalltau(first, second).statistic)


def tau_ap(reference: ArrayLike, estimate: ArrayLike, *, symmetric: bool = False) -> float:
    r"""AP correlation: a rank correlation that puts more weight on the top of the list.

    .. math::

        \tau_{ap} = \frac{2}{N - 1} \sum_{i=2}^{N} \frac{C(i)}{i - 1} - 1

    where N is the number of systems, and C(i) the number of systems above rank i of the estimated
    order that the reference also puts above the system at rank i. If values of the estimate are
    tied, the mean over all orders of the tied systems is taken. A pair that is tied in the
    reference counts one half, so that a list with ties does not reach 1 even against itself.

    Parameters
    ----------
    reference : array-like of shape (n_systems,)
        Values of the systems that define the true order.
    estimate : array-like of shape (n_systems,)
        Values of the systems that define the estimated order.
    symmetric : bool, default=False
        Whether to return the mean of both directions, since the coefficient is not symmetric.

    Returns
    -------
    float
        From -1 to 1.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson (2008), "A New Rank Correlation Coefficient for
       Information Retrieval", Equation 4.

    Examples
    --------
    >>> from skgraded.studies import tau_ap
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4)  # wrong at the top
    0.3333
    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)  # wrong at the bottom
    0.7778
    """
    flag("symmetric", symmetric)
    first, second = _check_pair(reference, estimate)
    if np.isnan(first).any() or np.isnan(second).any():
        return float("nan")
    one_way = _tau_ap(first, second)
    return 0.5 * (one_way + _tau_ap(second, first)) if symmetric else one_way


def _tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    n = len(reference)
    best_first = np.argsort(-estimate, kind="stable")
    reference, estimate = reference[best_first], estimate[best_first]
    above = estimate[:, None] < estimate  # [i, j]: j is above i in the estimated order
    agreement = 0.5 * (1.0 + np.sign(reference - reference[:, None]))  # 1/2 where tied
    starts = np.flatnonzero(np.concatenate(([True], estimate[1:] != estimate[:-1])))
    sizes = np.diff(np.append(starts, n))
    correct = np.where(above, agreement, 0.0).sum(axis=1)
    # Over all orders of a tied block, each of its systems takes each place equally often, and any
    # two of its systems stand in either order equally often.
    block_mean = np.repeat(np.add.reduceat(correct, starts) / sizes, sizes)
    within = 0.5 * (np.arange(n) - np.repeat(starts, sizes))
    share = (block_mean + within)[1:] / np.arange(1, n)
    return float(2.0 * share.sum() / (n - 1) - 1.0)


def pearson(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Linear correlation of two lists of values of the same systems.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        From -1 to 1; nan if all systems are equal in a list.

    Examples
    --------
    >>> from skgraded.studies import pearson
    >>> pearson([0.1, 0.2, 0.3], [0.2, 0.4, 0.6])
    1.0
    """
    first, second = _check_pair(reference, estimate)
    if _all_equal(first) or _all_equal(second):
        return float("nan")
    first, second = first - first.mean(), second - second.mean()
    scale = np.sqrt((first**2).sum() * (second**2).sum())
    return float(np.clip((first * second).sum() / scale, -1.0, 1.0))


def rms_error(reference: ArrayLike, estimate: ArrayLike) -> float:
    """Root mean squared difference of two lists of values of the same systems.

    Parameters
    ----------
    reference, estimate : array-like of shape (n_systems,)
        A value for each system.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> from skgraded.studies import rms_error
    >>> round(rms_error([0.1, 0.2], [0.2, 0.3]), 4)
    0.1
    """
    first, second = _check_pair(reference, estimate)
    return float(np.sqrt(np.mean((first - second) ** 2)))


def _check_pair(reference: ArrayLike, estimate: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first = np.asarray(reference, dtype=np.float64)
    second = np.asarray(estimate, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            "reference and estimate must each hold one value per system, got shapes "
            f"{first.shape} and {second.shape}."
        )
    if len(first) < _FEWEST_SYSTEMS:
        raise ValueError(f"reference must hold at least 2 systems, got {len(first)}.")
    return first, second


def _all_equal(values: FloatArray) -> bool:
    return bool((values == values[0]).all())
