"""Cumulated gain, discounted cumulated gain, nDCG and averaged nDCG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._support import arguments as _params
from skgraded.measures._gains import Gain, _GainMeasure, check_gain, gain_by_level
from skgraded.measures._positions import Constant, JarvelinKekalainen, Log2
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments

__all__ = ["CG", "DCG", "AveragedNDCG", "nDCG"]


Discount = Literal["log2", "jk"]


_BINARY = 2.0


class CG(_GainMeasure, PrefixMeasure):
    r"""Cumulated gain.

    .. math:: CG@k = \sum_{n=1}^{k} v(r_n)

    where r_n is the grade (or fractional label) at rank n and v its gain. Without a cut-off the
    value does not depend on the order of the documents.

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
    DCG : Cumulated gain with a discount by rank.
    SlidingRatio : Cumulated gain divided by that of the ideal ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 29.

    Examples
    --------
    >>> from skgraded.measures import CG
    >>> CG()([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1))
    16.0
    """

    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return LinearPart(Constant(), self._gains(judgments), 1.0)


class DCG(PrefixMeasure):
    r"""Discounted cumulated gain.

    .. math:: DCG@k = \sum_{n=1}^{k} d_n\, v(r_n)

    where r_n is the grade (or fractional label) at rank n, v the gain and d_n the discount. The
    discount ``"log2"`` is d_n = 1 / log2(n + 1). The discount ``"jk"``, by Järvelin and Kekäläinen,
    is 1 for n < a and 1 / log_a(n) from rank a on.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    discount : {"log2", "jk"}, default="log2"
        Discount of a rank.
    log_base : float, default=2
        Base a > 1 of the discount ``"jk"``.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    nDCG : DCG divided by that of the ideal ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 22.

    Examples
    --------
    >>> from skgraded import DCG
    >>> round(DCG(discount="jk")([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1)), 2)
    9.61
    """

    gain: Gain | Sequence[float] = "linear"
    discount: Discount = "log2"
    log_base: float = _BINARY

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _params.choice("discount", self.discount, get_args(Discount))
        if not _params.is_number(self.log_base) or not 1 < self.log_base < np.inf:
            raise ValueError(f"log_base must be a finite number > 1, got {self.log_base!r}.")
        if self.discount == "log2" and self.log_base != _BINARY:
            raise ValueError(
                f'log_base must be {_BINARY:g} unless discount="jk", got {self.log_base!r} with '
                'discount="log2".'
            )
        self._set(gain=check_gain(self.gain), log_base=float(self.log_base))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return gain_by_level(self.gain, judgments, self) > 0

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        discount = Log2() if self.discount == "log2" else JarvelinKekalainen(self.log_base)
        return LinearPart(discount, gain_by_level(self.gain, judgments, self), 1.0)


class nDCG(DCG):
    r"""Normalized discounted cumulated gain.

    .. math:: nDCG@k = \frac{\sum_{n=1}^{k} d_n\, v(r_n)}{\sum_{n=1}^{k} d_n\, v(y_n)}

    where r_n is the grade (or fractional label) at rank n, y_n that of the ideal ranking, v the
    gain and d_n the discount, as in `DCG`. The defaults give scikit-learn's ``ndcg_score``;
    ``gain="exp2"``, ``ties="row_order"`` and ``empty=1`` give LightGBM's ``ndcg``.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    discount : {"log2", "jk"}, default="log2"
        Discount of a rank.
    log_base : float, default=2
        Base a > 1 of the discount ``"jk"``.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=True
        Divide by the value of the ideal ranking at the same cut-off.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    DCG : Numerator of nDCG.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002), "Cumulated Gain-Based Evaluation of IR Techniques",
       ACM TOIS 20(4).
    .. [2] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 22.

    Examples
    --------
    >>> from skgraded import nDCG
    >>> round(nDCG(discount="jk")([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], range(10, 0, -1)), 2)
    0.88
    """

    normalize: bool = True


class AveragedNDCG(DCG):
    r"""Average of nDCG over all cut-offs up to k.

    .. math:: v_D = \frac{1}{k} \sum_{i=1}^{k} \frac{DCG@i}{DCG_I@i}

    where DCG@i is the discounted cumulated gain at the cut-off i and DCG_I@i that of the ideal
    ranking. A list shorter than k is extended by non-relevant documents.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    discount : {"jk", "log2"}, default="jk"
        Discount of a rank, as in `DCG`.
    log_base : float, default=2
        Base a > 1 of the discount ``"jk"``.
    k : int, optional
        Highest cut-off of the average. None is the length of the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. Without k it is cut to the
        length of the retrieved list, so that 1 remains the largest value.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    nDCG : Value at one cut-off.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 32.

    Examples
    --------
    >>> from skgraded.measures import AveragedNDCG
    >>> round(AveragedNDCG()([0, 3, 2, 1, 0], [5, 4, 3, 2, 1]), 3)
    0.61
    """

    discount: Discount = "jk"
    _changes_with_grades: ClassVar[int] = 0

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        from skgraded.measures._pool_positions import AveragedDiscount

        discount = Log2() if self.discount == "log2" else JarvelinKekalainen(self.log_base)
        positions = AveragedDiscount(discount, self.gain, self.k)
        return LinearPart(positions, gain_by_level(self.gain, judgments, self), 1.0)
