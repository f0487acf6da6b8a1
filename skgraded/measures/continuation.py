"""Measures of the gain per document of users who go on from a rank with a probability.

In the framework of Moffat, Thomas and Scholer (2013), called C/W/L, a user at rank n goes on to
rank n + 1 with the probability C(n). The value is the gain that the user finds, divided by the
number of documents that the user reads, both as expected values:

    value = sum_n reach(n) x_n / sum_n reach(n),    reach(n) = C(1) C(2) ... C(n - 1)

x_n is the gain at rank n, from 0 to 1. Below the end of the list it is 0.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core, _params
from skgraded.measures._gains import _ScaleMeasure
from skgraded.measures._pool_positions import Log2UpToListEnd, rank_of
from skgraded.measures._positions import InverseSquare, Log2, reciprocal
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments, RankedList, Rankings, Ties

__all__ = ["BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def _inverse_squares(
    start: FloatArray | float, n_summands: FloatArray | IntArray | float | None
) -> FloatArray:
    """Sum 1 / x^2 over x = start, start + 1, ...; None is without an end."""
    from scipy.special import zeta

    whole: FloatArray = np.asarray(zeta(2.0, start))
    return whole if n_summands is None else whole - zeta(2.0, start + n_summands)


def _cut(ranked: RankedList, lengths: IntArray) -> RankedList:
    """Keep the first documents of each list."""
    kept = rank_of(ranked) <= np.repeat(lengths, ranked.lengths)
    before = np.concatenate(([0], np.cumsum(kept)))
    return RankedList(ranked.levels[kept], ranked.tied[kept], before[ranked.indptr])


class _GainPerDocument(_ScaleMeasure):
    """Base class of the measures, with gains that are divided by that of the top grade."""

    def _shares(self, judgments: Judgments) -> FloatArray:
        """Return the gain by level, from 0 to 1."""
        top = self._top_gain(judgments)
        return self._gains(judgments) / (top if top > 0 else 1.0)


class INSQ(_GainPerDocument, PrefixMeasure):
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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is no limit.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    T: float = 1.0

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(T=_params.number("T", self.T, above=0))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        shift = 2.0 * self.T
        weights = float(_inverse_squares(shift, self.k))
        return LinearPart(InverseSquare(shift - 1.0), self._shares(judgments), 1.0 / weights)


class SDCG(_GainPerDocument, PrefixMeasure):
    r"""Scaled discounted cumulated gain: DCG divided by that of a list of top grades.

    .. math::

        SDCG@k = \frac{\sum_{n=1}^{k} x_n / \log_2(n + 1)}{\sum_{n=1}^{k} 1 / \log_2(n + 1)},
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain and H the top grade of the scale. A list shorter
    than k is extended by non-relevant documents. The user goes on from rank n with the probability
    log2(n + 1) / log2(n + 2), and stops at rank k. The divisor is that of all queries, so that the
    value does not depend on the pool as that of `nDCG` does.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is the length of the list.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        shares = self._shares(judgments)
        if self.k is not None:
            return LinearPart(Log2(), shares, 1.0 / _sum_of_discounts(self.k))
        length = judgments.list_lengths(self.unjudged)
        discounts = Log2().at(np.arange(1.0, length.max(initial=0) + 1))
        sums = np.concatenate(([0.0], np.cumsum(discounts)))
        return LinearPart(Log2UpToListEnd(self.unjudged), shares, reciprocal(sums[length]))


def _sum_of_discounts(k: int) -> float:
    """Sum 1 / log2(n + 1) over n = 1..k, by the formula of Euler and Maclaurin where k is large."""
    if k <= _MANY:
        return float(Log2().at(np.arange(1.0, k + 1)).sum())
    from scipy.special import expi

    first, last = np.log(_MANY + 1.0), np.log(k + 1.0)
    slopes = 1.0 / ((_MANY + 1.0) * first**2) - 1.0 / ((k + 1.0) * last**2)
    ends = 0.5 / last - 0.5 / first + slopes / 12.0
    rest = np.log(2.0) * (expi(last) - expi(first) + ends)
    return _sum_of_discounts(_MANY) + float(rest)


# Discounts that are added up one by one.
_MANY = 10_000


