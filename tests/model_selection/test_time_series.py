"""Splits and stopping by time: early queries train, later ones validate and test."""

from datetime import date

import numpy as np
import pandas as pd
import pytest
from boosters import lgbm
from hypothesis import given, strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryTimeSeriesSplit,
    cross_validate_queries,
    make_ranking_scorer,
    query_target,
    query_train_test_split,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import CutQueriesWarning

X, Y, QID = make_ranking(n_queries=40, docs_per_query=10, random_state=0)


def by_last_row(qid, times=None):
    """Queries in the order of their last rows, by a loop over the rows."""
    last = {}
    for row, query in enumerate(qid):
        time = 0 if times is None else times[row]
        last[query] = max(last.get(query, (time, row)), (time, row))
    if times is not None:
        last = {q: (last[q][0], max(np.flatnonzero(qid == q))) for q in last}
    return sorted(last, key=last.get)


def rows_of(qid, queries):
    return [row for row, query in enumerate(qid) if query in queries]


IDS = st.lists(st.integers(0, 8), min_size=12, max_size=40)
SIZES = st.none() | st.integers(1, 3)


@given(
    qid=IDS,
    n_splits=st.integers(1, 3),
    sizes=st.fixed_dictionaries(
        {"test_size": SIZES, "max_train_size": SIZES, "gap": st.integers(0, 2)}
    ),
    seed=st.none() | st.integers(0, 9),
)
def test_the_splits_are_those_of_scikit_learn_on_queries_by_time(
    qid, n_splits, sizes, seed
):
    test_size = sizes["test_size"]
    max_train_size = sizes["max_train_size"]
    gap = sizes["gap"]
    qid = np.array(qid)
    times = None
    if seed is not None:
        times = np.random.default_rng(seed).integers(0, 5, len(qid))
    queries = by_last_row(qid, times)
    name = None if times is None else "when"
    splitter = QueryTimeSeriesSplit(n_splits, **sizes, times=name)
    frame = pd.DataFrame({"a": np.zeros(len(qid)), "when": times})
    n_test = test_size or max(1, len(queries) // (n_splits + 1))
    if len(queries) - n_splits * n_test - gap < 1:
        with pytest.raises(ValueError, match="queries to train on"):
            list(splitter.split(frame, None, qid))
        return

    found = list(splitter.split(frame, None, qid))
    # scikit-learn makes two splits or more: its last ones are the same.
    peer = TimeSeriesSplit(max(n_splits, 2), **{**sizes, "test_size": n_test, "gap": 0})
    expected = []
    for number in range(n_splits):
        start = len(queries) - (n_splits - number) * n_test
        end = start - gap
        begin = 0 if max_train_size is None else max(0, end - max_train_size)
        expected.append((queries[begin:end], queries[start : start + n_test]))
    if gap == 0 and n_splits >= 2:
        by_peer = [
            ([queries[n] for n in train], [queries[n] for n in test])
            for train, test in peer.split(queries)
        ]
        assert by_peer == expected
    assert [(train.tolist(), test.tolist()) for train, test in found] == [
        (rows_of(qid, train), rows_of(qid, test)) for train, test in expected
    ]
    assert splitter.get_n_splits() == n_splits


@given(
    qid=IDS, n_test=st.integers(1, 3), n_train=SIZES, seed=st.none() | st.integers(0, 9)
)
def test_the_latest_queries_are_tested(qid, n_test, n_train, seed):
    qid = np.array(qid)
    times = None
    if seed is not None:
        times = np.random.default_rng(seed).integers(0, 5, len(qid)) * 0.5
    queries = by_last_row(qid, times)
    if len(queries) < n_test + (n_train or 1):
        return
    number = np.arange(len(qid))
    train, test, _, _ = query_train_test_split(
        number,
        qid=qid,
        test_size=n_test,
        train_size=n_train,
        shuffle=False,
        times=times,
    )
    assert test.tolist() == rows_of(qid, queries[-n_test:])
    start = len(queries) - n_test
    begin = 0 if n_train is None else start - n_train
    assert train.tolist() == rows_of(qid, queries[begin:start])


TIMES = pd.date_range("2024-01-01", periods=len(Y), freq="min")
KINDS = {
    "datetime64": TIMES.to_numpy(),
    "time zone": TIMES.tz_localize("Europe/Rome"),
    "date": [date.fromordinal(700_000 + n) for n in range(len(Y))],
    "float": np.arange(len(Y)) * 0.5,
    "Arrow": pd.Series(TIMES).convert_dtypes(dtype_backend="numpy_nullable"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_times_may_be_of_any_type(kind):
    order = np.random.default_rng(0).permutation(len(Y))
    times = pd.Series(KINDS[kind])[order]
    test = query_train_test_split(
        QID[order], qid=QID[order], shuffle=False, test_size=7, times=np.asarray(times)
    )[1]
    assert set(test) == set(range(33, 40))
    frame = pd.DataFrame({"a": 0.0, "when": times.to_numpy()})
    splitter = QueryTimeSeriesSplit(3, test_size=2, times="when")
    for n, (_, test) in enumerate(splitter.split(frame, None, QID[order])):
        assert set(QID[order][test]) == {34 + 2 * n, 35 + 2 * n}


def test_the_ranker_holds_out_the_latest_queries_in_any_order_of_ids():
    names = np.random.default_rng(1).permutation(40)[QID]
    mixed = np.arange(len(Y)).reshape(40, 10)
    mixed = np.concatenate([mixed[:20].T.ravel(), mixed[20:].ravel()])  # interleaved
    ranker = QueryRanker(
        lgbm(), measure="nDCG@10", validation_fraction=0.25, shuffle=False
    ).fit(X[mixed], Y[mixed], names[mixed])
    held_out = set(names[ranker.validation_queries_.contains(names)].tolist())
    assert held_out == set(by_last_row(names[mixed])[-10:])
    assert held_out == set(names[QID >= 30].tolist())


def test_refit_trains_on_the_latest_queries_too():
    stops = {"validation_fraction": 0.25, "early_stopping_rounds": 5, "shuffle": False}
    ranker = QueryRanker(lgbm(), measure="nDCG@10", refit=True, **stops).fit(X, Y, QID)
    plain = lgbm(n_estimators=ranker.n_iterations_).fit(X, Y, group=[10] * 40)
    assert np.array_equal(ranker.predict(X), plain.predict(X))


def test_tools_of_scikit_learn_take_the_splitter():
    ranker = QueryRanker(Ridge(), measure="nDCG@10")
    y = query_target(Y, QID)
    cv = QueryTimeSeriesSplit(3, gap=2)
    scores = cross_val_score(ranker, X, y, cv=cv)
    validation = cross_validate_queries(ranker, X, Y, qid=QID, cv=cv)
    assert validation.fold_means()[:, 0] == pytest.approx(scores)
    assert set(validation.qid) == set(range(10, 40))
    search = GridSearchCV(ranker, {"estimator__alpha": [1, 2]}, cv=cv).fit(X, y)
    assert search.cv_results_["split1_test_score"][0] == scores[1]


def test_a_column_of_times_reaches_the_splitter_everywhere():
    order = np.random.default_rng(0).permutation(len(Y))
    frame = pd.DataFrame(X[order], columns=[f"f{n}" for n in range(X.shape[1])])
    frame["when"] = order
    y = query_target(Y[order], QID[order])
    cv = QueryTimeSeriesSplit(3, times="when")
    scorer = make_ranking_scorer("nDCG@10")
    expected = cross_val_score(
        Ridge(), frame, y["grade"], cv=list(cv.split(frame, y)), scoring=lambda *_: 0.5
    )
    assert expected.tolist() == [0.5] * 3
    ranker = QueryRanker(Ridge(), measure="nDCG@10")
    scores = cross_val_score(ranker, frame, y, cv=cv, scoring=scorer)
    validation = cross_validate_queries(ranker, frame, Y[order], qid=QID[order], cv=cv)
    assert validation.fold_means()[:, 0] == pytest.approx(scores)
    inner = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=cv)
    fitted = QueryRanker(inner, measure="nDCG@10").fit(frame, Y[order], QID[order])
    assert fitted.estimator_.n_splits_ == 3


def test_cut_queries_are_warned_of():
    y = query_target(Y, QID)[:-3]
    with pytest.warns(CutQueriesWarning):
        list(QueryTimeSeriesSplit(3).split(y, y))
    with pytest.warns(CutQueriesWarning):
        query_train_test_split(X[:-3], y, shuffle=False)


WRONG = [
    ({"n_splits": 0}, "n_splits must be an integer >= 1"),
    ({"gap": -1}, "gap must be an integer >= 0"),
    ({"max_train_size": 0}, "max_train_size must be an integer >= 1, or None for all"),
    ({"test_size": 0.2}, "test_size must be an integer >= 1"),
    (
        {"times": "t"},
        "times must name a column of X, got 't', which X, of type ndarray, lacks",
    ),
    ({"n_splits": 50}, "leave none of 40 queries to train on"),
]


@pytest.mark.parametrize(("params", "words"), WRONG)
def test_what_is_wrong_with_the_splitter_is_named(params, words):
    with pytest.raises(ValueError, match=words):
        list(QueryTimeSeriesSplit(**params).split(X, None, QID))


NOT_TIMES = [
    (
        np.where(QID == 3, np.nan, 1.0),
        "times must hold a time in every row, lacks it in row 30",
    ),
    (
        np.where(QID == 3, np.datetime64("nat"), np.datetime64("2024-01-01", "ns")),
        "in row 30",
    ),
    (np.arange(3), "times must hold|must have the same|as many"),
    (QID.astype(str), "times must be numbers, dates or times, got the text"),
]


@pytest.mark.parametrize(("times", "words"), NOT_TIMES)
def test_what_is_wrong_with_times_is_named(times, words):
    with pytest.raises(ValueError, match=words):
        query_train_test_split(X, qid=QID, times=times, shuffle=False)


def test_the_order_of_time_is_asked_for():
    with pytest.raises(ValueError, match="times needs shuffle=False"):
        query_train_test_split(X, qid=QID, times=QID)
    with pytest.raises(ValueError, match="shuffle must be True or False, got 0"):
        query_train_test_split(X, qid=QID, shuffle=0)
    with pytest.raises(ValueError, match="shuffle must be True or False, got 0"):
        QueryRanker(Ridge(), measure="AP", shuffle=0).fit(X, Y, QID)


def test_the_default_is_as_it_was():
    old = query_train_test_split(X, Y, qid=QID)
    new = query_train_test_split(X, Y, qid=QID, shuffle=True)
    assert all(map(np.array_equal, old, new))
    assert QueryKFold(3).get_n_splits() == 3
