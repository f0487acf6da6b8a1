"""Evaluation of Dask collections, and evaluation of models while Dask's LightGBM trains them."""

from skgraded.dask._evaluate import evaluate, make_ranking_scorer
from skgraded.dask._global_evaluation import GlobalEvaluation, global_evaluation

__all__ = ["GlobalEvaluation", "evaluate", "global_evaluation", "make_ranking_scorer"]
