"""XGBoost #4844: GridSearchCV with XGBRanker
=============================================

XGBRanker needs numeric query ids and rows that are sorted by them, also within folds. QueryRanker
accepts ids of any type, and rows in any order.
https://github.com/dmlc/xgboost/issues/4844
"""

# %%
import numpy as np
from sklearn.model_selection import GridSearchCV
from xgboost import XGBRanker

from skgraded import QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking

X, y, number = make_ranking(n_queries=100, random_state=0)
rows = np.random.default_rng(0).permutation(len(y))
X, y, qid = X[rows], y[rows], np.array([f"query {each}" for each in number[rows]])

ranker = QueryRanker(XGBRanker(n_estimators=30, n_jobs=1), measure="nDCG@10")
search = GridSearchCV(ranker, {"estimator__max_depth": [2, 4, 6]}, cv=QueryKFold(5))
search.fit(X, query_target(y, qid))
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")
