"""Tests of what a reader leaves out, each by its score, cleared of the parameters (Rao 1948).

A departure adds `weight` to the log odds of a click, by class, grade and rank. Its score is the sum
of weight * (clicked - expected) over the ranks to which the user gets. That of a departure which
varies from session to session is a second derivative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from skgraded._intervals.estimate import Estimate
from skgraded._support.array_types import FloatArray
from skgraded.users._chooser import Chooser
from skgraded.users._fit import Fit
from skgraded.users._reader import Reader, Walks
from skgraded.users._sessions import ABSENT, Sessions

_LEAST_INFORMATION = 50.0  # sum of p (1 - p); with less, the scores are far from normal
_LEAST_REMAINDER = (
    1e-3  # of the squares of a score, after it is cleared of the parameters
)


class _Score(NamedTuple):
    """Score and information of a departure, by session."""

    name: str
    score: FloatArray
    information: FloatArray


def departures_of(fit: Fit) -> tuple[dict[str, float], float]:
    """Test what a reader leaves out.

    Parameters
    ----------
    fit : Fit
        The reader with its parameters.

    Returns
    -------
    departures : dict of str to float
        Their scores in standard errors: above 0 if there is more of it than none.
    p_value : float
        That the largest is chance, by Bonferroni's rule; nan if none could be tested.
    """
    names, scores = _testable_scores(fit)
    if not names:
        return {}, float("nan")

    # What a score shares with those of the parameters is no sign of a departure.
    moves = fit.moves_within.T @ scores
    cleared = scores - fit.scores @ moves
    clusters = fit.reader.sessions.clusters
    value = cleared.sum(axis=0)
    estimate = Estimate(value, cleared, clusters=clusters)
    sum_of_squares = (scores**2).sum(axis=0)
    least_variance = _LEAST_REMAINDER * sum_of_squares
    tested = np.flatnonzero(estimate.error**2 > least_variance)
    if not len(tested):
        return {}, float("nan")

    p_values = estimate.students_p_value()[tested]
    least_p_value = float(p_values.min())
    p_value = min(1.0, len(tested) * least_p_value)
    error = estimate.error
    error = np.where(error > 0, error, np.inf)
    t = estimate.value / error
    departures = {names[column]: float(t[column]) for column in tested}
    return departures, p_value


def _testable_scores(fit: Fit) -> tuple[list[str], FloatArray]:
    """Return names of departures, and their scores, shape (n_sessions, n_names).

    Scores of the classes are added up. Departures of little information are left out.
    """
    reader = fit.reader
    if isinstance(reader, Chooser):
        departures = departures_of_choices(fit, reader)
    else:
        departures = departures_of_reading(fit, reader)

    score_of: dict[str, FloatArray] = {}
    information_of: dict[str, float] = {}
    for name, score, information in departures:
        total_information = information.sum()
        score_of[name] = score_of.get(name, 0.0) + score
        information_of[name] = information_of.get(name, 0.0) + total_information

    names = []
    testable_scores = []
    for name, score in score_of.items():
        if information_of[name] >= _LEAST_INFORMATION:
            names.append(name)
            testable_scores.append(score)
    if not names:
        return [], np.empty((len(fit.scores), 0))
    return names, np.column_stack(testable_scores)


def departures_of_reading(fit: Fit, reader: Reader) -> Iterator[_Score]:
    """Yield the departures of users who read from rank to rank, class by class."""
    sessions = reader.sessions
    walks_of_types = reader.walk(fit.theta)
    posterior, _ = reader.posterior(fit.theta, walks_of_types)
    for k, types in enumerate(reader.types.T, start=1):
        walks = walks_of_types.take(types)
        probability = posterior[:, k - 1]  # of the class
        yield from _departures_of_clicks(sessions, walks, k, probability)
        yield from _departures_of_going_on(sessions, walks, k, probability)
        yield from _departures_between_users(sessions, walks, probability)


def _departures_of_clicks(
    sessions: Sessions, walks: Walks, k: int, probability: FloatArray
) -> Iterator[_Score]:
    """Yield departures that make users of class k click other documents."""
    surprise, variance = _surprise_of_clicks(sessions, walks)
    for name, weight in click_weights(sessions, k).items():
        is_affected = weight != 0
        score_by_rank = walks.arriving * surprise * weight
        score = probability * score_by_rank.sum(axis=1)
        affected_variance = variance * is_affected
        information = probability * affected_variance.sum(axis=1)
        yield _Score(name, score, information)


def _surprise_of_clicks(
    sessions: Sessions, walks: Walks
) -> tuple[FloatArray, FloatArray]:
    """Return clicked - expected at each place, and the variance of a click there."""
    difference = sessions.clicked - walks.clicking
    surprise = np.where(sessions.level == ABSENT, 0.0, difference)
    clicking = walks.clicking
    variance = walks.arriving * clicking * (1 - clicking)
    return surprise, variance


def click_weights(sessions: Sessions, k: int) -> dict[str, FloatArray]:
    """Return what departures add to the log odds of a click of a user of class k, by place."""
    level = sessions.level
    n_levels = sessions.n_levels
    n_ranks = level.shape[1]
    depth = _depth(sessions)
    is_below = (level >= 0) & (level < k)
    is_just_below = (level == k - 1) & (level > 0)
    is_top = (level == n_levels) & (k < n_levels)

    # The mean grade of the documents above a place, as if one more of grade 0 were there.
    grades = np.maximum(level, 0)
    sum_above = np.cumsum(grades, axis=1) - grades
    mean_above = sum_above / np.arange(1, n_ranks + 1)

    levels_above_threshold = np.maximum(level - k, 0)
    weights_of_clicks = {
        "better documents above the threshold are clicked more": levels_above_threshold,
        "documents just below the threshold are clicked more": is_just_below,
        "demanding users click more readily": np.full(n_ranks, k),
        "demanding users look deeper": k * depth,
        "clicks below the threshold depend on rank": is_below * depth,
        "the top grade is clicked more": is_top,
        "after better documents users click more": mean_above,
    }
    return {
        name: weight.astype(np.float64) for name, weight in weights_of_clicks.items()
    }


def _departures_of_going_on(
    sessions: Sessions, walks: Walks, k: int, probability: FloatArray
) -> Iterator[_Score]:
    """Yield departures of how users of class k go on to the next rank."""
    arriving = walks.arriving[:, :-1]
    continuing = walks.continuing[:, :-1]
    went_on = walks.arriving[:, 1:]
    surprise = went_on - arriving * continuing
    variance = arriving * continuing * (1 - continuing)
    information = probability * variance.sum(axis=1)

    depth = _depth(sessions)[:-1]
    deep_score = probability * (surprise * depth).sum(axis=1)
    yield _Score("users who are deep in the list go on more", deep_score, information)
    demanding_score = probability * k * surprise.sum(axis=1)
    yield _Score("demanding users go on more", demanding_score, information)


def _departures_between_users(
    sessions: Sessions, walks: Walks, probability: FloatArray
) -> Iterator[_Score]:
    """Yield departures that vary from session to session, by second derivatives.

    With s_n = weight_n (clicked_n - expected_n), the sum of s_n over the ranks that a user gets to
    has the square sum s_n^2 + 2 s_n (s_1 + ... + s_(n-1)), of which its variance is expected.
    """
    surprise, variance = _surprise_of_clicks(sessions, walks)
    information = probability * variance.sum(axis=1)

    weights = {
        "some users click more than others": np.ones(len(sessions.rank)),
        "some users look deeper than others": _depth(sessions),
    }
    for name, weight in weights.items():
        score = surprise * weight
        sum_before = np.cumsum(score, axis=1) - score
        square = walks.arriving * (score**2 + 2 * score * sum_before)
        by_rank = square - variance * weight**2
        second_derivative = probability * by_rank.sum(axis=1)
        yield _Score(name, second_derivative, information)


def departures_of_choices(fit: Fit, reader: Chooser) -> Iterator[_Score]:
    """Yield departures of choices by grade and rank from what is expected."""
    sessions = reader.sessions
    level = sessions.level
    expected = reader.expected(fit.theta)
    surprise = sessions.clicked - expected
    variance = expected * (1 - expected)

    depth = _depth(sessions)
    grades = np.maximum(level, 0)
    is_top = (level == sessions.n_levels) * 1.0
    weights = {
        "more is chosen": np.ones(level.shape),
        "better documents are chosen deeper": grades * depth,
        "the top grade is chosen more": is_top,
        "the top grade is chosen deeper": is_top * depth,
        "grade 0 is chosen deeper": (level == 0) * depth,
    }
    for name, weight in weights.items():
        is_affected = weight != 0
        score_by_rank = surprise * weight
        score = score_by_rank.sum(axis=1)
        affected_variance = variance * is_affected
        information = affected_variance.sum(axis=1)
        yield _Score(name, score, information)


def _depth(sessions: Sessions) -> FloatArray:
    """Return the logarithm of each rank, less the mean."""
    depth = np.log2(sessions.rank + 1.0)
    return depth - depth.mean()
