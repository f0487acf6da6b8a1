"""Estimates of g from sessions: by each reader, by the first rank alone, and which reader fits."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc

from skgraded.users._reader_fit import (
    Fit,
    cluster_covariance,
    fit_reader,
    held_out,
    n_clusters_of,
)
from skgraded.users._resampling import student_draws
from skgraded.users._sessions import Sessions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_COMPARED = 20_000  # sessions on which readers are compared
_FEWEST_WHOLE = 200
_CLEARLY = 2.0  # standard errors


class Estimate(NamedTuple):
    """An estimate of g over the thresholds that the log tells apart.

    Attributes
    ----------
    g : ndarray of shape (n_levels,)
        The estimate.
    moves : ndarray of shape (n_sessions, n_levels)
        By how much each session of the log moves it.
    fit : Fit or None
        The fitted reader.
    """

    g: FloatArray
    moves: FloatArray
    fit: Fit | None = None


def sessions_for(reader: str, sessions: Sessions) -> tuple[Sessions, Any]:
    """Return the part of the log that a reader can explain, and the numbers of its sessions."""
    if reader == "cascade":
        return sessions.up_to_holes(), slice(None)
    if reader == "one":
        rows = np.flatnonzero(~sessions.has_holes)
        return sessions.take(rows), rows
    return sessions, slice(None)


def estimate_by(reader: str, sessions: Sessions) -> Estimate:
    """Estimate g by a reader, or from the first rank alone."""
    if reader == "first_rank":
        return estimate_by_first_rank(sessions)
    return _estimate_by_reader(reader, sessions)


def _estimate_by_reader(reader: str, sessions: Sessions) -> Estimate:
    """Fit a reader and read g off its classes."""
    part, rows = sessions_for(reader, sessions)
    fit = fit_reader(reader, part)
    classes = slice(fit.reader.n_without, fit.reader.n_classes)
    g = fit.weights[classes] / fit.weights[classes].sum()
    moves = np.zeros((len(sessions), len(g)))
    of_part = fit.moves[:, classes]
    moves[rows] = (of_part - g * of_part.sum(axis=1, keepdims=True)) / fit.weights[classes].sum()
    return Estimate(g, moves, fit)


def estimate_by_first_rank(sessions: Sessions) -> Estimate:
    """Read g off the rates of clicks at the first rank, which everybody examines as often.

    Raises
    ------
    ValueError
        If the top grade is not clicked more often there than the lowest one.
    """
    from sklearn.isotonic import isotonic_regression

    n_cells = sessions.n_levels + 1
    known = (sessions.level[:, 0] >= 0) & (sessions.rank[0] == 1)
    level, clicked = np.maximum(sessions.level[:, 0], 0), sessions.clicked[:, 0] & known
    shown = np.bincount(level[known], minlength=n_cells).astype(np.float64)
    rates = np.bincount(level[clicked], minlength=n_cells) / np.maximum(shown, 1.0)
    fitted = isotonic_regression(rates, sample_weight=np.maximum(shown, 1e-9))
    if not shown[1:].all() or not (fitted[-1] > fitted[0] and rates[-1] > rates[0]):
        raise ValueError(
            "reader='first_rank' needs every grade at position 1, and more clicks on the top grade "
            f"than on the lowest there, got {shown.astype(int).tolist()} rows and the rates "
            f"{rates.round(3).tolist()} by grade."
        )
    of_rate = np.zeros((len(sessions), n_cells))
    at = np.flatnonzero(known)
    of_rate[at, level[at]] = (clicked[at] - rates[level[at]]) / shown[level[at]]
    rise = rates[-1] - rates[0]
    raw = np.diff(rates) / rise
    moves = (np.diff(of_rate, axis=1) - raw * (of_rate[:, -1:] - of_rate[:, :1])) / rise
    return Estimate(np.diff(fitted) / (fitted[-1] - fitted[0]), moves)


def draws_of(
    estimate: Estimate, sessions: Sessions, n_draws: int, random: np.random.Generator
) -> FloatArray:
    """Draw g from the distribution of its estimate over samples of clusters."""
    covariance = cluster_covariance(estimate.moves, sessions.clusters)
    degrees = n_clusters_of(sessions) - 1
    return student_draws(estimate.g, covariance, degrees, n_draws, random)


def mean_difference(one: Estimate, other: Estimate, sessions: Sessions) -> tuple[float, float]:
    """Return the difference of two mean thresholds, in levels, and its standard error."""
    levels = np.arange(1, len(one.g) + 1)
    moves = ((one.moves - other.moves) @ levels)[:, None]
    error = float(np.sqrt(cluster_covariance(moves, sessions.clusters)[0, 0]))
    return float((one.g - other.g) @ levels), error


def difference_of_segments(
    estimates: list[Estimate], segment: IntArray, sessions: Sessions
) -> float:
    """Return the p-value of Wald's test that all segments have the same g."""
    n_levels = len(estimates[0].g)
    if len(estimates) == 1 or n_levels == 1:  # nothing can differ
        return float("nan")
    free = slice(0, n_levels - 1)  # the last one follows from the sum
    moves = np.zeros((len(sessions), len(estimates), n_levels - 1))
    for at, each in enumerate(estimates):
        moves[segment == at, at] = each.moves[:, free]
    values = np.array([each.g[free] for each in estimates])
    covariance = cluster_covariance(moves.reshape(len(sessions), -1), sessions.clusters)
    contrast = np.kron(
        np.column_stack([-np.ones(len(estimates) - 1), np.eye(len(estimates) - 1)]),
        np.eye(n_levels - 1),
    )
    apart = contrast @ values.ravel()
    of_apart = contrast @ covariance @ contrast.T
    statistic = apart @ np.linalg.pinv(of_apart, hermitian=True) @ apart
    return float(chdtrc(len(apart), statistic))


