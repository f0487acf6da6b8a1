"""eval_metric, objective and early_stopping in LightGBM: fit, train, cv, and Optuna's tuners."""

import inspect
import re

import lightgbm as lgb
import numpy as np
import pytest
from lightgbm import LGBMRanker

from skgraded import AP, QueryKFold, QueryRanker, evaluate, nDCG, query_target, xGAP
from skgraded.datasets import make_ranking
from skgraded.lightgbm import early_stopping, eval_metric, objective
from skgraded.measures import Fallout

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 20), random_state=0)
TRAIN = QID < 25
MEASURES = (xGAP(max_grade=4, k=10), nDCG(k=5), AP())
NAMES = [str(each) for each in MEASURES]
PARAMS = {
    "objective": "lambdarank",
    "metric": "None",
    "num_leaves": 7,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
OURS = {**PARAMS, "objective": objective("nDCG")}
# LightGBM 4.7 renamed its evaluation arguments.
HAS_EVAL_X = "eval_X" in inspect.signature(LGBMRanker.fit).parameters


def ranker(**params):
    settings = {
        "n_estimators": 8,
        "num_leaves": 7,
        "n_jobs": 1,
        "verbose": -1,
        "metric": "None",
    }
    return LGBMRanker(**{**settings, "deterministic": True, **params})


def sizes_of(rows):
    return np.unique(QID[rows], return_counts=True)[1]


def fit(metric, model=None, **params):
    rows = X[~TRAIN], Y[~TRAIN]
    evaluated = (
        {"eval_X": rows[0], "eval_y": rows[1]} if HAS_EVAL_X else {"eval_set": [rows]}
    )
    return (model or ranker()).fit(
        X[TRAIN],
        Y[TRAIN],
        group=sizes_of(TRAIN),
        eval_group=[sizes_of(~TRAIN)],
        eval_metric=metric,
        **evaluated,
        **params,
    )


def data_set(rows=slice(None), **params):
    return lgb.Dataset(X[rows], Y[rows], group=sizes_of(rows), **params)


def train(metric, n_iterations=8, params=PARAMS, **settings):
    history = {}
    training = data_set(TRAIN)
    callbacks = [lgb.record_evaluation(history), *settings.pop("callbacks", [])]
    booster = lgb.train(
        params,
        training,
        n_iterations,
        valid_sets=[training, data_set(~TRAIN, reference=training)],
        valid_names=["train", "valid"],
        feval=metric,
        callbacks=callbacks,
        **settings,
    )
    return booster, history


def test_both_apis_report_what_the_measures_give():
    fitted = fit(eval_metric(*MEASURES))
    seen = fitted.evals_result_["valid_0"]
    assert list(seen) == NAMES
    for i in range(8):
        scores = fitted.predict(X[~TRAIN], num_iteration=i + 1)
        means = evaluate(MEASURES, Y[~TRAIN], scores, qid=QID[~TRAIN]).mean()
        assert {name: seen[name][i] for name in NAMES} == means
    _, history = train(eval_metric(*MEASURES))
    assert dict(history["valid"]) == dict(seen)
    assert list(history["train"]) == NAMES


def test_a_metric_of_two_parameters_is_told_what_to_pass():
    def two_parameters(y_true, y_pred):
        return eval_metric("AP")(y_true, y_pred)

    with pytest.raises(ValueError, match="exactly four parameters: pass eval_metric"):
        fit(two_parameters)


# --- what the labels determine --------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [float, np.int16]
)  # compared by the kernel, and by NumPy
def test_labels_that_change_in_place_are_noticed(dtype):
    metric = eval_metric("AP")
    group = np.array([3, 2])
    labels, scores = np.array([1, 0, 0, 1, 0], dtype), np.array([3.0, 2, 1, 2, 1])
    weight = np.ones(5)
    assert metric(labels, scores, weight, group)[0][1] == 1.0
    labels[:] = [0, 1, 0, 0, 1]
    assert metric(labels, scores, weight, group)[0][1] == 0.5
    labels[:] = [0, 1, 0, 1, 0]
    assert metric(labels, scores, weight, group)[0][1] == 0.75
    weight[:3] = 3
    assert metric(labels, scores, weight, group)[0][1] == 0.625
    group[:] = [4, 1]
    value = (1 / 2 + 2 / 3) / 2 * 2.5 / 3.5
    assert metric(labels, scores, weight, group)[0][1] == pytest.approx(value)


