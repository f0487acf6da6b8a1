"""Average precision and its relatives against facts that papers and other software state."""

import json
from fractions import Fraction

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from reference.average_precision import (
    average_precision,
    egap,
    gap,
    gap_selection_probability,
    generalized_ap,
    q_measure,
    user_selection_probability,
    weighted_ap,
    xgap,
)
from reference.frame import ideal
from reference.precision_recall import precision
from samples import LIST_A, LIST_B, POOL

LINEAR = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))
UNIFORM = (Fraction(1, 3),) * 3
GRADED = {"GAP": gap, "xGAP": xgap, "eGAP": egap}

TEN_AND_ONE = [1] * 10 + [2]


@pytest.mark.parametrize(
    ("g", "of_grade_1", "of_grade_2"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), Fraction(1, 12), Fraction(1, 6)),
        ((Fraction(1, 10), Fraction(9, 10)), Fraction(1, 20), Fraction(1, 2)),
    ],
)
def test_gap_selects_a_document_with_the_probability_of_the_paper(g, of_grade_1, of_grade_2):
    assert gap_selection_probability(1, TEN_AND_ONE, g) == of_grade_1
    assert gap_selection_probability(2, TEN_AND_ONE, g) == of_grade_2


@pytest.mark.parametrize(
    ("g", "of_grade_1", "of_grade_2"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), Fraction(1, 22), Fraction(12, 22)),
        ((Fraction(1, 10), Fraction(9, 10)), Fraction(1, 110), Fraction(100, 110)),
    ],
)
def test_a_user_drawn_first_selects_with_the_probability_of_the_paper(g, of_grade_1, of_grade_2):
    assert user_selection_probability(1, TEN_AND_ONE, g) == of_grade_1
    assert user_selection_probability(2, TEN_AND_ONE, g) == of_grade_2


@given(strategies.ranked_and_pool(unjudged=False), st.data())
def test_selection_probabilities_of_the_pool_sum_to_one(lists, data):
    _, pool, max_grade = lists
    pool = [*pool, max_grade]
    g = data.draw(strategies.exact_g(max_grade))
    for probability in (gap_selection_probability, user_selection_probability):
        assert sum(probability(grade, pool, g) for grade in pool) == 1


# --- limits: n documents of grade 1, then the only one of grade 2 --------------------------------


@pytest.mark.parametrize("g_2", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize(
    ("measure", "limit"),
    [
        (gap, lambda g_2: 1),
        (xgap, lambda g_2: 1 - g_2**2),
        (egap, lambda g_2: 1 - g_2),
    ],
)
def test_limit_of_a_long_list_with_its_best_document_last(measure, limit, g_2):
    def distance(n):
        return abs(measure([1] * n + [2], g=(1 - g_2, g_2)) - limit(g_2))

    assert distance(160) < Fraction(1, 16)
    # The distance shrinks like 1/n.
    assert distance(160) < Fraction(6, 10) * distance(80)


# --- AP at a threshold, ideal rankings -----------------------------------------------------------


@given(strategies.ranked_and_pool(), st.data())
def test_users_of_one_threshold_see_ap_at_that_threshold(lists, data):
    ranked, pool, max_grade = lists
    g = data.draw(strategies.one_hot_g(max_grade))
    parameters = {
        "k": data.draw(strategies.cutoffs()),
        "normalize": data.draw(st.booleans()),
        "condense": data.draw(st.booleans()),
    }
    expected = average_precision(ranked, pool, rel=g.index(1) + 1, **parameters)
    for measure in GRADED.values():
        assert measure(ranked, pool, g=g, **parameters) == expected


@given(strategies.ranked_and_pool(), st.data())
def test_values_of_an_ideal_ranking(lists, data):
    _, pool, max_grade = lists
    pool = [*pool, 1]
    g = data.draw(strategies.exact_g(max_grade))
    # tau: the highest threshold with a relevant document. Its mass bounds xGAP and eGAP.
    reached = sum(g[: max(pool)])
    best = ideal(pool)
    assert gap(best, pool, g=g) == (1 if reached else 0)
    assert xgap(best, pool, g=g) == reached
    assert egap(best, pool, g=g) == reached


@given(strategies.ranked_and_pool(), st.data())
def test_no_ranking_beats_the_ideal_one(lists, data):
    ranked, pool, max_grade = lists
    k = data.draw(strategies.cutoffs())
    g = data.draw(strategies.exact_g(max_grade))
    for measure in GRADED.values():
        assert 0 <= measure(ranked, pool, g=g, k=k, normalize=True) <= 1


@given(strategies.ranked_and_pool(unjudged=False), st.data())
def test_egap_is_the_second_form_of_its_equation(lists, data):
    # Eq. 6: sum_n 1/n sum_{t<=tau} g_t / RB(t) sum_{m<=n} delta_{m,n}(t).
    ranked, pool, max_grade = lists
    g = data.draw(strategies.exact_g(max_grade))
    value = Fraction(0)
    for n in range(1, len(ranked) + 1):
        for t in range(1, max(pool) + 1):
            hits = sum(ranked[m - 1] >= t and ranked[n - 1] >= t for m in range(1, n + 1))
            value += Fraction(hits, n) * g[t - 1] / sum(grade >= t for grade in pool)
    assert egap(ranked, pool, g=g) == value


@given(strategies.ranked_and_pool(unjudged=False))
def test_ap_is_mean_precision_at_the_relevant_documents(lists):
    ranked, pool, _ = lists
    at_relevant = [
        precision(ranked, pool, k=n) for n, grade in enumerate(ranked, start=1) if grade >= 1
    ]
    n_relevant = sum(grade >= 1 for grade in pool)
    expected = sum(at_relevant) / n_relevant if n_relevant else 0
    assert average_precision(ranked, pool) == expected


def test_ap_of_the_ideal_ranking_at_a_cutoff_is_min_of_cutoff_and_recall_base_over_it():
    assert average_precision([1] * 3, [1] * 5, k=2) == Fraction(2, 5)
    assert average_precision([1] * 3, [1] * 5, k=2, normalize=True) == 1
    assert average_precision([0, 1, 1], [1, 1, 0], k=2, normalize=True) == Fraction(1, 4)


@pytest.mark.parametrize("name", sorted(GRADED))
def test_a_query_that_no_user_finds_relevant_takes_the_value_of_empty(name):
    assert GRADED[name]([1, 0, 1], g=(0, 1), empty=1.0) == 1.0
    assert GRADED[name]([1, 0, 1], [1, 1, 2], g=(0, 1), empty=1.0) == 0


def test_xgap_may_fall_where_the_better_of_two_documents_moves_up():
    # Far down the list the document of grade 2 draws most of its precision from the one of grade 1
    # above it: the order that is worst by grades is not the one with the least xGAP.
    half = Fraction(1, 2)
    assert xgap([0] * 3 + [1, 2], g=(half, half)) == xgap([0] * 3 + [2, 1], g=(half, half))
    assert xgap([0] * 4 + [1, 2], g=(half, half)) == Fraction(19, 80)
    assert xgap([0] * 4 + [2, 1], g=(half, half)) == Fraction(7, 30)


# --- exact values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranked", "g", "values"),
    [
        (LIST_A, UNIFORM, (Fraction(5, 38), Fraction(13, 90), Fraction(13, 90))),
        (LIST_A, LINEAR, (Fraction(9, 62), Fraction(7, 45), Fraction(7, 45))),
        (LIST_A, (1, 0, 0), (Fraction(1, 10),) * 3),
        (LIST_B, UNIFORM, (Fraction(59, 228), Fraction(11, 45), Fraction(9, 40))),
        (LIST_B, LINEAR, (Fraction(83, 372), Fraction(113, 540), Fraction(47, 240))),
    ],
)
def test_graded_measures_of_the_two_lists(ranked, g, values):
    assert tuple(measure(ranked, POOL, g=g) for measure in GRADED.values()) == values


