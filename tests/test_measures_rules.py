"""Unjudged documents, empty queries, normalization, fractional labels."""

import math

import numpy as np
import pytest

from skgraded import AP, DCG, evaluate, nDCG
from skgraded.measures import P

TOLERANCE = 1e-12


def test_normalized_average_precision_divides_by_the_smaller_of_recall_base_and_cutoff():
    y_true, y_score = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    assert AP(k=2)(y_true, y_score) == pytest.approx(1 / 3)
    assert AP(k=2, normalize=True)(y_true, y_score) == pytest.approx(1 / 2)


def test_unjudged_documents_are_not_in_the_pool():
    y_true, y_score = [math.nan, 1.0, 0.0], [3, 2, 1]
    assert AP()(y_true, y_score) == pytest.approx(1 / 2)
    assert AP(unjudged="condense")(y_true, y_score) == pytest.approx(1.0)
    assert P()(y_true, y_score) == pytest.approx(1 / 3)
    assert P(unjudged="condense")(y_true, y_score) == pytest.approx(1 / 2)


def test_query_whose_documents_are_all_unjudged_is_empty():
    nan = math.nan
    scores = evaluate(
        ["AP", "AP(unjudged=condense)", "nDCG(empty=1)"], [nan, nan, 1], [1, 2, 3], qid=[7, 7, 8]
    )
    np.testing.assert_array_equal(scores.values, [[0, 0, 1], [1, 1, 1]])
    assert scores.n_empty == (1, 1, 1)


def test_measures_of_gain_and_discount_take_fractional_labels():
    y_true, y_score = [0.25, 1.5, 0.0, 0.7], [4, 3, 2, 1]
    expected = (0.25 + 1.5 / math.log2(3) + 0.7 / math.log2(5)) / (
        1.5 + 0.7 / math.log2(3) + 0.25 / 2
    )
    assert nDCG()(y_true, y_score) == pytest.approx(expected, abs=TOLERANCE)
    assert P(k=2)(y_true, y_score) == 0.5
    assert DCG(gain="exp2", k=1)(y_true, y_score) == pytest.approx(2**0.25 - 1)
