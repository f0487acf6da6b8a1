"""Weights of the ranks by the gain of the ideal ranking down to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skgraded._support.array_types import FloatArray
from skgraded.measures._gains import gain_by_level
from skgraded.measures._positions import (
    ByRank,
    at_ranks,
    count_of,
    per_document,
    places_of,
    rank_of,
    reciprocal,
    sum_to_rank,
    to_the_end,
    up_to,
)
from skgraded.rankings import Judgments, RankedList, Unjudged


def _gain_of_ideal(gain: str | Sequence[float], judgments: Judgments) -> FloatArray:
    """Return the gain at every rank of the ideal rankings, which are the pools."""
    by_level = gain_by_level(gain, judgments, "a measure of ideal gain")
    return by_level[judgments.pool.levels]


def _sum_to_pool_end(
    values: FloatArray, rank: FloatArray, ranked: RankedList, pool: RankedList
) -> FloatArray:
    """Sum values of the pool from the rank of every document on; 0 below the pool."""
    sum_by_pool_rank = to_the_end(values, pool)
    sum_at_rank = at_ranks(rank, sum_by_pool_rank, ranked, pool)
    pool_length = per_document(pool.lengths, ranked)
    return np.where(rank <= pool_length, sum_at_rank, 0.0)


@dataclass(frozen=True)
class ReciprocalIdealGain:
    """1 / (beta cg_I(n) + n), or 1 / (beta cg_I(n)); cg_I is the ideal ranking's cumulated gain."""

    gain: str | Sequence[float]
    beta: float = 1.0
    adds_rank: bool = False

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gain = _gain_of_ideal(self.gain, judgments)
        divisor = sum_to_rank(gain, pool)

        rank = rank_of(ranked)
        if not np.array_equal(pool.indptr, ranked.indptr):
            divisor = at_ranks(rank, divisor, ranked, pool)

        divisor *= self.beta
        if self.adds_rank:
            divisor += rank
        return reciprocal(divisor)


@dataclass(frozen=True)
class _IdealDCG:
    """Base class of weights that sum d_n / DCG_I(i) over ranks i from n on, for a discount d."""

    discount: ByRank
    gain: str | Sequence[float]
    k: int | None

    def _inverse_ideal_dcg(self, gain: FloatArray, judgments: Judgments) -> FloatArray:
        """Return 1 / DCG_I at every rank of the pools, by their gain."""
        pool = judgments.pool
        discounted_gain = gain * self._discounts(pool)
        return reciprocal(sum_to_rank(discounted_gain, pool))

    def _discounts(self, lists: RankedList) -> FloatArray:
        by_rank = up_to(lists.longest, self.discount)
        return by_rank[places_of(lists)]


class AveragedDiscount(_IdealDCG):
    """d_n / k times the sum of 1 / DCG_I(i) over the cut-offs i = n..k.

    A document at rank n contributes to the discounted cumulated gain at every rank i >= n.
    """

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gain = _gain_of_ideal(self.gain, judgments)
        inverse_ideal_dcg = self._inverse_ideal_dcg(gain, judgments)

        last_cutoff = ranked.lengths
        if self.k is not None:
            last_cutoff = np.full_like(last_cutoff, self.k)
        rank = rank_of(ranked)

        # Cut-offs within the pool: sum 1 / DCG_I(i) from rank n to the last one.
        is_cutoff = places_of(pool) < per_document(last_cutoff, pool)
        inverse_at_cutoffs = np.where(is_cutoff, inverse_ideal_dcg, 0.0)
        sum_within_pool = _sum_to_pool_end(inverse_at_cutoffs, rank, ranked, pool)

        # Cut-offs beyond the pool, where DCG_I is constant.
        pool_length = per_document(pool.lengths, ranked).astype(np.float64)
        last_covered_rank = np.maximum(pool_length, rank - 1.0)
        n_uncovered = per_document(last_cutoff, ranked) - last_covered_rank
        last_inverse = at_ranks(pool_length, inverse_ideal_dcg, ranked, pool)
        sum_beyond_pool = np.maximum(n_uncovered, 0.0) * last_inverse

        inverse_sum = sum_beyond_pool + sum_within_pool
        inverse_cutoff = per_document(reciprocal(last_cutoff), ranked)
        return self._discounts(ranked) * inverse_sum * inverse_cutoff


@dataclass(frozen=True)
class DiscountAtGainEnds(_IdealDCG):
    """d_n / L times the sum of 1 / DCG_I(c) over the ranks c >= n where the ideal gain falls.

    L is the number of all such ranks, those above n included. The last one is the end of the list,
    if the list is longer than the ranks with ideal gain. At ranks c below the end of the list, its
    discounted cumulated gain is that of the whole list.
    """

    unjudged: Unjudged

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gain = _gain_of_ideal(self.gain, judgments)
        inverse_ideal_dcg = self._inverse_ideal_dcg(gain, judgments)

        # Ranks of the pool after which the gain falls.
        has_gain = gain > 0
        is_pool_end = np.zeros(len(gain), dtype=bool)
        ends = pool.indptr[1:]
        is_pool_end[ends[pool.lengths > 0] - 1] = True
        gain_of_next = np.append(gain[1:], 0.0)
        gain_falls = gain_of_next != gain
        is_gain_end = has_gain & (is_pool_end | gain_falls)
        inverse_at_ends = np.where(is_gain_end, inverse_ideal_dcg, 0.0)
        rank = rank_of(ranked)
        sum_within_pool = _sum_to_pool_end(inverse_at_ends, rank, ranked, pool)

        # The end of the list, where it is below the ranks with gain.
        list_length = judgments.list_lengths(self.unjudged)
        if self.k is not None:
            list_length = np.minimum(list_length, self.k)
        has_list_end = list_length > count_of(has_gain, pool.indptr)
        pool_length = per_document(pool.lengths, ranked).astype(np.float64)
        last_inverse = at_ranks(pool_length, inverse_ideal_dcg, ranked, pool)
        inverse_at_list_end = per_document(has_list_end, ranked) * last_inverse

        inverse_sum = sum_within_pool + inverse_at_list_end
        n_ends = count_of(is_gain_end, pool.indptr) + has_list_end
        inverse_n_ends = reciprocal(per_document(n_ends, ranked))
        return self._discounts(ranked) * inverse_sum * inverse_n_ends
