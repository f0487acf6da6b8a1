"""Ranking measures as scikit-learn scorers, and records of the queries that a ranker has seen."""

from skgraded._guards import QueryRecord
from skgraded.scoring._scorer import (
    RankingScorer,
    ResponseMethod,
    make_ranking_scorer,
    scores_of as scores_of,
    scores_of_rows as scores_of_rows,
)

__all__ = ["QueryRecord", "RankingScorer", "ResponseMethod", "make_ranking_scorer"]
