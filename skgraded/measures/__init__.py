"""Measures of ranking effectiveness, each declared by d, v, p and K of the prefix form."""

from skgraded.measures._average import GeneralizedAP, QMeasure, WeightedAP
from skgraded.measures._base import LinearPart, Measure, PairPart
from skgraded.measures._bounds import Bounds
from skgraded.measures._cascade import ERR, RR, Success
from skgraded.measures._cumulated import (
    CG,
    AveragedNDCG,
    GeneralizedP,
    GeneralizedR,
    ModifiedSlidingRatio,
    SlidingRatio,
)
from skgraded.measures._distance import ADM
from skgraded.measures._functions import egap_score, evaluate, gap_score, xgap_score
from skgraded.measures._gain import DCG, nDCG
from skgraded.measures._graded import GAP, eGAP, xGAP
from skgraded.measures._half_life import RankedHalfLife
from skgraded.measures._inferred import infAP
from skgraded.measures._parse import catalogue, measure
from skgraded.measures._precision import AP, P, R
from skgraded.measures._preference import (
    Bpref,
    BprefN,
    BprefR,
    BprefRelative,
    BprefTen,
    OldBpref,
    RprefN,
    RprefRelative,
    RprefRelative2,
)
from skgraded.measures._rank_biased import RBP
from skgraded.measures._retrieval import (
    FDR,
    NPV,
    Accuracy,
    F,
    Fallout,
    NormalizedPrecision,
    NormalizedRecall,
    RPrecision,
    Specificity,
)
from skgraded.measures._scores import QueryScores, Scores

__all__ = [
    "ADM",
    "AP",
    "CG",
    "DCG",
    "ERR",
    "FDR",
    "GAP",
    "NPV",
    "RBP",
    "RR",
    "Accuracy",
    "AveragedNDCG",
    "Bounds",
    "Bpref",
    "BprefN",
    "BprefR",
    "BprefRelative",
    "BprefTen",
    "F",
    "Fallout",
    "GeneralizedAP",
    "GeneralizedP",
    "GeneralizedR",
    "LinearPart",
    "Measure",
    "ModifiedSlidingRatio",
    "NormalizedPrecision",
    "NormalizedRecall",
    "OldBpref",
    "P",
    "PairPart",
    "QMeasure",
    "QueryScores",
    "R",
    "RPrecision",
    "RankedHalfLife",
    "RprefN",
    "RprefRelative",
    "RprefRelative2",
    "Scores",
    "SlidingRatio",
    "Specificity",
    "Success",
    "WeightedAP",
    "catalogue",
    "eGAP",
    "egap_score",
    "evaluate",
    "gap_score",
    "infAP",
    "measure",
    "nDCG",
    "xGAP",
    "xgap_score",
]
