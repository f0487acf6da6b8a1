"""One scale of grades for all parts of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.measures import Measure
from skgraded.rankings import Judgments

__all__ = ["check_grades", "distinct_grades", "on_scale", "require_scale"]

FloatArray = NDArray[np.float64]


def check_grades(grades: Sequence[float] | FloatArray | None) -> FloatArray | None:
    """Return the grades of a scale, ascending, 0 among them."""
    if grades is None:
        return None
    scale = np.union1d([0.0], np.asarray(grades, dtype=np.float64).ravel())
    if not np.isfinite(scale).all() or scale[0] < 0:
        raise ValueError(f"grades must be numbers >= 0, such as range(5), got {list(grades)!r}.")
    return scale


def distinct_grades(labels: Iterable[NDArray[Any]]) -> FloatArray:
    """Grades that occur in labels, ascending; the labels are checked where they are scored."""
    found = [np.unique(each[~np.isnan(each)]) for each in map(_floats, labels)]
    grades = np.unique(np.concatenate([[0.0], *found]))
    return np.asarray(grades[(grades >= 0) & np.isfinite(grades)])


def _floats(labels: NDArray[Any]) -> FloatArray:
    is_whole = labels.dtype.kind in "iub" and len(labels) > 0
    if is_whole and labels.min() >= 0 and labels.max() < 2**16:  # few: no need to sort them
        return np.flatnonzero(np.bincount(labels)).astype(np.float64)
    return labels.astype(np.float64)


def on_scale(judgments: Judgments, grades: FloatArray | None) -> Judgments:
    """Take judgments of a part to the scale of the whole."""
    if grades is None or np.array_equal(judgments.grades, grades):
        return judgments
    unknown = np.setdiff1d(judgments.grades, grades)
    if len(unknown):
        raise ValueError(
            f"grades must name every grade that occurs, got {unknown[0]:g} in y_true and grades "
            f"{', '.join(f'{each:g}' for each in grades)}."
        )
    n_levels = len(grades)
    level_of = np.searchsorted(grades, judgments.grades)
    level_of = np.append(level_of, [n_levels, n_levels + 1])  # the unjudged stay unjudged
    dtype = np.uint8 if n_levels < np.iinfo(np.uint8).max else np.int32
    return Judgments(
        qid=judgments.qid,
        indptr=judgments.indptr,
        row_order=judgments.row_order,
        grades=grades,
        levels=level_of.astype(dtype)[judgments.levels],
        weights=judgments.weights,
    )


def require_scale(measures: tuple[Measure, ...], grades: FloatArray | None) -> None:
    """Raise where a measure would read the top of the scale off each chunk."""
    still_open = [each for each in measures if each.is_open]
    if grades is None and still_open:
        example = repr(still_open[0].resolve(4))
        raise ValueError(
            f"{still_open[0]} takes the top of the scale from the data, which a stream of chunks "
            "shows only at its end. Pass the grades, for example grades=range(5), or name the top "
            f"in the measure, for example {example}."
        )
