"""Measures that rate the list at one rank or at some ranks by the blended ratio.

The blended ratio BR(n) = (beta cg(n) + count(n)) / (beta cg_I(n) + n) is that of the Q-measure:
cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal ranking, and count(n) the
number of documents of grade 1 or above at ranks 1..n. With beta = 0 it is precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._gains import Gain, _GainMeasure, _ScaleMeasure, check_gain, gain_by_level
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._pool_positions import BlendedIdealGain, largest_of, rank_of
from skgraded.measures._positions import reciprocal
from skgraded.measures._prefix import PairPart
from skgraded.measures.average_precision import QMeasure
from skgraded.rankings import Judgments, Ranked, RankedList, Ties

__all__ = ["EBR", "NCU", "OMeasure", "PMeasure", "PPlus", "RankBiasedNCU"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class _BlendedRatio(_GainMeasure):
    """Base class of measures outside the prefix form that sum blended ratios."""

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(beta=_params.number("beta", self.beta, at_least=0))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return judgments.grades > 0

    def _share(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        """Return 1 / (beta cg_I(n) + n) at every rank."""
        return BlendedIdealGain(self.gain, self.beta)(ranked, judgments)

    def _blended(self, judgments: Judgments) -> FloatArray:
        """Return by level what a document adds to beta cg(n) + count(n)."""
        blended: FloatArray = self.beta * self._gains(judgments) + (judgments.grades > 0)
        return blended

    def _cascade(self, rankings: Ranked, stop: FloatArray) -> FloatArray:
        """Return the expected BR(n) at the rank n of a user who stops with `stop`, by level."""
        judgments = rankings.judgments
        ranked = rankings.ranked_by_grade(self.ties, self.unjudged)
        return _core.blended_cascade(
            *ranked,
            self._share(ranked, judgments),
            stop,
            self._blended(judgments),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )


class EBR(_BlendedRatio, _ScaleMeasure):
    r"""Expected blended ratio.

    .. math::

        EBR@k = \sum_{n=1}^{k} BR(n)\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n},
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, S(r) the probability that a document of grade r satisfies the
    user, v the gain and H the top grade of the scale. cg(n) is the sum of the gains at ranks 1..n,
    cg_I(n) that of the ideal ranking and count(n) the number of documents of grade 1 or above at
    ranks 1..n. It is `ERR` with the blended ratio as the worth of a rank, so that recall counts,
    too.

    Parameters
    ----------
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    ERR : Cascade in which the worth of a rank is its reciprocal.
    QMeasure : Mean of the blended ratios of the relevant documents.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan (2009), "Expected Reciprocal Rank for
       Graded Relevance", CIKM, for the probability of stopping.
    .. [2] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 21, for the blended ratio.
    .. [3] NTCIREVAL, version 190111, measure ``EBR``.

    Examples
    --------
    >>> from skgraded.measures import EBR
    >>> round(EBR(max_grade=3)([0, 1, 3], [3, 2, 1]), 4)  # 2/6 * 1/4 + 6/7 * 3/4 * 3/4
    0.5655
    """

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return self._gains(judgments) > 0

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        return self._cascade(rankings, self._gains(judgments) / (self._top_gain(judgments) + 1.0))


class NCU(QMeasure):
    r"""Normalized cumulative utility of users who stop at any relevant document.

    .. math::

        NCU = \sum_{n=1}^{N} \frac{s(r_n)}{\sum_{d \in P} s(r_d)}\, BR(n)\, 1[r_n > 0],
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, s the stopping weight of a grade and
    P the pool of all judged documents, so that a share s(r) / sum of s of the users is satisfied by
    a document of grade r. cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal
    ranking and count(n) the number of documents of grade 1 or above at ranks 1..n. With beta = 0
    the utility BR is precision. NTCIREVAL's NCUgu,BR has the default fields and its NCUgu,P has
    beta = 0. With ``stop="uniform"`` it is the `QMeasure`, and `AP` if beta = 0.

    Parameters
    ----------
    stop : tuple of float, {"linear", "exp2", "uniform"}, default="linear"
        Stopping weight of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), 1 (``"uniform"``), or
        a tuple of weights for 1..c, which must not decrease.
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0; 0 makes the utility precision.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query whose documents all have the stopping weight 0; nan leaves it out of the
        mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    stop: Literal["uniform"] | Gain | Sequence[float] = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stop != "uniform":
            self._set(stop=_check_stop(self.stop))

    def _stopping(self, judgments: Judgments) -> FloatArray:
        """Return the stopping weight s by level; 0 for documents that are not relevant."""
        if self.stop == "uniform":
            return (judgments.grades > 0).astype(np.float64)
        return gain_by_level(self.stop, judgments, self)

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return self._stopping(judgments) > 0

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        stopping = self._stopping(judgments)
        blended = self.beta * self._gains(judgments) + self._graded(judgments)
        share = reciprocal(judgments.sum_over_pool(stopping))
        K = PairFactors(share, u=blended, w=stopping)
        return PairPart(BlendedIdealGain(self.gain, self.beta), K)


