"""The kinds of qrels and runs, and the reader of each: lines, tables with a header, dicts by topic.

A new kind is a row of `FILE_READERS` or `READERS`, above all rows that would also take it. New
names of columns are no kind: they are entries of `SYNONYMS` in `skgraded._support.columns`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from skgraded.trec._documents import ids_as_text
from skgraded.trec._records import Records, Wanted, read_lines
from skgraded.trec._sources import is_source, name_of_source, read_chunks
from skgraded.trec._tables import (
    Columns,
    columns_of_csv,
    columns_of_dict,
    columns_of_frame,
    columns_of_parquet,
    columns_of_records,
    has_columns,
    is_list,
    read_table,
)

_START = 1 << 16  # bytes that are looked at
_COMMENTS = re.compile(rb"\s*(?:#.*(?:\n\s*|$))*")  # and blank lines, before the first data
_JSON = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
_DELIMITERS = "\t,;"
_MANY_DIGITS = 640  # which Python takes, whatever its limit


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
        return read_table(columns_of(source, wanted), wanted)
    file = _File.open(source)
    for is_it, columns in FILE_READERS:
        if is_it(file):
            return read_table(columns(file, wanted), wanted)
    return read_lines(file.chunks, file.name, wanted)


def columns_of(given: Any, wanted: Wanted) -> Columns:
    """Return the columns of something in memory."""
    return next(columns for is_it, columns in READERS if is_it(given))(given, wanted)


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
        start, line, chunks = b"", b"", read_chunks(source)
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
            if len(words) > 1 and has_columns(word.strip().strip('"') for word in words):
                return delimiter
        return ""

    def text(self) -> str:
        return _decoded(b"".join(self.chunks))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


# --- JSON -------------------------------------------------------------------------------------


def _is_json_lines(file: _File) -> bool:
    """Whether the first line is a record by itself."""
    import json

    try:
        record = json.loads(file.first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and has_columns(record)


def _columns_of_json(file: _File, wanted: Wanted) -> Columns:
    if not _is_json_lines(file):
        content = _parsed(file.text(), file.name, 1)
        return columns_of(content, wanted._replace(where=f"{file.name}: "))
    lines = [
        (number, line) for number, line in enumerate(file.text().split("\n"), 1) if line.strip()
    ]
    records = [_parsed(line, file.name, number) for number, line in lines]
    return columns_of_records(records, wanted, lambda row: f"{file.name}, line {lines[row][0]}")


def _parsed(text: str, name: str, line: int) -> Any:
    import json

    def different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise ValueError(f"{name}: an object must name {again!r} once, got it twice.")
        return found

    def integer(digits: str) -> int | str:  # Python makes no integer of thousands of digits
        return int(digits) if len(digits) < _MANY_DIGITS else digits

    try:
        return json.loads(text, object_pairs_hook=different, parse_int=integer)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise ValueError(f"{place}: this is not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise ValueError(f"{name}: the objects stand too deep in each other.") from error


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
    if wanted.is_run and all(map(is_list, nested.values())):
        by_name["rank"] = [-score for score in values]
    return Columns(f"{where}A dict", list(by_name), by_name.__getitem__, place)


def _topics(nested: Mapping[Any, Any], where: str) -> list[str]:
    topics = ids_as_text("the topic", nested, lambda number: f"{where}key {number}")
    given_by: dict[str, Any] = {}
    for topic, given in zip(topics, nested, strict=True):
        if topic in given_by:
            raise ValueError(
                f"{where}Topics of a dict must have different names, got {given_by[topic]!r} "
                f"and {given!r}, which are both {topic!r}."
            )
        given_by[topic] = given
    return topics


def _documents(given: Any, is_run: bool, topic: str) -> tuple[list[Any], list[Any]]:
    """Return the ids of a topic's documents, and their grades or scores."""
    if isinstance(given, Mapping):
        return list(given), list(given.values())
    ids = list(given) if is_list(given) else [None]
    if all(isinstance(each, str) for each in ids):
        return ids, [-float(rank) if is_run else 1.0 for rank in range(1, len(ids) + 1)]
    what = "ids, best document first" if is_run else "relevant ids"
    raise ValueError(
        f"{topic}: the documents must be a dict of numbers or a list of {what}, which are text, "
        f"got {repr(given)[:60]}. {_way_of(given, is_run)}"
    )


