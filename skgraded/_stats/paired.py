"""Paired tests over queries, for many pairs of systems at once, and the table of them.

A new test is a function and its entry in `TESTS`: comparisons, studies and the command line read
the table.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query. Where queries
come in clusters, the differences are sums over each cluster, and sizes of shape (n_clusters,) say
how many queries each has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._stats.bootstrap_t import (
    Tested,
    bootstrap_t,
    bootstrap_test,
    counts_of_units,
    max_t,
)
from skgraded._stats.clustered import (
    means_without_rounding,
    sizes_of,
    sums_by_cluster,
    unit_errors,
    unit_residuals,
)
from skgraded._stats.repeats import repeated_interval
from skgraded._stats.shuffles import all_swaps_fit, randomization_test, tukey_test
from skgraded._stats.signed_ranks import signed_rank_p_values

__all__ = [
    "DEFAULT_TEST",
    "N_RESAMPLES",
    "TESTS",
    "PairedTest",
    "bootstrap_test",
    "bootstrap_with_required",
    "effect_size",
    "effect_size_in_residuals",
    "paired_differences",
    "sign_test",
    "t_test",
    "wilcoxon_test",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Resamples of every test that draws some, unless the user says more.
N_RESAMPLES = 10_000
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


def t_test(differences: FloatArray, sizes: FloatArray | None = None) -> FloatArray:
    """Student's t test of the mean difference."""
    return _where_they_differ(differences, lambda rows: _t_test(rows, sizes_of(rows, sizes)))


def _t_test(differences: FloatArray, sizes: FloatArray) -> FloatArray:
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    means = means_without_rounding(differences, sizes)
    errors = unit_errors(unit_residuals(differences, sizes, means), sizes)
    with np.errstate(divide="ignore", invalid="ignore"):  # the same difference in every topic
        statistic = np.where(means == 0.0, 0.0, np.abs(means) / errors)
    p_values: FloatArray = 2.0 * students_t.sf(statistic, len(sizes) - 1)
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


def _t_test_over_repeats(
    differences: FloatArray, folds: IntArray | None = None, clusters: IntArray | None = None
) -> FloatArray:
    return repeated_interval(differences, folds=folds, clusters=clusters).p_value


def wilcoxon_test(differences: FloatArray, sizes: FloatArray | None = None) -> FloatArray:
    """Wilcoxon's signed-rank test of topics or of clusters' means; those of 0 are left out."""
    return signed_rank_p_values(differences / sizes_of(differences, sizes))


def sign_test(differences: FloatArray, sizes: FloatArray | None = None) -> FloatArray:
    """Sign test of topics or of clusters; those without a difference are left out."""
    from scipy.stats import binom

    n_won, n_lost = (differences > 0.0).sum(axis=1), (differences < 0.0).sum(axis=1)
    one_side = binom.cdf(np.minimum(n_won, n_lost), n_won + n_lost, 0.5)
    p_values: FloatArray = np.minimum(2.0 * one_side, 1.0)
    return p_values


