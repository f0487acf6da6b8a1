"""Select and train ranking models on graded relevance."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skgraded.measures import (
    AP,
    DCG,
    ERR,
    GAP,
    RBP,
    RR,
    Blend,
    Bpref,
    Measure,
    QMeasure,
    catalogue,
    eGAP,
    evaluate,
    infAP,
    measure,
    nDCG,
    xGAP,
)
from skgraded.rankings import Judgments, Rankings, query_ids, query_series, query_target
from skgraded.results import Scores

if TYPE_CHECKING:
    from skgraded.comparison import Comparison, compare
    from skgraded.model_selection import (
        QueryKFold,
        QueryRanker,
        QueryShuffleSplit,
        StratifiedQueryKFold,
        cross_validate_queries,
        query_train_test_split,
    )
    from skgraded.scoring import make_ranking_scorer

__version__ = "0.1.0.dev0"

__all__ = [
    "AP",
    "DCG",
    "ERR",
    "GAP",
    "RBP",
    "RR",
    "Blend",
    "Bpref",
    "Comparison",
    "Judgments",
    "Measure",
    "QMeasure",
    "QueryKFold",
    "QueryRanker",
    "QueryShuffleSplit",
    "Rankings",
    "Scores",
    "StratifiedQueryKFold",
    "catalogue",
    "compare",
    "cross_validate_queries",
    "eGAP",
    "evaluate",
    "infAP",
    "make_ranking_scorer",
    "measure",
    "nDCG",
    "query_ids",
    "query_series",
    "query_target",
    "query_train_test_split",
    "xGAP",
]

# These names are imported on first use, because importing scikit-learn takes a second.
_HOME_OF = {
    "Comparison": "skgraded.comparison",
    "QueryKFold": "skgraded.model_selection",
    "QueryRanker": "skgraded.model_selection",
    "QueryShuffleSplit": "skgraded.model_selection",
    "StratifiedQueryKFold": "skgraded.model_selection",
    "compare": "skgraded.comparison",
    "cross_validate_queries": "skgraded.model_selection",
    "make_ranking_scorer": "skgraded.scoring",
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
