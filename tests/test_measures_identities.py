"""How measures relate to each other, from the public API."""

import numpy as np
import pytest
import strategies
from facts import top_grade
from hypothesis import given
from hypothesis import strategies as st

from skgraded import (
    AP,
    GAP,
    Bpref,
    eGAP,
    infAP,
    xGAP,
)
from skgraded.measures import (
    BprefN,
    BprefR,
    GeneralizedAP,
    RprefRelative2,
    WeightedAP,
    grAP,
)

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

    @given(st.lists(st.booleans(), min_size=1, max_size=12))
    def test_weighted_ap_of_binary_grades_is_ap_down_to_rank_r(self, relevant):
        # Its denominator is min(n, R), not n: the two agree where all relevant ones are that high.
        n_relevant = sum(relevant)
        y_true, y_score = np.array(relevant, dtype=int), -np.arange(float(len(relevant)))
        weighted, ap = WeightedAP()(y_true, y_score), AP()(y_true, y_score)
        assert weighted >= ap - TOLERANCE
        cut = {"k": max(n_relevant, 1)}
        assert WeightedAP(**cut)(y_true, y_score) == pytest.approx(AP(**cut)(y_true, y_score))

    @given(strategies.small_data())
    def test_bpref_is_one_of_two_measures(self, rows):
        bpref, *others = (
            kind().per_query(*rows[:2], qid=rows.qid) for kind in (Bpref, BprefR, BprefN)
        )
        few_relevant, many_relevant = (each.values for each in others)
        for row, query in enumerate(bpref.qid):
            labels = rows.y_true[rows.qid == query]
            n_relevant, n_nonrelevant = np.sum(labels >= 1), np.sum(labels == 0)
            if n_relevant <= n_nonrelevant:
                assert bpref.values[row] == pytest.approx(few_relevant[row], abs=TOLERANCE)
            if n_relevant >= n_nonrelevant:
                assert bpref.values[row] == pytest.approx(many_relevant[row], abs=TOLERANCE)


def assert_equal_measures(rows, one, other, tolerance=TOLERANCE):
    values = [each.per_query(*rows[:2], qid=rows.qid).values for each in (one, other)]
    np.testing.assert_allclose(*values, rtol=0, atol=tolerance)
