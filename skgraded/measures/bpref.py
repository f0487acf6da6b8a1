"""Bpref and its variants, which count judged non-relevant documents above relevant ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._binary import COUNTS_JUDGED, _BinaryMeasure, listed
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._positions import Constant, FromSecond, ReciprocalAbove, reciprocal
from skgraded.measures._prefix import LinearPart, PairPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, Unjudged

__all__ = ["Bpref", "BprefN", "BprefR", "BprefRelative", "BprefTen", "OldBpref"]

FloatArray = NDArray[np.float64]


_TEN = 10


class _BinaryPreference(_BinaryMeasure):
    """Base class of the bpref family."""

    unjudged: Unjudged = "condense"

    def _n_nonrelevant(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(~self._relevant(judgments))

    def _share(self, judgments: Judgments) -> FloatArray:
        """Return 1 / R by query."""
        return reciprocal(self._n_relevant(judgments))

    def _penalties(self, judgments: Judgments, scale: FloatArray) -> PairFactors:
        """Return K[a, b] = -1 where a non-relevant a stands above a relevant b, times a scale."""
        relevant = self._relevant(judgments)
        above, below = (~relevant).astype(np.float64), -relevant.astype(np.float64)
        return PairFactors(scale, u=above, w=below)


class _ClippedPreference(_BinaryPreference):
    """Base class of bpref variants whose penalty counts a limited number of documents."""

    def _penalty(self, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the largest number of documents that are counted, and the divisor."""
        raise NotImplementedError

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        most, divisor = self._penalty(judgments)
        kept = _core.preferences(
            *rankings.ranked(self.ties, self.unjudged),
            self._relevant(judgments).astype(np.uint8),
            most.astype(np.float64),
            divisor.astype(np.float64),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )
        return kept * self._share(judgments)


