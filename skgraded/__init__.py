"""Select and train ranking models on graded relevance."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skgraded._exceptions import (
    InferredGradesWarning,
    QueryLeakWarning,
    SkgradedWarning,
    UndefinedMeanWarning,
)
from skgraded.measures import (
    AP,
    DCG,
    GAP,
    RBP,
    Measure,
    P,
    QueryScores,
    R,
    Scores,
    catalogue,
    eGAP,
    egap_score,
    evaluate,
    gap_score,
    measure,
    nDCG,
    xGAP,
    xgap_score,
)
from skgraded.rankings import Judgments, Rankings

if TYPE_CHECKING:
    from skgraded._query_ids import query_target
    from skgraded.model_selection import QueryKFold, QueryRanker
    from skgraded.scoring import make_ranking_scorer

__version__ = "0.1.0.dev0"

__all__ = [
    "AP",
    "DCG",
    "GAP",
    "RBP",
    "InferredGradesWarning",
    "Judgments",
    "Measure",
    "P",
    "QueryKFold",
    "QueryLeakWarning",
    "QueryRanker",
    "QueryScores",
    "R",
    "Rankings",
    "Scores",
    "SkgradedWarning",
    "UndefinedMeanWarning",
    "catalogue",
    "eGAP",
    "egap_score",
    "evaluate",
    "gap_score",
    "make_ranking_scorer",
    "measure",
    "nDCG",
    "query_target",
    "xGAP",
    "xgap_score",
]

# scikit-learn takes a second to import; who only scores rankings does not wait for it.
_HOME_OF = {
    "QueryKFold": "skgraded.model_selection",
    "QueryRanker": "skgraded.model_selection",
    "make_ranking_scorer": "skgraded.scoring",
    "query_target": "skgraded._query_ids",
}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
