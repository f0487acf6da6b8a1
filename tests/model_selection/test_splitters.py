"""Splitters: whole queries on one side, whatever the order of rows, on every version."""

import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn
from hypothesis import given, strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    query_target,
    query_train_test_split,
)
from skgraded.datasets import make_ranking

X, Y, QID = make_ranking(n_queries=50, docs_per_query=(3, 12), random_state=0)


@st.composite
def judged_queries(draw):
    """Grades and ids of a few queries, and an order of their rows."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=4, max_size=25))
    qid = np.repeat(np.arange(len(sizes)) * 3, sizes)
    grades = draw(st.lists(st.integers(0, 3), min_size=len(qid), max_size=len(qid)))
    return np.array(grades), qid, np.array(draw(st.permutations(range(len(qid)))))


def sets_of_queries(splitter, qid, grades=None):
    """Training and test queries of each split."""
    qid = np.asarray(qid)
    splits = splitter.split(np.zeros((len(qid), 1)), grades, qid)
    return [
        (set(qid[train].tolist()), set(qid[test].tolist())) for train, test in splits
    ]


def held_out(splitter, qid, grades=None):
    return [test for _, test in sets_of_queries(splitter, qid, grades)]


# --- folds ----------------------------------------------------------------------------------------


@given(data=judged_queries(), n_splits=st.integers(2, 4), shuffle=st.booleans())
def test_folds_partition_whole_queries_evenly_whatever_the_order_of_rows(
    data, n_splits, shuffle
):
    _, qid, order = data
    splitter = QueryKFold(n_splits, shuffle=shuffle)
    splits = list(splitter.split(np.zeros(len(qid)), groups=qid[order]))
    rows = np.concatenate([test for _, test in splits])
    assert sorted(rows.tolist()) == list(range(len(qid)))
    for train, test in splits:
        assert not set(qid[order][train]) & set(qid[order][test])
        assert sorted([*train, *test]) == list(range(len(qid)))
        assert np.all(np.diff(train) > 0)
        assert np.all(np.diff(test) > 0)
    n_queries = [len(np.unique(qid[order][test])) for _, test in splits]
    assert max(n_queries) - min(n_queries) <= 1
    assert held_out(splitter, qid) == held_out(splitter, qid[order])


@given(data=judged_queries(), n_splits=st.integers(2, 4), seed=st.integers(0, 5))
def test_stratified_folds_partition_whole_queries_and_balance_top_grades(
    data, n_splits, seed
):
    grades, qid, order = data
    splitter = StratifiedQueryKFold(n_splits, random_state=seed)
    folds = sets_of_queries(splitter, qid, grades)
    assert folds == sets_of_queries(splitter, qid[order], grades[order])
    assert sorted(query for _, test in folds for query in test) == sorted(
        set(qid.tolist())
    )
    top_grade = {query: grades[qid == query].max() for query in set(qid.tolist())}
    for grade in (None, *range(4)):
        counts = [
            sum(grade is None or top_grade[query] == grade for query in test)
            for _, test in folds
        ]
        assert max(counts) - min(counts) <= 1
    assert all(not train & test for train, test in folds)


def test_stratified_folds_balance_pool_sizes():
    tests = [test for _, test in StratifiedQueryKFold(5).split(X, Y, QID)]
    assert np.ptp([len(test) for test in tests]) <= 12


def test_unjudged_queries_are_a_stratum_of_their_own():
    unjudged = {0, 7, 14, 21, 28, 35, 42, 49}
    grades = np.where(np.isin(QID, list(unjudged)), np.nan, Y)
    folds = held_out(StratifiedQueryKFold(2), QID, grades)
    assert [len(test & unjudged) for test in folds] == [4, 4]


def test_the_folds_are_these_on_every_version():
    ten, letters = np.arange(10), np.array(list("bcaed"))
    assert held_out(QueryKFold(3), ten) == [{2, 4, 8, 9}, {1, 6, 7}, {0, 3, 5}]
    seeded = [{2, 4, 6, 9}, {0, 1, 3}, {5, 7, 8}]
    assert held_out(QueryKFold(3, random_state=1), ten) == seeded
    assert held_out(QueryKFold(2), letters) == [{"c", "a", "b"}, {"d", "e"}]
    blocks = held_out(QueryKFold(2, shuffle=False), ["b", "a", "d", "c", "b", "e"])
    assert blocks == [{"a", "b", "c"}, {"d", "e"}]
    stratified = held_out(
        StratifiedQueryKFold(2), np.arange(8), np.array([0, 1, 2, 2, 1, 0, 2, 1])
    )
    assert stratified == [{0, 3, 6, 7}, {1, 2, 4, 5}]


def test_ids_of_several_types_have_folds_that_the_order_does_not_change():
    qid = np.array([1, "a", 2.5, "b", ("c",), 1], dtype=object)
    assert held_out(QueryKFold(2), qid) == held_out(QueryKFold(2), qid[::-1])


@pytest.mark.parametrize(
    "splitter",
    [QueryKFold(3), QueryShuffleSplit(3), StratifiedQueryKFold(3, random_state=7)],
)
def test_splitters_route_pickle_and_count(splitter):
    ranker = QueryRanker(Ridge(), measure="nDCG")
    off = cross_val_score(ranker, X, query_target(Y, QID), cv=splitter)
    with sklearn.config_context(enable_metadata_routing=True):
        on = cross_val_score(ranker, X, Y, cv=splitter, params={"qid": QID})
    np.testing.assert_array_equal(off, on)
    copy = pickle.loads(pickle.dumps(splitter))
    assert sets_of_queries(copy, QID, Y) == sets_of_queries(splitter, QID, Y)
    assert copy.get_n_splits() == 3
    assert repr(copy) == repr(splitter)
    assert type(splitter)().get_n_splits() == 5
    assert repr(QueryKFold(3)) == "QueryKFold(n_splits=3, random_state=0, shuffle=True)"


# --- draws ----------------------------------------------------------------------------------------


@given(
    data=judged_queries(),
    test_size=st.one_of(st.none(), st.floats(0.05, 0.6), st.integers(1, 3)),
)
def test_a_split_has_whole_queries_whatever_the_order_of_rows(data, test_size):
    grades, qid, order = data
    rows, options = np.arange(len(qid)), {"test_size": test_size, "random_state": 1}
    parts = query_train_test_split(rows, grades, qid=qid, **options)
    train, test, y_train, y_test, qid_train, qid_test = parts
    assert sorted([*train, *test]) == rows.tolist()
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    np.testing.assert_array_equal(grades[train], y_train)
    np.testing.assert_array_equal(grades[test], y_test)
    assert not set(qid_train) & set(qid_test)
    n_queries = len(set(qid.tolist()))
    share = 0.25 if test_size is None else test_size
    expected = share if isinstance(share, int) else max(1, round(share * n_queries))
    assert len(set(qid_test)) == expected
    again = query_train_test_split(
        rows[order], grades[order], qid=qid[order], **options
    )
    assert set(again[5]) == set(qid_test)


def test_arrays_of_every_kind_are_split():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).assign(qid=QID)
    frame_train, frame_test = query_train_test_split(frame)
    assert not set(frame_train["qid"]) & set(frame_test["qid"])
    X_train, X_test, y_train, y_test = query_train_test_split(X, query_target(Y, QID))
    assert (len(X_train), len(X_test)) == (len(y_train), len(y_test))
    assert set(y_test["qid"]) == set(frame_test["qid"])
    _, other = query_train_test_split(frame, random_state=1)
    assert set(other["qid"]) != set(frame_test["qid"])


@pytest.mark.parametrize("form", ["coo", "csc", "csr", "bsr", "dia", "lil", "dok"])
@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
def test_sparse_matrices_of_every_format_are_split(form):
    expected = query_train_test_split(X, Y, qid=QID)
    found = query_train_test_split(
        scipy.sparse.csr_matrix(X).asformat(form), Y, qid=QID
    )
    for sparse, dense in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(sparse.toarray(), dense)


def test_draws_differ_and_come_again_with_the_seed():
    splitter = QueryShuffleSplit(3, test_size=0.3, random_state=4)
    draws = sets_of_queries(splitter, QID)
    assert draws == sets_of_queries(splitter, QID)
    assert len({frozenset(test) for _, test in draws}) == 3
    assert all(len(test) == 15 and len(train) == 35 for train, test in draws)
    fresh = QueryShuffleSplit(1, random_state=None)
    assert sets_of_queries(fresh, QID) != sets_of_queries(fresh, QID)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({}, (40, 10)),
        ({"test_size": 0.5}, (25, 25)),
        ({"test_size": 7}, (43, 7)),
        ({"train_size": 7}, (7, 43)),
        ({"train_size": 0.1}, (5, 45)),
        ({"train_size": 7, "test_size": 0.2}, (7, 10)),
        ({"test_size": 0.001}, (49, 1)),
        ({"test_size": 0.999}, (1, 49)),
    ],
)
def test_sizes_are_shares_or_numbers_of_queries(sizes, expected):
    ((train, test),) = sets_of_queries(QueryShuffleSplit(1, **sizes), QID)
    assert (len(train), len(test)) == expected
    assert not train & test
