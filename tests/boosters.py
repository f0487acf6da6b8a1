"""Small, quiet models of the three libraries; a test skips where its library is not installed."""

import pytest
from lightgbm import LGBMRanker

N_TREES = 15  # of which early stopping keeps fewer


def lgbm(kind=LGBMRanker, **params):
    options = {"n_estimators": N_TREES, "num_leaves": 7, "n_jobs": 1, "verbose": -1}
    return kind(**options | params)


def xgb(kind="XGBRanker", **params):
    xgboost = pytest.importorskip("xgboost")
    make = getattr(xgboost, kind) if isinstance(kind, str) else kind
    return make(
        **{
            "n_estimators": N_TREES,
            "max_depth": 3,
            "n_jobs": 1,
            "random_state": 0,
            **params,
        }
    )


QUIET = {
    "verbose": 0,
    "thread_count": 1,
    "allow_writing_files": False,
    "random_seed": 0,
}


def cat(**params):
    catboost = pytest.importorskip("catboost")
    return catboost.CatBoostRanker(**{"n_estimators": N_TREES, **QUIET, **params})


BOOSTERS = {"lightgbm": lgbm, "xgboost": xgb, "catboost": cat}
# What each library calls initial scores, and a model to continue from.
STARTS = {"lightgbm": "init_score", "xgboost": "base_margin", "catboost": "baseline"}
CONTINUES = {"lightgbm": "init_model", "xgboost": "xgb_model", "catboost": "init_model"}
