"""Paired tests over queries, for many pairs of systems at once, and the table of them.

The tests are Fisher's randomisation, Student's t, Wilcoxon's signed-rank, the bootstrap and the
randomised Tukey HSD test. A new test is a function and its entry in `TESTS`: comparisons, studies
and the command line read the table.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._stats.repeats import repeated_interval

__all__ = [
    "N_RESAMPLES",
    "TESTS",
    "PairedTest",
    "bootstrap_test",
    "bootstrap_with_required",
    "effect_size",
    "effect_size_in_residuals",
    "paired_differences",
    "randomization_test",
    "t_test",
    "tukey_test",
    "wilcoxon_test",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Resamples of every test that draws some, unless the user says more.
N_RESAMPLES = 10_000
# Resampled means of pairs that are in memory at the same time: 64 MB.
_CELLS_AT_A_TIME = 8_000_000
# Cells of (pair, resample) at a time: 2 MB, which stay in the cache of a core until they are read.
_CELLS_IN_CACHE = 250_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12
# The same for values of a measure. Deep ranks add little to them, so this bound is smaller.
_ROUNDING_OF_VALUES = 1e-14
# The same for means over topics, as a share of the largest value.
_ROUNDING_OF_MEANS = 1e-13


def paired_differences(values: FloatArray, other_values: FloatArray) -> FloatArray:
    """Subtract values topic by topic; differences as small as rounding errors become 0.

    The values of equal rankings may be added up in different orders, and the tests use signs and
    spreads, for which even the smallest differences count.
    """
    differences: FloatArray = values - other_values
    rounding = _ROUNDING_OF_VALUES * np.maximum(np.abs(values), np.abs(other_values))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def effect_size(differences: FloatArray) -> FloatArray:
    """Mean difference in standard deviations of the differences (Cohen's d), 0 without any."""
    mean, spread = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore"):  # the same difference in every topic
        sizes: FloatArray = np.divide(mean, spread, out=np.zeros_like(mean), where=mean != 0.0)
    return sizes


def effect_size_in_residuals(values: FloatArray, pairs: IntArray) -> FloatArray:
    """Mean difference in standard deviations of the residuals of systems and topics (Sakai 2014).

    It belongs to tests of all systems at once, which take the residuals to vary alike.
    """
    means = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]]).mean(axis=1)
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    freedom = (len(values) - 1) * (values.shape[1] - 1)
    spread = np.sqrt((residuals**2).sum() / freedom)
    sizes: FloatArray = np.zeros_like(means)
    with np.errstate(divide="ignore"):
        np.divide(means, spread, out=sizes, where=means != 0.0)
    return sizes


def t_test(differences: FloatArray) -> FloatArray:
    """Student's t test of the mean difference."""
    return _where_they_differ(differences, _t_test)


def _t_test(differences: FloatArray) -> FloatArray:
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    n_topics = differences.shape[1]
    mean, spread = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore"):  # the same difference in every topic
        statistic = np.abs(mean) / (spread / np.sqrt(n_topics))
    p_values: FloatArray = 2.0 * students_t.sf(statistic, n_topics - 1)
    return p_values


