"""Mistakes on the command line: every message names the option, the file and a way out."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skgraded import catalogue
from skgraded.cli import main
from skgraded.cli._messages import _OPTIONS, in_words_of_options

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 3\n"
RUN = "q1 Q0 a 1 3 t\nq2 Q0 c 1 1 t\n"
TWO = ("qrels", "a.run", "b.run")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    files = {"qrels": QRELS, "a.run": RUN, "b.run": RUN}
    files["negative"] = "q1 0 a 1\nq1 0 b -2\n"
    files["empty"] = ""
    files["halves"] = "q1 0 a 0.5\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evalaute", *TWO), "Did you mean 'evaluate'?"),
        (("study", "powr", *TWO), "Did you mean 'power'?"),
        (("evaluate", *TWO, "--measures", "AP"), "--measures. Did you mean '--measure'?"),
        (("evaluate", "--measures", "AP"), "--measures. Did you mean '--measure'?"),
        (("evaluate", *TWO, "--oder=rank"), "--oder=rank. Did you mean '--order'?"),
        (("compare", *TWO, "--test", "tuckey"), "Did you mean 'tukey'?"),
        (("compare", *TWO, "--rsamples", "9"), "--rsamples. Did you mean '--resamples'?"),
        (("study", "power", *TWO, "--t", "5"), "ambiguous option: --t could match --ties, --top"),
        (("measures", "--from", "treceval"), "Did you mean 'trec_eval'?"),
        (("--verison",), "--verison. Did you mean '--version'?"),
        (("evaluate", *TWO, "--xyz"), "unrecognized arguments: --xyz."),
        (("evaluate", *TWO, "-x"), "unrecognized arguments: -x."),
        (
            ("evaluate", *TWO, "-m", "AP", "c.run"),
            "unrecognized arguments: c.run. Files must stand together, and not on both sides",
        ),
        (("compare", *TWO, "--seed", "-1"), "argument --seed: must be an integer >= 0, got '-1'"),
        (("study", "power", *TWO, "--top", "2", "--upper-quartiles"), "not allowed with argument"),
    ],
)
def test_usage(words, message, capsys):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(list(words))
    told = capsys.readouterr().err
    assert message in told
    assert len(told.splitlines()) == 2  # the usage is one line, and the message the other


def test_usage_is_that_of_the_subcommand(capsys):
    with pytest.raises(SystemExit):
        main(["study", "power", *TWO, "--xyz"])
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "usage: skgraded study power [options] qrels run [run ...]"
    assert told[1].startswith("skgraded study power: error: ")


def test_an_abbreviation_and_words_after_two_dashes_are_known(folder, capsys):
    (folder / "--odd").write_text(RUN)
    assert main(["evaluate", "--meas", "AP", "qrels", "--", "a.run", "--odd"]) == 0
    assert "2 systems" in capsys.readouterr().out


GRADES = "must hold grades 0..1 for xGAP(g=[1]) (g has as many entries), got 3"
PLACE = "for document 'c' of topic 'q2'. --grades OLD=NEW changes grades."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "qrels", "a.run"), "compare: The runs must hold at least 2 systems"),
        (("study", "power", "qrels", "a.run"), "study power: The runs must hold at least 2 sys"),
        (("study", "incompleteness", "qrels", "a.run"), "The study must keep at least 2 of the 1"),
        (
            ("compare", *TWO, "--confidence", "2"),
            "--confidence must lie strictly between 0 and 1, got 2.0",
        ),
        (("compare", *TWO, "--resamples", "0"), "--resamples must be an integer >= 1, got 0"),
        (
            ("evaluate", *TWO, "--threads", "0"),
            "--threads must be an integer from 1 to 4096, -1 for all processors, got 0.",
        ),
        (("study", "thresholds", *TWO, "--steps", "0"), "--steps must be an integer >= 1"),
        (("study", "sensitivity", *TWO[:2], "--max-rank", "0"), "--max-rank must be an integer"),
        (("study", "incompleteness", *TWO, "--repeats", "0"), "--repeats must be an integer"),
        (("study", "incompleteness", *TWO, "--rates", "0"), "--rates must be percentages above 0"),
        (("study", "correlation", *TWO, "--few", "2", "--ratio", "0"), "--ratio must be a finite"),
        (
            ("evaluate", "negative", "a.run", "--negative", "error"),
            "negative: grades must be >= 0, got -2 for document 'b' of topic 'q1'. Pass --negative",
        ),
        *(
            ((*command, "-m", "xGAP(g=[1])"), f"qrels: the judgments {GRADES} {PLACE}")
            for command in (
                ("evaluate", "qrels", "a.run"),
                ("compare", *TWO),
                ("study", "power", *TWO),
                ("study", "incompleteness", *TWO),
                ("study", "sensitivity", "qrels", "a.run"),
            )
        ),
        (
            ("study", "sensitivity", "halves", "a.run"),
            "halves: the judgments must hold integer grades for sensitivity, which compares them "
            "with thresholds 1, 2, ..., got 0.5 for document 'a' of topic 'q1'. Measures take",
        ),
        (
            ("compare", *TWO, "--judge", "qrels"),
            "--judge needs at least 3 queries with human labels, got 2.",
        ),
        (
            ("compare", *TWO, "--population", "these"),
            "--population must be one of 'like_these' without --judge, got 'these'",
        ),
        (
            ("compare", *TWO, "--better", "--margin", "0.1"),
            "--margin cannot be given with --better, which asks another question, got 0.1.",
        ),
        (("compare", *TWO, "--judge", "qrels", "--cluster", "empty"), "--cluster cannot be given"),
    ],
)
def test_messages_name_options_and_places(words, message, capsys):
    assert main(list(words)) == 2
    told = capsys.readouterr().err
    assert message in told
    for argument in ("y_true", "n_resamples", "n_threads", 'test="', "None"):
        assert argument not in told


@given(st.sampled_from(sorted(_OPTIONS)), st.text(alphabet="abc -_.:,'\\n", max_size=20))
def test_options_take_the_place_of_arguments(name, rest):
    told = in_words_of_options(f'{rest} {name} must be 1. Try {name}=2, {name}="a" and {name}=.')
    option = _OPTIONS[name]
    assert told.endswith(f"{option} must be 1. Try {option} 2, {option} a and {option}.")
    assert in_words_of_options(told) == told
    assert in_words_of_options(f"a_{name}=1 {name}s {name} may") == f"a_{name}=1 {name}s {name} may"


COMPLETED = [
    ("ev", ["evaluate"]),
    ("study pow", ["power"]),
    ("study power --to", ["--top"]),
    ("study power qrels a.run -m nd", ["NDCGRel", "nDCG"]),
    ("compare qrels a.run --test t", ["t", "tukey"]),
    ("measures x", ["xGAP"]),
    ("evaluate qr", ["qrels"]),
]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("evaluate", "none", "a.run"), ["qrels must", "got 'none' (no such file or directory)."]),
        (("evaluate", "qrels", "it's"), ["run must", """got "it's" (no such file"""]),
        (("evaluate", ".", "a.run"), ["qrels must", "got '.' (is a directory)."]),
        (("compare", "qrels", "x", "y"), ["run must", "got 'x' (no", "run must", "got 'y' (no"]),
        (("compare", *TWO, "--judge", "none"), ["--judge must", "got 'none' (no such"]),
        (("demo", "--data", "none"), ["--data must", "got 'none' (no such"]),
    ],
)
def test_a_file_that_cannot_be_opened_is_named_with_its_argument(words, told, capsys):
    assert main(words) == 2
    message = capsys.readouterr().err
    assert "Errno" not in message
    for part in told:
        assert part in message
        message = message.partition(part)[2]


@pytest.mark.parametrize(("line", "words"), COMPLETED)
def test_the_shell_completes_words(line, words, folder):
    pytest.importorskip("argcomplete")
    line = f"skgraded {line}"
    environment = os.environ | {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "completed"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    command = [sys.executable, "-m", "skgraded"]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)
    completed = (folder / "completed").read_text().split("\n")
    assert sorted(each.strip() for each in completed) == words


def test_without_argcomplete_nothing_is_completed(monkeypatch, capsys):
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert main(["measures"]) == 0
    assert all(name in capsys.readouterr().out for name in list(catalogue())[:1])


@pytest.mark.filterwarnings("always::skgraded.exceptions.GradeScaleWarning")
def test_warnings_are_messages_of_the_command(capsys):
    assert main(["evaluate", "qrels", "a.run", "-m", "P(rel=9)@1"]) == 0
    told = capsys.readouterr().err
    assert told.startswith(
        "skgraded evaluate: warning: rel exceeds the highest grade in the qrels, which is 3, so"
    )
    assert ".py:" not in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "foo"], "'skgraded measures' lists all measures; --as TOOL takes the names"),
        (["-m", "xGAP(gg=3)"], "Did you mean 'g'?"),
        (["--as", "foo", "-m", "AP"], "--as must be one of 'lightgbm'"),
    ],
)
def test_unknown_measures_and_tools(words, message, capsys):
    assert main(["evaluate", *TWO, *words]) == 2
    assert message in capsys.readouterr().err
