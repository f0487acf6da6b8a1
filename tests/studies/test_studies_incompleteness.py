"""Reduced pools: the papers' sampling rules, and scores equal to those of reduced qrels."""

from collections import Counter

import numpy as np
import pytest

from skgraded import trec
from skgraded.studies import incompleteness, kendall_tau, reduce_pool, rms_error, tau_ap
from skgraded.studies._pool_samples import (
    depth_samples,
    random_samples,
    stratified_samples,
)
from skgraded.trec import read_qrels

MEASURES = (
    "AP",
    "xGAP(g=[0.2,0.8])",
    "nDCG@10",
    "Bpref",
    "infAP",
    "AP(unjudged=condense)",
)
RATES = np.array([100.0, 55.0, 20.0, 3.0])


@pytest.fixture(scope="module")
def collection():
    """Topics of unlike sizes, one of them without relevant documents; runs with ties."""
    rng = np.random.default_rng(3)
    sizes = {"t1": 200, "t2": 47, "t3": 12, "none": 30}
    qrels = {
        topic: {
            f"{topic}-{number}": 0
            if topic == "none"
            else int(rng.choice(3, p=[0.7, 0.2, 0.1]))
            for number in range(n)
        }
        for topic, n in sizes.items()
    }
    qrels["t2"]["t2-0"] = -1  # was in the pool, but not sampled
    runs = {}
    for number in range(6):
        runs[f"run{number}"] = {
            topic: {
                document: round(max(grade, 0) * number / 5 + rng.normal(), 1)
                for document, grade in [
                    *judged.items(),
                    *((f"x{n}", 0) for n in range(40)),
                ]
                if rng.random() < 0.7
            }
            for topic, judged in qrels.items()
        }
    return read_qrels(qrels), runs


def by_grade(qrels):
    """Numbers of documents by topic and grade."""
    return Counter(
        (topic, grade)
        for topic, judged in qrels.to_dict().items()
        for grade in judged.values()
    )


def test_strata_keep_the_papers_numbers_of_documents(collection):
    qrels, _ = collection
    for rate in RATES:
        kept = by_grade(reduce_pool(qrels, rate))
        for (topic, grade), n in by_grade(qrels).items():
            least = 10 if grade == 0 else 1
            if grade >= 0:
                assert kept[topic, grade] == min(n, max(least, int(n * rate / 100)))
        together = by_grade(reduce_pool(qrels, rate, by_grade=False))
        for topic in ("t1", "t2", "t3"):  # all relevant documents together
            n, left = (
                each[topic, 1] + each[topic, 2] for each in (by_grade(qrels), together)
            )
            assert left == max(1, int(n * rate / 100))


@pytest.mark.parametrize("rate", [7, 29, 57, 58])
def test_a_whole_share_is_not_cut_by_rounding(rate):
    # 0.29 * 100 is 28.999... in binary.
    qrels = {"q": {f"d{number}": 1 for number in range(100)}}
    assert by_grade(reduce_pool(qrels, rate))["q", 1] == rate


def test_nested_samples_hold_the_smaller_ones_and_others_are_drawn_anew(collection):
    qrels, _ = collection
    rng = np.random.default_rng(1)
    for samples in (
        stratified_samples(qrels, RATES, rng, by_grade=True, nested=True),
        random_samples(qrels, RATES, rng, nested=True),
        depth_samples(qrels, rng.integers(1, 99, qrels.n_documents), RATES),
    ):
        larger = next(samples)
        for smaller in samples:
            assert not (smaller & ~larger).any()
            larger = smaller
    twice = np.array([40.0, 40.0])
    for samples in (
        stratified_samples(qrels, twice, rng, by_grade=True, nested=False),
        random_samples(qrels, twice, rng, nested=False),
    ):
        first, second = samples
        assert (first != second).any()


@pytest.mark.parametrize("seed", range(10))
def test_a_simple_random_sample_holds_a_relevant_document(collection, seed):
    qrels, _ = collection
    n_judged = Counter(
        topic for topic, judged in qrels.to_dict().items() for _ in judged
    )
    n_judged["t2"] -= 1
    for rate in RATES:
        kept = by_grade(reduce_pool(qrels, rate, method="random", random_state=seed))
        for topic, n in n_judged.items():
            n_relevant = kept[topic, 1] + kept[topic, 2]
            assert n_relevant + kept[topic, 0] == max(1, int(n * rate / 100))
            assert (n_relevant > 0) == (
                topic != "none"
            )  # which has no relevant documents


def test_a_simple_random_sample_is_uniform_given_that_it_holds_a_relevant_document():
    # 1 of 4 documents, 2 relevant ones: each of these must come up half the time.
    qrels, rng = (
        read_qrels({"q": {"a": 1, "b": 1, "c": 0, "d": 0}}),
        np.random.default_rng(0),
    )
    samples = (
        reduce_pool(qrels, 25, method="random", random_state=rng) for _ in range(2000)
    )
    drawn = sum(each.grades >= 0 for each in samples)
    assert drawn[2] == drawn[3] == 0
    assert abs(drawn[0] - 1000) < 5 * np.sqrt(2000) / 2


