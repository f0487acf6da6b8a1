"""``skgraded evaluate``, ``compare`` and ``measures``, as typed in a terminal."""

import csv
import inspect
import io
import json
import lzma
import re
import shlex
import sys

import numpy as np
import pytest
from samples import write_qrels

from skgraded import catalogue, measure, trec, xGAP
from skgraded._intervals.paired import TESTS
from skgraded.cli import main, make_parser
from skgraded.conventions import TOOLS, conventions_of, measure_as

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 z 0\n"
GOOD = "q1 Q0 a 1 3 t\nq1 Q0 c 2 2 t\nq2 Q0 a 1 1 t\nq3 Q0 z 1 1 t\n"
BAD = "q1 Q0 b 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 2 t\nq2 Q0 x 1 2 t\nq2 Q0 a 2 1 t\nq9 Q0 z 1 1 t\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.run").write_text(GOOD)
    (tmp_path / "bad.run.xz").write_bytes(lzma.compress(BAD.encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run a command line; return what it wrote to standard output and standard error."""

    def run(*words):
        arguments = make_parser().parse_args(words)
        arguments.run(arguments)
        return capsys.readouterr()

    return run


BOTH = ("qrels.txt", "good.run", "bad.run.xz")


def test_evaluate_prints_a_table(folder, run):
    written = run(
        "evaluate", *BOTH, "-m", "AP", "-m", "eGAP(g=[0.1,0.9])", "-m", "nDCG@10"
    )
    lines = written.out.splitlines()
    assert lines[0].split() == ["system", "AP", "eGAP(g=[0.1,0.9])", "nDCG@10"]
    assert [line.split()[0] for line in lines[1:3]] == ["good.run", "bad.run"]
    assert "2 systems; means over 3 queries." in lines
    assert "bad.run (1)" in written.out
    assert max(map(len, lines)) <= 80
    assert written.err == ""


def test_evaluate_topic_by_topic(folder, run):
    lines = run("evaluate", *BOTH, "-m", "AP", "--per-query").out.splitlines()
    assert [line.split() for line in lines[:2]] == [
        ["system", "qid", "AP"],
        ["good.run", "q1", "1.0000"],
    ]
    out = run(
        "evaluate", "qrels.txt", "bad.run.xz", "-m", "AP", "-q", "--no-complete"
    ).out
    assert out.splitlines()[0].split() == ["qid", "AP"]
    assert out.splitlines()[3].split() == ["q3", "-"]
    assert "a missing topic is left out" in out


def test_evaluate_writes_json(folder, run):
    arguments = ("evaluate", *BOTH, "-m", "AP(empty=nan)", "--format", "json")
    content = json.loads(run(*arguments).out)
    assert content["n_queries"] == 3
    assert content["rows"][0] == {"system": "good.run", "AP(empty=nan)": 1.0}
    assert any("left out" in note for note in content["notes"])
    content = json.loads(run(*arguments, "--per-query").out)
    assert content["means"]["good.run"] == {"AP(empty=nan)": 1.0}
    assert content["rows"][2] == {
        "system": "good.run",
        "qid": "q3",
        "AP(empty=nan)": None,
    }


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        ("json", '"average": "geometric"'),
        ("trec_eval", "gm_AP "),
        ("table", "geometric means"),
        ("csv", "system,AP"),
    ],
)
def test_evaluate_writes_geometric_means(folder, run, form, mark):
    words = ("evaluate", *BOTH, "-m", "AP", "--format", form)
    means = trec.evaluate("AP", "qrels.txt", list(BOTH[1:])).mean("geometric")
    out, plain = (run(*words, *more).out for more in (("--average", "geometric"), ()))
    assert all(f"{each['AP']:.4f}" in out for each in means.values())
    assert out != plain
    assert mark in out


def test_rules_can_be_switched(folder, run):
    (folder / "tied.run").write_text(
        "q1 Q0 a 1 1 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\nq3 Q0 z 1 1 t\n"
    )

    def mean_ap(*options, measure="AP"):
        out = run("evaluate", "qrels.txt", "tied.run", "-m", measure, *options).out
        return float(out.splitlines()[1].split()[1])

    assert mean_ap() == pytest.approx((0.375 + 1) / 3, abs=1e-4)
    assert mean_ap("--ties", "row_order") == pytest.approx((0.25 + 1) / 3, abs=1e-4)
    assert mean_ap(
        "--ties", "row_order", measure="AP(ties=optimistic)"
    ) == pytest.approx(0.5)
    assert mean_ap("--order", "rank") == pytest.approx((0.5 + 1) / 3, abs=1e-4)
    assert mean_ap("--order", "file") == pytest.approx((0.5 + 1) / 3, abs=1e-4)
    assert mean_ap("--grades", "1,2=0") == 0.0
    assert mean_ap("--grades=0=1", "--grades", "2=0") == pytest.approx(
        (0.375 + 1 + 1) / 3, abs=1e-4
    )


def test_negative_grades_are_told(folder, run):
    (folder / "qrels.txt").write_text(QRELS + "q1 0 n -2\n")
    assert (
        "1 document of negative grades, judged not relevant"
        in run("evaluate", *BOTH).out
    )
    with pytest.raises(ValueError, match="grades must be >= 0, got -2"):
        run("evaluate", *BOTH, "--negative", "error")
    assert "negative" not in run("evaluate", *BOTH, "--grades=-2=0").out


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("evaluate qrels.txt {} -m AP -q", "good.run"),
        ("evaluate {} good.run -m AP", "qrels.txt"),
        ("evaluate qrels.txt good.run {} --as trec_eval", "good.run"),
        ("evaluate letor {} --letor -m AP -q", "scores"),
        (
            "compare qrels.txt good.run bad.run.xz -m nDCG --format csv --judge {}",
            "qrels.txt",
        ),
    ],
)
def test_standard_input_stands_for_any_file(many_topics, run, monkeypatch, words, name):
    (many_topics / "letor").write_text("2 qid:7 1:0.5\n0 qid:7 1:0.1\n")
    (many_topics / "scores").write_text("1\n2\n")
    expected = (
        run(*words.format(name).split()).out.replace("scores", "-").replace("good", "t")
    )
    given = (many_topics / name).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    assert run(*words.format("-").split()).out.replace("good", "t") == expected


@pytest.mark.parametrize("form", ["csv", "json", "trec_eval", "table"])
def test_a_mean_over_no_topic_is_written_without_a_warning(folder, run, form, recwarn):
    (folder / "qrels.txt").write_text("q1 0 a 0\n")
    run("evaluate", "qrels.txt", "good.run", "-m", "AP(empty=nan)", "--format", form)
    assert not recwarn.list


def test_letor_data(folder, run):
    texts = {"test": "2 qid:7 1:0.5\n0 qid:7 1:0.1\n", "up": "2\n1\n", "down": "1\n2\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    lines = run(
        "evaluate", "test", "down", "up", "--letor", "-m", "AP"
    ).out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["up", "1.0000"],
        ["down", "0.5000"],
    ]


def test_strict(folder, run):
    (folder / "good.run").write_text(GOOD + "q1 Q0 a 9 0 t\n")
    assert (
        "1 system with repeated documents, of which the best counts: good.run (1)."
        in (run("evaluate", *BOTH).out)
    )
    with pytest.raises(ValueError, match=r"good\.run, line 5: .*once in a topic"):
        run("evaluate", *BOTH, "--strict")


@pytest.fixture
def many_topics(folder):
    topics = range(12)
    (folder / "qrels.txt").write_text(
        "".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in topics)
    )
    (folder / "good.run").write_text(
        "".join(f"{t} Q0 a 1 2 t\n{t} Q0 b 2 1 t\n" for t in topics)
    )
    bad = "".join(f"{t} Q0 b 1 2 t\n{t} Q0 a 2 1 t\n" for t in topics)
    (folder / "bad.run.xz").write_bytes(lzma.compress(bad.encode()))
    return folder


def test_compare_prints_who_beats_whom(many_topics, run):
    lines = run("compare", *BOTH, "-m", "nDCG@10").out.splitlines()
    assert lines[1].split() == ["1", "good.run", "1.0000", "2"]
    assert lines[2].split()[:2] == ["2", "bad.run"]
    assert lines[5].split()[:4] == ["bad.run", "-", "good.run", "-0.3691"]
    assert lines[7].startswith("12 queries, level 0.05; intervals and p-values allow")


@pytest.mark.parametrize("test", TESTS)
def test_compare_by_every_test(many_topics, run, test):
    content = json.loads(run("compare", *BOTH, "--test", test, "--format", "json").out)
    assert content["rows"][0]["p_value"] < 0.05
    assert (f"p_value_{test}" in content["rows"][0]) == (test != "score")
    assert content["means"] == {"good.run": {"AP": 1.0}, "bad.run": {"AP": 0.5}}
    assert content["rows"][0]["significant"]
    assert content["rows"][0]["effect_size"] is None  # infinity, which JSON lacks


@pytest.mark.parametrize(
    ("runs", "status"),
    [(("good.run", "bad.run.xz"), 0), (("bad.run.xz", "good.run"), 1)],
)
@pytest.mark.parametrize(
    "words", [["--margin", "0.01"], ["--better"], ["--better", "--format", "json"]]
)
def test_the_exit_status_is_the_decision(many_topics, capsys, runs, status, words):
    words = ["compare", "qrels.txt", *runs, "-m", "nDCG@10", "-m", "AP", *words]
    assert main(words) == status
    assert ("holds", "fails")[status] in capsys.readouterr().out


def test_an_undecided_margin_ends_with_3_and_names_the_queries(many_runs, capsys):
    runs = ["qrels", "run20", "run22", "--margin", "0.05"]
    assert main(["compare", *runs]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(r"within 0.05 .*with about [\d,]+ queries like these", out)
    assert main(["compare", *runs, "--baseline", "run20"]) == 3


def test_topics_of_a_cluster_are_read_from_a_file(many_runs, run, tmp_path):
    (tmp_path / "people").write_text(
        "".join(f"q{t} person{t // 2}\n\n" for t in range(20))
    )
    out = " ".join(run("compare", *many_runs[:3], "--cluster", "people").out.split())
    assert "20 queries in 10 clusters, level 0.05;" in out
    assert "3 in 10 clusters of a kind not seen" in out
    (tmp_path / "people").write_text("q0 a\nq0 b\n")
    with pytest.raises(
        ValueError, match="people, line 2: must hold a topic and its only cluster"
    ):
        run("compare", *many_runs[:3], "--cluster", "people")


def test_margins_and_worst_losses_by_measure_are_split_at_the_last_equals_sign(
    many_topics, run, capsys
):
    measures = ["-m", "nDCG@10", "-m", "RBP(p=0.5)", "--format", "json"]
    margins = ["--margin", "nDCG@10=0", "--margin", "RBP(p=0.5)=.02"]
    worst = ["--worst", "RBP(p=0.5)=0.7"]
    words = ["compare", "qrels.txt", "good.run", "bad.run.xz", *measures]
    assert main([*words, *margins, *worst]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [row["asked"] for row in content["rows"]] == ["better", "within 0.02"]
    assert [row["worst"] for row in content["rows"]] == [0.5, 0.7]
    assert content["margin"] == {"nDCG@10": 0.0, "RBP(p=0.5)": 0.02}
    for wrong, told in (
        (
            ["--margin", "0.1", "--margin", "AP=.2"],
            "--margin must be one number, or one",
        ),
        (
            ["--margin", "AP=x"],
            "--margin must be a number, or MEASURE=NUMBER, got 'AP=x'",
        ),
        (["--margin", "nDCG@10=0"], "and lacks RBP(p=0.5)"),
        (["--worst", "0.1"], "worst is 0.1, but bad.run loses 0.3691 to good"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            run(*words, *wrong)


def test_planned_looks(many_topics, capsys):
    words = ["compare", "qrels.txt", "good.run", "bad.run.xz", "--looks"]
    assert main([*words, "12,40"]) == 0
    assert "level 0.05 over all looks and " in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def many_runs(tmp_path, monkeypatch):
    """33 runs of 20 topics, which are more pairs than squared topics."""
    rng = np.random.default_rng(0)
    qrels = {f"q{t}": {f"d{n}": int(n < 5) for n in range(20)} for t in range(20)}
    write_qrels(qrels, tmp_path / "qrels")
    for number in range(33):
        scores = {
            t: {d: g * (number > 16) + rng.normal() for d, g in judged.items()}
            for t, judged in qrels.items()
        }
        trec.write_run(trec.read_run(scores), tmp_path / f"run{number:02}")
    monkeypatch.chdir(tmp_path)
    return "qrels", *(f"run{number:02}" for number in range(33))


def test_compare_takes_several_measures_and_tests_and_a_baseline(many_topics, run):
    words = ["-m", "AP", "-m", "nDCG@10", "--test", "t", "--test", "wilcoxon"]
    out = run("compare", *BOTH, *words, "--baseline", "bad.run", "--format", "csv").out
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["measure"] for row in rows] == ["AP", "nDCG@10"]
    assert [(row["system"], row["other"]) for row in rows] == [
        ("good.run", "bad.run")
    ] * 2
    assert {"p_value", "p_value_t", "p_value_wilcoxon"} < set(rows[0])
    assert run("compare", *BOTH).out.split()[1] == "AP"


def test_the_help_explains_every_test(run, capsys):
    with pytest.raises(SystemExit):
        run("compare", "--help")
    told = " ".join(capsys.readouterr().out.split())
    for name, test in TESTS.items():
        assert f" {name} {test.title}: {test.hypothesis}" in told


def test_the_catalogue_is_listed_by_family(run):
    start, *families, _ = run("measures").out.split("\n\n")
    listed = {}
    for family in families:
        heading, _, rows = family.partition("\n  ")
        listed[heading] = re.findall(r"^  (\S+)", f"  {rows}", re.MULTILINE)
    assert sorted(name for names in listed.values() for name in names) == sorted(
        catalogue()
    )
    assert {"AP", "GAP", "xGAP", "eGAP"} <= set(listed["AP and its graded forms"])
    assert start.startswith("Start here\n")
    named = re.findall(r"^  (\S+)  ", start, re.MULTILINE)
    assert [str(measure(each)) for each in named] == named
    assert max(map(len, run("measures").out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("tool", "name", "pasted"),
    [
        ("trec_eval", "ndcg_cut_10", '-m "nDCG(ties=row_order)@10"'),
        ("lightgbm", "ndcg@5", '-m "nDCG(gain=exp2,ties=row_order,empty=1)@5"'),
        ("trec_eval", "infAP", '-m "infAP(ties=row_order)"'),
        ("sklearn", "ndcg_score", "-m nDCG"),
        ("trec_eval", "nDCG@10", '-m "nDCG(ties=row_order)@10"'),
        ("trec_eval", "map_cut_5", '-m "AP(ties=row_order)@5"'),
    ],
)
def test_the_measure_of_another_tool(run, tool, name, pasted):
    lines = run("measures", "--from", tool, name).out.splitlines()
    assert lines[2].strip() == pasted
    assert measure(shlex.split(pasted)[1]) == measure_as(tool, name)
    assert " ".join(lines[4:]).startswith(TOOLS[tool].rules)
    assert (name == "map_cut_5") == (lines[-1] == "Divided by R, whatever k.")


@pytest.mark.parametrize("tool", TOOLS)
def test_the_measures_of_another_tool(run, tool):
    out = run("measures", "--from", tool).out
    rows = dict(
        re.findall(r"^  (\S.*?)  +(\S+)$", out.partition("\n\n")[0], re.MULTILINE)
    )
    theirs = [row.example for row in conventions_of(tool)]
    assert rows == {name: str(measure_as(tool, name)) for name in theirs}
    assert TOOLS[tool].absent.split(" ")[-1] in out


@pytest.mark.parametrize("name", ["xGAP", "xGAP(g=[0.1,0.9])@10", " xGAP", "xGAP@10"])
def test_a_measure_is_explained(run, name):
    out = run("measures", name).out
    assert out.startswith("xGAP(")
    assert out.endswith(f"\n\n{inspect.getdoc(xGAP)}\n")


@pytest.mark.parametrize(
    "command", ["demo", "evaluate", "compare", "measures", "study"]
)
def test_help_fits_a_terminal(run, command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        run(command, "--help")
    assert stopped.value.code == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
