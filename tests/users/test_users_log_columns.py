"""A log and a table of judgments, joined."""

import numpy as np
import pytest

from skgraded.users import log_columns, thresholds_from_log

pd = pytest.importorskip("pandas")


def tables(n=2000, seed=0):
    """A log of sessions on 400 queries, and judgments of 90 % of the documents."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, size=(400, 8), p=[0.5, 0.2, 0.2, 0.1])
    query, threshold = rng.integers(400, size=n), rng.choice([1, 2, 3], size=(n, 1))
    order = np.argsort(rng.random((n, 8)), axis=1)
    grade = np.take_along_axis(truth[query], order, axis=1)
    clicked = (grade >= threshold) & (rng.random((n, 8)) < 1 / np.arange(1, 9))
    log = {
        "session": np.repeat(np.arange(n), 8),
        "user": np.repeat(rng.integers(500, size=n), 8),
        "query": [f"q{each}" for each in np.repeat(query, 8)],
        "document": [f"d{each}" for each in order.ravel()],
        "position": np.tile(np.arange(1, 9), n),
        "clicked": clicked.ravel(),
    }
    judgments = [(f"q{q}", f"d{d}", each) for (q, d), each in np.ndenumerate(truth)]
    judgments = pd.DataFrame(judgments, columns=["query", "document", "grade"])
    return pd.DataFrame(log), judgments[rng.random(len(judgments)) < 0.9], grade.ravel()


def test_rows_get_the_grade_of_their_document_and_holes_stay_holes():
    log, judgments, truth = tables()
    shuffled = judgments.sample(frac=1, random_state=0)
    log.index = np.random.default_rng(0).permutation(
        len(log)
    )  # row labels say nothing here
    columns = log_columns(log, pd.concat([shuffled, shuffled.head(5)]))
    known = set(zip(judgments["query"], judgments["document"], strict=True))
    is_known = [
        pair in known for pair in zip(log["query"], log["document"], strict=True)
    ]
    assert np.array_equal(~np.isnan(columns["grade"]), is_known)
    assert np.array_equal(columns["grade"][is_known], truth[is_known])
    assert columns["position"].tolist() == log["position"].tolist()
    found = thresholds_from_log(**columns)
    assert found.n_unjudged == len(log) - sum(is_known)
    assert list(found.clusters) == ["user", "qid"]


def test_judgments_may_be_words():
    log, judgments, _ = tables(50)
    words = judgments.assign(grade=np.array(["I", "C", "S", "E"])[judgments["grade"]])
    found = log_columns(log, words, grades={"I": 0, "C": 1, "S": 2, "E": 3})["grade"]
    np.testing.assert_array_equal(found, log_columns(log, judgments)["grade"])


def test_purchases_and_clicks_are_told_apart():
    log, judgments, _ = tables(50)
    log["purchased"] = ~log["clicked"]
    assert (
        log_columns(log, judgments, event="purchased")["clicked"] == log["purchased"]
    ).all()
    named = log.rename(columns={"clicked": "click"})
    assert (
        log_columns(named, judgments, event="click")["clicked"] == log["clicked"]
    ).all()
    assert (
        log_columns(log.drop(columns="clicked"), judgments)["clicked"]
        == log["purchased"]
    ).all()


def test_columns_that_a_log_may_lack_are_passed_on_if_it_has_them():
    log, judgments, _ = tables(50)
    assert "user" not in log_columns(log.drop(columns="user"), judgments)
    given = log.assign(propensity=1 / log["position"])
    assert (log_columns(given, judgments)["propensity"] == given["propensity"]).all()


def test_columns_are_known_by_other_names_and_grades_by_their_words():
    log, judgments, _ = tables(50)
    expected = log_columns(log, judgments)
    others = {
        "session": "session_id",
        "user": "user_id",
        "position": "rank",
        "clicked": "click",
    }
    renamed = log.rename(columns={**others, "query": "query_id", "document": "doc_id"})
    renamed = renamed.assign(query="text of the query")  # which is no id beside one
    words = pd.Categorical(
        ["ICSE"[grade] for grade in judgments["grade"]], list("ICSE"), ordered=True
    )
    judged = judgments.assign(grade=words).rename(
        columns={"document": "docno", "grade": "label"}
    )
    found = log_columns(renamed, judged)
    assert list(found) == list(expected)
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column)


LOG, JUDGED, _ = tables(50)
TWICE = pd.concat(
    [JUDGED, JUDGED.head(1).assign(grade=lambda table: table["grade"] + 1)]
)


@pytest.mark.parametrize(
    ("log", "judgments", "message"),
    [
        (
            LOG.drop(columns="position"),
            JUDGED,
            "log must have the columns .* none named position",
        ),
        (
            LOG,
            JUDGED.drop(columns="grade"),
            "judgments must have the columns .* none named grade",
        ),
        ({}, JUDGED, "log must be a pandas DataFrame, got dict"),
        (LOG, TWICE, "one grade of each document of a query, got several of"),
        (
            LOG,
            JUDGED.assign(query="no " + JUDGED["query"]),
            "must hold documents that were shown, got",
        ),
        (
            LOG,
            JUDGED.assign(query=range(len(JUDGED))),
            "of the same types in log and judgments",
        ),
        (
            LOG.assign(user_id=0),
            JUDGED,
            "log must have one column .* got user and user_id",
        ),
        (
            LOG,
            JUDGED.assign(grade="S"),
            "grade must be numeric, got 'S'.* grades={'S': \\?",
        ),
        (LOG.assign(purchased=1), JUDGED, "event must name the column of log"),
    ],
)
def test_bad_tables_are_refused(log, judgments, message):
    with pytest.raises(ValueError, match=message):
        log_columns(log, judgments)
