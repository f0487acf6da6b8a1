"""Every form in which people hold judgments and runs is read, and gives the same values.

The page "TREC and the command line" has a row for each form; the first test compares the two lists.
"""

import gzip
import io
import json
import re
import sys
import tempfile
from collections import namedtuple
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st

from skgraded import evaluate, trec
from skgraded.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "trec.md"
MEASURES = ["xGAP(g=[0.4,0.6])", "nDCG@2", "P@1", "RR"]
# A document's id is its row, as in learning-to-rank data.
QRELS = {"1": {"0": 2, "1": 0, "2": 1}, "2": {"3": 1, "4": 2}}
BINARY = {"1": {"0": 1, "2": 1}, "2": {"4": 1}}
RUN = {"1": {"0": 8.0, "1": 9.5, "2": -1.5}, "2": {"3": 0.5, "4": 2.0}}


def rows(nested):
    return [
        (topic, each, value)
        for topic, row in nested.items()
        for each, value in row.items()
    ]


def ranked(nested):
    return {
        topic: sorted(row, key=row.get, reverse=True) for topic, row in nested.items()
    }


def columns(nested, names):
    return dict(zip(names, map(list, zip(*rows(nested), strict=True)), strict=True))


def trec_text(nested, is_run):
    layout = "{} Q0 {} 0 {} tag\n" if is_run else "{} 0 {} {}\n"
    return "".join(layout.format(*row) for row in rows(nested))


class Form(NamedTuple):
    """A form: how it is made of dicts of dicts, in a folder; of qrels, a run or both."""

    make: Callable[[dict, str, Path], Any]
    kinds: tuple[str, ...] = ("qrels", "run")
    is_binary: bool = False

    @property
    def plain(self):
        return {"qrels": BINARY if self.is_binary else QRELS, "run": RUN}

    def made(self, kind, folder):
        return self.make(self.plain[kind], kind, folder)


def in_file(write, name, kinds=("qrels", "run")):
    """A form of files, whose content is a function of nested dicts and whether they are a run."""

    def make(nested, kind, folder):
        path = folder / f"{kind}{name}"
        content = write(nested, kind == "run")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return Form(make, kinds)


def frame_of(library, names):
    def make(nested, kind, folder):
        value = "score" if kind == "run" else names[2]
        return library.DataFrame(columns(nested, [*names[:2], value]))

    return make


def names_of_columns(is_run):
    return ["query_id", "doc_id", "score" if is_run else "relevance"]


def csv_text(nested, is_run):
    return pd.DataFrame(columns(nested, names_of_columns(is_run))).to_csv(index=False)


def beir_text(nested, is_run):
    lines = [f"{topic}\t{each}\t{value}\n" for topic, each, value in rows(nested)]
    return "".join(["query-id\tcorpus-id\tscore\n", *lines])


def json_lines(nested, is_run):
    names = names_of_columns(is_run)
    return "".join(
        json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows(nested)
    )


def parquet(nested, is_run):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    file = io.BytesIO()
    pl.DataFrame(columns(nested, names_of_columns(is_run))).write_parquet(file)
    return file.getvalue()


def records(nested, kind, folder):
    names = names_of_columns(kind == "run")
    return [dict(zip(names, row, strict=True)) for row in rows(nested)]


class HuggingFace:
    """What `datasets.Dataset` is here: names, and columns by them, as lists or lazily."""

    def __init__(self, by_name):
        self.by_name = by_name
        self.column_names = list(by_name)
        self.features = dict.fromkeys(by_name)

    def __getitem__(self, key):
        if isinstance(key, str):
            return iter(self.by_name[key])
        return {name: column[key] for name, column in self.by_name.items()}

    def to_dict(self):
        return self.by_name


def hugging_face(nested, kind, folder):
    return HuggingFace(columns(nested, ["query-id", "corpus-id", "score"]))


def arrow(nested, kind, folder):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return pa.table(
        columns(nested, ["query_id", "doc_id", "score" if kind == "run" else "label"])
    )


