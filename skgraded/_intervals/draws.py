"""Tests that draw: the bootstrap over topics, and shuffles of systems within every topic.

Differences are of shape (n_pairs, n_topics), and values of shape (n_systems, n_topics).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

FloatArray = NDArray[np.float64]

# Cells of (pair, resample) at a time.
_CELLS_AT_A_TIME = 1_000_000
# Counts of topics in resamples at a time: 4 MB.
_COUNTS_AT_A_TIME = 500_000
# Signs that are in memory at the same time: 32 MB.
_SIGNS_AT_A_TIME = 4_000_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


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
    n_topics, seed = differences.shape[1], rng.integers(2**63)
    mean = differences.mean(axis=1)
    mean[np.abs(mean) <= _ROUNDING * np.abs(differences).mean(axis=1)] = 0.0
    residuals = differences - mean[:, None]  # as if there were no difference
    residuals[np.abs(residuals) <= _ROUNDING * np.abs(mean)[:, None]] = 0.0
    ratio = _in_errors(mean, (residuals**2).sum(axis=1), n_topics)
    wanted = max(1, round(level * n_resamples))
    p_value, required = np.ones(len(mean)), np.zeros(len(mean))
    for first, n_pairs in _batches(len(mean), _CELLS_AT_A_TIME // n_resamples):
        some = slice(first, first + n_pairs)
        # All pairs have the same resamples.
        counts = _counts(n_topics, n_resamples, np.random.default_rng(seed))
        parts = [_drawn(residuals[some], each.T) for each in counts]
        drawn, ratios = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
        beyond = (ratios >= (ratio[some] * (1.0 - _ROUNDING))[:, None]).sum(axis=1)
        p_value[some] = (beyond + 1) / (n_resamples + 1)
        place = np.argpartition(-ratios, wanted - 1, axis=1)[:, wanted - 1, None]
        required[some] = np.abs(np.take_along_axis(drawn, place, axis=1)[:, 0])
    differ = (differences != 0.0).any(axis=1)
    return np.where(differ, p_value, 1.0), np.where(differ, required, 0.0)


def _drawn(residuals: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means of resamples, and their sizes in standard errors."""
    sums, n_topics = residuals @ counts, len(counts)
    drawn, squares = sums / n_topics, residuals**2 @ counts
    spread = squares - drawn * sums
    spread[spread <= _ROUNDING * squares] = 0.0
    ratios = _in_errors(drawn, spread, n_topics)
    ratios[np.abs(drawn) <= _ROUNDING * np.abs(residuals).max(axis=1, keepdims=True)] = 0.0
    return drawn, ratios


def _in_errors(means: FloatArray, squares: FloatArray, n_topics: int) -> FloatArray:
    """Return sizes of means in standard errors, by sums of squares; endless where these are 0."""
    error = np.sqrt(squares * n_topics / max(n_topics - 1, 1)) / n_topics
    none = np.where(means == 0.0, 0.0, np.inf)
    found: FloatArray = np.divide(np.abs(means), error, out=none, where=error > 0.0)
    return found


def _counts(n_topics: int, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw how often each topic is in each resample, some rows (n_resamples, n_topics) at a time."""
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
    exact = n_topics < int(n_resamples).bit_length()  # 2**n_topics may be too large for a float
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


def _batches(total: int, at_a_time: int) -> Iterator[tuple[int, int]]:
    for first in range(0, total, max(1, at_a_time)):
        yield first, min(max(1, at_a_time), total - first)
