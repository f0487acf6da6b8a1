"""Models chosen by each measure: equal to scikit-learn's own search, fold by fold."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRanker
from scipy.stats import ttest_rel
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from skgraded import QueryKFold, QueryRanker, evaluate, make_ranking_scorer, query_target
from skgraded._stats.corrections import holm
from skgraded._stats.repeats import repeated_interval
from skgraded.datasets import make_ranking
from skgraded.studies import ModelChoice, choose_by_search, choose_by_stopping

MEASURES = ["nDCG@10", "RR", "xGAP(max_grade=4)"]
GRID = {"max_depth": [1, 3, 8], "min_samples_leaf": [1, 10]}


@pytest.fixture(scope="module")
def data():
    X, y, qid = make_ranking(n_queries=30, docs_per_query=(5, 25), random_state=2)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], qid[order]


@pytest.fixture(scope="module")
def searched(data):
    X, y, qid = data
    tree = DecisionTreeRegressor(random_state=0)
    return choose_by_search(tree, GRID, X, y, measures=MEASURES, qid=qid, n_folds=3)


def test_a_search_is_that_of_scikit_learn_by_each_measure(data, searched):
    X, y, qid = data
    position = {query: number for number, query in enumerate(searched.qid)}
    for fold, (own, other) in enumerate(QueryKFold(3, random_state=0).split(X, groups=qid)):
        search = GridSearchCV(
            QueryRanker(DecisionTreeRegressor(random_state=0), measure="nDCG@10"),
            {f"estimator__{name}": values for name, values in GRID.items()},
            scoring=make_ranking_scorer(MEASURES),
            refit=False,
            cv=QueryKFold(3, random_state=0),
        ).fit(X[own], query_target(y[own], qid[own]))
        for chooser, name in enumerate(MEASURES):
            means = search.cv_results_[f"mean_test_{name}"]
            np.testing.assert_allclose(searched.candidate_scores[fold, :, chooser], means)
            chosen = {
                key.removeprefix("estimator__"): value
                for key, value in search.cv_results_["params"][int(np.argmax(means))].items()
            }
            assert searched.choices[fold][chooser] == chosen
            model = DecisionTreeRegressor(random_state=0, **chosen).fit(X[own], y[own])
            expected = evaluate(MEASURES, y[other], model.predict(X[other]), qid=qid[other])
            rows = [position[query] for query in expected.qid]
            np.testing.assert_allclose(searched.values[chooser, rows], expected.values)


def test_every_query_is_held_out_once(data, searched):
    assert not np.isnan(searched.values).any()
    assert sorted(searched.qid) == sorted(set(data[2]))


def test_gains_are_against_the_judges_own_choice(searched):
    gain, means = searched.gain(), searched.mean()
    np.testing.assert_array_equal(np.diagonal(gain), 0.0)
    assert gain[0, 1] == pytest.approx(means[0, 1] - means[1, 1])
    expected = ttest_rel(searched.values[0, :, 1], searched.values[1, :, 1]).pvalue
    raw = searched.p_values("none")
    assert raw[0, 1] == pytest.approx(expected)
    others = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(searched.p_values()[others], holm(raw[others]))
    np.testing.assert_array_equal(np.diagonal(searched.p_values()), 1.0)
    low, high = ttest_rel(searched.values[0, :, 1], searched.values[1, :, 1]).confidence_interval(
        0.9
    )
    np.testing.assert_allclose(searched.intervals(0.9)[0, 1], [low, high])
    same = np.mean([fold[0] == fold[2] for fold in searched.choices])
    assert searched.agreement()[0, 2] == same


def test_where_less_is_better_a_lower_value_gains():
    values = np.zeros((2, 3, 2))
    values[0, :, 1], values[1, :, 1] = 0.4, 0.3
    found = ModelChoice(
        measures=("AP", "FDR"),
        qid=np.arange(3),
        values=values,
        choices=((1, 2),),
        directions=np.array([1.0, -1.0]),
        by="search",
    )
    assert found.gain()[0, 1] == pytest.approx(-0.1)
    np.testing.assert_allclose(found.intervals()[0, 1], -0.1)


def test_stopping_keeps_the_iterations_of_each_measure(data):
    X, y, qid = data
    ranker = LGBMRanker(n_estimators=40, num_leaves=4, n_jobs=1, verbose=-1)
    options = {"validation_fraction": 0.3, "early_stopping_rounds": 5}
    found = choose_by_stopping(
        ranker, X, y, measures=MEASURES, qid=qid, n_folds=2, random_state=1, **options
    )
    own, other = next(QueryKFold(2, random_state=1).split(X, groups=qid))
    expected = QueryRanker(ranker, measure=MEASURES[1], random_state=1, **options)
    expected.fit(X[own], y[own], qid=qid[own])
    assert found.choices[0][1] == expected.best_iteration_
    scored = evaluate(MEASURES, y[other], expected.predict(X[other]), qid=qid[other])
    rows = np.flatnonzero(np.isin(found.qid, scored.qid))
    np.testing.assert_allclose(np.sort(found.values[1, rows, 0]), np.sort(scored.values[:, 0]))
    assert "iterations" in repr(found)
    assert found.candidate_scores is None


@pytest.mark.parametrize("by", ["search", "stopping"])
def test_repeats_are_single_studies_with_the_next_seeds(data, by):
    X, y, qid = data
    if by == "search":
        tree, grid = DecisionTreeRegressor(random_state=0), {"max_depth": [1, 3, 8]}
        study, args = choose_by_search, (tree, grid)
    else:
        ranker = LGBMRanker(n_estimators=20, num_leaves=4, n_jobs=1, verbose=-1)
        study, args = choose_by_stopping, (ranker,)
    given = {"measures": MEASURES, "qid": qid, "n_folds": 2}
    found = study(*args, X, y, **given, random_state=3, n_repeats=2)
    singles = [study(*args, X, y, **given, random_state=seed) for seed in (3, 4)]
    assert found.n_repeats == 2
    assert [each.n_repeats for each in singles] == [1, 1]
    np.testing.assert_array_equal(found.repeats, [each.values for each in singles])
    np.testing.assert_array_equal(found.values, np.mean([each.values for each in singles], axis=0))
    assert found.choices == singles[0].choices + singles[1].choices
    differences = found.repeats[:, 0, :, 1] - found.repeats[:, 1, :, 1]
    folds = np.array(
        [
            [
                np.isin(each, qid[next(QueryKFold(2, random_state=seed).split(X, groups=qid))[1]])
                for each in found.qid
            ]
            for seed in (3, 4)
        ]
    ).astype(np.int64)
    expected = repeated_interval(differences[None], folds=folds)
    assert found.p_values("none")[0, 1] == pytest.approx(expected.p_value[0], rel=1e-9)
    ends = [expected.low[0], expected.high[0]]
    np.testing.assert_allclose(found.intervals()[0, 1], ends, rtol=1e-9)
    text = " ".join(repr(found).split())
    assert "on 30 queries held out in 4 folds of 2 repeats" in text
    assert "over queries and repeats, Holm's correction for 6 tests" in text
    if by == "search":
        np.testing.assert_array_equal(
            found.candidate_scores, np.concatenate([each.candidate_scores for each in singles])
        )
    parallel = study(*args, X, y, **given, random_state=3, n_repeats=2, n_jobs=2)
    np.testing.assert_array_equal(found.repeats, parallel.repeats)
    assert found.choices == parallel.choices
    assert found.n_top == parallel.n_top == min(each.n_top for each in singles)


def test_few_validation_queries_with_the_top_grade_are_noted(data):
    X, y, qid = data
    ranker = LGBMRanker(n_estimators=5, num_leaves=4, n_jobs=1, verbose=-1)
    given = {"measures": MEASURES[:2], "n_folds": 2, "validation_fraction": 0.5}
    top = set(qid[y == y.max()].tolist())
    found = choose_by_stopping(ranker, X, y, qid=qid, **given)
    counts = []
    for own, _ in QueryKFold(2, random_state=0).split(X, groups=qid):
        model = QueryRanker(ranker, measure=MEASURES[0], random_state=0, validation_fraction=0.5)
        model.fit(X[own], y[own], qid=qid[own])
        validated = set(qid[model.validation_queries_.contains(qid)].tolist())
        counts.append(len(top & validated))
    assert found.n_top == min(counts) < 20
    noun = "query" if found.n_top == 1 else "queries"
    assert f"only {found.n_top} {noun} with a document of the top grade." in repr(found)
    enough = dataclasses.replace(found, n_top=20)
    assert "top grade" not in repr(enough)


@pytest.mark.parametrize("study", [choose_by_search, choose_by_stopping])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_repeats": 0}, "n_repeats must be an integer >= 1, got 0"),
        ({"n_repeats": 1.5}, "n_repeats must be an integer >= 1, got 1.5"),
        ({"random_state": None}, "random_state must be an integer >= 0, got None"),
    ],
)
def test_repeats_that_cannot_be_are_refused(data, study, given, message):
    X, y, qid = data
    args = (GRID,) if study is choose_by_search else ()
    with pytest.raises(ValueError, match=message):
        study(DecisionTreeRegressor(), *args, X, y, measures=MEASURES, qid=qid, **given)


def test_an_unknown_correction_is_refused(searched):
    with pytest.raises(ValueError, match="correction must be one of 'holm', 'bh', 'none', got"):
        searched.p_values("bonferroni")


def test_one_measure_alone_cannot_differ(data):
    X, y, qid = data
    with pytest.raises(ValueError, match="measures must hold at least 2 measures, got 1"):
        choose_by_search(DecisionTreeRegressor(), GRID, X, y, measures=["AP"], qid=qid)


def test_plot_table_and_frame(searched):
    ax = searched.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == MEASURES
    texts = [each.get_text().split("\n")[0] for each in ax.texts]
    assert texts[0] == f"{searched.mean()[0, 0]:.4f}"
    assert texts[1] == f"{searched.gain()[0, 1]:+.4f}"
    assert "on 30 queries held out in 3 folds" in " ".join(repr(searched).split())
    table = searched.to_frame()
    assert len(table) == 9
    assert table.loc[table["chosen_by"] == table["judged_by"], "agreement"].eq(1.0).all()


def test_ids_of_other_rows_are_refused(data):
    X, y, qid = data
    tree, grid = DecisionTreeRegressor(random_state=0), {"max_depth": [1, 3]}
    index = np.arange(len(y))[::-1]
    with pytest.raises(ValueError, match="qid must have its rows in the order of X"):
        choose_by_search(
            tree, grid, pd.DataFrame(X), y, measures=MEASURES, qid=pd.Series(qid, index=index)
        )
    sizes = np.unique(qid, return_counts=True)[1]
    with pytest.raises(ValueError, match="look like group sizes"):
        choose_by_search(tree, grid, X, y, measures=MEASURES, qid=sizes)


class Overflowing(Ridge):
    def predict(self, X):
        return super().predict(X) * (np.nan if self.alpha > 1e6 else 1.0)


def test_a_candidate_that_predicts_nan_is_refused_and_not_chosen(data):
    X, y, qid = data
    with pytest.raises(ValueError, match="y_score must be finite, got nan"):
        choose_by_search(Overflowing(), {"alpha": [1.0, 1e9]}, X, y, measures=MEASURES, qid=qid)
