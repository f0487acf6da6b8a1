"""Tables with named columns: CSV, JSON lines, Parquet, frames of any library, records."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.columns import SYNONYMS, find_column, folded, names_of
from skgraded.rankings import words_of_grades
from skgraded.trec._documents import Documents, ids_as_text
from skgraded.trec._records import Records, Wanted, finite_numbers

# In qrels of BEIR and ranx the column "score" holds grades; elsewhere it is that of a run.
_SCORES_ARE_GRADES = ("corpus_id", "q_id")
_MOST_COLUMNS = 200
_LARGEST_RANK = np.iinfo(np.int32).max
_NO_RANK = -1


class Columns(NamedTuple):
    """Columns of any kind of table.

    Attributes
    ----------
    kind : str
        What they are, for messages: ``"A DataFrame"``.
    names : sequence
        Names of the columns.
    take : callable
        Called with a name; returns the column.
    place : callable
        Called with the number of a row; returns its place, for messages.
    """

    kind: str
    names: Sequence[Any]
    take: Callable[[Any], Any]
    place: Callable[[int], str]

    def find(self, meaning: str) -> _Column | None:
        """Return the column of a meaning; raise where two differ."""
        name = find_column(meaning, self.names, self.take, self.kind)
        return None if name is None else _Column(str(name), self.take(name))

    def need(self, *meanings: str) -> _Column:
        """Return the column of the first meaning that there is, or raise."""
        column = next(filter(None, map(self.find, meanings)), None)
        if column is None:
            known = [name for meaning in meanings for name in SYNONYMS[meaning]]
            raise ValueError(
                f"{self.kind} must have a column {' or '.join(known)}, got "
                f"{', '.join(map(str, self.names)) or 'none'}."
            )
        return column


class _Column(NamedTuple):
    name: str
    values: Any


def has_columns(names: Iterable[Any]) -> bool:
    """Whether names are those of columns with topics and documents."""
    present = list(islice(names, _MOST_COLUMNS + 1))
    if len(present) > _MOST_COLUMNS:  # topics, of which there may be millions
        return False
    return all(names_of(meaning, present) for meaning in ("query", "document"))


def read_table(columns: Columns, wanted: Wanted) -> Records:
    """Read the columns of topics and documents, and of grades or scores or ranks."""
    topic, document, place = columns.need("query"), columns.need("document"), columns.place
    topics = ids_as_text(topic.name, topic.values, place)
    if not topics:
        raise ValueError(f"{columns.kind} must hold at least one document, got none.")
    number_of: dict[str, int] = {}
    column_of_topics = np.array(topics, dtype=object)
    begin = np.flatnonzero(np.append(True, column_of_topics[1:] != column_of_topics[:-1]))
    numbers = [number_of.setdefault(each, len(number_of)) for each in column_of_topics[begin]]
    column, ranks = _scores_and_ranks(columns) if wanted.is_run else (_grades(columns), None)
    words = () if wanted.is_run else words_of_grades(column.values)
    return Records(
        topics=list(number_of),
        span_topic=np.array(numbers, dtype=np.int32),
        indptr=np.append(begin, len(topics)),
        documents=Documents.from_ids(ids_as_text(document.name, document.values, place)),
        values=finite_numbers(column.name, column.values, wanted, place),
        ranks=ranks,
        place=place,
        words=wanted.grades or {str(word): float(grade) for grade, word in enumerate(words)},
    )


def _grades(columns: Columns) -> _Column:
    column, score = columns.find("grade"), columns.find("score")
    if column is None and any(folded(name) in _SCORES_ARE_GRADES for name in columns.names):
        column = score
    if column is None and score is not None:
        raise ValueError(
            f"{columns.kind} of qrels must have a column {' or '.join(SYNONYMS['grade'])}, got "
            f"{', '.join(map(str, columns.names))}. The column score may hold the scores of a run, "
            "which come after the qrels, or grades: then rename it to relevance."
        )
    return column or columns.need("grade")


def _scores_and_ranks(columns: Columns) -> tuple[_Column, NDArray[np.int32] | None]:
    score, rank = columns.find("score"), columns.find("rank")
    if rank is None:
        return score or columns.need("score", "rank"), None
    ranks = np.array([_rank(each) for each in rank.values], np.int32)
    if score is not None:
        return score, ranks
    for row in np.flatnonzero(ranks == _NO_RANK)[:1]:
        raise ValueError(
            f"{columns.place(row)}: the rank must be an integer >= 0, since there is no column "
            f"score, got {list(rank.values)[row]!r}."
        )
    return _Column(rank.name, -ranks.astype(np.float64)), ranks


def _rank(given: Any) -> int:
    """Return a rank, or -1 if the value is none; only order="rank" needs it."""
    try:
        rank = float(given)
    except (TypeError, ValueError, OverflowError):
        return _NO_RANK
    return int(rank) if rank.is_integer() and 0 <= rank <= _LARGEST_RANK else _NO_RANK


# --- Where the columns come from --------------------------------------------------------------


def columns_of_frame(frame: Any, wanted: Wanted) -> Columns:
    """Return the columns of a frame of pandas or polars, or of a table of Arrow or Hugging Face."""
    kind, names = f"{wanted.where}A {type(frame).__name__}", getattr(frame, "column_names", None)
    if names is None:
        return Columns(kind, list(frame.columns), frame.__getitem__, wanted.row)
    if hasattr(frame, "column"):  # Arrow
        return Columns(kind, names, lambda name: frame.column(name).to_pylist(), wanted.row)
    return Columns(kind, names, lambda name: list(frame[name]), wanted.row)  # Hugging Face


def columns_of_dict(columns: Mapping[Any, Any], wanted: Wanted) -> Columns:
    """Return columns by name."""
    lengths = {name: len(each) if is_list(each) else None for name, each in columns.items()}
    if len(set(lengths.values())) > 1 or None in lengths.values():
        raise ValueError(
            f"{wanted.where}Columns must be lists with one entry per row, got lengths {lengths}."
        )
    kind = f"{wanted.where}A dict of columns"
    return Columns(kind, list(columns), columns.__getitem__, wanted.row)


def is_list(each: Any) -> bool:
    """Whether something is a list, a tuple or a one-dimensional array."""
    return isinstance(each, list | tuple) or getattr(each, "ndim", 0) == 1


def columns_of_records(
    records: Iterable[Any], wanted: Wanted, place: Callable[[int], str] | None = None
) -> Columns:
    """Return the columns of dicts, or of objects with attributes as in ir_measures."""
    rows, place, kind = list(records), place or wanted.row, f"{wanted.where}A record"
    if not rows:
        raise ValueError(f"{wanted.where}Qrels and runs must hold a document, got no record.")
    if isinstance(rows[0], Mapping):
        return Columns(kind, list(rows[0]), lambda name: _items(rows, name, place), place)
    known = [name for names in SYNONYMS.values() for name in names if hasattr(rows[0], name)]
    if not has_columns(known):
        raise ValueError(
            f"{wanted.where}Records must be dicts or have attributes such as query_id and doc_id, "
            f"got {repr(rows[0])[:60]}. A list of ids must stand below its topic, {{topic: ids}}."
        )
    return Columns(kind, known, lambda name: [getattr(row, name) for row in rows], place)


def _items(rows: Sequence[Any], name: Any, place: Callable[[int], str]) -> list[Any]:
    for row, each in enumerate(rows):
        if not isinstance(each, Mapping) or name not in each:
            raise ValueError(f"{place(row)}: a record must have {name!r}, got {each!r}.")
    return [each[name] for each in rows]


def columns_of_csv(text: str, delimiter: str, name: str) -> Columns:
    """Return the columns of a text whose first line names them."""
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
    return Columns(
        f"{name}: a table", header, lambda it: [word or None for word in by_name.get(it, ())], place
    )


def columns_of_parquet(content: bytes, name: str) -> Columns:
    """Return the columns of a Parquet file, which are read by the library that is installed.

    Other columns stay in the file: they may hold all texts of a collection.
    """
    names_in: Callable[..., Any]
    try:
        from pyarrow import parquet

        read, names_in = parquet.read_table, lambda file: parquet.read_schema(file).names
    except ImportError:
        try:
            import polars

            read, names_in = polars.read_parquet, polars.read_parquet_schema
        except ImportError as error:
            message = f"{name}: Parquet needs pyarrow or polars: pip install pyarrow."
            raise ImportError(message) from error

    def of_file(read: Callable[..., Any], **columns: list[str]) -> Any:
        try:
            return read(io.BytesIO(content), **columns)
        except Exception as error:
            raise ValueError(f"{name}: this Parquet file is damaged: {error}") from error

    def take(column: str) -> Any:
        return columns_of_frame(of_file(read, columns=[column]), Wanted()).take(column)

    return Columns(f"{name}: a table", list(of_file(names_in)), take, Wanted(where=f"{name}, ").row)
