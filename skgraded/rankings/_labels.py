"""`Labels`, the grades of all documents by query, with everything that follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._guards import hash_ids
from skgraded._sealed import (
    all_sealed,
    require,
    require_borders,
    require_column,
    require_permutation,
    sealed,
)
from skgraded._support.lazy import cached_property
from skgraded.rankings._kept import Kept, keep
from skgraded.rankings._levels import UNJUDGED, ReadLabels, level_type, levels_of
from skgraded.rankings._own_scales import TOP_OF_SHARED_SCALE, ScalePart, parts_by_scale
from skgraded.rankings._ranked_list import RankedList, Unjudged

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Labels:
    """Base class of `Judgments`, which documents the arrays.

    A grade is stored as its *level*, its index in the ascending array ``grades`` of the distinct
    grades that occur. Grade 0 is always level 0, and levels from ``len(grades)`` on mark unjudged
    documents.

    Attributes
    ----------
    n_queries, n_documents, n_levels : int
        Numbers of queries, documents and distinct grades.
    top_grade : float
        The highest grade of the whole data set; a part of it may lack documents of this grade.
    has_fractional_grades : bool
        Whether some grade is not a whole number.
    has_own_pool : bool
        Whether the pools are the judged documents of the lists, and were not given.
    splits_by_scale : bool
        Whether `by_scale` has parts. If not, either all queries have whole grades up to 31, so that
        measures may keep a number for each pair of levels, or the queries already have levels of
        their own.
    """

    qid: NDArray[Any]
    indptr: IntArray
    _places: IntArray | None
    weights: FloatArray | None
    _graded: FloatArray | None
    borders: IntArray | None  # of the levels that each query has of its own

    @classmethod
    def _of(cls, **parts: Any) -> Self:
        """Make judgments from arrays that fit together."""
        made = cls.__new__(cls)
        made._set_up(**parts)
        return made

    def _set_up(
        self,
        *,
        qid: NDArray[Any],
        indptr: IntArray,
        places: IntArray | None,
        labels: ReadLabels,
        weights: FloatArray | None = None,
        pool: RankedList | None = None,
        borders: IntArray | None = None,
    ) -> None:
        self.qid, self.indptr, self._places, self.weights = all_sealed(qid, indptr, places, weights)
        self.n_queries = len(indptr) - 1
        self.n_documents = int(indptr[-1])
        grades, levels, self._graded = all_sealed(labels.grades, labels.levels, labels.graded)
        if levels is not None:
            self.grades, self.levels = grades, levels
        self.top_grade = labels.top_grade
        self.has_fractional_grades = labels.any_fractional
        if labels.any_unjudged is not None:
            self.has_unjudged = labels.any_unjudged
        self.borders = borders
        is_short = self.top_grade <= TOP_OF_SHARED_SCALE and not self.has_fractional_grades
        self.splits_by_scale = borders is None and not is_short
        self.has_own_pool = pool is None
        if pool is not None:
            self.pool = pool.sealed()
        self.kept = Kept()
        self._parts: dict[tuple[int, int], Self] = {}
        self._pool_counts: dict[bytes, IntArray] = {}

    @classmethod
    def of_lists(
        cls,
        levels: NDArray[Any],
        indptr: IntArray,
        grades: FloatArray,
        pool: RankedList,
        qid: NDArray[Any] | None = None,
    ) -> Self:
        """Make judgments of retrieved lists whose pools also hold unretrieved documents.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Level of each document of the lists.
        indptr : ndarray of shape (n_queries + 1,), int64
            ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
        grades : ndarray of shape (n_levels,), float64
            The grades of the levels, ascending, starting with 0.
        pool : RankedList
            The judged documents of each query, best grade first.
        qid : ndarray of shape (n_queries,), optional
            Query ids; 0, 1, ... by default.

        Returns
        -------
        Judgments
            The labels by query.
        """
        return cls._of(
            qid=np.arange(len(indptr) - 1) if qid is None else qid,
            indptr=indptr,
            places=None,
            labels=ReadLabels.of_levels(grades, levels),
            pool=pool,
        )

    def relabel(
        self, grades: FloatArray, level_of: NDArray[Any], pool: RankedList | None = None
    ) -> Self:
        """Return judgments of the same documents with other grades.

        Parameters
        ----------
        grades : ndarray of shape (n_levels,), float64
            The grades of the new levels, ascending, starting with 0.
        level_of : ndarray
            New level of each old level, including the two levels of unjudged documents.
        pool : RankedList, optional
            The new pool; by default it holds the judged documents of the lists.

        Returns
        -------
        Judgments
            The new labels.
        """
        return self._of(
            qid=self.qid,
            indptr=self.indptr,
            places=self._places,
            labels=ReadLabels.of_levels(
                grades, level_of.astype(level_type(len(grades)))[self.levels]
            ),
            weights=self.weights,
            pool=pool,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes from which the others follow, with the pool if there is one."""
        return {
            "qid": self.qid,
            "indptr": self.indptr,
            "places": self._places,
            "grades": self.grades,
            "levels": self.levels,
            "weights": self.weights,
            "pool": vars(self).get("pool"),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Check arrays that come out of a pickle, and take them."""
        _require_labels(**state)
        labels = ReadLabels.of_levels(state.pop("grades"), state.pop("levels"))
        self._set_up(labels=labels, **state)

    @cached_property
    def grades(self) -> FloatArray:
        """The distinct grades, ascending, of all queries."""
        return self._common_scale[0]

    @cached_property
    def levels(self) -> NDArray[Any]:
        """Level of the document at every position."""
        return self._common_scale[1]

    @cached_property
    def _common_scale(self) -> tuple[FloatArray, NDArray[Any]]:
        # Most measures do not need it where queries have levels of their own.
        grades, levels = all_sealed(*levels_of(self.graded))
        return grades, levels

    @property
    def n_levels(self) -> int:
        """Number of distinct grades."""
        return len(self.grades)

    @property
    def _has_many_levels(self) -> bool:
        """Whether counts of all levels would take more memory than the documents."""
        return self.n_queries * self.n_levels > self.n_documents

    @property
    def graded(self) -> FloatArray:
        """Grade of the document at every position; unjudged ones have -1 or -2."""
        if self._graded is not None:
            return self._graded
        graded: FloatArray = self._with_marks[self.levels]
        return graded

    @property
    def _with_marks(self) -> FloatArray:
        return np.append(self.grades, [UNJUDGED, UNJUDGED - 1.0])

    @property
    def graded_pool(self) -> tuple[FloatArray, IntArray]:
        """Grades of the pools and their borders; those of the lists if these hold the pools."""
        if self.has_own_pool:
            return self.graded, self.indptr
        return self._with_marks[self.pool.levels], self.pool.indptr

    @cached_property
    def fingerprints(self) -> NDArray[np.uint64]:
        """A number that stands for the judged grades of each query, whatever their order."""
        graded, indptr = self.graded_pool
        hashes = hash_ids((graded + 0.0).view(np.uint64)) * (graded >= 0.0)  # -0.0 is 0.0
        sums = np.append(np.zeros(1, np.uint64), np.cumsum(hashes))
        return sums[indptr[1:]] - sums[indptr[:-1]]

    @cached_property
    def row_order(self) -> IntArray | None:
        """Row of the input at every position, int64; None if the rows are grouped by query."""
        if self._places is None:
            return None
        row_order = np.empty_like(self._places)
        row_order[self._places] = np.arange(len(row_order))
        return sealed(row_order)

    @cached_property
    def schedule(self) -> IntArray:
        """Order in which queries are sorted by score; those of similar size are neighbours."""
        return _core.schedule_queries(self.indptr)

    @property
    def top_of_scale(self) -> int:
        """The highest grade of the data set, rounded up."""
        return math.ceil(self.top_grade)

    @cached_property
    def by_scale(self) -> tuple[ScalePart, ...]:
        """Queries of a few whole grades, and others with levels of their own."""
        return parts_by_scale(self) if self.splits_by_scale else ()

    @cached_property
    def has_unjudged(self) -> bool:
        """Whether any document is unjudged."""
        return bool(self.levels.max(initial=0) >= self.n_levels)

    @cached_property
    def pool(self) -> RankedList:
        """The judged documents of each query, best grade first."""
        if self._has_many_levels:
            return self._sort_pool().sealed()
        return RankedList.best_first(self.counts, self.levels.dtype)

    def _sort_pool(self) -> RankedList:
        order, _ = _core.rank(self.levels.astype(np.float64), self.indptr, self.schedule, 1)
        levels = _core.gather_levels(self.levels, order, self.indptr, 1)
        ranked = RankedList.without_ties(levels, self.indptr)
        return ranked.below_level(self.n_levels) if self.has_unjudged else ranked

    @cached_property
    def counts(self) -> IntArray:
        """Number of judged documents by query and level, shape (n_queries, n_levels)."""
        pool: RankedList | None = vars(self).get("pool")
        # A pool that was not given would hold these documents, so that it need not be made.
        levels, indptr = (self.levels, self.indptr) if pool is None else (pool.levels, pool.indptr)
        return _core.count_levels(levels, indptr, self.n_levels)

    def list_lengths(self, unjudged: Unjudged) -> IntArray:
        """Count the documents of each query, or only the judged ones of condensed lists.

        Parameters
        ----------
        unjudged : {"nonrelevant", "condense"}
            Rule for unjudged documents.

        Returns
        -------
        ndarray of shape (n_queries,), int64
            The lengths.
        """
        if unjudged == "nonrelevant" or not self.has_unjudged:
            return np.diff(self.indptr)
        judged = np.concatenate(([0], np.cumsum(self.levels < self.n_levels)))
        return np.diff(judged[self.indptr])

    def count_pool(self, counted: NDArray[np.bool_]) -> IntArray:
        """Count the judged documents of each query whose level is marked.

        Parameters
        ----------
        counted : ndarray of shape (n_levels,), bool
            Marks of the levels to count.

        Returns
        -------
        ndarray of shape (n_queries,), int64
            The counts.
        """
        key = counted.tobytes()
        found = self._pool_counts.get(key)
        if found is None:
            if self._has_many_levels:
                found = _core.count_marked_documents(
                    self.pool.levels, self.pool.indptr, counted.view(np.uint8)
                )
            else:
                found = _core.count_marked(self.counts, counted.view(np.uint8))
            keep(self._pool_counts, key, found)
        return found

    def sum_over_pool(self, by_level: FloatArray) -> FloatArray:
        """Sum a function of the level over the judged documents of each query.

        Parameters
        ----------
        by_level : ndarray of shape (n_levels,)
            Value of the function at every level.

        Returns
        -------
        ndarray of shape (n_queries,)
            The sums. They are added document by document, so that their bits do not depend on
            which levels occur.
        """
        ones = np.ones(self.pool.longest)
        whole = _core.last_rank(None)
        return _core.discounted_gain(*self.pool, ones, False, by_level, whole, False, 1)

    def require_integer_grades(self, owner: str) -> None:
        """Raise if a grade is fractional.

        Parameters
        ----------
        owner : str
            The function that needs integer grades, for the message.

        Raises
        ------
        ValueError
            If a grade is fractional.
        """
        if self.has_fractional_grades:
            fractional = self.grades[self.grades != np.floor(self.grades)]
            raise ValueError(
                f"y_true must hold integer grades for {owner}, which compares them with thresholds "
                f"1, 2, ..., got {fractional[0]:g}. Measures take fractional grades as they are."
            )

    def split_by_queries(self, n_queries: int) -> Iterator[slice]:
        """Split the queries into slices of consecutive queries.

        Parameters
        ----------
        n_queries : int
            Number of queries per slice; the last slice may have fewer.

        Yields
        ------
        slice
            The numbers of the queries.
        """
        for start in range(0, self.n_queries, n_queries):
            yield slice(start, min(start + n_queries, self.n_queries))

    def of_queries(self, queries: slice) -> Self:
        """Select consecutive queries.

        Parameters
        ----------
        queries : slice
            The numbers of the queries.

        Returns
        -------
        Judgments
            The judgments of these queries, with the grades of all queries.
        """
        key = queries.start, queries.stop
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = self._cut(queries)
        return found

    def _cut(self, queries: slice) -> Self:
        first, last = self.indptr[queries.start], self.indptr[queries.stop]
        pool = self.pool
        pooled = slice(pool.indptr[queries.start], pool.indptr[queries.stop])
        part = self._of(
            qid=self.qid[queries],
            indptr=self.indptr[queries.start : queries.stop + 1] - first,
            places=None,
            labels=ReadLabels.of_levels(
                self.grades, self.levels[first:last], self.has_fractional_grades
            ),
            weights=None if self.weights is None else self.weights[queries],
            pool=RankedList(
                pool.levels[pooled],
                pool.tied[pooled],
                pool.indptr[queries.start : queries.stop + 1] - pooled.start,
            ),
        )
        part.top_grade = self.top_grade
        if "counts" in vars(self):
            part.counts = self.counts[queries]
        return part

    def select_queries(self, marked: NDArray[np.bool_], documents: IntArray) -> Self:
        """Select marked queries.

        Parameters
        ----------
        marked : ndarray of shape (n_queries,), bool
            Marks of the queries.
        documents : ndarray, int64
            The positions of their documents.

        Returns
        -------
        Judgments
            The judgments of these queries.
        """
        pool = None
        if self._graded is not None:
            labels = ReadLabels.of_grades(self._graded[documents])
        else:
            labels = ReadLabels.of_levels(self.grades, self.levels[documents])
        if not self.has_own_pool:
            pooled = np.repeat(marked, self.pool.lengths)
            borders = _borders(self.pool.lengths[marked])
            pool = RankedList.without_ties(self.pool.levels[pooled], borders)
        return self._of(
            qid=self.qid[marked],
            indptr=_borders(np.diff(self.indptr)[marked]),
            places=None,
            labels=labels,
            weights=None if self.weights is None else self.weights[marked],
            pool=pool,
        )


def _borders(lengths: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(lengths)))


def _require_labels(
    *, qid: Any, indptr: Any, places: Any, grades: Any, levels: Any, weights: Any, pool: Any
) -> None:
    """Raise UnpicklingError unless these arrays fit together."""
    n_queries, n_documents, n_levels = len(indptr) - 1, len(levels), len(grades)
    require(type(qid) is np.ndarray and qid.shape == (n_queries,), "qid must name every query")
    require_borders("indptr", indptr, n_queries, n_documents)
    require_column("grades", grades, (np.float64,), n_levels)
    rising = n_levels and grades[0] == 0 and (grades[1:] > grades[:-1]).all()
    require(rising and np.isfinite(grades[-1]), "grades must rise from 0")
    require_column("levels", levels, (np.uint8, np.int32), n_documents, below=n_levels + 2)
    if places is not None:
        require_column("places", places, (np.int64,), n_documents, below=n_documents)
        require_permutation("places", places)
    if weights is not None:
        require_column("weights", weights, (np.float64,), n_queries)
        require((weights >= 0).all() and np.isfinite(weights).all(), "weights must be finite")
    if pool is not None:
        require(isinstance(pool, RankedList), "pool must be a RankedList")
        require_borders("pool.indptr", pool.indptr, n_queries, len(pool.levels))
        require_column("pool.levels", pool.levels, (levels.dtype.type,), len(pool.levels), n_levels)
        pool.require_ties()
