"""The kinds of qrels and runs, and the reader of each: lines, tables with a header, dicts by topic.

A new kind is a row of `FILE_READERS` or `READERS`, above all rows that would also take it. New
names of columns are no kind: they are entries of `SYNONYMS` in `skgraded._support.column_names`.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from skgraded.trec._documents import ids_as_text
from skgraded.trec._record_tables import Columns, has_columns, read_table
from skgraded.trec._records import Records, Wanted, read_lines
from skgraded.trec._sources import is_source, name_of_source, read_chunks

_START = 1 << 16  # bytes that are looked at
_COMMENTS = re.compile(
    rb"\s*(?:#.*(?:\n\s*|$))*"
)  # and blank lines, before the first data
_JSON = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
_DELIMITERS = "\t,;"
_LONGEST_QUOTE = 60


def read_records(source: Any, wanted: Wanted) -> Records:
    """Read qrels or a run of any kind.

    Parameters
    ----------
    source : path, file object, table, mapping or iterable
        What the user holds.
    wanted : Wanted
        What is to be read.

    Returns
    -------
    Records
        The records in the order in which they came.
    """
    if not is_source(source):
        return read_table(_reader_of(source)(source, wanted), wanted)
    file = _File.open(source)
    for is_it, columns in FILE_READERS:
        if is_it(file):
            return read_table(columns(file, wanted), wanted)
    return read_lines(file.chunks, file.name, wanted)


def _reader_of(given: Any) -> Callable[[Any, Wanted], Columns]:
    """Return what gives the columns of something in memory."""
    for is_it, columns in READERS:
        if is_it(given):
            return columns
    raise TypeError(
        "Qrels and runs are read from a path, a file object, a dict of dicts or of lists, a table "
        f"such as a DataFrame, or an iterable of dicts, got {type(given).__name__}."
    )


# --- Tables in memory -------------------------------------------------------------------------


def _is_frame(given: Any) -> bool:
    """Whether something is a frame of pandas or polars, or a table of Arrow or Hugging Face."""
    names = getattr(given, "column_names", None)
    return hasattr(given, "columns") or (
        isinstance(names, list) and hasattr(given, "__getitem__")
    )


def _columns_of_frame(frame: Any, wanted: Wanted) -> Columns:
    kind = f"{wanted.where}A {type(frame).__name__}"
    names = getattr(frame, "column_names", None)
    if names is None:
        return Columns(kind, list(frame.columns), frame.__getitem__, wanted.row)
    if hasattr(frame, "column"):  # Arrow
        return Columns(
            kind, names, lambda name: frame.column(name).to_pylist(), wanted.row
        )
    return Columns(
        kind, names, lambda name: list(frame[name]), wanted.row
    )  # Hugging Face


def _columns_of_dict(columns: Mapping[Any, Any], wanted: Wanted) -> Columns:
    lengths = {
        name: len(each) if _is_list(each) else None for name, each in columns.items()
    }
    if len(set(lengths.values())) > 1 or None in lengths.values():
        raise ValueError(
            f"{wanted.where}Columns must be lists with one entry per row, got lengths {lengths}."
        )
    kind = f"{wanted.where}A dict of columns"
    return Columns(kind, list(columns), columns.__getitem__, wanted.row)


def _is_list(each: Any) -> bool:
    """Whether something is a list, a tuple or a one-dimensional array."""
    return isinstance(each, list | tuple) or getattr(each, "ndim", 0) == 1


def _columns_of_records(
    records: Iterable[Any], wanted: Wanted, place: Callable[[int], str] | None = None
) -> Columns:
    """Return the columns of dicts, of which the first has all names."""
    rows = list(records)
    place_of = place or wanted.row
    if not rows:
        raise ValueError(
            f"{wanted.where}Qrels and runs must hold a document, got no record."
        )
    if not isinstance(rows[0], Mapping):
        raise ValueError(
            f"{wanted.where}Records must be dicts, got {repr(rows[0])[:_LONGEST_QUOTE]}. A list of "
            "ids must stand below its topic, {topic: ids}. Of named tuples, pd.DataFrame(records) "
            "is a table."
        )

    def take(name: Any) -> list[Any]:
        for row, each in enumerate(rows):
            if not isinstance(each, Mapping) or name not in each:
                raise ValueError(
                    f"{place_of(row)}: a record must have {name!r}, got {each!r}."
                )
        return [each[name] for each in rows]

    return Columns(f"{wanted.where}A record", list(rows[0]), take, place_of)


# --- Dicts by topic ---------------------------------------------------------------------------


def _columns_by_topic(nested: Mapping[Any, Any], wanted: Wanted) -> Columns:
    """Return the columns of numbers by topic and document, or of lists of ids by topic."""
    where = wanted.where
    topics: list[str] = []
    ids: list[Any] = []
    values: list[Any] = []
    for topic, given in zip(_topics(nested, where), nested.values(), strict=True):
        documents, numbers = _documents(given, wanted.is_run, f"{where}topic {topic!r}")
        topics += [topic] * len(documents)
        ids += documents
        values += numbers

    def place(row: int) -> str:
        return f"{where}topic {topics[row]!r}, document {ids[row]!r}"

    by_name = {"topic": topics, "document": ids, wanted.value: values}
    if wanted.is_run and all(map(_is_list, nested.values())):
        by_name["rank"] = [-score for score in values]
    return Columns(f"{where}A dict", list(by_name), by_name.__getitem__, place)


def _topics(nested: Mapping[Any, Any], where: str) -> list[str]:
    topics = ids_as_text("the topic", nested, lambda number: f"{where}key {number}")
    for topic, times in Counter(topics).items():
        if times > 1:
            raise ValueError(
                f"{where}Topics of a dict must have different names, got {topic!r} as text and as "
                "a number."
            )
    return topics


def _documents(given: Any, is_run: bool, topic: str) -> tuple[list[Any], list[Any]]:
    """Return the ids of a topic's documents, and their grades or scores."""
    if isinstance(given, Mapping):
        return list(given), list(given.values())
    ids = list(given) if _is_list(given) else [None]
    if all(isinstance(each, str) for each in ids):
        return ids, [-float(rank) if is_run else 1.0 for rank in range(1, len(ids) + 1)]
    number, what = (
        ("score", "ids, best document first") if is_run else ("grade", "relevant ids")
    )
    raise ValueError(
        f"{topic}: the documents must be a dict of numbers or a list of {what}, which are text, "
        f"got {repr(given)[:_LONGEST_QUOTE]}. Write {{document: {number}}}, such as "
        '{"d1": 2.0, "d2": 1.0}.'
    )


