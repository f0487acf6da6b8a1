"""Comparisons of objectives: cells by hand, studies that are killed, pooled differences."""

import importlib.util
import itertools
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from scipy.sparse import csr_matrix
from scipy.stats import norm
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

import skgraded
from skgraded import (
    GAP,
    QueryKFold,
    QueryRanker,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    evaluate,
    measure,
    query_target,
)
from skgraded._stats.corrections import holm
from skgraded._stats.repeats import repeated_interval
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.model_selection._fitting import staged_scores
from skgraded.studies import combine_objectives, compare_objectives

mpl.use("Agg")

JUDGES = {"xGAP": "xGAP(g=[0.1,0.2,0.3,0.4])", "nDCG": "nDCG@5", "noise": "FDR@3"}
RANKER = LGBMRanker(n_estimators=8, num_leaves=7, min_child_samples=5, verbose=-1)
OBJECTIVES = {
    "lambdarank": "lambdarank",
    "xGAP, all pairs": objective("xGAP(max_grade=4)", truncation_level=None),
    "no truncation": {"objective": "lambdarank", "lambdarank_truncation_level": 1000},
    "XGBoost": XGBRanker(n_estimators=6, max_depth=3, objective="rank:ndcg"),
    "YetiRank": CatBoostRanker(
        iterations=5, depth=2, loss_function="YetiRank", verbose=False, allow_writing_files=False
    ),
    "linear": make_pipeline(StandardScaler(), Ridge()),
}

QUICK = {"lambdarank": "lambdarank", "linear": Ridge()}


@pytest.fixture(scope="module")
def data():
    X, y, qid = make_ranking(n_queries=30, docs_per_query=(5, 25), random_state=2)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], qid[order]


def study(data, objectives=OBJECTIVES, judges=JUDGES, estimator=RANKER, **options):
    X, y, qid = data
    options = {"cv": 2, "n_repeats": 2, **options}
    return compare_objectives(estimator, objectives, judges, X, y, qid=qid, **options)


@pytest.fixture(scope="module")
def found(data):
    return study(data)


# --- one cell by hand -----------------------------------------------------------------------------


def by_group(data, rows):
    """Rows query by query, in the order of first appearance, with group sizes."""
    X, y, qid = data
    first = dict.fromkeys(qid[rows].tolist())
    rows = np.concatenate([rows[qid[rows] == each] for each in first])
    return X[rows], y[rows], qid[rows], [int((qid[rows] == each).sum()) for each in first]


def predictions(name, part):
    """Fit a library's own ranker; return its scores after each iteration, as a function of X."""
    X, y, _, sizes = part
    ids = np.repeat(np.arange(len(sizes)), sizes)
    if name == "XGBoost":
        model = XGBRanker(**{**OBJECTIVES[name].get_params(), "n_jobs": 1}).fit(X, y, qid=ids)
        return lambda other: [model.predict(other, iteration_range=(0, i + 1)) for i in range(6)]
    if name == "YetiRank":
        model = CatBoostRanker(**OBJECTIVES[name].get_params(), thread_count=1)
        model.fit(X, y, group_id=ids)
        return lambda other: [model.predict(other, ntree_end=i + 1) for i in range(5)]
    if name == "linear":
        model = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
        return lambda other: [model.predict(other)]
    params = OBJECTIVES[name] if isinstance(OBJECTIVES[name], dict) else None
    params = params or {"objective": OBJECTIVES[name]}
    model = LGBMRanker(**{**RANKER.get_params(), "n_jobs": 1, **params}).fit(X, y, group=sizes)
    return lambda other: [model.predict(other, num_iteration=i + 1) for i in range(8)]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_cell_is_what_the_library_gives_by_hand(data, found, name):
    X, y, qid = data
    rest, test = list(QueryKFold(2, random_state=1).split(X, groups=qid))[1]
    drawn = QueryShuffleSplit(1, test_size=0.25, random_state=1)
    ((own, held_out),) = drawn.split(X[rest], groups=qid[rest])
    scores_of = predictions(name, by_group(data, rest[own]))
    parts = {}
    for part, rows in (("validation", rest[held_out]), ("test", test)):
        parts[part] = [
            evaluate(list(JUDGES.values()), y[rows], scores, qid=qid[rows])
            for scores in scores_of(X[rows])
        ]
    (cell,) = (
        each for each in found.trainings if (each.objective, each.repeat, each.fold) == (name, 1, 1)
    )
    for part, by_iteration in parts.items():
        np.testing.assert_array_equal(
            getattr(cell, part), np.stack([each.values for each in by_iteration])
        )
    means = np.stack([list(each.mean().values()) for each in parts["validation"]])
    best = np.argmax(means * [1, 1, -1], axis=0)
    row, queries = found.objectives.index(name), parts["test"][0].qid
    place = [found.qid.tolist().index(each) for each in queries]
    np.testing.assert_array_equal(found.iterations[row, :, 1, 1], best + 1)
    for judge, iteration in enumerate(best):
        expected = parts["test"][iteration].values[:, judge]
        np.testing.assert_array_equal(found.values[row, judge, 1, place], expected)


