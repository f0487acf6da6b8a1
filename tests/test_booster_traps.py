"""What goes wrong without a word where the boosters, Optuna and our measures meet."""

import warnings

import lightgbm as lgb
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skgraded import QueryKFold, QueryRanker, measure, nDCG, query_target
from skgraded.datasets import make_ranking
from skgraded.lightgbm import eval_metric, objective
from skgraded.measures import Fallout

X, Y, QID = make_ranking(n_queries=45, docs_per_query=(5, 25), random_state=0)
SIZES = np.bincount(QID)
MEASURE = nDCG(k=10)
PARAMS = {"objective": "lambdarank", "num_leaves": 7, "verbose": -1, "num_threads": 1, "seed": 0}
ROUNDS = 5


def data_set(rows=slice(None), **more):
    return lgb.Dataset(X[rows], Y[rows], group=np.unique(QID[rows], return_counts=True)[1], **more)


# --- lightgbm.cv ----------------------------------------------------------------------------------


def cv(params, **more):
    return lgb.cv({**PARAMS, **params}, data_set(), num_boost_round=ROUNDS, nfold=3, **more)


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("part", ["objective", "metric"])
def test_folds_that_cut_queries_are_refused(part, stratified):
    other = lambda scores, _: (scores * 0.0, scores * 0 + 1.0)  # noqa: E731
    ours = {"objective": objective("nDCG")} if part == "objective" else {"objective": other}
    feval = eval_metric("nDCG@10") if part == "metric" else None
    with pytest.raises(ValueError, match=r"cuts queries.* parts of \d+ queries of 45.*QueryKFold"):
        cv({**ours, "metric": "None"}, feval=feval, stratified=stratified)


