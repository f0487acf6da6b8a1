"""What QueryRanker watches in training is what predict returns, or the fit says why it is not."""

from inspect import signature

import lightgbm as lgb
import numpy as np
import pytest
import sklearn
from boosters import BOOSTERS, CONTINUES, N_TREES, STARTS, cat, lgbm, xgb
from lightgbm import LGBMRanker, LGBMRegressor
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    Blend,
    QueryKFold,
    QueryRanker,
    eGAP,
    measure,
    nDCG,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.exceptions import QueryLeakWarning
from skgraded.lightgbm import early_stopping, eval_metric
from skgraded.measures import Fallout

MEASURE = nDCG(k=10)
X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
TRAIN, VALID = slice(0, 800), slice(800, None)
RNG = np.random.default_rng(0)
SHUFFLED = RNG.permutation(len(Y))
SPARSE = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
MARKED = np.where(np.isnan(SPARSE), -999, SPARSE)
START = 3 * RNG.normal(size=len(Y))
DART = "ignore:[\\s\\S]*booster=dart. is deprecated:UserWarning"  # since 3.4


def ranker(estimator, *, measure=MEASURE, rounds=5, **params):
    return QueryRanker(
        estimator, measure=measure, early_stopping_rounds=rounds, **params
    )


def halved(estimator, **params):
    """Return a ranker that holds queries out of its training rows."""
    return ranker(estimator, validation_fraction=0.3, random_state=0, **params)


def watch(estimator, *, features=X, grades=Y, rounds=5, measure=MEASURE, **fit_params):
    """Fit on some queries and watch the others."""
    watched = {
        "eval_X": features[VALID],
        "eval_y": grades[VALID],
        "eval_qid": QID[VALID],
    }
    fitted = ranker(estimator, measure=measure, rounds=rounds)
    return fitted.fit(
        features[TRAIN], grades[TRAIN], QID[TRAIN], **{**watched, **fit_params}
    )


def values_of(fitted):
    return fitted.evals_result_["valid_0"][str(fitted.measure_)]


def value_of(fitted, features=X, grades=Y, rows=VALID, **params):
    """Return the measure of the predictions for some rows."""
    scores = fitted.predict(features[rows])
    return fitted.measure_(grades[rows], scores, qid=QID[rows], **params)


def name_of(given):
    return getattr(given, "__name__", str(given))


# --- the value of predict -------------------------------------------------------------------------

OPTIONS = [
    (lgbm, {}),
    (lgbm, {"boosting_type": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}),
    (lgbm, {"linear_tree": True}),
    (lgbm, {"zero_as_missing": True}),
    (lgbm, {"use_missing": False}),
    (lgbm, {"num_iterations": 10}),
    (lgbm, {"start_iteration_predict": 3}),
    (lgbm, {"num_iteration_predict": 3}),
    (lgbm, {"predict_raw_score": True}),
    (lgbm, {"objective": "rank_xendcg"}),
    (xgb, {}),
    (xgb, {"num_parallel_tree": 3, "subsample": 0.5}),
    (xgb, {"tree_method": "exact"}),
    (xgb, {"base_score": 3.0}),
    (xgb, {"objective": "rank:pairwise"}),
    (xgb, {"missing": -999}),
    (xgb, {"booster": "dart"}),  # which drops nothing here
    (cat, {}),
    (cat, {"metric_period": 5}),
    (cat, {"boosting_type": "Ordered"}),
    (cat, {"model_shrink_rate": 0.1}),
    (cat, {"posterior_sampling": True}),
    (cat, {"nan_mode": "Max"}),
]


@pytest.mark.filterwarnings(
    "ignore:Found .num_iterations. in params"
)  # of older LightGBM
@pytest.mark.filterwarnings(DART)
@pytest.mark.parametrize(("make", "params"), OPTIONS, ids=name_of)
def test_the_value_of_predict_is_the_best_recorded_one(make, params):
    rounds = (5, None)[OPTIONS.index((make, params)) % 2]
    features = MARKED if "missing" in params else SPARSE
    fitted = watch(make(**params), features=features, rounds=rounds)
    seen = values_of(fitted)
    exact = value_of(fitted, features)
    assert exact == pytest.approx(max(seen) if rounds else seen[-1], abs=1e-12)
    assert len(set(seen)) > 1
    assert hasattr(fitted, "best_iteration_") == bool(rounds)


