"""Sensitivity: how much a measure gains when the document at one rank becomes relevant."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.arguments import choice, integer
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.progress import ProgressBar
from skgraded._support.results_base import Field, Result, Table
from skgraded._support.sealed import all_sealed
from skgraded._support.text import count
from skgraded.measures import (
    Measure,
    Measures,
    evaluate as evaluate_rankings,
    measures_by_name,
)
from skgraded.rankings import Judgments, RankedList, Rankings, as_rankings
from skgraded.studies._scored_systems import known_mean

DocumentChange = Literal["relevant", "one_grade"]
PoolChange = Literal["fixed", "grows"]

# Documents that are scored at the same time, over all changed lists.
_DOCUMENTS_AT_A_TIME = 2_000_000
_TABLE_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def change_by_discovery(
    value: ArrayLike, n_relevant: ArrayLike, rank: ArrayLike
) -> FloatArray | float:
    r"""Change of average precision when one more relevant document is found, the last in the list.

    .. math::

        \tilde\Delta v(j) = \frac{1}{j} - \frac{v}{R + 1}

    where j is the rank of a document that turns out to be relevant, R the number of relevant
    documents before, all of which stand above it, and v the average precision before. This is
    Kishida's Equation 17. It is an upper bound of the exact change, his Equation 16, which
    `sensitivity` with ``pool="grows"`` computes for any list and measure.

    Parameters
    ----------
    value : array-like
        Average precision v before.
    n_relevant : array-like
        Number R of relevant documents before.
    rank : array-like
        Rank j of the document.

    Returns
    -------
    float or ndarray
        The change, which is negative if ``(R + 1) / j < v``.

    Raises
    ------
    ValueError
        If a rank is below 1, or a number of documents below 0.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization", Equation 17
       and Table 1.

    Examples
    --------
    >>> from skgraded.studies import change_by_discovery
    >>> round(change_by_discovery(0.3, 10, 101), 5)
    -0.01737
    """
    average_precision = np.asarray(value, dtype=np.float64)
    recall_base = np.asarray(n_relevant, dtype=np.float64)
    ranks = np.asarray(rank, dtype=np.float64)
    if (ranks < 1).any():
        raise ValueError(f"rank must be >= 1, got {ranks.min():g}.")
    if (recall_base < 0).any():
        raise ValueError(f"n_relevant must be >= 0, got {recall_base.min():g}.")

    fall = average_precision / (recall_base + 1.0)
    change = 1.0 / ranks - fall
    if change.ndim == 0:
        return float(change)
    return change


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """Gains of measures from a change of the document at each rank.

    `to_frame` has one row per query and rank, with the columns qid, rank and a gain for each
    measure.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    qid : ndarray of shape (n_queries,)
        Query ids.
    ranks : ndarray of shape (n_ranks,), int64
        The ranks, from 1.
    change, pool : str
        The options of the same names.
    values : ndarray of shape (n_queries, n_measures)
        Values before any change.
    gains : ndarray of shape (n_queries, n_ranks, n_measures)
        Value after the change minus value before; nan if the document cannot change.
    """

    measures: tuple[str, ...]
    qid: NDArray[Any]
    ranks: IntArray
    change: str
    pool: str
    values: FloatArray
    gains: FloatArray

    def mean(self) -> FloatArray:
        """Mean gain over the queries whose document can change.

        Returns
        -------
        ndarray of shape (n_ranks, n_measures)
            The means; nan if no document can change.
        """
        return known_mean(self.gains, 0)

    def _fields(self) -> list[Field]:
        n_queries = len(self.qid)
        n_ranks = len(self.ranks)
        qid = np.repeat(self.qid, n_ranks)
        ranks = np.tile(self.ranks, n_queries)
        fields = [Field("qid", qid), Field("rank", ranks)]
        for number, name in enumerate(self.measures):
            gains_of_measure = self.gains[..., number]
            fields.append(Field(name, gains_of_measure.ravel()))
        return fields

    def _table(self) -> Table:
        fields = [Field("measure", self.measures, "gain at rank")]
        means = self.mean()
        for rank, gains in zip(self.ranks, means, strict=True):
            if rank in _TABLE_RANKS:
                heading = f"{rank}"
                fields.append(Field(heading, gains, heading, "{:.4f}"))

        change = "rises by one grade"
        if self.change == "relevant":
            change = "turns relevant"
        pool = "the pool grows with it"
        if self.pool == "fixed":
            pool = "the pool stays"
        queries = count(len(self.qid), "query", "queries")
        sentence = f"The document at the rank {change}; {pool}; means over {queries}."
        return Table(fields, [sentence], widest_label=44)


def sensitivity(
    measures: Measures,
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    change: DocumentChange = "relevant",
    grade: int = 1,
    max_grade: int | None = None,
    pool: PoolChange = "fixed",
    max_rank: int = 100,
) -> Sensitivity:
    """Score every list again after a change of the document at rank 1, at rank 2, and so on.

    The gain is exact for every measure.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    y_true : array-like of shape (n_documents,) or Rankings
        Grades, 0 = judged not relevant, NaN = unjudged; or rankings, without y_score and qid.
    y_score : array-like of shape (n_documents,)
        Scores; the highest one comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows are one query.
    change : {"relevant", "one_grade"}, default="relevant"
        ``"relevant"``: a document of grade 0 or an unjudged one gets ``grade``. ``"one_grade"``:
        the grade of a document below the top grade rises by one; an unjudged one gets grade 1.
    grade : int, default=1
        Grade of a document that becomes relevant.
    max_grade : int, optional
        Top grade of the scale; by default that of the data, or ``grade`` if that is higher.
    pool : {"fixed", "grows"}, default="fixed"
        ``"fixed"``: the number of relevant documents and the ideal ranking do not change, as if
        another document of the pool had lost the grade; this isolates the effect of the rank [1]_.
        ``"grows"``: the document joins the pool, as when an undiscovered relevant document is
        found; the recall base grows, and a gain may be negative [2]_.
    max_rank : int, default=100
        Last rank whose document changes.

    Returns
    -------
    Sensitivity
        Gains by query, rank and measure.

    Raises
    ------
    ValueError
        If an option is not as described, or grades are not integers.

    See Also
    --------
    change_by_discovery : Equation 17, for average precision.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization", Sections 2.2
       and 4: Equations 10, 28, 33, 36, 37, 43 and 44.
    .. [2] The same, Section 3.2: Equation 16.

    Examples
    --------
    >>> from skgraded.studies import sensitivity
    >>> found = sensitivity(["AP", "P@2"], [0, 1, 0, 1], [4, 3, 2, 1])
    >>> found.gains[0]  # the documents at ranks 2 and 4 are relevant
    array([[0.875     , 0.5       ],
           [       nan,        nan],
           [0.45833333, 0.        ],
           [       nan,        nan]])
    """
    rankings = as_rankings(y_true, y_score, qid, None)
    choice("change", change, get_args(DocumentChange))
    choice("pool", pool, get_args(PoolChange))
    grade = integer("grade", grade, 1)
    top_grade = _top_grade(rankings.judgments, grade, max_grade)
    named_measures = measures_by_name(measures)
    resolved = {
        name: measure.resolve(top_grade) for name, measure in named_measures.items()
    }
    integer("max_rank", max_rank, 1)

    lists = _Lists.of_rankings(rankings, top_grade)
    lengths = np.diff(lists.indptr)
    longest = int(lengths.max(initial=0))
    last_rank = min(max_rank, longest)
    ranks = np.arange(1, last_rank + 1)
    unchanged = lists.rankings(lists.levels[None], lists.counts[None])
    values = evaluate_rankings(resolved, unchanged).values
    gains = _gains(
        resolved, lists, values, ranks, change=change, grade=grade, pool=pool
    )
    gains_by_query = gains.transpose(1, 0, 2)

    return Sensitivity(
        measures=tuple(resolved),
        qid=rankings.judgments.qid,
        ranks=ranks,
        change=change,
        pool=pool,
        values=values,
        gains=np.ascontiguousarray(gains_by_query),
    )


def _gains(
    measures: dict[str, Measure],
    lists: _Lists,
    values: FloatArray,
    ranks: IntArray,
    *,
    change: DocumentChange,
    grade: int,
    pool: PoolChange,
) -> FloatArray:
    """Score the lists after the change at each rank, as many at a time as memory allows."""
    n_ranks = len(ranks)
    gains = np.full((n_ranks, *values.shape), np.nan)
    n_documents = max(1, len(lists.levels))
    batch_size = max(1, _DOCUMENTS_AT_A_TIME // n_documents)

    with ProgressBar(n_ranks, "ranks") as bar:
        for start in range(0, n_ranks, batch_size):
            end = start + batch_size
            batch = ranks[start:end]
            levels, counts_by_level, is_changed = lists.after_change(
                batch, change, grade, pool
            )
            rankings = lists.rankings(levels, counts_by_level)
            scores = evaluate_rankings(measures, rankings)

            new_values = scores.values.reshape(-1, *values.shape)
            differences = new_values - values
            has_gain = is_changed[..., None]
            gains[start:end] = np.where(has_gain, differences, np.nan)
            bar.step(len(batch))
    return gains


def _top_grade(judgments: Judgments, grade: int, max_grade: int | None) -> int:
    judgments.require_integer_grades("sensitivity")
    top_grade = int(judgments.top_grade)
    highest = max(top_grade, grade)
    if max_grade is None:
        return highest
    return integer("max_grade", max_grade, highest)


class _Lists(NamedTuple):
    """Grades by rank and their numbers in the pool, on the scale 0..top; unjudged is above it."""

    levels: NDArray[np.int32]
    tied: NDArray[np.uint8]
    indptr: IntArray
    counts: IntArray
    grades: FloatArray

    @classmethod
    def of_rankings(cls, rankings: Rankings, top: int) -> _Lists:
        """Put rankings into rank order, with a level for every grade of the scale."""
        judgments = rankings.judgments
        indptr = judgments.indptr
        lengths = np.diff(indptr)
        starts = np.repeat(indptr[:-1], lengths)
        place = rankings.order + starts
        grades_by_rank = judgments.graded[place]

        # An unjudged document has grade -1 here, and the level above the top grade.
        unjudged_level = top - grades_by_rank
        levels = np.where(grades_by_rank < 0, unjudged_level, grades_by_rank)

        levels_of_grades = judgments.grades.astype(np.int64)
        shape = (judgments.n_queries, top + 1)
        counts = np.zeros(shape, np.int64)
        counts[:, levels_of_grades] = judgments.counts
        return cls(
            levels=levels.astype(np.int32),
            tied=rankings.tied,
            indptr=indptr,
            counts=counts,
            grades=np.arange(top + 1.0),
        )

    def after_change(
        self, ranks: IntArray, change: DocumentChange, grade: int, pool: PoolChange
    ) -> tuple[NDArray[np.int32], IntArray, BoolArray]:
        """Return levels and counts after the change at each rank, and the queries that have it."""
        n_levels = len(self.grades)
        lengths = np.diff(self.indptr)
        n_variants = len(ranks)

        # The documents at these ranks, in the lists that are long enough.
        is_in_list = ranks[:, None] <= lengths
        variant, query = np.nonzero(is_in_list)
        position = self.indptr[query] + ranks[variant] - 1

        # What they become; an unjudged document rises from grade 0.
        old_level = self.levels[position]
        was_judged = old_level < n_levels
        old_grade = np.where(was_judged, old_level, 0)
        if change == "one_grade":
            new_level = old_grade + 1
            can_change = new_level < n_levels
        else:
            new_level = np.full_like(old_grade, grade)
            can_change = old_grade == 0

        variant = variant[can_change]
        query = query[can_change]
        position = position[can_change]
        new_level = new_level[can_change]

        levels = np.tile(self.levels, (n_variants, 1))
        levels[variant, position] = new_level
        counts = np.tile(self.counts, (n_variants, 1, 1))
        if pool == "grows":
            was_judged = was_judged[can_change]
            old_level = old_level[can_change][was_judged]
            counts[variant[was_judged], query[was_judged], old_level] -= 1
            counts[variant, query, new_level] += 1

        is_changed = np.zeros_like(is_in_list)
        is_changed[variant, query] = True
        return levels, counts, is_changed

    def rankings(self, levels: NDArray[np.int32], counts: IntArray) -> Rankings:
        """Return rankings of several variants of the lists, one variant after the other."""
        n_variants = len(levels)
        lengths = np.diff(self.indptr)
        lengths = np.tile(lengths, n_variants)
        indptr = np.append(0, lengths.cumsum())

        # The pool of each list, best grade first.
        n_levels = len(self.grades)
        rising_levels = np.arange(n_levels, dtype=np.int32)
        falling_levels = rising_levels[::-1]
        falling_counts = counts[..., ::-1].ravel()
        levels_of_pools = np.tile(falling_levels, len(lengths))
        pool_levels = np.repeat(levels_of_pools, falling_counts)
        pool_sizes = counts.sum(axis=-1)
        pool_indptr = np.append(0, pool_sizes.cumsum())
        pool = RankedList.without_ties(pool_levels, pool_indptr)

        # The rows of every list stand in rank order.
        all_levels = levels.ravel()
        judgments = Judgments.of_lists(all_levels, indptr, self.grades, pool)
        starts = np.repeat(indptr[:-1], lengths)
        order = np.arange(indptr[-1]) - starts
        order = order.astype(np.int32)
        tied = np.tile(self.tied, n_variants)
        order, tied = all_sealed(order, tied)
        return Rankings(judgments, order, tied)