@pytest.mark.parametrize("method", ["stratified", "random"])
def test_scores_are_those_of_reduced_qrels(collection, method):
    qrels, runs = collection
    given = {"method": method, "rates": [40], "random_state": 5}
    found = incompleteness(MEASURES, qrels, runs, **given)
    reduced = reduce_pool(qrels, 40, method=method, random_state=5)
    for means, judged in ((found.means[0, 0, 0], reduced), (found.full[0], qrels)):
        expected = trec.evaluate(MEASURES, judged, runs)
        assert found.systems == expected.systems
        np.testing.assert_allclose(means, expected.means, atol=1e-11)
    assert found.n_judged.tolist() == [[int((reduced.grades >= 0).sum())]]
    of_threads = incompleteness(MEASURES, qrels, runs, n_threads=3, **given)
    np.testing.assert_array_equal(of_threads.means, found.means)
    of_a_generator = incompleteness(
        MEASURES, qrels, (run for run in runs.values()), **given
    )
    np.testing.assert_array_equal(of_a_generator.means, found.means)
    assert of_a_generator.systems == tuple(f"<dict>#{number}" for number in range(1, 7))
    other = incompleteness(MEASURES, qrels, runs, **{**given, "random_state": 6})
    assert (other.means != found.means).any()


def test_a_pool_of_some_depth_holds_what_a_run_has_among_its_first(collection):
    qrels, runs = collection
    found = incompleteness(
        MEASURES, qrels, runs, method="depth", rates=[1000, 5], n_repeats=3
    )
    pooled = set()
    for run in runs.values():
        for topic, scores in run.items():
            # Equal scores: the document id that is greater by its bytes comes first.
            first = sorted(
                scores, key=lambda d, s=scores: (np.float32(s[d]), d.encode())
            )[-5:]
            pooled |= {(topic, document) for document in first}
    judged = {
        topic: {
            document: grade
            for document, grade in grades.items()
            if (topic, document) in pooled
        }
        for topic, grades in qrels.to_dict().items()
    }
    expected = trec.evaluate(MEASURES, judged, runs)
    np.testing.assert_allclose(found.means[0, 1, 0], expected.means, atol=1e-11)
    assert found.means.shape[2] == 1  # nothing is drawn, so nothing is repeated


def test_statistics_compare_with_the_full_pool_and_with_the_target(collection):
    qrels, runs = collection
    masks = {"all": np.ones(4, bool), "two": np.array([True, True, False, False])}
    found = incompleteness(
        ["infAP", "FDR@10"], qrels, runs, rates=[60, 20], n_repeats=3, topics=masks
    )
    assert found.kendall.shape == (2, 2, 3, 2)
    full, reduced = found.full[1, :, 0], found.means[1, 1, 2, :, 0]
    assert found.kendall[1, 1, 2, 0] == kendall_tau(full, reduced)
    assert found.tau_ap[1, 1, 2, 0] == tau_ap(full, reduced)
    assert found.target_rmse[1, 1, 2, 0] == rms_error(found.target_full[1], reduced)
    assert found.score[1, 1, 2, 0] == pytest.approx(reduced.mean())
    # Where less is better, the order is turned round before it is held against that of AP.
    less = found.means[1, 1, 2, :, 1]
    assert found.target_kendall[1, 1, 2, 1] == kendall_tau(found.target_full[1], -less)
    assert found.tau_ap[1, 1, 2, 1] == tau_ap(-found.full[1, :, 1], -less)
    assert len(found.to_frame()) == found.kendall.size


def test_systems_may_be_left_out_of_the_comparison(collection):
    qrels, runs = collection
    kept = np.array([False, True, True, True, False, True])
    found = incompleteness(["AP"], qrels, runs, rates=[100], systems=kept)
    assert found.systems == ("run1", "run2", "run3", "run5")
    for given, systems, told in (
        (runs, np.arange(6) == 1, "at least 2 of the 6 runs, got 1"),
        (
            runs,
            [0, 3, 4, 5, 1, 2],
            r"systems must be a mask of shape \(6,\), got int64 of",
        ),
        (runs["run0"], None, "at least 2 of the 1 runs, got 1"),
    ):
        with pytest.raises(ValueError, match=told):
            incompleteness(["AP"], qrels, given, rates=[100], systems=systems)


def test_a_mean_over_no_topic_is_undefined(collection):
    empty = {"none": np.array([False, False, False, True])}
    found = incompleteness(
        ["AP(empty=nan)", "AP"], *collection, rates=[100], topics=empty
    )
    assert np.isnan(found.full[..., 0]).all()
    assert np.isnan(found.means[..., 0]).all()
    assert np.isnan([found.kendall[0, 0, 0, 0], found.target_rmse[0, 0, 0, 0]]).all()
    assert (found.means[..., 1] == 0.0).all()


def test_g_by_name_keeps_the_scale_of_the_full_pool():
    qrels = {"q": {f"d{number}": 1 for number in range(50)} | {"top": 2}}
    rng = np.random.default_rng(0)
    runs = [{"q": {d: rng.random() for d in qrels["q"]}} for _ in range(3)]
    runs = dict(zip("abc", runs, strict=True))
    found = incompleteness(
        ["GAP", "GAP(max_grade=2)"], qrels, runs, method="random", rates=[10]
    )
    assert reduce_pool(qrels, 10, method="random").grades.max() == 1
    with pytest.raises(
        ValueError, match="method must be one of 'stratified', 'random', got"
    ):
        reduce_pool(qrels, 10, method="quota")
    np.testing.assert_array_equal(found.means[..., 0], found.means[..., 1])


def test_plot_and_table(collection):
    found = incompleteness(["AP", "Bpref"], *collection, rates=[100, 20], n_repeats=2)
    ax = found.plot()
    assert [each.get_text() for each in ax.get_legend().get_texts()] == ["AP", "Bpref"]
    assert ax.get_title(loc="left").startswith(
        "With 20 % of the judgments: highest for "
    )
    np.testing.assert_allclose(
        ax.get_lines()[1].get_ydata(), found.kendall[0].mean(1)[:, 1]
    )
    with pytest.raises(ValueError, match="statistic must be one of 'kendall'"):
        found.plot(statistic="rho")
    with pytest.raises(ValueError, match="topics must be one of 'all', got 'few'"):
        found.to_text(topics="few")