def bootstrap_with_required(
    values: FloatArray, pairs: IntArray, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the bootstrap test's p-values and the difference that each pair requires (Sakai 2006).

    The latter is the mean difference of the resample whose studentised difference is the
    ``level * n_resamples``-th largest. All resamples stay in memory for that, in contrast to
    `bootstrap_test`, whose p-values are the same.
    """
    n_topics, resamples = values.shape[1], np.random.default_rng(int(rng.integers(2**63)))
    shares = np.concatenate(list(counts_of_units(n_topics, n_resamples, resamples))).T / n_topics
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
    sizes_of_topics = sizes_of(differences, None)
    mean = means_without_rounding(differences, sizes_of_topics)
    shifted = unit_residuals(differences, sizes_of_topics, mean)  # as if there were no difference
    mean_of_squares = (differences**2).mean(axis=1)
    variance = mean_of_squares - mean**2
    variance[variance <= _ROUNDING * mean_of_squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        squared_t = np.where(mean == 0.0, 0.0, mean**2 / variance)
    least = squared_t * (1.0 - _ROUNDING)
    return np.column_stack([mean, _ROUNDING_OF_MEANS * sizes, least]), shifted


def _where_they_differ(
    differences: FloatArray, test: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    p_values = np.ones(len(differences))
    differ = (differences != 0.0).any(axis=1)
    if differ.any():
        p_values[differ] = test(differences[differ])
    return p_values


def _no_bound(n_units: int, n_resamples: int) -> float:
    return 0.0


def _smallest_of_resamples(n_units: int, n_resamples: int) -> float:
    return 1.0 / (n_resamples + 1)


def _smallest_of_two_tails(n_units: int, n_resamples: int) -> float:
    return 2.0 / (n_resamples + 1)


def _smallest_of_signs(n_units: int, n_resamples: int = 0) -> float:
    return float(2.0 * 0.5**n_units)  # all queries for the one system, or all for the other


def _smallest_of_swaps(n_units: int, n_resamples: int) -> float:
    if not all_swaps_fit(n_units, n_resamples):
        return _smallest_of_resamples(n_units, n_resamples)
    return _smallest_of_signs(n_units)


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
        Takes the differences of all pairs and returns their p-values. One that resamples also takes
        the number of resamples and their generator. The last argument is the sizes of the clusters.
    interval : callable or None
        Takes differences, sizes, a level, the number of resamples and their generator, and returns
        p-values with the intervals that invert the test.
    smallest : callable
        Returns the smallest p-value that a number of queries or clusters and one of resamples can
        give, or 0 if it is not bounded.
    tests_mean : bool
        Whether small p-values say that the mean difference is not 0.
    resamples : bool
        Whether it draws resamples.
    is_joint : bool
        Whether it tests all pairs at once, so that it corrects for their number itself.
    takes_systems : bool
        Whether its function takes the values of all systems and returns a matrix of p-values.
    over_repeats : callable or None
        Takes differences of shape (n_pairs, n_repeats, n_queries), and folds and clusters of
        queries.
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
    interval: Callable[..., Tested] | None = None
    smallest: Callable[[int, int], float] = _no_bound
    tests_mean: bool = True
    resamples: bool = False
    is_joint: bool = False
    takes_systems: bool = False
    over_repeats: Callable[..., FloatArray] | None = None
    required: Callable[..., tuple[FloatArray, FloatArray]] | None = None

    def p_values(
        self,
        values: FloatArray,
        pairs: IntArray,
        n_resamples: int,
        rng: np.random.Generator,
        clusters: NDArray[Any] | None = None,
    ) -> FloatArray:
        """Test pairs of systems by their values, (n_systems, n_queries)."""
        resampling: tuple[Any, ...] = (n_resamples, rng) if self.resamples else ()
        if self.takes_systems:
            sums, _ = sums_by_cluster(values, clusters)
            return self.function(sums, *resampling)[pairs[:, 0], pairs[:, 1]]
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
        sums, sizes = sums_by_cluster(differences, clusters)
        return self.function(sums, *resampling, sizes=sizes)

    def p_values_and_intervals(
        self,
        values: FloatArray,
        pairs: IntArray,
        level: float,
        n_resamples: int,
        rng: np.random.Generator,
        *,
        clusters: NDArray[Any] | None = None,
    ) -> Tested | None:
        """Test pairs of systems, with intervals; None for a test that has none."""
        if self.interval is None:
            return None
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
        sums, sizes = sums_by_cluster(differences, clusters)
        return self.interval(sums, sizes, level, n_resamples, rng)

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


def _p_values_of(interval: Callable[..., Tested]) -> Callable[..., FloatArray]:
    """Return a test's function from that of its p-values and intervals."""

    def function(
        differences: FloatArray,
        n_resamples: int,
        rng: np.random.Generator,
        sizes: FloatArray | None = None,
    ) -> FloatArray:
        given = sizes_of(differences, sizes)
        return interval(differences, given, _ANY_LEVEL, n_resamples, rng).p_value

    return function


_ANY_LEVEL = 0.05

TESTS = {
    test.name: test
    for test in (
        PairedTest(
            name="bootstrap_t",
            title="bootstrap-t test",
            heading="bootstrap-t",
            hypothesis="the mean difference is 0 (equal-tailed, no narrower than Student's t)",
            exact="in the limit of many queries, and nearly so from 30 on for most differences",
            function=_p_values_of(bootstrap_t),
            interval=bootstrap_t,
            smallest=_smallest_of_two_tails,
            resamples=True,
        ),
        PairedTest(
            name="max_t",
            title="max-t test",
            heading="max-t",
            hypothesis="all mean differences are 0, by the largest bootstrap-t of any pair "
            "(corrects for all pairs itself; systems may vary unequally)",
            exact="in the limit of many queries",
            function=_p_values_of(max_t),
            interval=max_t,
            smallest=_smallest_of_resamples,
            resamples=True,
            is_joint=True,
        ),
        PairedTest(
            name="t",
            title="Student's paired t test",
            heading="t",
            hypothesis="the mean difference is 0",
            exact="for normally distributed differences, and nearly so for many queries",
            function=t_test,
            over_repeats=_t_test_over_repeats,
            required=_t_test_with_required,
        ),
        PairedTest(
            name="randomization",
            title="Fisher's randomisation test",
            heading="Fisher",
            hypothesis="the two systems can be swapped in any query, so that differences are "
            "symmetric around a mean of 0",
            exact="where all swaps are tried, as with at most 13 queries and 10,000 resamples",
            function=randomization_test,
            smallest=_smallest_of_swaps,
            resamples=True,
        ),
        PairedTest(
            name="bootstrap",
            title="paired bootstrap test",
            heading="bootstrap",
            hypothesis="the mean difference is 0, by the size of its ratio to the standard error",
            exact="in the limit of many queries",
            function=bootstrap_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            required=bootstrap_with_required,
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            heading="Wilcoxon",
            hypothesis="differences lie symmetrically around 0, queries without any left out",
            exact="for at most 50 differences of different sizes, or 13 of any",
            function=wilcoxon_test,
            tests_mean=False,
        ),
        PairedTest(
            name="sign",
            title="sign test",
            heading="sign",
            hypothesis="as many queries favour the one system as the other",
            exact="for any number of queries",
            function=sign_test,
            smallest=_smallest_of_signs,
            tests_mean=False,
        ),
        PairedTest(
            name="tukey",
            title="randomised Tukey HSD test",
            heading="Tukey",
            hypothesis="all systems can be shuffled in any query, so that they vary equally "
            "(corrects for all pairs itself)",
            exact="for any number of queries, but for the resamples drawn",
            function=tukey_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            is_joint=True,
            takes_systems=True,
        ),
    )
}
# The test that comparisons take unless others are named.
DEFAULT_TEST = TESTS["bootstrap_t"]
