"""Writers of results: a table of results by formats, and names that formats read as marks."""

import csv
import html
import inspect
import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from skgraded import Scores, chunks, compare, cross_validate_queries, evaluate, trec
from skgraded._support.results_base import Field, Report, Result, Table
from skgraded._support.text import shorten_apart, shorten_labels, visible
from skgraded._support.writers import WRITERS, in_plain_types
from skgraded.comparison import estimate_means
from skgraded.datasets import make_ranking
from skgraded.measures import tie_report
from skgraded.studies import (
    compare_assessors,
    correlate,
    discriminative_power,
    incompleteness,
    score_all_lists,
    sensitivity,
    sweep_thresholds,
    threshold_grid,
    threshold_measures,
    topic_facts,
)
from skgraded.users import (
    threshold_profile,
    thresholds_from_feedback,
    thresholds_from_log,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::skgraded.exceptions.UnhelpfulJudgeWarning"
)

MEASURES = ["xGAP(g=[0.4,0.6])@10", "nDCG@10", "AP"]
RNG = np.random.default_rng(0)
TOPICS = [f"q{number}" for number in range(12)]
DOCUMENTS = [f"d{number}" for number in range(10)]
QRELS = {
    topic: dict(zip(DOCUMENTS, RNG.integers(0, 3, 10).tolist(), strict=True))
    for topic in TOPICS
}
RUNS = {
    f"a system with a long name {number}": {
        topic: dict(zip(DOCUMENTS, RNG.normal(size=10).tolist(), strict=True))
        for topic in TOPICS
    }
    for number in range(25)
}
FEW = dict(list(RUNS.items())[:5])
LONG = "a ranker whose name does not fit into the column of any table, number"
NASTY = "a|b_c*<d>&e%f$g#h{i}~j^k\\l`m"
SIGNIFICANT = [
    [0.9, 0.8, 0.85, 0.9] * 5,
    [0.2, 0.3, 0.25, 0.1] * 5,
    [0.21, 0.3, 0.25, 0.1] * 5,
]


def scores_of(values, names=None):
    """Scores by nDCG@10; nasty names of systems unless there are others."""
    systems = names or tuple(f"{NASTY} {number}" for number in range(len(values)))
    return Scores(
        measures=("nDCG@10",),
        qid=np.arange(len(values[0])),
        values=values,
        directions=(1,),
        systems=systems,
    )


def query_scores(n_rankers, n_queries=30):
    values = np.random.default_rng(1).random((n_rankers, n_queries))
    return scores_of(values, tuple(f"{LONG} {number}" for number in range(n_rankers)))


def profile(n_rankers):
    rng = np.random.default_rng(2)
    y, qid = rng.integers(0, 3, 400), np.repeat(np.arange(40), 10)
    scores = {
        f"{LONG} {number}": y + rng.normal(0, 2, 400) for number in range(n_rankers)
    }
    return threshold_profile(y, scores, qid=qid)


def validated():
    from sklearn.linear_model import Ridge

    X, y, qid = make_ranking(n_queries=20, docs_per_query=10, random_state=0)
    return cross_validate_queries(
        Ridge(), X, y, qid=qid, measures=["nDCG@10", "AP"], cv=4
    )


def scored(runs=FEW):
    return trec.evaluate(MEASURES, QRELS, runs)


def clicks():
    rng = np.random.default_rng(3)
    grade = rng.integers(0, 3, size=(400, 5))
    threshold = rng.integers(1, 3, size=(400, 1))
    clicked = (grade >= threshold) & (rng.random((400, 5)) < 0.8 / np.arange(1, 6))
    session, position = np.repeat(np.arange(400), 5), np.tile(np.arange(1, 6), 400)
    return thresholds_from_log(
        grade.ravel(), clicked.ravel(), session=session, position=position
    )


def swept():
    measures = [*threshold_measures(threshold_grid(2, 2)), "AP"]
    return sweep_thresholds(trec.evaluate(measures, QRELS, FEW))


