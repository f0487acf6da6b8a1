"""QueryRanker: every library's ranker as a scikit-learn estimator, stopped early by the measure."""

import math
import pickle

import lightgbm
import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker, LGBMRegressor
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor, StackingRegressor, VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_regression
from sklearn.inspection import partial_dependence
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from skgraded import (
    QueryKFold,
    QueryRanker,
    nDCG,
    query_ids,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import load_letor, make_ranking
from skgraded.exceptions import GradeScaleWarning
from skgraded.lightgbm import eval_metric
from skgraded.rankings import as_ids, read_columns, split_target

# Values of a score are compared, on whatever rows.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")

MEASURE = xGAP(max_grade=4, k=10)
X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 20), random_state=0)
SIZES = np.bincount(QID)
SHUFFLED = np.random.default_rng(0).permutation(len(Y))
# First appearance of each query in the shuffled rows, then the rows' order there.
LAID_OUT = np.concatenate(
    [SHUFFLED[QID[SHUFFLED] == each] for each in dict.fromkeys(QID[SHUFFLED].tolist())]
)


def lgbm(**params):
    return LGBMRanker(**{"n_estimators": 10, "num_leaves": 7, "n_jobs": 1, "verbose": -1, **params})


def ranker(estimator=None, **params):
    return QueryRanker(lgbm() if estimator is None else estimator, measure=MEASURE, **params)


def stopping_ranker(**params):
    estimator = params.pop("estimator", None) or lgbm(n_estimators=60)
    settings = {"validation_fraction": 0.3, "early_stopping_rounds": 8, "random_state": 0}
    return ranker(estimator, **{**settings, **params})


# How query ids travel


# LightGBM 4.0 asks for it.
@pytest.mark.filterwarnings("ignore:np.find_common_type:DeprecationWarning")
def test_every_carrier_of_ids_gives_the_same_model():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    by_qid = pd.Index(QID, name="qid")
    expected = ranker().fit(frame, Y, qid=QID).predict(frame)
    in_target = ranker().fit(frame, query_target(Y, QID))
    in_column = ranker().fit(frame.assign(qid=QID), Y)
    in_index_of_x = ranker().fit(frame.set_index(by_qid), Y)
    in_index_of_y = ranker().fit(frame, pd.Series(Y, index=by_qid))
    for fitted in (in_target, in_column, in_index_of_x, in_index_of_y):
        assert fitted.n_features_in_ == X.shape[1]
        assert "qid" not in fitted.feature_names_in_
        np.testing.assert_array_equal(fitted.predict(frame), expected)
    np.testing.assert_array_equal(in_column.predict(frame.assign(qid=QID)), expected)


def test_polars_frame_with_a_column_of_ids():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(X.shape[1])])
    with_ids = frame.with_columns(pl.Series("qid", [f"q{each}" for each in QID]))
    fitted = ranker(Ridge()).fit(with_ids, pl.Series(Y))
    assert fitted.n_features_in_ == X.shape[1]
    # polars stores columns one after the other, which changes the last bits of sums.
    np.testing.assert_allclose(fitted.predict(frame), Ridge().fit(X, Y).predict(X), rtol=1e-9)
    expected = MEASURE(Y, fitted.predict(frame), qid=QID)
    assert fitted.score(with_ids, Y) == pytest.approx(expected, rel=1e-12)


def test_ids_are_taken_in_order_of_precedence():
    pd = pytest.importorskip("pandas")

    def frame(**columns):
        return pd.DataFrame({"x": [0, 0], **columns}, index=pd.Index(["X", "X"], name="qid"))

    labelled = pd.Series(
        [1, 0], index=pd.MultiIndex.from_tuples([("y", 0)] * 2, names=["qid", "doc"])
    )
    target = query_target([1, 0], ["target", "target"])
    with_column = frame(qid=["column", "column"])
    assert as_ids(read_columns(target, ["keyword"] * 2, X=with_column).ids)[0] == "keyword"
    assert as_ids(read_columns(target, X=with_column).ids)[0] == "target"
    assert as_ids(read_columns(labelled, X=with_column).ids)[0] == "column"
    assert as_ids(read_columns(labelled, X=frame()).ids)[0] == "y"
    assert as_ids(read_columns([1, 0], X=frame()).ids)[0] == "X"


@pytest.mark.parametrize("missing_in", ["fit", "score"])
def test_missing_ids_name_every_way_of_giving_them(missing_in):
    fitted = ranker().fit(X, Y, qid=QID)
    with pytest.raises(ValueError, match="Query ids are missing") as caught:
        getattr(fitted, missing_in)(X, Y)
    message = str(caught.value)
    for way in (
        "qid=...",
        "enable_metadata_routing",
        "query_target(y, qid)",
        "column 'qid'",
        "index level",
    ):
        assert way in message


@pytest.mark.parametrize(
    "ids",
    [
        QID.astype(np.uint8),
        QID / 3,
        np.array([f"query {each}" for each in QID]),
        np.array([f"query {each}" for each in QID], dtype=object),
        np.datetime64("2024-01-01") + QID,
        np.array([f"{each}" if each % 2 else int(each) for each in QID], dtype=object),
    ],
    ids=["uint8", "float", "str", "object", "datetime", "mixed"],
)
def test_ids_of_any_type_give_the_same_model(ids):
    expected = ranker().fit(X, Y, qid=QID).predict(X)
    target = query_target(Y, ids)
    assert target["qid"].dtype == ids.dtype
    np.testing.assert_array_equal(ranker().fit(X, target).predict(X), expected)
    fitted = stopping_ranker().fit(X, target)
    assert len(fitted.validation_queries_) == 12


def test_a_target_comes_apart_as_it_was_put_together():
    grades, (_, ids, sizes) = split_target(query_target([2, np.nan, 0], ["b", "a", "b"]))
    np.testing.assert_array_equal(grades, [2, np.nan, 0])
    assert list(ids) == ["b", "a", "b"]
    assert list(sizes) == [2, 1, 2]


def test_a_masked_grade_of_a_target_is_unjudged():
    target = query_target(np.ma.masked_array([2, 1], mask=[False, True]), ["a", "a"])
    np.testing.assert_array_equal(target["grade"], [2, np.nan])


def test_ids_of_several_types_stay_different_in_a_target():
    assert query_target([1, 0], [1, "1"])["n_rows"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("y", "qid", "message"),
    [
        ([1, 0], [1, 1, 2], r"qid must hold one query id per row of y \(2\), got 3"),
        ([1, 0, 2], [3], "np.repeat"),
        ([[1], [0]], [1, 1], r"y must be one-dimensional.* got shape \(2, 1\)"),
        ([1, 0], [[1], [1]], r"qid must be one-dimensional.* got shape \(2, 1\)"),
        (query_target([1, 0], [1, 1]), [1, 1], "y must be numeric"),
        ([1, 0], query_ids([1, 1]), "made by query_ids"),
        ([1, 0], [1, np.nan], "qid must name a query in every row, got nan in row 1"),
    ],
)
def test_query_target_refuses(y, qid, message):
    with pytest.raises(ValueError, match=message):
        query_target(y, qid)


def test_a_foreign_structured_target_is_refused():
    y = np.zeros(len(Y), dtype=[("event", bool), ("time", float)])
    with pytest.raises(
        ValueError, match=r"made by query_target\(y, qid\), got .* fields event, time"
    ):
        ranker().fit(X, y, qid=QID)


# Each library in its own words


def test_the_model_is_the_one_that_lightgbm_fits_by_hand():
    by_hand = lgbm().fit(X, Y, group=SIZES)
    np.testing.assert_array_equal(ranker().fit(X, Y, qid=QID).predict(X), by_hand.predict(X))


def test_rows_in_any_order_are_brought_together():
    weight = np.linspace(0.5, 2, len(Y))
    sizes = [SIZES[each] for each in dict.fromkeys(QID[SHUFFLED].tolist())]
    by_hand = lgbm().fit(X[LAID_OUT], Y[LAID_OUT], group=sizes, sample_weight=weight[LAID_OUT])
    shuffled = (each[SHUFFLED] for each in (X, Y, QID, weight))
    np.testing.assert_array_equal(ranker().fit(*shuffled).predict(X), by_hand.predict(X))


def test_xgboost_gets_sorted_ids_and_a_weight_per_query():
    xgboost = pytest.importorskip("xgboost")
    ids = np.array([f"q{each}" for each in QID])
    weight = np.linspace(0.5, 2, len(Y))
    query_weight = np.bincount(QID, weight) / SIZES
    settings = {"n_estimators": 10, "max_depth": 3, "n_jobs": 1}
    by_hand = xgboost.XGBRanker(**settings).fit(X, Y, qid=QID, sample_weight=query_weight)
    fitted = ranker(xgboost.XGBRanker(**settings)).fit(X, Y, qid=ids, sample_weight=weight)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))
    ranker(xgboost.XGBRanker(**settings)).fit(X[SHUFFLED], Y[SHUFFLED], qid=ids[SHUFFLED])


