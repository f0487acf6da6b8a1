"""Every tool of scikit-learn, routing off and on, every carrier of query ids: one result."""

import joblib
import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - opens the door
from sklearn.feature_selection import RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import (
    QueryKFold,
    QueryRanker,
    cross_validate_queries,
    make_ranking_scorer,
    query_ids,
    query_series,
    query_target,
    xGAP,
)
from skgraded.datasets import make_ranking

pd = pytest.importorskip("pandas")
# A refitted search is scored on the rows that it had.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
X, Y, QID = make_ranking(n_queries=24, docs_per_query=10, random_state=0)
X = X[:, :3]
NAMES = [f"x{each}" for each in range(X.shape[1])]
MEASURE = xGAP(max_grade=4, k=5)
CV = QueryKFold(2)
SCORER = make_ranking_scorer(MEASURE)
GRID = {"estimator__num_leaves": [2, 5]}
IMPORTANCES = "estimator_.feature_importances_"


def lgbm():
    return LGBMRanker(
        n_estimators=3, num_leaves=4, min_child_samples=2, n_jobs=1, verbose=-1
    )


RANKER = QueryRanker(lgbm(), measure=MEASURE)


def carried_by(carrier):
    """Features, target and metadata."""
    index = pd.Index(QID, name="qid")
    frame = pd.DataFrame(X, columns=NAMES)
    carriers = {
        "keyword": (X, Y, {"qid": QID}),
        "keyword with sizes": (X, Y, {"qid": query_ids(QID)}),
        "target": (X, query_target(Y, QID), {}),
        "series": (X, query_series(Y, QID), {}),
        "column": (frame.assign(qid=QID), Y, {}),
        "index of X": (frame.set_index(index), Y, {}),
        "index of y": (X, pd.Series(Y, index=index), {}),
    }
    return carriers[carrier]


def params(metadata):
    return {"params": metadata} if metadata else {}


def searched(search, X, y, metadata):
    search.fit(X, y, **metadata)
    return [*search.cv_results_["mean_test_score"], search.score(X, y, **metadata)]


def scores(X, y, metadata, scoring=SCORER):
    return cross_val_score(RANKER, X, y, scoring=scoring, cv=CV, **params(metadata))


def predictions(X, y, metadata):
    return cross_val_predict(RANKER, X, y, cv=CV, **params(metadata))


def grid_search(X, y, metadata):
    return searched(GridSearchCV(RANKER, GRID, cv=CV, scoring=SCORER), X, y, metadata)


def halving_search_over_trees(X, y, metadata):
    trees = {
        "resource": "estimator__n_estimators",
        "min_resources": 2,
        "max_resources": 4,
    }
    search = HalvingGridSearchCV(RANKER, GRID, cv=CV, factor=2, random_state=0, **trees)
    return searched(search, X, y, metadata)


def nested_search(X, y, metadata):
    search = GridSearchCV(RANKER, GRID, cv=QueryKFold(2))
    return cross_val_score(search, X, y, cv=CV, **params(metadata))


def learning_curve_of_whole_queries(X, y, metadata):
    options = {"cv": CV, "train_sizes": [60, 120], **params(metadata)}
    _, train, test = learning_curve(RANKER, X, y, **options)
    return [*train.ravel(), *test.ravel()]


def curve_over_leaves(X, y, metadata, scoring=None):
    grid = {
        "param_name": "estimator__num_leaves",
        "param_range": [2, 5],
        "scoring": scoring,
    }
    train, test = validation_curve(RANKER, X, y, cv=CV, **grid, **params(metadata))
    return [*train.ravel(), *test.ravel()]


def permutation_test(X, y, metadata):
    score, _, _ = permutation_test_score(
        RANKER, X, y, cv=CV, n_permutations=1, random_state=0, **params(metadata)
    )
    return [score]


def importance_by_permutation(X, y, metadata, scoring=SCORER):
    options = {"scoring": scoring, "n_repeats": 2, "random_state": 0, **metadata}
    found = permutation_importance(clone(RANKER).fit(X, y), X, y, **options)
    return found.importances.ravel()


def sequential_selection(X, y, metadata):
    selector = SequentialFeatureSelector(RANKER, n_features_to_select=2, cv=CV)
    return selector.fit(X, y, **metadata).get_support()


def recursive_elimination(X, y, metadata):
    # Without scoring it asks r2 of an estimator that is not a classifier, which the ranker refuses.
    selector = RFECV(RANKER, cv=CV, scoring=SCORER, importance_getter=IMPORTANCES)
    fitted = selector.fit(X, y, **metadata)
    return [*fitted.ranking_, *fitted.cv_results_["mean_test_score"]]


