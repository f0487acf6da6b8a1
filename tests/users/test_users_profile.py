"""For which users one ranker is better than another: profiles over the thresholds."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from samples import collection, write_qrels
from sklearn.linear_model import Ridge
from strategies import cutoffs

from skgraded import Scores, compare, eGAP, evaluate, nDCG, trec
from skgraded._intervals.estimate import Estimate, means
from skgraded.cli import main
from skgraded.rankings import as_rankings
from skgraded.users import threshold_profile
from skgraded.users._pair_profile import PairProfile

MEASURES = ["AP(rel=1)", "AP(rel=2)"]
TIES = ("expected", "row_order", "pessimistic", "optimistic")


def made_up(n_grades=2, n_queries=60, n_documents=20, seed=0):
    """Grades, query ids, and scores of a ranker that finds anything and one that finds the best."""
    rng = np.random.default_rng(seed)
    shares = 0.5 ** np.arange(n_grades + 1)
    y_true = rng.choice(
        n_grades + 1, p=shares / shares.sum(), size=n_queries * n_documents
    )
    noise = rng.normal(size=(2, len(y_true)))
    scores = {
        "any": np.round(2 * (y_true > 0) + noise[0], 1),
        "best": np.round(2 * (y_true == n_grades) + 0.5 * (y_true > 0) + noise[1], 1),
    }
    return y_true, scores, np.repeat(np.arange(n_queries), n_documents)


def profile_of(n_grades=2, **options):
    y_true, scores, qid = made_up(n_grades)
    return threshold_profile(y_true, scores, qid=qid, **options)


# --- eGAP is the mean of AP over users ------------------------------------------------------------


FIELDS = st.fixed_dictionaries(
    {
        "k": cutoffs(),
        "ties": st.sampled_from(TIES),
        "empty": st.sampled_from([0.0, np.nan]),
    }
)


@given(st.data(), st.integers(1, 4), st.integers(0, 2**32 - 1), FIELDS, st.booleans())
def test_the_profile_gives_the_difference_in_eGAP_for_every_g(
    data, c, seed, fields, is_weighted
):
    y_true, scores, qid = made_up(c, n_queries=8, n_documents=7, seed=seed)
    y_true[qid == 3] = 0  # nothing relevant
    y_true[0], y_true[7] = c, 1
    weight = (
        np.random.default_rng(seed).uniform(0.1, 2, len(qid)) if is_weighted else None
    )
    shares = data.draw(
        st.lists(st.integers(0, 100), min_size=c, max_size=c).filter(any)
    )
    is_left_out = np.isnan(fields["empty"])
    g = np.array(shares) + is_left_out  # all users exist
    g = tuple(g / g.sum())
    profile = threshold_profile(y_true, scores, qid=qid, sample_weight=weight, **fields)
    assert profile.n_left_out == (
        len({*qid} - {*qid[y_true > 0]}) if is_left_out else 0
    )
    measure = eGAP(g=g, **fields)
    found = [
        measure(y_true, each, qid=qid, sample_weight=weight) for each in scores.values()
    ]
    np.testing.assert_allclose(profile.means @ g, found, rtol=1e-12, atol=1e-15)
    difference = found[0] - found[1]
    assert profile.pairs[0].at(g).difference == pytest.approx(
        difference, rel=1e-9, abs=1e-13
    )


# --- the intervals --------------------------------------------------------------------------------


def test_intervals_are_those_of_means_and_share_the_probability_to_miss():
    y_true, scores, qid = made_up()
    scores["noise"] = np.random.default_rng(5).normal(size=len(qid))
    weight = np.random.default_rng(6).uniform(0.5, 2.0, len(qid))
    of_all = evaluate(MEASURES, y_true, scores, qid=qid, sample_weight=weight)
    person = of_all.qid // 2
    given = threshold_profile(
        of_all,
        cluster=dict(zip(of_all.qid.tolist(), person, strict=True)),
        baseline="best",
    )
    held = threshold_profile(
        dataclasses.replace(of_all, clusters=person), baseline="best"
    )
    best = of_all.select(system="best").values
    for name in ("any", "noise"):
        rows = of_all.select(system=name).values - best
        worst = np.where(np.abs(rows).max(axis=0) > 0.5, 1.0, 0.5)
        estimate = means(
            rows, weights=of_all.weights, clusters=(person,), bounds=(-worst, worst)
        )
        expected = estimate.tail(4.0).interval(0.95)  # two pairs at two thresholds
        for found in (given, held):
            np.testing.assert_allclose(found[name].intervals, expected, rtol=1e-9)
    top_is_found = [(y_true[qid // 2 == each] == 2).any() for each in range(30)]
    assert given.n_found.tolist() == [30, sum(top_is_found)]
    assert "60 queries in 30 clusters" in str(given)


def test_the_interval_of_a_mixture_is_that_of_those_at_the_thresholds():
    pair = profile_of(2).pairs[0]
    mixed = pair.at((0.25, 0.75))
    assert mixed.difference == pytest.approx([0.25, 0.75] @ pair.differences)
    assert (mixed.low, mixed.high) == pytest.approx([0.25, 0.75] @ pair.intervals)


# --- conclusions ----------------------------------------------------------------------------------


def test_each_ranker_wins_where_its_band_is_off_zero():
    pair = profile_of(2).pairs[0]
    share = np.linspace(0, 1, 10_001)
    low, high = pair.band(np.column_stack([share, 1 - share])).T
    above, below = share[low > 0].min(), share[high < 0].max()
    assert pair.sentence == (
        f"Take any if more than {100 * above:.0f} % of your users accept grade 1, best if fewer "
        f"than {100 * below:.0f} % do; else no difference is established."
    )
    assert pair.shares.better == pytest.approx(1 - above, abs=1e-3)
    assert pair.shares.worse == pytest.approx(below, abs=1e-3)
    even = pair.differences[1] / (pair.differences[1] - pair.differences[0])
    assert pair.shares.higher == pytest.approx(1 - even, abs=1e-3)


def test_with_three_grades_shares_are_those_of_all_mixtures():
    pair = profile_of(3).pairs[0]
    draws = np.random.default_rng(0).dirichlet(np.ones(3), size=50_000)
    low, high = pair.band(draws).T
    assert pair.shares.better == pytest.approx((low > 0).mean(), abs=0.01)
    assert pair.shares.worse == pytest.approx((high < 0).mean(), abs=0.01)
    assert pair.shares.higher == pytest.approx(
        (draws @ pair.differences > 0).mean(), abs=0.01
    )
    assert "Take any for users with threshold 1 and " in pair.sentence
    facts = json.loads(profile_of(3).to_json())
    assert facts["conclusions"] == {"any": pair.sentence}
    assert facts["shares"]["any"] == pair.shares._asdict()
    told = f"mixtures of users, any has the higher mean for {100 * pair.shares.higher:.0f} %"
    assert told in " ".join(str(profile_of(3)).split())
    assert "Of all possible mixtures" not in " ".join(str(profile_of(1)).split())


def test_only_all_users_are_100_percent():
    """An exact share just below 1, and above 0, is not written as 100 % or 0 %."""
    value, still = np.array([0.1, 0.1, -0.005]), np.full((2, 3), 1e-9) * [[1], [-1]]
    pair = PairProfile("a", "b", Estimate(value, still), 0.95)
    assert 0.995 < pair.shares.better < 1.0
    assert (
        "Take a for users with threshold 1 or 2 and 99 % of all mixtures"
        in pair.sentence
    )
    assert "b for users with threshold 3 and 1 % of all mixtures" in pair.sentence


@pytest.mark.parametrize("n_grades", [1, 2, 3])
def test_a_ranker_that_is_better_at_every_threshold_is_better_for_every_user(n_grades):
    y_true, _, qid = made_up(n_grades)
    scores = {"good": y_true, "bad": np.random.default_rng(0).normal(size=len(qid))}
    for order in (("good", "bad"), ("bad", "good")):
        profile = threshold_profile(
            y_true, {name: scores[name] for name in order}, qid=qid
        )
        users = " for every user" if n_grades > 1 else ""
        assert profile.conclusion == f"good is better than bad{users}."
        sign = 1 if order[0] == "good" else -1
        assert profile.pairs[0].signs.tolist() == [sign] * n_grades
        assert profile.pairs[0].shares[1 if sign > 0 else 2] == 1


def test_the_last_ranker_is_the_baseline_unless_another_is_named():
    y_true, scores, qid = made_up()
    assert threshold_profile(y_true, scores, qid=qid).baseline == "best"
    other = threshold_profile(y_true, scores, qid=qid, baseline="any")
    np.testing.assert_allclose(
        other["best"].differences, -profile_of(2)["any"].differences
    )
    with pytest.raises(
        KeyError, match="'any' is not among the rankers compared with 'any': best"
    ):
        other["any"]


# --- sources --------------------------------------------------------------------------------------


def test_all_sources_give_the_same_profile():
    y_true, scores, qid = made_up()
    expected = threshold_profile(y_true, scores, qid=qid)
    ranked = {name: as_rankings(y_true, each, qid) for name, each in scores.items()}
    shuffled = np.random.default_rng(0).permutation(len(qid))
    scored = {
        "any": evaluate(MEASURES, ranked["any"]),
        "best": evaluate(
            MEASURES, y_true[shuffled], scores["best"][shuffled], qid=qid[shuffled]
        ),
    }
    for found in map(threshold_profile, (ranked, scored)):
        np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
        assert found.conclusion == expected.conclusion


def test_repeats_enter_the_intervals_as_they_enter_the_comparison():
    rng = np.random.default_rng(0)
    scores = Scores(
        measures=("AP", "AP(rel=2)"),
        qid=np.arange(30),
        values=rng.random((2, 3, 30, 2)),
        directions=(1, 1),
        systems=("one", "other"),
        folds=rng.integers(0, 3, (3, 30)),
    )
    profile = threshold_profile(scores)
    compared = compare(scores, baseline="other")
    np.testing.assert_allclose(
        profile["one"].differences, compared.difference[0], rtol=1e-9
    )
    np.testing.assert_allclose(
        profile["one"].intervals, compared.interval[0], rtol=1e-9
    )
    assert profile.n_repeats == 3
    once = threshold_profile(scores.select(repeat=[0]))
    assert "for the models that were trained in this one" in str(once).replace(
        "\n", " "
    )


def test_fitted_models_give_the_profile_of_their_scores():
    y_true, scores, qid = made_up()
    X, train = np.column_stack(list(scores.values()))[:, :1], qid < 20
    models = {
        "one": Ridge().fit(X[train], y_true[train]),
        "two": Ridge(fit_intercept=False).fit(X[train], y_true[train]),
    }
    y_test, given = y_true[~train], {"qid": qid[~train]}
    found = threshold_profile(y_test, models, X=X[~train], **given)
    predicted = {name: each.predict(X[~train]) for name, each in models.items()}
    expected = threshold_profile(y_test, predicted, **given)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    assert (found.conclusion, found.n_repeats) == (expected.conclusion, 0)


def test_topics_that_a_run_lacks_are_left_out_and_counted():
    topics = [f"t{number}" for number in range(5)]
    qrels = {topic: {"a": 2, "b": 1, "c": 0} for topic in topics}
    full = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in topics}
    part = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in topics[1:]}
    scores = trec.evaluate(
        MEASURES, qrels, {"full": full, "part": part}, complete=False
    )
    profile = threshold_profile(scores)
    assert (profile.n_queries, profile.n_left_out) == (4, 1)
    assert "1 query without a value for some ranker left out" in " ".join(
        str(profile).split()
    )


# --- bad input ------------------------------------------------------------------------------------


Y, SCORES, QID = made_up(n_queries=6)


def scored(*measures):
    return {
        name: evaluate(measures, Y, scores, qid=QID) for name, scores in SCORES.items()
    }


def ranked(y_of_best):
    both = zip(SCORES, (Y, y_of_best), strict=True)
    return {name: as_rankings(grades, SCORES[name], QID) for name, grades in both}


FITTED = {name: Ridge().fit(Y[:, None], Y) for name in "ab"}
TWO = ("AP", "AP(rel=2)")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Y, {"a": Y}), {}, ValueError, "at least 2 rankers to compare, got 1"),
        ((Y,), {}, TypeError, "scores or fitted models by name; .* got ndarray"),
        (
            (Y, SCORES),
            {"baseline": "c"},
            ValueError,
            "baseline must be one of 'any', 'best', got",
        ),
        (
            (Y, SCORES),
            {"confidence": 1},
            ValueError,
            "confidence must lie strictly between",
        ),
        ((Y, SCORES), {"normalize": True}, ValueError, "normalize must be False"),
        ((Y, SCORES), {"empty": 1.0}, ValueError, "empty must be 0 or nan, got 1.0"),
        (
            (Y[:40], {"a": Y[:40], "b": Y[:40]}),
            {"qid": QID[:40]},
            ValueError,
            "at least 3 queries",
        ),
        (
            (Y, SCORES),
            {"cluster": {query: query % 2 for query in range(6)}},
            ValueError,
            "at least 3 clusters of queries .* got 2",
        ),
        ((Y * 5, SCORES), {}, ValueError, "at most 8 grades above 0, got 10"),
        (
            (Y, {**FITTED, "b": Y}),
            {"X": Y[:, None]},
            ValueError,
            "all fitted models or none, got",
        ),
        ((Y, FITTED), {}, ValueError, "X and y are needed"),
        (
            (Y, SCORES),
            {"X": Y[:, None]},
            TypeError,
            "X must be None unless y_score holds fitted",
        ),
        (
            (Y, FITTED),
            {"X": Y[:, None], "sample_weight": Y},
            TypeError,
            "sample_weight must be None where y_score holds fitted",
        ),
        # Rankers that were scored or ranked before
        (
            (scored(nDCG()),),
            {},
            ValueError,
            r"AP\(rel=1\), AP\(rel=2\) and so on .*, got nDCG",
        ),
        (
            (scored("AP", "AP(rel=2)@5"),),
            {},
            ValueError,
            "AP must differ in rel alone, got AP and",
        ),
        (
            (scored(*TWO),),
            {"k": 5},
            TypeError,
            "k must be given where rankers are scored",
        ),
        (
            (scored(*TWO),),
            {"qid": QID},
            TypeError,
            "qid and sample_weight must be None",
        ),
        (
            (ranked(np.minimum(Y, 1)),),
            {},
            ValueError,
            "the highest grades 2 for 'any', 1 for",
        ),
        (
            ({**ranked(Y), "b": Y},),
            {},
            ValueError,
            "all Rankings or none, got both: 'any' is one",
        ),
    ],
)
def test_what_has_no_profile_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        threshold_profile(
            *arguments, **({"qid": QID} if len(arguments) > 1 else {}) | options
        )


def test_a_column_of_ids_is_no_ranker():
    frame = pd.DataFrame(SCORES)
    expected = threshold_profile(Y, frame, qid=QID)
    assert repr(threshold_profile(Y, frame.assign(qid=QID))) == repr(expected)


@pytest.mark.parametrize(
    ("g", "told"), [((0.5, 0.4), "sum to 1"), ((1.0,), "hold 2 .*, got 1")]
)
def test_only_distributions_over_the_grades_have_a_difference(g, told):
    with pytest.raises(ValueError, match=f"g must {told}"):
        profile_of(2).pairs[0].at(g)


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_grades", [1, 2, 3])
def test_the_title_of_the_plot_is_the_verdict(n_grades):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    profile = profile_of(n_grades)
    ax = profile.plot()
    assert " ".join(ax.get_title(loc="left").split("\n")) == profile.pairs[0].sentence
    drawn = ax.containers[0].lines[0]
    np.testing.assert_allclose(drawn.get_ydata(), profile.pairs[0].differences)
    bars = ax.containers[0].lines[2][0].get_segments()
    np.testing.assert_allclose([bar[:, 1] for bar in bars], profile.pairs[0].intervals)
    y_true, scores, qid = made_up(n_grades)
    several = threshold_profile(y_true, {"oracle": y_true} | scores, qid=qid)
    _, ax = pyplot.subplots()
    assert several.plot(ax) is ax
    assert [each.get_text() for each in ax.get_legend().get_texts()] == [
        "oracle",
        "any",
    ]
    assert ax.get_title(loc="left").startswith("Of 2 rankers, ")


# --- the command line -----------------------------------------------------------------------------


def test_the_command_line_profiles_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels, runs = collection(12, 20, 3)
    write_qrels(qrels, "qrels")
    for name, run in runs.items():
        trec.write_run(trec.read_run(run), name)
    (tmp_path / "people").write_text(
        "".join(f"{topic} {topic[-1]}\n" for topic in qrels)
    )
    words = [
        "compare",
        "qrels",
        *runs,
        "--profile",
        "--baseline",
        "run0",
        "--cluster",
        "people",
    ]
    assert main([*words, "--format", "json", "--plot", "users.png"]) == 0
    found = json.loads(capsys.readouterr().out)
    cluster = {topic: topic[-1] for topic in qrels}
    scores = trec.evaluate(MEASURES, qrels, runs)
    expected = threshold_profile(scores, baseline="run0", cluster=cluster)
    assert found["rows"] == json.loads(expected.to_json())["rows"]
    assert found["n_clusters"] == 10
    assert (tmp_path / "users.png").stat().st_size > 5_000
    assert main(["compare", "qrels", "run0", "run1", "--profile"]) == 0
    assert capsys.readouterr().out.startswith("No difference between ")
