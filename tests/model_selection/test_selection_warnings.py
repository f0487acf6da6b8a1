"""The silent traps of model selection: each warns where it is stepped into, and nowhere else."""

import pickle

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from samples import warnings_of
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    compare,
    make_ranking_scorer,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    CutQueriesWarning,
    GradeScaleWarning,
    IdColumnWarning,
    QueryIdsWarning,
    QueryLeakWarning,
)

X, Y, QID = make_ranking(n_queries=30, docs_per_query=(4, 15), random_state=0)
TARGET = query_target(Y, QID)
WORDS = np.array([f"q{each}" for each in QID])
MEASURE = xGAP(max_grade=4, k=10)
RANKER = QueryRanker(Ridge(), measure=MEASURE)
SCORER = make_ranking_scorer(MEASURE)
GRID = {"estimator__alpha": [1, 100]}
SHUFFLED_ROWS = KFold(3, shuffle=True, random_state=0)
# The training rows hold parts of queries, and the scored rows hold other parts of them.
CUT_AND_LEAK = [CutQueriesWarning, QueryLeakWarning]


# Folds that cut queries


@pytest.mark.parametrize("scoring", [None, SCORER], ids=["score", "scorer"])
@pytest.mark.parametrize(
    ("cv", "expected"),
    [
        (SHUFFLED_ROWS, CUT_AND_LEAK),
        (KFold(2, shuffle=True, random_state=0), CUT_AND_LEAK),
        # Their lists are about as long, as those of another data set that is numbered the same.
        (StratifiedKFold(2), [CutQueriesWarning]),
    ],
    ids=["3 folds", "2 folds", "halves of queries"],
)
def test_folds_of_rows_warn_once(cv, expected, scoring):
    splits = list(cv.split(X, QID))
    found = warnings_of(
        lambda: cross_val_score(RANKER, X, TARGET, cv=splits, scoring=scoring)
    )
    assert found == expected


def test_folds_of_rows_warn_in_every_tool():
    pipeline = make_pipeline(StandardScaler(), RANKER)
    search = GridSearchCV(RANKER, GRID, cv=QueryKFold(3))
    for estimator, scoring in [(pipeline, SCORER), (search, SCORER), (search, None)]:
        found = warnings_of(
            lambda e=estimator, s=scoring: cross_val_score(
                e, X, TARGET, cv=SHUFFLED_ROWS, scoring=s
            )
        )
        assert found == CUT_AND_LEAK
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(CutQueriesWarning, match="other numbers of rows"),
        pytest.warns(QueryLeakWarning, match=r"QueryKFold\(5\)") as caught,
    ):
        GridSearchCV(RANKER, GRID, cv=SHUFFLED_ROWS).fit(X, Y, qid=QID)
    assert {each.filename for each in caught} == {__file__}  # the user's line


@pytest.mark.parametrize("n_parts", [2, 4])
def test_parts_of_queries_warn_where_sizes_are_known(n_parts):
    part = np.random.default_rng(0).permutation(len(Y)) % n_parts > 0
    with pytest.warns(CutQueriesWarning):
        fitted = RANKER.fit(X[part], TARGET[part])
    # Halves may be halves of another data set that is numbered the same.
    left_out = [CutQueriesWarning] if n_parts == 2 else [QueryLeakWarning]
    for ranker in (fitted, pickle.loads(pickle.dumps(fitted))):
        assert (
            warnings_of(lambda it=ranker: it.score(X[~part], TARGET[~part])) == left_out
        )
    assert warnings_of(lambda: fitted.score(X, TARGET)) == [QueryLeakWarning]
    assert warnings_of(lambda: fitted.score(X[part], TARGET[part])) == [
        QueryLeakWarning
    ]


@pytest.mark.parametrize("rows", [QID >= 0, QID % 3 > 0], ids=["all", "some"])
@pytest.mark.parametrize(("n_queries", "first"), [(30, 0), (12, 0), (50, 0), (20, 1)])
def test_another_data_set_that_is_numbered_the_same_does_not_warn(
    rows, n_queries, first
):
    other, grades, qid = make_ranking(n_queries, docs_per_query=(4, 15), random_state=1)
    target = query_target(grades, qid + first)
    assert (
        warnings_of(lambda: RANKER.fit(X[rows], TARGET[rows]).score(other, target))
        == []
    )


