"""Answers to questions of LightGBM's and XGBoost's users
======================================================

How to search, validate and stop the training of a ranker with scikit-learn's tools.
"""

# %%
import warnings

import numpy as np
import sklearn
from lightgbm import LGBMRanker
from scipy.stats import randint
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import QuantileTransformer
from xgboost import XGBRanker

from skgraded import (
    QueryKFold,
    QueryRanker,
    compare,
    cross_validate_queries,
    make_ranking_scorer,
    query_target,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import SkgradedWarning

X, y, qid = make_ranking(n_queries=100, random_state=0)
target = query_target(y, qid)

# %%
# How can ``group`` be passed to a grid search?
# ---------------------------------------------
#
# Group sizes cannot be cut into folds along with the rows, but query ids can.
# (`LightGBM #1137 <https://github.com/lightgbm-org/LightGBM/issues/1137>`__)
ranker = QueryRanker(
    LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1), measure="nDCG@10"
)
grid = {"estimator__num_leaves": [7, 31], "estimator__learning_rate": [0.03, 0.1]}
search = GridSearchCV(ranker, grid, cv=QueryKFold(5))
search.fit(X, target)
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")

# %%
# "Sum of query counts is not same with #data"
# --------------------------------------------
#
# The error means that the group sizes cover all queries, but the rows belong to a fold. Make query
# ids of the sizes: they are cut along with the rows. Early stopping then works in every fit, on
# validation queries that QueryRanker holds out.
# (`LightGBM #3018 <https://github.com/lightgbm-org/LightGBM/issues/3018>`__)
_, group = np.unique(qid, return_counts=True)  # the argument of LGBMRanker.fit
qid_of_sizes = np.repeat(np.arange(len(group)), group)
stopping = {"validation_fraction": 0.2, "early_stopping_rounds": 20, "random_state": 0}
stopped = QueryRanker(
    LGBMRanker(n_estimators=300, n_jobs=1, verbose=-1), measure="nDCG@10", **stopping
)
search = GridSearchCV(stopped, {"estimator__num_leaves": [7, 31]}, cv=QueryKFold(3))
search.fit(X, query_target(y, qid_of_sizes))
print(f"{search.best_params_}, {search.best_estimator_.best_iteration_} trees")

# %%
# LGBMRanker at the end of a Pipeline in a randomized search
# ----------------------------------------------------------
#
# QueryRanker wraps the Pipeline and passes the query sizes to its last step. The transformers are
# fitted on the training queries only, and also transform the validation queries for early stopping.
# (`LightGBM #5041 <https://github.com/lightgbm-org/LightGBM/issues/5041>`__)
pipeline = Pipeline(
    [
        ("scale", QuantileTransformer(n_quantiles=100)),
        ("select", SelectKBest()),
        ("rank", LGBMRanker(n_estimators=200, n_jobs=1, verbose=-1)),
    ]
)
choices = {
    "estimator__select__k": [5, 10, "all"],
    "estimator__rank__num_leaves": [7, 15, 31],
}
search = RandomizedSearchCV(
    QueryRanker(pipeline, measure="nDCG@10", **stopping),
    choices,
    n_iter=4,
    cv=QueryKFold(3),
    random_state=0,
)
search.fit(X, target)
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")

# %%
# RandomizedSearchCV with several measures and query ids
# ------------------------------------------------------
#
# The folds and the ranker need the same query ids. With metadata routing, the keyword ``qid``
# passes them to the splitter, to the ranker and to the scorer.
# (`LightGBM #5660 <https://github.com/lightgbm-org/LightGBM/issues/5660>`__)
with sklearn.config_context(enable_metadata_routing=True):
    search = RandomizedSearchCV(
        ranker,
        {
            "estimator__num_leaves": randint(3, 40),
            "estimator__min_child_samples": randint(5, 50),
        },
        n_iter=5,
        scoring=make_ranking_scorer(
            {"ndcg": "nDCG@10", "xgap": "xGAP(max_grade=4)@10"}
        ),
        refit="ndcg",
        cv=QueryKFold(5),
        random_state=0,
    )
    search.fit(X, y, qid=qid)
xgap = search.cv_results_["mean_test_xgap"][search.best_index_]
print(
    f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}, xGAP@10 = {xgap:.4f}"
)

# %%
# Why does cross-validation for ranking need folds of whole groups?
# -----------------------------------------------------------------
#
# Folds of rows put documents of the same query into the training and the test set, so that the
# score is too high. QueryRanker warns about it, because `query_target` holds the number of rows of
# each query. Folds of whole queries estimate the score on new queries. The values of all queries
# then show whether the difference between two models is significant.
# (`XGBoost #270 <https://github.com/dmlc/xgboost/issues/270>`__)
deep = QueryRanker(XGBRanker(n_estimators=30, n_jobs=1), measure="nDCG@10")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", SkgradedWarning)
    of_rows = cross_val_score(
        deep, X, target, cv=KFold(5, shuffle=True, random_state=0)
    )
print(
    f"folds of rows:    {of_rows.mean():.4f}",
    *(each.category.__name__ for each in caught),
)
of_queries = cross_val_score(deep, X, target, cv=QueryKFold(5))
print(f"folds of queries: {of_queries.mean():.4f}")

# %%
shallow = QueryRanker(
    XGBRanker(n_estimators=30, max_depth=1, n_jobs=1), measure="nDCG@10"
)
rankers = {"depth 6": deep, "depth 1": shallow}
print(compare(cross_validate_queries(rankers, X, target, cv=5)))

# %%
# GridSearchCV with XGBRanker
# ---------------------------
#
# XGBRanker needs numeric query ids and rows that are sorted by them, also within folds. QueryRanker
# accepts ids of any type, and rows in any order.
# (`XGBoost #4844 <https://github.com/dmlc/xgboost/issues/4844>`__)
rows = np.random.default_rng(0).permutation(len(y))
names = np.array([f"query {each}" for each in qid[rows]])
search = GridSearchCV(deep, {"estimator__max_depth": [2, 4, 6]}, cv=QueryKFold(5))
search.fit(X[rows], query_target(y[rows], names))
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}")
