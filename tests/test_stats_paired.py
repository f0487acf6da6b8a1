"""Paired tests and corrections against SciPy, enumeration and arithmetic by hand."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skgraded._stats.bootstrap_t import bootstrap_t, bootstrap_test, counts_of_units, max_t
from skgraded._stats.clustered import sums_by_cluster
from skgraded._stats.corrections import CORRECTIONS, benjamini_hochberg, holm, level_of
from skgraded._stats.paired import (
    TESTS,
    effect_size,
    paired_differences,
    sign_test,
    t_test,
    wilcoxon_test,
)
from skgraded._stats.repeats import repeated_interval
from skgraded._stats.shuffles import randomization_test, tukey_test

DIFFERENCES = np.random.default_rng(0).normal([[0.0], [0.1], [0.5]], 0.3, size=(3, 40))


PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def rng():
    return np.random.default_rng(1)


def test_t_is_scipys():
    expected = [stats.ttest_1samp(each, 0).pvalue for each in DIFFERENCES]
    np.testing.assert_allclose(t_test(DIFFERENCES), expected, rtol=1e-10)


def test_wilcoxon_leaves_topics_without_a_difference_out():
    with_zeros = np.where(rng().random(DIFFERENCES.shape) < 0.2, 0.0, DIFFERENCES)
    expected = [stats.wilcoxon(each[each != 0], method="exact").pvalue for each in with_zeros]
    np.testing.assert_allclose(wilcoxon_test(with_zeros), expected, rtol=1e-10)


@given(st.lists(st.lists(st.integers(-4, 4), min_size=9, max_size=9), min_size=1, max_size=4))
def test_wilcoxon_of_few_tied_differences_tries_all_signs(rows):
    expected = []
    for row in rows:
        kept = [each for each in row if each]
        ranks = stats.rankdata(np.abs(kept))
        middle = ranks.sum() / 2
        reached = abs(ranks[np.array(kept) > 0].sum() - middle)
        sums = [np.dot(taken, ranks) for taken in product([0, 1], repeat=len(kept))]
        expected.append(np.mean([abs(each - middle) >= reached for each in sums]))
    np.testing.assert_allclose(wilcoxon_test(np.array(rows) / 10), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [14, 30, 51, 400])
def test_wilcoxon_of_many_tied_differences_is_normal(n):
    differences = rng().integers(-5, 8, size=(20, n)) / 10
    expected = []
    for row in differences:
        kept = row[row != 0]
        ranks, (_, counts) = (
            stats.rankdata(np.abs(kept)),
            np.unique(np.abs(kept), return_counts=True),
        )
        m = len(kept)
        if m <= 13:
            continue
        variance = (m * (m + 1) * (2 * m + 1) - (counts**3 - counts).sum() / 2) / 24
        z = (ranks[kept > 0].sum() - m * (m + 1) / 4) / np.sqrt(variance)
        expected.append(2 * stats.norm.sf(abs(z)))
    is_long = (differences != 0).sum(axis=1) > 13
    assert is_long.any()
    np.testing.assert_allclose(wilcoxon_test(differences)[is_long], expected, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 13, 14, 50, 51, 300])
def test_wilcoxon_without_ties_is_scipys(n):
    differences = rng().normal(0.2, 1.0, size=(30, n))
    expected = [stats.wilcoxon(each).pvalue for each in differences]
    np.testing.assert_allclose(wilcoxon_test(differences), expected, rtol=1e-10)


def test_wilcoxon_of_many_pairs_is_that_of_each():
    differences = rng().integers(-3, 4, size=(60_000, 20)) / 10
    some = slice(49_990, 50_010)  # on both sides of where one batch ends
    expected = [wilcoxon_test(row[None])[0] for row in differences[some]]
    np.testing.assert_array_equal(wilcoxon_test(differences)[some], expected)


def test_a_thousand_topics_are_swapped_at_random():
    differences = rng().normal(0.0, 1.0, (1, 1100))
    assert 0 < randomization_test(differences, 99, rng())[0] <= 1


def test_wilcoxon_ties_sizes_that_rounding_tells_apart():
    counts = rng().integers(0, 11, (2, 20, 30))  # relevant documents among the first ten
    differences = paired_differences(*(counts / 10))
    apart = [len(set(np.abs(each))) for each in differences]
    whole = counts[0] - counts[1]
    assert all(n > len(set(np.abs(each))) for n, each in zip(apart, whole, strict=True))
    expected = wilcoxon_test(whole.astype(float))
    np.testing.assert_allclose(wilcoxon_test(differences), expected, rtol=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_few_topics_are_swapped_in_all_ways(values):
    sums = [abs(np.dot(signs, values)) for signs in product([1, -1], repeat=len(values))]
    expected = np.mean([each >= abs(sum(values)) for each in sums])
    found = randomization_test(np.array([values]) / 10, 9999, rng())
    assert found[0] == pytest.approx(expected)


def test_many_topics_are_swapped_at_random():
    p_values = randomization_test(DIFFERENCES, 4000, rng())
    np.testing.assert_allclose(p_values, t_test(DIFFERENCES), atol=0.03)
    assert p_values[2] == 1 / 4001
    np.testing.assert_array_equal(p_values, randomization_test(DIFFERENCES, 4000, rng()))


def test_the_bootstrap_agrees_with_t():
    p_values = bootstrap_test(DIFFERENCES, 4000, rng())
    np.testing.assert_allclose(p_values, t_test(DIFFERENCES), atol=0.04)


def literal_bootstrap_t(differences, sizes, level, samples):
    """P-value and interval of one pair, unit by unit and resample by resample."""

    def mean_and_error(units):
        total = sum(sizes[each] for each in units)
        mean = sum(differences[each] for each in units) / total
        squares = sum((differences[each] - mean * sizes[each]) ** 2 for each in units)
        return mean, (squares * len(units) / (len(units) - 1)) ** 0.5 / total

    mean, error = mean_and_error(range(len(sizes)))
    drawn = []
    for sample in samples:
        of_sample, its_error = mean_and_error(sample)
        drawn.append((of_sample - mean) / its_error)
    tails = [
        sum(each <= mean / error for each in drawn),
        sum(each >= mean / error for each in drawn),
    ]
    by_resamples = 2 * (min(tails) + 1) / (len(samples) + 1)
    by_t = 2 * stats.t.sf(abs(mean / error), len(sizes) - 1)
    critical = stats.t.isf(level / 2, len(sizes) - 1)
    rank = int(np.ceil(level / 2 * (len(samples) + 1))) - 1
    least = min(sorted(drawn)[rank - 1], -critical)
    most = max(sorted(drawn)[-rank], critical)
    return min(1, max(by_resamples, by_t)), mean - most * error, mean - least * error


def samples_of(n_units, n_resamples, generator):
    drawn = np.random.default_rng(int(generator.integers(2**63)))
    counts = np.concatenate(list(counts_of_units(n_units, n_resamples, drawn))).astype(int)
    return [np.repeat(np.arange(n_units), each).tolist() for each in counts]


@pytest.mark.parametrize("clustered", [False, True])
def test_bootstrap_t_is_the_literal_one(clustered):
    skewed = rng().exponential(size=(3, 40)) - [[1.0], [0.8], [0.4]]
    clusters = rng().integers(0, 17, 40) if clustered else None
    sums, sizes = sums_by_cluster(skewed, clusters)
    found = bootstrap_t(sums, sizes, 0.1, 300, rng())
    samples = samples_of(len(sizes), 300, rng())
    expected = [literal_bootstrap_t(each.tolist(), sizes.tolist(), 0.1, samples) for each in sums]
    np.testing.assert_allclose(np.transpose(found), expected, rtol=1e-9)
    assert ((found.p_value < 0.1) == ((found.low > 0) | (found.high < 0))).all()
    assert 0 < (found.p_value < 0.1).sum() < 3


def test_max_t_takes_the_largest_of_all_pairs():
    values = rng().normal(size=(4, 30)) * [[1.0], [1.0], [1.0], [5.0]]
    pairs = np.array(list(combinations(range(4), 2)))
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    found = max_t(differences, np.ones(30), 0.1, 200, rng())
    samples = np.array(samples_of(30, 200, rng()))
    means, errors = differences.mean(axis=1), differences.std(axis=1, ddof=1) / 30**0.5
    drawn = differences[:, samples]
    ratios = (drawn.mean(axis=2) - means[:, None]) / (drawn.std(axis=2, ddof=1) / 30**0.5)
    largest = np.abs(ratios).max(axis=0)
    beyond = (largest >= np.abs(means / errors)[:, None]).sum(axis=1)
    np.testing.assert_allclose(found.p_value, (beyond + 1) / 201)
    critical = sorted(largest)[200 - 20]
    np.testing.assert_allclose(found.low, means - critical * errors)
    np.testing.assert_allclose(found.high, means + critical * errors)


def test_clusters_are_summed():
    values, clusters = rng().normal(size=(2, 50)), rng().permutation(np.arange(50) % 7)
    sums, sizes = sums_by_cluster(values, clusters)
    assert sizes.tolist() == np.bincount(clusters).tolist()
    for place in range(7):
        np.testing.assert_allclose(sums[:, place], values[:, clusters == place].sum(axis=1))


@pytest.mark.parametrize("name", TESTS)
def test_clusters_of_one_query_change_nothing(name):
    values = np.random.default_rng(4).normal([[0.0], [0.1], [0.3]], 0.3, size=(3, 40))
    test = TESTS[name]
    expected = test.p_values(values, PAIRS, 999, rng())
    alone = test.p_values(values, PAIRS, 999, rng(), np.arange(40))
    np.testing.assert_allclose(alone, expected, rtol=1e-9)


@pytest.mark.parametrize("name", TESTS)
def test_queries_of_a_cluster_that_agree_count_as_one(name):
    values = np.random.default_rng(4).normal([[0.0], [0.1], [0.3]], 0.3, size=(3, 40))
    test = TESTS[name]
    fivefold = test.p_values(
        np.repeat(values, 5, axis=1), PAIRS, 999, rng(), np.repeat(range(40), 5)
    )
    np.testing.assert_allclose(fivefold, test.p_values(values, PAIRS, 999, rng()), rtol=1e-6)


@pytest.mark.parametrize("n_differing", [1, 2, 3])
def test_intervals_of_very_few_differences_have_ends(n_differing):
    sums = np.zeros((2, 60))
    sums[0, :n_differing] = sums[1, -n_differing:] = [-0.5, -0.2, -0.4][:n_differing]
    sums[1] *= -1
    found = bootstrap_t(sums, np.ones(60), 0.05, 4000, rng())
    largest_rate = stats.binomtest(n_differing, 60).proportion_ci(0.95, method="exact").high
    assert found.low[0] == -found.high[1] == pytest.approx(-0.5 * largest_rate)
    assert (found.low < 0).all()
    assert (found.high > 0).all()
    assert (found.p_value > 0.05).all()


def test_many_queries_are_drawn_in_groups():
    skewed = rng().exponential(size=(20, 5000)) - 1.0
    found = bootstrap_t(skewed, np.ones(5000), 0.05, 2000, rng())
    np.testing.assert_allclose(found.p_value, t_test(skewed), atol=0.05)
    reach = 1.96 * skewed.std(axis=1) / 5000**0.5
    np.testing.assert_allclose((found.high - found.low) / 2, reach, rtol=0.1)


def test_wilcoxon_of_nothing_and_of_nan():
    assert wilcoxon_test(np.zeros((2, 0))).tolist() == [1.0, 1.0]
    found = wilcoxon_test(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]))
    assert np.isnan(found).tolist() == [True, False]


def test_the_sign_test_is_scipys():
    with_zeros = np.where(rng().random(DIFFERENCES.shape) < 0.2, 0.0, DIFFERENCES)
    expected = [
        stats.binomtest(int((each > 0).sum()), int((each != 0).sum())).pvalue for each in with_zeros
    ]
    np.testing.assert_allclose(sign_test(with_zeros), expected, rtol=1e-9)


SKEWED = {  # differences whose mean is 0
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
    "sparse and skewed": lambda rng, shape: np.where(
        rng.random(shape) < 0.1, rng.exponential(size=shape) - 1.0, 0.0
    ),
    "sparse and symmetric": lambda rng, shape: rng.standard_t(3, shape) * (rng.random(shape) < 0.4),
}


@pytest.mark.parametrize("name", SKEWED)
def test_bootstrap_t_errs_as_often_as_it_says(name):
    """3 to 8 % at n = 30, within 3 binomial errors of 1,000 replications."""
    differences = SKEWED[name](np.random.default_rng(0), (1000, 30))
    p_values = bootstrap_t(differences, np.ones(30), 0.05, 999, rng()).p_value
    slack = 3 * np.sqrt(0.05 * 0.95 / 1000)
    assert 0.03 - slack < np.mean(p_values < 0.05) < 0.08 + slack


def test_max_t_holds_where_systems_vary_unequally_and_tukey_does_not():
    values = np.random.default_rng(0).normal(size=(300, 12, 30))
    values[:, :2] *= 5.0
    pairs = np.array(list(combinations(range(12), 2)))
    errs = {"max_t": [], "tukey": []}
    for each in values:
        for name, found in errs.items():
            found.append(TESTS[name].p_values(each, pairs, 199, rng()).min() < 0.05)
    assert np.mean(errs["max_t"]) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert np.mean(errs["tukey"]) > 0.1


def test_effect_size_is_the_mean_in_standard_deviations():
    expected = DIFFERENCES.mean(axis=1) / DIFFERENCES.std(axis=1, ddof=1)
    np.testing.assert_allclose(effect_size(DIFFERENCES), expected, rtol=1e-12)


def test_systems_that_never_differ():
    same = np.zeros((1, 5))
    assert t_test(same)[0] == wilcoxon_test(same)[0] == 1
    assert randomization_test(same, 10, rng())[0] == bootstrap_test(same, 10, rng())[0] == 1
    assert effect_size(same)[0] == 0


def test_rounding_is_no_difference():
    values = np.array([[0.1, 0.5, 3.0, 0.0]])
    rounded = np.nextafter(values, 4.0)
    assert (rounded != values).all()
    rounded[0, 3] = 0.0
    assert paired_differences(values, rounded).tolist() == [[0.0] * 4]
    small = np.array([[1e-9, 0.0]])
    assert paired_differences(small, np.zeros((1, 2))).tolist() == small.tolist()


def test_a_constant_difference_is_certain_for_t():
    constant = np.full((1, 4), 0.25)
    assert t_test(constant)[0] == 0
    assert randomization_test(constant, 9999, rng())[0] == 2 / 2**4


def test_corrections_by_hand():
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03])), [0.03, 0.06, 0.06])
    found = benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5]))
    np.testing.assert_allclose(found, [0.04, 0.16 / 3, 0.16 / 3, 0.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_never_lower_a_p_value_nor_change_their_order(values):
    p_values = np.array(values)
    for corrected in (each.function(p_values) for each in CORRECTIONS.values()):
        assert (corrected >= p_values * (1 - 1e-12)).all()
        assert (np.diff(corrected[np.argsort(p_values, kind="stable")]) >= 0).all()
        assert corrected.max() <= 1


def test_differences_that_cancel_but_for_rounding_are_none():
    values = np.array([0.2, 0.4, 0.6, 0.2, 0.8, 0.4] * 5)
    differences = paired_differences(values, np.roll(values, 1))
    assert 0.0 < abs(differences.mean()) < 1e-15
    twice = np.array([differences, -differences, 1e9 * differences])
    np.testing.assert_array_equal(bootstrap_test(twice, 1000, rng()), 1.0)
    np.testing.assert_array_equal(randomization_test(twice, 1000, rng()), 1.0)


@pytest.mark.parametrize("test", TESTS.values(), ids=list(TESTS))
def test_every_test_of_the_table_takes_systems_by_pairs(test):
    values = np.random.default_rng(4).normal([[0.0], [0.02], [0.4]], 0.3, size=(3, 40))
    found = test.p_values(values, PAIRS, 999, rng())
    assert found.shape == (3,)
    assert found[1] < 0.01
    assert 0.05 < found.max() <= 1
    np.testing.assert_array_equal(found, test.p_values(-values, PAIRS, 999, rng()))
    same, required = test.p_values_and_required(values, PAIRS, 0.05, 999, rng())
    np.testing.assert_allclose(same, found, rtol=1e-12)
    means = np.abs(paired_differences(*values[PAIRS.T]).mean(axis=1))
    if test.required is None:
        np.testing.assert_array_equal(required, means[found < 0.05].min())
    else:
        np.testing.assert_array_equal(means > required, found < 0.05)
    alike = test.p_values_and_required(np.zeros((2, 9)), PAIRS[:1], 0.05, 999, rng())
    assert alike[0] == 1
    assert not 0 < alike[1][0] < np.inf
    apart = np.array([[0.0] * 9, [1.0] * 9])  # the same difference, -1, in every query
    certain, _ = test.p_values_and_required(apart, PAIRS[:1], 0.05, 999, rng())
    assert certain == test.p_values(apart, PAIRS[:1], 999, rng()) < 1


@pytest.mark.parametrize("test", TESTS.values(), ids=list(TESTS))
@pytest.mark.parametrize(("n_queries", "n_resamples"), [(4, 99), (6, 20), (12, 30), (12, 9999)])
def test_no_p_value_is_smaller_than_a_test_can_give(test, n_queries, n_resamples):
    values = np.linspace(0.1, 0.2, n_queries) * np.array([[0.0], [1.0]])
    (found,) = test.p_values(values, PAIRS[:1], n_resamples, rng())
    assert found >= test.smallest(n_queries, n_resamples) * (1 - 1e-12)


def test_the_smallest_p_value_of_swaps_and_of_resamples_is_reached():
    values = np.array([np.zeros(6), np.ones(6)])
    assert TESTS["randomization"].p_values(values, PAIRS[:1], 99, rng()) == 2 / 2**6
    values = np.array([np.zeros(60), np.linspace(1, 2, 60)])
    for name in ("randomization", "bootstrap", "tukey"):
        found = TESTS[name].p_values(values, PAIRS[:1], 99, rng())
        assert found == TESTS[name].smallest(60, 99) == 0.01


def test_t_is_the_one_that_takes_repeats():
    repeats = np.stack([DIFFERENCES, DIFFERENCES + rng().normal(0, 0.1, DIFFERENCES.shape)], axis=1)
    found = TESTS["t"].over_repeats(repeats)
    np.testing.assert_array_equal(found, repeated_interval(repeats).p_value)
    assert [name for name, each in TESTS.items() if each.over_repeats] == ["t"]


def test_the_level_is_that_of_the_number_written():
    assert level_of(0.95) == 0.05 < 1 - 0.95
    assert level_of(0.9995) == 0.0005


def ranges_of_all_shuffles(values):
    """Ranges of the sums over all orders within every topic but the first."""
    columns = [list(permutations(column)) for column in values.T[1:]]
    sums = np.array([values[:, 0] + np.sum(each, axis=0) for each in product(*columns)])
    return np.ptp(sums, axis=1)


@pytest.mark.parametrize("shape", [(2, 6), (3, 4), (4, 3)])
def test_tukey_is_the_enumeration_of_all_shuffles(shape):
    values = rng().integers(0, 4, shape) / 10  # with ties
    ranges, sums = ranges_of_all_shuffles(values), values.sum(axis=1)
    found = tukey_test(values, 40_000, rng())
    for a, b in combinations(range(shape[0]), 2):
        exact = (ranges >= abs(sums[a] - sums[b]) - 1e-9).mean()
        error = np.sqrt(exact * (1 - exact) / 40_000)
        assert found[a, b] == pytest.approx(exact, abs=4.5 * error + 1e-4)


def test_tukeys_largest_difference_is_significant_by_chance_alone():
    values = rng().random((400, 5, 12))  # no system is better than another
    p_values = [tukey_test(each, 199, rng()).min() for each in values]
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3


def test_tukey_of_one_topic_and_of_equal_systems():
    np.testing.assert_array_equal(tukey_test(np.array([[0.5], [0.1]]), 99, rng()), 1.0)
    np.testing.assert_array_equal(tukey_test(np.full((3, 5), 0.1), 99, rng()), 1.0)


def paired_values(n_systems=4, n_topics=40, seed=3):
    rng = np.random.default_rng(seed)
    return rng.random((n_systems, n_topics)) * 0.5 + np.arange(n_systems)[:, None] * 0.04


@pytest.mark.parametrize("test", [randomization_test, bootstrap_test])
def test_batches_do_not_lose_resamples(test, monkeypatch):
    differences = np.ones((1, 40)) + np.arange(40) / 1000  # no resample can reach this
    monkeypatch.setattr("skgraded._stats.shuffles._SIGNS_AT_A_TIME", 1000)
    monkeypatch.setattr("skgraded._stats.bootstrap_t._COUNTS_AT_A_TIME", 1000)
    assert test(differences, 999, np.random.default_rng(0)) == pytest.approx(1 / 1000)


@pytest.mark.parametrize("name", ["randomization", "bootstrap", "bootstrap_t", "max_t"])
@pytest.mark.parametrize("n_topics", [7, 30, 1200])
@pytest.mark.parametrize("sizes", [None, "of clusters"])
def test_batches_of_pairs_and_resamples_change_nothing(name, n_topics, sizes, monkeypatch):
    values, pairs = rng().normal(size=(5, n_topics)), np.array(list(combinations(range(5), 2)))
    clusters = None if sizes is None else np.arange(n_topics) // 2  # one is smaller for 7

    def p_values():
        return TESTS[name].p_values(values, pairs, 250, np.random.default_rng(3), clusters)

    expected = p_values()
    for cells, at_a_time in ((400, 8_000_000), (400, 600)):  # resamples kept, and drawn again
        monkeypatch.setattr("skgraded._stats.bootstrap_t._CELLS_KEPT", cells)
        monkeypatch.setattr("skgraded._stats.shuffles._CELLS_IN_CACHE", cells)
        monkeypatch.setattr("skgraded._stats.bootstrap_t._CELLS_AT_A_TIME", at_a_time)
        np.testing.assert_allclose(p_values(), expected, rtol=1e-12)


@pytest.mark.parametrize("difference", [0.1, 0.25, 1 / 3])
def test_a_difference_of_every_topic_is_certain_for_the_bootstrap(difference):
    constant = np.full((1, 30), difference)
    p_value = bootstrap_test(constant, 999, np.random.default_rng(0))[0]
    assert p_value == pytest.approx(1 / 1000)


def literal_tukey(values, n_resamples, seed):
    rng = np.random.default_rng(seed)
    means = values.mean(axis=1)
    largest = []
    for _ in range(n_resamples):
        shuffled = np.array([rng.permutation(column) for column in values.T]).mean(axis=0)
        largest.append(shuffled.max() - shuffled.min())
    gaps = np.abs(means[:, None] - means)
    return (1 + (np.array(largest) >= gaps[..., None] - 1e-12).sum(axis=2)) / (1 + n_resamples)


def test_tukey_is_the_literal_one():
    values = paired_values(n_topics=12)
    fast = tukey_test(values, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(fast, literal_tukey(values, 4000, 1), atol=0.03)
    assert (np.diag(fast) == 1.0).all()
