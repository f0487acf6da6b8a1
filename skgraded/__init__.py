"""Select and train ranking models on graded relevance."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skgraded.comparison import Comparison, compare
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
    from skgraded.model_selection import (
        QueryKFold,
        QueryRanker,
        QueryShuffleSplit,
        StratifiedQueryKFold,
        cross_validate_queries,
        query_train_test_split,
    )
    from skgraded.rankings import Judgments, Rankings, query_ids, query_series, query_target
    from skgraded.results import Scores
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

# All names are imported on first use: measures take longer than NumPy, and scikit-learn a second.
_NAMES_IN = {
    "comparison": ["Comparison", "compare"],
    "measures": [
        "AP",
        "Blend",
        "Bpref",
        "DCG",
        "ERR",
        "GAP",
        "Measure",
        "QMeasure",
        "RBP",
        "RR",
        "catalogue",
        "eGAP",
        "evaluate",
        "infAP",
        "measure",
        "nDCG",
        "xGAP",
    ],
    "model_selection": [
        "QueryKFold",
        "QueryRanker",
        "QueryShuffleSplit",
        "StratifiedQueryKFold",
        "cross_validate_queries",
        "query_train_test_split",
    ],
    "rankings": ["Judgments", "Rankings", "query_ids", "query_series", "query_target"],
    "results": ["Scores"],
    "scoring": ["make_ranking_scorer"],
}
_MODULES = (
    "conventions",
    "datasets",
    "exceptions",
    "measures",
    "rankings",
    "results",
    "trec",
    "users",
)
_HOME_OF = {name: home for home, names in _NAMES_IN.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(f"skgraded.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"skgraded.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
