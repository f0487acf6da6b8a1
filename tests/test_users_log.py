"""g from a click log: likelihoods by enumeration, recovery, clusters, misfit, and bad input."""

import itertools
import json
import warnings
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

from skgraded import query_series, xGAP
from skgraded.exceptions import (
    FewFeedbackWarning,
    IndistinctGradesWarning,
    MissingClustersWarning,
    SkgradedWarning,
    UserModelWarning,
)
from skgraded.users import thresholds_from_log
from skgraded.users._log import _first_that_fits
from skgraded.users._log_estimates import Choice
from skgraded.users._reader_fit import cluster_covariance, fit_reader, held_out, lean_of
from skgraded.users._reader_test import _groups, _pairs_by_grade, goodness_of_fit
from skgraded.users._readers import READERS
from skgraded.users._resampling import leaning
from skgraded.users._sessions import lay_out

TRUE_G = (0.1, 0.2, 0.3, 0.4)
OTHERS = {
    "position": [0.9, 0.5, 0.3, 0.2],
    "cascade": [0.7, 0.6, 0.2, 0.4],
    "one": [0.9, 0.5, 0.3, 0.8],
}
WEIGHTS = {"position": [0.3, 0.7], "cascade": [0.3, 0.7], "one": [0.1, 0.3, 0.6]}


def sessions_of(grades, clicks, *, propensity=None, clusters=()):
    """Sessions from matrices; -1 stands for a hole."""
    n, m = np.shape(grades)
    return lay_out(
        np.repeat(np.arange(n), m),
        np.tile(np.arange(1, m + 1), n),
        level=np.ravel(grades).astype(np.int64),
        clicked=np.ravel(clicks).astype(bool),
        propensity=None if propensity is None else np.ravel(propensity),
        clusters=tuple(np.repeat(each, m) for each in clusters),
    )


# The readers, literally: the probability of the clicks of a user with threshold k. By degrees, each
# grade above the threshold adds to the log odds of a click.


def raised(chance, by):
    return chance * np.exp(by) / (1 - chance + chance * np.exp(by))


def by_position(grades, clicks, k, others, degrees=0.0):
    *examined, below = others
    p = 1.0
    for grade, click, x in zip(grades, clicks, examined, strict=True):
        chance = raised(x, degrees * (grade - k)) if grade >= k else x * below
        p *= chance if click else 1 - chance
    return p


def by_cascade(grades, clicks, k, others, degrees=0.0):
    goes_on, satisfied, below, stops = others
    if not grades:
        return 1.0 if not any(clicks) else 0.0
    reaches = grades[0] >= k
    chance = raised(satisfied, degrees * (grades[0] - k)) if reaches else satisfied * below
    rest = by_cascade(grades[1:], clicks[1:], k, others, degrees)
    nothing = 0.0 if any(clicks[1:]) else 1.0
    leaves_or_goes_on = (1 - goes_on) * nothing + goes_on * rest
    if clicks[0]:
        return chance * (stops * nothing + (1 - stops) * leaves_or_goes_on)
    return (1 - chance) * leaves_or_goes_on


def by_one_choice(grades, clicks, k, others):
    *examined, satisfied = others
    p = 0.0
    for seen in itertools.product([False, True], repeat=len(grades)):
        of_seen = np.prod([x if s else 1 - x for x, s in zip(examined, seen, strict=True)])
        good = [n for n, s in enumerate(seen) if s and grades[n] >= k]
        best = max(good, key=lambda n: (grades[n], -n), default=None)
        nothing = not any(clicks)
        chosen = best is not None and sum(clicks) == 1 and clicks[best]
        found = satisfied if best is not None else 0.0
        p += of_seen * ((1 - found) * nothing + found * chosen)
    return p


LITERAL = {"position": by_position, "cascade": by_cascade, "one": by_one_choice}


def literal(name, grades, clicks, **more):
    first = 0 if name == "one" else 1
    return sum(
        weight * LITERAL[name](grades, clicks, k, OTHERS[name], **more)
        for k, weight in enumerate(WEIGHTS[name], start=first)
    ) / sum(WEIGHTS[name])


GRADES = [(0, 1, 2), (2, 2, 1), (1, 0, 1), (0, 0, 2)]
CLICKS = list(itertools.product([False, True], repeat=3))


def patterns(name):
    return [each for each in CLICKS if name != "one" or sum(each) <= 1]