def test_folds_of_queries_give_the_value_that_models_of_their_own_have():
    folds = list(QueryKFold(3).split(X, query_target(Y, QID)))
    params = {**PARAMS, "objective": objective("nDCG"), "metric": "None"}
    values = []
    for train, test in folds:
        # lightgbm.cv makes the bins from all rows.
        data = data_set(free_raw_data=False)
        model = lgb.train(params, data.subset(train), num_boost_round=ROUNDS)
        values.append(MEASURE(Y[test], model.predict(X[test]), qid=QID[test]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (QueryKFold(3), folds):
            found = cv(params, folds=given, feval=eval_metric("nDCG@10"))
            assert found["valid nDCG@10-mean"][-1] == pytest.approx(np.mean(values), abs=1e-12)


def test_lightgbms_own_objective_needs_no_folds():
    found = cv({"metric": "None"}, feval=eval_metric("nDCG@10"), stratified=False)
    assert len(found["valid nDCG@10-mean"]) == ROUNDS


def test_a_subset_of_whole_queries_and_one_of_such_a_subset_are_data_sets_like_others():
    data = data_set(free_raw_data=False)
    some = data.subset(np.flatnonzero(QID < 30)).construct()
    fewer = some.subset(np.flatnonzero(QID[QID < 30] < 20))
    params = {**PARAMS, "objective": objective("nDCG"), "metric": "None"}
    assert lgb.train(params, fewer, num_boost_round=2).num_trees() == 2


def test_a_subset_of_a_cut_subset_is_refused():
    data = data_set(free_raw_data=False)
    cut = data.subset(np.flatnonzero(np.arange(len(Y)) % 2 == 0)).construct()
    whole_in_it = cut.subset(np.arange(int(np.sum(cut.get_group()[:10]))))
    params = {**PARAMS, "objective": objective("nDCG"), "metric": "None"}
    with pytest.raises(ValueError, match="cuts queries"):
        lgb.train(params, whole_in_it, num_boost_round=1)


def test_what_is_set_by_the_name_of_a_field_counts_from_then_on():
    data, metric, target = data_set().construct(), eval_metric("nDCG@10"), objective("nDCG@10")
    rows, scores = {"label": Y, "qid": QID, "weight": np.ones(len(Y))}, X[:, 0]
    changes = {"label": Y[::-1], "group": np.bincount(QID // 2), "weight": Y + 1.0}
    for field, values in changes.items():
        before = metric(scores, data), target(scores, data)[0]
        data.set_field(field, values)
        rows |= {"qid": QID // 2} if field == "group" else {field: values}
        exact = MEASURE(rows["label"], scores, qid=rows["qid"], sample_weight=rows["weight"])
        assert metric(scores, data)[0][1] == pytest.approx(exact, abs=1e-7) != before[0][0][1]
        assert not np.array_equal(target(scores, data)[0], before[1])


# --- Optuna's LightGBMTuner -----------------------------------------------------------------------


def tuner(metric, feval, study=None):
    optuna = pytest.importorskip("optuna")
    pytest.importorskip("optuna_integration.lightgbm")
    from optuna_integration.lightgbm import LightGBMTuner

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    train = data_set(QID < 30, free_raw_data=False, params={"feature_pre_filter": False})
    return LightGBMTuner(
        {**PARAMS, "metric": metric},
        train,
        valid_sets=[data_set(QID >= 30, reference=train, free_raw_data=False)],
        num_boost_round=4,
        feval=feval,
        study=study,
        show_progress_bar=False,
        optuna_seed=0,
    )


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["nDCG@10", "AP@10"])
def test_a_tuner_finds_the_best_by_the_loss(name):
    tuning = tuner(f"neg_{name}", eval_metric(name, as_loss=True))
    tuning.tune_feature_fraction(4)
    values = [each.value for each in tuning.study.trials]
    assert len(set(values)) > 1
    model, rows = tuning.get_best_booster(), QID >= 30
    exact = measure(name)(Y[rows], model.predict(X[rows]), qid=QID[rows])
    assert tuning.best_score == min(values) == pytest.approx(-exact, abs=1e-12)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_tuner_by_cross_validation_finds_the_best_by_the_loss():
    optuna = pytest.importorskip("optuna")
    pytest.importorskip("optuna_integration.lightgbm")
    from optuna_integration.lightgbm import LightGBMTunerCV

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def tuned(name, **options):
        tuning = LightGBMTunerCV(
            {**PARAMS, "metric": name},
            data_set(free_raw_data=False, params={"feature_pre_filter": False}),
            num_boost_round=4,
            folds=QueryKFold(3),
            feval=eval_metric("nDCG@10", **options),
            show_progress_bar=False,
            optuna_seed=0,
        )
        tuning.tune_feature_fraction(3)
        return tuning

    tuning = tuned("neg_nDCG@10", as_loss=True)
    values = [each.value for each in tuning.study.trials]
    assert len(set(values)) > 1
    assert tuning.best_score == min(values) < 0


def test_query_ranker_records_a_loss_beside_the_measure():
    model = lgb.LGBMRanker(n_estimators=4, num_leaves=7, n_jobs=1, verbose=-1)
    ranker = QueryRanker(model, measure="nDCG@10", validation_fraction=0.3, random_state=0)
    seen = ranker.fit(X, Y, QID, eval_metric=eval_metric("AP", as_loss=True)).evals_result_
    assert sorted(seen["valid_0"]) == ["nDCG@10", "neg_AP"]


def test_a_loss_is_the_measure_with_the_opposite_sign_and_name():
    metric = eval_metric("nDCG@10", Fallout(k=5), as_loss=True)
    plain = eval_metric("nDCG@10", Fallout(k=5))
    scores = np.arange(len(Y), dtype=float)
    one, two = metric(Y, scores, None, SIZES), plain(Y, scores, None, SIZES)
    assert one == [("neg_nDCG@10", -two[0][1], False), two[1]]
    assert two[1][::2] == ("Fallout@5", False)
    assert repr(metric) == "eval_metric('nDCG@10', 'Fallout@5', as_loss=True)"
    with pytest.raises(ValueError, match="as_loss must be True or False, got 1"):
        eval_metric("AP", as_loss=1)


def test_early_stopping_by_the_loss_stops_where_the_measure_does():
    train, rows = QID < 30, QID >= 30
    best = []
    for feval in (eval_metric("nDCG@10"), eval_metric("nDCG@10", as_loss=True)):
        data = data_set(train)
        model = lgb.train(
            {**PARAMS, "metric": "None"},
            data,
            num_boost_round=60,
            valid_sets=[data_set(rows, reference=data)],
            feval=feval,
            callbacks=[lgb.early_stopping(5, verbose=False)],
        )
        best.append(model.best_iteration)
    assert best[0] == best[1] < 60


# --- XGBoost --------------------------------------------------------------------------------------


def xgb_train(metric, *, cv=False, **more):
    xgboost = pytest.importorskip("xgboost")
    params = {
        "objective": "rank:ndcg",
        "max_depth": 3,
        "nthread": 1,
        "disable_default_eval_metric": 1,
    }
    data = [xgboost.DMatrix(X[rows], Y[rows], qid=QID[rows]) for rows in (QID < 30, QID >= 30)]
    if cv:
        return xgboost.cv(
            params, data[0], 20, nfold=3, custom_metric=metric, as_pandas=False, **more
        )
    return xgboost.train(
        params, data[0], 60, evals=[(data[1], "valid")], custom_metric=metric,
        verbose_eval=False, **more,
    )  # fmt: skip


def xgb_metric(*measures):
    pytest.importorskip("xgboost")
    from skgraded.xgboost import eval_metric

    return eval_metric(*measures)


@pytest.mark.parametrize("cv", [False, True])
def test_early_stopping_that_would_minimise_is_refused(cv):
    with pytest.raises(ValueError, match=r"^Early stopping must maximise nDCG@10: pass maximize=T"):
        xgb_train(xgb_metric("AP", "nDCG@10"), early_stopping_rounds=3, cv=cv)


def test_early_stopping_that_would_maximise_is_refused():
    with pytest.raises(ValueError, match=r"^Early stopping must minimise Fallout@5: pass maxi.*=F"):
        xgb_train(xgb_metric("Fallout@5"), early_stopping_rounds=3, maximize=True)


def test_a_callback_that_would_minimise_is_refused():
    pytest.importorskip("xgboost")
    from xgboost.callback import EarlyStopping

    stop = EarlyStopping(rounds=3, metric_name="AP")
    with pytest.raises(ValueError, match=r"^Early stopping must maximise AP"):
        xgb_train(xgb_metric("AP", "Fallout@5"), callbacks=[stop])


def test_early_stopping_that_is_right_is_left_alone():
    history = {}
    model = xgb_train(
        xgb_metric("nDCG@10"), early_stopping_rounds=3, maximize=True, evals_result=history
    )
    seen = history["valid"]["nDCG@10"]
    assert model.best_iteration == np.argmax(seen) > 0
    xgb_train(xgb_metric("Fallout@5"), early_stopping_rounds=3)
    xgb_train(xgb_metric("nDCG@10"))
    found = xgb_train(xgb_metric("nDCG@10"), cv=True, early_stopping_rounds=3, maximize=True)
    assert "test-nDCG@10-mean" in found


def test_a_metric_for_train_that_xgbranker_gets_is_refused_by_name():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBRanker(n_estimators=2, n_jobs=1, eval_metric=xgb_metric("nDCG@10"))
    with pytest.raises(ValueError, match=r"^XGBRanker\(eval_metric=eval_metric\('nDCG@10'\)\) is"):
        model.fit(X, Y, qid=QID, eval_set=[(X, Y)], eval_qid=[QID], verbose=False)


def test_a_measure_that_a_booster_calls_itself_is_refused_by_the_name_of_the_adapter():
    xgboost, catboost = pytest.importorskip("xgboost"), pytest.importorskip("catboost")
    ours, rows = MEASURE, {"eval_set": [(X, Y)], "verbose": False}
    data, train = xgboost.DMatrix(X, Y, qid=QID), xgboost.train
    uses = {
        "xgboost.evaluation": [
            lambda: xgboost.XGBRanker(eval_metric=ours).fit(X, Y, qid=QID, eval_qid=[QID], **rows),
            lambda: xgboost.XGBRegressor(eval_metric=ours).fit(X, Y, **rows),
            lambda: xgboost.XGBRegressor(objective=ours).fit(X, Y),
            lambda: watched(ours).fit(X, Y, QID),
        ],
        "xgboost.eval_metric": [
            lambda: train({}, data, 2, evals=[(data, "a")], custom_metric=ours)
        ],
        "xgboost.objective": [lambda: train({}, data, 2, obj=ours)],
        "lightgbm.eval_metric": [
            lambda: lgb.train(PARAMS, data_set(), 2, [data_set()], feval=ours)
        ],
        "lightgbm.objective": [lambda: lgb.train({**PARAMS, "objective": ours}, data_set(), 2)],
    }
    # Older ones print the sentence and raise an error of their own.
    if tuple(map(int, catboost.__version__.split(".")[:3])) >= (1, 2, 7):
        uses["catboost.eval_metric"] = [
            lambda: cat(eval_metric=ours).fit(X, Y, group_id=QID),
            lambda: catboost.CatBoostRegressor(loss_function=ours).fit(X, Y),
        ]
    for adapter, calls in uses.items():
        for call in calls:
            with pytest.raises(TypeError, match=rf"^A measure must .* itself.*skgraded\.{adapter}"):
                call()


def watched(own, fraction=0.3, **more):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBRanker(
        n_estimators=40, max_depth=3, n_jobs=1, random_state=0, eval_metric=own
    )
    params = {"measure": MEASURE, "validation_fraction": fraction, "early_stopping_rounds": 5}
    return QueryRanker(model, random_state=0, **params, **more)


def test_the_own_metrics_of_xgbranker_are_recorded_beside_the_measure():
    alone = watched(None).fit(X, Y, QID)
    assert list(alone.evals_result_) == ["valid_0"]
    assert list(alone.evals_result_["valid_0"]) == ["nDCG@10"]
    for own in ("ndcg@5", ["ndcg@3", "ndcg@5"]):
        fitted = watched(own).fit(X, Y, QID, eval_metric={"AP": "AP"})
        seen = fitted.evals_result_["valid_0"]
        assert list(fitted.evals_result_) == ["valid_0"]
        assert list(seen) == ["nDCG@10", "AP", *np.atleast_1d(own)]
        assert len({len(each) for each in seen.values()}) == 1
        # They are not watched, and change nothing.
        assert fitted.best_iteration_ == alone.best_iteration_
        assert np.array_equal(fitted.predict(X), alone.predict(X))
        assert fitted.estimator_.eval_metric is not None
    out = fitted.validation_queries_.contains(QID)
    best = fitted.predict(X[out])
    at_best = fitted.evals_result_["valid_0"]["AP"][fitted.best_iteration_ - 1]
    assert at_best == pytest.approx(measure("AP")(Y[out], best, qid=QID[out]), abs=1e-12)


def test_a_metric_of_ours_that_xgboost_would_call_is_refused_inside_a_query_ranker():
    fitted = watched(None).fit(X, Y, QID, QID + 1.0, eval_metric={"AP": "AP", "nDCG@10": "nDCG@10"})
    assert list(fitted.evals_result_["valid_0"]) == ["nDCG@10", "AP"]
    with pytest.raises(ValueError, match=r"^XGBRanker\(eval_metric=eval_metric\('AP'\)\) is"):
        watched(xgb_metric("AP")).fit(X, Y, QID)


def test_own_metrics_are_recorded_on_rows_that_are_given_with_weights():
    fitted = watched("ndcg@5", fraction=None).fit(
        X, Y, QID, np.ones(len(Y)), eval_X=X[::-1], eval_y=Y[::-1],
        eval_qid=QID[::-1] + 100, eval_sample_weight=np.ones(len(Y)),
    )  # fmt: skip
    seen = fitted.evals_result_["valid_0"]
    assert len(seen["ndcg@5"]) == len(seen["nDCG@10"])


def test_xgboosts_cross_validation_is_told_to_make_its_folds_itself():
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(X, Y, qid=QID)
    with pytest.raises(ValueError, match=r"^Query ids are missing[^$]* xgboost\.cv .* nfold=3"):
        xgboost.cv({"objective": "rank:ndcg"}, data, 2, folds=QueryKFold(3))
    found = xgb_train(xgb_metric("nDCG@10"), cv=True)
    assert len(found["test-nDCG@10-mean"]) == 20


# --- CatBoost -------------------------------------------------------------------------------------


def cat(**params):
    catboost = pytest.importorskip("catboost")
    quiet = {"verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return catboost.CatBoostRanker(iterations=5, random_seed=0, **quiet, **params)


def test_catboost_does_not_try_to_compile_our_metric():
    """Without numba it would warn of that, and with numba that it cannot."""
    from skgraded.catboost import eval_metric

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = eval_metric("nDCG@10", (Y, QID))
        model = cat(eval_metric=metric).fit(X, Y, group_id=QID)
        QueryRanker(cat(), measure=MEASURE, validation_fraction=0.2).fit(X, Y, QID)
    assert model.tree_count_ == 5


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_other_metrics_of_catboost_are_recorded_in_folds_of_a_search(kind, in_pipeline):
    metrics = kind(["NDCG:top=5", "MAP:top=5"])
    model = cat(custom_metric=metrics, monotone_constraints=kind([0] * X.shape[1]))
    ranker = QueryRanker(
        make_pipeline("passthrough", cat(custom_metric=metrics)) if in_pipeline else model,
        measure=MEASURE,
        validation_fraction=0.3,
        random_state=0,
    )
    search = GridSearchCV(ranker, {"random_state": [0, 1]}, cv=QueryKFold(2), error_score="raise")
    seen = search.fit(X, query_target(Y, QID)).best_estimator_.evals_result_["valid_0"]
    assert {each.partition(":")[0] for each in seen} >= {"nDCG@10", "NDCG", "MAP"}


def test_clones_keep_what_they_are_given():
    ranker = QueryRanker(cat(cat_features=[0]), measure="AP", random_state=3)
    again = clone(ranker)
    assert again.get_params().keys() == ranker.get_params().keys()
    assert again.estimator is not ranker.estimator
    assert again.estimator.get_params() == ranker.estimator.get_params()
    assert (again.measure, again.random_state) == ("AP", 3)
    assert clone(QueryRanker(None, measure="AP")).estimator is None
    fitted = QueryRanker(cat(), measure="AP").fit(X, Y, QID)
    assert not hasattr(clone(fitted), "estimator_")
    assert not clone(fitted).estimator.is_fitted()
