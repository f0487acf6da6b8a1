"""How often intervals, p-values and decisions of one split err: made-up and real differences."""

import itertools
from functools import cache, partial

import numpy as np
from _training_sets import FOLDER, mq2008, ohsumed
from scipy import special, stats

from skgraded import compare, evaluate, trec
from skgraded._intervals.estimate import means
from skgraded.results import Scores

LEVEL = 0.05
NORMAL = stats.norm.isf(LEVEL / 2)
BOUNDS = (-1.0, 1.0)
QUERIES = (10, 30, 100, 300)
REAL, N_SYSTEMS = ("MQ2008", "OHSUMED", "TREC-COVID"), 143
MEASURES = ("nDCG@10", "P@5", "RR", "xGAP(g=[0.1,0.9])@10")


def by_copula(rng, size, first, second, shared):
    """Draw the difference of two beta-distributed values that share how hard a query is."""
    hardness, apart = rng.normal(size=size), np.sqrt(1 - shared**2)
    drawn = (
        special.ndtr(shared * hardness + apart * rng.normal(size=size))
        for _ in range(2)
    )
    one, other = (special.betaincinv(first, second, each) for each in drawn)
    return one - other


def reciprocal_ranks(rng, size, moved):
    one = rng.geometric(0.45, size)
    return 1 / one - 1 / np.where(
        rng.random(size) < moved, rng.geometric(0.45, size), one
    )


def precisions(rng, size):
    one, other = (rng.binomial(10, 0.4, size) for _ in range(2))
    return (rng.random(size) < 0.6) * (one - other) / 10


def rare_losses(rng, size, lost, most):
    """Lose much in some queries, and win at most so much in 30 %."""
    u, loss, win = rng.random(size), rng.beta(1, 2, size), most * rng.beta(1, 3, size)
    return np.where(u < lost, -loss, np.where(u < lost + 0.3, win, 0.0))


# The machine was chosen with such generators in view.
KNOWN = {
    "normal": lambda rng, size: 0.15 * rng.normal(size=size),
    "normal, small: SD 0.03": lambda rng, size: 0.03 * rng.normal(size=size),
    "t3": lambda rng, size: 0.1 * rng.standard_t(3, size),
    "nDCG-like": partial(by_copula, first=0.8, second=1.2, shared=0.8),
    "right skew": lambda rng, size: 0.15 * (rng.gamma(0.5, 1.0, size) - 0.5),
    "left skew": lambda rng, size: -0.15 * (rng.gamma(0.5, 1.0, size) - 0.5),
    "P@10, 60 % differ": precisions,
    "RR, 20 % move": partial(reciprocal_ranks, moved=0.2),
    "8 % lose, 30 % win a little": partial(rare_losses, lost=0.08, most=0.15),
    "5 % differ": lambda rng, size: (
        (rng.random(size) < 0.05) * rng.uniform(-0.9, 0.9, size)
    ),
}
FRESH = {
    "half zeros": lambda rng, size: (
        rng.integers(2, size=size) * (rng.exponential(0.1, size) - 0.1)
    ),
    "lognormal": lambda rng, size: 0.05 * (rng.lognormal(size=size) - np.exp(0.5)),
    "two points, 10 % at -0.45": lambda rng, size: np.where(
        rng.random(size) < 0.1, -0.45, 0.05
    ),
    "AP-like": partial(by_copula, first=0.5, second=2.0, shared=0.6),
    "reciprocal ranks": partial(reciprocal_ranks, moved=1.0),
    "clipped t2": lambda rng, size: 0.1 * rng.standard_t(2, size),
    "4 % lose, 30 % win as much": partial(rare_losses, lost=0.04, most=0.16 / 0.9),
    "3 % lose everything": lambda rng, size: np.where(
        rng.random(size) < 0.03, -1.0, rng.normal(0.03 / 0.97, 0.05, size)
    ),
}


def made_up(name):
    """Return how columns of differences are drawn, their true means and standard deviations."""
    draw = {**KNOWN, **FRESH}[name]
    many = np.clip(draw(np.random.default_rng(1), 1_000_000), *BOUNDS)
    mean = (
        many.mean() if np.abs(many.mean()) > 4 * many.std() / 1000 else 0.0
    )  # by chance

    def columns(rng, n_queries, n_columns):
        differences = np.clip(draw(rng, (n_queries, n_columns)), *BOUNDS)
        return differences, np.full(n_columns, mean), many.std()

    return columns


# Real sets: runs, and as many mixtures of features of documents. Queries are drawn from them.


@cache
def values_of(name):
    """Return values of shape (n_systems, n_queries, n_measures) of a real set."""
    if name == "TREC-COVID":
        folder = FOLDER / "trec-covid-round1"
        runs = sorted((folder / "runs").iterdir())
        return trec.evaluate(
            list(MEASURES), folder / "qrels.covid-round1.txt", runs
        ).values
    X, y, qid = {"MQ2008": mq2008, "OHSUMED": ohsumed}[name]()
    weights = np.random.default_rng(0).dirichlet(
        np.full(X.shape[1], 0.15), size=N_SYSTEMS
    )
    rankers = {f"mixture {i}": X @ each for i, each in enumerate(weights)}
    return evaluate(list(MEASURES), y, rankers, qid=qid).values


