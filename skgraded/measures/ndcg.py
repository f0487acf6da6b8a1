"""What a list gives beside the ideal one: cumulated gain, half-life, overlap and distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, get_args

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.measures._fields import choice, field, number
from skgraded.measures._gains import _BinaryMeasure, _GainMeasure, _ScaleMeasure
from skgraded.measures._ideal_discounts import AveragedDiscount, DiscountAtGainEnds
from skgraded.measures._measure import Measure
from skgraded.measures._positions import (
    CONSTANT,
    LOG2,
    RECIPROCAL,
    ByRank,
    at_ranks,
    count_of,
    jarvelin_kekalainen,
    last_of,
    per_document,
    rank_of,
    reciprocal,
    sum_of,
    sum_to_rank,
    sums_from_zero,
    to_cutoff,
    up_to,
    value_above,
)
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, RankedList, Ties

__all__ = [
    "ADM",
    "CG",
    "DCG",
    "RNDCG",
    "AveragedNDCG",
    "BinG",
    "Compat",
    "G",
    "ModifiedSlidingRatio",
    "NDCGRel",
    "RankedHalfLife",
    "SlidingRatio",
    "nDCG",
]

Discount = Literal["log2", "jk"]


_BINARY = 2.0


class CG(_GainMeasure, PrefixMeasure):
    r"""Cumulated gain.

    .. math:: CG@k = \sum_{n=1}^{k} v(r_n)

    where r_n is the grade (or fractional label) at rank n and v its gain. Without a cut-off the
    value does not depend on the order of the documents.

    See Also
    --------
    DCG : Cumulated gain with a discount by rank.
    SlidingRatio : Cumulated gain divided by that of the ideal ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 29.

    Examples
    --------
    >>> from skgraded.measures import CG
    >>> CG()([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1))
    16.0
    """

    _changes_with_grades: ClassVar[int] = 1

    def linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(CONSTANT, self._gains(judgments))


class DCG(_GainMeasure, PrefixMeasure):
    r"""Discounted cumulated gain.

    .. math:: DCG@k = \sum_{n=1}^{k} d_n\, v(r_n)

    where r_n is the grade (or fractional label) at rank n, v the gain and d_n the discount. The
    discount ``"log2"`` is d_n = 1 / log2(n + 1). The discount ``"jk"``, by Järvelin and Kekäläinen,
    is 1 for n < a and 1 / log_a(n) from rank a on.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    discount : {"log2", "jk"}, default="log2"
        Discount of a rank.
    log_base : float, default=2
        Base a > 1 of the discount ``"jk"``.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.

    See Also
    --------
    nDCG : DCG divided by that of the ideal ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 22.

    Examples
    --------
    >>> from skgraded import DCG
    >>> round(DCG(discount="jk")([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1)), 2)
    9.61
    """

    discount: Discount = choice("log2", get_args(Discount))
    log_base: float = number(_BINARY, above=1)

    _changes_with_grades: ClassVar[int] = 1

    def _check(self) -> None:
        super()._check()
        if self.discount == "log2" and self.log_base != _BINARY:
            raise ValueError(
                f'log_base must be {_BINARY:g} unless discount="jk", got {self.log_base!r} with '
                'discount="log2".'
            )

    def _by_rank(self) -> ByRank:
        if self.discount == "log2":
            return LOG2
        return ByRank(jarvelin_kekalainen, (self.log_base,))

    def linear_part(self, judgments: Judgments) -> LinearPart:
        discount = self._by_rank()
        gains = self._gains(judgments)
        return LinearPart(discount, gains)


class nDCG(DCG):
    r"""Normalized discounted cumulated gain.

    .. math:: nDCG@k = \frac{\sum_{n=1}^{k} d_n\, v(r_n)}{\sum_{n=1}^{k} d_n\, v(y_n)}

    where r_n is the grade (or fractional label) at rank n, y_n that of the ideal ranking, v the
    gain and d_n the discount, as in `DCG`. The defaults give scikit-learn's ``ndcg_score``;
    ``gain="exp2"``, ``ties="row_order"`` and ``empty=1`` give LightGBM's ``ndcg``.

    See Also
    --------
    DCG : Numerator of nDCG.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 22.

    Examples
    --------
    >>> from skgraded import nDCG
    >>> round(nDCG(discount="jk")([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1)), 2)
    0.88
    """

    normalize: bool = True


class AveragedNDCG(DCG):
    r"""Average of nDCG over all cut-offs up to k.

    .. math:: v_D = \frac{1}{k} \sum_{i=1}^{k} \frac{DCG@i}{DCG_I@i}

    where DCG@i is the discounted cumulated gain at the cut-off i and DCG_I@i that of the ideal
    ranking. A list shorter than k is extended by non-relevant documents.

    Parameters
    ----------
    k : int, optional
        Highest cut-off of the average. None is the length of the list.

    See Also
    --------
    nDCG : Value at one cut-off.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 32.

    Examples
    --------
    >>> from skgraded.measures import AveragedNDCG
    >>> round(AveragedNDCG()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 3)
    0.61
    """

    discount: Discount = "jk"
    _changes_with_grades: ClassVar[int] = 0

    def linear_part(self, judgments: Judgments) -> LinearPart:
        discount = self._by_rank()
        positions = AveragedDiscount(discount, self.gain, self.k)
        return LinearPart(positions, self._gains(judgments))


class SlidingRatio(CG):
    r"""Sliding ratio.

    .. math:: v_S = \frac{\sum_{n=1}^{k} x_n}{\sum_{n=1}^{k} x^*_n}

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking. It is the
    normalized `CG` at the cut-off k and does not depend on the order of the first k documents.
    Without k the sum below goes over the whole pool, and not over as many documents as the list
    has, as in Kishida's Eq. 26: the two are equal where the list holds the pool, and a list that
    lacks judged documents loses what it lacks.

    See Also
    --------
    ModifiedSlidingRatio : Sliding ratio of gains that are divided by their ranks.

    References
    ----------
    .. [1] S. M. Pollack (1968), "Measures for the Comparison of Information Retrieval Systems",
       American Documentation 19(4).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 26.

    Examples
    --------
    >>> from skgraded.measures import SlidingRatio
    >>> SlidingRatio(k=3)([1, 2, 3, 0, 2], [5, 4, 3, 2, 1])  # 6 / (3 + 2 + 2)
    0.8571428571428571
    """

    normalize: bool = True


class ModifiedSlidingRatio(_GainMeasure, PrefixMeasure):
    r"""Modified sliding ratio.

    .. math::

        v_{S'} = \frac{\sum_{n=1}^{k} \frac{1}{n} x_n}{\sum_{n=1}^{k} \frac{1}{n} x^*_n}

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking. Without k the sum
    below goes over the whole pool, and not over as many documents as the list has, as in Kishida's
    Eq. 27.

    See Also
    --------
    SlidingRatio : Ratio without the division by ranks.
    nDCG : Ratio with a logarithmic discount, which is less steep.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 27.

    Examples
    --------
    >>> from skgraded.measures import ModifiedSlidingRatio
    >>> round(ModifiedSlidingRatio()([1, 2, 3, 0, 0, 2], [6, 5, 4, 3, 2, 1]), 3)
    0.678
    """

    normalize: bool = True
    _changes_with_grades: ClassVar[int] = 1

    def linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(RECIPROCAL, self._gains(judgments))


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
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.

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

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        gains = self._gains(judgments)[ranked.levels]

        # C(n) - cg(n), and the discount that comes of it.
        ideal_gains = self._ideal_gains(ranked, judgments)
        missed_gains = _difference_of_sums(ideal_gains, gains, ranked.indptr)
        discounts = 1.0 / np.log2(2.0 + missed_gains)

        gains = to_cutoff(self.k, gains, ranked)
        total = sum_of(gains * discounts, ranked)
        return total * self._share(judgments)

    def _ideal_gains(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        """Return the summand of C at every rank."""
        pool = judgments.pool
        summand_by_level = np.maximum(self._gains(judgments), 1.0)
        summands = summand_by_level[pool.levels]

        n = rank_of(ranked)
        gains_by_rank = at_ranks(n, summands, ranked, pool)
        is_beyond_pool = n > per_document(pool.lengths, ranked)
        return np.where(is_beyond_pool, 1.0, gains_by_rank)


def _difference_of_sums(
    plus: FloatArray, minus: FloatArray, indptr: IntArray
) -> FloatArray:
    """Return sum_{m<=n} (plus_m - minus_m) at every rank n, or 0 if that is negative.

    The difference of large sums may be small, so that what rounding takes from every step is added
    up beside them.
    """
    steps = np.column_stack([plus, -minus]).ravel()
    step_indptr = 2 * indptr
    sums = _core.cumulate(values=steps, indptr=step_indptr)

    # What the sum grew by differs from the step by what rounding took.
    sums_before = value_above(sums, step_indptr)
    growth = sums - sums_before
    loss_of_sum = sums_before - (sums - growth)
    loss_of_step = steps - growth
    losses = loss_of_sum + loss_of_step

    exact_sums = sums + _core.cumulate(values=losses, indptr=step_indptr)
    differences = exact_sums[1::2]
    return np.maximum(differences, 0.0)


class BinG(_BinaryMeasure):
    r"""Binary G: every relevant document is discounted by the non-relevant documents above it.

    .. math:: binG = \frac{1}{RB} \sum_{n=1}^{N} \frac{1[r_n \ge t]}{\log_2(2 + n - count(n))}

    where r_n is the grade at rank n of a list of N documents, t the threshold ``rel``, count(n) the
    number of documents of grade t or above at ranks 1..n, and RB their number in the pool. Above a
    relevant document at rank n stand n - count(n) non-relevant ones.

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

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)

        relevant = self.relevant(judgments)
        worth = up_to(ranked.longest + 1, LOG2)
        total = _core.discounted_preferences(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            relevant=relevant.astype(np.uint8),
            worth=worth,
            cutoff=self.k or _core.LAST_RANK,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
        )
        return total * self._share(judgments)


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

    def linear_part(self, judgments: Judgments) -> LinearPart:
        positions = DiscountAtGainEnds(LOG2, self.gain, self.k, self.unjudged)
        return LinearPart(positions, self._gains(judgments))


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
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.

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

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        pool = judgments.pool
        ranked = self._ranked(rankings)
        v = self._gains(judgments)

        # 1 / DCG_I(n)
        ideal_gains = v[pool.levels] * LOG2.at(rank_of(pool))
        ideal_dcg = sum_to_rank(ideal_gains, pool)
        inverse = reciprocal(ideal_dcg)

        # DCG(n)
        n = rank_of(ranked)
        gains = to_cutoff(self.k, v[ranked.levels], ranked)
        d = LOG2.at(n)
        dcg = sum_to_rank(gains * d, ranked)

        # The relevant documents of the list.
        marks = np.where(gains > 0, 1.0, 0.0)
        ndcg = marks * dcg * at_ranks(n, inverse, ranked, pool)

        # (R - count(N)) DCG(N), where count(N) DCG(N) is the sum of what count(n) DCG(n) grows by.
        count_above = sum_to_rank(marks, ranked) - marks
        dcg_above = value_above(dcg, ranked.indptr)
        growth = count_above * gains * d + marks * dcg_above + gains * d
        n_relevant = judgments.count_pool(v > 0)
        last_dcg = last_of(dcg, ranked)
        missing = n_relevant * last_dcg - sum_of(growth, ranked)

        total = sum_of(ndcg, ranked) + missing * last_of(inverse, pool)
        return total * reciprocal(n_relevant)


