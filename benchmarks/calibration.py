"""Measure how often each interval and p-value of the library errs, and how wide the intervals are.

Every row is a simulation in which the truth is known: the share of intervals that hold it, their
mean width over the width that the true spread of the estimate gives a normal interval, and the
share of p < .05 where a difference is there. Beside each share stands its Monte-Carlo error.

    python benchmarks/calibration.py [--replications N] [--trained N] [--output docs/calibration.md]

With --only WORD, sections with another title keep their lines in the output. With --texts, all keep
their rows; numbers of replications in the texts are then those that are given, not those that ran.
"""

import argparse
import dataclasses
import itertools
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from _calibration_of_choice import best_rows, repeated_choice_rows, room_rows, share
from _calibration_of_g import feedback_rows, log_rows, preference_rows
from _calibration_of_learners import POPULATIONS, REAL, learner_rows
from _calibration_of_studies import drawn_power_rows, topic_power_rows
from _shared_data import SHARED_DATA, drawn_by_data
from scipy import stats

from skgraded import AP, evaluate
from skgraded._stats.bands import critical_value, largest_ratios, moments_of
from skgraded._stats.bootstrap_t import Tested, bootstrap_t
from skgraded._stats.judged import judged_test, regression_of
from skgraded._stats.paired import TESTS
from skgraded._stats.rare import FEWEST_DIFFERENCES, rare_ends
from skgraded._stats.repeats import part_of_models, repeated_interval
from skgraded._stats.sample_size import errors_of_log_variances, queries_to_show
from skgraded.users import judge_profile

LEVEL = 0.05
SETS_AT_A_TIME = 500
N_RESAMPLES = 1999


# Differences of one split, whose mean is 0


def sparse(values, rng, share=0.1):
    return np.where(rng.random(values.shape) < share, values, 0.0)


DIFFERENCES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
    "40 % differ, heavy tails": lambda rng, shape: sparse(rng.standard_t(3, shape), rng, 0.4),
    "10 % differ, skewed": lambda rng, shape: sparse(rng.exponential(size=shape) - 1.0, rng),
}
QUERIES = (30, 100, 1000)


def tested(name, differences, rng):
    """P-values of one test, of rows that are each a comparison by itself."""
    test = TESTS[name]
    given = (N_RESAMPLES, rng) if test.resamples else ()
    parts = [
        differences[at : at + SETS_AT_A_TIME] for at in range(0, len(differences), SETS_AT_A_TIME)
    ]
    return np.concatenate([test.function(each, *given) for each in parts])