def pairs_of(values):
    """Return the differences of all pairs, shape (n_queries, n_pairs)."""
    one, other = np.triu_indices(len(values), 1)
    found = (values[other] - values[one]).T
    return np.ascontiguousarray(np.where(np.abs(found) < 1e-14, 0.0, found))


def real(name, measure, least=0.3):
    """Draw from another pair in each column, which differs in at least so many of its queries."""
    of_pairs = pairs_of(values_of(name)[..., MEASURES.index(measure)])
    of_pairs = of_pairs[:, (of_pairs != 0).mean(axis=0) >= least]

    def columns(rng, n_queries, n_columns):
        pairs = rng.integers(of_pairs.shape[1], size=n_columns)
        drawn = of_pairs[
            rng.integers(len(of_pairs), size=(n_queries, n_columns)), pairs
        ]
        return drawn, of_pairs.mean(axis=0)[pairs], of_pairs.std(axis=0)[pairs]

    return columns


def percent(values):
    return f"{100 * np.mean(values):.1f}"


def tails_and_width(interval, truth, error):
    """Tell both tails in percent, and half the width over 1.96 true errors."""
    low, high = interval.T
    width = ((high - low) / (2 * NORMAL * error)).mean()
    return f"{percent(truth < low)} / {percent(truth > high)} / {width:.2f}"


def one_split_rows(n_columns):
    """All that one split tells; a gate's bound is the truth."""
    drawn = {name: made_up(name) for name in (*KNOWN, *FRESH)}
    with_p_values = [name for name in drawn if "a little" not in name]
    for name, measure in itertools.product(REAL, MEASURES[:1] + MEASURES[2:]):
        drawn[f"{name}, {measure.partition('(')[0]}"] = real(name, measure)
    for label, columns in drawn.items():
        row, shares = [label], np.empty((3, len(QUERIES)))
        for place, n_queries in enumerate(QUERIES):
            rng = np.random.default_rng([n_queries, 7])
            differences, truth, deviation = columns(rng, n_queries, n_columns)
            found, error = (
                means(differences, bounds=BOUNDS),
                deviation / np.sqrt(n_queries),
            )
            row.append(tails_and_width(found.interval(1 - LEVEL), truth, error))
            low, high = found.interval(1 - LEVEL).T
            told = (found.p_value(truth) < LEVEL, low > truth, high < truth)
            shares[:, place] = np.mean(told, axis=1)
        p_values, *gate = (" ".join(map(percent, each)) for each in shares)
        yield [*row, p_values if label in with_p_values else "-", *gate]


def scores_of(values):
    """Return scores of systems by one measure, from values of shape (n_systems, n_queries)."""
    return Scores(
        measures=("value",),
        qid=np.arange(values.shape[1]),
        values=np.ascontiguousarray(values[:, :, None]),
        directions=(1,),
        systems=tuple(f"system {i}" for i in range(len(values))),
    )


def distance_from_compare(n_systems=1000, n_queries=30):
    """Return how far the numbers are from those of `compare` of so many systems and a baseline."""
    columns = made_up("8 % lose, 30 % win a little")
    differences, *_ = columns(np.random.default_rng(8), n_queries, n_systems)
    values = np.vstack([np.zeros(n_queries), differences.T])
    found = compare(scores_of(values), baseline="system 0", correction="none")
    own = means(differences, bounds=(-np.ptp(values), np.ptp(values)))
    apart = np.abs(found.interval[:, 0] - own.interval(1 - LEVEL)).max()
    return max(apart, np.abs(found.p_value["score"][:, 0] - own.p_value()).max())


def cluster_rows(n_columns, n_rows=200):
    """One way, with skewed effects of clusters as large as those of queries."""
    for n_clusters in (20, 50):
        for label, power in (("equal", 0.0), ("Zipf's law", 1.0)):
            rng = np.random.default_rng([n_clusters, len(label)])
            weights = np.arange(1, n_clusters + 1) ** -power
            sizes = np.maximum(np.round(n_rows * weights / weights.sum()), 1).astype(
                int
            )
            clusters, shares = (
                np.repeat(np.arange(n_clusters), sizes),
                sizes / sizes.sum(),
            )
            rows = 0.1 * (rng.exponential(size=(n_clusters, n_columns)) - 1.0)[clusters]
            rows += 0.1 * rng.normal(size=rows.shape)
            error = 0.1 * np.sqrt((shares**2).sum() + 1 / len(clusters))
            found = means(rows, clusters=(clusters,), bounds=BOUNDS)
            told = tails_and_width(found.interval(1 - LEVEL), 0.0, error)
            largest = f"{sizes.max()} of {len(clusters)}"
            yield [n_clusters, label, largest, told, percent(found.p_value() < LEVEL)]
