"""Average precision and its extensions to graded relevance: AP, the GAP family, Q-measure, grAP.

These measures differ only in the matrix K of the prefix form and in the position weights, which are
1/n or similar.

For GAP, xGAP and eGAP, a user draws a threshold K in 1..c with P(K = k) = g_k and considers
documents of grade K or above relevant. G(i) is g_1 + ... + g_i, and RB(k) is the number of judged
documents of grade k or above.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded._support import arguments as _params
from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._gains import _GainMeasure, _ScaleMeasure
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._positions import Reciprocal, reciprocal
from skgraded.measures._prefix import PairPart, PrefixMeasure, value_of_pairs
from skgraded.measures._thresholds import _ThresholdMeasure
from skgraded.rankings import Judgments

__all__ = ["AP", "GAP", "GeneralizedAP", "QMeasure", "WeightedAP", "eGAP", "grAP", "xGAP"]

FloatArray = NDArray[np.float64]


class AP(_BinaryMeasure, PrefixMeasure):
    r"""Average precision.

    .. math::

        AP = \frac{1}{RB(t)} \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} 1[r_m \ge t]\, 1[r_n \ge t]

    where r_n is the grade at rank n of a list of N documents, t the threshold ``rel``, and RB(t)
    the recall base: the number of judged documents of grade t or above. A cut-off k drops the
    terms n > k and keeps the divisor RB(t), as trec_eval does. ``normalize=True`` has the effect
    of the divisor min(RB(t), k), as in LightGBM.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        relevant = self._relevant(judgments).astype(np.float64)
        share = reciprocal(self._n_relevant(judgments))
        return PairPart(Reciprocal(), PairFactors(share, u=relevant, w=relevant))


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
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        G = self._users(judgments).G
        expected_recall_base = judgments.sum_over_pool(G)
        return PairPart(Reciprocal(), PairFactors(reciprocal(expected_recall_base), f=G))


