"""Stopping CatBoost by a measure, with the real library."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from skgraded import QueryRanker, xGAP
from skgraded.datasets import make_ranking

catboost = pytest.importorskip("catboost")

eval_metric = pytest.importorskip("skgraded.catboost").eval_metric

TARGET = xGAP(g=(0.1, 0.2, 0.3, 0.4))
QUIET = {
    "verbose": False,
    "allow_writing_files": False,
    "thread_count": 1,
    "random_seed": 0,
}
X, Y, QID = make_ranking(
    n_queries=60, docs_per_query=(5, 30), noise=2.0, random_state=0
)
TRAIN = QID < 40
SETS = [(Y[rows], QID[rows]) for rows in (TRAIN, ~TRAIN)]
MIXED = X.astype(object)
MIXED[:, 0] = (X[:, 0] > 0).astype(int)


def ranker(**options):
    return catboost.CatBoostRanker(**{"iterations": 80, **QUIET, **options})


def fit(metric, **options):
    held_out = catboost.Pool(X[~TRAIN], Y[~TRAIN], group_id=QID[~TRAIN])
    model = ranker(eval_metric=metric, early_stopping_rounds=5, **options)
    return model.fit(X[TRAIN], Y[TRAIN], group_id=QID[TRAIN], eval_set=held_out)


def test_the_iteration_chosen_is_the_best_of_the_exactly_recomputed_measure():
    y, qid = SETS[1]
    model = fit(eval_metric(TARGET, *SETS))
    seen = model.get_evals_result()["validation"][str(TARGET)]
    everything = fit(eval_metric(TARGET, *SETS), use_best_model=False)
    staged = [everything.predict(X[~TRAIN], ntree_end=i + 1) for i in range(len(seen))]
    exact = [TARGET(y, scores, qid=qid) for scores in staged]
    assert len(seen) < 80
    np.testing.assert_allclose(seen, exact, rtol=0, atol=1e-13)
    assert model.best_iteration_ == np.argmax(exact)
    assert TARGET(y, model.predict(X[~TRAIN]), qid=qid) == pytest.approx(max(exact))
    of_training = TARGET(SETS[0][0], everything.predict(X[TRAIN]), qid=SETS[0][1])
    learnt = everything.get_evals_result()["learn"][str(TARGET)][-1]
    assert learnt == pytest.approx(of_training, abs=1e-12)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_give_the_same_and_rankers_that_hold_one_are_pickled(copied):
    metric, labels = eval_metric(TARGET, *SETS), SETS[1][0].astype(np.float32)
    scores = np.arange(len(labels), dtype=float)
    again = copied(metric)
    assert again.evaluate([scores], labels, None) == metric.evaluate(
        [scores], labels, None
    )
    assert type(again).__name__ == str(TARGET)
    model = fit(metric)
    assert np.array_equal(copied(model).predict(X), model.predict(X))
    assert repr(clone(ranker(eval_metric=metric)).get_params()["eval_metric"]) == repr(
        metric
    )


def test_catboost_does_not_try_to_compile_our_metric():
    """Without numba it would warn of that, and with numba that it cannot."""
    metric = eval_metric("nDCG@10", (Y, QID))
    model = ranker(iterations=5, eval_metric=metric).fit(X, Y, group_id=QID)
    QueryRanker(ranker(iterations=5), measure="AP", validation_fraction=0.2).fit(
        X, Y, QID
    )
    assert model.tree_count_ == 5


def test_training_rows_in_an_order_of_catboosts_own_count_nothing():
    metric = eval_metric("AP", ([0, 1, 1], [0, 0, 1]), ([2, 1, 0], [0, 0, 0]))
    assert metric.evaluate([[1.0, 2.0, 3.0]], [1, 0, 1], None) == (0.0, 1.0)
    with pytest.raises(ValueError, match="of no data set"):
        metric.evaluate([[1.0, 2.0, 3.0]], [0, 1, 2], None)


def test_data_sets_that_it_was_not_told_about():
    n_train, n_valid = (len(y) for y, _ in SETS)
    expected = f"evaluates {n_valid} rows.* of no data set.*of {n_train} rows"
    with pytest.raises(catboost.CatBoostError, match=expected):
        fit(eval_metric(TARGET, SETS[0]))


# --- QueryRanker ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_features_of_categories_may_be_named_by_a_list_or_a_tuple():
    plain = QueryRanker(ranker(iterations=2), measure=TARGET)
    expected = plain.fit(MIXED, Y, qid=QID, cat_features=[0]).predict(MIXED)
    for named in ([0], (0,)):
        model = QueryRanker(ranker(iterations=2, cat_features=named), measure=TARGET)
        for evaluated in ({}, {"eval_X": MIXED, "eval_y": Y, "eval_qid": QID}):
            fitted = clone(model).fit(MIXED, Y, qid=QID, **evaluated)
            np.testing.assert_array_equal(fitted.predict(MIXED), expected)
    seen = fitted.evals_result_["valid_0"][str(TARGET)][-1]
    assert seen == pytest.approx(TARGET(Y, expected, qid=QID), abs=1e-12)
