"""Means over queries that were tested in several repeats, with the variation over both.

Differences are an array of shape (n_pairs, n_repeats, n_queries): a query's difference between two
rankers in one repeat of a cross-validation or of a training. It is nan where a repeat did not test
a query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.estimate import Bounds, Estimate, Part, means, sums_by_cluster
from skgraded._support.array_types import FloatArray, IntArray

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
    ways = () if clusters is None else (clusters,)
    if differences.shape[1] == 1:
        rows = np.ascontiguousarray(differences[:, 0].T)
        return rows, means(rows, weights=weights, clusters=ways, bounds=bounds)
    is_tested: NDArray[np.bool_] = ~np.any(np.isnan(differences), axis=0)
    of_queries = np.where(is_tested, differences, 0.0).sum(axis=1) / is_tested.sum(
        axis=0
    )
    cells = (differences - of_queries[:, None])[:, is_tested]
    counted = (
        np.ones(is_tested.shape[1]) if weights is None else weights / weights.mean()
    )
    by_queries = _variance_over_queries(of_queries, counted, clusters)
    design = _Design(is_tested, folds, clusters, counted)
    by_data = design.allowance(cells, by_queries)
    share = np.divide(
        by_data, by_queries, out=np.zeros_like(by_data), where=by_queries > 0.0
    )
    rows = np.ascontiguousarray(of_queries.T)
    part = Part(design.added(cells), design.freedom)
    widening = np.sqrt(1.0 + share)  # for what the training data of all folds share
    return rows, means(
        rows,
        weights=weights,
        clusters=ways,
        part=part,
        bounds=bounds,
        widening=widening,
    )


def _variance_over_queries(
    of_queries: FloatArray, counted: FloatArray, clusters: IntArray | None
) -> FloatArray:
    """Return the variances of weighted means over the queries."""
    mean = of_queries @ counted / len(counted)
    sums, sizes = sums_by_cluster(counted * (of_queries - mean[:, None]), clusters)
    variances: FloatArray = (sums**2).sum(axis=1) * len(sizes) / (len(sizes) - 1)
    return variances / len(counted) ** 2


class _Design:
    """How sums of residuals depend on the effects of folds, for one pattern of tests.

    Attributes
    ----------
    freedom : float
        Degrees of freedom of the sum of squares of the folds.
    """

    def __init__(
        self,
        is_tested: NDArray[np.bool_],
        folds: IntArray | None,
        clusters: IntArray | None,
        counted: FloatArray,
    ) -> None:
        repeat, query = np.nonzero(is_tested)
        fold = (
            np.zeros(len(repeat), dtype=np.int64) if folds is None else folds[is_tested]
        )
        level = np.unique(repeat * (fold.max() + 1) + fold, return_inverse=True)[
            1
        ].ravel()
        times = is_tested.sum(axis=0)
        n_queries = len(counted)
        tests = np.zeros((n_queries, int(level.max()) + 1))
        tests[query, level] = 1.0
        n_tested = tests.sum(axis=0)
        shares = tests / times[:, None]
        # By it, sums of residuals depend on the folds' effects.
        normal = np.diag(n_tested) - tests.T @ shares
        self._level = level
        self._n_residuals = max(len(level) - n_queries, 1)
        self._of_folds = float((normal**2 / n_tested).sum())
        self._of_rest = float((normal.diagonal() / n_tested).sum())
        self._trace = normal.trace()
        pairs = float((normal**2 / np.outer(n_tested, n_tested)).sum())
        self.freedom = self._of_rest**2 / pairs if pairs > 0.0 else 1.0
        # A model's training queries over those that it tests, of all queries in its repeat.
        self._folds_left = (
            float((is_tested.sum(axis=1)[repeat] / n_tested[level]).mean()) - 1.0
        )
        # What of the variance within queries is in the mean: of all tests, and of one for each.
        self._noise_share = float((counted**2 / times).sum()) / n_queries**2
        self._share_of_one = float((counted**2).sum()) / n_queries**2
        # The variance of the mean of effects of variance 1, less what that by queries holds of it.
        in_mean = counted @ shares / n_queries
        sums, sizes = sums_by_cluster(
            (counted[:, None] * (shares - in_mean)).T, clusters
        )
        held = (sums**2).sum() * len(sizes) / (len(sizes) - 1) / n_queries**2
        self._factor = float((in_mean**2).sum() - held)

    def added(self, cells: FloatArray) -> FloatArray:
        """Return what the folds add to variances of means; at least 0.

        Their component follows from the sums of squares of residuals in folds and in cells.
        """
        sums, n_tested = sums_by_cluster(cells, self._level)
        scale = self._of_folds - self._of_rest * self._trace / self._n_residuals
        if scale <= _ROUNDING * self._of_folds or self._factor <= 0.0:
            return np.zeros(
                len(cells)
            )  # each fold tests one query, or no query is shared
        of_folds = ((sums / np.sqrt(n_tested)) ** 2).sum(axis=1)
        of_cells = (cells**2).sum(axis=1)
        component = (of_folds - self._of_rest * of_cells / self._n_residuals) / scale
        added: FloatArray = np.maximum(component, 0.0) * self._factor
        return added

    def allowance(self, cells: FloatArray, by_queries: FloatArray) -> FloatArray:
        """Return what is added to the variance of each mean for training data that folds share."""
        within = (cells**2).sum(axis=1) / self._n_residuals
        own = np.maximum(by_queries - within * self._noise_share, 0.0)
        most = within * self._folds_left * self._share_of_one
        added: FloatArray = np.minimum(_SHARED * own, most)
        return added
