"""Numbers that compare several families: Kishida's tables, NTCIREVAL's and trec_eval's outputs."""

import itertools
import statistics
from fractions import Fraction

import pytest
from reference.average_precision import average_precision, generalized_ap, q_measure
from reference.cascade import err
from reference.ndcg import averaged_ndcg, ndcg, ndcg_sakai
from reference.rank_biased import graded_rbp
from reference.sliding_ratio import modified_sliding_ratio
from samples import LIST_A, LIST_B, POOL


@pytest.mark.parametrize(
    ("ranked", "condense", "printed"),
    [
        (LIST_A, False, [0.0967, 0.0761, 0.4062, 0.3380]),
        (LIST_A, True, [0.1083, 0.0776, 0.4167, 0.3601]),
        (LIST_B, False, [0.2374, 0.1056, 0.5586, 0.4552]),
        (LIST_B, True, [0.2733, 0.1085, 0.5684, 0.4869]),
    ],
)
def test_graded_measures_as_ntcireval_prints_them(ranked, condense, printed):
    found = [
        q_measure(ranked, POOL, condense=condense),
        graded_rbp(ranked, POOL, condense=condense, p=0.95, max_grade=3),
        err(ranked, POOL, condense=condense, gain="linear", max_grade=3),
        ndcg_sakai(ranked, POOL, condense=condense),
    ]
    assert [float(value) for value in found] == pytest.approx(printed, abs=5.1e-5)


def test_values_trec_eval_prints():
    # qrels a=2, b=0, c=1 (d pooled but not judged); the run ranks x, a, b, d, c.
    ranked, pool = [None, 2, 0, None, 1], [2, 0, 1]
    assert average_precision(ranked, pool) == Fraction(45, 100)
    assert average_precision(ranked, pool, k=2) == Fraction(25, 100)
    assert round(ndcg(ranked, pool), 4) == 0.6267
    assert round(ndcg(ranked, pool, k=3), 4) == 0.4796
    assert round(float(average_precision(ranked, pool, condense=True)), 4) == 0.8333
    assert round(ndcg(ranked, pool, condense=True), 4) == 0.9502


# --- Kishida's tables ----------------------------------------------------------------------------


KISHIDA = {
    "modified sliding ratio": modified_sliding_ratio,
    "averaged nDCG": averaged_ndcg,
    "Q-measure": q_measure,
    "generalized AP": generalized_ap,
    "AP": average_precision,
}


def patterns():
    """Every list of five documents that holds some of the relevant ones of grades 3, 2 and 1."""
    for n_listed in range(4):
        for listed in itertools.combinations([3, 2, 1], n_listed):
            for places in itertools.permutations(range(5), n_listed):
                grade_at = dict(zip(places, listed, strict=True))
                yield [grade_at.get(place, 0) for place in range(5)]


@pytest.fixture(scope="module")
def columns():
    """Each measure's values over all patterns."""
    return {
        name: [float(measure(pattern, [3, 2, 1])) for pattern in patterns()]
        for name, measure in KISHIDA.items()
    }


@pytest.mark.parametrize(
    ("name", "average", "deviation"),
    [
        ("modified sliding ratio", 0.488, 0.245),
        ("averaged nDCG", 0.443, 0.250),
        ("Q-measure", 0.503, 0.240),
        ("generalized AP", 0.410, 0.228),
    ],
)
def test_kishida_table_3(columns, name, average, deviation):
    assert len(columns[name]) == 136
    assert round(statistics.mean(columns[name]), 3) == average
    assert round(statistics.stdev(columns[name]), 3) == deviation


@pytest.mark.parametrize(
    ("name", "correlations"),
    [
        ("averaged nDCG", [0.969]),
        ("Q-measure", [0.885, 0.840]),
        ("generalized AP", [0.963, 0.940, 0.961]),
        ("AP", [0.857, 0.829, 0.928, 0.894]),
    ],
)
def test_kishida_table_4(columns, name, correlations):
    found = [
        round(statistics.correlation(columns[name], columns[other]), 3)
        for other in itertools.islice(KISHIDA, len(correlations))
    ]
    assert found == correlations


@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        ("32000", [0.923, 0.933, 0.667, 0.733]),
        ("00123", [0.331, 0.184, 0.513, 0.304]),
        ("03210", [0.558, 0.610, 0.750, 0.622]),
        ("30000", [0.692, 0.640, 0.333, 0.400]),
        ("00003", [0.138, 0.046, 0.121, 0.080]),
    ],
)
def test_kishida_table_5(pattern, values):
    ranked = [int(grade) for grade in pattern]
    found = [float(KISHIDA[name](ranked, [3, 2, 1])) for name in itertools.islice(KISHIDA, 4)]
    assert [round(value, 3) for value in found] == values


@pytest.mark.parametrize(
    ("n_relevant", "row"),
    [
        (10, [0.00081, -0.01737, -0.03555]),
        (50, [0.00794, 0.00402, 0.00010]),
        (100, [0.00891, 0.00693, 0.00495]),
    ],
)
def test_kishida_table_1(n_relevant, row):
    # Eq. 17: finding one more relevant document at rank 101, below all others, changes AP by
    # 1/101 - v / (R + 1) ...
    ranked = [0] * (100 - n_relevant) + [1] * n_relevant
    v = average_precision(ranked)
    assert average_precision([*ranked, 1]) - v == Fraction(1, 101) - v / (n_relevant + 1)
    # ... and the table takes v = 0.1, 0.3, 0.5.
    change = [1 / 101 - v / (n_relevant + 1) for v in (0.1, 0.3, 0.5)]
    assert [round(x, 5) for x in change] == row
