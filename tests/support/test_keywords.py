"""A wrong keyword of a public function: the message says which one was meant."""

import inspect
import pickle
import sys

import pytest

import skgraded
from skgraded import (
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    cross_validate_queries,
    make_ranking_scorer,
    query_ids,
    query_series,
    query_target,
    query_train_test_split,
)
from skgraded._support.keywords import suggests_keywords
from skgraded.catboost import eval_metric as catboost_metric
from skgraded.lightgbm import early_stopping, eval_metric, objective
from skgraded.xgboost import evaluation


@pytest.mark.parametrize(
    ("use", "meant"),
    [
        (lambda: query_target(y=[1], query_id=["a"]), "qid"),
        (lambda: query_target([1], groups=["a"]), "qid"),
        (lambda: query_series([1], query=["a"]), "qid"),
        (lambda: query_ids(ids=["a"]), "qid"),
        (lambda: QueryKFold(n_fold=3), "n_splits"),
        (lambda: QueryKFold(n_folds=3), "n_splits"),
        (lambda: QueryKFold(3, seed=1), "random_state"),
        (lambda: StratifiedQueryKFold(nfold=3), "n_splits"),
        (lambda: QueryShuffleSplit(3, test_sice=0.2), "test_size"),
        (lambda: query_train_test_split([1], query_ids=[1]), "qid"),
        (lambda: query_train_test_split([1], seed=1), "random_state"),
        (lambda: QueryRanker(None, metric="AP"), "measure"),
        (lambda: QueryRanker(None, mesure="AP"), "measure"),
        (lambda: QueryRanker(None, measure="AP", patience=3), "early_stopping_rounds"),
        (lambda: make_ranking_scorer(metrics="AP"), "measures"),
        (
            lambda: make_ranking_scorer("AP", respons_method="predict"),
            "response_method",
        ),
        (lambda: cross_validate_queries(None, [1], [1], metrics="AP"), "measures"),
        (lambda: cross_validate_queries(None, [1], [1], groups=[1]), "qid"),
        (lambda: cross_validate_queries(None, [1], [1], folds=3), "cv"),
        (lambda: objective("AP", sigma=2), "sigmoid"),
        (lambda: objective("AP", seed=2), "random_state"),
        (lambda: eval_metric("AP", n_jobs=2), "n_threads"),
        (lambda: early_stopping("AP", patience=2), "rounds"),
        (lambda: early_stopping("AP", stopping_rounds=2), "rounds"),
        (lambda: evaluation("AP", X=[1], y=[1], query_id=[1]), "qid"),
        (lambda: evaluation("AP", X=[1], y=[1], weights=[1]), "sample_weight"),
        (lambda: catboost_metric("AP", threads=2), "n_threads"),
    ],
)
def test_the_keyword_that_was_meant_is_named(use, meant):
    with pytest.raises(TypeError, match=f"Did you mean '{meant}'\\?$"):
        use()


def test_a_keyword_like_none_lists_all():
    with pytest.raises(
        TypeError, match="The arguments are n_splits, shuffle, random_s"
    ):
        QueryKFold(zzz=1)


def test_errors_inside_of_a_function_stay_what_they_are():
    @suggests_keywords
    def outer(*, first=0):
        return inner(secnd=first)

    def inner(*, second):
        return second

    # From Python 3.13 on, Python itself suggests a keyword.
    suggestion = r"\. Did you mean 'second'\?" if sys.version_info >= (3, 13) else ""
    message = rf"inner.* got an unexpected keyword .*'secnd'{suggestion}$"
    with pytest.raises(TypeError, match=message):
        outer()
    assert [*inspect.signature(outer).parameters] == ["first"]
    assert pickle.loads(pickle.dumps(query_target)) is query_target


def test_modules_come_on_first_use_and_names_say_where_they_are():
    for name in ("lightgbm", "xgboost", "catboost", "studies", "chunks"):
        assert getattr(skgraded, name).__name__ == f"skgraded.{name}"
    assert not hasattr(skgraded, "objective")
    with pytest.raises(ImportError, match=r"from skgraded\.lightgbm import objective"):
        from skgraded import objective  # noqa: F401
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = skgraded.nonsense
    assert {"lightgbm", "studies", "nDCG"} <= set(dir(skgraded))
    assert not {"TYPE_CHECKING", "on_first_use"} & set(dir(skgraded))
