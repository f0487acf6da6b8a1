"""Ranked half-life against Kishida's example and by hand."""

from fractions import Fraction

from reference.half_life import ranked_half_life


def test_ranked_half_life_of_kishida_4_1_3():
    def at(places):
        ranked = [0] * places[-1]
        for place, gain in zip(places, [1, 2, 2, 1], strict=True):
            ranked[place - 1] = gain
        return ranked_half_life(ranked, gain=(0.5, 1.0))

    assert at([1, 3, 9, 14]) == 3
    assert at([1, 3, 100, 1000]) == 3


def test_ranked_half_life_interpolates_inside_the_median_document():
    # Half of 1 + 2 + 1 is 2: one from rank 1, the other half of what rank 3 has.
    assert ranked_half_life([1, 0, 2, 1]) == Fraction(5, 2)
    assert ranked_half_life([1, 2, 1]) == Fraction(3, 2)
    assert ranked_half_life([1]) == Fraction(1, 2)
    assert ranked_half_life([1, 0, 2, 1], k=1) == Fraction(1, 2)
    assert ranked_half_life([0, 1], k=1) == 1.5
    assert ranked_half_life([0, 0], [0, 0, 3]) == 3.5
