"""The common part of qrels and runs: documents grouped by topic, without repetitions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.sealed import SealedFields
from skgraded.trec._documents import Documents, draw_key
from skgraded.trec._records import Records

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]


def group_records(
    records: Records, name: str, check_duplicate: Callable[[int, int], None]
) -> tuple[dict[str, Any], IntArray | slice]:
    """Group records by topic; keep the first record of each document.

    Parameters
    ----------
    records : Records
        The records in the order of the source.
    name : str
        Name of the table.
    check_duplicate : callable
        Called for each repeated document with the number of the record and the number of the first
        record of that document. It raises an error where a repetition is not allowed.

    Returns
    -------
    fields : dict
        Those of a `Table`.
    rows : ndarray of shape (n_documents,), int64, or slice
        The record at each place.
    """
    rows: IntArray | slice = slice(None)
    spans, documents, n_topics = records.spans, records.documents, len(records.topics)
    indptr = spans.indptr
    if len(spans.topic) > n_topics:  # some topic is not in one piece
        topic_of = np.repeat(spans.topic, np.diff(spans.indptr))
        indptr, rows = _core.group_rows(topic_of, n_topics)
        documents = documents.take(rows)
    found = _core.find_duplicates(documents.end, documents.text, indptr, draw_key())
    pairs = found.reshape(-1, 2)
    if len(pairs):
        numbers = np.arange(len(records.documents))[rows]
        for again, first in pairs.tolist():
            check_duplicate(int(numbers[again]), int(numbers[first]))
        kept = np.ones(len(numbers), dtype=bool)
        kept[pairs[:, 0]] = False
        indptr = np.concatenate(([0], np.cumsum(kept)))[indptr]
        rows, documents = numbers[kept], documents.take(np.flatnonzero(kept))
    # An array of text would give every id the length of the longest one, and drop zero bytes at the
    # ends of ids.
    topics = np.empty(len(records.topics), dtype=object)
    topics[:] = records.topics
    fields = {"name": name, "topics": topics, "indptr": indptr, "documents": documents}
    return {**fields, "n_duplicates": len(pairs)}, rows


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

    def _columns(self, name: str, values: NDArray[Any]) -> dict[str, Any]:
        topics = self.topics[self.topic_of_document()]
        return {"query_id": topics, "doc_id": list(self.documents), name: values}

    def _frame(self, name: str, values: NDArray[Any]) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._columns(name, values))