BLEND = Blend({eGAP(g=(0.1, 0.2, 0.3, 0.4)): 0.5, nDCG(k=10): 0.5})


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_unjudged_documents_are_treated_by_the_measure_s_rule(make):
    some = np.where(np.arange(len(Y)) % 3, Y, np.nan)
    for rule in ("nonrelevant", "condense"):
        chosen = xGAP(max_grade=4, unjudged=rule)
        fitted = watch(make(), measure=chosen, eval_y=some[VALID])
        assert value_of(fitted, grades=some) == pytest.approx(
            max(values_of(fitted)), abs=1e-12
        )


@pytest.mark.parametrize("make", BOOSTERS.values())
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_features_may_be_nested_lists_and_the_training_rows_be_watched(make):
    expected = halved(make()).fit(X, Y, QID).evals_result_
    found = halved(make()).fit(X.tolist(), Y.tolist(), QID.tolist()).evals_result_
    assert found["valid_0"] == expected["valid_0"]
    rows = {
        "eval_X": X[TRAIN].tolist(),
        "eval_y": Y[TRAIN].tolist(),
        "eval_qid": QID[TRAIN],
    }
    fitted = watch(make(), **rows)
    assert value_of(fitted, rows=TRAIN) == pytest.approx(
        max(values_of(fitted)), abs=1e-12
    )


@pytest.mark.parametrize("rounds", [5, None])
@pytest.mark.parametrize(
    ("library", "params"),
    [
        *((each, {}) for each in STARTS),
        ("lightgbm", {"kind": LGBMRegressor, "objective": "poisson"}),
    ],
)
def test_predict_takes_the_initial_scores_of_its_rows(library, params, rounds):
    model, start = halved(BOOSTERS[library](**params), rounds=rounds), STARTS[library]
    scores = {start: START[SHUFFLED]}
    fitted = model.fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], **scores)
    held_out = fitted.validation_queries_.contains(QID)
    scores = fitted.predict(X[held_out], **{start: START[held_out]})
    seen = values_of(fitted)
    exact = MEASURE(Y[held_out], scores, qid=QID[held_out])
    assert exact == pytest.approx(max(seen) if rounds else seen[-1], abs=1e-12)
    scores = fitted.predict(X[held_out], **{start: 0 * START[held_out]})
    without = MEASURE(Y[held_out], scores, qid=QID[held_out])
    assert exact != pytest.approx(without, abs=0.01)


OBJECTIVES = [
    *(
        (lgbm, LGBMRegressor, each)
        for each in ("regression", "poisson", "binary", "tweedie")
    ),
    *((xgb, "XGBRegressor", each) for each in ("reg:squarederror", "reg:logistic")),
    (xgb, "XGBRegressor", "count:poisson"),
]


@pytest.mark.parametrize(("make", "kind", "objective"), OBJECTIVES, ids=name_of)
def test_the_output_of_a_regressor_is_watched_and_not_its_margin(make, kind, objective):
    grades = 1 * (Y > 1) if objective in ("binary", "reg:logistic") else Y
    # With this rate, probabilities reach 1, where documents tie that have different margins.
    fitted = watch(
        make(kind=kind, objective=objective, learning_rate=5.0), grades=grades
    )
    exact = value_of(fitted, grades=grades)
    assert exact == pytest.approx(max(values_of(fitted)), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lgbm, None),
        (lgbm, LGBMRegressor),
        (xgb, None),
        (xgb, "XGBRegressor"),
        (cat, None),
    ],
)
def test_weights_weigh_the_validation_queries(make, kind):
    weight = np.where(QID % 2, 4.0, 1.0)[VALID]
    fitted = watch(make(**({"kind": kind} if kind else {})), eval_sample_weight=weight)
    seen = max(values_of(fitted))
    assert value_of(fitted, sample_weight=weight) == pytest.approx(seen, abs=1e-12)
    assert value_of(fitted) != pytest.approx(seen, abs=1e-6)


def test_categories_that_were_not_seen_in_training():
    columns = X.copy()
    columns[TRAIN, 0], columns[VALID, 0] = (
        RNG.integers(0, 9, 800),
        RNG.integers(0, 20, 400),
    )
    fitted = watch(lgbm(), features=columns, categorical_feature=[0])
    assert value_of(fitted, columns) == pytest.approx(max(values_of(fitted)), abs=1e-12)


