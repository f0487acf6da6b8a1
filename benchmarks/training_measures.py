"""Compare objectives of training with LightGBM's lambdarank, by several measures on several sets.

The variants and controls below are fixed before a run. A table for each set and a pooled one show
differences with intervals over queries and repeats; a forest plot draws them. With --folder, a run
that was stopped goes on, and repeats can be added. The sets are in benchmarks/_training_sets.py.

    python benchmarks/training_measures.py [--sets NAME ...] [--repeats N] [--folder FOLDER] ...
"""

import argparse
from pathlib import Path

from _training_sets import SETS
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from xgboost import XGBRanker

from skgraded.lightgbm import objective
from skgraded.studies import combine_objectives, compare_objectives

G_OF_SCALE = {2: "[0.1,0.9]", 4: "[0.1,0.2,0.3,0.4]"}
ALIKE = {"learning_rate": 0.1, "random_state": 0}  # in all libraries


class BinaryXGBRanker(XGBRanker):
    """XGBRanker on binary labels, the only ones that rank:map takes."""

    def fit(self, X, y, **kwargs):
        """Fit to whether a document is relevant."""
        return super().fit(X, (y > 0).astype(int), **kwargs)


def contestants(top_grade, n_iterations):
    g, whole = G_OF_SCALE[top_grade], {"truncation_level": None}
    xgboost = {**ALIKE, "n_estimators": n_iterations, "max_leaves": 15, "max_bin": 64}
    catboost = {**ALIKE, "iterations": n_iterations, "depth": 4, "border_count": 64}
    catboost |= {"verbose": False, "allow_writing_files": False}
    modes = {"": "", " NDCG": ":mode=NDCG", " MAP": ":mode=MAP", " ERR": ":mode=ERR"}
    return {
        "lambdarank": "lambdarank",
        "xGAP(g), all pairs": objective(f"xGAP(g={g})", **whole),
        "xGAP(uniform), all pairs": objective(f"xGAP(max_grade={top_grade})", **whole),
        "eGAP(uniform), all pairs": objective(f"eGAP(max_grade={top_grade})", **whole),
        "Q-measure, all pairs": objective("QMeasure", **whole),
        "lambdarank, no truncation": {"lambdarank_truncation_level": 1_000_000},
        "rank_xendcg": "rank_xendcg",
        "regression": "regression",
        "XGBoost rank:ndcg": XGBRanker(objective="rank:ndcg", **xgboost),
        "XGBoost rank:map": BinaryXGBRanker(objective="rank:map", **xgboost),
        **{
            f"YetiRank{name}": CatBoostRanker(loss_function=f"YetiRank{mode}", **catboost)
            for name, mode in modes.items()
        },
    }


def compare(name, options):
    X, y, qid = SETS[name]()
    top_grade = int(y.max())
    g = G_OF_SCALE[top_grade]
    chosen = contestants(top_grade, options.iterations)
    return compare_objectives(
        LGBMRanker(**ALIKE, n_estimators=options.iterations, num_leaves=15, max_bin=63, verbose=-1),
        {each: chosen[each] for each in chosen if each not in options.without},
        {"xGAP": f"xGAP(g={g})", "eGAP": f"eGAP(g={g})", "Q": "QMeasure", "nDCG@10": "nDCG@10"},
        X,
        y,
        qid=qid,
        cv=options.folds,
        n_repeats=options.repeats,
        n_jobs=options.jobs,
        path=options.folder and options.folder / name.replace(" ", "_"),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--without", nargs="+", default=[], help="objectives to leave out")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--folder", type=Path, help="where trainings are kept, to go on from")
    parser.add_argument("--plots", type=Path, help="where forest plots are saved, one a judge")
    options = parser.parse_args()
    results = {}
    for name in options.sets:
        results[name] = compare(name, options)
        print(f"{name}\n{results[name]}\n", flush=True)
    if len(results) > 1:
        pooled = combine_objectives(results)
        print(f"Pooled\n{pooled}")
        for judge in pooled.judges if options.plots else ():
            options.plots.mkdir(parents=True, exist_ok=True)
            ax = pooled.plot(judge)
            ax.figure.savefig(options.plots / f"forest_{judge.partition('@')[0]}.png", dpi=110)


if __name__ == "__main__":
    main()