def test_catboost_gets_group_ids_and_group_weights():
    catboost = pytest.importorskip("catboost")
    weight = np.linspace(0.5, 2, len(Y))
    group_weight = (np.bincount(QID, weight) / SIZES)[QID]
    settings = {
        "iterations": 10,
        "depth": 3,
        "verbose": 0,
        "random_seed": 0,
        "thread_count": 1,
        "allow_writing_files": False,
    }
    cat = catboost.CatBoostRanker(**settings)
    by_hand = clone(cat).fit(X, Y, group_id=QID, group_weight=group_weight)
    fitted = ranker(cat).fit(X, Y, qid=QID, sample_weight=weight)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))
    ranker(cat).fit(X[SHUFFLED], Y[SHUFFLED], qid=QID[SHUFFLED])


def test_a_regressor_is_fitted_on_the_rows_as_they_are():
    weight = np.linspace(0.5, 2, len(Y))
    by_hand = Ridge().fit(X, Y, sample_weight=weight)
    fitted = ranker(Ridge()).fit(X, Y, qid=QID, sample_weight=weight)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))


def test_a_pipeline_hands_the_groups_to_its_last_step():
    scaled = StandardScaler().fit_transform(X)
    by_hand = lgbm().fit(scaled, Y, group=SIZES)
    pipeline = make_pipeline(StandardScaler(), lgbm())
    fitted = ranker(pipeline).fit(X, Y, qid=QID)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(scaled))
    np.testing.assert_array_equal(fitted.feature_importances_, by_hand.feature_importances_)
    assert not hasattr(pipeline[-1], "booster_") or not pipeline[-1].__sklearn_is_fitted__()


def test_a_pipeline_with_a_cache_and_one_inside_another(tmp_path):
    scaled = StandardScaler().fit_transform(X)
    expected = lgbm().fit(scaled, Y, group=SIZES).predict(scaled)
    cached = make_pipeline(StandardScaler(), "passthrough", lgbm(), memory=str(tmp_path))
    nested = make_pipeline(StandardScaler(), make_pipeline(lgbm()))
    for pipeline in (cached, nested):
        np.testing.assert_array_equal(ranker(pipeline).fit(X, Y, qid=QID).predict(X), expected)


def test_sparse_features():
    expected = ranker().fit(csr_matrix(X), Y, qid=QID).predict(X)
    shuffled = ranker().fit(coo_matrix(X[LAID_OUT]), Y[LAID_OUT], qid=QID[LAID_OUT])
    np.testing.assert_array_equal(ranker().fit(coo_matrix(X), Y, qid=QID).predict(X), expected)
    assert shuffled.predict(csr_matrix(X)).shape == Y.shape


def test_fit_parameters_are_passed_on_and_follow_their_rows():
    init_score = np.linspace(-3, 3, len(Y))
    by_hand = lgbm().fit(X, Y, group=SIZES, init_score=init_score, categorical_feature=[0])
    fitted = ranker().fit(X, Y, qid=QID, init_score=init_score.tolist(), categorical_feature=[0])
    np.testing.assert_array_equal(fitted.estimator_.predict(X), by_hand.predict(X))
    sizes = [SIZES[each] for each in dict.fromkeys(QID[SHUFFLED].tolist())]
    by_hand = lgbm().fit(X[LAID_OUT], Y[LAID_OUT], group=sizes, init_score=init_score[LAID_OUT])
    shuffled = ranker().fit(
        X[SHUFFLED], Y[SHUFFLED], qid=QID[SHUFFLED], init_score=init_score[SHUFFLED]
    )
    np.testing.assert_array_equal(shuffled.estimator_.predict(X), by_hand.predict(X))


# Early stopping


def validation_rows(fitted):
    return fitted.validation_queries_.contains(QID)


def recomputed_on_validation(fitted, features, grades, qid):
    """Measure on the validation queries at every iteration of a training that was not stopped."""
    n_iterations = len(fitted.evals_result_["valid_0"][str(fitted.measure_)])
    whole = clone(fitted).set_params(
        early_stopping_rounds=None, estimator__n_estimators=n_iterations
    )
    model = whole.fit(features, grades, qid=qid).estimator_
    rows = fitted.validation_queries_.contains(qid)
    scores = [model.predict(features[rows], num_iteration=i + 1) for i in range(n_iterations)]
    return [fitted.measure_(grades[rows], each, qid=qid[rows]) for each in scores]


def test_stops_where_the_recomputed_measure_is_highest():
    fitted = stopping_ranker().fit(X, Y, qid=QID)
    seen = fitted.evals_result_["valid_0"][str(MEASURE)]
    assert recomputed_on_validation(fitted, X, Y, QID) == seen
    assert fitted.best_iteration_ == 1 + np.argmax(seen)
    assert fitted.best_iteration_ > 1
    assert len(seen) == fitted.best_iteration_ + 8
    best = fitted.estimator_.predict(X, num_iteration=fitted.best_iteration_)
    np.testing.assert_array_equal(fitted.predict(X), best)


def test_training_leaves_the_validation_queries_out():
    fitted = stopping_ranker().fit(X, Y, qid=QID)
    rows = validation_rows(fitted)
    assert len(fitted.validation_queries_) == 12
    kept = lgbm(n_estimators=fitted.best_iteration_).fit(
        X[~rows], Y[~rows], group=np.bincount(QID[~rows])[np.unique(QID[~rows])]
    )
    np.testing.assert_array_equal(fitted.predict(X), kept.predict(X))


def test_the_order_of_rows_does_not_change_the_validation_queries():
    held_out = stopping_ranker().fit(X, Y, qid=QID).validation_queries_
    shuffled = stopping_ranker().fit(X[SHUFFLED], Y[SHUFFLED], qid=QID[SHUFFLED])
    assert set(shuffled.validation_queries_.hashes) == set(held_out.hashes)
    other = stopping_ranker(random_state=1).fit(X, Y, qid=QID)
    assert set(other.validation_queries_.hashes) != set(held_out.hashes)


def test_the_order_of_rows_inside_queries_does_not_change_the_watched_values():
    # A regressor's trees do not depend on it, so neither may the values.
    fitted = stopping_ranker(estimator=lgbm(n_estimators=60, objective="regression")).fit(X, Y, QID)
    best_first = np.lexsort((-Y, QID))
    again = clone(fitted).fit(X[best_first], Y[best_first], qid=QID[best_first])
    np.testing.assert_allclose(
        fitted.evals_result_["valid_0"][str(MEASURE)],
        again.evals_result_["valid_0"][str(MEASURE)],
        rtol=1e-12,
    )


def test_metrics_that_the_user_set_are_recorded_and_not_watched():
    plain = stopping_ranker().fit(X, Y, qid=QID)
    metric = lgbm(n_estimators=60, metric="ndcg")
    with_metric = stopping_ranker(estimator=metric).fit(
        X, Y, qid=QID, eval_at=[3], eval_metric=lambda y_true, y_pred: ("flat", 0.5, True)
    )
    recorded = with_metric.evals_result_["valid_0"]
    assert list(recorded) == ["ndcg@3", str(MEASURE), "flat"]
    assert with_metric.best_iteration_ == plain.best_iteration_
    assert with_metric.best_iteration_ != 1 + np.argmax(recorded["ndcg@3"])
    assert list(plain.evals_result_["valid_0"]) == [str(MEASURE)]


def test_validation_without_stopping_records_every_iteration():
    fitted = stopping_ranker(estimator=lgbm(), early_stopping_rounds=None).fit(X, Y, qid=QID)
    assert len(fitted.evals_result_["valid_0"][str(MEASURE)]) == 10
    assert fitted.estimator_.booster_.num_trees() == 10
    assert not hasattr(fitted, "best_iteration_")


def test_a_second_fit_forgets_the_first_one_s_validation():
    fitted = stopping_ranker().fit(X, Y, qid=QID)
    fitted.set_params(validation_fraction=None, early_stopping_rounds=None).fit(X, Y, qid=QID)
    for attribute in ("evals_result_", "best_iteration_", "validation_queries_"):
        assert not hasattr(fitted, attribute)


def test_validation_queries_pass_through_the_pipeline_and_carry_weights_and_scores():
    pipeline = make_pipeline(StandardScaler(), lgbm(n_estimators=60))
    weight = np.linspace(0.5, 2, len(Y))
    init_score = X[:, 0]
    fitted = stopping_ranker(estimator=pipeline).fit(
        X, Y, qid=QID, sample_weight=weight, init_score=init_score
    )
    rows = validation_rows(fitted)
    booster, scaler = fitted.estimator_[-1], fitted.estimator_[0]
    np.testing.assert_allclose(scaler.mean_, X[~rows].mean(axis=0))
    scores = init_score[rows] + booster.predict(
        scaler.transform(X[rows]), num_iteration=fitted.best_iteration_
    )
    expected = MEASURE(Y[rows], scores, qid=QID[rows], sample_weight=weight[rows])
    seen = fitted.evals_result_["valid_0"][str(MEASURE)]
    assert seen[fitted.best_iteration_ - 1] == pytest.approx(expected, rel=1e-12)


def test_boosting_that_cannot_stop_is_left_to_warn():
    dart = lgbm(boosting_type="dart")
    with pytest.warns(UserWarning, match="Early stopping is not available in dart mode"):
        fitted = stopping_ranker(estimator=dart).fit(X, Y, qid=QID)
    assert not hasattr(fitted, "best_iteration_")
    assert len(fitted.evals_result_["valid_0"][str(MEASURE)]) == 10


