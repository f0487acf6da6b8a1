"""Names of papers, of the web page and of peers: each is ours, or unknown without a wrong hint."""

import pytest

from skgraded import measure
from skgraded.conventions import CONVENTIONS

MEANT = {
    "TPR": "R",
    "sensitivity": "R",
    "TNR": "Specificity",
    "selectivity": "Specificity",
    "FPR": "Fallout",
    "fall-out": "Fallout",
    "PPV": "P",
    "NPV": "NPV",
    "FDR": "FDR",
    "ACC": "Accuracy",
    "RHL": "RankedHalfLife",
    "bpref_allnonrel": "BprefN",
    "AveP": "AP",
    "AveP'": "AP(unjudged=condense)",
    "AP'@10": "AP(unjudged=condense)@10",
    "Q'": "QMeasure(unjudged=condense)",
    "nDCG'@5": "nDCG(unjudged=condense)@5",
    "IndAP": "AP(unjudged=condense)",
    "wAP": "WeightedAP",
    "AWP": "WeightedAP",
    "Q-measure": "QMeasure",
    "O-measure": "OMeasure",
    "P-plus": "PPlus",
    "SR": "SlidingRatio",
    "MSR": "ModifiedSlidingRatio",
    "gAP": "GAP",
    "F1": "F",
    "MRR@10": "RR@10",
}
# Other measures, which no measure here is.
UNKNOWN = [
    "FNR", "FOR", "MCC", "CSI", "PT", "DOR", "F2", "BEP", "PRBEP", "E-measure",
    "R-measure", "U-measure", "subAP", "statAP", "xinfAP", "inferredAP", "infNDCG",
    "bpref_topnonrel", "nCG", "ACG", "anDCG", "nxCG", "ep-gr", "RBU", "ERR-IA",
    "alpha-nDCG", "NRBP", "bpref-10", "rpref", "EDCG", "CRP", "ESL", "GMAP", "gMAP",
    "HitRatio", "precision_at_k", "AP_IA", "P_IA", "nERR", "nERR_IA", "nNRBP", "STREC",
    "runid", "num_q", "relstring", "RetrievalMAP", "RetrievalFallOut", "PFound",
    "QueryAUC", "PairLogit", "AverageGain", "OPA", "ARP", "WMAP", "coverage_error",
    "label_ranking_loss", "PRES", "SERP", "RBO", "LRAP", "NDPM", "R-AP", "ASL", "TP",
    "TN", "FP", "FN", "FM", "TS", "coverage", "novelty", "diversity",
    "balanced_accuracy", "half-life", "kappa", "AUC", "tau",
]  # fmt: skip
# Typing errors.
SLIPS = {
    "nDGC": "nDCG",
    "xGPA": "xGAP",
    "xGAPP": "xGAP",
    "Qmeasur": "QMeasure",
    "Specifcity": "Specificity",
    "Acuracy": "Accuracy",
    "precison": "P",
    "recal": "R",
    "Sucess": "Success",
    "recprocal_rank": "RR",
}


@pytest.mark.parametrize("name", MEANT)
def test_names_that_others_use_are_names(name):
    assert measure(name) == measure(MEANT[name])


@pytest.mark.parametrize("name", UNKNOWN)
def test_no_hint_leads_to_another_measure(name):
    with pytest.raises(ValueError, match="nknown measure") as caught:
        measure(name)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("name", SLIPS)
def test_typing_errors_are_seen(name):
    with pytest.raises(ValueError, match=f"Did you mean '{SLIPS[name]}'"):
        measure(name)


@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: f"{row.tool} {row.theirs}")
def test_hints_at_names_of_peers_are_the_measures_of_the_table(row):
    try:
        measure(row.example)
    except ValueError as error:
        _, _, hint = str(error).partition("Did you mean '")
        ours, _, _ = hint.partition("'")
        if ours:
            name = ours.split("(")[0].split("@")[0]
            assert name in {
                each.ours for each in CONVENTIONS if each.theirs == row.theirs
            }
