"""Results in writing: text, HTML, Markdown, LaTeX, CSV and JSON, each by one function.

A result states each of its values once, as a `Field`: its name for programs, and its heading and
form for people. Tables, frames and all writers follow from the fields. Every writer takes
`Report`s, so that a format that is added to `WRITERS` serves all results and the command line's
``--format``.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_missing
from skgraded._support.lazy import import_pandas
from skgraded._support.text import WIDTH, shorten, wrap

if TYPE_CHECKING:
    import pandas as pd

_GAP = "  "
_WIDEST_LABEL = 30

# Unicode's control characters, separators of lines and of paragraphs, and halves of characters,
# which no encoding has; and marks that change the direction of the text behind them.
_UNWRITABLE = frozenset(["Cc", "Zl", "Zp", "Cs"])
_DIRECTIONS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)

# What Markdown and LaTeX read as marks of their own.
_IN_MARKDOWN = str.maketrans({each: f"\\{each}" for each in "\\`*_|[]<>#$~"})
_IN_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        **{each: f"\\{each}" for each in "&%$#_{}"},
    }
)
_PLAIN = frozenset([str, float, int, bool, type(None)])
# What a spreadsheet computes; a number with a sign is none.
_FORMULA = re.compile(r"[=@]|[+-](?![\d.]+\Z)")


class Field(NamedTuple):
    """A value that every row of a result has, for programs and for people.

    Attributes
    ----------
    name : str
        Its name in frames, CSV and JSON.
    values : sequence or ndarray
        One for each row.
    heading : str or None
        Its heading in tables, which lack it if there is none.
    form : str or callable
        How tables write a value: a format of the value, which may name others of the row, such as
        ``"[{low:.4f}, {high:.4f}]"``; or a function that is called as the format would be.
    best : int
        1 if the largest value is the best, -1 if the smallest is, and 0 if none is better.
    marks : sequence of str
        What papers have behind the values, above the line; none by default.
    """

    name: str
    values: Sequence[Any] | NDArray[Any]
    heading: str | None = None
    form: str | Callable[..., str] = "{}"
    best: int = 0
    marks: Sequence[str] = ()

    @property
    def best_row(self) -> int | None:
        """The row of the best value, if it is better than another one."""
        values = (
            self.best * np.asarray(self.values, dtype=float)
            if self.best
            else np.zeros(0)
        )
        known = values[~np.isnan(values)]
        return int(np.nanargmax(values)) if len(np.unique(known)) > 1 else None


def or_blank(form: str, blank: str = "") -> Callable[..., str]:
    """Return the form of a field that leaves nan and None blank."""
    return lambda value, /, **row: (
        blank if is_missing(value) else form.format(value, **row)
    )


class Table(NamedTuple):
    """A table for people: labels on the left, cells of rounded numbers on the right.

    Attributes
    ----------
    fields : sequence of Field
        The columns, of which the first one with a heading labels the rows.
    notes : sequence of str
        Sentences below the table.
    title : str
        A line above the table.
    widest_label : int
        Longer labels are cut in text.
    n_spare : int
        How many of the last columns text leaves out where they do not fit beside the others.
    spare_notes : sequence of str
        What text says in their place.
    """

    fields: Sequence[Field]
    notes: Sequence[str] = ()
    title: str = ""
    widest_label: int = _WIDEST_LABEL
    n_spare: int = 0
    spare_notes: Sequence[str] = ()

    def first(self, n_rows: int | None) -> Table:
        """Leave out all rows but the first ones."""
        fields = [
            each._replace(values=each.values[:n_rows], marks=each.marks[:n_rows])
            for each in self.fields
        ]
        return self._replace(fields=fields)

    @property
    def rows(self) -> list[list[str]]:
        """The lines of cells: first the headings."""
        names = [each.name for each in self.fields]
        values = [_plain(each.values) for each in self.fields]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
        columns = []
        for field, own in zip(self.fields, values, strict=True):
            if field.heading is not None:
                write = field.form.format if isinstance(field.form, str) else field.form
                cells = [
                    write(value, **row) for value, row in zip(own, rows, strict=True)
                ]
                columns.append(_all_visible([field.heading, *cells]))
        return [list(line) for line in zip(*columns, strict=True)]

    @property
    def sentences(self) -> list[str]:
        """The sentences below the table."""
        return _all_visible([note for note in self.notes if note])

    def to_text(self, width: int = WIDTH) -> str:
        """Draw it with characters; columns that are beyond the width go into blocks below.

        Parameters
        ----------
        width : int, default=80
            Characters in a line.

        Returns
        -------
        str
            The lines.
        """
        if self.n_spare and "\n\n" in self._blocks(width):
            fields = self.fields[: -self.n_spare]
            notes = [*self.spare_notes, *self.notes]
            return self._replace(fields=fields, notes=notes, n_spare=0).to_text(width)
        title = [wrap(visible(self.title), width)] if self.title else []
        notes = [wrap(each, width) for each in self.sentences]
        return "\n".join([*title, self._blocks(width), *notes])

    def _blocks(self, width: int) -> str:
        names, *columns = zip(*self.rows, strict=True)
        names = tuple(shorten(name, self.widest_label) for name in names)
        label_width = max(map(len, names))
        blocks: list[list[list[str]]] = []
        room = 0
        for cells in columns:
            cell_width = max(map(len, cells))
            if not blocks or room < len(_GAP) + cell_width:
                blocks.append([[name.ljust(label_width)] for name in names])
                room = width - label_width
            room -= len(_GAP) + cell_width
            for line, cell in zip(blocks[-1], cells, strict=True):
                line.append(cell.rjust(cell_width))
        lines = (
            "\n".join(_GAP.join(line).rstrip() for line in block) for block in blocks
        )
        return "\n\n".join(lines)

    def to_html(self) -> str:
        """Draw it without scripts and styles of its own, so that a notebook's style applies.

        Returns
        -------
        str
            A table and paragraphs.
        """
        import html  # here and not above, as the other formats, because few commands need it

        header, *rows = ([html.escape(cell) for cell in row] for row in self.rows)
        title = [f"<p>{html.escape(visible(self.title))}</p>"] if self.title else []
        notes = [f"<p>{html.escape(each)}</p>" for each in self.sentences]
        lines = [
            *title,
            "<table>",
            "<thead>",
            _html_row("th", header),
            "</thead>",
            "<tbody>",
        ]
        lines += [*(_html_row("td", row) for row in rows), "</tbody>", "</table>"]
        return "\n".join([*lines, *notes])

    def _for_papers(
        self, marks: dict[int, str], strong: str, raised: str
    ) -> list[list[str]]:
        """Return the rows as a format writes them: the best values strong, and marks raised."""
        header, *rows = ([cell.translate(marks) for cell in row] for row in self.rows)
        shown = [each for each in self.fields if each.heading is not None]
        for column, field in enumerate(shown):
            best = None if field.best_row is None else rows[field.best_row][column]
            for row, mark in zip(rows, field.marks or [""] * len(rows), strict=True):
                cell = (
                    strong.format(row[column]) if row[column] == best else row[column]
                )
                row[column] = cell + (
                    raised.format(mark.translate(marks)) if mark else ""
                )
        return [header, *rows]

    def to_markdown(self) -> str:
        """Draw it as GitHub and notebooks read it, with the best of several values in bold.

        Returns
        -------
        str
            A table and paragraphs.
        """
        header, *rows = self._for_papers(_IN_MARKDOWN, "**{}**", "<sup>{}</sup>")
        alignment = ["---", *("---:" for _ in header[1:])]
        lines = [f"| {' | '.join(row)} |" for row in (header, alignment, *rows)]
        title = (
            [f"**{visible(self.title).translate(_IN_MARKDOWN)}**\n"]
            if self.title
            else []
        )
        notes = [f"\n{note.translate(_IN_MARKDOWN)}" for note in self.sentences]
        return "\n".join([*title, *lines, *notes])

    def to_latex(self) -> str:
        r"""Draw it for the package booktabs, with the best of several values in bold.

        Returns
        -------
        str
            A ``table`` with the title and the notes as its caption.
        """
        header, *rows = self._for_papers(_IN_LATEX, r"\textbf{{{}}}", "$^{{{}}}$")
        told = " ".join(
            [f"{visible(self.title).rstrip('.')}.", *self.sentences][not self.title :]
        )
        lines = [r"\begin{table}", r"\centering"]
        lines += [f"\\caption{{{told.translate(_IN_LATEX)}}}"] if told else []
        lines += [f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
        lines += [
            _latex_row(header),
            r"\midrule",
            *map(_latex_row, rows),
            r"\bottomrule",
        ]
        return "\n".join([*lines, r"\end{tabular}", r"\end{table}"])


class Report(NamedTuple):
    """What a result says, for all writers.

    Attributes
    ----------
    tables : sequence of Table
        For people.
    columns : mapping of str to sequence
        For programs: the values, row by row.
    facts : mapping of str to object
        For programs: what is the same for all rows.
    notes : sequence of str
        Sentences on what the values do not show.
    heading : str
        What tells this report from others beside it.
    labels : mapping of str to object
        The same for programs, as columns of their own.
    for_papers : sequence of Table
        What Markdown and LaTeX have in the place of the tables; none if they have the same.
    """

    tables: Sequence[Table]
    columns: Mapping[str, Sequence[Any]]
    facts: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    heading: str = ""
    labels: Mapping[str, Any] = {}
    for_papers: Sequence[Table] = ()

    @property
    def labelled_columns(self) -> dict[str, Sequence[Any]]:
        """The columns, after those of the labels."""
        n_rows = len(next(iter(self.columns.values())))
        labels = {name: [value] * n_rows for name, value in self.labels.items()}
        return {**labels, **self.columns}


class Result:
    """Base class of the results that are printed: fields for programs, tables of them for people.

    A class states its values in `_fields`. It has a table of these fields with its `_sentences`
    below, unless it makes others.
    """

    _widest_label: ClassVar[int] = _WIDEST_LABEL
    _rows_shown: ClassVar[int | None] = None  # when Python or a notebook prints it

    def _fields(self) -> list[Field]:
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        """Return the notes below the table."""
        raise NotImplementedError

    def _table(self) -> Table:
        return Table(self._fields(), self._sentences(), widest_label=self._widest_label)

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return [self._table().first(n_rows)]

    def _columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        return {each.name: each.values for each in self._fields()}

    def _facts(self) -> dict[str, Any]:
        """Return what JSON holds beside the rows: names, numbers of queries, options."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        facts = {field.name: getattr(self, field.name) for field in fields}
        return {
            name: each
            for name, each in facts.items()
            if name != "notes" and _is_fact(each)
        }

    def _report(self) -> Report:
        notes: Sequence[str] = getattr(self, "notes", ())
        return Report(self._tables(), _plain(self._columns()), self._facts(), notes)

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a DataFrame; the class says which rows and columns it has.

        Returns
        -------
        DataFrame
            The columns.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame: pd.DataFrame = import_pandas(".to_dict()").DataFrame(self._columns())
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of `to_frame` by name, in plain types as for JSON.

        Returns
        -------
        dict of str to list
            The columns.
        """
        columns: dict[str, Any] = _plain(self._columns())
        return columns

    def to_markdown(self) -> str:
        """Write it as Markdown.

        Returns
        -------
        str
            Its tables and notes; the best of several values is bold.
        """
        return WRITERS["markdown"]([self._report()])

    def to_latex(self) -> str:
        r"""Write it as LaTeX, for the package booktabs.

        Returns
        -------
        str
            Its tables, with notes in the caption; the best of several values is bold.
        """
        return WRITERS["latex"]([self._report()])

    def to_csv(self) -> str:
        """Write the columns of `to_frame` as CSV, with all digits.

        A name that begins with ``=``, ``+``, ``-`` or ``@`` and is no number has an apostrophe
        before it, since a spreadsheet would take it for a formula.

        Returns
        -------
        str
            A header and a line per row.
        """
        return WRITERS["csv"]([self._report()])

    def to_json(self) -> str:
        """Write it as JSON, with all digits; nan and infinity, which JSON lacks, are null.

        Returns
        -------
        str
            An object with the facts, ``"rows"`` and ``"notes"``.
        """
        return WRITERS["json"]([self._report()])

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self._tables(self._rows_shown))

    def _repr_html_(self) -> str:
        return "\n".join(table.to_html() for table in self._tables(self._rows_shown))


class LongResult(Result):
    """Base class of results that may have many rows, of which Python prints the first ones."""

    _rows_shown = 20

    def to_text(self, n_rows: int | None = None, width: int = WIDTH) -> str:
        """Draw its tables with characters, and its notes.

        Parameters
        ----------
        n_rows : int, optional
            Number of rows that are shown; all by default.
        width : int, default=80
            Characters in a line.

        Returns
        -------
        str
            The lines.
        """
        return "\n\n".join(table.to_text(width) for table in self._tables(n_rows))


def visible(text: str) -> str:
    """Write characters that would move a cursor, turn a line around or fail as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode()
        if each in _DIRECTIONS or unicodedata.category(each) in _UNWRITABLE
        else each
        for each in text
    )