def _check_stop(stop: str | Sequence[float]) -> str | tuple[float, ...]:
    """Return stopping weights, which are named and checked like gains."""
    if isinstance(stop, str):
        _params.choice("stop", stop, (*get_args(Gain), "uniform"))
        return stop
    try:
        return check_gain(stop)
    except ValueError as error:
        raise ValueError(str(error).replace("gain", "stop", 1)) from None


class OMeasure(_BlendedRatio):
    r"""O-measure: the blended ratio at the first relevant document.

    .. math:: O = BR(m), \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where m is the rank of the first document of grade 1 or above, cg(n) the sum of the gains at
    ranks 1..n, cg_I(n) that of the ideal ranking and count(n) the number of documents of grade 1
    or above at ranks 1..n. The value is 0 if the first k documents of the list contain none.
    With beta = 0 it is `RR`. With ``ties="expected"`` the value is the exact mean over all orders
    of tied documents.

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

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        return self._cascade(rankings, (rankings.judgments.grades > 0).astype(np.float64))


class _PreferredRank(_BlendedRatio):
    """Base class of measures of the first document that has the highest grade in the list."""

    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    # Whether the value is a mean of blended ratios, or that of the preferred rank alone.
    _is_mean: ClassVar[bool] = False

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        levels = np.where(rank_of(ranked) <= _core.last_rank(self.k), ranked.levels, 0)
        graded = levels > 0
        highest = np.repeat(largest_of(levels, ranked), ranked.lengths)
        preferred = np.flatnonzero(graded & (levels == highest))[::-1]
        found = _core.cumulate(self._blended(judgments)[ranked.levels], ranked.indptr)
        ratios = self._share(ranked, judgments) * found
        if self._is_mean:
            n_graded = _core.cumulate(graded.astype(np.float64), ranked.indptr)
            total = _core.cumulate(np.where(graded, ratios, 0.0), ranked.indptr)
            ratios = total / np.maximum(n_graded, 1.0)
        query = np.repeat(np.arange(judgments.n_queries), ranked.lengths)
        values = np.zeros(judgments.n_queries)
        values[query[preferred]] = ratios[preferred]  # the last one remains, that of the first rank
        return values


class PMeasure(_PreferredRank):
    r"""P-measure: the blended ratio at the preferred rank.

    .. math:: P = BR(m), \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where m is the preferred rank: that of the first document that has the highest grade among the
    first k of the list. cg(n) is the sum of the gains at ranks 1..n, cg_I(n) that of the ideal
    ranking and count(n) the number of documents of grade 1 or above at ranks 1..n. The value is 0
    if the first k documents of the list contain none of grade 1 or above. The user stops at the
    best document of the list, even if the pool holds better ones.

    Parameters
    ----------
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of grade 1 or above; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

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
    cg_I(n) that of the ideal ranking and count(n) the number of documents of grade 1 or above at
    ranks 1..n. The value is 0 if the first k documents of the list contain none of grade 1 or
    above. It is a `QMeasure` of users who stop with equal probability at any relevant document
    down to the preferred rank.

    Parameters
    ----------
    beta : float, default=1
        Weight of the gains relative to the counts, >= 0.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of grade 1 or above; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

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


class RankBiasedNCU(_BlendedRatio):
    r"""Normalized cumulative utility of users who rather stop at the first relevant documents.

    .. math::

        NCU_{rb} = \sum_{n=1}^{N} 1[r_n > 0]\,
            \frac{p^{count(n) - 1}}{\sum_{i=1}^{R} p^{i - 1}}\, BR(n),
        \qquad BR(n) = \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, p the persistence of the users, R the
    number of documents of grade 1 or above in the pool and count(n) their number at ranks 1..n.
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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query without a document of grade 1 or above; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

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

    p: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        # A user who stops at a relevant document with the probability 1 - p.
        judgments = rankings.judgments
        graded = judgments.grades > 0
        whole = -np.expm1(judgments.count_pool(graded) * np.log(self.p))
        stop = (1.0 - self.p) * graded.astype(np.float64)
        return self._cascade(rankings, stop) * reciprocal(whole)
