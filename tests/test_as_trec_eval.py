"""``skgraded evaluate --as trec_eval`` prints what trec_eval prints, byte for byte."""

import math
import os
import re
import subprocess

import numpy as np
import pytest
import pytrec_eval

from skgraded.cli import main
from skgraded.conventions import ABSENCES, measure_as, values_of_trec_eval
from skgraded.trec import read_run

PARAMETERS = [
    "iprec_at_recall..10,.20,.25,.75,.50",
    "P.5,7,3",
    "recall.20,2000",
    "Rprec_mult.5.0,0.2,0.35",
    "utility.2,-1,0,0",
    "11pt_avg..25,.5,.75",
    "ndcg.1=3,2=9,4=4.5",
    "ndcg_cut.10,20,23.4",
    "success.2,5,20",
]
# What version 10, which printed the outputs of its own tests, rounds in another way or has alone.
# It also lists topics that the run lacks.
OF_VERSION_10 = ("iprec_at_recall", "11pt_avg", "rbp", "unj_")


def of_measures(names):
    return [word for name in names for word in ("-m", name)]


@pytest.mark.parametrize(
    ("output", "files", "options"),
    [
        ("out.test", "qrels.test results.test", []),
        ("out.comment.test", "qrels.comment.test results.comment.test", []),
        ("out.test.a", "qrels.test results.test", ["-m", "all_trec"]),
        ("out.test.aq", "qrels.test results.test", ["-m", "all_trec", "-q"]),
        ("out.test.aqc", "qrels.test results.trunc", ["-m", "all_trec", "-q", "-c"]),
        (
            "out.test.aqcM",
            "qrels.test results.trunc",
            ["-m", "all_trec", "-q", "-c", "-M", "100"],
        ),
        (
            "out.test.aql",
            "qrels.rel_level results.test",
            ["-m", "all_trec", "-m", "relstring.20", "-q", "-l", "2"],
        ),
        ("out.test.meas_params", "qrels.test results.test", ["-q", *of_measures(PARAMETERS)]),
    ],
)
def test_the_outputs_of_its_own_tests(data_dir, capsys, output, files, options):
    folder = data_dir / "trec_eval-test"
    paths = [str(folder / name) for name in files.split()]
    assert main(["evaluate", *paths, "--as", "trec_eval", *options]) == 0
    ours = capsys.readouterr().out
    topics = {"all", *read_run(paths[1]).topics}
    theirs = [
        line
        for line in (folder / output).read_text().splitlines()
        if not line.startswith(OF_VERSION_10) and line.split()[1] in topics
    ]
    assert theirs == [line for line in ours.splitlines() if not line.startswith(OF_VERSION_10)]
    assert len(theirs) > 15


