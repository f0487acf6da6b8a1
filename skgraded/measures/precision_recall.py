"""Precision, recall and other measures of the set that the first k ranks retrieve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.measures._fields import choice, field, number
from skgraded.measures._gains import (
    N_UNJUDGED,
    _BinaryMeasure,
    _GainMeasure,
    _ScaleMeasure,
    _SetMeasure,
    codes_of_judging,
    count_in_list,
)
from skgraded.measures._measure import Measure
from skgraded.measures._positions import (
    CONSTANT,
    LOG_RANK,
    RANK,
    ByRank,
    Positions,
    UpToListEnd,
    UpToRecallBase,
    at_multiple,
    largest_of,
    per_document,
    rank_of,
    reciprocal,
    sum_to_rank,
    sums_from_zero,
    to_cutoff,
    up_to,
)
from skgraded.measures._prefix import LinearPart, PairFactors, PairPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, Ties

__all__ = [
    "FDR",
    "NPV",
    "Accuracy",
    "F",
    "Fallout",
    "GeneralizedP",
    "GeneralizedR",
    "IPrec",
    "InterpolatedAP",
    "Judged",
    "NormalizedPrecision",
    "NormalizedRecall",
    "P",
    "R",
    "RPrecision",
    "SetAP",
    "Specificity",
    "Utility",
]


def _counted_ranks(
    measure: Measure, judgments: Judgments
) -> tuple[Positions, IntArray]:
    """Return the weights of the ranks that precision counts, and how many they are."""
    if measure.k is not None:
        return CONSTANT, np.array(measure.k)
    rule = measure.unjudged
    return UpToListEnd(rule), judgments.list_lengths(rule)


class P(_BinaryMeasure, PrefixMeasure):
    r"""Precision at k.

    .. math:: P@k = \frac{1}{k} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n and t the threshold ``rel``. A list shorter than k is extended
    by non-relevant documents.

    Parameters
    ----------
    fill : bool, default=True
        If False, the divisor of a list shorter than k is its length.

    See Also
    --------
    R : Recall.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded.measures import P
    >>> P(k=3)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.6666666666666666
    """

    fill: bool = field(True, _params.flag)

    _changes_with_grades: ClassVar[int] = 1

    def linear_part(self, judgments: Judgments) -> LinearPart:
        positions, length = _counted_ranks(self, judgments)
        if not self.fill:
            positions = UpToListEnd(self.unjudged)
            length = np.minimum(judgments.list_lengths(self.unjudged), length)
        marks = self._marks(judgments)
        return LinearPart(positions, marks, reciprocal(length))


class R(_BinaryMeasure, PrefixMeasure):
    r"""Recall at k.

    .. math:: R@k = \frac{1}{RB(t)} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel`` and RB(t) the number of judged
    documents of grade t or above.

    See Also
    --------
    P : Precision.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded.measures import R
    >>> R(k=2)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.5
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        marks = self._marks(judgments)
        share = self._share(judgments)
        return LinearPart(CONSTANT, marks, share)


class F(_BinaryMeasure, PrefixMeasure):
    r"""F-measure: weighted harmonic mean of precision and recall at k.

    .. math::

        F = \frac{(\beta^2 + 1)\, P\, R}{\beta^2 P + R} = \frac{(\beta^2 + 1)\, tp}{\beta^2 RB + k}

    where P is precision and R recall at the cut-off k, tp the number of relevant documents among
    the first k of the list, RB the number of judged relevant documents of the query, and beta the
    weight of recall relative to precision. A list shorter than k is extended by non-relevant
    documents.

    Parameters
    ----------
    beta : float, default=1
        Weight of recall relative to precision, >= 0. The value 0 gives precision.

    See Also
    --------
    P : Precision.
    R : Recall.

    References
    ----------
    .. [1] C. J. van Rijsbergen (1979), "Information Retrieval",
       Chapter 7.

    Examples
    --------
    >>> from skgraded.measures import F
    >>> F(k=2)([1, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])  # P = 1/2, R = 1/4
    0.3333333333333333
    """

    beta: float = number(1.0, at_least=0)

    def linear_part(self, judgments: Judgments) -> LinearPart:
        positions, length = _counted_ranks(self, judgments)
        weight = self.beta**2
        divisor = weight * self._n_relevant(judgments) + length

        scale = (weight + 1.0) * reciprocal(divisor)
        marks = self._marks(judgments)
        return LinearPart(positions, marks, scale)


