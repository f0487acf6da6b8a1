"""Average precision with gains: Kishida's generalized AP, weighted AP and Q-measure."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._base import PairPart
from skgraded.measures._checks import check_at_least_zero
from skgraded.measures._pool_positions import BlendedIdealGain, ReciprocalIdealGain
from skgraded.measures._positions import Reciprocal, reciprocal
from skgraded.measures._scale import _GainMeasure
from skgraded.rankings import Judgments

__all__ = ["GeneralizedAP", "QMeasure", "WeightedAP"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _GainAveragePrecision(_GainMeasure):
    """A mean over the relevant documents of a ratio of cumulated gains."""

    def _graded(self, judgments: Judgments) -> FloatArray:
        """1 by level where the grade is above 0."""
        judgments.require_integer_grades(self)
        return (judgments.grades > 0).astype(np.float64)

    def _recall_base(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(judgments.grades > 0)


class GeneralizedAP(_GainAveragePrecision):
    r"""Generalized average precision.

    .. math::

        v_G = \frac{\sum_{n=1}^{N} \frac{1[r_n > 0]}{n} \sum_{m=1}^{n} x_m}
                   {\sum_{n=1}^{P} \frac{1[y_n > 0]}{n} \sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, y_n and x*_n those
    of the ideal ranking of the pool's P documents. On binary grades it is `AP`; it is not `GAP`,
    with which it shares its initials.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    WeightedAP : The ratio to the ideal gain is taken rank by rank.
    GAP : Users whose thresholds of relevance differ.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 42.

    Examples
    --------
    >>> from skgraded import GeneralizedAP
    >>> round(GeneralizedAP()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 3)
    0.622
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        graded, gains = self._graded(judgments), self._gains(judgments)
        mean_gain = judgments.ideal.pair_moments(Reciprocal(), None, "row_order", "nonrelevant")
        pairs = gains[:, None] * graded[None, :]
        K = np.tile(pairs.ravel(), judgments.n_queries)
        best = _core.pair_part(K, mean_gain.ravel(), judgments.n_queries)
        return PairPart(Reciprocal(), pairs * reciprocal(best)[:, None, None])


class WeightedAP(_GainAveragePrecision):
    r"""Weighted average precision.

    .. math::

        v_W = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]
              \frac{\sum_{m=1}^{n} x_m}{\sum_{m=1}^{n} x^*_m}

    where r_n is the grade at rank n of a list of N documents and x_n its gain, x*_n the gain at
    rank n of the ideal ranking (0 beyond its end) and R the number of judged documents of grade 1
    or above. From rank R on the denominator no longer grows: whether a document stands at rank
    R + 1 or last makes no difference. `QMeasure` mends that.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    QMeasure : The rank stands in the denominator too.
    GeneralizedAP : One ratio of sums instead of a sum of ratios.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 34.

    Examples
    --------
    >>> from skgraded import WeightedAP
    >>> round(WeightedAP()([0, 3, 2, 1], [4, 3, 2, 1]), 4)  # (3/5 + 5/6 + 6/6) / 3
    0.8111
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        graded, share = self._graded(judgments), reciprocal(self._recall_base(judgments))
        pairs = self._gains(judgments)[:, None] * graded[None, :]
        return PairPart(ReciprocalIdealGain(self.gain), pairs * share[:, None, None])


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class QMeasure(_GainAveragePrecision):
    r"""Q-measure.

    .. math::

        Q = \frac{1}{R} \sum_{n=1}^{N} 1[r_n > 0]\,
            \frac{\beta\, cg(n) + count(n)}{\beta\, cg_I(n) + n}

    where r_n is the grade at rank n of a list of N documents, cg(n) the gain cumulated down to
    rank n, cg_I(n) that of the ideal ranking, count(n) the number of documents of grade 1 or above
    down to rank n, and R the number of such documents in the pool. With beta = 0 it is `AP`, on
    condensed lists it is Sakai's Q'. With ``normalize=True`` the divisor at a cut-off k becomes
    min(R, k) in effect, as in NTCIREVAL's Q@k.

    Parameters
    ----------
    beta : float, default=1
        Weight of the gains against the counts, >= 0.
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade 1 or above is empty.

    See Also
    --------
    AP : The same with beta = 0.
    nDCG : Discounted gain against that of the ideal ranking.

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
        self._set(beta=check_at_least_zero("beta", self.beta))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return judgments.grades > 0

    def _pair_part(self, judgments: Judgments) -> PairPart:
        graded, share = self._graded(judgments), reciprocal(self._recall_base(judgments))
        blended = self.beta * self._gains(judgments) + graded
        pairs = blended[:, None] * graded[None, :]
        return PairPart(BlendedIdealGain(self.gain, self.beta), pairs * share[:, None, None])
