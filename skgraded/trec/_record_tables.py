"""Columns of tables of any kind: what they mean, and the records that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.column_names import SYNONYMS, column_key, find_column, names_of
from skgraded.rankings import read_grades, words_of_grades
from skgraded.trec._documents import Documents, ids_as_text
from skgraded.trec._records import Records, Wanted

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
    topic = columns.need("query")
    document = columns.need("document")
    place = columns.place
    topics = ids_as_text(topic.name, topic.values, place)
    if not topics:
        raise ValueError(f"{columns.kind} must hold at least one document, got none.")
    number_of: dict[str, int] = {}
    column_of_topics = np.array(topics, dtype=object)
    begin = np.flatnonzero(
        np.append(True, column_of_topics[1:] != column_of_topics[:-1])
    )
    span_topic = [
        number_of.setdefault(each, len(number_of)) for each in column_of_topics[begin]
    ]
    column, ranks = (
        _scores_and_ranks(columns) if wanted.is_run else (_grades(columns), None)
    )
    words = () if wanted.is_run else words_of_grades(column.values)
    numbers = _numbers(column, wanted, place)
    for row in np.flatnonzero(~np.isfinite(numbers))[:1]:
        raise ValueError(
            f"{place(row)}: the {column.name} must be finite, got {numbers[row]}."
        )
    return Records(
        topics=list(number_of),
        span_topic=np.array(span_topic, dtype=np.int32),
        indptr=np.append(begin, len(topics)),
        documents=Documents.from_ids(
            ids_as_text(document.name, document.values, place)
        ),
        values=numbers,
        ranks=ranks,
        place=place,
        words=wanted.grades
        or {str(word): float(grade) for grade, word in enumerate(words)},
    )


def _numbers(
    column: _Column, wanted: Wanted, place: Callable[[int], str]
) -> NDArray[np.float64]:
    """Return grades, scores or ranks; errors name the place of one that is none."""
    name, values = column
    if isinstance(
        values, list | tuple
    ):  # lists among them would make a second dimension
        values = np.fromiter(values, dtype=object)
    read = read_grades(
        name, values, wanted.grades, place, may_be_words=not wanted.is_run
    )
    return read.astype(np.float64)


def _grades(columns: Columns) -> _Column:
    column = columns.find("grade")
    score = columns.find("score")
    if column is None and any(
        column_key(name) in _SCORES_ARE_GRADES for name in columns.names
    ):
        column = score
    if column is None and score is not None:
        raise ValueError(
            f"{columns.kind} of qrels must have a column {' or '.join(SYNONYMS['grade'])}, got "
            f"{', '.join(map(str, columns.names))}. The column score may hold the scores of a run, "
            "which come after the qrels, or grades: then rename it to relevance."
        )
    return column or columns.need("grade")


def _scores_and_ranks(columns: Columns) -> tuple[_Column, NDArray[np.int32] | None]:
    """Return the scores, or ranks below 0 in their place, and the ranks; -1 where there is none."""
    score = columns.find("score")
    rank = columns.find("rank")
    if rank is None:
        return score or columns.need("score", "rank"), None
    numbers = _numbers(rank, Wanted(is_run=True), columns.place)
    is_rank = (
        (numbers >= 0) & (numbers <= _LARGEST_RANK) & (numbers == np.floor(numbers))
    )
    for row in () if score else np.flatnonzero(~is_rank)[:1]:
        raise ValueError(
            f"{columns.place(row)}: the rank must be an integer >= 0, since there is no column "
            f"score, got {numbers[row]:g}."
        )
    ranks = np.where(is_rank, numbers, _NO_RANK).astype(np.int32)
    return score or _Column(rank.name, -ranks.astype(np.float64)), ranks
