"""Normalized recall and precision, which compare the ranks of all relevant documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._binary import _SetMeasure, listed
from skgraded.measures._positions import LogRank, Rank, reciprocal
from skgraded.measures._prefix import LinearPart
from skgraded.rankings import Judgments

__all__ = ["NormalizedPrecision", "NormalizedRecall"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class _WholeRanking(_SetMeasure):
    """Base class: 1 - (weights of the relevant documents' ranks - minimum) / (maximum - minimum).

    The weight of a rank is the rank itself or its logarithm.
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "because all documents count",
        "normalize": "because its largest value is 1 already",
    }

    def _lateness(self) -> Rank | LogRank:
        """Return the weights of the ranks, which increase with the rank."""
        raise NotImplementedError

    def _latest(self, judgments: Judgments) -> FloatArray:
        """Return the sum of the weights of the last R ranks minus that of the first R ranks."""
        raise NotImplementedError

    def _sum_to(self, n: IntArray) -> FloatArray:
        """Return the sum of the weights of the ranks 1..n."""
        weights = self._lateness().at(np.arange(1.0, n.max(initial=0) + 1))
        return np.concatenate(([0.0], np.cumsum(weights)))[n]

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments)
        share = reciprocal(self._latest(judgments))
        # Relevant documents that are missing from the list take the last ranks.
        n_all, n_relevant = self._n_all(judgments), self._n_relevant(judgments)
        n_missing = n_relevant - listed(judgments, relevant)
        missing = self._sum_to(n_all) - self._sum_to(n_all - n_missing)
        late = missing - self._sum_to(n_relevant)
        return LinearPart(
            self._lateness(), relevant.astype(np.float64), -share, constant=1.0 - late * share
        )


class NormalizedRecall(_WholeRanking):
    r"""Normalized recall.

    .. math:: z_r = 1 - \frac{\sum_{d} n_d - \sum_{i=1}^{R} i}{R\, (N - R)}

    where the first sum runs over the R relevant documents d of the query, n_d is the rank of d, and
    N is the number of documents in the list plus the judged documents that are missing from it.
    Missing documents rank below the list, and relevant ones among them take the last ranks. The
    value is 1 if all relevant documents come first or all documents are relevant, and 0 if the
    relevant documents come last.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    k : {None}, optional
        Any other value is an error, because all documents count.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    NormalizedPrecision : Normalized sum of the logarithms of the ranks.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 7.

    Examples
    --------
    >>> from skgraded.measures import NormalizedRecall
    >>> round(NormalizedRecall()([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]), 4)  # 1 - (5 - 3) / (2 * 3)
    0.6667
    """

    def _lateness(self) -> Rank:
        return Rank()

    def _latest(self, judgments: Judgments) -> FloatArray:
        n_relevant = self._n_relevant(judgments)
        return (n_relevant * (self._n_all(judgments) - n_relevant)).astype(np.float64)


class NormalizedPrecision(_WholeRanking):
    r"""Normalized precision.

    .. math:: z_p = 1 - \frac{\sum_{d} \log n_d - \sum_{i=1}^{R} \log i}{\log {N \choose R}}

    where the first sum runs over the R relevant documents d of the query, n_d is the rank of d, and
    N is the number of documents in the list plus the judged documents that are missing from it.
    Missing documents rank below the list, and relevant ones among them take the last ranks. The
    value is 1 if all relevant documents come first or all documents are relevant, and 0 if the
    relevant documents come last.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    k : {None}, optional
        Any other value is an error, because all documents count.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    NormalizedRecall : Normalized sum of the ranks.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 8.

    Examples
    --------
    >>> from skgraded.measures import NormalizedPrecision
    >>> round(NormalizedPrecision()([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]), 4)  # 1 - log 2 / log 10
    0.699
    """

    def _lateness(self) -> LogRank:
        return LogRank()

    def _latest(self, judgments: Judgments) -> FloatArray:
        n_all, n_relevant = self._n_all(judgments), self._n_relevant(judgments)
        last = self._sum_to(n_all) - self._sum_to(n_all - n_relevant)
        return last - self._sum_to(n_relevant)
