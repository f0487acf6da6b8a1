"""Names of measures that other tools and papers use, and the measures here that they mean.

A name means our measure with our rules for ties and for queries without relevant documents. Only
names are listed whose measure has the same formula here; `skgraded.conventions` gives the rules of
a tool as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["OTHER_NAMES", "PATTERNS", "SUGGESTED", "Meaning", "folded", "meaning_of"]


class Meaning(NamedTuple):
    """A measure of ours by name, and the fields that a name of another tool implies."""

    name: str
    fields: dict[str, Any]


# Capitals, underscores and hyphens do not matter. A cut-off follows as in our names: "map@10".
OTHER_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    # Spelled out, or as means over queries
    "average_precision": ("AP", {}),
    "mean_average_precision": ("AP", {}),
    "map": ("AP", {}),
    "reciprocal_rank": ("RR", {}),
    "mean_reciprocal_rank": ("RR", {}),
    "mrr": ("RR", {}),
    "precision": ("P", {}),
    "prec": ("P", {}),
    "recall": ("R", {}),
    "hit": ("Success", {}),
    "hit_rate": ("Success", {}),
    "f1": ("F", {"beta": 1.0}),
    "F-measure": ("F", {}),
    "normalized_discounted_cumulative_gain": ("nDCG", {}),
    "discounted_cumulative_gain": ("DCG", {}),
    "expected_reciprocal_rank": ("ERR", {}),
    "rank_biased_precision": ("RBP", {}),
    "Rprec": ("RPrecision", {}),
    # trec_eval, ir_measures
    "recip_rank": ("RR", {}),
    "set_P": ("P", {}),
    "SetR": ("R", {}),
    "set_recall": ("R", {}),
    "set_F": ("F", {"beta": 1.0}),  # whose own beta is the square of ours
    "set_map": ("SetAP", {}),
    "set_relative_P": ("P", {"normalize": True}),
    "11pt_avg": ("InterpolatedAP", {}),
    # ranx, after Burges et al.
    "dcg_burges": ("DCG", {"gain": "exp2"}),
    "ndcg_burges": ("nDCG", {"gain": "exp2"}),
    # scikit-learn
    "dcg_score": ("DCG", {}),
    "ndcg_score": ("nDCG", {}),
    # NTCIREVAL
    "MSnDCG": ("nDCG", {}),
}

# Names that hold a number, in small letters; the group "number" is the value of the field.
PATTERNS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    # trec_eval, and pytrec_eval's way to ask for it: "ndcg_cut_10" and "ndcg_cut.10"
    (r"p[_.](?P<number>\d+)", "P", "k", {}),
    (r"recall[_.](?P<number>\d+)", "R", "k", {}),
    (r"success[_.](?P<number>\d+)", "Success", "k", {}),
    (r"ndcg_cut[_.](?P<number>\d+)", "nDCG", "k", {}),
    (r"map_cut[_.](?P<number>\d+)", "AP", "k", {}),
    (r"relative_p[_.](?P<number>\d+)", "P", "k", {"normalize": True}),
    (r"iprec_at_recall[_.](?P<number>[01]\.\d+)", "IPrec", "recall", {}),
    (r"rprec_mult[_.](?P<number>\d\.\d+)", "RPrecision", "multiple", {}),
    # ir_measures
    (r"iprec@(?P<number>[01]?\.\d+)", "IPrec", "recall", {}),
    # ranx
    (r"rbp(?P<number>\.\d+)", "RBP", "p", {}),
)

# Folded names that differ between tools, or whose measure has another formula here. Errors suggest
# ours.
SUGGESTED = {
    "hits": "Success",  # the number of relevant documents in ranx, Success elsewhere
    "hr": "Success",
    "pre": "P",  # XGBoost divides by the length of a short list
    "precisionat": "P",
    "recallat": "R",
    "q": "QMeasure",  # NTCIREVAL normalizes it at a cut-off
}

_AS_CLASS = {"k": int}
_DIGITS = 18  # in a number; a longer one is a mistake, and Python converts only some thousand


def folded(name: str) -> str:
    """Write a name without capitals, and without underscores and hyphens between letters."""
    small = name.lower()
    # At the end of a name they mean something: "ndcg-" of XGBoost counts empty queries otherwise.
    return small if small != small.strip("_-") else small.replace("_", "").replace("-", "")


def meaning_of(name: str, ours: Mapping[str, str]) -> Meaning | None:
    """Return the measure that a name means; None for a name that nobody uses, or not alike.

    `ours` maps folded names to our names, which come first.
    """
    key = folded(name)
    if key in ours:
        return Meaning(ours[key], {})
    if key in _BY_FOLDED_NAME:
        return Meaning(*_BY_FOLDED_NAME[key])
    text = name.strip().lower()
    for pattern, meant, field, fields in PATTERNS:
        found = re.fullmatch(pattern, text, re.ASCII)
        if found and len(found["number"]) <= _DIGITS:
            number = _AS_CLASS.get(field, float)(found["number"])
            return Meaning(meant, {**fields, field: number})
    return None


_BY_FOLDED_NAME = {folded(name): meaning for name, meaning in OTHER_NAMES.items()}
