"""Labels that favour a system: pooled from one of them, drawn not at random, or seen by a judge."""

import pickle
import warnings

import numpy as np
import pytest

from skgraded import compare, evaluate, trec
from skgraded.comparison import estimate_means
from skgraded.exceptions import (
    QueryLeakWarning,
    UnjudgedDocumentsWarning,
    UnlikeQueriesWarning,
)
from skgraded.results import Scores, side_by_side

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}, "q3": {"d1": 0, "d2": 1}}
RUNS = {
    "a": {"q1": {"d3": 2.0, "d1": 1.0, "x": 0.5}, "q2": {"x": 1.0, "d1": 0.5}},
    "b": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}, "q3": {"y": 1.0}},
}
# By hand: system, topic, measure. a has no list of q3, and b has an unjudged document alone.
SHARES = [[[2 / 3, 1], [1 / 2, 0], [1, 1]], [[1, 1], [1, 1], [0, 0]]]


@pytest.fixture
def scores():
    return trec.evaluate(["nDCG@10", "P@1"], QRELS, RUNS)


class TestJudgedShare:
    def test_it_is_counted_by_hand(self, scores):
        np.testing.assert_allclose(scores.judged_share, SHARES)
        whole_lists = trec.evaluate("AP", QRELS, RUNS).judged_share
        np.testing.assert_allclose(whole_lists, np.array(SHARES)[..., :1])

    def test_negative_grades_that_stand_for_no_sample_are_not_judged(self):
        qrels = {"q": {"d1": 1, "d2": -1}}
        run = {"q": {"d1": 2.0, "d2": 1.0}}
        assert trec.evaluate("P@2", qrels, run).judged_share.item() == 0.5
        of_both = trec.evaluate("P@2", qrels, run, negative="nonrelevant")
        assert of_both.judged_share == 1.0

    @pytest.mark.parametrize("complete", [True, False])
    def test_it_depends_neither_on_threads_nor_on_missing_topics(self, complete):
        for n_threads in (1, 2):
            of_threads = trec.evaluate(
                ["nDCG@10", "P@1"], QRELS, RUNS, complete=complete, n_threads=n_threads
            )
            np.testing.assert_allclose(of_threads.judged_share, SHARES)
            assert of_threads.values.shape == (2, 3, 2)
            assert len(of_threads.n_empty) == 2

    def test_selection_sorting_and_copies_carry_it(self, scores):
        shares = np.array(SHARES)
        for copy in (scores, pickle.loads(pickle.dumps(scores))):
            np.testing.assert_allclose(copy["P@1"].judged_share, shares[..., 1:])
            np.testing.assert_allclose(
                copy[["P@1", "nDCG@10"]].judged_share, shares[..., ::-1]
            )
            one = copy.select(system="b", qid=["q3", "q1"])
            np.testing.assert_allclose(one.judged_share, shares[1:, [2, 0]])
            both = copy.select(system=["b", "a"])
            np.testing.assert_allclose(both.judged_share, shares[::-1])
            by_mean = copy.sort("P@1")
            assert by_mean.systems == ("b", "a")
            np.testing.assert_allclose(by_mean.judged_share, shares[::-1])
            assert not copy.judged_share.flags.writeable

    def test_parts_in_other_orders_are_joined(self, scores):
        parts = {
            "b": scores.select(system="b"),
            "a": scores.select(system="a", qid=["q3", "q1", "q2"]),
        }
        joined = side_by_side(parts)
        np.testing.assert_allclose(joined.judged_share, np.array(SHARES)[::-1])

    def test_arrays(self):
        grades = [1, np.nan, 0, 1]
        runs = {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}
        of_both = evaluate(["nDCG@1", "AP"], grades, runs, qid=[1, 1, 2, 2])
        expected = [[[1, 0.5], [1, 1]], [[0, 0.5], [1, 1]]]
        np.testing.assert_allclose(of_both.judged_share, expected)
        of_one = evaluate("nDCG@1", grades, runs["b"], qid=[1, 1, 2, 2])
        np.testing.assert_allclose(of_one.judged_share, [[[0], [1]]])
        assert evaluate("AP", [1, 0], runs["a"][:2]).judged_share == 1.0
        all_judged = evaluate("AP", [1, 0, 0, 1], runs, qid=[1, 1, 2, 2])
        assert all_judged.judged_share == 1.0
        assert side_by_side({"a": all_judged.select(system="a")}).judged_share == 1.0

    def test_tied_documents_have_the_expected_share(self):
        of_tied = evaluate("P@1", [1, np.nan], [1.0, 1.0])
        assert of_tied.judged_share.item() == 0.5

    @pytest.mark.parametrize("k", [1, 2, 3, 5, 40])
    def test_it_is_that_of_the_measure_with_ties_across_the_cutoff(self, k):
        rng = np.random.default_rng(k)
        qid = np.sort(rng.integers(0, 60, 400))
        grades = np.where(rng.random(400) < 0.4, np.nan, rng.integers(0, 3, 400))
        y_score = rng.integers(0, 4, 400)
        shares = evaluate(f"nDCG@{k}", grades, y_score, qid=qid).judged_share
        by_measure = evaluate(f"Judged@{k}", grades, y_score, qid=qid).values
        np.testing.assert_allclose(shares[0], by_measure, rtol=1e-12)


