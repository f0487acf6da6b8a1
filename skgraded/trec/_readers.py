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

import numpy as np

from skgraded.trec._documents import Documents
from skgraded.trec._records import Records, Spans, Wanted, finite_numbers, read_lines
from skgraded.trec._sources import is_source, name_of_source, read_chunks
from skgraded.trec._tables import (
    Columns,
    columns_of_csv,
    columns_of_dict,
    columns_of_frame,
    columns_of_parquet,
    columns_of_records,
    has_columns,
    ids_at,
    is_list,
    read_table,
)

_START = 1 << 16  # bytes that are looked at
_JSON = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
_DELIMITERS = "\t,;"


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
    kinds: Kinds = READERS
    if is_source(source):
        source, kinds = _File.open(source), FILE_READERS
    return next(read for is_it, read in kinds if is_it(source))(source, wanted)


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
            line, end, _ = _after_comments(start).partition(b"\n")
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


def _after_comments(start: bytes) -> bytes:
    """Return what follows the blank lines and comments of the first bytes."""
    rest = start[:_START].lstrip()
    while rest.startswith(b"#"):
        rest = rest.partition(b"\n")[2].lstrip()
    return rest


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


def _read_json_lines(file: _File, wanted: Wanted) -> Records:
    lines = [
        (number, line) for number, line in enumerate(file.text().split("\n"), 1) if line.strip()
    ]

    def place(row: int) -> str:
        return f"{file.name}, line {lines[row][0]}"

    rows = [_parsed(line, file.name, number) for number, line in lines]
    return read_table(columns_of_records(rows, wanted, place), wanted)


def _read_json(file: _File, wanted: Wanted) -> Records:
    if _is_json_lines(file):
        return _read_json_lines(file, wanted)
    content = _parsed(file.text(), file.name, 1)
    return read_records(content, wanted._replace(where=f"{file.name}: "))


