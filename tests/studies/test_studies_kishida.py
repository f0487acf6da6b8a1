"""Kishida's studies against tables and closed forms: changed documents, judgments, all lists."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from reference.average_precision import average_precision
from reference.frame import ideal

from skgraded import AP, evaluate, trec, xGAP
from skgraded.rankings import as_rankings
from skgraded.studies import (
    change_by_discovery,
    compare_assessors,
    score_all_lists,
    sensitivity,
    simulate_judgments,
)

grades = st.lists(st.integers(0, 3), min_size=2, max_size=12).filter(any)
binary = st.lists(st.integers(0, 1), min_size=2, max_size=12).filter(any)


def gains(name, x, **options):
    """Gains at every rank of one list, without its own documents elsewhere."""
    scores = -np.arange(len(x), dtype=float)
    return sensitivity(name, x, scores, **options).gains[0, :, 0]


@pytest.mark.parametrize(
    ("n_relevant", "row"),
    [
        (10, ("0.00081", "-0.01737", "-0.03555")),
        (50, ("0.00794", "0.00402", "0.00010")),
        (100, ("0.00891", "0.00693", "0.00495")),
    ],
)
def test_table_1_to_every_digit(n_relevant, row):
    found = change_by_discovery([0.1, 0.3, 0.5], n_relevant, 101)
    assert tuple(f"{value:.5f}" for value in found) == row


@given(binary)
def test_equations_10_and_16_average_precision(x):
    changed, discovered = gains("AP", x), gains("AP", x, pool="grows")
    n_relevant, v = sum(x), AP()(x, -np.arange(len(x)))
    for j in range(1, len(x) + 1):
        if x[j - 1]:
            assert np.isnan(changed[j - 1])
            continue
        above = sum(x[:j]) + 1
        below = sum(x[t - 1] / t for t in range(j + 1, len(x) + 1))
        assert changed[j - 1] == pytest.approx((above / j + below) / n_relevant)
        expected = (above / j + below - v) / (n_relevant + 1)
        assert discovered[j - 1] == pytest.approx(expected, abs=1e-12)


@given(grades)
def test_equation_28_modified_sliding_ratio(x):
    found = gains("ModifiedSlidingRatio", x, change="one_grade", max_grade=4)
    rank = np.arange(1, len(x) + 1)
    np.testing.assert_allclose(
        found, 1 / rank / (np.array(ideal(x)) / rank).sum(), rtol=1e-10
    )


@given(grades)
def test_equations_43_and_44_generalized_average_precision(x):
    rank, relevant, y = np.arange(1, len(x) + 1), np.asarray(x) > 0, np.array(ideal(x))
    best = ((y > 0) * np.cumsum(y) / rank).sum()
    rising = gains("GeneralizedAP", x, change="one_grade", max_grade=4)
    turning = gains("GeneralizedAP", x, change="relevant", grade=3)
    for j in rank:
        if relevant[j - 1]:
            assert rising[j - 1] == pytest.approx(
                (relevant / rank)[j - 1 :].sum() / best
            )
            continue
        expected = (sum(x[:j]) + 3) / j + (relevant * 3 / rank)[j:].sum()
        assert turning[j - 1] == pytest.approx(expected / best)


MEASURES = (
    "xGAP(g=[0.1,0.2,0.7])",
    "nDCG@3",
    "Bpref",
    "ERR(max_grade=3)",
    "RPrecision",
    "infAP",
)


@pytest.mark.parametrize("name", MEASURES)
def test_a_growing_pool_is_that_of_the_changed_labels(name):
    rng = np.random.default_rng(1)
    labels = rng.choice(
        [0.0, 1.0, 2.0, 3.0, np.nan], p=[0.4, 0.2, 0.1, 0.1, 0.2], size=60
    )
    scores, qid = (
        rng.integers(0, 9, size=60).astype(float) + 0.0,
        np.repeat([3, 1, 2], 20),
    )
    scores += np.where(qid == 1, rng.random(60), 0.0)  # ties in two queries
    found = sensitivity(
        [name], labels, scores, qid=qid, change="one_grade", pool="grows"
    )
    rankings = as_rankings(labels, scores, qid)
    before = evaluate([name], rankings).values[:, 0]
    for number, query in enumerate([3, 1, 2]):
        rows = np.flatnonzero(qid == query)
        by_rank = rows[np.argsort(-scores[rows], kind="stable")]
        for j, row in enumerate(by_rank):
            changed = labels.copy()
            changed[row] = np.nan_to_num(changed[row]) + 1
            gain = found.gains[number, j, 0]
            if changed[row] > 3:
                assert np.isnan(gain)
                continue
            after = evaluate([name], changed, scores, qid=qid).values[number, 0]
            assert gain == pytest.approx(after - before[number], abs=1e-12)


def test_retrieved_lists_keep_the_pool_of_the_qrels():
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "missed": 2}}
    run = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
    found = sensitivity("AP", trec.rank(qrels, run))
    v = (1 + 2 / 4) / 3
    assert found.values[0, 0] == pytest.approx(v)
    np.testing.assert_allclose(
        found.gains[0, :, 0], [np.nan, (2 / 2 + 1 / 4) / 3, (2 / 3 + 1 / 4) / 3, np.nan]
    )
    grown = sensitivity("AP", trec.rank(qrels, run), pool="grows")
    assert grown.gains[0, 1, 0] == pytest.approx((1 + 1 + 3 / 4) / 4 - v)
    assert "the pool stays" in repr(found)
    assert "the pool grows with it" in repr(grown)


def test_means_leave_out_documents_that_cannot_change():
    labels, scores, qid = [1, 0, 0, 0], [2, 1, 2, 1], [1, 1, 2, 2]
    found = sensitivity("P@1", labels, scores, qid=qid)
    np.testing.assert_array_equal(
        found.mean()[:, 0], [0.0, 0.0]
    )  # query 2 has nothing relevant
    assert "means over 2 queries" in repr(found)


def test_discovery_checks_its_numbers():
    assert (
        change_by_discovery(0.0, 0, 1) == 1.0 == AP()([1], [1.0])
    )  # the only relevant document
    with pytest.raises(ValueError, match="rank must be >= 1, got 0"):
        change_by_discovery(0.5, 3, 0)
    with pytest.raises(ValueError, match="n_relevant must be >= 0, got -1"):
        change_by_discovery(0.5, -1, 3)


# Variance by judgments

# Kishida's Table 2: mu, sigma_mu^2, sigma_d^2, their sum, and the mean of the observed variances.
TABLE_2 = {
    0.9: (0.62396, 0.01660, 0.01314, 0.02974, 0.03006),
    0.5: (0.60679, 0.00004, 0.03674, 0.03678, 0.03687),
}


def run_of_table_2(theta, seed):
    """Steps 1 to 3 of the report: 50 topics, 10 documents, 1000 judgments."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 10, size=(50, 10))
    pi = np.where(numbers < 5, theta, 1.0 - theta)
    # (2-a): a document is relevant where a random number exceeds its probability.
    topic, score = np.repeat(np.arange(50), 10), np.tile(-np.arange(10.0), 50)
    found = simulate_judgments(
        "AP", 1.0 - pi.ravel(), score, qid=topic, random_state=rng
    )
    parts = (
        found.mean,
        found.between,
        found.within,
        found.between + found.within,
        found.observed,
    )
    return [float(part[0]) for part in parts]


