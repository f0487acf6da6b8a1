"""Scores of many runs."""

import dataclasses
import io
import pickle

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from skgraded import evaluate, trec
from skgraded.conventions import measure_as
from skgraded.trec import _evaluate

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"z": 0}}
RUNS = {
    "good": {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "q3": {"z": 1.0}},
    "bad": {
        "q1": {"b": 3.0, "x": 2.0, "a": 1.0},
        "q2": {"x": 2.0, "a": 1.0},
        "q9": {"z": 1.0},
    },
}
MEASURES = ["AP", "nDCG@2", "eGAP(g=[0.1,0.9],empty=nan)"]


def random_runs(n_runs, seed=0, n_topics=8, depth=30):
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{t}": {
            f"d{d}": int(rng.integers(0, 3)) for d in rng.choice(60, 20, replace=False)
        }
        for t in range(n_topics)
    }
    runs = {
        f"run{r}": {
            topic: {
                f"d{d}": float(rng.integers(0, 25))
                for d in rng.choice(60, depth, replace=False)
            }
            for topic in rng.permutation(list(qrels))[: n_topics - r % 3]
        }
        for r in range(n_runs)
    }
    return qrels, runs


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(
    ("n_threads", "at_a_time"), [(None, 8), (None, 2), (-1, 8), (3, 1)]
)
def test_many_runs_score_as_one_at_a_time(complete, n_threads, at_a_time, monkeypatch):
    monkeypatch.setattr(_evaluate, "_RUNS_AT_A_TIME", at_a_time)
    qrels, runs = random_runs(21)
    scores = trec.evaluate(
        MEASURES, qrels, runs, complete=complete, n_threads=n_threads
    )
    assert scores.values.shape == (21, 8, 3)
    for system, values in zip(scores.systems, scores.values, strict=True):
        rankings = trec.rank(qrels, runs[system], complete=complete)
        alone = evaluate(MEASURES, rankings)
        place = [scores.qid.tolist().index(topic) for topic in alone.qid]
        assert np.array_equal(values[place], alone.values)
        assert np.isnan(np.delete(values, place, axis=0)).all()


def test_run_scores():
    scores = trec.evaluate(MEASURES, QRELS, RUNS)
    assert (scores.systems, scores.qid.tolist()) == (
        ("good", "bad"),
        ["q1", "q2", "q3"],
    )
    means = {
        "AP": 2 / 3,
        "nDCG@2": 2 / 3,
        "eGAP(g=[0.1,0.9],empty=nan)": (1.0 + 0.1) / 2,
    }
    assert scores.mean()["good"] == pytest.approx(means)
    assert scores["AP"].values.tolist() == [[1.0, 1.0, 0.0], [1 / 6, 0.5, 0.0]]
    assert scores.n_empty == (1, 1, 1)
    assert (list(scores), len(scores), "AP" in scores) == (MEASURES, 3, True)
    frame = scores.to_frame()
    for system, by_topic in scores.to_dict().items():
        for topic, values in by_topic.items():
            np.testing.assert_equal(values, frame.loc[(system, topic)].to_dict())


def test_geometric_means_are_those_of_trec_eval():
    qrels, runs = random_runs(5)
    measures = [measure_as("trec_eval", "map"), measure_as("trec_eval", "bpref")]
    scores = trec.evaluate(measures, qrels, runs, complete=False)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map", "gm_bpref"})
    for system, means in scores.mean("geometric").items():
        by_topic = evaluator.evaluate(runs[system])
        theirs = [
            pytrec_eval.compute_aggregated_measure(
                name, [values[name] for values in by_topic.values()]
            )
            for name in ("gm_map", "gm_bpref")
        ]
        np.testing.assert_allclose(list(means.values()), theirs, rtol=1e-12)


def test_what_was_left_out_is_told():
    qrels = {**QRELS, "q1": {**QRELS["q1"], "m": -1, "n": -2}}
    scores = trec.evaluate(MEASURES, qrels, RUNS)
    assert scores.notes == (
        "The qrels hold 1 document of grade -1, pooled but unsampled; 1 document of other negative "
        "grades, judged not relevant.",
        "1 system without all topics of the qrels; a missing topic counts as an empty list: "
        "bad (1).",
        "1 system with topics outside the qrels, left out: bad (1).",
        "Judged@10, lowest first: bad 0.58. What nobody judged counts as not relevant, unless a "
        "measure has unjudged=condense.",
    )
    assert scores._report_of_means().notes[len(scores.notes) :] == [
        "1 query with nothing relevant, counted as 0 (AP, nDCG@2).",
        "1 query with nothing relevant, left out (eGAP(g=[0.1,0.9],empty=nan)).",
    ]
    partial = trec.evaluate(
        "AP", qrels, RUNS, complete=False, negative="nonrelevant"
    ).notes
    assert "1 document of grade -1, judged not relevant" in partial[0]
    assert "a missing topic is left out of the run's mean: bad (1)" in partial[1]


