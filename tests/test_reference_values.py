"""Numbers that others published for real data: topic by topic, at the precision given."""

import csv
import json
import lzma
import re
from collections import defaultdict

import numpy as np
import pytest

from skgraded import GAP, Rankings
from skgraded.conventions import measure_as
from skgraded.rankings import as_rankings
from skgraded.trec import read_qrels, read_run

FOUR_DIGITS = 5.01e-5  # printed with four digits
TEN_DIGITS = 5.01e-11  # printed with ten


def trec_measure(name, rel=1):
    """Return our measure for a name of trec_eval; None where it is not among ours."""
    try:
        found = measure_as("trec_eval", name)
    except ValueError:
        return None
    has_rel = "rel" in set(found._fields)
    return found._replace(rel=rel) if has_rel else found


# --- trec_eval's own test outputs ----------------------------------------------------------------


def printed_by_trec_eval(path):
    """Map each measure to its printed values by topic."""
    values = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        name, topic, value = line.split("\t", 2)
        values[name.strip()][topic] = value
    return values


def first_of_each_topic(path, depth):
    """Read the best documents of a run by score, then by document id, descending."""
    run = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        topic, _, document, _, score, *_ = line.split()
        run[topic][document] = float(score)
    return {
        topic: dict(sorted(scores.items(), key=lambda each: (each[1], each[0]))[::-1][:depth])
        for topic, scores in run.items()
    }


@pytest.mark.parametrize(
    ("output", "files", "options", "n_values"),
    [
        ("out.test.aq", ("qrels.test", "results.test"), {}, 362),
        ("out.test.a", ("qrels.test", "results.test"), {}, 92),
        ("out.test.meas_params", ("qrels.test", "results.test"), {}, 84),
        ("out.test.aqc", ("qrels.test", "results.trunc"), {"complete": True}, 362),
        ("out.test.aqcM", ("qrels.test", "results.trunc"), {"complete": True, "depth": 100}, 362),
        ("out.test.aql", ("qrels.rel_level", "results.test"), {"rel": 2}, 362),
    ],
)
def test_expected_outputs_of_trec_eval(data_dir, output, files, options, n_values):
    folder = data_dir / "trec_eval-test"
    qrels, documents = (folder / name for name in files)
    if "depth" in options:
        documents = first_of_each_topic(documents, options["depth"])
    rankings = Rankings.from_trec(qrels, documents, complete=options.get("complete", False))
    compared = 0
    for name, printed in printed_by_trec_eval(folder / output).items():
        chosen = trec_measure(name, options.get("rel", 1))
        if chosen is None:
            continue
        if "rounding" in set(chosen._fields):
            chosen = chosen._replace(rounding="nearest")  # printed by version 10
        scores = chosen.per_query(rankings)
        ours = {**dict(zip(scores.qid.tolist(), scores.values, strict=True)), "all": float(scores)}
        if name in ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"):
            ours["all"] = scores.values.sum()
        if name.startswith("gm_"):
            (ours["all"],) = scores.mean("geometric").values()
        for topic, value in printed.items():
            assert ours[topic] == pytest.approx(float(value), abs=FOUR_DIGITS), (name, topic)
            compared += 1
    assert compared == n_values


# --- NTCIREVAL's sample output -------------------------------------------------------------------


def ntcireval_measure(name, top_grade, condensed=False):
    """Return our measure for a name of NTCIREVAL; None where it is not among ours."""
    try:
        found = measure_as("ntcireval", name).resolve(top_grade)
    except ValueError:
        return None
    return found._replace(unjudged="condense") if condensed else found


@pytest.mark.parametrize("run", ["TRECRUN"])
def test_sample_run_of_ntcireval(data_dir, run):
    folder = data_dir / "ntcireval-samples"
    qrels = defaultdict(dict)
    for line in (folder / "test.qrels").read_text(encoding="utf-8").splitlines():
        topic, document, level = line.split()
        qrels[topic][document] = int(level.removeprefix("L"))
    rankings = Rankings.from_trec(qrels, folder / run)
    compared = 0
    for line in (folder / f"{run}.test.nev").read_text(encoding="utf-8").splitlines():
        topic, name, *rest = line.split()
        chosen = ntcireval_measure(name.removesuffix("="), 2) if name != "#" else None
        if chosen is not None:
            scores = chosen.per_query(rankings)
            ours = scores.values[scores.qid.tolist().index(topic)]
            assert ours == pytest.approx(float(rest[0]), abs=FOUR_DIGITS), line
            compared += 1
    assert compared == 99


@pytest.mark.parametrize("output", ["res_test_compute.txt", "res_test_compute_cutoff.txt"])
def test_sample_list_of_ntcireval(data_dir, output):
    folder = data_dir / "ntcireval-samples" / "pyNTCIREVAL-tests"
    lines = (folder / "sample.rel").read_text(encoding="utf-8").split()
    grades = dict(zip(lines[::2], (int(level[1:]) for level in lines[1::2]), strict=True))
    listed = (folder / "sample.res").read_text(encoding="utf-8").split()
    run = {"1": {document: -float(rank) for rank, document in enumerate(listed)}}
    rankings = Rankings.from_trec({"1": grades}, run)
    compared = 0
    printed = re.findall(r"^ (\S+)= +(\S+)$", (folder / output).read_text(encoding="utf-8"), re.M)
    for name, value in printed:
        chosen = ntcireval_measure(name, 3)
        if chosen is not None:
            assert chosen(rankings) == pytest.approx(float(value), abs=FOUR_DIGITS), name
            compared += 1
    assert compared == 19


