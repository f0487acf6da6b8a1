"""compare() takes models, cross-validations and scores, and tests their differences by query."""

import dataclasses
import json
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from scipy import stats
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from skgraded import (
    AP,
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    Scores,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_target,
    query_train_test_split,
    xGAP,
)
from skgraded._stats.bootstrap_t import bootstrap_t
from skgraded._stats.corrections import holm
from skgraded._stats.paired import TESTS, t_test
from skgraded._stats.rare import rare_ends
from skgraded._stats.repeats import repeated_interval
from skgraded._stats.sample_size import errors_of_log_variances, queries_to_show
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    CutQueriesWarning,
    FewDifferencesWarning,
    QueryLeakWarning,
    ThinnedQueriesWarning,
    UnknownQueriesWarning,
)
from skgraded.measures import Fallout

X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 15), random_state=0)
TARGET = query_target(Y, QID)
MEASURE = xGAP(max_grade=4, k=10)
RANKER = QueryRanker(Ridge(), measure=MEASURE)
STIFF = QueryRanker(Ridge(alpha=1e5), measure=MEASURE)
SEARCH = GridSearchCV(RANKER, {"estimator__alpha": [1, 1e5]}, cv=QueryKFold(2))
SHUFFLED = np.random.default_rng(0).permutation(len(Y))
EVERY_MEAN = ["bootstrap_t", "max_t", "randomization"]
TESTS_OF_ONE_REPEAT = ["t", "wilcoxon", "randomization"]


def fitted_rankers():
    X_train, X_test, y_train, y_test = query_train_test_split(X, TARGET, test_size=0.5)
    lgbm = QueryRanker(
        LGBMRanker(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1), measure=MEASURE
    )
    rankers = {"ridge": RANKER, "stiff": STIFF, "trees": lgbm}
    return {
        name: sklearn.base.clone(each).fit(X_train, y_train) for name, each in rankers.items()
    }, (X_test, y_test)


def validated(ranker=RANKER, **given):
    return cross_validate_queries(ranker, X, TARGET, cv=4, **given)


# What is compared


def test_fitted_models_are_compared_on_the_queries_given():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare(rankers, X_test, y_test, tests=TESTS_OF_ONE_REPEAT)
    values = [
        MEASURE.per_query(y_test["grade"], each.predict(X_test), qid=y_test["qid"]).values
        for each in rankers.values()
    ]
    assert found.systems == ("ridge", "stiff", "trees")
    assert found.measures == (str(MEASURE),)
    np.testing.assert_array_equal(found.values[:, :, 0], values)
    np.testing.assert_allclose(found.means[:, 0], np.mean(values, axis=1))
    assert found.pairs.tolist() == [[1, 0], [2, 0], [2, 1]]
    for row, (one, other) in enumerate(found.pairs):
        differences = values[one] - values[other]
        assert found.difference[row, 0] == pytest.approx(np.mean(differences))
        low, high = found.interval[row, 0]
        assert low < np.mean(differences) < high
        effect = np.mean(differences) / np.std(differences, ddof=1)
        assert found.effect_size[row, 0] == pytest.approx(effect)
    raw = compare(rankers, X_test, y_test, correction="none", tests=TESTS_OF_ONE_REPEAT)
    a, b = values[1], values[0]
    assert raw.p_value["t"][0, 0] == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert raw.p_value["wilcoxon"][0, 0] == pytest.approx(stats.wilcoxon((a - b)[a != b]).pvalue)
    ends = stats.ttest_rel(a, b).confidence_interval(0.95)
    np.testing.assert_allclose(raw.interval[0, 0], ends)
    test = stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=9999, random_state=0
    )
    assert raw.p_value["randomization"][0, 0] == pytest.approx(test.pvalue, abs=0.02)
    for name, p_values in raw.p_value.items():
        assert found.p_value[name].min() == pytest.approx(min(1, 3 * p_values.min()))


def test_the_order_given_decides_the_signs_alone():
    rankers, (X_test, y_test) = fitted_rankers()
    tests = list(TESTS)
    found = compare(rankers, X_test, y_test, tests=tests)
    other = compare(dict(reversed(rankers.items())), X_test, y_test, tests=tests)
    assert other.systems == found.systems[::-1]
    np.testing.assert_array_equal(other.difference, -found.difference[::-1])
    # Products of matrices round by the place of a pair among the others.
    np.testing.assert_allclose(other.interval, -found.interval[::-1, :, ::-1], rtol=1e-13)
    for name in tests:
        np.testing.assert_array_equal(other.p_value[name], found.p_value[name][::-1])


@pytest.mark.parametrize("ridges", ["frame", "array"])
def test_models_that_were_fitted_without_the_ids_rank_frames_that_hold_them(ridges):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"f{each}" for each in range(X.shape[1])])
    with_ids = frame.assign(qid=QID)
    features = frame if ridges == "frame" else X
    models = {f"{alpha}": Ridge(alpha=alpha).fit(features, Y) for alpha in (1, 1e4)}
    with warnings.catch_warnings():  # scikit-learn's, of names that the model lacks
        warnings.simplefilter("ignore", UserWarning)
        found = compare(models, with_ids, Y, measures=MEASURE)
        score = make_ranking_scorer(MEASURE)(models["1"], with_ids, Y)
    expected = compare(models, features, Y, qid=QID, measures=MEASURE)
    np.testing.assert_array_equal(found.values, expected.values)
    assert score == make_ranking_scorer(MEASURE)(models["1"], features, Y, qid=QID)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_cross_validations_searches_and_scores_are_compared():
    nested = validated(SEARCH)
    plain = cross_validate_queries(RANKER, X[SHUFFLED], TARGET[SHUFFLED], cv=4)
    stiff = validated(STIFF).over_repeats()
    found = compare({"nested": nested, "plain": plain, "stiff": stiff})
    assert len(found.qid) == 40
    place = {query: number for number, query in enumerate(plain.qid.tolist())}
    order = [place[query] for query in found.qid.tolist()]
    assert found.systems[1] == "plain"
    np.testing.assert_array_equal(found.values[1], plain.values[0, order])


