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

    change = 1.0 / ranks - average_precision / (recall_base + 1.0)
    return float(change) if change.ndim == 0 else change


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
        qid = np.repeat(self.qid, len(self.ranks))
        ranks = np.tile(self.ranks, len(self.qid))
        fields = [Field("qid", qid), Field("rank", ranks)]
        for number, name in enumerate(self.measures):
            gains_of_measure = self.gains[..., number]
            fields.append(Field(name, gains_of_measure.ravel()))
        return fields

    def _table(self) -> Table:
        fields = [Field("measure", self.measures, "gain at rank")]
        for rank, gains in zip(self.ranks, self.mean(), strict=True):
            if rank in _TABLE_RANKS:
                heading = f"{rank}"
                fields.append(Field(heading, gains, heading, "{:.4f}"))

        change = "turns relevant" if self.change == "relevant" else "rises by one grade"
        pool = "the pool stays" if self.pool == "fixed" else "the pool grows with it"
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
    top = _top_grade(rankings.judgments, grade, max_grade)
    resolved = {
        name: measure.resolve(top)
        for name, measure in measures_by_name(measures).items()
    }
    integer("max_rank", max_rank, 1)

    lists = _Lists.of_rankings(rankings, top)
    lengths = np.diff(lists.indptr)
    last_rank = min(max_rank, int(lengths.max(initial=0)))
    ranks = np.arange(1, last_rank + 1)
    unchanged = lists.rankings(lists.levels[None], lists.counts[None])
    values = evaluate_rankings(resolved, unchanged).values
    gains = _gains(
        resolved, lists, values, ranks, change=change, grade=grade, pool=pool
    )

    return Sensitivity(
        measures=tuple(resolved),
        qid=rankings.judgments.qid,
        ranks=ranks,
        change=change,
        pool=pool,
        values=values,
        gains=np.ascontiguousarray(gains.transpose(1, 0, 2)),
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
    shape = (len(values), len(measures))
    gains = np.full((len(ranks), *shape), np.nan)
    n_documents = max(1, len(lists.levels))
    batch_size = max(1, _DOCUMENTS_AT_A_TIME // n_documents)
    with ProgressBar(len(ranks), "ranks") as bar:
        for start in range(0, len(ranks), batch_size):
            batch = ranks[start : start + batch_size]
            levels, counts, is_changed = lists.after_change(batch, change, grade, pool)
            scores = evaluate_rankings(measures, lists.rankings(levels, counts))

            new_values = scores.values.reshape(len(batch), *shape)
            gains[start : start + len(batch)] = np.where(
                is_changed[..., None], new_values - values, np.nan
            )
            bar.step(len(batch))
    return gains


def _top_grade(judgments: Judgments, grade: int, max_grade: int | None) -> int:
    judgments.require_integer_grades("sensitivity")
    highest = max(int(judgments.top_grade), grade)
    return highest if max_grade is None else integer("max_grade", max_grade, highest)


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
        lengths = np.diff(judgments.indptr)
        starts = np.repeat(judgments.indptr[:-1], lengths)
        grades_by_rank = judgments.graded[rankings.order + starts]
        # An unjudged document has grade -1 here, and the level above the top grade.
        levels = np.where(grades_by_rank < 0, top - grades_by_rank, grades_by_rank)

        levels_of_grades = judgments.grades.astype(np.int64)
        counts = np.zeros((judgments.n_queries, top + 1), np.int64)
        counts[:, levels_of_grades] = judgments.counts
        return cls(
            levels=levels.astype(np.int32),
            tied=rankings.tied,
            indptr=judgments.indptr,
            counts=counts,
            grades=np.arange(top + 1.0),
        )

    def after_change(
        self, ranks: IntArray, change: DocumentChange, grade: int, pool: PoolChange
    ) -> tuple[NDArray[np.int32], IntArray, BoolArray]:
        """Return levels and counts after the change at each rank, and the queries that have it."""
        n_levels = len(self.grades)
        lengths = np.diff(self.indptr)
        shape = (len(ranks), len(lengths))

        # The documents at these ranks, in the lists that are long enough.
        variant, query = np.indices(shape).reshape(2, -1)
        is_in_list = ranks[variant] <= lengths[query]
        variant = variant[is_in_list]
        query = query[is_in_list]
        position = self.indptr[query] + ranks[variant] - 1

        # What they become; an unjudged document rises from grade 0.
        old_level = self.levels[position]
        old_grade = np.where(old_level < n_levels, old_level, 0)
        if change == "one_grade":
            new_level = old_grade + 1
            can_change = new_level < n_levels
        else:
            new_level = np.full_like(old_grade, grade)
            can_change = old_grade == 0

        variant = variant[can_change]
        query = query[can_change]
        old_level = old_level[can_change]
        new_level = new_level[can_change]

        levels = np.tile(self.levels, (len(ranks), 1))
        levels[variant, position[can_change]] = new_level
        counts = np.tile(self.counts, (len(ranks), 1, 1))
        if pool == "grows":
            was_judged = old_level < n_levels
            counts[variant[was_judged], query[was_judged], old_level[was_judged]] -= 1
            counts[variant, query, new_level] += 1

        is_changed = np.zeros(shape, dtype=bool)
        is_changed[variant, query] = True
        return levels, counts, is_changed

    def rankings(self, levels: NDArray[np.int32], counts: IntArray) -> Rankings:
        """Return rankings of several variants of the lists, one variant after the other."""
        n_variants = len(levels)
        lengths = np.tile(np.diff(self.indptr), n_variants)
        indptr = np.append(0, lengths.cumsum())

        # The pool of each list, best grade first.
        rising_levels = np.arange(len(self.grades), dtype=np.int32)
        falling_levels = rising_levels[::-1]
        falling_counts = counts[..., ::-1].ravel()
        levels_of_pools = np.tile(falling_levels, len(lengths))
        pool_sizes = counts.sum(axis=-1)
        pool = RankedList.without_ties(
            np.repeat(levels_of_pools, falling_counts),
            np.append(0, pool_sizes.cumsum()),
        )

        # The rows of every list stand in rank order.
        judgments = Judgments.of_lists(levels.ravel(), indptr, self.grades, pool)
        starts = np.repeat(indptr[:-1], lengths)
        order = np.arange(indptr[-1]) - starts
        tied = np.tile(self.tied, n_variants)
        order, tied = all_sealed(order.astype(np.int32), tied)
        return Rankings(judgments, order, tied)