class Ranx:
    """What `ranx.Qrels` and `ranx.Run` are here."""

    def __init__(self, nested):
        self.name = "bm25"
        self.nested = nested

    def keys(self):
        return self.nested.keys()

    def __getitem__(self, topic):
        return self.nested[topic]

    def to_dict(self):
        return self.nested


def letor(nested, kind, folder):
    """Make one form of both: grades in SVMlight's lines, and a file of scores."""
    lines = [f"{grade} qid:{topic} 1:0.5\n" for topic, _, grade in rows(QRELS)]
    (folder / "test.txt").write_text("".join(lines))
    (folder / "scores.txt").write_text("".join(f"{score}\n" for *_, score in rows(RUN)))
    qrels, run = trec.read_letor(folder / "test.txt", folder / "scores.txt")
    return run if kind == "run" else qrels


def ranks_alone(nested, kind, folder):
    lists = ranked(nested).items()
    return pd.DataFrame(
        [
            (topic, each, rank)
            for topic, row in lists
            for rank, each in enumerate(row, start=1)
        ],
        columns=["query_id", "doc_id", "rank"],
    )


def read_before(nested, kind, folder):
    return trec.read_run(nested) if kind == "run" else trec.read_qrels(nested)


FORMS = {
    "TREC file": in_file(trec_text, ".txt"),
    "Compressed file": in_file(
        lambda *given: gzip.compress(csv_text(*given).encode()), ".gz"
    ),
    "Open file": Form(
        lambda nested, kind, _: io.StringIO(trec_text(nested, kind == "run"))
    ),
    "Dict of dicts": Form(lambda nested, kind, _: nested),
    "pandas, names of ir_measures": Form(
        frame_of(pd, ["query_id", "doc_id", "relevance"])
    ),
    "pandas, names of PyTerrier": Form(frame_of(pd, ["qid", "docno", "label"])),
    "polars": Form(frame_of(pl, ["query_id", "doc_id", "relevance"])),
    "Records": Form(records),
    "`Qrels` and `Run`": Form(read_before),
    "Learning-to-rank file and scores": Form(letor),
    "Ranked lists": Form(lambda nested, *_: ranked(nested), ("run",)),
    "Lists of relevant documents": Form(
        lambda nested, *_: ranked(nested), ("qrels",), is_binary=True
    ),
    "Columns of BEIR": Form(frame_of(pd, ["query-id", "corpus-id", "score"])),
    "Rank without a score": Form(ranks_alone, ("run",)),
    "BEIR file": in_file(beir_text, ".tsv"),
    "JSON": in_file(lambda nested, _: json.dumps(nested, indent=1), ".json"),
    "JSON lines": in_file(json_lines, ".jsonl"),
    "CSV": in_file(csv_text, ".csv"),
    "Parquet": in_file(parquet, ".parquet"),
    "Hugging Face": Form(hugging_face),
    "Arrow": Form(arrow),
    "ranx": Form(lambda nested, *_: Ranx(nested)),
}
BOTH = [(name, kind) for name, form in FORMS.items() for kind in form.kinds]


