"""cross_validate_queries keeps the value of every query."""

import pickle
import re
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn
from lightgbm import LGBMRanker
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    cross_validate_queries,
    make_ranking_scorer,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import CutQueriesWarning, GradeScaleWarning, QueryLeakWarning
from skgraded.results import Scores

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 15), random_state=0)
TARGET = query_target(Y, QID)
MEASURE = xGAP(max_grade=4, k=10)
RANKER = QueryRanker(Ridge(), measure=MEASURE)
SEARCH = GridSearchCV(RANKER, {"estimator__alpha": [1, 1e5]}, cv=QueryKFold(2))
PLAIN_SEARCH = GridSearchCV(
    Ridge(), {"alpha": [1, 1e5]}, scoring=make_ranking_scorer("AP"), cv=QueryKFold(2)
)


# Cross-validation


@pytest.mark.parametrize("form", ["coo", "csc", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("estimator", [Ridge(), RANKER])
@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
def test_sparse_matrices_of_every_format(form, estimator):
    given = {"y": Y, "qid": QID, "measures": MEASURE, "cv": 3}
    expected = cross_validate_queries(estimator, scipy.sparse.csr_matrix(X), **given)
    found = cross_validate_queries(
        estimator, scipy.sparse.csr_matrix(X).asformat(form), **given
    )
    np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [RANKER, SEARCH, make_pipeline(StandardScaler(), RANKER), LogisticRegression()],
)
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
def test_fold_means_are_those_of_scikit_learn(estimator, routing):
    scoring = make_ranking_scorer([MEASURE, "nDCG@5"])
    target = query_series(Y, QID)
    expected = cross_validate(estimator, X, target, cv=QueryKFold(4), scoring=scoring)
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_validate_queries(
            estimator, X, Y, qid=QID, measures=[MEASURE, "nDCG@5"], cv=4, n_jobs=2
        )
    means = [expected[f"test_{name}"] for name in (MEASURE, "nDCG@5")]
    np.testing.assert_array_equal(found.fold_means(), np.transpose(means))
    assert found.estimators is None
    assert found.fit_time.shape == found.score_time.shape == (4,)


def test_every_query_has_the_value_that_its_fold_s_model_gives_it():
    found = cross_validate_queries(
        RANKER, X, TARGET, cv=QueryKFold(4), return_estimator=True
    )
    assert found.measures == (str(MEASURE),)
    assert sorted(found.qid) == sorted(set(QID))
    assert found.values.shape == (1, 40, 1)
    for split, (train, test) in enumerate(QueryKFold(4).split(X, groups=QID)):
        ridge = Ridge().fit(X[train], Y[train])
        expected = MEASURE.per_query(Y[test], ridge.predict(X[test]), qid=QID[test])
        tested = found.folds[0] == split
        np.testing.assert_array_equal(found.qid[tested], expected.qid)
        np.testing.assert_array_equal(found.values[0, tested, 0], expected.values)
        np.testing.assert_array_equal(
            found.estimators[split].predict(X[test]), ridge.predict(X[test])
        )
    assert found.mean()[str(MEASURE)] == pytest.approx(np.mean(found.values))


def test_queries_tested_several_times_count_once():
    found = cross_validate_queries(
        RANKER,
        X,
        TARGET,
        cv=QueryShuffleSplit(4, test_size=0.5),
        measures=["AP", MEASURE],
    )
    scores = found[MEASURE].over_repeats()
    assert scores.n_queries == len(set(found.qid)) < (found.folds >= 0).sum()
    for number, value in enumerate(scores.values):
        tested = found.folds[:, number] >= 0
        assert value == pytest.approx(found.values[tested, number, 1].mean())
        assert np.isnan(found.values[~tested, number]).all()
    assert found.mean()[str(MEASURE)] == pytest.approx(scores.values.mean())


def test_weights_count_in_fit_and_mean():
    weight = np.where(QID < 10, 3.0, 1.0)
    found = cross_validate_queries(RANKER, X, TARGET, sample_weight=weight, cv=4)
    expected = []
    for train, test in QueryKFold(4).split(X, groups=QID):
        ridge = Ridge().fit(X[train], Y[train], sample_weight=weight[train])
        expected.append(
            MEASURE(
                Y[test],
                ridge.predict(X[test]),
                qid=QID[test],
                sample_weight=weight[test],
            )
        )
    np.testing.assert_allclose(found.fold_means()[:, 0], expected, rtol=1e-12)
    np.testing.assert_array_equal(found.weights, np.where(found.qid < 10, 3.0, 1.0))


def test_an_open_scale_is_that_of_all_labels():
    top = np.isin(QID, QID[Y == 4])
    folds = [(np.flatnonzero(~top), np.flatnonzero(top))]
    found = cross_validate_queries(
        QueryRanker(Ridge(), measure="xGAP@10"), X, TARGET, cv=folds
    )
    assert found.measures == (str(MEASURE),)


def test_measures_are_found_by_their_open_and_their_chosen_names():
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=["AP", "xGAP@10"])
    np.testing.assert_array_equal(found["xGAP@10"].values, found[MEASURE].values)
    with pytest.raises(KeyError, match="xGAP@5 is not among the measures scored"):
        found["xGAP@5"]
    named = {"users": "xGAP@10", "all": MEASURE}
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=named)
    assert list(found) == ["users", "all"]
    np.testing.assert_array_equal(found["users"].values, found["all"].values)


