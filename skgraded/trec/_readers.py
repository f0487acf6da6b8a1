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

from skgraded._support.column_names import SYNONYMS
from skgraded.trec._documents import ids_as_text
from skgraded.trec._record_tables import RecordColumns, has_columns, read_table
from skgraded.trec._records import Records, Request, read_lines
from skgraded.trec._sources import is_source, name_of_source, read_chunks

_START = 1 << 16  # bytes that are looked at
_COMMENTS = re.compile(
    rb"\s*(?:#.*(?:\n\s*|$))*"
)  # and blank lines, before the first data
_JSON = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
_DELIMITERS = "\t,;"
_TOLD_MEANINGS = {
    "query": "topic",
    "document": "document",
    "grade": "grade of qrels",
    "score": "score of a run",
    "rank": "rank instead of it",
}
_LONGEST_QUOTE = 60
_FEWEST_NAMES = 3
_COLUMNS_OF_QRELS = 4


def read_records(source: Any, request: Request) -> Records:
    """Read qrels or a run of any kind.

    Parameters
    ----------
    source : path, file object, table, mapping or iterable
        What the user holds.
    request : Request
        What is to be read.

    Returns
    -------
    Records
        The records in the order in which they came.
    """
    if not is_source(source):
        columns_of = _reader_of(source)
        return read_table(columns_of(source, request), request)

    file = _File.open(source)
    for is_of_kind, columns_of in FILE_READERS:
        if is_of_kind(file):
            return read_table(columns_of(file, request), request)
    return read_lines(file.chunks, file.name, request)


def _reader_of(source: Any) -> Callable[[Any, Request], RecordColumns]:
    """Return what gives the columns of something in memory."""
    for is_of_kind, columns_of in READERS:
        if is_of_kind(source):
            return columns_of
    raise TypeError(
        "Qrels and runs are read from a path, a file object, a dict of dicts or of lists, a table "
        f"such as a DataFrame, or an iterable of dicts, got {type(source).__name__}."
    )


# --- Tables in memory -------------------------------------------------------------------------


def _is_frame(source: Any) -> bool:
    """Whether something is a frame of pandas or polars, or a table of Arrow or Hugging Face."""
    names = getattr(source, "column_names", None)
    return hasattr(source, "columns") or (
        isinstance(names, list) and hasattr(source, "__getitem__")
    )


def _columns_of_frame(frame: Any, request: Request) -> RecordColumns:
    kind = f"{request.where}A {type(frame).__name__}"
    names = getattr(frame, "column_names", None)
    if names is None:
        return RecordColumns(kind, list(frame.columns), frame.__getitem__, request.row)

    def take(name: Any) -> list[Any]:
        if hasattr(frame, "column"):  # Arrow
            return list(frame.column(name).to_pylist())
        return list(frame[name])  # Hugging Face

    return RecordColumns(kind, names, take, request.row)


def _columns_of_dict(columns: Mapping[Any, Any], request: Request) -> RecordColumns:
    lengths = {
        name: len(values) if _is_list(values) else None
        for name, values in columns.items()
    }
    distinct_lengths = set(lengths.values())
    if len(distinct_lengths) > 1 or None in distinct_lengths:
        raise ValueError(
            f"{request.where}Columns must be lists with one entry per row, got lengths {lengths}."
        )

    kind = f"{request.where}A dict of columns"
    return RecordColumns(kind, list(columns), columns.__getitem__, request.row)


def _is_list(value: Any) -> bool:
    """Whether something is a list, a tuple or a one-dimensional array."""
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1


def _columns_of_records(
    records: Iterable[Any], request: Request, place: Callable[[int], str] | None = None
) -> RecordColumns:
    """Return the columns of dicts, of which the first has all names."""
    rows = list(records)
    place_of = place or request.row
    if not rows:
        raise ValueError(
            f"{request.where}Qrels and runs must hold a document, got no record."
        )
    if not isinstance(rows[0], Mapping):
        raise ValueError(
            f"{request.where}Records must be dicts, got {repr(rows[0])[:_LONGEST_QUOTE]}. A list "
            "of ids must stand below its topic, {topic: ids}. Of named tuples, "
            "pd.DataFrame(records) is a table."
        )

    def take(name: Any) -> list[Any]:
        for row, record in enumerate(rows):
            if not isinstance(record, Mapping) or name not in record:
                raise ValueError(
                    f"{place_of(row)}: a record must have {name!r}, got {record!r}."
                )
        return [record[name] for record in rows]

    return RecordColumns(f"{request.where}A record", list(rows[0]), take, place_of)


# --- Dicts by topic ---------------------------------------------------------------------------