class RPrecision(_BinaryMeasure, PrefixMeasure):
    r"""R-precision: precision at the rank that equals the number of relevant documents.

    .. math:: r = \frac{1}{c} \sum_{n=1}^{c} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel``, R the number of judged documents
    of grade t or above, and the rank c is R, or ``multiple`` times R: rounded up, except that a
    fraction below 0.1 is dropped.

    Parameters
    ----------
    multiple : float, default=1
        Factor of R, > 0. trec_eval's Rprec_mult has 0.2, 0.4 and so on up to 2.

    See Also
    --------
    P : Precision with the same cut-off for all queries.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 6.
    .. [2] trec_eval, measure ``Rprec_mult``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import RPrecision
    >>> RPrecision()([1, 0, 1, 1], [4, 3, 2, 1])  # 2 of the first 3
    0.6666666666666666
    >>> RPrecision(multiple=0.5)([1, 0, 1, 1], [4, 3, 2, 1])  # 1 of the first 2, 1.5 rounded up
    0.5
    """

    multiple: float = number(1.0, above=0)

    def linear_part(self, judgments: Judgments) -> LinearPart:
        marks = self._marks(judgments)
        n_relevant = self._n_relevant(judgments)
        c = at_multiple(n_relevant, self.multiple)

        positions = UpToRecallBase(self.rel, self.multiple)
        return LinearPart(positions, marks, reciprocal(c))


class Fallout(_SetMeasure):
    r"""Fallout, the false positive rate: share of the non-relevant documents that are retrieved.

    .. math:: FPR = \frac{fp}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn the number
    of the other non-relevant documents. The value is 0 if all documents are relevant. Lower values
    are better.

    Parameters
    ----------
    empty : float, default=1.0
        Value of a query without a relevant document, which is the worst value by default; nan
        leaves it out of the mean.

    See Also
    --------
    Specificity : 1 - fallout.
    R : Share of the relevant documents that are retrieved.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import Fallout
    >>> Fallout(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 1 of 4
    0.25
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False

    def linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_nonrelevant(judgments))
        constant = self._n_retrieved(judgments) * share
        return self._true_positives(judgments, -share, constant)


class Specificity(_SetMeasure):
    r"""Specificity, the true negative rate: share of the non-relevant documents not retrieved.

    .. math:: TNR = \frac{tn}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn the number
    of the other non-relevant documents. The value is 1 if all documents are relevant.

    See Also
    --------
    Fallout : 1 - specificity.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import Specificity
    >>> Specificity(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_nonrelevant(judgments))
        constant = 1.0 - self._n_retrieved(judgments) * share
        constant = np.where(share > 0, constant, 1.0)
        return self._true_positives(judgments, share, constant)


class NPV(_SetMeasure):
    r"""Negative predictive value: share of the unretrieved documents that are not relevant.

    .. math:: NPV = \frac{tn}{tn + fn}

    where tn and fn are the numbers of non-relevant and relevant documents other than the first k
    of the list. The value is 1 if there are no other documents.

    See Also
    --------
    P : Share of the retrieved documents that are relevant.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import NPV
    >>> NPV(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        n_retrieved = self._n_retrieved(judgments)
        n_relevant = self._n_relevant(judgments)
        share = reciprocal(self._n_all(judgments) - n_retrieved)
        constant = 1.0 - n_relevant * share
        return self._true_positives(judgments, share, constant)


class FDR(_SetMeasure):
    r"""False discovery rate: share of the retrieved documents that are not relevant.

    .. math:: FDR = \frac{fp}{tp + fp} = 1 - P

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of
    the list. A list shorter than k is extended by non-relevant documents, as for `P`. Lower values
    are better.

    Parameters
    ----------
    empty : float, default=1.0
        Value of a query without a relevant document, which is the worst value by default; nan
        leaves it out of the mean.

    See Also
    --------
    P : 1 - false discovery rate.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995), "Controlling the False Discovery Rate",
       JRSS B 57(1).

    Examples
    --------
    >>> from skgraded.measures import FDR
    >>> FDR(k=4)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    0.5
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False
    _changes_with_grades: ClassVar[int] = -1

    def linear_part(self, judgments: Judgments) -> LinearPart:
        _, length = _counted_ranks(self, judgments)
        return self._true_positives(judgments, -reciprocal(length), 1.0)