def _way_of(given: Any, is_run: bool) -> str:
    """Return what to write instead of such documents of a topic."""
    if _is_frame(given):
        return "If these are several tables, pass one of them."
    number = "score" if is_run else "grade"
    first = next(iter(given), None) if isinstance(given, Iterable) else None
    way = '{"d1": 2.0, "d2": 1.0}'
    if isinstance(given, set | frozenset) and not is_run:
        way = "dict.fromkeys(documents, 1)"
    elif isinstance(first, Mapping):
        value = "score" if is_run else "relevance"
        way = f'{{each["doc_id"]: each["{value}"] for each in documents}}'
    elif isinstance(first, list | tuple):
        way = "dict(documents)"
    return f"Write {{document: {number}}}, such as {way}."


def is_one_run(given: Any) -> bool:
    """Whether something is a run, and not several of them."""
    if isinstance(given, Mapping):
        first: Any = next((each for each in given.values() if not _is_empty(each)), {})
        return has_columns(given) or not _is_whole(first)
    of_one = ("columns", "column_names", "read_all", "to_dict", "scoreddocs_iter")
    is_one = is_source(given) or not isinstance(given, Iterable)
    return is_one or any(hasattr(given, name) for name in of_one)


def _is_empty(each: Any) -> bool:
    return (isinstance(each, Mapping) or is_list(each)) and len(each) == 0


def _is_whole(each: Any) -> bool:
    """Whether what stands in a dict is a run, and not the documents of a topic."""
    if isinstance(each, Mapping):
        value = next(iter(each.values()), None)
        return has_columns(each) or is_list(value) or isinstance(value, Mapping)
    if is_list(each):
        return is_record(each[0])
    return not isinstance(each, set | frozenset | int | float)


def is_record(each: Any) -> bool:
    """Whether something is a dict or an object with a topic, a document and a number."""
    if isinstance(each, Mapping):
        return has_columns(each)
    is_file_or_table = is_source(each) or _is_frame(each)  # pandas has its columns as attributes
    return not is_file_or_table and (hasattr(each, "query_id") or hasattr(each, "qid"))


# --- The kinds --------------------------------------------------------------------------------


def _is_frame(given: Any) -> bool:
    """Whether something is a frame of pandas or polars, or a table of Arrow or Hugging Face."""
    names = getattr(given, "column_names", None)
    return hasattr(given, "columns") or (isinstance(names, list) and hasattr(given, "__getitem__"))


def _columns_of_data_set(given: Any, wanted: Wanted) -> Columns:
    return columns_of(given.scoreddocs_iter() if wanted.is_run else given.qrels_iter(), wanted)


def _refuse(given: Any, wanted: Wanted) -> Columns:
    if type(given).__name__ == "LazyFrame":
        raise TypeError("A LazyFrame must be collected first: pass frame.collect().")
    raise TypeError(
        "Qrels and runs are read from a path, a file object, a dict of dicts or of lists, a table "
        f"such as a DataFrame, or an iterable of records, got {type(given).__name__}."
    )


# What tells whether something is of a kind, and what gives its columns. The first that fits reads.
Kinds = tuple[tuple[Callable[[Any], bool], Callable[[Any, Wanted], Columns]], ...]

# A file that is of none of these kinds holds TREC's lines.
FILE_READERS: Kinds = (
    (
        lambda file: file.start.startswith(b"PAR1"),
        lambda file, _: columns_of_parquet(b"".join(file.chunks), file.name),
    ),
    (lambda file: _JSON.match(file.start.lstrip()) is not None, _columns_of_json),
    (
        lambda file: file.delimiter != "",
        lambda file, _: columns_of_csv(file.text(), file.delimiter, file.name),
    ),
)

READERS: Kinds = (
    (lambda given: type(given).__name__ == "LazyFrame", _refuse),
    (
        lambda given: hasattr(given, "qrels_iter") or hasattr(given, "scoreddocs_iter"),
        _columns_of_data_set,
    ),
    (
        lambda given: hasattr(given, "read_all"),  # a stream of Arrow batches
        lambda given, wanted: columns_of(given.read_all(), wanted),
    ),
    (_is_frame, columns_of_frame),
    (lambda given: isinstance(given, Mapping) and has_columns(given), columns_of_dict),
    (lambda given: isinstance(given, Mapping), _columns_by_topic),
    (
        lambda given: hasattr(given, "to_dict"),  # qrels and runs of ranx
        lambda given, wanted: _columns_by_topic(given.to_dict(), wanted),
    ),
    (
        lambda given: isinstance(given, Iterable) and not isinstance(given, bytes),
        columns_of_records,
    ),
    (lambda given: True, _refuse),
)
