"""What grades are worth: gains, g, and relevance from a grade up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from skgraded import _core
from skgraded._guards import warn_once
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.named_users import MASSES, g_of
from skgraded._support.sealed import sealed
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures._fields import field, numbers_by_grade
from skgraded.measures._measure import Measure
from skgraded.measures._positions import CONSTANT, count_of, reciprocal, sums_from_zero
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import IdealRanking, Judgments, Ranked, RankedList

Gain = Literal["linear", "exp2"]


def check_gain(
    name: str, gain: Any, other_words: Sequence[str] = ()
) -> str | tuple[float, ...]:
    """Return the name of a gain or another word, or a non-decreasing tuple of gains of 1..c."""
    if isinstance(gain, str):
        return _params.choice(name, gain, (*other_words, *get_args(Gain)))

    gains = numbers_by_grade(name, gain)
    if min(np.diff(gains, prepend=0.0)) < 0:
        raise ValueError(
            f"{name} must not decrease from grade to grade, and grade 0 has {name} 0; got {gain!r}."
        )
    return gains


def exp2_gain(grades: FloatArray, judgments: Judgments, owner: object) -> FloatArray:
    """Return 2^r - 1; raise if the sum of the gains of all documents could overflow."""
    pool_levels, _ = judgments.pooled
    n_summands = 1 + judgments.n_documents + len(pool_levels)
    highest = np.log2(np.finfo(np.float64).max / n_summands)
    top = grades.max()
    if top >= highest:
        raise ValueError(
            f"y_true must hold grades below {highest:.0f} for the gain 2^r - 1 of {owner}, got "
            f'{top:g}. gain="linear" has no such limit.'
        )

    # Close to 1 a power has lost the digits of a small grade.
    gain_of_small = np.expm1(grades * math.log(2.0))
    gain_of_large = np.exp2(grades) - 1.0
    return np.where(grades < 1.0, gain_of_small, gain_of_large)


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
    by_whole_grade = np.concatenate(([0.0], gain))
    return _core.at_grades(grades=grades, by_whole_grade=by_whole_grade)


def check_top_grade(name: str, top: Any) -> int | None:
    """Return the top grade of a scale, or None where gain, g or the data say it."""
    if top is None:
        return None
    return _params.integer(name, top, 1)


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

    top = max_grade
    if top is None:
        top = max(1, math.ceil(judgments.top_grade))
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
        gain_of_pool = judgments.sum_over_pool(self._gains(judgments))
        return reciprocal(gain_of_pool)

    def relevant(self, judgments: Judgments) -> BoolArray:
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

    def _relative_gains(self, judgments: Judgments) -> FloatArray:
        """Return the gains of the levels, relative to that of the top grade."""
        top_gain = np.array(self._top_gain(judgments))
        return self._gains(judgments) * reciprocal(top_gain)


_ROUNDING = 1e-9

# Rounding error of g in single precision, or of thirds written as decimals.
_FEW_DIGITS = 1e-6


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
        return tuple(probability / total for probability in probabilities)
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
    cumulated = sums_from_zero(probabilities)
    return sealed(probabilities), sealed(cumulated)


# An entry of `Measure._refuses`: counting unjudged documents as grade 0 would change the measure.
COUNTS_JUDGED = {"unjudged": "because it counts judged documents that are not relevant"}


def _check_rel(name: str, value: Any) -> float:
    rel = _params.number(name, value, above=0)
    if rel.is_integer():
        return int(rel)
    return rel


# With fewer documents it may be chance that none of them has grade 0.
_SOME_DOCUMENTS = 10
# Qrels of web collections hold the relevant documents alone, in one grade or two.
_GRADES_OF_RATINGS = 3


def _are_ratings(judgments: Judgments) -> bool:
    """Whether labels without grade 0 are complete, and do not leave such documents out."""
    leaves_out = judgments.has_unjudged or not judgments.has_own_pool
    n_grades = len(judgments.grades) - 1
    is_long = len(judgments.pooled[0]) >= _SOME_DOCUMENTS
    return is_long and (not leaves_out or n_grades >= _GRADES_OF_RATINGS)


class _BinaryMeasure(Measure):
    """Base class of measures that count documents of grade ``rel`` or above as relevant.

    Parameters
    ----------
    rel : float, default=1
        Lowest relevant grade.
    """

    rel: float = field(1, _check_rel)

    def relevant(self, judgments: Judgments) -> BoolArray:
        return judgments.grades >= self.rel

    def _warn_of_labels(self, judgments: Judgments) -> None:
        # Subclasses may have another rule of what is relevant.
        exceeds_grades = self.rel > judgments.top_grade
        if exceeds_grades and not self.relevant(judgments).any():
            judgments.memo.get(
                GradeScaleWarning,
                self,
                lambda: self._warn_of_unreached_threshold(judgments.top_grade),
            )
        elif judgments.lowest_grade >= self.rel and _are_ratings(judgments):
            judgments.memo.get(
                GradeScaleWarning,
                self,
                lambda: self._warn_of_reached_threshold(
                    judgments.lowest_grade, judgments.top_grade
                ),
            )

    def _warn_of_reached_threshold(self, lowest: float, top: float) -> None:
        """Warn that no document of the labels is without relevance."""
        advice = "Documents that are not relevant seem to be left out."
        if lowest < top:
            advice = (
                f"If {lowest:g} stands for not relevant, subtract it from the grades, as in y_true "
                f"- {lowest:g}, or say which grade is relevant, as in "
                f"{type(self).__name__}(rel={min(lowest + 3.0, top):g})."
            )
        warn_once(
            f"rel makes all documents relevant: got {self.rel:g} in {self}, and the lowest grade "
            f"is {lowest:g}, so that the measure does not tell them apart. {advice}",
            GradeScaleWarning,
        )

    def _warn_of_unreached_threshold(self, top: float) -> None:
        """Warn unless there is nothing relevant for anybody."""
        if top == 0 and self.rel <= 1:
            return
        warn_once(
            f"rel exceeds the highest grade in y_true, which is {top:g}, so that no document is "
            f"relevant: got {self.rel:g} in {self}. rel may be any number above 0.",
            GradeScaleWarning,
        )

    def _marks(self, judgments: Judgments) -> FloatArray:
        """Return 1 for the levels that are relevant, and 0 for the others."""
        relevant = self.relevant(judgments)
        return relevant.astype(np.float64)

    def _n_relevant(self, judgments: Judgments) -> IntArray:
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
        list_length = judgments.list_lengths(self.unjudged)
        n_judged = judgments.list_lengths("condense")
        return list_length + judgments.pool.lengths - n_judged

    def _n_retrieved(self, judgments: Judgments) -> IntArray:
        """Count the documents at the first k ranks."""
        lengths = judgments.list_lengths(self.unjudged)
        if self.k is None:
            return lengths
        return np.minimum(lengths, self.k)

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_relevant(judgments)

    def _true_positives(
        self,
        judgments: Judgments,
        scale: FloatArray | float,
        constant: FloatArray | float,
    ) -> LinearPart:
        return LinearPart(CONSTANT, self._marks(judgments), scale, constant)


def count_in_list(judgments: Judgments, levels: BoolArray) -> IntArray:
    """Count the judged documents in the list of each query whose level is marked."""
    # The two levels after the grades mark unjudged documents.
    is_marked = np.append(levels, [False, False])
    return count_of(is_marked[judgments.levels], judgments.indptr)


# Codes 0 and 1 mark documents outside the pool and unsampled documents; levels start at code 2.
N_UNJUDGED = 2


def codes_of_judging(measure: Measure, rankings: Ranked) -> RankedList:
    """Return the documents by rank as codes: 0 outside the pool, 1 unsampled, 2 + level."""
    if measure.unjudged == "condense" or isinstance(rankings, IdealRanking):
        ranked = rankings.ranked(measure.ties, "condense")
        levels = ranked.levels.astype(np.int32)
        return ranked._replace(levels=levels + N_UNJUDGED)

    judgments = rankings.judgments
    n_levels = judgments.n_levels
    levels = judgments.levels.astype(np.int32)
    codes = np.where(levels < n_levels, levels + N_UNJUDGED, levels - n_levels)
    code_by_rank = _core.gather_levels(
        level=codes.astype(np.int32),
        order=rankings.order,
        indptr=judgments.indptr,
        n_threads=rankings.n_threads,
    )

    if measure.ties not in ("row_order", "expected"):
        code_by_rank = _core.sort_within_ties(
            level_by_rank=code_by_rank,
            tied=rankings.tied,
            indptr=judgments.indptr,
            descending=measure.ties == "optimistic",
            n_threads=rankings.n_threads,
        )
    return RankedList(code_by_rank, rankings.tied, judgments.indptr)
