"""cross_validate_queries keeps the value of every query; compare_rankers tests the differences."""

import pickle
import re
import warnings

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    AP,
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    cross_validate_queries,
    make_ranking_scorer,
    nDCG,
    query_target,
    query_train_test_split,
    xGAP,
)
from skgraded._stats.corrections import holm
from skgraded._stats.paired import t_test
from skgraded._stats.repeats import repeated_interval
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    CutQueriesWarning,
    QueryLeakWarning,
    ThinnedQueriesWarning,
)
from skgraded.measures import (
    Fallout,
)
from skgraded.model_selection import (
    compare_rankers,
)
from skgraded.results import Scores

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 15), random_state=0)
TARGET = query_target(Y, QID)
MEASURE = xGAP(max_grade=4, k=10)
RANKER = QueryRanker(Ridge(), measure=MEASURE)
SEARCH = GridSearchCV(RANKER, {"estimator__alpha": [1, 1e5]}, cv=QueryKFold(2))
PLAIN_SEARCH = GridSearchCV(
    Ridge(), {"alpha": [1, 1e5]}, scoring=make_ranking_scorer("AP"), cv=QueryKFold(2)
)
SHUFFLED = np.random.default_rng(0).permutation(len(Y))


# Cross-validation


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("estimator", [RANKER, SEARCH, make_pipeline(StandardScaler(), RANKER)])
def test_fold_means_are_those_of_scikit_learn(estimator, routing):
    scoring = make_ranking_scorer([MEASURE, "nDCG@5"])
    expected = cross_validate(estimator, X, TARGET, cv=QueryKFold(4), scoring=scoring)
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_validate_queries(
            estimator, X, Y, qid=QID, measures=[MEASURE, "nDCG@5"], cv=4, n_jobs=2
        )
    means = [expected[f"test_{name}"] for name in (MEASURE, "nDCG@5")]
    np.testing.assert_array_equal(found.fold_means(), np.transpose(means))
    assert found.estimators is None
    assert found.fit_time.shape == found.score_time.shape == (4,)


def test_every_query_has_the_value_that_its_fold_s_model_gives_it():
    found = cross_validate_queries(RANKER, X, TARGET, cv=QueryKFold(4), return_estimator=True)
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
        RANKER, X, TARGET, cv=QueryShuffleSplit(4, test_size=0.5), measures=["AP", MEASURE]
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
            MEASURE(Y[test], ridge.predict(X[test]), qid=QID[test], sample_weight=weight[test])
        )
    np.testing.assert_allclose(found.fold_means()[:, 0], expected, rtol=1e-12)
    np.testing.assert_array_equal(found.weights, np.where(found.qid < 10, 3.0, 1.0))


def test_estimators_that_know_nothing_of_queries():
    scoring = make_ranking_scorer("nDCG@5")
    pd = pytest.importorskip("pandas")
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    for estimator in (Ridge(), LogisticRegression(max_iter=2000)):
        found = cross_validate_queries(estimator, X, y, measures="nDCG@5", cv=3)
        expected = cross_validate(estimator, X, y, cv=QueryKFold(3), scoring=scoring)
        np.testing.assert_allclose(found.fold_means()[:, 0], expected["test_score"], rtol=1e-12)


def test_an_open_scale_is_that_of_all_labels():
    top = np.isin(QID, QID[Y == 4])
    folds = [(np.flatnonzero(~top), np.flatnonzero(top))]
    found = cross_validate_queries(QueryRanker(Ridge(), measure="xGAP@10"), X, TARGET, cv=folds)
    assert found.measures == (str(MEASURE),)


def test_an_open_measure_is_found_by_its_open_name():
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=["AP", "xGAP@10"])
    np.testing.assert_array_equal(found["xGAP@10"].values, found[MEASURE].values)
    for unknown in ("xGAP@5", "xGPA"):
        with pytest.raises(KeyError, match=f"{unknown} is not among the measures scored"):
            found[unknown]


def test_chosen_names_name_the_measures():
    named = {"users": "xGAP@10", "all": MEASURE}
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=named)
    assert list(found) == ["users", "all"]
    np.testing.assert_array_equal(found["users"].values, found["all"].values)


