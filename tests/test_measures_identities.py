"""How measures relate to each other, from the public API."""

import numpy as np
import pytest
import strategies
from facts import top_grade
from hypothesis import given
from hypothesis import strategies as st

from skgraded import AP, GAP, eGAP, infAP, xGAP
from skgraded.measures import GeneralizedAP, RprefRelative2, grAP

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

TOLERANCE = 1e-12


class TestIdentities:
    """What the papers say about how measures relate, from the public API."""

    @given(strategies.small_data(), strategies.cutoffs(), st.data())
    def test_rpref_relative2_is_gap_on_condensed_lists(self, rows, k, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        gap = GAP(g=g, k=k, unjudged="condense")
        rpref = RprefRelative2(gain=tuple(np.cumsum(g)), k=k)
        assert_equal_measures(rows, rpref, gap)

    @given(strategies.long_data(unjudged=False, ties=False), st.data())
    def test_inferred_ap_of_complete_judgments_is_ap(self, rows, data):
        rel = data.draw(st.integers(1, max(1, top_grade(rows))))
        inferred = infAP(rel=rel, epsilon=1e-12)
        assert_equal_measures(rows, inferred, AP(rel=rel), tolerance=1e-9)

    @given(strategies.small_data(), strategies.cutoffs(), st.data())
    def test_egap_is_the_mean_of_ap_over_the_thresholds(self, rows, k, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        by_threshold = [
            share * AP(rel=grade, k=k).per_query(*rows[:2], qid=rows.qid).values
            for grade, share in enumerate(g, start=1)
            if grade <= max(1, top_grade(rows))  # AP above all grades is 0
        ]
        egap = eGAP(g=g, k=k).per_query(*rows[:2], qid=rows.qid).values
        np.testing.assert_allclose(egap, np.sum(by_threshold, axis=0), rtol=0, atol=TOLERANCE)

    @given(strategies.small_data(), strategies.cutoffs())
    def test_graded_measures_of_binary_grades_are_ap(self, rows, k):
        binary_rows = rows._replace(y_true=np.minimum(rows.y_true, 1))
        for kind in (GAP, xGAP, eGAP, GeneralizedAP, grAP):
            assert_equal_measures(binary_rows, kind(k=k), AP(k=k))


def assert_equal_measures(rows, one, other, tolerance=TOLERANCE):
    values = [each.per_query(*rows[:2], qid=rows.qid).values for each in (one, other)]
    np.testing.assert_allclose(*values, rtol=0, atol=tolerance)
