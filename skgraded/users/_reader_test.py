"""Test of fit: whether the clicks of a log are those that a reader expects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from skgraded.users._reader_fit import Fit, cluster_covariance, n_clusters_of
from skgraded.users._readers import Pairs
from skgraded.users._sessions import Sessions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST_CLICKS = 20.0
_LEAST_LEFT = 1e-3  # of the variance of a deviation, after what the parameters take out


def goodness_of_fit(
    fit: Fit, sessions: Sessions, n_draws: int, random: np.random.Generator
) -> float:
    """Test the counts of clicks and of pairs, and whether grades above the threshold satisfy more.

    Two tests share the error rate by Bonferroni's rule. Both clear what they test of what the
    estimation of the parameters takes out of it, and sum it over clusters.

    Parameters
    ----------
    fit : Fit
        The fitted reader.
    sessions : Sessions
        The log as the reader sees it.
    n_draws : int
        Number of draws.
    random : Generator
        Source of them.

    Returns
    -------
    float
        p-value; nan if there are too few clicks.
    """
    p_values = np.array(
        [_test_counts(fit, sessions, n_draws, random), _test_degrees(fit, sessions)]
    )
    known = p_values[~np.isnan(p_values)]
    return min(1.0, len(known) * float(known.min())) if len(known) else float("nan")


def _test_counts(fit: Fit, sessions: Sessions, n_draws: int, random: np.random.Generator) -> float:
    """Compare observed with expected clicks by grade and rank, and pairs of clicks by their grades.

    The statistic is the sum of squared deviations, each in its standard errors. Draws with their
    covariance, with the tails of Student's distribution, give the p-value. Clicks and pairs of
    which few are expected count together.
    """
    columns = [*_by_grade_and_rank(fit, sessions), *_by_pair(fit, sessions)]
    if not columns:
        return float("nan")
    sums, covariance = _cleared(np.column_stack(columns), fit, sessions)
    if not len(sums):
        return float("nan")
    deviations = np.sqrt(covariance.diagonal())
    sizes = np.maximum(np.linalg.eigvalsh(covariance / np.outer(deviations, deviations)), 0.0)
    draws = random.chisquare(1, size=(n_draws, len(sizes))) @ sizes
    degrees = max(n_clusters_of(sessions) - 1, 1)
    draws *= degrees / random.chisquare(degrees, size=n_draws)
    return float((1 + (draws >= ((sums / deviations) ** 2).sum()).sum()) / (1 + n_draws))


def _test_degrees(fit: Fit, sessions: Sessions) -> float:
    """Test by its score that a grade far above the threshold satisfies no more than one at it."""
    score = fit.reader.by_degrees(fit.weights, fit.others)
    if np.abs(score).sum() < _FEWEST_CLICKS:
        return float("nan")
    sums, covariance = _cleared(score[:, None], fit, sessions)
    if not len(sums):
        return float("nan")
    degrees = max(n_clusters_of(sessions) - 1, 1)
    return float(2 * stdtr(degrees, -abs(sums[0]) / np.sqrt(covariance[0, 0])))


def _cleared(residuals: FloatArray, fit: Fit, sessions: Sessions) -> tuple[FloatArray, FloatArray]:
    """Return column sums and their covariance, without columns that the parameters take out."""
    spread = (residuals**2).sum(axis=0)
    residuals = residuals - fit.scores @ (fit.moves.T @ residuals)
    covariance = cluster_covariance(residuals, sessions.clusters)
    used = np.flatnonzero(covariance.diagonal() > _LEAST_LEFT * spread)
    return residuals.sum(axis=0)[used], covariance[np.ix_(used, used)]


def _by_grade_and_rank(fit: Fit, sessions: Sessions) -> list[FloatArray]:
    """Return clicks less expected ones of every session, and whether there is any click."""
    expected, any_expected = fit.reader.expected(fit.weights, fit.others)
    columns = []
    if min(any_expected.sum(), (1 - any_expected).sum()) >= _FEWEST_CLICKS:
        columns.append(sessions.clicked.any(axis=1) - any_expected)
    for at in range(sessions.n_levels + 1):
        here = sessions.level == at
        clicks = np.where(here, expected, 0.0).sum(axis=0)
        likely = np.minimum(clicks, here.sum(axis=0) - clicks)
        for ranks in _groups(likely):
            apart = np.where(here[:, ranks], sessions.clicked[:, ranks] - expected[:, ranks], 0.0)
            columns.append(apart.sum(axis=1))
    return columns


def _by_pair(fit: Fit, sessions: Sessions) -> list[FloatArray]:
    """Return pairs of clicks less expected ones of every session, by the grades of both."""
    here = [(sessions.level == at).astype(np.float64) for at in range(sessions.n_levels + 1)]
    expected = sum(
        each.share * _pairs_by_grade(each, here)
        for each in fit.reader.pairs(fit.weights, fit.others)
    )
    if isinstance(expected, int):  # the reader knows no pairs
        return []
    clicked = sessions.clicked.astype(np.float64)
    apart = _pairs_by_grade(Pairs(1.0, clicked, clicked), here) - expected
    return [apart[:, each].sum(axis=1) for each in _groups(expected.sum(axis=0))]


def _pairs_by_grade(pairs: Pairs, here: list[FloatArray]) -> FloatArray:
    """Return the sum over pairs of places of every session, for every pair of grades."""
    n_grades = len(here)
    sums = np.zeros((n_grades, n_grades, len(here[0])))
    lower = [pairs.lower * each for each in here]
    for one in range(n_grades):
        upper = pairs.upper * here[one]
        above = np.cumsum(upper, axis=1) - upper
        for other in range(n_grades):
            sums[min(one, other), max(one, other)] += np.einsum("sn,sn->s", above, lower[other])
    by_grade: FloatArray = sums[np.triu_indices(n_grades)].T
    return by_grade


def _groups(likely: FloatArray) -> list[IntArray]:
    """Return places with enough clicks, each by itself, and the others together if these have."""
    is_enough = likely >= _FEWEST_CLICKS
    alone = [np.array([each]) for each in np.flatnonzero(is_enough)]
    rest = np.flatnonzero(~is_enough)
    return [*alone, rest] if likely[rest].sum() >= _FEWEST_CLICKS else alone