@pytest.mark.parametrize("name", READERS)
def test_the_likelihood_is_that_of_the_literal_reader(name):
    cases = list(itertools.product(GRADES, patterns(name)))
    sessions = sessions_of([case[0] for case in cases], [case[1] for case in cases])
    reader = READERS[name](sessions)
    found = reader.likelihood(np.array(WEIGHTS[name]), np.array(OTHERS[name]))
    expected = [literal(name, *case) for case in cases]
    assert np.exp(found.logs) == pytest.approx(expected, rel=1e-12)
    for grades in GRADES:  # the oracle is a distribution
        assert sum(literal(name, grades, each) for each in patterns(name)) == pytest.approx(1)


@pytest.mark.parametrize("name", READERS)
def test_expected_clicks_are_those_of_the_literal_reader(name):
    sessions = sessions_of(GRADES, np.zeros((4, 3)))
    clicks, any_click = READERS[name](sessions).expected(
        np.array(WEIGHTS[name]), np.array(OTHERS[name])
    )
    for row, grades in enumerate(GRADES):
        chances = {each: literal(name, grades, each) for each in patterns(name)}
        mean = sum(p * np.array(each, dtype=float) for each, p in chances.items())
        assert clicks[row] == pytest.approx(mean, rel=1e-12)
        assert any_click[row] == pytest.approx(1 - chances[False, False, False], rel=1e-12)


@pytest.mark.parametrize("name", ["position", "cascade"])
def test_expected_pairs_of_clicks_are_those_of_the_literal_reader(name):
    sessions = sessions_of(GRADES, np.zeros((4, 3)))
    here = [(sessions.level == at).astype(float) for at in range(3)]
    classes = READERS[name](sessions).pairs(np.array(WEIGHTS[name]), np.array(OTHERS[name]))
    found = sum(each.share * _pairs_by_grade(each, here) for each in classes)
    kinds = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    for row, grades in enumerate(GRADES):
        expected = dict.fromkeys(kinds, 0.0)
        for clicks in CLICKS:
            for one, other in itertools.combinations(np.flatnonzero(clicks).tolist(), 2):
                kind = tuple(sorted((grades[one], grades[other])))
                expected[kind] += literal(name, grades, clicks)
        assert found[row] == pytest.approx(list(expected.values()), rel=1e-12)


def test_a_hole_ends_what_the_cascade_sees_and_is_left_out_by_position():
    holed = sessions_of([(1, -1, 2), (2, 0, 1)], [(1, 1, 1), (0, 0, 1)])
    assert holed.has_holes.tolist() == [True, False]
    weights = np.array([0.3, 0.7])
    cascade = READERS["cascade"](holed).likelihood(weights, np.array(OTHERS["cascade"]))
    assert np.exp(cascade.logs[0]) == pytest.approx(0.3 * 0.6 + 0.7 * 0.12)
    position = READERS["position"](holed).likelihood(weights, np.array(OTHERS["position"]))
    # Threshold 1 clicks both documents if it examines them; threshold 2 the first one by mistake.
    chance = 0.3 * 0.9 * 0.3 + 0.7 * (0.9 * 0.2) * 0.3
    assert np.exp(position.logs[0]) == pytest.approx(chance)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("given", [False, True])
def test_scores_are_the_derivatives(name, given):
    if given and name == "cascade":
        pytest.skip("does not use propensities")
    rng = np.random.default_rng(0)
    clicks = [patterns(name)[each] for each in rng.integers(len(patterns(name)), size=60)]
    grades = rng.integers(-1 if name != "one" else 0, 3, size=(60, 3))
    grades[0] = 2, 1, 0
    propensity = rng.uniform(0.2, 1.0, size=(60, 3)) if given else None
    reader = READERS[name](sessions_of(grades, clicks, propensity=propensity))
    weights = np.array(WEIGHTS[name])
    others = np.array(OTHERS[name])[-2:] if given else np.array(OTHERS[name])
    at, n = np.append(weights, others), len(weights)
    scores = reader.likelihood(weights, others).scores
    for column in range(len(at)):
        step = np.zeros(len(at))
        step[column] = 1e-6
        above, below = (reader.likelihood(each[:n], each[n:]) for each in (at + step, at - step))
        numeric = (above.logs - below.logs) / 2e-6
        assert scores[:, column] == pytest.approx(numeric, abs=1e-6, rel=1e-6)


@pytest.mark.parametrize("name", ["position", "cascade"])
def test_the_score_of_satisfaction_by_degrees_is_the_derivative_of_the_literal_reader(name):
    cases = list(itertools.product(GRADES, CLICKS))
    sessions = sessions_of([case[0] for case in cases], [case[1] for case in cases])
    found = READERS[name](sessions).by_degrees(np.array(WEIGHTS[name]), np.array(OTHERS[name]))
    above, below = (
        np.log([literal(name, *case, degrees=step) for case in cases]) for step in (1e-5, -1e-5)
    )
    assert np.abs(found).max() > 0.5
    assert found == pytest.approx((above - below) / 2e-5, abs=1e-9)


