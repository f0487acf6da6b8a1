"""The stub of the kernels, which editors and mypy read, is what nanobind makes of their bindings.

After a change to a binding: python tests/test_native_stub.py --write && ruff format .
"""

import ast
import sys
from pathlib import Path

import pytest

import skgraded
from skgraded._core import _native

STUB = Path(skgraded.__file__).parent / "_core" / "_native.pyi"


def make_stub():
    from nanobind.stubgen import StubGen

    generator = StubGen(_native)
    generator.put(_native)
    return generator.get()


def meaning(source):
    """The syntax tree of a stub, whatever its layout; docstrings word by word."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.split()
    return ast.dump(tree)


def test_the_stub_is_current():
    pytest.importorskip("nanobind.stubgen")
    assert meaning(STUB.read_text(encoding="utf-8")) == meaning(make_stub())


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ('def f(\n    x: int,\n) -> int:\n    """\n    One.\n    """', True),
        ('def f(x: float) -> int:\n    """One."""', False),
        ('def f(x: int) -> int:\n    """Two."""', False),
    ],
)
def test_layout_alone_makes_no_other_stub(other, is_same):
    assert (meaning(other) == meaning('def f(x: int) -> int:\n    """One."""')) == is_same


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    STUB.write_text(make_stub(), encoding="utf-8")