def test_several_rankers_are_tested_on_the_same_splits():
    stiff = QueryRanker(Ridge(alpha=1e5), measure=MEASURE)
    cv, given = (
        QueryKFold(4, random_state=3),
        {"n_repeats": 2, "return_estimator": True},
    )
    found = cross_validate_queries(
        {"a": RANKER, "b": stiff}, X, TARGET, cv=cv, n_jobs=2, **given
    )
    assert found.systems == ("a", "b")
    assert found.values.shape == (2, 2, 40, 1)
    assert found.fit_time.shape == found.score_time.shape == (2, 8)
    for system, ranker, fitted in zip(
        "ab", (RANKER, stiff), found.estimators, strict=True
    ):
        alone = cross_validate_queries(ranker, X, TARGET, cv=cv, **given)
        np.testing.assert_array_equal(found.select(system=system).values, alone.values)
        np.testing.assert_array_equal(found.folds, alone.folds)
        np.testing.assert_array_equal(found.qid, alone.qid)
        np.testing.assert_array_equal(
            fitted[5].predict(X), alone.estimators[5].predict(X)
        )
        assert found.mean()[system] == alone.mean()
    assert type(found["xGAP@10"]) is Scores
    only = cross_validate_queries({"a": RANKER}, X, TARGET, cv=cv)
    assert only.values.shape == (1, 1, 40, 1)


def test_a_ranker_of_a_library_is_wrapped():
    bare = LGBMRanker(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1)
    for each in (bare, make_pipeline(StandardScaler(), bare)):
        both = {"bare": each, "wrapped": QueryRanker(each, measure=MEASURE)}
        found = cross_validate_queries(both, X, Y, qid=QID, measures=MEASURE, cv=3)
        np.testing.assert_array_equal(*found.values)


@pytest.mark.parametrize("estimator", [Ridge(), PLAIN_SEARCH], ids=["plain", "search"])
def test_a_column_of_ids_is_no_feature_of_any_estimator(estimator):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"f{each}" for each in range(X.shape[1])])
    with_ids = frame.assign(qid=QID)
    given = {"measures": "nDCG@5", "cv": 3, "return_estimator": True}
    found = cross_validate_queries(estimator, with_ids, Y, **given)
    assert found.estimators[0].n_features_in_ == X.shape[1]
    expected = cross_validate_queries(estimator, frame, Y, qid=QID, **given)
    np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_around_an_estimator_that_knows_nothing_of_queries(routing):
    pytest.importorskip("pandas")
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_validate_queries(
            PLAIN_SEARCH, X, Y, qid=QID, measures="AP", cv=3, return_estimator=True
        )
    for search, (train, _) in zip(
        found.estimators, QueryKFold(3).split(X, Y, QID), strict=True
    ):
        expected = sklearn.base.clone(SEARCH).set_params(estimator__measure="AP")
        expected.fit(X[train], TARGET[train])
        assert search.best_score_ == pytest.approx(expected.best_score_, rel=1e-9)


def test_the_splitter_may_need_grades():
    found = cross_validate_queries(RANKER, X, TARGET, cv=StratifiedQueryKFold(4))
    assert np.ptp(np.bincount(found.folds[0])) <= 1


