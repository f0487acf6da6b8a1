"""Writers of results: every format, every result, and names that formats read as marks."""

import csv
import html
import io
import json
import re

import numpy as np
import pytest

from skgraded._support.writers import WRITERS, Report, Table, visible
from skgraded.results import Scores
from skgraded.users import thresholds_from_feedback

NASTY = "a|b_c*<d>&e%f$g#h{i}~j^k\\l`m"
SCORES = Scores(
    measures=("AP", NASTY),
    qid=np.array(["q1", "q2"]),
    values=[[[0.5, 1.0], [0.25, np.nan]], [[1.0, 0.0], [0.75, 0.5]]],
    directions=(1, 1),
    systems=("plain", "bell\a\u202egnp.exe"),
    notes=("A note with 5 % and a | bar.",),
)
SHARES = thresholds_from_feedback([0, 1, 2] * 20, [0, 0, 1, 0, 1, 1] * 10)


def html_cells(text):
    return [html.unescape(each) for each in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", text)]


def markdown_cells(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    lines.pop(1)  # the marks of alignment
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for line in cells for cell in line]


def latex_cells(text):
    body = text.partition("\\toprule\n")[2].partition("\\bottomrule")[0]
    lines = [line for line in body.splitlines() if line != "\\midrule"]
    marks = {"\\textbackslash{}": "\\", "\\textasciitilde{}": "~", "\\textasciicircum{}": "^"}
    marks |= {"\\textless{}": "<", "\\textgreater{}": ">"}
    found = []
    for line in lines:
        for cell in re.split(r"(?<!\\)&", line.removesuffix(" \\\\")):
            plain = cell.strip()
            for mark, character in marks.items():
                plain = plain.replace(mark, f"\0{ord(character)}\0")
            plain = re.sub(r"\\([&%$#_{}])", r"\1", plain)
            found.append(re.sub(r"\0(\d+)\0", lambda number: chr(int(number[1])), plain))
    return found


@pytest.mark.parametrize(
    ("form", "cells"),
    [("html", html_cells), ("markdown", markdown_cells), ("latex", latex_cells)],
)
def test_a_reader_of_the_format_gets_the_cells_back(form, cells):
    (table,) = SCORES._tables()
    expected = [cell for row in table.rows for cell in row]
    assert NASTY in expected
    assert cells(WRITERS[form].write([SCORES._report()])) == expected


def test_csv_holds_all_digits_and_names_as_they_are():
    rows = list(csv.reader(io.StringIO(SCORES.to_csv())))
    assert rows[0] == ["system", "qid", "AP", NASTY]
    assert rows[1] == ["plain", "q1", "0.5", "1.0"]
    assert rows[2] == ["plain", "q2", "0.25", "nan"]
    assert rows[3][0] == SCORES.systems[1]


def test_json_holds_all_digits_and_null_for_nan():
    found = json.loads(SCORES.to_json())
    assert found["rows"][1] == {"system": "plain", "qid": "q2", "AP": 0.25, NASTY: None}
    assert found["means"]["plain"] == {"AP": 0.375, NASTY: 1.0}
    assert found["notes"] == list(SCORES.notes)


def test_json_escapes_what_is_not_utf8():
    scores = Scores(
        measures=("AP",), qid=np.array(["\udcff", "é"]), values=[[1.0], [0.0]], directions=(1,)
    )
    text = scores.to_json()
    assert text.isascii()
    assert [row["qid"] for row in json.loads(text)["rows"]] == ["\udcff", "é"]
    assert "é" in scores.select(query=["é"]).to_json()


@pytest.mark.parametrize(
    "columns",
    [
        {"50%s": ["a\n\0%d", 'b"é'], "x": np.array([np.nan, 1e-300]), "n": np.array([1, 2])},
        {"nested": [[1, np.inf], {"a": []}], "x": [None, True]},
        {"x": []},
    ],
)
@pytest.mark.parametrize("n_reports", [1, 2])
def test_json_has_the_layout_of_json_itself(columns, n_reports):
    labels = {"n": 3, "facts": ["a", "b"]}
    text = WRITERS["json"].write([Report([], columns, labels, ["note"])] * n_reports)
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    found = json.loads(text)
    for part in [found] if n_reports == 1 else found["parts"]:
        assert part["n"] == 3
        for name, column in columns.items():
            assert [row[name] for row in part["rows"]] == json.loads(
                re.sub("NaN|Infinity", "null", json.dumps(list(column), default=lambda x: x.item()))
            )


def test_means_of_systems_are_rows():
    found = json.loads(WRITERS["json"].write([SCORES._report_of()]))
    assert found["rows"][0] == {"system": "plain", "AP": 0.375, NASTY: 1.0}
    assert found["n_queries"] == 2


@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex"])
def test_names_cannot_move_the_cursor_or_turn_the_line(form):
    text = WRITERS[form].write([SCORES._report()])
    assert not re.search("[\a\u202e]", text)
    assert "u202egnp.exe" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b1m", "\\x9b1m"),
        ("\u2028", "\\u2028"),
        ("été ☃ 検索", "été ☃ 検索"),
        ("\udcff", "\udcff"),
    ],
)
def test_control_characters_are_escaped_and_other_text_is_not(text, shown):
    assert visible(text) == shown


def test_lines_of_trec_eval_refuse_what_would_forge_lines():
    with pytest.raises(ValueError, match=r"no place for control characters, got 'bell"):
        SCORES.to_trec_eval()
    lines = SCORES.select(system=["plain"]).to_trec_eval(per_query=True).splitlines()
    assert lines[1] == f"{'AP':<22}\tq1\t0.5000"
    assert lines[-2] == f"{'AP':<22}\tall\t0.3750"


def test_reports_of_several_parts_share_a_file():
    parts = [
        Report([Table(["a", "x"], [("n", ["1"])])], {"a": ["x"], "n": [1]}, {"size": 3}, ["told"]),
        Report([Table(["a", "y"], [("n", ["2"])])], {"a": ["y"], "n": [2]}, {"size": 4}, ["told"]),
    ]
    parts = [
        part._replace(labels={"rate": rate}, heading=f"{rate} %")
        for part, rate in zip(parts, (10, 20), strict=True)
    ]
    assert WRITERS["csv"].write(parts) == "rate,a,n\n10,x,1\n20,y,2\n"
    assert json.loads(WRITERS["json"].write(parts)) == {
        "parts": [
            {"rate": 10, "size": 3, "rows": [{"a": "x", "n": 1}]},
            {"rate": 20, "size": 4, "rows": [{"a": "y", "n": 2}]},
        ],
        "notes": ["told"],
    }
    assert WRITERS["table"].write(parts) == "10 %:\na  n\nx  1\n\n20 %:\na  n\ny  2\n"


@pytest.mark.parametrize("form", WRITERS)
def test_every_result_is_written_in_every_format(form):
    assert "satisfied" in WRITERS[form].write([SHARES._report()])


def test_results_offer_the_formats_as_methods():
    assert SHARES.to_markdown() == WRITERS["markdown"].write([SHARES._report()])
    assert SHARES.to_latex() == WRITERS["latex"].write([SHARES._report()])
    assert repr(SHARES.to_frame().to_dict("list")) == repr(SHARES.to_dict())
