"""The interval machine against literal formulas, exact distributions, draws and coverage."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from samples import rarely_lost
from scipy import stats

from skgraded._intervals.estimate import Estimate, Part, means


def skewed(rng, shape):
    return np.clip(rng.gamma(0.5, 0.3, shape) - 0.15, -1.0, 1.0)


def sparse(rng, shape):
    """Most queries do not differ."""
    return np.where(rng.random(shape) < 0.3, -skewed(rng, shape), 0.0)


# --- what was seen, without bounds --------------------------------------------------------------


def test_of_symmetric_rows_it_is_students_t():
    half = np.random.default_rng(0).normal(size=(8, 3))
    rows = np.concatenate([half, -half]) + 0.1
    found = means(rows)
    expected = stats.ttest_1samp(rows, 0.0)
    assert found.p_value() == pytest.approx(expected.pvalue, rel=1e-10)
    ends = expected.confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx(np.column_stack(ends), rel=1e-10)


def test_second_order_score_is_that_of_the_formula():
    rows = np.random.default_rng(1).gamma(0.5, size=(20, 1))
    n, mean = len(rows), rows.mean()
    apart = (rows - mean) / n
    error = np.sqrt((apart**2).sum() * n / (n - 1))
    a = (apart**3).sum() / (apart**2).sum() ** 1.5
    mu = mean + 2.2 * error
    u = (mu - mean) / error
    z = (u - a / 6) / np.sqrt(1 + 2 * a / 3 * (u - a / 6))
    assert z < u  # rows that are skewed to the right have a longer upper end
    assert means(rows).p_value(mu)[0] == pytest.approx(
        2 * stats.t.sf(z, n - 1), rel=1e-10
    )


# --- what holds of every estimate ----------------------------------------------------------------

differences = st.sampled_from([-1.0, -0.3, 0.0, 0.0, 0.2, 0.5, 1.0])
tables = st.lists(differences, min_size=2, max_size=12)


@given(tables, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_hold_the_mean_and_stay_in_the_range(rows, confidence):
    rows = np.array(rows)[:, None]
    found = means(rows, bounds=(-1.0, 1.0))
    (low, high), mean = found.interval(confidence)[0], rows.mean()
    assert -1.0 - 1e-12 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1.0 + 1e-12
    mirrored = means(-rows, bounds=(-1.0, 1.0)).interval(confidence)[0]
    assert mirrored == pytest.approx([-high, -low], abs=1e-9)
    wider = found.interval((1.0 + confidence) / 2.0)[0]
    assert wider[0] <= low + 1e-9
    assert wider[1] >= high - 1e-9


@given(tables, st.sampled_from([0.01, 0.025, 0.2]))
def test_p_values_invert_intervals_without_a_range(rows, tail):
    found = means(np.array(rows)[:, None])
    for end in found.interval(1.0 - 2.0 * tail)[0]:
        if end != found.value[0]:
            assert found.p_value(end)[0] == pytest.approx(2.0 * tail, rel=1e-4)


def test_rows_that_are_all_alike_are_as_sure_as_their_number():
    widths = []
    for n in (2, 5, 50, 1_000):
        low, high = means(np.zeros((n, 1)), bounds=(-1.0, 1.0)).interval(0.95)[0]
        assert high == -low == pytest.approx(1.0 - 0.04 ** (1.0 / n), rel=0.01)
        widths.append(high)
    assert means(np.zeros((5, 1))).p_value().tolist() == [1.0]
    assert means(np.full((5, 1), 0.2)).p_value().tolist() == [0.0]


# --- clusters, parts, bands ----------------------------------------------------------------------


def test_heavy_clusters_have_the_three_corrections():
    rng = np.random.default_rng(4)
    rows, clusters = (
        rng.normal(size=(40, 1)),
        np.repeat(np.arange(6), [20, 8, 5, 4, 2, 1]),
    )
    found = means(rows, clusters=(clusters,))
    apart = rows[:, 0] - rows.mean()
    sums = np.array([apart[clusters == each].sum() / 40 for each in range(6)])
    held = 1.0 - np.bincount(clusters) / 40
    squares = (sums / held) ** 2
    assert found.error[0] ** 2 == pytest.approx(squares.sum())
    freedom = 3.0 * squares.sum() ** 2 / (squares**2).sum()
    assert found.freedom[0] == pytest.approx(min(max(freedom, 1.0), 5.0))
    lean = (
        40
        * (apart**3).sum()
        / (apart**2).sum() ** 2
        * np.sqrt(39 / 40)
        * found.error[0]
    )
    assert found.skewness[0] == pytest.approx(lean)


def test_two_ways_are_their_sum_less_the_cells():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(60, 3)) + rng.normal(size=(10, 3)).repeat(6, axis=0)
    one, other = np.arange(60) // 6, np.arange(60) % 6
    found = means(rows, clusters=(one, other)).covariance
    ways = (one, other, np.arange(60))
    first, second, cells = (means(rows, clusters=(each,)).covariance for each in ways)
    expected = first + second - cells
    assert (np.linalg.eigvalsh(expected) > 0).all()
    more = np.maximum(np.maximum(first, second).diagonal() - expected.diagonal(), 0.0)
    assert found == pytest.approx(expected + np.diag(more))


def test_a_part_adds_its_variance_with_satterthwaites_freedom():
    rows = np.random.default_rng(6).normal(size=(25, 2))
    alone, variances = means(rows), np.array([0.02, 0.0])
    found = means(rows, part=Part(variances, 3.0))
    assert found.error**2 == pytest.approx(alone.error**2 + variances)
    expected = found.error**4 / (alone.error**4 / 24 + variances**2 / 3.0)
    assert found.freedom == pytest.approx(expected)
    assert found.freedom[1] == pytest.approx(24.0)


# --- coverage, on data that the assumptions did not make -----------------------------------------


@pytest.mark.parametrize("kind", [skewed, rarely_lost, sparse])
@pytest.mark.parametrize(
    ("n", "most", "widest"), [(10, 0.04, 4.5), (30, 0.045, 2.3), (100, 0.045, 1.3)]
)
def test_both_tails_and_the_width_hold(kind, n, most, widest):
    population = kind(np.random.default_rng(8), 1_000_000)
    rows = kind(np.random.default_rng(9), (n, 1_500))
    low, high = means(rows, bounds=(-1.0, 1.0)).interval(0.95).T
    assert (population.mean() < low).mean() <= most
    assert (population.mean() > high).mean() <= most
    width = (high - low).mean() / (2.0 * 1.96 * population.std() / np.sqrt(n))
    assert 0.95 < width < widest


def test_an_estimate_takes_any_moves():
    moves = np.array([[0.1, 0.0], [-0.05, 0.0], [-0.05, 0.0]])
    found = Estimate(np.array([0.3, 0.3]), moves)
    assert found.error == pytest.approx([np.sqrt(0.015 * 1.5), 0.0])
    assert found.interval(0.95)[1].tolist() == [0.3, 0.3]
