"""Means over queries and repeats against Student's t, plain loops and simulations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from skgraded._stats.repeats import note_on_few_repeats, repeated_interval


def drawn(shape, by_query, by_repeat, rest, seed=0):
    n, n_repeats, n_queries = shape
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0.0, by_query, (n, 1, n_queries))
        + rng.normal(0.0, by_repeat, (n, n_repeats, 1))
        + rng.normal(0.0, rest, shape)
    )


def by_hand(differences, confidence, correlation):
    """Mean, interval, p-value and standard error of one pair without gaps, in plain loops."""
    n_repeats, n_queries = len(differences), len(differences[0])
    queries = [sum(row[q] for row in differences) / n_repeats for q in range(n_queries)]
    repeats = [sum(row) / n_queries for row in differences]
    mean = sum(queries) / n_queries
    of_queries = sum((each - mean) ** 2 for each in queries) / (n_queries - 1) / n_queries
    of_repeats = sum((each - mean) ** 2 for each in repeats) / (n_repeats - 1)
    of_repeats *= 1 / n_repeats + correlation / (1 - correlation)
    variance = of_queries + of_repeats
    freedom = variance**2 / (of_queries**2 / (n_queries - 1) + of_repeats**2 / (n_repeats - 1))
    reach = stats.t.ppf(0.5 + confidence / 2, freedom) * variance**0.5
    p_value = 2 * stats.t.sf(abs(mean) / variance**0.5, freedom)
    return mean, mean - reach, mean + reach, p_value, variance**0.5


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_complete_repeats_are_those_of_plain_loops(correlation):
    differences = drawn((3, 4, 25), 0.3, 0.1, 0.5) + 0.1
    found = repeated_interval(differences, 0.9, training_correlation=correlation)
    expected = [by_hand(each.tolist(), 0.9, correlation) for each in differences]
    np.testing.assert_allclose(np.transpose(found), expected, rtol=1e-9)


def test_a_single_repeat_is_students_t_test():
    differences = drawn((3, 1, 30), 0.3, 0.0, 0.5) + 0.1
    found = repeated_interval(differences)
    expected = [stats.ttest_1samp(each[0], 0.0) for each in differences]
    np.testing.assert_allclose(found.p_value, [each.pvalue for each in expected], rtol=1e-10)
    ends = np.array([each.confidence_interval(0.95) for each in expected])
    np.testing.assert_allclose(np.transpose([found.low, found.high]), ends, rtol=1e-10)


def least_squares(differences):
    """Repeat effects of least squares with a column for each query and each repeat."""
    rows = [
        (r, q) for r, row in enumerate(differences) for q, d in enumerate(row) if not np.isnan(d)
    ]
    columns = np.zeros((len(rows), sum(differences.shape)))
    for place, (r, q) in enumerate(rows):
        columns[place, [r, len(differences) + q]] = 1.0
    fitted = np.linalg.lstsq(columns, [differences[each] for each in rows], rcond=None)[0]
    effects = fitted[: len(differences)]
    return effects - effects.mean()


def test_gaps_enter_by_least_squares():
    differences = drawn((1, 4, 40), 0.3, 0.2, 0.5)[0]
    differences[np.random.default_rng(1).random(differences.shape) < 0.3] = np.nan
    differences[:, 7] = np.nan
    found = repeated_interval(differences[None], training_correlation=0.0)
    tested = [column[~np.isnan(column)] for column in differences.T]
    queries = [each.mean() for each in tested if len(each)]
    mean = np.mean(queries)
    assert found.mean[0] == pytest.approx(mean, rel=1e-12)
    times = (~np.isnan(differences)).sum(axis=0)
    shares = [(1 / times[~np.isnan(row)]).sum() / len(queries) for row in differences]
    of_queries = np.var(queries, ddof=1) / len(queries)
    of_repeats = np.sum(least_squares(differences) ** 2) / 3 * np.sum(np.square(shares))
    variance = of_queries + of_repeats
    freedom = variance**2 / (of_queries**2 / (len(queries) - 1) + of_repeats**2 / 3)
    assert found.p_value[0] == pytest.approx(
        2 * stats.t.sf(abs(mean) / variance**0.5, freedom), rel=1e-9
    )


def test_repeats_without_a_common_query_are_one():
    differences = drawn((1, 1, 30), 0.3, 0.0, 0.5)
    apart = np.full((1, 3, 30), np.nan)
    for repeat in range(3):
        apart[:, repeat, repeat::3] = differences[:, 0, repeat::3]
    np.testing.assert_allclose(
        np.ravel(repeated_interval(apart)), np.ravel(repeated_interval(differences)), rtol=1e-12
    )


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=3, max_dims=3, min_side=2, max_side=6),
        elements=st.one_of(st.floats(-1, 1), st.just(np.nan)),
    )
)
def test_any_pattern_of_gaps(differences):
    if ((~np.isnan(differences)).any(axis=1).sum(axis=1) < 2).any():
        with pytest.raises(ValueError, match="at least 2 queries of each pair"):
            repeated_interval(differences)
        return
    found = repeated_interval(differences)
    assert ((found.low <= found.mean) & (found.mean <= found.high)).all()
    assert ((found.p_value >= 0) & (found.p_value <= 1)).all()
    for pair, alone in enumerate(differences):
        np.testing.assert_allclose(
            np.ravel(repeated_interval(alone[None])), [each[pair] for each in found], rtol=1e-6
        )
    other = repeated_interval(-differences)
    np.testing.assert_allclose(other.low, -found.high, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(other.p_value, found.p_value, rtol=1e-6)


def test_pairs_that_never_differ_or_always_do():
    found = repeated_interval(np.stack([np.zeros((3, 5)), np.full((3, 5), 0.25)]))
    assert found.p_value.tolist() == [1.0, 0.0]
    assert found.low.tolist() == found.high.tolist() == [0.0, 0.25]


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"shape \(n_pairs, n_repeats, n_queries\), got \(3, 5\)"):
        repeated_interval(np.zeros((3, 5)))


@pytest.mark.parametrize("n_queries", [30, 100, 1000])
@pytest.mark.parametrize("n_repeats", [1, 3, 10])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_intervals_hold_under_no_difference(n_queries, n_repeats, correlation):
    by_repeat = n_queries**-0.5 if n_repeats > 1 else 0.0  # of one repeat it cannot be told
    p_values = [
        repeated_interval(
            drawn((100, n_repeats, n_queries), 1.0, by_repeat, 1.0, seed),
            training_correlation=correlation,
        ).p_value
        for seed in range(10)
    ]
    assert np.mean(np.concatenate(p_values) < 0.05) <= 0.065


def trained(n_repeats, rng, n_queries=30, n_folds=5, n_features=8):
    """Differences of two learners that are alike, in repeated cross-validations of new data.

    The error of a query is that of least squares; a learner sees its own half of the features.
    """
    X = rng.normal(size=(n_queries, 2 * n_features))
    y = X.sum(axis=1) + 4.0 * rng.normal(size=n_queries)
    differences = np.empty((n_repeats, n_queries))
    for repeat in range(n_repeats):
        fold = rng.permutation(n_queries) % n_folds
        for tested in range(n_folds):
            train, test = fold != tested, fold == tested
            errors = [
                np.abs(y[test] - half[test] @ np.linalg.lstsq(half[train], y[train], rcond=None)[0])
                for half in (X[:, :n_features], X[:, n_features:])
            ]
            differences[repeat, test] = errors[0] - errors[1]
    return differences


def test_intervals_hold_for_models_that_are_trained_on_overlapping_data():
    differences = np.array([trained(4, np.random.default_rng(seed)) for seed in range(600)])
    single = np.mean(repeated_interval(differences[:, :1]).p_value < 0.05)
    assert single > 0.08
    assert np.mean(repeated_interval(differences).p_value < 0.05) <= 0.065


def test_the_note_on_few_repeats_ends_where_widths_are_steady():
    assert [bool(note_on_few_repeats(each)) for each in (1, 2, 4, 5, 10)] == [0, 1, 1, 0, 0]