@pytest.mark.skipif(not PAGE.exists(), reason="the pages of the site are not here")
def test_the_page_lists_the_forms():
    section = (
        PAGE.read_text(encoding="utf-8").split("\n## The forms")[1].split("\n##")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert [row.split("|")[1].strip() for row in rows] == ["form", *FORMS]
    for row, form in zip(rows[1:], FORMS.values(), strict=True):
        filled = zip(("qrels", "run"), row.split("|")[2:4], strict=True)
        assert {kind for kind, cell in filled if cell.strip()} == set(form.kinds)


@pytest.mark.parametrize(("name", "kind"), BOTH, ids=list(map(" ".join, BOTH)))
def test_every_form_gives_the_same_values(name, kind, tmp_path):
    form = FORMS[name]
    plain = form.plain
    expected = trec.evaluate(MEASURES, plain["qrels"], plain["run"]).values
    assert len(np.unique(expected)) > 3
    given = plain | {kind: form.made(kind, tmp_path)}
    found = trec.evaluate(MEASURES, given["qrels"], given["run"])
    np.testing.assert_array_equal(found.values, expected)
    given = plain | {kind: form.made(kind, tmp_path)}
    rankings = trec.rank(given["qrels"], given["run"])
    np.testing.assert_array_equal(evaluate(MEASURES, rankings).values, expected[0])
    found = read_before(form.made(kind, tmp_path), kind, tmp_path).to_dict()
    assert {topic: set(row) for topic, row in found.items()} == {
        topic: set(row) for topic, row in plain[kind].items()
    }


RUNS = [name for name, form in FORMS.items() if "run" in form.kinds]


@pytest.mark.parametrize("name", RUNS)
def test_every_form_of_a_run_is_one_run_and_may_be_named(name, tmp_path):
    one, *others = (FORMS[name].made("run", tmp_path) for _ in range(5))
    expected = trec.evaluate(MEASURES, QRELS, RUN).values
    assert trec.evaluate(MEASURES, QRELS, one).values.shape == expected.shape
    for given in (others[:2], dict(zip("ab", others[2:], strict=True))):
        found = trec.evaluate(MEASURES, QRELS, given)
        np.testing.assert_array_equal(
            found.values, np.concatenate([expected, expected])
        )
    assert found.systems == ("a", "b")


def refuse(message, source, kind="qrels", **options):
    with pytest.raises((ValueError, TypeError), match=message):
        (trec.read_qrels if kind == "qrels" else trec.read_run)(source, **options)


HEADER = "qid,docno,label,score\n"
LINE = '{"qid": 1, "docno": 2, "label": 1, "score": 1}\n'
NUMBER = "the (label|score) must be a number, got"
LIST = "a dict of numbers or a list of ids, best document first, which are text, got"
WRITE = r'Write {document: score}, such as {"d1": 2.0, "d2": 1.0}'
REFUSED = [  # the kind, or both; the text of a file a.x, or another object; words of the error
    # JSON
    ("both", '{"q": {"d": 1}\n;}', "line 2, column 1: this is not JSON: "),
    (
        "both",
        '{"query_id": 1, "doc_id": 2}\n3]\n',
        "line 2, column 2: this is not JSON",
    ),
    ("both", '{"q": {"d": 1}}\n{"r": {"d": 1}}\n', "line 2, column 1: this is"),
    (
        "both",
        '{"q": {"d": "high"}}',
        r"topic 'q', document 'd': the \w+ must be .*, got 'high'",
    ),
    ("both", '{"q": {"d": 1, "e": 2, "d": 3}}', "an object must name 'd' once"),
    ("both", '{"q": {"d": ' + "1" * 10_000 + "}}", ".*4300 digits"),
    ("both", "[" * 100_000, ".* recursion depth exceeded"),
    ("run", '{"q1": [3, 1]}', "topic 'q1': the .* are text, got .3, 1."),
    (
        "run",
        '{"dev": {"q": {"d": 1}}}',
        "topic 'dev', document 'q': .* a number, got {'d': 1}.",
    ),
    # JSON lines
    ("both", LINE + "[3]\n", r"line 2: a record must have 'qid', got \[3\]"),
    ("both", LINE + '\n{"qid": 1}\n', "line 3: a record must have 'docno'"),
    (
        "both",
        LINE + '{"qid": 1, "docno": 3, "label": "x", "score": "x"}',
        f"line 2: {NUMBER} 'x'",
    ),
    # tables
    ("both", HEADER + '1,"a\nb",1,1\n# c\n2,b,x,x\n', f"line 5: {NUMBER} 'x'"),
    ("both", HEADER + "1,a,1_0,1_0\n", f"line 2: {NUMBER} '1_0'"),
    ("both", HEADER + "1,,1,1\n", "line 2: docno is missing"),
    (
        "both",
        HEADER + "1,a,1,1\n1,b,,\n",
        r"line 3: the (label|score) must be finite, got nan",
    ),
    (
        "both",
        HEADER + "1,a,1,1\n1,b\n",
        "line 3: a line must have 4 columns, as .*, got 2",
    ),
    ("both", HEADER + "1," + "a" * 200_000 + ",1,1\n", "line 2: field larger than"),
    ("both", HEADER, "must hold at least one document"),
    ("both", "qid,docno\n1,a\n", "a table.* must have a column "),
    (
        "qrels",
        "qid,query_id,doc_id,label\n1,2,d,1\n",
        "got qid and query_id, which differ",
    ),
    (
        "qrels",
        "query_id,doc_id,score\n1,d,1\n",
        "The column score may hold the scores of a run",
    ),
    # lines of three columns, and of one
    (
        "qrels",
        "q1\td1\t1\n",
        "line 1: .* 4 columns, .*, got 3: 'q1.*1'. A first line that names",
    ),
    (
        "run",
        "# ids\nq1\td1\t1\n",
        "line 2: .* 6 columns, .*, got 3: .* A first line that names",
    ),
    ("qrels", "q1,d1,1\n", "line 1: .* got 1: .* A first line that names the columns"),
    # objects
    (
        "qrels",
        {"q": {"a", "b"}},
        "topic 'q': .* a list of relevant ids, .* Write {document: gra",
    ),
    ("run", {"q": {"a", "b"}}, f"topic 'q': .* {LIST} .*{WRITE}"),
    ("run", {"q": [("a", 1.0)]}, rf"topic 'q': .* {LIST} \[\('a', 1.0\)\]. {WRITE}"),
    (
        "run",
        {"q": [{"corpus_id": "a", "score": 2.0}]},
        f"topic 'q': .* {LIST} .*{WRITE}",
    ),
    (
        "run",
        {"q": {"d": {"score": 0.5, "rank": 1}}},
        "document 'd': .* got {'score': 0.5",
    ),
    (
        "run",
        {"mteb_model_meta": {"name": "e5"}, "default": {"test": {}}},
        "'name': .* got 'e5'",
    ),
    ("qrels", {"q": "d1"}, "topic 'q': .* a list of relevant ids, .* got 'd1'"),
    ("qrels", {"q": 3}, "topic 'q': the documents must be a dict of numbers .* got 3"),
    (
        "run",
        {"q": {"d": [1, 2]}},
        r"'q', document 'd': the score must be a number, got \[1, 2",
    ),
    (
        "run",
        {"q": {"d": 10**5000}},
        "document 'd': .* a number, got an integer of thousands of di",
    ),
    (
        "run",
        {"q": {"d": 1j}},
        "topic 'q', document 'd': the score must be a number, got 1j",
    ),
    ("run", {"q": np.array([7, 8])}, "a list of ids, .* which are text, got array"),
    (
        "run",
        ["d1", "d2"],
        "got 'd1'. A list of ids must stand below its topic, {topic: ids}",
    ),
    (
        "run",
        {"query_id": [1], "doc_id": [1, 2], "score": [1, 2]},
        "one entry per row, got lengths",
    ),
    (
        "run",
        {"query_id": 1, "doc_id": 2, "score": 1},
        "must be lists with one entry per row",
    ),
    ("run", b"q Q0 d 1 1 t", "read from a path, .* got bytes"),
    ("run", 3, "a path, a file object, a dict of dicts.*got int"),
    ("run", {}, "must hold at least one document"),
    ("run", {"q": {}}, "must hold at least one document"),
    (
        "run",
        {"q": {"d": np.nan}},
        "topic 'q', document 'd': the score must be finite, got nan",
    ),
    (
        "run",
        pd.DataFrame({"query_id": ["q"], "score": [1]}),
        "column doc_id or .*, got query_id",
    ),
    (
        "run",
        pd.DataFrame({"qid": [], "docno": [], "score": []}),
        "at least one document",
    ),
    (
        "run",
        [(1, 2, 3)],
        r"Records must be dicts, got \(1, 2, 3\).* pd\.DataFrame\(records\)",
    ),
    ("run", [], "got no record"),
    (
        "run",
        {1: {"d": 1.0}, "1": {"d": 2.0}},
        "different names, got '1' as text and as a number",
    ),
    (
        "run",
        {"qid": ["q"], "docno": ["a"], "rank": [0.5]},
        "row 0: the rank must be an integer >=",
    ),
    (
        "run",
        {"qid": ["q"], "docno": ["a"], "rank": [[1]]},
        r"row 0: the rank must .* got \[1\]",
    ),
    (
        "run",
        pd.DataFrame([["q", "d", 1, 2]], columns=["qid", "docno", "score", "score"]),
        r"score must be one-dimensional.*got shape \(1, 2\)",
    ),
    (
        "qrels",
        {"dev": hugging_face(QRELS, "qrels", None)},
        "topic 'dev': the documents must be",
    ),
]


@pytest.mark.parametrize(
    ("kind", "given", "words"), REFUSED, ids=[each[2] for each in REFUSED]
)
def test_what_is_no_form_is_refused_with_its_place(kind, given, words, tmp_path):
    if isinstance(given, str):
        path = tmp_path / "a.x"
        path.write_text(given)
        given, words = path, rf"a\.x.*{words}"
    for each in ("qrels", "run") if kind == "both" else (kind,):
        refuse(words, given, each)


TAKES_A_LINE = {  # what is given for the rows of the page's table
    "sets": {"q": {"a"}},
    "pairs": {"q": [("a", 1)]},
    "records": {"q": [{"doc_id": "a", "score": 1}]},
    "predictions": io.StringIO('{"default": {"test": {"q": {"a": 1}}}}'),
    "NTCIR": io.StringIO("q a L1\n"),
    "named tuples": [namedtuple("Qrel", "query_id doc_id relevance")("q", "a", 1)],
}


@pytest.mark.skipif(not PAGE.exists(), reason="the pages of the site are not here")
def test_what_takes_a_line_is_read_by_the_line_of_the_page():
    text = (
        PAGE.read_text(encoding="utf-8")
        .split("\n## What takes a line")[1]
        .split("\n##")[0]
    )
    lines = [
        row.split("|")[2].strip() for row in text.splitlines() if row.startswith("| ")
    ][1:]
    assert len(lines) == len(TAKES_A_LINE)
    for line, given in zip(lines, TAKES_A_LINE.values(), strict=True):
        code, *grades = re.findall("`(.+?)`", line)
        names = {"given": given, "file": given, "path": given, "json": json, "pd": pd}
        words = {"grades": eval(grades[0].removeprefix("grades="))} if grades else {}
        assert trec.read_qrels(eval(code, names), **words).to_dict() == {"q": {"a": 1}}


def test_one_run_with_a_fault_is_not_taken_for_several():
    for kind, given, _ in REFUSED:
        if kind == "run" and isinstance(given, dict) and "q" in given:
            with pytest.raises(ValueError, match=r"topic|A dict must hold"):
                trec.evaluate("P@1", {"q": {"a": 1}}, given)


@pytest.mark.parametrize(
    "given",
    [
        {"qid": ["q", "q"], "docno": ["a", "b"], "score": np.array([2.0, 1.0])},
        [
            {"qid": "q", "docno": "a", "score": 2},
            {"qid": "q", "docno": "b", "score": "1"},
        ],
        {"q": {"a": "2", "b": "1"}},
    ],
)
def test_other_forms_of_mappings_are_read(given):
    assert trec.read_run(given).to_dict() == {"q": {"a": 2.0, "b": 1.0}}
    assert trec.evaluate("P@1", {"q": {"a": 1}}, given).values.tolist() == [[[1.0]]]


def test_results_of_pyterrier_hold_more_than_ids():
    frame = pd.DataFrame(columns(RUN, ["qid", "docno", "score"]))
    frame = frame.assign(docid=range(len(frame)), query="a text", rank=0)
    assert trec.read_run(frame).to_dict() == RUN


def test_ids_of_a_table_stay_as_they_are(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('doc_id;Query ID;relevance;note\n007;q 1;1;"x;y"\n"a;""b";q 1;0;\n')
    assert trec.read_qrels(path).to_dict() == {"q 1": {"007": 1, 'a;"b': 0}}


def test_a_run_of_ranx_keeps_its_name():
    assert trec.evaluate("P@1", QRELS, [Ranx(RUN)]).systems == ("bm25",)


@pytest.mark.parametrize("form", [list, np.array])
def test_ranked_lists_rank_the_first_of_repeated_documents_first(form):
    run = trec.read_run({"q": form(["b", "a", "b", "c"])})
    assert run.to_dict() == {"q": {"b": -1.0, "a": -2.0, "c": -4.0}}
    assert (run.n_duplicates, run.ranks.tolist()) == (1, [1, 2, 4])
    for order in ("trec_eval", "score", "rank", "file"):
        assert trec.evaluate("RR", {"q": {"c": 1}}, run, order=order).values[0] == 1 / 3


def test_only_the_columns_of_a_parquet_file_that_matter_are_read(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / "given"
    beside = {
        "relevance": 3 * [1],
        "text": ["a", "b", "c"],
    }  # others, with a damaged last one
    pl.DataFrame({"qid": list("qqq"), "docno": list("abc"), **beside}).write_parquet(
        path
    )
    start, magic, end = path.read_bytes().rpartition(b"\x28\xb5\x2f\xfd")  # of zstd
    path.write_bytes(start + bytes(len(magic)) + end)
    assert trec.read_qrels(path).to_dict() == {"q": {"a": 1, "b": 1, "c": 1}}


def test_without_a_library_for_parquet_the_error_names_one(tmp_path, monkeypatch):
    path = FORMS["Parquet"].made("qrels", tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match="Parquet needs pyarrow: pip install pyarrow"):
        trec.read_qrels(path)
    path.write_bytes(b"PAR1 and nothing else")
    monkeypatch.undo()
    refuse("qrels.parquet: this Parquet file is damaged", path)


WORDS = {"q": {"a": "E", "b": "I", "c": "S"}}
GRADES = {"q": {"a": 3, "b": 0, "c": 1}}
MEANING = {"I": 0, "S": 1, "E": 3}


@pytest.mark.parametrize("name", ["TREC file", "CSV", "JSON", "JSON lines", "Dict of dicts",
                                  "pandas, names of PyTerrier", "polars"])  # fmt: skip
def test_words_are_grades_by_their_meaning(name, tmp_path):
    given = FORMS[name].make(WORDS, "qrels", tmp_path)
    qrels = trec.read_qrels(given, grades=MEANING)
    assert qrels.to_dict() == GRADES
    assert qrels.notes() == ["Grades: 0 = I, 1 = S, 3 = E."]
    told = r"got 'E'. .* grades={'E': \?, 'I': \?, 'S': \?}, .*--grades E=\?,I=\?,S=\? "
    refuse(told, given)
    refuse(
        r"must be a number, got 'S'. .* grades={'S': \?}, ",
        given,
        grades={"I": 0, "E": 1},
    )


def test_digits_are_grades_and_numbers_may_get_others():
    qrels = {"q": {"a": "2", "b": 0, "c": "1.5"}}
    assert trec.read_qrels(qrels).to_dict() == {"q": {"a": 2.0, "b": 0.0, "c": 1.5}}
    assert trec.read_qrels(qrels, grades={"2": 3, 0: 1}).to_dict()["q"] == {
        "a": 3,
        "b": 1,
        "c": 1.5,
    }
    refuse("must be a number, got '1_0'", {"q": {"a": "1_0"}})


@pytest.mark.parametrize("grades", ["ISE", ["I", "S"], {"I": "0"}, {"I": np.nan}])
def test_grades_of_words_are_a_mapping(grades):
    refuse(
        "grades must map words or numbers to finite grades, such as",
        WORDS,
        grades=grades,
    )


def test_ordered_categories_are_grades():
    expected = {"q": {"a": 2, "b": 0, "c": 1}}
    frame = pd.DataFrame(columns(WORDS, ["query_id", "doc_id", "label"]))
    words = pd.Categorical(frame["label"], ["I", "S", "E"], ordered=True)
    qrels = trec.read_qrels(frame.assign(label=words))
    assert (qrels.to_dict(), qrels.notes()) == (
        expected,
        ["Grades: 0 = I, 1 = S, 2 = E."],
    )
    enums = pl.DataFrame(frame.to_dict("list")).with_columns(
        pl.col("label").cast(pl.Enum(["I", "S", "E"]))
    )
    assert trec.read_qrels(enums).to_dict() == expected
    for unordered in (
        frame.assign(label=frame["label"].astype("category")),
        enums.with_columns(pl.col("label").cast(pl.Categorical)),
    ):
        refuse(
            "the label must be a number, got .E.. Say which grade each word is",
            unordered,
        )
        assert trec.read_qrels(unordered, grades=MEANING).to_dict() == GRADES


@pytest.mark.parametrize("name", ["TREC file", "CSV", "JSON"])
def test_the_command_line_reads_words_as_grades(name, tmp_path, capsys, monkeypatch):
    words = {
        topic: {each: "ICE"[grade] for each, grade in row.items()}
        for topic, row in QRELS.items()
    }
    run = FORMS["JSON"].made("run", tmp_path)
    write = FORMS[name].make
    numbers, letters = (
        write(each, "qrels", tmp_path).read_bytes() for each in (QRELS, words)
    )
    path, printed = tmp_path / "q", []
    for content, options in ((numbers, []), (letters, ["--grades", " I=0, C=1 ,E=2"])):
        path.write_bytes(content)
        assert main(["evaluate", str(path), str(run), *options]) == 0
        printed.append(capsys.readouterr().out)
    note = "Grades: 0 = I, 1 = C, 2 = E.\n"
    assert printed[1].replace(note, "") == printed[0]
    assert note in printed[1]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(letters)))
    assert (
        main(["evaluate", "-", str(run), "--grades", "I=0,C=1", "--grades", "E=2"]) == 0
    )
    assert capsys.readouterr().out == printed[1]
    assert main(["evaluate", str(path), str(run), "--grades", "I,C,E"]) == 2
    told = capsys.readouterr().err
    assert "--grades must have the form OLD[,OLD...]=NEW" in told


WORDS_FOR_IDS = ["d1", "é", "7", "007", "x" * 30, "a,b", "-1", "q1"]
NO_WORDS = {"a b", '"'}
IDS = st.one_of(
    st.lists(st.sampled_from(each), min_size=1, max_size=6, unique=True)
    for each in (WORDS_FOR_IDS, [*WORDS_FOR_IDS, *sorted(NO_WORDS)])
)
# Forms of both kinds that hold any grades and scores; the last ones hold ids of one word.
HOLD_ANY_ID = ["Dict of dicts", "pandas, names of ir_measures", "pandas, names of PyTerrier",
               "polars", "Records", "`Qrels` and `Run`", "Columns of BEIR", "JSON", "JSON lines",
               "CSV", "Compressed file", "Hugging Face", "ranx"]  # fmt: skip
HOLD_ANY_ID += ["Parquet", "Arrow"] if find_spec("pyarrow") else []
HOLD_WORDS = ["TREC file", "Open file", "BEIR file"]


@hypothesis.given(topics=IDS, documents=IDS, data=st.data())
@hypothesis.settings(max_examples=60, deadline=None)  # of 18 forms of qrels and of runs
def test_random_judgments_are_read_alike_from_all_forms(topics, documents, data):
    are_words = NO_WORDS.isdisjoint([*topics, *documents])
    for kind, read, numbers in (
        ("qrels", trec.read_qrels, st.integers(-1, 4)),
        ("run", trec.read_run, st.floats(-1e9, 1e9)),
    ):
        row = st.dictionaries(st.sampled_from(documents), numbers, min_size=1)
        nested = {topic: data.draw(row) for topic in topics}
        with tempfile.TemporaryDirectory() as folder:
            for name in HOLD_ANY_ID + HOLD_WORDS * are_words:
                found = read(FORMS[name].make(nested, kind, Path(folder)))
                assert found.to_dict() == nested, name
                assert list(found.topics) == topics, name


# --- what people hold in their hands ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("query,product_id,esci_label\n# 2 pencils,A1,3\n", {"# 2 pencils": {"A1": 3}}),
        ("# made by x\nqid,docid,rel\n# c\nq,d,1\n", {"q": {"d": 1}}),
        ("query, docid, grade\nadapter, 648, 4\n", {"adapter": {"648": 4}}),
        ('qid,docid,rel\nq, "d 1", 4\n', {"q": {"d 1": 4}}),
        ("qid,docid,rel\n q,d,1\n", {" q": {"d": 1}}),  # no blank behind the commas
        ("queryId,docId,rating\nq,d,1\n", {"q": {"d": 1}}),
        ("Query Text,Doc ID,Rating\nq,d,1\n", {"q": {"d": 1}}),
        ("search_term;productId;label\nq;d;1\n", {"q": {"d": 1}}),
        ("qid\tpid\tgain\nq\td\t1\n", {"q": {"d": 1}}),
        ("QueryID,passage_id,judgment\nq,d,1\n", {"q": {"d": 1}}),
        ("qid,asin,rel\nq,d,1\n", {"q": {"d": 1}}),
        ("qid,url,rel\nq,d,1\n", {"q": {"d": 1}}),
        ("qid,docno,url,label,gain\nq,d,u,1,3\n", {"q": {"d": 1}}),
        ("#2pencils 0 d 1\n# made by x\n#a b\n", {"#2pencils": {"d": 1}}),
        ("q\tQ0\td\t1\n", {"q": {"d": 1}}),
    ],
)
def test_qrels_of_other_makers_are_read(text, expected):
    assert trec.read_qrels(io.BytesIO(text.encode())).to_dict() == expected


