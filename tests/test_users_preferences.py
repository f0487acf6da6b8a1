"""g from preferences: the literal likelihood, its invariances, its recovery, and bad input."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skgraded import AP, GAP, Rankings, eGAP, measure, xGAP
from skgraded.exceptions import (
    FewFeedbackWarning,
    IndistinctGradesWarning,
    UserModelWarning,
)
from skgraded.users import ap_differences, personas, thresholds_from_preferences
from skgraded.users._judge_thresholds import JudgeThresholds
from skgraded.users._preference_fit import Comparisons, _information, _loss, _scores, fit_weights

TRUE_G = np.array([0.1, 0.2, 0.3, 0.4])


def literal_ap(grades, threshold):
    """AP of grades in rank order."""
    relevant = [grade >= threshold for grade in grades]
    if not any(relevant):
        return 0.0
    precisions = [sum(relevant[: n + 1]) / (n + 1) for n in range(len(grades)) if relevant[n]]
    return sum(precisions) / sum(relevant)


def literal_loss(g, scale, nu, preference, differences):
    """Negative log likelihood of Davidson's model, on plain lists."""
    loss = 0.0
    for each, row in zip(preference, differences, strict=True):
        m = scale * sum(share * d for share, d in zip(g, row, strict=True))
        weights = {1: math.exp(m / 2), -1: math.exp(-m / 2), 0: nu}
        loss -= math.log(weights[each] / sum(weights.values()))
    return loss


def simulate(n_queries, seed=0, *, g=TRUE_G, nu=0.0, scale=10.0, n_documents=15):
    """Two rankings a query, which prefer better documents, and preferences between them."""
    rng = np.random.default_rng(seed)
    y_true = rng.choice(5, size=n_queries * n_documents, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    scores = y_true + rng.normal(0, 2, size=(2, len(y_true)))
    qid = np.repeat(np.arange(n_queries), n_documents)
    found = ap_differences(y_true, *scores, qid=qid, max_grade=4)
    half = scale * found.values @ g / 2
    weights = np.column_stack([np.exp(half), np.exp(-half), np.full(n_queries, nu)])
    shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)[:, :2]
    outcome = (rng.random((n_queries, 1)) > shares).sum(axis=1)
    return np.array([1, -1, 0])[outcome], found


def literal_loss_of_judges(parameters, preference, differences, judge):
    """Negative log likelihood of judges with thresholds of their own, on plain lists."""
    g, scale, nu = parameters
    loss = 0.0
    for each in sorted(set(judge)):
        chance = 0.0
        for k, share in enumerate(g):
            product = share
            for outcome, row, of in zip(preference, differences, judge, strict=True):
                if of == each:
                    m = scale * row[k]
                    weights = {1: math.exp(m / 2), -1: math.exp(-m / 2), 0: nu}
                    product *= weights[outcome] / sum(weights.values())
            chance += product
        loss -= math.log(chance)
    return loss


def judged(n_judges, in_each, seed=0, *, nu=0.0, scale=10.0, g=TRUE_G):
    """Preferences of judges who each compare by AP at a threshold of their own."""
    n = n_judges * in_each
    _, found = simulate(n, seed)
    rng, judge = np.random.default_rng(seed), np.repeat(np.arange(n_judges), in_each)
    threshold = rng.choice(4, size=n_judges, p=g)[judge]
    half = scale * found.values[np.arange(n), threshold] / 2
    weights = np.column_stack([np.exp(half), np.exp(-half), np.full(n, nu)])
    shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)[:, :2]
    outcome = (rng.random((n, 1)) > shares).sum(axis=1)
    return np.array([1, -1, 0])[outcome], found, judge


def slopes(function, at, step):
    """Derivatives by central differences, one row for each parameter."""
    moved = [(at + step * each, at - step * each) for each in np.eye(len(at))]
    return np.array([(function(up) - function(down)) / (2 * step) for up, down in moved])


def estimate(preference, differences, **options):
    return thresholds_from_preferences(preference, differences, n_resamples=100, **options)