def test_differences_are_those_of_the_repeated_tests_with_one_correction(found):
    p_values = []
    for judge, sign in enumerate([1, 1, -1]):
        differences = sign * (found.values[1:, judge] - found.values[0, judge])
        tested = repeated_interval(differences)
        np.testing.assert_allclose(found.differences[:, judge], tested.mean, atol=1e-12)
        np.testing.assert_allclose(found.intervals[:, judge, 0], tested.low, atol=1e-12)
        np.testing.assert_allclose(found.intervals[:, judge, 1], tested.high, atol=1e-12)
        p_values.append(tested.p_value)
    expected = holm(np.transpose(p_values).ravel()).reshape(found.p_values.shape)
    np.testing.assert_allclose(found.p_values, expected)


def test_every_query_is_tested_once_in_every_repeat(found):
    assert not np.isnan(found.values).any()
    assert found.n_queries.tolist() == [30, 30, 30]
    np.testing.assert_allclose(found.mean(), found.values.mean(axis=(2, 3)))


def test_curves_are_means_over_all_trainings_and_keep_the_last_value(found):
    curves = found.curves("nDCG")
    assert curves.shape == (len(OBJECTIVES), 8)
    of_xgboost = [each.test[:, :, 1] for each in found.trainings if each.objective == "XGBoost"]
    expected = np.mean([each.mean(axis=1) for each in of_xgboost], axis=0)
    np.testing.assert_allclose(curves[found.objectives.index("XGBoost"), :6], expected)
    np.testing.assert_allclose(curves[found.objectives.index("XGBoost"), 6:], expected[-1])
    assert not np.allclose(found.curves("nDCG", "validation"), curves)


def test_queries_without_a_value_are_left_out(data):
    X, y, qid = data
    y = np.where(qid < 6, 0, y)
    found = study(
        (X, y, qid), {"lambdarank": "lambdarank", "a": "rank_xendcg"}, [GAP(empty=np.nan)]
    )
    n_empty = sum(y[qid == each].max() == 0 for each in set(qid.tolist()))
    assert n_empty >= 6
    assert found.n_queries.tolist() == [30 - n_empty]
    assert np.isfinite(found.differences).all()
    assert np.isnan(found.values).sum() == 2 * 2 * n_empty


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"boosting_type": "dart"},
        {"boosting_type": "rf", "subsample": 0.5, "subsample_freq": 1},
        {"linear_tree": True},
        {"objective": "regression"},
        {"min_child_samples": 10_000},
    ],
)
def test_staged_scores_of_lightgbm_are_its_predictions(data, options):
    X, y, qid = data
    ranker = LGBMRanker(**{"n_estimators": 40, "verbose": -1, "n_jobs": 1, **options})
    model = QueryRanker(ranker, measure="AP").fit(X, y, qid=qid).estimator_
    staged = list(staged_scores(model, X))
    assert len(staged) == model.booster_.current_iteration()
    for number, scores in enumerate(staged, start=1):
        expected = model.predict(X, num_iteration=number, raw_score=True)
        np.testing.assert_array_equal(scores, expected)


