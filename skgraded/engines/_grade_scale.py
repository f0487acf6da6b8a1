"""One scale of grades for all parts of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.rankings import Judgments

FloatArray = NDArray[np.float64]


def check_grades(grades: Sequence[float] | FloatArray | None) -> FloatArray | None:
    """Return the grades of a scale, ascending from 0."""
    if grades is None:
        return None
    rule = f"grades must be a sequence of finite numbers >= 0, such as range(5), got {grades!r}."
    try:
        given = np.asarray(grades, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(rule) from error
    scale = np.union1d([0.0], given)
    if given.ndim != 1 or not np.isfinite(scale).all() or scale[0] < 0:
        raise ValueError(rule)
    return scale


def distinct_grades(labels: Iterable[NDArray[Any]]) -> FloatArray:
    """Return the grades that occur in labels; labels that are not grades are left out.

    Scoring refuses labels that are negative or infinite, and names them.

    Parameters
    ----------
    labels : iterable of ndarray
        Labels of each part; NaN = unjudged.

    Returns
    -------
    ndarray of float64
        The grades, ascending from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.engines import distinct_grades
    >>> distinct_grades([np.array([2, 0]), np.array([3.0, np.nan])])
    array([0., 2., 3.])
    """
    found = [np.unique(each[~np.isnan(each)]) for each in map(_floats, labels)]
    grades = np.unique(np.concatenate([[0.0], *found]))
    return np.asarray(grades[(grades >= 0) & np.isfinite(grades)])


def _floats(labels: NDArray[Any]) -> FloatArray:
    is_whole = labels.dtype.kind in "iub" and len(labels) > 0
    if is_whole and labels.min() >= 0 and labels.max() < 2**16:  # counting is faster than sorting
        return np.flatnonzero(np.bincount(labels)).astype(np.float64)
    return labels.astype(np.float64)


def on_scale(judgments: Judgments, grades: FloatArray | None) -> Judgments:
    """Express the judgments of a part on the scale of the whole.

    Parameters
    ----------
    judgments : Judgments
        Judgments of a part.
    grades : ndarray or None
        The grades of the whole, ascending from 0; None leaves the judgments as they are.

    Returns
    -------
    Judgments
        The same judgments, of which ``grades`` is the scale of the whole.

    Raises
    ------
    ValueError
        If the part has a grade that is not on the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.engines import on_scale
    >>> from skgraded.rankings import Judgments
    >>> on_scale(Judgments([0, 3, 0]), np.arange(5.0)).grades
    array([0., 1., 2., 3., 4.])
    """
    if grades is None or np.array_equal(judgments.grades, grades):
        return judgments
    if judgments.has_fractional_grades or (grades != np.floor(grades)).any():
        grades = _up_to_top(judgments, float(grades[-1]))
    unknown = np.setdiff1d(judgments.grades, grades)
    if len(unknown):
        raise ValueError(
            f"grades must name every grade that occurs, got {unknown[0]:g} in y_true and grades "
            f"{', '.join(f'{each:g}' for each in grades)}."
        )
    n_levels = len(grades)
    level_of = np.searchsorted(grades, judgments.grades)
    level_of = np.append(level_of, [n_levels, n_levels + 1])  # the unjudged stay unjudged
    return judgments.relabel(grades, level_of)


def _up_to_top(judgments: Judgments, top: float) -> FloatArray:
    """Return the grades of a part and the top of the scale, since others are too many to list."""
    if judgments.top_grade > top:
        raise ValueError(
            f"grades must reach the highest grade that occurs, got {judgments.top_grade:g} in "
            f"y_true and a highest grade of {top:g}."
        )
    return np.union1d(judgments.grades, [top])
