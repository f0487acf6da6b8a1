"""Ordered categories are grades wherever labels are read; others are refused with the way out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge

from skgraded import Judgments, QueryRanker, evaluate, query_series, query_target, xGAP
from skgraded.rankings import as_rankings
from skgraded.users import thresholds_from_feedback

ESCI = ["I", "C", "S", "E"]
GRADES = np.array([3, 0, 1, 2, 0, 3, 1, 1])
WORDS = [ESCI[grade] for grade in GRADES]
QID = [1, 1, 1, 1, 2, 2, 2, 2]
SCORES = np.arange(8) % 3 + 0.1
MEASURE = xGAP(g=(0.01, 0.09, 0.9))

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
def test_ordered_categories_are_grades(make):
    labels = make(WORDS)
    expected = MEASURE(GRADES, SCORES, qid=QID)
    assert MEASURE(labels, SCORES, qid=QID) == expected
    assert evaluate(MEASURE, labels, SCORES, qid=QID).values.mean() == expected
    assert MEASURE(as_rankings(labels, SCORES, qid=QID)) == expected
    assert MEASURE(query_target(labels, QID), SCORES) == expected
    assert MEASURE(query_series(labels, QID), SCORES) == expected
    assert Judgments.from_groups(labels, [4, 4]).grades.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("make", ORDERED.values(), ids=ORDERED)
def test_a_missing_category_is_unjudged(make):
    labels = make([None, *WORDS[1:]])
    numbers = np.array([np.nan, *GRADES[1:]])
    assert MEASURE(labels, SCORES, qid=QID) == MEASURE(numbers, SCORES, qid=QID)
    assert MEASURE(numbers, SCORES, qid=QID) != MEASURE(GRADES, SCORES, qid=QID)


def test_categories_of_numbers_are_these_numbers():
    labels = pd.Categorical([3, 1, 3, 5], [1, 3, 5], ordered=True)
    assert Judgments(labels).grades.tolist() == [0, 1, 3, 5]
    assert query_target(labels, [1] * 4)["grade"].tolist() == [3, 1, 3, 5]
    of_objects = pd.Categorical(pd.Series([3, 1, 3, 5.5], dtype=object), ordered=True)
    assert Judgments(of_objects).grades.tolist() == [0, 1, 3, 5.5]
    assert query_target(of_objects, [1] * 4)["grade"].tolist() == [3, 1, 3, 5.5]
    with_missing = pd.Categorical([3, None, 1], pd.Index([1, 3], dtype=object), ordered=True)
    np.testing.assert_array_equal(query_target(with_missing, [1] * 3)["grade"], [3, np.nan, 1])


@pytest.mark.parametrize("make", UNORDERED.values(), ids=UNORDERED)
def test_other_categories_are_refused_with_the_way_out(make):
    labels, X = make(WORDS), np.ones((8, 1))
    for name, call in {
        "y_true": lambda: MEASURE(labels, SCORES, qid=QID),
        "y": lambda: query_target(labels, QID),
        r"\w+": lambda: QueryRanker(Ridge(), measure=MEASURE).fit(X, labels, qid=QID),
    }.items():
        with pytest.raises(
            ValueError, match=f"{name} must be numeric, got .*Or give ordered categories"
        ):
            call()


def test_words_are_refused_with_the_way_out():
    for call in (lambda: MEASURE(WORDS, SCORES), lambda: query_target(WORDS, QID)):
        with pytest.raises(
            ValueError, match=r"must be numeric, got .* in row 0. Say which grade each word is"
        ):
            call()


def test_grades_of_feedback_may_be_categories():
    rng = np.random.default_rng(0)
    grade = rng.integers(4, size=400)
    satisfied = rng.random(400) < grade / 3
    words = pd.Categorical(np.array(ESCI)[grade], ESCI, ordered=True)
    found = [thresholds_from_feedback(each, satisfied) for each in (grade, words)]
    np.testing.assert_array_equal(found[0].g, found[1].g)


def test_the_result_says_which_grade_each_word_was_read_as():
    words = pd.Categorical(list("EISC"), ordered=True)  # in the order of the alphabet
    assert evaluate("AP", words, [4, 3, 2, 1]).notes == ("Grades: 0 = C, 1 = E, 2 = I, 3 = S.",)
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
    assert rankers[0].score(others, y) == rankers[1].score(X[["f"]], y, qid=others["query_id"])
    scores = evaluate("AP", y, X[["f", "query_id"]], qid=X["query_id"])
    assert scores.systems == ("f",)
