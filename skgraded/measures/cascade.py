"""Cascades: a user reads from the top and stops at a document that satisfies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core, _params
from skgraded.measures._gains import _ScaleMeasure
from skgraded.measures._measure import Measure
from skgraded.measures._positions import Constant, Power, Reciprocal
from skgraded.rankings import Judgments, Rankings

__all__ = ["ERR", "iRBU"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Cascade(Measure):
    """The expected worth of the rank at which a user stops."""

    _changes_with_grades: ClassVar[int] = 1

    def _worth(self) -> Constant | Power | Reciprocal:
        """Worth of stopping at a rank."""
        return Reciprocal()

    def _stop(self, judgments: Judgments) -> FloatArray:
        """Probability to stop at a document, by level."""
        raise NotImplementedError

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        return _core.cascade(
            *ranked,
            self._worth()(ranked, judgments),
            self._stop(judgments),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ERR(_Cascade, _ScaleMeasure):
    r"""Expected reciprocal rank.

    .. math::

        ERR@k = \sum_{n=1}^{k} \frac{1}{n}\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, S the probability that a document of that grade satisfies the
    user, v the gain and H the top grade of the scale. With the default gain 2^r - 1 that is
    S(r) = (2^r - 1) / 2^H, as its authors have it; NTCIREVAL takes ``gain="linear"``.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="exp2"
        Gain of a grade; a tuple holds those of the grades 1..H.
    max_grade : int, optional
        The scale's top grade H, where gain is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    RR : A user whom the first relevant document satisfies.
    RBP : A user who leaves with the same probability at every rank.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan (2009), "Expected Reciprocal Rank for
       Graded Relevance", CIKM.

    Examples
    --------
    >>> from skgraded import ERR
    >>> ERR(max_grade=2)([2, 0, 1], [3, 2, 1])  # 3/4 + 1/3 * 1/4 * 1/4
    0.7708333333333334
    """

    gain: str | Sequence[float] = "exp2"

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._gains(judgments) / (self._top_gain(judgments) + 1.0)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class iRBU(ERR):  # noqa: N801 - the name that its authors gave it
    r"""Intentwise rank-biased utility.

    .. math::

        iRBU@k = \sum_{n=1}^{k} p^n\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, p the persistence, S the probability that a document of that
    grade satisfies the user, v the gain and H the top grade of the scale. It is `ERR` with p^n in
    the place of 1/n: how deep the user has to read costs little where p is close to 1.

    Parameters
    ----------
    p : float, default=0.99
        Persistence, strictly between 0 and 1.
    gain : tuple of float, {"linear", "exp2"}, default="exp2"
        Gain of a grade; a tuple holds those of the grades 1..H.
    max_grade : int, optional
        The scale's top grade H, where gain is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query whose documents all gain 0 is empty.

    See Also
    --------
    ERR : The worth of a rank is its reciprocal.
    RBP : The user does not stop at a document that satisfies.

    References
    ----------
    .. [1] T. Sakai, Z. Zeng (2019), "Which Diversity Evaluation Measures Are 'Good'?", SIGIR.
    .. [2] E. Amigó, D. Spina, J. Carrillo-de-Albornoz (2018), "An Axiomatic Analysis of Diversity
       Evaluation Metrics: Introducing the Rank-Biased Utility Metric", SIGIR.

    Examples
    --------
    >>> from skgraded import iRBU
    >>> iRBU(p=0.5, max_grade=1)([0, 1, 1], [3, 2, 1])  # 1/4 * 1/2 + 1/8 * 1/2 * 1/2
    0.15625
    """

    p: float = 0.99

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))

    def _worth(self) -> Power:
        return Power(self.p)
