"""Validation queries given to QueryRanker.fit, and what to do where query ids are missing."""

import warnings
from inspect import signature

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    QueryKFold,
    QueryRanker,
    query_target,
    query_train_test_split,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.exceptions import QueryLeakWarning
from skgraded.measures import (
    Fallout,
)

MEASURE = xGAP(max_grade=4, k=10)
FEATURES, GRADES, IDS = make_ranking(n_queries=50, docs_per_query=(3, 20), random_state=0)
X, X_VALID, Y, Y_VALID, QID, QID_VALID = query_train_test_split(
    FEATURES, GRADES, qid=IDS, test_size=0.3
)
SHUFFLED = np.random.default_rng(0).permutation(len(Y_VALID))


def ranker(estimator=None, **params):
    estimator = estimator or LGBMRanker(n_estimators=60, num_leaves=7, n_jobs=1, verbose=-1)
    return QueryRanker(estimator, **{"measure": MEASURE, "early_stopping_rounds": 8, **params})


def fit(given=None, **params):
    given = given or {"eval_X": X_VALID, "eval_y": Y_VALID, "eval_qid": QID_VALID}
    return ranker(**params).fit(X, Y, qid=QID, **given)


def test_training_stops_where_the_measure_on_these_queries_is_highest():
    fitted = fit()
    seen = fitted.evals_result_["valid_0"][str(MEASURE)]
    assert len(fitted.validation_queries_) == len(set(QID_VALID))
    assert fitted.validation_queries_.contains(QID_VALID).all()
    assert fitted.best_iteration_ == 1 + np.argmax(seen) > 1
    assert len(seen) == fitted.best_iteration_ + 8
    recomputed = [
        MEASURE(Y_VALID, fitted.estimator_.predict(X_VALID, num_iteration=each + 1), qid=QID_VALID)
        for each in range(fitted.best_iteration_)
    ]
    assert recomputed == seen[: fitted.best_iteration_]


def boosters():
    yield LGBMRanker(n_estimators=60, num_leaves=7, n_jobs=1, verbose=-1)
    try:
        from xgboost import XGBRanker
    except ImportError:
        pass
    else:
        yield XGBRanker(n_estimators=60, max_depth=3, n_jobs=1)
    try:
        from catboost import CatBoostRanker
    except ImportError:
        pass
    else:
        yield CatBoostRanker(
            iterations=60, verbose=0, thread_count=1, allow_writing_files=False, random_seed=0
        )


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(("measure", "best"), [(MEASURE, np.argmax), (Fallout(k=5), np.argmin)])
def test_every_booster_stops_where_the_measure_is_best(booster, measure, best):
    fitted = fit(estimator=booster, measure=measure)
    seen = fitted.evals_result_["valid_0"][str(measure)]
    assert fitted.best_iteration_ == 1 + best(seen)
    value = measure(Y_VALID, fitted.predict(X_VALID), qid=QID_VALID)
    assert value == pytest.approx(seen[fitted.best_iteration_ - 1], rel=1e-6)


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("unjudged", ["nonrelevant", "condense"])
def test_unjudged_documents_are_treated_by_the_measure_s_rule(booster, unjudged):
    measure = xGAP(max_grade=4, unjudged=unjudged)
    some = np.where(np.arange(len(Y_VALID)) % 3, Y_VALID, np.nan)
    fitted = fit(
        {"eval_X": X_VALID, "eval_y": some, "eval_qid": QID_VALID},
        estimator=booster,
        measure=measure,
    )
    seen = fitted.evals_result_["valid_0"][str(measure)]
    value = measure(some, fitted.predict(X_VALID), qid=QID_VALID)
    assert value == pytest.approx(max(seen), rel=1e-6)


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
def test_features_may_be_nested_lists(booster):
    given = {"eval_X": X_VALID.tolist(), "eval_y": Y_VALID.tolist(), "eval_qid": QID_VALID.tolist()}
    fitted = ranker(booster).fit(X.tolist(), Y.tolist(), qid=QID.tolist(), **given)
    expected = fit(estimator=booster)
    assert fitted.evals_result_["valid_0"] == expected.evals_result_["valid_0"]


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_the_training_rows_may_be_watched(booster):
    fitted = ranker(booster).fit(X, Y, qid=QID, eval_X=X, eval_y=Y, eval_qid=QID)
    seen = fitted.evals_result_["valid_0"][str(MEASURE)]
    assert fitted.best_iteration_ == 1 + np.argmax(seen)


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
def test_every_booster_says_which_features_matter(booster):
    fitted = fit(estimator=booster)
    assert fitted.feature_importances_.shape == (X.shape[1],)
    assert np.isfinite(fitted.feature_importances_).all()
    selected = SelectFromModel(fitted, prefit=True, max_features=3, threshold=-np.inf)
    assert selected.transform(X).shape == (len(X), 3)