@pytest.mark.parametrize("theta", [0.9, 0.5])
def test_table_2_within_sampling_error(theta):
    runs = np.array([run_of_table_2(theta, seed) for seed in range(20)])
    # The published figures are one more run of the same experiment.
    error = runs.std(axis=0, ddof=1) * np.sqrt(1 + 1 / 20) + 0.5e-5
    assert (np.abs(runs.mean(axis=0) - TABLE_2[theta]) < 3.5 * error).all()
    # The errors are small enough to tell the two runs apart.
    other = TABLE_2[0.5 if theta == 0.9 else 0.9]
    assert (np.abs(runs.mean(axis=0) - other)[1:3] > 5 * error[1:3]).all()


def test_the_simulation_step_by_step():
    rng = np.random.default_rng(4)
    pi, repeats = rng.random((3, 6)), 40
    topic, score = np.repeat([7, 8, 9], 6), np.tile(-np.arange(6.0), 3)
    found = simulate_judgments(
        "AP", pi.ravel(), score, qid=topic, n_repeats=repeats, random_state=1
    )
    drawn = np.random.default_rng(1).random((repeats, 3, 6)) >= 1.0 - pi
    values = np.array(
        [[float(average_precision(x)) for x in judged] for judged in drawn.tolist()]
    )
    np.testing.assert_allclose(found.values[..., 0], values)
    mu_h, sigma_h = values.mean(axis=0), values.var(axis=0, ddof=1)
    assert found.between[0] == pytest.approx(mu_h.var(ddof=1))
    assert found.within[0] == pytest.approx(sigma_h.mean())
    assert found.observed[0] == pytest.approx(values.var(axis=1, ddof=1).mean())
    expected = (sigma_h.mean() + mu_h.var(ddof=1)) / 3
    assert found.variance_of_mean[0] == pytest.approx(expected)
    assert found.share_within[0] == pytest.approx(found.within[0] / (3 * expected))


