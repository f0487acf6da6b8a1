"""Scores, labels and query ids that other threads rewrite while they are evaluated."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np

from skgraded import Judgments, Rankings, catalogue, measure

STRESS = Path(__file__).parents[1] / "sanitize" / "stress.py"


def test_arrays_that_others_rewrite_do_not_crash_the_process() -> None:
    # In a process of its own, which a segmentation fault ends. .ci/run does the same under the
    # address and the thread sanitizer.
    run = subprocess.run(
        [sys.executable, STRESS, "--seconds", "3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_threads_that_share_judgments_get_the_values_of_one() -> None:
    # What labels determine is kept when somebody first asks for it. Here six threads ask at once,
    # which is a race where Python has no lock of its own.
    rng, n_racers = np.random.default_rng(0), 6
    labels, qid = rng.integers(0, 5, 2000), np.repeat(np.arange(40), 50)
    scores = rng.integers(0, 500, 2000) / 512
    alone = {
        name: values_of(name, Judgments(labels, qid=qid).rank(scores))
        for name in catalogue()
    }
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
