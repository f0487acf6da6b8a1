"""Users who look around and choose one document: the best that they have seen, as people buy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded.users._lists import HOLE, Lists
from skgraded.users._reader import TINY, groups_for, names_of_ranks

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


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
        self.lists, self.name, self.n_classes = lists, name, lists.n_levels
        self.groups = groups_for(lists, name) if groups is None else groups
        self._of_group = np.eye(self.groups.max() + 1)[self.groups]
        self.names = (*names_of_ranks(self.groups, lists.rank), "takes_any", "satisfied")
        rate = lists.clicked.mean(axis=0) @ self._of_group / self._of_group.sum(axis=0)
        x = np.clip(2.5 * rate, 0.02, 0.9)
        self.start = np.concatenate([np.full(self.n_classes, 1 / self.n_classes), x, [0.02, 0.5]])
        self.free = np.ones(len(self.start), dtype=bool)
        level = lists.level
        self._rows, self._at = np.arange(len(level)), lists.clicked.argmax(axis=1)
        self._chooses: BoolArray = np.asarray(lists.clicked.any(axis=1, keepdims=True))
        self._chosen = np.where(self._chooses, level[self._rows, self._at, None], 0)
        is_above = np.arange(level.shape[1]) < self._at[:, None]
        beats = (level > self._chosen) | ((level == self._chosen) & is_above)
        self._beats = self._chooses & beats
        self._reach = [level >= k for k in range(self.n_classes + 1)]

    def _split(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return the chance to see each place, the shares of all classes, and `satisfied`."""
        weights, x, (takes_any, satisfied) = np.split(theta, [self.n_classes, len(theta) - 2])
        seen = np.broadcast_to(x[self.groups], self.lists.level.shape)
        seen = seen if self.lists.propensity is None else seen * self.lists.propensity
        return seen, np.append(takes_any, (1 - takes_any) * weights / weights.sum()), satisfied

    def likelihood(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of every session, and its derivatives."""
        seen, of_class, satisfied = self._split(theta)
        unseen = np.log1p(-seen)
        missed = np.column_stack([np.exp((each * unseen).sum(axis=1)) for each in self._reach])
        taken = satisfied * seen[self._rows, self._at] * np.exp((self._beats * unseen).sum(axis=1))
        accepts = self._chosen >= np.arange(self.n_classes + 1)
        nothing = 1 - satisfied + satisfied * missed
        chances = np.where(self._chooses, accepts * taken[:, None], nothing)
        chance = np.maximum(chances @ of_class, TINY)
        of_seen = self._of_seen(seen, satisfied * missed * of_class / chance[:, None])
        weights, (takes_any, _) = theta[: self.n_classes], theta[-2:]
        mean = chances[:, 1:] @ weights / weights.sum()
        of_weights = (chances[:, 1:] - mean[:, None]) * (1 - takes_any) / weights.sum()
        of_any = (chances[:, 0] - mean) / chance
        of_satisfied = np.where(
            self._chooses[:, 0], 1 / satisfied, (missed - 1) @ of_class / chance
        )
        parts = [of_weights / chance[:, None], of_seen @ self._of_group, of_any, of_satisfied]
        return np.log(chance), np.column_stack(parts)

    def _of_seen(self, seen: FloatArray, of_missing: FloatArray) -> FloatArray:
        """Return derivatives by the chance to see each place, times its propensity."""
        level = np.maximum(self.lists.level, 0)
        reached = np.cumsum(of_missing, axis=1)[self._rows[:, None], level]
        was_missed = np.where(self._chooses, self._beats, reached * (self.lists.level >= 0))
        slopes = -was_missed / (1 - seen)
        of_chosen = 1 / seen[self._rows, self._at]
        slopes[self._rows, self._at] += np.where(self._chooses[:, 0], of_chosen, 0.0)
        return slopes if self.lists.propensity is None else slopes * self.lists.propensity

    def expected(self, theta: FloatArray) -> FloatArray:
        """Return the probability of a choice at every place."""
        x, of_class, satisfied = self._split(theta)
        level, accepts = self.lists.level, np.cumsum(of_class)
        unseen, chosen = np.where(level >= 0, 1 - x, 1.0), np.zeros(level.shape)
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
