"""Binary measures: a document is relevant from one grade on."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._base import LinearPart, Measure, PairPart
from skgraded.measures._checks import check_flag, check_grade
from skgraded.measures._pool_positions import UpToListEnd
from skgraded.measures._positions import Constant, Reciprocal, reciprocal
from skgraded.rankings import Judgments

__all__ = ["AP", "P", "R"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _BinaryMeasure(Measure):
    """A measure for which documents of grade ``rel`` or above are relevant."""

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(rel=check_grade("rel", self.rel))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        top = max(1.0, judgments.top_grade)
        if self.rel > top:
            raise ValueError(
                f"rel must be a grade of the scale, which ends at {top:g} in y_true, got "
                f"{self.rel} in {self}."
            )
        return judgments.grades >= self.rel

    def _n_relevant(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(self._relevant(judgments))


class AP(_BinaryMeasure):
    r"""Average precision.

    .. math::

        AP = \frac{1}{RB(t)} \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} 1[r_m \ge t]\, 1[r_n \ge t]

    where r_n is the grade at rank n of a list of N documents, t the threshold ``rel``, and RB(t)
    the recall base: the number of judged documents of grade t or above. A cut-off k drops the
    terms n > k and keeps RB(t), as trec_eval does; with ``normalize=True`` the divisor becomes
    min(RB(t), k) in effect, as in LightGBM.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    GAP, xGAP, eGAP : Extensions to graded relevance.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 1 and 2.

    Examples
    --------
    >>> from skgraded import AP
    >>> AP()([1, 0, 1, 0], [.9, .8, .7, .6])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        judgments.require_integer_grades(self)
        relevant = self._relevant(judgments)
        both = relevant[:, None] & relevant[None, :]
        K = both * reciprocal(self._n_relevant(judgments))[:, None, None]
        return PairPart(Reciprocal(), K)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class P(_BinaryMeasure):
    r"""Precision at k.

    .. math:: P@k = \frac{1}{k} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n and t the threshold ``rel``. A list shorter than k is filled
    up with non-relevant documents. Without a cut-off, k is the length of the list.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    fill : bool, default=True
        Whether to fill up a list shorter than k; otherwise its length is the divisor.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    R : Recall.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded import P
    >>> P(k=3)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.6666666666666666
    """

    fill: bool = True

    _changes_with_grades: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(fill=check_flag("fill", self.fill))

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        if self.k is not None and self.fill:
            return LinearPart(Constant(), relevant, 1.0 / self.k)
        length = judgments.list_lengths(self.unjudged)
        divisor = length if self.k is None else np.minimum(length, self.k)
        return LinearPart(UpToListEnd(self.unjudged), relevant, reciprocal(divisor))


class R(_BinaryMeasure):
    r"""Recall at k.

    .. math:: R@k = \frac{1}{RB(t)} \sum_{n=1}^{k} 1[r_n \ge t]

    where r_n is the grade at rank n, t the threshold ``rel`` and RB(t) the number of judged
    documents of grade t or above.

    Parameters
    ----------
    rel : int, default=1
        Lowest relevant grade t.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query without a document of grade t is empty.

    See Also
    --------
    P : Precision.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Section 2.

    Examples
    --------
    >>> from skgraded import R
    >>> R(k=2)([1, 0, 1, 0], [.9, .8, .7, .6])
    0.5
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(Constant(), relevant, reciprocal(self._n_relevant(judgments)))
