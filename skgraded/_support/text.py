"""Words and sentences for people: numbers with their nouns, lists of names, lines that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 80
_EXAMPLES = 3
_WIDEST_NAME = 30


def count(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun, such as ``1 topic`` or ``2 topics``."""
    return f"{n} {noun}" if n == 1 else f"{n} {plural or noun + 's'}"


def first_few(names: Sequence[str]) -> str:
    """List the first names of several, such as ``a, b, c and 4 more``."""
    shown = ", ".join(names[:_EXAMPLES])
    return shown + (f" and {len(names) - _EXAMPLES} more" if len(names) > _EXAMPLES else "")


def shorten(name: str, width: int = _WIDEST_NAME) -> str:
    """Cut a name that is wider than a column."""
    return name if len(name) <= width else name[: width - 3] + "..."


def wrap(text: str, width: int = WIDTH, indent: int = 2) -> str:
    """Break a sentence into lines and indent all of them but the first."""
    return textwrap.fill(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)
