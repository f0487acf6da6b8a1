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

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.lazy import keep
from skgraded._support.sealed import all_sealed
from skgraded.measures._measure import MANY_MOMENTS, Measure
from skgraded.measures._positions import ByRank, Positions
from skgraded.rankings import Judgments, Ranked, Ties, Unjudged

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]

_NOTHING = np.zeros(0)

_MOST_LEVELS = 5_000  # the pairs of one query then take 200 MB

# A slice of 2 MB fits into a cache, and the allocator keeps its pages for the next one.
_MOMENTS_AT_A_TIME = 250_000


class LinearPart(NamedTuple):
    """The linear part of the prefix form: a constant, and the sum over ranks n of d_n v[r_n].

    Attributes
    ----------
    discount : Positions
        The discount d_n.
    gain : ndarray of shape (n_levels,)
        The gain v by level, without the factor ``scale``.
    scale : ndarray of shape (n_queries,) or float, default=1.0
        Factor of each query, which may depend on its pool.
    constant : ndarray of shape (n_queries,) or float, default=0.0
        The summand of the value that does not depend on the ranking.
    """

    discount: Positions
    gain: FloatArray
    scale: FloatArray | float = 1.0
    constant: FloatArray | float = 0.0


class PairPart(NamedTuple):
    """The pair part of the prefix form: the sum of p_n K[r_m, r_n] over ranks n and m <= n.

    Attributes
    ----------
    positions : Positions
        The position weight p_n.
    K : PairFactors, or ndarray of shape (n_queries, n_levels, n_levels)
        ``K[q, a, b]`` is the contribution of a document of level a that stands above a document of
        level b, or that is this document. As `PairFactors` it serves any number of grades.
    """

    positions: Positions
    K: PairFactors | FloatArray


class Cells(NamedTuple):
    """A matrix for each query, as kernels take it.

    ``K[q, a, b] = base[a, b] * factor[q, column[a, b]]``
    """

    base: FloatArray
    factor: FloatArray
    column: IntArray


