"""The second part of the oracles against facts of the papers and values of other software."""

import itertools
import math
import statistics
from fractions import Fraction

import hypothesis.strategies as st
import pytest
import reference_more as more
import strategies
from hypothesis import assume, given
from reference import average_precision, cumulated_thresholds, gap, ideal, ndcg, recall_base
from reference_more import UNSAMPLED

# The sample of NTCIREVAL, see test_reference.py.
POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
LIST_A = [0, 3, None, 2]
LIST_B = [1, 3, None, 2, None, 1]

BINARY_PREFERENCES = {
    "bpref": more.bpref,
    "bpref_R": more.bpref_r,
    "bpref_N": more.bpref_n,
    "old_bpref": more.old_bpref,
    "bpref_10": more.bpref_ten,
    "bpref_relative": more.bpref_relative,
}


# --- numbers that NTCIREVAL 190111 prints for its sample (gains 1, 2, 3) ------------------------


@pytest.mark.parametrize(
    ("name", "of_a", "of_b"),
    [
        ("bpref", 0.0, 0.4),
        ("bpref_R", 0.18, 0.4),
        ("bpref_N", 0.0, 0.4),
        ("bpref_relative", 0.05, 0.3),
    ],
)
def test_binary_preference_as_ntcireval_prints_it(name, of_a, of_b):
    measure = BINARY_PREFERENCES[name]
    assert (measure(LIST_A, POOL), measure(LIST_B, POOL)) == (
        Fraction(str(of_a)),
        Fraction(str(of_b)),
    )


@pytest.mark.parametrize(
    ("measure", "parameters", "of_a", "of_b"),
    [
        (more.rpref_n, {"max_grade": 3}, 0.2068, 0.3346),
        (more.rpref_relative, {}, 0.0526, 0.1842),
        (more.rpref_relative2, {}, 0.1491, 0.2982),
    ],
)
def test_graded_preference_as_ntcireval_prints_it(measure, parameters, of_a, of_b):
    assert round(float(measure(LIST_A, POOL, **parameters)), 4) == of_a
    assert round(float(measure(LIST_B, POOL, **parameters)), 4) == of_b


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
        more.q_measure(ranked, POOL, condense=condense),
        more.graded_rbp(ranked, POOL, condense=condense, p=0.95, max_grade=3),
        more.err(ranked, POOL, condense=condense, gain="linear", max_grade=3),
        more.ndcg_sakai(ranked, POOL, condense=condense),
    ]
    assert [float(value) for value in found] == pytest.approx(printed, abs=5.1e-5)


# --- numbers that trec_eval prints -------------------------------------------------------------

# qrels a=2, b=0, c=1, d=-1 (in the pool, not sampled); the run ranks x, a, b, d, c.
TREC_LIST, TREC_POOL = [None, 2, 0, UNSAMPLED, 1], [2, 0, 1, UNSAMPLED]


def test_inferred_ap_as_trec_eval_prints_it():
    assert round(more.inferred_ap(TREC_LIST, TREC_POOL), 4) == 0.5
    assert round(more.inferred_ap(TREC_LIST, TREC_POOL, condense=True), 4) == 0.8333


def test_bpref_as_trec_eval_prints_it():
    # Unsampled documents are not judged: they leave the condensed list and the pool.
    assert more.bpref([None, 2, 0, None, 1], [2, 0, 1]) == Fraction(1, 2)


def test_inferred_ap_by_hand():
    # At rank 4 the three documents above are one outside the pool, one sampled and relevant, one
    # in the pool but not sampled.
    epsilon = 1e-5
    above = 2 / 3 * (1 + epsilon) / (1 + 2 * epsilon)
    value = (1 / 2 + 1 / 2 * 0) + (1 / 4 + 3 / 4 * above)
    assert more.inferred_ap([None, 1, UNSAMPLED, 1], [1, 1, 1]) == pytest.approx(value / 3)
    assert more.inferred_ap([1, 0], [1, 0]) == 1


