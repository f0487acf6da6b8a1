"""A log laid out by session: grades and clicks by rank, and the clusters of the sessions."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ABSENT = -1


@dataclasses.dataclass(frozen=True, eq=False)
class Sessions:
    """Sessions by rank; a place without a grade is a hole or beyond the list.

    Attributes
    ----------
    level : ndarray of shape (n_sessions, n_ranks), int
        Number of the grade of each document among the grades that are shown, from 0; -1 without.
    clicked : ndarray of shape (n_sessions, n_ranks), bool
        Whether the document was clicked; False without a grade.
    rank : ndarray of shape (n_ranks,), int
        The positions that occur, ascending.
    propensity : ndarray of shape (n_sessions, n_ranks) or None
        Given probabilities of examination, up to a factor, the largest of which is 1.
    n_levels : int
        Number of shown grades above 0, which is the number of thresholds that can be told apart.
    clusters : tuple of ndarray of shape (n_sessions,), int
        Cluster of each session, for each way of clustering; empty if sessions are independent.
    has_holes : ndarray of shape (n_sessions,), bool
        Whether a document of the session has no grade, or a position is missing above another.
    """

    level: IntArray
    clicked: BoolArray
    rank: IntArray
    propensity: FloatArray | None
    n_levels: int
    clusters: tuple[IntArray, ...]
    has_holes: BoolArray

    @property
    def known(self) -> BoolArray:
        """Places with a graded document."""
        return self.level >= 0

    def __len__(self) -> int:
        return len(self.level)

    def take(self, rows: Any) -> Sessions:
        """Return some of the sessions."""
        return dataclasses.replace(
            self,
            level=self.level[rows],
            clicked=self.clicked[rows],
            propensity=None if self.propensity is None else self.propensity[rows],
            clusters=tuple(each[rows] for each in self.clusters),
            has_holes=self.has_holes[rows],
        )

    def up_to_holes(self) -> Sessions:
        """Return the sessions cut off before their first hole."""
        known = np.logical_and.accumulate(self.known, axis=1)
        level = np.where(known, self.level, ABSENT)
        return dataclasses.replace(self, level=level, clicked=self.clicked & known)


def first_rows(number: NDArray[Any]) -> IntArray:
    """Return the first row of each of the numbers 0, 1, ..., all of which occur."""
    first = np.empty(int(number.max()) + 1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def lay_out(
    session: IntArray,
    position: IntArray,
    *,
    level: IntArray,
    clicked: BoolArray,
    propensity: FloatArray | None,
    clusters: tuple[IntArray, ...],
) -> Sessions:
    """Arrange rows by session and rank.

    Parameters
    ----------
    session : ndarray of shape (n_rows,), int
        Number of the session of each row, from 0.
    position : ndarray of shape (n_rows,), int
        Rank of each row, from 1.
    level : ndarray of shape (n_rows,), int
        Number of its grade among those shown; -1 for a hole.
    clicked : ndarray of shape (n_rows,), bool
        Whether it was clicked.
    propensity : ndarray of shape (n_rows,) or None
        Given probability of examination, up to a factor.
    clusters : tuple of ndarray of shape (n_rows,), int
        Clusters of each row.

    Returns
    -------
    Sessions
        The layout.

    Raises
    ------
    ValueError
        If two rows of a session have the same position.
    """
    n_sessions = int(session.max()) + 1
    is_used: BoolArray = np.asarray(np.bincount(position) > 0)
    rank = np.flatnonzero(is_used)
    column = (np.cumsum(is_used) - 1)[position]
    place = session * len(rank) + column
    shown = np.bincount(place, minlength=n_sessions * len(rank))
    if shown.max() > 1:
        row = int(np.flatnonzero(shown[place] > 1)[1])
        raise ValueError(
            f"position must differ between the rows of a session, got {position[row]} twice, the "
            f"second time in row {row}. Give every page view an id of its own."
        )

    def spread(values: NDArray[Any], empty: Any) -> NDArray[Any]:
        matrix = np.full(n_sessions * len(rank), empty, dtype=values.dtype)
        matrix[place] = values
        return matrix.reshape(n_sessions, len(rank))

    levels = spread(level, ABSENT)
    in_list = np.logical_or.accumulate(shown.reshape(n_sessions, -1)[:, ::-1] > 0, axis=1)[:, ::-1]
    return Sessions(
        level=levels,
        clicked=spread(clicked & (level >= 0), False),
        rank=rank,
        propensity=None if propensity is None else spread(propensity / propensity.max(), 1.0),
        n_levels=int(level.max()),
        clusters=tuple(each[first_rows(session)] for each in clusters),
        has_holes=np.asarray(((levels < 0) & in_list).any(axis=1)),
    )
