"""Columns of tables of any kind: what they mean, and the records that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import first_true, is_missing
from skgraded._support.column_names import SYNONYMS, column_key, find_column, names_of
from skgraded._support.text import count
from skgraded.rankings import read_grades, words_of_grades
from skgraded.trec._documents import Documents, ids_as_text
from skgraded.trec._records import Records, Request, n_topics_with_contradicting_ranks

# In qrels of BEIR and ranx the column "score" holds grades; elsewhere it is that of a run.
_SCORES_ARE_GRADES = ("corpus_id", "q_id")
_MOST_COLUMNS = 200
_LARGEST_RANK = np.iinfo(np.int32).max
_NO_RANK = -1


class RecordColumns(NamedTuple):
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
        if name is None:
            return None
        return _Column(str(name), self.take(name))

    def need(self, *meanings: str) -> _Column:
        """Return the column of the first meaning that there is, or raise."""
        for meaning in meanings:
            column = self.find(meaning)
            if column is not None:
                return column
        synonyms = [name for meaning in meanings for name in SYNONYMS[meaning]]
        raise ValueError(
            f"{self.kind} must have a column {' or '.join(synonyms)}, got "
            f"{', '.join(map(str, self.names)) or 'none'}."
        )


class _Column(NamedTuple):
    name: str
    values: Any


def has_columns(names: Iterable[Any]) -> bool:
    """Whether names are those of columns with topics and documents."""
    first_names = list(islice(names, _MOST_COLUMNS + 1))
    if len(first_names) > _MOST_COLUMNS:  # topics, of which there may be millions
        return False
    return all(names_of(meaning, first_names) for meaning in ("query", "document"))


def read_table(columns: RecordColumns, request: Request) -> Records:
    """Read the columns of topics and documents, and of grades or scores or ranks."""
    topic = columns.need("query")
    document = columns.need("document")
    topics = ids_as_text(topic.name, topic.values, columns.place)
    if not topics:
        raise ValueError(f"{columns.kind} must hold at least one document, got none.")

    # Spans of consecutive rows of one topic.
    topic_of_row = np.array(topics, dtype=object)
    differs_from_previous = topic_of_row[1:] != topic_of_row[:-1]
    begin = np.flatnonzero(np.append(True, differs_from_previous))
    number_of: dict[str, int] = {}
    span_topic = [
        number_of.setdefault(topic_id, len(number_of))
        for topic_id in topic_of_row[begin]
    ]

    ranks = None
    grades: Mapping[str, float] = request.grades
    if request.is_run:
        column, ranks = _scores_and_ranks(columns)
    else:
        column = _grades(columns)
        if not grades:
            words = words_of_grades(column.values)
            grades = {str(word): float(grade) for grade, word in enumerate(words)}
    numbers = _numbers(column, request, columns.place)
    _check_numbers(column, numbers, columns.place)

    n_contradicted = 0
    if ranks is not None:
        n_contradicted = n_topics_with_contradicting_ranks(
            np.array(span_topic, dtype=np.int32), begin, ranks, numbers
        )
    ids = ids_as_text(document.name, document.values, columns.place)
    return Records(
        topics=list(number_of),
        span_topic=np.array(span_topic, dtype=np.int32),
        indptr=np.append(begin, len(topics)),
        documents=Documents.from_ids(ids),
        values=numbers,
        ranks=ranks,
        place=columns.place,
        words=grades,
        n_contradicted=n_contradicted,
    )


def _check_numbers(
    column: _Column, numbers: NDArray[np.float64], place: Callable[[int], str]
) -> None:
    """Raise for the first number that is missing or not finite."""
    row = first_true(~np.isfinite(numbers))
    if row is not None:
        rule = _rule_of_number(column, row, numbers)
        raise ValueError(f"{place(row)}: {rule}")


def _rule_of_number(column: _Column, row: int, numbers: NDArray[np.float64]) -> str:
    """Return the rule that a number breaks which is missing or not finite."""
    rule = f"the {column.name} must be finite, got {numbers[row]}"
    values = list(column.values)
    if not is_missing(values[row]):
        return f"{rule}."
    rows = count(sum(map(is_missing, values)), "row")
    return f"{rule}, as of an empty cell. Leave out what has no {column.name} ({rows})."


def _numbers(
    column: _Column, request: Request, place: Callable[[int], str]
) -> NDArray[np.float64]:
    """Return grades, scores or ranks; errors name the place of one that is none."""
    values = column.values
    # Lists among them would make a second dimension.
    if isinstance(values, list | tuple):
        values = np.fromiter(values, dtype=object)
    may_be_words = not request.is_run
    numbers = read_grades(
        column.name, values, request.grades, place, may_be_words=may_be_words
    )
    return numbers.astype(np.float64)


def _grades(columns: RecordColumns) -> _Column:
    grade = columns.find("grade")
    score = columns.find("score")
    if grade is not None:
        return grade
    if score is None:
        return columns.need("grade")

    if any(column_key(name) in _SCORES_ARE_GRADES for name in columns.names):
        return score
    raise ValueError(
        f"{columns.kind} of qrels must have a column {' or '.join(SYNONYMS['grade'])}, got "
        f"{', '.join(map(str, columns.names))}. The column score may hold the scores of a run, "
        "which come after the qrels, or grades: then rename it to relevance."
    )


def _scores_and_ranks(
    columns: RecordColumns,
) -> tuple[_Column, NDArray[np.int32] | None]:
    """Return the scores, or ranks below 0 in their place, and the ranks; -1 where there is none."""
    score = columns.find("score")
    rank = columns.find("rank")
    if rank is None:
        return score or columns.need("score", "rank"), None

    numbers = _numbers(rank, Request(is_run=True), columns.place)
    is_in_range = (numbers >= 0) & (numbers <= _LARGEST_RANK)
    is_rank = is_in_range & (numbers == np.floor(numbers))
    ranks = np.where(is_rank, numbers, _NO_RANK).astype(np.int32)
    if score is not None:
        return score, ranks

    row = first_true(~is_rank)
    if row is not None:
        raise ValueError(
            f"{columns.place(row)}: the rank must be an integer >= 0, since there is no column "
            f"score, got {numbers[row]:g}."
        )
    scores = -ranks.astype(np.float64)
    return _Column(rank.name, scores), ranks
