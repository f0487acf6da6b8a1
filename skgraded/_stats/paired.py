"""Paired tests over topics, for many pairs of systems at once, and corrections of their p-values.

The tests are Student's t, Wilcoxon's signed-rank, Fisher's randomisation, the bootstrap and the
randomised Tukey HSD test; the corrections are Holm's and Benjamini and Hochberg's.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

__all__ = [
    "all_swaps_fit",
    "benjamini_hochberg",
    "bootstrap_test",
    "effect_size",
    "holm",
    "means_without_rounding",
    "paired_differences",
    "randomization_test",
    "t_test",
    "tukey_test",
    "wilcoxon_test",
]

FloatArray = NDArray[np.float64]

# Resampled means of pairs that are in memory at the same time: 64 MB.
_CELLS_AT_A_TIME = 8_000_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12
# The same for values of a measure. Deep ranks add little to them, so this bound is smaller.
_ROUNDING_OF_VALUES = 1e-14


def paired_differences(values: FloatArray, other_values: FloatArray) -> FloatArray:
    """Subtract values topic by topic; differences as small as rounding errors become 0.

    The values of equal rankings may be added up in different orders, and the tests use signs and
    spreads, for which even the smallest differences count.
    """
    differences: FloatArray = values - other_values
    rounding = _ROUNDING_OF_VALUES * np.maximum(np.abs(values), np.abs(other_values))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


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


def all_swaps_fit(n_topics: int, n_resamples: int) -> bool:
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
    exact = all_swaps_fit(n_topics, n_resamples)
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


def means_without_rounding(differences: FloatArray) -> FloatArray:
    """Mean difference of each pair; 0 where the differences cancel but for rounding."""
    means: FloatArray = differences.mean(axis=1)
    means[np.abs(means) <= _ROUNDING * np.abs(differences).mean(axis=1)] = 0.0
    return means


def _bootstrap_test(
    differences: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    n_pairs, n_topics = differences.shape
    mean = means_without_rounding(differences)[:, None]
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


def effect_size(differences: FloatArray) -> FloatArray:
    """Mean difference in standard deviations of the differences (Cohen's d), 0 without any."""
    mean, spread = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore"):  # the same difference in every topic
        sizes: FloatArray = np.divide(mean, spread, out=np.zeros_like(mean), where=mean != 0.0)
    return sizes


def _studentised(mean: FloatArray, mean_of_squares: FloatArray) -> FloatArray:
    variance = mean_of_squares - mean**2
    variance[variance <= _ROUNDING * mean_of_squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0.0, 0.0, mean / np.sqrt(variance))


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