# --- all 143 runs of the first round of TREC-COVID ------------------------------------------------


def read_reference(path, key_columns):
    """Map run, then key, to values by topic."""
    values = defaultdict(lambda: defaultdict(dict))
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = tuple(row[column] for column in key_columns)
            values[row["run"]][key][row["topic"]] = float(row["value"])
    return values


def measures_of_covid():
    """What each file of reference values holds, as our measures."""

    def of_trec_eval(name):
        return trec_measure(name)

    def of_ntcireval(condensed, name):
        return ntcireval_measure(name, 2, condensed == "condensed")

    def of_session_track(name):
        thirds = GAP(g=(1 / 3, 1 / 3, 1 / 3), ties="row_order")
        return thirds if name == "GAP_thirds" else measure_as("trec_eval", "map")

    return {
        "trec_eval/trec-covid-round1.tsv.xz": (("measure",), of_trec_eval),
        "ntcireval/trec-covid-round1.ntcireval.tsv.xz": (("list", "measure"), of_ntcireval),
        "session-track-gap/trec-covid-round1.gap.tsv.xz": (("measure",), of_session_track),
    }


@pytest.fixture(scope="module")
def covid(data_dir):
    """Rankings of all runs by name: with scores in single precision, and in double."""
    folder = data_dir / "trec-covid-round1"
    qrels = read_qrels(folder / "qrels.covid-round1.txt")
    runs = {path.name.removesuffix(".xz"): read_run(path) for path in (folder / "runs").iterdir()}
    assert len(runs) == 143
    return {
        order: {name: Rankings.from_trec(qrels, run, order=order) for name, run in runs.items()}
        for order in ("trec_eval", "score")
    }


def one_longer_than_the_relevant(judgments):
    n_relevant = judgments.count_pool(judgments.grades > 0)
    return judgments.list_lengths("nonrelevant") == n_relevant + 1


@pytest.mark.parametrize(
    ("file", "n_measures"), list(zip(measures_of_covid(), (34, 79, 2), strict=True))
)
def test_all_runs_of_trec_covid(data_dir, covid, file, n_measures):
    key_columns, measure_of = measures_of_covid()[file]
    values = read_reference(data_dir / "reference-values" / file, key_columns)
    # trec_eval reads scores in single precision, where more of them are equal.
    rankings = covid["trec_eval" if file.startswith("trec_eval") else "score"]
    assert set(values) == set(rankings)
    compared = 0
    for run, by_key in values.items():
        for key, by_topic in by_key.items():
            chosen = measure_of(*key)
            if chosen is None:
                continue
            scores = chosen.per_query(rankings[run])
            theirs = [by_topic[topic] for topic in scores.qid.tolist()]
            ours, printed_to = scores.values, TEN_DIGITS
            if key == ("gm_map",):  # logarithms, down to -11.5: two digits before the point
                ours, printed_to = np.log(np.maximum(ours, 1e-5)), 100 * TEN_DIGITS
            differences = np.abs(ours - theirs)
            if key == ("Rndcg",):  # trec_eval leaves out the end of these lists
                differences = differences[~one_longer_than_the_relevant(rankings[run].judgments)]
            assert differences.max() < printed_to, (run, key, differences.max())
            compared += len(theirs)
    assert compared == 143 * 30 * n_measures


# --- a small ranker on LightGBM's example data ----------------------------------------------------


def test_lightgbm_and_scikit_learn_on_the_ranking_example(data_dir):
    folder = data_dir / "reference-values" / "lightgbm-sklearn"
    with open(folder / "rank.test.predictions.tsv", encoding="utf-8") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    qid, y_true, y_score = (
        [kind(row[name]) for row in rows]
        for name, kind in (("qid", str), ("label", int), ("score", float))
    )
    rankings = as_rankings(y_true, y_score, qid)
    reference = json.loads((folder / "rank.test.reference.json").read_text(encoding="utf-8"))
    of_last_iteration = reference["lightgbm_eval_per_iteration"]
    assert len(of_last_iteration) == 8
    for name, values in of_last_iteration.items():
        assert measure_as("lightgbm", name)(rankings) == pytest.approx(values[-1], abs=1e-12)
    names = {f"ndcg_linear_at{k}": f"ndcg_score(k={k})" for k in (1, 3, 5, 10)}
    theirs = {name: measure_as("sklearn", own) for name, own in names.items()}
    theirs["ndcg_exp_at10"] = measure_as("sklearn", "nDCG(gain=exp2)@10")
    theirs["dcg_linear_all"] = measure_as("sklearn", "dcg_score")
    of_query = reference["sklearn_ndcg_per_query"]
    assert len(of_query) == 50
    for name, chosen in theirs.items():
        scores = chosen.per_query(rankings)
        values = [of_query[query][name] for query in scores.qid.tolist()]
        np.testing.assert_allclose(scores.values, values, rtol=0, atol=1e-12)
