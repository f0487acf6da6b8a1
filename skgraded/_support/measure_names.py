"""Names of measures that other tools and papers use, and the measures here that they mean.

A name means our measure with our rules for ties and for queries without relevant documents. Only
names are listed whose measure has the same formula here; `skgraded.conventions` gives the rules of
a tool as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from skgraded._support.arguments import ArgumentError
from skgraded._support.frames import library_of


class Meaning(NamedTuple):
    """A measure of ours by name, and the fields that a name of another tool implies."""

    name: str
    fields: dict[str, Any]


# Capitals, underscores and hyphens do not matter. A cut-off follows as in our names: "map@10". They
# are spelled out, means over queries, or those of trec_eval, ir_measures, ranx, scikit-learn and
# NTCIREVAL.
_SAME: dict[str, tuple[str, ...]] = {
    "AP": ("average_precision", "mean_average_precision", "map", "AveP"),
    "GeneralizedAP": ("generalized_average_precision", "genAP", "gen_AveP"),
    "WeightedAP": ("wAP", "weighted_average_precision", "AWP"),
    "RankedHalfLife": ("RHL",),
    "SlidingRatio": ("sr",),
    "ModifiedSlidingRatio": ("msr",),
    "BprefN": ("bpref_allnonrel",),
    "RR": ("reciprocal_rank", "mean_reciprocal_rank", "mrr", "recip_rank"),
    "P": ("precision", "prec", "set_P", "PPV", "positive_predictive_value"),
    "R": ("recall", "SetR", "set_recall", "TPR", "true_positive_rate", "sensitivity"),
    "F": ("F-measure", "F-score"),
    "Fallout": ("FPR", "false_positive_rate"),
    "Specificity": ("TNR", "true_negative_rate", "selectivity"),
    "NPV": ("negative_predictive_value",),
    "FDR": ("false_discovery_rate",),
    "Accuracy": ("ACC",),
    "Success": ("hit", "hit_rate"),
    "nDCG": ("normalized_discounted_cumulative_gain", "ndcg_score", "MSnDCG"),
    "DCG": ("discounted_cumulative_gain", "dcg_score"),
    "ERR": ("expected_reciprocal_rank",),
    "RBP": ("rank_biased_precision",),
    "RPrecision": ("Rprec",),
    "SetAP": ("set_map",),
    "InterpolatedAP": ("11pt_avg",),
}
OTHER_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (ours, {}) for ours, names in _SAME.items() for name in names},
    "f1": ("F", {"beta": 1.0}),
    "IndAP": ("AP", {"unjudged": "condense"}),
    "induced_AP": ("AP", {"unjudged": "condense"}),
    "AveP'": ("AP", {"unjudged": "condense"}),
    "AP'": ("AP", {"unjudged": "condense"}),
    "Q'": ("QMeasure", {"unjudged": "condense"}),
    "nDCG'": ("nDCG", {"unjudged": "condense"}),
    "set_F": ("F", {"beta": 1.0}),  # whose own beta is the square of ours
    "set_relative_P": ("P", {"normalize": True}),
    "dcg_burges": ("DCG", {"gain": "exp2"}),
    "ndcg_burges": ("nDCG", {"gain": "exp2"}),
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
    "hr": "Success",
    "pre": "P",  # XGBoost divides by the length of a short list
    "precisionat": "P",
    "recallat": "R",
    "q": "QMeasure",  # NTCIREVAL normalizes it at a cut-off
}

# Names of other measures, which look like typing errors in ours.
_OTHER_MEASURES = frozenset(["rpref", "infndcg", "bprefallrel"])
_LONG = 5  # letters from which on a wrong one is a typing error, and not another name
_LONGEST_SLIP = 3

# Folded names of measures of which less is better; `skgraded.measures.register` adds others.
LESS_IS_BETTER = {"fallout", "fdr", "rankedhalflife"}

_AS_CLASS = {"k": int}
# In a number; a longer one is a mistake, and Python converts only some thousand.
_DIGITS = 18


def measure_key(name: str) -> str:
    """Write a name without capitals, and without underscores and hyphens between letters."""
    small = name.lower()
    # At the end of a name they mean something: "ndcg-" of XGBoost counts empty queries otherwise.
    if small != small.strip("_-"):
        return small
    return small.replace("_", "").replace("-", "")


def meaning_of(name: str, ours: Mapping[str, str]) -> Meaning | None:
    """Return the measure that a name means; None for a name that nobody uses, or not alike.

    `ours` maps folded names to our names, which come first.
    """
    key = measure_key(name)
    if key in ours:
        return Meaning(ours[key], {})
    if key in _BY_FOLDED_NAME:
        return Meaning(*_BY_FOLDED_NAME[key])

    text = name.strip().lower()
    for pattern, our_name, field, fields in PATTERNS:
        match = re.fullmatch(pattern, text, re.ASCII)
        if match and len(match["number"]) <= _DIGITS:
            as_number = _AS_CLASS.get(field, float)
            number = as_number(match["number"])
            return Meaning(our_name, {**fields, field: number})

    return None


def closest_measure(name: str, ours: Mapping[str, str]) -> str | None:
    """Return the measure whose name was mistyped; None for a name that may be another measure's.

    Few letters tell measures apart, as FPR and FDR, so that likeness alone says nothing: a typing
    error swaps letters that stand together, or has one letter of a longer name wrong.
    """
    key = measure_key(name)
    if key in _OTHER_MEASURES:
        return None
    if key in SUGGESTED:
        return SUGGESTED[key]

    for known, our_name in ours.items():
        if _is_slip(key, known):
            return our_name
    for known, (our_name, fields) in _BY_FOLDED_NAME.items():
        if not fields and _is_slip(key, known):
            return our_name
    return None


def _is_slip(name: str, known: str) -> bool:
    if name[:1] != known[:1] and sorted(name) != sorted(known):
        return False
    n_before = _n_alike(name, known)
    wrong = name[n_before:]
    right = known[n_before:]
    n_after = _n_alike(wrong[::-1], right[::-1])
    wrong = wrong[: len(wrong) - n_after]
    right = right[: len(right) - n_after]

    if sorted(wrong) == sorted(right):
        return len(wrong) <= _LONGEST_SLIP
    is_long = max(len(name), len(known)) >= _LONG
    has_digit = any(letter.isdigit() for letter in wrong + right)
    return is_long and not has_digit and max(len(wrong), len(right)) <= 1


def _n_alike(text: str, other_text: str) -> int:
    """Count the letters at which two texts begin alike."""
    pairs = zip(text, other_text, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def is_of_ir_measures(value: object) -> bool:
    """Whether a value is a measure of ir_measures, such as ``ir_measures.nDCG @ 10``."""
    if library_of(value) != "ir_measures":
        return False
    return hasattr(value, "NAME") and hasattr(value, "params")


_RENAMED = {"cutoff": "k", "max_rel": "max_grade", "relative": "normalize"}
_GAINS = {"log2": "linear", "exp-log2": "exp2"}


def fields_of_ir_measures(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return our fields for the parameters of a measure of ir_measures; ours stay as they are."""
    fields: dict[str, Any] = {}
    for param, value in params.items():
        if param == "judged_only":
            fields["unjudged"] = "condense" if value else "nonrelevant"
        elif param == "dcg" and value in _GAINS:
            fields["gain"] = _GAINS[value]
        elif param == "gains":
            fields["gain"] = _gains_by_grade(value)
        elif param == "beta" and name == "SetF":
            fields["beta"] = value**0.5  # theirs stands in the place of our square
        elif param == "min_rel":
            if value != 0:
                raise ValueError(
                    f"The gain of grade 0 is 0 here; got min_rel={value!r} in {name}."
                )

        else:
            fields[_RENAMED.get(param, param)] = value
    return fields


def _gains_by_grade(gains: Any) -> tuple[float, ...]:
    """Return the gains of grades 1 to the highest that is named; others are their own gain.

    There, this holds for higher grades, too, which are not known before the labels: gains that do
    not name them raise an error when they meet one.
    """
    gain_by_grade = {}
    for grade, gain in dict(gains).items():
        gain_by_grade[int(grade)] = float(gain)

    lowest = min(gain_by_grade, default=0)
    if gain_by_grade.get(0, 0.0) != 0.0 or lowest < 0:
        raise ArgumentError("gains", f"must be those of grades above 0, got {gains!r}.")

    highest = max(gain_by_grade, default=0)
    gains_in_order = []
    for grade in range(1, highest + 1):
        gains_in_order.append(gain_by_grade.get(grade, float(grade)))
    return tuple(gains_in_order)


_BY_FOLDED_NAME = {measure_key(name): meaning for name, meaning in OTHER_NAMES.items()}
