"""Positions of documents reach LightGBM's data set, in the order of the rows."""

import inspect

import lightgbm
import numpy as np
import pytest
from boosters import cat, lgbm, xgb
from lightgbm import LGBMRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, QueryRanker
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

pytestmark = pytest.mark.skipif(
    "position" not in inspect.signature(lightgbm.Dataset).parameters,
    reason="LightGBM < 4.1 has no positions",
)

X, Y, QID = make_ranking(n_queries=60, docs_per_query=10, random_state=0)
RNG = np.random.default_rng(0)
POSITION = np.argsort(RNG.random((60, 10)), axis=1).ravel()
CLICKED = 1 * (RNG.random(len(Y)) < (Y + 1) / 5 / (1 + POSITION))
SHUFFLED = RNG.permutation(len(Y))
PARAMS = {"objective": "lambdarank", "num_leaves": 7, "num_threads": 1, "verbose": -1}
SIZES = [10] * 60


def in_order(rows):
    """Rows of whole queries, in the order in which a ranker meets these."""
    _, first, query = np.unique(QID[rows], return_index=True, return_inverse=True)
    return rows[np.argsort(first[query], kind="stable")]


def trained(rows, n_trees=15, **columns):
    """Train by LightGBM's own function."""
    data = lightgbm.Dataset(X[rows], CLICKED[rows], group=SIZES, **columns)
    return lightgbm.train(PARAMS, data, n_trees)


def ranker(estimator=None, **params):
    return QueryRanker(estimator or lgbm(), measure="nDCG@10", **params)


def test_the_model_is_that_of_a_data_set_with_positions():
    rows = in_order(SHUFFLED)
    columns = {"position": POSITION[SHUFFLED]}
    found = ranker().fit(X[SHUFFLED], CLICKED[SHUFFLED], QID[SHUFFLED], **columns)
    expected = trained(rows, position=POSITION[rows]).predict(X)
    assert np.array_equal(found.predict(X), expected)
    assert not np.array_equal(expected, trained(rows).predict(X))


def test_weights_and_initial_scores_go_along():
    start = RNG.normal(size=len(Y))
    weight = RNG.random(len(Y))
    found = ranker().fit(
        X, CLICKED, QID, weight, position=POSITION.astype(float), init_score=start
    )
    columns = {"weight": weight, "init_score": start, "position": POSITION}
    expected = trained(np.arange(len(Y)), **columns).predict(X)
    assert np.array_equal(found.estimator_.predict(X), expected)


def test_it_stops_and_is_refitted_and_exported(tmp_path):
    stops = {"validation_fraction": 0.3, "early_stopping_rounds": 5, "random_state": 0}
    pipeline = make_pipeline(StandardScaler(), lgbm(n_estimators=50))
    found = ranker(pipeline, **stops).fit(X, CLICKED, QID, position=POSITION)
    held_out = found.validation_queries_.contains(QID)
    data = lightgbm.Dataset(
        StandardScaler().fit_transform(X[~held_out]),
        CLICKED[~held_out],
        group=SIZES[:42],
        position=POSITION[~held_out],
    )
    booster = lightgbm.train(PARAMS, data, found.best_iteration_)
    scaled = found.estimator_[0].transform(X)
    assert np.array_equal(booster.predict(scaled), found.predict(X))

    again = ranker(lgbm(n_estimators=50), refit=True, **stops)
    again.fit(X, CLICKED, QID, position=POSITION)
    expected = trained(np.arange(len(Y)), again.n_iterations_, position=POSITION)
    assert np.array_equal(again.predict(X), expected.predict(X))
    again.export(tmp_path / "model.txt")
    read = lightgbm.Booster(model_file=tmp_path / "model.txt")
    assert np.array_equal(read.predict(X), again.predict(X))


def test_a_search_takes_the_positions_of_its_rows():
    search = GridSearchCV(
        QueryRanker(lgbm(), measure="AP"),
        {"estimator__num_leaves": [7]},
        cv=QueryKFold(3),
        scoring=lambda model, X, y: model.predict(X).sum(),
    )
    search.fit(X, CLICKED, groups=QID, qid=QID, position=POSITION)
    expected = trained(np.arange(len(Y)), position=POSITION).predict(X)
    assert np.array_equal(search.predict(X), expected)


REFUSED = [
    (xgb, "LGBMRanker alone .* got XGBRanker"),
    (cat, "LGBMRanker alone .* got CatBoostRanker"),
    (lambda: lgbm(LGBMRegressor), "LGBMRanker alone .* got LGBMRegressor"),
    (lambda: lgbm(objective=objective()), "with this objective"),
    (lambda: lgbm(objective="rank_xendcg"), "with this objective.*got 'rank_xendcg'"),
    (lambda: lgbm(loss="rank_xendcg"), "with this objective"),
]


@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_positions_that_nothing_learns_from_are_refused(make, words):
    with pytest.raises(ValueError, match=f"position must be left out.*{words}"):
        ranker(make()).fit(X, CLICKED, QID, position=POSITION)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (POSITION[:-1], "position must have an entry per row, got 599 for 600 rows"),
        (POSITION + 0.5, "position must hold whole numbers"),
        (np.where(QID == 3, np.nan, 1.0), "position must hold whole numbers"),
    ],
)
def test_positions_of_other_rows_are_refused(position, words):
    with pytest.raises(ValueError, match=words):
        ranker().fit(X, CLICKED, QID, position=position)


def test_no_positions_are_none():
    found = ranker().fit(X, CLICKED, QID, position=None).predict(X)
    assert np.array_equal(found, ranker().fit(X, CLICKED, QID).predict(X))