def test_a_cross_validation_of_several_rankers_is_compared_as_it_is():
    both = cross_validate_queries({"soft": RANKER, "stiff": STIFF}, X, TARGET, cv=4)
    found = compare(both, tests="t")
    alone = compare({"soft": validated(), "stiff": validated(STIFF)}, tests="t")
    np.testing.assert_array_equal(found.values, alone.values)
    np.testing.assert_array_equal(found.p_value["t"], alone.p_value["t"])
    assert found.is_one_training
    assert found.n_top == alone.n_top == len(set(QID[Y.max() == Y].tolist()))


def test_scores_of_several_systems_are_compared_as_they_are():
    scores = evaluate(["AP", "nDCG@5"], Y, {"first": X[:, 0], "second": X[:, 1]}, qid=QID)
    found = compare(scores)
    assert found.systems == ("first", "second")
    assert list(found) == ["AP", "nDCG@5"]
    parts = {name: scores.select(system=name) for name in found.systems}
    np.testing.assert_array_equal(compare(parts).difference, found.difference)
    picked = compare(scores, measures={"AP": "AP"})
    np.testing.assert_array_equal(picked.difference, found["AP"].difference)
    np.testing.assert_array_equal(compare(scores["AP"]).difference, found["AP"].difference)
    with pytest.raises(KeyError, match="nDCG is not among"):
        compare(scores, measures=nDCG())


def test_models_and_scores_are_compared_with_each_other():
    ridge = Ridge().fit(X, Y)
    scores = MEASURE.per_query(Y, X[:, 0], qid=QID)
    found = compare({"column": scores, "ridge": ridge}, X, Y, qid=QID)
    assert found.measures == (str(MEASURE),)
    np.testing.assert_array_equal(
        found.values[1, :, 0], MEASURE.per_query(Y, ridge.predict(X), qid=QID).values
    )


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.TrainingQueriesWarning")
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_models_without_a_measure_are_scored_by_that_of_the_others():
    models = {"ridge": Ridge().fit(X, Y), "ranker": RANKER.fit(X, TARGET)}
    assert compare(models, X, TARGET).measures == (str(MEASURE),)
    del models["ranker"]
    with pytest.raises(ValueError, match="measures must be given for Ridge"):
        compare({**models, "other": models["ridge"]}, X, TARGET)


def test_measures_may_have_names_of_their_own():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare(rankers, X_test, y_test, measures={"users": MEASURE, "dcg": "nDCG@10"})
    assert list(found) == ["users", "dcg"]
    by_string = compare(rankers, X_test, y_test, measures=[MEASURE, "nDCG@10"])
    np.testing.assert_array_equal(found["users"].difference, by_string[MEASURE].difference)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_a_ranker_is_no_better_than_itself():
    rankers, (X_test, y_test) = fitted_rankers()
    twice = {"one": rankers["ridge"], "other": rankers["ridge"]}
    found = compare(twice, X_test, y_test, tests=TESTS_OF_ONE_REPEAT)
    assert found.difference[0] == 0
    assert [each[0] for each in found.p_value.values()] == [1, 1, 1]
    expected = (1 - 0.025 ** (1 / found.n_queries[0])) * found.values.max()
    np.testing.assert_allclose(found.interval, [[[-expected, expected]]])


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_ties_among_documents_of_one_grade_are_no_difference():
    features, grades, qid = make_ranking(n_queries=40, docs_per_query=40, random_state=0)
    tied = 10 * np.round(features[:, 0]) + grades
    broken = tied + 1e-3 * np.random.default_rng(0).random(len(tied))
    scores = evaluate(xGAP(max_grade=4), grades, {"tied": tied, "broken": broken}, qid=qid)
    assert (scores.values[0] != scores.values[1]).any()  # rounding
    found = compare(scores, tests=TESTS_OF_ONE_REPEAT)
    assert found.difference[0] == found.effect_size[0] == 0
    assert [each[0] for each in found.p_value.values()] == [1, 1, 1]
    expected = (1 - 0.025 ** (1 / found.n_queries[0])) * found.values.max()
    np.testing.assert_allclose(found.interval, [[[-expected, expected]]])


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_less_may_be_better_and_queries_without_a_value_are_left_out():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare(rankers, X_test, y_test, measures=Fallout(k=5))
    assert found.directions == (-1,)
    shown = [line.split()[1] for line in repr(found).splitlines()[1:4]]
    assert shown == sorted(rankers, key=lambda name: found.means[found.systems.index(name), 0])
    in_vain = [
        each for each in set(y_test["qid"]) if not y_test["grade"][y_test["qid"] == each].any()
    ]
    found = compare(rankers, X_test, y_test, measures=AP(empty=np.nan))
    assert found.n_left_out == (len(in_vain),) == (1,)
    assert found.n_queries == (19,)
    assert not set(found.qid) & set(in_vain)
    assert "1 query without a value for some system left out." in repr(found)
    both = compare(rankers, X_test, y_test, measures=[AP(empty=np.nan), AP()])
    assert (both.n_queries, both.n_left_out) == ((19, 20), (1, 0))
    assert both.qid.shape == (20,)
    assert np.isnan(both.values[:, :, 0]).sum() == 3
    assert "1 query without a value of AP(empty=nan) for some system left out." in repr(both)
    assert "over 19 to 20 queries" in repr(both)
    np.testing.assert_array_equal(both["AP(empty=nan)"].difference, found.difference)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.InferredGradesWarning")
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_scores_of_open_measures_are_compared():
    scores = {name: xGAP().per_query(Y, X[:, name], qid=QID) for name in (0, 1)}
    assert compare(scores).measures == ("xGAP",)
    assert compare(scores, measures="xGAP").measures == ("xGAP",)
    found = validated(measures=["AP", "xGAP@10"])
    both = {"a": found, "b": found.over_repeats()}
    assert compare(both, measures="xGAP@10").measures == (str(MEASURE),)


