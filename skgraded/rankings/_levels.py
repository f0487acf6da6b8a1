"""Labels as levels, which queries share where their grades are few for their documents.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own. Then
queries have levels of their own. A query's own labels alone decide which of the two it is, so that
no bit of its value depends on the other queries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._support.arguments import ArgumentError
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.sealed import all_sealed, sealed
from skgraded.rankings._numbers import FLOATS, check_labels, check_weights
from skgraded.rankings._rankings import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments

T = TypeVar("T", bound=np.generic)

_LARGEST_BYTE = int(np.iinfo(np.uint8).max)
TOP_OF_SHORT_SCALE = 7  # scales up to which are always shared
_TOP_OF_SHARED_SCALE = 31
# More pairs of grades than these take more time than levels of their own.
_PAIRS_A_DOCUMENT = 3.0

# In place of the grade of an unjudged document; -2 in that of one that was not sampled.
UNJUDGED = -1.0

# Types of labels that the kernels read.
_READ_IN_ONE_PASS = frozenset(map(np.dtype, ["f4", "f8", "i8", "i4", "u1"]))


def in_layout(rows: NDArray[Any], places: IntArray | None) -> NDArray[Any]:
    """Reorder an array with one entry per row, so that the rows of a query are consecutive."""
    if places is None:
        return rows
    return _core.put_in_places(values=np.ascontiguousarray(rows), places=places)


def mean_by_query(
    sample_weight: ArrayLike, indptr: IntArray, places: IntArray | None
) -> FloatArray:
    """Return the mean of the row weights of each query."""
    weight_by_row = check_weights(sample_weight, indptr.item(-1))
    weights = in_layout(weight_by_row, places)
    with np.errstate(over="ignore"):
        sums = np.add.reduceat(weights, indptr[:-1])
        means: FloatArray = sums / np.diff(indptr)

    if not np.isfinite(means).all():
        raise ArgumentError(
            "sample_weight", "must have a finite sum in every query, got inf."
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

        return cls(
            scale=(grades, levels),
            graded=None,
            top_grade=grades.item(-1),
            any_fractional=not _are_whole(grades),
            any_unjudged=bool(levels.max(initial=0) >= len(grades)),
        )


@dataclass(eq=False)
class Layout:
    """What `Judgments` is made of: labels by query, in arrays that fit together.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
    labels : ReadLabels
        The labels by position.
    places : ndarray of shape (n_documents,), int64, or None
        The position of every row; None if the rows are grouped by query.
    weights : ndarray of shape (n_queries,), float64, or None
        Weight of each query in a mean.
    row_labels : mapping of str to Index, or None
        Row labels of the arguments that were pandas objects.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows that each query has in its data set.
    pool : RankedList or None
        The judged documents of each query, best grade first; None if they are those of the lists.
    borders : ndarray of shape (n_queries + 1,), int64, or None
        Borders of the levels that queries have of their own.
    """

    qid: NDArray[Any]
    indptr: IntArray
    labels: ReadLabels
    places: IntArray | None = None
    weights: FloatArray | None = None
    row_labels: Mapping[str, Any] | None = None
    sizes: IntArray | None = None
    pool: RankedList | None = None
    borders: IntArray | None = None

    def seal(self) -> None:
        """Let nobody write to the arrays; those of the labels and the pool are sealed before."""
        all_sealed(self.qid, self.indptr, self.places)
        all_sealed(self.weights, self.sizes, self.borders)


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
        grades, levels, any_unjudged, is_short = _core.read_byte_grades(labels)
        if is_short:
            scale = (grades, in_layout(levels, places))
            top_grade = grades.item(-1)
            return ReadLabels(scale, None, top_grade, False, any_unjudged)

    if labels.dtype not in FLOATS:
        check_labels(labels)  # doubles do not tell all integers apart
        labels = labels.astype(np.float64)
    graded, top_grade, any_unjudged, any_fractional, are_grades = _core.read_grades(
        np.ascontiguousarray(labels)
    )
    if not are_grades:
        labels = labels.copy()  # another thread may write to the caller's array
        check_labels(labels)
        return read_labels(labels, places)
    graded = in_layout(graded, places)
    return ReadLabels(None, graded, top_grade, any_fractional, any_unjudged)


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
    is_judged = labels >= 0
    graded = np.where(is_judged, labels, 0.0).astype(np.float64, copy=False)
    top_grade = graded.max(initial=0.0)

    if top_grade > len(graded) or not _are_whole(graded):
        grades, levels = _core.distinct_grades(graded)
    else:  # a table of the grades takes less time
        whole_grades = graded.astype(np.int64)
        occurs = np.bincount(np.append(whole_grades, 0)) > 0
        grades = np.flatnonzero(occurs).astype(np.float64)
        level_of_grade = np.cumsum(occurs) - 1
        levels = level_of_grade[whole_grades]

    # A type that holds all levels, and the two that mark unjudged documents.
    smallest_type = np.uint8 if len(grades) < _LARGEST_BYTE else np.int32
    levels = levels.astype(smallest_type)
    levels[~is_judged] = len(grades)
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
        if self.documents is None:
            return by_document
        return sealed(by_document[self.documents])


def go_by_own_levels(labels: Judgments) -> BoolArray:
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
    top_grade = labels.top_grade
    shortest = np.diff(labels.indptr).min()
    is_plain = labels.has_own_pool and not (
        labels.has_unjudged or labels.has_fractional_grades
    )
    has_many_pairs = (top_grade + 1.0) ** 2 > _PAIRS_A_DOCUMENT * shortest
    is_long = top_grade > _TOP_OF_SHARED_SCALE or has_many_pairs
    if is_plain and not is_long:
        return np.zeros(labels.n_queries, np.bool_)

    grades, indptr = labels.graded_pool
    marks = _core.go_by_own_levels(
        grades=grades,
        indptr=indptr,
        few=TOP_OF_SHORT_SCALE,
        most=_TOP_OF_SHARED_SCALE,
        pairs=_PAIRS_A_DOCUMENT,
    )
    return marks.view(np.bool_)


def parts_by_scale(labels: Judgments, is_own: BoolArray) -> tuple[ScalePart, ...]:
    """Separate the queries that share a scale from others, which get levels of their own.

    Parameters
    ----------
    labels : Judgments
        Labels of a data set.
    is_own : ndarray of shape (n_queries,), bool
        Marks of the queries that get levels of their own.

    Returns
    -------
    tuple of ScalePart
        The queries that share a scale, if there are any, and then the others.
    """
    scale_parts = []
    if not is_own.all():
        scale_parts.append(_lay_out(labels, ~is_own, _on_shared_scale))
    if is_own.any():
        scale_parts.append(_lay_out(labels, is_own, _on_own_scales))
    return tuple(scale_parts)


class _GradedLists(NamedTuple):
    """Grades of documents, in lists or pools, and the borders of the queries."""

    grades: FloatArray
    indptr: IntArray

    def select(self, is_selected: BoolArray) -> _GradedLists:
        """Select marked queries."""
        if is_selected.all():
            return self
        positions = _positions(self.indptr, is_selected)
        lengths = np.diff(self.indptr)[is_selected]
        indptr = np.append(0, np.cumsum(lengths))
        return _GradedLists(self.grades[positions], indptr)


# Labels, their pools and the borders of their levels.
_OnScale = tuple[ReadLabels, RankedList | None, IntArray | None]


def _lay_out(
    labels: Judgments,
    is_selected: BoolArray,
    put_on_scale: Callable[[Judgments, _GradedLists, _GradedLists | None], _OnScale],
) -> ScalePart:
    """Lay out marked queries as a part of their own."""
    documents = None
    if not is_selected.all():
        documents = _positions(labels.indptr, is_selected)

    lists = _GradedLists(labels.graded, labels.indptr).select(is_selected)
    pools = None
    if not labels.has_own_pool:
        pools = _GradedLists(*labels.graded_pool).select(is_selected)

    labels_on_scale, pool, borders = put_on_scale(labels, lists, pools)
    layout = Layout(
        qid=labels.qid[is_selected],
        indptr=lists.indptr,
        labels=labels_on_scale._replace(top_grade=labels.top_grade),
        pool=pool,
        borders=borders,
    )
    judgments = labels._from_layout(layout)
    return ScalePart(np.flatnonzero(is_selected), documents, judgments)


def _positions(indptr: IntArray, is_selected: BoolArray) -> IntArray:
    """Return the positions of the documents of marked queries."""
    return np.flatnonzero(np.repeat(is_selected, np.diff(indptr)))


def _on_shared_scale(
    labels: Judgments, lists: _GradedLists, pools: _GradedLists | None
) -> _OnScale:
    graded = lists.grades
    if pools is not None:
        graded = np.concatenate((graded, pools.grades))
    grades, levels = levels_of(graded)
    levels[graded < UNJUDGED] = len(grades) + 1

    n_documents = len(lists.grades)
    labels_on_scale = ReadLabels.of_levels(grades, levels[:n_documents])
    pool = None
    if pools is not None:
        pool = RankedList.without_ties(levels[n_documents:], pools.indptr)
    return labels_on_scale, pool, None


def _on_own_scales(
    labels: Judgments, lists: _GradedLists, pools: _GradedLists | None
) -> _OnScale:
    graded, indptr = lists
    if pools is None:
        pool_grades = np.zeros(0)
        pool_indptr = np.zeros_like(indptr)
    else:
        pool_grades, pool_indptr = pools
    borders, levels, pool_levels = _core.own_levels(
        grades=graded, indptr=indptr, pool_grades=pool_grades, pool_indptr=pool_indptr
    )

    grades = None  # found in those of the documents, where these are of all levels
    pool = None
    if pools is not None:
        grades = _core.own_grades(
            grades=np.concatenate((graded, pool_grades)),
            levels=np.concatenate((levels, pool_levels)),
            n_levels=borders.item(-1),
        )
        pool = RankedList.without_ties(pool_levels, pool_indptr)

    labels_on_scale = labels._labels._replace(scale=(grades, levels), graded=graded)
    return labels_on_scale, pool, borders
