"""What grades are worth: gains, g, relevance from a grade up, and weights by the ideal gain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._guards import warn_once
from skgraded._support import arguments as _params
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.named_users import MASSES, g_of
from skgraded._support.sealed import sealed
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures._fields import field, numbers_by_grade
from skgraded.measures._measure import Measure
from skgraded.measures._positions import (
    CONSTANT,
    ByRank,
    at_ranks,
    count_of,
    places_of,
    rank_of,
    reciprocal,
    to_the_end,
)
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import IdealRanking, Judgments, Ranked, RankedList, Unjudged

Gain = Literal["linear", "exp2"]


def check_gain(
    name: str, gain: Any, others: Sequence[str] = ()
) -> str | tuple[float, ...]:
    """Return the name of a gain or another word, or a non-decreasing tuple of gains of 1..c."""
    if isinstance(gain, str):
        return _params.choice(name, gain, (*others, *get_args(Gain)))
    gains = numbers_by_grade(name, gain)
    if min(np.diff(gains, prepend=0.0)) < 0:
        raise ValueError(
            f"{name} must not decrease from grade to grade, and grade 0 has {name} 0; got {gain!r}."
        )
    return gains


def exp2_gain(grades: FloatArray, judgments: Judgments, owner: object) -> FloatArray:
    """Return 2^r - 1; raise if the sum of the gains of all documents could overflow."""
    n_summands = 1 + judgments.n_documents + len(judgments.pooled[0])
    highest = np.log2(np.finfo(np.float64).max / n_summands)
    top = grades.max()
    if top >= highest:
        raise ValueError(
            f"y_true must hold grades below {highest:.0f} for the gain 2^r - 1 of {owner}, got "
            f'{top:g}. gain="linear" has no such limit.'
        )
    # Close to 1 a power has lost the digits of a small grade.
    return np.where(
        grades < 1.0, np.expm1(grades * math.log(2.0)), np.exp2(grades) - 1.0
    )


def gain_by_level(
    gain: str | Sequence[float], judgments: Judgments, owner: object
) -> FloatArray:
    """Return the gains of all levels."""
    grades = judgments.grades
    if gain == "linear":
        return grades
    if gain == "exp2":
        return exp2_gain(grades, judgments, owner)
    if judgments.top_grade > len(gain):
        raise ValueError(
            f"gain must have one entry for every grade 1..{math.ceil(judgments.top_grade)} in "
            f"y_true, got {len(gain)} entries in {owner}. trec_eval and ir_measures take a higher "
            "grade as its own gain; here, add its entry."
        )
    return _core.at_grades(grades, np.concatenate(([0.0], gain)))


def check_top_grade(name: str, top: Any) -> int | None:
    """Return the top grade of a scale, or None where gain, g or the data say it."""
    return None if top is None else _params.integer(name, top, 1)


def require_top(
    max_grade: int | None, name: str, by_grade: str | Sequence[float]
) -> None:
    """Raise where a field lists one number per grade, and max_grade is another number of grades."""
    if max_grade is None or isinstance(by_grade, str) or len(by_grade) == max_grade:
        return
    raise ValueError(
        f"max_grade must equal the number of entries of {name} ({len(by_grade)}) if {name} lists "
        f"one number per grade, got {max_grade}."
    )


def gain_of_top_grade(
    gain: str | Sequence[float],
    max_grade: int | None,
    judgments: Judgments,
    owner: object,
) -> float:
    """Return the gain of the top grade, as stated by gain or max_grade, or else by the data."""
    if not isinstance(gain, str):
        return float(gain[-1])
    if max_grade is not None and judgments.top_grade > max_grade:
        raise ValueError(
            f"y_true must hold grades 0..{max_grade} for {owner}, whose max_grade is {max_grade}; "
            f"got {judgments.top_grade:g}."
        )
    top = max(1, math.ceil(judgments.top_grade)) if max_grade is None else max_grade
    if gain == "linear":
        return float(top)
    return float(exp2_gain(np.array([float(top)]), judgments, owner)[0])


class _GainMeasure(Measure):
    """Base class of measures that have a gain per grade.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1, 2, ...
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    """

    gain: Gain | Sequence[float] = field("linear", check_gain)

    def _gains(self, judgments: Judgments) -> FloatArray:
        return gain_by_level(self.gain, judgments, self)

    def _share(self, judgments: Judgments) -> FloatArray:
        """Return 1 / cg_I(R) by query, where cg_I(R) is the sum of the gains of the pool."""
        return reciprocal(judgments.sum_over_pool(self._gains(judgments)))

    def relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return self._gains(judgments) > 0


class _ScaleMeasure(_GainMeasure):
    """Base class of measures that relate gains to the gain of the top grade.

    Parameters
    ----------
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    """

    max_grade: int | None = field(None, check_top_grade)

    def _check(self) -> None:
        super()._check()
        require_top(self.max_grade, "gain", self.gain)

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data."""
        return isinstance(self.gain, str) and self.max_grade is None

    def _top_gain(self, judgments: Judgments) -> float:
        return gain_of_top_grade(self.gain, self.max_grade, judgments, self)


