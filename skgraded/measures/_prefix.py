"""`PrefixMeasure`, the base class of measures of the prefix form, and the sums that score them.

For one query, let r_1, r_2, ... be the grades in rank order. A measure of the prefix form is

    value = constant + sum_n ( d_n v[r_n]  +  p_n sum_{m<=n} K[r_m, r_n] )

The discount d and the gain v make up the linear part, the position weight p and the matrix K the
pair part. A cut-off k drops the terms n > k. d, v, p and K may depend on the query's pool, but not
on the ranking. The kernels therefore reduce a ranking to two results. One is the discounted gain,
the sum of d_n v[r_n]. The other is the matrix of pair moments: M[a, b] sums p_n times the number of
documents of level a at ranks 1..n, over the ranks n that hold a document of level b. The pair part
is the sum of K * M.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._measure import Measure
from skgraded.measures._pair_matrix import PairMatrix
from skgraded.measures._positions import Positions
from skgraded.rankings import Judgments, RankedList, Rankings, Ties, Unjudged

__all__ = [
    "LinearPart",
    "PairPart",
    "PrefixMeasure",
    "Rules",
    "discounted_gain",
    "pair_moments",
    "pairs_of",
]

FloatArray = NDArray[np.float64]


class LinearPart(NamedTuple):
    """The linear part of the prefix form: the sum over ranks n of d_n v[r_n].

    Attributes
    ----------
    discount : Positions
        The discount d_n.
    gain : ndarray of shape (n_levels,)
        The gain v by level, without the factor ``scale``.
    scale : ndarray of shape (n_queries,) or float
        Factor of each query, which may depend on its pool.
    """

    discount: Positions
    gain: FloatArray
    scale: FloatArray | float


class PairPart(NamedTuple):
    """The pair part of the prefix form: the sum of p_n K[r_m, r_n] over ranks n and m <= n.

    Attributes
    ----------
    positions : Positions
        The position weight p_n.
    K : PairMatrix, or ndarray of shape (n_queries, n_levels, n_levels)
        ``K[q, a, b]`` is the contribution of a document of level a that stands above a document of
        level b, or that is this document.
    """

    positions: Positions
    K: PairMatrix | FloatArray


class Rules(NamedTuple):
    """The fields of a measure that determine how it reads a ranking.

    Attributes
    ----------
    k : int or None
        Cut-off rank.
    ties, unjudged : str
        Rules for tied and for unjudged documents.
    """

    k: int | None
    ties: Ties
    unjudged: Unjudged


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PrefixMeasure(Measure):
    """Base class of measures of the prefix form, which compute d, v, p and K from the labels.

    A subclass defines `_relevant`, and `_linear_part`, `_pair_part` or both. Ties, cut-offs, the
    ideal value and training gradients need no further code.

    Parameters
    ----------
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the whole list.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list.
    empty : float, default=0.0
        Value of a query without relevant documents; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

    Examples
    --------
    >>> from skgraded import ERR, xGAP
    >>> from skgraded.measures import PrefixMeasure
    >>> isinstance(xGAP(), PrefixMeasure), isinstance(ERR(), PrefixMeasure)
    (True, False)
    """

    def _constant(self, judgments: Judgments) -> FloatArray | float:
        """Return the summand of the value that does not depend on the ranking."""
        return 0.0

    def _linear_part(self, judgments: Judgments) -> LinearPart | None:
        """Return discount d and gain v, or None for a measure without a linear part."""
        return None

    def _pair_part(self, judgments: Judgments) -> PairPart | None:
        """Return position weight p and matrix K, or None for a measure without a pair part."""
        return None

    def prefix_form(self, judgments: Judgments) -> tuple[LinearPart | None, PairPart | None]:
        """Return the two parts of the prefix form.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        linear : LinearPart or None
            Discount d and gain v, or None for a measure without a linear part.
        pairs : PairPart or None
            Position weight p and matrix K, or None for a measure without a pair part.
        """
        plan = self._plan(judgments)
        return plan.linear, plan.pairs

    def query_factor(self, judgments: Judgments) -> FloatArray:
        """Return the factors that turn sums of the prefix form into values of the measure.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        ndarray of shape (n_queries,)
            1, or 1 / (ideal value) with ``normalize``; 0 for queries without relevant documents.
        """
        relevant = judgments.count_pool(self._relevant(judgments)) > 0
        if not self.normalize:
            return relevant.astype(np.float64)
        best = self._ideal_values(judgments)
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _parts(self, judgments: Judgments) -> tuple[LinearPart | None, PairPart | None]:
        pairs = self._pair_part(judgments)
        if pairs is not None and not isinstance(pairs.K, PairMatrix):
            K = PairMatrix.of(pairs.K, judgments.n_queries, judgments.n_levels)
            pairs = pairs._replace(K=K)
        return self._linear_part(judgments), pairs

    def _doubles_per_query(self, judgments: Judgments) -> int:
        _, pairs = self.prefix_form(judgments.of_queries(slice(0, 1)))
        return 0 if pairs is None else judgments.n_levels**2

    def _plan(self, judgments: Judgments) -> _Plan:
        return judgments.once(("plan", self), lambda: self._make_plan(judgments), _size_of)

    def _make_plan(self, judgments: Judgments) -> _Plan:
        linear, pairs = self._parts(judgments)
        rules = Rules(self.k, self.ties, self.unjudged)
        gains = None if linear is None else _Gains.shared(judgments, linear, rules)
        moments = None if pairs is None else _Moments.shared(judgments, pairs.positions, rules)
        constant = np.array(self._constant(judgments), dtype=np.float64, ndmin=1)
        scale = _ONE if linear is None else np.array(linear.scale, np.float64, ndmin=1)
        relevant = judgments.count_pool(self._relevant(judgments)).astype(np.bool_)
        n_empty = len(relevant) - int(np.count_nonzero(relevant))
        cells = _NO_CELLS if pairs is None else pairs_of(pairs).flat
        flags = relevant.view(np.uint8)
        return _Plan(linear, pairs, gains, moments, constant, scale, cells, flags, n_empty)

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        plan = self._plan(rankings.judgments)
        return plan.values(rankings, _NOTHING, np.ones_like(plan.relevant), 0.0)

    def _score(self, rankings: Rankings) -> tuple[FloatArray, int]:
        judgments = rankings.judgments
        plan = self._plan(judgments)
        best = self._ideal_values(judgments) if self.normalize else _NOTHING
        return plan.values(rankings, best, plan.relevant, self.empty), plan.n_empty


_NOTHING, _ONE = np.zeros(0), np.ones(1)
_NO_CELLS = _NOTHING, _NOTHING, np.zeros(0, np.int32)


class _Plan(NamedTuple):
    """What values are computed from beside the rankings, all of it known from the labels.

    Attributes
    ----------
    linear : LinearPart or None
        Discount d and gain v.
    pairs : PairPart or None
        Position weight p and matrix K.
    gains, moments : _Gains or None, _Moments or None
        The sums over the ranks that these parts need.
    constant, scale : ndarray of shape (n_queries,) or (1,)
        The value before any document counts, and the factor of the gains.
    cells : tuple of ndarray
        The matrix K as the kernel takes it.
    relevant : ndarray of shape (n_queries,), uint8
        1 where a query has something relevant.
    n_empty : int
        Number of queries where it has not.
    """

    linear: LinearPart | None
    pairs: PairPart | None
    gains: _Gains | None
    moments: _Moments | None
    constant: FloatArray
    scale: FloatArray
    cells: tuple[FloatArray, FloatArray, NDArray[np.int32]]
    relevant: NDArray[np.uint8]
    n_empty: int

    def values(
        self, rankings: Rankings, best: FloatArray, relevant: NDArray[np.uint8], empty: float
    ) -> FloatArray:
        """Values, divided by those of `best` unless it is empty."""
        gains = _NOTHING if self.gains is None else self.gains.of(rankings)
        moments = _NOTHING if self.moments is None else self.moments.of(rankings)
        return _core.prefix_values(
            self.constant, self.scale, gains, *self.cells, moments, best, relevant, empty
        )


@dataclasses.dataclass(eq=False, slots=True)
class _Gains:
    """Discounted gains. Measures with equal ones share this object, by which they are kept."""

    discount: Positions
    gain: FloatArray
    rules: Rules

    @classmethod
    def shared(cls, judgments: Judgments, linear: LinearPart, rules: Rules) -> _Gains:
        """Return the same object for equal arguments."""
        discount, gain, _ = linear
        key = ("gain", discount, gain.tobytes(), rules)
        return judgments.once(key, lambda: cls(discount, gain, rules))

    def of(self, rankings: Rankings) -> FloatArray:
        """Sum them up for every query."""
        return rankings.once(
            self, lambda: discounted_gain(rankings, self.discount, self.gain, self.rules)
        )


@dataclasses.dataclass(eq=False, slots=True)
class _Moments:
    """Pair moments. Measures with equal ones share this object, by which they are kept."""

    positions: Positions
    rules: Rules

    @classmethod
    def shared(cls, judgments: Judgments, positions: Positions, rules: Rules) -> _Moments:
        """Return the same object for equal arguments."""
        return judgments.once(("pairs", positions, rules), lambda: cls(positions, rules))

    def of(self, rankings: Rankings) -> FloatArray:
        """Count them for all queries, flat."""
        return rankings.once(
            self, lambda: pair_moments(rankings, self.positions, self.rules).ravel()
        )


def pairs_of(part: PairPart) -> PairMatrix:
    """Return the matrix of a pair part that `PrefixMeasure.prefix_form` has returned."""
    assert isinstance(part.K, PairMatrix)
    return part.K


def _size_of(plan: _Plan) -> int:
    return 0 if plan.pairs is None else pairs_of(plan.pairs).nbytes


def discounted_gain(
    rankings: Rankings, discount: Positions, gain: FloatArray, rules: Rules
) -> FloatArray:
    """Sum d_n v[r_n] over the ranks n <= k of each query.

    Parameters
    ----------
    rankings : Rankings
        The ranked documents.
    discount : Positions
        Discount d_n of the ranks.
    gain : ndarray of shape (n_levels,)
        Gain v by level.
    rules : Rules
        Cut-off, ties and unjudged documents.

    Returns
    -------
    ndarray of shape (n_queries,)
        The discounted gains.
    """
    ranked = rankings.ranked(rules.ties, rules.unjudged)
    return _core.discounted_gain(
        *ranked,
        _weights(rankings, discount, ranked, rules.unjudged),
        discount.ragged,
        gain,
        _core.last_rank(rules.k),
        rules.ties == "expected",
        rankings.n_threads,
    )


def pair_moments(rankings: Rankings, positions: Positions, rules: Rules) -> FloatArray:
    """Compute the pair moments M, which all measures with the same p, k and rules share.

    Parameters
    ----------
    rankings : Rankings
        The ranked documents.
    positions : Positions
        Weights p_n of the ranks.
    rules : Rules
        Cut-off, ties and unjudged documents.

    Returns
    -------
    ndarray of shape (n_queries, n_levels, n_levels)
        ``M[q, a, b]`` sums p_n times the number of documents of level a at ranks 1..n, over the
        ranks n <= k that hold a document of level b.
    """
    ranked = rankings.ranked(rules.ties, rules.unjudged)
    return _core.pair_moments(
        *ranked,
        _weights(rankings, positions, ranked, rules.unjudged),
        positions.ragged,
        rankings.judgments.n_levels,
        _core.last_rank(rules.k),
        rules.ties == "expected",
        rankings.n_threads,
    )


def _weights(
    rankings: Rankings, positions: Positions, ranked: RankedList, unjudged: Unjudged
) -> FloatArray:
    """Compute the weights of the ranks once per data set, since only the labels determine them."""
    judgments = rankings.judgments
    key = ("positions", positions, unjudged, rankings.is_ideal)
    return judgments.once(
        key,
        lambda: positions(ranked, judgments),
        lambda weights: weights.nbytes if positions.ragged else 0,
    )
