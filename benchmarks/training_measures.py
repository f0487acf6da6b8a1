"""Compare objectives of training with LightGBM's lambdarank, by several measures on several sets.

The variants and controls below are fixed before a run, the protocol is in benchmarks/_objectives.py
and the sets are in benchmarks/_training_sets.py. A table for each set and a pooled one show
differences with intervals over queries and repeats. A run that was stopped resumes from the files
in its folder, one for each repeat of an objective on a set, and repeats can be added.

    python benchmarks/training_measures.py --folder FOLDER [--sets NAME ...] [--repeats N] ...
"""

import argparse
from pathlib import Path

from _objectives import Protocol
from _pooled import print_pooled
from _training_sets import SETS
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from xgboost import XGBRanker

from skgraded.lightgbm import objective

G_OF_SCALE = {2: "[0.1,0.9]", 4: "[0.1,0.2,0.3,0.4]"}
ALIKE = {"learning_rate": 0.1, "random_state": 0}  # in all libraries


class BinaryXGBRanker(XGBRanker):
    """XGBRanker on binary labels, the only ones that rank:map takes."""

    def fit(self, X, y, **kwargs):
        """Fit to whether a document is relevant."""
        return super().fit(X, (y > 0).astype(int), **kwargs)


def contestants(top_grade, n_iterations):
    g, whole = G_OF_SCALE[top_grade], {"truncation_level": None}
    lightgbm = {
        **ALIKE,
        "n_estimators": n_iterations,
        "num_leaves": 15,
        "max_bin": 63,
        "n_jobs": 1,
    }
    xgboost = {
        **ALIKE,
        "n_estimators": n_iterations,
        "max_leaves": 15,
        "max_bin": 64,
        "n_jobs": 1,
    }
    catboost = {**ALIKE, "iterations": n_iterations, "depth": 4, "border_count": 64}
    catboost |= {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    objectives = {
        "lambdarank": "lambdarank",
        "xGAP(g), all pairs": objective(f"xGAP(g={g})", **whole),
        "xGAP(uniform), all pairs": objective(f"xGAP(max_grade={top_grade})", **whole),
        "eGAP(uniform), all pairs": objective(f"eGAP(max_grade={top_grade})", **whole),
        "Q-measure, all pairs": objective("QMeasure", **whole),
        "rank_xendcg": "rank_xendcg",
        "regression": "regression",
    }
    modes = {"": "", " NDCG": ":mode=NDCG", " MAP": ":mode=MAP", " ERR": ":mode=ERR"}
    return {
        **{
            name: LGBMRanker(objective=each, verbose=-1, **lightgbm)
            for name, each in objectives.items()
        },
        "lambdarank, no truncation": LGBMRanker(
            objective="lambdarank",
            lambdarank_truncation_level=1_000_000,
            verbose=-1,
            **lightgbm,
        ),
        "XGBoost rank:ndcg": XGBRanker(objective="rank:ndcg", **xgboost),
        "XGBoost rank:map": BinaryXGBRanker(objective="rank:map", **xgboost),
        **{
            f"YetiRank{name}": CatBoostRanker(
                loss_function=f"YetiRank{mode}", **catboost
            )
            for name, mode in modes.items()
        },
    }


def compare(name, options):
    data = SETS[name]()
    top_grade = int(data[1].max())
    g = G_OF_SCALE[top_grade]
    chosen = contestants(top_grade, options.iterations)
    protocol = Protocol(
        judges=[f"xGAP(g={g})", f"eGAP(g={g})", "QMeasure", "nDCG@10"],
        n_iterations=options.iterations,
        folder=options.folder / name.replace(" ", "_"),
        n_folds=options.folds,
        n_repeats=options.repeats,
        n_jobs=options.jobs,
    )
    left = {
        each: ranker for each, ranker in chosen.items() if each not in options.without
    }
    return protocol.compare(left, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--folder", type=Path, required=True, help="where the values are kept"
    )
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument(
        "--without", nargs="+", default=[], help="objectives to leave out"
    )
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    results = {}
    for name in options.sets:
        results[name] = compare(name, options)
        print(f"{name}\n{results[name]}\n", flush=True)
    if len(results) > 1:
        print_pooled(results)


if __name__ == "__main__":
    main()
