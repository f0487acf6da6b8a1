"""One line of facts a measure: how to draw its fields, and what it refuses and offers.

The tests of all measures read this table. What a class tells itself, such as its defaults and its
direction, stands here only where a test compares the two.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import strategies
from hypothesis import settings, strategies as st

from skgraded import catalogue

TIES = ("expected", "row_order", "pessimistic", "optimistic")

GRADES = st.integers(1, 6)


def only(**fields):
    return lambda max_grade: st.fixed_dictionaries(
        {name: make(max_grade) for name, make in fields.items()}
    )


def one_of(*values):
    return lambda _: st.sampled_from(values)


levels_of_recall = one_of(0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0)
betas, epsilons = one_of(0.0, 0.5, 1.0, 10.0), one_of(1e-5, 0.5)
multiples, roundings = one_of(0.05, 0.2, 1.0, 1.5, 2.0), one_of("up", "nearest")


def lists_of_levels(_):
    return st.lists(levels_of_recall(_), min_size=1, max_size=4).map(tuple)


def utility_weights(_):
    return st.tuples(*[st.sampled_from([-1.0, 0.0, 0.5, 1.0])] * 4)


def persistences(_):
    return st.floats(0.01, 0.99)


def rels(max_grade):
    return st.integers(1, max_grade)


def discounted_fields(max_grade):
    return st.fixed_dictionaries(
        {"gain": strategies.gains(max_grade)},
        optional={
            "discount": st.just("jk"),
            "log_base": st.sampled_from([1.5, 2.0, 3.0, 10.0]),
        },
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
    relevance = st.one_of(
        st.fixed_dictionaries({"rel": GRADES}), scale_fields(max_grade)
    )
    return {"p": p, **draw(relevance)}


def persistent(max_grade):
    p = st.fixed_dictionaries({"p": persistences(max_grade)})
    return st.tuples(p, scale_fields(max_grade)).map(lambda drawn: drawn[0] | drawn[1])


def expecting(*gains):
    """Fields of measures whose users expect a gain T in total."""
    return lambda max_grade: st.tuples(
        st.sampled_from(gains), scale_fields(max_grade)
    ).map(lambda drawn: {"T": drawn[0], **drawn[1]})


@st.composite
def blended_scale_fields(draw, max_grade):
    return {"beta": draw(betas(max_grade)), **draw(scale_fields(max_grade))}


def stops(max_grade):
    return st.one_of(st.just("uniform"), strategies.gains(max_grade))


binary = only(rel=rels)
threshold = only(g=strategies.g_vectors)
gain = only(gain=strategies.gains)
blended = only(gain=strategies.gains, beta=betas)


class Facts(NamedTuple):
    """What the tests have to know about a measure.

    Attributes
    ----------
    fields : callable
        From the top grade of the scale to a strategy for the measure's own fields.
    refuses : tuple of str
        The shared fields that take no value but their default.
    prefix_form : bool
        Whether the measure has the prefix form, so that models can be trained for it.
    bounds : tuple of str
        Examples of the measure with bounds over judgments; empty where it has none.
    """

    fields: Callable[[int], st.SearchStrategy[dict[str, Any]]]
    refuses: tuple[str, ...] = ()
    prefix_form: bool = True
    bounds: tuple[str, ...] = ()


FACTS = {
    "ADM": Facts(scale_fields, refuses=("k", "ties", "normalize"), prefix_form=False),
    "AP": Facts(binary),
    "Accuracy": Facts(binary, refuses=("normalize",)),
    "AveragedNDCG": Facts(discounted_fields),
    "BPM": Facts(expecting(0.5, 1.0, 2.5), prefix_form=False),
    "BinG": Facts(binary, prefix_form=False),
    "Bpref": Facts(binary, refuses=("unjudged",), prefix_form=False),
    "BprefN": Facts(binary, refuses=("unjudged",)),
    "BprefR": Facts(binary, prefix_form=False),
    "BprefRelative": Facts(binary),
    "BprefTen": Facts(binary, prefix_form=False),
    "CG": Facts(gain, bounds=("CG",)),
    "Compat": Facts(only(p=persistences), prefix_form=False),
    "DCG": Facts(discounted_fields, bounds=("DCG(gain=exp2)@3",)),
    "EBR": Facts(blended_scale_fields, prefix_form=False),
    "ERR": Facts(
        scale_fields,
        prefix_form=False,
        bounds=("ERR", "ERR(gain=linear,max_grade=4)@2"),
    ),
    "F": Facts(only(rel=rels, beta=betas)),
    "FDR": Facts(binary, refuses=("normalize",), bounds=("FDR@2",)),
    "Fallout": Facts(binary, refuses=("normalize",)),
    "G": Facts(gain, prefix_form=False),
    "GAP": Facts(threshold),
    "GeneralizedAP": Facts(gain),
    "GeneralizedP": Facts(scale_fields, bounds=("GeneralizedP",)),
    "GeneralizedR": Facts(gain),
    "INSQ": Facts(expecting(0.1, 1.0, 2.5), bounds=("INSQ", "INSQ(T=2,max_grade=4)@2")),
    "INST": Facts(expecting(0.5, 1.0, 2.5), prefix_form=False),
    "IPrec": Facts(
        only(rel=rels, recall=levels_of_recall, rounding=roundings), prefix_form=False
    ),
    "InterpolatedAP": Facts(
        only(rel=rels, recalls=lists_of_levels, rounding=roundings), prefix_form=False
    ),
    "Judged": Facts(only(), refuses=("unjudged",), prefix_form=False),
    "ModifiedSlidingRatio": Facts(
        gain, bounds=("ModifiedSlidingRatio(normalize=False)",)
    ),
    "NCU": Facts(only(gain=strategies.gains, beta=betas, stop=stops)),
    "NDCGRel": Facts(gain, prefix_form=False),
    "NERR10": Facts(
        persistent, prefix_form=False, bounds=("NERR10", "NERR10(max_grade=4)@2")
    ),
    "NERR11": Facts(
        expecting(0.1, 1.0, 2.5), prefix_form=False, bounds=("NERR11(max_grade=4)@2",)
    ),
    "NERR8": Facts(
        scale_fields, prefix_form=False, bounds=("NERR8", "NERR8(max_grade=4)@2")
    ),
    "NERR9": Facts(
        scale_fields, prefix_form=False, bounds=("NERR9", "NERR9(max_grade=4)@2")
    ),
    "NPV": Facts(binary, refuses=("normalize",)),
    "NormalizedPrecision": Facts(binary, refuses=("k", "normalize")),
    "NormalizedRecall": Facts(binary, refuses=("k", "normalize")),
    "OMeasure": Facts(blended, prefix_form=False),
    "OldBpref": Facts(binary, refuses=("unjudged",), prefix_form=False),
    "P": Facts(
        only(rel=rels, fill=lambda _: st.booleans()), bounds=("P@2", "P(rel=2)")
    ),
    "PairAccuracy": Facts(only(), refuses=("unjudged", "k", "normalize")),
    "PMeasure": Facts(blended, prefix_form=False),
    "PPlus": Facts(blended, prefix_form=False),
    "QMeasure": Facts(blended),
    "R": Facts(binary),
    "RBP": Facts(rbp_fields, bounds=("RBP(p=0.5)", "RBP(gain=[0,1,5])@4")),
    "RNDCG": Facts(gain),
    "RPrecision": Facts(only(rel=rels, multiple=multiples)),
    "RR": Facts(binary, prefix_form=False, bounds=("RR",)),
    "RankBiasedNCU": Facts(
        only(gain=strategies.gains, beta=betas, p=persistences), prefix_form=False
    ),
    "RankedHalfLife": Facts(gain, refuses=("normalize",), prefix_form=False),
    "RprefN": Facts(scale_fields, refuses=("unjudged",)),
    "RprefRelative": Facts(gain),
    "RprefRelative2": Facts(gain),
    "SDCG": Facts(scale_fields, bounds=("SDCG", "SDCG(max_grade=4)@2")),
    "SetAP": Facts(binary),
    "SlidingRatio": Facts(gain, bounds=("SlidingRatio(normalize=False)@2",)),
    "Specificity": Facts(binary, refuses=("normalize",)),
    "Success": Facts(binary, prefix_form=False, bounds=("Success@2",)),
    "Utility": Facts(only(rel=rels, weights=utility_weights), refuses=("normalize",)),
    "WeightedAP": Facts(gain),
    "eGAP": Facts(threshold),
    "grAP": Facts(scale_fields),
    "iRBU": Facts(
        persistent, prefix_form=False, bounds=("iRBU", "iRBU(p=0.5,max_grade=4)@2")
    ),
    "infAP": Facts(only(rel=rels, epsilon=epsilons), prefix_form=False),
    "nDCG": Facts(discounted_fields, bounds=("nDCG(normalize=False)",)),
    "xGAP": Facts(threshold),
}

# The measures that look at ranks. The others look at scores, and no rule for ties concerns them.
RANKED = sorted(
    name for name in set(FACTS) & set(catalogue()) if "ties" not in FACTS[name].refuses
)
EACH = pytest.mark.parametrize("name", RANKED)
FEW = settings(max_examples=min(settings().max_examples // 5, 30))  # of each measure


def has_mean_over_ties(name):
    """Whether the mean over all orders of tied documents is the default: it has a cheap formula."""
    return default_of(name).ties == "expected"


@cache
def default_of(name):
    """Return the measure with its defaults."""
    return catalogue()[name]()


@st.composite
def fields_of(draw, name, max_grade, top=None):
    """Draw a measure with its fields, and the oracle's arguments that mean the same.

    No document of the data has a grade above top, which a threshold must not be either.
    """
    facts, default = FACTS[name], default_of(name)
    fields = draw(_own_fields(name, max_grade))
    if "rel" in fields and top is not None:
        fields["rel"] = min(fields["rel"], max(1, top))
    if "k" not in facts.refuses:
        fields["k"] = draw(strategies.cutoffs())
    # The oracle of what is normalized by default divides by the ideal value in any case.
    if "normalize" not in facts.refuses and not default.normalize:
        fields["normalize"] = draw(_BOOLEANS)
    rules = {
        "unjudged": default.unjudged
        if "unjudged" in facts.refuses
        else draw(_UNJUDGED),
        "empty": draw(_EMPTY),
    }
    condense = rules["unjudged"] == "condense"
    arguments = {**fields, "condense": condense, "empty": rules["empty"]}
    return default.replace(**fields, **rules), arguments


_BOOLEANS = st.booleans()
_UNJUDGED = st.sampled_from(["nonrelevant", "condense"])
_EMPTY = st.sampled_from([0.0, 1.0, 0.25])


@cache
def _own_fields(name, max_grade):
    return FACTS[name].fields(max_grade)


@st.composite
def cases(draw, data, name):
    """Draw rows, a measure and the oracle's arguments that mean the same."""
    rows = draw(data)
    return rows, *draw(fields_of(name, rows.max_grade, top_grade(rows)))


def top_grade(rows):
    return int(max(np.nan_to_num(rows.y_true)))
