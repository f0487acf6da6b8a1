"""The tail against a slow transcription of its formula, and what must follow from it."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize, stats

from skgraded._intervals.estimate import Part, means
from skgraded._intervals.looks import levels_of_looks
from skgraded._intervals.paired import bonferroni

differences = st.sampled_from([-1.0, -0.3, -0.05, 0.0, 0.0, 0.1, 0.2, 0.5])
tables = st.lists(differences, min_size=3, max_size=40)
WORST = st.sampled_from([1.0, 1.5])


def literal_tail(rows, mu, end, *, times=1.0, weights=None, seen_alone=False):
    """The lower tail of mu, by a fine grid of shares of unseen units and plain sums."""
    n = len(rows)
    shares = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    mean = sum(share * row for share, row in zip(shares, rows, strict=True))
    apart = [share * (row - mean) for share, row in zip(shares, rows, strict=True)]
    larger = [
        n / (n - 1) if weights is None else 1 / (1 - each) ** 2 for each in shares
    ]
    squares = [m**2 * f for m, f in zip(apart, larger, strict=True)]
    error, freedom = sum(squares) ** 0.5, n - 1
    if weights is not None:
        freedom = min(max(3 * sum(squares) ** 2 / sum(s**2 for s in squares), 1), n - 1)
    second, third = sum(m**2 for m in apart), sum(m**3 for m in apart)
    a = third / second**2 * ((n - 1) / n) ** 0.5 * error
    most = (n - 2) / (n * (n - 1)) ** 0.5
    a = min(max(a, -most), most)

    def seen(nu):
        u = (nu - mean) / error
        v = u - a / 6
        square = 1 + 2 * a / 3 * v
        z = v / square**0.5 if square > 0 else np.copysign(np.inf, v)
        return stats.t.cdf(max(u, z), freedom)

    if seen_alone:
        return seen(mu)
    n_units = 1 / (shares**2).sum()
    p = -np.expm1(-np.geomspace(0.01, 60, 1_500) / n_units)
    unseen = [(1 - q) ** n_units * seen((mu - q * end) / (1 - q)) / 1.6 for q in p]
    return max(times * seen(mu), *unseen)


@pytest.mark.parametrize("times", [1.0, 20.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [8, 40, 150])
def test_interval_and_p_value_are_those_of_the_formula(n, weighted, times):
    rng = np.random.default_rng(n)
    rows = np.clip(rng.gamma(0.5, 0.2, n) - 0.05, -1, 1)
    weights = rng.lognormal(size=n) if weighted else None
    tail = means(rows[:, None], weights=weights, bounds=(-0.7, 1.0)).tail(times)
    options = {"times": times, "weights": weights}
    low, high = tail.interval(0.95)[0]

    def lower(mu):
        return literal_tail(rows, mu, -0.7, **options) - 0.025

    def upper(mu):
        return literal_tail(-rows, -mu, -1.0, **options) - 0.025

    mean = tail.value[0]
    assert low == pytest.approx(optimize.brentq(lower, -0.69, mean), abs=2e-4)
    assert high == pytest.approx(optimize.brentq(upper, mean, 0.99), abs=2e-4)
    sides = (
        literal_tail(rows, 0.0, -0.7, **options),
        literal_tail(-rows, 0.0, -1.0, **options),
    )
    assert tail.p_value()[0] == pytest.approx(min(1, 2 * min(sides)), rel=0.01)


@given(
    tables, WORST, st.sampled_from([0.8, 0.95, 0.99]), st.sampled_from([1.0, 3.0, 40.0])
)
def test_p_values_are_below_the_level_where_the_interval_excludes_0(
    rows, worst, confidence, times
):
    tail = means(np.array(rows)[:, None], bounds=(-worst, worst)).tail(times)
    low, high = tail.interval(confidence)[0]
    excludes = bool(low > 0.0 or high < 0.0)
    assert bool(tail.p_value()[0] < round(1.0 - confidence, 12)) == excludes


def test_of_many_random_estimates_p_values_and_intervals_agree():
    rng = np.random.default_rng(0)
    for n in (3, 10, 30, 100):
        for kind in (
            rng.normal(0.02, 0.1, (n, 500)),
            rng.gamma(0.5, 0.2, (n, 500)) - 0.05,
        ):
            rows = np.where(rng.random((n, 500)) < 0.5, kind, 0.0).clip(-1, 1)
            for times in (1.0, 10.0):
                tail = means(rows, bounds=(-1.0, 1.0)).tail(times)
                low, high = tail.interval(0.95).T
                np.testing.assert_array_equal(
                    tail.p_value() < 0.05, (low > 0.0) | (high < 0.0)
                )


@pytest.mark.parametrize("n", [5, 30, 300])
def test_units_that_are_all_alike_have_the_rule_of_three(n):
    tail = means(np.zeros((n, 1)), bounds=(-1.0, 1.0)).tail()
    low, high = tail.interval(0.95)[0]
    exact = stats.binomtest(0, n).proportion_ci(0.92, method="exact").high
    assert high == -low == pytest.approx(exact, rel=0.01)
    assert tail.p_value()[0] == 1.0
    if n >= 30:
        assert high == pytest.approx(3.2 / n, rel=0.06)


@given(
    st.lists(differences, min_size=10, max_size=60),
    st.integers(0, 59),
    st.floats(0.0, 1.0),
)
@settings(max_examples=200)
def test_a_loss_never_helps(rows, place, size):
    """Where a tie or a loss becomes a larger loss, the lower end rises by .5 % of the width."""
    rows = np.array(rows)
    place %= len(rows)
    if rows[place] > min(0.0, rows.mean()):
        return
    worse = rows.copy()
    worse[place] -= size * (1.0 + worse[place])
    (low, high), (low_of_worse, _) = (
        means(each[:, None], bounds=(-1.0, 1.0)).interval(0.95)[0]
        for each in (rows, worse)
    )
    assert low_of_worse <= low + 0.005 * (high - low)


def test_where_no_kind_is_unseen_it_is_students_t():
    half = np.random.default_rng(0).normal(0.0, 0.1, (150, 2))
    rows = np.concatenate([half, -half]) + 0.01
    found = means(rows, bounds=(-0.4, 0.4)).interval(0.95)
    expected = stats.ttest_1samp(rows, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-10)


def test_a_correction_is_of_the_units_seen_alone():
    rng = np.random.default_rng(3)
    rows = rng.normal(0.1, 0.2, (30, 5))
    estimate = means(rows, bounds=(-1.0, 1.0))
    of_seen = means(rows).p_value()
    expected = np.maximum(bonferroni(of_seen), estimate.p_value())
    np.testing.assert_allclose(estimate.tail(5.0).p_value(), expected, rtol=1e-12)


@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).lognormal(size=60)])
def test_a_row_holds_up_to_the_largest_loss(weights):
    rows = np.random.default_rng(2).normal(0.05, 0.1, (60, 1))
    tail = means(rows, weights=weights, bounds=(-1.0, 1.0)).tail(3.0)
    bound = np.array([-0.02])
    largest = tail.largest_loss(0.025, bound)[0]
    for factor, holds in ((0.999, True), (1.001, False)):
        ends = tail._replace(lowest=np.array([-factor * largest])).lower_end(0.025)
        assert bool(ends[0] > bound[0]) == holds
    assert np.isnan(tail.largest_loss(0.025, np.array([0.2]))[0])


@pytest.mark.parametrize(
    ("truth", "bound", "worst"),
    [(0.02, 0.0, 0.5), (0.0, -0.02, 1.0), (0.0, -0.03, 0.5)],
)
def test_as_many_units_as_planned_decide_in_80_percent(truth, bound, worst):
    rng = np.random.default_rng(4)
    pilot = rng.normal(size=(400, 1))
    pilot = truth + 0.1 * (pilot - pilot.mean()) / pilot.std()
    tail = means(pilot, bounds=(-worst, worst)).tail()
    ratio = tail.units_needed(np.array([truth]), np.array([bound]), 0.025, 0.8)
    n = int(np.ceil(400 * ratio[0]))
    rows = rng.normal(truth, 0.1, (n, 2_000)).clip(-worst, worst)
    low, _ = means(rows, bounds=(-worst, worst)).interval(0.95).T
    assert (low > bound).mean() == pytest.approx(0.8, abs=0.05)


def test_no_number_of_units_decides_on_the_wrong_side():
    tail = means(
        np.random.default_rng(5).normal(size=(50, 1)), bounds=(-5.0, 5.0)
    ).tail()
    for truth in (0.0, -0.1):
        assert np.isinf(tail.units_needed(np.array([truth]), np.zeros(1), 0.025, 0.8))


def test_a_fixed_part_of_the_variance_does_not_shrink():
    rows = np.random.default_rng(6).normal(size=(50, 1))
    part = np.array([0.01])
    for shrinks in (False, True):
        estimate = means(
            rows, part=Part(part, 5.0, shrinks=shrinks), bounds=(-5.0, 5.0)
        )
        planned = estimate.tail().with_more_units(1e6)
        expected = 0.0 if shrinks else 0.1
        assert planned.error[0] == pytest.approx(expected, abs=2e-3)
        same = estimate.tail().with_more_units(1.0)
        for field in ("error", "freedom", "skewness"):
            np.testing.assert_allclose(
                getattr(same, field), getattr(estimate, field), rtol=1e-9
            )
    assert estimate.tail().with_more_units(1e6).freedom[0] > 1e5


@pytest.mark.parametrize(
    "looks", [[100, 300, 600], [300, 600], list(range(50, 501, 50))]
)
def test_looks_err_together_as_often_as_one(looks):
    levels = levels_of_looks(looks, 0.05)
    assert levels[0] < levels[-1] < 0.05
    steps = np.random.default_rng(7).normal(size=(len(looks), 40_000))
    sums = np.cumsum(steps * np.sqrt(np.diff(looks, prepend=0))[:, None], axis=0)
    z = np.abs(sums) / np.sqrt(looks)[:, None]
    is_beyond = z > stats.norm.isf(np.array(levels) / 2)[:, None]
    assert is_beyond.any(axis=0).mean() == pytest.approx(0.05, abs=0.0035)
    assert levels_of_looks([70], 0.05) == pytest.approx([0.05])
