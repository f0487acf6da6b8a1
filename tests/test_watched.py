"""What was watched in training is what predict returns, or the fit says why it is not."""

import warnings
from importlib import import_module

import lightgbm as lgb
import numpy as np
import pytest
from lightgbm import LGBMRanker, LGBMRegressor
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, QueryRanker, nDCG, query_target
from skgraded.datasets import make_ranking
from skgraded.lightgbm import early_stopping
from skgraded.model_selection._rows import (
    QueryRows,
    Validation,
    Watched,
    recorded_value,
)

MEASURE = nDCG(k=10)
X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
TRAIN, VALID = slice(0, 800), slice(800, None)
RNG = np.random.default_rng(0)
SPARSE = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
MARKED = np.where(np.isnan(SPARSE), -999, SPARSE)
START = 3 * RNG.normal(size=len(Y))


def lgbm(kind=LGBMRanker, **params):
    return kind(**{"n_estimators": 40, "num_leaves": 7, "n_jobs": 1, "verbose": -1, **params})


def xgb(kind="XGBRanker", **params):
    xgboost = pytest.importorskip("xgboost")
    make = getattr(xgboost, kind) if isinstance(kind, str) else kind
    return make(**{"n_estimators": 40, "max_depth": 3, "n_jobs": 1, "random_state": 0, **params})


def cat(**params):
    catboost = pytest.importorskip("catboost")
    quiet = {"verbose": 0, "thread_count": 1, "allow_writing_files": False, "random_seed": 0}
    return catboost.CatBoostRanker(**{"iterations": 40, **quiet, **params})


def watch(estimator, *, features=X, grades=Y, rounds=5, measure=MEASURE, **fit_params):
    """Fit on some queries and watch the others."""
    return QueryRanker(estimator, measure=measure, early_stopping_rounds=rounds).fit(
        features[TRAIN], grades[TRAIN], QID[TRAIN],
        eval_X=features[VALID], eval_y=grades[VALID], eval_qid=QID[VALID], **fit_params,
    )  # fmt: skip


def values_of(fitted):
    return fitted.evals_result_["valid_0"][str(fitted.measure_)]


def version_of(library):
    return tuple(map(int, import_module(library).__version__.split(".")[:2]))


def name_of(given):
    return getattr(given, "__name__", str(given))


# --- QueryRanker ----------------------------------------------------------------------------------

LIGHTGBM = [
    {},
    {"boosting_type": "rf", "bagging_fraction": 0.5, "bagging_freq": 1},
    {"linear_tree": True},
    {"zero_as_missing": True},
    {"use_missing": False},
    {"num_iterations": 30},
    {"start_iteration_predict": 3},
    {"num_iteration_predict": 3},
    {"predict_raw_score": True},
    {"objective": "rank_xendcg"},
]
XGBOOST = [
    {},
    {"num_parallel_tree": 3, "subsample": 0.5},
    {"tree_method": "exact"},
    {"base_score": 3.0},
    {"objective": "rank:pairwise"},
    {"missing": -999},
]
CATBOOST = [
    {},
    {"metric_period": 5},
    {"boosting_type": "Ordered"},
    {"model_shrink_rate": 0.1},
    {"posterior_sampling": True},
    {"nan_mode": "Max"},
]
OPTIONS = [
    *((lgbm, each) for each in LIGHTGBM),
    *((xgb, each) for each in XGBOOST),
    *((cat, each) for each in CATBOOST),
]