def test_what_is_set_by_the_name_of_a_field_counts_from_then_on():
    data, metric, target = (
        data_set().construct(),
        eval_metric("nDCG@10"),
        objective("nDCG@10"),
    )
    rows, scores = {"label": Y, "qid": QID, "weight": np.ones(len(Y))}, X[:, 0]
    changes = {"label": Y[::-1], "group": np.bincount(QID // 2), "weight": Y + 1.0}
    for field, values in changes.items():
        before = metric(scores, data), target(scores, data)[0]
        data.set_field(field, values)
        rows |= {"qid": QID // 2} if field == "group" else {field: values}
        exact = nDCG(k=10)(
            rows["label"], scores, qid=rows["qid"], sample_weight=rows["weight"]
        )
        assert (
            metric(scores, data)[0][1]
            == pytest.approx(exact, abs=1e-7)
            != before[0][0][1]
        )
        assert not np.array_equal(target(scores, data)[0], before[1])


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.ConstantValueWarning")
def test_labels_are_laid_out_once_and_forgotten_with_their_data_set():
    metric = eval_metric("AP")
    train(metric)
    assert len(metric._judged_sets._sets) == 2
    y, group = np.array([1.0, 0.0] * 4), np.full(4, 2)
    metric(y, y, None, group)
    laid_out = metric._judged_sets._sets
    metric(y, -y, None, group)
    assert metric._judged_sets._sets is laid_out
    for n_queries in range(2, 30):
        labels = np.tile([1.0, 0.0], n_queries)
        metric(labels, labels, None, np.full(n_queries, 2))
    assert len(metric._judged_sets._sets) <= 3
    one, labels = eval_metric("AP"), np.zeros(4)
    for i in range(4):
        labels[i] = 1
        one(labels, labels, None, np.array([2, 2]))
    assert len(one._judged_sets._sets) == 1


# --- early stopping -------------------------------------------------------------------------------

ROUNDS = 3


def best_by_hand(values, min_delta=0.0):
    best = 0
    for iteration, value in enumerate(values):
        if value > values[best] + min_delta:
            best = iteration
        if iteration - best >= ROUNDS:
            return best + 1
    raise AssertionError("the training does not stop")


@pytest.fixture(scope="module")
def history():
    """The measure after every iteration of a training that does not stop."""
    return train(eval_metric(MEASURES[0]), 60)[1]["valid"][NAMES[0]]


@pytest.mark.parametrize(
    ("watched", "feval", "metric", "min_delta"),
    [
        (MEASURES[0], None, "None", 0.0),
        (NAMES[0], eval_metric(*MEASURES[::-1]), "ndcg", 0.0),
        ({"own": MEASURES[0]}, eval_metric({"other": MEASURES[1]}), "map", 0.0),
        (NAMES[0], None, "None", 0.05),
    ],
)
def test_early_stopping_watches_one_measure(history, watched, feval, metric, min_delta):
    iterations = []

    def count(env):
        iterations.append(env.iteration)

    stop = early_stopping(watched, ROUNDS, min_delta=min_delta)
    booster, _ = train(
        feval, 60, params={**PARAMS, "metric": metric}, callbacks=[count, stop]
    )
    expected = best_by_hand(history, min_delta)
    assert booster.best_iteration == expected
    assert len(iterations) == expected + ROUNDS
    name = "own" if isinstance(watched, dict) else NAMES[0]
    assert booster.best_score["valid"] == {name: history[expected - 1]}
    assert best_by_hand(history, 0.05) != best_by_hand(history)


def test_early_stopping_serves_the_sklearn_api_and_several_fits(history):
    stop = early_stopping(NAMES[0], ROUNDS)
    for _ in range(2):
        model = fit(None, ranker(n_estimators=60, metric="ndcg"), callbacks=[stop])
        assert model.best_iteration_ == best_by_hand(history)


@pytest.mark.parametrize("watched", [NAMES[0], {"own": NAMES[0]}])
def test_early_stopping_in_cross_validation_needs_the_metric(watched):
    rows = data_set(TRAIN, free_raw_data=False)
    stop = [early_stopping(watched, ROUNDS)]
    settings = {"folds": QueryKFold(3), "num_boost_round": 60, "callbacks": stop}
    found = lgb.cv(PARAMS, rows, feval=eval_metric(watched), **settings)
    (name,) = [watched] if isinstance(watched, str) else watched
    assert list(found) == [f"valid {name}-mean", f"valid {name}-stdv"]
    assert len(found[f"valid {name}-mean"]) < 60
    with pytest.raises(
        ValueError, match=re.escape(f"pass feval=eval_metric({watched!r}) to")
    ):
        lgb.cv(PARAMS, rows, **settings)


# --- lightgbm.cv ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "stratified"), [("objective", True), ("metric", False)]
)
def test_folds_that_cut_queries_are_refused(part, stratified):
    def other(scores, _):
        return scores * 0.0, scores * 0 + 1.0

    params = OURS if part == "objective" else {**PARAMS, "objective": other}
    feval = eval_metric("nDCG@10") if part == "metric" else None
    with pytest.raises(
        ValueError, match=r"cuts queries.* parts of \d+ queries of 40.*QueryKFold"
    ):
        lgb.cv(params, data_set(), 5, nfold=3, feval=feval, stratified=stratified)


def test_lightgbms_own_objective_needs_no_folds():
    found = lgb.cv(
        PARAMS, data_set(), 5, nfold=3, feval=eval_metric("nDCG@10"), stratified=False
    )
    assert len(found["valid nDCG@10-mean"]) == 5


def test_folds_of_queries_give_the_values_that_models_of_their_own_have():
    folds = list(QueryKFold(3).split(X, query_target(Y, QID)))
    values = []
    for rows, test in folds:
        # lightgbm.cv makes the bins from all rows.
        model = lgb.train(
            OURS, data_set(free_raw_data=False).subset(rows), num_boost_round=5
        )
        scores = [model.predict(X[test], num_iteration=i + 1) for i in range(5)]
        values.append(
            [evaluate(MEASURES, Y[test], each, qid=QID[test]).mean() for each in scores]
        )
    for given in (QueryKFold(3), folds):
        found = lgb.cv(OURS, data_set(), 5, folds=given, feval=eval_metric(*MEASURES))
        for name in NAMES:
            means = [np.mean([each[i][name] for each in values]) for i in range(5)]
            assert found[f"valid {name}-mean"] == pytest.approx(means, abs=1e-12)


def test_subsets_of_whole_queries_are_data_sets_like_others_and_cut_ones_are_refused():
    data = data_set(free_raw_data=False)
    some = data.subset(np.flatnonzero(QID < 30)).construct()
    fewer = some.subset(np.flatnonzero(QID[QID < 30] < 20))
    assert lgb.train(OURS, fewer, num_boost_round=2).num_trees() == 2
    cut = data_set(free_raw_data=False).subset(
        np.flatnonzero(np.arange(len(Y)) % 2 == 0)
    )
    whole_in_it = cut.construct().subset(np.arange(int(np.sum(cut.get_group()[:10]))))
    with pytest.raises(ValueError, match="cuts queries"):
        lgb.train(OURS, whole_in_it, num_boost_round=1)


# --- losses, and Optuna's tuners, which minimise --------------------------------------------------


def test_a_loss_is_the_measure_with_the_opposite_sign_and_name():
    metric = eval_metric("nDCG@10", Fallout(k=5), as_loss=True)
    given = Y, np.arange(len(Y), dtype=float), None, np.bincount(QID)
    one, two = metric(*given), eval_metric("nDCG@10", Fallout(k=5))(*given)
    assert two == [("nDCG@10", two[0][1], True), ("Fallout@5", two[1][1], False)]
    assert one == [("neg_nDCG@10", -two[0][1], False), two[1]]
    assert type(two[0][1]) is float


def test_query_ranker_records_a_loss_beside_the_measure():
    model = QueryRanker(
        ranker(), measure="nDCG@10", validation_fraction=0.3, random_state=0
    )
    seen = model.fit(
        X, Y, QID, eval_metric=eval_metric("AP", as_loss=True)
    ).evals_result_
    assert sorted(seen["valid_0"]) == ["nDCG@10", "neg_AP"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_tuner_finds_the_best_by_the_loss():
    optuna = pytest.importorskip("optuna")
    tuners = pytest.importorskip("optuna_integration.lightgbm")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    data = data_set(TRAIN, free_raw_data=False, params={"feature_pre_filter": False})
    tuning = tuners.LightGBMTuner(
        {**PARAMS, "metric": "neg_AP@10"},
        data,
        valid_sets=[data_set(~TRAIN, reference=data, free_raw_data=False)],
        feval=eval_metric("AP@10", as_loss=True),
        num_boost_round=4,
        show_progress_bar=False,
        optuna_seed=0,
    )
    tuning.tune_feature_fraction(4)
    values = [each.value for each in tuning.study.trials]
    assert len(set(values)) > 1
    scores = tuning.get_best_booster().predict(X[~TRAIN])
    exact = AP(k=10)(Y[~TRAIN], scores, qid=QID[~TRAIN])
    assert tuning.best_score == min(values) == pytest.approx(-exact, abs=1e-12)