class Bpref(_ClippedPreference):
    r"""Binary preference, as in trec_eval.

    .. math::

        bpref = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                \left(1 - \frac{\min(R, n - count(n))}{\min(R, N)}\right)

    where r_n is the grade at rank n of the condensed list, which holds only judged documents, t is
    the threshold ``rel``, and R and N are the numbers of judged relevant and judged non-relevant
    documents of the query. count(n) is the number of relevant documents at ranks 1..n, so that
    n - count(n) judged non-relevant documents rank above a relevant document at rank n. If N is 0,
    there is no penalty.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    BprefR : Equal to bpref if R <= N.
    BprefN : Equal to bpref if R >= N.
    AP : ``AP(unjudged="condense")`` is bpref with penalties relative to the rank.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 1 and 9.
    .. [2] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information",
       SIGIR.

    Examples
    --------
    >>> from skgraded import Bpref
    >>> nan = float("nan")
    >>> Bpref()([0, 1, nan, 1, 0, 0], [6, 5, 4, 3, 2, 1])  # ((1 - 1/2) + (1 - 1/2)) / 2
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def _penalty(self, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        n_relevant = self._n_relevant(judgments)
        return n_relevant, np.minimum(n_relevant, self._n_nonrelevant(judgments))


class BprefR(_ClippedPreference):
    r"""Binary preference whose penalty is divided by the number of relevant documents.

    .. math::

        bpref\_R = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                   \left(1 - \frac{\min(R, n - count(n))}{R}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    Bpref : Equal to bpref_R if R <= N.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 10.

    Examples
    --------
    >>> from skgraded.measures import BprefR
    >>> BprefR()([0, 1, 1, 1], [4, 3, 2, 1])  # 1 - 1/3 for all three relevant documents
    0.6666666666666666
    """

    def _penalty(self, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        n_relevant = self._n_relevant(judgments)
        return n_relevant, n_relevant


class OldBpref(_ClippedPreference):
    r"""Binary preference as early versions of trec_eval computed it.

    .. math::

        \frac{1}{R} \sum_{n} 1[r_n \ge t]
        \left(1 - \frac{\min(R, n - count(n))}{\min(R, N_{ret})}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, N_ret their number in the whole list,
    and R the number of judged relevant documents of the query. This definition is a known error in
    trec_eval, which values in older papers contain: the penalty is larger in lists that retrieve
    fewer non-relevant documents.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    Bpref : Corrected definition, with N of the pool instead of N_ret.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Section 4.1, below Eq. 9.

    Examples
    --------
    >>> from skgraded import Bpref
    >>> from skgraded.measures import OldBpref
    >>> y_true, y_score = [0, 1, 1, 0, 0], [5, 4, 3, 2, 1]
    >>> OldBpref()(y_true, y_score) == Bpref()(y_true, y_score)  # N_ret = N
    True
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def _penalty(self, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        n_relevant = self._n_relevant(judgments)
        retrieved = listed(judgments, ~self._relevant(judgments))
        return n_relevant, np.minimum(n_relevant, retrieved)


class BprefTen(_ClippedPreference):
    r"""Binary preference whose penalty is divided by 10 + R: bpref-10.

    .. math::

        bpref\text{-}10 = \frac{1}{R} \sum_{n} 1[r_n \ge t]
                          \left(1 - \frac{\min(10 + R, n - count(n))}{10 + R}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query. The summand 10 makes the measure less coarse for queries with few
    relevant documents.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    BprefR : Penalty divided by R.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information",
       SIGIR.

    Examples
    --------
    >>> from skgraded.measures import BprefTen
    >>> round(BprefTen()([0, 1, 1], [3, 2, 1]), 4)  # 1 - 1/12
    0.9167
    """

    def _penalty(self, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        scale = self._n_relevant(judgments) + _TEN
        return scale, scale


class BprefN(_BinaryPreference, PrefixMeasure):
    r"""Binary preference whose penalty is divided by the number of non-relevant documents.

    .. math::

        bpref\_N = \frac{1}{R} \sum_{n} 1[r_n \ge t] \left(1 - \frac{n - count(n)}{N}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R and N are the numbers of
    judged relevant and judged non-relevant documents of the query. It is also known as
    bpref_allnonrel.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"condense"}, default="condense"
        Unjudged documents are removed from the list; ``"nonrelevant"`` is an error.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    RprefN : Extension to graded relevance.
    Bpref : Equal to bpref_N if R >= N.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 11.

    Examples
    --------
    >>> from skgraded.measures import BprefN
    >>> BprefN()([0, 1, 1, 0], [4, 3, 2, 1])  # 1 - 1/2
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = COUNTS_JUDGED

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(Constant(), relevant, self._share(judgments))

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        scale = self._share(judgments) * reciprocal(self._n_nonrelevant(judgments))
        return PairPart(Constant(), self._penalties(judgments, scale))


class BprefRelative(_BinaryPreference, PrefixMeasure):
    r"""Binary preference with a penalty relative to the rank.

    .. math::

        bpref\_relative = \frac{1}{R} \sum_{n > 1} 1[r_n \ge t]
                          \left(1 - \frac{n - count(n)}{n - 1}\right)

    where r_n is the grade at rank n of the condensed list, t the threshold ``rel``, n - count(n)
    the number of judged non-relevant documents at ranks 1..n, and R the number of judged relevant
    documents of the query. A relevant document at rank 1 adds nothing, so that an ideal ranking
    scores (R - 1) / R. The divisor n instead of n - 1 avoids that and gives
    ``AP(unjudged="condense")``.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"nonrelevant", "condense"}, default="condense"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. A query with only one document
        of grade t, whose ideal ranking has the value 0, keeps the value 0.
    k, ties : optional
        See `Measure`.

    See Also
    --------
    RprefRelative : Extension to graded relevance.

    References
    ----------
    .. [1] T. Sakai (2007), "Alternatives to Bpref", SIGIR, Eq. 18.

    Examples
    --------
    >>> from skgraded.measures import BprefRelative
    >>> BprefRelative()([1, 0, 1, 0], [4, 3, 2, 1])  # (0 + 1/2) / 2
    0.25
    """

    def _linear_part(self, judgments: Judgments) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(FromSecond(), relevant, self._share(judgments))

    def _pair_factors(self, judgments: Judgments) -> PairPart:
        return PairPart(ReciprocalAbove(), self._penalties(judgments, self._share(judgments)))
