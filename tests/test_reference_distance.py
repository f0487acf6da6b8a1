"""The average distance measure by hand."""

import pytest
from reference.distance import adm


def test_average_distance_measure_by_hand():
    assert adm([2, 0, 1], [1.0, 0.0, 0.5], max_grade=2) == 1
    assert adm([2, 0, 1], [0.0, 1.0, 0.5], max_grade=2) == pytest.approx(1 / 3)
    assert adm([2, None], [0.5, 0.125], max_grade=2) == pytest.approx(1 - 0.625 / 2)
    assert adm([1], [0.25], max_grade=2) == 0.75
    assert adm([2, None], [0.5, 0.25], max_grade=2, condense=True) == 0.5
    assert adm([0, None], [0.5, 0.25], max_grade=2) == 0
    assert adm([0, None], [0.5, 0.25], max_grade=2, empty=1.0) == 1.0
