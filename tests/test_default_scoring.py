"""What scikit-learn's tools score a ranker by: the measure, and never R2 or nan in silence."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    AP,
    QueryKFold,
    QueryRanker,
    make_ranking_scorer,
    nDCG,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking
from skgraded.exceptions import (
    GradeScaleWarning,
)
from skgraded.measures import (
    Fallout,
)

pytest.importorskip("pandas")

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
needs_routing_in_rfecv = pytest.mark.skipif(
    SKLEARN < (1, 6), reason="this version of scikit-learn routes no metadata through RFECV"
)

X, Y, QID = make_ranking(n_queries=24, docs_per_query=10, random_state=0)
X = X[:, :4]
TARGET, SERIES = query_target(Y, QID), query_series(Y, QID)
MEASURE = xGAP(max_grade=4, k=5)
SCORER = make_ranking_scorer(MEASURE)
CV = QueryKFold(3)
ALPHAS = {"alpha": [1e-3, 1e4]}
RANKER = QueryRanker(Ridge(), measure=MEASURE)
TREES = QueryRanker(
    LGBMRanker(n_estimators=5, num_leaves=4, min_child_samples=2, n_jobs=1, verbose=-1),
    measure=MEASURE,
)
IMPORTANCES = "estimator_.feature_importances_"


# Tools without scoring


@needs_routing_in_rfecv
def test_recursive_elimination_by_the_measure_is_silent():
    selectors = [
        RFECV(TREES, cv=CV, importance_getter=IMPORTANCES, scoring=scoring)
        for scoring in (SCORER, MEASURE)
    ]
    with sklearn.config_context(enable_metadata_routing=True):
        found, by_measure = (each.fit(X, Y, qid=QID).cv_results_ for each in selectors)
    assert (found["mean_test_score"] > 0).all()
    np.testing.assert_array_equal(found["mean_test_score"], by_measure["mean_test_score"])


TOOLS = {
    "cross_val_score": lambda scoring: cross_val_score(RANKER, X, TARGET, cv=CV, scoring=scoring),
    "search": lambda scoring: (
        GridSearchCV(RANKER, {"estimator__alpha": [1e-3, 1e4]}, cv=CV, scoring=scoring)
        .fit(X, TARGET)
        .cv_results_["mean_test_score"]
    ),
    "learning curve": lambda scoring: learning_curve(
        RANKER, X, TARGET, cv=CV, train_sizes=[80, 160], scoring=scoring
    )[2],
    "validation curve": lambda scoring: validation_curve(
        RANKER,
        X,
        TARGET,
        param_name="estimator__alpha",
        param_range=[1e-3, 1e4],
        cv=CV,
        scoring=scoring,
    )[1],
    "forward selection": lambda scoring: (
        SequentialFeatureSelector(RANKER, n_features_to_select=2, cv=CV, scoring=scoring)
        .fit(X, TARGET)
        .get_support()
    ),
    "permutation importance": lambda scoring: (
        permutation_importance(
            *(RANKER.fit(X[QID < 16], TARGET[QID < 16]), X[QID >= 16], TARGET[QID >= 16]),
            random_state=0,
            n_repeats=2,
            scoring=scoring,
        ).importances
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_measure_is_the_default_and_may_be_named(tool):
    expected = TOOLS[tool](SCORER)
    np.testing.assert_array_equal(TOOLS[tool](None), expected)
    np.testing.assert_array_equal(TOOLS[tool](MEASURE), expected)


# A measure as scoring


@pytest.mark.parametrize(("n_jobs", "several"), [(1, False), (2, True)])
def test_a_measure_is_a_scorer(n_jobs, several):
    def search(scoring):
        scoring = {"one": scoring, "two": make_ranking_scorer("AP")} if several else scoring
        refit = "one" if several else True
        return GridSearchCV(Ridge(), ALPHAS, cv=CV, scoring=scoring, refit=refit, n_jobs=n_jobs)

    found, expected = (search(each).fit(X, SERIES) for each in (MEASURE, SCORER))
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_
    assert found.score(X, SERIES) == expected.score(X, SERIES) == SCORER(found, X, SERIES)


def test_a_measure_asks_for_ids_and_weights():
    weights = np.repeat(np.arange(1.0, 25), 10)
    with sklearn.config_context(enable_metadata_routing=True):
        found, expected = (
            cross_validate(
                RANKER,
                X,
                Y,
                cv=CV,
                scoring=scoring,
                params={"qid": QID, "sample_weight": weights},
            )["test_score"]
            for scoring in (MEASURE, SCORER)
        )
    np.testing.assert_array_equal(found, expected)


def test_a_measure_of_which_less_is_better_changes_its_sign():
    fitted = Ridge().fit(X, Y)
    less = Fallout(k=5)
    value = less(Y, fitted.predict(X), qid=QID)
    assert less(fitted, X, SERIES) == make_ranking_scorer(less)(fitted, X, SERIES) == -value


def test_a_measure_that_leaves_the_top_grade_open_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(Ridge(), X, SERIES, cv=CV, scoring=xGAP(k=5))
    assert [each.category for each in caught] == [GradeScaleWarning]


def test_a_third_positional_argument_is_no_target():
    with pytest.raises(TypeError, match="qid must be given by name"):
        AP()(Y, Y, QID)


def test_a_measure_stays_what_it_is():
    assert pickle.loads(pickle.dumps(MEASURE)) == MEASURE
    assert sklearn.base.clone(RANKER).measure == MEASURE


# Data that cannot be scored

SCORINGS = {
    "measure": MEASURE,
    "scorer": SCORER,
    "several": make_ranking_scorer(["AP", nDCG()]),
    "dict": {"one": SCORER, "two": AP()},
}


@pytest.mark.parametrize(
    ("scoring", "n_jobs"), [("measure", 1), ("scorer", 2), ("several", 1), ("dict", 1)]
)
def test_missing_ids_end_a_search_of_any_estimator(scoring, n_jobs):
    search = GridSearchCV(
        Ridge(), ALPHAS, cv=GroupKFold(3), scoring=SCORINGS[scoring], refit=False, n_jobs=n_jobs
    )
    with pytest.raises(ValueError, match="Query ids are missing"):
        search.fit(X, Y, groups=QID)


@pytest.mark.parametrize("scoring", [None, *SCORINGS])
@pytest.mark.parametrize("within", ["ranker", "pipeline", "search"])
def test_ids_that_reach_the_fit_alone_end_a_search(scoring, within):
    estimators = {
        "ranker": (RANKER, "estimator__alpha", "qid"),
        "pipeline": (
            make_pipeline(StandardScaler(), RANKER),
            "queryranker__estimator__alpha",
            "queryranker__qid",
        ),
        "search": (
            GridSearchCV(RANKER, {"estimator__alpha": [1.0]}, cv=[(np.arange(80), np.arange(80))]),
            "estimator__estimator__alpha",
            "qid",
        ),
    }
    estimator, parameter, keyword = estimators[within]
    search = GridSearchCV(
        estimator,
        {parameter: [1e-3, 1e4]},
        cv=GroupKFold(3),
        scoring=SCORINGS.get(scoring),
        refit=False,
    )
    with pytest.raises(ValueError, match="Query ids are missing"):
        search.fit(X, Y, groups=QID, **{keyword: QID})


def test_negative_grades_end_a_search():
    with pytest.raises(ValueError, match="must hold grades >= 0, got -1"):
        cross_val_score(Ridge(), X, query_series(Y - 1.0, QID), cv=CV, scoring=MEASURE)


def test_outside_of_folds_the_error_is_raised():
    fitted, ranker = Ridge().fit(X, Y), RANKER.fit(X, TARGET)
    for score in (
        lambda: SCORER(fitted, X, Y),
        lambda: MEASURE(fitted, X, Y),
        lambda: ranker.score(X, Y),
        lambda: permutation_importance(ranker, X, Y),
        lambda: GridSearchCV(RANKER, {}, cv=CV).fit(X, TARGET).score(X, Y),
    ):
        with pytest.raises(ValueError, match=r"^Query ids are missing"):
            score()


def test_a_candidate_that_cannot_be_fitted_remains_nan():
    search = GridSearchCV(RANKER, {"estimator__alpha": [1.0, -1.0]}, cv=CV)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, TARGET)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