def test_grades_come_with_their_probabilities():
    probabilities = np.tile([0.5, 0.3, 0.2], (4000, 1))
    found = simulate_judgments(
        ["P@4000", "P(rel=2)@4000"], probabilities, -np.arange(4000.0), n_repeats=5
    )
    np.testing.assert_allclose(found.values.mean(axis=0), [[0.5, 0.2]], atol=0.02)


def test_judgments_without_a_value_are_left_out():
    found = compare_assessors("AP(empty=nan)", [[1, 0, 1], [0, 0, 1]], [2, 1])
    assert (found.mean.tolist(), found.within.tolist()) == ([1.0], [0.0])


def test_rows_in_any_order_and_ties():
    rng = np.random.default_rng(0)
    qid, score = rng.permuted(np.repeat(["a", "b", "c"], 8)), rng.integers(0, 4, 24)
    grades = rng.integers(0, 3, size=(24, 4)).astype(float)
    grades[rng.random((24, 4)) < 0.1] = np.nan
    found = compare_assessors(["xGAP(max_grade=2)", "nDCG@3"], grades, score, qid=qid)
    for number in range(4):
        expected = evaluate(
            ["xGAP(max_grade=2)", "nDCG@3"], grades[:, number], score, qid=qid
        )
        np.testing.assert_allclose(found.values[number], expected.values)
        np.testing.assert_array_equal(found.qid, expected.qid)


def test_batches_do_not_change_the_result(monkeypatch):
    pi, qid, score = (
        np.random.default_rng(0).random(60),
        np.repeat([1, 2], 30),
        np.arange(60.0),
    )
    expected = simulate_judgments("AP", pi, score, qid=qid, n_repeats=20)
    monkeypatch.setattr(
        "skgraded.studies._judgment_variation._DOCUMENTS_AT_A_TIME", 150
    )
    found = simulate_judgments("AP", pi, score, qid=qid, n_repeats=20)
    np.testing.assert_array_equal(found.values, expected.values)


def test_g_by_name_keeps_the_scale_of_all_assessors():
    grades = np.array([[1, 2], [0, 0], [1, 1]])
    by_name = compare_assessors("GAP", grades, [3, 2, 1])
    fixed = compare_assessors("GAP(max_grade=2)", grades, [3, 2, 1])
    np.testing.assert_array_equal(by_name.values, fixed.values)
    assert by_name.measures == ("GAP",)


def test_certain_judgments_do_not_vary_and_one_topic_has_no_variance_between_topics():
    found = simulate_judgments(
        "nDCG", [1.0, 0.0, 1.0, 1.0], [4, 3, 2, 1], qid=[1, 1, 2, 2]
    )
    assert found.within[0] == 0.0
    assert found.values.shape == (1000, 2, 1)
    assert "1000 judgments of each of 2 topics" in " ".join(repr(found).split())
    found = simulate_judgments("AP", [0.5, 0.5], [2, 1])
    assert np.isnan(found.between[0])
    assert found.within[0] > 0


