"""Let cross-validation choose the training objective
=====================================================

An objective is a parameter of the ranker, so that a search can choose it together with the number
of trees. Nobody knows beforehand which objective is best for a measure, the measure itself
included: over five data sets with 1,022 queries, training for xGAP with uniform g and all pairs
differed from LightGBM's lambdarank by +.004 in xGAP, with a 95 % interval from +.001 to +.006
(``benchmarks/training_measures.py``). So the search is followed by a comparison with intervals,
over all queries and five repeated splits.
"""

# %%
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skgraded import (
    QueryKFold,
    QueryRanker,
    compare,
    cross_validate_queries,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

# 200 queries, made up. 1.5 % of the documents have the top grade, which 90 % of the users require.
X, y, qid = make_ranking(
    n_queries=200, grade_shares=(0.8, 0.185, 0.015), random_state=0
)
target = xGAP(g=(0.1, 0.9))

# %%
# The search includes LightGBM's own objective and the number of trees.
TRAIN_FOR = {
    "lambdarank": "lambdarank",
    "xGAP": objective(target),
    "xGAP, all pairs": objective(target, truncation_level=None),
    "QMeasure": objective("QMeasure"),
}
ranker = QueryRanker(LGBMRanker(num_leaves=15, n_jobs=1, verbose=-1), measure=target)
search = GridSearchCV(
    ranker,
    {
        "estimator__objective": list(TRAIN_FOR.values()),
        "estimator__n_estimators": [30, 60],
    },
    cv=QueryKFold(3),
).fit(X, query_target(y, qid))
best = search.best_params_
chosen = next(
    name for name, each in TRAIN_FOR.items() if each == best["estimator__objective"]
)
print(
    f"Chosen: {chosen}, {best['estimator__n_estimators']} trees, {search.best_score_:.4f}\n"
)

# %%
# The best of eight means is too high by chance. What is known about the differences, with as many
# trees for all objectives? Each is compared with lambdarank.
trees = best["estimator__n_estimators"]
rankers = {
    name: clone(ranker).set_params(
        estimator__objective=each, estimator__n_estimators=trees
    )
    for name, each in TRAIN_FOR.items()
}
found = cross_validate_queries(rankers, X, y, qid=qid, cv=3, n_repeats=5)
comparison = compare(found, baseline="lambdarank")
print(comparison)

# %%
# How many queries would show a difference of 0.005 in 80 of 100 cases?
needed = comparison.queries_needed(effect=0.005)
for (system, _), (number,) in zip(comparison.pairs, needed, strict=True):
    print(f"{comparison.systems[system]:16} {number:6,.0f} queries")

# %%
# The same as a picture.
ax = comparison.plot()