@given(strategies.ranked_and_pool(unjudged=False))
def test_inferred_ap_of_a_judged_list_is_ap_up_to_the_smoothing(lists):
    ranked, pool, _ = lists
    expected = float(average_precision(ranked, pool))
    assert more.inferred_ap(ranked, pool) == pytest.approx(expected, abs=1e-4)
    assert more.inferred_ap(ranked, pool, epsilon=1e-9) == pytest.approx(expected, abs=1e-8)


# --- identities of Sakai 2007 ------------------------------------------------------------------


@given(strategies.ranked_and_pool(), strategies.cutoffs())
def test_bpref_is_one_of_two_measures(lists, k):
    ranked, pool, _ = lists
    n_relevant = recall_base(pool, 1)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant <= n_nonrelevant:
        assert more.bpref(ranked, pool, k=k) == more.bpref_r(ranked, pool, k=k)
    if n_relevant >= n_nonrelevant:
        assert more.bpref(ranked, pool, k=k) == more.bpref_n(ranked, pool, k=k)


@given(strategies.ranked_and_pool(), st.integers(1, 3))
def test_bpref_by_sets_of_documents(lists, rel):
    # Eq. 1, on the list as retrieved: the penalty counts members of the first R judged
    # non-relevant documents.
    ranked, pool, _ = lists
    n_relevant = sum(grade >= rel for grade in pool)
    n_nonrelevant = len(pool) - n_relevant
    assume(n_relevant)
    nonrelevant = [i for i, grade in enumerate(ranked) if grade is not None and grade < rel]
    first = nonrelevant[:n_relevant]
    total = Fraction(0)
    for i, grade in enumerate(ranked):
        if grade is not None and grade >= rel:
            above = sum(j < i for j in first)
            total += 1 - (Fraction(above, min(n_relevant, n_nonrelevant)) if above else 0)
    assert more.bpref(ranked, pool, rel=rel) == total / n_relevant


@given(strategies.ranked_and_pool())
def test_old_bpref_only_knows_the_nonrelevant_documents_of_the_list(lists):
    ranked, pool, _ = lists
    unretrieved = len(pool) - sum(grade is not None for grade in ranked)
    if unretrieved == 0:
        assert more.old_bpref(ranked, pool) == more.bpref(ranked, pool)
    assert more.old_bpref(ranked, pool) <= more.bpref(ranked, pool)


def test_old_bpref_and_bpref_ten_by_hand():
    ranked, pool = [0, 1, None, 1], [1, 1, 1, 0, 0, 0]
    assert more.bpref(ranked, pool) == Fraction(2, 3) * Fraction(2, 3)
    assert more.old_bpref(ranked, pool) == 0
    assert more.bpref_ten(ranked, pool) == Fraction(2, 3) * Fraction(12, 13)
    assert more.bpref_ten([0] * 30 + [1], [1] + [0] * 30) == 0


@given(strategies.ranked_and_pool())
def test_rpref_of_binary_relevance_is_bpref(lists):
    ranked, pool, _ = lists
    binary = [None if grade is None else int(grade > 0) for grade in ranked]
    pool = [int(grade > 0) for grade in pool]
    assert more.rpref_n(binary, pool, max_grade=1) == more.bpref_n(binary, pool)
    assert more.rpref_relative(binary, pool) == more.bpref_relative(binary, pool)
    # Eq. 20: with r' for r' - 1 it is AP on the condensed list.
    assert more.rpref_relative2(binary, pool) == average_precision(binary, pool, condense=True)


@given(strategies.ranked_and_pool())
def test_rpref_n_by_relevance_values_of_documents(lists):
    # Eqs. 2 to 5, on the list as retrieved: phi = gain / (gain of the top grade of the scale).
    ranked, pool, max_grade = lists
    phi = [Fraction(grade, max_grade) for grade in pool]
    phi_by_rank = {
        n: Fraction(grade, max_grade) for n, grade in enumerate(ranked) if grade is not None
    }
    r_sum, n_sum = sum(phi), sum(1 - x for x in phi)
    assume(r_sum)
    total = Fraction(0)
    for n, own in phi_by_rank.items():
        if own > 0:
            less = [x for m, x in phi_by_rank.items() if m < n and x < own]
            penalty = sum((own - x) / own for x in less)
            assert penalty <= n_sum
            total += own * (1 - (penalty / n_sum if penalty else 0))
    assert more.rpref_n(ranked, pool, max_grade=max_grade) == total / r_sum