def is_one_run(given: Any) -> bool:
    """Whether something is a run, and not several of them."""
    if is_source(given):
        return True
    reader = _reader_of(given)
    if reader is _columns_by_topic:
        return not _is_run(
            next((each for each in given.values() if not _is_empty(each)), {})
        )
    return reader is not _columns_of_records


def _is_empty(each: Any) -> bool:
    return (isinstance(each, Mapping) or _is_list(each)) and len(each) == 0


def _is_run(each: Any) -> bool:
    """Whether what stands in a dict is a run, and not the documents of a topic."""
    if isinstance(each, Mapping):
        value = next(iter(each.values()), None)
        return has_columns(each) or _is_list(value) or isinstance(value, Mapping)
    if _is_list(each):
        return is_record(each[0])
    return not isinstance(each, set | frozenset | int | float)


def is_record(each: Any) -> bool:
    """Whether something is a dict with the names of a topic and a document."""
    return isinstance(each, Mapping) and has_columns(each)


# What tells whether something is of a kind, and what gives its columns. The first that fits reads.
Kinds = tuple[tuple[Callable[[Any], bool], Callable[[Any, Wanted], Columns]], ...]

READERS: Kinds = (
    (_is_frame, _columns_of_frame),
    (is_record, _columns_of_dict),
    (lambda given: isinstance(given, Mapping), _columns_by_topic),
    (
        lambda given: hasattr(given, "to_dict"),  # qrels and runs of ranx
        lambda given, wanted: _columns_by_topic(given.to_dict(), wanted),
    ),
    (
        lambda given: isinstance(given, Iterable) and not isinstance(given, bytes),
        _columns_of_records,
    ),
)


# --- Files ------------------------------------------------------------------------------------


