"""AP and its graded forms: of users with a threshold g, of gains, and blended ratios.

A user of GAP, xGAP and eGAP draws a threshold K in 1..c with P(K = k) = g_k and considers documents
of grade K or above relevant. G(i) is g_1 + ... + g_i, and RB(k) is the number of judged documents
of grade k or above.

The blended ratio BR(n) = (beta cg(n) + count(n)) / (beta cg_I(n) + n) is that of the Q-measure:
cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal ranking, and count(n) the
number of documents of a grade above 0 at ranks 1..n. With beta = 0 it is precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded._support.lazy import cached_property
from skgraded._support.named_users import UserName
from skgraded._support.sealed import sealed
from skgraded.measures._fields import field, number
from skgraded.measures._gains import (
    Gain,
    _BinaryMeasure,
    _GainMeasure,
    _ScaleMeasure,
    check_gain,
    check_thresholds,
    check_top_grade,
    distribution,
    gain_by_level,
    require_top,
)
from skgraded.measures._ideal_discounts import ReciprocalIdealGain
from skgraded.measures._positions import (
    RECIPROCAL,
    largest_of,
    per_document,
    reciprocal,
    sum_to_rank,
    to_cutoff,
)
from skgraded.measures._prefix import (
    PairFactors,
    PairPart,
    PrefixMeasure,
    value_of_pairs,
)
from skgraded.rankings import Judgments, Ranked, Ties

__all__ = [
    "AP",
    "EBR",
    "GAP",
    "NCU",
    "GeneralizedAP",
    "OMeasure",
    "PMeasure",
    "PPlus",
    "QMeasure",
    "RankBiasedNCU",
    "WeightedAP",
    "eGAP",
    "grAP",
    "xGAP",
]

_LONGEST_SCALE = 10_000


class _ThresholdMeasure(PrefixMeasure):
    """Base class of measures with a distribution g of thresholds over the grades 1..c.

    Parameters
    ----------
    g : tuple of float or str, default="uniform"
        Probabilities of the thresholds 1..c, which sum to 1; or ``"uniform"``, ``"linear"`` (g_j
        proportional to j), or the name of one of `skgraded.users.personas`. Where grades lie
        between whole numbers, a threshold is a number, spread evenly between whole grades, so that
        G is a straight line there.
    max_grade : int, optional
        Top grade c of the scale if g is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query in which no document reaches a threshold of positive probability; the paper
        defines it as 0. nan leaves it out of the mean.
    """

    g: UserName | Sequence[float] = field("uniform", check_thresholds)
    max_grade: int | None = field(None, check_top_grade)

    def _check(self) -> None:
        super()._check()
        require_top(self.max_grade, "g", self.g)

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data, where it matters."""
        return (
            isinstance(self.g, str) and self.g != "browser" and self.max_grade is None
        )

    def relevant(self, judgments: Judgments) -> BoolArray:
        return self._users(judgments).G > 0

    def _n_grades(self, judgments: Judgments) -> int:
        """Return the top grade c of the scale; raise if it is too high, or labels exceed it."""
        top = judgments.top_grade
        if isinstance(self.g, str):
            n_grades = self.max_grade or max(1, math.ceil(top))
            if n_grades > _LONGEST_SCALE:
                raise ValueError(
                    f"y_true must hold grades up to {_LONGEST_SCALE} for {self}, whose g has one "
                    "entry per grade of the scale, got a top grade of "
                    f"{self.max_grade or _grade_text(top)}."
                )
        else:
            n_grades = len(self.g)

        if n_grades < top:
            limit = "that is max_grade"
            if self.max_grade is None:
                limit = "g has as many entries"
            raise ValueError(
                f"y_true must hold grades 0..{n_grades} for {self} ({limit}), got "
                f"{_grade_text(top)}."
            )
        return n_grades

    def _users(self, judgments: Judgments) -> _Users:
        n_grades = self._n_grades(judgments)
        # Other labels often have the same few levels, but seldom the same many.
        if judgments.n_levels <= _MOST_LEVELS_CACHED:
            return _cached_users(self.g, n_grades, judgments.grades.tobytes())
        return judgments.memo.get(
            _Users,
            (self.g, n_grades),
            lambda: _Users(self.g, n_grades, judgments.grades),
            is_long=True,
        )


