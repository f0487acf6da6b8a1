"""compare() of many systems by every test: what it finds, prints, draws and refuses."""

import dataclasses

import numpy as np
import pytest

from skgraded import compare
from skgraded._intervals.paired import TESTS
from skgraded.results import side_by_side

EVERY_TEST = pytest.mark.parametrize("test", TESTS)


def paired_values(n_systems=4, n_topics=40, seed=3):
    rng = np.random.default_rng(seed)
    return (
        rng.random((n_systems, n_topics)) * 0.5 + np.arange(n_systems)[:, None] * 0.04
    )


def scores_of(**values):
    found = side_by_side(values)
    names = tuple(f"s{number}" for number in range(len(found.systems)))
    return dataclasses.replace(found, systems=names)


def compared(values, **given):
    return compare(scores_of(AP=values), **given)


# What it finds


@EVERY_TEST
def test_the_difference_that_is_there_is_found(test):
    values = paired_values(n_systems=3)
    values[2] += 0.5
    found = compared(values, tests=[test, "t"])
    assert found.pairs.tolist() == [[1, 0], [2, 0], [2, 1]]
    assert found.significant[1:].all()
    assert found.p_value[test][0] > found.p_value[test][1:].max()
    means = found.means[found.pairs, 0]
    np.testing.assert_allclose(found.difference[:, 0], means[:, 0] - means[:, 1])
    np.testing.assert_array_equal(
        found.significant, found.p_value[test] < 0.05
    )  # by the first
    again = compared(values, tests=test)
    np.testing.assert_array_equal(found.p_value[test], again.p_value[test])


@EVERY_TEST
def test_systems_that_rounding_tells_apart_do_not_differ(test):
    values = np.vstack([paired_values(1), np.nextafter(paired_values(1), 2.0)])
    found = compared(values, tests=test)
    assert found.p_value[test].min() == 1.0
    assert found.effect_size.tolist() == [[0]]


def test_a_p_value_at_the_level_is_not_significant():
    values = np.array([np.zeros(60), np.linspace(1, 2, 60)])
    found = compared(
        values, tests="bootstrap", n_resamples=19, correction="none", confidence=0.9
    )
    assert found.p_value["bootstrap"].item() == 1 / 20
    assert found.significant.all()
    at_level = compared(values, tests="tukey", n_resamples=20, confidence=0.95)
    assert at_level.p_value["tukey"].item() == 1 / 21


def test_pairs_are_worked_on_in_batches(monkeypatch):
    values = paired_values(n_systems=6)
    expected = compared(values)
    monkeypatch.setattr("skgraded.comparison._differences._CELLS_AT_A_TIME", 100)
    found = compared(values)
    for field in ("difference", "interval", "standard_error", "effect_size"):
        np.testing.assert_allclose(
            getattr(found, field), getattr(expected, field), rtol=1e-9
        )


# Tests and corrections