def test_topics_of_a_run_may_begin_with_a_number_sign():
    text = b"#2pens Q0 d1 1 3.5 t\n# a b 1 2 t\n#c Q0 d 1 high t\n#c Q0 d x 1 t\n"
    assert trec.read_run(io.BytesIO(text)).to_dict() == {"#2pens": {"d1": 3.5}}
    written = io.StringIO()
    trec.write_run({"#2pens": {"d1": 3.5}}, written)
    assert trec.read_run(io.StringIO(written.getvalue())).to_dict() == {
        "#2pens": {"d1": 3.5}
    }


@pytest.mark.parametrize(
    ("role", "text", "told"),
    [
        (
            "qrels",
            "queryX,docX,foo\na,b,1\n",
            "line 1: .* columns that are known, got 'q",
        ),
        ("qrels", "a;b;c\nx;y;1\n", "Known are query_id, .* doc_id, .* relevance, "),
        ("qrels", "3 qid:1 # A1 running shoes\n", "learning-to-rank data"),
        (
            "qrels",
            "3 qid:1 1:0.5 2:0.1\n",
            "got '2:0.1'. This is a line of learning-to",
        ),
        ("run", "1 d1 1 23.5\n", "'topic document rank score', as ColBERT"),
        ("run", "1 0 1 3\n", "This looks like qrels"),
        ("qrels", "1 0 d 1 0.5\n", "prels .* or of strata"),
        ("qrels", "1 0 d 1,5\n", r"got '1,5'\. Write decimals with a point"),
        ("qrels", "1 0 d Exact\n", r"--grades Exact=\? on"),
        (
            "qrels",
            "qid,docid,rating\nq,d,\n",
            "rating must be finite, got nan, as of an em",
        ),
        (
            "run",
            "1 Q0 red shoe 1 3.0 r\n",
            "and 'shoe' as the fourth: .* A blank in an id",
        ),
        (
            "run",
            "1 0 d 1 3 1\n1 0 e 1 2 0\n",
            "got an iteration of 0 and whole numbers",
        ),
    ],
)
def test_what_looks_like_something_else_is_named(role, text, told):
    read = {"qrels": trec.read_qrels, "run": trec.read_run}[role]
    with pytest.raises(ValueError, match=told):
        read(io.BytesIO(text.encode()))


def test_a_tag_of_words_and_a_constant_number_as_tag_stay():
    for text in (b"1 Q0 red 1 3.0 r w x\n", b"1 0 red 1 3.0 1\n1 0 a 2 1 1\n"):
        assert trec.read_run(io.BytesIO(text)).to_dict()["1"]["red"] == 3.0
