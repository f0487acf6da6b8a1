"""Does a measure for users g choose better than nDCG@10? A study on real pools and made ones.

Rules and protocol were written before the run on the sets that it draws.

**Question.** A model is chosen among candidates by validation queries, for users whose thresholds
are distributed by g. How many more of 1,000 such users are satisfied on test queries by the choice
of a rule than by that of the highest mean nDCG@10?

**Rules.** The highest mean eGAP(g)@10; xGAP(g)@10; half eGAP(g)@10 and half nDCG@10;
`users.choose` with its defaults. Gains of nDCG are linear. Ties go to the first candidate.

**Users.** Five g: browsers (g_1 = 1), uniform, demanding (g_k proportional to k), ESCI-like (.01,
.09 and .9 for the three highest grades, .1 and .9 for two grades), perfectionists (the top grade
alone). A user with threshold t reads from the top, goes on after each document with probability
.85, looks at 10 at most, and is satisfied by the first document of grade t or above. The outcome of
a query is the exact probability of that: the sum over t of g_t .85^(rank - 1), with the rank of the
first acceptable document, and 0 if none is among the first 10. No rule chooses by this outcome.

**Usual candidates.** LightGBM's example, MQ2008 and OHSUMED: each time 40 % of the queries are
drawn as a training set. Pools, of which the gain is the mean:

- hyperparameters: 12 lambdarank models: 4, 15 or 31 leaves, at least 5 or 50 documents in a leaf,
  30 or 100 rounds;
- kinds: lambdarank with exponential, linear and top-grade gains, rank_xendcg, xGAP with uniform g,
  eGAP with linear g, boosted regression, ridge regression on the grade, on relevance and on the top
  grade, extremely randomized trees on the grade and on the top grade;
- blends: w lambdarank + (1 - w) ridge regression on the top grade, both standardized, for 11 w;
- all of these.

**When to stop.** On the same training sets, lambdarank with 31 leaves after 10, 20, ..., 150
rounds.

**TREC runs.** TREC-COVID, round 1: all 143 runs, and 20 of them, drawn each time.

**Frontiers.** A document has topicality and quality, independent and normal. It is relevant by
topicality with noise, and by quality with noise its grade is 1 to 4; .60 of the documents have
grade 0, .20, .12, .05 and .03 the others. Each of 40 candidates scores by cos(a) topicality +
sin(a) quality + .7 noise. Wide: a from 0 to 80 degrees. Narrow: 30 to 50. None: all at 40.
Each set has 20 documents a query, 200 queries to choose by and 300 to test.

**Draws.** For each training set and pool, n = 10, 20, 40 and 80 validation queries (as far as 10
queries are left to test; 200, too, on frontiers) are drawn five times; the others are tested.

**Cells** are users x n x sets. A rule is better or worse in a cell if the 95 % interval of its gain
lies on one side of 0; by chance each happens in 2.5 % of the cells. Test queries come back with
other training sets, so the variance of a mean gain is that between training sets, plus that between
test queries, minus that of single gains, which are in both (Cameron, Gelbach, Miller 2011). Sets of
a frontier are independent: Student's t. The error over several data sets is the root of the sum of
their squared errors, over their number. No interval speaks of other data sets.

    python benchmarks/selection_for_users.py [--training-sets N] [--frontiers N]
"""

import argparse
import itertools

import numpy as np
from _training_sets import FOLDER, SETS
from lightgbm import LGBMRanker, LGBMRegressor
from scipy import stats
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge

from skgraded import AP, RR, evaluate, nDCG, trec, xGAP
from skgraded.lightgbm import objective
from skgraded.users import choose

SEED = 40
PATIENCE, DEPTH, N_DRAWS, FEWEST_TESTED = 0.85, 10, 5, 10
RULES = ("eGAP(g)", "xGAP(g)", "half eGAP(g), half nDCG", "`users.choose`")
N_QUERIES = (10, 20, 40, 80)
N_TO_CHOOSE_BY, N_TO_TEST = 200, 300
WORLDS = {"no": (40.0, 40.0), "narrow": (30.0, 50.0), "wide": (0.0, 80.0)}


def users_of(top):
    k = np.arange(1, top + 1)
    esci = (*(0.0,) * (top - 3), 0.01, 0.09, 0.9) if top > 2 else (0.1, 0.9)
    g = [1.0 * (k == 1), np.full(top, 1.0 / top), k / k.sum(), esci, 1.0 * (k == top)]
    return [tuple(map(float, each)) for each in g]


