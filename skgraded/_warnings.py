"""Warning classes of skgraded, and functions that issue warnings at the user's line of code."""

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
    """Base class of all warnings of skgraded."""


class InferredGradesWarning(SkgradedWarning):
    """A measure in a scorer or callback takes the top grade of its scale from the data.

    The top grade can differ between the data sets that are scored, and with it the measure.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """A mean is undefined, because no query has a value and a positive weight."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of the same query are in both the training rows and the scored rows.

    A model that was trained on some documents of a query ranks the others better than those of a
    new query, so the score is too high.
    """


class ThinnedQueriesWarning(SkgradedWarning):
    """Rows are sampled from the training and test sets, so that queries lose documents.

    A short list is easier to rank than a long one. Scores of a halving search over rows are
    therefore too high, and not comparable between its rounds.
    """


class CutQueriesWarning(SkgradedWarning):
    """Training sets of a learning curve contain only some of the documents of a query."""


class UnseenGradeWarning(SkgradedWarning):
    """The scored rows hold a higher grade than the training rows, which determined the scale."""


class GroupSizesWarning(SkgradedWarning):
    """Query ids look like group sizes, which would merge all queries of the same size."""


def warn_if_grades_are_inferred(measures: Iterable[Any], taker: str) -> None:
    """Warn if measures that will score several data sets take the top grade from each of them."""
    still_open = [each for each in measures if each.is_open]
    if not still_open:
        return
    names = ", ".join(str(each) for each in still_open)
    example = repr(still_open[0].resolve(4))
    warnings.warn(
        f"{taker} got {names} without max_grade. The top grade of the scale is then taken from "
        "each data set that is scored, so that the measure may differ between folds. Set "
        f"max_grade, for example {example}, or give g or gain as one number per grade.",
        InferredGradesWarning,
        stacklevel=stacklevel_of_the_user(),
    )


# Warnings already issued, by run of joblib.Parallel, so that a search warns only once.
_said_in: WeakKeyDictionary[Any, set[type[Warning]]] = WeakKeyDictionary()
_said_in_worker: set[type[Warning]] = set()

# Modules whose frames can lie between the user's code and ours.
_LIBRARIES = {"skgraded", "sklearn", "joblib", "multiprocessing", "threading", "contextlib"}


def warn_once(message: str, category: type[SkgradedWarning]) -> None:
    """Warn at the user's line of code, but only once in a cross-validation or search.

    Python's filter "once per line" does not suffice: scikit-learn resets the filters in every fold,
    which also resets the record of warnings already shown. A worker process warns only once.

    Parameters
    ----------
    message : str
        Text of the warning.
    category : type
        Class of the warning.
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
    """Find the outermost joblib.Parallel on the stack; a search creates a new one in every fit."""
    joblib = sys.modules.get("joblib")
    frame, found = sys._getframe(1), None
    while joblib is not None and frame is not None:
        for name in ("self", "parallel"):
            if isinstance(frame.f_locals.get(name), joblib.Parallel):
                found = frame.f_locals[name]
        frame = frame.f_back  # type: ignore[assignment]
    return found


def stacklevel_of_the_user() -> int:
    """Return the stacklevel of the first frame outside the libraries, or 2 if there is none."""
    frame, distance = sys._getframe(1), 1
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _LIBRARIES:
            return distance
        frame, distance = frame.f_back, distance + 1  # type: ignore[assignment]
    return 2
