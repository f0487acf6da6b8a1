"""Columns of qrels and runs, found by the names that libraries give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded.rankings import distinct_numbers, grades_of_categories
from skgraded.trec._files._documents import Documents, ids_as_text
from skgraded.trec._files._records import WAY_OF_WORDS, Records, Spans

FloatArray = NDArray[np.float64]

# Names in ir_measures and ir_datasets; PyTerrier; ranx; BEIR and MTEB; and plain words. They are
# compared without case, and with "_" for "-" and " ".
_TOPIC = ("query_id", "qid", "q_id", "topic")
_DOCUMENT = ("doc_id", "docno", "corpus_id", "docid", "document", "product_id")
_GRADE = ("relevance", "label", "grade", "esci_label")
_SCORE = ("score",)
_RANK = ("rank",)
# In qrels of BEIR and ranx the column "score" holds grades; elsewhere it is that of a run.
_SCORES_ARE_GRADES = ("corpus_id", "q_id")
_MOST_COLUMNS = 200
_LARGEST_RANK = np.iinfo(np.int32).max
_NO_RANK = -1


def has_value(record: Mapping[Any, Any]) -> bool:
    """Whether a record has a grade, a score or a rank by the name of such a column."""
    known = (*_GRADE, *_SCORE, *_RANK)
    return any(_folded(name) in known for name in record)


class Columns(NamedTuple):
    """Columns of any kind of table.

    Attributes
    ----------
    kind : str
        What they are, for messages: ``"A DataFrame"``.
    names : list
        Names of the columns.
    take : callable
        Called with a name; returns the column.
    place : callable
        Called with the number of a row; returns its place, for messages.
    are_text : bool
        Whether numbers are still text, as in a file.
    """

    kind: str
    names: list[Any]
    take: Callable[[Any], Any]
    place: Callable[[int], str]
    are_text: bool = False

    def find(self, known: Sequence[str]) -> _Column | None:
        """Return the column that has one of the known names; raise where two differ."""
        found = [name for name in self.names if _folded(name) in known]
        if not found:
            return None
        column = _Column(str(found[0]), self.take(found[0]))
        for name in found[1:]:
            if list(self.take(name)) != list(column.values):
                raise ValueError(
                    f"{self.kind} must have one column of its kind, got {column.name} and {name}, "
                    f"which differ: either may be meant. Drop one of them."
                )
        return column

    def need(self, known: Sequence[str]) -> _Column:
        """Return the column that has one of the known names, or raise."""
        column = self.find(known)
        if column is None:
            raise ValueError(
                f"{self.kind} must have a column {' or '.join(known)}, got "
                f"{', '.join(map(str, self.names)) or 'none'}."
            )
        return column


def columns_of_rows(rows: Sequence[Any], place: Callable[[int], str]) -> Columns:
    """Return the columns of records, which are mappings or have attributes."""
    first = rows[0]
    if isinstance(first, Mapping):
        return Columns("A record", list(first), lambda name: _items(rows, name, place), place)
    known = (*_TOPIC, *_DOCUMENT, *_GRADE, *_SCORE, *_RANK)
    names = [name for name in known if hasattr(first, name)]
    return Columns("A record", names, lambda name: [getattr(row, name) for row in rows], place)


def _items(rows: Sequence[Any], name: Any, place: Callable[[int], str]) -> list[Any]:
    try:
        return [row[name] for row in rows]
    except (KeyError, TypeError, IndexError):
        bad = next(
            row
            for row, each in enumerate(rows)
            if not isinstance(each, Mapping) or name not in each
        )
        raise ValueError(f"{place(bad)}: a record must have {name!r}, got {rows[bad]!r}.") from None


class _Column(NamedTuple):
    name: str
    values: Any


def _folded(name: Any) -> str:
    return str(name).strip().lower().replace("-", "_").replace(" ", "_")


def has_columns_of(names: Iterable[Any]) -> bool:
    """Whether names are those of columns with topics and documents."""
    present = list(islice(names, _MOST_COLUMNS + 1))
    if len(present) > _MOST_COLUMNS:  # topics, of which there may be millions
        return False
    return has_topic(present) and any(_folded(name) in _DOCUMENT for name in present)


def is_table(source: Any) -> bool:
    """Whether something is a data frame, or a table of Arrow or Hugging Face."""
    return hasattr(source, "columns") or isinstance(getattr(source, "column_names", None), list)


def has_topic(names: Iterable[Any]) -> bool:
    """Whether one of the names is that of a column of topics."""
    return any(_folded(name) in _TOPIC for name in names)


def records_of_columns(
    columns: Columns, is_run: bool, labels: Sequence[str] | None = None
) -> Records:
    """Read the columns of topics and documents, and of grades or scores or ranks."""
    topic, document = columns.need(_TOPIC), columns.need(_DOCUMENT)
    place = columns.place
    topics = ids_at(topic.name, topic.values, place)
    if not topics:
        raise ValueError("Qrels and runs must hold at least one document, got none.")
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(each, len(number_of)) for each in topics]
    values, ranks = _scores_and_ranks(columns) if is_run else (_grades(columns, labels), None)
    return Records(
        topics=list(number_of),
        spans=Spans.of_column(np.array(numbers, dtype=np.int32)),
        documents=Documents.from_ids(ids_at(document.name, document.values, place)),
        values=values,
        ranks=ranks,
        place=place,
    )


def documents_of_columns(columns: Columns, is_run: bool) -> tuple[list[Any], list[float]]:
    """Read the documents of one topic, and their grades or scores."""
    values = _scores_and_ranks(columns)[0] if is_run else _grades(columns, None)
    return list(columns.need(_DOCUMENT).values), values.tolist()


def ids_at(name: str, given: Iterable[Any], place: Callable[[int], str]) -> list[str]:
    """Return ids as text; errors name their place."""
    return ids_as_text(given, lambda number: f"{place(number)}: {name}")


def _grades(columns: Columns, labels: Sequence[str] | None) -> FloatArray:
    column = columns.find(_GRADE)
    if column is None and columns.find(_SCORES_ARE_GRADES):
        column = columns.find(_SCORE)
    if column is None and columns.find(_SCORE):
        raise ValueError(
            f"{columns.kind} of qrels must have a column {' or '.join(_GRADE)}, got "
            f"{', '.join(map(str, columns.names))}. The column score may hold the scores of a run, "
            "which come after the qrels, or grades: then rename it to relevance."
        )
    column = column or columns.need(_GRADE)
    if labels is not None:
        return grades_of_words(column.values, column.name, labels, columns.place)
    return _numbers(column._replace(values=grades_of_categories(column.values)), columns)


def grades_of_words(
    values: Iterable[Any], name: str, labels: Sequence[str], place: Callable[[int], str]
) -> FloatArray:
    """Return the place of each word among the labels, lowest first."""
    grade_of = {label: float(grade) for grade, label in enumerate(labels)}
    words = list(values)
    for row, word in enumerate(words):
        if word not in grade_of:
            raise ValueError(
                f"{place(row)}: the {name} must be one of {', '.join(labels)}, got {word!r}."
            )
    return np.array([grade_of[word] for word in words])


def _scores_and_ranks(columns: Columns) -> tuple[FloatArray, NDArray[np.int32] | None]:
    score, rank = columns.find(_SCORE), columns.find(_RANK)
    if score is None and rank is None:
        columns.need((*_SCORE, *_RANK))
    ranks = None if rank is None else np.array([_rank(each) for each in rank.values], np.int32)
    if score is not None:
        return _numbers(score, columns), ranks
    assert rank is not None
    assert ranks is not None
    if (ranks == _NO_RANK).any():
        row = int(np.flatnonzero(ranks == _NO_RANK)[0])
        raise ValueError(
            f"{columns.place(row)}: the rank must be an integer >= 0, since there is no column "
            f"score, got {list(rank.values)[row]!r}."
        )
    return -ranks.astype(np.float64), ranks


def _numbers(column: _Column, columns: Columns) -> FloatArray:
    values = column.values
    if columns.are_text:
        values = [_number_or_word(word) for word in values]
    return check_numbers(values, column.name, columns.place)


def _number_or_word(word: str | None) -> Any:
    try:
        return word if word is None or "_" in word else float(word)
    except ValueError:
        return word


def check_numbers(values: Any, name: str, place: Callable[[int], str]) -> FloatArray:
    """Return finite numbers; errors name the place of one that is not."""
    try:
        numbers = distinct_numbers(name, values, place)
    except ValueError as error:
        raise _fault(values, name, place) or error from None
    if not np.isfinite(numbers).all():
        record = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ValueError(f"{place(record)}: the {name} must be finite, got {numbers[record]}.")
    return numbers


def _fault(values: Any, name: str, place: Callable[[int], str]) -> ValueError | None:
    for record, each in enumerate(values):
        if isinstance(each, str | bytes | list | tuple | dict):
            way = ""
            if isinstance(each, str) and _is_number(each):
                way = " It is text: write the number without quotes."
            elif isinstance(each, str) and _is_number(each.replace(",", ".")):
                way = (
                    " It has a decimal comma: write a point, or read the file with "
                    "pandas.read_csv(path, sep=';', decimal=',') and pass the DataFrame."
                )
            elif name in _GRADE and isinstance(each, str):
                way = WAY_OF_WORDS
            return ValueError(f"{place(record)}: the {name} must be a number, got {each!r}.{way}")
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _rank(given: Any) -> int:
    """Return a rank, or -1 if the value is none; only order="rank" needs it."""
    try:
        rank = float(given)
    except (TypeError, ValueError):
        return _NO_RANK
    return int(rank) if rank.is_integer() and 0 <= rank <= _LARGEST_RANK else _NO_RANK
