"""Names under which boosters report measures: as strings of measures, or as users choose them."""

from importlib import import_module

import lightgbm
import numpy as np
import pytest
from boosters import BOOSTERS, cat, lgbm, xgb

from skgraded import AP, QueryRanker, nDCG, xGAP
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.exceptions import GradeScaleWarning
from skgraded.lightgbm import early_stopping, eval_metric

NAMED = {"xgap": xGAP(max_grade=4), "ndcg_10": "nDCG@10"}
SPECS = ["xGAP(max_grade=4)", "nDCG@10"]
PARAMS = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
X, Y, QID = make_ranking(n_queries=60, docs_per_query=10, random_state=0)
TRAIN, VALID = slice(0, 400), slice(400, None)


def data_set(rows=slice(None), **given):
    return lightgbm.Dataset(
        X[rows], Y[rows], group=[10] * (len(X[rows]) // 10), **given
    )


def matrix(rows):
    return pytest.importorskip("xgboost").DMatrix(X[rows], Y[rows], qid=QID[rows])


def of(library, name):
    pytest.importorskip(library)
    return getattr(import_module(f"skgraded.{library}"), name)


def test_a_metric_shows_the_names_and_warns_of_inferred_grades():
    assert repr(eval_metric({"a": "AP"}, "P@3")) == "eval_metric({'a': 'AP'}, 'P@3')"
    with pytest.warns(
        GradeScaleWarning, match="eval_metric got xGAP without max_grade"
    ):
        eval_metric({"a": "xGAP"})


# --- what the libraries report --------------------------------------------------------------------


def train_lightgbm(feval, callbacks=(), n_rounds=8, **params):
    history, train = {}, data_set(TRAIN)
    booster = lightgbm.train(
        {**PARAMS, **params},
        train,
        n_rounds,
        valid_sets=[data_set(VALID, reference=train)],
        feval=feval,
        callbacks=[*callbacks, lightgbm.record_evaluation(history)],
    )
    return booster, history.get("valid_0")


def by_lightgbm(*measures):
    return train_lightgbm(eval_metric(*measures))[1]


def train_xgboost(name="v", **given):
    xgboost, history = pytest.importorskip("xgboost"), {}
    params = {"objective": "rank:ndcg", "nthread": 1, **given.pop("params", {})}
    given |= {
        "evals": [(matrix(VALID), name)],
        "evals_result": history,
        "verbose_eval": False,
    }
    xgboost.train(params, matrix(TRAIN), 6, **given)
    return history[name]


def by_xgboost(*measures):
    silent = {"disable_default_eval_metric": True}
    return train_xgboost(
        params=silent, custom_metric=of("xgboost", "eval_metric")(*measures)
    )


def by_evaluation(*measures):
    rows = {"X": X[VALID], "y": Y[VALID], "qid": QID[VALID]}
    watch = of("xgboost", "evaluation")(*measures, **rows, rounds=2)
    ranker = xgb(n_estimators=60, callbacks=[watch])
    ranker.fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], verbose=False)
    seen = ranker.evals_result()["validation"]
    assert (
        len(next(iter(seen.values()))) == ranker.best_iteration + 3 < 60
    )  # the first stops
    return seen


@pytest.mark.parametrize("report", [by_lightgbm, by_xgboost, by_evaluation])
def test_values_under_names_are_those_of_the_strings(report):
    by_name, by_string = report(NAMED), report(*SPECS)
    assert list(by_name) == list(NAMED)
    assert list(by_string) == SPECS
    assert list(by_name.values()) == list(by_string.values())


def test_catboost_reports_one_measure():
    sets = [(Y[rows], QID[rows]) for rows in (TRAIN, VALID)]
    metric = of("catboost", "eval_metric")({"ndcg_10": "nDCG@10"}, *sets)
    ranker, watched = cat(n_estimators=4, eval_metric=metric), (X[VALID], Y[VALID])
    pool = import_module("catboost").Pool(*watched, group_id=QID[VALID])
    ranker.fit(X[TRAIN], Y[TRAIN], group_id=QID[TRAIN], eval_set=pool)
    assert "ndcg_10" in ranker.get_evals_result()["validation"]
    with pytest.raises(ValueError, match="one measure for CatBoost, got xgap, ndcg_10"):
        of("catboost", "eval_metric")(NAMED, ([0, 1], [0, 0]))


def test_losses_have_the_name_too():
    assert list(train_lightgbm(eval_metric({"a": "AP"}, as_loss=True))[1]) == ["neg_a"]


# --- QueryRanker ----------------------------------------------------------------------------------


def ranker(estimator, measure="AP", **params):
    return QueryRanker(
        estimator, measure=measure, validation_fraction=0.3, random_state=0, **params
    )


def recorded(fitted):
    return fitted.evals_result_["valid_0"]


