"""Facts of the libraries that train rankers, known without an import of the libraries.

What `QueryRanker` asks of a library besides stands on its `Booster`, in `skgraded.model_selection`.
"""

from __future__ import annotations

from typing import NamedTuple


class Library(NamedTuple):
    """A library that trains rankers.

    Attributes
    ----------
    name : str
        What the library calls itself.
    adapters : str
        What to write where the library would call a measure itself.
    metrics_at_cutoffs : tuple of str
        Metrics of its own that it reports as ``metric@k``, so that no measure may be named so.
    """

    name: str
    adapters: str
    metrics_at_cutoffs: tuple[str, ...] = ()


# By the name of the package.
LIBRARIES = {
    "lightgbm": Library(
        name="LightGBM",
        adapters=(
            "feval=skgraded.lightgbm.eval_metric(measure), or as the objective "
            "skgraded.lightgbm.objective(measure)"
        ),
        metrics_at_cutoffs=("ndcg", "map"),
    ),
    "xgboost": Library(
        name="XGBoost",
        adapters=(
            "XGBRanker(callbacks=[skgraded.xgboost.evaluation(measure, X=..., y=..., qid=...)]), "
            "or xgboost.train with custom_metric=skgraded.xgboost.eval_metric(measure) or "
            "obj=skgraded.xgboost.objective(measure)"
        ),
        metrics_at_cutoffs=("ndcg", "map", "pre"),
    ),
    "catboost": Library(
        name="CatBoost",
        adapters="eval_metric=skgraded.catboost.eval_metric(measure, (y, qid), ...)",
    ),
}