@pytest.mark.filterwarnings("ignore:.*gblinear` is deprecated:UserWarning")
def test_staged_scores_of_a_linear_xgboost_are_its_last(data):
    X, y, qid = data
    ranker = XGBRanker(n_estimators=5, booster="gblinear", n_jobs=1)
    model = QueryRanker(ranker, measure="AP").fit(X, y, qid=qid).estimator_
    (scores,) = staged_scores(model, X)
    np.testing.assert_array_equal(scores, model.predict(X))


# --- jobs, folders --------------------------------------------------------------------------------


def same(one, other):
    assert one.objectives == other.objectives
    for name in ("values", "iterations", "differences", "p_values", "intervals"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for mine, yours in zip(one.trainings, other.trainings, strict=True):
        np.testing.assert_array_equal(mine.test, yours.test)
        np.testing.assert_array_equal(mine.validation, yours.validation)


def test_the_number_of_jobs_changes_nothing(data, found, tmp_path):
    same(study(data, n_jobs=2, path=tmp_path / "new"), found)
    same(study(data, path=tmp_path / "new"), found)


SCRIPT = """
import sys
from lightgbm import LGBMRanker
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.studies import compare_objectives

def run(path):
    X, y, qid = make_ranking(n_queries=30, docs_per_query=(5, 25), random_state=2)
    objectives = {"lambdarank": "lambdarank", "xGAP": objective("xGAP(max_grade=4)")}
    return compare_objectives(
        LGBMRanker(n_estimators=15, verbose=-1), objectives, ["xGAP"], X, y, qid=qid, cv=3,
        n_repeats=3, path=path,
    )

if __name__ == "__main__":
    run(sys.argv[1])
"""


def test_a_killed_study_goes_on_with_equal_bits(tmp_path):
    script, folder = tmp_path / "killed_study.py", tmp_path / "study"
    script.write_text(SCRIPT)
    package = str(Path(skgraded.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder)], env={**os.environ, "PYTHONPATH": package}
    )
    until = time.monotonic() + 60
    while len(list(folder.glob("*.npz"))) < 3 and time.monotonic() < until:
        time.sleep(0.002)
    process.kill()
    process.wait()
    before = {each: each.stat().st_mtime_ns for each in folder.glob("*.npz")}
    assert 3 <= len(before) < 18
    spec = importlib.util.spec_from_file_location("killed_study", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    resumed = module.run(folder)
    same(resumed, module.run(None))
    assert len(list(folder.glob("*.npz"))) == 18
    assert before == {each: each.stat().st_mtime_ns for each in before}


@pytest.fixture(scope="module")
def stored(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "new"
    study(data, QUICK, path=folder)
    return folder


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"cv": 3}, r"cv is QueryKFold\(n_splits=2, shuffle=True\) and here .*n_splits=3"),
        ({"cv": StratifiedQueryKFold(2)}, "and here StratifiedQueryKFold"),
        ({"validation_fraction": 0.3}, "validation_fraction is 0.25 and here 0.3"),
        ({"random_state": 1}, "random_state is 0 and here 1"),
        ({"judges": {**JUDGES, "nDCG": "nDCG@10"}}, "judge 'nDCG' is nDCG@5 and here nDCG@10"),
        ({"judges": {"nDCG": "nDCG@5"}}, "judge 'xGAP' is .* and here unset"),
        (
            {"objectives": {**QUICK, "linear": Ridge(alpha=2.0)}},
            r"alpha of objectives\['linear'\] is 1.0 and here 2.0",
        ),
        (
            {"objectives": {**QUICK, "linear": LGBMRanker(verbose=-1)}},
            r"class of objectives\['linear'\] is Ridge and here LGBMRanker",
        ),
        (
            {"estimator": LGBMRanker(n_estimators=9, num_leaves=7, verbose=-1)},
            r"min_child_samples of .*; n_estimators of objectives\['lambdarank'\] is 8 and here 9",
        ),
    ],
)
def test_other_settings_are_refused_by_name(data, stored, changes, named):
    with pytest.raises(ValueError, match=named):
        study(data, **{"objectives": QUICK, **changes, "path": stored})