RESULTS = {
    "Scores of one measure": lambda: evaluate(MEASURES, [2, 1, 0], [1, 2, 3])["AP"],
    "Scores": lambda: evaluate(
        ["xGAP(g=[0.125,0.125,0.25,0.25,0.25],ties=pessimistic)@10", "nDCG(empty=nan)"],
        [2, 0, 0],
        [1, 2, 3],
        qid=[1, 2, 1],
    ),
    "Scores of folds": validated,
    "Scores of runs": scored,
    "Means": lambda: chunks.evaluate(["AP"], [([2, 0, 1], [0.9, 0.5, 0.7], [1, 1, 2])]),
    "TieReport": lambda: tie_report(["AP", "P@2"], [2, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
    "Comparison": lambda: compare(query_scores(3)),
    "Comparison of nasty names": lambda: compare(scores_of(SIGNIFICANT)),
    "many rankers": lambda: compare(
        query_scores(30), tests="randomization", n_resamples=10_000
    ),
    "two measures": lambda: compare(scored()[["nDCG@10", "AP"]], tests="t"),
    "many runs": lambda: compare(scored(RUNS)["AP"], tests="t"),
    "a baseline": lambda: compare(
        scored(RUNS)["AP"], tests="t", baseline=next(iter(RUNS))
    ),
    "a margin": lambda: compare(query_scores(2), baseline=f"{LONG} 0", margin=0.1),
    "JudgedEstimates": lambda: estimate_means(query_scores(2), query_scores(2, 60)),
    "AllLists": lambda: score_all_lists(["QMeasure", "AP"], [2, 1], 3),
    "Correlation": lambda: correlate(scored()),
    "ThresholdSweep": swept,
    "DiscriminativePower": lambda: discriminative_power(scored(), test="t"),
    "Sensitivity": lambda: sensitivity(MEASURES, [2, 0, 1, 0], [4, 3, 2, 1]),
    "Incompleteness": lambda: incompleteness(MEASURES, QRELS, FEW, n_repeats=1),
    "JudgmentVariation": lambda: compare_assessors("P@1", [[1, 1], [0, 1]], [2, 1]),
    "TopicFacts": lambda: topic_facts(QRELS),
    "ThresholdProfile": lambda: profile(2),
    "a profile of many": lambda: profile(14),
    "Shares of feedback": lambda: thresholds_from_feedback(
        [0, 1, 2] * 20, [0, 0, 1, 0, 1, 1] * 10
    ),
    "Shares of a log": clicks,
}


@pytest.fixture(params=RESULTS, scope="module")
def result(request):
    return RESULTS[request.param]()


# --- readers of formats: the cells of all tables, row by row --------------------------------------


def html_rows(text):
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    return [
        list(map(html.unescape, re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", r)))
        for r in rows
    ]


def markdown_rows(text):
    rows = []
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("| ---"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            cells = [re.sub(r"<sup>.*</sup>$", "", cell.strip()) for cell in cells]
            cells = [re.sub(r"^\*\*(.*)\*\*$", r"\1", cell) for cell in cells]
            rows.append([re.sub(r"\\(.)", r"\1", cell) for cell in cells])
    return rows


def latex_rows(text):
    characters = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    characters |= {"textless": "<", "textgreater": ">"}
    rows = []
    for line in re.findall(r"^(.*) \\\\$", text, re.MULTILINE):
        rows.append([])
        for cell in re.split(r"(?<!\\)&", line):
            plain = re.sub(r"\$\^\{.*\}\$$", "", cell.strip())
            plain = re.sub(r"^\\textbf\{(.*)\}$", r"\1", plain)
            plain = re.sub(
                r"\\(\w+)\{\}", lambda mark: f"\0{ord(characters[mark[1]])}\0", plain
            )
            plain = re.sub(r"\\([&%$#_{}])", r"\1", plain)
            rows[-1].append(
                re.sub(r"\0(\d+)\0", lambda number: chr(int(number[1])), plain)
            )
    return rows


def columns_of(result):
    columns = in_plain_types(result._report().columns)
    return {name: list(map(plain, column)) for name, column in columns.items()}


def plain(value):
    return value.item() if isinstance(value, np.generic) else value


def stripped(rows):
    return [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize(
    ("form", "read"),
    [("html", html_rows), ("markdown", markdown_rows), ("latex", latex_rows)],
)
def test_a_reader_of_a_format_for_people_gets_the_cells_back(result, form, read):
    report = result._report()
    tables = (form != "html" and report.for_papers) or report.tables
    written = WRITERS[form]([report])
    assert stripped(read(written)) == stripped(
        row for table in tables for row in table.rows
    )
    words = [
        re.findall("[a-z]{5,}", note) for table in tables for note in table.sentences
    ]
    assert set().union(*words) <= set(re.findall("[a-z]{5,}", written))


def test_every_format_is_a_method(result):
    for form, write in WRITERS.items():
        method = getattr(result, f"to_{form}")
        assert method() == write([result._report()])
        assert method.__doc__ == write.__doc__


def test_type_checkers_know_every_format():
    source = inspect.getsource(Result)
    declared = re.findall(r"def to_(\w+)\(self\) -> str: \.\.\.", source)
    assert declared == list(WRITERS)


ADDED = """
from skgraded._support.writers import WRITERS

def loud(reports):
    "Write it loudly."
    return f"{list(reports[0].columns)}!"

WRITERS["loud"] = loud

import skgraded.studies, skgraded.users, skgraded.measures, skgraded.comparison, skgraded.cli
from skgraded import evaluate
from skgraded._support.results_base import Result

def subclasses(kind):
    return {kind}.union(*map(subclasses, kind.__subclasses__()))

assert len(subclasses(Result)) > 12
assert all(kind.to_loud.__doc__ == "Write it loudly." for kind in subclasses(Result))
print(evaluate("AP", [1, 0], [2, 1]).to_loud())
open("qrels", "w").write("q1 0 d1 1")
open("run", "w").write("q1 Q0 d1 1 1 r")
skgraded.cli.main(["evaluate", "qrels", "run", "-m", "AP", "--format", "loud"])
"""


def test_a_format_that_is_added_is_a_method_of_every_result_and_a_choice(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ADDED],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == "['qid', 'AP']!\n['system', 'AP']!"


def test_csv_and_json_hold_all_digits(result):
    columns = columns_of(result)
    header, *rows = csv.reader(io.StringIO(result.to_csv()))
    assert header == list(columns)
    texts = [
        ["" if cell is None else str(cell) for cell in each]
        for each in columns.values()
    ]
    assert rows == [list(row) for row in zip(*texts, strict=True)]
    found = json.loads(result.to_json())
    assert found["notes"] == list(result._report().notes)
    for name, column in columns.items():
        known = [not isinstance(cell, float) or math.isfinite(cell) for cell in column]
        expected = [
            cell if is_known else None
            for cell, is_known in zip(column, known, strict=True)
        ]
        assert [row[name] for row in found["rows"]] == json.loads(json.dumps(expected))


def test_frames_and_dicts_hold_the_columns(result):
    pytest.importorskip("pandas")
    frame = result.to_frame().reset_index()
    for name, column in columns_of(result).items():
        np.testing.assert_array_equal(frame[name].map(np.asarray).tolist(), column)
    assert json.dumps(result.to_dict())


def test_notes_are_at_most_three_sentences(result):
    for notes in (result._report().notes, result._tables()[-1].notes[-3:]):
        assert len(notes) <= 3
        assert not [note for note in notes if re.search(r"[a-z0-9)]\. [A-Z]", note)]


def test_no_line_is_wider_than_a_terminal(result):
    assert max(map(len, repr(result).splitlines())) <= 80
    assert not [line for line in repr(result).splitlines() if line != line.rstrip()]


def test_a_notebook_shows_a_table(result):
    assert min(map(len, html_rows(result._repr_html_()))) >= 2
    assert (
        result._repr_html_().count("<table>")
        == result._repr_html_().count("</table>")
        > 0
    )


# --- names ----------------------------------------------------------------------------------------

SIMPLE = Scores(
    measures=("AP", NASTY),
    qid=np.array(["q1", "q2"]),
    values=[[[0.5, 1.0], [0.25, np.nan]], [[1.0, 0.0], [0.75, 0.5]]],
    directions=(1, 1),
    systems=("plain", "bell\a\u202egnp.exe"),
    notes=("A note with 5 % and a | bar.",),
)


def shapes(form, text):
    """The numbers of lines of a text, or of cells of its rows: what a name must not change."""
    if form == "csv":
        return [len(row) for row in csv.reader(io.StringIO(text, newline=""))]
    return text.count("\n") - text.count("\n  ")  # sentences wrap


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize(
    "name", ["\udcff", "a\rb", "a\nb", "=1", "@a", "bell\a\u202egnp.exe"]
)
def test_names_are_safe_in_every_format(name, form):
    texts = []
    for first in (name, "x"):
        scores = scores_of(SIGNIFICANT, (first, "b", "c"))
        texts += [WRITERS[form]([each._report()]) for each in (scores, compare(scores))]
    assert [shapes(form, each) for each in texts[:2]] == [
        shapes(form, each) for each in texts[2:]
    ]
    for each in texts:
        assert each.encode()
        assert form in ("csv", "json") or not re.search("[\a\r\u202e]", each)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        *[(name, f"'{name}") for name in ("=1+1", "@a", "-b", "+cmd|", "-2+3+cmd|")],
        *[
            (name, name)
            for name in ("-1.5", "a,b", '"q"', "a\rb", "a\nb", " =", "bell\a")
        ],
        ("\udcff", "\\udcff"),
    ],
)
def test_a_spreadsheet_takes_no_name_for_a_formula(name, cell):
    text = scores_of(SIGNIFICANT, (name, "b", "c")).to_csv()
    assert (
        next(row[0] for row in list(csv.reader(io.StringIO(text, newline="")))[1:])
        == cell
    )


def test_formulas_stand_beside_ids_of_other_types():
    ids = np.array(["=1+1", None], dtype=object)
    ids[1] = ("a", 1)
    lines = evaluate("AP", [1, 1], [1, 1], qid=ids).to_csv().splitlines()
    assert lines[1:] == ["'=1+1,1.0", "\"['a', 1]\",1.0"]


def test_control_characters_are_escaped_and_other_text_is_not():
    shown = {
        "a\nb": "a\\nb",
        "\x1b[2J": "\\x1b[2J",
        "\x9b1m": "\\x9b1m",
        "\u2028": "\\u2028",
    }
    shown |= {"\udcff": "\\udcff", "été ☃ 検索": "été ☃ 検索"}
    assert {text: visible(text) for text in shown} == shown


def test_lines_of_trec_eval_refuse_what_would_forge_lines():
    with pytest.raises(ValueError, match=r"no place for control characters, got 'bell"):
        SIMPLE.to_trec_eval()
    lines = SIMPLE.select(system=["plain"]).to_trec_eval(per_query=True).splitlines()
    assert lines[:2] == [f"{'runid':<22}\tall\tplain", f"{'AP':<22}\tq1\t0.5000"]
    assert lines[-2] == f"{'AP':<22}\tall\t0.3750"
    not_utf8 = scores_of(SIGNIFICANT, ("\udcff", "b", "c"))
    assert "\tall\t\udcff\n" in not_utf8.to_trec_eval()


# --- tables for papers ----------------------------------------------------------------------------


def test_the_best_of_several_values_is_bold_and_a_caption_has_the_notes():
    latex = SIMPLE.to_latex()
    assert latex.count(r"\textbf") == 2
    assert r"& \textbf{0.8750} &" in latex
    told = r"\caption{2 systems; means over 2 queries. A note with 5 \% and a | bar. Bold: best.}"
    assert told in latex.splitlines()
    _, alignment, row = SIMPLE.to_markdown().splitlines()[:3]
    assert alignment == "| --- | ---: | ---: |"
    assert "| **0.8750** |" in row
    errors = Scores(
        measures=("FDR",),
        qid=[1],
        values=[[0.5], [0.25]],
        directions=(-1,),
        systems=("a", "b"),
    )
    assert r"\textbf{0.2500}" in errors.to_latex()
    assert "textbf" not in errors.select(system=["a"]).to_latex()


def test_stars_mark_what_differs_from_the_baseline_and_letters_what_is_beaten():
    scores = scores_of(SIGNIFICANT, ("a", "b", "c"))
    starred = compare(scores, baseline="b").to_latex()
    assert r"a & \textbf{0.8625}$^{*}$ \\" in starred
    assert r"c & 0.2150 \\" in starred  # it differs in 5 queries of 20
    assert r"b & 0.2125 \\" in starred
    assert r"\caption{*: differs significantly from b. 20 queries, level" in starred
    lettered = compare(scores).to_markdown()
    assert "| (a) a | **0.8625**<sup>bc</sup> |" in lettered


# --- several reports, and many rows ---------------------------------------------------------------


def test_reports_of_several_parts_share_a_file():
    parts = [
        Report(
            [Table([Field("a", [a], "a"), Field("n", [n], "n")])],
            {"a": [a], "n": [n]},
            {"size": n},
        )
        for a, n in (("x", 1), ("y", 2))
    ]
    parts = [
        part._replace(labels={"rate": rate}, heading=f"{rate} %", notes=["told"])
        for part, rate in zip(parts, (10, 20), strict=True)
    ]
    assert WRITERS["csv"](parts) == "rate,a,n\n10,x,1\n20,y,2\n"
    assert json.loads(WRITERS["json"](parts)) == {
        "parts": [
            {"rate": 10, "size": 1, "rows": [{"a": "x", "n": 1}]},
            {"rate": 20, "size": 2, "rows": [{"a": "y", "n": 2}]},
        ],
        "notes": ["told"],
    }
    assert WRITERS["table"](parts) == "10 %:\na  n\nx  1\n\n20 %:\na  n\ny  2\n"


def test_a_table_breaks_into_blocks():
    columns = [
        Field(name, [number], name * 12) for number, name in enumerate("abc", start=1)
    ]
    blocks = Table([Field("name", ["x"], "name"), *columns]).to_text(34).split("\n\n")
    assert [block.splitlines()[1].split() for block in blocks] == [
        ["x", "1", "2"],
        ["x", "3"],
    ]


def test_means_of_systems_are_rows():
    found = json.loads(WRITERS["json"]([SIMPLE._report_of_means()]))
    assert found["rows"][0] == {"system": "plain", "AP": 0.375, NASTY: 1.0}
    assert json.loads(SIMPLE.to_json())["means"]["plain"] == {"AP": 0.375, NASTY: 1.0}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("many rankers", "20 of 30 rows and none of 435 pairs: to_frame() has"),
        ("many runs", "20 of 25 rows and none of 300 pairs: to_frame() has"),
        ("a baseline", "20 of 25 rows: to_frame() has"),
        ("a profile of many", "20 of 26 rows: to_text() shows"),
    ],
)
def test_many_rows_are_shortened_and_said_to_be(name, rows):
    found = RESULTS[name]()
    rows = rows.replace(": to_frame()", ": to_frame(), or --format csv,")
    assert f"Shown are the first {rows} all." in " ".join(repr(found).split())
    assert len(repr(found).splitlines()) < len(found.to_text().splitlines())


def test_two_long_names_of_a_pair_are_both_shown():
    found = compare(query_scores(2))
    told = " ".join(repr(found).split())
    assert "a ranker whose na... - a ranker whose na..." not in told
    assert " - ".join(found.systems[::-1]) in found._repr_html_()


LONG_NAMES = [
    f"run.msmarco-v1-passage.bm25-{kind}.topics.dl19-passage.txt"
    for kind in ("default", "tuned", "rm3-default")
]


def test_names_that_are_cut_stay_different():
    assert shorten_apart(LONG_NAMES) == [
        "...default...",
        "...tuned...",
        "...rm3-default...",
    ]
    pairs = [f"{LONG_NAMES[0]} - {LONG_NAMES[1]}", f"{LONG_NAMES[0]} - {LONG_NAMES[2]}"]
    first, second = shorten_labels(pairs, 44)
    assert (first, second) == (
        "...default... - ...tuned...",
        "...default... - ...rm3-default...",
    )
    ranked = [f"{rank} {name}" for rank, name in enumerate(LONG_NAMES, 1)]
    assert shorten_labels(ranked)[1] == "2 ...tuned..."


@given(
    names=st.lists(st.text("ab.- ", min_size=1, max_size=40), min_size=1, unique=True),
    width=st.integers(6, 30),
)
def test_different_names_are_never_cut_to_the_same_text(names, width):
    assert len(set(shorten_apart(names, width))) == len(names)
    short_names = [name for name in names if len(name) <= width]
    if short_names == names:
        assert shorten_apart(names, width) == names


@pytest.mark.parametrize("n_rankers", [2, 3, 12])
def test_tables_say_which_run_is_which_at_any_width(n_rankers):
    found = query_scores(n_rankers)
    for width in (80, 160):
        lines = (
            found._report_of_means("arithmetic").tables[0].to_text(width).splitlines()
        )
        labels = {line.split("  ")[0] for line in lines[1 : n_rankers + 1]}
        assert len(labels) == n_rankers
    values = found._report_of_values("arithmetic").tables[0].to_text().splitlines()
    assert (
        len({line.split("  ")[0] for line in values[1 : 30 * n_rankers + 1]})
        == n_rankers
    )
