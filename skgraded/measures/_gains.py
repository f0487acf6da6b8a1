"""Gains of grades: checks, and base classes of measures with a gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.lazy import cached_property
from skgraded.measures._fields import numbers_by_grade
from skgraded.measures._measure import Measure
from skgraded.rankings import Judgments

FloatArray = NDArray[np.float64]


Gain = Literal["linear", "exp2"]


def check_gain(gain: Any) -> str | tuple[float, ...]:
    """Return the name of a gain, or a non-decreasing tuple of gains of the grades 1..c."""
    if isinstance(gain, str):
        _params.choice("gain", gain, get_args(Gain))
        return gain
    gains = numbers_by_grade("gain", gain)
    if min(np.diff(gains, prepend=0.0)) < 0:
        raise ValueError(
            f"gain must not decrease from grade to grade, and grade 0 has gain 0; got {gain!r}."
        )
    return gains


def exp2_gain(grades: FloatArray, judgments: Judgments, owner: object) -> FloatArray:
    """Return 2^r - 1; raise if the sum of the gains of all documents could overflow."""
    n_summands = 1 + judgments.n_documents + len(judgments.pool.levels)
    highest = np.log2(np.finfo(np.float64).max / n_summands)
    top = grades.max()
    if top >= highest:
        raise ValueError(
            f"y_true must hold grades below {highest:.0f} for the gain 2^r - 1 of {owner}, got "
            f'{top:g}. gain="linear" has no such limit.'
        )
    # Close to 1 a power has lost the digits of a small grade.
    gains: FloatArray = np.where(
        grades < 1.0, np.expm1(grades * math.log(2.0)), np.exp2(grades) - 1.0
    )
    return gains


def gain_by_level(gain: str | Sequence[float], judgments: Judgments, owner: object) -> FloatArray:
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
    return at_grades(grades, np.concatenate(([0.0], gain)))


def at_grades(grades: FloatArray, by_whole_grade: FloatArray) -> FloatArray:
    """Look up numbers of the grades 0, 1, ..., with straight lines between them."""
    return _core.at_grades(grades, by_whole_grade)


def positive(gains: FloatArray) -> NDArray[np.bool_]:
    """Mark the levels with a positive gain."""
    relevant: NDArray[np.bool_] = gains > 0
    return relevant


def check_max_grade(max_grade: int | None, gain: str | Sequence[float]) -> int | None:
    """Return max_grade; it must equal the number of entries of a gain given as a tuple."""
    if max_grade is None:
        return None
    top = _params.integer("max_grade", max_grade, 1)
    if not isinstance(gain, str) and len(gain) != top:
        raise ValueError(
            f"max_grade must equal the number of entries of gain ({len(gain)}) if gain lists one "
            f"number per grade, got {top}."
        )
    return top


def gain_of_top_grade(
    gain: str | Sequence[float], max_grade: int | None, judgments: Judgments, owner: object
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
    """Base class of measures that have a gain per grade."""

    gain: Gain | Sequence[float] = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(gain=check_gain(self.gain))

    def _gains(self, judgments: Judgments) -> FloatArray:
        return gain_by_level(self.gain, judgments, self)

    def _available(self, judgments: Judgments) -> FloatArray:
        """Return cg_I(R) by query, the sum of the gains of the pool."""
        return judgments.sum_over_pool(self._gains(judgments))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return positive(self._gains(judgments))


class _ScaleMeasure(_GainMeasure):
    """Base class of measures that relate gains to the gain of the top grade."""

    max_grade: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(max_grade=check_max_grade(self.max_grade, self.gain))

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data."""
        return isinstance(self.gain, str) and self.max_grade is None

    def resolve(self, top_grade: int) -> Self:
        """Set ``max_grade`` if gain is given by name and ``max_grade`` is not given.

        Parameters
        ----------
        top_grade : int
            Top grade H of the scale.

        Returns
        -------
        Measure
            The measure with ``max_grade`` set, or the measure itself if it does not need it.
        """
        return self._replace(max_grade=max(1, math.ceil(top_grade))) if self.is_open else self

    def _top_gain(self, judgments: Judgments) -> float:
        return gain_of_top_grade(self.gain, self.max_grade, judgments, self)