# Worlds


def simulate(kind, n, seed=0, *, n_queries=None, m=10, hit=1.0, miss=0.0, stops=1.0, g=TRUE_G):
    """Return grades and clicks of sessions, by rank, and their queries; better ones are higher."""
    rng = np.random.default_rng(seed)
    lists = rng.choice(5, size=(n_queries or n, m), p=[0.5, 0.2, 0.15, 0.1, 0.05])
    order = np.argsort(-(lists + 2 * rng.standard_normal(lists.shape)), axis=1)
    lists = np.take_along_axis(lists, order, axis=1)
    query = rng.integers(n_queries, size=n) if n_queries else np.arange(n)
    grade, rank = lists[query], np.arange(1, m + 1)
    threshold = rng.choice([1, 2, 3, 4], size=(n, 1), p=g)
    if n_queries:  # tastes differ between queries
        of_query = rng.dirichlet(10 * np.array(g), size=n_queries)[query]
        threshold = 1 + (rng.random((n, 1)) > of_query.cumsum(axis=1)[:, :-1]).sum(1)[:, None]
    liked = rng.random(grade.shape) < np.where(grade >= threshold, hit, miss)
    seen = rng.random(grade.shape) < 1 / rank
    if kind == "position":
        return grade, liked & seen, query
    if kind == "trust":
        lured = rng.random(grade.shape) < 0.3 / rank
        return grade, seen & (liked | lured), query
    if kind == "one":
        worth = np.where(seen & liked, 100 * grade - rank, -1)
        return grade, (worth == worth.max(axis=1, keepdims=True)) & (worth >= 0), query
    clicked, reads = np.zeros(grade.shape, dtype=bool), np.ones(n, dtype=bool)
    for at in range(m):
        clicked[:, at] = reads & liked[:, at]
        reads &= ~(clicked[:, at] & (rng.random(n) < stops)) & (rng.random(n) < 0.8)
    return grade, clicked, query


def columns_of(grade, clicked, query=None):
    n, m = grade.shape
    columns = {
        "grade": grade.ravel(),
        "clicked": clicked.ravel(),
        "session": np.repeat(np.arange(n), m),
        "position": np.tile(np.arange(1, m + 1), n),
    }
    return columns if query is None else {**columns, "query": np.repeat(query, m)}


WORLDS = {
    "position": {"hit": 0.6, "miss": 0.05},
    "cascade": {"hit": 0.3, "miss": 0.02, "stops": 0.7},
    "one": {},
}


