"""Does averaging over noisy scores give better rankers? A protocol, written before its run.

Variants, all with all pairs (no truncation) and otherwise the defaults of `objective`:
  nDCG                 nDCG with gains 2^r - 1, which is lambdarank without truncation
  nDCG, noise          the same with noise="gumbel", noise_scale=0.5, n_draws=3, random_state=0
  xGAP                 xGAP with uniform g
  xGAP, noise          the same with the same noise
  lambdarank           LightGBM's own, with its defaults
Sets: MQ2008, OHSUMED, LightGBM's example, TREC-COVID fusion (143 runs as features), and a made-up
set of 1,000 queries. Training: LightGBM, 100 iterations, 15 leaves, learning rate 0.1, 63 bins.
Splits: five folds of queries, a quarter of the training queries for validation, which chooses the
iteration for each judge by itself; five repeats with other splits.
Judges: xGAP with g = (.1, .9) on grades 0-2 and (.1, .2, .3, .4) on grades 0-4, and Q.
Questions, and what answers them: the difference pooled over the five sets (inverse variance), its
95 % interval over queries and repeats, and its p-value by Holm's correction over the table.
  1. noise against no noise: nDCG, noise less nDCG, and xGAP, noise less xGAP, by both judges;
  2. noise against lambdarank: both by both judges, beside the variants without noise.
A gain is claimed only where the corrected p-value is below .05. No variant is added, no set left
out, and no number changed after the run; the result goes into the report as it comes.

    python benchmarks/noise_protocol.py --folder FOLDER [--repeats N]

A run that was stopped resumes from the files in its folder, one for each repeat of a variant on a
set.
"""

import argparse
from functools import cache
from pathlib import Path

from _objectives import Protocol
from _pooled import print_pooled
from _training_sets import SETS, synthetic
from lightgbm import LGBMRanker

from skgraded.lightgbm import objective

G_OF_SCALE = {2: "[0.1,0.9]", 4: "[0.1,0.2,0.3,0.4]"}
REPEATS, ITERATIONS = 5, 100
NOISE = {"noise": "gumbel", "noise_scale": 0.5, "n_draws": 3, "random_state": 0}
DATA = {**SETS, "synthetic": lambda: synthetic(1000)}
# The baseline stands first.
TABLES = {
    "noise less no noise, nDCG": ("nDCG", "nDCG, noise"),
    "noise less no noise, xGAP": ("xGAP", "xGAP, noise"),
    "less lambdarank": ("lambdarank", "nDCG", "nDCG, noise", "xGAP", "xGAP, noise"),
}


@cache
def rows_of(name):
    return DATA[name]()


def variants(top_grade):
    xgap, ndcg, whole = (
        f"xGAP(max_grade={top_grade})",
        "nDCG(gain=exp2)",
        {"truncation_level": None},
    )
    objectives = {
        "lambdarank": "lambdarank",
        "nDCG": objective(ndcg, **whole),
        "nDCG, noise": objective(ndcg, **whole, **NOISE),
        "xGAP": objective(xgap, **whole),
        "xGAP, noise": objective(xgap, **whole, **NOISE),
    }
    params = {
        "n_estimators": ITERATIONS,
        "num_leaves": 15,
        "learning_rate": 0.1,
        "max_bin": 63,
    }
    return {
        name: LGBMRanker(objective=each, **params, random_state=0, n_jobs=1, verbose=-1)
        for name, each in objectives.items()
    }


def compare(name, table, options):
    """Compare the variants of a table on a set; values are kept from table to table."""
    data = rows_of(name)
    top_grade = int(data[1].max())
    protocol = Protocol(
        judges=[f"xGAP(g={G_OF_SCALE[top_grade]})", "QMeasure"],
        n_iterations=ITERATIONS,
        folder=options.folder / name.replace(" ", "_"),
        n_repeats=options.repeats,
        n_jobs=options.jobs,
    )
    chosen = variants(top_grade)
    return protocol.compare({each: chosen[each] for each in TABLES[table]}, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--folder", type=Path, required=True, help="where the values are kept"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    for table in TABLES:
        found = {name: compare(name, table, options) for name in DATA}
        for name, each in found.items():
            print(f"\n{name}, {table}\n{each}", flush=True)
        print(f"\n{table}")
        print_pooled(found)


if __name__ == "__main__":
    main()
