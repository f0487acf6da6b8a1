"""Fit parameters of QueryRanker that belong to rows, and models to continue training from."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier, LGBMRanker
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking
from skgraded.exceptions import MissingInitialScoresWarning

X, Y, QID = make_ranking(n_queries=30, docs_per_query=(5, 20), random_state=0)
N = len(Y)
SHUFFLED = np.random.default_rng(1).permutation(N)
FIRST = QID < 20  # to train on; the others are watched
SCORES = np.random.default_rng(2).normal(size=N)
CAT = {"iterations": 8, "verbose": 0, "thread_count": 1, "allow_writing_files": False}


def lgbm(**params):
    return LGBMRanker(n_estimators=10, num_leaves=7, n_jobs=1, verbose=-1, **params)


def xgb(**params):
    from xgboost import XGBRanker

    return XGBRanker(n_estimators=10, max_depth=3, n_jobs=1, **params)


def cat(**params):
    from catboost import CatBoostRanker

    return CatBoostRanker(**CAT, random_seed=0, **params)


def ranker(estimator, **params):
    return QueryRanker(estimator, **{"measure": "nDCG@10", **params})


def held_out(rows=None, **more):
    """The rows to watch, in an order."""
    watched = np.flatnonzero(~FIRST)[slice(None) if rows is None else rows]
    return {"eval_X": X[watched], "eval_y": Y[watched], "eval_qid": QID[watched], **more}


# --- numbers of rows ------------------------------------------------------------------------------


def pairs_of(y, qid):
    """All pairs (better, worse) of rows of one query."""
    better = (y[:, None] > y[None, :]) & (qid[:, None] == qid[None, :])
    return np.argwhere(better)


PAIRS = pairs_of(Y, QID)


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

    return Spied(loss_function="PairLogit", random_seed=0, **CAT)


@pytest.mark.parametrize("name", ["pairs", "pairs_weight", "graph"])
def test_numbers_of_rows_are_refused(spied, name):
    with pytest.raises(ValueError, match=rf"^{name} must be left out: .* Fit the library's"):
        ranker(spied).fit(X, Y, qid=QID, **{name: PAIRS})


# --- parameters of rows, and others ---------------------------------------------------------------


def test_names_of_features_stay_where_they_are():
    """With as many features as rows."""
    few = SHUFFLED[:10]
    narrow, names = X[few], [f"feature {i}" for i in range(10)]
    wide = np.hstack([narrow] * (10 // X.shape[1] + 1))[:, :10]
    fitted = ranker(lgbm(min_child_samples=1)).fit(
        wide, Y[few], qid=few % 3, feature_name=names, categorical_feature=names[:0]
    )
    assert fitted.estimator_.feature_name_ == [each.replace(" ", "_") for each in names]


def test_columns_of_categories_stay_where_they_are(spied):
    few = SHUFFLED[:3]
    columns = [2, 0, 1]
    mixed = np.round(X[few, :4]).astype(int).astype(object)
    ranker(spied).fit(mixed, [0, 1, 2], qid=[2, 1, 2], cat_features=columns)
    assert spied.seen["cat_features"] == columns


def test_groups_of_rows_go_along(spied):
    sub = np.array([f"site {each}" for each in QID * 3 + np.arange(N) % 2])
    ranker(spied, validation_fraction=0.3, random_state=0).fit(
        X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], subgroup_id=sub[SHUFFLED],
        baseline=SCORES[SHUFFLED].tolist(), group_weight=(QID + 1.0)[SHUFFLED],
    )  # fmt: skip
    place = {each: row for row, each in enumerate(X[:, 0])}
    rows = [place[each] for each in spied.seen["X"][:, 0]]
    assert list(spied.seen["subgroup_id"]) == sub[rows].tolist()
    assert list(spied.seen["baseline"]) == SCORES[rows].tolist()
    assert list(spied.seen["group_weight"]) == (QID[rows] + 1.0).tolist()
    pool = spied.seen["eval_set"]
    watched = [row for row in range(N) if row not in set(rows)]
    assert sorted(np.ravel(pool.get_baseline())) == pytest.approx(sorted(SCORES[watched]))


def test_weights_of_queries_are_given_once(spied):
    with pytest.raises(ValueError, match=r"^group_weight must be left out"):
        ranker(spied).fit(X, Y, QID, np.ones(N), group_weight=np.ones(N))


@pytest.mark.parametrize("given", [SCORES[:-1], np.append(SCORES, SCORES), [1.0]])
def test_initial_scores_have_an_entry_per_row(given):
    with pytest.raises(ValueError, match=rf"^init_score must have an entry .* {len(given)} for"):
        ranker(lgbm()).fit(X, Y, qid=QID, init_score=given)


def test_initial_scores_of_classes_go_along_in_two_dimensions():
    model = LGBMClassifier(n_estimators=5, num_leaves=4, n_jobs=1, verbose=-1, random_state=0)
    start = np.random.default_rng(0).normal(size=(N, 5))
    laid_out = SHUFFLED[np.argsort(QID[SHUFFLED], kind="stable")]
    first = dict.fromkeys(QID[SHUFFLED].tolist())  # queries stand in order of appearance
    laid_out = np.concatenate([laid_out[QID[laid_out] == each] for each in first])
    fitted = ranker(model).fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], init_score=start[SHUFFLED])
    by_hand = clone(model).fit(X[laid_out], Y[laid_out], init_score=start[laid_out])
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

    arrow = pytest.importorskip("pyarrow")
    for form in (np.asarray, list, pd.Series, arrow.array, as_sparse):
        fitted = ranker(Recorder()).fit(
            X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], costs=form(X[SHUFFLED, 0])
        )
        costs = fitted.estimator_.costs_
        costs = costs.toarray().ravel() if form is as_sparse else np.asarray(costs)
        assert costs.tolist() == fitted.estimator_.rows_[:, 0].tolist()


# --- initial scores of evaluation sets ------------------------------------------------------------

OFFSETS = {
    "lightgbm": (lgbm, "init_score", "eval_init_score"),
    "xgboost": (xgb, "base_margin", "eval_base_margin"),
    "catboost": (cat, "baseline", "eval_baseline"),
}
NO_STARTS = "must be left out where eval_X is watched, .* by validation_fraction"


@pytest.mark.parametrize("library", OFFSETS)
def test_the_rows_held_out_start_from_their_own_scores(library):
    pytest.importorskip(library)
    make, offset, given = OFFSETS[library]
    halved = ranker(make(), validation_fraction=0.3, random_state=0)
    fitted = halved.fit(X[SHUFFLED], Y[SHUFFLED], QID[SHUFFLED], **{offset: SCORES[SHUFFLED]})
    out = fitted.validation_queries_.contains(QID)
    mean = fitted.measure_(Y[out], fitted.predict(X[out], **{offset: SCORES[out]}), qid=QID[out])
    assert fitted.evals_result_["valid_0"]["nDCG@10"][-1] == pytest.approx(mean, abs=1e-5)
    with pytest.raises(ValueError, match=rf"^{given} {NO_STARTS}, which take theirs"):
        halved.fit(X, Y, QID, **{offset: SCORES, given: SCORES})


@pytest.mark.parametrize("library", OFFSETS)
@pytest.mark.parametrize("in_pipeline", [False, True])
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_predicting_without_initial_scores_warns_where_there_were_some(library, in_pipeline):
    pytest.importorskip(library)
    make, name, _ = OFFSETS[library]
    model = make_pipeline(StandardScaler(), make()) if in_pipeline else make()
    fitted = ranker(model).fit(X, Y, QID, **{name: SCORES})
    assert fitted.starts_from_ == name
    for use in (fitted.predict, lambda X: fitted.score(X, Y, QID)):
        with pytest.warns(MissingInitialScoresWarning, match=rf"predict\(X, {name}=\.\.\.\)"):
            use(X)
    scores = fitted.predict(X, **{name: SCORES})
    features = StandardScaler().fit_transform(X) if in_pipeline else X
    direct = fitted.estimator_[-1] if in_pipeline else fitted.estimator_
    np.testing.assert_allclose(scores, SCORES + direct.predict(features), atol=1.0, rtol=1e-4)
    with pytest.raises(ValueError, match=rf"^{name} must have an entry per row, got 2 for {N}"):
        fitted.predict(X, **{name: [1.0, 2.0]})
    with pytest.raises(TypeError, match=rf"takes initial scores as {name}, got start"):
        fitted.predict(X, start=SCORES)
    assert not hasattr(fitted.fit(X, Y, QID), "starts_from_")
    fitted.predict(X)


def test_an_estimator_without_initial_scores_takes_none():
    fitted = ranker(Ridge()).fit(X, Y, QID)
    with pytest.raises(TypeError, match=r"^predict of Ridge takes no initial scores, got init_sc"):
        fitted.predict(X, init_score=SCORES)


@pytest.mark.parametrize("library", OFFSETS)
def test_initial_scores_beside_rows_that_have_none_are_refused(library):
    make, offset, given = OFFSETS[library]
    pytest.importorskip(library)
    for name in (offset, given):
        with pytest.raises(ValueError, match=rf"^{name} {NO_STARTS}"):
            ranker(make()).fit(X, Y, QID, **held_out(**{name: SCORES}))


@pytest.mark.parametrize("name", ["base_margin_eval_set", "sample_weight_eval_set"])
def test_xgboosts_own_names_of_evaluation_rows_are_refused_beside_ours(name):
    pytest.importorskip("xgboost")
    with pytest.raises(ValueError, match=rf"^{name} (must be left out|is taken by eval_X)"):
        ranker(xgb()).fit(X, Y, QID, **held_out(**{name: [SCORES[~FIRST]]}))


# --- models to continue from ----------------------------------------------------------------------

CONTINUED = {
    "lightgbm": (lgbm, "init_model", lambda model: model.booster_.num_trees()),
    "xgboost": (xgb, "xgb_model", lambda model: model.get_booster().num_boosted_rounds()),
    "catboost": (cat, "init_model", lambda model: model.tree_count_),
}


def shapes_of(make):
    """One fitted model, in all shapes in which it may be held."""
    target = query_target(Y, QID)
    fitted = ranker(make()).fit(X, target)
    yield "booster", fitted.estimator_
    yield "ranker", fitted
    yield "pipeline inside", ranker(make_pipeline("passthrough", make())).fit(X, target)


@pytest.mark.parametrize("library", CONTINUED)
def test_training_continues_from_a_model_or_a_ranker(library):
    pytest.importorskip(library)
    make, name, n_trees = CONTINUED[library]
    for shape, model in shapes_of(make):
        fitted = ranker(make()).fit(X, Y, QID, **{name: model})
        once = n_trees(ranker(make()).fit(X, Y, QID).estimator_)
        assert n_trees(fitted.estimator_) == 2 * once, shape


@pytest.mark.parametrize("library", CONTINUED)
def test_training_continues_from_a_file(library, tmp_path):
    pytest.importorskip(library)
    make, name, n_trees = CONTINUED[library]
    fitted = ranker(make()).fit(X, Y, QID).estimator_
    path = tmp_path / "model.json"
    saved = fitted.booster_ if library == "lightgbm" else fitted
    saved.save_model(str(path))
    again = ranker(make()).fit(X, Y, QID, **{name: path})
    assert n_trees(again.estimator_) == 2 * n_trees(fitted)


@pytest.mark.parametrize("library", CONTINUED)
@pytest.mark.parametrize("kind", ["number", "estimator", "other", "unfitted", "search"])
def test_models_of_another_type_are_refused_by_name(library, kind):
    pytest.importorskip(library)
    make, name, _ = CONTINUED[library]
    model = {
        "number": lambda: 3,
        "estimator": Ridge,
        "other": lambda: ranker(Ridge()).fit(X, Y, QID),
        "unfitted": lambda: ranker(make()),
        "search": lambda: GridSearchCV(ranker(make()), {}, cv=QueryKFold(2)),
    }[kind]()
    words = (
        rf"^{name} must be a model of .*, got {type(model).__name__}\. .*search\.best_estimator_"
    )
    with pytest.raises(TypeError, match=words):
        ranker(make()).fit(X, Y, QID, **{name: model})