class RankedHalfLife(_GainMeasure):
    r"""Ranked half-life: the median rank of the gain in the list.

    .. math:: RHL = (m - 1) + \frac{cg(k) / 2 - cg(m - 1)}{v(r_m)}

    where r_n is the grade at rank n, v the gain, cg(n) the sum of the gains at ranks 1..n, k the
    cut-off or the length of the list, and m the first rank with cg(m) >= cg(k) / 2. This is the
    median of grouped data, in which the gain at rank m is spread over the interval from m - 1 to m.
    If all documents of the list have gain 0, the value is k + 1/2, as if rank k + 1 held all of the
    gain. Without k, the length of the list takes the place of k there, or the number of judged
    documents if that is larger. Lower values are better.

    There is no rule ``ties="expected"``. A mean over the orders of tied documents would have to go
    over all sets of them that hold less than half of the gain, of which 1,000 tied documents of
    five grades, equally frequent, have 815 million. With k, the whole gain depends on the order,
    too, if the cut-off falls among tied documents.

    Parameters
    ----------
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=nan
        Value of a query whose documents all have gain 0. The default leaves the query out of the
        mean, because no rank is the worst one.
    normalize : {False}, default=False
        True is an error, because the lowest value is the best.

    See Also
    --------
    CG : Sum of the gains.

    References
    ----------
    .. [1] P. Borlund, P. Ingwersen (1998), "Measures of Relative Relevance and Ranked Half-Life",
       SIGIR.
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.3.

    Examples
    --------
    >>> from skgraded.measures import RankedHalfLife
    >>> RankedHalfLife()([1, 0, 2, 1], [4, 3, 2, 1])  # m = 3: 2 + (4/2 - 1) / 2
    2.5
    """

    ties: Ties = "pessimistic"
    empty: float = float("nan")

    greater_is_better: ClassVar[bool] = False
    _averages_over_ties: ClassVar[bool] = False
    _refuses: ClassVar[Mapping[str, str]] = {
        "normalize": "because its lowest value is the best"
    }

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        gains = self._gains(judgments)[ranked.levels]
        gains = to_cutoff(self.k, gains, ranked)
        cg = sum_to_rank(gains, ranked)

        # Half of the whole gain of every list; 0 for a list without documents.
        half = last_of(cg, ranked) / 2.0
        has_gain = half > 0

        # m - 1, and the place of rank m among all documents.
        is_above_median = cg < per_document(half, ranked)
        n_above = count_of(is_above_median, ranked.indptr)
        place = ranked.indptr[:-1] + n_above
        place = np.where(has_gain, place, 0)

        is_below_first = has_gain & (n_above > 0)
        cg_above = np.append(0.0, cg)[place]
        cg_above = np.where(is_below_first, cg_above, 0.0)
        missing_gain = half - cg_above
        median_gain = np.append(gains, 0.0)[place]
        part_of_rank = np.full(len(half), 0.5)
        np.divide(missing_gain, median_gain, out=part_of_rank, where=has_gain)

        # The gain of a list that holds none is taken to begin below this rank.
        list_length = judgments.list_lengths(self.unjudged)
        pool_length = judgments.pool.lengths
        last_rank = self.k or np.maximum(list_length, pool_length)
        return np.where(has_gain, n_above, last_rank) + part_of_rank


