"""Columns of feedback and of logs: grades of shown documents, what users did, and ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded.exceptions import FewFeedbackWarning, GradeScaleWarning
from skgraded.rankings import CheckedColumns, as_ids, number_rows, numeric, read_grades

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST_GRADES = 2
_FEW = 20  # clusters


def checked_grades(columns: CheckedColumns) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the grades, nan where there is none, and where there is one."""
    grades = read_grades("grade", columns.labels).astype(np.float64)
    judged = ~np.isnan(grades)
    is_grade = np.isfinite(grades) & (grades >= 0) & (grades == np.floor(grades))
    require(is_grade | ~judged, grades, "grade", "integers >= 0, or NaN for unjudged documents")
    return grades, judged


def flags(name: str, satisfied: Any, n_rows: int) -> NDArray[np.bool_]:
    """Return a column of True, False, 1 or 0 as booleans, some of which must be true."""
    values = numeric(name, satisfied).astype(np.float64)
    require_length(name, len(values), n_rows)
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
    require_length("propensity", len(values), n_rows)
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
            GradeScaleWarning,
        )
    return np.union1d([0], shown)


def require(fits: NDArray[np.bool_], values: NDArray[Any], name: str, rule: str) -> None:
    """Raise at the first value that does not fit."""
    if not fits.all():
        row = int(np.flatnonzero(~fits)[0])
        raise ValueError(f"{name} must hold {rule}, got {values[row]:g} in row {row}.")


def require_length(name: str, n_entries: int, n_rows: int) -> None:
    """Raise if a column does not have one entry per row of the grades."""
    if n_entries != n_rows:
        raise ValueError(
            f"{name} must have one entry per row of grade ({n_rows}), got {n_entries}."
        )


def unit_numbers(name: str, ids: Any, n_rows: int) -> IntArray:
    """Return the number of each row's session, user, query or cluster, by first appearance."""
    try:
        require_length(name, len(as_ids(ids)), n_rows)
        return number_rows(ids, n_rows).astype(np.int64)
    except ValueError as error:
        told = str(error).replace("qid must name a query", "qid must have an id")
        raise ValueError(told.replace("qid", name, 1) if told.startswith("qid") else told) from None


def grades_in_words(grades: IntArray) -> str:
    """List grades in a sentence, such as ``grades 1, 2 and 3``."""
    names = [str(grade) for grade in grades.tolist()]
    if len(names) == 1:
        return f"grade {names[0]}"
    return f"grades {', '.join(names[:-1])} and {names[-1]}"


def warn_if_few(n_clusters: int, name: str) -> None:
    """Warn if g is estimated from too few sessions, users or queries."""
    if n_clusters < _FEW:
        warn_once(
            f"{name} should hold at least {_FEW} clusters, got {n_clusters}. The estimate of g is "
            "then little more than chance, and its intervals are too short.",
            FewFeedbackWarning,
        )
