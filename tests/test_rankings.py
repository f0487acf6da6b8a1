"""Layout and validation of input."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from skgraded import AP, Judgments, QueryKFold, evaluate, nDCG, query_target, xGAP
from skgraded.rankings import as_rankings, levels_of

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1.0, np.nan]), "y_score must be finite, got nan in row 1"),
        (([1, 0], [np.inf, 1.0]), "y_score must be finite, got inf in row 0"),
        (([1, 0], [1.0]), r"y_score must have one entry per row of y_true \(2\), got 1"),
        (([], []), "y_true must hold at least one document"),
        (([1, -1], [1.0, 2.0]), "y_true must hold grades >= 0, got -1 in row 1.*Use 0 .*NaN for"),
        (([1.0, -0.5], [1.0, 2.0]), r"y_true must hold grades >= 0, got -0\.5 in row 1"),
        (
            ([1, np.inf], [1.0, 2.0]),
            r"y_true must hold grades that are 0, or 2\.2e-308 to 2\*\*53, got inf in row 1",
        ),
        (([1, 0], [[1.0], [2.0]]), r"y_score must be one-dimensional.*\(2, 1\)"),
        (([[1, 0]], [1.0, 2.0]), r"y_true must be one-dimensional.*\(1, 2\)"),
        ((["a", "b"], [1.0, 2.0]), "y_true must be numeric"),
        (([1, 0], ["x", "y"]), "y_score must be numeric"),
        (([1, 0], [1j, 2j]), "y_score must be numeric"),
        (([1, 0, 0], [1.0, 2.0, 3.0], [1, 2]), "qid .*look like group sizes.*np.repeat"),
        (
            ([1, 0, 0], [1.0, 2.0, 3.0], [1, 1]),
            r"qid must have one entry per row of y_true \(3\), got 2",
        ),
        (
            ([1, 0], [1.0, 2.0], [np.nan, 1.0]),
            "qid must name a query in every row, got nan in row 0",
        ),
        (
            ([1, 0], [1.0, 2.0], ["a", None]),
            "qid must name a query in every row, got None in row 1",
        ),
        (([1, 0], [1.0, 2.0], [["a"], ["b"]]), "qid must be one-dimensional"),
        (([1, 0], [1.0, 2.0], None, [1.0]), "sample_weight must have one entry per row"),
        (
            ([1, 0], [1.0, 2.0], None, [1.0, -1.0]),
            "sample_weight must be finite and >= 0, got -1.0 in row 1",
        ),
        (
            ([1, 0], [1.0, 2.0], None, [1.0, np.nan]),
            "sample_weight must be finite and >= 0, got nan",
        ),
        (([1, 0], [1.0, 2.0], None, [1e308, 1e308]), "sample_weight must have a finite sum"),
        (([10**17, 0], [1.0, 2.0]), r"y_true must hold grades .* to 2\*\*53, got 10+ in row 0"),
        (
            (np.array(["2", "0_1"], object), [1.0, 2.0]),
            "y_true must be numeric, got '0_1' in row 1",
        ),
        ((csr_array([[1, 0]]), [1.0, 2.0]), "y_true must be one-dimensional.*got type csr_array"),
        (([1, 0], query_target([1, 0], [7, 7])), "y_score must be numeric"),
        (
            ([1, 0], np.ma.masked_equal([1, 9], 9)),
            "y_score must have a value.*masked entry in row 1",
        ),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        as_rankings(*arguments)


MISSING = [
    np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    np.array([1, "NaT"], "timedelta64[s]"),
    np.array([1, np.nan], complex),
    ["a", np.nan],
    ["a", None],
    pd.Series(["a", pd.NA], dtype="string"),
    pl.Series(["a", None]),
    np.ma.masked_equal([1, 2], 2),
]
if hasattr(np.dtypes, "StringDType"):  # since NumPy 2
    MISSING += [
        np.array(["a", missing], np.dtypes.StringDType(na_object=missing))
        for missing in (np.nan, None)
    ]


@pytest.mark.parametrize("qid", MISSING, ids=repr)
def test_missing_query_ids_are_no_query(qid):
    with pytest.raises(ValueError, match=r"^qid must .* in row 1\.$"):
        nDCG()([1, 0], [1, 2], qid=qid)


def test_masked_labels_are_unjudged():
    masked = np.ma.masked_array([3, 0, 1], mask=[True, False, False])
    assert nDCG()(masked, [3, 2, 1]) == nDCG()([np.nan, 0, 1], [3, 2, 1]) == 0.5


@pytest.mark.parametrize("n_threads", [0, -2, 2.0, "2", True, 2**40])
def test_threads_are_a_number(n_threads):
    with pytest.raises(ValueError, match="n_threads must be an integer from 1 to 4096"):
        as_rankings([1, 0], [1, 2], n_threads=n_threads)


def test_results_cannot_change_the_rankings():
    rankings = as_rankings([1, 0], [1, 2], ["a", "b"], [1.0, 2.0])
    for handed_out in (nDCG().per_query(rankings), evaluate("AP", rankings)):
        for array in (handed_out.qid, handed_out.weights):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[1]


QIDS = [
    [3, "3", 3, 2.5, "3"],
    [2**63 + 2, 2**62, 2**63 + 2, 2**62 + 1, 2**62],
    [3, 1, 3, 2, 1],
    ["c", "a", "c", "b", "a"],
    [2.5, -1.0, 2.5, 0.0, -1.0],
    np.array([b"x", b"y", b"x", b"z", b"y"]),
    np.array(
        ["2020-01-03", "2020-01-01", "2020-01-03", "2020-01-02", "2020-01-01"], "datetime64[D]"
    ),
    np.array([("c"), 1, "c", 2.5, 1], dtype=object),
    np.array([True, False, True, False, False]),
    pd.Series(["c", "a", "c", "b", "a"], dtype="category"),
    pd.Series(["c", "a", "c", "b", "a"], dtype="string"),
    pl.Series(["c", "a", "c", "b", "a"]),
]


@pytest.mark.parametrize("make", [list, lambda ids: np.array(ids, dtype=object), pd.Series])
def test_numbers_and_text_as_ids_of_one_column_stay_different(make):
    ids = make([7, "7", 7, "a", "7", "a"])
    y_true, y_score = [1, 0, 0, 2, 1, 0], [6, 5, 4, 3, 2, 1]
    expected = nDCG().per_query(y_true, y_score, qid=[0, 1, 0, 2, 1, 2]).values
    for target, qid in ((y_true, ids), (query_target(y_true, ids), None)):
        found = nDCG().per_query(target, y_score, qid=qid)
        np.testing.assert_array_equal(found.values, expected)
        assert found.qid.tolist() == [7, "7", "a"]
    folds = [test for _, test in QueryKFold(3).split(np.zeros((6, 1)), y_true, groups=ids)]
    assert sorted(map(len, folds)) == [2, 2, 2]


@pytest.mark.parametrize("qid", QIDS, ids=lambda qid: str(getattr(qid, "dtype", type(qid[0]))))
def test_query_ids_of_any_type_in_any_order(qid):
    y_true, y_score = [1, 2, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5]
    scores = nDCG().per_query(y_true, y_score, qid=qid)
    ids = list(dict.fromkeys(qid))
    assert list(scores.qid) == ids
    for each, value in zip(scores.qid, scores.values, strict=True):
        own = [row for row in range(5) if qid[row] == each]
        alone = nDCG()([y_true[row] for row in own], [y_score[row] for row in own])
        assert value == pytest.approx(alone, abs=1e-15)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int64, np.float16, np.float32, np.float64, bool, object]
)
def test_label_types(dtype):
    y_true = np.array([1, 0, 1, 0]).astype(dtype)
    assert AP()(y_true, [4, 3, 2, 1]) == pytest.approx(5 / 6)


def test_columns_of_frames():
    frame = pd.DataFrame({"grade": [1, 0, 2], "score": [0.5, 0.7, 0.1], "query": ["a", "a", "b"]})
    expected = xGAP()(frame["grade"], frame["score"], qid=frame["query"])
    of_polars = pl.DataFrame(frame.to_dict("list"))
    assert xGAP()(of_polars["grade"], of_polars["score"], qid=of_polars["query"]) == expected
    nullable = frame.astype({"grade": "Int64"})
    nullable.loc[1, "grade"] = pd.NA
    with_nan = frame.assign(grade=[1.0, np.nan, 2.0])
    assert xGAP()(nullable["grade"], frame["score"]) == xGAP()(with_nan["grade"], frame["score"])


def test_grades_with_gaps_are_compact_levels():
    judgments = Judgments([16, 0, 4, np.nan, 4])
    assert judgments.grades.tolist() == [0, 4, 16]
    assert judgments.levels.tolist() == [2, 0, 1, 3, 1]
    assert judgments.counts.tolist() == [[1, 2, 1]]
    assert judgments.pool.levels.tolist() == [2, 1, 1, 0]


def test_labels_are_laid_out_once_for_many_scores():
    judgments = Judgments([0, 2, 1, 0], qid=["b", "a", "b", "a"])
    assert judgments.qid.tolist() == ["b", "a"]
    for scores in ([1, 2, 3, 4], [4, 3, 2, 1], [0, 0, 0, 0]):
        assert AP()(judgments.rank(scores)) == AP()([0, 2, 1, 0], scores, qid=["b", "a", "b", "a"])
    with pytest.raises(
        ValueError, match=r"y_score must have one entry per row of y_true \(4\), got 3"
    ):
        judgments.rank([1, 2, 3])


def test_group_sizes():
    judgments = Judgments.from_groups([1, 0, 2], [2, 0, 1])
    assert judgments.indptr.tolist() == [0, 2, 3]
    with pytest.raises(ValueError, match="its 2 sizes add up to 4, but there are 3 rows"):
        Judgments.from_groups([1, 0, 2], [2, 2])
    with pytest.raises(ValueError, match="group must hold query sizes, integers >= 0, got -1"):
        Judgments.from_groups([1, 0, 2], [4, -1])
    for sizes, bad in [([1.5, 1.5], "1.5"), ([2, np.nan, 1], "nan")]:
        with pytest.raises(ValueError, match=f"integers >= 0, got {bad}"):
            Judgments.from_groups([1, 0, 2], sizes)


def test_minus_zero_ties_with_zero():
    rankings = as_rankings([0, 1], [0.0, -0.0])
    assert rankings.tied.tolist() == [0, 1]
    assert AP()(rankings) == pytest.approx(0.75)


def test_scores_are_never_rounded():
    close = np.nextafter(1.0, 2.0)
    assert AP()([0, 1], [1.0, close]) == 1.0
    assert AP()([0, 1], [close, 1.0]) == 0.5
    assert AP()([0, 1], np.array([2**53 - 2, 2**53 - 1])) == 1.0
    told = r"^y_score .* got 9007199254740992 in row 0\. Sub"
    with pytest.raises(ValueError, match=told):
        AP()([0, 1], np.array([2**53, 2**53 + 1]))


def test_repr():
    rankings = as_rankings([0, 1, 1], [1, 2, 3], qid=[1, 1, 2])
    assert repr(rankings) == "<Rankings of 3 documents in 2 queries>"


def test_scoring_keeps_a_bounded_amount():
    """Tables of pairs of grades take n_queries * n_grades^2 numbers: here 29 MB a measure."""
    n_queries, n_grades = 600, 78
    y_true = np.arange(n_queries * 20) % n_grades
    y_score = np.arange(len(y_true)) % 7
    rankings = as_rankings(y_true, y_score, np.repeat(np.arange(n_queries), 20))
    evaluate(["nDCG", "P@5"], rankings)
    tracemalloc.start()
    names = [f"AP(rel={rel})" for rel in range(1, 6)]
    scores = evaluate([*names, "GAP(normalize=True)", "xGAP", "eGAP"], rankings)  # 234 MB
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 145e6
    assert peak < 300e6
    assert scores.n_queries == n_queries


def test_pickles_leave_out_what_can_be_computed_again():
    rankings = as_rankings(np.arange(4000) % 5, np.arange(4000), np.arange(4000) // 4)
    before = len(pickle.dumps(rankings))
    scores = evaluate(["xGAP", "GAP(normalize=True)", "nDCG@2"], rankings)
    assert len(pickle.dumps(rankings)) < 2 * before
    again = evaluate(
        ["xGAP", "GAP(normalize=True)", "nDCG@2"], pickle.loads(pickle.dumps(rankings))
    )
    assert again.mean() == scores.mean()


GRADES = st.integers(0, 260) | st.sampled_from([0.5, 1e6, 2.0**40]) | st.just(np.nan)


@given(st.lists(GRADES, min_size=1, max_size=20), st.sampled_from([np.float32, np.float64]))
def test_labels_are_read_in_one_pass_as_in_several(labels, dtype):
    labels = np.array(labels, dtype)
    grades, levels = levels_of(labels)
    judgments = Judgments(labels)
    np.testing.assert_array_equal(judgments.grades, grades)
    np.testing.assert_array_equal(judgments.levels, levels)
    assert judgments.levels.dtype == levels.dtype
    by_level = [np.sum(levels == level) for level in range(len(grades))]
    np.testing.assert_array_equal(judgments.counts, [by_level])
