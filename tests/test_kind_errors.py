"""Errors that say what was passed, and what to pass instead."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from skgraded import trec
from skgraded.datasets import make_ranking
from skgraded.users import threshold_profile

QRELS = {"q1": {"d1": 1, "d2": 0}}
X, Y, QID = make_ranking(n_queries=20, docs_per_query=20, random_state=0)


def test_an_array_of_ids_is_a_list_of_documents():
    as_array = {"q1": np.array(["d2", "d1"])}
    as_list = {"q1": ["d2", "d1"]}
    found, same = (trec.evaluate("RR", QRELS, each) for each in (as_array, as_list))
    assert found.values.tolist() == same.values.tolist() == [[[0.5]]]
    systems = {"one": as_array, "two": as_list}
    assert trec.evaluate("RR", QRELS, systems).values.ravel().tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"a list of ids, .* which are text, got array"):
        trec.evaluate("RR", QRELS, {"q1": np.array([7, 8])})


def test_a_profile_in_the_order_of_compare_is_answered_with_its_own():
    models = {"a": Ridge().fit(X, Y), "b": Ridge(100).fit(X, Y)}
    call = r"threshold_profile\(y_true, models, X=X, qid=qid\)"
    with pytest.raises(TypeError, match=rf"takes the grades, then .*: {call}"):
        threshold_profile(models, X, qid=QID)