def test_several_rankers_are_tested_on_the_same_splits():
    stiff = QueryRanker(Ridge(alpha=1e5), measure=MEASURE)
    cv, given = QueryKFold(4, random_state=3), {"n_repeats": 2, "return_estimator": True}
    found = cross_validate_queries({"a": RANKER, "b": stiff}, X, TARGET, cv=cv, n_jobs=2, **given)
    assert found.systems == ("a", "b")
    assert found.values.shape == (2, 2, 40, 1)
    assert found.fit_time.shape == found.score_time.shape == (2, 8)
    for system, ranker, fitted in zip("ab", (RANKER, stiff), found.estimators, strict=True):
        alone = cross_validate_queries(ranker, X, TARGET, cv=cv, **given)
        np.testing.assert_array_equal(found.select(system=system).values, alone.values)
        np.testing.assert_array_equal(found.folds, alone.folds)
        np.testing.assert_array_equal(found.qid, alone.qid)
        np.testing.assert_array_equal(fitted[5].predict(X), alone.estimators[5].predict(X))
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
    with pytest.raises(ValueError, match=r"measures must be given for LGBMRanker, .*QueryRanker"):
        cross_validate_queries(bare, X, Y, qid=QID, cv=3)


def test_rankers_with_measures_of_their_own_need_one_in_common():
    rankers = {"a": RANKER, "b": QueryRanker(Ridge(), measure="AP")}
    with pytest.raises(ValueError, match=r"have different measures of their own, got xGAP.*, AP\."):
        cross_validate_queries(rankers, X, TARGET)


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
    for search, (train, _) in zip(found.estimators, QueryKFold(3).split(X, Y, QID), strict=True):
        expected = sklearn.base.clone(SEARCH).set_params(estimator__measure="AP")
        expected.fit(X[train], TARGET[train])
        assert search.best_score_ == pytest.approx(expected.best_score_, rel=1e-9)


def test_the_splitter_may_need_grades():
    found = cross_validate_queries(RANKER, X, TARGET, cv=StratifiedQueryKFold(4))
    assert np.ptp(np.bincount(found.folds[0])) <= 1


def test_folds_that_cut_queries_warn_once_and_whole_ones_do_not():
    both = [QueryLeakWarning, CutQueriesWarning]  # the splits, and what the ranker is fitted on
    for estimator, measures, found in [(RANKER, None, both), (Ridge(), MEASURE, both[:1])]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cross_validate_queries(
                estimator, X, Y, qid=QID, measures=measures, cv=KFold(3, shuffle=True)
            )
        assert [each.category for each in caught] == found
        assert re.match(r"cv cuts queries: up to \d+ of 40", str(caught[0].message))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_validate_queries(RANKER, X, TARGET, cv=list(QueryKFold(3).split(X, groups=QID)))


def test_results_print_pickle_and_become_frames():
    pd = pytest.importorskip("pandas")
    found = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=[MEASURE, "AP"])
    lines = repr(found).splitlines()
    assert lines[0].split() == ["measure", "mean", "fold", "mean", "fold", "std", "ideal"]
    assert lines[1].startswith(f"{MEASURE}  ")
    ap = [found.mean()["AP"], found.fold_means()[:, 1].mean(), found.fold_means()[:, 1].std()]
    assert lines[2].split()[1:4] == [f"{each:.4f}" for each in ap]
    assert "mean: over 40 queries; fold mean, fold std:" in " ".join(lines)
    assert "of the means of 4 folds." in " ".join(" ".join(lines).split())
    frame = found.to_frame()
    assert list(frame.columns) == ["fold", str(MEASURE), "AP"]
    assert frame.index.names == ["repeat", "qid"]
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)).to_frame(), frame)


