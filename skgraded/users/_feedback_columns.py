"""Columns of feedback and of logs: grades of shown documents, what users did, and ids.

`log_columns` joins them from a log and judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded._support.arguments import ArgumentError, first_true
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.column_names import SYNONYMS, find_column
from skgraded._support.lazy import import_pandas
from skgraded.exceptions import FewFeedbackWarning, GradeScaleWarning
from skgraded.rankings import CheckedColumns, as_ids, number_rows, numeric, read_grades

_FEWEST_GRADES = 2
_FEW = 20  # clusters


def check_grades(columns: CheckedColumns) -> tuple[FloatArray, BoolArray]:
    """Return the grades, nan where there is none, and where there is one."""
    grades = read_grades("grade", columns.labels)
    grades = grades.astype(np.float64)
    is_judged = ~np.isnan(grades)

    is_whole = grades == np.floor(grades)
    is_integer = np.isfinite(grades) & is_whole
    is_grade = is_integer & (grades >= 0)
    rule = "integers >= 0, or NaN for unjudged documents"
    require(is_grade | ~is_judged, grades, "grade", rule)
    return grades, is_judged


def flags(name: str, column: Any, n_rows: int) -> BoolArray:
    """Return a column of True, False, 1 or 0 as booleans, some of which must be true."""
    values = numeric(name, column).astype(np.float64)
    require_length(name, len(values), n_rows)
    is_true = values == 1
    require(is_true | (values == 0), values, name, "True, False, 1 or 0")
    if not is_true.any():
        raise ValueError(
            f"{name} must be true in some row, got {n_rows} rows without a satisfied user. "
            "Without satisfied users there is nothing to estimate g from."
        )
    return is_true


def propensities(propensity: Any, n_rows: int) -> FloatArray:
    """Return probabilities of examination, 1 where none are given."""
    if propensity is None:
        return np.ones(n_rows)
    values = numeric("propensity", propensity)
    values = values.astype(np.float64)
    require_length("propensity", len(values), n_rows)
    rule = "probabilities above 0 and up to 1 (leave out rows that nobody can examine)"
    is_probability = (values > 0) & (values <= 1)
    require(is_probability, values, "propensity", rule)
    return values


def count_grades(grade: IntArray, max_grade: int | None) -> IntArray:
    """Count the shown documents of each grade; the top grade and another one must be shown."""
    highest = int(grade.max())
    top = max_grade
    if top is None:
        top = highest
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


def find_shown_grades(n_shown: IntArray) -> IntArray:
    """Return the shown grades and 0; warn of the others."""
    shown = np.flatnonzero(n_shown)
    grades_above_0 = np.arange(1, len(n_shown))
    missing = np.setdiff1d(grades_above_0, shown)
    if len(missing):
        warn_once(
            f"grade should hold every grade of the scale 0..{len(n_shown) - 1}, got no document of "
            f"{grades_in_words(missing)}. The probability of the thresholds between two shown "
            "grades is known as a sum only and is split evenly among them.",
            GradeScaleWarning,
        )
    return np.union1d([0], shown)


def require(fits: BoolArray, values: NDArray[Any], name: str, rule: str) -> None:
    """Raise at the first value that does not fit."""
    row = first_true(~fits)
    if row is not None:
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
    except ArgumentError as error:
        raise error.renamed(name) from None


def grades_in_words(grades: IntArray) -> str:
    """List grades in a sentence, such as ``grades 1, 2 and 3``."""
    *grades_before, last = map(str, grades.tolist())
    if not grades_before:
        return f"grade {last}"
    return f"grades {', '.join(grades_before)} and {last}"


def warn_if_few(n_clusters: int, name: str) -> None:
    """Warn if g is estimated from too few sessions, users or queries."""
    if n_clusters < _FEW:
        warn_once(
            f"{name} should hold at least {_FEW} clusters, got {n_clusters}. The estimate of g is "
            "then little more than chance, and its intervals are too short.",
            FewFeedbackWarning,
        )


_KEYS = ["query", "document"]
_EVENTS = ("clicked", "purchased")
_COLUMNS_OF_LOGS = ("session", *_KEYS, "position", *_EVENTS, "user", "propensity")
_NEEDED_IN_LOGS = ("session", *_KEYS, "position")
_PASSED_ON = ("session", "position", "user", "propensity")


def log_columns(
    log: Any,
    judgments: Any,
    *,
    event: str | None = None,
    grades: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Join a table of what was shown with a table of judgments, for `thresholds_from_log`.

    Parameters
    ----------
    log : DataFrame
        A row for each document that was shown, with the columns session, query, document,
        position, and clicked or purchased, or other names for them, such as query_id, doc_id and
        rank. Where it has a column user or propensity, it is passed on. Other columns are left
        alone.
    judgments : DataFrame
        A row for each judgment, with the columns query, document and grade, or other names for
        them. Grades are numbers, ordered categories, or words in `grades`. Documents that were
        shown and not judged have no grade in the result: `thresholds_from_log` counts them and
        does not take them for grade 0.
    event : str, optional
        Name of the column that says what users did, 0 or 1. None takes clicked or purchased, if
        there is only one of the two.
    grades : mapping of str to float, optional
        The grade of each word, such as ``{"E": 3, "S": 2, "C": 1, "I": 0}``, where they are
        words.

    Returns
    -------
    dict of str to ndarray
        The columns grade, clicked, session, position and qid, and user and propensity if `log` has
        them, in the order of its rows: ``thresholds_from_log(**columns)``.

    Raises
    ------
    ValueError
        If a table is not a DataFrame or lacks a column, the event is not named where there are two,
        queries or documents of the two tables are of different types, two judgments of a document
        differ, or no document that was shown is judged.
    ImportError
        If pandas is not installed.

    See Also
    --------
    thresholds_from_log : Takes the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.users import log_columns
    >>> log = pd.DataFrame({
    ...     "session": [1, 1], "user": ["u7", "u7"], "query": ["shoe", "shoe"],
    ...     "document": ["d2", "d9"], "position": [1, 2], "clicked": [False, True],
    ... })
    >>> judgments = pd.DataFrame({"query": ["shoe"], "document": ["d9"], "grade": [2]})
    >>> log_columns(log, judgments)["grade"]
    array([nan,  2.])
    """
    plain_log = _with_plain_names("log", log, _COLUMNS_OF_LOGS, _NEEDED_IN_LOGS)
    columns_of_judgments = [*_KEYS, "grade"]
    plain_judgments = _with_plain_names(
        "judgments", judgments, columns_of_judgments, columns_of_judgments
    )

    # An event that is named may have either the name of its column or the plain one.
    if event is None:
        event = _find_event(plain_log)
    events = log if event in log.columns else plain_log
    if event not in events.columns:
        raise ValueError(f"event must name a column of log, got {event!r}.")

    columns = {
        "grade": _grades(plain_log, plain_judgments, grades),
        "clicked": events[event].to_numpy(),
        "qid": plain_log["query"].to_numpy(),
    }
    for name in _PASSED_ON:
        if name in plain_log.columns:
            columns[name] = plain_log[name].to_numpy()
    return columns


