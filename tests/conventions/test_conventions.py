"""How names of other tools are read, and what is said of those that no measure here has."""

import numpy as np
import pytest

from skgraded import AP, xGAP
from skgraded.conventions import CONVENTIONS, TOOLS, measure_as
from skgraded.measures import RBP, catalogue, measure

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")


@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: f"{row.tool} {row.theirs}")
def test_every_row_is_found_by_its_name_and_makes_a_measure(row):
    chosen = measure_as(row.tool, row.example)
    stated = row.stated_in(row.example)
    assert type(chosen) is catalogue()[row.ours]
    for field, value in {**TOOLS[row.tool].fields, **row.fields, **stated}.items():
        np.testing.assert_equal(getattr(chosen, field), value)  # nan equals nan
    assert measure(str(chosen)) == chosen


@pytest.mark.parametrize(
    ("tool", "name", "ours"),
    [
        ("ir_measures", "INST(max_rel=3)", "INST(max_grade=3,ties=row_order)@1000"),
        ("ir_measures", "BPM(max_rel=3)@10", "BPM(max_grade=3,ties=row_order)@10"),
        ("ir_measures", "AP(judged_only=True)", "AP(unjudged=condense,ties=row_order)"),
        ("ir_measures", "AP(judged_only=False)@5", "AP(ties=row_order)@5"),
        ("ir_measures", "IPrec(rel=2)@0.5", "IPrec(rel=2,recall=0.5,ties=row_order)"),
        ("ir_measures", "SetP(rel=2)", "P(rel=2,ties=row_order)"),
        ("ir_measures", "SetRelP(rel=2)", "P(rel=2,normalize=True,ties=row_order)"),
        ("ir_measures", "SetF(beta=4.0)", "F(beta=2,ties=row_order)"),
        ("ranx", "rbp@80", "RBP(p=0.8,ties=row_order)"),
        ("ranx", "rbp.07-l1", "RBP(p=0.07,ties=row_order)"),
        ("ranx", "map@10-l2", "AP(rel=2,ties=row_order)@10"),
        ("ranx", "map@0", "AP(ties=row_order)"),
        ("ranx", "r-precision@5-l2", "RPrecision(rel=2,ties=row_order)"),
        ("ranx", "bpref@5", "Bpref(ties=row_order)"),
        ("ranx", "ndcg_burges@3-l1", "nDCG(gain=exp2,ties=row_order)@3"),
        (
            "catboost",
            "MAP:border=1;top=5",
            "AP(rel=1.000000059604645,ties=pessimistic,normalize=True)@5",
        ),
        ("catboost", "NDCG:type=Exp;top=-1", "nDCG(gain=exp2,ties=pessimistic,empty=1)"),
        ("trec_eval", "set_F_4", "F(beta=2,ties=row_order)"),
        ("trec_eval", "utility_2,-1,0,.5", "Utility(weights=[2,-1,0,.5],ties=row_order)"),
        ("trec_eval", "11pt_avg_.25,.5", "InterpolatedAP(recalls=[.25,.5],ties=row_order)"),
        ("trec_eval", "iprec_at_recall_0.35", "IPrec(recall=.35,ties=row_order)"),
        ("ntcireval", "Q@0010", "QMeasure(ties=row_order,normalize=True)@10"),
        # Names of ours, and what they state themselves
        ("lightgbm", "nDCG@10", "nDCG(gain=exp2,ties=row_order,empty=1)@10"),
        ("lightgbm", "nDCG(gain=linear,empty=0)@10", "nDCG(ties=row_order)@10"),
        ("lightgbm", AP(k=3), "AP(rel=0.5000000298023225,normalize=True,ties=row_order,empty=1)@3"),
        ("xgboost", "nDCG", "nDCG(gain=exp2,ties=row_order,empty=1)@32"),
        ("catboost", "nDCG(ties=expected)@10", "nDCG(empty=1)@10"),
        ("trec_eval", "AP(rel=2,empty=1)@10", "AP(rel=2,empty=1,ties=row_order)@10"),
        ("trec_eval", "Bpref@5", "Bpref(ties=row_order)@5"),  # a cut-off that it lacks
        ("ntcireval", "AP@10", "AP(normalize=True,ties=row_order)@10"),
        ("ntcireval", "QMeasure@10", "QMeasure(normalize=True,ties=row_order)@10"),
        ("ntcireval", RBP(max_grade=3, gain="linear", p=0.5),
         "RBP(gain=linear,max_grade=3,p=.5,ties=row_order)"),
        ("matters", "qMeasure", "QMeasure(ties=row_order,empty=nan)"),
        ("matters", xGAP(g=(0.1, 0.9)), "xGAP(g=[.1,.9],ties=row_order)"),
    ],
)  # fmt: skip
def test_names_with_parameters_and_names_of_ours(tool, name, ours):
    assert str(measure_as(tool, name)) == str(measure(ours))


