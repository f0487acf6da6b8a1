"""The rank at which half of the gain is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._gains import _GainMeasure
from skgraded.measures._pool_positions import rank_of
from skgraded.rankings import Rankings, Ties

__all__ = ["RankedHalfLife"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankedHalfLife(_GainMeasure):
    r"""Ranked half-life: the median rank of the gain in the list.

    .. math:: RHL = (m - 1) + \frac{cg(k) / 2 - cg(m - 1)}{v(r_m)}

    where r_n is the grade at rank n, v its gain, cg(n) the gain cumulated down to rank n, k the
    cut-off or the length of the list, and m the first rank with cg(m) >= cg(k) / 2: the median of
    grouped data, where the gain at rank m is spread over the class from m - 1 to m. Infinite where
    the list gains nothing. The lower, the better.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..c.
    k, ties, unjudged, empty, normalize
        As for every `Measure`, but ``ties`` is ``"row_order"`` here: the mean over the orders of
        tied documents has no closed form. A query whose documents all gain 0 is empty, and left
        out of the mean by default, since no rank is the worst; ``normalize`` is refused.

    See Also
    --------
    CG : The gain itself.

    References
    ----------
    .. [1] P. Borlund, P. Ingwersen (1998), "Measures of Relative Relevance and Ranked Half-Life",
       SIGIR.
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Section 4.1.3.

    Examples
    --------
    >>> from skgraded import RankedHalfLife
    >>> RankedHalfLife()([1, 0, 2, 1], [4, 3, 2, 1])  # 1 from rank 1, half of what rank 3 has
    2.5
    """

    ties: Ties = "row_order"
    empty: float = float("nan")

    greater_is_better: ClassVar[bool] = False
    _averages_over_ties: ClassVar[bool] = False
    _refuses: ClassVar[Mapping[str, str]] = {"normalize": "of which the lowest value is the best"}

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        ranked = rankings.ranked(self.ties, self.unjudged)
        gains = self._gains(rankings.judgments)[ranked.levels]
        if self.k is not None:
            gains = np.where(rank_of(ranked) <= self.k, gains, 0.0)
        found = _core.cumulate(gains, ranked.indptr)
        # The gain found down to the end of each list; 0 for a list without documents.
        half = np.where(ranked.lengths > 0, np.append(0.0, found)[ranked.indptr[1:]], 0.0) / 2.0
        too_early = found < np.repeat(half, ranked.lengths)
        query = np.repeat(np.arange(len(half)), ranked.lengths)
        whole = np.bincount(query[too_early], minlength=len(half))
        some = half > 0
        place = np.where(some, ranked.indptr[:-1] + whole, 0)
        before = np.where(some & (whole > 0), np.append(0.0, found)[place], 0.0)
        median_gain = np.append(gains, 0.0)[place]
        part = np.divide(half - before, median_gain, out=np.full(len(half), np.inf), where=some)
        values: FloatArray = whole + part
        return values