@pytest.mark.parametrize("changed", ["X", "y", "qid"])
def test_other_data_are_refused_by_name(data, stored, changed):
    data = dict(zip(["X", "y", "qid"], data, strict=True))
    data[changed] = data[changed].copy()
    data[changed].flat[0] += 1
    with pytest.raises(ValueError, match=f"{changed} holds other values"):
        study(data.values(), QUICK, path=stored)


def test_objectives_and_repeats_can_be_added(data, stored):
    more = {**QUICK, "xendcg": "rank_xendcg"}
    same(study(data, more, n_repeats=3, path=stored), study(data, more, n_repeats=3))
    same(study(data, QUICK, n_repeats=1, path=stored), study(data, QUICK, n_repeats=1))


def test_names_that_differ_in_signs_alone_have_files_of_their_own(data, tmp_path):
    objectives = {"lambdarank": "lambdarank", "a+b": "regression", "a-b": Ridge()}
    same(
        study(data, objectives, path=tmp_path / "new"),
        study(data, objectives, path=tmp_path / "new"),
    )
    assert len(list((tmp_path / "new").glob("*.npz"))) == 12


def test_a_foreign_folder_and_a_broken_file_are_refused(data, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"path must be a new or empty folder.*notes\.txt"):
        study(data, QUICK, path=tmp_path)
    with pytest.raises(ValueError, match="path must be a folder, got the file"):
        study(data, QUICK, path=tmp_path / "notes.txt")
    study(data, QUICK, path=tmp_path / "new")
    next((tmp_path / "new").glob("*.npz")).write_bytes(b"PK")
    with pytest.raises(ValueError, match="cannot be read: delete it"):
        study(data, QUICK, path=tmp_path / "new")


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objectives": {"lambdarank": "lambdarank"}}, "at least 2 names"),
        ({"objectives": ["lambdarank", "regression"]}, "objectives must be a mapping"),
        ({"objectives": {**QUICK, "a": 3}}, r"objectives\['a'\] must be .* got 3"),
        ({"objectives": {**QUICK, "a": Ridge}}, r"objectives\['a'\] must be"),
        ({"objectives": {**QUICK, "a": QueryRanker(Ridge(), measure="AP")}}, "must be the ranker"),
        ({"estimator": QueryRanker(RANKER, measure="AP")}, "estimator must be the ranker that"),
        ({"baseline": "lambdaranc"}, "baseline must be one of .* Did you mean 'lambdarank'"),
        ({"judges": []}, "judges must hold at least one measure"),
        ({"n_repeats": 0}, "n_repeats must be an integer >= 1"),
        ({"validation_fraction": 1.0}, "validation_fraction must lie strictly"),
        ({"confidence": 95}, "confidence must lie strictly"),
        ({"random_state": None}, "random_state must be an integer"),
        ({"cv": None}, "cv must be a number of folds or a splitter"),
        ({"cv": QueryKFold(2, shuffle=False)}, "cv must draw its folds by a random_state"),
        ({"cv": QueryShuffleSplit(5, test_size=0.5)}, "cv must test every query once"),
    ],
)
def test_bad_arguments_are_named(data, changes, message):
    with pytest.raises(ValueError, match=message):
        study(data, **{"objectives": QUICK, **changes})


