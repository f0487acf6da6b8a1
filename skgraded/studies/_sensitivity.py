"""Sensitivity: how much a measure gains when the document at one rank becomes relevant."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.arguments import choice, integer
from skgraded._support.array_types import FloatArray
from skgraded._support.progress import ProgressBar
from skgraded._support.results_base import Field, Result, Table
from skgraded._support.sealed import all_sealed
from skgraded._support.text import count
from skgraded.measures import Measures, evaluate as evaluate_rankings, measures_by_name
from skgraded.rankings import Judgments, RankedList, Rankings, as_rankings
from skgraded.studies._scored_systems import known_mean

DocumentChange = Literal["relevant", "one_grade"]
PoolChange = Literal["fixed", "grows"]

# Documents that are scored at the same time, over all changed lists.
_DOCUMENTS_AT_A_TIME = 2_000_000
_SHOWN = ("1", "2", "3", "5", "10", "20", "50", "100", "200", "500", "1000")  # ranks


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
    v, n, j = (np.asarray(each, dtype=np.float64) for each in (value, n_relevant, rank))
    if (j < 1).any():
        raise ValueError(f"rank must be >= 1, got {j.min():g}.")
    if (n < 0).any():
        raise ValueError(f"n_relevant must be >= 0, got {n.min():g}.")
    change = 1.0 / j - v / (n + 1.0)
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
    ranks: NDArray[np.int64]
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
        gains = self.gains.reshape(-1, len(self.measures)).T
        return [
            Field("qid", np.repeat(self.qid, len(self.ranks))),
            Field("rank", np.tile(self.ranks, len(self.qid))),
            *(
                Field(name, each)
                for name, each in zip(self.measures, gains, strict=True)
            ),
        ]

    def _table(self) -> Table:
        by_rank = {
            str(rank): gains
            for rank, gains in zip(self.ranks, self.mean(), strict=True)
        }
        shown = [
            Field(rank, by_rank[rank], rank, "{:.4f}")
            for rank in _SHOWN
            if rank in by_rank
        ]
        what = "turns relevant" if self.change == "relevant" else "rises by one grade"
        pool = "the pool stays" if self.pool == "fixed" else "the pool grows with it"
        queries = count(len(self.qid), "query", "queries")
        told = f"The document at the rank {what}; {pool}; means over {queries}."
        labels = Field("measure", self.measures, "gain at rank")
        return Table([labels, *shown], [told], widest_label=44)


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
    top = _top(rankings.judgments, integer("grade", grade, 1), max_grade)
    chosen = {
        name: each.resolve(top) for name, each in measures_by_name(measures).items()
    }
    integer("max_rank", max_rank, 1)
    base = _Lists.read(rankings, top)
    ranks = np.arange(1, min(max_rank, int(np.diff(base.indptr).max(initial=0))) + 1)
    values = evaluate_rankings(
        chosen, base.rankings(base.levels[None], base.counts[None])
    ).values
    gains = np.full((len(ranks), len(values), len(chosen)), np.nan)
    at_a_time = max(1, _DOCUMENTS_AT_A_TIME // max(1, len(base.levels)))
    with ProgressBar(len(ranks), "ranks") as bar:
        for first in range(0, len(ranks), at_a_time):
            batch = ranks[first : first + at_a_time]
            levels, counts, changed = base.changed(batch, change, grade, pool)
            scored = evaluate_rankings(chosen, base.rankings(levels, counts)).values
            after = scored.reshape(len(batch), len(values), len(chosen))
            gains[first : first + len(batch)] = np.where(
                changed[..., None], after - values, np.nan
            )
            bar.step(len(batch))
    return Sensitivity(
        measures=tuple(chosen),
        qid=rankings.judgments.qid,
        ranks=ranks,
        change=change,
        pool=pool,
        values=values,
        gains=np.ascontiguousarray(gains.transpose(1, 0, 2)),
    )


def _top(judgments: Judgments, grade: int, max_grade: int | None) -> int:
    judgments.require_integer_grades("sensitivity")
    highest = max(int(judgments.top_grade), grade)
    return highest if max_grade is None else integer("max_grade", max_grade, highest)


class _Lists(NamedTuple):
    """Grades by rank and their numbers in the pool, on the scale 0..top; unjudged is above it."""

    levels: NDArray[np.int32]
    tied: NDArray[np.uint8]
    indptr: NDArray[np.int64]
    counts: NDArray[np.int64]
    grades: FloatArray

    @classmethod
    def read(cls, rankings: Rankings, top: int) -> _Lists:
        """Put rankings into rank order, with a level for every grade of the scale."""
        judgments = rankings.judgments
        starts = np.repeat(judgments.indptr[:-1], np.diff(judgments.indptr))
        graded = judgments.graded[rankings.order + starts]
        counts = np.zeros((judgments.n_queries, top + 1), np.int64)
        counts[:, judgments.grades.astype(np.int64)] = judgments.counts
        return cls(
            levels=np.where(graded < 0, top - graded, graded).astype(
                np.int32
            ),  # -1 is unjudged
            tied=rankings.tied,
            indptr=judgments.indptr,
            counts=counts,
            grades=np.arange(top + 1.0),
        )

    def changed(
        self,
        ranks: NDArray[np.int64],
        change: DocumentChange,
        grade: int,
        pool: PoolChange,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
        """Return levels and counts after the change at each rank, and the queries that have it."""
        n_levels = len(self.grades)
        n_queries = len(self.counts)
        row, query = (each.ravel() for each in np.indices((len(ranks), n_queries)))
        reached = ranks[row] <= np.diff(self.indptr)[query]
        row = row[reached]
        query = query[reached]
        place = self.indptr[query] + ranks[row] - 1
        before = self.levels[place]
        as_grade = np.where(before < n_levels, before, 0)
        after = as_grade + 1 if change == "one_grade" else np.full_like(as_grade, grade)
        can = after < n_levels if change == "one_grade" else as_grade == 0
        row = row[can]
        query = query[can]
        place = place[can]
        before = before[can]
        after = after[can]
        levels = np.repeat(self.levels[None], len(ranks), axis=0)
        levels[row, place] = after
        counts = np.repeat(self.counts[None], len(ranks), axis=0)
        if pool == "grows":
            judged = before < n_levels
            counts[row[judged], query[judged], before[judged]] -= 1
            counts[row, query, after] += 1
        changed = np.zeros((len(ranks), n_queries), dtype=bool)
        changed[row, query] = True
        return levels, counts, changed

    def rankings(
        self, levels: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> Rankings:
        """Return rankings of several variants of the lists, one variant after the other."""
        lengths = np.tile(np.diff(self.indptr), len(levels))
        indptr = np.append(0, lengths.cumsum())
        falling = np.tile(
            np.arange(len(self.grades), dtype=np.int32)[::-1], len(lengths)
        )
        best_first = np.repeat(falling, counts[..., ::-1].ravel())
        pool = RankedList.without_ties(
            best_first, np.append(0, counts.sum(axis=-1).cumsum())
        )
        judgments = Judgments.of_lists(levels.ravel(), indptr, self.grades, pool)
        order = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)
        tied = np.tile(self.tied, len(levels))
        return Rankings(judgments, *all_sealed(order.astype(np.int32), tied))
