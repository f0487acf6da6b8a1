"""``skgraded evaluate --as trec_eval`` prints what version 9 of trec_eval prints, byte for byte."""

import re

import numpy as np
import pytest
import pytrec_eval

from skgraded import measure
from skgraded.cli import main
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
        (
            "out.test.meas_params",
            "qrels.test results.test",
            ["-q", *of_measures(PARAMETERS)],
        ),
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
    assert theirs == [
        line for line in ours.splitlines() if not line.startswith(OF_VERSION_10)
    ]
    assert len(theirs) > 15


def test_the_names_that_version_10_has_alone(data_dir, capsys):
    folder = data_dir / "trec_eval-test"
    paths = [str(folder / name) for name in ("qrels.test", "results.test")]
    words = ["-q", "-m", "rbp", "-m", "unj"]
    assert main(["evaluate", *paths, "--as", "trec_eval", *words]) == 0
    ours = capsys.readouterr().out.splitlines()
    theirs = [
        line
        for line in (folder / "out.test.aq").read_text().splitlines()
        if line.startswith(("rbp ", "unj_"))
    ]
    assert theirs == ours
    assert len(ours) == 16


def random_files(rng, folder):
    """Write judgments and a run with ties, gaps, negative grades and topics of only one of them."""
    documents = [f"d{n:02d}" for n in range(int(rng.integers(3, 60)))]
    topics = [f"q{n}" for n in rng.permutation(30)[: rng.integers(4, 8)]]
    qrels, run = {}, {}
    for place, topic in enumerate(topics):
        if place != 1:
            judged = rng.permutation(documents)[: rng.integers(2, len(documents))]
            qrels[topic] = {str(each): int(rng.integers(-2, 5)) for each in judged}
            qrels[topic][str(judged[0])] = (
                1  # a pool of negative grades crashes trec_eval
            )
        if place != 2:
            retrieved = rng.permutation(documents)[: rng.integers(1, len(documents))]
            run[topic] = {str(each): float(rng.integers(9)) for each in retrieved}
    lines = {
        "qrels": [
            f"{t} 0 {d} {grade}\n" for t, of in qrels.items() for d, grade in of.items()
        ],
        "run": [
            f"{t} Q0 {d} 0 {score} t\n"
            for t, of in run.items()
            for d, score in of.items()
        ],
    }
    for name, each in lines.items():
        (folder / name).write_text("".join(rng.permutation(each)))
    return qrels, run, [str(folder / name) for name in lines]


@pytest.mark.parametrize("rest", [[], ["-J"], ["-M", "5"], ["-M", "7", "-J"]])
@pytest.mark.parametrize("level", ["1", "2"])
@pytest.mark.parametrize("seed", range(6))
def test_the_values_of_topics_are_those_of_pytrec_eval(
    seed, level, rest, tmp_path, capsys
):
    qrels, run, given = random_files(np.random.default_rng(seed), tmp_path)
    words = ["-q", "-n", "-l", level, "-m", "all_trec", *rest]
    if "-M" in rest:
        run = {
            topic: dict(
                sorted(scores.items(), key=lambda entry: entry[::-1], reverse=True)[
                    : int(rest[1])
                ]
            )
            for topic, scores in run.items()
        }
    assert main(["evaluate", *given, "--as", "trec_eval", *words]) == 0
    ours = {}
    for name, topic, value in map(str.split, capsys.readouterr().out.splitlines()):
        ours.setdefault(topic, {})[name] = value
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels,
        pytrec_eval.supported_measures,
        relevance_level=int(level),
        judged_docs_only_flag="-J" in rest,
    )
    n_values = 0
    for topic, values in evaluator.evaluate(run).items():
        for name in ours[topic].keys() & values.keys() - {
            "Rndcg",
            "utility",
            "relstring",
        }:
            if np.isnan(values[name]):  # of an empty list it is 0 / 0 there
                continue
            assert float(ours[topic][name]) == pytest.approx(
                values[name], abs=5.01e-5
            ), name
            n_values += 1
    assert n_values > 75 * len(ours)


