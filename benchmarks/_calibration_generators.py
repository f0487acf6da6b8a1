"""Differences of queries whose true mean is known: made up, or drawn from real sets.

A generator draws columns of differences from a generator of random numbers and a shape, and returns
them with their true means and standard deviations.
"""

from functools import cache, partial

import numpy as np
from _training_sets import FOLDER, lightgbm_example, mq2008, ohsumed
from scipy import special

from skgraded import evaluate, trec

N_OF_POPULATION = 1_000_000
N_SYSTEMS = 143
MEASURES = ("nDCG@10", "P@5", "RR", "xGAP(g=[0.1,0.9])@10")
_ROUNDING = 1e-14


def by_copula(rng, shape, first, second, shared):
    """Draw the difference of two beta-distributed values that share how hard a query is."""
    hardness = rng.normal(size=shape)
    apart = np.sqrt(1 - shared**2)
    one, other = (
        special.ndtr(shared * hardness + apart * rng.normal(size=shape))
        for _ in range(2)
    )
    return special.betaincinv(first, second, one) - special.betaincinv(
        first, second, other
    )


def reciprocal_ranks(rng, shape, moved):
    one = rng.geometric(0.45, shape)
    other = np.where(rng.random(shape) < moved, rng.geometric(0.45, shape), one)
    return 1 / one - 1 / other


def precisions(rng, shape):
    one, other = (rng.binomial(10, 0.4, shape) for _ in range(2))
    return (rng.random(shape) < 0.6) * (one - other) / 10


def rare_losses(rng, shape, lost, most):
    """Lose much in some queries, and win at most so much in 30 %."""
    u = rng.random(shape)
    loss = rng.beta(1, 2, shape)
    win = most * rng.beta(1, 3, shape)
    return np.where(u < lost, -loss, np.where(u < lost + 0.3, win, 0.0))


def catastrophes(rng, shape, share, *, loss=1.0, spread=0.02, mean=0.0):
    """Lose much in a share of the queries, such that the mean over all of them is this one."""
    others = (mean + share * loss) / (1 - share)
    usual = others + spread * rng.normal(size=shape)
    return np.where(rng.random(shape) < share, -loss, usual)


def first_hits(rng, shape, won, lost):
    """Differences of values that are 0 or 1."""
    u = rng.random(shape)
    return np.where(u < won, 1.0, np.where(u < won + lost, -1.0, 0.0))


def one_sided(rng, shape, share):
    """Gain in some queries, and lose in none."""
    gains = np.minimum(rng.gamma(0.6, 0.25, shape), 1.0)
    return (rng.random(shape) < share) * gains


def two_kinds(rng, shape):
    """Gain a little in most queries, of the head, and lose in the tail."""
    head = 0.02 + 0.05 * rng.normal(size=shape)
    tail = -0.08 + 0.25 * rng.normal(size=shape)
    return np.where(rng.random(shape) < 0.8, head, tail)


