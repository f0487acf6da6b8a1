"""Tables of plain text that fit a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape

__all__ = [
    "WIDTH",
    "count",
    "first_few",
    "html_table",
    "shorten",
    "text_table",
    "wrap",
]

WIDTH = 80
_EXAMPLES = 3
_GAP = "  "
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


def text_table(
    labels: Sequence[str],
    columns: Sequence[tuple[str, Sequence[str]]],
    width: int = WIDTH,
    widest_label: int = _WIDEST_NAME,
) -> str:
    """Draw a table; columns that do not fit beside the labels go into further blocks below.

    Parameters
    ----------
    labels : sequence of str
        The heading of the labels, then the labels.
    columns : sequence of (str, sequence of str)
        Heading and cells of each column.
    width : int, default=80
        Characters in a line.
    widest_label : int, default=30
        Longer labels are cut.

    Returns
    -------
    str
        The lines of the table.
    """
    names = [shorten(each, widest_label) for each in labels]
    label_width = max(map(len, names))
    blocks: list[list[list[str]]] = []
    room = 0
    for heading, cells in columns:
        cell_width = max(map(len, [heading, *cells]))
        if not blocks or room < len(_GAP) + cell_width:
            blocks.append([[name.ljust(label_width)] for name in names])
            room = width - label_width
        room -= len(_GAP) + cell_width
        for line, cell in zip(blocks[-1], [heading, *cells], strict=True):
            line.append(cell.rjust(cell_width))
    return "\n\n".join("\n".join(map(_joined, block)) for block in blocks)


def html_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> str:
    """Draw a table for a notebook; the first column holds labels, the others hold numbers.

    Parameters
    ----------
    header : sequence of str
        Headings of the columns.
    rows : sequence of sequence of str
        Cells, row by row.
    notes : sequence of str, default=()
        Sentences below the table.

    Returns
    -------
    str
        HTML without scripts and styles of its own, so that the notebook's style applies.
    """
    lines = ["<table>", "<thead>", _html_row("th", header), "</thead>", "<tbody>"]
    lines += [_html_row("td", row) for row in rows]
    lines += ["</tbody>", "</table>", *(f"<p>{escape(note)}</p>" for note in notes)]
    return "\n".join(lines)


def _html_row(tag: str, cells: Sequence[str]) -> str:
    label, *numbers = (escape(cell) for cell in cells)
    aligned = "".join(f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in numbers)
    return f'<tr><th style="text-align: left">{label}</th>{aligned}</tr>'


def _joined(cells: list[str]) -> str:
    return _GAP.join(cells).rstrip()
