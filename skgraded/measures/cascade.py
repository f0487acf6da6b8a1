"""Cascade measures: a user reads from the top and stops at the first satisfying document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._gains import Gain, _ScaleMeasure
from skgraded.measures._measure import Measure
from skgraded.measures._positions import Constant, Power, Reciprocal
from skgraded.rankings import Judgments, Ranked

__all__ = ["ERR", "iRBU"]

FloatArray = NDArray[np.float64]


class _Cascade(Measure):
    """Base class of measures that are the expected worth of the rank at which a user stops."""

    _changes_with_grades: ClassVar[int] = 1

    def _worth(self) -> Constant | Power | Reciprocal:
        """Return the worth of stopping at a rank."""
        return Reciprocal()

    def _stop(self, judgments: Judgments) -> FloatArray:
        """Return the probability of stopping at a document, by level."""
        raise NotImplementedError

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked_by_grade(self.ties, self.unjudged)
        return _core.cascade(
            *ranked,
            self._worth()(ranked, judgments),
            self._stop(judgments),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )


class ERR(_Cascade, _ScaleMeasure):
    r"""Expected reciprocal rank.

    .. math::

        ERR@k = \sum_{n=1}^{k} \frac{1}{n}\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, S(r) the probability that a document of grade r satisfies the
    user, v the gain and H the top grade of the scale. The default gain gives the original
    definition, S(r) = (2^r - 1) / 2^H; ``gain="linear"`` gives that of NTCIREVAL.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="exp2"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    RR : Cascade of a user who stops at the first relevant document.
    RBP : User model with the same probability of stopping at every rank.

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

    gain: Gain | Sequence[float] = "exp2"

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._gains(judgments) / (self._top_gain(judgments) + 1.0)


class iRBU(ERR):  # noqa: N801 - the name that its authors gave it
    r"""Intentwise rank-biased utility.

    .. math::

        iRBU@k = \sum_{n=1}^{k} p^n\, S(r_n) \prod_{m=1}^{n-1} (1 - S(r_m)),
        \qquad S(r) = \frac{v(r)}{v(H) + 1}

    where r_n is the grade at rank n, p the persistence, S(r) the probability that a document of
    grade r satisfies the user, v the gain and H the top grade of the scale. It is `ERR` with the
    worth p^n of a rank instead of 1/n. With p close to 1, the rank has little influence.

    Parameters
    ----------
    p : float, default=0.99
        Persistence, strictly between 0 and 1.
    gain : tuple of float, {"linear", "exp2"}, default="exp2"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    ERR : Cascade in which the worth of a rank is its reciprocal.
    RBP : User model in which stopping does not depend on the documents.

    References
    ----------
    .. [1] T. Sakai, Z. Zeng (2019), "Which Diversity Evaluation Measures Are 'Good'?", SIGIR.
    .. [2] E. Amigó, D. Spina, J. Carrillo-de-Albornoz (2018), "An Axiomatic Analysis of Diversity
       Evaluation Metrics: Introducing the Rank-Biased Utility Metric", SIGIR.

    Examples
    --------
    >>> from skgraded.measures import iRBU
    >>> iRBU(p=0.5, max_grade=1)([0, 1, 1], [3, 2, 1])  # 1/4 * 1/2 + 1/8 * 1/2 * 1/2
    0.15625
    """

    p: float = 0.99

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))

    def _worth(self) -> Power:
        return Power(self.p)
