"""LightGBM #3018: "Sum of query counts is not same with #data" in a grid search
================================================================================

The error means that the group sizes cover all queries, but the rows belong to a fold. Query ids are
cut along with the rows. Early stopping then works in every fit, on validation queries that
QueryRanker holds out.
https://github.com/lightgbm-org/LightGBM/issues/3018
"""

# %%
import numpy as np
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from skgraded import QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking

X, y, _ = make_ranking(n_queries=100, docs_per_query=20, random_state=0)
group = [20] * 100  # the argument of LGBMRanker.fit

# %%
qid = np.repeat(np.arange(len(group)), group)
ranker = QueryRanker(
    LGBMRanker(n_estimators=300, n_jobs=1, verbose=-1),
    measure="nDCG@10",
    validation_fraction=0.2,
    early_stopping_rounds=20,
    random_state=0,
)
search = GridSearchCV(ranker, {"estimator__num_leaves": [7, 31]}, cv=QueryKFold(3))
search.fit(X, query_target(y, qid))
print(f"{search.best_params_}, {search.best_estimator_.best_iteration_} trees")
