"""Find out which training objective is best for your measure, or that your data cannot tell
============================================================================================

All rankers are trained on the same folds, stopped by the same measure on held-out queries, and
judged on queries that they have not seen. The intervals carry the variation over queries and over
repeated splits, and all p-values share one correction. The data here are small: put your own in
their place, and take as many queries as you have.

Long comparisons should survive an interruption. In the folder that you name, every repeat of
every ranker has a file, and an existing file is read instead of training again.

    python examples/which_objective.py [--folder FOLDER] [--plot FILE]
"""

import argparse
import hashlib
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from lightgbm import LGBMRanker
from xgboost import XGBRanker

from skgraded import QueryKFold, QueryRanker, compare, cross_validate_queries, xGAP
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.results import Scores

words = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawTextHelpFormatter
)
words.add_argument(
    "--folder", type=Path, help="folder for the results; none are kept without it"
)
words.add_argument("--plot", type=Path, help="file for the plot")
options = words.parse_args()

# %%
# What to compare: objectives, parameters, and rankers of other libraries. Every ranker trains all
# its trees and keeps as many as are best on a quarter of its training queries.
X, y, qid = make_ranking(
    80, docs_per_query=(10, 30), grade_shares=(0.7, 0.25, 0.05), random_state=0
)
JUDGE = xGAP(g=(0.1, 0.9))
FOLDS, REPEATS, TREES = 3, 5, 25
tree = {"n_estimators": TREES, "num_leaves": 7, "min_child_samples": 10, "n_jobs": 1}
for_xgap = objective("xGAP(max_grade=2)", truncation_level=None)
RANKERS = {
    "lambdarank": LGBMRanker(objective="lambdarank", verbose=-1, **tree),
    "xGAP, all pairs": LGBMRanker(objective=for_xgap, verbose=-1, **tree),
    "regression": LGBMRanker(objective="regression", verbose=-1, **tree),
    "XGBoost": XGBRanker(n_estimators=TREES, max_depth=3, learning_rate=0.1, n_jobs=1),
}
ARRAYS = ("qid", "values", "folds")


def cross_validated(name, repeat):
    """Return the arrays of a ranker's cross-validation in one repeat."""
    ranker = QueryRanker(
        RANKERS[name],
        measure=JUDGE,
        validation_fraction=0.25,
        early_stopping_rounds=TREES,
        random_state=repeat,
    )
    cv = QueryKFold(FOLDS, random_state=repeat)
    found = cross_validate_queries(ranker, X, y, qid=qid, cv=cv)
    return {each: getattr(found, each) for each in ARRAYS}


# %%
# Beside the results, a file holds the name of the ranker and a hash of the data; a file of another
# ranker or of other data is refused. It does not hold the ranker's parameters or your code: when
# you change what a name stands for, take another name or another folder.
DATA = hashlib.sha256(b"".join(each.tobytes() for each in (X, y, qid))).hexdigest()


def read_or_make(folder, name, repeat):
    """Return the arrays of a repeat from its file, which is made if it is not there."""
    path = folder / f"{name.replace(', ', '_').replace(' ', '_')}.{repeat}.npz"
    if not path.exists():
        part = path.with_suffix(".part")  # renamed when it is complete
        with part.open("wb") as file:
            np.savez(file, ranker=name, data=DATA, **cross_validated(name, repeat))
        part.replace(path)
    with np.load(path) as stored:
        if (stored["ranker"], stored["data"]) != (name, DATA):
            raise SystemExit(
                f"{path} belongs to other data or to another ranker: move it away."
            )
        return {each: stored[each] for each in ARRAYS}


def joined(repeats):
    """Put repeats together as one repeated cross-validation."""
    queries = repeats[0]["qid"].tolist()
    aligned = [
        Scores(measures=(str(JUDGE),), directions=(1,), **each).select(qid=queries)
        for each in repeats
    ]
    return replace(
        aligned[0],
        values=np.concatenate([each.values for each in aligned]),
        folds=np.concatenate(
            [each.folds + FOLDS * n for n, each in enumerate(aligned)]
        ),
    )


with tempfile.TemporaryDirectory() as scratch:
    folder = options.folder or Path(scratch)
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        name: joined([read_or_make(folder, name, repeat) for repeat in range(REPEATS)])
        for name in RANKERS
    }

# %%
# An interval that holds 0 does not prove that there is no difference: its ends say how large one
# may still be, and `queries_needed` how many queries would show it.
comparison = compare(found, baseline="lambdarank")
print(comparison)
needed = comparison.queries_needed(effect=0.005)
for (system, _), (number,) in zip(comparison.pairs, needed, strict=True):
    name = comparison.systems[system]
    print(f"{name:16} {number:6,.0f} queries to show a difference of 0.005")

# %%
# The same as a picture.
ax = comparison.plot()
if options.plot is not None:
    ax.figure.savefig(options.plot, dpi=110, bbox_inches="tight")