def test_numbered_queries_warn_where_the_lengths_of_their_lists_are_no_chance():
    rows, few = QID < 9, QID < 3
    assert warnings_of(lambda: RANKER.fit(X[rows], TARGET[rows]).score(X, TARGET)) == [
        QueryLeakWarning
    ]
    assert warnings_of(lambda: RANKER.fit(X, TARGET).score(X[rows], TARGET[rows])) == [
        QueryLeakWarning
    ]
    assert warnings_of(lambda: RANKER.fit(X[few], TARGET[few]).score(X, TARGET)) == []


def test_parts_of_named_queries_warn_where_only_ids_are_known():
    rows = np.arange(len(Y)) % 2 == 0
    fitted = RANKER.fit(X[rows], Y[rows], qid=WORDS[rows])
    found = warnings_of(lambda: fitted.score(X[~rows], Y[~rows], qid=WORDS[~rows]))
    assert found == [QueryLeakWarning]


def test_validation_queries_of_another_file_do_not_warn():
    features, grades, qid = make_ranking(
        n_queries=20, docs_per_query=(4, 15), random_state=1
    )
    ranker = QueryRanker(
        LGBMRanker(n_estimators=5, n_jobs=1, verbose=-1),
        measure=MEASURE,
        early_stopping_rounds=2,
    )
    search = GridSearchCV(ranker, {"estimator__num_leaves": [3]}, cv=QueryKFold(2))
    given = {"eval_X": features, "eval_y": grades, "eval_qid": qid}
    assert warnings_of(lambda: search.fit(X, TARGET, **given)) == []


@pytest.mark.parametrize(
    "cv",
    [
        QueryKFold(3),
        StratifiedQueryKFold(3),
        QueryShuffleSplit(3),
        list(GroupKFold(3).split(X, groups=QID)),
    ],
)
def test_whole_queries_do_not_warn(cv):
    def use():
        for scoring in (None, SCORER):
            cross_validate(
                RANKER, X, TARGET, cv=cv, scoring=scoring, return_train_score=True
            )
            GridSearchCV(
                RANKER, GRID, cv=cv, scoring=scoring, return_train_score=True
            ).fit(X, TARGET)

    assert warnings_of(use) == []


FITTED = clone(RANKER).fit(X, TARGET)
PIPELINE = make_pipeline(StandardScaler(), clone(RANKER)).fit(X, TARGET)
ORDER = np.random.default_rng(1).permutation(len(Y))
PERMUTED = np.column_stack([X[ORDER, 0], X[:, 1:]])
LEAKS = {
    "the same rows": lambda: FITTED.score(X, TARGET),
    "by the keyword": lambda: FITTED.score(X, Y, qid=QID),
    "in another order": lambda: FITTED.score(X[ORDER], TARGET[ORDER]),
    "some queries": lambda: FITTED.score(X[QID > 6], TARGET[QID > 6]),
    "a part of each query": lambda: FITTED.score(X[::2], TARGET[::2]),
    "a feature permuted": lambda: FITTED.score(PERMUTED, TARGET),
    "other labels": lambda: FITTED.score(X, query_target(Y > 2, QID)),
    "a pipeline": lambda: SCORER(PIPELINE, X, TARGET),
    "a comparison": lambda: compare({"a": FITTED, "b": PIPELINE}, X, Y, qid=QID),
}


@pytest.mark.parametrize("use", LEAKS.values(), ids=LEAKS)
def test_scoring_what_was_trained_on_warns(use):
    assert set(warnings_of(use)) == {QueryLeakWarning}


def test_training_scores_that_were_asked_for_do_not_warn():
    alphas = {"param_name": "estimator__alpha", "param_range": [1, 9]}
    assert (
        warnings_of(
            lambda: validation_curve(RANKER, X, TARGET, cv=QueryKFold(3), **alphas)
        )
        == []
    )


# Grades


def fold_without_the_top_grade():
    top = np.unique(QID[Y == 4])
    return np.flatnonzero(~np.isin(QID, top)), np.flatnonzero(np.isin(QID, top))