def test_data_come_in_all_forms(data):
    X, y, qid = data
    expected = study(data, QUICK, n_repeats=1)
    frame = pd.DataFrame(X).rename(columns=str).assign(qid=qid)
    for features, labels, ids in (
        (X, query_target(y, qid), None),
        (csr_matrix(X), y, qid),
        (frame, y, None),
    ):
        objectives = {**QUICK, "linear": OBJECTIVES["lambdarank"], "lambdarank": "rank_xendcg"}
        found = compare_objectives(
            RANKER, objectives, JUDGES, features, labels, qid=ids, cv=2, n_repeats=1
        )
        np.testing.assert_array_equal(found.values[1], expected.values[0])


def test_an_error_in_training_names_the_objective(data):
    objectives = {**QUICK, "other": {"objective": "no such objective"}}
    with pytest.raises(Exception, match="objective") as caught:
        study(data, objectives, n_repeats=1)
    assert caught.value.__notes__ == ["This is objectives['other'] in repeat 0, fold 0."]


def test_a_judge_without_a_validation_value_is_refused(data):
    X, y, qid = data
    y = np.where(qid < 28, 0, y)
    with pytest.raises(ValueError, match="judges must have a value for some validation query"):
        study((X, y, qid), QUICK, [GAP(empty=np.nan)])


def test_threads_left_open_are_one_and_others_stay():
    from skgraded.studies._objective_trainings import estimator_for

    assert estimator_for(RANKER, "lambdarank").n_jobs == 1
    assert estimator_for(LGBMRanker(n_jobs=2), "lambdarank").n_jobs == 2
    assert estimator_for(LGBMRanker(num_threads=2), "lambdarank").n_jobs is None
    assert estimator_for(RANKER, OBJECTIVES["YetiRank"]).get_params()["thread_count"] == 1
    piped = estimator_for(make_pipeline(StandardScaler(), RANKER), "rank_xendcg")
    assert piped[-1].get_params()["objective"] == "rank_xendcg"
    assert RANKER.objective is None


# --- several data sets ----------------------------------------------------------------------------


_SHIFTS = itertools.count(1)


def with_effects(found, differences, half_widths):
    differences, half_widths = np.array(differences), np.array(half_widths)
    return replace(
        found,
        values=found.values + next(_SHIFTS),  # another data set
        differences=differences,
        intervals=np.stack([differences - half_widths, differences + half_widths], axis=-1),
    )


@pytest.fixture(scope="module")
def small(data):
    return study(data, {**QUICK, "xendcg": "rank_xendcg"}, {"n": "nDCG"}, n_repeats=1)


def test_pooled_differences_are_weighted_by_inverse_variance(small):
    pooled = combine_objectives(
        {
            "one": with_effects(small, [[0.01], [0.0]], [[0.02], [0.0]]),
            "two": with_effects(small, [[0.03], [0.002]], [[0.01], [0.004]]),
            "three": with_effects(small, [[-0.02], [0.001]], [[0.04], [0.002]]),
        }
    )
    z = norm.ppf(0.975)
    variances = np.array([[0.02, 0.0], [0.01, 0.004], [0.04, 0.002]]) ** 2 / z**2
    weights = 1 / variances.mean(axis=1)
    for row, differences in enumerate([[0.01, 0.03, -0.02], [0.0, 0.002, 0.001]]):
        mean = weights @ differences / weights.sum()
        error = np.sqrt(weights**2 @ variances[:, row]) / weights.sum()
        assert pooled.pooled_differences[row, 0] == pytest.approx(mean)
        ends = [mean - z * error, mean + z * error]
        np.testing.assert_allclose(pooled.pooled_intervals[row, 0], ends)
    assert pooled.n_pooled.tolist() == [[3], [3]]
    assert "pooled by inverse variance over one (30 queries)" in " ".join(repr(pooled).split())


