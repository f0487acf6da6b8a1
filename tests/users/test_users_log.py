"""g from a click log: literal likelihoods, recovery, clusters, departures, and bad input."""

import itertools
import json

import numpy as np
import pytest
from click_logs import TRUE_G, columns_of, heavy_clusters, simulate
from hypothesis import given, strategies as st

from skgraded.exceptions import (
    FewFeedbackWarning,
    GradeScaleWarning,
    MissingClustersWarning,
    UserModelWarning,
)
from skgraded.users import thresholds_from_log
from skgraded.users._chooser import Chooser
from skgraded.users._departures import (
    click_weights,
    departures_of,
    departures_of_choices,
    departures_of_reading,
)
from skgraded.users._fit import Fit, maximise
from skgraded.users._reader import Reader
from skgraded.users._sessions import ABSENT, HOLE, Sessions


def sessions_of(level, clicked, propensity=None, clusters=()):
    """Sessions from matrices of levels, HOLE and ABSENT."""
    level = np.array(level)
    return Sessions(
        level,
        np.array(clicked, dtype=bool) & (level != ABSENT),
        None if propensity is None else np.array(propensity),
        np.arange(1, level.shape[1] + 1),
        max(2, int(level.max())),
        clusters,
    )


# The readers, literally: the probability of a session's clicks by a user with threshold k. A step
# adds `to_click` to the log odds of a click and `to_go` to those of going on, by rank.


def raised(chance, by):
    return chance * np.exp(by) / (1 - chance + chance * np.exp(by))


def by_reading(level, clicks, k, parts, *, to_click=None, to_go=None):
    """P(clicks): rank by rank, at each of which a user may click, and then leave or go on."""
    x, reaches, below, goes_on, stops = parts

    def from_rank(n):
        if n == len(level):
            return 1.0
        chance = 0.0
        if level[n] != ABSENT:
            share = reaches[n] if level[n] == HOLE else float(level[n] >= k)
            chance = x[n] * (share + below * (1 - share))
            chance = chance if to_click is None else raised(chance, to_click[n])
        stays = goes_on * (1 - stops) if clicks[n] else goes_on
        stays = stays if to_go is None else raised(stays, to_go[n])
        nothing_follows = 0.0 if any(clicks[n + 1 :]) else 1.0
        rest = stays * from_rank(n + 1) + (1 - stays) * nothing_follows
        if n == len(level) - 1:
            rest = 1.0  # going on beyond the list shows nothing
        return (chance if clicks[n] else 1 - chance) * rest

    return from_rank(0)


def by_one_choice(level, clicks, k, examined, satisfied):
    """P(choice): over all sets of documents that a user may have seen."""
    p = 0.0
    for seen in itertools.product([False, True], repeat=len(level)):
        of_seen = np.prod(
            [x if s else 1 - x for x, s in zip(examined, seen, strict=True)]
        )
        good = [n for n, s in enumerate(seen) if s and level[n] >= k]
        best = max(good, key=lambda n: (level[n], -n), default=None)
        nothing = not any(clicks)
        chosen = best is not None and sum(clicks) == 1 and clicks[best]
        found = satisfied if best is not None else 0.0
        p += of_seen * ((1 - found) * nothing + found * chosen)
    return p


def literal_reading(sessions, theta, weights_of=None, goes_of=None):
    """Likelihoods of all sessions; departures are functions of class and session."""
    n = sessions.n_levels
    weights, x, (below, goes_on, stops) = theta[:n], theta[n:-3], theta[-3:]
    found = []
    for row in range(len(sessions.level)):
        p = 0.0
        for k in range(1, n + 1):
            columns = sessions.level.T
            reaches = [
                sum(each >= k for each in column)
                / max(sum(each >= 0 for each in column), 1)
                for column in columns
            ]
            here = np.broadcast_to(x, len(columns))
            here = (
                here if sessions.propensity is None else here * sessions.propensity[row]
            )
            parts = (here, reaches, below, goes_on, stops)
            to_click = None if weights_of is None else weights_of(k)[row]
            to_go = None if goes_of is None else goes_of(k)
            clicks = sessions.clicked[row].tolist()
            p += weights[k - 1] * by_reading(
                sessions.level[row].tolist(),
                clicks,
                k,
                parts,
                to_click=to_click,
                to_go=to_go,
            )
        found.append(p / weights.sum())
    return np.array(found)


