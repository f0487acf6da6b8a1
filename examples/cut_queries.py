"""See why folds must not cut queries: every model looks better than it is
==========================================================================

Folds of rows, such as those of `KFold`, give a model some documents of the queries that it is then
tested on, and the test lists are short. Both make the score too high. Folds of whole queries tell
what new queries will get. ``python cut_queries.py cut_queries.png`` saves the picture.
"""

# %%
# 100 queries to learn from. 1,000 others show what the models are worth.
import sys

import matplotlib.pyplot as plt
import numpy as np
from lightgbm import LGBMRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, nDCG
from skgraded.datasets import make_ranking

n_known, n_new = 100, 1000
X, y, qid = make_ranking(n_queries=n_known + n_new, docs_per_query=60, random_state=0)
known = qid < n_known
models = {
    "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsRegressor(10)),
    "linear": make_pipeline(StandardScaler(), Ridge()),
    "large trees": LGBMRegressor(
        num_leaves=127, min_child_samples=2, n_jobs=1, verbose=-1
    ),
    "small trees": LGBMRegressor(num_leaves=7, n_jobs=1, verbose=-1),
}
measure = nDCG(k=10)


# %%
# The same cross-validation with both kinds of folds. Its models learn from 80 queries, so that even
# folds of whole queries are a little off; that error is on the safe side.
def cross_validated(model, folds):
    values = []
    for train, test in folds:
        scores = model.fit(X[train], y[train]).predict(X[test])
        values.append(measure(y[test], scores, qid=qid[test]))
    return np.mean(values)


row_folds = list(KFold(5, shuffle=True, random_state=0).split(X[known]))
query_folds = list(QueryKFold(5).split(X[known], groups=qid[known]))
cut = [cross_validated(model, row_folds) for model in models.values()]
whole = [cross_validated(model, query_folds) for model in models.values()]
truth = [
    measure(
        y[~known], model.fit(X[known], y[known]).predict(X[~known]), qid=qid[~known]
    )
    for model in models.values()
]
for row, name in enumerate(models):
    print(
        f"{name:18}  folds that cut queries {cut[row]:.3f}, "
        f"of whole queries {whole[row]:.3f}, new queries {truth[row]:.3f}"
    )

# %%
# By folds that cut queries, the worst model seems better than the best one is.
figure, ax = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
rows = np.arange(len(models))
ax.hlines(rows, truth, cut, color="#D55E00", alpha=0.35, linewidth=6)
ax.plot(cut, rows, "X", color="#D55E00", markersize=9, label="folds that cut queries")
ax.plot(whole, rows, "o", color="#0072B2", markersize=9, label="folds of whole queries")
ax.plot(
    truth, rows, "|", color="black", markersize=22, label="truth: 1,000 new queries"
)
ax.set_yticks(rows, models)
ax.set(xlabel="nDCG@10", ylim=(-0.6, len(models) - 0.4))
ax.set_title("Folds that cut queries promise too much", loc="left", weight="bold")
ax.axvline(max(truth), color="black", linestyle=":", linewidth=1)
note = {"textcoords": "offset points", "xytext": (4, 0), "fontsize": 8, "va": "center"}
ax.annotate("no model is better than this", (max(truth), -0.45), **note)
figure.legend(loc="outside lower center", ncols=3, frameon=False, columnspacing=1)
ax.spines[["top", "right", "left"]].set_visible(False)
ax.tick_params(left=False)
if sys.argv[1:]:
    figure.savefig(sys.argv[1], dpi=110)
