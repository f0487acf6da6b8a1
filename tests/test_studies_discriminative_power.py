"""Discriminative power: against the papers' algorithms written out, and known distributions."""

import numpy as np
import pytest
from scipy import stats

from skgraded._intervals.paired import bootstrap_test
from skgraded.studies import discriminative_power


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(11)
    topic = rng.random(24)
    quality = np.linspace(0.0, 0.3, 6)[:, None]
    noise = rng.normal(size=(6, 24))
    return {"AP": 0.3 * topic + quality + 0.1 * noise, "P@10": 0.3 * topic + quality + 0.3 * noise}


def test_the_bootstrap_is_the_one_that_compare_uses(scores):
    found = discriminative_power({"AP": scores["AP"]}, n_resamples=400, random_state=0)
    rng = np.random.default_rng(np.random.default_rng(0).integers(2**63))
    a, b = found.pairs.T
    p_values = bootstrap_test(scores["AP"][a] - scores["AP"][b], 400, rng)
    np.testing.assert_allclose(found.p_values[0], p_values)
    other = discriminative_power({"AP": scores["AP"]}, n_resamples=400, random_state=1)
    assert (other.p_values != found.p_values).any()


def test_significance_and_power(scores):
    found = discriminative_power(scores, n_resamples=200)
    np.testing.assert_array_equal(found.n_significant, (found.p_values < 0.05).sum(axis=1))
    assert found.power[0] > found.power[1]  # less noise
    assert found.difference_required[0] < found.difference_required[1]
    np.testing.assert_array_equal(found.difference_required, found.required.max(axis=1))
    assert repr(found).index("AP") < repr(found).index("P@10")
    assert f"{found.n_significant[0]}/15" in repr(found)


@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon", "tukey"])
def test_differences_that_are_larger_than_required_are_significant(scores, test):
    found = discriminative_power(scores, test=test, n_resamples=400)
    sizes, significant = np.abs(found.differences), found.p_values < 0.05
    if test == "t":
        np.testing.assert_array_equal(sizes > found.required, significant)
        p_value = stats.ttest_rel(scores["AP"][0], scores["AP"][3]).pvalue
        assert found.p_values[0, 2] == pytest.approx(p_value)
    else:
        least = [each[its].min() for each, its in zip(sizes, significant, strict=True)]
        np.testing.assert_array_equal(found.required, np.repeat(least, 15).reshape(2, 15))
    alike = discriminative_power({"AP": np.zeros((2, 9))}, test=test, n_resamples=400)
    assert not 0 < alike.required[0, 0] < np.inf


def test_topics_without_a_value_are_left_out(scores):
    values = scores["AP"].copy()
    values[2, 5] = np.nan
    found = discriminative_power({"AP": values, "P@10": scores["P@10"]}, test="t")
    assert found.n_topics == (23, 24)
    complete = np.delete(scores["AP"], 5, axis=1)
    expected = discriminative_power({"AP": complete}, test="t")
    np.testing.assert_allclose(found.p_values[0], expected.p_values[0])
    with pytest.raises(ValueError, match=r"at least 2 topics on which all systems .* AP, got 1"):
        discriminative_power({"AP": np.array([[0.1, np.nan], [0.2, 0.3]])})
