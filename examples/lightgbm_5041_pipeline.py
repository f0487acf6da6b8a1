"""LightGBM #5041: LGBMRanker at the end of a Pipeline in a randomized search
=============================================================================

QueryRanker wraps the Pipeline and passes the query sizes to its last step. The transformers are
fitted on the training queries only, and also transform the validation queries for early stopping.
https://github.com/lightgbm-org/LightGBM/issues/5041
"""

# %%
from lightgbm import LGBMRanker
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import QuantileTransformer

from skgraded import QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=100, random_state=0)

pipeline = Pipeline(
    [
        ("scale", QuantileTransformer(n_quantiles=100)),
        ("select", SelectKBest()),
        ("rank", LGBMRanker(n_estimators=200, n_jobs=1, verbose=-1)),
    ]
)
ranker = QueryRanker(
    pipeline,
    measure="nDCG@10",
    validation_fraction=0.2,
    early_stopping_rounds=20,
    random_state=0,
)
choices = {"estimator__select__k": [5, 10, "all"], "estimator__rank__num_leaves": [7, 15, 31]}
search = RandomizedSearchCV(ranker, choices, n_iter=4, cv=QueryKFold(3), random_state=0)
search.fit(X, query_target(y, qid))
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")
