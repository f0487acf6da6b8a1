"""What models, boosters and splitters refuse, by the words of the error.

A case is a call and the first words of its error, which name the argument, the rule and the value.
"""

import importlib
from functools import partial

import lightgbm
import numpy as np
import pytest
from boosters import BOOSTERS, CONTINUES, STARTS, cat, lgbm, xgb
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    AP,
    ERR,
    Blend,
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    cross_validate_queries,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_target,
    query_train_test_split,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.lightgbm import early_stopping, eval_metric, objective
from skgraded.measures import P

X, Y, QID = make_ranking(n_queries=50, docs_per_query=(3, 12), random_state=0)
N = len(Y)
SIZES = np.bincount(QID)
FIRST = QID < 30  # to train on; the others are watched
RIDGE = Ridge().fit(X, Y)


def of(library, name):
    """Return a function of the adapter of a library that may be missing."""
    pytest.importorskip(library)
    return getattr(importlib.import_module(f"skgraded.{library}"), name)


def fit(estimator=None, *, y=Y, qid=QID, given=(), **params):
    """Fit a ranker, with parameters of its own and some that are given to fit."""
    model = lgbm() if estimator is None else estimator
    return QueryRanker(model, **{"measure": "nDCG@10", **params}).fit(
        X, y, qid, **dict(given)
    )


def stopped(estimator=None, **params):
    return fit(
        estimator, **{"validation_fraction": 0.3, "early_stopping_rounds": 8, **params}
    )


def watched(estimator=None, given=(), **params):
    """Fit on some queries, and watch the others as they are given."""
    model = QueryRanker(estimator or lgbm(), measure="nDCG@10", **params)
    held_out = {"eval_X": X[~FIRST], "eval_y": Y[~FIRST], "eval_qid": QID[~FIRST]}
    return model.fit(X[FIRST], Y[FIRST], QID[FIRST], **(held_out | dict(given)))


def validated(estimator=None, **given):
    """Cross-validate a ranker."""
    model = QueryRanker(Ridge(), measure="AP") if estimator is None else estimator
    return cross_validate_queries(model, X, Y, **{"qid": QID, **given})


def split(splitter, y=Y, qid=QID):
    return list(splitter.split(X, y, qid))


def folds(qid, **params):
    return list(QueryKFold(**params).split(np.zeros((4, 1)), np.zeros(4), qid))


def train_test(y=Y, **params):
    return query_train_test_split(X, y, **{"qid": QID, **params})


def lgb_train(data, **params):
    params = {"metric": "None", "verbose": -1, "num_threads": 1, **params}
    return lightgbm.train(params, data, 2, valid_sets=[data], feval=eval_metric("AP"))


def on_matrix(name, labels=(0, 1, 2, 1), **params):
    data = pytest.importorskip("xgboost").DMatrix(np.zeros((4, 1)), labels, **params)
    return of("xgboost", name)("nDCG")(np.zeros(4), data)


def evaluation(*measures, y=Y, **params):
    return of("xgboost", "evaluation")(*measures, X=X, y=y, qid=QID, **params)


def xgb_train(callback):
    xgboost = pytest.importorskip("xgboost")
    return xgboost.train({}, xgboost.DMatrix(X, Y, qid=QID), 2, callbacks=[callback])


def cat_metric(measure, *sets):
    return of("catboost", "eval_metric")(measure, *sets)


def cases(call, given_and_words):
    return [(partial(call, **given), words) for given, words in given_and_words]


SHARE = "must be a share of the queries"
FRACTION = "validation_fraction must lie strictly between 0 and 1"
ROUNDS = "must be an integer >= 1, or None"
TOO_FEW = "train_size and test_size must leave at least one query each of"
TUPLES = r"must be tuples \(labels, query ids\)"
LEFT = "must be left out where eval_X is watched, .* by validation_fraction"

