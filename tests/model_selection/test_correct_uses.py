"""Correct uses of training and selection: none of them warns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import xgboost
from catboost import CatBoostRanker
from lightgbm import LGBMRanker, LGBMRegressor
from samples import warnings_of
from scipy.sparse import csr_array, csr_matrix
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker, XGBRegressor

from skgraded import (
    QueryKFold,
    QueryRanker,
    StratifiedQueryKFold,
    cross_validate_queries,
    make_ranking_scorer,
    query_ids,
    query_series,
    query_target,
    query_train_test_split,
)
from skgraded.datasets import make_ranking
from skgraded.lightgbm import early_stopping, eval_metric, objective
from skgraded.xgboost import evaluation, objective as xgboost_objective

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(8, 20), random_state=0)
N_TRAIN = int((QID < 30).sum())
FRAME = pd.DataFrame(X, columns=[f"f{place}" for place in range(X.shape[1])])
WORDS = np.array([f"q{query}" for query in QID])
START = np.random.default_rng(0).normal(size=len(Y))
WEIGHT = QID % 3 + 1.0

ESTIMATORS = {
    "lgbm": LGBMRanker(n_estimators=3, n_jobs=1, verbose=-1),
    "lgbm objective": LGBMRanker(
        objective=objective(), n_estimators=3, n_jobs=1, verbose=-1
    ),
    "lgbm regressor": LGBMRegressor(n_estimators=3, n_jobs=1, verbose=-1),
    "xgb": XGBRanker(n_estimators=3, n_jobs=1),
    "xgb regressor": XGBRegressor(n_estimators=3, n_jobs=1),
    "cat": CatBoostRanker(
        iterations=3, verbose=False, thread_count=1, allow_writing_files=False
    ),
    "ridge": Ridge(),
    "forest": RandomForestRegressor(3, random_state=0),
    "hist": HistGradientBoostingRegressor(max_iter=3),
    "pipeline": make_pipeline(StandardScaler(), Ridge()),
    "pipeline of lgbm": make_pipeline(
        StandardScaler(), LGBMRanker(n_estimators=3, n_jobs=1, verbose=-1)
    ),
}
WATCHED = [
    name
    for name in ESTIMATORS
    if name.startswith(("lgbm", "xgb", "cat")) or name == "pipeline of lgbm"
]
INPUTS = {
    "arrays": (X, Y, {"qid": QID}),
    "words": (X, Y, {"qid": WORDS}),
    "target": (X, query_target(Y, QID), {}),
    "series": (X, query_series(Y, QID), {}),
    "sizes": (X, Y, {"qid": query_ids(QID)}),
    "frame": (FRAME, Y, {"qid": QID}),
    "column": (FRAME.assign(qid=QID), Y, {}),
    "polars": (pl.DataFrame(FRAME.assign(query_id=QID).to_dict("list")), Y, {}),
    "weights": (X, Y, {"qid": QID, "sample_weight": WEIGHT}),
    "fractions": (X, Y / 2, {"qid": QID}),
}
# Rankers of boosters take whole grades alone.
NEEDS_WHOLE = {"lgbm", "pipeline of lgbm", "xgb"}


def ranker(name, **params):
    return QueryRanker(ESTIMATORS[name], measure="nDCG@10", **params)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_fits(name, kind):
    if kind == "polars" and name.startswith("xgb"):
        pytest.importorskip("pyarrow")  # by which XGBoost reads frames of polars
    if kind == "polars" and name.startswith("cat"):
        pytest.importorskip("catboost", minversion="1.2.8")  # older ones read none
    features, labels, ids = INPUTS[kind]
    if kind == "fractions" and name in NEEDS_WHOLE:
        labels = Y
    assert not warnings_of(lambda: ranker(name).fit(features, labels, **ids))


@pytest.mark.parametrize("labels", ["grades", "rare"])
@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("source", ["drawn", "given"])
@pytest.mark.parametrize("name", WATCHED)
def test_watched_fits(name, source, stops, labels):
    grades = Y if labels == "grades" else np.where(QID % 2 == 0, Y, 0)
    params = {"early_stopping_rounds": 2} if stops else {}
    rows = slice(None)
    given = {}
    if source == "drawn":
        params |= {"validation_fraction": 0.2, "random_state": 0}
    else:
        rows = slice(N_TRAIN)
        given = {
            "eval_X": X[N_TRAIN:],
            "eval_y": grades[N_TRAIN:],
            "eval_qid": QID[N_TRAIN:],
        }
    fitted = ranker(name, **params)
    assert not warnings_of(
        lambda: fitted.fit(X[rows], grades[rows], qid=QID[rows], **given)
    )


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("cv", [QueryKFold(2), StratifiedQueryKFold(2)])
@pytest.mark.parametrize("name", ["lgbm", "xgb", "ridge", "pipeline", "cat"])
def test_tools_of_scikit_learn(name, cv, routing):
    scoring = make_ranking_scorer(["nDCG@10", "AP"])
    search = GridSearchCV(ranker(name), {"random_state": [0, 1]}, cv=cv)
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            assert not warnings_of(lambda: search.fit(X, Y, qid=QID))
        else:
            target = query_target(Y, QID)
            assert not warnings_of(lambda: search.fit(X, target))
            assert not warnings_of(
                lambda: cross_validate(ranker(name), X, target, cv=cv, scoring=scoring)
            )


@pytest.mark.parametrize("name", ESTIMATORS)
def test_cross_validation_over_queries(name):
    estimator = ESTIMATORS[name]
    if name == "lgbm objective" or name.startswith("pipeline of"):
        estimator = ranker(name)
    assert not warnings_of(
        lambda: cross_validate_queries(
            estimator, X, Y, qid=QID, measures=["nDCG@10", "AP"], cv=2
        )
    )


@pytest.mark.parametrize(
    ("name", "param"),
    [("lgbm", "init_score"), ("xgb", "base_margin"), ("cat", "baseline")],
)
def test_initial_scores(name, param):
    def use():
        fitted = ranker(name).fit(X, Y, qid=QID, **{param: START})
        fitted.predict(X, **{param: START})

    assert not warnings_of(use)


@pytest.mark.parametrize("kind", [csr_matrix, csr_array])
@pytest.mark.parametrize("name", ["lgbm", "xgb", "ridge", "forest"])
def test_sparse_features(name, kind):
    assert not warnings_of(lambda: ranker(name).fit(kind(X), Y, qid=QID))


def sizes_of(qid):
    return np.unique(qid, return_counts=True)[1]


@pytest.mark.parametrize(
    "measure", ["nDCG@10", "xGAP(max_grade=4)", "AP", "ERR(max_grade=4)"]
)
def test_adapters(measure):
    def of_lightgbm():
        LGBMRanker(n_estimators=3, n_jobs=1, verbose=-1).fit(
            X[:N_TRAIN],
            Y[:N_TRAIN],
            group=sizes_of(QID[:N_TRAIN]),
            eval_set=[(X[N_TRAIN:], Y[N_TRAIN:])],
            eval_group=[sizes_of(QID[N_TRAIN:])],
            eval_metric=eval_metric(measure),
            callbacks=[early_stopping(measure, 2)],
        )

    def of_xgboost():
        data = xgboost.DMatrix(X[:N_TRAIN], Y[:N_TRAIN], qid=QID[:N_TRAIN])
        watched = evaluation(
            measure, X=X[N_TRAIN:], y=Y[N_TRAIN:], qid=QID[N_TRAIN:], rounds=2
        )
        xgboost.train(
            {},
            data,
            3,
            obj=xgboost_objective("nDCG"),
            callbacks=[watched],
            verbose_eval=False,
        )

    assert not warnings_of(of_lightgbm)
    assert not warnings_of(of_xgboost)


def test_splits_classifiers_and_exports(tmp_path):
    assert not warnings_of(lambda: query_train_test_split(X, Y, qid=QID))
    classifier = LogisticRegression(max_iter=2_000)
    scaled = QueryRanker(make_pipeline(StandardScaler(), classifier), measure="AP")
    assert not warnings_of(lambda: scaled.fit(X, Y, qid=QID))
    for name, suffix in (("lgbm", ".txt"), ("xgb", ".ubj"), ("cat", ".onnx")):
        fitted = ranker(name).fit(X, Y, qid=QID)
        path = tmp_path / f"model{suffix}"
        assert not warnings_of(lambda fitted=fitted, path=path: fitted.export(path))
