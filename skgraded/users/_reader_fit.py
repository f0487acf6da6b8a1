"""Maximum likelihood of a reader, with the covariance over clusters and a test of fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from skgraded.users._readers import READERS, Reader
from skgraded.users._sessions import Sessions

__all__ = [
    "Fit",
    "FitTest",
    "cluster_covariance",
    "fit_reader",
    "goodness_of_fit",
    "held_out",
    "n_clusters_of",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LEAST = 1e-8
_MOST_STEPS = 60
_GAIN = 1e-4  # of the log likelihood: far less than the 1/2 of one standard error
_SMALLEST_SHARE = 2.0**-20
_RIDGE = 1e-9
_SAMPLE = 4000  # sessions that give the start for many
_FEWEST_CLICKS = 20.0
_LEAST_LEFT = 1e-3  # of the variance of a deviation, after what the parameters take out


class Fit(NamedTuple):
    """A reader fitted to sessions.

    Attributes
    ----------
    reader : Reader
        The model of these sessions.
    weights : ndarray of shape (n_classes,)
        Shares of the classes of users, which sum to 1.
    others : ndarray of shape (n_parameters,)
        The other parameters.
    logs : ndarray of shape (n_sessions,)
        Log likelihood of every session.
    scores : ndarray of shape (n_sessions, n_classes + n_parameters)
        Its derivatives.
    moves : ndarray of shape (n_sessions, n_classes + n_parameters)
        By how much each session moves the estimates: the scores times the inverse information.
    """

    reader: Reader
    weights: FloatArray
    others: FloatArray
    logs: FloatArray
    scores: FloatArray
    moves: FloatArray

    @property
    def parameters(self) -> FloatArray:
        """Weights and other parameters."""
        return np.concatenate([self.weights, self.others])

    @property
    def unbounded(self) -> FloatArray:
        """The parameters after one step that does not heed their bounds."""
        step: FloatArray = self.moves.sum(axis=0)
        return self.parameters + step


def fit_reader(name: str, sessions: Sessions, start: FloatArray | None = None) -> Fit:
    """Maximise the likelihood within the bounds, by steps with the scores' outer products.

    Parameters
    ----------
    name : str
        Key of `READERS`.
    sessions : Sessions
        The log.
    start : ndarray of shape (n_classes + n_parameters,), optional
        Where to begin.

    Returns
    -------
    Fit
        The fitted reader.
    """
    if start is None and len(sessions) > 2 * _SAMPLE:
        every = len(sessions) // _SAMPLE
        start = fit_reader(name, sessions.take(slice(None, None, every))).parameters
    reader: Reader = READERS[name](sessions)
    n = reader.n_classes
    if start is None:
        weights = np.full(n, 1.0 / (n - reader.n_without))
        weights[: reader.n_without] = 0.02
        start = np.append(weights / weights.sum(), reader.start)
    low = np.full(len(start), _LEAST)
    high = np.append(np.full(n, np.inf), np.full(len(start) - n, 1 - _LEAST))
    now = np.clip(start, low, high)
    logs, scores = reader.likelihood(now[:n], now[n:])
    for _ in range(_MOST_STEPS):
        slope = scores.sum(axis=0)
        root = np.linalg.cholesky(_information(scores, n))
        aim = np.linalg.solve(root, slope)
        step = lsq_linear(root.T, aim, (low - now, high - now), method="bvls").x
        if slope @ step < _GAIN:
            break
        better = _line_search(reader, now, step, logs.sum(), (low, high))
        if better is None:
            break
        now, logs, scores = better
    free = ~_is_held(now, scores.sum(axis=0), (low, high))
    free[reader.n_without : n] = True
    moves = np.zeros_like(scores)
    information = _information(scores, n)[np.ix_(free, free)]
    moves[:, free] = np.linalg.solve(information, scores[:, free].T).T
    return Fit(reader, now[:n], now[n:], logs, scores, moves)


def _is_held(now: FloatArray, slope: FloatArray, bounds: Any) -> NDArray[np.bool_]:
    """Tell which parameters are at a bound that the likelihood would have them cross."""
    low, high = bounds
    held: NDArray[np.bool_] = ((now <= 2 * low) & (slope < 0)) | ((now >= high - low) & (slope > 0))
    return held


def _line_search(
    reader: Reader, now: FloatArray, step: FloatArray, least: float, bounds: Any
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Halve the step until the likelihood rises; None where it does not."""
    n, share = reader.n_classes, 1.0
    while share > _SMALLEST_SHARE:
        there = np.clip(now + share * step, *bounds)
        there[:n] /= there[:n].sum()
        logs, scores = reader.likelihood(there[:n], there[n:])
        if logs.sum() > least:
            return there, logs, scores
        share /= 2
    return None


def _information(scores: FloatArray, n_classes: int) -> FloatArray:
    """Return the outer products of the scores; the sum of the weights, without effect, is fixed."""
    information: FloatArray = scores.T @ scores
    information[:n_classes, :n_classes] += len(scores)
    diagonal = information.diagonal()
    information[np.diag_indices(len(information))] += _RIDGE * (len(scores) + diagonal)
    return information


def n_clusters_of(sessions: Sessions) -> int:
    """Return the number of clusters, the smaller one of two ways."""
    counts = [int(each.max()) + 1 for each in sessions.clusters]
    return min(counts, default=len(sessions))


