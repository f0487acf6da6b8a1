"""Compare QueryRanker and scorers in scikit-learn with a handwritten loop over the same folds.

The loop takes the rows of a fold, counts query sizes, fits LGBMRanker, predicts, and calls the
measure. Its splits are the same, but are made before timing. Rows are grouped by query, as LightGBM
requires. All contestants use one thread and run in turns. Their CPU time is compared, because other
load on the machine changes it less than wall time.

    python benchmarks/model_selection_overhead.py [--queries N] [--docs N] [--trees N] [--repeats N]
"""

import argparse
import statistics
import time

import lightgbm as lgb
import numpy as np
import sklearn
from sklearn.model_selection import cross_val_score

from skgraded import (
    QueryKFold,
    QueryRanker,
    cross_validate_queries,
    make_ranking_scorer,
    nDCG,
    query_target,
)
from skgraded.datasets import make_ranking

MEASURE = nDCG(k=10)
CV = QueryKFold(5)
BY_HAND = "loop by hand"


def contestants(X, y, qid, n_trees):
    """Map names of the contestants to functions that return the five scores."""
    model = lgb.LGBMRanker(n_estimators=n_trees, n_jobs=1, verbose=-1)
    ranker, scorer = QueryRanker(model, measure=MEASURE), make_ranking_scorer(MEASURE)
    splits = list(CV.split(X, groups=qid))

    def by_hand():
        scores = []
        for train, test in splits:
            sizes = np.unique(qid[train], return_counts=True)[1]
            fitted = sklearn.clone(model).fit(X[train], y[train], group=sizes)
            scores.append(MEASURE(y[test], fitted.predict(X[test]), qid=qid[test]))
        return scores

    def routed():
        with sklearn.config_context(enable_metadata_routing=True):
            return cross_val_score(ranker, X, y, params={"qid": qid}, scoring=scorer, cv=CV)

    target = query_target(y, qid)
    return {
        BY_HAND: by_hand,
        "cross_val_score, query_target": lambda: cross_val_score(
            ranker, X, target, scoring=scorer, cv=CV
        ),
        "cross_val_score, routing": routed,
        "cross_validate_queries": lambda: cross_validate_queries(
            ranker, X, y, qid=qid, cv=CV
        ).fold_means()[:, 0],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--docs", type=int, default=100)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    X, y, qid = make_ranking(n_queries=options.queries, docs_per_query=options.docs, random_state=0)
    print(f"{options.queries} queries, {len(y)} documents, {options.trees} trees, 5 folds")
    runs = contestants(X, y, qid, options.trees)
    found = [run() for run in runs.values()]
    assert all(np.array_equal(each, found[0]) for each in found), "the scores differ"
    seconds = cpu_seconds(runs, options.repeats)
    theirs = seconds[BY_HAND]
    print(f"{BY_HAND:32} {statistics.median(theirs):7.2f} s CPU, median of {options.repeats}")
    for name, ours in list(seconds.items())[1:]:
        more = [one - other for one, other in zip(ours, theirs, strict=True)]
        overhead = statistics.median(each / other for each, other in zip(more, theirs, strict=True))
        print(f"{name:32} {overhead:+7.1%}  {1e3 * statistics.median(more) / 5:+7.1f} ms a fold")


def cpu_seconds(runs, repeats):
    """Run the contestants in turns; return the CPU seconds of all runs by contestant."""
    seconds = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    return seconds


if __name__ == "__main__":
    main()
