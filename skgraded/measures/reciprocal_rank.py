"""A user who stops at the first relevant document: reciprocal rank and success."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._positions import Constant
from skgraded.measures.cascade import _Cascade
from skgraded.rankings import Judgments

__all__ = ["RR", "Success"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _StopsAtRelevant(_Cascade, _BinaryMeasure):
    """A user who stops at the first relevant document."""

    def _stop(self, judgments: Judgments) -> FloatArray:
        return self._relevant(judgments).astype(np.float64)


class RR(_StopsAtRelevant):
    r"""Reciprocal rank of the first relevant document.

    .. math:: RR = \frac{1}{\min \{n : r_n \ge t\}}

    where r_n is the grade at rank n and t the threshold ``rel``; 0 where no such document is in
    the list, or among its first k.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    ERR : A user who may go on after a relevant document.
    Success : Whether there is one among the first k.

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

    where r_n is the grade at rank n and t the threshold ``rel``. Tied documents give the
    probability that one of them is.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    RR : At which rank the first one is.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information",
       SIGIR.

    Examples
    --------
    >>> from skgraded import Success
    >>> Success(k=2)([0, 1, 0, 1], [4, 3, 2, 1])
    1.0
    """

    def _worth(self) -> Constant:
        return Constant()
