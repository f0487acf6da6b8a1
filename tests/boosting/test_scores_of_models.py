"""What a document's score is: predictions, margins, expected grades; and the sign of a measure."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from scipy.special import softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skgraded import QueryRanker, make_ranking_scorer, measure, nDCG, query_target
from skgraded.datasets import make_ranking
from skgraded.measures import Fallout
from skgraded.scoring._scorer import scores_of

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 15), random_state=0)
X = StandardScaler().fit_transform(X)
NDCG = nDCG(k=10)


def of_xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=5, n_jobs=1)


def of_catboost():
    return pytest.importorskip("catboost").CatBoostClassifier(
        iterations=5,
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
        random_seed=0,
    )


CLASSIFIERS = {
    "linear": lambda: LogisticRegression(max_iter=500),
    "pipeline": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=500)
    ),
    "forest": lambda: RandomForestClassifier(n_estimators=10, random_state=0),
    "LightGBM": lambda: LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1),
    "XGBoost": of_xgboost,
    "CatBoost": of_catboost,
}


def expected_grade(fitted, features):
    return fitted.predict_proba(features) @ fitted.classes_


@pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_a_classifier_ranks_by_the_expected_grade(make):
    fitted = QueryRanker(make(), measure=NDCG).fit(X, query_target(Y, QID))
    expected = expected_grade(make().fit(X, Y), X)
    np.testing.assert_allclose(fitted.predict(X), expected, rtol=1e-6)
    assert fitted.score(X, Y, qid=QID) == pytest.approx(NDCG(Y, expected, qid=QID))


def test_margins_alone_rank_two_grades_and_more():
    binary = LinearSVC(dual="auto").fit(X, Y > 1)
    fitted = QueryRanker(LinearSVC(dual="auto"), measure=NDCG).fit(
        X, np.where(Y > 1, 3, 0), qid=QID
    )
    np.testing.assert_allclose(fitted.predict(X), binary.decision_function(X))
    several = RidgeClassifier().fit(X, Y)
    fitted = QueryRanker(RidgeClassifier(), measure=NDCG).fit(X, Y, qid=QID)
    expected = softmax(several.decision_function(X), axis=1) @ several.classes_
    np.testing.assert_allclose(fitted.predict(X), expected, rtol=1e-12)


def test_a_fold_that_lacks_a_grade_is_scored_all_the_same():
    seen = Y != 2
    fitted = QueryRanker(LogisticRegression(max_iter=500), measure=NDCG)
    fitted.fit(X[seen], Y[seen], qid=QID[seen])
    assert fitted.estimator_.classes_.tolist() == [0, 1, 3, 4]
    assert np.isfinite(fitted.predict(X)).all()


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.ConstantValueWarning")
def test_a_grade_alone_gives_every_document_that_score():
    fitted = QueryRanker(DecisionTreeClassifier(), measure=NDCG).fit(
        X, Y * 0 + 2, qid=QID
    )
    assert set(fitted.predict(X)) == {2.0}


def test_the_scorer_asks_for_the_response_that_is_named():
    fitted = LogisticRegression(max_iter=500).fit(X, Y)
    scores = {
        "predict": fitted.predict(X),
        "predict_proba": expected_grade(fitted, X),
        "decision_function": softmax(fitted.decision_function(X), axis=1)
        @ fitted.classes_,
    }
    for method, expected in scores.items():
        scorer = make_ranking_scorer("nDCG@10", response_method=method)
        assert scorer(fitted, X, Y, qid=QID) == pytest.approx(
            NDCG(Y, expected, qid=QID)
        )
        assert eval(repr(scorer)) == scorer
    automatic = make_ranking_scorer("nDCG@10")
    assert automatic(fitted, X, Y, qid=QID) == make_ranking_scorer(
        "nDCG@10", response_method="predict_proba"
    )(fitted, X, Y, qid=QID)
    assert repr(automatic) == "make_ranking_scorer('nDCG@10')"


def test_one_column_of_predictions_is_taken_for_scores():
    fitted = Ridge().fit(X, Y[:, None])
    assert scores_of(fitted, X).shape == Y.shape


def test_what_gives_no_score_is_refused():
    with pytest.raises(
        ValueError, match=r"response_method must be one of 'auto', .* got 'proba'"
    ):
        make_ranking_scorer("AP", response_method="proba")
    words = LogisticRegression(max_iter=500).fit(
        X, np.array(["bad", "good"])[(Y > 1).astype(int)]
    )
    with pytest.raises(
        ValueError, match=r"one column per grade .* classes \['bad', 'good'\]"
    ):
        make_ranking_scorer("AP")(words, X, Y, qid=QID)


# Per query


def test_values_query_by_query():
    scorer = make_ranking_scorer({"a": NDCG, "b": "AP"})
    fitted = Ridge().fit(X, Y)
    weight = np.where(QID < 10, 2.0, 1.0)
    scores = scorer.per_query(fitted, X, query_target(Y, QID), sample_weight=weight)
    assert scores.measures == ("a", "b")
    np.testing.assert_array_equal(
        scores["b"].values,
        measure("AP").per_query(Y, fitted.predict(X), qid=QID).values,
    )
    means = scorer(fitted, X, Y, qid=QID, sample_weight=weight)
    assert means == {"a": float(scores["a"]), "b": float(scores["b"])}


# Measures of which less is better


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_less_is_better_has_the_opposite_sign():
    fallout = Fallout(k=10)
    fitted = QueryRanker(Ridge(), measure=fallout).fit(X, Y, qid=QID)
    value = fallout(Y, fitted.predict(X), qid=QID)
    assert value > 0
    assert fitted.score(X, Y, qid=QID) == -value
    assert make_ranking_scorer(fallout)(fitted, X, Y, qid=QID) == -value
    assert make_ranking_scorer([fallout, "AP"])(fitted, X, Y, qid=QID).keys() == {
        "neg_Fallout@10",
        "AP",
    }
    assert make_ranking_scorer({"f": fallout})(fitted, X, Y, qid=QID) == {"f": -value}
    assert (
        float(make_ranking_scorer(fallout).per_query(fitted, X, Y, qid=QID)[fallout])
        == value
    )
