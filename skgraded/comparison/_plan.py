"""What a comparison asks: its tests, the correction of their p-values, and the margin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.paired import CORRECTIONS, TESTS, PairedTest, level_of
from skgraded._support.arguments import choice, flag, number
from skgraded._support.array_types import FloatArray
from skgraded.comparison._given import Given

# Tests that know of what clusters, repeats, or a judge, add to the variation.
ABLE = ("score", "t")


class Plan(NamedTuple):
    """The tests of a comparison, their correction and resamples, and the margin.

    ``is_decided`` is whether p-values are given: not by default, if pairs are too many.
    """

    tests: tuple[PairedTest, ...]
    correction: str
    confidence: float
    n_resamples: int
    margin: float | None
    is_decided: bool

    def corrected(self, test: PairedTest, p_values: FloatArray) -> FloatArray:
        """Correct p-values of shape (n_measures, n_pairs) for their number."""
        if not self.is_decided:
            return np.full(p_values.shape, np.nan)
        if test.takes_systems:
            # It corrects for the pairs itself, which leaves the measures.
            times = 1 if self.correction == "none" else len(p_values)
            return np.minimum(p_values * times, 1.0)
        function = CORRECTIONS[self.correction].function
        return function(p_values.ravel()).reshape(p_values.shape)

    def smallest(self, given: Given) -> float:
        """Return the smallest p-value that the first test can give, nan if pairs are too many."""
        least = self.tests[0].smallest(min(given.n_units), self.n_resamples)
        p_values = np.full((len(given.values), len(given.pairs)), least)
        return float(self.corrected(self.tests[0], p_values).min())

    def in_words(self, given: Given, over: str) -> str:
        """Name the tests, what they are over, their correction and the level."""
        named = ", ".join(test.title for test in self.tests)
        is_joint = all(test.takes_systems for test in self.tests)
        corrected = ""
        n_measures = len(given.values)
        if max(len(given.pairs), n_measures) > 1 and not is_joint:
            corrected = f", {CORRECTIONS[self.correction].title} for {given.in_words}"
        elif n_measures > 1 and self.correction != "none":
            corrected = f", p-values times {n_measures} for as many measures"
        level = f"level {level_of(self.confidence):g}"
        first = (
            "; the first test decides what is significant"
            if len(self.tests) > 1
            else ""
        )
        return f"{named[0].upper()}{named[1:]} over {over}{corrected}, {level}{first}"


def are_too_many(given: Given) -> bool:
    """Whether all pairs are more than squared queries, and so not decided by default.

    P-values of skewed differences are right to the second order of the number of queries, which
    does not do where they are to be as small as the level over so many pairs. In simulations with
    twelve measures of real sets, the median of the family-wise errors passes 7 % near this bound
    over 30 and over 50 queries. Over 100 it is 5.5 % there, and some measures are far above it (see
    the page on calibration).
    """
    return given.baseline is None and len(given.pairs) > min(given.n_units) ** 2


def tests_named(
    tests: str | Iterable[str] | None, *, only_able: bool
) -> tuple[PairedTest, ...]:
    """Return the tests; where more varies than the queries, refuse those that do not know it."""
    if tests is None:
        return (TESTS["score"],)
    known, where = (
        (ABLE, " with clusters, repeats or judge=") if only_able else (TESTS, "")
    )
    names = dict.fromkeys([tests] if isinstance(tests, str) else tests)
    found = tuple(
        TESTS[choice("tests", name, known, alternative=where)] for name in names
    )
    if not found:
        raise ValueError("tests must name at least one test, got none.")
    return found


def margin_of(
    margin: float | None, baseline: str | None, widest: float, *, better: bool
) -> float | None:
    """Return how far systems may fall behind the baseline, or None where nothing is decided.

    To be better is to be above a margin of 0. The widest is the largest difference there can be.
    """
    if margin is None and not flag("better", better):
        return None
    if margin is not None and better:
        raise ValueError(
            f"margin cannot be given with better, which asks another question, got {margin}."
        )
    if baseline is None:
        raise ValueError(
            "A margin, or better=True, needs a baseline to compare the others with."
        )
    if margin is None:
        return 0.0
    if number("margin", margin, above=0.0) >= widest:
        raise ValueError(
            f"margin must be below {widest:.4g}, the largest difference there can be, got {margin}."
        )
    return float(margin)


def decisions(
    interval: FloatArray, directions: NDArray[np.int64], margin: float
) -> NDArray[np.str_]:
    """Say whether the whole interval of each difference is above minus the margin, or below.

    Intervals have shape (n, 2). Above is the direction, 1 or -1, in which the measure is better.
    """
    low, high = np.sort(directions[:, None] * interval, axis=1).T
    return np.where(
        low > -margin, "holds", np.where(high < -margin, "fails", "undecided")
    )