def test_numbers_of_judgments_raise():
    with pytest.raises(ValueError, match="n_repeats must be an integer >= 2, got 1"):
        simulate_judgments("AP", [0.5], [1], n_repeats=1)
    with pytest.raises(ValueError, match=r"at least 2 assessors, got \(2, 1\)"):
        compare_assessors("AP", [[0], [1]], [1, 2])


def test_systems_are_scored_under_the_same_judgments():
    rng = np.random.default_rng(0)
    probabilities, qid = rng.random(60), np.repeat(np.arange(6), 10)
    systems = {"a": rng.random(60), "b": rng.random(60)}
    given = {"qid": qid, "n_repeats": 40}
    both = simulate_judgments(["AP", "P@3"], probabilities, systems, **given)
    assert both.measures == ("a: AP", "a: P@3", "b: AP", "b: P@3")
    for place, score in enumerate(systems.values()):
        alone = simulate_judgments(["AP", "P@3"], probabilities, score, **given)
        np.testing.assert_array_equal(
            both.values[..., 2 * place : 2 * place + 2], alone.values
        )
    table = both.to_frame().set_index("measure")
    assert table.loc["a: AP", "total"] == pytest.approx(
        both.between[0] + both.within[0]
    )


# Every list

KISHIDA = {
    "S'": "ModifiedSlidingRatio",
    "D": "AveragedNDCG",
    "Q": "QMeasure",
    "G": "GeneralizedAP",
    "AP": "AP",
}


def test_kishidas_tables():
    found = score_all_lists(KISHIDA, [1, 3, 2], 5)
    assert len(found.lists) == len(set(found.names)) == 136
    # Table 3.
    np.testing.assert_allclose(
        found.values.mean(axis=0)[:4], [0.488, 0.443, 0.503, 0.410], atol=5e-4
    )
    deviations = found.values.std(axis=0, ddof=1)[:4]
    np.testing.assert_allclose(deviations, [0.245, 0.250, 0.240, 0.228], atol=5e-4)
    # Table 4.
    rows = [
        [0.969],
        [0.885, 0.840],
        [0.963, 0.940, 0.961],
        [0.857, 0.829, 0.928, 0.894],
    ]
    for row, printed in enumerate(rows, start=1):
        np.testing.assert_allclose(found.correlation[row, :row], printed, atol=5e-4)
    # Table 5, of which test_measures_by_hand has all rows.
    values = found.at("03210").values[0, :4]
    np.testing.assert_allclose(values, [0.558, 0.610, 0.750, 0.622], atol=5e-4)


@pytest.mark.parametrize(
    ("grades", "length"), [([1], 1), ([2, 2, 1], 3), ([3, 1], 4), ([5], 3)]
)
def test_lists_are_all_distinct_arrangements(grades, length):
    expected = set(itertools.permutations([*grades, *[0] * length], length))
    found = score_all_lists("AP", grades, length)
    assert set(map(tuple, found.lists.tolist())) == expected
    assert len(found.lists) == len(expected)


def test_values_are_those_of_the_pool():
    found = score_all_lists([xGAP(max_grade=3, k=2), "xGAP(max_grade=3)"], [3, 2, 1], 4)
    y, s = [0, 3, 0, 1, 2], [5.0, 4.0, 3.0, 2.0, 1.0]
    values = found.at("0301").values[0]
    assert values[0] == xGAP(max_grade=3, k=2)(y, s)
    assert values[1] == xGAP(max_grade=3, k=4)(y, s)


def test_names_and_numbers_of_lists():
    found = score_all_lists("nDCG", [12, 1], 2)
    assert found.names == ["12,1", "12,0", "1,12", "1,0", "0,12", "0,1", "0,0"]
    assert found.to_frame()["list"].tolist() == found.names
    told = "lists of 2 documents with some of the relevant ones, of grades 12, 1; means"
    assert f"7 {told}" in " ".join(str(found).split())
    assert "\n2 lists of 2 documents" in str(
        found.at("12,1", "1,0")
    )  # they are not all
    with pytest.raises(KeyError, match="'1,3' is no list of 2 documents"):
        found.at("1,3")
