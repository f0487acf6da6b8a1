"""How the ranker of each library learns where the queries are, and is stopped by a measure."""

from skgraded.model_selection._fitting._libraries import (
    can_stop_early,
    final_step,
    fit_estimator,
    importances_of,
    reject_cluster_rankers,
    stoppable,
)
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched

__all__ = [
    "QueryRows",
    "Validation",
    "Watched",
    "can_stop_early",
    "final_step",
    "fit_estimator",
    "importances_of",
    "reject_cluster_rankers",
    "stoppable",
]