def measures_of(top):
    """Make what is scored: AP at thresholds (eGAP is linear in it), first ranks, xGAP and nDCG."""
    thresholds = range(1, top + 1)
    return [
        *(AP(rel=t, k=DEPTH) for t in thresholds),
        *(RR(rel=t, k=DEPTH, ties="pessimistic") for t in thresholds),
        *(xGAP(g=g, k=DEPTH) for g in users_of(top)),
        nDCG(k=DEPTH),
    ]


# What a choice wins


def gains_of(scores, top, draws):
    """Return the mean gains over draws, (rules, users, queries), nan where none tested a query."""
    users = users_of(top)
    values = np.moveaxis(scores.values, 2, 0)
    ap, first, xgap, (ndcg,) = np.split(values, [top, 2 * top, 2 * top + len(users)])
    with np.errstate(divide="ignore"):
        satisfied = np.where(first > 0.0, PATIENCE ** (1.0 / first - 1.0), 0.0)
    egap, outcome = (np.tensordot(users, each, axes=1) for each in (ap, satisfied))
    selectors = [egap, xgap, (egap + ndcg) / 2]
    gains = np.full((len(draws), len(RULES), len(users), ndcg.shape[1]), np.nan)
    for draw, (validation, test) in enumerate(draws):
        seen = scores.select(qid=scores.qid[validation].tolist())
        reference = ndcg[:, validation].mean(axis=1).argmax()
        for user, g in enumerate(users):
            chosen = [
                each[user][:, validation].mean(axis=1).argmax() for each in selectors
            ]
            chosen.append(scores.systems.index(choose(seen, g).candidate))
            of_user = outcome[user][:, test]
            gains[draw, :, user, test] = (of_user[chosen] - of_user[reference]).T
    return mean_of_known(gains)


def mean_of_known(values):
    """Return the mean over the first axis, without nan where there is anything else."""
    times = (~np.isnan(values)).sum(axis=0)
    return np.where(times > 0, np.nansum(values, axis=0) / np.maximum(times, 1), np.nan)


def gains_by_n(scores, top, pools, rng):
    """Return gains (n, pools, rules, users, queries)."""
    n_queries, found = len(scores.qid), []
    for n in N_QUERIES:
        if n <= n_queries - FEWEST_TESTED:
            orders = [rng.permutation(n_queries) for _ in range(N_DRAWS)]
            draws = [np.split(each, [n]) for each in orders]
            found.append(
                [gains_of(scores.select(system=each), top, draws) for each in pools]
            )
    return np.array(found)


# Trained candidates


def booster(**given):
    fixed = {"max_bin": 63, "n_jobs": 1, "verbose": -1, "random_state": 0}
    return LGBMRanker(**{**fixed, "n_estimators": 60, "num_leaves": 15, **given})


def trained_pools(X, y, group, seen, top):
    """Return the scores of all candidates on the rows that are seen, by pool."""

    def ranked(**given):
        return booster(**given).fit(X, y, group=group).predict(seen)

    hyper = {}
    for leaves, least in itertools.product((4, 15, 31), (5, 50)):
        given = {"num_leaves": leaves, "min_child_samples": least, "n_estimators": 100}
        model = booster(**given).fit(X, y, group=group)
        for n in (30, 100):
            hyper[f"{leaves} {least} {n}"] = model.predict(seen, num_iteration=n)
    at_top, trees = (
        (y == top) * 1.0,
        {"n_estimators": 40, "min_samples_leaf": 3, "n_jobs": 1},
    )
    fits = {
        "boosted": (
            LGBMRegressor(n_estimators=60, num_leaves=15, n_jobs=1, verbose=-1),
            y,
        ),
        "ridge": (Ridge(), y),
        "ridge on relevance": (Ridge(), (y > 0) * 1.0),
        "ridge on top": (Ridge(), at_top),
        "trees": (ExtraTreesRegressor(**trees, random_state=0), y),
        "trees on top": (ExtraTreesRegressor(**trees, random_state=0), at_top),
    }
    kinds = {
        "lambdarank": ranked(),
        "linear gains": ranked(label_gain=list(range(top + 1))),
        "top gains": ranked(label_gain=[0] * top + [1]),
        "xendcg": ranked(objective="rank_xendcg"),
        "xGAP": ranked(objective=objective(f"xGAP(max_grade={top})")),
        "eGAP": ranked(objective=objective(f'eGAP(g="linear",max_grade={top})')),
        **{
            name: model.fit(X, target).predict(seen)
            for name, (model, target) in fits.items()
        },
    }
    ends = (kinds["lambdarank"], kinds["ridge on top"])
    one, other = ((each - each.mean()) / each.std() for each in ends)
    blends = {f"{w:.1f}": w * one + (1 - w) * other for w in np.linspace(0.0, 1.0, 11)}
    model = booster(n_estimators=150, num_leaves=31).fit(X, y, group=group)
    rounds = {str(n): model.predict(seen, num_iteration=n) for n in range(10, 151, 10)}
    return {
        "hyperparameters": hyper,
        "kinds": kinds,
        "blends": blends,
        "rounds": rounds,
    }