@pytest.mark.parametrize("make", [lgbm, xgb])
def test_the_names_are_those_of_the_results(make):
    model = ranker(make(), "xGAP")
    plain = recorded(model.fit(X, Y, QID))
    assert model.evaluated_measures_ == {"xGAP(max_grade=4)": xGAP(max_grade=4)}
    # An open measure is the ranker's own, once the top grade is known.
    found = recorded(
        model.fit(X, Y, QID, eval_metric={"ndcg": "nDCG@10", "xgap": "xGAP"})
    )
    assert list(found) == ["xgap", "ndcg"]
    assert found["xgap"] == plain["xGAP(max_grade=4)"]
    assert model.evaluated_measures_ == {"xgap": xGAP(max_grade=4), "ndcg": nDCG(k=10)}
    model.set_params(validation_fraction=None).fit(X, Y, QID)
    for name in ("evals_result_", "evaluated_measures_"):
        assert not hasattr(model, name)


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_its_own_measure_under_a_name(make):
    model = ranker(make(), AP(), early_stopping_rounds=2)
    found = recorded(model.fit(X, Y, QID, eval_metric={"map": "map"}))
    assert model.best_iteration_ >= 1
    assert "map" in found
    assert "AP" not in found


def test_a_validation_set_with_a_higher_grade():
    watched = {"eval_X": X[VALID], "eval_y": Y[VALID], "eval_qid": QID[VALID]}
    model = QueryRanker(lgbm(), measure="xGAP")
    low = np.minimum(Y, 2)[TRAIN]
    model.fit(
        X[TRAIN], low, QID[TRAIN], **watched, eval_metric={"own": "xGAP", "gap": "GAP"}
    )
    names = [str(each) for each in model.evaluated_measures_.values()]
    assert names == ["xGAP(max_grade=4)", "GAP(max_grade=4)"]


def test_a_metric_object_chooses_names_and_a_display_finds_the_measures():
    pytest.importorskip("matplotlib").use("Agg")
    model = ranker(lgbm(), early_stopping_rounds=3)
    found = recorded(
        model.fit(X, Y, QID, eval_metric=eval_metric({"a": "AP", "n": "nDCG@5"}))
    )
    assert list(found) == ["a", "n"]
    for measure, name in [(None, "a"), ("n", "n"), (nDCG(k=5), "n"), ("AP", "a")]:
        display = TrainingDisplay.from_estimator(model, measure=measure)
        assert display.measure == name
        assert display.values.tolist() == found[name]
        assert display.best_iteration == 1 + np.argmax(found["a"])


# --- names that a library reports itself: both values would be recorded as one --------------------


def test_early_stopping_of_lightgbm_by_a_name_that_it_reports():
    taken = {"auc": "nDCG@5"}
    given = eval_metric(taken), [early_stopping(taken, 5)]
    with pytest.raises(ValueError, match="itself reports a metric"):
        train_lightgbm(*given, metric="auc")
    assert train_lightgbm(*given)[0].best_iteration > 0


def test_the_callback_of_xgboost_by_a_name_that_it_reports():
    rows = {"X": X[VALID], "y": Y[VALID], "qid": QID[VALID]}
    watch = of("xgboost", "evaluation")({"rmse": "nDCG@5"}, name="v", **rows)
    given = {"params": {"eval_metric": "rmse"}, "callbacks": [watch]}
    with pytest.raises(ValueError, match="XGBoost itself reports a metric"):
        train_xgboost("v", **given)
    train_xgboost("other", **given)
    # XGBoost reports nothing without rows.
    import_module("xgboost").train(given["params"], matrix(TRAIN), 3, callbacks=[watch])


@pytest.mark.parametrize(
    ("make", "own", "taken"),
    [
        (lgbm, {"metric": "l2"}, "l2"),
        (lgbm, {"metric": ["ndcg", "l2"]}, "l2"),
        (xgb, {"eval_metric": "rmse"}, "rmse"),
        (xgb, {"eval_metric": ["ndcg@3", "rmse"]}, "rmse"),
        (cat, {"loss_function": "QueryRMSE"}, "QueryRMSE"),
        (cat, {"loss_function": "PairLogitPairwise"}, "PairLogit"),
        (cat, {"custom_metric": ["MRR"]}, "MRR"),
        (cat, {"custom_metric": "MRR"}, "MRR"),
    ],
)
def test_query_ranker_by_a_name_that_the_library_reports(make, own, taken):
    model = ranker(make(**own), "nDCG@5")
    with pytest.raises(
        ValueError, match=rf"^The name {taken!r} of nDCG@5 must be another one"
    ):
        model.fit(X, Y, QID, eval_metric={taken: "nDCG@5"})
    assert "other" in recorded(model.fit(X, Y, QID, eval_metric={"other": "nDCG@5"}))
