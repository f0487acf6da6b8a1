"""Derivatives of LambdaMART's cost for any measure of the prefix form, with or without noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._guards import warn_if_labels_are_equal, warn_once
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
from skgraded.measures import LinearPart, Measure, PairFactors, PairPart, PrefixMeasure
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


def noise_or_none(
    noise: Any, noise_scale: Any, n_draws: Any, random_state: Any
) -> Noise | None:
    """Check the noise arguments of `objective`; return the noise, or None if there is none."""
    noise_scale = number("noise_scale", noise_scale, above=0)
    n_draws = integer("n_draws", n_draws, 1)
    seed = integer("random_state", random_state, 0)
    if noise is None:
        return None

    kinds = _core.NoiseKind.__members__
    kind = choice("noise", noise, kinds, alternative=", or None for no noise")
    return Noise(kind, noise_scale, n_draws, seed)


# All pairs of a query of so many documents take about 60 ms in every iteration.
_LONG = 10_000


def _require_trainable(measure: Measure) -> None:
    """Raise if the kernel cannot compute by how much a swap changes the measure."""
    for summand, _ in measure._weighted_parts:
        if not isinstance(summand, PrefixMeasure):
            raise ValueError(
                "measure must have the prefix form (a sum over ranks of discounted gains and of "
                f"pairs of documents) to train for it, got {summand}, which has not. Train for a "
                "measure that has it, such as nDCG, xGAP, eGAP, GAP, QMeasure, AP or RBP, and stop "
                f"early by {type(summand).__name__}."
            )

    by_rule = {summand.ties: summand for summand, _ in measure._weighted_parts}
    if len(by_rule) > 1:
        rules = [f"{ties!r} in {summand}" for ties, summand in by_rule.items()]
        raise ValueError(
            "The parts of a blend must share the rule for ties to train for it, got "
            f"{' and '.join(rules)}."
        )


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
        _require_trainable(self.measure)

        level = integer_or_none(
            "truncation_level", self.truncation_level, 1, "all pairs"
        )
        object.__setattr__(self, "truncation_level", level)
        object.__setattr__(self, "sigmoid", number("sigmoid", self.sigmoid, above=0))
        object.__setattr__(self, "norm", flag("norm", self.norm))
        threads(self.n_threads)

    def __str__(self) -> str:
        arguments = [repr(str(self.measure))]
        for name in ("sigmoid", "truncation_level", "norm"):
            value = getattr(self, name)
            if value != getattr(LambdaMART, name):
                arguments.append(f"{name}={value!r}")
        if self.noise is not None:
            arguments.append(str(self.noise))
        return f"objective({', '.join(arguments)})"

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

        if self._goes_by_scale(judgments):
            gradient, hessian = np.empty((2, judgments.n_documents))
            for scale in judgments.by_scale:
                gradient_of_scale, hessian_of_scale = self._derivatives_by_position(
                    scale.judgments, scale.select(scores)
                )
                # None stands for all documents, as an index too.
                gradient[scale.documents] = gradient_of_scale
                hessian[scale.documents] = hessian_of_scale
        else:
            gradient, hessian = self._derivatives_by_position(judgments, scores)

        _refuse_overflow(gradient, hessian, self.measure)
        if judgments.places is not None:
            gradient = gradient[judgments.places]
            hessian = hessian[judgments.places]

        if weight is not None:
            gradient = gradient * weight
            hessian = hessian * weight
        return gradient, hessian

    @property
    def _prefix_measures(self) -> tuple[tuple[PrefixMeasure, float], ...]:
        """The summands of the measure and their weights."""
        return cast(
            "tuple[tuple[PrefixMeasure, float], ...]", self.measure._weighted_parts
        )

    def _goes_by_scale(self, judgments: Judgments) -> bool:
        """Whether queries with levels of their own are separated from the others."""
        counts_pairs = False
        for summand, _ in self._prefix_measures:
            if not summand.counts_pairs:
                continue
            counts_pairs = True
            if summand.shares_levels:
                judgments.require_integer_grades(
                    f"training for {summand}, whose K has no factors"
                )
                return False

        # Scales are looked for only where there are pairs.
        return counts_pairs and bool(judgments.by_scale)

    def _derivatives_by_position(
        self, judgments: Judgments, scores: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian diagonal, with the documents of a query side by side."""
        swaps = self._swaps(judgments)
        n_threads = threads(self.n_threads)

        if self.noise is not None:
            return _core.noisy_lambdas(
                level=judgments.levels,
                scores=scores,
                indptr=judgments.indptr,
                schedule=judgments.schedule,
                grades=judgments.grades,
                prices=swaps.prices,
                options=swaps.options,
                noise=self.noise.of_kernel,
                n_threads=n_threads,
            )

        order, tied = _core.rank(
            scores=scores,
            indptr=judgments.indptr,
            schedule=judgments.schedule,
            n_threads=n_threads,
        )
        return _core.lambdas(
            level=judgments.levels,
            order=order,
            tied=tied,
            scores=scores,
            indptr=judgments.indptr,
            n_levels=judgments.n_levels,
            prices=swaps.prices,
            options=swaps.options,
            n_threads=n_threads,
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
        warn_if_labels_are_equal(judgments.levels, judgments.indptr)
        if self.truncation_level is None:
            _warn_if_a_query_is_long(judgments)

        summands = self._prefix_measures
        prices = [
            _swap_prices(summand, weight, self.truncation_level, judgments)
            for summand, weight in summands
        ]
        options = _core.LambdaOptions(
            truncation=self.truncation_level or _core.LAST_RANK,
            ties=_core.TieOrder[summands[0][0].ties],
            norm=self.norm,
            sigmoid=self.sigmoid,
        )
        return _Swaps(prices, options)


# Boosters read derivatives as float32.
_LARGEST = float(np.finfo(np.float32).max)


def _refuse_overflow(
    gradient: FloatArray, hessian: FloatArray, trained: Measure
) -> None:
    """Raise where a booster would read derivatives as infinite, and grow no tree."""
    largest = max(gradient.max(initial=0.0), -gradient.min(initial=0.0))
    largest = max(largest, hessian.max(initial=0.0))
    if not largest <= _LARGEST:
        raise ValueError(
            f"The derivatives of {trained} must not exceed {_LARGEST:.3g}, the range of float32 in "
            f"which boosters read them, got {largest:.3g}: take a measure with smaller gains, or a "
            "normalized one, or norm=True."
        )


class _Swaps(NamedTuple):
    """What swaps of two documents cost on some labels, as kernels take it.

    Attributes
    ----------
    prices : list of SwapPrices
        The prices for each summand of the measure.
    options : LambdaOptions
        The other parameters of the cost.
    """

    prices: list[_core.SwapPrices]
    options: _core.LambdaOptions


class _PartPrices(NamedTuple):
    """What a part of the prefix form, linear or of pairs, adds to the prices of swaps.

    Attributes
    ----------
    weights : ndarray of shape (longest list,) or (n_documents,)
        The discounts d_n or the position weights p_n.
    are_ragged : bool
        Whether there is a weight for each document, not only for each rank.
    factor : ndarray of shape (n_queries,)
        Factor of each query.
    by_factors : bool, default=False
        Whether the kernel takes K by its factors.
    """

    weights: FloatArray
    are_ragged: bool
    factor: FloatArray
    by_factors: bool = False


def _swap_prices(
    measure: PrefixMeasure,
    weight: float,
    truncation_level: int | None,
    judgments: Judgments,
) -> _core.SwapPrices:
    """Return the prices of swaps for one summand of the measure."""
    form = measure.prefix_form(judgments)
    factor = weight * _query_factor(measure, truncation_level, judgments)

    pair_prices = _PartPrices(np.zeros(0), are_ragged=False, factor=factor)
    if form.pairs is not None:
        pair_prices = _prices_of_pairs(form.pairs, factor, judgments)

    # Without gains, any discounts of the right size will do.
    gain_prices = pair_prices._replace(factor=factor)
    if form.linear is not None:
        gain_prices = _prices_of_gains(form.linear, factor, judgments)

    return _core.SwapPrices(
        form=form.kernel,
        by_factors=pair_prices.by_factors,
        discount=gain_prices.weights,
        discount_ragged=gain_prices.are_ragged,
        gain_factor=gain_prices.factor,
        position=pair_prices.weights,
        position_ragged=pair_prices.are_ragged,
        pair_factor=pair_prices.factor,
        cutoff=measure.k or _core.LAST_RANK,
    )


def _prices_of_pairs(
    pairs: PairPart, factor: FloatArray, judgments: Judgments
) -> _PartPrices:
    weights, are_ragged = _weights(pairs.positions, judgments)
    K = pairs.K
    if isinstance(K, PairFactors) and (judgments.borders is not None or K.rises):
        return _PartPrices(weights, are_ragged, factor * K.scale, by_factors=True)
    return _PartPrices(weights, are_ragged, factor)


def _prices_of_gains(
    linear: LinearPart, factor: FloatArray, judgments: Judgments
) -> _PartPrices:
    weights, are_ragged = _weights(linear.discount, judgments)
    return _PartPrices(weights, are_ragged, factor * linear.scale)


def _warn_if_a_query_is_long(judgments: Judgments) -> None:
    longest = int(np.diff(judgments.indptr).max(initial=0))
    if longest > _LONG:
        warn_once(
            f"A query has {longest:,} documents, and truncation_level=None counts all its pairs in "
            "every iteration: twice the documents take four times as long. A truncation_level, "
            "such as 30, avoids that.",
            LongQueryWarning,
        )


def _weights(positions: Positions, judgments: Judgments) -> tuple[FloatArray, bool]:
    """Return the weights of the ranks, and whether every document has its own."""
    # The ranks are those of the lists, which the pool may exceed.
    lists = RankedList.without_ties(judgments.levels, judgments.indptr)
    weights = np.ascontiguousarray(positions(lists, judgments), dtype=np.float64)
    return weights, not isinstance(positions, ByRank)


def _query_factor(
    measure: PrefixMeasure, truncation_level: int | None, judgments: Judgments
) -> FloatArray:
    """Return 1 / ideal value for each query if the measure is normalized; 0 for empty queries.

    Without a cut-off, the ideal value ends at the truncation level, as in LightGBM.
    """
    if measure.k is None and measure.normalize:
        measure = measure.replace(k=truncation_level)
    return measure.query_factor(judgments)
