"""Compare five measures with expected ties with LightGBM's built-in ndcg@10 on the same scores.

The data have the size of MSLR-WEB30K, 31,500 queries of about 120 documents with five grades. The
contestants run in turns, in one thread and in two. LightGBM evaluates scores that it already holds.
skgraded gets a new array of scores in every call, as in a training callback, and the same labels.

    python benchmarks/evaluate.py [--queries N] [--repeats N] [--ties]
"""

import argparse

import lightgbm as lgb
import numpy as np
from _timing import alternate, print_table

from skgraded.lightgbm import eval_metric

G = "[0.1,0.2,0.3,0.4]"
MEASURES = ("AP", f"GAP(g={G})", f"xGAP(g={G})", f"eGAP(g={G})", "nDCG@10")


def make_scored_rows(n_queries, with_ties):
    """Return labels, scores and query sizes; with ties, scores are multiples of 1/4."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.gamma(4.0, 30.0, n_queries), 1, 900).astype(np.int32)
    n_rows = int(sizes.sum())
    grades = rng.choice(5, n_rows, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(np.float32)
    scores = 0.7 * grades + rng.standard_normal(n_rows)
    return grades, np.round(4 * scores) / 4 if with_ties else scores, sizes


def lightgbms_metric(grades, scores, sizes, n_threads):
    """Return LightGBM's evaluation of the given scores, which are passed as initial scores."""
    params = {"verbose": -1, "num_threads": n_threads, "min_data_in_leaf": 1}
    data = lgb.Dataset(
        np.zeros((len(grades), 1)),
        grades,
        group=sizes,
        init_score=scores,
        params=params,
    )
    ranking = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10]}
    return lgb.Booster({**params, **ranking}, data).eval_train


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=31_500)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--ties", action="store_true", help="scores in steps of 1/4")
    options = parser.parse_args()
    grades, scores, sizes = make_scored_rows(options.queries, options.ties)
    print(f"{len(sizes)} queries, {len(grades)} documents, lightgbm {lgb.__version__}")
    for n_threads in (1, 2):
        theirs = lightgbms_metric(grades, scores, sizes, n_threads)
        ours = eval_metric(*MEASURES, n_threads=n_threads)
        contestants = {
            "LightGBM ndcg@10": theirs,
            "skgraded, first call": lambda n=n_threads: eval_metric(
                *MEASURES, n_threads=n
            )(grades, scores, None, sizes),
            "skgraded, later calls": lambda ours=ours: ours(
                grades, scores, None, sizes
            ),
        }
        for run in contestants.values():
            run()
        print(f"\n{n_threads} thread(s)")
        print_table(alternate(contestants, options.repeats), against="LightGBM ndcg@10")


if __name__ == "__main__":
    main()