@pytest.mark.parametrize(
    ("estimator", "given", "message"),
    [
        (RANKER, {}, "Query ids are missing"),
        (
            Ridge(),
            {"qid": QID},
            "measures must be given for Ridge, which has no measure of",
        ),
        (RANKER, {"qid": QID, "measures": []}, "measures must name at least one measure"),
        (RANKER, {"qid": QID, "measures": "xGPA"}, "Did you mean 'xGAP'"),
        (RANKER, {"qid": QID, "response_method": "p"}, "response_method must be one of"),
        (RANKER, {"qid": QID, "cv": None}, r"cv must be a number of folds, .*, got None"),
        (RANKER, {"qid": QID, "cv": []}, r"cv must give at least one split, got none from \[\]"),
        ({}, {"qid": QID, "measures": "AP"}, "Systems must have names that differ, got none"),
        (
            make_pipeline(StandardScaler(), RANKER),
            {"qid": QID, "sample_weight": np.ones(len(Y))},
            r"sample_weight does not reach .* QueryRanker\(make_pipeline",
        ),
    ],
)
def test_bad_input_is_refused(estimator, given, message):
    with pytest.raises(ValueError, match=message):
        cross_validate_queries(estimator, X, Y, **given)


def test_splits_that_leave_rows_of_tested_queries_out_warn():
    train, test = next(QueryKFold(3).split(X, groups=QID))
    with pytest.warns(ThinnedQueriesWarning, match=r"cv leaves rows of queries out: up to \d+ of"):
        cross_validate_queries(Ridge(), X, Y, qid=QID, measures="AP", cv=[(train, test[::2])])


# Comparison


def fitted_rankers():
    X_train, X_test, y_train, y_test = query_train_test_split(X, TARGET, test_size=0.5)
    some = QueryRanker(Ridge(alpha=1e5), measure=MEASURE)
    lgbm = QueryRanker(
        LGBMRanker(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1), measure=MEASURE
    )
    rankers = {"ridge": RANKER, "stiff": some, "trees": lgbm}
    return {
        name: sklearn.base.clone(each).fit(X_train, y_train) for name, each in rankers.items()
    }, (X_test, y_test)


def test_fitted_models_are_compared_on_the_queries_given():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test)
    scores = {
        name: MEASURE.per_query(y_test["grade"], each.predict(X_test), qid=y_test["qid"])
        for name, each in rankers.items()
    }
    assert found.rankers == tuple(
        sorted(rankers, key=lambda name: scores[name].mean(), reverse=True)
    )
    assert found.measure == MEASURE
    np.testing.assert_allclose(found.means, [scores[name].mean() for name in found.rankers])
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    for row, (one, other) in enumerate(found.pairs):
        a, b = (scores[found.rankers[each]].values for each in (one, other))
        assert found.differences[row] == pytest.approx(np.mean(a - b))
        assert found.differences[row] >= 0
        low, high = found.intervals[row]
        assert low < np.mean(a - b) < high
        assert found.effect_sizes[row] == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1))
    raw = compare_rankers(rankers, X_test, y_test, correction="none")
    a, b = (scores[found.rankers[each]].values for each in (0, 2))
    assert raw.p_values["t"][1] == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert raw.p_values["wilcoxon"][1] == pytest.approx(stats.wilcoxon((a - b)[a != b]).pvalue)
    ends = stats.ttest_rel(a, b).confidence_interval(0.95)
    np.testing.assert_allclose(raw.intervals[1], ends)
    test = stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=9999, random_state=0
    )
    assert raw.p_values["randomization"][1] == pytest.approx(test.pvalue, abs=0.02)
    for name, p_values in raw.p_values.items():
        assert found.p_values[name].min() == pytest.approx(min(1, 3 * p_values.min()))


@pytest.mark.parametrize("ridges", ["frame", "array"])
def test_models_that_were_fitted_without_the_ids_rank_frames_that_hold_them(ridges):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"f{each}" for each in range(X.shape[1])])
    with_ids = frame.assign(qid=QID)
    features = frame if ridges == "frame" else X
    models = {f"{alpha}": Ridge(alpha=alpha).fit(features, Y) for alpha in (1, 1e4)}
    with warnings.catch_warnings():  # scikit-learn's, of names that the model lacks
        warnings.simplefilter("ignore", UserWarning)
        found = compare_rankers(models, with_ids, Y, measure=MEASURE)
        score = make_ranking_scorer(MEASURE)(models["1"], with_ids, Y)
    expected = compare_rankers(models, features, Y, qid=QID, measure=MEASURE)
    np.testing.assert_array_equal(found.values, expected.values)
    assert score == make_ranking_scorer(MEASURE)(models["1"], features, Y, qid=QID)


