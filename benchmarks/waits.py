"""What users wait for, case by case, as a share of what LightGBM takes for the like.

Processor time on one thread, contestants in turns, medians. Evaluation: five measures with expected
ties against LightGBM's ndcg@10, which it evaluates on all threads whatever num_threads says.
Gradients: one call of an objective against the gradient part of lambdarank, which is the time of
an iteration of lambdarank less that of one of regression. TREC: all runs of a track (TREC-COVID's)
read and scored, plain and compressed by gzip, and studies of their scores by topic. Set
OPENBLAS_NUM_THREADS=1 for the studies.

    python benchmarks/waits.py [--queries N] [--repeats N] [--only WORD]
"""

import argparse
import gzip
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

import lightgbm as lgb
import numpy as np
from evaluate import MEASURES, lightgbms_metric, make_scored_rows
from gradients import lightgbms_iteration
from trec_evaluate import SKGRADED, plain_copies, track

from skgraded import trec, xgap_score
from skgraded._paired_tests import tukey_test
from skgraded.lightgbm import eval_metric, objective
from skgraded.studies import discriminative_power, swap_rates

THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
ITERATIONS = (1, 3, 10, 40)


def medians(contestants, repeats, calls=1):
    """Return the median processor time of every contestant, in seconds a call."""
    seconds = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(repeats):
        for name, run in contestants.items():
            start = time.process_time()
            for _ in range(calls):
                run()
            seconds[name].append((time.process_time() - start) / calls)
    return {name: statistics.median(runs) for name, runs in seconds.items()}


def show(what, seconds, unit, target, reference=None):
    """Print one row: the time, what it is a share of, and the share or time to reach."""
    scale = {"us": 1e6, "ms": 1e3, "ns": 1e9}[unit]
    share = f"{seconds / reference:>7.2f}" if reference else f"{'':7}"
    theirs = f"{scale * reference:>10.1f}" if reference else f"{'':10}"
    print(f"{what:58}{scale * seconds:>9.1f} {unit}{theirs}{share}   to reach {target}")


def tiny(repeats):
    """Ten queries of ten documents."""
    grades = np.tile([0.0, 1, 2, 0, 0, 1, 3, 0, 0, 0], 10)
    scores = np.random.default_rng(0).random(100)
    sizes, qid = np.full(10, 10), np.repeat(np.arange(10), 10)
    five, one = eval_metric(*MEASURES), eval_metric(MEASURES[2])
    found = medians(
        {
            "five": lambda: five(grades, scores, None, sizes),
            "one": lambda: one(grades, scores, None, sizes),
            "score": lambda: xgap_score(grades, scores, qid=qid, g=THRESHOLDS),
            "LightGBM": lightgbms_metric(grades, scores, sizes, 1),
        },
        repeats,
        calls=200,
    )
    reference = found["LightGBM"]
    show("10 x 10 documents: callback, five measures", found["five"], "us", "50 us", reference)
    show("10 x 10 documents: callback, one measure", found["one"], "us", "25 us", reference)
    show("10 x 10 documents: xgap_score", found["score"], "us", "80 us")


def scores_of_trees(grades, sizes):
    """Return predictions after so many trees of 255 leaves on four coarse features."""
    rng = np.random.default_rng(3)
    features = grades[:, None] * [0.5, 0.3, 0.2, 0.1] + rng.standard_normal((len(grades), 4))
    params = {
        "objective": "lambdarank",
        "num_leaves": 255,
        "max_bin": 15,
        "verbose": -1,
        "num_threads": 1,
    }
    booster = lgb.train(params, lgb.Dataset(features, grades, group=sizes), max(ITERATIONS))
    return {n: booster.predict(features, num_iteration=n, raw_score=True) for n in ITERATIONS}


def evaluation(n_queries, repeats):
    """Evaluate queries of about 120 documents."""
    grades, scores, sizes = make_scored_rows(n_queries, False)
    five = eval_metric(*MEASURES)
    found = medians(
        {
            "later": lambda: five(grades, scores, None, sizes),
            "first": lambda: eval_metric(*MEASURES)(grades, scores, None, sizes),
            "LightGBM": lightgbms_metric(grades, scores, sizes, 1),
        },
        repeats,
    )
    show("five measures, no ties, later calls", found["later"], "ms", "0.33", found["LightGBM"])
    show("five measures, no ties, first call", found["first"], "ms", "0.5", found["LightGBM"])
    query = np.repeat(np.arange(len(sizes)), sizes)
    for n, tied in scores_of_trees(grades, sizes).items():
        distinct = len(np.unique(query + 1j * tied)) / len(tied)
        found = medians(
            {
                "later": lambda tied=tied: five(grades, tied, None, sizes),
                "LightGBM": lightgbms_metric(grades, tied, sizes, 1),
            },
            repeats,
        )
        what = f"five measures, {n} trees, {distinct:.0%} distinct"
        show(what, found["later"], "ms", "0.45", found["LightGBM"])


