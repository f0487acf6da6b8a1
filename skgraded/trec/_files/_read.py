"""Qrels and runs from files, dicts, data frames and iterables of records."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import flag
from skgraded.rankings import numeric
from skgraded.trec._files._documents import Documents, ids_as_text
from skgraded.trec._files._qrels import Qrels, qrels_from_records
from skgraded.trec._files._records import Records, Spans, read_records
from skgraded.trec._files._runs import Run, run_from_records
from skgraded.trec._files._sources import is_source, name_of_source, short_name

__all__ = ["read_columns_of_run", "read_qrels", "read_run"]

# Names of the columns in ir_measures and ir_datasets, and in PyTerrier.
_TOPIC = ("query_id", "qid")
_DOCUMENT = ("doc_id", "docno")
_GRADE = ("relevance", "label")
_SCORE = ("score",)
_RANK = "rank"
_LARGEST_RANK = np.iinfo(np.int32).max
_NO_RANK = -1


def read_qrels(source: Any) -> Qrels:
    """Read relevance judgments.

    Parameters
    ----------
    source : path, file object, dict of dicts, DataFrame, iterable or Qrels
        A file of lines ``topic iteration document grade``, none longer than 1,000,000 bytes, plain
        or compressed by gzip, xz, bzip2 or zstd (its first bytes decide, not its name); grades by
        topic and document as in pytrec_eval; a DataFrame or an iterable of records with the columns
        query_id, doc_id and relevance as in ir_measures (or PyTerrier's qid, docno and label); an
        ir_datasets data set. Blank lines and lines that start with ``#`` are skipped. Qrels are
        returned as they are.

    Returns
    -------
    Qrels
        The judgments. A document judged twice with the same grade counts once.

    Raises
    ------
    ValueError
        If a line does not have four columns or is too long, an id is missing or holds a zero byte,
        a grade is not a finite number, a
        document of a topic has two grades, or the file is empty, damaged or not a text file. The
        message names the place.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_qrels({"q1": {"d1": 2, "d2": 0}})
    <Qrels <dict>: 2 documents, 1 topics; 1 of grade 0, 1 of grade 2>
    """
    if isinstance(source, Qrels):
        return source
    if is_source(source):
        return qrels_from_records(read_records(source, is_run=False), name_of_source(source))
    if hasattr(source, "qrels_iter"):
        source = source.qrels_iter()
    return qrels_from_records(_records(source, _GRADE), f"<{type(source).__name__}>")


def read_run(source: Any, *, strict: bool = False, name: str | None = None) -> Run:
    """Read a run.

    Parameters
    ----------
    source : path, file object, dict of dicts, DataFrame, iterable or Run
        A file of lines ``topic Q0 document rank score tag``, none longer than 1,000,000 bytes,
        plain or compressed by gzip, xz, bzip2 or zstd (its first bytes decide, not its name);
        scores by topic and document as in pytrec_eval; a DataFrame or an iterable of records with
        the columns query_id, doc_id and score as in ir_measures (or PyTerrier's qid, docno and
        score). Blank lines and lines that start with ``#`` are skipped; a tag may have several
        words. A Run is returned as it is, but for its name.
    strict : bool, default=False
        Whether a document that a topic names twice is an error. Otherwise the first occurrence
        counts, and the number of the others is kept.
    name : str, optional
        Name of the run in results; by default the file's name without its folder and the suffix of
        its compression.

    Returns
    -------
    Run
        The retrieved documents.

    Raises
    ------
    ValueError
        If a line has fewer than six columns, holds two records or is too long, an id is missing or
        holds a zero byte, a score is not
        a finite number, or the file is empty, damaged or not a text file. The message names the
        place.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_run({"q1": {"d1": 2.5, "d7": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    """
    return read_columns_of_run(source, strict=strict, name=name, with_ranks=True)


def read_columns_of_run(source: Any, *, strict: bool, name: str | None, with_ranks: bool) -> Run:
    """Read a run as `read_run` does; a file's rank column only where it is needed."""
    flag("strict", strict)
    if isinstance(source, Run):
        return source if name is None else dataclasses.replace(source, name=name)
    if is_source(source):
        records = read_records(source, is_run=True, with_ranks=with_ranks)
        default = short_name(source)
    else:
        if hasattr(source, "scoreddocs_iter"):
            source = source.scoreddocs_iter()
        records, default = _records(source, _SCORE), f"<{type(source).__name__}>"
    return run_from_records(records, default if name is None else name, strict)


def _records(source: Any, value: tuple[str, ...]) -> Records:
    _refuse_other_frames(source)
    if hasattr(source, "columns"):
        return _records_of_frame(source, value)
    if isinstance(source, Mapping):
        return _records_of_dict(source, value[0])
    if isinstance(source, Iterable):
        return _records_of_iterable(source, value)
    raise TypeError(
        "Qrels and runs are read from a path, a file object, a dict of dicts, a DataFrame or an "
        f"iterable of records, got {type(source).__name__}."
    )


def _records_of_dict(nested: Mapping[Any, Mapping[Any, Any]], value: str) -> Records:
    topics = _topics_of_dict(nested)
    lengths = [len(documents) for documents in nested.values()]
    if not sum(lengths):
        raise ValueError("A dict of dicts must hold at least one document, got none.")
    topic = np.repeat(np.arange(len(lengths)), lengths)
    flat = [number for documents in nested.values() for number in documents.values()]
    ids = [document for documents in nested.values() for document in documents]

    def place(record: int) -> str:
        return f"topic {topics[topic[record]]!r}, document {ids[record]!r}"

    documents = Documents.from_ids(_ids("the document", ids, place))
    values = _check_values(flat, value, place)
    named = [name for name, length in zip(topics, lengths, strict=True) if length]
    return Records(named, Spans.of_column(_renumber(topic)), documents, values, None, place)


def _topics_of_dict(nested: Mapping[Any, Mapping[Any, Any]]) -> list[str]:
    topics = _ids("the topic", nested, lambda number: f"key {number}")
    for topic, documents in zip(topics, nested.values(), strict=True):
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"A dict of dicts must hold a dict of documents for topic {topic!r}, got "
                f"{type(documents).__name__}."
            )
    given_by: dict[str, Any] = {}
    for topic, given in zip(topics, nested, strict=True):
        if topic in given_by:
            raise ValueError(
                f"Topics of a dict of dicts must have different names, got {given_by[topic]!r} "
                f"and {given!r}, which are both {topic!r}."
            )
        given_by[topic] = given
    return topics


def _ids(name: str, given: Iterable[Any], place: Callable[[int], str]) -> list[str]:
    return ids_as_text(given, lambda number: f"{place(number)}: {name}")


def _renumber(topic: Any) -> Any:
    return np.unique(topic, return_inverse=True)[1]


class _Column(NamedTuple):
    """A column with its name."""

    name: str
    values: Any


def _records_of_frame(frame: Any, value: tuple[str, ...]) -> Records:
    topics, documents, values = (_column(frame, each) for each in (_TOPIC, _DOCUMENT, value))
    ranks = _ranks(frame[_RANK]) if _RANK in list(frame.columns) else None
    return _records_of_columns(topics, documents, values, ranks)


def _refuse_other_frames(source: Any) -> None:
    """Refuse tables of other libraries that look like a DataFrame and are none."""
    kind = type(source).__name__
    if kind == "LazyFrame":
        raise TypeError("A LazyFrame must be collected first: pass frame.collect().")
    if hasattr(source, "column_names"):
        is_of_hugging_face = type(source).__module__.startswith("datasets.")
        what = f"{kind} of Hugging Face" if is_of_hugging_face else f"pyarrow {kind}"
        raise TypeError(f"A {what} must be a DataFrame: pass {kind.lower()}.to_pandas().")


def _column(frame: Any, names: tuple[str, ...]) -> _Column:
    present = [name for name in names if name in list(frame.columns)]
    if not present:
        raise ValueError(
            f"A DataFrame must have a column {' or '.join(names)}, got "
            f"{', '.join(map(str, frame.columns))}."
        )
    return _Column(present[0], frame[present[0]])


def _records_of_iterable(records: Iterable[Any], value: tuple[str, ...]) -> Records:
    rows = list(records)
    topics, documents, values = (_attribute(rows, each) for each in (_TOPIC, _DOCUMENT, value))
    return _records_of_columns(topics, documents, values, None)


def _attribute(rows: list[Any], names: tuple[str, ...]) -> _Column:
    present = [name for name in names if rows and hasattr(rows[0], name)]
    if not present and rows and isinstance(rows[0], str):
        raise TypeError(
            "Documents must have scores or grades, got a list of ids, which starts with "
            f"{rows[0]!r}. Of a ranked list, best document first, make scores by "
            "{document: -rank for rank, document in enumerate(ranked)}."
        )
    if not present:
        got = repr(rows[0]) if rows else "no record"
        raise ValueError(f"Records must have an attribute {' or '.join(names)}, got {got}.")
    return _Column(present[0], [getattr(row, present[0]) for row in rows])


def _records_of_columns(
    topic: _Column, document: _Column, value: _Column, ranks: NDArray[np.int32] | None
) -> Records:
    def place(record: int) -> str:
        return f"row {record}"

    topics = _ids(topic.name, topic.values, place)
    if not topics:
        raise ValueError("Qrels and runs must hold at least one document, got none.")
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(each, len(number_of)) for each in topics]
    return Records(
        topics=list(number_of),
        spans=Spans.of_column(np.array(numbers, dtype=np.int32)),
        documents=Documents.from_ids(_ids(document.name, document.values, place)),
        values=_check_values(value.values, value.name, place),
        ranks=ranks,
        place=place,
    )


def _check_values(values: Any, name: str, place: Any) -> Any:
    numbers = numeric(name, values).astype(np.float64)
    if not np.isfinite(numbers).all():
        record = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ValueError(f"{place(record)}: the {name} must be finite, got {numbers[record]}.")
    return numbers


def _ranks(column: Any) -> NDArray[np.int32]:
    return np.array([_rank(each) for each in column], dtype=np.int32)


def _rank(given: Any) -> int:
    """Return a rank, or -1 if the value is none; only order="rank" needs it."""
    try:
        rank = float(given)
    except (TypeError, ValueError):
        return _NO_RANK
    return int(rank) if rank.is_integer() and 0 <= rank <= _LARGEST_RANK else _NO_RANK
