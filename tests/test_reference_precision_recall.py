"""Precision, recall and sets of documents by hand."""

import math
from fractions import Fraction

import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from reference.average_precision import average_precision
from reference.frame import recall_base
from reference.precision_recall import (
    accuracy,
    confusion,
    f_measure,
    fallout,
    fdr,
    generalized_p,
    generalized_r,
    normalized_precision,
    normalized_recall,
    npv,
    precision,
    r_precision,
    recall,
    set_average_precision,
    specificity,
    utility,
)

EIGHT = [1, 0, 1, 0, 1, 1, 0, 1]


def test_precision_and_ap_of_eight_documents():
    exact = [Fraction(n_hits, n) for n, n_hits in enumerate([1, 1, 2, 2, 3, 4, 4, 5], start=1)]
    assert [precision(EIGHT, k=n) for n in range(1, 9)] == exact
    assert precision(EIGHT) == Fraction(5, 8)
    assert round(float(average_precision(EIGHT)), 3) == 0.712


def test_precision_and_recall_by_hand():
    ranked, pool = [2, None, 1, 0], [2, 1, 1, 0]
    assert precision(ranked, pool) == Fraction(2, 4)
    assert precision(ranked, pool, condense=True) == Fraction(2, 3)
    assert precision(ranked, pool, k=10) == Fraction(2, 10)
    assert precision(ranked, pool, k=10, normalize=True) == Fraction(2, 3)
    assert precision(ranked, pool, rel=2) == Fraction(1, 4)
    assert precision(ranked, pool, rel=2, k=2, normalize=True) == 1
    assert precision([None], pool, condense=True) == 0
    assert recall(ranked, pool) == Fraction(2, 3)
    assert recall(ranked, pool, k=2) == Fraction(1, 3)
    assert recall(ranked, pool, k=2, normalize=True) == Fraction(1, 2)
    assert recall(ranked, pool, rel=2) == 1


def test_r_precision_by_hand():
    assert r_precision([1, 0, 2, 1], [1, 1, 2, 0]) == Fraction(2, 3)
    assert r_precision([1, 0, 2, 1], [1, 1, 2, 0], k=2) == Fraction(1, 3)
    assert r_precision([1, 0, 2, 1], [1, 1, 2, 0], rel=2) == 0


def test_generalized_precision_and_recall_by_hand():
    ranked, pool = [2, None, 1], [2, 1, 1]
    assert generalized_p(ranked, pool, max_grade=4) == Fraction(3, 12)
    assert generalized_p(ranked, pool, max_grade=4, k=1) == Fraction(1, 2)
    assert generalized_p(ranked, pool, max_grade=4, k=6) == Fraction(3, 24)
    assert generalized_p(ranked, pool, max_grade=4, condense=True) == Fraction(3, 8)
    assert generalized_p([None], pool, max_grade=4, condense=True) == 0
    assert generalized_r(ranked, pool) == Fraction(3, 4)
    assert generalized_r(ranked, pool, k=2) == Fraction(2, 4)


def test_normalized_recall_and_precision_run_from_zero_to_one():
    for measure in (normalized_recall, normalized_precision):
        assert measure([1, 1, 0, 0, 0]) == 1
        assert measure([0, 0, 0, 1, 1]) == pytest.approx(0)
        assert measure([1, 1]) == 1
        assert measure([1, 0], [1, 0, 0, 1]) == measure([1, 0, 0, 1])
        with pytest.raises(ValueError, match="no cut-off"):
            measure([1, 0], k=1)
    # Ranks 1 and 4 against 1 and 2: 2 too late, of 2 * 3 possible.
    assert normalized_recall([1, 0, 0, 1, 0]) == 1 - Fraction(2, 6)
    expected = 1 - math.log(4 / 2) / math.log(10)
    assert normalized_precision([1, 0, 0, 1, 0]) == pytest.approx(expected)


# --- sets of documents ---------------------------------------------------------------------------


def test_accuracy_of_a_system_that_retrieves_nothing():
    # The lecture's warning: 995 of 1000 documents are not relevant.
    pool = [1] * 5 + [0] * 995
    assert accuracy([], pool) == Fraction(995, 1000)
    assert f_measure([], pool) == 0


def test_set_measures_by_hand():
    # Of seven documents the list holds five and lacks one relevant and one other.
    ranked, pool = [1, 0, 2, None, 0], [1, 0, 2, 0, 1, 0]
    at_3 = {"k": 3}
    assert confusion(dict(enumerate([1, 0, 2, 0, 0, 0, 1], start=1)), 3, 5, 1) == (2, 1, 1, 3)
    assert fallout(ranked, pool, **at_3) == Fraction(1, 4)
    assert specificity(ranked, pool, **at_3) == Fraction(3, 4)
    assert npv(ranked, pool, **at_3) == Fraction(3, 4)
    assert accuracy(ranked, pool, **at_3) == Fraction(5, 7)
    assert accuracy(ranked, pool, k=9) == Fraction(3, 7)
    assert accuracy(ranked, pool, k=3, condense=True) == Fraction(4, 6)
    assert fdr(ranked, pool, **at_3) == Fraction(1, 3)
    assert fdr(ranked, pool, k=8) == Fraction(6, 8)
    assert f_measure(ranked, pool, **at_3) == Fraction(2, 3)
    assert f_measure(ranked, pool, k=1) == 2 * Fraction(1, 3) / (1 + Fraction(1, 3))
    assert f_measure(ranked, pool, k=1, beta=2) == 5 * Fraction(1, 3) / (4 + Fraction(1, 3))
    assert f_measure(ranked, pool, k=1, normalize=True) == 1


def test_set_measures_with_nothing_on_one_side():
    assert fallout([1, 2]) == 0
    assert specificity([1, 2]) == 1
    assert npv([1, 0]) == 1
    assert npv([1, 0], k=1) == 1
    assert npv([0, 1], k=1) == 0
    assert npv([1, 0, 1], k=1) == Fraction(1, 2)


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.booleans())
def test_fallout_and_specificity_are_complements(lists, k, condense):
    ranked, pool, _ = lists
    assume(recall_base(pool, 1))
    parameters = {"k": k, "condense": condense}
    assert fallout(ranked, pool, **parameters) == 1 - specificity(ranked, pool, **parameters)


def test_set_average_precision_is_precision_times_recall():
    assert set_average_precision(EIGHT, k=4) == precision(EIGHT, k=4) * recall(EIGHT, k=4)
    assert set_average_precision(EIGHT, [*EIGHT, 1]) == Fraction(5, 8) * Fraction(5, 6)
    assert set_average_precision([1, 0], k=4) == Fraction(1, 4)


def test_utility_by_hand():
    # Two true and one false positive, one relevant document missed, and one non-relevant left.
    ranked, pool = [1, 0, 1], [1, 1, 1, 0, 0]
    assert utility(ranked, pool) == 2 - 1
    assert utility(ranked, pool, weights=(5, -1, -2, 10)) == 2 * 5 - 1 - 2 + 10
    assert utility(ranked, pool, k=1, weights=(5, -1, -2, 10)) == 5 - 2 * 2 + 2 * 10