# --- another prediction than was watched ----------------------------------------------------------


class Noisy(TransformerMixin, BaseEstimator):
    """Gives other features for the same rows."""

    def fit(self, X, y=None):
        self.rng_ = np.random.default_rng(0)
        return self

    def transform(self, X):
        return X + self.rng_.normal(size=X.shape)


class Rounded(LGBMRanker):
    def predict(self, X, **params):
        return np.round(super().predict(X, **params), 1)


class Nudged(LGBMRanker):
    """Moves documents of equal scores apart: by as little as rounding does, unless told."""

    nudge = 1e-12
    n_rows = None

    def predict(self, X, **params):
        scores = super().predict(X, **params)
        nudged = scores[: self.n_rows]
        nudged += np.random.default_rng(0).uniform(0, self.nudge, len(nudged))
        return scores


class Pushed(Nudged):
    nudge = 1e-3


class FirstTrees(Nudged):
    """More changes than the nudge in one query can explain."""

    n_rows = 1

    def predict(self, X, **params):
        return super().predict(X, **{**params, "num_iteration": 1})


@pytest.mark.parametrize("rounds", [5, None])
@pytest.mark.parametrize("kind", [FirstTrees, Rounded, Pushed, Noisy])
def test_a_prediction_that_was_not_watched_is_an_error(kind, rounds):
    few = {"num_leaves": 2, "n_estimators": 10}  # so that scores are equal
    model = make_pipeline(Noisy(), lgbm()) if kind is Noisy else lgbm(kind, **few)
    name = "LGBMRanker" if kind is Noisy else kind.__name__
    with pytest.raises(
        ValueError, match=rf"^nDCG@10 on the .* is .* by predict of {name}: "
    ):
        watch(model, rounds=rounds)


def test_the_last_digits_of_scores_do_not_matter():
    """A library may sum trees in another order when it predicts."""
    fitted = watch(lgbm(Nudged, num_leaves=2))
    assert value_of(fitted) != max(values_of(fitted)) == fitted.best_score_


def test_scores_that_lightgbm_would_not_sum_to_the_end_are_refused():
    given = {
        "pred_early_stop": True,
        "pred_early_stop_freq": 1,
        "pred_early_stop_margin": 0.01,
    }
    with pytest.raises(
        ValueError, match=r"another model was watched than the one that predicts"
    ):
        watch(lgbm(**given))


@pytest.mark.filterwarnings(DART)
@pytest.mark.filterwarnings("ignore:.*gblinear. is deprecated:UserWarning")  # since 3.4
@pytest.mark.parametrize(
    "params",  # DART's best iteration must not be its last, after which no tree is dropped
    [
        {"booster": "dart", "rate_drop": 0.5, "n_estimators": 40},
        {"booster": "gblinear"},
    ],
)
def test_xgboosts_other_boosters_are_recorded_and_not_stopped(params):
    params |= {} if params["booster"] == "dart" else {"max_depth": None}
    with pytest.raises(ValueError, match=r"^early_stopping_rounds must be None with"):
        watch(xgb(**params))
    fitted = watch(xgb(**params), rounds=None)
    assert value_of(fitted) == pytest.approx(values_of(fitted)[-1], abs=1e-12)


def test_boosting_of_lightgbm_that_cannot_stop_is_refused():
    dart = lgbm(boosting_type="dart", n_estimators=10)
    with pytest.raises(ValueError, match=r"^early_stopping_rounds must be None where"):
        watch(dart)
    fitted = watch(dart, rounds=None)
    assert not hasattr(fitted, "best_iteration_")
    assert len(values_of(fitted)) == 10


# --- callbacks, metrics and stopping of the booster's own -----------------------------------------


def fit_with_own_stopping(library, rounds):
    if library == "lightgbm":
        return watch(
            lgbm(), rounds=rounds, callbacks=[lgb.early_stopping(2, verbose=False)]
        )
    xgboost = pytest.importorskip("xgboost")
    stop = xgboost.callback.EarlyStopping(
        rounds=2, metric_name="nDCG@10", data_name="valid_0", maximize=True
    )
    return watch(xgb(callbacks=[stop]), rounds=rounds)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_one_callback_stops_a_training_and_may_be_the_users(library):
    with pytest.raises(
        ValueError, match=r"^Only one callback may stop the training early"
    ):
        fit_with_own_stopping(library, rounds=5)
    if library == "xgboost":
        pytest.importorskip(
            "xgboost", minversion="3.2"
        )  # else they are called in any order
    fitted = fit_with_own_stopping(library, rounds=None)
    assert value_of(fitted) == pytest.approx(max(values_of(fitted)), abs=1e-12)
    assert len(values_of(fitted)) < N_TREES