def test_joined_runs_score_as_evaluate_does_under_any_grades():
    joined = trec.join_runs(QRELS, RUNS)
    qrels = joined.qrels
    for grades in (qrels.grades, np.array([0.0, 1.0, 1.0, 0.0, 2.0])):
        judged = dataclasses.replace(qrels, grades=grades)
        expected = trec.evaluate(["AP", "nDCG@2"], judged, RUNS)
        for n_threads in (None, -1, 2):
            values = joined.score(expected.measures, grades, n_threads)
            np.testing.assert_array_equal(values, expected.values, strict=True)
    assert joined.systems == expected.systems
    assert joined.runs[1].left_out[:3] == (1, 1, 0)
    assert tuple(joined.notes()) == trec.evaluate("AP", QRELS, RUNS).notes
    ranks = dict(zip(qrels.documents, joined.best_rank().tolist(), strict=True))
    assert ranks == {"a": 1, "b": 1, "c": 2, "z": 1}


def test_runs_that_were_read_are_taken_as_they_are():
    qrels, run = trec.read_qrels(QRELS), trec.read_run(RUNS["bad"], name="bm25")
    assert trec.read_qrels(qrels) is qrels
    assert trec.read_run(run) is run
    assert trec.read_run(run, name="other").name == "other"
    assert trec.evaluate("AP", qrels, run).systems == ("bm25",)
    assert trec.evaluate("AP", qrels, {"mine": run}).systems == ("mine",)


def test_a_long_table_is_cut():
    qrels, runs = random_runs(30)
    scores = trec.evaluate("AP", qrels, runs)
    assert "30 systems, the first 20 shown; means over 8 queries." in repr(scores)


def test_every_bad_file_is_told(tmp_path):
    texts = {"a": "q1 Q0 a 1 1 t\n", "b": "q1 Q0 a 1 x t\n", "c": "zz Q0 a 1 1 t\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.run").write_text(text)
    absent = [tmp_path / "x.run", tmp_path / "y.run"]
    for runs, error, told in (
        (
            sorted(tmp_path.iterdir()),
            ValueError,
            r"b\.run, line 1.*\n.*c\.run.*topics in common",
        ),
        (absent, OSError, r"x\.run'\n.*y\.run'$"),
        ([absent[0], tmp_path / "b.run"], ValueError, r"x\.run'\n.*b\.run, line 1"),
    ):
        with pytest.raises(error, match=told) as caught:
            trec.evaluate("AP", QRELS, runs)
        assert str(caught.value).count("\n") == 1


def test_paths_are_named_by_their_files(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.run").write_text("q1 Q0 a 1 1 t\n")
    paths = [tmp_path / "x" / "a.run", tmp_path / "y" / "a.run"]
    assert trec.evaluate("AP", QRELS, paths[0]).systems == ("a.run",)
    assert trec.evaluate("AP", QRELS, paths).systems == ("a.run#1", "a.run#2")
    assert trec.evaluate("AP", QRELS, {"x": paths[0], "y": paths[1]}).systems == (
        "x",
        "y",
    )


def test_an_open_file_is_read_once_beside_fractional_grades():
    scores = trec.evaluate(
        "AP", {"q": {"a": 1.5, "b": 1}}, io.BytesIO(b"q Q0 b 1 0.5 t\n")
    )
    assert scores.values[0, 0, 0] == 0.5


def test_runs_come_in_any_iterable():
    runs = (trec.read_run(each, name=name) for name, each in RUNS.items())
    found, expected = trec.evaluate("AP", QRELS, runs), trec.evaluate("AP", QRELS, RUNS)
    assert found.to_dict() == expected.to_dict()


def test_measures_left_open_read_the_scale_off_the_qrels():
    qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
    scores = trec.evaluate("eGAP", qrels, {"q1": {"a": 1.0}}, complete=False)
    assert scores.values[0, 0, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        *(
            ({"n_threads": n}, "n_threads must be an integer from 1 .* got")
            for n in (0, 1.5, True)
        ),
        *(
            ({it: 1}, f"{it} must be True or False")
            for it in ("complete", "strict", "progress")
        ),
        ({"runs": []}, "runs must hold at least one run"),
        ({"runs": {}}, "must hold at least one document"),
        ({"measures": []}, "must name at least one"),
        ({"measures": "xGAP(g=[1])"}, "^<dict>: y_true must hold grades 0..1 for xGAP"),
    ],
)
def test_what_cannot_be_scored_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        trec.evaluate(**{"measures": "AP", "qrels": QRELS, "runs": RUNS, **changed})


