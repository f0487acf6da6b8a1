"""A reader of the package meets no more than the tables of CONTRIBUTING.md say.

``PYTHONPATH=tests python tests/project/test_reading.py`` prints what there is, and
``--write`` enters it as the tokens of the rooms. A room may exceed its row by 3 %, so
that a fix never fails for its size.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
import reading

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "skgraded"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
SLACK = 0.03
MOST_OF_A_ROOM = 10.0  # tokens a line
AT_LEAST = {"blank lines"}


needs_sources = pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="a package is tested without its sources"
)


def section(text):
    return text.partition("## Reading\n")[2].partition("\n## ")[0]


def stated_tokens(text):
    """Tokens by rooms, which the first cell of a row names in backticks."""
    rows = re.findall(r"^\| (`.+`) \| (\d+) \|$", section(text), re.MULTILINE)
    return {rooms: int(tokens) for rooms, tokens in rows}


def stated_figures(text):
    """Limits over the whole package by the name of the figure."""
    rows = re.findall(r"^\| ([a-z ]+) \|.*\| ([\d.]+) \|$", section(text), re.MULTILINE)
    return {name: float(limit) for name, limit in rows}


def measured_tokens(rows, rooms):
    """Tokens by the rows of the table; every room is in one of them."""
    row_of_room = {room: row for row in rows for room in re.findall(r"`([^`]+)`", row)}
    assert sorted(rooms) == sorted(row_of_room)
    tokens = Counter()
    for room, counts in rooms.items():
        tokens[row_of_room[room]] += counts["file_tokens"]
    return dict(tokens)


def exceeded(measured, stated):
    """Figures on the wrong side of their limit, as (measured, stated)."""
    failures = {}
    for name, limit in stated.items():
        is_met = measured[name] <= limit
        if name in AT_LEAST:
            is_met = measured[name] >= limit
        if not is_met:
            failures[name] = (measured[name], limit)
    return failures


@needs_sources
def test_no_room_grows_by_more_than_its_slack():
    stated = stated_tokens(CONTRIBUTING.read_text(encoding="utf-8"))
    measured = measured_tokens(stated, reading.counts_by_room(PACKAGE))
    limits = {rooms: tokens * (1 + SLACK) for rooms, tokens in stated.items()}
    assert exceeded(measured, limits) == {}


@needs_sources
def test_the_package_reads_plainly():
    counts = sum(reading.counts_by_room(PACKAGE).values(), Counter())
    measured = reading.figures(counts)
    stated = stated_figures(CONTRIBUTING.read_text(encoding="utf-8"))
    assert stated.keys() == measured.keys()
    assert exceeded(measured, stated) == {}


@needs_sources
def test_no_room_is_denser_than_any_other_may_be():
    tokens_a_line = {
        room: reading.figures(counts)["tokens a line"]
        for room, counts in reading.counts_by_room(PACKAGE).items()
    }
    assert {room: n for room, n in tokens_a_line.items() if n > MOST_OF_A_ROOM} == {}


def test_no_file_switches_the_formatter_off():
    mark = "fmt: " + "off"
    files = PACKAGE.rglob("*.py")
    assert [path.name for path in files if mark in path.read_text("utf-8")] == []


def test_a_figure_on_the_wrong_side_is_reported():
    stated = {"tokens a line": 8.0, "blank lines": 7.0}
    assert exceeded({"tokens a line": 8.0, "blank lines": 7.0}, stated) == {}
    measured = {"tokens a line": 8.1, "blank lines": 6.9}
    assert exceeded(measured, stated).keys() == stated.keys()


def test_what_is_counted_of_a_source():
    source = '''"""What."""
def f(a, b):  # why
    """What."""
    x, y = a, b
    a, b = b, a

    if x:
        found = f"{x} and {y}" if y else (1,
            2)
'''
    assert reading.code_lines(source) == {2, 4, 5, 7, 8, 9}
    counts = reading.counts_of_source(source)
    assert counts == Counter(
        file_tokens=36,
        file_lines=6,
        files=1,
        lines=5,
        tokens=28,
        full_lines=4,
        full_tokens=26,
        blank=1,
        packed=1,
        conditions=1,
        names=5,
        empty=1,
    )


def written(text):
    """The text with the tokens that there are."""
    stated = stated_tokens(text)
    for rooms, tokens in measured_tokens(
        stated, reading.counts_by_room(PACKAGE)
    ).items():
        text = text.replace(f"| {rooms} | {stated[rooms]} |", f"| {rooms} | {tokens} |")
    return text


if __name__ == "__main__":
    sys.stdout.write(reading.report(PACKAGE) + "\n")
    if "--write" in sys.argv:
        text = CONTRIBUTING.read_text(encoding="utf-8")
        CONTRIBUTING.write_text(written(text), encoding="utf-8")
