"""What metrics and objectives have in common, whatever library calls them."""

import copy
import importlib.util
import pickle
import warnings
from functools import cache

import lightgbm
import numpy as np
import pytest

from skgraded import make_ranking_scorer, nDCG, xGAP
from skgraded._guards import LIBRARIES
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning, LongQueryWarning
from skgraded.lightgbm import objective
from skgraded.model_selection._boosters import BOOSTERS

X, Y, QID = make_ranking(n_queries=60, docs_per_query=(5, 40), random_state=0)
SIZES = np.bincount(QID)
SCORES = np.random.default_rng(0).standard_normal(len(Y)).astype(np.float32)
TARGET = xGAP(max_grade=4)
NOISE_SHOWN = "noise='logistic', noise_scale=2.0, n_draws=2"
NOISE = {"noise": "gumbel", "noise_scale": 0.3, "n_draws": 2, "random_state": 5}


def of(library, name):
    """Return a function of the adapter of a library that may be missing."""
    pytest.importorskip(library)
    return getattr(importlib.import_module(f"skgraded.{library}"), name)


@cache  # so that what is called still knows the data set where it is copied
def matrix():
    return pytest.importorskip("xgboost").DMatrix(X, Y, qid=QID)


def called(library, made):
    """Call a metric or an objective as its library does."""
    return (
        made(Y, SCORES, None, SIZES)
        if library == "lightgbm"
        else made(SCORES, matrix())
    )


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
)
@pytest.mark.parametrize(
    ("library", "shown"),
    [
        ("lightgbm", "eval_metric('xGAP(max_grade=4)@10', 'nDCG@5', {'own': 'AP'})"),
        ("lightgbm", "eval_metric('nDCG@10', 'Fallout@5', as_loss=True)"),
        ("lightgbm", "early_stopping('AP', 3)"),
        ("lightgbm", "objective('nDCG', truncation_level=None)"),
        ("xgboost", "eval_metric('xGAP(max_grade=4)', 'AP')"),
        (
            "xgboost",
            "objective('AP(rel=2)', sigmoid=2.0, truncation_level=5, norm=False)",
        ),
        ("lightgbm", f"objective('AP(rel=2)', {NOISE_SHOWN}, random_state={2**70})"),
        ("xgboost", f"objective('AP(rel=2)', {NOISE_SHOWN}, random_state=5)"),
    ],
)
def test_copies_are_shown_as_they_are_written_and_leave_the_data_behind(
    library, shown, copied
):
    name = shown.partition("(")[0]
    made = eval(shown, {name: of(library, name)})
    assert repr(made) == shown
    assert repr(copied(made)) == shown
    if name == "early_stopping":
        return
    expected = called(library, made)
    assert len(pickle.dumps(made)) < 2000  # its labels have more bytes
    again = copied(made)
    np.testing.assert_array_equal(called(library, again), expected)
    if name == "objective" or library == "xgboost":
        assert again == made
        assert hash(again) == hash(made)


@pytest.mark.parametrize(
    ("library", "name", "given"),
    [
        ("lightgbm", "eval_metric", ()),
        ("lightgbm", "objective", ()),
        ("xgboost", "eval_metric", ()),
        ("xgboost", "evaluation", {"X": X, "y": Y, "qid": QID}),
        ("catboost", "eval_metric", [(Y, QID)]),
        (None, "make_ranking_scorer", ()),
    ],
)
def test_an_open_top_grade_warns(library, name, given):
    make = of(library, name) if library else make_ranking_scorer
    with pytest.warns(
        GradeScaleWarning, match=f"{name} got xGAP@10 without max_grade"
    ) as caught:
        made = (
            make("xGAP@10", **given)
            if isinstance(given, dict)
            else make("xGAP@10", *given)
        )
    assert [each.filename for each in caught] == [__file__]
    if (library, name) == ("lightgbm", "eval_metric"):
        assert called(library, made)[0][1] == xGAP(k=10, max_grade=4)(
            Y, SCORES, qid=QID
        )


