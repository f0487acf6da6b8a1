"""Query ids, orders of rows and scales that are easily forgotten where a measure is called."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from skgraded import (
    Judgments,
    QueryRanker,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    GradeScaleWarning,
    QueryIdsWarning,
    SwappedArgumentsWarning,
)
from skgraded.rankings import as_rankings

X, y, qid = make_ranking(n_queries=120, docs_per_query=10, random_state=0)
scores = X[:, 0]
G = (0.1, 0.2, 0.3, 0.4)


LEVELS = pd.MultiIndex.from_arrays([qid, range(len(y))], names=["qid", "doc"])
WORDS = pd.Index([f"q{each}" for each in qid], name="qid")


@pytest.mark.parametrize(
    ("target", "ids"),
    [
        (pd.Series(y, index=pd.Index(qid, name="qid")), None),
        (pd.Series(y, index=LEVELS), None),
        (query_series(y, qid), None),
        (query_target(y, qid), None),
        (pd.Series(y, index=WORDS), qid),  # the keyword names the queries
        (y, query_ids(qid)),
    ],
    ids=[
        "index",
        "levels",
        "query_series",
        "query_target",
        "other names in the index",
        "sizes",
    ],
)
def test_ids_are_read_wherever_they_are(target, ids):
    named = nDCG(k=10).per_query(y, scores, qid=qid)
    found = nDCG(k=10).per_query(target, scores, qid=ids)
    assert found.qid.tolist() == named.qid.tolist()
    assert float(found) == float(named) == nDCG(k=10)(target, scores, qid=ids)
    assert float(evaluate("nDCG@10", target, scores, qid=ids)) == float(named)


def test_a_long_list_without_ids_warns():
    for takes in (nDCG(k=10), as_rankings):
        with pytest.warns(QueryIdsWarning, match="all 1200 rows"):
            takes(y, scores)
    nDCG(k=10)(y, scores, qid=np.zeros(len(y)))
    nDCG(k=10)(y[:1000], scores[:1000])


def test_indices_that_differ_are_paired_by_position():
    labels = pd.Series(y, index=np.arange(len(y)) + 5)
    assert nDCG()(labels, pd.Series(scores), qid=qid) == nDCG()(y, scores, qid=qid)


def test_a_scale_longer_than_that_of_many_queries_warns():
    with pytest.warns(
        GradeScaleWarning, match=r"1\.\.5.* is 4\. The measure cannot reach 1"
    ):
        xGAP(g=(0.2,) * 5)(y, scores, qid=qid)
    few = qid < qid[0] + 2
    xGAP(g=(0.2,) * 5)(y[few], scores[few], qid=qid[few])
    xGAP(g=G)(y, scores, qid=qid)


def test_scores_of_other_queries_than_those_of_judgments_are_refused():
    labels, ids, values = [2.0, 0, 1, 0], ["a", "b", "a", "b"], [4.0, 3, 2, 1]
    judgments = Judgments(labels, qid=ids)
    expected = nDCG()(judgments, values)
    same = query_series(values, ["x", "y", "x", "y"])
    assert nDCG()(judgments, same) == expected
    assert evaluate("nDCG", judgments, {"one": same}).values.mean() == expected
    frame = pd.DataFrame({"qid": ids, "one": values})
    assert evaluate("nDCG", judgments, frame).values.mean() == expected

    other = query_series(values, ["a", "a", "b", "b"])
    told = "the Judgments and the ids in y_score contradict each other: they put row "
    for refused in (
        lambda: nDCG()(judgments, other),
        lambda: evaluate("nDCG", judgments, {"one": other}),
        lambda: evaluate("nDCG", judgments, frame.assign(qid=["a", "a", "b", "b"])),
        lambda: nDCG()(Judgments(labels), same),  # whose rows are all of one query
    ):
        with pytest.raises(ValueError, match=told):
            refused()


def test_two_grades_and_scores_that_are_exchanged_warn():
    shown = np.abs(scores)
    with pytest.warns(SwappedArgumentsWarning, match="whole numbers from 0 to 1"):
        nDCG(k=10)(shown, np.where(y > 1, 1.0, 0.0), qid=qid)


@pytest.mark.parametrize(
    "rule", ["yes and no", "ranks", "ranks of the first three", "constant"]
)
def test_few_whole_scores_of_fractional_grades_do_not_warn(rule):
    grades = np.random.default_rng(0).random(len(y))
    ranks = np.tile(np.arange(10.0), len(y) // 10)
    given = {
        "yes and no": np.round(grades),
        "ranks": ranks,
        "ranks of the first three": np.maximum(3 - ranks, 0),
        "constant": np.zeros(len(y)),
    }[rule]
    nDCG(k=10)(grades, given, qid=np.repeat(np.arange(len(y) // 10), 10))


# Labels of rows that are no order, or come twice, or in folds

ORDER = np.random.default_rng(0).permutation(len(y))
FRAME = pd.DataFrame(X[:, :4], index=pd.Index([f"d{n}" for n in range(len(y))]))


def test_ids_in_the_index_are_no_labels_of_rows():
    # With one document a query, the ids are labels in another order.
    frame, ranker = FRAME.reset_index(drop=True), QueryRanker(Ridge(), measure="nDCG")
    ranker.fit(frame, pd.Series(y, index=pd.Index(ORDER, name="qid")))
    ranker.fit(frame, query_series(y, ORDER), qid=list(ORDER))


def test_labels_that_occur_several_times_are_counted():
    labels = pd.Series([1, 0, 0], index=[1, 1, 2])
    nDCG()(labels, pd.Series([3, 2, 1], index=[2, 1, 2]))
    with pytest.raises(ValueError, match=r"by y_score\.loc\[y_true\.index\]"):
        nDCG()(labels, pd.Series([3, 2, 1], index=[1, 2, 1]))


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_search_ends_with_the_error(error_score):
    target, rows = query_series(y, qid), np.arange(len(y))
    scoring = make_ranking_scorer(nDCG(k=5))
    given = {"cv": [(rows, rows)], "scoring": scoring, "error_score": error_score}
    with pytest.raises(ValueError, match="must have its rows in the order of"):
        cross_val_score(Ridge(), FRAME.set_axis(target.index[ORDER]), target, **given)
