"""Everything else: what our classes add to the work around them, on three sizes of data.

A peer is the least that a user would write: scikit-learn's own splitter of groups and a scorer that
predicts and returns 0, a metric that returns 0, derivatives played back, or another library that
does the same work.
"""

import csv
import io
import json
import pickle
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import lightgbm as lgb
import numpy as np
import scipy.stats
from _timing import processor_times
from _waits import Times, Wait
from sklearn.datasets import load_svmlight_file, make_regression
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GroupKFold,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    learning_curve,
)

import skgraded.lightgbm as ours_of_lightgbm
from skgraded import (
    Judgments,
    QueryKFold,
    QueryRanker,
    chunks,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_target,
    trec,
)
from skgraded.datasets import load_letor, make_ranking
from skgraded.users import threshold_profile

SIZES = {"small": (10, 10), "middle": (200, 40), "large": (5000, 100)}
MEASURE, XGAP = nDCG(k=10), "xGAP(max_grade=4)"
ROUNDS = 30


@cache
def rows(size):
    n_queries, n_docs = SIZES[size]
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n_queries * n_docs).astype(float)
    X = rng.standard_normal((len(y), 5)) + 0.2 * y[:, np.newaxis]
    return X, y, np.repeat(np.arange(n_queries), n_docs)


def returns_0(estimator, X, y):
    estimator.predict(X)
    return 0.0


# ---- Tools of scikit-learn


def tool(what, size, options):
    """Run a tool around a regressor of ten trees, with our classes and with scikit-learn's."""
    X, y, qid = rows(size)
    model = lgb.LGBMRegressor(n_estimators=10, n_jobs=1, verbose=-1)
    ranker, target = QueryRanker(model, measure=MEASURE), query_target(y, qid)
    scorer = make_ranking_scorer(MEASURE)
    runs = {
        "ours": _tools(ranker, (X, target), None, QueryKFold(3), scorer)[what],
        "theirs": _tools(model, (X, y), qid, GroupKFold(3), returns_0)[what],
    }
    if what == "cross_validate_queries":
        runs["ours"] = lambda: cross_validate_queries(
            ranker, X, y, qid=qid, cv=QueryKFold(3)
        )
    return Times(**processor_times(runs, options.repeats))


def _tools(model, labelled, groups, cv, scorer):
    (X, y), given = labelled, {"scoring": scorer, "cv": cv}
    prefix = "estimator__" if hasattr(model, "estimator") else ""
    grid = {f"{prefix}num_leaves": [7, 31]}
    resource = {
        "resource": f"{prefix}n_estimators",
        "max_resources": 10,
        "min_resources": 5,
    }
    draws = {"random_state": 0, "refit": False, **given}
    in_groups = {} if groups is None else {"groups": groups}
    fitted = model.fit(X, y)

    def selected():  # it takes no groups, but splits
        splits = list(cv.split(X, y, groups))
        chosen = SequentialFeatureSelector(
            model, n_features_to_select=1, scoring=scorer, cv=splits
        )
        chosen.fit(X, y)

    return {
        "cross_validate_queries": lambda: cross_val_score(
            model, X, y, groups=groups, **given
        ),
        "cross_val_score": lambda: cross_val_score(model, X, y, groups=groups, **given),
        "RandomizedSearchCV": lambda: RandomizedSearchCV(
            model, grid, n_iter=2, **draws
        ).fit(X, y, **in_groups),
        "HalvingRandomSearchCV": lambda: HalvingRandomSearchCV(
            model, grid, n_candidates=2, factor=2, **resource, **draws
        ).fit(X, y, **in_groups),
        "learning_curve": lambda: learning_curve(
            model, X, y, groups=groups, train_sizes=[0.5, 1.0], **given
        ),
        "SequentialFeatureSelector": selected,
        "RFECV": lambda: RFECV(model, min_features_to_select=3, **given).fit(
            X, y, **in_groups
        ),
        "permutation_importance": lambda: permutation_importance(
            fitted, X, y, scoring=scorer, n_repeats=2, random_state=0
        ),
    }


