"""Documents in rank order: `RankedList` holds levels, `Rankings` orders the documents of Judgments.

`Rankings` sorts once, for all measures, cut-offs and rules for ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.sealed import all_sealed, sealed

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments
    from skgraded.rankings._levels import ScalePart

T = TypeVar("T")

Ties = Literal["expected", "row_order", "pessimistic", "optimistic"]
Unjudged = Literal["nonrelevant", "condense"]


class RankedList(NamedTuple):
    """The levels of the documents in rank order, one query after the other, which nobody writes to.

    Attributes
    ----------
    levels : ndarray of shape (n_documents,)
        Grade level of the document at each rank.
    tied : ndarray of shape (n_documents,), uint8
        1 where the document's score equals that of the document one rank above it.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
    """

    levels: NDArray[Any]
    tied: NDArray[np.uint8]
    indptr: IntArray

    @classmethod
    def without_ties(cls, levels: NDArray[Any], indptr: IntArray) -> Self:
        """Make lists without tied documents.

        Parameters
        ----------
        levels : ndarray of shape (n_documents,)
            Grade level of the document at each rank.
        indptr : ndarray of shape (n_queries + 1,), int64
            ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.

        Returns
        -------
        RankedList
            The lists.
        """
        tied = np.zeros(len(levels), np.uint8)
        return cls(sealed(levels), sealed(tied), sealed(indptr))

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each query."""
        return np.diff(self.indptr)

    @property
    def longest(self) -> int:
        """Number of documents of the longest query."""
        return _core.longest_query(self.indptr)

    def below_level(self, level: int) -> RankedList:
        """Keep only the documents below a level; tied documents remain tied.

        Parameters
        ----------
        level : int
            The lowest level to remove.

        Returns
        -------
        RankedList
            The condensed lists.
        """
        is_below = self.levels < level
        n_below_before = np.concatenate(([0], np.cumsum(is_below)))
        levels = self.levels[is_below]
        indptr = n_below_before[self.indptr]

        # Documents of one block of ties have the same number.
        block = np.cumsum(self.tied == 0)[is_below]
        tied = np.zeros(len(block), np.uint8)
        tied[1:] = block[1:] == block[:-1]
        return RankedList(sealed(levels), sealed(tied), sealed(indptr))