class Choice(NamedTuple):
    """How well the readers predict sessions of other clusters.

    Attributes
    ----------
    reader : str
        The chosen one.
    mean : dict of str to float
        Mean log likelihood of a session that was held out.
    ahead : dict of (str, str) to (float, float)
        By how much the first of two readers is ahead of the second, and the standard error of that.
    excluded : dict of str to str
        Why others cannot explain the log.
    """

    reader: str
    mean: dict[str, float]
    ahead: dict[tuple[str, str], tuple[float, float]]
    excluded: dict[str, str]

    @property
    def behind(self) -> dict[str, tuple[float, float]]:
        """By how much each other reader is behind, and the standard error of that."""
        return {other: by for (one, other), by in self.ahead.items() if one == self.reader}

    @property
    def candidates(self) -> list[str]:
        """The chosen reader, and the others that none is clearly ahead of, the best one first."""
        refuted = {
            other for (_, other), (by, error) in self.ahead.items() if by >= _CLEARLY * error
        }
        others = set(self.mean) - refuted - {self.reader}
        return [self.reader, *sorted(others, key=lambda each: -self.mean[each])]


def choose_reader(readers: list[str], sessions: Sessions, random: np.random.Generator) -> Choice:
    """Compare readers by the likelihood of sessions in halves of the clusters.

    Parameters
    ----------
    readers : list of str
        The candidates.
    sessions : Sessions
        The log; readers are compared on sessions without holes, or, where these are few, on all
        up to the first hole.
    random : Generator
        Divides the clusters.

    Returns
    -------
    Choice
        The best, and how far the others are behind.
    """
    compared = _comparable(readers, sessions)
    of_cluster = min(compared.clusters, key=np.max, default=np.arange(len(compared)))
    _, of_cluster = np.unique(of_cluster, return_inverse=True)
    fold = (random.permutation(int(of_cluster.max()) + 1) % 2)[of_cluster]
    if not fold.any():
        raise ValueError(
            "reader='auto' needs at least two users, queries or sessions whose rows have grades, "
            "to compare readers on those that are held out. Name the reader."
        )
    logs = {
        each: held_out(each, compared, fold, fit_reader(each, compared).parameters)
        for each in readers
    }
    means = {each: float(values.mean()) for each, values in logs.items()}
    ahead = {
        (one, other): _mean_and_error(logs[one] - logs[other], compared.clusters)
        for one, other in itertools.permutations(readers, 2)
    }
    return Choice(max(means, key=lambda each: means[each]), means, ahead, {})


def _mean_and_error(values: FloatArray, clusters: tuple[IntArray, ...]) -> tuple[float, float]:
    centred = (values - values.mean())[:, None] / len(values)
    return float(values.mean()), float(np.sqrt(cluster_covariance(centred, clusters)[0, 0]))


def _comparable(readers: list[str], sessions: Sessions) -> Sessions:
    """Return sessions that all readers can explain, not too many of them."""
    whole = np.flatnonzero(~sessions.has_holes)
    if "one" in readers or len(whole) >= min(_FEWEST_WHOLE, len(sessions)):
        compared = sessions.take(whole)
    else:
        compared = sessions.up_to_holes()
    every = -(-len(compared) // _MOST_COMPARED)
    return compared.take(slice(None, None, every)) if every > 1 else compared


def why_not(reader: str, sessions: Sessions) -> str:
    """Return why a reader cannot explain the log, or an empty string."""
    if reader == "position":
        return _why_not_connected(sessions)
    if reader == "cascade":
        if sessions.rank[0] != 1:
            return f"the log must hold position 1, got positions from {sessions.rank[0]} on"
        cut = sessions.up_to_holes()
        return "no click stands above the first hole of its session" * (not cut.clicked.any())
    n_several = int((sessions.clicked.sum(axis=1) > 1).sum())
    if n_several:
        return f"no session may have several clicks, got {n_several} with more"
    whole = sessions.take(~sessions.has_holes)
    if len(whole) < min(_FEWEST_WHOLE, len(sessions)) or not whole.clicked.any():
        return f"every row of a session must have a grade, as is so in {len(whole)} sessions alone"
    return ""


def _why_not_connected(sessions: Sessions) -> str:
    """Say where grades and ranks are not a connected table, so that g and examination are one."""
    if sessions.propensity is not None:
        return ""
    rows, columns = np.nonzero(sessions.known)
    levels = sessions.level[rows, columns]
    n_levels, n_ranks = sessions.n_levels + 1, len(sessions.rank)
    clicked = sessions.clicked[rows, columns]
    tells = (np.bincount(levels[clicked], minlength=n_levels) > 0)[levels]  # what nobody clicks
    tells &= (np.bincount(columns[clicked], minlength=n_ranks) > 0)[columns]  # connects nothing
    levels, columns = levels[tells], columns[tells]
    # SciPy before 1.12 takes a graph of 32-bit indices alone.
    places = levels.astype(np.int32), (n_levels + columns).astype(np.int32)
    cells = coo_array((np.ones(len(levels)), places), shape=(n_levels + n_ranks,) * 2)
    _, part = connected_components(cells, directed=False)
    used = np.append(
        np.bincount(levels, minlength=n_levels) > 0, np.bincount(columns, minlength=n_ranks) > 0
    )
    n_parts = len(np.unique(part[used]))
    if n_parts < 2:  # noqa: PLR2004
        return ""
    return (
        "grades and positions must form a connected table, where every grade shares positions with "
        f"others, got {n_parts} parts: whether a grade or its positions are liked, the log cannot "
        "tell"
    )
