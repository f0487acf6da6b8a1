"""Facts and numbers that papers state, from the public API."""

from fractions import Fraction

import numpy as np
import pytest
import strategies
from facts import top_grade
from hypothesis import given
from hypothesis import strategies as st
from pools import rankings_of
from reference.queries import rows_by_query
from samples import LIST_A, LIST_B, POOL

from skgraded import AP, GAP, eGAP, nDCG, xGAP
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

TOLERANCE = 1e-12


class TestPaperFacts:
    """Facts that Ferrante, Ferro and Maistro (2014) state, from the public API."""

    @pytest.mark.parametrize("g2", [0.1, 0.5, 0.9, 0.99])
    def test_limit_of_many_low_grades_before_one_high(self, g2):
        g, n = (1 - g2, g2), 200_000
        y_true = np.append(np.ones(n, dtype=int), 2)
        y_score = -np.arange(n + 1.0)
        rankings = as_rankings(y_true, y_score, np.zeros(n + 1))
        assert GAP(g=g)(rankings) == pytest.approx(1.0, abs=1e-3)
        assert xGAP(g=g)(rankings) == pytest.approx(1 - g2**2, abs=1e-3)
        assert eGAP(g=g)(rankings) == pytest.approx(1 - g2, abs=1e-3)

    @given(strategies.long_data(ties=False), st.data())
    def test_one_threshold_for_all_users_is_average_precision(self, rows, data):
        g = tuple(float(each) for each in data.draw(strategies.one_hot_g(rows.max_grade)))
        threshold = g.index(1.0) + 1
        ap = 0.0
        if threshold <= max(1, top_grade(rows)):
            ap = AP(rel=threshold).per_query(rows.y_true, rows.y_score, qid=rows.qid).values
        for kind in (GAP, xGAP, eGAP):
            values = kind(g=g).per_query(rows.y_true, rows.y_score, qid=rows.qid).values
            np.testing.assert_allclose(values, ap, rtol=0, atol=TOLERANCE)

    @given(strategies.long_data(unjudged=False), st.data())
    def test_ideal_ranking_scores_the_users_who_find_a_document(self, rows, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        rankings = as_rankings(rows.y_true, rows.y_true, rows.qid)
        tau = [max(rows.y_true[own]) for own in rows_by_query(rows.qid).values()]
        reached = np.array([sum(g[: int(top)]) for top in tau])
        for kind in (xGAP, eGAP):
            np.testing.assert_allclose(
                kind(g=g).per_query(rankings).values, reached, atol=TOLERANCE
            )
            normalized = kind(g=g, normalize=True).per_query(rankings).values
            np.testing.assert_allclose(normalized, reached > 0, atol=TOLERANCE)
        np.testing.assert_allclose(GAP(g=g).per_query(rankings).values, reached > 0, atol=TOLERANCE)

    def test_xgap_is_not_monotone(self):
        # Not in the paper: moving the better document up can lower xGAP.
        for y_true, value in (([0, 0, 0, 0, 1, 2], 19 / 80), ([0, 0, 0, 0, 2, 1], 7 / 30)):
            assert xGAP(g=(0.5, 0.5))(y_true, np.arange(6, 0, -1)) == pytest.approx(value)

    def test_probability_to_select_a_document(self):
        # 10 documents of grade 1, one of grade 2. With the cut-off at rank 1 a measure's value is
        # the probability to select the document there: it is then surely relevant in step 3.
        pool = [1] * 10 + [2]

        def selected(kind, g, grade):
            scores = [-1.0] * 11
            scores[pool.index(grade)] = 1.0
            return kind(g=g, k=1)(pool, scores)

        half, top_heavy = (0.5, 0.5), (0.1, 0.9)
        assert selected(GAP, half, 1) == pytest.approx(1 / 12, abs=TOLERANCE)
        assert selected(GAP, half, 2) == pytest.approx(1 / 6, abs=TOLERANCE)
        assert selected(GAP, top_heavy, 2) == pytest.approx(1 / 2, abs=TOLERANCE)
        for kind in (xGAP, eGAP):
            assert selected(kind, half, 1) == pytest.approx(1 / 22, abs=TOLERANCE)
            assert selected(kind, half, 2) == pytest.approx(12 / 22, abs=TOLERANCE)
            assert selected(kind, top_heavy, 2) == pytest.approx(100 / 110, abs=TOLERANCE)


THIRDS = (1 / 3, 1 / 3, 1 / 3)

LINEAR = (1 / 6, 1 / 3, 1 / 2)


@pytest.mark.parametrize(
    ("run", "chosen", "value"),
    [
        (LIST_A, AP(), Fraction(1, 10)),
        (LIST_A, GAP(g=THIRDS), Fraction(5, 38)),
        (LIST_A, xGAP(g=THIRDS), Fraction(13, 90)),
        (LIST_A, eGAP(g=THIRDS), Fraction(13, 90)),
        (LIST_A, GAP(g=LINEAR), Fraction(9, 62)),
        (LIST_A, xGAP(g=LINEAR), Fraction(7, 45)),
        (LIST_A, eGAP(g=LINEAR), Fraction(7, 45)),
        (LIST_A, GAP(g=(1, 0, 0)), Fraction(1, 10)),
        (LIST_A, xGAP(g=(1, 0, 0)), Fraction(1, 10)),
        (LIST_A, eGAP(g=(1, 0, 0)), Fraction(1, 10)),
        (LIST_B, GAP(g=THIRDS), Fraction(59, 228)),
        (LIST_B, xGAP(g=THIRDS), Fraction(11, 45)),
        (LIST_B, eGAP(g=THIRDS), Fraction(9, 40)),
        (LIST_B, GAP(g=LINEAR), Fraction(83, 372)),
        (LIST_B, xGAP(g=LINEAR), Fraction(113, 540)),
        (LIST_B, eGAP(g=LINEAR), Fraction(47, 240)),
        (LIST_B, GAP(g="linear"), Fraction(83, 372)),
        (LIST_B, GAP(g="uniform"), Fraction(59, 228)),
    ],
)
def test_fixtures_a_and_b(run, chosen, value):
    at_the_end_of_the_run = chosen._replace(k=len(run))
    assert at_the_end_of_the_run(rankings_of(run, POOL)) == pytest.approx(
        float(value), abs=TOLERANCE
    )


@pytest.mark.parametrize(
    ("run", "chosen", "value"),
    [
        (LIST_A, AP(), 0.1167),
        (LIST_A, GAP(g="linear"), 0.1613),
        (LIST_A, nDCG(discount="jk"), 0.3601),
        (LIST_A, nDCG(), 0.2899),
        (LIST_B, AP(), 0.4),
        (LIST_B, GAP(g="linear"), 0.2527),
        (LIST_B, nDCG(discount="jk"), 0.4869),
        (LIST_B, nDCG(), 0.4332),
    ],
)
def test_fixtures_a_and_b_on_condensed_lists(run, chosen, value):
    # Only the numerator is cut: nDCG's ideal list is the whole pool.
    length = len([grade for grade in run if grade is not None])
    rankings = rankings_of(run, POOL)
    cut = chosen._replace(k=length, unjudged="condense", normalize=False)
    ideal = 1.0
    if isinstance(chosen, nDCG):
        ideal = chosen._replace(normalize=False)(sorted(POOL), np.arange(len(POOL)))
    assert cut(rankings) / ideal == pytest.approx(value, abs=5e-5)
