"""Measures of ranking effectiveness; most are declared by d, v, p and K of the prefix form."""

from typing import TYPE_CHECKING

from skgraded._support.lazy import on_first_use
from skgraded.measures._catalogue import register_on_first_use

if TYPE_CHECKING:
    from skgraded.measures._bounds import Bounds
    from skgraded.measures._catalogue import (
        Measures,
        catalogue,
        measure,
        measure_or_none,
        measures_by_name,
        register,
    )
    from skgraded.measures._cwl import CWL, PrefixCWL
    from skgraded.measures._evaluate import evaluate
    from skgraded.measures._measure import Measure
    from skgraded.measures._pair_matrix import PairFactors, PairMatrix
    from skgraded.measures._positions import ByRank, Positions
    from skgraded.measures._prefix import LinearPart, PairPart, PrefixMeasure
    from skgraded.measures._scales import (
        resolve_all,
        warn_if_grades_are_inferred,
        warn_of_continuous_scale,
    )
    from skgraded.measures._tie_report import TieReport, tie_report
    from skgraded.measures.average_precision import (
        AP,
        GAP,
        GeneralizedAP,
        QMeasure,
        WeightedAP,
        eGAP,
        grAP,
        xGAP,
    )
    from skgraded.measures.blend import Blend
    from skgraded.measures.blended_ratio import EBR, NCU, OMeasure, PMeasure, PPlus, RankBiasedNCU
    from skgraded.measures.bpref import Bpref, BprefN, BprefR, BprefRelative, BprefTen, OldBpref
    from skgraded.measures.cascade import ERR, iRBU
    from skgraded.measures.continuation import BPM, INSQ, INST, NERR8, NERR9, NERR10, NERR11, SDCG
    from skgraded.measures.distance import ADM
    from skgraded.measures.half_life import RankedHalfLife
    from skgraded.measures.ideal_gain import RNDCG, BinG, G, NDCGRel
    from skgraded.measures.inferred import infAP
    from skgraded.measures.interpolated import InterpolatedAP, IPrec
    from skgraded.measures.judged import Judged
    from skgraded.measures.ndcg import CG, DCG, AveragedNDCG, nDCG
    from skgraded.measures.normalized_recall import NormalizedPrecision, NormalizedRecall
    from skgraded.measures.overlap import Compat
    from skgraded.measures.precision_recall import (
        FDR,
        NPV,
        Accuracy,
        F,
        Fallout,
        GeneralizedP,
        GeneralizedR,
        P,
        R,
        RPrecision,
        SetAP,
        Specificity,
        Utility,
    )
    from skgraded.measures.rank_biased import RBP
    from skgraded.measures.reciprocal_rank import RR, Success
    from skgraded.measures.rpref import RprefN, RprefRelative, RprefRelative2
    from skgraded.measures.sliding_ratio import ModifiedSlidingRatio, SlidingRatio

__all__ = [
    "ADM",
    "AP",
    "BPM",
    "CG",
    "CWL",
    "DCG",
    "EBR",
    "ERR",
    "FDR",
    "GAP",
    "INSQ",
    "INST",
    "NCU",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NPV",
    "RBP",
    "RNDCG",
    "RR",
    "SDCG",
    "Accuracy",
    "AveragedNDCG",
    "BinG",
    "Blend",
    "Bounds",
    "Bpref",
    "BprefN",
    "BprefR",
    "BprefRelative",
    "BprefTen",
    "ByRank",
    "Compat",
    "F",
    "Fallout",
    "G",
    "GeneralizedAP",
    "GeneralizedP",
    "GeneralizedR",
    "IPrec",
    "InterpolatedAP",
    "Judged",
    "LinearPart",
    "Measure",
    "Measures",
    "ModifiedSlidingRatio",
    "NDCGRel",
    "NormalizedPrecision",
    "NormalizedRecall",
    "OMeasure",
    "OldBpref",
    "P",
    "PMeasure",
    "PPlus",
    "PairFactors",
    "PairMatrix",
    "PairPart",
    "Positions",
    "PrefixCWL",
    "PrefixMeasure",
    "QMeasure",
    "R",
    "RPrecision",
    "RankBiasedNCU",
    "RankedHalfLife",
    "RprefN",
    "RprefRelative",
    "RprefRelative2",
    "SetAP",
    "SlidingRatio",
    "Specificity",
    "Success",
    "TieReport",
    "Utility",
    "WeightedAP",
    "catalogue",
    "eGAP",
    "evaluate",
    "grAP",
    "iRBU",
    "infAP",
    "measure",
    "measure_or_none",
    "measures_by_name",
    "nDCG",
    "register",
    "resolve_all",
    "tie_report",
    "warn_if_grades_are_inferred",
    "warn_of_continuous_scale",
    "xGAP",
]

_NAMES_IN = {
    "_bounds": ["Bounds"],
    "_catalogue": [
        "Measures",
        "catalogue",
        "measure",
        "measure_or_none",
        "measures_by_name",
        "register",
    ],
    "_cwl": ["CWL", "PrefixCWL"],
    "_evaluate": ["evaluate"],
    "_measure": ["Measure"],
    "_pair_matrix": ["PairFactors", "PairMatrix"],
    "_positions": ["ByRank", "Positions"],
    "_prefix": ["LinearPart", "PairPart", "PrefixMeasure"],
    "_scales": ["resolve_all", "warn_if_grades_are_inferred", "warn_of_continuous_scale"],
    "_tie_report": ["TieReport", "tie_report"],
    "average_precision": [
        "AP",
        "GAP",
        "GeneralizedAP",
        "QMeasure",
        "WeightedAP",
        "eGAP",
        "grAP",
        "xGAP",
    ],
    "blend": ["Blend"],
    "blended_ratio": ["EBR", "NCU", "OMeasure", "PMeasure", "PPlus", "RankBiasedNCU"],
    "bpref": ["Bpref", "BprefN", "BprefR", "BprefRelative", "BprefTen", "OldBpref"],
    "cascade": ["ERR", "iRBU"],
    "continuation": ["BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG"],
    "distance": ["ADM"],
    "half_life": ["RankedHalfLife"],
    "ideal_gain": ["RNDCG", "BinG", "G", "NDCGRel"],
    "inferred": ["infAP"],
    "interpolated": ["InterpolatedAP", "IPrec"],
    "judged": ["Judged"],
    "ndcg": ["CG", "DCG", "AveragedNDCG", "nDCG"],
    "normalized_recall": ["NormalizedPrecision", "NormalizedRecall"],
    "overlap": ["Compat"],
    "precision_recall": [
        "FDR",
        "NPV",
        "Accuracy",
        "F",
        "Fallout",
        "GeneralizedP",
        "GeneralizedR",
        "P",
        "R",
        "RPrecision",
        "SetAP",
        "Specificity",
        "Utility",
    ],
    "rank_biased": ["RBP"],
    "reciprocal_rank": ["RR", "Success"],
    "rpref": ["RprefN", "RprefRelative", "RprefRelative2"],
    "sliding_ratio": ["ModifiedSlidingRatio", "SlidingRatio"],
}
__getattr__, __dir__ = on_first_use(__name__, _NAMES_IN)

for _home, _names in _NAMES_IN.items():
    if not _home.startswith("_"):  # a family of measures
        register_on_first_use(f"{__name__}.{_home}", _names)