MADE_UP = {
    "normal, SD 0.15": lambda rng, shape: 0.15 * rng.normal(size=shape),
    "normal, SD 0.03": lambda rng, shape: 0.03 * rng.normal(size=shape),
    "normal, SD 0.005": lambda rng, shape: 0.005 * rng.normal(size=shape),
    "t3": lambda rng, shape: 0.1 * rng.standard_t(3, shape),
    "t2, clipped": lambda rng, shape: 0.1 * rng.standard_t(2, shape),
    "nDCG-like": partial(by_copula, first=0.8, second=1.2, shared=0.8),
    "AP-like": partial(by_copula, first=0.5, second=2.0, shared=0.6),
    "gamma, right skew": lambda rng, shape: 0.15 * (rng.gamma(0.5, 1.0, shape) - 0.5),
    "gamma, left skew": lambda rng, shape: -0.15 * (rng.gamma(0.5, 1.0, shape) - 0.5),
    "lognormal": lambda rng, shape: 0.05 * (rng.lognormal(size=shape) - np.exp(0.5)),
    "half zeros": lambda rng, shape: (
        rng.integers(2, size=shape) * (rng.exponential(0.1, shape) - 0.1)
    ),
    "5 % differ": lambda rng, shape: (
        (rng.random(shape) < 0.05) * rng.uniform(-0.9, 0.9, shape)
    ),
    "P@10, 60 % differ": precisions,
    "P@1, 15 % win, 15 % lose": partial(first_hits, won=0.15, lost=0.15),
    "success, 3 % win": partial(first_hits, won=0.03, lost=0.0),
    "RR, 20 % move": partial(reciprocal_ranks, moved=0.2),
    "RR, all move": partial(reciprocal_ranks, moved=1.0),
    "a fifth gains, none loses": partial(one_sided, share=0.2),
    "head and tail": two_kinds,
    "8 % lose, 30 % win a little": partial(rare_losses, lost=0.08, most=0.15),
    "4 % lose, 30 % win as much": partial(rare_losses, lost=0.04, most=0.16 / 0.9),
    "10 % lose 0.45": partial(catastrophes, share=0.1, loss=0.45, spread=0.0),
    "15 % lose 0.6": partial(catastrophes, share=0.15, loss=0.6, spread=0.05),
    "5 % lose 0.5": partial(catastrophes, share=0.05, loss=0.5, spread=0.05),
    "3 % lose everything": partial(catastrophes, share=0.03, spread=0.05),
    "1 % lose everything": partial(catastrophes, share=0.01),
}
# Measures that are 0 or 1, of which compare allows for everything by default.
OF_0_AND_1 = {
    "P@1, 15 % win, 15 % lose",
    "success, 3 % win",
    "LightGBM's example, seeds, P@1",
}


@cache
def moments(name):
    """Return the mean and the standard deviation of what is made up."""
    population = np.clip(
        MADE_UP[name](np.random.default_rng(1), N_OF_POPULATION), -1.0, 1.0
    )
    mean = population.mean()
    spread = population.std()
    is_by_chance = np.abs(mean) < 4.0 * spread / np.sqrt(N_OF_POPULATION)
    return (0.0 if is_by_chance else mean), spread


def made_up(name):
    """Return how columns of what is made up are drawn."""
    mean, spread = moments(name)

    def columns(rng, n_queries, n_columns):
        differences = np.clip(MADE_UP[name](rng, (n_queries, n_columns)), -1.0, 1.0)
        return differences, np.full(n_columns, mean), np.full(n_columns, spread)

    return columns


# Real sets: runs, as many mixtures of features of documents, and rankers trained in folds.


@cache
def values_of(name):
    """Return values of shape (n_systems, n_queries, n_measures) of a real set."""
    if name == "TREC-COVID":
        folder = FOLDER / "trec-covid-round1"
        runs = sorted((folder / "runs").iterdir())
        qrels = folder / "qrels.covid-round1.txt"
        return trec.evaluate(list(MEASURES), qrels, runs).values
    X, y, qid = {"MQ2008": mq2008, "OHSUMED": ohsumed}[name]()
    shares = np.full(X.shape[1], 0.15)
    weights = np.random.default_rng(0).dirichlet(shares, size=N_SYSTEMS)
    rankers = {f"mixture {i}": X @ mixture for i, mixture in enumerate(weights)}
    return evaluate(list(MEASURES), y, rankers, qid=qid).values


def pairs_of(values):
    """Return the differences of all pairs, shape (n_queries, n_pairs)."""
    one, other = np.triu_indices(len(values), 1)
    differences = (values[other] - values[one]).T
    is_rounding = np.abs(differences) < _ROUNDING
    return np.ascontiguousarray(np.where(is_rounding, 0.0, differences))


