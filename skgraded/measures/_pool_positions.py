"""Weights of the ranks that depend on the query's pool or list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._gains import gain_by_level
from skgraded.measures._positions import ByRank, Constant, JarvelinKekalainen, Log2, reciprocal
from skgraded.rankings import Judgments, RankedList, Unjudged

FloatArray = NDArray[np.float64]


def rank_of(ranked: RankedList) -> FloatArray:
    """Return the rank n = 1, 2, ... of every document within its list."""
    before = np.repeat(ranked.indptr[:-1], ranked.lengths)
    return np.arange(1.0, len(ranked.levels) + 1) - before


def largest_of(values: NDArray[Any], ranked: RankedList) -> FloatArray:
    """Return the largest value of every list; 0 for a list without documents."""
    largest, some = np.zeros(len(ranked.lengths)), ranked.lengths > 0
    if len(values):
        largest[some] = np.maximum.reduceat(values, ranked.indptr[:-1][some])
    return largest


def last_of(values: FloatArray, ranked: RankedList) -> FloatArray:
    """Return the last value of every list; 0 for a list without documents."""
    last: FloatArray = np.where(ranked.lengths > 0, np.append(0.0, values)[ranked.indptr[1:]], 0.0)
    return last


def sum_of(values: FloatArray, ranked: RankedList) -> FloatArray:
    """Return the sum over every list, added up from the first rank on."""
    return last_of(_core.cumulate(values, ranked.indptr), ranked)


def value_above(values: FloatArray, indptr: NDArray[np.int64]) -> FloatArray:
    """Return the value one rank above every rank; 0 for the first one of a list."""
    above = np.append(0.0, values)[:-1]
    above[indptr[:-1][indptr[1:] > indptr[:-1]]] = 0.0
    return above


def at_ranks(n: FloatArray, by_pool_rank: FloatArray, ranked: RankedList, pool: RankedList) -> Any:
    """Look up the value at rank n of the query's pool, or at its last rank if that is above n."""
    length = np.repeat(pool.lengths, ranked.lengths)
    place = np.repeat(pool.indptr[:-1], ranked.lengths) + np.minimum(n.astype(np.int64), length)
    return np.where(length > 0, np.append(0.0, by_pool_rank)[place], 0.0)


@dataclass(frozen=True)
class _IdealGain:
    """Base class of weights that depend on cg_I(n), the cumulated gain of the ideal ranking."""

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
    """``weights`` down to the end of the query's list, 0 below; this cuts longer ideal rankings."""

    unjudged: Unjudged
    weights: ByRank = Constant()  # noqa: RUF009 - immutable

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        length, n = judgments.list_lengths(self.unjudged), rank_of(ranked)
        weights = self.weights(ranked, judgments)[_places(ranked)]
        return np.where(n <= np.repeat(length, ranked.lengths), weights, 0.0)


@dataclass(frozen=True)
class UpToRecallBase:
    """1 at the ranks n <= c, 0 below them; c is a multiple of R, rounded by `at_multiple`."""

    rel: float
    multiple: float = 1.0

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        n_relevant = judgments.count_pool(judgments.grades >= self.rel)
        last = at_multiple(n_relevant, self.multiple)
        return (rank_of(ranked) <= np.repeat(last, ranked.lengths)).astype(np.float64)


def at_multiple(n_relevant: NDArray[np.int64], multiple: float) -> FloatArray:
    """Return a multiple of R, rounded up unless its fraction is below 0.1, as trec_eval does."""
    ranks: FloatArray = np.floor(multiple * n_relevant + 0.9)
    return ranks


@dataclass(frozen=True)
class AveragedDiscount:
    """d_n / k times the sum of 1 / DCG_I(i) over the cut-offs i = n..k.

    A document at rank n contributes to the discounted cumulated gain at every rank i >= n.
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
        """Sum 1 / DCG_I(i) over i = n..k for every rank n; DCG_I is constant beyond the pool."""
        n, last = rank_of(ranked), np.repeat(pool.lengths, ranked.lengths).astype(np.float64)
        within = np.where(_places(pool) < np.repeat(k, pool.lengths), inverse, 0.0)
        tail = _to_the_end(within, pool)
        n_beyond = np.maximum(np.repeat(k, ranked.lengths) - np.maximum(last, n - 1.0), 0.0)
        beyond = n_beyond * at_ranks(last, inverse, ranked, pool)
        sums: FloatArray = beyond + np.where(n <= last, at_ranks(n, tail, ranked, pool), 0.0)
        return sums


def _to_the_end(values: FloatArray, pool: RankedList) -> FloatArray:
    """Sum values from rank n to the end of the pool: the prefix sums of the reversed pool."""
    from_end = pool.indptr[-1] - pool.indptr[::-1]
    return _core.cumulate(np.ascontiguousarray(values[::-1]), from_end)[::-1]


def _places(ranked: RankedList) -> NDArray[np.int64]:
    """Return the rank of every document within its list, counted from 0."""
    return (rank_of(ranked) - 1.0).astype(np.int64)


@dataclass(frozen=True)
class DiscountAtGainEnds:
    """d_n / L times the sum of 1 / DCG_I(c) over the ranks c >= n where the ideal gain falls.

    L is the number of all such ranks, those above n included. The last one is the end of the list,
    if the list is longer than the ranks with ideal gain. At ranks c below the end of the list, its
    discounted cumulated gain is that of the whole list.
    """

    discount: Log2
    gain: str | Sequence[float]
    k: int | None
    unjudged: Unjudged

    ragged: ClassVar[bool] = True

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gains = gain_by_level(self.gain, judgments, "a measure of ideal gain")[pool.levels]
        d = self.discount.at(np.arange(1.0, max(pool.longest, ranked.longest) + 1))
        ideal = _core.cumulate(gains * d[_places(pool)], pool.indptr)
        last = np.zeros(len(gains), dtype=bool)
        last[pool.indptr[1:][pool.lengths > 0] - 1] = True
        ends = (gains > 0) & (last | (np.append(gains[1:], 0.0) != gains))
        inverse = reciprocal(ideal)
        n, pool_end = rank_of(ranked), np.repeat(pool.lengths, ranked.lengths).astype(np.float64)
        tail = _to_the_end(np.where(ends, inverse, 0.0), pool)
        length = judgments.list_lengths(self.unjudged)
        length = length if self.k is None else np.minimum(length, self.k)
        longer = length > _count(gains > 0, pool)
        points = np.repeat(_count(ends, pool) + longer, ranked.lengths)
        at_end = np.repeat(longer, ranked.lengths) * at_ranks(pool_end, inverse, ranked, pool)
        sums = np.where(n <= pool_end, at_ranks(n, tail, ranked, pool), 0.0) + at_end
        weights: FloatArray = d[_places(ranked)] * sums * reciprocal(points)
        return weights


def _count(marked: NDArray[np.bool_], pool: RankedList) -> NDArray[np.int64]:
    """Count the marked documents of every list."""
    before = np.concatenate(([0], np.cumsum(marked)))
    return np.diff(before[pool.indptr])