REFUSED = [
    # query_target
    *cases(
        query_target,
        [
            (
                {"y": [1, 0], "qid": [1, 1, 2]},
                r"qid must hold one query id per row of y \(2\)",
            ),
            ({"y": [1, 0, 2], "qid": [3]}, "np.repeat"),
            (
                {"y": [[1], [0]], "qid": [1, 1]},
                r"y must be one-dimensional.* got shape \(2, 1\)",
            ),
            (
                {"y": [1, 0], "qid": [[1], [1]]},
                r"qid must be one-dim.* got shape \(2, 1\)",
            ),
            ({"y": query_target([1, 0], [1, 1]), "qid": [1, 1]}, "y must be numeric"),
            ({"y": [1, 0], "qid": query_ids([1, 1])}, "made by query_ids"),
            (
                {"y": [1, 0], "qid": [1, np.nan]},
                "qid must name a query .*, got nan in row 1",
            ),
        ],
    ),
    # what QueryRanker is fitted on
    *cases(
        fit,
        [
            ({"qid": QID[:-1]}, "qid must have one entry per row"),
            (
                {"y": Y[:-1], "qid": QID[:-1]},
                "X and y must have the same number of rows",
            ),
            ({"y": Y - 1}, "y_true must hold grades >= 0, got -1"),
            (
                {"y": np.where(np.arange(N) == 3, np.nan, Y)},
                f"y must be judged in every row to train on, got NaN in 1 of {N} rows",
            ),
            ({"y": None}, "y must hold the grades of the documents, got None"),
            (
                {"y": np.zeros(N, dtype=[("event", bool), ("time", float)])},
                r"made by query_target\(y, qid\), got .* fields event, time",
            ),
            ({"given": {"group_id": QID}}, "group_id is worked out from the query ids"),
            (
                {"given": {"eval_metric": {"a": "AP"}}},
                "eval_metric needs validation queries",
            ),
            (
                {"given": {"init_score": Y[:-1]}},
                rf"^init_score must have an entry .* {N - 1} for",
            ),
            (
                {"given": {"grades": {"a": 1}}},
                r"grades is a parameter of the ranker .*, grades=",
            ),
            (
                {"given": {"init_score": [1.0]}},
                r"^init_score must have an entry .* 1 for",
            ),
        ],
    ),
    # early stopping of QueryRanker
    *cases(
        stopped,
        [
            ({"validation_fraction": 0.0}, f"{FRACTION}.* 0.0"),
            ({"validation_fraction": 1.0}, f"{FRACTION}.* 1.0"),
            ({"validation_fraction": "0.2"}, f"{FRACTION}.* '0.2'"),
            ({"early_stopping_rounds": 0}, f"early_stopping_rounds {ROUNDS} .*, got 0"),
            (
                {"early_stopping_rounds": 2.5},
                f"early_stopping_rounds {ROUNDS} .*, got 2.5",
            ),
            (
                {"estimator": Ridge()},
                "supported for LGBMRanker, .* so far, got Ridge; leave it",
            ),
            (
                {"estimator": make_pipeline(StandardScaler(), Ridge())},
                "so far, got Ridge",
            ),
            (
                {"estimator": lgbm(early_stopping_round=5)},
                "early_stopping_round must be left .* 5",
            ),
            (
                {"given": {"eval_set": [(X, Y)]}},
                "eval_set is taken by validation_fraction",
            ),
            (
                {"qid": np.zeros(N)},
                "validation_fraction needs at least 2 training queries, got 1",
            ),
        ],
    ),
    (
        lambda: stopped(given={"eval_metric": {"nDCG@10": "AP"}}),
        "must differ, got 'nDCG@10' for nDCG@10 and for AP",
    ),
    (
        lambda: stopped(cat(), given={"eval_metric": {"a": "AP", "b": "nDCG@10"}}),
        "CatBoostRanker, which evaluates one measure, got b, a",
    ),
    (
        lambda: stopped(xgb(early_stopping_rounds=5)),
        "early_stopping_rounds must be left .*got 5",
    ),
    (lambda: stopped(cat(eval_metric="NDCG")), "eval_metric must be left unset"),
    (lambda: stopped(cat(od_wait=3)), "od_wait must be left unset"),
    # Without validation rows CatBoost would train to the end, and say nothing.
    (
        lambda: fit(cat(early_stopping_rounds=3)),
        "early_stopping_rounds must be left unset",
    ),
    (lambda: fit(cat(od_wait=3)), "od_wait must be left unset"),
    # validation queries
    *cases(
        watched,
        [
            (
                {"validation_fraction": 0.2},
                "eval_X must be left out where validation_fraction",
            ),
            ({"given": {"eval_y": None}}, "^eval_y must hold the grades"),
            ({"given": {"eval_X": None}}, "^eval_X must be two-dimensional"),
            ({"given": {"eval_qid": None}}, "Query ids are missing"),
            (
                {"given": {"eval_y": Y[:9]}},
                "eval_y.* refused: X and y must have the same number",
            ),
            (
                {"given": {"eval_X": X[~FIRST, :2]}},
                "X has 2 features, but QueryRanker is expect",
            ),
            (
                {"given": {"eval_y": np.nan * Y[~FIRST]}},
                "eval_y must be judged in some row",
            ),
            ({"given": {"eval_y": -1 - Y[~FIRST]}}, "^eval_y must hold grades >="),
            (
                {"given": {"eval_sample_weight": 0 * Y[~FIRST]}},
                "^eval_sample_weight must hold a positive weight",
            ),
            (
                {"given": {"eval_sample_weight": -1.0 - Y[~FIRST]}},
                "^eval_sample_weight must be finite and >= 0",
            ),
            ({"estimator": Ridge()}, "eval_X is supported for LGBMRanker.* got Ridge"),
            ({"given": {"eval_set": []}}, "eval_set is taken by eval_X"),
            ({"given": {"eval_names": ["mine"]}}, "eval_names is taken by eval_X"),
        ],
    ),
    *[
        (lambda make=make, name=name: watched(make(), {name: Y}), f"^{name} {LEFT}")
        for library, make in BOOSTERS.items()
        for name in (STARTS[library], f"eval_{STARTS[library]}")
    ],
    *[
        (
            lambda make=BOOSTERS[library], start=start: stopped(
                make(), given={start: Y, f"eval_{start}": Y}
            ),
            f"^eval_{start} {LEFT}, which take theirs",
        )
        for library, start in STARTS.items()
    ],
    *[
        (
            lambda name=name: watched(xgb(), {name: [Y[~FIRST]]}),
            rf"^{name} (must be left|is taken)",
        )
        for name in ("base_margin_eval_set", "sample_weight_eval_set")
    ],
    # numbers of rows, and weights that are given twice
    *[
        (
            lambda name=name: fit(cat(), given={name: [[0, 1]]}),
            rf"^{name} must be left out: .* Fit",
        )
        for name in ("pairs", "pairs_weight", "graph")
    ],
    (
        lambda: fit(
            cat(), given={"sample_weight": np.ones(N), "group_weight": np.ones(N)}
        ),
        r"^group_weight must be left out",
    ),
    # cross-validation
    *cases(
        validated,
        [
            ({"qid": None}, "Query ids are missing"),
            (
                {"estimator": Ridge()},
                "measures must be given for Ridge, which has no measure of",
            ),
            (
                {"estimator": lgbm()},
                "measures must be given for LGBMRanker, .*QueryRanker",
            ),
            ({"measures": []}, "measures must name at least one measure"),
            ({"measures": "xGPA"}, "Did you mean 'xGAP'"),
            ({"response_method": "p"}, "response_method must be one of"),
            ({"cv": None}, r"cv must be a number of folds, .*, got None"),
            ({"cv": []}, r"cv must give at least one split, got none from \[\]"),
            ({"estimator": {}}, "Systems must have names that differ, got none"),
            (
                {
                    "estimator": make_pipeline(QueryRanker(Ridge(), measure="AP")),
                    "sample_weight": Y,
                },
                "Pipeline.fit does not accept the sample_weight parameter",
            ),
            (
                {
                    "estimator": {
                        each: QueryRanker(Ridge(), measure=each) for each in ("P", "AP")
                    }
                },
                r"have different measures of their own, got P, AP\.",
            ),
            ({"n_repeats": 0}, "n_repeats must be an integer >= 1, got 0"),
            (
                {"n_repeats": 2, "cv": []},
                r"n_repeats > 1 needs a cv that draws .*, got 2 and \[\]",
            ),
            (
                {"n_repeats": 2, "cv": QueryKFold(3, shuffle=False)},
                "n_repeats > 1 needs a cv that",
            ),
        ],
    ),
    # splitters
    *cases(
        folds,
        [
            (
                {"n_splits": 3, "qid": [1, 2, 1, 2]},
                r"n_splits must not exceed .* \(2\), got 3",
            ),
            (
                {"n_splits": 1, "qid": [1, 2, 1, 2]},
                "n_splits must be an integer >= 2, got 1",
            ),
            (
                {"n_splits": 2.0, "qid": [1, 2, 1, 2]},
                "n_splits must be an integer >= 2, got 2.0",
            ),
            ({"n_splits": 2, "qid": [3, 1]}, r"look like group sizes.*np\.repeat"),
            ({"n_splits": 2, "qid": [1, 2, 3]}, "qid must have one entry per row"),
            (
                {"n_splits": 2, "qid": [1, 2, np.nan, 1]},
                "qid must name .*, got nan in row 2",
            ),
            ({"n_splits": 2, "qid": None}, "Query ids are missing"),
        ],
    ),
    *cases(
        train_test,
        [
            ({"qid": None}, "Query ids are missing"),
            ({"y": Y[:-1]}, "inconsistent numbers of samples"),
            ({"test_size": 1.5}, f"test_size {SHARE} strictly .*, or a number .* 1.5"),
            ({"train_size": 0}, f"train_size {SHARE} .* got 0"),
            ({"train_size": 30, "test_size": 30}, f"{TOO_FEW} 50"),
            ({"test_size": 50}, "0 to train on and 50 to test on"),
            ({"qid": np.zeros(N)}, f"{TOO_FEW} 1"),
        ],
    ),
    (
        query_train_test_split,
        "query_train_test_split needs at least one array, got none",
    ),
    *cases(
        split,
        [
            (
                {"splitter": QueryShuffleSplit(0)},
                "n_splits must be an integer >= 1, got 0",
            ),
            (
                {"splitter": StratifiedQueryKFold(1)},
                "n_splits must be an integer >= 2, got 1",
            ),
            (
                {"splitter": StratifiedQueryKFold(2), "y": None},
                "y must hold the grades, by which",
            ),
            (
                {"splitter": StratifiedQueryKFold(60)},
                r"n_splits must not exceed .* \(50\), got 60",
            ),
        ],
    ),
    # scorers
    (lambda: make_ranking_scorer([]), "measures must name at least one measure"),
    (lambda: make_ranking_scorer("ndgc@10"), "Did you mean 'nDCG@10'"),
    (
        lambda: make_ranking_scorer("AP")(RIDGE, X, Y, qid=SIZES),
        "look like group sizes",
    ),
    # metrics of LightGBM
    (
        lambda: eval_metric("AP")([1, 0], [1, 0], None, [3]),
        "add up to 3, but there are 2 rows",
    ),
    (
        lambda: eval_metric("AP")([1, 0], [1, 0], None, [3, -1]),
        "sizes, integers >= 0, got -1",
    ),
    (
        lambda: eval_metric("AP")([1, 0], [np.nan, 0], None, [2]),
        "y_score must be finite, got nan",
    ),
    (lambda: eval_metric("AP")([1, 0], [0, np.inf], None, [2]), "got inf in row 1"),
    (
        lambda: eval_metric("AP")([1, 0], [[1, 0]], None, [2]),
        "y_score must be one-dimensional",
    ),
    (
        lambda: eval_metric("AP")([-1, 0], [1, 0], None, [2]),
        "y_true must hold grades >= 0, got -1",
    ),
    (
        lambda: eval_metric("AP")([1, 0], [1, 0]),
        r"query sizes are missing \(group=None\)",
    ),
    (
        lambda: eval_metric(nDCG(k=5, empty=float("nan")))(
            [0, 0, 0], [1, 2, 3], None, [2, 1]
        ),
        r"nDCG\(empty=nan\)@5 has no value.*none of its 2 queries",
    ),
    (lambda: eval_metric("nDCG@5")([1, 0], [1, 2], [0, 0], [2]), "nDCG@5 has no value"),
    (eval_metric, "eval_metric needs at least one measure"),
    *[
        (partial(eval_metric, *given), words)
        for given, words in [
            ([{}], "eval_metric needs at least one measure, got none"),
            (
                [{"a b": "AP"}],
                "without white space and colons, got 'a b' in eval_metric",
            ),
            ([{"a:b": "AP"}], "without white space and colons, got 'a:b'"),
            ([{"": "AP"}], "without white space and colons, got ''"),
            ([{3: "AP"}], "without white space and colons, got 3"),
            (
                [{"a": "AP"}, {"a": "P@3"}],
                "must differ in eval_metric, got 'a' for AP and for P@3",
            ),
            (
                [{"P@3": "AP"}, "P@3"],
                "must differ in eval_metric, got 'P@3' for AP and for P@3",
            ),
            (
                [{"ndcg@5": "nDCG@5"}],
                "give metrics of their own, got 'ndcg@5' .* Take 'ndcg_5'",
            ),
        ]
    ],
    (
        lambda: eval_metric("AP", n_threads=0),
        "n_threads must be an integer from 1 .* got 0",
    ),
    (lambda: eval_metric("AP", as_loss=1), "as_loss must be True or False, got 1"),
    (
        lambda: lgb_train(lightgbm.Dataset(X, Y), objective="l2"),
        r"lightgbm\.Dataset\(\.\.\., group=\.\.\.\)",
    ),
    (lambda: early_stopping("AP", 0), r"rounds must be an integer >= 1, got 0\."),
    (lambda: early_stopping("AP", True), r"rounds must be an integer >= 1, got True\."),
    (lambda: early_stopping("APP", 3), "APP"),
    (
        lambda: early_stopping({"a": "AP", "b": "RR"}, 3),
        "must be given one measure, got a, b",
    ),
    (
        lambda: early_stopping("AP", 3, min_delta=-1),
        "min_delta must be a finite number >= 0",
    ),
    # metrics, callbacks and data of XGBoost
    *[
        (lambda name=name, given=given: on_matrix(name, **given), words)
        for name in ("objective", "eval_metric")
        for given, words in [
            ({}, "does not say which rows make up a query.*qid="),
            (
                {"labels": np.ones((4, 2)), "qid": [0, 0, 1, 1]},
                r"label of a DMatrix must have one column.*, got 2\.",
            ),
        ]
    ],
    (evaluation, "evaluation needs at least one measure, got none"),
    (lambda: evaluation("AP", rounds=0), f"rounds {ROUNDS}.* got 0"),
    (lambda: evaluation("AP", rounds=True), f"rounds {ROUNDS}.* got True"),
    (
        lambda: xgb_train(evaluation(AP(empty=float("nan")), y=0 * Y)),
        "has no value on this data set",
    ),
    (
        lambda: of("xgboost", "eval_metric")(Blend({"AP": 1})),
        r"colons, got .*eval_metric\({'name': 'Blend\({AP:1",
    ),
    # metrics of CatBoost
    (lambda: cat_metric("AP"), "needs the labels and query ids"),
    (lambda: cat_metric("AP", [0, 1, 1]), f"{TUPLES}.*got a list"),
    (lambda: cat_metric("AP", ([0, 1],)), TUPLES),
    (lambda: cat_metric("AP", ([0, 1], [0, 0], [1, 1], [2, 2])), TUPLES),
    (
        lambda: cat_metric(AP(empty=float("nan")), ([0, 0], [0, 0])).evaluate(
            [[1, 2]], [0, 0], 0
        ),
        "has no value on this data set",
    ),
    # blends
    *[
        (partial(Blend, parts), r"parts must map measures to weights, such as \{")
        for parts in ("AP", AP(), ["AP", "nDCG"])
    ],
    # objectives
    (
        lambda: objective(Blend({AP(): 1, ERR(max_grade=4): 1})),
        r"must have the prefix form .* got ERR\(max_grade=4\), which has not",
    ),
    (
        lambda: objective(Blend({AP(): 1, P(k=3, ties="row_order"): 1})),
        "parts of a blend must share the rule for ties",
    ),
    (lambda: of("xgboost", "objective")("ERR(max_grade=4)"), "prefix form"),
    (
        lambda: lgbm(objective=objective()).fit(X, Y, group=SIZES),
        "must be given outside a Query",
    ),
    (
        lambda: fit(lgbm(objective=objective()), measure=ERR(max_grade=4)),
        "must have the prefix fo",
    ),
    (lambda: objective(sigmoid=-1), "sigmoid must be a finite number > 0"),
]

