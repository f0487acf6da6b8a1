"""g from feedback: the literal user model, its invariances, its recovery, and bad input."""

import numpy as np
import pytest
from click_logs import TRUE_G, columns_of, heavy_clusters, simulate
from hypothesis import assume, given, strategies as st

from skgraded import AP, GAP, eGAP, query_series, query_target, xGAP
from skgraded._intervals.estimate import Estimate
from skgraded.exceptions import FewFeedbackWarning, GradeScaleWarning, UserModelWarning
from skgraded.users import thresholds_from_feedback

quiet = pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")


def literal_g(grade, satisfied, propensity, max_grade):
    """Estimate g by rates that rise with the grade, of which each is a max of mins."""

    def rate(low, high):
        rows = [row for row, level in enumerate(grade) if low <= level <= high]
        return sum(satisfied[row] for row in rows) / sum(
            propensity[row] for row in rows
        )

    grades = range(max_grade + 1)
    rates = [
        max(min(rate(i, j) for j in grades[k:]) for i in grades[: k + 1])
        for k in grades
    ]
    return np.diff(rates) / (rates[-1] - rates[0])


@st.composite
def rows_of_feedback(draw):
    """Every grade 0..c once, then random rows; satisfaction is more likely for high grades."""
    c = draw(st.integers(1, 4))
    n_more = draw(st.integers(0, 30))
    grade = [
        *range(c + 1),
        *draw(st.lists(st.integers(0, c), min_size=n_more, max_size=n_more)),
    ]
    n = len(grade)
    satisfied = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    satisfied[c] = True
    propensity = draw(
        st.lists(st.sampled_from([0.125, 0.25, 0.5, 1.0]), min_size=n, max_size=n)
    )
    session = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return grade, satisfied, propensity, session


def estimate(rows):
    """The estimate; rows in which higher grades do not satisfy more often are skipped."""
    grade, satisfied, propensity, session = rows
    try:
        return thresholds_from_feedback(
            grade, satisfied, propensity=propensity, cluster=session
        )
    except ValueError as error:
        assume("more often for the top grade" not in str(error))
        raise


def simulated(n_sessions, seed=0):
    """Grade, satisfaction, propensity and session of rows; rank n is examined 1/n of the time."""
    columns = columns_of(*simulate("position", n_sessions, seed)[:2])
    return (
        columns["grade"],
        columns["clicked"],
        1 / columns["position"],
        columns["session"],
    )


@quiet
@given(rows_of_feedback())
def test_g_is_that_of_the_literal_user_model(rows):
    grade, satisfied, propensity, _ = rows
    found = estimate(rows)
    assert found.g == pytest.approx(
        literal_g(grade, satisfied, propensity, max(grade)), abs=1e-12
    )
    low, high = found.interval.T
    assert ((low >= 0) & (low <= found.g) & (found.g <= high) & (high <= 1)).all()


def test_intervals_are_those_of_the_literal_moves_of_rows():
    """Every row moves g as a little more weight on it does, and clusters of rows sum."""
    rng, n = np.random.default_rng(0), 400
    level, chance, cluster = (
        rng.integers(4, size=n),
        rng.uniform(0.2, 1, n),
        np.arange(n) // 7,
    )
    satisfied = rng.random(n) < chance * (1 + level) / 5

    def steps(weight):
        rates = np.bincount(level, weight * satisfied) / np.bincount(
            level, weight * chance
        )
        return np.diff(rates) / (rates[-1] - rates[0])

    literal = [
        (steps(1 + 1e-6 * row) - steps(1 - 1e-6 * row)) / 2e-6 for row in np.eye(n)
    ]
    expected = Estimate(steps(1), np.array(literal), clusters=(cluster,))
    found = thresholds_from_feedback(
        level, satisfied, propensity=chance, cluster=cluster
    )
    np.testing.assert_allclose(
        found.covariance, expected.covariance, rtol=0.02
    )  # 4 cells more
    ends = np.clip(expected.interval(0.95), 0.0, 1.0)
    np.testing.assert_allclose(found.interval, ends, atol=3e-3)


def test_rows_without_a_grade_are_left_out_and_counted():
    grade, satisfied, propensity, session = map(list, simulated(100, 1))
    longer = ([np.nan, *grade], [True, *satisfied], [0.5, *propensity], [100, *session])
    found, without = estimate(longer), estimate((grade, satisfied, propensity, session))
    assert found.n_unjudged == 1
    assert found.clusters == without.clusters
    assert np.array_equal(found.interval, without.interval)
    assert "; 1 row had no grade." in repr(found)


def test_without_grade_0_its_documents_are_taken_not_to_satisfy():
    grade, satisfied = [1] * 40 + [2] * 40, [1] * 10 + [0] * 30 + [1] * 20 + [0] * 20
    found = thresholds_from_feedback(grade, satisfied)
    assert found.g == pytest.approx([0.5, 0.5])
    assert found.interval[0, 0] > 0.18
    assert np.isnan(found.rate[0])


def test_sessions_count_as_a_whole():
    grade, satisfied, _, session = simulated(100, 1)
    rows = [np.tile(each, 25) for each in (grade, satisfied, session)]
    together = thresholds_from_feedback(rows[0], rows[1], cluster=rows[2])
    apart = thresholds_from_feedback(rows[0], rows[1])
    assert np.array_equal(together.g, apart.g)
    assert together.clusters == {"cluster": 100}
    widths = [np.ptp(each.interval, axis=1) for each in (together, apart)]
    assert (widths[0] > 2 * widths[1]).all()
    for target in (query_series(rows[0], rows[2]), query_target(rows[0], rows[2])):
        beside = thresholds_from_feedback(target, rows[1])
        assert np.array_equal(beside.interval, together.interval)


