"""Training and stopping XGBoost by a measure, with the real library."""

import copy
import pickle

import numpy as np
import pytest
import xgboost as xgb
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skgraded import (
    AP,
    Judgments,
    QueryKFold,
    QueryRanker,
    eGAP,
    evaluate,
    nDCG,
    query_target,
    xGAP,
)
from skgraded._boosting._lambdamart import LambdaMART
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    GradeScaleWarning,
)
from skgraded.xgboost import eval_metric, evaluation, objective

G = (0.1, 0.2, 0.3, 0.4)
TARGET = xGAP(g=G)
XGBOOST = tuple(int(each) for each in xgb.__version__.split(".")[:2])
PARAMS = {"eta": 0.3, "nthread": 1, "max_depth": 3}


@pytest.fixture(scope="module")
def rows():
    return make_ranking(n_queries=80, docs_per_query=(5, 40), noise=2.0, random_state=0)


@pytest.fixture
def parts(rows):
    """Rows to train on and rows to watch."""
    X, y, qid = rows
    first = qid < 50
    return (X[first], y[first], qid[first]), (X[~first], y[~first], qid[~first])


def matrix(part, **options):
    X, y, qid = part
    return xgb.DMatrix(X, y, qid=qid, **options)


def staged(booster, X, n_rounds):
    """Predictions after 1, 2, ... iterations."""
    data = xgb.DMatrix(X)
    return [booster.predict(data, iteration_range=(0, i + 1)) for i in range(n_rounds)]


# --- evaluation -----------------------------------------------------------------------------------


def test_the_iteration_chosen_is_the_best_of_the_exactly_recomputed_measure(parts):
    train, valid = parts
    watch = evaluation(TARGET, "nDCG@10", X=valid[0], y=valid[1], qid=valid[2], rounds=5)
    ranker = xgb.XGBRanker(n_estimators=100, n_jobs=1, callbacks=[watch], max_depth=3)
    ranker.fit(*train[:2], qid=train[2], verbose=False)
    seen = ranker.evals_result()["validation"]
    n_rounds = len(seen[str(TARGET)])
    assert n_rounds < 100
    longer = clone(ranker).set_params(callbacks=None, n_estimators=n_rounds)
    longer.fit(*train[:2], qid=train[2], verbose=False)
    exact = [
        evaluate([TARGET, nDCG(k=10)], valid[1], scores, qid=valid[2]).mean()
        for scores in staged(longer.get_booster(), valid[0], n_rounds)
    ]
    for name in (str(TARGET), "nDCG@10"):
        np.testing.assert_allclose(seen[name], [each[name] for each in exact], rtol=0, atol=1e-15)
    assert ranker.best_iteration == np.argmax([each[str(TARGET)] for each in exact])
    assert TARGET(valid[1], ranker.predict(valid[0]), qid=valid[2]) == max(seen[str(TARGET)])


def test_rows_may_stand_in_any_order_and_ids_be_strings(parts):
    train, (X, y, qid) = parts
    shuffle = np.random.default_rng(0).permutation(len(y))
    names = np.char.add("q", qid.astype(str))
    results = []
    for X_seen, y_seen, ids in ((X, y, qid), (X[shuffle], y[shuffle], names[shuffle])):
        results.append({})
        xgb.train(
            PARAMS,
            matrix(train),
            5,
            callbacks=[evaluation(TARGET, X=X_seen, y=y_seen, qid=ids)],
            evals_result=results[-1],
        )
    first, second = (each["validation"][str(TARGET)] for each in results)
    np.testing.assert_allclose(first, second, rtol=1e-13)
    assert len(first) == 5


def test_one_callback_serves_one_training_after_the_other(parts):
    train, valid = parts
    watch = evaluation(TARGET, X=valid[0], y=valid[1], qid=valid[2], rounds=3)
    ranker = xgb.XGBRanker(n_estimators=50, n_jobs=1, callbacks=[watch])
    best = []
    for each in (ranker, ranker, clone(ranker), pickle.loads(pickle.dumps(ranker))):
        each.fit(*train[:2], qid=train[2], verbose=False)
        best.append(each.best_iteration)
    assert len(set(best)) == 1