# Smaller probabilities count as 0: the reciprocals of some are infinite.
_LEAST_PROBABILITY = 1e-300


class _Users:
    """The distribution of a measure's users over the grades that occur in some data; read-only.

    Parameters
    ----------
    g : tuple of float or str
        The distribution, or its name.
    n_grades : int
        The top grade of the scale.
    grades : ndarray of shape (n_levels,)
        The grades of the levels.

    Attributes
    ----------
    G : ndarray of shape (n_levels,)
        The probability that the threshold is at most the grade. Between whole grades it is a
        straight line, as if thresholds were spread evenly. Probabilities below 1e-300 are 0.
    """

    def __init__(
        self, g: str | Sequence[float], n_grades: int, grades: FloatArray
    ) -> None:
        probabilities, G = distribution(g, n_grades)
        by_level = _core.at_grades(grades, G)
        by_level[by_level < _LEAST_PROBABILITY] = 0.0
        self.G = sealed(by_level)
        self._g = probabilities
        self._grades = grades

    @cached_property
    def _inverse(self) -> FloatArray:
        return reciprocal(self.G)

    @cached_property
    def _thresholds(self) -> tuple[FloatArray, NDArray[np.int32]]:
        """The g of thresholds up to the highest grade, and the lowest level that reaches each.

        They have a meaning where all queries share their levels.
        """
        top = int(self._grades[-1])
        g = self._g[:top]
        thresholds = np.arange(1.0, len(g) + 1)

        lowest_levels = np.searchsorted(self._grades, thresholds)
        return g, lowest_levels.astype(np.int32)

    def expected_shares(self, judgments: Judgments, divided: bool) -> FloatArray:
        """Return e(i), or e(i) / G(i).

        e(i) is the sum of g_k / RB(k) over k <= i with RB(k) > 0. Between whole grades it is the
        sum of (G(v) - G(v')) / RB(v) over the grades v <= i of the query, v' being the next lower
        one.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.
        divided : bool
            Whether to divide by G; the quotient is 0 where G is 0.

        Returns
        -------
        ndarray of shape (n_queries, n_levels), or (n_levels,) if queries have levels of their own
            The shares.

        Raises
        ------
        ValueError
            If grades lie between whole ones, but all queries share their levels.
        """
        if judgments.borders is not None:
            levels, indptr = judgments.pooled
            return _core.own_expected_shares(
                G=self.G,
                level=levels,
                indptr=indptr,
                borders=judgments.borders,
                divided=divided,
            )

        if judgments.has_fractional_grades:
            raise ValueError(
                "y_true must hold integer grades for a measure of thresholds that states "
                "shares_levels, got grades between them."
            )
        g, lowest_levels = self._thresholds
        factor = np.ones(len(self.G))
        if divided:
            factor = self._inverse
        return _core.expected_shares(
            counts=judgments.counts, g=g, level=lowest_levels, factor=factor
        )


def _grade_text(grade: float) -> str:
    return repr(float(grade)).removesuffix(".0")


_MOST_LEVELS_CACHED = 64


@lru_cache(maxsize=64)
def _cached_users(g: str | Sequence[float], n_grades: int, grades: bytes) -> _Users:
    return _Users(g, n_grades, np.frombuffer(grades))


