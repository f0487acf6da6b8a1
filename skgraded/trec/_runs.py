"""Runs: the documents that a system retrieved for each topic."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import flag
from skgraded.trec._by_topic import Table, group_records
from skgraded.trec._readers import is_one_run, is_record, read_records
from skgraded.trec._records import Records, Wanted
from skgraded.trec._sources import is_source, name_of_source, short_name

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

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold columns, which are read again, and no borders that a kernel would trust.
        ranks = {} if self.ranks is None else {"rank": self.ranks}
        others = {"name": self.name, "tag": self.tag, "n_duplicates": self.n_duplicates}
        return _read_again, ({**self._columns("score", self.scores), **ranks}, others)

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
        return self._frame("score", self.scores)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.n_documents} documents, {self.n_topics} topics>"


def run_from_records(records: Records, name: str, strict: bool) -> Run:
    """Group retrieved documents by topic; keep the first of repeated ones, or raise an error."""

    def check(again: int, first: int) -> None:
        if strict:
            raise ValueError(
                f"{records.place(again)}: a run must name a document once in a topic, got "
                f"{records.documents[again]!r} of topic {records.topic_of(again)!r} again, first "
                f"in {records.place(first).rsplit(', ')[-1]}."
            )

    fields, rows = group_records(records, name, check)
    ranks = None if records.ranks is None else records.ranks[rows]
    return Run(**fields, scores=records.values[rows], ranks=ranks, tag=records.tag)


def read_run(source: Any, *, strict: bool = False, name: str | None = None) -> Run:
    """Read a run.

    Parameters
    ----------
    source : path, file object, mapping, table, iterable or Run
        Lines: a file of ``topic Q0 document rank score tag``, none longer than 1,000,000 bytes; a
        tag may have several words. Tables, as `read_qrels` reads them, with the columns query_id,
        doc_id, and score or rank. Dicts: scores by topic and document, or ids by topic, best
        document first, also in a file of JSON, or a Run of ranx. A Run is returned as it is, but
        for its name.
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
        If a file is Parquet, and neither pyarrow nor polars is installed.

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
    records = read_records(source, Wanted(is_run=True, with_ranks=with_ranks))
    default = short_name(source) if is_source(source) else name_of_source(source)
    return run_from_records(records, default if name is None else name, strict)


def _read_again(columns: dict[str, Any], others: dict[str, Any]) -> Run:
    return dataclasses.replace(read_run(columns), **others)


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
    """
    if isinstance(runs, Run) or is_one_run(runs):
        return [(None, runs)]
    if isinstance(runs, Mapping):
        named: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    else:
        listed = list(runs)
        are_records = bool(listed) and is_record(listed[0])
        named = [(None, listed)] if are_records else [(None, run) for run in listed]
    if not named:
        raise ValueError("runs must hold at least one run, got none.")
    return named


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the systems; a name that occurs several times is numbered."""
    times, seen = Counter(names), Counter[str]()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}#{seen[name]}" if times[name] > 1 else name)
    return tuple(unique)
