"""Learning-to-rank data as qrels and a run: SVMlight files with grades, and a model's scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skgraded._support.arguments import ArgumentError
from skgraded.trec._qrels_and_runs import Qrels, Run, read_qrels, read_run
from skgraded.trec._sources import is_source, name_of_source, read_chunks

_LONGEST_QUOTE = 40


def read_letor(
    features: Any, scores: Any, *, name: str = "scores"
) -> tuple[Qrels, Run]:
    r"""Read the grades of learning-to-rank data and a model's scores as qrels and a run.

    Parameters
    ----------
    features : path or sequence of paths
        SVMlight lines ``grade qid:1 1:0.5 ...``, or LightGBM's form with group sizes beside them,
        as `skgraded.datasets.load_letor` reads them.
    scores : path or array-like of shape (n_documents,)
        One score for each line of the features; a path names a text file of one score per line,
        which may be compressed as runs may be.
    name : str, default="scores"
        Name of the run.

    Returns
    -------
    qrels : Qrels
        The grades. A document's id is its row, counted from 0 over all files.
    run : Run
        The scores.

    Raises
    ------
    ValueError
        If the number of scores is not that of the lines, or a score is not finite.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skgraded import trec
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "test.txt"
    ...     size = path.write_text("2 qid:7 1:0.5\n0 qid:7 1:0.1\n")
    ...     qrels, run = trec.read_letor(path, [0.9, 0.4])
    >>> trec.evaluate("nDCG", qrels, run).mean()
    {'scores': {'nDCG': 1.0}}
    """
    from skgraded.datasets import load_letor

    _, grades, qid = load_letor(features)
    values = np.asarray(_read_scores(scores), dtype=np.float64)
    if values.shape != grades.shape:
        raise ArgumentError(
            "scores",
            f"must hold one score per line of the features ({len(grades)}), got shape "
            f"{values.shape}.",
        )

    documents = np.arange(len(grades)).astype(str)
    is_judged = ~np.isnan(grades.astype(np.float64))
    judgments = {
        "qid": qid[is_judged],
        "docid": documents[is_judged],
        "grade": grades[is_judged],
    }
    run = {"qid": qid, "docid": documents, "score": values}
    return read_qrels(judgments), read_run(run, name=name)


def _read_scores(scores: Any) -> Any:
    if not is_source(scores):
        return scores
    name = name_of_source(scores)

    lines = b"".join(read_chunks(scores)).split(b"\n")
    words = [line.partition(b"#")[0].strip() for line in lines]
    return [
        _read_score(word, f"{name}, line {number}")
        for number, word in enumerate(words, 1)
        if word
    ]


def _read_score(word: bytes, place: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan

    if b"_" in word or not math.isfinite(number):
        quote = repr(word[:_LONGEST_QUOTE].decode("utf-8", "backslashreplace"))
        raise ValueError(
            f"{place}: a file of scores must have one number per line, got {quote}."
        )
    return number
