"""Early stopping by xGAP with LightGBM alone: LGBMRanker, lightgbm.train and lightgbm.cv
=========================================================================================

The same `eval_metric(...)` object works in all three. `metric="None"` turns off LightGBM's own
ndcg@1..5, which would otherwise be the first metrics and stop the training.
"""

# %%
import inspect

import lightgbm as lgb
import numpy as np

from skgraded import QueryKFold
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.lightgbm import eval_metric

X, y, qid = make_ranking(n_queries=150, random_state=0)
train, valid = next(QueryKFold(5).split(X, groups=qid))
sizes = {
    name: np.unique(qid[rows], return_counts=True)[1]
    for name, rows in {"train": train, "valid": valid}.items()
}
metric = eval_metric("xGAP(g=[0.1,0.2,0.3,0.4])@10", "nDCG@10")

# %%
# LGBMRanker. LightGBM 4.7 replaced eval_set by eval_X and eval_y.
ranker = lgb.LGBMRanker(n_estimators=300, metric="None", n_jobs=1, verbose=-1)
renamed = "eval_X" in inspect.signature(ranker.fit).parameters
evaluation = (
    {"eval_X": X[valid], "eval_y": y[valid]}
    if renamed
    else {"eval_set": [(X[valid], y[valid])]}
)
ranker.fit(
    X[train],
    y[train],
    group=sizes["train"],
    **evaluation,
    eval_group=[sizes["valid"]],
    eval_metric=metric,
    callbacks=[lgb.early_stopping(20, first_metric_only=True, verbose=False)],
)
print(f"LGBMRanker     stopped at {ranker.best_iteration_}")
name = "xGAP(g=[0.1,0.2,0.3,0.4])@10"
history = np.array(ranker.evals_result_["valid_0"][name])
display = TrainingDisplay(
    values=history, best_iteration=ranker.best_iteration_, measure=name
).plot()

# %%
# lightgbm.train, with the same metric object, stops at the same iteration.
data = lgb.Dataset(X[train], y[train], group=sizes["train"])
booster = lgb.train(
    {"objective": "lambdarank", "metric": "None", "num_threads": 1, "verbose": -1},
    data,
    num_boost_round=300,
    valid_sets=[lgb.Dataset(X[valid], y[valid], group=sizes["valid"], reference=data)],
    feval=metric,
    callbacks=[lgb.early_stopping(20, first_metric_only=True, verbose=False)],
)
print(f"lightgbm.train stopped at {booster.best_iteration}")

# %%
# lightgbm.cv, with folds of whole queries as pairs of row numbers.
data = lgb.Dataset(X, y, group=np.bincount(qid))
history = lgb.cv(
    {"objective": "lambdarank", "metric": "None", "num_threads": 1, "verbose": -1},
    data,
    num_boost_round=300,
    folds=list(QueryKFold(5).split(X, groups=qid)),
    feval=metric,
    callbacks=[lgb.early_stopping(20, first_metric_only=True, verbose=False)],
)
means = history[f"valid {name}-mean"]
print(f"lightgbm.cv    stopped at {len(means)}: {means[-1]:.4f}")