def trained_set(name, n_sets):
    """Return gains (n, rules, users, sets, queries) of usual candidates and of when to stop."""
    X, y, qid = SETS[name]()
    y, top = y.astype(int), int(y.max())
    _, number, sizes = np.unique(qid, return_inverse=True, return_counts=True)
    order = np.argsort(number, kind="stable")
    X, y, number = X[order], y[order], number[order]
    usual, stopping = [], []
    for at in range(n_sets):
        rng = np.random.default_rng([SEED, at, len(name)])
        training = np.sort(rng.permutation(len(sizes))[: int(0.4 * len(sizes))])
        is_training = np.isin(number, training)
        pools = trained_pools(
            X[is_training], y[is_training], sizes[training], X[~is_training], top
        )
        named = {
            f"{p} {c}": each for p, pool in pools.items() for c, each in pool.items()
        }
        scores = evaluate(
            measures_of(top), y[~is_training], named, qid=number[~is_training]
        )
        *three, rounds = ([f"{p} {c}" for c in pool] for p, pool in pools.items())
        everything = [candidate for pool in three for candidate in pool]
        gains = gains_by_n(scores, top, [*three, everything, rounds], rng)
        placed = np.full((*gains.shape[:-1], len(sizes)), np.nan)
        placed[..., scores.qid] = gains
        usual.append(placed[:, :-1].mean(axis=1))
        stopping.append(placed[:, -1])
    return np.stack(usual, axis=3), np.stack(stopping, axis=3)


def trec_runs(n_sets):
    """Return the gains of TREC runs, from which nothing is trained, in the same shape."""
    folder = FOLDER / "trec-covid-round1"
    runs = sorted((folder / "runs").iterdir())
    scores = trec.evaluate(measures_of(2), folder / "qrels.covid-round1.txt", runs)
    gains = []
    for at in range(n_sets):
        rng = np.random.default_rng([SEED, at])
        pools = [list(scores.systems), rng.permutation(scores.systems)[:20].tolist()]
        gains.append(gains_by_n(scores, 2, pools, rng).mean(axis=1))
    return np.stack(gains, axis=3)


def frontier(rng, degrees, n_queries, n_documents=20, n_candidates=40):
    """Make grades, and candidates from topicality to quality."""
    shape = (n_queries, n_documents)
    topicality, quality = rng.normal(size=(2, *shape))
    relevant, height = (
        each + 0.3 * rng.normal(size=shape) for each in (topicality, quality)
    )
    is_relevant = relevant > np.quantile(relevant, 0.6)
    edges = np.quantile(height[is_relevant], np.cumsum([0.2, 0.12, 0.05]) / 0.4)
    y = np.where(is_relevant, 1 + np.searchsorted(edges, height), 0)
    scores = {
        str(at): np.cos(a) * topicality
        + np.sin(a) * quality
        + 0.7 * rng.normal(size=shape)
        for at, a in enumerate(np.radians(np.linspace(*degrees, n_candidates)))
    }
    qid = np.repeat(np.arange(n_queries), n_documents)
    return y.ravel(), {name: each.ravel() for name, each in scores.items()}, qid


