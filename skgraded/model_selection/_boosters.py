"""Which estimator is handled in which way, by its library."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from skgraded.model_selection._booster import Booster
from skgraded.model_selection._catboost import CatBoost, PlainCatBoost
from skgraded.model_selection._lightgbm import LightGBM
from skgraded.model_selection._xgboost import PlainXGBoost, XGBoost

# By the name of the package and that of the class, so that no library has to be imported.
BOOSTERS: dict[tuple[str, str], Booster] = {
    ("lightgbm", "LGBMRanker"): LightGBM(needs_queries=True, is_watched=True),
    ("lightgbm", "LGBMRegressor"): LightGBM(is_watched=True),
    ("xgboost", "XGBRanker"): XGBoost(needs_queries=True, is_watched=True),
    ("xgboost", "XGBRFRegressor"): XGBoost(),  # of a single iteration
    ("xgboost", "XGBRegressor"): XGBoost(is_watched=True),
    ("xgboost", "XGBModel"): PlainXGBoost(),  # any other, by its base
    ("catboost", "CatBoostRanker"): CatBoost(needs_queries=True, is_watched=True),
    ("catboost", "CatBoost"): PlainCatBoost(),  # any other, by its base
}


def booster_of(estimator: Any) -> Booster:
    """Return how an estimator, or the last step of a Pipeline, is handled."""
    for base in type(final_step(estimator)).__mro__:
        package = base.__module__.partition(".")[0]
        booster = BOOSTERS.get((package, base.__name__))
        if booster is not None:
            return booster
    return Booster()


def final_step(estimator: Any) -> Any:
    """Return the estimator that ranks: the last step of a Pipeline, or the estimator itself."""
    while isinstance(estimator, Pipeline):
        _, estimator = estimator.steps[-1]
    return estimator
