"""Qrels and runs: documents of each topic, with their grades or their scores."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.arguments import (
    ArgumentError,
    choice,
    first_true,
    flag,
    is_number,
)
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.sealed import SealedFields
from skgraded._support.text import count
from skgraded.rankings import levels_of, read_as
from skgraded.trec._documents import Documents, HashKey, draw_key
from skgraded.trec._extents import indptr_of
from skgraded.trec._readers import is_one_run, is_record, read_records
from skgraded.trec._records import Records, Request
from skgraded.trec._sources import is_source, name_of_source, short_name

if TYPE_CHECKING:
    import pandas as pd


_LARGEST = 2.0**53  # up to which doubles tell all integers apart

Negative = Literal["unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"]

Raters = Literal["mean", "median", "majority", "min", "max"]

# A name for a run, or None, and the run or anything that `read_run` reads.
NamedSource = tuple[str | None, Any]


def group_records(
    records: Records, name: str, check_duplicate: Callable[[int, int], None]
) -> tuple[dict[str, Any], IntArray | slice]:
    """Group records by topic; keep the record of each document that has the highest number.

    Parameters
    ----------
    records : Records
        The records in the order of the source.
    name : str
        Name of the qrels or the run.
    check_duplicate : callable
        Called for each repeated document with the number of the record and the number of the first
        record of that document. It raises an error where a repetition is not allowed.

    Returns
    -------
    fields : dict
        Those of `TopicDocuments`.
    rows : ndarray of shape (n_documents,), int64, or slice
        The record at each place.
    """
    rows: IntArray | slice = slice(None)
    documents = records.documents
    indptr = records.indptr
    n_topics = len(records.topics)
    if len(records.span_topic) > n_topics:  # some topic is not in one piece
        topic_of_record = np.repeat(records.span_topic, np.diff(indptr))
        indptr, places = _core.place_rows(
            query_of_row=topic_of_record, n_queries=n_topics
        )
        rows = np.argsort(places)
        documents = documents.take(rows)

    duplicates = _core.find_duplicates(
        document_end=documents.end,
        document=documents.text,
        indptr=indptr,
        key=draw_key(),
    )
    again_and_first = duplicates.reshape(-1, 2)
    if len(again_and_first):
        record_numbers = np.arange(len(records.documents))[rows]
        for again, first in record_numbers[again_and_first].tolist():
            check_duplicate(again, first)

        is_first = np.ones(len(record_numbers), dtype=bool)
        is_first[again_and_first[:, 0]] = False
        indptr = indptr_of(is_first)[indptr]
        # The best record stands at the place of the first one.
        best = record_numbers.copy()
        values = records.values
        for again, first in again_and_first.tolist():
            if values[record_numbers[again]] > values[best[first]]:
                best[first] = record_numbers[again]
        rows = best[is_first]
        documents = documents.take(np.flatnonzero(is_first))

    # An array of text would give every id the length of the longest one, and drop zero bytes at the
    # ends of ids.
    topics = np.empty(n_topics, dtype=object)
    topics[:] = records.topics
    fields = {
        "name": name,
        "topics": topics,
        "indptr": indptr,
        "documents": documents,
        "n_duplicates": len(again_and_first),
    }
    return fields, rows


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TopicDocuments(SealedFields):
    """Documents of many topics with a number each.

    Attributes
    ----------
    name : str
        Name of the file or of the type of the source.
    topics : ndarray of shape (n_topics,), object
        Topic ids, str, in order of first appearance.
    indptr : ndarray of shape (n_topics + 1,), int64
        Documents of topic t are ``indptr[t]:indptr[t + 1]``.
    documents : Documents
        Document ids.
    n_duplicates : int
        Records left out because they repeated a document of their topic.
    """

    name: str
    topics: NDArray[Any]
    indptr: IntArray
    documents: Documents
    n_duplicates: int

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)

    @property
    def n_documents(self) -> int:
        """Number of documents, over all topics."""
        return len(self.documents)

    def topic_of_document(self) -> IntArray:
        """Return the number of each document's topic.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            Index of the topic in ``topics``.
        """
        n_documents = np.diff(self.indptr)
        return np.repeat(np.arange(self.n_topics), n_documents)

    def _nested(self, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
        ids = list(self.documents)
        numbers = values.tolist()
        nested = {}
        for number, topic in enumerate(self.topics.tolist()):
            documents = slice(self.indptr[number], self.indptr[number + 1])
            pairs = zip(ids[documents], numbers[documents], strict=True)
            nested[topic] = dict(pairs)
        return nested

    def _columns(self, name: str, values: NDArray[Any]) -> dict[str, Any]:
        topics = self.topics[self.topic_of_document()]
        documents = list(self.documents)
        return {"query_id": topics, "doc_id": documents, name: values}

    def _frame(self, name: str, values: NDArray[Any]) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._columns(name, values))


def _read_again(
    read_columns: Callable[[Any], TopicDocuments],
    columns: dict[str, Any],
    fields: dict[str, Any],
) -> TopicDocuments:
    """Make what was pickled as columns, and fields that the columns do not hold."""
    return dataclasses.replace(read_columns(columns), **fields)


class Pool(NamedTuple):
    """Grades of the qrels as levels.

    Attributes
    ----------
    topics : ndarray of shape (n_topics,), object
        Topic ids.
    grades : ndarray of shape (n_levels,)
        The distinct grades, ascending, 0 first.
    levels : ndarray of shape (n_documents + 1,)
        Level of each document of the qrels: ``n_levels`` where it counts as unjudged,
        ``n_levels + 1`` where it is pooled and unsampled. The last entry is that of any document
        outside the qrels.
    best_first : ndarray of shape (n_judged,)
        Levels of each topic's judged documents, highest first.
    indptr : ndarray of shape (n_topics + 1,), int64
        Extents of the topics in ``best_first``.
    """

    topics: NDArray[Any]
    grades: FloatArray
    levels: NDArray[Any]
    best_first: NDArray[Any]
    indptr: IntArray

    def of_topics(self, topic_numbers: IntArray) -> Pool:
        """Return the pool of some topics; levels stay those of all documents."""
        starts = self.indptr[topic_numbers]
        lengths = np.diff(self.indptr)[topic_numbers]
        indptr = indptr_of(lengths)

        shifts = np.repeat(starts - indptr[:-1], lengths)
        rows = np.arange(indptr[-1]) + shifts
        return self._replace(
            topics=self.topics[topic_numbers],
            best_first=self.best_first[rows],
            indptr=indptr,
        )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Qrels(TopicDocuments):
    """Relevance judgments by topic.

    Made by `read_qrels`.

    Attributes
    ----------
    grades : ndarray of shape (n_documents,), float64
        Grade of each judged document; negative grades are those of the file.
    words : mapping of str to float
        Grades of the words that were read.
    UNSAMPLED : float
        -1, the grade of a document that was pooled, but not sampled for judging.
    name, topics, indptr, documents, n_duplicates
        As in `Run`.
    """

    UNSAMPLED: ClassVar[float] = -1.0
    grades: FloatArray
    words: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold columns, which are read again, and no borders that a kernel would trust.
        columns = self._columns("relevance", self.grades)
        fields = {
            "name": self.name,
            "words": self.words,
            "n_duplicates": self.n_duplicates,
        }
        return _read_again, (read_qrels, columns, fields)

    @cached_property
    def slots(self) -> tuple[NDArray[np.uint64], IntArray, HashKey]:
        """Hash tables of the documents, one for each topic, their extents, and the hash's key."""
        key = draw_key()
        slots, indptr = _core.index_documents(
            document_end=self.documents.end,
            document=self.documents.text,
            indptr=self.indptr,
            key=key,
        )
        return slots, indptr, key

    @cached_property
    def top_grade(self) -> float:
        """The highest grade; 0 if there is none above it."""
        # Studies leave documents out, whose grades are NaN.
        return float(np.fmax.reduce(self.grades, initial=0.0))

    @cached_property
    def are_fractional(self) -> bool:
        """Whether any grade is not a whole number."""
        is_fractional = self.grades > np.floor(self.grades)
        return bool(is_fractional.any())

    def pool(self, negative: Negative = "unsampled") -> Pool:
        """Return the grades as levels.

        Parameters
        ----------
        negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
            Meaning of negative grades, as in `rank`; ``"unsampled"`` by default.

        Returns
        -------
        Pool
            The levels.
        """
        choice("negative", negative, get_args(Negative))
        if negative not in self._pools:
            self._pools[negative] = self._read_pool(negative)
        return self._pools[negative]

    @cached_property
    def _pools(self) -> dict[Negative, Pool]:
        return {}

    def _read_pool(self, negative: Negative) -> Pool:
        grades = self.grades
        is_negative = grades < 0
        if negative == "error":
            self._refuse_negative(is_negative)

        is_unsampled = np.zeros_like(is_negative)
        if negative == "all_unsampled":
            is_unsampled = is_negative
        elif negative == "unsampled":
            is_unsampled = grades == self.UNSAMPLED
        is_left_out = is_negative if negative == "unjudged" else is_unsampled
        grades_from_zero = np.maximum(grades, 0.0)
        distinct_grades, levels = levels_of(
            np.where(is_left_out, np.nan, grades_from_zero)
        )
        n_levels = len(distinct_grades)
        levels[is_unsampled] = n_levels + 1

        # The judged documents of every topic, best first.
        is_judged = levels < n_levels
        topic_of_document = self.topic_of_document()
        descending_levels = -levels.astype(np.int64)
        best_first = np.lexsort((descending_levels, topic_of_document))
        judged_best_first = best_first[is_judged[best_first]]
        n_judged = np.bincount(topic_of_document[is_judged], minlength=self.n_topics)

        level_outside = np.array(n_levels, dtype=levels.dtype)
        return Pool(
            topics=self.topics,
            grades=distinct_grades,
            levels=np.append(levels, level_outside),
            best_first=levels[judged_best_first],
            indptr=indptr_of(n_judged),
        )

    def _refuse_negative(self, is_negative: BoolArray) -> None:
        row = first_true(is_negative)
        if row is None:
            return
        topic_number = self.topic_of_document()[row]
        topic = str(self.topics[topic_number])
        raise ValueError(
            f"{self.name}: grades must be >= 0, got {self.grades[row]:g} for document "
            f"{self.documents[row]!r} of topic {topic!r}. Pass negative= to give it a meaning."
        )

    def map_grades(self, grades: Mapping[float, float]) -> Qrels:
        """Give documents of some grades other grades.

        Parameters
        ----------
        grades : mapping of float to float
            New grade for each old grade; all other grades stay.

        Returns
        -------
        Qrels
            The same judgments with the new grades.

        Examples
        --------
        >>> from skgraded.trec import read_qrels
        >>> read_qrels({"q1": {"a": 4, "b": 3, "c": 0}}).map_grades({4: 3}).grades
        array([3., 3., 0.])
        """
        if not grades:
            return self
        new_grades = self.grades.copy()
        for old, new in grades.items():
            new_grades[self.grades == old] = new
        return dataclasses.replace(self, grades=new_grades)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the judgments as a dict of dicts, as in pytrec_eval.

        Returns
        -------
        dict
            Grade by topic id and document id; integer grades are int.
        """
        is_whole = self.grades == np.floor(self.grades)
        is_exact = np.abs(self.grades) <= _LARGEST
        if (is_whole & is_exact).all():
            return self._nested(self.grades.astype(np.int64))
        return self._nested(self.grades)

    def to_frame(self) -> pd.DataFrame:
        """Return the judgments as a DataFrame with ir_measures' columns.

        Returns
        -------
        DataFrame
            Columns query_id, doc_id and relevance.
        """
        return self._frame("relevance", self.grades)

    def notes(self, negative: Negative = "unsampled") -> list[str]:
        """Describe negative grades and repeated judgments in sentences.

        Parameters
        ----------
        negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
            Meaning of negative grades, as in `rank`; ``"unsampled"`` by default.

        Returns
        -------
        list of str
            The sentences; none if there is nothing to say.

        Examples
        --------
        >>> from skgraded.trec import read_qrels
        >>> read_qrels({"q1": {"a": 1, "b": -1}}).notes()
        ['The qrels hold 1 document of grade -1, pooled but unsampled.']
        """
        notes = [read_as(self.words)] if self.words else []

        is_unsampled = self.grades == self.UNSAMPLED
        is_negative = (self.grades < 0) & ~is_unsampled
        n_unsampled = int(is_unsampled.sum())
        n_negative = int(is_negative.sum())
        fates = {
            "nonrelevant": "judged not relevant",
            "unjudged": "unjudged",
            "all_unsampled": "pooled but unsampled",
        }
        clauses = []
        if n_unsampled:
            fate = fates.get(negative, "pooled but unsampled")
            clauses.append(f"{count(n_unsampled, 'document')} of grade -1, {fate}")
        if n_negative:
            fate = fates.get(negative, "judged not relevant")
            grades = "other negative grades" if n_unsampled else "negative grades"
            clauses.append(f"{count(n_negative, 'document')} of {grades}, {fate}")
        if clauses:
            notes.append(f"The qrels hold {'; '.join(clauses)}.")

        if self.n_duplicates:
            notes.append(f"The qrels repeat {count(self.n_duplicates, 'judgment')}.")
        return notes

    def __repr__(self) -> str:
        grades, counts = np.unique(self.grades, return_counts=True)
        by_grade = ", ".join(
            f"{n_documents} of grade {grade:g}"
            for grade, n_documents in zip(grades, counts, strict=True)
        )
        size = f"{self.n_documents} documents, {self.n_topics} topics"
        return f"<Qrels {self.name}: {size}; {by_grade}>"


def qrels_from_records(
    records: Records, name: str, raters: Raters | None = None
) -> Qrels:
    """Group judgments by topic.

    Repeated ones count once, and raise an error if they differ, unless `raters` combines them.
    """
    repeats: dict[int, list[int]] = {}

    def check_duplicate(again: int, first: int) -> None:
        repeats.setdefault(first, [first]).append(again)
        old = records.values[first]
        new = records.values[again]
        if raters is None and old != new:
            raise ValueError(
                f"{records.place(again)}: document {records.documents[again]!r} of topic "
                f"{records.topic_of(again)!r} must have one grade, got {new:g} here and {old:g} in "
                f"{records.place(first).rsplit(', ')[-1]}. If several people judged, raters='mean' "
                "or another rule combines their grades; judgments by subtopic are not read."
            )

    row = first_true(np.abs(records.values) > _LARGEST)
    if row is not None:
        raise ValueError(
            f"{records.place(row)}: a grade must be at most 2**53, got {records.values[row]:g}."
        )
    fields, rows = group_records(records, name, check_duplicate)
    grades = records.values[rows]
    if raters is not None and repeats:
        place_of = {row: place for place, row in enumerate(np.asarray(rows).tolist())}
        for records_of_pair in repeats.values():
            (place,) = [place_of[row] for row in records_of_pair if row in place_of]
            grades[place] = _combined(records.values[records_of_pair], raters)
    return Qrels(**fields, grades=grades, words=records.words)


def _combined(grades: FloatArray, raters: Raters) -> float:
    """Combine the grades of several raters; those below 0, who did not judge, do not count."""
    if (grades >= 0).any():
        grades = grades[grades >= 0]
    if raters == "majority":
        distinct, counts = np.unique(grades, return_counts=True)
        return float(
            distinct[counts.argmax()]
        )  # the lowest of those that are as frequent
    if raters == "mean":
        return float(grades.mean())
    if raters == "median":
        return float(np.median(grades))
    return float(grades.min() if raters == "min" else grades.max())


def read_qrels(
    source: Any,
    *,
    grades: Mapping[Any, float] | None = None,
    raters: Raters | None = None,
) -> Qrels:
    """Read relevance judgments.

    Parameters
    ----------
    source : path, file object, mapping, table, iterable or Qrels
        Lines: a file of ``topic iteration document grade``, none longer than 1,000,000 bytes.
        Tables: a file of CSV, TSV, JSON lines or Parquet, a frame of pandas or polars, a table of
        Arrow or Hugging Face, a list of dicts, with the columns query_id, doc_id and
        relevance, or other names for them. Dicts: grades by topic and document, or relevant ids by
        topic, also in a file of JSON, or Qrels of ranx. Files are plain or compressed by gzip, xz,
        bzip2 or zstd (their first bytes decide, not their names); blank lines and lines that start
        with ``#`` are skipped. Qrels are returned as they are, but for `grades`.
    grades : mapping of str or float to float, optional
        The grade of each word, such as ``{"E": 3, "S": 2, "C": 1, "I": 0}``, and new grades for
        numbers; other numbers stay. Ordered categories of words are grades without it.
    raters : {"mean", "median", "majority", "min", "max"}, optional
        The grade of a document that several people judged: ``"majority"`` is the most frequent
        grade, and the lowest one of several. Negative grades count only where there are no others.
        Without it, grades that differ are an error.

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
        If a file is Parquet, and pyarrow is not installed.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_qrels({"q1": {"d1": 2, "d2": 0}})
    <Qrels <dict>: 2 documents, 1 topics; 1 of grade 0, 1 of grade 2>
    >>> trec.read_qrels({"q1": {"d1": "exact", "d2": "no"}}, grades={"no": 0, "exact": 2}).grades
    array([2., 0.])
    >>> two_raters = {"qid": ["q", "q"], "docid": ["d", "d"], "rating": [3, 2]}
    >>> trec.read_qrels(two_raters, raters="mean").grades
    array([2.5])
    """
    words, numbers = _words_and_numbers({} if grades is None else grades)
    if raters is not None:
        choice("raters", raters, get_args(Raters))
    if isinstance(source, Qrels):
        return source.map_grades(numbers)
    records = read_records(source, Request(grades=words))
    name = name_of_source(source)
    if raters is None:
        return qrels_from_records(records, name).map_grades(numbers)

    # Grades are changed before they are combined.
    values = records.values.copy()
    for old, new in numbers.items():
        values[records.values == old] = new
    return qrels_from_records(dataclasses.replace(records, values=values), name, raters)


def _words_and_numbers(grades: Any) -> tuple[dict[str, float], dict[float, float]]:
    """Check the meaning of grades; tell those of words from those of numbers."""
    is_mapping = isinstance(grades, Mapping)
    if not is_mapping or not all(
        is_number(new) and math.isfinite(new) for new in grades.values()
    ):
        raise ArgumentError(
            "grades",
            "must map words or numbers to finite grades, such as {'no': 0, 'good': 1}, got "
            f"{grades!r}.",
        )

    words: dict[str, float] = {}
    numbers: dict[float, float] = {}
    for old, new in grades.items():
        try:
            numbers[float(old)] = float(new)
        except (TypeError, ValueError):
            words[str(old)] = float(new)
    return words, numbers


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Run(TopicDocuments):
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
    n_contradicted : int
        Topics whose ranks contradict the scores, of those among the first 50,000 records.
    """

    scores: NDArray[np.float64]
    ranks: NDArray[np.int32] | None
    tag: str
    n_contradicted: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold columns, which are read again, and no borders that a kernel would trust.
        columns = self._columns("score", self.scores)
        if self.ranks is not None:
            columns["rank"] = self.ranks
        fields = {
            "name": self.name,
            "tag": self.tag,
            "n_duplicates": self.n_duplicates,
            "n_contradicted": self.n_contradicted,
        }
        return _read_again, (read_run, columns, fields)

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
        return (
            f"<Run {self.name}: {self.n_documents} documents, {self.n_topics} topics>"
        )


