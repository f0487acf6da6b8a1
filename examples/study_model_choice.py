"""Show whether different measures select different models
==========================================================

The study makes a search, and a training with early stopping, with every measure. All measures then
score the selected models on held-out queries. Queries are split into folds several times, because
another split can reverse a difference that seems significant on a single one.
"""

from lightgbm import LGBMRanker
from study_collection import parser, save

from skgraded.datasets import make_ranking
from skgraded.studies import choose_by_search, choose_by_stopping

arguments = parser(__doc__).parse_args()
full = arguments.full
X, y, qid = make_ranking(n_queries=400 if full else 40, random_state=0)
folds = {"n_folds": 4, "n_repeats": 5, "n_jobs": -1} if full else {"n_folds": 2, "n_repeats": 2}
measures = ["xGAP(g=linear)", "eGAP(g=linear)", "AP", "nDCG@10", "RR"]

# %%
# Search over small trees that underfit and large trees that overfit.
ranker = LGBMRanker(n_estimators=60 if full else 15, n_jobs=1, verbose=-1)
grid = {"num_leaves": [4, 8, 16, 31, 63], "min_child_samples": [5, 20, 80]}
grid = grid if full else {"num_leaves": [4, 16]}
found = choose_by_search(ranker, grid, X, y, measures=measures, qid=qid, **folds)
print(found, "\n")
print("Share of the folds in which two measures chose the same:\n", found.agreement().round(2))
save(found.plot(), arguments, "model_choice_search")

# %%
# Early stopping.
ranker = LGBMRanker(n_estimators=400 if full else 30, n_jobs=1, verbose=-1)
found = choose_by_stopping(ranker, X, y, measures=measures, qid=qid, **folds)
print(f"\n{found}")
save(found.plot(), arguments, "model_choice_stopping")
