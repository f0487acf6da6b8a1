"""The two sums over ranks by which a ranking enters measures of the prefix form.

One is the discounted gain, the sum of d_n v[r_n]. The other is the matrix of pair moments: M[a, b]
sums p_n times the number of documents of level a at ranks 1..n, over the ranks n that hold a
document of level b. Measures with equal sums share them.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._kept import LabelResults
from skgraded.measures._pair_matrix import PairFactors
from skgraded.measures._positions import Positions
from skgraded.rankings import Ranked, RankedList, Ties, Unjudged, keep

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


class RankSum(NamedTuple):
    """The discounted gain, the sum of d_n v[r_n] over the ranks n <= k, or the pair moments M.

    Attributes
    ----------
    weights : Positions
        Discount d_n of the ranks, or their weight p_n.
    rules : Rules
        Cut-off, ties and unjudged documents.
    gain_bytes : bytes or None
        The gain v by level, as the bytes of doubles, by which equal sums are found; None for the
        pair moments.
    """

    weights: Positions
    rules: Rules
    gain_bytes: bytes | None = None

    @property
    def gain(self) -> FloatArray:
        """The gain v by level, shape (n_levels,)."""
        return np.frombuffer(self.gain_bytes or b"")

    def of(self, rankings: Ranked) -> FloatArray:
        """Return the sums: one per query, or shape (n_queries, n_levels, n_levels) for moments."""
        found = rankings.sums.get(self)
        if found is not None:
            return found
        last_rank, ties, unjudged = self.rules
        ranked = rankings.ranked(ties, unjudged)
        weights, ragged = _weights(self.weights, rankings, ranked, unjudged), self.weights.ragged
        n_levels, n_threads = rankings.judgments.n_levels, rankings.n_threads
        if self.gain_bytes is None:
            sums = _core.pair_moments(
                *ranked, weights, ragged, n_levels, last_rank, ties == "expected", n_threads
            )
        else:
            gain = np.frombuffer(self.gain_bytes)
            sums = _core.discounted_gain(
                *ranked, weights, ragged, gain, last_rank, ties == "expected", n_threads
            )
        return keep(rankings.sums, self, sums)


class PairSum(NamedTuple):
    """The pair part of queries that have levels of their own: the sum of p_n K[r_m, r_n].

    Attributes
    ----------
    positions : Positions
        Weight p_n of the ranks.
    factors : PairFactors
        The factors of K, by level.
    rules : Rules
        Cut-off, ties and unjudged documents.
    """

    positions: Positions
    factors: PairFactors
    rules: Rules

    def of(self, rankings: Ranked) -> FloatArray:
        """Return the sum for every query, shape (n_queries,)."""
        last_rank, ties, unjudged = self.rules
        judgments, ranked = rankings.judgments, rankings.ranked(ties, unjudged)
        sums = _core.pair_sums(
            *ranked,
            _weights(self.positions, rankings, ranked, unjudged),
            self.positions.ragged,
            cast("NDArray[np.int64]", judgments.borders),
            *self.factors.by_level(),
            last_rank,
            ties == "expected",
            rankings.n_threads,
        )
        return self.factors.scale * sums


def _weights(
    positions: Positions, rankings: Ranked, ranked: RankedList, unjudged: Unjudged
) -> FloatArray:
    """Return the weights of the ranks, which only the labels determine."""
    judgments = rankings.judgments
    results = judgments.kept[LabelResults]
    kept = results.ragged_weights if positions.ragged else results.rank_weights
    key = positions, unjudged, type(rankings)
    weights = kept.get(key)
    if weights is None:
        weights = keep(kept, key, positions(ranked, judgments), long=positions.ragged)
    return weights
