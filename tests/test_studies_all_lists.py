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


def test_values_are_those_of_the_pool():
    found = score_all_lists([xGAP(max_grade=3, k=2), "xGAP(max_grade=3)"], [3, 2, 1], 4)
    y, s = [0, 3, 0, 1, 2], [5.0, 4.0, 3.0, 2.0, 1.0]
    values = found.at("0301").values[0]
    assert values[0] == xGAP(max_grade=3, k=2)(y, s)
    assert values[1] == xGAP(max_grade=3, k=4)(y, s)


def test_names_and_numbers_of_lists():
    found = score_all_lists("nDCG", [12, 1], 2)
    assert found.names == ["12,1", "12,0", "1,12", "1,0", "0,12", "0,1", "0,0"]
    assert found.to_frame()["list"].tolist() == found.names
    told = "lists of 2 documents with some of the relevant ones, of grades 12, 1; means"
    assert f"7 {told}" in " ".join(str(found).split())
    assert "\n2 lists of 2 documents" in str(found.at("12,1", "1,0"))  # they are not all
    assert "\n1 list of 2 documents" in str(found.at("1,0"))
    assert "of 2 documents with some of the relevant ones, of grade 3;" in str(
        score_all_lists("AP", [3], 2)
    )
    with pytest.raises(KeyError, match="'1,3' is no list of 2 documents"):
        found.at("1,3")


def test_the_command_shows_lists(capsys):
    words = ["study", "lists", "-m", "QMeasure", "-m", "GeneralizedAP"]
    assert main([*words, "--show", "32000,00123"]) == 0
    shown = capsys.readouterr().out
    assert "32000     0.667          0.733" in shown
    assert "136 lists" in shown
    assert main([*words, "--format", "csv", "--relevant", "2,1", "--length", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["list,QMeasure,GeneralizedAP", "21,1.0,1.0"]
    for options, told in (
        (["--show", "9"], "--show: '9' is no list of 5 documents"),
        (["--relevant", "9,8,7,6,5,4,3,2,1", "--length", "9"], "--length must leave at most"),
    ):
        assert main([*words, *options]) == 2
        assert told in capsys.readouterr().err


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
