"""Qrels: the judged documents of each topic, and their grades."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.arguments import choice
from skgraded._support.sealed import all_sealed, require, require_column
from skgraded._support.text import count
from skgraded.rankings import levels_of
from skgraded.trec._files._documents import HashKey, draw_key
from skgraded.trec._files._records import Records
from skgraded.trec._files._table import Table, column_of_topics, group_records

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

Negative = Literal["unsampled", "nonrelevant", "unjudged", "error"]


class Pool(NamedTuple):
    """Grades of the qrels as levels.

    Attributes
    ----------
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

    grades: FloatArray
    levels: NDArray[Any]
    best_first: NDArray[Any]
    indptr: IntArray


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Qrels(Table):
    """Relevance judgments by topic.

    Made by `read_qrels`.

    Attributes
    ----------
    grades : ndarray of shape (n_documents,), float64
        Grade of each judged document; negative grades are those of the file.
    UNSAMPLED : float
        -1, the grade of a document that was pooled, but not sampled for judging.
    name, topics, indptr, documents, n_duplicates
        As in `Run`.
    """

    UNSAMPLED: ClassVar[float] = -1.0
    grades: FloatArray

    def _require_sound(self) -> None:
        super()._require_sound()
        require_column("grades", self.grades, (np.float64,), self.n_documents)
        require(np.isfinite(self.grades).all(), "grades must be finite")

    @cached_property
    def slots(self) -> tuple[NDArray[np.uint64], IntArray, HashKey]:
        """Hash tables of the documents, one for each topic, their extents, and the hash's key."""
        key = draw_key()
        slots, indptr = all_sealed(
            *_core.index_documents(self.documents.end, self.documents.text, self.indptr, key)
        )
        return slots, indptr, key

    @cached_property
    def top_grade(self) -> float:
        """The highest grade; 0 if there is none above it."""
        return float(np.fmax.reduce(self.grades, initial=0.0))  # studies leave some out, as NaN

    @cached_property
    def are_fractional(self) -> bool:
        """Whether any grade is not a whole number."""
        return bool((self.grades > np.floor(self.grades)).any())

    @cached_property
    def n_unsampled(self) -> int:
        """Documents of grade -1: pooled, but not sampled for judging."""
        return int((self.grades == self.UNSAMPLED).sum())

    @cached_property
    def n_negative(self) -> int:
        """Documents with a grade below 0 other than -1."""
        return int((self.grades < 0).sum()) - self.n_unsampled

    def pool(self, negative: Negative = "unsampled") -> Pool:
        """Return the grades as levels.

        Parameters
        ----------
        negative : {"unsampled", "nonrelevant", "unjudged", "error"}, default="unsampled"
            Meaning of negative grades, as in `rank`.

        Returns
        -------
        Pool
            The levels.
        """
        choice("negative", negative, get_args(Negative))
        pools: dict[str, Pool] = self.__dict__.setdefault("_pools", {})
        if negative not in pools:
            pools[negative] = self._read_pool(negative)
        return pools[negative]

    def _read_pool(self, negative: Negative) -> Pool:
        grades, below_zero = self.grades, self.grades < 0
        if negative == "error" and below_zero.any():
            row = int(np.flatnonzero(below_zero)[0])
            topic = str(self.topics[np.searchsorted(self.indptr, row, side="right") - 1])
            raise ValueError(
                f"{self.name}: grades must be >= 0, got {grades[row]:g} for document "
                f"{self.documents[row]!r} of topic {topic!r}. Pass negative= to give it a meaning."
            )
        unsampled = (
            grades == self.UNSAMPLED if negative == "unsampled" else np.zeros(len(grades), bool)
        )
        left_out = below_zero if negative == "unjudged" else unsampled
        distinct, levels = levels_of(np.where(left_out, np.nan, np.maximum(grades, 0.0)))
        levels[unsampled] = len(distinct) + 1
        judged = levels < len(distinct)
        by_topic = self.topic_of_document()
        order = np.lexsort((-levels.astype(np.int64), by_topic))
        counts = np.bincount(by_topic[judged], minlength=self.n_topics)
        return Pool(
            grades=distinct,
            levels=np.append(levels, np.array(len(distinct), dtype=levels.dtype)),
            best_first=levels[order[judged[order]]],
            indptr=np.concatenate(([0], np.cumsum(counts))),
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
        mapped = self.grades.copy()
        for old, new in grades.items():
            mapped[self.grades == old] = new
        return dataclasses.replace(self, grades=mapped)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the judgments as a dict of dicts, as in pytrec_eval.

        Returns
        -------
        dict
            Grade by topic id and document id; integer grades are int.
        """
        integers = self.grades.astype(np.int64)
        whole = bool((integers == self.grades).all())
        return self._nested(integers if whole else self.grades)

    def to_frame(self) -> pd.DataFrame:
        """Return the judgments as a DataFrame with ir_measures' columns.

        Returns
        -------
        DataFrame
            Columns query_id, doc_id and relevance.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "query_id": self.topics[self.topic_of_document()],
                "doc_id": list(self.documents),
                "relevance": self.grades,
            }
        )

    def notes(self, negative: Negative = "unsampled") -> list[str]:
        """Describe negative grades and repeated judgments in sentences.

        Parameters
        ----------
        negative : {"unsampled", "nonrelevant", "unjudged", "error"}, default="unsampled"
            Meaning of negative grades, as in `rank`.

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
        notes = []
        if self.n_unsampled or self.n_negative:
            notes.append(self._note_on_negative_grades(negative))
        if self.n_duplicates:
            notes.append(f"The qrels repeat {count(self.n_duplicates, 'judgment')}.")
        return notes

    def _note_on_negative_grades(self, negative: Negative) -> str:
        fate = {"nonrelevant": "judged not relevant", "unjudged": "unjudged"}
        told = []
        if self.n_unsampled:
            fate_of_unsampled = fate.get(negative, "pooled but unsampled")
            told.append(f"{count(self.n_unsampled, 'document')} of grade -1, {fate_of_unsampled}")
        if self.n_negative:
            others = "other negative grades" if self.n_unsampled else "negative grades"
            fate_of_others = fate.get(negative, "judged not relevant")
            told.append(f"{count(self.n_negative, 'document')} of {others}, {fate_of_others}")
        return f"The qrels hold {'; '.join(told)}."

    def __repr__(self) -> str:
        values, counts = np.unique(self.grades, return_counts=True)
        pairs = zip(values, counts, strict=True)
        by_grade = ", ".join(f"{number} of grade {grade:g}" for grade, number in pairs)
        size = f"{self.n_documents} documents, {self.n_topics} topics"
        return f"<Qrels {self.name}: {size}; {by_grade}>"


def qrels_from_records(records: Records, name: str) -> Qrels:
    """Group judgments by topic; repeated ones count once, and raise an error if they differ."""

    def check(again: int, first: int, place: Callable[[int], str], document: str) -> None:
        old, new = records.values[first], records.values[again]
        if old != new:
            topic = records.topic_of(again)
            raise ValueError(
                f"{place(again)}: document {document!r} of topic {topic!r} must have one "
                f"grade, got {new:g} here and {old:g} in {place(first).rsplit(', ')[-1]}."
            )

    grouped = group_records(records, check)
    return Qrels(
        name=name,
        topics=column_of_topics(records.topics),
        indptr=grouped.indptr,
        documents=grouped.documents,
        n_duplicates=grouped.n_duplicates,
        grades=grouped.take(records.values),
    )
