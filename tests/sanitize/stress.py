"""Threads rewrite scores, labels and query ids in place while others evaluate them.

Every result is printed, pickled and asked for its ideal.

    python tests/sanitize/stress.py [--seconds S]

What comes out of such a race means nothing, but the process must survive it. It exits with 0 if it
does and every thread got some work done.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from skgraded import _core, catalogue, evaluate
from skgraded.lightgbm import objective
from skgraded.results import Scores

N_DOCUMENTS = 100_000
N_GRADES = 5
MEASURES = ["nDCG@10", "AP", "ERR", "Bpref", "xGAP(g=[0.1,0.2,0.3,0.4])"]
Work = Callable[[np.random.Generator], object]


def show(scores: Scores) -> None:
    """Print a result, pickle it, and ask it for its ideal."""
    assert str(pickle.loads(pickle.dumps(scores))) == str(scores)
    scores.ideal(), repr(scores), scores._repr_html_(), scores.to_json()


class Shared:
    """Arrays that all threads have in hands."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.labels = rng.integers(0, N_GRADES, N_DOCUMENTS)
        self.scores = 1.0 + rng.random(N_DOCUMENTS) * 1e-12
        self.qid = np.repeat(np.arange(100), N_DOCUMENTS // 100)
        self.ids = np.frombuffer(
            b"".join(b"%06d" % i for i in range(N_DOCUMENTS)), np.uint8
        )
        self.id_end = np.arange(6, 6 * N_DOCUMENTS + 1, 6)

    def rewrite_scores(self, rng: np.random.Generator) -> None:
        # Scores that share their leading bits are compared one by one.
        self.scores[:] = 1.0 + rng.random(N_DOCUMENTS) * 1e-12

    def rewrite_labels(self, rng: np.random.Generator) -> None:
        self.labels[:] = rng.integers(0, N_GRADES, N_DOCUMENTS)

    def rewrite_qid(self, rng: np.random.Generator) -> None:
        self.qid[:] = np.sort(rng.integers(0, 100, N_DOCUMENTS))

    def evaluate_one_query(self, rng: np.random.Generator) -> None:
        n_threads = int(rng.integers(1, 4))
        show(evaluate(MEASURES, self.labels, self.scores, n_threads=n_threads))

    def evaluate_queries(self, rng: np.random.Generator) -> None:
        n_threads = int(rng.integers(1, 4))
        show(
            evaluate(
                MEASURES, self.labels, self.scores, qid=self.qid, n_threads=n_threads
            )
        )

    def evaluate_any_grades(self, rng: np.random.Generator) -> None:
        # Grades between whole ones and above 31, in so many queries that slices are scored.
        n, top = int(rng.choice([60, 6_000, 30_000])), int(rng.integers(1, 45))
        labels = np.maximum(
            rng.integers(0, top + 1, n) - rng.choice([0.0, 0.0, 0.5, np.nan], n), 0
        )
        measures = [*rng.choice(list(catalogue()), 4), f"xGAP(max_grade={top})"]
        show(
            evaluate(
                measures, labels, rng.random(n), qid=np.arange(n) // rng.integers(1, 9)
            )
        )

    def train(self, rng: np.random.Generator) -> None:
        size = int(rng.choice([20, 200, 25_000]))
        kind = rng.choice(["gumbel", "logistic", None])
        derivatives = objective("nDCG@10", noise=kind, n_draws=2, n_threads=3)
        derivatives(self.labels, self.scores, None, np.full(N_DOCUMENTS // size, size))

    def rank(self, rng: np.random.Generator) -> None:
        indptr = np.arange(0, N_DOCUMENTS + 1, int(rng.choice([20, 200, 25_000])))
        order, _ = _core.rank(self.scores, indptr, _core.schedule_queries(indptr), 3)
        for first, last in pairwise(indptr):
            seen = np.bincount(order[first:last], minlength=last - first)
            assert (seen == 1).all(), "not a permutation"

    def order_documents(self, rng: np.random.Generator) -> None:
        indptr = np.array([0, N_DOCUMENTS])
        single = bool(rng.integers(2))
        _core.order_documents(
            self.scores, self.id_end, self.ids, indptr[:1], indptr, single
        )


def work_until(
    deadline: float, work: Work, seed: int, done: dict[str, int], failed: list[str]
) -> None:
    """Repeat the work; count how often it was done."""
    rng, name = np.random.default_rng(seed), work.__name__
    while time.monotonic() < deadline:
        try:
            work(rng)
        except ValueError:  # a query or a label that was half written may be refused
            continue
        except BaseException as error:
            failed.append(f"{name}: {error!r}")
            return
        done[name] = done.get(name, 0) + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    shared, done, failed = Shared(), {}, []
    works: list[Work] = [
        shared.rewrite_scores,
        shared.rewrite_labels,
        shared.rewrite_qid,
        shared.evaluate_one_query,
        shared.evaluate_queries,
        shared.evaluate_any_grades,
        shared.train,
        shared.rank,
        shared.order_documents,
    ]
    deadline = time.monotonic() + options.seconds
    threads = [
        threading.Thread(target=work_until, args=(deadline, work, seed, done, failed))
        for seed, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed += [
        f"{work.__name__}: never done" for work in works if not done.get(work.__name__)
    ]
    sys.stdout.write(f"done: {done}\nfailed: {failed}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
