"""Evaluation of Dask collections, and evaluation of models while Dask's LightGBM trains them."""

from skgraded.dask._evaluate import evaluate
from skgraded.dask._scoring import make_ranking_scorer
from skgraded.dask._training import GlobalEvaluation, WorkerLostError, global_evaluation

__all__ = [
    "GlobalEvaluation",
    "WorkerLostError",
    "evaluate",
    "global_evaluation",
    "make_ranking_scorer",
]