def test_a_callback_of_ours_may_stop_by_another_rule():
    stop = early_stopping("nDCG@10", 3, min_delta=0.05)
    fitted = watch(lgbm(), rounds=None, callbacks=[stop])
    assert value_of(fitted) in values_of(fitted)
    assert len(values_of(fitted)) < N_TREES


def test_catboost_may_keep_more_trees_than_the_best():
    fitted = watch(cat(best_model_min_trees=20))
    exact = value_of(fitted)
    assert exact == pytest.approx(
        values_of(fitted)[fitted.best_iteration_ - 1], abs=1e-12
    )


@pytest.mark.parametrize(
    ("make", "own", "recorded"),
    [
        (lgbm, {"metric": "ndcg"}, ["ndcg@3"]),
        (xgb, {"eval_metric": "ndcg@5"}, ["ndcg@5"]),
        (xgb, {"eval_metric": ["ndcg@3", "ndcg@5"]}, ["ndcg@3", "ndcg@5"]),
        (
            cat,
            {"custom_metric": ["MAP:top=5"]},
            ["MAP", "NDCG"],
        ),  # the latter in any case
        (cat, {"custom_metric": ("MAP:top=5",)}, ["MAP", "NDCG"]),
    ],
)
def test_metrics_of_the_booster_are_recorded_beside_the_measure_and_not_watched(
    make, own, recorded
):
    others = (
        {} if make is cat else {"eval_metric": {"AP": "AP"}}
    )  # CatBoost takes one function
    options = {"eval_at": [3]} if make is lgbm else {}
    alone, fitted = halved(make()).fit(X, Y, QID), halved(make(**own))
    fitted.fit(X, Y, QID, **others, **options)
    assert list(fitted.evals_result_) == ["valid_0"]
    seen = fitted.evals_result_["valid_0"]
    names = {name.partition(":")[0] for name in seen}
    assert names == {"nDCG@10", *recorded, *others.get("eval_metric", ())}
    assert fitted.best_iteration_ == alone.best_iteration_
    assert np.array_equal(fitted.predict(X), alone.predict(X))
    if make is not cat:
        assert list(alone.evals_result_["valid_0"]) == ["nDCG@10"]
        assert len({len(each) for each in seen.values()}) == 1
        out = fitted.validation_queries_.contains(QID)
        exact = measure("AP")(Y[out], fitted.predict(X[out]), qid=QID[out])
        assert seen["AP"][fitted.best_iteration_ - 1] == pytest.approx(exact, abs=1e-12)


def test_metrics_and_callbacks_of_the_user_are_called_by_lightgbm():
    def flat(y_true, y_pred):
        return "flat", 0.5, True

    metrics, recorded = [eval_metric("nDCG@3", "AP"), eval_metric("nDCG@3"), flat], {}
    model = halved(lgbm(n_estimators=4), measure="AP")
    model.fit(
        X, Y, QID, eval_metric=metrics, callbacks=[lgb.record_evaluation(recorded)]
    )
    for seen in (model.evals_result_["valid_0"], recorded["valid_0"]):
        # A measure among the metrics is recorded once.
        assert {name: len(values) for name, values in seen.items()} == {
            "AP": 4,
            "nDCG@3": 4,
            "flat": 4,
        }


@pytest.mark.parametrize(
    ("make", "own"), [(lgbm, {"metric": "ndcg"}), (xgb, {"eval_metric": "ndcg@5"})]
)
def test_own_metrics_of_a_booster_weigh_the_validation_queries(make, own):
    weight = np.where(QID % 2, 4.0, 1.0)
    model, given = make(**own), {"sample_weight": weight[TRAIN], "rounds": None}
    plain, weighted = (
        watch(model, **given, eval_sample_weight=each[VALID]).evals_result_["valid_0"][
            "ndcg@5"
        ]
        for each in (np.ones(len(Y)), weight)
    )
    assert len(plain) == len(weighted) == N_TREES
    assert plain != weighted


