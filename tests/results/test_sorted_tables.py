"""Systems by their names: their order in results, letters of significance, doors of one system."""

import re

import numpy as np
import pandas as pd
import pytest
from samples import write_qrels

from skgraded import AP, compare, evaluate, nDCG, trec
from skgraded.cli import main
from skgraded.measures import Fallout, bounds, tie_report
from skgraded.studies import simulate_judgments


@pytest.fixture(scope="module")
def systems():
    """Systems between noise and the labels: some differ from each other, and some do not."""
    rng = np.random.default_rng(0)
    y, qid = rng.integers(0, 3, 800), np.repeat(np.arange(40), 20)
    noise = {
        "flat_1": 9.0,
        "good & new": 0.5,
        "middle": 1.5,
        "middle too": 1.5,
        "poor": 4.0,
    }
    return (
        y,
        {name: y + each * rng.normal(size=800) for name, each in noise.items()},
        qid,
    )


@pytest.fixture(scope="module")
def scores(systems):
    y, runs, qid = systems
    return evaluate([AP(rel=2), nDCG(k=3), Fallout(k=5)], y, runs, qid=qid)


def letters_in(latex):
    """The system that each letter stands for, and the letters behind each mean, by system."""
    body = latex.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    names, above = {}, {}
    for line in body.splitlines():
        label, *cells = re.sub(r"\\textbf{([\d.]+)}", r"\1", line)[:-3].split(" & ")
        letter, name = re.fullmatch(r"\((\w+)\) (.*)", label.replace("\\", "")).groups()
        names[letter] = name
        above[names[letter]] = [
            re.fullmatch(r"[\d.]+(?:\$\^\{(.*)\}\$)?", e)[1] for e in cells
        ]
    return names, above


def test_letters_are_the_systems_that_are_significantly_worse(scores):
    found = compare(scores, tests="t")
    names, above = letters_in(found.to_latex())
    n_letters = 0
    for column, (name, direction) in enumerate(
        zip(found.measures, (1, 1, -1), strict=True)
    ):
        expected = {system: set() for system in found.systems}
        for pair, (one, other) in enumerate(found.pairs):
            if found.p_value["t"][pair, column] < found.level:
                better = (
                    direction * (found.means[one, column] - found.means[other, column])
                    > 0
                )
                winner, loser = (one, other) if better else (other, one)
                expected[found.systems[winner]].add(found.systems[loser])
        for system, beaten in expected.items():
            assert {names[each] for each in above[system][column] or ""} == beaten, name
            n_letters += len(beaten)
    assert n_letters > 5
    assert re.findall(r"system +(\S+)", str(found)) == [*found.measures]
    told = (
        "significantly better than these systems. 40 queries, level 0.05, corrected by"
    )
    assert told in found.to_latex()


def test_stars_are_the_systems_that_differ_significantly_from_the_baseline(scores):
    found = compare(scores, baseline="middle", tests="t")
    rows = [line for line in found.to_markdown().splitlines() if line.startswith("| ")][
        2:7
    ]
    starred = {}
    for row in rows:
        name, *cells = (cell.strip() for cell in row.split("|")[1:-1])
        starred[name.replace("\\", "")] = ["<sup>\\*</sup>" in cell for cell in cells]
    assert starred.pop("middle") == [False] * 3
    names = [found.systems[one] for one, _ in found.pairs]
    assert starred == dict(zip(names, found.significant.tolist(), strict=True))
    assert 0 < sum(map(sum, starred.values())) < 12


def test_other_tests_are_named_below_the_table(scores):
    found = compare(scores, tests=["t", "wilcoxon"])
    told = "p-value, t: Student's paired t test; p-value, wilcoxon: Wilcoxon's"
    assert told in found.to_latex()
    assert told in found.to_markdown()
    assert "p-value, t" not in repr(compare(scores))


