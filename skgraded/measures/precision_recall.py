"""Precision, recall and other measures that count retrieved and relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded._support import arguments as _params
from skgraded.measures._binary import _BinaryMeasure, _SetMeasure
from skgraded.measures._gains import _GainMeasure, _ScaleMeasure
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._pool_positions import UpToListEnd, UpToRecallBase, at_multiple
from skgraded.measures._positions import Constant, reciprocal
from skgraded.measures._prefix import LinearPart, PairPart, PrefixMeasure
from skgraded.rankings import Judgments

__all__ = [
    "FDR",
    "NPV",
    "Accuracy",
    "F",
    "Fallout",
    "GeneralizedP",
    "GeneralizedR",
    "P",
    "R",
    "RPrecision",
    "SetAP",
    "Specificity",
    "Utility",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class P(_BinaryMeasure, PrefixMeasure):
    r"""Precision at k.

    .. math:: P@k = \frac{1}{k} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n and t the threshold ``rel``. A list shorter than k is extended
    by non-relevant documents.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    fill : bool, default=True
        If False, the divisor of a list shorter than k is its length.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the length of the list.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. Without k, or with
        ``fill=False``, it is cut to the length of the retrieved list, so that 1 remains the largest
        value.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    R : Recall.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded.measures import P
    >>> P(k=3)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.6666666666666666
    """

    fill: bool = True

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(fill=_params.flag("fill", self.fill))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        if self.k is not None and self.fill:
            return LinearPart(Constant(), relevant, 1.0 / self.k)
        length = judgments.list_lengths(self.unjudged)
        divisor = length if self.k is None else np.minimum(length, self.k)
        return LinearPart(UpToListEnd(self.unjudged), relevant, reciprocal(divisor))


class R(_BinaryMeasure, PrefixMeasure):
    r"""Recall at k.

    .. math:: R@k = \frac{1}{RB(t)} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel`` and RB(t) the number of judged
    documents of grade t or above.

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
    P : Precision.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded.measures import R
    >>> R(k=2)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.5
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(Constant(), relevant, reciprocal(self._n_relevant(judgments)))


class F(_BinaryMeasure, PrefixMeasure):
    r"""F-measure: weighted harmonic mean of precision and recall at k.

    .. math::

        F = \frac{(\beta^2 + 1)\, P\, R}{\beta^2 P + R} = \frac{(\beta^2 + 1)\, tp}{\beta^2 RB + k}

    where P is precision and R recall at the cut-off k, tp the number of relevant documents among
    the first k of the list, RB the number of judged relevant documents of the query, and beta the
    weight of recall relative to precision. A list shorter than k is extended by non-relevant
    documents.

    Parameters
    ----------
    beta : float, default=1
        Weight of recall relative to precision, >= 0. The value 0 gives precision.
    rel : float, default=1
        Lowest relevant grade.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the length of the list.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. Without k it is cut to the
        length of the retrieved list, so that 1 remains the largest value.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    P : Precision.
    R : Recall.

    References
    ----------
    .. [1] C. J. van Rijsbergen (1979), "Information Retrieval", Chapter 7.

    Examples
    --------
    >>> from skgraded.measures import F
    >>> F(k=2)([1, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])  # P = 1/2, R = 1/4
    0.3333333333333333
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(beta=_params.number("beta", self.beta, at_least=0))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = judgments.list_lengths(self.unjudged) if self.k is None else np.array(self.k)
        weight = self.beta**2
        scale = (weight + 1.0) * reciprocal(weight * self._n_relevant(judgments) + length)
        positions = UpToListEnd(self.unjudged) if self.k is None else Constant()
        return LinearPart(positions, self._relevant(judgments).astype(np.float64), scale)


class RPrecision(_BinaryMeasure, PrefixMeasure):
    r"""R-precision: precision at the rank that equals the number of relevant documents.

    .. math:: r = \frac{1}{c} \sum_{n=1}^{c} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel``, R the number of judged documents
    of grade t or above, and the rank c is R, or ``multiple`` times R: rounded up, except that a
    fraction below 0.1 is dropped.

    Parameters
    ----------
    multiple : float, default=1
        Factor of R, > 0. trec_eval's Rprec_mult has 0.2, 0.4 and so on up to 2.
    rel : float, default=1
        Lowest relevant grade t.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    P : Precision with the same cut-off for all queries.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 6.
    .. [2] trec_eval, measure ``Rprec_mult``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import RPrecision
    >>> RPrecision()([1, 0, 1, 1], [4, 3, 2, 1])  # 2 of the first 3
    0.6666666666666666
    >>> RPrecision(multiple=0.5)([1, 0, 1, 1], [4, 3, 2, 1])  # 1 of the first 2, 1.5 rounded up
    0.5
    """

    multiple: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(multiple=_params.number("multiple", self.multiple, above=0))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        share = reciprocal(at_multiple(self._n_relevant(judgments), self.multiple))
        return LinearPart(UpToRecallBase(self.rel, self.multiple), relevant, share)


class Fallout(_SetMeasure):
    r"""Fallout, the false positive rate: share of the non-relevant documents that are retrieved.

    .. math:: FPR = \frac{fp}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn the number
    of the other non-relevant documents. The value is 0 if all documents are relevant. Lower values
    are better.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    empty : float, default=1.0
        Value of a query without a relevant document, which is the worst value by default; nan
        leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    Specificity : 1 - fallout.
    R : Share of the relevant documents that are retrieved.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import Fallout
    >>> Fallout(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 1 of 4
    0.25
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_nonrelevant(judgments))
        return self._true_positives(judgments, -share, self._n_retrieved(judgments) * share)


