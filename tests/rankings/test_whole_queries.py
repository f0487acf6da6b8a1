"""Queries stay whole: every cut is counted, whatever makes it, also inside of estimators."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn
from hypothesis import given, strategies as st
from samples import warnings_of
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor, StackingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - opens the door
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeRegressor

from skgraded import (
    QueryKFold,
    QueryRanker,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_series,
    query_target,
)
from skgraded._guards import hash_ids
from skgraded.datasets import make_ranking
from skgraded.exceptions import CutQueriesWarning, QueryLeakWarning, SkgradedWarning
from skgraded.rankings import read_columns
from skgraded.scoring import QueryRecord

X, Y, QID = make_ranking(n_queries=24, docs_per_query=(6, 12), random_state=0)
X = X[:, :5]
TARGET = query_target(Y, QID)
SCORER = make_ranking_scorer("nDCG@10")
RANKER = QueryRanker(Ridge(), measure="nDCG@10")
SHUFFLED_ROWS = KFold(3, shuffle=True, random_state=0)
FITTED = Ridge().fit(X, Y)
WHOLE = list(GroupKFold(3).split(X, groups=QID))
SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


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
    run = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True
    )
    assert "CutQueriesWarning: The scored rows hold parts of queries" in run.stderr


@pytest.mark.parametrize("estimator", [Ridge(), RANKER], ids=["ridge", "ranker"])
def test_permutation_importance_of_some_rows_warns(estimator):
    train, test = WHOLE[0]
    labels = Y if isinstance(estimator, Ridge) else TARGET
    fitted = clone(estimator).fit(X[train], labels[train])

    def use(rows, share):
        options = {"max_samples": share, "n_repeats": 2, "random_state": 0}
        permutation_importance(fitted, X[rows], TARGET[rows], scoring=SCORER, **options)

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


@pytest.mark.parametrize("cv", [QueryKFold(3), WHOLE])
def test_a_halving_search_over_rows_warns_whatever_splits(cv):
    with pytest.warns(SkgradedWarning) as found:
        halving(cv).fit(X, TARGET, groups=QID)
    assert [each.category for each in found] == [CutQueriesWarning]
    assert "a resource such as 'estimator__n_estimators'" in str(found[0].message)
    over_a_parameter = {
        "resource": "estimator__max_iter",
        "min_resources": 2,
        "max_resources": 18,
    }
    search = halving(cv, **over_a_parameter)
    assert warnings_of(lambda: search.fit(X, TARGET, groups=QID)) == []


@pytest.mark.skipif(
    SKLEARN < (1, 5), reason="not all tools route metadata before version 1.5"
)
def test_routed_ids_carry_sizes():
    ids = query_ids(QID)
    with sklearn.config_context(enable_metadata_routing=True):
        for cv, warned in [
            (SHUFFLED_ROWS, [CutQueriesWarning, QueryLeakWarning]),
            (WHOLE, []),
            (QueryKFold(3), []),
        ]:
            search = GridSearchCV(RANKER, {"estimator__alpha": [1, 2]}, cv=cv)
            assert warnings_of(lambda each=search: each.fit(X, Y, qid=ids)) == warned
        search = halving(WHOLE)
        assert warnings_of(lambda: search.fit(X, Y, qid=ids)) == [CutQueriesWarning]


def test_ids_that_are_given_twice_have_the_sizes_of_the_target(series):
    rows = np.arange(len(Y)) % 2 == 0
    for target in (TARGET, series):
        found = read_columns(target[rows], QID[rows], X=X[rows])
        np.testing.assert_array_equal(found.sizes, TARGET["n_rows"][rows])
        renamed = read_columns(target[rows], QID[rows] + 1, X=X[rows])
        assert renamed.ids.tolist() == (QID[rows] + 1).tolist()
        np.testing.assert_array_equal(renamed.sizes, found.sizes)


# Rows that occur twice


def test_whole_queries_that_are_drawn_twice_warn_until_they_have_ids_of_their_own():
    twice = np.tile(np.arange(len(Y)), 2)
    for use in (
        lambda: clone(RANKER).fit(X[twice], TARGET[twice]),
        lambda: SCORER(FITTED, X[twice], TARGET[twice]),
    ):
        with pytest.warns(
            CutQueriesWarning, match="more rows of queries than these have"
        ):
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
    expected = [CutQueriesWarning] if is_cut else []
    for use in (
        lambda target: clone(RANKER).fit(X[rows], target),
        lambda target: list(QueryKFold(2).split(target, target)),
        lambda target: SCORER(FITTED, X[rows], target),
    ):
        if len(set(QID[rows])) > 1:
            assert warnings_of(lambda use=use: use(TARGET[rows])) == expected
            assert warnings_of(lambda use=use: use(again)) == []


# What a fitted ranker remembers


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.ConstantValueWarning")
def test_a_fitted_ranker_remembers_its_queries_without_their_ids():
    words = np.array([f"customer {each} of the shop" for each in QID])
    assert b"customer" not in pickle.dumps(clone(RANKER).fit(X, query_target(Y, words)))
    many = np.repeat(np.arange(20_000), 2)
    grades = query_target(np.tile([1, 0], 20_000), many)
    assert (
        len(pickle.dumps(clone(RANKER).fit(np.ones((len(many), 1)), grades)))
        < 11 * 20_000
    )
    record = clone(RANKER).fit(X[QID < 9], TARGET[QID < 9]).training_queries_
    assert isinstance(record, QueryRecord)
    assert len(record) == 9
    np.testing.assert_array_equal(record.contains(QID), QID < 9)
    np.testing.assert_array_equal(record.contains(query_ids(QID)), QID < 9)
    assert sorted(record.n_rows) == sorted(np.bincount(QID)[:9])


def objects(*ids):
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


@pytest.mark.parametrize(
    "forms",
    [
        [
            np.array([3, -7]),
            np.array([3, -7], np.int8),
            np.array([3.0, -7]),
            objects(3, -7),
        ],
        [np.array([3, 7]), np.array([3, 7], np.uint64), objects(np.int64(3), 7.0)],
        [np.array([0.5, 2]), objects(0.5, 2)],
        [np.array(["a", "bc"]), np.array(["a", "bc"], "U9"), objects("a", "bc")],
        [np.array([b"a", b"bc"]), objects(b"a", b"bc")],
        [np.array([2**60 + 1]), objects(np.int64(2**60 + 1))],
        [objects(1, "1", b"1", (1,)), objects(1.0, "1", b"1", (1,))],
    ],
)
def test_equal_ids_of_other_types_have_equal_hashes(forms):
    (hashes,) = {tuple(hash_ids(each).tolist()) for each in forms}
    assert len(set(hashes)) == len(forms[0])


@given(
    st.lists(
        st.one_of(st.integers(), st.text(), st.binary(), st.uuids()),
        max_size=20,
        unique=True,
    )
)
def test_different_ids_have_different_hashes(ids):
    assert len(set(hash_ids(objects(*ids)).tolist())) == len(ids)


def test_hashes_are_the_same_in_every_process_and_version():
    ids = objects(7, "a", b"a", (1, "x"), 2.5)
    assert hash_ids(ids).tolist() == [
        7191089600892374487,
        6542336400791161020,
        1835113225863362838,
        2407830560106020424,
        6951934527937365523,
    ]


# Series


def test_a_series_holds_grades_ids_and_sizes(series):
    assert series.index.names == ["qid", "n_rows"]
    np.testing.assert_array_equal(series.to_numpy(), Y)
    np.testing.assert_array_equal(
        series.index.get_level_values("n_rows"), TARGET["n_rows"]
    )
    ridge = Ridge().fit(X, series)
    assert SCORER(ridge, X, series) == nDCG(k=10)(Y, ridge.predict(X), qid=QID)


def test_a_series_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match=r"query_series needs pandas: pip install pandas"
    ):
        query_series(Y, QID)


# Estimators that cross-validate inside QueryRanker: queries stay whole, or a warning says so

MEASURE = nDCG(k=5)
ALPHAS = {"alpha": [1e-3, 1e3]}
FOLDS = QueryKFold(3)
NAMED = np.array([f"q{each:02}" for each in QID])


def stacking(cv):
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    return StackingRegressor([("ridge", Ridge()), ("tree", tree)], Ridge(), cv=cv)


def search(cv):
    return GridSearchCV(Ridge(), ALPHAS, cv=cv, scoring=make_ranking_scorer(MEASURE))


def calibrated(cv):
    return CalibratedClassifierCV(LogisticRegression(solver="newton-cholesky"), cv=cv)


def lasso(cv):
    return LassoCV(cv=cv, alphas=[0.1, 0.01])


def in_a_pipeline(cv):
    return make_pipeline(StandardScaler(), stacking(cv))


def transformed(cv):
    return TransformedTargetRegressor(lasso(cv))


MAKERS = [stacking, search, calibrated, lasso, in_a_pipeline, transformed]


def fitted(make, cv, qid=QID, rows=slice(None)):
    return QueryRanker(make(cv), measure=MEASURE).fit(X[rows], Y[rows], qid=qid[rows])


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("routing", [False, True], ids=["off", "on"])
def test_query_folds_leave_queries_whole(make, routing):
    if routing and make is in_a_pipeline and SKLEARN < (1, 6):
        pytest.skip("a Pipeline asks StackingRegressor for its routing, which it lacks")
    splits = list(FOLDS.split(X, TARGET))
    listed = QueryRanker(make(splits), measure=MEASURE)
    with sklearn.config_context(enable_metadata_routing=routing):
        for cv in (FOLDS, GroupKFold(3)):
            assert warnings_of(lambda cv=cv: fitted(make, cv)) == []
        found = fitted(make, FOLDS).predict(X)
    if make is not search:  # its scorer needs the ids as well
        np.testing.assert_array_equal(found, listed.fit(X, TARGET).predict(X))


@pytest.mark.parametrize("make", [stacking, lasso])
def test_the_folds_depend_on_the_ids_alone(make):
    rows = np.random.default_rng(0).permutation(len(Y))
    expected = fitted(make, FOLDS, NAMED).predict(X)
    np.testing.assert_allclose(
        fitted(make, FOLDS, NAMED, rows).predict(X), expected, rtol=1e-6
    )


def test_the_given_splitter_remains():
    assert fitted(stacking, FOLDS).estimator_.get_params()["cv"].n_splits == 3
    with pytest.raises(ValueError, match="n_splits must not exceed"):
        fitted(stacking, QueryKFold(100))


class WithRegressor(GridSearchCV):
    """A search of what is named like the estimator inside a TransformedTargetRegressor."""

    def __init__(self, regressor, *, cv=None):
        super().__init__(regressor, ALPHAS, cv=cv)
        self.regressor = regressor


def test_the_cv_of_an_estimator_comes_before_that_of_its_regressor():
    def both(cv):
        return WithRegressor(Ridge(), cv=cv)

    assert warnings_of(lambda: fitted(both, FOLDS)) == []
    assert warnings_of(lambda: fitted(both, SHUFFLED_ROWS)) == [QueryLeakWarning]


def test_a_search_inside_scores_whole_queries():
    best = fitted(search, FOLDS).estimator_
    target = query_target(Y, QID)
    for place, alpha in enumerate(ALPHAS["alpha"]):
        ranker = QueryRanker(Ridge(alpha=alpha), measure=MEASURE)
        expected = cross_val_score(ranker, X, target, cv=FOLDS).mean()
        assert best.cv_results_["mean_test_score"][place] == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "cv", [SHUFFLED_ROWS, 2, None, [(np.arange(3, len(Y)), np.arange(3))]]
)
def test_folds_of_rows_warn(make, cv):
    if isinstance(cv, list) and make in {stacking, in_a_pipeline, calibrated}:
        cv = list(SHUFFLED_ROWS.split(X))
    # CalibratedClassifierCV wants several documents of every grade in every fold.
    ranker, grades = QueryRanker(make(cv), measure=MEASURE), np.minimum(Y, 1)
    assert QueryLeakWarning in warnings_of(lambda: ranker.fit(X, grades, qid=QID))


def test_one_warning_in_a_cross_validation_and_the_way_out():
    ranker = QueryRanker(stacking(SHUFFLED_ROWS), measure=MEASURE)
    found = warnings_of(lambda: cross_val_score(ranker, X, TARGET, cv=QueryKFold(3)))
    assert found == [QueryLeakWarning]
    with pytest.warns(QueryLeakWarning, match=r"LassoCV\(\.\.\., cv=QueryKFold\(5\)\)"):
        fitted(lasso, SHUFFLED_ROWS)


def test_the_check_draws_nothing_from_the_random_state_of_the_folds():
    def splitter():
        return KFold(3, shuffle=True, random_state=np.random.RandomState(5))

    listed = [(train, test) for train, test in splitter().split(X)]
    with pytest.warns(QueryLeakWarning):
        found, expected = (
            fitted(stacking, cv).predict(X) for cv in (splitter(), listed)
        )
    np.testing.assert_array_equal(found, expected)


TARGET_ENCODED = make_pipeline(TargetEncoder(target_type="continuous"), Ridge())


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        RidgeCV(),
        TARGET_ENCODED,
        StackingRegressor([("ridge", TARGET_ENCODED)], cv=FOLDS),
        TransformedTargetRegressor(
            RandomForestRegressor(2)
        ),  # which has no length before its fit
    ],
)
def test_what_makes_no_folds_of_rows_is_silent(estimator):
    ranker = QueryRanker(estimator, measure=MEASURE)
    assert warnings_of(lambda: ranker.fit(X, Y, qid=QID)) == []


def test_folds_that_were_made_before_are_none_of_ours():
    ranker = QueryRanker(stacking("prefit"), measure=MEASURE)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        ranker.fit(X, Y, qid=QID)


def test_folds_by_position_that_fall_between_queries_are_silent():
    X_, y, qid = make_ranking(n_queries=12, docs_per_query=10, random_state=0)
    ranker = QueryRanker(lasso(KFold(3)), measure=MEASURE)
    assert warnings_of(lambda: ranker.fit(X_, y, qid=qid)) == []
