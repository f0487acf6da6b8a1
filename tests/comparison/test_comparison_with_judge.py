"""Differences and means from human labels of few queries and a judge's labels of many."""

import json
import math

import numpy as np
import pytest
from samples import collection, write_qrels
from scipy import stats

from skgraded import compare, trec
from skgraded.cli import main
from skgraded.comparison import estimate_means
from skgraded.exceptions import UnhelpfulJudgeWarning, UnlikeQueriesWarning
from skgraded.results import Scores

SYSTEMS, MEASURES = ("a", "b", "c"), ("AP", "nDCG@10")
N_ALL, N_HUMAN = 200, 40


def scores_of(values, qid, **others):
    fields = {"measures": MEASURES, "systems": SYSTEMS, "directions": (1, 1)}
    return Scores(qid=np.asarray(qid), values=values, **{**fields, **others})


def values_of_judge(seed=0, n_systems=3):
    rng = np.random.default_rng(seed)
    topic = rng.normal(size=(1, N_ALL, 1)) * 0.1
    return 0.5 + topic + 0.1 * rng.normal(size=(n_systems, N_ALL, 2))


BY_JUDGE = values_of_judge()
NOISE = np.random.default_rng(1).normal(size=BY_JUDGE.shape) * 0.05
BY_HUMANS = 0.1 + 0.8 * BY_JUDGE + NOISE
PLACES = np.random.default_rng(2).permutation(N_ALL)[:N_HUMAN]
JUDGE = scores_of(BY_JUDGE, [f"q{each}" for each in range(N_ALL)])
HUMAN = scores_of(BY_HUMANS[:, PLACES], [f"q{each}" for each in PLACES])


def labelled(by_humans, by_judge, **others):
    """Scores of the queries that humans have seen, and of all."""
    human = scores_of(by_humans[:, PLACES], HUMAN.qid, **others)
    return human, scores_of(by_judge, JUDGE.qid, **others)


def literal_freedom(error, slope, x_all, population):
    """Degrees of freedom of the two parts of the variance, by Satterthwaite."""
    by_judge = (
        slope**2 * x_all.var(ddof=1) / N_ALL if population == "like_these" else 0.0
    )
    parts = (error**2 - by_judge) ** 2 / (N_HUMAN - 2) + by_judge**2 / (N_ALL - 1)
    return error**4 / parts


def literal_estimate(y, x, x_all, population="like_these"):
    """Cochran's regression estimator, its standard error and its slope, in plain Python."""
    n, n_all = len(y), len(x_all)
    mean_y, mean_x, mean_all = (
        math.fsum(y) / n,
        math.fsum(x) / n,
        math.fsum(x_all) / n_all,
    )
    s_xx = math.fsum((each - mean_x) ** 2 for each in x)
    slope = (
        math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / s_xx
    )
    rest = [b - mean_y - slope * (a - mean_x) for a, b in zip(x, y, strict=True)]
    s2 = math.fsum(each**2 for each in rest) / (n - 2)
    s2_all = math.fsum((each - mean_all) ** 2 for each in x_all) / (n_all - 1)
    variance = s2 * (1 / n + (mean_all - mean_x) ** 2 / s_xx)
    variance += -s2 / n_all if population == "these" else slope**2 * s2_all / n_all
    return mean_y + slope * (mean_all - mean_x), math.sqrt(variance), slope


