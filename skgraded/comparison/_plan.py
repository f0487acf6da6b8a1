"""What a comparison asks: its tests, the correction of their p-values, and the margin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.corrections import CORRECTIONS, level_of
from skgraded._intervals.paired import DEFAULT_TEST, N_RESAMPLES, TESTS, PairedTest
from skgraded._params import choice, flag, fraction, integer, number
from skgraded._text import count

FloatArray = NDArray[np.float64]

# Tests that know of what repeats, or a judge, add to the variation.
ABLE = ("score", "t")
_ROUNDING = 1e-9


class Family(NamedTuple):
    """The sizes of a comparison: how many p-values each test has, and over what.

    ``n_units`` is the smallest number of queries, or of clusters, that any of the measures has, and
    ``units`` are the words for one and many of them.
    """

    n_pairs: int
    n_measures: int
    n_units: int
    units: tuple[str, str]
    is_of_all_pairs: bool
    only_able: str = ""

    def __str__(self) -> str:
        by = f" by {self.n_measures} measures" if self.n_measures > 1 else ""
        return f"{count(self.n_pairs, 'pair')}{by}"

    @property
    def over_units(self) -> str:
        """Over how many queries, or clusters."""
        return f"over {count(self.n_units, *self.units)}"


class Plan(NamedTuple):
    """The tests of a comparison, their correction and resamples, the margin, and remarks."""

    tests: tuple[PairedTest, ...]
    correction: str
    confidence: float
    n_resamples: int
    margin: float | None
    is_decided: bool
    remarks: tuple[str, ...] = ()

    @property
    def level(self) -> float:
        """Level of significance."""
        return level_of(self.confidence)

    def corrected(self, test: PairedTest, p_values: FloatArray) -> FloatArray:
        """Correct p-values of shape (n_pairs, n_measures) for their number."""
        if not self.is_decided:
            return np.full(p_values.shape, np.nan)
        if test.takes_systems:
            return np.minimum(p_values * self._factor(test, *p_values.shape), 1.0)
        corrected = CORRECTIONS[self.correction].function(p_values.T.ravel())
        return corrected.reshape(p_values.shape[::-1]).T

    def _factor(self, test: PairedTest, n_pairs: int, n_measures: int) -> float:
        """Return by how much the correction raises a p-value if all are the same.

        A test of all systems corrects for the pairs itself, which leaves the number of measures.
        """
        if test.takes_systems:
            return 1.0 if self.correction == "none" else float(n_measures)
        n = n_pairs * n_measures
        return float(CORRECTIONS[self.correction].function(np.full(n, 1.0 / n)).min()) * n

    def smallest(self, test: PairedTest, family: Family) -> float:
        """Return the smallest corrected p-value that a test can give."""
        factor = self._factor(test, family.n_pairs, family.n_measures)
        return factor * test.smallest(family.n_units, self.n_resamples)

    def in_words(self, family: Family, over: str) -> str:
        """Name the tests, what they are over, their correction and the level."""
        named = ", ".join(test.title for test in self.tests)
        corrected = ""
        n_tests = family.n_pairs * family.n_measures
        if n_tests > 1 and not all(test.takes_systems for test in self.tests):
            corrected = f", {CORRECTIONS[self.correction].title} for {family}"
        elif family.n_measures > 1 and self.correction != "none":
            corrected = f", p-values times {family.n_measures} for as many measures"
        return f"{named[0].upper()}{named[1:]} over {over}{corrected}, level {self.level:g}"


def plan_tests(
    family: Family,
    *,
    tests: str | Iterable[str] | None,
    correction: str | None,
    confidence: float,
    n_resamples: int | None,
    margin: float | None,
) -> Plan:
    """Choose the tests of a comparison and their correction; refuse too few resamples."""
    chosen = (DEFAULT_TEST,) if tests is None else _named(tests, family)
    plan = Plan(
        chosen,
        "holm" if correction is None else choice("correction", correction, CORRECTIONS),
        fraction("confidence", confidence),
        N_RESAMPLES if n_resamples is None else integer("n_resamples", n_resamples, 1),
        margin,
        is_decided=tests is not None or correction is not None or not _are_too_many(family),
    )
    _check_resamples(plan, family)
    return plan._replace(remarks=_remarks(plan, family))


def _are_too_many(family: Family) -> bool:
    """Whether all pairs are so many that differences would be found where there are none.

    P-values of skewed differences are right to the second order of the number of queries, which
    does not do where they are to be as small as the level over so many pairs. No other multiple of
    a power of the queries told better where family-wise errors are above 7 %, in simulations with
    twelve measures of real sets, of which half err so from about here on (see the page on
    calibration).
    """
    return family.is_of_all_pairs and family.n_pairs > family.n_units**2


def _named(tests: str | Iterable[str], family: Family) -> tuple[PairedTest, ...]:
    names = dict.fromkeys([tests] if isinstance(tests, str) else tests)
    found = tuple(TESTS[choice("tests", name, TESTS)] for name in names)
    if not found:
        raise ValueError("tests must name at least one test, got none.")
    if family.only_able:
        for name in names:
            choice("tests", name, ABLE, alternative=family.only_able)
    return found


def _check_resamples(plan: Plan, family: Family) -> None:
    """Refuse resamples so few that they keep any difference from being significant."""
    drawing = [test for test in plan.tests if test.resamples]
    many = plan._replace(n_resamples=10**12)
    for test in drawing:
        if many.smallest(test, family) < plan.level <= plan.smallest(test, family):
            needed = plan.smallest(test, family) * (plan.n_resamples + 1) / plan.level
            raise ValueError(
                f"n_resamples must be at least {int(needed + _ROUNDING)}, got {plan.n_resamples}: "
                f"with fewer, {test.name!r} finds no difference significant at {plan.level:g} "
                f"after the correction for {family}. Alternatives are "
                'tests="t" and correction="bh".'
            )


def _remarks(plan: Plan, family: Family) -> tuple[str, ...]:
    """Say what is not decided, what cannot be significant, and what is not tested."""
    if not plan.is_decided:
        return (
            f"Pairs are not decided: of {family} {family.over_units}, some would be found to "
            "differ too often where none do. Name a baseline=, or bound the share of false "
            'discoveries by correction="bh".',
        )
    first, *_ = plan.tests
    remarks = []
    if (smallest := plan.smallest(first, family)) >= plan.level:
        remarks.append(
            f"No difference can be significant: the smallest p-value {family.over_units} is "
            f"{smallest:.2g} after the correction."
        )
    remarks += [
        f"{test.title[0].upper()}{test.title[1:]}: it does not test the mean difference, but "
        f"whether {test.hypothesis}."
        for test in plan.tests
        if not test.tests_mean
    ]
    return tuple(remarks)


def range_of(values: FloatArray) -> tuple[float, float]:
    """Return the least and the largest value: 0 and 1, unless values are beyond, and then theirs.

    A measure does not say how far its values reach, and 0 is within reach of all.
    """
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (0.0, 1.0) if low >= 0.0 and high <= 1.0 else (min(low, 0.0), max(high, 0.0))


def checked_margin(
    margin: float | None, baseline: str | None, widest: float, *, better: bool
) -> float | None:
    """Return how far systems may fall behind the baseline, or None where nothing is decided.

    To be better is to be above a margin of 0. The widest is the largest difference there can be.
    """
    if margin is None and not flag("better", better):
        return None
    if margin is not None and better:
        raise ValueError(
            f"margin cannot be given with better=True, which asks another question, got {margin!r}."
        )
    if baseline is None:
        raise ValueError(
            "baseline must name the system that the others are compared with where a margin or "
            "better=True is given, got None."
        )
    if margin is None:
        return 0.0
    if number("margin", margin, above=0.0) >= widest:
        raise ValueError(
            f"margin must be below {widest:.4g}, the largest difference that values of the measure "
            f"can have, got {margin!r}."
        )
    return float(margin)


def decisions(
    interval: FloatArray, directions: NDArray[np.int64], margin: float
) -> NDArray[np.str_]:
    """Say whether the whole interval of each difference is above minus the margin, or below.

    Intervals have shape (n, 2). Above is the direction, 1 or -1, in which the measure is better.
    """
    low, high = np.sort(directions[:, None] * interval, axis=1).T
    return np.where(low > -margin, "holds", np.where(high < -margin, "fails", "undecided"))
