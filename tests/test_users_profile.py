"""For which users one ranker is better than another: profiles over the thresholds."""

import csv
import dataclasses
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import nnls
from strategies import cutoffs

from skgraded import (
    AP,
    QueryKFold,
    Rankings,
    compare,
    cross_validate_queries,
    eGAP,
    evaluate,
    nDCG,
    trec,
    xGAP,
)
from skgraded._intervals.bands import critical_value, largest_ratios, moments_of
from skgraded._intervals.repeats import ModelPart, part_of_models
from skgraded.cli import make_parser
from skgraded.exceptions import FewDifferencesWarning
from skgraded.users import PairProfile, profile_measures, threshold_profile
from skgraded.users._simplex import inner_points, path, share_above_zero

TIES = ("expected", "row_order", "pessimistic", "optimistic")

pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")


def made_up(n_grades=2, n_queries=60, n_documents=20, seed=0):
    """Grades, query ids, and scores of a ranker that finds anything and one that finds the best."""
    rng = np.random.default_rng(seed)
    shares = 0.5 ** np.arange(n_grades + 1)
    y_true = rng.choice(n_grades + 1, p=shares / shares.sum(), size=n_queries * n_documents)
    noise = rng.normal(size=(2, len(y_true)))
    scores = {
        "any": np.round(2 * (y_true > 0) + noise[0], 1),
        "best": np.round(2 * (y_true == n_grades) + 0.5 * (y_true > 0) + noise[1], 1),
    }
    return y_true, scores, np.repeat(np.arange(n_queries), n_documents)


def profile_of(n_grades=2, **options):
    y_true, scores, qid = made_up(n_grades)
    return threshold_profile(y_true, scores, qid=qid, **options)


def random_g(n_grades):
    weights = st.lists(st.integers(0, 100), min_size=n_grades, max_size=n_grades)
    return weights.filter(any).map(lambda each: tuple(np.array(each) / sum(each)))


# --- eGAP is the mean of AP over users ------------------------------------------------------------


@given(
    st.data(),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
    st.fixed_dictionaries({"k": cutoffs(), "ties": st.sampled_from(TIES)}),
    st.booleans(),
)
def test_the_profile_gives_the_difference_in_eGAP_for_every_g(data, c, seed, fields, is_weighted):
    y_true, scores, qid = made_up(c, n_queries=8, n_documents=7, seed=seed)
    y_true[qid == 3] = 0  # nothing relevant
    y_true[0] = c
    weight = np.random.default_rng(seed).uniform(0.1, 2, len(qid)) if is_weighted else None
    g = data.draw(random_g(c))
    profile = threshold_profile(
        y_true, scores, qid=qid, sample_weight=weight, n_resamples=20, **fields
    )
    measure = eGAP(g=g, **fields)
    found = [
        measure.per_query(y_true, each, qid=qid, sample_weight=weight) for each in scores.values()
    ]
    for values, each in zip(profile.values, found, strict=True):
        np.testing.assert_allclose(values @ g, each.values, rtol=1e-12, atol=1e-15)
    difference = float(found[0]) - float(found[1])
    assert profile.pairs[0].at(g).difference == pytest.approx(difference, rel=1e-9, abs=1e-13)


@given(st.data(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_queries_with_nothing_relevant_are_left_out_if_asked(data, c, seed):
    y_true, scores, qid = made_up(c, n_queries=8, n_documents=5, seed=seed)
    y_true[qid == 3] = 0
    y_true[0], y_true[5] = c, 1
    g = tuple((np.array(data.draw(random_g(c))) + 0.1) / (1 + 0.1 * c))  # all users exist
    profile = threshold_profile(y_true, scores, qid=qid, empty=np.nan, n_resamples=20)
    found = [eGAP(g=g, empty=np.nan)(y_true, each, qid=qid) for each in scores.values()]
    assert profile.n_left_out == len({*qid} - {*qid[y_true > 0]})
    assert profile.pairs[0].at(g).difference == pytest.approx(found[0] - found[1], abs=1e-13)


def test_xGAP_is_that_of_the_measure_for_every_user():
    y_true, scores, qid = made_up(3)
    pair = threshold_profile(y_true, scores, qid=qid, k=5).pairs[0]
    for g, difference in list(zip(pair.users, pair.xgap_differences, strict=True))[::9]:
        one, other = (xGAP(g=tuple(g), k=5)(y_true, each, qid=qid) for each in scores.values())
        assert difference == pytest.approx(one - other, abs=1e-13)


def test_xGAP_of_users_with_one_threshold_is_AP():
    pair = profile_of(3).pairs[0]
    corner = (pair.users == 1).any(axis=1)
    assert corner.sum() == 3
    np.testing.assert_allclose(
        pair.xgap_differences[corner], pair.users[corner] @ pair.differences, rtol=1e-12
    )


# --- the simplex ----------------------------------------------------------------------------------


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=5))
def test_the_share_of_the_simplex_is_that_of_many_points(differences):
    d = np.array(differences, dtype=float)
    draws = np.random.default_rng(0).dirichlet(np.ones(len(d)), size=20_000)
    assert share_above_zero(d) == pytest.approx((draws @ d > 1e-12).mean(), abs=0.02)


def test_the_share_of_the_simplex_is_a_ratio_of_lengths_or_of_areas():
    assert share_above_zero(np.array([3.0, -1.0])) == pytest.approx(3 / 4)
    assert share_above_zero(np.array([3.0, -1.0, -2.0])) == pytest.approx(3 / 4 * 3 / 5)


