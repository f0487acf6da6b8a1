"""Inferred AP against trec_eval, by hand, and against AP."""

import pytest
import strategies
from hypothesis import given
from reference.average_precision import average_precision
from reference.inferred import UNSAMPLED, inferred_ap

# qrels a=2, b=0, c=1, d=-1 (in the pool, not sampled); the run ranks x, a, b, d, c.
TREC_LIST, TREC_POOL = [None, 2, 0, UNSAMPLED, 1], [2, 0, 1, UNSAMPLED]


def test_inferred_ap_as_trec_eval_prints_it():
    assert round(inferred_ap(TREC_LIST, TREC_POOL), 4) == 0.5
    assert round(inferred_ap(TREC_LIST, TREC_POOL, condense=True), 4) == 0.8333


def test_inferred_ap_by_hand():
    # At rank 4 the three documents above are one outside the pool, one sampled and relevant, one
    # in the pool but not sampled.
    epsilon = 1e-5
    above = 2 / 3 * (1 + epsilon) / (1 + 2 * epsilon)
    value = (1 / 2 + 1 / 2 * 0) + (1 / 4 + 3 / 4 * above)
    assert inferred_ap([None, 1, UNSAMPLED, 1], [1, 1, 1]) == pytest.approx(value / 3)
    assert inferred_ap([1, 0], [1, 0]) == 1


@given(strategies.ranked_and_pool(unjudged=False))
def test_inferred_ap_of_a_judged_list_is_ap_up_to_the_smoothing(lists):
    ranked, pool, _ = lists
    expected = float(average_precision(ranked, pool))
    assert inferred_ap(ranked, pool) == pytest.approx(expected, abs=1e-4)
    assert inferred_ap(ranked, pool, epsilon=1e-9) == pytest.approx(expected, abs=1e-8)
