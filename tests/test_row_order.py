"""Pandas objects with the same row labels in different orders are refused, never paired as is."""

import warnings

import numpy as np
import pytest
from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    compare,
    cross_validate_queries,
    make_ranking_scorer,
    nDCG,
    query_series,
    query_train_test_split,
)
from skgraded.datasets import make_ranking
from skgraded.rankings import read_columns

pd = pytest.importorskip("pandas")

ARRAY, Y, QID = make_ranking(n_queries=12, docs_per_query=8, random_state=0)
DOCUMENTS = pd.Index([f"d{each}" for each in range(len(Y))])
X = pd.DataFrame(ARRAY[:, :4], index=DOCUMENTS, columns=list("abcd"))
GRADES = pd.Series(Y, index=DOCUMENTS)
IDS = pd.Series(QID, index=DOCUMENTS)
WEIGHT = pd.Series(1.0, index=DOCUMENTS)
ORDER = np.random.default_rng(0).permutation(len(Y))
MEASURE = nDCG(k=5)
RANKER = QueryRanker(Ridge(), measure=MEASURE)
WATCHED = QueryRanker(LGBMRanker(n_estimators=2, n_jobs=1, verbose=-1), measure=MEASURE)
FITTED = QueryRanker(Ridge(), measure=MEASURE).fit(X, GRADES, qid=IDS)
OTHER = QueryRanker(Ridge(), measure=MEASURE).fit(X, GRADES.max() - GRADES, qid=IDS)
SCORER = make_ranking_scorer(MEASURE)

TAKERS = {
    "fit": lambda X, y, qid, w: RANKER.fit(X, y, qid=qid, sample_weight=w),
    "evaluation set": lambda X, y, qid, w: WATCHED.fit(
        X.reset_index(drop=True),
        np.asarray(y),
        qid=QID + 100,
        eval_X=X,
        eval_y=y,
        eval_qid=qid,
        eval_sample_weight=w,
    ),
    "score": lambda X, y, qid, w: FITTED.score(X, y, qid=qid, sample_weight=w),
    "scorer": lambda X, y, qid, w: SCORER(FITTED, X, y, qid=qid, sample_weight=w),
    "per query": lambda X, y, qid, w: SCORER.per_query(FITTED, X, y, qid=qid, sample_weight=w),
    "measure as a scorer": lambda X, y, qid, w: MEASURE(FITTED, X, y, qid=qid, sample_weight=w),
    "folds": lambda X, y, qid, w: list(QueryKFold(3).split(X, y, qid)),
    "stratified folds": lambda X, y, qid, w: list(StratifiedQueryKFold(3).split(X, y, qid)),
    "draws": lambda X, y, qid, w: list(QueryShuffleSplit(2).split(X, y, qid)),
    "split": lambda X, y, qid, w: query_train_test_split(X, y, w, qid=qid),
    "validation": lambda X, y, qid, w: cross_validate_queries(
        RANKER, X, y, qid=qid, sample_weight=w, cv=3
    ),
    "comparison": lambda X, y, qid, w: compare({"a": FITTED, "b": OTHER}, X, y, qid=qid, tests="t"),
}
TAKE_NO_WEIGHTS = {"folds", "stratified folds", "draws", "comparison"}


@pytest.mark.parametrize("moved", ["X", "y", "qid", "weight"])
@pytest.mark.parametrize("taker", TAKERS)
def test_other_orders_are_refused(taker, moved):
    if moved == "weight" and taker in TAKE_NO_WEIGHTS:
        pytest.skip("takes no weights")
    given = {"X": X, "y": GRADES, "qid": IDS, "weight": WEIGHT}
    given[moved] = given[moved].iloc[ORDER]
    with pytest.raises(ValueError, match="must have its rows in the order of"):
        TAKERS[taker](*given.values())


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    "change",
    [
        lambda each: each,
        lambda each: each.iloc[ORDER],
        lambda each: each.to_numpy(),
        lambda each: each.reset_index(drop=True) if isinstance(each, pd.Series) else each,
    ],
    ids=["one order", "another order of all", "arrays", "new labels of some"],
)
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryLeakWarning")
def test_rows_in_one_order_are_taken(taker, change):
    given = [change(each) for each in (X, GRADES, IDS, WEIGHT)]
    if isinstance(given[0], np.ndarray):
        given[0] = pd.DataFrame(given[0], columns=X.columns)
    TAKERS[taker](*given)


def test_ids_in_the_index_are_no_labels_of_rows():
    # With one document a query, the ids are labels in another order.
    by_id = pd.Series(Y, index=pd.Index(ORDER, name="qid"))
    frame = X.reset_index(drop=True)
    read_columns(by_id, X=frame)
    read_columns(query_series(Y, ORDER), list(ORDER), X=frame)


def test_labels_that_occur_several_times_are_counted():
    ones = pd.Series(0, index=[1, 1, 2])
    read_columns(ones, pd.Series(0, index=[2, 1, 2]))
    with pytest.raises(ValueError, match=r"by qid\.loc\[y_true\.index\]"):
        read_columns(ones, pd.Series(0, index=[1, 2, 1]))


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_search_ends_with_the_error(error_score):
    ids_elsewhere = query_series(Y, QID)
    frame = X.set_axis(ids_elsewhere.index[ORDER])
    with (
        warnings.catch_warnings(),
        pytest.raises(ValueError, match="must have its rows in the order of"),
    ):
        cross_val_score(
            Ridge(),
            frame,
            ids_elsewhere,
            cv=[(np.arange(len(Y)), np.arange(len(Y)))],
            scoring=SCORER,
            error_score=error_score,
        )


def test_folds_of_groups_pair_by_position_and_are_silent():
    target = query_series(Y, QID)
    assert np.isfinite(
        cross_val_score(
            Ridge(), X.set_axis(target.index), target, cv=GroupKFold(3), groups=QID, scoring=SCORER
        )
    ).all()


@pytest.mark.parametrize("order", [("X", "y"), ("y", "X")])
def test_labels_of_several_levels_are_compared_whichever_comes_first(order):
    labels = query_series(Y, QID).index
    given = {"X": X.set_axis(labels[ORDER]), "y": pd.Series(Y, index=labels)}
    with pytest.raises(ValueError, match="must have its rows in the order of"):
        read_columns(None, **{name: given[name] for name in order})
