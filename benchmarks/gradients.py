"""Compare the lambda gradients of nDCG, xGAP and eGAP with those of LightGBM's lambdarank.

The data have the size of MSLR-WEB30K, 31,500 queries of about 120 documents with five grades. The
truncation level is 30, and the contestants run in turns, in one thread and in two. LightGBM's time
is that of an iteration of lambdarank minus that of an iteration of regression, with the same data
and scores. The data have a single feature, so that growing trees takes hardly any time. Our time is
that of the whole call of the objective, which sorts, computes the derivatives and compares the
labels with those of the previous call.

A second table compares the mean over noisy scores with the gradient without noise, both whole
calls in one thread and in processor time: one draw, three, and the kind of noise. The ratio is that
of one draw.

    python benchmarks/gradients.py [--queries N] [--repeats N]
"""

import argparse
import statistics
import time

import lightgbm as lgb
import numpy as np
from _timing import alternate

from skgraded.lightgbm import objective

G = "[0.1,0.2,0.3,0.4]"
MEASURES = ("nDCG(gain=exp2)", f"xGAP(g={G})", f"eGAP(g={G})")


def make_scored_rows(n_queries):
    """Return labels, scores and query sizes."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.gamma(4.0, 30.0, n_queries), 1, 900).astype(np.int32)
    grades = rng.choice(5, int(sizes.sum()), p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(np.float32)
    return grades, 0.7 * grades + rng.standard_normal(len(grades)), sizes


def lightgbms_iteration(name, rows, n_threads):
    """Return one iteration of LightGBM from the given scores, which it hardly changes."""
    grades, scores, sizes = rows
    params = {
        "objective": name,
        "verbose": -1,
        "num_threads": n_threads,
        "num_leaves": 2,
        "learning_rate": 1e-9,
        "boost_from_average": False,
        "metric": "None",
    }
    feature = np.random.default_rng(1).standard_normal((len(grades), 1))
    data = lgb.Dataset(feature, grades, group=sizes, init_score=scores, params=params)
    return lgb.Booster(params, data).update


def time_thread_count(rows, n_threads, repeats):
    """Return the seconds of all runs by contestant; contestants run in turns."""
    grades, scores, sizes = rows
    contestants = {
        "lambdarank": lightgbms_iteration("lambdarank", rows, n_threads),
        "regression": lightgbms_iteration("regression", rows, n_threads),
    }
    for each in MEASURES:
        ours = objective(each, n_threads=n_threads)
        contestants[each] = lambda ours=ours: ours(grades, scores, None, sizes)
    for run in contestants.values():
        run()
    return alternate(contestants, repeats)


NOISES = {
    "no noise": {},
    "1 draw of gumbel": {"noise": "gumbel", "n_draws": 1},
    "3 draws of gumbel": {"noise": "gumbel", "n_draws": 3},
    "1 draw of logistic": {"noise": "logistic", "n_draws": 1},
}


def print_noises(rows, repeats):
    """Print what a draw of noise costs, as the ratio to the gradient without noise."""
    grades, scores, sizes = rows
    print(f"\n{'objective':32}{'noise':20} median ms   ratio of a draw")
    for each in MEASURES:
        contestants = {}
        for name, options in NOISES.items():
            ours = objective(each, **options)
            contestants[name] = lambda ours=ours: ours(grades, scores, None, sizes)
            contestants[name]()
        seconds = alternate(contestants, repeats, time.process_time)
        for name, runs in seconds.items():
            n_draws = NOISES[name].get("n_draws", 1)
            pairs = zip(runs, seconds["no noise"], strict=True)
            ratio = statistics.median(one / other for one, other in pairs) / n_draws
            print(f"{each:32}{name:20} {1e3 * statistics.median(runs):>9.1f}  {ratio:>6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=31_500)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    rows = make_scored_rows(options.queries)
    print(f"{len(rows[2])} queries, {len(rows[0])} documents, lightgbm {lgb.__version__}")
    for n_threads in (1, 2):
        seconds = time_thread_count(rows, n_threads, options.repeats)
        theirs = [
            ranking - regression
            for ranking, regression in zip(
                seconds.pop("lambdarank"), seconds.pop("regression"), strict=True
            )
        ]
        print(f"\n{n_threads} thread(s){'':28}median ms   ratio")
        print(f"{'gradient part of lambdarank':40} {1e3 * statistics.median(theirs):>8.1f}    1.00")
        for each, runs in seconds.items():
            ratio = statistics.median(a / b for a, b in zip(runs, theirs, strict=True))
            median = 1e3 * statistics.median(runs)
            print(f"{'objective(' + each + ')':40} {median:>8.1f}  {ratio:>6.2f}")
    print_noises(rows, options.repeats)


if __name__ == "__main__":
    main()
