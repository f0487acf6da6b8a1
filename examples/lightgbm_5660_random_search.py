"""LightGBM #5660: RandomizedSearchCV and folds by group with lambdarank
========================================================================

GroupKFold and the ranker need the same query ids. With metadata routing, the keyword ``qid`` passes
them to the splitter, to the ranker and to the scorer.
https://github.com/lightgbm-org/LightGBM/issues/5660
"""

# %%
import sklearn
from lightgbm import LGBMRanker
from scipy.stats import randint
from sklearn.model_selection import RandomizedSearchCV

from skgraded import QueryKFold, QueryRanker, make_ranking_scorer
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=100, random_state=0)

sklearn.set_config(enable_metadata_routing=True)
search = RandomizedSearchCV(
    QueryRanker(LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1), measure="nDCG@10"),
    {"estimator__num_leaves": randint(3, 40), "estimator__min_child_samples": randint(5, 50)},
    n_iter=5,
    scoring=make_ranking_scorer({"ndcg": "nDCG@10", "xgap": "xGAP(max_grade=4)@10"}),
    refit="ndcg",
    cv=QueryKFold(5),
    random_state=0,
)
search.fit(X, y, qid=qid)
xgap = search.cv_results_["mean_test_xgap"][search.best_index_]
print(f"{search.best_params_}: nDCG@10 = {search.best_score_:.4f}, xGAP@10 = {xgap:.4f}")