class Rankings:
    """Documents of many queries, ranked by score.

    The constructor checks nothing, and takes arrays that nobody can write to: use `Judgments.rank`
    or `skgraded.trec.rank`.

    Attributes
    ----------
    judgments : Judgments
        The labels by query.
    order : ndarray of shape (n_documents,), int32
        ``order[indptr[q] + n - 1]`` is the position, within query q, of the document at rank n.
        Tied documents keep the order of their rows.
    tied : ndarray of shape (n_documents,), uint8
        1 where the score equals that of the document one rank above.
    scores : ndarray of shape (n_documents,), float64, or None
        Copy of the scores, by position; None if only the ranking is known, as for TREC runs.
    """

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
        self.scores = scores
        self.n_threads = n_threads
        self._lists: dict[tuple[Ties, Unjudged], RankedList] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(
            Rankings, self.judgments, self.order, self.tied, self.n_threads, self.scores
        )
        trusted_arrays = (self.order, self.tied, self.scores)
        return made_again, (make, trusted_arrays, checksum(trusted_arrays))

    def __repr__(self) -> str:
        judgments = self.judgments
        return f"<Rankings of {judgments.n_documents} documents in {judgments.n_queries} queries>"

    @property
    def indptr(self) -> IntArray:
        """``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q."""
        return self.judgments.indptr

    def ranked(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        """Return the levels in rank order under the rules for ties and unjudged documents.

        ``"expected"`` and ``"row_order"`` both keep tied documents in row order. For
        ``"expected"``, the kernels then read the ``tied`` flags.

        Parameters
        ----------
        ties, unjudged : str
            Rules for tied and for unjudged documents.

        Returns
        -------
        RankedList
            The lists.
        """
        rule: Ties = "row_order" if ties == "expected" else ties
        ranked = self._lists.get((rule, unjudged))
        if ranked is None:
            ranked = self._rank_levels(rule, unjudged)
            self._lists[rule, unjudged] = ranked
        return ranked

    def _rank_levels(self, rule: Ties, unjudged: Unjudged) -> RankedList:
        judgments = self.judgments
        levels = _core.gather_levels(
            level=judgments.levels,
            order=self.order,
            indptr=judgments.indptr,
            n_threads=self.n_threads,
        )
        ranked = RankedList(levels, self.tied, judgments.indptr)
        if judgments.has_unjudged and unjudged == "condense":
            ranked = ranked.below_level(judgments.n_levels)
        elif judgments.has_unjudged:
            is_judged = levels < judgments.n_levels
            ranked = ranked._replace(levels=sealed(levels * is_judged))

        if rule == "row_order":
            return ranked
        sorted_levels = _core.sort_within_ties(
            level_by_rank=ranked.levels,
            tied=ranked.tied,
            indptr=ranked.indptr,
            descending=rule == "optimistic",
            n_threads=self.n_threads,
        )
        return ranked._replace(levels=sorted_levels)

    def ranked_by_grade(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        """Return the lists of `ranked`, with tied documents best first for ``"expected"``.

        Kernels that add up rounded numbers over tied documents read them in this order, so that no
        bit of a mean over their orders depends on the order of the rows.

        Parameters
        ----------
        ties, unjudged : str
            Rules for tied and for unjudged documents.

        Returns
        -------
        RankedList
            The lists.
        """
        return self.ranked("optimistic" if ties == "expected" else ties, unjudged)

    @cached_property
    def by_scale(self) -> tuple[tuple[IntArray, Rankings], ...]:
        """The numbers of the queries, and the rankings, of every part of ``judgments.by_scale``."""
        return tuple(
            (scale_part.queries, self._rankings_of(scale_part))
            for scale_part in self.judgments.by_scale
        )

    def _rankings_of(self, scale_part: ScalePart) -> Rankings:
        order = scale_part.select(self.order)
        tied = scale_part.select(self.tied)
        return Rankings(scale_part.judgments, order, tied, self.n_threads)


class IdealRanking:
    """The judged documents of each query, best grade first, as measures read a ranking.

    It has no order of documents, since the pool may hold some that the lists lack. The rules for
    ties and unjudged documents do not change it.

    Attributes
    ----------
    judgments : Judgments
        The labels by query.
    n_threads, scores : int, None
        As in `Rankings`.
    """

    n_threads = 1
    scores = None

    def __init__(self, judgments: Judgments) -> None:
        self.judgments = judgments

    def ranked(self, *rules: str) -> RankedList:
        """Return the pool, whatever the rules for ties and unjudged documents.

        Parameters
        ----------
        *rules : str
            The rules.

        Returns
        -------
        RankedList
            The lists.
        """
        return self.judgments.pool

    ranked_by_grade = ranked

    @property
    def by_scale(self) -> tuple[tuple[IntArray, IdealRanking], ...]:
        """The numbers of the queries, and their ideal ranking, of every part by scale."""
        return tuple(
            (scale_part.queries, scale_part.judgments.ideal)
            for scale_part in self.judgments.by_scale
        )


def checksum(arrays: Iterable[NDArray[Any] | None]) -> int:
    """Return a number that changes with the entries of arrays."""
    from zlib import crc32  # here and not above, because only pickles need it

    return crc32(b"".join(array.tobytes() for array in arrays if array is not None))


def made_again(
    make: Callable[[], T], arrays: Iterable[NDArray[Any] | None], number: int
) -> T:
    """Make what comes out of a pickle, whose arrays kernels trust: damaged ones are refused."""
    if checksum(arrays) != number:
        raise ValueError(
            "The pickle is damaged: its arrays are not those that were written."
        )
    all_sealed(*arrays)
    return make()


Ranked = Rankings | IdealRanking  # what a measure scores
