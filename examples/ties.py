"""See why ties need an expected value: a model that has learned nothing comes first
====================================================================================

LightGBM and XGBoost rank tied documents in the order of their rows. Exported judgments and click
logs often hold the best documents first. Then the score of a constant model is perfect, and the
score falls while the model learns. The expected value over all orders of the tied documents does
not depend on the order of the rows. ``python ties.py ties.png`` saves the picture.
"""

# %%
# Rows stand best first. The model is trained on 100 queries, and scored on 200 others.
import sys

import lightgbm as lgb
import matplotlib.pyplot as plt
import numpy as np

from skgraded import QueryKFold, evaluate
from skgraded.conventions import measure_as
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=300, random_state=0)
best_first = np.lexsort((-y, qid))
X, y, qid = X[best_first], y[best_first], qid[best_first]
test, train = next(QueryKFold(3).split(X, groups=qid))
sizes = np.unique(qid[train], return_counts=True)[1]
booster = lgb.train(
    {"objective": "lambdarank", "num_leaves": 3, "num_threads": 1, "verbose": -1},
    lgb.Dataset(X[train], y[train], group=sizes),
    num_boost_round=40,
)

# %%
# Few trees of three leaves leave most documents tied. `measure_as` is LightGBM's own number.
measures = {
    "LightGBM": measure_as("lightgbm", "ndcg@10"),
    "expected": "nDCG(gain=exp2,empty=1)@10",
}
n_trees = np.arange(41)
models = {f"{n} trees": booster.predict(X[test], num_iteration=n) for n in n_trees[1:]}
models = {"0 trees": np.zeros(len(test)), **models}
scores = evaluate(measures, y[test], models, qid=qid[test])
means = {name: [each[name] for each in scores.mean().values()] for name in measures}
for n in (0, 1, 5, 40):
    by_rows, expected = (means[name][n] for name in measures)
    print(f"{n:2} trees:  {by_rows:.3f} by row order, {expected:.3f} expected")

# %%
# LightGBM's metric prefers the model without trees to all others.
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for name, colour, label in (
    ("LightGBM", "#D55E00", "tied documents in row order (LightGBM, XGBoost)"),
    ("expected", "#0072B2", "expected value over their orders (skgraded)"),
):
    ax.plot(n_trees, means[name], color=colour, linewidth=2, label=label)
    best = int(np.argmax(means[name]))
    ax.plot(best, means[name][best], "o", color=colour)
    said = "best: no tree at all" if best == 0 else f"best: {best} trees"
    side = (
        {"ha": "left", "xytext": (8, 0)}
        if best == 0
        else {"ha": "right", "xytext": (0, 8)}
    )
    ax.annotate(
        said,
        (best, means[name][best]),
        textcoords="offset points",
        color=colour,
        **side,
    )
ax.set(xlabel="trees of three leaves", ylabel="nDCG@10 on test queries", ylim=(0, 1.05))
ax.set_title(
    "By row order, the model that has learned nothing wins", loc="left", weight="bold"
)
ax.legend(loc="lower right", frameon=False)
ax.spines[["top", "right"]].set_visible(False)
if sys.argv[1:]:
    figure.savefig(sys.argv[1], dpi=110)
