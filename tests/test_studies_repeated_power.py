"""Discriminative power over several samples of the judgments: means, intervals and differences."""

import json

import numpy as np
import pytest
from scipy import stats

from skgraded import trec
from skgraded.cli import main
from skgraded.studies import (
    RepeatedPower,
    discriminative_power,
    power_over_samples,
    reduce_pool,
)


def samples_of(rng, n_samples, noise=(0.3, 0.5)):
    level = np.linspace(0.0, 0.5, 5)[:, None]
    return [
        discriminative_power(
            {f"m{at}": level + s * rng.normal(size=(5, 25)) for at, s in enumerate(noise)},
            test="t",
        )
        for _ in range(n_samples)
    ]


def test_means_and_intervals_are_those_of_student():
    found = samples_of(np.random.default_rng(0), 8)
    repeated = power_over_samples(found, confidence=0.9)
    powers = np.array([each.power for each in found])
    for values, means, intervals in [
        (powers, repeated.power, repeated.interval),
        (powers - powers[:, :1], repeated.difference, repeated.difference_interval),
    ]:
        np.testing.assert_allclose(means, values.mean(axis=0))
        for column in np.flatnonzero(values.std(axis=0) > 0):
            low, high = stats.ttest_1samp(values[:, column], 0).confidence_interval(0.9)
            np.testing.assert_allclose(intervals[column], (low, high))
    assert repeated.difference[0] == 0
    assert repeated.to_frame()["difference"].tolist() == repeated.difference.tolist()


def test_intervals_of_the_difference_cover():
    rng = np.random.default_rng(1)
    truth = power_over_samples(samples_of(rng, 600)).difference[1]
    covered = []
    for _ in range(150):
        low, high = power_over_samples(samples_of(rng, 8)).difference_interval[1]
        covered.append(low <= truth <= high)
    assert stats.binomtest(sum(covered), 150, 0.95).pvalue > 1e-3


def test_what_is_refused():
    found = samples_of(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="at least 3 samples, got 2"):
        power_over_samples(found[:2])
    other = samples_of(np.random.default_rng(0), 1, noise=(0.3,))
    with pytest.raises(ValueError, match="samples of the same measures"):
        power_over_samples([*found, *other])
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1"):
        power_over_samples(found, confidence=95)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    judged = {f"t{t}": {f"d{n}": int(n < 6) + int(n < 2) for n in range(30)} for t in range(15)}
    trec.write_qrels(trec.read_qrels(judged), tmp_path / "qrels")
    paths = [str(tmp_path / "qrels")]
    for number in range(4):
        run = {
            t: {d: number * g / 2 + rng.normal() for d, g in of.items()} for t, of in judged.items()
        }
        paths.append(str(tmp_path / f"run{number}"))
        trec.write_run(trec.read_run(run), paths[-1])
    return paths


WORDS = ["-m", "AP(unjudged=condense)", "-m", "nDCG@5", "--test", "t"]


def test_the_command_draws_samples_of_their_own(files, capsys):
    words = ["study", "power", *files, *WORDS, "--rates", "100,30", "--repeats", "4"]
    assert main([*words, "--format", "json", "--seed", "3"]) == 0
    whole, part = json.loads(capsys.readouterr().out)["parts"]
    assert (whole["rate"], part["rate"]) == (100, 30)
    assert all(row["low"] == row["high"] for row in whole["rows"])
    qrels = trec.read_qrels(files[0])
    powers = []
    for seed in np.random.default_rng(3).integers(2**63, size=4):
        drawn = reduce_pool(qrels, 30, random_state=seed)
        scores = trec.evaluate(WORDS[1:4:2], drawn, files[1:])
        powers.append(discriminative_power(scores, test="t", random_state=3))
    expected = power_over_samples(powers)
    assert len({tuple(each.power) for each in powers}) > 1
    np.testing.assert_allclose([row["power"] for row in part["rows"]], expected.power)
    np.testing.assert_allclose([r["difference"] for r in part["rows"]], expected.difference)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--repeats", "4"], "--repeats needs --rates"),
        (["--rates", "50", "--repeats", "2"], "--repeats must be an integer >= 3"),
        (["--rates", "50", "--repeats", "-1"], "--repeats must be an integer >= 3"),
        (["--rates", "50", "--repeats", "4", "--plot", "x.png"], "--plot cannot be given with"),
    ],
)
def test_what_the_command_refuses(files, capsys, words, told):
    assert main(["study", "power", *files, *WORDS, *words]) == 2
    assert told in capsys.readouterr().err


def of_powers(*powers):
    return RepeatedPower(("a", "b"), np.array(powers), 1, 0.95)


def test_intervals_of_shares_are_cut():
    found = of_powers([0.0, 1.0], [0.0, 1.0], [1.0, 0.0])
    assert found.interval.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert found.difference_interval[1].tolist() == [-1.0, 1.0]
    assert "; 1 pair of systems." in str(found)


def test_samples_that_do_not_vary_are_told():
    told = "do not vary"
    varying = ([0.2, 0.5], [0.3, 0.4], [0.4, 0.6])
    assert told not in str(of_powers(*varying))  # although a's differences from a are all 0
    assert told in str(of_powers(*([0.0, b] for _, b in varying)))
    same_difference = of_powers(*([a, a + 0.1] for a, _ in varying))
    assert told in str(same_difference)
