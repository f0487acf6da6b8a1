"""Paired tests over queries, for many pairs of systems at once, and corrections for their number.

A new test is a function and its entry in `TESTS`, and a new correction one in `CORRECTIONS`:
comparisons, studies and the command line read the tables. Studies call all the functions. For
``"score"`` and ``"t"``, comparisons call the `Estimate` of their intervals instead, which also
knows of clusters, repeats and judges; so these two tests are changed there.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from skgraded import _core
from skgraded._intervals.estimate import means
from skgraded._support.array_types import FloatArray, IntArray

# Resamples of every test that draws some, unless the user says more.
N_RESAMPLES = 10_000
# Values of a measure differ by less where the same numbers are added up in another order.
_ROUNDING_OF_VALUES = 1e-14
_DIGITS_OF_RANKS = 12
# Cells of (pair, resample) at a time.
_CELLS_AT_A_TIME = 1_000_000
# Counts of topics in resamples at a time: 4 MB.
_COUNTS_AT_A_TIME = 500_000
# Signs that are in memory at the same time: 32 MB.
_SIGNS_AT_A_TIME = 4_000_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def paired_differences(values: FloatArray, other_values: FloatArray) -> FloatArray:
    """Subtract values topic by topic; differences as small as rounding errors become 0.

    The values of equal rankings may be added up in different orders, and the tests use signs and
    spreads, for which even the smallest differences count.
    """
    differences: FloatArray = values - other_values
    rounding = _ROUNDING_OF_VALUES * np.maximum(np.abs(values), np.abs(other_values))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def effect_size(
    differences: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Mean difference in standard deviations of the differences (Cohen's d), 0 without any."""
    mean = np.average(differences, axis=-1, weights=weights)
    squares = (differences - mean[..., None]) ** 2
    n = differences.shape[-1]
    spread = np.sqrt(np.average(squares, axis=-1, weights=weights) * n / (n - 1))

    with np.errstate(divide="ignore"):  # the same difference in every topic
        sizes: FloatArray = np.divide(
            mean, spread, out=np.zeros_like(mean), where=mean != 0.0
        )
    return sizes


def t_test(differences: FloatArray) -> FloatArray:
    """Student's t test of the mean difference."""
    return means(np.ascontiguousarray(differences.T)).students_p_value()


def score_test(differences: FloatArray) -> FloatArray:
    """Test the mean difference by the larger of two tails: t, and t to the second order."""
    return means(np.ascontiguousarray(differences.T)).p_value()


def wilcoxon_test(differences: FloatArray) -> FloatArray:
    """Wilcoxon's signed-rank test of topics; those without a difference are left out."""
    from scipy.stats import wilcoxon

    p_values = np.ones(len(differences))
    for pair, row in enumerate(differences):
        differing = row[row != 0.0]
        if len(differing):
            # Sizes that rounding alone tells apart, such as 0.3 - 0.2 and 0.1, have one rank.
            shares = np.round(differing / np.abs(differing).max(), _DIGITS_OF_RANKS)
            p_values[pair] = wilcoxon(shares).pvalue
    return p_values


