"""A second training on all queries equals one written by hand with the iterations found."""

import json

import numpy as np
import pytest
from boosters import BOOSTERS, CONTINUES, STARTS, cat, lgbm, xgb
from lightgbm import Booster, LGBMRanker, LGBMRegressor
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, QueryRanker, nDCG, query_target
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.measures import Fallout

X, Y, QID = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
RNG = np.random.default_rng(0)
SHUFFLED = RNG.permutation(len(Y))
# Query by query, in the order in which a ranker meets the queries.
_, FIRST = np.unique(QID[SHUFFLED], return_index=True)
RANK = np.argsort(np.argsort(FIRST))
BY_QUERY = SHUFFLED[np.argsort(RANK[QID[SHUFFLED]], kind="stable")]
WEIGHT = RNG.random(60)[QID]
START = RNG.normal(size=len(Y))
STOPS = {"validation_fraction": 0.3, "early_stopping_rounds": 5, "random_state": 0}
KINDS = {
    **BOOSTERS,
    "regressor": lambda **params: lgbm(LGBMRegressor, **params),
    "xgboost regressor": lambda **params: xgb("XGBRegressor", **params),
    "rmse": lambda **params: cat(loss_function="RMSE", **params),
}


def refitted(estimator, *, measure="nDCG@10", rows=SHUFFLED, **params):
    """Fit with a second training, on shuffled rows."""
    ranker = QueryRanker(estimator, measure=measure, refit=True, **STOPS)
    columns = {
        name: values[rows] if len(np.atleast_1d(values)) == len(Y) else values
        for name, values in params.items()
    }
    return ranker.fit(X[rows], Y[rows], QID[rows], **columns)


def n_best(ranker):
    """Number of iterations that the history of the first fit is best after."""
    return int(np.argmax(ranker.evals_result_["valid_0"]["nDCG@10"])) + 1


def by_hand(name, n_iterations, weight=None):
    """Fit a library's own estimator on all rows."""
    y = Y[BY_QUERY].astype(float)
    queries = np.repeat(np.arange(60), 20)
    given = {"sample_weight": None if weight is None else weight[BY_QUERY]}
    if name == "lightgbm":
        given["group"] = [20] * 60
    elif name == "xgboost":
        given = {"qid": queries, "verbose": False}
        if weight is not None:
            given["sample_weight"] = weight[BY_QUERY][::20]
    elif name in ("catboost", "rmse"):
        given = {"group_id": queries}
        if weight is not None:
            given["group_weight"] = weight[BY_QUERY]
    estimator = KINDS[name](n_estimators=n_iterations)
    if name == "rmse":  # CatBoost chooses the rate by the number of iterations
        estimator.set_params(learning_rate=by_hand_rate())
    return estimator.fit(X[BY_QUERY], y, **given)


def by_hand_rate():
    """Return the rate that CatBoost chooses where it is stopped."""
    return (
        QueryRanker(
            cat(loss_function="RMSE", n_estimators=60), measure="nDCG@10", **STOPS
        )
        .fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED])
        .estimator_.learning_rate_
    )


@pytest.mark.filterwarnings("ignore:Regression loss:RuntimeWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_the_second_fit_equals_one_by_hand(name, weighted):
    if name == "rmse" and weighted:
        pytest.skip("CatBoost weighs rows or groups there")
    weight = {"sample_weight": WEIGHT} if weighted else {}
    ranker = refitted(KINDS[name](n_estimators=60), **weight)
    assert ranker.n_iterations_ == n_best(ranker) == ranker.best_iteration_ < 60
    expected = by_hand(name, ranker.n_iterations_, *weight.values()).predict(X)
    assert np.array_equal(ranker.predict(X), expected)


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_what_was_watched_is_that_of_the_first_fit(make):
    ranker = refitted(make())
    first = clone(ranker).set_params(refit=False)
    first = first.fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED])
    for name in ("best_iteration_", "best_score_", "evals_result_"):
        assert getattr(ranker, name) == getattr(first, name)
    assert np.array_equal(
        ranker.validation_queries_.hashes, first.validation_queries_.hashes
    )
    assert not hasattr(first, "n_iterations_")
    assert not np.array_equal(ranker.predict(X), first.predict(X))


@pytest.mark.parametrize("library", STARTS)
def test_initial_scores_and_pipelines_are_those_of_all_rows(library):
    start = STARTS[library]
    make = BOOSTERS[library]
    ranker = refitted(make_pipeline(StandardScaler(), make()), **{start: START})
    plain = QueryRanker(
        make_pipeline(StandardScaler(), make(n_estimators=ranker.n_iterations_)),
        measure="nDCG@10",
    )
    rows = SHUFFLED
    plain.fit(X[rows], Y[rows], QID[rows], **{start: START[rows]})
    found = ranker.predict(X, **{start: START})
    assert np.array_equal(found, plain.predict(X, **{start: START}))
    assert ranker.starts_from_ == start
    mean = ranker.estimator_[0].mean_
    assert np.array_equal(mean, StandardScaler().fit(X[BY_QUERY]).mean_)


