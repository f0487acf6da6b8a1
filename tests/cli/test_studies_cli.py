"""``skgraded study``: every study runs from the command line and says what the function says."""

import itertools
import json
import re
import shlex
import sys

import numpy as np
import pytest
from samples import collection, modules_after, write_qrels

from skgraded import measure, trec
from skgraded.cli import make_parser
from skgraded.studies import (
    best_systems,
    correlate,
    discriminative_power,
    incompleteness,
    reduce_pool,
    score_all_lists,
    sensitivity,
    simulate_judgments,
    topic_facts,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    qrels, scores = collection(8, 40, 5)
    write_qrels(qrels, folder / "qrels")
    runs = [str(folder / name) for name in scores]
    for path, run in zip(runs, scores.values(), strict=True):
        trec.write_run(trec.read_run(run), path)
    return str(folder / "qrels"), runs


def study(words, qrels, runs):
    """Run a study, as its function does, which raises errors; Q, R and ONE stand for files."""
    places = {"Q": [qrels], "R": runs, "ONE": runs[1:2]}
    given = [str(word) for each in words.split() for word in places.get(each, [each])]
    arguments = make_parser().parse_args(["study", *given])
    arguments.run(arguments)


def scored(qrels, runs, **rules):
    return trec.evaluate(
        ["Bpref(empty=0.0)", "AP(unjudged=condense)"], qrels, runs, **rules
    )


SAMPLED = "incompleteness Q R --rates 100,50,20 -m AP -m Bpref --seed 3"
SAMPLES = {"rates": [100, 50, 20], "random_state": 3}
INF = "incompleteness Q R --method random --rates 50,30 -m infAP"
RANDOM = {"method": "random", "rates": [50, 30]}
FEW = "incompleteness Q R --rates 50 -m AP --few 2 --ratio 2"
BEST = "power Q R -m AP -m nDCG --test t --top 3 --no-by-grade --rates 100,40 --seed 2"


def on_topics_with_few(qrels, runs):
    topics = {"all": np.ones(8, bool), "few of grade 2": topic_facts(qrels).few(2, 2)}
    found = incompleteness("AP", qrels, runs, rates=[50], topics=topics)
    few = found.to_text(topics="few of grade 2")
    return f"All topics: {found.to_text()}\n\nTopics with few of grade 2: {few}"


def of_the_best_on_samples(qrels, runs):
    chosen = list(
        itertools.compress(runs, best_systems(trec.evaluate("AP", qrels, runs), 3))
    )
    texts = []
    for rate in (100, 40):
        judged = reduce_pool(qrels, rate, by_grade=False, random_state=2)
        found = discriminative_power(
            trec.evaluate(["AP", "nDCG"], judged, chosen), test="t"
        )
        texts.append(f"All topics, {rate}% of the judgments:\n{found.to_text()}")
    return "\n\n".join(texts)


def simulated(qrels, runs):
    rng = np.random.default_rng(5)
    probabilities = np.where(rng.random(12) < 0.5, 0.9, 0.1)
    scores, topics = -np.tile(np.arange(4.0), 3), np.repeat([0, 1, 2], 4)
    return simulate_judgments(
        "AP", probabilities, scores, qid=topics, n_repeats=7, random_state=rng
    ).to_csv()


SAME = {  # words, and what the function says
    "topics Q --format csv": lambda q, r: topic_facts(q).to_csv(),
    "correlation Q R -m AP -m nDCG@5 --statistic rmse": lambda q, r: correlate(
        trec.evaluate(["AP", "nDCG@5"], q, r)
    ).to_text("rmse"),
    "power Q R -m AP --resamples 60 --format csv": lambda q, r: discriminative_power(
        trec.evaluate("AP", q, r), n_resamples=60
    ).to_csv(),
    "sensitivity Q ONE -m AP --max-rank 5 --pool grows": lambda q, r: repr(
        sensitivity("AP", trec.rank(q, r[1]), max_rank=5, pool="grows")
    ),
    "incompleteness Q R --rates 100,30 --repeats 2 -m AP -m infAP --statistic target_rmse": (
        lambda q, r: incompleteness(
            ["AP", "infAP"], q, r, rates=[100, 30], n_repeats=2
        ).to_text("target_rmse")
    ),
    SAMPLED: lambda q, r: incompleteness(["AP", "Bpref"], q, r, **SAMPLES).to_text(),
    f"{SAMPLED} --no-by-grade": lambda q, r: incompleteness(
        ["AP", "Bpref"], q, r, by_grade=False, **SAMPLES
    ).to_text(),
    f"{SAMPLED} --no-by-grade --no-nested": lambda q, r: incompleteness(
        ["AP", "Bpref"], q, r, by_grade=False, nested=False, **SAMPLES
    ).to_text(),
    INF: lambda q, r: incompleteness("infAP", q, r, n_repeats=10, **RANDOM).to_text(),
    f"{INF} --nested --repeats 2": lambda q, r: incompleteness(
        "infAP", q, r, n_repeats=2, nested=True, **RANDOM
    ).to_text(),
    "simulation --topics 3 --documents 4 --repeats 7 -m AP --seed 5 --format csv": simulated,
    "lists -m QMeasure --format csv --relevant 2,1 --length 2": lambda q, r: (
        score_all_lists("QMeasure", [2, 1], 2).to_csv()
    ),
    FEW: on_topics_with_few,
    BEST: of_the_best_on_samples,
    "incompleteness Q R -m AP --ties optimistic --rates 100": lambda q, r: (
        incompleteness(
            "AP(ties=optimistic)", q, r, target="AP(ties=optimistic)", rates=[100]
        ).to_text()
    ),
}


def test_studies_say_what_their_functions_say(files, capsys):
    shown = []
    for words, said in SAME.items():
        study(words, *files)
        out, told = capsys.readouterr()
        shown.append(out.strip())
        assert shown[-1] == said(*files).strip(), words
        assert told == ""  # what a sample leaves out is no note
    assert len(set(shown)) == len(SAME)


def test_csv_needs_no_pandas(files, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_dict\(\).* needs pandas|needs pandas"):
        topic_facts(files[0]).to_frame()
    study("topics Q --format csv", *files)
    assert capsys.readouterr().out == topic_facts(files[0]).to_csv()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("topics Q", "topics with few of grade 2"),
        ("topics Q --grades 2=1", "0 1"),
        ("power Q R --test t", "Student's paired t test"),
        ("correlation Q R -m AP -m nDCG@5 --few 2 --ratio 1", "few of grade 2:"),
        ("correlation Q R -m AP --ties optimistic", "AP(ties=optimistic)"),
        ("thresholds Q R --steps 1 -m AP --ties optimistic", "AP(ties=optimistic)"),
        ("thresholds Q R --steps 2 --upper-quartiles", "3 systems"),
        ("lists -m QMeasure -m GeneralizedAP --show 32000,00123", "32000 0.667 0.733"),
        (
            "lists -m xGAP -g .1,.2,.7 --relevant 2,1 --length 2",
            "xGAP(g=[0.1,0.2,0.7])",
        ),
    ],
)
def test_other_words(files, capsys, words, part):
    study(words, *files)
    assert part in " ".join(capsys.readouterr().out.split())


