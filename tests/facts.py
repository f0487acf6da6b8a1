"""What each measure is like, and how to draw one with its fields."""

import numpy as np
import pytest
import strategies
from hypothesis import settings
from hypothesis import strategies as st

from skgraded import (
    CG,
    DCG,
    ERR,
    FDR,
    RBP,
    RR,
    GeneralizedP,
    ModifiedSlidingRatio,
    P,
    SlidingRatio,
    Success,
    catalogue,
    nDCG,
)

TIES = ("expected", "row_order", "pessimistic", "optimistic")

GRADES = st.integers(1, 6)


def only(**fields):
    return lambda max_grade: st.fixed_dictionaries(
        {name: make(max_grade) for name, make in fields.items()}
    )


def rels(max_grade):
    return st.integers(1, max_grade)


def betas(_):
    return st.sampled_from([0.0, 0.5, 1.0, 10.0])


def discounted_fields(max_grade):
    return st.fixed_dictionaries(
        {"gain": strategies.gains(max_grade)},
        optional={"discount": st.just("jk"), "log_base": st.sampled_from([1.5, 2.0, 3.0, 10.0])},
    ).map(lambda fields: fields if "discount" in fields else {"gain": fields["gain"]})


@st.composite
def scale_fields(draw, max_grade):
    """Draw a gain and the top of the scale, which a gain by name may set above all grades."""
    gain = draw(strategies.gains(max_grade))
    above = draw(st.integers(0, 2)) if isinstance(gain, str) else 0
    return {"gain": gain, "max_grade": max_grade + above}


@st.composite
def rbp_fields(draw, max_grade):
    p = draw(st.sampled_from([0.1, 0.5, 0.8, 0.95]))
    relevance = st.one_of(st.fixed_dictionaries({"rel": GRADES}), scale_fields(max_grade))
    return {"p": p, **draw(relevance)}


binary = only(rel=rels)

threshold = only(g=strategies.g_vectors)

gain = only(gain=strategies.gains)

# What fields each measure has, as far as they are its own; a measure without an entry fails a test.
FIELDS = {
    "ADM": scale_fields,
    "AP": binary,
    "Accuracy": binary,
    "AveragedNDCG": discounted_fields,
    "Bpref": binary,
    "BprefN": binary,
    "BprefR": binary,
    "BprefRelative": binary,
    "BprefTen": binary,
    "CG": gain,
    "DCG": discounted_fields,
    "ERR": scale_fields,
    "F": only(rel=rels, beta=betas),
    "FDR": binary,
    "Fallout": binary,
    "GAP": threshold,
    "GeneralizedAP": gain,
    "GeneralizedP": scale_fields,
    "GeneralizedR": gain,
    "ModifiedSlidingRatio": gain,
    "NPV": binary,
    "NormalizedPrecision": binary,
    "NormalizedRecall": binary,
    "OldBpref": binary,
    "P": only(rel=rels, fill=lambda _: st.booleans()),
    "QMeasure": only(gain=strategies.gains, beta=betas),
    "R": binary,
    "RBP": rbp_fields,
    "RPrecision": binary,
    "RR": binary,
    "RankedHalfLife": gain,
    "RprefN": scale_fields,
    "RprefRelative": gain,
    "RprefRelative2": gain,
    "SlidingRatio": gain,
    "Specificity": binary,
    "Success": binary,
    "WeightedAP": gain,
    "eGAP": threshold,
    "infAP": only(rel=rels, epsilon=lambda _: st.sampled_from([1e-5, 0.5])),
    "nDCG": discounted_fields,
    "xGAP": threshold,
}

# What shared fields a measure has no use for.
ALWAYS_NORMALIZED = {"ModifiedSlidingRatio", "SlidingRatio", "nDCG"}

WITHOUT_CUTOFF = {"ADM", "NormalizedPrecision", "NormalizedRecall"}

WITHOUT_NORMALIZATION = WITHOUT_CUTOFF | {
    "Accuracy", "FDR", "Fallout", "NPV", "RankedHalfLife", "Specificity",
}  # fmt: skip

ALWAYS_CONDENSED = {"Bpref", "BprefN", "OldBpref", "RprefN"}

WITHOUT_MEAN_OVER_TIES = {"RankedHalfLife", "infAP"}

RANKED = sorted(set(FIELDS) - {"ADM"})  # which looks at scores

EACH = pytest.mark.parametrize("name", RANKED)

FEW = settings(max_examples=min(settings().max_examples // 5, 30))  # of each measure

BOUNDED = {
    "CG": CG(),
    "DCG": DCG(gain="exp2", k=3),
    "ERR": ERR(),
    "ERR linear": ERR(gain="linear", max_grade=4, k=2),
    "FDR": FDR(k=2),
    "GeneralizedP": GeneralizedP(),
    "ModifiedSlidingRatio": ModifiedSlidingRatio(normalize=False),
    "P": P(k=2),
    "P of relevant grade 2": P(rel=2),
    "RBP": RBP(p=0.5),
    "RBP graded": RBP(gain=(0, 1, 5), k=4),
    "RR": RR(),
    "SlidingRatio": SlidingRatio(k=2, normalize=False),
    "Success": Success(k=2),
    "nDCG": nDCG(normalize=False),
}


@st.composite
def fields_of(draw, name, max_grade, top=None):
    """Draw fields of a measure, and the oracle's arguments that mean the same.

    No document of the data has a grade above top, which a threshold must not be either.
    """
    fields = draw(FIELDS[name](max_grade))
    if "rel" in fields and top is not None:
        fields["rel"] = min(fields["rel"], max(1, top))
    if name not in WITHOUT_CUTOFF:
        fields["k"] = draw(strategies.cutoffs())
    if name not in WITHOUT_NORMALIZATION | ALWAYS_NORMALIZED:
        fields["normalize"] = draw(st.booleans())
    condense = name in ALWAYS_CONDENSED or draw(st.booleans())
    empty = draw(st.sampled_from([0.0, 1.0, 0.25]))
    arguments = {**fields, "condense": condense, "empty": empty}
    unjudged = "condense" if condense else "nonrelevant"
    ties = "row_order" if name in WITHOUT_MEAN_OVER_TIES else "expected"
    return catalogue()[name](**fields, unjudged=unjudged, empty=empty, ties=ties), arguments


@st.composite
def cases(draw, data, name):
    """Draw rows, a measure and the oracle's arguments that mean the same."""
    rows = draw(data)
    return rows, *draw(fields_of(name, rows.max_grade, top_grade(rows)))


def top_grade(rows):
    return int(max(np.nan_to_num(rows.y_true)))