def test_callbacks_of_xgbranker_are_kept_and_ours_is_not():
    pytest.importorskip("xgboost")
    from skgraded.xgboost import evaluation

    booster = xgb(n_estimators=3)
    fitted = halved(booster).fit(X, Y, QID)
    assert booster.callbacks is fitted.estimator_.callbacks is None
    own = evaluation("AP", X=X[TRAIN], y=Y[TRAIN], qid=QID[TRAIN], name="own")
    fitted = halved(xgb(n_estimators=3, callbacks=[own]), rounds=None).fit(X, Y, QID)
    assert set(fitted.evals_result_) == {
        "own",
        "valid_0",
    }  # XGBoost 2.1 calls back in any order
    assert not hasattr(fitted, "best_iteration_")
    assert len(fitted.estimator_.callbacks) == 1


def test_the_measure_is_recorded_before_the_callbacks_of_xgbranker():
    xgboost = pytest.importorskip(
        "xgboost", minversion="3.2"
    )  # else they are called in any order

    class Reader(xgboost.callback.TrainingCallback):
        """Reads the measure of the iteration, as pruning and stopping callbacks do."""

        def __init__(self):
            self.seen = []

        def after_iteration(self, model, epoch, evals_log):
            self.seen.append(
                len(evals_log.get("valid_0", {}).get("nDCG@10", [])) == epoch + 1
            )
            return False

    fitted = halved(xgb(n_estimators=3, callbacks=[Reader()]), rounds=None).fit(
        X, Y, QID
    )
    assert fitted.estimator_.callbacks[0].seen == [True] * 3


# --- rows that are held out -----------------------------------------------------------------------


def test_training_leaves_the_validation_queries_out():
    fitted = halved(lgbm()).fit(X, Y, QID)
    out = fitted.validation_queries_.contains(QID)
    assert len(fitted.validation_queries_) == 18
    assert len(values_of(fitted)) == fitted.best_iteration_ + 5 < N_TREES
    kept = lgbm(n_estimators=fitted.best_iteration_).fit(
        X[~out], Y[~out], group=[20] * 42
    )
    np.testing.assert_array_equal(fitted.predict(X), kept.predict(X))
    staged = lgbm().fit(X[~out], Y[~out], group=[20] * 42)
    scores = [
        staged.predict(X[out], num_iteration=i + 1)
        for i in range(len(values_of(fitted)))
    ]
    assert values_of(fitted) == [MEASURE(Y[out], each, qid=QID[out]) for each in scores]


def test_the_order_of_rows_changes_neither_the_queries_held_out_nor_the_values():
    # A regressor's trees do not depend on the order in queries, so neither may the values.
    model = halved(lgbm(objective="regression"))
    fitted, again = (
        clone(model).fit(X[o], Y[o], QID[o]) for o in (slice(None), SHUFFLED)
    )
    held_out = set(fitted.validation_queries_.hashes)
    assert set(again.validation_queries_.hashes) == held_out
    other = clone(model).set_params(random_state=1).fit(X, Y, QID)
    assert set(other.validation_queries_.hashes) != held_out
    best_first = np.lexsort((-Y, QID))
    again = clone(model).fit(X[best_first], Y[best_first], QID[best_first])
    np.testing.assert_allclose(values_of(fitted), values_of(again), rtol=1e-12)


def test_validation_queries_pass_through_the_pipeline_and_carry_weights_and_scores():
    weight, start = np.linspace(0.5, 2, len(Y)), X[:, 0]
    fitted = halved(make_pipeline(StandardScaler(), lgbm())).fit(
        X, Y, QID, weight, init_score=start
    )
    out = fitted.validation_queries_.contains(QID)
    scaler, booster = fitted.estimator_
    np.testing.assert_allclose(scaler.mean_, X[~out].mean(axis=0))
    scores = start[out] + booster.predict(
        scaler.transform(X[out]), num_iteration=fitted.best_iteration_
    )
    expected = MEASURE(Y[out], scores, qid=QID[out], sample_weight=weight[out])
    assert values_of(fitted)[fitted.best_iteration_ - 1] == pytest.approx(
        expected, rel=1e-12
    )


# --- rows that are given --------------------------------------------------------------------------