CONTINUED = {
    "LGBMRanker": ("init_model", "group", [*np.unique(QID, return_counts=True)[1]]),
    "XGBRanker": ("xgb_model", "qid", np.unique(QID, return_inverse=True)[1]),
    "CatBoostRanker": ("init_model", "group_id", np.unique(QID, return_inverse=True)[1]),
}


@pytest.mark.parametrize("booster", list(boosters()), ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(("measure", "best"), [(MEASURE, np.argmax), (Fallout(k=5), np.argmin)])
def test_continued_training_counts_all_iterations_and_draws_the_new_ones(booster, measure, best):
    plt = pytest.importorskip("matplotlib.pyplot")
    name, queries, sizes_or_ids = CONTINUED[type(booster).__name__]
    first = clone(booster).set_params(**{next(iter(iterations_of(booster))): 20})
    first.fit(X, Y, **{queries: sizes_or_ids})
    given = {"eval_X": X_VALID, "eval_y": Y_VALID, "eval_qid": QID_VALID, name: first}
    fitted = fit(given, estimator=booster, measure=measure)
    seen = fitted.evals_result_["valid_0"][str(measure)]
    assert fitted.best_iteration_ == 20 + 1 + best(seen)
    value = measure(Y_VALID, fitted.predict(X_VALID), qid=QID_VALID)
    assert value == pytest.approx(seen[best(seen)], rel=1e-6)
    assert fitted.best_score_ == seen[best(seen)]
    display = TrainingDisplay.from_estimator(fitted, measure=measure)
    assert display.best_.get_xdata()[0] == 1 + best(seen)
    assert display.best_.get_ydata()[0] == seen[best(seen)]
    plt.close(display.figure_)


def iterations_of(booster):
    return {"n_estimators", "iterations"} & booster.get_params().keys()


def test_all_other_queries_are_trained_on():
    fitted = fit(early_stopping_rounds=None)
    assert not hasattr(fitted, "best_iteration_")
    sizes = np.unique(QID, return_counts=True)[1]
    assert len(fitted.training_queries_) == len(set(QID))
    assert fitted.training_queries_.contains(QID).all()
    by_hand = LGBMRanker(n_estimators=60, num_leaves=7, n_jobs=1, verbose=-1)
    by_hand.fit(X, Y, group=sizes)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))


def test_every_carrier_and_any_order_of_rows_stop_at_the_same_iteration():
    pd = pytest.importorskip("pandas")
    expected = fit()
    index = pd.Index(QID_VALID, name="qid")
    names = [f"x{each}" for each in range(X.shape[1])]
    frame, frame_valid = (pd.DataFrame(each, columns=names) for each in (X, X_VALID))
    for X_, given in [
        (X, {"eval_X": X_VALID, "eval_y": query_target(Y_VALID, QID_VALID)}),
        (X, {"eval_X": X_VALID, "eval_y": pd.Series(Y_VALID, index=index)}),
        (frame, {"eval_X": frame_valid.assign(qid=QID_VALID), "eval_y": Y_VALID}),
        (
            X,
            {
                "eval_X": X_VALID[SHUFFLED],
                "eval_y": Y_VALID[SHUFFLED],
                "eval_qid": QID_VALID[SHUFFLED],
            },
        ),
    ]:
        fitted = ranker().fit(X_, Y, qid=QID, **given)
        assert fitted.best_iteration_ == expected.best_iteration_
        np.testing.assert_allclose(
            fitted.evals_result_["valid_0"][str(MEASURE)],
            expected.evals_result_["valid_0"][str(MEASURE)],
            rtol=1e-12,
        )


def test_weights_weigh_the_validation_queries():
    weight = np.where(QID_VALID % 2, 4.0, 1.0)
    fitted = fit(
        {
            "eval_X": X_VALID,
            "eval_y": Y_VALID,
            "eval_qid": QID_VALID,
            "eval_sample_weight": weight,
        }
    )
    best = fitted.predict(X_VALID)
    value = fitted.evals_result_["valid_0"][str(MEASURE)][fitted.best_iteration_ - 1]
    assert value == pytest.approx(MEASURE(Y_VALID, best, qid=QID_VALID, sample_weight=weight))
    assert value != pytest.approx(MEASURE(Y_VALID, best, qid=QID_VALID))


# A Pipeline around the ranker


def outer(*before, **params):
    steps = before or (StandardScaler(),)
    return make_pipeline(*steps, ranker(), **params)


def given_to_outer(features=X_VALID, name="queryranker"):
    rows = {"eval_X": features, "eval_y": query_target(Y_VALID, QID_VALID)}
    return {f"{name}__{key}": value for key, value in rows.items()}