def frontier_gains(degrees, n_sets):
    """Return the mean gains over the test queries of every set, (n, rules, users, sets, 1)."""
    gains = []
    for at in range(n_sets):
        rng = np.random.default_rng([SEED, at, *map(int, degrees)])
        y, named, qid = frontier(rng, degrees, N_TO_CHOOSE_BY + N_TO_TEST)
        scores = evaluate(measures_of(4), y, named, qid=qid)
        test = np.arange(N_TO_CHOOSE_BY, N_TO_CHOOSE_BY + N_TO_TEST)
        of_set = []
        for n in (*N_QUERIES, N_TO_CHOOSE_BY):
            draws = [
                (rng.permutation(N_TO_CHOOSE_BY)[:n], test) for _ in range(N_DRAWS)
            ]
            of_set.append(
                gains_of(scores, 4, draws)[..., test].mean(axis=2, keepdims=True)
            )
        gains.append(of_set)
    return np.stack(gains, axis=3)


# Intervals and tables


def estimate(gains):
    """Return means and their errors of gains (..., sets, queries), nan where not tested."""
    n = (~np.isnan(gains)).sum(axis=(-2, -1))
    mean = np.nansum(gains, axis=(-2, -1)) / n
    apart = np.nan_to_num(gains - mean[..., None, None])
    sets, queries = ((apart.sum(axis=axis) ** 2).sum(axis=-1) for axis in (-1, -2))
    sets = sets * gains.shape[-2] / (gains.shape[-2] - 1)
    both = (apart**2).sum(axis=(-2, -1))
    return mean, np.sqrt(np.maximum(sets + queries - both, sets)) / n


def interval(mean, error, n_sets):
    reach = stats.t.isf(0.025, n_sets - 1) * error
    return np.array([mean, mean - reach, mean + reach])


def over_sets(data, n_sets):
    """Return the mean gain over data sets with its interval."""
    mean, error = np.array([estimate(each) for each in data]).swapaxes(0, 1)
    return interval(
        mean.mean(axis=0), np.sqrt((error**2).sum(axis=0)) / len(data), n_sets
    )


def in_thousands(row):
    """Write a mean with the ends of its interval, times 1000."""
    mean, low, high = 1000.0 * np.asarray(row)
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def rows_of(title, data):
    """Return a row of each rule: cells better and worse, mean gains of all and of perfectionists.

    The data are gains (n, rules, users, sets, queries) by data set.
    """
    cells = [interval(*estimate(each), each.shape[-2]) for each in data]
    n_cells = sum(each[0, :, 0].size for each in cells)
    better, worse = (
        sum((sign * each[end] > 0).sum(axis=(0, 2)) for each in cells)
        for end, sign in ((1, 1), (2, -1))
    )
    n_sets = min(each.shape[-2] for each in data)
    over_n = [mean_of_known(each) for each in data]
    everybody = over_sets([each.mean(axis=1) for each in over_n], n_sets)
    last = over_sets([each[:, -1] for each in over_n], n_sets)
    for at, rule in enumerate(RULES):
        counts = [f"{better[at]} / {worse[at]} of {n_cells}"]
        yield [
            title,
            rule,
            *counts,
            in_thousands(everybody[:, at]),
            in_thousands(last[:, at]),
        ]


def rows_by_n(title, gains):
    """Return a row of each rule: the mean gain of all users by n."""
    found = interval(*estimate(gains.mean(axis=2)), gains.shape[-2])
    for at, rule in enumerate(RULES):
        yield [title, rule, *(in_thousands(each) for each in found[:, :, at].T)]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--training-sets", type=int, default=40, help="of each real set"
    )
    parser.add_argument(
        "--frontiers", type=int, default=200, help="sets of each frontier"
    )
    options = parser.parse_args()
    names = ("LightGBM's example", "MQ2008", "OHSUMED")
    trained = [trained_set(name, options.training_sets) for name in names]
    usual, stopping = (list(each) for each in zip(*trained, strict=True))
    runs = trec_runs(options.training_sets)
    made = {
        world: frontier_gains(each, options.frontiers) for world, each in WORLDS.items()
    }
    groups = {"usual candidates": usual, "when to stop": stopping, "TREC runs": [runs]}
    groups |= {f"{world} frontier": [gains] for world, gains in made.items()}
    head = [
        "candidates",
        "chosen by",
        "cells better / worse",
        "all users",
        "perfectionists",
    ]
    print(
        table(
            head,
            itertools.chain.from_iterable(rows_of(*each) for each in groups.items()),
        )
    )
    numbers = [f"n = {n}" for n in (*N_QUERIES, N_TO_CHOOSE_BY)]
    rows = [
        row for world in ("narrow", "wide") for row in rows_by_n(world, made[world])
    ]
    print("\n" + table(["frontier", "chosen by", *numbers], rows))


if __name__ == "__main__":
    main()
