"""How the ranker of each library learns where the queries are, and is stopped by a measure."""

from skgraded.model_selection._fitting._estimators import (
    STOPPING,
    clone_around,
    clone_estimator,
    final_step,
    may_stop,
    train_for,
)
from skgraded.model_selection._fitting._fit_params import (
    entry_per_row,
    split_fit_params,
    take_along,
)
from skgraded.model_selection._fitting._libraries import (
    can_stop_early,
    export_model,
    fit_estimator,
    importances_of,
    name_of_initial_scores,
    needs_queries,
    predict_from,
    reject_cluster_rankers,
    stoppable,
)
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched

__all__ = [
    "STOPPING",
    "QueryRows",
    "Validation",
    "Watched",
    "can_stop_early",
    "clone_around",
    "clone_estimator",
    "entry_per_row",
    "export_model",
    "final_step",
    "fit_estimator",
    "importances_of",
    "may_stop",
    "name_of_initial_scores",
    "needs_queries",
    "predict_from",
    "reject_cluster_rankers",
    "split_fit_params",
    "stoppable",
    "take_along",
    "train_for",
]
