"""make_ranking_scorer and measures as scorers: what scikit-learn's tools score a ranker by."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    AP,
    QueryKFold,
    QueryRanker,
    eGAP,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import Fallout

pytest.importorskip("pandas")

X, Y, QID = make_ranking(n_queries=24, docs_per_query=10, random_state=0)
X = X[:, :4]
TARGET, SERIES = query_target(Y, QID), query_series(Y, QID)
WEIGHT = np.where(QID < 10, 3.0, 1.0)
MEASURE = xGAP(max_grade=4, k=5)
SCORER = make_ranking_scorer(MEASURE)
CV = QueryKFold(3)
ALPHAS = {"alpha": [1e-3, 1e4]}
RIDGE = Ridge().fit(X, Y)
SCORES = RIDGE.predict(X)
RANKER = QueryRanker(Ridge(), measure=MEASURE)


# --- values ---------------------------------------------------------------------------------------


def test_one_measure_gives_the_float_that_the_measure_gives():
    value = SCORER(RIDGE, X, Y, qid=QID)
    assert type(value) is float
    assert value == MEASURE(Y, SCORES, qid=QID)
    assert make_ranking_scorer("xGAP(max_grade=4)@5")(RIDGE, X, TARGET) == value
    weighted = SCORER(RIDGE, X, Y, qid=QID, sample_weight=WEIGHT)
    assert weighted == MEASURE(Y, SCORES, qid=QID, sample_weight=WEIGHT) != value


def test_several_measures_give_a_dict_by_string_or_key():
    by_string = make_ranking_scorer([MEASURE, "nDCG@5"])(RIDGE, X, Y, qid=QID)
    assert by_string == evaluate([MEASURE, "nDCG@5"], Y, SCORES, qid=QID).mean()
    named = make_ranking_scorer({"x": MEASURE, "n": nDCG(k=5), "again": "nDCG@5"})
    ndcg = by_string["nDCG@5"]
    expected = {"x": by_string[str(MEASURE)], "n": ndcg, "again": ndcg}
    assert named(RIDGE, X, Y, qid=QID) == expected
    assert list(make_ranking_scorer(["AP"])(RIDGE, X, Y, qid=QID)) == ["AP"]


def test_several_measures_cost_one_predict():
    class Counting:
        calls = 0

        def predict(self, X):
            self.calls += 1
            return SCORES

    counting = Counting()
    make_ranking_scorer([MEASURE, "nDCG@5", "AP"])(counting, X, Y, qid=QID)
    assert counting.calls == 1


def test_a_measure_of_which_less_is_better_changes_its_sign():
    less = Fallout(k=5)
    value = less(Y, SCORES, qid=QID)
    assert (
        less(RIDGE, X, SERIES) == make_ranking_scorer(less)(RIDGE, X, SERIES) == -value
    )


@pytest.mark.parametrize(
    ("measures", "shown"),
    [
        (nDCG(k=5), "make_ranking_scorer('nDCG@5')"),
        (["AP", "nDCG@5"], "make_ranking_scorer({'AP': 'AP', 'nDCG@5': 'nDCG@5'})"),
        ({"a": "AP"}, "make_ranking_scorer({'a': 'AP'})"),
    ],
)
def test_scorers_are_values(measures, shown):
    scorer = make_ranking_scorer(measures)
    assert repr(scorer) == shown
    for again in (eval(shown), pickle.loads(pickle.dumps(scorer))):
        assert again == scorer
        assert hash(again) == hash(scorer)
    assert scorer != make_ranking_scorer("nDCG@6")


def test_an_open_top_grade_warns_once_and_says_what_to_write():
    with pytest.warns(GradeScaleWarning) as caught:
        scorer = make_ranking_scorer(["xGAP@10", eGAP(), MEASURE, "nDCG"])
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "make_ranking_scorer got xGAP@10, eGAP without max_grade" in message
    assert "xGAP(max_grade=4, k=10)" in message
    scorer(RIDGE, X, Y, qid=QID)
    pickle.loads(pickle.dumps(scorer))
    with pytest.warns(GradeScaleWarning) as caught:
        cross_val_score(Ridge(), X, SERIES, cv=CV, scoring=xGAP(k=5))
    assert len(caught) == 1


# --- in scikit-learn's tools ----------------------------------------------------------------------


def test_ids_on_the_index_of_y_serve_estimators_that_know_nothing_of_queries():
    for scoring in (SCORER, MEASURE):
        off = cross_val_score(Ridge(), X, SERIES, cv=CV, scoring=scoring)
        with sklearn.config_context(enable_metadata_routing=True):
            on = cross_val_score(
                Ridge(), X, Y, cv=CV, scoring=scoring, params={"qid": QID}
            )
        np.testing.assert_array_equal(off, on)
        search = GridSearchCV(Ridge(), ALPHAS, cv=CV, scoring=scoring).fit(X, SERIES)
        assert search.score(X, SERIES) == SCORER(search, X, SERIES)


@pytest.mark.parametrize(("routing", "n_jobs"), [(False, 1), (True, 2)])
@pytest.mark.parametrize("separate", [False, True])
def test_a_search_refits_by_one_of_several_measures(routing, n_jobs, separate):
    measures = {"xgap": MEASURE, "ndcg": "nDCG@5"}
    scorers = {name: make_ranking_scorer(each) for name, each in measures.items()}
    search = GridSearchCV(
        QueryRanker(Ridge(), measure="AP"),
        {"estimator__alpha": [0.1, 1000]},
        scoring=scorers if separate else make_ranking_scorer(measures),
        refit="xgap",
        cv=CV,
        n_jobs=n_jobs,
    )
    given = {"qid": QID} if routing else {}
    with sklearn.config_context(enable_metadata_routing=routing):
        search.fit(X, Y if routing else TARGET, **given)
    for name, scorer in scorers.items():
        alone = cross_val_score(
            search.best_estimator_, X, TARGET, cv=CV, scoring=scorer
        )
        assert search.cv_results_[f"mean_test_{name}"][search.best_index_] == np.mean(
            alone
        )
    assert search.best_score_ == search.cv_results_["mean_test_xgap"].max()


def test_several_scorers_let_weights_pass_while_routing_is_off():
    scoring = {"xgap": SCORER, "ndcg": make_ranking_scorer("nDCG@5")}
    search = GridSearchCV(
        RANKER, {"estimator__alpha": [0.1]}, scoring=scoring, refit="ndcg", cv=CV
    )
    search.fit(X, TARGET, sample_weight=WEIGHT)
    assert search.best_score_ > 0


@pytest.mark.parametrize("scoring", [None, MEASURE, SCORER])
def test_ids_and_weights_are_asked_for(scoring):
    by_hand = []
    for train, test in CV.split(X, groups=QID):
        ridge = Ridge().fit(X[train], Y[train], sample_weight=WEIGHT[train])
        given = {"qid": QID[test], "sample_weight": WEIGHT[test]}
        by_hand.append(MEASURE(Y[test], ridge.predict(X[test]), **given))
    with sklearn.config_context(enable_metadata_routing=True):
        given = {"qid": QID, "sample_weight": WEIGHT}
        found = cross_validate(RANKER, X, Y, cv=CV, scoring=scoring, params=given)
    np.testing.assert_allclose(found["test_score"], by_hand, rtol=1e-12)


# --- data that cannot be scored: never nan in silence ---------------------------------------------

SCORINGS = {
    None: None,
    "measure": MEASURE,
    "scorer": SCORER,
    "several": make_ranking_scorer(["AP", nDCG()]),
    "dict": {"one": SCORER, "two": AP()},
}


@pytest.mark.parametrize(
    ("scoring", "n_jobs"), [("measure", 1), ("scorer", 2), ("several", 1), ("dict", 1)]
)
def test_missing_ids_end_a_search_of_any_estimator(scoring, n_jobs):
    search = GridSearchCV(
        Ridge(),
        ALPHAS,
        cv=GroupKFold(3),
        scoring=SCORINGS[scoring],
        refit=False,
        n_jobs=n_jobs,
    )
    with pytest.raises(ValueError, match="Query ids are missing"):
        search.fit(X, Y, groups=QID)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("within", ["ranker", "pipeline", "search"])
def test_ids_that_reach_the_fit_alone_end_a_search(scoring, within):
    inner = GridSearchCV(
        RANKER, {"estimator__alpha": [1.0]}, cv=[(np.arange(80), np.arange(80))]
    )
    estimator, step = {
        "ranker": (RANKER, ""),
        "pipeline": (make_pipeline(StandardScaler(), RANKER), "queryranker__"),
        "search": (inner, ""),
    }[within]
    parameter = ("estimator__" if within == "search" else step) + "estimator__alpha"
    search = GridSearchCV(
        estimator,
        {parameter: [1, 2]},
        cv=GroupKFold(3),
        scoring=SCORINGS[scoring],
        refit=False,
    )
    with pytest.raises(ValueError, match="Query ids are missing"):
        search.fit(X, Y, groups=QID, **{f"{step}qid": QID})


def test_negative_grades_end_a_search():
    with pytest.raises(ValueError, match="must hold grades >= 0, got -1"):
        cross_val_score(Ridge(), X, query_series(Y - 1.0, QID), cv=CV, scoring=MEASURE)


def test_outside_of_folds_the_error_is_raised():
    ranker = RANKER.fit(X, TARGET)
    for score in (
        lambda: SCORER(RIDGE, X, Y),
        lambda: MEASURE(RIDGE, X, Y),
        lambda: ranker.score(X, Y),
        lambda: permutation_importance(ranker, X, Y),
        lambda: GridSearchCV(RANKER, {}, cv=CV).fit(X, TARGET).score(X, Y),
    ):
        with pytest.raises(ValueError, match=r"^Query ids are missing"):
            score()


def test_a_candidate_that_cannot_be_fitted_remains_nan():
    search = GridSearchCV(RANKER, {"estimator__alpha": [1.0, -1.0]}, cv=CV)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, TARGET)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
