"""Find out which training objective is best for your measure, or that your data cannot tell
============================================================================================

Every objective is trained on the same folds, stopped on the same validation queries and judged on
queries that it has not seen. The intervals carry the variation over queries and over repeated
splits, and all p-values share one correction. The two data sets here are small: put your own in
their place, and take as many queries as you have.

    python examples/which_objective.py [--plots FOLDER]
"""

import argparse
import tempfile
from pathlib import Path

from lightgbm import LGBMRanker
from xgboost import XGBRanker

from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.studies import combine_objectives, compare_objectives

words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
words.add_argument("--plots", type=Path, help="folder for the plots")
plots = words.parse_args().plots

# %%
# What to compare: an objective, parameters, or another estimator. What to judge by, under names
# that hold on all data sets.
ranker = LGBMRanker(n_estimators=25, num_leaves=7, min_child_samples=10, verbose=-1)
OBJECTIVES = {
    "lambdarank": "lambdarank",
    "xGAP, all pairs": objective("xGAP(max_grade=2)", truncation_level=None),
    "regression": "regression",
    "XGBoost": XGBRanker(n_estimators=25, max_depth=3, learning_rate=0.1, objective="rank:ndcg"),
}
JUDGES = {"xGAP": "xGAP(g=[0.1,0.9])", "nDCG@10": "nDCG@10"}
SETS = {
    name: make_ranking(60, docs_per_query=(10, 30), grade_shares=shares, random_state=0)
    for name, shares in {"few top": (0.7, 0.25, 0.05), "many top": (0.5, 0.3, 0.2)}.items()
}

# %%
# One study for each data set. It keeps finished trainings in a folder, from which it goes on if it
# is stopped; give it a folder that stays.
with tempfile.TemporaryDirectory() as folder:
    found = {
        name: compare_objectives(
            ranker, OBJECTIVES, JUDGES, X, y, qid=qid, cv=3, path=Path(folder) / name
        )
        for name, (X, y, qid) in SETS.items()
    }
for name, each in found.items():
    print(f"{name}\n{each}\n")

# %%
# Differences that are weighted by how well each data set knows them.
pooled = combine_objectives(found)
print(f"Pooled\n{pooled}")

# %%
# An interval that holds 0 is no proof that there is no difference: its ends say how large one may
# still be.
table = pooled.to_frame().query("data_set == 'pooled' and judge == 'xGAP'")
print("\n", table[["objective", "difference", "low", "high", "p_value"]].to_string(index=False))

# %%
# The same as pictures, and how the objectives got there.
forest, curves = pooled.plot("xGAP"), found["few top"].plot_curves("xGAP")
if plots is not None:
    plots.mkdir(parents=True, exist_ok=True)
    forest.figure.savefig(plots / "objectives_forest.png", dpi=110)
    curves.figure.savefig(plots / "objectives_curves.png", dpi=110)
    print(f"Saved the plots in {plots}.")
