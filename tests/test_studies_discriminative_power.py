"""Discriminative power: against the papers' algorithms written out, and known distributions."""

import itertools

import numpy as np
import pytest
from scipy import stats

from skgraded._intervals.draws import _counts
from skgraded._intervals.paired import TESTS, bootstrap_test
from skgraded.studies import discriminative_power


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(11)
    topic = rng.random(24)
    quality = np.linspace(0.0, 0.3, 6)[:, None]
    noise = rng.normal(size=(6, 24))
    return {"AP": 0.3 * topic + quality + 0.1 * noise, "P@10": 0.3 * topic + quality + 0.3 * noise}


def literal_bootstrap(differences, samples, level):
    """Sakai's paired test and estimated difference, resample by resample."""

    def t(values):
        spread = np.std(values, ddof=1)
        return np.mean(values) / (spread / np.sqrt(len(values)))

    shifted = differences - differences.mean()
    drawn = [(abs(t(shifted[sample])), abs(shifted[sample].mean())) for sample in samples]
    beyond = sum(each >= abs(t(differences)) for each, _ in drawn)
    wanted = sorted(drawn, reverse=True)[round(level * len(samples)) - 1]
    return (beyond + 1) / (len(samples) + 1), wanted[1]


def test_the_bootstrap_is_sakais_algorithm(scores):
    found = discriminative_power(scores, n_resamples=300, random_state=2)
    seed = np.random.default_rng(2).integers(2**63)
    drawn = np.random.default_rng(np.random.default_rng(seed).integers(2**63))
    counts = np.concatenate(list(_counts(24, 300, drawn))).astype(int)
    samples = [np.repeat(np.arange(24), each) for each in counts]
    for row, values in enumerate(scores.values()):
        for number, (a, b) in enumerate(itertools.combinations(range(6), 2)):
            p_value, required = literal_bootstrap(values[a] - values[b], samples, 0.05)
            assert found.p_values[row, number] == pytest.approx(p_value)
            assert found.required[row, number] == pytest.approx(required)
            difference = values[a].mean() - values[b].mean()
            assert found.differences[row, number] == pytest.approx(difference)


def test_the_bootstrap_is_the_one_that_compare_uses(scores):
    found = discriminative_power({"AP": scores["AP"]}, n_resamples=400, random_state=0)
    rng = np.random.default_rng(np.random.default_rng(0).integers(2**63))
    a, b = found.pairs.T
    p_values = bootstrap_test(scores["AP"][a] - scores["AP"][b], 400, rng)
    np.testing.assert_allclose(found.p_values[0], p_values)


@pytest.mark.parametrize("test", TESTS)
def test_systems_that_rounding_tells_apart_do_not_differ(scores, test):
    values = scores["AP"][0]
    found = discriminative_power({"AP": np.vstack([values, np.nextafter(values, 2.0)])}, test=test)
    assert found.p_values.tolist() == [[1.0]]


def test_batches_of_pairs_do_not_change_the_result(scores, monkeypatch):
    expected = discriminative_power(scores, n_resamples=100)
    monkeypatch.setattr("skgraded._intervals.draws._CELLS_IN_CACHE", 250)
    found = discriminative_power(scores, n_resamples=100)
    np.testing.assert_allclose(found.p_values, expected.p_values)
    np.testing.assert_allclose(found.required, expected.required)


def test_significance_and_power(scores):
    found = discriminative_power(scores, n_resamples=200)
    np.testing.assert_array_equal(found.n_significant, (found.p_values < 0.05).sum(axis=1))
    assert found.power[0] > found.power[1]  # less noise
    assert found.difference_required[0] < found.difference_required[1]
    np.testing.assert_array_equal(found.difference_required, found.required.max(axis=1))
    assert repr(found).index("AP") < repr(found).index("P@10")
    assert f"{found.n_significant[0]}/15" in repr(found)


def test_the_t_test_requires_its_critical_difference(scores):
    found = discriminative_power(scores, test="t")
    values = scores["AP"]
    p_value = stats.ttest_rel(values[0], values[3]).pvalue
    assert found.p_values[0, 2] == pytest.approx(p_value)
    # A difference that is just larger than required is significant.
    beyond = np.abs(found.differences) > found.required
    np.testing.assert_array_equal(beyond, found.p_values < 0.05)


def test_tukey_is_the_stricter_test(scores):
    tukey = discriminative_power(scores, test="tukey", n_resamples=500)
    t = discriminative_power(scores, test="t")
    assert (tukey.n_significant <= t.n_significant).all()
    significant = tukey.p_values[0] < 0.05
    assert tukey.required[0, 0] == np.abs(tukey.differences[0, significant]).min()


def test_equal_systems_are_not_told_apart():
    values = np.random.default_rng(0).random(10)
    found = discriminative_power({"AP": np.stack([values, values])}, n_resamples=100)
    assert found.p_values[0, 0] == 1.0
    assert found.required[0, 0] == 0.0


@pytest.mark.parametrize("test", ["bootstrap", "t"])
def test_without_a_difference_five_percent_of_the_pairs_are_significant(test):
    rng = np.random.default_rng(5)
    noise = [{"AP": rng.normal(size=(8, 50))} for _ in range(60)]
    powers = [discriminative_power(each, test=test, n_resamples=200).power[0] for each in noise]
    assert np.mean(powers) == pytest.approx(0.05, abs=4 * np.std(powers) / np.sqrt(60))


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "anova"}, "test must be one of 'score', 't', .*, got 'anova'"),
        ({"n_resamples": True}, "n_resamples must be an integer >= 1, got True"),
        ({"confidence": 0}, "confidence must lie strictly between 0 and 1, got 0"),
        (
            {"test": "tukey", "n_resamples": 10},
            "n_resamples must be at least 20, got 10: with fewer, no difference can be significant",
        ),
        ({"n_resamples": 10}, "n_resamples must be at least 20, got 10"),
    ],
)
def test_options_that_are_wrong_raise(scores, options, message):
    with pytest.raises(ValueError, match=message):
        discriminative_power(scores, **options)


def test_a_test_without_resamples_needs_none(scores):
    found = discriminative_power(scores, test="t", confidence=0.9995)
    assert found.n_significant[0] == (found.p_values[0] < 0.0005).sum() > 0


def test_differences_that_cancel_but_for_rounding_have_no_power():
    values = np.array([0.2, 0.4, 0.6, 0.2, 0.8, 0.4] * 5)
    scores = {"m": np.array([values, np.roll(values, 1)])}
    assert abs((values - np.roll(values, 1)).mean()) > 0.0
    assert discriminative_power(scores).p_values[0, 0] == 1.0


def test_seeds(scores):
    def p_values(seed):
        return discriminative_power(scores, n_resamples=50, random_state=seed).p_values

    np.testing.assert_array_equal(p_values(1), p_values(1))
    assert (p_values(1) != p_values(2)).any()
