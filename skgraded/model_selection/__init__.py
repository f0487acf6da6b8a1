"""Model selection by ranking measures: queries stay whole, and the measure stops the training."""

from skgraded.model_selection._ranker import QueryRanker
from skgraded.model_selection._splitters import (
    QueryKFold,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    query_train_test_split,
)
from skgraded.model_selection._time_series import QueryTimeSeriesSplit
from skgraded.model_selection._validation import QueryValidation, cross_validate_queries

__all__ = [
    "QueryKFold",
    "QueryRanker",
    "QueryShuffleSplit",
    "QueryTimeSeriesSplit",
    "QueryValidation",
    "StratifiedQueryKFold",
    "cross_validate_queries",
    "query_train_test_split",
]
