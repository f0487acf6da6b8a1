"""Variance by judgments: the published simulation, and the literal loop over judgments."""

import numpy as np
import pytest
from reference.average_precision import average_precision

from skgraded import evaluate
from skgraded.studies import compare_assessors, simulate_judgments

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
    found = simulate_judgments("AP", 1.0 - pi.ravel(), score, qid=topic, random_state=rng)
    parts = (found.mean, found.between, found.within, found.between + found.within, found.observed)
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
    values = np.array([[float(average_precision(x)) for x in judged] for judged in drawn.tolist()])
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
        expected = evaluate(["xGAP(max_grade=2)", "nDCG@3"], grades[:, number], score, qid=qid)
        np.testing.assert_allclose(found.values[number], expected.values)
        np.testing.assert_array_equal(found.qid, expected.qid)


def test_batches_do_not_change_the_result(monkeypatch):
    pi, qid, score = np.random.default_rng(0).random(60), np.repeat([1, 2], 30), np.arange(60.0)
    expected = simulate_judgments("AP", pi, score, qid=qid, n_repeats=20)
    monkeypatch.setattr("skgraded.studies._judgment_variation._DOCUMENTS_AT_A_TIME", 150)
    found = simulate_judgments("AP", pi, score, qid=qid, n_repeats=20)
    np.testing.assert_array_equal(found.values, expected.values)


def test_g_by_name_keeps_the_scale_of_all_assessors():
    grades = np.array([[1, 2], [0, 0], [1, 1]])
    by_name = compare_assessors("GAP", grades, [3, 2, 1])
    fixed = compare_assessors("GAP(max_grade=2)", grades, [3, 2, 1])
    np.testing.assert_array_equal(by_name.values, fixed.values)
    assert by_name.measures == ("GAP",)


def test_certain_judgments_do_not_vary_and_one_topic_has_no_variance_between_topics():
    found = simulate_judgments("nDCG", [1.0, 0.0, 1.0, 1.0], [4, 3, 2, 1], qid=[1, 1, 2, 2])
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
        np.testing.assert_array_equal(both.values[..., 2 * place : 2 * place + 2], alone.values)
    table = both.to_frame().set_index("measure")
    assert table.loc["a: AP", "total"] == pytest.approx(both.between[0] + both.within[0])
