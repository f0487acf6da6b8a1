"""Measures of trec_eval that compare the gain with that of the ideal ranking at several ranks."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._gains import _GainMeasure
from skgraded.measures._pool_positions import (
    DiscountAtGainEnds,
    at_ranks,
    last_of,
    rank_of,
    sum_of,
    value_above,
)
from skgraded.measures._positions import Log2, reciprocal
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, RankedList, Ties

__all__ = ["RNDCG", "BinG", "G", "NDCGRel"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class G(_GainMeasure):
    r"""G, the normalized gain of trec_eval.

    .. math::

        G = \frac{1}{\sum_{d \in P} v(r_d)}
            \sum_{n=1}^{N} \frac{v(r_n)}{\log_2(2 + C(n) - cg(n))},
        \qquad C(n) = \sum_{m=1}^{n} \max(1, v(y_m))

    where r_n is the grade at rank n of a list of N documents, v the gain, cg(n) the sum of the
    gains at ranks 1..n, y_n the grade at rank n of the ideal ranking and P the pool of all judged
    documents. Beyond the end of the pool the summand of C is 1. The discount of a document depends
    on the gain that the list has missed down to the document's rank, and not on the rank alone.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    BinG : G of binary relevance.
    nDCG : Gains with a discount by rank.

    References
    ----------
    .. [1] trec_eval, measure ``G``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import G
    >>> round(G()([1, 2], [2, 1]), 6)  # C = 2, 3 and cg = 1, 3: (1 / log2(3) + 2 / log2(2)) / 3
    0.876977
    """

    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        gain = self._gains(judgments)
        gains = gain[ranked.levels]
        missed = _difference_of_sums(self._ideal_gain(ranked, judgments), gains, ranked.indptr)
        counted = np.where(rank_of(ranked) <= _core.last_rank(self.k), gains, 0.0)
        total = sum_of(counted * (1.0 / np.log2(2.0 + missed)), ranked)
        return total * reciprocal(judgments.sum_over_pool(gain))

    def _ideal_gain(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        """Return the summand of C at every rank."""
        pool, n = judgments.pool, rank_of(ranked)
        in_pool = at_ranks(n, np.maximum(self._gains(judgments), 1.0)[pool.levels], ranked, pool)
        return np.where(n > np.repeat(pool.lengths, ranked.lengths), 1.0, in_pool)


def _difference_of_sums(plus: FloatArray, minus: FloatArray, indptr: IntArray) -> FloatArray:
    """Return sum_{m<=n} (plus_m - minus_m) at every rank n, or 0 if that is negative.

    The difference of large sums may be small, so that what rounding takes from every step is added
    up beside them.
    """
    steps, borders = np.column_stack([plus, -minus]).ravel(), 2 * indptr
    sums = _core.cumulate(steps, borders)
    before = value_above(sums, borders)
    rounded = sums - before
    lost = _core.cumulate((before - (sums - rounded)) + (steps - rounded), borders)
    return np.maximum(sums + lost, 0.0)[1::2]


class BinG(_BinaryMeasure):
    r"""Binary G: every relevant document is discounted by the non-relevant documents above it.

    .. math:: binG = \frac{1}{RB} \sum_{n=1}^{N} \frac{1[r_n \ge t]}{\log_2(2 + n - count(n))}

    where r_n is the grade at rank n of a list of N documents, t the threshold ``rel``, count(n) the
    number of documents of grade t or above at ranks 1..n, and RB their number in the pool. Above a
    relevant document at rank n stand n - count(n) non-relevant ones.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    G : Extension to gains.
    BprefN : Penalty that grows linearly with the number of non-relevant documents.

    References
    ----------
    .. [1] trec_eval, measure ``binG``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import BinG
    >>> BinG()([1, 0, 0, 1], [4, 3, 2, 1])  # (1 / log2(2) + 1 / log2(4)) / 2
    0.75
    """

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        relevant = self._relevant(judgments)
        total = _core.discounted_preferences(
            *ranked,
            relevant.astype(np.uint8),
            Log2().at(np.arange(1.0, ranked.longest + 2)),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )
        return total * reciprocal(judgments.count_pool(relevant))


class RNDCG(_GainMeasure, PrefixMeasure):
    r"""Mean nDCG over the ranks where the gain of the ideal ranking falls.

    .. math::

        Rndcg = \frac{1}{L} \sum_{l=1}^{L} \frac{DCG(c_l)}{DCG_I(c_l)},
        \qquad DCG(c) = \sum_{n=1}^{c} \frac{v(r_n)}{\log_2(n + 1)}

    where r_n is the grade at rank n, v the gain, and DCG_I that of the ideal ranking. c_1, c_2, ...
    are the numbers of documents in the pool whose gain is at least the largest gain in the pool, at
    least the second largest, and so on down to the smallest positive gain. If the list, or its
    first k ranks, holds more documents than the pool has documents of positive gain, its length
    is the last rank c_L. Ranks below the end of the list add nothing to DCG.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    AveragedNDCG : Mean over all ranks.
    NDCGRel : Mean over the ranks of the relevant documents.

    Notes
    -----
    trec_eval leaves out the end of a list that holds one document more than the pool has documents
    of positive gain. Here this length is like any other.

    References
    ----------
    .. [1] trec_eval, measure ``Rndcg``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import RNDCG
    >>> round(RNDCG()([1, 2], [2, 1]), 4)  # (nDCG@1 + nDCG@2) / 2 = (1/2 + 0.8597) / 2
    0.6799
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        positions = DiscountAtGainEnds(Log2(), self.gain, self.k, self.unjudged)
        return LinearPart(positions, self._gains(judgments), 1.0)


