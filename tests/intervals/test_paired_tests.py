"""Paired tests against SciPy, enumeration and arithmetic by hand, and studies of their power."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from skgraded._intervals.estimate import means
from skgraded._intervals.paired import (
    TESTS,
    _counts,
    benjamini_hochberg,
    bootstrap_test,
    bootstrapped,
    holm,
    level_of,
    paired_differences,
    randomization_test,
    score_test,
    t_test,
    tukey_test,
    wilcoxon_test,
)
from skgraded.studies import discriminative_power

DIFFERENCES = np.random.default_rng(0).normal([[0.0], [0.1], [0.5]], 0.3, size=(3, 40))
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def rng():
    return np.random.default_rng(1)


def test_t_is_scipys_and_the_score_test_corrects_it_for_skewness():
    expected = [stats.ttest_1samp(each, 0).pvalue for each in DIFFERENCES]
    np.testing.assert_allclose(t_test(DIFFERENCES), expected, rtol=1e-10)
    corrected = means(DIFFERENCES.T).p_value()
    np.testing.assert_allclose(score_test(DIFFERENCES), corrected, rtol=1e-12)


def test_wilcoxon_leaves_topics_without_a_difference_out():
    with_zeros = np.where(rng().random(DIFFERENCES.shape) < 0.2, 0.0, DIFFERENCES)
    expected = [
        stats.wilcoxon(each[each != 0], method="exact").pvalue for each in with_zeros
    ]
    np.testing.assert_allclose(wilcoxon_test(with_zeros), expected, rtol=1e-10)
    assert wilcoxon_test(np.zeros((2, 0))).tolist() == [1.0, 1.0]
    found = wilcoxon_test(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]))
    assert np.isnan(found).tolist() == [True, False]


def test_wilcoxon_of_few_tied_differences_tries_all_signs():
    rows = rng().integers(-4, 5, size=(20, 9))
    expected = []
    for row in rows:
        kept = row[row != 0]
        ranks = stats.rankdata(np.abs(kept))
        middle = ranks.sum() / 2
        reached = abs(ranks[kept > 0].sum() - middle)
        sums = np.array(list(product([0, 1], repeat=len(kept)))) @ ranks
        expected.append(np.mean(np.abs(sums - middle) >= reached))
    np.testing.assert_allclose(wilcoxon_test(rows / 10), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [14, 51])
def test_wilcoxon_of_many_tied_differences_is_normal(n):
    differences = rng().integers(-5, 8, size=(20, n)) / 10
    differences = differences[(differences != 0).sum(axis=1) > 13]
    expected = []
    for row in differences:
        ranks = stats.rankdata(np.abs(row[row != 0]))
        z = (np.sign(row[row != 0]) * ranks).sum() / np.sqrt((ranks**2).sum())
        expected.append(2 * stats.norm.sf(abs(z)))
    np.testing.assert_allclose(wilcoxon_test(differences), expected, rtol=1e-10)


def test_wilcoxon_ties_sizes_that_rounding_tells_apart():
    counts = rng().integers(
        0, 11, (2, 20, 30)
    )  # relevant documents among the first ten
    differences = paired_differences(*(counts / 10))
    apart = [len(set(np.abs(each))) for each in differences]
    whole = counts[0] - counts[1]
    assert all(n > len(set(np.abs(each))) for n, each in zip(apart, whole, strict=True))
    expected = wilcoxon_test(whole.astype(float))
    np.testing.assert_allclose(wilcoxon_test(differences), expected, rtol=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_few_topics_are_swapped_in_all_ways(values):
    sums = [
        abs(np.dot(signs, values)) for signs in product([1, -1], repeat=len(values))
    ]
    expected = np.mean([each >= abs(sum(values)) for each in sums])
    found = randomization_test(np.array([values]) / 10, 9999, rng())
    assert found[0] == pytest.approx(expected)


def test_many_topics_are_swapped_and_many_queries_drawn_at_random():
    p_values = randomization_test(DIFFERENCES, 4000, rng())
    np.testing.assert_allclose(p_values, t_test(DIFFERENCES), atol=0.03)
    assert p_values[2] == 1 / 4001
    np.testing.assert_array_equal(
        p_values, randomization_test(DIFFERENCES, 4000, rng())
    )
    skewed = rng().exponential(size=(20, 5000)) - 1.0
    np.testing.assert_allclose(
        bootstrap_test(skewed, 2000, rng()), t_test(skewed), atol=0.05
    )


def test_rounding_is_no_difference():
    values = np.array([[0.1, 0.5, 3.0, 0.0]])
    rounded = np.nextafter(values, 4.0)
    rounded[0, 3] = 0.0
    assert paired_differences(values, rounded).tolist() == [[0.0] * 4]
    small = np.array([[1e-9, 0.0]])
    assert paired_differences(small, np.zeros((1, 2))).tolist() == small.tolist()
    assert level_of(0.95) == 0.05 < 1 - 0.95  # that of the number written
    assert level_of(0.9995) == 0.0005


def test_corrections_by_hand():
    np.testing.assert_allclose(
        holm(np.array([0.01, 0.04, 0.03, 0.6])), [0.04, 0.09, 0.09, 0.6]
    )
    np.testing.assert_allclose(holm(np.array([0.6, 0.7])), [1.0, 1.0])
    found = benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5]))
    np.testing.assert_allclose(found, [0.04, 0.16 / 3, 0.16 / 3, 0.5])


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
    np.testing.assert_allclose(
        found, test.p_values(-values, PAIRS, 999, rng()), rtol=1e-12
    )
    assert test.p_values(np.zeros((2, 9)), PAIRS[:1], 999, rng()) == 1
    apart = np.array([[0.0] * 9, [1.0] * 9])  # the same difference, -1, in every query
    assert test.p_values(apart, PAIRS[:1], 999, rng()) < 0.05


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


def literal_bootstrap(differences, samples):
    """P-value and studentised means of one pair, topic by topic and resample by resample."""

    def mean_and_error(values):
        mean = sum(values) / len(values)
        squares = sum((each - mean) ** 2 for each in values)
        return mean, (squares / (len(values) - 1) / len(values)) ** 0.5

    mean, error = mean_and_error(differences)
    drawn = [
        mean_and_error([differences[each] - mean for each in sample])
        for sample in samples
    ]
    beyond = sum(
        abs(each) / its_error >= abs(mean) / error for each, its_error in drawn
    )
    return (beyond + 1) / (len(samples) + 1), drawn


def test_the_bootstrap_is_the_literal_one(monkeypatch):
    skewed = rng().exponential(size=(3, 40)) - [[1.0], [0.8], [0.4]]
    p_values, required = bootstrapped(skewed, 300, rng(), 0.1)
    generator = np.random.default_rng(rng().integers(2**63))
    counts = np.concatenate(list(_counts(40, 300, generator))).astype(int)
    samples = [np.repeat(np.arange(40), each).tolist() for each in counts]
    for place, each in enumerate(skewed.tolist()):
        expected, drawn = literal_bootstrap(each, samples)
        assert p_values[place] == pytest.approx(expected)
        ordered = sorted(drawn, key=lambda found: -abs(found[0]) / found[1])
        assert required[place] == pytest.approx(abs(ordered[29][0]))
    monkeypatch.setattr("skgraded._intervals.paired._COUNTS_AT_A_TIME", 400)
    monkeypatch.setattr("skgraded._intervals.paired._CELLS_AT_A_TIME", 400)
    again = bootstrapped(skewed, 300, rng(), 0.1)
    np.testing.assert_allclose(again, (p_values, required), rtol=1e-12)


def test_batches_of_swaps_change_nothing(monkeypatch):
    differences = rng().normal(0.1, 1.0, size=(10, 30))
    expected = randomization_test(differences, 250, rng())
    monkeypatch.setattr("skgraded._intervals.paired._CELLS_AT_A_TIME", 400)
    np.testing.assert_array_equal(randomization_test(differences, 250, rng()), expected)
    sure = np.ones((1, 40)) + np.arange(40) / 1000  # no resample can reach this
    assert randomization_test(sure, 999, rng()) == pytest.approx(1 / 1000)


# Discriminative power


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(11)
    topic = rng.random(24)
    quality = np.linspace(0.0, 0.3, 6)[:, None]
    noise = rng.normal(size=(6, 24))
    return {
        "AP": 0.3 * topic + quality + 0.1 * noise,
        "P@10": 0.3 * topic + quality + 0.3 * noise,
    }


def test_the_bootstrap_is_the_one_that_compare_uses(noisy):
    found = discriminative_power({"AP": noisy["AP"]}, n_resamples=400, random_state=0)
    rng = np.random.default_rng(np.random.default_rng(0).integers(2**63))
    a, b = found.pairs.T
    p_values = bootstrap_test(noisy["AP"][a] - noisy["AP"][b], 400, rng)
    np.testing.assert_allclose(found.p_values[0], p_values)
    other = discriminative_power({"AP": noisy["AP"]}, n_resamples=400, random_state=1)
    assert (other.p_values != found.p_values).any()


def test_significance_and_power(noisy):
    found = discriminative_power(noisy, n_resamples=200)
    np.testing.assert_array_equal(
        found.n_significant, (found.p_values < 0.05).sum(axis=1)
    )
    assert found.power[0] > found.power[1]  # less noise
    assert found.difference_required[0] < found.difference_required[1]
    np.testing.assert_array_equal(found.difference_required, found.required.max(axis=1))
    assert repr(found).index("AP") < repr(found).index("P@10")
    assert f"{found.n_significant[0]}/15" in repr(found)


@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon", "tukey"])
def test_differences_that_are_larger_than_required_are_significant(noisy, test):
    found = discriminative_power(noisy, test=test, n_resamples=400)
    sizes, significant = np.abs(found.differences), found.p_values < 0.05
    if test == "t":
        np.testing.assert_array_equal(sizes > found.required, significant)
        p_value = stats.ttest_rel(noisy["AP"][0], noisy["AP"][3]).pvalue
        assert found.p_values[0, 2] == pytest.approx(p_value)
    else:
        least = [each[its].min() for each, its in zip(sizes, significant, strict=True)]
        np.testing.assert_array_equal(
            found.required, np.repeat(least, 15).reshape(2, 15)
        )
    alike = discriminative_power({"AP": np.zeros((2, 9))}, test=test, n_resamples=400)
    assert not 0 < alike.required[0, 0] < np.inf


def test_topics_without_a_value_are_left_out(noisy):
    values = noisy["AP"].copy()
    values[2, 5] = np.nan
    found = discriminative_power({"AP": values, "P@10": noisy["P@10"]}, test="t")
    assert found.n_topics == (23, 24)
    complete = np.delete(noisy["AP"], 5, axis=1)
    expected = discriminative_power({"AP": complete}, test="t")
    np.testing.assert_allclose(found.p_values[0], expected.p_values[0])
    with pytest.raises(
        ValueError, match=r"at least 2 topics on which all systems .* AP, got 1"
    ):
        discriminative_power({"AP": np.array([[0.1, np.nan], [0.2, 0.3]])})
