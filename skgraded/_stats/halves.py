"""What choosing a candidate by one measure wins over choosing it by another, by halves of queries.

Candidates are chosen on one half of the queries and judged on the other, both ways. What comes out
does not carry the luck of the best candidate, which a judgment on the same queries does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.clustered import sums_by_cluster

__all__ = ["FEWEST_UNITS", "HalvedGain", "gain_by_halves"]

FloatArray = NDArray[np.float64]

FEWEST_UNITS = 20  # quarters of them still choose
_SPLITS = 50
_SUBSETS, _SPLITS_OF_A_SUBSET = 100, 10
_CELLS_AT_A_TIME = 4_000_000


class HalvedGain(NamedTuple):
    """The gain in each part of the outcome, such as AP at every threshold.

    Attributes
    ----------
    gain : ndarray of shape (n_parts,)
        Mean over queries: the candidate that the first measure chose less that of the second.
    covariance : ndarray of shape (n_parts, n_parts)
        Its covariance for other queries that choose and judge.
    judging : ndarray of shape (n_parts, n_parts)
        Its covariance for other queries that judge the same choices, a lower bound.
    freedom : int
        Degrees of freedom.
    choices : ndarray of shape (n_candidates,)
        How much more often the first measure chose a candidate than the second did.
    """

    gain: FloatArray
    covariance: FloatArray
    judging: FloatArray
    freedom: int
    choices: FloatArray

    def of(self, weights: FloatArray) -> tuple[float, float]:
        """Return the gain for weights of the parts, and its standard error."""
        variances = [float(weights @ each @ weights) for each in (self.covariance, self.judging)]
        return float(weights @ self.gain), float(np.sqrt(max(*variances, 0.0)))


def gain_by_halves(
    outcome: FloatArray,
    chooser: FloatArray,
    baseline: FloatArray,
    rng: np.random.Generator,
    clusters: NDArray[np.int64] | None = None,
) -> HalvedGain:
    """Return what choosing by one measure wins over choosing by another.

    The gain is a mean over 50 random halvings. Halves of the same queries depend on one another,
    and what is chosen jumps, so that neither an error over queries nor a jackknife of single
    queries holds. The covariance is that of the delete-half jackknife [1]_: the gain is computed
    again within 100 random halves of the queries, of which a quarter chooses and another one
    judges. What a few halvings add to the variance by chance is taken off.

    Of a gain whose variance falls as 1 / n, the jackknife expects 2 (1 - 2^-k) times the part to
    which k queries contribute only together: once for k = 1, 1.5 times for k = 2, and at most twice
    [2]_. If candidates are equal, no query contributes by itself, and intervals are wider than
    needed; the section "Which system to choose: room" of the page on calibration tells by how much.
    A quarter of the mean squared difference between the gains of a half and of its complement
    expects every part once. But choices among unequal candidates settle as queries are added, so
    that the variance falls more slowly than 1 / n, and intervals by it hold too seldom.

    Parameters
    ----------
    outcome : ndarray of shape (n_parts, n_candidates, n_queries)
        What the candidates are judged by; more is better.
    chooser, baseline : ndarray of shape (n_candidates, n_queries)
        What they are chosen by; the first one with the largest mean is taken.
    rng : Generator
        Source of the halves.
    clusters : ndarray of shape (n_queries,), int64, optional
        The cluster of each query. Clusters are halved, and stay together.

    Returns
    -------
    HalvedGain
        The gain in each part with its covariance.

    References
    ----------
    .. [1] J. Shao, C. F. J. Wu (1989), "A General Theory for Jackknife Variance Estimation",
       Annals of Statistics 17(3).
    .. [2] B. Efron, C. Stein (1981), "The Jackknife Estimate of Variance", Annals of Statistics
       9(3), in which single queries are left out.
    """
    judged, sizes = sums_by_cluster(outcome, clusters)
    one, other = (sums_by_cluster(each, clusters)[0] for each in (chooser, baseline))
    pool = _Pool(judged, one, other, float(sizes.mean()))
    n = len(sizes)
    everything = np.tile(np.arange(n), (_SPLITS, 1))
    of_splits, of_units, choices = pool.gains(everything, rng)
    covariance = _delete_half(pool, n, rng) + np.atleast_2d(np.cov(of_splits.T)) / _SPLITS
    judging = np.atleast_2d(np.cov(of_units.T)) / n
    return HalvedGain(of_splits.mean(axis=0), covariance, judging, n - 1, choices)


def _delete_half(pool: _Pool, n_units: int, rng: np.random.Generator) -> FloatArray:
    """Return the delete-half jackknife's covariance of the gain over endless halvings."""
    kept = n_units // 2
    subsets = rng.permuted(np.tile(np.arange(n_units), (_SUBSETS, 1)), axis=1)[:, :kept]
    found, _, _ = pool.gains(np.repeat(subsets, _SPLITS_OF_A_SUBSET, axis=0), rng)
    in_subsets = found.reshape(_SUBSETS, _SPLITS_OF_A_SUBSET, -1)
    means = in_subsets.mean(axis=1)
    residuals = (in_subsets - means[:, None]).reshape(len(found), -1)
    by_chance = residuals.T @ residuals / (len(found) - _SUBSETS) / _SPLITS_OF_A_SUBSET
    covariance = (np.atleast_2d(np.cov(means.T)) - by_chance) * kept / (n_units - kept)
    return np.asarray(covariance)


class _Pool(NamedTuple):
    """Sums over the queries of each unit: parts of the outcome, and what the measures choose by."""

    outcome: FloatArray
    chooser: FloatArray
    baseline: FloatArray
    size: float

    def gains(
        self, units: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return gains of halvings, each of some units, the mean gain of units, and the choices.

        Units have the shape (n_splits, n_used); gains are (n_splits, n_parts), the mean gains of
        units (n_units, n_parts), and choices (n_candidates,).
        """
        n_parts, n_candidates, n_units = self.outcome.shape
        at_a_time = max(1, _CELLS_AT_A_TIME // (n_units * n_parts + n_candidates))
        gains, of_units = [], np.zeros((n_units, n_parts))
        choices = np.zeros(n_candidates)
        for first in range(0, len(units), at_a_time):
            used = rng.permuted(units[first : first + at_a_time], axis=1)
            of_splits = np.zeros((len(used), n_parts))
            half = used.shape[1] // 2
            parts = used[:, :half], used[:, half:]
            halves = [self._marked(each, n_units) for each in parts]
            for chooses, judges in (halves, halves[::-1]):
                one, other = (
                    (chooses @ each.T).argmax(axis=1) for each in (self.chooser, self.baseline)
                )
                choices += np.bincount(one, minlength=n_candidates)
                choices -= np.bincount(other, minlength=n_candidates)
                difference = self.outcome[:, one] - self.outcome[:, other]
                difference *= judges
                of_splits += difference.sum(axis=2).T
                of_units += difference.sum(axis=1).T
            gains.append(of_splits / (used.shape[1] * self.size))
        of_units /= len(units) * self.size
        return np.concatenate(gains), of_units, choices / (2 * len(units))

    @staticmethod
    def _marked(units: NDArray[np.int64], n_units: int) -> FloatArray:
        marked = np.zeros((len(units), n_units))
        np.put_along_axis(marked, units, 1.0, axis=1)
        return marked