def selection_by_importance(X, y, metadata):
    selector = SelectFromModel(RANKER, max_features=2, threshold=-np.inf)
    return selector.fit(X, y, **metadata).get_support()


def pipeline_around_the_ranker(X, y, metadata):
    pipeline = make_pipeline(StandardScaler(), RANKER)
    grid = {"queryranker__estimator__num_leaves": [2, 5]}
    return searched(GridSearchCV(pipeline, grid, cv=CV, scoring=SCORER), X, y, metadata)


def validation_query_by_query(X, y, metadata):
    return cross_validate_queries(RANKER, X, y, cv=CV, **metadata).values.ravel()


KEYWORDS = {"keyword", "keyword with sizes"}
EVERYWHERE = KEYWORDS | {"target", "series", "column", "index of X", "index of y"}
# Where a tool or a transformer makes an array of X or y, what rides in its labels is lost.
LOSES_LABELS_OF_X = EVERYWHERE - {"column", "index of X"}
TOOLS = [
    scores,
    predictions,
    grid_search,
    halving_search_over_trees,
    nested_search,
    learning_curve_of_whole_queries,
    curve_over_leaves,
    permutation_test,
    importance_by_permutation,
    sequential_selection,
    recursive_elimination,
    selection_by_importance,
    pipeline_around_the_ranker,
    validation_query_by_query,
]
WORKS_WITH = {
    **dict.fromkeys(TOOLS, EVERYWHERE),
    # Takes no metadata, and permutes every column.
    importance_by_permutation: EVERYWHERE - KEYWORDS - {"column"},
    sequential_selection: LOSES_LABELS_OF_X,
    recursive_elimination: KEYWORDS | {"target"},  # makes an array of y as well
    pipeline_around_the_ranker: LOSES_LABELS_OF_X,
}
# scikit-learn routes metadata through these since version 1.6, through halving since 1.5.
ROUTED_SINCE = {
    learning_curve_of_whole_queries: (1, 6),
    curve_over_leaves: (1, 6),
    permutation_test: (1, 6),
    sequential_selection: (1, 6),
    recursive_elimination: (1, 6),
    halving_search_over_trees: (1, 5),
}


@pytest.fixture(scope="module", params=TOOLS, ids=lambda each: each.__name__)
def tool_and_result(request):
    """A tool of scikit-learn, and what it finds with the ids on y and routing off."""
    return request.param, request.param(*carried_by("target"))


@pytest.mark.parametrize("carrier", sorted(EVERYWHERE))
def test_one_result_whatever_carries_the_ids(tool_and_result, carrier):
    tool, expected = tool_and_result
    # Every tool with every carrier, and both with routing on and off; keywords need it.
    places = TOOLS.index(tool), sorted(EVERYWHERE).index(carrier)
    routing = carrier in KEYWORDS or sum(places) % 2 == 0
    if carrier in KEYWORDS and ROUTED_SINCE.get(tool, (1, 4)) > SKLEARN:
        pytest.skip("this version of scikit-learn routes no metadata here")
    given = carried_by(carrier)
    with sklearn.config_context(enable_metadata_routing=routing):
        if carrier in WORKS_WITH[tool]:
            np.testing.assert_array_equal(tool(*given), expected)
            return
        if tool is importance_by_permutation and carrier == "column":
            # Only the importance of the column itself means nothing.
            np.testing.assert_array_equal(tool(*given)[: len(expected)], expected)
            return
        with pytest.raises(
            (ValueError, TypeError), match=r"Query ids are missing|keyword argument"
        ):
            tool(*given)


@pytest.mark.parametrize("tool", [scores, curve_over_leaves, importance_by_permutation])
def test_the_measure_is_the_default_and_may_be_named(tool):
    given = carried_by("target")
    expected = tool(*given, scoring=SCORER)
    for scoring in (None, MEASURE):
        np.testing.assert_array_equal(tool(*given, scoring=scoring), expected)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("routing", [False, True], ids=["off", "on"])
def test_one_result_whatever_runs_the_jobs(backend, routing):
    expected = grid_search(*carried_by("target"))
    search = GridSearchCV(RANKER, GRID, cv=CV, scoring=SCORER, n_jobs=2)
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        joblib.parallel_backend(backend),
    ):
        found = searched(search, *carried_by("keyword" if routing else "target"))
    np.testing.assert_array_equal(found, expected)
