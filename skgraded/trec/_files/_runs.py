"""Runs: the documents that a system retrieved for each topic."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.sealed import require, require_column
from skgraded.trec._files._records import Records
from skgraded.trec._files._table import Table, column_of_topics, group_records

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Run(Table):
    """Documents retrieved by a system, by topic.

    Made by `read_run`.

    Attributes
    ----------
    name : str
        Name of the run.
    topics : ndarray of shape (n_topics,), object
        Topic ids, str, in order of first appearance.
    indptr : ndarray of shape (n_topics + 1,), int64
        The documents of topic t are ``indptr[t]:indptr[t + 1]``.
    documents : Documents
        Document ids.
    n_duplicates : int
        Records that were left out because they repeated a document of their topic.
    scores : ndarray of shape (n_documents,), float64
        Score of each retrieved document.
    ranks : ndarray of shape (n_documents,), int32, or None
        The rank column; -1 where it holds no rank.
    tag : str
        The tag column of the first line.
    """

    scores: NDArray[np.float64]
    ranks: NDArray[np.int32] | None
    tag: str

    def _require_sound(self) -> None:
        super()._require_sound()
        require_column("scores", self.scores, (np.float64,), self.n_documents)
        require(np.isfinite(self.scores).all(), "scores must be finite")
        if self.ranks is not None:
            require_column("ranks", self.ranks, (np.int32,), self.n_documents)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the run as a dict of dicts, as in pytrec_eval.

        Returns
        -------
        dict
            Score by topic id and document id.
        """
        return self._nested(self.scores)

    def to_frame(self) -> pd.DataFrame:
        """Return the run as a DataFrame with ir_measures' columns.

        Returns
        -------
        DataFrame
            Columns query_id, doc_id and score.
        """
        import pandas as pd

        columns: dict[str, Any] = {
            "query_id": self.topics[self.topic_of_document()],
            "doc_id": list(self.documents),
            "score": self.scores,
        }
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.n_documents} documents, {self.n_topics} topics>"


def run_from_records(records: Records, name: str, strict: bool) -> Run:
    """Group retrieved documents by topic; keep the first of repeated ones, or raise an error."""

    def check(again: int, first: int, place: Callable[[int], str], document: str) -> None:
        if strict:
            topic = records.topic_of(again)
            raise ValueError(
                f"{place(again)}: a run must name a document once in a topic, got {document!r} "
                f"of topic {topic!r} again, first in {place(first).rsplit(', ')[-1]}."
            )

    grouped = group_records(records, check)
    return Run(
        name=name,
        topics=column_of_topics(records.topics),
        indptr=grouped.indptr,
        documents=grouped.documents,
        n_duplicates=grouped.n_duplicates,
        scores=grouped.take(records.values),
        ranks=None if records.ranks is None else grouped.take(records.ranks),
        tag=records.tag,
    )
