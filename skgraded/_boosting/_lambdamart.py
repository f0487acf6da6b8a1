"""Derivatives of LambdaMART's cost for any measure of the prefix form, with or without noise."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._boosting._evaluator import chosen_measure
from skgraded._guards import warn_once
from skgraded._support.arguments import (
    choice,
    flag,
    integer,
    integer_or_none,
    number,
    threads,
)
from skgraded._support.array_types import FloatArray
from skgraded.exceptions import LongQueryWarning
from skgraded.measures import Measure, PairFactors, PrefixMeasure
from skgraded.measures._positions import ByRank, Positions
from skgraded.rankings import Judgments, RankedList, own_scores


@dataclass(frozen=True)
class Noise:
    """Random numbers that are added to scores.

    Attributes
    ----------
    kind : {"gumbel", "logistic"}
        Distribution of the numbers, in its standard form.
    scale : float
        The unit of the numbers, in standard deviations of the scores of a query.
    n_draws : int
        Number of draws.
    seed : int
        Seed of the draws.
    """

    kind: str
    scale: float
    n_draws: int
    seed: int

    @property
    def of_kernel(self) -> _core.Noise:
        """The noise in the kernel's form, with the low 64 bits of the seed."""
        return _core.Noise(
            kind=_core.NoiseKind[self.kind],
            scale=self.scale,
            n_draws=self.n_draws,
            seed=self.seed % 2**64,
        )

    def __str__(self) -> str:
        return (
            f"noise={self.kind!r}, noise_scale={self.scale!r}, n_draws={self.n_draws!r}, "
            f"random_state={self.seed!r}"
        )


def chosen_noise(
    noise: Any, noise_scale: Any, n_draws: Any, random_state: Any
) -> Noise | None:
    """Check the noise arguments of `objective`; return the noise, or None if there is none."""
    scale = number("noise_scale", noise_scale, above=0)
    drawn = integer("n_draws", n_draws, 1)
    seed = integer("random_state", random_state, 0)
    if noise is None:
        return None
    kind = choice(
        "noise",
        noise,
        _core.NoiseKind.__members__,
        alternative=", or None for no noise",
    )
    return Noise(kind, scale, drawn, seed)


# All pairs of a query of so many documents take about 60 ms in every iteration.
_LONG = 10_000


def trainable(chosen: Measure) -> Measure:
    """Return the measure if the kernel can compute by how much a swap changes it, or raise."""
    parts = chosen._weighted_parts
    for part, _ in parts:
        if not isinstance(part, PrefixMeasure):
            raise ValueError(
                "measure must have the prefix form (a sum over ranks of discounted gains and of "
                f"pairs of documents) to train for it, got {part}, which has not. Train for a "
                "measure that has it, such as nDCG, xGAP, eGAP, GAP, QMeasure, AP or RBP, and stop "
                f"early by {type(part).__name__}."
            )
    rules = {part.ties: part for part, _ in parts}
    if len(rules) > 1:
        listed = " and ".join(f"{ties!r} in {part}" for ties, part in rules.items())
        raise ValueError(
            f"The parts of a blend must share the rule for ties to train for it, got {listed}."
        )
    return chosen


def make_objective(measure: str | Measure, **options: Any) -> LambdaMART:
    """Make an objective from the arguments of a library's `objective` function."""
    return LambdaMART(chosen_measure(measure, "objective"), **options)


