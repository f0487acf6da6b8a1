"""The two sums over ranks by which a ranking enters measures of the prefix form.

One is the discounted gain, the sum of d_n v[r_n]. The other is the matrix of pair moments: M[a, b]
sums p_n times the number of documents of level a at ranks 1..n, over the ranks n that hold a
document of level b. Measures with equal sums share them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._kept import LabelResults, RankingSums
from skgraded.measures._positions import Positions
from skgraded.rankings import RankedList, Rankings, Ties, Unjudged

__all__ = ["GainSum", "PairMoments", "Rules"]

FloatArray = NDArray[np.float64]


class Rules(NamedTuple):
    """How a measure reads a ranking.

    Attributes
    ----------
    last_rank : int
        The last rank that counts.
    ties, unjudged : str
        Rules for tied and for unjudged documents.
    """

    last_rank: int
    ties: Ties
    unjudged: Unjudged


class GainSum(NamedTuple):
    """The discounted gain: the sum of d_n v[r_n] over the ranks n <= k.

    Attributes
    ----------
    discount : Positions
        Discount d_n of the ranks.
    gain_bytes : bytes
        The gain v by level, as the bytes of doubles, by which equal sums are found.
    rules : Rules
        Cut-off, ties and unjudged documents.
    """

    discount: Positions
    gain_bytes: bytes
    rules: Rules

    @property
    def gain(self) -> FloatArray:
        """The gain v by level, shape (n_levels,)."""
        return np.frombuffer(self.gain_bytes)

    def of(self, rankings: Rankings) -> FloatArray:
        """Return the sum for every query, shape (n_queries,)."""
        kept = rankings.kept[RankingSums].gains
        found = kept.get(self)
        if found is None:
            last_rank, ties, unjudged = self.rules
            ranked = rankings.ranked(ties, unjudged)
            found = kept[self] = _core.discounted_gain(
                *ranked,
                _weights(self.discount, rankings, ranked, unjudged),
                self.discount.ragged,
                self.gain,
                last_rank,
                ties == "expected",
                rankings.n_threads,
            )
        return found


class PairMoments(NamedTuple):
    """The pair moments M, which all measures with the same p and rules share.

    Attributes
    ----------
    positions : Positions
        Weight p_n of the ranks.
    rules : Rules
        Cut-off, ties and unjudged documents.
    """

    positions: Positions
    rules: Rules

    def of(self, rankings: Rankings) -> FloatArray:
        """Return the moments of every query, shape (n_queries, n_levels, n_levels)."""
        kept = rankings.kept[RankingSums].moments
        found = kept.get(self)
        if found is None:
            last_rank, ties, unjudged = self.rules
            ranked = rankings.ranked(ties, unjudged)
            found = kept[self] = _core.pair_moments(
                *ranked,
                _weights(self.positions, rankings, ranked, unjudged),
                self.positions.ragged,
                rankings.judgments.n_levels,
                last_rank,
                ties == "expected",
                rankings.n_threads,
            )
        return found


def _weights(
    positions: Positions, rankings: Rankings, ranked: RankedList, unjudged: Unjudged
) -> FloatArray:
    """Return the weights of the ranks, which only the labels determine."""
    judgments = rankings.judgments
    kept = judgments.kept[LabelResults].rank_weights
    key = positions, unjudged, rankings.is_ideal
    weights = kept.get(key)
    if weights is None:
        weights = positions(ranked, judgments)
        if not positions.ragged or judgments.budget.reserve(weights.nbytes):
            kept[key] = weights
    return weights
