"""make_ranking_scorer: measures as scorers, with routing on and off."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)

from skgraded import (
    QueryKFold,
    QueryRanker,
    eGAP,
    evaluate,
    make_ranking_scorer,
    measure,
    nDCG,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    GradeScaleWarning,
)

X, Y, QID = make_ranking(n_queries=30, docs_per_query=(3, 15), random_state=0)
RIDGE = Ridge().fit(X, Y)
SCORES = RIDGE.predict(X)
XGAP = xGAP(max_grade=4)


def test_one_measure_gives_the_float_that_the_measure_gives():
    value = make_ranking_scorer(XGAP)(RIDGE, X, Y, qid=QID)
    assert type(value) is float
    assert value == XGAP(Y, SCORES, qid=QID)
    assert make_ranking_scorer("xGAP(max_grade=4)")(RIDGE, X, query_target(Y, QID)) == value


def test_several_measures_give_a_dict_by_string_or_key():
    by_string = make_ranking_scorer([XGAP, "nDCG@5"])(RIDGE, X, Y, qid=QID)
    assert by_string == evaluate([XGAP, "nDCG@5"], Y, SCORES, qid=QID).mean()
    by_key = make_ranking_scorer({"x": XGAP, "n": nDCG(k=5), "again": "nDCG@5"})(
        RIDGE, X, Y, qid=QID
    )
    assert by_key == {
        "x": by_string[str(XGAP)],
        "n": by_string["nDCG@5"],
        "again": by_string["nDCG@5"],
    }


def test_a_list_of_one_measure_still_gives_a_dict():
    assert list(make_ranking_scorer(["AP"])(RIDGE, X, Y, qid=QID)) == ["AP"]


def test_several_measures_cost_one_predict():
    class Counting:
        calls = 0

        def predict(self, X):
            self.calls += 1
            return SCORES

    counting = Counting()
    make_ranking_scorer([XGAP, "nDCG@5", "AP"])(counting, X, Y, qid=QID)
    assert counting.calls == 1


def test_weights_weigh_queries():
    weight = np.where(QID < 10, 3.0, 1.0)
    value = make_ranking_scorer(XGAP)(RIDGE, X, Y, qid=QID, sample_weight=weight)
    assert value == XGAP(Y, SCORES, qid=QID, sample_weight=weight)
    assert value != XGAP(Y, SCORES, qid=QID)


def test_ids_on_the_index_of_y_serve_estimators_that_know_nothing_of_queries():
    pd = pytest.importorskip("pandas")
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    off = cross_val_score(Ridge(), X, y, cv=QueryKFold(3), scoring=make_ranking_scorer(XGAP))
    with sklearn.config_context(enable_metadata_routing=True):
        on = cross_val_score(
            Ridge(),
            X,
            Y,
            cv=QueryKFold(3),
            scoring=make_ranking_scorer(XGAP),
            params={"qid": QID},
        )
    np.testing.assert_array_equal(off, on)


@pytest.mark.parametrize(("routing", "n_jobs"), [(False, 1), (True, 2)])
def test_a_search_refits_by_one_of_several_measures(routing, n_jobs):
    scorer = make_ranking_scorer({"xgap": XGAP, "ndcg": "nDCG@5"})
    search = GridSearchCV(
        QueryRanker(Ridge(), measure="AP"),
        {"estimator__alpha": [0.1, 1000]},
        scoring=scorer,
        refit="xgap",
        cv=QueryKFold(3),
        n_jobs=n_jobs,
    )
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            search.fit(X, Y, qid=QID)
        else:
            search.fit(X, query_target(Y, QID))
    values = {}
    for train, test in QueryKFold(3).split(X, groups=QID):
        ridge = Ridge(alpha=search.best_params_["estimator__alpha"]).fit(X[train], Y[train])
        for name, each in [("xgap", XGAP), ("ndcg", nDCG(k=5))]:
            values.setdefault(name, []).append(each(Y[test], ridge.predict(X[test]), qid=QID[test]))
    for name in ("xgap", "ndcg"):
        mean = search.cv_results_[f"mean_test_{name}"][search.best_index_]
        assert mean == pytest.approx(np.mean(values[name]), rel=1e-12)
    assert search.best_score_ == search.cv_results_["mean_test_xgap"].max()


def test_beside_other_scorers_and_with_weights():
    scoring = {"xgap": make_ranking_scorer(XGAP), "ndcg": make_ranking_scorer("nDCG@5")}
    ranker = QueryRanker(Ridge(), measure=XGAP)
    weight = np.where(QID < 10, 3.0, 1.0)
    search = RandomizedSearchCV(
        ranker,
        {"estimator__alpha": [0.1]},
        n_iter=1,
        scoring=scoring,
        refit="ndcg",
        cv=QueryKFold(3),
    )
    search.fit(X, query_target(Y, QID), sample_weight=weight)
    results = cross_validate(ranker, X, query_target(Y, QID), scoring=scoring, cv=QueryKFold(3))
    assert set(results) >= {"test_xgap", "test_ndcg"}


def test_permutation_importance_which_takes_no_metadata():
    found = permutation_importance(
        RIDGE,
        X,
        query_target(Y, QID),
        scoring=make_ranking_scorer(XGAP),
        n_repeats=2,
        random_state=0,
    )
    assert found.importances_mean.shape == (X.shape[1],)
    assert found.importances_mean.max() > 0


def test_an_open_top_grade_warns_once_and_says_what_to_write():
    with pytest.warns(GradeScaleWarning) as caught:
        scorer = make_ranking_scorer(["xGAP@10", eGAP(), XGAP, "nDCG"])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "make_ranking_scorer got xGAP@10, eGAP without max_grade" in message
    assert "xGAP(max_grade=4, k=10)" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer(RIDGE, X, Y, qid=QID)
        pickle.loads(pickle.dumps(scorer))


def test_scorers_are_values():
    scorer = make_ranking_scorer(["nDCG@5", XGAP])
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy == scorer
    assert hash(copy) == hash(scorer)
    assert copy != make_ranking_scorer(["nDCG@6", XGAP])


@pytest.mark.parametrize(
    ("measures", "shown"),
    [
        (nDCG(k=5), "make_ranking_scorer('nDCG@5')"),
        (["AP", "nDCG@5"], "make_ranking_scorer({'AP': 'AP', 'nDCG@5': 'nDCG@5'})"),
        ({"a": "AP"}, "make_ranking_scorer({'a': 'AP'})"),
    ],
)
def test_the_repr_makes_an_equal_scorer(measures, shown):
    scorer = make_ranking_scorer(measures)
    assert repr(scorer) == shown
    assert eval(repr(scorer)) == scorer


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"measures must name at least one measure"):
        make_ranking_scorer([])
    with pytest.raises(ValueError, match="Did you mean 'nDCG@10'"):
        make_ranking_scorer("ndgc@10")
    with pytest.raises(TypeError, match="A measure must be a Measure or a string"):
        make_ranking_scorer([measure])
    with pytest.raises(ValueError, match="Query ids are missing"):
        make_ranking_scorer("AP")(RIDGE, X, Y)
    with pytest.raises(ValueError, match="look like group sizes"):
        make_ranking_scorer("AP")(RIDGE, X, Y, qid=np.bincount(QID))
