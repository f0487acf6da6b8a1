"""Confidence bands for differences that hold for all users at once, by a bootstrap over queries.

A user is a distribution g over the thresholds 1..c, a point of the simplex. The difference of two
rankers for this user is ``g @ means``, where the means are those of the differences in AP at each
threshold. Its standard error is ``sqrt(g @ covariance @ g)``, where the covariance is that of the
means. The half-width of the band is a critical number of standard errors: a quantile, over
resamples of the queries, of the largest error of any user in standard errors of the same resample.
With the standard errors of the data instead, bands miss too often for few queries and rare grades.
They also miss too often if a resample in which a threshold does not vary takes the standard error
of the data, since few queries tell anything about a rare grade. So it counts as an error of any
size.

Where repeats show how much trained models vary, the covariance is that over queries, with the
allowance of `repeats` for training data that folds share, plus that of the models. Every resample
has a normal effect of models and a covariance of its own for them, which is Wishart's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.clustered import sums_by_cluster
from skgraded._intervals.repeats import ModelPart

FloatArray = NDArray[np.float64]
_CELLS_AT_A_TIME = 4_000_000
# Of the probability to miss, if there are bounds. They hold nearly always, whatever they take.
SHARE_OF_BOUNDS = 0.2
# Keeps the correlation of thresholds that agree in every query invertible.
_RIDGE = 1e-9
_ROUNDING = 1e-12
# Degrees of freedom at which half of the models' covariance is that of all thresholds together.
_LEAN = 3.0
# Errors in standard errors from here on come from resamples that do not vary.
_ENDLESS = 1e3


class Moments:
    """Mean differences of a pair of rankers, and the influence of every query on them.

    Attributes
    ----------
    means : ndarray of shape (n_columns,)
        Weighted mean difference over the queries in each column.
    influences : ndarray of shape (n_queries, n_columns)
        Influence of each query, or of each cluster of queries, on the means, widened for training
        data that folds share; they add up to 0.
    n_differing : ndarray of shape (n_columns,), int64
        Number of queries, or clusters, with a difference in each column.
    models : ModelPart or None
        What trained models add to the covariance.
    """

    def __init__(
        self,
        means: FloatArray,
        influences: FloatArray,
        n_differing: NDArray[np.int64],
        models: ModelPart | None = None,
    ) -> None:
        self.means = means
        self.influences = influences
        self.n_differing = n_differing
        self.models = models

    def of_columns(self, kept: NDArray[np.bool_]) -> Moments:
        """Return the moments of some columns."""
        models = self.models
        if models is not None:
            models = models._replace(covariance=models.covariance[np.ix_(kept, kept)])
        columns = (self.means[kept], self.influences[:, kept], self.n_differing[kept])
        return Moments(*columns, models)

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the means, shape (n_columns, n_columns)."""
        n = len(self.influences)
        covariance: FloatArray = self.influences.T @ self.influences / (n * (n - 1))
        return covariance if self.models is None else covariance + self.models.covariance

    @property
    def variances_by_queries(self) -> FloatArray:
        """Variances of the means over queries alone, shape (n_columns,)."""
        n = len(self.influences)
        variances: FloatArray = (self.influences**2).sum(axis=0) / (n * (n - 1))
        return variances

    @property
    def standard_errors(self) -> FloatArray:
        """Standard errors of the means, shape (n_columns,)."""
        variances = self.variances_by_queries
        if self.models is not None:
            variances = variances + self.models.covariance.diagonal()
        return np.sqrt(variances)


