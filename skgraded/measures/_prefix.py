"""`PrefixMeasure`, the base class of measures of the prefix form.

For one query, let r_1, r_2, ... be the grades in rank order. A measure of the prefix form is

    value = constant + sum_n ( d_n v[r_n]  +  p_n sum_{m<=n} K[r_m, r_n] )

The discount d and the gain v make up the linear part, the position weight p and the matrix K the
pair part. A cut-off k drops the terms n > k. d, v, p and K may depend on the query's pool, but not
on the ranking. A ranking therefore enters through two sums alone, its discounted gain and its pair
moments M: the pair part is the sum of K * M. M[a, b] sums p_n times the number of documents of
level a at ranks 1..n, over the ranks n that hold a document of level b. Measures with equal sums
share them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._sealed import all_sealed
from skgraded._support.lazy import cached_property
from skgraded.measures._fields import LabelResults
from skgraded.measures._measure import Measure, score_queries
from skgraded.measures._positions import Positions
from skgraded.rankings import Judgments, Ranked, RankedList, Ties, Unjudged, keep

FloatArray = NDArray[np.float64]


_MOST_LEVELS = 5_000  # the pairs of one query then take 200 MB


class PairMatrix(NamedTuple):
    """A matrix for each query: ``K[q, a, b] = base[a, b] * factor[q, column[a, b]]``.

    Attributes
    ----------
    base : ndarray of shape (n_levels, n_levels)
        The part that all queries share.
    factor : ndarray of shape (n_queries, n_columns)
        Factors of each query.
    column : ndarray of shape (n_levels, n_levels), int32
        Number of the factor that applies to a pair of levels.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.measures import PairMatrix
    >>> K = PairMatrix.scaled(np.array([[0.0, 0.0], [0.0, 1.0]]), scale=np.array([0.5, 2.0]))
    >>> K.base * K.factor[1, K.column]
    array([[0., 0.],
           [0., 2.]])
    """

    base: FloatArray
    factor: FloatArray
    column: NDArray[np.int32]

    @classmethod
    def scaled(cls, base: FloatArray, scale: FloatArray) -> Self:
        """Multiply one matrix by one number for every query.

        Parameters
        ----------
        base : ndarray of shape (n_levels, n_levels)
            The matrix.
        scale : ndarray of shape (n_queries,)
            The numbers.

        Returns
        -------
        PairMatrix
            The products.
        """
        return cls.by_column(base, scale[:, None], np.zeros(base.shape, np.int32))

    @classmethod
    def by_column(cls, base: FloatArray, factor: FloatArray, column: NDArray[np.integer]) -> Self:
        """Multiply the cells of one matrix by numbers that depend on the query and the cell.

        Cells of the same column share a number.

        Parameters
        ----------
        base : ndarray of shape (n_levels, n_levels)
            The matrix.
        factor : ndarray of shape (n_queries, n_columns)
            The numbers.
        column : ndarray of shape (n_levels, n_levels)
            The column of `factor` whose number multiplies the cell.

        Returns
        -------
        PairMatrix
            The products.
        """
        return cls(
            np.ascontiguousarray(base, dtype=np.float64),
            np.ascontiguousarray(factor, dtype=np.float64),
            np.ascontiguousarray(column, dtype=np.int32),
        )

    @classmethod
    def of(
        cls,
        K: FloatArray | PairMatrix | PairFactors,
        n_queries: int,
        n_levels: int,
        owner: object,
    ) -> PairMatrix:
        """Convert full matrices into this form.

        Parameters
        ----------
        K : ndarray, PairMatrix or PairFactors
            One matrix for all queries, or one per query. A `PairMatrix` is returned as it is.
        n_queries, n_levels : int
            Number of queries and levels.
        owner : object
            The measure that counts pairs of grades, for the message.

        Returns
        -------
        PairMatrix
            The same numbers.

        Raises
        ------
        ValueError
            If there are more than 5,000 levels.
        """
        if n_levels > _MOST_LEVELS:
            raise ValueError(
                f"y_true must hold at most {_MOST_LEVELS:,} different grades for {owner}, "
                f"which counts pairs of grades, got {n_levels:,}. Measures that only use "
                "gains and discounts, such as nDCG, accept any number of grades."
            )
        if isinstance(K, PairMatrix):
            return K
        if isinstance(K, PairFactors):
            return K.matrix(n_levels)
        n_cells = n_levels**2
        cells = np.broadcast_to(K, (n_queries, n_levels, n_levels)).reshape(n_queries, n_cells)
        shape = n_levels, n_levels
        return cls.by_column(np.ones(shape), cells, np.arange(n_cells).reshape(shape))


class PairFactors(NamedTuple):
    """A matrix for each query: ``K[q, a, b] = scale[q] * (f[min(a, b)] * h[b] + u[a] * w[b])``.

    Where every document has a grade of its own, K has too many cells, but its factors do not.

    Attributes
    ----------
    scale : ndarray of shape (n_queries,)
        Factor of each query.
    f : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the lower level, which does not fall from level to level and is 0 at level 0.
        None is 0.
    h : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the level b below, that comes with `f`. None is 1.
    u, w : ndarray of shape (n_levels,), or None
        The factors of the level a above and of the level b below. None is 0.
    """

    scale: FloatArray
    f: FloatArray | None = None
    h: FloatArray | None = None
    u: FloatArray | None = None
    w: FloatArray | None = None

    def checked(self, n_queries: int, n_levels: int, borders: NDArray[np.int64] | None) -> Self:
        """Return the factors as contiguous arrays of doubles, or raise where they do not fit.

        Parameters
        ----------
        n_queries, n_levels : int
            Number of queries and levels.
        borders : ndarray of shape (n_queries + 1,), int64, or None
            Where the levels of each query begin, if queries have levels of their own.

        Returns
        -------
        PairFactors
            The same numbers.

        Raises
        ------
        ValueError
            If a factor has another shape, or `f` is not 0 at level 0 or falls within a query that
            has levels of its own; or if `f` or `h` differ between queries beside other factors.
        """
        arrays = {}
        by_query = ""
        for name, given in zip(self._fields, self, strict=True):
            if given is None:
                continue
            arrays[name] = each = np.ascontiguousarray(given, np.float64)
            shape: tuple[int, ...] = (n_queries,) if name == "scale" else (n_levels,)
            if name in ("f", "h") and each.ndim > 1 and not by_query:
                by_query = name
                shape = (n_queries, n_levels) if borders is None else shape
            if np.shape(given) != shape:
                raise ValueError(
                    f"{name} of PairFactors must have shape {shape}, got {np.shape(given)}."
                )
        beside = sorted(arrays.keys() - {"scale", "f", by_query}) if by_query else []
        if beside:
            raise ValueError(
                f"{by_query} of PairFactors must be the same for all queries beside "
                f"{' and '.join(beside)}, got shape {arrays[by_query].shape}."
            )
        if borders is not None and "f" in arrays:
            _require_rising(arrays["f"], borders)
        return type(self)(**arrays)

    def matrix(self, n_levels: int) -> PairMatrix:
        """Return K on a scale that all queries share.

        Parameters
        ----------
        n_levels : int
            Number of levels.

        Returns
        -------
        PairMatrix
            The same numbers. If `f` or `h` differ between queries, no other factor but `scale` may
            be beside them, and `h` must be beside an `f` that does not.
        """
        lower, below = levels_of_pairs(n_levels)
        if self.f is not None and self.f.ndim > 1:
            return PairMatrix(np.ones(lower.shape), self.f * self.scale[:, None], lower)
        base = np.zeros(lower.shape) if self.f is None else self.f[lower]
        if self.h is not None and self.h.ndim > 1:
            return PairMatrix(base, self.h * self.scale[:, None], below)
        if self.h is not None:
            base = base * self.h
        if self.u is not None and self.w is not None:
            base = base + self.u[:, None] * self.w
        return PairMatrix.scaled(base, self.scale)

    @property
    def rises(self) -> bool:
        """Whether f is 0 at level 0 and does not fall from level to level."""
        if self.f is None or not self.f.size:
            return True
        return bool((self.f[..., 0] == 0).all() and (np.diff(self.f) >= 0).all())

    def by_level(self, n_levels: int = 0) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return f, h, u and w by level; both factors of a product that K lacks are empty.

        Parameters
        ----------
        n_levels : int, default=0
            Number of levels. Without it h is empty where it is 1.

        Returns
        -------
        tuple of ndarray
            Arrays of shape (n_levels,), (n_queries * n_levels,) or (0,).
        """
        h = np.ones(n_levels) if self.h is None else self.h
        lower = (_NOTHING, _NOTHING) if self.f is None else (self.f.ravel(), h.ravel())
        both = (_NOTHING, _NOTHING) if self.u is None or self.w is None else (self.u, self.w)
        return *lower, *both


_NOTHING = np.zeros(0)


def _require_rising(f: FloatArray, borders: NDArray[np.int64]) -> None:
    """Raise unless f is 0 at level 0, and does not fall from there within each query."""
    if f[0] != 0:
        raise ValueError(f"f of PairFactors must be 0 at level 0, got {float(f[0])!r}.")
    level = _core.first_fall(f, borders)
    if level >= 0:
        last = 0.0 if level in borders[:-1] else float(f[level - 1])
        raise ValueError(
            "f of PairFactors must not fall from level to level of a query, got "
            f"{float(f[level])!r} after {last!r}."
        )


def levels_of_pairs(n_levels: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return min(a, b) and b for every pair of levels a, b, both of shape (n_levels, n_levels)."""
    return (_kept if n_levels <= _LONGEST_KEPT else _make_levels_of_pairs)(n_levels)


def _make_levels_of_pairs(n_levels: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    above, below = np.indices((n_levels, n_levels), dtype=np.int32)
    lower, below = all_sealed(np.minimum(above, below), np.ascontiguousarray(below))
    return lower, below


_LONGEST_KEPT = 64  # levels, whose pairs take 16 KB

_kept = lru_cache(maxsize=_LONGEST_KEPT)(_make_levels_of_pairs)


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