@pytest.mark.filterwarnings("ignore:Found .num_iterations. in params")  # of older LightGBM
@pytest.mark.parametrize(("make", "params"), OPTIONS, ids=name_of)
def test_the_value_of_predict_is_the_best_recorded_one(make, params):
    rounds = (5, None)[OPTIONS.index((make, params)) % 2]
    features = MARKED if "missing" in params else SPARSE
    fitted = watch(make(**params), features=features, rounds=rounds)
    seen = values_of(fitted)
    exact = MEASURE(Y[VALID], fitted.predict(features[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(max(seen) if rounds else seen[-1], abs=1e-12)
    assert len(set(seen)) > 1


STARTS = {"init_score": lgbm, "base_margin": xgb, "baseline": cat}


@pytest.mark.parametrize("rounds", [5, None])
@pytest.mark.parametrize("start", STARTS)
def test_predict_takes_the_initial_scores_of_its_rows(start, rounds):
    ranker = QueryRanker(
        STARTS[start](), measure=MEASURE, validation_fraction=0.3, early_stopping_rounds=rounds,
        random_state=0,
    )  # fmt: skip
    fitted = ranker.fit(X, Y, QID, **{start: START})
    held_out = fitted.validation_queries_.contains(QID)
    scores = fitted.predict(X[held_out], **{start: START[held_out]})
    seen = values_of(fitted)
    exact = MEASURE(Y[held_out], scores, qid=QID[held_out])
    assert exact == pytest.approx(max(seen) if rounds else seen[-1], abs=1e-12)
    scores = fitted.predict(X[held_out], **{start: 0 * START[held_out]})
    without = MEASURE(Y[held_out], scores, qid=QID[held_out])
    assert exact != pytest.approx(without, abs=0.01)


OBJECTIVES = [
    *((lgbm, LGBMRegressor, each) for each in ("regression", "poisson", "binary", "tweedie")),
    *((xgb, "XGBRegressor", each) for each in ("reg:squarederror", "reg:logistic")),
    (xgb, "XGBRegressor", "count:poisson"),
]


@pytest.mark.parametrize(("make", "kind", "objective"), OBJECTIVES, ids=name_of)
def test_the_output_of_a_regressor_is_watched_and_not_its_margin(make, kind, objective):
    grades = 1 * (Y > 1) if objective in ("binary", "reg:logistic") else Y
    # With this rate, probabilities reach 1, where documents tie that have different margins.
    fitted = watch(make(kind=kind, objective=objective, learning_rate=5.0), grades=grades)
    scores = fitted.predict(X[VALID])
    exact = MEASURE(grades[VALID], scores, qid=QID[VALID])
    assert exact == pytest.approx(max(values_of(fitted)), abs=1e-12)


def test_categories_that_were_not_seen_in_training():
    columns = X.copy()
    columns[TRAIN, 0], columns[VALID, 0] = RNG.integers(0, 9, 800), RNG.integers(0, 20, 400)
    fitted = watch(lgbm(), features=columns, categorical_feature=[0])
    exact = MEASURE(Y[VALID], fitted.predict(columns[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(max(values_of(fitted)), abs=1e-12)


class Noisy(TransformerMixin, BaseEstimator):
    """Gives other features for the same rows."""

    def fit(self, X, y=None):
        self.rng_ = np.random.default_rng(0)
        return self

    def transform(self, X):
        return X + self.rng_.normal(size=X.shape)


class FirstTrees(LGBMRanker):
    def predict(self, X, **params):
        return super().predict(X, **{**params, "num_iteration": 1})


class Rounded(LGBMRanker):
    def predict(self, X, **params):
        return np.round(super().predict(X, **params), 1)


@pytest.mark.parametrize("rounds", [5, None])
@pytest.mark.parametrize("kind", [FirstTrees, Rounded, Noisy])
def test_a_prediction_that_was_not_watched_is_an_error(kind, rounds):
    model = make_pipeline(Noisy(), lgbm()) if kind is Noisy else lgbm(kind)
    name = "LGBMRanker" if kind is Noisy else kind.__name__
    with pytest.raises(ValueError, match=rf"^nDCG@10 on the .* is .* by predict of {name}: "):
        watch(model, rounds=rounds)


def test_an_iteration_range_of_xgboost_that_was_not_watched_is_an_error():
    xgboost = pytest.importorskip("xgboost")

    class FirstRounds(xgboost.XGBRanker):
        def predict(self, X, **params):
            return super().predict(X, **{**params, "iteration_range": (0, 2)})

    with pytest.raises(ValueError, match=r"by predict of FirstRounds: .* range of iterations"):
        watch(xgb(FirstRounds))


@pytest.mark.parametrize("gap", [1e-9, 1e-3])
def test_the_last_digits_of_scores_do_not_matter(gap):
    """A library may sum trees in another order when it predicts."""
    y, scores = np.array([0.0, 1, 1, 0]), np.array([1 + gap, 1, 5, 2])
    sizes = np.array([2, 2])
    rows = QueryRows(X=None, y=y, sizes=sizes, weight=None, per_row={}, ranks=np.arange(2))
    recorded = MEASURE(y, [1, 1 + gap, 5, 2], qid=[0, 0, 1, 1])
    named = ((str(MEASURE), MEASURE),)
    watched = Watched({"valid_0": {str(MEASURE): [recorded]}}, None, "last")
    validation = Validation(rows, named, None)
    if gap < 1e-6:
        assert recorded_value(watched, validation, scores, "Ranker") == recorded
    else:
        told = r"^nDCG@10 on the validation rows was 1 in .* is 0\.8.* by predict of Ranker"
        with pytest.raises(ValueError, match=told):
            recorded_value(watched, validation, scores, "Ranker")


def test_scores_that_lightgbm_would_not_sum_to_the_end_are_refused():
    given = {"pred_early_stop": True, "pred_early_stop_freq": 1, "pred_early_stop_margin": 0.01}
    with pytest.raises(ValueError, match=r"another model was watched than the one that predicts"):
        watch(lgbm(**given))


DART = "ignore:[\\s\\S]*booster=dart. is deprecated:UserWarning"  # since 3.4


@pytest.mark.filterwarnings(DART)
@pytest.mark.filterwarnings("ignore:.*gblinear. is deprecated:UserWarning")  # since 3.4
@pytest.mark.parametrize("params", [{"booster": "dart", "rate_drop": 0.5}, {"booster": "gblinear"}])
def test_xgboosts_other_boosters_are_recorded_and_not_stopped(params):
    params |= {} if params["booster"] == "dart" else {"max_depth": None}
    with pytest.raises(ValueError, match=r"another model was watched than the one that predicts"):
        watch(xgb(**params))
    fitted = watch(xgb(**params), rounds=None)
    exact = MEASURE(Y[VALID], fitted.predict(X[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(values_of(fitted)[-1], abs=1e-12)


@pytest.mark.filterwarnings(DART)
def test_dart_that_drops_nothing_is_stopped():
    fitted = watch(xgb(booster="dart"))
    exact = MEASURE(Y[VALID], fitted.predict(X[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(max(values_of(fitted)), abs=1e-12)


def fit_with_own_stopping(library, rounds):
    if library == "lightgbm":
        return watch(lgbm(), rounds=rounds, callbacks=[lgb.early_stopping(2, verbose=False)])
    xgboost = pytest.importorskip("xgboost")
    stop = xgboost.callback.EarlyStopping(
        rounds=2, metric_name="nDCG@10", data_name="valid_0", maximize=True
    )
    return watch(xgb(callbacks=[stop]), rounds=rounds)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_only_one_callback_stops_a_training(library):
    with pytest.raises(ValueError, match=r"^Only one callback may stop the training early"):
        fit_with_own_stopping(library, rounds=5)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_it_may_be_a_callback_of_the_users(library):
    if library == "xgboost" and version_of("xgboost") < (3, 2):
        pytest.skip("callbacks are called in any order")
    fitted = fit_with_own_stopping(library, rounds=None)
    exact = MEASURE(Y[VALID], fitted.predict(X[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(max(values_of(fitted)), abs=1e-12)
    assert len(values_of(fitted)) < 40


def test_a_callback_of_ours_may_stop_by_another_rule():
    stop = early_stopping("nDCG@10", 3, min_delta=0.05)
    fitted = watch(lgbm(), rounds=None, callbacks=[stop])
    exact = MEASURE(Y[VALID], fitted.predict(X[VALID]), qid=QID[VALID])
    assert exact in values_of(fitted)
    assert len(values_of(fitted)) < 40


def test_catboost_may_keep_more_trees_than_the_best():
    fitted = watch(cat(best_model_min_trees=20))
    exact = MEASURE(Y[VALID], fitted.predict(X[VALID]), qid=QID[VALID])
    assert exact == pytest.approx(values_of(fitted)[fitted.best_iteration_ - 1], abs=1e-12)


@pytest.mark.parametrize("make", [lgbm, xgb, cat])
def test_searches_pipelines_and_validation_fractions_say_nothing(make):
    ranker = QueryRanker(
        make_pipeline(StandardScaler(), make()),
        measure=MEASURE, validation_fraction=0.3, early_stopping_rounds=3, random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GridSearchCV(ranker, {"early_stopping_rounds": [2, None]}, cv=QueryKFold(2))
        search.fit(X, query_target(Y, QID), sample_weight=QID + 1.0)
    assert 0 < search.best_score_ < 1


# --- the callback of XGBoost ----------------------------------------------------------------------


def evaluation(*measures, features=X, **params):
    pytest.importorskip("xgboost")
    from skgraded.xgboost import evaluation

    measures = measures or (MEASURE,)
    rows = {"X": features[VALID], "y": Y[VALID], "qid": QID[VALID]}
    return evaluation(*measures, **{**rows, "rounds": 5, **params})


def fit_with(callback, *, features=X, fit_params=None, **params):
    model = xgb(callbacks=[callback], **params)
    return model.fit(features[TRAIN], Y[TRAIN], qid=QID[TRAIN], verbose=False, **(fit_params or {}))


def best_of(evals_result, name="validation"):
    return max(evals_result[name][str(MEASURE)])


def test_the_callback_reads_missing_values_as_it_is_told():
    for features, missing in ((MARKED, -999), (SPARSE, np.nan)):
        model = fit_with(
            evaluation(features=features, missing=missing), features=features, missing=missing
        )
        exact = MEASURE(Y[VALID], model.predict(features[VALID]), qid=QID[VALID])
        assert exact == best_of(model.evals_result())


def test_the_callback_starts_from_the_scores_that_it_is_given():
    watch = evaluation(base_margin=START[VALID])
    model = fit_with(watch, fit_params={"base_margin": START[TRAIN]})
    scores = model.predict(X[VALID], base_margin=START[VALID])
    assert MEASURE(Y[VALID], scores, qid=QID[VALID]) == best_of(model.evals_result())


def matrix(rows, features=X, **params):
    import xgboost

    return xgboost.DMatrix(features[rows], Y[rows], qid=QID[rows], **params)


@pytest.mark.parametrize("starts", [False, True])
def test_xgboost_train_returns_the_model_that_was_watched(starts):
    xgboost = pytest.importorskip("xgboost")
    margins = [{"base_margin": START[rows]} if starts else {} for rows in (TRAIN, VALID)]
    watching = evaluation(**margins[1])
    history = {}
    booster = xgboost.train(
        {"objective": "rank:ndcg", "max_depth": 3, "nthread": 1},
        matrix(TRAIN, **margins[0]), 40, callbacks=[watching], evals_result=history,
    )  # fmt: skip
    scores = booster.predict(xgboost.DMatrix(X[VALID], **margins[1]))
    assert MEASURE(Y[VALID], scores, qid=QID[VALID]) == best_of(history)
    n_seen = len(history["validation"][str(MEASURE)])
    assert booster.num_boosted_rounds() == booster.best_iteration + 1 == n_seen - 5


def test_categories_of_a_frame_are_read():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).add_prefix("f").assign(kind=pd.Categorical(QID % 4))
    model = xgb(callbacks=[evaluation(X=frame[VALID])], enable_categorical=True)
    model.fit(frame[TRAIN], Y[TRAIN], qid=QID[TRAIN], verbose=False)
    exact = MEASURE(Y[VALID], model.predict(frame[VALID]), qid=QID[VALID])
    assert exact == best_of(model.evals_result())


def test_xgboosts_own_stopping_beside_the_callback():
    own = {
        "fit_params": {"eval_set": [(X[VALID], Y[VALID])], "eval_qid": [QID[VALID]]},
        "eval_metric": "ndcg@5",
        "early_stopping_rounds": 5,
    }
    # XGBoost would watch what is recorded last, and minimise it.
    with pytest.raises(ValueError, match=r"^Early stopping must maximise nDCG@10"):
        fit_with(evaluation(rounds=None), **own)


def test_xgboosts_own_stopping_by_another_data_set_is_left_alone():
    xgboost = pytest.importorskip("xgboost")
    stop = xgboost.callback.EarlyStopping(rounds=3, metric_name="ndcg@5", data_name="validation_0")
    model = xgb(callbacks=[evaluation(rounds=None), stop], eval_metric="ndcg@5")
    model.fit(
        X[TRAIN], Y[TRAIN], qid=QID[TRAIN], eval_set=[(X[VALID], Y[VALID])],
        eval_qid=[QID[VALID]], verbose=False,
    )  # fmt: skip
    seen = model.evals_result()
    assert model.best_iteration == np.argmax(seen["validation_0"]["ndcg@5"])