@pytest.mark.parametrize(
    ("ranked", "condense", "ap", "gap_linear"),
    [
        (LIST_A, False, 0.1000, 0.1452),
        (LIST_A, True, 0.1167, 0.1613),
        (LIST_B, False, 0.3417, 0.2231),
        (LIST_B, True, 0.4000, 0.2527),
    ],
)
def test_ap_and_gap_as_ntcireval_prints_them(ranked, condense, ap, gap_linear):
    assert round(float(average_precision(ranked, POOL, condense=condense)), 4) == ap
    assert round(float(gap(ranked, POOL, g=LINEAR, condense=condense)), 4) == gap_linear


# Unit tests of Infer.NET, there under the name of another measure.
@pytest.mark.parametrize(
    ("ranked", "value"),
    [([3, 1, 2, 2], Fraction(89, 96)), ([5, 1], 1), ([3, 4], Fraction(13, 14))],
)
def test_gap_of_short_lists_with_uniform_thresholds(ranked, value):
    c = max(ranked)
    assert gap(ranked, g=(Fraction(1, c),) * c) == value


def test_published_unit_values(data_dir):
    path = data_dir / "reference-values" / "published_unit_values.json"
    published = json.loads(path.read_text())
    entries = [entry for entry in published if entry["measure"].startswith("GAP")]
    assert len(entries) == 3
    for entry in entries:
        pool = entry["all_judged_grades"]
        g = (Fraction(1, max(pool)),) * max(pool)
        assert float(gap(entry["ranked_grades"], pool, g=g)) == pytest.approx(entry["numeric"])


# --- gains in the sum ----------------------------------------------------------------------------


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.booleans())
def test_q_measure_without_beta_is_ap(lists, k, condense):
    ranked, pool, _ = lists
    parameters = {"k": k, "condense": condense}
    expected = average_precision(ranked, pool, **parameters)
    assert q_measure(ranked, pool, beta=0, **parameters) == expected


def test_q_measure_of_an_ideal_ranking_is_one():
    assert q_measure(ideal(POOL), POOL, beta=Fraction(7, 2)) == 1


@given(strategies.ranked_and_pool())
def test_generalized_ap_of_binary_relevance_is_ap(lists):
    ranked, pool, _ = lists
    binary = [None if grade is None else int(grade > 0) for grade in ranked]
    pool = [int(grade > 0) for grade in pool]
    assert generalized_ap(binary, pool) == average_precision(binary, pool)


# Kishida's generalized AP in the unit tests of LexSubGen.
@pytest.mark.parametrize(
    ("pool", "value"),
    [([3, 2, 1, 1], 0.2072072072), ([3, 2, 1], 0.2555555556), ([3, 2], 0.3484848485)],
)
def test_generalized_ap_of_lexical_substitutes(pool, value):
    assert float(generalized_ap([0, 0, 2, 3, 0], pool)) == pytest.approx(value)


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
    found = generalized_ap(after, pool) - generalized_ap(before, pool)
    assert found == change / largest


def test_weighted_ap_cannot_tell_ranks_below_the_last_relevant_one_apart():
    pool = [3, 2, 1]
    assert weighted_ap([0, 0, 1, 2, 3], pool) == weighted_ap([0, 0, 1, 0, 2, 3], pool)
    assert weighted_ap([3, 2, 0, 1], pool) == 1
    assert weighted_ap([2, 3, 1], pool) == (Fraction(2, 3) + 1 + 1) / 3