@pytest.mark.parametrize("name", WORLDS)
def test_auto_finds_the_reader_and_g_and_does_not_warn(name):
    columns = columns_of(*simulate(name, 20_000, **WORLDS[name]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SkgradedWarning)
        found = thresholds_from_log(**columns)
    assert found.reader == name
    assert found.g == pytest.approx(TRUE_G, abs=0.04)
    assert (found.interval[:, 0] - 0.01 <= TRUE_G).all()
    assert (found.interval[:, 1] + 0.01 >= TRUE_G).all()
    if name == "cascade":
        expected = {"goes_on": 0.8, "satisfied": 0.3, "below": 0.067, "stops": 0.7}
        estimated = {each: value for each, (value, _) in found.parameters.items()}
        assert estimated == pytest.approx(expected, abs=0.05)
    else:
        assert found.propensity[:5] == pytest.approx(1 / np.arange(1, 6), abs=0.06)


@pytest.mark.parametrize("name", WORLDS)
def test_standard_errors_are_those_of_simulated_logs(name):
    fits = []
    for seed in range(60):
        grade, clicked, _ = simulate(name, 1500, seed, **WORLDS[name])
        fits.append(fit_reader(name, sessions_of(grade, clicked)))
    without = fits[0].reader.n_without
    estimates = np.array([each.parameters for each in fits])[:, without : without + 4]
    errors = np.sqrt([cluster_covariance(each.moves, ()).diagonal() for each in fits])
    errors = errors[:, without : without + 4]
    # The relative standard error of a standard deviation of 60 draws is 9 %.
    assert np.median(errors, axis=0) == pytest.approx(estimates.std(axis=0), rel=0.3)
    assert estimates.mean(axis=0) == pytest.approx(TRUE_G, abs=0.03)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("g", [(0.0, 0.5, 0.0, 0.5), (0.0, 0.1, 0.1, 0.8)])
def test_intervals_hold_where_nobody_has_some_thresholds(name, g):
    held = []
    for seed in range(15):
        grade, clicked, _ = simulate(name, 1500, seed, g=g, **WORLDS[name])
        options = {"reader": name, "n_resamples": 200, "random_state": seed}
        found = thresholds_from_log(**columns_of(grade, clicked), **options)
        held.append((found.interval[:, 0] <= g) & (np.subtract(g, 1e-9) <= found.interval[:, 1]))
    assert np.mean(held) >= 0.85


def test_the_information_is_the_negative_hessian():
    sessions = sessions_of(*simulate("cascade", 20_000, hit=0.4, miss=0.05, stops=0.6)[:2])
    fit = fit_reader("cascade", sessions)
    n, at = fit.reader.n_classes, fit.parameters

    def slope(parameters):
        return fit.reader.likelihood(parameters[:n], parameters[n:]).scores.sum(axis=0)

    hessian = np.empty((len(at), len(at)))
    for column in range(len(at)):
        step = np.zeros(len(at))
        step[column] = 1e-5
        hessian[:, column] = (slope(at + step) - slope(at - step)) / 2e-5
    hessian[:n, :n] -= len(sessions)  # fixes the sum of the weights
    by_hessian = np.sqrt(np.linalg.inv(-hessian).diagonal())
    by_scores = np.sqrt(cluster_covariance(fit.moves, ()).diagonal())
    assert by_scores == pytest.approx(by_hessian, rel=0.1)


# Clusters


@pytest.mark.parametrize(("n_yes", "n"), [(5, 50), (40, 50), (30, 1000)])
def test_leaning_intervals_of_a_share_are_those_of_the_inequality_and_nearly_wilsons(n_yes, n):
    yes = np.arange(n) < n_yes
    share, z = yes.mean(), stats.norm.ppf(0.975)
    moves = ((yes - share) / n)[:, None]
    variance, slope = share * (1 - share) / n, (1 - 2 * share) / n
    lean = lean_of(moves, ()) * (n / (n - 1)) ** 2  # whose variance has n - 1 for n
    np.testing.assert_allclose(lean, slope / (2 * variance))
    normal = share + z * np.sqrt(variance) * np.array([[-1.0], [1.0]])
    found = leaning(normal, np.array([share]), lean)[:, 0]
    ends = share + np.sort(np.roots([1.0, -(z**2) * slope, -(z**2) * variance]))
    np.testing.assert_allclose(found, ends, rtol=1e-9)
    wilson = stats.binomtest(n_yes, n).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(found, [wilson.low, wilson.high], atol=0.4 / n)


def test_how_variances_grow_is_that_of_the_literal_sums_over_clusters():
    rng = np.random.default_rng(0)
    users, queries = rng.integers(4, size=30), rng.integers(5, size=30)
    moves = rng.normal(size=(30, 2)) ** 2 - 1.0
    cubes = 0.0
    for sign, ids in ((1, users), (1, queries), (-1, users * 5 + queries)):
        for each in set(ids.tolist()):
            cubes = cubes + sign * sum(moves[row] for row in range(30) if ids[row] == each) ** 3
    variance = cluster_covariance(moves, (users, queries)).diagonal()
    np.testing.assert_allclose(lean_of(moves, (users, queries)), cubes / (2 * variance**2))
    np.testing.assert_array_equal(lean_of(np.zeros((9, 2)), ()), 0.0)


def test_the_covariance_over_clusters_is_that_of_the_literal_sums():
    rng = np.random.default_rng(0)
    values, users, queries = rng.normal(size=(40, 3)), rng.integers(6, size=40), np.arange(40) % 5
    _, users = np.unique(users, return_inverse=True)

    def literal_one_way(names):
        sums = [sum(values[row] for row in range(40) if names[row] == each) for each in set(names)]
        return len(sums) / (len(sums) - 1) * sum(np.outer(each, each) for each in sums)

    one_way = cluster_covariance(values, (users,))
    assert one_way == pytest.approx(literal_one_way(users.tolist()))
    both = list(zip(users.tolist(), queries.tolist(), strict=True))
    expected = one_way + literal_one_way(queries.tolist()) - literal_one_way(both)
    found = cluster_covariance(values, (users, queries))
    sizes, axes = np.linalg.eigh(expected)
    assert found == pytest.approx((axes * sizes.clip(0)) @ axes.T)


@pytest.mark.parametrize(
    ("p_values", "taken"),
    [
        ({"cascade": 0.5, "one": 0.9}, "cascade"),
        ({"cascade": 0.001, "one": 0.9}, "one"),
        ({"cascade": 0.001, "one": np.nan}, "cascade"),  # few clicks: it could not be tested
        ({"cascade": np.nan, "one": np.nan}, "cascade"),
    ],
)
def test_the_first_reader_that_passes_the_test_of_fit_is_taken(p_values, taken):
    results = {name: SimpleNamespace(p_value=value) for name, value in p_values.items()}
    assert _first_that_fits(results) == taken


def test_shared_queries_make_intervals_wider_and_warn_where_they_are_not_named():
    columns = columns_of(*simulate("position", 4000, n_queries=60, hit=0.6, miss=0.05))
    named = thresholds_from_log(**columns, reader="position")
    assert named.clusters == {"query": 60}
    del columns["query"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unnamed = thresholds_from_log(**columns, reader="position")
    told = [str(each.message) for each in caught if each.category is MissingClustersWarning]
    assert "4000 of 4000 sessions with the grades of another one" in told[0]
    assert unnamed.clusters == {"session": 4000}
    assert (np.ptp(named.interval, axis=1) > 1.3 * np.ptp(unnamed.interval, axis=1)).all()


def test_users_and_queries_count_both_ways():
    grade, clicked, query = simulate("position", 4000, n_queries=60, hit=0.6, miss=0.05)
    columns = columns_of(grade, clicked, query)
    user = np.repeat(np.arange(4000) % 500, 10)
    found = thresholds_from_log(**columns, user=user, reader="position")
    assert found.clusters == {"user": 500, "query": 60}
    assert "over 500 users and 60 queries" in " ".join(repr(found).split())
    same = thresholds_from_log(
        query_series(columns.pop("grade"), columns.pop("query")), **columns, user=user,
        reader="position",
    )  # fmt: skip
    assert np.array_equal(same.interval, found.interval)


# Choice of the reader


def test_what_one_half_never_shows_is_not_impossible_in_the_other():
    grade, clicked, _ = simulate("position", 400, hit=0.6, miss=0.05, m=4)
    clicked[:, 3] = np.arange(400) == 7
    sessions, fold = sessions_of(grade, clicked), (np.arange(400) == 7).astype(np.int64)
    fold[200:] = 1
    start = fit_reader("position", sessions).parameters
    logs = held_out("position", sessions, fold, start)
    n = 201  # sessions of the half that never clicks there
    assert logs[7] == pytest.approx(np.log(1 / (n + 2)), abs=3.0)  # the other clicks cost the rest


def half_buy(seed):
    """Few choices of few queries."""
    grade, clicked, query = simulate("one", 2000, seed, n_queries=60)
    clicked &= np.random.default_rng(seed).random((2000, 1)) < 0.5
    return columns_of(grade, clicked, query)


@pytest.mark.parametrize("seed", [3, 5, 6, 7])
def test_few_choices_of_few_queries_tell_who_chooses_one(seed):
    found = thresholds_from_log(**half_buy(seed), n_resamples=100)
    assert (found.reader, found.rivals) == ("one", {})


def test_intervals_span_those_by_all_readers_that_the_log_does_not_tell_apart():
    columns = half_buy(12)
    found = thresholds_from_log(**columns)
    assert (found.reader, list(found.rivals)) == ("one", ["cascade"])
    one, cascade = (thresholds_from_log(**columns, reader=each) for each in ("one", "cascade"))
    assert found.g == pytest.approx(one.g)
    assert found.rivals["cascade"].g == pytest.approx(cascade.g)
    low = np.minimum(one.interval[:, 0], cascade.interval[:, 0])
    high = np.maximum(one.interval[:, 1], cascade.interval[:, 1])
    assert found.interval == pytest.approx(np.column_stack([low, high]), abs=0.03)  # other draws
    apart = cascade.g - one.g
    expected = (one.covariance + cascade.covariance + np.outer(apart, apart)) / 2
    assert found.covariance == pytest.approx(expected, abs=0.001)
    told = " ".join(repr(found).split())
    g = ", ".join(f"{each:.3f}" for each in cascade.g)
    assert f'does not tell the reader "one" from "cascade", by which g is {g}: every' in told
    assert 'lower for "cascade"' in told
    assert json.loads(found.to_json())["rivals"]["cascade"] == pytest.approx(cascade.g)


def test_among_readers_that_are_not_told_apart_one_is_taken_that_fits():
    columns = half_buy(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserModelWarning)
        found = thresholds_from_log(**columns)
    assert (found.reader, list(found.rivals)) == ("one", ["cascade"])
    assert found.rivals["cascade"].p_value < 0.02 < found.p_value
    assert found.behind["cascade"][0] < 0 < found.rivals["cascade"].behind["one"][0]
    assert 'higher for "cascade"' in " ".join(repr(found).split())
    split = thresholds_from_log(**columns, by=columns["session"] % 2)
    for segment in split.segments.values():
        assert list(segment.rivals) == ["cascade"]
        rival = segment.rivals["cascade"].interval
        assert (segment.interval[:, 0] <= rival[:, 0]).all()
        assert (segment.interval[:, 1] >= rival[:, 1]).all()


def test_readers_that_are_not_clearly_behind_are_candidates():
    ahead = {("a", "b"): (0.1, 0.06), ("a", "c"): (0.2, 0.05), ("b", "c"): (0.1, 0.2)}
    ahead |= {(other, one): (-by, error) for (one, other), (by, error) in ahead.items()}
    choice = Choice("a", {"a": 0.0, "b": -0.1, "c": -0.2}, ahead, {})
    assert choice.candidates == ["a", "b"]
    assert choice.behind == {"b": (0.1, 0.06), "c": (0.2, 0.05)}
    assert choice._replace(reader="b").candidates == ["b", "a"]
    assert choice._replace(reader="b").behind == {"a": (-0.1, 0.06), "c": (0.1, 0.2)}
    assert Choice("a", {}, {}, {}).candidates == ["a"]


# Fit


def test_p_values_of_fitting_logs_are_not_small():
    p_values = []
    for seed in range(60):
        sessions = sessions_of(*simulate("position", 1500, seed, hit=0.6, miss=0.05)[:2])
        random = np.random.default_rng(seed)
        fit = fit_reader("position", sessions)
        p_values.append(goodness_of_fit(fit, sessions, 500, random))
    assert np.mean(np.array(p_values) < 0.1) < 0.25
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.15)


def test_a_log_that_no_reader_explains_warns_and_says_in_which_direction_g_is_off():
    columns = columns_of(*simulate("cascade", 20_000, hit=0.3))
    with pytest.warns(UserModelWarning, match="'position' expects.* g is too easy by the first"):
        found = thresholds_from_log(**columns, reader="position")
    assert found.p_value < 0.02
    with pytest.warns(UserModelWarning, match="by more than chance explains"):
        thresholds_from_log(**columns_of(*simulate("trust", 20_000)))


def test_easy_users_who_click_more_readily_are_seen_in_pairs_of_clicks():
    grade, threshold = simulate("position", 20_000)[0], np.repeat([1, 2, 3, 4], 5000)[:, None]
    rng = np.random.default_rng(0)
    chance = np.where(grade >= threshold, 1.1 - 0.25 * threshold, 0) / np.arange(1, 11)
    columns = columns_of(grade, rng.random(grade.shape) < chance)
    with pytest.warns(UserModelWarning, match="by more than chance explains"):
        found = thresholds_from_log(**columns, reader="position")
    n_several = (columns["clicked"].reshape(-1, 10).sum(axis=1) > 1).sum()
    assert f"sessions with several clicks, {n_several} here" in " ".join(repr(found).split())


@pytest.mark.parametrize("name", ["position", "cascade"])
def test_satisfaction_by_degrees_is_seen(name):
    n_warned = 0
    for seed in range(10):
        grade, _, _ = simulate(name, 3000, seed)
        rng = np.random.default_rng(seed)
        threshold = rng.choice([1, 2, 3, 4], size=(3000, 1), p=TRUE_G)
        chance = np.where(grade >= threshold, 0.2 + 0.25 * (grade - threshold), 0)
        liked, rank = rng.random(grade.shape) < chance, np.arange(1, 11)
        if name == "position":
            clicked = liked & (rng.random(grade.shape) < 1 / rank)
        else:
            leaves = (liked & (rng.random(grade.shape) < 0.4)) | (rng.random(grade.shape) < 0.1)
            clicked = liked & (leaves.cumsum(axis=1) - leaves == 0)
        sessions = sessions_of(grade, clicked)
        p_value = goodness_of_fit(fit_reader(name, sessions), sessions, 500, rng)
        n_warned += p_value < 0.02
    assert n_warned >= 8


def test_the_first_rank_alone_needs_no_reader():
    found = thresholds_from_log(
        **columns_of(*simulate("cascade", 60_000, hit=0.3)), reader="first_rank"
    )
    assert found.g == pytest.approx(TRUE_G, abs=0.05)
    assert ((found.interval[:, 0] <= TRUE_G) & (found.interval[:, 1] >= TRUE_G)).all()
    rates = found.observed[:, 0]
    assert found.g == pytest.approx(np.diff(rates) / (rates[-1] - rates[0]))
    assert found.shown[:, 1:].sum() == 0
    assert np.isnan(found.p_value)


# Holes


@pytest.mark.parametrize("name", WORLDS)
def test_holes_are_counted_and_do_not_bias(name):
    grade, clicked, _ = simulate(name, 40_000, **WORLDS[name])
    holes = np.random.default_rng(1).random(grade.shape) < 0.1
    columns = columns_of(np.where(holes, np.nan, grade), clicked)
    found = thresholds_from_log(**columns, reader=name)
    assert found.n_unjudged == holes.sum()
    assert found.n_unjudged + found.n_left_out + found.shown.sum() == found.n_rows == 400_000
    assert (found.n_left_out == 0) == (name == "position")
    assert found.g == pytest.approx(TRUE_G, abs=0.05)
    assert f"{holes.sum()} rows without a grade" in " ".join(repr(found).split())


def test_judgments_because_of_clicks_warn():
    grade, clicked, _ = simulate("position", 5000, hit=0.5)
    judged = np.random.default_rng(1).random(grade.shape) < np.where(clicked, 0.9, 0.2)
    with pytest.warns(UserModelWarning, match=r"9\d% of the clicked rows and 2\d% of the others"):
        thresholds_from_log(
            **columns_of(np.where(judged, grade, np.nan), clicked), reader="position"
        )


# Propensities


def test_given_propensities_matter_up_to_a_factor():
    grade, clicked, _ = simulate("position", 5000, 1, hit=0.6, miss=0.05)
    columns = columns_of(grade, clicked)
    given = 1 / columns["position"]
    found = thresholds_from_log(**columns, propensity=given, reader="position")
    halved = thresholds_from_log(**columns, propensity=given / 2, reader="position")
    assert found.g == pytest.approx(TRUE_G, abs=0.05)
    assert halved.g == pytest.approx(found.g, abs=1e-4)
    free = thresholds_from_log(**columns, reader="position")
    assert np.ptp(found.interval, axis=1).sum() < np.ptp(free.interval, axis=1).sum()


def test_what_nobody_clicks_connects_no_grades():
    grade = np.tile([[2, 2, 1, 1, 1], [2, 2, 1, 1, 2]], (50, 1))
    clicked = np.random.default_rng(0).random(grade.shape) < 0.5
    clicked[:, 4] = False
    columns = columns_of(grade, clicked)
    with pytest.raises(ValueError, match=r"connected table.*got 2 parts"):
        thresholds_from_log(**columns, query=columns["session"], reader="position")


def test_without_grade_0_at_the_first_position_it_is_taken_not_to_be_clicked():
    grade, clicked, _ = simulate("cascade", 20_000, hit=0.3)
    kept = grade[:, 0] > 0
    found = thresholds_from_log(**columns_of(grade[kept], clicked[kept]), reader="first_rank")
    rates = found.observed[1:, 0]
    assert found.g == pytest.approx(np.diff(rates, prepend=0.0) / rates[-1])


def test_cells_with_few_clicks_are_tested_together():
    groups = _groups(np.array([25.0, 12.0, 30.0, 11.0]))
    assert [each.tolist() for each in groups] == [[0], [2], [1, 3]]
    assert [each.tolist() for each in _groups(np.array([25.0, 12.0]))] == [[0]]


def test_position_is_refused_where_grades_and_ranks_are_not_connected():
    grade = np.tile([[2, 2, 1, 1], [2, 2, 1, 1]], (50, 1))
    clicked = np.random.default_rng(0).random(grade.shape) < 0.5
    columns = columns_of(grade, clicked)
    with pytest.raises(ValueError, match=r"connected table.*got 2 parts"):
        thresholds_from_log(**columns, query=columns["session"], reader="position")
    found = thresholds_from_log(
        **columns, query=columns["session"], propensity=np.full(400, 0.5), reader="position"
    )
    assert found.reader == "position"


# Segments, and the result


def test_segments_have_their_own_g_and_a_test():
    grade, clicked, _ = simulate("position", 4000, hit=0.6, miss=0.05)
    columns = columns_of(grade, clicked)
    segment = np.where(columns["session"] % 2, "phone", "desktop")
    same = thresholds_from_log(**columns, by=segment, reader="position")
    assert set(same.segments) == {"desktop", "phone"}
    assert same.segments_p_value > 0.001
    half = {name: each[segment == "phone"] for name, each in columns.items()}
    alone = thresholds_from_log(**half, reader="position")
    assert same.segments["phone"].g == pytest.approx(alone.g, abs=1e-3)
    assert same.segments["phone"].n_sessions == 2000
    browses = (segment == "phone") & (columns["grade"] > 0)
    clicked = columns["clicked"] | (
        browses & (np.random.default_rng(1).random(len(browses)) < 0.5 / columns["position"])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserModelWarning)
        other = thresholds_from_log(
            **{**columns, "clicked": clicked}, by=segment, reader="position"
        )
    assert other.segments_p_value < 1e-6
    assert list(other.to_dict()["segment"]) == [None] * 4 + ["desktop"] * 4 + ["phone"] * 4
    assert "p-value of the same g in all segments" in repr(other)


def test_p_values_of_equal_segments_are_uniform():
    p_values = []
    for seed in range(40):
        grade, clicked, _ = simulate("cascade", 1500, seed, hit=0.4, miss=0.02)
        columns = columns_of(grade, clicked)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserModelWarning)
            found = thresholds_from_log(
                **columns, by=columns["session"] % 3, reader="cascade", n_resamples=100
            )
        p_values.append(found.segments_p_value)
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.15)
    assert np.mean(np.array(p_values) < 0.1) < 0.3


