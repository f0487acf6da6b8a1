"""Weights of the ranks: discounts d_n and position weights p_n of the prefix form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.sealed import sealed
from skgraded.rankings import Judgments, RankedList, Unjudged


class Positions(Protocol):
    """A hashable object that computes the weights d_n or p_n of the ranks.

    Weights that all queries share are a `ByRank`; any other object computes one for each document.
    """

    def __call__(self, ranked: RankedList, judgments: Judgments) -> NDArray[np.float64]:
        """Compute the weights of the ranks 1, 2, ... of the longest list, or of all documents.

        Parameters
        ----------
        ranked : RankedList
            The lists.
        judgments : Judgments
            The labels and pools of the lists.

        Returns
        -------
        ndarray of shape (longest list,) or (n_documents,)
            The weights: one per rank from a `ByRank`, else one per document.
        """
        ...

    def __hash__(self) -> int: ...


def reciprocal(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 / x, and 0 where x is 0."""
    values = np.ascontiguousarray(counts, dtype=np.float64)
    return _core.reciprocals(values=values)


class ByRank(NamedTuple):
    """Weights that depend only on the rank n = 1, 2, ...

    Equal weights, which have the same function and arguments, are computed once.

    Attributes
    ----------
    function : callable
        ``function(n, *arguments)`` returns the weights of an array of ranks, which are floats.
    arguments : tuple, default=()
        What the function takes beside the ranks, such as numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.measures import ByRank
    >>> def halving(n, base):
    ...     return base ** (1 - n)
    >>> ByRank(halving, (2.0,)).at(np.array([1.0, 2.0, 3.0]))
    array([1.  , 0.5 , 0.25])
    """

    function: Callable[..., FloatArray]
    arguments: tuple[Any, ...] = ()

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        """Return the weights of the ranks 1, 2, ... of the longest list.

        Parameters
        ----------
        ranked : RankedList
            The lists.
        judgments : Judgments
            The labels and pools of the lists, which are not read.

        Returns
        -------
        ndarray of shape (longest list,)
            The weights.
        """
        return up_to(ranked.longest, self)

    def at(self, n: FloatArray) -> FloatArray:
        """Return the weights of ranks.

        Parameters
        ----------
        n : ndarray of shape (n_ranks,)
            The ranks 1, 2, ..., as floats.

        Returns
        -------
        ndarray of shape (n_ranks,)
            The weights.
        """
        return self.function(n, *self.arguments)


def _weights(positions: ByRank, longest: int) -> FloatArray:
    return sealed(positions.at(np.arange(1.0, longest + 1)))


def up_to(longest: int, positions: ByRank) -> FloatArray:
    """Return the weights of the ranks 1, 2, ... of a list of this length."""
    if longest > LONGEST_KEPT:
        return _weights(positions, longest)
    return _cached_weights(positions, longest)


LONGEST_KEPT = 10_000  # ranks, whose weights take 80 KB

_cached_weights = lru_cache(maxsize=128)(_weights)


def _log2_discount(n: FloatArray) -> Any:
    return 1.0 / np.log2(n + 1.0)


def jarvelin_kekalainen(n: FloatArray, base: float) -> Any:
    """Return 1 at ranks n < a, 1 / log_a(n) from rank a on; a is the base."""
    return 1.0 / np.maximum(1.0, np.log(n) / np.log(base))


def power(n: FloatArray, p: float) -> Any:
    """Return p ** n."""
    return np.power(p, n)


def _from_second(n: FloatArray) -> FloatArray:
    return (n > 1).astype(np.float64)


def _reciprocal_above(n: FloatArray) -> Any:
    weights = np.zeros_like(n)
    np.divide(1.0, n - 1.0, out=weights, where=n > 1)
    return weights


CONSTANT = ByRank(np.ones_like)
RANK = ByRank(np.positive)  # n
LOG_RANK = ByRank(np.log)  # log(n)
RECIPROCAL = ByRank(np.reciprocal)  # 1 / n
LOG2 = ByRank(_log2_discount)  # 1 / log2(n + 1)
FROM_SECOND = ByRank(_from_second)  # 1, and 0 at rank 1
RECIPROCAL_ABOVE = ByRank(_reciprocal_above)  # 1 / (n - 1), and 0 at rank 1


def per_document(by_list: NDArray[Any], ranked: RankedList) -> NDArray[Any]:
    """Return the value of its list for every document."""
    return np.repeat(by_list, ranked.lengths)


def rank_of(ranked: RankedList) -> FloatArray:
    """Return the rank n = 1, 2, ... of every document within its list."""
    n_before_list = per_document(ranked.indptr[:-1], ranked)
    number = np.arange(1.0, len(ranked.levels) + 1)
    return number - n_before_list


