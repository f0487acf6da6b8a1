"""Runs: the documents that a system retrieved for each topic, and which topics it lacks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.sealed import require, require_column
from skgraded._support.text import count, first_few
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

    def coverage(self, topics: Iterable[str]) -> Coverage:
        """Compare the run's topics with those of the qrels.

        Parameters
        ----------
        topics : iterable of str
            Topics of the qrels.

        Returns
        -------
        Coverage
            The topics that only one of them has, and the number of documents of the others.

        Examples
        --------
        >>> from skgraded.trec import read_run
        >>> read_run({"q1": {"d1": 2.0, "d2": 1.0}, "q9": {"d1": 1.0}}).coverage(["q1", "q2"])
        Coverage(n_documents=2, missing=('q2',), extra=('q9',), n_duplicates=0)
        """
        judged = [str(each) for each in topics]
        if set(judged) == set(self.topics.tolist()):
            return Coverage(self.n_documents, (), (), self.n_duplicates)
        n_retrieved = dict(zip(self.topics.tolist(), np.diff(self.indptr).tolist(), strict=True))
        is_judged = set(judged)
        return Coverage(
            n_documents=sum(n for topic, n in n_retrieved.items() if topic in is_judged),
            missing=tuple(topic for topic in judged if topic not in n_retrieved),
            extra=tuple(topic for topic in n_retrieved if topic not in is_judged),
            n_duplicates=self.n_duplicates,
        )

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


class Coverage(NamedTuple):
    """Topics and documents that a run's scores do not show.

    Attributes
    ----------
    n_documents : int
        Retrieved documents of the topics that were scored.
    missing : tuple of str
        Topics of the qrels that the run lacks.
    extra : tuple of str
        Topics of the run that the qrels lack; they were left out.
    n_duplicates : int
        Lines that were left out because they repeated a document of their topic.
    """

    n_documents: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    n_duplicates: int

    def notes(self, name: str, complete: bool = True) -> list[str]:
        """Describe in sentences what was left out.

        Parameters
        ----------
        name : str
            Name of the run.
        complete : bool, default=True
            Whether a topic that the run lacks counts as an empty list.

        Returns
        -------
        list of str
            The sentences; none if nothing was left out.

        Examples
        --------
        >>> from skgraded import trec
        >>> run = trec.read_run({"q1": {"d1": 2.0}, "q9": {"d1": 1.0}}, name="bm25")
        >>> run.coverage(["q1"]).notes(run.name)
        ['1 system with topics outside the qrels, left out: bm25 (1).']
        """
        return notes_on_coverage([name], [self], complete)


def notes_on_coverage(
    systems: Sequence[str], coverage: Sequence[Coverage], complete: bool = True
) -> list[str]:
    """Describe in sentences what was left out of several runs."""
    fate = "counts as an empty list" if complete else "is left out of the run's mean"
    told = {
        f"without all topics of the qrels; a missing topic {fate}": [
            len(each.missing) for each in coverage
        ],
        "with topics outside the qrels, left out": [len(each.extra) for each in coverage],
        "with repeated documents, of which the first counts": [
            each.n_duplicates for each in coverage
        ],
    }
    notes = []
    for what, counts in told.items():
        those = [f"{name} ({n})" for name, n in zip(systems, counts, strict=True) if n]
        if those:
            notes.append(f"{count(len(those), 'system')} {what}: {first_few(those)}.")
    return notes
