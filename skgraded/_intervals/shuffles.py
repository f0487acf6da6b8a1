"""Tests by shuffling: the two systems of a pair, or all systems at once, within every topic.

Differences are of shape (n_pairs, n_topics), values of shape (n_systems, n_topics); a topic may be
a sum over a cluster of queries.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

FloatArray = NDArray[np.float64]

# Signs that are in memory at the same time: 32 MB.
_SIGNS_AT_A_TIME = 4_000_000
# Sums of pairs at a time: 2 MB, which stay in the cache until they are read.
_CELLS_IN_CACHE = 250_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12


def all_swaps_fit(n_topics: int, n_resamples: int) -> bool:
    """Tell whether the ways to swap two systems by topics are at most as many as the resamples."""
    return n_topics < int(n_resamples).bit_length()  # 2**n_topics may be too large for a float


def randomization_test(
    differences: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    sizes: FloatArray | None = None,
) -> FloatArray:
    """Fisher's randomisation test: swap the two systems in each topic with probability 1/2.

    All swaps are tried if there are at most as many of them as resamples. Clusters are swapped as a
    whole; the sum that is tested does not need their sizes.
    """
    n_pairs, n_topics = differences.shape
    rounding = _ROUNDING * np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - rounding
    exact = all_swaps_fit(n_topics, n_resamples)
    n_resamples = 2**n_topics if exact else n_resamples
    beyond = np.zeros(n_pairs, dtype=np.int64)
    for first, size in _batches(n_resamples, _SIGNS_AT_A_TIME // n_topics):
        if exact:
            bits = np.arange(first, first + size)[:, None] >> np.arange(n_topics)
            signs = 1.0 - 2.0 * (bits & 1)
        else:
            signs = rng.choice([-1.0, 1.0], size=(size, n_topics))
        for start, n in _batches(n_pairs, _CELLS_IN_CACHE // size):
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
