"""Every list of a few documents, and the simulation of assessors, as Kishida's tables have them."""

import itertools
import json

import numpy as np
import pytest

from skgraded import xGAP
from skgraded.cli import main
from skgraded.studies import score_all_lists, simulate_judgments

KISHIDA = {
    "S'": "ModifiedSlidingRatio",
    "D": "AveragedNDCG",
    "Q": "QMeasure",
    "G": "GeneralizedAP",
    "AP": "AP",
}


def test_kishidas_tables():
    found = score_all_lists(KISHIDA, [1, 3, 2], 5)
    assert len(found.lists) == len(set(found.names)) == 136
    # Table 3.
    np.testing.assert_allclose(
        found.values.mean(axis=0)[:4], [0.488, 0.443, 0.503, 0.410], atol=5e-4
    )
    deviations = found.values.std(axis=0, ddof=1)[:4]
    np.testing.assert_allclose(deviations, [0.245, 0.250, 0.240, 0.228], atol=5e-4)
    # Table 4.
    rows = [[0.969], [0.885, 0.840], [0.963, 0.940, 0.961], [0.857, 0.829, 0.928, 0.894]]
    for row, printed in enumerate(rows, start=1):
        np.testing.assert_allclose(found.correlation[row, :row], printed, atol=5e-4)
    # Table 5, of which test_measures_by_hand has all rows.
    values = found.at("03210").values[0, :4]
    np.testing.assert_allclose(values, [0.558, 0.610, 0.750, 0.622], atol=5e-4)


@pytest.mark.parametrize(("grades", "length"), [([1], 1), ([2, 2, 1], 3), ([3, 1], 4), ([5], 3)])
def test_lists_are_all_distinct_arrangements(grades, length):
    expected = set(itertools.permutations([*grades, *[0] * length], length))
    found = score_all_lists("AP", grades, length)
    assert set(map(tuple, found.lists.tolist())) == expected
    assert len(found.lists) == len(expected)


def test_numbers_have_their_nouns():
    assert str(score_all_lists("AP", [3, 2], 1)).endswith(
        "3 lists of 1 document with some of the relevant ones, of grades 3, 2; means,\n"
        "  standard deviations and correlations over the lists."
    )
    one_grade = str(score_all_lists("AP", [3], 2))
    assert "3 lists of 2 documents with some of the relevant ones, of grade 3;" in one_grade


def test_values_are_those_of_the_pool():
    found = score_all_lists([xGAP(max_grade=3, k=2), "xGAP(max_grade=3)"], [3, 2, 1], 4)
    y, s = [0, 3, 0, 1, 2], [5.0, 4.0, 3.0, 2.0, 1.0]
    values = found.at("0301").values[0]
    assert values[0] == xGAP(max_grade=3, k=2)(y, s)
    assert values[1] == xGAP(max_grade=3, k=4)(y, s)


def test_grades_of_two_digits_are_set_apart():
    found = score_all_lists("nDCG", [12, 1], 2)
    assert found.names == ["12,1", "12,0", "1,12", "1,0", "0,12", "0,1", "0,0"]
    assert found.to_frame()["list"].tolist() == found.names


def test_selected_lists_are_not_said_to_be_all():
    found = score_all_lists("AP", [3, 2], 2)
    assert "\n2 lists of 2 documents" in str(found.at("32", "20"))
    assert "\n1 list of 2 documents" in str(found.at("32"))


def test_an_unknown_list():
    with pytest.raises(KeyError, match="'33' is no list of 2 documents"):
        score_all_lists("AP", [3], 2).at("33")


def test_the_command_shows_lists(capsys):
    words = ["study", "lists", "-m", "QMeasure", "-m", "GeneralizedAP"]
    assert main([*words, "--show", "32000,00123"]) == 0
    shown = capsys.readouterr().out
    assert "32000     0.667          0.733" in shown
    assert "136 lists" in shown
    assert main([*words, "--format", "csv", "--relevant", "2,1", "--length", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["list,QMeasure,GeneralizedAP", "21,1.0,1.0"]
    assert main([*words, "--show", "9"]) == 2
    assert "--show: '9' is no list of 5 documents" in capsys.readouterr().err
    assert main([*words, "--length", "60"]) == 2
    assert "--length must leave at most" in capsys.readouterr().err


@pytest.mark.parametrize(
    # Table 2, whose random numbers were others; tolerances are 3.5 standard deviations of 20 runs.
    ("theta", "mean", "between", "within"),
    [("0.9", 0.62396, 0.01660, 0.01314), ("0.5", 0.60679, 0.00004, 0.03674)],
)
def test_the_command_simulates(capsys, theta, mean, between, within):
    words = ["study", "simulation", "--theta", theta, "-m", "AP", "--format", "json"]
    assert main(words) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["mean"] == pytest.approx(mean, abs=0.08)
    assert row["between"] == pytest.approx(between, abs=0.02)
    assert row["within"] == pytest.approx(within, abs=0.004)
    assert (row["within"] > row["between"]) == (theta == "0.5")


def test_the_command_draws_as_the_function_does(capsys):
    words = ["study", "simulation", "--topics", "3", "--documents", "4", "--repeats", "7"]
    assert main([*words, "-m", "AP", "--seed", "5", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    rng = np.random.default_rng(5)
    probabilities = np.where(rng.random(12) < 0.5, 0.9, 0.1)
    found = simulate_judgments(
        "AP", probabilities, -np.tile(np.arange(4.0), 3), qid=np.repeat([0, 1, 2], 4),
        n_repeats=7, random_state=rng,
    )  # fmt: skip
    assert row["observed"] == pytest.approx(found.observed[0])
    assert main([*words, "--theta", "1.5"]) == 2
    assert "--theta must lie between 0 and 1, got 1.5" in capsys.readouterr().err
