"""When does choosing a model by your users' measure pay? A study on real pools and made ones.

The protocol below was written before the first run.

**Question.** A model is chosen among candidates by its mean on validation queries. Users have
thresholds that are distributed by g. How many more of them are satisfied on test queries when the
selector is xGAP(g) or eGAP(g), instead of nDCG@10? Does the half-split rule, which sees the
validation queries alone, tell beforehand?

**Users.** Four g: browsers (g_1 = 1), demanding (g_k proportional to k), ESCI-like (the two highest
grades .09 and .90, the one below .01, others 0; .1 and .9 for two grades) and perfectionists (only
the top grade). A user with threshold t reads from the top, goes on after each document with
probability .85, looks at 10 at most, and is satisfied by the first document of grade t or above.
The outcome of a query is the exact probability of that for a user who is drawn by g: the sum over t
of g_t .85^(rank - 1), where rank is that of the first acceptable document, and 0 if none is among
the first 10. No measure that chooses is this outcome.

**Selectors.** nDCG@10 (exponential gains; the reference), AP, xGAP(g)@10, eGAP(g)@10, half
eGAP(g)@10 and half nDCG@10, and two rules by halves: the validation queries are halved 50 times,
both measures choose on one half, and eGAP(g)@10 scores on the other half, both ways. The rule "gain
above 0" chooses by eGAP(g)@10 where the mean gain is above 0, and else by nDCG@10. The rule "use g"
does so only where the 95 % interval of the gain, by the delete-half jackknife, lies above 0. Ties
between candidates go to the first one. The shares of the verdicts are reported: "use g" where the
interval lies above 0, "no room" where it lies below .01, and "undecided".

**Real pools.** LightGBM's example, MQ2008 and OHSUMED: 12 times the queries are drawn into 40 %
training, 30 % validation and 30 % test. In each of them six pools are trained:

- hyperparameters: 12 lambdarank models: 4, 15 or 31 leaves, at least 5 or 50 documents in a leaf,
  30 or 100 rounds;
- objectives: lambdarank with exponential, linear and top-grade gains, rank_xendcg, regression,
  xGAP(uniform), eGAP(linear), Q-measure, nDCG with linear gains;
- kinds: lambdarank, a boosted regression, ridge regression on the grade, on relevance and on the
  top grade, extremely randomized trees on the grade and on the top grade;
- blends: w lambdarank + (1 - w) ridge regression on the top grade, both standardized, for 11 w;
- early stopping: lambdarank with 31 leaves after 5, 10, ..., 150 rounds;
- all: the first four together.

TREC-COVID, round 1: 30 times the topics are halved into validation and test. One pool holds all 143
runs, one 20 runs that are drawn in each split.

**Frontiers.** A document has topicality and quality, independent and normal. It is relevant by
topicality with noise, and by quality with noise its grade is 1 to 4; .60 of the documents have
grade 0, .20, .12, .05 and .03 the others. Each of 40 candidates scores by cos(a) topicality +
sin(a) quality + .7 noise. Wide: a from 0 to 80 degrees. Narrow: 30 to 50. None: all at 40 degrees.
There are 24 sets of each, with 50 or 200 validation queries, 500 test queries and 20 documents a
query.

**Intervals** have 95 %, and are not corrected for the number of gains. On a real set they are those
of `skgraded.compare` over repeats: the gain of a query in a split, mean over the pools, has effects
of the query, which comes back in other splits, and of the choice that its split made. Over the four
real sets: the mean of their gains, with the root of the sum of squared errors over 4 as its error.
On frontiers: Student's t over the sets, which are independent.

**Expected.** An earlier trial, on other draws, saw nothing on such real pools (-.000, -.002 to
.002) and +.004 to +.023 on wide frontiers. "Pays" is said where an interval lies above 0.

    python benchmarks/selection_for_users.py [--splits N] [--sets N] [--output docs/selection.md]
"""

import argparse
import itertools
from collections import defaultdict
from pathlib import Path

import numpy as np
from _training_sets import FOLDER, SETS
from lightgbm import LGBMRanker, LGBMRegressor
from scipy import stats
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge

from skgraded import AP, RR, evaluate, nDCG, trec, xGAP
from skgraded._pictures import BETTER, COLOURS, MARKERS, SMALL, WORSE, plain
from skgraded._stats.halves import gain_by_halves
from skgraded._stats.repeats import repeated_interval
from skgraded.lightgbm import objective

PATIENCE, DEPTH = 0.85, 10
SELECTORS = ("xGAP(g)", "eGAP(g)", "half eGAP, half nDCG", "AP", "gain above 0", "use g")
VERDICTS = ("use g", "no room", "undecided")
MARGIN = 0.01
CONFIDENCE = 0.95