def test_validation_rows_that_nothing_transforms_or_that_are_transformed_do_not_warn():
    y = query_target(Y, QID)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outer("passthrough").fit(X, y, **given_to_outer())
        by_hand = PCA(3).fit(X)
        outer(PCA(3)).fit(X, y, **given_to_outer(by_hand.transform(X_VALID)))
        inside = ranker(make_pipeline(StandardScaler(), ranker().estimator))
        inside.fit(X, y, **{"eval_X": X_VALID, "eval_y": query_target(Y_VALID, QID_VALID)})
        selecting = outer(SelectFromModel(ranker(), threshold=-np.inf), StandardScaler())
        selecting.set_params(queryranker__early_stopping_rounds=None)
        selecting.fit(X, y, **given_to_outer(name="selectfrommodel"))


@pytest.mark.skipif(
    "transform_input" not in signature(make_pipeline).parameters, reason="scikit-learn < 1.6"
)
def test_a_pipeline_that_is_told_transforms_the_validation_rows():
    scaler = StandardScaler().fit(50 * X + 9)
    expected = ranker().fit(
        scaler.transform(50 * X + 9), Y, QID,
        eval_X=scaler.transform(50 * X_VALID + 9), eval_y=Y_VALID, eval_qid=QID_VALID,
    )  # fmt: skip
    rows = {"qid": QID, "eval_X": 50 * X_VALID + 9, "eval_y": Y_VALID, "eval_qid": QID_VALID}
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = outer(transform_input=["eval_X"]).fit(50 * X + 9, Y, **rows)
    assert fitted[-1].evals_result_ == expected.evals_result_


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_hands_the_validation_queries_on(routing):
    search = GridSearchCV(ranker(), {"estimator__num_leaves": [3, 7]}, cv=QueryKFold(2))
    given = {"eval_X": X_VALID, "eval_y": Y_VALID, "eval_qid": QID_VALID}
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            search.fit(X, Y, qid=QID, **given)
        else:
            search.fit(X, query_target(Y, QID), **given)
    validation = search.best_estimator_.validation_queries_
    assert len(validation) == len(set(QID_VALID))
    assert validation.contains(QID_VALID).all()


def test_a_higher_grade_of_the_validation_queries_belongs_to_the_scale():
    low = Y.clip(max=2)
    fitted = ranker(measure="xGAP@10").fit(
        X, low, qid=QID, eval_X=X_VALID, eval_y=Y_VALID, eval_qid=QID_VALID
    )
    assert fitted.measure_ == xGAP(max_grade=int(Y_VALID.max()), k=10)


def test_queries_on_both_sides_warn():
    most = np.arange(len(Y)) % 3 > 0
    with pytest.warns(QueryLeakWarning):
        ranker().fit(
            X[most], Y[most], qid=QID[most], eval_X=X[~most], eval_y=Y[~most], eval_qid=QID[~most]
        )
    with pytest.warns(QueryLeakWarning, match="The ranker was trained on 35 of the 35 queries"):
        ranker().fit(X, Y, qid=QID, eval_X=X, eval_y=Y, eval_qid=QID)


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({"validation_fraction": 0.2}, {}, "eval_X must be left out where validation_fraction"),
        ({}, {"eval_y": None}, "eval_y.* is refused: y must hold the grades"),
        ({}, {"eval_X": None}, "eval_X.* is refused: X must be two-dimensional"),
        ({}, {"eval_qid": None}, "Query ids are missing"),
        ({}, {"eval_y": Y_VALID[:-1]}, "eval_y.* refused: X and y must have the same number of ro"),
        ({}, {"eval_X": X_VALID[:, :2]}, "X has 2 features, but QueryRanker is expecting"),
        ({}, {"eval_y": np.full(len(Y_VALID), np.nan)}, "eval_y must be judged in some row"),
        ({}, {"eval_y": -1 - Y_VALID}, "eval_y.* refused: y_true must hold grades >= 0"),
        (
            {},
            {"eval_sample_weight": 0 * Y_VALID},
            "^eval_sample_weight must hold a positive weight",
        ),
        (
            {},
            {"eval_sample_weight": -1.0 - Y_VALID},
            "eval_sample_weight is refused: sample_weight must be finite and >= 0",
        ),
        ({"estimator": Ridge()}, {}, "eval_X is supported for LGBMRanker.* got Ridge"),
        ({}, {"eval_set": []}, "eval_set is taken by eval_X"),
        ({}, {"eval_names": ["mine"]}, "eval_names is taken by eval_X"),
    ],
)
def test_bad_validation_queries_are_refused(params, given, message):
    valid = {"eval_X": X_VALID, "eval_y": Y_VALID, "eval_qid": QID_VALID, **given}
    with pytest.raises(ValueError, match=message):
        ranker(**params).fit(X, Y, qid=QID, **valid)


# Without query ids


def test_missing_ids_are_an_error():
    with pytest.raises(ValueError, match="Query ids are missing"):
        QueryRanker(Ridge(), measure=MEASURE).fit(X, Y)
