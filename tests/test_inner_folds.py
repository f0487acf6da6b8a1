"""Estimators that cross-validate inside QueryRanker: queries stay whole, or a warning says so."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeRegressor

from skgraded import (
    QueryKFold,
    QueryRanker,
    make_ranking_scorer,
    nDCG,
    query_target,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    QueryLeakWarning,
    SkgradedWarning,
)

pytest.importorskip("pandas")

X, Y, QID = make_ranking(n_queries=24, docs_per_query=(6, 12), random_state=0)
X = X[:, :5]
TARGET = query_target(Y, QID)
NAMES = np.array([f"q{each:02}" for each in QID])
MEASURE = nDCG(k=5)
ALPHAS = {"alpha": [1e-3, 1e3]}
WHOLE = QueryKFold(3)
CUT = KFold(3, shuffle=True, random_state=0)


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


SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
MAKERS = [stacking, search, calibrated, lasso, in_a_pipeline]


def ours(use):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        use()
    return [each.category for each in caught if issubclass(each.category, SkgradedWarning)]


def fitted(make, cv, qid=QID, rows=slice(None)):
    return QueryRanker(make(cv), measure=MEASURE).fit(X[rows], Y[rows], qid=qid[rows])


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("routing", [False, True], ids=["off", "on"])
def test_query_folds_leave_queries_whole(make, routing):
    if routing and make is in_a_pipeline and SKLEARN < (1, 6):
        pytest.skip("a Pipeline asks StackingRegressor for its routing, which it lacks")
    splits = list(WHOLE.split(X, TARGET))
    listed = QueryRanker(make(splits), measure=MEASURE)
    with sklearn.config_context(enable_metadata_routing=routing):
        assert ours(lambda: fitted(make, WHOLE)) == []
        found = fitted(make, WHOLE).predict(X)
    if make is not search:  # its scorer needs the ids as well
        np.testing.assert_array_equal(found, listed.fit(X, TARGET).predict(X))


@pytest.mark.parametrize("make", MAKERS)
def test_group_folds_leave_queries_whole(make):
    assert ours(lambda: fitted(make, GroupKFold(3))) == []


@pytest.mark.parametrize("make", [stacking, lasso])
def test_the_folds_depend_on_the_ids_alone(make):
    rows = np.random.default_rng(0).permutation(len(Y))
    expected = fitted(make, WHOLE, NAMES).predict(X)
    np.testing.assert_allclose(fitted(make, WHOLE, NAMES, rows).predict(X), expected, rtol=1e-6)


def test_the_given_splitter_remains():
    assert fitted(stacking, WHOLE).estimator_.cv is not None
    assert fitted(stacking, WHOLE).estimator_.get_params()["cv"].n_splits == 3
    with pytest.raises(ValueError, match="n_splits must not exceed"):
        fitted(stacking, QueryKFold(100))


def test_a_search_inside_scores_whole_queries():
    best = fitted(search, WHOLE).estimator_
    target = query_target(Y, QID)
    for place, alpha in enumerate(ALPHAS["alpha"]):
        ranker = QueryRanker(Ridge(alpha=alpha), measure=MEASURE)
        expected = cross_val_score(ranker, X, target, cv=WHOLE).mean()
        assert best.cv_results_["mean_test_score"][place] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("cv", [CUT, 2, None, [(np.arange(3, len(Y)), np.arange(3))]])
def test_folds_of_rows_warn(make, cv):
    if isinstance(cv, list) and make in {stacking, in_a_pipeline, calibrated}:
        cv = list(CUT.split(X))
    # CalibratedClassifierCV wants several documents of every grade in every fold.
    ranker, grades = QueryRanker(make(cv), measure=MEASURE), np.minimum(Y, 1)
    assert QueryLeakWarning in ours(lambda: ranker.fit(X, grades, qid=QID))


def test_the_warning_names_the_estimator_and_the_way_out():
    with pytest.warns(QueryLeakWarning, match=r"LassoCV\(\.\.\., cv=QueryKFold\(5\)\)"):
        fitted(lasso, CUT)


def test_one_warning_in_a_cross_validation():
    ranker = QueryRanker(stacking(CUT), measure=MEASURE)
    found = ours(lambda: cross_val_score(ranker, X, TARGET, cv=QueryKFold(3)))
    assert found == [QueryLeakWarning]


def test_the_check_draws_nothing_from_the_random_state_of_the_folds():
    def splitter():
        return KFold(3, shuffle=True, random_state=np.random.RandomState(5))

    listed = [(train, test) for train, test in splitter().split(X)]
    with pytest.warns(QueryLeakWarning):
        found, expected = (fitted(stacking, cv).predict(X) for cv in (splitter(), listed))
    np.testing.assert_array_equal(found, expected)


def test_leaving_one_row_out_cuts_queries():
    small = slice(0, 60)
    ranker = QueryRanker(lasso(LeaveOneOut()), measure=MEASURE)
    assert ours(lambda: ranker.fit(X[small], Y[small], qid=QID[small])) == [QueryLeakWarning]


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        RidgeCV(),
        stacking("prefit"),
        make_pipeline(TargetEncoder(target_type="continuous"), Ridge()),
        StackingRegressor(
            [("ridge", make_pipeline(TargetEncoder(target_type="continuous"), Ridge()))], cv=WHOLE
        ),
        TransformedTargetRegressor(Ridge()),
    ],
)
def test_what_makes_no_folds_of_rows_is_silent(estimator):
    if getattr(estimator, "cv", None) == "prefit":
        fitted_ones = [(name, each.fit(X, Y)) for name, each in estimator.estimators]
        estimator = StackingRegressor(fitted_ones, Ridge(), cv="prefit")
    ranker = QueryRanker(estimator, measure=MEASURE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # prefit estimators are cloned
        warnings.simplefilter("error", SkgradedWarning)
        try:
            ranker.fit(X, Y, qid=QID)
        except sklearn.exceptions.NotFittedError:
            assert estimator.cv == "prefit"


def test_folds_by_position_that_fall_between_queries_are_silent():
    X_, y, qid = make_ranking(n_queries=12, docs_per_query=10, random_state=0)
    ranker = QueryRanker(lasso(KFold(3)), measure=MEASURE)
    assert ours(lambda: ranker.fit(X_, y, qid=qid)) == []