@given(strategies.ranked_and_pool())
def test_preference_measures_of_an_ideal_ranking(lists):
    _, pool, max_grade = lists
    pool = [*pool, 1]
    best = ideal(pool)
    n_relevant = recall_base(pool, 1)
    for name in ("bpref", "bpref_R", "bpref_N", "old_bpref", "bpref_10"):
        assert BINARY_PREFERENCES[name](best, pool) == 1
    assert more.rpref_n(best, pool, max_grade=max_grade) == 1
    assert more.rpref_relative2(best, pool) == 1
    # The two relative ones forget the document at rank 1.
    assert more.bpref_relative(best, pool) == Fraction(n_relevant - 1, n_relevant)
    assert more.rpref_relative(best, pool) == Fraction(sum(pool) - best[0], sum(pool))


def test_relative_preference_of_one_relevant_document_at_rank_one_or_two_is_zero():
    for ranked in ([1, 0, 0], [0, 1, 0]):
        assert more.bpref_relative(ranked) == 0
        assert more.rpref_relative(ranked) == 0


@given(strategies.ranked_and_pool(), st.data())
def test_rpref_relative2_is_gap_on_the_condensed_list(lists, data):
    ranked, pool, max_grade = lists
    g = data.draw(strategies.exact_g(max_grade))
    k = data.draw(strategies.cutoffs())
    as_gap = gap(ranked, pool, g=g, k=k, condense=True)
    assert more.rpref_relative2(ranked, pool, gain=cumulated_thresholds(g), k=k) == as_gap


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.booleans())
def test_q_measure_without_beta_is_ap(lists, k, condense):
    ranked, pool, _ = lists
    parameters = {"k": k, "condense": condense}
    expected = average_precision(ranked, pool, **parameters)
    assert more.q_measure(ranked, pool, beta=0, **parameters) == expected


def test_q_measure_of_an_ideal_ranking_is_one():
    assert more.q_measure(ideal(POOL), POOL, beta=Fraction(7, 2)) == 1


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.sampled_from([2, 3, 10]))
def test_ndcg_of_sakai_is_that_of_jarvelin_and_kekalainen(lists, k, log_base):
    ranked, pool, _ = lists
    theirs = ndcg(ranked, pool, k=k, discount="jk", log_base=log_base)
    assert more.ndcg_sakai(ranked, pool, k=k, log_base=log_base) == pytest.approx(theirs)


# --- Kishida's tables --------------------------------------------------------------------------

