"""What a comparison asks: its tests, what corrects them, margins, worst losses and looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skgraded._intervals.looks import levels_of_looks
from skgraded._intervals.paired import (
    CORRECTIONS,
    N_RESAMPLES,
    TESTS,
    PairedTest,
    level_of,
)
from skgraded._support.arguments import choice, flag, fraction, integer, number
from skgraded._support.array_types import FloatArray
from skgraded._support.text import count, told_queries
from skgraded.comparison._input import ComparisonInput, by_measure_name, ranges
from skgraded.comparison._worst import Worst, WorstLosses, worst_losses

# Tests that know of what clusters, repeats, weights, or a judge, add to the variation.
ABLE = ("score", "t")
Margin = float | Mapping[Any, float] | None


class TestPlan(NamedTuple):
    """What a comparison asks.

    Attributes
    ----------
    tests : tuple of PairedTest
        Tests beside that of the intervals.
    correction : str
        The correction for the number of differences.
    confidence : float
        Confidence of the intervals.
    n_resamples : int
        Resamples of tests that draw some.
    margins : tuple of float, or None
        For each measure, how far systems may fall behind the baseline; 0 where they are to be
        better.
    is_decided : bool
        Whether p-values are given: not by default, if pairs are too many.
    look_factor : float
        The level over that of this look.
    losses : WorstLosses
        The largest losses that are allowed for.
    rng : Generator
        What draws resamples.
    """

    tests: tuple[PairedTest, ...]
    correction: str
    confidence: float
    n_resamples: int
    margins: tuple[float, ...] | None
    is_decided: bool
    look_factor: float
    losses: WorstLosses
    rng: np.random.Generator

    def family(self, data: ComparisonInput) -> int:
        """Return how many differences are corrected for together.

        Where all measures must hold, none is found by chance more often than each by itself.
        """
        if self.margins is not None:
            return len(data.pairs)
        return len(data.pairs) * len(data.values)

    def times(self, data: ComparisonInput) -> float:
        """Return what multiplies the tails of the queries seen."""
        if self.correction != "bonferroni":
            return self.look_factor
        return self.family(data) * self.look_factor

    def corrected(self, p_values: FloatArray, *, is_joint: bool) -> FloatArray:
        """Correct p-values of shape (n_measures, n_pairs) for their number.

        A joint test corrects for the pairs itself, which leaves the measures.
        """
        if is_joint:
            times = 1
            if self.margins is None and self.correction != "none":
                times = len(p_values)
            return np.minimum(p_values * times, 1.0)

        families = p_values
        if self.margins is None:
            families = p_values.reshape(1, -1)
        correct = CORRECTIONS[self.correction].function
        corrected = np.stack([correct(family) for family in families])
        return corrected.reshape(p_values.shape)

    def corrected_in_words(self, data: ComparisonInput) -> str:
        """Say for how many differences intervals and p-values are corrected."""
        n = self.family(data)
        if n == 1:
            return ""
        title = CORRECTIONS[self.correction].title
        if self.correction == "none":
            return f", {title} for {data.in_words}"

        differences = data.in_words
        if data.baseline is not None and n == len(data.pairs):
            differences = count(n, "candidate")
        elif self.margins is not None:
            differences = count(n, "pair")
        return f", {title} for {differences}"


def test_plan(
    data: ComparisonInput,
    *,
    margin: Margin,
    worst: Worst,
    looks: Sequence[int] | None,
    tests: tuple[PairedTest, ...],
    correction: str | None,
    confidence: float,
    n_resamples: int | None,
    random_state: int | np.random.Generator | None,
) -> TestPlan:
    """Check what is asked of a comparison; `compare` describes it."""
    low, high = ranges(data.values)
    margins = _margins_by_measure(margin, data, high - low)

    is_decided = correction is not None or not _are_too_many(data)
    if correction is None:
        correction = "bonferroni"
    if n_resamples is None:
        n_resamples = N_RESAMPLES

    return TestPlan(
        tests=tests,
        correction=choice("correction", correction, CORRECTIONS),
        confidence=fraction("confidence", confidence),
        n_resamples=integer("n_resamples", n_resamples, 1),
        margins=margins,
        is_decided=is_decided,
        look_factor=_factor_of_look(looks, data, confidence),
        losses=worst_losses(worst, data, high - low, margins),
        rng=np.random.default_rng(random_state),
    )


def asked_margin(margin: Margin, *, better: bool) -> Margin:
    """Return the margin, which is 0 for ``better`` and cannot be given beside it."""
    if not flag("better", better):
        return margin
    if margin is not None:
        raise ValueError(
            f"margin cannot be given with better, which asks another question, got {margin}."
        )
    return 0.0


def _are_too_many(data: ComparisonInput) -> bool:
    """Whether all pairs are more than squared queries, and so not decided by default.

    P-values of skewed differences are right to the second order of the number of queries, which
    does not do where they are to be as small as the level over so many pairs. In simulations with
    twelve measures of real sets, the median of the family-wise errors passes 7 % near this bound
    over 30 and over 50 queries. Over 100 it is 5.5 % there, and some measures are far above it (see
    the page on calibration).
    """
    return data.baseline is None and len(data.pairs) > min(data.n_units) ** 2


def named_tests(
    tests: str | Iterable[str] | None, *, only_able: bool
) -> tuple[PairedTest, ...]:
    """Return the tests beside that of the intervals; refuse those that do not know what varies."""
    if tests is None:
        return ()
    known: Iterable[str] = TESTS
    where = ""
    if only_able:
        known = ABLE
        where = " with clusters, repeats, weights or judge="

    if isinstance(tests, str):
        tests = [tests]
    names = dict.fromkeys(tests)
    if not names:
        raise ValueError("tests must name at least one test, got none.")

    for name in names:
        choice("tests", name, known, alternative=where)
    return tuple(TESTS[name] for name in names if name != "score")


def _margins_by_measure(
    margin: Margin, data: ComparisonInput, ranges: FloatArray
) -> tuple[float, ...] | None:
    """Return how far systems may fall behind the baseline, or None where nothing is asked.

    To be better is to be above a margin of 0.
    """
    if margin is None:
        return None
    if data.baseline is None:
        raise ValueError(
            "A margin, or better=True, needs a baseline to compare the others with."
        )

    measures = data.scores.measures
    margins = by_measure_name("margin", margin, measures)
    if missing := [name for name in measures if margins[name] is None]:
        raise ValueError(
            "margin must hold every measure that is compared, 0 for those that must be better, "
            f"and lacks {', '.join(missing)}."
        )

    for name, widest in zip(measures, ranges.tolist(), strict=True):
        if number("margin", margins[name], at_least=0.0) >= widest:
            raise ValueError(
                f"margin must be below {widest:.4g}, the largest difference there can be, "
                f"got {margins[name]}."
            )
    return tuple(float(margins[name]) for name in measures)


def _factor_of_look(
    looks: Sequence[int] | None, data: ComparisonInput, confidence: float
) -> float:
    """Return the level over that of the look at so many queries, 1 without planned looks."""
    if looks is None:
        return 1.0
    numbers = [integer("looks", look, 2) for look in looks]
    if not numbers or sorted(set(numbers)) != numbers:
        raise ValueError(
            f"looks must be ascending numbers of queries, got {list(looks)!r}."
        )

    n_queries = set(data.n_queries)
    if len(n_queries) > 1 or not n_queries.issubset(numbers):
        raise ValueError(
            f"looks are planned at {', '.join(map(str, numbers))} queries, but there are values "
            f"of {told_queries(data.n_queries)}."
        )
    level = level_of(confidence)
    place = numbers.index(n_queries.pop())
    return level / levels_of_looks(numbers, level)[place]