class Accuracy(_SetMeasure):
    r"""Accuracy: share of the documents that are relevant and retrieved, or are neither.

    .. math:: ACC = \frac{tp + tn}{tp + fp + tn + fn}

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of the
    list, and fn and tn those among the other documents. Since most documents are not relevant to a
    query, even an empty list has a high accuracy.

    See Also
    --------
    F : Mean of precision and recall, which ignores the true negatives.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.3.

    Examples
    --------
    >>> from skgraded.measures import Accuracy
    >>> Accuracy(k=2)([1, 0, 0, 1, 0], [5, 4, 3, 2, 1])  # 1 + 2 of 5
    0.6
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_all(judgments))
        # The constant subtracts a true positive twice, as retrieved and as relevant.
        wrong = self._n_retrieved(judgments) + self._n_relevant(judgments)
        constant = 1.0 - wrong * share
        return self._true_positives(judgments, 2.0 * share, constant)


class GeneralizedP(_ScaleMeasure, PrefixMeasure):
    r"""Generalized precision.

    .. math:: g_P@k = \frac{1}{k} \sum_{n=1}^{k} \frac{v(r_n)}{v(H)}

    where r_n is the grade (or fractional label) at rank n, v its gain and H the top grade of the
    scale. A list shorter than k is extended by non-relevant documents.

    See Also
    --------
    P : Precision for binary relevance.
    GeneralizedR : Share of the gain of the pool that is retrieved.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded.measures import GeneralizedP
    >>> GeneralizedP(max_grade=4, k=2)([3, 1, 2], [3, 2, 1])  # (3/4 + 1/4) / 2
    0.5
    """

    _changes_with_grades: ClassVar[int] = 1

    def linear_part(self, judgments: Judgments) -> LinearPart:
        positions, length = _counted_ranks(self, judgments)
        gains = self._relative_gains(judgments)
        return LinearPart(positions, gains, reciprocal(length))


class GeneralizedR(_GainMeasure, PrefixMeasure):
    r"""Generalized recall.

    .. math:: g_R@k = \frac{\sum_{n=1}^{k} v(r_n)}{\sum_{d \in P} v(r_d)}

    where r_n is the grade (or fractional label) at rank n, v its gain and P the pool of all judged
    documents.

    See Also
    --------
    R : Recall for binary relevance.
    SlidingRatio : Gain divided by the largest possible gain of k documents.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded.measures import GeneralizedR
    >>> GeneralizedR(k=2)([3, 1, 4], [3, 2, 1])  # (3 + 1) / 8
    0.5
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        gains = self._gains(judgments)
        share = self._share(judgments)
        return LinearPart(CONSTANT, gains, share)


class SetAP(_BinaryMeasure, PrefixMeasure):
    r"""Set average precision: the product of precision and recall.

    .. math:: SetAP = P \cdot R = \frac{tp^2}{k\, RB}

    where P is precision and R recall at the cut-off k, tp the number of relevant documents among
    the first k of the list and RB the number of judged relevant documents of the query. A list
    shorter than k is extended by non-relevant documents. It is `AP` if the precision at every
    retrieved relevant document were that of the whole list.

    See Also
    --------
    F : Harmonic mean of precision and recall.
    AP : Average precision of the ranked list.

    References
    ----------
    .. [1] trec_eval, measure ``set_map``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import SetAP
    >>> SetAP(k=2)([1, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])  # 1/2 * 1/4
    0.125
    """

    def _scale(self, judgments: Judgments) -> tuple[Positions, FloatArray]:
        positions, length = _counted_ranks(self, judgments)
        return positions, reciprocal(self._n_relevant(judgments) * length)

    def linear_part(self, judgments: Judgments) -> LinearPart:
        # The square of tp is twice the number of pairs m <= n, less tp.
        positions, scale = self._scale(judgments)
        return LinearPart(positions, self._marks(judgments), -scale)

    def pair_part(self, judgments: Judgments) -> PairPart:
        positions, scale = self._scale(judgments)
        marks = self._marks(judgments)
        K = PairFactors(2.0 * scale, u=marks, w=marks)
        return PairPart(positions, K)


