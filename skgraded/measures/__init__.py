"""Measures of ranking effectiveness, each declared by d, v, p and K of the prefix form."""

from skgraded.measures._base import LinearPart, Measure, PairPart
from skgraded.measures._functions import egap_score, evaluate, gap_score, xgap_score
from skgraded.measures._gain import DCG, nDCG
from skgraded.measures._graded import GAP, eGAP, xGAP
from skgraded.measures._parse import catalogue, measure
from skgraded.measures._precision import AP, RBP, P, R
from skgraded.measures._scores import QueryScores, Scores

__all__ = [
    "AP",
    "DCG",
    "GAP",
    "RBP",
    "LinearPart",
    "Measure",
    "P",
    "PairPart",
    "QueryScores",
    "R",
    "Scores",
    "catalogue",
    "eGAP",
    "egap_score",
    "evaluate",
    "gap_score",
    "measure",
    "nDCG",
    "xGAP",
    "xgap_score",
]
