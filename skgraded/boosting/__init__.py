"""The part of training and evaluation that LightGBM, XGBoost and CatBoost have in common."""

from skgraded.boosting._evaluator import NamedMeasures, parse_named

__all__ = ["NamedMeasures", "parse_named"]
