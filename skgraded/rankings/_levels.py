"""Labels as levels, which queries share where their grades are few for their documents.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own. Then
queries have levels of their own. A query's own labels alone decide which of the two it is, so that
no bit of its value depends on the other queries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.sealed import all_sealed, sealed
from skgraded.rankings._numbers import FLOATS, check_labels, check_weights
from skgraded.rankings._rankings import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments

T = TypeVar("T", bound=np.generic)

_LARGEST_BYTE = int(np.iinfo(np.uint8).max)
TOP_OF_SHORT_SCALE = 7  # scales up to which are always shared
_TOP_OF_SHARED_SCALE = 31
_PAIRS_A_DOCUMENT = (
    3.0  # more pairs of grades than these take more time than levels of their own
)

# In place of the grade of an unjudged document; -2 in that of one that was not sampled.
UNJUDGED = -1.0

# Types of labels that the kernels read.
_READ_IN_ONE_PASS = frozenset(map(np.dtype, ["f4", "f8", "i8", "i4", "u1"]))


def in_layout(rows: NDArray[Any], places: IntArray | None) -> NDArray[Any]:
    """Reorder an array with one entry per row, so that the rows of a query are consecutive."""
    return (
        rows
        if places is None
        else _core.put_in_places(np.ascontiguousarray(rows), places)
    )


def mean_by_query(
    sample_weight: ArrayLike, indptr: IntArray, places: IntArray | None
) -> FloatArray:
    """Return the mean of the row weights of each query."""
    weights = in_layout(check_weights(sample_weight, int(indptr[-1])), places)
    with np.errstate(over="ignore"):
        means: FloatArray = np.add.reduceat(weights, indptr[:-1]) / np.diff(indptr)
    if not np.isfinite(means).all():
        raise ValueError(
            "sample_weight must have a finite sum in every query, got inf."
        )
    return sealed(means)


class ReadLabels(NamedTuple):
    """Labels as grades and levels, those of `levels_of`, or by grade, before they have levels.

    Attributes
    ----------
    scale : tuple of two ndarrays, or None
        The distinct grades, and the level of each document, as `levels_of` returns them. The grades
        are None where queries have levels of their own, whose grades `graded` holds.
    graded : ndarray of shape (n_documents,), or None
        The grade of each document, and -1 if it is unjudged.
    top_grade : float
        The highest grade of the data set.
    any_fractional, any_unjudged : bool
        Whether any grade is not a whole number, and any document unjudged.
    """

    scale: tuple[FloatArray | None, NDArray[Any]] | None
    graded: FloatArray | None
    top_grade: float
    any_fractional: bool
    any_unjudged: bool

    @classmethod
    def of_levels(cls, grades: FloatArray, levels: NDArray[Any]) -> ReadLabels:
        """Take labels as levels.

        Parameters
        ----------
        grades : ndarray of shape (n_levels,)
            The distinct grades, ascending, starting with 0.
        levels : ndarray of shape (n_documents,)
            Index of each label in `grades`; ``n_levels`` or above if a document is unjudged.

        Returns
        -------
        ReadLabels
            The labels.
        """
        all_sealed(grades, levels)
        any_fractional = not _are_whole(grades)
        any_unjudged = bool(levels.max(initial=0) >= len(grades))
        return cls(
            (grades, levels), None, float(grades[-1]), any_fractional, any_unjudged
        )


def read_labels(labels: NDArray[Any], places: IntArray | None) -> ReadLabels:
    """Check labels, and lay them out: short scales as levels, others as grades, in one pass each.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        Numbers by row.
    places : ndarray of shape (n_documents,), int64, or None
        The position of every row; None if the rows of each query are already consecutive.

    Returns
    -------
    ReadLabels
        The labels by position.
    """
    if labels.dtype in _READ_IN_ONE_PASS:
        labels = np.ascontiguousarray(labels)
        grades, levels, any_unjudged, all_are = _core.read_byte_grades(labels)
        if all_are:
            scale = grades, in_layout(levels, places)
            return ReadLabels(scale, None, grades.item(-1), False, any_unjudged)
    if labels.dtype not in FLOATS:
        check_labels(labels)  # doubles do not tell all integers apart
        labels = labels.astype(np.float64)
    graded, top, any_unjudged, any_fractional, are_grades = _core.read_grades(
        np.ascontiguousarray(labels)
    )
    if not are_grades:
        labels = labels.copy()  # another thread may write to the caller's array
        check_labels(labels)
        return read_labels(labels, places)
    return ReadLabels(
        None, in_layout(graded, places), top, any_fractional, any_unjudged
    )


def levels_of(labels: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    """Find the distinct grades, and the index of each label among them.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        Grades >= 0; a document of NaN, or of a number below 0, is unjudged.

    Returns
    -------
    grades : ndarray of shape (n_levels,), float64
        The distinct grades, ascending, starting with 0.
    levels : ndarray of shape (n_documents,), uint8 or int32
        Index of each label in `grades`; ``n_levels`` if a document is unjudged.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.rankings import levels_of
    >>> levels_of(np.array([4.0, 0.0, np.nan]))
    (array([0., 4.]), array([1, 0, 2], dtype=uint8))
    """
    judged = labels >= 0
    known = np.where(judged, labels, 0.0).astype(np.float64, copy=False)
    if known.max(initial=0.0) > len(known) or not _are_whole(known):
        grades, of_all = _core.distinct_grades(known)
    else:  # a table of the grades takes less time
        whole = known.astype(np.int64)
        occurs = np.bincount(np.append(whole, 0)) > 0
        grades = np.flatnonzero(occurs).astype(np.float64)
        of_all = (np.cumsum(occurs) - 1)[whole]
    # A type that holds all levels, and the two that mark unjudged documents.
    levels = of_all.astype(np.uint8 if len(grades) < _LARGEST_BYTE else np.int32)
    levels[~judged] = len(grades)
    return grades, levels


def _are_whole(grades: FloatArray) -> bool:
    return np.array_equal(np.floor(grades), grades)


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
        return (
            by_document
            if self.documents is None
            else sealed(by_document[self.documents])
        )


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
    shortest = np.diff(labels.indptr).min()
    are_known = labels.has_own_pool and not (
        labels.has_unjudged or labels.has_fractional_grades
    )
    is_long = (
        top > _TOP_OF_SHARED_SCALE or (top + 1.0) ** 2 > _PAIRS_A_DOCUMENT * shortest
    )
    if are_known and not is_long:
        return np.zeros(labels.n_queries, np.bool_)
    return _core.go_by_own_levels(
        *labels.graded_pool, TOP_OF_SHORT_SCALE, _TOP_OF_SHARED_SCALE, _PAIRS_A_DOCUMENT
    ).view(np.bool_)


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
    return tuple(
        _part(labels, marked, lay_out) for marked, lay_out in kinds if marked.any()
    )


_Graded = tuple[FloatArray, IntArray]  # grades, and the borders of the queries
_Laid = tuple[
    ReadLabels, RankedList | None, IntArray | None
]  # labels, their pools and borders


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
    part = labels._of(labels.qid[marked], lists[1], read, pool=pool, borders=borders)
    return ScalePart(np.flatnonzero(marked), documents, part)


def _positions(indptr: IntArray, marked: NDArray[np.bool_]) -> IntArray:
    """Return the positions of the documents of marked queries."""
    return np.flatnonzero(np.repeat(marked, np.diff(indptr)))


def _selected(
    graded: FloatArray, indptr: IntArray, marked: NDArray[np.bool_]
) -> _Graded:
    """Select marked queries."""
    if marked.all():
        return graded, indptr
    return graded[_positions(indptr, marked)], np.append(
        0, np.cumsum(np.diff(indptr)[marked])
    )


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
    pool_grades, pool_indptr = pools or (np.zeros(0), np.zeros_like(indptr))
    borders, levels, pooled = _core.own_levels(graded, indptr, pool_grades, pool_indptr)
    given = pools and RankedList.without_ties(pooled, pool_indptr)
    grades = None  # found in those of the documents, where these are of all levels
    if pools is not None:
        of_all = np.concatenate((graded, pool_grades)), np.concatenate((levels, pooled))
        grades = _core.own_grades(*of_all, borders.item(-1))
    return (
        labels._labels._replace(scale=(grades, levels), graded=graded),
        given,
        borders,
    )
