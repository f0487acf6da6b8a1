"""CONTRIBUTING lists every source file of the package with its first line of documentation.

``python tests/test_tree.py --write`` rewrites the list.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "skgraded"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
HEADING, FENCE = "## The tree\n", "```\n"
KINDS = {".py", ".pyi", ".hpp", ".cpp"}
WIDTH = 88


def summary(path):
    """First line of a Python file's docstring, or first sentence of a C++ file's first comment."""
    source = path.read_text(encoding="utf-8")
    if path.suffix in {".py", ".pyi"}:
        return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    lines = re.match(r"(//.*\n)*", source).group().splitlines()
    text = " ".join(line.removeprefix("//").strip() for line in lines)
    return textwrap.shorten(text.partition(". ")[0], WIDTH, placeholder=" ...")


def entries(folder, depth=0):
    """(name with its indentation, summary) of a folder and the files below it."""
    yield "  " * depth + f"{folder.name}/", summary(folder / "__init__.py")
    for path in sorted(folder.iterdir()):
        if (path / "__init__.py").is_file():
            yield from entries(path, depth + 1)
        elif path.suffix in KINDS and path.name != "__init__.py":
            yield "  " * (depth + 1) + path.name, summary(path)


def tree(package):
    lines = list(entries(package))
    width = max(len(name) for name, _ in lines)
    return "".join(f"{name:<{width}}  {text}".rstrip() + "\n" for name, text in lines)


def parts(text):
    """Text before the list, the list, and the text after it."""
    before, heading, rest = text.partition(HEADING)
    introduction, fence, rest = rest.partition(FENCE)
    listed, _, after = rest.partition(FENCE)
    return before + heading + introduction + fence, listed, FENCE + after


beside_the_sources = pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="the tests run on an installed package, without its sources"
)


@beside_the_sources
def test_contributing_lists_every_source_file():
    listed = parts(CONTRIBUTING.read_text(encoding="utf-8"))[1].splitlines()
    found = tree(PACKAGE).splitlines()
    missing, stale = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    assert (missing, stale) == ([], []), "run: python tests/test_tree.py --write"
    assert listed == found, "run: python tests/test_tree.py --write"


@beside_the_sources
def test_every_source_file_says_what_it_holds():
    assert [name for name, text in entries(PACKAGE) if not text] == []


def test_the_tree_of_a_package(tmp_path):
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__pycache__").mkdir()
    (package / "__init__.py").write_text('"""The package."""')
    (package / "data.csv").touch()
    (package / "inner" / "__init__.py").write_text('"""Inner part.\n\nMore.\n"""')
    (package / "inner" / "kernel.hpp").write_text(
        "// A kernel\n// of sums. It is fast.\n#pragma once"
    )
    (package / "z.py").write_text('"""Last file."""')
    assert tree(package).splitlines() == [
        "package/        The package.",
        "  inner/        Inner part.",
        "    kernel.hpp  A kernel of sums",
        "  z.py          Last file.",
    ]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    before, _, after = parts(CONTRIBUTING.read_text(encoding="utf-8"))
    CONTRIBUTING.write_text(before + tree(PACKAGE) + after, encoding="utf-8")
