"""The largest likelihood of a reader, and by how much every session moves its parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.users._chooser import Chooser
from skgraded.users._reader import LEAST, Reader
from skgraded.users._sessions import Sessions

_GAIN = 1e-4
_MOST_STEPS = 60
_SMALLEST_SHARE = 2.0**-20
_SAMPLE = 4000  # sessions from which the others start
_RIDGE = 1e-9


class Fit(NamedTuple):
    """Parameters of the largest likelihood.

    Attributes
    ----------
    reader : Reader or Chooser
        The model.
    theta : ndarray of shape (n_parameters,)
        Its parameters: weights of the classes, which sum to 1, then the others.
    log_likelihoods : ndarray of shape (n_sessions,)
        Log likelihoods of the sessions.
    scores : ndarray of shape (n_sessions, n_parameters)
        Their derivatives.
    moves : ndarray of shape (n_sessions, n_parameters)
        By how much each session moves the parameters.
    moves_within : ndarray of shape (n_sessions, n_parameters)
        The same where shares of 0 are held there.
    """

    reader: Reader | Chooser
    theta: FloatArray
    log_likelihoods: FloatArray
    scores: FloatArray
    moves: FloatArray
    moves_within: FloatArray

    @property
    def criterion(self) -> float:
        """Schwarz's: log likelihood less half a log of the sessions for every parameter."""
        n_free = int(self.reader.free.sum())
        n_sessions = len(self.log_likelihoods)
        penalty = np.log(n_sessions) / 2 * n_free
        log_likelihood = self.log_likelihoods.sum()
        return float(log_likelihood - penalty)


class _Point(NamedTuple):
    """Parameters, the log likelihoods of the sessions there, and their derivatives."""

    theta: FloatArray
    log_likelihoods: FloatArray
    scores: FloatArray


def maximise(sessions: Sessions, name: str, groups: IntArray | None = None) -> Fit:
    """Maximise the likelihood within [0, 1], by steps with the outer products of the scores.

    Parameters
    ----------
    sessions : Sessions
        The sessions.
    name : str
        The reader.
    groups : ndarray of shape (n_ranks,), int64, optional
        Number of the parameter of each rank.

    Returns
    -------
    Fit
        The parameters.
    """
    model = Chooser if name == "one" else Reader
    reader = model(sessions, name, groups)
    start = reader.start
    n_sessions = len(sessions.level)
    if n_sessions > 2 * _SAMPLE:
        stride = n_sessions // _SAMPLE
        sample = sessions.take(slice(None, None, stride))
        start = maximise(sample, name, reader.groups).theta
    theta, log_likelihoods, scores = _climb(reader, start)

    # Parameters at a bound, behind which the likelihood would rise, are held there.
    slope = scores.sum(axis=0)
    is_held_at_0 = (theta <= 2 * LEAST) & (slope < 0)
    is_held_at_1 = (theta >= 1 - 2 * LEAST) & (slope > 0)
    is_inside = ~(is_held_at_0 | is_held_at_1)

    # Shares of 0 have intervals, too.
    n_classes = reader.n_classes
    is_share = np.arange(len(theta)) < n_classes
    is_moved = reader.free & (is_inside | is_share)
    is_moved_within = reader.free & is_inside
    moves = _moves(scores, is_moved, n_classes)
    moves_within = _moves(scores, is_moved_within, n_classes)
    return Fit(reader, theta, log_likelihoods, scores, moves, moves_within)


def _climb(reader: Reader | Chooser, start: FloatArray) -> _Point:
    """Return the point of the largest likelihood."""
    low = np.full(len(start), LEAST)
    high = np.full(len(start), 1 - LEAST)
    high[: reader.n_classes] = np.inf  # weights, which every step scales to a sum of 1
    low = np.where(reader.free, low, start)
    high = np.where(reader.free, high, start)

    theta = np.clip(start, low, high)
    point = _Point(theta, *reader.likelihood(theta))
    for _ in range(_MOST_STEPS):
        down = low - point.theta
        up = high - point.theta
        step = _bounded_step(reader, point.scores, down, up)
        slope = point.scores.sum(axis=0)
        expected_gain = slope @ step
        if expected_gain < _GAIN:
            break
        better = _better_point(reader, point, step, low, high)
        if better is None:
            break
        point = better
    return point


def _better_point(
    reader: Reader | Chooser,
    point: _Point,
    step: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> _Point | None:
    """Return the first of the step, half the step and so on that gains, or None."""
    n_classes = reader.n_classes
    share = 1.0
    log_likelihood = point.log_likelihoods.sum()
    while share > _SMALLEST_SHARE:
        target = point.theta + share * step
        theta = np.clip(target, low, high)
        theta[:n_classes] /= theta[:n_classes].sum()
        candidate = _Point(theta, *reader.likelihood(theta))
        if candidate.log_likelihoods.sum() > log_likelihood:
            return candidate
        share /= 2
    return None


def _bounded_step(
    reader: Reader | Chooser, scores: FloatArray, down: FloatArray, up: FloatArray
) -> FloatArray:
    """Return the step with the largest gain within the bounds, if outer products were curvature.

    With the information I = L L' and the slope s, s'd - d'I d / 2 is largest where |L'd - L^-1 s|
    is least.
    """
    from scipy.optimize import lsq_linear

    free = np.flatnonzero(reader.free)
    information, scale = _scaled_information(scores, reader.n_classes)
    information_of_free = information[np.ix_(free, free)]
    root = np.linalg.cholesky(information_of_free)
    slope = (scores.sum(axis=0) / scale)[free]
    target = np.linalg.solve(root, slope)

    lowest = (scale * down)[free] - 1e-12
    highest = (scale * up)[free] + 1e-12
    bounds = (lowest, highest)
    solution = lsq_linear(root.T, target, bounds, method="bvls")
    step = np.zeros(len(scale))
    step[free] = solution.x / scale[free]
    return step


def _moves(scores: FloatArray, is_moved: BoolArray, n_classes: int) -> FloatArray:
    """Return the scores times the inverse information of the parameters that are moved."""
    information, scale = _scaled_information(scores, n_classes)
    scaled_scores = (scores / scale)[:, is_moved]
    information_of_moved = information[np.ix_(is_moved, is_moved)]
    scaled_moves = np.linalg.solve(information_of_moved, scaled_scores.T)
    moves = np.zeros_like(scores)
    moves[:, is_moved] = scaled_moves.T / scale[is_moved]
    return moves


def _scaled_information(
    scores: FloatArray, n_classes: int
) -> tuple[FloatArray, FloatArray]:
    """Return the outer products scaled to a diagonal of 1, and the scale.

    The sum of the weights is held fixed.
    """
    n_sessions = len(scores)
    information = scores.T @ scores
    information[:n_classes, :n_classes] += n_sessions
    squared_scale = information.diagonal() + _RIDGE * n_sessions
    scale = np.sqrt(squared_scale)
    scaled = information / np.outer(scale, scale)
    ridge = _RIDGE * np.eye(len(scale))
    return scaled + ridge, scale