def test_callbacks_of_the_user_are_called():
    seen = {}
    stopping_ranker().fit(X, Y, qid=QID, callbacks=[lightgbm.record_evaluation(seen)])
    assert list(seen["valid_0"]) == [str(MEASURE)]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"validation_fraction": 0.0},
            "validation_fraction must lie strictly between 0 and 1.* 0.0",
        ),
        (
            {"validation_fraction": 1.0},
            "validation_fraction must lie strictly between 0 and 1.* 1.0",
        ),
        ({"validation_fraction": "0.2"}, "validation_fraction must lie strictly between .* '0.2'"),
        ({"validation_fraction": None}, "early_stopping_rounds needs validation_fraction.*=8 and"),
        (
            {"early_stopping_rounds": 0},
            "early_stopping_rounds must be an integer >= 1, or None for no early stopping, got 0",
        ),
        (
            {"early_stopping_rounds": 2.5},
            "early_stopping_rounds must be an integer >= 1, .* got 2.5",
        ),
        (
            {"estimator": Ridge()},
            "supported for LGBMRanker, .* so far, got Ridge; leave it None",
        ),
        ({"estimator": make_pipeline(StandardScaler(), Ridge())}, "so far, got Ridge"),
        (
            {"estimator": lgbm(early_stopping_round=5)},
            "early_stopping_round must be left unset .* 5",
        ),
    ],
)
def test_early_stopping_that_cannot_be_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        stopping_ranker(**params).fit(X, Y, qid=QID)


def test_one_query_cannot_be_split_into_training_and_validation():
    with pytest.raises(
        ValueError, match="validation_fraction needs at least 2 training queries, got 1"
    ):
        stopping_ranker().fit(X, Y, qid=np.zeros(len(Y)))
    two = QID < 2
    fitted = stopping_ranker(validation_fraction=0.01).fit(X[two], Y[two], qid=QID[two])
    assert len(fitted.validation_queries_) == 1
    fitted = stopping_ranker(validation_fraction=0.99).fit(X[two], Y[two], qid=QID[two])
    assert len(fitted.validation_queries_) == 1


# Measures


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
def test_an_open_measure_takes_the_training_labels_top_grade_once():
    fitted = QueryRanker(lgbm(), measure="xGAP@10").fit(X, Y, qid=QID)
    assert fitted.measure == "xGAP@10"
    assert fitted.measure_ == xGAP(max_grade=4, k=10)
    low = Y.clip(max=2)
    assert fitted.score(X, low, qid=QID) == fitted.measure_(low, fitted.predict(X), qid=QID)
    assert fitted.score(X, low, qid=QID) != xGAP(k=10)(low, fitted.predict(X), qid=QID)
    closed = QueryRanker(lgbm(), measure=nDCG(k=10)).fit(X, Y, qid=QID)
    assert closed.measure_ == nDCG(k=10)


def test_score_is_the_measure():
    fitted = ranker().fit(X, Y, qid=QID)
    weight = np.linspace(0.5, 2, len(Y))
    expected = MEASURE(Y, fitted.predict(X), qid=QID, sample_weight=weight)
    assert fitted.score(X, query_target(Y, QID), sample_weight=weight) == expected
    shuffled = fitted.score(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], weight[SHUFFLED])
    assert shuffled == pytest.approx(expected, rel=1e-12)


def test_unjudged_documents_can_be_scored():
    fitted = ranker().fit(X, Y, qid=QID)
    y = np.where(np.arange(len(Y)) % 5, Y, np.nan)
    assert fitted.score(X, query_target(y, QID)) == MEASURE(y, fitted.predict(X), qid=QID)


# Bad input


@pytest.mark.parametrize(
    ("y", "qid", "message"),
    [
        (Y, SIZES, r"look like group sizes.*np\.repeat\(np\.arange\(len\(sizes\)\), sizes\)"),
        (Y, QID[:-1], "qid must have one entry per row"),
        (
            Y[:-1],
            QID[:-1],
            f"X and y must have the same number of rows, got {len(Y)} and {len(Y) - 1}",
        ),
        (Y - 1, QID, "y_true must hold grades >= 0, got -1"),
        (np.where(Y == 4, np.nan, Y), QID, "y must be judged in every row to train on, got NaN in"),
        (None, QID, "y must hold the grades of the documents, got None"),
        (np.array(["high"] * len(Y)), QID, "y must be numeric"),
    ],
    ids=["group sizes", "short qid", "short y", "negative", "unjudged", "no y", "words"],
)
def test_bad_training_data_is_refused(y, qid, message):
    with pytest.raises(ValueError, match=message):
        ranker().fit(X, y, qid=qid)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"group": SIZES}, "group is worked out from the query ids"),
        ({"group_id": QID}, "group_id is worked out from the query ids"),
    ],
)
def test_groups_beside_ids_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        ranker().fit(X, Y, qid=QID, **params)


