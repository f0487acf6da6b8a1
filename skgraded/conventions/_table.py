"""The table of conventions: what tools call their measures, and the fields that make ours equal."""

from __future__ import annotations

import math
from typing import Any

from skgraded.conventions._tools import Convention

_NAN = math.nan
_EXP2: dict[str, Any] = {"gain": "exp2", "empty": 1.0}
_OF_SCALE = "The top of the scale is the highest grade of the data, unless max_grade is given."
_UNTIL_SHORT = "A list shorter than k is divided by its own length."
_VERSION = 'Up to version 9; version 10 has rounding="nearest".'
_IS_GEOMETRIC = 'Its value of all queries is the geometric mean: `mean("geometric")`.'
_IS_SUM = "Its value of all queries is the sum, not the mean."

_OF_BOTH = "Where a query has relevant and non-relevant documents."
_UNTIED = "Binary labels without ties: tied documents all have the rank of the last of them there."

_RETRIEVED: dict[str, Any] = {"weights": (1.0, 1.0, 0.0, 0.0)}
_RELEVANT: dict[str, Any] = {"weights": (1.0, 0.0, 1.0, 0.0)}
_FOUND: dict[str, Any] = {"weights": (1.0, 0.0, 0.0, 0.0)}
_CWL: dict[str, Any] = {"k": 1000}
_OF_CWL = "cwl_eval ends at rank 1000. max_grade must be given."

_IR_MEASURES = (
    Convention("ir_measures", "AP", "AP"),
    Convention("ir_measures", "AP@{k}", "AP", {}, "Divided by R, whatever k."),
    Convention("ir_measures", "BPM@{k}", "BPM", {}, "max_grade must be given."),
    Convention("ir_measures", "Bpref", "Bpref"),
    Convention("ir_measures", "Compat", "Compat", {}, "Scores must be positive and differ."),
    Convention("ir_measures", "ERR@{k}", "ERR", {"max_grade": 4}, "No grade above 4."),
    Convention("ir_measures", "INSQ", "INSQ", _CWL, _OF_CWL),
    Convention("ir_measures", "INST", "INST", _CWL, _OF_CWL),
    *(
        Convention("ir_measures", f"IPrec@{tenths / 10:.1f}", "IPrec", {"recall": tenths / 10})
        for tenths in range(11)
    ),
    Convention("ir_measures", "Judged", "Judged"),
    Convention("ir_measures", "Judged@{k}", "Judged"),
    Convention("ir_measures", "NERR8@{k}", "NERR8", {}, "max_grade must be given."),
    Convention("ir_measures", "NERR9@{k}", "NERR9", {}, "max_grade must be given."),
    Convention("ir_measures", "NERR10", "NERR10", _CWL, _OF_CWL),
    Convention("ir_measures", "NERR11", "NERR11", _CWL, _OF_CWL),
    Convention("ir_measures", "NumRel", "Utility", _RELEVANT, _IS_SUM),
    Convention("ir_measures", "NumRelRet", "Utility", _FOUND, _IS_SUM),
    Convention(
        "ir_measures",
        "NumRet",
        "Utility",
        _RETRIEVED,
        f"{_IS_SUM} A query with nothing relevant has the length of its list there.",
    ),
    Convention("ir_measures", "P@{k}", "P"),
    Convention("ir_measures", "R@{k}", "R"),
    Convention(
        "ir_measures",
        "RBP(rel=1)",
        "RBP",
        {},
        "cwl_eval ends at rank 1000, where the rest of the weights is negligible.",
    ),
    Convention("ir_measures", "RR", "RR"),
    Convention("ir_measures", "RR@{k}", "RR"),
    Convention("ir_measures", "Rprec", "RPrecision"),
    Convention("ir_measures", "SDCG@{k}", "SDCG", {}, "max_grade must be given."),
    Convention("ir_measures", "SetAP", "SetAP"),
    Convention("ir_measures", "SetF", "F"),
    Convention("ir_measures", "SetP", "P"),
    Convention("ir_measures", "SetR", "R"),
    Convention("ir_measures", "SetRelP", "P", {"normalize": True}, "Divided by min(R, N)."),
    Convention("ir_measures", "Success@{k}", "Success"),
    Convention("ir_measures", "infAP", "infAP"),
    Convention("ir_measures", "nDCG", "nDCG"),
    Convention("ir_measures", "nDCG@{k}", "nDCG"),
    Convention("ir_measures", "nDCG(dcg='exp-log2')@{k}", "nDCG", {"gain": "exp2"}),
    *(
        Convention("ir_measures", theirs, ours, {}, "Another name of it.")
        for theirs, ours in (
            ("BPref", "Bpref"),
            ("MAP", "AP"),
            ("MAP@{k}", "AP"),
            ("MRR", "RR"),
            ("MRR@{k}", "RR"),
            ("NDCG", "nDCG"),
            ("NDCG@{k}", "nDCG"),
            ("Precision@{k}", "P"),
            ("Recall@{k}", "R"),
            ("RPrec", "RPrecision"),
        )
    ),
    Convention(
        "ir_measures",
        "Accuracy",
        "NormalizedRecall",
        {},
        "Where the list holds all documents of the pool, some of them relevant and some not.",
    ),
)