class AP(_BinaryMeasure, PrefixMeasure):
    r"""Average precision.

    .. math::

        AP = \frac{1}{RB(t)} \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} 1[r_m \ge t]\, 1[r_n \ge t]

    where r_n is the grade at rank n of a list of N documents, t the threshold ``rel``, and RB(t)
    the recall base: the number of judged documents of grade t or above. A cut-off k drops the
    terms n > k and keeps the divisor RB(t), as trec_eval does. ``normalize=True`` has the effect
    of the divisor min(RB(t), k), as in LightGBM.

    See Also
    --------
    GAP, xGAP, eGAP : Extensions to graded relevance.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 1 and 2.

    Examples
    --------
    >>> from skgraded import AP
    >>> AP()([1, 0, 1, 0], [.9, .8, .7, .6])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        relevant = self.relevant(judgments)
        n_relevant = judgments.count_pool(relevant)
        share = reciprocal(n_relevant)
        marks = relevant.astype(np.float64)
        K = PairFactors(share, u=marks, w=marks)
        return PairPart(RECIPROCAL, K)


class GAP(_ThresholdMeasure):
    r"""Graded average precision.

    .. math::

        GAP = \frac{\sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} G(\min(r_m, r_n))}
                   {\sum_{k=1}^{c} R(k)\, G(k)}

    where r_n is the grade at rank n of a list of N documents, G(i) = g_1 + ... + g_i the
    probability that the user's threshold is at most i (G(0) = 0), R(k) the number of judged
    documents of grade k, and c the top grade of the scale. An ideal ranking scores 1. GAP is
    biased if few documents have the top grade: if n documents of a low grade come before the only
    one of a high grade, GAP tends to 1 as n grows, for every g. `xGAP` and `eGAP` do not.

    See Also
    --------
    xGAP : Extension that draws the user's threshold before the document.
    eGAP : Expected average precision over the users' thresholds.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 4.
    .. [2] S. E. Robertson, E. Kanoulas, E. Yilmaz (2010), "Extending Average Precision to Graded
       Relevance Judgments", SIGIR.

    Examples
    --------
    >>> from skgraded import GAP
    >>> round(GAP(g=(.5, .5))([1, 2, 0], [.9, .8, .7]), 4)  # (1/2 + 1/2 * 3/2) / (1/2 + 1)
    0.8333
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        G = self._users(judgments).G
        expected_recall_base = judgments.sum_over_pool(G)
        K = PairFactors(reciprocal(expected_recall_base), f=G)
        return PairPart(RECIPROCAL, K)


