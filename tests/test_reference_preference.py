"""Binary and graded preference against NTCIREVAL, trec_eval and the identities of Sakai (2007)."""

from fractions import Fraction

import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from reference.average_precision import average_precision, cumulated_thresholds, gap
from reference.bpref import bpref, bpref_n, bpref_r, bpref_relative, bpref_ten, old_bpref
from reference.frame import ideal, recall_base
from reference.rpref import rpref_n, rpref_relative, rpref_relative2
from samples import LIST_A, LIST_B, POOL

BINARY_PREFERENCES = {
    "bpref": bpref,
    "bpref_R": bpref_r,
    "bpref_N": bpref_n,
    "old_bpref": old_bpref,
    "bpref_10": bpref_ten,
    "bpref_relative": bpref_relative,
}


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
        (rpref_n, {"max_grade": 3}, 0.2068, 0.3346),
        (rpref_relative, {}, 0.0526, 0.1842),
        (rpref_relative2, {}, 0.1491, 0.2982),
    ],
)
def test_graded_preference_as_ntcireval_prints_it(measure, parameters, of_a, of_b):
    assert round(float(measure(LIST_A, POOL, **parameters)), 4) == of_a
    assert round(float(measure(LIST_B, POOL, **parameters)), 4) == of_b


def test_bpref_as_trec_eval_prints_it():
    # Unsampled documents are not judged: they leave the condensed list and the pool.
    assert bpref([None, 2, 0, None, 1], [2, 0, 1]) == Fraction(1, 2)


# --- binary preference ---------------------------------------------------------------------------


@given(strategies.ranked_and_pool(), strategies.cutoffs())
def test_bpref_is_one_of_two_measures(lists, k):
    ranked, pool, _ = lists
    n_relevant = recall_base(pool, 1)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant <= n_nonrelevant:
        assert bpref(ranked, pool, k=k) == bpref_r(ranked, pool, k=k)
    if n_relevant >= n_nonrelevant:
        assert bpref(ranked, pool, k=k) == bpref_n(ranked, pool, k=k)


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
    assert bpref(ranked, pool, rel=rel) == total / n_relevant


@given(strategies.ranked_and_pool())
def test_old_bpref_only_knows_the_nonrelevant_documents_of_the_list(lists):
    ranked, pool, _ = lists
    unretrieved = len(pool) - sum(grade is not None for grade in ranked)
    if unretrieved == 0:
        assert old_bpref(ranked, pool) == bpref(ranked, pool)
    assert old_bpref(ranked, pool) <= bpref(ranked, pool)


def test_old_bpref_and_bpref_ten_by_hand():
    ranked, pool = [0, 1, None, 1], [1, 1, 1, 0, 0, 0]
    assert bpref(ranked, pool) == Fraction(2, 3) * Fraction(2, 3)
    assert old_bpref(ranked, pool) == 0
    assert bpref_ten(ranked, pool) == Fraction(2, 3) * Fraction(12, 13)
    assert bpref_ten([0] * 30 + [1], [1] + [0] * 30) == 0


# --- graded preference ---------------------------------------------------------------------------


@given(strategies.ranked_and_pool())
def test_rpref_of_binary_relevance_is_bpref(lists):
    ranked, pool, _ = lists
    binary = [None if grade is None else int(grade > 0) for grade in ranked]
    pool = [int(grade > 0) for grade in pool]
    assert rpref_n(binary, pool, max_grade=1) == bpref_n(binary, pool)
    assert rpref_relative(binary, pool) == bpref_relative(binary, pool)
    # Eq. 20: with r' for r' - 1 it is AP on the condensed list.
    assert rpref_relative2(binary, pool) == average_precision(binary, pool, condense=True)


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
    assert rpref_n(ranked, pool, max_grade=max_grade) == total / r_sum


@given(strategies.ranked_and_pool())
def test_preference_measures_of_an_ideal_ranking(lists):
    _, pool, max_grade = lists
    pool = [*pool, 1]
    best = ideal(pool)
    n_relevant = recall_base(pool, 1)
    for name in ("bpref", "bpref_R", "bpref_N", "old_bpref", "bpref_10"):
        assert BINARY_PREFERENCES[name](best, pool) == 1
    assert rpref_n(best, pool, max_grade=max_grade) == 1
    assert rpref_relative2(best, pool) == 1
    # The two relative ones forget the document at rank 1.
    assert bpref_relative(best, pool) == Fraction(n_relevant - 1, n_relevant)
    assert rpref_relative(best, pool) == Fraction(sum(pool) - best[0], sum(pool))


def test_relative_preference_of_one_relevant_document_at_rank_one_or_two_is_zero():
    for ranked in ([1, 0, 0], [0, 1, 0]):
        assert bpref_relative(ranked) == 0
        assert rpref_relative(ranked) == 0


@given(strategies.ranked_and_pool(), st.data())
def test_rpref_relative2_is_gap_on_the_condensed_list(lists, data):
    ranked, pool, max_grade = lists
    g = data.draw(strategies.exact_g(max_grade))
    k = data.draw(strategies.cutoffs())
    as_gap = gap(ranked, pool, g=g, k=k, condense=True)
    assert rpref_relative2(ranked, pool, gain=cumulated_thresholds(g), k=k) == as_gap
