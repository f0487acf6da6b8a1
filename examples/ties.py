"""Why ties need an expected value: a model that knows nothing, and its nDCG in LightGBM.

LightGBM ranks tied documents in the order of their rows. Exported judgments and click logs often
hold the best documents first; a model that gives all of them the same score is then "perfect".
The expected value over all orders of the tied documents does not depend on the rows.
"""

# %%
import lightgbm as lgb
import numpy as np

from skgraded import evaluate
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=100, random_state=0)
best_first, worst_first = np.lexsort((-y, qid)), np.lexsort((y, qid))
constant = np.zeros(len(y))


# %%
# LightGBM's own metric of a model that cannot split, hence a constant one.
def ndcg_in_lightgbm(rows):
    data = lgb.Dataset(np.zeros((len(y), 1)), y[rows], group=np.bincount(qid))
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1}
    return lgb.Booster(params, data).eval_train()[0][2]


for name, rows in {"best first": best_first, "worst first": worst_first}.items():
    scores = evaluate("nDCG(gain=exp2)@10", y[rows], constant, qid=qid[rows])
    print(
        f"rows {name:<11}  LightGBM ndcg@10 {ndcg_in_lightgbm(rows):.4f}  "
        f"expected {scores['nDCG(gain=exp2)@10']:.4f}"
    )

# %%
# The other rules are there too: four answers to one question.
rules = [f"nDCG(gain=exp2,ties={rule})@10" for rule in ("row_order", "pessimistic", "optimistic")]
print(evaluate(["nDCG(gain=exp2)@10", *rules], y[best_first], constant, qid=qid[best_first]))
