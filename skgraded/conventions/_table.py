"""The table of conventions: what tools call their measures, and the fields that make ours equal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from skgraded.conventions._tools import Convention, above

Meaning = tuple[dict[str, Any], str]  # fields, and a note


def _rows(tool: str, *rows: tuple[Any, ...]) -> Iterator[Convention]:
    """Yield the conventions of a tool; brackets hold what a name may have or not have."""
    for theirs, *fields in rows:
        short_name = re.sub(r"\[.*\]", "", theirs)
        full_name = re.sub(r"[\[\]]", "", theirs)
        yield Convention(tool, short_name, *fields)
        if full_name != short_name:
            yield Convention(tool, full_name, *fields)


_BY_MIN: Meaning = ({"normalize": True}, "Divided by min(R, k).")
_BY_R: Meaning = ({}, "Divided by R, whatever k.")
_BY_LENGTH: Meaning = (
    {"fill": False},
    "A list shorter than k is divided by its own length.",
)
_SCALE: Meaning = ({}, "max_grade must be given.")
_G: Meaning = ({}, "g must be given; its part above the query's highest grade is lost.")
_OF_BOTH = "Where a query has relevant and non-relevant documents."

_EXP2: dict[str, Any] = {"gain": "exp2", "empty": 1.0}
_EMPTY_1: dict[str, Any] = {"empty": 1.0}
_ABOVE_HALF: dict[str, Any] = {"rel": above(0.5)}
_NAN: dict[str, Any] = {"empty": math.nan}

_OTHER_NAME: Meaning = ({}, "Another name of it.")
_ALIASES_OF_LIGHTGBM = (
    *(
        (f"{alias}@{{k}}", "nDCG", {"gain": "exp2"}, "Another name of ndcg.")
        for alias in ("lambdarank", "rank_xendcg", "xendcg", "xe_ndcg")
    ),
    (
        "mean_average_precision@{k}",
        "AP",
        {**_ABOVE_HALF, "normalize": True},
        "Another name of map.",
    ),
)

_BOOSTERS = (
    *_rows(
        "lightgbm",
        ("ndcg@{k}", "nDCG", {"gain": "exp2"}, "Their label_gain is our gain."),
        (
            "map@{k}",
            "AP",
            {**_ABOVE_HALF, "normalize": True},
            f"{_BY_MIN[1]} A label above 0.5 is relevant.",
        ),
        *_ALIASES_OF_LIGHTGBM,
    ),
    *_rows(
        "xgboost",
        ("ndcg@{k}", "nDCG", _EXP2, "ndcg_exp_gain=0 is a linear gain."),
        ("ndcg@{k}-", "nDCG", {"gain": "exp2"}),
        ("ndcg", "nDCG", {**_EXP2, "k": 32}, "Without k it stops at rank 32."),
        ("ndcg-", "nDCG", {"gain": "exp2", "k": 32}, "As ndcg."),
        ("map@{k}", "AP", {"normalize": True, "empty": 1.0}, "Binary labels."),
        ("map@{k}-", "AP", {"normalize": True}, "Binary labels."),
        ("map", "AP", {"normalize": True, "empty": 1.0, "k": 32}, "As ndcg."),
        ("map-", "AP", {"normalize": True, "k": 32}, "As ndcg."),
        ("pre@{k}[-]", "P", {"fill": False}, f"Binary labels. {_BY_LENGTH[1]}"),
        ("pre[-]", "P", {"fill": False, "k": 32}, f"Binary labels. {_BY_LENGTH[1]}"),
    ),
    *_rows(
        "catboost",
        ("NDCG[:top={k}]", "nDCG", _EMPTY_1),
        ("NDCG:top={k};type=Base", "nDCG", _EMPTY_1),
        ("NDCG:top={k};type=Exp", "nDCG", _EXP2),
        ("NDCG:type=Exp", "nDCG", _EXP2),
        ("DCG[:top={k}]", "DCG"),
        ("DCG:top={k};type=Exp", "DCG", {"gain": "exp2"}),
        ("MAP:top={k}", "AP", {**_ABOVE_HALF, "normalize": True}, _BY_MIN[1]),
        ("MAP", "AP", _ABOVE_HALF),
        ("MRR[:top={k}]", "RR", _ABOVE_HALF),
        ("PrecisionAt[:top={k}]", "P", {**_ABOVE_HALF, "fill": False}, _BY_LENGTH[1]),
        ("RecallAt[:top={k}]", "R", {**_ABOVE_HALF, **_EMPTY_1}),
    ),
)

_UNTIED = "Binary labels without ties: tied documents all have the rank of the last of them there."

_SKLEARN = _rows(
    "sklearn",
    ("ndcg_score[(k={k})]", "nDCG", {}, "It refuses queries of one document."),
    ("dcg_score[(k={k})]", "DCG"),
    ("label_ranking_average_precision_score", "AP", _EMPTY_1, _UNTIED),
    ("average_precision_score", "AP", {}, f"Of one query. {_UNTIED}"),
    ("roc_auc_score", "NormalizedRecall", {}, f"Of one query. {_OF_BOTH}"),
)

_BUT_ENDS: Meaning = (
    {},
    "It leaves out the end of lists that are longer by one than R.",
)
_VERSION: Meaning = ({}, 'Up to version 9; version 10 has rounding="nearest".')
_GEOMETRIC: Meaning = (
    {},
    'Its value of all queries is the geometric mean: `mean("geometric")`.',
)
_SUM = "Its value of all queries is the sum, not the mean."
_RETRIEVED: Meaning = (
    {"weights": (1.0, 1.0, 0.0, 0.0)},
    f"{_SUM} A query with nothing relevant has the length of its list there.",
)
_RELEVANT: Meaning = ({"weights": (1.0, 0.0, 1.0, 0.0)}, _SUM)
_NONRELEVANT: Meaning = (
    {"weights": (0.0, 1.0, 0.0, 0.0), "unjudged": "condense"},
    f"{_SUM} A query with nothing relevant has its number there.",
)
_FOUND: dict[str, Any] = {"weights": (1.0, 0.0, 0.0, 0.0)}

_TREC_EVAL = _rows(
    "trec_eval",
    ("map", "AP"),
    ("map_cut_{k}", "AP", *_BY_R),
    ("iprec_at_recall_{recall}", "IPrec", *_VERSION),
    ("11pt_avg[_{recalls}]", "InterpolatedAP", *_VERSION),
    ("P_{k}", "P"),
    ("recall_{k}", "R"),
    ("Rprec", "RPrecision"),
    ("Rprec_mult_{multiple}", "RPrecision"),
    ("gm_map", "AP", *_GEOMETRIC),
    ("bpref", "Bpref"),
    ("gm_bpref", "Bpref", *_GEOMETRIC),
    ("infAP", "infAP"),
    ("recip_rank", "RR"),
    ("success_{k}", "Success"),
    ("ndcg", "nDCG"),
    ("ndcg_cut_{k}", "nDCG"),
    ("Rndcg", "RNDCG", *_BUT_ENDS),
    ("ndcg_rel", "NDCGRel"),
    ("G", "G"),
    ("binG", "BinG"),
    ("set_P", "P"),
    ("set_recall", "R"),
    ("set_F", "F"),
    ("set_F_{beta}", "F", {}, "Their number is the square of beta."),
    ("set_map", "SetAP"),
    ("set_relative_P", "P", {"normalize": True}, "Divided by min(R, N)."),
    ("relative_P_{k}", "P", *_BY_MIN),
    (
        "utility[_{weights}]",
        "Utility",
        {},
        "A query with nothing relevant has minus its length there.",
    ),
    ("num_ret", "Utility", *_RETRIEVED),
    ("num_rel", "Utility", *_RELEVANT),
    ("num_rel_ret", "Utility", _FOUND, _SUM),
    ("num_nonrel_judged_ret", "Utility", *_NONRELEVANT),
    ("rbp", "RBP", {"p": 0.9}, "Of version 10. Grades must be 0 and 1."),
)

_CWL: Meaning = ({"k": 1000}, "cwl_eval ends at rank 1000. max_grade must be given.")

_IR_MEASURES = _rows(
    "ir_measures",
    ("AP", "AP"),
    ("AP@{k}", "AP", *_BY_R),
    ("BPM@{k}", "BPM", *_SCALE),
    ("Bpref", "Bpref"),
    ("Compat", "Compat", {}, "Scores must be positive and differ."),
    ("ERR@{k}", "ERR", {"max_grade": 4}, "No grade above 4."),
    ("INSQ", "INSQ", *_CWL),
    ("INST", "INST", *_CWL),
    ("IPrec@{recall}", "IPrec"),
    ("Judged[@{k}]", "Judged"),
    ("NERR8@{k}", "NERR8", *_SCALE),
    ("NERR9@{k}", "NERR9", *_SCALE),
    ("NERR10", "NERR10", *_CWL),
    ("NERR11", "NERR11", *_CWL),
    ("NumRel", "Utility", *_RELEVANT),
    ("NumRelRet", "Utility", _FOUND, _SUM),
    ("NumRet", "Utility", *_RETRIEVED),
    ("P@{k}", "P"),
    ("R@{k}", "R"),
    (
        "RBP(rel=1)",
        "RBP",
        {},
        "cwl_eval ends at rank 1000, where little weight is left.",
    ),
    ("RR[@{k}]", "RR"),
    ("Rprec", "RPrecision"),
    ("SDCG@{k}", "SDCG", *_SCALE),
    ("SetAP", "SetAP"),
    ("SetF", "F"),
    ("SetP", "P"),
    ("SetR", "R"),
    ("SetRelP", "P", {"normalize": True}, "Divided by min(R, N)."),
    ("Success@{k}", "Success"),
    ("infAP", "infAP"),
    ("nDCG[@{k}]", "nDCG"),
    ("nDCG(dcg='exp-log2')@{k}", "nDCG", {"gain": "exp2"}),
    ("BPref", "Bpref", *_OTHER_NAME),
    ("MAP[@{k}]", "AP", *_OTHER_NAME),
    ("MRR[@{k}]", "RR", *_OTHER_NAME),
    ("NDCG[@{k}]", "nDCG", *_OTHER_NAME),
    ("Precision@{k}", "P", *_OTHER_NAME),
    ("Recall@{k}", "R", *_OTHER_NAME),
    ("RPrec", "RPrecision", *_OTHER_NAME),
    ("Accuracy", "NormalizedRecall", {}, f"Where the list holds the pool. {_OF_BOTH}"),
)

_RANX = _rows(
    "ranx",
    ("hits[@{k}]", "Utility", _FOUND),
    ("hit_rate[@{k}]", "Success"),
    ("precision[@{k}]", "P"),
    ("recall[@{k}]", "R"),
    ("f1[@{k}]", "F"),
    ("r-precision", "RPrecision"),
    ("mrr[@{k}]", "RR"),
    ("map", "AP"),
    ("map@{k}", "AP", *_BY_R),
    ("dcg[@{k}]", "DCG"),
    ("dcg_burges[@{k}]", "DCG", {"gain": "exp2"}),
    ("ndcg[@{k}]", "nDCG"),
    ("ndcg_burges[@{k}]", "nDCG", {"gain": "exp2"}),
    (
        "bpref",
        "Bpref",
        {},
        f"{_OF_BOTH} Others divide by 0, and spoil their neighbours.",
    ),
    (
        "rbp{p}",
        "RBP",
        {},
        "Binary grades. It takes others as they are, and can exceed 1.",
    ),
)

_TORCHMETRICS = _rows(
    "torchmetrics",
    ("RetrievalMAP", "AP"),
    ("RetrievalMRR[(top_k={k})]", "RR"),
    ("RetrievalPrecision[(top_k={k})]", "P"),
    ("RetrievalPrecision(top_k={k},adaptive_k=True)", "P", {"fill": False}),
    ("RetrievalRecall[(top_k={k})]", "R"),
    ("RetrievalFallOut[(top_k={k})]", "Fallout", {}, _OF_BOTH),
    ("RetrievalHitRate[(top_k={k})]", "Success"),
    ("RetrievalRPrecision", "RPrecision"),
    ("RetrievalNormalizedDCG[(top_k={k})]", "nDCG", {"ties": "expected"}),
    ("RetrievalAUROC", "NormalizedRecall", {"ties": "expected"}, _OF_BOTH),
)

_OF_DATA = (
    "The top of the scale is the highest grade of the data, unless max_grade is given."
)
_LINEAR: Meaning = ({"gain": "linear"}, _OF_DATA)

_NTCIREVAL = _rows(
    "ntcireval",
    ("AP", "AP"),
    ("AP@{k}", "AP", *_BY_MIN),
    ("Q-measure", "QMeasure"),
    ("Q@{k}", "QMeasure", *_BY_MIN),
    ("GAP", "GAP", {"g": "linear"}, "g_j proportional to j."),
    ("GAP@{k}", "GAP", {"g": "linear", "normalize": True}),
    ("RBP[@{k}]", "RBP", {"p": 0.95, "gain": "linear"}, _OF_DATA),
    ("ERR[@{k}]", "ERR", *_LINEAR),
    ("nERR@{k}", "ERR", {"gain": "linear", "normalize": True}, _OF_DATA),
    ("EBR[@{k}]", "EBR", {}, _OF_DATA),
    ("nDCG@{k}", "nDCG", {"discount": "jk"}),
    ("MSnDCG@{k}", "nDCG"),
    ("NCUgu,BR", "NCU", {}, "Their weights -s are our stop."),
    ("NCUgu,P", "NCU", {"beta": 0.0}, "Their weights -s are our stop."),
    ("NCUrb,BR", "RankBiasedNCU"),
    ("NCUrb,P", "RankBiasedNCU", {"beta": 0.0}),
    ("RR", "RR"),
    ("O-measure", "OMeasure"),
    ("P-measure", "PMeasure"),
    ("P-plus", "PPlus"),
    ("P@{k}", "P"),
    ("Hit@{k}", "Success"),
    ("bpref", "Bpref"),
    ("bpref_R", "BprefR"),
    ("bpref_N", "BprefN"),
    ("bpref_relative", "BprefRelative"),
    ("rpref_N", "RprefN", {}, _OF_DATA),
    ("rpref_relative", "RprefRelative"),
    ("rpref_relative2", "RprefRelative2"),
)

_MATTERS = _rows(
    "matters",
    ("gradedAveragePrecision", "GAP", {}, "g must be given."),
    ("extendedGradedAveragePrecision", "xGAP", *_G),
    ("expectedGradedAveragePrecision", "eGAP", *_G),
    ("averagePrecision", "AP", _NAN),
    ("qMeasure", "QMeasure", _NAN),
    ("bpref", "Bpref", _NAN),
)

_EXP2_GAIN: dict[str, Any] = {"gain": "exp2"}
_TOP_GRADE: Meaning = (
    {},
    "Their maximum_relevance is our max_grade, which must be given.",
)

# The metrics of ``_rank_eval``; their parameter normalize tells ndcg from dcg.
_ELASTICSEARCH = _rows(
    "elasticsearch",
    ("precision@{k}", "P", *_BY_LENGTH),
    ("recall@{k}", "R"),
    ("mean_reciprocal_rank@{k}", "RR"),
    ("dcg@{k}", "DCG", _EXP2_GAIN),
    (
        "ndcg@{k}",
        "nDCG",
        _EXP2_GAIN,
        "dcg with normalize. They divide a list shorter than k by the best one of its length.",
    ),
    ("expected_reciprocal_rank@{k}", "ERR", *_TOP_GRADE),
)

_QUEPID = _rows(
    "quepid",
    ("P@{k}", "P", *_BY_LENGTH),
    ("AP@{k}", "AP", *_BY_R),
    ("CG@{k}", "CG"),
    ("DCG@{k}", "DCG", _EXP2_GAIN),
    ("ERR@{k}", "ERR", {"max_grade": 3}, "No grade above 3."),
    ("RR@{k}", "RR"),
)

_RRE = _rows(
    "rre",
    ("P@{k}", "P", {"fill": False}, f"Rounded to two digits. {_BY_LENGTH[1]}"),
    ("RR@{k}", "RR"),
)

_RAX = _rows(
    "rax",
    ("mrr_metric[(topn={k})]", "RR"),
    ("recall_metric[(topn={k})]", "R"),
    ("precision_metric[(topn={k})]", "P", *_BY_LENGTH),
    ("ap_metric", "AP"),
    ("ap_metric(topn={k})", "AP", *_BY_R),
    ("dcg_metric[(topn={k})]", "DCG", _EXP2_GAIN),
    ("ndcg_metric[(topn={k})]", "nDCG", _EXP2_GAIN),
)

_TF_RANKING = _rows(
    "tf_ranking",
    ("MRRMetric[(topn={k})]", "RR"),
    ("PrecisionMetric[(topn={k})]", "P", *_BY_LENGTH),
    ("MeanAveragePrecisionMetric", "AP"),
    ("DCGMetric[(topn={k})]", "DCG", _EXP2_GAIN),
    ("NDCGMetric[(topn={k})]", "nDCG", _EXP2_GAIN),
    ("OPAMetric", "PairAccuracy", {}, "Of one query, without ties."),
)

CONVENTIONS = (
    *_BOOSTERS,
    *_SKLEARN,
    *_TREC_EVAL,
    *_IR_MEASURES,
    *_RANX,
    *_TORCHMETRICS,
    *_NTCIREVAL,
    *_MATTERS,
    *_ELASTICSEARCH,
    *_QUEPID,
    *_RRE,
    *_RAX,
    *_TF_RANKING,
)