class Specificity(_SetMeasure):
    r"""Specificity, the true negative rate: share of the non-relevant documents not retrieved.

    .. math:: TNR = \frac{tn}{tn + fp}

    where fp is the number of non-relevant documents among the first k of the list and tn the number
    of the other non-relevant documents. The value is 1 if all documents are relevant.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    Fallout : 1 - specificity.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import Specificity
    >>> Specificity(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_nonrelevant(judgments))
        left_out = np.where(share > 0, 1.0 - self._n_retrieved(judgments) * share, 1.0)
        return self._true_positives(judgments, share, left_out)


class NPV(_SetMeasure):
    r"""Negative predictive value: share of the unretrieved documents that are not relevant.

    .. math:: NPV = \frac{tn}{tn + fn}

    where tn and fn are the numbers of non-relevant and relevant documents other than the first k
    of the list. The value is 1 if there are no other documents.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    P : Share of the retrieved documents that are relevant.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.

    Examples
    --------
    >>> from skgraded.measures import NPV
    >>> NPV(k=2)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # 3 of 4
    0.75
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_all(judgments) - self._n_retrieved(judgments))
        return self._true_positives(judgments, share, 1.0 - self._n_relevant(judgments) * share)


class FDR(_SetMeasure):
    r"""False discovery rate: share of the retrieved documents that are not relevant.

    .. math:: FDR = \frac{fp}{tp + fp} = 1 - P

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of
    the list. A list shorter than k is extended by non-relevant documents, as for `P`. Lower values
    are better.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the length of the list.
    empty : float, default=1.0
        Value of a query without a relevant document, which is the worst value by default; nan
        leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    P : 1 - false discovery rate.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995), "Controlling the False Discovery Rate", JRSS B 57(1).

    Examples
    --------
    >>> from skgraded.measures import FDR
    >>> FDR(k=4)([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    0.5
    """

    empty: float = 1.0
    greater_is_better: ClassVar[bool] = False
    _changes_with_grades: ClassVar[int] = -1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = self._n_retrieved(judgments) if self.k is None else np.array(self.k)
        return self._true_positives(judgments, -reciprocal(length), 1.0)


class Accuracy(_SetMeasure):
    r"""Accuracy: share of the documents that are relevant and retrieved, or are neither.

    .. math:: ACC = \frac{tp + tn}{tp + fp + tn + fn}

    where tp and fp are the numbers of relevant and non-relevant documents among the first k of the
    list, and fn and tn those among the other documents. Since most documents are not relevant to a
    query, even an empty list has a high accuracy.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    F : Mean of precision and recall, which ignores the true negatives.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.3.

    Examples
    --------
    >>> from skgraded.measures import Accuracy
    >>> Accuracy(k=2)([1, 0, 0, 1, 0], [5, 4, 3, 2, 1])  # 1 + 2 of 5
    0.6
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        share = reciprocal(self._n_all(judgments))
        # The constant subtracts a true positive twice, as retrieved and as relevant.
        wrong = self._n_retrieved(judgments) + self._n_relevant(judgments)
        return self._true_positives(judgments, 2.0 * share, 1.0 - wrong * share)


class GeneralizedP(_ScaleMeasure, PrefixMeasure):
    r"""Generalized precision.

    .. math:: g_P@k = \frac{1}{k} \sum_{n=1}^{k} \frac{v(r_n)}{v(H)}

    where r_n is the grade (or fractional label) at rank n, v its gain and H the top grade of the
    scale. A list shorter than k is extended by non-relevant documents.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the length of the list.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. Without k it is cut to the
        length of the retrieved list, so that 1 remains the largest value.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    P : Precision for binary relevance.
    GeneralizedR : Share of the gain of the pool that is retrieved.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded.measures import GeneralizedP
    >>> GeneralizedP(max_grade=4, k=2)([3, 1, 2], [3, 2, 1])  # (3/4 + 1/4) / 2
    0.5
    """

    _changes_with_grades: ClassVar[int] = 1

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        length = judgments.list_lengths(self.unjudged) if self.k is None else np.array(self.k)
        top = reciprocal(np.array(self._top_gain(judgments)))
        positions = UpToListEnd(self.unjudged) if self.k is None else Constant()
        return LinearPart(positions, self._gains(judgments) * top, reciprocal(length))


class GeneralizedR(_GainMeasure, PrefixMeasure):
    r"""Generalized recall.

    .. math:: g_R@k = \frac{\sum_{n=1}^{k} v(r_n)}{\sum_{d \in P} v(r_d)}

    where r_n is the grade (or fractional label) at rank n, v its gain and P the pool of all judged
    documents.

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
    R : Recall for binary relevance.
    SlidingRatio : Gain divided by the largest possible gain of k documents.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin (2002), "Using Graded Relevance Assessments in IR
       Evaluation", JASIST 53(13).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.4.

    Examples
    --------
    >>> from skgraded.measures import GeneralizedR
    >>> GeneralizedR(k=2)([3, 1, 4], [3, 2, 1])  # (3 + 1) / 8
    0.5
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        gains = self._gains(judgments)
        return LinearPart(Constant(), gains, reciprocal(self._available(judgments)))


