"""Validation sets of one's own, and improvements that are too small to count."""

import lightgbm
import numpy as np
import pytest
from boosters import BOOSTERS, cat, lgbm, xgb
from lightgbm import LGBMRegressor
from sklearn.linear_model import Ridge

from skgraded import QueryRanker
from skgraded.datasets import make_ranking
from skgraded.measures import Fallout, P
from skgraded.model_selection._rows import Validation, Watched, best_entry

X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
TRAIN, VALID = slice(0, 800), slice(800, None)
ROWS = {"eval_X": X[VALID], "eval_y": Y[VALID], "eval_qid": QID[VALID]}
DELTAS = [0.0, 0.002, 0.01, 0.05]


def fit(estimator, measure="nDCG@10", given=ROWS, **params):
    ranker = QueryRanker(estimator, measure=measure, **params)
    return ranker.fit(X[TRAIN], Y[TRAIN], QID[TRAIN], **given)


# --- the least improvement ------------------------------------------------------------------------


def stops_at(values, rounds, min_delta, *, greater=True):
    """Return the best iteration and the last one, by a loop."""
    best = 0
    for now, value in enumerate(values):
        gain = value - values[best] if greater else values[best] - value
        if now and gain > min_delta:
            best = now
        if now - best >= rounds:
            return best, now
    return best, len(values) - 1


@pytest.mark.parametrize("min_delta", DELTAS)
@pytest.mark.parametrize("make", [lgbm, xgb])
@pytest.mark.parametrize("measure", ["nDCG@10", Fallout(rel=2, k=5)])
def test_a_training_stops_by_the_least_improvement(make, measure, min_delta):
    name = str(measure)
    is_greater = measure == "nDCG@10"
    whole = fit(make(n_estimators=60), measure).evals_result_["valid_0"][name]
    stops = {"early_stopping_rounds": 5, "min_delta": min_delta}
    ranker = fit(make(n_estimators=60), measure, **stops)
    best, last = stops_at(whole, 5, min_delta, greater=is_greater)
    assert ranker.best_iteration_ == best + 1
    assert ranker.evals_result_["valid_0"][name] == whole[: last + 1]
    assert ranker.best_score_ == whole[best]


def test_it_is_the_rule_of_lightgbm():
    params = {
        "objective": "lambdarank",
        "num_leaves": 7,
        "num_threads": 1,
        "verbose": -1,
    }
    found = fit(lgbm(n_estimators=60), early_stopping_rounds=5, min_delta=0.01)
    data = lightgbm.Dataset(X[TRAIN], Y[TRAIN], group=[20] * 40)
    valid = lightgbm.Dataset(X[VALID], Y[VALID], group=[20] * 20, reference=data)

    def metric(scores, _):
        return "own", found.measure_(Y[VALID], scores, qid=QID[VALID]), True

    stop = lightgbm.early_stopping(5, min_delta=0.01, verbose=False)
    params["metric"] = "None"
    booster = lightgbm.train(
        params, data, 60, valid_sets=[valid], feval=metric, callbacks=[stop]
    )
    assert booster.best_iteration == found.best_iteration_


@pytest.mark.parametrize("make", [lgbm, xgb])
@pytest.mark.parametrize("min_delta", np.arange(1, 6) / 50)
def test_steps_as_large_as_the_least_improvement_do_not_break_a_fit(make, min_delta):
    """Values are multiples of 1/50, whose sums and differences are rounded."""
    valid = slice(800, 1000)
    given = {"eval_X": X[valid], "eval_y": Y[valid], "eval_qid": QID[valid]}
    stops = {"early_stopping_rounds": 8, "min_delta": float(min_delta)}
    ranker = fit(
        make(n_estimators=60, learning_rate=1.0), P(rel=1, k=5), given, **stops
    )
    seen = ranker.evals_result_["valid_0"][str(ranker.measure_)]
    assert ranker.best_score_ == seen[ranker.best_iteration_ - 1]


@pytest.mark.parametrize("make", [lgbm, xgb])
def test_a_refit_trains_the_iterations_of_that_rule(make):
    stops = {"validation_fraction": 0.3, "early_stopping_rounds": 5, "random_state": 0}
    ranker = fit(make(n_estimators=60), given={}, min_delta=0.02, refit=True, **stops)
    assert ranker.n_iterations_ == ranker.best_iteration_
    begun = fit(make(n_estimators=3), given={})
    name = {lgbm: "init_model", xgb: "xgb_model"}[make]
    again = fit(
        make(n_estimators=60), given={name: begun}, min_delta=0.02, refit=True, **stops
    )
    assert again.n_iterations_ == again.best_iteration_ - 3


