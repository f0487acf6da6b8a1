"""Rank-biased precision: a user goes on to the next rank with a constant probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._support import arguments as _params
from skgraded._support.lazy import cached_property
from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._cwl import PrefixCWL
from skgraded.measures._gains import (
    Gain,
    check_gain,
    check_max_grade,
    gain_by_level,
    gain_of_top_grade,
    positive,
)
from skgraded.rankings import Judgments

__all__ = ["RBP"]

FloatArray = NDArray[np.float64]


_GAINS = ("binary", *get_args(Gain))


class RBP(_BinaryMeasure, PrefixCWL):
    r"""Rank-biased precision.

    .. math:: RBP = (1 - p) \sum_{n=1}^{N} p^{n-1}\, x_n

    where p is the user's persistence, which is the probability of going on from one document to
    the next, N the length of the list and x_n the relevance of the document of grade r_n at rank n.
    With the gain ``"binary"`` x_n is 1[r_n >= t] for the threshold t = ``rel``. With any other gain
    v it is v(r_n) / v(H), where H is the top grade of the scale.

    Parameters
    ----------
    p : float, default=0.8
        Persistence, strictly between 0 and 1.
    gain : tuple of float, {"binary", "linear", "exp2"}, default="binary"
        Gain of grade r: 0 or 1 (``"binary"``), r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple
        of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is linear or exp2; None takes it from the data.
    rel : float, default=1
        Lowest relevant grade t if gain is binary.
    empty : float, default=0.0
        Value of a query without a document of grade t or, with a graded gain, of a query whose
        documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    DCG : Gains with a logarithmic discount.
    ERR : User model in which stopping depends on the documents read so far.

    References
    ----------
    .. [1] A. Moffat, J. Zobel (2008), "Rank-biased Precision for Measurement of Retrieval
       Effectiveness", ACM TOIS 27(1).

    Examples
    --------
    >>> from skgraded import RBP
    >>> RBP(p=.5)([1, 0, 1, 0], [.9, .8, .7, .6])  # (1 + 1/4) / 2
    0.625
    >>> RBP(p=.5, gain="linear", max_grade=4)([4, 0, 2, 0], [4, 3, 2, 1])  # (1 + 1/4 * 1/2) / 2
    0.5625
    """

    p: float = 0.8
    gain: Literal["binary"] | Gain | Sequence[float] = "binary"
    max_grade: int | None = None

    rate = False

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))
        if isinstance(self.gain, str):
            _params.choice("gain", self.gain, _GAINS)
        if self._is_binary:
            if self.max_grade is not None:
                raise ValueError(
                    'max_grade must be None unless gain is graded, such as gain="linear"; '
                    f'got {self.max_grade!r} with gain="binary".'
                )
            return
        self._set(gain=check_gain(self.gain))
        self._set(max_grade=check_max_grade(self.max_grade, self.gain))
        if self.rel != 1:
            raise ValueError(
                f'rel must be 1 unless gain="binary", got {self.rel} with a graded gain.'
            )

    @property
    def _is_binary(self) -> bool:
        return isinstance(self.gain, str) and self.gain == "binary"

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data."""
        return self.gain in ("linear", "exp2") and self.max_grade is None

    def resolve(self, top_grade: int) -> Self:
        """Set ``max_grade`` if gain is given by name and ``max_grade`` is not given.

        Parameters
        ----------
        top_grade : int
            Top grade H of the scale.

        Returns
        -------
        Measure
            The measure with ``max_grade`` set, or the measure itself if it does not need it.
        """
        return self._replace(max_grade=max(1, math.ceil(top_grade))) if self.is_open else self

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        if self._is_binary:
            return super()._relevant(judgments)
        return positive(gain_by_level(self.gain, judgments, self))

    def _gain_by_level(self, judgments: Judgments) -> FloatArray:
        """Return (1 - p) times the relevance x."""
        if self._is_binary:
            return self._relevant(judgments).astype(np.float64) * (1.0 - self.p)
        top = gain_of_top_grade(self.gain, self.max_grade, judgments, self)
        return gain_by_level(self.gain, judgments, self) * ((1.0 - self.p) / (top or 1.0))

    def _continuation(self, n: Any, x: Any, G: Any) -> float:
        return self.p
