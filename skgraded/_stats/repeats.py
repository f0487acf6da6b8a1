"""Means over queries that were tested in several repeats, with the variation over both.

Differences are an array of shape (n_pairs, n_repeats, n_queries): a query's difference between two
rankers in one repeat of a cross-validation or of a training. It is nan where a repeat did not test
a query.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.clustered import sums_by_cluster

__all__ = ["RepeatedMeans", "note_on_few_repeats", "repeated_interval"]

FloatArray = NDArray[np.float64]

_FEWEST_QUERIES = 2
_ENOUGH_REPEATS = 5
# Eigenvalues below this share of the number of values count as 0.
_ROUNDING = 1e-9


class RepeatedMeans(NamedTuple):
    """Mean differences with their intervals and p-values, each of shape (n_pairs,).

    Attributes
    ----------
    mean : ndarray of shape (n_pairs,)
        Mean difference; every query counts once, by its mean over the repeats that tested it.
    low, high : ndarray of shape (n_pairs,)
        Ends of its confidence interval.
    p_value : ndarray of shape (n_pairs,)
        Two-sided p-value of no difference; 1 for a pair that never differs.
    standard_error : ndarray of shape (n_pairs,)
        Standard error of the mean difference.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    standard_error: FloatArray


def repeated_interval(
    differences: FloatArray,
    confidence: float = 0.95,
    *,
    training_correlation: float = 0.5,
    clusters: NDArray[np.int64] | None = None,
) -> RepeatedMeans:
    """Return mean differences whose intervals carry the variation over queries and repeats.

    Queries and repeats are crossed random effects [1]_. The variance of the mean is

        var(query means) / n_queries + var(repeats) * (1 / n_repeats + rho / (1 - rho)),

    where var(repeats) is that of the repeats' means and rho is the correlation of repeats whose
    training data overlap [2]_. Student's t has Satterthwaite's degrees of freedom [3]_. With a
    single repeat this is Student's t test over queries, which holds for the models that were
    trained in it. Repeats that have no query in common cannot be told from a single one.

    Few repeats tell little about how much repeats vary. p < .05 is not more frequent for that, but
    the width of the interval depends on chance. Where repeats vary most in
    ``benchmarks/interval_coverage.py``, 90 % of the widths are between .45 and 11 times the median
    width of ten repeats with two repeats, .5 and 3.4 times with three, .55 and 2.4 times with four,
    .6 and 2 times with five, and .7 and 1.4 times with ten.

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_repeats, n_queries)
        The differences; nan where a repeat did not test a query. A query that no repeat tested is
        left out.
    confidence : float, default=0.95
        Confidence of the intervals.
    training_correlation : float, default=0.5
        The correlation rho, from 0 to less than 1. 0 is for repeats that are independent, such as
        those trained on data of their own; 0.5 was chosen by simulation for cross-validations of
        one data set (``benchmarks/interval_coverage.py``).
    clusters : ndarray of shape (n_queries,), int64, optional
        The cluster of each query; by default each query is one of its own.

    Returns
    -------
    RepeatedMeans
        Mean, ends of the interval, p-value and standard error of each pair.

    Raises
    ------
    ValueError
        If the array is not of three dimensions, or a pair has fewer than two queries.

    References
    ----------
    .. [1] A. Owen (2007), "The Pigeonhole Bootstrap", Annals of Applied Statistics 1(2).
    .. [2] C. Nadeau, Y. Bengio (2003), "Inference for the Generalization Error", Machine Learning
       52(3).
    .. [3] F. Satterthwaite (1946), "An Approximate Distribution of Estimates of Variance
       Components", Biometrics Bulletin 2(6).
    """
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    mean, variance, freedom = _means_and_variances(
        _checked(differences), training_correlation, clusters
    )
    error = np.sqrt(variance)
    reach = students_t.ppf((1.0 + confidence) / 2.0, freedom) * error
    with np.errstate(divide="ignore", invalid="ignore"):  # the same difference in every query
        statistic = np.where(mean == 0.0, 0.0, np.abs(mean) / error)
    p_value = np.multiply(2.0, students_t.sf(statistic, freedom))
    return RepeatedMeans(mean, mean - reach, mean + reach, p_value, error)


def note_on_few_repeats(n_repeats: int) -> str:
    """Say that the widths of intervals depend on chance; nothing for one repeat or for enough."""
    if not 1 < n_repeats < _ENOUGH_REPEATS:
        return ""
    return (
        f"{n_repeats} repeats are few: intervals hold, but their width depends much on chance. "
        f"Take at least {_ENOUGH_REPEATS}."
    )


def _checked(differences: FloatArray) -> FloatArray:
    if differences.ndim != 3:  # noqa: PLR2004
        raise ValueError(
            "differences must have the shape (n_pairs, n_repeats, n_queries), got "
            f"{differences.shape}."
        )
    n_queries = (~np.isnan(differences)).any(axis=1).sum(axis=1)
    if (n_queries < _FEWEST_QUERIES).any():
        raise ValueError(
            f"differences must hold at least 2 queries of each pair, got {n_queries.min()}."
        )
    return differences


def _means_and_variances(
    differences: FloatArray, training_correlation: float, clusters: NDArray[np.int64] | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each pair's mean, the variance of that mean and its degrees of freedom."""
    is_tested = ~np.isnan(differences)
    times = is_tested.sum(axis=1)
    n_queries = (times > 0).sum(axis=1)
    of_queries = np.where(is_tested, differences, 0.0).sum(axis=1) / np.maximum(times, 1)
    mean = of_queries.sum(axis=1) / n_queries
    from_mean = np.where(times > 0, of_queries - mean[:, None], 0.0)
    sums, sizes = sums_by_cluster(from_mean, clusters)
    n_units = n_queries if clusters is None else np.full(len(sums), len(sizes))
    by_queries = (sums**2).sum(axis=1) * n_units / (n_units - 1) / n_queries**2
    of_repeats, freedom = _variance_of_repeats(
        np.where(is_tested, differences - of_queries[:, None], 0.0), is_tested, times
    )
    shares = is_tested / (np.maximum(times, 1) * n_queries[:, None])[:, None]
    overlap = training_correlation / (1.0 - training_correlation)
    by_repeats = of_repeats * ((shares.sum(axis=2) ** 2).sum(axis=1) + overlap)
    variance = by_queries + by_repeats
    weight = by_queries**2 / (n_units - 1) + by_repeats**2 / np.maximum(freedom, 1)
    satterthwaite = np.divide(
        variance**2, weight, out=(n_units - 1).astype(np.float64), where=weight > 0.0
    )
    return mean, variance, satterthwaite


def _variance_of_repeats(
    residuals: FloatArray, is_tested: NDArray[np.bool_], times: NDArray[np.int64]
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return the variance of the repeats' effects and its degrees of freedom.

    The effects are those of least squares in a model of query and repeat effects. Where every
    repeat tests every query, they are the repeats' means less the mean.
    """
    tests = is_tested.astype(np.float64)
    shared = (tests / np.maximum(times, 1)[:, None]) @ tests.swapaxes(1, 2)
    normal = np.eye(tests.shape[1]) * tests.sum(axis=2)[:, None] - shared
    values, vectors = np.linalg.eigh(normal)
    counts = values > _ROUNDING * is_tested.sum(axis=(1, 2))[:, None]
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=counts)
    sums = residuals.sum(axis=2)[:, :, None]
    effects = (vectors * inverse[:, None]) @ (vectors.swapaxes(1, 2) @ sums)
    freedom = counts.sum(axis=1)
    return (effects[:, :, 0] ** 2).sum(axis=1) / np.maximum(freedom, 1), freedom
