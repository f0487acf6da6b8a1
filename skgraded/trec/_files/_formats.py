"""Files of qrels and runs, whose form is told by their first bytes and first line."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from skgraded.trec._files._columns import Columns, has_columns_of, records_of_columns
from skgraded.trec._files._objects import read_object
from skgraded.trec._files._records import LAYOUT, N_COLUMNS, Records, read_records
from skgraded.trec._files._sources import name_of_source, read_chunks

_START = 1 << 16  # bytes that are looked at
_PARQUET = b"PAR1"
_JSON = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
_GRADE_OF_NTCIR = re.compile(r"L(\d{1,9})")
_DELIMITERS = "\t,;"
_THREE = 3
_LONGEST_QUOTE = 60
_HEADER = "such as query_id,doc_id,relevance for qrels and query_id,doc_id,score for a run"


def read_file(
    source: Any, *, is_run: bool, with_ranks: bool = True, labels: Sequence[str] | None = None
) -> Records:
    """Read a file of any form: TREC or NTCIR lines, a table with a header, JSON, Parquet.

    Parameters
    ----------
    source : path or file object
        The file, which may be compressed.
    is_run : bool
        Whether a run is read.
    with_ranks : bool, default=True
        Whether the rank column of TREC's lines is needed.
    labels : sequence of str, optional
        Words of the grade column, lowest first.

    Returns
    -------
    Records
        The records.
    """
    name, chunks = name_of_source(source), read_chunks(source)
    start = _start_of(chunks)
    chunks = chain([start], chunks)
    if start.startswith(_PARQUET):
        columns = _columns_of_parquet(b"".join(chunks), name)
        return records_of_columns(columns, is_run, labels)
    if _JSON.match(start.lstrip()):
        return _read_json(_text(chunks), is_run, labels, name)
    line = _first_line(start)
    delimiter = _delimiter_of_header(line)
    if delimiter:
        columns = _columns_of_csv(_text(chunks), delimiter, name)
        return records_of_columns(columns, is_run, labels)
    words = line.split()
    if not is_run and len(words) == _THREE and _GRADE_OF_NTCIR.fullmatch(words[-1]):
        return records_of_columns(_columns_of_ntcir(_text(chunks), name), is_run)
    _refuse_without_header(start, line, is_run, name)
    if labels is not None:
        return records_of_columns(_columns_of_words(_text(chunks), name), is_run, labels)
    return read_records(chunks, name, is_run=is_run, with_ranks=with_ranks)


def _start_of(chunks: Iterator[bytes]) -> bytes:
    """Return the first chunks, with the whole of the first line of data if it comes early."""
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= _START or b"\n" in _after_comments(start):
            break
    return start


def _after_comments(start: bytes) -> bytes:
    """Return what follows the blank lines and comments of the first bytes."""
    rest = start[:_START].lstrip()
    while rest.startswith(b"#"):
        rest = rest.partition(b"\n")[2].lstrip()
    return rest


def _first_line(start: bytes) -> str:
    return _decoded(_after_comments(start).partition(b"\n")[0]).strip()


def _text(chunks: Iterator[bytes]) -> str:
    return _decoded(b"".join(chunks))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _delimiter_of_header(line: str) -> str:
    """Return what separates the names of known columns; nothing where the line is no header."""
    for delimiter in _DELIMITERS:
        words = line.split(delimiter)
        if len(words) > 1 and has_columns_of(word.strip().strip('"') for word in words):
            return delimiter
    return ""


def _refuse_without_header(start: bytes, line: str, is_run: bool, name: str) -> None:
    """Refuse lines whose columns could be read in two ways."""
    n_words, shown = len(line.split()), repr(line[:_LONGEST_QUOTE])
    if n_words == N_COLUMNS[is_run]:
        return
    n_skipped = start[: min(len(start), _START) - len(_after_comments(start))].count(b"\n")
    place = f"{name}, line {n_skipped + 1}"
    if n_words == _THREE:
        third = "a score or, as in MS MARCO, a rank" if is_run else "a grade or an iteration"
        raise ValueError(
            f"{place}: a line has {LAYOUT[is_run]}, got 3, of which the third may be {third}: "
            f"{shown}. A first line with the names of the columns tells, {_HEADER}."
        )
    is_separated = any(delimiter in line for delimiter in _DELIMITERS[1:]) and "\0" not in line
    if is_separated and n_words < N_COLUMNS[is_run] and n_words != N_COLUMNS[not is_run]:
        raise ValueError(
            f"{place}: the first line of a table must name the columns, {_HEADER}, got {shown}."
        )


def _columns_of_csv(text: str, delimiter: str, name: str) -> Columns:
    import csv  # here and not above, as json, because lines of trec_eval need neither

    rows, numbers = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if any(map(str.strip, row)) and not row[0].startswith("#"):
                rows.append(row)
                numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}.") from error
    header, *body = rows

    def place(row: int) -> str:
        return f"{name}, line {numbers[row + 1]}"

    for number, row in enumerate(body):
        if len(row) != len(header):
            raise ValueError(
                f"{place(number)}: a line must have {len(header)} columns, as the first has, got "
                f"{len(row)}."
            )
    by_name = dict(zip(header, zip(*body, strict=True), strict=True)) if body else {}

    def take(column: str) -> list[str | None]:
        return [word or None for word in by_name.get(column, ())]

    return Columns(f"{name}: a table", header, take, place, are_text=True)


def _columns_of_ntcir(text: str, name: str) -> Columns:
    """Return the columns of lines ``topic document L2``."""
    lines, place = _lines(text, name, _THREE, "'topic document L2'")
    grades = []
    for number, (_, _, word) in enumerate(lines):
        found = _GRADE_OF_NTCIR.fullmatch(word)
        if found is None:
            raise ValueError(f"{place(number)}: the grade must be L0, L1 or so, got {word!r}.")
        grades.append(int(found.group(1)))
    topics, documents, _ = zip(*lines, strict=True)
    columns = {"topic": topics, "document": documents, "grade": grades}
    return Columns("A file", list(columns), columns.__getitem__, place)


def _columns_of_words(text: str, name: str) -> Columns:
    """Return the columns of lines ``topic iteration document grade`` whose grades are words."""
    lines, place = _lines(text, name, N_COLUMNS[False], "'topic iteration document grade'")
    topics, _, documents, grades = zip(*lines, strict=True)
    columns = {"topic": topics, "document": documents, "grade": grades}
    return Columns("A file", list(columns), columns.__getitem__, place)


def _lines(
    text: str, name: str, n_columns: int, layout: str
) -> tuple[list[list[str]], Callable[[int], str]]:
    """Return the words of all lines but comments, and the function that tells their places."""
    lines, numbers = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        if not words or line.lstrip().startswith("#"):
            continue
        if len(words) != n_columns:
            raise ValueError(
                f"{name}, line {number}: a line has {n_columns} columns, {layout}, got "
                f"{len(words)}: {line[:_LONGEST_QUOTE]!r}."
            )
        lines.append(words)
        numbers.append(number)
    return lines, lambda row: f"{name}, line {numbers[row]}"


def _read_json(text: str, is_run: bool, labels: Sequence[str] | None, name: str) -> Records:
    lines = [
        (number, line) for number, line in enumerate(text.split("\n"), 1) if not _is_blank(line)
    ]
    if len(lines) > 1 and all(line.strip()[-1] in "}]" for _, line in lines[:2]):
        first = _parsed_or_none(lines[0][1], name)
        if first is not None:
            return _read_json_lines(lines, is_run, labels, name)
    return read_object(_parsed(text, name, 1), is_run, labels, where=f"{name}: ")


def _is_blank(line: str) -> bool:
    return not line or line.isspace()


def _read_json_lines(
    lines: list[tuple[int, str]], is_run: bool, labels: Sequence[str] | None, name: str
) -> Records:
    rows = [_parsed(line, name, number) for number, line in lines]

    def place(row: int) -> str:
        return f"{name}, line {lines[row][0]}"

    for row, each in enumerate(rows):
        if not isinstance(each, dict):
            raise ValueError(
                f"{place(row)}: a line must hold an object, got {type(each).__name__}."
            )
    if has_columns_of(rows[0]):
        return read_object(rows, is_run, labels, place=place)
    topics: dict[str, Any] = {}
    for row, each in enumerate(rows):
        again = next((topic for topic in each if topic in topics), None)
        if again is not None:
            raise ValueError(f"{place(row)}: the topic {again!r} stands in a line before, too.")
        topics |= each
    return read_object(topics, is_run, labels, where=f"{name}: ")


def _parsed_or_none(text: str, name: str) -> Any:
    import json

    try:
        return _parsed(text, name, 1)
    except json.JSONDecodeError:
        return None
    except ValueError as error:
        if isinstance(error.__cause__, json.JSONDecodeError):
            return None
        raise


def _parsed(text: str, name: str, line: int) -> Any:
    import json

    def different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise ValueError(f"{name}: an object must name {again!r} once, got it twice.")
        return found

    try:
        return json.loads(text, object_pairs_hook=different)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        raise ValueError(f"{place}: this is not JSON: {error.msg}.") from error
    except RecursionError as error:
        raise ValueError(f"{name}: the objects stand too deep in each other.") from error


def _columns_of_parquet(content: bytes, name: str) -> Columns:
    """Return the columns of a Parquet file, each of which is read when it is taken."""

    def place(row: int) -> str:
        return f"{name}, row {row}"

    for read in _READERS:
        try:
            names, take = read(io.BytesIO(content))
        except ImportError:
            continue
        except Exception as error:
            raise ValueError(f"{name}: this Parquet file is damaged: {error}") from error
        return Columns(f"{name}: a table", names, take, place)
    raise ImportError(f"{name}: Parquet needs pyarrow or polars: pip install pyarrow.")


def _by_pyarrow(file: Any) -> tuple[list[str], Callable[[str], Any]]:
    from pyarrow import parquet

    table = parquet.ParquetFile(file)
    return table.schema_arrow.names, lambda name: table.read([name]).column(name).to_pylist()


def _by_polars(file: Any) -> tuple[list[str], Callable[[str], Any]]:
    import polars

    frame = polars.read_parquet(file)
    return frame.columns, frame.__getitem__


def _by_pandas(file: Any) -> tuple[list[str], Callable[[str], Any]]:
    import pandas

    frame = pandas.read_parquet(file)
    return list(frame.columns), frame.__getitem__


_READERS = (_by_pyarrow, _by_polars, _by_pandas)
