"""Base class of GAP, xGAP and eGAP, with a distribution g of the users' thresholds.

A user draws a threshold K in 1..c with P(K = k) = g_k and considers documents of grade K or above
relevant. G(i) is g_1 + ... + g_i, and RB(k) is the number of judged documents of grade k or above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn, Self, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._sealed import sealed
from skgraded._support import arguments as _params
from skgraded._support.lazy import cached_property
from skgraded._support.named_users import UserName, g_of
from skgraded.measures._fields import numbers_by_grade
from skgraded.measures._gains import at_grades
from skgraded.measures._kept import LabelResults
from skgraded.measures._positions import reciprocal
from skgraded.measures._prefix import PrefixMeasure
from skgraded.rankings import Judgments, keep

FloatArray = NDArray[np.float64]


_ROUNDING = 1e-9


_LONGEST_SCALE = 10_000


_FEW_DIGITS = 1e-6  # rounding error of g in single precision, or of thirds written as decimals


def check_thresholds(g: Any) -> str | tuple[float, ...]:
    """Return the name of a threshold distribution, or probabilities that sum to 1."""
    if isinstance(g, str):
        _params.choice("g", g, get_args(UserName), alternative=_OTHER_THRESHOLDS)
        return g
    probabilities = numbers_by_grade("g", g)
    if min(probabilities) < 0:
        raise ValueError(f"g must hold probabilities >= 0, got {min(probabilities)!r} in {g!r}.")
    if abs(sum(probabilities) - 1.0) < _ROUNDING / 2:  # the usual case, checked fast
        return probabilities
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
def _distribution(g: str | tuple[float, ...], top_grade: int) -> tuple[FloatArray, FloatArray]:
    """Return g over the grades 1, 2, ... and its sums G over 0, 1, ...; both are read-only."""
    probabilities = g_of(g, top_grade) if isinstance(g, str) else np.array(g)
    cumulated = np.concatenate(([0.0], np.cumsum(probabilities)))
    return sealed(probabilities), sealed(cumulated)


class _ThresholdMeasure(PrefixMeasure):
    """Base class of measures with a distribution g of thresholds over the grades 1..c."""

    g: UserName | Sequence[float] = "uniform"
    max_grade: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(g=check_thresholds(self.g))
        if self.max_grade is None:
            return
        self._set(max_grade=_params.integer("max_grade", self.max_grade, 1))
        if not isinstance(self.g, str) and len(self.g) != self.max_grade:
            raise ValueError(
                f"max_grade must equal the number of entries of g ({len(self.g)}) if g lists one "
                f"number per grade, got {self.max_grade}."
            )

    @cached_property
    def is_open(self) -> bool:
        """Whether the top grade is taken from the data, where it matters."""
        return isinstance(self.g, str) and self.g != "browser" and self.max_grade is None

    def resolve(self, top_grade: int) -> Self:
        """Set ``max_grade`` if g is given by name and ``max_grade`` is not given.

        Parameters
        ----------
        top_grade : int
            Top grade c of the scale.

        Returns
        -------
        Measure
            The measure with ``max_grade`` set, or the measure itself if it does not need it.
        """
        return self._replace(max_grade=max(1, math.ceil(top_grade))) if self.is_open else self

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return self._users(judgments).relevant

    def _users(self, judgments: Judgments) -> _Users:
        top = judgments.top_grade
        if isinstance(self.g, str):
            n_grades = self.max_grade or max(1, math.ceil(top))
        else:
            n_grades = len(self.g)
        if n_grades < top or (isinstance(self.g, str) and n_grades > _LONGEST_SCALE):
            self._refuse(top, n_grades)
        key: tuple[Any, int] = self.g, n_grades
        if judgments.n_levels <= _MOST_LEVELS_KEPT:
            return _kept_users(*key, judgments.grades.tobytes())
        kept = judgments.kept[LabelResults].users
        users = kept.get(key)
        if users is None:
            users = keep(kept, key, _Users(*key, judgments.grades), long=True)
        return users

    def _refuse(self, top: float, n_grades: int) -> NoReturn:
        if isinstance(self.g, str) and n_grades > _LONGEST_SCALE:
            raise ValueError(
                f"y_true must hold grades up to {_LONGEST_SCALE} for {self}, whose g has one entry "
                f"per grade of the scale, got a top grade of {self.max_grade or _said(top)}."
            )
        limit = "g has as many entries" if self.max_grade is None else "that is max_grade"
        raise ValueError(
            f"y_true must hold grades 0..{n_grades} for {self} ({limit}), got {_said(top)}."
        )


# Smaller probabilities count as 0: the reciprocals of some are infinite.
_LEAST_PROBABILITY = 1e-300


class _Users:
    """The distribution of a measure's users over the grades that occur in some data; read-only.

    Parameters
    ----------
    g : tuple of float or str
        The distribution, or its name.
    n_grades : int
        The top grade of the scale.
    grades : ndarray of shape (n_levels,)
        The grades of the levels.

    Attributes
    ----------
    G : ndarray of shape (n_levels,)
        The probability that the threshold is at most the grade. Between whole grades it is a
        straight line, as if thresholds were spread evenly. Probabilities below 1e-300 are 0.
    relevant : ndarray of shape (n_levels,), bool
        Whether G is positive.
    """

    def __init__(self, g: str | tuple[float, ...], n_grades: int, grades: FloatArray) -> None:
        self._grades = grades
        self._g, G = _distribution(g, n_grades)
        by_level = at_grades(self._grades, G)
        by_level[by_level < _LEAST_PROBABILITY] = 0.0
        self.G, self.relevant = sealed(by_level), sealed(by_level > 0)

    @cached_property
    def _thresholds(self) -> tuple[FloatArray, NDArray[np.int32]]:
        """The probabilities g up to the highest grade, and the lowest level that reaches each."""
        g = self._g[: int(self._grades[-1])]
        return g, np.searchsorted(self._grades, np.arange(1.0, len(g) + 1)).astype(np.int32)

    def expected_shares(self, judgments: Judgments, divided: bool) -> FloatArray:
        """Return e(i), or e(i) / G(i).

        e(i) is the sum of g_k / RB(k) over k <= i with RB(k) > 0. Between whole grades it is the
        sum of (G(v) - G(v')) / RB(v) over the grades v <= i of the query, v' being the next lower
        one.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.
        divided : bool
            Whether to divide by G; the quotient is 0 where G is 0.

        Returns
        -------
        ndarray of shape (n_queries, n_levels), or (n_levels,) if queries have levels of their own
            The shares.

        Raises
        ------
        ValueError
            If grades lie between whole ones, but all queries share their levels.
        """
        borders = judgments.borders
        if borders is None:
            if judgments.has_fractional_grades:
                raise ValueError(
                    "y_true must hold integer grades for a measure of thresholds that overrides "
                    "_pair_part, got grades between them. Override _pair_factors in its place, "
                    "which serves any number of grades."
                )
            factor = reciprocal(self.G) if divided else np.ones(judgments.n_levels)
            return _core.expected_shares(judgments.counts, *self._thresholds, factor)
        pool = judgments.pool
        return _core.own_expected_shares(self.G, pool.levels, pool.indptr, borders, divided)


def _said(grade: float) -> str:
    return repr(float(grade)).removesuffix(".0")


_MOST_LEVELS_KEPT = 64  # whose pairs take 32 KB


@lru_cache(maxsize=64)
def _kept_users(g: str | tuple[float, ...], n_grades: int, grades: bytes) -> _Users:
    return _Users(g, n_grades, np.frombuffer(grades))