def test_the_best_of_repeated_documents_stands_at_its_first_place():
    text = b"q Q0 c 1 5.0 t\nq Q0 a 2 1.0 t\nq Q0 b 3 2.0 t\nq Q0 a 4 9.0 t\n"
    run = trec.read_run(io.BytesIO(text))
    assert run.to_dict() == {"q": {"c": 5.0, "a": 9.0, "b": 2.0}}
    assert list(run.documents) == ["c", "a", "b"]
    assert run.ranks.tolist() == [1, 4, 3]
    found = trec.evaluate("RR", {"q": {"a": 1}}, run)
    assert found.values.ravel().tolist() == [1.0]
    assert any("repeated documents, of which the best counts" in x for x in found.notes)


RANKS = {
    "as scores": ([1, 2, 3, 4], [4.0, 3.0, 3.0, 1.0], 0),
    "distances": ([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4], 2),
    "all 0": ([0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0], 0),
    "shuffled": ([2, 1, 4, 3], [3.0, 4.0, 1.0, 3.0], 0),
    "lists of two scales": ([1, 2, 1, 2], [30.0, 20.0, 0.9, 0.8], 2),
    "lists of one scale": ([1, 2, 1, 2], [30.0, 20.0, 25.0, 18.0], 0),
    "ties": ([1, 2, 3, 4], [1.0, 1.0, 1.0, 1.0], 0),
}


@pytest.mark.parametrize("form", ["lines", "table"])
@pytest.mark.parametrize("case", RANKS)
def test_ranks_that_contradict_the_scores_are_told(case, form):
    ranks, scores, n_topics = RANKS[case]
    rows = [
        (topic, f"d{place}", rank, score)
        for topic in ("q1", "q2")
        for place, (rank, score) in enumerate(zip(ranks, scores, strict=True))
    ]
    if form == "lines":
        lines = [
            f"{topic} Q0 {name} {rank} {score} t\n" for topic, name, rank, score in rows
        ]
        source = io.BytesIO("".join(lines).encode())
    else:
        source = pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])
    run = trec.read_run(source)
    assert run.n_contradicted == n_topics
    assert pickle.loads(pickle.dumps(run)).n_contradicted == n_topics
    # The definition: some document of a better rank has a lower score.
    by_hand = sum(
        any(
            one[2] < two[2] and one[3] < two[3]
            for one in rows
            for two in rows
            if one[0] == two[0] == topic
        )
        for topic in ("q1", "q2")
    )
    assert n_topics == by_hand
    qrels = {topic: {f"d{place}": 1 for place in range(4)} for topic in ("q1", "q2")}
    notes = " ".join(trec.evaluate("AP", qrels, run).notes)
    assert ("ranks contradict the scores, which decide" in notes) == (n_topics > 0)
    notes = " ".join(trec.evaluate("AP", qrels, run, order="file").notes)
    assert "contradict" not in notes
    assert (
        "all have one score" in " ".join(trec.evaluate("AP", qrels, run).notes)
    ) == (case == "ties")


@pytest.mark.parametrize("seed", range(4))
def test_the_note_on_judged_documents_has_the_values_of_the_measure(seed):
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(40)]
    qrels = {
        f"q{topic}": dict.fromkeys(names[:20], 1) | {"d0": -1} for topic in range(5)
    }
    runs = {
        system: {
            topic: {name: float(rng.random()) for name in rng.choice(names, 15, False)}
            for topic in qrels
        }
        for system in ("a", "b")
    }
    found = trec.evaluate("Judged@10", qrels, runs)
    shares = {system: mean["Judged@10"] for system, mean in found.mean().items()}
    told = ", ".join(
        f"{system} {share:.2f}"
        for system, share in sorted(shares.items(), key=lambda entry: entry[1])
    )
    assert any(f"Judged@10, lowest first: {told}." in note for note in found.notes)
    complete = {topic: dict.fromkeys(names, 1) for topic in qrels}
    assert not trec.evaluate("AP", complete, runs).notes
