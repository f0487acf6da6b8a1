"""Qrels and runs from files and objects of Python, and the names of several runs."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skgraded._support.arguments import flag
from skgraded.trec._files._columns import has_columns_of, is_table
from skgraded.trec._files._formats import read_file
from skgraded.trec._files._nested import is_one_run_by_topic
from skgraded.trec._files._objects import read_object
from skgraded.trec._files._qrels import Qrels, qrels_from_records
from skgraded.trec._files._runs import Run, run_from_records
from skgraded.trec._files._sources import is_source, name_of_source, short_name


def read_qrels(source: Any, *, labels: Sequence[str] | None = None) -> Qrels:
    """Read relevance judgments.

    Parameters
    ----------
    source : path, file object, mapping, table, iterable or Qrels
        A file of lines ``topic iteration document grade``, none longer than 1,000,000 bytes, or of
        NTCIR's lines ``topic document L2``, or of CSV, TSV, JSON, JSON lines or Parquet, plain or
        compressed by gzip, xz, bzip2 or zstd (its first bytes decide, not its name). Grades by
        topic and document as in pytrec_eval, also in MTEB's wrappings; a list or set of relevant
        documents by topic. A table (pandas, polars, Arrow, Hugging Face) or records with the
        columns query_id, doc_id and relevance as in ir_measures, or the names of PyTerrier, ranx or
        BEIR. An ir_datasets data set; Qrels of ranx. Blank lines and lines that start with ``#``
        are skipped. Ordered categories of words are grades: the first is 0. Qrels are returned as
        they are.
    labels : sequence of str, optional
        The words that stand for grades, lowest first: the first is grade 0.

    Returns
    -------
    Qrels
        The judgments. A document judged twice with the same grade counts once.

    Raises
    ------
    ValueError
        If a line does not have four columns or is too long, an id is missing or holds a zero byte,
        a grade is not a finite number, a document of a topic has two grades, the file is empty or
        damaged, or something can be read in two ways. The message names the place.
    ImportError
        If a file is Parquet, and none of pyarrow, polars and pandas can read it.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_qrels({"q1": {"d1": 2, "d2": 0}})
    <Qrels <dict>: 2 documents, 1 topics; 1 of grade 0, 1 of grade 2>
    >>> trec.read_qrels({"q1": {"d1": "exact", "d2": "no"}}, labels=["no", "near", "exact"]).grades
    array([2., 0.])
    """
    _check_labels(labels)
    if isinstance(source, Qrels):
        return source
    if is_source(source):
        records = read_file(source, is_run=False, labels=labels)
        return qrels_from_records(records, name_of_source(source))
    if hasattr(source, "qrels_iter"):
        source = source.qrels_iter()
    return qrels_from_records(read_object(source, False, labels), f"<{type(source).__name__}>")


def read_run(source: Any, *, strict: bool = False, name: str | None = None) -> Run:
    """Read a run.

    Parameters
    ----------
    source : path, file object, mapping, table, iterable or Run
        A file of lines ``topic Q0 document rank score tag``, none longer than 1,000,000 bytes, or
        of CSV, TSV, JSON, JSON lines or Parquet, plain or compressed by gzip, xz, bzip2 or zstd
        (its first bytes decide, not its name). Scores by topic and document as in pytrec_eval, also
        in MTEB's wrappings; a list of documents by topic, best one first. A table (pandas, polars,
        Arrow, Hugging Face) or records with the columns query_id, doc_id, and score or rank, as in
        ir_measures, or the names of PyTerrier, ranx or BEIR. A Run of ranx. Blank lines and lines
        that start with ``#`` are skipped; a tag may have several words. A Run is returned as it is,
        but for its name.
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
        holds a zero byte, a score is not a finite number, the file is empty or damaged, or
        something can be read in two ways. The message names the place.
    ImportError
        If a file is Parquet, and none of pyarrow, polars and pandas can read it.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_run({"q1": {"d1": 2.5, "d7": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    >>> trec.read_run({"q1": ["d1", "d7"]}).ranks
    array([1, 2], dtype=int32)
    """
    return read_columns_of_run(source, strict=strict, name=name, with_ranks=True)


def read_columns_of_run(source: Any, *, strict: bool, name: str | None, with_ranks: bool) -> Run:
    """Read a run as `read_run` does; a file's rank column only where it is needed."""
    flag("strict", strict)
    if isinstance(source, Run):
        return source if name is None else dataclasses.replace(source, name=name)
    if is_source(source):
        records = read_file(source, is_run=True, with_ranks=with_ranks)
        default = short_name(source)
    else:
        if hasattr(source, "scoreddocs_iter"):
            source = source.scoreddocs_iter()
        records, default = read_object(source, is_run=True), _name_of(source)
    return run_from_records(records, default if name is None else name, strict)


def _name_of(source: Any) -> str:
    """Return the name that ranx gives a run, or that of the type."""
    name = None if hasattr(source, "columns") else getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def _check_labels(labels: Sequence[str] | None) -> Sequence[str] | None:
    if labels is None:
        return None
    is_list = not isinstance(labels, str) and all(isinstance(each, str) for each in labels)
    if not is_list or not labels or len(set(labels)) < len(labels):
        raise ValueError(
            f"labels must be a list of different words, lowest grade first, got {labels!r}."
        )
    return labels


# Attributes of data sets of ir_datasets, streams of Arrow batches and runs of ranx.
_ONE_RUN = ("scoreddocs_iter", "read_all", "to_dict")


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """List the runs that a user passed, with the names that were given to them.

    Parameters
    ----------
    runs : run, iterable of runs, or mapping of names to them
        A run is anything that `read_run` reads. A dict of dicts is one run, and so is an iterable
        of records.

    Returns
    -------
    list of (str or None, object)
        Name of each run, or None, and the run.

    Raises
    ------
    ValueError
        If there is no run.

    Examples
    --------
    >>> from skgraded.trec import named_runs
    >>> named_runs(["runs/bm25.txt", "runs/dense.txt"])
    [(None, 'runs/bm25.txt'), (None, 'runs/dense.txt')]
    >>> [name for name, _ in named_runs({"bm25": "runs/1.txt", "dense": "runs/2.txt"})]
    ['bm25', 'dense']
    """
    if _is_one_run(runs):
        return [(None, runs)]
    if isinstance(runs, Mapping):
        named: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    else:
        listed = list(runs)
        are_records = bool(listed) and _is_record(listed[0])
        named = [(None, listed)] if are_records else [(None, run) for run in listed]
    if not named:
        raise ValueError("runs must hold at least one run, got none.")
    return named


def _is_one_run(runs: Any) -> bool:
    if isinstance(runs, Mapping):
        return is_one_run_by_topic(runs)
    if isinstance(runs, Run) or is_source(runs) or is_table(runs):
        return True
    return any(hasattr(runs, name) for name in _ONE_RUN) or not isinstance(runs, Iterable)


def _is_record(each: Any) -> bool:
    if isinstance(each, Mapping):
        return has_columns_of(each)
    return not is_table(each) and (hasattr(each, "query_id") or hasattr(each, "qid"))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the systems; a name that occurs several times is numbered."""
    times, seen = Counter(names), Counter[str]()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}#{seen[name]}" if times[name] > 1 else name)
    return tuple(unique)
