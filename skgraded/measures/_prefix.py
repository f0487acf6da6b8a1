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
from functools import lru_cache
from itertools import compress
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from skgraded import _core
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded.measures._measure import Measure
from skgraded.measures._positions import LONGEST_KEPT, ByRank, Positions, up_to
from skgraded.rankings import Judgments, Ranked, RankedList, Ties, Unjudged

Scored = tuple[
    FloatArray, list[int]
]  # values by measure and query, and numbers of empty queries

_NOTHING = np.zeros(0)
_NO_BORDERS = np.zeros(0, np.int64)

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


class PairFactors(NamedTuple):
    """A matrix for each query: ``K[q, a, b] = scale[q] * (f[min(a, b)] * h[b] + u[a] * w[b])``.

    Where every document has a grade of its own, K has too many cells, but its factors do not.

    Attributes
    ----------
    scale : ndarray of shape (n_queries,) or float, default=1.0
        Factor of each query.
    f : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the lower level, which does not fall from level to level and is 0 at level 0.
        None is 0.
    h : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the level b below, that comes with `f`. None is 1.
    u, w : ndarray of shape (n_levels,), or None
        The factors of the level a above and of the level b below. None is 0.
    """

    scale: FloatArray | float = 1.0
    f: FloatArray | None = None
    h: FloatArray | None = None
    u: FloatArray | None = None
    w: FloatArray | None = None

    def complaint(self, n_queries: int, n_levels: int, *, share_levels: bool) -> str:
        """Say which factor does not fit the labels, and why.

        Parameters
        ----------
        n_queries, n_levels : int
            Number of queries and levels.
        share_levels : bool
            Whether all queries share their levels.

        Returns
        -------
        str
            A sentence; empty if all factors fit.
        """
        given = zip(self._fields, self, strict=True)
        shapes = {name: np.shape(each) for name, each in given if each is not None}
        many = [
            name
            for name in ("f", "h")
            if share_levels and len(shapes.get(name, ())) > 1
        ]
        for name, shape in shapes.items():
            fitting: tuple[int, ...] = (
                (n_queries, n_levels) if name in many[:1] else (n_levels,)
            )
            if name == "scale":
                fitting = (n_queries,) if shape else ()
            if shape != fitting:
                return f"{name} of PairFactors must have shape {fitting}, got {shape}."
        beside = sorted(shapes.keys() - {"scale", "f", *many})
        if not many or not beside:
            return ""
        return (
            f"{many[0]} of PairFactors must be the same for all queries beside "
            f"{' and '.join(beside)}, got shape {shapes[many[0]]}."
        )

    @property
    def rises(self) -> bool:
        """Whether f is 0 at level 0 and does not fall from level to level."""
        if self.f is None:
            return True
        f = np.asarray(self.f)
        return bool((f[..., 0] == 0).all() and (np.diff(f) >= 0).all())


def _require_rising(f: FloatArray, borders: IntArray) -> None:
    """Raise unless f is 0 at level 0, and does not fall from there within each query."""
    if not f.size:
        return
    if f[0] != 0:
        raise ValueError(f"f of PairFactors must be 0 at level 0, got {float(f[0])!r}.")
    level = _core.first_fall(f, borders)
    if level >= 0:
        last = 0.0 if level in borders[:-1] else float(f[level - 1])
        raise ValueError(
            "f of PairFactors must not fall from level to level of a query, got "
            f"{float(f[level])!r} after {last!r}."
        )