def users_of(top):
    k = np.arange(1, top + 1)
    esci = (*(0.0,) * (top - 3), 0.01, 0.09, 0.9) if top > 2 else (0.1, 0.9)
    return {
        "browsers": tuple(1.0 * (k == 1)),
        "demanding": tuple(k / k.sum()),
        "ESCI-like": esci,
        "perfectionists": tuple(1.0 * (k == top)),
    }


def measures_of(top):
    """Name what is scored: AP at thresholds (eGAP is linear in it), selectors, and first ranks."""
    named = {f"AP {t}": AP(rel=t, k=DEPTH) for t in range(1, top + 1)}
    named |= {f"first {t}": RR(rel=t, k=DEPTH, ties="pessimistic") for t in range(1, top + 1)}
    named |= {f"xGAP {user}": xGAP(g=g, k=DEPTH) for user, g in users_of(top).items()}
    return {**named, "nDCG@10": nDCG(k=10, gain="exp2"), "AP": AP()}


# What a choice wins


def judged(scores, validation, pool, rng, top):
    """Return the gain of each user by each selector in test queries, and the verdict of halves."""
    values = {name: scores.values[pool][..., column] for column, name in enumerate(scores.measures)}
    parts = np.array([values[f"AP {t}"] for t in range(1, top + 1)])
    first = np.array([values[f"first {t}"] for t in range(1, top + 1)])
    with np.errstate(divide="ignore"):
        satisfied = np.where(first > 0.0, PATIENCE ** (1.0 / first - 1.0), 0.0)
    gains, verdicts = np.empty((4, len(SELECTORS), (~validation).sum())), []
    for place, (user, g) in enumerate(users_of(top).items()):
        egap, ndcg = np.tensordot(g, parts, axes=1), values["nDCG@10"]
        halved = gain_by_halves(
            parts[:, :, validation], egap[:, validation], ndcg[:, validation], rng
        )
        gain, error = halved.of(np.array(g))
        reach = stats.t.isf((1.0 - CONFIDENCE) / 2.0, halved.freedom) * error
        is_better = gain - reach > 0.0
        verdicts.append(
            "use g" if is_better else "no room" if gain + reach < MARGIN else "undecided"
        )
        chosen_by = (
            values[f"xGAP {user}"],
            egap,
            (egap + ndcg) / 2,
            values["AP"],
            egap if gain > 0.0 else ndcg,
            egap if is_better else ndcg,
        )
        outcome = np.tensordot(g, satisfied, axes=1)[:, ~validation]
        reference = outcome[ndcg[:, validation].mean(axis=1).argmax()]
        for row, each in enumerate(chosen_by):
            gains[place, row] = outcome[each[:, validation].mean(axis=1).argmax()] - reference
    return gains, verdicts


# Real pools


def booster(**given):
    fixed = {"learning_rate": 0.1, "max_bin": 63, "n_jobs": 1, "verbose": -1, "random_state": 0}
    return LGBMRanker(**{**fixed, "n_estimators": 60, "num_leaves": 15, **given})


def ranked(X, y, group, seen, **given):
    return booster(**given).fit(X, y, group=group).predict(seen)


def trained_pools(X, y, group, seen, top):
    """Return the scores of all candidates on the rows that are seen, by pool."""
    hyper = {
        f"{leaves} leaves, {least} in one, {rounds} rounds": ranked(
            X, y, group, seen, num_leaves=leaves, min_child_samples=least, n_estimators=rounds
        )
        for leaves, least, rounds in itertools.product((4, 15, 31), (5, 50), (30, 100))
    }
    gains = {"linear": list(range(top + 1)), "top": [0] * top + [1]}
    objectives = {
        "lambdarank": ranked(X, y, group, seen),
        **{f"gains {n}": ranked(X, y, group, seen, label_gain=each) for n, each in gains.items()},
        **{o: ranked(X, y, group, seen, objective=o) for o in ("rank_xendcg", "regression")},
        **{
            name: ranked(X, y, group, seen, objective=objective(name))
            for name in (
                f"xGAP(max_grade={top})",
                f'eGAP(g="linear",max_grade={top})',
                "QMeasure",
                "nDCG",
            )
        },
    }
    at_top = (y == top) * 1.0
    trees = {"n_estimators": 60, "min_samples_leaf": 3, "random_state": 0}
    kinds = {
        "lambdarank": objectives["lambdarank"],
        "boosted": LGBMRegressor(n_estimators=60, num_leaves=15, n_jobs=1, verbose=-1),
        "ridge": Ridge(),
        "ridge on relevance": Ridge(),
        "ridge on top": Ridge(),
        "trees": ExtraTreesRegressor(**trees),
        "trees on top": ExtraTreesRegressor(**trees),
    }
    targets = {"ridge on relevance": (y > 0) * 1.0, "ridge on top": at_top, "trees on top": at_top}
    kinds = {
        name: each if name == "lambdarank" else each.fit(X, targets.get(name, y)).predict(seen)
        for name, each in kinds.items()
    }
    one, other = (
        (each - each.mean()) / each.std() for each in (kinds["lambdarank"], kinds["ridge on top"])
    )
    blends = {f"{w:.1f}": w * one + (1 - w) * other for w in np.linspace(0.0, 1.0, 11)}
    stopped = booster(n_estimators=150, num_leaves=31).fit(X, y, group=group)
    rounds = {str(n): stopped.predict(seen, num_iteration=n) for n in range(5, 151, 5)}
    return {
        "hyperparameters": hyper,
        "objectives": objectives,
        "kinds": kinds,
        "blends": blends,
        "early stopping": rounds,
    }


