"""Means over queries that were tested in several repeats, with the variation over both.

Differences are an array of shape (n_pairs, n_repeats, n_queries): a query's difference between two
rankers in one repeat of a cross-validation or of a training. It is nan where a repeat did not test
a query.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.clustered import sums_by_cluster
from skgraded._intervals.estimate import Part

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Of the variance of the queries' own effects, for what the training data of all folds share.
_SHARED = 1 / 6
# Scales below this share of their terms count as 0.
_ROUNDING = 1e-9


class ModelPart(NamedTuple):
    """What training again adds to the variation of means over queries, by several repeats.

    Attributes
    ----------
    covariance : ndarray of shape (n_columns, n_columns)
        Of the models, to be added to that of the queries' means.
    freedom : float
        Degrees of freedom of its estimate.
    widening : ndarray of shape (n_columns,) or float
        Factor of the standard errors over queries, of 1 to 1.08, for what the training data of all
        folds share.
    """

    covariance: FloatArray
    freedom: float
    widening: FloatArray | float = 1.0


def part_of_models(
    differences: FloatArray,
    folds: IntArray,
    weights: FloatArray | None = None,
    clusters: IntArray | None = None,
) -> ModelPart:
    """Return what `over_repeats` adds to the queries' part, between columns of one pair.

    Parameters
    ----------
    differences : ndarray of shape (n_columns, n_repeats, n_queries)
        Differences of one pair in several columns; nan where a repeat did not test a query.
    folds : ndarray of shape (n_repeats, n_queries), int64
        The fold that tested a query in a repeat.
    weights : ndarray of shape (n_queries,), optional
        Weights of the queries.
    clusters : ndarray of shape (n_queries,), int64, optional
        The cluster of each query; by default each query is one of its own.

    Returns
    -------
    ModelPart
        The covariance of the folds' component, whose eigenvalues below 0 are set to 0, its degrees
        of freedom, and the allowance as a factor.
    """
    is_tested = ~np.isnan(differences)
    times, of_queries, residuals = _apart(differences, is_tested)
    design = _Design(_levels(is_tested[0], folds), clusters, weights)
    counted = np.where(times > 0, 1.0 if weights is None else weights, 0.0)
    by_queries = _variance_over_queries(of_queries, counted, clusters)
    by_data = design.allowance(residuals, by_queries)
    share = np.divide(by_data, by_queries, out=np.zeros_like(by_data), where=by_queries > 0.0)
    covariance = design.covariance_of_mean(residuals)
    return ModelPart(covariance, design.freedom, np.sqrt(1.0 + share))


class OverRepeats(NamedTuple):
    """Differences over several repeats, as the interval machine takes them.

    Attributes
    ----------
    rows : ndarray of shape (n_queries, n_pairs)
        Means of each query over the repeats that tested it.
    widening : ndarray of shape (n_pairs,)
        Factor of the errors over queries, for what the training data of all folds share.
    models : Part or None
        The variances that the folds add; None of one repeat.
    """

    rows: FloatArray
    widening: FloatArray
    models: Part | None


def over_repeats(
    differences: FloatArray, folds: IntArray | None = None, clusters: IntArray | None = None
) -> OverRepeats:
    """Apart what queries, and what the models of folds, add to the variation of means.

    A difference is the sum of an effect of its query, of the models of its fold within a repeat,
    and of the rest, all random [1]_. The variance of the mean is

        (s_q^2 + min(s_a^2 / 6, (K - 1) s_w^2)) / n_queries + max(0, s_f^2) * a,

    where s_q^2 is the variance of the queries' means over the repeats, which holds what the rest
    puts into the mean, and s_f^2 the component of the folds by analysis of variance [2]_: the
    solution of

        E[sum over folds of S_f^2 / n_f] = t_1 s_f^2 + t_2 s_e^2,
        E[sum of e^2] = t_3 s_f^2 + (n_differences - n_queries) s_e^2,

    where e is a difference less its query's mean, S_f the sum of e in a fold and n_f its queries.
    With N the matrix by which sums of residuals depend on the folds' effects, t_1 is the sum of
    N_fg^2 / n_f, t_2 that of N_ff / n_f, and t_3 that of N_ff. The factor a is the variance of the
    mean of effects of variance 1, less what s_q^2 / n_queries holds of it already. The degrees of
    freedom of s_f^2 are Satterthwaite's.

    The minimum is an allowance for what the training data of all folds share. A query that helps
    the models on another one is helped by it in turn, so that the mean varies more from data set to
    data set than over queries and repeats. An unbiased estimate of this, K - 1 times the component
    of repeats, is as uncertain as it is large [3]_. It is at most (K - 1) s_w^2 / n_queries for K
    folds, where s_w^2 is the variance of a query's differences over repeats, if models differ by
    their data, and 0 if they differ by chance. A sixth of s_a^2, the variance of the queries' means
    less the noise in it, brings intervals of ridge regressions near their level and hardly widens
    those of boosted trees, in ``benchmarks/calibration.py``.

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_repeats, n_queries)
        The differences; nan where a repeat did not test a query. Some repeat tested each query.
    folds : ndarray of shape (n_repeats, n_queries), int64, optional
        The fold that tested a query in a repeat; queries of one fold are ranked by the same model.
        By default each repeat is one fold.
    clusters : ndarray of shape (n_queries,), int64, optional
        The cluster of each query; by default each query is one of its own.

    Returns
    -------
    OverRepeats
        The means of queries, and what is to be added to their variation.

    References
    ----------
    .. [1] A. Owen (2007), "The Pigeonhole Bootstrap", Annals of Applied Statistics 1(2).
    .. [2] C. Henderson (1953), "Estimation of Variance and Covariance Components", Biometrics 9(2).
    .. [3] Y. Bengio, Y. Grandvalet (2004), "No Unbiased Estimator of the Variance of K-Fold
       Cross-Validation", JMLR 5.
    """
    if differences.shape[1] == 1:
        rows = np.ascontiguousarray(differences[:, 0].T)
        return OverRepeats(rows, np.ones(len(differences)), None)
    is_tested = ~np.isnan(differences)
    _, of_queries, residuals = _apart(differences, is_tested)
    by_queries = _variance_over_queries(of_queries, np.ones_like(of_queries), clusters)
    by_folds, freedom, by_data = (np.zeros(len(differences)) for _ in range(3))
    for pairs in _pairs_alike(is_tested):
        design = _Design(_levels(is_tested[pairs[0]], folds), clusters)
        by_folds[pairs] = design.variance_of_mean(residuals[pairs])
        freedom[pairs] = design.freedom
        by_data[pairs] = design.allowance(residuals[pairs], by_queries[pairs])
    share = np.divide(by_data, by_queries, out=np.zeros_like(by_data), where=by_queries > 0.0)
    rows = np.ascontiguousarray(of_queries.T)
    return OverRepeats(rows, np.sqrt(1.0 + share), Part(by_folds, freedom))


def _apart(
    differences: FloatArray, is_tested: NDArray[np.bool_]
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return how often queries were tested, their means over repeats, and what is left of them."""
    times = is_tested.sum(axis=1)
    of_queries = np.where(is_tested, differences, 0.0).sum(axis=1) / np.maximum(times, 1)
    return times, of_queries, np.where(is_tested, differences - of_queries[:, None], 0.0)


