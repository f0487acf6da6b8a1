"""Arrays that reach the kernels: nobody can write to them, and damaged pickles are refused."""

import contextlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skgraded import Judgments, Rankings, evaluate, trec
from skgraded._sealed import all_sealed
from skgraded.datasets import make_ranking
from skgraded.trec import read_qrels, read_run

X, Y, QID = make_ranking(n_queries=12, docs_per_query=(1, 9), random_state=0)
LABELS = np.where(np.arange(len(Y)) % 7 == 0, np.nan, Y)
SCORES = np.round(X[:, 0])
QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "é": 3}}
RUN = {"q1": {"d2": 1.5, "d1": 1.0, "d9": 0.5}, "q2": {"é": 1.0}}
MEASURES = ["nDCG@5", "AP", "ERR(max_grade=4)", "Bpref", "infAP", "xGAP(max_grade=4)"]


def rankings():
    return Rankings.from_arrays(LABELS, SCORES, np.random.default_rng(0).permutation(QID))


def holders():
    ranked = rankings()
    retrieved = Rankings.from_trec(QRELS, RUN)
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
    names = getattr(holder, "_fields", None) or [*vars(type(holder)), *vars(holder)]
    found = {name: getattr(holder, name) for name in dict.fromkeys(names)}
    return {name: each for name, each in found.items() if isinstance(each, np.ndarray)}


@pytest.mark.parametrize("dtype", ["f8", "M8[s]", "U3", "O"])
def test_a_view_of_an_array_of_any_type_is_sealed(dtype):
    owner = np.arange(6).astype(dtype)
    (view,) = all_sealed(owner[1:4])
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
        view.flags.writeable = True
    np.testing.assert_array_equal(view, np.arange(6).astype(dtype)[1:4])


@pytest.mark.parametrize("holder", holders())
def test_nobody_can_make_an_array_writeable(holder):
    evaluate(MEASURES, rankings())
    arrays = arrays_of(holders()[holder])
    assert arrays
    for array in arrays.values():
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.flags.writeable = True


@pytest.mark.parametrize(
    "holder", [name for name, each in holders().items() if not hasattr(each, "_fields")]
)
def test_a_pickle_holds_the_same(holder):
    given = holders()[holder]
    again = pickle.loads(pickle.dumps(given))
    for name, array in arrays_of(given).items():
        found = getattr(again, name)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
        assert not found.flags.writeable
    if isinstance(given, Rankings):
        np.testing.assert_array_equal(
            evaluate(MEASURES, again).values, evaluate(MEASURES, given).values
        )


def damaged(array, entry, value):
    array = array.copy()
    array[entry % len(array)] = value
    return array


def values_of(holder):
    if isinstance(holder, Rankings):
        return evaluate(MEASURES, holder)
    if isinstance(holder, Judgments):
        return evaluate(MEASURES, holder.rank(np.arange(holder.n_documents)))
    qrels, run = (holder, RUN) if hasattr(holder, "grades") else (QRELS, holder)
    return trec.evaluate(MEASURES, qrels, run)


CASES = [
    (kind, name)
    for kind in ("rankings", "judgments", "qrels", "run")
    for name in {
        "rankings": ["order", "tied", "scores"],
        "judgments": ["indptr", "places", "grades", "levels", "pool.indptr", "pool.levels"],
        "qrels": ["indptr", "grades", "documents.end"],
        "run": ["indptr", "scores", "documents.end", "documents.text"],
    }[kind]
]
NUMBERS = st.sampled_from([-(2**31), -2, -1, 0, 1, 2, 3, 5, 200, 2**31 - 1])


@given(st.sampled_from(CASES), st.integers(0, 10**6), NUMBERS)
@settings(max_examples=300, deadline=None)
def test_a_damaged_array_is_refused_or_harmless(case, entry, number):
    kind, name = case
    given = rankings() if kind == "rankings" else holders()[kind]
    state = given.__getstate__()
    holder, field = state, name
    if "." in name:
        outer, field = name.split(".")
        inner = state[outer]
        damaged_field = damaged(
            getattr(inner, field), entry, np.array(number).astype(getattr(inner, field).dtype)
        )
        if hasattr(inner, "_replace"):
            state[outer] = inner._replace(**{field: damaged_field})
        else:
            fields = {**inner.__getstate__(), field: damaged_field}
            try:
                state[outer] = restored(type(inner), fields)
            except pickle.UnpicklingError:
                return
    elif isinstance(state, tuple):
        place = ["judgments", "order", "tied", "n_threads", "scores"].index(name)
        array = state[place]
        new = damaged(array, entry, np.array(number).astype(array.dtype))
        state = (*state[:place], new, *state[place + 1 :])
    else:
        array = holder[field]
        holder[field] = damaged(array, entry, np.array(number).astype(array.dtype))
    try:
        again = restored(type(given), state)
    except pickle.UnpicklingError:
        return
    with contextlib.suppress(ValueError):  # a grade beyond the scale of a measure
        values_of(again)


def restored(kind, state):
    made = kind.__new__(kind)
    made.__setstate__(state)
    return made


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("indptr", lambda array: array[:-1]),
        ("indptr", lambda array: array.astype(np.int32)),
        ("levels", lambda array: array.astype(np.int64)),
        ("levels", lambda array: np.repeat(array, 2)[::2]),
        ("levels", list),
        ("weights", lambda _: np.full(12, np.inf)),
        ("weights", lambda _: np.ones(11)),
        ("qid", lambda array: array[1:]),
        ("places", np.zeros_like),
        ("pool", tuple),
    ],
)
def test_arrays_of_another_kind_are_refused(name, change):
    judgments = rankings().judgments
    _ = judgments.pool
    state = judgments.__getstate__()
    with pytest.raises(pickle.UnpicklingError, match="The pickle is damaged: "):
        restored(Judgments, {**state, name: change(state[name])})
