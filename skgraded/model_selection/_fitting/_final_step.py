"""The estimator that ranks, at the end of a Pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["final_step"]


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    return final_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator
