"""A log laid out by session: grades and clicks by rank, and the clusters of the sessions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import first_true
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.rankings import number_rows, numeric
from skgraded.users._feedback_columns import (
    check_grades,
    count_grades,
    find_shown_grades,
    flags,
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


class Sessions(NamedTuple):
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

    def take(self, rows: slice) -> Sessions:
        """Return some of the sessions."""
        propensity = self.propensity
        if propensity is not None:
            propensity = propensity[rows]
        clusters = [cluster[rows] for cluster in self.clusters]

        return self._replace(
            level=self.level[rows],
            clicked=self.clicked[rows],
            propensity=propensity,
            clusters=tuple(clusters),
        )

    def groups_of_ranks(self) -> IntArray:
        """Give numbers to the ranks, such that neighbours with few clicks share a number."""
        group = 0
        n_clicks_of_group = 0
        groups = []
        for n_clicks in self.clicked.sum(axis=0).tolist():
            if n_clicks_of_group >= _FEWEST_CLICKS:
                group += 1
                n_clicks_of_group = 0
            n_clicks_of_group += n_clicks
            groups.append(group)

        # The last ranks join the group before them if they have few clicks.
        group_of_rank = np.array(groups, dtype=np.int64)
        if n_clicks_of_group < _FEWEST_CLICKS and group:
            group_of_rank[group_of_rank == group] -= 1
        return group_of_rank


class Log(NamedTuple):
    """A checked log: its rows, and the sessions that they make.

    Attributes
    ----------
    sessions : Sessions
        The sessions.
    grades : ndarray of shape (n_rows,)
        Grades, nan where there is none.
    clicked : ndarray of shape (n_rows,), bool
        Whether each row was clicked.
    propensity : ndarray of shape (n_rows,)
        Given probabilities of examination, or 1.
    position : ndarray of shape (n_rows,), int64
        Position of each row.
    shown_grades : ndarray of shape (n_levels + 1,), int64
        The shown grades, and 0.
    n_shown : ndarray of shape (max_grade + 1,), int64
        Number of rows by grade.
    n_clusters : dict of str to int
        Number of independent units, by what makes them.
    """

    sessions: Sessions
    grades: FloatArray
    clicked: BoolArray
    propensity: FloatArray
    position: IntArray
    shown_grades: IntArray
    n_shown: IntArray
    n_clusters: dict[str, int]


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
    grades, is_judged = check_grades(columns)
    n_rows = len(grades)
    clicked = _clicks(rows["clicked"], grades)
    position = _positions(rows["position"], n_rows)
    propensity = propensities(rows["propensity"], n_rows)
    judged_grades = grades[is_judged]
    n_shown = count_grades(judged_grades.astype(np.int64), top)
    shown_grades = find_shown_grades(n_shown)

    session = unit_numbers("session", rows["session"], n_rows)
    _, first_row = np.unique(session, return_index=True)
    n_sessions = len(first_row)
    ids = {"user": rows["user"], "qid": columns.ids}
    unit_of_session = _units_of_sessions(ids, session, first_row)

    # A session is a row of a matrix, and a position that occurs is a column.
    rank, column = np.unique(position, return_inverse=True)
    n_ranks = len(rank)
    cell = _cells(session, column.ravel(), position, n_ranks)
    shape = (n_sessions, n_ranks)

    level = np.full(n_rows, HOLE)
    level[is_judged] = np.searchsorted(shown_grades, judged_grades)
    propensity_by_rank = None
    if rows["propensity"] is not None:
        relative_propensity = propensity / propensity.max()
        propensity_by_rank = _matrix(relative_propensity, 1.0, cell, shape)

    sessions = Sessions(
        level=_matrix(level, ABSENT, cell, shape),
        clicked=_matrix(clicked, False, cell, shape),
        propensity=propensity_by_rank,
        rank=rank,
        n_levels=len(shown_grades) - 1,
        clusters=tuple(unit_of_session.values()),
    )

    n_clusters = _count_clusters(unit_of_session, n_sessions)
    return Log(
        sessions,
        grades,
        clicked,
        propensity,
        position,
        shown_grades,
        n_shown,
        n_clusters,
    )


def number_equal_rows(matrices: list[NDArray[Any]]) -> IntArray:
    """Give one number to rows that are equal in all matrices, which have as many rows."""
    bytes_by_matrix = []
    for matrix in matrices:
        row_bytes = matrix.view(np.uint8)
        if matrix.dtype == bool:
            row_bytes = np.packbits(matrix, axis=1)
        bytes_by_matrix.append(row_bytes.reshape(len(matrix), -1))

    # The bytes of a row are one id.
    table = np.ascontiguousarray(np.hstack(bytes_by_matrix))
    n_rows, n_bytes = table.shape
    ids = table.view(f"S{n_bytes}")[:, 0]
    return number_rows(ids, n_rows).astype(np.int64)


def _clicks(clicked: Any, grades: FloatArray) -> BoolArray:
    """Return whether each row was clicked; both clicks and rows without must occur."""
    was_clicked = flags("clicked", clicked, len(grades))
    is_judged = ~np.isnan(grades)
    if not is_judged.any():
        raise ValueError(
            f"grade must hold at least one grade, got {len(grades)} rows without."
        )

    if not was_clicked[is_judged].any():
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


def _positions(column: Any, n_rows: int) -> IntArray:
    """Return the position of each row."""
    position = numeric("position", column)
    position = position.astype(np.float64)
    require_length("position", len(position), n_rows)
    is_in_range = (position >= 1) & (position <= _MOST_RANKS)
    is_whole = position == np.floor(position)
    is_rank = is_in_range & is_whole
    rule = f"integers from 1 to {_MOST_RANKS} (where the first is 0, pass position + 1)"
    require(is_rank, position, "position", rule)
    return position.astype(np.int64)


def _units_of_sessions(
    ids: dict[str, Any], session: IntArray, first_row: IntArray
) -> dict[str, IntArray]:
    """Return the number of each session's user and query, as far as there are ids."""
    unit_of_session = {}
    for name, ids_of_rows in ids.items():
        if ids_of_rows is None:
            continue
        unit = unit_numbers(name, ids_of_rows, len(session))
        unit_of_session[name] = unit[first_row]

        row = first_true(unit != unit_of_session[name][session])
        if row is not None:
            raise ValueError(
                f"{name} must be the same in all rows of a session, got rows "
                f"{int(first_row[session[row]])} and {row} of one session with different ones. "
                "Give every list that a user saw a session of its own."
            )
    return unit_of_session


