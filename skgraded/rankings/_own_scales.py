"""Queries whose grades are few for their documents share a scale; others have levels of their own.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own.
A query's own labels alone decide which of the two it is, so that no bit of its value depends on the
other queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings._levels import UNJUDGED, ReadLabels, level_type, levels_of
from skgraded.rankings._queries import borders_of
from skgraded.rankings._rankings import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

TOP_OF_SHORT_SCALE = 31  # scales up to which are always shared
_TOP_OF_SHARED_SCALE = 31
_PAIRS_A_DOCUMENT = 2.0  # more pairs of grades than these take more time than levels of their own


class ScalePart(NamedTuple):
    """Some queries of a data set.

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


def go_by_own_levels(graded: FloatArray, indptr: IntArray) -> NDArray[np.bool_]:
    """Mark queries that go by levels of their own.

    These are queries with fractional grades, and those whose highest grade h is above 31, or above
    7 where they have (h + 1)^2 pairs of grades, and these are more than twice their judged
    documents.

    Parameters
    ----------
    graded : ndarray of shape (n_documents,)
        Grades of the pools; those of unjudged documents are below 0.
    indptr : ndarray of shape (n_queries + 1,), int64
        Borders of the queries.

    Returns
    -------
    ndarray of shape (n_queries,), bool
        The marks.
    """
    rule = TOP_OF_SHORT_SCALE, _TOP_OF_SHARED_SCALE, _PAIRS_A_DOCUMENT
    return _core.go_by_own_levels(graded, indptr, *rule).view(np.bool_)


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
        The parts that have queries.
    """
    parts = []
    for marked, lay_out in ((~own, _on_shared_scale), (own, _on_own_scales)):
        if marked.any():
            graded, indptr, documents = _chosen(labels.graded, labels.indptr, marked)
            pool = None if labels.has_own_pool else _chosen(*labels.graded_pool, marked)[:2]
            weights = None if labels.weights is None else labels.weights[marked]
            read, pooled, borders = lay_out(labels, graded, indptr, pool)
            part = labels._of(
                labels.qid[marked],
                indptr,
                read._replace(top_grade=labels.top_grade, any_unjudged=labels.has_unjudged),
                weights,
                pool=pooled,
                borders=borders,
                is_part=True,
            )
            parts.append(ScalePart(np.flatnonzero(marked), documents, part))
    return tuple(parts)


def _chosen(
    graded: FloatArray, indptr: IntArray, marked: NDArray[np.bool_]
) -> tuple[FloatArray, IntArray, IntArray | None]:
    """Return grades and borders of marked queries, and the positions of their documents."""
    if marked.all():
        return graded, indptr, None
    lengths = np.diff(indptr)
    documents = np.flatnonzero(np.repeat(marked, lengths))
    return graded[documents], borders_of(lengths[marked]), documents


_Laid = tuple[ReadLabels, RankedList | None, IntArray | None]
_Pool = tuple[FloatArray, IntArray]


def _on_shared_scale(
    labels: Judgments, graded: FloatArray, indptr: IntArray, pool: _Pool | None
) -> _Laid:
    both = graded if pool is None else np.concatenate((graded, pool[0]))
    grades, levels = levels_of(both)
    levels = levels.astype(level_type(len(grades)), copy=False)
    levels[both < UNJUDGED] = len(grades) + 1
    read = ReadLabels.of_levels(grades, levels[: len(graded)])
    if pool is None:
        return read, None, None
    return read, RankedList.without_ties(levels[len(graded) :], pool[1]), None


def _on_own_scales(
    labels: Judgments, graded: FloatArray, indptr: IntArray, pool: _Pool | None
) -> _Laid:
    order, _ = _core.rank(graded, indptr, _core.schedule_queries(indptr), 1)
    documents = graded, order, indptr
    if pool is None:
        n_levels, grades, borders, levels, pooled, ends = _core.own_levels(*documents)
        given = RankedList.without_ties(pooled[: ends[-1]], ends)
    else:
        n_levels, grades, borders, levels, pooled = _core.own_levels_with_pools(*documents, *pool)
        given = RankedList.without_ties(pooled, pool[1])
    fractional, unjudged = labels.has_fractional_grades, labels.has_unjudged
    read = ReadLabels(grades[:n_levels], levels, None, labels.top_grade, fractional, unjudged)
    return read, given, borders