def test_the_open_scale_is_that_of_the_queries_compared():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare(rankers, X_test, y_test, measures="xGAP@10")
    assert found.measures == (str(xGAP(max_grade=int(y_test["grade"].max()), k=10)),)


def test_models_that_know_the_queries_warn():
    most = np.arange(len(Y)) % 3 > 0
    with pytest.warns(CutQueriesWarning):
        ranker = RANKER.fit(X[most], TARGET[most])
    ridge = Ridge().fit(X[most], Y[most])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare({"ranker": ranker, "ridge": ridge}, X[~most], TARGET[~most])
    # The ridge remembers nothing, so that the missing rows alone are seen.
    told = [each.category for each in caught if each.category is not FewDifferencesWarning]
    assert told == [QueryLeakWarning, ThinnedQueriesWarning]
    with pytest.warns(QueryLeakWarning), pytest.warns(FewDifferencesWarning):
        compare({"one": ranker, "other": ranker}, X[~most], Y[~most], qid=QID[~most])


def test_weights_that_do_not_count_are_told():
    systems = {"first": X[:, 0], "second": X[:, 1]}
    weighted = evaluate("AP", Y, systems, qid=QID, sample_weight=1.0 + (QID < 9))
    alike = evaluate("AP", Y, systems, qid=QID, sample_weight=np.full(len(Y), 2.0))
    expected = compare(evaluate("AP", Y, systems, qid=QID))
    for scores, is_told in [(weighted, True), (alike, False)]:
        found = compare(scores)
        np.testing.assert_array_equal(found.difference, expected.difference)
        assert any("each query counts once" in note for note in found.notes) == is_told


# What it says


def test_the_table_says_what_was_tested():
    rankers, (X_test, y_test) = fitted_rankers()
    found = compare(rankers, X_test, y_test, confidence=0.9, tests=["wilcoxon", "t"])
    text = repr(found)
    assert text.splitlines()[0].split() == ["system", str(MEASURE), "beats"]
    assert "90% interval" in text
    told = "Wilcoxon's signed-rank test, Student's paired t test over 20 queries, Holm's correction"
    assert f"{told} for 3 pairs, level 0.1." in " ".join(text.split())
    assert "trees - ridge" in text
    assert f"{found.p_value['wilcoxon'][0, 0]:.4f}" in text
    assert max(map(len, text.splitlines())) <= 80
    two = compare({name: rankers[name] for name in ("ridge", "trees")}, X_test, y_test)
    assert "\nBootstrap-t test over 20 queries, level 0.05.\n" in repr(two)
    assert repr(two).endswith("Only 3 queries with a document of the top grade, few to judge by.")


def test_a_single_cross_validation_says_that_it_is_one():
    several = {name: validated(each, n_repeats=3) for name, each in [("a", RANKER), ("b", STIFF)]}
    single = {name: each.select(repeat=[0]) for name, each in several.items()}
    found = compare(single)
    assert found.is_one_training
    assert "n_repeats=5) includes these" in " ".join(repr(found).split())
    values = {name: each.over_repeats() for name, each in single.items()}
    for silent in (compare(values), compare(several)):
        assert "One cross-validation" not in repr(silent)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_the_frame_has_a_row_for_each_measure_and_pair():
    pytest.importorskip("pandas")
    rankers, (X_test, y_test) = fitted_rankers()
    measures = [MEASURE, "AP"]
    found = compare(rankers, X_test, y_test, measures=measures, tests=["t", "randomization"])
    frame = found.to_frame()
    assert list(frame) == [
        *("measure", "system", "other", "difference", "low", "high", "effect_size"),
        *("t", "randomization", "significant", "queries_needed"),
    ]
    assert frame["measure"].tolist() == [str(MEASURE)] * 3 + ["AP"] * 3
    assert frame["system"].tolist() == ["stiff", "trees", "trees"] * 2
    assert frame["other"].tolist() == ["ridge", "ridge", "stiff"] * 2
    for column, values in [
        ("difference", found.difference),
        ("low", found.interval[:, :, 0]),
        ("high", found.interval[:, :, 1]),
        ("effect_size", found.effect_size),
        ("randomization", found.p_value["randomization"]),
        ("significant", found.p_value["t"] < 0.05),
    ]:
        np.testing.assert_array_equal(frame[column], values.T.ravel())
    json.dumps(found.to_dict())
    copied = pickle.loads(pickle.dumps(found))
    assert copied.to_json() == found.to_json()


