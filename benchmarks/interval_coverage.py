"""Count how often comparisons find a difference where there is none.

Two kinds of simulation. In the first, differences are drawn: an effect of each query, an effect of
each repeat (all its trained models are a little better or worse) and noise. In the second, two
learners are trained that are equally good on average: each sees its own half of the features, and
all features are alike. Every replication has a data set of its own; queries, training data and
their overlap in repeated cross-validations are real.

Intervals of 95 % miss the true difference, which is 0, in the same share of replications.

    python benchmarks/interval_coverage.py [--replications N] [--trained N]
"""

import argparse

import numpy as np

from skgraded._stats.paired import t_test, wilcoxon_test
from skgraded._stats.repeats import repeated_interval
from skgraded._stats.shuffles import randomization_test

QUERIES, REPEATS = (30, 100, 1000), (1, 2, 3, 5, 10)
REPEATS_OF_WIDTHS = (2, 3, 4, 5, 10)
# Standard deviations of queries, repeats (over the square root of the queries) and noise.
EFFECTS = {
    "queries alone": (1.0, 0.0, 0.5),
    "noise as large": (1.0, 0.0, 1.0),
    "repeats as large": (1.0, 1.0, 1.0),
    "repeats twice": (1.0, 2.0, 1.0),
    "hardly queries": (0.2, 0.5, 1.0),
}
# Queries, folds, documents of a query, noise of the grades.
TRAINED = ((30, 3, 5, 10.0), (30, 5, 5, 10.0), (30, 5, 10, 2.0), (100, 5, 5, 20.0))
FEATURES = 10  # of each learner
# Of the repeats: the default of repeated_interval, and that of repeats on data of their own.
CORRELATIONS = (0.5, 0.0)
ALPHA = 0.05
CELLS_AT_A_TIME = 3_000_000


def drawn(shape, effects, rng):
    n, n_repeats, n_queries = shape
    of_query, of_repeat, noise = effects
    # Of a single repeat the effect cannot be told from a difference.
    of_repeat *= n_queries**-0.5 if n_repeats > 1 else 0.0
    return (
        rng.normal(0.0, of_query, (n, 1, n_queries))
        + rng.normal(0.0, of_repeat, (n, n_repeats, 1))
        + rng.normal(0.0, noise, shape)
    )


# Two rankers often differ on few queries, and on some of those by much.
SINGLE = {
    "normal": lambda shape, rng: rng.normal(size=shape),
    "half are 0": lambda shape, rng: rng.standard_t(3, shape) * (rng.random(shape) < 0.5),
}


def ndcg(grades, scores):
    """NDCG of lists of one length; 0 without a relevant document."""
    discounts = 1.0 / np.log2(np.arange(2, grades.shape[1] + 2))
    by_score = np.take_along_axis(grades, np.argsort(-scores, axis=1), axis=1)
    ideal = -np.sort(-grades, axis=1) @ discounts
    return np.divide(by_score @ discounts, ideal, out=np.zeros(len(grades)), where=ideal > 0)


def least_squares(X, y):
    centred = X - X.mean(axis=0)
    normal = centred.T @ centred + 1e-6 * np.eye(X.shape[1])
    return np.linalg.solve(normal, centred.T @ (y - y.mean()))


def trained(setting, n_repeats, rng):
    """Differences of two learners that are alike, (n_repeats, n_queries)."""
    n_queries, n_folds, n_documents, noise = setting
    X = rng.normal(size=(n_queries, n_documents, 2 * FEATURES))
    worth = X.sum(axis=2) + noise * rng.normal(size=(n_queries, n_documents))
    grades = np.clip(np.floor(worth / 2), 0, 3)
    differences = np.empty((n_repeats, n_queries))
    for repeat in range(n_repeats):
        fold = rng.permutation(n_queries) % n_folds
        for tested in range(n_folds):
            train, test = fold != tested, fold == tested
            values = []
            for half in (X[:, :, :FEATURES], X[:, :, FEATURES:]):
                weights = least_squares(half[train].reshape(-1, FEATURES), grades[train].ravel())
                values.append(ndcg(grades[test], half[test] @ weights))
            differences[repeat, test] = values[0] - values[1]
    return differences


def share(is_rejected):
    return f"{100 * np.mean(is_rejected):.1f}"


def rejected(p_values):
    return share(np.asarray(p_values) < ALPHA)


