"""Training objectives, independent of the library that calls them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._boosting._evaluator import chosen_measure
from skgraded._boosting._judged_sets import (
    DataSet,
    IterationCounter,
    JudgedSets,
    rank_in_training,
    scores_in_training,
)
from skgraded._boosting._lambdamart import LambdaMART, trainable
from skgraded._boosting._noise import Noise, chosen_noise
from skgraded._support.arguments import threads
from skgraded.measures import Measure


@dataclass(frozen=True)
class Objective:
    """A cost, and the judgments of the data sets on which it has been differentiated."""

    cost: LambdaMART
    # As given: -1 counts the processors of the machine that trains. No value depends on it.
    n_threads: int | None = field(compare=False)
    noise: Noise | None = None
    _judged: JudgedSets = field(default_factory=JudgedSets, init=False, compare=False, repr=False)
    _iteration: IterationCounter = field(
        default_factory=IterationCounter, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        threads(self.n_threads)

    def derivatives(
        self, y_score: Any, data: DataSet
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient and Hessian diagonal at the scores, times the weights of the rows."""
        judgments = self._judged.find(data)
        iteration = self._iteration.next(judgments)
        if self.noise is None:
            rankings = rank_in_training(judgments, y_score, self.n_threads, iteration)
            gradient, hessian = self.cost.derivatives(rankings)
        else:
            scores = scores_in_training(judgments, y_score, iteration)
            gradient, hessian = self.cost.mean_derivatives(
                judgments, scores, self.noise, threads(self.n_threads)
            )
        if data.weight is None:
            return gradient, hessian
        return gradient * data.weight, hessian * data.weight

    def __reduce__(self) -> Any:
        # LightGBM deep-copies its parameters; a copy starts without data sets.
        return Objective, (self.cost, self.n_threads, self.noise)

    def __str__(self) -> str:
        return (
            f"objective({self.cost})"
            if self.noise is None
            else f"objective({self.cost}, {self.noise})"
        )


def make_objective(
    measure: str | Measure,
    *,
    sigmoid: float,
    truncation_level: int | None,
    norm: bool,
    noise: str | None,
    noise_scale: float,
    n_draws: int,
    random_state: int,
    n_threads: int | None,
) -> Objective:
    """Make an objective from the arguments of a library's `objective` function."""
    cost = LambdaMART(
        trainable(chosen_measure(measure, "objective")), sigmoid, truncation_level, norm
    )
    averaged = chosen_noise(noise, noise_scale, n_draws, random_state)
    return Objective(cost, n_threads, averaged)
