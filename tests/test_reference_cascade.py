"""The first relevant document and cascades by hand."""

from fractions import Fraction

from reference.cascade import err, reciprocal_rank, success


def test_reciprocal_rank_and_success_by_hand():
    ranked = [0, None, 1, 2]
    assert reciprocal_rank(ranked) == Fraction(1, 3)
    assert reciprocal_rank(ranked, condense=True) == Fraction(1, 2)
    assert reciprocal_rank(ranked, rel=2) == Fraction(1, 4)
    assert reciprocal_rank(ranked, k=2) == 0
    assert success(ranked, k=2) == 0
    assert success(ranked, k=3) == 1
    assert success(ranked, k=3, rel=2) == 0


def test_expected_reciprocal_rank_by_hand():
    # Chances to stop: 3/4, 0, 1/4 on the scale 0..2.
    assert err([2, 0, 1], max_grade=2) == Fraction(3, 4) + Fraction(1, 4) * Fraction(1, 12)
    assert err([2, 0, 1], max_grade=2, k=2) == Fraction(3, 4)
    assert err([2], max_grade=3) == Fraction(3, 8)