def _t_test_with_required(
    values: FloatArray, pairs: IntArray, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the t test's p-values, and the critical value of t times the standard errors."""
    from scipy.stats import t as students_t

    differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
    critical = float(students_t.isf(level / 2.0, values.shape[1] - 1))
    errors = differences.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return t_test(differences), critical * errors


def wilcoxon_test(differences: FloatArray) -> FloatArray:
    """Wilcoxon's signed-rank test; topics without a difference are left out."""
    from scipy.stats import wilcoxon

    def test(rows: FloatArray) -> FloatArray:
        with warnings.catch_warnings():  # SciPy < 1.13 warns of few ranks
            warnings.simplefilter("ignore", UserWarning)
            found = [wilcoxon(_with_tied_sizes(row[row != 0.0])) for row in rows]
            return np.array([float(each.pvalue) for each in found])

    return _where_they_differ(differences, test)


def _with_tied_sizes(differences: FloatArray) -> FloatArray:
    """Give differences one size if only rounding makes them unequal, such as 0.3 - 0.2 and 0.1."""
    sizes = np.abs(differences)
    order = np.argsort(sizes)
    ascending = sizes[order]
    is_larger = np.diff(ascending, prepend=-1.0) > _ROUNDING * ascending[-1]
    tied = np.empty_like(sizes)
    tied[order] = ascending[is_larger][np.cumsum(is_larger) - 1]
    return np.copysign(tied, differences)


def _all_swaps_fit(n_topics: int, n_resamples: int) -> bool:
    """Whether the ways to swap two systems by topics are at most as many as the resamples."""
    return n_topics < int(n_resamples).bit_length()  # 2**n_topics may be too large for a float


def randomization_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Fisher's randomisation test: swap the two systems in each topic with probability 1/2.

    All swaps are tried if there are at most as many of them as resamples.
    """
    n_pairs, n_topics = differences.shape
    rounding = _ROUNDING * np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - rounding
    exact = _all_swaps_fit(n_topics, n_resamples)
    n_resamples = 2**n_topics if exact else n_resamples
    beyond = np.zeros(n_pairs, dtype=np.int64)
    for first, size in _batches(n_resamples, n_pairs + n_topics):
        if exact:
            bits = np.arange(first, first + size)[:, None] >> np.arange(n_topics)
            signs = 1.0 - 2.0 * (bits & 1)
        else:
            signs = rng.choice([-1.0, 1.0], size=(size, n_topics))
        beyond += (np.abs(signs @ differences.T) >= observed).sum(axis=0)
    return beyond / n_resamples if exact else (beyond + 1) / (n_resamples + 1)


def bootstrap_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Paired bootstrap test of the studentised mean difference (Sakai 2006, Efron 1993)."""
    return _where_they_differ(differences, lambda rows: _bootstrap_test(rows, n_resamples, rng))


def _means_without_rounding(differences: FloatArray) -> FloatArray:
    """Mean difference of each pair; 0 where the differences cancel but for rounding."""
    means: FloatArray = differences.mean(axis=1)
    means[np.abs(means) <= _ROUNDING * np.abs(differences).mean(axis=1)] = 0.0
    return means


def _bootstrap_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    n_pairs, n_topics = differences.shape
    mean = _means_without_rounding(differences)[:, None]
    observed = np.abs(_studentised(mean[:, 0], (differences**2).mean(axis=1)))
    shifted = differences - mean  # as if there were no difference
    shifted[np.abs(shifted) <= _ROUNDING * np.abs(mean)] = 0.0
    beyond = np.zeros(n_pairs, dtype=np.int64)
    equal_shares = np.full(n_topics, 1.0 / n_topics)
    for _, size in _batches(n_resamples, 3 * n_pairs + n_topics):
        shares = rng.multinomial(n_topics, equal_shares, size=size) / n_topics
        drawn = _studentised(shares @ shifted.T, shares @ (shifted**2).T)
        beyond += (np.abs(drawn) >= observed * (1.0 - _ROUNDING)).sum(axis=0)
    p_values: FloatArray = (beyond + 1) / (n_resamples + 1)
    return p_values


def _studentised(mean: FloatArray, mean_of_squares: FloatArray) -> FloatArray:
    variance = mean_of_squares - mean**2
    variance[variance <= _ROUNDING * mean_of_squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0.0, 0.0, mean / np.sqrt(variance))


def bootstrap_with_required(
    values: FloatArray, pairs: IntArray, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the bootstrap test's p-values and the difference that each pair requires (Sakai 2006).

    The latter is the mean difference of the resample whose studentised difference is the
    ``level * n_resamples``-th largest. All resamples stay in memory for that, in contrast to
    `bootstrap_test`, whose p-values are the same.
    """
    n_topics = values.shape[1]
    equal_shares = np.full(n_topics, 1.0 / n_topics)
    shares = rng.multinomial(n_topics, equal_shares, size=n_resamples).T / n_topics
    wanted = max(1, round(level * n_resamples))
    means = (values @ shares).ravel()
    sizes = np.abs(values).max(axis=1)
    at_a_time = max(1, _CELLS_IN_CACHE // n_resamples)
    found = []
    for first in range(0, len(pairs), at_a_time):
        batch = pairs[first : first + at_a_time]
        differences = paired_differences(values[batch[:, 0]], values[batch[:, 1]])
        observed, shifted = _observed(differences, sizes[batch].max(axis=1))
        squares = (shifted**2 @ shares).ravel()
        beyond, required = _core.bootstrap_pairs(
            batch.ravel(), observed.ravel(), means, squares, n_resamples, wanted
        )
        differ = (differences != 0.0).any(axis=1)
        p_values = np.where(differ, (beyond + 1) / (n_resamples + 1), 1.0)
        found.append((p_values, np.where(differ, required, 0.0)))
    of_all_p_values, of_all_required = map(np.concatenate, zip(*found, strict=True))
    return of_all_p_values, of_all_required


def _observed(differences: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what resamples of each pair are compared with, and the shifted differences.

    The columns are the mean, the rounding error of a mean, and the least squared t that counts.
    """
    mean = _means_without_rounding(differences)
    shifted = differences - mean[:, None]  # as if there were no difference
    shifted[np.abs(shifted) <= _ROUNDING * np.abs(mean)[:, None]] = 0.0
    mean_of_squares = (differences**2).mean(axis=1)
    variance = mean_of_squares - mean**2
    variance[variance <= _ROUNDING * mean_of_squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        squared_t = np.where(mean == 0.0, 0.0, mean**2 / variance)
    least = squared_t * (1.0 - _ROUNDING)
    return np.column_stack([mean, _ROUNDING_OF_MEANS * sizes, least]), shifted


def tukey_test(values: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Randomised Tukey HSD test (Carterette 2012): p-values of all pairs, (n_systems, n_systems).

    The systems' values are shuffled within each topic. A pair's difference is compared with the
    largest difference of any two shuffled systems, which corrects for the number of comparisons.
    """
    n_systems = len(values)
    sums = values.sum(axis=1)
    rounding = _ROUNDING * np.abs(values).sum(axis=1).max()
    observed = np.abs(sums[:, None] - sums) - rounding
    by_topic = np.ascontiguousarray(values.T, dtype=np.float64).ravel()
    seed = int(rng.integers(2**63))
    ordered = np.sort(_core.shuffled_ranges(by_topic, n_systems, seed, n_resamples))
    beyond = n_resamples - np.searchsorted(ordered, observed, side="left")
    p_values: FloatArray = (beyond + 1) / (n_resamples + 1)
    return p_values


def _where_they_differ(
    differences: FloatArray, test: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    p_values = np.ones(len(differences))
    differ = (differences != 0.0).any(axis=1)
    if differ.any():
        p_values[differ] = test(differences[differ])
    return p_values


def _batches(total: int, cells: int) -> Iterator[tuple[int, int]]:
    at_a_time = max(1, _CELLS_AT_A_TIME // cells)
    for first in range(0, total, at_a_time):
        yield first, min(at_a_time, total - first)


def _no_bound(n_queries: int, n_resamples: int) -> float:
    return 0.0


def _smallest_of_resamples(n_queries: int, n_resamples: int) -> float:
    return 1.0 / (n_resamples + 1)


def _smallest_of_swaps(n_queries: int, n_resamples: int) -> float:
    if not _all_swaps_fit(n_queries, n_resamples):
        return _smallest_of_resamples(n_queries, n_resamples)
    return 2.0 / 2.0**n_queries  # all queries for the one system, or all for the other


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairedTest:
    """A paired test over queries, as comparisons, studies and the command line know it.

    Attributes
    ----------
    name, title, heading : str
        Its name as an argument, in sentences, and above a column of p-values.
    hypothesis : str
        What it tests.
    exact : str
        When its p-values are exact.
    function : callable
        Takes the differences of all pairs and returns their p-values. A joint test takes the values
        of all systems and returns a matrix. One that resamples also takes the number of resamples
        and their generator.
    smallest : callable
        Returns the smallest p-value that a number of queries and one of resamples can give, or 0 if
        it is not bounded.
    resamples : bool
        Whether it draws resamples.
    is_joint : bool
        Whether it tests all systems at once, so that it corrects for the number of pairs itself.
    over_repeats : callable or None
        Takes differences of shape (n_pairs, n_repeats, n_queries), for tests over both.
    required : callable or None
        Returns p-values and the mean difference that each pair needs to be significant, where there
        is a formula for it.
    """

    name: str
    title: str
    heading: str
    hypothesis: str
    exact: str
    function: Callable[..., FloatArray]
    smallest: Callable[[int, int], float] = _no_bound
    resamples: bool = False
    is_joint: bool = False
    over_repeats: Callable[[FloatArray], FloatArray] | None = None
    required: Callable[..., tuple[FloatArray, FloatArray]] | None = None

    def p_values(
        self, values: FloatArray, pairs: IntArray, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Test pairs of systems by their values, (n_systems, n_queries)."""
        resampling: tuple[Any, ...] = (n_resamples, rng) if self.resamples else ()
        if self.is_joint:
            return self.function(values, *resampling)[pairs[:, 0], pairs[:, 1]]
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
        return self.function(differences, *resampling)

    def p_values_and_required(
        self,
        values: FloatArray,
        pairs: IntArray,
        level: float,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Test pairs of systems, and return the mean differences that they need at a level, too.

        Without a formula this is the smallest difference observed that is significant, and nan if
        none is.
        """
        if self.required is not None:
            return self.required(values, pairs, level, n_resamples, rng)
        p_values = self.p_values(values, pairs, n_resamples, rng)
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]]).mean(axis=1)
        significant = np.abs(differences[p_values < level])
        least = significant.min() if len(significant) else np.nan
        return p_values, np.full(len(pairs), least)


TESTS = {
    test.name: test
    for test in (
        PairedTest(
            name="randomization",
            title="Fisher's randomisation test",
            heading="Fisher",
            hypothesis="the two systems can be swapped in any query",
            exact="where all swaps are tried, as with at most 13 queries and 10,000 resamples",
            function=randomization_test,
            smallest=_smallest_of_swaps,
            resamples=True,
        ),
        PairedTest(
            name="t",
            title="Student's paired t test",
            heading="t",
            hypothesis="the mean difference is 0",
            exact="for normally distributed differences, and nearly so for many queries",
            function=t_test,
            over_repeats=lambda differences: repeated_interval(differences).p_value,
            required=_t_test_with_required,
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            heading="Wilcoxon",
            hypothesis="differences lie symmetrically around 0 (queries without any left out)",
            exact="for at most 50 differences of different sizes",
            function=wilcoxon_test,
        ),
        PairedTest(
            name="bootstrap",
            title="paired bootstrap test",
            heading="bootstrap",
            hypothesis="the mean difference is 0, by its ratio to the standard error",
            exact="in the limit of many queries",
            function=bootstrap_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            required=bootstrap_with_required,
        ),
        PairedTest(
            name="tukey",
            title="randomised Tukey HSD test",
            heading="Tukey",
            hypothesis="all systems can be shuffled in any query (corrects for all pairs itself)",
            exact="for any number of queries, but for the resamples drawn",
            function=tukey_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            is_joint=True,
        ),
    )
}