def _all_visible(texts: list[str]) -> list[str]:
    joined = "".join(texts)
    return (
        texts
        if joined.isascii() and joined.isprintable()
        else list(map(visible, texts))
    )


def _is_fact(value: Any) -> bool:
    """Whether a value is plain or a tuple of such, or a mapping to these: names, options."""
    if isinstance(value, Mapping):
        return all(map(_is_fact, value.values()))
    values = value if isinstance(value, tuple) else (value,)
    return all(isinstance(each, str | int | float) for each in values)


def _plain(value: Any) -> Any:
    """Return Python's own types instead of NumPy's."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        are_plain = _PLAIN.issuperset(map(type, value))
        return list(value) if are_plain else [_plain(each) for each in value]
    return value


def _html_row(tag: str, cells: Sequence[str]) -> str:
    label, *numbers = cells
    aligned = "".join(
        f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in numbers
    )
    return f'<tr><th style="text-align: left">{label}</th>{aligned}</tr>'


def _latex_row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _of_tables(
    draw: Callable[[Table], str], heading: str, for_papers: bool = False
) -> Callable[[Sequence[Report]], str]:
    """Make the writer of a format for people: all tables, under the headings of their reports."""

    def write(reports: Sequence[Report]) -> str:
        texts = []
        for report in reports:
            chosen = (for_papers and report.for_papers) or report.tables
            tables = "\n\n".join(map(draw, chosen))
            texts.append(
                f"{heading.format(report.heading)}{tables}"
                if report.heading
                else tables
            )
        return "\n\n".join(texts) + "\n"

    return write


def _as_csv(reports: Sequence[Report]) -> str:
    """Write the rows of all reports, which have the same columns."""
    import csv

    lines: list[str] = []
    # It takes \r\n for the end of a line, and so quotes names that hold either of them.
    writer = csv.writer(SimpleNamespace(write=lines.append))
    writer.writerow(_without_formulas(list(reports[0].labelled_columns)))
    for report in reports:
        columns = map(_without_formulas, map(_plain, report.labelled_columns.values()))
        writer.writerows(zip(*columns, strict=True))
    text = "\n".join([line.removesuffix("\r\n") for line in [*lines, ""]])
    return text.encode(
        "utf-8", "backslashreplace"
    ).decode()  # halves of characters as escapes


def _without_formulas(values: list[Any]) -> list[Any]:
    """Put an apostrophe before names that a spreadsheet would compute."""
    names = {each for each in values if isinstance(each, str)}
    written = {each: f"'{each}" for each in names if _FORMULA.match(each)}
    if not written:
        return values
    return [
        written.get(each, each) if isinstance(each, str) else each for each in values
    ]


def _as_json(reports: Sequence[Report]) -> str:
    """Write one report as an object; several as a list of objects beside their common notes."""
    import json

    parts = []
    for report in reports:
        columns = _plain(report.columns)
        rows = [
            dict(zip(columns, row, strict=True))
            for row in zip(*columns.values(), strict=True)
        ]
        parts.append({**_plain({**report.labels, **report.facts}), "rows": rows})
    notes = list(dict.fromkeys(note for report in reports for note in report.notes))
    content = {**(parts[0] if len(parts) == 1 else {"parts": parts}), "notes": notes}
    write = partial(json.dumps, indent=2, allow_nan=False)
    try:
        text = write(content, ensure_ascii=False)
    except ValueError:  # nan and infinity, which JSON does not have
        content = json.loads(json.dumps(content), parse_constant=lambda _: None)
        text = write(content, ensure_ascii=False)
    if re.search(
        "[\ud800-\udfff]", text
    ):  # halves of characters, which JSON can only escape
        text = write(content)
    return text + "\n"


WITHOUT_NOTES = frozenset(["csv"])  # formats that have no place for them
WRITERS = {
    "table": _of_tables(Table.to_text, "{}:\n"),
    "csv": _as_csv,
    "json": _as_json,
    "markdown": _of_tables(Table.to_markdown, "**{}**\n\n", for_papers=True),
    "latex": _of_tables(Table.to_latex, "% {}\n", for_papers=True),
    "html": _of_tables(Table.to_html, "<p>{}</p>\n"),
}
