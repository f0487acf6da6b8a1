"""Weights of the ranks that also depend on the query's pool, through its ideal ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._gains import gain_by_level
from skgraded.measures._positions import JarvelinKekalainen, Log2, reciprocal
from skgraded.rankings import Judgments, RankedList, Unjudged

__all__ = [
    "AveragedDiscount",
    "BlendedIdealGain",
    "ReciprocalIdealGain",
    "UpToListEnd",
    "UpToRecallBase",
]

FloatArray = NDArray[np.float64]


def rank_of(ranked: RankedList) -> FloatArray:
    """Rank n = 1, 2, ... of every document within its list."""
    before = np.repeat(ranked.indptr[:-1], ranked.lengths)
    return np.arange(1.0, len(ranked.levels) + 1) - before


def at_ranks(n: FloatArray, by_pool_rank: FloatArray, ranked: RankedList, pool: RankedList) -> Any:
    """Read off, at rank n of every list, what stands at that rank of the pool, or at its last."""
    length = np.repeat(pool.lengths, ranked.lengths)
    place = np.repeat(pool.indptr[:-1], ranked.lengths) + np.minimum(n.astype(np.int64), length)
    return np.where(length > 0, np.append(0.0, by_pool_rank)[place], 0.0)


@dataclass(frozen=True)
class _IdealGain:
    """A weight that depends on cg_I(n), the cumulated gain of the ideal ranking at rank n."""

    gain: str | Sequence[float]

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gains = gain_by_level(self.gain, judgments, "a measure of ideal gain")[pool.levels]
        n = rank_of(ranked)
        return self.of(at_ranks(n, _core.cumulate(gains, pool.indptr), ranked, pool), n)

    def of(self, ideal_gain: FloatArray, n: FloatArray) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class ReciprocalIdealGain(_IdealGain):
    """1 / cg_I(n)."""

    def of(self, ideal_gain: FloatArray, n: FloatArray) -> FloatArray:
        return reciprocal(ideal_gain)


@dataclass(frozen=True)
class BlendedIdealGain(_IdealGain):
    """1 / (beta cg_I(n) + n)."""

    beta: float

    def of(self, ideal_gain: FloatArray, n: FloatArray) -> FloatArray:
        return 1.0 / (self.beta * ideal_gain + n)


@dataclass(frozen=True)
class UpToListEnd:
    """1 at the ranks that the query's list has, 0 below: the ideal ranking may be longer."""

    unjudged: Unjudged

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        length = judgments.list_lengths(self.unjudged)
        return (rank_of(ranked) <= np.repeat(length, ranked.lengths)).astype(np.float64)


@dataclass(frozen=True)
class UpToRecallBase:
    """1 at the ranks n <= R, 0 below."""

    rel: int

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        n_relevant = judgments.count_pool(judgments.grades >= self.rel)
        return (rank_of(ranked) <= np.repeat(n_relevant, ranked.lengths)).astype(np.float64)


@dataclass(frozen=True)
class AveragedDiscount:
    """d_n times the mean of 1 / DCG_I(i) over the cut-offs i = 1..k, where those above n are 0.

    A document at rank n counts in the discounted cumulated gain of every rank i >= n.
    """

    discount: Log2 | JarvelinKekalainen
    gain: str | Sequence[float]
    k: int | None

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gains = gain_by_level(self.gain, judgments, "a measure of ideal gain")[pool.levels]
        d = self.discount.at(np.arange(1.0, max(pool.longest, ranked.longest) + 1))
        ideal = _core.cumulate(gains * d[_places(pool)], pool.indptr)
        k = ranked.lengths if self.k is None else np.full_like(ranked.lengths, self.k)
        sums = self._sum_to_cutoff(reciprocal(ideal), k, ranked, pool)
        return d[_places(ranked)] * sums * np.repeat(reciprocal(k), ranked.lengths)

    @staticmethod
    def _sum_to_cutoff(
        inverse: FloatArray, k: NDArray[np.int64], ranked: RankedList, pool: RankedList
    ) -> FloatArray:
        """Sum of 1 / DCG_I(i) over i = n..k for every rank n; beyond the pool DCG_I stays."""
        n, last = rank_of(ranked), np.repeat(pool.lengths, ranked.lengths).astype(np.float64)
        within = np.where(_places(pool) < np.repeat(k, pool.lengths), inverse, 0.0)
        # Prefix sums from the end of the pool upwards.
        from_end = pool.indptr[-1] - pool.indptr[::-1]
        tail = _core.cumulate(np.ascontiguousarray(within[::-1]), from_end)[::-1]
        n_beyond = np.maximum(np.repeat(k, ranked.lengths) - np.maximum(last, n - 1.0), 0.0)
        beyond = n_beyond * at_ranks(last, inverse, ranked, pool)
        sums: FloatArray = beyond + np.where(n <= last, at_ranks(n, tail, ranked, pool), 0.0)
        return sums


def _places(ranked: RankedList) -> NDArray[np.int64]:
    """Rank of every document within its list, counted from 0."""
    return (rank_of(ranked) - 1.0).astype(np.int64)
