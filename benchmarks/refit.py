"""Ask whether a second training on all queries pays, and how far random folds mislead in time.

    python benchmarks/refit.py [refit] [time] [--repeats N] [--sets NAME ...] [--histories N]

"refit" tests three ways to choose the number of iterations on new queries: stop on a fifth of the
training queries ("stop"), train again on all of them with the iterations found ("refit"), or with
those that are best on average over five folds ("five folds"). The sets are made up, read from the
folder SKGRADED_DATA, or made up with queries that change in time, of which the latest are tested.

"time" estimates the value on the queries of the near future, by random folds and by splits in time,
and prints the mean error of each estimate over made-up histories.
"""

import argparse

import numpy as np
from _training_sets import lightgbm_example, mq2008, ohsumed, synthetic
from lightgbm import LGBMRanker
from scipy.stats import t

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryTimeSeriesSplit,
    compare,
    cross_validate_queries,
    query_target,
)

MEASURE = "nDCG@10"
N_FEATURES = 12
N_DOCUMENTS = 15


def model(n_estimators=200):
    return LGBMRanker(
        n_estimators=n_estimators, num_leaves=15, n_jobs=1, verbose=-1, random_state=0
    )


class FiveFolds(QueryRanker):
    """A ranker with the number of iterations that is best on average over five folds."""

    def fit(self, X, y):
        """Train in every fold, then on all queries."""
        cv = QueryKFold(5) if self.shuffle else QueryTimeSeriesSplit(5)
        histories = []
        for train, test in cv.split(X, y):
            ranker = QueryRanker(self.estimator, measure=self.measure)
            ranker.fit(X[train], y[train], eval_X=X[test], eval_y=y[test])
            histories.append(ranker.evals_result_["valid_0"][str(ranker.measure_)])
        n_shortest = min(map(len, histories))
        mean = np.mean([history[:n_shortest] for history in histories], axis=0)
        self.estimator = model(int(mean.argmax()) + 1)
        return super().fit(X, y)


def drifting(kind, n_queries, seed):
    """Make up queries in the order of time, whose documents change in one of three ways."""
    rng = np.random.default_rng(seed)
    first, last = np.linalg.qr(rng.normal(size=(N_FEATURES, 2)))[0].T
    time = np.linspace(0, 1, n_queries)
    if kind == "slow":  # what is wanted turns by a right angle
        angle = time * np.pi / 2
    elif kind == "jump":  # it does so within a moment
        angle = np.where(time < 0.7, 0, np.pi / 2)
    else:  # the documents change, and what is wanted does not
        angle = np.zeros(n_queries)
    wanted = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * last

    X = rng.normal(size=(n_queries, N_DOCUMENTS, N_FEATURES))
    if kind == "documents":
        X += 3 * time[:, None, None] * first
    signal = np.einsum("qdf,qf->qd", X, wanted)
    signal = np.sin(signal) + 0.3 * signal + rng.normal(size=signal.shape) * 0.7
    order = signal.argsort(axis=1).argsort(axis=1)
    y = np.digitize(order, [9, 12, 14])
    qid = np.repeat(np.arange(n_queries), N_DOCUMENTS)
    return X.reshape(-1, N_FEATURES), y.ravel(), qid


SHIFTS = ["slow", "jump", "documents"]
SETS = {
    "made-up": lambda: synthetic(200),
    "LightGBM's example": lightgbm_example,
    "MQ2008": mq2008,
    "OHSUMED": ohsumed,
    **{
        f"in time: {kind}": lambda kind=kind: drifting(kind, 400, seed=1)
        for kind in SHIFTS
    },
}


def test_refit(names, n_repeats):
    print("set: differences in nDCG@10 on new queries, 95 % intervals, queries")
    for name in names:
        X, y, qid = SETS[name]()
        in_time = name.startswith("in time")
        stops = {
            "measure": MEASURE,
            "validation_fraction": 0.2,
            "early_stopping_rounds": 30,
            "random_state": 0,
            "shuffle": not in_time,
        }
        rankers = {
            "stop": QueryRanker(model(), **stops),
            "refit": QueryRanker(model(), refit=True, **stops),
            "five folds": FiveFolds(model(), measure=MEASURE, shuffle=not in_time),
        }
        cv = QueryTimeSeriesSplit(3, test_size=80) if in_time else QueryKFold(3)
        scores = cross_validate_queries(
            rankers, X, y, qid=qid, cv=cv, n_repeats=1 if in_time else n_repeats
        )
        print(f"\n{name}")
        print(compare(scores), flush=True)


def error_of_estimates(kind, seed):
    """Return the estimates of both ways, less the value on the queries that come next."""
    X, y, qid = drifting(kind, 400, seed)
    is_past = qid < 300
    past = (X[is_past], query_target(y[is_past], qid[is_past]))
    ranker = QueryRanker(model(40), measure=MEASURE)
    truth = ranker.fit(*past).score(
        X[~is_past], query_target(y[~is_past], qid[~is_past])
    )

    errors = []
    for cv in (QueryKFold(5), QueryTimeSeriesSplit(5, test_size=20)):
        scores = cross_validate_queries(ranker, *past, cv=cv)
        errors.append(scores.values.mean() - truth)
    return errors


def test_time(n_histories):
    print("\nestimate less the value on the next 100 of 400 queries, nDCG@10")
    for kind in ["none", *SHIFTS]:
        errors = np.array(
            [error_of_estimates(kind, seed) for seed in range(n_histories)]
        )
        half = t.ppf(0.975, n_histories - 1) * errors.std(axis=0, ddof=1)
        half /= np.sqrt(n_histories)
        for name, mean, width in zip(
            ["random folds", "splits in time"], errors.mean(axis=0), half, strict=True
        ):
            interval = f"[{mean - width:+.4f}, {mean + width:+.4f}]"
            print(f"{kind:10} {name:15} {mean:+.4f} {interval}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", default=["refit", "time"])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--histories", type=int, default=20)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    given = parser.parse_args()
    if "refit" in given.parts:
        test_refit(given.sets, given.repeats)
    if "time" in given.parts:
        test_time(given.histories)
