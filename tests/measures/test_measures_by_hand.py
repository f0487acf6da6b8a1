"""Values by hand, in papers and as other software prints them, from the public API."""

import math
from fractions import Fraction

import numpy as np
import pytest
from pools import rankings_of_pools
from reference.bpref import UNSAMPLED

from skgraded import AP, GAP, eGAP, evaluate, measure, xGAP
from skgraded.measures import ADM, RankedHalfLife

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

FOUR_DIGITS = 5.01e-5  # printed with four digits

# The sample of NTCIREVAL: a topic with three documents of grade 3, three of 2, four of 1 and one
# judged non-relevant, and two lists with unjudged documents in them.
POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
LIST_A = [0, 3, None, 2]
LIST_B = [1, 3, None, 2, None, 1]
THIRD = "[0.3333333333333333,0.3333333333333333,0.3333333333333333]"


def value_of(spec, ranked, pool=None):
    """Value of a list in rank order, None for an unjudged document; its pool may hold more."""
    pool = [grade for grade in ranked if grade is not None] if pool is None else pool
    return measure(spec)(rankings_of_pools([(ranked, pool)]))


# --- by hand --------------------------------------------------------------------------------------

EIGHT = [1, 0, 1, 0, 1, 1, 0, 1]
SETS = ([1, 0, 2, None, 0], [1, 0, 2, 0, 1, 0])  # of seven documents the list lacks two
LEVELS = ([1, 0, 1, 0, 0, 1], [1, 1, 1, 1, 0, 0, 0])
SKIP = ([2, None, 1, 0], [2, 1, 1, 0])
SECOND = 1 / math.log2(3)
WHOLE = math.pi**2 / 6 - 1  # the sum of 1 / n^2 from n = 2 on

