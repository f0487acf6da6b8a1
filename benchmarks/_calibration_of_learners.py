"""How often intervals of repeated cross-validations hold, by learners trained on disjoint data."""

import itertools
from functools import partial

import numpy as np
from _calibration_of_choice import share
from _training_sets import lightgbm_example, mq2008
from lightgbm import LGBMRanker
from scipy import stats
from sklearn.linear_model import Ridge

from skgraded import nDCG
from skgraded._stats.repeats import repeated_interval
from skgraded.datasets import make_ranking

LEVEL = 0.05


def booster(**given):
    sampling = {"subsample": 0.7, "subsample_freq": 1, "colsample_bytree": 0.7}
    return LGBMRanker(
        **{"n_estimators": 30, "num_leaves": 7, "n_jobs": 1, "verbose": -1, **sampling, **given}
    )


LEARNERS = {
    "lambdarank": booster(random_state=1),
    "lambdarank, another seed": booster(random_state=2),
    "rank_xendcg": booster(objective="rank_xendcg", random_state=1),
    "deep": booster(num_leaves=31, min_child_samples=5, random_state=1),
    "ridge": Ridge(),
    "ridge on half": Ridge(),
    "ridge on the other half": Ridge(),
}
COLUMNS = {"ridge on half": slice(0, None, 2), "ridge on the other half": slice(1, None, 2)}
PAIRS = (
    ("lambdarank, another seed", "lambdarank"),
    ("rank_xendcg", "lambdarank"),
    ("deep", "lambdarank"),
    ("ridge", "lambdarank"),
    ("ridge on half", "ridge on the other half"),
)


def made_up(n_sets, n_queries, n_documents, **options):
    """Return data sets of one population: features and grades of each query."""
    X, y, _ = make_ranking(
        n_queries=n_sets * n_queries, docs_per_query=n_documents, random_state=7, **options
    )
    X, y = X.reshape(-1, n_documents, X.shape[1]), y.reshape(-1, n_documents)
    return cut_into_sets(list(X), list(y), n_queries)


def slices_of(read, n_queries):
    """Return disjoint parts of a real data set."""
    X, y, qid = read()
    ends = np.flatnonzero(np.diff(qid)) + 1
    queries = np.random.default_rng(7).permutation(len(ends) + 1)
    features, grades = np.split(X, ends), np.split(y, ends)
    return cut_into_sets([features[i] for i in queries], [grades[i] for i in queries], n_queries)


def cut_into_sets(X, y, n_queries):
    firsts = range(0, len(y) - n_queries + 1, n_queries)
    return [(X[i : i + n_queries], y[i : i + n_queries]) for i in firsts]


# Data sets, by their number where they are made up, and folds.
POPULATIONS = {
    "60 queries of 20, 3 folds": (partial(made_up, n_queries=60, n_documents=20), 3),
    "100 queries of 10, two grades, 3 folds": (
        partial(made_up, n_queries=100, n_documents=10, grade_shares=(0.9, 0.1), noise=2.0),
        3,
    ),
}
REAL = {
    "parts of 30 queries of LightGBM's example, 3 folds": (
        lambda _: slices_of(lightgbm_example, 30),
        3,
    ),
    "parts of 30 queries of MQ2008, 3 folds": (lambda _: slices_of(mq2008, 30), 3),
}


def values_of_learners(sets, n_folds, n_repeats):
    """Return nDCG@10 by learner, set, repeat and query, and the fold of every query."""
    n_sets, n_queries = len(sets), len(sets[0][1])
    folds = np.empty((n_sets, n_repeats, n_queries), dtype=np.int64)
    values = np.empty((len(LEARNERS), n_sets, n_repeats, n_queries))
    for place, repeat in np.ndindex(n_sets, n_repeats):
        fold = np.random.default_rng([place, repeat]).permutation(n_queries) % n_folds
        folds[place, repeat] = fold
        for tested_fold in range(n_folds):
            test = fold == tested_fold
            values[:, place, repeat, test] = values_of_fold(*sets[place], test)
    return values, folds


def values_of_fold(X, y, test):
    """Train on some queries and return the values of the others, by learner."""
    train, test = np.flatnonzero(~test), np.flatnonzero(test)
    seen, labels = (np.concatenate([each[i] for i in train]) for each in (X, y))
    unseen, grades = (np.concatenate([each[i] for i in test]) for each in (X, y))
    qid = np.repeat(test, [len(y[i]) for i in test])
    found = []
    for name, learner in LEARNERS.items():
        columns = COLUMNS.get(name, slice(None))
        group = {} if "ridge" in name else {"group": [len(y[i]) for i in train]}
        score = learner.fit(seen[:, columns], labels, **group).predict(unseen[:, columns])
        found.append(nDCG(k=10).per_query(grades, score, qid=qid).values)
    return np.array(found)


def learner_rows(populations, n_sets, repeats):
    """Coverage of the mean over all data sets of a population, of which each is cross-validated."""
    for population, (sets_of, n_folds) in populations.items():
        sets = sets_of(n_sets)
        values, folds = values_of_learners(sets, n_folds, max(repeats))
        names = list(LEARNERS)
        for (one, other), some in itertools.product(PAIRS, repeats):
            differences = values[names.index(one)] - values[names.index(other)]
            held, width = held_and_width(differences[:, :some], folds[:, :some], differences.mean())
            yield [population, len(sets), f"{one} - {other}", some, held, width]


def held_and_width(differences, folds, truth):
    found = [
        repeated_interval(each[None], folds=fold)
        for each, fold in zip(differences, folds, strict=True)
    ]
    mean, low, high = (
        np.ravel([getattr(each, name) for each in found]) for name in ("mean", "low", "high")
    )
    spread = 2 * stats.norm.isf(LEVEL / 2) * mean.std(ddof=1)
    return share((low <= truth) & (truth <= high)), f"{(high - low).mean() / spread:.2f}"