# ---- LightGBM


def lightgbms(what, size, options):
    """Fit 30 trees with our functions and with such as return what is there."""
    X, y, qid = rows(size)
    sizes = np.unique(qid, return_counts=True)[1]
    given = {
        "metric": "None",
        "objective": "lambdarank",
        "verbose": -1,
        "num_threads": 1,
    }
    data = lgb.Dataset(X, y, group=sizes, params=given).construct()
    others = lgb.Dataset(X, y, group=sizes, params=given, reference=data).construct()

    def train(feval=None, objective=None, stopping=None):
        params = {**given, "objective": objective} if objective else given
        watched = {"valid_sets": [others]} if feval or stopping else {}
        callbacks = [stopping] if stopping else []
        lgb.train(params, data, ROUNDS, feval=feval, callbacks=callbacks, **watched)

    def nothing(scores, data):
        return "none", 0.0, True

    if what == "metric":
        metric = ours_of_lightgbm.eval_metric(XGAP)
        runs = {"ours": lambda: train(metric), "theirs": lambda: train(nothing)}
    elif what == "early stopping":
        runs = {
            "ours": lambda: train(
                stopping=ours_of_lightgbm.early_stopping(XGAP, ROUNDS)
            ),
            "theirs": lambda: train(
                nothing,
                stopping=lgb.early_stopping(
                    ROUNDS, verbose=False, first_metric_only=True
                ),
            ),
        }
    else:
        derivatives, kept = ours_of_lightgbm.objective(XGAP), []
        train(
            objective=lambda scores, rows: (
                kept.append(derivatives(scores, rows)) or kept[-1]
            )
        )

        def played_back():
            following = iter(kept)
            train(objective=lambda scores, rows: next(following))

        runs = {"ours": lambda: train(objective=derivatives), "theirs": played_back}
    return Times(**processor_times(runs, options.repeats))


def optunas(options):
    """Search three candidates with OptunaSearchCV."""
    import optuna
    from optuna.distributions import IntDistribution
    from optuna_integration import OptunaSearchCV

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    X, y, qid = rows("middle")
    model = lgb.LGBMRegressor(n_estimators=10, n_jobs=1, verbose=-1)

    def search(model, y, name, groups=None, **given):
        given = {"n_trials": 3, "random_state": 0, "refit": False, **given}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is experimental
            tuned = OptunaSearchCV(model, {name: IntDistribution(4, 31)}, **given)
            tuned.fit(X, y, groups=groups)

    ranker, target = QueryRanker(model, measure=MEASURE), query_target(y, qid)
    scorer = make_ranking_scorer(MEASURE)
    runs = {
        "ours": lambda: search(
            ranker, target, "estimator__num_leaves", cv=QueryKFold(3), scoring=scorer
        ),
        "theirs": lambda: search(
            model, y, "num_leaves", qid, cv=GroupKFold(3), scoring=returns_0
        ),
    }
    return Times(**processor_times(runs, options.repeats))


# ---- Data and results


@cache
def scores_of(n_systems, n_queries):
    rng = np.random.default_rng(0)
    y, qid = rng.integers(0, 5, n_queries * 10), np.repeat(np.arange(n_queries), 10)
    systems = {
        f"system{i}": rng.standard_normal(len(y)) + 0.3 * y for i in range(n_systems)
    }
    return evaluate(["nDCG@10", "AP", XGAP], y, systems, qid=qid)


def comparisons(what, size, options):
    """Compare two systems, as a user would by SciPy."""
    found = scores_of(2, SIZES[size][0])
    values = found.values[:, :, 0]
    runs = {
        "ours": lambda: compare(
            found, measures="nDCG@10", tests=what, n_resamples=10_000
        ),
        "theirs": {
            "t": lambda: scipy.stats.ttest_rel(*values).confidence_interval(),
            "score": lambda: scipy.stats.bootstrap(
                (values[1] - values[0],),
                np.mean,
                n_resamples=10_000,
                rng=0,
                method="BCa",
            ),
            "randomization": lambda: scipy.stats.permutation_test(
                (values[1] - values[0],),
                np.mean,
                permutation_type="samples",
                n_resamples=10_000,
                vectorized=True,
                rng=0,
            ),
        }[what],
    }
    return Times(**processor_times(runs, options.repeats))


