"""Select and train ranking models on graded relevance."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skgraded._warnings import (
    CutQueriesWarning,
    GroupSizesWarning,
    InferredGradesWarning,
    QueryLeakWarning,
    SkgradedWarning,
    ThinnedQueriesWarning,
    UndefinedMeanWarning,
    UnseenGradeWarning,
)
from skgraded.measures import (
    ADM,
    AP,
    CG,
    DCG,
    ERR,
    FDR,
    GAP,
    NPV,
    RBP,
    RR,
    Accuracy,
    AveragedNDCG,
    Bpref,
    BprefN,
    BprefR,
    BprefRelative,
    BprefTen,
    F,
    Fallout,
    GeneralizedAP,
    GeneralizedP,
    GeneralizedR,
    Measure,
    ModifiedSlidingRatio,
    NormalizedPrecision,
    NormalizedRecall,
    OldBpref,
    P,
    QMeasure,
    QueryScores,
    R,
    RankedHalfLife,
    RPrecision,
    RprefN,
    RprefRelative,
    RprefRelative2,
    Scores,
    SlidingRatio,
    Specificity,
    Success,
    WeightedAP,
    catalogue,
    eGAP,
    egap_score,
    evaluate,
    gap_score,
    infAP,
    measure,
    nDCG,
    xGAP,
    xgap_score,
)
from skgraded.rankings import Judgments, Rankings

if TYPE_CHECKING:
    from skgraded.model_selection import (
        QueryKFold,
        QueryRanker,
        QueryShuffleSplit,
        QueryValidation,
        RankerComparison,
        StratifiedQueryKFold,
        compare_rankers,
        cross_validate_queries,
        query_train_test_split,
    )
    from skgraded.rankings._query_ids import query_target
    from skgraded.scoring import make_ranking_scorer

__version__ = "0.1.0.dev0"

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
    "Bpref",
    "BprefN",
    "BprefR",
    "BprefRelative",
    "BprefTen",
    "CutQueriesWarning",
    "F",
    "Fallout",
    "GeneralizedAP",
    "GeneralizedP",
    "GeneralizedR",
    "GroupSizesWarning",
    "InferredGradesWarning",
    "Judgments",
    "Measure",
    "ModifiedSlidingRatio",
    "NormalizedPrecision",
    "NormalizedRecall",
    "OldBpref",
    "P",
    "QMeasure",
    "QueryKFold",
    "QueryLeakWarning",
    "QueryRanker",
    "QueryScores",
    "QueryShuffleSplit",
    "QueryValidation",
    "R",
    "RPrecision",
    "RankedHalfLife",
    "RankerComparison",
    "Rankings",
    "RprefN",
    "RprefRelative",
    "RprefRelative2",
    "Scores",
    "SkgradedWarning",
    "SlidingRatio",
    "Specificity",
    "StratifiedQueryKFold",
    "Success",
    "ThinnedQueriesWarning",
    "UndefinedMeanWarning",
    "UnseenGradeWarning",
    "WeightedAP",
    "catalogue",
    "compare_rankers",
    "cross_validate_queries",
    "eGAP",
    "egap_score",
    "evaluate",
    "gap_score",
    "infAP",
    "make_ranking_scorer",
    "measure",
    "nDCG",
    "query_target",
    "query_train_test_split",
    "xGAP",
    "xgap_score",
]

# These names are imported on first use, because importing scikit-learn takes a second.
_HOME_OF = {
    "QueryKFold": "skgraded.model_selection",
    "QueryRanker": "skgraded.model_selection",
    "QueryShuffleSplit": "skgraded.model_selection",
    "QueryValidation": "skgraded.model_selection",
    "RankerComparison": "skgraded.model_selection",
    "StratifiedQueryKFold": "skgraded.model_selection",
    "compare_rankers": "skgraded.model_selection",
    "cross_validate_queries": "skgraded.model_selection",
    "make_ranking_scorer": "skgraded.scoring",
    "query_target": "skgraded.rankings._query_ids",
    "query_train_test_split": "skgraded.model_selection",
}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