@cache
def out_of_fold(name):
    """Score a set by two seeds of LightGBM and a ridge regression, each in five folds."""
    from lightgbm import LGBMRanker
    from sklearn.linear_model import Ridge

    read = {"LightGBM": lightgbm_example, "MQ2008": mq2008, "OHSUMED": ohsumed}[name]
    X, y, qid = read()
    _, query = np.unique(qid, return_inverse=True)
    fold_of_query = np.random.default_rng(0).integers(5, size=query.max() + 1)
    fold = fold_of_query[query]
    settings = {"n_estimators": 50, "colsample_bytree": 0.5, "n_jobs": 1}
    scores = {system: np.zeros(len(y)) for system in ("one seed", "another", "ridge")}
    for tested in range(5):
        is_tested = fold == tested
        order = np.flatnonzero(~is_tested)
        order = order[np.argsort(query[order], kind="stable")]
        sizes = np.unique(query[order], return_counts=True)[1]
        for seed, system in enumerate(("one seed", "another")):
            ranker = LGBMRanker(**settings, random_state=seed, verbose=-1)
            ranker.fit(X[order], y[order], group=sizes)
            scores[system][is_tested] = ranker.predict(X[is_tested])
        ridge = Ridge(alpha=10.0).fit(X[order], y[order])
        scores["ridge"][is_tested] = ridge.predict(X[is_tested])
    return y, scores, qid


@cache
def scores_of_runs():
    folder = FOLDER / "trec-covid-round1"
    measures = ["nDCG@10", "P@5", "RR", "ERR", "AP", "P@1"]
    qrels = folder / "qrels.covid-round1.txt"
    return trec.evaluate(measures, qrels, sorted((folder / "runs").iterdir()))


def differences_in_folds(name, measure, other):
    y, scores, qid = out_of_fold(name)
    values = evaluate(measure, y, scores, qid=qid).cube[:, 0, :, 0]
    systems = list(scores)
    return values[systems.index(other)] - values[0]


def differences_of_runs(measure, first, second):
    """Return the differences of two runs by their places among all, the best one being 0."""
    scores = scores_of_runs()
    values = scores[measure].values
    best_first = np.argsort(-values.mean(axis=1), kind="stable")
    return values[best_first[second]] - values[best_first[first]]


REAL = {
    "LightGBM's example, seeds, nDCG@10": ("LightGBM", "nDCG@10", "another"),
    "LightGBM's example, seeds, P@1": ("LightGBM", "P(rel=3)@1", "another"),
    "LightGBM's example, ridge, RR": ("LightGBM", "RR(rel=3)", "ridge"),
    "LightGBM's example, ridge, AP": ("LightGBM", "AP(rel=2)@10", "ridge"),
    "MQ2008, seeds, nDCG@10": ("MQ2008", "nDCG@10", "another"),
    "MQ2008, seeds, AP": ("MQ2008", "AP(rel=2)@10", "another"),
    "MQ2008, ridge, RR": ("MQ2008", "RR", "ridge"),
    "OHSUMED, seeds, nDCG@10": ("OHSUMED", "nDCG@10", "another"),
    "OHSUMED, seeds, xGAP": ("OHSUMED", "xGAP(g=[0.1,0.9])@10", "another"),
    "OHSUMED, ridge, P@5": ("OHSUMED", "P@5", "ridge"),
    "TREC-COVID, places 1 and 4, nDCG@10": ("nDCG@10", 0, 3),
    "TREC-COVID, places 1 and 40, AP": ("AP", 0, 39),
    "TREC-COVID, places 20 and 30, ERR": ("ERR", 19, 29),
    "TREC-COVID, places 10 and 70, RR": ("RR", 9, 69),
    "TREC-COVID, places 5 and 50, P@5": ("P@5", 4, 49),
}


@cache
def population_of(name):
    """Return the differences of all queries of a real set."""
    read = differences_of_runs if name.startswith("TREC") else differences_in_folds
    differences = read(*REAL[name])
    return np.where(np.abs(differences) < _ROUNDING, 0.0, differences)


def drawn_from(name):
    """Return how columns are drawn from the queries of a real set."""
    population = population_of(name)

    def columns(rng, n_queries, n_columns):
        places = rng.integers(len(population), size=(n_queries, n_columns))
        means = np.full(n_columns, population.mean())
        return population[places], means, np.full(n_columns, population.std())

    return columns


def generators():
    """Return all generators by their names."""
    return {name: made_up(name) for name in MADE_UP} | {
        name: drawn_from(name) for name in REAL
    }
