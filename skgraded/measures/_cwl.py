"""`CWL`, the base class of measures whose user goes on from rank to rank with a probability.

In the framework of Moffat, Thomas and Scholer (2013), called C/W/L, a user at rank n goes on to
rank n + 1 with the probability C(n), so that rank n is reached with the probability V(n) =
C(1) C(2) ... C(n - 1). The value is the gain that the user finds, or this gain divided by the
number of ranks that the user views, both as expected values:

    total = sum_n V(n) x_n,        rate = sum_n V(n) x_n / sum_n V(n)
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from skgraded import _core
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded.measures._measure import Measure
from skgraded.measures._positions import (
    ByRank,
    Positions,
    UpToListEnd,
    reciprocal,
    sums_from_zero,
)
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments, Ranked, Ties


class CWL(Measure):
    r"""Base class of measures whose user goes on from rank to rank with a probability C.

    .. math::

        total = \sum_{n=1}^{N} V_n\, x_n, \qquad
        rate = \frac{\sum_{n=1}^{N} V_n\, x_n}{\sum_{n=1}^{\infty} V_n}, \qquad
        V_n = \prod_{m=1}^{n-1} C(m, x_m, G_m), \qquad G_m = \sum_{i=1}^{m} x_i

    where x_n is the gain at rank n of a list of N documents, G_m the gain found at ranks 1..m, C
    the probability of going on to the next rank and V_n that of reaching rank n. Ranks below the
    end of the list have the gain 0.

    A subclass defines ``gain_by_level(judgments)``, the gain x of each level of
    ``judgments.grades``, and the rule ``continuation(n, x, G)``, which gets arrays with an entry
    for every document and returns C in the same shape, or one number. A rate also needs
    ``ranks_from(n, G, last)``: the expected number of ranks n, n + 1, ..., last that a user views
    who has reached rank n with the gain G and finds nothing more. ``last`` is infinite where
    nothing ends the walk. Two values of the class say what is computed: ``rate`` (True unless
    stated) is False for a total, and ``ends`` (False unless stated) is True where a user without
    cut-off stops at the end of the list, as one of a `k` stops at rank k.

    A rule that depends on the rank alone belongs to `PrefixCWL`, which also has expected values
    under ties, and for which models are trained.

    Parameters
    ----------
    k : int, optional
        Cut-off: the last rank that a user can view. None is no limit, or the length of the list
        where the measure ``ends``.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula. By
        default, no model gains by scores that are equal.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.

    See Also
    --------
    PrefixCWL : The rule depends on the rank alone.
    PrefixMeasure : Sums over ranks and pairs of ranks.

    References
    ----------
    .. [1] A. Moffat, P. Thomas, F. Scholer (2013), "Users versus Models: What Observation Tells Us
       about Effectiveness Metrics", CIKM.

    Examples
    --------
    A user who stops with probability 1/2 at a relevant document, and after five ranks:

    >>> from skgraded.measures import CWL
    >>> class HalfContent(CWL):
    ...     k = 5
    ...     def gain_by_level(self, judgments):
    ...         return (judgments.grades >= 1) * 1.0
    ...     def continuation(self, n, x, G):
    ...         return 1 - x / 2
    ...     def ranks_from(self, n, G, last):
    ...         return last - n + 1
    >>> HalfContent(k=2)([1, 1], [2, 1])  # (1 + 1/2) / (1 + 1/2)
    1.0
    >>> HalfContent()([0, 1], [2, 1])  # 1 / (1 + 1 + 3/2)
    0.2857142857142857
    """

    ties: Ties = "pessimistic"

    # Whether the gain is divided by the expected number of ranks viewed.
    rate: ClassVar[bool] = True

    # Whether a user without cut-off stops at the end of the list.
    ends: ClassVar[bool] = False

    _averages_over_ties: ClassVar[bool] = False

    _needs: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("gain_by_level",),
        ("continuation",),
    )

    def gain_by_level(self, judgments: Judgments) -> FloatArray:
        """Return the gain x of each grade.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        ndarray of float, shape (n_levels,)
            The gain of each of ``judgments.grades``.
        """
        raise NotImplementedError

    def continuation(
        self, n: FloatArray, x: FloatArray, G: FloatArray
    ) -> FloatArray | float:
        """Return the probability C of going on from rank n.

        Parameters
        ----------
        n : ndarray of float, shape (n_entries,)
            Ranks from 1 on.
        x : ndarray of float, shape (n_entries,)
            Gain of the document at rank n.
        G : ndarray of float, shape (n_entries,)
            Sum of the gains of the ranks 1 to n.

        Returns
        -------
        ndarray of float, shape (n_entries,), or float
            The probabilities.
        """
        raise NotImplementedError

    def ranks_from(
        self, n: FloatArray | float, G: FloatArray | float, last: FloatArray | float
    ) -> FloatArray | float:
        """Return how many of the ranks n to `last` a user who reaches rank n views.

        Parameters
        ----------
        n : ndarray of float, shape (n_queries,), or float
            First rank of which no document has a gain.
        G : ndarray of float, shape (n_queries,), or float
            Sum of the gains of the ranks above.
        last : ndarray of float, shape (n_queries,), or float
            Last rank that a user can view; infinite without an end.

        Returns
        -------
        ndarray of float, shape (n_queries,), or float
            The expected numbers of ranks.
        """
        name = type(self).__name__
        raise NotImplementedError(
            f"{name} must define ranks_from, or state rate = False."
        )

    def relevant(self, judgments: Judgments) -> BoolArray:
        return self.gain_by_level(judgments) > 0

    def _last_rank(self, judgments: Judgments) -> FloatArray | float:
        """Return the last rank that a user can view."""
        if self.k is not None:
            return float(self.k)
        if self.ends:
            return judgments.list_lengths(self.unjudged).astype(np.float64)
        return np.inf

    def raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        ranked = self._ranked(rankings)
        gain_by_level = self.gain_by_level(judgments)
        gain = np.ascontiguousarray(gain_by_level, dtype=np.float64)

        # The documents that a user can view, those of one query after the other.
        lengths = ranked.lengths
        last_rank = np.broadcast_to(self._last_rank(judgments), lengths.shape)
        n_ranks = np.minimum(lengths, last_rank).astype(np.int64)
        borders = sums_from_zero(n_ranks)
        n, x, G = _core.meet_ranks(
            level_by_rank=ranked.levels,
            first=ranked.indptr[:-1],
            read=borders,
            gain=gain,
        )
        go_on = self._probabilities(n, x, G)
        total_gain, n_viewed, reach_below = _core.walk(
            gain=x, go_on=go_on, indptr=borders
        )
        if not self.rate:
            return total_gain

        # The ranks below the documents, where nothing more has a gain.
        queries = np.flatnonzero(reach_below > 0.0)
        if len(queries):
            rank_below = 1.0 + n_ranks[queries]
            end = borders[1:][queries]
            n_above = np.where(rank_below > 1.0, end, 0)
            gain_above = np.append(0.0, G)[n_above]
            n_below = self.ranks_from(rank_below, gain_above, last_rank[queries])
            n_viewed[queries] += reach_below[queries] * n_below
        return total_gain * reciprocal(n_viewed)

    def _probabilities(self, n: FloatArray, x: FloatArray, G: FloatArray) -> FloatArray:
        """Return the probabilities of going on; raise where they are none."""
        stated = self.continuation(n, x, G)
        go_on = np.asarray(stated, dtype=np.float64)
        if go_on.size and not (go_on.min() >= 0.0 and go_on.max() <= 1.0):
            raise ValueError(
                f"continuation of {type(self).__name__} must return probabilities, got values "
                f"from {go_on.min():g} to {go_on.max():g} in {self}."
            )
        go_on_by_rank = np.broadcast_to(go_on, n.shape)
        return np.ascontiguousarray(go_on_by_rank)


class PrefixCWL(PrefixMeasure, CWL):
    r"""Base class of `CWL` measures whose rule depends on the rank alone: C(n).

    They have the prefix form with the discount V(n), so that the expected value under ties is
    exact, and models can be trained for them. The arguments x and G of ``continuation`` are 0.

    Parameters
    ----------
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first.

    See Also
    --------
    CWL : The rule may depend on the gain at the rank, and on the gain found so far.

    Examples
    --------
    >>> from skgraded.measures import PrefixCWL
    >>> class Impatient(PrefixCWL):
    ...     rate = False
    ...     def gain_by_level(self, judgments):
    ...         return judgments.grades
    ...     def continuation(self, n, x, G):
    ...         return 1 / (n + 1)
    >>> Impatient()([0, 1, 2], [3, 2, 1])  # 1 * 1/2 + 2 * 1/2 * 1/3
    0.8333333333333333
    >>> round(Impatient()([0, 1, 2], [1, 1, 1]), 6)  # the mean gain times 1 + 1/2 + 1/6
    1.666667
    """

    ties: Ties = "expected"

    _averages_over_ties: ClassVar[bool] = True

    _needs: ClassVar[tuple[tuple[str, ...], ...]] = CWL._needs

    def linear_part(self, judgments: Judgments) -> LinearPart:
        reach = ByRank(_reach, (self,))
        discount: Positions = reach
        if self.ends and self.k is None:
            discount = UpToListEnd(self.unjudged, reach)

        gain = self.gain_by_level(judgments)
        if not self.rate:
            return LinearPart(discount, gain)

        last_rank = self._last_rank(judgments)
        n_viewed = self.ranks_from(1.0, 0.0, last_rank)

        share = reciprocal(np.asarray(n_viewed))
        return LinearPart(discount, gain, share)


def _reach(n: FloatArray, rule: PrefixCWL) -> FloatArray:
    """Return V(n), the product of C(m) over the ranks m < n."""
    no_gain = np.zeros_like(n)
    go_on = rule._probabilities(n, no_gain, no_gain)
    reach = np.ones_like(n)
    np.cumprod(go_on[:-1], out=reach[1:])
    return reach
