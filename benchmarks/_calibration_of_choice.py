"""How often the interval of `Comparison.room` and the probabilities of `Comparison.best` err.

Systems rank lists of documents; nothing is drawn from a normal distribution of means. A population
of queries is scored once, and data sets are drawn from it.
"""

import dataclasses
import itertools

import numpy as np
from _shared_data import SHARED_DATA, drawn_by_data
from scipy import stats

from skgraded import AP, Scores, compare, evaluate, nDCG
from skgraded._stats.halves import gain_by_halves
from skgraded.comparison._best import _probabilities
from skgraded.comparison._users import Thresholds, Users
from skgraded.datasets import make_ranking

LEVEL = 0.05
POPULATION = 6000  # queries
WORLDS = {
    "wide frontier": (0.0, 80.0),
    "narrow frontier": (30.0, 50.0),
    "no frontier": (40.0, 40.0),
    "features of make_ranking": None,
}
USERS = {"demanding": (0.1, 0.2, 0.3, 0.4), "perfectionists": (0.0, 0.0, 0.0, 1.0)}


def share(values):
    """Write a share in percent with its Monte-Carlo error."""
    mean = np.mean(values)
    return f"{100 * mean:.1f} ({100 * np.sqrt(mean * (1 - mean) / len(values)):.1f})"


def population(degrees, n_systems=20):
    """Return AP at the thresholds 1..4 and nDCG@10, (measures, systems, queries)."""
    rng = np.random.default_rng(0)
    shape = (POPULATION, 20)
    qid = np.repeat(np.arange(POPULATION), 20)
    if degrees is None:
        X, y, qid = make_ranking(n_queries=POPULATION, docs_per_query=20, random_state=0)
        scores = {str(at): X[:, at] for at in range(min(n_systems, X.shape[1]))}
    else:
        topicality, quality = rng.normal(size=(2, *shape))
        relevant, height = (e + 0.3 * rng.normal(size=shape) for e in (topicality, quality))
        is_relevant = relevant > np.quantile(relevant, 0.6)
        edges = np.quantile(height[is_relevant], np.cumsum([0.2, 0.12, 0.05]) / 0.4)
        y = np.where(is_relevant, 1 + np.searchsorted(edges, height), 0).ravel()
        scores = {
            str(at): (np.cos(a) * topicality + np.sin(a) * quality).ravel()
            + 0.7 * rng.normal(size=y.size)
            for at, a in enumerate(np.radians(np.linspace(*degrees, n_systems)))
        }
    measures = [*(AP(rel=rel) for rel in range(1, 5)), nDCG(k=10)]
    return np.moveaxis(evaluate(measures, y, scores, qid=qid).values, 2, 0)


