"""The tests of a comparison, the correction of their p-values, and how small these can be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import choice, fraction, integer
from skgraded._stats.corrections import CORRECTIONS, level_of
from skgraded._stats.paired import DEFAULT_TEST, N_RESAMPLES, TESTS, PairedTest
from skgraded._text import count

__all__ = ["Family", "Plan", "plan_tests"]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of quotients that are whole numbers
_ENDLESS = 10_000  # units, so many that the resamples alone bound a p-value


class Family(NamedTuple):
    """The sizes of a comparison: how many p-values each test has, and over what.

    ``n_units`` is the largest number of queries, or of clusters, that any of the measures has.
    """

    n_systems: int
    n_pairs: int
    n_measures: int
    n_units: int
    n_repeats: int

    def __str__(self) -> str:
        by = f" by {self.n_measures} measures" if self.n_measures > 1 else ""
        return f"{count(self.n_pairs, 'pair')}{by}"


class Plan(NamedTuple):
    """The tests of a comparison, their correction, level and resamples, and remarks on them."""

    tests: tuple[PairedTest, ...]
    correction: str
    level: float
    n_resamples: int
    remarks: tuple[str, ...] = ()

    def corrected(self, test: PairedTest, p_values: FloatArray) -> FloatArray:
        """Correct p-values of shape (n_pairs, n_measures) for their number."""
        if test.is_joint:
            return np.minimum(p_values * self.factor(test, *p_values.shape), 1.0)
        corrected = CORRECTIONS[self.correction].function(p_values.T.ravel())
        return corrected.reshape(p_values.shape[::-1]).T

    def factor(self, test: PairedTest, n_pairs: int, n_measures: int) -> float:
        """Return by how much the correction raises a p-value if all are the same.

        A joint test corrects for the pairs itself, which leaves the number of measures.
        """
        if test.is_joint:
            return 1.0 if self.correction == "none" else float(n_measures)
        n = n_pairs * n_measures
        return float(CORRECTIONS[self.correction].function(np.full(n, 1.0 / n)).min()) * n


def plan_tests(
    tests: str | Iterable[str] | None,
    correction: str | None,
    confidence: float,
    n_resamples: int | None,
    family: Family,
) -> Plan:
    """Choose the tests of a comparison, and as many resamples as they need at least."""
    level = level_of(fraction("confidence", confidence))
    drawn = N_RESAMPLES if n_resamples is None else integer("n_resamples", n_resamples, 1)
    chosen = "holm" if correction is None else choice("correction", correction, CORRECTIONS)
    plan = Plan((), chosen, level, drawn)
    if tests is None:
        may_be_joint = correction is None and n_resamples is None
        plan = _with_default_test(plan, family, may_be_joint=may_be_joint)
    else:
        plan = plan._replace(tests=_named(tests, family.n_repeats))
    if correction not in (None, "none") and all(test.is_joint for test in plan.tests):
        raise ValueError(
            f'correction must be "none" for the {plan.tests[0].title}, which has its own, got '
            f"{correction!r}."
        )
    plan = _with_resamples(plan, family, is_asked=n_resamples is not None)
    return plan._replace(remarks=plan.remarks + _remarks(plan, family))


def _with_default_test(plan: Plan, family: Family, *, may_be_joint: bool) -> Plan:
    """Take bootstrap-t, or max-t where Holm's correction needs more resamples.

    Over several repeats take the t test, which knows of their variation.
    """
    if family.n_repeats > 1:
        return plan._replace(tests=(TESTS["t"],))
    needed = _resamples_lacking(DEFAULT_TEST, plan, family) if may_be_joint else 0
    if not needed:
        return plan._replace(tests=(DEFAULT_TEST,))
    remark = (
        f"{_need(plan, family, needed)} the max-t test, which needs fewer, takes the place of "
        "bootstrap-t."
    )
    return plan._replace(tests=(TESTS["max_t"],), remarks=(remark,))


def _need(plan: Plan, family: Family, needed: int) -> str:
    why = f"A level of {plan.level:g}"
    if plan.correction == "holm":
        why = f"{family.n_systems} systems are {family}, for which Holm's correction"
    return f"{why} needs {needed:,} resamples: by default"


def _named(tests: str | Iterable[str], n_repeats: int) -> tuple[PairedTest, ...]:
    names = dict.fromkeys([tests] if isinstance(tests, str) else tests)
    found = tuple(TESTS[choice("tests", name, TESTS)] for name in names)
    if not found:
        raise ValueError("tests must name at least one test, got none.")
    if n_repeats > 1:
        able = [name for name, test in TESTS.items() if test.over_repeats is not None]
        for name in names:
            choice("tests", name, able, alternative=f" over {n_repeats} repeats")
    return found


def _resamples_lacking(test: PairedTest, plan: Plan, family: Family) -> int:
    """Return how many resamples are needed for any p-value to be significant.

    It is 0 if there are enough, or if no number of them would do.
    """
    factor = plan.factor(test, family.n_pairs, family.n_measures)
    smallest = test.smallest(_ENDLESS, plan.n_resamples) * (plan.n_resamples + 1)
    needed = int(smallest * factor / plan.level * (1.0 + _ROUNDING))

    def would_do(n_resamples: int) -> bool:
        return factor * test.smallest(family.n_units, n_resamples) < plan.level

    more = max(needed, plan.n_resamples)
    return needed if would_do(more) and not would_do(plan.n_resamples) else 0


def _with_resamples(plan: Plan, family: Family, *, is_asked: bool) -> Plan:
    """Draw as many resamples as the tests need, or raise if fewer were asked for."""
    needed = max(_resamples_lacking(test, plan, family) for test in plan.tests)
    if not needed:
        return plan
    if not is_asked:
        why = _need(plan, family, needed)
        remark = f"{why} that many are drawn instead of {plan.n_resamples:,}."
        return plan._replace(n_resamples=needed, remarks=(*plan.remarks, remark))
    after = otherwise = ""
    if plan.correction == "holm" and not all(test.is_joint for test in plan.tests):
        after = f" after Holm's correction for {family}"
        otherwise = ' Alternatives are tests="max_t", tests="t" and correction="bh".'
    raise ValueError(
        f"n_resamples must be at least {needed}, got {plan.n_resamples}: with fewer, no "
        f"difference can be significant at {plan.level:g}{after}.{otherwise}"
    )


def _the(title: str) -> str:
    """Begin a sentence with the title of a test, which has no article after a name."""
    return title if title[0].isupper() else f"The {title}"


def _remarks(plan: Plan, family: Family) -> tuple[str, ...]:
    """Say how a joint test is corrected, and if there are too few queries for any difference."""
    remarks = []
    first, *_ = plan.tests
    factor = plan.factor(first, family.n_pairs, family.n_measures)
    smallest = first.smallest(family.n_units, plan.n_resamples)
    if factor * smallest >= plan.level:
        queries = count(family.n_units, "query", "queries")
        title = CORRECTIONS[plan.correction].title
        times = f", times {factor:g} by {title}" if factor > 1 else ""
        remarks.append(
            "No difference can be significant: the smallest p-value over "
            f"{queries} is {smallest:.2g}{times}."
        )
    remarks += [
        f"{_the(test.title)} does not test the mean difference, but whether {test.hypothesis}."
        for test in plan.tests
        if not test.tests_mean
    ]
    if plan.correction != "none" and family.n_measures > 1:
        remarks += [
            f"The {test.title} corrects for the pairs of a measure; its p-values are multiplied by "
            f"{family.n_measures}, the number of measures."
            for test in plan.tests
            if test.is_joint
        ]
    return tuple(remarks)