def test_every_carrier_and_any_order_of_rows_stop_at_the_same_iteration():
    pd = pytest.importorskip("pandas")
    expected = watch(lgbm())
    x, y, qid = X[VALID], Y[VALID], QID[VALID]
    frame = pd.DataFrame(X).add_prefix("x")
    order = np.random.default_rng(0).permutation(len(y))
    no_ids = {"eval_qid": None}
    for features, given in [
        (X, {"eval_y": query_target(y, qid), **no_ids}),
        (X, {"eval_y": pd.Series(y, index=pd.Index(qid, name="qid")), **no_ids}),
        (frame, {"eval_X": frame[VALID].assign(qid=qid), **no_ids}),
        (X, {"eval_X": x[order], "eval_y": y[order], "eval_qid": qid[order]}),
    ]:
        fitted = watch(lgbm(), features=features, **given)
        assert fitted.best_iteration_ == expected.best_iteration_
        np.testing.assert_allclose(values_of(fitted), values_of(expected), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:X (does not have|has) .*feature names:UserWarning")
def test_xgboost_wants_a_frame_to_watch_where_it_trains_on_one():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).add_prefix("f")
    with pytest.raises(ValueError, match=r"feature|Feature|fields"):
        watch(xgb(n_estimators=2), features=frame, eval_X=X[VALID])
    watched = watch(xgb(n_estimators=2), eval_X=frame[VALID])
    assert watched.evals_result_ == watch(xgb(n_estimators=2)).evals_result_


@pytest.mark.parametrize("measure", [Fallout(k=5), BLEND])
@pytest.mark.parametrize("library", CONTINUES)
def test_continued_training_counts_all_iterations_and_draws_the_new_ones(
    library, measure
):
    make, name = BOOSTERS[library], CONTINUES[library]
    plt = pytest.importorskip("matplotlib.pyplot")
    first = QueryRanker(make(n_estimators=20), measure=measure).fit(
        X[TRAIN], Y[TRAIN], QID[TRAIN]
    )
    fitted = watch(make(), measure=measure, **{name: first})
    seen = values_of(fitted)
    best = int((np.argmax if measure.greater_is_better else np.argmin)(seen))
    assert fitted.best_iteration_ == 20 + 1 + best
    assert fitted.validation_queries_.contains(QID[VALID]).all()
    assert fitted.training_queries_.contains(QID).tolist() == (QID < 40).tolist()
    assert value_of(fitted) == pytest.approx(seen[best], rel=1e-6)
    assert fitted.best_score_ == seen[best]
    display = TrainingDisplay.from_estimator(fitted, measure=measure)
    assert display.best_.get_xdata()[0] == 1 + best
    assert display.best_.get_ydata()[0] == seen[best]
    plt.close(display.figure_)


def test_queries_on_both_sides_warn():
    most = np.arange(len(Y)) % 3 > 0
    given = {"eval_X": X[~most], "eval_y": Y[~most], "eval_qid": QID[~most]}
    with pytest.warns(QueryLeakWarning):
        ranker(lgbm()).fit(X[most], Y[most], QID[most], **given)
    with pytest.warns(
        QueryLeakWarning, match="The ranker was trained on 60 of the 60 queries"
    ):
        ranker(lgbm()).fit(X, Y, QID, eval_X=X, eval_y=Y, eval_qid=QID)


# --- searches and pipelines -----------------------------------------------------------------------


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_searches_pipelines_and_validation_fractions_say_nothing(make):
    own = {"custom_metric": ["MAP:top=5"], "monotone_constraints": (0,) * X.shape[1]}
    model = halved(
        make_pipeline(StandardScaler(), make(**(own if make is cat else {})))
    )
    search = GridSearchCV(model, {"early_stopping_rounds": [2, None]}, cv=QueryKFold(2))
    search.fit(X, query_target(Y, QID), sample_weight=QID + 1.0)
    assert 0 < search.best_score_ < 1
    assert clone(search.best_estimator_).fit(X, Y, QID).evals_result_


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_hands_the_validation_queries_on(routing):
    search = GridSearchCV(
        ranker(lgbm()), {"estimator__num_leaves": [3, 7]}, cv=QueryKFold(2)
    )
    x, y, qid = X[TRAIN], Y[TRAIN], QID[TRAIN]
    given = {"eval_X": X[VALID], "eval_y": Y[VALID], "eval_qid": QID[VALID]}
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            search.fit(x, y, qid=qid, **given)
        else:
            search.fit(x, query_target(y, qid), **given)
    validation = search.best_estimator_.validation_queries_
    assert len(validation) == 20
    assert validation.contains(QID[VALID]).all()


