"""The guide's table of options: which of them stop early, are refitted and exported."""

import re
from inspect import signature
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
from boosters import BOOSTERS, cat, lgbm, xgb
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryRanker
from skgraded.datasets import make_ranking

PAGE = Path(__file__).parents[2] / "docs/guide/native_training.md"
SUFFIXES = {"lightgbm": "txt", "xgboost": "json", "catboost": "cbm"}
MAKERS = {"LightGBM": lgbm, "XGBoost": xgb, "CatBoost": cat}

X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
NUMBERED = X.copy()
NUMBERED[:, 0] = np.digitize(X[:, 0], [-1, 0, 1])
NAMES = ["c", *(f"f{number}" for number in range(1, X.shape[1]))]
NAMED = pd.DataFrame(NUMBERED, columns=NAMES).astype({"c": int})
CATEGORIES = NAMED.astype({"c": "category"})
POSITION = np.tile(np.arange(20), 60)
HAS_POSITIONS = "position" in signature(lightgbm.Dataset).parameters
STOPS = {"validation_fraction": 0.3, "early_stopping_rounds": 5, "random_state": 0}

BY_QUERY = {"bagging_by_query": True, "bagging_fraction": 0.5, "bagging_freq": 1}
DROPS = {"boosting_type": "dart", "drop_rate": 0.5, "skip_drop": 0.0}
FOREST = {"boosting_type": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}
KINDS = ["c", *["q"] * (X.shape[1] - 1)]

# Parameters of the estimator, features, and parameters of fit, by the words of the table
CASES = {
    'LightGBM: boosting_type="dart"': (DROPS, X, {}),
    'LightGBM: boosting_type="rf"': (FOREST, X, {}),
    "LightGBM: linear_tree=True": ({"linear_tree": True}, X, {}),
    "LightGBM: bagging_by_query=True": (BY_QUERY, X, {}),
    "LightGBM: columns of type category": ({}, CATEGORIES, {}),
    'LightGBM: fit(categorical_feature=["c"])': (
        {},
        NAMED,
        {"categorical_feature": ["c"]},
    ),
    "LightGBM: fit(categorical_feature=[0])": (
        {},
        NUMBERED,
        {"categorical_feature": [0]},
    ),
    "LightGBM: fit(position=...)": ({}, X, {"position": POSITION}),
    "LightGBM: fit(init_model=...)": ({}, X, {"init_model": None}),
    'XGBoost: booster="dart" without dropped trees': ({"booster": "dart"}, X, {}),
    'XGBoost: booster="dart", rate_drop=0.5': (
        {"booster": "dart", "rate_drop": 0.5},
        X,
        {},
    ),
    'XGBoost: booster="gblinear"': ({"booster": "gblinear"}, X, {}),
    "XGBoost: columns of type category, enable_categorical=True": (
        {"enable_categorical": True},
        CATEGORIES,
        {},
    ),
    'XGBoost: feature_types=["c", ...]': (
        {"feature_types": KINDS, "enable_categorical": True},
        NUMBERED,
        {},
    ),
    "XGBoost: fit(xgb_model=...)": ({}, X, {"xgb_model": None}),
    'CatBoost: cat_features=["c"]': ({"cat_features": ["c"]}, NAMED, {}),
    "CatBoost: cat_features=[0]": ({"cat_features": [0]}, NAMED, {}),
    'CatBoost: fit(cat_features=["c"])': ({}, NAMED, {"cat_features": ["c"]}),
    "CatBoost: fit(init_model=...)": ({}, X, {"init_model": None}),
    "All: fit(eval_X=..., eval_y=..., eval_qid=...)": ({}, X, {"eval_X": None}),
    "All: transformers before the model in a Pipeline": ({}, X, {}),
}


def rows_of_table():
    text = PAGE.read_text(encoding="utf-8").partition("## What works together")[2]
    lines = re.findall(r"^\| (\w+: .*?) \| (.*?) \| (.*?) \| (.*?) \|$", text, re.M)
    return {option.replace("`", ""): tuple(cells) for option, *cells in lines}


ROWS = rows_of_table() if PAGE.exists() else {}
pytestmark = pytest.mark.skipif(not ROWS, reason="the pages of the site are not here")


def fitted(option, make, *, stops=False, refit=False):
    """Fit a ranker as a row of the table says."""
    params, features, given = CASES[option]
    rows = slice(None)
    given = dict(given)
    kept = dict(STOPS) if stops else {}
    if "eval_X" in given:
        rows = slice(800)
        held_out = slice(800, None)
        given = {}
        if stops:
            kept = {"early_stopping_rounds": 5}
            given = {
                "eval_X": X[held_out],
                "eval_y": Y[held_out],
                "eval_qid": QID[held_out],
            }
    for name in given.keys() & {"init_model", "xgb_model"}:
        begun = QueryRanker(make(n_estimators=3), measure="nDCG@10")
        given[name] = begun.fit(X, Y, QID)
    estimator = make(n_estimators=40, **params)
    if "Pipeline" in option:
        estimator = make_pipeline(StandardScaler(), estimator)
    ranker = QueryRanker(estimator, measure="nDCG@10", refit=refit, **kept)
    return ranker.fit(features[rows], Y[rows], QID[rows], **given)


def stopping(option, make):
    try:
        ranker = fitted(option, make, stops=True)
    except ValueError:
        return "refused"
    return "yes" if hasattr(ranker, "best_iteration_") else "no, it warns"


def refitting(option, make):
    try:
        ranker = fitted(option, make, stops=True, refit=True)
    except ValueError:
        return "refused"
    recorded = ranker.evals_result_["valid_0"]["nDCG@10"]
    assert ranker.n_iterations_ == np.argmax(recorded) + 1
    return "yes"


def exporting(option, make, library, folder):
    ranker = fitted(option, make)
    path = folder / f"model.{SUFFIXES[library]}"
    try:
        ranker.export(path)
    except ValueError:
        return "refused"
    if library == "lightgbm":
        model = lightgbm.Booster(model_file=path)
    else:
        params = CASES[option][0] if library == "xgboost" else {}
        model = make(**params)
        model.load_model(str(path))
    features = CASES[option][1]
    return (
        "yes"
        if np.array_equal(model.predict(features), ranker.predict(features))
        else "no"
    )


def test_the_table_has_the_cases_that_are_tested():
    assert list(ROWS) == list(CASES)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("option", ROWS)
def test_a_row_of_the_table_is_true(option, tmp_path):
    library = option.partition(":")[0]
    if "position" in option and not HAS_POSITIONS:
        pytest.skip("LightGBM < 4.1 has no positions")
    makers = BOOSTERS.values() if library == "All" else [MAKERS[library]]
    for make in makers:
        name = next(name for name in BOOSTERS if BOOSTERS[name] is make)
        found = (
            stopping(option, make),
            refitting(option, make),
            exporting(option, make, name, tmp_path),
        )
        assert found == ROWS[option]
