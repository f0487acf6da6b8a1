"""Qrels and runs by topic: mappings of topics to documents in any form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded.trec._files._columns import (
    check_numbers,
    columns_of_rows,
    documents_of_columns,
    grades_of_words,
    has_columns_of,
    has_topic,
    has_value,
    ids_at,
    is_table,
)
from skgraded.trec._files._documents import Documents
from skgraded.trec._files._records import Records, Spans

_PAIR = 2
_MODEL_OF_MTEB = "mteb_model_meta"  # stands beside the subsets in a file of predictions
_EXAMPLES = 5
_NO_RANK = -1
_MOST_FIELDS = 16  # of a record; more are documents


class _Listed(NamedTuple):
    """Documents of one topic."""

    ids: list[Any]
    values: list[Any]
    are_ranked: bool = False


def only_set(nested: Mapping[Any, Any], where: str) -> Any:
    """Return the topics in wrappings, such as the subset and the split of MTEB's predictions.

    Parameters
    ----------
    nested : mapping
        Topics, or one set of them by its name.
    where : str
        Name of the file, for messages; may be empty.

    Returns
    -------
    mapping or table
        The topics.

    Raises
    ------
    ValueError
        If there are several sets.
    """
    while True:
        names = [name for name in nested if not _is_of_model(name)]
        sets = [nested[name] for name in names]
        if not sets or not all(map(_is_set, sets)):
            return nested
        _refuse_records_by_document(dict(zip(names, sets, strict=True)), where)
        if len(names) > 1:
            shown = ", ".join(map(repr, names[:_EXAMPLES]))
            more = ", ..." if len(names) > _EXAMPLES else ""
            raise ValueError(
                f"{where}there must be one set of topics, got {len(names)}: {shown}{more}. Pass "
                f"one of them, such as data[{names[0]!r}]."
            )
        (nested,) = sets
        if not isinstance(nested, Mapping):
            return nested


def _refuse_records_by_document(topics: Mapping[Any, Any], where: str) -> None:
    """Refuse a record below a document, which would look like documents below a topic."""
    for topic, documents in topics.items():
        for document, record in documents.items() if isinstance(documents, Mapping) else ():
            if isinstance(record, Mapping) and len(record) <= _MOST_FIELDS and has_value(record):
                raise ValueError(
                    f"{where}topic {topic!r}: document {document!r} must have a number, got a dict "
                    f"with {', '.join(map(repr, record))}. Pass its grade or its score alone."
                )


def _is_of_model(name: Any) -> bool:
    return isinstance(name, str) and name == _MODEL_OF_MTEB


def _is_set(each: Any) -> bool:
    """Whether something holds topics: a table, or a mapping whose values hold documents."""
    if not isinstance(each, Mapping):
        return is_table(each)
    return any(
        isinstance(value, Mapping | list | tuple | set | np.ndarray) for value in each.values()
    )


def is_one_run_by_topic(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds one run, and not several of them by their names."""
    if _MODEL_OF_MTEB in given or has_columns_of(given) or is_table(given):
        return True
    return _are_documents(next(filter(_is_not_empty, given.values()), None))


def _is_not_empty(each: Any) -> bool:
    is_collection = isinstance(each, Mapping | list | tuple | set | frozenset | np.ndarray)
    return not is_collection or len(each) > 0


def _are_documents(given: Any) -> bool:
    """Whether something holds the documents of one topic, and not a whole run."""
    if isinstance(given, Mapping):
        return not has_columns_of(given) and not any(map(_holds_others, given.values()))
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple | set | frozenset):
        return False
    first = next(iter(given), None)
    if isinstance(first, Mapping):
        return not has_topic(first)
    is_record = hasattr(first, "query_id") or hasattr(first, "qid")
    is_document = isinstance(first, str | int | float | np.number | tuple | list)
    return first is None or (is_document and not is_record)


def _holds_others(each: Any) -> bool:
    is_number = getattr(each, "ndim", None) == 0  # such as a tensor of one number
    return isinstance(each, Collection) and not isinstance(each, str | bytes) and not is_number


