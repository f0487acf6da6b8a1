"""One verdict a row: interval, p-value, decision and plan, worst losses, families and looks."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from skgraded import compare
from skgraded._intervals.estimate import means
from skgraded._intervals.repeats import over_repeats
from skgraded.results import Scores


def scores_of(values, measures=("AP",), **others):
    """Scores of systems a, b, ...; values by system, maybe repeat, query and maybe measure."""
    values = np.asarray(values, dtype=float)
    if values.ndim == 2:
        values = values[..., None]
    fields = {
        "measures": measures,
        "systems": tuple("abcdefghijklmnopqrstuvwxyz"[: len(values)]),
        "directions": (1,) * len(measures),
        "qid": np.array([f"q{each}" for each in range(values.shape[1])]),
    }
    return Scores(values=values, **{**fields, **others})


def pair_of(differences, base=0.5, **others):
    values = np.stack([np.zeros(len(differences)), differences])
    return scores_of(base + values, **others)


SLIGHT = np.random.default_rng(0).normal(0.0, 0.1, 80).clip(-0.4, 0.4)
SLIGHT += 0.01 - SLIGHT.mean()


# One verdict


steps = st.sampled_from([-0.5, -0.2, -0.01, 0.0, 0.0, 0.01, 0.1, 0.3])
rows = st.lists(steps, min_size=2, max_size=60)


@given(
    rows,
    st.sampled_from([None, 0.5, 1.0]),
    st.sampled_from([0.9, 0.95]),
    st.sampled_from([0.0, 0.01, 0.05, 0.3]),
    st.sampled_from([1, -1]),
)
def test_interval_p_value_and_decision_agree(rows, worst, confidence, margin, sign):
    scores = pair_of(rows, directions=(sign,))
    options = {"worst": worst, "confidence": confidence}
    for found in (
        compare(scores, **options),
        compare(scores, baseline="a", margin=margin, **options),
    ):
        low, high = sorted(sign * found.interval[0, 0])
        assert found.significant[0, 0] == (low > 0 or high < 0)
        assert found.significant[0, 0] == (found.p_value["score"][0, 0] < found.level)
    decision = "undecided"
    if low > -margin:
        decision = "holds"
    elif high < -margin:
        decision = "fails"
    assert found.decisions.tolist() == [[decision]]
    holds_to = found.holds_to_worst[0, 0]
    if decision == "holds":
        assert holds_to >= found.worst[0, 0] * (1 - 1e-9)
    elif decision == "undecided" and not np.isnan(holds_to):
        assert holds_to <= found.worst[0, 0] * (1 + 1e-9)


def test_a_row_holds_up_to_the_worst_loss_that_it_names():
    scores = pair_of(SLIGHT)
    found = compare(scores, baseline="a", margin=0.02)
    assert found.decisions.tolist() == [["undecided"]]
    holds_to = found.holds_to_worst[0, 0]
    for factor, decision in ((0.999, "holds"), (1.001, "undecided")):
        again = compare(scores, baseline="a", margin=0.02, worst=factor * holds_to)
        assert again.decisions.tolist() == [[decision]]
        assert again.holds_to_worst[0, 0] == pytest.approx(holds_to)
    told = f"within 0.02 if no query loses more than {np.floor(100 * holds_to) / 100:.2f}, or "
    assert told in " ".join(found.notes)
    assert compare(scores, baseline="a", margin=0.3).holds_to_worst[0, 0] == 1.0
    worse = compare(pair_of(SLIGHT - 0.2), baseline="a", margin=0.03)
    assert np.isnan(worse.holds_to_worst[0, 0])


def test_identical_systems_are_answered_as_such():
    undecided = compare(pair_of(np.zeros(300)), baseline="a", margin=0.01)
    assert undecided.notes == (
        "b has the values of a in all 300 queries: within 0.01 if no query loses more than 0.94, "
        "or with about 319 queries like these.",
    )
    assert (undecided.wins, undecided.ties, undecided.losses) == (0, 300, 0)
    assert undecided.interval[0, 0] == pytest.approx([-0.0106, 0.0106], abs=5e-5)
    for n, decision in ((318, "undecided"), (319, "holds")):
        found = compare(pair_of(np.zeros(n)), baseline="a", margin=0.01)
        assert found.decisions.tolist() == [[decision]]
    assert found.notes == ("b has the values of a in all 319 queries.",)


def test_one_loss_does_not_help():
    lost = np.zeros(300)
    lost[7] = -0.1
    for differences in (np.zeros(300), lost):
        found = compare(pair_of(differences), baseline="a", margin=0.01)
        assert found.status == 3


# The worst loss


def test_the_worst_loss_is_half_of_the_range_or_all_of_it():
    small, large = pair_of(SLIGHT), pair_of(np.append(SLIGHT, 0.5001), 0.45)
    shares = scores_of(np.random.default_rng(1).integers(0, 2, (2, 60)))
    for scores, asked, worst, told in (
        (small, {}, 0.5, "each losing half of the range (worst=0.5)"),
        (
            small,
            {"baseline": "a", "better": True},
            0.5,
            "half of the range (worst=0.5)",
        ),
        (small, {"baseline": "a", "margin": 0.02}, 1.0, "everything (worst=1)"),
        (small, {"worst": 0.4}, 0.4, "each losing 0.4 (worst=0.4)"),
        (
            small,
            {"baseline": "a", "margin": 0.02, "worst": 0.4},
            0.4,
            "0.4 (worst=0.4)",
        ),
        (large, {}, 1.0, "everything (worst=1)"),
        (shares, {}, 1.0, "everything (worst=1)"),
    ):
        found = compare(scores, **asked)
        assert found.worst.tolist() == [[worst]]
        assert found.tested.endswith(told)
        bounds = (-worst, max(worst, 0.5))
        differences = (scores.values[1] - scores.values[0])[..., 0]
        expected = means(differences[:, None], bounds=bounds).interval(0.95)[0]
        assert found.interval[0, 0, 0] == pytest.approx(expected[0], rel=1e-9)


def test_a_system_that_differs_more_widens_no_other_row():
    values = 0.5 + np.stack(
        [np.zeros(81), np.append(SLIGHT, 0), np.append(SLIGHT, 0.5)]
    )
    values[2, 3] = -0.1 + values[0, 3]
    values[2, 4] = values[0, 4] - 0.45
    found = compare(scores_of(values), baseline="a", better=True)
    values[2, 4] = 1.0
    values[0, 4] = 0.3
    values[1, 4] = 0.3
    other = compare(scores_of(values), baseline="a", better=True)
    assert found.worst[:, 0].tolist() == [0.5, 0.5]
    assert other.worst[:, 0].tolist() == [0.5, 1.0]
    assert (
        "half of the range (worst=0.5), or everything where a query differs by more"
        in other.tested
    )


def test_a_loss_beyond_a_stated_worst_names_the_query_and_the_system():
    differences = np.append(SLIGHT, [-0.45, 0.48])
    scores = pair_of(differences)
    told = r"worst is 0.4, but b loses 0.45 to a by AP on query 'q80'\."
    with pytest.raises(ValueError, match=told):
        compare(scores, baseline="a", worst=0.4)
    told = r"worst is 0.47, but a loses 0.48 to b by AP on query 'q81'\."
    with pytest.raises(ValueError, match=told):
        compare(scores, worst=0.47)
    # With a baseline, gains are allowed for up to the largest that was seen.
    found = compare(scores, baseline="a", worst=0.47)
    expected = means(differences[:, None], bounds=(-0.47, 0.48)).interval(0.95)
    np.testing.assert_allclose(found.interval[0], expected, rtol=1e-9)
    less_is_better = pair_of(-differences, directions=(-1,))
    mirrored = compare(less_is_better, baseline="a", worst=0.47)
    np.testing.assert_allclose(-mirrored.interval[0, :, ::-1], found.interval[0])
    with pytest.raises(ValueError, match=r"but b loses 0\.45 to a"):
        compare(less_is_better, baseline="a", worst=0.4)


def test_without_a_range_the_worst_loss_is_a_share_of_that_of_the_values():
    scores = scores_of(10 * pair_of(SLIGHT).values[..., 0])
    high = scores.values.max()
    found = compare(scores, worst=0.7)
    bounds = (-0.7 * high, 0.7 * high)
    rows = (scores.values[1] - scores.values[0])[:, 0, None]
    expected = means(rows, bounds=bounds).interval(0.95)
    np.testing.assert_allclose(found.interval[0], expected, rtol=1e-9)
    assert "each losing 0.7 of the range (worst=0.7)" in found.tested
    told = rf"worst is 0.3 of {high:.4g}, the range of values, but . loses"
    with pytest.raises(ValueError, match=told):
        compare(scores, worst=0.3)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"worst": 0}, "worst must be a finite number > 0, got 0"),
        ({"worst": 1.5}, "worst must be at most 1, the range of the measure, got 1.5"),
        ({"worst": {"RR": 1}}, "worst: RR is not among the measures scored: AP"),
        (
            {"margin": {"RR": 1}, "baseline": "a"},
            "margin: RR is not among the measures",
        ),
        (
            {"margin": -0.1, "baseline": "a"},
            "margin must be a finite number >= 0, got -0.1",
        ),
        ({"margin": 1, "baseline": "a"}, "margin must be below 1, the largest diff"),
        ({"margin": 0.1}, "A margin, or better=True, needs a baseline"),
        (
            {"looks": [20, 90]},
            "looks are planned at 20, 90 queries, but there are values of 80",
        ),
        (
            {"looks": [90, 80]},
            r"looks must be ascending numbers of queries, got \[90, 80\]",
        ),
        ({"looks": []}, "looks must be ascending numbers of queries"),
        ({"looks": [0.5]}, "looks must be an integer >= 2, got 0.5"),
        (
            {"correction": "sidak"},
            "correction must be one of 'bonferroni', 'holm', 'bh'",
        ),
    ],
)
def test_what_is_not_as_described_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        compare(pair_of(SLIGHT), **given)


# Weights


def test_weights_that_are_whole_numbers_give_the_means_of_repeated_queries():
    weights = np.random.default_rng(2).integers(1, 4, 80)
    weighted = compare(pair_of(SLIGHT, weights=weights), tests="t")
    repeated = compare(pair_of(np.repeat(SLIGHT, weights)))
    np.testing.assert_allclose(weighted.difference, repeated.difference, rtol=1e-12)
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-12)
    np.testing.assert_allclose(
        weighted.means[1] - weighted.means[0], weighted.difference[0]
    )
    # Queries that count twice are not twice as many.
    width = np.ptp(weighted.interval)
    assert np.ptp(repeated.interval) < width < 2 * np.ptp(repeated.interval)
    n = weights.sum() ** 2 / (weights**2).sum()
    assert "80 queries with weights, level 0.05; inter" in weighted.tested
    assert f"3 in {n:.0f} queries" in weighted.tested
    with pytest.raises(ValueError, match="with clusters, repeats, weights or judge="):
        compare(pair_of(SLIGHT, weights=weights), tests="wilcoxon")
    alike = compare(pair_of(SLIGHT, weights=np.full(80, 3)), tests="wilcoxon")
    np.testing.assert_array_equal(alike.interval, compare(pair_of(SLIGHT)).interval)


def test_weights_count_with_repeats_too():
    rng = np.random.default_rng(4)
    folds, weights = rng.integers(0, 3, (3, 40)), rng.uniform(0.5, 2.0, 40)
    values = rng.uniform(0.3, 0.7, (2, 3, 40, 1))
    found = compare(scores_of(values, folds=folds, weights=weights, qid=np.arange(40)))
    differences = (values[1] - values[0])[None, ..., 0]
    bounds = (-0.5, 0.5)
    _, expected = over_repeats(differences, folds, weights=weights, bounds=bounds)
    np.testing.assert_allclose(found.interval[0], expected.interval(0.95), rtol=1e-9)
    np.testing.assert_allclose(found.means[1] - found.means[0], found.difference[0])


def test_the_part_of_training_does_not_shrink_with_queries():
    """Models differ by more than queries, so that no number of queries decides."""
    rng = np.random.default_rng(5)
    folds = np.tile(np.arange(60) % 3, (4, 1))
    of_models = rng.normal(0.02, 0.1, (4, 3))[np.arange(4)[:, None], folds]
    differences = of_models + 0.02 * rng.normal(size=(4, 60))
    values = 0.5 + np.stack([np.zeros((4, 60)), differences])[..., None]
    found = compare(scores_of(values, folds=folds, qid=np.arange(60)))
    assert np.isinf(found.queries_needed(0.02)).all()
    by_query = compare(scores_of(values.mean(axis=1), qid=np.arange(60)))
    assert np.isfinite(by_query.queries_needed(0.02)).all()


def test_queries_of_weight_0_do_not_count():
    weights = np.where(np.arange(80) < 60, 1.0 + np.arange(80) % 2, 0.0)
    found = compare(pair_of(SLIGHT, weights=weights))
    expected = compare(pair_of(SLIGHT[:60], weights=weights[:60]))
    np.testing.assert_allclose(found.interval, expected.interval, rtol=1e-12)
    assert found.n_queries == (60,)
    assert "20 queries without a weight or a value of AP for some system left" in repr(
        found
    )


def test_a_gate_does_not_pass_what_loses_by_its_weights():
    """Head queries, with most of the traffic, lose what the others gain."""
    is_head = np.arange(200) < 20
    differences = np.where(is_head, -0.1, 0.02)
    weights = np.where(is_head, 20.0, 1.0)
    gate = {"baseline": "a", "margin": 0.01, "worst": 0.15}
    found = compare(pair_of(differences, weights=weights), **gate)
    assert found.difference[0, 0] == pytest.approx(
        np.average(differences, weights=weights)
    )
    assert found.status == 1
    assert compare(pair_of(differences), **gate).status == 0


# Families, several measures and looks


def null_candidates(rng, n_candidates, n_queries):
    topic = rng.normal(0.5, 0.15, n_queries)
    values = topic + 0.08 * rng.normal(size=(n_candidates + 1, n_queries))
    return scores_of(
        values.clip(0, 1), systems=tuple(map(str, range(n_candidates + 1)))
    )


@pytest.mark.parametrize("n_candidates", [10, 50])
def test_of_candidates_that_are_no_better_none_is_found_better(n_candidates):
    is_better, is_outside = [], []
    for seed in range(200):
        scores = null_candidates(np.random.default_rng(seed), n_candidates, 60)
        found = compare(scores, baseline="0", better=True)
        is_better.append((found.decisions == "holds").any())
        is_outside.append(found.significant.any())
        assert found.times == n_candidates
    assert np.mean(is_better) <= 0.03 + 0.015
    assert np.mean(is_outside) <= 0.05 + 0.02


def test_holm_and_bh_correct_p_values_alone():
    scores = null_candidates(np.random.default_rng(3), 5, 40)
    bonferroni, none = compare(scores), compare(scores, correction="none")
    assert (np.ptp(bonferroni.interval, axis=2) > np.ptp(none.interval, axis=2)).all()
    assert "95% of all 15" in bonferroni.to_text(width=120)
    for correction in ("holm", "bh"):
        found = compare(scores, correction=correction)
        np.testing.assert_array_equal(found.interval, none.interval)
        p_values = found.p_value["score"]
        assert (p_values >= none.p_value["score"] - 1e-12).all()
        assert (p_values <= bonferroni.p_value["score"] + 1e-12).all()
        assert any("intervals are not corrected alike" in note for note in found.notes)


def test_of_several_measures_all_must_hold():
    good, poor = SLIGHT + 0.06, SLIGHT
    values = np.stack(
        [pair_of(each).values[..., 0] for each in (good, poor, poor)], axis=2
    )
    scores = scores_of(values, ("nDCG@10", "AP", "RR"))
    margins = {"nDCG@10": 0, "ap": 0.1, "RR": 0.1}
    found = compare(scores, baseline="a", margin=margins)
    assert found.margins == (0.0, 0.1, 0.1)
    assert found.margin == {"nDCG@10": 0.0, "AP": 0.1, "RR": 0.1}
    assert found.decisions.tolist() == [["holds"] * 3]
    assert (found.status, found.times) == (0, 1.0)
    assert found.to_dict()["asked"] == ["better", "within 0.1", "within 0.1"]
    assert json.loads(found.to_json())["status"] == 0
    alone = compare(scores["nDCG@10"], baseline="a", better=True)
    np.testing.assert_allclose(found["nDCG@10"].interval, alone.interval, rtol=1e-9)
    np.testing.assert_allclose(
        found["nDCG@10"].p_value["score"], alone.p_value["score"]
    )
    assert found["RR"].margin == 0.1
    text = " ".join(repr(found).split())
    assert "3 of 3 rows hold: all must hold" in text
    assert "asked decision" in text
    strict = compare(scores, baseline="a", margin={**margins, "AP": 0})
    assert strict.status == 3
    by_0 = compare(scores, baseline="a", margin=0)
    better = compare(scores, baseline="a", better=True)
    np.testing.assert_array_equal(by_0.interval, better.interval)
    assert by_0.to_text() == better.to_text()
    with pytest.raises(
        ValueError, match=r"margin must hold every measure .* lacks AP, RR"
    ):
        compare(scores, baseline="a", margin={"nDCG@10": 0})
    worst = compare(scores, baseline="a", margin=margins, worst={"AP": 0.6})
    assert worst.worst.tolist() == [[0.5, 0.6, 1.0]]
    # Without a question, measures are corrected for, too.
    assert compare(scores).times == 3.0


def test_planned_looks_err_together_as_often_as_one():
    looks = [40, 80, 160]
    missed = np.zeros((3, 1_000), dtype=bool)
    differences = (
        np.random.default_rng(5).normal(0.0, 0.1, (1_000, 160)).clip(-0.5, 0.5)
    )
    values = 0.5 + np.vstack([np.zeros((1, 160)), differences])
    scores = scores_of(values, systems=tuple(map(str, range(1_001))))
    for place, n in enumerate(looks):
        part = scores.select(qid=[f"q{each}" for each in range(n)])
        given = {"baseline": "0", "correction": "none", "looks": looks}
        found = compare(part, **given)
        missed[place] = found.interval[:, 0, 0] > 0
        significant = (found.interval[:, 0, 0] > 0) | (found.interval[:, 0, 1] < 0)
        np.testing.assert_array_equal(found.significant[:, 0], significant)
        assert "over all looks and" in found.tested
    assert missed.any(axis=0).mean() <= 0.03 + 0.01
    plain = compare(part, baseline="0", correction="none")
    assert (np.ptp(found.interval, axis=2) > np.ptp(plain.interval, axis=2)).all()
    assert found.times == pytest.approx(found.look_factor)


# What is printed


def test_what_does_not_fit_stands_in_a_note():
    found = compare(pair_of(SLIGHT), baseline="a", margin=0.1)
    narrow, wide = found.to_text(width=80), found.to_text(width=120)
    heading = wide.splitlines()[4]
    for column in ("wins", "ties", "losses", "up to a loss"):
        assert column in heading
    assert narrow.splitlines()[4] == heading[: heading.index("margin 0.1") + 10]
    assert "queries" not in heading  # none is undecided
    wins, losses = int((SLIGHT > 0).sum()), int((SLIGHT < 0).sum())
    told = f"b - a: {wins} wins, 0 ties, {losses} losses, holds up to a loss of"
    assert told in narrow
    assert told not in wide


def test_rows_of_candidates_are_in_the_order_of_their_differences():
    values = 0.3 + np.outer([0, -0.1, 0.2, 0.1], np.ones(30))
    values += 0.01 * np.random.default_rng(6).normal(size=(4, 30))
    lines = repr(compare(scores_of(values), baseline="a", better=True)).splitlines()
    labels = [line.split()[0] for line in lines[7:10]]
    assert labels == ["c", "d", "b"]


def test_the_picture_marks_what_is_decided_and_draws_the_margin():
    pytest.importorskip("matplotlib.pyplot")
    values = 0.4 + np.outer([0, -0.1, 0.2, 0.0], np.ones(40))
    values += 0.03 * np.random.default_rng(7).normal(size=(4, 40))
    found = compare(scores_of(values), baseline="a", margin=0.02, worst=0.5)
    ax = found.plot()
    assert found.decisions[:, 0].tolist() == ["fails", "holds", "undecided"]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["c - a", "d - a", "b - a"]
    decided, undecided = (container[0] for container in ax.containers)
    assert decided.get_ydata().tolist() == [0, 2]
    assert undecided.get_ydata().tolist() == [1]
    assert undecided.get_markerfacecolor() == "white"
    dashed = [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [-0.02]
    assert ax.get_xlabel().endswith("95% of all 3")