def test_folds_that_cut_queries_warn_once_and_whole_ones_do_not():
    both = [
        QueryLeakWarning,
        CutQueriesWarning,
    ]  # the splits, and what the ranker is fitted on
    for estimator, measures, found in [
        (RANKER, None, both),
        (Ridge(), MEASURE, both[:1]),
    ]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cross_validate_queries(
                estimator, X, Y, qid=QID, measures=measures, cv=KFold(3, shuffle=True)
            )
        assert [each.category for each in caught] == found
        assert re.match(r"cv cuts queries: up to \d+ of 40", str(caught[0].message))
    cross_validate_queries(
        RANKER, X, TARGET, cv=list(QueryKFold(3).split(X, groups=QID))
    )


def test_results_print_pickle_and_become_frames():
    pd = pytest.importorskip("pandas")
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=[MEASURE, "AP"])
    lines = repr(found).splitlines()
    assert lines[0].split() == [
        "measure",
        "mean",
        "fold",
        "mean",
        "fold",
        "std",
        "ideal",
    ]
    ap = [
        found.mean()["AP"],
        found.fold_means()[:, 1].mean(),
        found.fold_means()[:, 1].std(),
    ]
    assert lines[2].split()[1:4] == [f"{each:.4f}" for each in ap]
    assert "of the means of 4 folds." in " ".join(" ".join(lines).split())
    frame = found.to_frame()
    assert list(frame.columns) == ["fold", str(MEASURE), "AP"]
    assert frame.index.names == ["repeat", "qid"]
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)).to_frame(), frame)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.IdColumnWarning")
def test_a_scorer_leaves_ids_to_an_estimator_that_was_fitted_on_them():
    pd = pytest.importorskip("pandas")
    with_ids = pd.DataFrame(
        X, columns=[f"f{each}" for each in range(X.shape[1])]
    ).assign(qid=QID)
    ridge = Ridge().fit(with_ids, Y)
    expected = MEASURE(Y, ridge.predict(with_ids), qid=QID)
    assert make_ranking_scorer(MEASURE)(ridge, with_ids, Y) == expected


# Repeats


def test_repeats_draw_the_splits_again():
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, n_repeats=3)
    single = cross_validate_queries(RANKER, X, TARGET, cv=4)
    third = cross_validate_queries(RANKER, X, TARGET, cv=QueryKFold(4, random_state=2))
    assert found.fit_time.shape == (12,)
    assert len(single.folds) == 1
    for number, alone in [(0, single), (2, third)]:
        repeat = found.select(repeat=number, qid=alone.qid.tolist())
        np.testing.assert_array_equal(repeat.values, alone.values[0])
    assert (found.folds >= 0).sum(axis=1).tolist() == [40] * 3


@pytest.mark.parametrize(("seed", "next_seed"), [(5, 6), (np.int8(127), 128)])
def test_splitters_that_draw_can_be_repeated(seed, next_seed):
    shuffled = QueryShuffleSplit(n_splits=2, test_size=0.5, random_state=seed)
    found = cross_validate_queries(RANKER, X, TARGET, cv=shuffled, n_repeats=2)
    other = QueryShuffleSplit(n_splits=2, test_size=0.5, random_state=next_seed)
    for repeat, (_, test) in enumerate(other.split(X, groups=QID), start=2):
        assert set(found.select(repeat=repeat).qid.tolist()) == set(QID[test].tolist())
    assert shuffled.random_state == seed


def test_a_splitter_with_a_random_state_draws_on():
    drawn = QueryKFold(4, random_state=np.random.RandomState(0))
    found = cross_validate_queries(RANKER, X, TARGET, cv=drawn, n_repeats=2)
    first, second = (
        found.qid[(found.folds == fold).any(axis=0)].tolist() for fold in (0, 4)
    )
    assert set(first) != set(second)
    assert found.folds.shape == (2, 40)


# Thresholds that a fold does not reach


def test_a_fold_without_the_top_grade_is_no_reason_to_warn():
    one_top = np.where(np.arange(len(Y)) == Y.argmax(), 4, np.minimum(Y, 3))
    cross_validate_queries(Ridge(), X, one_top, qid=QID, measures="AP(rel=4)", cv=4)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_threshold_that_no_label_reaches_is_warned_of_once(n_jobs):
    with pytest.warns(GradeScaleWarning, match="which is 3, .* got 4") as seen:
        cross_validate_queries(
            Ridge(),
            X,
            np.minimum(Y, 3),
            qid=QID,
            measures="AP(rel=4)",
            cv=4,
            n_jobs=n_jobs,
        )
    assert len(seen) == 1
    assert seen[0].filename == __file__