@pytest.mark.parametrize("n_grades", [2, 3, 5])
def test_inner_points_fill_the_simplex(n_grades):
    points = inner_points(n_grades, 4096)
    np.testing.assert_allclose(points.sum(axis=1), 1)
    assert points.min() >= 0
    np.testing.assert_allclose(points.mean(axis=0), 1 / n_grades, atol=0.01)
    second = 2 / (n_grades * (n_grades + 1))  # of the uniform distribution
    np.testing.assert_allclose((points**2).mean(axis=0), second, rtol=0.05)


def test_the_path_visits_the_corners():
    places, points = path(3, 4)
    assert places[[0, 4, 8]].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(points[[0, 4, 8]], np.eye(3))
    np.testing.assert_allclose(points @ [1, 2, 3], places)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_the_largest_ratio_is_the_length_of_a_projection(seed, c):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(c, c)) + 0.5 * np.eye(c)
    covariance = root @ root.T + 0.01 * np.eye(c)
    x = rng.normal(size=c)
    found = np.concatenate(largest_ratios(x[None], covariance[None]))
    # The users are a cone, which has the metric of the covariance.
    axes = np.linalg.cholesky(covariance).T
    for ratio, side in zip(found, (x, -x), strict=True):
        target = np.linalg.solve(axes.T, side)
        distance = nnls(axes, target)[1]
        length = np.sqrt(max(0.0, target @ target - distance**2))
        assert ratio == pytest.approx(length, rel=1e-5, abs=1e-5)
    users = np.concatenate((np.eye(c), rng.dirichlet(np.ones(c), size=1000)))
    ratios = users @ x / np.sqrt(((users @ covariance) * users).sum(axis=1))
    assert found[0] >= ratios.max() * (1 - 1e-6)


def test_thresholds_that_agree_in_every_query_count_once():
    x = np.random.default_rng(0).normal(size=(30, 1))
    one, two = moments_of(x), moments_of(np.hstack((x, x)))
    values = [
        critical_value([each], 0.95, 500, np.random.default_rng(1), over_simplex=True)
        for each in (one, two)
    ]
    assert values[1] == pytest.approx(values[0], rel=1e-6)


# --- the band -------------------------------------------------------------------------------------


def test_the_band_holds_for_all_users_jointly():
    rng = np.random.default_rng(0)
    missed = pointwise = 0
    for _ in range(300):
        shared = rng.exponential(size=(40, 1)) - 1
        moments = moments_of(0.5 * shared + rng.normal(size=(40, 3)) * (1, 2, 3))
        critical = critical_value([moments], 0.95, 300, rng, over_simplex=True)
        ratio = np.max(largest_ratios(moments.means[None], moments.covariance[None]))
        missed += ratio > critical
        pointwise += ratio > 2.02  # Student's t
    assert missed / 300 <= 0.08
    assert pointwise / 300 >= 0.1


def test_the_band_is_as_wide_as_a_t_interval_for_one_threshold():
    moments = moments_of(np.random.default_rng(0).normal(size=(50, 1)))
    critical = critical_value([moments], 0.95, 20_000, np.random.default_rng(0), over_simplex=True)
    assert critical == pytest.approx(2.01, abs=0.1)


def test_queries_that_repeat_a_cluster_tell_no_more_than_one_of_them():
    y_true, scores, qid = made_up(n_queries=30)
    alone = threshold_profile(y_true, scores, qid=qid)
    thrice = evaluate(
        profile_measures(2),
        np.tile(y_true, 3),
        {name: np.tile(each, 3) for name, each in scores.items()},
        qid=np.concatenate([qid + 100 * copy for copy in range(3)]),
    )
    cluster = {query: query % 100 for query in thrice.qid.tolist()}
    given = threshold_profile(thrice, cluster=cluster)
    held = threshold_profile(dataclasses.replace(thrice, clusters=thrice.qid % 100))
    for found in (given, held):
        assert found.n_clusters == 30
        assert found.n_found.tolist() == alone.n_found.tolist()
        np.testing.assert_allclose(found.pairs[0].intervals, alone.pairs[0].intervals, atol=1e-12)
        np.testing.assert_allclose(
            found.pairs[0].xgap_errors, alone.pairs[0].xgap_errors, rtol=1e-10
        )
    assert "90 queries in 30 clusters" in str(given)
    by_queries = threshold_profile(thrice).pairs[0].intervals
    assert np.ptp(by_queries, axis=1).max() < 0.7 * np.ptp(alone.pairs[0].intervals, axis=1).max()


def test_the_band_holds_for_clusters_of_queries():
    rng = np.random.default_rng(0)
    missed = forgotten = 0
    for _ in range(200):
        person = np.repeat(np.arange(20), rng.integers(1, 8, 20))
        differences = rng.normal(size=(20, 3))[person] + 0.5 * rng.normal(size=(len(person), 3))
        for clusters in (person, None):
            moments = moments_of(differences, clusters=clusters)
            critical = critical_value([moments], 0.95, 200, rng, over_simplex=True)
            ratio = np.max(largest_ratios(moments.means[None], moments.covariance[None]))
            missed += ratio > critical and clusters is not None
            forgotten += ratio > critical and clusters is None
    assert missed / 200 <= 0.09
    assert forgotten / 200 >= 0.3


