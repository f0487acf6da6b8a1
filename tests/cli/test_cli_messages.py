"""Mistakes on the command line: every message names the option, the file and a way out."""

import os
import subprocess
import sys

import pytest

from skgraded import catalogue
from skgraded.cli import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 3\n"
RUN = "q1 Q0 a 1 3 t\nq2 Q0 c 1 1 t\n"
OWN = (
    "from skgraded import AP, nDCG\nclass Strict(AP):\n    rel = 2\nBEST = nDCG(k=3)\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    files = {"qrels": QRELS, "a.run": RUN, "b.run": RUN, "mine.py": OWN}
    files |= {
        "negative": "q1 0 a 1\nq1 0 b -2\n",
        "empty": "",
        "halves": "q1 0 a 0.5\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


GRADES = "the judgments must hold grades 0..1 for xGAP(g=[1]) (g has as many entries), got 3."
TWO = "qrels a.run b.run"
MISTAKES = [  # words of a command line, and what is told
    ("evalaute", "Did you mean 'evaluate'?"),
    ("study powr", "Did you mean 'power'?"),
    (f"evaluate {TWO} --measures AP", "--measures. Did you mean '--measure'?"),
    ("evaluate --measures AP", "--measures. Did you mean '--measure'?"),
    (f"evaluate {TWO} --oder=rank", "--oder=rank. Did you mean '--order'?"),
    (f"compare {TWO} --test tuckey", "Did you mean 'tukey'?"),
    (f"compare {TWO} --rsamples 9", "--rsamples. Did you mean '--resamples'?"),
    (
        f"study power {TWO} --t 5",
        "ambiguous option: --t could match --top, --test, --ties",
    ),
    ("measures --from treceval", "Did you mean 'trec_eval'?"),
    ("--verison", "--verison. Did you mean '--version'?"),
    (f"evaluate {TWO} --xyz", "unrecognized arguments: --xyz."),
    (f"evaluate {TWO} -x", "unrecognized arguments: -x."),
    (f"evaluate {TWO} -m AP c.run", "Files must stand together, and not on both sides"),
    (f"evaluate {TWO} --order id", "argument --order: invalid choice: 'id'"),
    ("evaluate qrels", "the following arguments are required: run"),
    ("study", "the following arguments are required: STUDY"),
    (f"compare {TWO} --seed -1", "argument --seed: must be an integer >= 0, got '-1'"),
    (
        f"study power {TWO} --top 2 --upper-quartiles",
        "--top cannot be given with --upper-q",
    ),
    (
        f"study incompleteness {TWO} --rates all",
        "argument --rates: invalid numbers value: 'all'",
    ),
    ("compare qrels a.run", "compare: runs must hold at least 2 systems"),
    ("study power qrels a.run", "study power: runs must hold at least 2 systems"),
    ("study incompleteness qrels a.run", "systems must keep at least 2 of the 1 runs"),
    (
        f"compare {TWO} --confidence 2",
        "--confidence must lie strictly between 0 and 1, got 2.0",
    ),
    (f"compare {TWO} --resamples 0", "--resamples must be an integer >= 1, got 0"),
    (
        f"compare {TWO} --baseline x",
        "--baseline must be one of 'a.run', 'b.run', got 'x'",
    ),
    (
        f"evaluate {TWO} --threads 0",
        "--threads must be an integer from 1 to 4096, or -1 for all",
    ),
    (f"evaluate {TWO} --sort P", "--sort must be one of the measures."),
    (f"evaluate {TWO} -c", "-c needs --as trec_eval."),
    (f"evaluate {TWO} -n", "-n needs --as trec_eval."),
    (f"evaluate {TWO} -l 2", "-l needs --as trec_eval."),
    (
        f"evaluate {TWO} --as trec_eval -g 1",
        "-g cannot be given with --as trec_eval, which dec",
    ),
    (f"study thresholds {TWO} --steps 0", "--steps must be an integer >= 1"),
    (
        f"study thresholds {TWO} --grades 2,3=0",
        "qrels: thresholds need grades of 1 or more",
    ),
    ("study sensitivity qrels a.run --max-rank 0", "--max-rank must be an integer"),
    ("study lists --length 0", "--length must be an integer >= 1, got 0"),
    ("study lists --show 9", "--show: '9' is no list of 5 documents"),
    (
        "study lists --relevant 9,8,7,6,5,4,3,2,1 --length 9",
        "--length must leave at most",
    ),
    ("study simulation --theta 1.5", "--theta must lie between 0 and 1, got 1.5"),
    (f"study incompleteness {TWO} --repeats 0", "--repeats must be an integer"),
    (f"study incompleteness {TWO} --rates 0", "--rates must be percentages above 0"),
    (f"study correlation {TWO} --few 2 --ratio 0", "--ratio must be a finite"),
    (
        f"study power {TWO} --top 3",
        "--top must be from 2 to the number of runs, 2, got 3.",
    ),
    (f"study power {TWO} --few 1 --ratio 2", "--few 1 must leave at least one topic"),
    (
        "evaluate negative a.run --negative error",
        "grades must be >= 0, got -2 for document 'b'",
    ),
    (
        "evaluate qrels a.run -m xGAP(g=[1])",
        f"qrels: {GRADES} --grades OLD=NEW changes",
    ),
    (f"compare {TWO} -m xGAP -g 1", f"qrels: {GRADES}"),
    (f"study incompleteness {TWO} -m xGAP(g=[1])", f"qrels: {GRADES}"),
    ("study sensitivity qrels a.run -m xGAP(g=[1])", f"qrels: {GRADES}"),
    (
        "study sensitivity halves a.run",
        "halves: the judgments must hold integer grades for sen",
    ),
    (
        "compare halves a.run b.run --profile",
        "halves: grades must be integers for --profile",
    ),
    (
        f"compare {TWO} --judge qrels",
        "--judge needs at least 3 queries with human labels",
    ),
    (
        f"compare {TWO} --population these",
        "--population must be one of 'like_these' without",
    ),
    (
        f"compare {TWO} --better --margin 0.1",
        "--margin cannot be given with better, which asks",
    ),
    (
        f"compare {TWO} --judge qrels --cluster empty",
        "--cluster cannot be given with --judge.",
    ),
    (f"compare {TWO} --profile --as ranx", "--as cannot be given with --profile."),
    (f"compare {TWO} --profile --judge q", "--judge cannot be given with --profile."),
    (f"compare {TWO} --profile --better", "--better cannot be given with --profile."),
    (f"compare {TWO} --profile -m P", "-m/--measure cannot be given with --profile."),
    (
        "evaluate none a.run",
        "qrels must name a file that can be opened, got 'none' (no such file",
    ),
    (
        "evaluate qrels it's",
        """run must name a file that can be opened, got "it's" (no such""",
    ),
    (
        "evaluate . a.run",
        "qrels must name a file that can be opened, got '.' (is a directory).",
    ),
    (
        "compare qrels x y",
        "No such file or directory: 'x'\n[Errno 2] No such file or directory: 'y'",
    ),
    (
        f"compare {TWO} --judge none",
        "--judge must name a file that can be opened, got 'none'",
    ),
    ("evaluate - -", "- (standard input) can be given only once, got it 2 times."),
    (
        f"evaluate {TWO} -o nowhere/x",
        "--output must be a file in an existing folder, got 'nowhere/x'.",
    ),
    (f"compare {TWO} -o .", "--output must be a file and no folder, got '.'."),
    ("study topics no -o no/x.csv", "--output must be a file in an existing folder"),
    (f"compare {TWO} --plot x", "--plot must end in one of"),
    ("study correlation no no --plot x.foo", "--plot must end in one of"),
    (f"evaluate {TWO} -m foo", "'skgraded measures' list all measures; "),
    (
        f"evaluate {TWO} -m ndgc@10",
        "Unknown measure 'ndgc' in 'ndgc@10'. Did you mean 'nDCG@10'?",
    ),
    ("measures ndgc", "Unknown measure 'ndgc' in 'ndgc'. Did you mean 'nDCG'?"),
    (f"evaluate {TWO} -m xGAP(gg=3)", "Did you mean 'g'?"),
    (f"evaluate {TWO} -m xGAP -g .1,.8", "-g must sum to 1, got (0.1, 0.8)"),
    (f"evaluate {TWO} -m xGAP -g none", "-g must be one of 'uniform', 'linear'"),
    (
        f"evaluate {TWO} -m AP -g .1,.9",
        "-g needs a measure of users without g, got -m AP.",
    ),
    (
        f"evaluate {TWO} -m mine:None",
        "-m must name a measure of the module 'mine', got",
    ),
    (f"evaluate {TWO} -m none:None", "No module named 'none'"),
    (f"evaluate {TWO} -m ADM", "ADM compares scores with grades"),
    (f"evaluate {TWO} --as foo -m AP", "--as must be one of 'lightgbm'"),
    (f"evaluate {TWO} --as ranx", "--as ranx needs -m with a name that the tool has."),
    ("measures --from trec_eval ndgc_cut_10", "Did you mean 'ndcg_cut_10'?"),
    (
        f"evaluate {TWO} --grades 3:4",
        "--grades must have the form OLD[,OLD...]=NEW, got '3:4'",
    ),
    (
        f"evaluate {TWO} --grades 2=1,3",
        "--grades must have the form OLD[,OLD...]=NEW, got '2=1,3'",
    ),
    (
        f"evaluate {TWO} --grades 2=1,",
        "--grades must have the form OLD[,OLD...]=NEW, got '2=1,'",
    ),
    (
        f"evaluate {TWO} --grades 2=,3=1",
        "--grades must have the form OLD[,OLD...]=NEW, got '2=",
    ),
    (
        f"evaluate {TWO} --grades=",
        "--grades must have the form OLD[,OLD...]=NEW, got ''",
    ),
    (
        f"evaluate {TWO} --grades =1",
        "--grades must have the form OLD[,OLD...]=NEW, got '=1'",
    ),
    (
        f"evaluate {TWO} --grades 1=inf",
        "--grades must map words or numbers to finite grades",
    ),
]


@pytest.mark.parametrize(
    ("words", "message"), MISTAKES, ids=[words for words, _ in MISTAKES]
)
def test_mistakes(words, message, capsys):
    try:
        status = main(words.split())
    except SystemExit as stopped:
        status = stopped.code
    told = capsys.readouterr().err
    assert status == 2
    assert message in told
    assert (
        len(told.splitlines()) <= 2
    )  # the usage is one line, and the message the other
    for argument in ("y_true must", "in y_true", "n_resamples", "n_threads", 'test="'):
        assert argument not in told


def test_usage_is_that_of_the_subcommand(capsys):
    with pytest.raises(SystemExit):
        main(["study", "power", *TWO.split(), "--xyz"])
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "usage: skgraded study power [options] qrels run [run ...]"
    assert told[1].startswith("skgraded study power: error: ")


def test_an_abbreviation_and_words_after_two_dashes_are_known(folder, capsys):
    (folder / "--odd").write_text(RUN)
    assert main(["evaluate", "--meas", "AP", "qrels", "--", "a.run", "--odd"]) == 0
    assert "2 systems" in capsys.readouterr().out


COMPLETED = [
    ("ev", ["evaluate"]),
    ("study pow", ["power"]),
    ("study power --to", ["--top"]),
    ("study power qrels a.run -m nd", ["NDCGRel", "nDCG"]),
    ("compare qrels a.run --test t", ["t", "tukey"]),
    ("measures x", ["xGAP"]),
    ("evaluate qr", ["qrels"]),
]


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
    subprocess.run(
        command, env=environment, check=True, capture_output=True, timeout=60
    )
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


SAME = [  # words that say the same as others
    ("-m xGAP@10 -g .1,.2,.7", "-m xGAP(g=[.1,.2,.7])@10"),
    (
        "-m xGAP -m eGAP(g=[.1,.2,.7]) -m AP -g linear",
        "-m xGAP(g=linear) -m eGAP(g=[.1,.2,.7]) -m AP",
    ),
    ("-m mine:BEST -m mine:BEST(gain=exp2)@2", "-m nDCG@3 -m nDCG(gain=exp2)@2"),
    ("--grades 2=1,3=2", "--grades 2=1 --grades 3=2"),
    ("--grades 2,3=1,0=2", "--grades 2=1 --grades 3=1 --grades 0=2"),
]


@pytest.mark.parametrize(("words", "others"), SAME)
def test_words_that_say_the_same(words, others, capsys):
    shown = []
    for each in (words, others):
        assert (
            main(["evaluate", "qrels", "a.run", *each.split(), "--format", "csv"]) == 0
        )
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


def test_a_class_of_ones_own_is_a_measure(capsys):
    assert (
        main(["evaluate", "qrels", "a.run", "-m", "mine:Strict@2", "--format", "csv"])
        == 0
    )
    assert capsys.readouterr().out.startswith("system,Strict@2\n")
