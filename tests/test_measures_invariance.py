"""What changes no value: the order of rows, threads, slices, other queries."""

import numpy as np
import pytest
import strategies
from facts import FEW, RANKED, fields_of
from hypothesis import given
from hypothesis import strategies as st

from skgraded import AP, GAP, RBP, eGAP, evaluate, measure, nDCG, xGAP
from skgraded.measures import P
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

TOLERANCE = 1e-12


@given(strategies.small_data(), st.data())
def test_order_of_rows_inside_and_across_queries_does_not_matter(rows, data):
    g = data.draw(strategies.g_vectors(rows.max_grade))
    shuffle = data.draw(st.permutations(range(len(rows.qid))))
    shuffled = [column[shuffle] for column in rows[:3]]
    for chosen in (AP(), GAP(g=g), xGAP(g=g), eGAP(g=g), nDCG(k=2), P(k=3), RBP(k=2)):
        first = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
        second = chosen.per_query(*shuffled[:2], qid=shuffled[2])
        by_id = dict(zip(first.qid.tolist(), first.values, strict=True))
        for query, value in zip(second.qid.tolist(), second.values, strict=True):
            assert value == pytest.approx(by_id[query], abs=TOLERANCE)


@FEW
@given(strategies.long_data(), st.integers(1, 4))
def test_scoring_a_few_queries_at_a_time_changes_no_bit(rows, at_a_time):
    from skgraded.measures import _measure

    rankings = as_rankings(rows.y_true, rows.y_score, rows.qid)
    names = [
        "AP",
        "GAP",
        "nDCG",
        "AP(unjudged=condense)",
        "QMeasure",
        "WeightedAP",
        "AveragedNDCG@5",
    ]
    names += ["RprefN", "BprefRelative", "Bpref", "ERR", "infAP", "RPrecision", "NormalizedRecall"]
    whole = [measure(name).per_query(rankings).values for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_measure, "_DOUBLES_AT_A_TIME", at_a_time * rankings.judgments.n_levels**2)
        patch.setattr(_measure, "_FEW_SLICES", 1)
        parts = [measure(name).per_query(rankings).values for name in names]
    np.testing.assert_array_equal(whole, parts)


@given(strategies.long_data(), st.integers(2, 4))
def test_threads_change_no_bit(rows, n_threads):
    names = ["AP", "GAP", "xGAP@5", "nDCG@3", "AP(ties=optimistic)", "QMeasure", "Bpref@7", "ERR@6"]
    one = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid)
    many = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid, n_threads=n_threads)
    np.testing.assert_array_equal(one.values, many.values)


@given(strategies.long_data(), st.data())
def test_a_query_has_the_same_value_in_any_company(rows, data):
    name = data.draw(st.sampled_from(RANKED))
    chosen, _ = data.draw(fields_of(name, rows.max_grade, 1))
    together = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
    for query, value in zip(together.qid, together.values, strict=True):
        own = rows.qid == query
        alone = chosen.per_query(rows.y_true[own], rows.y_score[own]).values
        np.testing.assert_array_equal(alone, [value])  # to the last bit


def test_threads_share_out_the_kernels_of_cascades_and_preferences():
    rng = np.random.default_rng(3)
    qid = np.repeat(np.arange(900), 60)  # enough documents for three threads
    y_true, y_score = rng.integers(0, 4, len(qid)), rng.integers(0, 9, len(qid))
    names = ["Bpref", "BprefTen@40", "RR", "ERR@50", "Success@2"]
    one = evaluate(names, y_true, y_score, qid=qid)
    many = evaluate(names, y_true, y_score, qid=qid, n_threads=3)
    np.testing.assert_array_equal(one.values, many.values)
