"""Stopping CatBoost by a measure, with the real library."""

import copy
import pickle

import numpy as np
import pytest
from catboost import CatBoostError, CatBoostRanker, Pool
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skgraded import (
    AP,
    QueryKFold,
    QueryRanker,
    query_target,
    xGAP,
)
from skgraded.catboost import eval_metric
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    GradeScaleWarning,
)

TARGET = xGAP(g=(0.1, 0.2, 0.3, 0.4))
QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}


@pytest.fixture(scope="module")
def rows():
    return make_ranking(n_queries=60, docs_per_query=(5, 30), noise=2.0, random_state=0)


@pytest.fixture
def parts(rows):
    """Rows to train on and rows to watch."""
    X, y, qid = rows
    first = qid < 40
    return (X[first], y[first], qid[first]), (X[~first], y[~first], qid[~first])


def fit(parts, metric, **options):
    (X, y, qid), (X_valid, y_valid, qid_valid) = parts
    ranker = CatBoostRanker(iterations=80, eval_metric=metric, **QUIET, **options)
    held_out = Pool(X_valid, y_valid, group_id=qid_valid)
    return ranker.fit(X, y, group_id=qid, eval_set=held_out, early_stopping_rounds=5)


def staged(ranker, X, n_rounds):
    """Predictions after 1, 2, ... iterations."""
    return [ranker.predict(X, ntree_end=i + 1) for i in range(n_rounds)]


def test_the_iteration_chosen_is_the_best_of_the_exactly_recomputed_measure(parts):
    (_, y, qid), (X_valid, y_valid, qid_valid) = parts
    metric = eval_metric(TARGET, (y, qid), (y_valid, qid_valid))
    ranker = fit(parts, metric)
    seen = ranker.get_evals_result()["validation"][str(TARGET)]
    everything = fit(
        parts, eval_metric(TARGET, (y, qid), (y_valid, qid_valid)), use_best_model=False
    )
    exact = [
        TARGET(y_valid, scores, qid=qid_valid) for scores in staged(everything, X_valid, len(seen))
    ]
    assert len(seen) < 80
    np.testing.assert_allclose(seen, exact, rtol=0, atol=1e-13)
    assert ranker.best_iteration_ == np.argmax(exact)
    assert TARGET(y_valid, ranker.predict(X_valid), qid=qid_valid) == pytest.approx(max(exact))


def test_training_rows_are_evaluated_too(parts):
    (X, y, qid), (_, y_valid, qid_valid) = parts
    metric = eval_metric(TARGET, (y, qid), (y_valid, qid_valid))
    ranker = fit(parts, metric, use_best_model=False)
    seen = ranker.get_evals_result()["learn"][str(TARGET)]
    assert seen[-1] == pytest.approx(TARGET(y, ranker.predict(X), qid=qid), abs=1e-12)


def test_queries_weigh_the_mean_of_their_rows():
    y, qid, weight = [0, 1, 1, 0], [0, 0, 1, 1], [1.0, 1.0, 3.0, 3.0]
    scores = [0.4, 0.2, 0.7, 0.1]
    metric = eval_metric("AP", (y, qid, weight))
    value, _ = metric.evaluate([scores], y, None)
    assert value == AP()(y, scores, qid=qid, sample_weight=weight) == 0.25 * 0.5 + 0.75


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_give_the_same_and_rankers_that_hold_one_are_pickled(parts, copied):
    (_, y, qid), (X_valid, y_valid, qid_valid) = parts
    metric = eval_metric(TARGET, (y, qid), (y_valid, qid_valid))
    scores = np.arange(len(y_valid), dtype=float)
    expected = metric.evaluate([scores], y_valid.astype(np.float32), None)
    again = copied(metric)
    assert again.evaluate([scores], y_valid.astype(np.float32), None) == expected
    assert type(again).__name__ == str(TARGET)
    ranker = fit(parts, metric)
    assert np.array_equal(copied(ranker).predict(X_valid), ranker.predict(X_valid))


