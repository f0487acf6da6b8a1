"""Documents that do not count, and the grades of several raters, against naive loops."""

import io
import statistics

import numpy as np
import pytest

from skgraded import trec
from skgraded.cli import main


def random_topics(seed):
    """Topics that are documents themselves, as in ArguAna, and first in their own lists."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(30)]
    topics = names[:8]
    qrels = {
        topic: {name: int(rng.integers(0, 3)) for name in rng.choice(names, 9, False)}
        for topic in topics
    }
    run = {
        topic: {name: float(rng.random()) for name in rng.choice(names, 15, False)}
        | {topic: 2.0}
        for topic in topics
    }
    pairs = {
        topic: [str(name) for name in rng.choice(names, 4, False)]
        for topic in topics[:6]
    }
    return qrels, run, {**pairs, "no topic": ["d1"], topics[7]: []}


def without(nested, excluded):
    """The same without pairs, literally."""
    return {
        topic: {
            name: number
            for name, number in documents.items()
            if name not in excluded.get(topic, ())
        }
        for topic, documents in nested.items()
    }


@pytest.mark.parametrize("kind", ["self", "pairs", "lines", "qrels", "run"])
@pytest.mark.parametrize("seed", range(5))
def test_excluded_documents_are_left_out_of_qrels_and_runs(seed, kind, tmp_path):
    qrels, run, pairs = random_topics(seed)
    exclude = pairs
    if kind == "self":
        exclude, pairs = "self", {topic: [topic] for topic in qrels}
    elif kind != "pairs":
        form = {
            "lines": "{} {}\n",
            "qrels": "{}\t0\t{}\t1\n",
            "run": "{} Q0 {} 1 2.5 t\n",
        }[kind]
        exclude = tmp_path / "pairs"
        lines = [form.format(topic, name) for topic in pairs for name in pairs[topic]]
        exclude.write_text("".join(lines).replace("no topic", "none"))
    measures = ["AP", "nDCG@10", "xGAP(g=[0.5,0.5])", "R@5"]
    found = trec.evaluate(measures, qrels, run, exclude=exclude)
    expected = trec.evaluate(measures, without(qrels, pairs), without(run, pairs))
    np.testing.assert_array_equal(found.values, expected.values, strict=True)
    assert any("1 system with excluded documents: " in note for note in found.notes)


def test_a_run_that_retrieves_its_own_topics_is_told():
    qrels, run, _ = random_topics(0)
    told = "exclude='self' leaves out: <dict> (8)."
    assert any(told in note for note in trec.evaluate("AP", qrels, run).notes)
    notes = trec.evaluate("AP", qrels, run, exclude="self").notes
    assert not any(told in note for note in notes)
    ranked_last = {topic: {**run[topic], topic: -1.0} for topic in run}
    assert not any(told in x for x in trec.evaluate("AP", qrels, ranked_last).notes)


@pytest.mark.parametrize(
    ("exclude", "error", "told"),
    [
        ({"q": "d1"}, ValueError, "exclude must map topics to lists of ids"),
        (3, ValueError, "exclude must be 'self', a file or a mapping .* got int"),
        (
            io.BytesIO(b"q a b\n"),
            ValueError,
            "line 1: a line must have a topic and a doc",
        ),
    ],
)
def test_what_excludes_nothing_that_can_be_read_is_refused(exclude, error, told):
    with pytest.raises(error, match=told):
        trec.evaluate("AP", {"q": {"d1": 1}}, {"q": {"d1": 1}}, exclude=exclude)


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_command_line_excludes(command, tmp_path, capsys):
    qrels, run, _ = random_topics(1)
    _, other, _ = random_topics(2)
    other = {topic: other.get(topic, {}) for topic in qrels}
    (tmp_path / "q").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t in qrels for d, g in qrels[t].items())
    )
    paths = [str(tmp_path / "q")]
    for name, scores in (("a", run), ("b", other)):
        trec.write_run(scores, tmp_path / name, tag=name)
        paths.append(str(tmp_path / name))
    words = ["-m", "AP", "--exclude", "self"]
    assert main([command, *paths, *words]) == 0
    printed = capsys.readouterr()
    scores = trec.evaluate("AP", qrels, {"a": run, "b": other}, exclude="self")
    for name in ("a", "b"):
        assert f"{scores.mean()[name]['AP']:.4f}" in printed.out
    assert "with excluded documents" in printed.out + printed.err


RULES = {
    "mean": lambda grades: sum(grades) / len(grades),
    "median": statistics.median,
    "majority": lambda grades: min(statistics.multimode(grades)),
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("raters", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_the_grades_of_several_raters_are_combined(raters, seed):
    rng = np.random.default_rng(seed)
    rows = [
        (f"q{rng.integers(4)}", f"d{rng.integers(6)}", int(rng.integers(-1, 4)))
        for _ in range(80)
    ]
    found = trec.read_qrels(
        io.BytesIO("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows).encode()),
        raters=raters,
    )
    by_pair = {}
    for topic, name, grade in rows:
        by_pair.setdefault((topic, name), []).append(grade)
    nested = found.to_dict()
    for (topic, name), grades in by_pair.items():
        judged = [grade for grade in grades if grade >= 0] or grades
        assert nested[topic][name] == pytest.approx(RULES[raters](judged), abs=1e-12)
    assert sum(map(len, nested.values())) == len(by_pair)


def test_grades_are_changed_before_they_are_combined():
    rows = {"qid": ["q"] * 3, "docid": ["d"] * 3, "rating": ["no", "yes", "yes"]}
    found = trec.read_qrels(rows, grades={"no": 0, "yes": 3}, raters="mean")
    assert found.grades.tolist() == [2.0]
    rows["rating"] = [1, 2, 4]
    found = trec.read_qrels(rows, grades={4: 3}, raters="mean")
    assert found.grades.tolist() == [2.0]


def test_without_a_rule_grades_that_differ_are_refused():
    rows = {"qid": ["q", "q"], "docid": ["d", "d"], "rating": [1, 2]}
    with pytest.raises(ValueError, match=r"must have one grade, .*raters='mean'"):
        trec.read_qrels(rows)
    with pytest.raises(ValueError, match="raters must be"):
        trec.read_qrels(rows, raters="sum")


def test_the_command_line_combines_raters(tmp_path, capsys):
    (tmp_path / "q").write_text("q 0 a 1\nq 0 a 2\nq 0 b 0\n")
    (tmp_path / "r").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    words = ["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "DCG"]
    assert main(words) == 2
    assert "raters" in capsys.readouterr().err
    assert main([*words, "--raters", "max"]) == 0
    expected = 2 / np.log2(3)  # by hand: a document of grade 2 at rank 2
    assert f"{expected:.4f}" in capsys.readouterr().out