def test_resamples_come_again_with_the_seed():
    rankers, (X_test, y_test) = fitted_rankers()
    given = {"measures": "nDCG@10", "n_resamples": 99, "correction": "none", "tests": EVERY_MEAN}
    first, again = (compare(rankers, X_test, y_test, **given) for _ in range(2))
    other = compare(rankers, X_test, y_test, random_state=1, **given)
    for name in EVERY_MEAN:
        np.testing.assert_array_equal(first.p_value[name], again.p_value[name])
        assert (first.p_value[name] != other.p_value[name]).any()
    np.testing.assert_array_equal(first.interval, again.interval)
    assert (first.interval != other.interval).any()


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rankers": {"a": RANKER}}, "rankers must hold at least 2 systems to compare, got 1"),
        ({"X": None}, "X and y are needed to rank the queries with 'ridge', a fitted model"),
        ({"y": None}, "y must hold the grades of the rows of X, got None"),
        ({"correction": "bonferroni"}, "correction must be one of 'holm', 'bh', 'none', got 'bonf"),
        ({"confidence": 95}, "confidence must lie strictly between 0 and 1, got 95"),
        ({"n_resamples": 0}, "n_resamples must be an integer >= 1, got 0"),
        ({"y": Y[:5]}, "Query ids are missing"),
        ({"tests": []}, "tests must name at least one test, got none"),
        ({"measures": []}, "measures must name at least one measure"),
    ],
)
def test_comparisons_that_cannot_be_are_refused(change, message):
    rankers, (X_test, y_test) = fitted_rankers()
    given = {"rankers": rankers, "X": X_test, "y": y_test, **change}
    with pytest.raises(ValueError, match=message):
        compare(given.pop("rankers"), **given)


@pytest.mark.parametrize(
    ("rankers", "error", "message"),
    [
        ({"a": Y, "b": -Y}, TypeError, r"rankers must be fitted models, .*, got ndarray for 'a'"),
        ({"a": Ridge(), "b": Ridge()}, NotFittedError, "rankers must be fitted, got 'a', Ridge"),
        ([RANKER, RANKER], TypeError, "rankers must be Scores of several .*, got list"),
        (AP().per_query(Y, X[:, 0], qid=QID), TypeError, "got Scores of one system"),
    ],
)
def test_what_is_no_ranker_is_refused(rankers, error, message):
    with pytest.raises(error, match=message):
        compare(rankers, X, Y, qid=QID, measures="AP")


def test_other_queries_and_other_measures_are_refused():
    whole = validated(measures=[MEASURE, "AP"])
    part = cross_validate_queries(
        RANKER, X[QID < 20], TARGET[QID < 20], cv=4, measures=[MEASURE, "AP"]
    )
    with pytest.raises(
        ValueError, match="'part' has 20, 'whole' has 40, and 20 of them are the same"
    ):
        compare({"whole": whole, "part": part})
    with pytest.raises(ValueError, match=r"scored by the same measures: 'n' has nDCG, and 'x' has"):
        compare({"x": whole, "n": nDCG().per_query(Y, X[:, 0], qid=QID)})
    with pytest.raises(ValueError, match=r"'x' was scored by xGAP.*@10, AP, not by nDCG\."):
        compare({"x": whole, "y": whole}, measures="nDCG")
    two = {name: AP(empty=np.nan).per_query([1, 0, 0], [1, 2, 3], qid=[1, 1, 2]) for name in (1, 2)}
    with pytest.raises(
        ValueError, match=r"at least 2 queries on which every system has a value of AP.*, got 1"
    ):
        compare(two)


# Repeats


def repeated(ranker=RANKER, n_repeats=3):
    return validated(ranker, n_repeats=n_repeats)


def test_repeats_enter_intervals_and_p_values():
    soft, stiff = repeated(), repeated(STIFF)
    found = compare({"stiff": stiff, "soft": soft})
    assert found.n_repeats == 3
    differences = (soft.values - stiff.values)[None, :, :, 0]
    expected = repeated_interval(differences, folds=soft.folds)
    np.testing.assert_array_equal(found.qid, soft.qid)
    np.testing.assert_allclose(found.difference[0], expected.mean, rtol=1e-12)
    np.testing.assert_allclose(found.interval[0, 0], [expected.low[0], expected.high[0]], rtol=1e-9)
    np.testing.assert_allclose(found.standard_error[0], expected.standard_error, rtol=1e-9)
    assert list(found.p_value) == ["t"]
    np.testing.assert_allclose(found.p_value["t"][0], expected.p_value, rtol=1e-9)
    means = [each.over_repeats().values for each in (stiff, soft)]
    np.testing.assert_allclose(found.values, means, rtol=1e-12)
    text = " ".join(repr(found).split())
    assert "Student's paired t test over 40 queries and 3 repeats, level 0.05." in text


@pytest.mark.parametrize("tests", ["randomization", ["t", "wilcoxon"], "tukey"])
def test_tests_that_know_nothing_of_repeats_are_refused(tests):
    both = {"soft": repeated(), "stiff": repeated(STIFF)}
    with pytest.raises(ValueError, match="tests must be one of 't' over 3 repeats, got"):
        compare(both, tests=tests)