class xGAP(_ThresholdMeasure):
    r"""Extended graded average precision.

    .. math::

        xGAP = \sum_{n=1}^{N} \frac{1}{n}\, \frac{e(r_n)}{G(r_n)} \sum_{m=1}^{n} G(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, G(i) = g_1 + ... + g_i the
    probability that the user's threshold is at most i, and RB(k) the number of judged documents of
    grade k or above; terms with G(r_n) = 0 are 0. The value of an ideal ranking is the probability
    that the query has a document at or above the user's threshold; ``normalize=True`` makes it 1.

    Parameters
    ----------
    g : tuple of float or str, default="uniform"
        Probabilities of the thresholds 1..c, which sum to 1; or ``"uniform"``, ``"linear"`` (g_j
        proportional to j), or the name of one of `skgraded.users.personas`. Where grades lie
        between whole numbers, a threshold is a number, spread evenly between whole grades: G is a
        straight line there, and e(i) the sum of (G(v) - G(v')) / RB(v) over the query's grades v <=
        i, v' being the next lower one.
    max_grade : int, optional
        Top grade c of the scale if g is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query in which no document reaches a threshold of positive probability; the paper
        defines it as 0. nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        users = self._users(judgments)
        selected = users.expected_shares(judgments, divided=True)
        every = np.ones(judgments.n_queries)
        return PairPart(Reciprocal(), PairFactors(every, f=users.G, h=selected))


class eGAP(_ThresholdMeasure):
    r"""Expected graded average precision.

    .. math::

        eGAP = E[AP(K)] = \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} e(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, g_k the probability that the user's
    threshold K is k, AP(k) the average precision with relevance from grade k on, and RB(k) the
    number of judged documents of grade k or above. The value of an ideal ranking is the probability
    that the query has a document at or above the user's threshold; ``normalize=True`` makes it 1.

    Parameters
    ----------
    g : tuple of float or str, default="uniform"
        Probabilities of the thresholds 1..c, which sum to 1; or ``"uniform"``, ``"linear"`` (g_j
        proportional to j), or the name of one of `skgraded.users.personas`. Where grades lie
        between whole numbers, a threshold is a number, spread evenly between whole grades: G is a
        straight line there, and e(i) the sum of (G(v) - G(v')) / RB(v) over the query's grades v <=
        i, v' being the next lower one.
    max_grade : int, optional
        Top grade c of the scale if g is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query in which no document reaches a threshold of positive probability; the paper
        defines it as 0. nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        share = self._users(judgments).expected_shares(judgments, divided=False)
        return PairPart(Reciprocal(), PairFactors(np.ones(judgments.n_queries), f=share))


class _GainAveragePrecision(_GainMeasure, PrefixMeasure):
    """Base class of extensions of average precision that cumulate gains."""

    def _graded(self, judgments: Judgments) -> FloatArray:
        """Return, by level, 1.0 for grades above 0 and 0.0 for grade 0."""
        return (judgments.grades > 0).astype(np.float64)

    def _recall_base(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(judgments.grades > 0)


class QMeasure(_GainAveragePrecision):
    r"""Q-measure.

    .. math::

        Q = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]\,
            \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, cg(n) the sum of the gains at ranks
    1..n, cg_I(n) that of the ideal ranking, count(n) the number of documents of grade 1 or above
    at ranks 1..n, and R the number of such documents in the pool. With beta = 0 it is `AP`; on
    condensed lists it is Sakai's Q'. At a cut-off k, ``normalize=True`` has the effect of the
    divisor min(R, k), as in NTCIREVAL's Q@k.

    Parameters
    ----------
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query without a document of grade 1 or above; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    AP : Equal to the Q-measure with beta = 0.
    nDCG : Discounted gain divided by that of the ideal ranking.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 21.

    Examples
    --------
    >>> from skgraded import QMeasure
    >>> round(QMeasure()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 4)  # (4/7 + 7/9 + 9/10) / 3
    0.7497
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(beta=_params.number("beta", self.beta, at_least=0))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return judgments.grades > 0

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        from skgraded.measures._pool_positions import BlendedIdealGain

        graded, share = self._graded(judgments), reciprocal(self._recall_base(judgments))
        blended = self.beta * self._gains(judgments) + graded
        K = PairFactors(share, u=blended, w=graded)
        return PairPart(BlendedIdealGain(self.gain, self.beta), K)


class GeneralizedAP(_GainAveragePrecision):
    r"""Generalized average precision.

    .. math::

        v_G = \frac{\sum_{n=1}^{N} \frac{1[r_n > 0]}{n} \sum_{m=1}^{n} x_m}
                   {\sum_{n=1}^{P} \frac{1[y_n > 0]}{n} \sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, and y_n and x*_n are
    the grade and the gain at rank n of the ideal ranking of the P documents in the pool. On binary
    grades it equals `AP`. Despite the initials, it is not `GAP`.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        graded, gains = self._graded(judgments), self._gains(judgments)
        K = PairFactors(np.ones(judgments.n_queries), u=gains, w=graded)
        best = value_of_pairs(Reciprocal(), K, judgments.ideal)
        return PairPart(Reciprocal(), K._replace(scale=reciprocal(best)))


class WeightedAP(_GainAveragePrecision):
    r"""Weighted average precision.

    .. math::

        v_W = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]
              \frac{\sum_{m=1}^{n} x_m}{\sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, x*_n the gain at
    rank n of the ideal ranking (0 beyond its end), and R the number of judged documents of grade 1
    or above. From rank R on the denominator is constant, so a relevant document scores the same at
    rank R + 1 as at the last rank. `QMeasure` avoids that.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        from skgraded.measures._pool_positions import ReciprocalIdealGain

        graded, share = self._graded(judgments), reciprocal(self._recall_base(judgments))
        K = PairFactors(share, u=self._gains(judgments), w=graded)
        return PairPart(ReciprocalIdealGain(self.gain), K)


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

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments) / self._top_gain(judgments)
        share = reciprocal(judgments.sum_over_pool(gains))
        return PairPart(Reciprocal(), PairFactors(share, u=gains, w=gains))
