"""Likelihood of preferences of judges who each have a threshold of their own."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from skgraded.users._preference_fit import Comparisons
from skgraded.users._reader_fit import sums_by
from skgraded.users._readers import Likelihood, posterior_of

__all__ = ["JudgeThresholds"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_UNIT = 10.0  # the scale at which the sharpness is 1/2


class JudgeThresholds:
    """A mixture of judges: those of class k compare two rankings by AP from grade k on.

    Both other parameters lie between 0 and 1: the sharpness s, by which the scale is 10 s / (1 - s)
    and infinite for judges who never err, and the probability of a tie between equal rankings,
    nu / (2 + nu) in Davidson's model.
    """

    n_without = 0

    def __init__(self, told: Comparisons, judge: IntArray) -> None:
        self._told, self.judge = told, judge
        self.n_classes = told.differences.shape[1]
        share = told.n_ties / len(told.preference)
        self.names = ("sharpness", "tie") if share else ("sharpness",)
        self.start = np.array([0.5, min(share, 0.9)])[: len(self.names)]

    def scale(self, others: FloatArray) -> float:
        """Return the log odds of a preference for a difference of 1."""
        return float(_UNIT * others[0] / (1 - others[0]))

    def ties(self, others: FloatArray) -> float:
        """Return the prevalence of ties, nu."""
        return float(2 * others[1] / (1 - others[1])) if len(others) > 1 else 0.0

    def likelihood(self, weights: FloatArray, others: FloatArray) -> Likelihood:
        """Return the likelihood of all preferences of every judge."""
        logs, by_margin, by_tie = self._outcomes(others)
        posterior, total = posterior_of(weights, sums_by(self.judge, logs))
        of_judge = posterior[self.judge]
        by_scale = (of_judge * by_margin * self._told.differences).sum(axis=1)
        slopes = [by_scale * _UNIT / (1 - others[0]) ** 2]
        if len(others) > 1:
            slopes.append((of_judge * by_tie).sum(axis=1) / (others[1] * (1 - others[1])))
        scores = [
            posterior / weights - 1 / weights.sum(),
            sums_by(self.judge, np.column_stack(slopes)),
        ]
        return Likelihood(total - np.log(weights.sum()), np.hstack(scores))

    def wanted(self, weights: FloatArray, others: FloatArray) -> FloatArray:
        """Return by how much each preference wants its margin larger, over the judge's classes."""
        logs, by_margin, _ = self._outcomes(others)
        posterior, _ = posterior_of(weights, sums_by(self.judge, logs))
        left: FloatArray = (posterior[self.judge] * by_margin).sum(axis=1)
        return left

    def drawn(
        self, weights: FloatArray, others: FloatArray, random: np.random.Generator
    ) -> JudgeThresholds:
        """Return judges of the same rankings whose thresholds and preferences are drawn."""
        told, n_judges = self._told, int(self.judge.max()) + 1
        threshold = random.choice(self.n_classes, size=n_judges, p=weights / weights.sum())
        rows = np.arange(len(told.preference))
        half = self.scale(others) * told.differences[rows, threshold[self.judge]] / 2
        total = np.logaddexp(np.logaddexp(half, -half), self._log_nu(others))
        first, second = np.exp(half - total), np.exp(-half - total)
        chance = random.random(len(rows))
        outcome = np.select([chance < first, chance < first + second], [1.0, -1.0], 0.0)
        if len(others) == 1:  # without ties, rounding makes none
            outcome[outcome == 0.0] = -1.0
        judges = copy.copy(self)
        judges._told = told._replace(preference=outcome)
        return judges

    def _log_nu(self, others: FloatArray) -> float:
        return float(np.log(self.ties(others))) if len(others) > 1 else -np.inf

    def _outcomes(self, others: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return log probabilities by class, and their slopes by the margin and by log nu."""
        preference = self._told.preference[:, None]
        half = self.scale(others) * self._told.differences / 2
        log_nu = self._log_nu(others)
        total = np.logaddexp(np.logaddexp(half, -half), log_nu)
        apart, tied = np.exp(half - total) - np.exp(-half - total), np.exp(log_nu - total)
        logs = np.where(preference == 0, log_nu, preference * half) - total
        return logs, (preference - apart) / 2, (preference == 0) - tied