_BPREF_OF_RANX = (
    "A query without a relevant or without a judged non-relevant document divides by 0, which "
    "leaves it and other queries at 0 or nan."
)

_RANX = (
    Convention("ranx", "hits", "Utility", _FOUND),
    Convention("ranx", "hits@{k}", "Utility", _FOUND),
    Convention("ranx", "hit_rate", "Success"),
    Convention("ranx", "hit_rate@{k}", "Success"),
    Convention("ranx", "precision", "P"),
    Convention("ranx", "precision@{k}", "P"),
    Convention("ranx", "recall", "R"),
    Convention("ranx", "recall@{k}", "R"),
    Convention("ranx", "f1", "F"),
    Convention("ranx", "f1@{k}", "F"),
    Convention("ranx", "r-precision", "RPrecision"),
    Convention("ranx", "mrr", "RR"),
    Convention("ranx", "mrr@{k}", "RR"),
    Convention("ranx", "map", "AP"),
    Convention("ranx", "map@{k}", "AP", {}, "Divided by R, whatever k."),
    Convention("ranx", "dcg", "DCG"),
    Convention("ranx", "dcg@{k}", "DCG"),
    Convention("ranx", "dcg_burges", "DCG", {"gain": "exp2"}),
    Convention("ranx", "dcg_burges@{k}", "DCG", {"gain": "exp2"}),
    Convention("ranx", "ndcg", "nDCG"),
    Convention("ranx", "ndcg@{k}", "nDCG"),
    Convention("ranx", "ndcg_burges", "nDCG", {"gain": "exp2"}),
    Convention("ranx", "ndcg_burges@{k}", "nDCG", {"gain": "exp2"}),
    Convention("ranx", "bpref", "Bpref", {}, _BPREF_OF_RANX),
    *(
        Convention(
            "ranx",
            f"rbp.{percent}",
            "RBP",
            {"p": percent / 100},
            "Binary grades. It takes others as they are, and can exceed 1.",
        )
        for percent in (50, 80, 90, 95)
    ),
)


_TORCHMETRICS = (
    Convention("torchmetrics", "RetrievalMAP", "AP"),
    Convention("torchmetrics", "RetrievalMRR", "RR"),
    Convention("torchmetrics", "RetrievalMRR(top_k={k})", "RR"),
    Convention("torchmetrics", "RetrievalPrecision", "P"),
    Convention("torchmetrics", "RetrievalPrecision(top_k={k})", "P"),
    Convention(
        "torchmetrics", "RetrievalPrecision(top_k={k},adaptive_k=True)", "P", {"fill": False}
    ),
    Convention("torchmetrics", "RetrievalRecall", "R"),
    Convention("torchmetrics", "RetrievalRecall(top_k={k})", "R"),
    Convention("torchmetrics", "RetrievalFallOut", "Fallout", {}, _OF_BOTH),
    Convention("torchmetrics", "RetrievalFallOut(top_k={k})", "Fallout", {}, _OF_BOTH),
    Convention("torchmetrics", "RetrievalHitRate", "Success"),
    Convention("torchmetrics", "RetrievalHitRate(top_k={k})", "Success"),
    Convention("torchmetrics", "RetrievalRPrecision", "RPrecision"),
    Convention("torchmetrics", "RetrievalNormalizedDCG", "nDCG", {"ties": "expected"}),
    Convention("torchmetrics", "RetrievalNormalizedDCG(top_k={k})", "nDCG", {"ties": "expected"}),
    Convention(
        "torchmetrics", "RetrievalAUROC", "NormalizedRecall", {"ties": "expected"}, _OF_BOTH
    ),
)