def test_a_fold_without_the_top_grade_warns_while_g_is_inferred():
    train, test = fold_without_the_top_grade()
    assert len(test)
    assert Y[train].max() == 3
    open_ranker = QueryRanker(Ridge(), measure="xGAP@10")
    with pytest.warns(GradeScaleWarning) as caught:
        (found,) = cross_val_score(open_ranker, X, TARGET, cv=[(train, test)])
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "xGAP@10 took its top grade from the training rows" in message
    assert "measure=xGAP(max_grade=4, k=10)" in message
    named = cross_val_score(
        QueryRanker(Ridge(), measure=MEASURE), X, TARGET, cv=[(train, test)]
    )
    assert found == named[0]


def test_a_test_fold_of_lower_grades_does_not_warn():
    test, train = fold_without_the_top_grade()
    ranker = QueryRanker(Ridge(), measure="xGAP@10")
    assert (
        warnings_of(lambda: cross_val_score(ranker, X, TARGET, cv=[(train, test)]))
        == []
    )


# Group sizes in the place of ids


ROWS = np.arange(len(Y))
IDS = {  # each with what it causes
    "numbers from 0": (QID, []),
    "numbers from 1": (QID + 1, []),
    "six of equal size": (np.repeat(np.arange(1, 7), 60), []),
    "repeated sizes of two queries": (np.repeat([10, 10, 20, 30], 10), []),
    "a few rows": (np.arange(1, 13), []),
    "sizes of their own": (np.repeat(np.arange(1, 5), np.arange(1, 5)), []),
    "one document each, by words": ([f"query {each}" for each in ROWS], []),
    "one document each, in any order": (
        np.random.default_rng(0).permutation(len(Y)),
        [],
    ),
    "one document each, far apart": (ROWS * 7, []),
    "row numbers": (ROWS, [QueryIdsWarning]),
    "row numbers as floats": (ROWS + 1.0, [QueryIdsWarning]),
    "scores": (X[:, 0], [QueryIdsWarning]),
    "scores, one of them endless": (
        np.where(ROWS == 0, np.inf, ROWS + 0.5),
        [QueryIdsWarning],
    ),
}


@pytest.mark.parametrize(("qid", "expected"), IDS.values(), ids=IDS)
def test_row_numbers_and_scores_in_the_place_of_ids_warn(qid, expected):
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 5, len(qid)), rng.normal(size=len(qid))
    with np.errstate(invalid="raise"):
        assert warnings_of(lambda: MEASURE(grades, scores, qid=qid)) == expected
        assert (
            warnings_of(lambda: RANKER.fit(scores[:, None], grades, qid=qid))
            == expected
        )


# Query ids among the features


def with_ids(form, place=2, ids=QID):
    """Features with a column of ids, as an array, a sparse matrix or a frame."""
    if form in {"float32", "float64"}:
        return np.insert(X, place, ids, axis=1).astype(form)
    if form == "sparse":
        return csr_matrix(np.insert(X, place, ids, axis=1))
    if form == "lists":
        return np.insert(X, place, ids, axis=1).tolist()
    frames = pytest.importorskip(form)
    columns = {f"x{each}": X[:, each] for each in range(X.shape[1])}
    return frames.DataFrame({**columns, "srch_id": ids})


FORMS = ["float32", "float64", "sparse", "lists", "pandas", "polars"]
KINDS_OF_IDS = {
    "numbers": lambda ids: ids,
    "large numbers": lambda ids: ids * 1009 + 10**7,  # beyond what float32 tells apart
    "text": lambda ids: ids.astype(str),
    "list": lambda ids: ids.tolist(),
}


