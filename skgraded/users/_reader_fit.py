"""Maximum likelihood of a reader, and the covariance over clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from skgraded.users._readers import READERS, Reader
from skgraded.users._sessions import Sessions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LEAST = 1e-8
_MOST_STEPS = 60
_GAIN = 1e-4  # of the log likelihood: far less than the 1/2 of one standard error
_SMALLEST_SHARE = 2.0**-20
_RIDGE = 1e-9
_SAMPLE = 4000  # sessions that give the start for many


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


def fit_reader(name: str, sessions: Sessions, start: FloatArray | None = None) -> Fit:
    """Maximise the likelihood of a reader within the bounds, from a start on few of many sessions.

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
    return _maximise(READERS[name](sessions), start)


def _maximise(reader: Reader, start: FloatArray | None = None) -> Fit:
    """Maximise the likelihood within the bounds, by steps with the scores' outer products.

    The start is by default the reader's own, with classes of equal size.
    """
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
        information, scale = _information(scores, n)
        root = np.linalg.cholesky(information)
        aim = np.linalg.solve(root, slope / scale)
        room = (scale * (low - now), scale * (high - now))
        step = lsq_linear(root.T, aim, room, method="bvls").x / scale
        if slope @ step < _GAIN:
            break
        better = _line_search(reader, now, step, logs.sum(), (low, high))
        if better is None:
            break
        now, logs, scores = better
    free = ~_is_held(now, scores.sum(axis=0), (low, high))
    free[reader.n_without : n] = True
    moves = np.zeros_like(scores)
    information, scale = _information(scores, n)
    scaled = (scores / scale)[:, free]
    moves[:, free] = np.linalg.solve(information[np.ix_(free, free)], scaled.T).T / scale[free]
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


def _information(scores: FloatArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Return the outer products of the scores, scaled to a diagonal of 1, and the scale.

    The sum of the weights, which has no effect, is held fixed.
    """
    information: FloatArray = scores.T @ scores
    information[:n_classes, :n_classes] += len(scores)
    scale = np.sqrt(information.diagonal() + _RIDGE * len(scores))
    information /= np.outer(scale, scale)
    information += _RIDGE * np.eye(len(scale))
    return information, scale


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


def lean_of(moves: FloatArray, clusters: tuple[IntArray, ...]) -> FloatArray:
    """Return half of how fast the variances of column sums grow with these, over the variances.

    Cubed sums over clusters two ways add up, less those of the cells in which both meet.
    """
    variance = cluster_covariance(moves, clusters).diagonal()
    ways = [_sums_by(each, moves) for each in clusters] or [moves]
    cubes = sum((each**3).sum(axis=0) for each in ways)
    if len(clusters) > 1:
        both = clusters[0] * (clusters[1].max() + 1) + clusters[1]
        _, both = np.unique(both, return_inverse=True)
        cubes = cubes - (_sums_by(both, moves) ** 3).sum(axis=0)
    least = np.finfo(np.float64).tiny
    lean: FloatArray = cubes / np.maximum(2 * variance**2, least)  # 0 where nothing moves
    return lean


def _one_way(sums: FloatArray) -> FloatArray:
    n = len(sums)
    product: FloatArray = sums.T @ sums
    return product * (n / max(n - 1, 1))


def _sums_by(cluster: IntArray, values: FloatArray) -> FloatArray:
    """Return the sums of the columns by cluster, shape (n_clusters, n_columns)."""
    n = int(cluster.max()) + 1
    return np.column_stack([np.bincount(cluster, each, n) for each in values.T])


def held_out(name: str, sessions: Sessions, fold: IntArray, start: FloatArray) -> FloatArray:
    """Return the log likelihood of every session by the fit to the other fold.

    What the other fold never shows is not impossible: by Laplace's rule of succession, its
    probability is 1 / (n + 2) in n sessions. Else a single session would decide between readers.
    """
    logs = np.empty(len(sessions))
    for each in (0, 1):
        others = sessions.take(fold != each)
        fit, least = fit_reader(name, others, start), 1 / (len(others) + 2)
        reader = READERS[name](sessions.take(fold == each))
        parameters = np.clip(fit.others, least, 1 - least)
        logs[fold == each] = reader.likelihood(np.maximum(fit.weights, least), parameters).logs
    return logs