def test_a_threshold_at_which_no_query_differs_is_bounded():
    y_true, scores, qid = made_up()
    same_top = np.where(y_true == 2, 9.0, scores["best"])
    profile = threshold_profile(
        y_true, {"one": np.where(y_true == 2, 9.0, scores["any"]), "other": same_top}, qid=qid
    )
    bound = 1.0 - 0.01 ** (1.0 / 60)
    np.testing.assert_allclose(profile.pairs[0].intervals[1], [-bound, bound])
    assert (profile.pairs[0].shares.better, profile.pairs[0].shares.worse) < (1.0, 1.0)
    twins = threshold_profile(y_true, {"one": same_top, "other": same_top}, qid=qid).pairs[0]
    bound = 1.0 - 0.005 ** (1.0 / 60)
    np.testing.assert_allclose(twins.intervals, [[-bound, bound]] * 2)
    assert twins.shares.undecided == 1.0


def test_only_all_users_are_100_percent():
    grades = np.random.default_rng(1).choice(4, size=(60, 10), p=[0.6, 0.25, 0.1, 0.05])
    of_xgap = (*[np.zeros(0)] * 3, 0.0)
    pair = PairProfile(
        "a", "b", np.array([0.1, 0.1, -0.005]), np.eye(3), 2.0, *of_xgap, np.zeros(3)
    )
    assert 0.995 < pair.shares.above < 1.0
    profile = threshold_profile(
        grades.ravel(),
        {"a": grades.ravel() + 0.0, "b": -1.0 * grades.ravel()},
        qid=np.repeat(range(60), 10),
    )
    near, every = (
        str(dataclasses.replace(profile, pairs=(dataclasses.replace(profile.pairs[0], **given),)))
        for given in ({"differences": pair.differences}, {})
    )
    assert ">99%" in near.split("eGAP")[-1].splitlines()[0]
    assert "100%" in every.split("eGAP")[-1].splitlines()[0]


@pytest.mark.filterwarnings("default::skgraded.exceptions.FewDifferencesWarning")
def test_few_queries_are_warned_of_at_the_line_of_the_user():
    y_true, scores, qid = made_up(n_queries=6)
    with pytest.warns(FewDifferencesWarning) as warned:
        threshold_profile(y_true, scores, qid=qid)
    assert [each.filename for each in warned] == [__file__]


def test_a_profile_needs_three_clusters():
    y_true, scores, qid = made_up()
    with pytest.raises(ValueError, match=r"at least 3 clusters of queries .* got 2"):
        threshold_profile(
            y_true, scores, qid=qid, cluster={query: query % 2 for query in range(60)}
        )


@pytest.mark.parametrize("over_simplex", [False, True])
def test_a_threshold_at_which_no_query_differs_does_not_widen_the_band(over_simplex):
    differences = np.random.default_rng(0).normal(size=(5, 2))
    some, zero = moments_of(differences), moments_of(np.c_[differences, np.zeros(5)])
    with_zero, alone = (
        critical_value([each], 0.95, 2000, np.random.default_rng(0), over_simplex=over_simplex)
        for each in (zero, some)
    )
    assert with_zero == pytest.approx(alone, rel=1e-3)
    # Of models, it has what they vary on the average, in queries: none.
    models = [ModelPart(0.1 * np.eye(2), 30.0), ModelPart(np.diag([0.1, 0.1, 0.0]), 30.0)]
    with_zero, alone = (
        critical_value([each], 0.95, 2000, np.random.default_rng(0), over_simplex=over_simplex)
        for each in (
            moments_of(np.c_[differences, np.zeros(5)], models=models[1]),
            moments_of(differences, models=models[0]),
        )
    )
    assert with_zero == pytest.approx(alone, rel=0.05)


def test_one_difference_has_the_quantile_of_one_degree_of_freedom():
    differences = np.zeros((20, 1))
    differences[3] = 1.0
    critical = critical_value(
        [moments_of(differences)], 0.5, 200, np.random.default_rng(0), over_simplex=False
    )
    assert critical >= stats.t.isf(0.25, 1)


def test_no_interval_goes_beyond_what_there_can_be():
    ends = {"xgap_differences": np.array([0.9]), "xgap_errors": np.array([0.2])}
    pair = PairProfile(
        ranker="a",
        baseline="b",
        differences=np.array([0.5, -0.5]),
        covariance=np.diag([0.3, 0.3]),
        critical=2.0,
        users=np.array([[0.5, 0.5]]),
        xgap_critical=2.0,
        bounds=np.zeros(2),
        **ends,
    )
    reach = 2.0 * np.sqrt(0.3)
    np.testing.assert_allclose(pair.intervals, [[0.5 - reach, 1.0], [-1.0, reach - 0.5]])
    assert pair.to_dict()["xgap"]["low"] == [pytest.approx(0.5)]
    assert pair.to_dict()["xgap"]["high"] == [1.0]


def test_more_pairs_widen_the_band():
    y_true, scores, qid = made_up()
    two = threshold_profile(y_true, scores, qid=qid)
    noise = np.random.default_rng(5).normal(size=(3, len(qid)))
    more = threshold_profile(
        y_true, scores | {str(n): each for n, each in enumerate(noise)}, qid=qid, baseline="best"
    )
    assert more["any"].critical > two["any"].critical
    np.testing.assert_array_equal(more["any"].differences, two["any"].differences)


def test_a_mixture_lies_between_its_thresholds_and_has_a_narrower_interval():
    pair = profile_of(2).pairs[0]
    mixed = pair.at((0.5, 0.5))
    assert mixed.difference == pytest.approx(pair.differences.mean())
    assert mixed.high - mixed.low <= np.diff(pair.intervals).mean() + 1e-15


# --- conclusions ----------------------------------------------------------------------------------