_ROUNDING = 1e-9
_FEW_DIGITS = (
    1e-6  # rounding error of g in single precision, or of thirds written as decimals
)


def check_thresholds(name: str, g: Any) -> str | tuple[float, ...]:
    """Return the name of a threshold distribution, or probabilities that sum to 1."""
    if isinstance(g, str):
        return _params.choice(name, g, MASSES, alternative=_OTHER_THRESHOLDS)
    probabilities = numbers_by_grade(name, g)
    if min(probabilities) < 0:
        raise ValueError(
            f"g must hold probabilities >= 0, got {min(probabilities)!r} in {g!r}."
        )
    total = float(np.sum(probabilities))
    if abs(total - 1.0) > _FEW_DIGITS:
        raise ValueError(
            f"g must sum to 1, got {g!r}, which sums to {total!r}. Divide each entry by that sum."
        )
    if abs(total - 1.0) > _ROUNDING:
        return tuple(each / total for each in probabilities)
    return probabilities


_OTHER_THRESHOLDS = (
    " or a list of probabilities of the grades 1, 2, ..., such as those of "
    "skgraded.users.personas(4)"
)


@lru_cache(maxsize=16)
def distribution(
    g: str | tuple[float, ...], top_grade: int
) -> tuple[FloatArray, FloatArray]:
    """Return g over the grades 1, 2, ... and its sums G over 0, 1, ...; both are read-only."""
    probabilities = g_of(g, top_grade) if isinstance(g, str) else np.array(g)
    cumulated = np.concatenate(([0.0], np.cumsum(probabilities)))
    return sealed(probabilities), sealed(cumulated)


@dataclass(frozen=True)
class ReciprocalIdealGain:
    """1 / (beta cg_I(n) + n), or 1 / (beta cg_I(n)); cg_I is the ideal ranking's cumulated gain."""

    gain: str | Sequence[float]
    beta: float = 1.0
    adds_rank: bool = False

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        gains = gain_by_level(self.gain, judgments, "a measure of ideal gain")[
            pool.levels
        ]
        summands = _core.cumulate(gains, pool.indptr)
        n = rank_of(ranked)
        if not np.array_equal(pool.indptr, ranked.indptr):
            summands = at_ranks(n, summands, ranked, pool)
        summands *= self.beta
        if self.adds_rank:
            summands += n
        return reciprocal(summands)


@dataclass(frozen=True)
class _IdealDCG:
    """Base class of weights that sum d_n / DCG_I(i) over ranks i from n on, for a discount d."""

    discount: ByRank
    gain: str | Sequence[float]
    k: int | None

    def _of_pool(self, judgments: Judgments) -> tuple[FloatArray, FloatArray]:
        """Return the gain and 1 / DCG_I at every rank of the pools."""
        pool = judgments.pool
        gains = gain_by_level(self.gain, judgments, "a measure of ideal gain")[
            pool.levels
        ]
        ideal = _core.cumulate(gains * self._discounts(pool), pool.indptr)
        return gains, reciprocal(ideal)

    def _discounts(self, lists: RankedList) -> FloatArray:
        return self.discount.at(np.arange(1.0, lists.longest + 1))[places_of(lists)]


class AveragedDiscount(_IdealDCG):
    """d_n / k times the sum of 1 / DCG_I(i) over the cut-offs i = n..k.

    A document at rank n contributes to the discounted cumulated gain at every rank i >= n.
    """

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        (_, inverse) = self._of_pool(judgments)
        k = ranked.lengths if self.k is None else np.full_like(ranked.lengths, self.k)
        n = rank_of(ranked)
        last = np.repeat(pool.lengths, ranked.lengths).astype(np.float64)
        within = np.where(places_of(pool) < np.repeat(k, pool.lengths), inverse, 0.0)
        tail = to_the_end(within, pool)
        # DCG_I is constant beyond the pool.
        n_beyond = np.maximum(
            np.repeat(k, ranked.lengths) - np.maximum(last, n - 1.0), 0.0
        )
        beyond = n_beyond * at_ranks(last, inverse, ranked, pool)
        sums = beyond + np.where(n <= last, at_ranks(n, tail, ranked, pool), 0.0)
        return self._discounts(ranked) * sums * np.repeat(reciprocal(k), ranked.lengths)