def _check_weights(name: str, given: Any) -> tuple[float, ...]:
    weights = np.asarray(given, dtype=object)
    if weights.shape != (4,) or not all(map(_params.is_number, weights)):
        raise ValueError(
            f"{name} must hold four numbers, for documents that are relevant and retrieved, "
            "non-relevant and retrieved, relevant and not retrieved, and non-relevant and not "
            f"retrieved; got {given!r}."
        )
    if not np.isfinite(weights.astype(np.float64)).all():
        raise ValueError(f"{name} must hold finite numbers, got {given!r}.")
    return tuple(map(float, weights))


class Utility(_SetMeasure):
    r"""Utility: a weighted sum of the four numbers of retrieved and relevant documents.

    .. math:: U = w_1 tp + w_2 fp + w_3 fn + w_4 tn

    where tp and fp are the numbers of relevant and of non-relevant documents among the first k of
    the list, fn and tn those of the other relevant and non-relevant documents of the query, and
    w_1, ..., w_4 the weights. The documents of a query are those of its list and its pool.

    Parameters
    ----------
    weights : tuple of float, default=(1, -1, 0, 0)
        Weights of a document that is relevant and retrieved, non-relevant and retrieved, relevant
        and not retrieved, non-relevant and not retrieved.

    See Also
    --------
    Accuracy : Utility with the weights 1, 0, 0, 1, divided by the number of documents.

    References
    ----------
    .. [1] trec_eval, measure ``utility``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import Utility
    >>> Utility(weights=(2, -1, 0, 0))([1, 0, 1], [3, 2, 1])  # 2 - 1 + 2
    3.0
    """

    weights: Sequence[float] = field((1.0, -1.0, 0.0, 0.0), _check_weights)

    def linear_part(self, judgments: Judgments) -> LinearPart:
        w_1, w_2, w_3, w_4 = self.weights
        # The constant is the utility if no document that is retrieved were relevant.
        fp = self._n_retrieved(judgments)
        fn = self._n_relevant(judgments)
        tn = self._n_all(judgments) - fp - fn
        constant = w_2 * fp + w_3 * fn + w_4 * tn

        scale = w_1 - w_2 - w_3 + w_4
        return self._true_positives(judgments, scale, constant)