def writer(what, options):
    """Write values of ten systems on 20,000 queries, by three measures."""
    found = scores_of(10, 20_000)
    import pandas as pd

    def frame():
        systems, queries, measures = found.values.shape
        index = pd.MultiIndex.from_product([found.systems, found.qid])
        return pd.DataFrame(
            found.values.reshape(systems * queries, measures),
            index,
            list(found.measures),
        )

    def by_csv():
        text = io.StringIO()
        write = csv.writer(text)
        for i, system in enumerate(found.systems):
            for q, query in enumerate(found.qid.tolist()):
                write.writerow([system, query, *found.values[i, q].tolist()])
        return text.getvalue()

    def nested():
        return {
            system: {
                query: dict(zip(found.measures, row, strict=True))
                for query, row in zip(found.qid.tolist(), rows, strict=True)
            }
            for system, rows in zip(found.systems, found.values.tolist(), strict=True)
        }

    runs = {
        "frame": (found.to_frame, frame),
        "csv": (found.to_csv, by_csv),
        "json": (found.to_json, lambda: json.dumps(found.values.tolist())),
        "dict": (found.to_dict, nested),
        "pickle": (lambda: pickle.dumps(found), lambda: pickle.dumps(found.values)),
        "unpickle": (
            partial(pickle.loads, pickle.dumps(found)),
            partial(pickle.loads, pickle.dumps(found.values)),
        ),
    }[what]
    named = dict(zip(("ours", "theirs"), runs, strict=True))
    return Times(**processor_times(named, options.repeats))