def test_a_second_evaluation_set_beside_validation_fraction_is_refused():
    with pytest.raises(ValueError, match="eval_set is taken by validation_fraction"):
        stopping_ranker().fit(X, Y, qid=QID, eval_set=[(X, Y)])


def test_an_unknown_measure_is_refused():
    with pytest.raises(ValueError, match=r"Unknown measure 'xGPA'.*Did you mean 'xGAP'"):
        QueryRanker(lgbm(), measure="xGPA").fit(X, Y, qid=QID)


def test_fractional_grades_set_the_scale_to_the_next_whole_one():
    with pytest.warns(GradeScaleWarning, match="the largest label rounded up"):
        found = QueryRanker(Ridge(), measure="xGAP").fit(X, Y / 2 + 0.25, qid=QID)
    assert found.measure_ == xGAP(max_grade=math.ceil(Y.max() / 2 + 0.25))


def test_predicting_before_fitting_and_from_other_features_is_refused():
    with pytest.raises(NotFittedError):
        ranker().predict(X)
    with pytest.raises(NotFittedError):
        ranker().score(X, Y, qid=QID)
    with pytest.raises(ValueError, match=r"X has 3 features, but QueryRanker is expecting"):
        ranker().fit(X, Y, qid=QID).predict(X[:, :3])


# An estimator among estimators


def test_parameters_reach_the_estimator_and_clones_keep_them():
    original = stopping_ranker()
    copy = clone(original.set_params(estimator__num_leaves=5, measure="nDCG@5"))
    params = copy.get_params()
    assert params["estimator__num_leaves"] == 5
    assert params["measure"] == "nDCG@5"
    assert params["early_stopping_rounds"] == 8
    fitted = copy.fit(X, Y, qid=QID)
    assert not hasattr(original.estimator, "fitted_")
    assert fitted.estimator.get_params().get("metric") is None


def test_pickling_keeps_a_fitted_ranker():
    fitted = stopping_ranker().fit(X, Y, qid=QID)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
    assert copy.evals_result_ == fitted.evals_result_
    assert copy.measure_ == MEASURE


def test_feature_importances_are_the_estimators():
    fitted = ranker().fit(X, Y, qid=QID)
    np.testing.assert_array_equal(
        fitted.feature_importances_, fitted.estimator_.feature_importances_
    )
    assert not hasattr(ranker(), "feature_importances_")
    assert not hasattr(ranker(Ridge()).fit(X, Y, qid=QID), "feature_importances_")
    selected = SelectFromModel(ranker(), max_features=3, threshold=-np.inf)
    assert selected.fit(X, query_target(Y, QID)).get_support().sum() == 3


def test_tags_are_those_of_the_estimator():
    get_tags = getattr(sklearn.utils, "get_tags", None)
    if get_tags is None:
        pytest.skip("scikit-learn has had get_tags since version 1.6")
    assert get_tags(ranker()).target_tags.required
    assert get_tags(ranker()).input_tags.allow_nan
    assert not get_tags(ranker(Ridge())).input_tags.allow_nan


# Inside scikit-learn's tools


def rankers_of_every_kind():
    yield "lightgbm", lgbm, {"estimator__num_leaves": [3, 7]}
    yield (
        "pipeline",
        lambda: make_pipeline(StandardScaler(), lgbm()),
        {"estimator__lgbmranker__num_leaves": [3, 7]},
    )
    yield "ridge", Ridge, {"estimator__alpha": [1, 100]}
    yield (
        "scaled ridge",
        lambda: make_pipeline(StandardScaler(), Ridge()),
        {"estimator__ridge__alpha": [1, 100]},
    )
    yield (
        "hist",
        lambda: HistGradientBoostingRegressor(max_iter=3),
        {"estimator__max_leaf_nodes": [3, 7]},
    )
    yield (
        "xgboost",
        lambda: pytest.importorskip("xgboost").XGBRanker(n_estimators=5, n_jobs=1),
        {"estimator__max_depth": [2, 3]},
    )
    yield (
        "catboost",
        lambda: pytest.importorskip("catboost").CatBoostRanker(
            iterations=5, verbose=0, thread_count=1, allow_writing_files=False, random_seed=0
        ),
        {"estimator__depth": [2, 3]},
    )