def test_a_model_that_was_fitted_once_has_its_values_in_every_repeat():
    found, once = repeated(), validated().over_repeats()
    mixed = compare({"repeated": found, "once": once})
    assert mixed.n_repeats == 3
    np.testing.assert_allclose(
        mixed.values[mixed.systems.index("once")],
        [once.values[once.qid.tolist().index(each)] for each in mixed.qid.tolist()],
        rtol=1e-12,
    )


def test_other_numbers_of_repeats_are_refused():
    with pytest.raises(
        ValueError, match="same number of repeats: 'one' has 2, 'once' has 1, 'other' has 3"
    ):
        compare({"one": repeated(n_repeats=2), "once": repeated(n_repeats=1), "other": repeated()})


def test_queries_that_some_splits_leave_out_are_told():
    cv = QueryShuffleSplit(n_splits=6, test_size=0.5, random_state=0)
    rankers = {"soft": RANKER, "stiff": STIFF}
    tested = cross_validate_queries(rankers, X, TARGET, cv=cv)
    found = compare(tested)
    assert found.n_repeats == 6
    n_times = (tested.folds >= 0).sum(axis=0)
    assert found.n_in_part == (n_times < 6).sum() > 30
    assert f"{found.n_in_part} queries not tested in every repeat." in repr(found)
    np.testing.assert_allclose(found.difference, np.diff(found.means, axis=0), rtol=1e-9)


# Baseline, several measures, and the number of queries


def test_a_baseline_is_compared_with_each_other_ranker():
    rankers, (X_test, y_test) = fitted_rankers()
    every = compare(rankers, X_test, y_test, correction="none", tests="t")
    for name in rankers:
        found = compare(rankers, X_test, y_test, baseline=name, tests="t")
        place = found.systems.index(name)
        others = [each for each in range(3) if each != place]
        assert found.pairs.tolist() == [[each, place] for each in others]
        np.testing.assert_allclose(found.difference, found.means[others] - found.means[place])
        rows = [every.pairs.tolist().index(sorted([each, place])[::-1]) for each in others]
        raw = every.p_value["t"][rows]
        assert found.p_value["t"].min() == pytest.approx(min(1, 2 * raw.min()))
        assert "Holm's correction for 2 pairs" in " ".join(repr(found).split())
        assert "beats" not in repr(found)


def test_an_unknown_baseline_is_refused():
    rankers, (X_test, y_test) = fitted_rankers()
    with pytest.raises(ValueError, match="baseline must be one of 'ridge', 'stiff', 'trees', got"):
        compare(rankers, X_test, y_test, baseline="rigde")


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_several_measures_share_one_correction():
    rankers, (X_test, y_test) = fitted_rankers()
    given = {"measures": [MEASURE, "nDCG@10", "AP"], "tests": ["t", "wilcoxon"]}
    found = compare(rankers, X_test, y_test, **given)
    raw = compare(rankers, X_test, y_test, correction="none", **given)
    assert list(found) == [str(MEASURE), "nDCG@10", "AP"]
    for test in ("t", "wilcoxon"):
        expected = holm(raw.p_value[test].ravel()).reshape(3, 3)
        np.testing.assert_allclose(found.p_value[test], expected)
    alone = compare(rankers, X_test, y_test, measures="AP", tests="t", correction="none")
    np.testing.assert_array_equal(raw["AP"].p_value["t"], alone.p_value["t"])
    assert found[MEASURE].measures == (str(MEASURE),)
    assert found[["AP", MEASURE]].measures == ("AP", str(MEASURE))
    np.testing.assert_array_equal(found["AP"].p_value["t"], found.p_value["t"][:, 2:])
    assert "AP" in found
    assert len(found) == 3
    for each in (found, found["AP"]):
        told = "Holm's correction for 3 pairs by 3 measures, level 0.05."
        assert " ".join(repr(each).split()).count(told) == 1
    assert list(compare(rankers, X_test, y_test, measures=["AP"])) == ["AP"]


def scores_of_normal_differences(n_queries, mean, seed):
    differences = np.random.default_rng(seed).normal(mean, 0.05, n_queries)
    values = np.array([np.zeros(n_queries), differences])
    return Scores(
        measures=("AP",),
        qid=np.arange(n_queries),
        values=values,
        directions=(1,),
        systems=("zero", "normal"),
    )


def test_the_queries_needed_show_the_effect_as_often_as_asked():
    found = compare(scores_of_normal_differences(4000, 0.0, 0), tests="t")
    for effect, power in [(0.01, 0.8), (0.03, 0.8), (0.02, 0.9)]:
        needed = int(found.queries_needed(effect, power).n_queries[0, 0])
        deviation = found.standard_error[0, 0] * 4000**0.5
        differences = np.random.default_rng(1).normal(effect, deviation, (4000, needed))
        assert np.mean(t_test(differences) < 0.05) == pytest.approx(power, abs=0.025)
    needed = found.queries_needed(0.002).n_queries[0, 0]
    assert needed == pytest.approx((2.8016 * 0.05 / 0.002) ** 2, rel=0.05)
    assert found.queries_needed(0.002, confidence=0.99).n_queries[0, 0] > needed
    stricter = compare(scores_of_normal_differences(4000, 0.0, 0), tests="t", confidence=0.99)
    np.testing.assert_array_equal(
        stricter.queries_needed(0.002), found.queries_needed(0.002, confidence=0.99)
    )


