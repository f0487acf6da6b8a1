"""Ties: the order of rows decides nothing, not even the last bit."""

import dataclasses

import numpy as np
import pytest
from facts import EACH, FACTS

from skgraded import catalogue
from skgraded.measures import Judged

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.InferredGradesWarning")

RULES = ("expected", "pessimistic", "optimistic")


@EACH
def test_the_order_of_rows_changes_no_bit(name):
    rng = np.random.default_rng(0)
    plain = catalogue()[name]().resolve(4)
    rules = RULES if plain.ties == "expected" else RULES[1:]
    for _ in range(20):
        n = rng.integers(2, 60)
        labels = rng.choice([np.nan, 0, 0, 1, 2, 3, 4], n)
        labels[0] = 1  # a threshold must not exceed all grades
        scores, rows = rng.integers(0, 3, n), rng.permutation(n)
        for rule in rules:
            chosen = dataclasses.replace(plain, ties=rule)
            if "k" not in FACTS[name].refuses:
                chosen = dataclasses.replace(chosen, k=rng.choice([None, 1, 7, 30]))
            value = chosen(labels, scores)
            assert chosen(labels[rows], scores[rows]) == value, chosen


@pytest.mark.parametrize("gain", ["linear", (0.1, 0.7, 1.9)])
@pytest.mark.parametrize("name", ["GeneralizedP", "INSQ", "RBP", "SDCG", "RNDCG", "EBR", "ERR"])
def test_sums_over_ties_are_added_in_one_order(name, gain):
    rng = np.random.default_rng(0)
    chosen = catalogue()[name](gain=gain)
    if chosen.is_open:
        chosen = chosen.resolve(3)
    labels = rng.choice([0.1, 0.3, 0.7, 2.9], 99) if gain == "linear" else rng.integers(0, 4, 99)
    values = {chosen(labels[rng.permutation(99)], np.zeros(99)) for _ in range(50)}
    assert len(values) == 1


@pytest.mark.parametrize("rows", [[0, np.nan], [np.nan, 0]])
def test_an_unjudged_document_is_worse_than_one_judged_not_relevant(rows):
    assert Judged(k=1, ties="optimistic")(rows, [1, 1]) == 1
    assert Judged(k=1, ties="pessimistic")(rows, [1, 1]) == 0
    assert Judged(k=1)(rows, [1, 1]) == 0.5
