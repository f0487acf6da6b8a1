"""Discriminative power on halves of the topics: intervals that hold for other topics."""

import json

import numpy as np
import pytest
from scipy import stats

from skgraded import trec
from skgraded.cli import main
from skgraded.studies import PowerOverTopics, discriminative_power, power_over_topics


def collection(rng, n_topics, n_systems=5, noise=(0.7, 1.0), spread=1.0):
    """Values of two measures, which share a part of their noise; the second is noisier."""
    level = np.linspace(0.0, spread, n_systems)[:, None]
    shared, *own = rng.normal(size=(3, n_systems, n_topics))
    return {f"m{at}": level + s * (shared + own[at]) for at, s in enumerate(noise)}


def powers_of(scores):
    return discriminative_power(scores, test="t").power


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_powers_are_those_of_disjoint_halves(test):
    scores = collection(np.random.default_rng(0), 41, spread=2.0)
    found = power_over_topics(scores, n_trials=3, test=test, random_state=5)
    order = np.random.default_rng(5).permuted(np.tile(np.arange(41), (3, 1)), axis=1)
    for trial, place in enumerate(order):
        for half in range(2):
            topics = np.flatnonzero(place // 20 == half)
            part = {name: values[:, topics] for name, values in scores.items()}
            expected = discriminative_power(part, test=test).power
            np.testing.assert_array_equal(found.powers[half, trial], expected)
    assert found.n_topics == 20
    assert len(np.unique(found.powers)) > 3


def test_tests_that_resample():
    scores = collection(np.random.default_rng(0), 40)
    t, *others = (
        power_over_topics(scores, n_trials=4, test=test, n_resamples=300)
        for test in ("t", "bootstrap", "randomization")
    )
    for other in others:
        np.testing.assert_allclose(other.powers, t.powers, atol=0.25)
        np.testing.assert_allclose(other.power, t.power, atol=0.1)


def test_intervals_are_those_of_the_formula():
    found = power_over_topics(collection(np.random.default_rng(1), 40), n_trials=30, test="t")
    first, second = found.powers
    for measure in range(2):
        mean = (first[:, measure].mean() + second[:, measure].mean()) / 2
        error = np.sqrt(np.mean((first[:, measure] - second[:, measure]) ** 2) / 4)
        reach = stats.t.ppf(0.975, 39) * error / (mean * (1 - mean))
        odds = np.log(mean / (1 - mean))
        expected = [1 / (1 + np.exp(-odds + sign * reach)) for sign in (1, -1)]
        np.testing.assert_allclose(found.interval[measure], expected)
        assert found.power[measure] == pytest.approx(mean)
    gaps = (first - second)[:, 1] - (first - second)[:, 0]
    reach = stats.t.ppf(0.975, 39) * np.sqrt(np.mean(gaps**2) / 4)
    difference = found.power[1] - found.power[0]
    np.testing.assert_allclose(
        found.difference_interval, [[0.0, 0.0], [difference - reach, difference + reach]]
    )
    assert found.to_frame()["difference"].tolist() == pytest.approx([0.0, difference])


@pytest.mark.parametrize(("n_topics", "n_systems"), [(20, 4), (50, 6)])
def test_intervals_cover(n_topics, n_systems):
    rng = np.random.default_rng(n_topics)

    def power():
        return powers_of(collection(rng, n_topics // 2, n_systems))

    truth = np.mean([power() for _ in range(1500)], axis=0)
    found = [
        power_over_topics(collection(rng, n_topics, n_systems), n_trials=20, test="t")
        for _ in range(150)
    ]
    low, high = np.stack([each.interval for each in found]).transpose(2, 0, 1)
    covered = [*((low <= truth) & (truth <= high)).sum(axis=0)]
    low, high = np.stack([each.difference_interval[1] for each in found]).T
    difference = truth[1] - truth[0]
    covered.append(((low <= difference) & (difference <= high)).sum())
    assert min(stats.binom.cdf(each, 150, 0.95) for each in covered) > 1e-3, covered
    # Intervals that are much wider than they have to be would cover, too.
    spread = np.std([each.difference[1] for each in found], ddof=1)
    errors = (high - low) / 2 / stats.t.ppf(0.975, 2 * (n_topics // 2) - 1)
    assert 1.0 < np.sqrt(np.mean(errors**2)) / spread < 1.6


def test_a_bootstrap_over_topics_makes_the_power_too_high():
    """The reason why halves of the topics are drawn."""
    rng = np.random.default_rng(0)
    scores = [collection(rng, 30, spread=0.3) for _ in range(200)]
    resampled = [
        {name: values[:, topics] for name, values in each.items()}
        for each in scores
        for topics in [rng.integers(30, size=30)]
    ]
    true, of_resamples = (np.mean([powers_of(s) for s in each]) for each in (scores, resampled))
    assert of_resamples > 2 * true > 0.1


def test_topics_without_a_value_are_left_out_for_all_measures():
    scores = collection(np.random.default_rng(0), 40)
    with_gap = {name: values.copy() for name, values in scores.items()}
    with_gap["m1"][2, 7] = np.nan
    without = {name: np.delete(values, 7, axis=1) for name, values in scores.items()}
    one, other = (power_over_topics(each, n_trials=2, test="t") for each in (with_gap, without))
    np.testing.assert_array_equal(one.powers, other.powers)


def of_powers(*halves):
    """A result of one trial for each pair of halves, and two measures."""
    return PowerOverTopics(("a", "b"), np.array(halves).swapaxes(0, 1), 10, 6, 0.95)


def test_halves_that_do_not_vary_are_told():
    told = "do not vary"
    assert told not in str(of_powers([[0.2, 0.3], [0.3, 0.5]], [[0.1, 0.2], [0.2, 0.2]]))
    same = of_powers([[0.0, 0.3], [0.0, 0.5]], [[0.0, 0.4], [0.0, 0.2]])
    assert told in str(same)
    assert same.interval[0].tolist() == [0.0, 0.0]
    assert told in str(of_powers([[0.2, 0.3], [0.3, 0.4]], [[0.1, 0.2], [0.2, 0.3]]))
    ones = of_powers([[1.0, 0.3], [1.0, 0.5]], [[1.0, 0.4], [1.0, 0.2]])
    assert ones.interval[0].tolist() == [1.0, 1.0]


def test_intervals_of_differences_are_cut():
    wide = of_powers([[0.0, 0.9], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.1]])
    assert wide.difference_interval[1].tolist() == [-1.0, 1.0]


def test_what_is_refused():
    scores = collection(np.random.default_rng(0), 19)
    with pytest.raises(ValueError, match=r"at least 20 topics on which all .* got 19"):
        power_over_topics(scores)
    scores = collection(np.random.default_rng(0), 20)
    with pytest.raises(ValueError, match="n_trials must be an integer >= 2, got 1"):
        power_over_topics(scores, n_trials=1)
    with pytest.raises(ValueError, match="test must be one of"):
        power_over_topics(scores, test="chi")


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    judged = {f"t{t}": {f"d{n}": int(n < 6) + int(n < 2) for n in range(30)} for t in range(24)}
    trec.write_qrels(trec.read_qrels(judged), tmp_path / "qrels")
    paths = [str(tmp_path / "qrels")]
    for number in range(4):
        run = {
            t: {d: number * g / 2 + rng.normal() for d, g in of.items()} for t, of in judged.items()
        }
        paths.append(str(tmp_path / f"run{number}"))
        trec.write_run(trec.read_run(run), paths[-1])
    return paths


WORDS = ["-m", "AP", "-m", "nDCG@5", "--test", "t", "--halves", "6"]


def test_the_command(files, capsys):
    words = ["study", "power", *files, *WORDS, "--seed", "3", "--format", "json"]
    assert main(words) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    scores = trec.evaluate(WORDS[1:4:2], files[0], files[1:])
    expected = power_over_topics(scores, n_trials=6, test="t", random_state=3)
    np.testing.assert_allclose([row["power"] for row in rows], expected.power)
    low = expected.difference_interval[:, 0]
    np.testing.assert_allclose([row["difference_low"] for row in rows], low)
    assert main([*words, "--rates", "100,60"]) == 0
    whole, part = json.loads(capsys.readouterr().out)["parts"]
    assert whole["rows"] == rows
    assert part["rows"] != rows


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--halves", "1"], "--halves must be an integer >= 2"),
        (["--rates", "50", "--repeats", "4"], "--repeats cannot be given with --halves"),
        (["--plot", "x.png"], "--plot cannot be given with --halves"),
    ],
)
def test_what_the_command_refuses(files, capsys, words, told):
    assert main(["study", "power", *files, *WORDS, *words]) == 2
    assert told in capsys.readouterr().err