def run_from_records(records: Records, name: str, strict: bool) -> Run:
    """Group retrieved documents by topic; keep the best of repeated ones, or raise an error."""

    def check_duplicate(again: int, first: int) -> None:
        if strict:
            raise ValueError(
                f"{records.place(again)}: a run must name a document once in a topic, got "
                f"{records.documents[again]!r} of topic {records.topic_of(again)!r} again, first "
                f"in {records.place(first).rsplit(', ')[-1]}."
            )

    fields, rows = group_records(records, name, check_duplicate)
    scores = records.values[rows]
    ranks = None if records.ranks is None else records.ranks[rows]
    return Run(
        **fields,
        scores=scores,
        ranks=ranks,
        tag=records.tag,
        n_contradicted=records.n_contradicted,
    )


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
        Whether a document that a topic names twice is an error. Otherwise the one with the highest
        score counts, and the number of the others is kept.
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
        If a file is Parquet, and pyarrow is not installed.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.read_run({"q1": {"d1": 2.5, "d7": 1.0}}, name="bm25")
    <Run bm25: 2 documents, 1 topics>
    >>> trec.read_run({"q1": ["d1", "d7"]}).ranks
    array([1, 2], dtype=int32)
    """
    return read_columns_of_run(source, strict=strict, name=name, with_ranks=True)


def read_columns_of_run(
    source: Any, *, strict: bool, name: str | None, with_ranks: bool
) -> Run:
    """Read a run as `read_run` does; a file's rank column only where it is needed."""
    flag("strict", strict)
    if isinstance(source, Run):
        return source if name is None else dataclasses.replace(source, name=name)

    records = read_records(source, Request(is_run=True, with_ranks=with_ranks))
    if name is None and is_source(source):
        name = short_name(source)
    elif name is None:
        name = name_of_source(source)
    return run_from_records(records, name, strict)


def named_runs(runs: Any) -> list[NamedSource]:
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

    sources: list[NamedSource]
    if isinstance(runs, Mapping):
        sources = [(str(name), run) for name, run in runs.items()]
    else:
        entries = list(runs)
        if entries and is_record(entries[0]):
            sources = [(None, entries)]
        else:
            sources = [(None, run) for run in entries]
    if not sources:
        raise ArgumentError("runs", "must hold at least one run, got none.")
    return sources


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the systems; a name that occurs several times is numbered."""
    times = Counter(names)
    times_so_far = Counter[str]()
    unique = []
    for name in names:
        times_so_far[name] += 1
        number = f"#{times_so_far[name]}" if times[name] > 1 else ""
        unique.append(f"{name}{number}")
    return tuple(unique)