class xGAP(_ThresholdMeasure):
    r"""Extended graded average precision.

    .. math::

        xGAP = \sum_{n=1}^{N} \frac{1}{n}\, \frac{e(r_n)}{G(r_n)} \sum_{m=1}^{n} G(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, G(i) = g_1 + ... + g_i the
    probability that the user's threshold is at most i, and RB(k) the number of judged documents of
    grade k or above; terms with G(r_n) = 0 are 0. The value of an ideal ranking is the probability
    that the query has a document at or above the user's threshold; ``normalize=True`` makes it 1.
    Between whole grades, e(i) is the sum of (G(v) - G(v')) / RB(v) over the grades v <= i of the
    query, v' being the next lower one.

    See Also
    --------
    eGAP : Expected average precision over the users' thresholds.
    GAP : The original measure, which is biased if few documents have the top grade.

    Notes
    -----
    The ideal ranking has the largest value, but xGAP is not monotone: below other documents, a swap
    that moves the better document up can lower the value a little. With g = (1/2, 1/2), the grades
    0, 0, 0, 0, 1, 2 have the value 19/80, and 0, 0, 0, 0, 2, 1 only 7/30. Therefore
    ``ties="pessimistic"``, which puts the lowest grade first, does not always give the smallest
    value. `GAP` and `eGAP` are monotone.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 5.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> round(xGAP(g=(.1, .9))([1, 2, 0], [.9, .8, .7]), 4)
    0.5725
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        users = self._users(judgments)
        share = users.expected_shares(judgments, divided=True)  # e(i) / G(i)
        K = PairFactors(f=users.G, h=share)
        return PairPart(RECIPROCAL, K)


class eGAP(_ThresholdMeasure):
    r"""Expected graded average precision.

    .. math::

        eGAP = E[AP(K)] = \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} e(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, g_k the probability that the user's
    threshold K is k, AP(k) the average precision with relevance from grade k on, and RB(k) the
    number of judged documents of grade k or above. The value of an ideal ranking is the probability
    that the query has a document at or above the user's threshold; ``normalize=True`` makes it 1.
    Between whole grades, e(i) is the sum of (G(v) - G(v')) / RB(v) over the grades v <= i of the
    query, v' being the next lower one.

    See Also
    --------
    xGAP : Extension of GAP that draws the user's threshold before the document.
    AP : Average precision with the same threshold for all users.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 6.

    Examples
    --------
    >>> from skgraded import eGAP
    >>> eGAP(g=(.1, .9))([1, 2, 0], [.9, .8, .7])  # .1 * AP(1) + .9 * AP(2) = .1 + .9 / 2
    0.55
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        users = self._users(judgments)
        share = users.expected_shares(judgments, divided=False)
        K = PairFactors(f=share)
        return PairPart(RECIPROCAL, K)


def _graded(judgments: Judgments) -> FloatArray:
    """Return 1 for the levels above grade 0, and 0 for the others."""
    is_graded = judgments.grades > 0
    return is_graded.astype(np.float64)


def _share_of_graded(judgments: Judgments) -> FloatArray:
    """Return 1 / R by query, where R is the number of documents of a grade above 0."""
    n_graded = judgments.count_pool(judgments.grades > 0)
    return reciprocal(n_graded)


class _BlendedRatio(_GainMeasure):
    """Base class of measures of the blended ratio at the ranks of graded documents.

    Parameters
    ----------
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0.
    empty : float, default=0.0
        Value of a query without a document of a grade above 0; nan leaves it out of the mean.
    """

    beta: float = number(1.0, at_least=0)

    def relevant(self, judgments: Judgments) -> BoolArray:
        return judgments.grades > 0

    @property
    def _weights(self) -> ReciprocalIdealGain:
        """The weights 1 / (beta cg_I(n) + n)."""
        return ReciprocalIdealGain(self.gain, self.beta, adds_rank=True)

    def _blended(self, judgments: Judgments) -> FloatArray:
        """Return beta times the gain, plus 1 for a graded document, by level."""
        return self.beta * self._gains(judgments) + _graded(judgments)


class QMeasure(_BlendedRatio, PrefixMeasure):
    r"""Q-measure.

    .. math::

        Q = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]\,
            \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, cg(n) the sum of the gains at ranks
    1..n, cg_I(n) that of the ideal ranking, count(n) the number of documents of a grade above 0
    at ranks 1..n, and R the number of such documents in the pool. With beta = 0 it is `AP`; on
    condensed lists it is Sakai's Q'. At a cut-off k, ``normalize=True`` has the effect of the
    divisor min(R, k), as in NTCIREVAL's Q@k.

    See Also
    --------
    AP : Equal to the Q-measure with beta = 0.
    nDCG : Discounted gain divided by that of the ideal ranking.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 21.

    Examples
    --------
    >>> from skgraded import QMeasure
    >>> round(QMeasure()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 4)  # (4/7 + 7/9 + 9/10) / 3
    0.7497
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        share = _share_of_graded(judgments)
        blended = self._blended(judgments)
        marks = _graded(judgments)
        K = PairFactors(share, u=blended, w=marks)
        return PairPart(self._weights, K)


class GeneralizedAP(_GainMeasure, PrefixMeasure):
    r"""Generalized average precision.

    .. math::

        v_G = \frac{\sum_{n=1}^{N} \frac{1[r_n > 0]}{n} \sum_{m=1}^{n} x_m}
                   {\sum_{n=1}^{P} \frac{1[y_n > 0]}{n} \sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, and y_n and x*_n are
    the grade and the gain at rank n of the ideal ranking of the P documents in the pool. On binary
    grades it equals `AP`. Despite the initials, it is not `GAP`.

    See Also
    --------
    WeightedAP : Sum of ratios to the ideal gain, rank by rank.
    GAP : Extension of AP to users with different thresholds of relevance.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 42.

    Examples
    --------
    >>> from skgraded.measures import GeneralizedAP
    >>> round(GeneralizedAP()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 3)
    0.622
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        marks = _graded(judgments)
        scale = np.ones(judgments.n_queries)
        numerator = PairFactors(scale, u=gains, w=marks)

        # The divisor is the numerator of the ideal ranking.
        divisor = value_of_pairs(RECIPROCAL, numerator, judgments, self)
        K = numerator._replace(scale=reciprocal(divisor))
        return PairPart(RECIPROCAL, K)


class WeightedAP(_GainMeasure, PrefixMeasure):
    r"""Weighted average precision.

    .. math::

        v_W = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]
              \frac{\sum_{m=1}^{n} x_m}{\sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, x*_n the gain at
    rank n of the ideal ranking (0 beyond its end), and R the number of judged documents of a grade
    above 0. From rank R on the denominator is constant, so a relevant document scores the same at
    rank R + 1 as at the last rank. `QMeasure` avoids that.

    See Also
    --------
    QMeasure : Weighted AP with the rank added to the denominator.
    GeneralizedAP : Ratio of two sums over the ranks.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 34.

    Examples
    --------
    >>> from skgraded.measures import WeightedAP
    >>> round(WeightedAP()([0, 3, 2, 1], [4, 3, 2, 1]), 4)  # (3/5 + 5/6 + 6/6) / 3
    0.8111
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        share = _share_of_graded(judgments)
        gains = self._gains(judgments)
        marks = _graded(judgments)
        K = PairFactors(share, u=gains, w=marks)

        positions = ReciprocalIdealGain(self.gain)
        return PairPart(positions, K)


class grAP(_ScaleMeasure, PrefixMeasure):
    r"""Average precision of C/W/L on graded gains.

    .. math::

        grAP = \frac{1}{\sum_{d \in P} x_d} \sum_{n=1}^{N} x_n \frac{1}{n} \sum_{m=1}^{n} x_m,
        \qquad x_n = \frac{v(r_n)}{v(H)}

    where r_n is the grade at rank n of a list of N documents, v the gain, H the top grade of the
    scale and P the pool of all judged documents, so that x is from 0 to 1. It is the formula of
    `AP` with gains in the place of 0 and 1: a user picks one of the judged documents in proportion
    to its gain, reads down to it, and receives the mean gain of what was read. On binary grades it
    is `AP`. With grades in the place of x, as its formula is also written, the value is v(H) times
    as large. An ideal ranking scores 1 only if all its relevant documents have the top grade;
    ``normalize=True`` makes it 1.

    See Also
    --------
    GeneralizedAP : Mean gain at every rank of a relevant document, whatever its own gain.
    GAP, xGAP, eGAP : Extensions of AP to users with different thresholds of relevance.

    References
    ----------
    .. [1] A. Moffat, J. Mackenzie, P. Thomas, L. Azzopardi (2022), "A Flexible Framework for
       Offline Effectiveness Metrics", SIGIR.
    .. [2] LightGBM, issue 7021, "Support graded (mean) average precision metric for ranking",
       https://github.com/lightgbm-org/LightGBM/issues/7021.

    Examples
    --------
    >>> from skgraded.measures import grAP
    >>> grAP(max_grade=2)([1, 2, 0], [.9, .8, .7])  # (1/2 * 1/2 + 1 * 3/4) / (3/2)
    0.6666666666666666
    """

    def pair_part(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        gains = gains / self._top_gain(judgments)
        share = reciprocal(judgments.sum_over_pool(gains))
        K = PairFactors(share, u=gains, w=gains)
        return PairPart(RECIPROCAL, K)


class _BlendedCascade(_BlendedRatio):
    """Base class of expected blended ratios at the rank where a user stops."""

    def _cascade(self, rankings: Ranked, stop: FloatArray) -> FloatArray:
        """Return the expected BR(n) at the rank n where a user stops.

        ``stop`` holds the probability of stopping at a document, by level.
        """
        judgments = rankings.judgments
        ranked = rankings.ranked_by_grade(self.ties, self.unjudged)

        return _core.cascade(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            weight=self._weights(ranked, judgments),
            stop=stop,
            cutoff=self.k or _core.LAST_RANK,
            expected=self.ties == "expected",
            n_threads=rankings.n_threads,
            worth=self._blended(judgments),
        )


class EBR(_BlendedCascade, _ScaleMeasure):
    r"""Expected blended ratio.

    .. math::

        EBR@k = \sum_{n=1}^{k} BR(n)\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n},
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, S(r) the probability that a document of grade r satisfies the
    user, v the gain and H the top grade of the scale. cg(n) is the sum of the gains at ranks 1..n,
    cg_I(n) that of the ideal ranking and count(n) the number of documents of a grade above 0 at
    ranks 1..n. It is `ERR` with the blended ratio as the worth of a rank, so that recall counts,
    too.

    Parameters
    ----------
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.

    See Also
    --------
    ERR : Cascade in which the worth of a rank is its reciprocal.
    QMeasure : Mean of the blended ratios of the relevant documents.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan (2009), "Expected Reciprocal Rank for
       Graded Relevance", CIKM, for the probability of stopping.
    .. [2] T. Sakai (2007), "Alternatives to Bpref",
       SIGIR, Eq. 21, for the blended ratio.
    .. [3] NTCIREVAL, version 190111, measure ``EBR``.

    Examples
    --------
    >>> from skgraded.measures import EBR
    >>> round(EBR(max_grade=3)([0, 1, 3], [3, 2, 1]), 4)  # 2/6 * 1/4 + 6/7 * 3/4 * 3/4
    0.5655
    """

    def relevant(self, judgments: Judgments) -> BoolArray:
        return self._gains(judgments) > 0

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        gains = self._gains(judgments)
        top_gain = self._top_gain(judgments)

        stop = gains / (top_gain + 1.0)
        return self._cascade(rankings, stop)


class NCU(QMeasure):
    r"""Normalized cumulative utility of users who stop at any relevant document.

    .. math::

        NCU = \sum_{n=1}^{N} \frac{s(r_n)}{\sum_{d \in P} s(r_d)}\, BR(n)\, 1[r_n > 0],
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, s the stopping weight of a grade and
    P the pool of all judged documents, so that a share s(r) / sum of s of the users is satisfied by
    a document of grade r. cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal
    ranking and count(n) the number of documents of a grade above 0 at ranks 1..n. With beta = 0
    the utility BR is precision. NTCIREVAL's NCUgu,BR has the default fields and its NCUgu,P has
    beta = 0. With ``stop="uniform"`` it is the `QMeasure`, and `AP` if beta = 0.

    Parameters
    ----------
    stop : tuple of float, {"linear", "exp2", "uniform"}, default="linear"
        Stopping weight of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), 1 (``"uniform"``), or
        a tuple of weights for 1..c, which must not decrease.
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0; 0 makes the utility precision.
    empty : float, default=0.0
        Value of a query whose documents all have the stopping weight 0; nan leaves it out of the
        mean.

    See Also
    --------
    RankBiasedNCU : Users who rather stop at the first relevant documents than at later ones.
    QMeasure : Equal to NCU with ``stop="uniform"``.

    References
    ----------
    .. [1] T. Sakai, S. Robertson (2008), "Modelling A User Population for Designing Information
       Retrieval Metrics", EVIA.
    .. [2] NTCIREVAL, measures ``NCUgu,P`` and ``NCUgu,BR``.

    Examples
    --------
    >>> from skgraded.measures import NCU
    >>> round(NCU(beta=0)([0, 1, 3], [3, 2, 1]), 4)  # 1/4 * 1/2 + 3/4 * 2/3
    0.625
    """

    stop: Literal["uniform"] | Gain | Sequence[float] = field(
        "linear", partial(check_gain, other_words=["uniform"])
    )

    def _stopping(self, judgments: Judgments) -> FloatArray:
        """Return the stopping weight s by level; 0 for documents that are not relevant."""
        if self.stop == "uniform":
            return _graded(judgments)
        return gain_by_level(self.stop, judgments, self)

    def relevant(self, judgments: Judgments) -> BoolArray:
        return self._stopping(judgments) > 0

    def pair_part(self, judgments: Judgments) -> PairPart:
        stopping = self._stopping(judgments)
        share = reciprocal(judgments.sum_over_pool(stopping))
        blended = self._blended(judgments)
        K = PairFactors(share, u=blended, w=stopping)
        return PairPart(self._weights, K)


class OMeasure(_BlendedCascade):
    r"""O-measure: the blended ratio at the first relevant document.

    .. math:: O = BR(m), \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where m is the rank of the first document of a grade above 0, cg(n) the sum of the gains at
    ranks 1..n, cg_I(n) that of the ideal ranking and count(n) the number of documents of a grade
    above 0 at ranks 1..n. The value is 0 if the first k documents of the list contain none.
    With beta = 0 it is `RR`. With ``ties="expected"`` the value is the exact mean over all orders
    of tied documents.

    See Also
    --------
    RR : Equal to the O-measure with beta = 0.
    PMeasure : Blended ratio at the first document of the highest grade in the list.

    References
    ----------
    .. [1] T. Sakai (2007), "On the Properties of Evaluation Metrics for Finding One Highly Relevant
       Document", IPSJ TOD 48(SIG9).
    .. [2] NTCIREVAL, measure ``O-measure``.

    Examples
    --------
    >>> from skgraded.measures import OMeasure
    >>> OMeasure()([0, 1, 3], [3, 2, 1])  # m = 2: (1 + 1) / (4 + 2)
    0.3333333333333333
    """

    def raw_values(self, rankings: Ranked) -> FloatArray:
        return self._cascade(rankings, _graded(rankings.judgments))


class _PreferredRank(_BlendedRatio):
    """Base class of measures of the first document that has the highest grade in the list.

    Parameters
    ----------
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    """

    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    # Whether the value is a mean of blended ratios, or that of the preferred rank alone.
    _is_mean: ClassVar[bool] = False

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        levels = to_cutoff(self.k, ranked.levels, ranked)
        is_graded = levels > 0

        # BR(n), or its mean over the graded documents at ranks 1..n.
        blended = self._blended(judgments)[ranked.levels]
        weights = self._weights(ranked, judgments)
        ratios = weights * sum_to_rank(blended, ranked)
        if self._is_mean:
            marks = is_graded.astype(np.float64)
            count = sum_to_rank(marks, ranked)
            graded_ratios = np.where(is_graded, ratios, 0.0)
            ratio_sums = sum_to_rank(graded_ratios, ranked)
            ratios = ratio_sums / np.maximum(count, 1.0)

        # Documents of the highest grade, the last one first.
        highest = per_document(largest_of(levels, ranked), ranked)
        is_preferred = is_graded & (levels == highest)
        preferred = np.flatnonzero(is_preferred)[::-1]

        # The value that is written last remains, that of the first rank.
        n_queries = judgments.n_queries
        query = per_document(np.arange(n_queries), ranked)
        values = np.zeros(n_queries)
        values[query[preferred]] = ratios[preferred]
        return values


class PMeasure(_PreferredRank):
    r"""P-measure: the blended ratio at the preferred rank.

    .. math:: P = BR(m), \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where m is the preferred rank: that of the first document that has the highest grade among the
    first k of the list. cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal
    ranking and count(n) the number of documents of a grade above 0 at ranks 1..n. The value is 0
    if the first k documents of the list contain none of a grade above 0. The user stops at the
    best document of the list, even if the pool holds better ones.

    See Also
    --------
    OMeasure : Blended ratio at the first relevant document.
    PPlus : Mean of the blended ratios down to the preferred rank.

    References
    ----------
    .. [1] T. Sakai (2007), "On the Properties of Evaluation Metrics for Finding One Highly Relevant
       Document", IPSJ TOD 48(SIG9).
    .. [2] NTCIREVAL, measure ``P-measure``.

    Examples
    --------
    >>> from skgraded.measures import PMeasure
    >>> PMeasure()([0, 1, 3], [3, 2, 1])  # m = 3: (4 + 2) / (4 + 3)
    0.8571428571428571
    """


class PPlus(_PreferredRank):
    r"""P-plus: the mean of the blended ratios of the relevant documents down to the preferred rank.

    .. math::

        P^+ = \frac{1}{count(m)} \sum_{n=1}^{m} 1[r_n > 0]\, BR(n),
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n and m the preferred rank: that of the first document that has
    the highest grade among the first k of the list. cg(n) is the sum of the gains at ranks 1..n,
    cg_I(n) that of the ideal ranking and count(n) the number of documents of a grade above 0 at
    ranks 1..n. The value is 0 if the first k documents of the list contain none of a grade above
    0. It is a `QMeasure` of users who stop with equal probability at any relevant document
    down to the preferred rank.

    See Also
    --------
    PMeasure : Blended ratio at the preferred rank alone.
    QMeasure : Mean over all relevant documents of the pool.

    References
    ----------
    .. [1] T. Sakai (2007), "On the Properties of Evaluation Metrics for Finding One Highly Relevant
       Document", IPSJ TOD 48(SIG9).
    .. [2] NTCIREVAL, measure ``P-plus``.

    Examples
    --------
    >>> from skgraded.measures import PPlus
    >>> round(PPlus()([0, 1, 3], [3, 2, 1]), 4)  # (2/6 + 6/7) / 2
    0.5952
    """

    _is_mean: ClassVar[bool] = True


class RankBiasedNCU(_BlendedCascade):
    r"""Normalized cumulative utility of users who rather stop at the first relevant documents.

    .. math::

        NCU_{rb} = \sum_{n=1}^{N} 1[r_n > 0]\,
            \frac{p^{count(n) - 1}}{\sum_{i=1}^{R} p^{i - 1}}\, BR(n),
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, p the persistence of the users, R the
    number of documents of a grade above 0 in the pool and count(n) their number at ranks 1..n.
    cg(n) is the sum of the gains at ranks 1..n and cg_I(n) that of the ideal ranking. With beta = 0
    the utility BR is precision. NTCIREVAL's NCUrb,BR has the default fields and its NCUrb,P has
    beta = 0. `RBP` counts the ranks instead of the relevant documents that a user has read.

    Parameters
    ----------
    p : float, default=0.95
        Persistence, strictly between 0 and 1: the probability of going on from one relevant
        document to the next.
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0; 0 makes the utility precision.

    See Also
    --------
    NCU : Users whose stopping depends on the grade alone.
    RBP : Users whose stopping depends on the rank alone.

    References
    ----------
    .. [1] T. Sakai, S. Robertson (2008), "Modelling A User Population for Designing Information
       Retrieval Metrics", EVIA.
    .. [2] NTCIREVAL, measures ``NCUrb,P`` and ``NCUrb,BR``.

    Examples
    --------
    >>> from skgraded.measures import RankBiasedNCU
    >>> round(RankBiasedNCU(p=0.5, beta=0)([0, 1, 3], [3, 2, 1]), 4)  # (1/2 + 1/2 * 2/3) / 1.5
    0.5556
    """

    p: float = field(0.95, _params.fraction)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        # A user who stops at a relevant document with the probability 1 - p.
        judgments = rankings.judgments
        stop = (1.0 - self.p) * _graded(judgments)
        value = self._cascade(rankings, stop)

        # Such users stop at one of R relevant documents with the probability 1 - p^R.
        n_relevant = judgments.count_pool(judgments.grades > 0)
        stopping_share = -np.expm1(n_relevant * np.log(self.p))
        return value * reciprocal(stopping_share)