KISHIDA = {
    "modified sliding ratio": more.modified_sliding_ratio,
    "averaged nDCG": more.averaged_ndcg,
    "Q-measure": more.q_measure,
    "generalized AP": more.generalized_ap,
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


def test_sliding_ratios_of_kishida_4_1_2():
    pool = [1, 2, 2, 3]
    assert more.sliding_ratio([1, 2, 3, 0, 0], pool) == Fraction(75, 100)
    assert more.sliding_ratio([3, 2, 1, 0, 0], pool) == Fraction(75, 100)
    assert round(float(more.modified_sliding_ratio([1, 2, 3, 0, 0], pool)), 2) == 0.61
    assert round(float(more.modified_sliding_ratio([3, 2, 1, 0, 0], pool)), 2) == 0.88


def test_ranked_half_life_of_kishida_4_1_3():
    def at(places):
        ranked = [0] * places[-1]
        for place, gain in zip(places, [1, 2, 2, 1], strict=True):
            ranked[place - 1] = gain
        return more.ranked_half_life(ranked, gain=(0.5, 1.0))

    assert at([1, 3, 9, 14]) == 3
    assert at([1, 3, 100, 1000]) == 3


def test_ranked_half_life_interpolates_inside_the_median_document():
    # Half of 1 + 2 + 1 is 2: one from rank 1, the other half of what rank 3 has.
    assert more.ranked_half_life([1, 0, 2, 1]) == Fraction(5, 2)
    assert more.ranked_half_life([1, 2, 1]) == Fraction(3, 2)
    assert more.ranked_half_life([1]) == Fraction(1, 2)
    assert more.ranked_half_life([1, 0, 2, 1], k=1) == Fraction(1, 2)
    assert more.ranked_half_life([0, 1], k=1) == math.inf


def test_normalized_recall_and_precision_run_from_zero_to_one():
    for measure in (more.normalized_recall, more.normalized_precision):
        assert measure([1, 1, 0, 0, 0]) == 1
        assert measure([0, 0, 0, 1, 1]) == pytest.approx(0)
        assert measure([1, 1]) == 1
        assert measure([1, 0], [1, 0, 0, 1]) == measure([1, 0, 0, 1])
        with pytest.raises(ValueError, match="no cut-off"):
            measure([1, 0], k=1)
    # Ranks 1 and 4 against 1 and 2: 2 too late, of 2 * 3 possible.
    assert more.normalized_recall([1, 0, 0, 1, 0]) == 1 - Fraction(2, 6)
    expected = 1 - math.log(4 / 2) / math.log(10)
    assert more.normalized_precision([1, 0, 0, 1, 0]) == pytest.approx(expected)


@given(strategies.ranked_and_pool())
def test_generalized_ap_of_binary_relevance_is_ap(lists):
    ranked, pool, _ = lists
    binary = [None if grade is None else int(grade > 0) for grade in ranked]
    pool = [int(grade > 0) for grade in pool]
    assert more.generalized_ap(binary, pool) == average_precision(binary, pool)


# Kishida's generalized AP in the unit tests of LexSubGen.
@pytest.mark.parametrize(
    ("pool", "value"),
    [([3, 2, 1, 1], 0.2072072072), ([3, 2, 1], 0.2555555556), ([3, 2], 0.3484848485)],
)
def test_generalized_ap_of_lexical_substitutes(pool, value):
    assert float(more.generalized_ap([0, 0, 2, 3, 0], pool)) == pytest.approx(value)


@given(strategies.ranked_and_pool(unjudged=False), st.data())
def test_sensitivity_of_generalized_ap(lists, data):
    # Eq. 44: the change when the document at rank j turns from irrelevant to relevance x, the
    # denominator kept.
    ranked, _, max_grade = lists
    j = data.draw(st.integers(1, len(ranked)))
    x = data.draw(st.integers(1, max_grade))
    before, after = list(ranked), list(ranked)
    before[j - 1], after[j - 1] = 0, x
    pool = ideal(after)
    largest = sum(Fraction(sum(pool[:i]), i) for i in range(1, len(pool) + 1) if pool[i - 1] > 0)
    later = [t for t in range(j + 1, len(after) + 1) if after[t - 1] > 0]
    change = Fraction(sum(after[:j]), j) + sum(Fraction(x, t) for t in later)
    found = more.generalized_ap(after, pool) - more.generalized_ap(before, pool)
    assert found == change / largest


def test_weighted_ap_cannot_tell_ranks_below_the_last_relevant_one_apart():
    pool = [3, 2, 1]
    assert more.weighted_ap([0, 0, 1, 2, 3], pool) == more.weighted_ap([0, 0, 1, 0, 2, 3], pool)
    assert more.weighted_ap([3, 2, 0, 1], pool) == 1
    assert more.weighted_ap([2, 3, 1], pool) == (Fraction(2, 3) + 1 + 1) / 3


def test_generalized_precision_and_recall_by_hand():
    ranked, pool = [2, None, 1], [2, 1, 1]
    assert more.generalized_p(ranked, pool, max_grade=4) == Fraction(3, 12)
    assert more.generalized_p(ranked, pool, max_grade=4, k=1) == Fraction(1, 2)
    assert more.generalized_p(ranked, pool, max_grade=4, k=6) == Fraction(3, 24)
    assert more.generalized_p(ranked, pool, max_grade=4, condense=True) == Fraction(3, 8)
    assert more.generalized_p([None], pool, max_grade=4, condense=True) == 0
    assert more.generalized_r(ranked, pool) == Fraction(3, 4)
    assert more.generalized_r(ranked, pool, k=2) == Fraction(2, 4)


def test_averaged_ndcg_fills_a_short_list_up():
    assert more.averaged_ndcg([1, 2], k=2) == pytest.approx((1 / 2 + 1) / 2)
    assert more.averaged_ndcg([1, 2], k=4) == pytest.approx((1 / 2 + 1 + 1 + 1) / 4)
    assert more.averaged_ndcg([1, 2]) == more.averaged_ndcg([1, 2], k=2)
    assert more.averaged_ndcg([None], [1], condense=True) == 0


def test_average_distance_measure_by_hand():
    assert more.adm([2, 0, 1], [1.0, 0.0, 0.5], max_grade=2) == 1
    assert more.adm([2, 0, 1], [0.0, 1.0, 0.5], max_grade=2) == pytest.approx(1 / 3)
    assert more.adm([2, None], [0.5, 0.125], max_grade=2) == pytest.approx(1 - 0.625 / 2)
    assert more.adm([1], [0.25], max_grade=2) == 0.75
    assert more.adm([2, None], [0.5, 0.25], max_grade=2, condense=True) == 0.5
    assert more.adm([0, None], [0.5, 0.25], max_grade=2) == 0
    assert more.adm([0, None], [0.5, 0.25], max_grade=2, empty=1.0) == 1.0


def test_r_precision_by_hand():
    assert more.r_precision([1, 0, 2, 1], [1, 1, 2, 0]) == Fraction(2, 3)
    assert more.r_precision([1, 0, 2, 1], [1, 1, 2, 0], k=2) == Fraction(1, 3)
    assert more.r_precision([1, 0, 2, 1], [1, 1, 2, 0], rel=2) == 0


# --- sets of documents -------------------------------------------------------------------------


def test_accuracy_of_a_system_that_retrieves_nothing():
    # The lecture's warning: 995 of 1000 documents are not relevant.
    pool = [1] * 5 + [0] * 995
    assert more.accuracy([], pool) == Fraction(995, 1000)
    assert more.f_measure([], pool) == 0


def test_set_measures_by_hand():
    # Of seven documents the list holds five and lacks one relevant and one other.
    ranked, pool = [1, 0, 2, None, 0], [1, 0, 2, 0, 1, 0]
    at_3 = {"k": 3}
    assert more.confusion(dict(enumerate([1, 0, 2, 0, 0, 0, 1], start=1)), 3, 5, 1) == (2, 1, 1, 3)
    assert more.fallout(ranked, pool, **at_3) == Fraction(1, 4)
    assert more.specificity(ranked, pool, **at_3) == Fraction(3, 4)
    assert more.npv(ranked, pool, **at_3) == Fraction(3, 4)
    assert more.accuracy(ranked, pool, **at_3) == Fraction(5, 7)
    assert more.accuracy(ranked, pool, k=9) == Fraction(3, 7)
    assert more.accuracy(ranked, pool, k=3, condense=True) == Fraction(4, 6)
    assert more.fdr(ranked, pool, **at_3) == Fraction(1, 3)
    assert more.fdr(ranked, pool, k=8) == Fraction(6, 8)
    assert more.f_measure(ranked, pool, **at_3) == Fraction(2, 3)
    assert more.f_measure(ranked, pool, k=1) == 2 * Fraction(1, 3) / (1 + Fraction(1, 3))
    assert more.f_measure(ranked, pool, k=1, beta=2) == 5 * Fraction(1, 3) / (4 + Fraction(1, 3))
    assert more.f_measure(ranked, pool, k=1, normalize=True) == 1


def test_set_measures_with_nothing_on_one_side():
    assert more.fallout([1, 2]) == 0
    assert more.specificity([1, 2]) == 1
    assert more.npv([1, 0]) == 1
    assert more.npv([1, 0], k=1) == 1
    assert more.npv([0, 1], k=1) == 0
    assert more.npv([1, 0, 1], k=1) == Fraction(1, 2)


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.booleans())
def test_fallout_and_specificity_are_complements(lists, k, condense):
    ranked, pool, _ = lists
    assume(recall_base(pool, 1))
    parameters = {"k": k, "condense": condense}
    specificity = more.specificity(ranked, pool, **parameters)
    assert more.fallout(ranked, pool, **parameters) == 1 - specificity


