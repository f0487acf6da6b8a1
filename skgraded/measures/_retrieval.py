"""Measures of the set of the first k documents, and of where all relevant ones stand.

They look at every document: those of the list, then the judged ones that the list lacks. tp and fp
are the numbers of relevant and non-relevant documents among the first k of the list, fn and tn
those among all others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._base import LinearPart
from skgraded.measures._checks import check_at_least_zero
from skgraded.measures._pool_positions import UpToListEnd, UpToRecallBase
from skgraded.measures._positions import Constant, LogRank, Rank, reciprocal
from skgraded.measures._precision import _BinaryMeasure
from skgraded.rankings import Judgments

__all__ = [
    "FDR",
    "NPV",
    "Accuracy",
    "F",
    "Fallout",
    "NormalizedPrecision",
    "NormalizedRecall",
    "RPrecision",
    "Specificity",
    "cutoff_rank",
    "listed",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def cutoff_rank(k: int | None) -> int:
    """Return the last rank that counts, for the kernels."""
    return np.iinfo(np.int64).max if k is None else k


def listed(judgments: Judgments, levels: NDArray[np.bool_]) -> IntArray:
    """Count each query's documents, judged and in its list, whose level is marked."""
    # Unjudged documents have one of the two levels beyond the grades.
    marked = np.concatenate((levels, [False, False]))
    before = np.concatenate(([0], np.cumsum(marked[judgments.levels])))
    return np.diff(before[judgments.indptr])


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _SetMeasure(_BinaryMeasure):
    """A measure of the documents that the first k ranks hold, and of those that they lack."""

    _refuses: ClassVar[Mapping[str, str]] = {
        "normalize": "whose ideal ranking retrieves the pool alone"
    }

    def _n_all(self, judgments: Judgments) -> IntArray:
        """Documents of the list and judged documents that it lacks."""
        judged = judgments.list_lengths("condense")
        return judgments.list_lengths(self.unjudged) + judgments.pool.lengths - judged

    def _n_retrieved(self, judgments: Judgments) -> IntArray:
        """Documents at the first k ranks."""
        lengths = judgments.list_lengths(self.unjudged)
        return lengths if self.k is None else np.minimum(lengths, self.k)

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_relevant(judgments)

    def _true_positives(self, judgments: Judgments, scale: FloatArray | float) -> LinearPart:
        return LinearPart(Constant(), self._relevant(judgments).astype(np.float64), scale)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fallout(_SetMeasure):
    r"""Fallout, the false positive rate: share of the non-relevant documents that is retrieved.

    .. math:: FPR = \frac{fp}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn that of
    the others. 0 where every document is relevant. The lower, the better.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty, and its value 1, the
        worst, by default; ``normalize`` is refused.

    See Also
    --------
    Specificity : 1 - fallout.
    R : Share of the relevant documents that is retrieved.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded import Fallout
    >>> Fallout(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 1 of 4
    0.25
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False

    def _constant(self, judgments: Judgments) -> FloatArray:
        share = reciprocal(self._n_nonrelevant(judgments))
        retrieved: FloatArray = self._n_retrieved(judgments) * share
        return retrieved

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return self._true_positives(judgments, -reciprocal(self._n_nonrelevant(judgments)))


class Specificity(_SetMeasure):
    r"""Specificity, the true negative rate: share of the non-relevant documents not retrieved.

    .. math:: TNR = \frac{tn}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn that of
    the others. 1 where every document is relevant.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty; ``normalize`` is
        refused.

    See Also
    --------
    Fallout : 1 - specificity.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded import Specificity
    >>> Specificity(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def _constant(self, judgments: Judgments) -> FloatArray:
        share = reciprocal(self._n_nonrelevant(judgments))
        kept: FloatArray = 1.0 - self._n_retrieved(judgments) * share
        return np.where(share > 0, kept, 1.0)

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return self._true_positives(judgments, reciprocal(self._n_nonrelevant(judgments)))


class NPV(_SetMeasure):
    r"""Negative predictive value: share of the documents not retrieved that is not relevant.

    .. math:: NPV = \frac{tn}{tn + fn}

    where tn and fn are the numbers of non-relevant and relevant documents other than the first k
    of the list. 1 where no document is left out.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty; ``normalize`` is
        refused.

    See Also
    --------
    P : Share of the documents retrieved that is relevant.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded import NPV
    >>> NPV(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def _left_out(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_retrieved(judgments)

    def _constant(self, judgments: Judgments) -> FloatArray:
        share = reciprocal(self._left_out(judgments))
        return 1.0 - self._n_relevant(judgments) * share

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        return self._true_positives(judgments, reciprocal(self._left_out(judgments)))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FDR(_SetMeasure):
    r"""False discovery rate: share of the retrieved documents that is not relevant.

    .. math:: FDR = \frac{fp}{tp + fp} = 1 - P

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of
    the list. A list shorter than k is filled up with non-relevant documents, as for `P`. The lower,
    the better.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty, and its value 1, the
        worst, by default; ``normalize`` is refused.

    See Also
    --------
    P : 1 - false discovery rate.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995), "Controlling the False Discovery Rate", JRSS B 57(1).

    Examples
    --------
    >>> from skgraded import FDR
    >>> FDR(k=4)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    0.5
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False
    _changes_with_grades: ClassVar[int] = -1

    def _constant(self, judgments: Judgments) -> float:
        return 1.0

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = self._n_retrieved(judgments) if self.k is None else np.array(self.k)
        return self._true_positives(judgments, -reciprocal(length))


