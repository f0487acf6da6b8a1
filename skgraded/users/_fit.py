"""The largest likelihood of a reader, and by how much every session moves its parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.users._reader import LEAST, Chooser, Reader
from skgraded.users._sessions import Lists

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
    logs : ndarray of shape (n_sessions,)
        Log likelihoods.
    scores : ndarray of shape (n_sessions, n_parameters)
        Their derivatives.
    moves : ndarray of shape (n_sessions, n_parameters)
        By how much each session moves the parameters.
    moves_within : ndarray of shape (n_sessions, n_parameters)
        The same where shares of 0 are held there.
    """

    reader: Reader | Chooser
    theta: FloatArray
    logs: FloatArray
    scores: FloatArray
    moves: FloatArray
    moves_within: FloatArray

    @property
    def criterion(self) -> float:
        """Schwarz's: log likelihood less half a log of the sessions for every parameter."""
        n_free = int(self.reader.free.sum())
        return float(self.logs.sum() - np.log(len(self.logs)) / 2 * n_free)


def maximise(lists: Lists, name: str, groups: IntArray | None = None) -> Fit:
    """Maximise the likelihood within [0, 1], by steps with the outer products of the scores.

    Parameters
    ----------
    lists : Lists
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
    reader = (Chooser if name == "one" else Reader)(lists, name, groups)
    n = reader.n_classes
    now = reader.start
    if len(lists.level) > 2 * _SAMPLE:
        part = lists.take(slice(None, None, len(lists.level) // _SAMPLE))
        now = maximise(part, name, reader.groups).theta
    low = np.full(len(now), LEAST)
    high = np.full(len(now), 1 - LEAST)
    high[:n] = np.inf
    low = np.where(reader.free, low, now)
    high = np.where(reader.free, high, now)
    now = np.clip(now, low, high)
    logs, scores = reader.likelihood(now)
    for _ in range(_MOST_STEPS):
        step = _bounded_step(reader, scores, low - now, high - now)
        if scores.sum(axis=0) @ step < _GAIN:
            break
        share = 1.0
        while share > _SMALLEST_SHARE:
            there = np.clip(now + share * step, low, high)
            there[:n] /= there[:n].sum()
            logs_there, scores_there = reader.likelihood(there)
            if logs_there.sum() > logs.sum():
                break
            share /= 2
        else:
            break
        now = there
        logs = logs_there
        scores = scores_there
    slope = scores.sum(axis=0)
    is_held = ((now <= 2 * LEAST) & (slope < 0)) | (
        (now >= 1 - 2 * LEAST) & (slope > 0)
    )
    is_share = np.arange(len(now)) < n  # those of 0 have intervals, too
    moves = _moves(scores, reader.free & (~is_held | is_share), n)
    return Fit(
        reader, now, logs, scores, moves, _moves(scores, reader.free & ~is_held, n)
    )


def _bounded_step(
    reader: Reader | Chooser, scores: FloatArray, down: FloatArray, up: FloatArray
) -> FloatArray:
    """Return the step with the largest gain within the bounds, if outer products were curvature."""
    from scipy.optimize import lsq_linear

    free = np.flatnonzero(reader.free)
    information, scale = _information(scores, reader.n_classes)
    root = np.linalg.cholesky(information[np.ix_(free, free)])
    aim = np.linalg.solve(root, (scores.sum(axis=0) / scale)[free])
    room = ((scale * down)[free] - 1e-12, (scale * up)[free] + 1e-12)
    step = np.zeros(len(scale))
    step[free] = lsq_linear(root.T, aim, room, method="bvls").x / scale[free]
    return step


def _moves(scores: FloatArray, within: BoolArray, n_classes: int) -> FloatArray:
    """Return the scores times the inverse information of the parameters that are not held."""
    information, scale = _information(scores, n_classes)
    moves = np.zeros_like(scores)
    scaled = (scores / scale)[:, within]
    solved = np.linalg.solve(information[np.ix_(within, within)], scaled.T).T
    moves[:, within] = solved / scale[within]
    return moves


def _information(scores: FloatArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Return the outer products scaled to a diagonal of 1; the sum of the weights is held fixed."""
    information = scores.T @ scores
    information[:n_classes, :n_classes] += len(scores)
    scale = np.sqrt(information.diagonal() + _RIDGE * len(scores))
    return information / np.outer(scale, scale) + _RIDGE * np.eye(len(scale)), scale
