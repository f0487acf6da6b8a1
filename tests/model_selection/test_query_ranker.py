"""QueryRanker: every library's ranker as a scikit-learn estimator, fitted on whole queries."""

import math
import pickle

import numpy as np
import pytest
import sklearn
from boosters import BOOSTERS, CONTINUES, QUIET, STARTS, cat, lgbm, xgb
from lightgbm import LGBMClassifier
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, QueryRanker, nDCG, query_series, query_target, xGAP
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning, MissingInitialScoresWarning
from skgraded.lightgbm import objective
from skgraded.rankings import as_ids, read_columns, split_target

# Values of a score are compared, on whatever rows.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")

MEASURE = xGAP(max_grade=4, k=10)
X, Y, QID = make_ranking(n_queries=40, docs_per_query=(3, 20), random_state=0)
N, SIZES = len(Y), np.bincount(QID)
SHUFFLED = np.random.default_rng(0).permutation(N)
# First appearance of each query in the shuffled rows, then the rows' order there.
LAID_OUT = np.concatenate(
    [SHUFFLED[QID[SHUFFLED] == each] for each in dict.fromkeys(QID[SHUFFLED].tolist())]
)
SIZES_LAID_OUT = [SIZES[each] for each in dict.fromkeys(QID[SHUFFLED].tolist())]
WEIGHT = np.linspace(0.5, 2, N)
START = np.random.default_rng(2).normal(size=N)


def ranker(estimator=None, **params):
    return QueryRanker(estimator or lgbm(), **{"measure": MEASURE, **params})


def shuffled(model, *columns, **params):
    """Fit on rows in another order."""
    rows = (each[SHUFFLED] for each in (X, Y, QID, *columns))
    return model.fit(*rows, **{name: each[SHUFFLED] for name, each in params.items()})


# --- how query ids travel -------------------------------------------------------------------------


def test_a_column_of_ids_of_polars_is_no_feature():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({f"x{i}": column for i, column in enumerate(X.T)})
    with_ids = frame.with_columns(pl.Series("qid", [f"q{each}" for each in QID]))
    fitted = ranker(Ridge()).fit(with_ids, pl.Series(Y))
    assert fitted.feature_names_in_.tolist() == frame.columns
    # polars stores columns one after the other, which changes the last bits of sums.
    np.testing.assert_allclose(
        fitted.predict(frame), Ridge().fit(X, Y).predict(X), rtol=1e-9
    )
    expected = MEASURE(Y, fitted.predict(frame), qid=QID)
    assert fitted.score(with_ids, Y) == pytest.approx(expected, rel=1e-12)


def test_ids_are_taken_in_order_of_precedence():
    pd = pytest.importorskip("pandas")

    def frame(**columns):
        return pd.DataFrame(
            {"x": [0, 0], **columns}, index=pd.Index(["X", "X"], name="qid")
        )

    index = pd.MultiIndex.from_tuples([("y", 0)] * 2, names=["qid", "doc"])
    labelled = pd.Series([1, 0], index=index)
    target = query_target([1, 0], ["target", "target"])
    with_column = frame(qid=["column", "column"])
    assert (
        as_ids(read_columns(target, ["keyword"] * 2, X=with_column).ids)[0] == "keyword"
    )
    assert as_ids(read_columns(target, X=with_column).ids)[0] == "target"
    assert as_ids(read_columns(labelled, X=with_column).ids)[0] == "column"
    assert as_ids(read_columns(labelled, X=frame()).ids)[0] == "y"
    assert as_ids(read_columns([1, 0], X=frame()).ids)[0] == "X"


@pytest.mark.parametrize("missing_in", ["fit", "score"])
def test_missing_ids_name_every_way_of_giving_them(missing_in):
    fitted = ranker().fit(X, Y, qid=QID)
    with pytest.raises(ValueError, match="Query ids are missing") as caught:
        getattr(fitted, missing_in)(X, Y)
    ways = (
        "qid=...",
        "enable_metadata_routing",
        "query_target(y, qid)",
        "column 'qid'",
        "index le",
    )
    for way in ways:
        assert way in str(caught.value)


def test_a_target_comes_apart_as_it_was_put_together():
    grades, (_, ids, sizes) = split_target(
        query_target([2, np.nan, 0], ["b", "a", "b"])
    )
    np.testing.assert_array_equal(grades, [2, np.nan, 0])
    assert list(ids) == ["b", "a", "b"]
    assert list(sizes) == [2, 1, 2]
    masked = query_target(np.ma.masked_array([2, 1], mask=[False, True]), ["a", "a"])
    np.testing.assert_array_equal(masked["grade"], [2, np.nan])  # which is unjudged
    assert query_target([1, 0], [1, "1"])["n_rows"].tolist() == [1, 1]
    dates = np.datetime64("2024-01-01") + QID
    assert query_target(Y, dates)["qid"].dtype == dates.dtype
    by_number, by_date = (ranker().fit(X, query_target(Y, ids)) for ids in (QID, dates))
    np.testing.assert_array_equal(by_number.predict(X), by_date.predict(X))


# --- each library in its own words ----------------------------------------------------------------


def test_lightgbm_gets_the_rows_of_a_query_together_and_sizes():
    rows = X[LAID_OUT], Y[LAID_OUT]
    by_hand = lgbm().fit(*rows, group=SIZES_LAID_OUT, sample_weight=WEIGHT[LAID_OUT])
    fitted = shuffled(ranker(), WEIGHT)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))
    by_hand = lgbm().fit(*rows, group=SIZES_LAID_OUT, init_score=START[LAID_OUT])
    fitted = shuffled(ranker(), init_score=START)
    np.testing.assert_array_equal(fitted.estimator_.predict(X), by_hand.predict(X))
    # Rows that stand query by query are left where they are.
    by_hand = lgbm().fit(X, Y, group=SIZES, init_score=START, categorical_feature=[0])
    fitted = ranker().fit(X, Y, QID, init_score=START.tolist(), categorical_feature=[0])
    np.testing.assert_array_equal(fitted.estimator_.predict(X), by_hand.predict(X))


def test_xgboost_gets_sorted_ids_and_a_weight_per_query():
    ids = np.array([f"q{each}" for each in QID])
    by_hand = xgb().fit(X, Y, qid=QID, sample_weight=np.bincount(QID, WEIGHT) / SIZES)
    fitted = ranker(xgb()).fit(X, Y, qid=ids, sample_weight=WEIGHT)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))
    assert np.array_equal(fitted.booster_.inplace_predict(X), fitted.predict(X))
    shuffled(ranker(xgb()))


def test_catboost_gets_group_ids_and_group_weights():
    group_weight = (np.bincount(QID, WEIGHT) / SIZES)[QID]
    model, by_hand = cat(), cat().fit(X, Y, group_id=QID, group_weight=group_weight)
    fitted = ranker(model).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(X))
    assert not model.is_fitted()
    shuffled(ranker(cat()))


@pytest.mark.parametrize("kind", ["plain", "cached", "nested"])
def test_a_pipeline_hands_the_groups_to_its_last_step(kind, tmp_path):
    scaled = StandardScaler().fit_transform(X)
    by_hand = lgbm().fit(scaled, Y, group=SIZES)
    pipeline = {
        "plain": lambda: make_pipeline(StandardScaler(), lgbm()),
        "cached": lambda: make_pipeline(
            StandardScaler(), "passthrough", lgbm(), memory=str(tmp_path)
        ),
        "nested": lambda: make_pipeline(StandardScaler(), make_pipeline(lgbm())),
    }[kind]()
    fitted = ranker(pipeline).fit(X, Y, qid=QID)
    np.testing.assert_array_equal(fitted.predict(X), by_hand.predict(scaled))
    np.testing.assert_array_equal(
        fitted.feature_importances_, by_hand.feature_importances_
    )


