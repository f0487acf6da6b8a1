"""The compiled kernels against NumPy oracles and brute-force enumeration."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from skgraded import Judgments, _core

Array = npt.NDArray[Any]
Weights = npt.NDArray[np.float64]

LEVEL_DTYPES = (np.uint8, np.int32)
NO_CUTOFF = 2**62


def layout(sizes: list[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Borders of the queries and their numbers by size."""
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return indptr, np.argsort(sizes, kind="stable").astype(np.int64)


def rank(scores: npt.ArrayLike, sizes: list[int], n_threads: int = 1) -> tuple[Array, Array]:
    indptr, schedule = layout(sizes)
    return _core.rank(np.asarray(scores, dtype=np.float64), indptr, schedule, n_threads)


def rank_by_lexsort(scores: npt.ArrayLike, sizes: list[int]) -> tuple[Array, Array]:
    """Order by score descending, then row; a rank is tied where its score equals the one above."""
    scores = np.asarray(scores, dtype=np.float64)
    indptr, _ = layout(sizes)
    query = np.repeat(np.arange(len(sizes)), sizes)
    row = np.lexsort((np.arange(scores.size), -scores, query))
    tied = np.r_[False, scores[row][1:] == scores[row][:-1]][: scores.size]
    tied[indptr[:-1][np.diff(indptr) > 0]] = False
    return (row - np.repeat(indptr[:-1], sizes)).astype(np.int32), tied.astype(np.uint8)


def assert_ranked(scores: npt.ArrayLike, sizes: list[int]) -> None:
    expected_order, expected_tied = rank_by_lexsort(scores, sizes)
    order, tied = rank(scores, sizes)
    assert order.dtype == np.int32
    assert tied.dtype == np.uint8
    np.testing.assert_array_equal(order, expected_order)
    np.testing.assert_array_equal(tied, expected_tied)


def ragged_sizes(rng: np.random.Generator, n_queries: int, largest: int) -> list[int]:
    return rng.integers(1, largest + 1, n_queries).tolist()


