"""Arrays that reach the kernels: nobody can write to them, and damaged pickles are refused."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest

from skgraded import Judgments, Rankings, evaluate, query_ids, trec
from skgraded.datasets import make_ranking
from skgraded.rankings import as_rankings
from skgraded.trec import read_qrels, read_run

X, Y, QID = make_ranking(n_queries=12, docs_per_query=(1, 9), random_state=0)
LABELS = np.where(np.arange(len(Y)) % 7 == 0, np.nan, Y)
SCORES = np.round(X[:, 0])
QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "é": 3}}
RUN = {"q1": {"d2": 1.5, "d1": 1.0, "d9": 0.5}, "q2": {"é": 1.0}}
MEASURES = ["nDCG@5", "AP", "ERR(max_grade=4)", "Bpref", "infAP", "xGAP(max_grade=4)"]


def rankings():
    return as_rankings(LABELS, SCORES, np.random.default_rng(0).permutation(QID))


def holders():
    ranked = rankings()
    retrieved = trec.rank(QRELS, RUN)
    return {
        "rankings": ranked,
        "judgments": ranked.judgments,
        "pool": ranked.judgments.pool,
        "pool of retrieval": retrieved.judgments.pool,
        "list": ranked.ranked("pessimistic", "condense"),
        "qrels": read_qrels(QRELS),
        "run": read_run(RUN),
        "documents": read_run(RUN).documents,
    }


def arrays_of(holder):
    names = getattr(holder, "_fields", None) or vars(holder)
    found = {name: getattr(holder, name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, np.ndarray)}


@pytest.mark.parametrize("holder", holders())
def test_arrays_are_read_only(holder):
    evaluate(MEASURES, rankings())
    arrays = arrays_of(holders()[holder])
    assert arrays
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


@pytest.mark.parametrize(
    "order", [np.arange(len(Y)), np.random.default_rng(0).permutation(len(Y))]
)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_arrays_of_users_stay_writeable(order, dtype):
    given = Y[order].astype(dtype), SCORES[order], QID[order], np.ones(len(Y))
    ranked = as_rankings(*given)
    pickle.dumps(ranked)
    evaluate(MEASURES, ranked)
    assert all(each.flags.writeable for each in given)


def full_judgments():
    """Judgments with all that they can have: ids in any order, weights, sizes, row labels."""
    order = np.random.default_rng(1).permutation(len(Y))
    target = pd.Series(LABELS[order], index=pd.Index(order, name="row"))
    ids = query_ids(np.where(QID % 2, QID, QID * 10**6)[order])
    return Judgments(target, qid=ids, sample_weight=1 + order / 7)


@pytest.mark.parametrize(
    "given",
    [
        full_judgments(),
        full_judgments().rank(SCORES, 2),
        rankings(),
        Judgments([0.5, np.nan, 3, 0.25], qid=["b", "a", "b", "a"]).rank([1, 1, 2, 3]),
        Judgments(np.arange(400) % 300, qid=np.arange(400) % 7).rank(
            np.arange(400) % 5
        ),
        trec.rank({**QRELS, "q0": {"d": 1}}, RUN),
        trec.rank({"q": {"a": 0.5, "b": 1, "c": 2}}, {"q": {"a": 1, "b": 1, "d": 1}}),
    ],
    ids=[
        "full",
        "full-ranked",
        "plain",
        "continuous",
        "many-grades",
        "trec",
        "trec-continuous",
    ],
)
def test_a_pickle_holds_the_same(given):
    again = pickle.loads(pickle.dumps(given))
    if isinstance(given, Rankings):
        for name in ("order", "tied", "scores", "n_threads"):
            np.testing.assert_array_equal(getattr(again, name), getattr(given, name))
        for name in ("nDCG@5", "AP", "Bpref", "infAP"):
            found, wanted = (evaluate(name, each) for each in (again, given))
            np.testing.assert_array_equal(found.values, wanted.values)
            assert found.mean() == wanted.mean()
        given, again = given.judgments, again.judgments
    names = "qid indptr places levels grades weights sizes top_grade has_unjudged has_own_pool"
    for name in [*names.split(), "has_fractional_grades", "fingerprints", "graded"]:
        np.testing.assert_array_equal(getattr(again, name), getattr(given, name))
    np.testing.assert_array_equal(again.pool.levels, given.pool.levels)
    assert again.levels.dtype == given.levels.dtype
    assert list(again.row_labels) == list(given.row_labels)
    for name, index in given.row_labels.items():
        assert again.row_labels[name].equals(index)


@pytest.mark.parametrize("given", [rankings(), trec.rank(QRELS, RUN)])
def test_arrays_of_a_pickle_that_were_damaged_are_refused(given):
    for held in (given, given.judgments):
        made_again, (make, arrays, number) = held.__reduce__()
        assert isinstance(made_again(make, arrays, number), type(held))
        for place, array in enumerate(arrays):
            if array is not None:
                changed = array.copy()
                changed[-1] += 1
                damaged = [*arrays[:place], changed, *arrays[place + 1 :]]
                with pytest.raises(ValueError, match="The pickle is damaged"):
                    made_again(make, damaged, number)


QRELS_OF_WORDS = """q2 0 d1 good
q1 0 d2 -1
q2 0 \xe9 bad
q1 0 d2 -1
"""
RUN_OF_LINES = (
    "q1 Q0 d2 1 2.5 mine\nq2 Q0 \xe9 x -0.0 mine\n"
    "q1 Q0 d1 7 2.5 mine\nq1 Q0 d2 8 1 mine\n"
)


@pytest.mark.parametrize(
    "given",
    [
        read_qrels(
            io.BytesIO(QRELS_OF_WORDS.encode("latin-1")), grades={"good": 2, "bad": 0}
        ),
        read_qrels({"q1": {"a": 0.5, "b": 1e15}}),
        read_run(io.BytesIO(RUN_OF_LINES.encode("latin-1"))),
        read_run(RUN, name="given"),
        read_run({"q1": ["b", "a"]}),
    ],
    ids=["lines of qrels", "dict of qrels", "lines of a run", "dict of a run", "lists"],
)
def test_a_pickle_of_a_file_holds_the_same(given):
    again = pickle.loads(pickle.dumps(given))
    assert type(again) is type(given)
    for name, value in vars(given).items():
        found = getattr(again, name)
        if name == "documents":
            assert list(found) == list(value)
        else:
            np.testing.assert_array_equal(found, value)
            assert type(found) is type(value)
            assert getattr(found, "dtype", None) == getattr(value, "dtype", None)


@pytest.mark.parametrize(
    ("given", "name"), [(read_qrels(QRELS), "relevance"), (read_run(RUN), "score")]
)
@pytest.mark.parametrize(
    "change", [lambda it: it[1:], lambda it: it * np.nan, lambda it: it + np.inf]
)
def test_damaged_columns_of_a_file_are_refused(given, name, change):
    again, (read, columns, others) = given.__reduce__()
    with pytest.raises(ValueError, match=r"must|different"):
        again(read, {**columns, name: change(columns[name])}, others)
