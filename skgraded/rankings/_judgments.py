"""`Judgments`, labels by query with everything that depends on them alone.

A data set is read in two steps, because model training repeats only the second: `Judgments` holds
the rows of every query, the grades, the pool and the ideal ranking, and `Rankings` adds scores.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._guards import (
    hash_ids,
    warn_about_queries,
    warn_if_ids_are_forgotten,
    warn_if_scores_are_ranks,
    warn_if_swapped,
)
from skgraded._support.arguments import ArgumentError, threads
from skgraded._support.array_types import BoolArray, FloatArray, HashArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.memo import Memo
from skgraded._support.sealed import sealed
from skgraded.rankings._columns import (
    CheckedColumns,
    QueryIds,
    read_columns,
    refuse_other_order,
    require_same_queries,
)
from skgraded.rankings._levels import (
    TOP_OF_SHORT_SCALE,
    UNJUDGED,
    Layout,
    ReadLabels,
    ScalePart,
    go_by_own_levels,
    levels_of,
    mean_by_query,
    parts_by_scale,
    read_labels,
)
from skgraded.rankings._numbers import (
    borders_of_groups,
    distinct_numbers,
    numeric_labels,
    own_scores,
)
from skgraded.rankings._queries import Grouping, place_rows
from skgraded.rankings._rankings import (
    IdealRanking,
    RankedList,
    Rankings,
    Unjudged,
    checksum,
    made_again,
)

# All arrays of a call together take less than so many bytes a row.
_BYTES_A_ROW = 64
_MOST_BYTES_KEPT = 2**25 - 2**13


def _keep_heap_warm(n_rows: int) -> None:
    """Let later calls take memory that earlier ones have freed.

    glibc gives freed memory back to the system from twice the size of the largest block on that was
    freed before, of up to 32 MiB. The arrays of a call are freed together, so that the next would
    spend up to half of its time on pages that the system clears anew: nDCG@10 of 10,000 queries of
    100 documents takes 16 ms instead of 8. So a block of the size of a call's arrays is made here,
    which nothing is written to, and freed first.
    """
    np.empty(min(_BYTES_A_ROW * n_rows, _MOST_BYTES_KEPT), np.uint8)


class Judgments:
    """Graded labels by query, read once: the fast way to score many vectors of scores.

    Labels and query ids are checked and grouped here, and everything that depends on them alone is
    computed once: pools, ideal rankings, the constants of each measure. Whatever takes grades and
    scores also takes `Judgments` and scores, as in ``nDCG(k=10)(judgments, y_score)`` and
    ``evaluate(measures, judgments, y_score)``. A call then checks, sorts and scores, with the same
    bits as one with arrays. Scores are in the row order of the labels.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades: 0 is judged not relevant, NaN is unjudged. Or what `query_target` or
        `query_series` makes of them.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order, or what `query_ids` makes of them.
        Without ids all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.

    Attributes
    ----------
    n_queries, n_documents, n_levels : int
        Numbers of queries, documents and distinct grades.
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
    places : ndarray of shape (n_documents,), int64, or None
        The position of every row; None if the rows are grouped by query.
    grades : ndarray of shape (n_levels,), float64
        The distinct grades, ascending; ``grades[0]`` is 0. A grade is stored as its *level*, its
        index among them.
    levels : ndarray of shape (n_documents,), uint8 or int32
        Level of the document at every position; ``n_levels`` or above marks unjudged ones.
    weights : ndarray of shape (n_queries,), float64, or None
        Weight of each query in a mean.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows that each query has in its data set, where the target or the ids say so.
    row_labels : mapping of str to Index
        Row labels of the arguments that were pandas objects. The row labels of scores must not
        contradict them.
    top_grade : float
        The highest grade of the whole data set; a part of it may lack documents of this grade.
    has_fractional_grades, has_unjudged : bool
        Whether some grade is not a whole number, and some document unjudged.
    has_own_pool : bool
        Whether the pools are the judged documents of the lists, and were not given.
    borders : ndarray of shape (n_queries + 1,), int64, or None
        ``borders[q]:borders[q + 1]`` are the levels that query q has of its own, beside level 0;
        None if all queries share the levels.
    pool : RankedList
        The judged documents of each query, best grade first. In retrieval, the pool also holds
        judged documents that the run did not retrieve.

    Raises
    ------
    ValueError
        If an array is invalid, or pandas objects or ids in several places contradict each other.

    Warns
    -----
    QueryIdsWarning
        If the query ids look like group sizes.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them.

    See Also
    --------
    Rankings : Documents ranked by one vector of scores.

    Examples
    --------
    >>> from skgraded import Judgments, evaluate, nDCG
    >>> judgments = Judgments([2, 0, 1, 0], qid=["a", "a", "b", "b"])
    >>> nDCG(k=10)(judgments, [4, 3, 2, 1]), nDCG(k=10)(judgments, [3, 4, 2, 1])
    (1.0, 0.8154648767857288)
    >>> evaluate(["AP", "nDCG@10"], judgments, [3, 4, 2, 1]).mean()
    {'AP': 0.75, 'nDCG@10': 0.8154648767857288}
    """

    sizes: IntArray | None

    def __init__(
        self,
        y_true: ArrayLike | CheckedColumns,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        if isinstance(y_true, CheckedColumns):
            self._lay_out(y_true)
            return
        columns = read_columns(y_true, qid, sample_weight=sample_weight)
        self._lay_out(columns)
        if columns.ids is not None:
            warn_about_queries(self)

    @classmethod
    def from_groups(
        cls, y_true: ArrayLike, group: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Lay out labels by query, from the number of consecutive rows of each query.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades: 0 is judged not relevant, NaN is unjudged.
        group : array-like of shape (n_queries,)
            Number of rows of each query, as in LightGBM.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; the weight of a query is the mean over its rows.

        Returns
        -------
        Judgments
            The labels by query; query ids are 0, 1, ...
        """
        columns = read_columns(y_true, sample_weight=sample_weight)
        indptr = borders_of_groups(group, len(columns.labels))
        n_queries = len(indptr) - 1
        qid = sealed(np.arange(n_queries))
        if columns.ids is not None:  # they must be those of the groups
            qid_of_row = np.repeat(qid, np.diff(indptr))
            return cls(y_true, qid=qid_of_row, sample_weight=sample_weight)

        judgments = cls.__new__(cls)
        judgments._lay_out(columns, (qid, indptr, None))
        return judgments

    def _lay_out(
        self, columns: CheckedColumns, grouping: Grouping | None = None
    ) -> None:
        """Check columns, and put their rows query by query."""
        labels = numeric_labels(columns.labels)
        _keep_heap_warm(len(labels))

        qid, indptr, places = grouping or place_rows(columns.ids, len(labels))
        labels_by_position = read_labels(labels, places)
        weights = columns.sample_weight
        if weights is not None:
            weights = mean_by_query(weights, indptr, places)

        row_labels = columns.row_labels
        layout = Layout(qid, indptr, labels_by_position, places, weights, row_labels)
        self._set_up(layout)

        if columns.sizes is not None:
            first_rows = indptr[:-1]
            if self.row_order is not None:
                first_rows = self.row_order[first_rows]
            self.sizes = columns.sizes[first_rows]

    @classmethod
    def _from_layout(cls, layout: Layout) -> Self:
        """Make judgments from arrays that fit together, which nobody writes to from now on."""
        layout.seal()
        judgments = cls.__new__(cls)
        judgments._set_up(layout)
        return judgments

    def _set_up(self, layout: Layout) -> None:
        labels = layout.labels
        pool = layout.pool
        indptr = layout.indptr
        borders = layout.borders

        self.qid = layout.qid
        self.indptr = indptr
        self.weights = layout.weights
        self.places = layout.places
        self.sizes = layout.sizes
        self.borders = borders
        self.row_labels = layout.row_labels or {}

        self.n_queries = len(indptr) - 1
        self.n_documents = indptr.item(-1)
        self.top_grade = labels.top_grade
        self.has_fractional_grades = labels.any_fractional
        self.has_unjudged = labels.any_unjudged
        self.has_own_pool = pool is None
        self._labels = labels
        self._given_pool = pool
        self.memo = Memo()

        is_short = labels.top_grade <= TOP_OF_SHORT_SCALE and not labels.any_fractional
        if is_short or borders is not None:
            self.by_scale = ()

    @classmethod
    def of_lists(
        cls,
        levels: NDArray[Any],
        indptr: IntArray,
        grades: FloatArray,
        pool: RankedList | None,
        *,
        qid: NDArray[Any] | None = None,
        weights: FloatArray | None = None,
    ) -> Self:
        """Make judgments of ranked lists whose pools may also hold other documents.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Level of each document of the lists.
        indptr : ndarray of shape (n_queries + 1,), int64
            ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
        grades : ndarray of shape (n_levels,), float64
            The grades of the levels, ascending, starting with 0.
        pool : RankedList or None
            The judged documents of each query, best grade first; None if they are those of the
            lists.
        qid : ndarray of shape (n_queries,), optional
            Query ids; 0, 1, ... by default.
        weights : ndarray of shape (n_queries,), optional
            Weight of each query in a mean.

        Returns
        -------
        Judgments
            The labels by query.
        """
        layout = Layout(
            qid=np.arange(len(indptr) - 1) if qid is None else qid,
            indptr=indptr,
            labels=ReadLabels.of_levels(grades, levels),
            weights=weights,
            pool=pool,
        )
        return cls._from_layout(layout)

    @property
    def ideal(self) -> IdealRanking:
        """The ideal ranking: all judged documents, best grade first."""
        return IdealRanking(self)

    def rank(self, y_score: ArrayLike, n_threads: int | None = None) -> Rankings:
        """Rank these documents by a vector of scores, highest first.

        Parameters
        ----------
        y_score : array-like of shape (n_documents,)
            One finite score per row, in the row order of the labels.
        n_threads : int, optional
            Number of threads, which does not change the results. None is one thread, and -1 one per
            processor.

        Returns
        -------
        Rankings
            The ranked documents.

        Raises
        ------
        ValueError
            If a score is invalid, or `y_score` holds row labels in another order or ids of other
            queries.
        """
        if type(y_score) is not np.ndarray:  # which tells nothing of its rows
            self.require_rows_of(y_score=y_score)

        n_threads = threads(n_threads)
        scores = own_scores(y_score, self.places, self.n_documents)
        order, tied = _core.rank(
            scores=scores,
            indptr=self.indptr,
            schedule=self.schedule,
            n_threads=n_threads,
        )
        return Rankings(self, order, tied, n_threads, scores)

    def require_rows_of(self, **scores: Any) -> None:
        """Raise if scores tell that their rows are not those of these labels.

        Parameters
        ----------
        **scores : array-like with n_documents rows
            Scores by name, or data frames of them.

        Raises
        ------
        ValueError
            If they hold row labels in another order, or ids of other queries.
        """
        columns = read_columns(None, **scores)
        refuse_other_order({**self.row_labels, **columns.row_labels})

        if columns.ids is not None:
            ids = np.repeat(self.qid, np.diff(self.indptr))
            if self.places is not None:
                ids = ids[self.places]
            our_ids = QueryIds("the Judgments", ids)
            their_ids = QueryIds("the ids in y_score", columns.ids)
            require_same_queries(our_ids, their_ids)

    def __reduce__(self) -> tuple[Any, ...]:
        labels = self._labels
        pool = self._given_pool
        layout = Layout(
            qid=self.qid,
            indptr=self.indptr,
            labels=labels,
            places=self.places,
            weights=self.weights,
            sizes=self.sizes,
            pool=pool,
            borders=self.borders,
            row_labels=dict(self.row_labels),
        )

        scale = labels.scale or ()
        arrays_of_labels = (*scale, labels.graded, *(pool or ()))
        trusted_arrays = (self.indptr, self.places, self.borders, *arrays_of_labels)
        make = partial(Judgments._from_layout, layout)
        return made_again, (make, trusted_arrays, checksum(trusted_arrays))

    @property
    def grades(self) -> FloatArray:
        """The distinct grades, ascending, of all queries."""
        grades, levels = self._scale
        if grades is not None:
            return grades
        return _core.own_grades(
            grades=self.graded, levels=levels, n_levels=self.n_levels
        )

    @property
    def levels(self) -> NDArray[Any]:
        """Level of the document at every position."""
        return self._scale[1]

    @cached_property
    def lowest_grade(self) -> float:
        """The lowest grade of a judged document; 0 where queries have levels of their own."""
        if self.borders is not None:
            return 0.0
        graded = self._labels.graded
        if self._given_pool is not None:
            graded = None
        # Numbers that are 0 for grade 0, and for no other document.
        numbers = (self._given_pool or self).levels if graded is None else graded

        # One look at both ends mostly tells.
        if not len(numbers) or not numbers.item(-1) or not numbers.item(0):
            return 0.0
        if not numbers.all():
            return 0.0
        if graded is None:
            return self.grades.item(1) if self.n_levels > 1 else 0.0
        return float(graded[graded >= 0].min(initial=self.top_grade))

    @cached_property
    def n_levels(self) -> int:
        """Number of distinct grades."""
        return len(self.grades) if self.borders is None else self.borders.item(-1)

    @cached_property
    def _scale(self) -> tuple[FloatArray | None, NDArray[Any]]:
        # Most measures do not need that of all where queries have levels of their own.
        if self._labels.scale is not None:
            return self._labels.scale
        grades, levels = levels_of(self.graded)
        return sealed(grades), sealed(levels)

    @property
    def graded(self) -> FloatArray:
        """Grade of the document at every position; unjudged ones have -1 or -2."""
        graded = self._labels.graded
        return self._grades_at(self.levels) if graded is None else graded

    def are_judged(self, positions: IntArray) -> BoolArray:
        """Tell whether documents are judged.

        Parameters
        ----------
        positions : ndarray of int
            Positions of the documents.

        Returns
        -------
        ndarray of bool
            Whether each of them is judged.
        """
        graded = self._labels.graded
        if graded is None:
            return self.levels[positions] < self.n_levels
        return graded[positions] >= 0.0

    @property
    def graded_pool(self) -> tuple[FloatArray, IntArray]:
        """Grades of the pools and their borders; those of the lists if these hold the pools."""
        if self.has_own_pool:
            return self.graded, self.indptr
        return self._grades_at(self.pool.levels), self.pool.indptr

    def _grades_at(self, levels: NDArray[Any]) -> FloatArray:
        grade_of_level = np.append(self.grades, [UNJUDGED, UNJUDGED - 1.0])
        return grade_of_level[levels]

    @cached_property
    def fingerprints(self) -> HashArray:
        """A number that stands for the judged grades of each query, whatever their order."""
        graded, indptr = self.graded_pool
        bits = (graded + 0.0).view(np.uint64)  # -0.0 is 0.0
        hashes = hash_ids(bits) * (graded >= 0.0)
        sums = np.append(np.zeros(1, np.uint64), np.cumsum(hashes))
        return sums[indptr[1:]] - sums[indptr[:-1]]

    @cached_property
    def row_order(self) -> IntArray | None:
        """Row of the input at every position, int64; None if the rows are grouped by query."""
        if self.places is None:
            return None
        row_order = np.empty_like(self.places)
        row_order[self.places] = np.arange(len(row_order))
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
        """Queries that share a scale, and others with levels of their own; () if all share one."""
        is_own = go_by_own_levels(self)
        return parts_by_scale(self, is_own) if is_own.any() else ()

    @property
    def pool(self) -> RankedList:
        """The judged documents of each query, best grade first."""
        if self._given_pool is not None:
            return self._given_pool
        counts_are_small = self.n_queries * self.n_levels <= self.n_documents
        if not counts_are_small or self.levels.dtype != np.uint8:
            return self._pool

        # To make it again takes less time than it takes memory.
        levels, tied, indptr = _core.list_best_first(
            counts=self.counts, n_levels=self.n_levels
        )
        return RankedList(levels, tied, indptr)

    @cached_property
    def _pool(self) -> RankedList:
        if self.borders is not None:
            levels, indptr = self.pooled
            levels, indptr = _core.own_pools(
                levels=levels, indptr=indptr, borders=self.borders
            )
            return RankedList.without_ties(levels, indptr)

        order, _ = _core.rank(
            scores=self.levels.astype(np.float64),
            indptr=self.indptr,
            schedule=self.schedule,
            n_threads=1,
        )
        levels = _core.gather_levels(
            level=self.levels, order=order, indptr=self.indptr, n_threads=1
        )
        ranked = RankedList.without_ties(levels, self.indptr)
        return ranked.below_level(self.n_levels) if self.has_unjudged else ranked

    @cached_property
    def counts(self) -> IntArray:
        """Number of judged documents by query and level, shape (n_queries, n_levels)."""
        levels, indptr = self.pooled
        n_levels = self.n_levels
        counts = _core.count_levels(level=levels, indptr=indptr, n_levels=n_levels)
        return counts.reshape(self.n_queries, n_levels)

    @property
    def pooled(self) -> tuple[NDArray[Any], IntArray]:
        """Levels of the pools in any order, n_levels or above for the unjudged, and the borders."""
        if self._given_pool is None:
            return self.levels, self.indptr
        return self._given_pool.levels, self._given_pool.indptr

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
        is_judged = np.ones(self.n_levels, np.uint8)
        return _core.count_marked_documents(
            level=self.levels, indptr=self.indptr, marked=is_judged
        )

    def count_pool(self, counted: BoolArray) -> IntArray:
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
        if self.n_queries * self.n_levels > self.n_documents:  # counts take more memory
            levels, indptr = self.pooled
            return _core.count_marked_documents(
                level=levels, indptr=indptr, marked=counted.view(np.uint8)
            )

        return self.memo.get(
            np.ndarray,
            counted.tobytes(),
            lambda: sealed(self.counts.dot(counted)),
            is_long=True,
        )

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
        if self.borders is not None:
            levels, indptr = self.pooled
            return _core.own_sums(
                by_level=by_level, levels=levels, indptr=indptr, borders=self.borders
            )

        pool = self.pool
        return _core.discounted_gain(
            level_by_rank=pool.levels,
            tied=pool.tied,
            indptr=pool.indptr,
            discount=np.ones(pool.longest),
            ragged=False,
            gain=by_level,
            cutoff=_core.LAST_RANK,
            expected=False,
            n_threads=1,
        )

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
            grades = self.grades
            fractional_grades = grades[grades != np.floor(grades)]

            raise ArgumentError(
                "y_true",
                f"must hold integer grades for {owner}, which compares them with thresholds 1, 2, "
                f"..., got {fractional_grades[0]:g}. Measures take fractional grades as they are.",
            )