@pytest.mark.parametrize("population", ["like_these", "these"])
class TestAgainstTheLiteralFormula:
    def test_differences(self, population):
        given = {
            "judge": JUDGE,
            "population": population,
            "tests": "t",
            "correction": "none",
        }
        found = compare(HUMAN, **given)
        for pair, (one, other) in enumerate(found.pairs):
            for column in range(2):
                x_all = BY_JUDGE[one, :, column] - BY_JUDGE[other, :, column]
                y = (BY_HUMANS[one] - BY_HUMANS[other])[PLACES, column]
                mean, error, slope = literal_estimate(
                    y, x_all[PLACES], x_all, population
                )
                assert found.difference[pair, column] == pytest.approx(mean, abs=1e-14)
                assert found.standard_error[pair, column] == pytest.approx(
                    error, rel=1e-12
                )
                assert found.judge.slope[pair, column] == pytest.approx(
                    slope, rel=1e-12
                )
                freedom = literal_freedom(error, slope, x_all, population)
                p_value = 2 * stats.t.sf(abs(mean / error), freedom)
                assert found.p_value["t"][pair, column] == pytest.approx(
                    p_value, rel=1e-9
                )

    def test_means_and_the_bias_and_worth_of_the_judge(self, population):
        found = estimate_means(HUMAN, JUDGE, population=population)
        for system in range(3):
            x_all, y = BY_JUDGE[system, :, 1], BY_HUMANS[system, PLACES, 1]
            mean, error, slope = literal_estimate(y, x_all[PLACES], x_all, population)
            bias, _, _ = literal_estimate(
                x_all[PLACES] - y, x_all[PLACES], x_all, population
            )
            assert found.estimate[system, 1] == pytest.approx(mean, rel=1e-12)
            assert found.standard_error[system, 1] == pytest.approx(error, rel=1e-12)
            low, high = found.interval[system, 1]
            assert high - low > 2 * 1.96 * error
            assert found.bias[system, 1] == pytest.approx(bias, rel=1e-10)
            line = stats.linregress(x_all[PLACES], y)
            rest = y - line.intercept - line.slope * x_all[PLACES]
            of_label = rest @ rest / (N_HUMAN - 2) + slope**2 * x_all.var(ddof=1)
            of_all = of_label / N_ALL if population == "these" else 0.0
            worth = of_label / (
                error**2 + of_all
            )  # of_label (1 / worth - 1 / N) is error^2
            assert found.n_alone[system, 1] == pytest.approx(worth, rel=1e-12)
            assert found.n_saved[system, 1] == pytest.approx(worth - N_HUMAN, rel=1e-12)
            of_all = 1 / N_ALL if population == "these" else 0.0
            alone = y.std(ddof=1) * math.sqrt(1 / N_HUMAN - of_all)
            freedoms = literal_freedom(error, slope, x_all, population), N_HUMAN - 1
            reach, of_labels = (stats.t.isf(0.025, each) for each in freedoms)
            width = reach * error / (of_labels * alone)
            assert found.relative_width[system, 1] == pytest.approx(width, rel=1e-9)