def short_queries(n_queries, repeats):
    """Evaluate queries of five documents: time and memory of a document."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 5, 5 * n_queries).astype(np.float32)
    scores, sizes = rng.standard_normal(len(grades)), np.full(n_queries, 5)
    five = eval_metric(*MEASURES)
    found = medians(
        {
            "first call": lambda: eval_metric(*MEASURES)(grades, scores, None, sizes),
            "later calls": lambda: five(grades, scores, None, sizes),
        },
        repeats,
    )
    for name, seconds in found.items():
        show(f"{n_queries} x 5 documents, {name}, a document", seconds / len(grades), "ns", "80 ns")
    tracemalloc.start()
    five = eval_metric(*MEASURES)
    five(grades, scores, None, sizes)
    kept, peak = (each / len(grades) for each in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    print(f"{'':20}bytes a document: {kept:.0f} kept, {peak:.0f} at the peak   to reach 80")


def gradients(repeats):
    """Return the share of lambdarank's gradients by size of the queries and length of the scale."""
    for size, top, target in ((5, 4, 0.6), (10, 4, 0.6), (120, 30, 0.6), (120, 4, 0.3)):
        rng = np.random.default_rng(0)
        n_queries = 600_000 // size
        sizes = np.full(n_queries, size, np.int32)
        share = 0.5 ** np.arange(top + 1) if top < 10 else np.ones(top + 1)
        grades = rng.choice(top + 1, size * n_queries, p=share / share.sum()).astype(np.float32)
        rows = grades, 0.7 * grades + rng.standard_normal(len(grades)), sizes
        contestants = {
            "lambdarank": lightgbms_iteration("lambdarank", rows, 1),
            "regression": lightgbms_iteration("regression", rows, 1),
        }
        for each in ("nDCG(gain=linear)", f"xGAP(max_grade={top})"):
            ours = objective(each)
            contestants[each] = lambda ours=ours, rows=rows: ours(*rows[:2], None, rows[2])
        found = medians(contestants, repeats)
        theirs = found.pop("lambdarank") - found.pop("regression")
        for each, seconds in found.items():
            what = f"gradients of {each}, {size} documents, c = {top}"
            show(what, seconds, "ms", target, theirs)


def trec_runs(repeats):
    """Read and score the runs of a track by ten measures, then study 17 measures of them."""
    qrels, packed = track()
    with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as zipped:
        runs = plain_copies(packed, Path(plain))
        for path in runs:
            (Path(zipped) / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        gz = sorted(Path(zipped).iterdir())
        found = medians(
            {
                "plain": lambda: trec.evaluate(qrels, runs, SKGRADED, n_threads=1),
                ".gz": lambda: trec.evaluate(qrels, gz, SKGRADED, n_threads=1),
            },
            repeats,
        )
        show(f"{len(runs)} TREC runs, ten measures, plain", found["plain"], "ms", "200 ms")
        show(f"{len(runs)} TREC runs, ten measures, .gz", found[".gz"], "ms", "500 ms")
        more = ["RR", "ERR", "QMeasure", "Bpref", "GAP", "xGAP", "eGAP"]
        studies(trec.evaluate(qrels, runs, [*SKGRADED, *more]), repeats)


def studies(scores, repeats):
    """Test and compare all pairs of systems."""
    values = scores.values[:, :, 0]
    found = medians(
        {
            "Tukey": lambda: tukey_test(values, 100_000, np.random.default_rng(0)),
            "swaps": lambda: swap_rates(scores),
            "bootstrap": lambda: discriminative_power(scores),
        },
        repeats,
    )
    show(f"{len(values)} systems: Tukey's test, B = 10^5", found["Tukey"], "ms", "700 ms")
    show("swaps of 17 measures, 1000 trials", found["swaps"], "ms", "1500 ms")
    show("bootstrap of 17 measures, B = 1000", found["bootstrap"], "ms", "1000 ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=31_500, help="of about 120 documents")
    parser.add_argument("--short-queries", type=int, default=1_000_000, help="of 5 documents")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", choices=["tiny", "evaluation", "short", "gradients", "trec"])
    options = parser.parse_args()
    print(f"{'':58}{'ours':>9}   {'LightGBM':>10}  share")
    cases = {
        "tiny": lambda: tiny(options.repeats),
        "evaluation": lambda: evaluation(options.queries, options.repeats),
        "short": lambda: short_queries(options.short_queries, options.repeats),
        "gradients": lambda: gradients(options.repeats),
        "trec": lambda: trec_runs(options.repeats),
    }
    for name, run in cases.items():
        if options.only in (None, name):
            run()


if __name__ == "__main__":
    main()