def literal_choosing(sessions, theta):
    n = sessions.n_levels
    weights, x, (takes_any, satisfied) = theta[:n], theta[n:-2], theta[-2:]
    of_class = [takes_any, *((1 - takes_any) * weights / weights.sum())]
    found = []
    for row, level in enumerate(sessions.level.tolist()):
        here = np.broadcast_to(x, len(level))
        here = here if sessions.propensity is None else here * sessions.propensity[row]
        clicks = sessions.clicked[row].tolist()
        chances = [
            by_one_choice(level, clicks, k, here, satisfied) for k in range(n + 1)
        ]
        found.append(np.dot(of_class, chances))
    return np.array(found)


@st.composite
def logs(draw, least=ABSENT, most_clicks=4):
    """Sessions of up to four ranks with the levels 0 to 2, a model of them and its parameters."""
    n_ranks, n = draw(st.integers(1, 4)), draw(st.integers(2, 6))
    shape = st.lists(st.integers(least, 2), min_size=n_ranks, max_size=n_ranks)
    level = draw(st.lists(shape, min_size=n, max_size=n))
    level[0][0] = 2
    clicks = st.lists(st.booleans(), min_size=n_ranks, max_size=n_ranks)
    clicked = draw(
        st.lists(
            clicks.filter(lambda each: sum(each) <= most_clicks), min_size=n, max_size=n
        )
    )
    given = draw(st.booleans())
    chances = st.lists(
        st.sampled_from([0.25, 0.5, 1.0]), min_size=n_ranks, max_size=n_ranks
    )
    propensity = draw(st.lists(chances, min_size=n, max_size=n)) if given else None
    inner = st.floats(0.05, 0.95)
    n_x = 1 if given else n_ranks
    rest = draw(st.lists(inner, min_size=n_x + 3, max_size=n_x + 3))
    weights = draw(st.lists(st.floats(0.1, 1.0), min_size=2, max_size=2))
    groups = np.zeros(n_ranks, dtype=np.int64) if given else np.arange(n_ranks)
    return sessions_of(level, clicked, propensity), groups, np.array([*weights, *rest])


def slopes(function, at, step=1e-6):
    """Derivatives of values, shape (n_values, n_parameters), by finite differences."""
    moved = [
        (function(at + each), function(at - each)) for each in step * np.eye(len(at))
    ]
    return np.transpose([(above - below) / (2 * step) for above, below in moved])


@given(logs())
def test_the_likelihood_is_that_of_the_literal_reader(log):
    sessions, groups, theta = log
    found, scores = Reader(sessions, "auto", groups).likelihood(theta)
    expected = literal_reading(sessions, theta)
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-9)
    literal = slopes(lambda each: np.log(literal_reading(sessions, each)), theta)
    np.testing.assert_allclose(scores, literal, rtol=1e-5, atol=1e-6)


@given(logs(least=0, most_clicks=1))
def test_the_likelihood_of_a_choice_is_that_of_the_literal_chooser(log):
    sessions, groups, theta = log
    theta = theta[:-1]  # takes_any and satisfied
    found, scores = Chooser(sessions, "one", groups).likelihood(theta)
    np.testing.assert_allclose(
        np.exp(found), literal_choosing(sessions, theta), rtol=1e-9
    )
    literal = slopes(lambda each: np.log(literal_choosing(sessions, each)), theta)
    np.testing.assert_allclose(scores, literal, rtol=1e-5, atol=1e-6)


GRADES = [(0, 1, 2), (2, 2, 1), (1, 0, 1), (0, 0, 2)]
CLICKS = list(itertools.product([False, True], repeat=3))
THETA = np.array([0.3, 0.7, 0.9, 0.5, 0.3, 0.2, 0.8, 0.4])


def test_expected_choices_are_those_of_the_literal_chooser():
    few = [each for each in CLICKS if sum(each) == 1]
    for level in GRADES:
        sessions = sessions_of([level] * 3, few)
        reader = Chooser(sessions, "one", np.arange(3))
        chances = literal_choosing(sessions, THETA[:-1])
        assert reader.expected(THETA[:-1])[0] == pytest.approx(chances @ np.array(few))


def every_log():
    cases = list(itertools.product(GRADES, CLICKS))
    return sessions_of([case[0] for case in cases], [case[1] for case in cases])


