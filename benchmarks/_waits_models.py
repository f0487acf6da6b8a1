"""Waits of those who fit models: what our classes add to the work around them."""

import warnings
from functools import partial

import catboost as cb
import lightgbm as lgb
import numpy as np
import sklearn
import xgboost as xgb
from _timing import processor_times
from _waits import Times, Wait
from sklearn.model_selection import GridSearchCV, cross_val_score

from skgraded import (
    QueryKFold,
    QueryRanker,
    catboost as catboosts,
    make_ranking_scorer,
    nDCG,
    query_target,
    xgboost as xgboosts,
)

MEASURE, XGAP = nDCG(k=10), "xGAP(max_grade=4)"
ROUNDS = 50


def rows_of(n_queries, size, n_features):
    rng = np.random.default_rng(0)
    n_rows = n_queries * size
    grades = rng.integers(0, 5, n_rows).astype(float)
    return (
        rng.standard_normal((n_rows, n_features)),
        grades,
        np.repeat(np.arange(n_queries), size),
    )


def added_to_a_fit(n_features, options):
    """Return what QueryRanker adds to the fit of one tree."""
    X, y, qid = rows_of(10, 10, n_features)
    model = lgb.LGBMRanker(n_estimators=1, n_jobs=1, verbose=-1)
    ranker, sizes = QueryRanker(model, measure=MEASURE), np.full(10, 10)
    target = query_target(y, qid)
    runs = {
        "bare": lambda: model.fit(X, y, group=sizes),
        "ranker": lambda: ranker.fit(X, target),
    }
    found = processor_times(runs, 3 * options.repeats)
    return Times(found["ranker"] - found["bare"], found["bare"])


def validated(what, options):
    """Cross-validate 200 queries of 40 documents, or search two candidates, and do it by hand."""
    X, y, qid = rows_of(200, 40, 10)
    model, cv = lgb.LGBMRanker(n_jobs=1, verbose=-1), QueryKFold(5)
    ranker, scorer = QueryRanker(model, measure=MEASURE), make_ranking_scorer(MEASURE)
    target, splits = query_target(y, qid), list(cv.split(X, groups=qid))
    leaves = [7, 31] if what == "search" else [31]

    def by_hand():
        for n, (train, test) in ((n, split) for n in leaves for split in splits):
            sizes = np.unique(qid[train], return_counts=True)[1]
            fitted = sklearn.clone(model).set_params(num_leaves=n)
            fitted.fit(X[train], y[train], group=sizes)
            MEASURE(y[test], fitted.predict(X[test]), qid=qid[test])

    search = GridSearchCV(
        ranker, {"estimator__num_leaves": leaves}, scoring=scorer, cv=cv, refit=False
    )
    ours = {
        "search": lambda: search.fit(X, target),
        "folds": lambda: cross_val_score(ranker, X, target, scoring=scorer, cv=cv),
    }
    return Times(
        **processor_times({"ours": ours[what], "theirs": by_hand}, options.repeats)
    )


def xgboosts_fit(what, options):
    """Fit 50 trees with our function and with one that returns what is there."""
    X, y, qid = rows_of(10, 10, 5)
    data = xgb.DMatrix(X, y, qid=qid, nthread=1)
    train = partial(xgb.train, dtrain=data, num_boost_round=ROUNDS, verbose_eval=False)
    given = {"nthread": 1, "disable_default_eval_metric": True}
    if what == "metric":
        own = {**given, "objective": "rank:ndcg"}
        metric = xgboosts.eval_metric(XGAP)
        watched = partial(train, own, evals=[(data, "rows")])
        runs = {
            "ours": lambda: watched(custom_metric=metric),
            "theirs": lambda: watched(custom_metric=lambda scores, data: ("none", 0.0)),
        }
    else:
        derivatives, kept = xgboosts.objective(XGAP), []
        train(given, obj=lambda *passed: kept.append(derivatives(*passed)) or kept[-1])

        def played_back():
            following = iter(kept)
            train(given, obj=lambda scores, data: next(following))

        runs = {"ours": lambda: train(given, obj=derivatives), "theirs": played_back}
    return Times(**processor_times(runs, 3 * options.repeats))


class _Nothing:
    no_jit = True  # as ours; compiled by numba, it would be no Python

    def is_max_optimal(self):
        return True

    def evaluate(self, approxes, target, weight):
        return 0.0, 1.0

    def get_final_error(self, error, weight):
        return error


def catboosts_fit(options):
    """Fit 50 trees with our metric and with one that returns 0."""
    X, y, qid = rows_of(10, 10, 5)
    rows = cb.Pool(X, y, group_id=qid)

    def fit(metric):
        model = cb.CatBoost(
            {
                "loss_function": "QueryRMSE",
                "eval_metric": metric,
                "iterations": ROUNDS,
                "thread_count": 1,
                "allow_writing_files": False,
                "logging_level": "Silent",
            }
        )
        with warnings.catch_warnings():  # of metrics that are not compiled
            warnings.simplefilter("ignore")
            model.fit(rows, eval_set=rows)

    metric = catboosts.eval_metric(XGAP, (y, qid))
    runs = {"ours": lambda: fit(metric), "theirs": lambda: fit(_Nothing())}
    return Times(**processor_times(runs, options.repeats))


WAITS = [
    *(
        Wait(
            f"ranker-{n}",
            f"QueryRanker adds to a fit, 10 x 10, {n} features",
            1,
            "ms",
            "LGBMRanker, one tree",
            partial(added_to_a_fit, n),
        )
        for n in (10, 136, 700)
    ),
    Wait(
        "folds",
        "cross_val_score, 200 x 40",
        1.05,
        "",
        "loop by hand",
        partial(validated, "folds"),
    ),
    Wait(
        "search",
        "GridSearchCV, 200 x 40",
        1.05,
        "",
        "loop by hand",
        partial(validated, "search"),
    ),
    Wait(
        "xgboost-metric",
        "XGBoost fit with xGAP, 10 x 10",
        1.15,
        "",
        "do-nothing metric",
        partial(xgboosts_fit, "metric"),
    ),
    Wait(
        "xgboost-objective",
        "XGBoost fit for xGAP, 10 x 10",
        1.15,
        "",
        "derivatives played back",
        partial(xgboosts_fit, "objective"),
    ),
    Wait(
        "catboost-metric",
        "CatBoost fit with xGAP, 10 x 10",
        1.1,
        "",
        "do-nothing metric",
        catboosts_fit,
    ),
]