class PrefixMeasure(Measure):
    """Base class of measures of the prefix form, which compute d, v, p and K from the labels.

    A subclass defines `relevant` and at least one part: the linear part by `linear_part`, the
    pair part by `pair_part`. Ties, cut-offs, the ideal value and training gradients need no
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
    _goes_by_scale: ClassVar[bool] = (
        False  # so that queries with levels of their own are apart
    )

    _needs: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("relevant",),
        ("linear_part", "pair_part"),
    )

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.counts_pairs = cls.pair_part is not PrefixMeasure.pair_part
        cls._goes_by_scale = cls.counts_pairs and not cls.shares_levels

    def linear_part(self, judgments: Judgments) -> LinearPart | None:
        """Return discount d, gain v and constant of the linear part.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        LinearPart or None
            The part; None for a measure without it.
        """
        return None

    def pair_part(self, judgments: Judgments) -> PairPart | None:
        """Return position weight p and matrix K of the pair part.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        PairPart or None
            The part; None for a measure without it.
        """
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
        return judgments.memo.get(
            PrefixForm,
            self._form_identity,
            lambda: self._compute_prefix_form(judgments),
            is_long=judgments.borders is not None,
        )

    def _compute_prefix_form(self, judgments: Judgments) -> PrefixForm:
        linear = self.linear_part(judgments)
        pairs = self.pair_part(judgments)
        return _form_of(linear, pairs, judgments, self)

    @cached_property
    def _form_identity(self) -> tuple[Any, ...]:
        """What measures have in common if their forms are equal: all but the rule for ties."""
        kind, *values = self._identity
        return kind, *(
            each
            for name, each in zip(self._fields, values, strict=True)
            if name != "ties"
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
        relevant = form.n_relevant > 0
        best = cast("FloatArray", form.kernel.best)
        if not self.normalize:
            return relevant.astype(np.float64)
        return np.divide(
            1.0, best, out=np.zeros_like(best), where=relevant & (best > 0)
        )

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        (values,), (n_empty,) = _score_together((self,), rankings)
        return values, n_empty


class PrefixForm(NamedTuple):
    """Everything a measure of the prefix form needs from the labels to score a ranking.

    Attributes
    ----------
    linear : LinearPart or None
        The linear part.
    pairs : PairPart or None
        The pair part.
    n_relevant : ndarray of shape (n_queries,), int64
        Number of relevant documents of each query.
    kernel : _core.PrefixForm
        The same as kernels take it, and the values of the ideal rankings, or None, as ``best``.
    """

    linear: LinearPart | None
    pairs: PairPart | None
    n_relevant: IntArray
    kernel: _core.PrefixForm


def _form_of(
    linear: LinearPart | None,
    pairs: PairPart | None,
    judgments: Judgments,
    owner: PrefixMeasure,
) -> PrefixForm:
    gain = scale = constant = _NOTHING
    K = [_NOTHING] * 6  # its factors, and an array in place of them
    if linear is not None:
        gain, scale, constant = (np.asarray(each, float, "C") for each in linear[1:])
    if pairs is not None:
        K = _as_kernels_take(pairs.K, judgments, owner)
    n_relevant = judgments.count_pool(owner.relevant(judgments))
    share_levels = judgments.borders is None
    rules = judgments.n_levels, share_levels, owner.empty, owner.k or _core.LAST_RANK
    taken: Any = constant, scale, gain, *K, n_relevant, *rules
    try:
        kernel = _core.PrefixForm(*taken)
    except (TypeError, ValueError) as error:
        factors = pairs and pairs.K
        shape = (judgments.n_queries, judgments.n_levels)
        if isinstance(factors, PairFactors):
            complaint = factors.complaint(*shape, share_levels=share_levels)
            raise ValueError(complaint or str(error)) from error
        raise
    if judgments.borders is not None:
        _require_rising(K[1], judgments.borders)
    form = PrefixForm(linear, pairs, n_relevant, kernel)
    if owner.normalize:
        kernel.divide_by(_ideal_values(form, judgments, owner))
    return form


def _as_kernels_take(
    K: PairFactors | FloatArray, judgments: Judgments, owner: PrefixMeasure
) -> list[FloatArray]:
    """Return the factors of K and the array in place of them; raise where kernels would not."""
    n_levels = judgments.n_levels
    borders = judgments.borders
    if borders is None and n_levels > _MOST_LEVELS:
        raise ValueError(
            f"y_true must hold at most {_MOST_LEVELS:,} different grades for {owner}, "
            f"which counts pairs of grades, got {n_levels:,}. Measures that only use "
            "gains and discounts, such as nDCG, accept any number of grades."
        )
    if isinstance(K, PairFactors):
        taken = [
            _NOTHING if each is None else np.asarray(each, float, "C")
            for each in (*K, None)
        ]
        # Without entries, a factor would count as one that K lacks.
        if any(
            each is not None and not kept.size
            for each, kept in zip(K, taken, strict=False)
        ):
            shape = judgments.n_queries, n_levels
            raise ValueError(K.complaint(*shape, share_levels=borders is None))
        return taken
    if borders is not None:
        raise ValueError(
            f"K of {type(owner).__name__} must be PairFactors where queries have levels of their "
            "own, as for grades between whole ones or a long scale on short lists, got an array. "
            "For a K that has no factors, state shares_levels = True in the class."
        )
    array = np.broadcast_to(K, (judgments.n_queries, n_levels, n_levels))
    return [np.ones(1), *[_NOTHING] * 4, np.asarray(array, float, "C")]


def value_of_pairs(
    positions: Positions,
    factors: PairFactors,
    judgments: Judgments,
    owner: PrefixMeasure,
) -> FloatArray:
    """Sum p_n K[r_m, r_n] over all ranks of the ideal rankings, shape (n_queries,)."""
    whole = owner._replace(k=None, empty=0.0, normalize=False)
    form = _form_of(None, PairPart(positions, factors), judgments, whole)
    return _ideal_values(form, judgments, owner)


def _ideal_values(
    form: PrefixForm, judgments: Judgments, owner: PrefixMeasure
) -> FloatArray:
    plan = _Plan.of([form], judgments)
    (values,), _ = plan.values(judgments.ideal, owner.ties, owner.unjudged)
    return values


def score_queries(measures: Collection[Measure], rankings: Ranked) -> Scored:
    """Return the values by measure and query, and the number of empty queries by measure.

    Measures of the prefix form that read the same lists are scored together.
    """
    groups, order = _groups(tuple(measures))
    if len(groups) == 1:
        return _score_alike(groups[0], rankings)
    values, n_empty = zip(
        *(_score_alike(each, rankings) for each in groups), strict=True
    )
    return np.concatenate(values)[order], np.concatenate(n_empty)[order].tolist()


@lru_cache(maxsize=64)
def _groups(
    measures: tuple[Measure, ...],
) -> tuple[list[tuple[Measure, ...]], IntArray]:
    """Return groups of measures that are scored together, and the order that undoes grouping."""
    groups: dict[Any, list[int]] = {}
    for place, each in enumerate(measures):
        rules: Any = place
        if (
            isinstance(each, PrefixMeasure)
            and type(each)._score is PrefixMeasure._score
        ):
            rules = each.ties, each.unjudged
        groups.setdefault(rules, []).append(place)
    order = np.argsort(np.concatenate(list(groups.values())))
    return [
        tuple(measures[place] for place in places) for places in groups.values()
    ], order


def _score_alike(measures: tuple[Any, ...], rankings: Ranked) -> Scored:
    """Score measures of the prefix form with the same rules, or one that scores itself."""
    first, *others = measures
    if others:
        return _score_together(measures, rankings)
    values, n_empty = first._score(rankings)
    return values[np.newaxis], [n_empty]


def _score_together(measures: tuple[Any, ...], rankings: Ranked) -> Scored:
    judgments = rankings.judgments
    if any(each._goes_by_scale for each in measures) and judgments.by_scale:
        return _score_by_scale(measures, rankings)
    plan = judgments.memo.get(
        _Plan,
        measures,
        lambda: _Plan.of([m.prefix_form(judgments) for m in measures], judgments),
        is_long=judgments.borders is not None,
    )
    return plan.values(rankings, measures[0].ties, measures[0].unjudged)


def _score_by_scale(measures: tuple[Any, ...], rankings: Ranked) -> Scored:
    """Score queries with levels of their own apart from others, by measures that count pairs."""
    apart = np.array([each._goes_by_scale for each in measures])
    values = np.empty((len(measures), rankings.judgments.n_queries))
    n_empty = np.zeros(len(measures), dtype=np.int64)
    whole, by_part = (tuple(compress(measures, marked)) for marked in (~apart, apart))
    if whole:
        values[~apart], n_empty[~apart] = _score_together(whole, rankings)
    for queries, part in rankings.by_scale:
        values[np.ix_(apart, queries)], n_empty_in_part = _score_together(by_part, part)
        n_empty[apart] += n_empty_in_part
    return values, n_empty.tolist()


class _Plan(NamedTuple):
    """Measures that are scored together on some labels.

    Attributes
    ----------
    placed : list of (_core.PrefixForm, int, int)
        The kernels' forms, and the places of discount and position weights among the weights.
    positions : list of Positions
        The different discounts and position weights.
    weights : list of (ndarray, bool) or None
        Those that depend on the rank alone, and that they do not differ between queries; None in
        the place of others, and where lists are long, as many plans would then hold them.
    """

    placed: list[tuple[_core.PrefixForm, int, int]]
    positions: list[Positions]
    weights: list[tuple[FloatArray, bool] | None]

    @classmethod
    def of(cls, forms: list[PrefixForm], judgments: Judgments) -> Self:
        """Plan to score measures of these forms."""
        places: dict[Positions, int] = {}
        placed = []
        for form in forms:
            discount = form.linear and places.setdefault(
                form.linear.discount, len(places)
            )
            position = form.pairs and places.setdefault(
                form.pairs.positions, len(places)
            )
            placed.append((form.kernel, discount or 0, position or 0))
        longest = _core.longest_query(judgments.indptr)
        if not judgments.has_own_pool:
            longest = max(longest, judgments.pool.longest)
        weights = [
            (up_to(longest, each), False)
            if isinstance(each, ByRank) and longest <= LONGEST_KEPT
            else None
            for each in places
        ]
        return cls(placed, list(places), weights)

    def values(self, rankings: Ranked, ties: Ties, unjudged: Unjudged) -> Scored:
        """Return the values, and the numbers of queries with nothing relevant."""
        judgments = rankings.judgments
        ranked = rankings.ranked(ties, unjudged)
        borders = _NO_BORDERS if judgments.borders is None else judgments.borders
        weights = [
            known
            or (
                _weights_of(each, unjudged, ranked, rankings),
                not isinstance(each, ByRank),
            )
            for each, known in zip(self.positions, self.weights, strict=True)
        ]
        how = ties == "expected", rankings.n_threads
        levels = judgments.n_levels, borders
        return _core.prefix_values(*ranked, *levels, self.placed, weights, *how)


def _weights_of(
    positions: Positions, unjudged: Unjudged, ranked: RankedList, rankings: Ranked
) -> FloatArray:
    """Return weights of all documents, or of the ranks of long lists, which are kept."""
    judgments = rankings.judgments
    return judgments.memo.get(
        Positions,
        (positions, unjudged, type(rankings)),
        lambda: positions(ranked, judgments),
        is_long=True,
    )