class SetAP(_BinaryMeasure, PrefixMeasure):
    r"""Set average precision: the product of precision and recall.

    .. math:: SetAP = P \cdot R = \frac{tp^2}{k\, RB}

    where P is precision and R recall at the cut-off k, tp the number of relevant documents among
    the first k of the list and RB the number of judged relevant documents of the query. A list
    shorter than k is extended by non-relevant documents. It is `AP` if the precision at every
    retrieved relevant document were that of the whole list.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the length of the list.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. Without k it is cut to the
        length of the retrieved list, so that 1 remains the largest value.
    ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    F : Harmonic mean of precision and recall.
    AP : Average precision of the ranked list.

    References
    ----------
    .. [1] trec_eval, measure ``set_map``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import SetAP
    >>> SetAP(k=2)([1, 0, 0, 1, 1, 1], [6, 5, 4, 3, 2, 1])  # 1/2 * 1/4
    0.125
    """

    def _scale(self, judgments: Judgments) -> tuple[UpToListEnd | Constant, FloatArray]:
        length = judgments.list_lengths(self.unjudged) if self.k is None else np.array(self.k)
        positions = UpToListEnd(self.unjudged) if self.k is None else Constant()
        return positions, reciprocal(self._n_relevant(judgments) * length)

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        # The square of tp is twice the number of pairs m <= n, less tp.
        positions, scale = self._scale(judgments)
        return LinearPart(positions, self._relevant(judgments).astype(np.float64), -scale)

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        positions, scale = self._scale(judgments)
        relevant = self._relevant(judgments).astype(np.float64)
        return PairPart(positions, PairFactors(2.0 * scale, u=relevant, w=relevant))


class Utility(_SetMeasure):
    r"""Utility: a weighted sum of the four numbers of retrieved and relevant documents.

    .. math:: U = w_1 tp + w_2 fp + w_3 fn + w_4 tn

    where tp and fp are the numbers of relevant and of non-relevant documents among the first k of
    the list, fn and tn those of the other relevant and non-relevant documents of the query, and
    w_1, ..., w_4 the weights. The documents of a query are those of its list and its pool.

    Parameters
    ----------
    weights : tuple of float, default=(1, -1, 0, 0)
        Weights of a document that is relevant and retrieved, non-relevant and retrieved, relevant
        and not retrieved, non-relevant and not retrieved.
    rel : float, default=1
        Lowest relevant grade.
    empty : float, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    k, ties, unjudged : optional
        See `Measure`.

    See Also
    --------
    Accuracy : Utility with the weights 1, 0, 0, 1, divided by the number of documents.

    References
    ----------
    .. [1] trec_eval, measure ``utility``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import Utility
    >>> Utility(weights=(2, -1, 0, 0))([1, 0, 1], [3, 2, 1])  # 2 - 1 + 2
    3.0
    """

    weights: Sequence[float] = (1.0, -1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = np.asarray(self.weights, dtype=object)
        if weights.shape != (4,) or not all(map(_params.is_number, weights)):
            raise ValueError(
                "weights must hold four numbers, for documents that are relevant and retrieved, "
                "non-relevant and retrieved, relevant and not retrieved, and non-relevant and not "
                f"retrieved; got {self.weights!r}."
            )
        if not np.isfinite(weights.astype(np.float64)).all():
            raise ValueError(f"weights must hold finite numbers, got {self.weights!r}.")
        self._set(weights=tuple(map(float, weights)))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        found, retrieved, missed, left = self.weights
        # The constant counts every relevant document as missed, and the true positives as false.
        n_retrieved, n_relevant = self._n_retrieved(judgments), self._n_relevant(judgments)
        n_left = self._n_all(judgments) - n_retrieved - n_relevant
        constant = retrieved * n_retrieved + missed * n_relevant + left * n_left
        return self._true_positives(judgments, found - retrieved - missed + left, constant)
