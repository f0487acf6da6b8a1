"""Functions that turn labels into levels, and average the weights of rows by query."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded.rankings._numbers import FLOATS, check_labels, check_weights

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LARGEST_BYTE = int(np.iinfo(np.uint8).max)


def in_layout(rows: NDArray[Any], places: IntArray | None) -> NDArray[Any]:
    """Reorder an array with one entry per row, so that the rows of a query are consecutive."""
    return rows if places is None else _core.put_in_places(np.ascontiguousarray(rows), places)


def mean_by_query(
    sample_weight: ArrayLike, indptr: IntArray, places: IntArray | None
) -> FloatArray:
    """Return the mean of the row weights of each query."""
    weights = in_layout(check_weights(sample_weight, int(indptr[-1])), places)
    with np.errstate(over="ignore"):
        means: FloatArray = np.add.reduceat(weights, indptr[:-1]) / np.diff(indptr)
    if not np.isfinite(means).all():
        raise ValueError("sample_weight must have a finite sum in every query, got inf.")
    return means


# In place of the grade of an unjudged document; -2 in that of one that was not sampled.
UNJUDGED = -1.0

# Types of labels that the kernels read.
_READ_IN_ONE_PASS = frozenset(map(np.dtype, ["f4", "f8", "i8", "i4", "u1"]))


class ReadLabels(NamedTuple):
    """Labels as grades and levels, those of `levels_of`, or by grade, before they have levels.

    Attributes
    ----------
    scale : tuple of two ndarrays, or None
        The distinct grades, and the level of each document, as `levels_of` returns them.
    graded : ndarray of shape (n_documents,), or None
        The grade of each document, and -1 if it is unjudged.
    top_grade : float
        The highest grade of the data set.
    any_fractional, any_unjudged : bool
        Whether any grade is not a whole number, and any document unjudged.
    """

    scale: tuple[FloatArray, NDArray[Any]] | None
    graded: FloatArray | None
    top_grade: float
    any_fractional: bool
    any_unjudged: bool

    @property
    def arrays(self) -> tuple[NDArray[Any] | None, ...]:
        """The arrays that hold them."""
        return (self.graded,) if self.scale is None else self.scale

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
        any_fractional = not _are_whole(grades)
        any_unjudged = bool(levels.max(initial=0) >= len(grades))
        return cls((grades, levels), None, float(grades[-1]), any_fractional, any_unjudged)


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
            return ReadLabels(scale, None, float(grades[-1]), False, any_unjudged)
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
    return ReadLabels(None, in_layout(graded, places), top, any_fractional, any_unjudged)


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
    grades, of_bytes, _, all_are = _core.read_byte_grades(np.where(judged, labels, np.nan))
    if all_are:
        return grades, of_bytes.copy()
    grades, of_all = _core.distinct_grades(np.where(judged, labels, 0.0).astype(np.float64))
    # A type that holds all levels, and the two that mark unjudged documents.
    levels = of_all.astype(np.uint8 if len(grades) < _LARGEST_BYTE else np.int32)
    levels[~judged] = len(grades)
    return grades, levels


def _are_whole(grades: FloatArray) -> bool:
    return np.array_equal(np.floor(grades), grades)
