"""Compiled kernels: arrays in, arrays out, no checks.

The definitions of the measures and all validation live in Python above this package.

Kernels run without the GIL. Scores may be rewritten meanwhile by other threads: the result is then
that of some values which were there. All other arrays are indices or index something, are made by
the package, and must be left alone while a kernel reads them.
"""

from skgraded._core._native import (
    cascade,
    count_levels,
    cumulate,
    discounted_gain,
    find_duplicates,
    gather_levels,
    index_documents,
    lambdas,
    look_up_documents,
    order_documents,
    pair_moments,
    pair_part,
    preferences,
    rank,
    read_trec_lines,
    schedule_queries,
    sort_within_ties,
    take_documents,
)

__all__ = [
    "cascade",
    "count_levels",
    "cumulate",
    "discounted_gain",
    "find_duplicates",
    "gather_levels",
    "index_documents",
    "lambdas",
    "look_up_documents",
    "order_documents",
    "pair_moments",
    "pair_part",
    "preferences",
    "rank",
    "read_trec_lines",
    "schedule_queries",
    "sort_within_ties",
    "take_documents",
]
