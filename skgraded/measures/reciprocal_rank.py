"""Reciprocal rank and success, which depend only on the first relevant document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._positions import Constant
from skgraded.measures.cascade import _Cascade
from skgraded.rankings import Judgments

__all__ = ["RR", "Success"]

FloatArray = NDArray[np.float64]


class _StopsAtRelevant(_Cascade, _BinaryMeasure):
    """Base class of cascades whose user stops at the first relevant document."""

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._relevant(judgments).astype(np.float64)


class RR(_StopsAtRelevant):
    r"""Reciprocal rank of the first relevant document.

    .. math:: RR = \frac{1}{\min \{n : r_n \ge t\}}

    where r_n is the grade at rank n and t the threshold ``rel``. The value is 0 if the first k
    documents of the list contain no relevant one.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    ERR : Extension to a user who may go on after a relevant document.
    Success : Whether a relevant document is among the first k.

    References
    ----------
    .. [1] E. M. Voorhees (1999), "The TREC-8 Question Answering Track Report", TREC.

    Examples
    --------
    >>> from skgraded import RR
    >>> RR()([0, 1, 0, 1], [4, 3, 2, 1])
    0.5
    >>> RR()([0, 1], [1, 1])  # tied: (1 + 1/2) / 2
    0.75
    """


class Success(_StopsAtRelevant):
    r"""Success at k: whether a relevant document is among the first k.

    .. math:: Success@k = 1[\exists\, n \le k : r_n \ge t]

    where r_n is the grade at rank n and t the threshold ``rel``. With ``ties="expected"`` the value
    is the probability of this event over all orders of tied documents. NTCIREVAL and others call it
    Hit.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    RR : Reciprocal rank of the first relevant document.

    References
    ----------
    .. [1] trec_eval, measure ``success``, https://github.com/usnistgov/trec_eval, file
       ``m_success.c``.

    Examples
    --------
    >>> from skgraded.measures import Success
    >>> Success(k=2)([0, 1, 0, 1], [4, 3, 2, 1])
    1.0
    """

    def _worth(self) -> Constant:
        return Constant()
