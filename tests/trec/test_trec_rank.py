"""Rankings from qrels and runs: what counts as what, and the numbers of trec_eval."""

import io

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, strategies as st

from skgraded import AP, evaluate, nDCG, trec
from skgraded.measures import P, R

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"z": 0}}


def ranked_levels(rankings):
    """Levels by rank, topic by topic."""
    judgments = rankings.judgments
    borders = zip(judgments.indptr[:-1], judgments.indptr[1:], strict=True)
    return [judgments.levels[a:b][rankings.order[a:b]].tolist() for a, b in borders]


def test_the_pool_of_the_topics_that_are_left_is_their_own():
    run = {"q3": {"z": 1.0}, "q1": {"c": 1.0, "b": 0.5}}
    rankings = trec.rank(QRELS, run, complete=False)
    assert rankings.judgments.counts.tolist() == [[1, 1, 1], [1, 0, 0]]
    assert ranked_levels(rankings) == [[1, 0], [0]]


@pytest.mark.parametrize(
    ("negative", "levels", "counts"),
    [
        ("unsampled", [3, 0, 2, 1], [1, 1]),
        ("nonrelevant", [0, 0, 2, 1], [2, 1]),
        ("unjudged", [2, 2, 2, 1], [0, 1]),
    ],
)
def test_negative_grades(negative, levels, counts):
    qrels = {"q": {"a": -1, "b": -2, "c": 1}}
    run = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
    rankings = trec.rank(qrels, run, negative=negative)
    assert ranked_levels(rankings) == [levels]
    assert rankings.judgments.counts.tolist() == [counts]


def test_negative_grades_may_be_an_error():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0, "c": -2}}
    with pytest.raises(
        ValueError, match="grades must be >= 0, got -2 for document 'c' of topic 'q2'"
    ):
        trec.rank(qrels, {"q1": {"a": 1.0}}, negative="error")
    trec.rank(QRELS, {"q1": {"a": 1.0}}, negative="error")


def ids_in_order(text, order):
    run = trec.read_run(io.BytesIO(text.encode()))
    qrels = {
        "q": {document: number for number, document in enumerate("abcde", start=1)}
    }
    rankings = trec.rank(qrels, run, order=order)
    documents = ["?", *"abcde"]
    return "".join(
        documents[level] for level in ranked_levels(rankings)[0]
    ), rankings.tied.tolist()


LINES = "q Q0 a 3 1.0 t\nq Q0 c 1 1.0 t\nq Q0 b 3 2.0 t\nq Q0 d 2 1.00000000001 t\n"


@pytest.mark.parametrize(
    ("order", "ids", "tied"),
    [
        ("trec_eval", "bdca", [0, 0, 1, 1]),  # in single precision d ties with a and c
        ("score", "bdca", [0, 0, 0, 1]),
        ("rank", "cdab", [0, 0, 0, 1]),
        ("file", "acbd", [0, 0, 0, 0]),
    ],
)
def test_orders(order, ids, tied):
    assert ids_in_order(LINES, order) == (ids, tied)


def test_single_precision_decides_in_trec_eval():
    text = "q Q0 a 1 1.00000000001 t\nq Q0 b 2 1.0 t\n"
    assert ids_in_order(text, "trec_eval")[0] == "ba"
    assert ids_in_order(text, "score")[0] == "ab"
    assert pytrec_eval_map({"a": 1, "b": 0}, {"a": 1.00000000001, "b": 1.0}) == 0.5


def pytrec_eval_map(qrels, run):
    return pytrec_eval.RelevanceEvaluator({"q": qrels}, {"map"}).evaluate({"q": run})[
        "q"
    ]["map"]


def test_ids_are_compared_by_their_bytes():
    ids = ["a", "B", "b", "é", "z", "10", "9", "a1", "", "日"]
    run = {"q": {document: 1.0 for document in ids if document}}
    qrels = {
        "q": {document: 1 if document == "é" else 0 for document in ids if document}
    }
    ours = AP(ties="row_order")(trec.rank(qrels, run))
    assert (
        ours == pytrec_eval_map(qrels["q"], run["q"]) == 1 / 2
    )  # only the bytes of 日 are higher


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"order": "id"},
            "order must be one of 'trec_eval', 'score', 'rank', 'file', got 'id'",
        ),
        ({"negative": "bad"}, "negative must be one of 'unsampled', .*, got 'bad'"),
        ({"order": "rank"}, "needs a run with a rank column"),
        (
            {"n_threads": 0},
            "n_threads must be an integer from 1 to 4096, or -1 .* got 0",
        ),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        trec.rank(QRELS, {"q1": {"a": 1.0}}, **options)


