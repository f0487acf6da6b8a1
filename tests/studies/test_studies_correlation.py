"""Agreement of system orders: against literal definitions, and the facts of published tables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from samples import collection
from scipy import stats

from skgraded import trec
from skgraded.studies import (
    above_first_quartile,
    best_systems,
    correlate,
    kendall_tau,
    pearson,
    rms_error,
    sweep_thresholds,
    tau_ap,
    threshold_grid,
    threshold_measures,
    topic_facts,
)

values = st.lists(st.integers(0, 4), min_size=2, max_size=6)


def literal_tau_ap(reference, order):
    """tau_AP of one order of the systems, a pair tied in the reference counting one half."""
    n = len(order)
    total = 0.0
    for i in range(1, n):
        above = [reference[order[j]] - reference[order[i]] for j in range(i)]
        total += sum(1.0 if d > 0 else 0.5 if d == 0 else 0.0 for d in above) / i
    return 2.0 * total / (n - 1) - 1.0


@given(st.data())
def test_tau_ap_is_the_mean_over_the_orders_of_tied_systems(data):
    estimate = data.draw(values)
    n = len(estimate)
    reference = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    orders = [
        order
        for order in itertools.permutations(range(len(estimate)))
        if all(estimate[a] >= estimate[b] for a, b in itertools.pairwise(order))
    ]
    expected = np.mean([literal_tau_ap(reference, order) for order in orders])
    assert tau_ap(reference, estimate) == pytest.approx(expected, abs=1e-12)


def test_tau_ap_minds_the_top_and_its_direction():
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) < tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    reference, estimate = [1, 2, 3, 4, 5], [5, 1, 2, 3, 4]
    assert tau_ap(reference, estimate) != tau_ap(estimate, reference)
    mean = (tau_ap(reference, estimate) + tau_ap(estimate, reference)) / 2
    assert tau_ap(reference, estimate, symmetric=True) == pytest.approx(mean)
    with pytest.raises(ValueError, match="symmetric must be True or False, got 1"):
        tau_ap(reference, estimate, symmetric=1)


def test_kendall_pearson_and_rms_error():
    rng = np.random.default_rng(0)
    first, second = rng.random(20), rng.random(20)
    assert kendall_tau(first, second) == pytest.approx(
        stats.kendalltau(first, second).statistic
    )
    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert rms_error(first, second) == pytest.approx(
        np.linalg.norm(first - second) / np.sqrt(20)
    )
    assert np.isnan(pearson(first, np.ones(20)))
    assert np.isnan(kendall_tau(first, np.ones(20)))
    for statistic in (kendall_tau, tau_ap, pearson, rms_error):
        with pytest.raises(ValueError, match=r"got shapes \(2,\) and \(3,\)"):
            statistic([1, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="at least 2 systems, got 1"):
            statistic([1], [1])


@pytest.fixture(scope="module")
def scores():
    qrels, runs = collection(12, 30, 8, seed=7)
    measures = [*threshold_measures(threshold_grid(2, 4)), "AP", "nDCG", "FDR@10"]
    return trec.evaluate(measures, qrels, runs), topic_facts(qrels)


def test_correlate_gives_every_statistic_of_every_pair(scores):
    runs, facts = scores
    few = facts.few(2, ratio=3)
    assert 0 < few.sum() < len(few)
    found = correlate(runs, topics={"all": np.ones(12, bool), "few": few})
    ap, ndcg = runs["AP"].values, runs["nDCG"].values
    assert found.get("nDCG", "AP")[1] == kendall_tau(
        ndcg[:, few].mean(1), ap[:, few].mean(1)
    )
    assert found.get("AP", "nDCG", "tau_ap")[0] == pytest.approx(
        tau_ap(ap.mean(1), ndcg.mean(1))
    )
    assert found.get("AP", "nDCG", "rmse")[0] == pytest.approx(
        rms_error(ap.mean(1), ndcg.mean(1))
    )
    assert found.get("AP", "FDR@10")[0] > 0  # less is better: its order is turned round
    assert found.n_topics == (12, few.sum())
    assert f"8 systems; all: 12 topics, few: {few.sum()} topics." in repr(found)


def test_the_sweep_correlates_measures_of_the_same_g(scores):
    runs, facts = scores
    sweep = sweep_thresholds(
        runs, topics={"all": np.ones(12, bool), "few": facts.few(2, 3)}
    )
    assert sweep.columns == ("GAP", "AP", "nDCG", "FDR@10")
    assert sweep.grid == tuple(threshold_grid(2, 4))
    found = correlate(runs).get("xGAP(g=[0.25,0.75])", "GAP(g=[0.25,0.75])")[0]
    assert sweep.kendall[1, 1, 0, 0] == found
    # With one grade alone all three are AP at that threshold.
    np.testing.assert_allclose(sweep.kendall[[0, -1], :, 0], 1.0)
    np.testing.assert_allclose(sweep.kendall[-1, :, 1], 1.0)
    assert "(0.25, 0.75)" in repr(sweep)


def test_the_column_of_a_sweep_is_the_reference_of_tau_ap():
    rng = np.random.default_rng(0)
    names = [*map(str, threshold_measures([(0.5, 0.5)])), "AP"]
    _, xgap, _, ap = columns = rng.random((4, 9, 3))
    sweep = sweep_thresholds(dict(zip(names, columns, strict=True)))
    reference, estimate = ap.mean(axis=1), xgap.mean(axis=1)
    assert sweep.tau_ap[0, 1, 1, 0] == pytest.approx(tau_ap(reference, estimate))
    assert tau_ap(reference, estimate) != pytest.approx(tau_ap(estimate, reference))


def test_the_systems_kept_are_those_above_the_quartile(scores):
    runs, _ = scores
    kept = above_first_quartile(runs)
    assert correlate(runs, systems=kept).systems == tuple(np.array(runs.systems)[kept])
    ap = runs["AP"].means
    assert np.median(ap[kept]) > ap[~kept].max()
    # As many as in the papers
    for n_runs, above in ((95, 71), (74, 55), (27, 20)):
        table = {"AP": np.random.default_rng(n_runs).random((n_runs, 3))}
        assert above_first_quartile(table).sum() == above


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8), st.data())
def test_the_best_systems_have_the_best_means(means, data):
    n = data.draw(st.integers(1, len(means)))
    best = best_systems({"AP": np.array(means, dtype=float)[:, None]}, n)
    assert best.sum() == n
    assert sorted(np.array(means)[best]) == sorted(means)[-n:]
    first = [
        number
        for number, mean in enumerate(means)
        if mean == min(np.array(means)[best])
    ]
    assert all(best[one] >= best[other] for one, other in itertools.pairwise(first))


def test_the_best_systems_by_a_measure_of_which_lower_values_are_better():
    scores = {"AP": [[0.3], [0.2], [0.1]], "Fallout": [[0.1], [0.2], [0.3]]}
    assert best_systems(scores, 2, "Fallout").tolist() == [True, True, False]
    assert best_systems({"AP": [[np.nan], [0.2], [0.1]]}, 2).tolist() == [
        False,
        True,
        True,
    ]
    with pytest.raises(
        ValueError, match="n_systems must be at most the number of systems, 3, got"
    ):
        best_systems(scores, 4)


@pytest.mark.parametrize(
    ("name", "first_topic", "grades", "expected"),
    [
        ("qrels.adhoc.451-550", 501, {}, ({2: 17}, 2, 67.26, 372)),
        ("qrels.robust05", 0, {}, ({2: 6}, 9, 131.22, 376)),
        ("qrels.web.151-200", 0, {4: 3}, ({2: 10, 3: 7}, 6, 70.46, 253)),
    ],
)
def test_topic_facts_are_those_of_the_papers_table_1(
    data_dir, name, first_topic, grades, expected
):
    qrels = trec.read_qrels(data_dir / "qrels" / f"{name}.txt.xz").map_grades(grades)
    of_track = {
        t: judged for t, judged in qrels.to_dict().items() if int(t) >= first_topic
    }
    facts = topic_facts(of_track)
    assert len(facts.topics) == 50
    n = facts.n_relevant
    few = {grade: facts.few(grade).sum() for grade in expected[0]}
    assert (few, n.min(), round(n.mean(), 2), n.max()) == expected


def test_a_document_that_was_not_judged_does_not_count():
    facts = topic_facts({"q": {"a": 1, "b": -1, "c": -2, "d": 0}})
    assert facts.of_grade(5).sum() == 0
    assert facts.to_frame().to_dict("list") == {
        "topic": ["q"],
        "R(0)": [2],
        "R(1)": [1],
    }


TABLE, KEPT = {"AP": np.random.default_rng(0).random((3, 4))}, np.ones(3, bool)
NONE = np.zeros(4, bool)


@pytest.mark.parametrize(
    ("study", "scores", "options", "error", "message"),
    [
        (
            correlate,
            {"AP": np.ones((1, 3))},
            {},
            ValueError,
            "at least 2 systems, got 1",
        ),
        (
            correlate,
            TABLE,
            {"topics": {"few": NONE}},
            ValueError,
            r"topics\['few'\] must hold at",
        ),
        (
            correlate,
            TABLE,
            {"topics": {"few": [0, 1]}},
            ValueError,
            r"a mask of shape \(4,\)",
        ),
        (
            correlate,
            TABLE,
            {"systems": KEPT[1:]},
            ValueError,
            r"a mask of shape \(3,\), got bool",
        ),
        (
            correlate,
            TABLE,
            {"systems": [0, 1]},
            ValueError,
            r"a mask of shape \(3,\), got int64",
        ),
        (
            sweep_thresholds,
            TABLE,
            {},
            ValueError,
            "GAP, xGAP and eGAP with the same g, got AP",
        ),
    ],
)
def test_what_cannot_be_correlated_is_refused(study, scores, options, error, message):
    with pytest.raises(error, match=message):
        study(scores, **options)


def test_plots(scores):
    runs, facts = scores
    ax = correlate(runs[["AP", "nDCG"]]).plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["AP", "nDCG"]
    assert "AP and nDCG order systems most alike (" in " ".join(
        ax.get_title(loc="left").split()
    )
    sweep = sweep_thresholds(
        runs, topics={"all": np.ones(12, bool), "few": facts.few(2, 3)}
    )
    ax = sweep.plot()
    assert {"GAP, all", "eGAP, few"} < {
        each.get_text() for each in ax.get_legend().get_texts()
    }
    assert "systems least like AP (Kendall's tau" in " ".join(
        ax.get_title(loc="left").split()
    )
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), sweep.kendall[:, 0, 1, 0])
    equal = np.full((3, 5), 0.5)
    undefined = correlate({"AP": equal, "P@5": equal}).plot()
    undefined.figure.canvas.draw()
    assert [text.get_text() for text in undefined.texts] == ["nan"] * 4
    assert undefined.get_title(loc="left") == ""


def test_the_table_of_a_statistic_is_what_is_drawn():
    scores = {"AP": [[0.5, 0.7], [0.3, 0.4]], "RR": [[1.0, 1.0], [0.5, 0.3]]}
    table = correlate(scores).table("rmse")
    assert table.to_text() == correlate(scores).to_text("rmse")
    assert table.to_text() != correlate(scores).to_text()
