"""Every source file says in its first line what it holds.

``python tests/project/test_tree.py`` prints all of them with these lines.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "skgraded"
KINDS = {".py", ".hpp", ".cpp"}
WIDTH = 88


def summary(path):
    """First line of a Python file's docstring, or first sentence of a C++ file's first comment."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
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


@pytest.mark.skipif(
    not PACKAGE.is_dir(), reason="a package is tested without its sources"
)
def test_every_source_file_says_what_it_holds(tmp_path):
    assert [name for name, text in entries(PACKAGE) if not text] == []
    (tmp_path / "__init__.py").touch()
    (tmp_path / "kernel.hpp").write_text(
        "// A kernel\n// of sums. It is fast.\n#pragma once"
    )
    assert [text for _, text in entries(tmp_path)] == ["", "A kernel of sums"]


if __name__ == "__main__":
    sys.stdout.write(tree(PACKAGE))
