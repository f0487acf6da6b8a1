"""Learning-to-rank sets for benchmarks: one made up, and those in the folder SKGRADED_DATA."""

import os
from pathlib import Path

import numpy as np

from skgraded import trec
from skgraded.datasets import load_letor, make_ranking

FOLDER = Path(os.environ.get("SKGRADED_DATA", "../shared/data"))


def synthetic(n_queries=400):
    """Make up a set; the larger it is, the smaller the differences that can be seen."""
    shares = (0.6, 0.2, 0.12, 0.05, 0.03)
    return make_ranking(
        n_queries, docs_per_query=(10, 80), grade_shares=shares, random_state=0
    )


def lightgbm_example():
    folder = FOLDER / "lightgbm-lambdarank"
    return dense(load_letor([folder / "rank.train", folder / "rank.test"]))


def mq2008():
    folder = FOLDER / "letor"
    names = ["mq2008-sample.txt.xz", "mq2008-fold1-test.txt.xz"]
    return dense(load_letor([folder / name for name in names]))


def ohsumed():
    folder = FOLDER / "letor"
    names = ["ohsumed-train.txt.xz", "ohsumed-test.txt.xz"]
    return dense(load_letor([folder / name for name in names], zero_based=True))


def trec_covid():
    """Fuse runs: a feature is 1 / (60 + rank) of the document in a run, 0 where it is missing."""
    folder = FOLDER / "trec-covid-round1"
    judged = trec.read_qrels(folder / "qrels.covid-round1.txt").to_dict()
    row_of = {topic: {} for topic in judged}
    rows = [
        (topic, document) for topic, of_topic in judged.items() for document in of_topic
    ]
    for row, (topic, document) in enumerate(rows):
        row_of[topic][document] = row
    paths = sorted((folder / "runs").iterdir())
    X = np.zeros((len(rows), len(paths)))
    for column, path in enumerate(paths):
        for topic, scores in trec.read_run(path).to_dict().items():
            best_first = sorted(scores, key=scores.get, reverse=True)
            for rank, document in enumerate(best_first, start=1):
                row = row_of.get(topic, {}).get(document)
                if row is not None:
                    X[row, column] = 1.0 / (60 + rank)
    y = np.array([judged[topic][document] for topic, document in rows])
    return X, y, np.array([topic for topic, _ in rows])


def dense(data):
    X, y, qid = data
    return X.toarray(), y, qid


SETS = {
    "LightGBM's example": lightgbm_example,
    "MQ2008": mq2008,
    "OHSUMED": ohsumed,
    "TREC-COVID fusion": trec_covid,
    "synthetic": synthetic,
}
