"""``skgraded study``: every study runs from the command line and says what the function says."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from skgraded import measure, trec
from skgraded.cli import make_parser
from skgraded.studies import (
    best_systems,
    correlate,
    discriminative_power,
    incompleteness,
    reduce_pool,
    sensitivity,
    topic_facts,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(0)
    qrels = {
        f"t{t}": {f"d{n}": int(rng.choice(3, p=[0.6, 0.3, 0.1])) for n in range(40)}
        for t in range(8)
    }
    trec.write_qrels(trec.read_qrels(qrels), folder / "qrels")
    runs = []
    for number in range(5):
        scores = {
            t: {d: grade * number / 3 + rng.normal() for d, grade in judged.items()}
            for t, judged in qrels.items()
        }
        runs.append(str(folder / f"run{number}"))
        trec.write_run(trec.read_run(scores), runs[-1])
    return str(folder / "qrels"), runs


def study(*words):
    arguments = make_parser().parse_args(["study", *map(str, words)])
    arguments.run(arguments)


def test_correlation(files, capsys):
    qrels, runs = files
    study("correlation", qrels, *runs, "-m", "AP", "-m", "nDCG@5", "--few", 2, "--ratio", 1)
    shown = capsys.readouterr().out
    scores = trec.evaluate(["AP", "nDCG@5"], qrels, runs)
    tau = correlate(scores).get("AP", "nDCG@5")[0]
    assert f"{tau:.2f}/" in shown
    assert "few of grade 2:" in shown


def test_thresholds(files, capsys, tmp_path):
    qrels, runs = files
    picture = tmp_path / "g.png"
    study("thresholds", qrels, *runs, "--steps", 2, "--upper-quartiles", "--plot", picture)
    shown = capsys.readouterr().out
    assert "(0.5, 0.5)" in shown
    assert "3 systems" in shown
    assert picture.stat().st_size > 1000


def test_incompleteness(files, capsys):
    qrels, runs = files
    words = ["--rates", "100,30", "--repeats", 2, "--seed", 4, "-m", "AP", "-m", "infAP"]
    study("incompleteness", qrels, *runs, *words, "--statistic", "target_rmse")
    found = incompleteness(
        ["AP", "infAP"], qrels, runs, rates=[100, 30], n_repeats=2, random_state=4
    )
    assert capsys.readouterr().out.strip() == found.to_text("target_rmse")


def test_power_as_csv(files, capsys, tmp_path):
    pd = pytest.importorskip("pandas")
    qrels, runs = files
    study(
        "power",
        qrels,
        *runs,
        "-m",
        "AP",
        "--resamples",
        60,
        "--format",
        "csv",
        "-o",
        tmp_path / "power.csv",
    )
    table = pd.read_csv(tmp_path / "power.csv")
    found = discriminative_power(trec.evaluate("AP", qrels, runs), n_resamples=60)
    np.testing.assert_allclose(table["p_value"], found.p_values[0])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["topics", "QRELS"], "topics with few of grade 2"),
        (["topics", "QRELS", "--grades", "2=1"], "0 1"),
        (["power", "QRELS", "RUNS", "--test", "t"], "Student's paired t test"),
        (["sensitivity", "QRELS", "RUN", "--max-rank", "5", "--pool", "grows"], "pool grows"),
    ],
)
def test_other_studies(files, capsys, words, part):
    qrels, runs = files
    places = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1]}
    given = [word for each in words for word in places.get(each, [each])]
    study(*given)
    assert part in " ".join(capsys.readouterr().out.split())


def test_csv_needs_no_pandas(files, monkeypatch, capsys):
    qrels, _ = files
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_dict\(\).* needs pandas|needs pandas"):
        topic_facts(qrels).to_frame()
    study("topics", qrels, "--format", "csv")
    assert capsys.readouterr().out == topic_facts(qrels).to_csv()


@pytest.mark.parametrize(
    "words",
    [
        ["correlation", "QRELS", "RUNS", "-m", "AP", "-m", "nDCG"],
        ["thresholds", "QRELS", "RUNS", "--steps", "1"],
        ["incompleteness", "QRELS", "RUNS", "-m", "AP", "--rates", "100"],
        ["power", "QRELS", "RUNS", "-m", "AP", "--test", "t"],
        ["sensitivity", "QRELS", "SHORT", "-m", "AP"],
    ],
)
def test_what_was_left_out_is_told(files, capsys, tmp_path, words):
    qrels, runs = files
    short = tmp_path / "short"
    short.write_text("t1 Q0 d1 1 2 t\nt1 Q0 d2 2 1 t\nt1 Q0 d1 3 0 t\nt99 Q0 d1 1 1 t\n")
    places = {"QRELS": [qrels], "RUNS": [*runs, short], "SHORT": [short]}
    study(*(word for each in words for word in places.get(each, [each])))
    told = " ".join(capsys.readouterr().err.split())
    assert "a missing topic counts as an empty list: short (7)." in told
    assert "with topics outside the qrels, left out: short (1)." in told
    assert "with repeated documents, of which the first counts: short (1)." in told


@pytest.mark.parametrize(
    "words",
    [
        ["correlation", "QRELS", "RUNS"],
        ["incompleteness", "QRELS", "RUNS"],
        ["power", "QRELS", "RUNS"],
        ["sensitivity", "QRELS", "RUN"],
    ],
)
def test_a_measure_of_scores_is_refused(files, words):
    qrels, runs = files
    places = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1]}
    given = [word for each in words for word in places.get(each, [each])]
    with pytest.raises(ValueError, match=r"ADM.* compares scores with grades"):
        study(*given, "-m", "ADM")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("qrels", ["thresholds", "-", "RUNS", "--steps", "1"]),
        ("qrels", ["topics", "-"]),
        ("run", ["incompleteness", "QRELS", "RUNS", "-", "-m", "AP", "--upper-quartiles"]),
        ("run", ["sensitivity", "QRELS", "-", "-m", "AP"]),
    ],
)
def test_standard_input_stands_for_any_file(files, capsys, monkeypatch, place, words):
    qrels, runs = files
    given = qrels if place == "qrels" else runs[0]
    places = {"QRELS": [qrels], "RUNS": runs[1:], "RUN": runs[:1]}

    def shown(places):
        study(*(word for each in words for word in places.get(each, [each])))
        return capsys.readouterr().out

    expected = shown({**places, "-": [given]})
    with open(given) as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert shown(places) == expected


def test_sakais_strata_and_nested_samples(files, capsys):
    qrels, runs = files
    words = ["--no-by-grade", "--rates", "100,50,20", "-m", "AP", "-m", "Bpref", "--seed", 3]
    study("incompleteness", qrels, *runs, *words)
    options = {"rates": [100, 50, 20], "random_state": 3}
    shown = capsys.readouterr().out.strip()
    assert (
        shown == incompleteness(["AP", "Bpref"], qrels, runs, by_grade=False, **options).to_text()
    )
    assert shown != incompleteness(["AP", "Bpref"], qrels, runs, **options).to_text()
    study("incompleteness", qrels, *runs, *words, "--no-nested")
    alone = incompleteness(
        ["AP", "Bpref"], qrels, runs, by_grade=False, nested=False, **options
    ).to_text()
    assert capsys.readouterr().out.strip() == alone != shown


def test_random_samples_are_ten_as_in_the_paper(files, capsys):
    qrels, runs = files
    words = ["--method", "random", "--rates", "50,30", "-m", "infAP"]
    study("incompleteness", qrels, *runs, *words)
    found = incompleteness("infAP", qrels, runs, method="random", rates=[50, 30], n_repeats=10)
    assert capsys.readouterr().out.strip() == found.to_text()
    study("incompleteness", qrels, *runs, *words, "--nested", "--repeats", 2)
    found = incompleteness(
        "infAP", qrels, runs, method="random", rates=[50, 30], n_repeats=2, nested=True
    )
    assert capsys.readouterr().out.strip() == found.to_text()


def test_incompleteness_on_topics_with_few(files, capsys, tmp_path):
    qrels, runs = files
    few = topic_facts(qrels).few(2, 2)
    words = ["--rates", "50", "-m", "AP", "--few", 2, "--ratio", 2, "--plot", tmp_path / "few.png"]
    study("incompleteness", qrels, *runs, *words)
    all_topics, _, few_topics = capsys.readouterr().out.partition("Topics with few of grade 2: ")
    topics = {"all": np.ones(8, bool), "few of grade 2": few}
    found = incompleteness("AP", qrels, runs, rates=[50], topics=topics)
    assert all_topics.strip() == "All topics: " + found.to_text()
    assert few_topics.strip() == found.to_text(topics="few of grade 2")
    from matplotlib.image import imread

    height, width = imread(tmp_path / "few.png").shape[:2]
    assert height > width  # two panels, one below the other


def power_of(qrels, runs, **options):
    return discriminative_power(trec.evaluate(["AP", "nDCG"], qrels, runs), test="t", **options)


def test_power_of_the_best_runs_on_samples(files, capsys):
    qrels, runs = files
    words = ["-m", "AP", "-m", "nDCG", "--test", "t", "--top", 3]
    study("power", qrels, *runs, *words, "--no-by-grade", "--rates", "100,40", "--seed", 2)
    shown = capsys.readouterr().out.strip()
    best = best_systems(trec.evaluate("AP", qrels, runs), 3)
    chosen = [run for run, is_best in zip(runs, best, strict=True) if is_best]
    texts = [
        power_of(reduce_pool(qrels, rate, by_grade=False, random_state=2), chosen).to_text()
        for rate in (100, 40)
    ]
    assert shown == (
        f"All topics, 100% of the judgments:\n{texts[0]}\n\n"
        f"All topics, 40% of the judgments:\n{texts[1]}"
    )
    assert "3 systems" in texts[0]


def test_power_of_the_upper_quartiles_on_topics_with_few(files, capsys):
    qrels, runs = files
    words = ["-m", "AP", "-m", "nDCG", "--test", "t", "--upper-quartiles", "--few", 2]
    words += ["--ratio", 2, "--format", "json"]
    study("power", qrels, *runs, *words)
    results = json.loads(capsys.readouterr().out)["parts"]
    assert [each["topics"] for each in results] == ["all", "few of grade 2"]
    assert [each["n_topics"][0] for each in results] == [8, topic_facts(qrels).few(2, 2).sum()]
    assert len(results[1]["systems"]) == 3


def test_what_a_sample_leaves_out_is_no_note(files, capsys):
    qrels, runs = files
    study("power", qrels, *runs, "-m", "AP", "--test", "t", "--rates", "50,20")
    assert capsys.readouterr().err == ""


ALL_STUDIES = (
    ["topics", "QRELS"],
    ["correlation", "QRELS", "RUNS", "-m", "AP", "-m", "nDCG"],
    ["thresholds", "QRELS", "RUNS", "--steps", "1"],
    ["incompleteness", "QRELS", "RUNS", "-m", "AP", "--rates", "50"],
    ["power", "QRELS", "RUNS", "-m", "AP", "--test", "t"],
    ["sensitivity", "QRELS", "RUN", "-m", "AP", "--max-rank", "3"],
)


@pytest.mark.parametrize("words", ALL_STUDIES, ids=lambda words: words[0])
def test_every_study_writes_json(files, capsys, tmp_path, words):
    pytest.importorskip("pandas")
    qrels, runs = files
    places = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1]}
    given = [word for each in words for word in places.get(each, [each])]
    study(*given, "-o", tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["study"], found["notes"]) == (words[0], [])
    study(*given, "--format", "csv")
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + len(found["rows"])
    assert rows[0] == ",".join(found["rows"][0])


@pytest.fixture
def short(tmp_path):
    """Runs with ties, of which one lacks a topic, and qrels with negative grades."""
    (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\na 0 n -2\nb 0 x 1\nb 0 y 0\nb 0 u -1\n")
    (tmp_path / "one").write_text("a Q0 n 1 2 t\na Q0 x 2 1 t\na Q0 y 3 1 t\n")
    other = "a Q0 x 1 2 t\na Q0 n 2 1 t\nb Q0 y 1 3 t\nb Q0 u 2 2 t\nb Q0 x 3 1 t\n"
    (tmp_path / "other").write_text(other)
    return tmp_path / "qrels", [tmp_path / "one", tmp_path / "other"]


RULES = (
    {},
    {"complete": False},
    {"negative": "nonrelevant"},
    {"negative": "unjudged"},
    {"complete": False, "negative": "nonrelevant"},
)


def as_words(rules):
    words = ["--no-complete"] if "complete" in rules else []
    return words + (["--negative", rules["negative"]] if "negative" in rules else [])


def assert_notes(notes, of_scores, told):
    assert list(notes) == [note for note in of_scores if "nothing" not in note]
    assert told.replace("\n  ", " ").splitlines() == list(notes)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_rules_reach_every_study(short, capsys, rules):
    qrels, runs = short
    measures = ["Bpref(empty=0.0)", "AP(unjudged=condense)"]
    words = ["-m", measures[0], "-m", measures[1], *as_words(rules)]
    study("correlation", qrels, *runs, *words, "--statistic", "rmse")
    scores = trec.evaluate(measures, qrels, runs, **rules)
    assert capsys.readouterr().out.strip() == correlate(scores).to_text("rmse")
    study("sensitivity", qrels, runs[1], *words)
    found = sensitivity(measures, trec.rank(qrels, runs[1], **rules))
    assert capsys.readouterr().out.strip() == repr(found)
    study("incompleteness", qrels, *runs, *words, "--rates", "100", "--statistic", "score")
    shown = capsys.readouterr()
    found = incompleteness(measures, qrels, runs, rates=[100], **rules)
    assert shown.out.strip() == found.to_text("score")
    assert_notes(found.notes, scores.notes, shown.err)
    np.testing.assert_allclose(found.full[0], scores.means)
    # All of the judgments are no sample, also for a measure that knows what was sampled.
    found = incompleteness("infAP", qrels, runs, rates=[100], **rules)
    np.testing.assert_array_equal(found.means[:, 0, 0], found.full)


def test_ties_reach_every_study(short, capsys):
    qrels, runs = short
    for name in ("correlation", "thresholds", "incompleteness"):
        options = ["--rates", "100"] if name == "incompleteness" else []
        study(name, qrels, *runs, "-m", "AP", "--ties", "optimistic", *options)
        assert "AP(ties=optimistic)" in capsys.readouterr().out
    study("incompleteness", qrels, *runs, "-m", "AP", "--ties", "optimistic", "--rates", 100)
    expected = incompleteness(
        "AP(ties=optimistic)", qrels, runs, target="AP(ties=optimistic)", rates=[100]
    )
    assert capsys.readouterr().out.strip() == expected.to_text()


def test_topics_count_negative_grades_by_their_meaning(short, capsys):
    qrels, _ = short

    def counts(*words):
        study("topics", qrels, "--format", "csv", *words)
        return [line.split(",")[1:] for line in capsys.readouterr().out.splitlines()[1:]]

    assert counts() == [["2", "1"], ["1", "1"]]
    assert counts("--negative", "nonrelevant") == [["2", "1"], ["2", "1"]]
    assert counts("--negative", "unjudged") == [["1", "1"], ["1", "1"]]
    with pytest.raises(ValueError, match="grades must be >= 0, got -2"):
        counts("--negative", "error")


def help_of(name, capsys):
    with pytest.raises(SystemExit):
        study(name, "--help")
    return capsys.readouterr().out


PAPERS = {
    "topics": "Ferrante, Ferro and Maistro (2014), Table 1",
    "correlation": "Sakai (2007), Table 2",
    "thresholds": "Ferrante, Ferro and Maistro (2014), Tables 2 and 3",
    "incompleteness": "Yilmaz and Aslam (2006), Figure 3",
    "power": "Sakai (2007), Table 3",
    "sensitivity": "Kishida (2005), Sections 2.2 and 4",
    "simulation": "Kishida (2005), Section 3.3, Table 2",
    "lists": "Kishida (2005), Tables 3 and 4",
}


@pytest.mark.parametrize("name", PAPERS)
def test_help_names_the_paper_and_its_commands_can_be_typed(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = help_of(name, capsys)
    assert PAPERS[name] in shown
    text = shown.partition("paper")[2].replace("\\\n", " ")
    commands = re.findall(r"^ +skgraded (study .*?)(?:  [a-z ,0-9]*Table 3)?$", text, re.MULTILINE)
    assert commands
    for command in commands:
        words = shlex.split(command.replace("runs/*", "a.run b.run"))
        arguments = make_parser().parse_args(words)
        for each in getattr(arguments, "measures", None) or []:
            measure(each)


@pytest.mark.parametrize(
    "words", ["study --help", "study power --help", "compare {} {} {} -m AP", "evaluate {} {}"]
)
def test_what_commands_do_not_import(words, files):
    qrels, runs = files
    code = (
        "import contextlib, sys\n"
        "from skgraded.cli import main\n"
        f"with contextlib.suppress(SystemExit):\n    main({words.format(qrels, *runs).split()})\n"
        "large = {'scipy.stats', 'sklearn', 'lightgbm', 'pandas', 'matplotlib', 'skgraded.users'}\n"
        "large |= {'scipy'} if 'evaluate' in sys.argv[1] else set()\n"
        "sys.exit(str(sorted(large & set(sys.modules))) if large & set(sys.modules) else 0)\n"
    )
    command = [sys.executable, "-c", code, words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
