"""Documents of a topic that do not count: the query itself, or pairs that a benchmark names."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from skgraded import _core
from skgraded._support.arguments import ArgumentError
from skgraded._support.array_types import BoolArray
from skgraded.trec._extents import indptr_of
from skgraded.trec._qrels_and_runs import Qrels, Run, TopicDocuments, read_qrels
from skgraded.trec._sources import is_source, name_of_source, read_chunks

SELF = "self"
_N_OF_PAIR = 2
_LAYOUT = "a topic and a document, or the columns of qrels or of a run"

DocumentsOfTopics = TypeVar("DocumentsOfTopics", bound=TopicDocuments)


def read_excluded(exclude: Any, qrels: Qrels) -> Qrels | None:
    """Read the pairs of a topic and a document that do not count.

    Parameters
    ----------
    exclude : "self", path, file object, mapping of str to iterable of str, or None
        ``"self"``: the document whose id is that of the topic. A file has lines of a topic and a
        document, or those of qrels or a run.
    qrels : Qrels
        The judgments, for their topics.

    Returns
    -------
    Qrels or None
        The pairs, with grades that mean nothing; None if there are none.

    Examples
    --------
    >>> from skgraded.trec import read_qrels
    >>> from skgraded.trec._exclude import read_excluded
    >>> read_excluded({"q1": ["d7"]}, read_qrels({"q1": ["d1"]})).to_dict()
    {'q1': {'d7': 1}}
    """
    if exclude is None:
        return None
    if isinstance(exclude, str) and exclude == SELF:
        topics = qrels.topics.tolist()
        return read_qrels({topic: [topic] for topic in topics})

    if isinstance(exclude, Mapping):
        ids_by_topic = {
            str(topic): [str(name) for name in names]
            for topic, names in exclude.items()
            if not isinstance(names, str)
        }
        if len(ids_by_topic) < len(exclude):
            raise ArgumentError("exclude", "must map topics to lists of ids.")
    elif is_source(exclude):
        ids_by_topic = _read_pairs(exclude)
    else:
        raise ArgumentError(
            "exclude",
            "must be 'self', a file or a mapping of topics to ids, got "
            f"{type(exclude).__name__}.",
        )
    ids_by_topic = {topic: names for topic, names in ids_by_topic.items() if names}
    return read_qrels(ids_by_topic) if ids_by_topic else None


def _read_pairs(source: Any) -> dict[str, list[str]]:
    """Read the ids of each topic from lines of pairs, of qrels or of a run."""
    name = name_of_source(source)
    text = b"".join(read_chunks(source)).decode("utf-8", "surrogateescape")
    ids_by_topic: dict[str, list[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words:
            continue
        if len(words) == _N_OF_PAIR:
            topic, document = words
        elif len(words) > _N_OF_PAIR + 1:
            topic, _, document, *_ = words
        else:
            raise ValueError(
                f"{name}, line {number}: a line must have {_LAYOUT}, got {line[:60]!r}."
            )
        ids_by_topic.setdefault(topic, []).append(document)
    return ids_by_topic


def without_pairs(
    documents: DocumentsOfTopics, excluded: Qrels
) -> tuple[DocumentsOfTopics, int]:
    """Leave the pairs out of qrels or a run.

    Parameters
    ----------
    documents : Qrels or Run
        The documents of topics.
    excluded : Qrels
        The pairs, as `read_excluded` returns them.

    Returns
    -------
    documents : Qrels or Run
        The others, of the same topics.
    n_excluded : int
        The number of pairs that there were.

    Examples
    --------
    >>> from skgraded.trec import read_qrels, read_run
    >>> from skgraded.trec._exclude import without_pairs
    >>> run, n_excluded = without_pairs(read_run({"q": ["q", "d"]}), read_qrels({"q": ["q"]}))
    >>> run.to_dict(), n_excluded
    ({'q': {'d': -2.0}}, 1)
    """
    counts = _are_outside(documents, excluded)
    n_excluded = int(len(counts) - counts.sum())
    if not n_excluded:
        return documents, 0

    fields: dict[str, Any] = {
        "indptr": indptr_of(counts)[documents.indptr],
        "documents": documents.documents.take(np.flatnonzero(counts)),
    }
    if isinstance(documents, Qrels):
        fields["grades"] = documents.grades[counts]
    if isinstance(documents, Run):
        fields["scores"] = documents.scores[counts]
        if documents.ranks is not None:
            fields["ranks"] = documents.ranks[counts]
    return dataclasses.replace(documents, **fields), n_excluded


def _are_outside(documents: TopicDocuments, excluded: Qrels) -> BoolArray:
    """Return which documents are in none of the pairs, shape (n_documents,)."""
    number_of = {topic: n for n, topic in enumerate(documents.topics.tolist())}
    numbers = np.array([number_of.get(topic, -1) for topic in excluded.topics])
    is_there = numbers >= 0
    start = np.where(is_there, documents.indptr[numbers], 0)
    end = np.where(is_there, documents.indptr[numbers + 1], 0)
    indptr = indptr_of(end - start)

    slots, slot_indptr, key = excluded.slots
    places, _ = _core.look_up_documents(
        document_end=documents.documents.end,
        document=documents.documents.text,
        start=start,
        indptr=indptr,
        known_end=excluded.documents.end,
        known=excluded.documents.text,
        slots=slots,
        slot_indptr=slot_indptr,
        key=key,
    )
    shifts = np.repeat(start - indptr[:-1], end - start)
    counts = np.ones(documents.n_documents, dtype=bool)
    counts[places + shifts[places]] = False
    return counts
