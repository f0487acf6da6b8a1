"""What the boosting libraries share: LambdaMART's derivatives, and judgments of known data sets."""

from __future__ import annotations

import dataclasses
import weakref
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded.measures import Measure, Scores
from skgraded.rankings import Judgments, Positions

__all__ = [
    "IterationCounter",
    "JudgedSets",
    "LambdaMART",
    "require_finite_scores",
    "require_means",
]

FloatArray = NDArray[np.float64]

# How tied documents are ordered while training; the numbers are those of tie_orders.hpp.
_TIE_ORDERS = {"row_order": 0, "expected": 1, "pessimistic": 2, "optimistic": 3}
_DEFAULTS = {"sigmoid": 1.0, "truncation_level": 30, "norm": True}
_WHOLE_LIST = np.iinfo(np.int64).max


def _check_trainable(chosen: Measure) -> None:
    """Raise where swapping two documents has no price that the kernel knows."""
    if not chosen.has_prefix_form:
        raise ValueError(
            f"measure must be of the prefix form (a sum over ranks of discounted gains and of "
            f"pairs of documents) to train for, got {chosen}, which is not. Train for a relative "
            "of it that is, such as nDCG, xGAP, eGAP, GAP, QMeasure, AP or RBP, and stop early by "
            f"{type(chosen).__name__}."
        )


def require_finite_scores(y_score: NDArray[Any], iteration: int) -> None:
    """Raise where training has run away: derivatives of NaN would make trees of one leaf."""
    finite = np.isfinite(y_score)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise ValueError(
            f"The model's scores must stay finite in training, got {y_score[row]} in row {row} at "
            f"iteration {iteration}: lower the learning rate, or look for infinite features and "
            "initial scores."
        )


