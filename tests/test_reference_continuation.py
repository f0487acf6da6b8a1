"""Users who go on from a rank, by hand."""

import math

import pytest
from reference.continuation import bpm, insq, inst, nerr8, nerr9, nerr10, nerr11, sdcg

from skgraded.measures import SDCG


def test_the_weights_of_insq_add_up():
    # 1 / n^2 from n = 2 on adds up to pi^2 / 6 - 1.
    whole = math.pi**2 / 6 - 1
    assert insq([1, 0, 1], max_grade=1) == pytest.approx((1 / 4 + 1 / 16) / whole, abs=1e-14)
    assert insq([1, 0, 1], max_grade=1, k=2) == pytest.approx((1 / 4) / (1 / 4 + 1 / 9), abs=1e-14)


def test_inst_by_hand():
    # After a gain of 1 the user goes on with ((1 + 1 + 0 - 1) / 2)^2 = 1/4.
    assert inst([1, 0], max_grade=1, k=2) == pytest.approx(1 / (1 + 1 / 4))
    assert inst([0, 1], max_grade=1, k=2) == pytest.approx(4 / 9 / (1 + 4 / 9))
    # Nothing found: the weights are those of INSQ.
    assert inst([0, 0, 1], max_grade=1) < insq([0, 0, 1], max_grade=1) * 1.5
    # All ranks read are relevant.
    assert inst([1] * 5, max_grade=1, k=5) == pytest.approx(1)


def test_nerr_by_hand():
    grades = [1, 2]  # gains 1/2 and 1
    assert nerr8(grades, max_grade=2, k=2) == pytest.approx((1 / 2 + 1 / 2) / (1 + 1 / 2))
    assert nerr8(grades, max_grade=2, k=1) == pytest.approx(1 / 2)
    assert nerr8([0], [0, 1], max_grade=2, k=3) == 0
    assert nerr9(grades, max_grade=2, k=2) == pytest.approx((1 / 2 + 1 / 4) / (1 + 1 / 4))
    assert nerr10(grades, p=0.5, max_grade=2) == pytest.approx((1 / 2 + 1 / 4) / (1 + 1 / 4))
    assert nerr10([1], p=0.5, max_grade=2) == pytest.approx((1 / 2) / (1 + 1 / 4 / (1 - 1 / 2)))
    assert nerr11(grades, max_grade=2) == pytest.approx((1 / 2 + 2 / 9) / (1 + 2 / 9))


def test_bpm_and_sdcg_by_hand():
    assert bpm([1, 0, 1, 2], max_grade=2) == pytest.approx(1 / 3)
    assert bpm([1, 0, 1, 2], max_grade=2, k=2) == pytest.approx(1 / 4)
    assert bpm([1], max_grade=2, k=4) == pytest.approx(1 / 8)
    second = 1 / math.log2(3)
    assert sdcg([1, 2], max_grade=2) == pytest.approx((1 / 2 + second) / (1 + second))
    assert sdcg([2], max_grade=2, k=2) == pytest.approx(1 / (1 + second))


@pytest.mark.parametrize("k", [9_999, 10_001, 200_000])
def test_the_divisor_of_sdcg_at_a_large_cutoff(k):
    whole = math.fsum(1 / math.log2(n + 1) for n in range(1, k + 1))
    assert SDCG(k=k, max_grade=1)([1], [1]) == pytest.approx(1 / whole, rel=1e-13)
