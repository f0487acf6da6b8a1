"""``skgraded study``: every study runs from the command line and says what the function says."""

import sys

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from skgraded import trec
from skgraded.cli import make_parser
from skgraded.datasets import make_ranking
from skgraded.studies import correlate, discriminative_power, incompleteness


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
    scores = trec.evaluate(qrels, runs, ["AP", "nDCG@5"])
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
        qrels, runs, ["AP", "infAP"], rates=[100, 30], n_repeats=2, random_state=4
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
    found = discriminative_power(trec.evaluate(qrels, runs, "AP"), n_resamples=60)
    np.testing.assert_allclose(table["p_value"], found.p_values[0])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["topics", "QRELS"], "topics with few of grade 2"),
        (["topics", "QRELS", "--grades", "2=1"], "0 1"),
        (["swaps", "QRELS", "RUNS", "--trials", "50"], "50 trials of two disjoint sets of 4"),
        (["power", "QRELS", "RUNS", "--test", "t"], "paired t tests"),
        (["sensitivity", "QRELS", "RUN", "--max-rank", "5", "--pool", "grows"], "pool grows"),
        (["judgments", "RUN", "QRELS", "QRELS", "-m", "AP"], "2 judgments of each of 8 topics"),
    ],
)
def test_other_studies(files, capsys, tmp_path, words, part):
    qrels, runs = files
    places = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1]}
    given = [word for each in words for word in places.get(each, [each])]
    plot = [] if words[0] == "topics" else ["--plot", tmp_path / "plot.png"]
    study(*given, *plot)
    assert part in " ".join(capsys.readouterr().out.split())
    assert not plot or plot[1].exists()


@pytest.mark.parametrize("by", ["search", "stopping"])
def test_models(capsys, tmp_path, by):
    X, y, qid = make_ranking(n_queries=16, docs_per_query=10, random_state=0)
    dump_svmlight_file(X, y, str(tmp_path / "data"), query_id=qid, zero_based=False)
    study("models", tmp_path / "data", "--by", by, "--folds", 2, "-m", "nDCG@10", "-m", "RR")
    assert "held out in 2 folds" in " ".join(capsys.readouterr().out.split())
    given = ["--folds", 2, "-m", "nDCG@10", "-m", "RR", "--repeats", 2, "--jobs", 2]
    study("models", tmp_path / "data", "--by", by, *given)
    assert "held out in 4 folds of 2 repeats" in " ".join(capsys.readouterr().out.split())


def test_a_missing_library_is_named(files, monkeypatch):
    qrels, _ = files
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        study("topics", qrels, "--format", "csv")


@pytest.mark.parametrize(
    "words",
    [
        ["correlation", "QRELS", "RUNS", "-m", "AP", "-m", "nDCG"],
        ["thresholds", "QRELS", "RUNS", "--steps", "1"],
        ["incompleteness", "QRELS", "RUNS", "-m", "AP", "--rates", "100"],
        ["power", "QRELS", "RUNS", "-m", "AP", "--test", "t"],
        ["swaps", "QRELS", "RUNS", "-m", "AP", "--trials", "9"],
        ["sensitivity", "QRELS", "SHORT", "-m", "AP"],
        ["judgments", "SHORT", "QRELS", "FEWER", "-m", "AP"],
    ],
)
def test_what_was_left_out_is_told(files, capsys, tmp_path, words):
    qrels, runs = files
    short, fewer = tmp_path / "short", tmp_path / "fewer"
    short.write_text("t1 Q0 d1 1 2 t\nt1 Q0 d2 2 1 t\nt1 Q0 d1 3 0 t\nt99 Q0 d1 1 1 t\n")
    fewer.write_text("t1 0 d1 1\nt2 0 d1 2\n")
    places = {"QRELS": [qrels], "RUNS": [*runs, short], "SHORT": [short], "FEWER": [fewer]}
    study(*(word for each in words for word in places.get(each, [each])))
    told = " ".join(capsys.readouterr().err.split())
    n_missing = 1 if words[0] == "judgments" else 7
    assert f"a missing topic counts as an empty list: short ({n_missing})." in told
    assert "with topics outside the qrels, left out: short (1)." in told
    assert "with repeated documents, of which the first counts: short (1)." in told
    if words[0] == "judgments":
        assert "6 topics that not all assessors judged, left out." in told


@pytest.mark.parametrize(
    "words",
    [
        ["correlation", "QRELS", "RUNS"],
        ["incompleteness", "QRELS", "RUNS"],
        ["power", "QRELS", "RUNS"],
        ["sensitivity", "QRELS", "RUN"],
        ["judgments", "RUN", "QRELS", "QRELS"],
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
        ("qrels", ["judgments", "RUN", "QRELS", "-", "-m", "AP"]),
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


def test_thresholds_need_grades(files):
    qrels, runs = files
    with pytest.raises(ValueError, match=r"qrels: thresholds need grades of 1 or more, got none"):
        study("thresholds", qrels, *runs, "--grades", "1,2=0")


def test_files_that_cannot_be_written_are_told_before_the_work():
    with pytest.raises(ValueError, match="--plot must end in one of"):
        study("swaps", "no qrels", "no run", "--plot", "x.foo")
    with pytest.raises(ValueError, match="--output must be a file in an existing folder"):
        study("topics", "no qrels", "-o", "nowhere/x.csv")


def test_wrong_words(files, capsys):
    qrels, runs = files
    with pytest.raises(ValueError, match="--grades must have the form OLD"):
        study("topics", qrels, "--grades", "2")
    with pytest.raises(SystemExit, match=r"^2$"):
        study("incompleteness", qrels, *runs, "--rates", "all")
    assert "must be numbers separated by commas, got 'all'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"^2$"):
        study()
    assert "arguments are required: STUDY" in capsys.readouterr().err