class ADM(_ScaleMeasure):
    r"""Average distance measure: agreement of scores with grades.

    .. math:: ADM = 1 - \frac{1}{N} \sum_{d=1}^{N} \left| s_d - \frac{v(r_d)}{v(H)} \right|

    where N is the number of documents, s_d the score of document d, which must lie in [0, 1], r_d
    its grade, v the gain and H the top grade of the scale. The value depends on the scores
    themselves and not on the ranking, so that a monotone transformation of the scores changes it.

    Parameters
    ----------
    k : {None}, optional
        Any other value is an error, because scores are compared and not ranks.
    ties : {"expected"}, default="expected"
        Any other value is an error, because scores are compared and not ranks.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.

    See Also
    --------
    GeneralizedP : Mean relative gain at the first ranks.

    References
    ----------
    .. [1] V. Della Mea, S. Mizzaro (2004), "Measuring Retrieval Effectiveness: A New Proposal and
       a First Experimental Validation", JASIST 55(6).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 38.

    Examples
    --------
    >>> from skgraded.measures import ADM
    >>> ADM(max_grade=2)([2, 1, 0], [1.0, 0.75, 0.5])  # 1 - (0 + 1/4 + 1/2) / 3
    0.75
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "because it compares scores, not ranks",
        "ties": "because it compares scores, not ranks",
        "normalize": "because its largest value is 1 already",
    }

    def raw_values(self, rankings: Ranked) -> FloatArray:
        if rankings.scores is None:
            raise TypeError(
                f"{self} compares scores with grades, but these rankings have no scores: pass "
                "y_true and y_score instead."
            )
        self._require_in_unit_interval(rankings.scores, rankings.judgments.row_order)
        return 1.0 - self._mean_distance(rankings.judgments, rankings.scores)

    def _require_in_unit_interval(
        self, scores: FloatArray, row_order: IntArray | None
    ) -> None:
        outside = np.flatnonzero((scores < 0) | (scores > 1))
        if len(outside):
            rows = outside if row_order is None else row_order[outside]
            first = rows.argmin()
            raise ValueError(
                f"y_score must lie in [0, 1] for {self}, which compares scores with grades; got "
                f"{scores[outside[first]]:g} in row {rows[first]}."
            )

    def _mean_distance(self, judgments: Judgments, scores: FloatArray) -> FloatArray:
        is_judged = judgments.levels < judgments.n_levels
        levels = np.where(is_judged, judgments.levels, 0)
        relevance = self._relative_gains(judgments)[levels]
        distance = np.abs(scores - relevance)
        if self.unjudged == "condense":
            distance = np.where(is_judged, distance, 0.0)

        # Added up by size, so that no bit depends on the order of rows.
        n_queries = judgments.n_queries
        sizes = np.diff(judgments.indptr)
        query = np.repeat(np.arange(n_queries), sizes)
        by_query_and_size = np.lexsort((distance, query))
        sorted_distance = distance[by_query_and_size]
        total = np.bincount(query, weights=sorted_distance, minlength=n_queries)
        list_length = judgments.list_lengths(self.unjudged)
        return total / np.maximum(list_length, 1)


class Compat(Measure):
    r"""Compatibility: rank-biased overlap with the ideal ranking that is most like the list.

    .. math::

        Compat = \frac{\max_I RBO(L, I)}{RBO(I, I)},
        \qquad RBO(L, I) = \frac{\sum_{n=1}^{D} p^{n-1}\, |L_n \cap I_n| / n}
            {\sum_{n=1}^{D} p^{n-1}}

    where L is the list, I an ideal ranking, which holds the documents of a grade above 0 of the
    pool by falling grade, L_n and I_n are their first n documents, p is the persistence, and D the
    length of the list, or that of the ideal ranking if this is longer. The maximum is over all
    orders of documents of the same grade in the ideal ranking; it is reached where they stand in
    the order of the list. A document at rank r of the list and s of the ideal ranking counts from
    rank max(r, s) on. Only the order of the grades counts, and no gain.

    Parameters
    ----------
    p : float, default=0.95
        Persistence, strictly between 0 and 1.
    k : int, optional
        Cut-off: only the ranks n <= k count, so that D is at most k. None is the whole list.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of a grade above 0; nan leaves it out of the mean.
    normalize : bool, default=True
        Divide by RBO(I, I), as in the formula.

    See Also
    --------
    nDCG : Gain relative to that of the ideal ranking.
    RBP : Precision of a user with the same persistence.

    References
    ----------
    .. [1] C. L. A. Clarke, A. Vtyurina, M. D. Smucker (2021), "Assessing Top-k Preferences", ACM
       TOIS 39(3).
    .. [2] W. Webber, A. Moffat, J. Zobel (2010), "A Similarity Measure for Indefinite Ranked",
       ACM TOIS 28(4), for rank-biased overlap.

    Examples
    --------
    >>> from skgraded.measures import Compat
    >>> round(Compat(p=0.5)([1, 2], [2, 1]), 4)  # (1/2 * 2/2) / (1 * 1/1 + 1/2 * 2/2)
    0.3333
    """

    p: float = field(0.95, _params.fraction)
    ties: Ties = "pessimistic"
    normalize: bool = True

    _averages_over_ties: ClassVar[bool] = False

    def relevant(self, judgments: Judgments) -> BoolArray:
        return judgments.grades > 0

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        pool = judgments.pool

        # D, the longer length of the list and the ideal ranking, down to the cut-off.
        n_relevant = judgments.count_pool(self.relevant(judgments))
        list_length = judgments.list_lengths(self.unjudged)
        depth = np.maximum(list_length, n_relevant)
        if self.k is not None:
            depth = np.minimum(depth, self.k)

        n = np.arange(1.0, depth.max(initial=0) + 1)
        weights = np.power(self.p, n - 1.0)
        total = _core.overlaps(
            level_by_rank=ranked.levels,
            indptr=ranked.indptr,
            pool_by_rank=pool.levels,
            pool_indptr=pool.indptr,
            weight=weights / n,
            depth=depth,
            n_levels=judgments.n_levels,
            n_threads=rankings.n_threads,
        )
        sums_of_weights = sums_from_zero(weights)
        return total * reciprocal(sums_of_weights[depth])