CONVENTIONS = (
    Convention("lightgbm", "ndcg@{k}", "nDCG", {"gain": "exp2"}, "Their label_gain is our gain."),
    Convention("lightgbm", "map@{k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("xgboost", "ndcg@{k}", "nDCG", _EXP2, "ndcg_exp_gain=0 is a linear gain."),
    Convention("xgboost", "ndcg@{k}-", "nDCG", {"gain": "exp2"}),
    Convention("xgboost", "ndcg", "nDCG", {**_EXP2, "k": 32}, "Without k it stops at rank 32."),
    Convention("xgboost", "ndcg-", "nDCG", {"gain": "exp2", "k": 32}, "As ndcg."),
    Convention("xgboost", "map@{k}", "AP", {"normalize": True, "empty": 1.0}, "Binary labels."),
    Convention("xgboost", "map@{k}-", "AP", {"normalize": True}, "Binary labels."),
    Convention("xgboost", "map", "AP", {"normalize": True, "empty": 1.0, "k": 32}, "As ndcg."),
    Convention("xgboost", "map-", "AP", {"normalize": True, "k": 32}, "As ndcg."),
    *(
        Convention("xgboost", theirs, "P", {"fill": False, **k}, f"Binary labels. {_UNTIL_SHORT}")
        for theirs, k in (
            ("pre@{k}", {}),
            ("pre@{k}-", {}),
            ("pre", {"k": 32}),
            ("pre-", {"k": 32}),
        )
    ),
    Convention("catboost", "NDCG:top={k}", "nDCG", {"empty": 1.0}),
    Convention("catboost", "NDCG:top={k};type=Base", "nDCG", {"empty": 1.0}),
    Convention("catboost", "NDCG:top={k};type=Exp", "nDCG", _EXP2),
    Convention("catboost", "NDCG", "nDCG", {"empty": 1.0}),
    Convention("catboost", "NDCG:type=Exp", "nDCG", _EXP2),
    Convention("catboost", "DCG", "DCG"),
    Convention("catboost", "DCG:top={k}", "DCG"),
    Convention("catboost", "DCG:top={k};type=Exp", "DCG", {"gain": "exp2"}),
    Convention("catboost", "MAP:top={k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("catboost", "MAP", "AP"),
    Convention("catboost", "MRR:top={k}", "RR"),
    Convention("catboost", "MRR", "RR"),
    Convention("catboost", "PrecisionAt:top={k}", "P", {"fill": False}, _UNTIL_SHORT),
    Convention("catboost", "PrecisionAt", "P", {"fill": False}),
    Convention("catboost", "RecallAt:top={k}", "R", {"empty": 1.0}),
    Convention("catboost", "RecallAt", "R", {"empty": 1.0}),
    Convention("sklearn", "ndcg_score(k={k})", "nDCG", {}, "It refuses queries of one document."),
    Convention("sklearn", "ndcg_score", "nDCG"),
    Convention("sklearn", "dcg_score(k={k})", "DCG"),
    Convention("sklearn", "dcg_score", "DCG"),
    Convention("sklearn", "label_ranking_average_precision_score", "AP", {"empty": 1.0}, _UNTIED),
    Convention("sklearn", "average_precision_score", "AP", {}, f"Of one query. {_UNTIED}"),
    Convention("sklearn", "roc_auc_score", "NormalizedRecall", {}, f"Of one query. {_OF_BOTH}"),
    Convention("trec_eval", "map", "AP"),
    Convention("trec_eval", "map_cut_{k}", "AP", {}, "Divided by R, whatever k."),
    *(
        Convention(
            "trec_eval",
            f"iprec_at_recall_{tenths / 10:.2f}",
            "IPrec",
            {"recall": tenths / 10},
            _VERSION,
        )
        for tenths in range(11)
    ),
    Convention("trec_eval", "11pt_avg", "InterpolatedAP", {}, _VERSION),
    Convention("trec_eval", "P_{k}", "P"),
    Convention("trec_eval", "recall_{k}", "R"),
    Convention("trec_eval", "Rprec", "RPrecision"),
    *(
        Convention(
            "trec_eval", f"Rprec_mult_{fifths / 5:.2f}", "RPrecision", {"multiple": fifths / 5}
        )
        for fifths in range(1, 11)
    ),
    Convention("trec_eval", "gm_map", "AP", {}, _IS_GEOMETRIC),
    Convention("trec_eval", "bpref", "Bpref"),
    Convention("trec_eval", "gm_bpref", "Bpref", {}, _IS_GEOMETRIC),
    Convention("trec_eval", "infAP", "infAP"),
    Convention("trec_eval", "recip_rank", "RR"),
    Convention("trec_eval", "success_{k}", "Success"),
    Convention("trec_eval", "ndcg", "nDCG"),
    Convention("trec_eval", "ndcg_cut_{k}", "nDCG"),
    Convention(
        "trec_eval",
        "Rndcg",
        "RNDCG",
        {},
        "It leaves out the end of lists with one document more than the query has relevant ones.",
    ),
    Convention("trec_eval", "ndcg_rel", "NDCGRel"),
    Convention("trec_eval", "G", "G"),
    Convention("trec_eval", "binG", "BinG"),
    Convention("trec_eval", "set_P", "P"),
    Convention("trec_eval", "set_recall", "R"),
    Convention("trec_eval", "set_F", "F"),
    Convention("trec_eval", "set_map", "SetAP"),
    Convention("trec_eval", "set_relative_P", "P", {"normalize": True}, "Divided by min(R, N)."),
    Convention("trec_eval", "relative_P_{k}", "P", {"normalize": True}, "Divided by min(R, k)."),
    Convention(
        "trec_eval",
        "utility",
        "Utility",
        {},
        "A query with nothing relevant has minus the length of its list there.",
    ),
    Convention(
        "trec_eval",
        "num_ret",
        "Utility",
        {"weights": (1.0, 1.0, 0.0, 0.0)},
        f"{_IS_SUM} A query with nothing relevant has the length of its list there.",
    ),
    Convention("trec_eval", "num_rel", "Utility", {"weights": (1.0, 0.0, 1.0, 0.0)}, _IS_SUM),
    Convention("trec_eval", "num_rel_ret", "Utility", {"weights": (1.0, 0.0, 0.0, 0.0)}, _IS_SUM),
    Convention(
        "trec_eval",
        "num_nonrel_judged_ret",
        "Utility",
        {"weights": (0.0, 1.0, 0.0, 0.0), "unjudged": "condense"},
        f"{_IS_SUM} A query with nothing relevant has its number there.",
    ),
    *_IR_MEASURES,
    *_RANX,
    *_TORCHMETRICS,
    Convention("ntcireval", "AP", "AP"),
    Convention("ntcireval", "AP@{k}", "AP", {"normalize": True}, "Divided by min(R, k)."),
    Convention("ntcireval", "Q-measure", "QMeasure"),
    Convention("ntcireval", "Q@{k}", "QMeasure", {"normalize": True}, "Divided by min(R, k)."),
    Convention("ntcireval", "GAP", "GAP", {"g": "linear"}, "g_j proportional to j."),
    Convention("ntcireval", "GAP@{k}", "GAP", {"g": "linear", "normalize": True}),
    Convention("ntcireval", "RBP", "RBP", {"p": 0.95, "gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "RBP@{k}", "RBP", {"p": 0.95, "gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "ERR", "ERR", {"gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "ERR@{k}", "ERR", {"gain": "linear"}, _OF_SCALE),
    Convention("ntcireval", "nERR@{k}", "ERR", {"gain": "linear", "normalize": True}, _OF_SCALE),
    Convention("ntcireval", "EBR", "EBR", {}, _OF_SCALE),
    Convention("ntcireval", "EBR@{k}", "EBR", {}, _OF_SCALE),
    Convention("ntcireval", "nDCG@{k}", "nDCG", {"discount": "jk"}),
    Convention("ntcireval", "MSnDCG@{k}", "nDCG"),
    Convention("ntcireval", "NCUgu,BR", "NCU", {}, "Their weights -s are our stop."),
    Convention("ntcireval", "NCUgu,P", "NCU", {"beta": 0.0}, "Their weights -s are our stop."),
    Convention("ntcireval", "NCUrb,BR", "RankBiasedNCU"),
    Convention("ntcireval", "NCUrb,P", "RankBiasedNCU", {"beta": 0.0}),
    Convention("ntcireval", "RR", "RR"),
    Convention("ntcireval", "O-measure", "OMeasure"),
    Convention("ntcireval", "P-measure", "PMeasure"),
    Convention("ntcireval", "P-plus", "PPlus"),
    Convention("ntcireval", "P@{k}", "P"),
    Convention("ntcireval", "Hit@{k}", "Success"),
    Convention("ntcireval", "bpref", "Bpref"),
    Convention("ntcireval", "bpref_R", "BprefR"),
    Convention("ntcireval", "bpref_N", "BprefN"),
    Convention("ntcireval", "bpref_relative", "BprefRelative"),
    Convention("ntcireval", "rpref_N", "RprefN", {}, _OF_SCALE),
    Convention("ntcireval", "rpref_relative", "RprefRelative"),
    Convention("ntcireval", "rpref_relative2", "RprefRelative2"),
    Convention("matters", "gradedAveragePrecision", "GAP", {}, "g must be given."),
    Convention(
        "matters",
        "extendedGradedAveragePrecision",
        "xGAP",
        {},
        "g must be given; its part above the query's highest grade is lost.",
    ),
    Convention(
        "matters",
        "expectedGradedAveragePrecision",
        "eGAP",
        {},
        "g must be given; its part above the query's highest grade is lost.",
    ),
    Convention("matters", "averagePrecision", "AP", {"empty": _NAN}),
    Convention("matters", "qMeasure", "QMeasure", {"empty": _NAN}),
    Convention("matters", "bpref", "Bpref", {"empty": _NAN}),
)
