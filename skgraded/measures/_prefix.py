"""`PrefixMeasure`, the base class of measures of the prefix form.

For one query, let r_1, r_2, ... be the grades in rank order. A measure of the prefix form is

    value = constant + sum_n ( d_n v[r_n]  +  p_n sum_{m<=n} K[r_m, r_n] )

The discount d and the gain v make up the linear part, the position weight p and the matrix K the
pair part. A cut-off k drops the terms n > k. d, v, p and K may depend on the query's pool, but not
on the ranking. A ranking therefore enters through two sums alone, its discounted gain and its pair
moments M: the pair part is the sum of K * M. M[a, b] sums p_n times the number of documents of
level a at ranks 1..n, over the ranks n that hold a document of level b. `score_queries` scores
measures together, which share equal sums.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.lazy import cached_property, keep
from skgraded._support.sealed import all_sealed
from skgraded.measures._measure import Measure
from skgraded.measures._positions import ByRank, Positions
from skgraded.rankings import Judgments, Ranked, RankedList, Ties, Unjudged

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]

_NOTHING = np.zeros(0)

_MOST_LEVELS = 5_000  # the pairs of one query then take 200 MB


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
        form: PrefixForm | None = kept.get(self._form_identity)
        if form is None:
            parts = self._linear_part(judgments), self._pair_part(judgments)
            made, is_long = _form_of(*parts, judgments, self), judgments.borders is not None
            form = keep(kept, self._form_identity, made, long=is_long)
        return form

    @cached_property
    def _form_identity(self) -> tuple[Any, ...]:
        """What measures have in common if their forms are equal: all but the rule for ties."""
        kind, *values = self._identity
        return kind, *(
            each for name, each in zip(self._fields, values, strict=True) if name != "ties"
        )

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
        relevant, best = form.relevant, form.best
        if not self.normalize:
            return relevant.astype(np.float64)
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        (found,) = _score_alike((self,), rankings)
        return found


class PrefixForm(NamedTuple):
    """Everything a measure of the prefix form needs from the labels to score a ranking.

    Attributes
    ----------
    linear : LinearPart or None
        The linear part, whose gain, scale and constant are arrays of doubles.
    pairs : PairPart or None
        The pair part, whose K is contiguous.
    cells : Cells
        K on a scale that all queries share; empty without a pair part, and where queries have
        levels of their own.
    relevant : ndarray of shape (n_queries,), bool
        Whether a query has something relevant.
    n_empty : int
        Number of queries that have nothing relevant.
    cutoff : int
        The last rank that counts.
    best : ndarray of shape (n_queries,) or (0,)
        Value of the ideal ranking; empty if the measure is not normalized.
    kernel : _core.PrefixForm
        The same as kernels take it.
    """

    linear: LinearPart | None
    pairs: PairPart | None
    cells: Cells
    relevant: NDArray[np.bool_]
    n_empty: int
    cutoff: int
    best: FloatArray
    kernel: _core.PrefixForm


def _form_of(
    linear: LinearPart | None, pairs: PairPart | None, judgments: Judgments, owner: PrefixMeasure
) -> PrefixForm:
    cells, gain, scale, constant = _NO_CELLS, _NOTHING, _NOTHING, _NOTHING
    if linear is not None:
        gain, n_queries = np.ascontiguousarray(linear.gain, np.float64), judgments.n_queries
        scale, constant = (np.full(n_queries, each, np.float64) for each in linear[2:])
        linear = LinearPart(linear.discount, gain, scale, constant)
    if pairs is not None:
        pairs, cells = _as_kernels_take(pairs, judgments, owner)
    relevant = judgments.count_pool(owner._relevant(judgments)) > 0
    cutoff = owner.k or _core.LAST_RANK
    rules = relevant.view(np.uint8), owner.empty, cutoff
    make_kernel = partial(_core.PrefixForm, constant, scale, gain, *cells)
    kernel = make_kernel(_NOTHING, *rules)
    n_empty = len(relevant) - int(np.count_nonzero(relevant))
    form = PrefixForm(linear, pairs, cells, relevant, n_empty, cutoff, _NOTHING, kernel)
    if not owner.normalize:
        return form
    (best,) = _Plan.of([form]).values(judgments.ideal, owner.ties, owner.unjudged)
    return form._replace(best=best, kernel=make_kernel(best, *rules))


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


def value_of_pairs(
    positions: Positions, factors: PairFactors, judgments: Judgments, owner: PrefixMeasure
) -> FloatArray:
    """Sum p_n K[r_m, r_n] over all ranks of the ideal rankings, shape (n_queries,)."""
    whole = owner._replace(k=None, empty=0.0, normalize=False)
    form = _form_of(None, PairPart(positions, factors), judgments, whole)
    (values,) = _Plan.of([form]).values(judgments.ideal, owner.ties, owner.unjudged)
    return values


def score_queries(measures: Collection[Measure], rankings: Ranked) -> list[tuple[FloatArray, int]]:
    """Return, for every measure, the values of all queries and the number of empty queries.

    Measures of the prefix form that read the same lists are scored together.
    """
    found: list[Any] = [None] * len(measures)
    for places, alike in _groups(tuple(measures)):
        of_all = _score_alike(alike, rankings) if alike[1:] else [alike[0]._score(rankings)]
        for place, scored in zip(places, of_all, strict=True):
            found[place] = scored
    return found


@lru_cache(maxsize=64)
def _groups(measures: tuple[Measure, ...]) -> list[tuple[list[int], tuple[Measure, ...]]]:
    """Return the places of measures that are scored together, and these measures."""
    groups: dict[Any, list[int]] = {}
    for place, each in enumerate(measures):
        rules: Any = place
        if isinstance(each, PrefixMeasure) and type(each)._score is PrefixMeasure._score:
            rules = each.ties, each.unjudged, each._goes_by_scale
        groups.setdefault(rules, []).append(place)
    return [(places, tuple(measures[place] for place in places)) for places in groups.values()]


def _score_alike(measures: tuple[Any, ...], rankings: Ranked) -> Collection[tuple[FloatArray, int]]:
    (first, *_), judgments = measures, rankings.judgments
    if not (first._goes_by_scale and judgments.by_scale):
        return _score_together(measures, rankings)
    values = np.empty((len(measures), judgments.n_queries))
    n_empty = [0] * len(measures)
    for queries, part in rankings.by_scale:
        for i, (of_part, n_empty_in_part) in enumerate(_score_together(measures, part)):
            values[i, queries] = of_part
            n_empty[i] += n_empty_in_part
    return list(zip(values, n_empty, strict=True))


def _score_together(
    measures: tuple[Any, ...], rankings: Ranked
) -> Collection[tuple[FloatArray, int]]:
    """Score measures of the prefix form that have the same rules for ties and the unjudged."""
    judgments, (first, *_) = rankings.judgments, measures
    kept = judgments.kept["together"]
    plan: _Plan | None = kept.get(measures)
    if plan is None:
        plan = _Plan.of([each.prefix_form(judgments) for each in measures])
        keep(kept, measures, plan, long=judgments.borders is not None)
    return list(zip(plan.values(rankings, first.ties, first.unjudged), plan.n_empty, strict=True))


class _Plan(NamedTuple):
    """Measures that are scored together.

    Attributes
    ----------
    forms : list of PrefixForm
        Their forms.
    n_empty : list of int
        The numbers of queries that have nothing relevant.
    positions : list of Positions
        The different discounts and position weights.
    placed : list of (_core.PrefixForm, int, int)
        The kernels' forms, and the places of discount and position weights among these.
    """

    forms: list[PrefixForm]
    n_empty: list[int]
    positions: list[Positions]
    placed: list[tuple[_core.PrefixForm, int, int]]

    @classmethod
    def of(cls, forms: list[PrefixForm]) -> Self:
        """Plan to score measures of these forms."""
        places: dict[Positions, int] = {}
        placed = []
        for form in forms:
            discount = form.linear and places.setdefault(form.linear.discount, len(places))
            position = form.pairs and places.setdefault(form.pairs.positions, len(places))
            placed.append((form.kernel, discount or 0, position or 0))
        return cls(forms, [form.n_empty for form in forms], list(places), placed)

    def values(self, rankings: Ranked, ties: Ties, unjudged: Unjudged) -> FloatArray:
        """Return the values by measure and query."""
        judgments, ranked = rankings.judgments, rankings.ranked(ties, unjudged)
        weights = [_weights_of(each, unjudged, ranked, rankings) for each in self.positions]
        how, pairs = (ties == "expected", rankings.n_threads), _NOTHING
        if judgments.borders is not None:
            pairs = np.zeros((len(self.forms), judgments.n_queries))
            for i, (form, (_, _, place)) in enumerate(zip(self.forms, self.placed, strict=True)):
                if form.pairs is not None:
                    K: Any = form.pairs.K
                    lists = *ranked, *weights[place], judgments.borders
                    given: Any = *lists, *K.by_level(), form.cutoff, *how
                    pairs[i] = K.scale * _core.pair_sums(*given)
        return _core.prefix_values(*ranked, judgments.n_levels, self.placed, weights, pairs, *how)


def _weights_of(
    positions: Positions, unjudged: Unjudged, ranked: RankedList, rankings: Ranked
) -> tuple[FloatArray, bool]:
    """Return the weights of the ranks, and whether they differ between queries."""
    judgments = rankings.judgments
    if isinstance(positions, ByRank):
        return positions(ranked, judgments), False
    kept, key = judgments.kept["weights"], (positions, unjudged, type(rankings))
    weights = kept.get(key)
    if weights is None:
        weights = keep(kept, key, positions(ranked, judgments), long=True)
    return weights, True
