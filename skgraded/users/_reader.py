"""One model of how people read a list and click, of which the known readers are special cases.

A user of class k clicks what reaches the k-th threshold. Who gets to rank n clicks such a document
there with probability x_n, and one below the threshold `below` times as often; goes on to the next
rank with probability `goes_on` and, after a click, with `goes_on` (1 - `stops`).

- "position": goes_on = 1, stops = 0: ranks are independent.
- "cascade": x is the same at all ranks.
- "auto": all are free. The data say how much of each it is.

A `Chooser` looks at all that it has seen before it takes one document.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.users._sessions import ABSENT, HOLE, Lists, number_alike

LEAST = 1e-8  # distance of parameters from 0 and 1
TINY = 1e-300


class Walks(NamedTuple):
    """What the parameters say about sessions that look alike to users of a class.

    Attributes
    ----------
    chance : ndarray of shape (n_types,)
        Probability of the clicks.
    alive : ndarray of shape (n_types, n_ranks)
        Probability that the user gets to a rank, given the clicks.
    click : ndarray of shape (n_types, n_ranks)
        Probability that a user who gets there clicks.
    stays : ndarray of shape (n_types, n_ranks)
        Probability that a user goes on from there.
    """

    chance: FloatArray
    alive: FloatArray
    click: FloatArray
    stays: FloatArray

    def take(self, types: IntArray) -> Walks:
        """Return the walks of sessions from those of their types."""
        return Walks(*(each[types] for each in self))


class Reader:
    """The likelihood of sessions, and its derivatives.

    For users of a class, sessions are alike if the same documents reach the threshold and are
    clicked. Such types are far fewer than sessions; all sums over ranks are over types.

    Parameters
    ----------
    lists : Lists
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

    def __init__(self, lists: Lists, name: str, groups: IntArray | None = None) -> None:
        self.lists = lists
        self.name = name
        self.n_classes = lists.n_levels
        self.groups = groups_for(lists, name) if groups is None else groups
        self._of_group = np.eye(self.groups.max() + 1)[self.groups]
        parts = _seen_by_classes(lists)
        number = number_alike(parts)
        first = np.unique(number, return_index=True)[1]
        self.types = number.reshape(self.n_classes, len(lists.level)).T
        self._reach, self._clicked, self._shown, *given = (
            each[first] for each in parts
        )
        self._given = given[0] if given else None
        clicks_from_here = np.cumsum(self._clicked[:, ::-1], axis=1)[:, ::-1]
        self._is_last = clicks_from_here == self._clicked
        self.names = (
            *names_of_ranks(self.groups, lists.rank),
            "below",
            "goes_on",
            "stops",
        )
        goes_by = name != "position"
        n = self.n_classes
        self.free = np.append(
            np.ones(n + len(self.names) - 2, dtype=bool), [goes_by, goes_by]
        )
        rate = (lists.clicked @ self._of_group).sum(axis=0)
        rate /= np.maximum(((lists.level != ABSENT) @ self._of_group).sum(axis=0), 1.0)
        x = np.clip((2.5 if goes_by else 1.5) * rate, 0.02, 0.9)
        rest = [0.05, 0.9, 0.4] if goes_by else [0.05, 1.0, 0.0]
        self.start = np.concatenate([np.full(n, 1 / n), x, rest])

    def _split(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights of the classes, x of types and ranks, and the other parameters."""
        weights, x, rest = np.split(theta, [self.n_classes, len(theta) - 3])
        of_ranks = x[self.groups][None, :]
        return (
            weights,
            of_ranks if self._given is None else of_ranks * self._given,
            rest,
        )

    def walk(self, theta: FloatArray) -> Walks:
        """Follow users of every type from rank to rank."""
        _, x, (below, goes_on, stops) = self._split(theta)
        click = (
            np.minimum(x * (below + (1 - below) * self._reach), 1 - LEAST) * self._shown
        )
        stays = goes_on * np.where(self._clicked, 1 - stops, 1.0)
        here = np.where(self._clicked, click, 1 - click)
        value = np.ones((len(here), here.shape[1] + 1))  # of the clicks from a rank on
        for n in range(here.shape[1] - 1, -1, -1):
            leaves = (1 - stays[:, n]) * self._is_last[:, n]
            value[:, n] = here[:, n] * (leaves + stays[:, n] * value[:, n + 1])
        reached = np.cumprod(
            np.column_stack([np.ones(len(here)), (here * stays)[:, :-1]]), axis=1
        )
        alive = reached * value[:, :-1] / np.maximum(value[:, :1], TINY)
        return Walks(value[:, 0], alive, click, stays)

    def posterior(
        self, theta: FloatArray, walks: Walks
    ) -> tuple[FloatArray, FloatArray]:
        """Return the probability of each class given the session, and the log likelihood."""
        weights = theta[: self.n_classes]
        joint = walks.chance[self.types] * weights
        total = np.maximum(joint.sum(axis=1), TINY)
        return joint / total[:, None], np.log(total) - np.log(weights.sum())

    def likelihood(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of every session, and its derivatives (Fisher's identity)."""
        weights = theta[: self.n_classes]
        walks = self.walk(theta)
        posterior, logs = self.posterior(theta, walks)
        by_type = np.column_stack(
            [self._of_clicks(theta, walks), self._of_going(theta, walks)]
        )
        others = np.zeros((len(logs), by_type.shape[1]))
        for share, types in zip(posterior.T, self.types.T, strict=True):
            others += share[:, None] * by_type[types]
        of_weights = posterior / np.maximum(weights, TINY) - 1 / weights.sum()
        return logs, np.hstack([of_weights, others])

    def _of_clicks(self, theta: FloatArray, walks: Walks) -> FloatArray:
        """Return derivatives by the x of every group of ranks and by `below`."""
        _, x, (below, _, _) = self._split(theta)
        of_log = np.where(
            self._clicked, 1 / np.maximum(walks.click, TINY), -1 / (1 - walks.click)
        )
        slope = walks.alive * of_log * self._shown
        of_x = slope * (below + (1 - below) * self._reach)
        if self._given is not None:
            of_x = of_x * self._given
        of_below = (slope * x * (1 - self._reach)).sum(axis=1)
        return np.column_stack([of_x @ self._of_group, of_below])

    def _of_going(self, theta: FloatArray, walks: Walks) -> FloatArray:
        """Return derivatives by `goes_on` and `stops`."""
        goes_on, stops = theta[-2:]
        stayed = walks.alive[:, 1:]
        left = walks.alive[:, :-1] - walks.alive[:, 1:]
        stays = walks.stays[:, :-1]
        after = self._clicked[:, :-1]
        leaving = left / np.maximum(1 - stays, LEAST)
        of_goes_on = (stayed - leaving * stays).sum(axis=1) / goes_on
        of_stops = np.where(
            after, leaving * goes_on - stayed / max(1 - stops, LEAST), 0.0
        )
        return np.column_stack([of_goes_on, of_stops.sum(axis=1)])


def groups_for(lists: Lists, name: str) -> IntArray:
    """Give numbers to the ranks; those with one share a parameter: few clicks, or all ranks."""
    if name == "cascade" or lists.propensity is not None:
        return np.zeros(len(lists.rank), dtype=np.int64)
    return lists.groups_of_ranks()


def names_of_ranks(groups: IntArray, rank: IntArray) -> tuple[str, ...]:
    """Name the x of each group of ranks by its first one, or by none if there is one group."""
    first = rank[np.unique(groups, return_index=True)[1]]
    return tuple(f"clicks_{each}" for each in first) if len(first) > 1 else ("clicks",)


def _seen_by_classes(lists: Lists) -> list[NDArray[Any]]:
    """Return what reaches the threshold, is clicked, shown and examined; class below class.

    A hole reaches it with the share of the graded documents at its rank that do.
    """
    n = lists.n_levels
    graded = np.maximum((lists.level >= 0).sum(axis=0), 1)
    reach = [
        np.where(
            lists.level == HOLE,
            (lists.level >= k).sum(axis=0) / graded,
            lists.level >= k,
        )
        for k in range(1, n + 1)
    ]
    others: list[NDArray[Any]] = [lists.clicked, lists.level != ABSENT]
    others += [] if lists.propensity is None else [lists.propensity]
    return [np.vstack(reach), *(np.tile(each, (n, 1)) for each in others)]


class Chooser:
    """Each rank is seen with a probability of its own; of the best grade seen, the first is taken.

    Whoever has seen a document that reaches the threshold takes one with probability `satisfied`;
    a share `takes_any` of the users takes documents of grade 0, too. It has the attributes of a
    `Reader`.

    Parameters
    ----------
    lists : Lists
        The sessions, without holes and with at most one click each.
    name : str
        "one".
    groups : ndarray of shape (n_ranks,), int64, optional
        Number of the parameter of each rank.
    """

    def __init__(self, lists: Lists, name: str, groups: IntArray | None = None) -> None:
        self.lists = lists
        self.name = name
        self.n_classes = lists.n_levels
        self.groups = groups_for(lists, name) if groups is None else groups
        self._of_group = np.eye(self.groups.max() + 1)[self.groups]
        self.names = (
            *names_of_ranks(self.groups, lists.rank),
            "takes_any",
            "satisfied",
        )
        rate = lists.clicked.mean(axis=0) @ self._of_group / self._of_group.sum(axis=0)
        x = np.clip(2.5 * rate, 0.02, 0.9)
        self.start = np.concatenate(
            [np.full(self.n_classes, 1 / self.n_classes), x, [0.02, 0.5]]
        )
        self.free = np.ones(len(self.start), dtype=bool)
        level = lists.level
        self._rows = np.arange(len(level))
        self._at = lists.clicked.argmax(axis=1)
        self._chooses: BoolArray = np.asarray(lists.clicked.any(axis=1, keepdims=True))
        self._chosen = np.where(self._chooses, level[self._rows, self._at, None], 0)
        is_above = np.arange(level.shape[1]) < self._at[:, None]
        beats = (level > self._chosen) | ((level == self._chosen) & is_above)
        self._beats = self._chooses & beats
        self._reach = [level >= k for k in range(self.n_classes + 1)]

    def _split(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return the chance to see each place, the shares of all classes, and `satisfied`."""
        weights, x, (takes_any, satisfied) = np.split(
            theta, [self.n_classes, len(theta) - 2]
        )
        seen = np.broadcast_to(x[self.groups], self.lists.level.shape)
        seen = seen if self.lists.propensity is None else seen * self.lists.propensity
        return (
            seen,
            np.append(takes_any, (1 - takes_any) * weights / weights.sum()),
            satisfied,
        )

    def likelihood(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of every session, and its derivatives."""
        seen, of_class, satisfied = self._split(theta)
        unseen = np.log1p(-seen)
        missed = np.column_stack(
            [np.exp((each * unseen).sum(axis=1)) for each in self._reach]
        )
        taken = (
            satisfied
            * seen[self._rows, self._at]
            * np.exp((self._beats * unseen).sum(axis=1))
        )
        accepts = self._chosen >= np.arange(self.n_classes + 1)
        nothing = 1 - satisfied + satisfied * missed
        chances = np.where(self._chooses, accepts * taken[:, None], nothing)
        chance = np.maximum(chances @ of_class, TINY)
        of_seen = self._of_seen(seen, satisfied * missed * of_class / chance[:, None])
        weights = theta[: self.n_classes]
        (takes_any, _) = theta[-2:]
        mean = chances[:, 1:] @ weights / weights.sum()
        of_weights = (chances[:, 1:] - mean[:, None]) * (1 - takes_any) / weights.sum()
        of_any = (chances[:, 0] - mean) / chance
        of_satisfied = np.where(
            self._chooses[:, 0], 1 / satisfied, (missed - 1) @ of_class / chance
        )
        parts = [
            of_weights / chance[:, None],
            of_seen @ self._of_group,
            of_any,
            of_satisfied,
        ]
        return np.log(chance), np.column_stack(parts)

    def _of_seen(self, seen: FloatArray, of_missing: FloatArray) -> FloatArray:
        """Return derivatives by the chance to see each place, times its propensity."""
        level = np.maximum(self.lists.level, 0)
        reached = np.cumsum(of_missing, axis=1)[self._rows[:, None], level]
        was_missed = np.where(
            self._chooses, self._beats, reached * (self.lists.level >= 0)
        )
        slopes = -was_missed / (1 - seen)
        of_chosen = 1 / seen[self._rows, self._at]
        slopes[self._rows, self._at] += np.where(self._chooses[:, 0], of_chosen, 0.0)
        return (
            slopes if self.lists.propensity is None else slopes * self.lists.propensity
        )

    def expected(self, theta: FloatArray) -> FloatArray:
        """Return the probability of a choice at every place."""
        x, of_class, satisfied = self._split(theta)
        level = self.lists.level
        accepts = np.cumsum(of_class)
        unseen = np.where(level >= 0, 1 - x, 1.0)
        chosen = np.zeros(level.shape)
        for n in range(level.shape[1]):
            beats = level > level[:, [n]]
            beats[:, :n] |= level[:, :n] == level[:, [n]]
            best = x[:, n] * np.where(beats, unseen, 1.0).prod(axis=1)
            accepted = accepts[np.maximum(level[:, n], 0)]
            chosen[:, n] = np.where(level[:, n] >= 0, satisfied * best * accepted, 0.0)
        return chosen


def why_not_one(lists: Lists) -> str:
    """Return why a log is none of users who choose one document, or an empty string."""
    n_several = int((lists.clicked.sum(axis=1) > 1).sum())
    if n_several:
        return f"at most one click in every session, got {n_several} with more"
    n_holes = int((lists.level == HOLE).sum())
    return f"a grade in every row, got {n_holes} without" if n_holes else ""