def to_cutoff(k: int | None, values: NDArray[Any], ranked: RankedList) -> Any:
    """Return values by rank, with 0 below rank k; None is the whole list."""
    if k is None:
        return values
    return np.where(rank_of(ranked) <= k, values, 0)


def places_of(ranked: RankedList) -> IntArray:
    """Return the rank of every document within its list, counted from 0."""
    return (rank_of(ranked) - 1.0).astype(np.int64)


def largest_of(values: NDArray[Any], ranked: RankedList) -> FloatArray:
    """Return the largest value of every list; 0 for a list without documents."""
    largest = np.zeros(len(ranked.lengths))
    if len(values):
        has_documents = ranked.lengths > 0
        first = ranked.indptr[:-1][has_documents]
        largest[has_documents] = np.maximum.reduceat(values, first)
    return largest


def last_of(values: FloatArray, ranked: RankedList) -> FloatArray:
    """Return the last value of every list; 0 for a list without documents."""
    zero_and_values = np.append(0.0, values)
    last_values = zero_and_values[ranked.indptr[1:]]
    return np.where(ranked.lengths > 0, last_values, 0.0)


def sum_to_rank(values: FloatArray, ranked: RankedList) -> FloatArray:
    """Return the sum over the ranks 1..n at the rank n of every document."""
    return _core.cumulate(values=values, indptr=ranked.indptr)


def sum_of(values: FloatArray, ranked: RankedList) -> FloatArray:
    """Return the sum over every list, added up from the first rank on."""
    sums = sum_to_rank(values, ranked)
    return last_of(sums, ranked)


def sums_from_zero(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the first 0, 1, ... values."""
    return np.append(0, np.cumsum(values))


def count_of(marked: BoolArray, indptr: IntArray) -> IntArray:
    """Count the marked documents of every list."""
    n_marked_before = sums_from_zero(marked)
    return np.diff(n_marked_before[indptr])


def value_above(values: FloatArray, indptr: IntArray) -> FloatArray:
    """Return the value one rank above every rank; 0 for the first one of a list."""
    above = np.append(0.0, values)[:-1]
    first = indptr[:-1]
    has_documents = indptr[1:] > first
    above[first[has_documents]] = 0.0
    return above


def at_ranks(
    n: FloatArray, by_pool_rank: FloatArray, ranked: RankedList, pool: RankedList
) -> Any:
    """Look up the value at rank n of the query's pool, or at its last rank if that is above n."""
    pool_length = per_document(pool.lengths, ranked)
    n_before_pool = per_document(pool.indptr[:-1], ranked)
    rank = n.astype(np.int64)

    place = n_before_pool + np.minimum(rank, pool_length)
    value_at_place = np.append(0.0, by_pool_rank)[place]
    return np.where(pool_length > 0, value_at_place, 0.0)


def to_the_end(values: FloatArray, pool: RankedList) -> FloatArray:
    """Sum values from rank n to the end of the pool: the prefix sums of the reversed pool."""
    reversed_values = np.ascontiguousarray(values[::-1])
    indptr = pool.indptr
    reversed_indptr = indptr[-1] - indptr[::-1]
    sums = _core.cumulate(values=reversed_values, indptr=reversed_indptr)
    return sums[::-1]


@dataclass(frozen=True)
class UpToListEnd:
    """``weights`` down to the end of the query's list, 0 below; this cuts longer ideal rankings."""

    unjudged: Unjudged
    weights: ByRank = CONSTANT

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        list_length = judgments.list_lengths(self.unjudged)
        is_within_list = rank_of(ranked) <= per_document(list_length, ranked)

        weights_by_rank = self.weights(ranked, judgments)
        weights = weights_by_rank[places_of(ranked)]
        return np.where(is_within_list, weights, 0.0)


@dataclass(frozen=True)
class UpToRecallBase:
    """1 at the ranks n <= c, 0 below them; c is a multiple of R, rounded by `at_multiple`."""

    rel: float
    multiple: float = 1.0

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        n_relevant = judgments.count_pool(judgments.grades >= self.rel)
        last_rank = at_multiple(n_relevant, self.multiple)
        is_counted = rank_of(ranked) <= per_document(last_rank, ranked)
        return is_counted.astype(np.float64)


def at_multiple(n_relevant: IntArray, multiple: float) -> FloatArray:
    """Return a multiple of R, rounded up unless its fraction is below 0.1, as trec_eval does."""
    return np.floor(multiple * n_relevant + 0.9)