def test_more_systems_than_letters(systems):
    y, runs, qid = systems
    many = {f"{name} {copy}": run for copy in range(6) for name, run in runs.items()}
    latex = compare(evaluate("AP", y, many, qid=qid), tests="t").to_latex()
    names, above = letters_in(latex)
    assert list(names)[24:28] == ["25", "26", "27", "28"]
    beaten = max((cells[0] or "" for cells in above.values()), key=len)
    assert set(beaten.split(",")) <= set(names)


def test_scores_are_printed_in_the_order_that_was_asked_for(scores):
    by_fallout = scores.sort("Fallout@5")
    means = scores.means[:, 2]
    assert list(by_fallout.systems) == [scores.systems[at] for at in np.argsort(means)]
    shown = [line.split("  ")[0] for line in repr(by_fallout).splitlines()[1:6]]
    assert shown == list(by_fallout.systems)
    assert by_fallout.to_dict() == scores.to_dict()
    assert scores.sort(nDCG(k=3)).systems != by_fallout.systems
    with pytest.raises(KeyError, match="RR is not among the measures"):
        scores.sort("RR")


def test_systems_without_a_mean_come_last():
    y = [1, 0, 0, 0]
    scores = evaluate(AP(empty=float("nan")), y[2:], {"a": [1, 2], "b": [2, 1]})
    assert scores.sort("AP(empty=nan)").systems == ("a", "b")
    assert evaluate("AP", y, [4, 3, 2, 1]).sort("AP").systems is None


def test_the_command_line_sorts(scores, systems, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_qrels({"q": {"a": 2, "b": 1, "c": 0}}, "qrels")
    for name, (a, b) in {"one": (2, 1), "two": (1, 2)}.items():
        trec.write_run({"q": {"a": float(a), "b": float(b), "c": 3.0 - a}}, name)
    words = ["qrels", "one", "two", "-m", "P(rel=2)@1", "-m", "RR"]
    for sort, first in (("RR", "one"), ("P(rel=2)@1", "one")):
        assert main(["evaluate", *words, "--sort", sort, "--format", "csv"]) == 0
        assert capsys.readouterr().out.splitlines()[1].startswith(first)
    assert main(["evaluate", *words, "--sort", "RRR"]) == 2
    assert "--sort must be one of the measures. RRR is not" in capsys.readouterr().err
    assert main(["evaluate", *words, "--as", "trec_eval", "--sort", "RR"]) == 2
    assert "--sort cannot be given with --as trec_eval" in capsys.readouterr().err


QID, GRADES = np.repeat(["q1", "q2"], 3), np.array([2, 0, 0, 1, 0, 0])
SYSTEMS = {"a": np.array([3.0, 2, 1, 1, 2, 3]), "b": np.array([1.0, 2, 3, 3, 2, 1])}


@pytest.mark.parametrize(
    "systems", [SYSTEMS, pd.DataFrame(SYSTEMS)], ids=["dict", "frame"]
)
@pytest.mark.parametrize(
    ("function", "measure"),
    [(bounds, "P@2"), (tie_report, "AP")],
    ids=["bounds", "tie_report"],
)
def test_doors_of_one_system_say_how_to_call_them_for_each(function, measure, systems):
    with pytest.raises(
        TypeError, match=rf"must be the scores of one system.* {function.__name__}"
    ):
        function(measure, GRADES, systems, qid=QID)
    each = {n: function(measure, GRADES, s, qid=QID) for n, s in systems.items()}
    assert list(each) == ["a", "b"]  # as the message says


def test_systems_in_a_frame_are_judged_by_simulation():
    frame, probabilities = pd.DataFrame(SYSTEMS), np.linspace(0.1, 0.9, 6)
    by_frame = simulate_judgments("AP", probabilities, frame, qid=QID, n_repeats=3)
    by_dict = simulate_judgments("AP", probabilities, SYSTEMS, qid=QID, n_repeats=3)
    assert by_frame.measures == by_dict.measures == ("a: AP", "b: AP")
    np.testing.assert_array_equal(by_frame.values, by_dict.values)
    with_ids = simulate_judgments(
        "AP", probabilities, frame.assign(qid=QID), qid=QID, n_repeats=3
    )
    assert with_ids.measures == by_dict.measures  # ids are no system
