"""Means over queries and repeats against Student's t, plain loops and simulations."""

import numpy as np
import pytest
from scipy import stats

from skgraded._intervals.repeats import over_repeats


def estimated(differences, folds):
    """The estimate of mean differences over repeats, as a comparison makes it."""
    return over_repeats(differences, folds)[1]


def by_t(found, confidence=0.9):
    """Mean, ends, p-value and error of each pair by Student's t, as rows."""
    reach = found.reach(confidence)
    ends = found.value - reach, found.value + reach
    return np.transpose([found.value, *ends, found.students_p_value(), found.error])


def folds_of(n_repeats, n_queries, n_folds, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n_queries) % n_folds for _ in range(n_repeats)])


def drawn(n, folds, effects, seed=0):
    """Differences of n pairs, by standard deviations of queries, models of folds, and the rest."""
    of_query, of_model, rest = effects
    rng, repeats = np.random.default_rng(seed), np.arange(len(folds))[:, None]
    queries = rng.normal(0.0, of_query, (n, 1, folds.shape[1]))
    models = rng.normal(0.0, of_model, (n, len(folds), folds.max() + 1))
    return (
        queries + models[:, repeats, folds] + rng.normal(0.0, rest, (n, *folds.shape))
    )


def allowance(differences, folds, by_queries, weights=None):
    """A sixth of the variance of the queries' own effects, or what data may explain, if less."""
    weights = np.ones(differences.shape[1]) if weights is None else weights
    columns = [each[~np.isnan(each)] for each in differences.T]
    shares = [w for each, w in zip(columns, weights, strict=True) if len(each)]
    columns = [each for each in columns if len(each)]
    shares = np.array(shares) / sum(shares)
    squares = sum(((each - each.mean()) ** 2).sum() for each in columns)
    within = squares / sum(len(each) - 1 for each in columns)
    own = by_queries - within * sum(
        share**2 / len(each) for share, each in zip(shares, columns, strict=True)
    )
    training = []
    for values, fold in zip(differences, folds, strict=True):
        tested = fold[~np.isnan(values)]
        training += [
            np.mean(tested != each) / np.mean(tested == each) for each in tested
        ]
    return min(max(own, 0) / 6, np.mean(training) * within * (shares**2).sum())


def by_hand(differences, folds, clusters=None, weights=None, *, confidence=0.9):
    """Mean, ends, p-value and error of one pair, by dense matrices of every quadratic form."""
    counted = (
        np.ones(differences.shape[1]) if weights is None else weights / weights.mean()
    )
    repeat, query = np.nonzero(~np.isnan(differences))
    y = differences[repeat, query]
    queries, at = np.unique(query, return_inverse=True)
    levels = sorted({(r, folds[r, q]) for r, q in zip(repeat, query, strict=True)})
    of_fold = np.array(
        [levels.index((r, folds[r, q])) for r, q in zip(repeat, query, strict=True)]
    )
    of_queries, of_folds = np.eye(len(queries))[at], np.eye(len(levels))[of_fold]
    times, sizes = of_queries.sum(axis=0), of_folds.sum(axis=0)
    query_means = of_queries.T / times[:, None]
    center = np.diag(counted) @ (np.eye(len(queries)) - counted / len(queries))
    residuals = np.eye(len(y)) - of_queries @ query_means
    unit = queries if clusters is None else clusters[queries]
    sums = (np.unique(unit)[:, None] == unit) * 1.0
    n_units = len(sums)
    forms = {  # A of the quadratic forms y' A y
        "queries": (sums @ center @ query_means).T
        @ (sums @ center @ query_means)
        * (n_units / (n_units - 1) / len(queries) ** 2),
        "folds": residuals @ of_folds @ np.diag(1 / sizes) @ of_folds.T @ residuals,
        "rest": residuals,
    }
    found = {name: y @ A @ y for name, A in forms.items()}
    by_fold = {name: np.trace(A @ of_folds @ of_folds.T) for name, A in forms.items()}
    by_rest = {name: np.trace(A) for name, A in forms.items()}
    equations = [[by_fold[each], by_rest[each]] for each in ("folds", "rest")]
    component, _ = np.linalg.solve(equations, [found["folds"], found["rest"]])
    in_mean = counted @ query_means / len(queries)
    added = max(0, component) * (((in_mean @ of_folds) ** 2).sum() - by_fold["queries"])
    inner = (
        np.diag(sizes**-0.5) @ of_folds.T @ residuals @ of_folds @ np.diag(sizes**-0.5)
    )
    n_free = np.trace(inner) ** 2 / (inner**2).sum()
    widening = (
        1 + allowance(differences, folds, found["queries"], weights) / found["queries"]
    )
    by_queries, freedom = found["queries"] * widening, n_units - 1
    if (
        clusters is not None or weights is not None
    ):  # what large units hold back, and their number
        apart = (
            sums
            @ center
            @ query_means
            @ y
            / len(queries)
            / (1 - sums @ counted / len(unit))
        )
        by_queries = (apart**2).sum() * widening
        freedom = np.clip(3 * (apart**2).sum() ** 2 / (apart**4).sum(), 1, n_units - 1)
    mean, variance = in_mean @ y, by_queries + added
    freedom = variance**2 / (by_queries**2 / freedom + added**2 / n_free)
    reach = stats.t.ppf(0.5 + confidence / 2, freedom) * variance**0.5
    p_value = 2 * stats.t.sf(abs(mean) / variance**0.5, freedom)
    return mean, mean - reach, mean + reach, p_value, variance**0.5


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("n_folds", [1, 3, 5])
def test_components_are_those_of_dense_matrices(n_folds, clustered, gaps, weighted):
    folds = folds_of(4, 25, n_folds)
    differences = drawn(3, folds, (0.3, 0.4, 0.5)) + 0.1
    if gaps:
        differences[:, np.random.default_rng(1).random((4, 25)) < 0.3] = np.nan
        differences[:, 1] = 0.3
    clusters = np.random.default_rng(3).integers(0, 9, 25) if clustered else None
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 25) if weighted else None
    found = by_t(over_repeats(differences, folds, clusters, weights)[1])
    expected = [by_hand(each, folds, clusters, weights) for each in differences]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    if n_folds == 1:
        without = by_t(over_repeats(differences, None, clusters, weights)[1])
        np.testing.assert_allclose(without, expected, rtol=1e-9)


