"""What results are made of: fields, tables of them, reports for writers, and their base classes.

A result states each of its values once, as a `Field`: its name for programs, and its heading and
form for people. Tables, frames and all formats follow from the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_missing
from skgraded._support.lazy import import_pandas
from skgraded._support.text import WIDTH, visible
from skgraded._support.writers import (
    WRITERS,
    in_plain_types,
    rows_by_name,
    table_as_html,
    table_as_text,
)

if TYPE_CHECKING:
    import pandas as pd

_WIDEST_LABEL = 30


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
        if not self.best:
            return None

        goodness = self.best * np.asarray(self.values, dtype=float)
        is_number = ~np.isnan(goodness)
        distinct = np.unique(goodness[is_number])
        if len(distinct) <= 1:
            return None
        return int(np.nanargmax(goodness))


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
            field._replace(values=field.values[:n_rows], marks=field.marks[:n_rows])
            for field in self.fields
        ]
        return self._replace(fields=fields)

    @property
    def rows(self) -> list[list[str]]:
        """The lines of cells: first the headings."""
        names = []
        columns = []
        for field in self.fields:
            names.append(field.name)
            columns.append(in_plain_types(field.values))
        rows = rows_by_name(names, columns)

        columns_of_cells = []
        for field, values in zip(self.fields, columns, strict=True):
            if field.heading is None:
                continue
            write = field.form
            if isinstance(write, str):
                write = write.format

            cells = [field.heading]
            for value, row in zip(values, rows, strict=True):
                cells.append(write(value, **row))
            columns_of_cells.append(map(visible, cells))
        return list(map(list, zip(*columns_of_cells, strict=True)))

    @property
    def sentences(self) -> list[str]:
        """The sentences below the table."""
        return [visible(note) for note in self.notes if note]

    def to_text(self, width: int = WIDTH) -> str:
        """Draw it with characters; columns that are beyond the width go into blocks below."""
        return table_as_text(self, width)


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


class Result:
    """Base class of the results that are printed: fields for programs, tables of them for people.

    A class states its values in `_fields`. It has a table of these fields with its `_sentences`
    below, unless it makes others. It has a method for each format of `WRITERS`.
    """

    _widest_label: ClassVar[int] = _WIDEST_LABEL
    _rows_shown: ClassVar[int | None] = None  # when Python or a notebook prints it

    def _fields(self) -> list[Field]:
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        """Return the notes below the table."""
        raise NotImplementedError

    def _table(self) -> Table:
        sentences = self._sentences()
        return Table(self._fields(), sentences, widest_label=self._widest_label)

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return [self._table().first(n_rows)]

    def _columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        return {field.name: field.values for field in self._fields()}

    def _facts(self) -> dict[str, Any]:
        """Return what JSON holds beside the rows: names, numbers of queries, options."""
        facts = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name != "notes" and _is_fact(value):
                facts[field.name] = value
        return facts

    def _report(self) -> Report:
        notes: Sequence[str] = getattr(self, "notes", ())
        return Report(
            tables=self._tables(),
            columns=self._columns(),
            facts=self._facts(),
            notes=notes,
        )

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
        pandas = import_pandas(".to_dict()")
        frame: pd.DataFrame = pandas.DataFrame(self._columns())
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of `to_frame` by name, in plain types as for JSON.

        Returns
        -------
        dict of str to list
            The columns.
        """
        columns: dict[str, Any] = in_plain_types(self._columns())
        return columns

    if TYPE_CHECKING:  # `_method_of` makes them, and those of formats that are new

        def to_table(self) -> str: ...
        def to_csv(self) -> str: ...
        def to_json(self) -> str: ...
        def to_markdown(self) -> str: ...
        def to_latex(self) -> str: ...
        def to_html(self) -> str: ...

    def __repr__(self) -> str:
        return "\n\n".join(map(table_as_text, self._tables(self._rows_shown)))

    def _repr_html_(self) -> str:
        return "\n".join(map(table_as_html, self._tables(self._rows_shown)))


def _method_of(name: str) -> Callable[[Result], str]:
    """Make the method of a format, with the docstring of its writer."""
    write = WRITERS[name]

    def method(self: Result) -> str:
        return write([self._report()])

    method.__name__ = f"to_{name}"
    method.__qualname__ = f"Result.to_{name}"
    method.__doc__ = write.__doc__
    return method


for _name in WRITERS:
    setattr(Result, f"to_{_name}", _method_of(_name))


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
        texts = [table.to_text(width) for table in self._tables(n_rows)]
        return "\n\n".join(texts)


def _is_fact(value: Any) -> bool:
    """Whether a value is plain or a tuple of such, or a mapping to these: names, options."""
    if isinstance(value, Mapping):
        return all(map(_is_fact, value.values()))
    entries = [value]
    if isinstance(value, tuple):
        entries = list(value)
    return all(isinstance(entry, str | int | float) for entry in entries)