def test_the_best_entry_is_the_first_of_equal_ones():
    def entry(values, measure, min_delta=0.0):
        watched = Watched({"valid_0": {"m": values}}, None, "best")
        return best_entry(watched, Validation(None, (("m", measure),), 5, min_delta))

    more, less = P(rel=1, k=5), Fallout(rel=2, k=5)
    assert entry([1, 3, 2, 3], more) == 1
    assert entry([3, 1, 2, 1], less) == 1
    assert entry([1, 1.5, 1.9, 2.5], more, 0.75) == 2
    assert entry([4, 3.5, 3.1, 2.5], less, 0.75) == 2


@pytest.mark.parametrize(
    ("make", "params", "words"),
    [
        (lgbm, {"min_delta": -1}, "min_delta must be a finite number >= 0"),
        (lgbm, {"min_delta": 0.1}, "min_delta needs early_stopping_rounds"),
        (
            cat,
            {"min_delta": 0.1, "early_stopping_rounds": 5},
            "min_delta must be 0 for CatBoostRanker",
        ),
    ],
)
def test_a_least_improvement_that_nothing_looks_at_is_refused(make, params, words):
    with pytest.raises(ValueError, match=words):
        fit(make(), **params)


@pytest.mark.parametrize("min_delta", DELTAS)
def test_the_callback_of_xgboost_takes_it(min_delta):
    pytest.importorskip("xgboost")
    from skgraded.xgboost import evaluation

    rows = {"X": X[VALID], "y": Y[VALID], "qid": QID[VALID]}
    watch = evaluation("nDCG@10", rounds=5, min_delta=min_delta, **rows)
    model = xgb(n_estimators=60, callbacks=[watch])
    model.fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], verbose=False)
    seen = model.evals_result()["validation"]["nDCG@10"]
    best, last = stops_at(seen, 5, min_delta)
    assert (model.best_iteration, len(seen)) == (best, last + 1)
    with pytest.raises(ValueError, match="min_delta needs rounds"):
        evaluation("nDCG@10", min_delta=0.1, **rows)
    with pytest.raises(ValueError, match="min_delta must be a finite number >= 0"):
        evaluation("nDCG@10", min_delta=-0.1, rounds=3, **rows)


# --- validation sets as the libraries take them ---------------------------------------------------

SET = (X[VALID], Y[VALID])
WRITE = "eval_X=, eval_y= and eval_qid="


@pytest.mark.parametrize("make", [lgbm, xgb])
@pytest.mark.parametrize("sets", [[SET], [SET, SET]])
def test_eval_set_is_answered_with_what_to_write(make, sets):
    with pytest.raises(ValueError, match=f"eval_set is the library's name: .*{WRITE}"):
        fit(make(), given={"eval_set": sets})


@pytest.mark.parametrize("make", [*BOOSTERS.values(), lambda: lgbm(LGBMRegressor)])
def test_eval_set_does_not_stop_a_ranker(make):
    with pytest.raises(ValueError, match=r"early_stopping_rounds needs .* or eval_X"):
        fit(make(), given={"eval_set": [SET]}, early_stopping_rounds=5)


@pytest.mark.parametrize("sets", [(X, X), [X[:20], X[20:40]]])
def test_several_sets_are_refused_with_the_way(sets):
    given = {**ROWS, "eval_X": sets}
    with pytest.raises(
        ValueError, match=r"one data set, got a .* of 2: .* Append them"
    ):
        fit(lgbm(), given=given)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_a_library_s_own_metrics_may_watch_a_set_of_its_own():
    given = {"eval_set": [SET], "eval_group": [[20] * 20]}
    ranker = fit(lgbm(), given=given)
    assert list(ranker.estimator_.evals_result_) == ["valid_0"]
    assert np.array_equal(ranker.predict(X), fit(lgbm(), given={}).predict(X))


def test_other_estimators_say_what_they_know():
    with pytest.raises(TypeError, match="eval_set"):
        fit(Ridge(), given={"eval_set": [SET]})