def test_pooled_p_values_have_one_correction_and_sets_that_disagree_are_told(small):
    one = with_effects(small, [[0.01], [0.03]], [[0.01], [0.01]])
    other = with_effects(small, [[0.02], [-0.02]], [[0.01], [0.01]])
    pooled = combine_objectives({"one": one, "other": other})
    error = 0.01 / norm.ppf(0.975) / 2**0.5
    p_values = 2 * norm.sf(np.array([0.015, 0.005]) / error)
    np.testing.assert_allclose(pooled.pooled_p_values[:, 0], holm(p_values))
    # Equal weights: Cochran's Q against its one degree of freedom.
    q = 2 * np.array([0.005, 0.025]) ** 2 / (2 * error**2)
    np.testing.assert_allclose(pooled.inconsistency[:, 0], np.maximum(0, 1 - 1 / q))
    text = " ".join(repr(pooled).split())
    assert (
        "disagree by more than chance explains (inconsistency above 50%) in 1 difference:" in text
    )


def test_what_only_one_set_tells_is_not_pooled(small):
    first = with_effects(small, [[0.01], [0.02]], [[0.02], [0.02]])
    other = with_effects(small, [[0.0], [0.0]], [[0.0], [0.0]])
    pooled = combine_objectives({"one": first, "two": other})
    assert np.isnan(pooled.pooled_differences).all()
    text = " ".join(repr(pooled).split())
    assert "not pooled" in text
    assert "data set on which no objective ever differs from the baseline is left out" in text
    table = pooled.to_frame()
    assert table["data_set"].tolist() == ["one", "one", "two", "two"]
    second = with_effects(small, [[0.01], [0.02]], [[0.02], [0.02]])
    table = combine_objectives({"one": first, "two": second}).to_frame()
    assert table["data_set"].tolist() == ["one", "one", "two", "two", "pooled", "pooled"]
    assert table["n_queries"].tolist() == [30, 30, 30, 30, 60, 60]


def test_weights_of_a_set_are_those_of_all_its_objectives(small):
    """Else an interval that is narrow by chance would decide over the pooled difference."""
    chance = with_effects(small, [[0.02], [0.0]], [[1e-6], [0.02]])
    other = with_effects(small, [[0.0], [0.0]], [[0.02], [0.02]])
    pooled = combine_objectives({"chance": chance, "other": other})
    assert pooled.pooled_differences[0, 0] < 0.015


def test_pooled_intervals_hold_where_there_is_no_difference(small):
    """Four sets, two objectives, five repeats whose training data overlap."""
    rng, missed, n = np.random.default_rng(0), 0, 300

    def ranker(n_queries):
        repeats = rng.normal(0.0, 0.01, (n, 1, 1)) + rng.normal(0.0, 0.01, (n, 5, 1))
        return (
            repeats
            + rng.normal(0.0, 0.05, (n, 1, n_queries)) / 2
            + rng.normal(0.0, 0.05, (n, 5, n_queries))
        )

    tested = []
    for n_queries in (100, 60, 60, 30):
        baseline = ranker(n_queries)
        tested.append([repeated_interval(ranker(n_queries) - baseline) for _ in range(2)])
    for number in range(n):
        results = {
            str(place): with_effects(
                small,
                [[each.mean[number]] for each in of_set],
                [[each.high[number] - each.mean[number]] for each in of_set],
            )
            for place, of_set in enumerate(tested)
        }
        low, high = combine_objectives(results).pooled_intervals[0, 0]
        missed += not low <= 0.0 <= high
    assert missed <= 0.065 * n


def test_an_objective_may_be_missing_on_a_set(data, small):
    other = study(data, {"lambdarank": "lambdarank", "new": "regression"}, {"n": "AP"}, n_repeats=1)
    pooled = combine_objectives({"one": small, "two": other})
    assert pooled.objectives == ("linear", "xendcg", "new")
    assert np.isnan(pooled.differences[:, :, 0]).tolist() == [[0, 0, 1], [1, 1, 0]]
    assert np.isnan(pooled.pooled_differences).all()