NUMBER, INTEGER = "must be a finite number > 0, got", "must be an integer >= 1"
OPTIONS = [
    ({"truncation_level": 0}, f"truncation_level {INTEGER}, or None.* got 0"),
    ({"truncation_level": 2.5}, f"truncation_level {INTEGER}, or None.* got 2.5"),
    ({"sigmoid": 0}, f"sigmoid {NUMBER} 0"),
    ({"sigmoid": float("nan")}, f"sigmoid {NUMBER} nan"),
    ({"norm": "yes"}, "norm must be True or False, got 'yes'"),
    ({"n_threads": 0}, "n_threads must be an integer from 1 to 4096.* got 0"),
    (
        {"noise": "gumbl"},
        "noise must be one of 'gumbel', 'logistic', .* Did you mean 'gumbel'",
    ),
    ({"noise": True}, "noise must be one of 'gumbel', 'logistic', or None.*got True"),
    ({"noise_scale": 0}, f"noise_scale {NUMBER} 0"),
    ({"n_draws": 0}, f"n_draws {INTEGER}, got 0"),
    ({"n_draws": 1.5}, f"n_draws {INTEGER}, got 1.5"),
    ({"random_state": None}, "random_state must be an integer >= 0, got None"),
    ({"random_state": -1}, "random_state must be an integer >= 0, got -1"),
]
REFUSED += [
    (
        lambda library=library, given=given: of(library, "objective")("nDCG", **given),
        words,
    )
    for library in ("lightgbm", "xgboost")
    for given, words in OPTIONS
]