def scores_with_shares(gap, share, n=100, seed=0):
    """Return scores of old and new, of which new is better by the gap."""
    rng = np.random.default_rng(seed)
    old = rng.uniform(0.4, 0.5, n)
    new = old + gap + rng.normal(0.0, 0.02, n)
    shares = np.broadcast_to(np.array(share)[:, None, None], (2, n, 1))
    return Scores(
        measures=("nDCG@10",),
        qid=np.arange(n),
        values=np.stack([old, new])[..., None],
        directions=(1,),
        systems=("old", "new"),
        judged_share=shares,
    )


class TestUnjudgedDocuments:
    @pytest.mark.parametrize(
        ("gap", "share", "decision", "status"),
        [
            (-0.3, (1.0, 0.43), "undecided", 3),  # new loses, and is judged less
            (-0.3, (0.43, 1.0), "fails", 1),  # although it is judged more
            (0.3, (1.0, 0.43), "holds", 0),
            (0.3, (0.43, 1.0), "undecided", 3),
            (0.3, (0.98, 1.0), "holds", 0),
            (0.3, (0.979, 1.0), "undecided", 3),
        ],
    )
    @pytest.mark.parametrize("options", [{"margin": 0.05}, {"better": True}])
    def test_verdicts(self, gap, share, decision, status, options):
        scores = scores_with_shares(gap, share)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = compare(scores, baseline="old", worst=0.9, **options)
        assert result.decisions.item() == decision
        assert result.status == status
        withheld = [
            warning
            for warning in caught
            if warning.category is UnjudgedDocumentsWarning
        ]
        assert len(withheld) == (status == 3)
        if status == 3:
            assert withheld[0].filename == __file__
            assert np.isnan(result.holds_to_worst).all()
            assert result.to_frame()["queries_needed"].item() == np.inf
            assert "no verdict for it is taken" in " ".join(str(result).split())

    def test_a_note_says_it_without_a_verdict(self):
        result = compare(scores_with_shares(-0.3, (1.0, 0.43)))
        assert result.notes[0] == (
            "Of the first documents of new, 43% are judged, and 100% of those of old, which "
            "favours old."
        )
        np.testing.assert_allclose(result.judged_share, [[1.0], [0.43]])
        np.testing.assert_allclose(result[["nDCG@10"]].judged_share, [[1.0], [0.43]])
        alike = compare(scores_with_shares(-0.3, (1.0, 0.98)))
        assert not any("judged" in note for note in alike.notes)

    def test_labels_of_the_old_system_do_not_decide_against_the_new_one(self):
        rng = np.random.default_rng(1)
        qrels, old, new = {}, {}, {}
        for topic in map(str, range(40)):
            grades = rng.integers(0, 3, 40)
            by_old = grades + 1.5 * rng.normal(size=40)
            by_new = grades + 0.7 * rng.normal(size=40)
            documents = [f"d{number}" for number in range(40)]
            old[topic] = dict(zip(documents, by_old.tolist(), strict=True))
            new[topic] = dict(zip(documents, by_new.tolist(), strict=True))
            first = np.argsort(-by_old)[:10]
            qrels[topic] = {f"d{number}": int(grades[number]) for number in first}
        runs = {"new": new, "old": old}
        scores = trec.evaluate("nDCG@10", qrels, runs)
        shares = scores.judged_share.mean(axis=1).ravel()
        by_measure = trec.evaluate("Judged@10", qrels, runs).mean()
        np.testing.assert_allclose(
            shares, [by_measure[name]["Judged@10"] for name in runs]
        )
        with pytest.warns(UnjudgedDocumentsWarning, match="favours old"):
            result = compare(scores, baseline="old", margin=0.02)
        assert (result.interval < -0.02).all()
        assert result.status == 3


