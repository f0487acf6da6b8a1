"""Ranking kernels: arrays in, arrays out, no checks."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

# Grade levels are bytes where the scale has at most 256 of them.
_Level = TypeVar("_Level", np.uint8, np.int32)

def schedule_queries(indptr: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Query numbers in the order in which rank sorts fastest."""

def rank(
    scores: npt.NDArray[np.float64],
    indptr: npt.NDArray[np.int64],
    schedule: npt.NDArray[np.int64],
    n_threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Order by score, best first, and which ranks tie with the one before."""

def gather_levels(
    level: npt.NDArray[_Level],
    order: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    n_threads: int,
) -> npt.NDArray[_Level]:
    """Grade levels in rank order."""

def sort_within_ties(
    level_by_rank: npt.NDArray[_Level],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    descending: bool,
    n_threads: int,
) -> npt.NDArray[_Level]:
    """Levels by rank, sorted inside every tied block."""

def discounted_gain(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    discount: npt.NDArray[np.float64],
    ragged: bool,
    gain: npt.NDArray[np.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """Sum of discount times gain over the ranks up to the cutoff, by query."""

def pair_moments(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64],
    ragged: bool,
    n_levels: int,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """M[q, a, b]: weighted pairs of level a at or above level b, by query."""
