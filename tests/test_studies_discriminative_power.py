"""Discriminative power: against the papers' algorithms written out, and known distributions."""

import itertools

import numpy as np
import pytest
from scipy import stats

from skgraded._stats.bootstrap_t import bootstrap_test, counts_of_units
from skgraded._stats.paired import TESTS
from skgraded.studies import discriminative_power, swap_rates


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
    counts = np.concatenate(list(counts_of_units(24, 300, drawn))).astype(int)
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
    monkeypatch.setattr("skgraded._stats.paired._CELLS_IN_CACHE", 250)
    found = discriminative_power(scores, n_resamples=100)
    np.testing.assert_allclose(found.p_values, expected.p_values)
    np.testing.assert_allclose(found.required, expected.required)


def test_all_pairs_that_differ_are_compared_in_every_trial(scores):
    swaps = swap_rates(scores, n_trials=30)
    np.testing.assert_array_equal(swaps.n_compared.sum(axis=1), 30 * 15)


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
        ({"test": "anova"}, "test must be one of 'bootstrap_t', 'max_t', .*, got 'anova'"),
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


def literal_swaps(values, sets, edges):
    compared, swapped = np.zeros(len(edges), int), np.zeros(len(edges), int)
    for first, second in sets:
        for a, b in itertools.combinations(range(len(values)), 2):
            one = values[a, first].mean() - values[b, first].mean()
            other = values[a, second].mean() - values[b, second].mean()
            place = min(int(abs(one) / 0.05 + 1e-9), len(edges) - 1)
            compared[place] += 1
            swapped[place] += one * other < 0
    return compared, swapped


def test_swap_rates_are_those_of_pairs_and_sets_one_by_one(scores):
    found = swap_rates(scores, n_topics=8, n_trials=20, bin_width=0.05, n_bins=4, random_state=3)
    seed = np.random.default_rng(3).integers(2**63)
    places = np.random.default_rng(seed).permuted(np.tile(np.arange(24), (20, 1)), axis=1)
    sets = [(each < 8, (each >= 8) & (each < 16)) for each in places]
    for row, values in enumerate(scores.values()):
        compared, swapped = literal_swaps(values, sets, found.edges)
        np.testing.assert_array_equal(found.n_compared[row], compared)
        np.testing.assert_array_equal(found.n_swapped[row], swapped)


def test_swaps_are_those_of_whole_numbers_at_every_scale():
    values = np.random.default_rng(0).integers(0, 6, (20, 40))
    seed = np.random.default_rng(0).integers(2**63)
    place = np.random.default_rng(seed).permuted(np.tile(np.arange(40), (300, 1)), axis=1)
    one, other = (((place < 20) == side) @ values.T for side in (True, False))
    first, second = np.triu_indices(20, 1)
    one, other = one[:, first] - one[:, second], other[:, first] - other[:, second]
    n_swapped, n_compared = int((one * other < 0).sum()), int((one != 0).sum())
    assert n_swapped == 30361
    for scale in (0.2, 1.0, 1 / 7, 1e6, 1e-9):
        found = swap_rates({"m": values * scale}, n_trials=300, bin_width=0.05 * scale)
        assert (found.n_swapped.sum(), found.n_compared.sum()) == (n_swapped, n_compared)
        expected = swap_rates({"m": values}, n_trials=300, bin_width=0.05)
        np.testing.assert_array_equal(found.n_compared, expected.n_compared)


def test_differences_that_cancel_but_for_rounding_have_no_power():
    values = np.array([0.2, 0.4, 0.6, 0.2, 0.8, 0.4] * 5)
    scores = {"m": np.array([values, np.roll(values, 1)])}
    assert abs((values - np.roll(values, 1)).mean()) > 0.0
    assert discriminative_power(scores).p_values[0, 0] == 1.0


def test_swaps_grow_rare_with_the_difference(scores):
    found = swap_rates(scores, n_trials=200)
    difference, share = found.sensitivity()
    assert difference[0] < difference[1]
    assert share[0] > share[1]
    row = found.edges >= difference[0]
    assert np.nanmax(found.rates[0, row]) <= 0.05
    assert found.rates[0, np.flatnonzero(row)[0] - 1] > 0.05
    assert share[0] == found.n_compared[0, row].sum() / found.n_compared[0].sum()
    assert "12 topics" in repr(found)
    assert len(found.to_frame()) == 42


def test_where_all_differences_swap_none_is_enough():
    rng = np.random.default_rng(0)
    found = swap_rates({"AP": rng.normal(size=(8, 20))}, n_trials=50)
    difference, share = found.sensitivity()
    assert np.isnan(difference[0])
    assert share[0] == 0.0


def test_systems_that_are_equal_have_no_order_to_swap(scores):
    constant = np.full_like(scores["AP"], 0.5)
    one_differs = constant + np.array([[0.3], *[[0.0]] * 5])
    found = swap_rates({"P@1": constant, "AP": one_differs}, n_trials=30)
    assert found.n_compared.sum(axis=1).tolist() == [0, 5 * 30]
    difference, share = found.sensitivity()
    np.testing.assert_array_equal(difference, [np.nan, 0.0])
    np.testing.assert_array_equal(share, [0.0, 5 / 15])
    assert repr(found).splitlines()[1].startswith("AP")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_trials": 0}, "n_trials must be an integer >= 1, got 0"),
        ({"n_topics": 2.0}, "n_topics must be an integer >= 1, got 2.0"),
        ({"n_bins": 0}, "n_bins must be an integer >= 1, got 0"),
        ({"bin_width": 0}, "bin_width must be a finite number > 0, got 0"),
    ],
)
def test_numbers_of_swaps_that_are_wrong_raise(scores, options, message):
    with pytest.raises(ValueError, match=message):
        swap_rates(scores, **options)


def test_two_sets_need_room(scores):
    with pytest.raises(ValueError, match="n_topics must be at most half of 24 topics, got 13"):
        swap_rates(scores, n_topics=13)


def test_seeds(scores):
    def p_values(seed):
        return discriminative_power(scores, n_resamples=50, random_state=seed).p_values

    np.testing.assert_array_equal(p_values(1), p_values(1))
    assert (p_values(1) != p_values(2)).any()


def test_plots_and_frames(scores):
    found = discriminative_power(scores, n_resamples=100)
    ax = found.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == ["AP", "P@10"]  # the best on top
    (dots,) = [each for each in ax.collections if len(each.get_offsets()) == 2]
    np.testing.assert_allclose(dots.get_offsets()[:, 0], 100.0 * found.power)
    assert ax.get_title(loc="left") == "Which measure tells most pairs of systems apart?"
    assert f"AP {found.n_significant[0]} of 15" in ax.texts[-1].get_text()
    table = found.to_frame()
    assert len(table) == 30
    assert table["significant"].sum() == found.n_significant.sum()
    swaps = swap_rates(scores, n_trials=20)
    difference, share = swaps.sensitivity()
    ax = swaps.plot()
    best = int(share.argmax())
    assert ax.get_yticklabels()[0].get_text() == swaps.measures[best]
    assert f"from {difference[best]:.2f} on" in ax.texts[0].get_text()
