"""Random queries, and what other libraries say of them."""

import lightgbm as lgb
import numpy as np


def random_queries(seed, n_queries=60, longest=40, n_grades=5, n_scores=12):
    """Ragged queries with ties and a few queries with nothing relevant."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    y_true = rng.integers(0, n_grades, len(qid)) * (rng.random(n_queries) > 0.15)[qid]
    y_score = rng.integers(0, n_scores, len(qid)) / 4.0
    return y_true, y_score, qid, sizes


def of_each_query(function, rows, smallest=1):
    y_true, y_score, qid, sizes = rows
    return [
        function(y_true[None, qid == query], y_score[None, qid == query])
        for query in np.flatnonzero(sizes >= smallest)
    ]


def lightgbm_values(rows, metric, cutoffs):
    """Evaluate scores that do not come from a model: they are the data set's starting scores."""
    y_true, y_score, _, sizes = rows
    data = lgb.Dataset(
        np.zeros((len(y_true), 1)),
        y_true,
        group=sizes,
        init_score=y_score,
        params={"feature_pre_filter": False, "verbose": -1},
    )
    params = {
        "objective": "lambdarank",
        "metric": metric,
        "eval_at": cutoffs,
        "verbose": -1,
        "min_data_in_leaf": 1,
        "num_threads": 1,
    }
    booster = lgb.Booster(params, data)
    return [value for _, _, value, _ in booster.eval_train()]
