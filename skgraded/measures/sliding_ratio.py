"""Sliding ratios: the gain of the first k documents divided by that of the ideal ranking."""

from __future__ import annotations

from typing import ClassVar

from skgraded.measures._gains import _GainMeasure
from skgraded.measures._positions import Reciprocal
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.measures.ndcg import CG
from skgraded.rankings import Judgments

__all__ = ["ModifiedSlidingRatio", "SlidingRatio"]


class SlidingRatio(CG):
    r"""Sliding ratio.

    .. math:: v_S = \frac{\sum_{n=1}^{k} x_n}{\sum_{n=1}^{k} x^*_n}

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking. It is the
    normalized `CG` at the cut-off k and does not depend on the order of the first k documents.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=True
        Divide by the value of the ideal ranking at the same cut-off.
    k, ties, unjudged : optional
        See `Measure`.

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

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=True
        Divide by the value of the ideal ranking at the same cut-off.
    k, ties, unjudged : optional
        See `Measure`.

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

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(Reciprocal(), self._gains(judgments), 1.0)
