"""Gain relative to the ideal ranking: values that trec_eval prints, and values by hand."""

import math

import pytest
from reference.ideal_gain import bin_g, g, ndcg_rel, rndcg

RANKED, POOL = [None, 2, 0, None, 1], [2, 0, 1]


@pytest.mark.parametrize(
    ("oracle", "condense", "printed"),
    [(g, False, 0.5642), (bin_g, False, 0.5308), (g, True, 0.8770), (bin_g, True, 0.8155)],
)
def test_values_that_trec_eval_prints(oracle, condense, printed):
    assert oracle(RANKED, POOL, condense=condense) == pytest.approx(printed, abs=5.01e-5)


def test_mean_ndcg_at_the_ranks_where_the_ideal_gain_falls():
    # Ranks 1 and 2, and the end of a longer list.
    at = [1 / 2, (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))]
    assert rndcg([1, 2]) == pytest.approx(sum(at) / 2)
    assert rndcg([1, 2, 0]) == pytest.approx((at[0] + 2 * at[1]) / 3)
    assert rndcg([1], [1, 2]) == pytest.approx((at[0] + 1 / (2 + 1 / math.log2(3))) / 2)


def test_mean_ndcg_over_relevant_documents():
    at_one, whole = 1 / 2, 2 + 1 / math.log2(3)
    assert ndcg_rel([1, 0], [1, 2]) == pytest.approx((at_one + 1 / whole) / 2)
    assert ndcg_rel([1, 2]) == pytest.approx((at_one + (1 + 2 / math.log2(3)) / whole) / 2)