def scores_of(found):
    by_name = {}
    for name, score, _ in found:
        by_name[name] = by_name.get(name, 0.0) + score
    return by_name


def test_scores_of_departures_are_derivatives_of_the_literal_reader():
    sessions = every_log()
    reader = Reader(sessions, "auto", np.arange(3))
    found = scores_of(
        departures_of_reading(Fit(reader, THETA, None, None, None, None), reader)
    )

    def moved(step, name):
        def weights_of(k):
            return step * np.broadcast_to(
                click_weights(sessions, k)[name], sessions.level.shape
            )

        return literal_reading(sessions, THETA, weights_of=weights_of)

    for name in click_weights(sessions, 1):
        numeric = (np.log(moved(1e-5, name)) - np.log(moved(-1e-5, name))) / 2e-5
        np.testing.assert_allclose(found[name], numeric, atol=1e-8, err_msg=name)
    depth = np.log2([2.0, 3.0, 4.0])
    depth -= depth.mean()
    of_going = {
        "users who are deep in the list go on more": lambda k, step: step * depth,
        "demanding users go on more": lambda k, step: step * k * np.ones(3),
    }
    for name, by in of_going.items():
        above, below = (
            np.log(
                literal_reading(
                    sessions, THETA, goes_of=lambda k, by=by, s=step: by(k, s)
                )
            )
            for step in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(
            found[name], (above - below) / 2e-5, atol=1e-8, err_msg=name
        )
    of_spread = {
        "some users click more than others": np.ones(3),
        "some users look deeper than others": depth,
    }
    same = np.ones(sessions.level.shape)
    for name, weight in of_spread.items():  # of the variance of what users add: P'' / P
        above, here, below = (
            literal_reading(
                sessions, THETA, weights_of=lambda k, by=step * weight * same: by
            )
            for step in (1e-3, 0.0, -1e-3)
        )
        second = (above - 2 * here + below) / 1e-6 / here
        np.testing.assert_allclose(found[name], second, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    ("name", "x", "leaving"),
    [("position", [0.9, 0.5, 0.3], [1.0, 0.0]), ("cascade", [0.9], [0.8, 0.4])],
)
def test_known_readers_are_special_cases(name, x, leaving):
    sessions, rest = every_log(), [0.2, *leaving]
    special = Reader(sessions, name, np.arange(3) if name == "position" else None)
    found, _ = special.likelihood(np.array([*THETA[:2], *x, *rest]))
    free = np.array([*THETA[:2], *np.broadcast_to(x, 3), *rest])
    expected, _ = Reader(sessions, "auto", np.arange(3)).likelihood(free)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


WORLDS = {
    "position": {"hit": 0.6, "miss": 0.05},
    "cascade": {"hit": 0.3, "miss": 0.02, "stops": 0.7},
    "one": {},
}


PARAMETERS = {
    "position": {"below": 0.083, "goes_on": 1.0},
    "cascade": {"clicks_1": 0.3, "below": 0.067, "goes_on": 0.8, "stops": 0.7},
    "one": {"clicks_1": 1.0, "clicks_2": 0.5, "satisfied": 1.0},
}


@pytest.mark.parametrize("name", ["cascade", "one"])
def test_the_covariance_is_the_inverse_of_the_negative_hessian(name):
    grade, clicked, _ = simulate(name, 20_000, **WORLDS[name])
    fit = maximise(sessions_of(grade, clicked), name)
    n, at = fit.reader.n_classes, fit.theta
    inner = np.flatnonzero(
        (at > 0.01) & (at < 0.99)
    )  # the others are held at their bounds

    def derivatives(inside):
        theta = at.copy()
        theta[inner] = inside
        return fit.reader.likelihood(theta)[1].sum(axis=0)[inner]

    hessian = slopes(derivatives, at[inner], 1e-5)
    hessian[:n, :n] -= len(grade)  # fixes the sum of the weights
    expected = np.linalg.inv(-hessian)[:n, :n]
    scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    found = thresholds_from_log(**columns_of(grade, clicked), reader=name).covariance
    np.testing.assert_allclose(found / scale, expected / scale, atol=0.2)


@pytest.mark.parametrize("name", WORLDS)
def test_g_and_the_parameters_are_recovered_in_silence(name):
    columns = columns_of(*simulate(name, 20_000, **WORLDS[name]))
    found = thresholds_from_log(**columns)
    assert found.reader == ("one" if name == "one" else "auto")
    assert found.g == pytest.approx(TRUE_G, abs=0.04)
    assert (found.interval[:, 0] - 0.01 <= TRUE_G).all()
    assert (found.interval[:, 1] + 0.01 >= TRUE_G).all()
    for each, value in PARAMETERS[name].items():
        assert found.parameters[each][0] == pytest.approx(value, abs=0.06)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.parametrize(
    ("name", "g"), [("cascade", (0.0, 0.5, 0.0, 0.5)), ("one", (0.0, 0.1, 0.1, 0.8))]
)
def test_intervals_hold_where_nobody_has_some_thresholds(name, g):
    held = []
    for seed in range(15):
        grade, clicked, _ = simulate(name, 1500, seed, g=g, **WORLDS[name])
        found = thresholds_from_log(**columns_of(grade, clicked), reader=name)
        held.append(
            (found.interval[:, 0] <= g) & (np.subtract(g, 1e-9) <= found.interval[:, 1])
        )
    assert np.mean(held) >= 0.85


# Clusters


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.parametrize("shared", ["user", "qid"])
def test_intervals_hold_where_few_clusters_hold_most_sessions(shared):
    held = []
    for seed in range(20):
        columns, cluster = heavy_clusters(shared, 1500, seed)
        found = thresholds_from_log(**columns, **{shared: cluster})
        held.append((found.interval[:, 0] <= TRUE_G) & (found.interval[:, 1] >= TRUE_G))
    assert 0.88 <= np.mean(held) <= 0.99  # without the corrections 0.75


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
def test_shared_queries_make_intervals_wider_and_warn_where_they_are_not_named():
    columns = columns_of(*simulate("position", 4000, n_queries=60, hit=0.6, miss=0.05))
    named = thresholds_from_log(**columns, reader="position")
    assert named.clusters == {"qid": 60}
    del columns["qid"]
    told = "4000 of 4000 sessions with the grades of another one"
    with pytest.warns(MissingClustersWarning, match=told):
        unnamed = thresholds_from_log(**columns, reader="position")
    assert unnamed.clusters == {"session": 4000}
    assert (
        np.ptp(named.interval, axis=1) > 1.3 * np.ptp(unnamed.interval, axis=1)
    ).all()


def test_users_and_queries_count_both_ways():
    grade, clicked, query = simulate("position", 4000, n_queries=60, hit=0.6, miss=0.05)
    columns = columns_of(grade, clicked, query)
    user = np.repeat(np.arange(4000) % 500, 10)
    found = thresholds_from_log(**columns, user=user, reader="position")
    assert found.clusters == {"user": 500, "qid": 60}
    assert "over 500 users and 60 queries" in " ".join(repr(found).split())


# Departures


def test_p_values_of_fitting_logs_are_not_small():
    p_values = []
    for seed in range(25):
        sessions = sessions_of(
            *simulate("position", 1500, seed, hit=0.6, miss=0.05)[:2]
        )
        p_values.append(departures_of(maximise(sessions, "auto"))[1])
    assert (
        np.mean(np.array(p_values) < 0.1) < 0.2
    )  # Bonferroni's rule errs to the safe side


def test_a_log_that_no_reader_explains_warns_and_names_two_departures():
    columns = columns_of(*simulate("trust", 20_000))
    told = r"by more than chance explains .*: clicks below the threshold depend on rank \(.*; .*\)"
    with pytest.warns(UserModelWarning, match=told) as caught:
        found = thresholds_from_log(**columns)
    assert str(caught[0].message).count("standard errors") == 2
    assert found.p_value < 0.02
    assert f"of {len(found.departures)}: clicks below" in " ".join(repr(found).split())


def test_sessions_that_repeat_a_cluster_depart_no_more_than_one_of_them():
    grade, clicked, _ = simulate("trust", 2000)
    once, _ = departures_of(maximise(sessions_of(grade, clicked), "auto"))
    thrice = [np.tile(each, (3, 1)) for each in (grade, clicked)]
    sessions = sessions_of(*thrice, clusters=(np.tile(np.arange(2000), 3),))
    found, _ = departures_of(maximise(sessions, "auto"))
    assert found == pytest.approx(once, rel=0.1, abs=0.3)  # in standard errors
    assert max(map(abs, once.values())) > 3.0


def test_departures_with_few_clicks_are_not_tested():
    grade, clicked, _ = simulate("position", 60, hit=0.6)
    departures, p_value = departures_of(maximise(sessions_of(grade, clicked), "auto"))
    assert departures == {}
    assert np.isnan(p_value)


def test_choices_that_ignore_grades_are_seen():
    grade, clicked, _ = simulate("one", 3000)
    clicked[::5] = np.arange(10) == 9
    fit = maximise(sessions_of(grade, clicked), "one")
    departures, p_value = departures_of(fit)
    assert p_value < 1e-6
    assert departures["grade 0 is chosen deeper"] > 5
    assert departures.keys() <= {
        name for name, _, _ in departures_of_choices(fit, fit.reader)
    }


# Holes


def test_holes_are_counted_and_do_not_bias():
    grade, clicked, _ = simulate("cascade", 40_000, **WORLDS["cascade"])
    holes = np.random.default_rng(1).random(grade.shape) < 0.1
    found = thresholds_from_log(**columns_of(np.where(holes, np.nan, grade), clicked))
    assert found.n_unjudged == holes.sum()
    assert found.n_unjudged + found.n_shown.sum() == 400_000
    assert found.n_satisfied.sum() == clicked[~holes].sum()
    assert found.g == pytest.approx(TRUE_G, abs=0.05)
    assert f"{holes.sum()} rows had no grade" in " ".join(repr(found).split())


def test_judgments_because_of_clicks_warn():
    grade, clicked, _ = simulate("position", 5000, hit=0.5)
    judged = np.random.default_rng(1).random(grade.shape) < np.where(clicked, 0.9, 0.2)
    with pytest.warns(
        UserModelWarning, match=r"9\d% of the clicked rows and 2\d% of the others"
    ):
        thresholds_from_log(**columns_of(np.where(judged, grade, np.nan), clicked))


# Propensities


def test_given_propensities_matter_up_to_a_factor():
    grade, clicked, _ = simulate("position", 5000, 1, hit=0.6, miss=0.05)
    columns = columns_of(grade, clicked)
    given = 1 / columns["position"]
    found = thresholds_from_log(**columns, propensity=given, reader="position")
    halved = thresholds_from_log(**columns, propensity=given / 2, reader="position")
    assert found.g == pytest.approx(TRUE_G, abs=0.05)
    assert halved.g == pytest.approx(found.g, abs=1e-4)
    assert list(found.parameters) == ["clicks", "below", "goes_on", "stops"]
    free = thresholds_from_log(**columns, reader="position")
    assert np.ptp(found.interval, axis=1).sum() < np.ptp(free.interval, axis=1).sum()


def test_neighbouring_ranks_with_few_clicks_share_a_parameter():
    clicked = np.zeros((30, 6), dtype=bool)
    for rank, n in enumerate([25, 12, 9, 30, 5, 3]):
        clicked[:n, rank] = True
    sessions = sessions_of(np.tile([2, 1, 0, 2, 1, 0], (30, 1)), clicked)
    assert sessions.groups_of_ranks().tolist() == [0, 1, 1, 2, 2, 2]
    assert Reader(sessions, "auto").names[:3] == ("clicks_1", "clicks_2", "clicks_4")
    assert Reader(sessions, "cascade").names[0] == "clicks"


def test_a_parameter_at_its_bound_has_no_error():
    found = thresholds_from_log(**columns_of(*simulate("cascade", 2000, hit=0.3)))
    assert np.isnan(found.parameters["stops"][1])
    assert json.loads(found.to_json())["parameters"].keys() == found.parameters.keys()
    assert "stops 1.00; largest departure" in " ".join(repr(found).split())


def test_a_grade_that_is_never_shown_shares_what_is_known():
    grade, clicked, _ = simulate("position", 3000, hit=0.6)
    grade[grade == 2] = 3
    with pytest.warns(GradeScaleWarning, match="got no document of grade 2"):
        found = thresholds_from_log(**columns_of(grade, clicked), reader="position")
    assert found.g[1] == found.g[2]
    assert found.interval[1, 0] == 0


def test_few_clusters_warn():
    columns = columns_of(*simulate("position", 600, n_queries=8, hit=0.6))
    with pytest.warns(
        FewFeedbackWarning, match="qid should hold at least 20 clusters, got 8"
    ):
        thresholds_from_log(**columns, reader="position")