def _variance_over_queries(
    of_queries: FloatArray, counted: FloatArray, clusters: IntArray | None
) -> FloatArray:
    """Return the variances of weighted means over the queries."""
    total = counted.sum(axis=1)
    mean = (counted * of_queries).sum(axis=1) / total
    sums, sizes = sums_by_cluster(counted * (of_queries - mean[:, None]), clusters)
    units = (counted > 0.0).sum(axis=1) if clusters is None else len(sizes)
    variances: FloatArray = (sums**2).sum(axis=1) * units / (units - 1) / total**2
    return variances


def _pairs_alike(is_tested: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Group the pairs for which the same repeats tested the same queries."""
    if (is_tested == is_tested[0]).all():
        return [np.arange(len(is_tested))]
    rows = np.packbits(is_tested.reshape(len(is_tested), -1), axis=1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == each) for each in range(group.max() + 1)]


def _levels(is_tested: NDArray[np.bool_], folds: IntArray | None) -> IntArray:
    """Return a number for every fold of all repeats, and -1 where a repeat did not test a query."""
    n_repeats = len(is_tested)
    of_repeat = np.zeros(is_tested.shape, dtype=np.int64) if folds is None else folds
    codes = of_repeat + np.arange(n_repeats)[:, None] * (of_repeat.max(initial=0) + 1)
    levels = np.full(is_tested.shape, -1)
    levels[is_tested] = np.unique(codes[is_tested], return_inverse=True)[1].ravel()
    return levels


class _Design:
    """How sums of residuals depend on the effects of folds, for one pattern of tests.

    Attributes
    ----------
    freedom : float
        Degrees of freedom of the sum of squares of the folds.
    """

    def __init__(
        self,
        levels: IntArray,
        clusters: IntArray | None,
        query_weights: FloatArray | None = None,
    ) -> None:
        from scipy import sparse

        self._cells = levels >= 0
        repeat, query = np.nonzero(self._cells)
        level = levels[repeat, query]
        times = self._cells.sum(axis=0)
        self._queries_of = np.bincount(level).astype(np.float64)
        n_queries, ones = int((times > 0).sum()), np.ones(len(level))
        shape = (levels.shape[1], len(self._queries_of))
        tests: Any = sparse.csr_array((ones, (query, level)), shape=shape)
        weights = sparse.csr_array((1.0 / times[query], (query, level)), shape=shape)
        self._of_cells: Any = sparse.csr_array((ones, (np.arange(len(level)), level)))
        n = len(self._queries_of)
        own: Any = sparse.dia_array((self._queries_of[np.newaxis], [0]), shape=(n, n))
        normal = (own - tests.T @ weights).tocoo()
        squares, diagonal = normal.data**2, normal.diagonal()
        self._of_folds = float((squares / self._queries_of[normal.row]).sum())
        self._of_rest = float((diagonal / self._queries_of).sum())
        self._trace, self._n_residuals = float(diagonal.sum()), len(level) - n_queries
        pairs = (squares / (self._queries_of[normal.row] * self._queries_of[normal.col])).sum()
        self.freedom = self._of_rest**2 / pairs if pairs > 0.0 else 1.0
        # A model's training queries over those that it tests, of all queries in its repeat.
        tested = self._cells.sum(axis=1)[repeat] / self._queries_of[level]
        self._folds_left = float(tested.mean()) - 1.0
        counted = (times > 0) * (np.ones(len(times)) if query_weights is None else query_weights)
        counted *= n_queries / counted.sum()
        # What of the variance within queries is in the mean: of all tests, and of one for each.
        self._noise_share = float((counted**2 / np.maximum(times, 1)).sum()) / n_queries**2
        self._share_of_one = float((counted**2).sum()) / n_queries**2
        weights = sparse.csr_array(weights.multiply(counted[:, None]))
        shares = np.asarray(weights.sum(axis=0)).ravel() / n_queries
        self._factor = float((shares**2).sum()) - _held_by_queries(
            weights, shares, clusters, counted
        )

    def variance_of_mean(self, residuals: FloatArray) -> FloatArray:
        """Return what the folds add to the variance of each pair's mean; 0 if they add nothing."""
        cells, sums = self._sums(residuals)
        component = self._component((sums**2).sum(axis=1), (cells**2).sum(axis=1))
        by_folds: FloatArray = np.maximum(component, 0.0) * self._factor
        return by_folds

    def allowance(self, residuals: FloatArray, by_queries: FloatArray) -> FloatArray:
        """Return what is added to the variance of each mean for training data that folds share."""
        within = (residuals**2).sum(axis=(1, 2)) / max(self._n_residuals, 1)
        own = np.maximum(by_queries - within * self._noise_share, 0.0)
        most = within * self._folds_left * self._share_of_one
        added: FloatArray = np.minimum(_SHARED * own, most)
        return added

    def covariance_of_mean(self, residuals: FloatArray) -> FloatArray:
        """Return what the folds add to the covariance of the means of columns of one pair."""
        cells, sums = self._sums(residuals)
        sizes, axes = np.linalg.eigh(self._component(sums @ sums.T, cells @ cells.T))
        covariance: FloatArray = (axes * np.maximum(sizes, 0.0)) @ axes.T * self._factor
        return covariance

    def _sums(self, residuals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the residuals of tested queries, and their sums by fold over root n_f."""
        cells = residuals[:, self._cells]
        return cells, (self._of_cells.T @ cells.T).T / np.sqrt(self._queries_of)

    def _component(self, of_folds: FloatArray, of_cells: FloatArray) -> FloatArray:
        """Return the folds' component from sums of squares, or of products, in folds and cells."""
        rest = of_cells / max(self._n_residuals, 1)
        scale = self._of_folds - self._of_rest * self._trace / max(self._n_residuals, 1)
        if scale <= _ROUNDING * self._of_folds or self._factor <= 0.0:
            return np.zeros_like(of_folds)  # each fold tests one query, or no query is shared
        component: FloatArray = (of_folds - self._of_rest * rest) / scale
        return component


def _held_by_queries(
    weights: Any, shares: FloatArray, clusters: IntArray | None, counted: FloatArray
) -> float:
    """Return what the variance by queries, or clusters, holds of folds' effects of variance 1."""
    from scipy import sparse

    is_tested = counted > 0.0
    units = (
        np.arange(len(is_tested))
        if clusters is None
        else np.unique(clusters, return_inverse=True)[1]
    )
    n_queries, n_units = int(is_tested.sum()), len(np.unique(units[is_tested]))
    to_units = sparse.csr_array((is_tested * 1.0, (units, np.arange(len(units)))))
    sums: Any = (to_units @ weights).tocoo()
    sizes: FloatArray = np.asarray(to_units @ counted)
    crossed = (sums.data * sizes[sums.row] * shares[sums.col]).sum()
    squares = (sums.data**2).sum() - 2.0 * crossed + (sizes**2).sum() * (shares**2).sum()
    return float(squares * n_units / (n_units - 1) / n_queries**2)
