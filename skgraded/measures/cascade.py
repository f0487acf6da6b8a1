"""Readers who stop: at a document that satisfies them, or at a rank, with a probability.

The measures of the gain per document are rules of `CWL`: the probability of going on, and how many
ranks a user views below the end of the list, where the gain is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded._support.lazy import cached_property
from skgraded.measures._cwl import CWL, PrefixCWL
from skgraded.measures._fields import field, number
from skgraded.measures._gains import (
    Gain,
    _BinaryMeasure,
    _ScaleMeasure,
    check_gain,
    check_top_grade,
    gain_by_level,
    gain_of_top_grade,
    require_top,
)
from skgraded.measures._measure import Measure
from skgraded.measures._positions import (
    CONSTANT,
    LOG2,
    RECIPROCAL,
    ByRank,
    power,
    sums_from_zero,
    up_to,
)
from skgraded.rankings import Judgments, Ranked

__all__ = [
    "BPM",
    "ERR",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "RBP",
    "RR",
    "SDCG",
    "Success",
    "iRBU",
]


class _Cascade(Measure):
    """Base class of measures that are the expected worth of the rank at which a user stops."""

    _changes_with_grades: ClassVar[int] = 1

    def _worth(self) -> ByRank:
        """Return the worth of stopping at a rank."""
        return RECIPROCAL

    def _stop(self, judgments: Judgments) -> FloatArray:
        """Return the probability of stopping at a document, by level."""
        raise NotImplementedError

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = rankings.ranked_by_grade(self.ties, self.unjudged)
        worth_of_rank = self._worth()
        weight = worth_of_rank(ranked, judgments)

        return _core.cascade(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            weight=weight,
            stop=self._stop(judgments),
            cutoff=self.k or _core.LAST_RANK,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
        )


class ERR(_Cascade, _ScaleMeasure):
    r"""Expected reciprocal rank.

    .. math::

        ERR@k = \sum_{n=1}^{k} \frac{1}{n}\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, S(r) the probability that a document of grade r satisfies the
    user, v the gain and H the top grade of the scale. The default gain gives the original
    definition, S(r) = (2^r - 1) / 2^H; ``gain="linear"`` gives that of NTCIREVAL.

    See Also
    --------
    RR : Cascade of a user who stops at the first relevant document.
    RBP : User model with the same probability of stopping at every rank.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan (2009), "Expected Reciprocal Rank for
       Graded Relevance", CIKM.

    Examples
    --------
    >>> from skgraded import ERR
    >>> ERR(max_grade=2)([2, 0, 1], [3, 2, 1])  # 3/4 + 1/3 * 1/4 * 1/4
    0.7708333333333334
    """

    gain: Gain | Sequence[float] = "exp2"

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._gains(judgments) / (self._top_gain(judgments) + 1.0)


class iRBU(ERR):  # noqa: N801 - the name that its authors gave it
    r"""Intentwise rank-biased utility.

    .. math::

        iRBU@k = \sum_{n=1}^{k} p^n\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, p the persistence, S(r) the probability that a document of
    grade r satisfies the user, v the gain and H the top grade of the scale. It is `ERR` with the
    worth p^n of a rank instead of 1/n. With p close to 1, the rank has little influence.

    Parameters
    ----------
    p : float, default=0.99
        Persistence, strictly between 0 and 1.

    See Also
    --------
    ERR : Cascade in which the worth of a rank is its reciprocal.
    RBP : User model in which stopping does not depend on the documents.

    References
    ----------
    .. [1] T. Sakai, Z. Zeng (2019), "Which Diversity Evaluation Measures Are 'Good'?",
       SIGIR.
    .. [2] E. Amigó, D. Spina, J. Carrillo-de-Albornoz (2018), "An Axiomatic Analysis of Diversity
       Evaluation Metrics: Introducing the Rank-Biased Utility Metric", SIGIR.

    Examples
    --------
    >>> from skgraded.measures import iRBU
    >>> iRBU(p=0.5, max_grade=1)([0, 1, 1], [3, 2, 1])  # 1/4 * 1/2 + 1/8 * 1/2 * 1/2
    0.15625
    """

    p: float = field(0.99, _params.fraction)

    def _worth(self) -> ByRank:
        return ByRank(power, (self.p,))


class _FirstRelevantMeasure(_Cascade, _BinaryMeasure):
    """Base class of cascades whose user stops at the first relevant document."""

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._marks(judgments)


class RR(_FirstRelevantMeasure):
    r"""Reciprocal rank of the first relevant document.

    .. math:: RR = \frac{1}{\min \{n : r_n \ge t\}}

    where r_n is the grade at rank n and t the threshold ``rel``. The value is 0 if the first k
    documents of the list contain no relevant one.

    See Also
    --------
    ERR : Extension to a user who may go on after a relevant document.
    Success : Whether a relevant document is among the first k.

    References
    ----------
    .. [1] E. M. Voorhees (1999), "The TREC-8 Question Answering Track Report",
       TREC.

    Examples
    --------
    >>> from skgraded import RR
    >>> RR()([0, 1, 0, 1], [4, 3, 2, 1])
    0.5
    >>> RR()([0, 1], [1, 1])  # tied: (1 + 1/2) / 2
    0.75
    """


class Success(_FirstRelevantMeasure):
    r"""Success at k: whether a relevant document is among the first k.

    .. math:: Success@k = 1[\exists\, n \le k : r_n \ge t]

    where r_n is the grade at rank n and t the threshold ``rel``. With ``ties="expected"`` the value
    is the probability of this event over all orders of tied documents. NTCIREVAL and others call it
    Hit.

    See Also
    --------
    RR : Reciprocal rank of the first relevant document.

    References
    ----------
    .. [1] trec_eval, measure ``success``, https://github.com/usnistgov/trec_eval, file
       ``m_success.c``.

    Examples
    --------
    >>> from skgraded.measures import Success
    >>> Success(k=2)([0, 1, 0, 1], [4, 3, 2, 1])
    1.0
    """

    def _worth(self) -> ByRank:
        return CONSTANT


class _Shares(_ScaleMeasure):
    """Base class of measures whose gains are divided by that of the top grade."""

    _changes_with_grades: ClassVar[int] = 1

    def gain_by_level(self, judgments: Judgments) -> FloatArray:
        gains = self._gains(judgments)
        top_gain = self._top_gain(judgments)
        if top_gain > 0:
            return gains / top_gain
        return gains


def _one_rank_more(start: Any) -> Any:
    """Return C(n) of weights 1 / start^2, where the start of the next rank is one more."""
    return np.square(start / (start + 1.0))


def _ranks_of_squares(start: Any, n_ranks: Any) -> Any:
    """Sum (start / x)^2 over n_ranks numbers x = start, start + 1, ..."""
    from scipy.special import zeta

    end = start + n_ranks
    sum_of_squares = zeta(2.0, start) - zeta(2.0, end)
    return np.square(start) * sum_of_squares


class INSQ(_Shares, PrefixCWL):
    r"""INSQ: gain per document of a user whose patience depends on the gain that is expected.

    .. math::

        INSQ = \frac{\sum_{n=1}^{N} w_n\, x_n}{\sum_{n=1}^{\infty} w_n},
        \qquad w_n = \frac{1}{(n + 2T - 1)^2},
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n of a list of N documents, v the gain, H the top grade of the
    scale, and T the gain that the user expects to find in total. The user goes on from rank n with
    the probability ((n + 2T - 1) / (n + 2T))^2, which rises from rank to rank. With a cut-off k the
    user reads no further than rank k, so that the sum of the weights ends there, too.

    Parameters
    ----------
    T : float, default=1
        Gain that the user expects, > 0; a document of the top grade has the gain 1.

    See Also
    --------
    INST : The user also adapts to the gain that has been found.
    RBP : Constant probability of going on.

    References
    ----------
    .. [1] A. Moffat, F. Scholer, P. Thomas (2012), "Models and Metrics: IR Evaluation as a User
       Process", ADCS.

    Examples
    --------
    >>> from skgraded.measures import INSQ
    >>> round(INSQ(k=2, max_grade=1)([1, 0], [2, 1]), 4)  # 1/4 / (1/4 + 1/9)
    0.6923
    """

    T: float = number(1.0, above=0)

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        return _one_rank_more(n + 2.0 * self.T - 1.0)

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        start = n + 2.0 * self.T - 1.0
        return _ranks_of_squares(start, last - n + 1.0)


class SDCG(_Shares, PrefixCWL):
    r"""Scaled discounted cumulated gain: DCG divided by that of a list of top grades.

    .. math::

        SDCG@k = \frac{\sum_{n=1}^{k} x_n / \log_2(n + 1)}{\sum_{n=1}^{k} 1 / \log_2(n + 1)},
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain and H the top grade of the scale. A list shorter
    than k is extended by non-relevant documents. The user goes on from rank n with the probability
    log2(n + 1) / log2(n + 2), and stops at rank k. The divisor is that of all queries, so that the
    value does not depend on the pool as that of `nDCG` does.

    See Also
    --------
    DCG : Without the divisor.
    nDCG : The divisor is the DCG of the query's ideal ranking.

    References
    ----------
    .. [1] A. Moffat, P. Thomas, F. Scholer (2013), "Users versus Models: What Observation Tells Us
       about Effectiveness Metrics", CIKM.

    Examples
    --------
    >>> from skgraded.measures import SDCG
    >>> round(SDCG(k=2, max_grade=2)([1, 2], [2, 1]), 4)  # (1/2 + 0.6309) / (1 + 0.6309)
    0.6934
    """

    ends = True

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        return np.log2(n + 1.0) / np.log2(n + 2.0)

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        sum_to_last = _sum_of_discounts(last)
        sum_from_rank = sum_to_last - _sum_of_discounts(n - 1.0)
        return np.log2(n + 1.0) * sum_from_rank


def _sum_of_discounts(k: Any) -> FloatArray:
    """Sum 1 / log2(n + 1) over n = 1..k, by the formula of Euler and Maclaurin where k is large."""
    k = np.asarray(k, dtype=np.float64)
    largest = int(k.max(initial=0))
    n_summands = min(_MOST_SUMMANDS, largest)
    sums = sums_from_zero(up_to(n_summands, LOG2))
    last_summand = np.minimum(k, _MOST_SUMMANDS).astype(np.int64)
    sum_of_first = sums[last_summand]
    if n_summands < _MOST_SUMMANDS:
        return sum_of_first

    from scipy.special import expi

    # The integral of 1 / log(x), half of the summands at both ends, and their slopes.
    first = np.log(_MOST_SUMMANDS + 1.0)
    k = np.maximum(k, _MOST_SUMMANDS)
    last = np.log(k + 1.0)
    integral = expi(last) - expi(first)
    first_slope = 1.0 / ((_MOST_SUMMANDS + 1.0) * first**2)
    last_slope = 1.0 / (np.exp(last) * last**2)
    slopes = first_slope - last_slope
    ends = 0.5 / last - 0.5 / first + slopes / 12.0
    sum_of_others = np.log(2.0) * (integral + ends)
    return sum_of_first + sum_of_others


# Discounts that are added up one by one.
_MOST_SUMMANDS = 10_000


class INST(_Shares, CWL):
    r"""INST: gain per document of a user whose patience depends on the gain that is still missing.

    .. math::

        INST = \frac{\sum_{n=1}^{N} V_n\, x_n}{\sum_{n=1}^{\infty} V_n},
        \qquad V_n = \prod_{m=1}^{n-1} \left(\frac{m + 2T - G_m - 1}{m + 2T - G_m}\right)^2,
        \qquad G_m = \sum_{i=1}^{m} x_i, \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n of a list of N documents, v the gain, H the top grade of the
    scale, T the gain that the user wants in total, G_m the gain found at ranks 1..m, and V_n the
    probability of reading rank n. Ranks below the end of the list have the gain 0. With a cut-off k
    the user reads no further than rank k.

    Parameters
    ----------
    T : float, default=1
        Gain that the user wants, >= 0.5; a document of the top grade has the gain 1. For a smaller
        T the factors of V_n are not probabilities.

    See Also
    --------
    INSQ : The user does not react to the gain that has been found.
    NERR11 : The user of INSQ may also stop because a document satisfies.

    References
    ----------
    .. [1] P. Bailey, A. Moffat, F. Scholer, P. Thomas (2015), "User Variability and IR System
       Evaluation", SIGIR.
    .. [2] A. Moffat, P. Bailey, F. Scholer, P. Thomas (2015), "INST: An Adaptive Metric for
       Information Retrieval Evaluation", ADCS.

    Examples
    --------
    >>> from skgraded.measures import INST
    >>> round(INST(k=2, max_grade=1)([1, 0], [2, 1]), 4)  # 1 / (1 + 1/4)
    0.8
    """

    T: float = number(1.0, at_least=0.5)

    _changes_with_grades: ClassVar[int] = 0

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        start = n + 2.0 * self.T - G - 1.0
        return _one_rank_more(np.maximum(start, 0.0))

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        start = n + 2.0 * self.T - G - 1.0
        return _ranks_of_squares(start, last - n + 1.0)


class BPM(_Shares, CWL):
    r"""BPM, the Bejeweled player model: gain per document down to the gain that a user wants.

    .. math::

        BPM@k = \frac{1}{s} \sum_{n=1}^{s} x_n,
        \qquad s = \min(\{k\} \cup \{n : \sum_{m=1}^{n} x_m \ge T\}),
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain, H the top grade of the scale and T the gain that
    the user wants. The user stops at rank s, where it is found, or at rank k. A list shorter than k
    is extended by non-relevant documents. This is the static model, whose T and k are constant.

    Parameters
    ----------
    T : float, default=1
        Gain that the user wants, > 0; a document of the top grade has the gain 1.

    See Also
    --------
    INST : The user who wants a gain T loses patience step by step.
    RR : Equal to BPM with T = 1 and binary grades, where something relevant is in the list.

    References
    ----------
    .. [1] F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu, S. Ma (2017), "Evaluating Web Search with a
       Bejeweled Player Model", SIGIR.

    Examples
    --------
    >>> from skgraded.measures import BPM
    >>> BPM(max_grade=2)([1, 0, 1, 2], [4, 3, 2, 1])  # s = 3: (1/2 + 0 + 1/2) / 3
    0.3333333333333333
    """

    T: float = number(1.0, above=0)

    ends = True

    _changes_with_grades: ClassVar[int] = 0

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        # Shares such as 1/3 add up to T up to rounding.
        return np.less(G, self.T * (1.0 - 1e-9))

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        return last - n + 1.0


class NERR8(_Shares, CWL):
    r"""NERR8: gain per document of a user who stops at a satisfying document or at rank k.

    .. math::

        NERR8@k = \frac{\sum_{n=1}^{k} V_n\, x_n}{\sum_{n=1}^{k} V_n},
        \qquad V_n = \prod_{m=1}^{n-1} (1 - x_m), \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain, H the top grade of the scale, x_n the probability
    that the document at rank n satisfies the user, and V_n that of reading it. A list shorter than
    k is extended by non-relevant documents. `ERR` divides by the rank at which the user stops;
    here, the numerator and the divisor are expected values of their own.

    See Also
    --------
    NERR9 : Later ranks are less likely to be read.
    ERR : Mean of the reciprocal ranks at which users stop.

    References
    ----------
    .. [1] L. Azzopardi, J. Mackenzie, A. Moffat (2021), "ERR is not C/W/L: Exploring the
       Relationship Between Expected Reciprocal Rank and Other Metrics", ICTIR, Eq. 8.

    Examples
    --------
    >>> from skgraded.measures import NERR8
    >>> NERR8(k=2, max_grade=2)([1, 2], [2, 1])  # (1/2 + 1/2 * 1) / (1 + 1/2)
    0.6666666666666666
    """

    ends = True

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        return 1.0 - x

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        return last - n + 1.0


class NERR9(_Shares, CWL):
    r"""NERR9: gain per document of a user who stops at a satisfying document or loses patience.

    .. math::

        NERR9@k = \frac{\sum_{n=1}^{k} V_n\, x_n}{\sum_{n=1}^{k} V_n},
        \qquad V_n = \frac{1}{n} \prod_{m=1}^{n-1} (1 - x_m), \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain, H the top grade of the scale, x_n the probability
    that the document at rank n satisfies the user, and V_n that of reading it. A list shorter than
    k is extended by non-relevant documents. The numerator is that of `ERR`, but for the probability
    of being satisfied.

    See Also
    --------
    NERR8 : The user does not lose patience.
    ERR : Mean of the reciprocal ranks at which users stop.

    References
    ----------
    .. [1] L. Azzopardi, J. Mackenzie, A. Moffat (2021), "ERR is not C/W/L: Exploring the
       Relationship Between Expected Reciprocal Rank and Other Metrics", ICTIR, Eq. 9.

    Examples
    --------
    >>> from skgraded.measures import NERR9
    >>> round(NERR9(k=2, max_grade=2)([1, 2], [2, 1]), 4)  # (1/2 + 1/4 * 1) / (1 + 1/4)
    0.6
    """

    ends = True

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        return (1.0 - x) * n / (n + 1.0)

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        from scipy.special import digamma

        return n * (digamma(last + 1.0) - digamma(n))


class NERR10(_Shares, CWL):
    r"""NERR10: gain per document of a user of `RBP` who also stops at a satisfying document.

    .. math::

        NERR10 = \frac{\sum_{n=1}^{N} V_n\, x_n}{\sum_{n=1}^{\infty} V_n},
        \qquad V_n = p^{n-1} \prod_{m=1}^{n-1} (1 - x_m), \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n of a list of N documents, v the gain, H the top grade of the
    scale, x_n the probability that the document at rank n satisfies the user, p that of going on if
    it does not, and V_n that of reading rank n. Ranks below the end of the list have the gain 0.
    With a cut-off k the user reads no further than rank k.

    Parameters
    ----------
    p : float, default=0.9
        Persistence, strictly between 0 and 1.

    See Also
    --------
    RBP : The user does not stop at a satisfying document.
    NERR11 : The same for the user of INSQ.

    References
    ----------
    .. [1] L. Azzopardi, J. Mackenzie, A. Moffat (2021), "ERR is not C/W/L: Exploring the
       Relationship Between Expected Reciprocal Rank and Other Metrics", ICTIR, Eq. 10.

    Examples
    --------
    >>> from skgraded.measures import NERR10
    >>> round(NERR10(p=0.5, k=2, max_grade=2)([1, 2], [2, 1]), 4)  # (1/2 + 1/4 * 1) / (1 + 1/4)
    0.6
    """

    p: float = field(0.9, _params.fraction)

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        return self.p * (1.0 - x)

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        n_ranks = last - n + 1.0
        return (1.0 - self.p**n_ranks) / (1.0 - self.p)


class NERR11(_Shares, CWL):
    r"""NERR11: gain per document of a user of `INSQ` who also stops at a satisfying document.

    .. math::

        NERR11 = \frac{\sum_{n=1}^{N} V_n\, x_n}{\sum_{n=1}^{\infty} V_n},
        \qquad V_n = \left(\frac{2T}{n + 2T - 1}\right)^2 \prod_{m=1}^{n-1} (1 - x_m),
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n of a list of N documents, v the gain, H the top grade of the
    scale, x_n the probability that the document at rank n satisfies the user, T the gain that the
    user expects, and V_n the probability of reading rank n. Ranks below the end of the list have
    the gain 0. With a cut-off k the user reads no further than rank k.

    Parameters
    ----------
    T : float, default=1
        Gain that the user expects, > 0; a document of the top grade has the gain 1.

    See Also
    --------
    INSQ : The user does not stop at a satisfying document.
    NERR10 : The same for the user of RBP.

    References
    ----------
    .. [1] L. Azzopardi, J. Mackenzie, A. Moffat (2021), "ERR is not C/W/L: Exploring the
       Relationship Between Expected Reciprocal Rank and Other Metrics", ICTIR, Eq. 11.

    Examples
    --------
    >>> from skgraded.measures import NERR11
    >>> round(NERR11(k=2, max_grade=2)([1, 2], [2, 1]), 4)  # (1/2 + 2/9 * 1) / (1 + 2/9)
    0.5909
    """

    T: float = number(1.0, above=0)

    def continuation(self, n: Any, x: Any, G: Any) -> Any:
        start = n + 2.0 * self.T - 1.0
        return (1.0 - x) * _one_rank_more(start)

    def ranks_from(self, n: Any, G: Any, last: Any) -> Any:
        start = n + 2.0 * self.T - 1.0
        return _ranks_of_squares(start, last - n + 1.0)


class RBP(_BinaryMeasure, PrefixCWL):
    r"""Rank-biased precision.

    .. math:: RBP = (1 - p) \sum_{n=1}^{N} p^{n-1}\, x_n

    where p is the user's persistence, which is the probability of going on from one document to
    the next, N the length of the list and x_n the relevance of the document of grade r_n at rank n.
    With the gain ``"binary"`` x_n is 1[r_n >= t] for the threshold t = ``rel``. With any other gain
    v it is v(r_n) / v(H), where H is the top grade of the scale.

    Parameters
    ----------
    p : float, default=0.8
        Persistence, strictly between 0 and 1.
    gain : tuple of float, {"binary", "linear", "exp2"}, default="binary"
        Gain of grade r: 0 or 1 (``"binary"``), r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple
        of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is linear or exp2; None takes it from the data.
    rel : float, default=1
        Lowest relevant grade t if gain is binary.
    empty : float, default=0.0
        Value of a query without a document of grade t or, with a graded gain, of a query whose
        documents all have gain 0; nan leaves it out of the mean.

    See Also
    --------
    DCG : Gains with a logarithmic discount.
    ERR : User model in which stopping depends on the documents read so far.

    References
    ----------
    .. [1] A. Moffat, J. Zobel (2008), "Rank-biased Precision for Measurement of Retrieval
       Effectiveness", ACM TOIS 27(1).

    Examples
    --------
    >>> from skgraded import RBP
    >>> RBP(p=.5)([1, 0, 1, 0], [.9, .8, .7, .6])  # (1 + 1/4) / 2
    0.625
    >>> RBP(p=.5, gain="linear", max_grade=4)([4, 0, 2, 0], [4, 3, 2, 1])  # (1 + 1/4 * 1/2) / 2
    0.5625
    """

    p: float = field(0.8, _params.fraction)
    gain: Literal["binary"] | Gain | Sequence[float] = field(
        "binary", partial(check_gain, other_words=["binary"])
    )
    max_grade: int | None = field(None, check_top_grade)

    rate = False

    _changes_with_grades: ClassVar[int] = 1

    def _check(self) -> None:
        super()._check()
        if self._is_binary and self.max_grade is not None:
            raise ValueError(
                'max_grade must be None unless gain is graded, such as gain="linear"; '
                f'got {self.max_grade!r} with gain="binary".'
            )
        require_top(self.max_grade, "gain", self.gain)
        if not self._is_binary and self.rel != 1:
            raise ValueError(
                f'rel must be 1 unless gain="binary", got {self.rel} with a graded gain.'
            )

    @property
    def _is_binary(self) -> bool:
        return self.gain == "binary"

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data."""
        return self.gain in ("linear", "exp2") and self.max_grade is None

    def relevant(self, judgments: Judgments) -> BoolArray:
        if self._is_binary:
            return super().relevant(judgments)
        gains = gain_by_level(self.gain, judgments, self)
        return gains > 0

    def gain_by_level(self, judgments: Judgments) -> FloatArray:
        stopping = 1.0 - self.p
        if self._is_binary:
            return self._marks(judgments) * stopping

        top_gain = gain_of_top_grade(self.gain, self.max_grade, judgments, self)
        gains = gain_by_level(self.gain, judgments, self)
        return gains * (stopping / (top_gain or 1.0))

    def continuation(self, n: Any, x: Any, G: Any) -> float:
        return self.p
