"""Rank-biased precision by hand."""

from fractions import Fraction

from reference.rank_biased import graded_rbp, rbp


def test_rbp_by_hand():
    half = Fraction(1, 2)
    assert rbp([1, 0, 2], p=half) == half + half**3
    assert rbp([1, 0, 2], p=half, rel=2) == half**3
    assert rbp([1, 0, 2], p=half, k=2) == half
    assert rbp([1, 0, 2], p=half, normalize=True) == (half + half**3) / (half + half**2)


def test_graded_rbp_by_hand():
    half = Fraction(1, 2)
    assert graded_rbp([2, 0, 1], p=half, max_grade=2) == half + half**3 / 2