def _columns_by_topic(nested: Mapping[Any, Any], request: Request) -> RecordColumns:
    """Return the columns of numbers by topic and document, or of lists of ids by topic."""
    where = request.where
    topics: list[str] = []
    ids: list[Any] = []
    numbers: list[Any] = []
    names = _topics(nested, where)
    for topic, entry in zip(names, nested.values(), strict=True):
        ids_of_topic, numbers_of_topic = _documents(
            entry, request.is_run, f"{where}topic {topic!r}"
        )
        topics += [topic] * len(ids_of_topic)
        ids += ids_of_topic
        numbers += numbers_of_topic

    def place(row: int) -> str:
        return f"{where}topic {topics[row]!r}, document {ids[row]!r}"

    columns = {"topic": topics, "document": ids, request.value: numbers}
    if request.is_run and all(map(_is_list, nested.values())):
        columns["rank"] = [-score for score in numbers]
    return RecordColumns(f"{where}A dict", list(columns), columns.__getitem__, place)


def _topics(nested: Mapping[Any, Any], where: str) -> list[str]:
    topics = ids_as_text("the topic", nested, lambda number: f"{where}key {number}")
    for topic, times in Counter(topics).items():
        if times > 1:
            raise ValueError(
                f"{where}Topics of a dict must have different names, got {topic!r} as text and as "
                "a number."
            )
    return topics


def _documents(entry: Any, is_run: bool, topic: str) -> tuple[list[Any], list[Any]]:
    """Return the ids of a topic's documents, and their grades or scores."""
    if isinstance(entry, Mapping):
        return list(entry), list(entry.values())

    ids = list(entry) if _is_list(entry) else [None]
    if all(isinstance(document, str) for document in ids):
        if is_run:
            ranks = range(1, len(ids) + 1)
            return ids, [-float(rank) for rank in ranks]
        return ids, [1.0] * len(ids)

    number = "grade"
    meaning_of_list = "relevant ids"
    if is_run:
        number = "score"
        meaning_of_list = "ids, best document first"
    raise ValueError(
        f"{topic}: the documents must be a dict of numbers or a list of {meaning_of_list}, which "
        f"are text, got {repr(entry)[:_LONGEST_QUOTE]}. Write {{document: {number}}}, such as "
        '{"d1": 2.0, "d2": 1.0}.'
    )


def is_one_run(source: Any) -> bool:
    """Whether something is a run, and not several of them."""
    if is_source(source):
        return True
    reader = _reader_of(source)
    if reader is _columns_by_topic:
        entries = (entry for entry in source.values() if not _is_empty(entry))
        return not _is_run(next(entries, {}))
    return reader is not _columns_of_records


def _is_empty(entry: Any) -> bool:
    has_length = isinstance(entry, Mapping) or _is_list(entry)
    return has_length and len(entry) == 0


def _is_run(entry: Any) -> bool:
    """Whether what stands in a dict is a run, and not the documents of a topic."""
    if isinstance(entry, Mapping):
        value = next(iter(entry.values()), None)
        return has_columns(entry) or _is_list(value) or isinstance(value, Mapping)
    if _is_list(entry):
        return is_record(entry[0])
    return not isinstance(entry, set | frozenset | int | float)


def is_record(value: Any) -> bool:
    """Whether something is a dict with the names of a topic and a document."""
    return isinstance(value, Mapping) and has_columns(value)


# What tells whether something is of a kind, and what gives its columns. The first that fits reads.
Kinds = tuple[
    tuple[Callable[[Any], bool], Callable[[Any, Request], RecordColumns]], ...
]

