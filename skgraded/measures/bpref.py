"""Measures of incomplete judgments: preferences between judged documents, and inferred AP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from skgraded import _core
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.measures._fields import number
from skgraded.measures._gains import (
    COUNTS_JUDGED,
    _BinaryMeasure,
    _GainMeasure,
    _ScaleMeasure,
    codes_of_judging,
    count_in_list,
)
from skgraded.measures._positions import (
    CONSTANT,
    FROM_SECOND,
    RECIPROCAL,
    RECIPROCAL_ABOVE,
    reciprocal,
)
from skgraded.measures._prefix import LinearPart, PairFactors, PairPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, Unjudged

__all__ = [
    "Bpref",
    "BprefN",
    "BprefR",
    "BprefRelative",
    "BprefTen",
    "OldBpref",
    "PairAccuracy",
    "RprefN",
    "RprefRelative",
    "RprefRelative2",
    "infAP",
]

_TEN = 10
_MOST_CELLS = 25_000_000  # of matrices of pairs, which then take 200 MB


class _BinaryPreference(_BinaryMeasure):
    """Base class of the bpref family.

    Parameters
    ----------
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    """

    unjudged: Unjudged = "condense"

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return judgments.count_pool(~self.relevant(judgments))

    def _penalties(self, judgments: Judgments, scale: FloatArray) -> PairFactors:
        """Return K[a, b] = -1 where a non-relevant a stands above a relevant b, times a scale."""
        relevant = self.relevant(judgments)
        above = (~relevant).astype(np.float64)
        below = -relevant.astype(np.float64)
        return PairFactors(scale, u=above, w=below)


class _ClippedPreference(_BinaryPreference):
    """Base class of bpref variants whose penalty counts a limited number of documents."""

    def _penalty(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        """Return the largest number of documents that are counted, and the divisor."""
        raise NotImplementedError

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        relevant = self.relevant(judgments)
        most, divisor = self._penalty(judgments)

        total = _core.preferences(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            relevant=relevant.astype(np.uint8),
            most=most.astype(np.float64),
            divisor=divisor.astype(np.float64),
            cutoff=self.k or _core.LAST_RANK,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
        )
        return total * self._share(judgments)


class Bpref(_ClippedPreference):
    r"""Binary preference, as in trec_eval.

    .. math::

        bpref = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                \left(1 - \frac{\min(R, n - count(n))}{\min(R, N)}\right)

    where r_n is the grade at rank n of the condensed list, which holds only judged documents, t is
    the threshold ``rel``, and R and N are the numbers of judged relevant and judged non-relevant
    documents of the query. count(n) is the number of relevant documents at ranks 1..n, so that
    n - count(n) judged non-relevant documents rank above a relevant document at rank n. If N is 0,
    there is no penalty.

    Parameters
    ----------
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.

    See Also
    --------
    BprefR : Equal to bpref if R <= N.
    BprefN : Equal to bpref if R >= N.
    AP : ``AP(unjudged="condense")`` is bpref with penalties relative to the rank.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 1 and 9.
    .. [2] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information",
       SIGIR.

    Examples
    --------
    >>> from skgraded import Bpref
    >>> nan = float("nan")
    >>> Bpref()([0, 1, nan, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # ((1 - 1/2) + (1 - 1/2)) / 2
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def _penalty(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        n_relevant = self._n_relevant(judgments)
        n_nonrelevant = self._n_nonrelevant(judgments)
        return n_relevant, np.minimum(n_relevant, n_nonrelevant)


class BprefR(_ClippedPreference):
    r"""Binary preference whose penalty is divided by the number of relevant documents.

    .. math::

        bpref\_R = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                   \left(1 - \frac{\min(R, n - count(n))}{R}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query.

    See Also
    --------
    Bpref : Equal to bpref_R if R <= N.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 10.

    Examples
    --------
    >>> from skgraded.measures import BprefR
    >>> BprefR()([0, 1, 1, 1], [4, 3, 2, 1])  # 1 - 1/3 for all three relevant documents
    0.6666666666666666
    """

    def _penalty(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        n_relevant = self._n_relevant(judgments)
        return n_relevant, n_relevant


class OldBpref(_ClippedPreference):
    r"""Binary preference as early versions of trec_eval computed it.

    .. math::

        \frac{1}{R} \sum_{n} 1[r_n \ge t]
        \left(1 - \frac{\min(R, n - count(n))}{\min(R, N_{ret})}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, N_ret their number in the whole list,
    and R the number of judged relevant documents of the query. This definition is a known error in
    trec_eval, which values in older papers contain: the penalty is larger in lists that retrieve
    fewer non-relevant documents.

    Parameters
    ----------
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.

    See Also
    --------
    Bpref : Corrected definition, with N of the pool instead of N_ret.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Section 4.1, below Eq. 9.

    Examples
    --------
    >>> from skgraded import Bpref
    >>> from skgraded.measures import OldBpref
    >>> y_true, y_score = [0, 1, 1, 0, 0], [5, 4, 3, 2, 1]
    >>> OldBpref()(y_true, y_score) == Bpref()(y_true, y_score)  # N_ret = N
    True
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def _penalty(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        n_relevant = self._n_relevant(judgments)
        n_retrieved = count_in_list(judgments, ~self.relevant(judgments))
        return n_relevant, np.minimum(n_relevant, n_retrieved)


class BprefTen(_ClippedPreference):
    r"""Binary preference whose penalty is divided by 10 + R: bpref-10.

    .. math::

        bpref\text{-}10 = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                          \left(1 - \frac{\min(10 + R, n - count(n))}{10 + R}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query. The summand 10 makes the measure less coarse for queries with few
    relevant documents.

    See Also
    --------
    BprefR : Penalty divided by R.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information",
       SIGIR.

    Examples
    --------
    >>> from skgraded.measures import BprefTen
    >>> round(BprefTen()([0, 1, 1], [3, 2, 1]), 4)  # 1 - 1/12
    0.9167
    """

    def _penalty(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        scale = self._n_relevant(judgments) + _TEN
        return scale, scale


class BprefN(_BinaryPreference, PrefixMeasure):
    r"""Binary preference whose penalty is divided by the number of non-relevant documents.

    .. math::

        bpref\_N = \frac{1}{R} \sum_{n} 1[r_n \ge t] \left(1 - \frac{n - count(n)}{N}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R and N are the numbers of
    judged relevant and judged non-relevant documents of the query. It is also known as
    bpref_allnonrel.

    Parameters
    ----------
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.

    See Also
    --------
    RprefN : Extension to graded relevance.
    Bpref : Equal to bpref_N if R >= N.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 11.

    Examples
    --------
    >>> from skgraded.measures import BprefN
    >>> BprefN()([0, 1, 1, 0], [4, 3, 2, 1])  # 1 - 1/2
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def linear_part(self, judgments: Judgments) -> LinearPart:
        marks = self._marks(judgments)
        share = self._share(judgments)
        return LinearPart(CONSTANT, marks, share)

    def pair_part(self, judgments: Judgments) -> PairPart:
        n_nonrelevant = self._n_nonrelevant(judgments)
        scale = self._share(judgments) * reciprocal(n_nonrelevant)
        K = self._penalties(judgments, scale)
        return PairPart(CONSTANT, K)


class BprefRelative(_BinaryPreference, PrefixMeasure):
    r"""Binary preference with a penalty relative to the rank.

    .. math::

        bpref\_relative = \frac{1}{R} \sum_{n > 1} 1[r_n \ge t]
                          \left(1 - \frac{n - count(n)}{n - 1}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query. A relevant document at rank 1 adds nothing, so that an ideal ranking
    scores (R - 1) / R. The divisor n instead of n - 1 avoids that and gives
    ``AP(unjudged="condense")``.

    Parameters
    ----------
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. A query with only one document
        of grade t, whose ideal ranking has the value 0, keeps the value 0.

    See Also
    --------
    RprefRelative : Extension to graded relevance.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 18.

    Examples
    --------
    >>> from skgraded.measures import BprefRelative
    >>> BprefRelative()([1, 0, 1, 0], [4, 3, 2, 1])  # (0 + 1/2) / 2
    0.25
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        marks = self._marks(judgments)
        share = self._share(judgments)
        return LinearPart(FROM_SECOND, marks, share)

    def pair_part(self, judgments: Judgments) -> PairPart:
        K = self._penalties(judgments, self._share(judgments))
        return PairPart(RECIPROCAL_ABOVE, K)


def _graded_penalties(gains: FloatArray, scale: FloatArray) -> PairFactors:
    """Return K[a, b] = -max(0, gain(b) - gain(a)): what it costs that a stands above b."""
    ones = np.ones(len(gains))
    return PairFactors(scale, f=gains, u=ones, w=-gains)


class RprefN(_ScaleMeasure, PrefixMeasure):
    r"""Graded preference whose penalty is divided by the non-relevance of the whole pool.

    .. math::

        rpref\_N = \frac{1}{cg_I(R)} \sum_{n:\, x_n > 0} x_n
                   \left(1 - \frac{1}{N'} \sum_{m < n,\, x_m < x_n} \frac{x_n - x_m}{x_n}\right),
        \qquad N' = R + N - \frac{cg_I(R)}{v(H)}

    where x_n = v(r_n) is the gain at rank n of the condensed list, which holds only judged
    documents, cg_I(R) the sum of the gains of the pool, R + N the number of judged documents of the
    query, and v(H) the gain of the top grade of the scale, which the query need not contain. N' is
    the sum of 1 - v(r) / v(H) over the pool.

    Parameters
    ----------
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.

    See Also
    --------
    BprefN : Equivalent for binary relevance.
    RprefRelative2 : Variant with a penalty relative to the rank, which discriminates better.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 2 to 5 and 16.
    .. [2] J. De Beer, M.-F. Moens (2006), "Rpref: A Generalization of Bpref towards Graded
       Relevance Judgments", SIGIR.

    Examples
    --------
    >>> from skgraded.measures import RprefN
    >>> round(RprefN(max_grade=2)([1, 2, 0], [3, 2, 1]), 4)  # (1 + 2 (1 - (1/2) / 1.5)) / 3
    0.7778
    """

    unjudged: Unjudged = "condense"
    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def linear_part(self, judgments: Judgments) -> LinearPart:
        gains = self._gains(judgments)
        share = self._share(judgments)
        return LinearPart(CONSTANT, gains, share)

    def pair_part(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        nonrelevance = 1.0 - self._relative_gains(judgments)

        n_nonrelevant = judgments.sum_over_pool(nonrelevance)  # N'
        scale = reciprocal(n_nonrelevant) * self._share(judgments)
        K = _graded_penalties(gains, scale)
        return PairPart(CONSTANT, K)


class _RelativeGradedPreference(_GainMeasure, PrefixMeasure):
    """Base class of graded preferences with a penalty relative to the rank.

    Parameters
    ----------
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    """

    unjudged: Unjudged = "condense"


class RprefRelative(_RelativeGradedPreference):
    r"""Graded preference with a penalty relative to the rank.

    .. math::

        rpref\_relative = \frac{1}{cg_I(R)} \sum_{n > 1,\, x_n > 0} x_n
            \left(1 - \frac{1}{n - 1} \sum_{m < n,\, x_m < x_n} \frac{x_n - x_m}{x_n}\right)

    where x_n is the gain at rank n of the condensed list and cg_I(R) the sum of the gains of the
    pool. A document at rank 1 adds nothing; `RprefRelative2` avoids that.

    Parameters
    ----------
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. A query with only one document
        of positive gain, whose ideal ranking has the value 0, keeps the value 0.

    See Also
    --------
    BprefRelative : Equivalent for binary relevance.
    RprefRelative2 : Variant that divides by n instead of n - 1.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 17.

    Examples
    --------
    >>> from skgraded.measures import RprefRelative
    >>> round(RprefRelative()([1, 2, 0], [3, 2, 1]), 4)  # 2 (1 - 1/2) / 3
    0.3333
    """

    def linear_part(self, judgments: Judgments) -> LinearPart:
        gains = self._gains(judgments)
        share = self._share(judgments)
        return LinearPart(FROM_SECOND, gains, share)

    def pair_part(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        share = self._share(judgments)
        K = _graded_penalties(gains, share)
        return PairPart(RECIPROCAL_ABOVE, K)


class RprefRelative2(_RelativeGradedPreference):
    r"""Graded preference with a penalty relative to the rank, including rank 1.

    .. math::

        rpref\_relative2 = \frac{1}{cg_I(R)} \sum_{n:\, x_n > 0} x_n
            \left(1 - \frac{1}{n} \sum_{m < n,\, x_m < x_n} \frac{x_n - x_m}{x_n}\right)
            = \frac{1}{cg_I(R)} \sum_{n} \frac{1}{n} \sum_{m \le n} \min(x_m, x_n)

    where x_n is the gain at rank n of the condensed list and cg_I(R) the sum of the gains of the
    pool. The second form is `GAP` on the condensed list, with g_k proportional to the difference
    between the gains of the grades k and k - 1. An ideal ranking scores 1.

    See Also
    --------
    GAP : Equal on condensed lists, with g derived from the gains.
    AP : ``AP(unjudged="condense")`` is equal for binary grades.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 19.

    Examples
    --------
    >>> from skgraded import GAP
    >>> from skgraded.measures import RprefRelative2
    >>> round(RprefRelative2()([1, 2, 0], [3, 2, 1]), 4)  # (1 + 2 (1 - 1/4)) / 3
    0.8333
    >>> round(GAP(g=(.5, .5))([1, 2, 0], [3, 2, 1]), 4)
    0.8333
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        share = self._share(judgments)
        K = PairFactors(share, f=gains)
        return PairPart(RECIPROCAL, K)


class PairAccuracy(PrefixMeasure):
    r"""Share of the pairs of judged documents that stand in the order of their grades.

    .. math::

        \frac{1}{T} \sum_{n} \sum_{m < n} 1[r_m > r_n]

    where r_n is the grade at rank n of the condensed list, and T the number of pairs of documents
    of the pool whose grades differ. A pair of which the list lacks a document is not in order. An
    ideal ranking scores 1, and one by chance 1/2. A query whose documents all have one grade above
    0 scores 1, since no pair is wrong.

    Parameters
    ----------
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list.
    k : {None}, optional
        Any other value is an error, because all pairs count.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.
    empty : float, default=0.0
        Value of a query without a document of a grade above 0; nan leaves it out of the mean.

    See Also
    --------
    NormalizedRecall : Equal for binary grades, where the list holds the whole pool.
    BprefN : Relevant documents alone, and those that are not above them.

    Notes
    -----
    Whether a pair is in order has no factors, so that training takes integer grades alone, and the
    number of queries times the square of the number of grades must be at most 25 million.

    References
    ----------
    .. [1] T. Joachims (2002), "Optimizing Search Engines using Clickthrough Data",
       KDD, Section 3: the pairs that Kendall's tau counts.

    Examples
    --------
    >>> from skgraded.measures import PairAccuracy
    >>> PairAccuracy()([2, 0, 1], [3, 2, 1])  # 2 of 3 pairs
    0.6666666666666666
    """

    unjudged: Unjudged = "condense"
    shares_levels = True

    _refuses: ClassVar[Mapping[str, str]] = {
        "unjudged": "because it counts pairs of judged documents",
        "k": "because all pairs count",
        "normalize": "because its largest value is 1 already",
    }

    def relevant(self, judgments: Judgments) -> BoolArray:
        return np.asarray(judgments.grades > 0)

    def _n_pairs(self, judgments: Judgments) -> IntArray:
        """Return the number of pairs of different grades by query."""
        counts = judgments.counts
        n_documents = counts.sum(axis=1)
        return (n_documents**2 - (counts**2).sum(axis=1)) // 2

    def linear_part(self, judgments: Judgments) -> LinearPart:
        has_no_pair = (self._n_pairs(judgments) == 0).astype(np.float64)
        return LinearPart(CONSTANT, np.zeros(judgments.n_levels), constant=has_no_pair)

    def pair_part(self, judgments: Judgments) -> PairPart:
        n_levels = judgments.n_levels
        if judgments.n_queries * n_levels**2 > _MOST_CELLS:
            raise ValueError(
                f"y_true must hold fewer different grades for {self}, which counts pairs of grades "
                f"in each query, got {n_levels:,} grades in {judgments.n_queries:,} queries."
            )
        level = np.arange(n_levels)
        is_in_order = level[:, None] > level
        share = reciprocal(self._n_pairs(judgments))
        return PairPart(CONSTANT, share[:, None, None] * is_in_order)


class infAP(_BinaryMeasure):  # noqa: N801 - the name that its authors gave it
    r"""Inferred average precision: an estimate from a random sample of the pool.

    .. math::

        infAP = \frac{1}{R} \sum_{n} 1[r_n \ge t] \left( \frac{1}{n} + \frac{n-1}{n} \cdot
                \frac{|d|}{n-1} \cdot \frac{|rel| + \epsilon}{|rel| + |nonrel| + 2 \epsilon} \right)

    where r_n is the grade at rank n, t the threshold ``rel`` and R the number of sampled documents
    of grade t or above. Above rank n, ``|d|`` is the number of documents in the pool, and ``|rel|``
    and ``|nonrel|`` are the numbers of sampled documents that are relevant and not relevant.
    Sampled documents are judged. The measure assumes that the unsampled documents of the pool
    contain the same share of relevant documents as the sampled ones, and that documents outside the
    pool are not relevant. At rank 1 the term is 1. With complete judgments the value is that of
    `AP`, except for the effect of epsilon.

    In arrays, NaN marks a document outside the pool. In qrels, the grade -1 marks an unsampled
    document of the pool, and documents that the qrels do not list are outside the pool.

    Parameters
    ----------
    epsilon : float, default=1e-5
        Smoothing of the estimated precision, > 0.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        ``"nonrelevant"`` infers as above; ``"condense"`` removes both kinds of unjudged documents
        from the list, so that nothing is inferred.

    See Also
    --------
    AP : Average precision that treats unjudged documents as not relevant, or removes them.
    Bpref : Preference that considers only judged documents.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam (2006), "Inferred AP: Estimating Average Precision with
       Incomplete Judgments".

    Examples
    --------
    >>> from skgraded import infAP
    >>> round(infAP()([0, 1, float("nan"), 1], [4, 3, 2, 1]), 4)  # (1/2 + 1/4 + 2/4 * 1/2) / 2
    0.5
    """

    epsilon: float = number(1e-5, above=0)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = codes_of_judging(self, rankings)
        # The two codes of unjudged documents come first.
        relevant = np.append([False, False], self.relevant(judgments))

        total = _core.inferred_precisions(
            code_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            relevant=relevant.astype(np.uint8),
            epsilon=self.epsilon,
            cutoff=self.k or _core.LAST_RANK,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
        )
        return total * self._share(judgments)
