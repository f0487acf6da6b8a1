"""The kernels as Python calls them: numbers that no native test shows, and arrays they refuse."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from skgraded import Judgments, _core


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits memory the Linux way"
)
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


LOAD_FILE = """
import importlib.util

spec = importlib.util.spec_from_file_location("_native", {file!r})
try:
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
except ImportError as error:
    print(error, flush=True)
"""
SECOND_IMPORTS = {
    "after the modules were deleted": """
for name in [name for name in sys.modules if name.split(".")[0] == "skgraded"]:
    del sys.modules[name]
try:
    import skgraded._core
except ImportError as error:
    print(error)
""",
    "of the file": "exec(LOAD_FILE.format(file=_core._native.__file__))",
    "in another interpreter": """
try:
    import _interpreters as interpreters
    shares_its_gil = {"config": "legacy"}
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
        shares_its_gil = {"isolated": False}
    except ImportError:
        raise SystemExit(77)
other = interpreters.create(**shares_its_gil)
interpreters.run_string(other, LOAD_FILE.format(file=_core._native.__file__))
interpreters.destroy(other)
""",
}


@pytest.mark.parametrize("second_import", SECOND_IMPORTS.values(), ids=SECOND_IMPORTS)
def test_a_second_import_in_one_process_is_refused_and_spares_the_first(
    second_import: str,
) -> None:
    use = "assert AP()([1, 0], [0.1, 0.2]) == 0.5"
    lines = [
        "import sys",
        "from skgraded import AP, _core",
        f"LOAD_FILE = {LOAD_FILE!r}",
    ]
    script = "\n".join([*lines, use, second_import, use])
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if run.returncode == 77:
        pytest.skip("this Python offers no interpreters inside of it")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("skgraded's kernels are loaded already")


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


# --- ranks and query ids -------------------------------------------------------------------------


def signs(rng: np.random.Generator, n: int) -> Any:
    return rng.choice([-1.0, 1.0], n)


SCORES: dict[str, Any] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "few values": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "one value": lambda rng, n: np.full(n, 0.5),
    "zeros": lambda rng, n: signs(rng, n) * 0.0,
    "last bits": lambda rng, n: (
        signs(rng, n) * (1 + rng.integers(0, 2**14, n) * 2.0**-52)
    ),
    "subnormal": lambda rng, n: rng.integers(-3, 4, n) * 5e-324,
    "magnitudes": lambda rng, n: signs(rng, n) * 2.0 ** rng.integers(-1000, 1000, n),
    "extremes": lambda rng, n: (
        signs(rng, n) * rng.choice([np.finfo(float).max, 2.0**-1022], n)
    ),
}


@pytest.mark.parametrize("kind", SCORES)
def test_rank_is_a_stable_sort(kind: str) -> None:
    rng = np.random.default_rng(4)
    mixed = [*rng.integers(1, 251, 900), 30_000, 0, 1, 255, 256, 257, 5000]
    for sizes in (
        [],
        [0],
        [2],
        [0, 3, 0],
        [1] * 9,
        [255],
        [256],
        [3000],
        [4, 60_000, 2],
        mixed,
    ):
        indptr, qid = np.cumsum([0, *sizes]), np.repeat(np.arange(len(sizes)), sizes)
        scores = SCORES[kind](rng, indptr[-1])
        rows = np.lexsort((-scores, qid))
        same = [each[rows[1:]] == each[rows[:-1]] for each in (scores, qid)]
        schedule = _core.schedule_queries(indptr)
        for n_threads, each in (
            (1, schedule),
            (1000, schedule),
            (3, schedule[::-1].copy()),
        ):
            order, tied = _core.rank(scores, indptr, each, n_threads)
            np.testing.assert_array_equal(order, rows - indptr[qid])
            np.testing.assert_array_equal(tied[1:], same[0] & same[1])
            assert not tied[:1].any()


@pytest.mark.parametrize("n_ids", [1, 2, 10, 5_000, 1_000_000])
def test_ids_are_numbered_by_first_appearance(n_ids: int) -> None:
    ids = np.random.default_rng(n_ids).integers(0, n_ids, 20_000) - n_ids // 2
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    expected = np.argsort(np.argsort(first))[which]
    text = [b"q" * (each & 15) + b"%d" % each if each else b"" for each in ids.tolist()]
    borders, letters = (
        np.cumsum([0, *map(len, text)]),
        np.frombuffer(b"".join(text), np.uint8),
    )
    rows = np.argsort(expected, kind="stable")
    for number, starts, extents, places in (
        _core.number_words(ids, 7, len(ids)),
        _core.number_words(ids.astype(np.int32), 7, len(ids)),
        _core.number_bytes(ids.view(np.uint8), 8, 7),
        _core.number_text(borders, letters, 7),
    ):
        np.testing.assert_array_equal(number, expected)
        np.testing.assert_array_equal(starts, [*np.sort(first), len(ids)])
        np.testing.assert_array_equal(extents, np.cumsum([0, *np.bincount(expected)]))
        assert (places is None) == (n_ids == 1)
        if places is not None:
            np.testing.assert_array_equal(places, np.argsort(rows))
            np.testing.assert_array_equal(
                _core.place_rows(number, len(first))[1], places
            )
            np.testing.assert_array_equal(
                _core.put_in_places(number, places), np.sort(number)
            )
    assert len(_core.number_words(ids << 40, 7, len(first) // 2)[1]) > len(first) // 2


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 16, 17, 33])
def test_ids_of_bytes_may_differ_in_the_last_one(width: int) -> None:
    ids = b"".join(b"x" * (width - 1) + last for last in (b"a", b"b", b"a", b"c", b"b"))
    number, *_, places = _core.number_bytes(np.frombuffer(ids, np.uint8), width, 7)
    assert number.tolist() == [0, 1, 0, 2, 1]
    assert places.tolist() == [0, 2, 1, 4, 3]


# --- scores, values and means --------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 1024, 5000])
def test_copied_and_placed_scores_are_checked(size):
    rng = np.random.default_rng(size)
    scores, places = rng.normal(size=size), rng.permutation(size)
    scores[0] = -np.finfo(float).max
    copy, bad = _core.copy_scores(scores, None)
    placed, bad_place = _core.copy_scores(scores, places)
    assert bad == bad_place == -1
    assert not np.shares_memory(copy, scores)
    np.testing.assert_array_equal(copy, scores)
    np.testing.assert_array_equal(placed[places], scores)
    for value in (np.nan, -np.nan, np.inf, -np.inf):
        for spoilt in ([size - 1], [size // 2, size - 1]):
            spoiled = scores.copy()
            spoiled[spoilt] = value
            assert _core.copy_scores(spoiled, None)[1] == spoilt[0]
            assert _core.copy_scores(spoiled, places)[1] == spoilt[0]


def test_a_digest_is_that_of_all_bits_types_and_places():
    bits = np.random.default_rng(0).integers(0, 256, 128).astype(np.uint8)
    for size in (0, 1, 2, 3, 5, 8, 15, 63, 64, 65, 128):
        flips = np.packbits(np.eye(8 * size + 1, 8 * size, dtype=bool), axis=1)
        assert (
            len({_core.digest((bits[:size] ^ each,)) for each in flips}) == 8 * size + 1
        )
    small = np.zeros((256, 8), np.int64)  # in which no word hides another
    small[:, 1::2], small[:, ::2] = (
        np.arange(256)[:, None] // 16,
        np.arange(256)[:, None] % 16,
    )
    assert len({_core.digest((each,)) for each in small}) == 256
    y = bits.view(float)
    others = (None, y), (y, None), (bits,), (y[None],), (y,), (y.copy(),), (y[::2],)
    assert len({*map(_core.digest, others), _core.digest((y.astype(object),))}) == 6


def test_relative_values_are_1_where_rounding_alone_exceeds_the_best():
    values, best = (
        np.array([1.0, 3.0, 0.3, 1.1, 2.0]),
        np.array([0.0, 4.0, np.nextafter(0.3, 0), 1.0, -1.0]),
    )
    np.testing.assert_array_equal(
        _core.relative_values(values, best), [0, 0.75, 1, 1.1, 0]
    )


# --- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("label", [-1, 0, 253, 254, 255, 256, 2**31 - 1, -(2**31)])
def test_integer_labels_are_read_as_bytes_or_refused(dtype, label):
    if np.iinfo(dtype).min <= label <= np.iinfo(dtype).max:
        grades, levels, _, all_are = _core.read_byte_grades(np.array([1, label], dtype))
        assert all_are == (0 <= label <= 253)
        assert not all_are or grades[levels].tolist() == [1, label]


def test_reciprocals_are_0_where_nothing_is_above_0():
    values = np.array([3.0, 0.0, -0.0, -2.0, np.nan, np.inf, 1e-310])
    with np.errstate(over="ignore"):
        expected = np.divide(1.0, values, out=np.zeros(7), where=values > 0)
    assert _core.reciprocals(values).tobytes() == expected.tobytes()


def test_counts_leave_the_unjudged_out():
    judgments = Judgments.from_groups([2, 0, np.nan, 1, 0, 2], [4, 2])
    np.testing.assert_array_equal(judgments.counts, [[1, 1, 1], [1, 0, 1]])


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
KEY = {"key": (1, 2)}
WEIGHTS = {"discount": 2, "position": 2}
FORM: dict[str, Any] = dict.fromkeys(
    ["constant", "scale", "pair_scale", "n_relevant"], 3
)
FORM |= {**dict.fromkeys(["gain", *"fhuw"], 2), "n_levels": 2, "shares_levels": True}
PRICES = {**WEIGHTS, "form": FORM, **dict.fromkeys(["gain_factor", "pair_factor"], 3)}
LAMBDAS = {
    **{
        "level": 4,
        "scores": 4,
        "indptr": BORDERS,
        "prices": PRICES | {"by_factors": True},
    },
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
    "prefix_values": BY_RANK | {"n_levels": 2, "measures": WEIGHTS | FORM},
    "prefix_values of own levels": BY_RANK
    | {"level_by_rank": np.zeros(4, np.int32), "n_levels": 2, "borders": [1, 1, 1, 2]}
    | {"measures": WEIGHTS | FORM | {"shares_levels": False}},
    "relative_values": {"values": 3, "best": 3},
    "sum_exactly": {"values": np.zeros(3), "weights": 3},
    "exact_means": {"values": 3, "weights": 3},
    "copy_scores": {"scores": 4, "places": 4},
    "list_best_first": {"counts": 3, "n_levels": 3},
    "expected_shares": {"counts": 3, "g": 2, "level": 2, "factor": np.zeros(3)},
    "own_expected_shares": {
        "G": 2,
        "level": 4,
        "indptr": BORDERS,
        "borders": [1, 1, 1, 2],
    },
    "first_fall": {"f": 4, "borders": BORDERS},
    "own_levels": {
        "grades": 4,
        "indptr": BORDERS,
        "pool_grades": 4,
        "pool_indptr": BORDERS,
    },
    "own_grades": {"grades": 4, "levels": 4},
    "own_pools": {"levels": 4, "indptr": BORDERS, "borders": [1, 1, 1, 2]},
    "own_sums": {
        "by_level": 2,
        "levels": 4,
        "indptr": BORDERS,
        "borders": [1, 1, 1, 2],
    },
    "go_by_own_levels": {"grades": 4, "indptr": BORDERS},
    "at_grades": {"grades": np.zeros(4), "by_whole_grade": 1},
    "gather_levels": {"level": 4, "order": 4, "indptr": BORDERS},
    "count_levels": {"level": 4, "indptr": BORDERS},
    "count_marked_documents": {"level": 4, "indptr": BORDERS},
    "sort_within_ties": BY_RANK,
    "discounted_gain": BY_RANK | {"discount": 2, "gain": ONE},
    "cascade": BY_RANK | {"weight": 2, "stop": ONE},
    "cascade of worths": BY_RANK | {"weight": 4, "stop": 2, "worth": 2},
    "meet_ranks": {
        "level_by_rank": np.zeros(4),
        "first": 3,
        "read": BORDERS,
        "gain": ONE,
    },
    "preferences": BY_RANK | {"relevant": ONE, "most": 3, "divisor": 3},
    "discounted_preferences": BY_RANK | {"relevant": ONE, "worth": 2},
    "inferred_precisions": {
        "code_by_rank": 4,
        "tied": 4,
        "indptr": BORDERS,
        "relevant": ONE,
    },
    "overlaps": {"level_by_rank": 4, "indptr": BORDERS}
    | {"pool_by_rank": 4, "pool_indptr": BORDERS, "depth": 3},
    "lambdas": LAMBDAS | {"order": 4, "tied": 4, "n_levels": 2},
    "noisy_lambdas": LAMBDAS
    | {"schedule": 3, "grades": np.zeros(2), "noise": NOISE}
    | {"prices": PRICES},
    "number_bytes": {"ids": 4},
    "number_text": {"offsets": BORDERS, "text": 4},
    "put_in_places": {"values": 4, "places": 4},
    "shuffled_ranges": {"values": 4},
    "find_duplicates": KEY
    | {"document_end": BORDERS, "document": 4, "indptr": BORDERS},
    "index_documents": KEY
    | {"document_end": BORDERS, "document": 4, "indptr": BORDERS},
    "look_up_documents": KEY
    | {"document_end": ENDS, "document": 4, "start": 3, "indptr": BORDERS}
    | {"known_end": ENDS, "known": 4, "slots": 27, "slot_indptr": [0, 9, 18, 27]},
    "order_documents": {"document_end": BORDERS, "document": 4}
    | {"scores": 4, "start": 3, "indptr": BORDERS},
    "take_documents": {"document_end": ENDS, "document": 4, "rows": np.zeros(4)},
}
NUMBERS = {
    "int": 1,
    "float": 1.0,
    "bool": False,
    "cutoff": 9,
    "width": 2,
    "n_systems": 2,
}


def signature(kernel: Any) -> list[tuple[str, str, str]]:
    """The name of every argument with the type of its entries, or its own."""
    text = kernel.__doc__.split("\n")[0].split(" ->")[0]
    return re.findall(r"(\w+): (?:numpy\.ndarray\[dtype=(\w+)\]|(\w+))", text)


def arguments(kernel: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Make arrays of a table's lengths; those that it does not name are empty."""
    made: dict[str, Any] = {}
    for name, dtype, kind in signature(kernel):
        each = given.get(name, 0) if dtype else given.get(name)
        if name == "prices":
            made[name] = [
                _core.SwapPrices(**arguments(_core.SwapPrices.__init__, each))
            ]
        elif name == "form":
            made[name] = _core.PrefixForm(**arguments(_core.PrefixForm.__init__, each))
        elif name == "measures":
            form = _core.PrefixForm(**arguments(_core.PrefixForm.__init__, each))
            made[name] = [(form, 0, 1)]
            made["weights"] = [
                (np.zeros(each[of]), False) for of in ("discount", "position")
            ]
        elif getattr(each, "dtype", None) == np.int32:
            made[name] = each
        elif dtype:
            made[name] = (
                np.zeros(each, dtype)
                if isinstance(each, int)
                else np.array(each, dtype)
            )
        elif name not in made:
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
    kernel = getattr(_core, name.partition(" ")[0])
    kernel(**arguments(kernel, KERNELS[name]))
    for given in unfit(KERNELS[name]):
        told = f"^({kernel.__name__}|PrefixForm) got arrays that do not fit"
        with pytest.raises(ValueError, match=told):
            kernel(**arguments(kernel, given))


def test_forms_of_measures_are_there() -> None:
    given = arguments(_core.prefix_values, KERNELS["prefix_values"])
    with pytest.raises(ValueError, match="prefix_values got arrays that do not fit"):
        _core.prefix_values(**given | {"measures": [(None, 0, 1)]})
    with pytest.raises(ValueError, match="PrefixForm got arrays that do not fit"):
        _core.PrefixForm(
            **arguments(_core.PrefixForm.__init__, {"pair_scale": 1, "n_levels": 0})
        )


def test_every_kernel_of_several_arrays_is_among_them() -> None:
    kernels = {
        name: each
        for name, each in vars(_core).items()
        if "ndarray[" in str(each.__doc__)
    }
    several = {
        name
        for name, each in kernels.items()
        if sum(bool(kind) for _, kind, _ in signature(each)) > 1
    }
    assert several <= set(KERNELS)
    assert {"rank", "prefix_values"} <= several
