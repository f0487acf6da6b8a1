"""Long lists, many grades, high grades: values and memory."""

import os
import platform
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from skgraded import RBP, eGAP, evaluate, measure
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose, and long lists of one query.
pytestmark = [
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning"),
]


def test_a_high_top_grade_takes_no_room():
    y_true, y_score = np.tile([0, 0, 0, 0, 2000], 5000), np.tile(np.arange(5.0), 5000)
    rankings = as_rankings(y_true, y_score, np.repeat(np.arange(5000), 5))
    tracemalloc.start()
    value = eGAP(g="linear")(rankings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value == pytest.approx(1.0)
    assert peak < 20e6


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other allocators keep other blocks"
)
@pytest.mark.parametrize("n_queries", [2000, 3000])
def test_repeated_scoring_takes_the_memory_that_was_freed(n_queries):
    # QueryRanker imports scikit-learn, which fills the heap.
    code = f"""
import resource
import numpy as np
from skgraded import AP, Judgments, QueryRanker
rng = np.random.default_rng(0)
grades, scores = rng.integers(0, 5, {n_queries} * 100), rng.random({n_queries} * 100)
qid = np.repeat(np.arange({n_queries}), 100)
judgments, found = Judgments(grades, qid=qid), []
for _ in range(6):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    AP()(judgments, scores)
    found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(found[2:]))  # the system may take pages away now and then
"""
    run = [sys.executable, "-c", code]
    # Dask leaves a rule of its workers for glibc in the environment.
    env = {
        name: each
        for name, each in os.environ.items()
        if not name.startswith("MALLOC_")
    }
    found = subprocess.run(run, capture_output=True, text=True, check=True, env=env)
    assert (
        int(found.stdout) < 50
    )  # 750 and 1,140 where the system clears the pages of every call


def test_what_many_measures_have_computed_is_not_kept_for_ever():
    y_true, y_score = np.tile([0, 1, 2, 0], 5000), np.arange(20_000)
    rankings = as_rankings(y_true, y_score)
    tracemalloc.start()
    for p in np.linspace(0.01, 0.99, 200):
        RBP(p=p)(rankings)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 20 * y_score.nbytes


def test_moments_slice_by_slice_have_the_bits_of_all_at_once():
    rng = np.random.default_rng(
        0
    )  # 20,000 queries of 8 levels have more than a million moments
    y_true, y_score = rng.integers(0, 8, 60_000), rng.integers(0, 3, 60_000)
    qid, half = np.repeat(np.arange(20_000), 3), slice(30_000)
    measures = [
        "xGAP(max_grade=7)",
        "QMeasure@2",
        "RprefRelative",
        "GAP(g=linear,normalize=True)",
    ]
    measures += [
        "nDCG@2",
        "DCG(gain=exp2)@2",
        "DCG@2",
        "DCG",
    ]  # of which two share their gains
    whole = evaluate(measures, y_true, y_score, qid=qid)
    part = evaluate(measures, y_true[half], y_score[half], qid=qid[half])
    np.testing.assert_array_equal(whole.values[:10_000], part.values)
    alone = [
        measure(each).per_query(y_true, y_score, qid=qid).values for each in measures
    ]
    np.testing.assert_array_equal(whole.values, np.column_stack(alone))
