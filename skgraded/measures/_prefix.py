"""`PrefixMeasure`, the base class of measures of the prefix form.

For one query, let r_1, r_2, ... be the grades in rank order. A measure of the prefix form is

    value = constant + sum_n ( d_n v[r_n]  +  p_n sum_{m<=n} K[r_m, r_n] )

The discount d and the gain v make up the linear part, the position weight p and the matrix K the
pair part. A cut-off k drops the terms n > k. d, v, p and K may depend on the query's pool, but not
on the ranking. A ranking therefore enters through two sums alone, its discounted gain and its pair
moments M: the pair part is the sum of K * M.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._kept import LabelResults
from skgraded.measures._measure import Measure
from skgraded.measures._pair_matrix import PairMatrix
from skgraded.measures._positions import Positions
from skgraded.measures._sums import RankSum, Rules
from skgraded.rankings import Judgments, Rankings

__all__ = ["LinearPart", "PairPart", "PrefixForm", "PrefixMeasure"]

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


class PrefixMeasure(Measure):
    """Base class of measures of the prefix form, which compute d, v, p and K from the labels.

    A subclass defines `_relevant`, and `_linear_part`, `_pair_part` or both. Ties, cut-offs, the
    ideal value and training gradients need no further code.

    Parameters
    ----------
    k, ties, unjudged, empty, normalize : optional
        See `Measure`.

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

    def prefix_form(self, judgments: Judgments) -> PrefixForm:
        """Return the measure's d, v, p and K on some labels, which are computed once.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        PrefixForm
            Everything the measure needs from the labels to score a ranking.
        """
        kept = judgments.kept[LabelResults].prefix_forms
        form = kept.get(self)
        if form is None:
            form = self._make_form(judgments)
            if form.K is None or judgments.budget.reserve(form.K.factor.nbytes):
                kept[self] = form
        return form

    def _make_form(self, judgments: Judgments) -> PrefixForm:
        linear, pairs = self._linear_part(judgments), self._pair_part(judgments)
        rules = Rules(_core.last_rank(self.k), self.ties, self.unjudged)
        gains = moments = K = None
        scale: FloatArray | float = 1.0
        if linear is not None:
            gain = np.asarray(linear.gain, dtype=np.float64)
            gains, scale = RankSum(linear.discount, rules, gain.tobytes()), linear.scale
        if pairs is not None:
            K = PairMatrix.of(pairs.K, judgments.n_queries, judgments.n_levels)
            moments = RankSum(pairs.positions, rules)
        relevant = judgments.count_pool(self._relevant(judgments)) > 0
        form = PrefixForm(
            constant=np.array(self._constant(judgments), dtype=np.float64, ndmin=1),
            scale=np.array(scale, dtype=np.float64, ndmin=1),
            gains=gains,
            K=K,
            moments=moments,
            best=_NOTHING,
            relevant=relevant.view(np.uint8),
            n_empty=len(relevant) - int(np.count_nonzero(relevant)),
        )
        if not self.normalize:
            return form
        everywhere = np.ones_like(form.relevant)
        return form._replace(best=form.values(judgments.ideal, everywhere, 0.0))

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
        best = self.prefix_form(judgments).best
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _doubles_per_query(self, judgments: Judgments) -> int:
        has_pairs = self.prefix_form(judgments.of_queries(slice(0, 1))).K is not None
        return judgments.n_levels**2 if has_pairs else 0

    def _score(self, rankings: Rankings) -> tuple[FloatArray, int]:
        form = self.prefix_form(rankings.judgments)
        return form.values(rankings, form.relevant, self.empty), form.n_empty


_NOTHING = np.zeros(0)
_NO_PAIRS = PairMatrix.scaled(np.zeros((0, 0)), _NOTHING)


class PrefixForm(NamedTuple):
    """Everything a measure of the prefix form needs from the labels to score a ranking.

    Attributes
    ----------
    constant : ndarray of shape (n_queries,) or (1,)
        The summand of the value that does not depend on the ranking.
    scale : ndarray of shape (n_queries,) or (1,)
        Factor of the discounted gain.
    gains : RankSum or None
        The discounted gain, made of d and v; None without a linear part.
    K : PairMatrix or None
        The matrix K; None without a pair part.
    moments : RankSum or None
        The pair moments, made of p.
    best : ndarray of shape (n_queries,) or (0,)
        Value of the ideal ranking, by which values are divided; empty where they are not.
    relevant : ndarray of shape (n_queries,), uint8
        1 where a query has something relevant.
    n_empty : int
        Number of queries that have nothing relevant.
    """

    constant: FloatArray
    scale: FloatArray
    gains: RankSum | None
    K: PairMatrix | None
    moments: RankSum | None
    best: FloatArray
    relevant: NDArray[np.uint8]
    n_empty: int

    def values(self, rankings: Rankings, relevant: NDArray[np.uint8], empty: float) -> FloatArray:
        """Return the values of all queries: constant + scale * gains + sum of K * moments.

        They are divided by `best` where the measure is normalized.

        Parameters
        ----------
        rankings : Rankings
            The ranked documents.
        relevant : ndarray of shape (n_queries,), uint8
            0 where the value is `empty`.
        empty : float
            The value of queries without relevant documents.

        Returns
        -------
        ndarray of shape (n_queries,)
            The values.
        """
        gains = _NOTHING if self.gains is None else self.gains.of(rankings)
        moments = _NOTHING if self.moments is None else self.moments.of(rankings)
        K = _NO_PAIRS if self.K is None else self.K
        return _core.prefix_values(
            self.constant, self.scale, gains, *K, moments, self.best, relevant, empty
        )