@given(
    st.lists(
        st.lists(st.integers(0, 3), min_size=4, max_size=4).flatmap(
            lambda grades: st.tuples(
                st.just(grades), st.permutations(range(4)), st.permutations(range(4))
            )
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([None, 1, 3]),
)
def test_differences_are_those_of_the_literal_definition(queries, k):
    y_true, score_a, score_b, qid, expected = [], [], [], [], []
    for number, (grades, ranks_a, ranks_b) in enumerate(queries):
        y_true += grades
        score_a += [-rank for rank in ranks_a]
        score_b += [-rank for rank in ranks_b]
        qid += [number] * 4
        lists = [
            [grade for _, grade in sorted(zip(ranks, grades, strict=True))]
            for ranks in (ranks_a, ranks_b)
        ]
        if k is None:
            values = [[literal_ap(each, t) for t in (1, 2, 3)] for each in lists]
            expected.append(np.subtract(*values))
    found = ap_differences(y_true, score_a, score_b, qid=qid, max_grade=3, k=k)
    assert found.values.shape == (len(queries), 3)
    if k is None:
        assert found.values == pytest.approx(np.array(expected), abs=1e-12)
    elif max(y_true) > 0:
        a, b = (AP(k=k)(y_true, score, qid=qid) for score in (score_a, score_b))
        assert found.values[:, 0].mean() == pytest.approx(a - b, abs=1e-12)


@given(st.integers(0, 1000), st.lists(st.integers(1, 9), min_size=4, max_size=4))
@settings(max_examples=20)
def test_egap_is_linear_in_g(seed, mass):
    g = tuple(np.array(mass) / sum(mass))
    rng = np.random.default_rng(seed)
    y_true, qid = rng.integers(0, 5, size=100), np.repeat(np.arange(10), 10)
    a, b = rng.normal(size=(2, 100))
    found = ap_differences(y_true, a, b, qid=qid, max_grade=4)
    difference = eGAP(g=g)(y_true, a, qid=qid) - eGAP(g=g)(y_true, b, qid=qid)
    assert (found.values @ g).mean() == pytest.approx(difference, abs=1e-12)


def test_rankings_give_the_differences_of_arrays():
    rng = np.random.default_rng(0)
    y_true, qid = rng.integers(0, 3, size=60), np.repeat(list("abcdef"), 10)
    a, b = rng.normal(size=(2, 60))
    of_arrays = ap_differences(y_true, a, b, qid=qid)
    rankings = [Rankings.from_arrays(y_true, score, qid=qid) for score in (a, b)]
    of_rankings = ap_differences(*rankings)
    assert np.array_equal(of_rankings.values, of_arrays.values)
    assert list(of_rankings.qid) == list("abcdef")
    assert repr(of_rankings) == "<APDifferences of 6 queries, thresholds 1..2>"


@pytest.mark.parametrize("nu", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_parameters_are_more_likely(nu, seed):
    preference, found = simulate(60, seed, nu=nu)
    result = estimate(preference, found)
    rows = found.values.tolist()
    best = literal_loss(result.g, result.scale, result.ties, preference.tolist(), rows)
    rng = np.random.default_rng(seed)
    for spread in (10, 100, 1000):
        for _ in range(20):
            g = rng.dirichlet(0.1 + spread * result.g)
            scale = result.scale * math.exp(rng.normal() / spread)
            ties = result.ties * math.exp(rng.normal() / spread)
            assert literal_loss(g, scale, ties, preference.tolist(), rows) > best - 1e-6


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UserModelWarning")  # of 2 in 100 seeds
@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_g_is_a_distribution_within_its_intervals(seed):
    result = estimate(*simulate(80, seed, nu=0.3))
    assert result.g.sum() == pytest.approx(1)
    assert (result.g >= 0).all()
    assert (result.interval[:, 0] <= result.g).all()
    assert (result.g <= result.interval[:, 1]).all()
    assert result.interval.min() >= 0
    assert result.interval.max() <= 1


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UserModelWarning")  # of 2 in 100 seeds
@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_neither_the_names_of_the_rankings_nor_the_order_of_queries_matter(seed):
    preference, found = simulate(80, seed, nu=0.3)
    result = estimate(preference, found)
    swapped = estimate(-preference, -found.values)
    assert swapped.g == pytest.approx(result.g, abs=1e-5)
    order = np.random.default_rng(seed).permutation(80)
    shuffled = estimate(preference[order], found, qid=found.qid[order])
    assert shuffled.g == pytest.approx(result.g, abs=1e-5)
    assert shuffled.scale == pytest.approx(result.scale, rel=1e-4)


def test_g_is_recovered():
    results = [estimate(*simulate(3000, seed)) for seed in range(4)]
    # The standard deviation of one estimate is at most .035.
    assert np.mean([each.g for each in results], axis=0) == pytest.approx(TRUE_G, abs=0.05)
    assert np.mean([each.scale for each in results]) == pytest.approx(10, rel=0.05)
    assert not any(each.n_ties for each in results)


def test_g_is_recovered_from_preferences_with_ties():
    results = [estimate(*simulate(3000, seed, nu=1.0)) for seed in range(4)]
    assert np.mean([each.g for each in results], axis=0) == pytest.approx(TRUE_G, abs=0.06)
    assert np.mean([each.ties for each in results]) == pytest.approx(1, rel=0.05)


def test_preferences_on_one_query_are_resampled_together():
    preference, found = simulate(200)
    once = estimate(preference, found)
    many = estimate(np.tile(preference, 25), found, qid=np.tile(found.qid, 25))
    with pytest.warns(UserModelWarning):  # as if 25 judges had agreed each time
        apart = estimate(np.tile(preference, 25), np.tile(found.values, (25, 1)))
    assert (many.n_queries, many.n_preferences, apart.n_queries) == (200, 5000, 5000)
    assert many.g == pytest.approx(once.g, abs=1e-5)
    assert many.interval == pytest.approx(once.interval, abs=1e-4)
    assert np.ptp(apart.interval, axis=1).sum() < 0.5 * np.ptp(many.interval, axis=1).sum()


def test_the_result_prints_and_makes_measures():
    result = estimate(*simulate(300, nu=0.5))
    assert "300 preferences on 300 queries" in repr(result)
    assert list(result.to_frame()["threshold"]) == [1, 2, 3, 4]
    assert result.measure(xGAP, k=5) == xGAP(g=tuple(result.g.tolist()), k=5)


@pytest.mark.parametrize("nu", [0.0, 0.7])
def test_scores_and_information_are_derivatives_of_the_loss(nu):
    preference, found = simulate(100, nu=nu)
    told = Comparisons(preference.astype(float), found.values, np.arange(100))
    at = np.array([2.0, 1.0, 3.0, 0.5, -0.4])
    scores, p = _scores(at, told)
    ridge = 1e-8 * len(preference) * at
    by_loss = slopes(lambda x: -len(preference) * _loss(x, told), at, 1e-5)
    assert scores.sum(axis=0) - ridge == pytest.approx(by_loss, rel=1e-6, abs=1e-6)
    by_scores = -slopes(lambda x: _scores(x, told)[0].sum(axis=0), at, 1e-5)
    n = 4 + (nu > 0)
    assert _information(p, told)[:n, :n] == pytest.approx(by_scores[:n, :n], rel=1e-5, abs=1e-4)


def test_intervals_are_those_of_the_sandwich_by_finite_differences():
    preference, found = simulate(400, nu=0.7)
    rows = found.values.tolist()

    def logs(parameters):
        """Log likelihood of every preference, by log weights and log nu."""
        weights = np.exp(parameters[:-1])
        g, scale = weights / weights.sum(), weights.sum()
        return np.array(
            [
                -literal_loss(g, scale, math.exp(parameters[-1]), [one], [row])
                for one, row in zip(preference.tolist(), rows, strict=True)
            ]
        )

    result = thresholds_from_preferences(preference, found, n_resamples=4000)
    assert (result.g > 0.02).all()  # no bound is active, so that the sandwich holds
    at = np.log(np.append(result.scale * result.g, result.ties))
    scores = slopes(logs, at, 1e-4).T
    information = -slopes(lambda x: slopes(lambda y: logs(y).sum(), x, 1e-3), at, 1e-3)
    inverse = np.linalg.inv(information)
    covariance = inverse @ scores.T @ scores @ inverse
    by_g = np.diag(result.g) - np.outer(result.g, result.g)  # derivatives of g by log weights
    errors = np.sqrt(np.diag(by_g @ covariance[:-1, :-1] @ by_g.T))
    inside = result.interval[:, 0] > 0
    assert inside.sum() >= 3
    widths = np.ptp(result.interval, axis=1) / (2 * 1.96)
    assert widths[inside] == pytest.approx(errors[inside], rel=0.08)


@pytest.mark.parametrize("nu", [0.0, 0.5])
def test_the_scores_of_judges_are_derivatives_of_the_literal_likelihood(nu):
    preference, found, judge = judged(8, 4, nu=nu)
    told = Comparisons(preference.astype(float), found.values, np.arange(32))
    model = JudgeThresholds(told, judge)
    weights, others = np.array([0.2, 0.2, 0.1, 0.5]), np.array([0.4, 0.3])[: len(model.names)]
    n = 4

    def literal(x):
        g, scale = x[:n] / x[:n].sum(), model.scale(x[n:])
        return np.array(
            [
                -literal_loss_of_judges(
                    (g, scale, model.ties(x[n:])),
                    preference[judge == each].tolist(),
                    found.values[judge == each].tolist(),
                    [each] * 4,
                )
                for each in range(8)
            ]
        )

    given = model.likelihood(weights, others)
    at = np.append(weights, others)
    assert given.logs == pytest.approx(literal(at), rel=1e-12)
    assert given.scores == pytest.approx(slopes(literal, at, 1e-6).T, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("nu", [0.0, 1.0])
def test_no_other_thresholds_of_judges_are_more_likely(nu):
    preference, found, judge = judged(40, 5, seed=1, nu=nu)
    result = estimate(preference, found, judge=judge)
    rows = [preference.tolist(), found.values.tolist(), judge.tolist()]
    best = literal_loss_of_judges((result.g, result.scale, result.ties), *rows)
    rng = np.random.default_rng(0)
    for spread in (10, 1000):
        for _ in range(10):
            g = rng.dirichlet(0.1 + spread * result.g)
            scale = result.scale * math.exp(rng.normal() / spread)
            ties = result.ties * math.exp(rng.normal() / spread)
            assert literal_loss_of_judges((g, scale, ties), *rows) > best - 1e-3
    assert "200 preferences on 200 queries; 40 judges with a threshold each" in repr(result)


@pytest.mark.parametrize(("in_each", "scale"), [(1, 1000.0), (20, 1000.0), (20, 10.0)])
def test_the_thresholds_of_judges_are_recovered(in_each, scale):
    results = [
        estimate(preference, found, judge=judge)
        for preference, found, judge in (
            judged(3000 // in_each, in_each, seed, scale=scale) for seed in range(4)
        )
    ]
    # The standard deviation of one estimate is at most .04.
    assert np.mean([each.g for each in results], axis=0) == pytest.approx(TRUE_G, abs=0.06)
    held = [(e.interval[:, 0] <= TRUE_G) & (e.interval[:, 1] >= TRUE_G) for e in results]
    assert np.mean(held) >= 0.75
    assert not any(min(each.misfits.values()) < 0.005 for each in results)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.parametrize("scale", [10.0, 1000.0])
@pytest.mark.parametrize("g", [(0.0, 0.5, 0.0, 0.5), (0.0, 0.1, 0.1, 0.8)])
def test_intervals_hold_where_no_judge_has_some_thresholds(g, scale):
    held = []
    for seed in range(20):
        preference, differences, judge = judged(150, 10, seed, scale=scale, g=g)
        found = estimate(preference, differences, judge=judge, random_state=seed)
        held.append((found.interval[:, 0] <= g) & (np.subtract(g, 1e-9) <= found.interval[:, 1]))
    assert np.mean(held) >= 0.9


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewFeedbackWarning")
@pytest.mark.parametrize("scale", [10.0, 1000.0])
@pytest.mark.parametrize("g", [(0.0, 0.5, 0.0, 0.5), (0.0, 0.1, 0.1, 0.8), (0.0, 0.0, 0.0, 1.0)])
def test_a_model_that_holds_is_not_warned_of_where_no_judge_has_some_thresholds(g, scale):
    """Of 5 %, more than 4 in 20 are warned of in .3 % of cases; it was 10 to 100 %."""
    warned = 0
    for seed in range(20):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            preference, differences, judge = judged(500, 1, seed, scale=scale, g=g)
            estimate(preference, differences, judge=judge)
        warned += any(issubclass(each.category, UserModelWarning) for each in caught)
    assert warned <= 4


def test_few_judges_who_weigh_thresholds_alike_are_told_from_those_with_their_own():
    preference, found = simulate(400)
    with pytest.warns(UserModelWarning, match="leave judge= out"):
        estimate(preference, found, judge=np.arange(400) // 20)


@pytest.mark.parametrize("nu", [0.0, 1.0])
def test_drawn_preferences_have_the_probabilities_of_the_likelihood(nu):
    preference, found, judge = judged(200, 2, nu=nu)
    model = JudgeThresholds(Comparisons(preference.astype(float), found.values, judge), judge)
    weights, others = np.array([0.0, 0.3, 0.1, 0.6]), np.array([0.4, 0.3])[: len(model.names)]
    rng, n = np.random.default_rng(0), 3000
    drawn = [model.drawn(weights, others, rng)._told.preference for _ in range(n)]
    logs = {
        each: JudgeThresholds(
            Comparisons(np.full(400, each), found.values, judge), judge
        )._outcomes(others)[0]
        for each in (-1.0, 0.0, 1.0)
    }
    for outcome, by_class in logs.items():
        expected = np.exp(by_class) @ weights
        shares = np.mean([each == outcome for each in drawn], axis=0)
        apart = (shares - expected) / np.sqrt(np.maximum(expected * (1 - expected), 1e-9) / n)
        assert np.abs(apart).max() < 4.5


def test_neither_the_names_of_judges_nor_the_order_of_rows_matter():
    preference, found, judge = judged(60, 5, nu=0.3)
    result = estimate(preference, found, judge=judge)
    order = np.random.default_rng(0).permutation(300)
    names = np.array([f"judge {each}" for each in judge])
    shuffled = estimate(preference[order], found.values[order], judge=names[order])
    assert shuffled.g == pytest.approx(result.g, abs=1e-3)
    assert shuffled.n_judges == 60
    assert not shuffled.misfits.keys() & found.others.keys()  # an array holds no other measures
    with pytest.raises(ValueError, match=r"judge must have one entry per row of preference \(300"):
        estimate(preference, found, judge=judge[:-1])


WORLDS = {
    "depth": lambda found: found.others["depth"] @ TRUE_G,
    "nDCG": lambda found: found.others["nDCG"][:, 1],
    "RR": lambda found: found.others["RR"] @ TRUE_G,
}


@pytest.mark.parametrize("world", WORLDS)
def test_users_of_another_measure_cause_a_warning_that_says_which(world):
    _, found = simulate(3000)
    rng = np.random.default_rng(0)
    preference = np.where(rng.random(3000) < 1 / (1 + np.exp(-10 * WORLDS[world](found))), 1, -1)
    with pytest.warns(UserModelWarning, match=r"differ from the model .*got p = ") as caught:
        result = estimate(preference, found)
    assert min(result.misfits, key=result.misfits.get) == world
    words = {"depth": "k of the ranks", "nDCG": "users follow nDCG", "RR": "first document"}
    assert words[world] in str(caught[0].message)


def test_the_wrong_one_of_both_likelihoods_causes_a_warning_that_names_the_other():
    preference, found, judge = judged(3000, 1, scale=1000.0)
    with pytest.warns(UserModelWarning, match="Pass judge=, the judge of each preference"):
        estimate(preference, found)
    preference, found = simulate(3000)
    with pytest.warns(UserModelWarning, match="leave judge= out"):
        estimate(preference, found, judge=judge // 20)


def test_judges_of_whom_the_size_of_differences_does_not_count_are_not_told_to_be_given():
    rng = np.random.default_rng(0)
    differences, judge = rng.normal(0, 0.1, size=(4000, 2)), np.arange(4000) // 20
    margin = 1.5 * np.sign(differences[np.arange(4000), rng.integers(2, size=200)[judge]])
    preference = np.where(rng.random(4000) < 1 / (1 + np.exp(-margin)), 1, -1)
    with pytest.warns(UserModelWarning, match="scale is not the same for all") as caught:
        estimate(preference, differences, judge=judge)
    assert "Pass judge" not in str(caught[0].message)


def test_the_test_of_fit_agrees_with_the_likelihood_ratio():
    for seed in range(4):
        preference, found = simulate(4000, seed)
        result = estimate(preference, found)
        losses = [
            4000 * _loss(fit_weights(told, -np.inf), told)
            for columns in (found.values, np.hstack([found.values, np.sign(found.values)]))
            for told in [Comparisons(preference.astype(float), columns, np.arange(4000))]
        ]
        groups = len(result.misfits)
        by_scores = stats.chi2.isf(result.misfits["sign"] / groups, 4)
        if result.misfits["sign"] < 1.0:
            assert by_scores == pytest.approx(2 * (losses[0] - losses[1]), rel=0.2)
        else:
            assert 2 * (losses[0] - losses[1]) < 1.2 * by_scores


def test_few_judges_cause_a_warning():
    preference, found, judge = judged(15, 20)
    with pytest.warns(FewFeedbackWarning, match="judge should hold at least 20 judges, got 15"):
        estimate(preference, found, judge=judge)


@pytest.mark.parametrize("n_judges", [1, 2, 25])
def test_with_one_threshold_judges_do_not_matter(n_judges):
    preference, found = simulate(400, g=(1, 0, 0, 0))
    column, judge = found.values[:, :1], np.arange(400) % n_judges
    alike = estimate(preference, column)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewFeedbackWarning)
        result = estimate(preference, column, judge=judge)
    assert result.g.tolist() == [1.0]
    assert result.scale == pytest.approx(alike.scale, rel=1e-2)
    assert set(result.misfits) == {"sign"}  # beside itself, nothing is left to test


@pytest.mark.parametrize("in_each", [1, 10])
@pytest.mark.parametrize("n_thresholds", [1, 2])
@pytest.mark.parametrize("with_ties", [False, True])
def test_the_scale_is_infinite_until_one_judge_errs(in_each, n_thresholds, with_ties):
    rng, n = np.random.default_rng(0), 60 * in_each
    differences = rng.uniform(0.1, 1, size=(n, n_thresholds))
    differences *= rng.choice([-1, 1], size=(n, 1))  # all thresholds agree
    if with_ties:
        differences[::10] = 0
    preference, judge = np.sign(differences[:, 0]), np.arange(n) // in_each
    result = estimate(preference, differences, judge=judge)
    assert result.scale == np.inf
    assert "without exception, so that scale is inf" in repr(result)
    preference[1] *= -1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserModelWarning)  # a single error does not fit the model
        result = estimate(preference, differences, judge=judge)
    assert result.scale < 1000
    assert "without exception" not in repr(result)


def test_g_of_judges_who_never_err_is_the_share_of_those_who_follow_each_threshold():
    rng = np.random.default_rng(0)
    differences, judge = rng.uniform(-1, 1, size=(400, 2)), np.arange(400) // 10
    threshold = rng.integers(2, size=40)[judge]
    preference = np.sign(differences[np.arange(400), threshold])
    follows = np.array(
        [
            [
                (preference[judge == each] == row).all()
                for row in np.sign(differences[judge == each].T)
            ]
            for each in range(40)
        ]
    )
    assert (follows.sum(axis=1) == 1).all()
    result = estimate(preference, differences, judge=judge)
    assert result.g == pytest.approx(follows.mean(axis=0), abs=1e-3)
    assert result.scale == np.inf
    assert result.misfits == {}  # nothing is left to explain


D = np.array([[0.3, -0.1], [-0.2, 0.4], [0.1, 0.1]] * 10)
P = np.array([1, -1, 1, 1, 1, -1] * 5)


@pytest.mark.parametrize(
    ("preference", "differences", "options", "message"),
    [
        (0 * P, D, {}, "preference must hold 1 or -1 in some row, got 30 ties"),
        (2 * P, D, {}, "preference must hold 1, -1, or 0 for a tie, got 2 in row 0"),
        (P, D[:-1], {}, r"differences must have one entry per row of preference \(30\), got 29"),
        (P, D[:, 0], {}, r"differences must have one row per preference .*, got shape \(30,\)"),
        (P, 10 * D, {}, r"differences must hold .* from -1 to 1, got \[3.0, -1.0\] in row 0"),
        (P, np.nan * D, {}, r"differences must hold .* from -1 to 1, got \[nan, nan\] in row 0"),
        (P, D * [1, 0], {}, "differences must not be 0 .* only zeros at threshold 2"),
        (-np.sign(D.sum(1)), D, {}, "preference must agree .* no g explains better than chance"),
        (np.sign(D[:, 0]), D, {}, "preference must contradict every g .* got 30 preferences"),
        (P, D, {"qid": [1]}, r"qid must have one entry per row of preference \(30\), got 1"),
        (P, D, {"confidence": 2}, "confidence must lie strictly between 0 and 1, got 2"),
    ],
)
def test_bad_input_is_refused(preference, differences, options, message):
    with pytest.raises(ValueError, match=message):
        thresholds_from_preferences(preference, differences, **options)


def test_an_unknown_query_is_refused():
    preference, found = simulate(30)
    with pytest.raises(ValueError, match="qid must hold queries of differences, got 30"):
        thresholds_from_preferences(preference, found, qid=np.arange(1, 31))


def test_rankings_of_other_queries_are_refused():
    first = Rankings.from_arrays([1, 0], [1, 2], qid=["a", "b"])
    other = Rankings.from_arrays([1, 0], [1, 2], qid=["a", "c"])
    with pytest.raises(ValueError, match="score_a must be a Rankings of the same queries"):
        ap_differences(first, other)
    with pytest.raises(TypeError, match="score_a must be a Rankings"):
        ap_differences(first, [1, 2])
    with pytest.raises(TypeError, match="score_b is missing"):
        ap_differences([1, 0], [1, 2])
    with pytest.raises(ValueError, match="y_true must not exceed max_grade=1, got grade 2"):
        ap_differences([2, 0], [1, 2], [2, 1], max_grade=1)


@pytest.mark.parametrize("kind", [int, bool, "boolean"])
def test_ones_and_zeros_are_refused_because_zero_may_mean_the_second_ranking(kind):
    with pytest.raises(ValueError, match=r"got 1 and 0 \(or booleans\) alone, .* code that as -1"):
        estimate(pd.Series(P > 0).astype(kind), D)
    # The way out that the error names changes nothing for outcomes of all kinds.
    preference, found = simulate(200, nu=0.5)
    sign = np.where(np.arange(200) % 2, 1, -1)
    swapped = estimate(preference * sign, found.values * sign[:, None])
    assert swapped.g == pytest.approx(estimate(preference, found.values).g)


def test_preferences_with_an_index_in_another_order_are_refused():
    preference, found = simulate(200)
    by_query = pd.Series(preference, index=found.qid).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="preference must have its rows in the order of diff"):
        estimate(by_query, found)
    expected = estimate(preference, found).g
    assert estimate(by_query, found, qid=by_query.index).g == pytest.approx(expected)
    by_id = by_query.rename_axis("qid")
    assert estimate(by_id, found).g == pytest.approx(expected)
    named = pd.Series(preference, index=[f"row {n}" for n in range(200)])
    assert (estimate(named, found).g == expected).all()
    with pytest.raises(ValueError, match="qid must have its rows in the order of preference"):
        estimate(by_query, found, qid=pd.Series(found.qid))


def test_scores_with_an_index_in_another_order_are_refused():
    score = pd.Series([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="score_b must have its rows in the order of score_a"):
        ap_differences([0, 1, 2], score, score[::-1], qid=[1, 1, 1])


def test_few_queries_cause_a_warning():
    with pytest.warns(FewFeedbackWarning, match="at least 20 queries, got 18"):
        estimate(P[:18], D[:18])
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewFeedbackWarning)
        estimate(P[:20], D[:20])


# Three pairs of rankings, time and again, fit no model.
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UserModelWarning")
def test_thresholds_with_equal_differences_cause_a_warning():
    doubled = D[:, [0, 1, 1]]
    with pytest.warns(IndistinctGradesWarning, match="the thresholds of grades 2 and 3"):
        result = estimate(P, doubled)
    assert result.g[1] == result.g[2]
    assert result.g[1] + result.g[2] == pytest.approx(estimate(P, D).g[1], abs=1e-6)
    assert (result.interval[1:, 0] == 0).all()


@given(st.integers(1, 50))
def test_personas_are_distributions_from_the_least_to_the_most_demanding(max_grade):
    found = personas(max_grade)
    assert len(found) == 6
    means = []
    for persona in found:
        assert sum(persona.g) == pytest.approx(1)
        assert len(persona.g) == max_grade
        means.append(np.dot(persona.g, np.arange(1, max_grade + 1)))
    assert np.diff(means).min() > -1e-9


def test_a_browser_is_ap_and_a_demanding_user_is_linear():
    y_true, score = [0, 2, 1, 0, 1], [5, 4, 3, 2, 1]
    browser = personas(2)["browser"].measure(xGAP)
    assert browser(y_true, score) == pytest.approx(AP()(y_true, score))
    linear = xGAP(g="linear", max_grade=2)
    assert personas(2)["demanding"].measure(xGAP)(y_true, score) == linear(y_true, score)
    assert "perfectionist: is satisfied by" in repr(personas(2))
    assert personas(2).to_frame()["g_2"].tolist() == pytest.approx([0, 1 / 3, 0.5, 2 / 3, 2 / 3, 1])


def test_unknown_personas_and_scales_are_refused():
    with pytest.raises(ValueError, match=r"name must be one of 'browser', .* 'even'"):
        personas(2)["evn"]
    with pytest.raises(ValueError, match="max_grade must be an integer >= 1, got 0"):
        personas(0)
    with pytest.raises(ValueError, match="max_grade must be an integer from 1 to 50, got 51"):
        personas(51)


@pytest.mark.parametrize("kind", [GAP, xGAP, eGAP])
@pytest.mark.parametrize("max_grade", [1, 2, 4, 7])
def test_measures_take_personas_by_name(kind, max_grade):
    rng = np.random.default_rng(max_grade)
    y, s = rng.integers(0, max_grade + 1, 60), rng.random(60)
    qid = np.repeat(np.arange(3), 20)
    for persona in personas(max_grade):
        by_name = kind(g=persona.name, max_grade=max_grade, k=10)
        by_vector = kind(g=persona.g, k=10)
        assert by_name(y, s, qid=qid) == by_vector(y, s, qid=qid)
        fractional = by_name(y / 2, s, qid=qid)
        assert fractional == by_vector(y / 2, s, qid=qid)
        assert measure(str(by_name)) == by_name
        open_scale = kind(g=persona.name)
        if persona.name == "browser":  # for whom all grades are alike, however many there are
            assert open_scale.resolve(max_grade) is open_scale
            assert open_scale(y, s, qid=qid) == kind(g="browser", max_grade=9)(y, s, qid=qid)
        else:
            assert open_scale.is_open
            assert open_scale.resolve(max_grade) == kind(g=persona.name, max_grade=max_grade)


def test_persona_names_on_long_scales_and_misspelled():
    long = eGAP(g="exponential", max_grade=5_000)
    assert np.isfinite(long([0, 5_000, 4_999], [1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"g must be one of .*Did you mean 'demanding'"):
        xGAP(g="demandign")
