"""Inputs of training and selection that can mean nothing: refused or warned of, kind by kind."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from catboost import CatBoostRanker, Pool
from lightgbm import Dataset, LGBMRanker, LGBMRegressor, train
from samples import warnings_of
from scipy.sparse import csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import RFECV
from sklearn.linear_model import (
    ElasticNetCV,
    Lasso,
    LassoCV,
    Ridge,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
    permutation_test_score,
)
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBRanker, XGBRegressor

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_series,
    query_target,
    query_train_test_split,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    ConstantValueWarning,
    CutQueriesWarning,
    GradeScaleWarning,
    IdColumnWarning,
    QueryIdsWarning,
    QueryLeakWarning,
    SwappedArgumentsWarning,
    UnlikeQueriesWarning,
)
from skgraded.lightgbm import early_stopping, eval_metric, objective

X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
X_VALID, Y_VALID, QID_VALID = make_ranking(
    n_queries=20, docs_per_query=20, random_state=1
)
QID_VALID = QID_VALID + 1000
SIZES = [20] * 60
FRAME = pd.DataFrame(X, columns=[f"f{place}" for place in range(X.shape[1])])
BY_ROW = KFold(5, shuffle=True, random_state=0)


def lgbm(**params):
    return LGBMRanker(n_estimators=4, n_jobs=1, verbose=-1, **params)


def xgb(**params):
    return XGBRanker(n_estimators=4, n_jobs=1, **params)


def cat(**params):
    return CatBoostRanker(
        iterations=4, verbose=False, thread_count=1, allow_writing_files=False, **params
    )


def ranker(estimator=None, measure="nDCG@10", **params):
    return QueryRanker(
        lgbm() if estimator is None else estimator, measure=measure, **params
    )


def kinds_of(use):
    return set(warnings_of(use))


# A measure that cannot move


def rare(n_telling, grade=1):
    """Grades of 60 queries of which few have a relevant document."""
    return np.where((n_telling > QID) & (np.arange(len(QID)) % 20 < 3), grade, 0)


@pytest.mark.parametrize("estimator", [lgbm(), xgb(), cat(), LGBMRegressor(verbose=-1)])
@pytest.mark.parametrize("seed", range(3))
def test_rare_positives_are_in_both_parts(estimator, seed):
    stopping = {"validation_fraction": 0.05, "early_stopping_rounds": 3}
    fitted = ranker(estimator, **stopping, random_state=seed)
    assert not warnings_of(lambda: fitted.fit(X, rare(4), qid=QID))
    is_held_out = fitted.validation_queries_.contains(np.arange(4))
    assert 1 <= is_held_out.sum() <= 3
    assert len(fitted.validation_queries_) == 3


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_queries_are_held_out_in_proportion(share):
    fitted = ranker(validation_fraction=share, random_state=0).fit(X, rare(20), qid=QID)
    n_held_out = fitted.validation_queries_.contains(np.arange(20)).sum()
    assert abs(n_held_out - 20 * share) <= 1


def fit_without_moves(measure="nDCG@10", labels=None, **params):
    labels = rare(1) if labels is None else labels
    stopping = {"validation_fraction": 0.2, "random_state": 0} | params
    return lambda: ranker(measure=measure, **stopping).fit(X, labels, qid=QID)


@pytest.mark.parametrize(
    "use",
    [
        fit_without_moves(),
        fit_without_moves(early_stopping_rounds=2),
        fit_without_moves("AP(rel=5)", Y),
        fit_without_moves("P", Y),
        fit_without_moves("P@20", Y),
        fit_without_moves("R", Y),
        fit_without_moves(labels=np.zeros(len(Y))),
        fit_without_moves(labels=np.full(len(Y), 2)),
        lambda: ranker(Ridge()).fit(X, np.ones(len(Y)), qid=QID),
        lambda: ranker(xgb()).fit(X, QID % 3, qid=QID),
        lambda: ranker().fit(
            X,
            Y,
            qid=QID,
            eval_X=X_VALID,
            eval_y=np.zeros(len(Y_VALID)),
            eval_qid=QID_VALID,
        ),
        lambda: ranker().fit(
            X,
            Y,
            qid=QID,
            eval_X=X_VALID,
            eval_y=np.full(len(Y_VALID), 3),
            eval_qid=QID_VALID,
        ),
        lambda: cross_val_score(
            ranker(measure="P@20"), X, query_target(Y, QID), cv=QueryKFold(3)
        ),
        lambda: GridSearchCV(
            ranker(),
            {"estimator__num_leaves": [3, 7]},
            cv=QueryKFold(3),
            scoring=make_ranking_scorer(["R", "P@30"]),
            refit="R",
        ).fit(X, query_target(Y, QID)),
        lambda: cross_validate_queries(Ridge(), X, Y, qid=QID, measures="P@50"),
        lambda: lgbm().fit(
            X,
            Y,
            group=SIZES,
            eval_set=[(X, np.zeros(len(Y)))],
            eval_group=[SIZES],
            eval_metric=eval_metric("nDCG@10"),
        ),
        lambda: lgbm().fit(
            X,
            Y,
            group=SIZES,
            eval_set=[(X, np.zeros(len(Y)))],
            eval_group=[SIZES],
            callbacks=[early_stopping("nDCG@10", 2)],
        ),
        lambda: lgbm(objective=objective("nDCG"), metric="None").fit(
            X, np.ones(len(Y)), group=SIZES
        ),
    ],
)
def test_a_value_that_cannot_change_is_warned_of(use):
    assert ConstantValueWarning in kinds_of(use)


def test_the_warning_says_how_many_queries_were_needed():
    with pytest.warns(ConstantValueWarning, match="1 tell rankings apart, and 2 are"):
        fit_without_moves(early_stopping_rounds=2)()


def test_draws_are_what_they_were_where_all_queries_tell_rankings_apart():
    fitted = ranker(validation_fraction=0.2, random_state=0).fit(X, Y, qid=QID)
    drawn = np.random.RandomState(0).permutation(60)[:12]
    assert set(
        np.flatnonzero(fitted.validation_queries_.contains(np.arange(60)))
    ) == set(drawn)


# Positions of features

WITH_IDS = FRAME.copy()
WITH_IDS.insert(2, "qid", QID)
WITH_IDS["c"] = np.arange(len(Y)) % 3
HIST = HistGradientBoostingRegressor


@pytest.mark.parametrize(
    ("estimator", "fit_params"),
    [
        (lgbm(), {"categorical_feature": [22]}),
        (lgbm(), {"categorical_feature": [0, 5]}),
        (lgbm(), {"categorical_feature": np.array([3])}),
        (lgbm(interaction_constraints=[[0, 1], [2, 3]]), {}),
        (lgbm(monotone_constraints=[0] * 22), {}),
        (LGBMRegressor(verbose=-1, categorical_feature="2,3"), {}),
        (cat(cat_features=[22]), {}),
        (cat(), {"cat_features": [22]}),
        (cat(ignored_features=[4]), {}),
        (xgb(monotone_constraints=(1,) * 22), {}),
        (xgb(monotone_constraints="(" + "1," * 21 + "1)"), {}),
        (xgb(interaction_constraints="[[0, 1], [2, 3]]"), {}),
        (xgb(feature_types=["q"] * 22), {}),
        (HIST(categorical_features=[21]), {}),
        (HIST(interaction_cst=[[0, 2]]), {}),
        (HIST(monotonic_cst=[0] * 22), {}),
        (make_pipeline(make_column_transformer((OneHotEncoder(), [21])), Ridge()), {}),
        (make_pipeline(make_column_transformer((OneHotEncoder(), [-1])), Ridge()), {}),
        (
            make_pipeline(
                make_column_transformer((StandardScaler(), slice(0, 5))), Ridge()
            ),
            {},
        ),
        (BaggingRegressor(HIST(categorical_features=[21]), 2), {}),
    ],
)
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_positions_behind_a_column_of_ids_are_refused(estimator, fit_params, kind):
    with pytest.raises(ValueError, match="must name features, not count them"):
        ranker(estimator).fit(kind(WITH_IDS), Y, **fit_params)


@pytest.mark.parametrize(
    ("estimator", "fit_params"),
    [
        (lgbm(), {"categorical_feature": ["c"]}),
        (lgbm(), {"categorical_feature": [0, 1]}),
        (lgbm(monotone_constraints=[0] * 21), {}),
        (xgb(monotone_constraints={"f0": 1}), {}),
        (HIST(categorical_features=["c"], max_iter=3), {}),
        (make_pipeline(make_column_transformer((OneHotEncoder(), ["c"])), Ridge()), {}),
    ],
)
def test_names_and_positions_before_the_ids_are_taken(estimator, fit_params):
    assert not warnings_of(lambda: ranker(estimator).fit(WITH_IDS, Y, **fit_params))


# No tree, no coefficient


@pytest.mark.parametrize("value", [True, "true"])
def test_bagging_by_query_with_a_callable_objective_is_refused(value):
    bagging = {
        "bagging_by_query": value,
        "bagging_freq": 1,
        "bagging_fraction": 0.5,
        "objective": objective("nDCG"),
    }
    with pytest.raises(ValueError, match="bagging_by_query must be left out"):
        ranker(lgbm(**bagging)).fit(X, Y, qid=QID)
    with pytest.raises(ValueError, match="bagging_by_query must be left out"):
        lgbm(**bagging, metric="None").fit(X, Y, group=SIZES)
    with pytest.raises(ValueError, match="bagging_by_query must be left out"):
        train({**bagging, "verbose": -1}, Dataset(X, Y, group=SIZES), 2)


def test_bagging_by_query_serves_lambdarank():
    bagging = {"bagging_by_query": True, "bagging_freq": 1, "bagging_fraction": 0.5}
    assert not warnings_of(lambda: ranker(lgbm(**bagging)).fit(X, Y, qid=QID))


@pytest.mark.parametrize(
    "estimator",
    [
        lgbm(min_child_samples=5000),
        LGBMRegressor(min_child_samples=5000, verbose=-1),
        xgb(min_child_weight=1e9),
        XGBRegressor(gamma=1e9, n_estimators=3),
        Lasso(alpha=1e6),
        DecisionTreeRegressor(min_samples_leaf=1200),
        make_pipeline(StandardScaler(), Lasso(alpha=1e6)),
    ],
)
def test_a_ranker_that_has_learned_nothing_is_warned_of(estimator):
    assert kinds_of(lambda: ranker(estimator).fit(X, Y, qid=QID)) <= {
        ConstantValueWarning
    }
    with pytest.warns(ConstantValueWarning, match="one score"):
        ranker(estimator).fit(X, Y, qid=QID)


def test_candidates_and_baselines_may_learn_nothing():
    search = GridSearchCV(
        ranker(Lasso()), {"estimator__alpha": [0.01, 1e6]}, cv=QueryKFold(3)
    )
    assert not warnings_of(lambda: search.fit(X, query_target(Y, QID)))
    assert not warnings_of(lambda: ranker(DummyRegressor()).fit(X, Y, qid=QID))


# Rows held out and folds of rows inside an estimator

HOLD_OUT = [
    HIST(early_stopping=True, max_iter=4),
    MLPRegressor(hidden_layer_sizes=(3,), early_stopping=True, max_iter=3),
    SGDRegressor(early_stopping=True),
    SGDClassifier(early_stopping=True, loss="log_loss"),
    GradientBoostingRegressor(n_iter_no_change=2, n_estimators=4),
    BaggingRegressor(SGDRegressor(early_stopping=True), 2),
    VotingRegressor([("sgd", SGDRegressor(early_stopping=True)), ("ridge", Ridge())]),
    make_pipeline(StandardScaler(), SGDRegressor(early_stopping=True)),
]
FOLDS = [
    StackingRegressor([("ridge", Ridge())], cv=BY_ROW),
    StackingRegressor([("ridge", Ridge())], cv=7),
    RidgeCV(cv=7),
    LassoCV(cv=7),
    ElasticNetCV(cv=BY_ROW),
    VotingRegressor([("lasso", LassoCV(cv=7))]),
    BaggingRegressor(RidgeCV(cv=7), 2),
    make_pipeline(RFECV(Ridge(), cv=7), Ridge()),
    make_pipeline(StandardScaler(), GridSearchCV(Ridge(), {"alpha": [1, 9]}, cv=7)),
]


@pytest.mark.parametrize("estimator", HOLD_OUT + FOLDS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_that_an_estimator_splits_itself_are_warned_of(estimator):
    assert QueryLeakWarning in kinds_of(lambda: ranker(estimator).fit(X, Y, qid=QID))


@pytest.mark.parametrize("estimator", HOLD_OUT)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scorers_and_validation_see_them_too(estimator):
    scorer = make_ranking_scorer("nDCG@10")
    y = query_series(Y, QID)
    kinds = kinds_of(
        lambda: cross_val_score(estimator, X, y, cv=QueryKFold(3), scoring=scorer)
    )
    assert kinds == {QueryLeakWarning}
    kinds = kinds_of(
        lambda: cross_validate_queries(
            estimator, X, Y, qid=QID, measures="nDCG@10", cv=3
        )
    )
    assert kinds == {QueryLeakWarning}


@pytest.mark.parametrize(
    "estimator",
    [
        RidgeCV(),
        HIST(early_stopping=False, max_iter=4),
        HIST(max_iter=4),
        HIST(early_stopping=True, validation_fraction=None, max_iter=4),
        GradientBoostingRegressor(n_estimators=4),
        SGDRegressor(),
        StackingRegressor([("ridge", Ridge())], cv=QueryKFold(3)),
        LassoCV(cv=QueryKFold(3)),
        GridSearchCV(ranker(), {"estimator__num_leaves": [3]}, cv=QueryKFold(2)),
    ],
)
def test_estimators_that_split_nothing_or_queries_are_silent(estimator):
    assert not warnings_of(lambda: ranker(estimator).fit(X, Y, qid=QID))


# Fit parameters that a search cuts, and ids in columns

VALID_AS_LONG = {"eval_X": X, "eval_y": Y, "eval_qid": QID // 2 + 1000}


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(
            ranker(early_stopping_rounds=2),
            {"estimator__num_leaves": [3, 7]},
            cv=QueryKFold(3),
        ),
        RandomizedSearchCV(
            ranker(xgb(), early_stopping_rounds=2),
            {"estimator__max_depth": [2, 3]},
            n_iter=2,
            cv=QueryKFold(3),
        ),
    ],
)
def test_validation_rows_as_long_as_X_are_cut_by_searches(search):
    target = query_target(Y, QID)
    assert kinds_of(lambda: search.fit(X, target, **VALID_AS_LONG)) == {
        CutQueriesWarning
    }
    shorter = {"eval_X": X_VALID, "eval_y": Y_VALID, "eval_qid": QID_VALID}
    assert not warnings_of(lambda: search.fit(X, target, **shorter))


def test_equal_lengths_mean_nothing_outside_of_searches():
    assert not warnings_of(lambda: ranker().fit(X, Y, qid=QID, **VALID_AS_LONG))


@pytest.mark.parametrize(
    "cv",
    [
        BY_ROW,
        KFold(2, shuffle=True, random_state=0),
        ShuffleSplit(3, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
)
@pytest.mark.parametrize("name", ["qid", "query_id"])
def test_a_scorer_sees_other_parts_of_a_query(cv, name):
    table = FRAME.assign(**{name: QID})
    scorer = make_ranking_scorer("nDCG@10")
    model = HIST(max_iter=2)
    kinds = kinds_of(lambda: cross_val_score(model, table, Y, cv=cv, scoring=scorer))
    assert CutQueriesWarning in kinds
    kinds = kinds_of(lambda: cross_val_score(ranker(), table, Y, cv=cv))
    assert kinds & {CutQueriesWarning, QueryLeakWarning}


def test_whole_queries_are_silent_in_any_tool():
    table = FRAME.assign(qid=QID)
    for cv in (QueryKFold(3), QueryShuffleSplit(3)):
        assert not warnings_of(
            lambda cv=cv: cross_validate(
                ranker(), table, Y, cv=cv, return_train_score=True
            )
        )
    assert not warnings_of(
        lambda: permutation_test_score(
            ranker(Ridge()), table, Y, cv=QueryKFold(3), n_permutations=3
        )
    )


@pytest.mark.parametrize("n_bins", [3, 5, 8])
def test_binned_ids_are_warned_of(n_bins):
    bins = KBinsDiscretizer(n_bins, encode="ordinal", strategy="uniform")
    pipeline = make_pipeline(bins.set_output(transform="pandas"), ranker(Ridge()))
    assert QueryIdsWarning in kinds_of(lambda: pipeline.fit(FRAME.assign(qid=QID), Y))


# Labels among the features, ranks as scores, words in the order of the alphabet


@pytest.mark.parametrize(
    "column", [Y, Y / 4, 3 * Y + 1, -Y, Y.astype(np.float32), 7 - Y]
)
@pytest.mark.parametrize("estimator", [Ridge(), DecisionTreeRegressor(max_depth=3)])
def test_labels_among_the_features_are_warned_of(column, estimator):
    for features in (
        np.column_stack([X, column]),
        FRAME.assign(rel=column),
        csr_matrix(np.column_stack([column, X])),
        pl.DataFrame(FRAME.assign(rel=column)),
    ):
        if hasattr(features, "with_columns") and column.dtype == np.float32:
            continue
        kinds = kinds_of(
            lambda features=features: ranker(estimator).fit(features, Y, qid=QID)
        )
        assert kinds == {IdColumnWarning}


def test_a_feature_like_the_labels_is_none():
    near = Y + np.random.default_rng(0).normal(0, 0.01, len(Y))
    features = np.column_stack([X, near])
    assert not warnings_of(lambda: ranker(Ridge()).fit(features, Y, qid=QID))


def test_ranks_as_scores_are_warned_of():
    scores = (X[:, 0] + Y).reshape(60, 20)
    ranks = (-scores).argsort(axis=1).argsort(axis=1).ravel() + 1
    for given in (ranks, ranks - 1, ranks.astype(float), ranks.tolist()):
        kinds = kinds_of(lambda given=given: evaluate("nDCG@10", Y, given, qid=QID))
        assert kinds == {SwappedArgumentsWarning}
    for given in (-ranks, 21 - ranks, 20 - ranks, scores.ravel()):
        assert not warnings_of(
            lambda given=given: evaluate("nDCG@10", Y, given, qid=QID)
        )


WORDS = np.array(["I", "C", "S", "E"])[np.minimum(Y, 3).astype(int)]


@pytest.mark.parametrize(
    "use",
    [
        lambda y: query_target(y, QID),
        lambda y: ranker().fit(X, y, qid=QID),
        lambda y: ranker(xgb()).fit(X, y, qid=QID),
    ],
)
def test_words_in_the_order_of_the_alphabet_are_warned_of(use):
    alphabetical = pd.Series(WORDS).astype("category").cat.as_ordered()
    assert kinds_of(lambda: use(alphabetical)) == {GradeScaleWarning}
    by_relevance = pd.Categorical(WORDS, categories=list("ICSE"), ordered=True)
    assert not warnings_of(lambda: use(by_relevance))
    names = np.array(["bad", "fair", "good", "perfect"])[np.minimum(Y, 3).astype(int)]
    assert not warnings_of(lambda: use(pd.Categorical(names, ordered=True)))


# A transformer outside of the ranker


@pytest.mark.parametrize(
    "scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()], ids=str
)
@pytest.mark.parametrize("estimator", [lgbm(), xgb(), cat()])
def test_features_that_the_scaler_has_not_seen_are_warned_of(scaler, estimator):
    raw = 50 * X + 300
    watched = {
        "queryranker__eval_X": 50 * X_VALID + 300,
        "queryranker__eval_y": query_target(Y_VALID, QID_VALID),
    }
    around = make_pipeline(scaler, ranker(estimator, early_stopping_rounds=2))
    kinds = kinds_of(lambda: around.fit(raw, query_target(Y, QID), **watched))
    assert kinds == {UnlikeQueriesWarning}

    inside = ranker(make_pipeline(scaler, estimator), early_stopping_rounds=2)
    rows = {name.removeprefix("queryranker__"): rows for name, rows in watched.items()}
    assert not warnings_of(lambda: inside.fit(raw, Y, qid=QID, **rows))


# Formats of files


@pytest.mark.parametrize(
    ("estimator", "suffixes"),
    [
        (lgbm(), ".onnx .pmml .pkl .json .ubj .cbm .joblib .ONNX .zip"),
        (xgb(), ".onnx .pmml .pkl .txt .cbm .joblib .pickle .bin .mlmodel"),
        (cat(), ".pkl .txt .ubj .joblib .pickle .h5 .zip .npz"),
    ],
)
def test_suffixes_of_other_formats_are_refused(estimator, suffixes, tmp_path):
    fitted = ranker(estimator).fit(X, Y, qid=QID)
    for suffix in suffixes.split():
        with pytest.raises(ValueError, match=f"path must not end in {suffix.lower()}"):
            fitted.export(tmp_path / f"model{suffix}")
    assert not list(tmp_path.iterdir())


def test_catboost_writes_its_other_formats(tmp_path):
    fitted = ranker(cat()).fit(X, Y, qid=QID)
    for suffix in (".cbm", ".json", ".onnx", ".cpp", ".py", ".model", ""):
        path = tmp_path / f"model{suffix}"
        fitted.export(path)
        assert path.stat().st_size > 100


# What broke, and what it says now


@pytest.mark.parametrize("labels", [Y / 2, Y * 20, Y + 0.25 * (Y > 0)])
def test_objectives_train_without_validation(labels):
    trained = lgbm(objective=objective())
    assert not warnings_of(lambda: ranker(trained).fit(X, labels, qid=QID))
    search = GridSearchCV(
        ranker(trained), {"estimator__num_leaves": [3, 7]}, cv=QueryKFold(2)
    )
    search.fit(X, query_target(labels, QID))
    cross_validate_queries(ranker(trained), X, labels, qid=QID, cv=2)


def test_objectives_train_on_long_queries():
    rng = np.random.default_rng(0)
    features = rng.random((11_000, 3))
    labels = rng.integers(0, 3, 11_000)
    ranker(lgbm(objective=objective())).fit(features, labels, qid=np.zeros(11_000))


@pytest.mark.parametrize(
    "qid",
    [
        pd.MultiIndex.from_arrays([QID, QID // 2]),
        pd.Series([(each, "x") for each in QID]),
        np.array([frozenset([each]) for each in QID]),
        pd.Series([f"q{each}" for each in QID], dtype="category"),
    ],
    ids=["index", "tuples", "sets", "categories"],
)
def test_ids_of_any_type_train(qid):
    fitted = ranker().fit(X, Y, qid=qid)
    assert (fitted.predict(X) == ranker().fit(X, Y, qid=QID).predict(X)).all()


@pytest.mark.filterwarnings("ignore:.*booster=gblinear. is deprecated:UserWarning")
@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (
            lambda: ranker().fit(FRAME, "esci", qid="query"),
            ValueError,
            "y must hold the g",
        ),
        (lambda: ranker().fit(FRAME, "esci", qid=QID), ValueError, "the text 'esci'"),
        (
            lambda: ranker().fit(pl.DataFrame(FRAME).lazy(), Y, qid=QID),
            ValueError,
            "X must hold its rows, got a LazyFrame",
        ),
        (
            lambda: ranker().fit(X, Y, qid=QID, eval_X=(X, X), eval_y=(Y, Y)),
            ValueError,
            "eval_X must hold the rows of one data set",
        ),
        (
            lambda: ranker().fit(X, Y, qid=QID, eval_X=[X], eval_y=[Y]),
            ValueError,
            "eval_X must hold the rows of one data set",
        ),
        (
            lambda: cross_val_score(
                ranker(), X, query_target(Y, QID), cv=QueryKFold(3), scoring=xGAP
            ),
            ValueError,
            r"write scoring=xGAP\(\)",
        ),
        (
            lambda: ranker(
                lgbm(boosting_type="dart"),
                validation_fraction=0.2,
                early_stopping_rounds=2,
            ).fit(X, Y, qid=QID),
            ValueError,
            "boosting_type='dart'",
        ),
        (
            lambda: ranker(
                xgb(booster="gblinear"),
                validation_fraction=0.2,
                early_stopping_rounds=2,
            ).fit(X, Y, qid=QID),
            ValueError,
            "booster='gblinear'",
        ),
        (
            lambda: ranker(lgbm(objective=objective("DCG(gain=exp2)", norm=False))).fit(
                X, Y * 60, qid=QID
            ),
            ValueError,
            "range of float32",
        ),
        (
            lambda: ranker().fit(X, Y, qid=QID).predict(X, qid=QID),
            TypeError,
            "no query ids",
        ),
        (
            lambda: ranker().fit(X, Y, qid=QID, eval_set=[(X, Y)]),
            ValueError,
            "eval_X=, eval_y= and eval_qid=",
        ),
        (lambda: ranker().fit(X, Y, query_id=QID), ValueError, "must be named qid"),
        (
            lambda: ranker().fit(X, Y, qid=QID, eval_x=X),
            TypeError,
            "Did you mean 'eval_X'",
        ),
        (
            lambda: ranker(make_pipeline(StandardScaler(), Ridge())).fit(
                X, Y, qid=QID, ridge__sample_weight=Y
            ),
            TypeError,
            "written without its name: sample_weight=",
        ),
        (
            lambda: query_train_test_split(X, Y, QID),
            ValueError,
            "qid must be given by name",
        ),
        (lambda: eval_metric(["AP", "nDCG"]), TypeError, "write a star"),
    ],
)
def test_refusals_name_argument_and_rule(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_a_table_of_arrow_holds_its_ids():
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(FRAME.assign(qid=QID), preserve_index=False)
    fitted = ranker().fit(table, Y)
    assert (fitted.predict(table) == ranker().fit(X, Y, qid=QID).predict(X)).all()
    assert fitted.n_features_in_ == X.shape[1]


def test_a_result_is_formatted_as_its_mean():
    scores = evaluate("nDCG@10", Y, X[:, 0], qid=QID)
    assert f"{scores:.3f}" == f"{float(scores):.3f}"
    assert f"{scores}" == str(scores)


# Weights


def test_catboosts_group_weights_weigh_queries():
    from skgraded.catboost import eval_metric as catboost_metric

    weight = np.repeat(np.random.default_rng(0).random(60) * 5, 20)
    metric = catboost_metric("nDCG@10", (Y, QID))
    model = cat(eval_metric=metric)
    model.fit(Pool(X, Y, group_id=QID, group_weight=weight))
    value = model.get_evals_result()["learn"]["nDCG@10"][-1]
    expected = nDCG(k=10)(Y, model.predict(X), qid=QID, sample_weight=weight)
    assert value == pytest.approx(expected, abs=1e-6)


def test_scorers_ask_for_what_they_are_told_to():
    scorer = make_ranking_scorer("AP")
    assert scorer.set_score_request(qid="session", sample_weight=False) is scorer
    requests = scorer.get_metadata_routing().score.requests
    assert requests == {"qid": "session", "sample_weight": False}
    with pytest.raises(TypeError, match=r"Did you mean 'qid'\?"):
        scorer.set_score_request(quid=True)


def test_the_guards_are_silent_in_a_plain_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimator in (lgbm(), xgb(), cat(), Ridge(), FunctionTransformer()):
            if hasattr(estimator, "predict"):
                ranker(estimator).fit(X, Y, qid=QID)
