"""The columns of a log of clicks, checked and laid out by session."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded.exceptions import MissingClustersWarning
from skgraded.rankings import CheckedColumns, as_ids, numeric
from skgraded.users._feedback_columns import (
    count_grades,
    flags,
    known_grades,
    propensities,
    read_grades,
)
from skgraded.users._resampling import require, require_length, unit_numbers
from skgraded.users._sessions import ABSENT, Sessions, first_rows, lay_out

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_RANKS = 1000
_FEW_CLICKS = 50
_MUCH_MORE_OFTEN = 3.0  # odds
_REPEATED = 5.0  # times as often as chance explains
_PAIR = 2


class Log(NamedTuple):
    """A checked log.

    Attributes
    ----------
    sessions : Sessions
        Its sessions, with the number of each grade among the shown ones.
    lengths : ndarray of shape (n_levels,), int64
        Number of thresholds from one shown grade to the next.
    shown : ndarray of shape (n_levels + 1,), int64
        The shown grades, and 0.
    clusters : dict of str to int
        Number of users and of queries, as far as they are given.
    segment : ndarray of shape (n_sessions,), int64, or None
        Number of the segment of each session.
    segment_names : list of str
        Names of the segments.
    n_rows, n_unjudged : int
        Number of rows, and of those without a grade.
    judged_because_clicked : str
        A sentence, if clicked rows were judged far more often than others.
    """

    sessions: Sessions
    lengths: IntArray
    shown: IntArray
    clusters: dict[str, int]
    segment: IntArray | None
    segment_names: list[str]
    n_rows: int
    n_unjudged: int
    judged_because_clicked: str


def checked_log(columns: CheckedColumns, rows: dict[str, Any], top: int | None) -> Log:
    """Check the columns of a log, and lay it out.

    Parameters
    ----------
    columns : CheckedColumns
        Grades, let through by the gate.
    rows : dict of str to array-like or None
        The columns clicked, session, position, user, propensity and by.
    top : int or None
        Top grade of the scale.

    Returns
    -------
    Log
        The log.
    """
    grades, judged = read_grades(columns)
    n_rows = len(grades)
    was_clicked = flags("clicked", rows["clicked"], n_rows)
    places = _positions(rows["position"], n_rows)
    given = rows["propensity"]
    chances = None if given is None else propensities(given, n_rows)
    keys = {name: rows[name] for name in ("session", "user")} | {"query": columns.ids}
    keys["by"] = rows["by"]
    numbers = {
        name: unit_numbers(name, each, n_rows, "grade")
        for name, each in keys.items()
        if each is not None
    }
    session = numbers.pop("session")
    shown, level = _levels(grades, judged, was_clicked, top)
    for name, each in numbers.items():
        _require_one_per_session(name, each, session)
    segment = numbers.pop("by", None)
    sessions = lay_out(
        session,
        places,
        level=level,
        clicked=was_clicked,
        propensity=chances,
        clusters=tuple(numbers.values()),
    )
    return Log(
        sessions=sessions,
        lengths=np.diff(shown),
        shown=shown,
        clusters={name: int(each.max()) + 1 for name, each in numbers.items()},
        segment=None if segment is None else segment[first_rows(session)],
        segment_names=[] if segment is None else _names_of(keys["by"], segment),
        n_rows=n_rows,
        n_unjudged=int((~judged).sum()),
        judged_because_clicked=_judged_because_clicked(judged, was_clicked, places),
    )


def _levels(
    grades: FloatArray, judged: NDArray[np.bool_], clicked: NDArray[np.bool_], top: int | None
) -> tuple[IntArray, IntArray]:
    """Return the shown grades and 0, and the number of each row's grade among them."""
    if not judged.any():
        raise ValueError(f"grade must hold at least one grade, got {len(grades)} rows without.")
    if not clicked[judged].any():
        raise ValueError("clicked must be true in some row with a grade, got clicks without alone.")
    shown = known_grades(count_grades(grades[judged].astype(np.int64), top))
    level = np.full(len(grades), ABSENT)
    level[judged] = np.searchsorted(shown, grades[judged])
    return shown, level


def _names_of(by: Any, segment: IntArray) -> list[str]:
    return [str(each) for each in as_ids(by)[first_rows(segment)].tolist()]


def _positions(position: Any, n_rows: int) -> IntArray:
    values = numeric("position", position).astype(np.float64)
    require_length("position", len(values), n_rows, "grade")
    is_rank = np.isfinite(values) & (values >= 1) & (values == np.floor(values))
    require(
        is_rank & (values <= _MOST_RANKS), values, "position", f"integers from 1 to {_MOST_RANKS}"
    )
    return values.astype(np.int64)


def _require_one_per_session(name: str, numbers: IntArray, session: IntArray) -> None:
    first = first_rows(session)
    differs = numbers != numbers[first][session]
    if differs.any():
        row = int(np.flatnonzero(differs)[0])
        before = int(first[session[row]])
        raise ValueError(
            f"{name} must be the same in all rows of a session, got rows {before} and {row} of one "
            f"session with different ones. Give every list that a user saw a session of its own."
        )


def warn_if_lists_repeat(log: Log) -> None:
    """Warn where lists of grades are the same in several sessions, as those of one query are."""
    level = log.sessions.level
    if "query" in log.clusters or len(level) < _PAIR:
        return
    _, sizes = np.unique(level, axis=0, return_counts=True)
    same = float((sizes * (sizes - 1.0)).sum()) / (len(level) * (len(level) - 1.0))
    by_chance = np.prod([_chance_of_same(column) for column in level.T])
    n_repeated = int(sizes[sizes > 1].sum())
    if same > _REPEATED * by_chance and n_repeated > len(level) / 4:
        warn_once(
            f"query should be given where sessions share lists, got {n_repeated} of {len(level)} "
            "sessions with the grades of another one, far more than by chance. Tastes differ "
            "between queries, so that intervals over sessions are too short.",
            MissingClustersWarning,
        )


def _chance_of_same(column: IntArray) -> float:
    shares = np.bincount(column + 1) / len(column)
    return float((shares**2).sum())


def _judged_because_clicked(
    judged: NDArray[np.bool_], clicked: NDArray[np.bool_], position: IntArray
) -> str:
    """Say so where clicked rows are judged far more often than others at the same position."""
    if judged.all():
        return ""
    counts = np.zeros((2, 2, int(position.max()) + 1))
    np.add.at(counts, (clicked.astype(int), judged.astype(int), position), 1.0)
    n = np.maximum(counts.sum(axis=(0, 1)), 1.0)
    for_it, against = (
        (counts[1, 1] * counts[0, 0] / n).sum(),
        (counts[1, 0] * counts[0, 1] / n).sum(),
    )
    if for_it <= _MUCH_MORE_OFTEN * against or counts[1].sum() < _FEW_CLICKS:
        return ""
    shares = [float(each[1].sum() / max(each.sum(), 1.0)) for each in counts]
    return (
        "grade should not be missing because a document was not clicked, got grades in "
        f"{shares[1]:.0%} of the clicked rows and {shares[0]:.0%} of the others, which differ at "
        "the same positions. If documents were judged because they were clicked, g is too easy: "
        "it gives too much to low grades. Judge a sample of the shown documents."
    )