def bootstrap_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Paired bootstrap test of the studentised mean difference (Sakai 2006, Efron 1993)."""
    return bootstrapped(differences, n_resamples, rng, 1.0)[0]


def bootstrapped(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return p-values of the bootstrap test, and the mean differences that a level requires.

    A pair requires the size of the mean of the resample whose studentised mean is the
    ``level * n_resamples``-th largest. A pair without any difference has 1 and 0.
    """
    n_topics = differences.shape[1]
    seed = rng.integers(2**63)
    mean = differences.mean(axis=1)
    mean[np.abs(mean) <= _ROUNDING * np.abs(differences).mean(axis=1)] = 0.0
    residuals = differences - mean[:, None]  # as if there were no difference
    residuals[np.abs(residuals) <= _ROUNDING * np.abs(mean)[:, None]] = 0.0

    ratio = _in_errors(mean, (residuals**2).sum(axis=1), n_topics)
    wanted = max(1, round(level * n_resamples))
    p_value = np.ones(len(mean))
    required = np.zeros(len(mean))
    for first, n_pairs in _batches(len(mean), _CELLS_AT_A_TIME // n_resamples):
        some = slice(first, first + n_pairs)
        # All pairs have the same resamples.
        counts = _counts(n_topics, n_resamples, np.random.default_rng(seed))
        parts = [_drawn(residuals[some], each.T) for each in counts]
        drawn, ratios = (
            np.concatenate(each, axis=1) for each in zip(*parts, strict=True)
        )
        beyond = (ratios >= (ratio[some] * (1.0 - _ROUNDING))[:, None]).sum(axis=1)
        p_value[some] = (beyond + 1) / (n_resamples + 1)
        place = np.argpartition(-ratios, wanted - 1, axis=1)[:, wanted - 1, None]
        required[some] = np.abs(np.take_along_axis(drawn, place, axis=1)[:, 0])

    differ = (differences != 0.0).any(axis=1)
    return np.where(differ, p_value, 1.0), np.where(differ, required, 0.0)


def _drawn(residuals: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means of resamples, and their sizes in standard errors."""
    sums = residuals @ counts
    n_topics = len(counts)
    drawn = sums / n_topics
    squares = residuals**2 @ counts

    spread = squares - drawn * sums
    spread[spread <= _ROUNDING * squares] = 0.0
    ratios = _in_errors(drawn, spread, n_topics)
    ratios[
        np.abs(drawn) <= _ROUNDING * np.abs(residuals).max(axis=1, keepdims=True)
    ] = 0.0
    return drawn, ratios


def _in_errors(means: FloatArray, squares: FloatArray, n_topics: int) -> FloatArray:
    """Return sizes of means in standard errors, by sums of squares; endless where these are 0."""
    error = np.sqrt(squares * n_topics / max(n_topics - 1, 1)) / n_topics
    none = np.where(means == 0.0, 0.0, np.inf)
    found: FloatArray = np.divide(np.abs(means), error, out=none, where=error > 0.0)
    return found


def _counts(
    n_topics: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Draw how often each topic is in each resample, some rows (n_resamples, n_topics) at once."""
    for _, size in _batches(n_resamples, _COUNTS_AT_A_TIME // n_topics):
        topics = rng.integers(n_topics, size=(size, n_topics), dtype=np.int32)
        cells = topics + (np.arange(size, dtype=np.int32) * n_topics)[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * n_topics)
        yield counts.reshape(size, n_topics).astype(np.float64)


def randomization_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Fisher's randomisation test: swap the two systems in each topic with probability 1/2.

    All swaps are tried if there are at most as many of them as resamples.
    """
    n_pairs, n_topics = differences.shape
    rounding = _ROUNDING * np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - rounding
    exact = (
        n_topics < int(n_resamples).bit_length()
    )  # 2**n_topics may be too large for a float

    n_resamples = 2**n_topics if exact else n_resamples
    beyond = np.zeros(n_pairs, dtype=np.int64)
    for first, size in _batches(n_resamples, _SIGNS_AT_A_TIME // n_topics):
        if exact:
            bits = np.arange(first, first + size)[:, None] >> np.arange(n_topics)
            signs = 1.0 - 2.0 * (bits & 1)
        else:
            signs = rng.choice([-1.0, 1.0], size=(size, n_topics))
        for start, n in _batches(n_pairs, _CELLS_AT_A_TIME // size):
            some = slice(start, start + n)
            sums = differences[some] @ signs.T
            beyond[some] += (np.abs(sums, out=sums) >= observed[some, None]).sum(axis=1)
    return beyond / n_resamples if exact else (beyond + 1) / (n_resamples + 1)


def tukey_test(
    values: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
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


def _batches(total: int, at_a_time: int) -> Iterator[tuple[int, int]]:
    for first in range(0, total, max(1, at_a_time)):
        yield first, min(max(1, at_a_time), total - first)


class PairedTest(NamedTuple):
    """A paired test over queries, as comparisons, studies and the command line know it.

    Attributes
    ----------
    name, title : str
        Its name as an argument and above a column of p-values, and in sentences.
    hypothesis : str
        What it tests.
    function : callable
        Takes the differences of all pairs and returns their p-values. One that resamples also takes
        the number of resamples and their generator.
    resamples : bool
        Whether it draws resamples.
    takes_systems : bool
        Whether its function takes the values of all systems and returns a matrix of p-values, so
        that it corrects for the number of pairs itself.
    """

    name: str
    title: str
    hypothesis: str
    function: Callable[..., FloatArray]
    resamples: bool = False
    takes_systems: bool = False

    def p_values(
        self,
        values: FloatArray,
        pairs: IntArray,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Test pairs of systems by their values, (n_systems, n_topics)."""
        drawn = (n_resamples, rng) if self.resamples else ()
        if self.takes_systems:
            return self.function(values, *drawn)[pairs[:, 0], pairs[:, 1]]
        return self.function(paired_differences(*values[pairs.T]), *drawn)

    def p_values_and_required(
        self,
        values: FloatArray,
        pairs: IntArray,
        level: float,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Test pairs of systems, and return the mean differences that they need at a level, too.

        Where no formula says it, this is the smallest difference observed that is significant, and
        nan if none is.
        """
        differences = paired_differences(*values[pairs.T])
        if self.name == "bootstrap":
            return bootstrapped(differences, n_resamples, rng, level)
        p_values = self.p_values(values, pairs, n_resamples, rng)
        if self.name == "t":
            return p_values, means(np.ascontiguousarray(differences.T)).reach(
                1.0 - level
            )

        significant = np.abs(differences.mean(axis=1)[p_values < level])
        least = significant.min() if len(significant) else np.nan
        return p_values, np.full(len(pairs), least)


TESTS = {
    test.name: test
    for test in (
        PairedTest(
            name="score",
            title="second-order score test",
            hypothesis="the mean difference is 0, by Student's t and its correction for skewness, "
            "whichever is larger",
            function=score_test,
        ),
        PairedTest(
            name="t",
            title="Student's paired t test",
            hypothesis="the mean difference is 0",
            function=t_test,
        ),
        PairedTest(
            name="randomization",
            title="Fisher's randomisation test",
            hypothesis="the two systems can be swapped in any query, so that differences are "
            "symmetric around a mean of 0",
            function=randomization_test,
            resamples=True,
        ),
        PairedTest(
            name="bootstrap",
            title="paired bootstrap test",
            hypothesis="the mean difference is 0, by the size of its ratio to the standard error",
            function=bootstrap_test,
            resamples=True,
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            hypothesis="differences lie symmetrically around 0, queries without any left out",
            function=wilcoxon_test,
        ),
        PairedTest(
            name="tukey",
            title="randomised Tukey HSD test",
            hypothesis="all systems can be shuffled in any query, so that they vary equally "
            "(corrects for all pairs itself)",
            function=tukey_test,
            resamples=True,
            takes_systems=True,
        ),
    )
}


class Correction(NamedTuple):
    """A correction of p-values for their number.

    Attributes
    ----------
    title : str
        Its name in sentences.
    function : callable
        Takes p-values of shape (n,) and returns the corrected ones.
    """

    title: str
    function: Callable[[FloatArray], FloatArray]


def holm(p_values: FloatArray) -> FloatArray:
    """Correct by Holm's step-down procedure, which bounds the chance of any false discovery."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    corrected = np.empty(n)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Correct by Benjamini and Hochberg's procedure, which bounds the false discovery rate."""
    from scipy.stats import false_discovery_control

    corrected: FloatArray = false_discovery_control(p_values, method="bh")
    return corrected


def bonferroni(p_values: FloatArray) -> FloatArray:
    """Correct by their number, which bounds the chance of any false discovery."""
    return np.minimum(p_values * len(p_values), 1.0)


CORRECTIONS = {
    "bonferroni": Correction("corrected by Bonferroni", bonferroni),
    "holm": Correction("p-values corrected by Holm", holm),
    "bh": Correction(
        "p-values corrected by Benjamini and Hochberg", benjamini_hochberg
    ),
    "none": Correction("not corrected", np.asarray),
}


def level_of(confidence: float) -> float:
    """Return the level of significance, 1 - confidence, without the subtraction's rounding error.

    1 - .95 is larger than .05, so that a p-value of .05 would be significant at 95 %.
    """
    return round(1.0 - confidence, 12)