def profiles(size, options):
    """Tell for which users four systems are better, against the evaluation of their scores."""
    n_queries = SIZES[size][0]
    rng = np.random.default_rng(0)
    y, qid = rng.integers(0, 5, 10 * n_queries), np.repeat(np.arange(n_queries), 10)
    systems = {str(i): rng.standard_normal(len(y)) + 0.3 * y for i in range(4)}
    measures = [*(f"AP(rel={k})" for k in (1, 2, 3, 4)), "nDCG@10"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few queries
        runs = {
            "ours": lambda: threshold_profile(y, systems, qid=qid),
            "theirs": lambda: evaluate(measures, y, systems, qid=qid),
        }
        return Times(**processor_times(runs, options.repeats))


@cache
def folder():
    return tempfile.TemporaryDirectory()


def data(what, size, options):
    """Read, rank, pickle or write data, and do it by NumPy, pandas, scikit-learn or a loop."""
    X, y, qid = rows(size)
    n_queries, n_docs = SIZES[size]
    scores = X[:, 0]
    path = Path(folder().name, f"{size}.txt")
    runs = {
        "from_arrays": lambda: (
            lambda: Judgments(y, qid=qid).rank(scores),
            lambda: np.lexsort((-scores, qid)),
        ),
        "pickle": lambda: (
            partial(pickle.dumps, Judgments(y, qid=qid)),
            partial(pickle.dumps, (y, qid)),
        ),
        "unpickle": lambda: (
            partial(pickle.loads, pickle.dumps(Judgments(y, qid=qid))),
            partial(pickle.loads, pickle.dumps((y, qid))),
        ),
        "make_ranking": lambda: (
            lambda: make_ranking(
                n_queries=n_queries, docs_per_query=n_docs, random_state=0
            ),
            lambda: make_regression(len(y), 20, random_state=0),
        ),
        "chunks": lambda: (
            lambda: chunks.evaluate(
                [MEASURE, XGAP], [(y, scores, qid)], block_rows=max(50, len(y) // 4)
            ),
            lambda: evaluate([MEASURE, XGAP], y, scores, qid=qid),
        ),
        "letor": lambda: _letor(path, X, y, qid),
        "read_run": lambda: _reading(path, qid, scores),
        "write_run": lambda: _writing(path, qid, scores),
    }[what]()
    named = dict(zip(("ours", "theirs"), runs, strict=True))
    return Times(**processor_times(named, options.repeats))


def _letor(path, X, y, qid):
    with path.open("w") as file:
        for grade, query, row in zip(y, qid, X, strict=True):
            values = " ".join(f"{i}:{x:.4f}" for i, x in enumerate(row, start=1))
            file.write(f"{grade:.0f} qid:{query + 1} {values}\n")
    return partial(load_letor, path), partial(
        load_svmlight_file, str(path), query_id=True
    )


def _lines(qid, scores):
    for i, (query, score) in enumerate(zip(qid.tolist(), scores.tolist(), strict=True)):
        yield f"q{query} Q0 d{i} 1 {score:.6f} run\n"


def _reading(path, qid, scores):
    import pandas as pd

    path.write_text("".join(_lines(qid, scores)))
    names = ["topic", "Q0", "document", "rank", "score", "tag"]
    return partial(trec.read_run, path), partial(
        pd.read_csv, path, sep=" ", names=names
    )


def _writing(path, qid, scores):
    path.write_text("".join(_lines(qid, scores)))
    run = trec.read_run(path)

    def by_hand():
        path.write_text("".join(_lines(qid, scores)))

    return partial(trec.write_run, run, path), by_hand


TOOLS = [
    "cross_validate_queries",
    "cross_val_score",
    "RandomizedSearchCV",
    "HalvingRandomSearchCV",
    "learning_curve",
    "SequentialFeatureSelector",
    "RFECV",
    "permutation_importance",
]
DATA = {
    "from_arrays": "np.lexsort",
    "pickle": "labels and ids",
    "unpickle": "labels and ids",
    "make_ranking": "make_regression",
    "chunks": "evaluate",
    "letor": "load_svmlight_file",
    "read_run": "pandas.read_csv",
    "write_run": "loop of f-strings",
}
TESTS = {
    "t": "ttest_rel",
    "score": "bootstrap, BCa",
    "randomization": "permutation_test",
}


def _waits():
    """Yield (name, work, peer, run) of every place."""
    for size, (n_queries, n_docs) in SIZES.items():
        of_size = f"{n_queries} x {n_docs}"
        for name in TOOLS:
            yield (
                f"{name}-{size}",
                f"{name}, {of_size}",
                "GroupKFold, 0",
                partial(tool, name, size),
            )
        for name, peer in (
            ("metric", "do-nothing metric"),
            ("objective", "derivatives played back"),
            ("early stopping", "the same, do-nothing metric"),
        ):
            work = f"LightGBM, {name}, {of_size}"
            yield (
                f"lightgbm-{name.split()[0]}-{size}",
                work,
                peer,
                partial(lightgbms, name, size),
            )
        for name, peer in TESTS.items():
            work = f"compare, {name}, 2 systems, {n_queries} queries"
            yield (
                f"compared-{name}-{size}",
                work,
                f"scipy: {peer}",
                partial(comparisons, name, size),
            )
        work = f"profile, 4 systems, {n_queries} queries"
        yield f"profile-{size}", work, "evaluation", partial(profiles, size)
        for name, peer in DATA.items():
            yield (
                f"{name}-{size}",
                f"{name}, {of_size}",
                peer,
                partial(data, name, size),
            )
    for name in ("frame", "csv", "json", "dict", "pickle", "unpickle"):
        work = f"Scores: {name}, 10 systems x 20,000 x 3"
        yield f"scores-{name}", work, "arrays by hand", partial(writer, name)
    yield "optuna", "OptunaSearchCV, 200 x 40", "GroupKFold, 0", optunas


WAITS = [
    Wait(f"other-{name}", work, 1.05, "", peer, run)
    for name, work, peer, run in _waits()
]