@pytest.fixture
def files(tmp_path):
    """A judged, an unsampled and an unjudged document, and a topic without relevant ones."""
    (tmp_path / "qrels").write_text(
        "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 d -1\nq2 0 a 0\nq3 0 a 1\nq3 0 e 11\n"
    )
    (tmp_path / "run").write_text(
        "q3 Q0 a 1 2 t\nq3 Q0 e 2 2 t\nq1 Q0 x 1 5 t\nq1 Q0 a 2 4 t\nq1 Q0 b 3 3 t\n"
        "q1 Q0 d 4 2.5 t\nq1 Q0 c 5 2 t\n"
    )
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def printed(capsys, *words):
    assert main(["evaluate", *words]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    return {name.strip(): text for name, topic, text in lines if topic == "q1"}


def test_judged_documents_alone_as_in_pytrec_eval(files, capsys):
    qrels = {"q1": {"a": 2, "b": 0, "c": 1, "d": -1}}
    run = {"q1": {"x": 5.0, "a": 4.0, "b": 3.0, "d": 2.5, "c": 2.0}}
    names = {"map", "ndcg", "ndcg_cut.3", "P.5", "bpref", "num_ret", "infAP", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, judged_docs_only_flag=True)
    (theirs,) = evaluator.evaluate(run).values()
    ours = printed(capsys, *files, "--as", "trec_eval", "-J", "-q", "-n", *of_measures(names))
    assert {name: float(text) for name, text in ours.items()} == pytest.approx(theirs, abs=5.01e-5)


def test_a_topic_of_which_no_document_is_judged_stays(files, tmp_path, capsys):
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\nq3 Q0 y 1 1 t\n")
    words = ["--as", "trec_eval", "-J", "-q", "-m", "map", "-m", "num_q", "-m", "num_ret"]
    assert main(["evaluate", *files, *words]) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["map", "q3", "0.0000"] in printed
    assert ["num_ret", "q3", "0"] in printed
    assert ["num_q", "all", "2"] in printed
    assert ["map", "all", "0.2500"] in printed


@pytest.mark.parametrize("name", ["rbp", "rbp_resid", "unj"])
def test_what_version_10_has_alone(name):
    with pytest.raises(ValueError, match=r"[Vv]ersion 10"):
        values_of_trec_eval([name])


def test_no_summary_and_no_topics_print_nothing(files, capsys):
    assert main(["evaluate", *files, "--as", "trec_eval", "-n"]) == 0
    assert capsys.readouterr().out == ""


def test_as_a_tool_needs_its_names(files, capsys):
    assert main(["evaluate", *files, "--as", "lightgbm"]) == 2
    assert "--as lightgbm needs -m" in capsys.readouterr().err


def test_grades_of_the_first_documents(files, capsys):
    assert (
        main(["evaluate", *files, "--as", "trec_eval", "-q", "-m", "relstring", "-m", "num_q"]) == 0
    )
    assert capsys.readouterr().out == (
        "relstring             \tq1\t'-20.1'\n"
        "relstring             \tq3\t'>1'\n"
        "num_q                 \tall\t2\n"
    )


def test_parameters_replace_those_by_default():
    assert [
        each.name for each in values_of_trec_eval(["all_trec", "P.7"]) if each.family == "P"
    ] == ["P_7"]


@pytest.mark.parametrize("habit", [["-c"], ["-n"], ["-l", "2"], ["-J"], ["-M", "10"]])
def test_habits_need_the_tool(files, habit, capsys):
    assert main(["evaluate", *files, *habit]) != 0
    assert "--as trec_eval" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option",
    [
        ["--average", "geometric"],
        ["--format", "json"],
        ["--letor"],
        ["--negative", "error"],
        ["--complete"],
        ["--no-complete"],
        ["--order", "file"],
        ["--ties", "expected"],
        ["--output", "x.json"],
    ],
)
def test_what_the_tool_decides_is_refused(files, option, capsys):
    assert main(["evaluate", *files, "--as", "trec_eval", *option]) == 2
    told = capsys.readouterr().err
    assert option[0] in told
    assert "with --as trec_eval" in told


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P.five", "'P.five' must have whole numbers from 1 on after its point."),
        ("P.5,x", "'P.5,x' must have whole numbers from 1 on after its point."),
        ("P.inf", "'P.inf' must have whole numbers from 1 on after its point"),
        ("P.0", "'P.0' must have whole numbers from 1 on after its point."),
        ("map_cut_0", "'map_cut_0' must have whole numbers from 1 on after its underscore."),
        ("iprec_at_recall.x", "'iprec_at_recall.x' must have numbers after its point."),
        ("ndcg.1", "'ndcg.1' must have gains of grades, such as 1=1,2=3, after its point"),
        ("ndcg.0=1,1=2", "'ndcg.0=1,1=2': grades below 1 have gain 0, got a gain of 0."),
        ("ndcg.1=inf", "'ndcg.1=inf' must have gains of grades"),
        ("ndcg.10001=3", "'ndcg.10001=3' needs the gain of every grade, of which the highest must"),
        ("relstring.x", "'relstring.x' must have a whole number after its point"),
        ("P_5,10", "'P_5,10' names several values; write 'P.5,10'."),
        ("iprec_at_recall_0.1,0.2", "write 'iprec_at_recall.0.1,0.2'."),
        ("P_x", "trec_eval has no ranking measure 'P_x'"),
        ("utility.1,2", "weights must hold four numbers"),
        ("set_F.x", "'set_F.x' must have a number from 0 on after its point"),
        ("set_F.-1", "'set_F.-1' must have a number from 0 on after its point"),
        ("set_F.inf", "'set_F.inf' must have a number from 0 on after its point"),
        ("ndcg.1=3,2=2", "'ndcg.1=3,2=2': gain must not decrease"),
        ("P.", "trec_eval has no ranking measure 'P.'"),
        ("nothing", "trec_eval has no ranking measure 'nothing'"),
    ],
)
def test_a_name_that_it_has_not(name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        [value.measure() for value in values_of_trec_eval([name])]


@pytest.fixture
def graded(tmp_path):
    """Grades up to 3, of which the list has the middle ones first."""
    (tmp_path / "qrels").write_text("".join(f"q 0 d{g} {g}\n" for g in range(4)))
    lines = [f"q Q0 d{g} {rank} {-rank} tag\n" for rank, g in enumerate((2, 0, 3, 1), 1)]
    (tmp_path / "run").write_text("".join(lines))
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


@pytest.mark.parametrize(
    ("parameter", "gains", "best"),
    [
        ("1=1,2=2", (0, 1, 2, 3), (3, 2, 1)),
        ("3=9", (0, 1, 2, 9), (3, 2, 1)),
        ("1=2,2=6", (0, 2, 6, 3), (2, 3, 1)),
        # Differences below 1 are none: a grade that is named stands before grade 0, which ends
        # the ideal ranking.
        ("1=1.5,2=.2", (0, 1.5, 0.2, 3), (3, 1)),
        ("1=.5,4=9", (0, 0.5, 2, 3), (3, 2)),
    ],
)
def test_grades_that_ndcg_does_not_name_are_gains_of_their_own(
    graded, parameter, gains, best, capsys
):
    def dcg(grades):
        return sum(gains[g] / math.log2(rank + 1) for rank, g in enumerate(grades, 1))

    assert main(["evaluate", *graded, "--as", "trec_eval", "-m", f"ndcg.{parameter}"]) == 0
    value = dcg((2, 0, 3, 1)) / dcg(best)
    assert capsys.readouterr().out == f"{f'ndcg_{parameter}':<22}\tall\t{value:.4f}\n"


def test_gains_reach_up_to_a_top_grade_between_two_whole_ones(graded, capsys):
    with open(graded[0], "a") as qrels:
        qrels.write("q 0 d4 3.5\n")
    assert main(["evaluate", *graded, "--as", "trec_eval", "-m", "ndcg.1=1"]) == 0
    found = sum(gain / math.log2(rank + 1) for rank, gain in enumerate((2, 0, 3, 1), 1))
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate((3.5, 3, 2, 1), 1))
    assert capsys.readouterr().out.split()[-1] == f"{found / best:.4f}"