def test_a_scorer_leaves_ids_to_an_estimator_that_was_fitted_on_them():
    pd = pytest.importorskip("pandas")
    with_ids = pd.DataFrame(X, columns=[f"f{each}" for each in range(X.shape[1])]).assign(qid=QID)
    ridge = Ridge().fit(with_ids, Y)
    expected = MEASURE(Y, ridge.predict(with_ids), qid=QID)
    assert make_ranking_scorer(MEASURE)(ridge, with_ids, Y) == expected


def test_cross_validations_searches_and_scores_are_compared():
    nested = cross_validate_queries(SEARCH, X, TARGET, cv=4)
    plain = cross_validate_queries(RANKER, X[SHUFFLED], TARGET[SHUFFLED], cv=4)
    stiff = cross_validate_queries(
        QueryRanker(Ridge(alpha=1e5), measure=MEASURE), X, TARGET, cv=4
    ).per_query()
    found = compare_rankers({"nested": nested, "plain": plain, "stiff": stiff})
    assert len(found.qid) == 40
    by_name = dict(zip(found.rankers, found.values, strict=True))
    place = {query: number for number, query in enumerate(plain.per_query().qid.tolist())}
    order = [place[query] for query in found.qid.tolist()]
    np.testing.assert_array_equal(by_name["plain"], plain.per_query().values[order])
    assert compare_rankers([nested, plain]).rankers in {
        ("ranker 0", "ranker 1"),
        ("ranker 1", "ranker 0"),
    }


def test_a_ranker_is_no_better_than_itself():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers([rankers["ridge"]] * 2, X_test, y_test)
    assert found.differences[0] == 0
    assert [each[0] for each in found.p_values.values()] == [1, 1, 1]
    assert found.intervals.tolist() == [[0, 0]]


def test_ties_among_documents_of_one_grade_are_no_difference():
    features, grades, qid = make_ranking(n_queries=40, docs_per_query=40, random_state=0)
    tied = 10 * np.round(features[:, 0]) + grades
    broken = tied + 1e-3 * np.random.default_rng(0).random(len(tied))
    scores = [xGAP(max_grade=4).per_query(grades, each, qid=qid) for each in (tied, broken)]
    assert (scores[0].values != scores[1].values).any()  # rounding
    found = compare_rankers(scores)
    assert found.differences[0] == found.effect_sizes[0] == 0
    assert [each[0] for each in found.p_values.values()] == [1, 1, 1]
    assert found.intervals.tolist() == [[0, 0]]


def test_less_may_be_better_and_queries_without_a_value_are_left_out():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test, measure=Fallout(k=5))
    assert (np.diff(found.means) >= 0).all()
    in_vain = [
        each for each in set(y_test["qid"]) if not y_test["grade"][y_test["qid"] == each].any()
    ]
    found = compare_rankers(rankers, X_test, y_test, measure=AP(empty=np.nan))
    assert found.n_left_out == len(in_vain) == 1
    assert not set(found.qid) & set(in_vain)
    assert "1 query without a value left out." in repr(found)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.InferredGradesWarning")
def test_scores_of_open_measures_are_compared():
    one, other = (xGAP().per_query(Y, X[:, column], qid=QID) for column in (0, 1))
    assert compare_rankers({"one": one, "other": other}).measure == xGAP()
    assert compare_rankers({"one": one, "other": other}, measure="xGAP").measure == xGAP()


def test_the_open_scale_is_that_of_the_queries_compared():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test, measure="xGAP@10")
    assert found.measure.max_grade == y_test["grade"].max()


def test_models_that_know_the_queries_warn():
    most = np.arange(len(Y)) % 3 > 0
    with pytest.warns(CutQueriesWarning):
        ranker = RANKER.fit(X[most], TARGET[most])
    ridge = Ridge().fit(X[most], Y[most])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare_rankers([ranker, ridge], X[~most], TARGET[~most])
    # The ridge remembers nothing, so that the missing rows alone are seen.
    assert [each.category for each in caught] == [QueryLeakWarning, ThinnedQueriesWarning]
    with pytest.warns(QueryLeakWarning):
        compare_rankers([ranker, ranker], X[~most], Y[~most], qid=QID[~most])