NAMES_OF_PREFERENCES = "prefs all_prefs prefs_avgjg qrels_jg map_avgjg"


@pytest.mark.parametrize(
    ("tool", "names", "reason"),
    [
        ("lightgbm", "ndcg map", "needs a number, as in '(ndcg|map)@10'"),
        ("lightgbm", "auc auc_mu average_precision", "computed over all rows"),
        ("lightgbm", "auc average_precision auc_mu", "computed over all rows"),
        ("lightgbm", "xGAP@10", "has the value of lightgbm's 'xGAP@10'.*--from lightgbm' lists"),
        ("lightgbm", "map_cut_10", "It is another tool's name of 'AP@10'"),
        ("xgboost", "auc aucpr", "by weights of XGBoost's own"),
        ("xgboost", "map@0 pre@0", "value of xgboost's '(map|pre)@0'"),
        ("catboost", "ERR PFound FilteredDCG QueryAUC PairLogit", "need pairs of documents"),
        ("catboost", "NDCG:denominator=Position MAP:decay=0.5", "value of catboost's"),
        ("sklearn", "coverage_error label_ranking_loss top_k_accuracy_score", "coverage_error is"),
        ("trec_eval", "runid num_q relstring", "are no numbers of a query"),
        ("trec_eval", "rbp_resid unj", "unj_k is 1 less Judged@k"),
        ("trec_eval", f"{NAMES_OF_PREFERENCES} yaap", "need preferences.*yaap orders"),
        ("trec_eval", "set_F_-1 utility_1,2 iprec_at_recall_3.00", "No measure of skgraded has"),
        ("pytrec_eval", "num_q prefs", "value of pytrec_eval's '(num_q|prefs)'.*need preferences"),
        ("ir_measures", "alpha_nDCG@10 P_IA NumQ", "judgments of subtopics.* NumQ is no number"),
        ("ranx", "ndcg@10-l2 dcg-l3 rbp.80-l2", "makes 0 of the gains below it"),
        ("ranx", "rbp", r"needs a number, as in 'rbp.80'"),
        ("ranx", "map.10", "No measure of skgraded has the value of ranx's 'map.10'"),
        ("torchmetrics", "RetrievalPrecisionRecallCurve", "the curves are no numbers"),
        ("torchmetrics", "RetrievalMAP(top_k=5)", "among the first 5"),
        ("ntcireval", "I-rec D-nDCG ERR-IA", "judgments of subtopics"),
        *((tool, "nothing", "No measure of skgraded has the value") for tool in TOOLS),
        ("lightgdm", "nDCG@10", "tool must be one of 'lightgbm'.*got 'lightgdm'.*mean 'lightgbm'"),
    ],
)  # fmt: skip
def test_what_no_measure_has_is_refused_with_a_reason(tool, names, reason):
    for name in names.split():
        with pytest.raises(ValueError, match=reason):
            measure_as(tool, name)
