"""Labels of rows that are no order, or come twice, or in folds: what test_doors does not ask."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

from skgraded import (
    make_ranking_scorer,
    nDCG,
    query_series,
)
from skgraded.datasets import make_ranking
from skgraded.rankings import read_columns

pd = pytest.importorskip("pandas")

ARRAY, Y, QID = make_ranking(n_queries=12, docs_per_query=8, random_state=0)
DOCUMENTS = pd.Index([f"d{each}" for each in range(len(Y))])
X = pd.DataFrame(ARRAY[:, :4], index=DOCUMENTS, columns=list("abcd"))
ORDER = np.random.default_rng(0).permutation(len(Y))
MEASURE = nDCG(k=5)
SCORER = make_ranking_scorer(MEASURE)


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
