"""An objective without a measure trains for that of the QueryRanker around the model."""

import pickle

import numpy as np
import pytest
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skgraded import ERR, QueryKFold, QueryRanker, query_target
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective

X, Y, QID = make_ranking(n_queries=40, docs_per_query=12, random_state=0)
QUIET = {"n_estimators": 5, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}


def scores_of(given, measure):
    model = LGBMRanker(objective=given, **QUIET)
    return QueryRanker(model, measure=measure).fit(X, Y, qid=QID).predict(X)


@pytest.mark.parametrize("measure", ["xGAP@10", "nDCG(gain=exp2)@5", "AP(rel=2)"])
@pytest.mark.parametrize("options", [{}, {"truncation_level": 3, "norm": False}])
def test_it_trains_for_the_measure_of_the_ranker(measure, options):
    named = measure.replace("xGAP@10", "xGAP(max_grade=4)@10")
    found = scores_of(objective(**options), measure)
    np.testing.assert_array_equal(found, scores_of(objective(named, **options), measure))
    assert not np.array_equal(found, scores_of(objective("RBP", **options), measure))


def test_it_stays_open_in_the_ranker_that_was_given():
    model = LGBMRanker(objective=objective(norm=False), **QUIET)
    ranker = QueryRanker(model, measure="AP").fit(X, Y, qid=QID)
    assert (
        repr(model.objective) == repr(clone(ranker).estimator.objective) == "objective(norm=False)"
    )
    assert "AP" in repr(ranker.estimator_.objective)
    again = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))


def test_in_a_pipeline_and_a_search():
    piped = make_pipeline(StandardScaler(), LGBMRanker(objective=objective(), **QUIET))
    search = GridSearchCV(
        QueryRanker(piped, measure="nDCG"), {"measure": ["AP", "AP(rel=2)"]}, cv=QueryKFold(2)
    )
    best = search.fit(X, query_target(Y, QID)).best_estimator_
    assert repr(best.estimator_[-1].objective) == f"objective('{best.measure_}')"


def test_the_measure_of_validation_queries_with_a_higher_grade():
    model = LGBMRanker(objective=objective(), **QUIET)
    ranker = QueryRanker(model, measure="xGAP")
    low = np.minimum(Y, 2)
    ranker.fit(X, low, qid=QID, eval_X=X[:120], eval_y=Y[:120], eval_qid=QID[:120] + 1000)
    assert "max_grade=4" in repr(ranker.estimator_.objective)


def test_a_measure_without_the_prefix_form_is_refused():
    with pytest.raises(ValueError, match="measure must have the prefix form"):
        scores_of(objective(), ERR(max_grade=4))


def test_without_a_ranker_it_says_what_is_missing():
    with pytest.raises(ValueError, match="measure must be given outside a QueryRanker"):
        LGBMRanker(objective=objective(), **QUIET).fit(X, Y, group=[12] * 40)
    with pytest.raises(ValueError, match="sigmoid must be a finite number > 0"):
        objective(sigmoid=-1)
