"""Ranking measures as scikit-learn scorers, and the warnings about incomplete queries."""

from skgraded.scoring._query_record import QueryRecord
from skgraded.scoring._responses import ResponseMethod, check_response_method, scores_of
from skgraded.scoring._scorer import RankingScorer, make_ranking_scorer
from skgraded.scoring._whole_queries import (
    warn_if_queries_are_cut,
    warn_if_scored_queries_are_parts,
)

__all__ = [
    "QueryRecord",
    "RankingScorer",
    "ResponseMethod",
    "check_response_method",
    "make_ranking_scorer",
    "scores_of",
    "warn_if_queries_are_cut",
    "warn_if_scored_queries_are_parts",
]
