"""Values that trec_eval, NTCIREVAL and the Session track's tool gave for runs of TREC-COVID."""

import csv
import lzma
from collections import defaultdict

import numpy as np
import pytest

from skgraded import GAP, trec
from skgraded.conventions import measure_as
from skgraded.trec import read_qrels, read_run

TEN_DIGITS = 5.01e-11  # printed with ten


def known(tool, name):
    """Return our measure for a name of the tool; None where it is not among ours."""
    try:
        return measure_as(tool, name).resolve(2)
    except ValueError:
        return None


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
        return known("trec_eval", name)

    def of_ntcireval(condensed, name):
        found = known("ntcireval", name)
        return (
            found.replace(unjudged="condense")
            if condensed == "condensed" and found
            else found
        )

    def of_session_track(name):
        thirds = GAP(g=(1 / 3, 1 / 3, 1 / 3), ties="row_order")
        return thirds if name == "GAP_thirds" else known("trec_eval", "map")

    return {
        "trec_eval/trec-covid-round1.tsv.xz": (("measure",), of_trec_eval),
        "ntcireval/trec-covid-round1.ntcireval.tsv.xz": (
            ("list", "measure"),
            of_ntcireval,
        ),
        "session-track-gap/trec-covid-round1.gap.tsv.xz": (
            ("measure",),
            of_session_track,
        ),
    }


@pytest.fixture(scope="module")
def covid(data_dir):
    """Rankings of every sixth run by name: with scores in single precision, and in double."""
    folder = data_dir / "trec-covid-round1"
    qrels = read_qrels(folder / "qrels.covid-round1.txt")
    paths = sorted((folder / "runs").iterdir())
    assert len(paths) == 143
    runs = {path.name.removesuffix(".xz"): read_run(path) for path in paths[::6]}
    return {
        order: {name: trec.rank(qrels, run, order=order) for name, run in runs.items()}
        for order in ("trec_eval", "score")
    }


def one_longer_than_the_relevant(judgments):
    n_relevant = judgments.count_pool(judgments.grades > 0)
    return judgments.list_lengths("nonrelevant") == n_relevant + 1


@pytest.mark.parametrize(
    ("file", "n_measures"), list(zip(measures_of_covid(), (34, 79, 2), strict=True))
)
def test_runs_of_trec_covid(data_dir, covid, file, n_measures):
    key_columns, measure_of = measures_of_covid()[file]
    values = read_reference(data_dir / "reference-values" / file, key_columns)
    # trec_eval reads scores in single precision, where more of them are equal.
    rankings = covid["trec_eval" if file.startswith("trec_eval") else "score"]
    assert set(values) >= set(rankings)
    compared = 0
    for run in rankings:
        for key, by_topic in values[run].items():
            chosen = measure_of(*key)
            if chosen is None:
                continue
            scores = chosen.per_query(rankings[run])
            theirs = [by_topic[topic] for topic in scores.qid.tolist()]
            ours, printed_to = scores.values, TEN_DIGITS
            if key == (
                "gm_map",
            ):  # logarithms, down to -11.5: two digits before the point
                ours, printed_to = np.log(np.maximum(ours, 1e-5)), 100 * TEN_DIGITS
            differences = np.abs(ours - theirs)
            if key == ("Rndcg",):  # trec_eval leaves out the end of these lists
                differences = differences[
                    ~one_longer_than_the_relevant(rankings[run].judgments)
                ]
            assert differences.max() < printed_to, (run, key, differences.max())
            compared += len(theirs)
    assert compared == len(rankings) * 30 * n_measures