class _AdaptiveUser(_GainPerDocument):
    """Base class of measures outside the prefix form, whose users react to what they read."""

    ties: Ties = "row_order"

    _averages_over_ties: ClassVar[bool] = False


class INST(_AdaptiveUser):
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
        T the factors of V_n are no probabilities.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is no limit.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    T: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(T=_params.number("T", self.T, at_least=0.5))

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        if self.k is not None:
            ranked = _cut(ranked, np.minimum(ranked.lengths, self.k))
        gains = self._shares(judgments)
        missing = _core.cumulate(1.0 - gains[ranked.levels], ranked.indptr) + 2.0 * self.T
        factors = np.maximum(missing - 1.0, 0.0) / missing
        reach, left = _products(np.square(factors), ranked)

        def total(by_level: FloatArray) -> FloatArray:
            end, n_threads = _core.last_rank(None), rankings.n_threads
            return _core.discounted_gain(*ranked, reach, True, by_level, end, False, n_threads)

        # Below the end of the list no gain is found, and the factors are squares of x / (x + 1).
        start = _at_end(missing, ranked, 2.0 * self.T)
        n_below = None if self.k is None else self.k - ranked.lengths
        below: FloatArray = left * np.square(start) * _inverse_squares(start, n_below)
        return total(gains) / (total(np.ones(judgments.n_levels)) + below)


class BPM(_AdaptiveUser):
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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is the length of the list.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    T: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(T=_params.number("T", self.T, above=0))

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        last = judgments.list_lengths(self.unjudged)
        last = last if self.k is None else np.full_like(last, self.k)
        ranked = _cut(ranked, np.minimum(ranked.lengths, last))
        # Sums of whole gains are exact, those of their shares of the top gain are not.
        gains, wanted = self._gains(judgments), self.T * self._top_gain(judgments)
        found = _core.cumulate(gains[ranked.levels], ranked.indptr)
        reading = (found - gains[ranked.levels] < wanted).astype(np.float64)

        def total(by_level: FloatArray) -> FloatArray:
            end, n_threads = _core.last_rank(None), rankings.n_threads
            return _core.discounted_gain(*ranked, reading, True, by_level, end, False, n_threads)

        is_content = _at_end(found, ranked, 0.0) >= wanted
        read = np.where(is_content, total(np.ones(judgments.n_levels)), last)
        return total(self._shares(judgments)) * reciprocal(read)


def _products(factors: FloatArray, ranked: RankedList) -> tuple[FloatArray, FloatArray]:
    """Multiply the factors of the ranks above each rank, and those of each whole list."""
    is_zero = (factors <= 0.0).astype(np.float64)
    logarithms = np.log(np.where(factors > 0.0, factors, 1.0))
    sums, zeros = (_core.cumulate(each, ranked.indptr) for each in (logarithms, is_zero))
    above = np.where(zeros - is_zero > 0.0, 0.0, np.exp(sums - logarithms))
    whole = np.where(_at_end(zeros, ranked, 0.0) > 0.0, 0.0, np.exp(_at_end(sums, ranked, 0.0)))
    return above, whole


def _at_end(values: FloatArray, ranked: RankedList, of_nothing: float) -> FloatArray:
    """Return the value at the last rank of each list."""
    last = np.full(len(ranked.lengths), of_nothing)
    some = ranked.lengths > 0
    last[some] = values[ranked.indptr[1:][some] - 1]
    return last


class _NearlyERR(_AdaptiveUser):
    """Base class of the NERR measures: C(n) = (1 - x_n) w(n + 1) / w(n) for weights w(n)."""

    _changes_with_grades: ClassVar[int] = 1

    # Whether the user of a measure without k stops at the end of the list.
    _ends: ClassVar[bool] = False

    def _weight(self, n: FloatArray) -> FloatArray:
        """Return w(n), with w(1) = 1."""
        raise NotImplementedError

    def _sum_of_weights(self, k: IntArray | int | None) -> FloatArray | float:
        """Sum w(1) to w(k); None is without an end."""
        raise NotImplementedError

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        last: IntArray | int | None = self.k
        if last is None and self._ends:
            last = judgments.list_lengths(self.unjudged)
            ranked = _cut(ranked, np.minimum(ranked.lengths, last))  # of the ideal ranking
        weights = self._weight(np.arange(1.0, ranked.longest + 1))
        satisfied = self._shares(judgments)

        def expected(worth: FloatArray) -> FloatArray:
            k, n_threads = _core.last_rank(self.k), rankings.n_threads
            return _core.cascade(*ranked, worth, satisfied, k, False, n_threads)

        # Users who are satisfied at rank n have read w(1) + ... + w(n), the others all ranks.
        others = np.maximum(1.0 - expected(np.ones_like(weights)), 0.0)
        read = expected(np.cumsum(weights)) + others * self._sum_of_weights(last)
        return expected(weights) * reciprocal(read)