SETS = 400


@pytest.mark.parametrize(
    ("effects", "n_repeats", "widest"),
    [((0.0, 0.0, 1.0), 5, 1.2), ((0.5, 0.3, 1.0), 2, 1.3), ((0.2, 0.6, 0.5), 5, 1.2)],
    ids=["noise", "models", "hardly queries"],
)
def test_intervals_of_repeats_are_calibrated_both_ways(effects, n_repeats, widest):
    """93 to 97 % are covered, within 3 binomial errors, and not much wider than needed."""
    ends = []
    for seed in range(SETS):
        folds = folds_of(n_repeats, 60, 3, seed)
        differences = drawn(1, folds, effects, seed)
        ends.append(estimated(differences, folds).interval(0.95)[0])
    low, high = np.transpose(ends)
    slack = 3 * np.sqrt(0.05 * 0.95 / SETS)
    assert 0.93 - slack < np.mean((low <= 0) & (high >= 0)) < 0.97 + slack
    of_query, of_model, rest = np.square(effects)
    variance = of_query / 60 + of_model / (3 * n_repeats) + rest / (60 * n_repeats)
    assert 0.95 < np.mean(high - low) / (2 * 1.96 * variance**0.5) < widest


def test_folds_of_one_query_are_noise():
    folds = folds_of(3, 12, 12)
    differences = drawn(2, folds, (0.3, 0.0, 0.5))
    own = stats.sem(differences.mean(axis=1), axis=1) ** 2
    shared = [
        allowance(*each) for each in zip(differences, [folds] * 2, own, strict=True)
    ]
    np.testing.assert_allclose(
        estimated(differences, folds).error ** 2, own + shared, rtol=1e-9
    )


def test_training_data_that_folds_share_are_allowed_for():
    """A share of what linear models hide is added, and nothing where no model was trained again."""
    rng, found = np.random.default_rng(0), []
    for _ in range(SETS):
        points = rng.normal(size=(60, 8))
        folds = folds_of(5, 60, 3, seed=int(rng.integers(1e6)))
        trains = folds[:, :, None] != folds[:, None, :]
        helped = (trains * (points @ points.T)).sum(axis=2) / trains.sum(axis=2)
        differences = rng.normal(size=60) + 1.5 * helped
        found.append(by_t(estimated(differences[None], folds), 0.95)[0])
    mean, low, high, _, error = np.transpose(found)
    assert 0.91 < np.mean((low <= 0) & (high >= 0)) < 0.97
    assert 0.85 < np.sqrt((error**2).mean()) / mean.std() < 1.1
    same = np.tile(rng.normal(size=60), (1, 5, 1))  # systems that were tested once
    assert estimated(same, folds).error == pytest.approx(stats.sem(same[0, 0]))
