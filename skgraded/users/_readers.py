"""Three models of how people read and click: their likelihoods, scores and expected clicks.

A user of class k has the k-th of the thresholds that the log tells apart. The probability of a
session is a mixture over the classes, with weights that need not sum to 1. Every reader has other
parameters beside these, between bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skgraded.rankings import number_rows
from skgraded.users._sessions import Sessions, first_rows

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_TINY = 1e-300
_LEAST = 1e-8  # probabilities stay this far from 0 and 1, so that logarithms are finite


class Likelihood(NamedTuple):
    """Log likelihood of every session, and its derivatives by weights and other parameters."""

    logs: FloatArray
    scores: FloatArray


class Reader(Protocol):
    """A model of whole sessions.

    Attributes
    ----------
    n_classes : int
        Number of classes of users.
    n_without : int
        How many of them, the first ones, have no threshold among the grades above 0.
    names : tuple of str
        Names of the other parameters.
    start : ndarray of shape (n_parameters,)
        Where to begin with them.
    """

    n_classes: int
    n_without: int
    names: tuple[str, ...]
    start: FloatArray

    def likelihood(self, weights: FloatArray, others: FloatArray) -> Likelihood:
        """Return the likelihood of every session."""

    def expected(self, weights: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability of a click at every place, and of any click in every session."""

    def examined(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the probability that each place is examined, up to a factor."""

    def pairs(self, weights: FloatArray, others: FloatArray) -> Iterator[Pairs]:
        """Yield for each class what makes the probability of two clicks."""

    def by_degrees(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the score, at 0, of what each grade above the threshold adds to the log odds.

        The odds are those of a click on a document that is examined, and where it is not known
        whether it is, those of a click.
        """


class Pairs(NamedTuple):
    """Probabilities of two clicks by users of a class.

    Attributes
    ----------
    share : float
        Share of the class.
    upper, lower : ndarray of shape (n_sessions, n_ranks)
        Their product is the probability of a click at a place and at one below it.
    """

    share: float
    upper: FloatArray
    lower: FloatArray


class _Examination:
    """Probability of examination at every place: by rank, or what is given times a factor."""

    def __init__(self, sessions: Sessions) -> None:
        self.given = sessions.propensity
        if self.given is not None:
            self.names: tuple[str, ...] = ("examined",)
            self.start = np.array([0.5])
            return
        self.names = tuple(f"examined_{rank}" for rank in sessions.rank)
        n_clicked = np.where(sessions.known, sessions.clicked, 0).sum(axis=0)
        rate = (n_clicked + 0.5) / (sessions.known.sum(axis=0) + 1.0)
        self.start = np.clip(1.5 * rate, 0.01, 0.9)

    def at(self, others: FloatArray) -> FloatArray:
        """Return the probabilities, which broadcast over sessions and ranks."""
        if self.given is None:
            return others[None, :]
        x: FloatArray = np.clip(self.given * others[0], _LEAST, 1 - _LEAST)
        return x

    def scores(self, slopes: FloatArray, others: FloatArray) -> FloatArray:
        """Return scores of the parameters from derivatives by the probability at each place."""
        if self.given is None:
            return slopes
        of_factor: FloatArray = (slopes * self.given).sum(axis=1, keepdims=True)
        return of_factor


class Position:
    """Documents are examined independently, with a probability by rank.

    With probability x_n the document at rank n is examined and would be clicked if its grade
    reaches the user's threshold; below it, a click is `missed` times as likely.
    """

    n_without = 0

    def __init__(self, sessions: Sessions) -> None:
        self.sessions, self.n_classes = sessions, sessions.n_levels
        self.examination = _Examination(sessions)
        self.names = (*self.examination.names, "below")
        self.start = np.append(self.examination.start, 0.05)
        self._known, self._clicked = sessions.known, sessions.clicked
        self._reach = [
            (sessions.level >= k).astype(np.float64) for k in range(1, self.n_classes + 1)
        ]

    def likelihood(self, weights: FloatArray, others: FloatArray) -> Likelihood:
        """Return the likelihood of every session."""
        below, x = others[-1], self.examination.at(others[:-1])
        known, clicked = self._known, self._clicked
        low = np.where(clicked, np.log(x * below), np.log1p(-x * below))
        logs = self._logs_by_class(below, x)
        base = np.einsum("sn,sn->s", known.astype(np.float64), low)
        posterior, total = _posterior_of(weights, logs)
        reached = _share_reached(posterior, self.sessions.level)
        not_clicked = -(reached / (1 - x) + (1 - reached) * below / (1 - x * below))
        slopes = np.where(clicked, 1 / x, not_clicked) * known
        of_below = np.where(clicked, 1 / below, -x / (1 - x * below)) * (1 - reached) * known
        scores = [
            np.exp(logs - total[:, None]) - 1 / weights.sum(),
            self.examination.scores(slopes, others),
            of_below.sum(axis=1),
        ]
        return Likelihood(base + total - np.log(weights.sum()), np.column_stack(scores))

    def expected(self, weights: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability of a click at every place, and of any click in every session."""
        below, x = others[-1], self.examination.at(others[:-1])
        g = weights / weights.sum()
        reached = np.append(0.0, np.cumsum(g))[np.maximum(self.sessions.level, 0)]
        clicks = x * (reached + (1 - reached) * below) * self._known
        none = np.zeros(len(clicks))
        high, low = np.log1p(-x), np.log1p(-x * below)
        for share, reach in zip(g, self._reach, strict=True):
            none += share * np.exp((np.where(reach > 0, high, low) * self._known).sum(axis=1))
        return clicks, 1 - none

    def examined(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the probability that each place is examined, up to a factor."""
        return np.broadcast_to(self.examination.at(others[:-1]), self.sessions.level.shape)

    def pairs(self, weights: FloatArray, others: FloatArray) -> Iterator[Pairs]:
        """Yield for each class what makes the probability of two clicks."""
        below, x = others[-1], self.examination.at(others[:-1])
        for weight, reach in zip(weights / weights.sum(), self._reach, strict=True):
            chance = np.where(reach > 0, x, x * below) * self._known
            yield Pairs(weight, chance, chance)

    def by_degrees(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the score, at 0, of what each grade above the threshold adds to the log odds."""
        below, x = others[-1], self.examination.at(others[:-1])
        posterior, _ = _posterior_of(weights, self._logs_by_class(below, x))
        levels = _mean_levels_above(posterior, self.sessions.level)
        score: FloatArray = (np.where(self._clicked, 1 - x, -x) * levels).sum(axis=1)
        return score

    def _logs_by_class(self, below: float, x: FloatArray) -> FloatArray:
        """Return by how much each class is likelier than users whom no document reaches."""
        more = np.where(self._clicked, -np.log(below), np.log1p(-x) - np.log1p(-x * below))
        return np.column_stack([np.einsum("sn,sn->s", each, more) for each in self._reach])


class Cascade:
    """Users read from the top, go on with a probability, and may stop after a click.

    A document whose grade reaches the threshold is clicked with probability `satisfied`, another
    one with `below` times that. After a click the user stops with probability `stops`; else, and
    after every document that is not clicked, the user goes on to the next with `goes_on`.
    """

    n_without = 0
    names = ("goes_on", "satisfied", "below", "stops")

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions = sessions.up_to_holes()
        self.n_classes = sessions.n_levels
        self.start = np.array([0.7, 0.4, 0.05, 0.5])
        self._types = _Types.of(sessions)

    def likelihood(self, weights: FloatArray, others: FloatArray) -> Likelihood:
        """Return the likelihood of every session."""
        types = self._types
        values, slopes = _follow(types, types.clicked, others)
        of_class = values[types.number]
        chance = of_class @ weights
        scores = [_ratio(of_class, chance[:, None]) - 1 / weights.sum()]
        scores += [_ratio(each[types.number] @ weights, chance)[:, None] for each in slopes]
        logs = np.log(np.maximum(chance, _TINY)) - np.log(weights.sum())
        return Likelihood(logs, np.hstack(scores))

    def expected(self, weights: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability of a click at every place, and of any click in every session."""
        types = self._types
        examined, chance = self._by_type(others)
        clicks = self._mean_over_classes(examined * chance * types.known, weights)
        none, _ = _follow(types, np.zeros_like(types.clicked), others)
        return clicks, 1 - none[types.number] @ weights / weights.sum()

    def examined(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the probability that each place is examined."""
        return self._mean_over_classes(self._by_type(others)[0], weights)

    def pairs(self, weights: FloatArray, others: FloatArray) -> Iterator[Pairs]:
        """Yield for each class what makes the probability of two clicks."""
        stops = others[3]
        examined, chance = self._by_type(others)
        chance = chance * self._types.known
        upper = chance * (1 - stops) / (1 - stops * chance)
        lower = examined * chance
        for weight, types in zip(weights / weights.sum(), self._types.number.T, strict=True):
            yield Pairs(weight, upper[types], lower[types])

    def by_degrees(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the score, at 0, of what each grade above the threshold adds to the log odds."""
        types, satisfied = self._types, others[1]
        value, examined = _given_clicks(types, others)
        odds = np.where(types.clicked, 1 - satisfied, -satisfied * examined)
        odds = np.where(types.reach, odds, 0.0)
        of_class = value[types.number] * weights
        share = _ratio(of_class, of_class.sum(axis=1, keepdims=True))
        score = np.zeros(len(share))
        for k, number in enumerate(types.number.T):
            slopes = np.einsum("sn,sn->s", odds[number], self.sessions.level - (k + 1.0))
            score += share[:, k] * slopes
        return score

    def _by_type(self, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of examination, and of a click if examined, by type."""
        goes_on, satisfied, below, stops = others
        chance = np.where(self._types.reach, satisfied, satisfied * below)
        stays = goes_on * (1 - stops * chance)
        examined = np.cumprod(np.column_stack([np.ones(len(stays)), stays[:, :-1]]), axis=1)
        return examined, chance

    def _mean_over_classes(self, by_type: FloatArray, weights: FloatArray) -> FloatArray:
        mean = np.zeros(self.sessions.level.shape)
        for share, types in zip(weights / weights.sum(), self._types.number.T, strict=True):
            mean += share * by_type[types]
        return mean


class _Types(NamedTuple):
    """Sessions that are alike to users of a class: which documents reach the threshold."""

    reach: NDArray[np.bool_]
    clicked: NDArray[np.bool_]
    known: NDArray[np.bool_]
    number: IntArray

    @classmethod
    def of(cls, sessions: Sessions) -> _Types:
        """Find the types, and that of every session for every class."""
        n_sessions, n_classes = len(sessions), sessions.n_levels
        known = np.tile(sessions.known, (n_classes, 1))
        clicked = np.tile(sessions.clicked, (n_classes, 1))
        reach = np.vstack([sessions.level >= k for k in range(1, n_classes + 1)])
        packed = np.packbits(np.hstack([reach, clicked, known]), axis=1)
        names = np.ascontiguousarray(packed).view(f"S{packed.shape[1]}")[:, 0]
        number = number_rows(names, len(names))
        first = first_rows(number)
        by_class = number.reshape(n_classes, n_sessions).T.astype(np.int64)
        return cls(reach[first], clicked[first], known[first], by_class)


def _follow(
    types: _Types, clicked: NDArray[np.bool_], others: FloatArray
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the probability of the clicks of every type, and its slopes by the parameters.

    From the last rank up: the probability of what is seen from a rank on, for a user who examines
    it. Beyond the list, nothing is seen.
    """
    goes_on, satisfied, below, stops = others
    n_types, n_ranks = clicked.shape
    value = np.ones(n_types)
    slopes = [np.zeros(n_types) for _ in others]
    nothing_left = np.ones(n_types)
    for n in range(n_ranks - 1, -1, -1):
        reach, click, known = types.reach[:, n], clicked[:, n], types.known[:, n]
        share = np.where(reach, 1.0, below)
        chance = satisfied * share
        sign = np.where(click, 1.0, -1.0)
        here = np.where(click, chance, 1 - chance)
        after = (1 - goes_on) * nothing_left + goes_on * value
        later = [goes_on * each for each in slopes]
        later[0] += value - nothing_left
        if click.any():
            later = [np.where(click, (1 - stops) * each, each) for each in later]
            later[3] += np.where(click, nothing_left - after, 0.0)
            after = np.where(click, stops * nothing_left + (1 - stops) * after, after)
        new = [here * each for each in later]
        new[1] += sign * share * after
        new[2] += np.where(reach, 0.0, sign * satisfied) * after
        value = np.where(known, here * after, value)
        slopes = [np.where(known, one, other) for one, other in zip(new, slopes, strict=True)]
        nothing_left = np.where(click, 0.0, nothing_left)
    return value, slopes


def _given_clicks(types: _Types, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability of the clicks by type, and of examination given them, by place."""
    goes_on, satisfied, below, stops = others
    n_types, n_ranks = types.clicked.shape
    chance = np.where(types.reach, satisfied, satisfied * below) * types.known
    here = np.where(types.clicked, chance, 1 - chance)
    stays = goes_on * np.where(types.clicked, 1 - stops, 1.0)
    n_from_here = np.cumsum(types.clicked[:, ::-1], axis=1)[:, ::-1]
    is_last: BoolArray = n_from_here == types.clicked
    value = np.ones((n_types, n_ranks + 1))
    for n in range(n_ranks - 1, -1, -1):
        leaves = (1 - stays[:, n]) * is_last[:, n]
        value[:, n] = here[:, n] * (leaves + stays[:, n] * value[:, n + 1])
    reached = np.cumprod(np.column_stack([np.ones(n_types), (here * stays)[:, :-1]]), axis=1)
    return value[:, 0], _ratio(reached * value[:, :-1], value[:, :1])


class OneChoice:
    """Users examine documents with a probability by rank and choose one, the best they have seen.

    Among documents of the same grade the higher one is chosen. A share of the users takes any
    document, also one of grade 0. Who has found one chooses it with probability `satisfied`.
    """

    n_without = 1

    def __init__(self, sessions: Sessions) -> None:
        self.sessions, self.n_classes = sessions, sessions.n_levels + 1
        self.examination = _Examination(sessions)
        self.names = (*self.examination.names, "satisfied")
        self.start = np.append(self.examination.start, 0.5)
        known = sessions.known
        self._chooses: BoolArray = np.asarray(sessions.clicked.any(axis=1))
        self._at = sessions.clicked.argmax(axis=1)
        rows = np.arange(len(sessions))
        self._level = np.where(self._chooses, sessions.level[rows, self._at], 0)
        chosen, places = self._level[:, None], np.arange(sessions.level.shape[1])
        is_better = sessions.level > chosen
        is_first = (sessions.level == chosen) & (places < self._at[:, None])
        self._beats = known & self._chooses[:, None] & (is_better | is_first)
        self._reach = [known & (sessions.level >= k) for k in range(self.n_classes)]

    def likelihood(self, weights: FloatArray, others: FloatArray) -> Likelihood:
        """Return the likelihood of every session."""
        satisfied, x = (
            others[-1],
            np.broadcast_to(self.examination.at(others[:-1]), self.sessions.level.shape),
        )
        rows, is_choice = np.arange(len(x)), self._chooses
        unseen = np.log1p(-x)
        x_chosen = x[rows, self._at]
        chosen = satisfied * x_chosen * np.exp((self._beats * unseen).sum(axis=1))
        missed = np.column_stack(
            [np.exp(np.einsum("sn,sn->s", each.astype(np.float64), unseen)) for each in self._reach]
        )
        classes = np.arange(self.n_classes)
        of_class = np.where(
            is_choice[:, None],
            (self._level[:, None] >= classes) * chosen[:, None],
            1 - satisfied + satisfied * missed,
        )
        chance = of_class @ weights
        blame = np.where(is_choice[:, None], 0.0, satisfied * missed * weights)
        blame = _ratio(blame, chance[:, None])
        reached = np.cumsum(blame, axis=1)[rows[:, None], np.maximum(self.sessions.level, 0)]
        slopes = -np.where(is_choice[:, None], self._beats, reached * self.sessions.known) / (1 - x)
        slopes[rows, self._at] += np.where(is_choice, 1 / x_chosen, 0.0)
        of_satisfied = np.where(is_choice, 1 / satisfied, _ratio((missed - 1) @ weights, chance))
        scores = [
            _ratio(of_class, chance[:, None]) - 1 / weights.sum(),
            self.examination.scores(slopes, others),
            of_satisfied[:, None],
        ]
        logs = np.log(np.maximum(chance, _TINY)) - np.log(weights.sum())
        return Likelihood(logs, np.hstack(scores))

    def expected(self, weights: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability of a click at every place, and of any click in every session."""
        satisfied, level = others[-1], self.sessions.level
        x = np.broadcast_to(self.examination.at(others[:-1]), level.shape)
        unseen = np.where(level >= 0, 1 - x, 1.0)
        accepted = np.cumsum(weights / weights.sum())
        clicks = np.zeros(level.shape)
        for n in range(level.shape[1]):
            beats = level > level[:, [n]]
            beats[:, :n] |= level[:, :n] == level[:, [n]]
            chance = x[:, n] * np.where(beats, unseen, 1.0).prod(axis=1)
            clicks[:, n] = np.where(
                level[:, n] >= 0, satisfied * chance * accepted[np.maximum(level[:, n], 0)], 0.0
            )
        return clicks, clicks.sum(axis=1)

    def examined(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return the probability that each place is examined, up to a factor."""
        return np.broadcast_to(self.examination.at(others[:-1]), self.sessions.level.shape)

    def pairs(self, weights: FloatArray, others: FloatArray) -> Iterator[Pairs]:
        """Yield nothing: nobody clicks twice."""
        yield from ()

    def by_degrees(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return zeros: with one choice, a grade that satisfies more is like another g."""
        return np.zeros(len(self.sessions))


READERS: dict[str, Any] = {"position": Position, "cascade": Cascade, "one": OneChoice}


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio: FloatArray = above / np.maximum(below, _TINY)
    return ratio


def _posterior_of(weights: FloatArray, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each class given the session, and the log of their sum."""
    top = logs.max(axis=1, keepdims=True)
    joint = np.exp(logs - top) * weights
    total = joint.sum(axis=1, keepdims=True)
    return joint / total, (top + np.log(total))[:, 0]


def _share_reached(posterior: FloatArray, level: IntArray) -> FloatArray:
    """Return the probability that the threshold is reached at every place."""
    return _at_levels(np.cumsum(posterior, axis=1), level)


def _mean_levels_above(posterior: FloatArray, level: IntArray) -> FloatArray:
    """Return the mean number of levels by which the threshold is exceeded at every place, or 0."""
    above = np.zeros_like(posterior)
    above[:, 1:] = np.cumsum(np.cumsum(posterior, axis=1), axis=1)[:, :-1]
    return _at_levels(above, level)


def _at_levels(by_level: FloatArray, level: IntArray) -> FloatArray:
    """Return the value of the level at every place, from columns for levels 1 on; else 0."""
    n_sessions, n_levels = by_level.shape
    padded = np.zeros((n_sessions, n_levels + 1))
    padded[:, 1:] = by_level
    places = np.maximum(level, 0) + (np.arange(n_sessions) * (n_levels + 1))[:, None]
    values: FloatArray = padded.ravel()[places]
    return values
