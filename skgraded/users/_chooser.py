"""A model of users who choose one document, the best one that they saw.

Each rank n is seen with a probability x_n of its own; of the best grade seen, the first document is
taken. Whoever has seen a document that reaches the threshold takes one with probability
`satisfied`; a share `takes_any` of the users takes documents of grade 0, too.

A `Chooser` looks at all that it has seen before it takes one document; a `Reader` does not.
"""

from __future__ import annotations

import numpy as np

from skgraded._support.array_types import FloatArray, IntArray
from skgraded.users._reader import TINY, group_indicator, groups_for, names_of_ranks
from skgraded.users._sessions import HOLE, Sessions


class Chooser:
    """The likelihood of choices, and its derivatives. It has the attributes of a `Reader`.

    Class 0 is the users who take any document; class k is the others whose threshold is the k-th.

    Parameters
    ----------
    sessions : Sessions
        The sessions, without holes and with at most one click each.
    name : str
        "one".
    groups : ndarray of shape (n_ranks,), int64, optional
        Number of the parameter of each rank.
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
            "takes_any",
            "satisfied",
        )

        self.start = self._starting_point()
        self.free = np.ones(len(self.start), dtype=bool)
        self._find_choices()

    def _starting_point(self) -> FloatArray:
        """Return equal weights, x from the rates of choices, and usual values of the others."""
        rate_by_rank = self.sessions.clicked.mean(axis=0)
        sum_of_rates = rate_by_rank @ self._group_indicator
        n_ranks = self._group_indicator.sum(axis=0)
        mean_rate = sum_of_rates / n_ranks

        n_classes = self.n_classes
        weights = np.full(n_classes, 1 / n_classes)
        x = np.clip(2.5 * mean_rate, 0.02, 0.9)
        takes_any_satisfied = [0.02, 0.5]
        return np.concatenate([weights, x, takes_any_satisfied])

    def _find_choices(self) -> None:
        """Mark what is chosen, what would have been chosen before it, and who accepts what."""
        level = self.sessions.level
        clicked = self.sessions.clicked
        n_sessions, n_ranks = level.shape
        column = np.arange(n_ranks)

        self._session = np.arange(n_sessions)
        self._choice = clicked.argmax(axis=1)
        self._chooses = np.any(clicked, axis=1, keepdims=True)
        level_of_choice = level[self._session, self._choice, None]
        self._chosen_level = np.where(self._chooses, level_of_choice, 0)

        is_above = column < self._choice[:, None]
        is_better = level > self._chosen_level
        is_as_good = level == self._chosen_level
        beats = is_better | (is_as_good & is_above)
        self._beats_choice = self._chooses & beats

        classes = range(self.n_classes + 1)
        self._reaches = [level >= k for k in classes]

    def _seeing(self, theta: FloatArray) -> FloatArray:
        """Return the probability to see each place."""
        x = theta[self.n_classes : -2]
        shape = self.sessions.level.shape
        seeing = np.broadcast_to(x[self.groups], shape)
        if self.sessions.propensity is None:
            return seeing
        return seeing * self.sessions.propensity

    def _class_shares(self, theta: FloatArray) -> FloatArray:
        """Return the shares of the classes 0..n_classes."""
        weights = theta[: self.n_classes]
        takes_any = theta[-2]
        threshold_shares = (1 - takes_any) * weights / weights.sum()
        return np.append(takes_any, threshold_shares)

    def likelihood(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of every session, and its derivatives."""
        weights = theta[: self.n_classes]
        takes_any, satisfied = theta[-2:]
        seeing = self._seeing(theta)
        class_shares = self._class_shares(theta)

        # P(no document is seen that reaches the threshold), by session and class
        log_unseen = np.log1p(-seeing)
        log_missing = []
        for reaches in self._reaches:
            log_unseen_of_class = reaches * log_unseen
            log_missing.append(log_unseen_of_class.sum(axis=1))
        missing = np.exp(np.column_stack(log_missing))
        likelihood_by_class = self._likelihood_by_class(
            seeing, log_unseen, missing, satisfied
        )
        likelihood = np.maximum(likelihood_by_class @ class_shares, TINY)

        # The share of class k is (1 - takes_any) w_k / sum of w, that of class 0 is takes_any.
        total = weights.sum()
        of_takers = likelihood_by_class[:, 0]
        of_thresholds = likelihood_by_class[:, 1:]
        mean = of_thresholds @ weights / total
        departures = of_thresholds - mean[:, None]
        by_weights = departures * (1 - takes_any) / total
        by_takes_any = (of_takers - mean) / likelihood

        # P(choice) is proportional to satisfied; P(none) = 1 - satisfied + satisfied missing.
        chooses = self._chooses[:, 0]
        by_satisfied_without = (missing - 1) @ class_shares / likelihood
        by_satisfied = np.where(chooses, 1 / satisfied, by_satisfied_without)

        # By how much each class misses all, of the likelihood.
        likelihood_missing = satisfied * missing * class_shares
        share_missing = likelihood_missing / likelihood[:, None]
        by_seeing = self._scores_of_seeing(seeing, share_missing)
        scores = [
            by_weights / likelihood[:, None],
            by_seeing @ self._group_indicator,
            by_takes_any,
            by_satisfied,
        ]
        return np.log(likelihood), np.column_stack(scores)

    def _likelihood_by_class(
        self,
        seeing: FloatArray,
        log_unseen: FloatArray,
        missing: FloatArray,
        satisfied: float,
    ) -> FloatArray:
        """Return the probability of each session's choice, or of none, for users of each class."""
        # P(choice) = satisfied P(it is seen) P(nothing that beats it is seen) [class accepts it]
        seeing_choice = seeing[self._session, self._choice]
        log_unseen_better = self._beats_choice * log_unseen
        missing_better = np.exp(log_unseen_better.sum(axis=1))
        choosing = satisfied * seeing_choice * missing_better
        classes = np.arange(self.n_classes + 1)
        accepts = self._chosen_level >= classes

        # P(none) = 1 - satisfied P(something that reaches the threshold is seen)
        abstaining = 1 - satisfied + satisfied * missing
        choosing_by_class = accepts * choosing[:, None]
        return np.where(self._chooses, choosing_by_class, abstaining)

    def _scores_of_seeing(
        self, seeing: FloatArray, share_missing: FloatArray
    ) -> FloatArray:
        """Return derivatives by the probability to see each place, times its propensity."""
        level = self.sessions.level
        place = (self._session, self._choice)

        # A document was missed by what beats the choice; without one, by classes that it reaches.
        least_level = np.maximum(level, 0)
        missing_up_to_class = np.cumsum(share_missing, axis=1)
        sessions = self._session[:, None]
        missed_by = missing_up_to_class[sessions, least_level]
        missed_without_choice = missed_by * (level >= 0)
        was_missed = np.where(self._chooses, self._beats_choice, missed_without_choice)

        # d log(1 - x) / dx = -1 / (1 - x) of the missed ones, d log x / dx = 1 / x of the chosen.
        slopes = -was_missed / (1 - seeing)
        slope_of_chosen = 1 / seeing[place]
        chooses = self._chooses[:, 0]
        slopes[place] += np.where(chooses, slope_of_chosen, 0.0)
        if self.sessions.propensity is None:
            return slopes
        return slopes * self.sessions.propensity

    def expected(self, theta: FloatArray) -> FloatArray:
        """Return the probability of a choice at every place."""
        level = self.sessions.level
        seeing = self._seeing(theta)
        satisfied = theta[-1]
        has_document = level >= 0
        unseen = np.where(has_document, 1 - seeing, 1.0)
        acceptance_by_level = np.cumsum(self._class_shares(theta))
        least_level = np.maximum(level, 0)
        acceptance = acceptance_by_level[least_level]

        choosing = np.zeros(level.shape)
        _, n_ranks = level.shape
        for n in range(n_ranks):
            level_here = level[:, [n]]
            beats = level > level_here
            is_as_good_above = level[:, :n] == level_here
            beats[:, :n] |= is_as_good_above
            missing = np.where(beats, unseen, 1.0)
            missing_better = missing.prod(axis=1)
            is_best_seen = seeing[:, n] * missing_better
            choosing[:, n] = satisfied * is_best_seen * acceptance[:, n]
        return np.where(has_document, choosing, 0.0)


def why_not_one(sessions: Sessions) -> str:
    """Return why a log is none of users who choose one document, or an empty string."""
    n_clicks = sessions.clicked.sum(axis=1)
    n_several = int((n_clicks > 1).sum())
    if n_several:
        return f"at most one click in every session, got {n_several} with more"
    n_holes = int((sessions.level == HOLE).sum())
    if n_holes:
        return f"a grade in every row, got {n_holes} without"
    return ""
