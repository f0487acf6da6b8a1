"""The package only shrinks: nothing is larger than the tables of CONTRIBUTING.md say.

``python tests/test_size.py`` prints what there is, and ``--write`` lowers the tables to it.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from operator import gt
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
NO_CODE |= {tokenize.INDENT, tokenize.DEDENT}
SUMS = {  # what is counted beside the rooms: paths, and what of them counts
    "lines of C++": (["skgraded/*.hpp", "skgraded/*.cpp"], "lines"),
    "lines of tests": (["tests/*.py", "tests/*.cpp", "tests/*.hpp"], "lines"),
    "lines of benchmarks": (["benchmarks/*.py"], "lines"),
    "lines of examples": (["examples/*.py", "examples/*.rst"], "lines"),
    "lines of .ci": ([".ci/*"], "lines"),
    "words of README and docs": (["README.md", "docs/*.md"], "words"),
    "noqa": (["*.py"], "noqa"),
}


def code_tokens(source):
    """Tokens outside docstrings and comments."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, documented)
            and ast.get_docstring(node, clean=False) is not None
        ):
            docstrings.add((node.body[0].lineno, node.body[0].col_offset))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [
        each
        for each in tokens
        if each.type not in NO_CODE and each.start not in docstrings
    ]


def code_lines(source):
    """Numbers of the lines that hold such a token."""
    return {
        line
        for each in code_tokens(source)
        for line in range(each.start[0], each.end[0] + 1)
    }


def tracked(*patterns):
    """Text files that git tracks or would add, and none without git; asterisks cross folders."""
    listed = [
        "git",
        "-C",
        ROOT,
        "ls-files",
        "-co",
        "--exclude-standard",
        "--deduplicate",
        "--",
    ]
    try:
        done = subprocess.run(
            [*listed, *patterns], check=False, capture_output=True, text=True
        )
    except OSError:
        return []
    return [
        path for line in done.stdout.splitlines() if (path := ROOT / line).is_file()
    ]


def stated(text):
    """Numbers of both tables by the first cell of their rows."""
    tables = text.partition("## Size")[2].partition("\n## ")[0]
    found = re.findall(r"^\| ([^|]+?) \| ([\d |]+) \|$", tables, re.MULTILINE)
    return {name: tuple(map(int, numbers.split("|"))) for name, numbers in found}


def measured_rooms(names):
    """(code lines, tokens, files) of rooms, which name their files; the last has what is left."""
    room_of = {file: room for room in names for file in re.findall(r"`([^`]+)`", room)}
    *_, rest = names
    found = {room: Counter() for room in names}
    for path in tracked("skgraded/*.py"):
        source = path.read_text(encoding="utf-8")
        counts = found[room_of.get(path.relative_to(ROOT / "skgraded").parts[0], rest)]
        counts.update(
            lines=len(code_lines(source)), tokens=len(code_tokens(source)), files=1
        )
    return {
        room: tuple(counts[each] for each in ("lines", "tokens", "files"))
        for room, counts in found.items()
    }


def measured_sums():
    """Lines, words or marks, by what is counted."""
    found = {}
    for name, (patterns, unit) in SUMS.items():
        texts = [path.read_text(encoding="utf-8") for path in tracked(*patterns)]
        counted = {
            "lines": lambda text: text.count("\n"),
            "words": lambda text: len(text.split()),
            "noqa": lambda text: len(re.findall(r"# noqa\b", text)),
        }[unit]
        found[name] = sum(map(counted, texts))
    return found


def measured(text):
    """The numbers that the tables should state."""
    names = [name for name in stated(text) if name not in SUMS]
    return measured_rooms(names) | {name: (n,) for name, n in measured_sums().items()}


def exceeded(found, most):
    """Rows with a number that is above the stated one, as (measured, stated)."""
    pairs = {name: (found[name], most[name]) for name in most}
    return {name: pair for name, pair in pairs.items() if any(map(gt, *pair))}


needs_the_project = pytest.mark.skipif(
    not tracked("benchmarks"), reason="without git nothing tells what is of the project"
)


@needs_the_project
def test_nothing_grows():
    text = CONTRIBUTING.read_text(encoding="utf-8")
    table, found = stated(text), measured(text)
    assert table.keys() == found.keys()
    assert exceeded(found, table) == {}


@needs_the_project
def test_code_is_formatted_in_lines_of_100():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "line-length = 100\n" in settings
    mark = "fmt: " + "off"
    assert [
        path.name for path in tracked("*.py") if mark in path.read_text("utf-8")
    ] == []


def test_what_exceeds_a_row_is_found():
    source = (
        'def f():  # why\n    """What."""\n    # more\n\n    return (1,\n        2)\n'
    )
    assert code_lines(source) == {1, 5, 6}
    table = stated(
        "## Size\n| `a`, `b` | 1 | 22 | 3 |\n| noqa | 5 |\n\n## Next\n| c | 1 |\n"
    )
    assert table == {"`a`, `b`": (1, 22, 3), "noqa": (5,)}
    assert exceeded({"`a`, `b`": (1, 22, 3), "noqa": (4,)}, table) == {}
    assert (
        exceeded({"`a`, `b`": (0, 23, 3), "noqa": (6,)}, table).keys() == table.keys()
    )


def lowered(text):
    """The text with every number that is above the measured one replaced by it."""
    table, found = stated(text), measured(text)
    for name, most in table.items():
        fewer = " | ".join(
            str(min(pair)) for pair in zip(found[name], most, strict=True)
        )
        pattern = rf"^(\| {re.escape(name)} \|) [\d |]+ \|$"
        text = re.sub(pattern, rf"\1 {fewer} |", text, flags=re.MULTILINE)
    return text


if __name__ == "__main__":
    contributing = CONTRIBUTING.read_text(encoding="utf-8")
    rows = measured(contributing)
    rooms = [each for each in rows.values() if len(each) > 1]
    rows["all rooms"] = tuple(map(sum, zip(*rooms, strict=True)))
    for name, numbers in rows.items():
        sys.stdout.write(f"{name:82} {' '.join(f'{n:8}' for n in numbers)}\n")
    if "--write" in sys.argv:
        CONTRIBUTING.write_text(lowered(contributing), encoding="utf-8")
