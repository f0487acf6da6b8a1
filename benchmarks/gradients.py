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

A third table has queries of one size: 5, 10 and 120 documents, 5 and 31 grades, truncation at 30
and none, in processor time in one thread.

    python benchmarks/gradients.py [--queries N] [--repeats N]
"""

import argparse
import itertools
import time

import lightgbm as lgb
import numpy as np
from _timing import alternate, spread

from skgraded.lightgbm import objective

G = "[0.1,0.2,0.3,0.4]"
MEASURES = ("nDCG(gain=exp2)", f"xGAP(g={G})", f"eGAP(g={G})")


def make_scored_rows(n_queries):
    """Return labels, scores and query sizes."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.gamma(4.0, 30.0, n_queries), 1, 900).astype(np.int32)
    grades = rng.choice(5, int(sizes.sum()), p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(
        np.float32
    )
    return grades, 0.7 * grades + rng.standard_normal(len(grades)), sizes


def make_rows_of_one_size(size, n_grades, n_documents):
    """Return labels, scores and query sizes; 31 grades are equally frequent."""
    rng = np.random.default_rng(0)
    sizes = np.full(n_documents // size, size, np.int32)
    shares = [0.52, 0.32, 0.13, 0.02, 0.01] if n_grades == 5 else None
    grades = rng.choice(n_grades, int(sizes.sum()), p=shares).astype(np.float32)
    return (
        grades,
        2.8 / (n_grades - 1) * grades + rng.standard_normal(len(grades)),
        sizes,
    )


def lightgbms_iteration(name, rows, n_threads, truncation_level=30):
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
        "lambdarank_truncation_level": truncation_level,
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
            ratio = spread(runs / seconds["no noise"] / n_draws, ".2f")
            print(f"{each:32}{name:20} {1e3 * np.median(runs):>9.1f}   {ratio}")


def print_sizes(n_documents, repeats):
    """Print the ratio to the gradient part of lambdarank by size, grades and truncation."""
    heads = "lambdarank's ns a document", "ratio of nDCG", "of xGAP"
    print(
        f"\n{'documents, grades, truncation':32}"
        + "".join(f"{each:28}" for each in heads)
    )
    for size, n_grades, truncation in itertools.product(
        (5, 10, 120), (5, 31), (30, None)
    ):
        rows = make_rows_of_one_size(size, n_grades, n_documents)
        contestants = {
            name: lightgbms_iteration(name, rows, 1, truncation or 10**6)
            for name in ("lambdarank", "regression")
        }
        for each in (
            "nDCG(gain=exp2)",
            f"xGAP(g={[1 / (n_grades - 1)] * (n_grades - 1)})",
        ):
            ours = objective(each, truncation_level=truncation)
            contestants[each[:4]] = lambda ours=ours, rows=rows: ours(
                rows[0], rows[1], None, rows[2]
            )
        for run in contestants.values():
            run()
        seconds = alternate(contestants, repeats, time.process_time)
        theirs = seconds["lambdarank"] - seconds["regression"]
        cells = [spread(1e9 * theirs / len(rows[0]), ".1f")]
        cells += [spread(seconds[name] / theirs, ".2f") for name in ("nDCG", "xGAP")]
        print(
            f"{f'{size}, {n_grades}, {truncation}':32}"
            + "".join(f"{each:28}" for each in cells)
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=31_500)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    rows = make_scored_rows(options.queries)
    print(
        f"{len(rows[2])} queries, {len(rows[0])} documents, lightgbm {lgb.__version__}"
    )
    for n_threads in (1, 2):
        seconds = time_thread_count(rows, n_threads, options.repeats)
        theirs = seconds.pop("lambdarank") - seconds.pop("regression")
        print(f"\n{n_threads} thread(s){'':28}{'ms':28}ratio")
        print(f"{'gradient part of lambdarank':40}{spread(1e3 * theirs, '.1f')}")
        for each, runs in seconds.items():
            cells = spread(1e3 * runs, ".1f"), spread(runs / theirs, ".2f")
            print(f"{'objective(' + each + ')':40}{cells[0]:28}{cells[1]}")
    print_noises(rows, options.repeats)
    print_sizes(len(rows[0]) // 8, options.repeats)


if __name__ == "__main__":
    main()