_NO_CELLS = Cells(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((0, 0), np.int32))


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
        given = zip(self._fields, self, strict=True)
        arrays = {name: np.asarray(each, float, "C") for name, each in given if each is not None}
        many = [name for name in ("f", "h") if name in arrays and arrays[name].ndim > 1]
        by_query = many[0] if many else ""
        for name, each in arrays.items():
            shape: tuple[int, ...] = (n_queries,) if name == "scale" else (n_levels,)
            if name == by_query and borders is None:
                shape = n_queries, n_levels
            if each.shape != shape:
                raise ValueError(
                    f"{name} of PairFactors must have shape {shape}, got {each.shape}."
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

    def cells(self, n_levels: int) -> Cells:
        """Return K on a scale that all queries share, as `Cells`.

        Parameters
        ----------
        n_levels : int
            Number of levels.

        Returns
        -------
        Cells
            The same numbers. If `f` or `h` differ between queries, no other factor but `scale` may
            be beside them, and `h` must be beside an `f` that does not.
        """
        make = _kept if n_levels <= _LONGEST_KEPT else _make_levels_of_pairs
        lower, below, first, every = make(n_levels)
        if self.f is not None and self.f.ndim > 1:
            return Cells(every, self.f * self.scale[:, None], lower)
        base = np.zeros(lower.shape) if self.f is None else self.f[lower]
        if self.h is not None and self.h.ndim > 1:
            return Cells(base, self.h * self.scale[:, None], below)
        if self.h is not None:
            base = base * self.h
        if self.u is not None and self.w is not None:
            base = base + self.u[:, None] * self.w
        return Cells(base, self.scale[:, None].copy(), first)

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


def _make_levels_of_pairs(n_levels: int) -> list[Any]:
    """Return min(a, b), b, 0 and 1 for all pairs of levels a, b; shape (n_levels, n_levels)."""
    above, below = np.indices((n_levels, n_levels), dtype=np.int32)
    lower, below = np.minimum(above, below), np.ascontiguousarray(below)
    return all_sealed(lower, below, np.zeros_like(below), np.ones(below.shape))


_LONGEST_KEPT = 64  # levels, whose pairs take 16 KB

_kept = lru_cache(maxsize=_LONGEST_KEPT)(_make_levels_of_pairs)


class PrefixMeasure(Measure):
    """Base class of measures of the prefix form, which compute d, v, p and K from the labels.

    A subclass defines `_relevant` and at least one part: the linear part by `_linear_part`, the
    pair part by `_pair_part`. Ties, cut-offs, the ideal value and training gradients need no
    further code. A K as `PairFactors` serves any number of grades, and queries of many grades have
    levels of their own. A class whose K is an array states ``shares_levels = True``, so that all
    queries share one scale, of up to 5,000 grades; without it, an array serves few whole grades.

    Examples
    --------
    >>> from skgraded import ERR, xGAP
    >>> from skgraded.measures import PrefixMeasure
    >>> isinstance(xGAP(), PrefixMeasure), isinstance(ERR(), PrefixMeasure)
    (True, False)
    """

    shares_levels: ClassVar[bool] = False
    counts_pairs: ClassVar[bool] = False  # whether the measure has a pair part
    _goes_by_scale: ClassVar[bool] = False  # so that queries with levels of their own are apart

    _needs = ("_relevant", "_linear_part or _pair_part")

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.counts_pairs = cls._pair_part is not PrefixMeasure._pair_part
        cls._goes_by_scale = cls.counts_pairs and not cls.shares_levels

    def _linear_part(self, judgments: Judgments) -> LinearPart | None:
        """Return discount d, gain v and constant, or None for a measure without a linear part."""
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
        kept = judgments.kept["forms"]
        form: PrefixForm | None = kept.get(self._identity)
        if form is None:
            is_long = judgments.borders is not None
            form = keep(kept, self._identity, _form_of(self, judgments), long=is_long)
        return form

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
        if self._goes_by_scale and judgments.by_scale:
            factor = np.empty(judgments.n_queries)
            for part in judgments.by_scale:
                factor[part.queries] = self.query_factor(part.judgments)
            return factor
        form = self.prefix_form(judgments)
        relevant = form.relevant.view(np.bool_)
        if not self.normalize:
            return relevant.astype(np.float64)
        best = form.best
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _score_in_parts(self, rankings: Ranked) -> Iterator[tuple[FloatArray, int]]:
        judgments = rankings.judgments
        are_apart = self._goes_by_scale and judgments.by_scale
        if are_apart or not (form := self.prefix_form(judgments)).takes_slices:
            yield self._score(rankings)
            return
        n_empty = form.n_empty
        for values in form.slice_by_slice(rankings, self.empty):
            yield values, n_empty
            n_empty = 0

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        judgments = rankings.judgments
        if not (self._goes_by_scale and judgments.by_scale):
            form = self.prefix_form(judgments)
            return form.values(rankings, self.empty), form.n_empty
        values, n_empty = np.empty(judgments.n_queries), 0
        for queries, part in rankings.by_scale:
            values[queries], n_empty_in_part = self._score(part)
            n_empty += n_empty_in_part
        return values, n_empty


class Rules(NamedTuple):
    """How a measure reads a ranking: the last rank that counts, tied and unjudged documents."""

    last_rank: int
    ties: Ties
    unjudged: Unjudged


class PrefixForm(NamedTuple):
    """Everything a measure of the prefix form needs from the labels to score a ranking.

    Attributes
    ----------
    rules : Rules
        How it reads a ranking.
    linear : LinearPart or None
        The linear part, whose gain, scale and constant are arrays of doubles.
    gain_bytes : bytes
        The bytes of this gain, by which equal sums are found.
    pairs : PairPart or None
        The pair part, whose K is contiguous.
    cells : Cells
        K on a scale that all queries share; empty without a pair part, and where queries have
        levels of their own.
    relevant : ndarray of shape (n_queries,), uint8
        1 where a query has something relevant.
    n_empty : int
        Number of queries that have nothing relevant.
    takes_slices : bool
        Whether the moments of all queries would take much memory.
    best : ndarray of shape (n_queries,) or (0,)
        Value of the ideal ranking, 0 where nothing is relevant; empty if the measure is not
        normalized.
    """

    rules: Rules
    linear: LinearPart | None
    gain_bytes: bytes
    pairs: PairPart | None
    cells: Cells
    relevant: NDArray[np.uint8]
    n_empty: int
    takes_slices: bool
    best: FloatArray = _NOTHING

    def values(self, rankings: Ranked, empty: float) -> FloatArray:
        """Return the values of all queries: constant + scale * gains + sum of K * moments.

        They are divided by `best` where the measure is normalized.

        Parameters
        ----------
        rankings : Rankings or IdealRanking
            The ranked documents.
        empty : float
            The value of queries without relevant documents.

        Returns
        -------
        ndarray of shape (n_queries,)
            The values.
        """
        if self.takes_slices:
            return np.concatenate(list(self.slice_by_slice(rankings, empty)))
        constant, scale, gains = self._linear_sums(rankings) if self.linear else _NO_LINEAR_SUMS
        moments = _NOTHING
        if self.pairs is not None:
            if rankings.judgments.borders is not None:
                constant = constant + pair_sums(self.pairs, self.rules, rankings)
            else:
                moments = pair_moments(self.pairs, self.rules, rankings, len(self.cells.base))
        return _core.prefix_values(
            constant, scale, gains, *self.cells, moments, self.best, self.relevant, empty
        )

    def slice_by_slice(self, rankings: Ranked, empty: float) -> Iterator[FloatArray]:
        """Yield the values of some queries after the other, as their moments take much memory.

        Measures that are scored in step share the moments of a slice, of which the sums of the
        rankings hold one at a time.

        Parameters
        ----------
        rankings : Rankings or IdealRanking
            The ranked documents.
        empty : float
            The value of queries without relevant documents.

        Yields
        ------
        ndarray
            The values of the next queries.
        """
        positions, n_queries = cast("PairPart", self.pairs).positions, len(self.relevant)
        n_levels, sums = len(self.cells.base), rankings.sums
        lists, how = _weighted_lists(rankings, positions, self.rules)
        levels, tied, indptr, weights, ragged = lists
        parts: list[Any] = [*(self._linear_sums(rankings) if self.linear else _NO_LINEAR_SUMS)]
        parts += [self.cells.factor, self.best, self.relevant]
        at_a_time = max(1, _MOMENTS_AT_A_TIME // n_levels**2)
        for first in range(0, n_queries, at_a_time):
            key = positions, self.rules, first
            if key not in sums:
                borders = indptr[first : first + at_a_time + 1]
                some_lists = levels, tied, borders, weights, ragged
                sums[key] = _core.pair_moments(*some_lists, n_levels, *how)
            some = slice(first, first + at_a_time)
            by_query = [each[some] if len(each) == n_queries else each for each in parts]
            constant, scale, gains, factor, best, relevant = by_query
            cells = self.cells._replace(factor=factor)
            yield _core.prefix_values(
                constant, scale, gains, *cells, sums[key], best, relevant, empty
            )
            sums.pop(key, None)

    def _linear_sums(self, rankings: Ranked) -> tuple[Any, Any, Any]:
        """Return the constant, the scale, and the sums of d_n v[r_n] over the ranks n <= k."""
        linear = cast("LinearPart", self.linear)
        key = linear.discount, self.rules, self.gain_bytes
        gains = rankings.sums.get(key)
        if gains is None:
            lists, how = _weighted_lists(rankings, linear.discount, self.rules)
            gains = keep(rankings.sums, key, _core.discounted_gain(*lists, linear.gain, *how))
        return linear.constant, linear.scale, gains


_NO_LINEAR_SUMS = np.zeros(1), np.ones(1), _NOTHING


def _form_of(measure: PrefixMeasure, judgments: Judgments) -> PrefixForm:
    linear, pairs = measure._linear_part(judgments), measure._pair_part(judgments)
    cells, gain_bytes = _NO_CELLS, b""
    if linear is not None:
        gain = np.ascontiguousarray(linear.gain, np.float64)
        numbers = (np.array(each, np.float64, ndmin=1) for each in linear[2:])
        linear, gain_bytes = LinearPart(linear.discount, gain, *numbers), gain.tobytes()
    if pairs is not None:
        pairs, cells = _as_kernels_take(pairs, judgments, measure)
    relevant = judgments.count_pool(measure._relevant(judgments)) > 0
    n_empty = len(relevant) - int(np.count_nonzero(relevant))
    rules = Rules(measure.k or _core.LAST_RANK, measure.ties, measure.unjudged)
    is_large = judgments.n_queries * cells.base.size > MANY_MOMENTS
    form = PrefixForm(
        rules, linear, gain_bytes, pairs, cells, relevant.view(np.uint8), n_empty, is_large
    )
    return form._replace(best=form.values(judgments.ideal, 0.0)) if measure.normalize else form


def _as_kernels_take(
    pairs: PairPart, judgments: Judgments, owner: PrefixMeasure
) -> tuple[PairPart, Cells]:
    """Check K, and return it as given, and as cells where queries share their levels."""
    n_queries, n_levels, borders = judgments.n_queries, judgments.n_levels, judgments.borders
    if isinstance(pairs.K, PairFactors):
        pairs = pairs._replace(K=pairs.K.checked(n_queries, n_levels, borders))
        if borders is not None:
            return pairs, _NO_CELLS
    elif borders is not None:
        raise ValueError(
            f"K of {type(owner).__name__} must be PairFactors where queries have levels of their "
            "own, as for grades between whole ones or a long scale on short lists, got an array. "
            "For a K that has no factors, state shares_levels = True in the class."
        )
    if n_levels > _MOST_LEVELS:
        raise ValueError(
            f"y_true must hold at most {_MOST_LEVELS:,} different grades for {owner}, "
            f"which counts pairs of grades, got {n_levels:,}. Measures that only use "
            "gains and discounts, such as nDCG, accept any number of grades."
        )
    if isinstance(pairs.K, PairFactors):
        return pairs, pairs.K.cells(n_levels)
    shape = n_levels, n_levels
    by_query = np.broadcast_to(pairs.K, (n_queries, *shape)).reshape(n_queries, -1)
    columns = np.arange(n_levels**2, dtype=np.int32).reshape(shape)
    return pairs, Cells(np.ones(shape), np.ascontiguousarray(by_query, np.float64), columns)


def pair_moments(pairs: PairPart, rules: Rules, rankings: Ranked, n_levels: int) -> FloatArray:
    """Return the moments M of every query, which measures of equal p share."""
    key = pairs.positions, rules
    found = rankings.sums.get(key)
    if found is None:
        lists, how = _weighted_lists(rankings, pairs.positions, rules)
        found = keep(rankings.sums, key, _core.pair_moments(*lists, n_levels, *how))
    return found


def pair_sums(pairs: PairPart, rules: Rules, rankings: Ranked) -> FloatArray:
    """Return the pair part of queries that have levels of their own, whose K has factors."""
    factors = cast("PairFactors", pairs.K)
    borders: Any = rankings.judgments.borders
    lists, how = _weighted_lists(rankings, pairs.positions, rules)
    sums = _core.pair_sums(*lists, borders, *factors.by_level(), *how)
    return factors.scale * sums


def value_of_pairs(positions: Positions, factors: PairFactors, rankings: Ranked) -> FloatArray:
    """Sum p_n K[r_m, r_n] over all ranks of lists without ties, shape (n_queries,)."""
    pairs, judgments = PairPart(positions, factors), rankings.judgments
    rules = Rules(_core.LAST_RANK, "row_order", "nonrelevant")
    if judgments.borders is not None:
        return pair_sums(pairs, rules, rankings)
    cells = factors.cells(judgments.n_levels)
    moments = pair_moments(pairs, rules, rankings, len(cells.base))
    return _core.pair_part(*cells, moments, judgments.n_queries)


# Levels, ties, borders, weights, and whether these differ between queries.
_Lists = tuple[NDArray[Any], NDArray[np.uint8], NDArray[np.int64], FloatArray, bool]


def _weighted_lists(
    rankings: Ranked, positions: Positions, rules: Rules
) -> tuple[_Lists, tuple[int, bool, int]]:
    """Return lists with the weights of their ranks, and the rules, as kernels of sums take them."""
    last_rank, ties, unjudged = rules
    ranked, ragged = rankings.ranked(ties, unjudged), not isinstance(positions, ByRank)
    if ragged:
        kept, key = rankings.judgments.kept["weights"], (positions, unjudged, type(rankings))
        weights = kept.get(key)
        if weights is None:
            weights = keep(kept, key, positions(ranked, rankings.judgments), long=True)
    else:
        weights = positions(ranked, rankings.judgments)
    return (*ranked, weights, ragged), (last_rank, ties == "expected", rankings.n_threads)
