"""Model selection by ranking measures: queries stay whole, and the measure stops the training."""

from skgraded.model_selection._query_ranker import QueryRanker
from skgraded.model_selection._splitters import QueryKFold

__all__ = ["QueryKFold", "QueryRanker"]
