"""QueryKFold: folds of whole queries that no order of rows and no version changes."""

import pickle

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from skgraded import QueryKFold, make_ranking_scorer, query_target
from skgraded.datasets import make_ranking


def folds_of_queries(qid, **params):
    """Test queries of each fold."""
    rows = np.zeros((len(qid), 1))
    splits = QueryKFold(**params).split(rows, groups=qid)
    return [set(np.asarray(qid)[test].tolist()) for _, test in splits]


@given(
    sizes=st.lists(st.integers(1, 5), min_size=2, max_size=30),
    n_splits=st.integers(2, 8),
    shuffle=st.booleans(),
    data=st.data(),
)
def test_folds_partition_whole_queries_evenly_whatever_the_order_of_rows(
    sizes, n_splits, shuffle, data
):
    n_splits = min(n_splits, len(sizes))
    qid = np.repeat(np.arange(len(sizes)) * 7, sizes)
    rows = np.array(data.draw(st.permutations(range(len(qid)))))
    splits = list(QueryKFold(n_splits, shuffle=shuffle).split(np.zeros(len(qid)), groups=qid[rows]))
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested.tolist()) == list(range(len(qid)))
    for train, test in splits:
        assert not set(qid[rows][train]) & set(qid[rows][test])
        assert sorted([*train, *test]) == list(range(len(qid)))
        assert np.all(np.diff(train) > 0)
        assert np.all(np.diff(test) > 0)
    n_queries = [len(np.unique(qid[rows][test])) for _, test in splits]
    assert max(n_queries) - min(n_queries) <= 1
    assert folds_of_queries(qid, n_splits=n_splits, shuffle=shuffle) == folds_of_queries(
        qid[rows], n_splits=n_splits, shuffle=shuffle
    )


def test_the_folds_are_these_on_every_version():
    assert folds_of_queries(np.arange(10), n_splits=3) == [{2, 4, 8, 9}, {1, 6, 7}, {0, 3, 5}]
    assert folds_of_queries(np.arange(10), n_splits=3, random_state=1) == [
        {2, 4, 6, 9},
        {0, 1, 3},
        {5, 7, 8},
    ]
    letters = np.array(list("bcaed"))
    assert folds_of_queries(letters, n_splits=2) == [{"c", "a", "b"}, {"d", "e"}]


def test_without_shuffling_the_folds_are_blocks_of_ids():
    qid = ["b", "a", "d", "c", "b", "e"]
    assert folds_of_queries(qid, n_splits=2, shuffle=False) == [{"a", "b", "c"}, {"d", "e"}]


def test_the_seed_changes_the_folds_and_a_call_does_not():
    qid = np.arange(100) // 2
    assert folds_of_queries(qid) == folds_of_queries(qid)
    assert folds_of_queries(qid) != folds_of_queries(qid, random_state=1)
    assert folds_of_queries(qid) != folds_of_queries(qid, shuffle=False)


def test_ids_of_several_types_have_folds_that_the_order_does_not_change():
    qid = np.array([1, "a", 2.5, "b", ("c",), 1], dtype=object)
    assert folds_of_queries(qid, n_splits=2) == folds_of_queries(qid[::-1], n_splits=2)


def test_ids_are_read_from_every_carrier():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    qid = np.array(["b", "a", "c", "b", "d", "a"])
    index = pd.Index(qid, name="qid")
    expected = [test.tolist() for _, test in QueryKFold(2).split(qid, groups=qid)]
    for X, y in [
        (qid, query_target(np.zeros(6), qid)),
        (pd.DataFrame({"qid": qid}), None),
        (pl.DataFrame({"qid": qid}), None),
        (pd.DataFrame({"x": range(6)}, index=index), None),
        (qid, pd.Series(range(6), index=index)),
    ]:
        assert [test.tolist() for _, test in QueryKFold(2).split(X, y)] == expected


def test_one_keyword_feeds_estimator_scorer_and_splitter():
    X, y, qid = make_ranking(n_queries=12, docs_per_query=5, random_state=0)
    scorer = make_ranking_scorer("nDCG@5")
    off = cross_val_score(
        _RidgeOnTargets(), X, query_target(y, qid), cv=QueryKFold(3), scoring=scorer
    )
    with sklearn.config_context(enable_metadata_routing=True):
        on = cross_val_score(
            _RidgeOnTargets(), X, y, cv=QueryKFold(3), scoring=scorer, params={"qid": qid}
        )
    np.testing.assert_array_equal(on, off)


class _RidgeOnTargets(Ridge):
    def fit(self, X, y):
        return super().fit(X, y["grade"] if y.dtype.names else y)


def test_repr_pickle_and_number_of_splits():
    splitter = QueryKFold(3, random_state=7)
    assert repr(splitter) == "QueryKFold(n_splits=3, random_state=7, shuffle=True)"
    assert splitter.get_n_splits() == 3
    copy = pickle.loads(pickle.dumps(splitter))
    assert copy.random_state == 7


@pytest.mark.parametrize(
    ("params", "qid", "message"),
    [
        (
            {"n_splits": 3},
            [1, 2, 1, 2],
            r"n_splits must not exceed the number of queries \(2\), got 3",
        ),
        ({"n_splits": 1}, [1, 2, 1, 2], "n_splits must be an integer >= 2, got 1"),
        ({"n_splits": 2.0}, [1, 2, 1, 2], "n_splits must be an integer >= 2, got 2.0"),
        ({"n_splits": 2}, [3, 1], r"look like group sizes.*np\.repeat"),
        ({"n_splits": 2}, [1, 2, 3], "qid must have one entry per row"),
        (
            {"n_splits": 2},
            [1, 2, np.nan, 1],
            "qid must name a query in every row, got nan in row 2",
        ),
        ({"n_splits": 2}, None, "Query ids are missing"),
    ],
)
def test_bad_input_is_refused(params, qid, message):
    with pytest.raises(ValueError, match=message):
        list(QueryKFold(**params).split(np.zeros((4, 1)), np.zeros(4), qid))
