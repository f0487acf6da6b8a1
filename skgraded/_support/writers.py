"""The formats of results: text, CSV, JSON, Markdown, LaTeX and HTML, each by one function.

A format is a function from `Report`s to text, which `WRITERS` lists. Every result has a method for
each of them, ``to_`` and its name, with the docstring of the function; and the command line's
``--format`` takes the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from skgraded._support.text import WIDTH, shorten, shorten_labels, visible, wrap

if TYPE_CHECKING:
    from skgraded._support.results_base import Report, Table

_GAP = "  "

# What Markdown and LaTeX read as marks of their own.
_IN_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_|[]<>#$~"})
_IN_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)
_PLAIN = frozenset([str, float, int, bool, type(None)])
# What a spreadsheet computes; a number with a sign is none.
_FORMULA = re.compile(r"[=@]|[+-](?![\d.]+\Z)")


# --- tables for people ----------------------------------------------------------------------------


def table_as_text(table: Table, width: int = WIDTH) -> str:
    """Draw a table with characters; columns that are beyond the width go into blocks below.

    Parameters
    ----------
    table : Table
        The table.
    width : int, default=80
        Characters in a line.

    Returns
    -------
    str
        The lines.
    """
    blocks = _blocks_of_text(table.rows, table.widest_label, width)
    if table.n_spare and "\n\n" in blocks:
        fields = table.fields[: -table.n_spare]
        notes = [*table.spare_notes, *table.notes]
        narrow = table._replace(fields=fields, notes=notes, n_spare=0)
        return table_as_text(narrow, width)
    notes = [wrap(sentence, width) for sentence in table.sentences]

    lines = [blocks, *notes]
    if table.title:
        lines.insert(0, wrap(visible(table.title), width))
    return "\n".join(lines)


def _blocks_of_text(rows: list[list[str]], widest_label: int, width: int) -> str:
    (heading, *names), *columns = zip(*rows, strict=True)
    # In a wide terminal the labels have what is beyond the usual width.
    widest_label += max(0, width - WIDTH)
    labels = [shorten(heading, widest_label), *shorten_labels(names, widest_label)]
    label_width = max(map(len, labels))

    # Every block begins with the labels, and takes the columns that have room behind them.
    padded_labels = [label.ljust(label_width) for label in labels]
    blocks: list[list[list[str]]] = []
    room = 0
    for cells in columns:
        cell_width = max(map(len, cells))
        needed_width = len(_GAP) + cell_width
        if not blocks or room < needed_width:
            blocks.append([padded_labels])
            room = width - label_width

        room -= needed_width
        blocks[-1].append([cell.rjust(cell_width) for cell in cells])

    texts = []
    for block in blocks:
        rows_of_block = zip(*block, strict=True)
        lines_of_block = [_GAP.join(row).rstrip() for row in rows_of_block]
        texts.append("\n".join(lines_of_block))
    return "\n\n".join(texts)


def table_as_html(table: Table) -> str:
    """Draw a table without scripts and styles of its own, so that a notebook's style applies.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    str
        A table and paragraphs.
    """
    # Here and not above, as the other formats, because few commands need it.
    from html import escape

    header, *rows = [map(escape, row) for row in table.rows]
    lines = []
    if table.title:
        title = escape(visible(table.title))
        lines.append(f"<p>{title}</p>")

    lines += ["<table>", "<thead>", _html_row("th", header), "</thead>", "<tbody>"]
    lines += [_html_row("td", row) for row in rows]
    lines += ["</tbody>", "</table>"]

    lines += [f"<p>{escape(sentence)}</p>" for sentence in table.sentences]
    return "\n".join(lines)


def _html_row(tag: str, cells: Iterable[str]) -> str:
    label, *numbers = cells
    aligned = [
        f'<{tag} style="text-align: right">{number}</{tag}>' for number in numbers
    ]
    return f'<tr><th style="text-align: left">{label}</th>{"".join(aligned)}</tr>'


def _table_as_markdown(table: Table) -> str:
    """Draw a table as GitHub and notebooks read it, with the best of several values in bold."""
    header, *rows = _rows_for_papers(table, _IN_MARKDOWN, "**{}**", "<sup>{}</sup>")
    lines = []
    if table.title:
        title = visible(table.title).translate(_IN_MARKDOWN)
        lines.append(f"**{title}**\n")

    alignment = ["---", *("---:" for _ in header[1:])]
    lines += [f"| {' | '.join(row)} |" for row in (header, alignment, *rows)]

    lines += [f"\n{sentence.translate(_IN_MARKDOWN)}" for sentence in table.sentences]
    return "\n".join(lines)


def _table_as_latex(table: Table) -> str:
    """Draw a ``table`` for the package booktabs, with the title and the notes as its caption."""
    header, *rows = _rows_for_papers(table, _IN_LATEX, r"\textbf{{{}}}", "$^{{{}}}$")
    sentences = table.sentences
    if table.title:
        title = visible(table.title).rstrip(".")
        sentences = [f"{title}.", *sentences]
    if any(field.best_row is not None for field in table.fields):
        sentences = [*sentences, "Bold: best."]
    caption = " ".join(sentences).translate(_IN_LATEX)

    lines = [r"\begin{table}", r"\centering"]
    if caption:
        lines.append(f"\\caption{{{caption}}}")

    lines += [f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    lines += [_latex_row(header), r"\midrule"]
    lines += [_latex_row(row) for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def _latex_row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _rows_for_papers(
    table: Table, escapes: dict[int, str], bold: str, raised: str
) -> list[list[str]]:
    """Return the rows as a format writes them: the best values bold, and marks raised."""
    header, *rows = [
        [cell.translate(escapes) for cell in cells] for cells in table.rows
    ]

    headed_fields = [field for field in table.fields if field.heading is not None]
    for column, field in enumerate(headed_fields):
        # All values that are written as the best one are bold.
        best_row = field.best_row
        if best_row is not None:
            best_cell = rows[best_row][column]
            for row in rows:
                if row[column] == best_cell:
                    row[column] = bold.format(best_cell)

        if field.marks:
            for row, mark in zip(rows, field.marks, strict=True):
                if mark:
                    row[column] += raised.format(mark.translate(escapes))
    return [header, *rows]


# --- formats --------------------------------------------------------------------------------------


def _as_text(reports: Sequence[Report]) -> str:
    """Write it with characters, as in a terminal.

    Returns
    -------
    str
        Its tables and notes.
    """
    return reports_as_text(reports, WIDTH)


def reports_as_text(reports: Sequence[Report], width: int) -> str:
    """Write results with characters, in lines of a width.

    Parameters
    ----------
    reports : sequence of Report
        The results.
    width : int
        Characters in a line.

    Returns
    -------
    str
        Their tables and notes.
    """
    draw = partial(table_as_text, width=width)
    return _tables_under_headings(reports, draw, "{}:\n")


def _as_markdown(reports: Sequence[Report]) -> str:
    """Write it as Markdown.

    Returns
    -------
    str
        Its tables and notes; the best of several values is bold.
    """
    return _tables_under_headings(
        reports, _table_as_markdown, "**{}**\n\n", for_papers=True
    )


def _as_latex(reports: Sequence[Report]) -> str:
    r"""Write it as LaTeX, for the package booktabs.

    Returns
    -------
    str
        Its tables, with notes in the caption; the best of several values is bold, which is said.
    """
    return _tables_under_headings(reports, _table_as_latex, "% {}\n", for_papers=True)


def _as_html(reports: Sequence[Report]) -> str:
    """Write it as HTML, without scripts and styles of its own.

    Returns
    -------
    str
        Its tables, and its notes as paragraphs.
    """
    return _tables_under_headings(reports, table_as_html, "<p>{}</p>\n")


def _tables_under_headings(
    reports: Sequence[Report],
    draw: Callable[[Table], str],
    heading_form: str,
    for_papers: bool = False,
) -> str:
    texts = []
    for report in reports:
        tables = report.tables
        if for_papers and report.for_papers:
            tables = report.for_papers

        text = "\n\n".join(map(draw, tables))
        if report.heading:
            text = heading_form.format(report.heading) + text
        texts.append(text)

    return "\n\n".join(texts) + "\n"


def _as_csv(reports: Sequence[Report]) -> str:
    """Write the columns of `to_frame` as CSV, with all digits.

    A name that begins with ``=``, ``+``, ``-`` or ``@`` and is no number has an apostrophe
    before it, since a spreadsheet would take it for a formula.

    Returns
    -------
    str
        A header and a line per row.
    """
    import csv

    # It takes \r\n for the end of a line, and so quotes names that hold either of them.
    lines: list[str] = []
    writer = csv.writer(SimpleNamespace(write=lines.append))

    # All reports have the same columns.
    names = {**reports[0].labels, **reports[0].columns}
    writer.writerow(map(_without_formula, names))

    for report in reports:
        labels = in_plain_types(report.labels)
        columns = {name: repeat(label) for name, label in labels.items()}
        columns |= in_plain_types(report.columns)
        rows = zip(*columns.values(), strict=False)
        for row in rows:
            writer.writerow(map(_without_formula, row))
    lines = [line.removesuffix("\r\n") for line in lines]

    # Halves of characters become escapes.
    text = "\n".join([*lines, ""])
    return text.encode("utf-8", "backslashreplace").decode()


def _without_formula(value: Any) -> Any:
    """Put an apostrophe before a name that a spreadsheet would compute."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def _as_json(reports: Sequence[Report]) -> str:
    """Write it as JSON, with all digits; nan and infinity, which JSON lacks, are null.

    Returns
    -------
    str
        An object with the facts, ``"rows"`` and ``"notes"``.
    """
    import json

    # One report is an object, several are a list of objects beside their common notes.
    objects = list(map(_json_object, reports))
    content: dict[str, Any] = {"parts": objects}
    if len(objects) == 1:
        content = objects[0]
    notes = [note for report in reports for note in report.notes]
    content["notes"] = list(dict.fromkeys(notes))

    write = partial(json.dumps, indent=2, allow_nan=False)
    try:
        text = write(content, ensure_ascii=False)
    except ValueError:  # nan and infinity
        with_names = json.dumps(content)
        content = json.loads(with_names, parse_constant=lambda _: None)
        text = write(content, ensure_ascii=False)
    if re.search("[\ud800-\udfff]", text):
        text = write(content)  # JSON can only escape halves of characters
    return text + "\n"


def _json_object(report: Report) -> dict[str, Any]:
    columns = in_plain_types(report.columns)
    facts = in_plain_types({**report.labels, **report.facts})
    return {**facts, "rows": rows_by_name(columns, columns.values())}


def rows_by_name(
    names: Iterable[str], columns: Iterable[Sequence[Any]]
) -> list[dict[str, Any]]:
    """Return the rows of columns, with the values by the names of the columns."""
    rows = zip(*columns, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def in_plain_types(value: Any) -> Any:
    """Return Python's own types instead of NumPy's."""
    if hasattr(value, "tolist"):
        value = value.tolist()

    if isinstance(value, Mapping):
        names = map(str, value)
        entries = map(in_plain_types, value.values())
        return dict(zip(names, entries, strict=True))

    if isinstance(value, list | tuple):
        if _PLAIN.issuperset(map(type, value)):
            return list(value)
        return [in_plain_types(entry) for entry in value]
    return value


WITHOUT_NOTES = frozenset(["csv"])  # formats that have no place for them
WRITERS: dict[str, Callable[[Sequence[Report]], str]] = {
    "table": _as_text,
    "csv": _as_csv,
    "json": _as_json,
    "markdown": _as_markdown,
    "latex": _as_latex,
    "html": _as_html,
}
