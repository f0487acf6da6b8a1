"""Writing of runs to files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import IO, Any

import numpy as np

from skgraded._support.arguments import ArgumentError
from skgraded.trec._extents import starts_by_row
from skgraded.trec._join import Order, rank_run
from skgraded.trec._qrels_and_runs import Run, read_run

# Modules that open files by the ends of their names.
_MODULES = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
# Only this white space separates the columns of a line; that of Unicode does not.
_WORD = re.compile(r"[^ \t-\r]+")


def write_run(
    run: Any, target: Any, *, tag: str | None = None, order: Order = "trec_eval"
) -> None:
    """Write a run as lines ``topic Q0 document rank score tag``, in rank order.

    Parameters
    ----------
    run : Run, path, file object, dict of dicts, DataFrame or iterable
        The run, or anything that `read_run` reads.
    target : path or file object
        The file to write. It is compressed if the path ends in .gz, .xz or .bz2.
    tag : str, optional
        The tag column; by default the run's own tag, or else its name.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `rank`.

    Raises
    ------
    ValueError
        If the tag or an id is empty or holds white space, or a topic is ``#``. Such a file could
        not be read back; it is not written.

    Examples
    --------
    >>> import sys
    >>> from skgraded import trec
    >>> trec.write_run({"q1": {"d2": 1.5, "d1": 2.0}}, sys.stdout, tag="mine")
    q1 Q0 d1 1 2.0 mine
    q1 Q0 d2 2 1.5 mine
    """
    retrieved = read_run(run)
    if tag is None:
        tag = retrieved.tag or retrieved.name

    _check_words("tag", [tag])
    _check_words("a topic", retrieved.topics.tolist())
    _check_words("a document", retrieved.documents)
    if "#" in retrieved.topics:
        raise ValueError("a topic must not be '#', with which comments begin.")

    with _opened(target) as file:
        file.writelines(_run_lines(retrieved, order, tag))


def _check_words(name: str, words: Iterable[str]) -> None:
    for word in words:
        if not _WORD.fullmatch(word):
            raise ArgumentError(name, f"must be one word, got {word!r}.")


def _run_lines(run: Run, order: Order, tag: str) -> Iterator[str]:
    starts_of_topics = run.indptr[:-1]
    order_in_topic, _ = rank_run(run, order, starts_of_topics, run.indptr)
    starts = starts_by_row(run.indptr)
    ranks = np.arange(1, len(starts) + 1) - starts
    rows = starts + order_in_topic

    documents = list(run.documents)
    scores = run.scores.tolist()
    topics = run.topics[run.topic_of_document()]
    columns = (topics.tolist(), rows.tolist(), ranks.tolist())
    for topic, row, rank in zip(*columns, strict=True):
        yield f"{topic} Q0 {documents[row]} {rank} {scores[row]!r} {tag}\n"


def _opened(target: Any) -> AbstractContextManager[IO[str]]:
    if not isinstance(target, str | os.PathLike):
        return nullcontext(target)
    _, suffix = os.path.splitext(target)
    module = import_module(_MODULES.get(suffix, "builtins"))
    file: IO[str] = module.open(
        target, "wt", encoding="utf-8", errors="surrogateescape", newline="\n"
    )
    return file
