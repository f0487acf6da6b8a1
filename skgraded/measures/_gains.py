"""Gains of grades, some of them relative to the top of the scale."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _params
from skgraded.measures._fields import numbers_by_grade
from skgraded.measures._measure import Measure
from skgraded.rankings import Judgments

__all__ = [
    "check_gain",
    "check_max_grade",
    "exp2_gain",
    "gain_by_level",
    "gain_of_top_grade",
    "misplaced",
    "positive",
]

FloatArray = NDArray[np.float64]


_NAMED_GAINS = ("linear", "exp2")


def check_gain(gain: Any) -> str | tuple[float, ...]:
    """Return a gain by name, or as a tuple of gains for the grades 1..c that do not decrease."""
    if isinstance(gain, str):
        _params.choice("gain", gain, _NAMED_GAINS)
        return gain
    gains = numbers_by_grade("gain", gain)
    if min(np.diff(gains, prepend=0.0)) < 0:
        raise ValueError(
            f"gain must not decrease with the grade, and grade 0 gains 0, got {gain!r}."
        )
    return gains


def exp2_gain(grades: FloatArray, judgments: Judgments, owner: object) -> FloatArray:
    """Return 2^r - 1; gains of all documents together must stay finite."""
    n_summands = 1 + judgments.n_documents + len(judgments.pool.levels)
    highest = np.log2(np.finfo(np.float64).max / n_summands)
    if grades[-1] >= highest:
        raise ValueError(
            f"y_true must hold grades below {highest:.0f} for the gain 2^r - 1 of {owner}, got "
            f'{grades[-1]:g}: gain="linear" takes any.'
        )
    gains: FloatArray = np.exp2(grades) - 1.0
    return gains


def gain_by_level(gain: str | Sequence[float], judgments: Judgments, owner: object) -> FloatArray:
    """Return the gain of every level."""
    grades = judgments.grades
    if gain == "linear":
        return grades
    if gain == "exp2":
        return exp2_gain(grades, judgments, owner)
    judgments.require_integer_grades(f"{owner}, whose gain is given grade by grade")
    if grades[-1] > len(gain):
        raise ValueError(
            f"gain must have an entry for each of the grades 1..{grades[-1]:g} in y_true, "
            f"got {len(gain)} in {owner}."
        )
    return np.concatenate(([0.0], gain))[grades.astype(np.int64)]


def positive(gains: FloatArray) -> NDArray[np.bool_]:
    """Which levels gain something."""
    relevant: NDArray[np.bool_] = gains > 0
    return relevant


def check_max_grade(max_grade: int | None, gain: str | Sequence[float]) -> int | None:
    """Return the top grade of the scale, which has as many grades as a gain given by grade."""
    if max_grade is None:
        return None
    top = _params.integer("max_grade", max_grade, 1)
    if not isinstance(gain, str) and len(gain) != top:
        raise ValueError(
            f"max_grade must equal the number of entries of gain ({len(gain)}) where gain is given "
            f"grade by grade, got {top}."
        )
    return top


def gain_of_top_grade(
    gain: str | Sequence[float], max_grade: int | None, judgments: Judgments, owner: object
) -> float:
    """Return gain(H), H the top grade: named, or that of a gain by grade, or the data's."""
    if not isinstance(gain, str):
        return float(gain[-1])
    if max_grade is not None and judgments.top_grade > max_grade:
        raise ValueError(
            f"y_true must hold grades 0..{max_grade} for {owner} (max_grade says so), "
            f"got {judgments.top_grade:g}."
        )
    top = max(1.0, judgments.top_grade) if max_grade is None else float(max_grade)
    return top if gain == "linear" else float(exp2_gain(np.array([top]), judgments, owner)[0])


def misplaced(gains: FloatArray) -> FloatArray:
    """Gain that a document of level a lacks to one of level b below it, 0 where it has more."""
    short: FloatArray = np.maximum(gains[None, :] - gains[:, None], 0.0)
    return short


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _GainMeasure(Measure):
    """A measure with a gain for each grade."""

    gain: str | Sequence[float] = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(gain=check_gain(self.gain))

    def _gains(self, judgments: Judgments) -> FloatArray:
        return gain_by_level(self.gain, judgments, self)

    def _available(self, judgments: Judgments) -> FloatArray:
        """Gain of each query's pool, cg_I(R)."""
        return judgments.sum_over_pool(self._gains(judgments))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return positive(self._gains(judgments))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _ScaleMeasure(_GainMeasure):
    """A measure whose gains are seen against that of the scale's top grade."""

    max_grade: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(max_grade=check_max_grade(self.max_grade, self.gain))

    @property
    def is_open(self) -> bool:
        """Whether the scale's top grade is read off the data."""
        return isinstance(self.gain, str) and self.max_grade is None

    def resolve(self, top_grade: int) -> Self:
        """Fix the scale's top grade where gain is named and ``max_grade`` is not given.

        Parameters
        ----------
        top_grade : int
            The scale's top grade H.

        Returns
        -------
        Measure
            The measure with ``max_grade`` fixed; itself where nothing was open.
        """
        return self._replace(max_grade=max(1, int(top_grade))) if self.is_open else self

    def _top_gain(self, judgments: Judgments) -> float:
        return gain_of_top_grade(self.gain, self.max_grade, judgments, self)