# Grades below 0, a topic without relevant documents, and one that the run lacks.
ODD_QRELS = """a 0 d1 2
a 0 d2 0
a 0 d3 1
a 0 d4 -1
a 0 d5 -2
b 0 d1 0
b 0 d2 0
c 0 d1 1
c 0 d2 2
c 0 d3 3
"""
ODD_RUN = """b Q0 d1 1 3 tag
b Q0 d9 2 2 tag
a Q0 d5 1 5 tag
a Q0 d1 2 4 tag
a Q0 d9 3 3 tag
a Q0 d4 4 2 tag
"""


@pytest.fixture
def odd(tmp_path):
    (tmp_path / "qrels").write_text(ODD_QRELS)
    (tmp_path / "run").write_text(ODD_RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (
            "-q -c -m utility -m Rndcg -m num_rel -m num_q -m gm_map -m bpref",
            "num_rel a 2, bpref a 0.5000, utility a -2.0000, Rndcg a 0.3197, "
            "num_rel b 0, bpref b 0.0000, utility b -2.0000, Rndcg b 0.0000, "
            "num_q all 3, num_rel all 5, gm_map all 0.0003, bpref all 0.1667, "
            "utility all -1.3333, Rndcg all 0.1066",
        ),
        (
            "-q -l 2 -c -m num_rel -m Rndcg -m utility.1,-1,2,1",
            "num_rel a 1, utility_1,-1,2,1 a -6.0000, Rndcg a 0.3197, "
            "num_rel b 0, utility_1,-1,2,1 b -4.0000, Rndcg b 0.0000, "
            "num_rel all 5, utility_1,-1,2,1 all -3.3333, Rndcg all 0.1066",
        ),
        (
            "-q -m ndcg.1=3,2=.4 -m relstring",
            "relstring a '.2-.', ndcg_1=3,2=.4 a 0.0841, "
            "relstring b '0-', ndcg_1=3,2=.4 b 0.0000, ndcg_1=3,2=.4 all 0.0421",
        ),
        (
            "-q -m ndcg.0=.2,1=.5,2=.9",
            "ndcg_0=.2,1=.5,2=.9 a 0.4317, ndcg_0=.2,1=.5,2=.9 b 0.6131, "
            "ndcg_0=.2,1=.5,2=.9 all 0.5224",
        ),
    ],
)
def test_what_trec_eval_9_0_4_printed(odd, options, printed, capsys):
    assert main(["evaluate", *odd, "--as", "trec_eval", *options.split()]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [f"{name.strip()} {topic} {value}" for name, topic, value in lines] == printed.split(
        ", "
    )


def test_a_run_without_judged_documents_keeps_its_topics(odd, tmp_path, capsys):
    (tmp_path / "run").write_text("a Q0 d9 1 1 tag\nb Q0 d9 1 1 tag\n")
    words = ["--as", "trec_eval", "-J", *of_measures(["num_q", "num_ret", "num_rel", "map"])]
    assert main(["evaluate", *odd, *words]) == 0
    values = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert values == ["2", "0", "2", "0.0000"]  # as trec_eval 9.0.4


def random_files(rng, folder):
    """Write judgments and a run with ties, gaps, negative grades and topics of only one of them."""
    documents = [f"d{n:02d}" for n in range(int(rng.integers(3, 60)))]
    topics = [f"q{n}" for n in rng.permutation(30)[: rng.integers(2, 8)]]
    qrels, run = [], []
    for place, topic in enumerate(topics):
        if place != 1:
            judged = rng.permutation(documents)[: rng.integers(1, len(documents))]
            qrels += [f"{topic} 0 {judged[0]} 1\n"]  # a pool of negative grades crashes trec_eval
            qrels += [f"{topic} 0 {each} {rng.integers(-2, 5)}\n" for each in judged[1:]]
        if place != 2:
            retrieved = rng.permutation(documents)[: rng.integers(1, len(documents))]
            run += [f"{topic} Q0 {each} 0 {rng.integers(9)} t\n" for each in retrieved]
    for name, lines in (("qrels", qrels), ("run", run)):
        (folder / name).write_text("".join(rng.permutation(lines)))
    return [str(folder / "qrels"), str(folder / "run")]


@pytest.mark.skipif("TREC_EVAL" not in os.environ, reason="TREC_EVAL names no trec_eval 9.0")
@pytest.mark.parametrize("seed", range(30))
def test_what_trec_eval_prints(seed, tmp_path, capsys):
    rng = np.random.default_rng(seed)
    given = random_files(rng, tmp_path)
    for habits in ("", "-q", "-q -c", "-l 2 -q", "-M 5 -q", "-n -q", "-c -l 3"):
        for names in (["all_trec"], ["official"], PARAMETERS, ["ndcg.1=.5,2=.9,4=.1"]):
            words = [*habits.split(), *of_measures(names)]
            command = [os.environ["TREC_EVAL"], *words, *given]
            theirs = subprocess.run(command, capture_output=True, text=True, check=True)
            assert main(["evaluate", *given, "--as", "trec_eval", *words]) == 0
            for ours, line in zip(
                capsys.readouterr().out.splitlines(), theirs.stdout.splitlines(), strict=True
            ):
                assert ours == line or is_exact_half(ours, line)


def is_exact_half(ours, theirs):
    """Whether the fourth decimal was rounded up in one of two lines, from 5 in the fifth."""
    (*name, value), (*name_there, value_there) = ours.split(), theirs.split()
    return name == name_there and abs(float(value) - float(value_there)) < 1.01e-4


def test_a_beta_of_minus_0_is_0():
    (value,) = values_of_trec_eval(["set_F.-0"])
    assert str(value.measure().beta) == "0.0"


def test_every_name_that_pytrec_eval_takes_is_here_or_refused_with_a_reason():
    of_tool = [each for each in ABSENCES if each.tool == "trec_eval"]
    reasons = {name: each.reason for each in of_tool for name in each.theirs}
    names = {*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames}
    refused = (names & reasons.keys()) - {"runid", "num_q", "relstring"}  # are not measures
    for name in refused:
        with pytest.raises(ValueError, match=re.escape(reasons[name])):
            values_of_trec_eval([name])
    for name in names - refused:
        assert values_of_trec_eval([name]), name
    assert len(names - refused) > 30


def test_names_of_another_tool_name_the_columns(files, capsys):
    assert main(["evaluate", *files, "--as", "ir_measures", "-m", "nDCG@2", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "system,nDCG@2"
    assert (
        main(["compare", *files, files[1], "--as", "ranx", "-m", "ndcg@2", "--format", "csv"]) == 0
    )
    assert "ndcg@2" in capsys.readouterr().out


def test_version_9_rounds_levels_of_recall_up():
    (value,) = values_of_trec_eval(["iprec_at_recall.0.1"])
    assert value.measure() == measure_as("trec_eval", "iprec_at_recall_0.10")