class Judged(Measure):
    r"""Share of judged documents among the first k.

    .. math:: Judged@k = \frac{1}{\min(k, N)} \sum_{n=1}^{k} j_n

    where N is the length of the list and j_n is 1 if the document at rank n is judged and 0
    otherwise. The grades have no influence. A document that was pooled but not sampled, which has
    grade -1 in qrels, is not judged. A small value means that measures of the same list rest on
    few judgments.

    Parameters
    ----------
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first. An
        unjudged document is worse than one of grade 0.
    unjudged : {"nonrelevant"}, default="nonrelevant"
        ``"condense"`` is an error, because it would remove the documents that are counted.
    empty : float, default=0.0
        Value of a query without a judged document; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking, which is 1.

    See Also
    --------
    P : Share of relevant documents among the first k.
    infAP : Estimate of average precision from incomplete judgments.

    References
    ----------
    .. [1] S. MacAvaney, C. Macdonald, I. Ounis (2022), "Streamlining Evaluation with ir-measures",
       ECIR, measure ``Judged``.

    Examples
    --------
    >>> from skgraded.measures import Judged
    >>> Judged(k=2)([1, float("nan"), 0], [3, 2, 1])
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "unjudged": "because it counts the documents that are not judged"
    }

    def relevant(self, judgments: Judgments) -> BoolArray:
        return np.ones(judgments.n_levels, dtype=bool)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        ranked = codes_of_judging(self, rankings)
        is_judged = ranked.levels >= N_UNJUDGED
        cutoff = self.k or _core.LAST_RANK

        worth_of_judging = np.array([0.0, 1.0])
        n_judged = _core.discounted_gain(
            level_by_rank=is_judged.astype(np.uint8),
            tied=ranked.tied,
            indptr=ranked.indptr,
            discount=np.ones(ranked.longest),
            ragged=False,
            gain=worth_of_judging,
            cutoff=cutoff,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
        )
        n_counted = np.minimum(ranked.lengths, cutoff)
        return n_judged * reciprocal(n_counted)


class _WholeRanking(_SetMeasure):
    """Base class: 1 - (weights of the relevant documents' ranks - minimum) / (maximum - minimum).

    The weight of a rank is the rank itself or its logarithm.

    Parameters
    ----------
    k : {None}, optional
        Any other value is an error, because all documents count.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "because all documents count",
        "normalize": "because its largest value is 1 already",
    }

    # The weights of the ranks, which increase with the rank.
    _lateness: ClassVar[ByRank]

    def _sum_to(self, n: IntArray) -> FloatArray:
        """Return the sum of the weights of the ranks 1..n."""
        weights = up_to(n.max(initial=0), self._lateness)
        sums = sums_from_zero(weights)
        return sums[n]

    def linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self.relevant(judgments)
        n_all = self._n_all(judgments)
        n_relevant = self._n_relevant(judgments)
        minimum = self._sum_to(n_relevant)
        sum_of_all = self._sum_to(n_all)
        maximum = sum_of_all - self._sum_to(n_all - n_relevant)

        share = reciprocal(maximum - minimum)

        # Relevant documents that are missing from the list take the last ranks.
        n_missing = n_relevant - count_in_list(judgments, relevant)
        sum_of_missing = sum_of_all - self._sum_to(n_all - n_missing)
        constant = 1.0 - (sum_of_missing - minimum) * share
        marks = relevant.astype(np.float64)
        return LinearPart(self._lateness, marks, -share, constant)


class NormalizedRecall(_WholeRanking):
    r"""Normalized recall.

    .. math:: z_r = 1 - \frac{\sum_{d} n_d - \sum_{i=1}^{R} i}{R\, (N - R)}

    where the first sum runs over the R relevant documents d of the query, n_d is the rank of d, and
    N is the number of documents in the list plus the judged documents that are missing from it.
    Missing documents rank below the list, and relevant ones among them take the last ranks. The
    value is 1 if all relevant documents come first or all documents are relevant, and 0 if the
    relevant documents come last.

    See Also
    --------
    NormalizedPrecision : Normalized sum of the logarithms of the ranks.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 7.

    Examples
    --------
    >>> from skgraded.measures import NormalizedRecall
    >>> round(NormalizedRecall()([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]), 4)  # 1 - (5 - 3) / (2 * 3)
    0.6667
    """

    _lateness: ClassVar[ByRank] = RANK


class NormalizedPrecision(_WholeRanking):
    r"""Normalized precision.

    .. math:: z_p = 1 - \frac{\sum_{d} \log n_d - \sum_{i=1}^{R} \log i}{\log {N \choose R}}

    where the first sum runs over the R relevant documents d of the query, n_d is the rank of d, and
    N is the number of documents in the list plus the judged documents that are missing from it.
    Missing documents rank below the list, and relevant ones among them take the last ranks. The
    value is 1 if all relevant documents come first or all documents are relevant, and 0 if the
    relevant documents come last.

    See Also
    --------
    NormalizedRecall : Normalized sum of the ranks.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 8.

    Examples
    --------
    >>> from skgraded.measures import NormalizedPrecision
    >>> round(NormalizedPrecision()([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]), 4)  # 1 - log 2 / log 10
    0.699
    """

    _lateness: ClassVar[ByRank] = LOG_RANK


_ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

# What is added to x R before its fraction is dropped.
_SUMMANDS = {"up": 0.9, "nearest": 0.5}


