"""Ranking measures as scikit-learn scorers."""

from skgraded.scoring._scorer import RankingScorer, make_ranking_scorer

__all__ = ["RankingScorer", "make_ranking_scorer"]