@pytest.mark.parametrize("library", CONTINUES)
def test_a_model_is_continued_by_the_iterations_found(library):
    make = BOOSTERS[library]
    begun = QueryRanker(make(n_estimators=4), measure="nDCG@10").fit(X, Y, QID)
    continues = {CONTINUES[library]: begun}
    ranker = refitted(make(), **continues)
    assert ranker.n_iterations_ == n_best(ranker)
    plain = QueryRanker(make(n_estimators=ranker.n_iterations_), measure="nDCG@10")
    plain.fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], **continues)
    assert np.array_equal(ranker.predict(X), plain.predict(X))


@pytest.mark.parametrize("make", BOOSTERS.values())
def test_the_smallest_value_is_the_best_where_less_is_better(make):
    ranker = refitted(make(), measure=Fallout(rel=2, k=5))
    ((_, recorded),) = [
        entry
        for entry in ranker.evals_result_["valid_0"].items()
        if entry[0] == str(ranker.measure_)
    ]
    assert ranker.n_iterations_ == np.argmin(recorded) + 1


@pytest.mark.filterwarnings("ignore:Found .n:UserWarning")
@pytest.mark.parametrize("name", ["num_iterations", "n_iter", "num_boost_round"])
def test_other_names_of_the_number_of_iterations_are_set(name):
    ranker = refitted(lgbm(**{name: 40}))
    assert ranker.booster_.num_trees() == ranker.n_iterations_ == n_best(ranker)


@pytest.mark.parametrize("name", ["iterations", "num_trees", "num_boost_round"])
def test_other_names_of_catboost_s_number_of_iterations_are_set(name):
    catboost = pytest.importorskip("catboost")
    params = {"verbose": 0, "thread_count": 1, "allow_writing_files": False}
    ranker = refitted(catboost.CatBoostRanker(**{name: 40}, **params))
    assert ranker.estimator_.tree_count_ == ranker.n_iterations_ == n_best(ranker)


def test_catboost_keeps_its_fewest_trees():
    ranker = refitted(cat(n_estimators=100, best_model_min_trees=30))
    assert ranker.n_iterations_ == ranker.best_iteration_ > n_best(ranker)


def test_mean_ratings_are_trained_on_again():
    ranker = QueryRanker(
        lgbm(objective=objective(), n_estimators=40),
        measure="nDCG@10",
        refit=True,
        **STOPS,
    )
    ranker.fit(X, Y + 0.25 * (Y > 0), QID)
    assert ranker.booster_.num_trees() == ranker.n_iterations_


def test_a_measure_left_open_is_that_of_the_first_fit():
    ranker = QueryRanker(
        lgbm(objective=objective()), measure="xGAP@10", refit=True, **STOPS
    ).fit(X, Y, QID)
    assert ranker.estimator_.objective == objective("xGAP(max_grade=4)@10")


@pytest.mark.parametrize("library", BOOSTERS)
def test_the_exported_model_is_that_of_the_second_fit(library, tmp_path):
    ranker = refitted(BOOSTERS[library](n_estimators=60))
    path = (
        tmp_path
        / {"lightgbm": "m.txt", "xgboost": "m.json", "catboost": "m.cbm"}[library]
    )
    ranker.export(path)
    if library == "lightgbm":
        again = Booster(model_file=path).predict(X)
    elif library == "xgboost":
        model = xgb()
        model.load_model(path)
        again = model.predict(X)
        trees = json.loads(path.read_text())["learner"]["gradient_booster"]["model"]
        assert len(trees["trees"]) == ranker.n_iterations_
    else:
        again = cat().load_model(str(path)).predict(X)
    assert np.array_equal(again, ranker.predict(X))


def test_a_search_scores_and_refits_refitted_rankers():
    ranker = QueryRanker(lgbm(), measure="nDCG@10", refit=True, **STOPS)
    y = query_target(Y, QID)
    grid = {"estimator__num_leaves": [3, 7]}
    search = GridSearchCV(ranker, grid, cv=QueryKFold(3)).fit(X, y)
    train, test = next(iter(QueryKFold(3).split(X, y)))
    first = clone(ranker).set_params(estimator__num_leaves=3).fit(X[train], y[train])
    score = nDCG(k=10)(Y[test], first.predict(X[test]), qid=QID[test])
    assert search.cv_results_["split0_test_score"][0] == score
    best = search.best_estimator_
    assert best.booster_.num_trees() == best.n_iterations_


@pytest.mark.parametrize("estimator", [LGBMRanker(), Ridge()])
def test_what_cannot_be_refitted_is_refused(estimator):
    def fit(given=(), **params):
        QueryRanker(estimator, measure="AP", refit=True, **params).fit(
            X, Y, QID, **dict(given)
        )

    with pytest.raises(ValueError, match="refit needs validation_fraction"):
        fit()
    if isinstance(estimator, Ridge):
        return
    with pytest.raises(ValueError, match=r"refit needs validation_fraction: .* eval_X"):
        fit({"eval_X": X, "eval_y": Y, "eval_qid": QID}, early_stopping_rounds=5)
    with pytest.raises(ValueError, match="refit needs early_stopping_rounds"):
        fit(validation_fraction=0.2)
    with pytest.raises(ValueError, match="refit must be True or False, got 1"):
        QueryRanker(estimator, measure="AP", refit=1).fit(X, Y, QID)