def test_the_result_prints_converts_and_plots():
    found = thresholds_from_log(**columns_of(*simulate("cascade", 2000, hit=0.3)))
    assert max(map(len, repr(found).splitlines())) <= 80
    assert list(found.to_frame()) == ["threshold", "g", "lower", "upper"]
    facts = json.loads(found.to_json())
    assert facts["reader"] == found.reader
    assert facts["parameters"].keys() == found.parameters.keys()
    assert len(facts["rows"]) == 4
    assert found.measure(xGAP, k=10, digits=2).k == 10
    widest = np.ptp(found.interval, axis=1).max()
    assert found.clicks_needed(widest) == pytest.approx(found.n_clicks, abs=1)
    assert found.clicks_needed(widest / 2) == pytest.approx(4 * found.n_clicks, abs=1)
    axes = found.plot()
    assert len(axes.get_legend().get_texts()) == 5
    plt.close(axes.figure)


def test_the_order_of_rows_and_names_have_no_effect():
    columns = columns_of(*simulate("cascade", 500, hit=0.3))
    first = thresholds_from_log(**columns, reader="cascade")
    order = np.random.default_rng(0).permutation(5000)
    shuffled = {name: each[order] for name, each in columns.items()}
    shuffled["session"] = [f"s{each}" for each in shuffled["session"]]
    other = thresholds_from_log(**shuffled, reader="cascade")
    assert other.g == pytest.approx(first.g, abs=1e-3)
    assert other.n_clicks == first.n_clicks


