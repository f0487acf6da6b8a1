"""Judgments and rankings: the one place where input is validated and laid out by query.

A data set is read in two steps, because model training repeats only the second:

- `Judgments` holds what the labels alone determine: which rows belong to which query, each
  document's grade, the pool, the ideal ranking. It is computed once per data set.
- `Rankings` adds scores: one sort, which every measure, cut-off and tie rule then reads.

Inside, a grade is stored as its *level*, its index in the ascending array ``grades`` of the
distinct grades that occur; grade 0 is always level 0. Levels from ``len(grades)`` on mark unjudged
documents.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._params import threads
from skgraded.rankings._checks import (
    check_group_sizes,
    check_weights,
    numeric_labels,
    own_scores,
)
from skgraded.rankings._grouping import group_rows
from skgraded.rankings._layout import in_layout, level_type, mean_by_query, read_labels
from skgraded.rankings._ranked_list import RankedList
from skgraded.rankings._room import Room

__all__ = ["Judgments", "Rankings", "Ties", "Unjudged", "as_rankings"]

Ties = Literal["expected", "row_order", "pessimistic", "optimistic"]
Unjudged = Literal["nonrelevant", "condense"]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
T = TypeVar("T")

_MOST_LEVELS_IN_PAIRS = 5_000  # 200 MB for the pairs of one query


class Judgments:
    """Graded labels laid out by query: all that does not depend on the scores.

    Use `Judgments.from_arrays` or `Judgments.from_groups`; then `rank` gives the `Rankings`
    of any number of score vectors without looking at the labels again.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    indptr : ndarray of shape (n_queries + 1,), int64
        Documents of query q are ``indptr[q]:indptr[q + 1]`` of the layout.
    row_order : ndarray of shape (n_documents,), int64, or None
        Row at each place of the layout; None where rows are already grouped by query.
    grades : ndarray of shape (n_levels,), float64
        The distinct grades, ascending; ``grades[0]`` is 0.
    levels : ndarray of shape (n_documents,), uint8 or int32
        Level of each document in the layout; ``n_levels`` or above where it is unjudged.
    weights : ndarray of shape (n_queries,), float64, or None
        Weight of each query in a mean.
    pool : RankedList
        The judged documents of each query, best grade first. By default those of the layout; in
        retrieval a pool also holds documents that a run lacks.
    """

    def __init__(
        self,
        *,
        qid: NDArray[Any],
        indptr: IntArray,
        row_order: IntArray | None,
        grades: FloatArray,
        levels: NDArray[Any],
        weights: FloatArray | None = None,
        pool: RankedList | None = None,
        room: Room | None = None,
    ) -> None:
        for handed_out in (qid, weights):  # scores of these judgments hold the same arrays
            if handed_out is not None:
                handed_out.flags.writeable = False
        self.qid = qid
        self.indptr = indptr
        self.row_order = row_order
        self.grades = grades
        self.levels = levels
        self.weights = weights
        self._room = room or Room(len(levels))
        if pool is not None:
            self.pool = pool
        self._memo: dict[Hashable, Any] = {}

    @classmethod
    def from_arrays(
        cls,
        y_true: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Judgments:
        """Lay out one label per row.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades, 0 = judged not relevant; NaN = unjudged.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, of any type, in any order. Without it all rows are one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        Judgments
            The labels by query.
        """
        labels = numeric_labels(y_true)
        ids, indptr, row_order = group_rows(qid, len(labels))
        return cls._from_layout(labels, ids, indptr, row_order, sample_weight)

    @classmethod
    def from_groups(
        cls,
        y_true: ArrayLike,
        group: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Judgments:
        """Lay out rows that stand query by query, from the number of rows in each query.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades, 0 = judged not relevant; NaN = unjudged.
        group : array-like of shape (n_queries,)
            Number of rows of each query, as in LightGBM.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        Judgments
            The labels by query; query ids are 0, 1, ...
        """
        labels = numeric_labels(y_true)
        sizes = check_group_sizes(group, len(labels))
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        return cls._from_layout(labels, np.arange(len(sizes)), indptr, None, sample_weight)

    @classmethod
    def _from_layout(
        cls,
        labels: NDArray[Any],
        qid: NDArray[Any],
        indptr: IntArray,
        row_order: IntArray | None,
        sample_weight: ArrayLike | None,
    ) -> Judgments:
        grades, levels = read_labels(labels)
        weights = None
        if sample_weight is not None:
            row_weights = in_layout(check_weights(sample_weight, len(labels)), row_order)
            weights = mean_by_query(row_weights, indptr)
        return cls(
            qid=qid,
            indptr=indptr,
            row_order=row_order,
            grades=grades,
            levels=in_layout(levels, row_order),
            weights=weights,
        )

    @classmethod
    def of_lists(
        cls,
        levels: NDArray[Any],
        indptr: IntArray,
        grades: FloatArray,
        pool: RankedList,
        qid: NDArray[Any] | None = None,
    ) -> Judgments:
        """Take labels of retrieved lists whose pools also hold documents that the lists lack.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Level of each document of the lists.
        indptr : ndarray of shape (n_queries + 1,), int64
            Extents of the queries in the lists.
        grades : ndarray of shape (n_levels,), float64
            The grades of the levels, ascending, from 0.
        pool : RankedList
            The judged documents of each query, best grade first.
        qid : ndarray of shape (n_queries,), optional
            Query ids; by default 0, 1, ...

        Returns
        -------
        Judgments
            The labels by query.
        """
        return cls(
            qid=np.arange(len(indptr) - 1) if qid is None else qid,
            indptr=indptr,
            row_order=None,
            grades=grades,
            levels=levels,
            pool=pool,
        )

    def relabel(
        self, grades: FloatArray, level_of: NDArray[Any], pool: RankedList | None = None
    ) -> Judgments:
        """Take the same documents to other levels.

        Parameters
        ----------
        grades : ndarray of shape (n_levels,), float64
            The grades of the new levels, ascending, from 0.
        level_of : ndarray
            New level of each old one, the two levels of unjudged documents included.
        pool : RankedList, optional
            The new pool; by default the judged documents of the layout.

        Returns
        -------
        Judgments
            The new labels.
        """
        return Judgments(
            qid=self.qid,
            indptr=self.indptr,
            row_order=self.row_order,
            grades=grades,
            levels=level_of.astype(level_type(len(grades)))[self.levels],
            weights=self.weights,
            pool=pool,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again; a pool may have been given."""
        computed = {
            name for name, member in vars(Judgments).items() if isinstance(member, cached_property)
        }
        left_out = computed - {"pool"}
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        return {**state, "_memo": {}, "_room": Room(self.n_documents)}

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.indptr) - 1

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.levels)

    @property
    def n_levels(self) -> int:
        """Number of distinct grades, 0 included."""
        return len(self.grades)

    @property
    def top_grade(self) -> float:
        """Highest grade of any document."""
        return float(self.grades[-1])

    @cached_property
    def schedule(self) -> IntArray:
        """Query numbers in the order in which they are best sorted: like sizes side by side."""
        return _core.schedule_queries(self.indptr)

    @cached_property
    def has_unjudged(self) -> bool:
        """Whether any document is unjudged."""
        return bool(self.levels.max(initial=0) >= self.n_levels)

    @cached_property
    def pool(self) -> RankedList:
        """The judged documents of each query, best grade first."""
        if self._has_many_levels:
            return self._sort_pool()
        self.counts = _core.count_levels(self.levels, self.indptr, self.n_levels)
        return RankedList.best_first(self.counts, self.levels.dtype)

    def _sort_pool(self) -> RankedList:
        order, _ = _core.rank(self.levels.astype(np.float64), self.indptr, self.schedule, 1)
        levels = _core.gather_levels(self.levels, order, self.indptr, 1)
        ranked = RankedList.without_ties(levels, self.indptr)
        return ranked.below_level(self.n_levels) if self.has_unjudged else ranked

    @property
    def ideal(self) -> Rankings:
        """The ranking of the pool that no other can beat: best grade first."""
        return _IdealRankings(self)

    @cached_property
    def counts(self) -> IntArray:
        """Pool counts: judged documents of each query at each level, (n_queries, n_levels)."""
        pool = self.pool
        made: IntArray | None = vars(self).get("counts")  # together with the pool
        if made is not None:
            return made
        return _core.count_levels(pool.levels, pool.indptr, self.n_levels)

    @cached_property
    def at_least(self) -> IntArray:
        """Recall base RB(level): judged documents at that level or above, (n_queries, n_levels)."""
        return np.cumsum(self.counts[:, ::-1], axis=1)[:, ::-1]

    def list_lengths(self, unjudged: Unjudged) -> IntArray:
        """Count the documents of each query, or its judged ones where lists are condensed.

        Parameters
        ----------
        unjudged : {"nonrelevant", "condense"}
            The measure's rule for unjudged documents.

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
        """Count each query's judged documents whose level is marked.

        Parameters
        ----------
        counted : ndarray of shape (n_levels,), bool
            Which levels count.

        Returns
        -------
        ndarray of shape (n_queries,), int64
            The counts.
        """

        def count() -> IntArray:
            if self._has_many_levels:
                return self.sum_over_pool(counted.astype(np.float64)).astype(np.int64)
            return self.counts @ counted.astype(np.int64)

        return self.once(("count_pool", counted.tobytes()), count)

    @property
    def _has_many_levels(self) -> bool:
        """Whether counts of all levels take more room than the documents."""
        return self.n_queries * self.n_levels > self.n_documents

    def sum_over_pool(self, by_level: FloatArray) -> FloatArray:
        """Add up something that each judged document has by its level.

        Parameters
        ----------
        by_level : ndarray of shape (n_levels,)
            What a document has.

        Returns
        -------
        ndarray of shape (n_queries,)
            The sums, document by document, so that they do not depend on which levels occur.
        """
        ones = np.ones(self.pool.longest)
        whole = _core.last_rank(None)
        return _core.discounted_gain(*self.pool, ones, False, by_level, whole, False, 1)

    def once(
        self, key: Hashable, compute: Callable[[], T], n_bytes: Callable[[T], int] | None = None
    ) -> T:
        """Compute something that only the labels determine, the first time it is asked for.

        Parameters
        ----------
        key : hashable
            Its name.
        compute : callable
            Computes it, without arguments.
        n_bytes : callable, optional
            Tells its size, where that matters: what is large is kept while there is room.

        Returns
        -------
        object
            What was computed, now or earlier.
        """
        if key in self._memo:
            value: T = self._memo[key]
            return value
        value = compute()
        if self._room.takes(0 if n_bytes is None else n_bytes(value)):
            self._memo[key] = value
        return value

    def require_integer_grades(self, owner: object) -> None:
        """Raise where a grade is fractional.

        Parameters
        ----------
        owner : object
            The measure that cannot use it; it is named in the message.

        Raises
        ------
        ValueError
            If a grade is fractional.
        """
        fractional = self.grades[self.grades != np.floor(self.grades)]
        if len(fractional):
            raise ValueError(
                f"y_true must hold integer grades for {owner}, got {fractional[0]:g}: it compares "
                "grades with thresholds 1, 2, ... Measures of gain and discount alone, such as "
                "nDCG, also take fractional labels."
            )

    def require_few_grades(self, owner: object) -> None:
        """Raise where there are so many different grades that their pairs would fill the memory.

        Parameters
        ----------
        owner : object
            The measure that counts pairs of grades; it is named in the message.

        Raises
        ------
        ValueError
            If there are more than 5,000 different grades.
        """
        if self.n_levels > _MOST_LEVELS_IN_PAIRS:
            raise ValueError(
                f"y_true must hold at most {_MOST_LEVELS_IN_PAIRS:,} different grades for {owner}, "
                f"which counts pairs of grades, got {self.n_levels:,}. Measures of gain and "
                "discount alone, such as nDCG, take any number."
            )

    def rank(self, y_score: ArrayLike, n_threads: int | None = None) -> Rankings:
        """Rank these documents by a vector of scores, highest first.

        Parameters
        ----------
        y_score : array-like of shape (n_documents,)
            One finite score per row, in the order of the rows that the labels came in.
        n_threads : int, optional
            Threads for sorting and scoring, on which results do not depend; None is one, -1 as many
            as there are processors.

        Returns
        -------
        Rankings
            The ranked documents.
        """
        n_threads = threads(n_threads)
        scores = own_scores(y_score, self.row_order, self.n_documents)
        order, tied = _core.rank(scores, self.indptr, self.schedule, n_threads)
        return Rankings(self, order, tied, n_threads, scores)

    def split_by_queries(self, n_queries: int) -> Iterator[slice]:
        """Cover all queries by slices of a few each.

        Parameters
        ----------
        n_queries : int
            Number of queries of a slice; the last may be shorter.

        Yields
        ------
        slice
            A run of consecutive queries.
        """
        for start in range(0, self.n_queries, n_queries):
            yield slice(start, min(start + n_queries, self.n_queries))

    def of_queries(self, queries: slice) -> Judgments:
        """Cut out a run of consecutive queries.

        Parameters
        ----------
        queries : slice
            The queries, by number.

        Returns
        -------
        Judgments
            Their judgments, with the grades of all.
        """

        def cut() -> Judgments:
            first, last = self.indptr[queries.start], self.indptr[queries.stop]
            pool = self.pool
            pooled = slice(pool.indptr[queries.start], pool.indptr[queries.stop])
            return Judgments(
                qid=self.qid[queries],
                indptr=self.indptr[queries.start : queries.stop + 1] - first,
                row_order=None,
                grades=self.grades,
                levels=self.levels[first:last],
                weights=None if self.weights is None else self.weights[queries],
                pool=RankedList(
                    pool.levels[pooled],
                    pool.tied[pooled],
                    pool.indptr[queries.start : queries.stop + 1] - pooled.start,
                ),
                room=self._room,
            )

        return self.once(("of_queries", queries.start, queries.stop), cut)


class Rankings:
    """Documents of many queries, ranked by score.

    Attributes
    ----------
    judgments : Judgments
        The labels by query.
    order : ndarray of shape (n_documents,), int32
        ``order[indptr[q] + n - 1]`` is the place, within query q, of the document at rank n.
        Tied documents keep the order of their rows.
    tied : ndarray of shape (n_documents,), uint8
        1 where the score equals that of the document one rank above.
    scores : ndarray of shape (n_documents,), float64, or None
        Scores in the layout, a copy of those that were given; None where all that is known is the
        ranking, as of a TREC run.
    is_ideal : bool
        Whether this is the pool best first, as of `Judgments.ideal`.
    """

    is_ideal: ClassVar[bool] = False

    def __init__(
        self,
        judgments: Judgments,
        order: NDArray[np.int32],
        tied: NDArray[np.uint8],
        n_threads: int = 1,
        scores: FloatArray | None = None,
    ) -> None:
        self.judgments = judgments
        self.order = order
        self.tied = tied
        self.n_threads = n_threads
        self.scores = scores
        self._memo: dict[Hashable, Any] = {}

    @classmethod
    def from_arrays(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Rankings:
        """Rank documents by score within their queries.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades, 0 = judged not relevant; NaN = unjudged. A query's pool is its own rows.
        y_score : array-like of shape (n_documents,)
            Finite scores; the highest comes first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, of any type, in any order. Without it all rows are one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.
        n_threads : int, optional
            Threads for sorting and scoring, on which results do not depend; None is one, -1 as many
            as there are processors.

        Returns
        -------
        Rankings
            The ranked documents, which any measure can score.

        Raises
        ------
        ValueError
            If lengths differ, the input is empty or not one-dimensional, a score is not finite, or
            a grade is negative.

        Examples
        --------
        >>> from skgraded import Rankings, evaluate
        >>> rankings = Rankings.from_arrays([2, 0, 1, 0], [4, 3, 2, 1], qid=["a", "a", "b", "b"])
        >>> evaluate(["AP", "nDCG@10"], rankings).mean()
        {'AP': 1.0, 'nDCG@10': 1.0}
        """
        labels, scores = np.asarray(y_true), np.asarray(y_score)
        if labels.ndim == scores.ndim == 1 and len(labels) != len(scores):
            raise ValueError(
                "y_true and y_score must have one entry per row each, "
                f"got {len(labels)} labels and {len(scores)} scores."
            )
        return Judgments.from_arrays(y_true, qid, sample_weight).rank(y_score, n_threads)

    @classmethod
    def from_trec(cls, qrels: Any, run: Any, **options: Any) -> Rankings:
        """Rank a run's documents, judged by qrels: `skgraded.trec.rank`.

        Parameters
        ----------
        qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
            The judgments, or anything that `skgraded.trec.read_qrels` reads.
        run : Run, path, file object, dict of dicts, DataFrame or iterable
            The retrieved documents, or anything that `skgraded.trec.read_run` reads.
        **options : keyword arguments of `skgraded.trec.rank`
            Order of the documents, missing topics, negative grades and threads.

        Returns
        -------
        Rankings
            The ranked documents; topics are in the order of the qrels.

        Examples
        --------
        >>> from skgraded import AP, Rankings
        >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
        >>> rankings = Rankings.from_trec(qrels, {"q1": {"d1": 3.0, "d9": 2.0}})
        >>> AP()(rankings)  # d3 is relevant, but was not retrieved
        0.5
        """
        from skgraded.trec import rank

        return rank(qrels, run, **options)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memo": {}}

    def __repr__(self) -> str:
        judgments = self.judgments
        return f"<Rankings of {judgments.n_documents} documents in {judgments.n_queries} queries>"

    def ranked(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        """Read the ranking under a tie rule and an unjudged rule.

        Under ``"expected"`` and ``"row_order"`` tied documents stand in row order; the former
        is told apart by the kernels, which then read the ``tied`` flags.

        Parameters
        ----------
        ties, unjudged : str
            The measure's rules.

        Returns
        -------
        RankedList
            The lists.
        """
        rule = "row_order" if ties == "expected" else ties
        return self.once(("ranked", rule, unjudged), lambda: self._read(rule, unjudged))

    def _read(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        judgments, unjudged_level = self.judgments, self.judgments.n_levels
        levels = _core.gather_levels(judgments.levels, self.order, judgments.indptr, self.n_threads)
        ranked = RankedList(levels, self.tied, judgments.indptr)
        if judgments.has_unjudged:
            if unjudged == "condense":
                ranked = ranked.below_level(unjudged_level)
            else:
                levels[levels >= unjudged_level] = 0
        if ties in ("pessimistic", "optimistic"):
            by_grade = _core.sort_within_ties(*ranked, ties == "optimistic", self.n_threads)
            ranked = ranked._replace(levels=by_grade)
        return ranked

    def of_queries(self, queries: slice) -> Rankings:
        """Cut out a run of consecutive queries.

        Parameters
        ----------
        queries : slice
            The queries, by number.

        Returns
        -------
        Rankings
            Their rankings.
        """
        first, last = self.judgments.indptr[queries.start], self.judgments.indptr[queries.stop]
        return Rankings(
            self.judgments.of_queries(queries),
            self.order[first:last],
            self.tied[first:last],
            self.n_threads,
            None if self.scores is None else self.scores[first:last],
        )

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Compute something about this ranking, the first time it is asked for.

        Parameters
        ----------
        key : hashable
            Its name.
        compute : callable
            Computes it, without arguments.

        Returns
        -------
        object
            What was computed, now or earlier.
        """
        if key not in self._memo:
            self._memo[key] = compute()
        value: T = self._memo[key]
        return value


class _IdealRankings(Rankings):
    """The pool best first: the same list under every tie rule and unjudged rule."""

    is_ideal: ClassVar[bool] = True

    def __init__(self, judgments: Judgments) -> None:
        super().__init__(judgments, np.empty(0, np.int32), judgments.pool.tied)

    def ranked(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        return self.judgments.pool

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        return compute()  # a measure asks once, and the judgments keep the value


def as_rankings(
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Rankings:
    """Rank arrays, or take rankings as they are.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or Rankings
        Grades, 0 = judged not relevant, NaN = unjudged; or rankings, which need nothing else.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows are one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.
    n_threads : int, optional
        Threads for sorting and scoring, on which results do not depend; None is one, -1 as many as
        there are processors.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If scores are missing, or something is passed beside rankings.

    Examples
    --------
    >>> from skgraded.rankings import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if not isinstance(y_true, Rankings):
        if y_score is None:
            raise TypeError("y_score is missing: pass y_true and y_score, or one Rankings.")
        return Rankings.from_arrays(y_true, y_score, qid, sample_weight, n_threads)
    if any(given is not None for given in (y_score, qid, sample_weight)):
        raise TypeError("A Rankings holds scores, query ids and weights: pass nothing beside it.")
    return y_true
