"""Likelihood of preferences between two rankings that differ in average precision by threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import lsq_linear
from scipy.special import logsumexp

__all__ = ["Comparisons", "FreeFit", "fit_weights", "free_fit"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RIDGE = 1e-8  # keeps weights finite that the preferences do not limit
_MOST_STEPS = 100
_SMALLEST_STEP = 1e-6
_CONVERGED = 1e-10


class Comparisons(NamedTuple):
    """Preferences, the difference that each is about, and the number of its query."""

    preference: FloatArray
    differences: FloatArray
    query: IntArray

    @property
    def n_queries(self) -> int:
        return int(self.query.max()) + 1

    @property
    def n_ties(self) -> int:
        return int((self.preference == 0).sum())


def _logits(parameters: FloatArray, told: Comparisons) -> tuple[FloatArray, FloatArray]:
    """Return the logits of A, B and a tie, and the log of the sum of their exponentials."""
    half = told.differences @ parameters[:-1] / 2
    tie = np.full_like(half, parameters[-1] if told.n_ties else -np.inf)
    logits = np.column_stack([half, -half, tie])
    return logits, logsumexp(logits, axis=1)


def _scores(parameters: FloatArray, told: Comparisons) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of every preference's log likelihood, and the probabilities."""
    logits, total = _logits(parameters, told)
    p: FloatArray = np.exp(logits - total[:, None])
    by_weight = told.differences * ((told.preference - p[:, 0] + p[:, 1]) / 2)[:, None]
    return np.column_stack([by_weight, (told.preference == 0) - p[:, 2]]), p


def _loss(parameters: FloatArray, told: Comparisons) -> float:
    """Return the mean negative log likelihood, with a ridge that keeps parameters finite."""
    logits, total = _logits(parameters, told)
    outcome = np.select([told.preference > 0, told.preference < 0], [0, 1], default=2)
    chosen = logits[np.arange(len(outcome)), outcome]
    return float((total - chosen).mean() + _RIDGE * parameters @ parameters / 2)


def _information(p: FloatArray, told: Comparisons) -> FloatArray:
    """Return the negative second derivatives of the log likelihood, summed, with the ridge."""
    n_weights = told.differences.shape[1]
    apart, tied = p[:, 0] - p[:, 1], p[:, 2]
    spread = (1 - tied - apart**2) / 4
    information = np.empty((n_weights + 1, n_weights + 1))
    information[:-1, :-1] = (told.differences * spread[:, None]).T @ told.differences
    information[-1, :-1] = information[:-1, -1] = -(apart * tied / 2) @ told.differences
    information[-1, -1] = (tied * (1 - tied)).sum()
    return information + len(p) * _RIDGE * np.eye(n_weights + 1)


def fit_weights(told: Comparisons, at_least: float) -> FloatArray:
    """Maximise the likelihood over the weights beta g, which are bounded below, and log nu.

    Each step maximises the quadratic approximation within the bounds, and is halved until the
    likelihood, which is concave, rises.
    """
    n_weights = told.differences.shape[1]
    bounds = (np.append(np.full(n_weights, at_least), -np.inf), np.inf)
    parameters: FloatArray = np.append(np.ones(n_weights), 0.0)
    loss = _loss(parameters, told)
    for _ in range(_MOST_STEPS):
        scores, p = _scores(parameters, told)
        slope = scores.sum(axis=0) - len(p) * _RIDGE * parameters
        root = np.linalg.cholesky(_information(p, told))
        aim = root.T @ parameters + solve_triangular(root, slope, lower=True)
        step = lsq_linear(root.T, aim, bounds, method="bvls").x - parameters
        share = 1.0
        while (lower := _loss(parameters + share * step, told)) > loss and share > _SMALLEST_STEP:
            share /= 2
        if lower > loss:
            break
        parameters, loss = parameters + share * step, lower
        if np.abs(step).max() < _CONVERGED * max(1.0, np.abs(parameters).max()):
            break
    return parameters


class FreeFit(NamedTuple):
    """A fit without the constraint g >= 0.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        The weights beta g.
    scores, moves : ndarray of shape (n_preferences, n_parameters)
        Gradient of every preference's log likelihood by weights and, with ties, log nu, and by how
        much it moves them.
    wanted : ndarray of shape (n_preferences,)
        By how much every preference wants its margin larger.
    """

    weights: FloatArray
    scores: FloatArray
    moves: FloatArray
    wanted: FloatArray


def free_fit(told: Comparisons) -> FreeFit:
    """Fit the weights without constraint, and say what every preference adds to them."""
    parameters = fit_weights(told, at_least=-np.inf)
    scores, p = _scores(parameters, told)
    n_weights = told.differences.shape[1]
    kept = slice(n_weights + bool(told.n_ties))
    information = _information(p, told)[kept, kept]
    moves = np.linalg.solve(information, scores[:, kept].T).T.astype(np.float64)
    wanted = (told.preference - p[:, 0] + p[:, 1]) / 2
    return FreeFit(parameters[:n_weights], scores[:, kept], moves, wanted)