@pytest.mark.parametrize(
    ("draw", "power", "held"),
    [
        (lambda rng, shape: rng.normal(size=shape), (0.75, 0.85), 0.92),
        (lambda rng, shape: rng.exponential(size=shape), (0.74, 0.85), 0.86),
    ],
)
def test_queries_needed_are_calibrated_from_pilots_of_30(draw, power, held):
    pilots = draw(np.random.default_rng(0), (2000, 30))
    needed, low, high = queries_to_show(
        np.full(2000, 0.2),
        pilots.var(axis=1, ddof=1),
        errors_of_log_variances(pilots),
        np.full(2000, 30),
        confidence=0.95,
        power=0.8,
    )
    reached = stats.norm.cdf(0.2 * np.sqrt(needed) - stats.norm.isf(0.025))
    assert power[0] < reached.mean() < power[1]
    true = (stats.norm.isf(0.025) + stats.norm.ppf(0.8)) ** 2 / 0.2**2
    assert np.mean((low <= true) & (true <= high)) > held


def test_errors_of_log_variances_are_bonetts():
    values = np.random.default_rng(0).exponential(size=50).tolist()
    ordered = sorted(values)
    cut = int(50 * 0.5 / 46**0.5)
    middle = np.mean(ordered[cut:-cut])
    mean = np.mean(values)
    kurtosis = (
        50 * sum((x - middle) ** 4 for x in values) / sum((x - mean) ** 2 for x in values) ** 2
    )
    expected = ((kurtosis - 47 / 50) / 49) ** 0.5
    assert errors_of_log_variances(np.array([values]))[0] == pytest.approx(expected)
    assert np.isnan(errors_of_log_variances(np.array([values[:4]]))).all()
    two = np.tile([0.0, 1.0], 25)  # of which the kurtosis is 1; half of a normal one's variance
    assert errors_of_log_variances(two[None])[0] == pytest.approx((1 / 49) ** 0.5)


def test_queries_needed_of_systems_that_hardly_differ_are_refused():
    scores = scores_of_normal_differences(60, 0.0, 0)
    values = scores.values.copy()
    values[1, 9:] = 0.0
    few = dataclasses.replace(scores, values=values)
    with pytest.warns(FewDifferencesWarning, match="in 9 queries"):
        found = compare(few)
    with pytest.warns(UnknownQueriesWarning, match="differs from 0 in 9 queries by .* is nan"):
        assert np.isnan(found.queries_needed(0.01)).all()
    told = "how many queries would decide cannot be told, as they differ in 9 queries, fewer than"
    assert any(told in note for note in found.notes)
    assert np.isnan(found.to_frame()["queries_needed"]).all()
    values[1, :10] = scores.values[1, :10]
    with pytest.warns(FewDifferencesWarning, match="in 10 queries"):
        found = compare(dataclasses.replace(scores, values=values))
    assert np.isfinite(found.queries_needed(0.01)).all()


def test_undecided_results_say_how_many_queries_they_need():
    scores = scores_of_normal_differences(60, 0.001, 0)
    found = compare(scores)
    assert not found.significant.any()
    effect = abs(found.difference[0, 0])
    needed, low, high = (each.item() for each in found.queries_needed(effect))
    told = f"seen, {effect:.4f}, would take about {needed:,.0f} queries ({low:,.0f} to {high:,.0f})"
    assert any(told in note for note in found.notes)
    assert low < needed < high
    clear = compare(scores_of_normal_differences(60, 0.1, 0))
    assert not any("undecided" in note for note in clear.notes)
    with pytest.raises(ValueError, match="effect must be given for a comparison without a margin"):
        found.queries_needed()


def test_all_pairs_say_how_many_queries_those_of_the_best_system_need():
    values = 0.5 + 0.2 * np.random.default_rng(0).normal(size=(6, 60))
    values += 0.01 - values.mean(axis=1, keepdims=True) + 0.01 * np.arange(6)[:, None]
    found = compare(Scores.of_systems({"AP": values}), tests="t")
    assert not found.significant.any()
    notes = [each for each in found.notes if "undecided" in each]
    assert len(notes) == 4
    of_best = [place for place, pair in enumerate(found.pairs.tolist()) if 5 in pair]
    needed = found.to_dict()["queries_needed"]
    for place, note in zip(of_best[:3], notes[:3], strict=True):
        effect = abs(found.difference[place, 0])
        by_hand = found.queries_needed(effect, confidence=1 - 0.05 / 15)  # of 15 tests
        assert needed[place] == by_hand.n_queries[place, 0]
        assert note.startswith("system 6 - ")
        assert f"about {needed[place]:,.0f} queries (" in note
    assert notes[3].startswith("12 other differences undecided, too: the column queries_needed")


# Few queries that differ


def gates(n_queries, lost, won=0, **options):
    """Compare a system that loses some queries by P@1, and wins some, with its baseline."""
    old = np.zeros(n_queries)
    old[won:] = 1.0
    new = old.copy()
    new[:won], new[n_queries - lost :] = 1.0, 0.0
    scores = Scores.of_systems({"P@1": np.array([new, old])})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewDifferencesWarning)
        return compare(scores, baseline="system 2", margin=0.01, n_resamples=999, **options)