def percentiles(differences, rng, n_resamples=1999):
    """Return the ends of plain bootstrap intervals, which are too narrow over few queries."""
    n_queries = differences.shape[1]
    shares = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), n_resamples) / n_queries
    return np.quantile(differences @ shares.T, [ALPHA / 2, 1 - ALPHA / 2], axis=1)


def print_single(n_replications):
    print("\nOne split: share (%) of p < .05; of bootstrap intervals without 0, for comparison")
    print(
        f"{'differences':<14}{'queries':>8}{'t':>8}{'Fisher':>8}{'Wilcoxon':>10}{'bootstrap':>11}"
    )
    for name, draw in SINGLE.items():
        for n_queries in QUERIES:
            rng = np.random.default_rng(n_queries)
            rows = draw((n_replications, n_queries), rng)
            low, high = percentiles(rows, rng)
            fisher = randomization_test(rows, 1999, rng)
            print(
                f"{name:<14}{n_queries:>8}{rejected(t_test(rows)):>8}{rejected(fisher):>8}"
                f"{rejected(wilcoxon_test(rows)):>10}{share((low > 0) | (high < 0)):>11}",
                flush=True,
            )


def drawn_p_values(n_replications, n_repeats, n_queries, effects, seed):
    """P-values with each correlation, (n_correlations, n_replications)."""
    rng = np.random.default_rng(seed)
    at_a_time = max(1, CELLS_AT_A_TIME // (n_repeats * n_queries))
    found = []
    for first in range(0, n_replications, at_a_time):
        size = min(at_a_time, n_replications - first)
        found.append(p_values(drawn((size, n_repeats, n_queries), effects, rng)))
    return np.concatenate(found, axis=1)


def p_values(differences):
    return np.array(
        [repeated_interval(differences, training_correlation=each).p_value for each in CORRELATIONS]
    )


def print_rows(head, by_repeats):
    """Print a line for each correlation."""
    for number, correlation in enumerate(CORRELATIONS):
        cells = "".join(f"{rejected(each[number]):>11}" for each in by_repeats)
        print(f"{head if number == 0 else '':<26}{correlation:>6}{cells}", flush=True)


def print_head(title, head):
    repeats = "".join(f"{each:>6} rep." for each in REPEATS)
    print(f"\n{title}: share (%) of p < .05\n{head:<26}{'corr.':>6}{repeats}")


def print_drawn(n_replications):
    print_head("Drawn differences", "effects            queries")
    for name, effects in EFFECTS.items():
        for n_queries in QUERIES:
            by_repeats = [
                drawn_p_values(
                    n_replications, each, n_queries, effects, [n_queries, each, len(name)]
                )
                for each in REPEATS
            ]
            print_rows(f"{name:<18}{n_queries:>8}", by_repeats)


def print_widths(n_replications, n_queries=100):
    """Print how far the widths of intervals depend on chance."""
    print(f"\nWidths over {n_queries} queries, in medians of ten repeats: 5, 50 and 95 % quantiles")
    print(f"{'effects':<26}" + "".join(f"{each:>13} rep." for each in REPEATS_OF_WIDTHS))
    for name, effects in EFFECTS.items():
        widths = []
        for n_repeats in REPEATS_OF_WIDTHS:
            rng = np.random.default_rng([n_queries, n_repeats])
            found = repeated_interval(drawn((n_replications, n_repeats, n_queries), effects, rng))
            widths.append(np.quantile(found.high - found.low, [0.05, 0.5, 0.95]))
        cells = ("".join(f"{each:6.2f}" for each in row / widths[-1][1]) for row in widths)
        print(f"{name:<26}{''.join(cells)}", flush=True)


def print_trained(n_replications):
    print_head("Trained learners that are alike", "  queries   folds     docs")
    for setting in TRAINED:
        differences = np.array(
            [
                trained(setting, max(REPEATS), np.random.default_rng(seed))
                for seed in range(n_replications)
            ]
        )
        n_queries, n_folds, n_documents, _ = setting
        by_repeats = [p_values(differences[:, :n_repeats]) for n_repeats in REPEATS]
        print_rows(f"{n_queries:>9}{n_folds:>8}{n_documents:>9}", by_repeats)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=4000)
    parser.add_argument("--trained", type=int, default=1000, help="replications with training")
    options = parser.parse_args()
    print(f"{options.replications} replications, {options.trained} of those with training")
    print_single(options.replications)
    print_drawn(options.replications)
    print_widths(options.replications)
    print_trained(options.trained)


if __name__ == "__main__":
    main()