@pytest.mark.parametrize(
    ("make", "grid"), [pytest.param(*each[1:], id=each[0]) for each in rankers_of_every_kind()]
)
@threadpool_limits.wrap(1)  # threads that wait for each other make tiny fits slow
def test_grid_search_is_the_same_with_routing_on_and_off(make, grid):
    search = GridSearchCV(ranker(make()), grid, cv=QueryKFold(3))
    off = clone(search).fit(X[SHUFFLED], query_target(Y[SHUFFLED], QID[SHUFFLED]))
    with sklearn.config_context(enable_metadata_routing=True):
        on = clone(search).fit(X[SHUFFLED], Y[SHUFFLED], qid=QID[SHUFFLED])
        score_on = on.score(X, Y, qid=QID)
    assert on.best_score_ == off.best_score_
    assert score_on == off.score(X, query_target(Y, QID))
    features, grades, qid = X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED]
    by_hand = []
    for train, test in QueryKFold(3).split(features, groups=qid):
        fitted = clone(off.best_estimator_).fit(features[train], grades[train], qid=qid[train])
        by_hand.append(MEASURE(grades[test], fitted.predict(features[test]), qid=qid[test]))
    assert off.best_score_ == np.mean(by_hand)
    assert isinstance(score_on, float)


def test_sample_weight_reaches_fit_and_score():
    weight = np.where(QID < 20, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            ranker(Ridge()), X, Y, cv=QueryKFold(3), params={"qid": QID, "sample_weight": weight}
        )
    by_hand = []
    for train, test in QueryKFold(3).split(X, groups=QID):
        ridge = Ridge().fit(X[train], Y[train], sample_weight=weight[train])
        by_hand.append(
            MEASURE(Y[test], ridge.predict(X[test]), qid=QID[test], sample_weight=weight[test])
        )
    np.testing.assert_allclose(routed["test_score"], by_hand, rtol=1e-12)


@pytest.mark.slow
def test_the_whole_slice_on_real_data(data_dir):
    features, grades, qid = load_letor(data_dir / "lightgbm-lambdarank" / "rank.train")
    g = (0.1, 0.2, 0.3, 0.4)
    model = QueryRanker(
        LGBMRanker(n_estimators=100, n_jobs=1, verbose=-1),
        measure=xGAP(g=g, k=10),
        validation_fraction=0.2,
        early_stopping_rounds=10,
        random_state=0,
    )
    found = []
    for routing, n_jobs in ((False, 1), (True, 2)):
        search = GridSearchCV(
            model, {"estimator__num_leaves": [7, 31]}, cv=QueryKFold(3), n_jobs=n_jobs
        )
        with sklearn.config_context(enable_metadata_routing=routing):
            if routing:
                search.fit(features, grades, qid=qid)
            else:
                search.fit(features, query_target(grades, qid))
        value = xGAP(g=g)(grades, search.predict(features), qid=qid)
        best = search.best_estimator_
        found.append((search.best_score_, search.best_params_, best.best_iteration_, value))
    assert found[0] == found[1]

    seen = best.evals_result_["valid_0"][str(best.measure_)]
    recomputed = recomputed_on_validation(best, features, grades, qid)
    assert recomputed == seen
    assert best.best_iteration_ == 1 + np.argmax(recomputed)


def test_a_measure_of_ones_own_among_the_metrics_is_recorded_once():
    ranker = QueryRanker(
        LGBMRanker(n_estimators=4, n_jobs=1, verbose=-1), measure="AP", validation_fraction=0.3
    )
    ranker.fit(X, Y, qid=QID, eval_metric=[eval_metric("nDCG@3", "AP"), eval_metric("nDCG@3")])
    assert {name: len(values) for name, values in ranker.evals_result_["valid_0"].items()} == {
        "AP": 4,
        "nDCG@3": 4,
    }