class TestIdentities:
    def test_a_judge_that_does_not_vary_leaves_the_humans_alone(self):
        judge = scores_of(np.full_like(BY_JUDGE, 0.3), JUDGE.qid)
        alone = compare(HUMAN, tests="t")
        for population, share in (
            ("like_these", 1.0),
            ("these", 1.0 - N_HUMAN / N_ALL),
        ):
            with pytest.warns(UnhelpfulJudgeWarning, match="helps by 0 of 2 measures"):
                found = compare(HUMAN, judge=judge, tests="t", population=population)
            np.testing.assert_allclose(found.difference, alone.difference, atol=1e-15)
            errors = alone.standard_error * share**0.5
            np.testing.assert_allclose(found.standard_error, errors, rtol=1e-9)
            np.testing.assert_allclose(found.judge.n_alone, N_HUMAN, rtol=1e-12)
            np.testing.assert_allclose(found.judge.relative_width, 1.0)
            assert "the judge saves: 0 by AP (intervals 1.00" in " ".join(
                repr(found).split()
            )
            if population == "like_these":
                np.testing.assert_allclose(
                    found.interval, alone.interval, rtol=1e-6, atol=1e-12
                )
                np.testing.assert_allclose(
                    found.p_value["t"], alone.p_value["t"], rtol=1e-9
                )

    def test_systems_that_humans_and_judge_find_equal_do_not_differ(self):
        values = BY_JUDGE.copy()
        values[1] = values[0]
        human, judge = labelled(np.nextafter(values, 1.0), values)
        for population, share in (
            ("like_these", 1.0),
            ("these", 1.0 - N_HUMAN / N_ALL),
        ):
            found = compare(
                human, judge=judge, baseline="a", population=population, worst=1
            )
            np.testing.assert_array_equal(found.difference[0], 0.0)
            np.testing.assert_array_equal(found.p_value["score"][0], 1.0)
            # Of the queries that humans have not seen; two candidates by two measures.
            reach = (1 - (0.025 * 1.6) ** (1 / N_HUMAN)) * share
            np.testing.assert_allclose(found.interval[0, 0], [-reach, reach], rtol=0.01)

    @pytest.mark.filterwarnings("ignore::skgraded.exceptions.UnhelpfulJudgeWarning")
    def test_the_range_of_a_difference_is_that_of_the_values(self):
        values = np.stack([BY_HUMANS[0], BY_HUMANS[0] + 0.2])
        human, judge = labelled(values, BY_JUDGE[:2], systems=("a", "b"))
        low, high = compare(human, judge=judge).interval[0, 0]
        assert low < 0.16  # although no difference below .2 was seen
        assert high < 0.25

    def test_a_judge_that_agrees_has_no_bias_at_all(self):
        human, _ = labelled(np.nextafter(BY_JUDGE, 1.0), BY_JUDGE)
        found = estimate_means(human, JUDGE)
        np.testing.assert_array_equal(found.bias, 0.0)
        assert not np.signbit(found.bias).any()
        assert "-0.0000" not in repr(found)
        of_these = estimate_means(human, JUDGE, population="these")
        np.testing.assert_allclose(of_these.estimate, BY_JUDGE.mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(of_these.standard_error, 0.0, atol=1e-9)

    def test_judges_in_folds_label_the_folds_that_they_have_not_seen(self):
        labels = [values_of_judge(seed) * 0.2 + BY_JUDGE * 0.8 for seed in (21, 22)]
        parts, folds = (PLACES[:15], PLACES[15:]), []
        joined = (labels[0] + labels[1]) / 2
        for values, part, other in zip(labels, parts, parts[::-1], strict=True):
            kept = np.setdiff1d(np.arange(N_ALL), other)
            folds.append(scores_of(values[:, kept], JUDGE.qid[kept]))
            joined[:, part] = values[:, part]
        expected = compare(HUMAN, judge=scores_of(joined, JUDGE.qid))
        found = compare(HUMAN, judge=folds)
        np.testing.assert_allclose(found.interval, expected.interval, rtol=1e-9)
        with pytest.raises(
            ValueError, match="judge must hold scores of every query with human"
        ):
            compare(HUMAN, judge=folds[:1])
        unlabelled = np.flatnonzero(~np.isin(folds[1].qid, HUMAN.qid))
        cut = folds[1].select(qid=np.delete(folds[1].qid, unlabelled[:5]).tolist())
        told = "judge must hold the same queries without .* from each judge, got 160 and 155 that"
        with pytest.raises(ValueError, match=told):
            compare(HUMAN, judge=[folds[0], cut])

    def test_queries_systems_and_measures_are_aligned_by_name(self):
        order = np.random.default_rng(8).permutation(N_ALL)
        names = {"systems": ("c", "a", "b"), "measures": MEASURES[::-1]}
        values = BY_JUDGE[[2, 0, 1]][:, order][:, :, ::-1]
        plain = compare(HUMAN, judge=JUDGE)
        found = compare(HUMAN, judge=scores_of(values, JUDGE.qid[order], **names))
        np.testing.assert_allclose(found.interval, plain.interval, rtol=1e-9)
        by_name = {name: JUDGE.select(system=name) for name in SYSTEMS}
        np.testing.assert_array_equal(
            compare(HUMAN, judge=by_name).interval, plain.interval
        )


@pytest.mark.parametrize("population", ["like_these", "these"])
def test_intervals_hold_what_a_biased_judge_misses(population):
    """Means of 4,000 systems in 10 collections of 300 queries, of which humans labelled 30."""
    missed, widths = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = np.clip(rng.normal(0.5, 0.15, (400, 300, 1)), 0.0, 1.0)
        judged = 0.2 + labels + rng.normal(size=labels.shape) * 0.1
        of = {
            "systems": tuple(map(str, range(400))),
            "measures": ("AP",),
            "directions": (1,),
        }
        human = scores_of(labels[:, :30], np.arange(30), **of)
        judge = scores_of(judged, np.arange(300), **of)
        found = estimate_means(human, judge, population=population)
        aim = labels.mean(axis=1) if population == "these" else 0.5
        low, high = found.interval[..., 0], found.interval[..., 1]
        missed += [(aim < low).mean(), (aim > high).mean()]
        widths.append(found.relative_width.mean())
        assert (found.bias > 0.0).mean() > 0.99
    assert max(np.mean(missed[::2]), np.mean(missed[1::2])) <= 0.035
    assert min(np.mean(missed[::2]), np.mean(missed[1::2])) >= 0.002
    assert np.mean(widths) < 0.75


class TestWarnings:
    def test_a_judge_helps_by_some_measures(self):
        half = np.stack([BY_JUDGE[..., 0], values_of_judge(11)[..., 1]], axis=2)
        found = compare(HUMAN, judge=scores_of(half, JUDGE.qid))  # without a warning
        told = "The judge helps by 1 of 2 measures: by nDCG@10 intervals are no narrower than"
        assert any(note.startswith(told) for note in found.notes)

    def test_warnings_point_to_the_call(self):
        noise = scores_of(values_of_judge(11), JUDGE.qid)
        without_others = JUDGE.select(qid=HUMAN.qid.tolist())
        for call, judge in ((compare, noise), (estimate_means, without_others)):
            with pytest.warns(
                UnhelpfulJudgeWarning, match="helps by 0 of 2 measures"
            ) as warned:
                call(HUMAN, judge=judge)
            assert {each.filename for each in warned} == {__file__}

    # A line far from the mean of all queries is of no help, either.
    @pytest.mark.filterwarnings("ignore::skgraded.exceptions.UnhelpfulJudgeWarning")
    def test_queries_that_are_harder_than_the_others(self):
        hard = np.argsort(BY_JUDGE.mean(axis=(0, 2)))[:N_HUMAN]
        human = scores_of(BY_HUMANS[:, hard], JUDGE.qid[hard])
        with pytest.warns(
            UnlikeQueriesWarning, match="look unlike the others"
        ) as warned:
            estimate_means(human, JUDGE)
        assert {each.filename for each in warned} == {__file__}

    def test_pairs_that_do_not_vary_do_not_make_a_judge_useless(self):
        same = [0, 0, 0, 2]  # b and c are a once more
        human, judge = labelled(
            BY_HUMANS[same], BY_JUDGE[same], systems=("a", "b", "c", "d")
        )
        found = compare(
            human, judge=judge, baseline="a", tests="t"
        )  # without another warning
        assert "1.00 times as wide" not in " ".join(repr(found).split())


HOLES = BY_JUDGE.copy()
HOLES[0, 3, 1] = np.nan
ONE_CLUSTER = dict.fromkeys(HUMAN.qid.tolist(), 1)
CLUSTERED = scores_of(BY_JUDGE, JUDGE.qid, clusters=np.arange(N_ALL) % 9)
FEW = HUMAN.select(qid=HUMAN.qid[:2].tolist())


@pytest.mark.parametrize(
    ("judge", "given", "kind", "told"),
    [
        (JUDGE.select(qid=["q1", "q2"]), {}, ValueError, "and lacks .* quer.* of 40"),
        (
            JUDGE.select(system=["a", "b"]),
            {},
            ValueError,
            "systems.* 'c' is not a system of this",
        ),
        (JUDGE[["AP"]], {}, ValueError, "measures of .* nDCG@10 is not among"),
        (
            JUDGE.select(system="a"),
            {},
            ValueError,
            "human scores: system= needs values of",
        ),
        (0.5, {}, TypeError, "scores must be a Scores of several systems, a mapping"),
        ([], {}, ValueError, "and lacks 40 queries of 40"),
        (
            scores_of(HOLES, JUDGE.qid),
            {},
            ValueError,
            "1 query has none.* Score with empty=0",
        ),
        (CLUSTERED, {}, ValueError, "without clusters"),
        (
            JUDGE,
            {"cluster": ONE_CLUSTER},
            ValueError,
            "human labels must come without clusters",
        ),
        (
            JUDGE,
            {"tests": "wilcoxon"},
            ValueError,
            "tests must be .* with clusters, repeats, weights or",
        ),
        (JUDGE, {"rankers": FEW}, ValueError, "at least 3 .* labels, got 2"),
    ],
)
def test_what_does_not_go_with_the_humans_is_refused(judge, given, kind, told):
    with pytest.raises(kind, match=told):
        compare(**{"rankers": HUMAN, "judge": judge, **given})


def test_weights_count_in_means_differences_and_intervals():
    weights = np.random.default_rng(3).integers(1, 4, N_ALL).astype(float)
    human = scores_of(HUMAN.values, HUMAN.qid, weights=weights[PLACES] / 7)
    judge = scores_of(BY_JUDGE, JUDGE.qid, weights=weights)
    shares, all_shares = (
        weights[PLACES] / weights[PLACES].sum(),
        weights / weights.sum(),
    )
    found = compare(human, judge=judge, tests="t")
    for pair, (one, other) in enumerate(found.pairs):
        y = (BY_HUMANS[one] - BY_HUMANS[other])[PLACES, 0]
        x_all = BY_JUDGE[one, :, 0] - BY_JUDGE[other, :, 0]
        x = x_all[PLACES]
        line = np.polynomial.Polynomial.fit(x, y, 1, w=shares**0.5).convert()
        slope = line.coef[1]
        mean = shares @ y + slope * (all_shares @ x_all - shares @ x)
        assert found.difference[pair, 0] == pytest.approx(mean, rel=1e-9)
        assert found.judge.human[pair, 0] == pytest.approx(shares @ y, rel=1e-9)
        assert found.judge.judge[pair, 0] == pytest.approx(all_shares @ x_all, rel=1e-9)
    assert "3 in 35 queries" in found.tested  # Kish's number of 40
    np.testing.assert_array_equal(found.interval, found.judge.interval)
    two = compare(
        human.select(system=["a", "b"]), judge=judge.select(system=["a", "b"])
    )
    np.testing.assert_allclose(two.means[1] - two.means[0], two.difference[0])

    alike = scores_of(HUMAN.values, HUMAN.qid, weights=np.full(N_HUMAN, 2.0))
    np.testing.assert_array_equal(
        compare(alike, judge=JUDGE).interval, compare(HUMAN, judge=JUDGE).interval
    )
    of_judge = compare(HUMAN, judge=judge)
    np.testing.assert_allclose(of_judge.interval, compare(human, judge=judge).interval)
    with pytest.raises(ValueError, match="judge must hold weights of its queries, as"):
        estimate_means(human, JUDGE)
    others = scores_of(BY_JUDGE, JUDGE.qid, weights=np.arange(1.0, N_ALL + 1))
    with pytest.raises(ValueError, match="must hold the weights that the human scores"):
        compare(human, judge=others)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UnhelpfulJudgeWarning")
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.UnlikeQueriesWarning")
def test_weighted_intervals_hold_what_a_judge_misses():
    """Heavy queries lose; the judge sees half of it. 400 samples of 60 queries of 300."""
    missed = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        weights = rng.lognormal(size=300)
        truth = np.where(weights > 1.0, -0.05, 0.03) + 0.1 * rng.normal(size=300)
        judged = 0.5 * truth + 0.1 * rng.normal(size=300)
        values = 0.5 + np.stack([np.zeros(300), truth])[..., None]
        of_judge = 0.5 + np.stack([np.zeros(300), judged])[..., None]
        of = {"systems": ("a", "b"), "measures": ("AP",), "directions": (1,)}
        human = scores_of(values[:, :60], np.arange(60), weights=weights[:60], **of)
        judge = scores_of(of_judge, np.arange(300), weights=weights, **of)
        low, high = compare(human, judge=judge).interval[0, 0]
        share = stats.norm.cdf(1.0)  # of the weights, in those above 1
        aim = 0.03 - 0.08 * share
        missed.append([low > aim, high < aim])
    assert np.mean(missed, axis=0).max() <= 0.045


class TestResult:
    def test_the_comparison_tells_bias_and_worth_by_measure(self):
        found = compare(HUMAN, judge=JUDGE)
        told = " ".join(repr(found).split())
        assert "40 queries with human labels and 200 with a judge's" in told
        saved, off = (
            np.median(found.judge.n_saved, axis=0),
            np.abs(found.judge.bias).max(axis=0),
        )
        for name, n, most in zip(MEASURES, saved, off, strict=True):
            assert f"{n:.0f} by {name} (intervals 0." in told
            assert f"off by at most {most:.4f})" in told
        of_systems = estimate_means(HUMAN, JUDGE).estimate
        np.testing.assert_allclose(found.means, of_systems, atol=0.003)
        apart = found.means[found.pairs[:, 0]] - found.means[found.pairs[:, 1]]
        np.testing.assert_allclose(apart, found.difference, atol=0.003)
        star = compare(HUMAN, judge=JUDGE, baseline="b")
        apart = star.means[star.pairs[:, 0]] - star.means[star.pairs[:, 1]]
        np.testing.assert_allclose(apart, star.difference, rtol=1e-9)
        gate = compare(HUMAN, judge=JUDGE, population="these", baseline="a", margin=0.5)
        assert "judge's as all there are, level 0.05, corrected by" in gate.tested
        assert gate.status == 0
        assert (gate.queries_needed(effect=0.01) > 0).all()
        assert found["nDCG@10"].judge.measures == ("nDCG@10",)
        assert found["nDCG@10"].judge.bias.shape == (3, 1)

    def test_one_system_without_a_name(self):
        one = estimate_means(HUMAN.select(system="b"), JUDGE.select(system="b"))
        both = estimate_means(HUMAN, JUDGE)
        assert both.to_dict()["estimate"] == both.estimate.T.ravel().tolist()
        np.testing.assert_allclose(one.estimate[0], both.estimate[1])
        assert one.names == ("mean",)
        with pytest.raises(ValueError, match="judge must hold scores of one system"):
            estimate_means(HUMAN.select(system="a"), JUDGE)


class TestCommandLine:
    @pytest.fixture
    def files(self, tmp_path):
        rng, (humans, runs) = np.random.default_rng(14), collection(60, 8, 2)
        judge = {
            topic: {
                document: min(grade + rng.integers(2), 3)
                for document, grade in row.items()
            }
            for topic, row in humans.items()
        }
        judge["t0"]["d0"] = 3
        write_qrels(dict(list(humans.items())[:20]), tmp_path / "human")
        write_qrels(judge, tmp_path / "llm")
        for name, run in zip(("good", "poor"), runs.values(), strict=True):
            trec.write_run(trec.read_run(run), tmp_path / name)
        return {name: str(tmp_path / name) for name in ("human", "llm", "good", "poor")}

    def test_it_is_the_function(self, files, capsys):
        arguments = [
            files["human"],
            files["good"],
            files["poor"],
            "-m",
            "RBP(gain=linear)",
        ]
        assert (
            main(["compare", *arguments, "--judge", files["llm"], "--format", "json"])
            == 0
        )
        written = json.loads(capsys.readouterr().out)
        runs = [files["good"], files["poor"]]
        # The judge's scale, which is the wider one, counts for both.
        chosen = "RBP(gain=linear,max_grade=3)"
        human, judge = (
            trec.evaluate(chosen, files[each], runs) for each in ("human", "llm")
        )
        found = compare(human, judge=judge)
        row = written["rows"][0]
        assert row["difference"] == found.difference[0, 0]
        assert [row["low"], row["high"]] == found.interval[0, 0].tolist()
        assert any("the judge saves: " in note for note in written["notes"])

    def test_topics_of_the_judge_are_not_left_out(self, files, capsys, tmp_path):
        with open(files["good"], "a") as run:
            run.write("unknown Q0 d1 0 1.0 good\n")
        with open(files["llm"], "a") as qrels:
            qrels.write("t60 0 d0 1\nt60 0 d1 -2\n")
        given = [
            "compare",
            files["human"],
            files["good"],
            files["poor"],
            "--judge",
            files["llm"],
        ]
        assert main(given) == 0
        told = " ".join(capsys.readouterr().err.split())
        assert "1 system with topics outside the qrels, left out: good (1)." in told
        assert "2 systems without all topics of the qrels" in told
        assert "llm: The qrels hold 1 document of negative grades" in told
