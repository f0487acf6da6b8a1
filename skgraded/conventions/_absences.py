"""What no measure of ours reproduces: names of other tools, and the reasons."""

from __future__ import annotations

from skgraded.conventions._tools import Absence

_SUBTOPICS = "Diversity measures stay out: they need judgments of subtopics, which are not read."

_PAIRS = "`NormalizedRecall` is the share of pairs in the right order, for binary labels."
_ALL_ROWS = f"Computed over all rows, not by query. {_PAIRS}"
_PROBABILITIES = "Labels are probabilities there; the probability of `ERR` comes from grades."

ABSENCES = (
    Absence(
        "lightgbm",
        (
            *("ndcg", "lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart"),
            *("xendcg_mart", "map", "mean_average_precision"),
        ),
        "LightGBM evaluates it at the cut-offs `eval_at`, 1 to 5 by default: name one, as in "
        "`ndcg@5` or `map@5`.",
    ),
    Absence("lightgbm", ("auc", "average_precision", "auc_mu"), _ALL_ROWS),
    Absence(
        "xgboost",
        ("auc", "aucpr"),
        f"Curves whose areas are averaged over queries by weights of XGBoost's own. {_PAIRS}",
    ),
    Absence("catboost", ("ERR", "PFound"), _PROBABILITIES),
    Absence(
        "catboost", ("FilteredDCG",), "It leaves out documents with a negative score: filter first."
    ),
    Absence(
        "catboost",
        ("QueryAverage", "AverageGain"),
        "The mean label of the first k documents: `CG@k` divided by k.",
    ),
    Absence("catboost", ("QueryAUC", "AUC"), _PAIRS),
    Absence(
        "catboost",
        ("PairAccuracy", "PairLogit", "PairLogitPairwise"),
        "They need pairs of documents, which are not read.",
    ),
    Absence(
        "sklearn",
        ("coverage_error",),
        "The rank of the last relevant document, in the mean.",
    ),
    Absence(
        "sklearn",
        ("label_ranking_loss",),
        f"The share of pairs that are not in the right order. {_PAIRS}",
    ),
    Absence(
        "sklearn",
        ("top_k_accuracy_score",),
        "The share of samples whose class is among k: no ranking of documents.",
    ),
    Absence("trec_eval", ("runid",), "The name of the run: `scores.systems`."),
    Absence(
        "trec_eval", ("num_q",), "A number of the result and not of a query: `scores.n_queries`."
    ),
    Absence(
        "trec_eval",
        ("relstring",),
        "The grades of the first documents as text, no number: with `ranked = "
        'rankings.ranked("row_order", "nonrelevant")` they are '
        "`rankings.judgments.grades[ranked.levels]`.",
    ),
    Absence(
        "trec_eval",
        ("rbp", "rbp_resid"),
        "Version 10 scales the grades by the highest of each topic, so that topics have different "
        "scales; `RBP` has the top of one scale for all.",
    ),
    Absence(
        "trec_eval",
        ("unj",),
        "The share of unjudged documents in version 10: 1 less the value of `Judged`.",
    ),
    Absence(
        "trec_eval",
        (
            *("all_prefs", "prefs", "prefs_simp", "prefs_pair", "prefs_avgjg"),
            *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
            *("prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
            *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
            *("qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        ),
        "They need preferences between documents, or several groups of judgments of a topic, which "
        "are not read.",
    ),
    Absence(
        "trec_eval",
        ("yaap",),
        "Robertson's log((1 + s) / (1 + R - s)), where s is R times AP: it orders the runs of a "
        "topic as AP does.",
    ),
    Absence(
        "ir_measures", ("NumQ",), "A number of the result and not of a query: `scores.n_queries`."
    ),
    Absence(
        "ir_measures",
        (
            "AP_IA",
            "ERR_IA",
            "MAP_IA",
            "NRBP",
            "P_IA",
            "StRecall",
            "alpha_DCG",
            "alpha_nDCG",
            "nERR_IA",
            "nNRBP",
        ),
        _SUBTOPICS,
    ),
    Absence(
        "ntcireval",
        ("D-nDCG", "D#-nDCG", "I-rec", "ERR-IA"),
        _SUBTOPICS,
    ),
    Absence(
        "torchmetrics",
        ("RetrievalMAP(top_k={k})",),
        "It is divided by the relevant documents among the first k, so that finding another one "
        "can lower it. `AP@k` is divided by R.",
    ),
    Absence(
        "torchmetrics",
        ("RetrievalPrecisionRecallCurve", "RetrievalRecallAtFixedPrecision"),
        "Curves over k, averaged over queries; `P` and `R` give their points.",
    ),
)
