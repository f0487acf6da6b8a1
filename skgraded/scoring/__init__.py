"""Ranking measures as scikit-learn scorers, and records of the queries that a ranker has seen."""

from skgraded.scoring._query_record import QueryRecord
from skgraded.scoring._responses import ResponseMethod, scores_of
from skgraded.scoring._scorer import RankingScorer, make_ranking_scorer
from skgraded.scoring._whole_queries import warn_if_scored_queries_are_parts

__all__ = [
    "QueryRecord",
    "RankingScorer",
    "ResponseMethod",
    "make_ranking_scorer",
    "scores_of",
    "warn_if_scored_queries_are_parts",
]
