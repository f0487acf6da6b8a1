"""No measure ranks a model that has learned nothing first because rows stand best first."""

import lightgbm
import numpy as np
import pytest
from facts import FACTS, RANKED
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from skgraded import QueryKFold, QueryRanker, catalogue, evaluate, make_ranking_scorer, query_target
from skgraded.datasets import make_ranking

NOTHING = 10**6  # documents in a leaf, which no tree has


def measures():
    """Every measure that looks at ranks, with a cut-off where it takes one."""
    chosen = {}
    for name in sorted(set(RANKED) - {"Judged"}):  # which rates no grades
        # With the whole list, measures of sets of documents are equal for all models.
        k = {} if "k" in FACTS[name].refuses else {"k": 5}
        chosen[name] = catalogue()[name](**k).resolve(4)
    return chosen


MEASURES = measures()


@pytest.fixture(scope="module")
def rows():
    """Rows of every query, the best first."""
    X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    best_first = np.lexsort((-y, qid))
    return X[best_first], y[best_first], qid[best_first]


def better(measure, one, other):
    return one > other if measure.greater_is_better else one < other


def test_scores(rows):
    _, y, qid = rows
    noisy = y + np.random.default_rng(0).normal(size=len(y))
    noisy, nothing = (evaluate(MEASURES, y, each, qid=qid).mean() for each in (noisy, 0 * y))
    for name, measure in MEASURES.items():
        assert better(measure, noisy[name], nothing[name]), (name, noisy[name], nothing[name])


def test_search(rows):
    X, y, qid = rows
    ranker = QueryRanker(DecisionTreeRegressor(random_state=0), measure="nDCG")
    search = GridSearchCV(
        ranker,
        {"estimator__min_samples_leaf": [20, NOTHING]},
        scoring=make_ranking_scorer(MEASURES),
        cv=QueryKFold(3),
        refit=False,
    ).fit(X, query_target(y, qid))
    for name in MEASURES:
        learned, nothing = search.cv_results_[f"mean_test_{name}"]
        assert learned > nothing, (name, learned, nothing)


def test_stopping(rows):
    X, y, qid = rows
    half = qid < np.median(qid)
    ranker = QueryRanker(
        lightgbm.LGBMRanker(n_estimators=40, num_leaves=2, n_jobs=1), measure="nDCG@5"
    )
    validation = {"eval_X": X[~half], "eval_y": y[~half], "eval_qid": qid[~half]}
    ranker.fit(X[half], y[half], qid=qid[half], eval_metric=MEASURES, **validation)
    (watched,) = ranker.estimator_.evals_result_.values()
    for name, measure in MEASURES.items():
        # The first tree has two leaves, and so two ties.
        assert better(measure, watched[name][-1], watched[name][0]), (name, watched[name])