def test_each_ranker_wins_where_its_band_is_off_zero():
    pair = profile_of(2).pairs[0]
    low, high = pair.line(1)
    assert high == 1
    assert pair.at((low, 1 - low)).low == pytest.approx(0, abs=1e-12)
    begin, end = pair.line(-1)
    assert begin == 0
    assert pair.at((end, 1 - end)).high == pytest.approx(0, abs=1e-12)
    (even,) = pair.break_even
    assert end < even.share < low
    assert pair.at((even.share, 1 - even.share)).difference == pytest.approx(0, abs=1e-12)
    assert pair.shares.better == pytest.approx(1 - low)
    assert pair.shares.above == pytest.approx(1 - even.share)
    assert pair.sentence == (
        f"any is better than best for users with g_1 above {low:.2f}; best is better than any for "
        f"users with g_1 below {end:.2f}; in between, no difference is established."
    )


def test_with_three_grades_the_border_runs_through_mixtures_of_two():
    pair = profile_of(3).pairs[0]
    assert len(pair.break_even) == 2
    for threshold, other, share in pair.break_even:
        g = np.zeros(3)
        g[[threshold - 1, other - 1]] = share, 1 - share
        assert pair.at(g).difference == pytest.approx(0, abs=1e-12)
    draws = np.random.default_rng(0).dirichlet(np.ones(3), size=50_000)
    _, low, high = pair.band(draws)
    assert pair.shares.better == pytest.approx((low > 0).mean(), abs=0.01)
    assert pair.shares.worse == pytest.approx((high < 0).mean(), abs=0.01)
    assert "any is better than best for users with threshold 1 and for " in pair.sentence


def test_shares_by_xgap_are_those_of_the_users_scored():
    users = np.array(
        [[0.2, 0.5, 0.3], [0.5, 0.2, 0.3], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2], [0, 0, 1]]
    )
    pair = PairProfile(
        ranker="a",
        baseline="b",
        differences=np.array([0.1, 0.0, -0.1]),
        covariance=np.eye(3),
        critical=2.0,
        users=np.array(users),
        xgap_differences=np.array([0.3, 0.1, 0.0, -0.3, 0.9]),
        xgap_errors=np.full(5, 0.1),
        xgap_critical=2.0,
        bounds=np.zeros(3),
    )
    assert pair.xgap_shares == (0.5, 0.25, 0.25, 0.25, 0.5)


def test_a_ranker_may_win_for_mixtures_alone():
    """Where the differences at two thresholds are opposed, their mean varies less than either."""
    rng = np.random.default_rng(0)
    opposed = rng.normal(size=100)
    moments = moments_of(
        np.column_stack((0.1 + opposed, 0.1 - opposed)) + rng.normal(size=(100, 2)) / 9
    )
    of_xgap = (np.empty((0, 2)), *np.empty((2, 0)), 0.0)
    pair = PairProfile("a", "b", moments.means, moments.covariance, 2.5, *of_xgap, np.zeros(2))
    low, high = pair.line(1)
    assert 0 < low < 0.5 < high < 1
    assert pair.corners.tolist() == [0, 0]
    assert pair.shares.better == pytest.approx(high - low)
    assert pair.sentence == (
        f"a is better than b for users with g_1 between {low:.2f} and {high:.2f}; for the others, "
        "no difference is established."
    )


@pytest.mark.parametrize("n_grades", [1, 2, 3])
def test_a_ranker_that_is_better_at_every_threshold_is_better_for_every_user(n_grades):
    y_true, _, qid = made_up(n_grades)
    scores = {"good": y_true, "bad": np.random.default_rng(0).normal(size=len(qid))}
    for order in (("good", "bad"), ("bad", "good")):
        profile = threshold_profile(y_true, {name: scores[name] for name in order}, qid=qid)
        users = " for every user" if n_grades > 1 else ""
        assert profile.conclusion == f"good is better than bad{users}."
        sign = 1 if order[0] == "good" else -1
        assert profile.pairs[0].corners.tolist() == [sign] * n_grades
        assert profile.pairs[0].shares[2 if sign > 0 else 3] == 1


@pytest.mark.parametrize("n_grades", [1, 2, 3])
def test_a_ranker_does_not_differ_from_itself(n_grades):
    y_true, scores, qid = made_up(n_grades)
    profile = threshold_profile(y_true, {"a": scores["any"], "b": scores["any"]}, qid=qid)
    users = " for any user" if n_grades > 1 else ""
    assert profile.conclusion == f"No difference between a and b is established{users}."
    assert profile.pairs[0].shares == (0, 0, 0, 0, 1)
    assert profile.pairs[0].break_even == ()


def test_the_last_ranker_is_the_baseline_unless_another_is_named():
    y_true, scores, qid = made_up()
    assert threshold_profile(y_true, scores, qid=qid).baseline == "best"
    other = threshold_profile(y_true, scores, qid=qid, baseline="any")
    assert [each.ranker for each in other.pairs] == ["best"]
    np.testing.assert_allclose(other["best"].differences, -profile_of(2)["any"].differences)
    with pytest.raises(KeyError, match="'any' is not among the rankers compared with 'any': best"):
        other["any"]


def test_the_seed_decides():
    one, same, other = (profile_of(2, random_state=seed) for seed in (3, 3, 4))
    assert one.pairs[0].critical == same.pairs[0].critical != other.pairs[0].critical


# --- sources --------------------------------------------------------------------------------------


def test_all_sources_give_the_same_profile():
    y_true, scores, qid = made_up()
    expected = threshold_profile(y_true, scores, qid=qid)
    ranked = {name: Rankings.from_arrays(y_true, each, qid) for name, each in scores.items()}
    measures = profile_measures(2)
    shuffled = np.random.default_rng(0).permutation(len(qid))
    scored = {
        "any": evaluate(measures, ranked["any"]),
        "best": evaluate(measures, y_true[shuffled], scores["best"][shuffled], qid=qid[shuffled]),
    }
    for found in map(threshold_profile, (ranked, scored)):
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-12)
        np.testing.assert_allclose(
            found.pairs[0].xgap_differences, expected.pairs[0].xgap_differences, atol=1e-13
        )
        assert found.conclusion == expected.conclusion