@dataclass(frozen=True)
class LambdaMART:
    """LambdaMART's cost for a measure of the prefix form, or a blend of such measures.

    Attributes
    ----------
    measure : PrefixMeasure or Blend
        The measure to train for.
    sigmoid : float
        Steepness of the logistic loss.
    truncation_level : int or None
        Only pairs with a document among this many top ranks count; None counts all pairs.
    norm : bool
        Whether the derivatives of each query are normalized.
    noise : Noise or None
        Noise that is added to the scores, over which the derivatives are averaged.
    n_threads : int or None
        As given: -1 counts the processors of the machine that trains. No value depends on it.
    """

    measure: Measure
    sigmoid: float = 1.0
    truncation_level: int | None = 30
    norm: bool = True
    noise: Noise | None = None
    n_threads: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        trainable(self.measure)
        level = integer_or_none(
            "truncation_level", self.truncation_level, 1, "all pairs"
        )
        object.__setattr__(self, "truncation_level", level)
        object.__setattr__(self, "sigmoid", number("sigmoid", self.sigmoid, above=0))
        object.__setattr__(self, "norm", flag("norm", self.norm))
        threads(self.n_threads)

    def __str__(self) -> str:
        given = {
            each.name: getattr(self, each.name)
            for each in dataclasses.fields(self)[1:4]
        }
        shown = [repr(str(self.measure))]
        shown += [f"{k}={v!r}" for k, v in given.items() if v != getattr(LambdaMART, k)]
        shown += [] if self.noise is None else [str(self.noise)]
        return f"objective({', '.join(shown)})"

    def derivatives(
        self, judgments: Judgments, y_score: Any, weight: NDArray[Any] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian diagonal of the cost, times the weights of the rows.

        Parameters
        ----------
        judgments : Judgments
            The documents, all of them judged.
        y_score : array-like of shape (n_documents,)
            Their scores, by row.
        weight : ndarray of shape (n_documents,), optional
            Weight of each row.

        Returns
        -------
        gradient : ndarray of shape (n_documents,)
            First derivatives by score, in the order of the rows.
        hessian : ndarray of shape (n_documents,)
            Second derivatives.
        """
        scores = own_scores(y_score, judgments.places, judgments.n_documents)
        if self._splits(judgments):
            gradient, hessian = np.empty((2, judgments.n_documents))
            for part in judgments.by_scale:
                found = self._by_position(part.judgments, part.select(scores))
                gradient[part.documents], hessian[part.documents] = (
                    found  # of all where it is None
                )
        else:
            gradient, hessian = self._by_position(judgments, scores)
        if judgments.places is not None:
            gradient = gradient[judgments.places]
            hessian = hessian[judgments.places]
        return (
            (gradient, hessian)
            if weight is None
            else (gradient * weight, hessian * weight)
        )

    def _splits(self, judgments: Judgments) -> bool:
        """Whether queries with levels of their own are separated from the others."""
        parts = [
            cast("PrefixMeasure", part) for part, _ in self.measure._weighted_parts
        ]
        pairs = [part for part in parts if part.counts_pairs]
        for part in pairs:
            if part.shares_levels:
                judgments.require_integer_grades(
                    f"training for {part}, whose K has no factors"
                )
                return False
        return bool(pairs and judgments.by_scale)

    def _by_position(
        self, judgments: Judgments, scores: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        swaps = self._swaps(judgments)
        n_threads = threads(self.n_threads)
        given: dict[str, Any] = {
            "level": judgments.levels,
            "scores": scores,
            "indptr": judgments.indptr,
            "prices": swaps.prices,
            "options": swaps.options,
            "n_threads": n_threads,
        }
        schedule = judgments.schedule
        if self.noise is not None:
            noise = self.noise.of_kernel
            return _core.noisy_lambdas(
                **given, schedule=schedule, grades=judgments.grades, noise=noise
            )
        order, tied = _core.rank(scores, judgments.indptr, schedule, n_threads)
        return _core.lambdas(
            **given, order=order, tied=tied, n_levels=judgments.n_levels
        )

    def _swaps(self, judgments: Judgments) -> _Swaps:
        return judgments.memo.get(
            _Swaps, self, lambda: self._make_swaps(judgments), is_long=True
        )

    def _make_swaps(self, judgments: Judgments) -> _Swaps:
        if judgments.has_unjudged:
            raise ValueError(
                "y_true must be judged in every row to train on, got NaN: drop these rows, or give "
                "them grade 0."
            )
        if self.truncation_level is None:
            _warn_if_a_query_is_long(judgments)
        parts = self.measure._weighted_parts
        prices = [
            _swap_prices(
                cast("PrefixMeasure", part), weight, self.truncation_level, judgments
            )
            for part, weight in parts
        ]
        options = _core.LambdaOptions(
            truncation=self.truncation_level or _core.LAST_RANK,
            ties=_core.TieOrder[parts[0][0].ties],
            norm=self.norm,
            sigmoid=self.sigmoid,
        )
        return _Swaps(prices, options)


class _Swaps(NamedTuple):
    """What swaps of two documents cost on some labels, as kernels take it.

    Attributes
    ----------
    prices : list of SwapPrices
        The prices for each part of the measure.
    options : LambdaOptions
        The other parameters of the cost.
    """

    prices: list[_core.SwapPrices]
    options: _core.LambdaOptions


def _swap_prices(
    chosen: PrefixMeasure,
    weight: float,
    truncation_level: int | None,
    judgments: Judgments,
) -> _core.SwapPrices:
    form = chosen.prefix_form(judgments)
    factor = weight * _query_factor(chosen, truncation_level, judgments)
    gain_factor = pair_factor = factor
    discount = position = np.zeros(0)
    by_factors = discount_ragged = position_ragged = False
    if form.pairs is not None:
        ranks, K = form.pairs
        # Without gains, any discounts of the right size will do.
        position = discount = _weights(ranks, judgments)
        position_ragged = discount_ragged = not isinstance(ranks, ByRank)
        if isinstance(K, PairFactors) and (judgments.borders is not None or K.rises):
            by_factors = True
            pair_factor = factor * K.scale
    if form.linear is not None:
        discount = _weights(form.linear.discount, judgments)
        discount_ragged = not isinstance(form.linear.discount, ByRank)
        gain_factor = factor * form.linear.scale
    return _core.SwapPrices(
        form=form.kernel,
        by_factors=by_factors,
        discount=discount,
        discount_ragged=discount_ragged,
        gain_factor=gain_factor,
        position=position,
        position_ragged=position_ragged,
        pair_factor=pair_factor,
        cutoff=chosen.k or _core.LAST_RANK,
    )


def _warn_if_a_query_is_long(judgments: Judgments) -> None:
    longest = int(np.diff(judgments.indptr).max(initial=0))
    if longest > _LONG:
        warn_once(
            f"A query has {longest:,} documents, and truncation_level=None counts all its pairs in "
            "every iteration: twice the documents take four times as long. A truncation_level, "
            "such as 30, avoids that.",
            LongQueryWarning,
        )


def _weights(positions: Positions, judgments: Judgments) -> FloatArray:
    # The ranks are those of the lists, which the pool may exceed.
    lists = RankedList.without_ties(judgments.levels, judgments.indptr)
    return np.ascontiguousarray(positions(lists, judgments), dtype=np.float64)


def _query_factor(
    chosen: PrefixMeasure, truncation_level: int | None, judgments: Judgments
) -> FloatArray:
    """Return 1 / ideal value for each query if the measure is normalized; 0 for empty queries.

    Without a cut-off, the ideal value ends at the truncation level, as in LightGBM.
    """
    if chosen.k is None and chosen.normalize:
        chosen = chosen.replace(k=truncation_level)
    return chosen.query_factor(judgments)