# --- QueryRanker ----------------------------------------------------------------------------------


def test_query_ranker_stops_early_by_the_measure(rows):
    X, y, qid = rows
    ranker = QueryRanker(
        CatBoostRanker(iterations=200, **QUIET),
        measure=TARGET,
        validation_fraction=0.3,
        early_stopping_rounds=5,
        random_state=0,
    ).fit(X, y, qid=qid)
    seen = ranker.evals_result_["valid_0"][str(TARGET)]
    held_out = ranker.validation_queries_.contains(qid)
    best = TARGET(y[held_out], ranker.predict(X[held_out]), qid=qid[held_out])
    assert 5 < len(seen) < 200
    assert ranker.best_iteration_ == np.argmax(seen) + 1 == ranker.estimator_.tree_count_
    assert best == pytest.approx(max(seen), abs=1e-13)


def test_query_ranker_only_records_without_patience(rows):
    X, y, qid = rows
    ranker = QueryRanker(
        CatBoostRanker(iterations=20, **QUIET),
        measure=TARGET,
        validation_fraction=0.3,
        random_state=0,
    ).fit(X, y, qid=qid)
    assert ranker.estimator_.tree_count_ == 20 == len(ranker.evals_result_["valid_0"][str(TARGET)])
    assert not hasattr(ranker, "best_iteration_")


def test_query_ranker_is_cloned_and_searched(rows):
    X, y, qid = rows
    ranker = QueryRanker(
        CatBoostRanker(iterations=15, **QUIET),
        measure=TARGET,
        validation_fraction=0.2,
        early_stopping_rounds=3,
        random_state=0,
    )
    search = GridSearchCV(
        ranker, {"estimator__depth": [2, 4]}, cv=QueryKFold(2), error_score="raise"
    ).fit(X, query_target(y, qid), sample_weight=np.ones(len(y)))
    fitted = search.best_estimator_
    assert fitted.best_iteration_ >= 1
    assert clone(fitted).fit(X, y, qid=qid).best_iteration_ >= 1


def test_query_ranker_hands_categorical_features_on(rows):
    X, y, qid = rows
    mixed = X.astype(object)
    mixed[:, 0] = (X[:, 0] > 0).astype(int)
    ranker = QueryRanker(
        CatBoostRanker(iterations=5, **QUIET),
        measure=TARGET,
        validation_fraction=0.2,
        random_state=0,
    ).fit(mixed, y, qid=qid, cat_features=[0])
    held_out = ranker.validation_queries_.contains(qid)
    best = TARGET(y[held_out], ranker.predict(mixed[held_out]), qid=qid[held_out])
    assert ranker.evals_result_["valid_0"][str(TARGET)][-1] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(
    ("own", "validation_fraction"),
    [
        ({"eval_metric": "NDCG"}, 0.2),
        ({"od_wait": 3}, 0.2),
        # Without validation rows CatBoost trains to the end, and says nothing.
        ({"early_stopping_rounds": 3}, None),
        ({"od_wait": 3}, None),
    ],
)
def test_query_ranker_refuses_the_rankers_own_stopping(rows, own, validation_fraction):
    X, y, qid = rows
    inner = CatBoostRanker(iterations=5, **QUIET, **own)
    ranker = QueryRanker(inner, measure=TARGET, validation_fraction=validation_fraction)
    with pytest.raises(ValueError, match=f"{next(iter(own))} must be left unset"):
        ranker.fit(X, y, qid=qid)


def test_training_rows_in_an_order_of_catboosts_own_count_nothing():
    metric = eval_metric("AP", ([0, 1, 1], [0, 0, 1]), ([2, 1, 0], [0, 0, 0]))
    assert metric.evaluate([[1.0, 2.0, 3.0]], [1, 0, 1], None) == (0.0, 1.0)
    with pytest.raises(ValueError, match="of no data set"):
        metric.evaluate([[1.0, 2.0, 3.0]], [0, 1, 2], None)


