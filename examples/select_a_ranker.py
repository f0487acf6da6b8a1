"""Select a LightGBM ranker and stop its training early for users g, with GridSearchCV
======================================================================================

Every fold and every validation set holds whole queries, and the measure that selects the model also
stops its training. `query_target` attaches the query ids to y. With
``sklearn.set_config(enable_metadata_routing=True)``, ``search.fit(X, y, qid=qid)`` gives the same
result, as the last step shows.
"""

# %%
import sklearn
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from skgraded import Blend, QueryKFold, QueryRanker, eGAP, evaluate, nDCG, query_target
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay

X, y, qid = make_ranking(n_queries=200, random_state=0)
train, test = next(QueryKFold(4).split(X, groups=qid))

# %%
# 10 % of the users accept grade 1 or better, 40 % accept only grade 4. A measure for them alone
# selects no better than nDCG among usual candidates, so half of it is nDCG.
for_users = eGAP(g=(0.1, 0.2, 0.3, 0.4), k=10)
measure = Blend({for_users: 0.5, nDCG(k=10): 0.5})
ranker = QueryRanker(
    LGBMRanker(n_estimators=500, n_jobs=1, verbose=-1),
    measure=measure,
    validation_fraction=0.2,
    early_stopping_rounds=30,
    random_state=0,
)
grid = {"estimator__num_leaves": [7, 15, 31]}
search = GridSearchCV(ranker, grid, cv=QueryKFold(5), n_jobs=2)
search.fit(X[train], query_target(y[train], qid[train]))
print(f"{search.best_params_}, {search.best_estimator_.best_iteration_} trees")
print(f"cross-validated half and half: {search.best_score_:.4f}")
display = TrainingDisplay.from_estimator(search.best_estimator_)

# %%
# Evaluate several measures with one sort.
measures = [for_users, "xGAP(g=[0.1,0.2,0.3,0.4])@10", "nDCG@10", "AP(rel=3)"]
print(evaluate(measures, y[test], search.predict(X[test]), qid=qid[test]))

# %%
# With metadata routing, the query ids are a keyword argument.
with sklearn.config_context(enable_metadata_routing=True):
    routed = GridSearchCV(ranker, grid, cv=QueryKFold(5))
    routed.fit(X[train], y[train], qid=qid[train])
print(f"the same with routing: {routed.best_score_ == search.best_score_}")
