"""Logs of clicks of made-up users, whose thresholds are known."""

import numpy as np

TRUE_G = (0.1, 0.2, 0.3, 0.4)


def simulate(
    kind, n, seed=0, *, n_queries=None, m=10, hit=1.0, miss=0.0, stops=1.0, g=TRUE_G
):
    """Return grades and clicks of sessions, by rank, and their queries; better ones are higher."""
    rng = np.random.default_rng(seed)
    lists = rng.choice(5, size=(n_queries or n, m), p=[0.5, 0.2, 0.15, 0.1, 0.05])
    order = np.argsort(-(lists + 2 * rng.standard_normal(lists.shape)), axis=1)
    lists = np.take_along_axis(lists, order, axis=1)
    query = rng.integers(n_queries, size=n) if n_queries else np.arange(n)
    grade, rank = lists[query], np.arange(1, m + 1)
    threshold = rng.choice([1, 2, 3, 4], size=(n, 1), p=g)
    if n_queries:  # tastes differ between queries
        of_query = rng.dirichlet(10 * np.array(g), size=n_queries)[query]
        threshold = (
            1 + (rng.random((n, 1)) > of_query.cumsum(axis=1)[:, :-1]).sum(1)[:, None]
        )
    liked = rng.random(grade.shape) < np.where(grade >= threshold, hit, miss)
    seen = rng.random(grade.shape) < 1 / rank
    if kind == "position":
        return grade, liked & seen, query
    if kind == "trust":
        lured = rng.random(grade.shape) < 0.3 / rank
        return grade, seen & (liked | lured), query
    if kind == "one":
        worth = np.where(seen & liked, 100 * grade - rank, -1)
        return grade, (worth == worth.max(axis=1, keepdims=True)) & (worth >= 0), query
    clicked, reads = np.zeros(grade.shape, dtype=bool), np.ones(n, dtype=bool)
    for at in range(m):
        clicked[:, at] = reads & liked[:, at]
        reads &= ~(clicked[:, at] & (rng.random(n) < stops)) & (rng.random(n) < 0.8)
    return grade, clicked, query


def columns_of(grade, clicked, query=None):
    n, m = grade.shape
    columns = {
        "grade": grade.ravel(),
        "clicked": clicked.ravel(),
        "session": np.repeat(np.arange(n), m),
        "position": np.tile(np.arange(1, m + 1), n),
    }
    return columns if query is None else {**columns, "qid": np.repeat(query, m)}


def heavy_clusters(shared, n, seed, *, hit=0.6, miss=0.03):
    """Return columns of sessions, and the clusters of rows: some users, or queries, have many."""
    rng, n_clusters = np.random.default_rng(seed), 300
    p = 1 / np.arange(1, n_clusters + 1)
    cluster = rng.choice(n_clusters, size=n, p=p / p.sum())
    lists = rng.choice(5, size=(n, 10), p=[0.5, 0.2, 0.15, 0.1, 0.05])
    if shared == "user":
        grade, threshold = (
            lists,
            rng.choice([1, 2, 3, 4], size=n_clusters, p=TRUE_G)[cluster],
        )
    else:
        grade, taste = (
            lists[cluster],
            rng.dirichlet(10 * np.array(TRUE_G), size=n_clusters),
        )
        passed = rng.random((n, 1)) > taste[cluster].cumsum(axis=1)[:, :-1]
        threshold = 1 + passed.sum(axis=1)
    chance = np.where(grade >= threshold[:, None], hit, miss) / np.arange(1, 11)
    return columns_of(grade, rng.random(grade.shape) < chance), np.repeat(cluster, 10)
