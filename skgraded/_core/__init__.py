"""Compiled kernels: arrays in, arrays out, no checks.

The definitions of the measures and all validation live in Python above this package.
"""

from skgraded._core._native import (
    discounted_gain,
    gather_levels,
    pair_moments,
    rank,
    schedule_queries,
    sort_within_ties,
)

__all__ = [
    "discounted_gain",
    "gather_levels",
    "pair_moments",
    "rank",
    "schedule_queries",
    "sort_within_ties",
]
