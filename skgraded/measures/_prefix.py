"""`PrefixMeasure`, the base class of measures of the prefix form.

For one query, let r_1, r_2, ... be the grades in rank order. A measure of the prefix form is

    value = constant + sum_n ( d_n v[r_n]  +  p_n sum_{m<=n} K[r_m, r_n] )

The discount d and the gain v make up the linear part, the position weight p and the matrix K the
pair part. A cut-off k drops the terms n > k. d, v, p and K may depend on the query's pool, but not
on the ranking. A ranking therefore enters through two sums alone, its discounted gain and its pair
moments M: the pair part is the sum of K * M.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.lazy import cached_property
from skgraded.measures._kept import LabelResults
from skgraded.measures._measure import Measure, score_queries
from skgraded.measures._pair_matrix import PairFactors, PairMatrix
from skgraded.measures._positions import Positions
from skgraded.measures._sums import PairSum, RankSum, Rules
from skgraded.rankings import Judgments, Ranked, keep

FloatArray = NDArray[np.float64]


class LinearPart(NamedTuple):
    """The linear part of the prefix form: a constant, and the sum over ranks n of d_n v[r_n].

    Attributes
    ----------
    discount : Positions
        The discount d_n.
    gain : ndarray of shape (n_levels,)
        The gain v by level, without the factor ``scale``.
    scale : ndarray of shape (n_queries,) or float
        Factor of each query, which may depend on its pool.
    constant : ndarray of shape (n_queries,) or float, default=0.0
        The summand of the value that does not depend on the ranking.
    """

    discount: Positions
    gain: FloatArray
    scale: FloatArray | float
    constant: FloatArray | float = 0.0


class PairPart(NamedTuple):
    """The pair part of the prefix form: the sum of p_n K[r_m, r_n] over ranks n and m <= n.

    Attributes
    ----------
    positions : Positions
        The position weight p_n.
    K : PairFactors, PairMatrix, or ndarray of shape (n_queries, n_levels, n_levels)
        ``K[q, a, b]`` is the contribution of a document of level a that stands above a document of
        level b, or that is this document. As `PairFactors` it serves any number of grades.
    """

    positions: Positions
    K: PairFactors | PairMatrix | FloatArray


def value_of_pairs(positions: Positions, factors: PairFactors, rankings: Ranked) -> FloatArray:
    """Sum p_n K[r_m, r_n] over all ranks of lists without ties, shape (n_queries,)."""
    judgments, rules = rankings.judgments, Rules(_core.last_rank(None), "row_order", "nonrelevant")
    if judgments.borders is not None:
        return PairSum(positions, factors, rules).of(rankings)
    moments = RankSum(positions, rules).of(rankings)
    return _core.pair_part(*factors.matrix(judgments.n_levels), moments, judgments.n_queries)


class PrefixMeasure(Measure):
    """Base class of measures of the prefix form, which compute d, v, p and K from the labels.

    A subclass defines `_relevant` and at least one part: the linear part by `_linear_part`, the
    pair part by `_pair_factors` or `_pair_part`. Ties, cut-offs, the ideal value and training
    gradients need no further code. `_pair_factors` serves any number of grades; `_pair_part` serves
    any K, and up to 5,000 grades.

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

    # Whether the measure has a pair part, and whether the K of that part is given by factors, so
    # that queries may have levels of their own.
    counts_pairs: ClassVar[bool] = False
    takes_any_grades: ClassVar[bool] = False

    _needs = ("_relevant", "_linear_part or _pair_factors or _pair_part")

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        has_matrix = cls._pair_part is not PrefixMeasure._pair_part
        has_factors = cls._pair_factors is not PrefixMeasure._pair_factors
        cls._state("counts_pairs", has_matrix or has_factors)
        cls._state("takes_any_grades", has_factors and not has_matrix)

    @classmethod
    def _state(cls, name: str, follows: bool) -> None:
        """Set what follows from the methods of the class, which its body must not contradict."""
        stated = vars(cls).get(name, follows)
        if stated is not follows:
            raise TypeError(
                f"{name} must be {follows} in the class {cls.__name__}, or be left out, got "
                f"{stated!r}: it follows from which of _pair_factors, which serves any number of "
                "grades, and _pair_part, which need not, the class overrides."
            )
        setattr(cls, name, follows)

    def _linear_part(self, judgments: Judgments) -> LinearPart | None:
        """Return discount d, gain v and constant, or None for a measure without a linear part."""
        return None

    def _pair_part(self, judgments: Judgments) -> PairPart | None:
        """Return position weight p and matrix K, or None for a measure without a pair part."""
        return self._pair_factors(judgments)

    def _pair_factors(self, judgments: Judgments) -> PairPart | None:
        """Return position weight p and K as `PairFactors`, or None if there are no factors."""
        return None

    @cached_property
    def _rules(self) -> Rules:
        return Rules(_core.last_rank(self.k), self.ties, self.unjudged)

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
        results = judgments.kept[LabelResults]
        is_long = self.counts_pairs and judgments.borders is not None
        kept = results.long_forms if is_long else results.prefix_forms
        form = kept.get(self._identity)
        if form is None:
            form = keep(kept, self._identity, self._make_form(judgments), long=is_long)
        return form

    def _make_form(self, judgments: Judgments) -> PrefixForm:
        linear = self._linear_part(judgments)
        pairs = self._pair_part(judgments)
        gains = moments = K = sums = None
        scale: FloatArray | float = 1.0
        constant: FloatArray | float = 0.0
        if linear is not None:
            gain = np.asarray(linear.gain, dtype=np.float64)
            gains = RankSum(linear.discount, self._rules, gain.tobytes())
            scale, constant = linear.scale, linear.constant
        if pairs is not None:
            factors = pairs.K
            if isinstance(factors, PairFactors):
                factors = factors.checked(
                    judgments.n_queries, judgments.n_levels, judgments.borders
                )
            if isinstance(factors, PairFactors) and judgments.borders is not None:
                sums = PairSum(pairs.positions, factors, self._rules)
            else:
                K = PairMatrix.of(factors, judgments.n_queries, judgments.n_levels, self)
                moments = RankSum(pairs.positions, self._rules)
        relevant = judgments.count_pool(self._relevant(judgments)) > 0
        form = PrefixForm(
            constant=np.array(constant, dtype=np.float64, ndmin=1),
            scale=np.array(scale, dtype=np.float64, ndmin=1),
            gains=gains,
            K=K,
            moments=moments,
            sums=sums,
            best=_NOTHING,
            relevant=relevant.view(np.uint8),
            n_empty=len(relevant) - int(np.count_nonzero(relevant)),
        )
        if not self.normalize:
            return form
        return form._replace(best=form.values(judgments.ideal, form.relevant, 0.0))

    def rising_factors(self, judgments: Judgments) -> PairFactors | None:
        """Return the factors of K if it has factors and f does not fall from level to level.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        PairFactors or None
            The factors as contiguous arrays.
        """
        pairs = self._pair_part(judgments)
        if pairs is None or not isinstance(pairs.K, PairFactors):
            return None
        factors = pairs.K.checked(judgments.n_queries, judgments.n_levels, judgments.borders)
        return factors if judgments.borders is not None or factors.rises else None

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
        if self._is_scored_by_scale(judgments):
            factor = np.empty(judgments.n_queries)
            for part in judgments.by_scale:
                factor[part.queries] = self.query_factor(part.judgments)
            return factor
        relevant = judgments.count_pool(self._relevant(judgments)) > 0
        if not self.normalize:
            return relevant.astype(np.float64)
        best = self.prefix_form(judgments).best
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _is_scored_by_scale(self, judgments: Judgments) -> bool:
        return judgments.splits_by_scale and self.takes_any_grades

    def _doubles_per_query(self, judgments: Judgments) -> int:
        if judgments.borders is not None or self._is_scored_by_scale(judgments):
            return 0
        has_pairs = self.prefix_form(judgments.of_queries(slice(0, 1))).K is not None
        return judgments.n_levels**2 if has_pairs else 0

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        if self._is_scored_by_scale(rankings.judgments):
            return self._score_by_scale(rankings)
        form = self.prefix_form(rankings.judgments)
        return form.values(rankings, form.relevant, self.empty), form.n_empty

    def _score_by_scale(self, rankings: Ranked) -> tuple[FloatArray, int]:
        values, n_empty = np.empty(rankings.judgments.n_queries), 0
        for queries, part in rankings.by_scale:
            ((values[queries], n_empty_in_part),) = score_queries([self], part)
            n_empty += n_empty_in_part
        return values, n_empty


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
    sums : PairSum or None
        The pair part, made of p and the factors of K, where queries have levels of their own.
    best : ndarray of shape (n_queries,) or (0,)
        Value of the ideal ranking, 0 where nothing is relevant; empty if the measure is not
        normalized.
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
    sums: PairSum | None
    best: FloatArray
    relevant: NDArray[np.uint8]
    n_empty: int

    def values(self, rankings: Ranked, relevant: NDArray[np.uint8], empty: float) -> FloatArray:
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
        constant = self.constant if self.sums is None else self.constant + self.sums.of(rankings)
        return _core.prefix_values(
            constant, self.scale, gains, *K, moments, self.best, relevant, empty
        )
