"""Test of fit: whether preferences follow something else than average precision by threshold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from skgraded._guards import warn_once
from skgraded.exceptions import UserModelWarning
from skgraded.users._reader_fit import cluster_covariance, sums_by

__all__ = ["Wanted", "misfits", "warn_if_misfit"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MISFIT = 0.02  # corrected p-value below which a warning is issued
_LEAST_LEFT = 1e-6  # of the variance of a column, after what the parameters take out
_MEANS = {
    "sign": (
        "it matters which ranking is better at a threshold, and not only by how much, as with "
        "judges who have thresholds of their own. Pass judge=, the judge of each preference"
    ),
    "sign of judges": (
        "it matters which ranking is better at a judge's threshold, and not only by how much, so "
        "that the scale is not the same for all differences"
    ),
    "shared": (
        "a judge's preferences follow several thresholds at once. If all judges weigh thresholds "
        "in the same way, leave judge= out"
    ),
    "depth": (
        "users give ranks other weights than these differences do. Pass ap_differences the k of "
        "the ranks that they saw"
    ),
    "nDCG": "users follow nDCG as well as AP. Compare how often each of them agrees with users",
    "RR": (
        "the first document that satisfies counts for users more than the others. Compare how "
        "often RR agrees with them"
    ),
}


class Wanted:
    """What is left of preferences after a fit, to be explained by more columns.

    Parameters
    ----------
    of_rows : ndarray of shape (n_preferences,)
        By how much each preference wants its margin larger: a slope of its log likelihood.
    scores, moves : ndarray of shape (n_units, n_parameters)
        Scores of the fit, and by how much they move its estimates.
    unit : ndarray of shape (n_preferences,), int
        The row of the scores that each preference belongs to.
    cluster : ndarray of shape (n_units,), int
        Cluster of each of these rows.
    """

    def __init__(
        self,
        of_rows: FloatArray,
        scores: FloatArray,
        moves: FloatArray,
        unit: IntArray,
        cluster: IntArray,
    ) -> None:
        self.of_rows = of_rows
        self.scores, self.moves = scores, moves
        self.unit, self.cluster = unit, cluster

    def p_value(self, columns: FloatArray) -> float:
        """Return the p-value of Rao's score test that the columns have no effect on the margin.

        Their scores are cleared of what the estimated parameters take out of them. Hotelling's
        statistic of the sums by cluster has the F distribution.
        """
        left = sums_by(self.unit, self.of_rows[:, None] * columns)
        before = (left**2).sum(axis=0)
        left = left - self.scores @ (self.moves.T @ left)
        used = (left**2).sum(axis=0) > _LEAST_LEFT * before
        if not used.any():
            return float("nan")
        sums = sums_by(self.cluster, left[:, used])
        covariance = cluster_covariance(sums, ())
        freedom = int(np.linalg.matrix_rank(covariance, hermitian=True))
        degrees = len(sums) - freedom
        if freedom == 0 or degrees < 1:
            return float("nan")
        total = sums.sum(axis=0)
        statistic = total @ np.linalg.pinv(covariance, hermitian=True) @ total
        ratio = statistic * degrees / ((len(sums) - 1) * freedom)
        return float(fdtrc(freedom, degrees, ratio))


def misfits(wanted: Wanted, columns: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return p-values of each group of columns, with Bonferroni's correction for their number."""
    found = {name: wanted.p_value(each) for name, each in columns.items()}
    known = {name: each for name, each in found.items() if not np.isnan(each)}
    return {name: min(1.0, len(known) * each) for name, each in known.items()}


def warn_if_misfit(found: Mapping[str, float], *, of_judges: bool) -> None:
    """Warn of what explains preferences beside the model, and which of it explains the most."""
    reasons = [name for name, p_value in found.items() if p_value < _MISFIT]
    if reasons:
        # Of all thresholds, nDCG holds much.
        name = "shared" if "shared" in reasons else min(reasons, key=lambda each: found[each])
        told = "sign of judges" if name == "sign" and of_judges else name
        warn_once(
            f"preference should differ from the model by chance alone, got p = {found[name]:.2g}: "
            f"{_MEANS[told]}. Do not rely on this g and its intervals until it fits.",
            UserModelWarning,
        )
