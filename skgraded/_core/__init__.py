"""Compiled kernels: arrays in, arrays out, no checks.

The definitions of the measures and all validation live in Python above this package.

Kernels run without the GIL. Scores may be rewritten meanwhile by other threads: the result is then
that of some values which were there. All other arrays are indices or index something, are made by
the package, and must be left alone while a kernel reads them.
"""

import numpy as np

from skgraded._core._native import (
    LambdaOptions,
    Noise,
    NoiseKind,
    SwapPrices,
    TieOrder,
    blended_cascade,
    bootstrap_pairs,
    cascade,
    copy_scores,
    count_levels,
    count_marked,
    count_swaps,
    cumulate,
    discounted_gain,
    exact_means,
    expected_shares,
    find_duplicates,
    gather_levels,
    group_rows,
    index_documents,
    lambdas,
    list_best_first,
    longest_query,
    look_up_documents,
    meet_ranks,
    noisy_lambdas,
    number_bytes,
    number_text,
    number_words,
    order_documents,
    pair_moments,
    pair_part,
    place_rows,
    place_scores,
    preferences,
    prefix_values,
    put_in_places,
    rank,
    read_byte_grades,
    read_trec_lines,
    reciprocals,
    relative_values,
    same_bytes,
    schedule_queries,
    shuffled_ranges,
    sort_within_ties,
    sum_exactly,
    take_documents,
    walk,
)

__all__ = [
    "LambdaOptions",
    "Noise",
    "NoiseKind",
    "SwapPrices",
    "TieOrder",
    "blended_cascade",
    "bootstrap_pairs",
    "cascade",
    "copy_scores",
    "count_levels",
    "count_marked",
    "count_swaps",
    "cumulate",
    "discounted_gain",
    "exact_means",
    "expected_shares",
    "find_duplicates",
    "gather_levels",
    "group_rows",
    "index_documents",
    "lambdas",
    "last_rank",
    "list_best_first",
    "longest_query",
    "look_up_documents",
    "meet_ranks",
    "noisy_lambdas",
    "number_bytes",
    "number_text",
    "number_words",
    "order_documents",
    "pair_moments",
    "pair_part",
    "place_rows",
    "place_scores",
    "preferences",
    "prefix_values",
    "put_in_places",
    "rank",
    "read_byte_grades",
    "read_trec_lines",
    "reciprocals",
    "relative_values",
    "same_bytes",
    "schedule_queries",
    "shuffled_ranges",
    "sort_within_ties",
    "sum_exactly",
    "take_documents",
    "walk",
]


_LARGEST_RANK = int(np.iinfo(np.int64).max)


def last_rank(k: int | None) -> int:
    """Return the last rank that counts under a cut-off k; None is the whole list."""
    return _LARGEST_RANK if k is None else k