def test_queries_weigh_the_mean_of_their_rows(parts):
    train, (X, y, qid) = parts
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    results = {}
    booster = xgb.train(
        PARAMS,
        matrix(train),
        2,
        callbacks=[evaluation(TARGET, X=X, y=y, qid=qid, sample_weight=weight, name="mine")],
        evals_result=results,
    )
    scores = booster.predict(xgb.DMatrix(X))
    assert results["mine"][str(TARGET)][-1] == TARGET(y, scores, qid=qid, sample_weight=weight)


# --- evaluation function --------------------------------------------------------------------------


def test_eval_metric_of_xgb_train(parts):
    train, valid = parts
    results = {}
    booster = xgb.train(
        {**PARAMS, "disable_default_eval_metric": 1},
        matrix(train),
        4,
        evals=[(matrix(train), "train"), (matrix(valid), "valid")],
        custom_metric=eval_metric(TARGET, "AP"),
        evals_result=results,
        verbose_eval=False,
    )
    assert list(results["valid"]) == [str(TARGET), "AP"]
    for name, (X, y, qid) in (("train", train), ("valid", valid)):
        scores = booster.predict(xgb.DMatrix(X))
        for each in (TARGET, AP()):
            exact = each(y, scores, qid=qid)
            assert results[name][str(each)][-1] == pytest.approx(exact, abs=1e-6)


def test_eval_metric_reads_the_labels_of_each_set_once(parts, monkeypatch):
    read = []
    original = Judgments.from_groups.__func__
    monkeypatch.setattr(
        Judgments,
        "from_groups",
        classmethod(lambda cls, *args: read.append(args) or original(cls, *args)),
    )
    xgb.train(
        PARAMS,
        matrix(parts[0]),
        4,
        evals=[(matrix(each), name) for each, name in zip(parts, "ab", strict=True)],
        custom_metric=eval_metric(TARGET),
        verbose_eval=False,
    )
    assert len(read) == 2


# --- objective ------------------------------------------------------------------------------------


def test_objective_is_that_of_the_kernel_times_the_weight_of_the_query(parts):
    _, y, qid = parts[0]
    n_queries = len(np.unique(qid))
    scores = np.random.default_rng(0).standard_normal(len(y)).astype(np.float32)
    weight = np.linspace(0.5, 2.0, n_queries)
    cost = LambdaMART(TARGET, 1.0, 30, True)
    expected = cost.derivatives(Judgments(y, qid=qid), scores)
    found = objective(TARGET)(scores, matrix(parts[0]))
    weighted = objective(TARGET)(scores, matrix(parts[0], weight=weight))
    by_row = weight.astype(np.float32)[np.unique(qid, return_inverse=True)[1]]
    for each, times, exact in zip(found, weighted, expected, strict=True):
        assert np.array_equal(each, exact)
        assert np.array_equal(times, exact * by_row)


@pytest.mark.parametrize("chosen", [TARGET, eGAP(g=G), nDCG(gain="exp2")])
def test_training_for_a_measure_raises_it(parts, chosen):
    X, y, qid = parts[0]
    booster = xgb.train(PARAMS, matrix(parts[0]), 20, obj=objective(chosen))
    scores = booster.predict(xgb.DMatrix(X))
    assert chosen(y, scores, qid=qid) > chosen(y, np.zeros(len(y)), qid=qid) + 0.2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_give_the_same(parts, copied):
    data = matrix(parts[0])
    scores = np.zeros(data.num_row(), dtype=np.float32)
    for each in (objective(TARGET, sigmoid=2.0), eval_metric(TARGET, "AP")):
        assert np.array_equal(each(scores, data), copied(each)(scores, data))
        assert repr(copied(each)) == repr(each)


# --- QueryRanker ----------------------------------------------------------------------------------


def test_query_ranker_stops_early_by_the_measure(rows):
    X, y, qid = rows
    booster = xgb.XGBRanker(n_estimators=200, n_jobs=1, max_depth=3)
    ranker = QueryRanker(
        booster,
        measure=TARGET,
        validation_fraction=0.3,
        early_stopping_rounds=5,
        random_state=0,
    ).fit(X, y, qid=qid)
    seen = ranker.evals_result_["valid_0"][str(TARGET)]
    assert 5 < len(seen) < 200
    held_out = ranker.validation_queries_.contains(qid)
    exact = [
        TARGET(y[held_out], scores, qid=qid[held_out])
        for scores in staged(ranker.estimator_.get_booster(), X[held_out], len(seen))
    ]
    np.testing.assert_allclose(seen, exact, rtol=0, atol=1e-13)
    assert ranker.best_iteration_ == np.argmax(exact) + 1
    best = TARGET(y[held_out], ranker.predict(X[held_out]), qid=qid[held_out])
    assert best == pytest.approx(max(exact), abs=1e-13)
    # Neither the given nor the fitted ranker keeps the held-out rows.
    assert booster.callbacks is ranker.estimator_.callbacks is None


