"""Cumulated gain against numbers of papers and of other software."""

import math

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from reference.frame import ideal
from reference.ndcg import averaged_ndcg, cg, dcg, ndcg, ndcg_sakai
from samples import LIST_A, LIST_B, POOL

TEN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_cumulated_gain_of_ten_documents():
    # 10.89 is a sum of rounded terms; the exact sum is 10.884.
    best = ideal(TEN)
    assert best == [3, 3, 3, 2, 2, 2, 1, 0, 0, 0]
    assert sum(TEN) == 16
    assert dcg(TEN, discount="jk") == pytest.approx(9.61, abs=0.005)
    assert dcg(best, TEN, discount="jk") == pytest.approx(10.89, abs=0.006)
    assert round(ndcg(TEN, discount="jk"), 2) == 0.88


def test_dcg_by_hand():
    log2 = math.log2
    assert dcg([2, 0, 1]) == pytest.approx(2 + 1 / 2)
    assert dcg([2, 0, 1], gain="exp2") == pytest.approx(3 + 1 / 2)
    assert dcg([0, 2, 1], gain=(0.5, 4)) == pytest.approx(4 / log2(3) + 0.25)
    assert dcg([1, 1, 1, 1], discount="jk") == pytest.approx(2 + 1 / log2(3) + 1 / 2)
    assert dcg([1, 1, 1, 1], discount="jk", log_base=3) == pytest.approx(3 + math.log(3, 4))
    assert dcg([1, 1, 1, 1], discount="jk", k=2) == 2
    assert ndcg([0, 1], [1, 0], k=1) == 0
    assert ndcg([1, 2], gain=(0, 1)) == pytest.approx(1 / log2(3))
    assert dcg([0.5, 1.5]) == pytest.approx(0.5 + 1.5 / log2(3))


@pytest.mark.parametrize(
    ("ranked", "condense", "jk", "microsoft"),
    [
        (LIST_A, False, 0.3380, 0.2760),
        (LIST_A, True, 0.3601, 0.2899),
        (LIST_B, False, 0.4552, 0.4119),
        (LIST_B, True, 0.4869, 0.4332),
    ],
)
def test_ndcg_as_ntcireval_prints_it(ranked, condense, jk, microsoft):
    assert round(ndcg(ranked, POOL, discount="jk", condense=condense), 4) == jk
    assert round(ndcg(ranked, POOL, condense=condense), 4) == microsoft


@given(strategies.ranked_and_pool(), strategies.cutoffs(), st.sampled_from([2, 3, 10]))
def test_ndcg_of_sakai_is_that_of_jarvelin_and_kekalainen(lists, k, log_base):
    ranked, pool, _ = lists
    theirs = ndcg(ranked, pool, k=k, discount="jk", log_base=log_base)
    assert ndcg_sakai(ranked, pool, k=k, log_base=log_base) == pytest.approx(theirs)


def test_cumulated_gain_by_hand():
    assert cg([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]) == 16
    assert cg([3, None, 1], k=2, gain="exp2") == 7


def test_averaged_ndcg_fills_a_short_list_up():
    assert averaged_ndcg([1, 2], k=2) == pytest.approx((1 / 2 + 1) / 2)
    assert averaged_ndcg([1, 2], k=4) == pytest.approx((1 / 2 + 1 + 1 + 1) / 4)
    assert averaged_ndcg([1, 2]) == averaged_ndcg([1, 2], k=2)
    assert averaged_ndcg([None], [1], condense=True) == 0