def trained_set(name, n_splits):
    """Yield the gains in every split of a set, with the places of its test queries and the pool."""
    X, y, qid = SETS[name]()
    y, top = y.astype(int), int(y.max())
    _, number, sizes = np.unique(qid, return_inverse=True, return_counts=True)
    order = np.argsort(number, kind="stable")
    X, y, number = X[order], y[order], number[order]
    for split in range(n_splits):
        rng = np.random.default_rng([split, len(name)])
        shuffled = rng.permutation(len(sizes))
        n_train, n_seen = int(0.4 * len(sizes)), int(0.7 * len(sizes))
        train, validation = shuffled[:n_train], shuffled[n_train:n_seen]
        is_train = np.isin(number, train)
        group = sizes[np.sort(train)]
        pools = trained_pools(X[is_train], y[is_train], group, X[~is_train], top)
        named = {f"{p} {c}": each for p, pool in pools.items() for c, each in pool.items()}
        found = evaluate(measures_of(top), y[~is_train], named, qid=number[~is_train])
        seen = np.unique(number[~is_train])
        is_validation = np.isin(seen, validation)
        places = {
            pool: [at for at, c in enumerate(named) if c.startswith(f"{pool} ")] for pool in pools
        }
        places["all"] = [at for each in list(places)[:4] for at in places[each]]
        for pool, candidates in places.items():
            yield (
                pool,
                split,
                seen[~is_validation],
                judged(found, is_validation, candidates, rng, top),
            )


