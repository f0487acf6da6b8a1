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
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from skgraded import _core
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded.measures._measure import Measure
from skgraded.measures._positions import LONGEST_KEPT, ByRank, Positions, up_to
from skgraded.rankings import Judgments, Ranked, RankedList, Ties, Unjudged

# Values by measure and query, and numbers of empty queries by measure.
Scored = tuple[FloatArray, list[int]]

_ABSENT = np.zeros(0)  # what a form lacks, for kernels
_NO_BORDERS = np.zeros(0, np.int64)
_NAMES_OF_FACTORS = ("pair_scale", "f", "h", "u", "w")
_NO_PAIRS = dict.fromkeys([*_NAMES_OF_FACTORS, "K"], _ABSENT)

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
        shapes = {
            name: np.shape(factor)
            for name, factor in self._asdict().items()
            if factor is not None
        }

        # One factor may have a row for each query: f, or else h.
        varying_factor = None
        if share_levels:
            if len(shapes.get("f", ())) > 1:
                varying_factor = "f"
            elif len(shapes.get("h", ())) > 1:
                varying_factor = "h"

        for name, shape in shapes.items():
            fitting_shape: tuple[int, ...] = (n_levels,)
            if name == varying_factor:
                fitting_shape = (n_queries, n_levels)
            elif name == "scale":
                fitting_shape = (n_queries,) if shape else ()
            if shape != fitting_shape:
                return f"{name} of PairFactors must have shape {fitting_shape}, got {shape}."

        # It may have rows only where no factor but f is multiplied with it or added to it.
        conflicting_factors = sorted(shapes.keys() - {"scale", "f", varying_factor})
        if varying_factor is None or not conflicting_factors:
            return ""
        return (
            f"{varying_factor} of PairFactors must be the same for all queries beside "
            f"{' and '.join(conflicting_factors)}, got shape {shapes[varying_factor]}."
        )

    @property
    def rises(self) -> bool:
        """Whether f is 0 at level 0 and does not fall from level to level."""
        if self.f is None:
            return True

        f = np.asarray(self.f)
        starts_at_zero = (f[..., 0] == 0).all()
        never_falls = (np.diff(f) >= 0).all()
        return bool(starts_at_zero and never_falls)


