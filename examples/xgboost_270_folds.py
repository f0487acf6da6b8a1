"""XGBoost #270: cross-validation for ranking needs folds of whole groups
=========================================================================

Folds of rows put documents of the same query into the training and the test set, so that the score
is too high. QueryRanker warns about it, because `query_target` holds the number of rows of each
query. Folds of whole queries estimate the score on new queries. The values of all queries then
show whether the difference between two models is significant.
https://github.com/dmlc/xgboost/issues/270
"""

# %%
import warnings

from sklearn.model_selection import KFold, cross_val_score
from xgboost import XGBRanker

from skgraded import (
    QueryKFold,
    QueryRanker,
    compare,
    cross_validate_queries,
    query_target,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    SkgradedWarning,
)

X, y, qid = make_ranking(n_queries=100, random_state=0)
target = query_target(y, qid)
ranker = QueryRanker(XGBRanker(n_estimators=30, n_jobs=1), measure="nDCG@10")

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", SkgradedWarning)
    of_rows = cross_val_score(ranker, X, target, cv=KFold(5, shuffle=True, random_state=0))
print(f"folds of rows:    {of_rows.mean():.4f}", *(each.category.__name__ for each in caught))
of_queries = cross_val_score(ranker, X, target, cv=QueryKFold(5))
print(f"folds of queries: {of_queries.mean():.4f}")

# %%
shallow = QueryRanker(XGBRanker(n_estimators=30, max_depth=1, n_jobs=1), measure="nDCG@10")
rankers = {"depth 6": ranker, "depth 1": shallow}
print(compare(cross_validate_queries(rankers, X, target, cv=5)))