def _count_clusters(
    unit_of_session: dict[str, IntArray], n_sessions: int
) -> dict[str, int]:
    """Count the users and the queries, or the sessions if neither is known."""
    n_clusters = {"session": n_sessions}
    if unit_of_session:
        n_clusters = {
            name: int(unit.max()) + 1 for name, unit in unit_of_session.items()
        }

    for name, n in n_clusters.items():
        if n < _FEWEST_CLUSTERS:
            raise ValueError(
                f"{name} must differ between rows, got the same in all of them: then nothing tells "
                "by how much estimates vary."
            )
    return n_clusters


def _cells(
    session: IntArray, column: IntArray, position: IntArray, n_ranks: int
) -> IntArray:
    """Return the place of each row in the matrix of sessions by rank, from left to right."""
    cell = session * n_ranks + column
    n_rows = np.bincount(cell)
    if n_rows.max() > 1:
        is_repeated = n_rows[cell] > 1
        row = np.flatnonzero(is_repeated)[1]
        raise ValueError(
            f"position must differ between the rows of a session, got {position[row]} twice, the "
            f"second time in row {row}. Give every page view an id of its own."
        )
    return cell


def _matrix(
    values: NDArray[Any], empty: Any, cell: IntArray, shape: tuple[int, int]
) -> NDArray[Any]:
    """Return the values of rows by session and rank, and `empty` where there is no row."""
    matrix = np.full(shape, empty, dtype=values.dtype)
    cells = matrix.ravel()  # which it shares with the matrix
    cells[cell] = values
    return matrix
