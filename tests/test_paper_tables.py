"""Tables and worked examples of the papers, to every printed digit, from the public API."""

import itertools
import math

import numpy as np
import pytest

from skgraded import (
    AP,
    DCG,
    RR,
    evaluate,
    measure,
    nDCG,
)
from skgraded.measures import (
    CG,
    GeneralizedAP,
    ModifiedSlidingRatio,
    P,
    RankedHalfLife,
    SlidingRatio,
)
from skgraded.rankings import as_rankings

NAN = math.nan


def rank_with_rest(lists, pool):
    """Rank each list as a query of its own, and below it the documents of the pool it lacks.

    A cut-off at the end of the list then has the pool's recall base and ideal ranking.
    """
    y_true, qid = [], []
    for query, ranked in enumerate(lists):
        rest = list(pool)
        for grade in ranked:
            if grade in rest:
                rest.remove(grade)
        y_true += [*ranked, *rest]
        qid += [query] * (len(ranked) + len(rest))
    return as_rankings(y_true, -np.arange(float(len(qid))), qid)


# --- Kishida (2005): three relevant documents of grades 3, 2 and 1, lists of five ----------------

INDICATORS = {
    "modified sliding ratio": "ModifiedSlidingRatio@5",
    "averaged nDCG": "AveragedNDCG@5",
    "Q-measure": "QMeasure@5",
    "generalized AP": "GeneralizedAP@5",
    "AP": "AP@5",
}


def all_patterns():
    """Return every list of five that holds some of the relevant documents."""
    patterns = []
    for n_listed in range(4):
        for listed in itertools.combinations([3, 2, 1], n_listed):
            for places in itertools.permutations(range(5), n_listed):
                grade_at = dict(zip(places, listed, strict=True))
                patterns.append([grade_at.get(place, 0) for place in range(5)])
    return patterns


@pytest.fixture(scope="module")
def of_patterns():
    """Values of all indicators for all patterns, a column each."""
    scores = evaluate(list(INDICATORS.values()), rank_with_rest(all_patterns(), [3, 2, 1]))
    return dict(zip(INDICATORS, scores.values.T, strict=True))


def test_there_are_136_patterns(of_patterns):
    assert {len(column) for column in of_patterns.values()} == {136}
    assert len({tuple(pattern) for pattern in all_patterns()}) == 136


@pytest.mark.parametrize(
    ("indicator", "average", "deviation"),
    [
        ("modified sliding ratio", 0.488, 0.245),
        ("averaged nDCG", 0.443, 0.250),
        ("Q-measure", 0.503, 0.240),
        ("generalized AP", 0.410, 0.228),
    ],
)
def test_kishida_table_3(of_patterns, indicator, average, deviation):
    column = of_patterns[indicator]
    assert round(float(np.mean(column)), 3) == average
    assert round(float(np.std(column, ddof=1)), 3) == deviation


@pytest.mark.parametrize(
    ("indicator", "correlations"),
    [
        ("averaged nDCG", [0.969]),
        ("Q-measure", [0.885, 0.840]),
        ("generalized AP", [0.963, 0.940, 0.961]),
        ("AP", [0.857, 0.829, 0.928, 0.894]),
    ],
)
def test_kishida_table_4(of_patterns, indicator, correlations):
    others = list(of_patterns.values())[: len(correlations)]
    found = [np.corrcoef(of_patterns[indicator], other)[0, 1] for other in others]
    assert [round(float(each), 3) for each in found] == correlations


# Rows "a" to "e" with the values of the four indicators, and the ratios of rows as printed.
TABLE_5 = {
    "a": ([3, 2, 0, 0, 0], [0.923, 0.933, 0.667, 0.733]),
    "b": ([0, 0, 1, 2, 3], [0.331, 0.184, 0.513, 0.304]),
    "c": ([0, 3, 2, 1, 0], [0.558, 0.610, 0.750, 0.622]),
    "d": ([3, 0, 0, 0, 0], [0.692, 0.640, 0.333, 0.400]),
    "e": ([0, 0, 0, 0, 3], [0.138, 0.046, 0.121, 0.080]),
}