def _require_rising(f: FloatArray, borders: IntArray) -> None:
    """Raise unless f is 0 at level 0, and does not fall from there within each query."""
    if not f.size:
        return
    if f[0] != 0:
        raise ValueError(f"f of PairFactors must be 0 at level 0, got {float(f[0])!r}.")

    falling_level = _core.first_fall(f=f, borders=borders)
    if falling_level >= 0:
        is_first_of_query = falling_level in borders[:-1]
        previous = 0.0 if is_first_of_query else float(f[falling_level - 1])
        raise ValueError(
            "f of PairFactors must not fall from level to level of a query, got "
            f"{float(f[falling_level])!r} after {previous!r}."
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

    # Whether queries with levels of their own are scored apart from others.
    _goes_by_scale: ClassVar[bool] = False

    _needs: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("relevant",),
        ("linear_part", "pair_part"),
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
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
        self._warn_of_labels(judgments)
        linear = self.linear_part(judgments)
        pairs = self.pair_part(judgments)
        return _form_of(linear, pairs, judgments, self)

    @cached_property
    def _form_identity(self) -> tuple[Any, ...]:
        """What measures have in common if their forms are equal: all but the rule for ties."""
        kind, *values = self._identity
        by_name = dict(zip(self._fields, values, strict=True))
        del by_name["ties"]
        return kind, *by_name.values()

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
            for scale_part in judgments.by_scale:
                factor[scale_part.queries] = self.query_factor(scale_part.judgments)
            return factor

        form = self.prefix_form(judgments)
        has_relevant = form.n_relevant > 0
        if not self.normalize:
            return has_relevant.astype(np.float64)

        ideal_value = cast("FloatArray", form.kernel.best)
        return np.divide(
            1.0,
            ideal_value,
            out=np.zeros_like(ideal_value),
            where=has_relevant & (ideal_value > 0),
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
    """Return both parts as kernels take them; raise where an array of a part does not fit."""
    gain = _ABSENT
    scale = _ABSENT
    constant = _ABSENT
    if linear is not None:
        gain = _float_array(linear.gain)
        scale = _float_array(linear.scale)
        constant = _float_array(linear.constant)

    pair_arguments = _NO_PAIRS
    if pairs is not None:
        pair_arguments = _pair_arguments(pairs.K, judgments, owner)

    n_relevant = judgments.count_pool(owner.relevant(judgments))
    borders = judgments.borders
    try:
        kernel = _core.PrefixForm(
            constant=constant,
            scale=scale,
            gain=gain,
            **pair_arguments,
            n_relevant=n_relevant,
            n_levels=judgments.n_levels,
            shares_levels=borders is None,
            empty=owner.empty,
            cutoff=owner.k or _core.LAST_RANK,
        )
    except (TypeError, ValueError) as error:
        if pairs is None or not isinstance(pairs.K, PairFactors):
            raise
        raise ValueError(_complaint_of(pairs.K, judgments) or str(error)) from error

    if borders is not None:
        _require_rising(pair_arguments["f"], borders)
    form = PrefixForm(linear, pairs, n_relevant, kernel)
    if owner.normalize:
        kernel.divide_by(best=_ideal_values(form, judgments, owner))
    return form


def _float_array(values: FloatArray | float) -> FloatArray:
    return np.asarray(values, dtype=np.float64, order="C")


def _complaint_of(factors: PairFactors, judgments: Judgments) -> str:
    return factors.complaint(
        judgments.n_queries, judgments.n_levels, share_levels=judgments.borders is None
    )


def _pair_arguments(
    K: PairFactors | FloatArray, judgments: Judgments, owner: PrefixMeasure
) -> dict[str, FloatArray]:
    """Return K by the names of the kernels' arguments; raise where kernels would not."""
    n_levels = judgments.n_levels
    share_levels = judgments.borders is None
    if share_levels and n_levels > _MOST_LEVELS:
        raise ValueError(
            f"y_true must hold at most {_MOST_LEVELS:,} different grades for {owner}, "
            f"which counts pairs of grades, got {n_levels:,}. Measures that only use "
            "gains and discounts, such as nDCG, accept any number of grades."
        )

    if isinstance(K, PairFactors):
        arguments = _NO_PAIRS.copy()
        for name, factor in zip(_NAMES_OF_FACTORS, K, strict=True):
            if factor is None:
                continue
            arguments[name] = _float_array(factor)
            # Kernels would take a factor without entries for one that K lacks.
            if arguments[name].size == 0:
                raise ValueError(_complaint_of(K, judgments))
        return arguments

    if not share_levels:
        raise ValueError(
            f"K of {type(owner).__name__} must be PairFactors where queries have levels of "
            "their own, as for grades between whole ones or a long scale on short lists, got "
            "an array. For a K that has no factors, state shares_levels = True in the class."
        )
    shape = (judgments.n_queries, n_levels, n_levels)
    matrices = _float_array(np.broadcast_to(K, shape))
    return _NO_PAIRS | {"pair_scale": np.ones(1), "K": matrices}


def value_of_pairs(
    positions: Positions,
    factors: PairFactors,
    judgments: Judgments,
    owner: PrefixMeasure,
) -> FloatArray:
    """Sum p_n K[r_m, r_n] over all ranks of the ideal rankings, shape (n_queries,)."""
    plain_owner = owner.replace(k=None, empty=0.0, normalize=False)
    pairs = PairPart(positions, factors)
    form = _form_of(None, pairs, judgments, plain_owner)
    return _ideal_values(form, judgments, owner)


def _ideal_values(
    form: PrefixForm, judgments: Judgments, owner: PrefixMeasure
) -> FloatArray:
    plan = _Plan.of([form], judgments)
    ideal = judgments.ideal
    (values,), _ = plan.values(ideal, owner.ties, owner.unjudged)
    return values


def score_queries(measures: Collection[Measure], rankings: Ranked) -> Scored:
    """Return the values by measure and query, and the number of empty queries by measure.

    Measures of the prefix form that read the same lists are scored together.
    """
    groups, order = _groups(tuple(measures))
    if len(groups) == 1:
        return _score_group(groups[0], rankings)

    scored_groups = [_score_group(group, rankings) for group in groups]
    values_by_group, n_empty_by_group = zip(*scored_groups, strict=True)
    values = np.concatenate(values_by_group)[order]
    n_empty = np.concatenate(n_empty_by_group)[order]
    return values, n_empty.tolist()


@lru_cache(maxsize=64)
def _groups(
    measures: tuple[Measure, ...],
) -> tuple[list[tuple[Measure, ...]], IntArray]:
    """Return groups of measures that are scored together, and the order that undoes grouping."""
    places_by_rules: dict[Any, list[int]] = {}
    for place, measure in enumerate(measures):
        rules: Any = place  # a measure that scores itself is a group of its own
        if (
            isinstance(measure, PrefixMeasure)
            and type(measure)._score is PrefixMeasure._score
        ):
            rules = (measure.ties, measure.unjudged)
        places_by_rules.setdefault(rules, []).append(place)

    groups = [
        tuple(measures[place] for place in places)
        for places in places_by_rules.values()
    ]
    places_by_group = np.concatenate(list(places_by_rules.values()))
    return groups, np.argsort(places_by_group)


def _score_group(group: tuple[Any, ...], rankings: Ranked) -> Scored:
    """Score measures of the prefix form with the same rules, or one that scores itself."""
    if len(group) > 1:
        return _score_together(group, rankings)

    (measure,) = group
    values, n_empty = measure._score(rankings)
    return values[np.newaxis], [n_empty]


def _score_together(measures: tuple[Any, ...], rankings: Ranked) -> Scored:
    judgments = rankings.judgments
    if any(measure._goes_by_scale for measure in measures) and judgments.by_scale:
        return _score_by_scale(measures, rankings)

    plan = judgments.memo.get(
        _Plan,
        measures,
        lambda: _plan_of(measures, judgments),
        is_long=judgments.borders is not None,
    )
    return plan.values(rankings, measures[0].ties, measures[0].unjudged)


def _plan_of(measures: tuple[Any, ...], judgments: Judgments) -> _Plan:
    forms = [measure.prefix_form(judgments) for measure in measures]
    return _Plan.of(forms, judgments)


def _score_by_scale(measures: tuple[Any, ...], rankings: Ranked) -> Scored:
    """Score queries with levels of their own apart from others, by measures that count pairs."""
    goes_by_scale = np.array([measure._goes_by_scale for measure in measures])
    n_measures = len(measures)
    n_queries = rankings.judgments.n_queries
    values = np.empty((n_measures, n_queries))
    n_empty = np.zeros(n_measures, dtype=np.int64)

    # Measures without pairs score all queries at once.
    measures_of_whole = tuple(
        measure for measure in measures if not measure._goes_by_scale
    )
    if measures_of_whole:
        values_of_whole, n_empty_of_whole = _score_together(measures_of_whole, rankings)
        values[~goes_by_scale] = values_of_whole
        n_empty[~goes_by_scale] = n_empty_of_whole

    # Measures with pairs score the queries of every scale for themselves.
    measures_by_scale = tuple(measure for measure in measures if measure._goes_by_scale)
    for measure in measures_by_scale:  # whose labels are those of all queries
        measure._warn_of_labels(rankings.judgments)
    for queries, rankings_of_scale in rankings.by_scale:
        values_of_scale, n_empty_of_scale = _score_together(
            measures_by_scale, rankings_of_scale
        )
        values[np.ix_(goes_by_scale, queries)] = values_of_scale
        n_empty[goes_by_scale] += n_empty_of_scale
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
        # Equal weights have one place, which is not read for a part that a form lacks.
        places: dict[Positions, int] = {}
        placed = []
        for form in forms:
            discount_place = 0
            position_place = 0
            if form.linear is not None:
                discount_place = places.setdefault(form.linear.discount, len(places))
            if form.pairs is not None:
                position_place = places.setdefault(form.pairs.positions, len(places))
            placed.append((form.kernel, discount_place, position_place))

        longest = _core.longest_query(indptr=judgments.indptr)
        if not judgments.has_own_pool:
            longest = max(longest, judgments.pool.longest)

        weights = [
            (up_to(longest, positions), False)
            if isinstance(positions, ByRank) and longest <= LONGEST_KEPT
            else None
            for positions in places
        ]
        return cls(placed, list(places), weights)

    def values(self, rankings: Ranked, ties: Ties, unjudged: Unjudged) -> Scored:
        """Return the values, and the numbers of queries with nothing relevant."""
        judgments = rankings.judgments
        ranked = rankings.ranked(ties, unjudged)

        weights = []
        for positions, weights_by_rank in zip(
            self.positions, self.weights, strict=True
        ):
            if weights_by_rank is not None:
                weights.append(weights_by_rank)
            else:
                is_ragged = not isinstance(positions, ByRank)
                weights.append(
                    (_weights_of(positions, unjudged, ranked, rankings), is_ragged)
                )

        borders = judgments.borders
        if borders is None:
            borders = _NO_BORDERS
        return _core.prefix_values(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            n_levels=judgments.n_levels,
            borders=borders,
            measures=self.placed,
            weights=weights,
            expected=ties == "expected",
            n_threads=rankings.n_threads,
        )


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