def outer(*before, **params):
    """A Pipeline around the ranker."""
    return make_pipeline(*(before or (StandardScaler(),)), ranker(lgbm()), **params)


def given_to(name="queryranker", features=X):
    rows = {"eval_X": features[VALID], "eval_y": query_target(Y[VALID], QID[VALID])}
    return {f"{name}__{key}": value for key, value in rows.items()}


def test_validation_rows_that_nothing_transforms_or_that_are_transformed_do_not_warn():
    x, y = X[TRAIN], query_target(Y[TRAIN], QID[TRAIN])
    outer("passthrough").fit(x, y, **given_to())
    outer(PCA(3)).fit(x, y, **given_to(features=PCA(3).fit(x).transform(X)))
    watch(make_pipeline(StandardScaler(), lgbm()))
    selecting = outer(
        SelectFromModel(ranker(lgbm()), threshold=-np.inf), StandardScaler()
    )
    selecting.set_params(queryranker__early_stopping_rounds=None)
    selecting.fit(x, y, **given_to("selectfrommodel"))


@pytest.mark.skipif(
    "transform_input" not in signature(make_pipeline).parameters,
    reason="scikit-learn < 1.6",
)
def test_a_pipeline_that_is_told_transforms_the_validation_rows():
    moved = 50 * X + 9
    expected = watch(
        lgbm(), features=StandardScaler().fit(moved[TRAIN]).transform(moved)
    )
    rows = {"eval_X": moved[VALID], "eval_y": Y[VALID], "eval_qid": QID[VALID]}
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = outer(transform_input=["eval_X"])
        fitted = pipeline.fit(moved[TRAIN], Y[TRAIN], qid=QID[TRAIN], **rows)
    assert fitted[-1].evals_result_ == expected.evals_result_


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_every_booster_says_which_features_matter(make):
    fitted = watch(make())
    assert fitted.feature_importances_.shape == (X.shape[1],)
    assert np.isfinite(fitted.feature_importances_).all()
    selected = SelectFromModel(fitted, prefit=True, max_features=3, threshold=-np.inf)
    assert selected.transform(X).shape == (len(X), 3)
    if make is lgbm:
        assert fitted.booster_ is fitted.estimator_.booster_


# --- measures that a booster calls itself ---------------------------------------------------------


def test_a_measure_that_a_booster_calls_itself_is_refused_by_the_name_of_the_adapter():
    xgboost, catboost = pytest.importorskip("xgboost"), pytest.importorskip("catboost")
    ours, rows = MEASURE, {"eval_set": [(X, Y)], "verbose": False}
    data, train = xgboost.DMatrix(X, Y, qid=QID), xgboost.train
    near, quiet = lgb.Dataset(X, Y, group=[20] * 60), {"verbose": -1, "num_threads": 1}
    uses = {
        "xgboost.evaluation": [
            lambda: xgb(eval_metric=ours).fit(X, Y, qid=QID, eval_qid=[QID], **rows),
            lambda: xgb("XGBRegressor", eval_metric=ours).fit(X, Y, **rows),
            lambda: xgb("XGBRegressor", objective=ours).fit(X, Y),
            lambda: halved(xgb(eval_metric=ours)).fit(X, Y, QID),
        ],
        "xgboost.eval_metric": [
            lambda: train({}, data, 2, evals=[(data, "a")], custom_metric=ours)
        ],
        "xgboost.objective": [lambda: train({}, data, 2, obj=ours)],
        "lightgbm.eval_metric": [lambda: lgb.train(quiet, near, 2, [near], feval=ours)],
        "lightgbm.objective": [
            lambda: lgb.train({**quiet, "objective": ours}, near, 2)
        ],
    }
    # Older ones print the sentence and raise an error of their own.
    if tuple(map(int, catboost.__version__.split(".")[:3])) >= (1, 2, 7):
        uses["catboost.eval_metric"] = [
            lambda: cat(eval_metric=ours).fit(X, Y, group_id=QID),
            lambda: catboost.CatBoostRegressor(loss_function=ours).fit(X, Y),
        ]
    for adapter, calls in uses.items():
        for call in calls:
            with pytest.raises(
                TypeError, match=rf"^A measure must .* itself.*skgraded\.{adapter}"
            ):
                call()
