"""Select the training objective by cross-validated xGAP
========================================================

The best objective is not always the measure used for evaluation. If g gives most weight to grades
that few documents have, a measure that also distinguishes the lower grades gives more documents a
gradient. Cross-validation can select the objective.
"""

# %%
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from skgraded import QueryKFold, QueryRanker, query_target, xGAP
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

# 1.5 % of the documents have the top grade, which 90 % of the users require.
X, y, qid = make_ranking(n_queries=200, grade_shares=(0.8, 0.185, 0.015), random_state=0)
target = xGAP(g=(0.1, 0.9))

# %%
# The search includes LightGBM's own objective and the number of trees.
TRAIN_FOR = {
    "lambdarank": "lambdarank",
    "xGAP, the target": objective(target),
    "xGAP, flatter g": objective(xGAP(g=(0.5, 0.5))),
    "xGAP, flatter g, all pairs": objective(xGAP(g=(0.5, 0.5)), truncation_level=None),
    "GAP": objective("GAP(g=[0.1,0.9])"),
    "QMeasure": objective("QMeasure"),
}
search = GridSearchCV(
    QueryRanker(LGBMRanker(num_leaves=15, n_jobs=1, verbose=-1), measure=target),
    {
        "estimator__objective": list(TRAIN_FOR.values()),
        "estimator__n_estimators": [30, 60],
    },
    cv=QueryKFold(3),
).fit(X, query_target(y, qid))

# %%
results = search.cv_results_
for name, chosen in TRAIN_FOR.items():
    trials = [
        i for i, params in enumerate(results["params"]) if params["estimator__objective"] == chosen
    ]
    best = max(trials, key=lambda i: results["mean_test_score"][i])
    mean, spread = results["mean_test_score"][best], results["std_test_score"][best]
    print(f"{name:28} {mean:.4f}, folds spread by {spread:.4f}")