def test_query_ranker_keeps_the_rankers_own_callbacks(rows):
    X, y, qid = rows
    own = evaluation("AP", X=X[:200], y=y[:200], qid=qid[:200], name="own")
    ranker = QueryRanker(
        xgb.XGBRanker(n_estimators=3, n_jobs=1, callbacks=[own]),
        measure=TARGET,
        validation_fraction=0.2,
        random_state=0,
    ).fit(X, y, qid=qid)
    assert set(ranker.evals_result_) == {"own", "valid_0"}  # XGBoost 2.1 calls back in any order
    assert not hasattr(ranker, "best_iteration_")
    assert len(ranker.estimator_.callbacks) == 1


class Reader(xgb.callback.TrainingCallback):
    """Reads the measure of the iteration, as pruning and stopping callbacks do."""

    def __init__(self):
        self.seen = []

    def after_iteration(self, model, epoch, evals_log):
        values = evals_log.get("valid_0", {}).get(str(TARGET), [])
        self.seen.append(len(values) == epoch + 1)
        return False


@pytest.mark.skipif(XGBOOST < (3, 2), reason="callbacks are called in any order")
def test_query_rankers_measure_is_recorded_before_the_rankers_own_callbacks(rows):
    X, y, qid = rows
    stop = xgb.callback.EarlyStopping(
        rounds=3, metric_name=str(TARGET), data_name="valid_0", maximize=True
    )
    fitted = QueryRanker(
        xgb.XGBRanker(n_estimators=3, n_jobs=1, callbacks=[Reader(), stop]),
        measure=TARGET,
        validation_fraction=0.2,
        random_state=0,
    ).fit(X, y, qid=qid)
    assert fitted.estimator_.callbacks[0].seen == [True] * 3


@pytest.mark.filterwarnings("ignore:X (does not have|has) .*feature names:UserWarning")
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_query_ranker_wants_a_frame_to_watch_where_it_trains_on_one(rows):
    pd = pytest.importorskip("pandas")
    X, y, qid = rows
    frame = pd.DataFrame(X, columns=[f"f{each}" for each in range(X.shape[1])])
    ranker = QueryRanker(xgb.XGBRanker(n_estimators=2, n_jobs=1), measure=TARGET)
    with pytest.raises(ValueError, match=r"feature|Feature|fields"):
        ranker.fit(frame, y, qid=qid, eval_X=X, eval_y=y, eval_qid=qid)
    recorded = [
        ranker.fit(X, y, qid=qid, eval_X=other, eval_y=y, eval_qid=qid).evals_result_
        for other in (X, frame)
    ]
    assert recorded[0] == recorded[1]


def test_query_ranker_in_a_search_with_weights(rows):
    X, y, qid = rows
    ranker = QueryRanker(
        xgb.XGBRanker(n_estimators=20, n_jobs=1),
        measure=TARGET,
        validation_fraction=0.2,
        early_stopping_rounds=3,
        random_state=0,
    )
    grid = {"estimator__max_depth": [2, 4]}
    search = GridSearchCV(ranker, grid, cv=QueryKFold(2), error_score="raise")
    search.fit(X, query_target(y, qid), sample_weight=np.ones(len(y)))
    assert search.best_estimator_.best_iteration_ >= 1


def test_query_ranker_refuses_the_rankers_own_stopping(rows):
    X, y, qid = rows
    ranker = QueryRanker(
        xgb.XGBRanker(early_stopping_rounds=5), measure=TARGET, validation_fraction=0.2
    )
    with pytest.raises(ValueError, match=r"early_stopping_rounds must be left unset.*got 5"):
        ranker.fit(X, y, qid=qid)


# --- bad input ------------------------------------------------------------------------------------


def test_data_sets_without_queries():
    data = xgb.DMatrix(np.zeros((3, 1)), [0, 1, 2])
    for each in (objective(TARGET), eval_metric(TARGET)):
        with pytest.raises(ValueError, match=r"does not say which rows make up a query.*qid="):
            each(np.zeros(3), data)


