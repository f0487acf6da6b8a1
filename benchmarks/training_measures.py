"""Show whether training for the evaluation measure gives better models.

The script trains LightGBM with several objectives, among them its own lambdarank, and scores every
model by several measures on unseen queries. It selects the number of trees on validation queries,
for every measure separately. All objectives use the same data for a seed, so that differences to
lambdarank are paired. A table shows their mean over the seeds, its standard error, and the number
of seeds in which the objective was better.

    python benchmarks/training_measures.py [--seeds N] [--shapes NAME ...] [--rows FILE] ...

Shapes differ in the number of documents of the top grades. "real" is LightGBM's example data in the
folder SKGRADED_DATA, with a different split for every seed.
"""

import argparse
import csv
import os
import sys
from pathlib import Path

import lightgbm as lgb
import numpy as np

from skgraded import Judgments, evaluate
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

SHAPES = {
    "dense": {"grade_shares": (0.52, 0.32, 0.13, 0.02, 0.01)},
    "even": {"grade_shares": (0.4, 0.2, 0.2, 0.1, 0.1)},
    "sparse": {"grade_shares": (0.9, 0.08, 0.012, 0.005, 0.003)},
    "few top": {"grade_shares": (0.8, 0.185, 0.015)},
    "real": None,
}
G_OF_SCALE = {2: "[0.1,0.9]", 4: "[0.1,0.2,0.3,0.4]"}
FLAT_G_OF_SCALE = {2: "[0.5,0.5]", 4: "[0.25,0.25,0.25,0.25]"}
N_QUERIES = {"train": 200, "valid": 150, "test": 500}
N_ROUNDS = 120
STEP = 5
PARAMS = {
    "verbose": -1,
    "num_threads": 1,
    "num_leaves": 15,
    "learning_rate": 0.1,
    "min_data_in_leaf": 20,
    "metric": "None",
}


def judges(top_grade):
    g = G_OF_SCALE[top_grade]
    return [f"xGAP(g={g})", f"eGAP(g={g})", f"GAP(g={g})", "QMeasure", "nDCG@10"]


def mixture(*parts):
    """Return the sum of several objectives."""

    def derivatives(scores, data):
        return tuple(map(sum, zip(*(part(scores, data) for part in parts), strict=True)))

    return derivatives


def smoothed(part, noise, n_draws=4):
    """Return an objective averaged over noisy scores; the unit of `noise` is their spread."""
    random = np.random.default_rng(0)

    def derivatives(scores, data):
        scale = noise * np.std(scores)
        draws = [
            part(scores + scale * random.standard_normal(len(scores)), data) for _ in range(n_draws)
        ]
        return tuple(np.mean(each, axis=0) for each in zip(*draws, strict=True))

    return derivatives


def contestants(top_grade):
    g, flat = G_OF_SCALE[top_grade], FLAT_G_OF_SCALE[top_grade]
    xgap, egap, gap = (f"{name}(g={g})" for name in ("xGAP", "eGAP", "GAP"))
    ndcg = "nDCG(gain=exp2)"
    whole = {"truncation_level": None}
    return {
        "lambdarank": "lambdarank",
        "nDCG": objective(ndcg),
        "xGAP": objective(xgap),
        "xGAP, all pairs": objective(xgap, **whole),
        "xGAP, top 10": objective(xgap, truncation_level=10),
        "xGAP, no norm": objective(xgap, norm=False, **whole),
        "xGAP, normalize": objective(xgap.replace(")", ",normalize=True)")),
        "xGAP, flat g": objective(f"xGAP(g={flat})"),
        "xGAP, flat g, all pairs": objective(f"xGAP(g={flat})", **whole),
        "eGAP": objective(egap),
        "eGAP, flat g": objective(f"eGAP(g={flat})"),
        "GAP": objective(gap),
        "GAP, all pairs": objective(gap, **whole),
        "GAP, flat g": objective(f"GAP(g={flat})"),
        "QMeasure": objective("QMeasure"),
        "QMeasure, all pairs": objective("QMeasure", **whole),
        "xGAP + nDCG": mixture(objective(xgap), objective(ndcg)),
        "xGAP + GAP": mixture(objective(xgap), objective(gap)),
        "xGAP, smoothed": smoothed(objective(xgap), 0.3),
        "GAP, smoothed": smoothed(objective(gap), 0.3),
    }


def real_rows():
    from sklearn.datasets import load_svmlight_file

    folder = Path(os.environ["SKGRADED_DATA"]) / "lightgbm-lambdarank"
    parts = [
        load_svmlight_file(str(folder / f"rank.{name}"), n_features=301)
        for name in ("train", "test")
    ]
    sizes = np.concatenate(
        [np.loadtxt(folder / f"rank.{name}.query", dtype=int) for name in ("train", "test")]
    )
    X = np.vstack([part[0].toarray() for part in parts])
    y = np.concatenate([part[1] for part in parts])
    return X, y, np.repeat(np.arange(len(sizes)), sizes)