@pytest.mark.parametrize("test", ["bootstrap_t", "max_t", "t"])
def test_a_margin_is_not_held_because_few_queries_were_drawn(test):
    for n_queries in (5, 10, 20, 50, 300):
        found = gates(n_queries, 0, tests=test)
        expected = 1 - 0.025 ** (1 / n_queries)  # with which no query differs in 2.5 %
        np.testing.assert_allclose(found.interval[0, 0], [-expected, expected])
        assert found.status == 3
    assert gates(1000, 0, tests=test).status == 0


def test_no_difference_is_bounded_by_the_range_of_the_values():
    values = np.array([[0.25, -0.5, 0.0], [0.25, -0.5, 0.0]])
    with pytest.warns(
        FewDifferencesWarning, match="^system 2 - system 1 is 0 in all 3 queries by AP"
    ) as warned:
        found = compare(Scores.of_systems({"AP": values}), tests="t")
    share = 1 - 0.025 ** (1 / 3)
    np.testing.assert_allclose(found.interval[0, 0], [-0.75 * share, 0.75 * share])
    assert f"at most {100 * share:.2g} % of all queries differ" in str(warned[0].message)
    assert "each by 0.75" in repr(found)
    with pytest.warns(FewDifferencesWarning):
        found = compare(Scores.of_systems({"AP": np.zeros((2, 3))}), confidence=0.9)
    np.testing.assert_allclose(found.interval[0, 0, 1], 1 - 0.05 ** (1 / 3))
    clusters = dict(enumerate("aab"))
    with pytest.warns(FewDifferencesWarning, match="in all 2 clusters"):
        found = compare(Scores.of_systems({"AP": values}), cluster=clusters)
    assert 0.75 * (1 - 0.025**0.5) * 2 * 2 / 3 > 0.75  # both clusters as large as the larger one
    expected = 0.75  # the most that any difference can be
    np.testing.assert_allclose(found.interval[0, 0, 1], expected)


def test_no_difference_over_repeats_is_bounded_too():
    values = np.tile(np.linspace(0.1, 0.8, 20), (2, 3, 1))
    folds = np.tile(np.arange(20) % 4, (3, 1)) + 4 * np.arange(3)[:, None]
    scores = Scores(
        measures=("AP",),
        directions=(1,),
        systems=("a", "b"),
        qid=np.arange(20),
        values=values,
        folds=folds,
    )
    with pytest.warns(FewDifferencesWarning, match="b - a is 0 in all 20 queries"):
        found = compare(scores)
    np.testing.assert_allclose(found.interval[0, 0, 1], 0.8 * (1 - 0.025 ** (1 / 20)))


def chances_of_holding(n_queries, margin, won, test, most=14):
    """Return the chance of status 0 where the difference is minus the margin, over all outcomes."""
    lost = margin + won
    chance = 0.0
    for n_lost, n_won in np.ndindex(most, most):
        outcome = [n_lost, n_won, n_queries - n_lost - n_won]
        seen = stats.multinomial.pmf(outcome, n_queries, [lost, won, 1 - lost - won])
        if seen > 1e-4 and n_lost + n_won < 10:
            found = gates(n_queries, n_lost, n_won, tests=test)
            chance += seen * (found.interval[0, 0, 0] > -margin)
    return chance


@pytest.mark.parametrize("test", ["bootstrap_t", "max_t", "t"])
@pytest.mark.parametrize(
    ("n_queries", "margin", "won"), [(50, 0.05, 0.0), (100, 0.01, 0.01), (300, 0.01, 0.0)]
)
def test_the_margin_errs_no_more_where_few_queries_differ(test, n_queries, margin, won):
    assert chances_of_holding(n_queries, margin, won, test) <= 0.025


@pytest.mark.parametrize(("lost", "won"), [(0, 0), (0, 1), (3, 0), (4, 2), (9, 0), (10, 0)])
def test_ends_of_few_differences_are_newcombes(lost, won):
    n_queries, size = 40, 0.3
    sums = np.zeros((1, n_queries))
    sums[0, :lost], sums[0, lost : lost + won] = -size, size
    low, high = (each[0] for each in rare_ends(sums, np.ones(n_queries), 0.05, 0.7))
    if lost + won == 10:
        assert (low, high) == (np.inf, -np.inf)
        return
    ends = [stats.binomtest(k, n_queries).proportion_ci(0.95, method="exact") for k in (won, lost)]
    up, down = won / n_queries, lost / n_queries
    expected_low = up - down - np.hypot(up - ends[0].low, ends[1].high - down)
    expected_high = up - down + np.hypot(ends[0].high - up, down - ends[1].low)
    largest = size if lost + won else 0.7
    np.testing.assert_allclose([low, high], [expected_low * largest, expected_high * largest])


@pytest.mark.parametrize(("others", "below"), [(0, 0), (2, 1), (9, 0), (10, 0)])
def test_ends_around_a_common_difference_are_those_around_none(others, below):
    n_queries, common, size = 40, 0.25, 0.125
    sums = np.zeros((1, n_queries))
    sums[0, 5 : 5 + others], sums[0, 30 : 30 + below] = size, -size
    ones = np.ones(n_queries)
    around_none = np.ravel(rare_ends(sums, ones, 0.05, 2.0))
    found = np.ravel(rare_ends(sums + common, ones, 0.05, 2.0))
    if others or below:
        np.testing.assert_allclose(found, around_none + common)
    else:  # any other may differ by the largest value and the common one
        share = 1.0 - 0.025 ** (1 / n_queries)
        np.testing.assert_allclose(found, common + np.array([-1, 1]) * share * (2.0 + common))


