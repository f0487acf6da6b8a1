"""Every measure against its literal oracle: whole and other grades, all rules, all cut-offs.

And how measures relate to each other.
"""

import numpy as np
import pytest
import strategies
from facts import (
    EACH,
    FEW,
    RANKED,
    TIES,
    cases,
    default_of,
    fields_of,
    has_mean_over_ties,
    scale_fields,
    top_grade,
)
from hypothesis import given, strategies as st
from pools import rankings_of_pools
from reference import REFERENCE
from reference.ndcg import adm
from reference.queries import per_query, plain, rows_by_query

from skgraded import AP, GAP, eGAP, evaluate, infAP, trec, xGAP
from skgraded.measures import ADM, GeneralizedAP, RprefRelative2, grAP
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose.
pytestmark = [
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.SwappedArgumentsWarning"),
]

TOLERANCE = 1e-12


@st.composite
def between(draw, rows):
    """Lower some of the grades by quarters; others stay whole."""
    below = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.75])
    shift = draw(st.lists(below, min_size=len(rows.y_true), max_size=len(rows.y_true)))
    return rows._replace(y_true=np.maximum(rows.y_true - shift, 0.0 * rows.y_true))


@st.composite
def any_cases(draw, data, name):
    """Draw a case of whole grades, or of grades and a threshold between the whole ones."""
    rows, chosen, arguments = draw(cases(data, name))
    if draw(st.booleans()):
        rows = draw(between(rows))
        if arguments.get("rel", 1) > 1:
            rel = arguments["rel"] - draw(st.sampled_from([0.0, 0.125, 0.25]))
            chosen, arguments = chosen.replace(rel=rel), {**arguments, "rel": rel}
    return rows, chosen, arguments


def assert_same(rows, chosen, arguments, ties):
    oracle = REFERENCE[type(chosen).__name__]
    expected = per_query(oracle, rows.y_true, rows.y_score, rows.qid, ties, **arguments)
    scores = chosen.replace(ties=ties).per_query(
        rows.y_true, rows.y_score, qid=rows.qid
    )
    assert list(scores.qid) == list(expected)
    expected = list(map(float, expected.values()))
    np.testing.assert_allclose(scores.values, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", list(filter(has_mean_over_ties, RANKED)))
@FEW
@given(data=st.data())
def test_expected_value_is_the_mean_over_all_orders_of_tied_documents(name, data):
    assert_same(*data.draw(any_cases(strategies.small_data(), name)), ties="expected")


@EACH
@FEW
@given(data=st.data())
def test_value_of_long_lists(name, data):
    """Under the other rules for ties, or without a tie under the measure's own."""
    ties = data.draw(st.sampled_from([*TIES[1:], None]))
    rows = strategies.long_data(ties=ties is not None)
    assert_same(*data.draw(any_cases(rows, name)), ties=ties or default_of(name).ties)


@EACH
@FEW
@given(data=st.data())
def test_value_where_the_pool_holds_documents_that_the_list_lacks(name, data):
    max_grade = data.draw(strategies.MAX_GRADES)
    queries = data.draw(
        st.lists(strategies.list_and_pool(max_grade), min_size=1, max_size=3)
    )
    top = max([0, *(grade for _, pool in queries for grade in pool)])
    chosen, arguments = data.draw(fields_of(name, max_grade, top))
    if name == "infAP" and not arguments["condense"]:
        queries = [
            (data.draw(strategies.partly_unsampled(ranked)), pool)
            for ranked, pool in queries
        ]
    elif data.draw(st.booleans()):
        lower = [
            max(0, each - data.draw(st.sampled_from([0, 0.25]))) for each in range(7)
        ]
        queries = [
            [[None if each is None else lower[each] for each in part] for part in query]
            for query in queries
        ]
    values = chosen.per_query(rankings_of_pools(queries)).values
    expected = [float(REFERENCE[name](*query, **arguments)) for query in queries]
    np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)


@given(strategies.long_data(), st.data())
def test_a_query_has_the_same_value_in_any_company(rows, data):
    name = data.draw(st.sampled_from(RANKED))
    chosen, _ = data.draw(fields_of(name, rows.max_grade, 1))
    together = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
    for query, value in zip(together.qid, together.values, strict=True):
        own = rows.qid == query
        alone = chosen.per_query(rows.y_true[own], rows.y_score[own]).values
        np.testing.assert_array_equal(alone, [value])  # to the last bit


class TestADM:
    @given(strategies.small_data(), st.data())
    def test_against_the_oracle(self, rows, data):
        scores = data.draw(
            st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=len(rows.qid)).map(
                lambda drawn: np.array(drawn[: len(rows.qid)])
            )
        )
        fields, condense = (
            data.draw(scale_fields(rows.max_grade)),
            data.draw(st.booleans()),
        )
        chosen = ADM(
            **fields, unjudged="condense" if condense else "nonrelevant", empty=0.25
        )
        ours = chosen.per_query(rows.y_true, scores, qid=rows.qid)
        for query, own in rows_by_query(rows.qid).items():
            grades = [plain(rows.y_true[row]) for row in own]
            expected = adm(
                grades,
                [scores[row] for row in own],
                **fields,
                condense=condense,
                empty=0.25,
            )
            value = ours.values[list(ours.qid).index(query)]
            assert value == pytest.approx(float(expected), abs=TOLERANCE)

    def test_among_other_measures(self):
        rows, qid = ([2, 0, 1, 0], [1.0, 0.5, 0.25, 0.75]), ["a", "a", "b", "b"]
        scores = evaluate(
            ["AP", "ADM", "nDCG"], *rows, qid=qid, sample_weight=[1, 1, 3, 3]
        )
        assert scores["ADM"].values.tolist() == [0.75, 0.5]
        assert float(scores["ADM"]) == (0.75 + 3 * 0.5) / 4
        rankings = as_rankings(*rows, qid)
        assert ADM().per_query(rankings).values.tolist() == [0.75, 0.5]

    def test_scores_that_are_no_degrees_of_relevance(self):
        with pytest.raises(
            ValueError, match=r"y_score must lie in \[0, 1\] for ADM.* 1\.5 in row 1"
        ):
            ADM()([1, 0], [0.5, 1.5])
        with pytest.raises(ValueError, match=r"got -0\.1 in row 1\.$"):
            ADM()([1, 0, 1, 0], [0.5, -0.1, 0.5, 9.0], qid=[1, 2, 2, 1])
        retrieved = trec.rank({"q": {"d": 1}}, {"q": {"d": 0.5}})
        with pytest.raises(TypeError, match="these rankings have no scores"):
            ADM()(retrieved)


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

    @given(strategies.small_data(), strategies.cutoffs())
    def test_graded_measures_of_binary_grades_are_ap(self, rows, k):
        binary_rows = rows._replace(y_true=np.minimum(rows.y_true, 1))
        for kind in (GAP, xGAP, eGAP, GeneralizedAP, grAP):
            assert_equal_measures(binary_rows, kind(k=k), AP(k=k))


def assert_equal_measures(rows, one, other, tolerance=TOLERANCE):
    values = [each.per_query(*rows[:2], qid=rows.qid).values for each in (one, other)]
    np.testing.assert_allclose(*values, rtol=0, atol=tolerance)
