"""Rows are put together by query whatever the ids are, in order of first appearance."""

import datetime
import decimal
import itertools
import subprocess
import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

from skgraded import nDCG, query_series, query_target
from skgraded.rankings import place_rows

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

IDS = {
    "int64": np.int64,
    "int8": np.int8,
    "uint64": lambda n: np.uint64(2**64 - 1 - n),
    "big-endian": lambda n: np.array(n, dtype=">i4"),
    "float": lambda n: np.float64(n - 1) / 3,
    "float32": np.float32,
    "bool": lambda n: n % 2 == 0,
    "text": lambda n: f"query {n}",
    "text of many lengths": lambda n: "ä" * n,
    "bytes": lambda n: b"q%d" % n,
    "date": lambda n: np.datetime64("2020-01-01") + n,
    "duration": lambda n: np.timedelta64(n, "h"),
    "uuid": lambda n: uuid.UUID(int=n),
    "several types": lambda n: [n, str(n), (n,), decimal.Decimal(n), datetime.date.min][
        n % 5
    ],
    "long double": np.longdouble,
    "complex": lambda n: complex(n, -n),
}


def in_parts(series):
    """Make a pandas Series of two chunks, the first of which is a slice."""
    before = pd.Series(["before"], dtype="string")
    parts = [pd.concat([before, series[:1]])[1:], series[1:]]
    return pd.concat([part for part in parts if len(part)])


CARRIERS = {
    "array": np.array,
    "list": list,
    "pandas": pd.Series,
    "pandas text": lambda ids: pd.Series([str(each) for each in ids], dtype="string"),
    "pandas text of Python": lambda ids: pd.Series(
        list(map(str, ids)), dtype="string[python]"
    ),
    "pandas text in parts": lambda ids: in_parts(
        pd.Series(list(map(str, ids)), dtype="string")
    ),
    "pandas text index": lambda ids: pd.Index(list(map(str, ids)), dtype="string"),
    "pandas category": lambda ids: pd.Series(ids).astype("category"),
    "every other of a pandas category": lambda ids: pd.Series(np.repeat(ids, 2)).astype(
        "category"
    )[::2],
    "pandas index": pd.Index,
    "pandas category index": pd.CategoricalIndex,
    "polars": lambda ids: pl.Series([str(each) for each in ids]),
    "polars slice": lambda ids: pl.Series(["before", *map(str, ids)])[1:],
    "polars text in parts": lambda ids: pl.concat(
        [pl.Series([str(each)]) for each in ids], rechunk=False
    ),
    "polars category": lambda ids: pl.Series([str(each) for each in ids]).cast(
        pl.Categorical
    ),
    "polars enum": lambda ids: pl.Series(list(map(str, ids))).cast(
        pl.Enum(sorted(set(map(str, ids))))
    ),
}


def group_slowly(ids):
    """Number ids by hand, and list the rows of each."""
    rows = {}
    for row, each in enumerate(ids):
        rows.setdefault(each, []).append(row)
    return list(rows), list(rows.values())


def assert_grouped(ids, plain):
    names, indptr, places = place_rows(ids, len(plain))
    expected_names, expected_rows = group_slowly(plain)
    assert [str(each) for each in names.tolist()] == [
        str(each) for each in expected_names
    ]
    order = np.arange(len(plain)) if places is None else np.argsort(places)
    rows = [order[a:b].tolist() for a, b in itertools.pairwise(indptr)]
    assert rows == expected_rows
    together = order.tolist() == sorted(order.tolist())
    assert (places is None) == together


@pytest.mark.parametrize("kind", IDS)
@given(numbers=st.lists(st.integers(0, 12), min_size=1, max_size=80))
def test_ids_of_any_type(kind, numbers):
    ids = np.empty(len(numbers), dtype=object)
    ids[:] = [IDS[kind](n) for n in numbers]
    if kind not in ("uuid", "several types", "big-endian"):
        ids = np.array(ids.tolist())
    if kind == "big-endian":
        ids = np.array(numbers, dtype=">i4")
    assert_grouped(ids, ids.tolist())


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("kind", ["int64", "text"])
@given(numbers=st.lists(st.integers(0, 12), min_size=1, max_size=40))
def test_ids_in_any_carrier(carrier, kind, numbers):
    plain = [IDS[kind](n) for n in numbers]
    assert_grouped(CARRIERS[carrier](plain), [str(each) for each in plain])


ALIKE = (
    [1, 1.0, True, "1", 0, False],
    [3, 2**63, 2**64 + 3],
    [2**53, 2**53 + 1],
    [0, -0.0, 3, 3.0],
)


