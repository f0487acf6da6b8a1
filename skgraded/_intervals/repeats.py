"""Means over queries that were tested in several repeats, with the variation over both.

Differences are an array of shape (n_pairs, n_repeats, n_queries): a query's difference between two
rankers in one repeat of a cross-validation or of a training. It is nan where a repeat did not test
a query.
"""

from __future__ import annotations

import numpy as np

from skgraded._intervals.estimate import Bounds, Estimate, Part, means, sums_by_cluster
from skgraded._intervals.tail import quotients
from skgraded._support.array_types import BoolArray, FloatArray, IntArray

# Of the variance of the queries' own effects, for what the training data of all folds share.
_SHARED = 1 / 6
# Scales below this share of their terms count as 0.
_ROUNDING = 1e-9


def over_repeats(
    differences: FloatArray,
    folds: IntArray | None = None,
    clusters: IntArray | None = None,
    weights: FloatArray | None = None,
    *,
    bounds: Bounds | None = None,
) -> tuple[FloatArray, Estimate]:
    """Estimate means by what queries, and what the models of folds, add to their variation.

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
    less the noise in it, brought intervals of ridge regressions near their level and hardly widened
    those of boosted trees.

    Parameters
    ----------
    differences : ndarray of shape (n_columns, n_repeats, n_queries)
        The differences of pairs, or of one pair by several measures; nan where a repeat did not
        test a query. Some repeat tested each query.
    folds : ndarray of shape (n_repeats, n_queries), int64, optional
        The fold that tested a query in a repeat; queries of one fold are ranked by the same model.
        By default each repeat is one fold.
    clusters : ndarray of shape (n_queries,), int64, optional
        The cluster of each query; by default each query is one of its own.
    weights : ndarray of shape (n_queries,), optional
        Weights of the queries.
    bounds : pair of float or of ndarray of shape (n_columns,), optional
        The least and the largest difference that there can be.

    Returns
    -------
    rows : ndarray of shape (n_queries, n_columns)
        Means of each query over the repeats that tested it.
    estimate : Estimate
        That of the means over the queries.

    References
    ----------
    .. [1] A. Owen (2007), "The Pigeonhole Bootstrap",
       Annals of Applied Statistics 1(2).
    .. [2] C. Henderson (1953), "Estimation of Variance and Covariance Components",
       Biometrics 9(2).
    .. [3] Y. Bengio, Y. Grandvalet (2004), "No Unbiased Estimator of the Variance of K-Fold
       Cross-Validation", JMLR 5.
    """
    clusterings = () if clusters is None else (clusters,)
    if differences.shape[1] == 1:
        rows = np.ascontiguousarray(differences[:, 0].T)
        estimate = means(rows, weights=weights, clusters=clusterings, bounds=bounds)
        return rows, estimate

    # What a query differs by on average, and what is left in each of its tests.
    is_tested: BoolArray = ~np.any(np.isnan(differences), axis=0)
    sums = np.where(is_tested, differences, 0.0).sum(axis=1)
    of_queries = sums / is_tested.sum(axis=0)
    residuals = (differences - of_queries[:, None])[:, is_tested]

    relative_weights = np.ones(is_tested.shape[1])
    if weights is not None:
        relative_weights = weights / weights.mean()
    by_queries = _variance_over_queries(of_queries, relative_weights, clusters)
    design = _Design(is_tested, folds, clusters, relative_weights)
    by_data = design.allowance(residuals, by_queries)
    share = quotients(by_data, by_queries)
    rows = np.ascontiguousarray(of_queries.T)
    estimate = means(
        rows,
        weights=weights,
        clusters=clusterings,
        part=Part(design.added(residuals), design.freedom),
        bounds=bounds,
        widening=np.sqrt(1.0 + share),  # for the training data that all folds share
    )
    return rows, estimate


def _variance_over_queries(
    of_queries: FloatArray, relative_weights: FloatArray, clusters: IntArray | None
) -> FloatArray:
    """Return the variances of weighted means over the queries."""
    n_queries = len(relative_weights)
    mean = of_queries @ relative_weights / n_queries
    deviations = relative_weights * (of_queries - mean[:, None])
    sums, sizes = sums_by_cluster(deviations, clusters)
    n_units = len(sizes)
    squares: FloatArray = (sums**2).sum(axis=1)
    variances = squares * n_units / (n_units - 1)
    return variances / n_queries**2