class NDCGRel(_GainMeasure):
    r"""Mean nDCG over the relevant documents.

    .. math::

        ndcg_{rel} = \frac{1}{R} \left(\sum_{n=1}^{N} 1[v(r_n) > 0] \frac{DCG(n)}{DCG_I(n)}
            + (R - count(N)) \frac{DCG(N)}{DCG_I(R)}\right),
        \qquad DCG(n) = \sum_{m=1}^{n} \frac{v(r_m)}{\log_2(m + 1)}

    where r_n is the grade at rank n of a list of N documents, v the gain, DCG_I that of the ideal
    ranking, R the number of documents of positive gain in the pool and count(N) the number of them
    in the list. A cut-off k cuts the list to its first k documents. A relevant document that is not
    retrieved counts with the value at the end of the list.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    nDCG : Value at one rank.
    RNDCG : Mean over the ranks where the gain of the ideal ranking falls.

    References
    ----------
    .. [1] trec_eval, measure ``ndcg_rel``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import NDCGRel
    >>> round(NDCGRel()([1, 2, 0], [3, 2, 1]), 4)  # (nDCG@1 + nDCG@2) / 2 = (1/2 + 0.8597) / 2
    0.6799
    """

    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, pool = rankings.judgments, rankings.judgments.pool
        ranked, gain = rankings.ranked(self.ties, self.unjudged), self._gains(judgments)
        ideal = gain[pool.levels] * Log2().at(rank_of(pool))
        inverse = reciprocal(_core.cumulate(ideal, pool.indptr))
        n, n_relevant = rank_of(ranked), judgments.count_pool(gain > 0)
        gains = np.where(n <= _core.last_rank(self.k), gain[ranked.levels], 0.0)
        discounts, relevant = Log2().at(n), np.where(gains > 0, 1.0, 0.0)
        dcg = _core.cumulate(gains * discounts, ranked.indptr)
        found = relevant * dcg * at_ranks(n, inverse, ranked, pool)
        # (R - count(N)) DCG(N), where count(N) DCG(N) is the sum of what count(n) DCG(n) grows by.
        count_before = _core.cumulate(relevant, ranked.indptr) - relevant
        dcg_before = value_above(dcg, ranked.indptr)
        growth = count_before * gains * discounts + relevant * dcg_before + gains * discounts
        missing = n_relevant * last_of(dcg, ranked) - sum_of(growth, ranked)
        total = sum_of(found, ranked) + missing * last_of(inverse, pool)
        return total * reciprocal(n_relevant)