OF_RUNS = [
    "correlation Q R -m AP -m nDCG",
    "thresholds Q R --steps 1",
    "incompleteness Q R -m AP --rates 100",
    "power Q R -m AP --test t",
    "sensitivity Q ONE -m AP",
]


@pytest.mark.parametrize("words", OF_RUNS)
def test_what_was_left_out_is_told(files, capsys, tmp_path, words):
    qrels, runs = files
    short = tmp_path / "short"
    short.write_text(
        "t1 Q0 d1 1 2 t\nt1 Q0 d2 2 1 t\nt1 Q0 d1 3 0 t\nt99 Q0 d1 1 1 t\n"
    )
    study(words, qrels, [runs[0], short, *runs[1:]])
    told = " ".join(capsys.readouterr().err.split())
    assert "a missing topic counts as an empty list: short (7)." in told
    assert "with topics outside the qrels, left out: short (1)." in told
    assert "with repeated documents, of which the best counts: short (1)." in told


@pytest.mark.parametrize("words", OF_RUNS)
def test_a_measure_of_scores_is_refused(files, words):
    with pytest.raises(ValueError, match=r"ADM.* compares scores with grades"):
        study(f"{words} -m ADM", *files)


@pytest.mark.parametrize(
    ("place", "words"),
    [("qrels", "topics {}"), ("run", "incompleteness Q R {} -m AP --upper-quartiles")],
)
def test_standard_input_stands_for_any_file(files, capsys, monkeypatch, place, words):
    qrels, runs = files
    given = qrels if place == "qrels" else runs[0]
    study(words.format(given), qrels, runs[1:])
    expected = capsys.readouterr().out
    with open(given) as file:
        monkeypatch.setattr(sys, "stdin", file)
        study(words.format("-"), qrels, runs[1:])
    assert capsys.readouterr().out == expected


def test_power_of_the_upper_quartiles_on_topics_with_few(files, capsys):
    study(
        "power Q R -m AP --test t --upper-quartiles --few 2 --ratio 2 --format json",
        *files,
    )
    results = json.loads(capsys.readouterr().out)["parts"]
    assert [each["topics"] for each in results] == ["all", "few of grade 2"]
    assert [each["n_topics"][0] for each in results] == [
        8,
        topic_facts(files[0]).few(2, 2).sum(),
    ]
    assert len(results[1]["systems"]) == 3


