"""Layout, forms and limits of input."""

import contextlib
import pickle
import time
import tracemalloc
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

from skgraded import (
    AP,
    RR,
    Judgments,
    QueryKFold,
    catalogue,
    evaluate,
    measure,
    nDCG,
    query_target,
    trec,
)
from skgraded.measures import ADM, PairPart
from skgraded.rankings import as_rankings, levels_of

# These tests call measures whose scale is open on purpose, and long lists of one query.
pytestmark = [
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning"),
]


@pytest.mark.parametrize(
    "make", [list, lambda ids: np.array(ids, dtype=object), pd.Series]
)
def test_numbers_and_text_as_ids_of_one_column_stay_different(make):
    ids = make([7, "7", 7, "a", "7", "a"])
    y_true, y_score = [1, 0, 0, 2, 1, 0], [6, 5, 4, 3, 2, 1]
    expected = nDCG().per_query(y_true, y_score, qid=[0, 1, 0, 2, 1, 2]).values
    for target, qid in ((y_true, ids), (query_target(y_true, ids), None)):
        found = nDCG().per_query(target, y_score, qid=qid)
        np.testing.assert_array_equal(found.values, expected)
        assert found.qid.tolist() == [7, "7", "a"]
    folds = [
        test for _, test in QueryKFold(3).split(np.zeros((6, 1)), y_true, groups=ids)
    ]
    assert sorted(map(len, folds)) == [2, 2, 2]


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
        assert AP()(judgments.rank(scores)) == AP()(
            [0, 2, 1, 0], scores, qid=["b", "a", "b", "a"]
        )
    with pytest.raises(
        ValueError, match=r"y_score must have one entry per row of y_true \(4\), got 3"
    ):
        judgments.rank([1, 2, 3])


def test_group_sizes():
    assert Judgments.from_groups([1, 0, 2], [2, 0, 1]).indptr.tolist() == [0, 2, 3]


def test_minus_zero_ties_with_zero():
    rankings = as_rankings([0, 1], [0.0, -0.0])
    assert rankings.tied.tolist() == [0, 1]
    assert AP()(rankings) == pytest.approx(0.75)


def test_scores_are_never_rounded():
    close = np.nextafter(1.0, 2.0)
    assert AP()([0, 1], [1.0, close]) == 1.0
    assert AP()([0, 1], [close, 1.0]) == 0.5
    assert AP()([0, 1], np.array([2**53 - 2, 2**53 - 1])) == 1.0


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
    scores = evaluate(
        [*names, "GAP(normalize=True)", "xGAP", "eGAP"], rankings
    )  # 234 MB
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


@given(
    st.lists(GRADES, min_size=1, max_size=20), st.sampled_from([np.float32, np.float64])
)
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


# --- columns of any form --------------------------------------------------------------------------

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


class Stubborn:
    """What NumPy sees of a tensor of one number that has a gradient; it stands in for torch."""

    ndim = 0

    def __init__(self, value, error):
        self.value, self.error = value, error

    def __array__(self, dtype=None, copy=None):
        raise self.error

    def detach(self):
        return self

    def cpu(self):
        return np.float32(self.value)


def short(values, name):
    return np.array(values).astype(getattr(pytest.importorskip("ml_dtypes"), name))


FORMS = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "float16": lambda values: np.array(values, np.float16),
    "float32": lambda values: np.array(values, np.float32),
    "objects": lambda values: np.array(values, object),
    "bfloat16": lambda values: short(values, "bfloat16"),
    "float8_e4m3fn": lambda values: short(values, "float8_e4m3fn"),
    "a list of bfloat16": lambda values: list(short(values, "bfloat16")),
    "tensor": TensorLike,
    "tensor of bfloat16": lambda values: TensorLike(values, "torch.bfloat16"),
    "tensor of float8": lambda values: TensorLike(values, "torch.float8_e4m3fn"),
    "a list of tensors": lambda values: [
        Stubborn(v, RuntimeError("numpy()")) for v in values
    ],
    "a list of bfloat16 tensors": lambda values: [
        Stubborn(v, TypeError("BF")) for v in values
    ],
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_numbers_are_read_in_any_form(make):
    expected = nDCG()(Y, SCORE)
    assert nDCG()(Y, make(SCORE)) == expected
    assert nDCG()(make(Y), make(SCORE)) == expected