def _parsed(text: str, name: str, line: int) -> Any:
    import json

    def different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise ValueError(f"an object must name {again!r} once, got it twice.")
        return found

    try:
        return json.loads(text, object_pairs_hook=different)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise ValueError(f"{place}: this is not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise ValueError(f"{name}: the objects stand too deep in each other.") from error
    except ValueError as error:  # also of Python, for an integer of thousands of digits
        raise ValueError(f"{name}: {error}") from error


# --- Dicts by topic ---------------------------------------------------------------------------


def _read_by_topic(nested: Mapping[Any, Any], wanted: Wanted) -> Records:
    """Read numbers by topic and document, or by topic a list of ids, best document first."""
    where = wanted.where
    topics = _topics(nested, where)
    ids: list[Any] = []
    values: list[Any] = []
    lengths = []
    _refuse_several_tables(nested, where)
    for topic, given in zip(topics, nested.values(), strict=True):
        documents, of_documents = _documents(given, wanted.is_run, f"{where}topic {topic!r}")
        ids += documents
        values += of_documents
        lengths.append(len(documents))
    if not ids:
        raise ValueError(f"{where}Qrels and runs must hold at least one document, got none.")
    topic_of = np.repeat(np.arange(len(topics)), lengths)

    def place(record: int) -> str:
        return f"{where}topic {topics[topic_of[record]]!r}, document {ids[record]!r}"

    name = "score" if wanted.is_run else "relevance"
    numbers = finite_numbers(name, values, wanted, place)
    are_ranked = wanted.is_run and all(map(is_list, nested.values()))
    return Records(
        topics=[topic for topic, length in zip(topics, lengths, strict=True) if length],
        spans=Spans.of_column(np.unique(topic_of, return_inverse=True)[1]),
        documents=Documents.from_ids(ids_at("the document", ids, place)),
        values=numbers,
        ranks=(-numbers).astype(np.int32) if are_ranked else None,
        place=place,
        words=wanted.grades,
    )


def _refuse_several_tables(nested: Mapping[Any, Any], where: str) -> None:
    """Refuse the splits of a data set, of which one is meant."""
    tables = [name for name, each in nested.items() if _is_frame(each)]
    if tables:
        raise ValueError(
            f"{where}Qrels and runs must be one table, got a dict of {len(tables)} of them: "
            f"{', '.join(map(repr, tables))}. Pass one, such as data[{tables[0]!r}]."
        )


def _topics(nested: Mapping[Any, Any], where: str) -> list[str]:
    topics = ids_at("the topic", nested, lambda number: f"{where}key {number}")
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
    what, number = ("ids, best document first", "score") if is_run else ("relevant ids", "grade")
    raise ValueError(
        f"{topic}: the documents must be a dict of numbers or a list of {what}, which are text, "
        f"got {repr(given)[:60]}. Write {{document: {number}}}, such as {_way_of(given, is_run)}."
    )


def _way_of(given: Any, is_run: bool) -> str:
    """Return what makes a dict of the documents of a topic."""
    if isinstance(given, set | frozenset) and not is_run:
        return "dict.fromkeys(documents, 1)"
    first = next(iter(given), None) if isinstance(given, Iterable) else None
    if isinstance(first, Mapping):
        value = "score" if is_run else "relevance"
        return f'{{each["doc_id"]: each["{value}"] for each in documents}}'
    if isinstance(first, list | tuple):
        return "dict(documents)"
    return '{"d1": 2.0, "d2": 1.0}'


def is_by_topic(given: Any) -> bool:
    """Whether something is a mapping by topic, and neither a table nor runs by their names.

    The first value that is not empty holds documents, not whole runs.
    """
    if not isinstance(given, Mapping):
        return False
    first: Any = next((each for each in given.values() if not _is_empty(each)), {})
    if isinstance(first, Mapping):
        value = next(iter(first.values()), None)
        return not has_columns(first) and not (is_list(value) or isinstance(value, Mapping))
    if is_list(first):
        return not is_record(first[0])
    return isinstance(first, set | frozenset | int | float)


def _is_empty(each: Any) -> bool:
    return (isinstance(each, Mapping) or is_list(each)) and len(each) == 0


def is_record(each: Any) -> bool:
    """Whether something is a dict or an object with a topic, a document and a number."""
    if isinstance(each, Mapping):
        return has_columns(each)
    is_whole = is_source(each) or _is_frame(each)  # pandas has its columns as attributes
    return not is_whole and (hasattr(each, "query_id") or hasattr(each, "qid"))


def is_one_run(given: Any) -> bool:
    """Whether something is a run, and not several of them."""
    if is_by_topic(given) or is_source(given) or not isinstance(given, Iterable):
        return True
    if isinstance(given, Mapping) and has_columns(given):
        return True
    of_one = ("columns", "column_names", "read_all", "to_dict", "scoreddocs_iter")
    return any(hasattr(given, name) for name in of_one)


# --- The kinds --------------------------------------------------------------------------------

Reader = Callable[[Any, Wanted], Records]


def _table(columns_of: Callable[[Any, Wanted], Columns]) -> Reader:
    return lambda given, wanted: read_table(columns_of(given, wanted), wanted)


def _is_frame(given: Any) -> bool:
    """Whether something is a frame of pandas or polars, or a table of Arrow or Hugging Face."""
    names = getattr(given, "column_names", None)
    return hasattr(given, "columns") or (isinstance(names, list) and hasattr(given, "__getitem__"))


def _read_data_set(given: Any, wanted: Wanted) -> Records:
    return read_records(given.scoreddocs_iter() if wanted.is_run else given.qrels_iter(), wanted)


def _refuse(given: Any, wanted: Wanted) -> Records:
    if type(given).__name__ == "LazyFrame":
        raise TypeError("A LazyFrame must be collected first: pass frame.collect().")
    raise TypeError(
        "Qrels and runs are read from a path, a file object, a dict of dicts or of lists, a table "
        f"such as a DataFrame, or an iterable of records, got {type(given).__name__}."
    )


# What tells whether something is of a kind, and the reader of the kind. The first that fits reads.
Kinds = tuple[tuple[Callable[[Any], bool], Reader], ...]

FILE_READERS: Kinds = (
    (
        lambda file: file.start.startswith(b"PAR1"),
        _table(lambda file, _: columns_of_parquet(b"".join(file.chunks), file.name)),
    ),
    (lambda file: _JSON.match(file.start.lstrip()) is not None, _read_json),
    (
        lambda file: file.delimiter != "",
        _table(lambda file, _: columns_of_csv(file.text(), file.delimiter, file.name)),
    ),
    (
        lambda file: True,
        lambda file, wanted: read_lines(file.chunks, file.name, wanted),
    ),
)

READERS: Kinds = (
    (lambda given: type(given).__name__ == "LazyFrame", _refuse),
    (
        lambda given: hasattr(given, "qrels_iter") or hasattr(given, "scoreddocs_iter"),
        _read_data_set,
    ),
    (
        lambda given: hasattr(given, "read_all"),  # a stream of Arrow batches
        lambda given, wanted: read_records(given.read_all(), wanted),
    ),
    (_is_frame, _table(columns_of_frame)),
    (
        lambda given: isinstance(given, Mapping) and has_columns(given),
        _table(columns_of_dict),
    ),
    (lambda given: isinstance(given, Mapping), _read_by_topic),
    (
        lambda given: hasattr(given, "to_dict"),  # qrels and runs of ranx
        lambda given, wanted: _read_by_topic(given.to_dict(), wanted),
    ),
    (
        lambda given: isinstance(given, Iterable) and not isinstance(given, bytes),
        _table(columns_of_records),
    ),
    (lambda given: True, _refuse),
)