# --- first relevant document, cascades ---------------------------------------------------------


def test_reciprocal_rank_and_success_by_hand():
    ranked = [0, None, 1, 2]
    assert more.reciprocal_rank(ranked) == Fraction(1, 3)
    assert more.reciprocal_rank(ranked, condense=True) == Fraction(1, 2)
    assert more.reciprocal_rank(ranked, rel=2) == Fraction(1, 4)
    assert more.reciprocal_rank(ranked, k=2) == 0
    assert more.success(ranked, k=2) == 0
    assert more.success(ranked, k=3) == 1
    assert more.success(ranked, k=3, rel=2) == 0


def test_expected_reciprocal_rank_by_hand():
    # Chances to stop: 3/4, 0, 1/4 on the scale 0..2.
    assert more.err([2, 0, 1], max_grade=2) == Fraction(3, 4) + Fraction(1, 4) * Fraction(1, 12)
    assert more.err([2, 0, 1], max_grade=2, k=2) == Fraction(3, 4)
    assert more.err([2], max_grade=3) == Fraction(3, 8)


def test_cumulated_gain_and_graded_rbp_by_hand():
    assert more.cg([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]) == 16
    assert more.cg([3, None, 1], k=2, gain="exp2") == 7
    half = Fraction(1, 2)
    assert more.graded_rbp([2, 0, 1], p=half, max_grade=2) == half + half**3 / 2


