"""The estimator that ranks, at the end of a Pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from skgraded.measures import Measure

__all__ = ["final_step", "train_for"]


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    return final_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


def train_for(estimator: Any, measure: Measure) -> None:
    """Give the measure to an objective that was made without one, such as ``objective()``."""
    last = final_step(estimator)
    chosen: Any = getattr(last, "objective", None)
    if hasattr(chosen, "for_measure"):
        last.set_params(objective=chosen.for_measure(measure))