def single_rows(n_replications):
    """Type I of every test of pairs, and the width of the default's interval."""
    for (label, draw), n_queries in itertools.product(DIFFERENCES.items(), QUERIES):
        rng = np.random.default_rng([n_queries, len(label)])
        differences = draw(rng, (n_replications, n_queries))
        names = ("bootstrap_t", "t", "randomization", "bootstrap", "wilcoxon", "sign")
        wrong = [share(tested(each, differences, rng) < LEVEL) for each in names]
        parts = [
            TESTS["bootstrap_t"].interval(each, np.ones(n_queries), LEVEL, N_RESAMPLES, rng)
            for each in np.array_split(differences, max(1, n_replications // SETS_AT_A_TIME))
        ]
        width = np.concatenate([each.high - each.low for each in parts])
        # The needed width is that of the central 95 % of the estimates.
        spread = np.ptp(np.quantile(differences.mean(axis=1), [LEVEL / 2, 1 - LEVEL / 2]))
        yield [label, n_queries, *wrong, f"{width.mean() / spread:.2f}"]


def power_rows(n_replications):
    """Power beside Student's t, each at the level at which it truly errs in 5 %."""
    for (label, draw), n_queries in itertools.product(DIFFERENCES.items(), QUERIES[:2]):
        rng = np.random.default_rng([n_queries, len(label), 1])
        null = draw(rng, (n_replications, n_queries))
        shifted = draw(rng, (n_replications, n_queries))
        effect = 2.5 * null.std() / np.sqrt(n_queries)
        row = [label, n_queries]
        for name in ("bootstrap_t", "t", "randomization"):
            true_level = np.quantile(tested(name, null, rng), LEVEL)
            for sign in (1, -1):
                row.append(share(tested(name, sign * shifted + effect, rng) <= true_level))
        yield row


# Several systems, of which some vary more


FAMILIES = ((10, 0, 1.0), (10, 2, 3.0), (10, 2, 5.0), (50, 5, 3.0), (50, 5, 5.0))


def family_rows(n_replications, n_queries=50):
    """Share of comparisons of equal systems that find any difference."""
    for n_systems, n_wide, factor in FAMILIES:
        rng = np.random.default_rng([n_systems, n_wide, int(factor)])
        pairs = np.column_stack(np.triu_indices(n_systems, 1))
        spread = np.where(np.arange(n_systems) < n_wide, factor, 1.0)[:, None]
        wrong = {name: [] for name in ("max_t", "tukey", "t")}
        for _ in range(n_replications):
            values = rng.normal(size=(n_systems, n_queries)) * spread
            for name, found in wrong.items():
                p_value = TESTS[name].p_values(values, pairs, 499, rng).min()
                found.append(p_value * (len(pairs) if name == "t" else 1) < LEVEL)
        label = f"{n_wide} with SD times {factor:g}" if n_wide else "all alike"
        yield [n_systems, label, *map(share, wrong.values())]


# A margin, the number of queries, and bands for all users


def intervals_of(differences, rng):
    """Return the ends of the intervals of `compare`, of rows that are each a comparison."""
    ones = np.ones(differences.shape[1])
    at_a_time = max(1, len(differences) // SETS_AT_A_TIME)
    ends = []
    for some in np.array_split(differences, at_a_time):
        found = TESTS["bootstrap_t"].interval(some, ones, LEVEL, N_RESAMPLES, rng)
        least, most = rare_ends(some, ones, LEVEL, np.abs(some).max() or 1.0)
        ends.append((np.minimum(found.low, least), np.maximum(found.high, most)))
    return np.concatenate(ends, axis=1)


def margin_rows(n_replications, margin=0.3):
    """Share of 0 and 1 as the gate's status where the difference is minus the margin, or 0."""
    for (label, draw), n_queries in itertools.product(DIFFERENCES.items(), QUERIES):
        rng = np.random.default_rng([n_queries, len(label), 2])
        cells = []
        for mean in (-margin, 0.0):
            differences = draw(rng, (n_replications, n_queries)) + mean
            low, high = intervals_of(differences, rng)
            cells += [share(low > -margin), share(high < -margin)]
        yield [label, n_queries, *cells]


RARE = (
    (5, 0.2, 0.0),
    (10, 0.1, 0.0),
    (20, 0.05, 0.0),
    (50, 0.03, 0.0),
    (50, 0.1, 0.0),
    (100, 0.01, 0.01),
    (100, 0.05, 0.02),
    (300, 0.01, 0.0),
    (300, 0.02, 0.01),
    (1000, 0.01, 0.0),
)


def rare_margin_rows(n_replications):
    """Share of 0 and 1 as the gate's status by P@1 where few queries differ, or none."""
    for n_queries, margin, won in RARE:
        rng = np.random.default_rng([n_queries, int(1000 * margin), int(1000 * won), 6])
        cells = []
        for lost in (margin + won, won):
            drawn = rng.multinomial(n_queries, [lost, won, 1 - lost - won], n_replications)
            kinds, of_kind = np.unique(drawn, axis=0, return_inverse=True)
            differences = np.array([np.repeat([-1.0, 1.0, 0.0], each) for each in kinds])
            low, high = intervals_of(differences, rng)
            n_differing = drawn[:, :2].sum(axis=1)
            if lost > won:
                shares = [(n_differing == 0).mean(), (n_differing < FEWEST_DIFFERENCES).mean()]
                cells += [f"{100 * each:.0f}" for each in shares]
            decided = (low > -margin, high < -margin)
            cells += [share(each[of_kind.ravel()]) for each in decided]
        yield [n_queries, f"{100 * margin:g}", f"{100 * won:g}", *cells]


def sample_size_rows(n_replications, effect=0.2):
    """Mean power at the number of queries that a pilot asks for, and what its interval holds."""
    reach = stats.norm.isf(LEVEL / 2) + stats.norm.ppf(0.8)
    for (label, draw), n_queries in itertools.product(list(DIFFERENCES.items())[:4], (30, 100)):
        rng = np.random.default_rng([n_queries, len(label), 3])
        deviation = draw(rng, (1000, 1000)).std()
        pilots = draw(rng, (n_replications, n_queries)) / deviation
        needed, low, high = queries_to_show(
            np.full(n_replications, effect),
            pilots.var(axis=1, ddof=1),
            errors_of_log_variances(pilots),
            np.full(n_replications, n_queries),
            confidence=1 - LEVEL,
            power=0.8,
        )
        power = stats.norm.cdf(effect * np.sqrt(needed) - stats.norm.isf(LEVEL / 2)).mean()
        held = (low <= (reach / effect) ** 2) & ((reach / effect) ** 2 <= high)
        yield [label, n_queries, f"{100 * power:.1f}", share(held)]


def band_rows(n_replications):
    """Joint coverage where the first ranker finds documents of a rare top grade earlier."""
    gap = np.mean(1 / np.arange(1, 5)) - np.mean(1 / np.arange(1, 20))
    for n_queries, at_top in ((100, 0.04), (100, 0.1), (100, 0.4), (400, 0.04), (1000, 0.02)):
        rng = np.random.default_rng([n_queries, int(100 * at_top), 4])
        held = []
        while len(held) < n_replications:
            is_found = rng.random(n_queries) < at_top
            better, worse = (1 / rng.integers(1, most, n_queries) for most in (5, 20))
            top = np.where(is_found, better - worse, 0.0)
            moments = moments_of(np.column_stack([rng.normal(0.0, 0.15, n_queries), top]))
            if not moments.standard_errors.all():
                continue  # no query has the top grade, of which a warning tells
            critical = critical_value([moments], 1 - LEVEL, 500, rng, over_simplex=True)
            errors = (moments.means - [0.0, at_top * gap])[None]
            ratios = largest_ratios(errors, moments.covariance[None])
            held.append(max(each[0] for each in ratios) <= critical)
        yield [n_queries, f"{at_top * n_queries:.0f}", share(held)]


def clustered_band_rows(n_replications, n_grades=3):
    """Joint coverage where queries of a person share an effect as large as their own."""
    mix = np.linalg.cholesky(0.5 + 0.5 * np.eye(n_grades)).T
    for n_persons in (15, 30, 100):
        rng = np.random.default_rng([n_persons, 6])
        held = {"clusters": [], "queries": []}
        for _ in range(n_replications):
            person = np.repeat(np.arange(n_persons), rng.integers(1, 10, n_persons))
            effects = rng.normal(size=(n_persons, n_grades))
            differences = (effects[person] + rng.normal(size=(len(person), n_grades))) @ mix
            for unit, clusters in (("clusters", person), ("queries", None)):
                moments = moments_of(differences, clusters=clusters)
                critical = critical_value([moments], 1 - LEVEL, 500, rng, over_simplex=True)
                ratios = largest_ratios(moments.means[None], moments.covariance[None])
                held[unit].append(max(each[0] for each in ratios) <= critical)
        yield [n_persons, *map(share, held.values())]


def band_cases(n_grades):
    """Name cases with repeats, and how thresholds' differences are drawn from folds in them."""

    def by_components(components, folds, rng):
        of_query, of_model, rest = components
        models = rng.normal(0.0, of_model, (len(folds), folds.max() + 1, n_grades))
        queries = rng.normal(0.0, of_query, (folds.shape[1], n_grades))
        noise = rng.normal(0.0, rest, (*folds.shape, n_grades))
        return models[np.arange(len(folds))[:, None], folds] + queries + noise

    def by_data(world, folds, rng):
        return np.stack([drawn_by_data(world, folds, rng) for _ in range(n_grades)], axis=2)

    for (label, components), (n_queries, n_folds), n_repeats in itertools.product(
        COMPONENTS.items(), ((30, 3), (100, 5)), (2, 5)
    ):
        name = f"{label}, {n_queries} queries, {n_folds} folds"
        yield name, n_queries, n_folds, n_repeats, partial(by_components, components)
    for label, world in SHARED_DATA.items():
        yield f"models differ by {label}, 60 queries, 3 folds", 60, 3, 5, partial(by_data, world)


def repeated_band_rows(n_replications, n_grades=3):
    """Joint coverage of bands over repeats, where models' effects at the thresholds correlate."""
    mix = np.linalg.cholesky(0.5 + 0.5 * np.eye(n_grades)).T
    for name, n_queries, n_folds, n_repeats, draw in band_cases(n_grades):
        rng, held = np.random.default_rng([n_queries, n_repeats, len(name), 5]), []
        for _ in range(n_replications):
            folds = np.array([rng.permutation(n_queries) % n_folds for _ in range(n_repeats)])
            differences = draw(folds, rng) @ mix
            part = part_of_models(np.moveaxis(differences, 2, 0), folds)
            row = []
            for each in (part, None):
                moments = moments_of(differences.mean(axis=0), models=each)
                critical = critical_value([moments], 1 - LEVEL, 500, rng, over_simplex=True)
                ratios = largest_ratios(moments.means[None], moments.covariance[None])
                row.append(max(each[0] for each in ratios) <= critical)
            held.append(row)
        yield [name, n_repeats, *map(share, np.transpose(held))]


# Clusters


def cluster_rows(n_replications):
    """Type I where queries of a person share an effect as large as their own."""
    for n_clusters, in_each in ((15, 4), (30, 5), (100, 3)):
        rng = np.random.default_rng([n_clusters, in_each])
        sizes = rng.poisson(in_each - 1, n_clusters) + 1.0
        of_cluster = rng.normal(size=(n_replications, n_clusters)) * sizes
        sums = of_cluster + rng.normal(size=of_cluster.shape) * np.sqrt(sizes)
        row = [f"{n_clusters} persons with {sizes.mean():.1f} queries each"]
        for name in ("bootstrap_t", "t", "randomization", "wilcoxon"):
            test = TESTS[name]
            given = (N_RESAMPLES, rng) if test.resamples else ()
            row.append(share(test.function(sums, *given, sizes=sizes) < LEVEL))
        yield row


# Repeats: drawn components


COMPONENTS = {
    "noise": (0.0, 0.0, 1.0),
    "queries and noise": (1.0, 0.0, 1.0),
    "models vary": (0.5, 0.3, 1.0),
    "models vary, hardly queries": (0.2, 0.6, 0.5),
}
REPEATS = (1, 2, 3, 5, 10)


# Human labels of few queries, a judge's of many


JUDGES = {
    "good": lambda values, noise: values + 0.5 * noise,
    "useless": lambda values, noise: noise,
    "overrates": lambda values, noise: 0.5 + 1.5 * values + noise,
    "adversarial": lambda values, noise: -values + noise,
    "saturated": lambda values, noise: np.minimum(values, 0.5) + 0.3 * noise,
}
HUMAN_QUERIES = (15, 50, 200)


def judge_rows(n_replications, n_judged=1000):
    """Coverage and width of `compare(human, judge=...)`, beside the human labels alone."""
    kinds = itertools.product(("normal", "exponential", "lognormal"), HUMAN_QUERIES, JUDGES)
    for label, n_human, judge in kinds:
        rng = np.random.default_rng([n_human, len(label), list(JUDGES).index(judge)])
        found = {name: [] for name in ("t", "bootstrap_t")}
        for size in [250] * (n_replications // 250):
            values = DIFFERENCES[label](rng, (size, n_judged))
            judged = JUDGES[judge](values, rng.normal(size=values.shape))
            human, places = values[:, :n_human], np.arange(n_human)
            line = regression_of(human, judged, places)
            reach = stats.t.isf(LEVEL / 2, n_human - 1) * line.error_of_labels
            alone = Tested(None, line.labels_mean - reach, line.labels_mean + reach)
            drawn = bootstrap_t(human, np.ones(n_human), LEVEL, N_RESAMPLES, rng)
            for name, without in (("t", alone), ("bootstrap_t", drawn)):
                found[name].append((without, judged_test(name, line, LEVEL, N_RESAMPLES, rng)))
        row = [label, n_human, judge]
        for pairs in found.values():
            without, both = (
                np.concatenate([(each.low, each.high) for each in side], axis=1)
                for side in zip(*pairs, strict=True)
            )
            row += [share((low <= 0) & (high >= 0)) for low, high in (without, both)]
            row.append(f"{(both[1] - both[0]).mean() / (without[1] - without[0]).mean():.2f}")
        yield row


# For which users a judge misleads


def raised(grades, rng, share):
    """Take some documents of grade 1 for those of grade 2."""
    return np.where((grades == 1) & (rng.random(grades.shape) < share), 2, grades)


def mistaken(grades, rng, share):
    """Take some documents for those of the next grade, lower or higher, as far as there is one."""
    step = rng.integers(0, 2, grades.shape) * 2 - 1
    return np.clip(grades + step * (rng.random(grades.shape) < share), 0, 3)


JUDGES_OF_DOCUMENTS = {
    "mistakes one in 15": partial(mistaken, share=0.1),
    "raises one in 3 of grade 1": partial(raised, share=1 / 3),
    "mistakes one in 730": partial(mistaken, share=0.002),
}
SHARES_OF_GRADES = {"3 %": (0.6, 0.25, 0.12, 0.03), "0.3 %": (0.6, 0.25, 0.147, 0.003)}
USERS = np.array([each for each in np.ndindex(21, 21, 21) if sum(each) == 20]) / 20


def judged_population(shares, judge, rng, *, n_queries=20_000, n_documents=15, n_systems=3):
    """Return AP at the thresholds of all queries by humans and by a judge, system by query."""
    grades = rng.choice(4, p=shares, size=(n_queries, n_documents))
    runs = {
        str(each): (grades + rng.normal(size=grades.shape)).ravel() for each in range(n_systems)
    }
    qid = np.repeat(np.arange(n_queries), n_documents)
    measures = [AP(rel=rel) for rel in (1, 2, 3)]
    return [
        evaluate(measures, each.ravel(), runs, qid=qid) for each in (grades, judge(grades, rng))
    ]


def excess_of_bias(population, n_human, baseline, n_replications, rng):
    """Draw queries; return by how much the largest error is beyond the band, as a factor."""
    by_human, by_judge = (each.values for each in population)
    apart = (by_judge - by_human).mean(axis=1)
    truth = apart[:1] if baseline is None else apart[1:] - apart[0]
    kept = slice(0, 1) if baseline is None else slice(None)
    for _ in range(n_replications):
        queries = rng.choice(by_human.shape[1], n_human, replace=False)
        human, judge = (
            dataclasses.replace(
                each,
                values=each.values[kept][:, queries],
                qid=np.arange(n_human),
                systems=each.systems[kept],
            )
            for each in population
        )
        profile = judge_profile(human, judge, baseline=baseline, n_resamples=500, random_state=rng)
        beyond = []
        for true, pair in zip(truth, profile.bias, strict=True):
            middle, low, high = pair.band(USERS)
            error = USERS @ true - middle
            reach = np.where(error > 0, high - middle, middle - low)
            beyond.append(np.max(np.abs(error) / reach))
        yield max(beyond)


def judge_profile_rows(n_replications):
    """Joint coverage of the bias of a judge for all users, and the width that would be enough."""
    kinds = itertools.product(SHARES_OF_GRADES, JUDGES_OF_DOCUMENTS, (None, "0"), (30, 100, 300))
    for (at_top, judge), rows in itertools.groupby(kinds, lambda each: each[:2]):
        rng = np.random.default_rng([len(at_top), len(judge), 6])
        shares = SHARES_OF_GRADES[at_top]
        population = judged_population(shares, JUDGES_OF_DOCUMENTS[judge], rng)
        for _, _, baseline, n_human in rows:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                beyond = list(excess_of_bias(population, n_human, baseline, n_replications, rng))
            compared = "a system" if baseline is None else "two differences"
            needed = np.quantile(beyond, 1 - LEVEL)
            held = share(np.array(beyond) <= 1)
            yield [at_top, judge, compared, n_human, held, f"{1 / needed:.2f}"]


def drawn_by_folds(components, n_repeats, n_folds, n_queries, rng):
    of_query, of_model, rest = components
    folds = np.array([rng.permutation(n_queries) % n_folds for _ in range(n_repeats)])
    models = rng.normal(0.0, of_model, (n_repeats, n_folds))
    queries = rng.normal(0.0, of_query, n_queries)
    noise = rng.normal(0.0, rest, folds.shape)
    return (queries + models[np.arange(n_repeats)[:, None], folds] + noise)[None], folds


def component_rows(n_replications):
    for (label, components), (n_queries, n_folds) in itertools.product(
        COMPONENTS.items(), ((30, 3), (100, 5))
    ):
        of_query, of_model, rest = components
        for n_repeats in REPEATS:
            rng = np.random.default_rng([n_queries, n_repeats, len(label)])
            variance = (
                of_query**2 / n_queries + (of_model**2 / n_folds + rest**2 / n_queries) / n_repeats
            )
            effect = 2.8 * np.sqrt(
                of_query**2 / n_queries + (of_model**2 / n_folds + rest**2 / n_queries) / 5
            )
            held, widths, shown = [], [], []
            for _ in range(n_replications):
                differences, folds = drawn_by_folds(components, n_repeats, n_folds, n_queries, rng)
                found = repeated_interval(differences, folds=folds)
                held.append(found.low[0] <= 0.0 <= found.high[0])
                widths.append(found.high[0] - found.low[0])
                shown.append(not found.low[0] <= -effect <= found.high[0])
            width = np.mean(widths) / (2 * stats.norm.isf(LEVEL / 2) * np.sqrt(variance))
            row = f"{label}, {n_queries} queries, {n_folds} folds"
            yield [row, n_repeats, share(held), f"{width:.2f}", share(shown)]


# Repeats: what training data share


def shared_rows(n_replications, n_repeats=5, n_folds=3, n_queries=60):
    """Compare what training data add to the variance with what one data set tells of it."""
    for label, world in SHARED_DATA.items():
        rng, found, shared = np.random.default_rng([8, len(label)]), [], []
        for _ in range(n_replications):
            folds = np.array([rng.permutation(n_queries) % n_folds for _ in range(n_repeats)])
            differences = drawn_by_data(world, folds, rng)
            apart = differences - differences.mean(axis=0)
            of_rest = (apart**2).sum() / ((n_repeats - 1) * n_queries)
            of_repeats = differences.mean(axis=1).var(ddof=1) - of_rest / n_queries
            shared.append((n_folds - 1) * of_repeats)
            found.append(repeated_interval(differences[None], folds=folds))
        mean, low, high = (
            np.ravel([getattr(each, name) for each in found]) for name in ("mean", "low", "high")
        )
        variance = mean.var(ddof=1)
        width = (high - low).mean() / (2 * stats.norm.isf(LEVEL / 2) * np.sqrt(variance))
        told = f"{np.mean(shared) / variance:.2f} ({np.std(shared) / variance:.2f})"
        true = world[0] * world[1] / n_queries**2 / variance
        yield [label, f"{true:.2f}", told, share((low <= 0) & (high >= 0)), f"{width:.2f}"]


# The page


OF_LEARNERS = ["data", "sets", "learners", "repeats", "held", "width"]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


PAGE = """\
# Calibration

An interval is wrong when it is too narrow, and also when it is wider than it has to be. Here every
kind of interval and p-value is held against simulations in which the truth is known. Shares are in
percent, with their Monte-Carlo errors in parentheses. Intervals should hold the truth in 95 %, and
tests should err in 5 %. Where a share of n replications is 0 or 100 %, the error is not 0.0: the
true share may differ by up to 3 / n. "Width" is the mean width of an interval over the width that
the true spread of the estimate gives, so that 1.00 is as wide as it has to be.
`python benchmarks/calibration.py` writes this page.

Of every result with intervals, p-values or probabilities, these are the sections:

| result | sections |
| --- | --- |
| `Comparison` | one split, many systems, clusters, a margin, repeated cross-validations |
| `QueriesNeeded` | the number of queries that show a difference |
| `JudgedEstimates`: means and differences | human labels of few queries |
| `JudgedEstimates`: the bias of the judge | one split, t |
| `Best`, `Room` | which system is the best, which system to choose |
| `ThresholdProfile`, `PairProfile` | for which users: joint bands |
| `JudgeProfile` | for which users a judge misleads |
| `PreferenceThresholds` | g from preferences |
| `FeedbackThresholds` | g from feedback |
| `LogThresholds` | g from a log |
| `DiscriminativePower` | one split: its tests are those of a comparison |
| `ModelChoice` | repeated cross-validations: its intervals are those of a comparison |
| `PowerOverTopics`, `RepeatedPower` | the power of measures |
"""


def sections(options):
    n = options.replications
    tests = ["bootstrap-t", "t", "Fisher", "bootstrap", "Wilcoxon", "sign"]
    yield (
        "One split, no difference in the mean",
        f"{n} comparisons of two systems whose true means are the same. The columns of tests "
        "tell in how many of them p < .05, which should be 5 %; the last one is the width of "
        "the interval of bootstrap-t, the default of `compare`. Bootstrap-t errs the least "
        "often with skewed differences, and is the widest. Wilcoxon's and the sign test do "
        "not test the mean, so that skewed differences are significant by them. Where 10 % "
        "differ, only three of 30 queries and ten of 100 tell anything: `compare` then warns.",
        lambda: table(["differences", "queries", *tests, "width"], single_rows(n)),
    )
    yield (
        "One split, power at equal error",
        f"{n} comparisons of two systems whose true means differ by 2.5 standard errors, "
        "upwards (+) or downwards (-). Counted is how often a test finds this, at the level "
        "at which it errs in 5 % of such comparisons without a difference. With normal "
        "differences the tests are equally strong. With skewed ones bootstrap-t is stronger "
        "one way and weaker the other; with differences in few queries it is weaker.",
        lambda: table(
            ["differences", "queries", *(f"{name} {way}" for name in tests[:3] for way in "+-")],
            power_rows(n),
        ),
    )
    yield (
        "Many systems that are equal",
        f"{n // 5} comparisons of systems that are all equal, over 50 queries. Counted is how "
        "often any pair is significant, which should be 5 %. Max-t and Holm's correction hold "
        "this where some systems vary more than the others; Tukey's test does not.",
        lambda: table(["systems", "of which", "max-t", "Tukey", "t, Holm"], family_rows(n // 5)),
    )
    yield (
        "Clusters of queries",
        f"{n} comparisons of equal systems with `cluster=`, where all queries of a person "
        "share an effect as large as their own. Counted is how often p < .05, which should be "
        "5 %. All tests are near it from 15 persons on.",
        lambda: table(["queries", "bootstrap-t", "t", "Fisher", "Wilcoxon"], cluster_rows(n)),
    )
    yield (
        "A margin",
        f"{n} comparisons for each row with `compare(..., margin=0.3)`, whose status is 0 if "
        "the margin holds and 1 if it fails. The true difference is -0.3, just at the margin, "
        "where each status should come in 2.5 %; or 0, where status 0 is right. With skewed "
        "differences over few queries, status 1 comes too often at the margin, and status 0 "
        "too seldom.",
        lambda: table(
            ["differences", "queries", "0 at -0.3", "1 at -0.3", "0 at 0", "1 at 0"], margin_rows(n)
        ),
    )
    yield (
        "A margin, few queries that differ",
        "The same by P@1, where a system loses some queries and wins others, so that the "
        "difference is minus the margin; then with as many queries won as lost. Beside the status, "
        "in how many replications no query differs, and in how many fewer than 10 do.",
        lambda: table(
            [
                "queries",
                "margin, %",
                "won, %",
                "none differs",
                "fewer than 10",
                "0 at -margin",
                "1 at -margin",
                "0 at 0",
                "1 at 0",
            ],
            rare_margin_rows(n),
        ),
    )
    yield (
        "The number of queries that show a difference",
        f"{n} pilots for each row, whose differences have a standard deviation of 1, and "
        "`queries_needed(effect=0.2)` from each. Counted are the mean power at the number "
        "that it names, which should be 80 %, and how often its interval holds the true "
        "number. Pilots with skewed or heavy tails often miss the largest differences, and so "
        "ask for too few queries.",
        lambda: table(["differences", "pilot", "power", "held"], sample_size_rows(n)),
    )
    yield (
        "For which users: joint bands",
        f"{n // 5} profiles by `threshold_profile` for each row, with two grades, of which the "
        "top one is rare. Counted is how often the band holds the true difference for all "
        "users at once. With four such queries the band holds nearly always, because it is "
        "very wide.",
        lambda: table(["queries", "with the top grade", "held"], band_rows(n // 5)),
    )
    yield (
        "For which users: joint bands of clusters",
        f"{n // 5} profiles by `threshold_profile` for each row, with three grades, of equal "
        "rankers. Persons have 1 to 9 queries each, which share an effect as large as their own. "
        "Counted is how often the band holds for all users, with `cluster=` and without.",
        lambda: table(["persons", "held", "without `cluster=`"], clustered_band_rows(n // 5)),
    )
    yield (
        "For which users: joint bands over repeats",
        f"{n // 10} profiles by `threshold_profile` for each row, with three grades, of "
        "repeated cross-validations of equal rankers. Counted is how often the band holds for "
        "all users, and how often a band over queries alone would. Where trained models vary, "
        "only the band that takes them in holds.",
        lambda: table(
            ["components", "repeats", "held", "over queries alone"], repeated_band_rows(n // 10)
        ),
    )
    yield (
        "g from preferences",
        f"{n // 5} data sets for each row, with 2,000 preferences each, for "
        "`thresholds_from_preferences`; g = (.1, .2, .3, .4) if no other is named. "
        "Judges prefer by all thresholds, weighted by g, or "
        'each by a threshold of their own; "sharp" ones hardly err. Counted is how often an '
        "interval holds g_k, and how often a fit is warned of, which should be at most 2 % "
        "where the model holds, and 100 % elsewhere.",
        lambda: table(
            ["judges", "g", "model holds", *(f"g_{each}" for each in range(1, 5)), "warned"],
            preference_rows(n // 5),
        ),
    )
    yield (
        "g from feedback",
        f"{n // 5} data sets for each row for `thresholds_from_feedback`, with g = (.1, .2, "
        ".3, .4) and propensities that are known. Noisy users are satisfied by 30 % of the "
        "documents that reach their threshold, and by 2 % of the others. Counted is how often "
        "an interval holds g_k: as often as it says, or slightly less.",
        lambda: table(
            ["users", "sessions", *(f"g_{each}" for each in range(1, 5))], feedback_rows(n // 5)
        ),
    )
    yield (
        "g from a log",
        f"{n // 40} logs of 3,000 sessions for each row for `thresholds_from_log`, with g = "
        "(.1, .2, .3, .4), where neither the reader nor the propensities are given. Counted "
        "is how often an interval holds g_k, and how often a log is warned of, which should "
        "be at most 2 %. So few logs tell only that nothing is far off; a guide has more of "
        "[them](guide/a_click_log.md).",
        lambda: table(
            ["readers", *(f"g_{each}" for each in range(1, 5)), "warned"], log_rows(n // 40)
        ),
    )
    yield (
        "The power of measures",
        f"{n // 10} studies for each row by `power_over_topics`, or with `RepeatedPower` over "
        "samples of the judgments. Counted is how often an interval holds the expected power "
        "of a measure, and the expected difference of two, each with its width. The intervals "
        "hold, and those over topics are wider than need be: they take the variance of one "
        "trial of halves for that of the mean over trials. Three samples leave Student's t "
        "two degrees of freedom, which makes intervals wide.",
        lambda: table(
            ["over", "power", "width", "difference", "width"],
            [*topic_power_rows(n // 10), *drawn_power_rows(n // 10)],
        ),
    )
    yield (
        "Human labels of few queries, a judge's of many",
        f"{2 * n} comparisons for each row of two systems that are equal, with human labels of "
        "few queries and a judge's of 1,000. Counted is how often the interval of the human "
        "labels alone holds 0, and that of `compare(human, judge=...)`; the width is that "
        'with the judge over that without. Both are given by `tests="t"` and by bootstrap-t, '
        "the default. A good judge halves the interval, and a useless one costs little. Of a "
        "saturated judge, which cannot tell large differences apart, intervals over few "
        "skewed queries hold less often.\n\n"
        "With a useless judge at 15 queries and normal differences, theory asks for a width "
        "of at least 1.045 by t: 1.006 for 13 degrees of freedom instead of 14 (the quantiles "
        "of t and the mean of the standard deviation), times 1.039, the mean of sqrt(1 + d^2 "
        "/ 14) where d has Student's t distribution with 14 degrees of freedom, for the line "
        "that is moved along. Bootstrap-t has more, because a resample of 15 queries holds "
        "about ten different ones, from which it estimates the line again.",
        lambda: table(
            [
                *("differences", "human", "judge", "t alone", "t", "t: width"),
                *("bootstrap-t alone", "bootstrap-t", "bootstrap-t: width"),
            ],
            judge_rows(2 * n),
        ),
    )
    yield (
        "For which users a judge misleads",
        f"{n // 5} profiles by `judge_profile` for each row, with three grades. Humans give "
        "the top grade to 3 % or .3 % of 15 documents, and a judge mistakes some. Counted is "
        "how often the bands hold the judge's bias for all users and rows at once; the width "
        "is over that at which 95 % would. A judge that is wrong in one of 730 documents "
        "changes AP in so few queries that nothing tells how much. The band is then a bound. "
        "It is much wider than this judge needs, because it holds for every judge that "
        "differs as seldom: that none of 30 queries differs "
        "does not rule out that one in ten does.",
        lambda: table(
            ["top grade", "judge", "of", "queries", "held", "width"], judge_profile_rows(n // 5)
        ),
    )
    yield (
        "Which system to choose: room",
        f"{n // 5} data sets for each row, from a population of 6,000 queries and 20 systems, "
        "for `Comparison.room`. The gain is that of choosing by eGAP on half of the queries, "
        "instead of by nDCG@10, as the population tells it. Counted is how often the interval "
        'holds it, with its width, and how often the verdict is "use g". Intervals hold, and '
        '"use g" is rare where there is no frontier. There they are too wide: systems are '
        "equal, so that the gain hangs on queries that choose and queries that judge "
        "together, which the jackknife counts up to twice.",
        lambda: table(
            ["systems", "users", "queries", "gain", "held", "width", "use g"], room_rows(n // 5)
        ),
    )
    yield (
        "Which system is the best",
        f"{n // 5} comparisons for each row over 50 queries with exponential noise, for "
        "`Comparison.best`. True means have a standard deviation of 0, 1 or 3 standard "
        "errors. Counted are the highest probability and how often that system is the best "
        "one, which should agree; how often it is 95 % or more, which should be rare where "
        "all are equal; and how often it is then right. With 50 systems, equal ones should "
        "lead by more than equal ones do in 5 % or less, and the optimism that is told should "
        "be 1.00 times the true one. Probabilities are near the shares or below them, but "
        "where all are equal; there no system is the best, and one is called it by lot.",
        lambda: table(
            [
                "systems",
                "deviation",
                "highest probability, mean",
                "right",
                "at least 95 %",
                "right of these",
                "leads by more than equal ones",
                "optimism, told over true",
            ],
            best_rows(n // 5),
        ),
    )
    yield (
        "Which system to choose, over repeats",
        f"{n // 10} comparisons for each row of equal systems over five repeats of 3 folds of "
        "60 queries, whose models vary by chance or by their training data. Counted is in how "
        "many the highest probability of `Comparison.best` is 95 % or more, and in how many "
        "the interval of `Comparison.room` holds 0; each also over queries alone, without "
        "what repeats show of the models. Without this, one of two equal systems that vary by "
        "chance is called the best too often.",
        lambda: table(
            [
                "models differ by",
                "systems",
                "at least 95 %",
                "over queries alone",
                "held",
                "over queries alone",
            ],
            repeated_choice_rows(n // 10),
        ),
    )
    yield (
        "Repeated cross-validations, drawn components",
        f"{n // 4} cross-validations for each row, whose differences are sums of effects of "
        "queries, of trained models and of noise. Counted is how often the interval holds the "
        "true difference, with its width; power is how often it finds one of 2.8 standard "
        "errors of five repeats. A single repeat holds too seldom where models vary. From two "
        "repeats on, intervals hold, and more repeats find more. Two repeats say little about "
        "models, which makes their intervals wide.",
        lambda: table(["components", "repeats", "held", "width", "power"], component_rows(n // 4)),
    )
    yield (
        "Repeated cross-validations, what training data share",
        f"{n // 2} cross-validations for each row, with five repeats of 3 folds of 60 queries, "
        "in which every training query helps or hurts the model on every tested one. Where "
        "help is alike both ways, the mean varies from data set to data set by more than its "
        "queries and repeats show. Counted is this share of its variance; the mean and, in "
        "parentheses, the standard deviation of an unbiased estimate of it; and how often the "
        "interval holds, with its width. One data set does not show the share, because the "
        "estimate varies as much as it is large or more. So the interval has a fixed "
        "allowance instead.",
        lambda: table(
            ["models differ by", "share", "as estimated", "held", "width"], shared_rows(n // 2)
        ),
    )
    yield (
        "Repeated cross-validations, trained learners",
        f"{options.trained} data sets that share no query, of each of two populations by "
        "`make_ranking`; each set is cross-validated by nDCG@10. Counted is how often an interval "
        "holds the mean difference over all data sets of its population, with its width. All pairs "
        "are on the same data sets, so that rows err together. One repeat holds for its own models "
        "only, and the mean over data sets in 90 to 95 %; from two repeats on, intervals hold it "
        "in 92 to 97 %.",
        lambda: table(OF_LEARNERS, learner_rows(POPULATIONS, options.trained, (1, 2, 3, 5))),
    )
    yield (
        "Repeated cross-validations, parts of real data sets",
        "The same on parts of real sets that share no query. They are few, and their mean is "
        "itself uncertain: the rows can only show gross errors, and show none.",
        lambda: table(OF_LEARNERS, learner_rows(REAL, None, (1, 5))),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--trained", type=int, default=500, help="data sets to train on")
    parser.add_argument("--output", type=Path, help="the page to write; printed by default")
    parser.add_argument("--only", default="", help="sections whose title contains this")
    parser.add_argument("--texts", action="store_true", help="write texts anew, and keep all rows")
    options = parser.parse_args()
    is_kept = options.output and (options.only or options.texts)
    kept = sections_of(options.output) if is_kept else {}
    parts = [PAGE]
    for title, told, rows in sections(options):
        if options.texts and title in kept:
            kept[title] = f"## {title}\n\n{told}\n\n{kept[title][kept[title].index('| ') :]}"
        elif options.only in title and not options.texts:
            kept[title] = f"## {title}\n\n{told}\n\n{rows()}\n"
            print(kept[title], flush=True)
        parts += [kept[title]] if title in kept else []
    if options.output:
        options.output.write_text("\n".join(parts), encoding="utf-8")


def sections_of(page):
    """Return the sections of a written page by their titles."""
    found = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {each.partition("\n")[0]: f"## {each.rstrip()}\n" for each in found}


if __name__ == "__main__":
    main()