def test_a_grade_that_is_never_shown_shares_what_is_known():
    grade, clicked, _ = simulate("position", 3000, hit=0.6)
    grade[grade == 2] = 3
    with pytest.warns(IndistinctGradesWarning, match="got no document of grade 2"):
        found = thresholds_from_log(**columns_of(grade, clicked), reader="position")
    assert found.g[1] == found.g[2]
    assert found.interval[1, 0] == 0


def test_few_clusters_warn():
    columns = columns_of(*simulate("position", 600, n_queries=8, hit=0.6))
    with pytest.warns(FewFeedbackWarning, match="query should hold at least 20 clusters, got 8"):
        thresholds_from_log(**columns, reader="position")


GOOD = columns_of(*simulate("cascade", 60, hit=0.5, stops=0.0))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reader": "dbn"}, "reader must be one of 'auto', 'position', 'cascade', 'one', 'first"),
        ({"clicked": GOOD["clicked"] * 2}, "clicked must hold True, False, 1 or 0, got 2"),
        ({"clicked": np.zeros(600)}, "clicked must be true in some row, got 600 rows"),
        (
            {"position": GOOD["position"] - 1},
            "position must hold integers from 1 to 1000, got 0",
        ),
        ({"position": GOOD["position"] + 0.5}, "position must hold integers .* got 1.5 in row 0"),
        (
            {"position": np.full(600, 2)},
            "position must differ between the rows of a session",
        ),
        ({"position": [1, 2]}, r"position must have one entry per row of grade \(600\), got 2"),
        ({"session": np.arange(7)}, r"session must have one entry per row of grade \(600\), got 7"),
        (
            {"user": np.arange(600)},
            "user must be the same in all rows of a session, got rows 0 ",
        ),
        ({"query": np.arange(600)}, "query must be the same in all rows of a session"),
        ({"by": np.arange(600)}, "by must be the same in all rows of a session, got rows 0 "),
        ({"user": [None] * 600}, "user must have an id in every row, got None in row 0"),
        ({"grade": np.full(600, np.nan)}, "grade must hold at least one grade, got 600 rows"),
        ({"grade": np.zeros(600)}, "grade must hold at least two different grades"),
        ({"propensity": np.zeros(600)}, "propensity must hold probabilities above 0"),
        ({"max_grade": 7}, "grade must hold the top grade max_grade=7"),
        ({"reader": "one"}, "no session may have several clicks, got .* with more"),
        ({"position": GOOD["position"] + 1, "reader": "cascade"}, "must hold position 1, got posi"),
        ({"by": GOOD["session"]}, "by must name segments in which every grade is shown"),
        ({"user": np.zeros(600)}, "reader='auto' needs at least two users, queries or sessions"),
        ({"n_resamples": 10}, "n_resamples must be an integer >= 100, got 10"),
    ],
)
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
def test_bad_input_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        thresholds_from_log(**{**GOOD, **changed})