def covid(n_splits):
    """Yield the same for runs of TREC-COVID, from which nothing is trained."""
    folder, top = FOLDER / "trec-covid-round1", 2
    runs = sorted((folder / "runs").iterdir())
    found = trec.evaluate(measures_of(top), folder / "qrels.covid-round1.txt", runs)
    n, n_runs = found.n_queries, len(found.systems)
    for split in range(n_splits):
        rng = np.random.default_rng(split)
        validation = np.isin(np.arange(n), rng.permutation(n)[: n // 2])
        pools = {"all runs": np.arange(n_runs), "20 runs": rng.permutation(n_runs)[:20]}
        for pool, candidates in pools.items():
            yield (
                pool,
                split,
                np.flatnonzero(~validation),
                judged(found, validation, candidates, rng, top),
            )


def of_set(parts):
    """Return gains (users, selectors, pools, splits, queries), nan if not tested, and verdicts."""
    parts = list(parts)
    pools = list(dict.fromkeys(each[0] for each in parts))
    n_splits = 1 + max(split for _, split, _, _ in parts)
    n_queries = 1 + max(queries.max() for _, _, queries, _ in parts)
    gains = np.full((4, len(SELECTORS), len(pools), n_splits, n_queries), np.nan)
    verdicts = defaultdict(list)
    for pool, split, queries, (gain, found) in parts:
        gains[:, :, pools.index(pool), split, queries] = gain
        for user, verdict in zip(users_of(2), found, strict=True):
            verdicts[user].append(verdict)
    return pools, gains, verdicts


def over_repeats(gains):
    """Return mean, error and ends of gains (rows, splits, queries) of which some were tested."""
    tested = ~np.isnan(gains).all(axis=(0, 1))
    found = repeated_interval(gains[..., tested])
    return np.array([found.mean, found.low, found.high, found.standard_error])


# Frontiers

WORLDS = {"wide": (0.0, 80.0), "narrow": (30.0, 50.0), "no": (40.0, 40.0)}


def frontier(rng, degrees, n_queries, n_documents=20, n_candidates=40):
    """Make grades, and candidates from topicality to quality."""
    shape = (n_queries, n_documents)
    topicality, quality = rng.normal(size=(2, *shape))
    relevant, height = (each + 0.3 * rng.normal(size=shape) for each in (topicality, quality))
    is_relevant = relevant > np.quantile(relevant, 0.6)
    edges = np.quantile(height[is_relevant], np.cumsum([0.2, 0.12, 0.05]) / 0.4)
    y = np.where(is_relevant, 1 + np.searchsorted(edges, height), 0)
    scores = {
        f"{number}": (
            np.cos(a) * topicality + np.sin(a) * quality + 0.7 * rng.normal(size=shape)
        ).ravel()
        for number, a in enumerate(np.radians(np.linspace(*degrees, n_candidates)))
    }
    return y.ravel(), scores, np.repeat(np.arange(n_queries), n_documents)


def frontier_gains(degrees, n_validation, n_sets):
    """Return the mean gain of each user by each selector in every set, and the verdicts."""
    gains, verdicts = [], defaultdict(list)
    for number in range(n_sets):
        rng = np.random.default_rng([number, n_validation, int(degrees[0]), int(degrees[1])])
        y, scores, qid = frontier(rng, degrees, n_validation + 500)
        found = evaluate(measures_of(4), y, scores, qid=qid)
        validation = np.arange(found.n_queries) < n_validation
        gain, of_set = judged(found, validation, np.arange(len(scores)), rng, 4)
        gains.append(gain.mean(axis=2))
        for user, verdict in zip(users_of(4), of_set, strict=True):
            verdicts[user].append(verdict)
    return np.array(gains), verdicts


def over_sets(gains):
    """Return mean, ends and error of gains (sets, ...), by Student's t."""
    mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    reach = stats.t.isf((1.0 - CONFIDENCE) / 2.0, len(gains) - 1) * error
    return np.array([mean, mean - reach, mean + reach, error])


def run(n_splits, n_sets):
    """Return gains and verdicts of all real sets and frontiers."""
    real = {}
    for name in ("LightGBM's example", "MQ2008", "OHSUMED"):
        real[name] = of_set(trained_set(name, n_splits))
        print(name, flush=True)
    real["TREC-COVID"] = of_set(covid(30))
    made = {}
    for (world, degrees), n_validation in itertools.product(WORLDS.items(), (50, 200)):
        made[world, n_validation] = frontier_gains(degrees, n_validation, n_sets)
        print(world, n_validation, flush=True)
    return real, made


# The page and the picture

PAGE = """\
# When does it pay to choose by your users' measure?

A model is chosen on validation queries by xGAP(g) or eGAP(g), at 10, or by another rule. The tables
say how many more of 1,000 users are satisfied by their first acceptable document on test queries
than if nDCG@10 chooses, with 95 % intervals. "gain above 0" and "use g" choose by eGAP(g) where its
gain by halves of the validation queries, or the interval of it, is above 0, and else by nDCG@10.
`python benchmarks/selection_for_users.py` writes this page, by a protocol written before its run.

![Users satisfied by the choice, and the verdicts of room](selection.png)
"""


def in_thousands(row):
    """Write a mean with the ends of its interval, times 1000."""
    mean, low, high = 1000.0 * row[:3]
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def with_everybody(gains):
    """Append the mean of all users, along the first axis."""
    return np.concatenate([gains, gains.mean(axis=0, keepdims=True)])


def summaries(real, made):
    """Return mean, ends and error of every set and frontier, (statistics, users, selectors)."""
    found = {}
    for name, (_, gains, _) in real.items():
        of_users = with_everybody(gains.mean(axis=2))
        rows = [over_repeats(of_users[:, each]) for each in range(len(SELECTORS))]
        found[name] = np.stack(rows, axis=2)
    sets = np.array(list(found.values()))
    mean, error = sets[:, 0].mean(axis=0), np.sqrt((sets[:, 3] ** 2).sum(axis=0)) / len(sets)
    reach = stats.norm.isf((1.0 - CONFIDENCE) / 2.0) * error
    found["all four sets"] = np.array([mean, mean - reach, mean + reach, error])
    for (world, n_validation), (gains, _) in made.items():
        of_users = np.moveaxis(with_everybody(np.moveaxis(gains, 1, 0)), 0, 1)
        found[f"{world} frontier, {n_validation} queries"] = over_sets(of_users)
    return found


def pool_rows(real):
    """Return the gain of eGAP(g) by pool, mean over the users."""
    for name, (pools, gains, _) in real.items():
        of_pools = over_repeats(gains[:, SELECTORS.index("eGAP(g)")].mean(axis=0))
        for pool, row in zip(pools, of_pools.T, strict=True):
            yield [name, pool, in_thousands(row)]


def verdict_rows(real, made):
    """Return shares of the verdicts in percent."""
    cases = {name: verdicts for name, (_, _, verdicts) in real.items()}
    cases |= {f"{w} frontier, {n} queries": found for (w, n), (_, found) in made.items()}
    for name, verdicts in cases.items():
        for user, found in verdicts.items():
            shares = [f"{100 * found.count(each) / len(found):.0f}" for each in VERDICTS]
            yield [name, user, len(found), *shares]


def page(real, made):
    """Write the tables."""
    found, users = summaries(real, made), [*users_of(2), "mean of the four"]
    parts = [PAGE]
    for title, rows in found.items():
        cells = [
            [selector, *(in_thousands(rows[:, user, at]) for user in range(len(users)))]
            for at, selector in enumerate(SELECTORS)
        ]
        heading = title[0].upper() + title[1:]
        parts.append(f"## {heading}\n\n{table(['chosen by', *users], cells)}\n")
    head = ["set", "pool", "gain of eGAP(g), mean of the users"]
    parts.append(f"## By pool\n\n{table(head, pool_rows(real))}\n")
    told = "What `Comparison.room` says of the gain by halves, in percent of the cases."
    head = ["set", "users", "cases", *VERDICTS]
    parts.append(f"## Verdicts\n\n{told}\n\n{table(head, verdict_rows(real, made))}\n")
    return "\n".join(parts)


def share_of(cases, verdict):
    found = [each for verdicts in cases for of_user in verdicts.values() for each in of_user]
    return found.count(verdict) / len(found)


def draw(real, made, path):
    """Draw the gains of eGAP(g), and beside them how often each verdict is given."""
    from matplotlib.figure import Figure

    found, users = summaries(real, made), list(users_of(2))
    groups = {
        "real pools": ("all four sets", [verdicts for _, _, verdicts in real.values()]),
        "no trade-off": ("no frontier, 200 queries", [made["no", 200][1]]),
        "narrow frontier": ("narrow frontier, 200 queries", [made["narrow", 200][1]]),
        "wide frontier": ("wide frontier, 200 queries", [made["wide", 200][1]]),
    }
    figure = Figure(figsize=(9.0, 3.9), layout="constrained")
    gains, verdicts = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
    places = -np.arange(len(groups), dtype=float)
    for user, name in enumerate(users):
        rows = 1000.0 * np.array(
            [found[of][:, user, SELECTORS.index("eGAP(g)")] for of, _ in groups.values()]
        )
        gains.errorbar(
            rows[:, 0],
            places + 0.24 - 0.16 * user,
            xerr=np.abs(rows[:, 1:3].T - rows[:, 0]),
            fmt=MARKERS[user],
            color=COLOURS[user],
            markersize=5,
            label=name,
        )
    gains.axvline(0.0, color="black", linewidth=0.8)
    gains.set_yticks(places, list(groups))
    gains.set_xlabel("more users satisfied, of 1,000, than by nDCG@10")
    gains.legend(fontsize=SMALL, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.3))
    left = np.zeros(len(groups))
    for verdict, colour in zip(
        ("use g", "undecided", "no room"), (BETTER, "#D8D8D8", WORSE), strict=True
    ):
        shares = np.array([100.0 * share_of(each, verdict) for _, each in groups.values()])
        verdicts.barh(places, shares, left=left, color=colour, height=0.5, label=verdict)
        left += shares
    verdicts.set_xlabel("percent of the cases in which room says so")
    above = {"loc": "upper center", "bbox_to_anchor": (0.5, 1.12)}
    verdicts.legend(fontsize=SMALL, frameon=False, ncols=3, **above)
    for ax in (gains, verdicts):
        plain(ax, grid="x")
    question = (
        "Does it pay to choose by eGAP(g)? Where candidates trade one kind of user for another."
    )
    figure.suptitle(question, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=12, help="of the queries of a real set")
    parser.add_argument("--sets", type=int, default=24, help="of each frontier")
    parser.add_argument("--output", type=Path, help="the page to write; printed by default")
    options = parser.parse_args()
    real, made = run(options.splits, options.sets)
    text = page(real, made)
    if options.output is None:
        print(text)
        return
    options.output.write_text(text, encoding="utf-8")
    draw(real, made, options.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