def test_the_table_says_what_was_tested():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test, confidence=0.9)
    text = repr(found)
    assert f"{MEASURE} over 20 queries" in text
    assert "90% interval" in text
    assert "p-values of paired tests, Holm's correction for 3 pairs." in text
    assert f"{found.rankers[0]} - {found.rankers[2]}" in text
    assert f"{found.p_values['wilcoxon'][0]:.4f}" in text
    assert max(map(len, text.splitlines())) <= 80
    two = compare_rankers([rankers["ridge"], rankers["trees"]], X_test, y_test)
    assert "\np-values of paired tests.\n" in repr(two)
    assert repr(two).endswith("Only 3 queries with a document of the top grade, few to judge by.")


def test_a_single_cross_validation_says_that_it_is_one():
    single = cross_validate_queries(RANKER, X, TARGET, cv=4)
    other = cross_validate_queries(Ridge(alpha=1e5), X, TARGET, cv=4, measures=MEASURE)
    assert "n_repeats=5) includes that" in " ".join(repr(compare_rankers([single, other])).split())
    values = [each.per_query() for each in (single, other)]
    several = compare_rankers([repeated(), repeated()])
    for silent in (compare_rankers(values), several):
        assert "One cross-validation" not in repr(silent)


def test_the_frame_has_a_row_for_each_pair():
    pytest.importorskip("pandas")
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test)
    frame = found.to_frame()
    assert frame.shape == (3, 9)
    assert frame["ranker"].tolist() == [found.rankers[each] for each in (0, 0, 1)]
    np.testing.assert_array_equal(frame["randomization"], found.p_values["randomization"])


def test_the_plot_shows_intervals():
    plt = pytest.importorskip("matplotlib.pyplot")
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test)
    ax = found.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == [
        f"{found.rankers[one]} - {found.rankers[other]}" for one, other in found.pairs
    ]
    assert found.plot(ax=ax) is ax
    (segments,) = (each for each in ax.containers[0][2])
    ends = np.array([segment[:, 0] for segment in segments.get_segments()])
    np.testing.assert_allclose(ends, found.intervals)
    plt.close(ax.figure)


def test_the_plot_has_room_for_long_names():
    plt = pytest.importorskip("matplotlib.pyplot")
    rankers, (X_test, y_test) = fitted_rankers()
    long = {f"{name} with a learning rate of 0.05 and 31 leaves": rankers[name] for name in rankers}
    sizes = {}
    for name, each in {"short": rankers, "long": long}.items():
        ax = compare_rankers(
            each, X_test, y_test, measure=xGAP(g=(0.1, 0.2, 0.3, 0.4), k=10)
        ).plot()
        ax.figure.canvas.draw()
        label = ax.xaxis.label.get_window_extent()
        assert 0 <= label.x0 < label.x1 <= ax.figure.bbox.width
        sizes[name] = ax.get_window_extent().width
        plt.close(ax.figure)
    assert sizes["long"] > 0.9 * sizes["short"]


def test_resamples_come_again_with_the_seed():
    rankers, (X_test, y_test) = fitted_rankers()
    given = {"measure": "nDCG@10", "n_resamples": 99, "correction": "none"}
    first, again = (compare_rankers(rankers, X_test, y_test, **given) for _ in range(2))
    np.testing.assert_array_equal(first.p_values["randomization"], again.p_values["randomization"])
    other = compare_rankers(rankers, X_test, y_test, random_state=1, **given)
    assert (first.p_values["randomization"] != other.p_values["randomization"]).any()
    np.testing.assert_array_equal(first.intervals, other.intervals)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rankers": [RANKER]}, "rankers must hold at least 2 rankers to compare, got 1"),
        ({"X": None}, "X and y are needed to rank the queries with 'ridge', a fitted model"),
        ({"y": None}, "y must hold the grades of the rows of X, got None"),
        ({"correction": "bonferroni"}, "correction must be one of 'holm', 'bh', 'none', got 'bonf"),
        ({"confidence": 95}, "confidence must lie strictly between 0 and 1, got 95"),
        ({"n_resamples": 0}, "n_resamples must be an integer >= 1, got 0"),
        ({"y": Y[:5]}, "Query ids are missing"),
    ],
)
def test_comparisons_that_cannot_be_are_refused(change, message):
    rankers, (X_test, y_test) = fitted_rankers()
    given = {"rankers": rankers, "X": X_test, "y": y_test, **change}
    with pytest.raises(ValueError, match=message):
        compare_rankers(given.pop("rankers"), **given)