def test_runs_give_the_profile_of_their_rankings():
    y_true, scores, qid = made_up(n_queries=20)
    rows = list(enumerate(qid.tolist()))
    qrels, *runs = ({topic: {} for topic in map(str, set(qid.tolist()))} for _ in range(3))
    for row, topic in rows:
        qrels[str(topic)][f"d{row}"] = int(y_true[row])
        for run, each in zip(runs, scores.values(), strict=True):
            run[str(topic)][f"d{row}"] = float(each[row]) + row * 1e-4
    named = dict(zip(scores, runs, strict=True))
    found = threshold_profile(trec.evaluate(profile_measures(2), qrels, named))
    ranked = threshold_profile(
        {name: Rankings.from_trec(qrels, run) for name, run in named.items()}
    )
    np.testing.assert_allclose(found.values, ranked.values, rtol=1e-12)
    assert found.conclusion == ranked.conclusion


def test_cross_validations_give_a_profile():
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import Ridge

    y_true, scores, qid = made_up()
    X = np.column_stack(list(scores.values()))
    models = {"ridge": Ridge(), "constant": DummyRegressor()}
    found = {
        name: cross_validate_queries(each, X, y_true, qid=qid, measures=profile_measures(2), cv=3)
        for name, each in models.items()
    }
    profile = threshold_profile(found)
    assert len(profile.qid) == 60
    for ranker, values in zip(profile.rankers, profile.values, strict=True):
        for rel in (1, 2):
            expected = found[ranker][AP(rel=rel)].over_repeats().values
            np.testing.assert_allclose(values[:, rel - 1], expected)
    assert profile.conclusion == "ridge is better than constant for every user."
    alone = {
        name: cross_validate_queries(each, X, y_true, qid=qid, measures=["AP", "AP(rel=2)"], cv=3)
        for name, each in models.items()
    }
    without = threshold_profile(alone)
    assert without.pairs[0].xgap_shares is None
    assert "xGAP" not in str(without)
    np.testing.assert_array_equal(without.values, profile.values)


def validated(n_repeats, n_queries=30):
    """Cross-validations of two learners that differ in their seed alone."""
    from sklearn.ensemble import ExtraTreesRegressor

    y_true, scores, qid = made_up(n_queries=n_queries)
    noise = np.random.default_rng(1).normal(size=(len(qid), 3))
    X = np.column_stack([*scores.values(), noise])
    return {
        f"seed {seed}": cross_validate_queries(
            ExtraTreesRegressor(3, max_depth=3, random_state=seed),
            X,
            y_true,
            qid=qid,
            measures=profile_measures(2),
            cv=QueryKFold(3, random_state=0),
            n_repeats=n_repeats,
        )
        for seed in (0, 1)
    }


def test_repeats_enter_the_band_as_they_enter_the_comparison():
    found = validated(n_repeats=3)
    profile = threshold_profile(found)
    compared = compare({name: each[["AP", "AP(rel=2)"]] for name, each in found.items()})
    (pair,) = profile.pairs
    sign = np.sign(compared.difference[0] * pair.differences)
    np.testing.assert_allclose(sign * compared.difference[0], pair.differences, rtol=1e-9)
    errors = np.sqrt(pair.covariance.diagonal())
    of_queries = moments_of(profile.values[0] - profile.values[1]).standard_errors
    assert (errors >= of_queries * (1 - 1e-12)).all()
    assert (errors > 1.01 * of_queries).any()
    # Where the component of one threshold alone is above 0, it is that of `compare`, but for the
    # part of it that a negative eigenvalue takes away.
    assert errors == pytest.approx(compared.standard_error[0], rel=0.1)
    assert profile.n_repeats == 3
    assert "carry the variation of splits and fits, from 3 repeats" in str(profile).replace(
        "\n", " "
    )
    once = threshold_profile(validated(n_repeats=1))
    assert "for the models that were trained in this one" in str(once).replace("\n", " ")


def test_repeats_that_were_scored_by_AP_alone_have_the_same_band():
    found = validated(n_repeats=2)
    both = threshold_profile(found).pairs[0]
    alone = threshold_profile({name: each[["AP", "AP(rel=2)"]] for name, each in found.items()})
    np.testing.assert_array_equal(alone.pairs[0].covariance, both.covariance)
    np.testing.assert_array_equal(alone.pairs[0].intervals, both.intervals)
    assert alone.pairs[0].xgap_shares is None
    assert alone.n_repeats == 2


def test_fitted_models_give_the_profile_of_their_scores():
    from sklearn.linear_model import Ridge

    y_true, scores, qid = made_up()
    X = np.column_stack(list(scores.values()))
    train = qid < 20
    models = {
        "one": Ridge().fit(X[train][:, :1], y_true[train]),
        "two": Ridge(fit_intercept=False).fit(X[train][:, :1], y_true[train]),
    }
    test = ~train
    found = threshold_profile(y_true[test], models, X=X[test][:, :1], qid=qid[test])
    predicted = {name: each.predict(X[test][:, :1]) for name, each in models.items()}
    expected = threshold_profile(y_true[test], predicted, qid=qid[test])
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12)
    assert (found.conclusion, found.n_repeats) == (expected.conclusion, 0)
    with pytest.raises(ValueError, match="fitted models alone or scores alone, got both: 'one'"):
        threshold_profile(y_true, {**models, "two": y_true}, X=X, qid=qid)
    with pytest.raises(ValueError, match="X and y are needed"):
        threshold_profile(y_true, models, qid=qid)
    with pytest.raises(TypeError, match="X must be None unless y_score holds fitted models"):
        threshold_profile(y_true, scores, qid=qid, X=X)
    with pytest.raises(TypeError, match="sample_weight must be None where y_score holds fitted"):
        threshold_profile(y_true, models, X=X, qid=qid, sample_weight=y_true)


