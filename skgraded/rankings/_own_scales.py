"""Queries whose grades are few for their documents share a scale; others have levels of their own.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own.
A query's own labels alone decide which of the two it is, so that no bit of its value depends on the
other queries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings._levels import UNJUDGED, ReadLabels, levels_of
from skgraded.rankings._queries import borders_of
from skgraded.rankings._rankings import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

TOP_OF_SHORT_SCALE = 7  # scales up to which are always shared
_TOP_OF_SHARED_SCALE = 31
_PAIRS_A_DOCUMENT = 3.0  # more pairs of grades than these take more time than levels of their own


class ScalePart(NamedTuple):
    """Some queries of a data set, with the documents that are scored for them.

    Attributes
    ----------
    queries : ndarray of shape (n_queries,), int64
        Their numbers in the data set.
    documents : ndarray of shape (n_documents,), int64, or None
        The positions of their documents in the data set; None if the part is all of it.
    judgments : Judgments
        Their labels. ``top_grade`` is that of the whole data set.
    """

    queries: IntArray
    documents: IntArray | None
    judgments: Judgments

    def select(self, by_document: NDArray[T]) -> NDArray[T]:
        """Select the entries of the part's documents.

        Parameters
        ----------
        by_document : ndarray of shape (n_documents,)
            An array with an entry for each document of the data set.

        Returns
        -------
        ndarray
            The entries, in the same array if the part is all of the data set.
        """
        return by_document if self.documents is None else by_document[self.documents]


def go_by_own_levels(labels: Judgments) -> NDArray[np.bool_]:
    """Mark queries that go by levels of their own.

    These are queries with fractional grades, and those whose highest grade h is above 31, or above
    7 where they have (h + 1)^2 pairs of grades, and these are more than three times their judged
    documents.

    Parameters
    ----------
    labels : Judgments
        Labels by query.

    Returns
    -------
    ndarray of shape (n_queries,), bool
        The marks.
    """
    top = labels.top_grade
    are_known = labels.has_own_pool and not (labels.has_unjudged or labels.has_fractional_grades)
    if are_known and top <= _TOP_OF_SHARED_SCALE:
        shortest = np.diff(labels.indptr).min()
        if (top + 1.0) ** 2 <= _PAIRS_A_DOCUMENT * shortest:
            return np.zeros(labels.n_queries, dtype=np.bool_)
    rule = TOP_OF_SHORT_SCALE, _TOP_OF_SHARED_SCALE, _PAIRS_A_DOCUMENT
    return _core.go_by_own_levels(*labels.graded_pool, *rule).view(np.bool_)


def parts_by_scale(labels: Judgments, own: NDArray[np.bool_]) -> tuple[ScalePart, ...]:
    """Separate the queries that share a scale from others, which get levels of their own.

    Parameters
    ----------
    labels : Judgments
        Labels of a data set.
    own : ndarray of shape (n_queries,), bool
        Marks of the queries that get levels of their own.

    Returns
    -------
    tuple of ScalePart
        The queries that share a scale, if there are any, and then the others.
    """
    kinds = (~own, _on_shared_scale), (own, _on_own_scales)
    return tuple(_part(labels, marked, lay_out) for marked, lay_out in kinds if marked.any())


_Graded = tuple[FloatArray, IntArray]  # grades, and the borders of the queries
_Laid = tuple[ReadLabels, RankedList | None, IntArray | None]  # labels, their pools and borders


def _part(
    labels: Judgments,
    marked: NDArray[np.bool_],
    lay_out: Callable[[Judgments, _Graded, _Graded | None], _Laid],
) -> ScalePart:
    documents = None if marked.all() else _positions(labels.indptr, marked)
    lists = _selected(labels.graded, labels.indptr, marked)
    pools = None if labels.has_own_pool else _selected(*labels.graded_pool, marked)
    read, pool, borders = lay_out(labels, lists, pools)
    read = read._replace(top_grade=labels.top_grade)
    part = labels._of(labels.qid[marked], lists[1], read, pool=pool, borders=borders, is_part=True)
    return ScalePart(np.flatnonzero(marked), documents, part)


def _positions(indptr: IntArray, marked: NDArray[np.bool_]) -> IntArray:
    """Return the positions of the documents of marked queries."""
    return np.flatnonzero(np.repeat(marked, np.diff(indptr)))


def _selected(graded: FloatArray, indptr: IntArray, marked: NDArray[np.bool_]) -> _Graded:
    """Select marked queries."""
    if marked.all():
        return graded, indptr
    return graded[_positions(indptr, marked)], borders_of(np.diff(indptr)[marked])


def _on_shared_scale(labels: Judgments, lists: _Graded, pools: _Graded | None) -> _Laid:
    graded = lists[0]
    both = graded if pools is None else np.concatenate((graded, pools[0]))
    grades, levels = levels_of(both)
    levels[both < UNJUDGED] = len(grades) + 1
    read = ReadLabels.of_levels(grades, levels[: len(graded)])
    given = pools and RankedList.without_ties(levels[len(graded) :], pools[1])
    return read, given, None


def _on_own_scales(labels: Judgments, lists: _Graded, pools: _Graded | None) -> _Laid:
    graded, indptr = lists
    order, _ = _core.rank(graded, indptr, _core.schedule_queries(indptr), 1)
    documents = graded, order, indptr
    if pools is None:
        n_levels, grades, borders, levels, pooled, ends = _core.own_levels(*documents)
        given = RankedList.without_ties(pooled[: ends[-1]], ends)
    else:
        n_levels, grades, borders, levels, pooled = _core.own_levels_with_pools(*documents, *pools)
        given = RankedList.without_ties(pooled, pools[1])
    fractional, unjudged = labels.has_fractional_grades, labels.has_unjudged
    scale = grades[:n_levels], levels
    return ReadLabels(scale, None, labels.top_grade, fractional, unjudged), given, borders
