"""Targets that carry the sizes of queries: every cut is counted, whatever makes it."""

import os
import pickle
import subprocess
import sys
import uuid
import warnings

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - opens the door
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
    learning_curve,
)

from skgraded import (
    QueryKFold,
    QueryRanker,
    cross_validate_queries,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_series,
    query_target,
    query_train_test_split,
)
from skgraded._guards import hash_ids
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    CutQueriesWarning,
    QueryLeakWarning,
    SkgradedWarning,
)
from skgraded.rankings import read_columns
from skgraded.scoring import QueryRecord

X, Y, QID = make_ranking(n_queries=24, docs_per_query=(4, 9), random_state=0)
TARGET = query_target(Y, QID)
SCORER = make_ranking_scorer("nDCG@10")
RANKER = QueryRanker(Ridge(), measure="nDCG@10")
SHUFFLED_ROWS = KFold(3, shuffle=True, random_state=0)
FITTED = Ridge().fit(X, Y)
WHOLE = list(GroupKFold(3).split(X, groups=QID))
SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def warnings_of(use):
    """Warnings of ours, every single one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        use()
    return [each.category for each in caught if issubclass(each.category, SkgradedWarning)]


@pytest.fixture
def series():
    pytest.importorskip("pandas")
    return query_series(Y, QID)


# Estimators that know nothing of queries: the scorer counts


def test_folds_of_rows_thin_the_lists_of_any_estimator(series):
    def use(cv):
        cross_val_score(Ridge(), X, series, cv=cv, scoring=SCORER)

    assert warnings_of(lambda: use(SHUFFLED_ROWS)) == [CutQueriesWarning]
    for cv in (WHOLE, QueryKFold(3)):
        assert warnings_of(lambda cv=cv: use(cv)) == []


def test_a_worker_process_warns(tmp_path):
    pytest.importorskip("pandas")
    script = tmp_path / "search.py"
    script.write_text(
        "import joblib\n"
        "from sklearn.linear_model import Ridge\n"
        "from sklearn.model_selection import KFold, cross_val_score\n"
        "from skgraded import make_ranking_scorer, query_series\n"
        "from skgraded.datasets import make_ranking\n"
        "if __name__ == '__main__':\n"
        "    X, y, qid = make_ranking(n_queries=24, docs_per_query=8, random_state=0)\n"
        "    with joblib.parallel_backend('multiprocessing'):\n"
        "        cross_val_score(Ridge(), X, query_series(y, qid), cv=KFold(3, shuffle=True),\n"
        "                        scoring=make_ranking_scorer('nDCG@10'), n_jobs=2)\n",
        encoding="utf-8",
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "CutQueriesWarning: The scored rows hold parts of queries" in run.stderr


@pytest.mark.parametrize("estimator", [Ridge(), RANKER], ids=["ridge", "ranker"])
def test_permutation_importance_of_some_rows_warns(estimator):
    train, test = WHOLE[0]
    labels = Y if isinstance(estimator, Ridge) else TARGET
    fitted = clone(estimator).fit(X[train], labels[train])

    def use(rows, share):
        permutation_importance(
            fitted,
            X[rows],
            TARGET[rows],
            scoring=SCORER,
            max_samples=share,
            n_repeats=2,
            random_state=0,
        )

    assert warnings_of(lambda: use(test, 0.3)) == [CutQueriesWarning]
    assert warnings_of(lambda: use(test, 1.0)) == []
    # The importance in training rows is that of what was learned by heart, too.
    of_all, of_some = [], [CutQueriesWarning]
    if estimator is RANKER:
        of_all, of_some = [QueryLeakWarning], [QueryLeakWarning] * 2
    assert warnings_of(lambda: use(train, 0.3)) == of_some
    assert warnings_of(lambda: use(train, 1.0)) == of_all


# Rankers: fit counts the training rows, and the scorer the scored ones


def halving(cv, **params):
    grid, options = {"estimator__alpha": [1, 10, 100]}, {"min_resources": 40, **params}
    return HalvingGridSearchCV(RANKER, grid, cv=cv, factor=3, random_state=0, **options)


@pytest.mark.parametrize("cv", [GroupKFold(3), QueryKFold(3), WHOLE])
def test_a_halving_search_over_rows_warns_whatever_splits(cv):
    found = warnings_of(lambda: halving(cv).fit(X, TARGET, groups=QID))
    assert found == [CutQueriesWarning]
    with pytest.warns(CutQueriesWarning, match="a resource such as 'estimator__n_estimators'"):
        halving(cv).fit(X, TARGET, groups=QID)
    over_a_parameter = {"resource": "estimator__max_iter", "min_resources": 2, "max_resources": 18}
    search = halving(cv, **over_a_parameter)
    assert warnings_of(lambda: search.fit(X, TARGET, groups=QID)) == []


def test_a_learning_curve_over_foreign_folds_warns():
    features, grades, qid = make_ranking(n_queries=12, docs_per_query=10, random_state=0)
    target = query_target(grades, qid)

    def use(sizes):
        learning_curve(RANKER, features, target, groups=qid, cv=GroupKFold(3), train_sizes=sizes)

    assert warnings_of(lambda: use([45, 80])) == [CutQueriesWarning]
    assert warnings_of(lambda: use([40, 80])) == []


@pytest.mark.skipif(SKLEARN < (1, 5), reason="not all tools route metadata before version 1.5")
def test_routed_ids_carry_sizes():
    ids = query_ids(QID)
    expected = cross_val_score(RANKER, X, TARGET, cv=QueryKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(RANKER, X, Y, cv=QueryKFold(3), params={"qid": ids})
        np.testing.assert_array_equal(found, expected)
        for cv, warned in [
            (SHUFFLED_ROWS, [CutQueriesWarning, QueryLeakWarning]),
            (WHOLE, []),
            (QueryKFold(3), []),
        ]:
            search = GridSearchCV(RANKER, {"estimator__alpha": [1, 2]}, cv=cv)
            assert warnings_of(lambda each=search: each.fit(X, Y, qid=ids)) == warned
        search = halving(WHOLE)
        assert warnings_of(lambda: search.fit(X, Y, qid=ids)) == [CutQueriesWarning]


def test_a_scorer_and_a_measure_take_ids_with_sizes():
    ridge = Ridge().fit(X, Y)
    expected = SCORER(ridge, X, Y, qid=QID)
    assert SCORER(ridge, X, Y, qid=query_ids(QID)) == expected
    assert nDCG(k=10)(Y, ridge.predict(X), qid=query_ids(QID)) == expected


def test_ids_that_are_given_twice_have_the_sizes_of_the_target(series):
    rows = np.arange(len(Y)) % 2 == 0
    for target in (TARGET, series):
        found = read_columns(target[rows], QID[rows], X=X[rows])
        np.testing.assert_array_equal(found.sizes, TARGET["n_rows"][rows])
        renamed = read_columns(target[rows], QID[rows] + 1, X=X[rows])
        assert renamed.ids.tolist() == (QID[rows] + 1).tolist()
        np.testing.assert_array_equal(renamed.sizes, found.sizes)


# Splitters


def test_splitters_count_what_they_split():
    rows = np.arange(len(Y)) % 2 == 0
    for use in (
        lambda: list(QueryKFold(3).split(X[rows], TARGET[rows])),
        lambda: list(QueryKFold(3).split(X[rows], groups=query_ids(QID)[rows])),
        lambda: query_train_test_split(X[rows], TARGET[rows]),
        lambda: cross_validate_queries(RANKER, X[rows], TARGET[rows]),
    ):
        assert warnings_of(use) == [CutQueriesWarning]


# Rows that occur twice


def test_whole_queries_that_are_drawn_twice_warn_until_they_have_ids_of_their_own():
    twice = np.tile(np.arange(len(Y)), 2)
    for use in (
        lambda: clone(RANKER).fit(X[twice], TARGET[twice]),
        lambda: SCORER(FITTED, X[twice], TARGET[twice]),
    ):
        with pytest.warns(CutQueriesWarning, match="more rows of queries than these have"):
            use()
    own = query_target(Y[twice], np.repeat([0, 1], len(Y)) * 1000 + QID[twice])
    assert warnings_of(lambda: clone(RANKER).fit(X[twice], own)) == []


# Any rows


@given(st.data())
def test_rows_warn_if_and_only_if_a_query_lacks_some(data):
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=24, max_size=24)))[QID]
    kept[0] = True
    dropped = data.draw(st.lists(st.integers(1, len(QID) - 1), max_size=3))
    kept[dropped] = False
    rows = np.array(data.draw(st.permutations(np.flatnonzero(kept).tolist())))
    is_cut = bool(np.isin(QID[kept], QID[~kept]).any())
    again = query_target(Y[rows], QID[rows])
    for warned, use in [
        (CutQueriesWarning, lambda target: clone(RANKER).fit(X[rows], target)),
        (CutQueriesWarning, lambda target: list(QueryKFold(2).split(target, target))),
        (CutQueriesWarning, lambda target: SCORER(FITTED, X[rows], target)),
    ]:
        if warned is CutQueriesWarning and len(set(QID[rows])) < 2:
            continue
        assert warnings_of(lambda use=use: use(TARGET[rows])) == ([warned] if is_cut else [])
        assert warnings_of(lambda use=use: use(again)) == []


# What a fitted ranker remembers


def test_a_fitted_ranker_holds_no_id():
    words = np.array([f"customer {each} of the shop" for each in QID])
    fitted = clone(RANKER).fit(X, query_target(Y, words))
    assert b"customer" not in pickle.dumps(fitted)


def test_a_fitted_ranker_is_light():
    qid = np.repeat(np.arange(20_000), 2)
    features, grades = np.ones((len(qid), 1)), np.tile([1, 0], 20_000)
    fitted = clone(RANKER).fit(features, query_target(grades, qid))
    assert len(pickle.dumps(fitted)) < 11 * 20_000


def test_a_record_knows_its_queries():
    fitted = clone(RANKER).fit(X[QID < 9], TARGET[QID < 9])
    record = fitted.training_queries_
    assert isinstance(record, QueryRecord)
    assert len(record) == 9
    np.testing.assert_array_equal(record.contains(QID), QID < 9)
    np.testing.assert_array_equal(record.contains(query_ids(QID)), QID < 9)
    assert sorted(record.n_rows) == sorted(np.bincount(QID)[:9])


UUIDS = [uuid.UUID(int=each) for each in (1, 2)]


def objects(*ids):
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([3, -7]), np.array([3, -7], dtype=np.int8)),
        (np.array([3, -7]), np.array([3.0, -7.0])),
        (np.array([3, -7]), objects(3, -7)),
        (np.array([3, 7]), np.array([3, 7], dtype=np.uint64)),
        (np.array([3, 7]), objects(np.int64(3), 7.0)),
        (np.array([0.5, 2]), objects(0.5, 2)),
        (np.array(["a", "bc"]), objects("a", "bc")),
        (np.array(["a", "bc"]), np.array(["a", "bc"], dtype="U9")),
        (np.array([b"a", b"bc"]), objects(b"a", b"bc")),
        (np.array([2**60 + 1]), objects(np.int64(2**60 + 1))),
        (objects(*UUIDS), objects(*UUIDS)),
        (objects(2**70), objects(2**70)),
        (objects(1, "1", b"1", (1,)), objects(1.0, "1", b"1", (1,))),
    ],
)
def test_equal_ids_of_other_types_have_equal_hashes(one, other):
    np.testing.assert_array_equal(hash_ids(one), hash_ids(other))
    assert len(set(hash_ids(one).tolist())) == len(one)


@given(
    st.lists(st.one_of(st.integers(), st.text(), st.binary(), st.uuids()), max_size=20, unique=True)
)
def test_different_ids_have_different_hashes(ids):
    assert len(set(hash_ids(objects(*ids)).tolist())) == len(ids)


def test_hashes_are_the_same_in_every_process():
    code = (
        "import numpy as np\n"
        "from skgraded._guards import hash_ids\n"
        "ids = np.array([7, 'a', b'a', (1, 'x'), 2.5], dtype=object)\n"
        "print(hash_ids(ids).tolist(), hash_ids(np.array(['a'])).tolist())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


# Series


def test_a_series_holds_grades_ids_and_sizes(series):
    assert series.index.names == ["qid", "n_rows"]
    np.testing.assert_array_equal(series.to_numpy(), Y)
    np.testing.assert_array_equal(series.index.get_level_values("n_rows"), TARGET["n_rows"])
    ridge = Ridge().fit(X, series)
    assert SCORER(ridge, X, series) == nDCG(k=10)(Y, ridge.predict(X), qid=QID)


def test_a_series_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"query_series needs pandas: pip install pandas"):
        query_series(Y, QID)