class NERR8(_NearlyERR):
    r"""NERR8: gain per document of a user who stops at a satisfying document or at rank k.

    .. math::

        NERR8@k = \frac{\sum_{n=1}^{k} V_n\, x_n}{\sum_{n=1}^{k} V_n},
        \qquad V_n = \prod_{m=1}^{n-1} (1 - x_m), \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain, H the top grade of the scale, x_n the probability
    that the document at rank n satisfies the user, and V_n that of reading it. A list shorter than
    k is extended by non-relevant documents. `ERR` divides by the rank at which the user stops;
    here, the numerator and the divisor are expected values of their own.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is the length of the list.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    _ends: ClassVar[bool] = True

    def _weight(self, n: FloatArray) -> FloatArray:
        return np.ones_like(n)

    def _sum_of_weights(self, k: IntArray | int | None) -> FloatArray | float:
        return np.asarray(k, dtype=np.float64)


class NERR9(_NearlyERR):
    r"""NERR9: gain per document of a user who stops at a satisfying document or loses patience.

    .. math::

        NERR9@k = \frac{\sum_{n=1}^{k} V_n\, x_n}{\sum_{n=1}^{k} V_n},
        \qquad V_n = \frac{1}{n} \prod_{m=1}^{n-1} (1 - x_m), \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n, v the gain, H the top grade of the scale, x_n the probability
    that the document at rank n satisfies the user, and V_n that of reading it. A list shorter than
    k is extended by non-relevant documents. The numerator is that of `ERR`, but for the probability
    of being satisfied.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is the length of the list.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

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

    _ends: ClassVar[bool] = True

    def _weight(self, n: FloatArray) -> FloatArray:
        return 1.0 / n

    def _sum_of_weights(self, k: IntArray | int | None) -> FloatArray | float:
        from scipy.special import digamma

        harmonic: FloatArray = digamma(np.asarray(k) + 1.0) + np.euler_gamma
        return np.maximum(harmonic, 0.0)


class NERR10(_NearlyERR):
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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is no limit.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

    See Also
    --------
    RBP : The user does not stop at a satisfying document.
    NERR11 : The user of INSQ in the place of that of RBP.

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

    p: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))

    def _weight(self, n: FloatArray) -> FloatArray:
        weights: FloatArray = np.power(self.p, n - 1.0)
        return weights

    def _sum_of_weights(self, k: IntArray | int | None) -> FloatArray | float:
        below = 0.0 if k is None else np.power(self.p, np.asarray(k, dtype=np.float64))
        return (1.0 - below) / (1.0 - self.p)


class NERR11(_NearlyERR):
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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: the last rank that a user can read. None is no limit.
    ties : {"row_order", "pessimistic", "optimistic"}, default="row_order"
        Tied documents: order of the rows, worst or best first. Their mean has no closed form.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

    See Also
    --------
    INSQ : The user does not stop at a satisfying document.
    NERR10 : The user of RBP in the place of that of INSQ.

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

    T: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(T=_params.number("T", self.T, above=0))

    def _weight(self, n: FloatArray) -> FloatArray:
        weights: FloatArray = (2.0 * self.T / (n + 2.0 * self.T - 1.0)) ** 2
        return weights

    def _sum_of_weights(self, k: IntArray | int | None) -> FloatArray | float:
        summands = None if k is None else np.asarray(k, dtype=np.float64)
        return (2.0 * self.T) ** 2 * _inverse_squares(2.0 * self.T, summands)
