"""ERR where many documents tie: independent of the rows' order, and in linear time."""

import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skgraded import ERR


def mean_over_orders(stop: np.ndarray, k: int | None) -> float:
    """ERR of one tied block by the recursion over its documents, in quadratic time."""
    passed = np.zeros(len(stop) + 1)
    passed[0] = 1.0
    for n, s in enumerate(stop, start=1):
        drawn = np.arange(1, n + 1) / n
        passed[1 : n + 1] = (1 - drawn) * passed[1 : n + 1] + drawn * (1 - s) * passed[:n]
    stopped = -np.diff(passed) / np.arange(1, len(stop) + 1)
    return float(stopped[:k].sum())


def test_all_orders_of_tied_rows_give_the_same_bits() -> None:
    err, scores = ERR(max_grade=4), np.zeros(7)
    values = {err(list(order), scores) for order in set(permutations([4, 3, 2, 1, 0, 3, 2]))}
    assert len(values) == 1


@given(
    grades=st.lists(st.integers(0, 4), min_size=1, max_size=200),
    max_grade=st.integers(4, 30),
    seed=st.integers(0, 2**32 - 1),
    n_scores=st.integers(1, 4),
    k=st.none() | st.integers(1, 250),
)
def test_the_order_of_rows_does_not_change_a_bit(
    grades: list[int], max_grade: int, seed: int, n_scores: int, k: int | None
) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = np.array(grades), rng.integers(0, n_scores, len(grades))
    rows = rng.permutation(len(grades))
    err = ERR(max_grade=max_grade, k=k, empty=0.0)
    assert err(labels, scores) == err(labels[rows], scores[rows])


@given(
    grades=st.lists(st.integers(0, 4), min_size=2, max_size=300).filter(any),
    max_grade=st.integers(4, 30),
    k=st.none() | st.integers(1, 350),
)
def test_a_tied_list_is_the_mean_over_its_orders(
    grades: list[int], max_grade: int, k: int | None
) -> None:
    labels = np.array(grades)
    expected = mean_over_orders((2.0**labels - 1) / 2.0**max_grade, k)
    value = ERR(max_grade=max_grade, k=k)(labels, np.zeros(len(grades)))
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


@given(grade=st.integers(1, 4), n=st.integers(1, 100))
def test_ties_of_one_grade_have_the_bits_of_documents_that_do_not_tie(grade: int, n: int) -> None:
    labels = np.full(n, grade)
    assert ERR(max_grade=4)(labels, np.zeros(n)) == ERR(max_grade=4)(labels, np.arange(n))


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning")
@pytest.mark.parametrize("max_grade", [4, 10, 30])
def test_time_grows_with_the_length_of_a_tie(max_grade: int) -> None:
    def seconds(n: int) -> float:
        labels, scores = np.random.default_rng(0).integers(0, 5, n), np.zeros(n)
        err, best = ERR(max_grade=max_grade), np.inf
        for _ in range(3):
            start = time.process_time()
            err(labels, scores)
            best = min(best, time.process_time() - start)
        return best

    # Sixteen times the documents take some sixteen times as long, where the square would take 256.
    assert seconds(80_000) < 80 * seconds(5_000)