def test_other_queries_and_other_measures_are_refused():
    whole = cross_validate_queries(RANKER, X, TARGET, cv=4, measures=[MEASURE, "AP"])
    part = cross_validate_queries(RANKER, X[QID < 20], TARGET[QID < 20], cv=4)
    with pytest.raises(
        ValueError, match="'part' has 20, 'whole' has 40, and 20 of them are the same"
    ):
        compare_rankers({"whole": whole, "part": part})
    with pytest.raises(ValueError, match="rankers must be scored by one measure, got nDCG for 'n'"):
        compare_rankers({"x": whole, "n": nDCG().per_query(Y, X[:, 0], qid=QID)})
    with pytest.raises(
        ValueError, match=r"'x' was cross-validated by xGAP.*@10, AP, not by nDCG\."
    ):
        compare_rankers({"x": whole, "y": whole}, measure="nDCG")
    other = cross_validate_queries(RANKER, X, TARGET, cv=4, measures="nDCG")
    with pytest.raises(ValueError, match=r"'whole' was cross-validated by .*, not by nDCG"):
        compare_rankers({"other": other, "whole": whole})
    two = [AP(empty=np.nan).per_query([1, 0, 0], each, qid=[1, 1, 2]) for each in ([1, 2, 3],) * 2]
    with pytest.raises(ValueError, match="need at least 2 queries with a value, got 1"):
        compare_rankers(two)


# Repeats


def repeated(ranker=RANKER, n_repeats=3, **given):
    return cross_validate_queries(ranker, X, TARGET, cv=4, n_repeats=n_repeats, **given)


def test_repeats_draw_the_splits_again():
    found = repeated()
    single = cross_validate_queries(RANKER, X, TARGET, cv=4)
    third = cross_validate_queries(RANKER, X, TARGET, cv=QueryKFold(4, random_state=2))
    assert found.fit_time.shape == (12,)
    assert len(single.folds) == 1
    for number, alone in [(0, single), (2, third)]:
        repeat = found.select(repeat=number, query=alone.qid.tolist())
        np.testing.assert_array_equal(repeat.values, alone.values[0])
    assert (found.folds >= 0).sum(axis=1).tolist() == [40] * 3


def test_splitters_that_draw_can_be_repeated():
    shuffled = QueryShuffleSplit(n_splits=2, test_size=0.5, random_state=5)
    found = cross_validate_queries(RANKER, X, TARGET, cv=shuffled, n_repeats=2)
    other = cross_validate_queries(
        RANKER, X, TARGET, cv=QueryShuffleSplit(n_splits=2, test_size=0.5, random_state=6)
    )
    for split, queries in enumerate(other.folds):
        tested = other.qid[queries >= 0]
        again = found.select(repeat=2 + split)
        assert set(again.qid.tolist()) == set(tested.tolist())
        expected = other.select(repeat=split, query=again.qid.tolist()).values
        np.testing.assert_array_equal(again.values, expected)
    assert shuffled.random_state == 5
    drawn = QueryKFold(4, random_state=np.random.RandomState(0))
    found = cross_validate_queries(RANKER, X, TARGET, cv=drawn, n_repeats=2)
    first, second = (found.qid[(found.folds == fold).any(axis=0)].tolist() for fold in (0, 4))
    assert set(first) != set(second)
    assert found.folds.shape == (2, 40)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_repeats": 0}, "n_repeats must be an integer >= 1, got 0"),
        ({"n_repeats": 2, "cv": []}, r"n_repeats > 1 needs a cv that draws .*, got 2 and \[\]"),
        ({"n_repeats": 2, "cv": QueryKFold(3, shuffle=False)}, "n_repeats > 1 needs a cv that"),
    ],
)
def test_repeats_that_cannot_be_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        cross_validate_queries(RANKER, X, TARGET, **given)