def as_rankings(
    y_true: ArrayLike | Judgments | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Rankings:
    """Rank documents given as arrays, or return a `Rankings` unchanged.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), Judgments or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
        `sample_weight`, or a `Rankings`, without `y_score`, either.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them. Without it they are read from
        `y_true`, where that is made by `query_target` or is a Series with an index level ``"qid"``;
        else all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If `y_score` is missing, or other arguments are passed together with a `Rankings`.
    ValueError
        If two pandas objects have the same index in different orders, or ids in two places
        contradict each other.

    Warns
    -----
    QueryIdsWarning
        If there are no query ids and more than 1,000 rows, or if the query ids look like group
        sizes.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them.
    SwappedArgumentsWarning
        If the grades look like scores, and the scores like grades.

    Examples
    --------
    >>> from skgraded.rankings import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if isinstance(y_true, Rankings):
        columns_of_rankings = (y_score, qid, sample_weight)
        if any(column is not None for column in columns_of_rankings):
            raise TypeError(
                "y_score, qid and sample_weight must be None with a Rankings."
            )
        return y_true

    if y_score is None:
        raise TypeError("y_score is missing: pass y_true and y_score, or a Rankings.")
    if isinstance(y_true, Judgments):
        if qid is not None or sample_weight is not None:
            raise TypeError(
                "qid and sample_weight must be None with Judgments, which hold them."
            )
        return y_true.rank(y_score, n_threads)

    columns = read_columns(y_true, qid, y_score=y_score, sample_weight=sample_weight)
    judgments = Judgments(columns)
    if columns.ids is None:
        warn_if_ids_are_forgotten(judgments.n_documents)
    else:
        warn_about_queries(judgments)

    if type(y_score) is not np.ndarray:  # whose rows have been compared
        y_score = distinct_numbers("y_score", y_score)
    rankings = judgments.rank(y_score, n_threads)
    if judgments.has_fractional_grades:
        warn_if_swapped(judgments.graded, rankings)
    if judgments.n_queries > 1:
        warn_if_scores_are_ranks(judgments, rankings)
    return rankings