def trained_on(
    labels=(1, 0, 1), sizes=(3,), *, measure="nDCG", scores=(0, 0, 0), noise=None
):
    derivatives = objective(measure, noise=noise)
    return derivatives(np.array(labels), np.array(scores, float), None, sizes)


REFUSED += [
    (partial(trained_on, *given, **named, noise=noise), words)
    for noise in (None, "gumbel")
    for given, named, words in [
        (
            [[3, 0, 1]],
            {"measure": xGAP(g=(0.5, 0.5))},
            r"grades 0\.\.2 for xGAP.*got 3",
        ),
        ([[1, 0, 1], [2, 2]], {}, "add up to 4, but there are 3 rows"),
        ([[1, 0, 1], None], {}, "query sizes are missing"),
        ([[1, np.nan, 1]], {}, "y_true must be judged in every row to train on"),
        ([], {"scores": [0, np.nan, 0]}, r"^y_score must be finite.* nan in row 1"),
        ([], {"scores": [0, 0, 0, 0]}, "y_score must have one entry per row"),
    ]
]


def draws_rows():
    class Sampler(StandardScaler):  # such as imbalanced-learn has
        def fit_resample(self, X, y):
            return X[::2], y[::2]

    return fit(make_pipeline(Sampler(), Ridge()))