def ranked_lists(
    rng: np.random.Generator, sizes: list[int], n_levels: int, dtype: type, share_tied: float = 0.4
) -> tuple[Any, npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Levels and tied flags drawn at random, and the queries' borders."""
    indptr, _ = layout(sizes)
    level = rng.integers(0, n_levels, indptr[-1]).astype(dtype)
    tied = (rng.random(indptr[-1]) < share_tied).astype(np.uint8)
    tied[indptr[:-1]] = 0
    return level, tied, indptr


SCORE_DRAWS: dict[str, Callable[[np.random.Generator, int], npt.NDArray[np.float64]]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "few_values": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "one_value": lambda rng, n: np.full(n, 0.25),
    "some_ties": lambda rng, n: np.round(rng.normal(size=n), 2),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32).astype(np.float64),
    "ascending": lambda rng, n: np.arange(n, dtype=float),
    "descending": lambda rng, n: -np.arange(n, dtype=float),
    "last_bits": lambda rng, n: (
        np.full(n, 1.0).view(np.int64) + rng.integers(0, max(n // 2, 1), n)
    ).view(np.float64),
    "last_bits_negative": lambda rng, n: (
        np.full(n, -1.0).view(np.int64) + rng.integers(0, max(n // 2, 1), n)
    ).view(np.float64),
    "subnormal": lambda rng, n: rng.integers(-3, 4, n) * 5e-324,
    "signed_zeros": lambda rng, n: rng.choice([0.0, -0.0, 5e-324, -5e-324], n),
    "magnitudes": lambda rng, n: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-307, 308, n),
    "extremes": lambda rng, n: rng.choice(
        [np.finfo(float).max, np.finfo(float).min, np.finfo(float).tiny, 0.0, -1.0, 1.0], n
    ),
}


@pytest.mark.parametrize("draw", SCORE_DRAWS)
@pytest.mark.parametrize("largest", [1, 3, 40, 250, 700])
def test_rank_is_lexsort(draw: str, largest: int) -> None:
    rng = np.random.default_rng(largest)
    sizes = ragged_sizes(rng, 60, largest)
    scores = np.concatenate([SCORE_DRAWS[draw](rng, n) for n in sizes])
    assert_ranked(scores, sizes)


@pytest.mark.parametrize("draw", SCORE_DRAWS)
def test_rank_of_one_large_query_is_lexsort(draw: str) -> None:
    scores = SCORE_DRAWS[draw](np.random.default_rng(0), 30_000)
    assert_ranked(scores, [scores.size])


def test_rank_at_every_size() -> None:
    sizes = list(range(1, 600))
    rng = np.random.default_rng(0)
    assert_ranked(np.round(rng.normal(size=sum(sizes)), 1), sizes)


@pytest.mark.parametrize("values", [np.arange(1_000_000.0), np.full(1_000_000, 3.0)])
def test_rank_of_a_million_documents(values: npt.NDArray[np.float64]) -> None:
    scores = values[np.random.default_rng(0).permutation(values.size)]
    assert_ranked(scores, [values.size])


def test_rank_of_a_million_documents_among_small_queries() -> None:
    sizes = [3, 1_000_000, 1, 200, 8]
    assert_ranked(np.random.default_rng(0).normal(size=sum(sizes)).round(4), sizes)


def test_rank_sees_the_last_bit_of_the_score() -> None:
    chain = [1.0]
    for _ in range(199):
        chain.append(np.nextafter(chain[-1], 2.0))
    order, tied = rank(chain, [200])
    np.testing.assert_array_equal(order, np.arange(199, -1, -1))
    assert not tied.any()


def test_rank_takes_signed_zeros_as_equal() -> None:
    order, tied = rank([-0.0, 0.0, -0.0, 0.0, 5e-324, -5e-324], [6])
    np.testing.assert_array_equal(order, [4, 0, 1, 2, 3, 5])
    np.testing.assert_array_equal(tied, [0, 0, 1, 1, 1, 0])


def test_rank_passes_over_queries_without_documents() -> None:
    assert_ranked([2.0, 1.0, 3.0], [0, 2, 0, 1, 0])


def test_rank_of_no_query() -> None:
    order, tied = rank([], [])
    assert order.shape == tied.shape == (0,)


@pytest.mark.parametrize("seed", range(3))
def test_rank_does_not_depend_on_the_schedule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = ragged_sizes(rng, 50, 120)
    scores = rng.normal(size=sum(sizes)).round(1)
    indptr, schedule = layout(sizes)
    for other in (schedule[::-1].copy(), rng.permutation(schedule)):
        order, tied = _core.rank(scores, indptr, other, 1)
        np.testing.assert_array_equal(order, rank(scores, sizes)[0])
        np.testing.assert_array_equal(tied, rank(scores, sizes)[1])


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
def test_gather_levels_takes_levels_in_rank_order(dtype: type) -> None:
    rng = np.random.default_rng(0)
    sizes = ragged_sizes(rng, 40, 60)
    level, _, indptr = ranked_lists(rng, sizes, 5, dtype)
    order, _ = rank(rng.normal(size=level.size), sizes)
    by_rank = _core.gather_levels(level, order, indptr, 1)
    assert by_rank.dtype == dtype
    np.testing.assert_array_equal(by_rank, level[order + np.repeat(indptr[:-1], sizes)])


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_within_ties_sorts_each_block_alone(dtype: type, descending: bool) -> None:
    rng = np.random.default_rng(1)
    sizes = ragged_sizes(rng, 40, 60)
    level, tied, indptr = ranked_lists(rng, sizes, 5, dtype, share_tied=0.7)
    by_rank = _core.sort_within_ties(level, tied, indptr, descending, 1)
    block = np.cumsum(tied == 0)
    key = -level.astype(int) if descending else level.astype(int)
    assert by_rank.dtype == dtype
    np.testing.assert_array_equal(by_rank, level[np.lexsort((key, block))])


def orders_of_ties(level: list[int], tied: list[int]) -> list[list[int]]:
    """Every order of the documents that the ties leave open."""
    starts = [i for i, flag in enumerate(tied) if not flag] + [len(level)]
    blocks = [level[a:b] for a, b in pairwise(starts)]
    return [
        [level for block in order for level in block]
        for order in product(*(permutations(block) for block in blocks))
    ]


def literal_gain(level: list[int], discount: Weights, gain: Weights, cutoff: int) -> float:
    ranks = range(min(cutoff, len(level)))
    return float(sum(discount[n] * gain[level[n]] for n in ranks))


def literal_moments(level: list[int], weight: Weights, n_levels: int, cutoff: int) -> Weights:
    moments = np.zeros((n_levels, n_levels))
    for n in range(min(cutoff, len(level))):
        for m in range(n + 1):
            moments[level[m], level[n]] += weight[n]
    return moments


SMALL_LISTS = [
    ([0], [0]),
    ([1, 0], [0, 1]),
    ([2, 1, 0, 2], [0, 1, 1, 1]),
    ([0, 2, 2, 1, 1], [0, 0, 1, 1, 0]),
    ([1, 1, 2, 0, 0, 2], [0, 1, 1, 1, 1, 1]),
    ([3, 0, 1, 1, 3, 0, 2], [0, 0, 1, 0, 1, 1, 1]),
]
CUTOFFS = (1, 2, 3, 5, NO_CUTOFF)
GAIN = np.array([0.5, 1.0, 3.0, 7.0])
DISCOUNT = 1 / np.log2(np.arange(2, 302))
POSITION = 1 / np.arange(1.0, 301.0)


@pytest.mark.parametrize(("level", "tied"), SMALL_LISTS)
@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
def test_expected_gain_is_the_mean_over_all_orders(
    level: list[int], tied: list[int], cutoff: int, dtype: type
) -> None:
    ranked = (np.array(level, dtype), np.array(tied, np.uint8), np.array([0, len(level)]))
    value = _core.discounted_gain(*ranked, DISCOUNT, False, GAIN, cutoff, True, 1)
    values = [literal_gain(order, DISCOUNT, GAIN, cutoff) for order in orders_of_ties(level, tied)]
    np.testing.assert_allclose(value, [np.mean(values)], rtol=1e-13)


@pytest.mark.parametrize(("level", "tied"), SMALL_LISTS)
@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
@pytest.mark.parametrize("n_levels", [4, 8, 12])
def test_expected_moments_are_the_mean_over_all_orders(
    level: list[int], tied: list[int], cutoff: int, dtype: type, n_levels: int
) -> None:
    ranked = (np.array(level, dtype), np.array(tied, np.uint8), np.array([0, len(level)]))
    moments = _core.pair_moments(*ranked, POSITION, False, n_levels, cutoff, True, 1)
    orders = orders_of_ties(level, tied)
    mean = np.mean([literal_moments(order, POSITION, n_levels, cutoff) for order in orders], axis=0)
    assert moments.shape == (1, n_levels, n_levels)
    np.testing.assert_allclose(moments[0], mean, rtol=1e-13)


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("n_levels", [1, 2, 5, 8, 9])
def test_sums_in_order_are_the_literal_loops(
    dtype: type, cutoff: int, ragged: bool, n_levels: int
) -> None:
    rng = np.random.default_rng(n_levels)
    sizes = ragged_sizes(rng, 30, 20)
    level, tied, indptr = ranked_lists(rng, sizes, n_levels, dtype)
    weight, gain = rng.random(level.size if ragged else max(sizes)), rng.random(n_levels)
    value = _core.discounted_gain(level, tied, indptr, weight, ragged, gain, cutoff, False, 1)
    moments = _core.pair_moments(level, tied, indptr, weight, ragged, n_levels, cutoff, False, 1)
    for q, (a, b) in enumerate(pairwise(indptr)):
        of_query = level[a:b].tolist()
        weight_of_query = weight[a:b] if ragged else weight
        np.testing.assert_allclose(
            value[q], literal_gain(of_query, weight_of_query, gain, cutoff), rtol=1e-13
        )
        np.testing.assert_allclose(
            moments[q], literal_moments(of_query, weight_of_query, n_levels, cutoff), rtol=1e-13
        )


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
def test_weights_need_reach_no_further_than_the_cutoff(dtype: type) -> None:
    ranked = (np.array([1, 0, 2, 1], dtype), np.zeros(4, np.uint8), np.array([0, 4]))
    value = _core.discounted_gain(*ranked, np.array([1.0, 0.5]), False, GAIN, 2, True, 1)
    np.testing.assert_array_equal(value, [GAIN[1] + 0.5 * GAIN[0]])
    moments = _core.pair_moments(*ranked, np.array([1.0, 0.5]), False, 3, 2, True, 1)
    np.testing.assert_array_equal(moments, [[[0.5, 0, 0], [0.5, 1, 0], [0, 0, 0]]])


def all_outputs(n_threads: int, dtype: type, expected: bool) -> list[Array]:
    """What every kernel returns for ragged queries with ties, many enough for several threads."""
    rng = np.random.default_rng(0)
    sizes = [*ragged_sizes(rng, 1200, 250), 20_000, 1, 1]
    scores = rng.normal(size=sum(sizes)).round(2)
    level, _, indptr = ranked_lists(rng, sizes, 5, dtype)
    order, tied = rank(scores, sizes, n_threads)
    by_rank = _core.gather_levels(level, order, indptr, n_threads)
    ranked = (by_rank, tied, indptr)
    ragged = rng.random(scores.size)
    return [
        order,
        tied,
        by_rank,
        _core.sort_within_ties(*ranked, False, n_threads),
        _core.sort_within_ties(*ranked, True, n_threads),
        _core.discounted_gain(*ranked, ragged, True, rng.random(5), 10, expected, n_threads),
        _core.pair_moments(*ranked, ragged, True, 5, NO_CUTOFF, expected, n_threads),
        _core.pair_moments(*ranked, ragged, True, 10, 100, expected, n_threads),
    ]


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("n_threads", [2, 3, 7, 1000])
def test_number_of_threads_does_not_change_a_bit(
    dtype: type, expected: bool, n_threads: int
) -> None:
    alone = all_outputs(1, dtype, expected)
    for output, reference in zip(all_outputs(n_threads, dtype, expected), alone, strict=True):
        assert output.tobytes() == reference.tobytes()


@pytest.mark.parametrize("expected", [False, True])
def test_level_dtype_does_not_change_a_bit(expected: bool) -> None:
    of_bytes, of_ints = (all_outputs(1, dtype, expected) for dtype in LEVEL_DTYPES)
    for output, reference in zip(of_bytes, of_ints, strict=True):
        np.testing.assert_array_equal(output, reference)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory the Linux way")
def test_rank_does_without_threads_where_none_can_start() -> None:
    script = """
import resource
import threading
import numpy as np
from skgraded import _core

scores = np.random.default_rng(0).normal(size=60_000)
indptr = np.arange(0, 60_001, 100)
schedule = _core.schedule_queries(indptr)
alone = _core.rank(scores, indptr, schedule, 1)
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (in_use + 4 * 2**20,) * 2)  # a thread's stack takes 8
try:
    threading.Thread(target=int).start()
except RuntimeError:
    pass
else:
    raise SystemExit(77)
order, tied = _core.rank(scores, indptr, schedule, 3)
assert (order == alone[0]).all() and (tied == alone[1]).all()
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if run.returncode == 77:
        pytest.skip("threads of this C library start in less memory")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    "argument",
    [
        np.zeros(4, np.float32),  # another dtype
        np.zeros(8)[::2],  # not contiguous
        np.zeros((2, 2)),  # not one-dimensional
        [0.0, 1.0, 2.0, 3.0],  # not an array
    ],
)
def test_arrays_are_taken_as_they_are_or_not_at_all(argument: Any) -> None:
    indptr, schedule = layout([4])
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.rank(argument, indptr, schedule, 1)


def test_read_only_arrays_are_taken() -> None:
    scores = np.array([1.0, 2.0])
    scores.setflags(write=False)
    np.testing.assert_array_equal(rank(scores, [2])[0], [1, 0])


@pytest.mark.parametrize("n_queries", [0, 1, 7, 1000])
def test_schedule_names_every_query_once(n_queries: int) -> None:
    indptr, _ = layout(ragged_sizes(np.random.default_rng(0), n_queries, 250))
    schedule = _core.schedule_queries(indptr)
    assert schedule.dtype == np.int64
    np.testing.assert_array_equal(np.sort(schedule), np.arange(n_queries))


def test_schedule_puts_queries_of_like_size_side_by_side() -> None:
    indptr, by_size = layout([5, 1, 9, 3, 7])
    np.testing.assert_array_equal(_core.schedule_queries(indptr), by_size)


# --- scores, values and means --------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 1024, 5000])
def test_copied_scores_are_checked(size):
    scores = np.random.default_rng(size).normal(size=size)
    scores[0] = -np.finfo(float).max
    copy, bad = _core.copy_scores(scores)
    assert bad == -1
    assert not np.shares_memory(copy, scores)
    np.testing.assert_array_equal(copy, scores)
    for value in (np.nan, -np.nan, np.inf, -np.inf):
        for places in ([size - 1], [size // 2, size - 1]):
            spoiled = scores.copy()
            spoiled[places] = value
            assert _core.copy_scores(spoiled)[1] == places[0]


def test_same_bytes_tells_types_lengths_and_values_apart():
    values = np.array([0.0, 1.0, np.nan])
    assert _core.same_bytes(values, values.copy())
    assert not _core.same_bytes(values, values[:2].copy())
    assert not _core.same_bytes(values, values.view(np.int64))
    assert not _core.same_bytes(values, np.array([0.0, 2.0, np.nan]))


def test_relative_values_are_1_where_rounding_alone_exceeds_the_best():
    values, best = (
        np.array([1.0, 3.0, 0.3, 1.1, 2.0]),
        np.array([0.0, 4.0, np.nextafter(0.3, 0), 1.0, -1.0]),
    )
    np.testing.assert_array_equal(_core.relative_values(values, best), [0, 0.75, 1, 1.1, 0])


@pytest.mark.parametrize("n_queries", [1, 3, 4, 9])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_prefix_values_are_the_formula(n_queries, n_columns):
    rng = np.random.default_rng(n_queries + n_columns)
    base, column = rng.normal(size=(3, 3)), rng.integers(0, n_columns, (3, 3)).astype(np.int32)
    factor, moments = rng.normal(size=(n_queries, n_columns)), rng.normal(size=(n_queries, 3, 3))
    matrix = base.ravel(), factor.ravel(), column.ravel()
    pairs = (base * factor[:, column] * moments).sum(axis=(1, 2))
    found = _core.pair_part(*matrix, moments.ravel(), n_queries)
    np.testing.assert_allclose(found, pairs, rtol=1e-12)

    constant, scale, gain, best = rng.normal(size=(4, n_queries))
    relevant = (rng.random(n_queries) < 0.7).astype(np.uint8)
    values = _core.prefix_values(
        constant, scale, gain, *matrix, moments.ravel(), best, relevant, 0.25
    )
    raw = constant + scale * gain + found
    expected = np.where(relevant > 0, np.where(best > 0, raw / best, 0.0), 0.25)
    np.testing.assert_array_equal(values, expected)

    nothing, none = np.zeros(0), (np.zeros(0), np.zeros(0), np.zeros(0, np.int32))
    shared = np.full(1, 0.5), np.full(1, 2.0)
    values = _core.prefix_values(*shared, gain, *none, nothing, nothing, relevant, np.nan)
    np.testing.assert_array_equal(values, np.where(relevant > 0, 0.5 + 2.0 * gain, np.nan))


# --- labels --------------------------------------------------------------------------------------

ODD_LABELS = [
    *(-1, -0.5, -0.0, 0, 0.5, 1, 252.99, 253, 253.5, 254, 255, 256, 257, 1e300, 1e-320, -1e-320),
    *(np.inf, -np.inf, np.nan, -np.nan, 2.0**23, 2.0**31, 2.0**52, 2.0**53 + 2, 2.0**63),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("label", ODD_LABELS)
def test_labels_are_read_as_bytes_or_refused(dtype, label):
    with np.errstate(all="ignore"):
        labels = np.array([1, label, 2], dtype)
    grades, levels, any_unjudged, all_are = _core.read_byte_grades(labels)
    value = labels[1]
    is_grade = 0 <= value <= 253 and value == np.floor(value) and not np.signbit(value)
    assert all_are == (is_grade or np.isnan(value))
    if all_are:
        judged = labels[~np.isnan(labels)]
        np.testing.assert_array_equal(grades, np.unique([0, *judged]))
        np.testing.assert_array_equal(np.append(grades, np.nan)[levels], labels)
        assert any_unjudged == np.isnan(value)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("label", [-1, 0, 253, 254, 255, 256, 2**31 - 1, -(2**31)])
def test_integer_labels_are_read_as_bytes_or_refused(dtype, label):
    if np.iinfo(dtype).min <= label <= np.iinfo(dtype).max:
        grades, levels, _, all_are = _core.read_byte_grades(np.array([1, label], dtype))
        assert all_are == (0 <= label <= 253)
        assert not all_are or grades[levels].tolist() == [1, label]


@pytest.mark.parametrize("most", [0, 3, 30])
@pytest.mark.parametrize("n_levels", [1, 5])
def test_pools_stand_best_first(n_levels, most):
    counts = np.random.default_rng(n_levels).integers(0, most + 1, (50, n_levels))
    found, tied, indptr = _core.list_best_first(counts.ravel(), n_levels)
    falling = np.arange(n_levels)[::-1]
    expected = np.concatenate([np.repeat(falling, row[::-1]) for row in counts])
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(tied, np.zeros(len(expected)))
    np.testing.assert_array_equal(indptr, np.concatenate([[0], np.cumsum(counts.sum(axis=1))]))


def test_documents_of_marked_levels_are_counted():
    counts = np.random.default_rng(0).integers(0, 9, (40, 6))
    marked = np.array([0, 1, 0, 0, 1, 1], bool)
    found = _core.count_marked(counts.ravel(), marked.view(np.uint8))
    np.testing.assert_array_equal(found, counts[:, marked].sum(axis=1))


@pytest.mark.parametrize(("indptr", "longest"), [([0], 0), ([0, 0], 0), ([0, 3, 10, 12], 7)])
def test_the_longest_query_is_found(indptr, longest):
    assert _core.longest_query(np.array(indptr)) == longest


def test_reciprocals_are_0_where_nothing_is_above_0():
    values = np.array([3.0, 0.0, -0.0, -2.0, np.nan, np.inf, 1e-310])
    with np.errstate(over="ignore"):
        expected = np.divide(1.0, values, out=np.zeros(7), where=values > 0)
    assert _core.reciprocals(values).tobytes() == expected.tobytes()


@pytest.mark.parametrize("grades", [[0], [0, 1, 2, 3, 4], [0, 2, 5], [0, 7]])
def test_shares_of_the_recall_base_are_summed_over_thresholds(grades):
    rng = np.random.default_rng(len(grades))
    counts = rng.integers(0, 3, (60, len(grades)))
    g, factor = rng.random(grades[-1]), rng.random(len(grades))
    level = np.searchsorted(grades, np.arange(1, grades[-1] + 1))
    found = _core.expected_shares(counts.ravel(), g, level.astype(np.int32), factor)
    for count, shares in zip(counts, found, strict=True):
        bases = [int(count[i:].sum()) for i in level]
        terms = [p * (1 / base if base else 0.0) for p, base in zip(g.tolist(), bases, strict=True)]
        sums = [0.0, *accumulate(terms)]
        expected = [sums[grade] * f for grade, f in zip(grades, factor.tolist(), strict=True)]
        assert shares.tolist() == expected


def test_counts_do_not_depend_on_whether_the_pool_was_made_before():
    labels, sizes = [2, 0, np.nan, 1, 0, 2], [4, 2]
    first, second = (Judgments.from_groups(labels, sizes) for _ in range(2))
    first.pool  # noqa: B018 - is kept
    np.testing.assert_array_equal(first.counts, [[1, 1, 1], [1, 0, 1]])
    np.testing.assert_array_equal(second.counts, first.counts)


@pytest.mark.parametrize("dtype", LEVEL_DTYPES)
def test_meet_ranks_and_walk_follow_a_literal_reader(dtype: type) -> None:
    rng = np.random.default_rng(21)
    sizes = ragged_sizes(rng, 20, 12)
    levels, _, indptr = ranked_lists(rng, sizes, 4, dtype)
    read = np.minimum(sizes, rng.integers(0, 15, len(sizes)))
    borders = np.concatenate([[0], np.cumsum(read)]).astype(np.int64)
    gain_of = rng.random(4)
    n, gain, found = _core.meet_ranks(levels, indptr[:-1], borders, gain_of)
    go_on = rng.random(len(n)) * (rng.random(len(n)) < 0.9)
    in_all, viewed, left = _core.walk(gain, go_on, borders)
    for q, size in enumerate(read):
        met = [gain_of[level] for level in levels[indptr[q] : indptr[q] + size]]
        part = slice(borders[q], borders[q + 1])
        reach = list(accumulate([1.0, *go_on[part]], lambda a, b: a * b))
        np.testing.assert_array_equal(n[part], range(1, size + 1))
        np.testing.assert_array_equal(gain[part], met)
        np.testing.assert_array_equal(found[part], list(accumulate(met)))
        assert left[q] == reach[-1]
        np.testing.assert_allclose(viewed[q], sum(reach[:-1]), rtol=1e-14)
        total = sum(v * x for v, x in zip(reach, met, strict=False))
        np.testing.assert_allclose(in_all[q], total, rtol=1e-14)


@pytest.mark.parametrize("top", [1.0, 4.0, 1e300])
@pytest.mark.parametrize("n", [1, 2, 17, 5_000])
def test_distinct_grades_are_those_of_numpy(n: int, top: float) -> None:
    rng = np.random.default_rng(n)
    for labels in (
        rng.random(n) * top,
        np.round(rng.random(n), 1) * top,
        rng.random(n) ** 40 * top,  # of very different sizes
        np.where(rng.random(n) < 0.5, -0.0, rng.random(n)) * top,
        np.zeros(n),
        np.full(n, top),
    ):
        grades, levels = _core.distinct_grades(labels)
        np.testing.assert_array_equal(grades, np.unique(np.append(0.0, labels)))
        np.testing.assert_array_equal(grades[levels], labels)
        assert not np.signbit(grades[0])


def test_own_expected_shares_count_the_recall_base_of_every_level() -> None:
    rng = np.random.default_rng(0)
    G, shares, divided = [0.0], [0.0], [0.0]
    pool: list[int] = []
    borders, indptr = [1], [0]
    for n_levels in (0, 1, 3, 12):
        own = range(len(G), len(G) + n_levels)
        G += sorted(rng.random(n_levels))
        judged = [int(each) for each in rng.choice([0, *own], 8)]  # some levels have nobody
        pool += sorted(judged, reverse=True)
        share = 0.0
        for level in own:
            base = sum(each >= level for each in judged)
            before = 0.0 if level == own[0] else G[level - 1]
            share += (G[level] - before) / base if base else 0.0
            shares.append(share)
            divided.append(share / G[level])
        borders.append(len(G))
        indptr.append(len(pool))
    arrays = np.array(pool, np.int32), np.array(indptr), np.array(borders)
    for is_over, expected in ((False, shares), (True, divided)):
        found = _core.own_expected_shares(np.array(G), *arrays, is_over)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("top", [0, 1, 4, 40])
def test_numbers_between_grades_are_those_of_numpy(top: int) -> None:
    rng = np.random.default_rng(top)
    grades = rng.integers(0, 8 * top + 9, 500) / 8  # without rounding, and beyond the last one
    by_grade = rng.integers(-99, 99, top + 1).astype(float)
    found = _core.at_grades(grades, by_grade)
    np.testing.assert_array_equal(found, np.interp(grades, np.arange(top + 1), by_grade))


# --- arrays that do not fit each other -----------------------------------------------------------

# By kernel, its arrays: their lengths, or what they hold. Three queries have 2, 1 and 1 documents.
BORDERS = [0, 2, 3, 4]
ENDS, ONE = np.array(BORDERS), np.zeros(1)
BY_RANK = {"level_by_rank": 4, "tied": 4, "indptr": BORDERS}
MATRIX = {"base": 4, "factor": 3, "column": 4, "moments": 12}
KEY = {"key": (1, 2)}
FACTORS = {**dict.fromkeys("fhuw", 1), "pair_factor": 3, "position": 2}
PAIRS = {"pair_base": ONE, "pair_columns": 3, "pair_column": 1, "pair_factor": 3, "position": 2}
PRICES = {"gain": ONE, "discount": 2, "gain_factor": 3}
LAMBDAS = {
    **{"level": 4, "scores": 4, "indptr": BORDERS, "prices": PRICES | FACTORS},
    "options": _core.LambdaOptions(
        truncation=9, ties=_core.TieOrder.expected, norm=True, sigmoid=1
    ),
}
NOISE = _core.Noise(kind=_core.NoiseKind.gumbel, scale=0.5, n_draws=1, seed=0)
KERNELS: dict[str, dict[str, Any]] = {
    "schedule_queries": {"indptr": BORDERS},
    "longest_query": {"indptr": BORDERS},
    "rank": {"scores": 4, "indptr": BORDERS, "schedule": 3},
    "cumulate": {"values": 4, "indptr": BORDERS},
    "walk": {"gain": 4, "go_on": 4, "indptr": BORDERS},
    "pair_part": MATRIX | {"n_queries": 3},
    "pair_sums": BY_RANK | {"weight": 2, "borders": [1, 1, 1, 2], **dict.fromkeys("fuw", 2)},
    "prefix_values": MATRIX
    | {**dict.fromkeys(["constant", "scale", "gain", "best"], 3), "relevant": np.zeros(3)},
    "relative_values": {"values": 3, "best": 3},
    "sum_exactly": {"values": np.zeros(3), "weights": 3},
    "exact_means": {"columns": [[np.zeros(2), np.zeros(1)]], "weights": 3},
    "place_scores": {"scores": 4, "places": 4},
    "list_best_first": {"counts": 3, "n_levels": 3},
    "count_marked": {"counts": 3, "marked": np.zeros(3)},
    "expected_shares": {"counts": 3, "g": 2, "level": 2, "factor": np.zeros(3)},
    "own_expected_shares": {"G": 2, "pool": 4, "pool_indptr": BORDERS, "borders": [1, 1, 1, 2]},
    "first_fall": {"f": 4, "borders": BORDERS},
    "own_levels": {"grades": 4, "order": 4, "indptr": BORDERS},
    "own_levels_with_pools": {"grades": 4, "order": 4, "indptr": BORDERS}
    | {"pool_grades": 4, "pool_indptr": BORDERS},
    "go_by_own_levels": {"grades": 4, "indptr": BORDERS},
    "at_grades": {"grades": np.zeros(4), "by_whole_grade": 1},
    "gather_levels": {"level": 4, "order": 4, "indptr": BORDERS},
    "count_levels": {"level": 4, "indptr": BORDERS},
    "count_marked_documents": {"level": 4, "indptr": BORDERS, "marked": ONE},
    "sort_within_ties": BY_RANK,
    "discounted_gain": BY_RANK | {"discount": 2, "gain": ONE},
    "pair_moments": BY_RANK | {"weight": 4, "ragged": True},
    "cascade": BY_RANK | {"weight": 2, "stop": ONE},
    "blended_cascade": BY_RANK | {"weight": 4, "stop": 1, "worth": 1},
    "meet_ranks": {"level_by_rank": np.zeros(4), "first": 3, "read": BORDERS, "gain": ONE},
    "preferences": BY_RANK | {"relevant": ONE, "most": 3, "divisor": 3},
    "discounted_preferences": BY_RANK | {"relevant": ONE, "worth": 2},
    "inferred_precisions": {"code_by_rank": 4, "tied": 4, "indptr": BORDERS, "relevant": ONE},
    "overlaps": {"level_by_rank": 4, "indptr": BORDERS}
    | {"pool_by_rank": 4, "pool_indptr": BORDERS, "depth": 3},
    "lambdas": LAMBDAS | {"order": 4, "tied": 4, "n_levels": 1},
    "noisy_lambdas": LAMBDAS
    | {"schedule": 3, "grades": ONE, "noise": NOISE}
    | {"prices": PRICES | PAIRS},
    "number_bytes": {"ids": 4},
    "number_text": {"offsets": BORDERS, "text": 4},
    "put_in_places": {"values": 4, "places": 4},
    "shuffled_ranges": {"values": 4},
    "find_duplicates": KEY | {"document_end": BORDERS, "document": 4, "indptr": BORDERS},
    "index_documents": KEY | {"document_end": BORDERS, "document": 4, "indptr": BORDERS},
    "look_up_documents": KEY
    | {"document_end": ENDS, "document": 4, "start": 3, "indptr": BORDERS}
    | {"known_end": ENDS, "known": 4, "slots": 27, "slot_indptr": [0, 9, 18, 27]},
    "order_documents": {"document_end": BORDERS, "document": 4}
    | {"scores": 4, "start": 3, "indptr": BORDERS},
    "take_documents": {"document_end": ENDS, "document": 4, "rows": np.zeros(4)},
}
NUMBERS = {"int": 1, "float": 1.0, "bool": False, "cutoff": 9, "width": 2, "n_systems": 2}


def signature(kernel: Any) -> list[tuple[str, str, str]]:
    """The name of every argument with the type of its entries, or its own."""
    text = kernel.__doc__.split("\n")[0].split(" ->")[0]
    return re.findall(r"(\w+): (?:numpy\.ndarray\[dtype=(\w+)\]|(\w+))", text)


def arguments(kernel: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Make arrays of a table's lengths; those that it does not name are empty."""
    made: dict[str, Any] = {}
    for name, dtype, kind in signature(kernel):
        each = given.get(name, 0) if dtype else given.get(name)
        if isinstance(each, dict):
            made[name] = [_core.SwapPrices(**arguments(_core.SwapPrices.__init__, each))]
        elif dtype:
            made[name] = np.zeros(each, dtype) if isinstance(each, int) else np.array(each, dtype)
        else:
            made[name] = NUMBERS.get(name, NUMBERS.get(kind)) if each is None else each
    return made


def unfit(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same where one array is too short, or the borders begin below 0 or lack an entry."""
    for name, each in given.items():
        others: list[Any] = []
        if isinstance(each, dict):
            others = list(unfit(each))
        elif type(each) is int:
            others = [each - 1]
        elif type(each) is list and type(each[0]) is int:
            others = [[-1, *each[1:]], []]
        yield from (given | {name: other} for other in others)


@pytest.mark.parametrize("name", KERNELS)
def test_arrays_that_do_not_fit_each_other_are_refused(name: str) -> None:
    kernel = getattr(_core, name)
    kernel(**arguments(kernel, KERNELS[name]))
    for given in unfit(KERNELS[name]):
        with pytest.raises(ValueError, match=f"^{name} got arrays that do not fit each other"):
            kernel(**arguments(kernel, given))


def test_every_kernel_of_several_arrays_is_among_them() -> None:
    kernels = {name: each for name, each in vars(_core).items() if "ndarray[" in str(each.__doc__)}
    several = {
        name
        for name, each in kernels.items()
        if sum(bool(kind) for _, kind, _ in signature(each)) > 1
    }
    assert several <= set(KERNELS)
    assert {"rank", "pair_sums"} <= several