def cluster_covariance(values: FloatArray, clusters: tuple[IntArray, ...]) -> FloatArray:
    """Return the covariance of column sums over independent clusters, one way or two ways.

    Parameters
    ----------
    values : ndarray of shape (n_sessions, n_columns)
        What is summed; the sums' expectation is 0.
    clusters : tuple of ndarray of shape (n_sessions,), int
        None for independent sessions, one, or two crossed ones.

    Returns
    -------
    ndarray of shape (n_columns, n_columns)
        The covariance. Two ways add up, less that of the cells in which both meet [1]_; negative
        eigenvalues become 0.

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), "Robust Inference with Multiway
       Clustering", Journal of Business & Economic Statistics 29(2), Equation 2.3.
    """
    if not clusters:
        return _one_way(values)
    covariance = sum(_one_way(_sums_by(each, values)) for each in clusters)
    if len(clusters) > 1:
        both = clusters[0] * (clusters[1].max() + 1) + clusters[1]
        _, both = np.unique(both, return_inverse=True)
        covariance -= _one_way(_sums_by(both, values))
        sizes, axes = np.linalg.eigh(covariance)
        covariance = (axes * np.maximum(sizes, 0.0)) @ axes.T
    result: FloatArray = np.asarray(covariance)
    return result


def _one_way(sums: FloatArray) -> FloatArray:
    n = len(sums)
    product: FloatArray = sums.T @ sums
    return product * (n / max(n - 1, 1))


def _sums_by(cluster: IntArray, values: FloatArray) -> FloatArray:
    n = int(cluster.max()) + 1
    return np.column_stack([np.bincount(cluster, each, n) for each in values.T])


def held_out(name: str, sessions: Sessions, fold: IntArray, start: FloatArray) -> FloatArray:
    """Return the log likelihood of every session by the fit to the other fold."""
    logs = np.empty(len(sessions))
    for each in (0, 1):
        fit = fit_reader(name, sessions.take(fold != each), start)
        reader = READERS[name](sessions.take(fold == each))
        logs[fold == each] = reader.likelihood(fit.weights, fit.others).logs
    return logs


class FitTest(NamedTuple):
    """Result of the test of fit.

    Attributes
    ----------
    p_value : float
        How often a log of such users deviates as much.
    excess : ndarray of shape (n_levels + 1, n_ranks)
        Observed clicks less expected ones, in standard errors; nan where few are expected.
    """

    p_value: float
    excess: FloatArray


def goodness_of_fit(
    fit: Fit, sessions: Sessions, n_draws: int, random: np.random.Generator
) -> FitTest:
    """Compare observed with expected clicks by grade and rank, and the sessions with a click.

    The statistic is the sum of squared deviations, each in its standard errors. Deviations are
    cleared of what the estimation of the parameters takes out of them, and their covariance is
    that of sums over clusters; draws with it, with the tails of Student's distribution, give the
    p-value. Ranks where a grade has few clicks count together.

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
    FitTest
        p-value and deviations.
    """
    expected, any_expected = fit.reader.expected(fit.weights, fit.others)
    n_cells, n_ranks = sessions.n_levels + 1, sessions.level.shape[1]
    columns = [sessions.clicked.any(axis=1) - any_expected]
    groups: list[tuple[int, IntArray]] = []
    is_enough = [min(any_expected.sum(), (1 - any_expected).sum()) >= _FEWEST_CLICKS]
    for at in range(n_cells):
        here = sessions.level == at
        clicks = np.where(here, expected, 0.0).sum(axis=0)
        likely = np.minimum(clicks, here.sum(axis=0) - clicks)
        for ranks in _rank_groups(likely):
            groups.append((at, ranks))
            apart = np.where(here[:, ranks], sessions.clicked[:, ranks] - expected[:, ranks], 0.0)
            columns.append(apart.sum(axis=1))
            is_enough.append(True)
    residuals = np.column_stack(columns)
    spread = (residuals**2).sum(axis=0)
    residuals = residuals - fit.scores @ (fit.moves.T @ residuals)
    covariance = cluster_covariance(residuals, sessions.clusters)
    variance = covariance.diagonal()
    used = np.flatnonzero(np.array(is_enough) & (variance > _LEAST_LEFT * spread))
    excess = np.full((n_cells, n_ranks), np.nan)
    if not len(used):
        return FitTest(float("nan"), excess)
    deviations = np.sqrt(variance[used])
    correlation = covariance[np.ix_(used, used)] / np.outer(deviations, deviations)
    found = residuals.sum(axis=0)[used] / deviations
    for each, of_group in zip(used, found, strict=True):
        if each:
            at, ranks = groups[each - 1]
            excess[at, ranks] = of_group
    sizes = np.maximum(np.linalg.eigvalsh(correlation), 0.0)
    draws = random.chisquare(1, size=(n_draws, len(sizes))) @ sizes
    degrees = max(n_clusters_of(sessions) - 1, 1)
    draws *= degrees / random.chisquare(degrees, size=n_draws)
    p_value = float((1 + (draws >= (found**2).sum()).sum()) / (1 + n_draws))
    return FitTest(p_value, excess)


def _rank_groups(likely: FloatArray) -> list[IntArray]:
    """Return ranks with enough clicks, each by itself, and the others together if these have."""
    is_enough = likely >= _FEWEST_CLICKS
    alone = [np.array([rank]) for rank in np.flatnonzero(is_enough)]
    rest = np.flatnonzero(~is_enough)
    return [*alone, rest] if likely[rest].sum() >= _FEWEST_CLICKS else alone