# --- bad input ------------------------------------------------------------------------------------


def test_data_sets_that_it_was_not_told_about(parts):
    (_, y, qid), (_, y_valid, _) = parts
    expected = f"evaluates {len(y_valid)} rows.* of no data set.*of {len(y)} rows"
    with pytest.raises(CatBoostError, match=expected):
        fit(parts, eval_metric(TARGET, (y, qid)))


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_training_rows_with_other_weights_are_not_scored_with_those_of_training(rows):
    X, y, qid = rows
    weight = np.where(qid % 3 == 0, 5.0, 0.1)
    ranker = QueryRanker(CatBoostRanker(iterations=3, **QUIET), measure=TARGET)
    with pytest.raises(ValueError, match="another model was watched"):
        ranker.fit(X, y, qid, weight, eval_X=X, eval_y=y, eval_qid=qid)
    ranker.fit(X, y, qid, weight, eval_X=X, eval_y=y, eval_qid=qid, eval_sample_weight=weight)
    seen = ranker.evals_result_["valid_0"][str(TARGET)]
    expected = TARGET(y, ranker.predict(X), qid=qid, sample_weight=weight)
    assert seen[-1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_features_may_be_named_by_a_list_or_a_tuple(rows):
    X, y, qid = rows
    mixed = X.astype(object)
    mixed[:, 0] = (X[:, 0] > 0).astype(int)
    given = {"eval_X": mixed, "eval_y": y, "eval_qid": qid}
    plain = QueryRanker(CatBoostRanker(iterations=2, **QUIET), measure=TARGET)
    expected = plain.fit(mixed, y, qid=qid, cat_features=[0]).predict(mixed)
    for named in ([0], (0,)):
        ranker = QueryRanker(
            CatBoostRanker(iterations=2, cat_features=named, **QUIET), measure=TARGET
        )
        for evaluated in ({}, given):
            fitted = clone(ranker).fit(mixed, y, qid=qid, **evaluated)
            np.testing.assert_array_equal(fitted.predict(mixed), expected)


def test_unjudged_documents_are_0_to_catboost_and_unjudged_to_the_measure():
    measure = AP(unjudged="condense")
    labels, qid, scores = [np.nan, 1, 0, 0], [0, 0, 0, 0], [4.0, 3.0, 2.0, 1.0]
    metric = eval_metric(measure, (labels, qid))
    assert metric.evaluate([scores], np.nan_to_num(labels), None)[0] == 1.0


def test_bad_arguments():
    with pytest.raises(ValueError, match="needs the labels and query ids"):
        eval_metric("AP")
    with pytest.raises(ValueError, match=r"must be tuples \(labels, query ids\).*got a list"):
        eval_metric("AP", [0, 1, 1])
    for data_set in [([0, 1],), ([0, 1], [0, 0], [1, 1], [2, 2])]:
        with pytest.raises(ValueError, match=r"must be tuples \(labels, query ids\)"):
            eval_metric("AP", data_set)
    with pytest.warns(GradeScaleWarning, match="eval_metric got xGAP without max_grade"):
        eval_metric("xGAP", ([0, 1], [0, 0]))


def test_rows_where_nothing_is_relevant_have_no_mean():
    metric = eval_metric(AP(empty=float("nan")), ([0, 0], [0, 0]))
    with pytest.raises(ValueError, match="has no value on this data set"):
        metric.evaluate([[1.0, 2.0]], [0, 0], None)


def test_scikit_learn_clones_a_ranker_that_holds_a_metric():
    metric = eval_metric("AP", ([0, 1, 1], [0, 0, 1]))
    cloned = clone(CatBoostRanker(eval_metric=metric))
    assert repr(cloned.get_params()["eval_metric"]) == repr(metric)