@given(
    st.one_of(
        st.lists(st.sampled_from(each), min_size=8, max_size=60) for each in ALIKE
    )
)
def test_objects_are_one_query_where_python_says_so(ids):
    as_objects = np.empty(len(ids), dtype=object)
    as_objects[:] = ids
    assert_grouped(as_objects, ids)


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=60),
    st.sampled_from([0, 40, 2**62]),
)
def test_integers_close_together_and_far_apart(numbers, distance):
    ids = np.array(numbers) * distance + np.array(numbers)
    assert_grouped(ids, ids.tolist())
    wrapped = ids.view(np.uint64)
    assert_grouped(wrapped, wrapped.tolist())


def test_a_column_of_another_length_is_refused():
    for column in (
        pd.Series(["a", "b", "c"]),
        pd.Series(["a", "b", "c"]).astype("category"),
    ):
        with pytest.raises(
            ValueError, match=r"^qid must have one entry per row of y_true \(2\)"
        ):
            place_rows(column, 2)


EMPTY = ["", "a", ""], ["", ""]
ALIKE_IDS = [
    np.array([0.0, -0.0]),
    np.array(["", ""], dtype="U0"),
    *map(np.array, EMPTY),
    *(pd.Series(each, dtype="string") for each in EMPTY),
    *map(pl.Series, EMPTY),
]


@pytest.mark.parametrize("ids", ALIKE_IDS)
def test_zeros_of_both_signs_and_empty_texts_are_queries(ids):
    assert_grouped(ids, list(ids))


MISSING = [
    pd.Series(["a", None, "a"], dtype="string"),
    pd.Series(["a", None, "a"], dtype="string[python]"),
    pd.Series(["a", None, "a"]),
    pd.Series(["a", None, "a"]).astype("category"),
    pl.Series(["a", None, "a"]),
    pl.Series(["a", None, "a"]).cast(pl.Categorical),
    np.array(["a", None, "a"], dtype=object),
    np.array([1.0, np.nan, 1.0]),
    np.array(["2020-01-01", "NaT", "2020-01-01"], dtype="M8[D]"),
    np.array([1, "NaT", 1], "timedelta64[s]"),
    np.array([1, np.nan, 1], complex),
    np.ma.masked_equal([1, 2, 1], 2),
    ["a", np.nan, "a"],
]
if hasattr(np.dtypes, "StringDType"):  # since NumPy 2
    MISSING += [
        np.array(["a", missing, "a"], np.dtypes.StringDType(na_object=missing))
        for missing in (np.nan, None)
    ]


@pytest.mark.parametrize("ids", MISSING, ids=repr)
def test_a_missing_id_is_named_with_its_row(ids):
    with pytest.raises(ValueError, match=r"^qid must .* in row 1\.$"):
        nDCG()([1, 0, 0], [1, 2, 3], qid=ids)


def test_ids_that_cannot_be_hashed_are_refused():
    ids = np.empty(2, dtype=object)
    ids[:] = [[1], [1]]
    with pytest.raises((ValueError, TypeError), match="hash"):
        place_rows(ids, 2)


OBJECTS_WITHOUT_PANDAS = """
import sys
import numpy as np
from skgraded.rankings import place_rows
ids = np.array(["b", 1, "b", 2.5, 1], dtype=object)
names, indptr, places = place_rows(ids, 5)
assert "pandas" not in sys.modules
print(names.tolist(), indptr.tolist(), places.tolist())
"""


def test_objects_where_pandas_is_not_loaded():
    run = subprocess.run(
        [sys.executable, "-c", OBJECTS_WITHOUT_PANDAS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "['b', 1, 2.5] [0, 2, 4, 5] [0, 2, 1, 4, 3]\n"


@pytest.mark.parametrize("dtype", [">i8", ">f4"])
def test_ids_of_foreign_bytes_go_into_an_index(dtype):
    series = query_series([2, 0, 1], np.array([7, 7, 9], dtype=dtype))
    assert series.index.get_level_values("qid").tolist() == [7, 7, 9]
    assert series.index.get_level_values("n_rows").tolist() == [2, 2, 1]


def test_rows_of_one_query_share_one_object():
    ids = pd.Series(["a", "b", "a"], dtype="category")
    target = query_target([1, 0, 2], ids)
    assert target["qid"][0] is target["qid"][2]
    numbers = query_target([1, 0, 2], pd.Series([5, 6, 5], dtype="category"))
    assert numbers["qid"].dtype.kind == "i"