def test_sparse_features():
    expected = ranker().fit(csr_matrix(X), Y, qid=QID).predict(X)
    np.testing.assert_array_equal(
        ranker().fit(coo_matrix(X), Y, qid=QID).predict(X), expected
    )
    in_order = ranker().fit(coo_matrix(X[LAID_OUT]), Y[LAID_OUT], qid=QID[LAID_OUT])
    assert in_order.predict(csr_matrix(X)).shape == Y.shape


# --- parameters of fit ----------------------------------------------------------------------------


@pytest.fixture
def spied():
    """A CatBoostRanker that keeps what its fit is given."""
    catboost = pytest.importorskip("catboost")

    class Spied(catboost.CatBoostRanker):
        seen = {}  # noqa: RUF012

        def fit(self, X, y, **params):
            self.seen.clear()
            self.seen.update(params, X=X, y=y)
            return super().fit(X, y, **params)

    return Spied(loss_function="PairLogit", iterations=5, **QUIET)


def test_names_and_numbers_of_features_stay_where_they_are(spied):
    """Where there are as many of them as rows."""
    few, names = SHUFFLED[:10], [f"feature {i}" for i in range(10)]
    wide = np.hstack([X[few]] * (10 // X.shape[1] + 1))[:, :10]
    fitted = ranker(lgbm(min_child_samples=1)).fit(
        wide, Y[few], qid=few % 3, feature_name=names, categorical_feature=names[:0]
    )
    assert fitted.estimator_.feature_name_ == [each.replace(" ", "_") for each in names]
    mixed = np.round(X[few[:3], :4]).astype(int).astype(object)
    ranker(spied).fit(mixed, [0, 1, 2], qid=[2, 1, 2], cat_features=[2, 0, 1])
    assert spied.seen["cat_features"] == [2, 0, 1]


def test_groups_of_rows_go_along(spied):
    sub = np.array([f"site {each}" for each in QID * 3 + np.arange(N) % 2])
    given = {"subgroup_id": sub, "baseline": START, "group_weight": QID + 1.0}
    shuffled(ranker(spied, validation_fraction=0.3, random_state=0), **given)
    place = {each: row for row, each in enumerate(X[:, 0])}
    rows = [place[each] for each in spied.seen["X"][:, 0]]
    for name, values in given.items():
        assert list(spied.seen[name]) == values[rows].tolist()
    held_out = [row for row in range(N) if row not in set(rows)]
    found = np.ravel(spied.seen["eval_set"].get_baseline())
    assert sorted(found) == pytest.approx(sorted(START[held_out]))


def test_initial_scores_of_classes_go_along_in_two_dimensions():
    model = LGBMClassifier(
        n_estimators=5, num_leaves=4, n_jobs=1, verbose=-1, random_state=0
    )
    start = np.random.default_rng(0).normal(size=(N, 5))
    fitted = shuffled(ranker(model), init_score=start)
    by_hand = clone(model).fit(X[LAID_OUT], Y[LAID_OUT], init_score=start[LAID_OUT])
    assert np.array_equal(fitted.estimator_.predict_proba(X), by_hand.predict_proba(X))


def as_sparse(values):
    return csr_matrix(values[:, None])


def test_any_other_estimator_gets_arrays_with_an_entry_per_row_along():
    class Recorder(BaseEstimator):
        def fit(self, X, y, costs=None):
            self.rows_, self.costs_ = X, costs
            return self

        def predict(self, X):
            return X[:, 0]

    pd, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for form in (np.asarray, list, pd.Series, arrow.array, as_sparse):
        fitted = ranker(Recorder()).fit(
            X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], costs=form(X[SHUFFLED, 0])
        )
        costs = fitted.estimator_.costs_
        costs = costs.toarray().ravel() if form is as_sparse else np.asarray(costs)
        assert costs.tolist() == fitted.estimator_.rows_[:, 0].tolist()


@pytest.mark.parametrize("library", BOOSTERS)
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_predicting_without_initial_scores_warns_where_there_were_some(
    library, in_pipeline
):
    make, name = BOOSTERS[library], STARTS[library]
    model = make_pipeline(StandardScaler(), make()) if in_pipeline else make()
    fitted = ranker(model).fit(X, Y, QID, **{name: START})
    assert fitted.starts_from_ == name
    for use in (fitted.predict, lambda X: fitted.score(X, Y, QID)):
        with pytest.warns(
            MissingInitialScoresWarning, match=rf"predict\(X, {name}=\.\.\.\)"
        ):
            use(X)
    fitted.predict(X, **{name: START})
    with pytest.raises(
        ValueError, match=rf"^{name} must have an entry per row, got 2 for {N}"
    ):
        fitted.predict(X, **{name: [1.0, 2.0]})
    with pytest.raises(TypeError, match=rf"takes initial scores as {name}, got start"):
        fitted.predict(X, start=START)
    assert not hasattr(fitted.fit(X, Y, QID), "starts_from_")
    fitted.predict(X)


def test_an_estimator_without_initial_scores_takes_none():
    fitted = ranker(Ridge()).fit(X, Y, QID)
    with pytest.raises(
        TypeError, match=r"^predict of Ridge takes no initial scores, got init_sc"
    ):
        fitted.predict(X, init_score=START)


N_TREES = {
    "lightgbm": lambda model: model.booster_.num_trees(),
    "xgboost": lambda model: model.get_booster().num_boosted_rounds(),
    "catboost": lambda model: model.tree_count_,
}


@pytest.mark.parametrize("library", BOOSTERS)
def test_training_continues_from_a_model_a_ranker_or_a_file(library, tmp_path):
    make, name, n_trees = BOOSTERS[library], CONTINUES[library], N_TREES[library]
    fitted = ranker(make()).fit(X, Y, QID)
    within = ranker(make_pipeline("passthrough", make())).fit(X, Y, QID)
    path = tmp_path / "model.json"
    saved = fitted.booster_ if library == "lightgbm" else fitted.estimator_
    saved.save_model(str(path))
    for model in (fitted.estimator_, fitted, within, path):
        again = ranker(make()).fit(X, Y, QID, **{name: model})
        assert n_trees(again.estimator_) == 2 * n_trees(fitted.estimator_)


# --- measures, and an objective that trains for the ranker's --------------------------------------


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
def test_an_open_measure_takes_the_training_labels_top_grade_once():
    fitted = ranker(measure="xGAP@10").fit(X, Y, qid=QID)
    assert fitted.measure == "xGAP@10"
    assert fitted.measure_ == xGAP(max_grade=4, k=10)
    low = Y.clip(max=2)
    assert fitted.score(X, low, qid=QID) == fitted.measure_(
        low, fitted.predict(X), qid=QID
    )
    assert fitted.score(X, low, qid=QID) != xGAP(k=10)(low, fitted.predict(X), qid=QID)
    assert ranker(measure=nDCG(k=10)).fit(X, Y, qid=QID).measure_ == nDCG(k=10)


def test_fractional_grades_set_the_scale_to_the_next_whole_one():
    with pytest.warns(GradeScaleWarning, match="the largest label rounded up"):
        found = ranker(Ridge(), measure="xGAP").fit(X, Y / 2 + 0.25, qid=QID)
    assert found.measure_ == xGAP(max_grade=math.ceil(Y.max() / 2 + 0.25))


def test_score_is_the_measure():
    fitted = ranker().fit(X, Y, qid=QID)
    expected = MEASURE(Y, fitted.predict(X), qid=QID, sample_weight=WEIGHT)
    assert fitted.score(X, query_target(Y, QID), sample_weight=WEIGHT) == expected
    rows = (each[SHUFFLED] for each in (X, Y, QID, WEIGHT))
    assert fitted.score(*rows) == pytest.approx(expected, rel=1e-12)
    unjudged = np.where(np.arange(N) % 5, Y, np.nan)
    value = MEASURE(unjudged, fitted.predict(X), qid=QID)
    assert fitted.score(X, query_target(unjudged, QID)) == value


@pytest.mark.parametrize("chosen", ["xGAP@10", "nDCG(gain=exp2)@5", "AP(rel=2)"])
def test_an_objective_without_a_measure_trains_for_that_of_the_ranker(chosen):
    def scores(given):
        piped = make_pipeline("passthrough", lgbm(objective=given))
        return ranker(piped, measure=chosen).fit(X, Y, QID).predict(X)

    named = chosen.replace("xGAP@10", "xGAP(max_grade=4)@10")
    for options in ({}, {"truncation_level": 3, "norm": False}):
        found = scores(objective(**options))
        np.testing.assert_array_equal(found, scores(objective(named, **options)))
        assert not np.array_equal(found, scores(objective("RBP", **options)))


def test_the_objective_stays_open_in_the_ranker_that_was_given():
    model = lgbm(objective=objective(norm=False))
    fitted = ranker(model, measure="AP").fit(X, Y, qid=QID)
    kept = repr(clone(fitted).estimator.objective)
    assert repr(model.objective) == kept == "objective(norm=False)"
    assert "AP" in repr(fitted.estimator_.objective)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    high = ranker(lgbm(objective=objective()), measure="xGAP").fit(
        X, np.minimum(Y, 2), QID, eval_X=X, eval_y=Y, eval_qid=QID + 1000
    )
    assert "max_grade=4" in repr(high.estimator_.objective)


# --- an estimator among estimators ----------------------------------------------------------------


def test_clones_have_an_estimator_of_their_own():
    original = ranker(cat(cat_features=[0]), random_state=3)
    copy = clone(original.set_params(estimator__depth=5, measure="nDCG@5"))
    assert copy.estimator is not original.estimator
    assert copy.estimator.get_params() == original.estimator.get_params()
    assert (copy.measure, copy.random_state) == ("nDCG@5", 3)
    assert clone(QueryRanker(None, measure="AP")).estimator is None


def test_only_estimators_with_importances_and_boosters_have_some():
    assert not hasattr(ranker(), "feature_importances_")
    fitted = ranker(Ridge()).fit(X, Y, qid=QID)
    for attribute in ("feature_importances_", "booster_", "best_score_"):
        assert not hasattr(fitted, attribute)


def test_tags_are_those_of_the_estimator():
    get_tags = getattr(sklearn.utils, "get_tags", None)
    if get_tags is None:
        pytest.skip("scikit-learn has had get_tags since version 1.6")
    assert get_tags(ranker()).target_tags.required
    assert get_tags(ranker()).input_tags.allow_nan
    assert not get_tags(ranker(Ridge())).input_tags.allow_nan


# --- ensembles of scikit-learn, which take regressors alone ---------------------------------------


def two_rankers():
    return [("a", ranker(lgbm(n_estimators=5))), ("b", ranker(Ridge()))]


def test_votes_are_the_mean_of_the_rankers():
    voting = VotingRegressor(two_rankers()).fit(X, query_target(Y, QID))
    alone = [each.fit(X, Y, qid=QID).predict(X) for _, each in two_rankers()]
    np.testing.assert_allclose(voting.predict(X), np.mean(alone, axis=0), rtol=1e-12)


def test_stacks_of_whole_queries_can_be_searched():
    stack = StackingRegressor(
        two_rankers(), final_estimator=ranker(Ridge()), cv=QueryKFold(3)
    )
    grid = {"a__estimator__num_leaves": [3, 7]}
    search = GridSearchCV(stack, grid, scoring=nDCG(k=10), cv=QueryKFold(3))
    search.fit(X, query_target(Y, QID))
    assert 0.0 < search.best_score_ < 1.0


def test_supervised_steps_take_a_series_as_y():
    series, first = query_series(Y, QID), SelectKBest(f_regression, k=3)
    found = make_pipeline(first, ranker()).fit(X, series).predict(X)
    inside = ranker(make_pipeline(first, lgbm())).fit(X, series)
    np.testing.assert_array_equal(inside.predict(X), found)
