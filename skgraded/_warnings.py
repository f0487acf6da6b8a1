"""Warnings of skgraded: one class each, so that each can be silenced or made an error alone."""

import sys
import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

__all__ = [
    "CutQueriesWarning",
    "GroupSizesWarning",
    "InferredGradesWarning",
    "QueryLeakWarning",
    "SkgradedWarning",
    "ThinnedQueriesWarning",
    "UndefinedMeanWarning",
    "UnseenGradeWarning",
    "stacklevel_of_the_user",
    "warn_if_grades_are_inferred",
    "warn_once",
]


class SkgradedWarning(UserWarning):
    """Base class of every warning that skgraded raises."""


class InferredGradesWarning(SkgradedWarning):
    """The threshold distribution g is named, and the scale's top grade read off the data.

    Inside a scorer or an evaluation callback the top grade can differ from one data set to the
    next, and with it the measure.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """No query was left to take the mean over."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of one query stand in both the training and the scored rows.

    What the model learnt about a query helps it on the rest of that query, so that the score is too
    high.
    """


class ThinnedQueriesWarning(SkgradedWarning):
    """Rows are drawn from the training and the test sets, so that queries lose documents.

    A short list is easier to rank than a long one: scores of a halving search over rows are too
    high, and not comparable between its rounds.
    """


class CutQueriesWarning(SkgradedWarning):
    """Training sets of a learning curve end inside of queries, or hold parts of them."""


class UnseenGradeWarning(SkgradedWarning):
    """The scored rows hold a higher grade than the training rows that the scale was read off."""


class GroupSizesWarning(SkgradedWarning):
    """Query ids are the numbers of rows: queries of the same size are taken for one."""


def warn_if_grades_are_inferred(measures: Iterable[Any], taker: str) -> None:
    """Warn once where a measure that will score several data sets reads its top grade off each."""
    still_open = [each for each in measures if each.is_open]
    if not still_open:
        return
    names = ", ".join(str(each) for each in still_open)
    example = repr(still_open[0].resolve(4))
    warnings.warn(
        f"{taker} got {names} without max_grade: the scale's top grade is then read off each data "
        "set that is scored, and the measure changes with it, so that values may differ between "
        f"folds. Name the top grade, for example {example}, or say g or gain grade by grade.",
        InferredGradesWarning,
        stacklevel=stacklevel_of_the_user(),
    )


# Which of our warnings a run of joblib.Parallel has seen: a search warns once, not in every fold.
_said_in: WeakKeyDictionary[Any, set[type[Warning]]] = WeakKeyDictionary()
_said_in_worker: set[type[Warning]] = set()

# Between the user's line and ours.
_LIBRARIES = {"skgraded", "sklearn", "joblib", "multiprocessing", "threading", "contextlib"}


def warn_once(message: str, category: type[SkgradedWarning]) -> None:
    """Warn of the user's line of code, but once alone in a cross-validation or search.

    Python's own rule, once for each line, does not help: scikit-learn sets the filters anew for
    every fold, and with them forgets what has been shown. A worker process warns once in its life.

    Parameters
    ----------
    message : str
        The text.
    category : type
        Its class.
    """
    from multiprocessing import parent_process

    run = _run_in_progress()
    if run is not None:
        said = _said_in.setdefault(run, set())
    else:
        said = _said_in_worker if parent_process() is not None else set()
    if category in said:
        return
    said.add(category)
    warnings.warn(message, category, stacklevel=stacklevel_of_the_user())


def _run_in_progress() -> Any:
    """Find the outermost joblib.Parallel on the stack, which a search makes anew for each fit."""
    joblib = sys.modules.get("joblib")
    frame, found = sys._getframe(1), None
    while joblib is not None and frame is not None:
        for name in ("self", "parallel"):
            if isinstance(frame.f_locals.get(name), joblib.Parallel):
                found = frame.f_locals[name]
        frame = frame.f_back  # type: ignore[assignment]
    return found


def stacklevel_of_the_user() -> int:
    """Stacklevel of the first frame above the caller that is in no library; 2 if there is none."""
    frame, distance = sys._getframe(1), 1
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _LIBRARIES:
            return distance
        frame, distance = frame.f_back, distance + 1  # type: ignore[assignment]
    return 2