def _number_folds(is_tested: BoolArray, folds: IntArray | None) -> IntArray:
    """Return of each test the number of its fold, among the folds of all repeats."""
    repeat, _ = np.nonzero(is_tested)
    fold = np.zeros(len(repeat), dtype=np.int64)
    if folds is not None:
        fold = folds[is_tested]

    n_folds = fold.max() + 1
    fold_in_repeat = repeat * n_folds + fold
    _, level = np.unique(fold_in_repeat, return_inverse=True)
    return level.ravel()


class _Design:
    """How sums of residuals depend on the effects of folds, for one pattern of tests.

    Attributes
    ----------
    freedom : float
        Degrees of freedom of the sum of squares of the folds.
    """

    def __init__(
        self,
        is_tested: BoolArray,
        folds: IntArray | None,
        clusters: IntArray | None,
        relative_weights: FloatArray,
    ) -> None:
        repeat, query = np.nonzero(is_tested)
        level = _number_folds(is_tested, folds)
        n_queries = len(relative_weights)
        n_levels = int(level.max()) + 1
        tests = np.zeros((n_queries, n_levels))
        tests[query, level] = 1.0
        self._level = level
        self._n_residuals = max(len(level) - n_queries, 1)

        # By this matrix, sums of residuals depend on the folds' effects.
        n_tested = tests.sum(axis=0)
        times = is_tested.sum(axis=0)
        shares = tests / times[:, None]
        shared_tests = tests.T @ shares
        normal = np.diag(n_tested) - shared_tests
        squares = normal**2
        diagonal = normal.diagonal()
        by_fold = squares / n_tested
        self._of_folds = float(by_fold.sum())
        by_rest = diagonal / n_tested
        self._of_rest = float(by_rest.sum())
        self._trace = normal.trace()
        tests_of_pairs = np.outer(n_tested, n_tested)
        by_pair = squares / tests_of_pairs
        of_pairs = float(by_pair.sum())
        self.freedom = 1.0
        if of_pairs > 0.0:
            self.freedom = self._of_rest**2 / of_pairs

        # A model's training queries over those that it tests, of all queries in its repeat.
        n_in_repeat = is_tested.sum(axis=1)[repeat]
        folds_in_repeat = n_in_repeat / n_tested[level]
        self._training_ratio = float(folds_in_repeat.mean()) - 1.0
        # What of the variance within queries is in the mean: of all tests, and of one for each.
        squared_weights = relative_weights**2
        weights_of_tests = squared_weights / times
        self._noise_share = float(weights_of_tests.sum()) / n_queries**2
        self._share_of_one = float(squared_weights.sum()) / n_queries**2

        # The variance of the mean of effects of variance 1, less what that by queries has of it.
        in_mean = relative_weights @ shares / n_queries
        variance = (in_mean**2).sum()
        by_queries = _variance_over_queries(shares.T, relative_weights, clusters)
        self._factor = float(variance - by_queries.sum())

    def added(self, residuals: FloatArray) -> FloatArray:
        """Return what the folds add to variances of means; at least 0.

        Their component follows from the sums of squares of residuals in folds and in cells.
        """
        sums, n_tested = sums_by_cluster(residuals, self._level)
        scale = self._of_folds - self._of_rest * self._trace / self._n_residuals
        if scale <= _ROUNDING * self._of_folds or self._factor <= 0.0:
            # Each fold tests one query, or no query is shared.
            return np.zeros(len(residuals))

        sums_in_errors = sums / np.sqrt(n_tested)
        of_folds = (sums_in_errors**2).sum(axis=1)
        of_cells = (residuals**2).sum(axis=1)
        per_residual = self._of_rest * of_cells
        of_chance = per_residual / self._n_residuals
        component = (of_folds - of_chance) / scale
        component = np.maximum(component, 0.0)
        added: FloatArray = component * self._factor
        return added

    def allowance(self, residuals: FloatArray, by_queries: FloatArray) -> FloatArray:
        """Return what is added to the variance of each mean for training data that folds share."""
        within = (residuals**2).sum(axis=1) / self._n_residuals
        of_effects = np.maximum(by_queries - within * self._noise_share, 0.0)
        most = within * self._training_ratio * self._share_of_one
        added: FloatArray = np.minimum(_SHARED * of_effects, most)
        return added