def test_ranks_must_be_ranks():
    run = trec.read_run(io.BytesIO(b"q1 Q0 b 0 1 t\nq1 Q0 a first 1 t\n"))
    with pytest.raises(
        ValueError, match=r"order=\"rank\" needs integers >= 0.*for document 'a'"
    ):
        trec.rank(QRELS, run, order="rank")
    assert AP(ties="row_order")(trec.rank({"q1": {"b": 1}}, run)) == 1.0


def test_no_topic_in_common_shows_both_id_sets():
    told = "common, got '1', '2', '3' and 2 more in the run and 'q1', 'q2', 'q3' in the qrels"
    with pytest.raises(ValueError, match=told):
        trec.rank(QRELS, {str(n): {"a": 1.0} for n in range(1, 6)})


def test_strict_reaches_the_reader():
    text = b"q1 Q0 a 1 1 t\nq1 Q0 a 1 1 t\n"
    assert trec.rank(QRELS, io.BytesIO(text)).judgments.n_documents == 1
    with pytest.raises(ValueError, match="once in a topic"):
        trec.rank(QRELS, io.BytesIO(text), strict=True)


documents = st.text("abXY019é#", min_size=1, max_size=4)
scores = st.one_of(st.integers(-2, 3).map(float), st.floats(-1e6, 1e6))
topics = st.sampled_from(["1", "2", "3", "07"])


def by_topic(values):
    return st.dictionaries(
        topics, st.dictionaries(documents, values, min_size=1), min_size=1
    )


def have_common_documents(qrels, run):
    return any(qrels[topic].keys() & run.get(topic, {}) for topic in qrels)


@given(qrels=by_topic(st.integers(0, 3)), run=by_topic(scores))
def test_random_runs_score_as_in_pytrec_eval(qrels, run):
    names = {
        "map": AP(ties="row_order"),
        "ndcg": nDCG(ties="row_order"),
        "ndcg_cut_3": nDCG(ties="row_order", k=3),
        "P_2": P(ties="row_order", k=2),
        "recall_2": R(ties="row_order", k=2),
    }
    wanted = {"map", "ndcg", "ndcg_cut.3", "P.2", "recall.2"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    if not theirs:
        with pytest.raises(ValueError, match="topics in common"):
            trec.rank(qrels, run)
        return
    assume(have_common_documents(qrels, run))
    ours = evaluate(list(names.values()), trec.rank(qrels, run, complete=False))
    assert set(ours.qid.tolist()) == set(theirs)
    for topic, values in zip(ours.qid.tolist(), ours.values, strict=True):
        expected = [theirs[topic][name] for name in names]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def lookup(qrels, run, order):
    """Join and order literally: dicts and a sort by a key."""
    topics = []
    for topic, judged in qrels.items():
        retrieved = run.get(topic, {})
        as_read = np.float32 if order == "trec_eval" else np.float64
        by_id = sorted(retrieved, key=lambda each: each.encode(), reverse=True)
        ranked = sorted(by_id, key=lambda each: -float(as_read(retrieved[each])))
        topics.append([judged.get(document) for document in ranked])
    return topics


@given(
    qrels=by_topic(st.integers(0, 3)),
    run=by_topic(scores),
    order=st.sampled_from(["trec_eval", "score"]),
)
def test_the_join_is_a_look_up(qrels, run, order):
    run.setdefault(next(iter(qrels)), {"a": 1.0})
    assume(have_common_documents(qrels, run))
    rankings = trec.rank(qrels, run, order=order)
    grades = [*rankings.judgments.grades.tolist(), None]
    ours = [[grades[level] for level in each] for each in ranked_levels(rankings)]
    assert ours == lookup(qrels, run, order)
    assert rankings.judgments.qid.tolist() == list(qrels)