@pytest.mark.parametrize("row", list(TABLE_5))
def test_kishida_table_5(row):
    pattern, printed = TABLE_5[row]
    assert [round(each, 3) for each in indicators_of(pattern)] == printed


@pytest.mark.parametrize(
    ("row", "to", "printed"),
    [
        ("b", "a", [0.358, 0.197, 0.770, 0.415]),
        ("c", "a", [0.604, 0.654, 1.125, 0.848]),
        ("d", "a", [0.750, 0.686, 0.500, 0.545]),
        ("e", "d", [0.200, 0.072, 0.364, 0.200]),
    ],
)
def test_kishida_table_5_ratios(row, to, printed):
    above, below = (indicators_of(TABLE_5[each][0]) for each in (row, to))
    assert [round(x / y, 3) for x, y in zip(above, below, strict=True)] == printed


def indicators_of(pattern):
    scores = evaluate(list(INDICATORS.values())[:4], rank_with_rest([pattern], [3, 2, 1]))
    return scores.values[0].tolist()


@pytest.mark.parametrize(
    ("n_relevant", "printed"),
    [
        (10, [0.00081, -0.01737, -0.03555]),
        (50, [0.00794, 0.00402, 0.00010]),
        (100, [0.00891, 0.00693, 0.00495]),
    ],
)
def test_kishida_table_1(n_relevant, printed):
    # A relevant document is discovered at rank 101, below all others: its precision comes in, and
    # what the others have is divided by one more (Eq. 16 and 17).
    before = np.array([0] * (100 - n_relevant) + [1] * n_relevant + [0])
    after = before.copy()
    after[100] = 1
    scores = -np.arange(101.0)
    v, precision = AP()(before, scores), P(k=101)(after, scores)

    def change(v):
        return (n_relevant * v + precision) / (n_relevant + 1) - v

    assert AP()(after, scores) - v == pytest.approx(change(v), abs=1e-14)
    assert [round(change(v), 5) for v in (0.1, 0.3, 0.5)] == printed


def test_kishidas_sliding_ratios():
    # Section 4.1.2: relevance degrees 1, 2, 2 and 3.
    system_a, system_b = [1, 2, 3, 0, 0], [3, 2, 1, 0, 0]
    rankings = rank_with_rest([system_a, system_b], [1, 2, 2, 3])
    assert SlidingRatio(k=5).per_query(rankings).values.tolist() == [0.75, 0.75]
    modified = ModifiedSlidingRatio(k=5).per_query(rankings).values
    assert np.round(modified, 2).tolist() == [0.61, 0.88]


def test_kishidas_ranked_half_life():
    # Section 4.1.3: relevance .5, 1, 1, .5 at ranks 1, 3, 9, 14, then at 1, 3, 100, 1000.
    def half_life(places):
        y_true = np.zeros(places[-1])
        y_true[np.array(places) - 1] = [0.5, 1.0, 1.0, 0.5]
        return RankedHalfLife()(y_true, -np.arange(float(len(y_true))))

    assert half_life([1, 3, 9, 14]) == 3
    assert half_life([1, 3, 100, 1000]) == 3


@pytest.mark.parametrize(
    ("pool", "value"),
    [([3, 2, 1, 1], 0.2072072072), ([3, 2, 1], 0.2555555556), ([3, 2], 0.3484848485)],
)
def test_generalized_ap_of_lexical_substitutes(pool, value):
    # Published unit values: a list that names the substitutes of grades 2 and 3 at ranks 3 and 4.
    rankings = rank_with_rest([[0, 0, 2, 3, 0]], pool)
    assert GeneralizedAP(k=5)(rankings) == pytest.approx(value, abs=1e-10)


# --- worked examples of a lecture -----------------------------------------------------------------

RELEVANT_RANKS = [1, 3, 5, 6, 8]
EIGHT = [int(rank in RELEVANT_RANKS) for rank in range(1, 9)]
TEN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_precision_and_average_precision_of_eight_documents():
    scores = -np.arange(8.0)
    found = [round(P(k=k)(EIGHT, scores), 3) for k in (1, 2, 3, 8)]
    assert found == [1.0, 0.5, 0.667, 0.625]
    assert round(AP()(EIGHT, scores), 3) == 0.712
    assert RR()(EIGHT, scores) == 1.0


