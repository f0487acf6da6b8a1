"""Show why ties need an expected value: the nDCG of a constant model in LightGBM
=================================================================================

LightGBM ranks tied documents in the order of their rows. Exported judgments and click logs often
hold the best documents first, so that a constant model gets the perfect score. The expected value
over all orders of the tied documents does not depend on the order of the rows.
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
# LightGBM's own metric of a model without usable features, which is constant.
def ndcg_in_lightgbm(rows):
    data = lgb.Dataset(np.zeros((len(y), 1)), y[rows], group=np.bincount(qid))
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1}
    return lgb.Booster(params, data).eval_train()[0][2]


for name, rows in {"best first": best_first, "worst first": worst_first}.items():
    scores = evaluate("nDCG(gain=exp2)@10", y[rows], constant, qid=qid[rows])
    print(
        f"rows {name:<11}  LightGBM ndcg@10 {ndcg_in_lightgbm(rows):.4f}  "
        f"expected {float(scores):.4f}"
    )

# %%
# The four rules for ties give different values.
rules = [f"nDCG(gain=exp2,ties={rule})@10" for rule in ("row_order", "pessimistic", "optimistic")]
print(evaluate(["nDCG(gain=exp2)@10", *rules], y[best_first], constant, qid=qid[best_first]))
