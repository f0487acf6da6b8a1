"""Fitted estimators inside others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def fitted_inside(estimator: Any) -> Iterator[Any]:
    """Yield a fitted estimator, the last step of a Pipeline, and the best of a search, inwards."""
    while estimator is not None:
        yield estimator
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif getattr(estimator, "steps", None):
            estimator = estimator.steps[-1][1]
        else:
            return