# Grades below 0, a topic without relevant documents, one that the run lacks, and a grade above 9.
QRELS = """a 0 d1 2
a 0 d2 0
a 0 d3 1
a 0 d4 -1
a 0 d5 -2
b 0 d1 0
b 0 d2 0
c 0 d1 1
c 0 d2 2
c 0 d3 11
"""
RUN = """b Q0 d1 1 3 tag
b Q0 d9 2 2 tag
a Q0 d5 1 5 tag
a Q0 d1 2 4 tag
a Q0 d9 3 3 tag
a Q0 d4 4 2 tag
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


@pytest.mark.parametrize(
    ("options", "printed"),  # by trec_eval 9.0.4
    [
        (
            "-q -c -m num_rel -m num_q -m gm_map -m bpref -m runid",
            "num_rel a 2, bpref a 0.5000, num_rel b 0, bpref b 0.0000, "
            "runid all tag, num_q all 3, num_rel all 5, gm_map all 0.0003, bpref all 0.1667",
        ),
        ("-q -l 2 -c -m num_rel", "num_rel a 1, num_rel b 0, num_rel all 5"),
        ("-q -m relstring", "relstring a '.2-.', relstring b '0-'"),
        ("-q -n -m relstring.2", "relstring_2 a '.2', relstring_2 b '0-'"),
        ("-n -m map", ""),
        ("-m num_q -m num_ret -m num_nonrel_judged_ret",
         "num_q all 2, num_ret all 6, num_nonrel_judged_ret all 1"),
    ],
)  # fmt: skip
def test_what_trec_eval_9_0_4_printed(files, options, printed, capsys):
    assert main(["evaluate", *files, "--as", "trec_eval", *options.split()]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    found = [f"{name.strip()} {topic} {value}" for name, topic, value in lines]
    assert found == list(filter(None, printed.split(", ")))


def test_parameters_replace_those_by_default_and_every_name_is_read(files, capsys):
    names = [
        *pytrec_eval.supported_measures,
        *pytrec_eval.supported_nicknames,
        *("P.7", "P_5", "set_F.4"),
    ]
    known = [n for n in names if not re.search("prefs|avgjg|_jg|yaap|rbp|unj", n)]
    assert len(known) > 30
    assert main(["evaluate", *files, "--as", "trec_eval", *of_measures(known)]) == 0, (
        known
    )
    printed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert [name for name in printed if name.startswith("P_")] == ["P_5", "P_7"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-m P.five", "-m P must be with numbers, got 'five'"),
        ("-m P.5,x", "-m P must be with numbers, got '5,x'"),
        ("-m P.inf", "-m P must be with numbers, got 'inf'"),
        ("-m relstring.x", "-m relstring must be with numbers, got 'x'"),
        ("-m P.0", "trec_eval's 'P_0'"),
        ("-m map_cut_0", "trec_eval's 'map_cut_0'"),
        (
            "-m ndcg.1=",
            "-m ndcg must have gains of grades, as in ndcg.1=1,2=3, got '1='",
        ),
        ("-m ndcg.0=1,1=2", "-m ndcg must have gains of grades"),
        ("-m ndcg.1=inf", "gain must hold finite numbers"),
        ("-m ndcg.1=3,2=2", "gain must not decrease"),
        (
            "-m nDCG@10",
            "-m must be a name of trec_eval with --as trec_eval, got 'nDCG@10'",
        ),
        ("-m utility.1,2", "trec_eval's 'utility_1,2'"),
        ("-m set_F.-1", "trec_eval's 'set_F_-1'"),
        ("-m rbp_resid", "one of version 10"),
        ("-M 0", "-M must be at least 1, got 0"),
        ("-m P.", "trec_eval's 'P.'"),
        ("-m nothing", "trec_eval's 'nothing'"),
        *(
            (option, "cannot be given with --as trec_eval, which decides it")
            for option in (
                *(
                    "--average geometric",
                    "--format json",
                    "--letor",
                    "--negative error",
                ),
                *("--complete", "--no-complete", "--order file", "--ties expected"),
            )
        ),
        ("--output x.json", "--output must not end in .json with --as trec_eval"),
    ],
)
def test_what_is_refused(files, words, message, capsys):
    assert main(["evaluate", *files, "--as", "trec_eval", *words.split()]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert words.startswith(("-m", "-M")) or words.split()[0] in told


@pytest.mark.parametrize(
    ("name", "ours", "way"),
    [
        ("map", "AP", "--as trec_eval -m map has the number of trec_eval."),
        ("ndcg_cut_10", "nDCG@10", "--as trec_eval -m ndcg_cut_10 has"),
        ("P_5", "P@5", "--as trec_eval -m P_5 has"),
        ("map@10", "AP@10", "--as ranx -m map@10 has the number of ranx."),
        ("MRR@10", "RR@10", "--as ir_measures -m MRR@10 has"),
        ("P_5(rel=2)", "P(rel=2)@5", ""),
        ("IPrec@0.1", "IPrec(recall=0.1)", "--as ir_measures -m IPrec@0.1 has"),
    ],
)
def test_a_name_of_another_tool_means_what_it_means_in_python(
    files, name, ours, way, capsys
):
    assert measure(name) == measure(ours)
    for command in (["evaluate", *files], ["compare", *files, files[1]]):
        assert main([*command, "-m", name]) == 0
        printed = capsys.readouterr()
        told = " ".join(printed.err.split())
        assert f"-m {name} is read as {ours} of skgraded, whose rules for ties" in told
        assert way in told
        assert ours in printed.out


def test_names_of_another_tool_name_the_columns(files, capsys):
    assert (
        main(
            [
                "evaluate",
                *files,
                "--as",
                "ir_measures",
                "-m",
                "nDCG@2",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines()[0] == "system,nDCG@2"
    assert (
        main(
            [
                "compare",
                *files,
                files[1],
                "--as",
                "ranx",
                "-m",
                "ndcg@2",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert "ndcg@2" in capsys.readouterr().out


@pytest.mark.parametrize("tool", ["trec_eval", "pytrec_eval", "ir_measures"])
def test_a_tool_has_one_number_in_every_command(tool, files, tmp_path, capsys):
    name = "Bpref" if tool == "ir_measures" else "bpref"
    qrels = {
        topic: {
            row[2]: int(row[3])
            for row in map(str.split, QRELS.splitlines())
            if row[0] == topic
        }
        for topic in "abc"
    }
    qrels["a"]["d6"] = -2  # below the relevant ones, and above them in the run
    (tmp_path / "qrels").write_text(QRELS + "a 0 d6 -2\n")
    (tmp_path / "run").write_text(RUN + "a Q0 d6 0 9 tag\n")
    (tmp_path / "other").write_text(RUN)
    paths = [str(tmp_path / each) for each in ("qrels", "run", "other")]
    run = read_run(paths[1]).to_dict()
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"})
    theirs = sum(values["bpref"] for values in evaluator.evaluate(run).values()) / 3
    words = ["--as", tool, "-m", name]
    assert main(["compare", *paths, *words, "--format", "json"]) == 0
    compared = capsys.readouterr().out
    assert f"{theirs:.6f}"[:6] in compared
    if tool != "trec_eval":
        assert main(["evaluate", *paths[:2], *words, "--format", "json"]) == 0
        assert f"{theirs:.6f}"[:6] in capsys.readouterr().out
    default = ["--negative", "unsampled", "--format", "json"]
    assert main(["compare", *paths, *words, *default]) == 0
    assert capsys.readouterr().out != compared
