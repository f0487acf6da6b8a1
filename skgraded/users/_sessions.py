"""A log laid out by session: grades and clicks by rank, and the clusters of the sessions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.rankings import number_rows, numeric
from skgraded.users._feedback_columns import (
    checked_grades,
    count_grades,
    flags,
    known_grades,
    propensities,
    require,
    require_length,
    unit_numbers,
)

HOLE = -1
ABSENT = -2  # a document without a grade; no document
_MOST_RANKS = 1000
_FEWEST_CLUSTERS = 2
_FEWEST_CLICKS = 20  # at ranks that share a parameter


class Lists(NamedTuple):
    """Sessions by rank.

    Attributes
    ----------
    level : ndarray of shape (n_sessions, n_ranks), int
        Number of the grade of each document among the shown ones, from 0, or `HOLE` or `ABSENT`.
    clicked : ndarray of shape (n_sessions, n_ranks), bool
        Whether the document was clicked.
    propensity : ndarray of shape (n_sessions, n_ranks) or None
        Given probabilities of examination, up to a factor, the largest of which is 1.
    rank : ndarray of shape (n_ranks,), int
        The positions that occur, ascending.
    n_levels : int
        Number of shown grades above 0, which is the number of thresholds that can be told apart.
    clusters : tuple of ndarray of shape (n_sessions,), int
        Cluster of each session, for each way of clustering; empty if sessions are independent.
    """

    level: IntArray
    clicked: BoolArray
    propensity: FloatArray | None
    rank: IntArray
    n_levels: int
    clusters: tuple[IntArray, ...]

    def take(self, rows: slice) -> Lists:
        """Return some of the sessions."""
        return self._replace(
            level=self.level[rows],
            clicked=self.clicked[rows],
            propensity=None if self.propensity is None else self.propensity[rows],
            clusters=tuple(each[rows] for each in self.clusters),
        )

    def groups_of_ranks(self) -> IntArray:
        """Give numbers to the ranks, such that neighbours with few clicks share a number."""
        n_clicks = self.clicked.sum(axis=0).tolist()
        groups = np.zeros(len(n_clicks), dtype=np.int64)
        size = 0
        for at, here in enumerate(n_clicks):
            is_new = at > 0 and size >= _FEWEST_CLICKS
            groups[at] = groups[at - 1] + is_new if at else 0
            size = here if is_new else size + here
        if size < _FEWEST_CLICKS and groups[-1]:
            groups[groups == groups[-1]] -= 1
        return groups


class Log(NamedTuple):
    """A checked log: its rows, and the sessions that they make.

    Attributes
    ----------
    lists : Lists
        The sessions.
    grades : ndarray of shape (n_rows,)
        Grades, nan where there is none.
    clicked : ndarray of shape (n_rows,), bool
        Whether each row was clicked.
    propensity : ndarray of shape (n_rows,)
        Given probabilities of examination, or 1.
    place : ndarray of shape (n_rows,), int64
        Position of each row.
    shown : ndarray of shape (n_levels + 1,), int64
        The shown grades, and 0.
    n_shown : ndarray of shape (max_grade + 1,), int64
        Number of rows by grade.
    clusters : dict of str to int
        Number of independent units, by what makes them.
    """

    lists: Lists
    grades: FloatArray
    clicked: BoolArray
    propensity: FloatArray
    place: IntArray
    shown: IntArray
    n_shown: IntArray
    clusters: dict[str, int]


def lay_out(columns: Any, rows: dict[str, Any], top: int | None) -> Log:
    """Check the columns of a log, and arrange them by session and rank.

    Parameters
    ----------
    columns : CheckedColumns
        Grades and queries, let through by the gate.
    rows : dict of str to array-like or None
        The columns clicked, session, position, user and propensity.
    top : int or None
        Top grade of the scale.

    Returns
    -------
    Log
        The log.
    """
    grades, judged = checked_grades(columns)
    n_rows = len(grades)
    clicked = _clicks(rows["clicked"], grades)
    place = _positions(rows["position"], n_rows)
    chances = propensities(rows["propensity"], n_rows)
    n_shown = count_grades(grades[judged].astype(np.int64), top)
    shown = known_grades(n_shown)
    session = unit_numbers("session", rows["session"], n_rows)
    first = np.unique(session, return_index=True)[1]
    units = _units({"user": rows["user"], "qid": columns.ids}, session, first)
    level = np.full(n_rows, HOLE)
    level[judged] = np.searchsorted(shown, grades[judged])
    rank, column = np.unique(place, return_inverse=True)
    cell = _cells(session, column.ravel(), place, len(rank))

    def by_rank(values: NDArray[Any], empty: Any) -> NDArray[Any]:
        matrix = np.full(len(first) * len(rank), empty, dtype=values.dtype)
        matrix[cell] = values
        return matrix.reshape(len(first), len(rank))

    given = (
        None if rows["propensity"] is None else by_rank(chances / chances.max(), 1.0)
    )
    lists = Lists(
        by_rank(level, ABSENT),
        by_rank(clicked, False),
        given,
        rank,
        len(shown) - 1,
        tuple(units.values()),
    )
    clusters = {name: int(each.max()) + 1 for name, each in units.items()}
    clusters = clusters or {"session": len(first)}
    for name, n in clusters.items():
        if n < _FEWEST_CLUSTERS:
            raise ValueError(
                f"{name} must differ between rows, got the same in all of them: then nothing tells "
                "by how much estimates vary."
            )
    return Log(lists, grades, clicked, chances, place, shown, n_shown, clusters)


def number_alike(parts: list[NDArray[Any]]) -> IntArray:
    """Give one number to rows that are equal in all parts, matrices of as many rows."""
    packed = [
        np.packbits(each, axis=1) if each.dtype == bool else each.view(np.uint8)
        for each in parts
    ]
    wide = np.ascontiguousarray(
        np.hstack([each.reshape(len(each), -1) for each in packed])
    )
    return number_rows(wide.view(f"S{wide.shape[1]}")[:, 0], len(wide)).astype(np.int64)


def _clicks(clicked: Any, grades: FloatArray) -> BoolArray:
    was_clicked = flags("clicked", clicked, len(grades))
    judged = ~np.isnan(grades)
    if not judged.any():
        raise ValueError(
            f"grade must hold at least one grade, got {len(grades)} rows without."
        )
    if not was_clicked[judged].any():
        raise ValueError(
            "clicked must be true in some row with a grade, got clicks without alone."
        )
    if was_clicked.all():
        raise ValueError(
            f"clicked must be false in some rows, got {len(grades)} rows with clicks alone: those "
            "that were shown but not clicked are missing. Add them, because what users passed "
            "over says as much about them."
        )
    return was_clicked


def _positions(position: Any, n_rows: int) -> IntArray:
    place = numeric("position", position).astype(np.float64)
    require_length("position", len(place), n_rows)
    is_rank = (place >= 1) & (place <= _MOST_RANKS) & (place == np.floor(place))
    rule = f"integers from 1 to {_MOST_RANKS} (where the first is 0, pass position + 1)"
    require(is_rank, place, "position", rule)
    return place.astype(np.int64)


def _units(
    ids: dict[str, Any], session: IntArray, first: IntArray
) -> dict[str, IntArray]:
    """Return the number of each session's user and query, as far as they are given."""
    found = {}
    for name, each in ids.items():
        if each is None:
            continue
        number = unit_numbers(name, each, len(session))
        differs = number != number[first][session]
        if differs.any():
            row = np.flatnonzero(differs)[0]
            raise ValueError(
                f"{name} must be the same in all rows of a session, got rows "
                f"{int(first[session[row]])} and {row} of one session with different ones. Give "
                "every list that a user saw a session of its own."
            )
        found[name] = number[first]
    return found


def _cells(
    session: IntArray, column: IntArray, place: IntArray, n_ranks: int
) -> IntArray:
    """Return the place of each row in the matrix of sessions by rank."""
    cell: IntArray = session * n_ranks + column
    n_rows = np.bincount(cell)
    if n_rows.max() > 1:
        row = np.flatnonzero(n_rows[cell] > 1)[1]
        raise ValueError(
            f"position must differ between the rows of a session, got {place[row]} twice, the "
            f"second time in row {row}. Give every page view an id of its own."
        )
    return cell
