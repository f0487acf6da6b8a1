"""The estimator that ranks, at the end of a Pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from skgraded.measures import Measure

__all__ = ["final_step", "hinting_at_objectives", "train_for"]

# What takes any labels, by library and estimator.
_OTHER_OBJECTIVES = {
    ("lightgbm", "LGBMRanker"): "Train by the gradients of a measure, which take any labels, "
    "and without LightGBM's own metric, which does not: "
    'LGBMRanker(objective=skgraded.lightgbm.objective("nDCG"), metric="None").',
    ("xgboost", "XGBRanker"): "XGBRanker(ndcg_exp_gain=False) takes any labels, with linear gains; "
    "so do the gradients of a measure, skgraded.xgboost.objective, in xgboost.train.",
}


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    return final_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


@contextmanager
def hinting_at_objectives(estimator: Any, labels: Any) -> Iterator[None]:
    """Add to the error of a ranker that takes whole grades alone how it takes others."""
    try:
        yield
    except Exception as error:
        kind = type(estimator).__name__
        way = _OTHER_OBJECTIVES.get((type(estimator).__module__.partition(".")[0], kind))
        given = np.asarray(labels, dtype=np.float64)
        if way is not None and "label" in str(error) and (given != np.floor(given)).any():
            error.add_note(f"{kind} takes whole grades alone, and these labels are not. {way}")
        raise


def train_for(estimator: Any, measure: Measure) -> None:
    """Give the measure to an objective that was made without one, such as ``objective()``."""
    last = final_step(estimator)
    chosen: Any = getattr(last, "objective", None)
    if hasattr(chosen, "for_measure"):
        last.set_params(objective=chosen.for_measure(measure))
