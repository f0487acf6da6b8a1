"""Calls that a type checker must accept."""

from skgraded import DCG, ERR, GAP, RBP, measure, nDCG, xGAP
from skgraded.lightgbm import early_stopping, eval_metric
from skgraded.measures import NCU, IPrec
from skgraded.xgboost import eval_metric as xgboost_metric

nDCG(gain="exp2", k=10, ties="row_order", unjudged="condense", empty=float("nan"))
nDCG(gain=(1.0, 3.0, 7.0))
nDCG(gain=[1, 3, 7])
ERR(gain="linear", max_grade=4)
RBP(gain="binary", rel=2)
RBP(gain="exp2", max_grade=4)
NCU(stop="uniform")
DCG(discount="jk", log_base=2)
xGAP(g="linear", max_grade=4)
xGAP(g=[0.1, 0.9])
GAP(g=(0.1, 0.9))([1, 0], [2, 1])
IPrec(rounding="nearest")
eval_metric({"xgap": xGAP(max_grade=4), "ndcg": "nDCG@10"}, measure("AP"), "RR")
early_stopping({"ndcg": "nDCG@10"}, 10)
xgboost_metric({"ndcg": nDCG(k=10)})