def test_a_share_that_is_not_all_does_not_look_like_all():
    pair = profile_of(3).pairs[0]
    critical, errors = 2.0, np.eye(3)
    nearly = dataclasses.replace(
        pair, differences=np.array([1.9, 9.0, 9.0]), covariance=errors, critical=critical
    )
    assert nearly.shares.better > 0.995
    assert "for more than 99% of all mixtures of users; for the others" in nearly.sentence


def test_a_border_at_a_corner_that_is_outside_is_a_plain_number():
    two = {"differences": np.array([0.0, 9.0]), "covariance": np.diag([0.0, 1.0]), "critical": 2.0}
    pair = dataclasses.replace(profile_of(2).pairs[0], **two)
    assert "for users with g_1 below 1;" in pair.sentence
    other = {**two, "differences": np.array([9.0, 0.0]), "covariance": np.diag([1.0, 0.0])}
    pair = dataclasses.replace(pair, **other)
    assert "for users with g_1 above 0;" in pair.sentence
    neither = {**two, "differences": np.array([0.0, 0.0]), "covariance": np.zeros((2, 2))}
    assert "is established for any user" in dataclasses.replace(pair, **neither).sentence
    nearly = {**two, "differences": np.array([1.999, 9.0]), "covariance": np.ones((2, 2))}
    assert "for users with g_1 below 0.9999;" in dataclasses.replace(pair, **nearly).sentence


def test_topics_that_a_run_lacks_are_left_out_and_counted():
    topics = [f"t{number}" for number in range(5)]
    qrels = {topic: {"a": 2, "b": 1, "c": 0} for topic in topics}
    full = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in topics}
    part = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in topics[1:]}
    scores = trec.evaluate(profile_measures(2), qrels, {"full": full, "part": part}, complete=False)
    profile = threshold_profile(scores)
    assert (len(profile.qid), profile.n_left_out) == (4, 1)
    assert "1 query without a value for some ranker left out." in str(profile)


# --- bad input ------------------------------------------------------------------------------------


Y, SCORES, QID = made_up(n_queries=6)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Y, {"a": Y}), {}, ValueError, "at least 2 rankers to compare, got 1"),
        ((Y, [Y, Y]), {}, TypeError, "y_score must map names .* got list"),
        ((Y,), {}, TypeError, "y_score must map names .* got ndarray"),
        (
            (Y, SCORES),
            {"baseline": "c"},
            ValueError,
            "baseline must be one of 'any', 'best', got 'c'",
        ),
        ((Y, SCORES), {"confidence": 1}, ValueError, "confidence must lie strictly between"),
        ((Y, SCORES), {"n_resamples": 0}, ValueError, "n_resamples must be an integer >= 1"),
        ((Y, SCORES), {"normalize": True}, ValueError, "normalize must be False"),
        ((Y, SCORES), {"empty": 1.0}, ValueError, "empty must be 0 or nan, got 1.0"),
        ((Y[:40], {"a": Y[:40], "b": Y[:40]}), {"qid": QID[:40]}, ValueError, "at least 3 queries"),
        (
            (Y, {"a": pd.Series(Y), "b": pd.Series(Y)[::-1]}),
            {},
            ValueError,
            r"y_score\['b'\] must have its rows in the order of y_score\['a'\]",
        ),
        ((Y * 5, SCORES), {}, ValueError, "n_grades must be at most 8, got 10"),
        (
            ({"a": 1, "b": 2},),
            {},
            ValueError,
            r"arrays of one shape \(n_systems, n_queries\), got \(\) for 'a'",
        ),
    ],
)
def test_arguments_are_checked(arguments, options, error, message):
    with pytest.raises(error, match=message):
        threshold_profile(*arguments, **({"qid": QID} if len(arguments) > 1 else {}) | options)


def test_the_columns_of_a_frame_are_rankers():
    of_frame = threshold_profile(Y, pd.DataFrame(SCORES), qid=QID)
    assert of_frame.rankers == ("any", "best")
    assert repr(of_frame) == repr(threshold_profile(Y, SCORES, qid=QID))


