"""Ranked half-life, the rank at which half of the gain is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._gains import _GainMeasure
from skgraded.measures._pool_positions import last_of, rank_of
from skgraded.rankings import Judgments, Ranked, Ties

__all__ = ["RankedHalfLife"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class RankedHalfLife(_GainMeasure):
    r"""Ranked half-life: the median rank of the gain in the list.

    .. math:: RHL = (m - 1) + \frac{cg(k) / 2 - cg(m - 1)}{v(r_m)}

    where r_n is the grade at rank n, v the gain, cg(n) the sum of the gains at ranks 1..n, k the
    cut-off or the length of the list, and m the first rank with cg(m) >= cg(k) / 2. This is the
    median of grouped data, in which the gain at rank m is spread over the interval from m - 1 to m.
    If all documents of the list have gain 0, the value is k + 1/2, as if rank k + 1 held all of the
    gain. Without k, the length of the list takes the place of k there, or the number of judged
    documents if that is larger. Lower values are better.

    There is no rule ``ties="expected"``. A mean over the orders of tied documents would have to go
    over all sets of them that hold less than half of the gain, of which 1,000 tied documents of
    five grades, equally frequent, have 815 million. With k, the whole gain depends on the order,
    too, if the cut-off falls among tied documents.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..c.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=nan
        Value of a query whose documents all have gain 0. The default leaves the query out of the
        mean, because no rank is the worst one.
    normalize : {False}, default=False
        True is an error, because the lowest value is the best.
    k, unjudged : optional
        See `Measure`.

    See Also
    --------
    CG : Sum of the gains.

    References
    ----------
    .. [1] P. Borlund, P. Ingwersen (1998), "Measures of Relative Relevance and Ranked Half-Life",
       SIGIR.
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.3.

    Examples
    --------
    >>> from skgraded.measures import RankedHalfLife
    >>> RankedHalfLife()([1, 0, 2, 1], [4, 3, 2, 1])  # m = 3: 2 + (4/2 - 1) / 2
    2.5
    """

    ties: Ties = "pessimistic"
    empty: float = float("nan")

    greater_is_better: ClassVar[bool] = False
    _averages_over_ties: ClassVar[bool] = False
    _refuses: ClassVar[Mapping[str, str]] = {"normalize": "because its lowest value is the best"}

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        ranked = rankings.ranked(self.ties, self.unjudged)
        gains = self._gains(rankings.judgments)[ranked.levels]
        if self.k is not None:
            gains = np.where(rank_of(ranked) <= self.k, gains, 0.0)
        found = _core.cumulate(gains, ranked.indptr)
        # Half of the whole gain of every list; 0 for a list without documents.
        half = last_of(found, ranked) / 2.0
        too_early = found < np.repeat(half, ranked.lengths)
        query = np.repeat(np.arange(len(half)), ranked.lengths)
        whole = np.bincount(query[too_early], minlength=len(half))
        some = half > 0
        place = np.where(some, ranked.indptr[:-1] + whole, 0)
        before = np.where(some & (whole > 0), np.append(0.0, found)[place], 0.0)
        median_gain = np.append(gains, 0.0)[place]
        part = np.divide(half - before, median_gain, out=np.full(len(half), 0.5), where=some)
        values: FloatArray = np.where(some, whole, self._last(rankings.judgments)) + part
        return values

    def _last(self, judgments: Judgments) -> IntArray | int:
        """Return the rank below which the gain is taken to begin if a list holds none."""
        if self.k is not None:
            return self.k
        return np.maximum(judgments.list_lengths(self.unjudged), judgments.pool.lengths)
