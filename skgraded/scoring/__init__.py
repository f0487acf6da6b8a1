"""Ranking measures as scikit-learn scorers."""

from skgraded.scoring._responses import ResponseMethod, scores_of
from skgraded.scoring._scorer import RankingScorer, make_ranking_scorer

__all__ = ["RankingScorer", "ResponseMethod", "make_ranking_scorer", "scores_of"]