def test_short_floats_are_scores_of_a_dict():
    run = {"q": dict(zip("abc", short(SCORE, "bfloat16"), strict=True))}
    assert trec.evaluate("RR", {"q": {"c": 1}}, run).values.item() == 1.0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool])
def test_grades_are_read_of_any_type(dtype):
    assert AP()(np.array([1, 0, 1, 0]).astype(dtype), [4, 3, 2, 1]) == pytest.approx(
        5 / 6
    )


@pytest.mark.parametrize(
    "labels",
    [
        np.ma.masked_array([3, 0, 1], mask=[True, False, False]),
        pd.Series([pd.NA, 0, 1], dtype="Int64"),
        pl.Series([None, 0, 1]),
    ],
)
def test_missing_labels_are_unjudged(labels):
    assert nDCG()(labels, [3, 2, 1]) == nDCG()([np.nan, 0, 1], [3, 2, 1]) == 0.5


def test_lists_that_nothing_can_read_are_refused_as_before():
    class Other:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        nDCG()(Y, [Other(), Other(), Other()])


# --- input that would fill the memory, take for ever or lose digits -------------------------------


@pytest.mark.parametrize("name", ["GAP", "xGAP", "eGAP", "eGAP(g=linear)"])
def test_a_scale_up_to_a_billion_is_refused_before_memory_is_taken(name):
    tracemalloc.start()
    with pytest.raises(ValueError, match="must hold grades up to 10000"):
        measure(name)([0, 1_000_000_000], [1, 2])
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", [n for n, kind in catalogue().items() if n not in ("ADM", "infAP")]
)
def test_as_many_grades_as_documents_are_scored_or_refused(name):
    y_true = np.arange(20_000)
    tracemalloc.start()
    with contextlib.suppress(ValueError):
        measure(name)(y_true, -y_true)
    assert tracemalloc.get_traced_memory()[1] < 500_000_000
    tracemalloc.stop()


class FullMatrix(AP):
    """A measure whose matrix K says nothing about its factors."""

    shares_levels = True

    def pair_part(self, judgments):
        return PairPart(np.ones, np.zeros((1, judgments.n_levels, judgments.n_levels)))


def test_a_full_matrix_of_many_grades_is_refused_by_name():
    with pytest.raises(
        ValueError, match=r"at most 5,000 different grades for FullM.* got 5,001"
    ):
        FullMatrix()(np.arange(5001), np.arange(5001))


@pytest.mark.parametrize(
    "spec", ["nDCG" + " " * 5000 + "!", "nDCG" + " " * 50_000 + "@10"]
)
def test_blanks_are_refused_in_no_time(spec):
    started = time.process_time()
    with pytest.raises(ValueError, match=r"must be written Name|at most 10000 char"):
        measure(spec)
    assert time.process_time() - started < 5.0  # it took minutes


@pytest.mark.parametrize(
    "scores",
    [
        [2**53 - 1, 1, 2**53 - 1],
        [Decimal("0.1"), Decimal(0), Decimal("0.1")],
        [1, 0.5, 1],
    ],
)
def test_equal_numbers_of_any_type_tie(scores):
    assert RR()([0, 0, 1], scores) == 0.75


def test_rankings_own_their_scores():
    y_true, y_score = [2, 1, 0], np.array([1.0, 0.75, 0.5])
    rankings = as_rankings(y_true, y_score)
    before = ADM(max_grade=2)(rankings)
    y_score[:] = [0.1, 0.2, 0.3]
    assert ADM(max_grade=2)(rankings) == before == 0.75
    with pytest.raises(ValueError, match="read-only"):
        rankings.scores[0] = 0.0
