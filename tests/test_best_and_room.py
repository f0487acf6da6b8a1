"""Which system is best for whom, and whether choosing by g wins anything."""

import dataclasses
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from sklearn.linear_model import LinearRegression

from skgraded import AP, Blend, compare, eGAP, evaluate, nDCG
from skgraded._stats import halves
from skgraded._stats.halves import gain_by_halves
from skgraded._stats.repeats import part_of_models
from skgraded.comparison import _best
from skgraded.comparison._users import Thresholds, Users, thresholds_of
from skgraded.datasets import make_ranking
from skgraded.model_selection import cross_validate_queries
from skgraded.results import Scores
from skgraded.users import personas, thresholds_from_feedback
from skgraded.users._simplex import share_above_zero

pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.FewDifferencesWarning")
RNG = np.random.default_rng(0)


def compared(ap, ndcg=None, **given):
    """Compare systems with these AP (n_grades, n_systems, n_queries) and nDCG@10."""
    columns = {str(AP(rel=at)): values for at, values in enumerate(ap, start=1)}
    if ndcg is not None:
        columns["nDCG@10"] = ndcg
    scores = Scores.of_systems(columns)
    return compare(scores, baseline=scores.systems[0], tests="t", **given)


# Halves


def gain_of_all_halves(outcome, chooser, baseline):
    """The gain as it is told: both ways, over all halves."""
    n = len(chooser[0])
    gains = []
    for half in itertools.combinations(range(n), n // 2):
        other = [query for query in range(n) if query not in half]
        total = 0.0
        for chooses, judges in ((list(half), other), (other, list(half))):
            one = max(range(len(chooser)), key=lambda c: sum(chooser[c][q] for q in chooses))
            base = max(range(len(baseline)), key=lambda c: sum(baseline[c][q] for q in chooses))
            total += sum(outcome[one][q] - outcome[base][q] for q in judges)
        gains.append(total / n)
    return np.mean(gains)


def test_the_gain_is_that_of_all_halves(monkeypatch):
    monkeypatch.setattr(halves, "_SPLITS", 40_000)
    outcome, chooser, baseline = RNG.random((3, 4, 8))
    found = gain_by_halves(outcome[None], chooser, baseline, np.random.default_rng(1))
    expected = gain_of_all_halves(outcome.tolist(), chooser.tolist(), baseline.tolist())
    assert found.gain[0] == pytest.approx(expected, abs=0.004)
    assert found.gain[0] != pytest.approx(outcome.mean(axis=1).max() - expected, abs=0.004)


@pytest.mark.parametrize("n", [40, 9])
def test_the_error_is_that_of_a_mean_where_the_choice_never_changes(n, monkeypatch):
    monkeypatch.setattr(halves, "_SUBSETS", 20_000)
    outcome = RNG.normal(size=(2, 3, n))
    chooser, baseline = (np.eye(3)[:, [at]] + np.zeros(n) for at in (1, 2))
    found = gain_by_halves(outcome, chooser, baseline, np.random.default_rng(1))
    differences = outcome[:, 1] - outcome[:, 2]
    assert found.gain == pytest.approx(differences.mean(axis=1), abs=1e-12)
    assert found.covariance == pytest.approx(np.cov(differences) / n, rel=0.05, abs=0.04 / n)
    assert found.judging == pytest.approx(np.cov(differences) / n, abs=1e-12)
    assert found.choices.tolist() == [0.0, 1.0, -1.0]
    g = np.array([0.3, 0.7])
    gain, error = found.of(g)
    assert gain == pytest.approx(g @ differences.mean(axis=1), abs=1e-12)
    assert error == pytest.approx(stats.sem(g @ differences), rel=0.03)


def test_clusters_are_halved_as_wholes():
    outcome, chooser, baseline = RNG.random((3, 4, 20))
    single = gain_by_halves(outcome[None], chooser, baseline, np.random.default_rng(1))
    twice = [np.repeat(each, 2, axis=-1) for each in (outcome[None], chooser, baseline)]
    clusters = np.repeat(np.arange(20), 2)
    doubled = gain_by_halves(*twice, np.random.default_rng(1), clusters)
    assert doubled.gain == pytest.approx(single.gain, abs=1e-12)
    assert doubled.covariance == pytest.approx(single.covariance, abs=1e-12)
    assert doubled.judging == pytest.approx(single.judging, abs=1e-12)
    assert doubled.freedom == single.freedom == 19


def test_intervals_cover_the_gain_of_a_population():
    """Held are 94 % or more in `benchmarks/calibration.py`; here is a small part of it."""
    rng = np.random.default_rng(5)
    worth = np.linspace(0.0, 0.1, 6)
    n, held, gains = 40, [], []

    def draw(size):
        common = rng.normal(0.0, 0.2, size)
        egap = worth[:, None] + common + rng.normal(0.0, 0.2, (6, size))
        return egap, worth[::-1, None] * 0.3 + common + rng.normal(0.0, 0.2, (6, size))

    for _ in range(2000):
        egap, ndcg = draw(n // 2)
        gains.append(worth[egap.mean(axis=1).argmax()] - worth[ndcg.mean(axis=1).argmax()])
    for _ in range(200):
        egap, ndcg = draw(n)
        found = gain_by_halves(egap[None], egap, ndcg, rng)
        gain, error = found.of(np.ones(1))
        held.append(abs(gain - np.mean(gains)) <= stats.t.isf(0.025, n - 1) * error)
    assert np.mean(held) >= 0.9


# room


def frontier(rng, n_queries, angles, n_documents=20):
    """Candidates from topicality to quality, of which the first decides relevance."""
    shape = (n_queries, n_documents)
    topicality, quality = rng.normal(size=(2, *shape))
    y = np.where(topicality > 0.3, 1 + (quality > 1.0), 0)
    scores = {
        f"{a:.2f}": np.cos(a) * topicality + np.sin(a) * quality + 0.5 * rng.normal(size=shape)
        for a in angles
    }
    qid = np.repeat(np.arange(n_queries), n_documents)
    measures = [AP(), AP(rel=2), nDCG(k=10)]
    flat = {name: each.ravel() for name, each in scores.items()}
    return evaluate(measures, y.ravel(), flat, qid=qid)


@pytest.fixture(scope="module")
def wide():
    scores = frontier(np.random.default_rng(1), 200, np.linspace(0.0, 1.4, 8))
    return compare(scores, baseline="0.00", tests="t")


def test_room_is_found_where_candidates_trade_one_kind_of_users_against_another(wide):
    found = wide.room({"browsers": (1, 0), "perfectionists": (0, 1)})
    assert found.users == ("browsers", "perfectionists")
    assert found.verdicts == ("use g", "use g")
    assert (found.interval[:, 0] > 0).all()
    assert found.chosen[0] != found.chosen_by_baseline[0]


def test_there_is_no_room_where_any_candidate_will_do():
    one = RNG.random((2, 1, 60))
    same = np.tile(one, (1, 4, 1))
    found = compared(same, same[0]).room((0.5, 0.5))
    assert found.gain == 0.0
    assert found.interval.tolist() == [[0.0, 0.0]]
    assert found.verdicts == ("no room",)
    assert "Choose by either measure" in repr(found)


def test_no_room_is_said_of_the_measures_where_both_choose_a_system_far_ahead():
    ap = 0.2 + 0.1 * RNG.random((2, 6, 60))
    ap[:, 3] += 0.5
    found = compared(ap, ap.mean(axis=0)).room((0.5, 0.5))
    assert found.chosen == found.chosen_by_baseline
    assert found.verdicts == ("no room",)
    told = " ".join(repr(found).split())
    assert "it wins less than 0.01. Choose by either measure: which of the two does not" in told
    assert "any of these" not in told


def test_few_noisy_queries_leave_it_undecided():
    ap = RNG.random((2, 12, 30))
    found = compared(ap, RNG.random((12, 30))).room((0, 1))
    assert found.verdicts == ("undecided",)
    assert "queries decide" in repr(found)


def test_the_verdict_is_read_off_the_interval_and_the_margin(wide):
    found = wide.room((1, 0), margin=0.5)
    assert found.verdicts == ("use g",)
    better = wide.room((0.6, 0.4), margin=0.5)
    low, high = better.interval[0]
    assert better.verdicts == ("use g" if low > 0 else "no room" if high < 0.5 else "undecided",)
    wider = wide.room((1, 0), confidence=0.999)
    assert np.ptp(wider.interval) > np.ptp(found.interval)


def test_the_gain_is_that_of_the_halves(wide):
    g = np.array([0.4, 0.6])
    ap = np.moveaxis(wide.values[..., :2], 2, 0)
    seed = int(np.random.default_rng(7).integers(2**63))
    rng = np.random.default_rng(seed)
    egap, ndcg = np.tensordot(g, ap, axes=1), wide.values[..., 2]
    expected, error = gain_by_halves(ap, egap, ndcg, rng).of(g)
    found = wide.room(g, random_state=7)
    assert found.gain[0] == expected
    reach = stats.t.isf(0.025, len(wide.qid) - 1) * error
    assert found.interval[0] == pytest.approx([expected - reach, expected + reach], abs=1e-12)


def test_a_measure_of_which_less_is_better_chooses_the_least():
    """A baseline that is 1 - AP chooses as AP does, so that there is nothing to win."""
    from skgraded.measures import Fallout

    scores = frontier(np.random.default_rng(2), 40, (0.1, 0.6, 1.2))
    values = scores.values.copy()
    values[..., 2] = 1.0 - values[..., 0]
    given = {"measures": ("AP", "AP(rel=2)", str(Fallout(k=5))), "directions": (1, 1, -1)}
    turned = Scores(values=values, qid=scores.qid, systems=scores.systems, **given)
    found = compare(turned, baseline="0.10", tests="t").room((1, 0), "Fallout@5")
    assert found.interval.tolist() == [[0.0, 0.0]]


BLEND_WINS = 1  # seed


def with_a_rare_grade(seed):
    """Compare systems where 6 of 100 queries have a document of grade 2."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0.4, 0.6, 6)[:, None]
    ap = worth + 0.25 * rng.normal(size=(2, 6, 100))
    ap[1] *= np.arange(100) < 6
    return compared(ap, 0.8 * worth + 0.5 * rng.normal(size=(6, 100)))


def test_rare_grades_bring_a_proposal_where_it_wins_more():
    g = (1 / 7, 6 / 7)
    compared_by = with_a_rare_grade(BLEND_WINS)
    found = compared_by.room({"top": g, "any": (1.0, 0.0)})
    blend = Blend({eGAP(g=(0.143, 0.857)): 0.5, nDCG(k=10): 0.5})
    assert found.proposals == (blend, None)
    told = " ".join(repr(found).split())
    assert "Only 6 queries have a document of grade 2 or above in some ranking" in told
    assert json.loads(found.to_json())["proposals"] == [str(blend), None]
    ap, ndcg = np.moveaxis(compared_by.values[..., :2], 2, 0), compared_by.values[..., 2]
    rng = np.random.default_rng(int(np.random.default_rng(0).integers(2**63)))
    blended = 0.5 * np.tensordot((0.143, 0.857), ap, axes=1) + 0.5 * ndcg
    won, _ = gain_by_halves(ap, blended, ndcg, rng).of(np.array(g))
    assert won > max(found.gain[0], 0.0)
    assert "top: where the grade is rare, choose by Blend(" in told
    assert f"it wins {won:+.4f} [" in told


@pytest.mark.parametrize(("seed", "margin"), [(BLEND_WINS, 0.5), (2, 0.01)])
def test_nothing_is_proposed_without_room_or_where_it_wins_less(seed, margin):
    found = with_a_rare_grade(seed).room((1 / 7, 6 / 7), margin=margin)
    assert found.verdicts == ("no room" if margin == 0.5 else "undecided",)
    assert found.proposals == (None,)
    assert "Only 6 queries" in repr(found)
    assert "choose by" not in repr(found)


def test_documents_behind_the_cut_off_are_not_said_to_be_missing():
    y, qid = RNG.integers(0, 2, 600), np.repeat(np.arange(30), 20)
    y[qid < 25] *= 1 + (np.arange(500) % 20 == 19)
    y[::20] = np.where(np.arange(30) < 8, 2, 1)
    scores = {name: -np.tile(np.arange(20.0), 30) for name in "ab"}
    measures = [AP(rel=rel, k=5) for rel in (1, 2)]
    found = compare(evaluate(measures, y, scores, qid=qid)).best((0.2, 0.8), n_resamples=100)
    assert "Only 8 queries have a document of grade 2 or above among the first 5 of" in " ".join(
        repr(found).split()
    )


def test_rounds_of_a_boosted_model_are_candidates():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, qid = make_ranking(n_queries=80, docs_per_query=20, random_state=0)
    ranker = lightgbm.LGBMRanker(n_estimators=20, n_jobs=1, verbose=-1)
    ranker.fit(X[:800], y[:800], group=[20] * 40)
    rounds = {f"{n}": ranker.predict(X[800:], num_iteration=n) for n in range(2, 21, 2)}
    measures = [*(AP(rel=rel) for rel in range(1, 5)), nDCG(k=10)]
    scores = evaluate(measures, y[800:], rounds, qid=qid[800:])
    found = compare(scores, baseline="20", tests="t").room(personas(4))
    assert found.n_systems == 10
    assert len(found.verdicts) == 6
    assert set(found.chosen) <= set(rounds)


# best


@pytest.mark.parametrize(("n", "ratio"), [(6, 1.5), (60, 1.5), (60, -0.5)])
def test_of_two_systems_the_probability_is_that_of_a_regressed_t(n, ratio):
    """The share sin(x)^2 of the difference that is no noise has the density of the docstring."""
    difference = stats.norm.ppf((np.arange(n) + 0.5) / n)
    difference += ratio * stats.sem(difference)
    ap = np.stack([np.zeros(n), difference])[None] + 0.5
    found = compared(np.concatenate([ap, ap])).best((0.5, 0.5), n_resamples=40_000)
    kept = np.sin((np.arange(1000) + 0.5) / 1000 * np.pi / 2)
    weights = np.exp(ratio**2 * kept**2 / 2)
    expected = np.average(stats.t.cdf(ratio * kept, n - 1), weights=weights)
    assert found.probability[0] == pytest.approx([1 - expected, expected], abs=0.015)


def test_systems_that_are_equal_share_the_probability():
    one = RNG.random((2, 1, 30))
    found = compared(np.tile(one, (1, 4, 1))).best()
    assert found.probability == pytest.approx(np.full((1, 4), 0.25))


def without_noise(differences):
    """Two systems that differ alike in every query, by these differences at the thresholds."""
    first = np.full((len(differences), 1, 30), 0.5)
    return compared(np.concatenate([first, first + np.reshape(differences, (-1, 1, 1))], axis=1))


@pytest.mark.parametrize("differences", [(0.1, -0.2), (0.1, -0.05, -0.2), (0.1, 0.2)])
def test_over_all_users_it_is_a_share_of_the_simplex(differences):
    found = without_noise(differences).best(n_resamples=40_000)
    assert found.probability[0, 1] == pytest.approx(
        share_above_zero(np.array(differences)), abs=0.01
    )


class Estimate:
    g = (0.45, 0.55)
    covariance = np.array([[0.01, -0.01], [-0.01, 0.01]])


def test_the_uncertainty_of_an_estimate_counts():
    found = without_noise((0.1, -0.1)).best(Estimate(), n_resamples=40_000)
    # The second is better where g_1 > .5, and g_1 is normal with a deviation of .1.
    assert found.probability[0, 1] == pytest.approx(stats.norm.sf(0.5), abs=0.01)
    assert without_noise((0.1, -0.1)).best(Estimate.g).probability[0].tolist() == [1.0, 0.0]


def test_estimates_from_feedback_are_taken():
    rng = np.random.default_rng(0)
    grade = rng.choice(3, size=2000)
    satisfied = grade >= rng.choice([1, 2], size=2000, p=[0.3, 0.7])
    estimate = thresholds_from_feedback(grade, satisfied)
    assert np.sqrt(np.diag(estimate.covariance)) == pytest.approx(
        np.ptp(estimate.interval, axis=1) / (2 * stats.norm.isf(0.025)), rel=0.1
    )
    found = without_noise((0.1, -0.1))
    assert found.best(estimate).users == ("estimated g",)
    # g_1 is .3, far below .5
    assert found.best(estimate).probability[0, 0] > 0.99


def test_clusters_are_resampled_as_wholes():
    ap = RNG.random((2, 3, 25))
    single = compared(ap)
    twice = np.repeat(ap, 2, axis=-1)
    doubled = compared(twice, cluster={query: query // 2 for query in range(50)})
    assert doubled.clusters.tolist() == np.repeat(np.arange(25), 2).tolist()
    one, two = (each.best((0.5, 0.5)) for each in (single, doubled))
    assert one.probability == pytest.approx(two.probability, abs=1e-12)
    assert two.n_clusters == (25,)
    assert one.n_clusters is None


def test_every_persona_has_a_column_and_sees_to_its_depth():
    y, qid = RNG.integers(0, 3, 600), np.repeat(np.arange(30), 20)
    scores = {name: RNG.random(600) + y for name in "ab"}
    measures = [AP(rel=rel, k=k) for k in (None, 5) for rel in (1, 2)]
    found = compare(evaluate(measures, y, scores, qid=qid))
    deep, short = (found.best(personas(2, k=k)) for k in (None, 5))
    assert deep.users == tuple(each.name for each in personas(2))
    for result, k in ((deep, None), (short, 5)):
        for row, persona in zip(result.mean, personas(2), strict=True):
            measure = eGAP(g=persona.g, k=k)
            expected = [measure(y, each, qid=qid) for each in scores.values()]
            assert row == pytest.approx(expected, abs=1e-12)
    assert (deep.cutoffs, short.cutoffs) == ((None,) * 6, (5,) * 6)
    assert "eGAP for browser" in repr(deep)
    assert "eGAP@5 for browser" in repr(short)
    for measure in (eGAP(g=(0.3, 0.7)), eGAP(g=(0.3, 0.7), k=5)):
        expected = [measure(y, each, qid=qid) for each in scores.values()]
        assert found.best(measure).mean[0] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=r"AP\(rel=1\)@7 to AP\(rel=2\)@7.*AP\(rel=rel, k=7\)"):
        found.best(personas(2, k=7))


@pytest.mark.parametrize(
    ("measures", "g", "told"),
    [
        (["nDCG@10"], None, r"\[\*\(AP\(rel=rel\) for rel in range\(1, c \+ 1\)\), 'nDCG@10'\]"),
        (["AP"], None, "where c is the top grade"),
        (["AP", "AP(rel=3)"], None, r"AP\(rel=1\) to AP\(rel=c\)"),
        (["AP", "AP(rel=2)"], (0.2, 0.3, 0.5), r"range\(1, 4\)"),
        (["AP", "AP(rel=2)"], (0.2, 0.3), "g must sum to 1"),
        (["AP", "AP(rel=2)"], (0.2, 0.3, 0.5), "g must hold 2 probabilities, as .*, got 3"),
        (["AP", "AP(rel=2)"], (1.0,), "g must hold 2 probabilities, as .* 2 thresholds, got 1.$"),
    ],
)
def test_what_is_missing_is_named_with_the_call_that_makes_it(measures, g, told):
    y, qid = RNG.integers(0, 4, 200), np.repeat(np.arange(20), 10)
    found = compare(evaluate(measures, y, {name: RNG.random(200) for name in "ab"}, qid=qid))
    with pytest.raises(ValueError, match=told):
        found.best(g)


def test_other_arguments_are_checked(wide):
    with pytest.raises(ValueError, match="g must name users"):
        wide.room(None)
    with pytest.raises(TypeError, match="g must be the probabilities"):
        wide.best(3)
    with pytest.raises(KeyError, match="RBP is not among the measures"):
        wide.room((1, 0), "RBP")
    told = r"such as baseline='nDCG@10'"
    with pytest.raises(KeyError, match=r"\[\*\(AP\(rel=rel\) .* 'RBP'\], .*" + told):
        wide.room((1, 0), "RBP")
    with pytest.raises(ValueError, match="margin must be"):
        wide.room((1, 0), margin=0)
    few = compared(RNG.random((2, 3, 19)), RNG.random((3, 19)))
    with pytest.raises(ValueError, match="Halves need at least 20 queries, got 19"):
        few.room((1, 0))
    assert wide.best("linear").mean == pytest.approx(wide.best((1 / 3, 2 / 3)).mean)


@pytest.mark.parametrize(
    ("g", "names"),
    [
        ([[1, 0], [0, 1]], ("g 1", "g 2")),
        (np.eye(2), ("g 1", "g 2")),
        (pd.Series([0.5, 0.5], index=[1, 2]), ("g",)),
        (["uniform", "linear"], ("uniform", "linear")),
        ([personas(2)["even"], [1, 0]], ("even", "g")),
        ({"shop": personas(2)}, tuple(f"shop {each.name}" for each in personas(2))),
        ([{"shop": (1, 0)}, personas(2)["even"]], ("shop", "even")),
        (eGAP(g=(0.3, 0.7)), ("g",)),
        (eGAP(), ("uniform",)),
        (eGAP(g="linear"), ("linear",)),
    ],
)
def test_users_are_read_in_all_their_forms(wide, g, names):
    found = wide.best(g, n_resamples=100)
    assert found.users == names
    assert wide.room(g).users == names


def test_several_users_are_each_one_by_themselves(wide):
    ap = wide.means[:, :2]
    means = wide.best([eGAP(), "linear", (1, 0), [(0, 1)]], n_resamples=100).mean
    expected = [ap @ g for g in ((0.5, 0.5), (1 / 3, 2 / 3), (1, 0), (0, 1))]
    assert means == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("g", [[], {}, (), {"a": []}])
def test_no_users_are_refused(wide, g):
    for call in (wide.best, wide.room):
        with pytest.raises(ValueError, match=r"g must name users, got .*, which is empty"):
            call(g)


@pytest.mark.parametrize("g", [{"everybody": None}, [None], [(1, 0), None]])
def test_all_users_have_no_measure_to_choose_by_whatever_their_name(wide, g):
    with pytest.raises(ValueError, match="g must name users: room chooses for one g at a time"):
        wide.room(g)
    assert len(wide.best(g, n_resamples=100).users) == len(g)


def test_cut_offs_that_g_leaves_open_are_named():
    y, qid = RNG.integers(0, 3, 600), np.repeat(np.arange(30), 20)
    measures = [*(AP(rel=rel, k=k) for k in (5, None) for rel in (1, 2)), nDCG(k=10)]
    found = compare(evaluate(measures, y, {name: RNG.random(600) for name in "ab"}, qid=qid))
    for call in (found.best, found.room):
        for g in ((0.5, 0.5), "linear"):
            with pytest.raises(ValueError, match=r"in 2 ways, AP@5 and AP, and .* does not say"):
                call(g)
    mixed = {"short": eGAP(k=5), "deep": eGAP()}
    assert "eGAP@5 for short and eGAP for deep" in " ".join(repr(found.best(mixed)).split())
    assert "eGAP@5 for short and eGAP for deep" in " ".join(repr(found.room(mixed)).split())
    assert "Gain in eGAP@5 of choosing" in repr(found.room(eGAP(k=5)))
    short = found[["AP@5", "AP(rel=2)@5", "nDCG@10"]]
    assert "Gain in eGAP@5 of choosing" in repr(short.room((0.5, 0.5)))
    with pytest.raises(ValueError, match=r"Users need AP at every threshold.*has AP@5"):
        short.best(eGAP())


def of_trained(n_repeats):
    """Compare two models by AP at two thresholds and nDCG, each trained in so many repeats."""
    X, y, qid = make_ranking(n_queries=40, docs_per_query=10, random_state=0)
    measures = [*(AP(rel=rel) for rel in range(1, 5)), nDCG(k=10)]
    given = {"qid": qid, "measures": measures, "n_repeats": n_repeats, "cv": 2}
    models = {f"{n}": X[:, :n] for n in (2, 8)}
    validated = {
        name: cross_validate_queries(LinearRegression(), each, y, **given)
        for name, each in models.items()
    }
    return compare(validated, tests="t")


def equal_over_repeats(rng, n_systems=3, n_queries=40):
    """Compare equal systems whose models vary from fold to fold more than queries do."""
    folds = np.array([rng.permutation(n_queries) % 3 for _ in range(3)])
    effects = rng.normal(0.0, 0.5, (n_systems, 3, 3, 3))
    values = effects[:, np.arange(3)[:, None], folds] + rng.normal(0.0, 0.2, (n_queries, 3))
    values += rng.normal(0.0, 0.3, values.shape)
    systems = tuple(map(str, range(n_systems)))
    given = {"measures": ("AP", "AP(rel=2)", "nDCG@10"), "directions": (1, 1, 1)}
    folds += 3 * np.arange(3)[:, None]
    scores = Scores(values=values, qid=np.arange(n_queries), folds=folds, systems=systems, **given)
    return compare(scores, tests="t", baseline="0")


def test_repeats_show_how_much_models_vary():
    """What models add makes fewer equal systems sure to be the best, and room's interval wider."""
    rng, sure, wider = np.random.default_rng(8), [], []
    for _ in range(40):
        found = equal_over_repeats(rng)
        alone = dataclasses.replace(found, repeats=None, folds=None)
        sure.append([e.best((0.5, 0.5), n_resamples=400).probability.max() for e in (found, alone)])
        reach = [np.diff(each.room((0.5, 0.5)).interval[0])[0] for each in (found, alone)]
        wider.append(reach[0] - reach[1])
    high, high_alone = (np.transpose(sure) >= 0.95).mean(axis=1)
    assert high <= 0.1 < high_alone
    assert min(wider) >= 0.0
    assert max(wider) > 0.1


def test_what_models_add_is_that_of_the_intervals():
    """Of two systems, the variance by folds is that of their difference, threshold by threshold."""
    found = equal_over_repeats(np.random.default_rng(2), n_systems=2)
    models = thresholds_of(found, Users("all", np.full(2, 0.5))).models()
    difference = found.repeats[1, ..., :2] - found.repeats[0, ..., :2]
    expected = part_of_models(np.moveaxis(difference, 2, 0), found.folds)
    of_second = models.covariance[1::2, 1::2]  # half of the difference, from the mean of both
    np.testing.assert_allclose(4 * of_second, expected.covariance, rtol=1e-9)
    assert models.freedom == pytest.approx(expected.freedom)
    clusters = np.arange(40) // 2
    clustered = thresholds_of(dataclasses.replace(found, clusters=clusters), Users("", None))
    expected = part_of_models(np.moveaxis(difference, 2, 0), found.folds, clusters=clusters)
    of_second = clustered.models().covariance[1::2, 1::2]
    np.testing.assert_allclose(4 * of_second, expected.covariance, rtol=1e-9)
    picked = found[["AP(rel=2)", "nDCG@10"]]
    np.testing.assert_array_equal(picked.repeats, found.repeats[..., 1:])


def test_best_and_room_vary_as_much_as_the_interval_of_a_difference():
    """Of two systems of which the choice is clear, with models and what training data share."""
    rng = np.random.default_rng(3)
    folds = np.array([rng.permutation(60) % 3 for _ in range(5)])
    models = rng.normal(0.0, 0.1, (5, 3))[np.arange(5)[:, None], folds]
    difference = rng.normal(0.0, 1.0, 60) + models + rng.normal(0.0, 0.3, (5, 60))
    ap = 3.0 + np.stack([0.0 * difference, difference])
    ndcg = np.stack([0.0 * difference, -9.0 + 0.0 * difference])
    values = np.stack([ap + 9.0 * np.arange(2)[:, None, None], ndcg], axis=-1)
    given = {"measures": ("AP", "nDCG@10"), "directions": (1, 1), "systems": ("a", "b")}
    folds += 3 * np.arange(5)[:, None]
    scores = Scores(values=values, qid=np.arange(60), folds=folds, **given)
    found = compare(scores, baseline="a", tests="t")
    room = found.room((1.0,))
    assert room.gain[0] == pytest.approx(found.difference[0, 0])
    reach = np.ptp(found.interval[0, 0])
    assert np.ptp(room.interval[0]) == pytest.approx(reach, rel=0.15)
    alone = dataclasses.replace(found, repeats=None, folds=None).room((1.0,))
    ratio = np.ptp(found.interval[0, 0]) / (2 * stats.t.isf(0.025, 59))
    expected = ratio / stats.sem(difference.mean(axis=0))
    assert np.ptp(room.interval[0]) / np.ptp(alone.interval[0]) == pytest.approx(expected, rel=0.01)
    best = found.best((1.0,), n_resamples=40_000)
    assert 4 * best.lead_of_equals[0] == pytest.approx(reach, rel=0.03)


def test_an_estimated_g_adds_to_the_interval_of_room(wide):
    """By the variance of g times the gains at the thresholds."""
    known, estimated = (wide.room(each) for each in (Estimate.g, Estimate()))
    ap = np.moveaxis(wide.values[..., :2], 2, 0)
    rng = np.random.default_rng(int(np.random.default_rng(0).integers(2**63)))
    egap, ndcg = np.tensordot(Estimate.g, ap, axes=1), wide.values[..., 2]
    gain = gain_by_halves(ap, egap, ndcg, rng).gain
    reach = stats.t.isf(0.025, len(wide.qid) - 1)
    squares = [(np.ptp(each.interval) / 2 / reach) ** 2 for each in (known, estimated)]
    assert squares[1] - squares[0] == pytest.approx(0.01 * np.diff(gain)[0] ** 2, abs=1e-12)


def test_trained_models_over_repeats_are_taken():
    found = of_trained(3)
    best, room = found.best((1, 0, 0, 0)), found.room((1, 0, 0, 0))
    assert best.probability.sum() == pytest.approx(1.0)
    assert room.interval.shape == (1, 2)
    assert "were trained in it" not in " ".join((repr(best) + repr(room)).split())


def test_of_one_cross_validation_it_is_said_that_models_are_taken_as_given():
    found = of_trained(1)
    for result in (found.best((1, 0, 0, 0)), found.room((1, 0, 0, 0))):
        told = " ".join(repr(result).split())
        assert "for the models that were trained in it" in told
        assert "n_repeats=5) best, room and the intervals of compare include it." in told
    assert "trained" not in repr(compared(RNG.random((2, 2, 30))).best())


def test_queries_without_a_value_are_left_out():
    ap = RNG.random((2, 3, 40))
    ap[:, :, :5] = np.nan
    ap[1, :, 5] = np.nan  # nobody at this threshold: 0, as in eGAP
    names = (str(AP(empty=np.nan)), str(AP(rel=2, empty=np.nan)), "nDCG@10")
    values = np.moveaxis(np.concatenate([ap, RNG.random((1, 3, 40))]), 0, 2)
    given = {"measures": names, "directions": (1, 1, 1), "systems": ("a", "b", "c")}
    scores = Scores(values=values, qid=np.arange(40), **given)
    found = compare(scores, baseline="a", tests="t", cluster={q: q // 5 % 7 for q in range(40)})
    found = dataclasses.replace(found, clusters=np.where(np.arange(40) < 5, 7, found.clusters))
    assert found.best((0.3, 0.7)).n_clusters == (7,)  # the eighth has no query with a value
    found = dataclasses.replace(found, clusters=None)
    expected = np.nan_to_num(ap[:, :, 5:]).mean(axis=2)
    assert found.best((0.3, 0.7)).mean[0] == pytest.approx(np.array([0.3, 0.7]) @ expected)
    assert found.room((0.3, 0.7)).n_queries == (35,)


def test_users_whose_depths_have_values_of_other_queries_have_numbers_of_their_own():
    ap = RNG.random((4, 3, 40))
    ap[2:, :, :5] = np.nan
    kinds = ({}, {"k": 5, "empty": np.nan})
    names = [str(AP(rel=rel, **each)) for each in kinds for rel in (1, 2)]
    values = np.moveaxis(np.concatenate([ap, RNG.random((1, 3, 40))]), 0, 2)
    scores = Scores(
        measures=(*names, "nDCG@10"),
        directions=(1,) * 5,
        systems=("a", "b", "c"),
        values=values,
        qid=np.arange(40),
    )
    found = compare(scores, baseline="a", tests="t", cluster={q: q // 4 for q in range(40)})
    users = {"deep": eGAP(g=(0.3, 0.7)), "short": eGAP(g=(0.3, 0.7), k=5)}
    best = found.best(users)
    assert (best.n_queries, best.n_clusters) == ((40, 35), (10, 9))
    assert "over 35 to 40 queries in 9 to 10 clusters." in " ".join(repr(best).split())
    found = dataclasses.replace(found, clusters=None)
    room = found.room(users)
    assert (room.n_queries, room.n_clusters) == ((40, 35), None)
    assert "one half of 35 to 40 queries, scored" in " ".join(repr(room).split())
    for name, each in users.items():
        alone = found.room({name: each})
        place = room.users.index(name)
        assert alone.gain[0] == room.gain[place]
        assert alone.n_queries == (room.n_queries[place],)


# Many systems


def test_the_lead_of_equal_systems_is_larger_in_one_of_twenty_cases():
    rng = np.random.default_rng(4)
    beyond = []
    for _ in range(150):
        ap = rng.normal(size=(1, 15, 60)) + rng.normal(size=60)
        found = compared(np.concatenate([ap, ap])).best((0.5, 0.5), n_resamples=400)
        beyond.append(found.lead[0] > found.lead_of_equals[0])
    assert np.mean(beyond) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
    assert np.mean(beyond) > 0.0


@pytest.mark.parametrize(
    ("n_systems", "ratio"), [(2, 4.0), (3, 1.0), (5, 2.0), (12, 30.0), (40, 39.0)]
)
def test_the_share_that_is_no_noise_is_drawn_from_its_posterior(n_systems, ratio):
    """By numerical integration over tau, with sigma 1, of the density in the docstring."""
    means = RNG.normal(size=n_systems)
    means *= np.sqrt(ratio) / np.linalg.norm(means - means.mean())

    def density(tau):
        variance = tau**2 + 1.0
        return variance ** (-n_systems / 2) * np.exp(-ratio / 2 / variance)

    whole, _ = integrate.quad(density, 0.0, np.inf)
    kept, _ = integrate.quad(lambda tau: tau**2 / (tau**2 + 1.0) * density(tau), 0.0, np.inf)
    rows = np.tile(means, (20_000, 1))
    drawn = _best._kept_shares(rows, np.full(20_000, n_systems - 1.0), np.random.default_rng(0))
    assert drawn.mean() == pytest.approx(kept / whole, abs=0.01)


def test_nothing_is_noise_without_noise():
    assert _best._kept_shares(np.array([[0.0, 0.1, 0.3]]), np.zeros(1), RNG) == 1.0


def of_many_systems(rng, spread, n=40):
    """Compare 12 systems whose worth varies by some standard errors of a mean."""
    worth = rng.normal(0.0, spread / np.sqrt(n), 12)
    values = worth[:, None] + rng.normal(size=n) + rng.exponential(size=(12, n)) - 1.0
    thresholds = Thresholds(values[None], np.ones(n, dtype=bool), AP())
    return worth, _best._probabilities(thresholds, Users("all", np.ones(1)), 300, rng)


@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_the_probability_is_right_as_often_as_it_says_and_the_optimism_as_large(spread):
    rng, told, true = np.random.default_rng(6), [], []
    for _ in range(500):
        worth, found = of_many_systems(rng, spread)
        first = found.mean.argmax()
        told.append((found.probability.max(), found.optimism))
        true.append(
            (found.probability.argmax() == worth.argmax(), found.mean[first] - worth[first])
        )
    (says, too_high), (is_right, is_too_high) = np.mean(told, axis=0), np.mean(true, axis=0)
    assert says == pytest.approx(is_right, abs=0.07)
    assert too_high == pytest.approx(is_too_high, rel=0.25)


def test_what_the_lead_is_worth_is_said_of_more_than_ten_systems():
    ap = RNG.random((2, 11, 40))
    many = compared(ap).best((0.5, 0.5))
    told = " ".join(repr(many).split())
    assert "the best of 11 equal systems" in told
    assert "its mean is too high by about 0.0" in told
    assert "equal systems" not in repr(compared(ap[:, :10]).best((0.5, 0.5)))