@dataclass(frozen=True)
class DiscountAtGainEnds(_IdealDCG):
    """d_n / L times the sum of 1 / DCG_I(c) over the ranks c >= n where the ideal gain falls.

    L is the number of all such ranks, those above n included. The last one is the end of the list,
    if the list is longer than the ranks with ideal gain. At ranks c below the end of the list, its
    discounted cumulated gain is that of the whole list.
    """

    unjudged: Unjudged

    def __call__(self, ranked: RankedList, judgments: Judgments) -> FloatArray:
        pool = judgments.pool
        (gains, inverse) = self._of_pool(judgments)
        last = np.zeros(len(gains), dtype=bool)
        last[pool.indptr[1:][pool.lengths > 0] - 1] = True
        ends = (gains > 0) & (last | (np.append(gains[1:], 0.0) != gains))
        n = rank_of(ranked)
        pool_end = np.repeat(pool.lengths, ranked.lengths).astype(np.float64)
        tail = to_the_end(np.where(ends, inverse, 0.0), pool)
        length = judgments.list_lengths(self.unjudged)
        length = length if self.k is None else np.minimum(length, self.k)
        longer = length > count_of(gains > 0, pool.indptr)
        points = np.repeat(count_of(ends, pool.indptr) + longer, ranked.lengths)
        at_end = np.repeat(longer, ranked.lengths) * at_ranks(
            pool_end, inverse, ranked, pool
        )
        sums = np.where(n <= pool_end, at_ranks(n, tail, ranked, pool), 0.0) + at_end
        return self._discounts(ranked) * sums * reciprocal(points)


# An entry of `Measure._refuses`: counting unjudged documents as grade 0 would change the measure.
COUNTS_JUDGED = {"unjudged": "because it counts judged documents that are not relevant"}


def _check_rel(name: str, given: Any) -> float:
    rel = _params.number(name, given, above=0)
    return int(rel) if rel.is_integer() else rel


class _BinaryMeasure(Measure):
    """Base class of measures that count documents of grade ``rel`` or above as relevant.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    """

    rel: float = field(1, _check_rel)

    def relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        if self.rel > judgments.top_grade:
            judgments.memo.get(
                GradeScaleWarning,
                self,
                lambda: self._warn_of_unreached_threshold(judgments),
            )
        return judgments.grades >= self.rel

    def _warn_of_unreached_threshold(self, judgments: Judgments) -> None:
        """Warn unless there is nothing relevant for anybody."""
        top = judgments.top_grade
        if top == 0 and self.rel <= 1:
            return
        warn_once(
            f"rel exceeds the highest grade in y_true, which is {top:g}, so that no document is "
            f"relevant: got {self.rel:g} in {self}. rel may be any number above 0.",
            GradeScaleWarning,
        )

    def _marks(self, judgments: Judgments) -> FloatArray:
        """Return 1 for the levels that are relevant, and 0 for the others."""
        return self.relevant(judgments).astype(np.float64)

    def _n_relevant(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(self.relevant(judgments))

    def _share(self, judgments: Judgments) -> FloatArray:
        """Return 1 / R by query."""
        return reciprocal(self._n_relevant(judgments))


class _SetMeasure(_BinaryMeasure, PrefixMeasure):
    """Base class of measures that also count the documents that the first k ranks leave out.

    Parameters
    ----------
    normalize : {False}, default=False
        True is an error, because its ideal ranking would retrieve only the pool.
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "normalize": "because its ideal ranking would retrieve only the pool"
    }

    def _n_all(self, judgments: Judgments) -> IntArray:
        """Count the documents of the list and the judged documents missing from it."""
        judged = judgments.list_lengths("condense")
        return judgments.list_lengths(self.unjudged) + judgments.pool.lengths - judged

    def _n_retrieved(self, judgments: Judgments) -> IntArray:
        """Count the documents at the first k ranks."""
        lengths = judgments.list_lengths(self.unjudged)
        return lengths if self.k is None else np.minimum(lengths, self.k)

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_relevant(judgments)

    def _true_positives(
        self,
        judgments: Judgments,
        scale: FloatArray | float,
        constant: FloatArray | float,
    ) -> LinearPart:
        return LinearPart(CONSTANT, self._marks(judgments), scale, constant)


def listed(judgments: Judgments, levels: NDArray[np.bool_]) -> IntArray:
    """Count the judged documents in the list of each query whose level is marked."""
    # The two levels after the grades mark unjudged documents.
    marked = np.concatenate((levels, [False, False]))
    return count_of(marked[judgments.levels], judgments.indptr)


# Codes 0 and 1 mark documents outside the pool and unsampled documents; levels start at code 2.
N_UNJUDGED = 2


def codes_of_judging(measure: Measure, rankings: Ranked) -> RankedList:
    """Return the documents by rank as codes: 0 outside the pool, 1 unsampled, 2 + level."""
    judgments = rankings.judgments
    n_levels = rankings.judgments.n_levels
    if measure.unjudged == "condense" or isinstance(rankings, IdealRanking):
        ranked = rankings.ranked(measure.ties, "condense")
        return ranked._replace(levels=ranked.levels.astype(np.int32) + N_UNJUDGED)
    levels = judgments.levels.astype(np.int32)
    kinds = np.where(levels < n_levels, levels + N_UNJUDGED, levels - n_levels)
    by_rank = _core.gather_levels(
        kinds.astype(np.int32), rankings.order, judgments.indptr, rankings.n_threads
    )
    ranked = RankedList(by_rank, rankings.tied, judgments.indptr)
    if measure.ties in ("row_order", "expected"):
        return ranked
    best_first = measure.ties == "optimistic"
    in_ties = _core.sort_within_ties(*ranked, best_first, rankings.n_threads)
    return ranked._replace(levels=in_ties)
