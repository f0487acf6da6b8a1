"""The common part of qrels and runs: documents grouped by topic, without repetitions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.sealed import SealedFields, require, require_borders, require_column
from skgraded.trec._files._documents import Documents, draw_key
from skgraded.trec._files._records import Records, Spans

IntArray = NDArray[np.int64]

Check = Callable[[int, int, Callable[[int], str], str], None]


def column_of_topics(topics: list[str]) -> NDArray[Any]:
    """Return topic ids as an array of objects.

    An array of text would give every id the length of the longest one, and drop zero bytes at the
    ends of ids.
    """
    column = np.empty(len(topics), dtype=object)
    column[:] = topics
    return column


@dataclasses.dataclass(frozen=True)
class Grouped:
    """Records by topic, without repeated documents.

    Attributes
    ----------
    records : Records
        The records in the order of the source.
    indptr : ndarray of shape (n_topics + 1,), int64
        Records of topic t are ``indptr[t]:indptr[t + 1]``.
    rows : ndarray of shape (n_documents,), int64, or None
        The record at each place; None where they are already in order.
    documents : Documents
        Ids in that order.
    n_duplicates : int
        Records that repeat a document of their topic.
    """

    records: Records
    indptr: IntArray
    rows: IntArray | None
    documents: Documents
    n_duplicates: int

    def take(self, column: NDArray[Any]) -> NDArray[Any]:
        """Put a column of the records into the order of the grouped records."""
        return column if self.rows is None else column[self.rows]


def group_records(records: Records, check_duplicate: Check) -> Grouped:
    """Group records by topic; keep the first record of each document.

    Parameters
    ----------
    records : Records
        The records in the order of the source.
    check_duplicate : callable
        Called for each repeated document with the number of the record, the number of the first
        record of that document, the function that tells a record's place, and the document id. It
        raises an error where a repetition is not allowed.

    Returns
    -------
    Grouped
        The records by topic.
    """
    indptr, rows = _group_topics(records.spans, len(records.topics))
    documents = records.documents if rows is None else records.documents.take(rows)
    found = _core.find_duplicates(documents.end, documents.text, indptr, draw_key())
    pairs = found.reshape(-1, 2)
    if not len(pairs):
        return Grouped(records, indptr, rows, documents, 0)
    rows = np.arange(len(documents)) if rows is None else rows
    for again, first in pairs.tolist():
        check_duplicate(int(rows[again]), int(rows[first]), records.place, documents[again])
    kept = np.ones(len(rows), dtype=bool)
    kept[pairs[:, 0]] = False
    before = np.concatenate(([0], np.cumsum(kept)))
    documents = documents.take(np.flatnonzero(kept))
    return Grouped(records, before[indptr], rows[kept], documents, len(pairs))


def _group_topics(spans: Spans, n_topics: int) -> tuple[IntArray, IntArray | None]:
    """Return the extents of the topics, and the rows by topic; None if they are consecutive."""
    if len(spans.topic) == n_topics:  # topics are numbered by first appearance
        return spans.indptr, None
    return _core.group_rows(np.repeat(spans.topic, np.diff(spans.indptr)), n_topics)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Table(SealedFields):
    """Documents of many topics with a number each.

    Attributes
    ----------
    name : str
        Name of the file or of the type of the source.
    topics : ndarray of shape (n_topics,), object
        Topic ids, str, in order of first appearance.
    indptr : ndarray of shape (n_topics + 1,), int64
        Documents of topic t are ``indptr[t]:indptr[t + 1]``.
    documents : Documents
        Document ids.
    n_duplicates : int
        Records left out because they repeated a document of their topic.
    """

    name: str
    topics: NDArray[Any]
    indptr: IntArray
    documents: Documents
    n_duplicates: int

    def _require_sound(self) -> None:
        require(isinstance(self.documents, Documents), "documents must be Documents")
        require_column("topics", self.topics, (np.object_,), len(self.topics))
        require(all(type(each) is str for each in self.topics.tolist()), "topics must be text")
        require_borders("indptr", self.indptr, len(self.topics), len(self.documents))

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)

    @property
    def n_documents(self) -> int:
        """Number of documents, over all topics."""
        return len(self.documents)

    def topic_of_document(self) -> IntArray:
        """Return the number of each document's topic.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            Index of the topic in ``topics``.
        """
        return np.repeat(np.arange(self.n_topics), np.diff(self.indptr))

    def _nested(self, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
        ids, numbers = list(self.documents), values.tolist()
        borders = zip(self.topics.tolist(), self.indptr[:-1], self.indptr[1:], strict=True)
        return {
            topic: dict(zip(ids[begin:end], numbers[begin:end], strict=True))
            for topic, begin, end in borders
        }
