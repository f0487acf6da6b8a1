"""Writing of runs to files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import IO, Any

import numpy as np

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
        If the tag or an id is empty or holds white space, or a topic starts with ``#``. Such a file
        could not be read back; it is not written.

    Examples
    --------
    >>> import sys
    >>> from skgraded import trec
    >>> trec.write_run({"q1": {"d2": 1.5, "d1": 2.0}}, sys.stdout, tag="mine")
    q1 Q0 d1 1 2.0 mine
    q1 Q0 d2 2 1.5 mine
    """
    retrieved = read_run(run)
    chosen = (retrieved.tag or retrieved.name) if tag is None else tag
    _check_words("tag", [chosen])
    _check_words("a topic", retrieved.topics.tolist())
    _check_words("a document", retrieved.documents)
    comment = next((each for each in retrieved.topics if each.startswith("#")), None)
    if comment is not None:
        raise ValueError(
            f"a topic must not start with '#', as comments do, got {comment!r}."
        )
    with _opened(target) as file:
        file.writelines(_run_lines(retrieved, order, chosen))


def _check_words(what: str, words: Iterable[str]) -> None:
    for each in words:
        if not _WORD.fullmatch(each):
            raise ValueError(f"{what} must be one word, got {each!r}.")


def _run_lines(run: Run, order: Order, tag: str) -> Iterator[str]:
    in_topic, _ = rank_run(run, order, run.indptr[:-1], run.indptr)
    first = np.repeat(run.indptr[:-1], np.diff(run.indptr))
    rows = (first + in_topic).tolist()
    ranks = (np.arange(len(rows)) - first + 1).tolist()
    documents = list(run.documents)
    scores = run.scores.tolist()
    topics = run.topics[run.topic_of_document()].tolist()
    for topic, row, rank in zip(topics, rows, ranks, strict=True):
        yield f"{topic} Q0 {documents[row]} {rank} {scores[row]!r} {tag}\n"


def _opened(target: Any) -> AbstractContextManager[IO[str]]:
    if not isinstance(target, str | os.PathLike):
        return nullcontext(target)
    module = import_module(_MODULES.get(os.path.splitext(target)[1], "builtins"))
    file: IO[str] = module.open(
        target, "wt", encoding="utf-8", errors="surrogateescape", newline="\n"
    )
    return file
