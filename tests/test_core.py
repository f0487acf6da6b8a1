"""The kernels as Python calls them: numbers that no native test shows, and arrays they refuse."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from skgraded import Judgments, _core

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
def test_rank_is_lexsort(draw: str) -> None:
    sizes = [0, 1, 2, *range(3, 90), 250, 700, 0, 30_000]
    rng, indptr = np.random.default_rng(0), np.cumsum([0, *sizes])
    scores = np.concatenate([SCORE_DRAWS[draw](rng, n) for n in sizes])
    row = np.lexsort((np.arange(len(scores)), -scores, np.repeat(np.arange(len(sizes)), sizes)))
    tied = np.append(False, scores[row][1:] == scores[row][:-1])
    tied[indptr[:-1][np.diff(indptr) > 0]] = False
    found = _core.rank(scores, indptr, _core.schedule_queries(indptr), 1)
    np.testing.assert_array_equal(found[0], row - np.repeat(indptr[:-1], sizes))
    np.testing.assert_array_equal(found[1], tied)


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
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.rank(argument, np.array([0, 4]), np.array([0]), 1)


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


def test_counts_do_not_depend_on_whether_the_pool_was_made_before():
    labels, sizes = [2, 0, np.nan, 1, 0, 2], [4, 2]
    first, second = (Judgments.from_groups(labels, sizes) for _ in range(2))
    first.pool  # noqa: B018 - is kept
    np.testing.assert_array_equal(first.counts, [[1, 1, 1], [1, 0, 1]])
    np.testing.assert_array_equal(second.counts, first.counts)


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