def test_a_column_of_ids_is_no_ranker():
    frame = pd.DataFrame(SCORES)
    expected = threshold_profile(Y, frame, qid=QID)
    assert repr(threshold_profile(Y, frame.assign(qid=QID))) == repr(expected)
    with pytest.raises(ValueError, match="qid and the column 'qid' of y_score contradict"):
        threshold_profile(Y, frame.assign(qid=QID[::-1] // 2), qid=QID)


def test_few_queries_are_said_to_be_few():
    assert "These are few queries" in repr(threshold_profile(Y, SCORES, qid=QID))
    assert "These are few queries" not in repr(profile_of())


def test_rankers_on_different_queries_are_refused():
    measures = ["AP", "AP(rel=2)"]
    one = evaluate(measures, Y, SCORES["any"], qid=QID)
    kept = QID > 0
    other = evaluate(measures, Y[kept], SCORES["best"][kept], qid=QID[kept])
    with pytest.raises(ValueError, match="same queries: 'b' has 5, 'a' has 6, and 5 of them"):
        threshold_profile({"a": one, "b": other})


def test_rankers_must_be_scored_by_AP_at_every_threshold():
    def scored(*measures):
        return {"a": evaluate(measures, Y, SCORES["any"], qid=QID)} | {
            "b": evaluate(measures, Y, SCORES["best"], qid=QID)
        }

    with pytest.raises(ValueError, match=r"AP\(rel=1\), AP\(rel=2\) and so on .*, got nDCG"):
        threshold_profile(scored(nDCG()))
    with pytest.raises(ValueError, match=r"got AP\(rel=2\)"):
        threshold_profile(scored(AP(rel=2)))
    with pytest.raises(ValueError, match="AP must differ in rel alone, got AP and AP"):
        threshold_profile(scored(AP(), AP(rel=2, k=5)))
    with pytest.raises(ValueError, match="scored by the same measures: 'b'"):
        threshold_profile(scored(AP()) | {"b": evaluate("RR", Y, SCORES["best"], qid=QID)})
    with pytest.raises(TypeError, match=r"k must be given where rankers are scored"):
        threshold_profile(scored(AP(), AP(rel=2)), k=5)
    with pytest.raises(TypeError, match="qid and sample_weight must be None"):
        threshold_profile(scored(AP(), AP(rel=2)), qid=QID)


def test_rankers_with_different_weights_or_judgments_are_refused():
    weights = np.arange(1.0, len(QID) + 1)
    ranked = {
        "a": Rankings.from_arrays(Y, SCORES["any"], QID),
        "b": Rankings.from_arrays(Y, SCORES["best"], QID, weights),
    }
    with pytest.raises(ValueError, match="weight queries alike, but 'b' and 'a' do not"):
        threshold_profile(ranked)
    ranked["b"] = Rankings.from_arrays(np.minimum(Y, 1), SCORES["best"], QID)
    with pytest.raises(ValueError, match="same judgments, got the highest grades 2 for 'a', 1 for"):
        threshold_profile(ranked)
    ranked["b"] = evaluate("AP", Y, Y, qid=QID)
    with pytest.raises(ValueError, match="all Rankings or all scored, got both: 'b' is scored"):
        threshold_profile(ranked)


@pytest.mark.parametrize("g", [(0.5, 0.4), (1.0,), (0.2, 0.3, 0.5), (1.5, -0.5)])
def test_only_distributions_over_the_grades_have_a_difference(g):
    with pytest.raises(ValueError, match="g must"):
        profile_of(2).pairs[0].at(g)


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_grades", [1, 2, 3, 4])
def test_the_text_fits_a_terminal(n_grades):
    y_true, scores, qid = made_up(n_grades)
    long = {f"{name}, a ranker with a long name": each for name, each in scores.items()}
    more = {"third": y_true} | scores
    for rankers in (scores, long, more):
        text = str(threshold_profile(y_true, rankers, qid=qid))
        assert max(map(len, text.splitlines())) <= 80
        assert f"rel={n_grades}" in text
        assert "better than" in text


def test_few_queries_with_a_grade_are_named():
    y_true, scores, qid = made_up(2, n_queries=40)
    y_true[(qid > 4) & (y_true == 2)] = 1
    profile = threshold_profile(y_true, scores, qid=qid)
    assert profile.n_found[1] == 5
    assert "5 for rel=2. They say" in str(profile)


def test_numbers_come_as_a_frame_and_as_plain_types():
    profile = profile_of(3)
    frame = profile.to_frame()
    assert frame.shape == (3, 9)
    np.testing.assert_allclose(frame["difference"], frame["value"] - frame["baseline_value"])
    assert ((frame["low"] < frame["difference"]) & (frame["difference"] < frame["high"])).all()
    numbers = json.loads(profile.to_json())
    assert numbers["pairs"][0]["conclusion"] == profile.pairs[0].sentence
    assert numbers["pairs"][0]["differences"] == frame["difference"].tolist()
    assert len(numbers["pairs"][0]["xgap"]["users"]) == len(profile.pairs[0].users)


@pytest.mark.parametrize("n_grades", [1, 2, 3])
def test_the_plot_asks_and_answers(n_grades):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    profile = profile_of(n_grades)
    ax = profile.plot()
    assert ax.get_title(loc="left") == "For which users is any better than best?"
    assert ax.get_ylabel() == f"{'AP' if n_grades == 1 else 'eGAP'}: any - best"
    assert [0.0, 0.0] in [list(line.get_ydata()) for line in ax.lines]
    answers = [" ".join(each.get_text().split("\n")) for each in ax.texts]
    assert profile.pairs[0].sentence in answers
    ax.figure.canvas.draw()
    if n_grades > 1:
        labels = [each.get_text() for each in ax.get_legend().get_texts()]
        assert {"eGAP", "xGAP", "not established"} <= {*labels}
    pyplot.close("all")


def test_several_rankers_are_drawn_in_one_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    y_true, scores, qid = made_up(3)
    _, ax = pyplot.subplots()
    profile = threshold_profile(y_true, {"oracle": y_true} | scores, qid=qid)
    assert profile.plot(ax) is ax
    answers = [" ".join(each.get_text().split("\n")) for each in ax.texts]
    assert "Established for every user: oracle; for some users: any." in answers
    assert [each.get_text() for each in ax.get_legend().get_texts()] == ["oracle", "any"]
    pyplot.close("all")


# --- the command line, on real runs ---------------------------------------------------------------


@pytest.fixture
def run(capsys):
    """Run a command line; return what it wrote to standard output."""

    def run(*words):
        arguments = make_parser().parse_args(list(map(str, words)))
        arguments.run(arguments)
        return capsys.readouterr().out

    return run


@pytest.fixture
def covid(data_dir):
    folder = data_dir / "trec-covid-round1"
    runs = sorted((folder / "runs").iterdir())
    return folder / "qrels.covid-round1.txt", [runs[2], runs[40], runs[80]]


def test_the_command_line_profiles_runs(run, covid, tmp_path):
    qrels, runs = covid
    out = run("compare", qrels, *runs[:2], "--profile", "--resamples", 500)
    assert out.startswith("For which users is ")
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(
        run("compare", qrels, *runs, "--profile", "--resamples", 100, "--format", "json")
    )
    assert found["n_clusters"] is None
    clusters = tmp_path / "clusters"
    topics = dict.fromkeys(line.split()[0] for line in qrels.read_text().splitlines())
    clusters.write_text("".join(f"{topic} {place % 6}\n" for place, topic in enumerate(topics)))
    by_clusters = run("compare", qrels, *runs[:2], "--profile", "--cluster", clusters)
    assert f"a bootstrap over {len(topics)} queries in 6 clusters" in " ".join(by_clusters.split())
    scores = trec.evaluate(["AP", "AP(rel=2)"], qrels, runs)
    assert found["baseline"] == scores.systems[-1]
    assert found["n_queries"] == scores.n_queries
    for system, means in zip(scores.systems, scores.means, strict=True):
        assert found["means"][system] == pytest.approx(means.tolist())
    base = scores.systems[0]
    rows = list(
        csv.DictReader(
            io.StringIO(
                run("compare", qrels, *runs, "--profile", "--baseline", base, "--format", "csv")
            )
        )
    )
    assert [row["baseline"] for row in rows] == [base] * 4
    picture = tmp_path / "users.png"
    run("compare", qrels, *runs[:2], "--profile", "--resamples", 100, "--plot", picture)
    assert picture.stat().st_size > 5_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--profile", "-m", "AP"), "-m/--measure cannot be given with --profile"),
        (("--profile", "--test", "t"), "--test cannot be given with --profile"),
        (("--profile", "--confidence", "2"), "confidence must lie strictly between 0 and 1"),
        (("--profile", "--baseline", "no.run"), "baseline must be one of"),
        (("--baseline", "no.run"), "baseline must be one of"),
    ],
)
def test_the_command_line_refuses_what_does_not_go_together(run, tmp_path, words, message):
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 1\nq2 0 a 1\nq3 0 a 1\n")
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq3 Q0 a 1 3 t\n")
    files = [tmp_path / name for name in ("qrels", "a.run", "b.run")]
    with pytest.raises(ValueError, match=message):
        run("compare", *files, *words)


