"""What changes no value: the order of rows, threads, slices, other queries."""

import numpy as np
import pytest
import strategies
from facts import RANKED, fields_of
from hypothesis import given
from hypothesis import strategies as st

from skgraded import chunks, evaluate, lightgbm, xGAP

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

TOLERANCE = 1e-12


@given(strategies.long_data(), st.data())
def test_a_query_has_the_same_value_in_any_company(rows, data):
    name = data.draw(st.sampled_from(RANKED))
    chosen, _ = data.draw(fields_of(name, rows.max_grade, 1))
    together = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
    for query, value in zip(together.qid, together.values, strict=True):
        own = rows.qid == query
        alone = chosen.per_query(rows.y_true[own], rows.y_score[own]).values
        np.testing.assert_array_equal(alone, [value])  # to the last bit


@pytest.fixture(scope="module")
def many_rows():
    """Documents enough for 64 threads: grades, continuous labels, scores with ties, and ids."""
    rng = np.random.default_rng(3)
    qid = np.repeat(np.arange(11_000), rng.integers(1, 200, 11_000))
    y_true, scores = rng.integers(0, 5, len(qid)), np.round(rng.standard_normal(len(qid)), 2)
    return y_true, np.round(4 * rng.random(len(qid)), 2), scores, qid


def values(*names):
    return lambda grades, _, scores, qid, n_threads: [
        evaluate(names, grades, scores, qid=qid, n_threads=n_threads).values
    ]


def derivatives(chosen, noise=None):
    def of(grades, continuous, scores, qid, n_threads):
        labels = grades if "nDCG" in str(chosen) else continuous
        objective = lightgbm.objective(chosen, noise=noise, n_threads=n_threads)
        return objective(labels, scores, None, np.bincount(qid))

    return of


SHARED_OUT = {
    "prefix sums": values("AP", "GAP", "xGAP@5", "nDCG@3", "AP(ties=optimistic)", "QMeasure"),
    "other kernels": values("Bpref@7", "BprefTen@40", "RR", "ERR@50", "Success@2", "infAP"),
    "continuous labels": lambda _, continuous, scores, qid, n_threads: [
        evaluate(["xGAP", "eGAP"], continuous, scores, qid=qid, n_threads=n_threads).values
    ],
    "chunks": lambda grades, _, scores, qid, n_threads: [
        *chunks.evaluate("AP", [(grades, scores, qid)], n_threads=n_threads).mean().values()
    ],
    "metric": lambda grades, _, scores, qid, n_threads: [
        lightgbm.eval_metric("eGAP", n_threads=n_threads)(grades, scores, None, np.bincount(qid))
    ],
    "derivatives": derivatives("nDCG@10"),
    "derivatives on continuous labels": derivatives(xGAP(max_grade=4)),
    "derivatives with noise": derivatives("nDCG@3", "gumbel"),
}


@pytest.mark.parametrize("call", SHARED_OUT.values(), ids=SHARED_OUT)
def test_threads_change_no_bit(many_rows, call):
    one = call(*many_rows, None)
    for n_threads in (1, 2, 3, 7, 16, 64, -1):
        for alone, shared in zip(one, call(*many_rows, n_threads), strict=True):
            np.testing.assert_array_equal(alone, shared)