def test_a_grade_that_never_satisfied_still_has_an_upper_bound():
    grade, satisfied = [0] * 50 + [1] * 10 + [2] * 40, [0] * 60 + [1] * 20 + [0] * 20
    found = thresholds_from_feedback(grade, satisfied)
    assert found.g[0] == 0
    # The upper bound of a Poisson mean with no event, at 97.5 %, is 3.69; the top rate is 1/2.
    assert found.interval[0, 1] == pytest.approx(3.69 / 10 / 0.5, rel=0.25)
    assert found.indistinct == ((0, 1),)


def test_the_estimate_makes_measures():
    found = thresholds_from_feedback([0, 1, 2] * 20, [0, 0, 1, 0, 1, 1] * 10)
    assert found.measure(xGAP, k=10) == xGAP(g=(0.5, 0.5), k=10)
    assert found.measure(eGAP, normalize=True) == eGAP(g=(0.5, 0.5), normalize=True)
    assert found.measure(GAP) == GAP(g=(0.5, 0.5))
    with pytest.raises(
        ValueError, match="kind must be one of the classes GAP, xGAP, eGAP, got"
    ):
        found.measure(AP)


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=6).filter(any),
    st.integers(1, 6),
)
def test_a_rounded_g_still_sums_to_1(mass, digits):
    g = np.array(mass) / sum(mass)
    satisfied = np.concatenate([[0], np.cumsum(mass)])
    n = int(satisfied[-1])
    grade = np.repeat(np.arange(len(mass) + 1), n)
    was_satisfied = np.concatenate([np.arange(n) < each for each in satisfied])
    if n < 20:
        grade, was_satisfied = np.tile(grade, 20), np.tile(was_satisfied, 20)
    rounded = np.array(
        thresholds_from_feedback(grade, was_satisfied).measure(xGAP, digits=digits).g
    )
    assert rounded.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(rounded - g).max() <= 10.0**-digits
    assert rounded * 10**digits == pytest.approx(
        np.round(rounded * 10**digits), abs=1e-6
    )


def test_few_sessions_cause_a_warning():
    with pytest.warns(FewFeedbackWarning, match="at least 20 clusters, got 19"):
        thresholds_from_feedback(
            [0, 1, 1] * 19, [0, 0, 1] * 19, cluster=np.repeat(range(19), 3)
        )


def test_a_grade_that_is_never_shown_causes_a_warning():
    with pytest.warns(
        GradeScaleWarning, match=r"0..4, got no document of grades 1 and 3"
    ):
        found = thresholds_from_feedback(
            [0, 2, 4] * 20, [0, 0, 1, 0, 1, 1] * 10, max_grade=4
        )
    assert found.g == pytest.approx([0.25] * 4)
    assert (found.interval[:, 0] == 0).all()
    assert found.interval[:, 1] == pytest.approx(
        np.repeat(found.interval[[0, 2], 1], 2)
    )


def test_satisfaction_that_falls_causes_a_warning_that_names_the_grades():
    grade = [0] * 20 + [1] * 20 + [2] * 20 + [3] * 20
    satisfied = [0] * 20 + [1] * 10 + [0] * 10 + [1] * 8 + [0] * 12 + [1] * 18 + [0] * 2
    with pytest.warns(
        GradeScaleWarning,
        match="falls from grade 1 to 2, got the rates 0, 0.5, 0.4, 0.9, so that both",
    ):
        found = thresholds_from_feedback(grade, satisfied)
    assert found.g == pytest.approx([0.5, 0, 0.5])
    assert (1, 2) in found.indistinct
    assert "do not tell grade 1 from 2" in repr(found)


def test_satisfaction_that_falls_by_more_than_chance_contradicts_the_model():
    grade, satisfied = np.repeat([0, 1, 2], 100), np.zeros(300)
    satisfied[100:160] = satisfied[200:230] = 1
    with pytest.warns(
        UserModelWarning, match="falls from grade 1 to 2, .* by more than chance"
    ):
        thresholds_from_feedback(grade, satisfied)


def test_the_table_says_where_positions_were_ignored():
    grade, satisfied, propensity, _ = simulated(300)
    told = "every shown document counts as examined"
    assert told in repr(thresholds_from_feedback(grade, satisfied))
    assert told not in repr(
        thresholds_from_feedback(grade, satisfied, propensity=propensity)
    )


@quiet
@pytest.mark.parametrize("hit", [0.6, 0.02], ids=["heavy users", "rare purchases"])
def test_intervals_hold_where_few_clusters_hold_most_rows(hit):
    held = []
    for seed in range(60):
        columns, cluster = heavy_clusters("user", 3000, seed, hit=hit, miss=hit / 20)
        found = thresholds_from_feedback(
            columns["grade"],
            columns["clicked"],
            propensity=1 / columns["position"],
            cluster=cluster,
        )
        held.append((found.interval[:, 0] <= TRUE_G) & (found.interval[:, 1] >= TRUE_G))
    assert 0.9 <= np.mean(held) <= 0.99  # without the corrections 0.86