@pytest.mark.parametrize("kind", KINDS_OF_IDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_feature_that_holds_the_ids_warns(form, kind):
    ids = QID * 1009 + 10**7 if kind == "large numbers" else QID
    features = with_ids(form, ids=ids)
    shuffled = np.random.default_rng(0).permutation(len(Y))
    given = KINDS_OF_IDS[kind](QID)
    ranker = QueryRanker(Ridge(), measure=MEASURE)
    assert warnings_of(lambda: ranker.fit(features, Y, qid=given)) == [IdColumnWarning]
    if form.startswith("float"):
        moved = np.asarray(given)[shuffled]
        found = warnings_of(
            lambda: ranker.fit(features[shuffled], Y[shuffled], qid=moved)
        )
        assert found == [IdColumnWarning]


@pytest.mark.parametrize(
    ("ids", "way", "expected"),
    [
        (WORDS, OrdinalEncoder(), [IdColumnWarning]),
        (WORDS, "drop", []),
        (QID.astype(float), "passthrough", [IdColumnWarning]),
    ],
)
def test_the_ids_are_found_where_a_pipeline_turns_words_into_numbers(
    ids, way, expected
):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"kind": ["a", "b"] * (len(QID) // 2), "srch_id": ids})
    columns = make_column_transformer((OrdinalEncoder(), ["kind"]), (way, ["srch_id"]))
    tree = DecisionTreeRegressor(random_state=0)
    ranker = QueryRanker(make_pipeline(columns, tree), measure=MEASURE)
    assert warnings_of(lambda: ranker.fit(frame, Y, qid=ids)) == expected


def test_ids_that_no_prediction_changes_with_do_not_warn():
    stump = QueryRanker(DecisionTreeRegressor(max_depth=1), measure=MEASURE)
    assert warnings_of(lambda: stump.fit(with_ids("float64"), TARGET)) == []


def test_the_warning_names_the_column():
    ranker = QueryRanker(Ridge(), measure=MEASURE)
    with pytest.warns(IdColumnWarning, match="in column 2,"):
        ranker.fit(with_ids("float64"), TARGET)
    frame = with_ids("pandas")
    with pytest.warns(IdColumnWarning, match="in column 'srch_id',"):
        ranker.fit(frame, TARGET)
    renamed = frame.rename(columns={"srch_id": "qid"})
    assert warnings_of(lambda: ranker.fit(renamed, Y)) == []
    assert ranker.n_features_in_ == X.shape[1]


def test_a_native_estimator_that_takes_the_ids_for_a_feature_warns():
    pd = pytest.importorskip("pandas")
    catboost = pytest.importorskip("catboost")
    frame = pd.DataFrame(X).add_prefix("f").assign(qid=QID)
    tree = DecisionTreeRegressor(random_state=0)
    boosted = catboost.CatBoostRegressor(
        iterations=5, thread_count=1, allow_writing_files=False, verbose=0
    )

    def found(estimator, y):
        folds = QueryKFold(3)
        return warnings_of(
            lambda: cross_validate(estimator, frame, y, scoring=SCORER, cv=folds)
        )

    for native in (
        *(tree, boosted),
        make_pipeline(StandardScaler().set_output(transform="pandas"), tree),
        make_pipeline(StandardScaler(), tree),
        make_pipeline(SelectKBest(f_regression, k=20), SimpleImputer(), boosted),
        GridSearchCV(make_pipeline("passthrough", tree), {}, cv=QueryKFold(3)),
    ):
        assert found(native, query_series(Y, QID)) == [IdColumnWarning]
    without = make_column_transformer(("drop", ["qid"]), remainder="passthrough")
    for right in (
        RANKER,
        make_pipeline("passthrough", RANKER),
        make_pipeline(without, tree),
    ):
        assert found(right, Y) == []


def test_ids_among_the_features_warn_once_in_a_search():
    search = GridSearchCV(RANKER, GRID, cv=QueryKFold(3))
    assert warnings_of(lambda: search.fit(with_ids("float64"), TARGET)) == [
        IdColumnWarning
    ]


@pytest.mark.parametrize(
    "feature",
    [
        QID + 1,
        QID % 2,
        np.random.default_rng(0).normal(size=30)[QID],
        np.where(np.arange(len(QID)) == 5, -1, QID),
        np.where(QID == 3, np.nan, QID),
    ],
    ids=["another number", "flag", "property of queries", "one row differs", "a gap"],
)
def test_properties_of_queries_do_not_warn(feature):
    features = np.column_stack([X, feature])
    lgbm = LGBMRanker(n_estimators=2, n_jobs=1, verbose=-1)
    ranker = QueryRanker(lgbm, measure=MEASURE)
    assert warnings_of(lambda: ranker.fit(features, TARGET)) == []
