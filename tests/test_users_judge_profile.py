"""For which users a judge misleads."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from skgraded import AP, eGAP, evaluate
from skgraded.comparison import estimate_means
from skgraded.exceptions import UnlikeQueriesWarning
from skgraded.results import Scores
from skgraded.users import judge_profile, threshold_profile
from skgraded.users._judge_profile import _stringer

N_ALL, N_HUMAN, DEPTH, TOP = 150, 50, 10, 3
RNG = np.random.default_rng(0)
GRADES = RNG.choice(TOP + 1, p=[0.5, 0.2, 0.2, 0.1], size=N_ALL * DEPTH)
BY_JUDGE = np.where((GRADES == 1) & (RNG.random(GRADES.size) < 0.5), 3, GRADES)
QID = np.repeat(np.arange(N_ALL), DEPTH)
FEW = QID < N_HUMAN
RUNS = {
    "any": 2.0 * (GRADES > 0) + RNG.normal(size=GRADES.size),
    "best": GRADES + RNG.normal(size=GRADES.size),
}
APS = [AP(rel=rel) for rel in range(1, TOP + 1)]
USERS = ((1, 0, 0), (0.2, 0.3, 0.5), (0, 0, 1))


def scored(measures):
    few = {name: scores[FEW] for name, scores in RUNS.items()}
    human = evaluate(measures, GRADES[FEW], few, qid=QID[FEW])
    return human, evaluate(measures, BY_JUDGE, RUNS, qid=QID)


HUMAN, JUDGE = scored(APS)


class TestAgainstOtherWays:
    @pytest.mark.parametrize("g", USERS)
    def test_the_bias_is_that_of_egap_on_the_queries_with_both_labels(self, g):
        human, judge = scored([eGAP(g=g)])
        of_judge = judge.select(query=human.qid.tolist())
        apart = of_judge.means - human.means
        found = judge_profile(HUMAN, JUDGE)
        for place, name in enumerate(RUNS):
            assert found[name].at(g).difference == pytest.approx(apart[place, 0], abs=1e-12)
        pair = judge_profile(HUMAN, JUDGE, baseline="best")["any - best"]
        assert pair.at(g).difference == pytest.approx(apart[0, 0] - apart[1, 0], abs=1e-12)

    def test_the_band_is_that_of_a_threshold_profile_of_both_labels(self):
        one = HUMAN.select(system=["any"])
        by_judge = np.clip(GRADES + np.random.default_rng(1).integers(-1, 2, GRADES.size), 0, TOP)
        judge = evaluate(APS, by_judge, RUNS, qid=QID)  # errs at every threshold
        found = judge_profile(one, judge, n_resamples=499)
        both = {
            "judge": judge.select(system="any", query=HUMAN.qid.tolist()),
            "human": HUMAN.select(system="any"),
        }
        profile = threshold_profile(both, n_resamples=499)["judge"]
        np.testing.assert_allclose(found["any"].intervals, profile.intervals, rtol=1e-12)
        assert found["any"].shares == profile.shares

    def test_the_estimates_are_those_of_the_means(self):
        found, means = judge_profile(HUMAN, JUDGE), estimate_means(HUMAN, JUDGE)
        np.testing.assert_allclose(found.estimate, means.estimate, rtol=1e-12)
        np.testing.assert_allclose(found.judge, means.judge, rtol=1e-12)
        np.testing.assert_allclose(found.human, means.human, rtol=1e-12)


class TestWords:
    def test_a_judge_that_gives_top_grades_away_misleads_demanding_users(self):
        found = judge_profile(HUMAN, JUDGE, baseline="best")
        assert found["any - best"].corners.tolist() == [0, 1, 1]
        assert found.conclusion.startswith(
            "any - best: the judge is too high for users with threshold 2 or 3 and for "
        )

    def test_a_judge_like_the_humans_has_no_bias(self):
        judge = evaluate(APS, GRADES, RUNS, qid=QID)
        found = judge_profile(HUMAN, judge)
        assert [each.differences.tolist() for each in found.bias] == [[0.0] * TOP] * 2
        assert "no bias of the judge is established for any user" in found.conclusion

    def test_a_judge_that_is_too_high_everywhere(self):
        judge = evaluate(APS, np.where(RUNS["any"] > 1, 3, 0), RUNS, qid=QID)
        found = judge_profile(HUMAN.select(system=["any"]), judge)
        assert found.conclusion == "any: the judge is too high for every user."

    def test_users_are_described_as_in_a_threshold_profile(self):
        pair = judge_profile(HUMAN, JUDGE)["any"]
        for differences in ((1.9, 9.0, 9.0), (0.0, 1.9, 9.0), (-9.0, 0.0, 9.0), (9.0, 9.0, 9.0)):
            bias = dataclasses.replace(
                pair, differences=np.array(differences), covariance=np.eye(TOP), critical=2.0
            )
            found = dataclasses.replace(judge_profile(HUMAN, JUDGE), names=("x",), bias=(bias,))
            profile = bias.sentence.replace(f"{pair.ranker} is better than {pair.baseline}", "high")
            profile = profile.replace(f"{pair.baseline} is better than {pair.ranker}", "low")
            words = found.conclusion.replace("x: the judge is ", "").replace("too ", "")
            assert profile.startswith(words.removesuffix("."))
            assert "100%" not in words

    def test_of_two_grades_the_range_is_told(self):
        two = {"differences": np.array([1.9, 9.0]), "covariance": np.eye(2), "critical": 2.0}
        two["bounds"] = None
        bias = dataclasses.replace(judge_profile(HUMAN, JUDGE)["any"], **two)
        found = dataclasses.replace(judge_profile(HUMAN, JUDGE), names=("x",), bias=(bias,))
        low, high = bias.line(1)
        assert low == 0.0
        assert found.conclusion == f"x: the judge is too high for users with g_1 below {high:.2f}."

    def test_tables_frames_and_writers(self):
        pytest.importorskip("pandas")
        found = judge_profile(HUMAN, JUDGE)
        frame = found.to_frame()
        assert frame["name"].tolist() == ["any"] * TOP + ["best"] * TOP
        assert frame["bias"].tolist()[:TOP] == found["any"].differences.tolist()
        assert "50 queries with human labels" in " ".join(repr(found).split())
        assert '"n_judged": 150' in found.to_json()


class TestFewErrors:
    """A judge that errs often at threshold 1, and in two of 100 queries at threshold 2."""

    def profile(self, n_systems=1, **options):
        rng, shape = np.random.default_rng(3), (n_systems, 100, 2)
        apart = np.zeros(shape)
        apart[..., 0], apart[:, [4, 50], 1] = 0.1 + 0.1 * rng.normal(size=shape[:2]), -0.2
        values = np.full(shape, 0.5)
        fields = {
            "qid": np.arange(100),
            "measures": ("AP", "AP(rel=2)"),
            "systems": ("a", "b")[:n_systems],
            "directions": (1, 1),
        }
        human, judge = (Scores(values=each, **fields) for each in (values, values + apart))
        first = judge_profile(human[["AP"]], judge[["AP"]], confidence=0.96, **options)
        return judge_profile(human, judge, **options), first

    def test_they_do_not_widen_the_other_thresholds(self):
        found, first = self.profile()
        np.testing.assert_allclose(
            found["a"].intervals[0], first["a"].intervals[0], rtol=0, atol=0.002
        )
        assert "judge is too high for users with g_1 above" in found.conclusion

    def test_they_are_bounded_by_their_share_and_sizes(self):
        pair = self.profile()[0]["a"]
        # A fifth of 5 %, on one side.
        none, one, two = (
            stats.binomtest(n, 100).proportion_ci(0.98, "exact").high for n in range(3)
        )
        bound = none + 0.2 * (one - none) + 0.2 * (two - one)
        np.testing.assert_allclose(pair.intervals[1], [-bound, bound], rtol=1e-9)
        mixture = pair.at([0.4, 0.6])
        assert mixture.difference == pytest.approx(pair.differences @ [0.4, 0.6])
        np.testing.assert_allclose(mixture[1:], [0.4, 0.6] @ pair.intervals, rtol=1e-9)
        low, high = pair.line(1)
        assert high == 1.0
        assert pair.at([low, 1 - low]).low == pytest.approx(0.0, abs=1e-9)

    def test_biases_in_differences_may_be_twice_as_large(self):
        pair = self.profile(n_systems=2, baseline="b")[0]["a - b"]
        # Both systems have the same errors at threshold 2, so that no query differs there.
        share = stats.binomtest(0, 100).proportion_ci(0.98, "exact").high
        np.testing.assert_allclose(pair.intervals[1], [-2 * share, 2 * share], rtol=1e-9)

    def test_it_is_said(self):
        found, _ = self.profile()
        assert "fewer than 10 queries for a (rel=2)" in " ".join(repr(found).split())


class TestStringer:
    def test_of_values_as_large_as_can_be_it_is_the_bound_of_clopper_and_pearson(self):
        for n_events in (0, 1, 4, 9):
            sizes = np.repeat([1.0, 0.0], [n_events, 30 - n_events])
            share = stats.binomtest(n_events, 30).proportion_ci(0.98, "exact").high
            assert _stringer(sizes, 0.01) == pytest.approx(share, rel=1e-9)
        assert _stringer(np.ones(4), 0.01) == 1.0

    def test_it_holds_and_is_narrower(self):
        """It misses the mean in at most 1 %; of 4,000 bounds, more than 60 in .1 % of cases."""
        rng = np.random.default_rng(0)
        sizes = np.where(rng.random((4000, 30)) < 0.1, rng.random((4000, 30)), 0.0)
        bounds = np.array([_stringer(each, 0.01) for each in sizes])
        assert (bounds < 0.05).sum() <= 60
        most = np.array([_stringer((each > 0.0).astype(float), 0.01) for each in sizes])
        assert (bounds <= most + 1e-12).all()
        assert bounds.mean() < 0.8 * most.mean()


def test_queries_that_are_easier_than_the_others_are_warned_of():
    easy = JUDGE.qid[np.argsort(-JUDGE.values[0, :, 0])[:N_HUMAN]].tolist()
    with pytest.warns(UnlikeQueriesWarning, match=r"AP.* of (any|best) has a mean of") as warned:
        found = judge_profile(JUDGE.select(query=easy), JUDGE)
    assert warned[0].filename == __file__
    note = found.notes[0]
    assert note in " ".join(repr(found).split())
    assert note in found.to_json()


class TestErrors:
    def test_a_missing_threshold(self):
        with pytest.raises(ValueError, match="every threshold up to 3, and lacks rel=2"):
            judge_profile(HUMAN[["AP", "AP(rel=3)"]], JUDGE)

    def test_measures_that_are_not_ap(self):
        human, judge = scored(["nDCG@10"])
        with pytest.raises(ValueError, match=r"by AP at every threshold, in one way.* got none"):
            judge_profile(human, judge)

    def test_weights_would_be_left_out(self):
        weighted = dataclasses.replace(HUMAN, weights=np.arange(1.0, 1 + N_HUMAN))
        with pytest.raises(ValueError, match="must have no weights with a judge"):
            judge_profile(weighted, JUDGE)

    def test_another_baseline(self):
        with pytest.raises(ValueError, match="baseline must be one of 'any', 'best', got 'worst'"):
            judge_profile(HUMAN, JUDGE, baseline="worst")
        with pytest.raises(ValueError, match="needs another system beside it, got 'any' alone"):
            judge_profile(HUMAN.select(system=["any"]), JUDGE, baseline="any")

    def test_what_are_no_scores(self):
        with pytest.raises(TypeError, match="human must be Scores, got list"):
            judge_profile([1.0], JUDGE)