def records_of_topics(
    nested: Mapping[Any, Any],
    is_run: bool,
    labels: Sequence[str] | None = None,
    *,
    where: str = "",
) -> Records:
    """Read the documents of each topic.

    Parameters
    ----------
    nested : mapping
        By topic: grades or scores by document, documents with best ones first (of qrels, relevant
        ones in any order), pairs of document and number, or records.
    is_run : bool
        Whether a run is read.
    labels : sequence of str, optional
        Words that stand for grades, lowest first.
    where : str, default=""
        Name of the file, for messages.

    Returns
    -------
    Records
        The documents in the order in which they came.
    """
    topics = _topics(nested, where)
    parts = [
        _documents(given, is_run, f"{where}topic {topic!r}")
        for topic, given in zip(topics, nested.values(), strict=True)
    ]
    lengths = [len(part.ids) for part in parts]
    if not sum(lengths):
        raise ValueError(f"{where}A dict by topic must hold at least one document, got none.")
    topic = np.repeat(np.arange(len(lengths)), lengths)
    ids = list(chain.from_iterable(part.ids for part in parts))
    values = list(chain.from_iterable(part.values for part in parts))

    def place(record: int) -> str:
        return f"{where}topic {topics[topic[record]]!r}, document {ids[record]!r}"

    return Records(
        topics=[name for name, length in zip(topics, lengths, strict=True) if length],
        spans=Spans.of_column(np.unique(topic, return_inverse=True)[1]),
        documents=Documents.from_ids(ids_at("the document", ids, place)),
        values=_numbers(values, is_run, labels, place),
        ranks=_ranks(parts) if is_run else None,
        place=place,
    )


def _numbers(
    values: list[Any], is_run: bool, labels: Sequence[str] | None, place: Callable[[int], str]
) -> NDArray[np.float64]:
    if labels is not None:
        return grades_of_words(values, "relevance", labels, place)
    return check_numbers(values, "score" if is_run else "relevance", place)


def _topics(nested: Mapping[Any, Any], where: str) -> list[str]:
    topics = ids_at("the topic", nested, lambda number: f"{where}key {number}")
    given_by: dict[str, Any] = {}
    for topic, given in zip(topics, nested, strict=True):
        if topic in given_by:
            raise ValueError(
                f"{where}Topics of a dict must have different names, got {given_by[topic]!r} "
                f"and {given!r}, which are both {topic!r}."
            )
        given_by[topic] = given
    return topics


def _documents(given: Any, is_run: bool, topic: str) -> _Listed:
    if isinstance(given, Mapping):
        return _Listed(list(given), list(given.values()))
    if isinstance(given, set | frozenset):
        if is_run:
            raise ValueError(
                f"{topic}: documents of a run must have an order, got a set. Pass a list, best "
                "document first."
            )
        return _Listed(sorted(given, key=str), [1.0] * len(given))
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ValueError(
            f"{topic}: the documents must be a dict of numbers by document or a list, got "
            f"{type(given).__name__}."
        )
    return _listed(given.tolist() if isinstance(given, np.ndarray) else list(given), is_run, topic)


def _listed(given: list[Any], is_run: bool, topic: str) -> _Listed:
    if given and all(isinstance(each, Mapping) for each in given):
        return _of_records(given, is_run, topic)
    if given and all(isinstance(each, tuple | list) and len(each) == _PAIR for each in given):
        return _of_pairs(given, topic)
    for each in given:
        if not isinstance(each, str):
            raise ValueError(
                f"{topic}: a list must hold ids, which are text, got {each!r}: it may be an id or "
                f"a {'score' if is_run else 'grade'}. Pass [str(each) for each in ids], or a dict "
                "of numbers by document."
            )
    values = [-float(rank) for rank in range(1, len(given) + 1)] if is_run else [1.0] * len(given)
    return _Listed(given, values, are_ranked=True)


def _of_pairs(given: Sequence[Any], topic: str) -> _Listed:
    for document, number in given:
        if not isinstance(document, str) or isinstance(number, str):
            raise ValueError(
                f"{topic}: a pair must be an id, which is text, and a number, got "
                f"{(document, number)!r}: either may be the id. Pass a dict of numbers by document."
            )
    return _Listed([each[0] for each in given], [each[1] for each in given])


def _of_records(given: Sequence[Mapping[Any, Any]], is_run: bool, topic: str) -> _Listed:
    columns = columns_of_rows(given, lambda row: f"{topic}, record {row}")
    return _Listed(*documents_of_columns(columns, is_run))


def _ranks(parts: Sequence[_Listed]) -> Any:
    """Return the ranks in the lists; none where there is no list."""
    if not any(part.are_ranked for part in parts):
        return None
    ranks = [
        np.arange(1, len(part.ids) + 1) if part.are_ranked else np.full(len(part.ids), _NO_RANK)
        for part in parts
    ]
    return np.concatenate(ranks).astype(np.int32)