def judged_and_human(n_human=40, n=200, seed=0):
    """Return values of two systems by a judge, and by people in some queries."""
    rng = np.random.default_rng(seed)
    hardness = rng.uniform(0.2, 0.7, n)
    by_people = np.clip(hardness + rng.normal(0.0, 0.1, (2, n)), 0.01, 0.99)
    by_judge = np.clip(by_people + rng.normal(0.0, 0.1, (2, n)), 0.01, 0.99)
    return by_people[:, :n_human], by_judge


def scores_of(values, measures=("nDCG@10",)):
    return Scores(
        measures=measures,
        qid=np.arange(values.shape[1]),
        values=values[..., None] if values.ndim == 2 else values,
        directions=(1,) * len(measures),
        systems=("a", "b"),
    )


class TestJudgesThatSawTheLabels:
    @pytest.mark.parametrize("ask", [compare, estimate_means])
    def test_all_values_alike_are_an_error(self, ask):
        by_people, by_judge = judged_and_human()
        by_judge[:, :40] = by_people
        with pytest.raises(ValueError, match="in all 40 labelled queries"):
            ask(scores_of(by_people), judge=scores_of(by_judge))

    @pytest.mark.parametrize(("n_seen", "warns"), [(7, False), (8, True), (39, True)])
    def test_a_fifth_is_a_warning(self, n_seen, warns):
        by_people, by_judge = judged_and_human()
        by_judge[:, :n_seen] = by_people[:, :n_seen]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = compare(scores_of(by_people), judge=scores_of(by_judge))
        kinds = [warning.category for warning in caught]
        assert (QueryLeakWarning in kinds) == warns
        assert any(f"in {n_seen} of 40" in note for note in result.notes) == warns

    def test_one_system_or_measure_that_differs_is_enough(self):
        by_people, by_judge = judged_and_human()
        by_judge[0, :40] = by_people[0]
        with warnings.catch_warnings():
            warnings.simplefilter("error", QueryLeakWarning)
            compare(scores_of(by_people), judge=scores_of(by_judge))

    @pytest.mark.filterwarnings("ignore::skgraded.exceptions.UnhelpfulJudgeWarning")
    def test_values_of_0_and_1_and_coarse_measures_tell_nothing(self):
        rng = np.random.default_rng(3)
        coarse = rng.integers(0, 4, (2, 200)) / 4
        by_judge = coarse.copy()
        by_judge[:, :10] = rng.integers(0, 4, (2, 10)) / 4
        zeros = np.zeros((2, 200))
        zeros[:, ::3] = rng.uniform(0.1, 0.9, (2, 67))
        other = np.where(zeros == 0.0, 0.0, zeros + 0.05)
        with warnings.catch_warnings():
            warnings.simplefilter("error", QueryLeakWarning)
            compare(scores_of(coarse[:, :15]), judge=scores_of(by_judge))
            compare(scores_of(zeros[:, :30]), judge=scores_of(other))

    def test_each_of_several_judges_is_looked_at(self):
        by_people, by_judge = judged_and_human()
        seen = by_judge.copy()
        seen[:, :20] = by_people[:, :20]
        judges = [scores_of(by_judge), scores_of(seen)]
        with pytest.warns(QueryLeakWarning, match="in 20 of 40 queries"):
            compare(scores_of(by_people), judge=judges)


def test_easy_queries_are_noticed_by_the_values_of_both_systems():
    rng = np.random.default_rng(0)
    easiness = np.sort(rng.uniform(0.1, 0.9, 500))[::-1]
    values = np.clip(easiness + rng.normal(0.0, 0.05, (2, 500)), 0.0, 1.0)
    by_judge = np.clip(values + rng.normal(0.02, 0.03, values.shape), 0.0, 1.0)
    with pytest.warns(UnlikeQueriesWarning, match="of [ab] has a mean"):
        compare(scores_of(values[:, :40]), judge=scores_of(by_judge))


def test_random_queries_are_rarely_called_unlike():
    n_warned = 0
    for seed in range(100):
        by_people, by_judge = judged_and_human(seed=seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compare(scores_of(by_people), judge=scores_of(by_judge))
        n_warned += any(warning.category is UnlikeQueriesWarning for warning in caught)
    assert n_warned <= 4
