"""Rpref and its variants, the extensions of bpref to graded relevance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._binary import COUNTS_JUDGED
from skgraded.measures._gains import _GainMeasure, _ScaleMeasure
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._positions import (
    Constant,
    FromSecond,
    Reciprocal,
    ReciprocalAbove,
    reciprocal,
)
from skgraded.measures._prefix import LinearPart, PairPart, PrefixMeasure
from skgraded.rankings import Judgments, Unjudged

__all__ = ["RprefN", "RprefRelative", "RprefRelative2"]

FloatArray = NDArray[np.float64]


def _penalties(gains: FloatArray, scale: FloatArray) -> PairFactors:
    """Return K[a, b] = -max(0, gain(b) - gain(a)): what it costs that a stands above b."""
    return PairFactors(scale, f=gains, u=np.ones(len(gains)), w=-gains)


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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    BprefN : Equivalent for binary relevance.
    RprefRelative2 : Variant with a penalty relative to the rank, which discriminates better.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 2 to 5 and 16.
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

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._available(judgments))
        return LinearPart(Constant(), self._gains(judgments), share)

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        gains = self._gains(judgments)
        missing = 1.0 - gains * reciprocal(np.array(self._top_gain(judgments)))
        desired = judgments.sum_over_pool(missing)
        scale = reciprocal(desired) * reciprocal(self._available(judgments))
        return PairPart(Constant(), _penalties(gains, scale))


class _RelativeGradedPreference(_GainMeasure, PrefixMeasure):
    """Base class of graded preferences with a penalty relative to the rank."""

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
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. A query with only one document
        of positive gain, whose ideal ranking has the value 0, keeps the value 0.
    k, ties : optional
        See `Measure`.

    See Also
    --------
    BprefRelative : Equivalent for binary relevance.
    RprefRelative2 : Variant that divides by n instead of n - 1.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 17.

    Examples
    --------
    >>> from skgraded.measures import RprefRelative
    >>> round(RprefRelative()([1, 2, 0], [3, 2, 1]), 4)  # 2 (1 - 1/2) / 3
    0.3333
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._available(judgments))
        return LinearPart(FromSecond(), self._gains(judgments), share)

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        share = reciprocal(self._available(judgments))
        return PairPart(ReciprocalAbove(), _penalties(self._gains(judgments), share))


class RprefRelative2(_RelativeGradedPreference):
    r"""Graded preference with a penalty relative to the rank, including rank 1.

    .. math::

        rpref\_relative2 = \frac{1}{cg_I(R)} \sum_{n:\, x_n > 0} x_n
            \left(1 - \frac{1}{n} \sum_{m < n,\, x_m < x_n} \frac{x_n - x_m}{x_n}\right)
            = \frac{1}{cg_I(R)} \sum_{n} \frac{1}{n} \sum_{m \le n} \min(x_m, x_n)

    where x_n is the gain at rank n of the condensed list and cg_I(R) the sum of the gains of the
    pool. The second form is `GAP` on the condensed list, with g_k proportional to the difference
    between the gains of the grades k and k - 1. An ideal ranking scores 1.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    GAP : Equal on condensed lists, with g derived from the gains.
    AP : ``AP(unjudged="condense")`` is equal for binary grades.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 19.

    Examples
    --------
    >>> from skgraded import GAP
    >>> from skgraded.measures import RprefRelative2
    >>> round(RprefRelative2()([1, 2, 0], [3, 2, 1]), 4)  # (1 + 2 (1 - 1/4)) / 3
    0.8333
    >>> round(GAP(g=(.5, .5))([1, 2, 0], [3, 2, 1]), 4)
    0.8333
    """

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        share = reciprocal(self._available(judgments))
        return PairPart(Reciprocal(), PairFactors(share, f=self._gains(judgments)))
