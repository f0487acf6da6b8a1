"""Select and train ranking models on graded relevance."""

from typing import TYPE_CHECKING

from skgraded._support.lazy import on_first_use

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
        QueryTimeSeriesSplit,
        StratifiedQueryKFold,
        cross_validate_queries,
        query_train_test_split,
    )
    from skgraded.rankings import (
        Judgments,
        Rankings,
        query_ids,
        query_series,
        query_target,
    )
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
    "QueryTimeSeriesSplit",
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


def _refuse(name: str) -> None:
    from skgraded._guards import refuse_name_of_a_module

    refuse_name_of_a_module(name)


# Measures take longer to import than NumPy, and scikit-learn takes a second: it comes last.
__getattr__, __dir__ = on_first_use(
    __name__,
    __all__,
    ["rankings", "measures", "results", "comparison", "scoring", "model_selection"],
    ["chunks", "conventions", "datasets", "exceptions", "studies", "trec", "users"],
    # These need libraries of their own.
    modules_of_libraries={
        "catboost": "catboost",
        "dask": "dask",
        "displays": "matplotlib",
        "lightgbm": "lightgbm",
        "spark": "pyspark",
        "xgboost": "xgboost",
    },
    refuse=_refuse,
)