# --- the frame ---------------------------------------------------------------------------------

NEEDS_SCALE = {"ERR", "GeneralizedP", "RprefN", "graded RBP"}
RANKED = sorted(set(more.REFERENCE_MORE) - {"ADM"})


@pytest.mark.parametrize("name", RANKED)
def test_a_query_with_nothing_relevant_takes_the_value_of_empty(name):
    measure = more.REFERENCE_MORE[name]
    parameters = {"max_grade": 2} if name in NEEDS_SCALE else {}
    assert measure([0, None, 0], **parameters) == 0
    assert measure([0, None, 0], **parameters, empty=1.0) == 1.0
    assert math.isnan(measure([0, None], **parameters, empty=math.nan, condense=True))
    assert measure([0, None, 1], **parameters, empty=math.nan) >= 0


NO_CUTOFF = {"NormalizedPrecision", "NormalizedRecall"}
LOWER_IS_BETTER = {"FDR", "Fallout", "RankedHalfLife"}


@pytest.mark.parametrize("name", sorted(set(RANKED) - LOWER_IS_BETTER))
@given(lists=strategies.ranked_and_pool(), k=strategies.cutoffs())
def test_the_ideal_ranking_of_a_judged_list_is_best(name, lists, k):
    ranked, _, max_grade = lists
    measure = more.REFERENCE_MORE[name]
    parameters = {"max_grade": max_grade} if name in NEEDS_SCALE else {}
    if name not in NO_CUTOFF:
        parameters["k"] = k
    judged = [grade for grade in ranked if grade is not None]
    value = measure(judged, **parameters)
    slack = 1e-4 if name == "infAP" else 1e-9  # the smoothing of infAP favours late documents
    assert value <= measure(ideal(judged), judged, **parameters) + slack


@pytest.mark.parametrize("name", sorted(set(RANKED) - LOWER_IS_BETTER))
def test_normalize_divides_by_the_value_of_the_ideal_ranking(name):
    measure = more.REFERENCE_MORE[name]
    parameters = {"max_grade": 3} if name in NEEDS_SCALE else {}
    if name not in NO_CUTOFF:
        parameters["k"] = 3
    ranked, pool = [1, 0, 2, 0, 2], [2, 2, 1, 0, 0]
    expected = measure(ranked, pool, **parameters) / measure(ideal(pool), pool, **parameters)
    assert measure(ranked, pool, **parameters, normalize=True) == pytest.approx(expected)
    assert 0 < expected < 1 or name in {"RR", "Success"}