def room_rows(n_replications):
    """Coverage of the gain on half of the queries, and the width of its interval."""
    for world, degrees in WORLDS.items():
        values = population(degrees)
        for (name, g), n_queries in itertools.product(USERS.items(), (50, 200)):
            rng = np.random.default_rng([n_queries, len(world), len(name)])
            egap, ndcg = np.tensordot(g, values[:4], axes=1), values[4]
            worth = egap.mean(axis=1)
            gains, found = [], []
            for _ in range(n_replications):
                drawn = rng.choice(POPULATION, n_queries, replace=False)
                given = values[:4, :, drawn], egap[:, drawn], ndcg[:, drawn]
                halved = gain_by_halves(*given, rng)
                gain, error = halved.of(np.array(g))
                reach = stats.t.isf(LEVEL / 2, halved.freedom) * error
                found.append((gain, gain - reach, gain + reach))
                for _ in range(10):
                    half = rng.choice(POPULATION, n_queries // 2, replace=False)
                    one, other = (e[:, half].mean(axis=1).argmax() for e in (egap, ndcg))
                    gains.append(worth[one] - worth[other])
            truth, (gain, low, high) = np.mean(gains), np.transpose(found)
            needed = np.ptp(np.quantile(gain, [LEVEL / 2, 1 - LEVEL / 2]))
            held = (low <= truth) & (truth <= high)
            width = f"{(high - low).mean() / needed:.2f}"
            yield [world, name, n_queries, f"{truth:+.4f}", share(held), width, share(low > 0)]


def best_rows(n_replications, n_queries=50):
    """Show what the highest probability says, and how often that system is the best one."""
    for n_systems, ratio in itertools.product((2, 5, 10, 50), (0.0, 1.0, 3.0)):
        rng = np.random.default_rng([n_systems, int(ratio)])
        told, right, leads, optimism = [], [], [], []
        for _ in range(n_replications):
            worth = rng.normal(0.0, ratio / np.sqrt(n_queries), n_systems)
            common = rng.normal(size=n_queries)
            noise = rng.exponential(size=(n_systems, n_queries)) - 1.0
            values = (worth[:, None] + common + noise)[None]
            thresholds = Thresholds(values, np.ones(n_queries, dtype=bool), AP())
            found = _probabilities(thresholds, Users("all", np.ones(1)), 400, rng)
            first = int(found.probability.argmax())
            told.append(found.probability[first])
            # Of systems that are all equal, any is the best one with the same probability.
            right.append(worth[first] == worth.max() if ratio else rng.random() < 1 / n_systems)
            leads.append(found.lead > found.lead_of_equals)
            of_first = found.mean.max() - worth[found.mean.argmax()]
            optimism.append((found.optimism, of_first))
        told, right = np.array(told), np.array(right)
        sure = told >= 1 - LEVEL
        said, true = np.mean(optimism, axis=0)
        many = n_systems > 10
        yield [
            n_systems,
            f"{ratio:g}",
            f"{100 * told.mean():.1f}",
            share(right),
            share(sure),
            share(right[sure]) if sure.sum() > 20 else "",
            share(leads) if many else "",
            f"{said / true:.2f}" if many else "",
        ]


def by_chance(n_systems, folds, rng):
    """Draw values of AP and nDCG of equal systems, whose models vary from fold to fold."""
    n_repeats, n_queries = folds.shape
    effects = rng.normal(0.0, 0.3, (n_systems, n_repeats, folds.max() + 1, 2))
    values = effects[:, np.arange(n_repeats)[:, None], folds]
    values += rng.normal(0.0, 0.5, values.shape) + rng.normal(size=(n_queries, 2))
    return values + rng.normal(0.0, 0.5, (n_systems, 1, n_queries, 2))


def by_data(n_systems, folds, rng):
    """Draw values of equal systems, whose models vary by the queries they were trained on."""
    world = SHARED_DATA["data, help alike"]
    drawn = [drawn_by_data(world, folds, rng) for _ in range(2 * n_systems)]
    return np.moveaxis(np.reshape(drawn, (n_systems, 2, *folds.shape)), 1, 3)


def over_repeats(rng, n_systems, draw, n_queries=60, n_folds=3):
    """Return a comparison of equal systems over five repeats of a cross-validation."""
    folds = np.array([rng.permutation(n_queries) % n_folds for _ in range(5)])
    values = draw(n_systems, folds, rng)
    systems = tuple(map(str, range(n_systems)))
    scores = Scores(
        measures=(str(AP()), "nDCG@10"),
        directions=(1, 1),
        values=values,
        qid=np.arange(n_queries),
        folds=folds + n_folds * np.arange(5)[:, None],
        systems=systems,
    )
    return compare(scores, tests="t", baseline=systems[0])


def repeated_choice_rows(n_replications):
    """Show how often one of equal systems is called the best, and room is found, over repeats."""
    cases = (("chance", by_chance, (2, 5, 10)), ("data, help alike", by_data, (2, 5)))
    for label, n_systems, draw in [(label, n, draw) for label, draw, ns in cases for n in ns]:
        rng, sure, alone, held, held_alone = np.random.default_rng([n_systems, 9]), [], [], [], []
        for _ in range(n_replications):
            found = over_repeats(rng, n_systems, draw)
            taken = dataclasses.replace(found, repeats=None, folds=None)
            for given, of_best, of_room in ((found, sure, held), (taken, alone, held_alone)):
                best = given.best((1.0,), n_resamples=400)
                of_best.append(best.probability.max() >= 1 - LEVEL)
                low, high = given.room((1.0,)).interval[0]
                of_room.append(low <= 0.0 <= high)
        yield [label, n_systems, *map(share, (sure, alone, held, held_alone))]