def test_pairs_that_are_too_many_are_not_decided():
    values = paired_values(
        n_systems=18, n_topics=12
    )  # 153 pairs, and 144 squared queries
    found = compared(values)
    assert np.isnan(found.p_value["score"]).all()
    assert not found.significant.any()
    told = "Pairs are not decided: of 153 pairs over 12 queries, some would be found to differ too"
    assert found.notes[0].startswith(told)
    assert all(
        each in found.notes[0] for each in ("name a baseline=", 'by correction="bh".')
    )
    assert not any("undecided" in note for note in found.notes)
    assert repr(found).splitlines()[1].split()[2:] == [
        f"{found.means.max():.4f}"
    ]  # beats nobody
    for given in ({"correction": "bh"}, {"correction": "holm"}, {"baseline": "s3"}):
        assert compared(values, **given).significant.any()
    assert compared(values[:17]).significant.any()
    clusters = {each: each // 2 for each in range(12)}
    assert (
        "of 45 pairs over 6 clusters"
        in compared(values[:10], cluster=clusters).notes[0]
    )


@pytest.mark.parametrize(("correction", "factor"), [(None, 2), ("none", 1)])
def test_tukeys_p_values_are_corrected_for_the_number_of_measures(correction, factor):
    values = paired_values(), paired_values(seed=5)
    scores = scores_of(AP=values[0], RR=values[1])
    found = compare(scores, tests="tukey", correction=correction)
    rng = np.random.default_rng(0)
    for name, of_measure in zip(found, values, strict=True):
        # The systems are shuffled in the order of their means.
        order = np.argsort(-of_measure.mean(axis=1))
        matrix = TESTS["tukey"].function(of_measure[order], 10_000, rng)
        place = np.argsort(order)[found.pairs]
        expected = np.minimum(factor * matrix[place[:, 0], place[:, 1]], 1)
        np.testing.assert_array_equal(found[name].p_value["tukey"][:, 0], expected)


# Clusters


@pytest.mark.parametrize("test", ["score", "t"])
def test_queries_of_a_cluster_count_as_one(test):
    values = paired_values(n_systems=3)
    once = compared(values, tests=test)
    cluster = {each: f"person {each % 40}" for each in range(200)}
    found = compared(np.tile(values, 5), tests=test, cluster=cluster)
    assert found.n_queries == (200,)
    assert found.tested.startswith("200 queries in 40 clusters, level 0.05")
    # How skewed the mean is, is read off queries, of which there are more.
    np.testing.assert_allclose(found.interval, once.interval, rtol=0.01)
    np.testing.assert_allclose(found.standard_error, once.standard_error, rtol=1e-9)
    rtol = 0.02 if test == "score" else 1e-9
    np.testing.assert_allclose(found.p_value[test], once.p_value[test], rtol=rtol)
    assert (compared(np.tile(values, 5), tests=test).interval != found.interval).any()
    told = "tests must be one of 'score', 't' with clusters, repeats, weights or judge=, got 'wilc"
    with pytest.raises(ValueError, match=told):
        compared(np.tile(values, 5), tests="wilcoxon", cluster=cluster)


def test_clusters_come_with_the_scores_or_by_query():
    pandas = pytest.importorskip("pandas")
    scores = scores_of(AP=paired_values())
    cluster = {query: query // 2 for query in scores.qid.tolist()}
    expected = compare(scores, cluster=cluster)
    assert "in 20 clusters" in expected.tested
    of_scores = dataclasses.replace(scores, clusters=np.arange(40) // 2)
    by_series = compare(scores, cluster=pandas.Series(cluster).iloc[::-1])
    for found in (compare(of_scores), by_series):
        np.testing.assert_array_equal(found.interval, expected.interval)
    with pytest.raises(
        TypeError, match=r"cluster must map query ids to clusters.*, got list"
    ):
        compare(scores, cluster=[1] * 40)
    for missing in (None, np.nan, np.datetime64("NaT"), pandas.NA):
        cluster[7] = missing
        held = np.array([*cluster.values()], dtype=object)
        for each, given in (
            (scores, cluster),
            (dataclasses.replace(scores, clusters=held), None),
        ):
            with pytest.raises(ValueError, match="has none for 1 query: 7"):
                compare(each, cluster=given)
    del cluster[7]
    with pytest.raises(
        ValueError, match="an entry for every query, and has none for 1 query"
    ):
        compare(scores, cluster=cluster)
    with pytest.raises(
        ValueError, match=r"at least 2 queries, or clusters of them, .* got 1"
    ):
        compare(scores, cluster=dict.fromkeys(scores.qid.tolist(), 0))


# What it prints and draws


def test_the_comparison_prints_who_beats_whom():
    values = paired_values(n_systems=9) + np.repeat([0, 1, 2], 3)[:, None]
    found = compared(values, tests="t", correction="bh", confidence=0.99)
    lines = repr(found).splitlines()
    assert lines[0].split() == ["system", "AP", "beats"]
    assert "4-9" in lines[1]
    shown = " ".join(repr(found).split())
    told = "40 queries, level 0.01, p-values corrected by Benjamini and Hochberg for 36 pairs;"
    assert told in shown
    assert "Shown are none of 36 pairs: to_frame(), or --format csv, has all." in shown


@pytest.mark.parametrize(
    ("beaten", "written"),
    [([], ""), ([2], "2"), ([2, 3], "2-3"), ([2, 4, 5, 6, 9], "2 4-6 9")],
)
def test_consecutive_numbers_are_a_range(beaten, written):
    values = np.ones((9, 30)) + 0.01 * np.random.default_rng(0).random((9, 30))
    found = compared(values, tests="t")
    order = np.argsort(-found.means[:, 0], kind="stable")
    found.p_value["score"][:] = 1.0
    for number in beaten:
        pair = sorted([order[0], order[number - 1]], reverse=True)
        found.p_value["score"][found.pairs.tolist().index(pair)] = 0.0
    assert repr(found).splitlines()[1].split()[3:] == written.split()


def verdict(ax):
    return " ".join(ax.get_title(loc="left").split())


def test_the_title_of_a_picture_is_the_verdict():
    pytest.importorskip("matplotlib.pyplot")
    values = paired_values(1)
    equal, better = (compared(np.vstack([values, values + up])) for up in (0.0, 0.5))
    assert (
        verdict(equal.plot()) == "No difference between s0 and s1 in AP is established."
    )
    assert verdict(better.plot()) == "s1 is better than s0 in AP."
    rows = np.vstack([values, values + 0.5, values])
    is_better = compared(rows, baseline="s0", better=True).plot()
    assert verdict(is_better) == "Better than s0 in AP: holds for 1, undecided for 1."
    is_no_worse = compared(rows, baseline="s0", margin=0.1).plot()
    assert (
        verdict(is_no_worse) == "No worse by more than 0.1 than s0 in AP: holds for 2."
    )


@pytest.mark.parametrize("n_systems", [4, 9])
def test_intervals_of_all_pairs_or_of_those_with_the_best_system_are_drawn(n_systems):
    pytest.importorskip("matplotlib.pyplot")
    found = compared(
        paired_values(n_systems) + np.arange(n_systems)[:, None] % 3, tests="t"
    )
    best = found.means[:, 0].argmax()
    shown = [
        pair for pair, both in enumerate(found.pairs) if n_systems == 4 or best in both
    ]
    shown.sort(key=lambda pair: -found.difference[pair, 0])
    ax = found.plot()
    names = [f"s{one} - s{other}" for one, other in found.pairs[shown]]
    assert [each.get_text() for each in ax.get_yticklabels()] == names
    segments = [
        each[:, 0]
        for container in ax.containers
        for each in container[2][0].get_segments()
    ]
    is_decided = found.significant[shown, 0]
    order = np.argsort(~is_decided, kind="stable")  # the decided ones are drawn first
    np.testing.assert_allclose(segments, found.interval[shown, 0][order])
    fillings = [each[0].get_markerfacecolor() for each in ax.containers]
    assert fillings == ["#0072B2", "white"][-len(fillings) :] or is_decided.all()
    assert "of all" in ax.get_xlabel()
    n = found.significant[shown].sum()
    assert (
        verdict(ax)
        == f"{n or 'None'} of {len(shown)} differences in AP are significant."
    )
    assert found.plot(ax=ax) is ax
