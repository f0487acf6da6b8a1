"""Interpolated precision by hand."""

from fractions import Fraction

import pytest
from reference.interpolated import interpolated_average_precision, interpolated_precision

RANKED = [1, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("recall", "value"),
    [(0, 1), (0.25, 1), (0.5, Fraction(2, 3)), (0.75, Fraction(1, 2)), (0.77, Fraction(1, 2)),
     (0.78, 0), (1, 0)],
)  # fmt: skip
def test_interpolated_precision_by_hand(recall, value):
    # Four documents are relevant, of which the list lacks one; a fraction below 0.1 is dropped.
    assert interpolated_precision(RANKED, [1, 1, 1, 1, 0, 0, 0], recall=recall) == value


def test_rounding_to_the_nearest_number_of_relevant_documents():
    pool = [1, 1, 1, 1, 0, 0, 0]
    assert interpolated_precision(RANKED, pool, recall=0.3, rounding="nearest") == 1
    assert interpolated_precision(RANKED, pool, recall=0.3) == Fraction(2, 3)


def test_interpolated_precision_looks_below_the_level_of_recall():
    assert interpolated_precision([0, 1, 1, 1], recall=0) == Fraction(3, 4)
    assert interpolated_precision([0, 1, 1, 1], recall=0, k=2) == Fraction(1, 2)


def test_mean_over_eleven_levels_by_hand():
    # One relevant document is found at rank 1, the other at rank 4.
    value = interpolated_average_precision([1, 0, 0, 1])
    assert value == pytest.approx((6 * 1 + 5 * 1 / 2) / 11)
