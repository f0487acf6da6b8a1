"""Rules that all oracles share: empty queries, ideal rankings, ties, many queries."""

import inspect
import math
from fractions import Fraction

import pytest
import strategies
from facts import FACTS, RANKED
from hypothesis import given
from hypothesis import strategies as st
from reference import REFERENCE
from reference.average_precision import average_precision, egap, gap
from reference.frame import ideal
from reference.queries import (
    all_orders,
    expected_under_ties,
    mean_over_queries,
    optimistic,
    per_query,
    pessimistic,
    row_order,
    rows_by_query,
    under_ties,
)
from reference.rank_biased import graded_rbp

from skgraded import catalogue

ORACLES = {name: oracle for name, oracle in REFERENCE.items() if name in RANKED}
ORACLES["graded RBP"] = graded_rbp


def required(name, max_grade=2):
    """Arguments that an oracle has no default for, on a scale with this top grade."""
    of_scale = {"g": (1 / max_grade,) * max_grade, "max_grade": max_grade}
    parameters = inspect.signature(ORACLES[name]).parameters
    return {
        field: value
        for field, value in of_scale.items()
        if field in parameters and parameters[field].default is inspect.Parameter.empty
    }


def facts_of(name):
    return FACTS[name.removeprefix("graded ")]


def greater_is_better(name):
    return catalogue()[name.removeprefix("graded ")].greater_is_better


@pytest.mark.parametrize("name", ORACLES)
def test_a_query_with_nothing_relevant_takes_the_value_of_empty(name):
    measure, parameters = ORACLES[name], required(name)
    nothing = [None, None] if name == "Judged" else [0, None, 0]  # it counts every judged one
    assert measure(nothing, **parameters) == 0
    assert measure(nothing, **parameters, empty=1.0) == 1.0
    condense = name != "Judged"
    assert math.isnan(measure(nothing, **parameters, empty=math.nan, condense=condense))
    assert not math.isnan(measure([0, None, 1], **parameters, empty=math.nan))


@pytest.mark.parametrize("name", ["AP", "DCG", "GAP", "P", "R", "RBP", "eGAP", "nDCG", "xGAP"])
def test_a_list_that_finds_nothing_relevant_is_no_empty_query(name):
    measure, parameters = ORACLES[name], required(name)
    assert measure([0, None, 0], **parameters, empty=1.0, normalize=True) == 1.0
    assert measure([0, 0], [0, 0, 1], **parameters, empty=1.0) == 0


@pytest.mark.parametrize("name", ORACLES)
@given(lists=strategies.ranked_and_pool(), k=strategies.cutoffs())
def test_the_ideal_ranking_of_a_judged_list_is_best(name, lists, k):
    ranked, _, max_grade = lists
    measure, parameters = ORACLES[name], required(name, max_grade)
    # Ranked half-life asks where half of the gain is that stands above the cut-off.
    if "k" not in facts_of(name).refuses and name != "RankedHalfLife":
        parameters["k"] = k
    judged = [grade for grade in ranked if grade is not None]
    value, best = measure(judged, **parameters), measure(ideal(judged), judged, **parameters)
    slack = 1e-4 if name == "infAP" else 1e-9  # the smoothing of infAP favours late documents
    assert value <= best + slack if greater_is_better(name) else value >= best - slack


@pytest.mark.parametrize("name", list(filter(greater_is_better, ORACLES)))
def test_normalize_divides_by_the_value_of_the_ideal_ranking(name):
    measure, parameters = ORACLES[name], required(name)
    if "k" not in facts_of(name).refuses:
        parameters["k"] = 3
    ranked, pool = [0, 1, 2, 0, 2], [2, 2, 1, 0, 0]
    expected = measure(ranked, pool, **parameters) / measure(ideal(pool), pool, **parameters)
    assert measure(ranked, pool, **parameters, normalize=True) == pytest.approx(expected)
    assert 0 < expected < 1 or name in ("Success", "Judged")  # 0 or 1; only judged ones


# --- ties ----------------------------------------------------------------------------------------


def test_orders_of_tied_documents():
    grades, scores = [0, 2, None, 1], [0.0, 1.0, -0.0, 0.0]
    assert row_order(grades, scores) == [2, 0, None, 1]
    assert pessimistic(grades, scores) == [2, None, 0, 1]
    assert optimistic(grades, scores) == [2, 1, 0, None]
    orders = all_orders(grades, scores)
    assert len(orders) == 6
    assert len({tuple(order) for order in orders}) == 6
    assert {order[0] for order in orders} == {2}


def test_expected_value_of_two_tied_documents():
    # AP is 1 in one order and 1/2 in the other.
    assert expected_under_ties(average_precision, [1, 0], [5, 5]) == Fraction(3, 4)
    assert under_ties(average_precision, [1, 0], [5, 5], "row_order") == 1
    assert under_ties(average_precision, [1, 0], [5, 5], "pessimistic") == Fraction(1, 2)
    assert under_ties(average_precision, [0, 1], [5, 5], "optimistic") == 1
    assert expected_under_ties(average_precision, [1, 0], [5, 6]) == Fraction(1, 2)


@given(strategies.small_data(), st.data())
def test_expected_value_lies_between_pessimistic_and_optimistic(rows, data):
    parameters = {
        "g": data.draw(strategies.exact_g(rows.max_grade)),
        "k": data.draw(strategies.cutoffs()),
        "condense": data.draw(st.booleans()),
    }
    for measure in (gap, egap):
        worst, mean, best = (
            per_query(measure, *rows[:3], ties=ties, **parameters)
            for ties in ("pessimistic", "expected", "optimistic")
        )
        assert list(worst) == list(mean) == list(best)
        for query in mean:
            assert worst[query] <= mean[query] <= best[query]


# --- many queries --------------------------------------------------------------------------------


def test_values_and_mean_over_queries():
    y_true = [1.0, 0.0, math.nan, 1.0, 0.0]
    y_score = [0.0, 1.0, 0.5, 1.0, 0.0]
    qid = ["b", "a", "b", "a", "c"]
    values = per_query(average_precision, y_true, y_score, qid, ties="row_order", empty=math.nan)
    assert list(values) == ["b", "a", "c"]
    assert values["b"] == values["a"] == Fraction(1, 2)
    assert math.isnan(values["c"])
    assert mean_over_queries(values) == Fraction(1, 2)
    unequal = {"b": 1.0, "a": 0.0, "c": math.nan}
    assert mean_over_queries(unequal, qid, [3.0, 1.0, 1.0, 2.0, 9.0]) == 2 / 3.5
    # Two rows of weight 1 and 2, one row of weight 6: queries of weight 1.5 and 6.
    sizes = {"p": 1.0, "q": 0.0}
    assert mean_over_queries(sizes, ["p", "q", "p"], [1.0, 6.0, 2.0]) == 1.5 / 7.5
    assert list(per_query(average_precision, y_true, y_score)) == [0]


# --- the strategies reach what they promise ------------------------------------------------------


@given(strategies.small_data())
def test_small_data_is_cheap_to_enumerate(rows):
    for numbers in rows_by_query(rows.qid).values():
        assert len(all_orders(rows.y_true[numbers], rows.y_score[numbers])) <= 48


@given(st.integers(1, 6).flatmap(strategies.exact_g))
def test_threshold_distributions_sum_to_one(g):
    assert sum(g) == 1
    assert min(g) >= 0
