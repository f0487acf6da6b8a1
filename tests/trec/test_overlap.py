"""Overlap of runs against Equation 32 of Webber et al. written out, and values by hand."""

import numpy as np
import pytest

from skgraded import trec
from skgraded.cli import main


def equation_32(first, second, p):
    """Literally, term by term."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 - as in the paper

    def x(d):
        return len(set(short[:d]) & set(long[:d]))

    seen = sum(x(d) / d * p**d for d in range(1, l + 1))
    beyond = sum(x(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (seen + beyond) + ((x(l) - x(s)) / l + x(s) / s) * p**l


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.98])
@pytest.mark.parametrize("seed", range(6))
def test_overlap_is_equation_32(seed, p):
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(30)]
    runs = {
        system: {
            f"q{topic}": [
                str(name) for name in rng.choice(names, rng.integers(1, 25), False)
            ]
            for topic in range(6)
        }
        for system in "abc"
    }
    found = trec.overlap(runs, p=p, k=5)
    assert found.systems == ("a - b", "a - c", "b - c")
    assert found.measures == (f"RBO(p={p:g})", "overlap@5")
    for row, (one, other) in enumerate(["ab", "ac", "bc"]):
        for column, topic in enumerate(found.qid):
            lists = runs[one][topic], runs[other][topic]
            rbo, share = found.values[row, column]
            assert rbo == pytest.approx(equation_32(*lists, p), abs=1e-12)
            common = len(set(lists[0][:5]) & set(lists[1][:5]))
            assert share == common / min(5, max(map(len, lists)))
            assert -1e-12 <= rbo <= 1 + 1e-12


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["a", "b", "c"], ["c", "b", "a"], 0.855),  # 1/9 (.81 / 2 + .729) + .729
        (["a", "b"], ["a", "b"], 1.0),
        (["a", "b"], ["c", "d"], 0.0),
        (["a"], ["a", "b"], 1.0),  # the short list may go on as the long one does
        (["a"], ["b", "a"], 0.1 / 0.9 * 0.81 / 2 + 0.81 / 2),
    ],
)
def test_values_by_hand(first, second, expected):
    found = trec.overlap({"x": {"q": first}, "y": {"q": second}})
    assert found.values[0, 0, 0] == pytest.approx(expected, abs=1e-12)


def test_scores_order_the_lists_and_missing_topics_are_told():
    runs = {
        "x": {"q": {"a": 1.0, "b": 2.0}, "r": {"a": 1.0}},
        "y": {"q": {"b": 9.0, "a": 3.0}},
    }
    found = trec.overlap(runs)
    assert found.values[0].tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert "Topics that a run of a pair lacks count as 0: 1." in repr(found)


@pytest.mark.parametrize(
    ("runs", "options", "told"),
    [
        ({"x": {"q": ["a"]}}, {}, "runs must be at least 2, got 1"),
        (
            {"x": {"q": ["a"]}, "y": {"r": ["a"]}},
            {},
            "x and y must have topics in common",
        ),
        ({"x": {"q": ["a"]}, "y": {"q": ["a"]}}, {"p": 1.0}, "p must lie strictly"),
        ({"x": {"q": ["a"]}, "y": {"q": ["a"]}}, {"k": 0}, "k must be"),
    ],
)
def test_what_cannot_be_compared_is_refused(runs, options, told):
    with pytest.raises(ValueError, match=told):
        trec.overlap(runs, **options)


def test_the_command_line_needs_no_qrels(tmp_path, capsys):
    paths = []
    for name, documents in {"x": ["a", "b", "c"], "y": ["c", "b", "a"]}.items():
        trec.write_run({"q": documents}, tmp_path / name, tag=name)
        paths.append(str(tmp_path / name))
    assert main(["compare", "--overlap", *paths]) == 0
    assert "x - y       0.8550      1.0000" in capsys.readouterr().out
    assert main(["compare", "--overlap", *paths, "-m", "AP"]) == 2
    assert "cannot be given with --overlap" in capsys.readouterr().err
    assert main(["compare", "--overlap", *paths, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "system,RBO(p=0.9),overlap@10"
