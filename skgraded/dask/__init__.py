"""Evaluation of Dask collections, and evaluation of models while Dask's LightGBM trains them."""

from skgraded.dask._evaluate import evaluate
from skgraded.dask._global_evaluation import GlobalEvaluation, global_evaluation
from skgraded.dask._scorer import make_ranking_scorer

__all__ = [
    "GlobalEvaluation",
    "evaluate",
    "global_evaluation",
    "make_ranking_scorer",
]
