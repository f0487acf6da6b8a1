"""Test of fit: whether preferences follow something else than average precision by threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from skgraded._guards import warn_once
from skgraded.exceptions import UserModelWarning
from skgraded.users._judge_thresholds import JudgeThresholds
from skgraded.users._preference_fit import FreeFit
from skgraded.users._reader_fit import Fit, cluster_covariance, sums_by

__all__ = ["Wanted", "WantedByAll", "WantedByOwn", "misfits", "warn_if_misfit"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MISFIT = 0.02  # corrected p-value below which a warning is issued
_LEAST_LEFT = 1e-6  # of the variance of a column, after what the parameters take out
_LEAST_LEFT_OF_DRAWS = 0.01  # the same, where thresholds and parameters are hardly to be told apart
_DRAWS = 50  # of all preferences, for the covariance of scores
_ROUNDING = 1e-6  # scores of a judge that stand for 0
_SINGULAR = 1e-8  # eigenvalues of a correlation that stand for 0
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


class Wanted(Protocol):
    """What is left of preferences after a fit, to be explained by more columns."""

    def p_value(self, columns: FloatArray) -> float:
        """Return the p-value of Rao's score test that the columns have no effect on the margin.

        Their scores are cleared of what the estimated parameters take out of them. It is nan where
        nothing is left.
        """


class WantedByAll:
    """What is left of the preferences of judges who weigh all thresholds alike.

    Parameters
    ----------
    fit : FreeFit
        The fit without the constraint g >= 0.
    query : ndarray of shape (n_preferences,), int
        Query of each preference, over which sums vary.
    """

    def __init__(self, fit: FreeFit, query: IntArray) -> None:
        self._fit, self._query = fit, query

    def p_value(self, columns: FloatArray) -> float:
        """Return the p-value by Hotelling's statistic of the sums by query."""
        before = self._fit.wanted[:, None] * columns
        left = before - self._fit.scores @ (self._fit.moves.T @ before)
        used = (left**2).sum(axis=0) > _LEAST_LEFT * (before**2).sum(axis=0)
        if not used.any():
            return float("nan")
        sums = sums_by(self._query, left[:, used])
        return _hotelling(sums.sum(axis=0), cluster_covariance(sums, ()), len(sums) - 1)


class WantedByOwn:
    """What is left of the preferences of judges who each have a threshold of their own.

    Scores vary as those of preferences that are drawn from the fit. By their own variation, tests
    of rare preferences warn too often: the more of these there are, the more the sum varies, too.

    A threshold that nobody has takes nothing out. Of the preferences that only its judges can have,
    there are none, so that its score is below 0 on the average, and nothing is to be cleared of it.

    Parameters
    ----------
    model : JudgeThresholds
        The judges.
    fit : Fit
        Their thresholds.
    random : Generator
        Source of the draws.
    """

    def __init__(self, model: JudgeThresholds, fit: Fit, random: np.random.Generator) -> None:
        self._judge = model.judge
        given = fit.weights, fit.others

        def of(judges: JudgeThresholds) -> tuple[FloatArray, FloatArray]:
            return judges.wanted(*given), judges.likelihood(*given).scores[:, fit.within]

        self._found = of(model)
        self._drawn = [of(model.drawn(*given, random)) for _ in range(_DRAWS)]
        self._n_drawn = _DRAWS * len(fit.scores)

    def p_value(self, columns: FloatArray) -> float:
        """Return the p-value by the covariance of drawn scores of the parameters and columns."""
        drawn = np.concatenate([self._scores(each, columns) for each in self._drawn])
        covariance = drawn.T @ drawn / _DRAWS
        spread = np.sqrt(covariance.diagonal())
        scale = np.where(spread > _ROUNDING * np.sqrt(len(self._found[1])), spread, np.inf)
        correlation = covariance / np.outer(scale, scale)
        sums = self._scores(self._found, columns).sum(axis=0) / scale
        n = self._found[1].shape[1]
        taken_out = _inverse(correlation[:n, :n]) @ correlation[:n, n:]
        left = correlation[n:, n:] - correlation[n:, :n] @ taken_out
        used = left.diagonal() > _LEAST_LEFT_OF_DRAWS
        if not used.any():
            return float("nan")
        cleared = (sums[n:] - taken_out.T @ sums[:n])[used]
        return _hotelling(cleared, left[np.ix_(used, used)], self._n_drawn)

    def _scores(self, told: tuple[FloatArray, FloatArray], columns: FloatArray) -> FloatArray:
        """Return the scores of the parameters and of the columns, a row for each judge."""
        wanted, scores = told
        return np.hstack([scores, sums_by(self._judge, wanted[:, None] * columns)])


def _inverse(covariance: FloatArray) -> FloatArray:
    inverse = np.linalg.pinv(covariance, rcond=_SINGULAR, hermitian=True)
    return np.asarray(inverse, dtype=np.float64)


def _hotelling(sums: FloatArray, covariance: FloatArray, degrees: int) -> float:
    """Return the p-value that the expectation of sums is 0, by Hotelling's statistic.

    The covariance is estimated with the degrees of freedom.
    """
    spread = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(spread, spread)
    freedom = int(np.linalg.matrix_rank(correlation, tol=_SINGULAR, hermitian=True))
    rest = degrees + 1 - freedom
    if rest < 1:
        return float("nan")
    ratios = sums / spread
    statistic = ratios @ _inverse(correlation) @ ratios
    return float(fdtrc(freedom, rest, statistic * rest / (degrees * freedom)))


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
