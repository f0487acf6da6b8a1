"""The columns of a log from a table of what was shown and a table of judgments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.columns import SYNONYMS, find_column
from skgraded._support.lazy import import_pandas
from skgraded.rankings import read_grades

_KEYS = ["query", "document"]
_EVENTS = ("clicked", "purchased")
_OF_LOGS = ("session", *_KEYS, "position", *_EVENTS, "user", "propensity")


def log_columns(log: Any, judgments: Any, *, event: str | None = None) -> dict[str, Any]:
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
        them. Grades are numbers or ordered categories. Documents that were shown and not judged
        have no grade in the result: `thresholds_from_log` counts them and does not take them for
        grade 0.
    event : str, optional
        Name of the column that says what users did, 0 or 1. None takes clicked or purchased, if
        there is only one of the two.

    Returns
    -------
    dict of str to ndarray
        The columns grade, clicked, session, position and query, and user and propensity if `log`
        has them, in the order of its rows: ``thresholds_from_log(**columns)``.

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
    log = _with_plain_names("log", log, _OF_LOGS, ["session", *_KEYS, "position"])
    judgments = _with_plain_names("judgments", judgments, [*_KEYS, "grade"], [*_KEYS, "grade"])
    event = _event(log) if event is None else event
    if event not in log.columns:
        raise ValueError(f"event must name a column of log, got {event!r}.")
    columns = {
        "grade": _grades(log, judgments),
        "clicked": log[event].to_numpy(),
        **{name: log[name].to_numpy() for name in ("session", "position", "query")},
    }
    return columns | {
        name: log[name].to_numpy() for name in ("user", "propensity") if name in log.columns
    }


def _with_plain_names(name: str, table: Any, meanings: Iterable[str], needed: Iterable[str]) -> Any:
    """Return a table whose columns are called by their meanings."""
    pandas = import_pandas("thresholds_from_log with arrays", needed_by="log_columns")
    if not isinstance(table, pandas.DataFrame):
        raise ValueError(f"{name} must be a pandas DataFrame, got {type(table).__name__}.")
    found = {
        meaning: find_column(meaning, table.columns, table.__getitem__, name)
        for meaning in meanings
    }
    missing = [each for each in needed if found[each] is None]
    if missing:
        raise ValueError(
            f"{name} must have the columns {', '.join(needed)}, got none named {missing[0]}, or "
            f"{', '.join(SYNONYMS[missing[0]])}. Rename one by {name}.rename(columns={{...}})."
        )
    plain = {given: meaning for meaning, given in found.items() if given is not None}
    others = [each for each in plain.values() if each in table.columns and each not in plain]
    return table.drop(columns=others).rename(columns=plain)


def _event(log: Any) -> str:
    found = [each for each in _EVENTS if each in log.columns]
    if len(found) != 1:
        raise ValueError(
            "event must name the column of log that says what users did, where log does not have "
            f"exactly one of the columns clicked and purchased, got {list(log.columns)}."
        )
    return found[0]


def _grades(log: Any, judgments: Any) -> NDArray[np.float64]:
    """Return the grade of each row of the log, nan where there is none."""
    judged = judgments[_KEYS].assign(grade=read_grades("grade", judgments["grade"]))
    judged = judged.dropna().drop_duplicates()
    twice = judged.duplicated(_KEYS)
    if twice.any():
        query, document = judged.loc[twice, _KEYS].iloc[0]
        raise ValueError(
            f"judgments must hold one grade of each document of a query, got several of document "
            f"{document!r} of query {query!r}. Decide between them, for example by their median."
        )
    try:
        joined = log[_KEYS].merge(judged, on=_KEYS, how="left", validate="many_to_one")
    except ValueError as error:  # pandas refuses to join numbers with text
        raise ValueError(
            "query and document must be of the same types in log and judgments, got "
            f"{log[_KEYS].dtypes.astype(str).tolist()} and "
            f"{judgments[_KEYS].dtypes.astype(str).tolist()}."
        ) from error
    grades: NDArray[np.float64] = joined["grade"].to_numpy(dtype=np.float64)
    if np.isnan(grades).all():
        raise ValueError(
            f"judgments must hold documents that were shown, got {len(judged)} judgments of which "
            f"none is on one of the {len(log)} rows of log. Compare how queries and documents are "
            "written."
        )
    return grades