def test_the_same_difference_in_few_queries_decides_nothing():
    scores = Scores.of_systems({"P@1": np.array([[0.5] * 4, [1.0] * 4])})
    with pytest.warns(FewDifferencesWarning, match="is the same in all 4 queries by P@1"):
        found = compare(scores, margin=0.01, baseline="system 1")
    assert found.decisions[0, 0] == "undecided"
    low, high = found.interval[0, 0]
    assert low < -0.01
    assert high == 1.0


def test_ends_of_max_t_hold_for_all_pairs():
    values = np.zeros((5, 60))
    values[1:, 0] = 1.0
    scores = Scores.of_systems({"P@1": values})
    with pytest.warns(FewDifferencesWarning):
        alone, jointly = (
            compare(scores, tests=test, baseline="system 1") for test in ("t", "max_t")
        )
    assert (np.ptp(jointly.interval, axis=2) > 1.2 * np.ptp(alone.interval, axis=2)).all()


# The margin


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(
    ("mean", "decision", "status"), [(0.0, "holds", 0), (-0.2, "fails", 1), (-0.05, "undecided", 3)]
)
def test_a_margin_holds_fails_or_is_undecided(mean, decision, status, direction):
    scores = scores_of_normal_differences(60, 0.0, 0)
    values = scores.values - scores.values.mean(axis=1, keepdims=True)
    values[1] += mean
    scores = dataclasses.replace(scores, values=direction * values, directions=(direction,))
    found = compare(scores, baseline="zero", margin=0.05)
    assert found.decisions.tolist() == [[decision]]
    assert found.status == status
    low, high = sorted(direction * found.interval[0, 0])
    assert {"holds": low > -0.05, "fails": high < -0.05}.get(decision, low < -0.05 < high)
    assert found.to_dict()["decision"] == [decision]
    assert decision in repr(found)
    assert json.loads(found.to_json())["status"] == status
    if decision != "undecided":
        distance = abs(direction * found.difference[0, 0] + 0.05)
        np.testing.assert_allclose(found.queries_needed(), found.queries_needed(distance))
    assert any("a decision at a margin of 0.05 takes" in each for each in found.notes) == (
        decision == "undecided"
    )


def test_of_several_measures_the_worst_decides():
    normal = scores_of_normal_differences(60, 0.0, 0).values
    normal = normal - normal.mean(axis=1, keepdims=True)
    for shifts, status in [((0, 0), 0), ((0, -0.05), 3), ((-0.05, -0.2), 1), ((-0.2, 0), 1)]:
        scores = Scores(
            measures=("a", "b"),
            qid=np.arange(60),
            values=np.stack([normal + np.array([[0], [each]]) for each in shifts], axis=2),
            directions=(1, 1),
            systems=("zero", "normal"),
        )
        found = compare(scores, baseline="zero", margin=0.05)
        assert found.status == status
        assert found["b"].status in {0, 1, 3}


def test_a_margin_errs_in_one_of_40_cases_at_the_margin():
    """Intervals of 95 % err in 2.5 % on either side, within 3 binomial errors."""
    differences = np.random.default_rng(0).normal(-0.01, 0.05, (1500, 60))
    found = bootstrap_t(differences, np.ones(60), 0.05, 999, np.random.default_rng(0))
    slack = 3 * np.sqrt(0.025 * 0.975 / 1500)
    assert np.mean(found.low > -0.01) < 0.025 + slack
    assert np.mean(found.high < -0.01) < 0.025 + slack


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": 0.01}, "margin needs baseline, the system that the others must not fall"),
        ({"margin": 0.0, "baseline": "zero"}, "margin must be a finite number > 0, got 0"),
    ],
)
def test_margins_that_mean_nothing_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        compare(scores_of_normal_differences(30, 0.0, 0), **given)
    without = compare(scores_of_normal_differences(30, 0.0, 0))
    with pytest.raises(ValueError, match="Decisions need a margin"):
        _ = without.status
    with pytest.raises(ValueError, match="Decisions need a margin"):
        _ = without.decisions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"effect": 0}, "effect must be a finite number > 0, got 0"),
        ({"effect": 1, "power": 1}, "power must lie strictly between 0 and 1, got 1"),
        ({"effect": 1, "confidence": 0}, "confidence must lie strictly between 0 and 1, got 0"),
    ],
)
def test_queries_needed_refuses(given, message):
    found = compare(scores_of_normal_differences(10, 0.0, 0))
    with pytest.raises(ValueError, match=message):
        found.queries_needed(**given)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
def test_few_queries_with_the_top_grade_are_noted_and_enough_are_not():
    one = validated()
    n_top = len(set(QID[Y.max() == Y].tolist()))
    assert one.has_top_grade.sum() == n_top
    found = compare({"one": one, "other": one})
    assert found.n_top == n_top
    assert (f"Only {n_top} queries with a document of the top" in repr(found)) == (n_top < 20)
    binary = query_target((Y > 0).astype(float), QID)
    enough = cross_validate_queries(RANKER, X, binary, cv=4, measures="AP")
    found = compare({"one": enough, "other": enough})
    assert found.n_top > 20
    assert "top grade" not in repr(found)
    values = AP().per_query(Y, X[:, 0], qid=QID)
    assert compare({"one": values, "other": values}).n_top is None