def test_cumulated_gain_of_ten_documents():
    scores = -np.arange(10.0)
    jk = {"discount": "jk"}
    assert CG()(TEN, scores) == 16
    assert round(DCG(**jk)(TEN, scores), 2) == 9.61
    # The page sorts the list to 3 3 3 2 2 2 1 0 0 0, and prints 10.89 as the sum of rounded terms.
    ideal = DCG(**jk)(sorted(TEN), np.arange(10.0))
    assert ideal == pytest.approx(10.89, abs=0.01)
    assert round(nDCG(**jk)(TEN, scores), 2) == 0.88
    terms = [DCG(**jk, k=k)(TEN, scores) for k in range(11)[1:]]
    gained = np.round(np.diff(terms), 2).tolist()
    assert gained == [2.0, 1.89, 0.0, 0.0, 0.39, 0.71, 0.67, 0.95, 0.0]


# --- the sample of NTCIREVAL and a second list on the same judgments ------------------------------

# Documents of grade 3 (three), 2 (three), 1 (four) and 0; NaN was not judged.
POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
A = [0, 3, NAN, 2]
B = [1, 3, NAN, 2, NAN, 1]

# As NTCIREVAL 190111 prints them with gains 1 : 2 : 3, full lists and condensed ones.
FULL = {
    "AP": (0.1000, 0.3417),
    "QMeasure": (0.0967, 0.2374),
    "GAP(g=linear)": (0.1452, 0.2231),
    "RBP(p=0.95,gain=linear,max_grade=3)": (0.0761, 0.1056),
    "ERR(gain=linear,max_grade=3)": (0.4062, 0.5586),
    "RR": (0.5, 1.0),
}
CONDENSED = {
    "AP": (0.1167, 0.4000),
    "QMeasure": (0.1083, 0.2733),
    "GAP(g=linear)": (0.1613, 0.2527),
    "RBP(p=0.95,gain=linear,max_grade=3)": (0.0776, 0.1085),
    "ERR(gain=linear,max_grade=3)": (0.4167, 0.5684),
    "Bpref": (0.0, 0.4),
    "BprefR": (0.18, 0.4),
    "BprefN": (0.0, 0.4),
    "BprefRelative": (0.05, 0.3),
    "RprefN": (0.2068, 0.3346),
    "RprefRelative": (0.0526, 0.1842),
    "RprefRelative2": (0.1491, 0.2982),
}
# These divide by the ideal ranking of the whole pool.
NORMALIZED = {
    "nDCG(discount=jk)": ((0.3380, 0.4552), (0.3601, 0.4869)),
    "nDCG": ((0.2760, 0.4119), (0.2899, 0.4332)),
    "ERR(gain=linear,max_grade=3,normalize=True)": ((0.4710, 0.6476), (0.4830, 0.6589)),
}


@pytest.mark.parametrize("spec", list(FULL))
def test_ntcireval_sample(spec):
    assert_printed(spec, "nonrelevant", FULL[spec])


@pytest.mark.parametrize("spec", list(CONDENSED))
def test_ntcireval_sample_condensed(spec):
    assert_printed(spec, "condense", CONDENSED[spec])


@pytest.mark.parametrize("spec", list(NORMALIZED))
@pytest.mark.parametrize("unjudged", ["nonrelevant", "condense"])
def test_ntcireval_sample_over_its_ideal(spec, unjudged):
    chosen = measure(spec)
    raw = chosen._replace(normalize=False)
    best = raw(sorted(POOL), np.arange(float(len(POOL))))
    printed = NORMALIZED[spec][unjudged == "condense"]
    assert_printed(str(raw), unjudged, [each * best for each in printed], 5.1e-5 * best)


def assert_printed(spec, unjudged, printed, tolerance=5.01e-5):
    for ranked, value in zip((A, B), printed, strict=True):
        length = len(ranked) if unjudged == "nonrelevant" else np.sum(~np.isnan(ranked))
        cut = measure(spec)._replace(unjudged=unjudged, k=int(length))
        assert cut(rank_with_rest([ranked], POOL)) == pytest.approx(value, abs=tolerance)