def test_labels_of_several_columns():
    data = xgb.DMatrix(np.zeros((4, 1)), np.ones((4, 2)), qid=[0, 0, 1, 1])
    for each in (objective(TARGET), eval_metric(TARGET)):
        with pytest.raises(ValueError, match=r"label of a DMatrix must have one column.*, got 2\."):
            each(np.zeros(4), data)


def test_bad_arguments(parts):
    X, y, qid = parts[1]
    with pytest.raises(ValueError, match="evaluation needs at least one measure, got none"):
        evaluation(X=X, y=y, qid=qid)
    with pytest.raises(ValueError, match=r"rounds must be an integer >= 1, or None.* got 0"):
        evaluation("AP", X=X, y=y, qid=qid, rounds=0)
    with pytest.raises(ValueError, match=r"rounds must be an integer >= 1, or None.* got True"):
        evaluation("AP", X=X, y=y, qid=qid, rounds=True)
    with pytest.raises(ValueError, match="eval_metric needs at least one measure, got none"):
        eval_metric()
    with pytest.raises(ValueError, match="prefix form"):
        objective("ERR(max_grade=4)")
    with pytest.warns(GradeScaleWarning, match="evaluation got xGAP without max_grade"):
        evaluation("xGAP", X=X, y=y, qid=qid)


def test_an_evaluation_is_of_one_model_and_shows_no_rows(parts):
    X, y, qid = parts[0]
    watch = evaluation("AP", X=X, y=y, qid=qid)
    assert "array" not in repr(xgb.XGBRanker(callbacks=[watch]))
    with pytest.raises(TypeError, match=r"pass xgboost\.cv\(custom_metric=eval_metric"):
        xgb.cv(PARAMS, matrix(parts[0]), 2, nfold=2, callbacks=[watch])


def test_rows_where_nothing_is_relevant_have_no_mean(parts):
    train, (X, y, qid) = parts
    watch = evaluation(AP(empty=float("nan")), X=X, y=0 * y, qid=qid)
    with pytest.raises(ValueError, match="has no value on this data set"):
        xgb.train(PARAMS, matrix(train), 2, callbacks=[watch])


def test_labels_weights_and_groups_are_read_once(rows):
    """The next metric or objective reads what has been set since."""
    _, y, qid = rows
    data, metric, derivatives = matrix(rows), eval_metric("nDCG"), objective("nDCG")
    scores = np.random.default_rng(0).random(len(y)).astype(np.float32)
    before = metric(scores, data), derivatives(scores, data)
    weight = np.linspace(1, 2, len(np.unique(qid)))
    data.set_weight(weight)
    data.set_label(y[::-1])
    assert metric(scores, data) == before[0]
    np.testing.assert_array_equal(derivatives(scores, data), before[1])
    by_row = weight.astype(np.float32)[qid]
    ((_, weighted),) = copy.deepcopy(metric)(scores, data)
    assert weighted == nDCG()(y[::-1], scores, qid=qid, sample_weight=by_row)
    data.set_weight([])
    data.set_group([len(y)])
    assert eval_metric("nDCG")(scores, data) == [("nDCG", nDCG()(y[::-1], scores, qid=0 * qid))]
    assert not np.array_equal(pickle.loads(pickle.dumps(derivatives))(scores, data), before[1])


def test_every_training_that_uses_a_metric_is_checked(parts):
    train, valid = map(matrix, parts)
    metric = eval_metric({"mine": TARGET})
    silent = {**PARAMS, "disable_default_eval_metric": True}

    def fit(custom_metric, params=silent, **given):
        given |= {"evals": [(valid, "valid")], "verbose_eval": False}
        return xgb.train(params, train, 2, custom_metric=custom_metric, **given)

    models = [fit(metric), fit(metric)]  # which passed, and still exist
    with pytest.raises(ValueError, match="must maximise mine"):
        fit(metric, early_stopping_rounds=2)
    models.append(fit(metric, early_stopping_rounds=2, maximize=True))
    assert [each.num_boosted_rounds() for each in models] == [2, 2, 2]


def test_a_metric_that_has_been_used_is_copied(parts):
    metric = eval_metric(TARGET)
    given = {"evals": [(matrix(parts[1]), "valid")], "verbose_eval": False}
    booster = xgb.train(PARAMS, matrix(parts[0]), 2, custom_metric=metric, **given)
    assert pickle.loads(pickle.dumps(metric)) == metric == copy.deepcopy(metric)
    assert booster.num_boosted_rounds() == 2
