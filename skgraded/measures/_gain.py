"""Cumulated gain: a gain for each grade, a discount for each rank."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._base import LinearPart, Measure
from skgraded.measures._checks import check_choice, is_number, numbers_of
from skgraded.measures._positions import JarvelinKekalainen, Log2
from skgraded.rankings import Judgments

__all__ = ["DCG", "nDCG"]

FloatArray = NDArray[np.float64]

_NAMED_GAINS = ("linear", "exp2")
_DISCOUNTS = ("log2", "jk")
_BINARY = 2.0


def check_gain(gain: Any) -> str | tuple[float, ...]:
    """Return a gain by name, or as a tuple of gains for the grades 1..c that do not decrease."""
    if isinstance(gain, str):
        check_choice("gain", gain, _NAMED_GAINS)
        return gain
    gains = numbers_of("gain", gain)
    if min(np.diff(gains, prepend=0.0)) < 0:
        raise ValueError(
            f"gain must not decrease with the grade, and grade 0 gains 0, got {gain!r}."
        )
    return gains


def exp2_gain(grades: FloatArray, judgments: Judgments, owner: object) -> FloatArray:
    """Return 2^r - 1; gains of all documents together must stay finite."""
    n_summands = 1 + judgments.n_documents + len(judgments.pool.levels)
    highest = np.log2(np.finfo(np.float64).max / n_summands)
    if grades[-1] >= highest:
        raise ValueError(
            f"y_true must hold grades below {highest:.0f} for the gain 2^r - 1 of {owner}, got "
            f'{grades[-1]:g}: gain="linear" takes any.'
        )
    gains: FloatArray = np.exp2(grades) - 1.0
    return gains


def gain_by_level(gain: str | Sequence[float], judgments: Judgments, owner: object) -> FloatArray:
    """Return the gain of every level."""
    grades = judgments.grades
    if gain == "linear":
        return grades
    if gain == "exp2":
        return exp2_gain(grades, judgments, owner)
    judgments.require_integer_grades(f"{owner}, whose gain is given grade by grade")
    if grades[-1] > len(gain):
        raise ValueError(
            f"gain must have an entry for each of the grades 1..{grades[-1]:g} in y_true, "
            f"got {len(gain)} in {owner}."
        )
    return np.concatenate(([0.0], gain))[grades.astype(np.int64)]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DCG(Measure):
    r"""Discounted cumulated gain.

    .. math:: DCG@k = \sum_{n=1}^{k} d_n\, v(r_n)

    where r_n is the grade (or fractional label) at rank n, v the gain and d_n the discount:
    v(r) = r (``"linear"``) or 2^r - 1 (``"exp2"``), or given grade by grade; d_n = 1 / log2(n + 1)
    (``"log2"``), or 1 for n < a and 1 / log_a(n) from rank a on (``"jk"``).

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    discount : {"log2", "jk"}, default="log2"
        Discount of a rank.
    log_base : float, default=2
        Base a > 1 of the ``"jk"`` discount.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    nDCG : Divided by the value of the ideal ranking.

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

    gain: str | Sequence[float] = "linear"
    discount: str = "log2"
    log_base: float = _BINARY

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("discount", self.discount, _DISCOUNTS)
        if not is_number(self.log_base) or not 1 < self.log_base < np.inf:
            raise ValueError(f"log_base must be a number > 1, got {self.log_base!r}.")
        if self.discount == "log2" and self.log_base != _BINARY:
            raise ValueError(
                f'log_base belongs to discount="jk", got {self.log_base!r} with discount="log2".'
            )
        self._set(gain=check_gain(self.gain), log_base=float(self.log_base))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return gain_by_level(self.gain, judgments, self) > 0

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        discount = Log2() if self.discount == "log2" else JarvelinKekalainen(self.log_base)
        return LinearPart(discount, gain_by_level(self.gain, judgments, self), 1.0)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class nDCG(DCG):
    r"""Normalized discounted cumulated gain.

    .. math:: nDCG@k = \frac{\sum_{n=1}^{k} d_n\, v(r_n)}{\sum_{n=1}^{k} d_n\, v(y_n)}

    where r_n is the grade (or fractional label) at rank n, y_n that of the ideal ranking, v the
    gain and d_n the discount, as in `DCG`. With linear gain it equals scikit-learn's
    ``ndcg_score``, with ``gain="exp2"``, ``ties="row_order"`` and ``empty=1`` LightGBM's ``ndcg``.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    discount : {"log2", "jk"}, default="log2"
        Discount of a rank.
    log_base : float, default=2
        Base a > 1 of the ``"jk"`` discount.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``normalize`` is True here. A query whose documents all gain 0 is
        empty.

    See Also
    --------
    DCG : Without the division.

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