@dataclass(frozen=True)
class LambdaMART:
    """Derivatives of LambdaMART's cost for a measure of the prefix form.

    Attributes
    ----------
    measure : Measure
        What to train for.
    sigmoid : float
        Steepness of the logistic loss.
    truncation_level : int or None
        Pairs count that have a document among so many first ranks.
    norm : bool
        Whether lambdas are normalized.
    """

    measure: Measure
    sigmoid: float
    truncation_level: int | None
    norm: bool

    def __post_init__(self) -> None:
        _check_trainable(self.measure)
        level = self.truncation_level
        if level is not None and (
            not isinstance(level, Integral) or isinstance(level, bool) or level < 1
        ):
            raise ValueError(
                f"truncation_level must be an integer >= 1, or None for all pairs, got {level!r}."
            )
        if not isinstance(self.sigmoid, Real) or not 0 < self.sigmoid < np.inf:
            raise ValueError(f"sigmoid must be a number > 0, got {self.sigmoid!r}.")
        if not isinstance(self.norm, bool | np.bool_):
            raise ValueError(f"norm must be True or False, got {self.norm!r}.")

    def __str__(self) -> str:
        shown = [repr(str(self.measure))]
        for field in dataclasses.fields(self)[1:]:
            value = getattr(self, field.name)
            if value != _DEFAULTS[field.name]:
                shown.append(f"{field.name}={value!r}")
        return ", ".join(shown)

    def derivatives(
        self, judgments: Judgments, y_score: ArrayLike, n_threads: int = 1
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian diagonal of the cost at the scores.

        Parameters
        ----------
        judgments : Judgments
            Labels by query, all of them judged.
        y_score : array-like of shape (n_documents,)
            Scores, in the order of the rows.
        n_threads : int, default=1
            Threads; results do not depend on it.

        Returns
        -------
        gradient : ndarray of shape (n_documents,)
            First derivatives by score, in the order of the rows.
        hessian : ndarray of shape (n_documents,)
            Second derivatives.
        """
        prices = judgments.once(("swap prices", self), lambda: _swap_prices(self, judgments))
        rankings = judgments.rank(y_score, n_threads)
        rows = judgments.row_order
        scores = np.ascontiguousarray(y_score, dtype=np.float64)
        gradient, hessian = _core.lambdas(
            level=judgments.levels,
            order=rankings.order,
            tied=rankings.tied,
            scores=scores if rows is None else scores[rows],
            indptr=judgments.indptr,
            n_levels=judgments.n_levels,
            **prices._asdict(),
            cutoff=_WHOLE_LIST if self.measure.k is None else self.measure.k,
            truncation=self.truncation_level or _WHOLE_LIST,
            tie_order=_TIE_ORDERS[self.measure.ties],
            norm=bool(self.norm),
            sigmoid=float(self.sigmoid),
            n_threads=n_threads,
        )
        return _in_rows(gradient, rows), _in_rows(hessian, rows)


class _SwapPrices(NamedTuple):
    """What the kernel reads prices off, by its names; the labels alone determine it."""

    discount: FloatArray
    discount_ragged: bool
    gain: FloatArray
    gain_factor: FloatArray
    position: FloatArray
    position_ragged: bool
    pairs: FloatArray
    pair_factor: FloatArray


def _swap_prices(cost: LambdaMART, judgments: Judgments) -> _SwapPrices:
    _require_judged(judgments)
    linear, pairs = cost.measure.prefix_form(judgments)
    factor = _query_factor(cost, judgments)
    gain, gain_factor = np.zeros(judgments.n_levels), np.zeros(len(factor))
    discount = position = K = np.zeros(0)
    discount_ragged = position_ragged = False
    if pairs is not None:
        position, position_ragged = _weights(pairs.positions, judgments), pairs.positions.ragged
        K = pairs.K.ravel()
        # Where the gains are 0, any discounts of the right size do.
        discount, discount_ragged = position, position_ragged
    if linear is not None:
        discount, discount_ragged = _weights(linear.discount, judgments), linear.discount.ragged
        gain, gain_factor = linear.gain.astype(np.float64), factor * linear.scale
    return _SwapPrices(
        discount, discount_ragged, gain, gain_factor, position, position_ragged, K, factor
    )


def _require_judged(judgments: Judgments) -> None:
    if judgments.has_unjudged:
        raise ValueError(
            "y_true must be judged in every row to train on, got NaN: drop these rows, or take "
            "grade 0 for them."
        )


def _weights(positions: Positions, judgments: Judgments) -> FloatArray:
    return np.ascontiguousarray(positions(judgments.pool, judgments), dtype=np.float64)


def _query_factor(cost: LambdaMART, judgments: Judgments) -> FloatArray:
    """One over the ideal value where the measure is normalized, and 0 for empty queries.

    Without a cut-off the ideal value counts down to the truncation level, as in LightGBM.
    """
    chosen = cost.measure
    if chosen.k is None and chosen.normalize:
        chosen = dataclasses.replace(chosen, k=cost.truncation_level)
    return chosen.query_factor(judgments)


def _in_rows(values: FloatArray, row_order: NDArray[np.int64] | None) -> FloatArray:
    if row_order is None:
        return values
    in_rows = np.empty_like(values)
    in_rows[row_order] = values
    return in_rows


@dataclass(frozen=True)
class _JudgedSet:
    """Judgments of one data set, with copies of what they were made from."""

    owner: weakref.ref[Any]
    source: tuple[NDArray[Any] | None, ...]
    judgments: Judgments

    def is_made_from(self, source: tuple[NDArray[Any] | None, ...]) -> bool:
        pairs = zip(self.source, source, strict=True)
        return all(
            old is new if old is None or new is None else np.array_equal(old, new)
            for old, new in pairs
        )


class JudgedSets:
    """Judgments of the data sets under training or evaluation, found by content.

    Labels are compared, not trusted to be the same because the array is: a caller may reuse a
    buffer. A set is forgotten when its label array is gone.
    """

    def __init__(self) -> None:
        self._sets: tuple[_JudgedSet, ...] = ()

    def find(self, y_true: NDArray[Any], weight: Any, group: Any, owner: Any = None) -> Judgments:
        """Return the judgments of a data set, made in the first call with its labels.

        They are kept while their owner lives, by default the label array.
        """
        source = (np.asarray(group), y_true, None if weight is None else np.asarray(weight))
        for known in self._sets:
            if known.is_made_from(source):
                return known.judgments
        owner = y_true if owner is None else owner
        copies = tuple(None if each is None else each.copy() for each in source)
        judgments = Judgments.from_groups(y_true, group, weight)
        owned = [(each, each.owner()) for each in self._sets]
        alive = [each for each, other in owned if other is not None and other is not owner]
        self._sets = (_JudgedSet(weakref.ref(owner), copies, judgments), *alive)
        return judgments


class IterationCounter:
    """Counts calls with the same data set, which are the iterations of one training."""

    def __init__(self) -> None:
        self._judgments: Judgments | None = None
        self._count = 0

    def next(self, judgments: Judgments) -> int:
        """Return the number of the iteration, from 1."""
        self._count = self._count + 1 if judgments is self._judgments else 1
        self._judgments = judgments
        return self._count


def require_means(scores: Scores) -> None:
    """Raise where a mean is undefined: NaN would stop training early, without a word."""
    counted = ~np.isnan(scores.values)
    weights = np.ones(len(counted)) if scores.weights is None else scores.weights
    for each, total in zip(scores.measures, weights @ counted, strict=True):
        if total == 0:
            raise ValueError(
                f"{each} has no value on this data set: none of its {len(counted)} queries has "
                "anything relevant and a positive weight. Evaluate on queries with relevant "
                "documents, or set empty=0.0 in the measure."
            )