@pytest.mark.parametrize("options", [{}, NOISE], ids=["plain", "noise"])
def test_xgboost_has_the_derivatives_that_lightgbm_has_and_trains_by_them(options):
    xgboost = pytest.importorskip("xgboost")
    of_query = np.linspace(0.5, 2.0, len(SIZES))
    theirs, ours = (
        make(TARGET, **options) for make in (of("xgboost", "objective"), objective)
    )
    weight = of_query.astype(np.float32)[QID]
    weighted = xgboost.DMatrix(X, Y, qid=QID, weight=of_query)
    for data, weights in ((matrix(), None), (weighted, weight)):
        np.testing.assert_array_equal(
            theirs(SCORES, data), ours(Y, SCORES, weights, SIZES)
        )
    model = xgboost.train({"nthread": 1}, matrix(), 5, obj=theirs)
    assert (
        TARGET(Y, model.predict(matrix()), qid=QID) > TARGET(Y, 0.0 * Y, qid=QID) + 0.2
    )


def test_both_interfaces_of_lightgbm_train_the_same_model():
    ours = objective(TARGET)
    ranker = lightgbm.LGBMRanker(objective=ours, n_estimators=5, n_jobs=1, verbose=-1)
    ranker.fit(X, Y, group=SIZES)
    params = {"verbose": -1, "num_threads": 1, "metric": "None", "objective": ours}
    booster = lightgbm.train(params, lightgbm.Dataset(X, Y, group=SIZES), 5)
    assert np.array_equal(ranker.predict(X), booster.predict(X))


def train_by_lightgbm(y, derivatives):
    params = {"objective": derivatives, "metric": "None", "verbose": -1}
    lightgbm.train(
        params, lightgbm.Dataset(y[:, None], y, group=[len(y)]), num_boost_round=2
    )


def train_by_xgboost(y, derivatives):
    xgboost = pytest.importorskip("xgboost")
    xgboost.train({}, xgboost.DMatrix(y[:, None], y, qid=0 * y), 2, obj=derivatives)


@pytest.mark.parametrize(
    ("n_rows", "level", "warned"),
    [(10_001, None, 1), (10_000, None, 0), (10_001, 30, 0)],
)
@pytest.mark.parametrize("train", [train_by_lightgbm, train_by_xgboost])
def test_all_pairs_of_a_long_query_warn_once_at_the_line_that_trains(
    train, n_rows, level, warned
):
    library = train.__name__.removeprefix("train_by_")
    derivatives = of(library, "objective")("nDCG", truncation_level=level)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train(np.arange(n_rows) % 3, derivatives)
    long = [each for each in caught if each.category is LongQueryWarning]
    assert [each.filename for each in long] == [__file__] * warned
    assert all("10,001 documents" in str(each.message) for each in long)


def test_objectives_differ_where_a_parameter_does():
    base = objective("nDCG")
    for other in (
        objective("nDCG@10"),
        objective("nDCG", sigmoid=2),
        objective("nDCG", norm=False),
        objective("nDCG", truncation_level=None),
        objective("nDCG", noise="gumbel"),
        nDCG(),
    ):
        assert base != other
    defaults = {"sigmoid": 1.0, "truncation_level": 30, "norm": True, "n_threads": 2}
    without_noise = {"noise_scale": 2, "n_draws": 7, "random_state": 1}
    assert base == objective("nDCG", **defaults, **without_noise)
    of_noise = {"noise_scale": 0.5, "n_draws": 3, "random_state": 0}
    assert objective("nDCG", noise="gumbel") == objective(
        "nDCG", noise="gumbel", **of_noise
    )


def test_every_library_has_its_facts_an_adapter_and_a_booster():
    packages = {booster.package for booster in BOOSTERS.values() if booster.package}
    assert packages == LIBRARIES.keys() == {package for package, _ in BOOSTERS}
    for package, library in LIBRARIES.items():
        assert importlib.util.find_spec(f"skgraded.{package}") is not None
        assert f"skgraded.{package}." in library.adapters
