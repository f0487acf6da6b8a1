"""Columns of feedback: grades of shown documents, and what users did with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded.exceptions import IndistinctGradesWarning
from skgraded.rankings import CheckedColumns, numeric
from skgraded.users._resampling import grades_in_words, require, require_length

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST_GRADES = 2


def read_grades(columns: CheckedColumns) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the grades, nan where there is none, and where there is one."""
    grades = numeric("grade", columns.labels).astype(np.float64)
    judged = ~np.isnan(grades)
    is_grade = np.isfinite(grades) & (grades >= 0) & (grades == np.floor(grades))
    require(is_grade | ~judged, grades, "grade", "integers >= 0, or NaN for unjudged documents")
    return grades, judged


def flags(name: str, satisfied: Any, n_rows: int) -> NDArray[np.bool_]:
    """Return a column of True, False, 1 or 0 as booleans, some of which must be true."""
    values = numeric(name, satisfied).astype(np.float64)
    require_length(name, len(values), n_rows, "grade")
    was_satisfied: NDArray[np.bool_] = values == 1
    require(was_satisfied | (values == 0), values, name, "True, False, 1 or 0")
    if not was_satisfied.any():
        raise ValueError(
            f"{name} must be true in some row, got {n_rows} rows without a satisfied user. "
            "Without satisfied users there is nothing to estimate g from."
        )
    return was_satisfied


def propensities(propensity: Any, n_rows: int) -> FloatArray:
    """Return probabilities of examination, 1 where none are given."""
    if propensity is None:
        return np.ones(n_rows)
    values = numeric("propensity", propensity).astype(np.float64)
    require_length("propensity", len(values), n_rows, "grade")
    rule = "probabilities above 0 and up to 1 (leave out rows that nobody can examine)"
    require((values > 0) & (values <= 1), values, "propensity", rule)
    return values


def count_grades(grade: IntArray, max_grade: int | None) -> IntArray:
    """Count the shown documents of each grade; the top grade and another one must be shown."""
    highest = int(grade.max())
    top = highest if max_grade is None else max_grade
    if highest > top:
        raise ValueError(f"grade must not exceed max_grade={top}, got {highest}.")
    counts = np.bincount(grade, minlength=top + 1)
    if np.count_nonzero(counts) < _FEWEST_GRADES:
        raise ValueError(
            "grade must hold at least two different grades, because g is read from differences "
            f"between grades, got grade {highest} in all {len(grade)} rows."
        )
    if counts[top] == 0:
        raise ValueError(
            f"grade must hold the top grade max_grade={top}, which satisfies all users, got grades "
            f"up to {highest}. Collect feedback on grade {top}, or judge on the scale 0..{highest}."
        )
    return counts


def known_grades(n_shown: IntArray) -> IntArray:
    """Return the shown grades and 0; warn of the others."""
    shown = np.flatnonzero(n_shown)
    unseen = np.setdiff1d(np.arange(1, len(n_shown)), shown)
    if len(unseen):
        warn_once(
            f"grade should hold every grade of the scale 0..{len(n_shown) - 1}, got no document of "
            f"{grades_in_words(unseen)}. The probability of the thresholds between two shown "
            "grades is known as a sum only and is split evenly among them.",
            IndistinctGradesWarning,
        )
    return np.union1d([0], shown)