class _File(NamedTuple):
    """A file whose first bytes are read.

    Attributes
    ----------
    name : str
        Its path or name, for messages.
    start : bytes
        The first bytes, decompressed and without a mark of UTF-8. A file that begins with a mark of
        UTF-16 has been refused.
    first_line : str
        The first line that is neither blank nor a comment.
    chunks : iterator of bytes
        All bytes, those of ``start`` among them; they can be taken once.
    """

    name: str
    start: bytes
    first_line: str
    chunks: Iterator[bytes]

    @classmethod
    def open(cls, source: Any) -> _File:
        """Read the first chunks, with the whole of the first line of data if it comes early."""
        start = b""
        line = b""
        chunks = read_chunks(source)
        for chunk in chunks:
            start += chunk
            line, end, _ = _COMMENTS.sub(b"", start[:_START], 1).partition(b"\n")
            if end or len(start) >= _START:
                break
        name = name_of_source(source)
        return cls(name, start, _decoded(line).strip(), chain([start], chunks))

    @property
    def delimiter(self) -> str:
        """What separates the names of known columns; empty where the first line is no header."""
        for delimiter in _DELIMITERS:
            words = self.first_line.split(delimiter)
            if len(words) > 1 and has_columns(
                word.strip().strip('"') for word in words
            ):
                return delimiter
        return ""

    def text(self) -> str:
        return _decoded(b"".join(self.chunks))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _is_json_lines(file: _File) -> bool:
    """Whether the first line is a record by itself."""
    import json

    try:
        return is_record(json.loads(file.first_line))
    except (ValueError, RecursionError):
        return False


def _columns_of_json(file: _File, wanted: Wanted) -> Columns:
    if not _is_json_lines(file):
        content = _parsed(file.text(), file.name, 1)
        return _reader_of(content)(content, wanted._replace(where=f"{file.name}: "))
    lines = [
        (number, line)
        for number, line in enumerate(file.text().split("\n"), 1)
        if line.strip()
    ]
    records = [_parsed(line, file.name, number) for number, line in lines]
    return _columns_of_records(
        records, wanted, lambda row: f"{file.name}, line {lines[row][0]}"
    )


def _parsed(text: str, name: str, line: int) -> Any:
    import json

    def different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise ValueError(f"an object must name {again!r} once, got it twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=different)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise ValueError(f"{place}: this is not JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
        raise ValueError(f"{name}: {error}.") from error


def _columns_of_csv(file: _File, wanted: Wanted) -> Columns:
    """Return the columns of a text whose first line names them."""
    import csv  # here and not above, as json, because lines of trec_eval need neither

    rows = []
    numbers = []
    reader = csv.reader(io.StringIO(file.text(), newline=""), delimiter=file.delimiter)
    try:
        for row in reader:
            if any(map(str.strip, row)) and not row[0].startswith("#"):
                rows.append(row)
                numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{file.name}, line {reader.line_num}: {error}.") from error
    header, *body = rows

    def place(row: int) -> str:
        return f"{file.name}, line {numbers[row + 1]}"

    for number, row in enumerate(body):
        if len(row) != len(header):
            raise ValueError(
                f"{place(number)}: a line must have {len(header)} columns, as the first has, got "
                f"{len(row)}."
            )

    def take(name: str) -> list[str | None]:
        column = header.index(name)
        return [row[column] or None for row in body]

    return Columns(f"{file.name}: a table", header, take, place)


def _columns_of_parquet(file: _File, wanted: Wanted) -> Columns:
    """Return the columns of a Parquet file.

    Other columns stay in the file: they may hold all texts of a collection.
    """
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError(
            f"{file.name}: Parquet needs pyarrow: pip install pyarrow."
        ) from error
    content = io.BytesIO(b"".join(file.chunks))

    def of_file(read: Callable[[Any], Any]) -> Any:
        try:
            return read(ParquetFile(content))
        except Exception as error:
            raise ValueError(
                f"{file.name}: this Parquet file is damaged: {error}"
            ) from error

    return Columns(
        f"{file.name}: a table",
        of_file(lambda table: table.schema_arrow.names),
        lambda name: of_file(lambda table: table.read([name]).column(name).to_pylist()),
        wanted._replace(where=f"{file.name}, ").row,
    )


# A file that is of none of these kinds holds TREC's lines.
FILE_READERS: Kinds = (
    (lambda file: file.start.startswith(b"PAR1"), _columns_of_parquet),
    (lambda file: _JSON.match(file.start.lstrip()) is not None, _columns_of_json),
    (lambda file: file.delimiter != "", _columns_of_csv),
)
