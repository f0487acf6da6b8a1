"""One model of how people read a list and click, of which the known readers are special cases.

A user of class k clicks what reaches the k-th threshold. Who gets to rank n clicks such a document
there with probability x_n, and one below the threshold `below` times as often; goes on to the next
rank with probability `goes_on` and, after a click, with `goes_on` (1 - `stops`).

- "position": goes_on = 1, stops = 0: ranks are independent.
- "cascade": x is the same at all ranks.
- "auto": all are free. The data say how much of each it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded._support.array_types import FloatArray, IntArray
from skgraded.users._sessions import ABSENT, HOLE, Sessions, number_equal_rows

LEAST = 1e-8  # distance of parameters from 0 and 1
TINY = 1e-300


class Walks(NamedTuple):
    """What the parameters say about sessions that look alike to users of a class.

    Attributes
    ----------
    likelihood : ndarray of shape (n_types,)
        Probability of the clicks.
    arriving : ndarray of shape (n_types, n_ranks)
        Probability that the user gets to a rank, given the clicks.
    clicking : ndarray of shape (n_types, n_ranks)
        Probability that a user who gets there clicks.
    continuing : ndarray of shape (n_types, n_ranks)
        Probability that a user goes on from there.
    """

    likelihood: FloatArray
    arriving: FloatArray
    clicking: FloatArray
    continuing: FloatArray

    def take(self, types: IntArray) -> Walks:
        """Return the walks of sessions from those of their types."""
        return Walks(*(probability[types] for probability in self))


class Reader:
    """The likelihood of sessions, and its derivatives.

    For users of a class, sessions are alike if the same documents reach the threshold and are
    clicked. Such types are far fewer than sessions; all sums over ranks are over types.

    Parameters
    ----------
    sessions : Sessions
        The sessions.
    name : str
        "auto", "position" or "cascade".
    groups : ndarray of shape (n_ranks,), int64, optional
        Number of the parameter x of each rank.

    Attributes
    ----------
    n_classes : int
        Number of classes; their weights are the first parameters.
    names : tuple of str
        Names of the other parameters.
    free : ndarray of shape (n_parameters,), bool
        Parameters that are estimated.
    start : ndarray of shape (n_parameters,)
        Where to start.
    """

    def __init__(
        self, sessions: Sessions, name: str, groups: IntArray | None = None
    ) -> None:
        self.sessions = sessions
        self.name = name
        self.n_classes = sessions.n_levels
        if groups is None:
            groups = groups_for(sessions, name)
        self.groups = groups
        self._group_indicator = group_indicator(self.groups)
        self.names = (
            *names_of_ranks(self.groups, sessions.rank),
            "below",
            "goes_on",
            "stops",
        )

        self._find_types()
        self.start = self._starting_point()
        n_parameters = len(self.start)
        self.free = np.ones(n_parameters, dtype=bool)
        if name == "position":
            self.free[-2:] = False  # goes_on and stops

    def _find_types(self) -> None:
        """Give numbers to the types of all classes, and keep one row of each."""
        sessions = self.sessions
        by_class = (self.n_classes, 1)
        relevance = _relevance_by_class(sessions)
        clicked = np.tile(sessions.clicked, by_class)
        has_document = np.tile(sessions.level != ABSENT, by_class)
        matrices = [relevance, clicked, has_document]

        propensity = None
        if sessions.propensity is not None:
            propensity = np.tile(sessions.propensity, by_class)
            matrices.append(propensity)

        type_of_row = number_equal_rows(matrices)
        _, row_of_type = np.unique(type_of_row, return_index=True)
        types_of_classes = type_of_row.reshape(self.n_classes, -1)
        self.types = types_of_classes.T
        self._relevance = relevance[row_of_type]
        self._clicked = clicked[row_of_type]
        self._has_document = has_document[row_of_type]

        self._propensity = propensity
        if propensity is not None:
            self._propensity = propensity[row_of_type]

        from_last_rank = self._clicked[:, ::-1]
        n_clicks_to_rank = np.cumsum(from_last_rank, axis=1)
        n_clicks_from_rank_on = n_clicks_to_rank[:, ::-1]
        self._no_click_follows = n_clicks_from_rank_on == self._clicked

    def _starting_point(self) -> FloatArray:
        """Return equal weights, x from the rates of clicks, and usual values of the others."""
        sessions = self.sessions
        has_document = sessions.level != ABSENT
        clicks_by_group = sessions.clicked @ self._group_indicator
        documents_by_group = has_document @ self._group_indicator
        n_clicks = clicks_by_group.sum(axis=0)
        n_documents = documents_by_group.sum(axis=0)
        click_rate = n_clicks / np.maximum(n_documents, 1.0)

        # Not all documents reach the threshold; and where users leave, not all are examined.
        raise_by = 2.5
        below_goes_on_stops = [0.05, 0.9, 0.4]
        if self.name == "position":
            raise_by = 1.5
            below_goes_on_stops = [0.05, 1.0, 0.0]

        n_classes = self.n_classes
        weights = np.full(n_classes, 1 / n_classes)
        x = np.clip(raise_by * click_rate, 0.02, 0.9)
        return np.concatenate([weights, x, below_goes_on_stops])

    def _x_by_rank(self, theta: FloatArray) -> FloatArray:
        """Return x at every rank, times the propensities of types if there are any."""
        x = theta[self.n_classes : -3]
        x_by_rank = x[self.groups][None, :]
        if self._propensity is None:
            return x_by_rank
        return x_by_rank * self._propensity

    def _click_factor(self, below: float) -> FloatArray:
        """Return by how much x is multiplied: 1, or `below` if the threshold is not reached."""
        return below + (1 - below) * self._relevance

    def walk(self, theta: FloatArray) -> Walks:
        """Follow users of every type from rank to rank."""
        below, goes_on, stops = theta[-3:]

        # P(click at n | at n) = x_n factor_n, P(on to n + 1 | at n) = goes_on (1 - stops click_n)
        x = self._x_by_rank(theta)
        click_probability = x * self._click_factor(below)
        click_probability = np.minimum(click_probability, 1 - LEAST)
        clicking = click_probability * self._has_document
        staying = np.where(self._clicked, 1 - stops, 1.0)
        continuing = goes_on * staying
        observation = np.where(self._clicked, clicking, 1 - clicking)

        # P(clicks from n on | at n), from the last rank to the first:
        # observation_n (P(leave at n) [no click follows] + P(on to n + 1) P(clicks from n + 1 on))
        n_types, n_ranks = observation.shape
        from_rank_on = np.ones((n_types, n_ranks + 1))
        for n in reversed(range(n_ranks)):
            going_on = continuing[:, n]
            leaves = (1 - going_on) * self._no_click_follows[:, n]
            goes_on_and_clicks = going_on * from_rank_on[:, n + 1]
            behind_rank = leaves + goes_on_and_clicks
            from_rank_on[:, n] = observation[:, n] * behind_rank

        # P(at n | clicks) = P(clicks before n, at n) P(clicks from n on | at n) / P(clicks)
        passing = observation * continuing
        at_first_rank = np.ones(n_types)
        steps = np.column_stack([at_first_rank, passing[:, :-1]])
        before_rank = np.cumprod(steps, axis=1)
        likelihood = from_rank_on[:, 0]
        joint = before_rank * from_rank_on[:, :-1]
        divisor = np.maximum(likelihood, TINY)
        arriving = joint / divisor[:, None]
        return Walks(likelihood, arriving, clicking, continuing)

    def posterior(
        self, theta: FloatArray, walks: Walks
    ) -> tuple[FloatArray, FloatArray]:
        """Return the probability of each class given the session, and the log likelihood."""
        weights = theta[: self.n_classes]
        joint = walks.likelihood[self.types] * weights
        likelihood = np.maximum(joint.sum(axis=1), TINY)
        posterior = joint / likelihood[:, None]
        log_total = np.log(weights.sum())
        return posterior, np.log(likelihood) - log_total

    def likelihood(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of every session, and its derivatives (Fisher's identity)."""
        weights = theta[: self.n_classes]
        walks = self.walk(theta)
        posterior, log_likelihoods = self.posterior(theta, walks)

        # The score of a session is the mean over classes of the scores of its types.
        scores_of_clicking = self._scores_of_clicking(theta, walks)
        scores_of_going_on = self._scores_of_going_on(theta, walks)
        scores_of_types = np.hstack([scores_of_clicking, scores_of_going_on])
        n_parameters = scores_of_types.shape[1]
        scores = np.zeros((len(log_likelihoods), n_parameters))
        for probability_of_class, types_of_class in zip(
            posterior.T, self.types.T, strict=True
        ):
            scores_of_class = scores_of_types[types_of_class]
            scores += probability_of_class[:, None] * scores_of_class

        # d log(sum of w_k P_k / sum of w) / d w_k
        posterior_by_weight = posterior / np.maximum(weights, TINY)
        scores_of_weights = posterior_by_weight - 1 / weights.sum()
        return log_likelihoods, np.hstack([scores_of_weights, scores])

    def _scores_of_clicking(self, theta: FloatArray, walks: Walks) -> FloatArray:
        """Return derivatives by the x of every group of ranks and by `below`."""
        x = self._x_by_rank(theta)
        below = theta[-3]

        # d log P / d P(click) is 1 / P(click) after a click, and -1 / (1 - P(click)) without.
        slope_after_click = 1 / np.maximum(walks.clicking, TINY)
        slope_without = -1 / (1 - walks.clicking)
        slope_of_log = np.where(self._clicked, slope_after_click, slope_without)
        slope = walks.arriving * slope_of_log * self._has_document

        by_x = slope * self._click_factor(below)
        if self._propensity is not None:
            by_x = by_x * self._propensity
        irrelevance = 1 - self._relevance
        by_below = slope * x * irrelevance
        by_group = by_x @ self._group_indicator
        return np.column_stack([by_group, by_below.sum(axis=1)])

    def _scores_of_going_on(self, theta: FloatArray, walks: Walks) -> FloatArray:
        """Return derivatives by `goes_on` and `stops`."""
        goes_on, stops = theta[-2:]
        continuing = walks.continuing[:, :-1]
        was_clicked = self._clicked[:, :-1]

        # P(on to n + 1 | clicks), P(left at n | clicks), and the latter over P(leave | at n)
        went_on = walks.arriving[:, 1:]
        has_left = walks.arriving[:, :-1] - went_on
        leaving = np.maximum(1 - continuing, LEAST)
        leaving_ratio = has_left / leaving

        gain = went_on - leaving_ratio * continuing
        by_goes_on = gain.sum(axis=1) / goes_on
        not_stopping = max(1 - stops, LEAST)
        gain_after_click = leaving_ratio * goes_on - went_on / not_stopping
        gain_by_stops = np.where(was_clicked, gain_after_click, 0.0)
        return np.column_stack([by_goes_on, gain_by_stops.sum(axis=1)])