READERS: Kinds = (
    (_is_frame, _columns_of_frame),
    (is_record, _columns_of_dict),
    (lambda source: isinstance(source, Mapping), _columns_by_topic),
    (
        lambda source: hasattr(source, "to_dict"),  # qrels and runs of ranx
        lambda source, request: _columns_by_topic(source.to_dict(), request),
    ),
    (
        lambda source: isinstance(source, Iterable) and not isinstance(source, bytes),
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
            data = _COMMENTS.sub(b"", start[:_START], 1)
            line, end, _ = data.partition(b"\n")
            if end or len(start) >= _START:
                break

        return cls(
            name=name_of_source(source),
            start=start,
            first_line=_decoded(line).strip(),
            chunks=chain([start], chunks),
        )

    @property
    def delimiter(self) -> str:
        """What separates the names of known columns; empty where the first line is no header."""
        for delimiter in _DELIMITERS:
            words = self.first_line.split(delimiter)
            names = (word.strip().strip('"') for word in words)
            if len(words) > 1 and has_columns(names):
                return delimiter
        return ""

    @property
    def has_unknown_header(self) -> bool:
        """Whether the first line seems to name columns of which none are those of ids."""
        if any(map(_is_number, self.first_line.split())):
            return False
        return any(_is_header(self.first_line.split(mark)) for mark in _DELIMITERS)

    def text(self) -> str:
        return _decoded(b"".join(self.chunks))


def _is_header(words: list[str]) -> bool:
    """Whether words between delimiters are names, and not the columns of TREC's lines."""
    if len(words) < _FEWEST_NAMES or any(map(_is_number, words)):
        return False
    # Grades may be words, in lines with tabs.
    return len(words) != _COLUMNS_OF_QRELS or words[1].strip() not in ("Q0", "q0")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _is_json_lines(file: _File) -> bool:
    """Whether the first line is a record by itself."""
    import json

    try:
        return is_record(json.loads(file.first_line))
    except (ValueError, RecursionError):
        return False


def _columns_of_json(file: _File, request: Request) -> RecordColumns:
    if not _is_json_lines(file):
        content = _parsed(file.text(), file.name, 1)
        columns_of = _reader_of(content)
        return columns_of(content, request._replace(where=f"{file.name}: "))

    line_numbers = []
    records = []
    lines = file.text().split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            line_numbers.append(number)
            records.append(_parsed(line, file.name, number))

    def place(row: int) -> str:
        return f"{file.name}, line {line_numbers[row]}"

    return _columns_of_records(records, request, place)


def _parsed(text: str, name: str, line: int) -> Any:
    import json

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value_of = dict(pairs)
        if len(value_of) < len(pairs):
            times = Counter(key for key, _ in pairs)
            ((key, _),) = times.most_common(1)
            raise ValueError(f"an object must name {key!r} once, got it twice")
        return value_of

    try:
        return json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise ValueError(f"{place}: this is not JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
        raise ValueError(f"{name}: {error}.") from error


def _has_blanks_behind(file: _File) -> bool:
    """Whether a blank stands behind every delimiter of the header or of the line below it."""
    data = _COMMENTS.sub(b"", file.start[:_START], 1)
    first_lines = _decoded(data).splitlines()[:2]
    for line in first_lines:
        _, *cells = line.split(file.delimiter)
        if file.delimiter != "\t" and all(cell.startswith(" ") for cell in cells):
            return True
    return False


def _refuse_header(file: _File, _: Request) -> RecordColumns:
    raise ValueError(
        f"{file.name}, line 1: the first line must name columns that are known, got "
        f"{file.first_line[:_LONGEST_QUOTE]!r}. {_known_names()}"
    )


def _known_names() -> str:
    """Return the sentence on the names of columns."""
    names_of_meanings = [
        f"{', '.join(SYNONYMS[meaning])} for the {told}"
        for meaning, told in _TOLD_MEANINGS.items()
    ]
    return f"Known are {'; '.join(names_of_meanings)}; rename those of the file."


def _columns_of_csv(file: _File, request: Request) -> RecordColumns:
    """Return the columns of a text whose first line names them."""
    import csv  # here and not above, as json, because lines of trec_eval need neither

    rows: list[list[str]] = []
    line_numbers = []
    text = io.StringIO(file.text(), newline="")
    has_blanks = _has_blanks_behind(file)
    reader = csv.reader(text, delimiter=file.delimiter, skipinitialspace=has_blanks)
    try:
        for row in reader:
            is_blank = not any(map(str.strip, row))
            # Behind the header a row with several cells is none: queries may begin with "#".
            may_be_comment = not rows or len(row) == 1
            is_comment = may_be_comment and bool(row) and row[0].startswith("#")
            if not is_blank and not is_comment:
                rows.append([cell.strip() for cell in row] if has_blanks else row)
                line_numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{file.name}, line {reader.line_num}: {error}.") from error
    header, *body = rows

    def place(row: int) -> str:
        return f"{file.name}, line {line_numbers[row + 1]}"

    for number, row in enumerate(body):
        if len(row) != len(header):
            raise ValueError(
                f"{place(number)}: a line must have {len(header)} columns, as the first has, got "
                f"{len(row)}."
            )

    def take(name: str) -> list[str | None]:
        column = header.index(name)
        return [row[column] or None for row in body]

    return RecordColumns(f"{file.name}: a table", header, take, place)


def _columns_of_parquet(file: _File, request: Request) -> RecordColumns:
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

    def from_file(read_part: Callable[[Any], Any]) -> Any:
        try:
            return read_part(ParquetFile(content))
        except Exception as error:
            raise ValueError(
                f"{file.name}: this Parquet file is damaged: {error}"
            ) from error

    return RecordColumns(
        f"{file.name}: a table",
        from_file(lambda table: table.schema_arrow.names),
        lambda name: from_file(
            lambda table: table.read([name]).column(name).to_pylist()
        ),
        request._replace(where=f"{file.name}, ").row,
    )


# A file that is of none of these kinds holds TREC's lines.
FILE_READERS: Kinds = (
    (lambda file: file.start.startswith(b"PAR1"), _columns_of_parquet),
    (lambda file: _JSON.match(file.start.lstrip()) is not None, _columns_of_json),
    (lambda file: file.delimiter != "", _columns_of_csv),
    (lambda file: file.has_unknown_header, _refuse_header),
)
