"""Rank-biased overlap by hand, and against all ideal rankings."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.overlap import compatibility, documents, rbo


def test_overlap_by_hand():
    assert rbo("ab", "ba", 0.5, 2) == pytest.approx((0 + 0.5 * 1) / 1.5)
    assert compatibility([1, 2], p=0.5) == pytest.approx(0.5 / 1.5)
    assert compatibility([2, 1], p=0.5) == 1
    # The document of grade 2 is missing: rank 2 has 1 of 2, as much as rank 1 of the ideal has.
    assert compatibility([1], [1, 2], p=0.5) == pytest.approx(0.5 * 0.5 / 1.5)
    assert compatibility([None, 1], p=0.5) == pytest.approx(0.25 / 1.25)
    assert compatibility([None, 1], p=0.5, condense=True) == 1
    assert compatibility([0], empty=0.5) == 0.5


@given(
    st.lists(st.sampled_from([None, 0, 1, 2]), max_size=5),
    st.lists(st.integers(1, 2), max_size=2),
    st.one_of(st.none(), st.integers(1, 4)),
)
def test_the_order_of_the_list_gives_the_largest_overlap(ranked, missing, k):
    pool = [grade for grade in ranked if grade is not None] + missing
    listed, others = documents(ranked, pool, condense=False)
    relevant = [each for each in listed + others if each[1] is not None and each[1] > 0]
    if not relevant:
        return
    depth = max(len(listed), len(relevant))
    depth = depth if k is None else min(depth, k)
    largest = max(
        rbo(listed, ideal, 0.8, depth)
        for ideal in itertools.permutations(relevant)
        if [each[1] for each in ideal] == sorted((each[1] for each in relevant), reverse=True)
    )
    assert compatibility(ranked, pool, p=0.8, k=k, normalize=False) == pytest.approx(largest)
