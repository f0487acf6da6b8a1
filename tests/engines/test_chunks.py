"""Evaluation in parts: the same bits as on all rows at once, in bounded memory."""

import copy
import dataclasses
import importlib
import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import strategies
from hypothesis import given, strategies as st

from skgraded import catalogue, chunks, evaluate, measure
from skgraded._support.exact_mean import MeanSums, exact_means
from skgraded.exceptions import UndefinedMeanWarning

ALL = sorted(catalogue())
SOME = [
    "xGAP(g=[0.1,0.2,0.3,0.4])",
    "nDCG@10",
    "AP@3",
    "QMeasure",
    "ERR(max_grade=4)",
    "Bpref",
]


def make_rows(n_queries=60, seed=0, unjudged=True, largest=90):
    """Rows sorted by query: skewed sizes, many queries of one document, ties."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.zipf(1.5, n_queries), largest)
    y_true = rng.integers(0, 5, sizes.sum()).astype(float)
    if unjudged:
        y_true[rng.random(len(y_true)) < 0.05] = np.nan
    y_score = rng.integers(0, 13, len(y_true)) / 12  # in [0, 1], for ADM
    qid = np.repeat(
        np.sort(rng.choice(10 * n_queries, n_queries, replace=False)), sizes
    )
    return y_true, y_score, qid, rng.random(len(qid))


def make_frame(shuffle=True, text=False, **options):
    columns = dict(
        zip(["label", "score", "qid", "weight"], make_rows(**options), strict=True)
    )
    frame = pd.DataFrame(columns)
    if text:
        frame["qid"] = [f"q{each:05d}" for each in frame.qid]
    return frame.sample(frac=1, random_state=0) if shuffle else frame


def in_memory(measures, frame, weight="weight"):
    weights = None if weight is None else frame[weight]
    return evaluate(
        measures, frame.label, frame.score, qid=frame.qid, sample_weight=weights
    )


def cut(rows, places):
    pieces = (np.split(column, sorted(places)) for column in rows)
    return list(zip(*pieces, strict=True))


def assert_same(parted, whole):
    np.testing.assert_equal(parted.mean(), whole.mean())  # nan is nan
    assert parted.n_empty == whole.n_empty
    assert len(parted) == len(whole)
    np.testing.assert_array_equal(parted.values, whole.values)
    np.testing.assert_array_equal(parted.qid, whole.qid)
    np.testing.assert_array_equal(parted.weights, whole.weights)
    np.testing.assert_array_equal(parted.fingerprints, whole.fingerprints)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UndefinedMeanWarning")
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
@given(strategies.long_data(max_queries=8, shuffle=False), st.data())
def test_chunks_give_the_bits_of_the_whole(rows, data):
    """Every measure, any cuts, also inside of queries and with chunks that are empty."""
    names = data.draw(st.lists(st.sampled_from(ALL), min_size=1, max_size=4))
    y_score = (1 + np.tanh(rows.y_score)) / 2  # in [0, 1], for ADM
    weight = data.draw(strategies.row_weights(len(rows.qid)))
    places = data.draw(st.lists(st.integers(0, len(rows.qid)), max_size=6))
    top = max(1, int(np.nanmax(rows.y_true, initial=0)))
    named = {name: measure(name).resolve(top) for name in names}
    parted = chunks.evaluate(
        named,
        cut((rows.y_true, y_score, rows.qid, weight), places),
        order="grouped",
        per_query=True,
        block_rows=data.draw(st.integers(1, 50)),
    )
    assert_same(
        parted,
        evaluate(named, rows.y_true, y_score, qid=rows.qid, sample_weight=weight),
    )


def test_values_come_block_by_block():
    rows = make_rows()
    parts = list(chunks.iter_scores("AP", cut(rows[:3], [50, 100]), block_rows=20))
    assert len(parts) > 1
    whole = evaluate("AP", *rows[:2], qid=rows[2])
    np.testing.assert_array_equal(
        np.concatenate([each.qid for each in parts]), whole.qid
    )
    np.testing.assert_array_equal(
        np.concatenate([each.values for each in parts]), whole.values
    )


@pytest.fixture
def pa():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for part in ("parquet", "dataset"):
        importlib.import_module(f"pyarrow.{part}")
    return arrow


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
def test_parquet_files_in_a_folder(pa, tmp_path):
    y_true, y_score, qid, weight = rows = make_rows(300)
    for number, part in enumerate(cut(rows, [100, 101, 500])):
        table = pa.table(
            dict(zip(["label", "score", "qid", "weight"], part, strict=True))
        )
        pa.parquet.write_table(table, tmp_path / f"{number}.parquet", row_group_size=64)
    names = [
        "xGAP",
        "RBP",
        "nDCG@10",
    ]  # the first takes its top grade from the whole data set
    whole = evaluate(names, y_true, y_score, qid=qid, sample_weight=weight)
    parted = chunks.evaluate(
        names, tmp_path, weight="weight", block_rows=100, per_query=True
    )
    assert_same(parted, whole)
    assert_same(
        chunks.evaluate(names, str(tmp_path / "0.parquet"), per_query=True),
        evaluate(names, y_true[:100], y_score[:100], qid=qid[:100]),
    )
    with pytest.raises(
        ValueError, match=r"^score must name a column of the data set, got 'p'; there"
    ):
        chunks.evaluate(names, tmp_path, score="p")


@pytest.mark.parametrize("order", ["ascending", "grouped"])
@pytest.mark.parametrize("block_rows", [1, 2, 100])
def test_a_query_that_comes_back_is_named(order, block_rows):
    qid = [1, 1, 2, 3, 3, 2, 4]
    parts = cut((np.ones(7), np.arange(7.0), np.array(qid)), [2, 4])
    with pytest.raises(ValueError, match=r"2 .*row 5") as raised:
        chunks.evaluate("AP", parts, order=order, block_rows=block_rows)
    assert "Sort the data by query first" in str(raised.value)


def arrays(*labels, qid=None):
    return [
        (
            np.array(labels),
            np.arange(float(len(labels))),
            np.array(qid or [1] * len(labels)),
        )
    ]


def in_words(codes, words=("no", "fair", "good")):
    return pd.Categorical.from_codes(codes, words, ordered=True)


FIRST = (in_words([0], ["no", "fair"]), [1.0], [1])
MISSING = "qid must name a query in every row"


@pytest.mark.parametrize(
    ("measures", "data", "options", "words"),
    [
        (
            "xGAP",
            arrays(1),
            {},
            r"^xGAP takes the top .*for example xGAP\(max_grade=4\)\.$",
        ),
        ("AP", arrays(-1), {}, r"^y_true .*-1"),
        ("AP", [], {}, r"^data must hold at least one row, got none\.$"),
        ([], arrays(1), {}, r"^measures must name at least one"),
        ("AP", arrays(1), {"block_rows": 0}, r"^block_rows .*got 0\.$"),
        ("AP", arrays(1), {"block_rows": True}, r"^block_rows .*got True\.$"),
        ("AP", arrays(1), {"n_threads": 0}, r"^n_threads .*got 0\.$"),
        ("AP", arrays(1), {"per_query": "no"}, r"^per_query .*got 'no'\.$"),
        ("AP", arrays(1), {"order": "any"}, r"^order must be .*got 'any'\.$"),
        ("AP", arrays(1), {"order": None}, "one of 'ascending', 'grouped', got None"),
        ("AP", [(1, 2)], {}, r"^A chunk must hold the arrays .*got 2 arrays"),
        (
            "AP",
            [([1, 2], [1.0], [1, 1])],
            {},
            r"^A chunk must have one .*got 2, 1, 2 entries",
        ),
        (
            "AP",
            [{"label": [1], "qid": [1]}],
            {},
            "^score must name .*'score'; there are: label, q",
        ),
        (
            "AP",
            [*arrays(1), *arrays(1, qid=["a"])],
            {},
            r"^qid must be of one type in all chunks",
        ),
        (
            "AP",
            [*arrays(1), (*arrays(1)[0], np.ones(1))],
            {},
            r"^Weights must be in all chunks or",
        ),
        (
            "AP",
            [([1] * 4, [1] * 4, [1, 1, "a", "a"])],
            {},
            r"of one type.* Pass order='grouped'",
        ),
        ("AP", ([1] * 6, [1] * 6, [1] * 6), {}, "put a single chunk into a list"),
        ("AP", dict(make_frame()), {}, r"got one \w+: put it into a list"),
        ("AP", make_frame(), {}, r"got one \w+: put it into a list"),
        ("AP", 7, {}, r"got int\.$"),
        ("AP", [7], {}, r"got int\.$"),
        (
            "AP",
            arrays(1, 1, qid=["b", "a"]),
            {},
            "^qid must ascend .* got 'a' after 'b' in row 1",
        ),
        ("AP", [([1] * 3, [1] * 3, ["a", "b", np.nan])], {"block_rows": 2}, MISSING),
        (
            "AP",
            [(*arrays(1, 1)[0][:2], pd.Series(["a", pd.NA], dtype="string"))],
            {},
            MISSING,
        ),
        (
            "AP",
            [FIRST, (in_words([1], ["no", "good"]), [1.0], [2])],
            {},
            "0 and .'no', 'good'. in",
        ),
        (
            "AP",
            [FIRST, (in_words([1], ["fair", "no"]), [1.0], [2])],
            {},
            "0 and .'fair', 'no'. in",
        ),
        (
            "AP",
            [FIRST, ([1], [1.0], [2])],
            {},
            "got .'no', 'fair'. in chunk 0 and none in chunk 1",
        ),
    ],
)
def test_errors_say_what_is_wrong(measures, data, options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        chunks.evaluate(measures, data, **options)


def test_values_are_refused_before_they_are_computed():
    with pytest.raises(ValueError, match=r"^block_rows .*got 0\.$"):
        chunks.iter_scores("AP", arrays(1), block_rows=0)


LABELS, SCORES, IDS = [2, 0, 1, 0, 1, 1], [3, 2, 1, 3, 2, 1], [1, 1, 2, 2, 3, 3]


def named(**changes):
    return {"label": LABELS, "score": SCORES, "qid": IDS, **changes}


ENUM = pl.Enum(["no", "fair", "good"])
NULLABLE = pd.DataFrame(named(label=pd.array([2, 0, None, 0, 1, 1], dtype="Int64")))


def as_table():
    return pytest.importorskip("pyarrow").Table.from_pandas(NULLABLE)


CHUNKS = {
    "ordered categories in a tuple": lambda: [
        (in_words([2, 0, -1, 0, 1, 1]), SCORES, IDS)
    ],
    "ordered categories": lambda: [
        NULLABLE.assign(label=in_words([2, 0, -1, 0, 1, 1]))
    ],
    "an enum of polars": lambda: [
        pl.DataFrame(
            named(
                label=pl.Series(["good", "no", None, "no", "fair", "fair"], dtype=ENUM)
            )
        )
    ],
    "masked labels": lambda: [
        named(label=np.ma.array(LABELS, mask=[0, 0, 1, 0, 0, 0]))
    ],
    "pandas.NA among objects": lambda: [
        named(label=pd.Series([2, 0, pd.NA, 0, 1, 1], dtype=object))
    ],
    "a nullable column, cut inside of a query": lambda: [NULLABLE[:3], NULLABLE[3:]],
    "mappings, cut inside of a query": lambda: [dict(NULLABLE[:3]), dict(NULLABLE[3:])],
    "Arrow batches": lambda: as_table().to_batches(max_chunksize=4),
    "Arrow table": as_table,
    "polars": lambda: [pl.DataFrame(named(label=[2, 0, None, 0, 1, 1]))],
    "a column schema": lambda: [NULLABLE.assign(schema=LABELS)],
}


@pytest.mark.parametrize("make", CHUNKS.values(), ids=CHUNKS)
def test_chunks_of_any_library_are_read_as_in_memory(make):
    labels = [2, 0, np.nan, 0, 1, 1]
    whole = evaluate(["AP", "nDCG@2", "Bpref"], labels, SCORES, qid=IDS)
    parted = chunks.evaluate(
        ["AP", "nDCG@2", "Bpref"], make(), per_query=True, block_rows=2
    )
    assert_same(parted, whole)


@pytest.mark.parametrize(
    "ids", [[1, "1", "b", "b", "c", "c"], pl.Series(list("aabbcc"))]
)
def test_ids_of_any_kind_are_read_as_in_memory(ids):
    parted = chunks.evaluate("AP", [named(qid=ids)], order="grouped", per_query=True)
    assert_same(parted, evaluate("AP", LABELS, SCORES, qid=ids))


def test_columns_of_other_names_and_in_two_roles():
    names = {"label": "rel", "score": "s", "qid": "query", "weight": "rel"}
    chunk = {"rel": LABELS, "s": SCORES, "query": IDS}
    whole = evaluate("AP", LABELS, SCORES, qid=IDS, sample_weight=LABELS)
    assert_same(chunks.evaluate("AP", [chunk], **names, per_query=True), whole)


def test_large_ids_stay_different():
    """A file of 64-bit hashes is read as int64 in one chunk, as uint64 in the next."""
    ids = np.repeat(
        np.array([2**62, 2**62 + 7, 2**63 + 5, 2**63 + 100], dtype=np.uint64), 2
    )
    rows = [0, 1, 1, 0, 0, 1, 1, 0], [0.9, 0.1] * 4
    parts = [named(label=rows[0][:4], score=rows[1][:4], qid=ids[:4].astype(np.int64))]
    parts += [named(label=rows[0][4:], score=rows[1][4:], qid=ids[4:])]
    for block_rows in (1, 3, 100):
        parted = chunks.evaluate("AP", parts, per_query=True, block_rows=block_rows)
        assert parted.qid.tolist() == [2**62, 2**62 + 7, 2**63 + 5, 2**63 + 100]
        assert float(parted) == float(evaluate("AP", *rows, qid=ids))


def test_means_are_a_value():
    means = chunks.evaluate(["AP", "nDCG@2"], [named()])
    for twin in (pickle.loads(pickle.dumps(means)), copy.deepcopy(means)):
        assert (twin, hash(twin), twin.mean()) == (means, hash(means), means.mean())
    assert dataclasses.replace(means, measures=("P@1", "AP")) != means
    assert not hasattr(means, "values")


def test_files_of_a_folder_with_other_columns(pa, tmp_path):
    close = np.array([1.0, 1.0 + 1e-12])
    parts = [named(label=[0, 1], score=close.astype(np.float32), qid=[1, 1])]
    parts += [named(label=[0, 1], score=close, qid=[2, 2])]
    for number, part in enumerate(parts):
        pa.parquet.write_table(pa.table(part), tmp_path / f"{number}.parquet")
    found = chunks.evaluate("AP", tmp_path, per_query=True)
    assert found.values[:, 0].tolist() == [0.75, 1.0]  # of the second file, no tie
    renamed = {"grade": [0, 1], "score": close, "qid": [3, 3]}
    pa.parquet.write_table(pa.table(renamed), tmp_path / "2.parquet")
    with pytest.raises(
        ValueError, match=r"2\.parquet must have the column 'label'.*grade, score"
    ):
        chunks.evaluate("AP", tmp_path)


def test_the_schema_of_a_data_set_counts(pa, tmp_path):
    for number, query in enumerate(["001", "1"]):
        lines = f"label,score,qid\n0,2,{query}\n1,1,{query}\n"
        (tmp_path / f"{number}.csv").write_text(lines, encoding="utf-8")
    schema = pa.schema(
        [("label", pa.int64()), ("score", pa.float64()), ("qid", pa.string())]
    )
    data = pa.dataset.dataset(tmp_path, format="csv", schema=schema)
    assert chunks.evaluate("AP", data, per_query=True).qid.tolist() == ["001", "1"]


def test_a_data_set_with_a_filter(pa):
    data = pa.dataset.dataset(pa.table(named())).filter(pa.dataset.field("qid") < 3)
    with pytest.raises(ValueError, match="filter"):
        chunks.evaluate("AP", data)
    assert chunks.evaluate("AP", data.to_batches()).n_queries == 2


@pytest.mark.parametrize("column", [0, 1])
def test_errors_count_rows_from_the_start_of_the_data(column):
    rows = np.ones(30), np.arange(30.0), np.arange(30) // 3
    rows[column][25] = [-1, np.inf][column]
    parts = cut(rows, [10, 20])
    with pytest.raises(
        ValueError, match=r"row \d+.* \(Rows are counted from row \d+ on\.\)$"
    ):
        chunks.evaluate("AP", parts, block_rows=5)


def test_means_look_like_scores():
    rows = make_rows()
    whole = dataclasses.replace(evaluate(SOME, *rows[:2], qid=rows[2]), ideals=())
    parted = chunks.evaluate(SOME, cut(rows[:3], [33, 66]))
    assert (repr(parted), parted._repr_html_()) == (repr(whole), whole._repr_html_())
    assert (parted.n_documents, len(parted)) == (len(rows[0]), len(SOME))
    for name in ("measures", "n_queries", "n_empty"):
        assert getattr(parted, name) == getattr(whole, name)
    assert list(parted) == list(whole)
    assert parted.to_dict() == whole.mean()
    assert float(parted["nDCG@10"]) == float(whole["nDCG@10"])
    asked = {"AP@3": True, measure("AP@3"): True, "AP": False, 3: False}
    assert {each: each in parted for each in asked} == asked
    with pytest.raises(KeyError, match="AP is not among the measures scored"):
        parted["AP"]


def test_no_query_left_warns():
    parted = chunks.evaluate("AP(empty=nan)", [([0, 0], [1.0, 2.0], [1, 2])])
    with pytest.warns(
        UndefinedMeanWarning, match=r"no query .*\(2 of 2 have no value\)"
    ):
        assert np.isnan(parted.mean()["AP(empty=nan)"])


@pytest.mark.slow
def test_memory_is_bounded_by_the_block():
    """Forty times the rows, the same peak."""

    def stream(n_chunks):
        rng = np.random.default_rng(0)
        for number in range(n_chunks):
            qid = number * 200 + np.arange(20_000) // 100
            yield rng.integers(0, 5, 20_000), rng.random(20_000), qid

    def peak(n_chunks):
        tracemalloc.start()
        chunks.evaluate(["AP", "nDCG@10"], stream(n_chunks), block_rows=20_000)
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return largest

    few = peak(5)
    assert peak(200) < 1.5 * few
    assert few < 40 * 20_000 * 8  # a block and what is made of it


FLOATS = st.floats(-1e200, 1e200) | st.floats(0, 1) | st.floats(-1e-300, 1e-300)


WEIGHTS = st.sampled_from([0.0, 1.0, 3.0]) | st.floats(0, 1e50)
VALUES = FLOATS | st.just(np.nan) | st.just(np.inf)


@given(
    st.lists(st.tuples(VALUES, WEIGHTS), min_size=1, max_size=50), st.integers(0, 50)
)
def test_sums_of_weighted_values_are_exact(pairs, middle):
    values, weights = map(np.array, zip(*pairs, strict=True))
    sums = MeanSums.of(values, weights)
    counted = [(v, w) for v, w in pairs if not np.isnan(v)]
    finite = [Fraction(v * w) for v, w in counted if np.isfinite(v)]
    assert Fraction(sums.values, 2**1074) == sum(finite)
    assert Fraction(sums.weights, 2**1074) == sum(Fraction(w) for _, w in counted)
    assert sums.infinite == sum(np.isinf(v) and w > 0 for v, w in counted)
    parts = (slice(middle), slice(middle, None))
    first, second = (MeanSums.of(values[part], weights[part]) for part in parts)
    assert second.joined(first) == sums
    shifted = values - 1.0
    [means] = exact_means(np.stack([values, shifted], axis=1), weights, n_after=2)
    np.testing.assert_array_equal(
        means, [sums.mean, MeanSums.of(shifted, weights).mean]
    )


def over_exponents(scale):
    rng = np.random.default_rng(0)
    return rng.random(20_000) * scale * 2.0 ** -rng.integers(0, 80, 20_000)


LARGEST = np.full(100_000, np.finfo(float).max)


@pytest.mark.parametrize(
    "values",
    [
        LARGEST,
        -LARGEST,
        over_exponents(1.0),
        over_exponents(1e-320),
        over_exponents(1e305),
    ],
    ids=["largest", "smallest", "around 1", "subnormal", "large"],
)
def test_means_of_many_values_are_rounded_once(values):
    exact = float(sum(map(Fraction, values.tolist())) / len(values))
    assert MeanSums.of(values, None).mean == exact
    assert MeanSums.of(values[::-1], np.ones(len(values))).mean == exact
    assert exact_means(np.stack([values, values[::-1]]), None, 2) == [[exact], [exact]]


def test_means_of_arrays_of_any_layout_and_type():
    table = np.arange(12.0).reshape(6, 2)
    assert exact_means(table, None, n_after=2) == [[5.0, 6.0]]
    assert exact_means(table[::-1, 1].astype(np.float32), None) == [[6.0]]
