"""Scores, labels and query ids that other threads rewrite while they are evaluated."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from skgraded import Judgments, Rankings, _core, catalogue, measure

STRESS = Path(__file__).parent / "sanitize" / "stress.py"


def test_arrays_that_others_rewrite_do_not_crash_the_process() -> None:
    # In a process of its own, which a segmentation fault ends. .ci/run does the same under the
    # address and the thread sanitizer.
    run = subprocess.run(
        [sys.executable, STRESS, "--seconds", "3"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("n_threads", [-1, 0, 1000, 2**31, 2**40, 2**63 - 1])
def test_a_kernel_takes_any_number_of_threads(n_threads: int) -> None:
    rng = np.random.default_rng(0)
    indptr = np.arange(0, 200_001, 100)
    scores, schedule = rng.random(indptr[-1]), _core.schedule_queries(indptr)
    level = rng.integers(0, 5, indptr[-1]).astype(np.uint8)
    order, tied = _core.rank(scores, indptr, schedule, 1)
    again, ties_again = _core.rank(scores, indptr, schedule, n_threads)
    np.testing.assert_array_equal(again, order)
    np.testing.assert_array_equal(ties_again, tied)
    sums = [
        _core.cascade(level, tied, indptr, 1 / np.arange(1.0, 101), np.arange(5) / 5, 50, True, n)
        for n in (1, n_threads)
    ]
    np.testing.assert_array_equal(*sums)


def test_threads_that_share_judgments_get_the_values_of_one() -> None:
    # What labels determine is kept when somebody first asks for it. Here six threads ask at once,
    # which is a race where Python has no lock of its own.
    rng, n_racers = np.random.default_rng(0), 6
    labels, qid = rng.integers(0, 5, 2000), np.repeat(np.arange(40), 50)
    scores = rng.integers(0, 500, 2000) / 512
    alone = {name: values_of(name, Judgments(labels, qid=qid).rank(scores)) for name in catalogue()}
    start = Barrier(n_racers)

    def race(rankings: Rankings, name: str) -> np.ndarray:
        start.wait()
        return values_of(name, rankings)

    with ThreadPoolExecutor(n_racers) as pool:
        for name, expected in alone.items():
            shared = Judgments(labels, qid=qid).rank(scores)
            for found in pool.map(race, [shared] * n_racers, [name] * n_racers):
                np.testing.assert_array_equal(found, expected, err_msg=name)


def values_of(name: str, rankings: Rankings) -> np.ndarray:
    return measure(name).per_query(rankings).values
