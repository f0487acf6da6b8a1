"""Gain cumulated without a logarithmic discount: CG, sliding ratios, generalized P and R."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._base import LinearPart
from skgraded.measures._gain import DCG, gain_by_level
from skgraded.measures._pool_positions import AveragedDiscount, UpToListEnd
from skgraded.measures._positions import Constant, JarvelinKekalainen, Log2, Reciprocal, reciprocal
from skgraded.measures._scale import _GainMeasure, _ScaleMeasure
from skgraded.rankings import Judgments

__all__ = [
    "CG",
    "AveragedNDCG",
    "GeneralizedP",
    "GeneralizedR",
    "ModifiedSlidingRatio",
    "SlidingRatio",
]

FloatArray = NDArray[np.float64]


class CG(_GainMeasure):
    r"""Cumulated gain.

    .. math:: CG@k = \sum_{n=1}^{k} v(r_n)

    where r_n is the grade (or fractional label) at rank n and v its gain. Without a cut-off the
    order of the documents does not matter.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    DCG : Gains are discounted by rank.
    SlidingRatio : Divided by the value of the ideal ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 29.

    Examples
    --------
    >>> from skgraded import CG
    >>> CG()([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1))
    16.0
    """

    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(Constant(), self._gains(judgments), 1.0)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SlidingRatio(CG):
    r"""Sliding ratio.

    .. math:: v_S = \frac{\sum_{n=1}^{k} x_n}{\sum_{n=1}^{k} x^*_n}

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking. It is the ratio of
    the two `CG` at the cut-off k; the order of the first k documents does not matter.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``normalize`` is True here. A query whose documents all gain 0 is
        empty.

    See Also
    --------
    ModifiedSlidingRatio : Gains are divided by their ranks first.

    References
    ----------
    .. [1] S. M. Pollack (1968), "Measures for the Comparison of Information Retrieval Systems",
       American Documentation 19(4).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 26.

    Examples
    --------
    >>> from skgraded import SlidingRatio
    >>> SlidingRatio(k=3)([1, 2, 3, 0, 2], [5, 4, 3, 2, 1])  # 6 / (3 + 2 + 2)
    0.8571428571428571
    """

    normalize: bool = True


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ModifiedSlidingRatio(_GainMeasure):
    r"""Modified sliding ratio.

    .. math::

        v_{S'} = \frac{\sum_{n=1}^{k} \frac{1}{n} x_n}{\sum_{n=1}^{k} \frac{1}{n} x^*_n}

    where x_n is the gain at rank n and x*_n that at rank n of the ideal ranking.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``normalize`` is True here. A query whose documents all gain 0 is
        empty.

    See Also
    --------
    SlidingRatio : Without the division by ranks.
    nDCG : A logarithmic discount, less steep.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 27.

    Examples
    --------
    >>> from skgraded import ModifiedSlidingRatio
    >>> round(ModifiedSlidingRatio()([1, 2, 3, 0, 0, 2], [6, 5, 4, 3, 2, 1]), 3)
    0.678
    """

    normalize: bool = True
    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(Reciprocal(), self._gains(judgments), 1.0)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AveragedNDCG(DCG):
    r"""Average of normalized discounted cumulated gain over all cut-offs.

    .. math:: v_D = \frac{1}{k} \sum_{i=1}^{k} \frac{DCG@i}{DCG_I@i}

    where DCG@i is the discounted cumulated gain down to rank i and DCG_I@i that of the ideal
    ranking. A list shorter than k is filled up with non-relevant documents; without a cut-off, k
    is the length of the list.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    discount : {"jk", "log2"}, default="jk"
        Discount of a rank, as in `DCG`.
    log_base : float, default=2
        Base a > 1 of the ``"jk"`` discount.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    nDCG : At one cut-off.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 32.

    Examples
    --------
    >>> from skgraded import AveragedNDCG
    >>> round(AveragedNDCG()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 3)
    0.61
    """

    discount: str = "jk"
    _changes_with_grades: ClassVar[int] = 0

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        discount = Log2() if self.discount == "log2" else JarvelinKekalainen(self.log_base)
        positions = AveragedDiscount(discount, self.gain, self.k)
        return LinearPart(positions, gain_by_level(self.gain, judgments, self), 1.0)


class GeneralizedP(_ScaleMeasure):
    r"""Generalized precision.

    .. math:: g_P@k = \frac{1}{k} \sum_{n=1}^{k} \frac{v(r_n)}{v(H)}

    where r_n is the grade (or fractional label) at rank n, v its gain and H the top grade of the
    scale. A list shorter than k is filled up with non-relevant documents; without a cut-off, k is
    the length of the list.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..H.
    max_grade : int, optional
        The scale's top grade H, where gain is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    P : Binary relevance.
    GeneralizedR : Share of the gain that the pool offers.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded import GeneralizedP
    >>> GeneralizedP(max_grade=4, k=2)([3, 1, 2], [3, 2, 1])  # (3/4 + 1/4) / 2
    0.5
    """

    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = judgments.list_lengths(self.unjudged) if self.k is None else np.array(self.k)
        top = reciprocal(np.array(self._top_gain(judgments)))
        positions = UpToListEnd(self.unjudged) if self.k is None else Constant()
        return LinearPart(positions, self._gains(judgments) * top, reciprocal(length))


class GeneralizedR(_GainMeasure):
    r"""Generalized recall.

    .. math:: g_R@k = \frac{\sum_{n=1}^{k} v(r_n)}{\sum_{d \in P} v(r_d)}

    where r_n is the grade (or fractional label) at rank n, v its gain and P the pool of all judged
    documents.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    R : Binary relevance.
    SlidingRatio : Divided by what the first k ranks can offer.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded import GeneralizedR
    >>> GeneralizedR(k=2)([3, 1, 4], [3, 2, 1])  # (3 + 1) / 8
    0.5
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        gains = self._gains(judgments)
        return LinearPart(Constant(), gains, reciprocal(self._available(judgments)))