@pytest.mark.parametrize("words", ["topics Q", *OF_RUNS])
def test_every_study_writes_json(files, capsys, tmp_path, words):
    study(f"{words} -o {tmp_path}/out.json", *files)
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["study"], found["notes"]) == (words.split()[0], [])
    study(f"{words} --format csv", *files)
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + len(found["rows"])
    assert rows[0] == ",".join(found["rows"][0])


@pytest.fixture
def short(tmp_path):
    """Runs with ties, of which one lacks a topic, and qrels with negative grades."""
    (tmp_path / "qrels").write_text(
        "a 0 x 1\na 0 y 0\na 0 n -2\nb 0 x 1\nb 0 y 0\nb 0 u -1\n"
    )
    (tmp_path / "one").write_text("a Q0 n 1 2 t\na Q0 x 2 1 t\na Q0 y 3 1 t\n")
    other = "a Q0 x 1 2 t\na Q0 n 2 1 t\nb Q0 y 1 3 t\nb Q0 u 2 2 t\nb Q0 x 3 1 t\n"
    (tmp_path / "other").write_text(other)
    return tmp_path / "qrels", [tmp_path / "one", tmp_path / "other"]


RULES = {
    "": {},
    "--negative unjudged": {"negative": "unjudged"},
    "--no-complete --negative nonrelevant": {
        "complete": False,
        "negative": "nonrelevant",
    },
}


@pytest.mark.parametrize(("options", "rules"), RULES.items())
def test_rules_reach_every_study(short, capsys, options, rules):
    qrels, runs = short
    scores = scored(qrels, runs, **rules)
    words = f"-m {' -m '.join(scores)} {options}"
    study(f"correlation Q R {words} --statistic rmse", *short)
    assert capsys.readouterr().out.strip() == correlate(scores).to_text("rmse")
    study(f"sensitivity Q ONE {words}", *short)
    found = sensitivity(list(scores), trec.rank(qrels, runs[1], **rules))
    assert capsys.readouterr().out.strip() == repr(found)
    study(f"incompleteness Q R {words} --rates 100 --statistic score", *short)
    shown = capsys.readouterr()
    found = incompleteness(list(scores), qrels, runs, rates=[100], **rules)
    assert shown.out.strip() == found.to_text("score")
    assert list(found.notes) == [note for note in scores.notes if "nothing" not in note]
    assert shown.err.replace("\n  ", " ").splitlines() == list(found.notes)
    np.testing.assert_allclose(found.full[0], scores.means)
    # All of the judgments are no sample, also for a measure that knows what was sampled.
    found = incompleteness("infAP", qrels, runs, rates=[100], **rules)
    np.testing.assert_array_equal(found.means[:, 0, 0], found.full)


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ("", "a,2,1 b,1,1"),
        ("--negative nonrelevant", "a,2,1 b,2,1"),
        ("--negative unjudged", "a,1,1 b,1,1"),
    ],
)
def test_topics_count_negative_grades_by_their_meaning(short, capsys, options, counts):
    study(f"topics Q --format csv {options}", *short)
    assert capsys.readouterr().out.split()[1:] == counts.split()
    with pytest.raises(ValueError, match="grades must be >= 0, got -2"):
        study("topics Q --negative error", *short)


STUDIES = [
    "topics",
    "correlation",
    "thresholds",
    "incompleteness",
    "power",
    "sensitivity",
]


@pytest.mark.parametrize("name", [*STUDIES, "simulation", "lists"])
def test_the_commands_of_the_help_reproduce_a_paper_and_can_be_typed(
    name, capsys, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        study(f"{name} --help", "", [])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    text = shown.partition("paper")[2].replace("\\\n", " ")
    commands = re.findall(
        r"^ +skgraded (study .*?)(?:  [a-z ,0-9]*Table 3)?$", text, re.MULTILINE
    )
    assert commands
    for command in commands:
        words = shlex.split(command.replace("runs/*", "a.run b.run"))
        arguments = make_parser().parse_args(words)
        for each in getattr(arguments, "measures", None) or []:
            measure(each)


@pytest.mark.parametrize(
    "words", ["study --help", "study power --help", "compare {} {} {} -m AP"]
)
def test_what_commands_do_not_import(words, files):
    qrels, runs = files
    code = f"from skgraded.cli import main\ntry: main({words.format(qrels, *runs).split()})\n"
    large = {
        "scipy.stats",
        "sklearn",
        "lightgbm",
        "pandas",
        "matplotlib",
        "skgraded.users",
    }
    assert not large & modules_after(f"{code}except SystemExit: pass")
