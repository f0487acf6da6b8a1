"""evaluation, eval_metric and objective in XGBoost: train, cv and XGBRanker."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from skgraded import AP, QueryKFold, evaluate, nDCG, xGAP
from skgraded.datasets import make_ranking

xgb = pytest.importorskip("xgboost")

ours = pytest.importorskip("skgraded.xgboost")
eval_metric, evaluation, objective = ours.eval_metric, ours.evaluation, ours.objective

TARGET = xGAP(g=(0.1, 0.2, 0.3, 0.4))
ROWS = make_ranking(n_queries=80, docs_per_query=(5, 40), noise=2.0, random_state=0)
TRAIN, VALID = (
    tuple(each[part] for each in ROWS) for part in (ROWS[2] < 50, ROWS[2] >= 50)
)
START = 3 * np.random.default_rng(0).normal(size=len(ROWS[1]))
PARAMS = {"objective": "rank:ndcg", "eta": 0.3, "nthread": 1, "max_depth": 3}
SILENT = {**PARAMS, "disable_default_eval_metric": 1}


def matrix(part, **options):
    X, y, qid = part
    return xgb.DMatrix(X, y, qid=qid, **options)


# The rows that a callback evaluates may stand in any order, with ids of any type.
SHUFFLED = np.random.default_rng(0).permutation(len(VALID[1]))
WATCHED = tuple(
    each[SHUFFLED] for each in (*VALID[:2], np.char.add("q", VALID[2].astype(str)))
)


def watch(*measures, X=WATCHED[0], **options):
    _, y, qid = WATCHED
    return evaluation(*(measures or (TARGET,)), X=X, y=y, qid=qid, **options)


def train(metric=None, n_rounds=20, params=SILENT, **given):
    """Train with a metric on the validation rows."""
    given = {"evals": [(matrix(VALID), "valid")], "verbose_eval": False, **given}
    return xgb.train(params, matrix(TRAIN), n_rounds, custom_metric=metric, **given)


def cv(metric, **given):
    return xgb.cv(SILENT, matrix(TRAIN), 20, nfold=3, custom_metric=metric, **given)


# --- evaluation -----------------------------------------------------------------------------------


def fit(watching, fit_params=None, **params):
    ranker = xgb.XGBRanker(n_jobs=1, callbacks=[watching], **{"max_depth": 3, **params})
    return ranker.fit(*TRAIN[:2], qid=TRAIN[2], verbose=False, **(fit_params or {}))


def test_the_iteration_chosen_is_the_best_of_the_exactly_recomputed_measure():
    X, y, qid = WATCHED
    ranker = fit(watch(TARGET, "nDCG@10", rounds=5), n_estimators=100)
    seen = ranker.evals_result()["validation"]
    n_rounds = len(seen[str(TARGET)])
    assert n_rounds < 100
    longer = clone(ranker).set_params(callbacks=None, n_estimators=n_rounds)
    longer.fit(*TRAIN[:2], qid=TRAIN[2], verbose=False)
    staged = [longer.predict(X, iteration_range=(0, i + 1)) for i in range(n_rounds)]
    exact = [
        evaluate([TARGET, nDCG(k=10)], y, scores, qid=qid).mean() for scores in staged
    ]
    for name in (str(TARGET), "nDCG@10"):
        np.testing.assert_allclose(
            seen[name], [each[name] for each in exact], rtol=0, atol=1e-15
        )
    assert ranker.best_iteration == np.argmax([each[str(TARGET)] for each in exact])
    assert TARGET(y, ranker.predict(X), qid=qid) == max(seen[str(TARGET)])


def test_one_callback_serves_one_training_after_the_other():
    ranker = fit(watch(rounds=3), n_estimators=50)
    best = [ranker.best_iteration]
    for each in (ranker, clone(ranker), pickle.loads(pickle.dumps(ranker))):
        best.append(each.fit(*TRAIN[:2], qid=TRAIN[2], verbose=False).best_iteration)
    assert len(set(best)) == 1


@pytest.mark.parametrize("starts", [False, True])
def test_xgboost_train_returns_the_model_that_was_watched(starts):
    X, y, qid = WATCHED
    margins = [
        {"base_margin": START[: len(part[1])]} if starts else {}
        for part in (TRAIN, VALID)
    ]
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    watching = watch(rounds=5, sample_weight=weight, name="mine", **margins[1])
    history = {}
    booster = xgb.train(
        PARAMS,
        matrix(TRAIN, **margins[0]),
        60,
        callbacks=[watching],
        evals_result=history,
    )
    scores = booster.predict(xgb.DMatrix(X, **margins[1]))
    seen = history["mine"][str(TARGET)]
    assert TARGET(y, scores, qid=qid, sample_weight=weight) == max(seen)
    assert booster.num_boosted_rounds() == booster.best_iteration + 1 == len(seen) - 5


def with_gaps(X, missing):
    return np.where(np.random.default_rng(0).random(X.shape) < 0.3, missing, X)


def with_categories(X, _):
    pd = pytest.importorskip("pandas")
    return (
        pd.DataFrame(X).add_prefix("f").assign(kind=pd.Categorical(1 * (X[:, 0] > 0)))
    )


@pytest.mark.parametrize(
    ("change", "missing"),
    [(with_gaps, -999), (with_gaps, np.nan), (with_categories, np.nan)],
)
def test_the_callback_reads_features_as_xgbranker_does(change, missing):
    train, valid = change(TRAIN[0], missing), change(WATCHED[0], missing)
    watching = watch(X=valid, rounds=5, missing=missing)
    model = xgb.XGBRanker(
        n_estimators=20,
        n_jobs=1,
        callbacks=[watching],
        missing=missing,
        enable_categorical=True,
    )
    model.fit(train, TRAIN[1], qid=TRAIN[2], verbose=False)
    exact = TARGET(WATCHED[1], model.predict(valid), qid=WATCHED[2])
    assert exact == max(model.evals_result()["validation"][str(TARGET)])


def test_xgboosts_own_stopping_beside_the_callback():
    own = {"eval_set": [VALID[:2]], "eval_qid": [VALID[2]]}
    # XGBoost would watch what is recorded last, and minimise it.
    with pytest.raises(ValueError, match=r"^Early stopping must maximise xGAP"):
        fit(watch(), own, eval_metric="ndcg@5", early_stopping_rounds=5)
    # By another data set it is left alone.
    stop = xgb.callback.EarlyStopping(
        rounds=3, metric_name="ndcg@5", data_name="validation_0"
    )
    model = xgb.XGBRanker(
        n_estimators=40,
        max_depth=3,
        n_jobs=1,
        callbacks=[watch(), stop],
        eval_metric="ndcg@5",
    )
    model.fit(*TRAIN[:2], qid=TRAIN[2], verbose=False, **own)
    assert model.best_iteration == np.argmax(
        model.evals_result()["validation_0"]["ndcg@5"]
    )


def test_an_evaluation_is_of_one_model_and_shows_no_rows():
    assert "array" not in repr(xgb.XGBRanker(callbacks=[watch()]))
    with pytest.raises(TypeError, match=r"pass xgboost\.cv\(custom_metric=eval_metric"):
        xgb.cv(PARAMS, matrix(TRAIN), 2, nfold=2, callbacks=[watch()])


# --- eval_metric ----------------------------------------------------------------------------------


def test_eval_metric_of_xgb_train():
    results = {}
    sets = {"train": TRAIN, "valid": VALID}
    booster = train(
        eval_metric(TARGET, "AP"),
        4,
        evals=[(matrix(part), name) for name, part in sets.items()],
        evals_result=results,
    )
    assert list(results["valid"]) == [str(TARGET), "AP"]
    for name, (X, y, qid) in sets.items():
        scores = booster.predict(xgb.DMatrix(X))
        for each in (TARGET, AP()):
            exact = each(y, scores, qid=qid)
            assert results[name][str(each)][-1] == pytest.approx(exact, abs=1e-6)


def test_labels_weights_and_groups_are_read_anew_in_each_training():
    """A call outside of trainings reads what has been set since."""
    _, y, qid = ROWS
    data, metric, derivatives = matrix(ROWS), eval_metric("nDCG"), objective("nDCG")
    scores = np.random.default_rng(0).random(len(y)).astype(np.float32)
    before = metric(scores, data), derivatives(scores, data)
    weight = np.linspace(1, 2, len(np.unique(qid)))
    data.set_weight(weight)
    data.set_label(y[::-1])
    assert metric(scores, data) != before[0]
    assert (derivatives(scores, data)[0] != before[1][0]).any()
    by_row = weight.astype(np.float32)[qid]
    ((_, weighted),) = metric(scores, data)
    assert weighted == nDCG()(y[::-1], scores, qid=qid, sample_weight=by_row)
    data.set_weight([])
    data.set_group([len(y)])
    assert eval_metric("nDCG")(scores, data) == [
        ("nDCG", nDCG()(y[::-1], scores, qid=0 * qid))
    ]
    assert not np.array_equal(
        pickle.loads(pickle.dumps(derivatives))(scores, data), before[1]
    )


# --- early stopping by XGBoost's own rule ---------------------------------------------------------


STOPS = {"early_stopping_rounds": 3}
BY_AP = {"callbacks": [xgb.callback.EarlyStopping(rounds=3, metric_name="AP")]}


@pytest.mark.parametrize(
    ("use", "measures", "given", "words"),
    [
        (train, ["AP", {"gain": "nDCG"}], STOPS, "maximise gain: pass maximize=T"),
        (cv, ["AP", "nDCG@10"], STOPS, "maximise nDCG@10: pass maximize=T"),
        (
            train,
            ["Fallout@5"],
            STOPS | {"maximize": True},
            "minimise Fallout@5: pass maximize=F",
        ),
        (train, ["AP", "Fallout@5"], BY_AP, "maximise AP"),
    ],
)
def test_early_stopping_in_the_wrong_direction_is_refused(use, measures, given, words):
    metric = eval_metric(*measures)
    models = [use(metric), use(metric)]  # which passed, and still exist
    with pytest.raises(ValueError, match=f"^Early stopping must {words}"):
        use(metric, **given)
    del models


def test_early_stopping_that_is_right_is_left_alone():
    metric, history = eval_metric({"mine": nDCG(k=10)}), {}
    stop = {"early_stopping_rounds": 3, "maximize": True}
    model = train(metric, evals_result=history, **stop)
    assert model.best_iteration == np.argmax(history["valid"]["mine"]) > 0
    train(eval_metric("Fallout@5"), early_stopping_rounds=3)
    assert "test-mine-mean" in cv(metric, **stop)


def test_cross_validation_is_told_to_make_its_folds_itself():
    with pytest.raises(
        ValueError, match=r"^Query ids are missing[^$]* xgboost\.cv .* nfold=3"
    ):
        xgb.cv(PARAMS, matrix(TRAIN), 2, folds=QueryKFold(3))
    assert len(cv(eval_metric("nDCG@10"))["test-nDCG@10-mean"]) == 20


def test_a_metric_for_train_that_xgbranker_gets_is_refused_by_name():
    model = xgb.XGBRanker(n_estimators=2, n_jobs=1, eval_metric=eval_metric("nDCG@10"))
    given = {"eval_set": [VALID[:2]], "eval_qid": [VALID[2]], "verbose": False}
    with pytest.raises(
        ValueError, match=r"^XGBRanker\(eval_metric=eval_metric\('nDCG@10'\)\) is"
    ):
        model.fit(*TRAIN[:2], qid=TRAIN[2], **given)
