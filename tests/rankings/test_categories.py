"""Ordered categories are grades wherever labels are read; others are refused with the way out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lightgbm import LGBMRanker
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from skgraded import (
    Judgments,
    QueryKFold,
    QueryRanker,
    evaluate,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.rankings import as_rankings
from skgraded.users import thresholds_from_feedback

ESCI = ["I", "C", "S", "E"]
GRADES = np.array([3, 0, 1, 2, 0, 3, 1, 1])
WORDS = [ESCI[grade] for grade in GRADES]
QID = [1, 1, 1, 1, 2, 2, 2, 2]
SCORES = np.arange(8) % 3 + 0.1
MEASURE = xGAP(g=(0.01, 0.09, 0.9))
MEANING = {each: grade for grade, each in enumerate(ESCI)}

ORDERED = {
    "Categorical": lambda words: pd.Categorical(words, ESCI, ordered=True),
    "Series": lambda words: pd.Series(pd.Categorical(words, ESCI, ordered=True)),
    "index": lambda words: pd.CategoricalIndex(words, categories=ESCI, ordered=True),
    "Enum": lambda words: pl.Series(words, dtype=pl.Enum(ESCI)),
}
UNORDERED = {
    "Categorical": pd.Categorical,
    "Series": lambda words: pd.Series(words, dtype="category"),
    "polars": lambda words: pl.Series(words, dtype=pl.Categorical),
}


@pytest.mark.parametrize("make", ORDERED.values(), ids=ORDERED)
def test_ordered_categories_are_grades_and_a_missing_one_is_unjudged(make):
    labels = make(WORDS)
    expected = MEASURE(GRADES, SCORES, qid=QID)
    assert MEASURE(labels, SCORES, qid=QID) == expected
    assert evaluate(MEASURE, labels, SCORES, qid=QID).values.mean() == expected
    assert MEASURE(as_rankings(labels, SCORES, qid=QID)) == expected
    assert MEASURE(query_target(labels, QID), SCORES) == expected
    assert MEASURE(query_series(labels, QID), SCORES) == expected
    assert Judgments.from_groups(labels, [4, 4]).grades.tolist() == [0, 1, 2, 3]
    unjudged = MEASURE([np.nan, *GRADES[1:]], SCORES, qid=QID)
    assert MEASURE(make([None, *WORDS[1:]]), SCORES, qid=QID) == unjudged != expected


def test_categories_of_numbers_are_these_numbers():
    labels = pd.Categorical([3, 1, 3, 5], [1, 3, 5], ordered=True)
    assert Judgments(labels).grades.tolist() == [0, 1, 3, 5]
    assert query_target(labels, [1] * 4)["grade"].tolist() == [3, 1, 3, 5]
    of_objects = pd.Categorical(pd.Series([3, 1, 3, 5.5], dtype=object), ordered=True)
    assert Judgments(of_objects).grades.tolist() == [0, 1, 3, 5.5]
    assert query_target(of_objects, [1] * 4)["grade"].tolist() == [3, 1, 3, 5.5]
    with_missing = pd.Categorical(
        [3, None, 1], pd.Index([1, 3], dtype=object), ordered=True
    )
    np.testing.assert_array_equal(
        query_target(with_missing, [1] * 3)["grade"], [3, np.nan, 1]
    )


@pytest.mark.parametrize(
    ("make", "way_out"),
    [
        (list, "in row 0. Say which .* grades={'C': ., 'E'"),
        *((make, "Or give ordered categories") for make in UNORDERED.values()),
    ],
)
def test_other_words_are_refused_with_the_way_out(make, way_out):
    labels = make(WORDS)
    for call in (
        lambda: MEASURE(labels, SCORES, qid=QID),
        lambda: evaluate(MEASURE, labels, SCORES, qid=QID),
        lambda: query_target(labels, QID),
        lambda: QueryRanker(Ridge(), measure=MEASURE).fit(np.eye(8), labels, qid=QID),
    ):
        with pytest.raises(ValueError, match=rf"^\w+ must be numeric, got .*{way_out}"):
            call()


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        pd.Series,
        *UNORDERED.values(),
        ORDERED["Enum"],
        ORDERED["Series"],
    ],
)
def test_words_are_grades_by_a_mapping(make):
    expected = evaluate("QMeasure", GRADES**2, SCORES, qid=QID)
    words, squares = make(WORDS), {each: grade**2 for grade, each in enumerate(ESCI)}
    asked = {"qid": QID, "grades": squares}
    found = evaluate("QMeasure", words, SCORES, **asked)
    assert found.values.tolist() == expected.values.tolist()
    assert found.notes == ("Grades: 0 = I, 1 = C, 4 = S, 9 = E.",)
    named = evaluate("QMeasure", words, {"a": SCORES}, **asked)
    assert (named.values[0].tolist(), named.notes) == (
        expected.values.tolist(),
        found.notes,
    )
    target = query_target(words, **asked)
    assert target["grade"].tolist() == (GRADES**2).tolist()
    assert (
        evaluate("QMeasure", target, SCORES, grades=squares).mean() == expected.mean()
    )


def test_rows_with_words_and_scores_in_other_orders_are_refused():
    words, scores = (
        pd.Series(WORDS, index=range(8, 16)),
        pd.Series(SCORES, index=range(15, 7, -1)),
    )
    with pytest.raises(
        ValueError, match="y_score must have its rows in the order of y_true"
    ):
        evaluate(MEASURE, words, scores, grades=MEANING)


@pytest.mark.parametrize(
    "grades", ["ISE", ["I", "S"], {0: 1}, {"I": "x"}, pd.Series(MEANING)]
)
def test_what_is_no_mapping_of_words_is_refused(grades):
    with pytest.raises(ValueError, match="grades must map words to numbers, such as"):
        evaluate(MEASURE, WORDS, SCORES, grades=grades)
    with pytest.raises(
        ValueError, match=r"y_true must be one-dimensional, .* got type Judgments"
    ):
        evaluate(MEASURE, Judgments(GRADES, qid=QID), SCORES, grades=MEANING)


@pytest.mark.parametrize("is_routed", [True, False])
def test_a_search_selects_by_words_as_by_their_grades(is_routed):
    X, y, qid = make_ranking(n_queries=30, docs_per_query=12, random_state=0)
    frame = pd.DataFrame(X).add_prefix("x").assign(qid=qid)
    words = np.array(["bad", "poor", "fair", "good", "best"])[y]
    grades = {"bad": 0, "poor": 1, "fair": 2, "good": 3, "best": 4}
    given = {"X": X, "qid": qid} if is_routed else {"X": frame}
    found = []
    for labels, meaning in ((y, None), (words, grades)):
        ranker = QueryRanker(
            LGBMRanker(n_estimators=5, n_jobs=1, verbose=-1),
            measure="xGAP@10",
            validation_fraction=0.3,
            early_stopping_rounds=3,
            random_state=0,
            grades=meaning,
        )
        search = GridSearchCV(
            ranker, {"estimator__num_leaves": [3, 15]}, cv=QueryKFold(3)
        )
        with config_context(enable_metadata_routing=is_routed):
            search.fit(y=labels, **given)
        found.append(
            [search.cv_results_["mean_test_score"], search.predict(given["X"])]
        )
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_grades_of_feedback_may_be_categories():
    rng = np.random.default_rng(0)
    grade = rng.integers(4, size=400)
    satisfied = rng.random(400) < grade / 3
    words = pd.Categorical(np.array(ESCI)[grade], ESCI, ordered=True)
    found = [thresholds_from_feedback(each, satisfied) for each in (grade, words)]
    np.testing.assert_array_equal(found[0].g, found[1].g)


def test_the_result_says_which_grade_each_word_was_read_as():
    words = pd.Categorical(list("EISC"), ordered=True)  # in the order of the alphabet
    assert evaluate("AP", words, [4, 3, 2, 1]).notes == (
        "Grades: 0 = C, 1 = E, 2 = I, 3 = S.",
    )
    assert evaluate("AP", [0, 1], [2, 1]).notes == ()


def test_digits_are_grades():
    expected = MEASURE(list(range(4)), [4, 3, 2, 1])
    for digits in (list("0123"), np.array(list("0123")), pd.Series(list("0123"))):
        assert MEASURE(digits, [4, 3, 2, 1]) == expected
        ranker = QueryRanker(Ridge(), measure="AP").fit(np.eye(4), digits, qid=[0] * 4)
        assert np.argmax(ranker.predict(np.eye(4))) == 3


def test_a_column_query_id_holds_the_ids():
    X = pd.DataFrame({"f": np.arange(8.0), "query_id": list("aabbccdd")})
    y = np.tile([0, 1], 4)
    rankers = [
        QueryRanker(Ridge(), measure="AP").fit(X, y),
        QueryRanker(Ridge(), measure="AP").fit(X[["f"]], y, qid=X["query_id"]),
    ]
    np.testing.assert_array_equal(rankers[0].predict(X), rankers[1].predict(X[["f"]]))
    others = X.assign(query_id=list("efghefgh"))
    assert rankers[0].score(others, y) == rankers[1].score(
        X[["f"]], y, qid=others["query_id"]
    )
    scores = evaluate("AP", y, X[["f", "query_id"]], qid=X["query_id"])
    assert scores.systems == ("f",)
