"""Layout and validation of input."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skgraded import AP, Judgments, QueryKFold, evaluate, nDCG, query_target, trec, xGAP
from skgraded.rankings import as_rankings, levels_of

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")


def test_masked_labels_are_unjudged():
    masked = np.ma.masked_array([3, 0, 1], mask=[True, False, False])
    assert nDCG()(masked, [3, 2, 1]) == nDCG()([np.nan, 0, 1], [3, 2, 1]) == 0.5


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
def test_labels_are_numbered_by_grade(labels, dtype):
    labels = np.array(labels, dtype)
    is_judged = ~np.isnan(labels)
    grades = np.unique(np.append(labels[is_judged], 0))
    levels = np.where(is_judged, np.searchsorted(grades, labels), len(grades))
    judgments = Judgments(labels)
    for found in (levels_of(labels), (judgments.grades, judgments.levels)):
        np.testing.assert_array_equal(found[0], grades)
        np.testing.assert_array_equal(found[1], levels)
        assert found[1].dtype == (np.uint8 if len(grades) < 255 else np.int32)
    by_level = [np.sum(levels == level) for level in range(len(grades))]
    np.testing.assert_array_equal(judgments.counts, [by_level])


# --- tensors and short floats, as arrays or one by one in lists and dicts -------------------------

Y, SCORE = [0, 1, 2], [0.5, 0.25, 1.0]  # exact in 8 bits


class TensorLike:
    """What torch does: numbers behind `detach` and `cpu`, and an error for NumPy."""

    def __init__(self, values, dtype="torch.float32", is_plain=False):
        self.values, self.dtype, self.is_plain = np.asarray(values), dtype, is_plain

    def detach(self):
        return TensorLike(self.values, self.dtype, self.dtype == "torch.float32")

    def cpu(self):
        return self

    def float(self):
        return TensorLike(self.values, "torch.float32", is_plain=True)

    def __array__(self, dtype=None, copy=None):
        if not self.is_plain:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16", "torch.float8_e4m3fn"])
def test_tensors_are_read_without_their_gradients(dtype):
    value = nDCG()(Y, SCORE)
    assert nDCG()(Y, TensorLike(SCORE, dtype)) == value
    assert nDCG()(TensorLike(Y, dtype), TensorLike(SCORE, dtype)) == value


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn"])
def test_short_floats_are_read_as_they_are(name):
    kind = np.float16 if name == "float16" else getattr(pytest.importorskip("ml_dtypes"), name)
    assert nDCG()(np.array(Y).astype(kind), np.array(SCORE).astype(kind)) == nDCG()(Y, SCORE)


def test_records_are_still_no_scores():
    with pytest.raises(ValueError, match="y_score must be numeric"):
        nDCG()(Y, np.zeros(3, dtype=[("score", float)]))


class Stubborn:
    """What NumPy sees of a tensor of one number that has a gradient; it stands in for torch."""

    ndim = 0

    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype

    def __array__(self, dtype=None, copy=None):
        raise self.dtype

    def detach(self):
        return self

    def cpu(self):
        return np.float32(self.value)


@pytest.mark.parametrize("error", [RuntimeError("Can't call numpy()"), TypeError("BFloat16")])
def test_lists_of_what_numpy_cannot_read_are_detached(error):
    assert nDCG()(Y, [Stubborn(each, error) for each in SCORE]) == nDCG()(Y, SCORE)


def test_lists_of_short_floats_are_read():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    listed = [ml_dtypes.bfloat16(each) for each in SCORE]
    assert nDCG()(Y, listed) == nDCG()(Y, SCORE)
    run = {"q": dict(zip("abc", listed, strict=True))}
    assert trec.evaluate("RR", {"q": {"c": 1}}, run).values.item() == 1.0


def test_lists_that_nothing_can_read_are_refused_as_before():
    class Other:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        nDCG()(Y, [Other(), Other(), Other()])