def groups_for(sessions: Sessions, name: str) -> IntArray:
    """Give numbers to the ranks; those with one share a parameter: few clicks, or all ranks."""
    if name == "cascade" or sessions.propensity is not None:
        return np.zeros(len(sessions.rank), dtype=np.int64)
    return sessions.groups_of_ranks()


def group_indicator(groups: IntArray) -> FloatArray:
    """Return 1 where a rank belongs to a group, shape (n_ranks, n_groups)."""
    n_groups = groups.max() + 1
    return np.eye(n_groups)[groups]


def names_of_ranks(groups: IntArray, rank: IntArray) -> tuple[str, ...]:
    """Name the x of each group of ranks by its first one, or by none if there is one group."""
    _, first_columns = np.unique(groups, return_index=True)
    first_ranks = rank[first_columns]
    if len(first_ranks) == 1:
        return ("clicks",)
    return tuple(f"clicks_{first}" for first in first_ranks)


def _relevance_by_class(sessions: Sessions) -> FloatArray:
    """Return 1 for documents that reach the threshold and else 0; class below class.

    A hole has the share of the graded documents at its rank that reach it.
    """
    level = sessions.level
    has_grade = level >= 0
    n_graded = np.maximum(has_grade.sum(axis=0), 1)
    relevance = []
    for k in range(1, sessions.n_levels + 1):
        reaches = level >= k
        share = reaches.sum(axis=0) / n_graded
        relevance_of_class = np.where(level == HOLE, share, reaches)
        relevance.append(relevance_of_class)
    return np.vstack(relevance)
