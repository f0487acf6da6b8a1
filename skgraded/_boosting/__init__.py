"""The part of training and evaluation that LightGBM, XGBoost and CatBoost have in common."""

from skgraded._boosting._evaluator import (
    ChosenMeasure,
    NamedMeasures,
    as_argument,
    named_means,
    parse_named,
    refuse_bagging_by_query,
    refuse_taken_names,
)

__all__ = [
    "ChosenMeasure",
    "NamedMeasures",
    "as_argument",
    "named_means",
    "parse_named",
    "refuse_bagging_by_query",
    "refuse_taken_names",
]