class Accuracy(_SetMeasure):
    r"""Accuracy: share of the documents that are relevant and retrieved, or neither.

    .. math:: ACC = \frac{tp + tn}{tp + fp + tn + fn}

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of the
    list, fn and tn those of the others. Most documents are not relevant to a query, so that a list
    that retrieves nothing is accurate.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty; ``normalize`` is
        refused.

    See Also
    --------
    F : Precision and recall, without the true negatives.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.3.

    Examples
    --------
    >>> from skgraded import Accuracy
    >>> Accuracy(k=2)([1, 0, 0, 1, 0], [5, 4, 3, 2, 1])  # 1 + 2 of 5
    0.6
    """

    def _constant(self, judgments: Judgments) -> FloatArray:
        wrong = self._n_retrieved(judgments) + self._n_relevant(judgments)
        return 1.0 - wrong * reciprocal(self._n_all(judgments))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        # A true positive is neither a false positive nor a false negative.
        return self._true_positives(judgments, 2.0 * reciprocal(self._n_all(judgments)))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class F(_BinaryMeasure):
    r"""F-measure: weighted harmonic mean of precision and recall at k.

    .. math::

        F = \frac{(\beta^2 + 1)\, P\, R}{\beta^2 P + R} = \frac{(\beta^2 + 1)\, tp}{\beta^2 RB + k}

    where P is precision and R recall at the cut-off k, tp the number of relevant documents among
    the first k of the list, RB that of all judged documents of the query that are relevant, and
    beta the weight of recall against precision. A list shorter than k is filled up with
    non-relevant documents; without a cut-off, k is the length of the list.

    Parameters
    ----------
    beta : float, default=1
        Weight of recall, >= 0; 0 is precision alone.
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a relevant document is empty.

    See Also
    --------
    P : Precision.
    R : Recall.

    References
    ----------
    .. [1] C. J. van Rijsbergen (1979), "Information Retrieval", Chapter 7.

    Examples
    --------
    >>> from skgraded import F
    >>> F(k=2)([1, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])  # P = 1/2, R = 1/4
    0.3333333333333333
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(beta=check_at_least_zero("beta", self.beta))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = judgments.list_lengths(self.unjudged) if self.k is None else np.array(self.k)
        weight = self.beta**2
        scale = (weight + 1.0) * reciprocal(weight * self._n_relevant(judgments) + length)
        positions = UpToListEnd(self.unjudged) if self.k is None else Constant()
        return LinearPart(positions, self._relevant(judgments).astype(np.float64), scale)


class RPrecision(_BinaryMeasure):
    r"""R-precision: precision at the rank that equals the number of relevant documents.

    .. math:: r = \frac{1}{R} \sum_{n=1}^{R} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel`` and R the number of judged documents
    of grade t or above. A cut-off k drops the terms n > k.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    P : The same cut-off for all queries.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 6.

    Examples
    --------
    >>> from skgraded import RPrecision
    >>> RPrecision()([1, 0, 1, 1], [4, 3, 2, 1])  # 2 of the first 3
    0.6666666666666666
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        share = reciprocal(self._n_relevant(judgments))
        return LinearPart(UpToRecallBase(self.rel), relevant, share)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _WholeRanking(_SetMeasure):
    """1 less how late relevant documents come, of how late they can come."""

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "which looks at every document",
        "normalize": "whose best value is 1 already",
    }

    def _lateness(self) -> Rank | LogRank:
        """Weight of a rank; the later, the heavier."""
        raise NotImplementedError

    def _latest(self, judgments: Judgments) -> FloatArray:
        """Sum of the weights of the last R ranks, less that of the first R."""
        raise NotImplementedError

    def _sum_to(self, n: IntArray) -> FloatArray:
        """Sum of the weights of the ranks 1..n."""
        weights = self._lateness().at(np.arange(1.0, n.max(initial=0) + 1))
        return np.concatenate(([0.0], np.cumsum(weights)))[n]

    def _constant(self, judgments: Judgments) -> FloatArray:
        """Return the value if the list's relevant documents stood at ranks of weight 0.

        Those that the list lacks come last of all.
        """
        n_all, n_relevant = self._n_all(judgments), self._n_relevant(judgments)
        n_missing = n_relevant - listed(judgments, self._relevant(judgments))
        missing = self._sum_to(n_all) - self._sum_to(n_all - n_missing)
        late = missing - self._sum_to(n_relevant)
        return 1.0 - late * reciprocal(self._latest(judgments))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(self._lateness(), relevant, -reciprocal(self._latest(judgments)))


