"""LightGBM #1137: how to pass ``group`` to a grid search over LGBMRanker
=========================================================================

Group sizes cannot be cut into folds along with the rows, but query ids can.
https://github.com/lightgbm-org/LightGBM/issues/1137
"""

# %%
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from skgraded import QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=100, random_state=0)

ranker = QueryRanker(LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1), measure="nDCG@10")
grid = {"estimator__num_leaves": [7, 31], "estimator__learning_rate": [0.03, 0.1]}
search = GridSearchCV(ranker, grid, cv=QueryKFold(5))
search.fit(X, query_target(y, qid))
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")
