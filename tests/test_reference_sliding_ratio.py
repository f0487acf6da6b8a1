"""Sliding ratios against Kishida's example."""

from fractions import Fraction

from reference.sliding_ratio import modified_sliding_ratio, sliding_ratio


def test_sliding_ratios_of_kishida_4_1_2():
    pool = [1, 2, 2, 3]
    assert sliding_ratio([1, 2, 3, 0, 0], pool) == Fraction(75, 100)
    assert sliding_ratio([3, 2, 1, 0, 0], pool) == Fraction(75, 100)
    assert round(float(modified_sliding_ratio([1, 2, 3, 0, 0], pool)), 2) == 0.61
    assert round(float(modified_sliding_ratio([3, 2, 1, 0, 0], pool)), 2) == 0.88