BY_HAND = [
    # Precision, recall and sets of documents.
    ("P", *SKIP, 2 / 4),
    ("P(unjudged=condense)", *SKIP, 2 / 3),
    ("P@10", *SKIP, 2 / 10),
    ("P(normalize=True)@10", *SKIP, 2 / 3),
    ("P(rel=2)", *SKIP, 1 / 4),
    ("R", *SKIP, 2 / 3),
    ("R@2", *SKIP, 1 / 3),
    ("R(normalize=True)@2", *SKIP, 1 / 2),
    ("RPrecision", [1, 0, 2, 1], [1, 1, 2, 0], 2 / 3),
    ("GeneralizedP(max_grade=4)", [2, None, 1], [2, 1, 1], 3 / 12),
    ("GeneralizedR", [2, None, 1], [2, 1, 1], 3 / 4),
    (
        "NormalizedRecall",
        [1, 0, 0, 1, 0],
        None,
        1 - 2 / 6,
    ),  # two ranks too late, of 2 * 3
    ("NormalizedPrecision", [1, 0, 0, 1, 0], None, 1 - math.log(4 / 2) / math.log(10)),
    ("Accuracy", [], [1] * 5 + [0] * 995, 0.995),  # the lecture's warning
    ("F", [], [1] * 5 + [0] * 995, 0),
    ("Fallout@3", *SETS, 1 / 4),
    ("NPV@3", *SETS, 3 / 4),
    ("NPV@1", [1, 0, 1], None, 1 / 2),
    ("Accuracy@3", *SETS, 5 / 7),
    ("F(beta=2)@1", *SETS, 5 * (1 / 3) / (4 + 1 / 3)),
    ("SetAP@4", EIGHT, None, 2 / 4 * 2 / 5),
    ("SetAP", EIGHT, [*EIGHT, 1], 5 / 8 * 5 / 6),
    ("SetAP@4", [1, 0], None, 1 / 4),
    # Two true and one false positive, one relevant document missed, and one non-relevant left.
    ("Utility", [1, 0, 1], [1, 1, 1, 0, 0], 2 - 1),
    ("Utility(weights=[5,-1,-2,10])", [1, 0, 1], [1, 1, 1, 0, 0], 2 * 5 - 1 - 2 + 10),
    ("Utility(weights=[5,-1,-2,10])@1", [1, 0, 1], [1, 1, 1, 0, 0], 5 - 2 * 2 + 2 * 10),
    ("Judged", [1, None, 0], None, 2 / 3),
    ("Judged@5", [1, None], None, 1 / 2),
    ("Judged(empty=1)", [None], [], 1),
    # Four documents are relevant, of which the list lacks one; a fraction below 0.1 is dropped.
    ("IPrec(recall=0.5)", *LEVELS, 2 / 3),
    ("IPrec(recall=0.77)", *LEVELS, 1 / 2),
    ("IPrec(recall=0.78)", *LEVELS, 0),
    ("IPrec(recall=0.3)", *LEVELS, 2 / 3),
    ("IPrec(recall=0.3,rounding=nearest)", *LEVELS, 1),
    ("IPrec(recall=0)", [0, 1, 1, 1], None, 3 / 4),
    ("InterpolatedAP", [1, 0, 0, 1], None, (6 * 1 + 5 * 1 / 2) / 11),
    # Average precision and its relatives.
    ("AP@2", [1, 0, 1, 1, 0], None, 1 / 3),
    ("AP(normalize=True)@2", [1, 0, 1, 1, 0], None, 1 / 2),
    ("AP", [None, 1, 0], None, 1 / 2),
    ("AP(empty=0.25)", [None, None], None, 0.25),
    ("GAP(g=[0,1],empty=1)", [1, 0, 1], None, 1),  # no user finds anything relevant
    ("xGAP(g=[0,1],empty=1)", [1, 0, 1], None, 1),
    ("eGAP(g=[0,1],empty=1)", [1, 0, 1], [1, 1, 2], 0),
    # xGAP may fall where the better of two documents moves up, which no paper says.
    ("xGAP(g=[.5,.5])", [0, 0, 0, 0, 1, 2], None, 19 / 80),
    ("xGAP(g=[.5,.5])", [0, 0, 0, 0, 2, 1], None, 7 / 30),
    ("QMeasure(beta=3.5)", sorted(POOL)[::-1], None, 1),
    ("WeightedAP", [0, 0, 1, 0, 2, 3], [3, 2, 1], (1 / 6 + 3 / 6 + 6 / 6) / 3),
    ("WeightedAP", [2, 3, 1], None, (2 / 3 + 1 + 1) / 3),
    # The probability to select a document, by a cut-off at rank 1 (Ferrante, Ferro, Maistro 2014).
    ("GAP(g=[.5,.5])@1", [1], [1] * 10 + [2], 1 / 12),
    ("GAP(g=[.5,.5])@1", [2], [1] * 10 + [2], 1 / 6),
    ("GAP(g=[.1,.9])@1", [2], [1] * 10 + [2], 1 / 2),
    *[
        (f"{kind}(g=[.5,.5])@1", [1], [1] * 10 + [2], 1 / 22)
        for kind in ("xGAP", "eGAP")
    ],
    *[
        (f"{kind}(g=[.5,.5])@1", [2], [1] * 10 + [2], 12 / 22)
        for kind in ("xGAP", "eGAP")
    ],
    *[
        (f"{kind}(g=[.1,.9])@1", [2], [1] * 10 + [2], 100 / 110)
        for kind in ("xGAP", "eGAP")
    ],
    # Unit tests of Infer.NET of GAP, there under the name of another measure, and of LexSubGen.
    ("GAP(g=uniform)", [3, 1, 2, 2], None, 89 / 96),
    ("GAP(g=uniform)", [5, 1], None, 1),
    ("GAP(g=uniform)", [3, 4], None, 13 / 14),
    ("GeneralizedAP", [0, 0, 2, 3, 0], [3, 2, 1, 1], 23 / 111),
    ("GeneralizedAP", [0, 0, 2, 3, 0], [3, 2, 1], 23 / 90),
    ("GeneralizedAP", [0, 0, 2, 3, 0], [3, 2], 23 / 66),
    # Cumulated gain.
    ("DCG", [2, 0, 1], None, 2 + 1 / 2),
    ("DCG(gain=exp2)", [2, 0, 1], None, 3 + 1 / 2),
    ("DCG(gain=[.5,4])", [0, 2, 1], None, 4 * SECOND + 0.25),
    ("DCG(discount=jk)", [1, 1, 1, 1], None, 2 + SECOND + 1 / 2),
    ("DCG(discount=jk,log_base=3)", [1, 1, 1, 1], None, 3 + math.log(3, 4)),
    ("DCG", [0.5, 1.5], None, 0.5 + 1.5 * SECOND),
    ("nDCG@1", [0, 1], [1, 0], 0),
    ("AveragedNDCG@2", [1, 2], None, (1 / 2 + 1) / 2),
    ("AveragedNDCG@4", [1, 2], None, (1 / 2 + 1 + 1 + 1) / 4),  # fills a short list up
    ("AveragedNDCG(unjudged=condense)", [None], [1], 0),
    ("RNDCG", [1, 2], None, (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    ("RNDCG", [1], [1, 2], (1 / 2 + 1 / (2 + SECOND)) / 2),
    ("NDCGRel", [1, 0], [1, 2], (1 / 2 + 1 / (2 + SECOND)) / 2),
    ("NDCGRel", [1, 2], None, (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    # A user who goes on, or stops.
    ("RR", [0, None, 1, 2], None, 1 / 3),
    ("Success@3", [0, None, 1, 2], None, 1),
    ("RBP(p=.5)", [1, 0, 2], None, 1 / 2 + 1 / 8),
    ("RBP(p=.5,gain=linear,max_grade=2)", [2, 0, 1], None, 1 / 2 + 1 / 16),
    # Chances to stop: 3/4, 0, 1/4 on the scale 0..2.
    ("ERR(max_grade=2)", [2, 0, 1], None, 3 / 4 + 1 / 4 * 1 / 12),
    ("ERR(max_grade=3)", [2], None, 3 / 8),
    ("INSQ(max_grade=1)", [1, 0, 1], None, (1 / 4 + 1 / 16) / WHOLE),
    ("INSQ(max_grade=1)@2", [1, 0, 1], None, (1 / 4) / (1 / 4 + 1 / 9)),
    # After a gain of 1 the user goes on with ((1 + 1 + 0 - 1) / 2)^2 = 1/4.
    ("INST(max_grade=1)@2", [1, 0], None, 1 / (1 + 1 / 4)),
    ("INST(max_grade=1)@2", [0, 1], None, 4 / 9 / (1 + 4 / 9)),
    ("NERR8(max_grade=2)@2", [1, 2], None, (1 / 2 + 1 / 2) / (1 + 1 / 2)),
    ("NERR8(max_grade=2)@3", [0], [0, 1], 0),
    ("NERR9(max_grade=2)@2", [1, 2], None, (1 / 2 + 1 / 4) / (1 + 1 / 4)),
    ("NERR10(p=.5,max_grade=2)", [1, 2], None, (1 / 2 + 1 / 4) / (1 + 1 / 4)),
    ("NERR10(p=.5,max_grade=2)", [1], None, (1 / 2) / (1 + 1 / 4 / (1 - 1 / 2))),
    ("NERR11(max_grade=2)", [1, 2], None, (1 / 2 + 2 / 9) / (1 + 2 / 9)),
    ("BPM(max_grade=2)", [1, 0, 1, 2], None, 1 / 3),
    ("BPM(max_grade=2)@2", [1, 0, 1, 2], None, 1 / 4),
    ("BPM(max_grade=2)@4", [1], None, 1 / 8),
    # .6 - .6 + .3 is above .3 by rounding; ten tenths, and three thirds, are a whole.
    ("BPM(gain=[.3,.6])", [2, 1], None, 1),
    ("BPM(max_grade=10)", [1] * 12, None, 1 / 10),
    ("BPM(max_grade=3)", [1] * 12, None, 1 / 3),
    ("BPM(gain=[.1,.2,.3])", [3, 2, 1][::-1], None, 1 / 2),
    ("SDCG(max_grade=2)", [1, 2], None, (1 / 2 + SECOND) / (1 + SECOND)),
    ("SDCG(max_grade=2)@2", [2], None, 1 / (1 + SECOND)),
    *[
        (
            f"SDCG(max_grade=1)@{k}",
            [1],
            None,
            1 / math.fsum(1 / math.log2(n + 2) for n in range(k)),
        )
        for k in (9_999, 10_001, 200_000)
    ],
    # The blended ratio and overlaps.
    *[
        (name, [0, 0], [1, 0, 0], 0)
        for name in ("OMeasure", "PMeasure", "PPlus", "NCU")
    ],
    ("OMeasure(beta=0)", [0, 1, 2], None, 1 / 2),
    ("PMeasure(beta=0)", [0, 1, 2], None, 2 / 3),
    ("EBR(empty=1,max_grade=1)", [0, 0], None, 1),
    ("Compat(p=.5)", [1, 2], None, 0.5 / 1.5),
    ("Compat(p=.5)", [2, 1], None, 1),
    # The document of grade 2 is missing: rank 2 has 1 of 2, as rank 1 of the ideal has.
    ("Compat(p=.5)", [1], [1, 2], 0.5 * 0.5 / 1.5),
    ("Compat(p=.5)", [None, 1], None, 0.25 / 1.25),
    # Half of 1 + 2 + 1 is 2: one from rank 1, the other half of what rank 3 has.
    ("RankedHalfLife", [1, 0, 2, 1], None, 5 / 2),
    ("RankedHalfLife@1", [1, 0, 2, 1], None, 1 / 2),
    ("RankedHalfLife@1", [0, 1], None, 3 / 2),
    ("RankedHalfLife", [0, 0], [0, 0, 3], 7 / 2),
    # Preferences.
    ("Bpref", [0, 1, None, 1], [1, 1, 1, 0, 0, 0], 2 / 3 * 2 / 3),
    ("OldBpref", [0, 1, None, 1], [1, 1, 1, 0, 0, 0], 0),
    ("BprefTen", [0, 1, None, 1], [1, 1, 1, 0, 0, 0], 2 / 3 * 12 / 13),
    ("BprefTen", [0] * 30 + [1], None, 0),
    # The two relative ones forget the document at rank 1.
    *[(f"{kind}Relative", [1, 1, 0], None, 1 / 2) for kind in ("Bpref", "Rpref")],
    *[(f"{kind}Relative", [1, 0, 0], None, 0) for kind in ("Bpref", "Rpref")],
    # Above rank 4 stand one document outside the pool, a relevant one and one not sampled.
    (
        "infAP",
        [None, 1, UNSAMPLED, 1],
        [1, 1, 1, UNSAMPLED],
        (1 / 2 + 1 / 4 + 3 / 4 * 2 / 3 * (1 + 1e-5) / (1 + 2e-5)) / 3,
    ),
]


@pytest.mark.parametrize(("spec", "ranked", "pool", "value"), BY_HAND)
def test_values_by_hand(spec, ranked, pool, value):
    assert value_of(spec, ranked, pool) == pytest.approx(value, abs=1e-12)


def test_two_tied_documents_by_hand():
    # AP is 1 in one order and 1/2 in the other.
    values = {"expected": 3 / 4, "row_order": 1, "pessimistic": 1 / 2, "optimistic": 1}
    for ties, value in values.items():
        assert AP(ties=ties)([1, 0], [5, 5]) == value
    assert AP(ties="optimistic")([0, 1], [-0.0, 0.0]) == 1
    assert AP()([1, 0], [5, 6]) == 1 / 2


def test_average_distance_measure_by_hand():
    adm = ADM(max_grade=2)
    assert adm([2, 0, 1], [1.0, 0.0, 0.5]) == 1
    assert adm([2, 0, 1], [0.0, 1.0, 0.5]) == pytest.approx(1 / 3)
    assert adm([2, math.nan], [0.5, 0.125]) == pytest.approx(1 - 0.625 / 2)
    assert adm.replace(unjudged="condense")([2, math.nan], [0.5, 0.25]) == 0.5
    assert adm.replace(empty=1.0)([0, math.nan], [0.5, 0.25]) == 1.0


@pytest.mark.parametrize("g2", [0.1, 0.5, 0.9, 0.99])
def test_limit_of_many_low_grades_before_one_high(g2):
    rankings = rankings_of_pools([([1] * 200_000 + [2], [1] * 200_000 + [2])])
    limits = {GAP: 1.0, xGAP: 1 - g2**2, eGAP: 1 - g2}
    for kind, limit in limits.items():
        assert kind(g=(1 - g2, g2))(rankings) == pytest.approx(limit, abs=1e-3)


# --- printed by other software --------------------------------------------------------------------


# As NTCIREVAL 190111 prints them with gains 1 : 2 : 3, on full and on condensed lists.
OF_NTCIREVAL = {
    "AP": (0.1000, 0.3417, 0.1167, 0.4000),
    "QMeasure": (0.0967, 0.2374, 0.1083, 0.2733),
    "GAP(g=linear)": (0.1452, 0.2231, 0.1613, 0.2527),
    "RBP(p=0.95,gain=linear,max_grade=3)": (0.0761, 0.1056, 0.0776, 0.1085),
    "ERR(gain=linear,max_grade=3)": (0.4062, 0.5586, 0.4167, 0.5684),
    "ERR(gain=linear,max_grade=3,normalize=True)": (0.4710, 0.6476, 0.4830, 0.6589),
    "nDCG(discount=jk)": (0.3380, 0.4552, 0.3601, 0.4869),
    "nDCG": (0.2760, 0.4119, 0.2899, 0.4332),
    "RR": (0.5, 1.0),
    "Bpref": (None, None, 0.0, 0.4),
    "BprefR": (None, None, 0.18, 0.4),
    "BprefN": (None, None, 0.0, 0.4),
    "BprefRelative": (None, None, 0.05, 0.3),
    "RprefN(max_grade=3)": (None, None, 0.2068, 0.3346),
    "RprefRelative": (None, None, 0.0526, 0.1842),
    "RprefRelative2": (None, None, 0.1491, 0.2982),
    "EBR(max_grade=3)": (0.4333, 0.6154, 0.4479, 0.6344),
    "NCU": (0.1281, 0.2355),
    "NCU(beta=0)": (0.1316, 0.3246),
    "OMeasure": (0.5, 0.5),
    "PMeasure": (0.5, 0.75),
    "PPlus": (0.5, 0.625),
    "RankBiasedNCU": (0.1175, 0.2745),
    "RankBiasedNCU(beta=0)": (0.1215, 0.3985),
}
# Exact: the sample's values of the paper's measures.
EXACT = {
    f"GAP(g={THIRD})": (Fraction(5, 38), Fraction(59, 228)),
    f"xGAP(g={THIRD})": (Fraction(13, 90), Fraction(11, 45)),
    f"eGAP(g={THIRD})": (Fraction(13, 90), Fraction(9, 40)),
    "GAP(g=linear)": (Fraction(9, 62), Fraction(83, 372)),
    "xGAP(g=linear)": (Fraction(7, 45), Fraction(113, 540)),
    "eGAP(g=linear)": (Fraction(7, 45), Fraction(47, 240)),
    **{f"{kind}(g=[1,0,0])": (Fraction(1, 10),) for kind in ("GAP", "xGAP", "eGAP")},
}


@pytest.mark.parametrize(("spec", "printed"), OF_NTCIREVAL.items())
def test_values_that_ntcireval_prints(spec, printed):
    for unjudged, of_lists in (("nonrelevant", printed[:2]), ("condense", printed[2:])):
        for ranked, value in zip((LIST_A, LIST_B), of_lists, strict=False):
            if value is not None:
                chosen = measure(spec).replace(unjudged=unjudged)
                assert value_of(chosen, ranked, POOL) == pytest.approx(
                    value, abs=FOUR_DIGITS
                )


@pytest.mark.parametrize(("spec", "values"), EXACT.items())
def test_exact_values_of_the_sample(spec, values):
    for ranked, value in zip((LIST_A, LIST_B), values, strict=False):
        assert value_of(spec, ranked, POOL) == pytest.approx(float(value), abs=1e-12)


# --- Kishida (2005): three relevant documents of grades 3, 2 and 1, lists of five ----------------

INDICATORS = ("ModifiedSlidingRatio", "AveragedNDCG", "QMeasure", "GeneralizedAP")

TABLE_5 = {
    "a": ([3, 2, 0, 0, 0], [0.923, 0.933, 0.667, 0.733]),
    "b": ([0, 0, 1, 2, 3], [0.331, 0.184, 0.513, 0.304]),
    "c": ([0, 3, 2, 1, 0], [0.558, 0.610, 0.750, 0.622]),
    "d": ([3, 0, 0, 0, 0], [0.692, 0.640, 0.333, 0.400]),
    "e": ([0, 0, 0, 0, 3], [0.138, 0.046, 0.121, 0.080]),
}


@pytest.mark.parametrize("row", TABLE_5)
def test_kishida_table_5(row):
    pattern, printed = TABLE_5[row]
    found = evaluate(INDICATORS, rankings_of_pools([(pattern, [3, 2, 1])]))
    assert found.values[0].round(3).tolist() == printed


def test_kishidas_sliding_ratios():
    for ranked, modified in (([1, 2, 3, 0, 0], 0.61), ([3, 2, 1, 0, 0], 0.88)):
        assert value_of("SlidingRatio", ranked, [1, 2, 2, 3]) == 0.75
        assert (
            round(value_of("ModifiedSlidingRatio", ranked, [1, 2, 2, 3]), 2) == modified
        )


@pytest.mark.parametrize("places", [[1, 3, 9, 14], [1, 3, 100, 1000]])
def test_kishidas_ranked_half_life(places):
    # Relevance .5, 1, 1, .5 at these ranks.
    y_true = np.zeros(places[-1])
    y_true[np.array(places) - 1] = [0.5, 1.0, 1.0, 0.5]
    assert RankedHalfLife()(y_true, -np.arange(float(len(y_true)))) == 3
