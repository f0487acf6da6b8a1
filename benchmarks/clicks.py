"""Measure how far models that are trained on clicks are from one that is trained on grades.

    python benchmarks/clicks.py [--logs N]

The users are made up: they look at rank r with probability 1 / r, and click 60 % of what reaches
their threshold and 3 % of what does not. In "trust" they also click 30 % of all that they look at
in the first three ranks, whatever it is. In "picky" all want grade 3 or 4, and click 5 % of the
rest, so that many clicks are by chance. Models are tested on the grades of new queries. Printed
are means of nDCG@10 over the logs, and how far each is from the model of grades, with 95 %
intervals.
"""

import argparse
import warnings

import numpy as np
from lightgbm import LGBMRanker
from scipy.stats import t
from xgboost import XGBRanker

from skgraded import DCG, QueryRanker, nDCG
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.users import thresholds_from_log

N_QUERIES = 300
N_TEST = 200
N_SESSIONS = 10  # of each query
N_GRADED = 60  # queries whose grades are known, to estimate where users look
G = (0.1, 0.2, 0.3, 0.4)
RANKS = np.arange(1, 11)
LOOKS = 1 / RANKS
TEST = nDCG(k=10)
LINEAR = DCG(gain="linear", k=10)


def lgbm(**params):
    return LGBMRanker(n_estimators=60, num_leaves=7, n_jobs=1, verbose=-1, **params)


def xgb(**params):
    params = {"max_leaves": 7, "grow_policy": "lossguide", "n_jobs": 1, **params}
    return XGBRanker(n_estimators=60, learning_rate=0.1, random_state=0, **params)


def values_of(seed, g=G, trust=0.0, below=0.03):
    """Return nDCG@10 on the grades of new queries, by the way of training."""
    rng = np.random.default_rng(seed)
    X, y, qid = make_ranking(N_QUERIES + N_TEST, docs_per_query=10, random_state=seed)
    is_new = qid >= N_QUERIES
    new = X[is_new], y[is_new], qid[is_new]
    X = X[~is_new].reshape(N_QUERIES, 10, -1)
    y = y[~is_new].reshape(N_QUERIES, 10)

    # Lists are ranked by one feature and noise, and read by users.
    query = np.repeat(np.arange(N_QUERIES), N_SESSIONS)
    noise = rng.normal(size=(len(query), 10))
    shown = np.argsort(-(X[query, :, 0] + noise), axis=1)
    grade = np.take_along_axis(y[query], shown, axis=1)
    threshold = rng.choice([1, 2, 3, 4], size=(len(query), 1), p=g)
    clicks_if_seen = np.where(grade >= threshold, 0.6, below)
    clicks_if_seen = np.where(
        (RANKS <= 3) & (rng.random(grade.shape) < trust), 1, clicks_if_seen
    )
    clicked = rng.random(grade.shape) < LOOKS * clicks_if_seen

    # Where users look, estimated from the sessions of queries with grades.
    is_graded = query < N_GRADED
    n_graded = is_graded.sum()
    log = thresholds_from_log(
        grade[is_graded].ravel(),
        clicked[is_graded].ravel(),
        session=np.repeat(np.arange(n_graded), 10),
        position=np.tile(RANKS, n_graded),
        qid=np.repeat(query[is_graded], 10),
        reader="position",
    )
    # Ranks with few clicks are one group, which has the name of the first.
    estimated = np.empty(len(RANKS))
    for rank in RANKS:
        value = log.parameters.get(f"clicks_{rank}", (estimated[rank - 2],))[0]
        estimated[rank - 1] = value
    estimated = np.maximum(estimated / estimated[0], 0.02)

    def labels(propensity):
        """Return the mean of clicks / propensity of each document."""
        sums = np.zeros(y.shape)
        np.add.at(sums, (query[:, None], shown), clicked / propensity)
        return (sums / N_SESSIONS).ravel()

    documents = X.reshape(N_QUERIES * 10, -1), np.repeat(np.arange(N_QUERIES), 10)
    sessions = X[query[:, None], shown].reshape(len(query) * 10, -1)
    session_ids = np.repeat(np.arange(len(query)), 10)
    position = np.tile(RANKS - 1, len(query))

    def trained_on_labels(labels):
        ranker = QueryRanker(lgbm(objective=objective(LINEAR)), measure=LINEAR)
        return ranker.fit(documents[0], labels, documents[1])

    def trained_on_sessions(estimator, **columns):
        ranker = QueryRanker(estimator, measure=TEST)
        return ranker.fit(sessions, clicked.ravel(), session_ids, **columns)

    unbiased = {"lambdarank_unbiased": True}
    mean = {"lambdarank_pair_method": "mean", "lambdarank_num_pair_per_sample": 1}
    rankers = {
        "grades": QueryRanker(lgbm(), measure=TEST).fit(
            documents[0], y.ravel(), documents[1]
        ),
        "share of clicks, DCG(linear)": trained_on_labels(labels(1.0)),
        "clicks / propensity, DCG(linear)": trained_on_labels(labels(LOOKS)),
        "the same, estimated": trained_on_labels(labels(estimated)),
        "LightGBM, sessions": trained_on_sessions(lgbm()),
        "LightGBM, position=": trained_on_sessions(lgbm(), position=position),
        "XGBoost, sessions": trained_on_sessions(xgb()),
        "XGBoost, unbiased": trained_on_sessions(xgb(**unbiased)),
        "XGBoost, unbiased, pairs by mean": trained_on_sessions(
            xgb(**unbiased, **mean)
        ),
    }
    X_new, y_new, qid_new = new
    today = X_new[:, 0] + rng.normal(size=len(y_new))
    return {"today": TEST(y_new, today, qid=qid_new)} | {
        name: TEST(y_new, ranker.predict(X_new), qid=qid_new)
        for name, ranker in rankers.items()
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--logs", type=int, default=10)
    n_logs = parser.parse_args().logs
    warnings.simplefilter("ignore")  # of departures
    settings = {
        "looks and thresholds alone": {},
        "trust": {"trust": 0.3},
        "picky": {"g": (0, 0, 1, 0), "below": 0.05},
    }
    for title, users in settings.items():
        print(f"\n{title}")
        rows = [values_of(seed, **users) for seed in range(n_logs)]
        for name in rows[0]:
            values = np.array([row[name] for row in rows])
            losses = values - [row["grades"] for row in rows]
            half = t.ppf(0.975, n_logs - 1) * losses.std(ddof=1) / np.sqrt(n_logs)
            interval = f"[{losses.mean() - half:+.3f}, {losses.mean() + half:+.3f}]"
            print(
                f"{name:33} {values.mean():.3f} {losses.mean():+.3f} {interval}",
                flush=True,
            )