def make_rows(shape, seed):
    """Return features, labels, query ids, and numbers of training, validation and test queries."""
    if shape == "real":
        X, y, qid = real_rows()
        return X, y, qid, {"train": 130, "valid": 50, "test": 71}
    X, y, qid = make_ranking(
        sum(N_QUERIES.values()),
        docs_per_query=(20, 120),
        noise=1.0,
        random_state=seed,
        **SHAPES[shape],
    )
    return X, y, qid, N_QUERIES


def split(shape, seed):
    """Return the three data sets."""
    X, y, qid, n_queries = make_rows(shape, seed)
    order = np.random.default_rng(seed).permutation(qid.max() + 1)
    parts, first = {}, 0
    for name, n in n_queries.items():
        rows = np.flatnonzero(np.isin(qid, order[first : first + n]))
        sizes = np.unique(qid[rows], return_counts=True)[1]
        parts[name] = (X[rows], y[rows], sizes)
        first += n
    return parts


def train(parts, chosen):
    """Return a booster."""
    X, y, sizes = parts["train"]
    data = lgb.Dataset(X, y, group=sizes, params=PARAMS)
    return lgb.train({**PARAMS, "objective": chosen}, data, N_ROUNDS)


def history(booster, part, measures):
    """Return the means of all measures after every STEP trees."""
    X, y, sizes = part
    judgments = Judgments.from_groups(y, sizes)
    scores, means = np.zeros(len(y)), []
    for first in range(0, N_ROUNDS, STEP):
        scores += booster.predict(X, start_iteration=first, num_iteration=STEP, raw_score=True)
        means.append(evaluate(measures, judgments.rank(scores)).mean())
    return {name: [each[name] for each in means] for name in means[0]}


def run(shape, seed, chosen_names, write):
    """Train the contestants on one data set."""
    parts = split(shape, seed)
    top_grade = int(parts["train"][1].max())
    measures = judges(top_grade)
    for name, chosen in contestants(top_grade).items():
        if chosen_names and name not in chosen_names:
            continue
        booster = train(parts, chosen)
        valid, test = (history(booster, parts[part], measures) for part in ("valid", "test"))
        for judge in valid:
            best = int(np.argmax(valid[judge]))
            head = judge.partition("(")[0]
            write([shape, seed, name, head, test[judge][best], STEP * (best + 1)])


def print_tables(rows):
    """Print differences to lambdarank by shape and objective, with one column per measure."""
    values = {(row[0], row[2], row[3], int(row[1])): float(row[4]) for row in rows}
    names = list(dict.fromkeys(row[2] for row in rows))
    heads = list(dict.fromkeys(row[3] for row in rows))
    for shape in dict.fromkeys(row[0] for row in rows):
        seeds = sorted({int(row[1]) for row in rows if row[0] == shape})
        print(f"\n{shape}, {len(seeds)} seeds: difference to lambdarank x 1000, its error, wins")
        print(f"{'':24}" + "".join(f"{head:>20}" for head in heads))
        for name in names:
            cells = []
            for head in heads:
                runs = np.array([values[shape, name, head, seed] for seed in seeds])
                base = np.array([values[shape, "lambdarank", head, seed] for seed in seeds])
                if name == "lambdarank":
                    cells.append(f"({runs.mean():.4f})")
                    continue
                d = 1000 * (runs - base)
                error = d.std(ddof=1) / np.sqrt(len(d)) if len(d) > 1 else np.nan
                cells.append(f"{d.mean():+6.1f} +-{error:4.1f} {np.sum(d > 0):>2}")
            print(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--contestants", nargs="+", help="objectives to train; the default is all")
    parser.add_argument("--rows", type=Path, help="file of single results, to resume from")
    options = parser.parse_args()
    done = []
    if options.rows and options.rows.exists():
        done = list(csv.reader(options.rows.open()))
    rows = list(done)
    file = options.rows.open("a", newline="") if options.rows else None

    def write(row):
        rows.append([str(each) for each in row])
        if file:
            csv.writer(file).writerow(row)
            file.flush()

    for seed in range(options.seeds):
        for shape in options.shapes:
            if not any(row[:2] == [shape, str(seed)] for row in done):
                run(shape, seed, options.contestants, write)
                print(f"{shape}, seed {seed}", file=sys.stderr)
    print_tables(rows)


if __name__ == "__main__":
    main()
