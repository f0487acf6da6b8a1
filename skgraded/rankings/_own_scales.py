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
from skgraded.rankings._levels import UNJUDGED, ReadLabels, levels_of, read_labels
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
        First the larger part. It has all documents, so that no array need be sliced; those of the
        smaller part have grade 0 in it. The smaller part follows, whose values count for its
        queries.
    """
    n_of_own = np.diff(labels.indptr)[own].sum()
    few, of_few, of_most = own, _on_own_scales, _on_shared_scale
    if 2 * n_of_own > labels.n_documents:
        few, of_few, of_most = ~own, _on_shared_scale, _on_own_scales
    lists = labels.graded, labels.indptr
    pools = None if labels.has_own_pool else labels.graded_pool
    queries, numbers = np.arange(labels.n_queries), np.flatnonzero(few)
    if not len(numbers):
        return (ScalePart(queries, None, _part(labels, queries, of_most(labels, lists, pools))),)
    most = _blanked(*lists, few), pools and _blanked(*pools, few)
    some = _selected(*lists, few), pools and _selected(*pools, few)
    return (
        ScalePart(queries, None, _part(labels, queries, of_most(labels, *most))),
        ScalePart(
            numbers,
            _positions(labels.indptr, few),
            _part(labels, numbers, of_few(labels, *some)),
        ),
    )


_Graded = tuple[FloatArray, IntArray]  # grades, and the borders of the queries
_Laid = tuple[IntArray, ReadLabels, RankedList | None, IntArray | None]


def _part(labels: Judgments, queries: IntArray, laid: _Laid) -> Judgments:
    indptr, read, pool, borders = laid
    read = read._replace(top_grade=labels.top_grade, any_unjudged=labels.has_unjudged)
    weights = None if labels.weights is None else labels.weights[queries]
    qid = labels.qid[queries]
    return labels._of(qid, indptr, read, weights, pool=pool, borders=borders, is_part=True)


def _positions(indptr: IntArray, marked: NDArray[np.bool_]) -> IntArray:
    """Return the positions of the documents of marked queries."""
    lengths = np.diff(indptr)[marked]
    borders = borders_of(lengths)
    return np.repeat(indptr[:-1][marked] - borders[:-1], lengths) + np.arange(borders[-1])


def _blanked(graded: FloatArray, indptr: IntArray, marked: NDArray[np.bool_]) -> _Graded:
    """Give the documents of marked queries grade 0."""
    graded = graded.copy()
    graded[_positions(indptr, marked)] = 0.0
    return graded, indptr


def _selected(graded: FloatArray, indptr: IntArray, marked: NDArray[np.bool_]) -> _Graded:
    """Select marked queries."""
    return graded[_positions(indptr, marked)], borders_of(np.diff(indptr)[marked])


def _on_shared_scale(labels: Judgments, lists: _Graded, pools: _Graded | None) -> _Laid:
    graded, indptr = lists
    if pools is None and not labels.has_unjudged:
        return indptr, read_labels(graded, None), None, None
    both = graded if pools is None else np.concatenate((graded, pools[0]))
    grades, levels = levels_of(both)
    levels[both < UNJUDGED] = len(grades) + 1
    read = ReadLabels.of_levels(grades, levels[: len(graded)])
    given = pools and RankedList.without_ties(levels[len(graded) :], pools[1])
    return indptr, read, given, None


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
    read = ReadLabels(scale, None, labels.top_grade, fractional, unjudged)
    return indptr, read, given, borders
