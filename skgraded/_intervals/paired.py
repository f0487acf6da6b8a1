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
from skgraded._intervals.tail import quotients
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
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def paired_differences(values: FloatArray, other_values: FloatArray) -> FloatArray:
    """Subtract values topic by topic; differences as small as rounding errors become 0.

    The values of equal rankings may be added up in different orders, and the tests use signs and
    spreads, for which even the smallest differences count.
    """
    differences: FloatArray = values - other_values
    sizes = np.maximum(np.abs(values), np.abs(other_values))
    is_rounding = np.abs(differences) <= _ROUNDING_OF_VALUES * sizes
    differences[is_rounding] = 0.0
    return differences


def effect_size(
    differences: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Mean difference in standard deviations of the differences (Cohen's d), 0 without any."""
    mean = np.average(differences, axis=-1, weights=weights)
    residuals = differences - mean[..., None]
    squares = residuals**2
    mean_square = np.average(squares, axis=-1, weights=weights)
    n = differences.shape[-1]
    variance = mean_square * n / (n - 1)
    spread = np.sqrt(variance)

    sizes: FloatArray = np.zeros_like(mean)
    with np.errstate(divide="ignore"):  # the same difference in every topic
        np.divide(mean, spread, out=sizes, where=mean != 0.0)
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
            shares = differing / np.abs(differing).max()
            shares = np.round(shares, _DIGITS_OF_RANKS)
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
    sizes = np.abs(differences)
    mean_size = sizes.mean(axis=1)
    is_rounding = np.abs(mean) <= _ROUNDING * mean_size
    mean[is_rounding] = 0.0

    # Differences as they would be without a mean difference.
    residuals = differences - mean[:, None]
    rounding = _ROUNDING * np.abs(mean)
    is_rounding = np.abs(residuals) <= rounding[:, None]
    residuals[is_rounding] = 0.0
    squares = residuals**2
    squares = squares.sum(axis=1)
    ratio = _in_errors(mean, squares, n_topics)
    least_ratio = ratio * (1.0 - _ROUNDING)

    n_pairs = len(mean)
    place = max(1, round(level * n_resamples)) - 1
    p_value = np.ones(n_pairs)
    required = np.zeros(n_pairs)
    for first, size in _batches(n_pairs, _CELLS_AT_A_TIME // n_resamples):
        batch = slice(first, first + size)
        # All pairs have the same resamples.
        rng = np.random.default_rng(seed)
        resamples = []
        for counts in _counts(n_topics, n_resamples, rng):
            resamples.append(_resampled(residuals[batch], counts.T))
        means, ratios = np.concatenate(resamples, axis=2)

        is_beyond = ratios >= least_ratio[batch, None]
        n_beyond = is_beyond.sum(axis=1)
        p_value[batch] = (n_beyond + 1) / (n_resamples + 1)
        by_ratio = np.argpartition(-ratios, place, axis=1)
        means_at_level = means[np.arange(size), by_ratio[:, place]]
        required[batch] = np.abs(means_at_level)

    differ = (differences != 0.0).any(axis=1)
    p_value[~differ] = 1.0
    required[~differ] = 0.0
    return p_value, required


def _resampled(
    residuals: FloatArray, counts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return means of resamples, and their sizes in standard errors."""
    n_topics = len(counts)
    sums = residuals @ counts
    resampled_means = sums / n_topics
    squares = residuals**2 @ counts
    spread = squares - resampled_means * sums
    spread[spread <= _ROUNDING * squares] = 0.0

    ratios = _in_errors(resampled_means, spread, n_topics)
    largest = np.abs(residuals).max(axis=1, keepdims=True)
    is_rounding = np.abs(resampled_means) <= _ROUNDING * largest
    ratios[is_rounding] = 0.0
    return resampled_means, ratios


def _in_errors(means: FloatArray, squares: FloatArray, n_topics: int) -> FloatArray:
    """Return sizes of means in standard errors, by sums of squares; endless where these are 0."""
    degrees = max(n_topics - 1, 1)
    variance = squares * n_topics / degrees
    error = np.sqrt(variance) / n_topics
    endless = np.where(means == 0.0, 0.0, np.inf)
    return quotients(np.abs(means), error, endless)


def _counts(
    n_topics: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Draw how often each topic is in each resample, some rows (n_resamples, n_topics) at once."""
    for _, size in _batches(n_resamples, _COUNTS_AT_A_TIME // n_topics):
        topics = rng.integers(n_topics, size=(size, n_topics), dtype=np.int32)
        first_cells = np.arange(size, dtype=np.int32) * n_topics
        cells = topics + first_cells[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * n_topics)
        yield counts.reshape(size, n_topics).astype(np.float64)


def randomization_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Fisher's randomisation test: swap the two systems in each topic with probability 1/2.

    All swaps are tried if there are at most as many of them as resamples.
    """
    n_pairs, n_topics = differences.shape
    sums_of_sizes = np.abs(differences).sum(axis=1)
    rounding = _ROUNDING * sums_of_sizes
    sums = differences.sum(axis=1)
    observed = np.abs(sums) - rounding
    # 2**n_topics may be too large for a float.
    is_exact = n_topics < int(n_resamples).bit_length()
    n_swaps = 2**n_topics if is_exact else n_resamples

    n_beyond = np.zeros(n_pairs, dtype=np.int64)
    swaps_at_a_time = _CELLS_AT_A_TIME // max(n_pairs, n_topics)
    for first, size in _batches(n_swaps, swaps_at_a_time):
        if is_exact:
            numbers = np.arange(first, first + size)
            bits = numbers[:, None] >> np.arange(n_topics)
            is_swapped = bits & 1
            signs = 1.0 - 2.0 * is_swapped
        else:
            signs = rng.choice([-1.0, 1.0], size=(size, n_topics))
        sizes = np.abs(differences @ signs.T)
        is_beyond = sizes >= observed[:, None]
        n_beyond += is_beyond.sum(axis=1)

    if is_exact:
        return n_beyond / n_swaps
    return (n_beyond + 1) / (n_swaps + 1)


def tukey_test(
    values: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Randomised Tukey HSD test (Carterette 2012): p-values of all pairs, (n_systems, n_systems).

    The systems' values are shuffled within each topic. A pair's difference is compared with the
    largest difference of any two shuffled systems, which corrects for the number of comparisons.
    """
    sums = values.sum(axis=1)
    sizes = np.abs(values)
    sums_of_sizes = sizes.sum(axis=1)
    rounding = _ROUNDING * sums_of_sizes.max()
    apart = sums[:, None] - sums
    observed = np.abs(apart) - rounding

    by_topic = np.ascontiguousarray(values.T, dtype=np.float64)
    shuffled = _core.shuffled_ranges(
        by_topic.ravel(), len(values), int(rng.integers(2**63)), n_resamples
    )
    n_below = np.searchsorted(np.sort(shuffled), observed, side="left")
    n_beyond = n_resamples - n_below
    p_values: FloatArray = (n_beyond + 1) / (n_resamples + 1)
    return p_values


def _batches(total: int, at_a_time: int) -> Iterator[tuple[int, int]]:
    at_a_time = max(1, at_a_time)
    for first in range(0, total, at_a_time):
        yield first, min(at_a_time, total - first)


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
        first, second = pairs.T
        tested = values
        if not self.takes_systems:
            tested = paired_differences(values[first], values[second])
        if self.resamples:
            p_values = self.function(tested, n_resamples, rng)
        else:
            p_values = self.function(tested)
        return p_values[first, second] if self.takes_systems else p_values

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
        first, second = pairs.T
        differences = paired_differences(values[first], values[second])
        if self.name == "bootstrap":
            return bootstrapped(differences, n_resamples, rng, level)
        p_values = self.p_values(values, pairs, n_resamples, rng)
        if self.name == "t":
            estimate = means(np.ascontiguousarray(differences.T))
            return p_values, estimate.reach(1.0 - level)

        sizes = np.abs(differences.mean(axis=1))
        is_significant = p_values < level
        required = np.full(len(pairs), np.nan)
        if is_significant.any():
            required[:] = sizes[is_significant].min()
        return p_values, required


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
    multiplied = p_values[order] * np.arange(n, 0, -1)
    stepped = np.maximum.accumulate(multiplied)
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