def _with_plain_names(
    argument: str, table: Any, meanings: Iterable[str], needed: Iterable[str]
) -> Any:
    """Return a table whose columns are called by their meanings."""
    pandas = import_pandas("thresholds_from_log with arrays", needed_by="log_columns")
    if not isinstance(table, pandas.DataFrame):
        raise ValueError(
            f"{argument} must be a pandas DataFrame, got {type(table).__name__}."
        )

    column_of = {
        meaning: find_column(meaning, table.columns, table.__getitem__, argument)
        for meaning in meanings
    }
    missing = [meaning for meaning in needed if column_of[meaning] is None]
    if missing:
        raise ValueError(
            f"{argument} must have the columns {', '.join(needed)}, got none named {missing[0]}, "
            f"or {', '.join(SYNONYMS[missing[0]])}. Rename one by "
            f"{argument}.rename(columns={{...}})."
        )

    # A column that has the name of another's meaning gives way.
    meaning_of = {}
    for meaning, column in column_of.items():
        if column is not None:
            meaning_of[column] = meaning
    misnamed = [
        meaning
        for meaning in meaning_of.values()
        if meaning in table.columns and meaning not in meaning_of
    ]
    return table.drop(columns=misnamed).rename(columns=meaning_of)


def _find_event(log: Any) -> str:
    """Return the name of the only column that says what users did."""
    events = [event for event in _EVENTS if event in log.columns]
    if len(events) != 1:
        raise ValueError(
            "event must name the column of log that says what users did, where log does not have "
            f"exactly one of the columns clicked and purchased, got {list(log.columns)}."
        )
    return events[0]


def _grades(log: Any, judgments: Any, words: Any) -> FloatArray:
    """Return the grade of each row of the log, nan where there is none."""
    grade_column = read_grades("grade", judgments["grade"], words)
    grade_table = judgments[_KEYS].assign(grade=grade_column)
    grade_table = grade_table.dropna().drop_duplicates()

    is_repeated = grade_table.duplicated(_KEYS)
    if is_repeated.any():
        query, document = grade_table.loc[is_repeated, _KEYS].iloc[0]
        raise ValueError(
            f"judgments must hold one grade of each document of a query, got several of document "
            f"{document!r} of query {query!r}. Decide between them, for example by their median."
        )

    try:
        joined = log[_KEYS].merge(
            grade_table, on=_KEYS, how="left", validate="many_to_one"
        )
    except ValueError as error:  # pandas refuses to join numbers with text
        raise ValueError(
            "query and document must be of the same types in log and judgments, got "
            f"{log[_KEYS].dtypes.astype(str).tolist()} and "
            f"{judgments[_KEYS].dtypes.astype(str).tolist()}."
        ) from error

    grades = joined["grade"].to_numpy(dtype=np.float64)
    if np.isnan(grades).all():
        raise ValueError(
            f"judgments must hold documents that were shown, got {len(grade_table)} judgments of "
            f"which none is on one of the {len(log)} rows of log. Compare how queries and "
            "documents are written."
        )
    return grades