class TestInsideRegressors:
    """Ensembles and inspection of scikit-learn, which take regressors alone."""

    @staticmethod
    def rankers():
        return [("a", ranker(lgbm(n_estimators=5))), ("b", ranker(Ridge()))]

    def test_votes_are_the_mean_of_the_rankers(self):
        voting = VotingRegressor(self.rankers()).fit(X, query_target(Y, QID))
        alone = [each.fit(X, Y, qid=QID).predict(X) for _, each in self.rankers()]
        np.testing.assert_allclose(voting.predict(X), np.mean(alone, axis=0), rtol=1e-12)

    def test_stacks_of_whole_queries_can_be_searched(self):
        stack = StackingRegressor(self.rankers(), final_estimator=ranker(Ridge()), cv=QueryKFold(3))
        grid = {"a__estimator__num_leaves": [3, 7]}
        search = GridSearchCV(stack, grid, scoring=nDCG(k=10), cv=QueryKFold(3))
        search.fit(X, query_target(Y, QID))
        assert 0.0 < search.best_score_ < 1.0

    def test_partial_dependence_averages_predictions(self):
        fitted = self.rankers()[0][1].fit(X, Y, qid=QID)
        found = partial_dependence(fitted, X, [0], grid_resolution=5)
        for value, average in zip(found["grid_values"][0], found["average"][0], strict=True):
            changed = X.copy()
            changed[:, 0] = value
            assert average == pytest.approx(fitted.predict(changed).mean())

    def test_supervised_steps_take_a_series_as_y(self):
        series = query_series(Y, QID)
        before = make_pipeline(SelectKBest(f_regression, k=3), self.rankers()[0][1])
        inside = ranker(make_pipeline(SelectKBest(f_regression, k=3), lgbm(n_estimators=5)))
        expected = inside.fit(X, series).predict(X)
        np.testing.assert_array_equal(before.fit(X, series).predict(X), expected)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_regressors_are_stopped_by_the_measure(library, weighted):
    if library == "lightgbm":
        regressor = LGBMRegressor(n_estimators=30, n_jobs=1, verbose=-1)
    else:
        regressor = pytest.importorskip("xgboost").XGBRegressor(n_estimators=30, n_jobs=1)
    weight = np.where(QID % 2, 3.0, 1.0) if weighted else None
    fitted = stopping_ranker(estimator=regressor, early_stopping_rounds=5)
    fitted.fit(X, query_target(Y, QID), sample_weight=weight)
    held_out = fitted.validation_queries_.contains(QID)
    alone = clone(regressor).fit(
        X[~held_out], Y[~held_out], sample_weight=None if weight is None else weight[~held_out]
    )
    values = []
    for n_trees in range(1, 31):
        if library == "lightgbm":
            scores = alone.predict(X[held_out], num_iteration=n_trees)
        else:
            scores = alone.predict(X[held_out], iteration_range=(0, n_trees))
        rows = {"qid": QID[held_out], "sample_weight": None if weight is None else weight[held_out]}
        values.append(MEASURE(Y[held_out], scores, **rows))
    (history,) = (each for each in fitted.evals_result_.values())
    np.testing.assert_allclose(history[str(MEASURE)], values[: len(history[str(MEASURE)])])
    assert fitted.best_iteration_ == 1 + np.argmax(history[str(MEASURE)])
    assert len(history[str(MEASURE)]) == min(30, fitted.best_iteration_ + 5)


@pytest.mark.filterwarnings("ignore:`XGBRFRegressor` is deprecated:FutureWarning")
def test_a_random_forest_of_xgboost_cannot_be_stopped():
    forest = pytest.importorskip("xgboost").XGBRFRegressor(n_estimators=5)
    with pytest.raises(ValueError, match="validation_fraction is supported for LGBMRanker, "):
        ranker(forest, validation_fraction=0.3).fit(X, query_target(Y, QID))


def test_the_booster_and_the_best_score_stand_where_users_look():
    X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    ranker = QueryRanker(
        LGBMRanker(n_estimators=40, n_jobs=1, verbose=-1),
        measure="nDCG@10",
        validation_fraction=0.3,
        early_stopping_rounds=5,
        random_state=0,
    ).fit(X, y, qid=qid)
    held_out = ranker.validation_queries_.contains(qid)
    scores = ranker.booster_.predict(X[held_out])
    measured = ranker.measure_(y[held_out], scores, qid=qid[held_out])
    assert ranker.best_score_ == pytest.approx(measured, abs=1e-12)
    assert ranker.best_score_ == max(ranker.evals_result_["valid_0"]["nDCG@10"])
    assert not hasattr(QueryRanker(Ridge(), measure="AP").fit(X, y, qid=qid), "booster_")
    assert not hasattr(QueryRanker(Ridge(), measure="AP").fit(X, y, qid=qid), "best_score_")


def test_the_booster_of_xgboost():
    xgboost = pytest.importorskip("xgboost")
    X, y, qid = make_ranking(n_queries=20, docs_per_query=20, random_state=0)
    ranker = QueryRanker(xgboost.XGBRanker(n_estimators=3, n_jobs=1), measure="nDCG@10")
    booster = ranker.fit(X, y, qid=qid).booster_
    assert np.array_equal(booster.inplace_predict(X), ranker.predict(X))


def test_a_step_that_draws_rows_is_refused():
    class Sampler(StandardScaler):  # such as imbalanced-learn has
        def fit_resample(self, X, y):
            return X[::2], y[::2]

    model = QueryRanker(make_pipeline(Sampler(), Ridge()), measure="nDCG@10")
    with pytest.raises(ValueError, match="must leave rows as they are, got the step 'sampler'"):
        model.fit(np.eye(4), [0, 1, 1, 0], qid=[0, 0, 1, 1])