REFUSED += [
    (draws_rows, "must leave rows as they are, got the step 'sampler'"),
    (
        lambda: stopped(xgb("XGBRFRegressor")),
        "validation_fraction is supported for LGBMRanker, ",
    ),
    (
        lambda: fit(Ridge()).predict(X[:, :3]),
        "X has 3 features, but QueryRanker is expecting",
    ),
]


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.SkgradedWarning")
@pytest.mark.filterwarnings("ignore:`XGBRFRegressor` is deprecated:FutureWarning")
@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_is_wrong_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("library", CONTINUES)
@pytest.mark.parametrize("kind", ["number", "estimator", "other", "unfitted", "search"])
def test_models_of_another_type_are_refused_by_name(library, kind):
    make, name = BOOSTERS[library], CONTINUES[library]
    model = {
        "number": lambda: 3,
        "estimator": Ridge,
        "other": lambda: fit(Ridge()),
        "unfitted": lambda: QueryRanker(make(), measure="AP"),
        "search": lambda: GridSearchCV(
            QueryRanker(make(), measure="AP"), {}, cv=QueryKFold(2)
        ),
    }[kind]()
    words = rf"^{name} must be a model of .*, got {type(model).__name__}\. .*search\.best_estim"
    with pytest.raises(TypeError, match=words):
        fit(make(), given={name: model})