# Bands with few queries at the top grade


def rare_top(rng, n_queries, share):
    """Differences at two thresholds: the first ranker finds the rare top grade earlier."""
    is_found = rng.random(n_queries) < share
    better, worse = (1 / rng.integers(1, most, n_queries) for most in (5, 20))
    at_top = np.where(is_found, better - worse, 0.0)
    return np.column_stack([rng.normal(0.0, 0.15, n_queries), at_top])


@pytest.mark.parametrize(("n_queries", "share"), [(100, 0.04), (100, 0.1), (100, 0.3), (400, 0.04)])
def test_bands_hold_where_few_queries_have_the_top_grade(n_queries, share):
    """They held in 87 % with 4 of 100 queries; 200 replications, within 3 binomial errors."""
    rng = np.random.default_rng([n_queries, int(100 * share)])
    gap = np.mean(1 / np.arange(1, 5)) - np.mean(1 / np.arange(1, 20))
    truth, held = np.array([0.0, share * gap]), []
    for _ in range(200):
        moments = moments_of(rare_top(rng, n_queries, share))
        critical = critical_value([moments], 0.95, 200, rng, over_simplex=True)
        if not moments.standard_errors.all():
            continue  # no query has the top grade
        ratios = largest_ratios((moments.means - truth)[None], moments.covariance[None])
        held.append(max(each[0] for each in ratios) <= critical)
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)


def test_bands_hold_where_models_vary():
    """Without the part of models they hold in 60 %; 200 replications, within 3 binomial errors."""
    rng, held = np.random.default_rng(0), []
    mix = np.array([[1.0, 0.5], [0.0, 1.0]])
    for _ in range(200):
        folds = np.array([rng.permutation(60) % 3 for _ in range(5)])
        models = (rng.normal(0.0, 0.4, (5, 3, 2)) @ mix)[np.arange(5)[:, None], folds]
        differences = models + rng.normal(0.0, 0.5, (60, 2)) + rng.normal(0.0, 0.5, (5, 60, 2))
        models = part_of_models(np.moveaxis(differences, 2, 0), folds)
        moments = moments_of(differences.mean(axis=0), models=models)
        critical = critical_value([moments], 0.95, 200, rng, over_simplex=True)
        ratios = largest_ratios(moments.means[None], moments.covariance[None])
        held.append(max(each[0] for each in ratios) <= critical)
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)


def test_few_queries_that_tell_about_a_threshold_are_warned_of():
    rng = np.random.default_rng(0)
    grades = np.where(np.arange(3000) < 120, rng.integers(0, 3, 3000), rng.integers(0, 2, 3000))
    qid = np.repeat(np.arange(100), 30)
    scores = {"one": rng.normal(size=3000), "other": rng.normal(size=3000)}
    told = "^Users with threshold 2 are judged by 4 queries"
    with pytest.warns(FewDifferencesWarning, match=told):
        threshold_profile(grades, scores, qid=qid, n_resamples=100)