class _InterpolatedMeasure(_BinaryMeasure):
    """Base class of measures of interpolated precision at levels of recall.

    Parameters
    ----------
    rounding : {"up", "nearest"}, default="up"
        ``"up"`` rounds x R up, except that a fraction below 0.1 is dropped, as trec_eval does up to
        version 9. ``"nearest"`` rounds to the nearest integer and halves up, as version 10 does.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    """

    rounding: Literal["up", "nearest"] = choice("up", _SUMMANDS)
    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    def _mean_over(self, recalls: Sequence[float], rankings: Ranked) -> FloatArray:
        """Return the mean over levels of recall by query."""
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        marks = self._marks(judgments)[ranked.levels]
        count = sum_to_rank(marks, ranked)
        precision = to_cutoff(self.k, count / rank_of(ranked), ranked)

        n_relevant = self._n_relevant(judgments)
        summand = _SUMMANDS[self.rounding]
        total = np.zeros(judgments.n_queries)
        for x in recalls:
            c = np.floor(x * n_relevant + summand)
            reaches_recall = count >= per_document(c, ranked)
            precision_at_recall = np.where(reaches_recall, precision, 0.0)
            total += largest_of(precision_at_recall, ranked)
        return total / len(recalls)


def _check_recall(name: str, value: object) -> float:
    """Return a level of recall as a float from 0 to 1."""
    if not _params.is_number(value) or not 0.0 <= float(value) <= 1.0:  # type: ignore[arg-type]
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _check_recalls(name: str, given: Any) -> tuple[float, ...]:
    levels = np.asarray(given, dtype=object)
    if levels.ndim != 1 or not len(levels):
        raise ValueError(f"{name} must hold levels of recall, got {given!r}.")
    return tuple(_check_recall(name, level) for level in levels)


class IPrec(_InterpolatedMeasure):
    r"""Interpolated precision at a level of recall.

    .. math::

        IPrec(x) = \max \{\frac{count(n)}{n} : count(n) \ge c(x)\}

    where count(n) is the number of documents of grade t or above at ranks 1..n, t the threshold
    ``rel``, R the number of such documents in the pool, x the level of recall, and c(x) the number
    of relevant documents that it takes, which is x R rounded to an integer. The value is 0 if fewer
    than c(x) relevant documents are in the list.

    Parameters
    ----------
    recall : float, default=0
        Level of recall x, from 0 to 1.

    See Also
    --------
    InterpolatedAP : Mean over several levels of recall.
    P : Precision at a rank.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.
    .. [2] trec_eval, measure ``iprec_at_recall``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import IPrec
    >>> IPrec(recall=0.5)([0, 1, 1, 0, 0], [5, 4, 3, 2, 1])  # 1/2 at rank 2, 2/3 at rank 3
    0.6666666666666666
    """

    recall: float = field(0.0, _check_recall)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        return self._mean_over([self.recall], rankings)


class InterpolatedAP(_InterpolatedMeasure):
    r"""Interpolated average precision: the mean of interpolated precision over levels of recall.

    .. math::

        IAP = \frac{1}{L} \sum_{l=1}^{L} \max \{\frac{count(n)}{n} : count(n) \ge c(x_l)\}

    where x_1, ..., x_L are the levels of recall, count(n) is the number of documents of grade t or
    above at ranks 1..n, t the threshold ``rel``, R the number of such documents in the pool, and
    c(x) the number of relevant documents that recall x takes, which is x R rounded to an integer.
    A level that the list does not reach adds 0. The default levels 0, 0.1, ..., 1 give eleven-point
    average precision.

    Parameters
    ----------
    recalls : tuple of float, default=(0, 0.1, 0.2, ..., 1)
        Levels of recall x_l, from 0 to 1.

    See Also
    --------
    AP : Mean over all relevant documents, without interpolation.
    IPrec : Value at one level of recall.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.
    .. [2] trec_eval, measure ``11pt_avg``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import InterpolatedAP
    >>> InterpolatedAP(recalls=(0, 0.5, 1))([1, 0, 0, 1], [4, 3, 2, 1])  # (1 + 1 + 1/2) / 3
    0.8333333333333334
    """

    recalls: Sequence[float] = field(_ELEVEN, _check_recalls)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        return self._mean_over(self.recalls, rankings)