def test_results_that_do_not_fit_are_refused(small):
    for what, other in (("judges", ("x",)), ("confidence", 0.9)):
        with pytest.raises(ValueError, match=f"results must have the same {what}"):
            combine_objectives({"one": small, "two": replace(small, **{what: other})})
    with pytest.raises(ValueError, match="same values of 'lambdarank' for 'one' and 'again'"):
        combine_objectives({"one": small, "again": small})
    swapped = replace(small, objectives=small.objectives[::-1])
    with pytest.raises(ValueError, match="results must have the same baseline"):
        combine_objectives({"one": small, "two": swapped})
    with pytest.raises(ValueError, match="results must be a mapping of at least 2"):
        combine_objectives({"one": small})


# --- tables and pictures --------------------------------------------------------------------------


def test_the_table_says_what_it_shows(found):
    text = " ".join(repr(found).split())
    assert "30 queries and 2 repeats" in text
    assert "Holm's correction for 15 tests" in text
    assert "2 repeats are few" in text
    assert f"{found.mean()[0, 0]:.4f}" in text
    assert f"{found.differences[1, 0]:+.4f} [" in text
    table = found.to_frame()
    assert len(table) == 15
    row = table[(table["objective"] == "XGBoost") & (table["judge"] == "noise")].iloc[0]
    at = found.compared.index("XGBoost")
    assert row["low"] == found.intervals[at, 2, 0]
    assert row["mean"] == found.mean()[at + 1, 2]
    assert row["baseline_mean"] == found.mean()[0, 2]


def test_a_forest_asks_and_answers(found, small):
    ax = found.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == list(found.compared)
    assert len(ax.containers) == 3
    assert ax.get_title(loc="left").startswith("Is an objective better than lambdarank?")
    assert len({each.lines[0].get_color() for each in ax.containers}) == 3
    assert len({each.lines[0].get_marker() for each in ax.containers}) == 3
    clear = replace(
        with_effects(small, [[0.1], [-0.1]], [[0.01], [0.01]]), p_values=np.array([[0.01], [0.02]])
    )
    title = clear.plot("n").get_title(loc="left")
    assert title.endswith("Better: linear; worse: xendcg.")
    worse = replace(clear, p_values=np.array([[0.2], [0.02]])).plot().get_title(loc="left")
    assert worse.endswith("None is established to be better; worse: xendcg.")
    unclear = replace(clear, p_values=np.array([[0.2], [0.3]]))
    assert "No difference is established" in unclear.plot().get_title(loc="left")
    with pytest.raises(KeyError, match="AP is not among the judges: n"):
        clear.plot("AP")


def test_a_forest_of_several_sets_has_a_mark_for_each_and_a_pooled_one(small):
    one, two = (with_effects(small, [[0.01], [0.0]], [[0.001], [0.02]]) for _ in range(2))
    pooled = combine_objectives({"one": one, "two": two})
    ax = pooled.plot()
    labels = [each.get_label() for each in ax.containers]
    assert labels == ["one (30 queries)", "two (30 queries)", "pooled"]
    drawn = ax.containers[2].lines[0].get_xdata()
    np.testing.assert_allclose(drawn, pooled.pooled_differences[:, 0])
    assert "Pooled over 2 data sets, better: linear." in ax.get_title(loc="left")


def test_learning_curves_mark_where_the_judge_stopped(found):
    figure = mpl.figure.Figure()
    ax = found.plot_curves("nDCG", figure.subplots())
    assert ax.figure is figure
    assert len(ax.lines) == len(found.objectives)
    for number, line in enumerate(ax.lines):
        np.testing.assert_allclose(line.get_ydata(), found.curves("nDCG")[number])
        stopped = round(float(found.iterations[number, 1].mean()))
        assert abs(line.get_markevery()[0] + 1 - stopped) <= 1
    looks = {(each.get_color(), each.get_marker(), each.get_linestyle()) for each in ax.lines}
    assert len(looks) == len(found.objectives)
    assert "how soon?" in ax.get_title(loc="left")


def test_judges_without_names_have_those_of_the_measures(data):
    found = study(data, QUICK, "xGAP", n_repeats=1)
    assert found.judges == ("xGAP",)
    assert found.measures == (measure("xGAP(max_grade=4)"),)