def moments_of(
    differences: FloatArray,
    weights: FloatArray | None = None,
    models: ModelPart | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Moments:
    """Return the moments of differences, shape (n_queries, n_columns), by query or by cluster."""
    shares = np.ones(len(differences)) if weights is None else weights / weights.mean()
    means: FloatArray = shares @ differences / len(differences)
    influences = shares[:, None] * (differences - means)
    # Rounding must not look like a spread where all queries differ alike.
    influences[np.abs(influences) <= _ROUNDING * np.abs(means)] = 0.0
    differs = differences != 0.0
    if clusters is not None:
        sums, sizes = sums_by_cluster(influences.T, clusters)
        influences = sums.T * (len(sizes) / len(differences))
        differs = sums_by_cluster(differs.T, clusters)[0].T > 0
    found = Moments(means, influences, differs.sum(axis=0))
    if models is not None:
        found.influences = influences * models.widening
        found.models = _steadied(models, found.variances_by_queries)
    return found


def _steadied(models: ModelPart, by_queries: FloatArray) -> ModelPart:
    """Return the models' covariance, leaning on what thresholds have in common.

    An estimate with few degrees of freedom is next to 0 for some mixture, where a band would be far
    too narrow. In part, thresholds count as independent, and none as varying less with the models
    than all do on the average, in variances over queries.
    """
    covariance = models.covariance
    variances = covariance.diagonal()
    varies = by_queries > 0.0
    ratio = float((variances[varies] / by_queries[varies]).mean()) if varies.any() else 0.0
    share = _LEAN / (_LEAN + models.freedom)
    apart = np.diag(np.maximum(variances, ratio * by_queries))
    return models._replace(covariance=(1.0 - share) * covariance + share * apart)


def critical_value(
    pairs: list[Moments],
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    over_simplex: bool,
) -> float:
    """Return the number of standard errors that a band for all pairs and users takes.

    Parameters
    ----------
    pairs : list of Moments
        The moments of all pairs, over the same queries.
    confidence : float
        Probability that the band holds for all pairs and users.
    n_resamples : int
        Number of resamples of the queries.
    rng : Generator
        Source of the resamples.
    over_simplex : bool
        Whether the columns are thresholds and the band is for all mixtures of them, or only for
        the columns themselves.

    Returns
    -------
    float
        The number of standard errors: at least that of Student's t for the column with the fewest
        differences. If a share above ``1 - confidence`` of the resamples does not vary in a column
        that varies in the data, the band covers all of [-1, 1].
    """
    n = len(pairs[0].influences)
    statistic = _largest_over_simplex if over_simplex else _largest_of_columns
    width = max(each.influences.shape[1] for each in pairs)
    found = []
    for size in _batches(n_resamples, n + width**2 if over_simplex else n + width):
        counts = _resampled_counts(n, size, rng)
        found.append(np.max([statistic(counts, each, rng) for each in pairs], axis=0))
    critical = float(np.quantile(np.concatenate(found), confidence, method="higher"))
    if critical >= _ENDLESS:
        errors = np.concatenate([each.standard_errors for each in pairs])
        return float(2.0 / errors[errors > 0.0].min())
    return max(critical, _of_students_t(pairs, confidence))


def critical_beside_bounds(
    pairs: list[Moments],
    bounds: FloatArray,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Return the critical value for all mixtures of the columns that no bound is for.

    Bounds, shape (n_pairs, n_columns), are 0 where there is none; they take a share of the errors.
    """
    some = [
        each.of_columns(kept) for each, kept in zip(pairs, bounds == 0.0, strict=True) if kept.any()
    ]
    if not some:
        return 0.0
    taken = SHARE_OF_BOUNDS * (1.0 - confidence) if bounds.any() else 0.0
    return critical_value(some, confidence + taken, n_resamples, rng, over_simplex=True)


def _of_students_t(pairs: list[Moments], confidence: float) -> float:
    """Return the quantile of Student's t for the column with the fewest differences."""
    from scipy.stats import t as students_t

    freedom = np.concatenate([_freedom(each) for each in pairs])
    if not freedom.any():
        return 0.0
    return float(students_t.isf((1.0 - confidence) / 2.0, max(freedom[freedom > 0].min(), 1.0)))


def _freedom(pair: Moments) -> FloatArray:
    """Return degrees of freedom of each column, by Satterthwaite; 0 where no query differs."""
    freedom = np.maximum(pair.n_differing - 1.0, 1.0)
    if pair.models is not None:
        by_queries, by_models = pair.variances_by_queries, pair.models.covariance.diagonal()
        weight = by_queries**2 / freedom + by_models**2 / pair.models.freedom
        total = (by_queries + by_models) ** 2
        freedom = np.divide(total, weight, out=freedom, where=weight > 0.0)
    return np.where(pair.n_differing > 0, freedom, 0.0)


def _batches(total: int, cells: int) -> Iterator[int]:
    at_a_time = max(1, _CELLS_AT_A_TIME // cells)
    for first in range(0, total, at_a_time):
        yield min(at_a_time, total - first)


def _resampled_counts(n: int, size: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each query is drawn in each resample, shape (size, n)."""
    cells = rng.integers(n, size=(size, n)) + np.arange(size)[:, None] * n
    counts = np.bincount(cells.ravel(), minlength=size * n)
    return counts.reshape(size, n).astype(np.float64)


def _largest_of_columns(counts: FloatArray, pair: Moments, rng: np.random.Generator) -> FloatArray:
    """Return the largest error of any column in standard errors, for every resample."""
    n = len(pair.influences)
    drawn = counts @ pair.influences / n
    variances = (counts @ pair.influences**2 / n - drawn**2) / (n - 1)
    variances = _where_queries_differ(variances, pair.variances_by_queries)
    if pair.models is not None:
        effects, of_models = _drawn_models(pair.models, len(counts), rng)
        drawn, variances = drawn + effects, variances + np.einsum("rii->ri", of_models)
    errors = np.sqrt(variances)
    ratios = np.divide(np.abs(drawn), errors, out=np.zeros_like(drawn), where=errors > 0)
    largest: FloatArray = ratios.max(axis=1)
    return largest


def _largest_over_simplex(
    counts: FloatArray, pair: Moments, rng: np.random.Generator
) -> FloatArray:
    """Return the largest error of any mixture of columns in standard errors, for every resample."""
    n, width = pair.influences.shape
    products = pair.influences[:, :, None] * pair.influences[:, None, :]
    drawn = counts @ pair.influences / n
    covariances = (counts @ products.reshape(n, -1) / n).reshape(-1, width, width)
    covariances = (covariances - drawn[:, :, None] * drawn[:, None, :]) / (n - 1)
    diagonal = np.einsum("rii->ri", covariances)
    tells_nothing = (diagonal <= _ROUNDING * pair.variances_by_queries) & (pair.n_differing > 0)
    diagonal[:] = _where_queries_differ(diagonal, pair.variances_by_queries)
    if pair.models is None:
        return np.maximum(*largest_ratios(drawn, covariances))
    effects, of_models = _drawn_models(pair.models, len(counts), rng)
    covariances += of_models
    ratios = np.maximum(*largest_ratios(drawn + effects, covariances))
    ratios[tells_nothing.any(axis=1)] = np.inf  # the models' variance does not stand for queries
    return ratios


def _drawn_models(
    models: ModelPart, size: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return effects of models on the means in resamples, and the estimates of their covariance.

    These are Wishart's: with few degrees of freedom they are far too small for some mixture.
    """
    spread, axes = np.linalg.eigh(models.covariance)
    root = axes * np.sqrt(np.maximum(spread, 0.0))
    freedom = max(round(models.freedom), 1)
    effects = rng.standard_normal((size, len(spread))) @ root.T
    parts = root @ rng.standard_normal((size, len(spread), freedom))
    return effects, parts @ np.swapaxes(parts, 1, 2) / freedom


def _where_queries_differ(variances: FloatArray, original: FloatArray) -> FloatArray:
    """Return the variances of resamples, and next to nothing where all queries drawn are alike."""
    return np.maximum(variances, _ROUNDING * original)


def largest_ratios(means: FloatArray, covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the largest ratios of differences to standard errors over all users, on both sides.

    The ratio ``g @ x / sqrt(g @ covariance @ g)`` does not change with the length of g, so that its
    largest value over the simplex is that over all g >= 0. Where it is attained, the positive
    entries of g are proportional to ``inv(covariance) @ x``, both restricted to their thresholds.
    Therefore every set of thresholds is tried.

    Parameters
    ----------
    means : ndarray of shape (n_rows, n_grades)
        The rows x.
    covariances : ndarray of shape (n_rows, n_grades, n_grades)
        Covariance of each row.

    Returns
    -------
    above : ndarray of shape (n_rows,)
        The largest ratios, 0 where no user has a positive one.
    below : ndarray of shape (n_rows,)
        The same of ``-x``.
    """
    errors = np.sqrt(np.einsum("rii->ri", covariances))
    errors[errors == 0] = 1.0  # a threshold at which all queries differ alike
    standard = means / errors
    correlations = covariances / (errors[:, :, None] * errors[:, None, :])
    correlations = correlations + _RIDGE * np.eye(means.shape[1])
    above, below = np.zeros(len(means)), np.zeros(len(means))
    for size in range(1, means.shape[1] + 1):
        for face in map(list, combinations(range(means.shape[1]), size)):
            inverses = np.linalg.inv(correlations[:, face][:, :, face])
            directions = np.einsum("rij,rj->ri", inverses, standard[:, face])
            squares = (directions * standard[:, face]).sum(axis=1)
            ratios = np.sqrt(np.maximum(squares, 0.0))
            for largest, attained in ((above, directions >= 0), (below, directions <= 0)):
                inside = attained.all(axis=1)
                largest[inside] = np.maximum(largest[inside], ratios[inside])
    return above, below