def test_repeats_enter_intervals_and_p_values():
    soft, stiff = repeated(), repeated(QueryRanker(Ridge(alpha=1e5), measure=MEASURE))
    found = compare_rankers({"soft": soft, "stiff": stiff})
    assert found.n_repeats == 3
    differences = np.empty((1, 3, 40))
    for number in range(3):
        rows = soft.repeat == number
        by_query = dict(
            zip(soft.qid[rows].tolist(), (soft.values - stiff.values)[rows, 0], strict=True)
        )
        differences[0, number] = [by_query[each] for each in found.qid.tolist()]
    sign = 1 if found.rankers[0] == "soft" else -1
    expected = repeated_interval(sign * differences)
    np.testing.assert_allclose(found.differences, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(found.intervals[0], [expected.low[0], expected.high[0]], rtol=1e-9)
    assert list(found.p_values) == ["t"]
    np.testing.assert_allclose(found.p_values["t"], expected.p_value, rtol=1e-9)
    means = [{"soft": soft, "stiff": stiff}[each].per_query().values for each in found.rankers]
    np.testing.assert_allclose(found.values, means, rtol=1e-12)
    text = repr(found)
    assert "over 40 queries and 3 repeats" in text
    assert "p-values of paired tests over queries and repeats." in text
    assert "3 repeats are few" in " ".join(text.split())


def test_a_model_that_was_fitted_once_has_its_values_in_every_repeat():
    found, once = repeated(), cross_validate_queries(RANKER, X, TARGET, cv=4).per_query()
    mixed = compare_rankers({"repeated": found, "once": once})
    assert mixed.n_repeats == 3
    np.testing.assert_allclose(
        mixed.values[mixed.rankers.index("once")],
        [once.values[once.qid.tolist().index(each)] for each in mixed.qid.tolist()],
        rtol=1e-12,
    )


def test_other_numbers_of_repeats_are_refused():
    with pytest.raises(
        ValueError, match="same number of repeats: 'one' has 2, 'once' has 1, 'other' has 3"
    ):
        compare_rankers(
            {"one": repeated(n_repeats=2), "once": repeated(n_repeats=1), "other": repeated()}
        )


def test_queries_that_some_splits_leave_out_are_told():
    cv = QueryShuffleSplit(n_splits=6, test_size=0.5, random_state=0)
    rankers = {"soft": RANKER, "stiff": QueryRanker(Ridge(alpha=1e5), measure=MEASURE)}
    tested = {
        name: cross_validate_queries(each, X, TARGET, cv=cv) for name, each in rankers.items()
    }
    found = compare_rankers(tested)
    assert found.n_repeats == 6
    n_times = np.unique(tested["soft"].qid, return_counts=True)[1]
    assert found.n_in_part == (n_times < 6).sum() > 30
    assert f"{found.n_in_part} queries not tested in every repeat." in repr(found)
    np.testing.assert_allclose(found.differences, -np.diff(found.means), rtol=1e-9)


# Baseline, several measures, and the number of queries


def test_a_baseline_is_compared_with_each_other_ranker():
    rankers, (X_test, y_test) = fitted_rankers()
    every = compare_rankers(rankers, X_test, y_test, correction="none")
    for name in rankers:
        found = compare_rankers(rankers, X_test, y_test, baseline=name)
        place = found.rankers.index(name)
        others = [each for each in range(3) if each != place]
        assert found.pairs.tolist() == [[each, place] for each in others]
        np.testing.assert_allclose(found.differences, found.means[others] - found.means[place])
        rows = [every.pairs.tolist().index(sorted([each, place])) for each in others]
        raw = every.p_values["t"][rows]
        assert found.p_values["t"].min() == pytest.approx(min(1, 2 * raw.min()))
        assert "Holm's correction for 2 pairs" in repr(found)


def test_an_unknown_baseline_is_refused():
    rankers, (X_test, y_test) = fitted_rankers()
    with pytest.raises(ValueError, match="baseline must be one of 'ridge', 'stiff', 'trees', got"):
        compare_rankers(rankers, X_test, y_test, baseline="rigde")


def test_several_measures_share_one_correction():
    pytest.importorskip("pandas")
    rankers, (X_test, y_test) = fitted_rankers()
    measures = [MEASURE, "nDCG@10", "AP"]
    found = compare_rankers(rankers, X_test, y_test, measure=measures)
    raw = compare_rankers(rankers, X_test, y_test, measure=measures, correction="none")
    assert list(found) == [str(MEASURE), "nDCG@10", "AP"]
    for test in ("t", "wilcoxon"):
        p_values = np.concatenate([each.p_values[test] for each in raw.values()])
        corrected = np.concatenate([each.p_values[test] for each in found.values()])
        np.testing.assert_allclose(corrected, holm(p_values))
    alone = compare_rankers(rankers, X_test, y_test, measure="AP", correction="none")
    np.testing.assert_array_equal(raw["AP"].p_values["t"], alone.p_values["t"])
    assert found[MEASURE].measure == MEASURE
    assert repr(found).count("Holm's correction for 3 pairs by 3 measures.") == 3
    frame = found.to_frame()
    assert frame.shape == (9, 10)
    assert frame["measure"].tolist() == [name for name in found for _ in range(3)]
    one = compare_rankers(rankers, X_test, y_test, measure=["AP"])
    assert list(one) == ["AP"]
    with pytest.raises(ValueError, match="measures"):
        compare_rankers(rankers, X_test, y_test, measure=[])


def test_a_picture_for_each_measure():
    plt = pytest.importorskip("matplotlib.pyplot")
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare_rankers(rankers, X_test, y_test, measure=["AP", "nDCG"], baseline="ridge")
    axes = found.plot()
    assert [each.get_xlabel().split(",")[0] for each in axes] == [
        "difference in AP",
        "difference in nDCG",
    ]
    assert found.plot(axes) == axes
    for each in axes:
        plt.close(each.figure)


def scores_of_normal_differences(n_queries, mean, seed):
    rng = np.random.default_rng(seed)
    values = [np.zeros(n_queries), rng.normal(mean, 0.05, n_queries)]
    return [
        Scores(measures=("AP",), qid=np.arange(n_queries), values=each, directions=(1,))
        for each in values
    ]


def test_the_queries_needed_show_the_effect_as_often_as_asked():
    found = compare_rankers(scores_of_normal_differences(4000, 0.0, 0), n_resamples=1)
    for effect, power in [(0.01, 0.8), (0.03, 0.8), (0.02, 0.9)]:
        (needed,) = found.queries_needed(effect, power)
        deviation = found.standard_errors[0] * 4000**0.5
        differences = np.random.default_rng(1).normal(effect, deviation, (4000, needed))
        assert np.mean(t_test(differences) < 0.05) == pytest.approx(power, abs=0.02)
    assert found.queries_needed(0.002)[0] == pytest.approx((2.8016 * 0.05 / 0.002) ** 2, rel=0.05)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"effect": 0}, "effect must be a finite number > 0, got 0"),
        ({"power": 1}, "power must lie strictly between 0 and 1, got 1"),
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1, got 0"),
    ],
)
def test_queries_needed_refuses(given, message):
    found = compare_rankers(scores_of_normal_differences(10, 0.0, 0))
    with pytest.raises(ValueError, match=message):
        found.queries_needed(**given)


def test_few_queries_with_the_top_grade_are_noted_and_enough_are_not():
    one = cross_validate_queries(RANKER, X, TARGET, cv=4)
    n_top = len(set(QID[Y.max() == Y].tolist()))
    assert one.has_top_grade.sum() == n_top
    found = compare_rankers([one, one])
    assert found.n_top == n_top
    assert (f"Only {n_top} queries with a document of the top" in repr(found)) == (n_top < 20)
    binary = query_target((Y > 0).astype(float), QID)
    enough = cross_validate_queries(RANKER, X, binary, cv=4, measures="AP")
    assert compare_rankers([enough, enough]).n_top > 20
    assert "top grade" not in repr(compare_rankers([enough, enough]))
    assert compare_rankers([one.per_query()] * 2).n_top is None