class NormalizedRecall(_WholeRanking):
    r"""Normalized recall.

    .. math:: z_r = 1 - \frac{\sum_{d} n_d - \sum_{i=1}^{R} i}{R\, (N - R)}

    where the first sum runs over the R relevant documents of the query, n_d is the rank of one of
    them, and N the number of documents: those of the list, then the judged ones that it lacks, a
    relevant one at the very bottom. 1 where all relevant documents come first, 0 where they come
    last; 1 where all are relevant.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``k`` and ``normalize`` are refused. A query without a relevant
        document is empty.

    See Also
    --------
    NormalizedPrecision : Logarithms of the ranks.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 7.

    Examples
    --------
    >>> from skgraded import NormalizedRecall
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

    where the first sum runs over the R relevant documents of the query, n_d is the rank of one of
    them, and N the number of documents: those of the list, then the judged ones that it lacks, a
    relevant one at the very bottom. 1 where all relevant documents come first, 0 where they come
    last; 1 where all are relevant.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``k`` and ``normalize`` are refused. A query without a relevant
        document is empty.

    See Also
    --------
    NormalizedRecall : The ranks themselves.

    References
    ----------
    .. [1] G. Salton, M. E. Lesk (1968), "Computer Evaluation of Indexing and Text Processing",
       JACM 15(1).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 8.

    Examples
    --------
    >>> from skgraded import NormalizedPrecision
    >>> round(NormalizedPrecision()([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]), 4)  # 1 - log 2 / log 10
    0.699
    """

    def _lateness(self) -> LogRank:
        return LogRank()

    def _latest(self, judgments: Judgments) -> FloatArray:
        n_all, n_relevant = self._n_all(judgments), self._n_relevant(judgments)
        last = self._sum_to(n_all) - self._sum_to(n_all - n_relevant)
        return last - self._sum_to(n_relevant)
